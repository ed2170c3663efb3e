/*
 * Which time of which scopes a batch touches beside what its own rows speak of: bills that found
 * their machine, open machines and jobs, what is told otherwise than before.
 */
#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "book/in.h"
#include "store/machines.h"

/* Nodes by their records, and those that only jobs or samples name; with the ids that jobs tell of
 * either, as pods know the machine under them. */
int touched_known_nodes(struct book *b, struct join_node **ret, size_t *ret_n, struct err *err)
{
	struct node *node;
	struct series *series;
	struct job_machine *told;
	const char **key;
	struct intern seen = { 0 };
	size_t n = 0, nseries = 0, nscope = 0, ntold = 0, k = 0;
	int rc = store_nodes(b->store, NULL, &b->mem, &node, &n, err);

	if (!rc)
		rc = store_series(b->store, NULL, &b->mem, &series, &nseries, err);
	if (!rc)
		rc = store_allocation_scopes(b->store, &b->mem, &key, &nscope, err);
	if (!rc)
		rc = store_job_machines(b->store, &b->mem, &told, &ntold, err);
	if (rc)
		return rc;
	struct join_node *jn = arena_alloc(&b->mem,
					   (n + ntold + nseries + nscope + 1) * sizeof *jn);
	for (size_t i = 0; i < n; i++, k++) {
		intern_add(&seen, node[i].node);
		jn[k] = (struct join_node){ node[i].node, node[i].provider, node[i].resource_id,
					    node[i].instance_type, node[i].zone };
	}
	for (size_t i = 0; i < ntold; i++) {
		struct sv id = told[i].resource_id,
			  name = scope_of_key(told[i].scope, &b->mem).name;
		intern_add(&seen, name);
		jn[k++] = (struct join_node){ .node = name,
					      .provider = machine_id_provider(id),
					      .resource_id = id,
					      .told = true };
	}
	for (size_t i = 0; i < nseries + nscope; i++) {
		struct sv name = SV_NULL;
		size_t before = seen.n;
		if (i < nseries)
			name = series[i].key.node;
		if (i >= nseries) {
			struct scope s = scope_of_key(sv_of(key[i - nseries]), &b->mem);
			name = s.kind == SCOPE_NODE ? s.name : SV_NULL;
		}
		if (name.n && intern_add(&seen, name) == before)
			jn[k++] = (struct join_node){ .node = name };
	}
	intern_free(&seen);
	*ret = jn;
	*ret_n = join_settle_nodes(jn, k);
	return 0;
}

/* Bill resources whose node is known are spread over that node. */
static int join_bills(struct book *b, struct err *err)
{
	struct join_node *jn;
	struct bill_resource *res;
	size_t nnode = 0, nres = 0;
	int rc = store_bill_resources(b->store, &b->mem, &res, &nres, err);

	if (rc || !nres)
		return rc;
	if ((rc = touched_known_nodes(b, &jn, &nnode, err)))
		return rc;
	struct join_resource *jr = arena_alloc(&b->mem, nres * sizeof *jr);
	struct join_match *m = arena_alloc(&b->mem, nres * sizeof *m);
	for (size_t i = 0; i < nres; i++)
		jr[i] = (struct join_resource){ res[i].provider, res[i].resource_id,
						res[i].resource_name, res[i].tags };
	join_match(b->opt.conf, jn, nnode, jr, nres, m);
	for (size_t i = 0; i < nres && !rc; i++) {
		struct scope s = { .kind = SCOPE_RESOURCE,
				   .provider = res[i].provider,
				   .name = res[i].resource_id };
		struct sv taken = adopt_node(b, res[i].provider, res[i].resource_id);
		if (taken.n)
			s = scope_node(taken);
		else if (m[i].node >= 0)
			s = scope_node(jn[m[i].node].node);
		const char *key = scope_key_in(&s, &b->mem);
		if (sv_is(res[i].scope, key))
			continue;
		dirty_mark(&b->dirty, &s, res[i].from_ms, res[i].to_ms);
		dirty_mark_key(&b->dirty, res[i].scope, res[i].from_ms, res[i].to_ms);
		rc = store_bill_set_scope(b->store, res[i].provider, res[i].resource_id, key, err);
	}
	if (rc)
		return rc;
	const struct sets_from from = { jn, nnode, jr, m, nres };
	return sets_find(b, &from, err);
}

/*
 * How far the data reach; open nodes are paid and running jobs run until then, never into the
 * future. It hangs on the facts in force alone, so that the order in which they came does not
 * matter; where nothing says more than that a node is there, it is now.
 */
static int find_horizon(struct book *b, struct err *err)
{
	int rc = store_ledger_span(b->store, &b->ledger_from_ms, &b->ledger_to_ms, err);

	if (!rc)
		rc = store_data_end(b->store, b->opt.now_ms, &b->horizon_ms, err);
	if (b->horizon_ms == UNKNOWN_MS)
		b->horizon_ms = b->opt.now_ms;
	/* it was the time of that import, within the last hour that was posted */
	if (b->before_ms == UNKNOWN_MS && b->ledger_to_ms != UNKNOWN_MS)
		b->before_ms = b->ledger_to_ms - MS_HOUR;
	return rc;
}

/* What lies between the old horizon and the new one, and reaches there; also when the data reach
 * less far than was thought. */
static void mark_horizon(struct book *b, struct sv key, int64_t from_ms, int64_t to_ms)
{
	int64_t lo = min_i64(b->before_ms, b->horizon_ms), hi = b->ledger_to_ms;

	if (b->before_ms < b->horizon_ms)
		hi = b->horizon_ms;
	bool moved = b->before_ms != UNKNOWN_MS && b->before_ms != b->horizon_ms && lo < hi;
	if (moved && from_ms < hi && to_ms > lo)
		dirty_mark_key(&b->dirty, key, max_i64(from_ms, lo), hi);
}

/* Open nodes and running jobs go on to the new horizon; new prices change what every node without a
 * bill costs. */
static int mark_open(struct book *b, struct err *err)
{
	struct node *node;
	struct scope_spans job = { 0 };
	size_t n = 0;
	int rc = store_nodes(b->store, NULL, &b->mem, &node, &n, err);

	if (!rc)
		rc = store_running(b->store, &b->mem, &job, err);
	for (size_t i = 0; i < n && !rc; i++) {
		bool open = node[i].to_ms == UNKNOWN_MS || node[i].to_ms > b->opt.now_ms;
		struct scope s = scope_node(node[i].node);
		if (b->saw_prices && !node[i].has_usd_hour)
			dirty_mark(&b->dirty, &s, node[i].from_ms,
				   open ? b->horizon_ms : node[i].to_ms);
		mark_horizon(b, sv_of(scope_key_in(&s, &b->mem)), node[i].from_ms,
			     node[i].to_ms == UNKNOWN_MS ? INT64_MAX : node[i].to_ms);
	}
	for (size_t i = 0; i < job.n && !rc; i++)
		mark_horizon(b, sv_of(job.v[i].scope), job.v[i].from_ms, INT64_MAX);
	return rc;
}

/* Jobs and nodes that are told otherwise than before: what the older word covered is rebuilt
 * too. */
static int mark_told_again(struct book *b, struct err *err)
{
	struct scope_spans span = { 0 };
	int rc = store_told_again(b->store, &b->mem, &span, err);

	for (size_t i = 0; i < span.n && !rc; i++) {
		int64_t from = span.v[i].from_ms;
		if (from <= INT64_MIN + 1 && b->ledger_from_ms == UNKNOWN_MS)
			continue; /* nothing was posted */
		dirty_mark_key(&b->dirty, sv_of(span.v[i].scope),
			       from <= INT64_MIN + 1 ? b->ledger_from_ms : from, span.v[i].to_ms);
	}
	return rc;
}

/* Jobs that are known as replicas of a service now, as this batch tells of its requests. */
static int mark_services(struct book *b, struct err *err)
{
	struct allocation *a;
	struct series *s;
	size_t n = 0, ns = 0;
	int rc;

	if (b->services.n == b->nservice_before)
		return 0;
	rc = store_allocations(b->store, &SCOPES_ALL, &b->mem, &a, &n, err);
	if (!rc)
		rc = store_series(b->store, NULL, &b->mem, &s, &ns, err);
	for (size_t i = 0; i < n && !rc; i++) {
		int64_t name = intern_find(&b->services, a[i].name),
			id = intern_find(&b->services, a[i].job_id);
		if (a[i].start_ms != UNKNOWN_MS &&
		    (name >= (int64_t)b->nservice_before || id >= (int64_t)b->nservice_before))
			sink_mark_allocation(b, &a[i]);
	}
	for (size_t i = 0; i < ns && !rc; i++)
		if (intern_find(&b->services, s[i].key.job_id) >= (int64_t)b->nservice_before)
			sink_mark_series(b, &s[i].key, s[i].from_ms, s[i].to_ms);
	return rc;
}

int touched_services_again(struct book *b, struct err *err)
{
	struct sv *service;
	size_t n = 0;

	b->nservice_before = 0;
	int rc = mark_services(b, err);
	if (!rc)
		rc = store_services(b->store, &b->mem, &service, &n, err);
	if (rc)
		return rc;
	intern_free(&b->services);
	for (size_t i = 0; i < n; i++)
		intern_add(&b->services, service[i]);
	b->nservice_before = b->services.n;
	return 0;
}

/* What is touched of a GPU that the record of a node names is touched of that node; what is touched
 * of one whose readings name a job, of the scope of the job. */
static int pass_on_gpus(struct book *b, struct err *err)
{
	size_t n = b->dirty.scope.n;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct scope s = scope_of_key(b->dirty.scope.text[i], &b->mem);
		struct sv node = SV_NULL;
		struct span span = b->dirty.span[i];
		if (s.kind != SCOPE_GPU)
			continue;
		rc = store_node_of_gpu(b->store, s.name, &node, err);
		if (node.n)
			dirty_by(&b->dirty,
				 dirty_mark_node(&b->dirty, node, span.from_ms, span.to_ms),
				 b->dirty.by[i]);
		struct sv home = traits_home(b->traits, s.name);
		if (home.n)
			dirty_by(&b->dirty,
				 dirty_mark_key(&b->dirty, home, span.from_ms, span.to_ms),
				 b->dirty.by[i]);
	}
	return rc;
}

int touched_mark(struct book *b, struct err *err)
{
	int rc = find_horizon(b, err);

	if (!rc)
		rc = join_bills(b, err);
	if (!rc)
		rc = mark_told_again(b, err);
	if (!rc)
		rc = mark_open(b, err);
	if (!rc)
		rc = mark_services(b, err);
	if (!rc)
		rc = traits_mark(b, err);
	if (!rc)
		rc = watch_mark(b, err);
	if (!rc)
		rc = pass_on_gpus(b, err);
	if (!rc)
		rc = sets_mark(b, err);
	return rc;
}
