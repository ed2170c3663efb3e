/* Binary search against looking at each item. */
#include "test.h"

#include "base/random.h"
#include "base/search.h"

static size_t first_at_least(const int64_t *v, size_t n, int64_t x)
{
	size_t i = 0;

	while (i < n && v[i] < x)
		i++;
	return i;
}

static void as_looking(void **state)
{
	uint64_t r = 11;
	int64_t v[40];

	(void)state;
	for (int round = 0; round < 500; round++) {
		size_t n = random_below(&r, 41);
		int64_t at = -20;
		for (size_t i = 0; i < n; i++) /* with items that are alike */
			v[i] = at += (int64_t)random_below(&r, 3);
		for (int64_t x = -22; x < 64; x++) {
			size_t lower = first_where(i, n, v[i] >= x);
			size_t upper = first_where(i, n, v[i] > x);
			assert_int_equal(lower, first_at_least(v, n, x));
			assert_int_equal(upper, first_at_least(v, n, x + 1));
		}
	}
}

static void ends(void **state)
{
	const int64_t v[] = { INT64_MIN, 0, INT64_MAX };

	(void)state;
	assert_int_equal(first_where(i, 0, v[i] >= 3), 0);
	assert_int_equal(first_where(i, 3, v[i] >= INT64_MIN), 0);
	assert_int_equal(first_where(i, 3, v[i] >= INT64_MAX), 2);
	assert_int_equal(first_where(i, 3, v[i] > INT64_MAX), 3);
}

/* n once, `is` at most log2(n) + 1 times */
static void few_looks(void **state)
{
	size_t sizes = 0, looks = 0;

	(void)state;
	assert_int_equal(first_where(i, (sizes++, 1000), (looks++, i >= 700)), 700);
	assert_int_equal(sizes, 1);
	assert_in_range(looks, 9, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_looking), cmocka_unit_test(ends),
					    cmocka_unit_test(few_looks) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
