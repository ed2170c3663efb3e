/* Which works a restore drill speaks for, and what is kept of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "fleet_fix.h"
#include "plan/proof/drill.h"
#include "plan/alone/habit_names.h"

static void names(void **state)
{
	assert_true(habit_name_fits("unet-7", "unet-*"));
	assert_true(habit_name_fits("unet-1.5", "unet-*"));
	assert_true(habit_name_fits("train-x7k2p", "train-*"));
	assert_true(habit_name_fits("train-x7k2p", "train-x*k*p"));
	assert_true(habit_name_fits("bert", "bert"));
	assert_false(habit_name_fits("unet-big", "unet-*"));
	assert_false(habit_name_fits("unet-7-eval", "unet-*"));
	assert_false(habit_name_fits("7", "*"));
	assert_false(habit_name_fits("", ""));
}

static struct workload *job(struct fix *x, const char *id, const char *name, int gpus)
{
	struct workload *w = fix_workload(x, WORKLOAD_JOB, id, fix_node(x, id, "c", 0, 10), gpus, 0,
					  10, 1);

	w->name = name;
	return w;
}

static int judged(struct fix *x, struct drill d, int checkpointable)
{
	struct drills all = { 0 };
	struct workload *w = &x->f.workload.v[0];

	*vec_push(&all.v) = d;
	w->checkpointable = checkpointable;
	w->drill = NULL;
	plan_apply_drills(&x->conf, &all, FIX_NOW, &x->f);
	vec_free(&all.v);
	return w->checkpointable;
}

static void speaks_for(void **state)
{
	struct fix x;
	const struct drill good = { .user = "ann",
				    .name = "unet-9",
				    .cluster = "",
				    .passed = true,
				    .at_ms = FIX_NOW - MS_DAY,
				    .gpus = 4,
				    .machines = 1 };
	struct drill d = good;

	fix_open(&x, 100);
	job(&x, "1", "unet-1", 4);
	assert_int_equal(judged(&x, d, -1), 1);
	assert_int_equal(judged(&x, d, 0), 1); /* what was seen goes before what was said */
	d.passed = false;
	assert_int_equal(judged(&x, d, 1), 0);
	d = good;
	d.user = "bob";
	assert_int_equal(judged(&x, d, -1), -1);
	d = good;
	d.user = "";
	assert_int_equal(judged(&x, d, -1), -1);
	d = good;
	d.name = "unet-big";
	assert_int_equal(judged(&x, d, -1), -1);
	d = good;
	d.gpus = 3;
	assert_int_equal(judged(&x, d, -1), -1);
	d = good;
	d.gpus = 0;
	assert_int_equal(judged(&x, d, -1), -1);
	d = good;
	d.cluster = "other";
	assert_int_equal(judged(&x, d, -1), -1);
	d = good;
	d.at_ms = FIX_NOW - 181 * MS_DAY;
	assert_int_equal(judged(&x, d, -1), -1);
	job(&x, "1", "unet-1", 4); /* on a second machine: a drill of one says nothing */
	assert_int_equal(judged(&x, good, -1), -1);
	d = good;
	d.machines = 2;
	assert_int_equal(judged(&x, d, -1), 1);
	fix_close(&x);
}

/* The newest counts, of equal times the last line. */
static void newest(void **state)
{
	struct fix x;
	struct drills all = { 0 };
	struct drill d = {
		.user = "ann", .name = "unet-9", .cluster = "", .gpus = 4, .machines = 1
	};

	fix_open(&x, 100);
	job(&x, "1", "unet-1", 4);
	d.at_ms = FIX_NOW - 2;
	d.passed = false;
	*vec_push(&all.v) = d;
	d.at_ms = FIX_NOW - 3;
	d.passed = true;
	*vec_push(&all.v) = d;
	plan_apply_drills(&x.conf, &all, FIX_NOW, &x.f);
	assert_int_equal(x.f.workload.v[0].checkpointable, 0);
	d.at_ms = FIX_NOW - 2;
	*vec_push(&all.v) = d;
	x.f.workload.v[0].drill = NULL;
	plan_apply_drills(&x.conf, &all, FIX_NOW, &x.f);
	assert_int_equal(x.f.workload.v[0].checkpointable, 1);
	vec_free(&all.v);
	fix_close(&x);
}

#define LINE                                                                                         \
	"{\"schema\":\"tare.run-drill/1\",\"time\":\"2026-11-20T00:00:00Z\",\"verdict\":\"passed\"," \
	"\"passed\":true,\"user\":\"ann\",\"name\":\"a\",\"gpus\":4,\"machines\":1,\"save_s\":0.5}\n"

/* A line that was cut stays one line, and the next is whole. */
static void cut_line(void **state)
{
	char dir[] = "/tmp/t-plan-drill.XXXXXX", path[64];
	struct drills d;
	struct err err;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/drills.jsonl", dir);
	assert_int_equal(drills_load(dir, &d, &err), 0);
	assert_int_equal(d.v.n, 0);
	drills_free(&d);
	assert_int_equal(drills_append(dir, SV(LINE), &err), 0);
	FILE *f = fopen(path, "a");
	fputs("{\"schema\":\"tare.run-drill/1\",\"verdict\":\"passed\",\"pas", f);
	fclose(f);
	assert_int_equal(drills_append(dir, SV(LINE), &err), 0);
	assert_int_equal(drills_load(dir, &d, &err), 0);
	assert_int_equal(d.v.n, 2);
	assert_int_equal(d.bad, 1);
	assert_true(d.v.v[1].passed);
	assert_float_equal(d.v.v[1].save_s, 0.5, 1e-9);
	assert_true(isnan(d.v.v[1].lost_s) && d.v.v[1].step_saved == UNKNOWN_I64);
	drills_free(&d);
	unlink(path);
	rmdir(dir);
	assert_int_equal(drills_append(dir, SV(LINE), &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(speaks_for),
		cmocka_unit_test(newest),
		cmocka_unit_test(cut_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
