/* Causes in a file of readings, a window after the other; no store is needed. */
#include <errno.h>

#include "asked.h"

#include "answer/samples.h"

static int open_catalog(void **state)
{
	struct err err = { 0 };

	fine(catalog_open(NULL, &asked.catalog, &err), &err);
	return fresh_dir(state);
}

/* Twenty minutes, a reading a second: n1 waits for its loaders, then works; of n2 too little is
 * known. */
static void write_readings(const char *name)
{
	struct str s = { 0 };

	str_addz(&s, "time,node,gpu,job_id,gpu_model,gpu_util_pct,sm_active_frac,"
		     "dram_active_frac,tensor_active_frac,power_w,loaders,loader_cpu_pct,"
		     "main_cpu_pct,step_s\n");
	for (int i = 0; i < 1200; i++) {
		const char *busy = i < 600 ? "40,0.36,0.2,0.2,200,4,390,45"
					   : "97,0.9,0.5,0.5,380,4,150,99";
		for (int node = 1; node <= 2; node++)
			str_addf(&s, "2024-10-01T00:%02d:%02dZ,n%d,0,%s,A100-SXM4-80GB,%s,1\n",
				 i / 60, i % 60, node, node == 1 ? "train" : "odd",
				 node == 1 ? busy : "35,,,,,,,");
	}
	write_text(name, str_z(&s));
	str_free(&s);
}

struct seen {
	int n, found;
	int64_t from_ms;
};

static void on_window(void *ctx, const struct samples_window *w)
{
	struct seen *s = ctx;

	s->n++;
	assert_int_equal(w->ngpu, 1);
	if (w->r->verdict != DIAG_FOUND)
		return;
	s->found++;
	s->from_ms = w->from_ms;
	assert_true(sv_is(w->node, "n1") && sv_is(w->job, "train"));
	assert_int_equal(w->r->finding[0].cause, DIAG_CPU);
}

static void windows(void **state)
{
	struct seen seen = { 0 };
	struct samples_ask q = { .ask = { .catalog = asked.catalog, .mem = &asked.mem },
				 .file = asked_path("s.csv"),
				 .window_ms = H(1) / 6,
				 .window = on_window,
				 .ctx = &seen };
	struct samples_answer a;
	struct err err = { 0 };

	(void)state;
	write_readings("s.csv");
	fine(answer_samples(&q, &a, &err), &err);
	assert_int_equal(a.windows, 4);
	assert_int_equal(a.window_ms, H(1) / 6);
	assert_int_equal(a.gpus, 2);
	assert_int_equal(a.verdict[DIAG_HEALTHY].n, 1);
	assert_int_equal(a.verdict[DIAG_FOUND].n, 1);
	assert_int_equal(a.verdict[DIAG_UNKNOWN].n, 2);
	assert_int_equal(a.cause[DIAG_CPU].n, 1);
	assert_true(a.cause[DIAG_CPU].lost_h > 0.09 && a.cause[DIAG_CPU].lost_h < 0.11);
	assert_true(a.nmissing > 0);
	assert_int_equal(a.missing[0].n, 2);
	assert_int_equal(seen.n, 4);
	assert_int_equal(seen.found, 1);
	assert_int_equal(seen.from_ms, T0);
}

static void what_cannot_be_read(void **state)
{
	struct samples_ask q = { .ask = { .mem = &asked.mem }, .window_ms = H(1) };
	struct samples_answer a;
	struct err err = { 0 };

	(void)state;
	q.file = asked_path("gone.csv");
	assert_int_equal(answer_samples(&q, &a, &err), -ENOENT);
	write_text("bad.csv", "a,b\n1,2\n");
	q.file = asked_path("bad.csv");
	assert_true(answer_samples(&q, &a, &err) < 0);
	write_text("soon.csv", "time,gpu,gpu_util_pct\nsoon,0,5\n");
	q.file = asked_path("soon.csv");
	assert_true(answer_samples(&q, &a, &err) < 0);
	assert_non_null(strstr(err.msg, "line 2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(windows),
					    cmocka_unit_test(what_cannot_be_read) };
	return cmocka_run_group_tests(tests, open_catalog, asked_close);
}
