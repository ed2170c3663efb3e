/* Sharing rules, capacity, batches: the seeds' numbers, each rule by a case that only it decides,
 * bad input. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "model/mig_parted.h"
#include "opt/capacity/batching.h"
#include "opt/capacity/capacity.h"
#include "opt/share/share.h"

#define GIB 0x1p30

static void capacity_vector(void **s)
{
	struct err e;
	int64_t n;
	assert_int_equal(capacity_gpus(500, 200, 0, &n, &e), 0);
	assert_int_equal(n, 3);
	assert_int_equal(capacity_gpus(500, 200, 0.2, &n, &e), 0);
	assert_int_equal(n, 4);
	assert_int_equal(capacity_gpus(1000, 200, 0.2, &n, &e), 0);
	assert_int_equal(n, 6); /* 5 x 1.2, not 7 */
	assert_int_equal(capacity_gpus(0, 200, 0.2, &n, &e), 0);
	assert_int_equal(n, 0);
	assert_int_equal(capacity_gpus(-1, 200, 0, &n, &e), -EINVAL);
	assert_int_equal(capacity_gpus(NAN, 200, 0, &n, &e), -EINVAL);
	assert_int_equal(capacity_gpus(500, 0, 0, &n, &e), -EINVAL);
	assert_int_equal(capacity_gpus(500, 200, 11, &n, &e), -EINVAL);
	assert_int_equal(capacity_gpus(1e300, 1e-300, 0, &n, &e), -E2BIG);
}

static void bands(void **s)
{
	static const struct {
		double util;
		const char *name;
	} want[] = { { NAN, "unknown" }, { 0, "consolidate" }, { 0.39, "consolidate" },
		     { 0.40, "low" },    { 0.60, "healthy" },  { 0.80, "healthy" },
		     { 0.85, "busy" },   { 0.86, "at risk" } };
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		assert_string_equal(capacity_band_name(capacity_band(want[i].util)), want[i].name);
	assert_string_equal(capacity_profile_band(0.24), "overprovisioned");
	assert_string_equal(capacity_profile_band(0.25), "underutilized");
	assert_string_equal(capacity_profile_band(0.60), "well-utilized");
	assert_string_equal(capacity_profile_band(NAN), "unknown");
}

static void batch_vector(void **s)
{
	struct batch_in in = { .slo_ms = 200,
			       .qps = NAN,
			       .model = { 30, NAN, NAN },
			       .max_batch = 32,
			       .model_ms = 30 };
	struct batch_plan p;
	struct err e;
	assert_int_equal(batch_decide(&in, &p, &e), 0);
	assert_true(p.feasible && p.wait_bound_ms == 170 && p.start_lo_ms == 20 &&
		    p.start_hi_ms == 30);
	in.slo_ms = 20;
	assert_int_equal(batch_decide(&in, &p, &e), 0);
	assert_false(p.feasible);
	in.slo_ms = NAN;
	assert_int_equal(batch_decide(&in, &p, &e), -EINVAL);
}

static void batch_sizes(void **s)
{
	const struct batch_point pt[] = { { 1, 12 }, { 2, 14 }, { 4, 18 }, { 8, 26 } };
	struct batch_in in = { .slo_ms = 200, .qps = 1000, .max_batch = 128, .model_ms = NAN };
	struct batch_plan p;
	struct err e;
	assert_int_equal(batch_fit(4, pt, &in.model, &e), 0);
	assert_true(fabs(in.model.alpha_ms - 10) < 1e-9 && fabs(in.model.beta_ms - 2) < 1e-9 &&
		    in.model.r2 > 0.999);
	assert_int_equal(batch_decide(&in, &p, &e), 0);
	assert_int_equal(p.safe, 45);     /* 2 (10 + 90) = 200 */
	assert_int_equal(p.absolute, 95); /* 10 + 190 = 200 */
	assert_int_equal(p.replicas, 3);  /* 450/s each, at most 0.9 of it */
	/* 4/3 (10 + 140) = 200 */
	assert_true(fabs(p.load_frac - 1000 / 1350.0) < 1e-9 && p.staggered == 70);
	const struct batch_point bad[] = { { 0, 1 } }, falling[] = { { 1, 30 }, { 8, 10 } };
	assert_int_equal(batch_fit(1, bad, &in.model, &e), -EINVAL);
	assert_int_equal(batch_fit(0, bad, &in.model, &e), -EINVAL);
	assert_int_equal(batch_fit(2, falling, &in.model, &e), 0);
	assert_true(in.model.beta_ms == 0);
}

static struct mig_geom geom;
static struct share_gpu a100 = {
	40 * GIB, true, &geom, { 4.75 * GIB, 9.625 * GIB, 19.5 * GIB, 19.5 * GIB, 39.25 * GIB }
};

static enum share_kind decide(const struct share_gpu *c, size_t n, const struct share_tenant *t,
			      struct share_answer *a)
{
	share_decide(c, n, t, 0.8, a);
	return a->kind;
}

static void rules(void **s)
{
	struct share_tenant t[2] = { { "ads", 8 * GIB, 0.2, true, false, false },
				     { "ads", 15 * GIB, 0.3, true, false, false } };
	struct share_gpu no_mig = a100, old = a100;
	struct share_answer a;
	struct err e;
	assert_int_equal(mig_geom_init(&geom, &mig_a100_80, &e), 0);
	no_mig.mig = old.mig = NULL;
	old.volta_or_later = false;
	assert_int_equal(decide(&a100, 2, t, &a), SHARE_MIG);
	/* 8.8 GiB and 0.2 <= 0.8 x 2/7: a 2g would do, a 3g is free */
	assert_int_equal(a.type[0], 2);
	assert_int_equal(a.type[1], 3); /* 16.5 GiB: 3g at least; more load: 4g */
	assert_int_equal(decide(&no_mig, 2, t, &a), SHARE_MPS);
	/* shared addresses and a latency bound */
	assert_int_equal(decide(&old, 2, t, &a), SHARE_WHOLE);
	t[0].latency_bound = t[1].latency_bound = false;
	assert_int_equal(decide(&old, 2, t, &a), SHARE_TIMESLICE);
	t[1].team = "search";
	assert_int_equal(decide(&a100, 2, t, &a), SHARE_WHOLE); /* not asked */
	t[0].with_others = t[1].with_others = true;
	assert_int_equal(decide(&a100, 2, t, &a), SHARE_MIG);
	/* a fault of one would end the other team's work */
	assert_int_equal(decide(&no_mig, 2, t, &a), SHARE_WHOLE);
	t[1].team = "ads";
	t[1].mem_p99_bytes = 30 * GIB; /* 1.1 x 38 > 40 */
	assert_int_equal(decide(&no_mig, 2, t, &a), SHARE_WHOLE);
	t[1].mem_p99_bytes = 15 * GIB;
	t[1].peak_util_frac = 0.7;
	assert_int_equal(decide(&no_mig, 2, t, &a), SHARE_WHOLE);
	t[1].peak_util_frac = NAN;
	assert_int_equal(decide(&a100, 2, t, &a), SHARE_WHOLE);
	t[1].peak_util_frac = 0.1;
	t[1].alone = true;
	assert_int_equal(decide(&a100, 2, t, &a), SHARE_WHOLE);
	assert_int_equal(decide(&a100, 1, t, &a), SHARE_WHOLE);
}

/* Beside 0.3 of a GPU a request takes up to 1.3 times as long: too long where 1.29 was promised. An
 * instance of its own has no neighbour. */
static void latency(void **s)
{
	struct share_tenant t[2] = { { "ads", 8 * GIB, 0.2, .latency_bound = true },
				     { "ads", 15 * GIB, 0.3, .latency_bound = true } };
	struct share_gpu no_mig = a100;
	struct share_answer a;
	struct err e;
	assert_int_equal(mig_geom_init(&geom, &mig_a100_80, &e), 0);
	no_mig.mig = NULL;
	t[0].promised = true;
	t[0].room_frac = 0.29;
	assert_int_equal(decide(&no_mig, 2, t, &a), SHARE_WHOLE);
	assert_non_null(strstr(a.why, "latency"));
	assert_int_equal(decide(&a100, 2, t, &a), SHARE_MIG);
	t[0].room_frac = 0.3;
	assert_int_equal(decide(&no_mig, 2, t, &a), SHARE_MPS);
	t[1].promised = true; /* no room at all beside 0.2 */
	assert_int_equal(decide(&no_mig, 2, t, &a), SHARE_WHOLE);
}

/* Notebooks take turns among themselves, and stay away from services but on MIG; replicas apart. */
static void sessions(void **s)
{
	struct share_tenant t[2] = { { .team = "ann",
				       .mem_p99_bytes = 4 * GIB,
				       .peak_util_frac = 0.1,
				       .interactive = true },
				     { .team = "ann",
				       .mem_p99_bytes = 4 * GIB,
				       .peak_util_frac = 0.1,
				       .interactive = true } };
	struct share_gpu no_mig = a100;
	struct share_answer a;
	struct err e;
	assert_int_equal(mig_geom_init(&geom, &mig_a100_80, &e), 0);
	no_mig.mig = NULL;
	assert_int_equal(decide(&no_mig, 2, t, &a), SHARE_TIMESLICE);
	assert_int_equal(decide(&a100, 2, t, &a), SHARE_MIG);
	t[1].interactive = false;
	t[1].latency_bound = true;
	assert_int_equal(decide(&no_mig, 2, t, &a), SHARE_WHOLE);
	assert_non_null(strstr(a.why, "notebook beside a service"));
	assert_int_equal(decide(&a100, 2, t, &a), SHARE_MIG);
	t[0] = t[1];
	t[0].service = t[1].service = "chat";
	assert_int_equal(decide(&a100, 2, t, &a), SHARE_WHOLE);
	assert_non_null(strstr(a.why, "replicas"));
}

/* ---- many tenants: against all ways, by a second mind ------------------------------------- */

/* Rules written once more, from the table of the design: an A100-40GB (or one without MIG) whose
 * instances are 1, 2, 3, 4, 7 slices; places tried by hand. */
static const struct {
	int slices, memory, nstart, start[7];
	double gib;
} instance[] = { { 1, 1, 7, { 0, 1, 2, 3, 4, 5, 6 }, 4.75 },
		 { 2, 2, 3, { 0, 2, 4 }, 9.625 },
		 { 3, 4, 2, { 0, 4 }, 19.5 },
		 { 4, 4, 1, { 0 }, 19.5 },
		 { 7, 8, 1, { 0 }, 39.25 } };

static bool mig_by_hand(size_t n, const struct share_tenant *const *t, size_t i, unsigned taken,
			int slices)
{
	if (i == n)
		return true;
	for (size_t k = 0; k < 5; k++)
		for (int s = 0; s < instance[k].nstart; s++) {
			unsigned cells = ((1u << instance[k].memory) - 1) << instance[k].start[s];
			if (t[i]->mem_p99_bytes * 1.1 <= instance[k].gib * GIB &&
			    t[i]->peak_util_frac <= 0.8 * instance[k].slices / 7 &&
			    !(taken & cells) && slices + instance[k].slices <= 7 &&
			    mig_by_hand(n, t, i + 1, taken | cells, slices + instance[k].slices))
				return true;
		}
	return false;
}

/* 0 MIG or alone, 1 MPS, 2 time slices, -1 not at all. */
static int kind_by_hand(bool mig, size_t n, const struct share_tenant *const *t)
{
	bool one_owner = true, accept = true, notebooks = true, services = true;
	double mem = 0, load = 0;
	if (n == 1)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (t[i]->alone || isnan(t[i]->mem_p99_bytes) || isnan(t[i]->peak_util_frac))
			return -1;
		for (size_t k = 0; k < i; k++)
			if (t[i]->service && t[k]->service && !strcmp(t[i]->service, t[k]->service))
				return -1;
		one_owner &= *t[i]->team && !strcmp(t[i]->team, t[0]->team);
		accept &= t[i]->with_others;
		notebooks &= t[i]->interactive;
		services &= !t[i]->interactive;
		mem += t[i]->mem_p99_bytes * 1.1;
		load += t[i]->peak_util_frac;
	}
	if (mig && (one_owner || accept) && mig_by_hand(n, t, 0, 0, 0))
		return 0;
	if (!one_owner || mem > 40 * GIB || load > 0.8 || !(notebooks || services))
		return -1;
	return notebooks ? 2 : 1;
}

/* Every way to part n tenants into GPUs: block[i] is the GPU of i. */
static long fewest_by_hand(bool mig, size_t n, const struct share_tenant *t, size_t i, size_t gpus,
			   size_t *block)
{
	long best = 1L << 40;
	if (i < n) {
		for (size_t b = 0; b <= gpus && b < n; b++) {
			block[i] = b;
			long c = fewest_by_hand(mig, n, t, i + 1, gpus + (b == gpus), block);
			best = c < best ? c : best;
		}
		return best;
	}
	long cost = 0;
	for (size_t b = 0; b < gpus; b++) {
		const struct share_tenant *on[8];
		size_t k = 0;
		for (size_t x = 0; x < n; x++)
			if (block[x] == b)
				on[k++] = &t[x];
		int kind = kind_by_hand(mig, k, on);
		if (kind < 0)
			return best;
		cost += 1000 + kind * (long)k;
	}
	return cost;
}

static uint64_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static void random_tenants(uint64_t *seed, size_t n, struct share_tenant *t)
{
	static const char *const owner[] = { "a", "b", "c", "" }, *const service[] = { "s", "r" };
	for (size_t i = 0; i < n; i++) {
		t[i] = (struct share_tenant){ .team = owner[draw(seed) % 4],
					      .mem_p99_bytes = (double)(1 + draw(seed) % 24) * GIB,
					      .peak_util_frac = (double)(draw(seed) % 60) / 100,
					      .alone = draw(seed) % 12 == 0,
					      .with_others = draw(seed) % 3 > 0,
					      .interactive = draw(seed) % 3 == 0 };
		t[i].latency_bound = !t[i].interactive;
		if (!t[i].interactive && draw(seed) % 3 == 0)
			t[i].service = service[draw(seed) % 2];
		if (draw(seed) % 15 == 0)
			t[i].mem_p99_bytes = NAN;
	}
}

static int weakness(enum share_kind kind)
{
	return kind == SHARE_TIMESLICE ? 2 : kind == SHARE_MPS;
}

static long cost_of(const struct share_packing *p)
{
	long cost = 0;
	for (size_t k = 0; k < p->gpu.n; k++) {
		cost += 1000 + weakness(p->gpu.v[k].how.kind) * (long)p->gpu.v[k].n;
	}
	return cost;
}

/* Each tenant once, on a GPU whose kind is right by hand. */
static void check_packing(bool mig, size_t n, const struct share_tenant *t,
			  const struct share_packing *p)
{
	size_t times[SHARE_TENANTS] = { 0 };
	for (size_t k = 0; k < p->gpu.n; k++) {
		const struct share_packed *c = &p->gpu.v[k];
		const struct share_tenant *on[SHARE_MPS_CLIENTS];
		for (size_t i = 0; i < c->n; i++) {
			times[c->tenant[i]]++;
			on[i] = &t[c->tenant[i]];
		}
		int kind = kind_by_hand(mig, c->n, on);
		assert_true(kind >= 0);
		if (c->n > 1)
			assert_int_equal(kind, weakness(c->how.kind));
	}
	for (size_t i = 0; i < n; i++)
		assert_int_equal(times[i], 1);
}

static void packing(void **s)
{
	struct share_gpu gpu[2] = { a100, a100 };
	uint64_t seed = 14;
	size_t saved = 0;
	struct err e;
	assert_int_equal(mig_geom_init(&geom, &mig_a100_80, &e), 0);
	gpu[1].mig = NULL;
	for (int round = 0; round < 400; round++) {
		size_t n = 2 + (size_t)(draw(&seed) % 6), block[8];
		bool mig = round % 2 == 0;
		struct share_tenant t[8];
		struct share_packing p;
		random_tenants(&seed, n, t);
		assert_int_equal(share_pack(&gpu[!mig], n, t, 0.8, &p, &e), 0);
		assert_int_equal(cost_of(&p), fewest_by_hand(mig, n, t, 0, 0, block));
		assert_true(p.proven && p.lower_bound <= p.gpu.n);
		check_packing(mig, n, t, &p);
		saved += n - p.gpu.n;
		share_packing_free(&p);
	}
	assert_true(saved > 200); /* there was something to decide */
}

/* More than are looked at exactly: legal, never below the bound, near the exact answer of parts. */
static void many(void **s)
{
	struct share_tenant t[SHARE_TENANTS + 1];
	struct share_packing p;
	uint64_t seed = 7;
	struct err e;
	assert_int_equal(mig_geom_init(&geom, &mig_a100_80, &e), 0);
	for (int round = 0; round < 20; round++) {
		size_t n = 40 + (size_t)(draw(&seed) % 60);
		random_tenants(&seed, n, t);
		assert_int_equal(share_pack(&a100, n, t, 0.8, &p, &e), 0);
		check_packing(true, n, t, &p);
		assert_true(p.lower_bound <= p.gpu.n && p.gpu.n < n);
		share_packing_free(&p);
	}
	/* twelve of a seventh each and one more owner's: two GPUs, which the bound proves */
	for (size_t i = 0; i < 14; i++)
		t[i] = (struct share_tenant){ .team = "a",
					      .mem_p99_bytes = 4 * GIB,
					      .peak_util_frac = 0.11,
					      .with_others = true };
	assert_int_equal(share_pack(&a100, 14, t, 0.8, &p, &e), 0);
	assert_true(p.gpu.n == 2 && p.proven);
	share_packing_free(&p);
	assert_int_equal(share_pack(&a100, SHARE_TENANTS + 1, t, 0.8, &p, &e), -E2BIG);
	assert_int_equal(share_pack(&a100, 0, t, 0.8, &p, &e), 0);
	assert_int_equal(p.gpu.n, 0);
}

/* What a layout has on a GPU, largest first, in mig-parted's format. */
static void how(void **s)
{
	struct str out = { 0 };
	struct arena a = { 0 };
	struct mig_part part[MIG_TYPES];
	int count[MIG_TYPES] = { 1, 0, 1, 0, 0 };
	size_t n = share_parts(&a, &mig_a100_80, count, part);
	assert_int_equal(n, 2);
	mig_parted_begin(&out, "serving");
	mig_parted_device(&out, 0, part, n);
	assert_string_equal(
		str_z(&out),
		"version: v1\nmig-configs:\n  serving:\n    - devices: [0]\n      mig-enabled: true\n      mig-devices:\n"
		"        \"3g.40gb\": 1\n        \"1g.10gb\": 1\n");
	arena_free(&a);
	str_free(&out);
}

int main(void)
{
	const struct CMUnitTest t[] = { cmocka_unit_test(capacity_vector),
					cmocka_unit_test(bands),
					cmocka_unit_test(batch_vector),
					cmocka_unit_test(batch_sizes),
					cmocka_unit_test(rules),
					cmocka_unit_test(latency),
					cmocka_unit_test(latency),
					cmocka_unit_test(sessions),
					cmocka_unit_test(packing),
					cmocka_unit_test(many),
					cmocka_unit_test(how) };
	return cmocka_run_group_tests(t, NULL, NULL);
}
