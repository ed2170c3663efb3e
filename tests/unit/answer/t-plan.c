/* A plan of a small history: what it costs today, decisions that shape it, its progress. */
#include "fleet.h"

#include <errno.h>
#include <math.h>

#include "answer/plan/plan.h"

static struct plan_conf conf;

static int set_up(void **state)
{
	struct err err = { 0 };
	int r = fleet_open(state);

	fine(plan_conf_load(NULL, &conf, &err), &err);
	return r;
}

static int tear_down(void **state)
{
	plan_conf_free(&conf);
	return asked_close(state);
}

struct told {
	int tables, steps, over;
};

static void tell(void *ctx, const char *label, int64_t rows)
{
	struct told *t = ctx;

	(void)rows;
	t->over += !label;
	t->tables += label != NULL;
}

static void step(void *ctx, const char *what, const char *unit, int64_t done, int64_t of)
{
	struct told *t = ctx;

	(void)unit;
	assert_true(*what && done <= of);
	t->steps++;
}

static struct plan_ask ask(struct told *told)
{
	struct plan_ask q = { .ask = asked.ask,
			      .catalog = asked.catalog,
			      .conf = &conf,
			      .asked = { .since_ms = INT64_MIN, .until_ms = INT64_MAX },
			      .want = plan_want_default(),
			      .progress = tell,
			      .ctx = told,
			      .watch = { step, told } };

	return q;
}

static void today_is_what_the_ledger_says(void **state)
{
	struct told told = { 0 };
	struct plan_ask q = ask(&told);
	struct plan_answer a;
	struct err err = { 0 };
	dec saved = 0;

	(void)state;
	fine(answer_plan(&q, &a, &err), &err);
	assert_true(a.has_fleet && a.has_plan);
	assert_int_equal(a.fleet.since_ms, T0);
	assert_int_equal(a.fleet.until_ms, T0 + H(3));
	assert_int_equal(a.plan.baseline_nano, a.fleet.cost_nano);
	for (size_t i = 0; i < a.plan.rec.v.n; i++)
		saved += a.plan.saving_month.v[i];
	assert_true(saved == a.plan.baseline_month - a.plan.after_month);
	assert_true(told.steps == 1 && told.over == 1); /* three hours: no lever is asked */
	assert_ptr_equal(a.conf.own, &a.own);
	assert_int_equal(plan_place(&a.plan, "no-such-thing"), SIZE_MAX);
	plan_answer_free(&a);
}

static void what_was_dismissed_is_known(void **state)
{
	const struct plan_mark no = { "spot-training", PLAN_DISMISSED, "no", "ann", T0 },
			       yes = { "share-search", PLAN_ACCEPTED, "", "ann", T0 };
	struct told told = { 0 };
	struct plan_ask q = ask(&told);
	struct plan_answer a;
	struct err err = { 0 };

	(void)state;
	fine(plan_decide(asked_path("store"), &no, &err), &err);
	fine(plan_decide(asked_path("store"), &yes, &err), &err);
	fine(answer_plan(&q, &a, &err), &err);
	assert_int_equal(a.mark.n, 2);
	assert_int_equal(a.opt.ndismissed, 1);
	assert_string_equal(a.opt.dismissed[0], "spot-training");
	plan_answer_free(&a);
}

static void the_least_saving_follows_the_cost(void **state)
{
	struct told told = { 0 };
	struct plan_ask q = ask(&told);
	struct plan_answer a;
	struct err err = { 0 };
	double month;

	(void)state;
	fine(answer_plan(&q, &a, &err), &err);
	month = (double)a.fleet.cost_nano / 3 * conf.month_hours;
	assert_true(fabs((double)a.opt.min_saving_nano_month / (month * 0.0005) - 1) < 1e-6);
	plan_answer_free(&a);
	q.want.least_given = true;
	q.want.opt.min_saving_nano_month = 12000000000LL;
	fine(answer_plan(&q, &a, &err), &err);
	assert_int_equal(a.opt.min_saving_nano_month, 12000000000LL);
	plan_answer_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(today_is_what_the_ledger_says),
		cmocka_unit_test(what_was_dismissed_is_known),
		cmocka_unit_test(the_least_saving_follows_the_cost),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
