/* What a plan is asked for with: words, what they say, and what is remembered of the last plan. */
#include "asked.h"

#include <errno.h>
#include <math.h>

#include "answer/plan/plan_asked.h"
#include "plan/levers.h"

static int empty(void **state)
{
	(void)state;
	return asked_open("version: 1\n", 0, NULL);
}

static void words_as_they_are_typed(void **state)
{
	const struct plan_asked_word word[] = { { "lever", "spot, share" },
						{ "risk", "low" },
						{ "quality", NULL } };
	const struct plan_asked a = { word, 3, 0, 0 }, none = { 0 };

	(void)state;
	assert_string_equal(plan_asked_words(&a, &asked.mem),
			    "--lever 'spot, share' --risk low --quality");
	assert_string_equal(plan_asked_words(&none, &asked.mem), "");
}

static void nothing_is_the_default(void **state)
{
	struct plan_want w = plan_want_default();

	(void)state;
	assert_int_equal(w.opt.levers, 0);
	assert_int_equal(w.opt.max_risk, RISK_MEDIUM);
	assert_true(isinf(w.opt.max_effort_days));
	assert_true(isnan(w.target_frac));
	assert_int_equal(w.opt.seed, 1);
}

static void levers_by_name(void **state)
{
	static const char *const good[] = { "spot", "share" }, *const bad[] = { "spot", "spott" };
	struct err err = { 0 };
	uint32_t bits;

	(void)state;
	fine(plan_levers_read(good, 2, &bits, &err), &err);
	assert_int_equal(bits, LEVER_BIT(LEVER_SPOT) | LEVER_BIT(LEVER_SHARE));
	fine(plan_levers_read(NULL, 0, &bits, &err), &err);
	assert_int_equal(bits, 0);
	assert_int_equal(plan_levers_read(bad, 2, &bits, &err), -EINVAL);
	assert_string_equal(err.msg, "--lever: 'spott' is not a lever");
	assert_string_equal(err.hint, "Did you mean 'spot'?");
}

static void the_last_plan_is_remembered(void **state)
{
	struct rec one = { .id = "spot-training" }, two = { .id = "share-search" },
		   *v[] = { &one, &two };
	struct plan p = { .rec.v = { .v = (void *)v, .n = 2 } };
	const struct plan_asked_word word[] = { { "risk", "high" }, { "quality", NULL } };
	const struct plan_asked a = { word, 2, INT64_MIN, T0 };
	const char *dir = asked_path("store");
	struct plan_last last;
	struct err err = { 0 };

	(void)state;
	plan_last_read(dir, "", &asked.mem, &last);
	assert_false(last.found);
	assert_null(plan_last_id(&last, "1", &err));
	assert_string_equal(err.msg, "no plan was made yet: there is no number 1");
	plan_last_keep(dir, &a, &p);
	plan_last_read(dir, "", &asked.mem, &last);
	assert_true(last.found);
	assert_int_equal(last.n, 2);
	assert_string_equal(plan_last_id(&last, "2", &err), "share-search");
	assert_string_equal(plan_last_id(&last, "a-word", &err), "a-word");
	assert_null(plan_last_id(&last, "3", &err));
	assert_string_equal(err.msg, "the last plan has no number 3: it ends at 2");
	assert_string_equal(plan_asked_words(&last.asked, &asked.mem), "--risk high --quality");
	assert_true(last.asked.since_ms == INT64_MIN);
	assert_true(last.asked.until_ms == T0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_as_they_are_typed),
		cmocka_unit_test(nothing_is_the_default),
		cmocka_unit_test(levers_by_name),
		cmocka_unit_test(the_last_plan_is_remembered),
	};

	return cmocka_run_group_tests(tests, empty, asked_close);
}
