/* See share.h. */
#include "ledger/share.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* ---- geometry ---------------------------------------------------------------------------- */

#define SLICES_COMPUTE 7 /* of every MIG GPU so far that is not in the catalogue */
#define SLICES_MEMORY  8

void share_geom_of(const struct catalog *c, const struct gpu_spec *gpu, bool by_memory,
		   struct arena *mem, struct share_geom *ret)
{
	bool known = gpu && gpu->mig_compute_slices > 0 && gpu->mig_memory_slices > 0;
	size_t n = 0;

	*ret = (struct share_geom){ .compute = SLICES_COMPUTE,
				    .memory = SLICES_MEMORY,
				    .by_memory = by_memory };
	if (known) {
		ret->compute = gpu->mig_compute_slices;
		ret->memory = gpu->mig_memory_slices;
	}
	while (c && gpu && catalog_mig_at(c, gpu->model, n))
		n++;
	struct share_profile *p = arena_alloc(mem, (n + 1) * sizeof *p);
	for (size_t i = 0; i < n; i++) {
		const struct mig_profile *f = catalog_mig_at(c, gpu->model, i);
		p[i] = (struct share_profile){ .compute = f->compute_slices,
					       .memory = f->memory_slices,
					       .nstart = f->nstart };
		memcpy(p[i].start, f->start, sizeof p[i].start);
	}
	ret->profile = p;
	ret->nprofile = n;
}

/* Memory slices that go with compute slices: all with all, and half of an A100's with three. */
static int memory_of(const struct gpu_spec *gpu, int compute)
{
	int of = gpu && gpu->mig_compute_slices > 0 ? gpu->mig_compute_slices : SLICES_COMPUTE,
	    memory = SLICES_MEMORY;

	if (gpu && gpu->mig_memory_slices > 0)
		memory = gpu->mig_memory_slices;
	if (compute >= of)
		return memory;
	if (compute == 3 && memory == 8)
		return 4;
	return compute;
}

/* The number before this letter at the start of a name, which then goes on behind ".". */
static int take_count(struct sv *name, char letter)
{
	if (name->n < 2 || !within_int(name->p[0], '1', '9') || name->p[1] != letter)
		return 0;
	int count = name->p[0] - '0';
	size_t n = 2;
	if (name->n > 2 && name->p[2] == '.')
		n = 3;
	*name = sv_from(*name, n);
	return count;
}

/* "1g.10gb", "3g.20gb.me", "1c.3g.40gb" */
static bool is_profile(struct sv v)
{
	size_t digits = 0;

	take_count(&v, 'c');
	if (v.n < 6 || !within_int(v.p[0], '1', '8') || v.p[1] != 'g' || v.p[2] != '.')
		return false;
	v = sv_from(v, 3);
	while (digits < v.n && isdigit((unsigned char)v.p[digits]))
		digits++;
	if (!digits || !sv_starts(sv_from(v, digits), SV("gb")))
		return false;
	v = sv_from(v, digits + 2);
	return !v.n || !isalnum((unsigned char)v.p[0]);
}

static struct sv without_seps(struct sv v)
{
	while (v.n && !isalnum((unsigned char)v.p[v.n - 1]))
		v.n--;
	return v;
}

/* What stands before a profile: "nvidia.com/mig-" names no model. */
static struct sv model_before(struct sv v)
{
	v = without_seps(v);
	if (v.n >= 3 && sv_ieq(sv_from(v, v.n - 3), SV("mig")) &&
	    (v.n == 3 || !isalnum((unsigned char)v.p[v.n - 4])))
		v.n -= 3;
	v = without_seps(v);
	if (!v.n || sv_is(v, "nvidia.com"))
		return SV_NULL;
	return v;
}

bool share_mig_name(struct sv text, struct sv *ret_model, struct sv *ret_profile)
{
	for (size_t i = 0; i < text.n; i++) {
		if (i && isalnum((unsigned char)text.p[i - 1]))
			continue;
		struct sv tail = sv_from(text, i);
		if (!is_profile(tail))
			continue;
		*ret_model = model_before((struct sv){ text.p, i });
		*ret_profile = tail;
		return true;
	}
	return false;
}

void share_part_models(struct allocation *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sv model, profile;

		if (v[i].share_kind != SHARE_WHOLE || v[i].mig_profile.n ||
		    !share_mig_name(v[i].gpu_model, &model, &profile))
			continue;
		v[i].share_kind = SHARE_MIG;
		v[i].gpu_model = model;
		v[i].mig_profile = profile;
	}
}

void share_slices(const struct catalog *c, const struct gpu_spec *gpu, struct sv profile,
		  int *ret_compute, int *ret_memory)
{
	struct sv name = profile, model;

	share_mig_name(profile, &model, &name);
	struct sv whole = name;
	int part = take_count(&name, 'c');
	const struct mig_profile *m = NULL;
	if (c && gpu)
		m = catalog_mig(c, gpu->model, part ? name : whole);
	int compute = m ? m->compute_slices : take_count(&name, 'g');
	*ret_memory = m ? m->memory_slices : memory_of(gpu, compute);
	*ret_compute = part && part < compute ? part : compute;
	if (!compute)
		*ret_memory = 0;
}

/* ---- division ---------------------------------------------------------------------------- */

void share_spread(int64_t whole, size_t n, const int64_t *weight, int64_t *ret)
{
	__int128 sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += weight[i];
	int64_t given = 0;
	for (size_t i = 0; i < n; i++) {
		ret[i] = sum ? (int64_t)((__int128)whole * weight[i] / sum) : whole / (int64_t)n;
		given += ret[i];
	}
	/* At most n - 1 units are left: to the largest remainders, found one by one since n is
	 * small. */
	for (; given < whole; given++) {
		size_t best = 0;
		__int128 best_rem = -1;
		for (size_t i = 0; i < n; i++) {
			__int128 rem = sum ? (__int128)whole * weight[i] - (__int128)ret[i] * sum
					   : whole - ret[i] * (int64_t)n;
			if (rem > best_rem) {
				best = i;
				best_rem = rem;
			}
		}
		ret[best]++;
	}
}

static bool same_instance(const struct share_use *a, const struct share_use *b)
{
	if (a->kind != SHARE_MIG || b->kind != SHARE_MIG)
		return false;
	if (a->mig.p && b->mig.p)
		return sv_eq(a->mig, b->mig);
	return a->start >= 0 && a->start == b->start;
}

int64_t share_of_slices(const struct share_geom *g, int compute, int memory)
{
	int slices = g->by_memory ? memory : compute, of = g->compute;
	if (g->by_memory)
		of = g->memory;
	if (slices <= 0 || of <= 0)
		return 0;
	if (slices >= of)
		return SHARE_ONE;
	return SHARE_ONE * slices / of;
}

/* Declared share of SHARE_ONE, or -1. */
static int64_t declared_share(const struct share_geom *g, size_t n, const struct share_use *use,
			      size_t i)
{
	const struct share_use *u = &use[i];
	int64_t instance = 0;
	if (u->kind == SHARE_MIG)
		instance = share_of_slices(g, u->compute, u->memory);
	if (instance) {
		int64_t holders = 0;
		for (size_t j = 0; j < n; j++)
			holders += j == i || same_instance(&use[i], &use[j]);
		return instance / holders;
	}
	if (u->kind == SHARE_WHOLE && u->ppb < 0)
		return SHARE_ONE;
	if (u->ppb < 0)
		return -1;
	if (u->ppb >= SHARE_PPB)
		return SHARE_ONE;
	return u->ppb * SHARE_PER_PPB;
}

/* Declared thirds are cut to 10^-9 (0.333333333): a GPU that is full but for such dust is full. */
#define SHARE_DUST (64 * SHARE_PER_PPB)

static bool profile_fits(const struct share_profile *p, int free_compute, int free_memory,
			 uint32_t used, bool places_known)
{
	if (p->compute > free_compute || p->memory > free_memory)
		return false;
	if (!places_known || p->nstart == 0)
		return true;
	for (int i = 0; i < p->nstart; i++) {
		uint32_t want = ((1U << p->memory) - 1) << p->start[i];
		if (!(used & want))
			return true;
	}
	return false;
}

bool share_strands(const struct share_geom *g, size_t n, const struct share_use *use)
{
	int compute = g->compute, memory = g->memory;
	uint32_t used = 0;
	bool places_known = true;
	for (size_t i = 0; i < n; i++) {
		const struct share_use *u = &use[i];
		if (u->kind != SHARE_MIG)
			return false;
		/* Does an earlier use take the same instance? "1c.3g" and "2c.3g" are two instances
		 * to those who hold them, at one place, whose memory they have together. */
		bool compute_taken = false, memory_taken = false;
		for (size_t j = 0; j < i; j++) {
			compute_taken |= same_instance(u, &use[j]);
			memory_taken |= u->start >= 0 && u->start == use[j].start;
		}
		if (!compute_taken)
			compute -= u->compute;
		if (!compute_taken && !memory_taken)
			memory -= u->memory;
		if (u->start >= 0 && u->start < 16 && u->memory > 0 && u->memory < 16)
			used |= ((1U << u->memory) - 1) << u->start;
		else
			places_known = false;
	}
	for (size_t k = 0; k < g->nprofile; k++)
		if (profile_fits(&g->profile[k], compute, memory, used, places_known))
			return false;
	return n > 0 && g->nprofile > 0;
}

bool share_is_open(const struct share_use *u)
{
	return u->ppb < 0 && (u->kind == SHARE_TIMESLICE || u->kind == SHARE_FRACTION);
}

void share_split(const struct share_geom *g, int64_t gpu, size_t n, const struct share_use *use,
		 int64_t *ret_part, struct share_sum *ret)
{
	int64_t sum = 0, nundeclared = 0, each = 0, *part = ret_part;
	bool all_open = true;
	for (size_t i = 0; i < n; i++) {
		part[i] = declared_share(g, n, use, i);
		nundeclared += part[i] < 0;
		all_open &= part[i] >= 0 || share_is_open(&use[i]);
		sum += max_i64(part[i], 0);
	}
	/* The undeclared have equal parts of what the others leave; where nothing is left, an equal
	 * part of the GPU before scaling. */
	if (nundeclared)
		each = sum < SHARE_ONE ? (SHARE_ONE - sum) / nundeclared : SHARE_ONE / (int64_t)n;
	for (size_t i = 0; i < n; i++)
		if (part[i] < 0) {
			part[i] = each;
			sum += each;
		}
	ret->by_process = all_open && nundeclared > 1 && sum <= SHARE_ONE;
	ret->over = sum > SHARE_ONE + SHARE_DUST;
	ret->rest = SHARE_ONE - sum;
	if (ret->rest <= SHARE_DUST)
		ret->rest = 0;
	ret->stranded = ret->rest > 0 && share_strands(g, n, use);
	if (sum + ret->rest != gpu) {
		/* Parts and rest of a smaller GPU in the same proportions. */
		int64_t *weight = xcalloc(2 * (n + 1), sizeof *weight), *to = weight + n + 1;
		memcpy(weight, part, n * sizeof *part);
		weight[n] = ret->rest;
		share_spread(gpu, n + 1, weight, to);
		memcpy(part, to, n * sizeof *part);
		ret->rest = to[n];
		free(weight);
	}
}
