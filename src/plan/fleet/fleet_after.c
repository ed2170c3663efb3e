/* The fleet after the plan, for those who run it: machines of each kind at once, and how long work
 * takes, before and after. */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "plan/replay/compose.h"
#include "plan/workload.h"

/* ---- machines ---------------------------------------------------------------------------- */

struct edge {
	uint32_t kind;
	int64_t at_ms;
	int by;
};
struct pools {
	struct intern key;
	VEC(struct plan_pool) pool;
	VEC(struct edge) before, after;
};

static uint32_t pool_kind(struct pools *p, const char *type, const char *region,
			  const char *purchase)
{
	struct str s = { 0 };

	str_addf(&s, "%s\x1f%s\x1f%s", type, region, purchase);
	uint32_t id = intern_add(&p->key, str_sv(&s));
	str_free(&s);
	if (id == p->pool.n)
		*vec_push(&p->pool) = (struct plan_pool){ type, region, purchase, 0, 0 };
	return id;
}

static int by_kind(const void *pa, const void *pb)
{
	const struct edge *a = pa, *b = pb;

	if (a->kind != b->kind)
		return cmp_u64(a->kind, b->kind);
	if (a->at_ms != b->at_ms)
		return cmp_i64(a->at_ms, b->at_ms);
	return a->by - b->by;
}

static void find_peaks(struct pools *p, bool after)
{
	struct edge *e = after ? p->after.v : p->before.v;
	size_t n = after ? p->after.n : p->before.n;
	int64_t now = 0;

	if (n)
		sort_items(e, n, sizeof *e, by_kind);
	for (size_t i = 0; i < n; i++) {
		struct plan_pool *k = &p->pool.v[e[i].kind];
		now = (i && e[i - 1].kind != e[i].kind ? 0 : now) + e[i].by;
		if (after && now > k->after)
			k->after = now;
		else if (!after && now > k->before)
			k->before = now;
	}
}

static void add_edge(struct pools *p, bool after, uint32_t kind, int64_t from_ms, int64_t to_ms)
{
	if (to_ms <= from_ms)
		return;
	struct edge a = { kind, from_ms, 1 }, b = { kind, to_ms, -1 };
	if (after) {
		*vec_push(&p->after) = a;
		*vec_push(&p->after) = b;
	} else {
		*vec_push(&p->before) = a;
		*vec_push(&p->before) = b;
	}
}

/* On another machine than it was: a commitment pays for the same. */
static bool has_moved(const struct workload *w, const struct use *u)
{
	return strcmp(u->instance_type, w->instance_type) || strcmp(u->region, w->region) ||
	       !strcmp(u->purchase, "spot") != !strcmp(w->purchase, "spot");
}

enum after { AFTER_GONE, AFTER_AS_PAID, AFTER_AS_HELD };

/* Jobs on parts of a machine at the same time hold one machine. */
struct held {
	size_t node;
	int64_t from_ms, to_ms;
};

static int by_node(const void *pa, const void *pb)
{
	const struct held *a = pa, *b = pb;

	if (a->node != b->node)
		return cmp_size(a->node, b->node);
	return cmp_i64(a->from_ms, b->from_ms);
}

static int larger_pool(const void *pa, const void *pb)
{
	const struct plan_pool *a = pa, *b = pb;
	int64_t x = max_i64(a->before, a->after), y = max_i64(b->before, b->after);

	if (x != y)
		return cmp_i64(y, x);
	int d = strcmp(a->instance_type, b->instance_type);
	if (d)
		return d;
	return strcmp(a->purchase, b->purchase);
}

static void add_held(struct pools *p, const struct composer *cp, const struct comp *c,
		     const enum after *left)
{
	const struct fleet *f = cp->fleet;
	VEC(struct held) held = { 0 };

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		const struct use *u = &c->use[i];
		struct held x = { .node = w->node_index };
		bool counts = w->kind == WORKLOAD_JOB && !has_moved(w, u) &&
			      w->node_index != SIZE_MAX && left[w->node_index] == AFTER_AS_HELD &&
			      *u->instance_type;
		for (size_t at = 0; counts && workload_holds(f, w, u, &at, &x.from_ms, &x.to_ms);)
			*vec_push(&held) = x;
	}
	if (held.n)
		sort_items(held.v, held.n, sizeof *held.v, by_node);
	for (size_t i = 0, k; i < held.n; i = k) {
		struct held h = held.v[i];
		for (k = i + 1;
		     k < held.n && held.v[k].node == h.node && held.v[k].from_ms < h.to_ms; k++)
			h.to_ms = max_i64(held.v[k].to_ms, h.to_ms);
		const struct fleet_node *n = &f->node.v[h.node];
		add_edge(p, true, pool_kind(p, n->instance_type, n->region, n->purchase), h.from_ms,
			 h.to_ms);
	}
	vec_free(&held);
}

static void fill_pools(const struct composer *cp, const struct comp *c, struct plan *plan)
{
	const struct fleet *f = cp->fleet;
	struct pools p = { 0 };

	/* What is left of each paid interval of a machine: nothing; all, where it is paid while
	 * nobody holds it; else as long as somebody does. */
	const struct fleet *fleet = cp->fleet;
	enum after *left = xcalloc(fleet->node.n + 1, sizeof *left);

	for (size_t i = 0; i < fleet->workload.n; i++) {
		const struct workload *w = &fleet->workload.v[i];
		const struct use *u = &c->use[i];
		if (w->kind == WORKLOAD_LINE || w->node_index == SIZE_MAX ||
		    fleet_is_after_told(fleet, w))
			continue;
		if (u->end_ms <= u->start_ms || has_moved(w, u))
			continue;
		bool waits = w->kind == WORKLOAD_FREE;
		/* most of the time that nobody held is still paid */
		if (waits ? u->cost_nano * 2 > w->cost_nano : w->kind != WORKLOAD_JOB)
			left[w->node_index] = AFTER_AS_PAID;
		else if (!waits && left[w->node_index] == AFTER_GONE)
			left[w->node_index] = AFTER_AS_HELD;
	}

	/* where jobs were laid onto fewer machines they hold nothing of those that stop */
	for (size_t i = 0; i < c->taken.v.n; i++) {
		const struct rec *t = c->taken.v.v[i];
		for (size_t k = 0; k < t->change.n && t->packs; k++) {
			size_t w = t->change.v[k].workload, at = f->workload.v[w].node_index;
			if (f->workload.v[w].kind == WORKLOAD_FREE &&
			    c->use[w].end_ms <= c->use[w].start_ms)
				left[at] = AFTER_GONE;
		}
	}

	for (size_t i = 0; i < f->node.n; i++) {
		const struct fleet_node *n = &f->node.v[i];
		if (!*n->instance_type)
			continue;
		uint32_t kind = pool_kind(&p, n->instance_type, n->region, n->purchase);
		add_edge(&p, false, kind, n->from_ms, n->to_ms);
		if (left[i] == AFTER_AS_PAID)
			add_edge(&p, true, kind, n->from_ms, n->to_ms);
	}
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		const struct use *u = &c->use[i];
		if ((w->kind != WORKLOAD_JOB && w->kind != WORKLOAD_SERVICE) || !*u->instance_type)
			continue;
		if (u->end_ms <= u->start_ms || !has_moved(w, u))
			continue;
		add_edge(&p, true, pool_kind(&p, u->instance_type, u->region, u->purchase),
			 u->start_ms, u->end_ms);
	}
	add_held(&p, cp, c, left);
	find_peaks(&p, false);
	find_peaks(&p, true);
	if (p.pool.n)
		sort_items(p.pool.v, p.pool.n, sizeof *p.pool.v, larger_pool);
	for (size_t i = 0; i < p.pool.n; i++)
		if (p.pool.v[i].before || p.pool.v[i].after)
			*vec_push(&plan->pool) = p.pool.v[i];
	vec_free(&p.pool);
	vec_free(&p.before);
	vec_free(&p.after);
	intern_free(&p.key);
	free(left);
}

/* ---- time to result ---------------------------------------------------------------------- */

static double median_hours(int64_t *v, size_t n)
{
	sort_items(v, n, sizeof *v, rising_i64);
	return (double)v[n / 2] / MS_HOUR;
}

void plan_fleet_after(const struct composer *cp, const struct comp *c, struct plan *p)
{
	const struct fleet *f = cp->fleet;
	double boot = cp->conf->boot_minutes * MS_MINUTE;

	fill_pools(cp, c, p);

	for (size_t i = 0; i < cp->habits.v.n; i++) {
		const struct habit_runs *h = &cp->habits.v.v[i];
		size_t n = 0, moved = 0;
		if (h->level != HABIT_USER)
			continue;
		int64_t *before = xcalloc(2 * h->workload.n + 1, sizeof *before),
			*after = before + h->workload.n;
		for (size_t k = 0; k < h->workload.n; k++) {
			const struct workload *w = &f->workload.v[h->workload.v[k]];
			const struct use *u = &c->use[h->workload.v[k]];
			bool other = has_moved(w, u);
			before[n] = workload_used_ms(w);
			after[n++] = (int64_t)((double)workload_used_ms(w) * u->slowdown +
					       (other ? boot : 0));
			moved += other || u->slowdown != 1;
		}
		if (moved)
			*vec_push(&p->result) = (struct plan_result){
				.name = h->name,
				.team = h->first->team,
				.runs = h->runs,
				.before_h = median_hours(before, n),
				.after_h = median_hours(after, n),
			};
		free(before);
	}
}
