#include "opt/run/sweep.h"

#include <math.h>

#include "../base/test.h"

/* Every subset of n runs of which the first `good` are good: the part of those of size k without
 * one. */
static double part_without(size_t n, size_t good, size_t k)
{
	size_t all = 0, none = 0;

	for (unsigned set = 0; set < 1u << n; set++) {
		if ((size_t)__builtin_popcount(set) != k)
			continue;
		all++;
		none += !(set & ((1u << good) - 1));
	}
	return (double)none / (double)all;
}

static void how_many_runs(void **state)
{
	for (size_t n = 1; n <= 14; n++)
		for (size_t good = 1; good <= n; good++) {
			size_t k = 1;
			while (part_without(n, good, k) > 0.05 + 1e-12)
				k++;
			assert_int_equal(sweep_needed(n, good, 0.95), k);
		}
	/* Bergstra and Bengio: 60 of very many find the best 5 % with 95 % */
	assert_int_equal(sweep_needed(1000000, 50000, 0.95), 59);
}

static uint64_t state_;

static double draw(void)
{
	state_ = state_ * 6364136223846793005u + 1442695040888963407u;
	return (double)(state_ >> 11) / 9007199254740992.0;
}

static void against_a_count(void **state)
{
	struct sweep_run r[20];

	state_ = 5;
	for (int turn = 0; turn < 300; turn++) {
		size_t n = 1 + (size_t)(draw() * 20), m = 0, first = 0;
		bool higher = turn % 2;
		double best = higher ? -INFINITY : INFINITY, cost = 0, after = 0;
		struct sweep_gain g;
		for (size_t i = 0; i < n; i++) {
			int64_t start = (int64_t)(draw() * 1000);
			r[i] = (struct sweep_run){ .result = 1 + 0.05 * draw(),
						   .start_ms = start,
						   .end_ms = 1000 + (int64_t)i * 100,
						   .cost = draw() };
			best = higher ? fmax(best, r[i].result) : fmin(best, r[i].result);
			cost += r[i].cost;
		}
		for (size_t i = n; i-- > 0;)
			if (fabs(r[i].result - best) <= 0.01 * best) {
				m++;
				first = i;
			}
		for (size_t i = 0; i < n; i++) /* a millisecond at a time */
			for (int64_t t = r[i].start_ms; t < r[i].end_ms; t++)
				if (t >= r[first].end_ms)
					after += r[i].cost / (double)(r[i].end_ms - r[i].start_ms);
		sweep_judge(n, r, higher, 0.01, 0.95, &g);
		assert_int_equal(g.near_runs, m);
		assert_int_equal(g.first, first + 1);
		assert_true(fabs(g.cost - cost) < 1e-9 && fabs(g.after_cost - after) < 1e-6);
		assert_true(fabs(g.beyond_cost - cost * (double)(n - g.needed) / (double)n) < 1e-9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(how_many_runs),
		cmocka_unit_test(against_a_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
