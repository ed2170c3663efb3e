/*
 * Tenants on as few GPUs as isolation, memory and load allow.
 *
 *   min   (GPUs, tenants on MPS + 2 x tenants in time slices)      in this order
 *   s.t.  each tenant on one GPU
 *         each GPU's set S of tenants has |S| = 1, or share_decide(S) finds a kind:
 *           MIG         1.1 p99_i <= memory of its instance, peak_i <= target x its part of the
 *                       GPU; the instances lie legally; owners who differ accept neighbours
 *           MPS         sum 1.1 p99_i <= GPU, sum peak_i <= target; one owner; no notebook;
 *                       the others' load at most what the latency of each may grow by
 *           time slice  the same sums; one owner; notebooks only
 *         replicas of one service on different GPUs
 *
 * Every subset of a set that may share may share, so that a set is asked only where all sets with
 * one tenant less may. Up to SHARE_EXACT tenants the optimum is found by dynamic programming over
 * sets (best(S) = min over T in S with S's first tenant of cost(T) + best(S - T)): O(3^n). Above,
 * best fit in order of size (the larger of memory and load), and no proof unless the bound is met.
 *
 * Bound: what cannot share has a GPU; of the rest, in each class that can share with each other
 * (an owner's services, an owner's notebooks; all of them where the GPU has MIG), load / target
 * and memory / GPU, rounded up, and no fewer than a service has replicas. Sums of load and memory
 * hold in every kind of sharing: the instances of a GPU are parts of it. (Where sizes are known
 * as labels only, those of a layout may add up to more than the GPU's: the larger counts.)
 *
 * The problem is bin packing with conflicts (Jansen & Oehring 1997) whose bins have kinds; MIG
 * alone with rates in place of tenants is in mig_pack.c.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "opt/share/share.h"
#include "base/sort.h"

#define EPS 1e-9

struct packer {
	const struct share_gpu *gpu;
	size_t n;
	const struct share_tenant *tenant;
	double target;
	double most_bytes; /* of the GPU, or of a layout of instances if that is more */
};

static double most_bytes(const struct share_gpu *gpu)
{
	double most = gpu->mem_bytes;

	for (size_t c = 0; gpu->mig && c < gpu->mig->nconfig; c++) {
		double sum = 0;
		for (size_t t = 0; t < gpu->mig->gpu.ntype; t++)
			sum += gpu->mig->config[c].count[t] * gpu->type_mem_bytes[t];
		most = fmax(most, sum);
	}
	return most;
}

static double mem_part(const struct share_gpu *gpu, const struct share_tenant *t)
{
	return share_mem_need(t->mem_p99_bytes) / gpu->mem_bytes;
}

/* May it have a neighbour at all. */
static bool may_share(const struct packer *p, const struct share_tenant *t)
{
	bool known = isfinite(t->mem_p99_bytes) && isfinite(t->peak_util_frac);

	if (!known || t->alone)
		return false;
	return mem_part(p->gpu, t) <= 1 && t->peak_util_frac <= p->target;
}

static size_t decide_group(const struct packer *p, size_t n, const size_t *which,
			   struct share_answer *ret)
{
	struct share_tenant t[SHARE_MPS_CLIENTS] = { 0 };

	for (size_t i = 0; i < n; i++)
		t[i] = p->tenant[which[i]];
	share_decide(p->gpu, n, t, p->target, ret);
	return n == 1 || ret->kind != SHARE_WHOLE;
}

/* ---- the bound --------------------------------------------------------------------------- */

struct class
{
	const struct share_tenant *first;
	double mem, load;
	size_t replicas; /* most of one service */
};

/* Can these two ever be on one GPU, whatever their size. */
static bool one_class(const struct packer *p, const struct share_tenant *a,
		      const struct share_tenant *b)
{
	bool trust = a->team && *a->team && b->team && !strcmp(a->team, b->team);

	return p->gpu->mig || p->gpu->mig_unplaced || (trust && a->interactive == b->interactive);
}

/* Of its service, in its class, up to itself: the last of them sees all. */
static size_t replicas_of(const struct packer *p, const struct share_tenant *t)
{
	size_t n = 1;

	for (const struct share_tenant *o = p->tenant; o < t && t->service && *t->service; o++)
		n += o->service && !strcmp(o->service, t->service) && may_share(p, o) &&
		     one_class(p, o, t);
	return n;
}

/* Fewest GPUs by load and memory alone, replicas apart. */
static size_t share_lower_bound(const struct packer *p)
{
	VEC(struct class) c = { 0 };
	size_t gpus = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct share_tenant *t = &p->tenant[i];
		size_t k = 0, replicas = replicas_of(p, t);
		if (!may_share(p, t)) {
			gpus++;
			continue;
		}
		while (k < c.n && !one_class(p, c.v[k].first, t))
			k++;
		if (k == c.n)
			*vec_push(&c) = (struct class){ .first = t };
		c.v[k].mem += share_mem_need(t->mem_p99_bytes) / p->most_bytes;
		c.v[k].load += t->peak_util_frac / p->target;
		c.v[k].replicas = max_size(replicas, c.v[k].replicas);
	}
	for (size_t k = 0; k < c.n; k++) {
		size_t least = (size_t)ceil(fmax(c.v[k].mem, c.v[k].load) - EPS);
		least = max_size(least, c.v[k].replicas);
		gpus += least ? least : 1;
	}
	vec_free(&c);
	return gpus;
}

/* ---- all ways ---------------------------------------------------------------------------- */

static size_t list_members(uint32_t set, size_t *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < SHARE_EXACT; i++)
		if (set >> i & 1)
			ret[n++] = i;
	return n;
}

/* GPUs count most, then weak isolation; -1: these cannot share. */
static int64_t cost_of(const struct packer *p, uint32_t set, const int64_t *cost)
{
	static const int64_t weak[SHARE_N] = { [SHARE_MPS] = 1, [SHARE_TIMESLICE] = 2 };
	size_t which[SHARE_EXACT], n = list_members(set, which);
	struct share_answer how;

	for (size_t i = 0; i < n && n > 1; i++)
		if (cost[set & ~(1u << which[i])] < 0)
			return -1;
	if (decide_group(p, n, which, &how))
		return 1000 + weak[how.kind] * (int64_t)n;
	return -1;
}

static void pack_exactly(const struct packer *p, struct share_packing *ret)
{
	uint32_t all = (1u << p->n) - 1;
	int64_t *cost = xcalloc(all + 1, sizeof *cost), *best = xcalloc(all + 1, sizeof *best);
	uint32_t *part = xcalloc(all + 1, sizeof *part);

	for (uint32_t s = 1; s <= all; s++) {
		uint32_t first = s & -s, rest = s & ~first;
		cost[s] = cost_of(p, s, cost);
		best[s] = INT64_MAX;
		/* every subset with the first tenant, the largest first */
		for (uint32_t t = rest;; t = (t - 1) & rest) {
			uint32_t with = t | first;
			if (cost[with] >= 0 && cost[with] + best[s & ~with] < best[s]) {
				best[s] = cost[with] + best[s & ~with];
				part[s] = with;
			}
			if (!t)
				break;
		}
	}
	for (uint32_t s = all; s; s &= ~part[s]) {
		struct share_packed *c = vec_push(&ret->gpu);
		*c = (struct share_packed){ 0 };
		c->n = list_members(part[s], c->tenant);
		/* fits, by its cost, or is one that stays alone */
		(void)decide_group(p, c->n, c->tenant, &c->how);
	}
	free(cost);
	free(best);
	free(part);
}

/* ---- best fit ---------------------------------------------------------------------------- */

struct sized {
	size_t tenant;
	double size;
};

static int by_size(const void *pa, const void *pb)
{
	const struct sized *a = pa, *b = pb;

	if (a->size != b->size) {
		if (a->size < b->size)
			return 1;
		return -1;
	}
	return cmp_size(a->tenant, b->tenant);
}

static int by_first(const void *pa, const void *pb)
{
	const struct share_packed *a = pa, *b = pb;

	return rising_size(&a->tenant[0], &b->tenant[0]);
}

/* The fullest GPU that can take it; SIZE_MAX: none. */
static size_t find_gpu(const struct packer *p, const struct share_packing *r, const double *fill,
		       size_t tenant)
{
	size_t best = SIZE_MAX;

	for (size_t k = 0; k < r->gpu.n; k++) {
		const struct share_packed *c = &r->gpu.v[k];
		size_t with[SHARE_MPS_CLIENTS];
		struct share_answer how;
		if (c->n == SHARE_MPS_CLIENTS || (best != SIZE_MAX && fill[k] <= fill[best]))
			continue;
		memcpy(with, c->tenant, c->n * sizeof *with);
		with[c->n] = tenant;
		if (decide_group(p, c->n + 1, with, &how))
			best = k;
	}
	return best;
}

static void pack_by_size(const struct packer *p, struct share_packing *ret)
{
	struct sized *order = xcalloc(p->n, sizeof *order);
	double *fill = xcalloc(p->n, sizeof *fill);

	for (size_t i = 0; i < p->n; i++) {
		const struct share_tenant *t = &p->tenant[i];
		/* what cannot share first: nothing is tried on its GPU */
		double size = fmax(mem_part(p->gpu, t), t->peak_util_frac / p->target);
		order[i] = (struct sized){ i, may_share(p, t) ? size : INFINITY };
	}
	sort_items(order, p->n, sizeof *order, by_size);
	for (size_t i = 0; i < p->n; i++) {
		size_t t = order[i].tenant, k = SIZE_MAX;
		if (!isinf(order[i].size))
			k = find_gpu(p, ret, fill, t);
		if (k == SIZE_MAX) {
			k = ret->gpu.n;
			*vec_push(&ret->gpu) = (struct share_packed){ 0 };
		}
		ret->gpu.v[k].tenant[ret->gpu.v[k].n++] = t;
		fill[k] += order[i].size;
	}
	for (size_t k = 0; k < ret->gpu.n; k++) {
		struct share_packed *c = &ret->gpu.v[k];
		sort_items(c->tenant, c->n, sizeof *c->tenant, rising_size);
		/* as above: each was added only where it fitted */
		(void)decide_group(p, c->n, c->tenant, &c->how);
	}
	sort_items(ret->gpu.v, ret->gpu.n, sizeof *ret->gpu.v, by_first);
	free(order);
	free(fill);
}

int share_pack(const struct share_gpu *gpu, size_t n, const struct share_tenant *tenant,
	       double target_util_frac, struct share_packing *ret, struct err *err)
{
	const struct packer p = { gpu, n, tenant, target_util_frac, most_bytes(gpu) };

	*ret = (struct share_packing){ 0 };
	if (n > SHARE_TENANTS)
		return err_set(err, -E2BIG, "%zu tenants: at most %d are decided at once", n,
			       SHARE_TENANTS);
	if (!n)
		return 0;
	ret->lower_bound = share_lower_bound(&p);
	if (n <= SHARE_EXACT)
		pack_exactly(&p, ret);
	else
		pack_by_size(&p, ret);
	bool all_ways = n <= SHARE_EXACT && !gpu->mig_unplaced;
	ret->proven = all_ways || ret->gpu.n == ret->lower_bound;
	return 0;
}

void share_packing_free(struct share_packing *p)
{
	vec_free(&p->gpu);
}
