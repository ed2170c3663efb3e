/* Adding up the nodes of a pool: whatever comes and goes, amounts and remainder are the exact sum
 * of the nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/tm.h"
#include "book/in.h"

static uint64_t rng_state = 42;
static uint64_t rng(uint64_t n)
{
	rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
	return (rng_state >> 33) % n;
}

static struct paid_interval rated(int64_t from_ms, int64_t to_ms, dec hour)
{
	struct paid_interval q = { .from_ms = from_ms,
				   .to_ms = to_ms,
				   .currency = SV("USD"),
				   .purchase = SV("on_demand"),
				   .recorded = true,
				   .priced = PRICED_CATALOG };
	for (int b = 0; b < BASIS_N; b++)
		q.has_rate[b] = true, q.rate_node_hour[b] = hour;
	return q;
}

static void check_sum(const struct paid_node *m, __int128 want_pico_ms)
{
	__int128 got = 0;
	for (size_t i = 0; i < m->interval.n; i++) {
		const struct paid_interval *q = &m->interval.v[i];
		assert_true(tm_floor(q->from_ms, MS_HOUR) == tm_floor(q->to_ms - 1, MS_HOUR));
		assert_true(i == 0 || m->interval.v[i - 1].to_ms <= q->from_ms);
		got += (__int128)q->amount_nano[BASIS_BILLED] * 1000 * MS_HOUR;
	}
	for (size_t i = 0; i < m->rest.n; i++)
		if (m->rest.v[i].basis == BASIS_BILLED)
			got += m->rest.v[i].pico_ms + (__int128)m->rest.v[i].amount * MS_HOUR;
	assert_true(got == want_pico_ms);
}

static void rates_add_up_exactly(void **state)
{
	struct err err;
	for (int round = 0; round < 200; round++) {
		struct paid_node node[5] = { 0 }, m = { 0 };
		struct arena mem = { 0 };
		__int128 want = 0;
		for (int n = 0; n < 5; n++) {
			int64_t t = (int64_t)rng(5 * MS_HOUR);
			node[n].gpu_milli = 1000 * (int64_t)(1 + rng(8));
			for (int k = 0; k < 3; k++) {
				int64_t to = t + 1 + (int64_t)rng(4 * MS_HOUR);
				dec hour = (dec)rng(1000000007) * 1000003;
				*vec_push(&node[n].interval) = rated(t, to, hour);
				want += hour * (to - t);
				t = to + (int64_t)rng(2) * (int64_t)rng(MS_HOUR);
			}
		}
		assert_int_equal(
			paid_merge(&mem,
				   &(struct paid_nodes){ .node = node, .n = 5, .currency = "USD" },
				   &m, &err),
			0);
		check_sum(&m, want);
		vec_free(&m.interval);
		vec_free(&m.rest);
		for (int n = 0; n < 5; n++)
			vec_free(&node[n].interval);
		arena_free(&mem);
	}
}

static void billed_amounts_add_up(void **state)
{
	struct paid_node node[2] = { { .gpu_milli = 4000 }, { .gpu_milli = 8000 } }, m = { 0 };
	struct arena mem = { 0 };
	struct paid_interval q = rated(0, MS_HOUR, 0),
			     other = rated(MS_HOUR / 3, MS_HOUR / 3 + 7, 3 * DEC_ONE);
	int64_t sum = 0, gpu = 0;
	struct err err;

	q.gpu_milli = node[0].gpu_milli;
	other.gpu_milli = node[1].gpu_milli;
	q.has_rate[BASIS_BILLED] = false;
	q.has_amount[BASIS_BILLED] = true;
	/* cut into three by the other node: no part may be lost */
	q.amount_nano[BASIS_BILLED] = 1000000001;
	*vec_push(&node[0].interval) = q;
	*vec_push(&node[1].interval) = other;
	assert_int_equal(paid_merge(&mem,
				    &(struct paid_nodes){ .node = node, .n = 2, .currency = "USD" },
				    &m, &err),
			 0);
	assert_int_equal(m.interval.n, 3);
	for (size_t i = 0; i < 3; i++) {
		sum += m.interval.v[i].amount_nano[BASIS_BILLED];
		gpu += m.interval.v[i].gpu_milli;
	}
	assert_true(sum == 1000000001 + (int64_t)(3 * 1000000000ll * 7 / MS_HOUR));
	assert_int_equal(gpu, 4000 + 12000 + 4000);
	vec_free(&m.interval);
	vec_free(&m.rest);
	vec_free(&node[0].interval);
	vec_free(&node[1].interval);
	arena_free(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rates_add_up_exactly),
					    cmocka_unit_test(billed_amounts_add_up) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
