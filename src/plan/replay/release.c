#include "plan/replay/release.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "plan/workload.h"

#define SKEW_MS MS_MINUTE /* clocks of the scheduler and of the bill */

struct held {
	uint32_t workload;
	int64_t from_ms, to_ms;
};
struct spans {
	VEC(struct held) v;
};

static int by_start(const void *pa, const void *pb)
{
	const struct held *a = pa, *b = pb;

	if (a->from_ms != b->from_ms)
		return cmp_i64(a->from_ms, b->from_ms);
	return cmp_u64(a->workload, b->workload);
}

int64_t release_wait_ms(struct release_waits *all, const struct workload *w,
			const struct capacity_of *kind)
{
	bool reserved = capacity_is_reserved(all->in->conf, w);

	for (size_t i = 0; i < all->v.n; i++) {
		const struct release_wait *o = &all->v.v[i];
		bool same = o->kind.gpu_model == kind->gpu_model &&
			    o->kind.region == kind->region && o->kind.purchase == kind->purchase &&
			    o->kind.gpus_milli == kind->gpus_milli;
		if (same && o->reserved == reserved)
			return o->ms;
	}
	int64_t ms = capacity_wait_of(all->in, all->id, w, kind).ms;
	*vec_push(&all->v) = (struct release_wait){ *kind, reserved, ms };
	return ms;
}

/* What an earlier step of the plan took away from it comes for it no more. Time of which nobody
 * tells holds no machine here: who came after it may have found the machine gone. */
static bool is_there(const struct workload *w, const struct use *u)
{
	if (w->kind != WORKLOAD_JOB)
		return w->kind != WORKLOAD_UNKNOWN;
	return use_is_history(w, u) && !strcmp(u->purchase, w->purchase) &&
	       !strcmp(u->region, w->region);
}

bool release_is_late(const struct lever_in *in, size_t workload, int64_t wait_ms, bool gone)
{
	const struct workload *w = &in->fleet->workload.v[workload];
	const struct use *u = &in->use[workload];
	int64_t run = u->end_ms - u->start_ms, boot = (int64_t)(in->conf->boot_minutes * MS_MINUTE);
	bool late = w->deadline_ms != UNKNOWN_MS && u->end_ms <= w->deadline_ms &&
		    u->end_ms + wait_ms > w->deadline_ms;
	/* who is ended by the limit anyway has no more to lose */
	bool killed = gone && u->limit_ms != UNKNOWN_MS && run < u->limit_ms &&
		      run + boot > u->limit_ms;

	return late || killed;
}

void release_replay(const struct node_order *by, const struct release_machine *m, struct rec *r)
{
	const struct lever_in *in = by->in;
	const struct fleet *f = in->fleet;
	int64_t release = (int64_t)(in->conf->idle_release_minutes * MS_MINUTE);
	/* it is back; free, with the waits and as it was */
	int64_t back_ms = INT64_MIN, free_ms = INT64_MIN, was_free_ms = INT64_MIN;
	struct spans s = { 0 };
	size_t k = m->node;

	const char *node = f->node.v[k].node;
	for (size_t i = node_order_first(by, node); node_order_is(by, i, node); i++) {
		const struct use *u = &by->in->use[by->order[i]];
		const struct workload *w = &by->in->fleet->workload.v[by->order[i]];
		struct held x = { .workload = (uint32_t)by->order[i] };
		if (u->end_ms <= u->start_ms || !is_there(w, u))
			continue;
		for (size_t at = 0; workload_holds(by->in->fleet, w, u, &at, &x.from_ms, &x.to_ms);)
			*vec_push(&s.v) = x;
	}
	if (s.v.n)
		sort_items(s.v.v, s.v.n, sizeof *s.v.v, by_start);
	for (size_t i = 0; i < s.v.n; i++) {
		const struct held *x = &s.v.v[i];
		/* of the machine's intervals the last that has begun by then */
		while (k + 1 < f->node.n && f->node.v[k + 1].node == node &&
		       f->node.v[k + 1].from_ms <= x->from_ms + SKEW_MS)
			k++;
		int64_t came_ms = f->node.v[k].from_ms, start_ms = x->from_ms,
			since_ms = max_i64(free_ms, came_ms);
		bool gone = x->from_ms - since_ms > release;
		bool behind = workload_fills_machine(f, &f->workload.v[x->workload]) &&
			      was_free_ms <= x->from_ms;
		if (gone)
			start_ms = back_ms = x->from_ms + m->wait_ms;
		start_ms = max_i64(start_ms, back_ms);
		if (behind && free_ms > start_ms)
			start_ms = free_ms;
		int64_t wait_ms = start_ms - x->from_ms, end_ms = x->to_ms + wait_ms;
		if (wait_ms > 0) {
			struct rec_wait wait = (struct rec_wait){ x->workload, wait_ms };
			const struct workload *w = &in->fleet->workload.v[wait.workload];
			bool own = m->own && m->own[wait.workload];
			if (w->kind == WORKLOAD_JOB && *w->job && !own) {
				*vec_push(&r->wait) = wait;
				r->replay.jobs++;
				r->replay.deadline_misses += release_is_late(in, wait.workload,
									     wait.ms, gone);
			}
		}
		free_ms = max_i64(end_ms, free_ms);
		was_free_ms = max_i64(x->to_ms, was_free_ms);
	}
	vec_free(&s.v);
}

void release_tell(const struct lever_in *in, struct rec *r)
{
	int64_t longest_ms = 0;

	for (size_t i = 0; i < r->wait.n; i++)
		longest_ms = max_i64(r->wait.v[i].ms, longest_ms);
	rec_risk_by_misses(r);
	if (r->replay.deadline_misses)
		rec_risk(
			in, r,
			"Where jobs wait up to %.0f minutes for a machine, %lld of %lld end after their deadline. Whether one comes sooner: tare plan trial %s",
			(double)longest_ms / MS_MINUTE, (long long)r->replay.deadline_misses,
			(long long)r->replay.jobs, r->id);
}
