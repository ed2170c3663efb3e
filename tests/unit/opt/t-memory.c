#include <errno.h>
#include <math.h>
#include "opt/size/memory.h"
#include "../base/test.h"

/* 7B: 32 layers, hidden 4096, 32 heads */
static const struct memory_model seven = { 7e9, 32, 4096, 32, 32, 2 };

static void training(void **state)
{
	struct err e = { 0 };
	struct memory_need n;
	struct memory_train t = { 2048, 1, 0, 1, false, RECOMPUTE_NONE };
	assert_int_equal(memory_train(&seven, &t, &n, &e), 0);
	/* 16 bytes a parameter */
	assert_true(n.weights == 14e9 && n.gradients == 14e9 && n.optimizer == 84e9);
	assert_true(fabs(n.activations - 2048.0 * 4096 * 32 * (34 + 5 * 32 * 2048 / 4096.0)) < 1);
	assert_true(fabs(n.total - (1.1 * (112e9 + n.activations) + 1.5e9)) < 1);
	t.recompute = RECOMPUTE_FULL;
	assert_int_equal(memory_train(&seven, &t, &n, &e), 0);
	assert_true(n.activations == 2.0 * 2048 * 4096 * 32);
	t.master_fp32_grad = true;
	assert_int_equal(memory_train(&seven, &t, &n, &e), 0);
	assert_true(n.weights + n.gradients + n.optimizer == 18 * 7e9);
}

static void zero_divides(void **state)
{
	struct err e = { 0 };
	struct memory_need n;
	static const double want[4] = { 112e9, 28e9 + 84e9 / 8, 14e9 + 98e9 / 8, 112e9 / 8 };
	for (int z = 0; z < 4; z++) {
		assert_int_equal(
			memory_train(&seven,
				     &(struct memory_train){ 2048, 1, z, 8, false, RECOMPUTE_FULL },
				     &n, &e),
			0);
		assert_true(fabs(n.weights + n.gradients + n.optimizer - want[z]) < 1);
	}
}

static void serving(void **state)
{
	struct err e = { 0 };
	struct memory_need n;
	struct memory_model m = seven;
	m.bytes_per_param = 1;
	m.kv_heads = 8; /* grouped queries: a quarter */
	assert_int_equal(memory_serve(&m, &(struct memory_serve){ 4096, 16, 2, 1 }, &n, &e), 0);
	assert_true(n.weights == 7e9);
	assert_true(n.kv_cache == 2.0 * 32 * 8 * 128 * 2 * 4096 * 16);
	assert_int_equal(memory_serve(&m, &(struct memory_serve){ 4096, 16, 2, 2 }, &n, &e), 0);
	assert_true(n.weights == 3.5e9);
}

static void shapes_from_size(void **state)
{
	struct memory_model m = { .params = 7e9, .bytes_per_param = 2 };
	assert_false(memory_fill(&m));
	assert_true(m.layers >= 28 && m.layers <= 40 && m.hidden >= 3500 && m.hidden <= 4700 &&
		    m.heads >= 28 && m.heads <= 36);
	struct memory_model known = seven;
	assert_true(memory_fill(&known));
	assert_true(known.layers == 32);
}

static void rubbish(void **state)
{
	struct err e = { 0 };
	struct memory_need n;
	struct memory_model m = seven;
	m.params = NAN;
	assert_int_equal(memory_train(&m, &(struct memory_train){ 1, 1, 0, 1, false, 0 }, &n, &e),
			 -EINVAL);
	assert_int_equal(
		memory_train(&seven, &(struct memory_train){ 1, 1, 4, 1, false, 0 }, &n, &e),
		-EINVAL);
	assert_int_equal(
		memory_train(&seven, &(struct memory_train){ -1, 1, 0, 1, false, 0 }, &n, &e),
		-EINVAL);
	assert_int_equal(memory_serve(&seven, &(struct memory_serve){ 1, INFINITY, 2, 1 }, &n, &e),
			 -EINVAL);
	m = seven;
	m.kv_heads = 64; /* more than heads */
	assert_int_equal(memory_serve(&m, &(struct memory_serve){ 1, 1, 2, 1 }, &n, &e), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(training),
					    cmocka_unit_test(zero_divides),
					    cmocka_unit_test(serving),
					    cmocka_unit_test(shapes_from_size),
					    cmocka_unit_test(rubbish) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
