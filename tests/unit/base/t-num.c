/* The least, the greatest and the order of two numbers, at the ends of their types and with NAN. */
#include <math.h>
#include <stdlib.h>

#include "test.h"

#include "base/dec.h"
#include "base/num.h"
#include "base/random.h"
#include "base/sort.h"

static void ends(void **state)
{
	(void)state;
	assert_true(min_i64(INT64_MIN, INT64_MAX) == INT64_MIN);
	assert_true(max_i64(INT64_MIN, INT64_MAX) == INT64_MAX);
	assert_int_equal(cmp_i64(INT64_MIN, INT64_MAX), -1);
	assert_int_equal(cmp_i64(INT64_MAX, INT64_MIN), 1);
	assert_int_equal(cmp_i64(7, 7), 0);
	assert_int_equal(cmp_u64(UINT64_MAX, 0), 1);
	assert_int_equal(cmp_size(0, SIZE_MAX), -1);
	assert_int_equal(cmp_int(-1, 0), -1);
	assert_true(max_size(0, SIZE_MAX) == SIZE_MAX);
	assert_true(min_dec(-DEC_LIMIT, DEC_LIMIT) == -DEC_LIMIT);
	assert_int_equal(cmp_dec(DEC_LIMIT, -DEC_LIMIT), 1);
}

static void clamped(void **state)
{
	(void)state;
	assert_int_equal(clamp_int(-3, 0, 9), 0);
	assert_int_equal(clamp_int(12, 0, 9), 9);
	assert_int_equal(clamp_int(9, 0, 9), 9);
	assert_int_equal(clamp_int(4, 0, 9), 4);
	assert_true(clamp_double(1.5, 0, 1) == 1);
	assert_true(within_int(0, 0, 9) && within_int(9, 0, 9));
	assert_false(within_int(-1, 0, 9) || within_int(10, 0, 9));
	assert_true(clamp_double(-INFINITY, 0, 1) == 0);
}

static void unknown(void **state)
{
	(void)state;
	assert_true(min_double(NAN, 3) == 3);
	assert_true(isnan(min_double(3, NAN)));
	assert_true(max_double(NAN, 3) == 3);
	assert_true(isnan(max_double(3, NAN)));
	assert_true(isnan(clamp_double(NAN, 0, 1)));
	assert_false(within_double(NAN, 0, 1));
	assert_true(known_or(NAN, 2) == 2 && known_or(3, 2) == 3);
	assert_int_equal(cmp_double(NAN, 1), 0);
	assert_int_equal(cmp_double(1, NAN), 0);
}

#define SORTED(type, rising, ...)                      \
	do {                                           \
		type v[] = { __VA_ARGS__ };            \
		size_t n = sizeof v / sizeof *v;       \
		sort_items(v, n, sizeof *v, rising);   \
		for (size_t i = 1; i < n; i++)         \
			assert_true(v[i - 1] <= v[i]); \
	} while (0)

static void sorted(void **state)
{
	(void)state;
	SORTED(int64_t, rising_i64, INT64_MAX, 0, INT64_MIN, -1);
	SORTED(uint64_t, rising_u64, UINT64_MAX, 0, 1);
	SORTED(size_t, rising_size, 5, SIZE_MAX, 0);
	SORTED(double, rising_double, 0.5, -INFINITY, 2, -0.25);
}

static void nth(void **state)
{
	double v[40], sorted_v[40];
	uint64_t r = 7;

	(void)state;
	for (int round = 0; round < 500; round++) {
		size_t n = 1 + random_below(&r, 40), few = 1 + random_below(&r, 12);
		for (size_t i = 0; i < n; i++)
			sorted_v[i] = v[i] = (double)random_below(&r, few); /* some are equal */
		sort_items(sorted_v, n, sizeof *v, rising_double);
		size_t k = random_below(&r, n);
		assert_true(nth_double(v, n, k) == sorted_v[k]);
	}
}

static void parts(void **state)
{
	(void)state;
	assert_true(part_of(1, 4) == 0.25);
	assert_true(isnan(part_of(1, 0)));
	assert_true(isnan(part_of(1, -4)));
	assert_true(isnan(part_of(1, NAN)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends),   cmocka_unit_test(clamped), cmocka_unit_test(unknown),
		cmocka_unit_test(sorted), cmocka_unit_test(nth),     cmocka_unit_test(parts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
