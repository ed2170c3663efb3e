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
#include "opt/batching.h"
#include "opt/capacity.h"
#include "opt/share.h"

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
static struct share_card a100 = {
	40 * GIB, true, &geom, { 4.75 * GIB, 9.625 * GIB, 19.5 * GIB, 19.5 * GIB, 39.25 * GIB }
};

static enum share_kind decide(const struct share_card *c, size_t n, const struct share_tenant *t,
			      struct share_answer *a)
{
	share_decide(c, n, t, 0.8, a);
	return a->kind;
}

static void rules(void **s)
{
	struct share_tenant t[2] = { { "ads", 8 * GIB, 0.2, true, false, false },
				     { "ads", 15 * GIB, 0.3, true, false, false } };
	struct share_card no_mig = a100, old = a100;
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

/* What a layout has on a card, largest first, in mig-parted's format. */
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
	const struct CMUnitTest t[] = {
		cmocka_unit_test(capacity_vector), cmocka_unit_test(bands),
		cmocka_unit_test(batch_vector),    cmocka_unit_test(batch_sizes),
		cmocka_unit_test(rules),           cmocka_unit_test(how)
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
