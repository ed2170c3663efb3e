/* See settle.h. */
#include "plan/proof/settle.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"
#include "opt/size/idle.h"
#include "plan/workload.h"

/* a machine that goes at most this long after its last job goes with it */
#define GOES_MS   MS_HOUR
#define GOES_FRAC 0.8

struct node_workloads { /* works of a machine by name */
	VEC(uint32_t) workload;
	size_t node0, nnode; /* its paid intervals in fleet.node */
	size_t free;         /* its free time, SIZE_MAX */
};
struct kind_state {
	const char *cluster, *type, *purchase;
	bool goes;
};
struct settle {
	const struct lever_in *in;
	struct intern name;
	VEC(struct node_workloads) node;
	VEC(struct kind_state) kind;
	bool *seen;      /* [node] in this recommendation */
	size_t *changed; /* [workload] of this recommendation: its change + 1; 0: none */
};

/* ---- who was where ----------------------------------------------------------------------- */

static struct node_workloads *node_of(struct settle *s, const char *name)
{
	uint32_t id = intern_add(&s->name, sv_of(name));

	if (id == s->node.n)
		*vec_push(&s->node) = (struct node_workloads){ .free = SIZE_MAX };
	return &s->node.v[id];
}

struct settle *settle_new(const struct lever_in *in)
{
	struct settle *s = xcalloc(1, sizeof *s);
	const struct fleet *f = in->fleet;

	s->in = in;
	for (size_t i = 0; i < f->node.n; i++) {
		struct node_workloads *n = node_of(s, f->node.v[i].node);
		if (!n->nnode++)
			n->node0 = i;
	}
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (!*w->node || w->kind == WORKLOAD_LINE || w->node_index == SIZE_MAX)
			continue;
		struct node_workloads *n = node_of(s, w->node);
		if (w->kind == WORKLOAD_FREE)
			n->free = i;
		else
			*vec_push(&n->workload) = (uint32_t)i;
	}
	s->seen = xcalloc(s->node.n + 1, sizeof *s->seen);
	s->changed = xcalloc(f->workload.n + 1, sizeof *s->changed);
	return s;
}

void settle_free(struct settle *s)
{
	for (size_t i = 0; i < s->node.n; i++)
		vec_free(&s->node.v[i].workload);
	vec_free(&s->node);
	vec_free(&s->kind);
	intern_free(&s->name);
	free(s->seen);
	free(s->changed);
	free(s);
}

/* ---- does it come and go ----------------------------------------------------------------- */

static int64_t last_held(const struct settle *s, const struct node_workloads *n, int64_t from_ms,
			 int64_t to_ms)
{
	int64_t last = from_ms;

	for (size_t i = 0; i < n->workload.n; i++) {
		const struct workload *w = &s->in->fleet->workload.v[n->workload.v[i]];
		int64_t end = min_i64(w->end_ms, to_ms);
		if (w->start_ms < to_ms && end > last)
			last = end;
	}
	return last;
}

bool settle_comes_and_goes(struct settle *s, const struct workload *w)
{
	for (size_t i = 0; i < s->kind.n; i++) {
		const struct kind_state *k = &s->kind.v[i];
		if (!strcmp(k->cluster, w->cluster) && !strcmp(k->type, w->instance_type) &&
		    !strcmp(k->purchase, w->purchase))
			return k->goes;
	}
	const struct fleet *f = s->in->fleet;
	size_t ended = 0, soon = 0;

	for (size_t i = 0; i < s->node.n; i++)
		for (size_t k = s->node.v[i].node0; k < s->node.v[i].node0 + s->node.v[i].nnode;
		     k++) {
			const struct fleet_node *n = &f->node.v[k];
			if (strcmp(n->cluster, w->cluster) || strcmp(n->purchase, w->purchase) ||
			    strcmp(n->instance_type, w->instance_type))
				continue;
			if (!s->node.v[i].workload.n || n->to_ms >= f->until_ms - GOES_MS)
				continue;
			ended++;
			soon += n->to_ms - last_held(s, &s->node.v[i], n->from_ms, n->to_ms) <=
				GOES_MS;
		}
	bool goes = ended && (double)soon >= GOES_FRAC * (double)ended;
	*vec_push(&s->kind) = (struct kind_state){ w->cluster, w->instance_type, w->purchase,
						   goes };
	return goes;
}

/* ---- what is paid ------------------------------------------------------------------------ */

static int64_t paid_ms(const struct settle *s, const struct node_workloads *n,
		       const struct idle_span *held, size_t nheld, bool released, bool goes)
{
	const struct fleet *f = s->in->fleet;
	const struct plan_conf *c = s->in->conf;
	struct idle_span *out = xcalloc(nheld + 2, sizeof *out);
	int64_t sum = 0;

	for (size_t k = n->node0; k < n->node0 + n->nnode; k++) {
		const struct fleet_node *m = &f->node.v[k];
		size_t i = 0, to;
		while (i < nheld && held[i].to_ms <= m->from_ms)
			i++;
		for (to = i; to < nheld && held[to].from_ms < m->to_ms;)
			to++;
		sum += m->to_ms - m->from_ms;
		if (to == i && goes) { /* nobody wants it: it never came */
			sum -= m->to_ms - m->from_ms;
			continue;
		}
		if (!released)
			continue;
		struct idle_wait rule = { (int64_t)(c->idle_release_minutes * MS_MINUTE),
					  (int64_t)(c->boot_minutes * MS_MINUTE) };
		size_t got = idle_release(held + i, to - i,
					  (struct idle_span){ m->from_ms, m->to_ms }, rule, out);
		for (size_t g = 0; g < got; g++)
			sum -= out[g].to_ms - out[g].from_ms;
	}
	free(out);
	return sum;
}

/* Money and time of who is there, in the state or after r. */
struct there {
	int64_t nano;
	struct idle_span *held;
	size_t n;
};

static struct there who_is_there(const struct settle *s, const struct node_workloads *n,
				 const struct rec *r)
{
	struct there t = { 0 };
	VEC(struct idle_span) held = { 0 };

	vec_grow(&held, 1);
	for (size_t i = 0; i < n->workload.n; i++) {
		const struct workload *w = &s->in->fleet->workload.v[n->workload.v[i]];
		size_t at = r ? s->changed[n->workload.v[i]] : 0;
		const struct use *u = at ? &r->change.v[at - 1].after
					 : &s->in->use[n->workload.v[i]];

		/* Still on the machine of the history, for its time. */
		if (u->end_ms <= u->start_ms || u->instance_type != w->instance_type ||
		    u->gpu_model != w->gpu_model)
			continue;
		if (strcmp(u->purchase, w->purchase) || u->region != w->region ||
		    u->gpus_milli != w->gpus_milli)
			continue;

		t.nano += u->cost_nano;
		struct idle_span x;
		for (size_t k = 0; workload_holds(s->in->fleet, w, u, &k, &x.from_ms, &x.to_ms);)
			*vec_push(&held) = x;
	}
	const char *node = s->in->fleet->node.v[n->node0].node;
	for (size_t k = fleet_present_first(s->in->fleet, node);
	     fleet_present_is(s->in->fleet, k, node); k++)
		*vec_push(&held) = s->in->fleet->present.v[k].span;
	t.held = held.v;
	t.n = idle_union(t.held, held.n);
	return t;
}

bool settle_is_released(struct settle *s, const struct rec *r, const struct workload *w)
{
	int64_t id = intern_find(&s->name, sv_of(w->node));
	size_t free = SIZE_MAX;

	if (id >= 0)
		free = s->node.v[id].free;
	(void)r;
	if (id < 0 || w->node_index == SIZE_MAX)
		return true;
	return settle_comes_and_goes(s, w) || (free != SIZE_MAX && s->in->use[free].released);
}

static void settle_node(struct settle *s, struct rec *r, struct node_workloads *n, bool releases)
{
	const struct fleet *f = s->in->fleet;
	const struct workload *any = &f->workload.v[n->workload.v[0]];
	bool goes = settle_comes_and_goes(s, any),
	     was = goes || (n->free != SIZE_MAX && s->in->use[n->free].released),
	     is = was || releases;
	struct there before = who_is_there(s, n, NULL), after = who_is_there(s, n, r);
	int64_t free_nano = n->free == SIZE_MAX ? 0 : s->in->use[n->free].cost_nano,
		paid_before = paid_ms(s, n, before.held, before.n, was, goes),
		paid_after = paid_ms(s, n, after.held, after.n, is, goes);
	double total = (double)(before.nano + free_nano),
	       left = paid_before > 0 ? total * ((double)paid_after / (double)paid_before) : total;
	int64_t rest = (int64_t)fmax(0, left - (double)after.nano);

	free(before.held);
	free(after.held);
	if (n->free == SIZE_MAX) {
		/* Where a machine has no free time in the ledger, what its jobs leave stays with
		 * the first that goes. */
		for (size_t i = 0; i < n->workload.n; i++) {
			size_t at = s->changed[n->workload.v[i]];
			if (!at)
				continue;
			struct rec_change *job = &r->change.v[at - 1];
			job->after.cost_nano += rest;
			if (job->lo_nano != INT64_MIN)
				job->lo_nano += rest;
			if (job->hi_nano != INT64_MIN)
				job->hi_nano += rest;
			break;
		}
		return;
	}
	struct rec_change *c = rec_change(s->in, r, (uint32_t)n->free);
	c->shared = was;
	c->base_nano = free_nano;
	c->after.cost_nano = rest;
	c->after.released = is;
	if (!paid_after)
		c->after.end_ms = c->after.start_ms;
}

void settle(struct settle *s, struct rec *r, bool releases)
{
	size_t n = r->change.n;
	VEC(uint32_t) seen = { 0 };

	for (size_t i = 0; i < n; i++)
		s->changed[r->change.v[i].workload] = i + 1;
	for (size_t i = 0; i < n; i++) {
		const struct workload *w = &s->in->fleet->workload.v[r->change.v[i].workload];
		int64_t id = -1;
		if (w->node_index != SIZE_MAX)
			id = intern_find(&s->name, sv_of(w->node));
		if (id < 0 || w->kind == WORKLOAD_FREE || s->seen[id])
			continue;
		s->seen[id] = true;
		*vec_push(&seen) = (uint32_t)id;
		settle_node(s, r, &s->node.v[id], releases);
	}
	for (size_t i = 0; i < seen.n; i++)
		s->seen[seen.v[i]] = false;
	for (size_t i = 0; i < n; i++)
		s->changed[r->change.v[i].workload] = 0;
	vec_free(&seen);
}

double settle_overhead(const struct plan_conf *c, int64_t run_ms)
{
	double more = (c->boot_minutes + c->idle_release_minutes) * MS_MINUTE;

	if (run_ms > 0)
		return 1 + more / (double)run_ms;
	return 1;
}
