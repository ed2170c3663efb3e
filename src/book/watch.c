/* Who watched which nodes: loaded from the facts in force, and what changes with a batch. */
#include "base/num.h"
#include "base/search.h"
#include "base/str.h"
#include "base/tm.h"
#include "book/in.h"

int watch_load(struct book *b, const struct traits *t, struct witnesses **ret, struct err *err)
{
	struct witness_told *told;
	struct witness_jobs *jobs;
	struct node *node;
	size_t ntold = 0, njobs = 0, n = 0;
	int rc = store_witness_told(b->store, &b->mem, &told, &ntold, err);

	if (!rc)
		rc = store_witness_jobs(b->store, &b->mem, &jobs, &njobs, err);
	if (!rc)
		rc = store_nodes(b->store, NULL, &b->mem, &node, &n, err);
	if (rc)
		return rc;
	VEC(struct witness_node) place = { 0 };
	struct sv key, cluster;
	for (size_t i = 0; i < n; i++) {
		const struct pool_place at = pooling_place(b, t, &node[i]);
		*vec_push(&place) = (struct witness_node){ node[i].node, at.cluster };
	}
	for (size_t at = 0; (key = traits_tagged(t, &at, &cluster)).n;) {
		struct scope s = scope_of_key(key, &b->mem);
		if (s.kind == SCOPE_NODE)
			*vec_push(&place) = (struct witness_node){ s.name, cluster };
	}
	*ret = witnesses_new(told, ntold, jobs, njobs, place.v, place.n);
	vec_free(&place);
	return 0;
}

int64_t watch_until(const struct watch_span *w, size_t n, int64_t from_ms, int64_t to_ms,
		    bool *ret_watched, enum quality *ret_quality)
{
	size_t at = first_where(i, n, w[i].to_ms > from_ms);

	*ret_watched = at < n && w[at].from_ms <= from_ms;
	if (at == n)
		return to_ms;
	*ret_quality = w[at].quality;
	int64_t end = *ret_watched ? w[at].to_ms : w[at].from_ms;
	return min_i64(end, to_ms);
}

static bool same_span(const struct watch_span *x, const struct watch_span *y)
{
	return x->from_ms == y->from_ms && x->to_ms == y->to_ms && x->quality == y->quality;
}

static bool edges_alike(const struct watch_span *x, const struct watch_span *y, bool at_start)
{
	int64_t a = at_start ? x->from_ms : x->to_ms, b = at_start ? y->from_ms : y->to_ms;

	return a == b && x->quality == y->quality;
}

/* From the first to the last instant at which the two differ; false where they do not. */
static bool find_difference(const struct watch_span *x, size_t nx, const struct watch_span *y,
			    size_t ny, int64_t *from_ms, int64_t *to_ms)
{
	size_t head = 0, tail = 0, least = min_size(nx, ny);

	while (head < least && same_span(&x[head], &y[head]))
		head++;
	if (head == nx && head == ny)
		return false;
	while (tail < least - head && same_span(&x[nx - 1 - tail], &y[ny - 1 - tail]))
		tail++;
	*from_ms = INT64_MAX;
	*to_ms = INT64_MIN;
	for (size_t i = head; i < nx - tail; i++) {
		*from_ms = min_i64(x[i].from_ms, *from_ms);
		*to_ms = max_i64(x[i].to_ms, *to_ms);
	}
	for (size_t i = head; i < ny - tail; i++) {
		*from_ms = min_i64(y[i].from_ms, *from_ms);
		*to_ms = max_i64(y[i].to_ms, *to_ms);
	}
	/* A span that only goes on further than before differs from where it ended: a list of jobs
	 * that comes each day would have all that was watched posted again. */
	if (head < nx - tail && head < ny - tail) {
		const struct watch_span *u = &x[nx - 1 - tail], *v = &y[ny - 1 - tail];
		if (edges_alike(&x[head], &y[head], true))
			*from_ms = min_i64(x[head].to_ms, y[head].to_ms);
		if (edges_alike(u, v, false))
			*to_ms = max_i64(u->from_ms, v->from_ms);
	}
	return *from_ms < *to_ms;
}

/* By its jobs or its bill's tags; where these change all its time is posted again (traits.c). */
static struct sv cluster_of(struct book *b, const struct scope *s)
{
	struct arena mem = { 0 };
	struct sv cluster = traits_of(b->traits, sv_of(scope_key_in(s, &mem)))->cluster;

	arena_free(&mem);
	return cluster;
}

/* Which pools may hold it is not known yet: where one answer differs it is touched. */
static void mark_one(struct book *b, struct arena *mem, struct sv node, struct sv cluster,
		     const struct scope *scope)
{
	static const enum may_hold may[] = { MAY_NOT_HOLD, MAY_HOLD, MAY_HOLD_ANY };
	const struct witness_node of = { node, cluster };

	for (size_t i = 0; i < sizeof may / sizeof *may; i++) {
		struct watch_span *x, *y;
		size_t nx = witnesses_of(b->watch_before, &of, may[i], mem, &x),
		       ny = witnesses_of(b->watch, &of, may[i], mem, &y);
		int64_t from = 0, to = 0;
		if (find_difference(x, nx, y, ny, &from, &to))
			dirty_mark(&b->dirty, scope, from, to);
	}
	arena_free(mem);
}

/* Nodes that only readings tell of; readings come by node. */
static int mark_unrecorded(struct book *b, const struct node *node, size_t n, struct arena *mem,
			   struct err *err)
{
	struct series *s;
	size_t ns;
	int rc = store_series(b->store, NULL, &b->mem, &s, &ns, err);

	for (size_t i = 0; i < ns && !rc; i++) {
		struct sv name = s[i].key.node;
		struct scope scope = scope_node(name);
		if (!name.n || (i && sv_eq(name, s[i - 1].key.node)))
			continue;
		size_t at = first_where(k, n, sv_cmp(node[k].node, name) >= 0);
		if (at == n || !sv_eq(node[at].node, name))
			mark_one(b, mem, name, sv_or(cluster_of(b, &scope), s[i].key.cluster),
				 &scope);
	}
	return rc;
}

int watch_mark(struct book *b, struct err *err)
{
	struct sv *billed;
	struct node *node;
	struct arena mem = { 0 };
	size_t n = 0, nbilled = 0;
	int rc = watch_load(b, b->traits, &b->watch, err);

	if (!rc)
		rc = store_nodes(b->store, NULL, &b->mem, &node, &n, err);
	if (!rc)
		rc = store_bill_scopes(b->store, &b->mem, &billed, &nbilled, err);
	for (size_t i = 0; i < n && !rc; i++) {
		struct scope s = scope_node(node[i].node);
		if (!i || !sv_eq(node[i].node, node[i - 1].node))
			mark_one(b, &mem, node[i].node, sv_or(node[i].cluster, cluster_of(b, &s)),
				 &s);
	}
	for (size_t i = 0; i < nbilled && !rc; i++) {
		struct scope s = scope_of_key(billed[i], &b->mem);
		struct sv name = s.kind == SCOPE_RESOURCE ? join_tail(s.name) : s.name;
		if (s.kind == SCOPE_RESOURCE || s.kind == SCOPE_NODE)
			mark_one(b, &mem, name, cluster_of(b, &s), &s);
	}
	if (!rc)
		rc = mark_unrecorded(b, node, n, &mem, err);
	if (rc)
		return rc;
	struct sv cluster, user;
	int64_t source;
	for (size_t at = 0; witnesses_partial(b->watch, &at, &source, &cluster, &user);) {
		struct book_file *f = book_file_of(b, source);
		struct sv in = sv_or(cluster, SV("(no cluster)"));
		if (!f)
			continue;
		feed_note(
			&f->report,
			"all jobs of cluster '%.*s' are of one user, '%.*s': taken for a part of the "
			"list, so nothing is called unallocated by it; if the list is complete, "
			"import it with --covers",
			SVF(in), SVF(user));
	}
	return 0;
}

int watch_covered(struct book *b, struct err *err)
{
	struct witness w = { .from_ms = UNKNOWN_MS,
			     .to_ms = UNKNOWN_MS,
			     .quality = QUALITY_MEASURED };
	int rc = 0;

	if (b->opt.map && feed_map_covers(b->opt.map))
		rc = store_add_witness(b->store, b->nfile, &w, err);
	for (size_t i = 0; i < b->opt.ncovers && !rc; i++) {
		w.cluster = sv_of(b->opt.covers[i]);
		w.from_ms = b->opt.covers_from_ms;
		w.to_ms = b->opt.covers_to_ms;
		rc = store_add_witness(b->store, b->nfile, &w, err);
	}
	return rc;
}
