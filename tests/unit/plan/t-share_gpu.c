/*
 * Tenants on MIG GPUs of the catalogue, against all ways by a second mind: NVIDIA's table of
 * profiles and places (MIG User Guide, nvidia-smi mig -lgipp) written here once more, every profile
 * at every place for every tenant, every way to part the tenants. It shares no line with the
 * solver, nor with the catalogue that the solver reads.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "plan/share/share_gpu.h"

#define MIB     0x1p20
#define GIB     0x1p30
#define TARGET  0.8
#define TENANTS 7

struct profile {
	int compute, memory, nstart, start[7];
	double mib;
};
struct product {
	const char *model;
	int compute, memory, nprofile;
	struct profile profile[6];
};

#define ONE_OF_SEVEN                \
	{                           \
		0, 1, 2, 3, 4, 5, 6 \
	}
#define SEVEN(model, one, two, half, whole)                                                 \
	{                                                                                   \
		model, 7, 8, 6,                                                             \
		{                                                                           \
			{ 1, 1, 7, ONE_OF_SEVEN, one }, { 1, 2, 4, { 0, 2, 4, 6 }, two },   \
				{ 2, 2, 3, { 0, 2, 4 }, two }, { 3, 4, 2, { 0, 4 }, half }, \
				{ 4, 4, 1, { 0 }, half },                                   \
			{                                                                   \
				7, 8, 1, { 0 }, whole                                       \
			}                                                                   \
		}                                                                           \
	}

static const struct product products[] = {
	SEVEN("A100-SXM4-40GB", 4864, 9856, 19968, 40192),
	SEVEN("A100-SXM4-80GB", 9856, 19968, 40192, 80384),
	SEVEN("H100-SXM5-80GB", 9984, 20091, 40448, 81152),
	/* sizes known by their labels only: four of 47 are more than 186 */
	SEVEN("GB200", 23 * 1024, 47 * 1024, 93 * 1024, 186 * 1024),
	{ "A30",
	  4,
	  4,
	  3,
	  { { 1, 1, 4, { 0, 1, 2, 3 }, 5836 },
	    { 2, 2, 2, { 0, 2 }, 11672 },
	    { 4, 4, 1, { 0 }, 23344 } } },
};

static struct catalog *catalog;

/* Tenants i .. n - 1 on what is left of a GPU. */
static bool lie(const struct product *g, size_t n, const struct share_tenant *const *t, size_t i,
		unsigned taken, int compute)
{
	if (i == n)
		return true;
	for (int k = 0; k < g->nprofile; k++) {
		const struct profile *p = &g->profile[k];
		unsigned cells = (1u << p->memory) - 1;
		if (t[i]->mem_p99_bytes * 1.1 > p->mib * MIB || compute + p->compute > g->compute ||
		    t[i]->peak_util_frac > TARGET * p->compute / g->compute)
			continue;
		for (int s = 0; s < p->nstart; s++)
			if (!(taken & cells << p->start[s]) &&
			    lie(g, n, t, i + 1, taken | cells << p->start[s], compute + p->compute))
				return true;
	}
	return false;
}

static size_t fewest(const struct product *g, size_t n, const struct share_tenant *t, size_t i,
		     size_t gpus, size_t *on)
{
	size_t best = n;

	if (i < n) {
		for (size_t k = 0; k <= gpus; k++) {
			on[i] = k;
			size_t r = fewest(g, n, t, i + 1, gpus + (k == gpus), on);
			best = r < best ? r : best;
		}
		return best;
	}
	for (size_t k = 0; k < gpus; k++) {
		const struct share_tenant *here[TENANTS];
		size_t m = 0;
		for (i = 0; i < n; i++)
			if (on[i] == k)
				here[m++] = &t[i];
		if (m > 1 && !lie(g, m, here, 0, 0, 0))
			return n;
	}
	return gpus;
}

/* Owners who differ and accept each other: MIG, or a GPU of one's own. */
static struct share_tenant tenant(const char *owner, double gib, double load)
{
	return (struct share_tenant){ .team = owner,
				      .mem_p99_bytes = gib * GIB,
				      .peak_util_frac = load,
				      .latency_bound = true,
				      .with_others = true };
}

static const char *const owner[TENANTS] = { "a", "b", "c", "d", "e", "f", "g" };

static size_t solved(const char *model, size_t n, const struct share_tenant *t)
{
	struct plan_share_model gpu;
	struct share_packing p;
	struct err e;
	size_t gpus;

	assert_true(share_gpu_of(catalog, model, NAN, &gpu));
	assert_non_null(gpu.share.mig);
	assert_int_equal(share_pack(&gpu.share, n, t, TARGET, &p, &e), 0);
	assert_true(p.proven && p.lower_bound <= p.gpu.n);
	for (size_t k = 0; k < p.gpu.n; k++)
		assert_int_equal(p.gpu.v[k].how.kind, p.gpu.v[k].n > 1 ? SHARE_MIG : SHARE_WHOLE);
	gpus = p.gpu.n;
	share_packing_free(&p);
	return gpus;
}

/* One compute slice with the memory of two: "1g.10gb" beside "2g.10gb". */
static void one_slice_two_memories(void **s)
{
	static const struct {
		const char *model;
		size_t n, gpus;
		double gib;
	} want[] = { { "A100-SXM4-40GB", 4, 1, 4.9 }, { "A100-SXM4-40GB", 7, 2, 4.9 },
		     { "A100-SXM4-40GB", 7, 1, 4 },   { "A100-SXM4-80GB", 4, 1, 9 },
		     { "H100-SXM5-80GB", 5, 2, 9 },   { "GB200", 4, 1, 42.7 } };
	struct share_tenant t[TENANTS];

	for (size_t w = 0; w < sizeof want / sizeof *want; w++) {
		for (size_t i = 0; i < want[w].n; i++)
			t[i] = tenant(owner[i], want[w].gib, 0.1);
		assert_int_equal(solved(want[w].model, want[w].n, t), want[w].gpus);
	}
}

static uint64_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static void all_ways(void **s)
{
	uint64_t seed = 6;
	size_t freed = 0;

	for (int round = 0; round < 300; round++) {
		const struct product *g = &products[round % 5];
		const struct profile *whole = &g->profile[g->nprofile - 1];
		struct share_tenant t[TENANTS];
		size_t n = 2 + (size_t)(draw(&seed) % (TENANTS - 1)), on[TENANTS];
		for (size_t i = 0; i < n; i++) { /* an eighth to four of the memory, little load */
			double part = (double)(4 + draw(&seed) % 40) / 100;
			double load = (double)(draw(&seed) % 30) / 100;
			t[i] = tenant(owner[i], part * whole->mib / 1024, load);
		}
		size_t best = fewest(g, n, t, 0, 0, on);
		assert_int_equal(solved(g->model, n, t), best);
		freed += n - best;
	}
	assert_true(freed > 300); /* there was something to decide */
}

/* MIG whose places nobody has told: neither used, nor taken for a proof. */
static void places_unknown(void **s)
{
	struct plan_share_model gpu;
	struct share_packing p;
	struct err e;
	struct share_tenant t[2] = { tenant("a", 10, 0.1), tenant("b", 10, 0.1) };

	assert_true(share_gpu_of(catalog, "RTX-PRO-6000", NAN, &gpu));
	assert_true(gpu.share.mig_unplaced && !gpu.share.mig);
	assert_int_equal(share_pack(&gpu.share, 2, t, TARGET, &p, &e), 0);
	assert_true(p.gpu.n == 2 && p.lower_bound == 1 && !p.proven);
	share_packing_free(&p);
}

static int setup(void **s)
{
	struct err e;

	return catalog_open(NULL, &catalog, &e);
}

static int teardown(void **s)
{
	catalog_free(catalog);
	return 0;
}

int main(void)
{
	const struct CMUnitTest t[] = { cmocka_unit_test(one_slice_two_memories),
					cmocka_unit_test(all_ways),
					cmocka_unit_test(places_unknown) };
	return cmocka_run_group_tests(t, setup, teardown);
}
