/* A job on spot machines: where, in what order, and what past attempts say of a place. */
#include "asked.h"

#include <errno.h>
#include <math.h>

#include "answer/plan/plan_spot.h"

static struct plan_spot_ask ask(void)
{
	struct plan_spot_ask q;

	plan_spot_ask_init(&q);
	q.ask.mem = &asked.mem;
	q.work_h = 20;
	q.runs = 400;
	return q;
}

static void one_place(void **state)
{
	struct plan_spot_ask q = ask();
	struct plan_spot a, again;
	struct err err = { 0 };

	(void)state;
	q.od_usd_h = 3;
	q.spot_usd_h = 1;
	q.rate.hazard_h = 0.1;
	fine(answer_plan_spot(&q, &a, &err), &err);
	assert_true(a.on_spot && a.nplace == 1 && a.nused == 1 && a.chosen);
	assert_true(a.mtbi_h == 10 && a.every_h > 0 && a.every_h < 10);
	assert_true(a.out.usd > 20 && a.out.usd < 60 && a.out.od_usd >= 60);
	fine(answer_plan_spot(&q, &again, &err), &err);
	assert_true(a.out.usd == again.out.usd);

	q.spot_usd_h = 4;
	fine(answer_plan_spot(&q, &a, &err), &err);
	assert_false(a.on_spot);
	assert_string_equal(a.why, "spot would be more expensive");

	q.rate.hazard_h = 0;
	assert_int_equal(answer_plan_spot(&q, &a, &err), -ENODATA);
	q.spot_usd_h = NAN;
	assert_int_equal(answer_plan_spot(&q, &a, &err), -EINVAL);
}

static void several_places(void **state)
{
	struct plan_spot_named named[] = {
		{ "dear", 2, NAN, { 0.01, NAN, NAN } },
		{ "cheap", 1, 4, { 0.05, NAN, NAN } },
	};
	struct plan_spot_ask q = ask();
	struct plan_spot a;
	struct err err = { 0 };

	(void)state;
	q.named = named;
	q.nnamed = 1;
	assert_int_equal(answer_plan_spot(&q, &a, &err), -EINVAL); /* nothing on demand */
	q.nnamed = 2;
	q.od_usd_h = 5;
	q.deadline_h = 30;
	fine(answer_plan_spot(&q, &a, &err), &err);
	assert_true(a.on_spot && a.nplace == 2 && a.away_h == 1);
	assert_string_equal(a.place[0].name, "cheap");
	assert_int_equal(a.place[0].rank, 1);
	assert_string_equal(a.od_name, "cheap");
	named[0].name = "cheap";
	assert_int_equal(answer_plan_spot(&q, &a, &err), -EINVAL); /* twice */
}

static void seen_there_counts_there(void **state)
{
	const struct spot_spell spell[] = { { 36000000, true, "us/a" } };
	const struct spot_seen seen = { .known = true,
					.attempts = 2,
					.interruptions = 2,
					.hours = 18,
					.spell = spell,
					.nspell = 1 };
	struct plan_spot_named named[] = {
		{ "a", 1, NAN, { 0.1, NAN, NAN } },
		{ "b", 1, NAN, { 0.1, NAN, NAN } },
	};
	struct plan_spot_ask q = ask();
	struct plan_spot a;
	struct err err = { 0 };

	(void)state;
	q.named = named;
	q.nnamed = 2;
	q.od_usd_h = 3;
	q.seen = &seen;
	fine(answer_plan_spot(&q, &a, &err), &err);
	for (size_t i = 0; i < 2; i++) {
		const struct plan_spot_place *p = &a.place[i];
		bool is_a = !strcmp(p->name, "a");
		assert_true(p->all_seen == is_a);
		assert_int_equal(p->seen.interruptions, is_a ? 2 : 1);
		/* (10 + hours) / (1 + interruptions) */
		assert_true(fabs(p->mtbi_h - (is_a ? 28.0 / 3 : 9.0)) < 1e-9);
	}
}

static int tear_down(void **state)
{
	arena_free(&asked.mem);
	return remove_dir(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_place),
		cmocka_unit_test(several_places),
		cmocka_unit_test(seen_there_counts_there),
	};
	return cmocka_run_group_tests(tests, fresh_dir, tear_down);
}
