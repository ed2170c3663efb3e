#include "opt/capacity/pack_time.h"
#include "../base/test.h"

static void two_halves(void **state)
{
	struct pack_job j[] = { { 0, 100, 2 }, { 0, 100, 2 } };
	struct pack_result r;
	pack_time(j, 2, 4, 10, 5, &r);
	assert_int_equal(r.machines, 1);
	assert_int_equal(r.openings, 1);
	assert_int_equal(r.open_ms, 115);
	assert_int_equal(r.bound_ms, 100);
}

static void does_not_fit(void **state)
{
	struct pack_job j[] = { { 0, 100, 3 }, { 50, 150, 2 }, { 100, 200, 2 } };
	struct pack_result r;
	pack_time(j, 3, 4, 0, 0, &r);
	/* the third begins as the first ends: it goes to the first machine, which is empty but not
	 * yet closed */
	assert_int_equal(r.machines, 2);
	assert_int_equal(r.openings, 2);
	assert_int_equal(r.open_ms, 200 + 100);
}

static void closes_and_opens(void **state)
{
	struct pack_job j[] = { { 0, 100, 1 }, { 109, 200, 1 }, { 400, 500, 1 } };
	struct pack_result r;
	pack_time(j, 3, 4, 10, 5, &r);
	assert_int_equal(r.machines, 1);
	assert_int_equal(r.openings, 2);
	assert_int_equal(r.open_ms, 5 + 210 + 5 + 110);
}

static void larger_than_a_machine(void **state)
{
	struct pack_job j[] = { { 0, 100, 10 } };
	struct pack_result r;
	pack_time(j, 1, 4, 0, 0, &r);
	assert_int_equal(r.machines, 3);
	assert_int_equal(r.open_ms, 300);
	assert_int_equal(r.bound_ms, 250);
}

static void rubbish(void **state)
{
	struct pack_job j[] = { { 100, 100, 1 }, { 200, 100, 1 }, { 0, 10, 0 }, { 0, 10, -1 } };
	struct pack_result r;
	pack_time(j, 4, 4, 0, 0, &r);
	assert_int_equal(r.open_ms, 0);
	pack_time(NULL, 0, 4, 0, 0, &r);
	assert_int_equal(r.machines, 0);
}

/* Random jobs: never more GPUs than there are (checked by the bound), never open for less than the
 * load, and the same every time. */
static void never_below_the_bound(void **state)
{
	uint64_t x = 1;
	for (int round = 0; round < 50; round++) {
		struct pack_job j[200], k[200];
		struct pack_result a, b;
		for (int i = 0; i < 200; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			int64_t from = (int64_t)(x >> 40) % 1000;
			j[i] = k[i] = (struct pack_job){ from, from + 1 + (int64_t)(x >> 20) % 100,
							 1 + (int)(x >> 60) % 4 };
		}
		pack_time(j, 200, 8, 0, 0, &a);
		pack_time(k, 200, 8, 0, 0, &b);
		assert_true(a.open_ms >= a.bound_ms);
		assert_true(a.open_ms <= 4 * a.bound_ms);
		assert_memory_equal(&a, &b, sizeof a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_halves),       cmocka_unit_test(does_not_fit),
		cmocka_unit_test(closes_and_opens), cmocka_unit_test(larger_than_a_machine),
		cmocka_unit_test(rubbish),          cmocka_unit_test(never_below_the_bound),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
