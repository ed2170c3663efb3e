/* The lever rightsize_gpu on fleets of a few habits: who moves to which GPU, how sure that is, and
 * who stays. */
#include "../plan/fleet_fix.h"
#include "plan/lever/own_speed.h"
#include "plan/workload.h"

#define GIB ((double)(1 << 30))

static void look(struct workload *w, double util, double gib, bool counters)
{
	w->stats.util_mean_pct = w->stats.work_util_mean_pct = util;
	w->stats.mem_p99_bytes = w->stats.mem_peak_bytes = gib * GIB;
	w->stats.tensor_mean_frac = counters ? .05 : NAN;
	w->stats.dram_mean_frac = counters ? .1 : NAN;
}

/* The same on a machine with one GPU. */
static void on_one(struct fix *x, size_t i)
{
	struct workload *w = &x->f.workload.v[i];

	x->f.node.v[i].gpus_milli = w->gpus_milli = 1000;
	x->f.node.v[i].instance_type = w->instance_type = "p3.2xlarge";
	w->ms /= 4;
	w->cost_nano /= 4;
	w->stats.gpus_needed = 1;
	x->f.host.v[i].cpu_milli = 1000;
	x->f.host.v[i].ram_mib = 4 * 1024;
}

/* Runs of 20 h on machines of one V100, every so many hours, four times the time they took booked:
 * `util` % busy, `gib` of memory. */
static size_t add(struct fix *x, const char *name, int runs, double every, double util, double gib)
{
	size_t first = fix_runs(x, name, runs, every, 20);

	for (size_t i = first; i < x->f.workload.n; i++) {
		on_one(x, i);
		look(&x->f.workload.v[i], util, gib, true);
		x->f.workload.v[i].limit_ms = 80 * MS_HOUR;
	}
	return first;
}

static void open_with(struct fix *x, int runs, double util, double gib)
{
	fix_open(x, 24 * 60);
	add(x, "ranker", runs, 100, util, gib);
	fix_done(x);
}

static double memory_of(const struct fix *x, const char *gpu)
{
	return catalog_gpu(x->cat, sv_of(gpu))->memory_gib;
}

static void half_idle_jobs_move(void **state)
{
	struct fix x;
	open_with(&x, 6, 40, 10);
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 1);
	const struct rec *r = x.out.v.v[0];
	assert_int_equal(r->tier, TIER_TRIAL); /* never Ready */
	assert_true(has_kind(r, ACTION_TRIAL) && has_kind(r, ACTION_POOL));
	assert_true(has_lines(r) && r->evidence.n >= 3 && *r->title);
	assert_true(fix_saving(&x, r) > 0);
	assert_int_equal(r->change.n, 6); /* all of a habit */
	for (size_t k = 0; k < r->change.n; k++) {
		const struct rec_change *c = &r->change.v[k];
		const struct use *u = &x.use[c->workload];
		const struct workload *w = &x.f.workload.v[c->workload];
		assert_string_not_equal(c->after.gpu_model, u->gpu_model);
		assert_string_equal(c->after.gpu_model, r->change.v[0].after.gpu_model);
		assert_int_equal(c->after.gpus_milli, u->gpus_milli);
		assert_true(memory_of(&x, c->after.gpu_model) * GIB >=
			    1.25 * w->stats.mem_peak_bytes);
		assert_true(c->lo_nano <= c->after.cost_nano && c->after.cost_nano <= c->hi_nano);
		/* cheaper at the slow end of the range too, and within the limit */
		assert_true(c->hi_nano < u->cost_nano);
		assert_true(c->after.slowdown_hi >= c->after.slowdown && c->after.slowdown >= 1);
		assert_int_equal(c->after.limit_ms, r->change.v[0].after.limit_ms);
		assert_true((double)(w->end_ms - w->start_ms) * c->after.slowdown_hi <=
			    (double)c->after.limit_ms);
		assert_true(c->after.limit_ms <= w->limit_ms);
		assert_string_equal(catalog_gpu(x.cat, sv_of(c->after.gpu_model))->vendor,
				    "nvidia");
	}
	fix_close(&x);
}

/* The highest reading of any run, with the head-room of six runs. */
static void the_fullest_run_counts(void **state)
{
	struct fix x;
	open_with(&x, 6, 40, 2);
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_string_equal(x.out.v.v[0]->change.v[0].after.gpu_model, "T4");
	x.f.workload.v[3].stats.mem_peak_bytes = 12.1 *
						 GIB; /* x 1.25 is more than the 15 of a T4 */
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	for (size_t i = 0; i < x.out.v.n; i++)
		assert_string_not_equal(x.out.v.v[i]->change.v[0].after.gpu_model, "T4");
	x.f.workload.v[3].stats.mem_peak_bytes = 11.9 * GIB;
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_string_equal(x.out.v.v[0]->change.v[0].after.gpu_model, "T4");
	fix_close(&x);
}

/* Own measurements decide: a T4 that was measured slow is not proposed, one that was measured
 * nearly as fast is, with that time and not the roofline's. */
static void own_speeds_come_first(void **state)
{
	const double t4_speed[] = { .1, .8 };
	for (int k = 0; k < 2; k++) {
		struct fix x;
		struct own_speeds own = { 0 };
		open_with(&x, 6, 40, 8);
		const char *const gpu[] = { "V100-SXM2-16GB", "T4" };
		for (int i = 0; i < 2; i++)
			*vec_push(&own.v) =
				(struct own_speed){ .workload = "Ranker",
						    .run = "",
						    .gpu = catalog_gpu(x.cat, sv_of(gpu[i])),
						    .gpus = 1,
						    .speed = i ? t4_speed[k] * 10 : 10,
						    .at_ms = UNKNOWN_MS };
		x.conf.own = &own;
		fix_ask(&x, LEVER_RIGHTSIZE_GPU);
		bool t4 = false;
		for (size_t i = 0; i < x.out.v.n; i++)
			for (size_t j = 0; j < x.out.v.v[i]->change.n; j++) {
				const struct rec_change *c = &x.out.v.v[i]->change.v[j];
				if (strcmp(c->after.gpu_model, "T4") != 0)
					continue;
				t4 = true;
				assert_float_equal(c->after.slowdown, 1 / t4_speed[k], 1e-9);
				assert_int_equal(x.out.v.v[i]->change.n, 6);
			}
		assert_int_equal(t4, k == 1);
		vec_free(&own.v);
		fix_close(&x);
	}
}

/* An H100 at 6.88 $ where a V100 is 3.06 $: four times as fast is cheaper for a run, twice is not.
 * All other GPUs were measured slow. */
static void a_costlier_gpu_that_ends_sooner(void **state)
{
	const double speed[] = { 2, 4 };
	const struct gpu_spec *g;
	for (int k = 0; k < 2; k++) {
		struct fix x;
		struct own_speeds own = { 0 };
		open_with(&x, 6, 95, 8);
		for (size_t i = 0; (g = catalog_gpu_at(x.cat, i)); i++) {
			double v = !strcmp(g->model, "V100-SXM2-16GB") ? 10 : 1;
			if (!strcmp(g->model, "H100-SXM5-80GB"))
				v = 10 * speed[k];
			*vec_push(&own.v) = (struct own_speed){ .workload = "ranker",
								.run = "",
								.gpu = g,
								.gpus = 1,
								.speed = v,
								.at_ms = UNKNOWN_MS };
		}
		x.conf.own = &own;
		fix_ask(&x, LEVER_RIGHTSIZE_GPU);
		assert_int_equal(x.out.v.n, k);
		if (k) {
			const struct rec_change *c = &x.out.v.v[0]->change.v[0];
			const struct use *u = &x.use[c->workload];
			assert_string_equal(c->after.gpu_model, "H100-SXM5-80GB");
			assert_float_equal(c->after.slowdown, .25, 1e-9);
			assert_true(c->after.end_ms - c->after.start_ms <
				    (u->end_ms - u->start_ms) / 3);
			assert_true(c->hi_nano < u->cost_nano);
			assert_int_equal(x.out.v.v[0]->tier, TIER_TRIAL);
			assert_has(x.out.v.v[0]->title, "more expensive an hour, cheaper a run");
		}
		vec_free(&own.v);
		fix_close(&x);
	}
}

/* By a roofline only what counters explain goes faster: not utilisation alone, not small kernels.
 *  */
static void counters_explain_what_goes_faster(void **state)
{
	static const struct {
		double tensor, dram;
		bool up;
	} runs[] = {
		{ .55, .40, true }, { .05, .10, false }, { NAN, NAN, false }, { .9, NAN, false }
	};
	for (size_t k = 0; k < COUNT(runs); k++) {
		struct fix x;
		open_with(&x, 6, 97, 14);
		for (size_t i = 0; i < x.f.workload.n; i++) {
			x.f.workload.v[i].stats.tensor_mean_frac = runs[k].tensor;
			x.f.workload.v[i].stats.dram_mean_frac = runs[k].dram;
		}
		fix_ask(&x, LEVER_RIGHTSIZE_GPU);
		bool up = x.out.v.n && x.out.v.v[0]->change.v[0].after.slowdown < 1;
		assert_int_equal(up, runs[k].up);
		fix_close(&x);
	}
}

/* A T4: the next, an L4, is one and a half times as dear. */
static void on_t4(struct fix *x, double tensor)
{
	for (size_t i = 0; i < x->f.workload.n; i++) {
		struct workload *w = &x->f.workload.v[i];
		x->f.node.v[i].instance_type = w->instance_type = "g4dn.xlarge";
		x->f.node.v[i].gpu_model = w->gpu_model = "T4";
		w->cost_nano = llround(0.526e9 * hours_of(w->ms));
		w->stats.tensor_mean_frac = tensor;
		w->stats.dram_mean_frac = .04;
	}
}

/* With ever more of the time explained: nothing, then a run there decides. */
static void a_run_there_decides_what_is_close(void **state)
{
	int seen[2] = { 0 };
	for (int pct = 0; pct <= 95; pct += 5) {
		struct fix x;
		fix_open(&x, 24 * 60);
		add(&x, "ranker", 6, 100, 97, 9);
		on_t4(&x, pct / 100.0);
		fix_done(&x);
		fix_ask(&x, LEVER_RIGHTSIZE_GPU);
		if (x.out.v.n) {
			const struct rec *r = x.out.v.v[0];
			assert_true(r->advice);
			assert_int_equal(r->change.n, 0);
			assert_int_equal(r->p05_nano, 0);
			assert_true(r->p95_nano >= r->saving_nano && r->saving_nano > 0);
			assert_true(r->action.v[0].trial.even_speed_frac > 1.5);
			assert_has(r->title, "may be cheaper a run");
		}
		assert_true(!seen[1] || x.out.v.n);
		seen[x.out.v.n > 0]++;
		fix_close(&x);
	}
	assert_true(seen[0] && seen[1]);
}

static double width_of(const struct rec_change *c)
{
	return (double)(c->hi_nano - c->lo_nano) / (double)c->after.cost_nano;
}

static void counters_narrow_the_range(void **state)
{
	struct fix x;
	open_with(&x, 6, 15, 8);
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 1);
	double with = width_of(&x.out.v.v[0]->change.v[0]);
	for (size_t i = 0; i < 6; i++)
		look(&x.f.workload.v[i], 15, 8, false);
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 1);
	assert_true(width_of(&x.out.v.v[0]->change.v[0]) > with);
	fix_close(&x);
}

/* Busy all the time that it works and idle for as long after it: its speed is that of the work. */
static void speed_is_of_the_time_that_it_works(void **state)
{
	struct fix x;
	double time[2];
	open_with(&x, 6, 80, 8);
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < 6; i++) {
			struct workload_stats *s = &x.f.workload.v[i].stats;
			s->tensor_mean_frac = s->dram_mean_frac = NAN;
			s->work_util_mean_pct = 80;
			s->util_mean_pct = k ? 20 : 80; /* over all GPUs and hours */
			x.f.workload.v[i].limit_ms = x.use[i].limit_ms = 400 * MS_HOUR;
		}
		fix_ask(&x, LEVER_RIGHTSIZE_GPU);
		assert_int_equal(x.out.v.n, 1);
		time[k] = x.out.v.v[0]->change.v[0].after.slowdown;
	}
	assert_float_equal(time[0], time[1], 1e-12);
	fix_close(&x);
}

/* At the slow end the longest run must end within the least limit of all. */
static void the_slow_end_within_the_limit(void **state)
{
	struct fix x;
	open_with(&x, 6, 40, 8);
	for (size_t i = 0; i < 6; i++)
		x.f.workload.v[i].limit_ms = x.use[i].limit_ms = 400 * MS_HOUR;
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 1);
	const char *gpu = x.out.v.v[0]->change.v[0].after.gpu_model;
	int64_t need = (int64_t)(20 * MS_HOUR * x.out.v.v[0]->change.v[0].after.slowdown_hi);
	assert_true(need > 20 * MS_HOUR + MS_HOUR / 4);
	x.f.workload.v[2].limit_ms = x.use[2].limit_ms = need + MS_MINUTE;
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 1);
	assert_string_equal(x.out.v.v[0]->change.v[0].after.gpu_model, gpu);
	x.f.workload.v[2].limit_ms = x.use[2].limit_ms = need - MS_MINUTE;
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_true(!x.out.v.n || strcmp(x.out.v.v[0]->change.v[0].after.gpu_model, gpu) != 0);
	fix_close(&x);
}

/* Without a limit there is only the time by which it was wanted. */
static void later_than_wanted(void **state)
{
	struct fix x;
	open_with(&x, 6, 40, 10);
	for (size_t i = 0; i < 6; i++)
		x.f.workload.v[i].deadline_ms = x.f.workload.v[i].start_ms + 80 * MS_HOUR;
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.v[0]->replay.deadline_misses, 0);
	int64_t longest = 0;
	for (size_t k = 0; k < x.out.v.v[0]->change.n; k++) {
		const struct rec_change *c = &x.out.v.v[0]->change.v[k];
		int64_t ms = c->after.end_ms - x.use[c->workload].start_ms;
		longest = ms > longest ? ms : longest;
	}
	assert_true(longest > 20 * MS_HOUR);
	for (size_t i = 0; i < 6; i++) {
		struct workload *w = &x.f.workload.v[i];
		w->limit_ms = x.use[i].limit_ms = UNKNOWN_MS;
		w->deadline_ms = w->end_ms + (i < 4 ? 1 : longest);
	}
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 1);
	assert_int_equal(x.out.v.v[0]->replay.deadline_misses, 4);
	fix_close(&x);
}

/* Trimmed before, it may be slower and needs more than that: one new limit, within what it booked.
 *  */
static void one_limit_after_another_lever(void **state)
{
	struct fix x;
	open_with(&x, 6, 40, 8);
	for (size_t i = 0; i < 6; i++)
		x.use[i].limit_ms = 21 * MS_HOUR;
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 1);
	const struct rec *r = x.out.v.v[0];
	for (size_t i = 0; i < r->change.n; i++) {
		const struct use *u = &r->change.v[i].after;
		assert_true((double)(20 * MS_HOUR) * u->slowdown_hi <= (double)u->limit_ms);
		assert_true(u->limit_ms <= 80 * MS_HOUR);
	}
	for (size_t i = 0; i < r->action.n; i++)
		if (r->action.v[i].kind == ACTION_SUBMIT) {
			assert_true(r->action.v[i].submit.change & SUBMIT_LIMIT);
			assert_int_equal(r->action.v[i].submit.now.limit_ms,
					 r->change.v[0].after.limit_ms);
		}
	fix_close(&x);
}

/* From NVLink to PCIe it is slower than the GPU alone makes it. */
static void nvlink_is_lost(void **state)
{
	double time[2], slow[2];
	for (int k = 0; k < 2; k++) {
		struct fix x;
		fix_open(&x, 24 * 60);
		fix_runs(&x, "ranker", 6, 100, 20);
		for (size_t i = 0; i < 6; i++) {
			look(&x.f.workload.v[i], 10, 8, true);
			x.f.workload.v[i].stats.tensor_mean_frac = .01;
			x.f.workload.v[i].stats.dram_mean_frac = .02;
			x.f.workload.v[i].limit_ms = 400 * MS_HOUR;
			if (!k)
				on_one(&x, i);
		}
		fix_done(&x);
		fix_ask(&x, LEVER_RIGHTSIZE_GPU);
		assert_int_equal(x.out.v.n, 1);
		assert_string_equal(x.out.v.v[0]->change.v[0].after.gpu_model, "T4");
		time[k] = x.out.v.v[0]->change.v[0].after.slowdown;
		slow[k] = x.out.v.v[0]->change.v[0].after.slowdown_hi;
		bool told = false;
		for (size_t i = 0; i < x.out.v.v[0]->risk_text.n; i++)
			told |= strstr(x.out.v.v[0]->risk_text.v[i], "NVLink") != NULL;
		assert_int_equal(told, k);
		fix_close(&x);
	}
	assert_true(time[1] > 1.1 * time[0]);
	assert_true(slow[1] / time[1] > slow[0] / time[0]);
}

/* What the framework took says nothing of the need: the trial has to show it. */
static void preallocated_memory(void **state)
{
	struct fix x;
	bool reveals = false;
	open_with(&x, 6, 40, 15.5);
	for (size_t i = 0; i < 6; i++)
		x.f.workload.v[i].stats.mem_flat_frac = 0.97;
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 1);
	const struct rec *r = x.out.v.v[0];
	for (size_t i = 0; i < r->action.n; i++)
		reveals |= r->action.v[i].kind == ACTION_TRIAL && r->action.v[i].trial.reveals;
	assert_true(reveals);
	assert_int_equal(r->tier, TIER_TRIAL);
	fix_close(&x);
}

static void who_stays(void **state)
{
	static const char *const name[] = { "busy",  "full",   "blind",   "thin", "owned", "part",
					    "slice", "unread", "nowhere", "what", "dark" };
	struct fix x;
	fix_open(&x, 24 * 60);
	for (size_t i = 0; i < COUNT(name); i++) {
		size_t first = add(&x, name[i], 6, 100, 30, 8);
		for (size_t k = first; k < first + 6; k++) {
			struct workload *w = &x.f.workload.v[k];
			switch (i) {
			case 0: w->limit_ms = 20 * MS_HOUR + MS_MINUTE; break; /* no time */
			case 1: w->stats.mem_peak_bytes = 300 * GIB; break;
			/* one of six not read */
			case 2: w->stats.mem_peak_bytes = k == first ? NAN : 8 * GIB; break;
			case 3: w->stats.covered_frac = .3; break;
			case 4: w->elastic = false; break;  /* its cost stays */
			case 5: w->gpus_milli = 500; break; /* the machine stays */
			case 6: w->share_kind = SHARE_MIG; break;
			case 7: look(w, NAN, 8, false); break;
			case 8: w->region = "moon-1"; break;     /* nothing is sold there */
			case 9: w->gpu_model = "Voodoo2"; break; /* not in the catalogue */
			default: w->stats.work_util_mean_pct = NAN; break;
			}
		}
	}
	fix_done(&x);
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	for (size_t i = 0; i < x.out.v.n; i++)
		fail_msg("proposed: %s", x.out.v.v[i]->title);
	assert_int_equal(x.note.n, 1); /* memory not known: said */
	fix_close(&x);
}

static void opted_out(void **state)
{
	struct fix x;
	struct err err;
	open_with(&x, 6, 30, 8);
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 1);
	plan_conf_free(&x.conf);
	assert_int_equal(
		plan_conf_parse(
			"c",
			SV("version: 1\nplan: {rules: [{when: {team: vision}, opt_out: [rightsize_gpu]}]}\n"),
			&x.conf, &err),
		0);
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* Five runs in two weeks are the least. */
static void too_few_runs(void **state)
{
	static const struct {
		int runs;
		double every;
		size_t n;
	} t[] = { { 5, 84, 1 }, { 5, 83, 0 }, { 4, 200, 0 } };
	for (size_t i = 0; i < COUNT(t); i++) {
		struct fix x;
		fix_open(&x, 24 * 60);
		add(&x, "ranker", t[i].runs, t[i].every, 30, 8);
		fix_done(&x);
		fix_ask(&x, LEVER_RIGHTSIZE_GPU);
		assert_int_equal(x.out.v.n, t[i].n);
		fix_close(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_idle_jobs_move),
		cmocka_unit_test(the_fullest_run_counts),
		cmocka_unit_test(own_speeds_come_first),
		cmocka_unit_test(a_costlier_gpu_that_ends_sooner),
		cmocka_unit_test(a_run_there_decides_what_is_close),
		cmocka_unit_test(counters_explain_what_goes_faster),
		cmocka_unit_test(counters_narrow_the_range),
		cmocka_unit_test(speed_is_of_the_time_that_it_works),
		cmocka_unit_test(the_slow_end_within_the_limit),
		cmocka_unit_test(later_than_wanted),
		cmocka_unit_test(one_limit_after_another_lever),
		cmocka_unit_test(nvlink_is_lost),
		cmocka_unit_test(preallocated_memory),
		cmocka_unit_test(who_stays),
		cmocka_unit_test(opted_out),
		cmocka_unit_test(too_few_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
