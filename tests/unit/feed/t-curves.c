/* Curves of training runs, in each format that they come in. */
#include <errno.h>

#include "rows_fix.h"

#include "feed/readings/curves.h"
#include "../test_dir.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-12)

static void point_is(const struct curve_point *p, const char *run, const char *metric, int64_t step,
		     int64_t t_ms, double value)
{
	assert_true(sv_is(p->run, run));
	assert_true(sv_is(p->metric, metric));
	assert_int_equal(p->step, step);
	assert_int_equal(p->t_ms, t_ms);
	NEAR(p->value, value);
}

static void own_table(void **state)
{
	struct got g;

	got_text(&g, NULL,
		 "run,metric,step,value,time,job,config,better\n"
		 "r1,val_loss,0,1.5,2026-06-01T00:00:00Z,7,lr=1,lower\n"
		 "r1,val_loss,1,NaN,,7,,\n"
		 "r1,val_loss,2,-inf,,7,,\n"
		 ",acc,-3,0.5,,8,,HIGHER\n",
		 NULL);
	assert_int_equal(g.rc, 0);
	assert_string_equal(g.report.kind, "curves");
	assert_int_equal(g.curve.n, 2);
	assert_int_equal(g.report.rows_skipped, 2);
	point_is(&g.curve.v[0], "r1", "val_loss", 0, 1780272000000, 1.5);
	assert_true(sv_is(g.curve.v[0].job, "7") && sv_is(g.curve.v[0].config, "lr=1") &&
		    g.curve.v[0].better == BETTER_LOWER);
	point_is(&g.curve.v[1], "8", "acc", -3, UNKNOWN_MS, 0.5); /* no run: the job's */
	assert_true(g.curve.v[1].config.p == NULL && g.curve.v[1].better == BETTER_HIGHER);
	got_free(&g);
}

static void own_table_is_wrong(void **state)
{
	static const struct {
		const char *row, *field;
	} bad[] = {
		{ ",loss,0,1,,,,", "run" },
		{ "r,,0,1,,,,", "metric" },
		{ "r,loss,,1,,,,", "step" },
		{ "r,loss,1.5,1,,,,", "step" },
		{ "r,loss,1,one,,,,", "value" },
		{ "r,loss,1,1,noon,,,", "time" },
		{ "r,loss,1,1,,,,sideways", "better" },
	};
	struct got g;
	char text[200];

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(text, sizeof text,
			 "run,metric,step,value,time,job,config,better\nr,loss,0,1,,,,\n%s\n",
			 bad[i].row);
		got_text_named(&g, "test", NULL, text, NULL, UNKNOWN_MS, 5);
		assert_int_equal(g.report.rejects.n, 1);
		assert_int_equal(g.report.rejects.v[0].line, 3);
		assert_string_equal(g.report.rejects.v[0].field, bad[i].field);
		got_free(&g);
	}
	got_text(&g, NULL, "run,metric,step,value\nr,loss,0,1\nr,loss,x,1\n", NULL);
	assert_true(g.rc < 0 && strstr(g.err.msg, "line 3") && strstr(g.err.msg, "step"));
	got_free(&g);
}

static void wandb(void **state)
{
	struct got g;

	got_text_named(&g, "exports/fine-owl.csv", NULL,
		       "_step,_timestamp,_runtime,loss,acc,note,system.gpu.0.temp\n"
		       "0,1780272000.5,1,0.5,0.1,first,40\n"
		       "1,1780272001.5,2,nan,,,41\n",
		       (const char *const[]){ "job=4711", NULL }, UNKNOWN_MS, 0);
	assert_int_equal(g.rc, 0);
	assert_string_equal(g.report.kind, "wandb");
	assert_int_equal(g.curve.n, 2);
	assert_int_equal(g.report.rows_skipped, 1);
	point_is(&g.curve.v[0], "fine-owl", "loss", 0, 1780272000500, 0.5);
	point_is(&g.curve.v[1], "fine-owl", "acc", 0, 1780272000500, 0.1);
	assert_true(sv_is(g.curve.v[1].job, "4711"));
	got_free(&g);
	got_text(&g, NULL, "{\"_step\":3,\"_timestamp\":1780272000,\"run\":\"a\",\"loss\":2}\n",
		 NULL);
	assert_int_equal(g.curve.n, 1);
	point_is(&g.curve.v[0], "a", "loss", 3, 1780272000000, 2);
	got_free(&g);
}

static void mlflow(void **state)
{
	struct got g;

	got_text_named(
		&g, "mlruns/3/0af2/metrics/val/loss", NULL,
		"1780272000000 0.5 0\n1780272060000 0.4 10 set digest\n1780272090000 nan 11\n",
		NULL, UNKNOWN_MS, 0);
	assert_int_equal(g.rc, 0);
	assert_string_equal(g.report.kind, "mlflow");
	assert_int_equal(g.curve.n, 2);
	point_is(&g.curve.v[0], "0af2", "val/loss", 0, 1780272000000, 0.5);
	point_is(&g.curve.v[1], "0af2", "val/loss", 10, 1780272060000, 0.4);
	got_free(&g);
	got_text_named(&g, "loss", NULL, "1780272000000 0.5 0\n", NULL, UNKNOWN_MS, 0);
	assert_true(g.rc < 0 && strstr(g.err.hint, "--set run"));
	got_free(&g);
	got_text_named(&g, "r/metrics/loss", NULL, "1780272000000 0.5 0\n1780272000000 0.5 x\n",
		       NULL, UNKNOWN_MS, 0);
	assert_true(g.rc < 0 && strstr(g.err.msg, "line 2") && strstr(g.err.msg, "step"));
	got_free(&g);
	assert_string_equal(mlflow_place("a/b/metrics/x/metrics/loss"), "x/metrics/loss");
	assert_null(mlflow_place("/metrics/loss"));
	assert_null(mlflow_place("run/metrics/"));
}

static void put_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", test_dir, folder);
	if (mkdir(path, 0700) < 0)
		assert_int_equal(errno, EEXIST);
	snprintf(path, sizeof path, "%s/%s/%s", test_dir, folder, name);
	assert_non_null(out = fopen(path, "w"));
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

/* The metric loss of a run whose files lie in test_dir. */
static void got_mlflow(struct got *g, const char *run, const char *const *set)
{
	struct input *in;
	char path[256];

	memset(g, 0, sizeof *g);
	snprintf(path, sizeof path, "%s/%s/metrics/loss", test_dir, run);
	assert_int_equal(input_open(path, &in, &g->err), 0);
	got_input(g, in, NULL, set, UNKNOWN_MS, 0);
	assert_int_equal(g->rc, 0);
	assert_int_equal(g->curve.n, 1);
}

/* Two runs of one name are two; the name ties each to its job, unless a tag says it. */
static void mlflow_names(void **state)
{
	static const char *const runs[] = { "0af2", "77b1" };
	struct got g;
	char folder[64];

	for (size_t i = 0; i < 2; i++) {
		put_file(runs[i], "meta.yaml", "");
		snprintf(folder, sizeof folder, "%s/metrics", runs[i]);
		put_file(folder, "loss", "1780272000000 0.5 0\n");
		snprintf(folder, sizeof folder, "%s/tags", runs[i]);
		put_file(folder, "mlflow.runName", "resnet");
		got_mlflow(&g, runs[i], NULL);
		assert_true(sv_is(g.curve.v[0].run, runs[i]));
		assert_true(sv_is(g.curve.v[0].job, "resnet"));
		got_free(&g);
	}
	put_file("0af2/tags", "slurm_job_id", "4711\n");
	got_mlflow(&g, "0af2", NULL);
	assert_true(sv_is(g.curve.v[0].run, "0af2") && sv_is(g.curve.v[0].job, "4711"));
	got_free(&g);
	got_mlflow(&g, "77b1", (const char *const[]){ "run=mine", NULL });
	assert_true(sv_is(g.curve.v[0].run, "mine") && !g.curve.v[0].job.n);
	got_free(&g);
}

/* One parameter "1;b=2" is not the two parameters 1 and 2. */
static void mlflow_separators(void **state)
{
	struct got one, two;

	put_file("s1", "meta.yaml", "");
	put_file("s1/metrics", "loss", "1780272000000 0.5 0\n");
	put_file("s1/params", "a", "1;b=2");
	put_file("s2", "meta.yaml", "");
	put_file("s2/metrics", "loss", "1780272000000 0.5 0\n");
	put_file("s2/params", "a", "1");
	put_file("s2/params", "b", "2");
	got_mlflow(&one, "s1", NULL);
	got_mlflow(&two, "s2", NULL);
	assert_true(sv_is(two.curve.v[0].config, "a=1;b=2"));
	assert_false(sv_eq(one.curve.v[0].config, two.curve.v[0].config));
	got_free(&one);
	got_free(&two);
}

/* A parameter of 5,000 bytes: what differs at its end is another configuration, the same is the
 * same. */
static void mlflow_long_parameters(void **state)
{
	static const char *const runs[] = { "r0", "r1", "r2", "short" };
	struct got g[4];
	char text[5001], folder[64];

	memset(text, 'x', 5000);
	text[5000] = 0;
	for (size_t i = 0; i < 4; i++) {
		put_file(runs[i], "meta.yaml", "");
		snprintf(folder, sizeof folder, "%s/metrics", runs[i]);
		put_file(folder, "loss", "1780272000000 0.5 0\n");
		snprintf(folder, sizeof folder, "%s/params", runs[i]);
		text[4999] = i == 2 ? 'b' : 'a';
		put_file(folder, "layers", i == 3 ? text + 5000 - 4096 : text);
		got_mlflow(&g[i], runs[i], NULL);
	}
	struct sv a = g[0].curve.v[0].config, b = g[2].curve.v[0].config;
	assert_true(sv_eq(a, g[1].curve.v[0].config));
	assert_false(sv_eq(a, b));
	assert_int_equal(strncmp(a.p, "layers=xxx", 10), 0);
	assert_non_null(strstr(a.p, "x... (5000 bytes, "));
	assert_int_equal(g[3].curve.v[0].config.n, strlen("layers=") + 4096);
	for (size_t i = 0; i < 4; i++)
		got_free(&g[i]);
}

/* An event file from the published format alone: a record each for a version and two scalars (one
 * as a simple value, one as a tensor), checksums worked out by a table-less CRC-32C elsewhere. */
static const unsigned char events[] = {
#include "tfevents.inc"
};

static void events_from(struct got *g, const void *p, size_t n, const char *name)
{
	struct input *in;

	memset(g, 0, sizeof *g);
	assert_int_equal(input_from_memory(name, p, n, &in, &g->err), 0);
	got_input(g, in, NULL, NULL, UNKNOWN_MS, 0);
}

static void tensorboard(void **state)
{
	struct got g;

	events_from(&g, events, sizeof events, "logs/r1/validation/events.out.tfevents.1.h");
	assert_int_equal(g.rc, 0);
	assert_string_equal(g.report.kind, "tensorboard");
	assert_int_equal(g.curve.n, 2);
	point_is(&g.curve.v[0], "logs/r1", "validation/loss", 0, 1780272001000, 1.5);
	point_is(&g.curve.v[1], "logs/r1", "validation/loss", 1, 1780272002000, 1.25);
	got_free(&g);
	events_from(&g, events, sizeof events, "events.out.tfevents.1.h");
	assert_true(sv_is(g.curve.v[0].run, "events.out.tfevents.1.h"));
	got_free(&g);
}

/* Two folders of one name are two runs; the name ties each to its job. */
static void tensorboard_names(void **state)
{
	static const struct {
		const char *path, *run, *job;
	} of[] = {
		{ "a/r1/e", "a/r1", "r1" },
		{ "b/r1/e", "b/r1", "r1" },
		{ "./b//r1/./e", "b/r1", "r1" },
		{ "/b/r1/train/e", "/b/r1", "r1" },
		{ "r1/e", "r1", "" },
		{ "train/e", "train", "" },
	};
	struct got g;

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		events_from(&g, events, sizeof events, of[i].path);
		assert_int_equal(g.curve.n, 2);
		assert_true(sv_is(g.curve.v[0].run, of[i].run));
		assert_true(sv_is(g.curve.v[0].job, of[i].job));
		got_free(&g);
	}
}

/* Cut anywhere: what came before stays, and is said. Any one bit turned: an error that names a
 * record. */
static void tensorboard_cut_and_broken(void **state)
{
	struct got g;

	for (size_t n = 12; n < sizeof events; n++) {
		events_from(&g, events, n, "logs/r1/e");
		assert_int_equal(g.rc, 0);
		assert_true(g.curve.n <= 2);
		got_free(&g);
	}
	for (size_t i = 12; i < sizeof events; i++) {
		unsigned char bad[sizeof events];
		memcpy(bad, events, sizeof events);
		bad[i] ^= 1u << i % 8;
		events_from(&g, bad, sizeof bad, "logs/r1/e");
		assert_true(g.rc < 0 && strstr(g.err.msg, "record"));
		got_free(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_table),
		cmocka_unit_test(own_table_is_wrong),
		cmocka_unit_test(wandb),
		cmocka_unit_test(mlflow),
		cmocka_unit_test(tensorboard),
		cmocka_unit_test(tensorboard_cut_and_broken),
		cmocka_unit_test(tensorboard_names),
		cmocka_unit_test_setup_teardown(mlflow_names, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(mlflow_separators, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(mlflow_long_parameters, fresh_dir, remove_dir),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
