/* Paid intervals of machines: node records, and where there is none what the ledger tells of the
 * machine. */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "ledger/tagset.h"
#include "plan/fleet/fleet_in.h"

struct index { /* first interval of each node by name */
	struct intern name;
	VEC(size_t) first;
};

static void add_record(struct loader *l, const struct node *r)
{
	struct fleet *f = l->f;
	int64_t from = r->from_ms == UNKNOWN_MS || r->from_ms < f->since_ms ? f->since_ms
									    : r->from_ms;
	int64_t to = r->to_ms == UNKNOWN_MS || r->to_ms > f->until_ms ? f->until_ms : r->to_ms;

	if (from >= to)
		return;
	struct fleet_node *n = vec_push(&f->node);
	*n = (struct fleet_node){
		.node = fleet_text(f, r->node),
		.cluster = fleet_text(f, r->cluster),
		.provider = fleet_text(f, r->provider),
		.region = fleet_text(f, r->region),
		.zone = fleet_text(f, r->zone),
		.instance_type = fleet_text(f, r->instance_type),
		.gpu_model = fleet_text(f, r->gpu_model),
		.purchase = fleet_text(f, r->purchase),
		.currency = f->currency,
		.resource = fleet_text(f, r->resource_id),
		.gpus_milli = r->gpu_milli,
		.from_ms = from,
		.to_ms = to,
		.told_nano_hour = NAN,
	};
	struct sv currency = r->currency;

	if (!currency.n)
		currency = sv_of(l->opt->conf->currency);
	if (r->has_usd_hour && sv_is(currency, f->currency))
		n->told_nano_hour = dec_to_double(r->usd_hour) * 1e9;
	n->elastic = fleet_is_elastic(n->purchase);

	const struct instance_type *t = NULL;

	if (l->opt->catalog && *n->instance_type)
		t = catalog_instance(l->opt->catalog, sv_of(filled_or(n->provider, NULL)),
				     sv_of(n->instance_type));
	n->vcpu = t ? t->vcpu : NAN;
	n->ram_gib = t ? t->ram_gib : NAN;
	if (t && !n->gpus_milli)
		n->gpus_milli = t->gpu_milli;

	/* What the node list says of the host wins over the data sheet: part of a machine is the
	 * system's own. */
	n->host_told = r->cpu_milli > 0 || r->ram_mib > 0;
	if (r->cpu_milli > 0)
		n->vcpu = (double)r->cpu_milli / 1000;
	if (r->ram_mib > 0)
		n->ram_gib = (double)r->ram_mib / 1024;
}

/* The interval of a node that was paid at an hour; an interval that begins or ends within the hour
 * counts. */
static size_t interval_at(const struct fleet *f, const struct index *ix, const char *node,
			  int64_t hour_ms)
{
	int64_t i = intern_find(&ix->name, sv_of(node));
	size_t k;

	if (i < 0)
		return SIZE_MAX;
	for (k = ix->first.v[i];
	     k < f->node.n && f->node.v[k].node == f->node.v[ix->first.v[i]].node; k++)
		if (f->node.v[k].to_ms > hour_ms && f->node.v[k].from_ms < hour_ms + MS_HOUR)
			return k;
	return k - 1; /* lines of a bill outside the record: with the last one */
}

/* Works take from their node what entries do not say; nodes take their sums from the works. */
static void tie_workload(struct fleet *f, struct workload *w, const struct index *ix)
{
	for (size_t i = 0; i < w->nhour; i++) {
		const struct workload_hour *h = &f->hour.v[w->hour0 + i];
		size_t k = interval_at(f, ix, w->node, h->hour_ms);
		if (k == SIZE_MAX)
			return;
		f->node.v[k].cost_nano += h->nano;
		f->node.v[k].ms += h->ms;
		if (!i) {
			w->node_index = k;
			w->instance_type = f->node.v[k].instance_type;
			if (!*w->cluster)
				w->cluster = f->node.v[k].cluster;
		}
	}
}

static bool has_node(const struct workload *w)
{
	return *w->node && w->kind != WORKLOAD_LINE;
}

static int by_node(const void *pa, const void *pb)
{
	const struct fleet_node *a = pa, *b = pb;
	int d = strcmp(a->node, b->node);

	if (d)
		return d;
	return cmp_i64(a->from_ms, b->from_ms);
}

struct on_node {
	size_t node, workload;
};

static int cmp_on_node(const void *pa, const void *pb)
{
	const struct on_node *a = pa, *b = pb;

	if (a->node != b->node)
		return cmp_size(a->node, b->node);
	return cmp_size(a->workload, b->workload);
}

/* GPUs of a machine by its fullest hour, over all its workloads v [n] together. */
static int64_t fullest_milli(const struct fleet *f, const struct on_node *v, size_t n)
{
	int64_t first = INT64_MAX, last = INT64_MIN, most = 0;

	for (size_t i = 0; i < n; i++) {
		const struct workload *w = &f->workload.v[v[i].workload];
		first = min_i64(f->hour.v[w->hour0].hour_ms, first);
		last = max_i64(f->hour.v[w->hour0 + w->nhour - 1].hour_ms, last);
	}
	int64_t *ms = xcalloc((size_t)((last - first) / MS_HOUR) + 1, sizeof *ms);
	for (size_t i = 0; i < n; i++) {
		const struct workload *w = &f->workload.v[v[i].workload];
		for (size_t k = 0; k < w->nhour; k++) {
			const struct workload_hour *h = &f->hour.v[w->hour0 + k];
			int64_t *sum = &ms[(h->hour_ms - first) / MS_HOUR];
			*sum += h->ms;
			most = max_i64(*sum, most);
		}
	}
	free(ms);
	return (most * 1000 + MS_HOUR / 2) / MS_HOUR;
}

/* Machines without a record, each once, over all its workloads. */
static void add_unrecorded(struct loader *l)
{
	struct fleet *f = l->f;
	struct intern names = { 0 };
	VEC(size_t) at = { 0 };
	VEC(struct on_node) on = { 0 };
	size_t recorded = f->node.n;

	for (size_t i = 0; i < recorded; i++)
		intern_add(&names, sv_of(f->node.v[i].node));
	size_t known = names.n;
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (!has_node(w) || !w->nhour)
			continue;
		uint32_t k = intern_add(&names, sv_of(w->node));
		if (k < known)
			continue;
		*vec_push(&on) = (struct on_node){ k - known, i };
		if (k - known == at.n) {
			*vec_push(&at) = f->node.n;

			/* A machine that the ledger knows and no record does: as long as it has
			 * entries, as large as its fullest hour. */
			struct fleet *fleet = l->f;
			struct fleet_node *node = vec_push(&fleet->node);

			*node = (struct fleet_node){
				.node = w->node,
				.cluster = w->cluster,
				.provider = w->provider,
				.region = w->region,
				.zone = w->zone,
				.instance_type = w->instance_type,
				.gpu_model = w->gpu_model,
				.purchase = w->purchase,
				.currency = fleet->currency,
				.gpus_milli = w->gpus_milli,
				.from_ms = w->start_ms,
				.to_ms = w->end_ms,
				.elastic = w->elastic,
				.told_nano_hour = NAN,
				.vcpu = NAN,
				.ram_gib = NAN,
				.unrecorded = true,
			};

			continue;
		}
		struct fleet_node *n = &f->node.v[at.v[k - known]];
		n->from_ms = min_i64(w->start_ms, n->from_ms);
		n->to_ms = max_i64(w->end_ms, n->to_ms);
		n->gpus_milli = max_i64(w->gpus_milli, n->gpus_milli);
	}
	if (on.n)
		sort_items(on.v, on.n, sizeof *on.v, cmp_on_node);
	for (size_t i = 0, k; i < on.n; i = k) {
		struct fleet_node *n = &f->node.v[at.v[on.v[i].node]];
		for (k = i + 1; k < on.n && on.v[k].node == on.v[i].node; k++)
			;
		n->gpus_milli = max_i64(fullest_milli(f, &on.v[i], k - i), n->gpus_milli);
	}
	intern_free(&names);
	vec_free(&at);
	vec_free(&on);
}

/* ---- resources of lines ------------------------------------------------------------------ */

struct resources {
	struct loader *l;
	struct arena mem;
};

/* The line of a bill whose kind and Name tag are those of a workload names its resource; where
 * several have that name it is known of none. */
static int take_line(void *ctx, const struct bill_line *b, struct sv scope, struct err *err)
{
	struct resources *r = ctx;
	struct fleet *f = r->l->f;
	struct tagset t = { 0 };

	(void)scope;
	(void)err;
	if (b->kind != KIND_STORAGE || !b->resource_id.n || !tagset_read(&r->mem, b->tags, &t))
		return 0;
	struct sv name = tagset_get(&t, SV("Name"));
	for (size_t i = 0; name.n && i < f->workload.n; i++) {
		struct workload *w = &f->workload.v[i];
		if (w->kind != WORKLOAD_LINE || w->line_kind != b->kind || !sv_is(name, w->name))
			continue;
		const char *id = fleet_text(f, b->resource_id);
		w->several_resources |= *w->resource && w->resource != id;
		w->resource = id;
		if (!(*w->region || !b->region.n))
			w->region = fleet_text(f, b->region);
		if (!(*w->provider || !b->provider.n))
			w->provider = fleet_text(
				f, sv_of(catalog_provider(r->l->opt->catalog, b->provider)));
	}
	tagset_free(&t);
	return 0;
}

int fleet_read_nodes(struct loader *l, struct err *err)
{
	struct fleet *f = l->f;
	struct index ix = { 0 };
	int r = store_nodes(l->store, NULL, &l->mem, &l->rec, &l->nrec, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < l->nrec; i++)
		add_record(l, &l->rec[i]);
	add_unrecorded(l);
	if (f->node.n)
		sort_items(f->node.v, f->node.n, sizeof *f->node.v, by_node);
	for (size_t i = 0; i < f->node.n; i++)
		if (intern_add(&ix.name, sv_of(f->node.v[i].node)) == ix.first.n)
			*vec_push(&ix.first) = i;
	for (size_t i = 0; i < f->workload.n; i++) {
		if (!has_node(&f->workload.v[i]))
			continue;
		tie_workload(f, &f->workload.v[i], &ix);

		/* The id of its machine. Free time: from when to when the machine was paid, all its
		 * GPUs. */
		struct workload *w = &f->workload.v[i];
		struct fleet *fleet = l->f;
		const struct fleet_node *n = NULL;

		if (w->node_index != SIZE_MAX)
			n = &fleet->node.v[w->node_index];
		if (!n || w->kind == WORKLOAD_LINE)
			continue;
		size_t j = first_where(at, l->nrec, sv_cmp(l->rec[at].node, sv_of(n->node)) >= 0);
		for (; /* records come by node */
		     j < l->nrec && sv_is(l->rec[j].node, n->node); j++)
			if (l->rec[j].resource_id.n)
				w->resource = fleet_text(fleet, l->rec[j].resource_id);
		if (w->kind != WORKLOAD_FREE)
			continue;
		w->gpus_milli = n->gpus_milli;
		w->start_ms = n->from_ms;
		w->end_ms = n->to_ms;
		for (size_t k = w->node_index;
		     k < fleet->node.n && fleet->node.v[k].node == n->node; k++)
			w->end_ms = fleet->node.v[k].to_ms;
	}
	vec_free(&ix.first);
	intern_free(&ix.name);

	struct resources resources = { .l = l };
	bool any = false;

	for (size_t i = 0; i < l->f->workload.n; i++)
		any |= l->f->workload.v[i].kind == WORKLOAD_LINE &&
		       l->f->workload.v[i].line_kind == KIND_STORAGE && *l->f->workload.v[i].name;
	if (any && l->opt->catalog)
		r = store_bill_lines(l->store, l->f->since_ms, l->f->until_ms, take_line,
				     &resources, err);
	for (size_t i = 0; i < f->workload.n; i++)
		if (f->workload.v[i].several_resources)
			f->workload.v[i].resource = "";
	arena_free(&resources.mem);
	return r;
}
