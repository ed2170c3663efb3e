/*
 * Post a scope: reverse what stands in the ledger for the touched days, load facts, attribute, add
 * the new entries.
 *
 * A node with GPUs: every GPU is closed by itself (attrib_gpu). Allocations that do not name
 * GPUs are bound to those that their readings fit when the node has telemetry or they hold the whole
 * node (choice.h; quality estimated when it is a choice); else the node is a pool (attrib_pool). Pools of
 * (cluster, model) have no GPUs. Time that nothing but an allocation or a sample speaks of is paid
 * time of its own (quality assumed).
 */
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"
#include "book/post.h"

/* ---- paid intervals, of GPUs and pools -------------------------------------------------- */

static int64_t nth_part(int64_t total, size_t n, size_t i)
{
	int64_t base = total / (int64_t)n, rest = total % (int64_t)n;

	if (rest >= 0)
		return base + ((int64_t)i < rest);
	return base - ((int64_t)i < -rest);
}

/* The share of GPU i of n in a node's interval; n == 0: the whole node as a pool. */
static void interval(const struct post *p, const struct paid_interval *q, size_t n, size_t i,
		     struct attrib_paid *t)
{
	*t = (struct attrib_paid){
		.from_ms = q->from_ms,
		.to_ms = q->to_ms,
		.purchase = q->purchase,
		.currency = sv_or(q->currency, sv_of(p->book->opt.conf->currency)),
		.quality = q->quality,
		.recorded = q->recorded,
		.gpus_known = true,
		.owner = ATTRIB_NOBODY,
		.tag = entry_tag(p, q),
		.unheld_state = STATE_UNKNOWN,
		.unheld_cause = CAUSE_UNWATCHED,
		.unheld_quality = QUALITY_ESTIMATED,
	};
	if (q->watched) {
		t->unheld_state = STATE_UNALLOCATED;
		t->unheld_cause = CAUSE_FREE;
		t->unheld_quality = q->watch_quality;
	}
	t->gpus_milli = 1000;
	if (!n)
		t->gpus_milli = q->gpu_milli ? q->gpu_milli : p->paid.gpu_milli;
	else if (n == 1 && p->paid.gpu_milli < 1000)
		t->gpus_milli = p->paid.gpu_milli;
	for (int b = 0; b < BASIS_N; b++) {
		t->has_amount[b] = q->has_amount[b];
		t->amount_nano[b] = n ? nth_part(q->amount_nano[b], n, i) : q->amount_nano[b];
		t->has_rate[b] = q->has_rate[b] && !q->has_amount[b];
		if (!t->has_rate[b])
			continue;
		if (n) {
			/* GPUs' rates add up to the node's: what does not divide goes to the first
			 * GPUs, 10^-12 each */
			dec base = q->rate_node_hour[b] / (dec)n;
			t->rate_gpu_hour[b] = base +
					      ((dec)i < q->rate_node_hour[b] - base * (dec)n);
			if (t->gpus_milli != 1000) /* a rate is per whole GPU */
				t->rate_gpu_hour[b] = dec_muldiv(t->rate_gpu_hour[b], 1000,
								 t->gpus_milli);
		} else {
			t->rate_gpu_hour[b] = dec_muldiv(q->rate_node_hour[b], 1000,
							 p->paid.gpu_milli);
		}
	}
}

static size_t unheld_owner(struct post *p, const struct paid_interval *q)
{
	if (q->share && q->share->next)
		return hold_shared_owner(p, q->share);
	return hold_unheld_owner(p, &q->payer, q->tags);
}

/* intervals by currency: attribution takes one currency at a time. */
size_t post_intervals(struct post *p, struct sv currency, size_t n, size_t i,
		      struct attrib_paid *ret)
{
	const struct paid_interval *last = NULL;
	size_t k = 0, owner = ATTRIB_NOBODY;

	for (size_t j = 0; j < p->paid.interval.n; j++) {
		const struct paid_interval *q = &p->paid.interval.v[j];
		interval(p, q, n, i, &ret[k]);
		if (!sv_eq(ret[k].currency, currency))
			continue;
		bool same = last && sv_eq(last->tags, q->tags) && last->share == q->share;
		if (!same || !payer_eq(&last->payer, &q->payer))
			owner = unheld_owner(p, q);
		last = q;
		ret[k++].owner = owner;
	}
	return k;
}

void post_currencies(const struct post *p, struct intern *ret)
{
	for (size_t j = 0; j < p->paid.interval.n; j++)
		intern_add(ret, sv_or(p->paid.interval.v[j].currency,
				      sv_of(p->book->opt.conf->currency)));
}

/* ---- a scope ----------------------------------------------------------------------------- */

/* When it was at work, as jobs and readings tell. */
static void find_active(struct post *p)
{
	spans jobs = { 0 }, readings = { 0 };

	for (size_t i = 0; i < p->nalloc; i++)
		if (p->alloc[i].start_ms != UNKNOWN_MS)
			*vec_push(&jobs) = (struct span){ p->alloc[i].start_ms,
							  hold_running_end(p, &p->alloc[i]) };
	for (size_t i = 0; i < p->nseries; i++)
		*vec_push(&readings) = (struct span){ p->series[i].from_ms, p->series[i].to_ms };
	spans_sort(&jobs);
	spans_sort(&readings);
	for (size_t i = 0; i < readings.n; i++)
		*vec_push(&jobs) = readings.v[i];
	p->paid.active = arena_copy(&p->mem, jobs.v, jobs.n, sizeof *jobs.v);
	p->paid.nactive = jobs.n;
	vec_free(&jobs);
	vec_free(&readings);
}

/* The nodes of a pool, added up; their bill lines are found under their own names. */
static int paid_of_pool(struct post *p, struct err *err)
{
	struct book *b = p->book;
	struct node *node;
	size_t n = 0, k = 0;
	int rc = store_nodes(b->store, NULL, &p->mem, &node, &n, err);
	struct paid_node *paid = arena_zalloc(&p->mem, (n + 1) * sizeof *paid);

	for (size_t i = 0, same; i < n && !rc; i += same) {
		struct bill_line *line = NULL;
		size_t nline = 0;
		for (same = 1; i + same < n && sv_eq(node[i + same].node, node[i].node);)
			same++;
		if (!sv_is(pooling_of(&b->pooling, node[i].node), p->key))
			continue;
		struct scope name = scope_node(node[i].node);
		rc = store_bill_gpu(b->store, scope_key_in(&name, &p->mem), p->from_ms, p->to_ms,
				    &p->mem, &line, &nline, err);
		if (!rc)
			rc = paid_build(b, &p->mem, node + i, same, line, nline, p->from_ms,
					p->to_ms, &paid[k], err);
		p->paid.provider = sv_or(p->paid.provider, node[i].provider);
		p->paid.region = sv_or(p->paid.region, node[i].region);
		for (size_t j = 0; j < paid[k].rest.n; j++)
			*vec_push(&p->paid.rest) = paid[k].rest.v[j];
		for (size_t j = 0; j < paid[k].extra.n; j++)
			*vec_push(&p->paid.extra) = paid[k].extra.v[j];
		k++;
	}
	if (!rc && k) {
		rc = paid_merge(&p->mem, paid, k, b->opt.conf->currency, &p->paid, err);
		for (size_t i = 0; i < k; i++)
			p->paid.gpu_milli += paid[i].gpu_milli;
	}
	for (size_t i = 0; i < k; i++)
		paid_node_free(&paid[i]);
	return rc;
}

static int attribute(struct post *p, struct err *err)
{
	bool recorded;
	int rc = 0;

	/* what it is called, until its records say more */
	switch (p->scope.kind) {
	case SCOPE_NODE: p->paid.node = p->scope.name; break;
	case SCOPE_RESOURCE: p->paid.node = join_tail(p->scope.name); break;
	case SCOPE_POOL:
		p->paid.cluster = p->scope.cluster;
		p->paid.gpu_model = p->scope.gpu_model;
		break;
	case SCOPE_GPU:
	case SCOPE_BILL: break;
	}
	p->paid.cluster = sv_or(p->paid.cluster, p->trait->cluster);
	p->paid.gpu_model = sv_or(p->paid.gpu_model, p->trait->gpu_model);
	find_active(p);

	/* what was paid for it */
	if (p->scope.kind == SCOPE_NODE && pooling_of(&p->book->pooling, p->scope.name).n)
		return 0; /* its pool has it */
	if (p->scope.kind == SCOPE_POOL)
		rc = paid_of_pool(p, err);
	else
		rc = paid_build(p->book, &p->mem, p->node, p->nnode, p->line, p->nline,
				p->computed.from_ms, p->computed.to_ms, &p->paid, err);
	if (rc)
		return rc;
	/* a pool has GPUs by the records of its nodes alone, paid in these days or not */
	recorded = p->paid.interval.n > 0 || p->trait->recorded || p->scope.kind == SCOPE_POOL;
	recorded = recorded && p->paid.gpu_milli > 0;
	entry_number_charges(p);
	p->gpu = catalog_gpu(p->book->catalog, p->paid.gpu_model);
	if (p->gpu)
		p->paid.gpu_model = sv_of(p->gpu->model);

	/* who held it, and its GPUs */
	hold_take(p);
	p->names.node = p->paid.node;
	if (recorded && p->scope.kind != SCOPE_POOL)
		hold_gpus_of_node(p);
	hold_gpus_of_series(p);
	if (!recorded)
		hold_gpus_of_jobs(p);

	/* entries */
	for (size_t i = 0; i < p->paid.rest.n && !rc; i++) {
		p->paid.rest.v[i].scope = p->key;
		rc = entry_remainder(p, &p->paid.rest.v[i], err);
	}
	for (size_t i = 0; i < p->paid.extra.n && !rc; i++)
		rc = entry_extra(p, &p->paid.extra.v[i], err);
	if (rc)
		return rc;
	bool by_gpu = false;
	if (p->scope.kind != SCOPE_POOL)
		rc = hold_bind(p, recorded, &by_gpu, err);
	if (rc)
		return rc;
	if (!by_gpu) {
		if (recorded)
			return post_recorded_pool(p, err);
		return post_unrecorded_pool(p, err);
	}
	if (recorded)
		return post_recorded_gpus(p, err);
	for (size_t i = 0; i < p->gpus.n && !rc; i++)
		rc = post_unrecorded_gpu(p, i, err);
	return rc;
}

static int post_window(struct book *b, const char *key, unsigned by, int64_t from_ms, int64_t to_ms,
		       int64_t *ret_to_ms, struct err *err)
{
	struct post p = { .book = b, .key = key, .touched_by = by };
	int rc;

	p.scope = scope_of_key(sv_of(key), &p.mem);
	p.trait = traits_of(b->traits, sv_of(key));
	p.by_month = p.scope.kind == SCOPE_NODE && p.trait->billed && !p.trait->recorded;
	post_set_window(&p, from_ms, to_ms);
	if (p.by_month)
		p.to_ms = tm_month_start(p.from_ms, 1);
	rc = post_load(&p, err);
	if (!rc)
		rc = store_reverse_scope(b->store, key, p.written.from_ms, p.written.to_ms, err);
	if (!rc)
		rc = attribute(&p, err);
	if (!rc)
		check_posted(b, key, p.written.from_ms, p.written.to_ms);
	*ret_to_ms = p.written.to_ms;
	for (size_t i = 0; i < p.gpus.n; i++)
		vec_free(&p.gpus.v[i].series);
	vec_free(&p.gpus);
	gpu_names_free(&p.names);
	vec_free(&p.hold);
	vec_free(&p.owner);
	vec_free(&p.served);
	vec_free(&p.shares);
	vec_free(&p.priced_by);
	vec_free(&p.rest);
	paid_node_free(&p.paid);
	energy_free(&p.energy);
	cause_free(&p.causes);
	arena_free(&p.mem);
	return rc;
}

int post_scope(struct book *b, const char *key, unsigned by, int64_t from_ms, int64_t to_ms,
	       struct err *err)
{
	int rc = 0;

	for (int64_t t = from_ms; t < to_ms && !rc;)
		rc = post_window(b, key, by, t, to_ms, &t, err);
	return rc;
}
