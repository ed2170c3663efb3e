/*
 * Give back what does nothing: machines that nobody holds any more, machines that wait between two
 * jobs; and works that do nothing (lever_idle_workloads.c). Only what is measured or known to be
 * free counts; unknown is never idle, and a machine that nobody watched is never stopped
 * (lever_idle_room.c names it). A machine goes back only when nobody else is on it, and only where
 * it is paid by the hour: what is paid until a term ends saves no cash and is told as room.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "opt/size/idle.h"
#include "base/dec.h"
#include "plan/replay/capacity.h"
#include "plan/alone/bill_seen.h"
#include "plan/levers.h"
#include "plan/replay/release.h"
#include "plan/lever/stop_idle.h"
#include "plan/lever/sustained.h"
#include "plan/alone/unheld.h"

#define WORTH_PART 5000 /* of the fleet's cost: below 1/5000 the effort is not worth it */
/* of what the machines of a group cost: below it their waits and boots are not worth it */
#define RELEASE_WORTH_FRAC 0.05

struct lever_state {
	const struct lever_in *in;
	struct rec_list *out;
	struct node_order by; /* who was on which machine */
	bool tracked;         /* some job list is there at all */
	/* machines that only a list which may be partial calls free, their cost, and one of them */
	size_t nlisted;
	int64_t listed_nano;
	const char *listed_cluster, *listed_node;
};

/* ---- machines ---------------------------------------------------------------------------- */

static int64_t ms_of_minutes(double m)
{
	return (int64_t)(m * MS_MINUTE);
}

/* When somebody held the machine, or may have; malloc'ed. */
static struct idle_span *held_spans(const struct lever_state *s, const char *node, size_t *ret_n)
{
	const struct fleet *f = s->in->fleet;
	VEC(struct idle_span) v = { 0 };

	vec_grow(&v, 1);
	for (size_t k = node_order_first(&s->by, node); node_order_is(&s->by, k, node); k++) {
		const struct workload *w = &f->workload.v[s->by.order[k]];
		const struct use *u = &s->in->use[s->by.order[k]];
		struct idle_span x;
		for (size_t at = 0; w->kind != WORKLOAD_UNKNOWN &&
				    workload_holds(f, w, u, &at, &x.from_ms, &x.to_ms);)
			*vec_push(&v) = x;
		if (w->kind != WORKLOAD_UNKNOWN || fleet_is_after_told(f, w))
			continue;
		for (size_t i = w->hour0; i < w->hour0 + w->nhour; i++) {
			const struct workload_hour *h = &f->hour.v[i];
			if (fleet_is_dark(f, w, h,
					  ms_of_minutes(s->in->conf->idle_release_minutes)))
				*vec_push(&v) = (struct idle_span){ h->hour_ms,
								    h->hour_ms + MS_HOUR };
		}
	}
	for (size_t k = fleet_present_first(f, node); fleet_present_is(f, k, node); k++)
		*vec_push(&v) = f->present.v[k].span;
	*ret_n = idle_union(v.v, v.n);
	return v.v;
}

struct freed {
	int64_t nano, ms, boots;
};

/* Money of free hours inside the spans; free time has one price within an hour. */
static void add_freed(const struct fleet *f, const struct workload *w, int64_t gpus_milli,
		      const struct idle_span *v, size_t n, struct freed *ret)
{
	size_t k = 0;

	for (size_t i = 0; i < w->nhour; i++) {
		const struct workload_hour *h = &f->hour.v[w->hour0 + i];
		int64_t ms = 0;
		while (k < n && v[k].to_ms <= h->hour_ms)
			k++;
		for (size_t j = k; j < n && v[j].from_ms < h->hour_ms + MS_HOUR; j++) {
			int64_t a = max_i64(v[j].from_ms, h->hour_ms),
				b = min_i64(v[j].to_ms, h->hour_ms + MS_HOUR);
			if (b > a)
				ms += b - a;
		}
		ms = ms * gpus_milli / 1000;
		ms = min_i64(ms, h->ms);
		if (!ms)
			continue;
		ret->ms += ms;
		ret->nano += (int64_t)div_half_even((__int128)h->nano * ms, h->ms);
	}
}

static const char *group_of(const struct workload *w)
{
	if (*w->cluster)
		return w->cluster;
	return filled_or(w->team, w->node);
}

static void propose_stop(struct lever_state *s, size_t first, size_t i, enum tier tier)
{
	const struct workload *w = &s->in->fleet->workload.v[i];
	struct rec *r = stop_idle_rec(s->in, s->out, first,
				      arena_printf(s->in->mem, "%s%s", group_of(w),
						   text_if(tier != TIER_SURE, "-trial")));

	stop_idle_cost(s->in, r, i, 0, true);
	rec_tier(r, tier);
	if (tier == TIER_SURE)
		return;
	r->risk = RISK_MEDIUM;
	struct rec_change *c = &r->change.v[r->change.n - 1];
	c->lo_nano = c->after.cost_nano;
	c->hi_nano = s->in->use[i].cost_nano; /* its owner may keep it */
}

/* What the hours that are left of a machine cost more, as its discount for sustained use
 * shrinks. */
static int64_t sustained_lost(const struct fleet *f, const struct workload *w,
			      const struct freed *freed)
{
	const char *node = f->node.v[w->node_index].node;
	int64_t ms = 0, nano = 0;

	for (size_t k = w->node_index; k < f->node.n && f->node.v[k].node == node; k++) {
		ms += f->node.v[k].ms;
		nano += f->node.v[k].cost_nano;
	}
	if (ms <= freed->ms || nano <= freed->nano)
		return 0;
	double had = sustained_part(f, ms, f->node.v[w->node_index].gpus_milli),
	       factor = sustained_factor(w, had, 1 - (double)freed->ms / (double)ms);
	return llround((double)(nano - freed->nano) * (factor - 1));
}

/* What one machine's free time gives back. */
static struct freed freed_of_machine(const struct lever_state *s, const struct workload *w)
{
	const struct fleet *f = s->in->fleet;
	const struct plan_conf *c = s->in->conf;
	const struct idle_wait rule = { ms_of_minutes(c->idle_release_minutes),
					ms_of_minutes(c->boot_minutes) };
	struct freed r = { 0 };
	size_t n;
	struct idle_span *busy = held_spans(s, w->node, &n), *out = xcalloc(n + 1, sizeof *out);

	for (size_t k = w->node_index;
	     k < f->node.n && f->node.v[k].node == f->node.v[w->node_index].node; k++) {
		const struct fleet_node *m = &f->node.v[k];
		size_t j = 0, to = 0;
		while (j < n && busy[j].to_ms <= m->from_ms)
			j++;
		for (to = j; to < n && busy[to].from_ms < m->to_ms;)
			to++;
		size_t got = idle_release(busy + j, to - j,
					  (struct idle_span){ m->from_ms, m->to_ms }, rule, out);
		for (size_t g = 0; g < got; g++)
			r.boots += out[g].to_ms < m->to_ms;
		add_freed(f, w, m->gpus_milli, out, got, &r);
	}
	free(busy);
	free(out);
	return r;
}

/* Why a machine that stands free is not stopped; by_list: a job list alone would do for it. */
static void tell_kept(const struct lever_state *s, const struct workload *w, const struct unheld *u,
		      bool by_list)
{
	const struct plan_gates *g = &s->in->conf->gates;

	if (u->present)
		plan_note(
			s->in,
			"'%s' has GPUs that nobody holds, but jobs without GPUs are or were on it lately: it is left alone",
			w->node);
	if (u->days < 1 || u->present)
		return;
	if (u->watched_frac < g->stop_watched_frac && !by_list)
		plan_note(
			s->in,
			"'%s' was held by nobody that is known for %.1f days, but watched in %.0f %% of them only (%.0f %% are asked for): it is left alone",
			w->node, u->days, floor(u->watched_frac * 100), g->stop_watched_frac * 100);
	else if (u->days < g->stop_trial_days)
		plan_note(
			s->in,
			"'%s' was held by nobody for %.1f days: from %g days on a stop is proposed to be tried, from %g on as ready",
			w->node, u->days, g->stop_trial_days, g->stop_ready_days);
}

static void propose_machine(struct lever_state *s, size_t first, size_t i)
{
	const struct workload *w = &s->in->fleet->workload.v[i];
	const struct fleet *f = s->in->fleet;
	const struct plan_conf *c = s->in->conf;
	struct unheld u = unheld_of(&s->by, w);
	const struct freed r = freed_of_machine(s, w);
	enum tier tier;

	/* A machine that nobody ever held is no machine between two jobs, and a week shows
	 * little. */
	bool may_release = u.last && (double)(f->until_ms - f->since_ms) >=
					     c->gates.stop_trial_days * (double)MS_DAY;

	if (!r.nano) {
		lever_left(s->in, "machines with free time",
			   "never free for longer than a release and a boot take", 1);
		return;
	}
	int idle = workload_seen_idle(w);
	if (idle < 0 || (idle == 0 && !s->tracked)) {
		plan_note(s->in,
			  "'%s' is held by nobody as far as is known, but %s: it is left alone",
			  w->node,
			  idle < 0 ? "its GPUs work" : "there is no job list and no telemetry");
		return;
	}
	double least = c->gates.stop_watched_frac;
	bool by_list = u.watched_frac < least && u.seen_frac >= least;
	if (by_list && u.days >= c->gates.stop_trial_days) {
		s->nlisted++;
		s->listed_nano += w->cost_nano;
		s->listed_cluster = filled_or(w->cluster, "CLUSTER");
		s->listed_node = w->node;
	}
	if (unheld_may_stop(&s->by, w, &u, &tier)) {
		propose_stop(s, first, i, tier);
	} else if (may_release) {
		struct rec *rec =
			stop_idle_rec(s->in, s->out, first,
				      arena_printf(s->in->mem, "%s-between-jobs", group_of(w)));

		stop_idle_cost(s->in, rec, i, stop_idle_left(w, &s->in->use[i], r.nano), false);
		rec->change.v[rec->change.n - 1].after.released = true;
		rec->replay.jobs += r.boots;
		rec->fee_nano += sustained_lost(f, w, &r);
	} else {
		tell_kept(s, w, &u, by_list);
	}
}

/* ---- what a recommendation about machines says ------------------------------------------- */

static struct capacity_of capacity_kind(const struct workload *w)
{
	return (struct capacity_of){ .gpu_model = w->gpu_model,
				     .region = w->region,
				     .purchase = w->purchase,
				     .gpus_milli = w->gpus_milli };
}

static void tell_forgotten(struct lever_state *s, struct rec *r, const struct workload *w)
{
	const struct lever_in *in = s->in;
	double days = INFINITY, watched = 1;
	const char *owner = "";

	for (size_t i = 0; i < r->change.n; i++) {
		const struct workload *x = &in->fleet->workload.v[r->change.v[i].workload];
		struct unheld u = unheld_of(&s->by, x);
		days = fmin(days, u.days);
		watched = fmin(watched, u.watched_frac);
		if (!*owner) {
			if (*x->team || *x->user)
				owner = filled_or(x->team, x->user);
			else if (!u.last)
				owner = "";
			else if (*u.last->team)
				owner = u.last->team;
			else
				owner = u.last->user;
		}
	}
	r->team = owner;
	r->within_days += in->conf->gates.stop_told_days;
	struct raw_name *node = arena_alloc(in->mem, r->change.n * sizeof *node);
	for (size_t i = 0; i < r->change.n; i++)
		node[i] = raw_name(in->fleet->workload.v[r->change.v[i].workload].node);
	rec_action(r, ACTION_TELL)->tell =
		(struct action_tell){ .about = TELL_STOP,
				      .who = raw_name(owner),
				      .cluster = raw_name(w->cluster),
				      .days = in->conf->gates.stop_told_days,
				      .node = node,
				      .nnode = r->change.n };
	bool pooled = false;
	unsigned to = cluster_scheduler(in->fleet, w->cluster);
	for (size_t i = 0; i < r->change.n; i++) {
		const struct workload *x = &in->fleet->workload.v[r->change.v[i].workload];
		struct machine_ref m = workload_machine(x);
		if (m.node_pool.z && machine_scheduler(in->fleet, x, to) & TO_SLURM)
			m.to = TO_ANY; /* Slurm on Kubernetes: both must let go of it */
		/* Pods that nobody told of go elsewhere first. */
		if (m.node_pool.z)
			rec_action(r, ACTION_CORDON)->machine = m;
		if (m.node_pool.z)
			rec_action(r, ACTION_DRAIN)->machine = m;
		rec_action(r, ACTION_STOP)->machine = m;
		pooled |= m.node_pool.z != NULL;
	}
	r->title = arena_printf(in->mem,
				"stop %s: %zu machine%s that no job has held for %.0f days",
				group_of(w), r->change.n, plural(r->change.n), floor(days));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "days without a job, the fewest",
					.unit = "d", .source = "job list, node list" },
		     "%.1f", days);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "of that time watched", .unit = "frac",
					.source = "job list that covers it, telemetry" },
		     "%.4f", watched);
	if (workload_seen_idle(w) > 0)
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED,
						"readings at or below the idle bound",
						.unit = "frac", .source = "telemetry" },
			     "%.4f", w->stats.idle_frac);
	if (unheld_shows_life(&s->by, w))
		rec_risk(
			in, r,
			"No job is known, but something lies in the memory of its GPUs or its CPUs worked lately: ask who that is.");
	if (r->tier != TIER_SURE)
		rec_risk(
			in, r,
			"It may be wanted again: its owner is told %g days before, and keeps what is needed.",
			in->conf->gates.stop_told_days);
	if (pooled)
		rec_risk(
			in, r,
			"A machine of a node pool is deleted, not stopped: what lies on its own disks goes with it.");
	else
		rec_risk(in, r, "Somebody may keep data on its disks: stop first, delete later.");
}

static void tell_between(struct lever_state *s, struct rec *r, const struct workload *w)
{
	const struct lever_in *in = s->in;
	const struct plan_conf *c = in->conf;

	/* Jobs that would begin later than they did, as their machine would be gone. */
	struct release_waits waits = { .in = s->in, .id = r->id };

	r->replay.jobs = 0;
	for (size_t i = 0; i < r->change.n; i++) {
		const struct workload *workload =
			&s->in->fleet->workload.v[r->change.v[i].workload];
		const struct capacity_of kind = capacity_kind(workload);
		const struct release_machine m = { .node = workload->node_index,
						   .wait_ms = release_wait_ms(&waits, workload,
									      &kind) };
		release_replay(&s->by, &m, r);
	}
	vec_free(&waits.v);

	r->within_days = 3;
	r->effort_days = 2;
	r->title = arena_printf(
		in->mem, "%s: give free machines back after %g minutes, boot them when a job asks",
		group_of(w), c->idle_release_minutes);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "GPU time nobody held", .unit = "GPU·h",
					.source = "job list, node list" },
		     "%.0f", stop_idle_gpu_hours(in->fleet, r));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ASSUMED, "boot of a machine, paid and waited for",
					.unit = "min", .source = "settings" },
		     "%g", c->boot_minutes);
	/* Of each kind of machine among them: does history show that it comes again. */
	const struct fleet *f = s->in->fleet;
	for (size_t i = 0; i < r->change.n; i++) {
		const struct workload *x = &f->workload.v[r->change.v[i].workload];
		const struct capacity_of kind = capacity_kind(x);
		bool seen = false;
		for (size_t k = 0; k < i && !seen; k++) {
			const struct workload *o = &f->workload.v[r->change.v[k].workload];
			seen = o->gpu_model == x->gpu_model && o->region == x->region &&
			       o->purchase == x->purchase && o->gpus_milli == x->gpus_milli &&
			       capacity_is_reserved(s->in->conf, o) ==
				       capacity_is_reserved(s->in->conf, x);
		}
		if (!seen)
			capacity_judge(s->in, r, x, &kind);
	}
	if (r->replay.deadline_misses ||
	    s->in->conf->boot_minutes > s->in->conf->gates.capacity_min)
		rec_tier(r, TIER_TRIAL);
	if (r->tier != TIER_SURE && r->risk < RISK_MEDIUM)
		r->risk = RISK_MEDIUM;
	release_tell(s->in, r);
	unsigned cluster = cluster_scheduler(f, w->cluster), to = 0;
	for (size_t i = 0; i < r->change.n; i++)
		to |= machine_scheduler(f, &f->workload.v[r->change.v[i].workload], cluster);
	rec_action(r, ACTION_RELEASE)->release = (struct action_release){
		.cluster = raw_name(w->cluster),
		.pool = raw_name(w->node_pool),
		.provider = workload_machine(w).provider,
		.idle_min = c->idle_release_minutes,
		.boot_min = c->boot_minutes,
		.machines = (int64_t)r->change.n,
		.to = to,
	};
	if (r->fee_nano)
		rec_risk(
			in, r, "%s",
			"With fewer hours Google's discount for sustained use shrinks: that is counted.");
	rec_risk(in, r, "A job that finds no machine waits %g minutes for one%s.", c->boot_minutes,
		 text_if(r->tier != TIER_SURE, ", where one comes at once"));
}

static bool is_release(const struct rec *r)
{
	return r->change.n && r->change.v[0].after.released;
}

/* What the machines of a release cost in the window, with all that was on them. */
static int64_t machines_cost(const struct lever_in *in, const struct rec *r)
{
	const struct fleet *f = in->fleet;
	int64_t sum = 0;

	for (size_t c = 0; c < r->change.n; c++) {
		size_t k = f->workload.v[r->change.v[c].workload].node_index;
		for (const char *node = f->node.v[k].node;
		     k < f->node.n && f->node.v[k].node == node; k++)
			sum += f->node.v[k].cost_nano;
	}
	return sum;
}

/* What reservations of capacity cost while no machine was in them: free time, and no machine's. */
static int64_t cost_of_empty(const struct fleet *f)
{
	int64_t sum = 0;

	for (size_t i = 0; f->bill && i < f->bill->capacity.n; i++)
		sum += dec_to_nano(f->bill->capacity.v[i].empty);
	return sum;
}

int lever_stop_idle_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct lever_state s = { .in = in, .out = out };
	size_t first = out->v.n;

	(void)err;
	node_order_make(in, &s.by);
	for (size_t i = 0; i < in->fleet->workload.n && !s.tracked; i++)
		s.tracked = in->fleet->workload.v[i].kind == WORKLOAD_JOB &&
			    *in->fleet->workload.v[i].job;
	const struct fleet *f = in->fleet;
	int64_t pooled = 0;
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind != WORKLOAD_FREE || w->cost_nano <= 0)
			continue;
		if (w->node_index == SIZE_MAX)
			pooled += w->cost_nano;
		else if (!workload_is_frozen(s.in, w, "stop_idle") && s.in->use[i].cost_nano > 0 &&
			 !s.in->use[i].released)
			propose_machine(&s, first, i);
	}

	pooled -= min_i64(cost_of_empty(f), pooled); /* its own advice: bill_empty */

	/* Free time that no proposal is about, said where it is worth a line: a hundredth of the
	 * fleet's cost. */
	char buf[DEC_BUF];

	if (pooled > f->cost_nano / 100)
		plan_note(
			s.in,
			"%s %s of the window's cost is time that nobody held and is left alone: the job lists name no machine there, so none can be called free: name the node of each job",
			dec_format_people(buf, nano_to_dec(pooled), 0), f->currency);
	if (s.nlisted)
		plan_note(
			s.in,
			"%zu machine%s that the job list leaves free for days (%s %s of the window's cost; '%s' is one) %s not stopped, as nobody says that the list is complete: say so (tare import --covers %s --replace FILE), or bring readings",
			s.nlisted, plural(s.nlisted),
			dec_format_people(buf, nano_to_dec(s.listed_nano), 0), f->currency,
			s.listed_node, s.nlisted == 1 ? "is" : "are", s.listed_cluster);
	for (size_t i = first; i < s.out->v.n; i++) {
		struct rec *r = s.out->v.v[i];
		const struct workload *w = &s.in->fleet->workload.v[r->change.v[0].workload];
		rec_subject(s.in, r, "cluster", w->cluster);
		if (is_release(r))
			tell_between(&s, r, w);
		else
			tell_forgotten(&s, r, w);
	}
	stop_idle_workloads(in, out);

	size_t k = first;

	for (size_t i = first; i < s.out->v.n; i++) {
		struct rec *r = s.out->v.v[i];
		int64_t saved = 0;
		for (size_t c = 0; c < r->change.n; c++)
			saved += s.in->use[r->change.v[c].workload].cost_nano -
				 r->change.v[c].after.cost_nano;
		bool waits = is_release(r) &&
			     (double)saved < RELEASE_WORTH_FRAC * (double)machines_cost(s.in, r);
		if (saved > s.in->fleet->cost_nano / WORTH_PART && !waits)
			s.out->v.v[k++] = r;
		else {
			bool free = r->change.n &&
				    s.in->fleet->workload.v[r->change.v[0].workload].kind ==
					    WORKLOAD_FREE;
			lever_left(s.in,
				   free ? "machines with free time" : "workloads that do nothing",
				   waits ? "that would hardly save what giving them back takes"
					 : "that save too little of the whole bill",
				   r->change.n);
			rec_free(r);
		}
	}
	s.out->v.n = k;
	stop_idle_room(in, out);
	node_order_free(&s.by);
	return 0;
}
