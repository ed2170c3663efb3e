/* What the two attempts of a restore drill show, judged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "run/run.h"

static struct run_drill_part part(void)
{
	struct run_drill d;

	run_drill_init(&d);
	return d.seen;
}

/* Interrupted at 1000, safe at 1500, step 100. */
static struct run_drill_part saved(void)
{
	struct run_drill_part p = part();

	p.begun_at = 500;
	p.noticed_at = 1000;
	p.saved_at = 1500;
	p.safe_step = 100;
	p.lost_ms = 50;
	return p;
}

static void first_attempt(void **state)
{
	struct run_drill_part p = part();

	assert_int_equal(run_drill_first(&p, 0, 0), DRILL_NOT_MADE);
	p = saved();
	assert_int_equal(run_drill_first(&p, RUN_AGAIN, 0), DRILL_FINE);
	p.safe_step = -1;
	assert_int_equal(run_drill_first(&p, 143, 0), DRILL_NOT_SAVED);
	p = saved(); /* an older checkpoint, and nothing at the notice */
	p.saved_at = -1;
	assert_int_equal(run_drill_first(&p, RUN_AGAIN, 0), DRILL_LOST);
	assert_int_equal(run_drill_first(&p, RUN_AGAIN, 49), DRILL_LOST);
	assert_int_equal(run_drill_first(&p, RUN_AGAIN, 50), DRILL_FINE);
	p = saved(); /* it was done before the machine went */
	assert_int_equal(run_drill_first(&p, 0, 0), DRILL_NOT_MADE);
}

/* its first step so long after its start */
static int64_t second_ms = 200;
static enum run_drill_fault second(enum run_drill_told by, int64_t step, bool newer, bool opened,
				   bool *ret_known)
{
	struct run_drill_part a = saved(), b = part();
	enum run_drill_fault f;

	a.step_gap = 10;
	b.by = by;
	b.first_step = step;
	b.begun_at = 5000;
	b.first_at = 5000 + second_ms;
	b.newer_at = newer ? 9000 : -1;
	b.opened = opened;
	*ret_known = run_drill_second(&a, &b, &f);
	return f;
}

static void by_steps(void **state)
{
	bool known;

	assert_int_equal(second(DRILL_BY_STEP, 101, true, false, &known), DRILL_FINE);
	assert_true(known);
	assert_int_equal(second(DRILL_BY_STEP, 101, false, false, &known), DRILL_FINE);
	assert_false(known); /* it has saved nothing newer yet */
	assert_int_equal(second(DRILL_BY_STEP, 110, true, false, &known), DRILL_FINE);
	assert_int_equal(second(DRILL_BY_STEP, 111, true, false, &known), DRILL_LATER);
	assert_true(known);
	assert_int_equal(second(DRILL_BY_STEP, 99, false, false, &known), DRILL_EARLIER);
	assert_true(known); /* at once */
	assert_int_equal(second(DRILL_BY_STEP, -1, false, false, &known), DRILL_NO_STEP);
	assert_false(known);
	assert_int_equal(second(DRILL_BY_STEP, -1, true, false, &known), DRILL_NO_STEP);
	assert_true(known);
}

/* Nothing was saved at the notice, and it resumes from an earlier save or from zero. */
static void the_notice_was_ignored(void **state)
{
	struct run_drill_part a = saved(), b = part();
	enum run_drill_fault f;

	a.saved_at = -1;
	b.by = DRILL_BY_STEP;
	b.first_step = 0;
	assert_true(run_drill_second(&a, &b, &f));
	assert_int_equal(f, DRILL_IGNORED);
	assert_string_equal(run_drill_word(f), "ignored_notice");
}

static void by_saves(void **state)
{
	bool known;

	assert_int_equal(second(DRILL_BY_SAVE, 100, true, false, &known), DRILL_FINE);
	assert_int_equal(second(DRILL_BY_SAVE, 50, true, false, &known), DRILL_EARLIER);
	assert_int_equal(second(DRILL_BY_NAME, 150, true, true, &known), DRILL_FINE);
	/* the same number again, or one that grows by itself, is no step that went on */
	assert_int_equal(second(DRILL_BY_NAME, 100, true, true, &known), DRILL_EARLIER);
	assert_int_equal(second(DRILL_BY_NAME, 20261126, true, false, &known), DRILL_NOT_READ);
	/* 100 steps took a second: 150 after 1.2 could be steps from 0 */
	second_ms = 1100;
	assert_int_equal(second(DRILL_BY_NAME, 150, true, true, &known), DRILL_FINE);
	second_ms = 1200;
	assert_int_equal(second(DRILL_BY_NAME, 150, true, true, &known), DRILL_NO_STEP);
	assert_int_equal(second(DRILL_BY_SAVE, 150, true, false, &known), DRILL_NO_STEP);
	assert_int_equal(second(DRILL_BY_STEP, 101, true, false, &known), DRILL_FINE);
	second_ms = 200;
}

static void where_it_went_on(void **state)
{
	struct run_drill_part a = saved(), b = part();

	assert_int_equal(run_drill_went_on(&a, &b), -1);
	b.first_step = 101;
	assert_int_equal(run_drill_went_on(&a, &b), 100);
	b.first_step = 1;
	assert_int_equal(run_drill_went_on(&a, &b), 0);
	b.first_step = 1101;
	assert_int_equal(run_drill_went_on(&a, &b), 1100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_attempt),    cmocka_unit_test(by_steps),
		cmocka_unit_test(by_saves),         cmocka_unit_test(the_notice_was_ignored),
		cmocka_unit_test(where_it_went_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
