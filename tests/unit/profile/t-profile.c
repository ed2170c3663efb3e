/* Statistics of recorded readings with known quantiles, the bands of the verdict, keeping within
 * bounds, and files that are read again. */
#include "../base/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "profile/profile_file.h"
#include "profile/profile_run.h"
#include "base/input.h"
#include "base/mem.h"

static void quantiles(void **state)
{
	double v[100], w[100];
	struct profile_stat s;
	for (int i = 0; i < 100; i++) {
		v[i] = (i * 37) % 100 + 1; /* 1 to 100 in disorder */
		w[i] = 1000;
	}
	profile_stat_of(v, w, 100, &s);
	assert_float_equal(s.p50, 50, 0);
	assert_float_equal(s.p95, 95, 0);
	assert_float_equal(s.p99, 99, 0);
	assert_float_equal(s.mean, 50.5, 1e-12);
	assert_float_equal(s.peak, 100, 0);
	assert_int_equal(s.n, 100);
	/* by time: 1 for a second, 9 for nine */
	profile_stat_of((double[]){ 9, NAN, 1 }, (double[]){ 9000, 50000, 1000 }, 3, &s);
	assert_float_equal(s.p50, 9, 0);
	assert_float_equal(s.mean, 8.2, 1e-12);
	assert_int_equal(s.n, 2);
	profile_stat_of((double[]){ 9, 1 }, (double[]){ 1000, 9000 }, 2, &s);
	assert_float_equal(s.p50, 1, 0);
	assert_float_equal(s.p95, 9, 0);
	profile_stat_of(NULL, NULL, 0, &s);
	assert_true(isnan(s.p50) && isnan(s.mean) && s.n == 0);
}

struct band {
	double util, sm, power;
	enum profile_verdict verdict, by_util;
	bool contradicted;
};

static void bands(void **state)
{
	static const struct band t[] = {
		{ 24.9, NAN, NAN, PROFILE_OVERPROVISIONED, PROFILE_OVERPROVISIONED, false },
		{ 25, NAN, NAN, PROFILE_UNDERUTILIZED, PROFILE_UNDERUTILIZED, false },
		{ 59.9, NAN, NAN, PROFILE_UNDERUTILIZED, PROFILE_UNDERUTILIZED, false },
		{ 60, NAN, NAN, PROFILE_WELL_UTILIZED, PROFILE_WELL_UTILIZED, false },
		/* one tiny kernel after the other */
		{ 100, .02, .2, PROFILE_OVERPROVISIONED, PROFILE_WELL_UTILIZED, true },
		{ 100, .31, .8, PROFILE_UNDERUTILIZED, PROFILE_WELL_UTILIZED, true },
		/* SM activity speaks, power need not */
		{ 100, .82, .2, PROFILE_WELL_UTILIZED, PROFILE_WELL_UTILIZED, false },
		{ 40, .03, NAN, PROFILE_OVERPROVISIONED, PROFILE_UNDERUTILIZED, true },
		{ 40, .30, NAN, PROFILE_UNDERUTILIZED, PROFILE_UNDERUTILIZED, false },
		/* 100 % at idle power */
		{ 100, NAN, .18, PROFILE_UNDERUTILIZED, PROFILE_WELL_UTILIZED, true },
		{ 100, NAN, .30, PROFILE_WELL_UTILIZED, PROFILE_WELL_UTILIZED, false },
		/* a MIG instance */
		{ NAN, .10, NAN, PROFILE_OVERPROVISIONED, PROFILE_OVERPROVISIONED, false },
		{ NAN, NAN, .5, PROFILE_UNREAD, PROFILE_UNREAD, false },
	};
	struct arena a = { 0 };
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct profile_judged in = { t[i].util, t[i].sm, t[i].power, .22, 600000, 600 };
		struct profile_judgement j;
		profile_judge(&in, &a, &j);
		assert_int_equal(j.verdict, t[i].verdict);
		assert_int_equal(j.by_util, t[i].by_util);
		assert_int_equal(j.contradicted, t[i].contradicted);
		assert_true(*j.why);
	}
	arena_free(&a);
}

static void thin_data_is_not_judged(void **state)
{
	struct arena a = { 0 };
	struct profile_judgement j;
	profile_judge(&(struct profile_judged){ 90, .9, .9, .22, 29999, 300 }, &a, &j);
	assert_int_equal(j.verdict, PROFILE_TOO_SHORT);
	profile_judge(&(struct profile_judged){ 90, .9, .9, .22, 600000, 19 }, &a, &j);
	assert_int_equal(j.verdict, PROFILE_TOO_SHORT);
	profile_judge(&(struct profile_judged){ 90, .9, .9, .22, 30000, 30 }, &a, &j);
	assert_int_equal(j.verdict, PROFILE_WELL_UTILIZED);
	assert_int_equal(j.confidence, 1);
	profile_judge(&(struct profile_judged){ 90, .9, .9, .22, 300000, 300 }, &a, &j);
	assert_int_equal(j.confidence, 2);
	/* power does not confirm it */
	profile_judge(&(struct profile_judged){ 90, NAN, .3, .22, 300000, 300 }, &a, &j);
	assert_int_equal(j.confidence, 0);
	/* nothing beside it */
	profile_judge(&(struct profile_judged){ 90, NAN, NAN, .22, 300000, 300 }, &a, &j);
	assert_int_equal(j.confidence, 0);
	arena_free(&a);
}

static void visible(void **state)
{
	assert_true(profile_visible(NULL, "GPU-abc", 3));
	assert_false(profile_visible("", "GPU-abc", 3));
	assert_false(profile_visible("-1", "GPU-abc", 3));
	assert_true(profile_visible("0, 3", "GPU-abc", 3));
	assert_false(profile_visible("0,-1,3", "GPU-abc", 3));
	assert_true(profile_visible("GPU-ab", "GPU-abcdef", 0));
	assert_false(profile_visible("GPU-abc", "GPU-ab", 0));
	assert_false(profile_visible("NoDevFiles", "GPU-abc", 0));
}

/* ---- a whole run ------------------------------------------------------------------------- */

#define T0 INT64_C(1795276800000)

/* Ten minutes at 1 s on two GPUs: idle for 60 s, then `util` and `util` / 2. */
static void make_run(struct profile *p, double util)
{
	memset(p, 0, sizeof *p);
	p->start_ms = T0;
	p->end_ms = T0 + 600000;
	p->interval_ms = 1000;
	p->steps = 5400;
	p->cpus = 64;
	p->cpus_allowed = 8;
	p->command = arena_sv(&p->mem, SV("python train.py --name 'a \"b\"'"));
	p->node = arena_sv(&p->mem, SV("n1"));
	p->team = arena_sv(&p->mem, SV("vision, \"lab\""));
	p->rate = (struct watch_rate){ .known = true,
				       .usd_gpu_hour = DEC_ONE * 3,
				       .currency = "USD",
				       .region = "us-east-1",
				       .source = "given" };
	for (int g = 0; g < 3; g++) {
		char uuid[16];
		snprintf(uuid, sizeof uuid, "GPU-%d", g);
		struct profile_dev *d = profile_dev_of(p, uuid, g);
		snprintf(d->model, sizeof d->model, "A100-SXM4-80GB");
		d->facts.mem_total_bytes = 80.0 * (1 << 30);
		d->facts.power_limit_w = 400;
		d->how = g < 2 ? PROFILE_BY_PROCESS : PROFILE_NOT;
		d->first_ms = g < 2 ? T0 + 60000 : UNKNOWN_MS;
		d->last_ms = g < 2 ? T0 + 600000 : UNKNOWN_MS;
		for (int i = 0; i < 600; i++) {
			struct diag_step s;
			diag_step_init(&s);
			s.t_ms = T0 + i * 1000;
			s.step_ms = 1000;
			s.value[METRIC_GPU_UTIL_PCT] = i < 60 || g == 2 ? 0 : util / (g + 1);
			s.value[METRIC_MEM_USED_BYTES] = (i < 60 ? .5 : 10.0 + g + i / 1000.) *
							 (1 << 30);
			s.value[METRIC_POWER_W] = i < 60 ? 60 : 300;
			if (g == 0)
				s.value[METRIC_ENERGY_J] = 1e9 + i * 250.;
			s.extra[DIAG_X_LOADERS] = 4;
			profile_add_step(p, d, &s);
		}
	}
	for (int i = 0; i < 600; i++)
		profile_add_host(p, &(struct profile_host_step){ T0 + i * 1000, 1000, 390, 12.5,
								 1e9f, 1e6f, 0, 5 });
}

static void report(void **state)
{
	struct profile p;
	struct profile_report r;
	struct conf c;
	struct err err;
	assert_int_equal(conf_load(NULL, &c, &err), 0);
	make_run(&p, 80);
	profile_report_make(&p, &c, &r);
	assert_int_equal(r.ndev, 2);
	assert_int_equal(r.unused, 1);
	/* not of the minute before it used the GPU */
	assert_float_equal(r.each[0][METRIC_GPU_UTIL_PCT].mean, 80, 1e-9);
	assert_float_equal(r.all[METRIC_GPU_UTIL_PCT].mean, 60, 1e-9);
	assert_float_equal(r.all[METRIC_GPU_UTIL_PCT].p50, 40, 1e-9);
	assert_float_equal(r.all[METRIC_GPU_UTIL_PCT].p95, 80, 1e-9);
	/* of the fuller GPU */
	assert_float_equal(r.all[METRIC_MEM_USED_BYTES].peak / (1 << 30), 11.599, 1e-6);
	assert_float_equal(r.energy_j, 599 * 250. + 60 * 60. + 540 * 300., 1e-3);
	assert_int_equal(r.energy_quality, QUALITY_ESTIMATED); /* one GPU has no counter */
	assert_int_equal(r.before_ms, 60000);
	assert_int_equal(r.gpu_ms, 540000);
	assert_float_equal(r.steps_s, 10, 1e-9);
	assert_true(r.cost == DEC_ONE); /* 2 GPUs x 3 $ x 1/6 h */
	assert_true(r.cost_1000_steps == div_half_even(DEC_ONE * 1000, 5400));
	assert_true(r.idle_hour == DEC_ONE * 3);
	assert_float_equal(r.cmd_cpu.mean, 390, 1e-3);
	assert_int_equal(r.judged.verdict, PROFILE_WELL_UTILIZED);
	profile_free(&p);
	conf_free(&c);
}

/* One GPU of two that draws next to nothing, whatever its utilisation says: the mean is fine. */
static void a_stalled_gpu_is_not_hidden(void **state)
{
	struct profile p;
	struct profile_report r;
	struct conf c;
	struct err err;

	assert_int_equal(conf_load(NULL, &c, &err), 0);
	make_run(&p, 80);
	for (size_t i = 0; i < p.dev[1].step.n; i++) {
		p.dev[1].step.v[i].value[METRIC_GPU_UTIL_PCT] = 100;
		p.dev[1].step.v[i].value[METRIC_POWER_W] = 70;
	}
	profile_report_make(&p, &c, &r);
	assert_float_equal(r.all[METRIC_GPU_UTIL_PCT].mean, 90, 1e-9);
	assert_int_equal(r.judged.verdict, PROFILE_UNDERUTILIZED);
	assert_int_equal(r.judged.by_util, PROFILE_WELL_UTILIZED);
	assert_non_null(
		strstr(r.judged.why, "1 of 2 GPUs do little, GPU 1: utilisation says 100 %"));
	profile_free(&p);
	conf_free(&c);
}

static void no_device_used(void **state)
{
	struct profile p = { .start_ms = T0, .end_ms = T0 + 1000, .steps = UNKNOWN_I64 };
	struct profile_report r;
	struct conf c;
	struct err err;
	assert_int_equal(conf_load(NULL, &c, &err), 0);
	profile_report_make(&p, &c, &r);
	assert_int_equal(r.judged.verdict, PROFILE_NO_GPU);
	assert_false(r.has_cost);
	assert_true(isnan(r.energy_j) && isnan(r.all[METRIC_GPU_UTIL_PCT].mean));
	profile_free(&p);
	conf_free(&c);
}

static void long_runs_are_merged(void **state)
{
	struct profile p = { 0 };
	struct profile_dev *d = profile_dev_of(&p, "GPU-x", 0);
	const int n = PROFILE_MOST_STEPS * 3 + 7;
	double sum = 0, ms = 0;
	for (int i = 0; i < n; i++) {
		struct diag_step s;
		diag_step_init(&s);
		s.t_ms = T0 + i * INT64_C(1000);
		s.step_ms = 1000;
		s.value[METRIC_GPU_UTIL_PCT] = i % 2 ? 100 : 0;
		s.value[METRIC_MEM_USED_BYTES] = i == 5 ? 77 : 10;
		s.value[METRIC_ENERGY_J] = i;
		profile_add_step(&p, d, &s);
	}
	assert_true(p.merged && d->step.n <= PROFILE_MOST_STEPS);
	for (size_t i = 0; i < d->step.n; i++) {
		sum += d->step.v[i].value[METRIC_GPU_UTIL_PCT] * d->step.v[i].step_ms;
		ms += d->step.v[i].step_ms;
		if (i)
			assert_true(d->step.v[i].t_ms ==
				    d->step.v[i - 1].t_ms + d->step.v[i - 1].step_ms);
	}
	assert_float_equal(ms, n * 1000., 0); /* no time is lost, means stay, peaks too */
	assert_float_equal(sum / ms, 50, .01);
	assert_float_equal(d->peak[METRIC_GPU_UTIL_PCT], 100, 0);
	assert_float_equal(d->step.v[1].value[METRIC_MEM_USED_BYTES], 77, 0);
	assert_float_equal(d->energy_end_j - d->energy_start_j, n - 1, 0);
	profile_free(&p);
}

/* Write tick by tick as a run does, read it again: the same report. */
static void kept_and_read(void **state)
{
	char dir[] = "/tmp/tare-profile-XXXXXX";
	struct profile p, q, live = { .start_ms = T0, .end_ms = T0, .interval_ms = 1000 };
	struct profile_file *f;
	struct profile_report a, b;
	struct conf c;
	struct err err = { 0 };
	struct arena m = { 0 };

	assert_non_null(mkdtemp(dir));
	assert_int_equal(conf_load(NULL, &c, &err), 0);
	make_run(&p, 80);
	assert_int_equal(profile_file_create(dir, &live, &f, &err), 0);
	p.id = live.id;
	live.node = p.node;
	live.team = p.team;
	live.exit_code = -1;
	live.steps = UNKNOWN_I64;
	for (size_t i = 0; i < 600; i++) {
		if (i == 150) {
			/* as if tare were killed here: what was kept until the last full minute is
			 * a whole run */
			assert_int_equal(
				profile_file_read(profile_file_path(dir, "last", &m), &q, &err), 0);
			assert_int_equal(q.exit_code, -1);
			assert_int_equal(q.dev[0].step.n, 120);
			assert_int_equal(q.end_ms, T0 + 120000);
			profile_free(&q);
		}
		for (size_t g = 0; g < 3; g++) {
			struct profile_dev *d = profile_dev_of(&live, p.dev[g].uuid, (int)g);
			profile_add_step(&live, d, &p.dev[g].step.v[i]);
		}
		profile_add_host(&live, &p.host.v[i]);
		live.end_ms += 1000;
		assert_int_equal(profile_file_tick(f, &live, &err), 0);
	}
	assert_int_equal(profile_file_end(f, &p, &err), 0);
	assert_int_equal(profile_file_read(profile_file_path(dir, "last", &m), &q, &err), 0);
	assert_string_equal(q.command, p.command);
	assert_string_equal(q.team, p.team);
	assert_int_equal(q.ndev, 3);
	assert_int_equal(q.dev[0].step.n, 600);
	profile_report_make(&p, &c, &a);
	profile_report_make(&q, &c, &b);
	for (int k = 0; k < METRIC_N; k++)
		if (a.all[k].n || b.all[k].n) {
			assert_int_equal(a.all[k].n, b.all[k].n);
			assert_float_equal(a.all[k].mean, b.all[k].mean,
					   1e-6 * fabs(a.all[k].mean));
			assert_float_equal(a.all[k].p95, b.all[k].p95, 1e-6 * fabs(a.all[k].p95));
		}
	assert_true(a.cost == b.cost && a.cost_1000_steps == b.cost_1000_steps);
	assert_int_equal(a.judged.verdict, b.judged.verdict);
	assert_float_equal(a.energy_j, b.energy_j, 1e-3);
	assert_null(profile_file_path(dir, "p-20200101-000000", &m));
	assert_null(profile_file_path(dir, "../../etc/passwd", &m));
	/* a second run in the same second has a number behind it, and is the newer one */
	struct profile second = { .start_ms = T0 };
	assert_int_equal(profile_file_create(dir, &second, &f, &err), 0);
	assert_string_not_equal(second.id, p.id);
	assert_int_equal(profile_file_end(f, &second, &err), 0);
	assert_non_null(strstr(profile_file_path(dir, "last", &m), second.id));
	profile_free(&p);
	profile_free(&q);
	profile_free(&live);
	profile_free(&second);
	arena_free(&m);
	conf_free(&c);
	char cmd[64];
	snprintf(cmd, sizeof cmd, "rm -r %s", dir);
	assert_int_equal(system(cmd), 0);
}

static void broken_files(void **state)
{
	static const char *const bad[] = {
		"",
		"{}",
		"[]",
		"{\"schema\":\"tare.profile/1\"}",
		"{\"schema\":\"tare.profile-run/1\",\"start_ms\":-1}",
		"{\"schema\":\"tare.profile-run/1\",\"start_ms\":5,\"end_ms\":4}",
		"{\"schema\":\"tare.profile-run/1\",\"usd_gpu_hour\":\"9e20\"}",
		"{\"schema\":\"tare.profile-run/1\",\"devices\":[{\"index\":1e9}]}",
		"{\"schema\":\"tare.profile-run/1\",\"devices\":[{\"uuid\":\"GPU-1\",\"how\":1}]}",
	};
	struct err err;
	struct profile p;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_true(profile_meta_parse("x.json", sv_of(bad[i]), &p, &err) < 0);
	const char *hostile =
		"{\"schema\":\"tare.profile-run/1\",\"command\":\"a\\u001b[31mb\",\"devices\":[{\"uuid\":\"\\u001b[2J\",\"name\":\"x\\ny\"}]}";
	assert_int_equal(profile_meta_parse("x.json", sv_of(hostile), &p, &err), 0);
	assert_null(strchr(p.command, 27));
	assert_null(strchr(p.dev[0].uuid, 27));
	assert_null(strchr(p.dev[0].uuid, '\\'));
	static const char *const rows[] = { "time,step_s\n",
					    "time,step_s,gpu,mig\nyesterday,1,7,\n",
					    "time,step_s,gpu,mig\n2026-11-21,0,7,\n",
					    "time,step_s,gpu,mig,power_w\n2026-11-21,1,7,,much\n",
					    "time,step_s,gpu,mig\n",
					    "time,step_s,gpu,mig\nyesterday,1,8,\n" };
	profile_dev_of(&p, "", 7);
	for (size_t i = 0; i < 6; i++) {
		struct input *in;
		assert_int_equal(input_from_memory("x.csv", rows[i], strlen(rows[i]), &in, &err),
				 0);
		/* rows of other devices are not looked at */
		assert_int_equal(profile_samples_read(in, &p, &err) < 0, i < 4);
		input_close(in);
	}
	profile_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles),
		cmocka_unit_test(bands),
		cmocka_unit_test(thin_data_is_not_judged),
		cmocka_unit_test(visible),
		cmocka_unit_test(report),
		cmocka_unit_test(a_stalled_gpu_is_not_hidden),
		cmocka_unit_test(no_device_used),
		cmocka_unit_test(long_runs_are_merged),
		cmocka_unit_test(kept_and_read),
		cmocka_unit_test(broken_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
