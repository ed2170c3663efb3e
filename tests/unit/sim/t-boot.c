#include "unit/base/test.h"
#include <math.h>
#include "sim/boot.h"
#include "sim/draw.h"

static void draws_add_up(void **state)
{
	struct boot b;
	boot_make(&b, 9, 500, 3);
	double mean[9] = { 0 };
	for (int d = 0; d < b.ndraw; d++) {
		int sum = 0;
		for (int k = 0; k < 9; k++) {
			sum += b.count[d * 9 + k];
			mean[k] += b.count[d * 9 + k] / 500.0;
		}
		assert_int_equal(sum, 9);
	}
	for (int k = 0; k < 9; k++) /* of variance (1 - 1/9) / 500: four standard errors */
		assert_true(fabs(mean[k] - 1) < 0.17);
	struct boot again;
	boot_make(&again, 9, 500, 3);
	assert_memory_equal(b.count, again.count, 9 * 500 * sizeof *b.count);
	boot_free(&b);
	boot_free(&again);
}

static void quantiles(void **state)
{
	double v[] = { 5, 1, 3, 2, 4 };
	assert_true(boot_quantile(v, 5, 0.5) == 3);
	assert_true(boot_quantile(v, 5, 0) == 1);
	assert_true(boot_quantile(v, 5, 1) == 5);
	assert_true(fabs(boot_quantile(v, 5, 0.05) - 1.2) < 1e-12);
	assert_true(boot_quantile(v, 1, 0.3) == 1);
}

/* The interval around a mean of n normals holds the true mean in about 90 % of cases, also for
 * small n: what widen is for. */
static void covers(void **state)
{
	for (int n = 3; n <= 12; n += 3) {
		int hit = 0;
		struct boot b;
		boot_make(&b, n, 400, 11);
		for (uint64_t t = 0; t < 500; t++) {
			double x[12], sum = 0, v[400];
			for (int i = 0; i < n; i++)
				sum += x[i] = draw_normal(draw_bits(t, (uint64_t)n, (uint64_t)i));
			for (int d = 0; d < 400; d++) {
				v[d] = sum;
				for (int k = 0; k < n; k++)
					v[d] += b.widen * (b.count[d * n + k] - 1.0) * x[k];
			}
			double lo = boot_quantile(v, 400, 0.05), hi = boot_quantile(v, 400, 0.95);
			hit += lo <= 0 && hi >= 0;
		}
		assert_true(hit >= 500 * 0.84 && hit <= 500 * 0.96);
		boot_free(&b);
	}
	assert_true(isinf(boot_widen(1)));
	assert_true(boot_widen(4) > boot_widen(5) && boot_widen(200) > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(draws_add_up),
					    cmocka_unit_test(quantiles), cmocka_unit_test(covers) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
