/* MIG: geometry against NVIDIA's tables, packing against brute force, its certificates, bad
 * input. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "opt/mig/mig.h"

static uint64_t state;
static uint64_t next(void)
{
	return random_next(&state);
}

static struct mig_geom a100;

static int setup(void **s)
{
	struct err e;
	return mig_geom_init(&a100, &mig_a100_80, &e);
}

/* Fourteen maximal sets in nineteen placements; two of the sets are inside others. */
static void geometry(void **s)
{
	static const int want[14][5] = { { 7 },          { 5, 1 },         { 4, 0, 1 }, { 3, 2 },
					 { 3, 0, 1 },    { 3, 0, 0, 1 },   { 2, 1, 1 }, { 1, 3 },
					 { 1, 1, 1 },    { 1, 1, 0, 1 },   { 0, 2, 1 }, { 0, 0, 2 },
					 { 0, 0, 1, 1 }, { 0, 0, 0, 0, 1 } };
	assert_int_equal(a100.nmaximal, 14);
	assert_int_equal(a100.nlayout, 19);
	assert_int_equal(a100.nconfig, 12);
	for (size_t i = 0; i < 14; i++) {
		bool found = false;
		for (size_t k = 0; k < a100.nmaximal; k++)
			found |= !memcmp(want[i], a100.config[k].count, sizeof want[i]);
		assert_true(found);
	}
	for (size_t k = 0; k < a100.nmaximal; k++)
		assert_true(
			mig_placement_ok(&a100.gpu, a100.config[k].nplace, a100.config[k].place));
}

static void legal(void **s)
{
	const struct mig_place ok[] = { { 3, 0 }, { 2, 4 } }, overlap[] = { { 2, 0 }, { 0, 3 } },
			       start[] = { { 1, 1 } }, four_at_4[] = { { 3, 4 } },
			       two_fours[] = { { 3, 0 }, { 3, 0 } }, last[] = { { 0, 7 } };
	assert_true(mig_placement_ok(&a100.gpu, 2, ok));
	assert_false(mig_placement_ok(&a100.gpu, 2, overlap)); /* 3g takes four memory slices */
	assert_false(mig_placement_ok(&a100.gpu, 1, start));
	assert_false(mig_placement_ok(&a100.gpu, 1, four_at_4));
	assert_false(mig_placement_ok(&a100.gpu, 2, two_fours));
	assert_false(mig_placement_ok(&a100.gpu, 1, last)); /* memory slice 7 belongs to no 1g */
}

static void other_gpus(void **s)
{
	struct mig_gpu a30 = { .compute = 4,
			       .memory = 4,
			       .ntype = 3,
			       .type = { { "1g.6gb", 1, 1, 0xf, 4 },
					 { "2g.12gb", 2, 2, 0x5, 2 },
					 { "4g.24gb", 4, 4, 0x1, 1 } } };
	struct mig_gpu none = {
		.compute = 4, .memory = 4, .ntype = 1, .type = { { "5g", 5, 5, 1, 1 } }
	};
	struct mig_geom g;
	struct err e;
	assert_int_equal(mig_geom_init(&g, &a30, &e), 0);
	assert_int_equal(g.nmaximal, 4); /* 4x1, 2x1+2, 2x2, 4 */
	assert_int_equal(mig_geom_init(&g, &none, &e), -EINVAL);
	none.ntype = 0;
	assert_int_equal(mig_geom_init(&g, &none, &e), -EINVAL);
}

static void fits(void **s)
{
	int three[5] = { 0, 0, 3, 0, 0 }, sevens[5] = { 14 }, mix[5] = { 3, 0, 0, 1, 0 }, config[2];
	assert_int_equal(mig_fits(&a100, three, 1, NULL), 0);
	assert_int_equal(mig_fits(&a100, three, 2, config), 1);
	assert_int_equal(mig_fits(&a100, sevens, 2, NULL), 1);
	sevens[0] = 15;
	assert_int_equal(mig_fits(&a100, sevens, 2, NULL), 0);
	assert_int_equal(mig_fits(&a100, mix, 1, NULL), 1);
	mix[0] = 4;
	assert_int_equal(mig_fits(&a100, mix, 1, NULL), 0);
}

/* All ways to give one or two services instances on one GPU, then on two, ...: small enough to try
 * everything. */
static bool brute(size_t n, const struct mig_service *v, int gpus, size_t from, double *need)
{
	bool done = true;
	for (size_t m = 0; m < n; m++)
		done &= need[m] <= 1e-9;
	if (done)
		return true;
	if (!gpus)
		return false;
	for (size_t c = from; c < a100.nconfig; c++) {
		/* GPUs in order of their set: permutations of GPUs are the same */
		const struct mig_config *f = &a100.config[c];
		size_t ways = 1;
		for (size_t p = 0; p < f->nplace; p++)
			ways *= n;
		for (size_t w = 0; w < ways; w++) {
			double left[3];
			size_t rest = w;
			memcpy(left, need, sizeof left);
			for (size_t p = 0; p < f->nplace; p++, rest /= n)
				left[rest % n] -= v[rest % n].thr[f->place[p].type];
			if (brute(n, v, gpus - 1, c, left))
				return true;
		}
	}
	return false;
}

static void exact(void **s)
{
	for (state = 1; state < 60; state++) {
		uint64_t seed = state;
		struct mig_service v[2] = { 0 };
		struct mig_packing p;
		struct err e;
		int best = 0;
		state = seed * 1000;
		for (size_t m = 0; m < 2; m++) {
			v[m].rate = 50 + (double)(next() % 500);
			for (size_t t = 0; t < 5; t++)
				v[m].thr[t] = next() % 5 ? (double)(10 + next() % 60) *
								   a100.gpu.type[t].compute
							 : 0;
			v[m].thr[4] = v[m].thr[4] > 0 ? v[m].thr[4] : 100;
		}
		assert_int_equal(mig_pack(&a100, 2, v, 0, &p, &e), 0);
		assert_true(p.proven && mig_packing_ok(&a100, 2, v, &p));
		double need[3] = { v[0].rate, v[1].rate, 0 };
		if (p.gpus <= 3) {
			while (!brute(2, v, best, 0, need))
				best++;
			assert_int_equal(p.gpus, best);
		}
		mig_packing_free(&p);
		state = seed;
	}
}

/* Random mixes: legal, proven, the bound below the result, the same again. */
static void random_mixes(void **s)
{
	state = 7;
	for (int i = 0; i < 200; i++) {
		struct mig_service v[12] = { 0 };
		struct mig_packing p, q;
		struct err e;
		size_t n = 1 + next() % 12;
		for (size_t m = 0; m < n; m++) {
			double base = 20 + (double)(next() % 400);
			/* up to some forty slices */
			v[m].rate = base * (double)(next() % 4000) / 100;
			for (size_t t = 0; t < 5; t++)
				v[m].thr[t] = base * pow(a100.gpu.type[t].compute,
							 0.6 + (double)(next() % 50) / 100);
		}
		assert_int_equal(mig_pack(&a100, n, v, 0, &p, &e), 0);
		assert_true(mig_packing_ok(&a100, n, v, &p));
		assert_true(p.lower_bound <= p.gpus && p.proven && p.lp_bound <= p.gpus + 1e-6);
		assert_int_equal(mig_pack(&a100, n, v, 0, &q, &e), 0);
		assert_int_equal(q.instance.n, p.instance.n);
		for (size_t k = 0; k < p.instance.n; k++) {
			const struct mig_instance *x = &p.instance.v[k], *y = &q.instance.v[k];
			assert_true(x->gpu == y->gpu && x->type == y->type &&
				    x->start == y->start && x->service == y->service);
		}
		mig_packing_free(&p);
		mig_packing_free(&q);
	}
}

static void answers_and_errors(void **s)
{
	struct mig_service v[1] = { { 100, { 0 } } };
	struct mig_packing p;
	struct err e;
	assert_int_equal(mig_pack(&a100, 1, v, 0, &p, &e), 0);
	assert_true(p.unservable == 0 && p.gpus == -1);
	mig_packing_free(&p);
	v[0].rate = 0;
	assert_int_equal(mig_pack(&a100, 1, v, 0, &p, &e), 0);
	assert_true(p.gpus == 0 && p.proven);
	mig_packing_free(&p);
	v[0].thr[0] = 10;
	v[0].rate = 5000; /* 500 instances of a seventh: 72 GPUs */
	assert_int_equal(mig_pack(&a100, 1, v, 0, &p, &e), 0);
	assert_true(p.gpus == 72 && p.proven && mig_packing_ok(&a100, 1, v, &p));
	mig_packing_free(&p);
	for (size_t t = 0; t < 5; t++)
		v[0].thr[t] = 10.5 * a100.gpu.type[t].compute;
	/* too many patterns: taken off in whole GPUs, and still met by the bound */
	v[0].rate = 20000;
	assert_int_equal(mig_pack(&a100, 1, v, 0, &p, &e), 0);
	assert_true(mig_packing_ok(&a100, 1, v, &p) && p.lower_bound <= p.gpus &&
		    p.gpus <= p.lower_bound + 1);
	mig_packing_free(&p);
	const double bad[] = { NAN, INFINITY, -1 };
	for (size_t i = 0; i < 3; i++) {
		v[0].rate = bad[i];
		assert_int_equal(mig_pack(&a100, 1, v, 0, &p, &e), -EINVAL);
		v[0].rate = 1;
		v[0].thr[2] = bad[i];
		assert_int_equal(mig_pack(&a100, 1, v, 0, &p, &e), -EINVAL);
		v[0].thr[2] = 1;
	}
	v[0].rate = 1e12;
	assert_int_equal(mig_pack(&a100, 1, v, 0, &p, &e), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest t[] = { cmocka_unit_test(geometry),
					cmocka_unit_test(legal),
					cmocka_unit_test(other_gpus),
					cmocka_unit_test(fits),
					cmocka_unit_test(exact),
					cmocka_unit_test(random_mixes),
					cmocka_unit_test(answers_and_errors) };
	return cmocka_run_group_tests(t, setup, NULL);
}
