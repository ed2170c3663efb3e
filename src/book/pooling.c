/*
 * Nodes of a cluster whose jobs name no nodes are closed together with those jobs, in the pool of
 * their model (else in that of the cluster), unless jobs name the node after all: it is one time,
 * whatever readings tell of it. A node has one place; when it moves, both the old one and the new
 * one are rebuilt over all its time.
 */
#include "base/num.h"
#include "book/in.h"

void pooling_free(struct pooling *g)
{
	intern_free(&g->node);
	intern_free(&g->pool);
	vec_free(&g->of);
	vec_free(&g->scope);
	vec_free(&g->home);
}

struct sv pooling_of(const struct pooling *g, struct sv node)
{
	long i = intern_find(&g->node, node);

	if (i < 0)
		return SV_NULL;
	return g->pool.text[g->of.v[i]];
}

/* "a100" of a job may be any of its family. */
static bool may_be(const struct book *b, struct sv word, const struct gpu_spec *model)
{
	const struct gpu_spec *one[32];
	size_t n = min_size(catalog_gpu_family(b->catalog, word, one, 32), 32);

	for (size_t i = 0; i < n && model; i++)
		if (one[i] == model)
			return true;
	return false;
}

/*
 * How well a pool fits a machine: 0 not at all, 1 by the cluster, 2 by the GPU's family, 3 by the
 * GPU, 4 by its very name; and 4 more where both are of one cluster by name.
 */
static int pool_fits_cluster(const struct book *b, const struct pooling *g, struct sv cluster,
			     struct sv gpu_model, const struct scope *pool)
{
	bool unnamed = !cluster.n || !pool->cluster.n;
	int same = 0;

	if (sv_eq(cluster, pool->cluster))
		same = 4;
	else if (!g->one_cluster || !unnamed)
		return 0;
	if (!pool->gpu_model.n)
		return same + 1;
	if (sv_ieq(pool->gpu_model, gpu_model))
		return same + 4;
	const struct gpu_spec *x = catalog_gpu(b->catalog, gpu_model),
			      *y = catalog_gpu(b->catalog, pool->gpu_model);
	if (x && x == y)
		return same + 3;
	if (may_be(b, pool->gpu_model, x) || may_be(b, gpu_model, y))
		return same + 2;
	return 0;
}

static int pool_fits(const struct book *b, const struct pooling *g, const struct pool_place *at,
		     const struct scope *pool)
{
	int fit = pool_fits_cluster(b, g, at->cluster, at->gpu_model, pool);

	if (at->tagged)
		fit = max_int(pool_fits_cluster(b, g, SV_NULL, at->gpu_model, pool), fit);
	return fit;
}

enum may_hold pooling_may_hold(const struct book *b, const struct pooling *g,
			       const struct pool_place *at)
{
	enum may_hold ret = MAY_NOT_HOLD;

	for (size_t i = 0; i < g->scope.n; i++) {
		struct scope any = g->scope.v[i];
		if (pool_fits(b, g, at, &any))
			ret = max_int(ret, MAY_HOLD);
		bool unknown = !g->home.v[i] && any.gpu_model.n &&
			       !catalog_gpu(b->catalog, any.gpu_model);
		any.gpu_model = SV_NULL;
		if (unknown && pool_fits(b, g, at, &any))
			ret = MAY_HOLD_ANY;
	}
	return ret;
}

struct pool_place pooling_place(struct book *b, const struct traits *t, const struct node *n)
{
	struct scope name = scope_node(n->node);
	const struct trait *x = traits_of(t, sv_of(scope_key_in(&name, &b->mem)));
	struct pool_place at = { .cluster = n->cluster, .gpu_model = n->gpu_model };

	if (!at.cluster.n && x->tagged) {
		at.cluster = x->cluster;
		at.tagged = true;
	}
	return at;
}

int pooling_find(struct book *b, const struct traits *t, struct pooling *ret, struct err *err)
{
	struct node *node = NULL;
	struct series *series = NULL;
	const char **key;
	struct intern own = { 0 }, cluster = { 0 };
	size_t n = 0, nscope = 0, nseries = 0;
	int rc = store_allocation_scopes(b->store, &b->mem, &key, &nscope, err);

	for (size_t i = 0; i < nscope && !rc; i++) {
		struct scope s = scope_of_key(sv_of(key[i]), &b->mem);
		if (s.kind == SCOPE_NODE)
			intern_add(&own, s.name);
		if (s.kind != SCOPE_POOL)
			continue;
		*vec_push(&ret->scope) = s;
		*vec_push(&ret->home) = false;
		if (s.cluster.n)
			intern_add(&cluster, s.cluster);
	}
	if (ret->scope.n && !rc)
		rc = store_nodes(b->store, NULL, &b->mem, &node, &n, err);
	if (ret->scope.n && !rc)
		rc = store_series(b->store, NULL, &b->mem, &series, &nseries, err);
	for (size_t i = 0; i < nseries && !rc; i++)
		if (series[i].key.cluster.n)
			intern_add(&cluster, series[i].key.cluster);
	for (size_t i = 0; i < n && !rc; i++)
		if (node[i].cluster.n)
			intern_add(&cluster, node[i].cluster);
	ret->one_cluster = cluster.n <= 1;
	for (size_t i = 0; i < n && !rc; i++) {
		int best = 0;
		size_t at = 0;
		/* of several records the last says what the node is */
		if (i + 1 < n && sv_eq(node[i + 1].node, node[i].node))
			continue;
		const struct pool_place at_node = pooling_place(b, t, &node[i]);
		for (size_t k = 0; k < ret->scope.n; k++) {
			int fit = pool_fits(b, ret, &at_node, &ret->scope.v[k]);
			ret->home.v[k] |= fit > 0;
			if (fit > best) {
				best = fit;
				at = k;
			}
		}
		if (!best || intern_find(&own, node[i].node) >= 0)
			continue;
		uint32_t number = intern_add(&ret->node, node[i].node),
			 pool = intern_add(&ret->pool,
					   sv_of(scope_key_in(&ret->scope.v[at], &b->mem)));
		if (number == ret->of.n)
			*vec_push(&ret->of) = pool;
	}
	intern_free(&cluster);
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
	unsigned by = b->dirty.by[i];
	dirty_by(&b->dirty, dirty_mark_key(&b->dirty, pool, s.from_ms, s.to_ms), by);
}

static void move_node(struct book *b, struct sv node, struct sv from, struct sv to)
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

/* Of a machine that is closed alone it is known or not that nobody holds it, as there are jobs that
 * may. key: of its scope */
static void mark_may_hold(struct book *b, struct sv key, const struct pool_place *at)
{
	enum may_hold may = pooling_may_hold(b, &b->pooling, at),
		      might = pooling_may_hold(b, &b->pooled_before, at);

	if (may)
		intern_add(&b->beside_pools, key);
	if (may != might && b->ledger_from_ms != UNKNOWN_MS)
		dirty_mark_key(&b->dirty, key, b->ledger_from_ms, b->ledger_to_ms);
}

static int mark_alone(struct book *b, struct err *err)
{
	struct node *node;
	struct series *series;
	struct bill_resource *billed;
	size_t n = 0, nseries = 0, nbilled = 0;
	const struct pooling *now = &b->pooling, *then = &b->pooled_before;
	bool same = now->scope.n == then->scope.n && now->one_cluster == then->one_cluster &&
		    now->node.n == then->node.n;

	for (size_t i = 0; i < now->scope.n && same; i++) /* both in the order of their keys */
		same = sv_eq(now->scope.v[i].cluster, then->scope.v[i].cluster) &&
		       sv_eq(now->scope.v[i].gpu_model, then->scope.v[i].gpu_model) &&
		       now->home.v[i] == then->home.v[i];
	if (same)
		return 0;
	int rc = store_nodes(b->store, NULL, &b->mem, &node, &n, err);
	if (!rc)
		rc = store_series(b->store, NULL, &b->mem, &series, &nseries, err);
	if (!rc)
		rc = store_bill_resources(b->store, &b->mem, &billed, &nbilled, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++) {
		const struct pool_place at = pooling_place(b, b->traits, &node[i]);
		if (!pooling_of(now, node[i].node).n)
			mark_may_hold(b, key_of_node(b, node[i].node), &at);
	}
	for (size_t i = 0; i < nseries; i++) {
		const struct sample_key *k = &series[i].key;
		const struct pool_place at = { k->cluster, false, k->gpu_model };
		if (k->node.n && !pooling_of(now, k->node).n)
			mark_may_hold(b, key_of_node(b, k->node), &at);
	}
	for (size_t i = 0; i < nbilled; i++) {
		struct scope s = scope_of_key(billed[i].scope, &b->mem);
		const struct trait *x = traits_of(b->traits, billed[i].scope);
		const struct pool_place at = { x->cluster, x->tagged, billed[i].gpu_model };
		if (s.kind == SCOPE_RESOURCE)
			mark_may_hold(b, billed[i].scope, &at);
	}
	return 0;
}

int pooling_mark(struct book *b, struct err *err)
{
	int rc = pooling_find(b, b->traits, &b->pooling, err);

	if (!rc)
		rc = mark_alone(b, err);

	for (size_t i = 0; i < b->pooling.node.n && !rc; i++) {
		struct sv node = b->pooling.node.text[i], key = key_of_node(b, node),
			  now = b->pooling.pool.text[b->pooling.of.v[i]],
			  old = pooling_of(&b->pooled_before, node);
		if (!sv_eq(now, old))
			move_node(b, key, old, now);
		pass_on(b, key, now);
	}
	for (size_t i = 0; i < b->pooled_before.node.n && !rc; i++) {
		struct sv node = b->pooled_before.node.text[i];
		if (intern_find(&b->pooling.node, node) < 0)
			move_node(b, key_of_node(b, node),
				  b->pooled_before.pool.text[b->pooled_before.of.v[i]], SV_NULL);
	}
	return rc;
}
