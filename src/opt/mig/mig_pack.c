/*
 * The fewest MIG GPUs that serve a set of services.
 *
 *   min  sum_c y_c                                  GPUs, by set of instances c
 *   s.t. sum_t thr[m][t] x[m][t] >= rate[m]         for each service m
 *        sum_m x[m][t]           <= sum_c n[c][t] y_c   for each type of instance t
 *        x, y whole and not negative
 *
 * The problem is ParvaGPU's (Lee et al., SC'24) and MIG-serving's; both solve it by greedy rules.
 * Here it is solved exactly:
 *
 * 1. Each service's patterns are listed: the x[m] that reach the rate and would not with one
 *    instance less. One pattern per service is chosen (Dantzig-Wolfe: what is inside a service is
 *    then whole already in the linear programme, so its bound is far above that of the programme as
 *    written).
 * 2. The linear programme over patterns and sets is solved by the revised simplex method with an
 *    explicit inverse (types + services rows). From its prices u, made feasible by scaling, sum_m
 *    min_p u.p is a lower bound whatever the rounding did (mig_bound.c).
 * 3. For K = the bound rounded up, K + 1, ...: search for one pattern per service with a sum that
 *    fits K GPUs. A pattern whose reduced cost is above K - bound cannot be part of any solution
 *    and is dropped; a partial sum is truncated by each corner of the price polytope (mig.h), and
 * by
 *    a memory of sums that failed. The first K that is found is the optimum; K failing whole is the
 *    proof.
 *
 * Very large rates have too many patterns: whole GPUs of the service's best set are then taken off
 * first, and the result is only proven if it meets the bound by rates.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "opt/mig/mig_in.h"

#define DEFAULT_NODES 400000

/* ---- the search -------------------------------------------------------------------------- */

struct search {
	const struct mig_problem *k;
	int gpus;
	int64_t nodes, max_nodes;
	bool cut; /* gave up somewhere: no proof */
	size_t order[MIG_SERVICES], choice[MIG_SERVICES];
	size_t *cand[MIG_SERVICES], ncand[MIG_SERVICES]; /* of each service, cheapest first */
	/* least value at each corner of the services from this depth on */
	double need[MIG_POINTS][MIG_SERVICES + 1];
	double slack[MIG_SERVICES + 1]; /* spare: reduced cost that may be spent */
	__int128 *seen;                 /* sums that failed, key + 1; open addressing */
	size_t nseen, cap;
};

static size_t slot_of(const struct search *s, __int128 key)
{
	uint64_t h = ((uint64_t)key ^ (uint64_t)(key >> 64) * 0x9e3779b97f4a7c15u) *
		     0xbf58476d1ce4e5b9u;
	size_t i = (h ^ h >> 31) & (s->cap - 1);
	while (s->seen[i] && s->seen[i] != key)
		i = (i + 1) & (s->cap - 1);
	return i;
}

static bool search_from(struct search *s, size_t depth, double slack, int *sum)
{
	const struct mig_problem *k = s->k;
	if (++s->nodes > s->max_nodes) {
		s->cut = true;
		return false;
	}
	for (size_t i = 0; i < s->k->g->npoint; i++)
		if (mig_value(s->k, s->k->g->point[i], sum) + s->need[i][depth] > s->gpus + 1e-7)
			return false;
	if (depth == k->n) {
		int r = mig_fits(k->g, sum, s->gpus, NULL);
		s->cut |= r < 0;
		return r == 1;
	}
	__int128 key = (__int128)depth;
	for (size_t t = 0; t < k->T; t++)
		key = key << 14 | sum[t];
	key++;
	if (s->seen[slot_of(s, key)] == key)
		return false;
	size_t m = s->order[depth];
	for (size_t i = 0; i < s->ncand[m] && !s->cut; i++) {
		const struct mig_pattern *p = &k->pat[m].v[s->cand[m][i]];
		if (p->cost > slack)
			break;
		for (size_t t = 0; t < k->T; t++)
			sum[t] += p->x[t];
		s->choice[m] = s->cand[m][i];
		bool found = search_from(s, depth + 1, slack - p->cost, sum);
		for (size_t t = 0; t < k->T; t++)
			sum[t] -= p->x[t];
		if (found)
			return true;
	}
	/* equal sums have spent equal reduced cost: it is a linear function of the sum and the
	 * depth */
	if (!s->cut && s->nseen * 2 < s->cap) { /* full: forgetting only costs time */
		size_t i = slot_of(s, key);
		s->nseen += !s->seen[i];
		s->seen[i] = key;
	}
	return false;
}

static void sort_candidates(const struct mig_problem *k, size_t m, size_t *v, size_t n)
{
	/* shell sort: stable enough, ties by index below */
	for (size_t gap = n / 2; gap; gap = gap > 1 ? gap * 5 / 11 : 0)
		for (size_t i = gap; i < n; i++)
			for (size_t j = i; j >= gap; j -= gap) {
				const struct mig_pattern *a = &k->pat[m].v[v[j - gap]],
							 *b = &k->pat[m].v[v[j]];
				if (a->cost < b->cost || (a->cost == b->cost && v[j - gap] < v[j]))
					break;
				size_t t = v[j];
				v[j] = v[j - gap];
				v[j - gap] = t;
			}
}

/* One pattern per service that fits `gpus` GPUs? 1, 0, or -ETIMEDOUT. */
static int search_gpus(const struct mig_problem *k, int gpus, int64_t max_nodes, size_t *choice,
		       int64_t *nodes)
{
	struct search *s = xcalloc(1, sizeof *s);
	int sum[MIG_TYPES] = { 0 };
	*s = (struct search){ .k = k, .gpus = gpus, .max_nodes = max_nodes, .cap = 1 << 17 };
	s->seen = xcalloc(s->cap, sizeof *s->seen);
	double slack = gpus - k->bound + 1e-7;

	/* Candidates by reduced cost, services with few of them first, and what the rest needs at
	 * least at each corner. */
	const struct mig_problem *problem = s->k;
	for (size_t m = 0; m < problem->n; m++) {
		s->cand[m] = xmalloc((problem->pat[m].n + 1) * sizeof **s->cand);
		for (size_t i = 0; i < problem->pat[m].n; i++)
			if (problem->pat[m].v[i].cost <= slack)
				s->cand[m][s->ncand[m]++] = i;
		sort_candidates(problem, m, s->cand[m], s->ncand[m]);
		size_t d = m;
		for (; d && s->ncand[s->order[d - 1]] > s->ncand[m]; d--)
			s->order[d] = s->order[d - 1];
		s->order[d] = m;
	}
	for (size_t i = 0; i < problem->g->npoint; i++) {
		s->need[i][problem->n] = 0;
		for (size_t d = problem->n; d--;) {
			size_t m = s->order[d];
			double best = INFINITY;
			for (size_t c = 0; c < s->ncand[m]; c++)
				best = fmin(best, mig_value(problem, problem->g->point[i],
							    problem->pat[m].v[s->cand[m][c]].x));
			s->need[i][d] = s->need[i][d + 1] + best;
		}
	}

	int r = 0;
	if (search_from(s, 0, slack, sum))
		r = 1;
	else if (s->cut)
		r = -ETIMEDOUT;
	memcpy(choice, s->choice, sizeof s->choice);
	*nodes += s->nodes;
	for (size_t m = 0; m < k->n; m++)
		free(s->cand[m]);
	free(s->seen);
	free(s);
	return r;
}

/* ---- together ---------------------------------------------------------------------------- */

static int check_input(const struct mig_geom *g, size_t n, const struct mig_service *s,
		       int *unservable, struct err *err)
{
	*unservable = -1;
	if (n > MIG_SERVICES)
		return err_set(err, -E2BIG,
			       "%zu services are more than the %d that are packed at a time", n,
			       MIG_SERVICES);
	for (size_t m = 0; m < n; m++) {
		bool can = false;
		if (!isfinite(s[m].rate) || s[m].rate < 0)
			return err_set(err, -EINVAL,
				       "the rate of service %zu is no number of requests", m + 1);
		for (size_t t = 0; t < g->gpu.ntype; t++) {
			if (!isfinite(s[m].thr[t]) || s[m].thr[t] < 0)
				return err_set(err, -EINVAL,
					       "the throughput of service %zu on %s is no number",
					       m + 1, g->gpu.type[t].name);
			can |= s[m].thr[t] > 0;
		}
		if (s[m].rate > 0 && !can && *unservable < 0)
			*unservable = (int)m;
	}
	return 0;
}

static int run_pack(struct mig_problem *k, int64_t max_nodes, struct mig_packing *ret,
		    struct err *err)
{
	size_t choice[MIG_SERVICES];
	int r = mig_bound(k, err), gpus = (int)ceil(k->bound - 1e-7), found = 0;
	if (r < 0)
		return r;
	ret->lp_bound = k->bulk_gpus ? k->rate_bound : k->bound;
	ret->lower_bound = k->bulk_gpus ? (int)ceil(k->rate_bound - 1e-7) : gpus;
	bool sure = !k->bulk_gpus;
	for (ret->npattern = 0; found < (int)k->n; found++)
		ret->npattern += k->pat[found].n;
	for (; (r = search_gpus(k, gpus, max_nodes, choice, &ret->nodes)) != 1; gpus++) {
		if (gpus + k->bulk_gpus >= MIG_MAX_GPUS)
			return err_set(err, -E2BIG,
				       "the services need more than %d GPUs: plan them in parts",
				       MIG_MAX_GPUS);
		sure &= r == 0;
		if (sure)
			ret->lower_bound = gpus + 1;
	}
	ret->instance.v = k->bulk.v;
	ret->instance.n = k->bulk.n;
	ret->instance.cap = k->bulk.cap;
	k->bulk.v = NULL;

	int left[MIG_SERVICES][MIG_TYPES], sum[MIG_TYPES] = { 0 }, config[MIG_MAX_GPUS];
	for (size_t m = 0; m < k->n; m++)
		for (size_t t = 0; t < k->T; t++)
			sum[t] += left[m][t] = k->pat[m].v[choice[m]].x[t];
	if (gpus)
		mig_fits(k->g, sum, gpus, config);
	for (int i = 0; i < gpus; i++) {
		const struct mig_config *f = &k->g->config[config[i]];
		for (size_t p = 0; p < f->nplace; p++) {
			int t = f->place[p].type;
			size_t m = 0;
			while (m < k->n && !left[m][t])
				m++;
			if (m == k->n)
				continue;
			left[m][t]--;
			*vec_push(&ret->instance) = (struct mig_instance){ k->bulk_gpus + i, t,
									   f->place[p].start, m };
		}
	}
	ret->gpus = gpus + k->bulk_gpus;
	ret->proven = ret->gpus == ret->lower_bound;
	return 0;
}

int mig_pack(const struct mig_geom *g, size_t nservice, const struct mig_service *service,
	     int64_t max_nodes, struct mig_packing *ret, struct err *err)
{
	memset(ret, 0, sizeof *ret);
	int r = check_input(g, nservice, service, &ret->unservable, err);
	if (r < 0 || ret->unservable >= 0) {
		ret->gpus = -1;
		return r;
	}
	struct mig_problem *k = xcalloc(1, sizeof *k);
	k->g = g;
	k->n = nservice;
	k->T = g->gpu.ntype;
	k->service = service;
	r = run_pack(k, max_nodes > 0 ? max_nodes : DEFAULT_NODES, ret, err);
	for (size_t m = 0; m < k->n; m++)
		vec_free(&k->pat[m]);
	vec_free(&k->bulk);
	free(k);
	return r;
}

void mig_packing_free(struct mig_packing *p)
{
	vec_free(&p->instance);
}

bool mig_packing_ok(const struct mig_geom *g, size_t nservice, const struct mig_service *service,
		    const struct mig_packing *p)
{
	double served[MIG_SERVICES] = { 0 };
	for (size_t i = 0; i < p->instance.n;) {
		struct mig_place place[MIG_PER_GPU];
		size_t n = 0;
		int gpu = p->instance.v[i].gpu;
		if (gpu < 0 || gpu >= p->gpus)
			return false;
		if (i && gpu <= p->instance.v[i - 1].gpu)
			return false;
		for (; i < p->instance.n && p->instance.v[i].gpu == gpu; i++) {
			const struct mig_instance *x = &p->instance.v[i];
			if (n == MIG_PER_GPU || x->service >= nservice)
				return false;
			if (x->type < 0 || (size_t)x->type >= g->gpu.ntype)
				return false;
			place[n++] = (struct mig_place){ x->type, x->start };
			served[x->service] += service[x->service].thr[x->type];
		}
		if (!mig_placement_ok(&g->gpu, n, place))
			return false;
	}
	for (size_t m = 0; m < nservice; m++)
		if (served[m] < service[m].rate * (1 - 1e-9))
			return false;
	return true;
}
