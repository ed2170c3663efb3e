/* What a plan is asked for with: words, what they say, and what is remembered of the last plan. */
#include "asked.h"

#include <errno.h>
#include <math.h>

#include "answer/plan_asked.h"
#include "plan/levers.h"

static int empty(void **state)
{
	(void)state;
	return asked_open("version: 1\n", 0, NULL);
}

static void says_what_it_means(void **state)
{
	const struct plan_asked a = { .lever = "spot, share",
				      .risk = "low",
				      .effort = "2.5",
				      .min_saving = "1,000",
				      .horizon = "90d",
				      .target_frac = "0.4",
				      .within = "21d",
				      .seed = "7",
				      .quality = true };
	struct plan_want w;
	struct err err = { 0 };

	(void)state;
	fine(plan_asked_read(&a, &w, &err), &err);
	assert_int_equal(w.opt.levers, LEVER_BIT(LEVER_SPOT) | LEVER_BIT(LEVER_SHARE));
	assert_int_equal(w.opt.max_risk, RISK_LOW);
	assert_true(w.opt.max_effort_days == 2.5);
	assert_int_equal(w.opt.min_saving_nano_month, 1000000000000LL);
	assert_true(w.opt.horizon_days == 90);
	assert_true(w.target_frac == 0.4);
	assert_int_equal(w.within_ms, H(21 * 24));
	assert_int_equal(w.opt.seed, 7);
	assert_true(w.opt.quality_advice);
	assert_string_equal(plan_asked_words(&a, &asked.mem),
			    "--lever 'spot, share' --risk low --effort 2.5 --min-saving 1,000 "
			    "--horizon 90d --target-frac 0.4 --within 21d --seed 7 --quality");
}

static void nothing_is_the_default(void **state)
{
	const struct plan_asked a = { 0 };
	struct plan_want w;
	struct err err = { 0 };

	(void)state;
	fine(plan_asked_read(&a, &w, &err), &err);
	assert_int_equal(w.opt.levers, 0);
	assert_int_equal(w.opt.max_risk, RISK_MEDIUM);
	assert_true(isinf(w.opt.max_effort_days));
	assert_true(isnan(w.target_frac));
	assert_int_equal(w.opt.seed, 1);
	assert_string_equal(plan_asked_words(&a, &asked.mem), "");
}

static void wrong_words_are_named(void **state)
{
	static const struct {
		struct plan_asked a;
		const char *msg;
	} v[] = {
		{ { .lever = "spott" }, "--lever: 'spott' is no lever" },
		{ { .lever = "," }, "--lever names none" },
		{ { .risk = "none" }, "--risk: 'none' is none of low, medium, high" },
		{ { .effort = "-1" }, "--effort: '-1' is no number of days" },
		{ { .min_saving = "x" }, "--min-saving: 'x' is no amount a month" },
		{ { .within = "3d" },
		  "--target-frac and --within go together, such as "
		  "--target-frac 0.4 --within 21d" },
		{ { .target_frac = "2", .within = "3d" },
		  "--target-frac: '2' is no share between 0 and 1, such as 0.4" },
		{ { .seed = "a" }, "--seed: 'a' is no whole number" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		struct plan_want w;
		struct err err = { 0 };
		assert_int_equal(plan_asked_read(&v[i].a, &w, &err), -EINVAL);
		assert_string_equal(err.msg, v[i].msg);
	}
}

static void the_last_plan_is_remembered(void **state)
{
	struct rec one = { .id = "spot-training" }, two = { .id = "share-search" },
		   *v[] = { &one, &two };
	struct plan p = { .rec.v = { .v = (void *)v, .n = 2 } };
	const struct plan_asked a = { .risk = "high", .since_ms = INT64_MIN, .until_ms = T0 };
	const char *dir = asked_path("store");
	struct plan_last last;
	struct err err = { 0 };

	(void)state;
	plan_last_read(dir, &asked.mem, &last);
	assert_false(last.found);
	assert_null(plan_last_id(&last, "1", &err));
	assert_string_equal(err.msg, "no plan was made yet: there is no number 1");
	plan_last_keep(dir, &a, &p);
	plan_last_read(dir, &asked.mem, &last);
	assert_true(last.found);
	assert_int_equal(last.n, 2);
	assert_string_equal(plan_last_id(&last, "2", &err), "share-search");
	assert_string_equal(plan_last_id(&last, "a-word", &err), "a-word");
	assert_null(plan_last_id(&last, "3", &err));
	assert_string_equal(err.msg, "the last plan has no number 3: it ends at 2");
	assert_string_equal(last.asked.risk, "high");
	assert_null(last.asked.lever);
	assert_true(last.asked.since_ms == INT64_MIN);
	assert_true(last.asked.until_ms == T0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_it_means),
		cmocka_unit_test(nothing_is_the_default),
		cmocka_unit_test(wrong_words_are_named),
		cmocka_unit_test(the_last_plan_is_remembered),
	};

	return cmocka_run_group_tests(tests, empty, asked_close);
}
