#include <errno.h>
#include <math.h>
#include "gpu_eval.h"
#include "../base/test.h"

#define USD(x) ((int64_t)((x)*1e9))

static struct gpu_candidate gpu(double gib, double usd, double speed, double lo, double hi)
{
	return (struct gpu_candidate){ .memory_gib = gib,
				       .nano_gpu_hour = isnan(usd) ? INT64_MIN : USD(usd),
				       .speed = speed,
				       .lo = lo,
				       .hi = hi };
}

static void cheapest_that_fits(void **state)
{
	struct err e = { 0 };
	/* A100, L4, a huge GPU, a small one, a slow one, one without price */
	struct gpu_candidate c[] = { gpu(40, 3, 1, 1, 1),         gpu(24, .7, .35, .2, .5),
				     gpu(80, 9, 2, 1.5, 2.5),     gpu(16, .3, .3, .2, .4),
				     gpu(24, .01, .05, .04, .06), gpu(48, NAN, 1, 1, 1) };
	struct gpu_need need = { 20, 4, 1, false };
	size_t order[6];
	assert_int_equal(gpu_choose(&need, 6, c, order, &e), 3);
	assert_int_equal(order[0], 1);             /* 0.7 / 0.35 = 2.0 */
	assert_int_equal(order[1], 0);             /* 3.0 */
	assert_int_equal(order[2], 2);             /* 4.5 */
	assert_int_equal(c[3].fit, GPU_NO_MEMORY); /* 16 < 22 */
	assert_int_equal(c[4].fit, GPU_TOO_SLOW);
	assert_int_equal(c[5].fit, GPU_NO_PRICE);
	assert_true(fabs(c[1].nano_lo / 1e9 - 1.4) < 1e-9 && fabs(c[1].nano_hi / 1e9 - 3.5) < 1e-9);
	need.sure = true; /* 0.2 of the speed may be 5 times slower */
	assert_int_equal(gpu_choose(&need, 6, c, order, &e), 2);
	assert_int_equal(c[1].fit, GPU_MAY_BE_TOO_SLOW);
	assert_int_equal(order[0], 0);
}

static void exactly_ten_percent_room(void **state)
{
	struct err e = { 0 };
	struct gpu_candidate c[] = { gpu(22, 1, 1, 1, 1), gpu(21.9, 1, 1, 1, 1) };
	size_t order[2];
	assert_int_equal(gpu_choose(&(struct gpu_need){ 20, INFINITY, 1, false }, 2, c, order, &e),
			 1);
	assert_int_equal(c[0].fit, GPU_FITS);
	assert_int_equal(c[1].fit, GPU_NO_MEMORY);
}

/* A server that keeps a fifth of its GPU busy: a third of the speed is as good as all of it. */
static void low_busy(void **state)
{
	struct err e = { 0 };
	struct gpu_candidate c[] = { gpu(40, 3, 1, 1, 1), gpu(24, .7, .35, .3, .4) };
	size_t order[2];
	assert_int_equal(gpu_choose(&(struct gpu_need){ 10, 1, .2, true }, 2, c, order, &e), 2);
	assert_int_equal(order[0], 1);
	assert_true(fabs(c[1].nano_per_work / 1e9 - .7) < 1e-9);
	/* half of it is not */
	assert_int_equal(gpu_choose(&(struct gpu_need){ 10, 1, .5, true }, 2, c, order, &e), 1);
}

/* The cheapest of all is another maker's: after those that run the program as it is, before those
 * that do not do the work, and among the first where a port is no obstacle. */
static void a_port_comes_after(void **state)
{
	struct err e = { 0 };
	struct gpu_candidate c[] = { gpu(192, .5, 1, 1, 1), gpu(80, 3, 1, 1, 1),
				     gpu(16, .1, .5, .5, .5) };
	struct gpu_need need = { .vram_p99_gib = 20, .max_slowdown = INFINITY, .busy_frac = 1 };
	size_t order[3];
	(void)state;
	c[0].port = true;
	assert_int_equal(gpu_choose(&need, 3, c, order, &e), 1);
	assert_int_equal(order[0], 1);
	assert_int_equal(order[1], 0);
	assert_int_equal(c[0].fit, GPU_NEEDS_PORT);
	assert_string_equal(gpu_fit_text(c[0].fit), "needs a port");
	need.ports = true;
	assert_int_equal(gpu_choose(&need, 3, c, order, &e), 2);
	assert_int_equal(order[0], 0);
	need.ports = false;
	c[0].memory_gib = 8; /* a port does not help where memory is short */
	assert_int_equal(gpu_choose(&need, 3, c, order, &e), 1);
	assert_int_equal(c[0].fit, GPU_NO_MEMORY);
}

static void unknown_memory_fits_nothing(void **state)
{
	struct err e = { 0 };
	struct gpu_candidate c[] = { gpu(40, 3, 1, 1, 1), gpu(NAN, 1, 1, 1, 1) };
	size_t order[2];
	assert_int_equal(gpu_choose(&(struct gpu_need){ NAN, INFINITY, 1, false }, 2, c, order, &e),
			 0);
	assert_int_equal(gpu_choose(&(struct gpu_need){ 10, INFINITY, 1, false }, 2, c, order, &e),
			 1);
	assert_int_equal(c[1].fit, GPU_MEMORY_UNKNOWN);
	assert_int_equal(gpu_choose(&(struct gpu_need){ 10, INFINITY, 0, false }, 2, c, order, &e),
			 -EINVAL);
	assert_int_equal(gpu_choose(&(struct gpu_need){ -1, INFINITY, 1, false }, 2, c, order, &e),
			 -EINVAL);
	assert_int_equal(gpu_choose(&(struct gpu_need){ 1, NAN, 1, false }, 2, c, order, &e),
			 -EINVAL);
}

static void regret(void **state)
{
	const double cost[] = { 2, NAN, 1.6, 4 };
	assert_true(gpu_regret(4, cost, 2) == 0);
	assert_true(fabs(gpu_regret(4, cost, 0) - .25) < 1e-12);
	assert_true(isnan(gpu_regret(4, cost, 1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(cheapest_that_fits),
					    cmocka_unit_test(exactly_ten_percent_room),
					    cmocka_unit_test(low_busy),
					    cmocka_unit_test(a_port_comes_after),
					    cmocka_unit_test(unknown_memory_fits_nothing),
					    cmocka_unit_test(regret) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
