#include "base/random.h"
#include "unit/base/test.h"
#include "opt/select.h"
#include <errno.h>

static bool allowed(const struct select_in *in, uint32_t set)
{
	for (size_t i = 0; i < in->nedge; i++)
		if (set >> in->edge[i][0] & set >> in->edge[i][1] & 1)
			return false;
	for (size_t i = 0; i < in->nneed; i++)
		if ((set >> in->need[i][0] & 1) && !(set >> in->need[i][1] & 1))
			return false;
	return true;
}

static int64_t value_of(const struct select_in *in, uint32_t set)
{
	int64_t v = 0;
	for (size_t i = 0; i < in->n; i++)
		v += set >> i & 1 ? in->weight[i] : 0;
	return v;
}

/* Every set of up to 12 items tried. */
static void is_best_of_all_sets(void **state)
{
	uint64_t seed = 1;
	for (int round = 0; round < 400; round++) {
		int64_t weight[12];
		uint32_t edge[24][2], need[4][2];
		struct select_in in = { .n = 1 + random_next(&seed) % 12,
					.weight = weight,
					.edge = (const uint32_t(*)[2])edge,
					.need = (const uint32_t(*)[2])need };
		for (size_t i = 0; i < in.n; i++)
			weight[i] = (int64_t)(random_next(&seed) % 1000) - 200;
		for (size_t i = random_next(&seed) % 24; in.n > 1 && i--; in.nedge++) {
			edge[in.nedge][0] = (uint32_t)(random_next(&seed) % (in.n - 1));
			edge[in.nedge][1] =
				edge[in.nedge][0] + 1 +
				(uint32_t)(random_next(&seed) % (in.n - 1 - edge[in.nedge][0]));
		}
		for (size_t i = random_next(&seed) % 4; in.n > 1 && i--; in.nneed++) {
			/* only lower ones: no circle */
			need[in.nneed][0] = (uint32_t)(1 + random_next(&seed) % (in.n - 1));
			need[in.nneed][1] = (uint32_t)(random_next(&seed) % need[in.nneed][0]);
		}
		int64_t best = 0;
		for (uint32_t set = 0; set < 1u << in.n; set++)
			if (allowed(&in, set) && value_of(&in, set) > best)
				best = value_of(&in, set);
		bool take[12];
		struct select_out out;
		struct err err;
		assert_int_equal(select_best(&in, take, &out, &err), 0);
		uint32_t set = 0;
		for (size_t i = 0; i < in.n; i++)
			set |= (uint32_t)take[i] << i;
		assert_true(allowed(&in, set));
		assert_int_equal(value_of(&in, set), best);
		assert_int_equal(out.value, best);
		assert_int_equal(out.bound, best);
		assert_true(out.exact);
	}
}

/* Checkpoints cost something and bring nothing, but moving to spot needs them. */
static void pays_for_what_is_needed(void **state)
{
	const int64_t weight[] = { -5, 100, 94 };
	const uint32_t edge[][2] = { { 1, 2 } }, need[][2] = { { 1, 0 } };
	struct select_in in = {
		.n = 3, .weight = weight, .nedge = 1, .edge = edge, .nneed = 1, .need = need
	};
	bool take[3];
	struct select_out out;
	struct err err;
	assert_int_equal(select_best(&in, take, &out, &err), 0);
	assert_true(take[0] && take[1] && !take[2]);
	assert_int_equal(out.value, 95);
	const int64_t expensive[] = { -7, 100, 94 };
	in.weight = expensive;
	assert_int_equal(select_best(&in, take, &out, &err), 0);
	assert_true(!take[0] && !take[1] && take[2]);
}

/* Out of nodes: what is found is allowed, and the bound holds (the optimum of a ring of 60 equal
 * items is 30). */
static void bound_holds_when_cut_short(void **state)
{
	int64_t weight[60];
	uint32_t edge[60][2];
	struct select_in in = { .n = 60,
				.weight = weight,
				.nedge = 60,
				.edge = (const uint32_t(*)[2])edge,
				.max_nodes = 30 };
	bool take[60];
	struct select_out out;
	struct err err;
	for (uint32_t i = 0; i < 60; i++) {
		weight[i] = 10 + (i * 7) % 3;
		edge[i][0] = i;
		edge[i][1] = (i + 1) % 60;
	}
	assert_int_equal(select_best(&in, take, &out, &err), 0);
	for (uint32_t i = 0; i < 60; i++)
		assert_false(take[i] && take[(i + 1) % 60]);
	struct select_out full;
	in.max_nodes = 0;
	bool take2[60];
	assert_int_equal(select_best(&in, take2, &full, &err), 0);
	assert_true(out.value <= full.value && full.value <= out.bound);
	if (out.exact)
		assert_int_equal(out.value, full.value);
}

static void refuses_nonsense(void **state)
{
	const int64_t weight[] = { 1, 2 };
	const uint32_t out_of_range[][2] = { { 0, 2 } }, circle[][2] = { { 0, 1 }, { 1, 0 } };
	bool take[2];
	struct select_out out;
	struct err err;
	struct select_in in = { .n = 2, .weight = weight, .nedge = 1, .edge = out_of_range };
	assert_int_equal(select_best(&in, take, &out, &err), -EINVAL);
	in = (struct select_in){ .n = 2, .weight = weight, .nneed = 1, .need = out_of_range };
	assert_int_equal(select_best(&in, take, &out, &err), -EINVAL);
	in = (struct select_in){ .n = 2, .weight = weight, .nneed = 2, .need = circle };
	assert_int_equal(select_best(&in, take, &out, &err), -EINVAL);
	in = (struct select_in){ .n = 0 };
	assert_int_equal(select_best(&in, take, &out, &err), 0);
	assert_int_equal(out.value, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_best_of_all_sets),
		cmocka_unit_test(pays_for_what_is_needed),
		cmocka_unit_test(bound_holds_when_cut_short),
		cmocka_unit_test(refuses_nonsense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
