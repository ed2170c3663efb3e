/* Results of trials as tare profile and speeds.csv tell them; verdicts kept, and scored by
 * lever. */
#include "asked.h"

#include <errno.h>
#include <math.h>

#include "answer/plan/plan_trial.h"

static int empty(void **state)
{
	(void)state;
	/* a store that nothing came into is none */
	static const struct asked_file node = {
		"nodes.csv",
		"node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour\n"
		"n1,aws,us-east-1,A100-SXM4-80GB,1,on_demand,"
		"2024-10-01T00:00:00Z,2024-10-01T04:00:00Z,4\n",
	};

	return asked_open("version: 1\n", 1, &node);
}

#define PROFILE(id, gpu, steps)                                                             \
	"{\"schema\":\"tare.profile/1\",\"id\":\"" id "\",\"workload\":\"bert\",\"start\":" \
	"\"2024-10-01T00:00:00Z\",\"elapsed_s\":200,\"exit_code\":0,\"steps_s\":" steps     \
	",\"mem_used_bytes\":{\"p99\":9e9,\"peak\":1e10},\"gpus\":[{\"gpu_model\":\"" gpu   \
	"\"}]}\n"

static void profiles_and_tables_are_read(void **state)
{
	struct trial_runs runs = { 0 };
	struct err err = { 0 };

	(void)state;
	write_text("r.json", PROFILE("p-1", "L4", "3.5") "\n" PROFILE("p-2", "T4", "1.5"));
	fine(trial_results_read(asked_path("r.json"), asked.catalog, &asked.mem, &runs, &err),
	     &err);
	assert_int_equal(runs.v.n, 2);
	assert_string_equal(runs.v.v[0].gpu->model, "L4");
	assert_string_equal(runs.v.v[1].run, "p-2");
	assert_true(runs.v.v[0].steps_s == 3.5 && runs.v.v[0].memory_bytes == 1e10);
	assert_int_equal(runs.v.v[0].at_ms, T0);
	write_text("r.csv", "workload,gpu,speed,seconds\nbert,L4,3.25,100\n");
	fine(trial_results_read(asked_path("r.csv"), asked.catalog, &asked.mem, &runs, &err), &err);
	assert_int_equal(runs.v.n, 3);
	assert_true(runs.v.v[2].steps_s == 3.25);
	vec_free(&runs.v);
}

static void what_is_no_result_is_named(void **state)
{
	static const char *const bad[] = {
		"{\"schema\":\"tare.report/1\"}",
		"{\"schema\":\"tare.profile/1\",\"gpus\":[]}",
		"{\"schema\":\"tare.profile/1\",\"gpus\":[{\"gpu_model\":\"L4\"},{\"gpu_model\":\"T4\"}]}",
		"{\"schema\":",
		"a,b\n1,2\n",
		"workload,gpu,speed\n",
	};
	struct trial_runs runs = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err err = { 0 };
		write_text("bad", bad[i]);
		assert_true(trial_results_read(asked_path("bad"), asked.catalog, &asked.mem, &runs,
					       &err) < 0);
		assert_non_null(strstr(err.msg, "bad"));
	}
	vec_free(&runs.v);
}

/* A run that is kept once is not kept again, and one that failed not at all. */
static void speeds_are_kept_once(void **state)
{
	const char *dir = asked_path("store");
	struct own_speeds own;
	struct trial_runs runs = { 0 };
	struct err err = { 0 };

	(void)state;
	write_text("r.json", PROFILE("p-1", "L4", "3.5"));
	fine(trial_results_read(asked_path("r.json"), asked.catalog, &asked.mem, &runs, &err),
	     &err);
	struct trial_run failed = runs.v.v[0];
	*vec_push(&runs.v) = failed;
	runs.v.v[1].run = "p-9";
	runs.v.v[1].exit_code = 1;
	for (int i = 0; i < 2; i++) {
		fine(own_speeds_load(dir, asked.catalog, &own, &err), &err);
		fine(trial_results_keep(dir, &own, "bert", &runs, &err), &err);
		own_speeds_free(&own);
	}
	fine(own_speeds_load(dir, asked.catalog, &own, &err), &err);
	assert_int_equal(own.v.n, 1);
	assert_true(own.v.v[0].speed == 3.5 && own.v.v[0].vram_p99_bytes == 1e10);
	own_speeds_free(&own);
	vec_free(&runs.v);
}

static void keep(const char *id, enum trial_verdict v, double told, double measured, int64_t at_ms)
{
	const struct trial_record r = { .id = id,
					.lever = "rightsize_gpu",
					.user = "ann",
					.why = "as \"seen\"",
					.verdict = v,
					.at_ms = at_ms,
					.speed_told = told,
					.speed_least = 0.4,
					.speed_frac = measured,
					.memory_bytes = NAN };
	struct err err = { 0 };

	fine(trial_record_keep(asked_path("store"), &r, &err), &err);
}

static void verdicts_are_kept_and_scored(void **state)
{
	struct plan_mark mark = { "rightsize_gpu-x", PLAN_DISMISSED, "", "ann", T0 };
	struct plan_marks marks = { &mark, 1 };
	struct trial_records all;
	struct trial_scores s;
	struct err err = { 0 };

	(void)state;
	keep("rightsize_gpu-a", TRIAL_GO, 0.5, 0.6, T0 + 1000);
	keep("rightsize_gpu-a", TRIAL_OPEN, 0.5, NAN, T0 + 2000);
	keep("rightsize_gpu-b", TRIAL_NO_GO, 0.5, 0.3, T0);
	fine(trial_records_read(asked_path("store"), &asked.mem, &all, &err), &err);
	assert_int_equal(all.n, 3);
	assert_string_equal(all.v[0].id, "rightsize_gpu-b");
	assert_string_equal(all.v[0].why, "as \"seen\"");
	assert_true(isnan(all.v[0].memory_bytes) && all.v[0].speed_frac == 0.3);
	assert_int_equal(trial_record_of(&all, "rightsize_gpu-a")->verdict, TRIAL_GO);
	assert_null(trial_record_of(&all, "rightsize_gpu-c"));
	trial_scores_make(&all, &marks, &asked.mem, &s);
	assert_int_equal(s.n, 1);
	assert_string_equal(s.v[0].lever, "rightsize_gpu");
	assert_true(s.v[0].go == 1 && s.v[0].no_go == 1 && s.v[0].open == 1);
	assert_true(s.v[0].dismissed == 1 && s.v[0].measured == 2 && s.v[0].within == 1);
	assert_true(fabs(s.v[0].speed_ratio - 0.9) < 1e-9); /* of 1.2 and 0.6 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles_and_tables_are_read),
		cmocka_unit_test(what_is_no_result_is_named),
		cmocka_unit_test(speeds_are_kept_once),
		cmocka_unit_test(verdicts_are_kept_and_scored),
	};

	return cmocka_run_group_tests(tests, empty, asked_close);
}
