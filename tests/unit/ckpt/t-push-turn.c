/* Which of two checkpoints gets what is left of a notice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include "ckpt/push_turn.h"

#define MB 1000000ULL

/* 10 MB/s, 25 % and 2 s of margin: b MB take b / 8 + 2 s. */
static struct push_turn at(int64_t left_ms, uint64_t old_left, uint64_t new_now, uint64_t new_after)
{
	return (struct push_turn){ .bytes_s = 1e7,
				   .left_ms = left_ms,
				   .margin_frac = 0.25,
				   .margin_ms = 2000,
				   .old_left = old_left * MB,
				   .new_now = new_now * MB,
				   .new_after = new_after * MB };
}

static void need(void **st)
{
	struct push_turn t = at(0, 0, 0, 0);

	assert_int_equal(push_need_ms(&t, 80 * MB), 12000);
	t.answer_ms = 100;
	assert_int_equal(push_need_ms(&t, 80 * MB), 12750);
	t.bytes_s = NAN;
	assert_int_equal(push_need_ms(&t, 1), -1);
	t.bytes_s = 0;
	assert_int_equal(push_need_ms(&t, 1), -1);
}

static void turns(void **st)
{
	struct push_turn t = at(12000, 40, 40, 40);

	assert_false(push_turn_cut(&t)); /* both, just so */
	t = at(11999, 40, 40, 40);
	assert_true(push_turn_cut(&t)); /* the newer one alone */
	t = at(12000, 40, 80, 40);
	/* what both have is sent once: first the older one costs nothing */
	assert_false(push_turn_cut(&t));
	t = at(7000, 40, 80, 40);
	assert_false(push_turn_cut(&t)); /* only the older one fits */
	t = at(6999, 40, 80, 40);
	assert_false(push_turn_cut(&t)); /* none does: the one that needs less */
	t = at(6999, 80, 41, 41);
	assert_true(push_turn_cut(&t));
	t = at(-5, 1, 1, 1);
	assert_false(push_turn_cut(&t)); /* too late for both: no change of mind */
	t = at(1000, 80, 1, 1);
	t.bytes_s = NAN;
	assert_false(push_turn_cut(&t));
}

/* With more time left the answer never turns from safe to unsafe: what is chosen fits whenever
 * anything does. */
static void fits(void **st)
{
	for (uint64_t o = 0; o < 60; o += 7)
		for (uint64_t after = 0; after < 60; after += 7)
			for (uint64_t shared = 0; shared <= o; shared += 7)
				for (int64_t left = 0; left < 20000; left += 500) {
					struct push_turn t = at(left, o, after + shared, after);
					bool cut = push_turn_cut(&t),
					     old = push_need_ms(&t, t.old_left) <= left,
					     new = push_need_ms(&t, t.new_now) <= left;
					bool both = push_need_ms(&t, t.old_left + t.new_after) <=
						    left;
					if (new) /* the newest whenever it can be had */
						assert_true(cut || both);
					else if (old)
						assert_false(cut);
				}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(need), cmocka_unit_test(turns),
					    cmocka_unit_test(fits) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
