/* What the numbers people steer by are made of. */
#include "fleet.h"

#include "answer/kpi.h"

static void parts(void **state)
{
	struct report_ask q = { .ask = asked.ask, .basis = BASIS_EFFECTIVE };
	struct kpi_answer a = { 0 };
	struct err err = { 0 };
	bool empty, job = false;
	int64_t bought_ms = 0;

	(void)state;
	fine(report_window(&q, &empty, &err), &err);
	fine(answer_kpi(&q, &a, &err), &err);
	for (size_t i = 0; i < a.njob; i++) {
		const struct report_cell *c = &a.job[i];
		if (strcmp(c->dim[KPI_JOB], "41") != 0)
			continue;
		job = true;
		assert_string_equal(c->dim[KPI_WORKLOAD], "training");
		assert_string_equal(c->dim[KPI_PROJECT], "detector");
		assert_true(c->cost == D("5.672"));
	}
	assert_true(job);
	for (size_t i = 0; i < a.nbuy; i++)
		if (a.buy[i].is_gpu) {
			assert_string_equal(a.buy[i].dim[0], "on_demand");
			bought_ms += a.buy[i].ms;
		}
	assert_int_equal(bought_ms, H(12));
	assert_int_equal(a.nalloc, 2);
	assert_int_equal(a.nservice, 1);
	assert_true(sv_is(a.service[0].service, "ranker"));
	assert_int_equal(a.service[0].count, 1500);
	assert_int_equal(a.service[0].ok, 1500);
	assert_int_equal(a.service[0].tokens_in, 60000);
	assert_int_equal(a.service[0].tokens_out, 40000);
	assert_int_equal(a.service[0].first_ms, T0 + H(40 / 60.0));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(parts) };
	return cmocka_run_group_tests(tests, fleet_open, asked_close);
}
