/* What to commit to, from a file of demand. */
#include "asked.h"

#include <errno.h>
#include <math.h>

#include "answer/plan/plan_commit.h"

#define HOURS (24 * 60)

/* Four units all the time; hour 5 has no row. */
static int folder(void **state)
{
	struct str s = { 0 };

	if (fresh_dir(state) < 0)
		return -1;
	str_addz(&s, "time,units\n");
	for (int h = 0; h < HOURS; h++)
		if (h != 5)
			str_addf(&s, "%d,4\n", h);
	write_text("hours.csv", str_z(&s));
	str_free(&s);
	return 0;
}

static int no_folder(void **state)
{
	arena_free(&asked.mem);
	return remove_dir(state);
}

static struct commit_ask ask(void)
{
	return (struct commit_ask){ .file = asked_path("hours.csv"),
				    .upfront_cap = INFINITY,
				    .price = 1,
				    .rule = COMMIT_TARE };
}

static void gaps_count_as_nothing_and_are_told(void **state)
{
	struct commit_ask q = ask();
	struct commit_answer a;
	struct err err = { 0 };

	(void)state;
	q.term[q.nterm++] = (struct commit_term){ 240, 0.5 };
	q.compare = true;
	fine(answer_plan_commit(&q, &a, &err), &err);
	assert_int_equal(a.nhour, HOURS);
	assert_int_equal(a.gaps, 1);
	assert_true(a.demand[5] == 0 && a.demand[6] == 4);
	assert_true(a.own.on_demand_cost == 4 * (HOURS - 1));
	assert_true(a.best.cost <= a.own.cost && a.own.cost < a.own.on_demand_cost);
	assert_true(a.other[COMMIT_ON_DEMAND].cost == a.own.on_demand_cost);
	assert_true(a.other[COMMIT_TARE].cost == a.own.cost);
	commit_answer_free(&a);
}

static void offers_carry_their_upfront_money(void **state)
{
	struct commit_ask q = ask();
	struct commit_answer a;
	struct err err = { 0 };

	(void)state;
	q.price = 2;
	q.priced = true;
	q.wacc_frac = 0.1;
	q.offer[q.noffer++] = (struct portfolio_offer){ "part", 8760, 4380, 0.5 };
	q.hours = 200;
	fine(answer_plan_commit(&q, &a, &err), &err);
	assert_int_equal(a.nhour, 200);
	assert_int_equal(a.nterm, 1);
	/* 0.5 + 4380 x 1.05 / 8760 = 1.025 of 2 an hour */
	assert_true(fabs(a.term[0].rate_frac - 0.5125) < 1e-12);
	assert_int_equal(a.today.units, a.today.part[0].units);
	commit_answer_free(&a);
}

static void a_hundred_offers_are_taken(void **state)
{
	enum { OFFERS = 100 };
	struct commit_ask q = ask();
	struct commit_answer a;
	struct err err = { 0 };

	(void)state;
	q.priced = true;
	for (; q.noffer < OFFERS; q.noffer++)
		q.offer[q.noffer] = (struct portfolio_offer){ "o", 720 + 24 * (int64_t)q.noffer, 0,
							      0.9 - 0.004 * (double)q.noffer };
	fine(answer_plan_commit(&q, &a, &err), &err);
	assert_int_equal(a.nterm, OFFERS);
	/* the last is the cheapest, and demand is steady */
	assert_int_equal(a.today.part[OFFERS - 1].units, 4);
	assert_int_equal(a.today.units, 4);
	assert_int_equal(a.own.buy[0].term, OFFERS - 1);
	commit_answer_free(&a);
}

static void an_offer_costlier_than_on_demand_is_refused(void **state)
{
	struct commit_ask q = ask();
	struct commit_answer a;
	struct err err = { 0 };

	(void)state;
	q.offer[q.noffer++] = (struct portfolio_offer){ "dear", 8760, 0, 1.5 };
	assert_int_equal(answer_plan_commit(&q, &a, &err), -EINVAL);
	assert_string_equal(err.msg, "--offer: 'dear' costs 1.5 an hour with its upfront money, "
				     "and on demand 1");
	commit_answer_free(&a);
	q = ask();
	q.term[q.nterm++] = (struct commit_term){ 240, 0.5 };
	q.file = asked_path("none.csv");
	assert_int_equal(answer_plan_commit(&q, &a, &err), -ENOENT);
	commit_answer_free(&a);
}

static void a_list_of_jobs_is_demand_too(void **state)
{
	struct commit_ask q = ask();
	struct commit_answer a;
	struct err err = { 0 };

	(void)state;
	write_text("jobs.csv", "start,duration_s,gpus\n0,7200,2\n1,3600,3\n4,3600,1\n");
	q.file = asked_path("jobs.csv");
	q.jobs = true;
	q.term[q.nterm++] = (struct commit_term){ 240, 0.5 };
	fine(answer_plan_commit(&q, &a, &err), &err);
	assert_true(a.nhour >= 1);
	assert_int_equal(a.gaps, 0);
	assert_true(a.demand[0] >= 2);
	commit_answer_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_count_as_nothing_and_are_told),
		cmocka_unit_test(offers_carry_their_upfront_money),
		cmocka_unit_test(a_hundred_offers_are_taken),
		cmocka_unit_test(an_offer_costlier_than_on_demand_is_refused),
		cmocka_unit_test(a_list_of_jobs_is_demand_too),
	};

	return cmocka_run_group_tests(tests, folder, no_folder);
}
