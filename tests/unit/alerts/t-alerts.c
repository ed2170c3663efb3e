/* Alerts of the agent over views of the watch: who is notified once, restarts, silences, a receiver
 * that hangs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "../test_dir.h"
#include "../test_wait.h"
#include "alerts/alerts.h"
#include "alerts/alerts_silence.h"
#include "base/tm.h"

#define T0 1782777600000LL

struct world { /* two GPUs: one that its owner does not use, one that is free */
	struct gpu_dev gpu[2];
	struct watch_dev dev[2];
	struct watch_use use[2];
	struct allocation held;
	struct gpu_view gpus;
	struct watch_view view;
};

static void world(struct world *w)
{
	memset(w, 0, sizeof *w);
	for (int i = 0; i < 2; i++) {
		struct gpu_dev *g = &w->gpu[i];
		g->info = (struct gpu_info){ .index = i,
					     .parent = -1,
					     .gi = -1,
					     .ci = -1,
					     .mem_total_bytes = 80e9,
					     .power_limit_w = 400,
					     .temp_slowdown_celsius = NAN };
		snprintf(g->info.uuid, sizeof g->info.uuid, "GPU-%d", i);
		g->present = g->procs_known = true;
		for (int m = 0; m < METRIC_N; m++)
			g->value[m] = NAN;
		g->value[METRIC_GPU_UTIL_PCT] = i ? 80 : 0;
		g->value[METRIC_TEMP_CELSIUS] = 50;
		w->use[i] = (struct watch_use){ .held = i ? NULL : &w->held,
						.share_ppb = 1000000000,
						.util_pct = NAN,
						.mem_bytes = NAN };
		w->dev[i] = (struct watch_dev){
			.gpu = g, .model = "A100-SXM4-80GB", .use = &w->use[i], .nuse = 1
		};
	}
	w->held.job_id = SV("4711");
	w->held.team = SV("vi\x1b[31msion\n");
	w->gpus.dev = w->gpu;
	w->gpus.ndev = 2;
	w->view = (struct watch_view){
		.node = "n1",
		.gpus = &w->gpus,
		.dev = w->dev,
		.ndev = 2,
		.rate = { .known = true, .usd_gpu_hour = 2 * DEC_ONE, .currency = "USD" }
	};
}

static void minutes(struct agent_alerts *a, struct world *w, int from, int to)
{
	for (int m = from; m < to; m++) {
		w->view.t_ms = T0 + (m + 1) * MS_MINUTE;
		w->view.mono_ms = 5000 + (m + 1) * MS_MINUTE;
		w->view.step_ms = MS_MINUTE;
		agent_alerts_view(a, &w->view);
	}
}

struct shown {
	struct str text;
	int n;
};
static void show(void *ctx, const char *text)
{
	struct shown *s = ctx;

	str_addz(&s->text, text);
	s->n++;
}

static struct alerts_conf conf(const char *text)
{
	struct alerts_conf c;
	struct err err;

	if (alerts_conf_parse("t", sv_of(text), &c, &err) < 0)
		fail_msg("%s", err.msg);
	return c;
}

#define HOOK \
	"version: 1\nalerts:\n  receivers:\n    - {name: hook, kind: webhook, url: 'http://127.0.0.1:1/'}\n"

static void test_told_once(void **state)
{
	struct alerts_conf c = conf(HOOK);
	struct shown s = { 0 };
	struct world w;
	struct agent_alerts *a;
	struct err err;

	world(&w);
	assert_int_equal(agent_alerts_open(
				 &(struct agent_alerts_opt){
					 .conf = &c, .dry_run = true, .show = show, .ctx = &s },
				 T0, 5000, &a, &err),
			 0);
	minutes(a, &w, 0, 120);
	assert_int_equal(s.n, 1);
	assert_non_null(strstr(s.text.p, "\"rule\":\"gpu_held_no_process\""));
	assert_non_null(strstr(s.text.p, "\"team\":\"vi?[31msion?\""));
	assert_non_null(strstr(s.text.p, "\"node\":\"n1\",\"gpu\":\"GPU-0\""));
	str_clear(&s.text);
	struct gpu_proc p = { .pid = 7, .type = 'C' };
	w.dev[0].proc = &p, w.dev[0].nproc = 1;
	w.gpu[0].value[METRIC_GPU_UTIL_PCT] = 99;
	/* it works: over after a minute; what was held back is never told */
	minutes(a, &w, 120, 140);
	assert_int_equal(s.n, 2);
	assert_non_null(strstr(s.text.p, "\"status\":\"resolved\""));
	assert_non_null(strstr(s.text.p, "\"cost\":\"3.53\"")); /* 106 min at $2 an hour */
	w.gpu[1].present = false;
	minutes(a, &w, 140, 142);
	assert_int_equal(s.n, 3);
	assert_non_null(strstr(s.text.p, "gpu_lost"));
	agent_alerts_close(a, w.view.t_ms, w.view.mono_ms, 0);
	str_free(&s.text);
	alerts_conf_free(&c);
}

static struct agent_alerts *reopen(const struct alerts_conf *c, struct shown *s, bool dry,
				   int64_t t, int64_t mono)
{
	struct agent_alerts *a;
	struct err err;

	assert_int_equal(agent_alerts_open(&(struct agent_alerts_opt){ .conf = c,
								       .dir = test_dir,
								       .dry_run = dry,
								       .show = show,
								       .ctx = s },
					   t, mono, &a, &err),
			 0);
	assert_string_equal(err.msg, "");
	return a;
}

static int64_t count_firing;
static void count(void *ctx, const struct alert *al)
{
	count_firing += al->firing;
}

static void any_flip_is_said(const struct alerts_conf *c)
{
	struct agent_alerts_opt opt = { .conf = c, .dir = test_dir };
	struct agent_alerts *a;
	struct err err;
	char path[96], whole[8192];
	snprintf(path, sizeof path, "%s/alerts.state", test_dir);
	FILE *f = fopen(path, "r");
	size_t n = fread(whole, 1, sizeof whole, f);
	fclose(f);
	assert_true(n > 30);
	for (size_t i = 0; i <= n; i++) {
		f = fopen(path, "w");
		if (i < n)
			whole[i] ^= 4;
		fwrite(whole, 1, i < n ? n : 0, f);
		fclose(f);
		if (i < n)
			whole[i] ^= 4;
		assert_int_equal(agent_alerts_open(&opt, T0, 0, &a, &err), 0);
		assert_true(*err.msg != 0);
		agent_alerts_close(a, T0, 0, 0);
	}
}

static void test_restart(void **state)
{
	struct alerts_conf c = conf(
		"version: 1\nalerts:\n  receivers:\n    - {name: none, kind: exec, command: [/bin/true]}\n");
	struct world w;
	struct agent_alerts *a = reopen(&c, NULL, false, T0, 5000);

	world(&w);
	minutes(a, &w, 0, 40);
	agent_alerts_close(a, w.view.t_ms, w.view.mono_ms, 2000);
	a = reopen(&c, NULL, false, w.view.t_ms + 30000, w.view.mono_ms + 30000);
	count_firing = 0;
	agent_alerts_each(a, count, NULL);
	assert_int_equal(count_firing, 2); /* held without a process, and what follows from it */
	minutes(a, &w, 41, 60);
	/* nothing is told twice */
	assert_int_equal(agent_alerts_stat(a).sent + agent_alerts_stat(a).waiting, 0);
	agent_alerts_close(a, w.view.t_ms, w.view.mono_ms, 0);
	/* a state that makes no sense is quarantined */
	char path[96];
	struct err err;
	snprintf(path, sizeof path, "%s/alerts.state", test_dir);
	FILE *f = fopen(path, "w");
	fputs("tare-alerts 1 5\nrubbish rubbish rubbish\n", f);
	fclose(f);
	assert_int_equal(
		agent_alerts_open(&(struct agent_alerts_opt){ .conf = &c, .dir = test_dir }, T0, 0,
				  &a, &err),
		0);
	assert_non_null(strstr(err.msg, "line"));
	agent_alerts_close(a, T0, 0, 0);
	snprintf(path, sizeof path, "%s/alerts.state.bad", test_dir);
	assert_int_equal(access(path, R_OK), 0);
	any_flip_is_said(&c);
	alerts_conf_free(&c);
}

static void test_silences(void **state)
{
	struct alerts_conf c = conf(HOOK);
	struct shown s = { 0 };
	struct world w;
	struct agent_alerts *a;
	struct err err;
	struct arena mem = { 0 };
	struct alert_silence *v;
	size_t n;
	char id[20], other[20];

	world(&w);
	struct silence_new moving = { "job=47*,node=n1", "moving\x1b[2J", "eve", T0, T0 + MS_HOUR };
	assert_int_equal(silence_add(test_dir, &moving, id, &err), 0);
	struct silence_new brief = { "job=x", "", "", T0, T0 + MS_MINUTE };
	assert_int_equal(silence_add(test_dir, &brief, other, &err), 0);
	brief.match = "jib=x";
	assert_int_equal(silence_add(test_dir, &brief, other, &err), -22);
	assert_int_equal(silence_list(test_dir, T0 + 2 * MS_MINUTE, &mem, &v, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_string_equal(v[0].id, id);
	assert_string_equal(v[0].why, "moving?[2J");
	arena_free(&mem);
	a = NULL;
	assert_int_equal(agent_alerts_open(&(struct agent_alerts_opt){ .conf = &c,
								       .db = test_dir,
								       .dry_run = true,
								       .show = show,
								       .ctx = &s },
					   T0, 5000, &a, &err),
			 0);
	minutes(a, &w, 0, 59);
	assert_int_equal(s.n, 0);
	minutes(a, &w, 59, 61); /* its end */
	assert_int_equal(s.n, 1);
	agent_alerts_close(a, w.view.t_ms, w.view.mono_ms, 0);
	assert_int_equal(silence_remove(test_dir, id, &err), 0);
	assert_int_equal(silence_remove(test_dir, id, &err), -2);
	str_free(&s.text);
	alerts_conf_free(&c);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* A receiver that hangs does not hold up a poll, and one that works gets everything. */
static void test_hanging(void **state)
{
	char text[512], path[96];
	struct world w;

	snprintf(path, sizeof path, "%s/got", test_dir);
	snprintf(
		text, sizeof text,
		"version: 1\nalerts:\n  receivers:\n    - {name: slow, kind: exec, command: [/bin/sleep, '100'], timeout: 2s}\n"
		"    - {name: good, kind: exec, command: [/bin/sh, -c, 'cat >%s.new && mv %s.new %s'], timeout: 30s}\n",
		path, path, path);
	struct alerts_conf c = conf(text);
	struct agent_alerts *a;
	struct err err;
	int64_t began = now_ms();

	assert_int_equal(
		agent_alerts_open(&(struct agent_alerts_opt){ .conf = &c }, T0, 5000, &a, &err), 0);

	world(&w);
	minutes(a, &w, 0, 60);
	assert_true(now_ms() - began < 2000); /* before the one that hangs was given up */
	assert_true(appears(path));
	agent_alerts_close(a, w.view.t_ms, w.view.mono_ms, 0);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	char line[4096];
	assert_non_null(fgets(line, sizeof line, f));
	assert_non_null(strstr(line, "tare.notice/1"));
	assert_null(fgets(line, sizeof line, f));
	fclose(f);
	alerts_conf_free(&c);
}

/* Killed before the receiver took it: it is told after the restart, once. */
static void test_undelivered(void **state)
{
	char text[512], path[96];
	struct world w;

	snprintf(path, sizeof path, "%s/got", test_dir);
	snprintf(
		text, sizeof text,
		"version: 1\nalerts:\n  receivers:\n    - {name: good, kind: exec, command: [/bin/sh, -c, 'test -e %s.up && cat >>%s']}\n",
		path, path);
	struct alerts_conf c = conf(text);
	struct agent_alerts *a = reopen(&c, NULL, false, T0, 5000);

	world(&w);
	minutes(a, &w, 0, 40);
	agent_alerts_close(a, w.view.t_ms, w.view.mono_ms, 0); /* the receiver is not there */
	assert_int_not_equal(access(path, R_OK), 0);
	strcat(path, ".up");
	fclose(fopen(path, "w"));
	path[strlen(path) - 3] = 0;
	for (int again = 0; again < 2; again++) {
		a = reopen(&c, NULL, false, w.view.t_ms + 30000, w.view.mono_ms + 30000);
		agent_alerts_close(a, w.view.t_ms + 31000, w.view.mono_ms + 31000, 30000);
	}
	FILE *f = fopen(path, "r");
	char line[4096];
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof line, f));
	assert_non_null(strstr(line, "gpu_held_no_process"));
	assert_null(fgets(line, sizeof line, f));
	fclose(f);
	alerts_conf_free(&c);
}

/* Settings read again: what was told stays told, what fell away is forgotten, and its end goes to
 * the receivers of now. */
static void test_settings_again(void **state)
{
	struct alerts_conf old = conf(HOOK);
	struct alerts_conf new = conf(
		"version: 1\nalerts:\n  rules:\n    - {name: gpu_lost, enabled: no}\n"
		"  receivers:\n    - {name: other, kind: slack, url: 'http://127.0.0.1:1/'}\n    - {name: hook, kind: webhook, url: 'http://127.0.0.1:1/'}\n");
	struct shown s = { 0 };
	struct world w;
	struct agent_alerts *a;
	struct err err;

	world(&w);
	assert_int_equal(agent_alerts_open(
				 &(struct agent_alerts_opt){
					 .conf = &old, .dry_run = true, .show = show, .ctx = &s },
				 T0, 5000, &a, &err),
			 0);
	minutes(a, &w, 0, 60);
	assert_int_equal(s.n, 1);
	agent_alerts_use(a, &new);
	assert_ptr_equal(agent_alerts_conf(a), &old);
	minutes(a, &w, 60, 61);
	assert_ptr_equal(agent_alerts_conf(a), &new);
	alerts_conf_free(&old);
	count_firing = 0;
	agent_alerts_each(a, count, NULL);
	assert_int_equal(count_firing, 2);
	w.gpu[1].present = false; /* the rule for that is off now */
	minutes(a, &w, 61, 100);
	assert_int_equal(s.n, 2); /* the new receiver; the old one knows */
	assert_non_null(strstr(s.text.p, "\"attachments\""));
	struct gpu_proc p = { .pid = 7, .type = 'C' };
	w.dev[0].proc = &p, w.dev[0].nproc = 1;
	w.gpu[0].value[METRIC_GPU_UTIL_PCT] = 99;
	minutes(a, &w, 100, 120);
	assert_int_equal(s.n, 4); /* it is over: both are told */
	agent_alerts_close(a, w.view.t_ms, w.view.mono_ms, 0);
	str_free(&s.text);
	alerts_conf_free(&new);
}

/* While a receiver is being told, the settings that it was told by stay; nobody waits for that.
 * What waits is kept and told once. */
static void test_settings_again_while_sending(void **state)
{
	char text[512], path[96], begun[112], go[112];
	struct world w;

	snprintf(path, sizeof path, "%s/got", test_dir);
	snprintf(
		text, sizeof text,
		"version: 1\nalerts:\n  receivers:\n    - {name: good, kind: exec, command: [/bin/sh, -c, ': >%s.begun; until test -e %s.go; do sleep 0.02; done; cat >>%s'], timeout: 60s}\n",
		path, path, path);
	snprintf(begun, sizeof begun, "%s.begun", path);
	snprintf(go, sizeof go, "%s.go", path);
	struct alerts_conf old = conf(text), new = conf(text);
	struct agent_alerts *a;
	struct err err;

	assert_int_equal(
		agent_alerts_open(&(struct agent_alerts_opt){ .conf = &old }, T0, 5000, &a, &err),
		0);
	world(&w);
	minutes(a, &w, 0, 40);
	assert_true(appears(begun));
	agent_alerts_use(a, &new);
	minutes(a, &w, 40, 42); /* come back, though the receiver does not before it is told to */
	assert_ptr_equal(agent_alerts_conf(a), &old);
	fclose(fopen(go, "w"));
	int64_t began = now_ms();
	for (int m = 42; agent_alerts_conf(a) != &new &&now_ms() - began < 30000; m++) {
		minutes(a, &w, m, m + 1);
		usleep(10000);
	}
	assert_ptr_equal(agent_alerts_conf(a), &new);
	alerts_conf_free(&old);
	agent_alerts_close(a, w.view.t_ms, w.view.mono_ms, 30000);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	char line[4096];
	assert_non_null(fgets(line, sizeof line, f));
	assert_non_null(strstr(line, "gpu_held_no_process"));
	assert_null(fgets(line, sizeof line, f));
	fclose(f);
	alerts_conf_free(&new);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_told_once, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_restart, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_silences, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_hanging, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_undelivered, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_settings_again, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_settings_again_while_sending, fresh_dir,
						remove_dir),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
