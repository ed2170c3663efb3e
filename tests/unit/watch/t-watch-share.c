/* The agent and the ledger divide a GPU alike: every MIG geometry of the catalogue and every mix
 * of kinds, once through the live watch and once through attribution. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "watch/watch_join.h"
#include "base/tm.h"

#define OWNERS 6
#define H0     (INT64_C(480000) * MS_HOUR)

static uint64_t rnd_state = 3;
static uint32_t rnd(uint32_t below)
{
	rnd_state = rnd_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(rnd_state >> 33) % below;
}

static struct conf conf;
static struct catalog *cat;
static struct gpu_dev dev[OWNERS + 1];
static size_t ndev, nhold;
static struct whose_hold hold[OWNERS];
static struct allocation job[OWNERS];

static const struct allocation *no_owner(void *ctx, const struct gpu_proc *p)
{
	return NULL;
}

static double no_cpu(void *ctx, const struct gpu_proc *p)
{
	return NAN;
}

static void add_dev(const struct gpu_spec *gpu, int parent, const struct mig_profile *m, int start)
{
	struct gpu_dev *d = &dev[ndev];
	*d = (struct gpu_dev){ .present = true };
	d->info = (struct gpu_info){ .parent = parent,
				     .gi = -1,
				     .ci = -1,
				     .mig_start = start,
				     .mig_enabled = !m && nhold == 0,
				     .mem_total_bytes = NAN };
	snprintf(d->info.uuid, sizeof d->info.uuid, "%s-%zu", m ? "MIG" : "GPU", ndev);
	snprintf(d->info.name, sizeof d->info.name, "%s", gpu->model);
	snprintf(d->info.mig_profile, sizeof d->info.mig_profile, "%s", m ? m->name : "");
	for (int k = 0; k < METRIC_N; k++)
		d->value[k] = NAN;
	ndev++;
}

struct sums {
	int64_t ms[OWNERS], free_ms, stranded_ms;
};

static int sum_entry(void *ctx, const struct attrib_entry *e, struct err *err)
{
	struct sums *s = ctx;
	if (e->owner != ATTRIB_NOBODY)
		s->ms[e->owner] += e->ms;
	else if (e->cause == CAUSE_STRANDED)
		s->stranded_ms += e->ms;
	else
		s->free_ms += e->ms;
	return 0;
}

static struct sums ledger(const struct gpu_spec *gpu, const struct attrib_alloc *alloc, size_t n)
{
	struct attrib_paid paid = { .from_ms = H0,
				    .to_ms = H0 + MS_HOUR,
				    .gpus_milli = 1000,
				    .gpus_known = true,
				    .recorded = true,
				    .unheld_state = STATE_UNALLOCATED,
				    .unheld_cause = CAUSE_FREE,
				    .owner = ATTRIB_NOBODY };
	struct attrib_gpu g = { .paid = &paid,
				.npaid = 1,
				.alloc = alloc,
				.nalloc = n,
				.mem_total_bytes = NAN,
				.tdp_w = NAN };
	struct attrib_rest rest = { 0 };
	struct arena mem = { 0 };
	struct sums s = { 0 };
	struct attrib_out out = { sum_entry, &s, &rest };
	struct err err = { 0 };
	share_geom_of(cat, gpu, conf.attrib.mig_share_by_memory, &mem, &g.geom);
	assert_int_equal(attrib_gpu(&conf.attrib, &g, NULL, NULL, &out, &err), 0);
	arena_free(&mem);
	return s;
}

static struct sums agent(void)
{
	struct watch_join j = { .conf = &conf, .catalog = cat };
	struct gpu_view v = { .dev = dev, .ndev = ndev };
	struct watch_in in = { .gpus = &v,
			       .hold = hold,
			       .nhold = nhold,
			       .now_ms = H0,
			       .step_ms = 1000,
			       .owner = no_owner,
			       .cpu = no_cpu };
	struct sums s = { 0 };
	int64_t all = 0;
	watch_join_run(&j, &in);
	for (size_t i = 0; i < j.dev.n; i++)
		for (size_t k = 0; k < j.dev.v[i].nuse; k++) {
			const struct watch_use *u = &j.dev.v[i].use[k];
			int64_t ms = (u->share_ppb * 36 + 5000) / 10000;
			all += u->share_ppb;
			if (u->held)
				s.ms[u->held - job] += ms;
			else if (u->cause == CAUSE_STRANDED)
				s.stranded_ms += ms;
			else
				s.free_ms += ms;
		}
	assert_int_equal(all, SHARE_PPB);
	watch_join_free(&j);
	return s;
}

static void compare(const struct sums *a, const struct sums *b, const char *model)
{
	for (size_t i = 0; i < OWNERS; i++)
		assert_true(llabs(a->ms[i] - b->ms[i]) <= 1);
	if (llabs(a->free_ms - b->free_ms) > 1 || llabs(a->stranded_ms - b->stranded_ms) > 1)
		fail_msg("%s: agent free %lld stranded %lld, ledger free %lld stranded %lld", model,
			 (long long)a->free_ms, (long long)a->stranded_ms, (long long)b->free_ms,
			 (long long)b->stranded_ms);
}

/* Instances in their places, each held by one or two jobs; places told by the driver or not. */
static void mig_round(const struct gpu_spec *gpu, size_t nprofile)
{
	struct attrib_alloc alloc[OWNERS];
	static char uuid[OWNERS + 1][16];
	int compute = gpu->mig_compute_slices, memory = gpu->mig_memory_slices;
	bool told = rnd(2);
	uint32_t used = 0;

	ndev = nhold = 0;
	add_dev(gpu, -1, NULL, -1);
	for (int tries = 0; tries < 20 && nhold < OWNERS; tries++) {
		const struct mig_profile *m = catalog_mig_at(cat, gpu->model,
							     rnd((uint32_t)nprofile));
		int start = m->nstart ? m->start[rnd((uint32_t)m->nstart)] : -1;
		uint32_t bits = start < 0 ? 0 : ((1U << m->memory_slices) - 1) << start;
		if (m->compute_slices > compute || m->memory_slices > memory || used & bits)
			continue;
		used |= bits;
		compute -= m->compute_slices;
		memory -= m->memory_slices;
		snprintf(uuid[ndev], sizeof uuid[ndev], "MIG-%zu", ndev);
		add_dev(gpu, 0, m, told ? start : -1);
		for (size_t k = 1 + rnd(2); k > 0 && nhold < OWNERS; k--, nhold++) {
			hold[nhold] = (struct whose_hold){ .held = &job[nhold],
							   .mig = sv_of(uuid[ndev - 1]),
							   .index = -1,
							   .share_kind = SHARE_MIG,
							   .share_ppb = -1 };
			alloc[nhold] = (struct attrib_alloc){ .from_ms = H0,
							      .to_ms = H0 + MS_HOUR,
							      .owner = nhold,
							      .share_kind = SHARE_MIG,
							      .share_ppb = -1,
							      .mig_compute = m->compute_slices,
							      .mig_memory = m->memory_slices,
							      .mig_start = told ? start : -1,
							      .mig = hold[nhold].mig };
		}
	}
	struct sums a = agent(), l = ledger(gpu, alloc, nhold);
	compare(&a, &l, gpu->model);
}

/* A GPU without instances, held in any way by several. */
static void mixed_round(const struct gpu_spec *gpu)
{
	static const enum share_kind kind[] = { SHARE_WHOLE, SHARE_MPS, SHARE_TIMESLICE,
						SHARE_FRACTION };
	struct attrib_alloc alloc[OWNERS];
	ndev = nhold = 0;
	add_dev(gpu, -1, NULL, -1);
	dev[0].info.mig_enabled = false;
	for (size_t n = rnd(OWNERS + 1); nhold < n; nhold++) {
		enum share_kind k = kind[rnd(4)];
		int64_t ppb = k == SHARE_WHOLE || rnd(2) ? -1 : (int64_t)rnd(1000000001);
		hold[nhold] = (struct whose_hold){
			.held = &job[nhold], .index = 0, .share_kind = k, .share_ppb = ppb
		};
		alloc[nhold] = (struct attrib_alloc){ .from_ms = H0,
						      .to_ms = H0 + MS_HOUR,
						      .owner = nhold,
						      .share_kind = k,
						      .share_ppb = ppb,
						      .mig_start = -1 };
	}
	struct sums a = agent(), l = ledger(gpu, alloc, nhold);
	compare(&a, &l, gpu->model);
}

static void test_alike(void **st)
{
	struct err err = { 0 };
	const struct gpu_spec *gpu;
	size_t geometries = 0;

	assert_int_equal(conf_load(NULL, &conf, &err), 0);
	assert_int_equal(catalog_open(NULL, &cat, &err), 0);
	for (size_t i = 0; (gpu = catalog_gpu_at(cat, i)); i++) {
		size_t n = 0;
		while (catalog_mig_at(cat, gpu->model, n))
			n++;
		geometries += n > 0;
		for (int round = 0; round < 200 && n; round++) {
			conf.attrib.mig_share_by_memory = round % 2;
			mig_round(gpu, n);
		}
		for (int round = 0; round < 20; round++)
			mixed_round(gpu);
	}
	assert_true(geometries >= 10);
	catalog_free(cat);
	conf_free(&conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_alike) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
