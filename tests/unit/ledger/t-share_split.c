/* Properties of the division of a GPU, for every MIG geometry of the catalogue and random mixes of
 * owners (fixed seed): it closes, and no order matters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/share.h"

#define USES 14

static uint64_t rnd_state = 7;
static uint32_t rnd(uint32_t below)
{
	rnd_state = rnd_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(rnd_state >> 33) % below;
}

static const struct sv ids[] = { { "m0", 2 }, { "m1", 2 }, { "m2", 2 }, { "m3", 2 } };

/* Instances of a GPU as one source tells of them: by id, by place, by both or by neither. */
static struct share_use instance[4];

static void random_instances(const struct share_geom *g)
{
	bool by_id = rnd(2), by_place = rnd(2);
	for (int i = 0; i < 4; i++) {
		struct share_use u = { .kind = SHARE_MIG, .ppb = -1, .start = -1 };
		if (g->nprofile && rnd(8)) {
			const struct share_profile *p = &g->profile[rnd((uint32_t)g->nprofile)];
			u.compute = p->compute;
			u.memory = p->memory;
			u.start = by_place && p->nstart ? p->start[rnd((uint32_t)p->nstart)] : -1;
		}
		u.mig = by_id ? ids[i] : SV_NULL;
		instance[i] = u;
	}
}

static struct share_use random_use(void)
{
	struct share_use u = { .kind = (enum share_kind)rnd(SHARE_N), .ppb = -1, .start = -1 };
	if (u.kind == SHARE_MIG)
		return instance[rnd(4)];
	if (rnd(2))
		u.ppb = rnd(3) ? rnd(1000000001) : 333333333;
	return u;
}

static void check(const struct share_geom *g, int64_t gpu, size_t n, const struct share_use *use)
{
	struct share_use moved[USES];
	int64_t part[USES], part_moved[USES], sum = 0;
	size_t from[USES];
	struct share_sum s, s_moved;

	share_split(g, gpu, n, use, part, &s);
	for (size_t i = 0; i < n; i++) {
		assert_true(part[i] >= 0 && part[i] <= gpu);
		sum += part[i];
	}
	assert_true(s.rest >= 0 && sum + s.rest == gpu);
	assert_false(s.over && s.rest > (int64_t)n);
	assert_false(s.stranded && s.rest == 0);

	for (size_t i = 0; i < n; i++)
		from[i] = i;
	for (size_t i = n; i > 1; i--) {
		size_t k = rnd((uint32_t)i), t = from[i - 1];
		from[i - 1] = from[k];
		from[k] = t;
	}
	for (size_t i = 0; i < n; i++)
		moved[i] = use[from[i]];
	share_split(g, gpu, n, moved, part_moved, &s_moved);
	for (size_t i = 0; i < n; i++)
		assert_true(llabs(part_moved[i] - part[from[i]]) <= 1);
	assert_true(llabs(s.rest - s_moved.rest) <= 1);
	assert_int_equal(s.over, s_moved.over);
	assert_int_equal(s.stranded, s_moved.stranded);
	assert_int_equal(s.by_process, s_moved.by_process);
}

static void test_every_geometry(void **st)
{
	struct catalog *cat;
	struct err err = { 0 };
	struct arena mem = { 0 };
	const struct gpu_spec *gpu;
	size_t geometries = 0, profiles = 0;

	assert_int_equal(catalog_open(NULL, &cat, &err), 0);
	for (size_t i = 0; (gpu = catalog_gpu_at(cat, i)); i++) {
		struct share_geom g;
		share_geom_of(cat, gpu, rnd(2), &mem, &g);
		geometries += g.nprofile > 0;
		profiles += g.nprofile;
		for (int round = 0; round < 300; round++) {
			struct share_use use[USES];
			size_t n = rnd(USES + 1);
			bool only_mig = rnd(3) == 0;
			random_instances(&g);
			for (size_t k = 0; k < n;) {
				use[k] = random_use();
				k += !only_mig || use[k].kind == SHARE_MIG;
			}
			check(&g, rnd(4) ? SHARE_ONE : SHARE_ONE / 8, n, use);
		}
	}
	/* as many as the table of profiles has GPUs for */
	assert_true(geometries >= 10 && profiles >= 80);
	catalog_free(cat);
	arena_free(&mem);
}

/* Two 3g.20gb whose places nobody knows: the slice that is left has no memory to go with it. */
static void test_3g_3g_somewhere(void **st)
{
	static const struct share_profile profile[] = { { 1, 1, { 0, 1, 2, 3, 4, 5, 6 }, 7 },
							{ 3, 4, { 0, 4 }, 2 } };
	const struct share_geom g = { 7, 8, profile, 2, false };
	const struct share_use use[] = { { SHARE_MIG, -1, 3, 4, -1, ids[0] },
					 { SHARE_MIG, -1, 3, 4, -1, ids[1] } };
	struct share_sum s;
	int64_t part[2];
	share_split(&g, SHARE_ONE, 2, use, part, &s);
	assert_true(s.stranded && s.rest == SHARE_ONE / 7);
	share_split(&g, SHARE_ONE, 1, use, part, &s);
	assert_true(!s.stranded && s.rest == SHARE_ONE / 7 * 4);
}

static void slices(const struct catalog *c, const char *gpu, const char *name, int compute,
		   int memory)
{
	int got_compute, got_memory;
	share_slices(c, gpu ? catalog_gpu(c, sv_of(gpu)) : NULL, sv_of(name), &got_compute,
		     &got_memory);
	assert_int_equal(got_compute, compute);
	assert_int_equal(got_memory, memory);
}

static void test_slices(void **st)
{
	struct catalog *cat;
	struct err err = { 0 };
	assert_int_equal(catalog_open(NULL, &cat, &err), 0);
	slices(cat, "A100-SXM4-40GB", "3g.20gb", 3, 4);
	slices(cat, "A100-SXM4-40GB", "1g.10gb", 1, 2);
	slices(cat, "A100-SXM4-40GB", "1c.3g.20gb", 1, 4);
	slices(cat, "A30", "2g.12gb", 2, 2);
	slices(cat, NULL, "3g.40gb", 3, 4);
	slices(cat, NULL, "2c.3g.40gb", 2, 4);
	slices(NULL, NULL, "7g.80gb", 7, 8);
	slices(cat, "A100-SXM4-40GB", "nvidia.com/mig-1g.5gb", 1, 1);
	slices(cat, "A100-SXM4-80GB", "nvidia_a100_80gb_pcie_1g.20gb", 1, 2);
	slices(cat, NULL, "a100_3g.20gb", 3, 4);
	slices(cat, NULL, "MIG 4", 0, 0);
	slices(cat, NULL, "", 0, 0);
	catalog_free(cat);
}

static void mig_name(const char *text, const char *model, const char *profile)
{
	struct sv m = SV_NULL, p = SV_NULL;

	assert_int_equal(share_mig_name(sv_of(text), &m, &p), profile != NULL);
	assert_true(sv_eq(m, sv_of(model)) && sv_eq(p, sv_of(profile)));
}

static void test_mig_names(void **st)
{
	mig_name("1g.10gb", NULL, "1g.10gb");
	mig_name("1c.3g.40gb", NULL, "1c.3g.40gb");
	mig_name("h100_1g.10gb", "h100", "1g.10gb");
	mig_name("gb200-1g.23gb+me", "gb200", "1g.23gb+me");
	mig_name("nvidia_a100_80gb_pcie_1g.10gb", "nvidia_a100_80gb_pcie", "1g.10gb");
	mig_name("nvidia.com/mig-1g.5gb.me", NULL, "1g.5gb.me");
	mig_name("mig_1c.3g.20gb", NULL, "1c.3g.20gb");
	mig_name("NVIDIA A100-SXM4-40GB MIG 3g.20gb", "NVIDIA A100-SXM4-40GB", "3g.20gb");
	mig_name("a100", NULL, NULL);
	mig_name("gb200", NULL, NULL);
	mig_name("9g.gb", NULL, NULL);
	mig_name("1g.10gbps", NULL, NULL);
	mig_name("g", NULL, NULL);
	mig_name("", NULL, NULL);
}

/* Two compute instances of one 3g: their shares are their own slices, the memory is taken once. */
static void test_compute_instances(void **st)
{
	static const struct share_profile profile[] = { { 4, 4, { 0 }, 1 } };
	const struct share_geom g = { 7, 8, profile, 1, false };
	const struct share_use use[] = { { SHARE_MIG, -1, 1, 4, 4, ids[0] },
					 { SHARE_MIG, -1, 2, 4, 4, ids[1] } };
	struct share_sum s;
	int64_t part[2];
	share_split(&g, SHARE_ONE, 2, use, part, &s);
	assert_true(part[0] == SHARE_ONE / 7 && part[1] == SHARE_ONE / 7 * 2 && !s.stranded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_geometry),
		cmocka_unit_test(test_3g_3g_somewhere),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_mig_names),
		cmocka_unit_test(test_compute_instances),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
