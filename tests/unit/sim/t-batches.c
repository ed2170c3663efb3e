/* The replay of batches: small cases worked out by hand, one queue and in turn, seeded arrivals. */
#include <errno.h>
#include <math.h>

#include "../base/test.h"
#include "sim/batches.h"

/* 10 ms and 1 for each request */
static const double ms[] = { 0, 11, 12, 13, 14 };

static struct sim_batches run(size_t n, const double *t, int replicas, int cap,
			      enum sim_dispatch how, double *latency)
{
	struct sim_batching b = { replicas, cap, ms, 20, -1, how };
	struct sim_batches r;
	struct err e = { 0 };
	assert_int_equal(sim_batches(n, t, &b, latency, &r, &e), 0);
	return r;
}

/* The first runs alone until 11; 1 to 5 wait, four of them go, the fifth after them at 25. */
static void one_replica(void **state)
{
	const double t[] = { 0, 1, 2, 3, 4, 5 }, want[] = { 11, 24, 23, 22, 21, 31 };
	double latency[6];
	(void)state;
	for (int how = SIM_SHARED_QUEUE; how <= SIM_IN_TURN; how++) {
		struct sim_batches r = run(6, t, 1, 4, (enum sim_dispatch)how, latency);
		for (int i = 0; i < 6; i++)
			assert_true(fabs(latency[i] - want[i]) < 1e-9);
		assert_int_equal(r.batches, 3);
		assert_int_equal(r.over, 5);
		assert_true(fabs(r.busy_frac - 1) < 1e-9);
	}
}

/* Two replicas: behind one queue the third waits for the first to be done and runs with the fourth;
 * in turn it waits for replica 0 although 1 is done earlier. */
static void two_replicas(void **state)
{
	const double t[] = { 0, 0, 1, 20 };
	double latency[4];
	(void)state;
	run(4, t, 2, 4, SIM_SHARED_QUEUE, latency);
	/* both come at once: one batch of two, the other replica is free for the third */
	assert_true(latency[0] == 12 && latency[1] == 12 && latency[2] == 11 && latency[3] == 11);
	run(4, t, 2, 4, SIM_IN_TURN, latency);
	assert_true(latency[0] == 11 && latency[1] == 11);
	assert_true(latency[2] == 11 - 1 + 11);
	assert_true(latency[3] == 11);
}

static void stops_when_it_is_enough(void **state)
{
	double t[100];
	struct sim_batching b = { 1, 1, ms, 20, 3 };
	struct sim_batches r;
	struct err e = { 0 };
	(void)state;
	for (int i = 0; i < 100; i++)
		t[i] = i;
	assert_int_equal(sim_batches(100, t, &b, NULL, &r, &e), 0);
	assert_int_equal(r.over, 4);
}

static void rubbish(void **state)
{
	const double t[] = { 1, 0 }, zero[] = { 0, 0 };
	struct sim_batching b = { 1, 1, ms, 20, -1, SIM_IN_TURN };
	struct sim_batches r;
	struct err e = { 0 };
	(void)state;
	assert_int_equal(sim_batches(2, t, &b, NULL, &r, &e), -EINVAL);
	b.replicas = 0;
	assert_int_equal(sim_batches(1, t, &b, NULL, &r, &e), -EINVAL);
	b = (struct sim_batching){ 1, 1, zero, 20, -1, SIM_IN_TURN };
	assert_int_equal(sim_batches(1, t, &b, NULL, &r, &e), -EINVAL);
	b.latency_ms = ms;
	b.how = SIM_SHARED_QUEUE;
	assert_int_equal(sim_batches(0, NULL, &b, NULL, &r, &e), 0);
}

/* Rates come out; bursts vary over ten seconds as their swing says, Poisson arrivals do not. */
static void arrivals(void **state)
{
	enum { N = 100000 };
	static double t[N];
	double spread[2];
	(void)state;
	for (int bursts = 0; bursts < 2; bursts++) {
		double count[40] = { 0 }, var = 0;
		if (bursts)
			sim_bursts(200, .5, 30000, 3, N, t);
		else
			sim_poisson(200, 3, N, t);
		assert_true(fabs(N / t[N - 1] * 1000 / 200 - 1) < (bursts ? .2 : .02));
		for (int i = 0; i < N && t[i] < 400000; i++)
			count[(int)(t[i] / 10000)]++;
		for (int i = 0; i < 40; i++)
			var += pow(count[i] / 2000 - 1, 2) / 40;
		spread[bursts] = sqrt(var);
		for (int i = 1; i < N; i++)
			assert_true(t[i] >= t[i - 1]);
	}
	assert_true(spread[0] < .05);
	assert_true(spread[1] > .3 && spread[1] < .6);
}

static void percentile(void **state)
{
	double v[] = { 4, 1, 3, 2 }, hundred[100];
	(void)state;
	for (int i = 0; i < 100; i++)
		hundred[i] = 100 - i;
	assert_true(sim_percentile(v, 4, .5) == 2);
	assert_true(sim_percentile(hundred, 100, .99) == 99);
	assert_true(isnan(sim_percentile(v, 0, .5)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_replica),
		cmocka_unit_test(two_replicas),
		cmocka_unit_test(stops_when_it_is_enough),
		cmocka_unit_test(rubbish),
		cmocka_unit_test(arrivals),
		cmocka_unit_test(percentile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
