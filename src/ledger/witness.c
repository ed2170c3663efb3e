#include "ledger/witness.h"
#include "base/num.h"
#include "base/sort.h"

#include <stdlib.h>

/* The jobs of a source in a cluster, and what the source says of it. */
struct group {
	int64_t source;
	struct sv cluster;
	int64_t from_ms, to_ms; /* of the jobs */
	struct sv user;
	bool has_user, several_users, without_user;
	bool names_nodes, silent; /* silent: nothing was recorded of it, the jobs alone speak */
};
struct claim {                   /* who watched what */
	struct sv cluster, node; /* node {NULL,0}: all of the cluster */
	int64_t from_ms, to_ms;
	enum quality quality;
	bool nameless; /* by a list of jobs that name no node */
};
struct witnesses {
	VEC(struct group) group;
	VEC(struct claim) claim;
	struct intern node;  /* name -> number in order of the claims of a node */
	VEC(uint32_t) first; /* [node.n] first claim + 1 */
	VEC(uint32_t) next;  /* [claim.n] of the same node + 1 */
	VEC(uint32_t) wide;  /* claims of whole clusters */
};

static struct group *group_of(struct witnesses *w, int64_t source, struct sv cluster)
{
	/* groups come source by source */
	for (size_t i = w->group.n; i-- > 0 && w->group.v[i].source == source;)
		if (sv_eq(w->group.v[i].cluster, cluster))
			return &w->group.v[i];
	struct group *g = vec_push(&w->group);
	*g = (struct group){ .source = source,
			     .cluster = cluster,
			     .from_ms = INT64_MAX,
			     .to_ms = INT64_MIN,
			     .silent = true };
	return g;
}

static bool is_partial(const struct group *g)
{
	if (!g->silent || !g->has_user)
		return false;
	return !g->several_users && !g->without_user;
}

static void add_claim(struct witnesses *w, struct sv cluster, struct sv node, int64_t from_ms,
		      int64_t to_ms, enum quality quality)
{
	if (from_ms >= to_ms)
		return;
	*vec_push(&w->claim) = (struct claim){ cluster, node, from_ms, to_ms, quality, false };
	*vec_push(&w->next) = 0;
	if (!node.n) {
		*vec_push(&w->wide) = (uint32_t)w->claim.n - 1;
		return;
	}
	uint32_t i = intern_add(&w->node, node);
	while (w->first.n <= i)
		*vec_push(&w->first) = 0;
	w->next.v[w->claim.n - 1] = w->first.v[i];
	w->first.v[i] = (uint32_t)w->claim.n;
}

/* Whether a source spoke of its jobs in this cluster, or of a node. */
static bool is_of(const struct witness_told *t, const struct group *g)
{
	bool whole = !t->w.cluster.n || t->w.node.n;

	return t->source == g->source && (whole || sv_eq(t->w.cluster, g->cluster));
}

static struct sv cluster_of(const struct witness_jobs *j, const struct intern *name,
			    const struct witness_node *node)
{
	long i = -1;

	if (!(j->cluster.n || !j->node.n))
		i = intern_find(name, j->node);
	if (i < 0)
		return j->cluster;
	return node[i].cluster;
}

/* Where no time is said it is that of the source's jobs there; of a cluster without any, which it
 * is said to cover, that of all its jobs. */
static void add_told(struct witnesses *w, const struct witness_told *told)
{
	const struct witness *t = &told->w;
	int64_t from = INT64_MAX, to = INT64_MIN;
	bool found = t->from_ms != UNKNOWN_MS;

	if (found)
		add_claim(w, t->cluster, t->node, t->from_ms, t->to_ms, t->quality);
	for (size_t i = 0; i < w->group.n && t->from_ms == UNKNOWN_MS; i++) {
		const struct group *g = &w->group.v[i];
		if (g->source != told->source)
			continue;
		from = min_i64(g->from_ms, from);
		to = max_i64(g->to_ms, to);
		if (!is_of(told, g))
			continue;
		add_claim(w, g->cluster, t->node, g->from_ms, g->to_ms, t->quality);
		found = true;
	}
	if (!found)
		add_claim(w, t->cluster, t->node, from, to, t->quality);
}

struct witnesses *witnesses_new(const struct witness_told *told, size_t ntold,
				const struct witness_jobs *jobs, size_t njobs,
				const struct witness_node *node, size_t nnode)
{
	struct witnesses *w = xcalloc(1, sizeof *w);
	struct intern name = { 0 };

	/* of several records of a node the first has its number: they agree on the cluster */
	VEC(struct witness_node) first = { 0 };
	for (size_t i = 0; i < nnode; i++) {
		size_t before = name.n;
		if (intern_add(&name, node[i].node) == before)
			*vec_push(&first) = node[i];
	}
	/* else what any of its jobs says */
	for (size_t i = 0; i < njobs; i++) {
		size_t before = name.n;
		if (jobs[i].node.n && jobs[i].cluster.n &&
		    intern_add(&name, jobs[i].node) == before)
			*vec_push(&first) = (struct witness_node){ jobs[i].node, jobs[i].cluster };
	}
	for (size_t i = 0; i < njobs; i++) {
		const struct witness_jobs *j = &jobs[i];
		struct group *g = group_of(w, j->source, cluster_of(j, &name, first.v));
		g->from_ms = min_i64(j->from_ms, g->from_ms);
		g->to_ms = max_i64(j->to_ms, g->to_ms);
		g->names_nodes |= j->node.n > 0;
		g->without_user |= j->without_user > 0;
		if (!j->user_first.n)
			continue;
		g->several_users |= !sv_eq(j->user_first, j->user_last);
		g->several_users |= g->has_user && !sv_eq(g->user, j->user_first);
		g->user = j->user_first;
		g->has_user = true;
	}
	for (size_t i = 0, k = 0; i < w->group.n; i++) {
		struct group *g = &w->group.v[i];
		while (k < ntold && told[k].source < g->source)
			k++;
		for (size_t j = k; j < ntold && told[j].source == g->source; j++)
			g->silent &= !is_of(&told[j], g);
		size_t before = w->claim.n;
		if (g->silent && !is_partial(g) && !g->names_nodes)
			add_claim(w, g->cluster, SV_NULL, g->from_ms, g->to_ms, QUALITY_ASSUMED);
		if (w->claim.n > before)
			w->claim.v[before].nameless = true;
	}
	for (size_t i = 0; i < ntold; i++)
		add_told(w, &told[i]);
	for (size_t i = 0, k = 0; i < njobs; i++) {
		const struct witness_jobs *j = &jobs[i];
		struct sv cluster = cluster_of(j, &name, first.v);
		while (w->group.v[k].source < j->source)
			k++;
		size_t g = k;
		while (!sv_eq(w->group.v[g].cluster, cluster))
			g++;
		if (j->node.n && w->group.v[g].silent && !is_partial(&w->group.v[g]))
			add_claim(w, cluster, j->node, w->group.v[g].from_ms, w->group.v[g].to_ms,
				  QUALITY_ASSUMED);
	}
	vec_free(&first);
	intern_free(&name);
	return w;
}

void witnesses_free(struct witnesses *w)
{
	if (!w)
		return;
	vec_free(&w->group);
	vec_free(&w->claim);
	intern_free(&w->node);
	vec_free(&w->first);
	vec_free(&w->next);
	vec_free(&w->wide);
	free(w);
}

struct edge { /* a claim begins or ends */
	int64_t at_ms;
	int step;
	enum quality quality;
};

static int by_instant(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return cmp_i64(x->at_ms, y->at_ms);
}

/* The claims as spans: cut where one begins or ends, the best quality of each piece, equal
 * neighbours joined. */
static size_t merge_claims(const struct watch_span *c, size_t n, struct arena *mem,
			   struct watch_span **ret)
{
	struct edge *edge = arena_alloc(mem, (2 * n + 1) * sizeof *edge);
	struct watch_span *out = arena_alloc(mem, (2 * n + 1) * sizeof *out);
	int64_t open[QUALITY_N] = { 0 };
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		edge[2 * i] = (struct edge){ c[i].from_ms, 1, c[i].quality };
		edge[2 * i + 1] = (struct edge){ c[i].to_ms, -1, c[i].quality };
	}
	if (n)
		sort_items(edge, 2 * n, sizeof *edge, by_instant);
	for (size_t i = 0; i + 1 < 2 * n; i++) {
		open[edge[i].quality] += edge[i].step;
		int best = 0;
		while (best < QUALITY_N && !open[best])
			best++;
		struct watch_span *last = NULL;
		int64_t from = edge[i].at_ms, to = edge[i + 1].at_ms;
		if (k)
			last = &out[k - 1];
		if (best == QUALITY_N || from == to)
			continue;
		if (last && last->to_ms == from && (int)last->quality == best)
			last->to_ms = to;
		else
			out[k++] = (struct watch_span){ from, to, (enum quality)best };
	}
	*ret = out;
	return k;
}

size_t witnesses_of(const struct witnesses *w, const struct witness_node *of,
		    enum may_hold may_hold, struct arena *mem, struct watch_span **ret)
{
	VEC(struct watch_span) c = { 0 };
	long at = -1;

	if (of->node.n)
		at = intern_find(&w->node, of->node);
	for (uint32_t i = at < 0 ? 0 : w->first.v[at]; i; i = w->next.v[i - 1]) {
		const struct claim *x = &w->claim.v[i - 1];
		*vec_push(&c) = (struct watch_span){ x->from_ms, x->to_ms, x->quality };
	}
	for (size_t i = 0; i < w->wide.n && may_hold != MAY_HOLD_ANY; i++) {
		const struct claim *x = &w->claim.v[w->wide.v[i]];
		if (sv_eq(x->cluster, of->cluster) && !(may_hold == MAY_HOLD && x->nameless))
			*vec_push(&c) = (struct watch_span){ x->from_ms, x->to_ms, x->quality };
	}
	size_t n = merge_claims(c.v, c.n, mem, ret);
	vec_free(&c);
	return n;
}

bool witnesses_partial(const struct witnesses *w, size_t *at, int64_t *ret_source,
		       struct sv *ret_cluster, struct sv *ret_user)
{
	for (; *at < w->group.n; ++*at) {
		const struct group *g = &w->group.v[*at];
		if (!is_partial(g))
			continue;
		*ret_source = g->source;
		*ret_cluster = g->cluster;
		*ret_user = g->user;
		++*at;
		return true;
	}
	return false;
}
