#include <errno.h>
#include <math.h>
#include "opt/diagnose/roofline.h"
#include "../base/test.h"

static const struct roofline_gpu a100 = { 312, 1555, 31.5 }, l4 = { 121, 300, 31.5 };

static double time_of(struct roofline_shares s, double *lo, double *hi, int *signals)
{
	struct err e = { 0 };
	struct roofline_mix m;
	struct roofline_ratio r;
	assert_int_equal(roofline_mix(&s, &m, &e), 0);
	assert_true(fabs(m.compute + m.memory + m.pcie + m.host - 1) < 1e-12);
	assert_int_equal(roofline_time(&m, &a100, &l4, 1, &r, &e), 0);
	assert_true(r.lo <= r.mid && r.mid <= r.hi);
	*lo = r.lo;
	*hi = r.hi;
	*signals = m.signals;
	return r.mid;
}

static void pure_cases(void **state)
{
	double lo, hi;
	int n;
	assert_true(fabs(time_of((struct roofline_shares){ 1, NAN, 1, 0, 0 }, &lo, &hi, &n) -
			 312 / 121.0) < 1e-9);
	assert_true(fabs(time_of((struct roofline_shares){ 1, NAN, 0, 1, 0 }, &lo, &hi, &n) -
			 1555 / 300.0) < 1e-9);
	/* the GPU does nothing */
	assert_true(fabs(time_of((struct roofline_shares){ 0, NAN, NAN, NAN, NAN }, &lo, &hi, &n) -
			 1) < 1e-9);
}

static void mixed(void **state)
{
	double lo, hi, wide_lo, wide_hi;
	int n, m;
	double r = time_of((struct roofline_shares){ .9, NAN, .3, .5, NAN }, &lo, &hi, &n);
	/* the tenth that neither explains is halved */
	assert_true(fabs(r - (.35 * 312 / 121 + .55 * 1555 / 300 + .1)) < 1e-9);
	time_of((struct roofline_shares){ .9, NAN, NAN, NAN, NAN }, &wide_lo, &wide_hi, &m);
	assert_int_equal(n, 3);
	assert_int_equal(m, 1);
	assert_true(wide_hi / wide_lo > hi / lo);
}

static void unknown_and_rubbish(void **state)
{
	struct err e = { 0 };
	struct roofline_mix m;
	struct roofline_ratio r;
	assert_int_equal(roofline_mix(&(struct roofline_shares){ NAN, NAN, NAN, NAN, .5 }, &m, &e),
			 -ENODATA);
	assert_int_equal(roofline_mix(&(struct roofline_shares){ 1.5, NAN, NAN, NAN, NAN }, &m, &e),
			 -EINVAL);
	assert_int_equal(roofline_mix(&(struct roofline_shares){ .5, NAN, -.1, NAN, NAN }, &m, &e),
			 -EINVAL);
	/* counters above utilisation: it was too low */
	assert_int_equal(roofline_mix(&(struct roofline_shares){ .5, NAN, .2, .9, NAN }, &m, &e),
			 0);
	assert_true(fabs(m.host - .1) < 1e-9);
	const struct roofline_gpu none = { NAN, NAN, NAN }, half = { NAN, 300, NAN };
	assert_int_equal(roofline_time(&m, &a100, &none, 1, &r, &e), -ENODATA);
	/* bandwidth stands for both */
	assert_int_equal(roofline_time(&m, &a100, &half, 1, &r, &e), 0);
	assert_true(fabs(r.mid - (.9 * 1555 / 300 + .1)) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(pure_cases), cmocka_unit_test(mixed),
					    cmocka_unit_test(unknown_and_rubbish) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
