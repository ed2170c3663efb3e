/* Demand to come, of the ledger and of a file, with projects that no history knows of. */
#include "fleet.h"

#include <errno.h>
#include <math.h>

#include "answer/plan/plan_forecast.h"

static struct forecast_answer answer(struct forecast_ask *q)
{
	struct forecast_answer a;
	struct err err = { 0 };

	q->ask = asked.ask;
	fine(answer_plan_forecast(q, &a, &err), &err);
	return a;
}

static void what_the_ledger_holds(void **state)
{
	const struct forecast_planned p[] = {
		{ "vision", "A10G", 8, T0 + H(3), T0 + H(4.5) },
		{ "nlp", "H100", 2, T0 + H(10), T0 + H(11) },
		{ "nlp", "H100", 2, T0 + H(1000), T0 + H(1001) },
	};
	struct forecast_ask q = { .horizon = 24, .planned = p, .nplanned = 3 };
	struct forecast_answer a = answer(&q);

	(void)state;
	assert_int_equal(a.from_ms, T0);
	assert_int_equal(a.n, 3);
	assert_int_equal(forecast_start_ms(&a), T0 + H(3));
	assert_false(a.any); /* three hours of history */
	assert_int_equal(a.noutside, 1);
	assert_ptr_equal(a.outside[0], &p[2]);
	assert_int_equal(a.nseries, 3);
	assert_string_equal(a.series[0].team, "nlp");
	assert_true(isnan(a.series[0].y[0])); /* known by its plan only */
	assert_true(a.series[0].planned[7] == 2);
	assert_string_equal(a.series[1].team, "search");
	assert_true(a.series[1].y[0] == 0.5 && a.series[1].y[1] == 1);
	assert_string_equal(a.series[2].team, "vision");
	assert_true(a.series[2].y[0] == 2 && a.series[2].y[2] == 0);
	assert_true(a.series[2].planned[0] == 8 && a.series[2].planned[1] == 4);
	assert_true(a.series[2].planned_max == 8);
	assert_int_equal(a.series[2].f.state, FORECAST_TOO_LITTLE);
	forecast_answer_free(&a);
}

static void no_whole_hour(void **state)
{
	struct forecast_ask q = { .ask = asked.ask, .horizon = 24 };
	struct forecast_answer a;
	struct err err = { 0 };

	(void)state;
	q.ask.since_ms = T0 + H(1.2);
	q.ask.until_ms = T0 + H(1.8);
	assert_int_equal(answer_plan_forecast(&q, &a, &err), -ENODATA);
	forecast_answer_free(&a);
}

/* Of the series and of a list of jobs, as it stands there. */
static void fractions_are_kept(void **state)
{
	struct forecast_ask q = { .horizon = 24 };
	struct str s = { 0 };

	(void)state;
	str_addz(&s, "time,units\n");
	for (int h = 0; h < 24 * 28; h++)
		str_addf(&s, "%d,0.4\n", h);
	write_text("parts.csv", str_z(&s));
	str_free(&s);
	str_addz(&s, "start,length,gpus\n");
	for (int h = 0; h < 24 * 28; h++)
		str_addf(&s, "%d,0.5,0.1\n%d,1,0.3\n", h, h);
	write_text("part-jobs.csv", str_z(&s));
	str_free(&s);
	for (q.jobs = false;; q.jobs = true) {
		q.file = asked_path(q.jobs ? "part-jobs.csv" : "parts.csv");
		struct forecast_answer a = answer(&q);
		assert_true(a.series[0].y[100] == 0.4);
		assert_true(fabs(a.series[0].f.point[7] - 0.4) < 1e-9);
		forecast_answer_free(&a);
		if (q.jobs)
			break;
	}
}

static void of_a_file(void **state)
{
	struct forecast_ask q = { .horizon = 24 };
	struct forecast_answer a;
	struct str s = { 0 };

	(void)state;
	str_addz(&s, "time,units\n");
	for (int h = 0; h < 24 * 28; h++)
		str_addf(&s, "%d,%d\n", h, h % 24 < 12 ? 2 : 6);
	write_text("demand.csv", str_z(&s));
	str_free(&s);
	q.file = asked_path("demand.csv");
	a = answer(&q);
	assert_true(a.any);
	assert_int_equal(a.nseries, 1);
	assert_null(a.series[0].team);
	assert_int_equal(a.series[0].f.horizon, 24);
	assert_true(fabs(a.series[0].f.point[0] - 2) < 0.5);
	assert_true(fabs(a.series[0].f.point[23] - 6) < 0.5);
	forecast_answer_free(&a);
	q.hours = 100;
	a = answer(&q);
	assert_int_equal(a.n, 100);
	assert_false(a.any);
	forecast_answer_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_ledger_holds),
		cmocka_unit_test(no_whole_hour),
		cmocka_unit_test(of_a_file),
		cmocka_unit_test(fractions_are_kept),
	};

	return cmocka_run_group_tests(tests, fleet_open, asked_close);
}
