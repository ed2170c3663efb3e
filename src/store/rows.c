/* Nodes, jobs, prices, incidents, who watched: what files say, in and out. */
#include "store/accounts.h"
#include "store/inside.h"
#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "model/scope.h"

/* A rebuild asks for one node after another. */
struct node_cache {
	struct arena mem;
	struct node *v;
	size_t n;
	bool has_uuids; /* the two below are filled */
	struct node_uuid *uuid;
	size_t nuuid;
};
/* A GPU that a record names; {NULL,0}: several nodes do, or a job that names no node holds it. */
struct node_uuid {
	struct sv uuid, node;
};

/* ---- in ---------------------------------------------------------------------------------- */

int store_add_node(struct store *s, int file, const struct node *n, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	store_forget_nodes(s);
	return facts_add_node(s->facts, src_of(s->batch, file), n, err);
}

int store_add_allocation(struct store *s, int file, const char *scope, const struct allocation *a,
			 struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	store_forget_ahead(s);
	if (s->nodes) /* a job may hold a GPU by its uuid alone; the machines stay as they are */
		s->nodes->has_uuids = false;
	return facts_add_allocation(s->facts, src_of(s->batch, file), scope, a, err);
}

int store_add_incident(struct store *s, int file, const struct incident *i, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_add_incident(s->facts, src_of(s->batch, file), i, err);
}

int store_add_price(struct store *s, int file, const struct price *p, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_add_price(s->facts, src_of(s->batch, file), p, err);
}

int store_add_exchange_rate(struct store *s, int file, const struct exchange_rate *x,
			    struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_add_exchange_rate(s->facts, src_of(s->batch, file), x, err);
}

int store_add_witness(struct store *s, int file, const struct witness *w, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_add_witness(s->facts, src_of(s->batch, file), w, err);
}

int store_add_presence(struct store *s, int file, const struct presence *p, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_add_presence(s->facts, src_of(s->batch, file), p, err);
}

int store_add_curve(struct store *s, int file, const struct curve_point *p, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_add_curve(s->facts, src_of(s->batch, file), p, err);
}

/* ---- out: of what overlapping imports tell, the newest ----------------------------------- */

static void node_key(struct str *key, const void *row)
{
	const struct node *n = row;
	newest_part(key, n->node);
	newest_part(key, n->cluster);
	newest_part(key, n->provider);
	str_addf(key, "%lld", (long long)n->from_ms);
}

void store_forget_nodes(struct store *s)
{
	if (s->nodes)
		arena_free(&s->nodes->mem);
	free(s->nodes);
	s->nodes = NULL;
}

static int cached_nodes(struct store *s, struct err *err)
{
	struct srcs src;
	if (s->nodes)
		return 0;
	struct node_cache *c = xcalloc(1, sizeof *c);
	s->nodes = c;
	int r = facts_nodes(s->facts, &c->mem, &c->v, &src, err);
	if (r)
		store_forget_nodes(s);
	else
		c->n = newest_keep(c->v, src.n, sizeof *c->v, src.v, node_key, NULL);
	return r;
}

static int cmp_uuid(const void *a, const void *b)
{
	const struct node_uuid *x = a, *y = b;

	return sv_cmp(x->uuid, y->uuid);
}

static struct node_uuid *uuid_named(const struct node_cache *c, struct sv uuid)
{
	const struct node_uuid key = { .uuid = uuid };

	return find_sorted(&key, c->uuid, c->nuuid, sizeof key, cmp_uuid);
}

/* Readings and jobs of a GPU stay together: one that names no node either keeps them apart. */
static int leave_out_held(struct store *s, struct node_cache *c, struct err *err)
{
	struct arena mem = { 0 };
	const char **scope;
	size_t n = 0;
	int r = facts_allocation_scopes(s->facts, &mem, &scope, &n, err);

	for (size_t i = 0; i < n && !r; i++) {
		struct scope x = scope_of_key(sv_of(scope[i]), &mem);
		struct node_uuid *u = NULL;
		if (x.kind == SCOPE_GPU)
			u = uuid_named(c, x.name);
		if (u)
			u->node = SV_NULL;
	}
	arena_free(&mem);
	return r;
}

static int cached_uuids(struct store *s, struct err *err)
{
	int r = cached_nodes(s, err);
	struct node_cache *c = s->nodes;

	if (r || c->has_uuids)
		return r;
	VEC(struct node_uuid) all = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		for (struct sv rest = c->v[i].gpu_ids; rest.n && c->v[i].node.n;) {
			struct sv id = sv_trim(sv_cut(rest, ';', &rest));
			int64_t place; /* that is one of each machine */
			if (id.n && sv_i64(id, &place) < 0)
				*vec_push(&all) = (struct node_uuid){ id, c->v[i].node };
		}
	sort_items(all.v, all.n, sizeof *all.v, cmp_uuid);
	for (size_t i = 0; i < all.n; i++) {
		if (!n || !sv_eq(all.v[n - 1].uuid, all.v[i].uuid))
			all.v[n++] = all.v[i];
		else if (!sv_eq(all.v[n - 1].node, all.v[i].node))
			all.v[n - 1].node = SV_NULL;
	}
	c->uuid = arena_copy(&c->mem, all.v, n, sizeof *all.v);
	c->nuuid = n;
	vec_free(&all);
	if (c->nuuid)
		r = leave_out_held(s, c, err);
	c->has_uuids = !r;
	return r;
}

int store_node_of_gpu(struct store *s, struct sv uuid, struct sv *ret, struct err *err)
{
	int r = cached_uuids(s, err);

	if (r)
		return r;
	const struct node_uuid *u = uuid_named(s->nodes, uuid);
	*ret = u ? u->node : SV_NULL;
	return 0;
}

int store_gpus_of_node(struct store *s, struct sv node, struct str *sql, struct err *err)
{
	int r = cached_uuids(s, err);

	for (size_t i = 0; !r && i < s->nodes->nuuid; i++) {
		const struct node_uuid *u = &s->nodes->uuid[i];
		if (!u->node.n || !sv_eq(u->node, node))
			continue;
		str_addz(sql, ",'");
		for (size_t k = 0; k < u->uuid.n; k++)
			str_addf(sql, "%s%c", text_if(u->uuid.p[k] == '\'', "'"), u->uuid.p[k]);
		str_addc(sql, '\'');
	}
	return r;
}

int store_nodes(struct store *s, const char *node, struct arena *a, struct node **ret,
		size_t *ret_n, struct err *err)
{
	int r = cached_nodes(s, err);
	if (r)
		return r;
	const struct node_cache *c = s->nodes;
	size_t from = 0, to = c->n;
	if (node) { /* they stand by name, those without one at the end */
		from = to = first_where(i, c->n,
					!c->v[i].node.p || sv_cmp(c->v[i].node, sv_of(node)) >= 0);
		while (to < c->n && c->v[to].node.p && sv_is(c->v[to].node, node))
			to++;
	}
	*ret_n = to - from;
	*ret = arena_alloc(a, *ret_n * sizeof **ret + 1);
	for (size_t i = 0; i < *ret_n; i++) {
		struct node x = c->v[from + i];
		struct sv *const text[] = { &x.node,          &x.provider,  &x.region,  &x.zone,
					    &x.instance_type, &x.gpu_model, &x.cluster, &x.purchase,
					    &x.resource_id,   &x.gpu_ids,   &x.currency };
		for (size_t k = 0; k < sizeof text / sizeof *text; k++)
			*text[k] = arena_keep(a, *text[k]);
		(*ret)[i] = x;
	}
	return 0;
}

void store_allocation_key(struct str *key, const void *row)
{
	const struct allocation *a = row;
	newest_part(key, a->job_id);
	newest_part(key, a->name);
	newest_part(key, a->cluster);
	newest_part(key, a->namespace_);
	newest_part(key, a->node);
	newest_part(key, a->gpu_ids);
	newest_part(key, a->mig_profile);
	str_addf(key, "%d %d %lld", a->attempt, a->mig_start, (long long)a->start_ms);
}

/* A list made before its end may come in after the one that tells it. The columns of this and of
 * the key stand in store/duck/ too (allocations.c, late.c, views.c). */
struct newest_end store_allocation_end(const void *row)
{
	const struct allocation *a = row;
	if (a->end_ms == UNKNOWN_MS)
		return (struct newest_end){ 0 };
	if (a->open_end)
		return (struct newest_end){ END_SEEN, a->end_ms };
	return (struct newest_end){ END_TOLD, a->end_ms };
}

int store_allocations(struct store *s, const struct scope_span *of, struct arena *a,
		      struct allocation **ret, size_t *ret_n, struct err *err)
{
	struct srcs src;
	int r = 0;

	if (of->scope)
		r = store_ahead_jobs(s, of, a, ret, ret_n, err);
	if (r)
		return min_int(r, 0);
	r = facts_allocations(s->facts, of, a, ret, &src, err);
	if (r == 0)
		*ret_n = newest_keep(*ret, src.n, sizeof **ret, src.v, store_allocation_key,
				     store_allocation_end);
	return r;
}

int store_ends_told(struct store *s, int64_t from_ms, int64_t to_ms, bool *ret, struct err *err)
{
	return facts_ends_told(s->facts, from_ms, to_ms, ret, err);
}

int store_accounts_without_team(struct store *s, int64_t from_ms, int64_t to_ms, bool *ret,
				struct err *err)
{
	return facts_accounts_without_team(s->facts, from_ms, to_ms, ret, err);
}

int store_tag_keys(struct store *s, struct arena *a, const char ***ret, size_t *ret_n,
		   struct err *err)
{
	return facts_tag_keys(s->facts, a, ret, ret_n, err);
}

static void incident_key(struct str *key, const void *row)
{
	const struct incident *i = row;
	newest_part(key, i->gpu);
	newest_part(key, i->mig);
	newest_part(key, i->kind);
	str_addf(key, "%lld %lld", (long long)i->t_ms, (long long)i->code);
}

int store_incidents(struct store *s, const char *node, int64_t to_ms, struct arena *a,
		    struct incidents *ret, struct err *err)
{
	int r = facts_incidents(s->facts, node, to_ms, a, ret, err);
	if (r == 0)
		ret->n = newest_keep(ret->v, ret->n, sizeof *ret->v, ret->src, incident_key, NULL);
	return r;
}

int store_incident_nodes(struct store *s, struct arena *a, struct sv **ret, size_t *ret_n,
			 struct err *err)
{
	return facts_incident_nodes(s->facts, a, ret, ret_n, err);
}

int store_prices(struct store *s, struct arena *a, struct price **ret, size_t *ret_n,
		 struct err *err)
{
	return facts_prices(s->facts, a, ret, ret_n, err);
}

int store_exchange_rates(struct store *s, struct arena *a, struct exchange_rate **ret,
			 size_t *ret_n, struct err *err)
{
	return facts_exchange_rates(s->facts, a, ret, ret_n, err);
}

int store_allocation_counts(struct store *s, struct span window, struct arena *a,
			    struct scope_count **ret, size_t *ret_n, struct err *err)
{
	return facts_allocation_counts(s->facts, window, a, ret, ret_n, err);
}

int store_allocation_scopes(struct store *s, struct arena *a, const char ***ret, size_t *ret_n,
			    struct err *err)
{
	return facts_allocation_scopes(s->facts, a, ret, ret_n, err);
}

int store_allocation_spans(struct store *s, struct arena *a, struct scope_spans *ret,
			   struct err *err)
{
	return facts_allocation_spans(s->facts, a, ret, err);
}

int store_job_machines(struct store *s, struct arena *a, struct job_machine **ret, size_t *ret_n,
		       struct err *err)
{
	return facts_job_machines(s->facts, a, ret, ret_n, err);
}

int store_machine_times(struct store *s, struct span of, struct arena *a, struct machine_time **ret,
			size_t *ret_n, struct err *err)
{
	return facts_machine_times(s->facts, of, a, ret, ret_n, err);
}

int store_job_traits(struct store *s, struct arena *a, struct job_traits **ret, size_t *ret_n,
		     struct err *err)
{
	return facts_job_traits(s->facts, a, ret, ret_n, err);
}

int store_job_gpus(struct store *s, struct arena *a, struct job_gpus **ret, size_t *ret_n,
		   struct err *err)
{
	return facts_job_gpus(s->facts, a, ret, ret_n, err);
}

int store_job_names(struct store *s, struct arena *a, struct job_name **ret, size_t *ret_n,
		    struct err *err)
{
	return facts_job_names(s->facts, a, ret, ret_n, err);
}

int store_witness_told(struct store *s, struct arena *a, struct witness_told **ret, size_t *ret_n,
		       struct err *err)
{
	return facts_witness_told(s->facts, a, ret, ret_n, err);
}

int store_presence(struct store *s, struct arena *a, struct presence_told **ret, size_t *ret_n,
		   struct err *err)
{
	return facts_presence(s->facts, a, ret, ret_n, err);
}

int store_witness_jobs(struct store *s, struct arena *a, struct witness_jobs **ret, size_t *ret_n,
		       struct err *err)
{
	return facts_witness_jobs(s->facts, a, ret, ret_n, err);
}

/* ---- what late knowledge changes ---------------------------------------------------------- */

int store_running(struct store *s, struct arena *a, struct scope_spans *ret, struct err *err)
{
	return facts_running(s->facts, a, ret, err);
}

int store_told_again(struct store *s, struct arena *a, struct scope_spans *ret, struct err *err)
{
	return facts_told_again(s->facts, a, ret, err);
}

int store_data_end(struct store *s, int64_t now_ms, int64_t *ret, struct err *err)
{
	struct arena mem = { 0 };
	struct series *series;
	size_t n = 0;
	int e = facts_data_end(s->facts, now_ms, ret, err);

	if (!e)
		e = store_series(s, NULL, &mem, &series, &n, err);
	for (size_t i = 0; i < n && e == 0; i++)
		if (series[i].to_ms > *ret) /* UNKNOWN_MS is before all others */
			*ret = min_i64(series[i].to_ms, now_ms);
	arena_free(&mem);
	return e;
}

int store_nameless_gpu(struct store *s, int64_t from_ms, int64_t to_ms, struct nameless_gpu *ret,
		       struct err *err)
{
	struct nameless_gpu x;
	int r = facts_nameless_gpu(s->facts, from_ms, to_ms, &x, err);

	if (!r && x.ngpu)
		r = cached_nodes(s, err);
	if (r)
		return r;
	const struct node *last = NULL;
	for (size_t i = 0; x.ngpu && i < s->nodes->n; i++) { /* by name */
		const struct node *v = &s->nodes->v[i];
		bool over = v->to_ms != UNKNOWN_MS && v->to_ms <= from_ms;
		if (v->from_ms >= to_ms || over || (last && sv_eq(last->node, v->node)))
			continue;
		last = v;
		x.nmachine++;
	}
	*ret = x.nmachine ? x : (struct nameless_gpu){ 0 };
	return 0;
}
