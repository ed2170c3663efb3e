/* The quiet interval of a day: by hand, across midnight, and all ways on random days. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdint.h>

#include "opt/capacity/quiet.h"

static void by_hand(void **state)
{
	/* 8 to 18 busy, two of these hours more so */
	int day[24] = { 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1 };
	struct quiet q;

	(void)state;
	assert_true(quiet_find(day, &q));
	assert_true(q.from_h == 18 && q.hours == 14 && q.need == 1 && q.top == 3);
	for (int h = 0; h < 24; h++)
		day[h] = 5;
	assert_false(quiet_find(day, &q)); /* never quiet */
	day[3] = -1;
	assert_false(quiet_find(day, &q)); /* unread is not quiet */
	day[4] = 0;
	assert_true(quiet_find(day, &q));
	assert_true(q.from_h == 4 && q.hours == 1 && q.need == 0 && q.top == 5);
}

/* No interval saves more than the one that is found, and it saves what it says. */
static void all_ways(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 500; round++) {
		int peak[24], top = 0, best = 0;
		struct quiet q;
		for (int h = 0; h < 24; h++) {
			seed = seed * 1664525 + 1013904223;
			peak[h] = (int)(seed >> 24) % 9 - 1;
			top = peak[h] > top ? peak[h] : top;
		}
		for (int a = 0; a < 24; a++)
			for (int n = 1; n < 24; n++) {
				int need = 0, unread = 0;
				for (int k = 0; k < n; k++) {
					int p = peak[(a + k) % 24];
					unread |= p < 0;
					need = p > need ? p : need;
				}
				int off = unread ? 0 : n * (top - need);
				best = off > best ? off : best;
			}
		assert_int_equal(quiet_find(peak, &q), best > 0);
		if (best)
			assert_int_equal(q.hours * (q.top - q.need), best);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(all_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
