/* Binary search against looking at each item. */
#include <string.h>

#include "test.h"

#include "rng.h"
#include "base/num.h"
#include "base/search.h"

struct item {
	int64_t from_ms;
	double price;
};

static size_t first_at_least(const struct item *v, size_t n, int64_t x)
{
	size_t i = 0;

	while (i < n && v[i].from_ms < x)
		i++;
	return i;
}

static size_t first_above(const struct item *v, size_t n, int64_t x)
{
	size_t i = 0;

	while (i < n && v[i].from_ms <= x)
		i++;
	return i;
}

static int cmp_from(const void *key, const void *item)
{
	return cmp_i64(*(const int64_t *)key, ((const struct item *)item)->from_ms);
}

struct wanted {
	const struct item *v;
	int64_t x;
};

static bool is_at_least(size_t i, const void *ctx)
{
	const struct wanted *w = ctx;

	return w->v[i].from_ms >= w->x;
}

static void as_looking(void **state)
{
	struct rng r = { 11 };
	struct item v[40];

	(void)state;
	for (int round = 0; round < 500; round++) {
		size_t n = rng_below(&r, 41);
		int64_t at = -20;
		for (size_t i = 0; i < n; i++) { /* with items that are alike */
			at += (int64_t)rng_below(&r, 3);
			v[i] = (struct item){ at, (double)at };
		}
		for (int64_t x = -22; x < 64; x++) {
			size_t lo = first_at_least(v, n, x), hi = first_above(v, n, x);
			struct wanted w = { v, x };
			size_t t = offsetof(struct item, from_ms), p = offsetof(struct item, price);
			assert_int_equal(lower_bound_i64(v, n, sizeof *v, t, x), lo);
			assert_int_equal(upper_bound_i64(v, n, sizeof *v, t, x), hi);
			assert_int_equal(lower_bound_double(v, n, sizeof *v, p, (double)x), lo);
			assert_int_equal(upper_bound_double(v, n, sizeof *v, p, (double)x), hi);
			assert_int_equal(lower_bound(&x, v, n, sizeof *v, cmp_from), lo);
			assert_int_equal(search_first(n, is_at_least, &w), lo);
		}
	}
}

static void ends(void **state)
{
	const int64_t v[] = { INT64_MIN, 0, INT64_MAX };

	(void)state;
	assert_int_equal(lower_bound_i64(NULL, 0, sizeof *v, 0, 3), 0);
	assert_int_equal(lower_bound_i64(v, 3, sizeof *v, 0, INT64_MIN), 0);
	assert_int_equal(upper_bound_i64(v, 3, sizeof *v, 0, INT64_MAX), 3);
	assert_int_equal(lower_bound_i64(v, 3, sizeof *v, 0, INT64_MAX), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_looking), cmocka_unit_test(ends) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
