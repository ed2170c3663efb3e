/*
 * Nodes of a cluster whose jobs name no nodes are closed together with those jobs, in the pool of
 * their model (else in that of the cluster), unless jobs or samples name the node after all. A node
 * has one place; when it moves, both the old one and the new one are rebuilt over all its time.
 */
#include "book/in.h"

void pooling_free(struct pooling *g)
{
	intern_free(&g->node);
	intern_free(&g->pool);
	vec_free(&g->of);
}

struct sv pooling_of(const struct pooling *g, struct sv node)
{
	long i = intern_find(&g->node, node);

	if (i < 0)
		return SV_NULL;
	return g->pool.text[g->of.v[i]];
}

/* How well a pool fits a node: 0 not at all, 1 by the cluster, 2 by the GPU, 3 by the very name of
 * the GPU. */
static int fits(const struct book *b, const struct node *n, const struct scope *pool)
{
	struct sv model = pool->gpu_model;
	const struct gpu_spec *x = catalog_gpu(b->catalog, n->gpu_model),
			      *y = catalog_gpu(b->catalog, model);

	if (pool->kind != SCOPE_POOL || !pool->cluster.n || !sv_eq(n->cluster, pool->cluster))
		return 0;
	if (!model.n)
		return 1;
	if (sv_ieq(model, n->gpu_model))
		return 3;
	if (x && x == y)
		return 2;
	return 0;
}

int pooling_find(struct book *b, struct pooling *ret, struct err *err)
{
	struct node *node;
	struct series *series;
	const char **key;
	struct intern own = { 0 };
	size_t n = 0, nscope = 0, nseries = 0;
	bool any = false;
	int rc = store_allocation_scopes(b->store, &b->mem, &key, &nscope, err);

	if (rc)
		return rc;
	struct scope *scope = arena_alloc(&b->mem, (nscope + 1) * sizeof *scope);
	for (size_t i = 0; i < nscope; i++) {
		scope[i] = scope_of_key(sv_of(key[i]), &b->mem);
		any |= scope[i].kind == SCOPE_POOL;
		if (scope[i].kind == SCOPE_NODE)
			intern_add(&own, scope[i].name);
	}
	if (!any) {
		intern_free(&own);
		return 0;
	}
	rc = store_nodes(b->store, NULL, &b->mem, &node, &n, err);
	if (!rc)
		rc = store_series(b->store, NULL, &b->mem, &series, &nseries, err);
	for (size_t i = 0; i < nseries && !rc; i++)
		intern_add(&own, series[i].key.node);
	for (size_t i = 0; i < n && !rc; i++) {
		int best = 0;
		size_t at = 0;
		/* of several records the last says what the node is */
		if (i + 1 < n && sv_eq(node[i + 1].node, node[i].node))
			continue;
		if (intern_find(&own, node[i].node) >= 0)
			continue;
		for (size_t k = 0; k < nscope; k++) {
			int fit = fits(b, &node[i], &scope[k]);
			if (fit > best)
				best = fit, at = k;
		}
		if (!best)
			continue;
		uint32_t number = intern_add(&ret->node, node[i].node),
			 pool = intern_add(&ret->pool, sv_of(key[at]));
		if (number == ret->of.n)
			*vec_push(&ret->of) = pool;
	}
	intern_free(&own);
	return rc;
}

/* What is touched of a node is touched of the pool that closes it. */
static void pass_on(struct book *b, struct sv node, struct sv pool)
{
	long i = intern_find(&b->dirty.scope, node);

	if (i < 0 || !pool.n)
		return;
	struct span s = b->dirty.span[i];
	dirty_mark_key(&b->dirty, pool, s.from_ms, s.to_ms);
}

static void move(struct book *b, struct sv node, struct sv from, struct sv to)
{
	struct sv place[] = { node, from, to }; /* keys */

	for (size_t i = 0; i < 3; i++) {
		if (!place[i].n)
			continue;
		if (b->ledger_from_ms != UNKNOWN_MS)
			dirty_mark_key(&b->dirty, place[i], b->ledger_from_ms, b->ledger_to_ms);
		pass_on(b, node, place[i]);
	}
}

static struct sv key_of_node(struct book *b, struct sv node)
{
	struct scope s = scope_node(node);

	return sv_of(scope_key_in(&s, &b->mem));
}

int pooling_mark(struct book *b, struct err *err)
{
	int rc = pooling_find(b, &b->pooling, err);

	for (size_t i = 0; i < b->pooling.node.n && !rc; i++) {
		struct sv node = b->pooling.node.text[i], key = key_of_node(b, node),
			  now = b->pooling.pool.text[b->pooling.of.v[i]],
			  old = pooling_of(&b->pooled_before, node);
		if (!sv_eq(now, old))
			move(b, key, old, now);
		pass_on(b, key, now);
	}
	for (size_t i = 0; i < b->pooled_before.node.n && !rc; i++) {
		struct sv node = b->pooled_before.node.text[i];
		if (intern_find(&b->pooling.node, node) < 0)
			move(b, key_of_node(b, node),
			     b->pooled_before.pool.text[b->pooled_before.of.v[i]], SV_NULL);
	}
	return rc;
}
