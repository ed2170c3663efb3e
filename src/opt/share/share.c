/*
 * Sharing a GPU under rules of isolation.
 *
 * Tenants i = 1..n on one GPU. Find the strongest of MIG, MPS, time slices so that
 *
 *   memory      1.1 p99_i <= memory of its instance (MIG), or sum 1.1 p99_i <= GPU (MPS, time
 *               slices)
 *   compute     peak_i <= target x compute slices of its instance / slices of the GPU (MIG), or
 *               sum peak_i <= target
 *   isolation   teams that do not trust each other: MIG only, and only if their owners accept
 *               neighbours
 *   latency     a tenant with an SLO: MIG or MPS, never time slices; by MPS only while the load
 *               of the others is at most what its latency may grow by: in the worst case a kernel
 *               waits for theirs in the part of the time in which they are at work
 *   sessions    notebooks among themselves: MIG or time slices, never MPS, as one that crashes
 *               would end the others; beside a service: MIG only
 *   replicas    of one service: on different GPUs
 *
 * Where the rules come from, and what has to be corrected in them as they are usually told: a GPU
 * is not locked by its first process, the default is time slicing between all processes, with no
 * promise of a share, of memory, or of a latency. MPS is not time slicing: kernels of several
 * processes run at the same time. Since Volta each MPS client has an address space of its own, so
 * memory is protected; but a fatal fault of one client ends every client of that GPU, so MPS is
 * for those who trust each other. MIG gives each instance its compute slices, cache and memory:
 * faults stay inside; instances share PCIe and the power budget, and cannot reach each other by
 * NVLink or PCIe peer access.
 */
#include <limits.h>
#include <math.h>
#include <string.h>
#include "base/num.h"
#include "opt/share/share.h"

struct mig_try {
	const struct share_gpu *gpu;
	size_t n;
	const struct share_tenant *tenant;
	double target;
	int count[MIG_TYPES], type[MIG_PER_GPU];
};

static bool type_serves(const struct mig_try *m, const struct share_tenant *t, int type)
{
	const struct mig_gpu *c = &m->gpu->mig->gpu;
	double part = (double)c->type[type].compute / c->compute;
	return share_mem_need(t->mem_p99_bytes) <= m->gpu->type_mem_bytes[type] &&
	       t->peak_util_frac <= m->target * part;
}

/* A type for each tenant in turn, the smallest first. */
static bool try_mig(struct mig_try *m, size_t i)
{
	if (i == m->n)
		return mig_fits(m->gpu->mig, m->count, 1, NULL) == 1;
	for (int t = 0; t < (int)m->gpu->mig->gpu.ntype; t++) {
		if (!type_serves(m, &m->tenant[i], t))
			continue;
		m->count[t]++;
		m->type[i] = t;
		bool ok = mig_fits(m->gpu->mig, m->count, 1, NULL) == 1 && try_mig(m, i + 1);
		m->count[t]--;
		if (ok)
			return true;
	}
	return false;
}

/* The smallest instances alone must fit: spares a search that cannot succeed. */
static bool may_fit_mig(const struct mig_try *m)
{
	int compute = 0, memory = 0;

	if (!m->gpu->mig)
		return false;
	const struct mig_gpu *c = &m->gpu->mig->gpu;
	for (size_t i = 0; i < m->n; i++) {
		int least_compute = INT_MAX, least_memory = INT_MAX;
		for (size_t t = 0; t < c->ntype; t++) {
			if (!type_serves(m, &m->tenant[i], (int)t))
				continue;
			least_compute = min_int(least_compute, c->type[t].compute);
			least_memory = min_int(least_memory, c->type[t].memory);
		}
		if (least_compute == INT_MAX)
			return false;
		compute += least_compute;
		memory += least_memory;
	}
	return compute <= c->compute && memory <= c->memory;
}

/* The next larger type that still leaves a legal layout, or -1. */
static int wider_type(const struct mig_try *m, const int *count, int type)
{
	const struct mig_gpu *c = &m->gpu->mig->gpu;
	int best = -1;
	for (int t = 0; t < (int)c->ntype; t++) {
		int n[MIG_TYPES];
		if (c->type[t].compute <= c->type[type].compute ||
		    c->type[t].memory < c->type[type].memory)
			continue;
		if (best >= 0 && c->type[t].compute >= c->type[best].compute)
			continue;
		memcpy(n, count, sizeof n);
		n[type]--;
		n[t]++;
		if (mig_fits(m->gpu->mig, n, 1, NULL) == 1)
			best = t;
	}
	return best;
}

/* Slices that nobody has are wasted: the most loaded tenant that can grow does, again and again. */
static void widen_instances(struct mig_try *m)
{
	const struct mig_gpu *c = &m->gpu->mig->gpu;
	int count[MIG_TYPES] = { 0 };
	for (size_t i = 0; i < m->n; i++)
		count[m->type[i]]++;
	for (;;) {
		size_t who = m->n;
		double most = -1;
		for (size_t i = 0; i < m->n; i++) {
			double load = m->tenant[i].peak_util_frac / c->type[m->type[i]].compute;
			if (load > most && wider_type(m, count, m->type[i]) >= 0) {
				most = load;
				who = i;
			}
		}
		if (who == m->n)
			return;
		int t = wider_type(m, count, m->type[who]);
		count[m->type[who]]--;
		count[t]++;
		m->type[who] = t;
	}
}

struct facts {
	bool known, trusting, accepting, alone, latency;
	bool interactive, steady; /* any notebook; any that is none */
	bool replicas;            /* two of one service */
	double mem, peak;
};

static struct facts facts_of(size_t n, const struct share_tenant *t)
{
	struct facts f = { .known = true, .trusting = true, .accepting = true };
	for (size_t i = 0; i < n; i++) {
		/* of one service */
		for (size_t k = 0; k < i && t[i].service && t[i].service[0]; k++)
			f.replicas |= t[k].service && !strcmp(t[i].service, t[k].service);
		f.known &= isfinite(t[i].mem_p99_bytes) && isfinite(t[i].peak_util_frac);
		f.trusting &= t[i].team && t[i].team[0] && t[0].team &&
			      !strcmp(t[i].team, t[0].team);
		f.accepting &= t[i].with_others;
		f.alone |= t[i].alone;
		f.latency |= t[i].latency_bound;
		f.interactive |= t[i].interactive;
		f.steady |= !t[i].interactive;
		f.mem += share_mem_need(t[i].mem_p99_bytes);
		f.peak += t[i].peak_util_frac;
	}
	return f;
}

static const char *refusal_text(const struct facts *f, size_t n)
{
	if (f->alone)
		return "an owner wants no neighbour on the GPU";
	if (!f->known)
		return "memory or load of a tenant is not known: nothing is shared unseen";
	if (f->replicas)
		return "replicas of one service stay on different GPUs: one GPU lost must not end both";
	if (n > SHARE_MPS_CLIENTS)
		return "too many tenants for one GPU";
	if (!f->trusting && !f->accepting)
		return "tenants of different teams, and not all owners accept that";
	return NULL;
}

void share_decide(const struct share_gpu *gpu, size_t n, const struct share_tenant *tenant,
		  double target_util_frac, struct share_answer *ret)
{
	struct facts f = facts_of(n, tenant);
	*ret = (struct share_answer){ .kind = SHARE_WHOLE, .why = "one tenant has the GPU" };
	if (n <= 1)
		return;
	if ((ret->why = refusal_text(&f, n)))
		return;
	struct mig_try m = { .gpu = gpu, .n = n, .tenant = tenant, .target = target_util_frac };
	if (n <= MIG_PER_GPU && may_fit_mig(&m) && try_mig(&m, 0)) {
		widen_instances(&m);
		ret->kind = SHARE_MIG;
		memcpy(ret->type, m.type, sizeof ret->type);
		ret->why =
			"MIG: each instance has memory, cache and compute slices of its own, and faults stay inside";
		return;
	}
	if (!f.trusting) {
		if (gpu->mig)
			ret->why = "different teams need MIG, and no legal layout has room for all";
		else if (gpu->mig_unplaced)
			ret->why =
				"different teams need MIG, and where its instances may lie on this GPU is not known";
		else
			ret->why = "different teams need MIG, which this GPU does not have";
		return;
	}
	if (f.mem > gpu->mem_bytes) {
		ret->why =
			"memory: together, with a tenth more each, they need more than the GPU has";
		return;
	}
	if (f.peak > target_util_frac) {
		ret->why = "load: together they are busier than the target in the busiest minutes";
		return;
	}
	if (f.interactive && f.steady) {
		ret->why =
			"a notebook beside a service needs MIG: by MPS its crash would end the service, by time slices it would take its turns";
		return;
	}
	if (f.interactive) {
		ret->kind = SHARE_TIMESLICE;
		ret->why =
			"time slices: a notebook that crashes ends no other, but nothing keeps one from taking the memory of all: one owner, no latency promised";
		return;
	}
	bool late = false; /* beside the others one would take longer than it may */
	for (size_t i = 0; i < n; i++)
		late |= tenant[i].promised &&
			f.peak - tenant[i].peak_util_frac > tenant[i].room_frac + 1e-9;
	if (late) {
		ret->why =
			"latency: beside the load of the others a request may take longer than its limit allows";
		return;
	}
	if (gpu->volta_or_later) {
		ret->kind = SHARE_MPS;
		ret->why =
			"MPS: kernels run at the same time and memory is protected, but a fatal fault of one ends all: same team only";
		return;
	}
	if (f.latency) {
		ret->why =
			"time slices promise no latency, and this GPU has neither MIG nor MPS with protected memory";
		return;
	}
	ret->kind = SHARE_TIMESLICE;
	ret->why =
		"time slices: no isolation of memory or faults and no promised share: for work without a latency bound";
}

/* ---- how it is done ---------------------------------------------------------------------- */

size_t share_parts(struct arena *a, const struct mig_gpu *gpu, const int *count,
		   struct mig_part *ret)
{
	size_t n = 0;

	for (size_t t = gpu->ntype; t--;)
		if (count[t])
			ret[n++] = (struct mig_part){ arena_printf(a, "%s", gpu->type[t].name),
						      count[t] };
	return n;
}
