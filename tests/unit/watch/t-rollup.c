/* Roll-ups: percentiles against a sorted list, merging, and the blob back to what it was; damaged
 * blobs are errors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "watch/rollup.h"

static uint64_t seed = 7;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(seed >> 33) % n;
}

static int by_size(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

/* Nearest rank on the sorted readings is what the merged histograms say, exactly. */
static void quantiles(void **state)
{
	for (int round = 0; round < 200; round++) {
		struct rollup_hist h[3] = { 0 };
		int v[600], n = 1 + (int)rnd(600);
		for (int i = 0; i < n; i++) {
			v[i] = (int)(round % 3 ? rnd(101) : rnd(2) * 100);
			rollup_hist_add(&h[rnd(2) + 1], v[i]);
		}
		rollup_hist_merge(&h[0], &h[1]);
		rollup_hist_merge(&h[0], &h[2]);
		qsort(v, (size_t)n, sizeof *v, by_size);
		static const double q[] = { 0, 0.5, 0.95, 1 };
		for (int k = 0; k < 4; k++) {
			int rank = (int)ceil(q[k] * n);
			assert_int_equal((int)rollup_hist_quantile(&h[0], q[k]),
					 v[rank ? rank - 1 : 0]);
		}
	}
	struct rollup_hist none = { 0 };
	rollup_hist_add(&none, NAN);
	assert_true(isnan(rollup_hist_quantile(&none, 0.5)) && isnan(rollup_hist_mean(&none)));
}

static void fill(struct rollup *r)
{
	static const double none[ROLLUP_KEYS] = { NAN, NAN, NAN, NAN };
	r->dev = 5;
	r->from_ms = 1790000000123;
	r->to_ms = r->from_ms + 1 + rnd(59000);
	for (int i = 0; i < 60; i++) {
		double v[METRIC_N],
			key[ROLLUP_KEYS] = { rnd(101), 1e9 * rnd(80),
					     rnd(2) ? NAN : rnd(1000) / 1000.0, 100.5 + rnd(300) };
		for (int m = 0; m < METRIC_N; m++)
			v[m] = rnd(3) ? rnd(100000) / 7.0 : m % 2 ? NAN : 42;
		rollup_add_values(r, v);
		rollup_hist_add(&r->hist, rnd(101));
		while (r->use.n < 3)
			*vec_push(&r->use) = (struct rollup_use){ .hold = (int64_t)r->use.n,
								  .share_ppb = 300000000 };
		for (size_t u = 0; u < 3; u++)
			rollup_use_add(&r->use.v[u], (enum state)(1 + rnd(STATE_N - 1)),
				       (enum cause)rnd(CAUSE_N), 1000, rnd(5) ? key : none);
	}
}

static void there_and_back(void **state)
{
	for (int round = 0; round < 50; round++) {
		struct rollup a = { 0 }, b = { 0 };
		struct str blob = { 0 }, again = { 0 };
		struct err err;
		fill(&a);
		rollup_pack(&a, &blob);
		assert_int_equal(rollup_unpack(blob.p, blob.n, &b, &err), 0);
		assert_true(b.dev == a.dev && b.from_ms == a.from_ms && b.to_ms == a.to_ms &&
			    b.use.n == a.use.n && b.hist.n == a.hist.n);
		for (size_t u = 0; u < a.use.n; u++) {
			int64_t ms = 0;
			for (size_t k = 0; k < b.use.v[u].nstate; k++)
				ms += b.use.v[u].state[k].ms;
			/* too many causes lose the cause, never a millisecond */
			assert_int_equal(ms, 60000);
		}
		rollup_pack(&b, &again);
		assert_int_equal(again.n, blob.n);
		assert_memory_equal(again.p, blob.p, blob.n);
		for (size_t n = 0; n < blob.n; n += 1 + n / 16) /* cut short */
			assert_true(rollup_unpack(blob.p, n, &b, &err) < 0);
		for (int i = 0; i < 200; i++) {
			/* changed: an error or another roll-up, no accident */
			blob.p[rnd((uint32_t)blob.n)] = (char)rnd(256);
			(void)!rollup_unpack(blob.p, blob.n, &b, &err);
		}
		rollup_free(&a);
		rollup_free(&b);
		str_free(&blob);
		str_free(&again);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(quantiles),
					    cmocka_unit_test(there_and_back) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
