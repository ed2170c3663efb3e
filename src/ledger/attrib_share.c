/* Shares of a card: who of the allocations that hold it together has how much, and whether the rest is of use to anybody. */
#include <stdlib.h>

#include "ledger/attrib_priv.h"

void shares_spread(int64_t whole, size_t n, const int64_t *weight, int64_t *ret)
{
	__int128 sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += weight[i];
	int64_t given = 0;
	for (size_t i = 0; i < n; i++) {
		ret[i] = sum ? (int64_t)((__int128)whole * weight[i] / sum) : whole / (int64_t)n;
		given += ret[i];
	}
	/* At most n - 1 units are left: to the largest remainders, found one by one since n is small. */
	for (; given < whole; given++) {
		size_t best = 0;
		__int128 best_rem = -1;
		for (size_t i = 0; i < n; i++) {
			__int128 rem = sum ? (__int128)whole * weight[i] - (__int128)ret[i] * sum
					   : whole - ret[i] * (int64_t)n;
			if (rem > best_rem)
				best = i, best_rem = rem;
		}
		ret[best]++;
	}
}

static bool same_instance(const struct attrib_alloc *a, const struct attrib_alloc *b)
{
	if (a->share_kind != SHARE_MIG || b->share_kind != SHARE_MIG)
		return false;
	if (a->mig.p && b->mig.p)
		return sv_eq(a->mig, b->mig);
	return a->mig_start >= 0 && a->mig_start == b->mig_start;
}

/* How many allocations are on the MIG instance of active[i], and whether it is the first of them. */
static size_t on_instance(const struct attrib_gpu *g, const uint32_t *active, size_t n, size_t i,
			  bool *ret_first)
{
	size_t k = 0;
	*ret_first = true;
	for (size_t j = 0; j < n; j++) {
		bool same = j == i || same_instance(&g->alloc[active[i]], &g->alloc[active[j]]);
		k += same;
		if (same && j < i)
			*ret_first = false;
	}
	return k;
}

/* Declared share of SHARE_ONE, or -1. */
static int64_t declared(const struct attrib_conf *conf, const struct attrib_gpu *g,
			const uint32_t *active, size_t n, size_t i)
{
	const struct attrib_alloc *a = &g->alloc[active[i]];
	int slices = conf->mig_share_by_memory ? a->mig_memory : a->mig_compute;
	int of = conf->mig_share_by_memory ? g->mig_memory_slices : g->mig_compute_slices;
	bool first;
	if (a->share_kind == SHARE_MIG && slices > 0 && of > 0) {
		int64_t whole = slices >= of ? SHARE_ONE : SHARE_ONE * slices / of;
		return whole / (int64_t)on_instance(g, active, n, i, &first);
	}
	if (a->share_kind == SHARE_WHOLE && a->share_ppb < 0)
		return SHARE_ONE;
	if (a->share_ppb < 0)
		return -1;
	return a->share_ppb >= SHARE_ONE / SHARE_PER_PPB ? SHARE_ONE : a->share_ppb * SHARE_PER_PPB;
}

/* Declared thirds are cut to 10^-9 (0.333333333): a card that is full but for such dust is full. */
#define SHARE_DUST (64 * SHARE_PER_PPB)

static bool profile_fits(const struct attrib_mig *p, int free_compute, int free_memory,
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

/* Can any profile of the card still be made beside the instances that hold it? */
static bool is_stranded(const struct attrib_gpu *g, const uint32_t *active, size_t n)
{
	int compute = g->mig_compute_slices, memory = g->mig_memory_slices;
	uint32_t used = 0;
	bool places_known = true, any_mig = false;
	for (size_t i = 0; i < n; i++) {
		const struct attrib_alloc *a = &g->alloc[active[i]];
		bool first;
		if (a->share_kind != SHARE_MIG)
			return false;
		any_mig = true;
		on_instance(g, active, n, i, &first);
		if (!first)
			continue;
		compute -= a->mig_compute;
		memory -= a->mig_memory;
		if (a->mig_start >= 0 && a->mig_start < 16 && a->mig_memory > 0 &&
		    a->mig_memory < 16)
			used |= ((1U << a->mig_memory) - 1) << a->mig_start;
		else
			places_known = false;
	}
	for (size_t k = 0; k < g->nprofile; k++)
		if (profile_fits(&g->profile[k], compute, memory, used, places_known))
			return false;
	return any_mig && g->nprofile > 0;
}

bool shares_by_process(const struct attrib_alloc *a)
{
	return a->share_ppb < 0 &&
	       (a->share_kind == SHARE_TIMESLICE || a->share_kind == SHARE_FRACTION);
}

/* Parts and rest of a smaller card in the same proportions. */
static void scale_to(int64_t card, size_t n, int64_t *part, int64_t *rest)
{
	int64_t *weight = xcalloc(2 * (n + 1), sizeof *weight), *to = weight + n + 1;
	memcpy(weight, part, n * sizeof *part);
	weight[n] = *rest;
	shares_spread(card, n + 1, weight, to);
	memcpy(part, to, n * sizeof *part);
	*rest = to[n];
	free(weight);
}

void shares_work_out(const struct attrib_conf *conf, const struct attrib_gpu *g, int64_t card,
		     const uint32_t *active, size_t n, struct shares *ret)
{
	int64_t sum = 0, nundeclared = 0, *part = ret->part;
	bool all_slices = true;
	for (size_t i = 0; i < n; i++) {
		part[i] = declared(conf, g, active, n, i);
		nundeclared += part[i] < 0;
		all_slices &= part[i] >= 0 || shares_by_process(&g->alloc[active[i]]);
		sum += part[i] >= 0 ? part[i] : 0;
	}
	/* The undeclared have equal parts of what the others leave; where nothing is left, an equal part of the card before scaling. */
	int64_t each = nundeclared == 0  ? 0
		       : sum < SHARE_ONE ? (SHARE_ONE - sum) / nundeclared
					 : SHARE_ONE / (int64_t)n;
	for (size_t i = 0; i < n; i++)
		if (part[i] < 0) {
			part[i] = each;
			sum += each;
		}
	ret->by_process = all_slices && nundeclared > 1 && sum <= SHARE_ONE;
	ret->over = sum > SHARE_ONE + SHARE_DUST;
	ret->rest = SHARE_ONE - sum;
	if (ret->rest <= SHARE_DUST)
		ret->rest = 0;
	ret->stranded = ret->rest > 0 && is_stranded(g, active, n);
	if (sum + ret->rest != card)
		scale_to(card, n, part, &ret->rest);
}
