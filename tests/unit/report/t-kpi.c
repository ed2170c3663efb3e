/* KPIs from hand-made cells, allocations and request sums. */
#include "cells.h"
#include <jansson.h>
#include "report/cost/kpi.h"

/* by workload, job, run, project, service */
static const struct kpi_in *fleet(struct kpi_in *in)
{
	static struct report_cell job[7], cause[2], buy[4];
	static const char *const bought[][4] = { { "reserved_1y", "gpu", "", "" },
						 { "on_demand", "gpu", "", "" },
						 { "savings_plan", "commitment_unused", "", "" },
						 { "reserved_1y", "storage", "", "" } };
	static struct allocation a[5];
	static struct kpi_service s[2];
	static const char *const d[][5] = {
		{ "training", "j1", "r1", "p", "" },
		{ "training", "j1", "r1", "p", "" },
		{ "training", "j1", "r1", "p", "" },
		{ "training", "j2", "r1", "p", "" },
		{ "inference", "ranker", "ranker", "search", "" },
		{ "", "", "", "", "" },
		{ "training", "j3", "r3", "p", "" },
		{ "preempted" },
		{ "warm_server" },
	};
	job[0] = gpu(d[0], STATE_BUSY, H(4), "2", "USD");
	job[1] = gpu(d[1], STATE_LOST, H(1), "2", "USD");
	job[2] = line(d[2], "0.5", "USD");
	job[3] = gpu(d[3], STATE_BUSY, H(1), "2", "USD");
	job[4] = gpu(d[4], STATE_UNDERUSED, H(10), "2", "USD");
	job[5] = gpu(d[5], STATE_UNALLOCATED, H(4), "2", "USD");
	job[6] = gpu(d[6], STATE_UNKNOWN, H(5), NULL, "USD"); /* no price: no cost per job */
	cause[0] = gpu(d[7], STATE_LOST, H(1), "2", "USD");
	cause[1] = gpu(d[8], STATE_IDLE_HELD, H(1), "2", "USD");
	a[0] = (struct allocation){ .job_id = SV("j1"),
				    .state = SV("PREEMPTED"),
				    .submit_ms = T0,
				    .start_ms = T0 + H(1),
				    .end_ms = T0 + H(2) };
	a[1] = (struct allocation){ .job_id = SV("j1"),
				    .state = SV("COMPLETED"),
				    .submit_ms = T0 + H(2),
				    .start_ms = T0 + H(3),
				    .end_ms = T0 + H(7) };
	a[2] = (struct allocation){ .job_id = SV("j2"),
				    .state = SV("Pass"),
				    .submit_ms = T0,
				    .start_ms = T0,
				    .end_ms = T0 + H(1) };
	a[3] = (struct allocation){ .job_id = SV("j3"),
				    .state = SV("FAILED"),
				    .submit_ms = T0,
				    .start_ms = T0,
				    .end_ms = T0 + H(1) };
	a[4] = (struct allocation){ .job_id = SV("ranker"),
				    .submit_ms = T0,
				    .start_ms = T0,
				    .end_ms = T0 + H(9),
				    .open_end = true };
	s[0] = (struct kpi_service){ SV("search/ranker"), T0 + 90000, 1000, 800, 3000000, 1000000 };
	s[1] = (struct kpi_service){ SV("other"), T0, 5, 0, UNKNOWN_I64, UNKNOWN_I64 };
	buy[0] = gpu(bought[0], STATE_BUSY, H(5), "2", "USD");
	buy[1] = gpu(bought[1], STATE_BUSY, H(20), "2", "USD");
	buy[2] = line(bought[2], "30", "USD");
	buy[3] = line(bought[3], "7", "USD");
	*in = (struct kpi_in){ .of.buy = buy,
			       .of.nbuy = 4,
			       .of.job = job,
			       .of.njob = 7,
			       .of.cause = cause,
			       .of.ncause = 2,
			       .of.alloc = a,
			       .of.nalloc = 5,
			       .of.service = s,
			       .of.nservice = 2,
			       .since_ms = T0,
			       .until_ms = T0 + MS_DAY,
			       .basis = BASIS_EFFECTIVE };
	return in;
}

static char *print(const struct kpi_in *in, enum out_format f)
{
	struct str out = { 0 };
	struct err err = { 0 };
	if (kpi_print(in, f, &out, &err) < 0)
		fail_msg("%s", err.msg);
	return out.p;
}

static void is(json_t *o, const char *key, const char *want)
{
	json_t *v = json_object_get(o, key);
	if (!want)
		assert_true(json_is_null(v));
	else
		assert_string_equal(json_string_value(v), want);
}

static void json_values(void **st)
{
	(void)st;
	struct kpi_in in;
	char *t = print(fleet(&in), OUT_JSON);
	json_t *j = json_loads(t, JSON_REJECT_DUPLICATES, NULL), *x;

	assert_non_null(j);
	is(j, "schema", "tare.kpi/1");
	is(j, "paid_gpu_seconds", "90000"); /* 25 h */
	assert_true(json_real_value(json_object_get(j, "utilisation_frac")) == 0.2);
	assert_true(json_real_value(json_object_get(j, "allocation_frac")) == 0.84);
	assert_true(json_real_value(json_object_get(j, "unknown_frac")) == 0.2);
	x = json_object_get(j, "training");
	assert_int_equal(json_integer_value(json_object_get(x, "jobs")), 2);
	assert_int_equal(json_integer_value(json_object_get(x, "unpriced_jobs")), 1);
	is(x, "cost", "12.5");
	/* (4 + 1 lost) x 2 + 0.5 and 2, over two */
	is(json_object_get(x, "cost_per_job"), "mean", "6.25");
	is(json_object_get(x, "cost_per_job"), "median", "2");
	is(json_object_get(x, "cost_per_job"), "p90", "10.5");
	is(json_object_get(x, "cost_per_run"), "mean", "12.5");
	x = json_object_get(j, "time_to_value");
	is(x, "median_s", "3600");
	is(x, "p90_s", "25200"); /* j1: its first submit, its second end */
	assert_int_equal(json_integer_value(json_object_get(x, "jobs_without_success")), 1);
	x = json_object_get(j, "lost");
	is(x, "gpu_seconds", "3600");
	is(x, "cost", "2");
	assert_int_equal(json_array_size(json_object_get(x, "causes")), 1);
	is(json_array_get(json_object_get(x, "causes"), 0), "cause", "preempted");
	x = json_object_get(j, "commitments");
	is(x, "unused_cost", "30");
	is(x, "cost", "10");
	assert_true(json_real_value(json_object_get(x, "coverage_frac")) == 0.2);
	assert_true(json_real_value(json_object_get(x, "utilisation_frac")) == 0.25);
	x = json_array_get(json_object_get(j, "services"), 0);
	is(x, "matched_by", "job");
	is(x, "cost", "20");
	is(x, "cost_per_request", "0.025");
	is(x, "cost_per_million_tokens", "5");
	is(x, "cost_per_million_tokens_in", NULL);
	is(x, "time_to_value_s", "90");
	x = json_array_get(json_object_get(j, "services"), 1);
	is(x, "cost", NULL); /* nothing in the ledger is of this service */
	is(x, "cost_per_request", NULL);
	is(x, "cost_per_million_tokens", NULL);
	json_decref(j);
	free(t);
}

/* A filter on the ledger is one on the job list too. */
static void filtered(void **st)
{
	(void)st;
	struct kpi_in in;
	fleet(&in);
	in.where = "job=j2";
	in.of.job += 3; /* the cell of j2 */
	in.of.njob = 1;
	char *t = print(&in, OUT_JSON);
	json_t *j = json_loads(t, 0, NULL), *x = json_object_get(j, "time_to_value");
	assert_int_equal(json_integer_value(json_object_get(x, "jobs")), 1);
	is(x, "median_s", "3600");
	assert_int_equal(json_integer_value(json_object_get(x, "jobs_without_success")), 0);
	json_decref(j);
	free(t);
}

static void table(void **st)
{
	(void)st;
	struct kpi_in in;
	char *t = print(fleet(&in), OUT_TABLE);
	assert_non_null(strstr(t, "1 day to 2024-10-01 · effective cost, USD\n\n"));
	assert_non_null(strstr(t, "GPU utilisation (busy)"));
	assert_non_null(strstr(t, "  preempted"));
	for (char *p = t; *p;) {
		size_t n = strcspn(p, "\n");
		assert_true(n < 120);
		p += n + (p[n] == '\n');
	}
	free(t);
	t = print(&in, OUT_CSV);
	assert_non_null(strstr(t, "USD,time-to-value,") == NULL
				? strstr(t, "USD,\"time-to-value, median\",")
				: NULL);
	free(t);
}

/* Without readings nobody knows how busy it was. */
static void no_telemetry(void **st)
{
	(void)st;
	struct report_cell job[] = { gpu(DIMS("", "j", "", "", ""), STATE_UNKNOWN, H(4), "2",
					 "USD") };
	struct kpi_in in = { .of.job = job,
			     .of.njob = 1,
			     .since_ms = UNKNOWN_MS,
			     .until_ms = UNKNOWN_MS,
			     .basis = BASIS_BILLED };
	job[0].measured_ms = H(4); /* a record says that it was paid */
	char *t = print(&in, OUT_JSON);
	json_t *j = json_loads(t, 0, NULL);
	is(j, "utilisation_frac", NULL);
	is(j, "goodput_frac", NULL);
	assert_true(json_number_value(json_object_get(j, "allocation_frac")) == 1);
	is(json_object_get(json_object_get(j, "training"), "cost_per_job"), "mean", NULL);
	is(json_object_get(j, "time_to_value"), "median_s", NULL);
	json_decref(j);
	free(t);
	job[0].measured_ms = 0; /* its job alone says so */
	t = print(&in, OUT_JSON);
	j = json_loads(t, 0, NULL);
	is(j, "allocation_frac", NULL);
	json_decref(j);
	free(t);
	in.of.njob = 0;
	t = print(&in, OUT_JSON); /* nothing at all */
	j = json_loads(t, 0, NULL);
	assert_non_null(j);
	is(j, "allocation_frac", NULL);
	json_decref(j);
	free(t);
}

static void success_words(void **st)
{
	(void)st;
	assert_true(kpi_is_success(SV("COMPLETED")));
	assert_true(kpi_is_success(SV("Pass")));
	assert_true(kpi_is_success(SV("Succeeded")));
	assert_false(kpi_is_success(SV("FAILED")));
	assert_false(kpi_is_success(SV("COMPLETING")));
	assert_false(kpi_is_success(SV_NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(json_values),
					    cmocka_unit_test(filtered), cmocka_unit_test(table),
					    cmocka_unit_test(no_telemetry),
					    cmocka_unit_test(success_words) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
