/* What tare plan is asked for: its options, and those of the last plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tm.h"
#include "cli/cmds.h"
#include "cli/plan/plan_open.h"

/* All options that change the plan, and one that only shows it. */
static const struct plan_asked_word words[] = {
	{ "lever", "spot, share" }, { "risk", "low" },    { "effort", "2.5" },
	{ "min-saving", "1,000" },  { "horizon", "90d" }, { "target-frac", "0.4" },
	{ "within", "21d" },        { "quality", NULL },  { "seed", "7" },
};
enum { WORDS = sizeof words / sizeof *words };

struct read {
	struct cli c;
	struct plan_open p;
	struct plan_given x;
	struct err err;
};

static int read_last(struct read *r, const struct plan_asked_word *w, size_t n)
{
	*r = (struct read){ .c = { .cmd = &cmd_explain_def, .until_ms = 5 } };
	r->p.last = (struct plan_last){ .found = true, .asked = { w, n, 1, 2 } };
	return plan_open_read(&r->c, &r->p, &r->x, &r->err);
}

static void the_last_plan_is_asked_for_again(void **state)
{
	struct read r;

	(void)state;
	setenv("TARE_EFFORT", "3", 1);
	assert_int_equal(read_last(&r, words, WORDS), 0);
	unsetenv("TARE_EFFORT");
	const struct plan_want *w = &r.p.q.want;
	assert_int_equal(r.x.lever.n, 2);
	assert_int_equal(w->opt.max_risk, RISK_LOW);
	assert_true(w->opt.max_effort_days == 2.5);
	assert_true(w->least_given);
	assert_int_equal(w->opt.min_saving_nano_month, 1000000000000LL);
	assert_true(w->opt.horizon_days == 90);
	assert_true(w->target_frac == 0.4);
	assert_int_equal(w->within_ms, 21 * MS_DAY);
	assert_int_equal(w->opt.seed, 7);
	assert_true(w->opt.quality_advice);
	assert_string_equal(plan_asked_words(&r.p.q.asked, &r.c.mem),
			    "--lever 'spot, share' --risk low --effort 2.5 --min-saving 1,000 "
			    "--horizon 90d --target-frac 0.4 --within 21d --quality --seed 7");
	assert_int_equal(r.p.q.asked.since_ms, 1);
	assert_ptr_equal(r.c.cmd, &cmd_explain_def);
	arena_free(&r.c.mem);
}

static void variables_of_today_do_not_count_then(void **state)
{
	struct read r;

	(void)state;
	setenv("TARE_EFFORT", "3", 1);
	assert_int_equal(read_last(&r, words, 1), 0);
	assert_true(isinf(r.p.q.want.opt.max_effort_days));
	assert_int_equal(r.p.q.want.opt.max_risk, RISK_MEDIUM);
	assert_false(r.p.q.want.least_given);
	assert_true(isnan(r.p.q.want.target_frac));
	arena_free(&r.c.mem);
	unsetenv("TARE_EFFORT");
}

static void without_a_last_plan_they_do(void **state)
{
	struct read r = { .c = { .cmd = &cmd_explain_def, .since_ms = 3, .until_ms = 5 } };

	(void)state;
	setenv("TARE_EFFORT", "3", 1);
	setenv("TARE_BY", "team", 1);
	assert_int_equal(plan_open_read(&r.c, &r.p, &r.x, &r.err), 0);
	assert_true(r.p.q.want.opt.max_effort_days == 3);
	assert_string_equal(r.x.by, "team");
	assert_string_equal(plan_asked_words(&r.p.q.asked, &r.c.mem), "--effort 3");
	assert_int_equal(r.p.q.asked.until_ms, 5);
	arena_free(&r.c.mem);
	unsetenv("TARE_EFFORT");
	unsetenv("TARE_BY");
}

static void of_another_version(void **state)
{
	static const struct plan_asked_word gone[] = { { "hats", "3" }, { "risk", "high" } },
					    lever[] = { { "lever", "hats" } };
	struct read r;

	(void)state;
	assert_int_equal(read_last(&r, gone, 2), 0);
	assert_int_equal(r.p.q.want.opt.max_risk, RISK_HIGH);
	arena_free(&r.c.mem);
	assert_true(read_last(&r, lever, 1) < 0);
	assert_string_equal(r.err.msg, "--lever: 'hats' is not a lever");
	arena_free(&r.c.mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_plan_is_asked_for_again),
		cmocka_unit_test(variables_of_today_do_not_count_then),
		cmocka_unit_test(without_a_last_plan_they_do),
		cmocka_unit_test(of_another_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
