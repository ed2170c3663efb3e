/* Replay of requests: queues worked out by hand, Erlang's C against its table, monotone in
 * replicas, bad input. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/random.h"
#include "sim/requests.h"

static void by_hand(void **s)
{
	/* one replica: begins 0, 10, 30; two: 0, 5, 20 */
	const struct sim_request r[] = { { 0, 1, 10, 0, true },
					 { 5, 1, 15, 5, true },
					 { 20, 1, 10, 0, true } };
	struct sim_latency l;
	double wait[3];
	struct err e;
	assert_int_equal(sim_requests(3, r, &(struct sim_serving){ 1, 25 }, wait, &l, &e), 0);
	assert_true(wait[0] == 0 && wait[1] == 5 && wait[2] == 10);
	assert_true(l.p50_ms == 21 && l.p99_ms == 26 && l.max_ms == 26 && l.wait_max_ms == 10 &&
		    l.slo_violations == 1 && l.peak == 1);
	assert_true(fabs(l.busy_frac - 1) < 1e-12); /* 40 ms of work in 40 ms */
	assert_int_equal(sim_requests(3, r, &(struct sim_serving){ 2, NAN }, wait, &l, &e), 0);
	assert_true(wait[1] == 0 && wait[2] == 0 && l.p99_ms == 21 && l.slo_violations == 0 &&
		    l.peak == 2);
}

static void uncounted(void **s)
{
	const struct sim_request r[] = { { 0, 0, 0, 50, false }, { 1, 0, 10, 0, true } };
	struct sim_latency l;
	struct err e;
	assert_int_equal(sim_requests(2, r, &(struct sim_serving){ 1, NAN }, NULL, &l, &e), 0);
	assert_true(l.requests == 1 && l.p99_ms == 59);
	assert_int_equal(sim_requests(0, r, &(struct sim_serving){ 1, NAN }, NULL, &l, &e), 0);
	assert_true(l.requests == 0 && isnan(l.p99_ms));
}

static void bad(void **s)
{
	const struct sim_request order[] = { { 5, 0, 1, 0, true }, { 4, 0, 1, 0, true } },
				 nan[] = { { NAN, 0, 1, 0, true } },
				 neg[] = { { 0, 0, -1, 0, true } };
	struct sim_minute m = { -1, 1, 2, 3 };
	struct sim_service v = { .step_ms = 60000, .work_ms = 1, .load_factor = 1 };
	struct sim_minutes out;
	struct sim_latency l;
	struct err e;
	assert_int_equal(sim_requests(2, order, &(struct sim_serving){ 1, NAN }, NULL, &l, &e),
			 -EINVAL);
	assert_int_equal(sim_requests(1, nan, &(struct sim_serving){ 1, NAN }, NULL, &l, &e),
			 -EINVAL);
	assert_int_equal(sim_requests(1, neg, &(struct sim_serving){ 1, NAN }, NULL, &l, &e),
			 -EINVAL);
	assert_int_equal(sim_requests(1, order, &(struct sim_serving){ 0, NAN }, NULL, &l, &e),
			 -EINVAL);
	assert_int_equal(sim_minutes(&v, 1, &m, &(struct sim_change){ 2, 1, NAN }, &out, &e),
			 -EINVAL);
	m.count = 1;
	v.work_ms = NAN;
	assert_int_equal(sim_minutes(&v, 1, &m, &(struct sim_change){ 2, 1, NAN }, &out, &e),
			 -EINVAL);
}

/* M/M/1 at half load: P(W > t) = 0.5 exp(-t / 2 work); M/M/2 at 0.75 each: C = 0.642857 (Cooper's
 * table). */
static void erlang(void **s)
{
	assert_true(fabs(sim_wait_ms(0.5, 1, 10, 0.99) - 20 * log(50)) < 1e-9);
	assert_true(fabs(sim_wait_ms(1.5, 2, 10, 0.90) - log(6.42857142857) * 10 / 0.5) < 1e-6);
	assert_true(sim_wait_ms(0.1, 4, 10, 0.5) == 0);
	assert_true(isinf(sim_wait_ms(2, 2, 10, 0.5)));
	assert_true(sim_wait_ms(0, 1, 10, 0.99) == 0);
}

static void minutes(void **s)
{
	struct sim_minute m[120];
	struct sim_service v = {
		.step_ms = 60000, .work_ms = 100, .base_load = 0, .load_factor = 1
	};
	struct sim_minutes r, fewer;
	struct err e;
	for (int i = 0; i < 120; i++)
		/* two GPUs, four in one minute */
		m[i] = (struct sim_minute){ i == 60 ? 2400 : 1200, 100, 150, 200 };
	assert_int_equal(sim_minutes(&v, 120, m, &(struct sim_change){ 10, 10, 300 }, &r, &e), 0);
	assert_true(r.p99_before_ms == 200 && r.p99_after_ms == 200 && r.slo_after == 0 &&
		    fabs(r.peak_load_frac - 0.4) < 1e-12);
	assert_int_equal(sim_minutes(&v, 120, m, &(struct sim_change){ 10, 5, 300 }, &r, &e), 0);
	assert_true(r.p99_after_ms > 200 && r.overloaded == 0 && r.p99_after_ms < 400);
	assert_int_equal(sim_minutes(&v, 120, m, &(struct sim_change){ 10, 3, 300 }, &fewer, &e),
			 0);
	assert_true(fewer.overloaded == 1 && fewer.slo_after > r.slo_after &&
		    fewer.p99_after_ms >= r.p99_after_ms);
	v.base_load = 0.5; /* a neighbour */
	struct sim_minutes crowded;
	assert_int_equal(sim_minutes(&v, 120, m, &(struct sim_change){ 10, 5, 300 }, &crowded, &e),
			 0);
	assert_true(crowded.p99_after_ms > r.p99_after_ms && crowded.p99_before_ms == 200);
	v.base_load = 0, v.slower_ms = 30; /* a part of a GPU */
	assert_int_equal(sim_minutes(&v, 120, m, &(struct sim_change){ 10, 10, 300 }, &r, &e), 0);
	assert_true(r.p99_before_ms == 200 && r.p99_after_ms == 230);
	m[0].p99_ms = NAN;
	assert_int_equal(sim_minutes(&v, 120, m, &(struct sim_change){ 10, 5, 300 }, &r, &e), 0);
}

/* p99 of all requests: by sorting what each minute says. */
static double p99_by_sorting(const struct sim_minute *m, size_t n)
{
	static const double part[] = { .50, .45, .05 };
	double ms[600], weight[600], sum = 0, seen = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		for (int c = 0; c < 3; c++, k++) {
			ms[k] = c == 0 ? m[i].p50_ms : c == 1 ? m[i].p95_ms : m[i].p99_ms;
			sum += weight[k] = m[i].count * part[c];
		}
	for (size_t i = 1; i < k; i++)
		for (size_t j = i; j && ms[j] < ms[j - 1]; j--) {
			double x = ms[j], w = weight[j];
			ms[j] = ms[j - 1], ms[j - 1] = x;
			weight[j] = weight[j - 1], weight[j - 1] = w;
		}
	for (size_t i = 0; i < k; i++)
		if ((seen += weight[i]) >= .99 * sum * (1 - 1e-12))
			return ms[i];
	return NAN;
}

static void percentile_as_sorted(void **state)
{
	struct sim_minute m[200];
	struct sim_service v = { .step_ms = 60000, .work_ms = 1, .load_factor = 1 };
	struct sim_minutes out;
	uint64_t r = 11;
	struct err e;

	(void)state;
	for (int round = 0; round < 300; round++) {
		size_t n = 1 + random_below(&r, 200), few = 1 + random_below(&r, 30);
		for (size_t i = 0; i < n; i++) {
			double low = (double)random_below(&r, few);
			m[i] = (struct sim_minute){ (double)(1 + random_below(&r, 50)), low,
						    low + (double)random_below(&r, few),
						    low + (double)(few + random_below(&r, few)) };
		}
		assert_int_equal(sim_minutes(&v, n, m, &(struct sim_change){ 2, 1, NAN }, &out, &e),
				 0);
		assert_true(out.p99_before_ms == p99_by_sorting(m, n));
	}
}

int main(void)
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(by_hand), cmocka_unit_test(uncounted),
		cmocka_unit_test(bad),     cmocka_unit_test(erlang),
		cmocka_unit_test(minutes), cmocka_unit_test(percentile_as_sorted)
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
