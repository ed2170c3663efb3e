#include "plan/alone/unheld.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"
#include "base/tm.h"
#include "opt/size/idle.h"
#include "plan/workload.h"

/* of its longest pause so far: a machine that is free no longer than that may be wanted again */
#define PAUSE_FACTOR 1.5

static int by_node(const void *pa, const void *pb, void *ctx)
{
	const struct fleet *f = ctx;
	const struct workload *a = &f->workload.v[*(const size_t *)pa],
			      *b = &f->workload.v[*(const size_t *)pb];
	int d = strcmp(a->node, b->node);

	if (d)
		return d;
	if (a < b)
		return -1;
	return a > b;
}

void node_order_make(const struct lever_in *in, struct node_order *ret)
{
	const struct fleet *f = in->fleet;

	*ret = (struct node_order){ .in = in, .order = xcalloc(f->workload.n + 1, sizeof(size_t)) };
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind != WORKLOAD_FREE && w->kind != WORKLOAD_LINE && *w->node)
			ret->order[ret->n++] = i;
	}
	qsort_r(ret->order, ret->n, sizeof *ret->order, by_node, (void *)f);
}

void node_order_free(struct node_order *o)
{
	free(o->order);
}

size_t node_order_first(const struct node_order *o, const char *node)
{
	const struct workload *w = o->in->fleet->workload.v;

	return first_where(i, o->n, strcmp(w[o->order[i]].node, node) >= 0);
}

bool node_order_is(const struct node_order *o, size_t k, const char *node)
{
	return k < o->n && !strcmp(o->in->fleet->workload.v[o->order[k]].node, node);
}

/* When somebody is known to have held it; malloc'ed. What nobody watched is not that. */
static struct idle_span *known_held(const struct node_order *o, const char *node, size_t *ret_n,
				    const struct workload **ret_last)
{
	VEC(struct idle_span) v = { 0 };
	int64_t last_ms = INT64_MIN;

	vec_grow(&v, 1);
	*ret_last = NULL;
	for (size_t k = node_order_first(o, node); node_order_is(o, k, node); k++) {
		const struct use *u = &o->in->use[o->order[k]];
		const struct workload *w = &o->in->fleet->workload.v[o->order[k]];
		if (w->kind == WORKLOAD_UNKNOWN)
			continue;
		struct idle_span x;
		for (size_t at = 0; workload_holds(o->in->fleet, w, u, &at, &x.from_ms, &x.to_ms);)
			*vec_push(&v) = x;
		if (u->end_ms > last_ms) {
			last_ms = u->end_ms;
			*ret_last = w;
		}
	}
	for (size_t k = fleet_present_first(o->in->fleet, node);
	     fleet_present_is(o->in->fleet, k, node); k++)
		*vec_push(&v) = o->in->fleet->present.v[k].span;
	*ret_n = idle_union(v.v, v.n);
	return v.v;
}

struct unheld unheld_of(const struct node_order *o, const struct workload *w)
{
	struct unheld u = { 0 };
	const struct fleet_node *m = &o->in->fleet->node.v[w->node_index];
	size_t n;
	struct idle_span *v = known_held(o, w->node, &n, &u.last);

	/* The paid time that reaches to the end of the last interval without a break, as records
	 * split it. */
	const struct fleet *f = o->in->fleet;
	const char *node = f->node.v[w->node_index].node;

	u.from_ms = u.to_ms = f->node.v[w->node_index].from_ms;
	for (size_t k = w->node_index; k < f->node.n && f->node.v[k].node == node; k++) {
		if (f->node.v[k].from_ms - u.to_ms > MS_HOUR)
			u.from_ms = f->node.v[k].from_ms;
		u.to_ms = max_i64(f->node.v[k].to_ms, u.to_ms);
	}
	u.to_ms = min_i64(u.to_ms, fleet_told_until(f, w));

	for (size_t i = 0; i < n; i++) {
		if (v[i].to_ms <= u.from_ms || v[i].to_ms <= v[i].from_ms)
			continue;
		u.pause_days = fmax(u.pause_days,
				    (double)(v[i].from_ms - u.from_ms) / (double)MS_DAY);
		u.from_ms = v[i].to_ms;
	}
	free(v);
	u.present = fleet_present_since(f, node, u.from_ms - 1);
	if (u.from_ms >= u.to_ms)
		return u;
	double all = (double)(u.to_ms - u.from_ms) * (double)m->gpus_milli / 1000;
	u.days = (double)(u.to_ms - u.from_ms) / (double)MS_DAY;
	/* Less the time of which nobody tells anything, of all its GPUs. */
	int64_t dark_ms = 0;

	for (size_t k = node_order_first(o, w->node); node_order_is(o, k, w->node); k++) {
		const struct workload *x = &f->workload.v[o->order[k]];
		for (size_t i = 0; x->kind == WORKLOAD_UNKNOWN && i < x->nhour; i++) {
			const struct workload_hour *h = &f->hour.v[x->hour0 + i];
			if (h->hour_ms + MS_HOUR > u.from_ms && h->hour_ms < u.to_ms &&
			    !fleet_is_after_told(f, x))
				dark_ms += h->ms;
		}
	}
	/* A list of jobs that nobody says is complete is no witness to stop a machine by. */
	double assumed = w->ms > 0 ? (double)w->assumed_ms / (double)w->ms : 0;

	if (all > 0)
		u.seen_frac = 1 - (double)dark_ms / all;
	u.watched_frac = u.seen_frac * (1 - assumed);
	return u;
}

bool unheld_shows_life(const struct node_order *o, const struct workload *w)
{
	const struct workload_stats *t = &w->stats;
	int64_t ready_ms = (int64_t)(o->in->conf->gates.stop_ready_days * (double)MS_DAY);

	if (!(t->covered_frac > 0))
		return false;
	return t->mem_peak_bytes >= GPU_HELD_BYTES ||
	       (t->last_active_ms != UNKNOWN_MS &&
		t->last_active_ms > fleet_told_until(o->in->fleet, w) - ready_ms);
}

/*
 * The row "stop" of the table: Ready and Try first by the days that nobody held it, all but 1 % of
 * them watched. A machine that was used after pauses as long is wanted again: one step less sure;
 * one that shows life is never Ready.
 */
bool unheld_may_stop(const struct node_order *o, const struct workload *w, const struct unheld *u,
		     enum tier *ret)
{
	const struct plan_gates *g = &o->in->conf->gates;
	bool usual = u->days < PAUSE_FACTOR * u->pause_days;

	if (w->end_ms < fleet_told_until(o->in->fleet, w) - MS_HOUR || u->days <= 0)
		return false;
	if (u->watched_frac < g->stop_watched_frac || u->days < g->stop_trial_days)
		return false;
	bool ready = u->days >= g->stop_ready_days && !usual && !unheld_shows_life(o, w);
	*ret = ready ? TIER_SURE : TIER_TRIAL;
	return u->days >= g->stop_ready_days || !usual;
}
