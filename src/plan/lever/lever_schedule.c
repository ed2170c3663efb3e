/*
 * Switch off outside the hours of use: machines that are held day and night and used some hours of
 * the day get a timetable from their own history (any hour of the week that ever was used stays on,
 * with head-room; opt/schedule/schedule.h). It is tested week by week against a timetable of the
 * other weeks. A machine takes part only when all works on it do, and whole: what it saves is its
 * whole price, of GPUs that nobody holds too; a service only where its request log covers the
 * history. Time of which nothing is known stays on.
 *
 * Ready with schedule_ready_weeks of history in which no hour that goes off was ever used, the
 * other weeks would not have missed one either, and history does not show that such machines are
 * hard to have again; else Try first, from schedule_trial_weeks on.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/tm.h"
#include "opt/schedule/schedule.h"
#include "plan/replay/capacity.h"
#include "plan/levers.h"
#include "plan/lever/schedule_in.h"
#include "plan/lever/sustained.h"
#include "plan/workload.h"

#define HEADROOM_H   1
#define MIN_OFF_FRAC 0.10 /* of the hours: less is not worth a timetable */
/* of the off time that starts by hand may take back: assumed, the pessimistic end of the range */
#define BY_HAND_FRAC 0.10
#define LOG_FRAC     0.9 /* of the history that a service's request log must span */
/* A machine that was not paid for so long is gone; and what was off at these hours all of that time
 * has a timetable already. */
#define UNPAID_MS   (7 * MS_DAY)
#define IN_FORCE_MS (14 * MS_DAY)

struct group { /* works that go on and off together */
	const char *team, *service, *cluster;
	VEC(size_t) workload;
	double *use; /* [hours] of the fleet's window */
	int64_t used_hours;
	bool common; /* another group has works on one of its machines */
};
struct groups {
	VEC(struct group) v;
	struct intern key;
	size_t hours;
	int64_t from_ms;
};

/* ---- who takes part ---------------------------------------------------------------------- */

static const struct fleet_service *log_of(const struct fleet *f, const struct workload *w)
{
	for (size_t i = 0; i < f->service.n; i++) {
		const struct fleet_service *s = &f->service.v[i];
		if (strcmp(s->service, w->service) || !s->nmin)
			continue;
		int64_t span = f->minute.v[s->min0 + s->nmin - 1].t_ms - f->minute.v[s->min0].t_ms;
		if ((double)span >= LOG_FRAC * (double)(f->until_ms - f->since_ms))
			return s;
		return NULL;
	}
	return NULL;
}

static bool held_throughout(const struct lever_in *in, size_t i)
{
	const struct workload *w = &in->fleet->workload.v[i];
	int64_t known = 0, all = 0, told = 0, read_ms = 0; /* told: to the last reading */

	if ((w->kind != WORKLOAD_JOB && w->kind != WORKLOAD_SERVICE) ||
	    w->end_ms - w->start_ms < SCHEDULE_HELD_MS)
		return false;
	if (w->cost_nano <= 0 || !use_is_history(w, &in->use[i]) || in->use[i].off_frac > 0)
		return false;
	if (workload_is_frozen(in, w, "schedule"))
		return false;
	if ((w->kind == WORKLOAD_SERVICE || sv_is(sv_of(w->workload), "inference")) &&
	    !log_of(in->fleet, w))
		return false;
	for (size_t k = 0; k < w->nhour; k++) {
		const struct workload_hour *h = &in->fleet->hour.v[w->hour0 + k];
		all += h->ms;
		known += h->busy_ms + h->idle_ms;
		if (h->busy_ms + h->idle_ms > 0) {
			told = all;
			read_ms = h->hour_ms + MS_HOUR;
		}
	}
	if (w->end_ms - read_ms > fleet_tail_ms(in->fleet))
		told = all;
	return told > 0 && (double)known >= in->conf->gates.watched_frac * (double)told &&
	       (int64_t)w->nhour >= SCHEDULE_HELD_MS / MS_HOUR;
}

/* The last interval of its machine, which was paid to the end of that. */
static const struct fleet_node *last_of(const struct fleet *f, const struct workload *w)
{
	size_t k = w->node_index;

	while (k + 1 < f->node.n && f->node.v[k + 1].node == f->node.v[k].node)
		k++;
	return &f->node.v[k];
}

static bool is_unpaid_since(const struct fleet *f, const struct workload *w)
{
	if (w->node_index == SIZE_MAX)
		return false;
	return last_of(f, w)->to_ms < f->until_ms - UNPAID_MS;
}

static bool is_alone(const struct fleet *f, const struct workload *w, const struct intern *name,
		     const bool *shared)
{
	if (*w->node)
		return !shared[intern_find(name, sv_of(w->node))];
	return workload_fills_machine(f, w);
}

/* Beside who holds a part of a machine somebody may be on the rest, where only a list that may be
 * partial says that nobody is. */
static void mark_unwatched(const struct lever_in *in, const bool *candidate,
			   const struct intern *name, bool *shared)
{
	const struct fleet *f = in->fleet;
	bool *part = xcalloc(name->n + 1, sizeof *part); /* [by name] its owner leaves some */

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (candidate[i] && *w->node && !workload_fills_machine(f, w))
			part[intern_find(name, sv_of(w->node))] = true;
	}
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind != WORKLOAD_FREE || !*w->node)
			continue;
		int64_t id = intern_find(name, sv_of(w->node));
		double unwatched = 1 - in->conf->gates.stop_watched_frac;
		if (part[id] && (double)w->assumed_ms > unwatched * (double)w->ms)
			shared[id] = true;
	}
	free(part);
}

/* Machines of which some part belongs to somebody else cannot be switched off: ret [by name]
 * true. One look at each work. */
static bool *find_shared(const struct lever_in *in, const bool *candidate, struct intern *name)
{
	const struct fleet *f = in->fleet;

	for (size_t i = 0; i < f->workload.n; i++)
		if (*f->workload.v[i].node)
			intern_add(name, sv_of(f->workload.v[i].node));
	bool *shared = xcalloc(name->n + 1, sizeof *shared);
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *o = &f->workload.v[i];
		int64_t release_ms = (int64_t)(in->conf->idle_release_minutes * MS_MINUTE);
		bool dark = o->kind != WORKLOAD_UNKNOWN;
		if (!*o->node || o->kind == WORKLOAD_FREE || o->kind == WORKLOAD_LINE)
			continue;
		for (size_t k = o->hour0; k < o->hour0 + o->nhour && !dark; k++)
			dark = f->hour.v[k].ms >= release_ms; /* of one GPU: it may be in use */
		if (dark && !candidate[i] && !fleet_is_after_told(f, o))
			shared[intern_find(name, sv_of(o->node))] = true;
	}
	mark_unwatched(in, candidate, name, shared);
	return shared;
}

static void collect_groups(const struct lever_in *in, struct groups *g)
{
	const struct fleet *f = in->fleet;
	bool *candidate = xcalloc(f->workload.n + 1, sizeof *candidate);
	struct intern name = { 0 };
	struct str key = { 0 };

	for (size_t i = 0; i < f->workload.n; i++)
		candidate[i] = held_throughout(in, i);
	bool *shared = find_shared(in, candidate, &name);
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (!candidate[i])
			continue;
		if (is_unpaid_since(f, w)) {
			lever_left(in, "workloads held day and night",
				   "on a machine that is gone since", 1);
			continue;
		}
		if (!is_alone(f, w, &name, shared)) {
			lever_left(in, "workloads held day and night",
				   "on a machine with what is not to be switched off", 1);
			continue;
		}
		str_clear(&key);
		/* works of one machine are in one group, whoever owns them */
		str_addf(&key, "%s\x1f%s\x1f%s\x1f%s\x1f%s\x1f%s", filled_or(w->cluster, w->node),
			 *w->cluster ? w->team : "", w->service, w->provider, w->region, w->zone);
		uint32_t id = intern_add(&g->key, str_sv(&key));
		if (id == g->v.n)
			*vec_push(&g->v) = (struct group){ .team = w->team,
							   .service = w->service,
							   .cluster = w->cluster };
		*vec_push(&g->v.v[id].workload) = i;
	}
	intern_free(&name);
	str_free(&key);
	free(candidate);
	free(shared);
}

/* ---- hours of use ------------------------------------------------------------------------ */

#define NOBODY (-1.0) /* was there in that hour */

static void add_use(const struct fleet *f, const struct groups *g, const struct workload *w,
		    double *use)
{
	for (size_t k = 0; k < w->nhour; k++) {
		const struct workload_hour *t = &f->hour.v[w->hour0 + k];
		int64_t at = (t->hour_ms - g->from_ms) / MS_HOUR;
		if (at < 0 || at >= (int64_t)g->hours)
			continue;
		/* used by one is used; unknown of one is unknown unless another used it */
		double v = workload_hour_use(t), *all = &use[at];
		if (v > 0 || (isnan(v) && !(*all > 0)) || *all < 0)
			*all = v;
	}
	const struct fleet_service *s = log_of(f, w);
	for (size_t k = 0; s && k < s->nmin; k++) {
		int64_t at = (f->minute.v[s->min0 + k].t_ms - g->from_ms) / MS_HOUR;
		if (at >= 0 && at < (int64_t)g->hours && f->minute.v[s->min0 + k].count > 0)
			use[at] = 1;
	}
}

/* Jobs without GPUs are use of their machine. */
static void add_present(const struct fleet *f, const struct groups *g, const char *node,
			double *use)
{
	for (size_t k = fleet_present_first(f, node); fleet_present_is(f, k, node); k++) {
		const struct idle_span *s = &f->present.v[k].span;
		for (int64_t t = tm_floor(s->from_ms, MS_HOUR); t < s->to_ms; t += MS_HOUR)
			if (t >= g->from_ms && (t - g->from_ms) / MS_HOUR < (int64_t)g->hours)
				use[(t - g->from_ms) / MS_HOUR] = 1;
	}
}

static void use_of_group(const struct lever_in *in, const struct groups *g, struct group *q)
{
	q->use = xmalloc((g->hours + 1) * sizeof *q->use);
	for (size_t h = 0; h < g->hours; h++)
		q->use[h] = NOBODY;
	for (size_t i = 0; i < q->workload.n; i++)
		add_use(in->fleet, g, &in->fleet->workload.v[q->workload.v[i]], q->use);
	for (size_t i = 0; i < q->workload.n; i++)
		add_present(in->fleet, g, in->fleet->workload.v[q->workload.v[i]].node, q->use);
	for (size_t h = 0; h < g->hours; h++) {
		if (q->use[h] < 0)
			q->use[h] = NAN;
		q->used_hours += q->use[h] > 0;
	}
}

/* Were its machines off for most of these hours lately? */
static bool is_in_force(const struct lever_in *in, const struct group *q, const struct timetable *t)
{
	const struct fleet *f = in->fleet;
	int64_t to_ms = tm_floor(f->until_ms, MS_HOUR), from_ms = to_ms - IN_FORCE_MS;
	bool paid[IN_FORCE_MS / MS_HOUR] = { 0 };
	int64_t off = 0, off_paid = 0;

	for (size_t i = 0; i < q->workload.n; i++) {
		const struct workload *w = &f->workload.v[q->workload.v[i]];
		for (size_t k = w->hour0; k < w->hour0 + w->nhour; k++) {
			const struct workload_hour *h = &f->hour.v[k];
			if (h->hour_ms >= from_ms && h->hour_ms < to_ms && h->ms > 0)
				paid[(h->hour_ms - from_ms) / MS_HOUR] = true;
		}
	}
	for (size_t k = 0; k < sizeof paid; k++) {
		bool is_off = !t->on[week_hour(from_ms + (int64_t)k * MS_HOUR, 0)];
		off += is_off;
		off_paid += is_off && paid[k];
	}
	return off_paid * 2 < off;
}

/* ---- the proposal ------------------------------------------------------------------------ */

/* Of the machine of free time: it is off where nobody of the group used it. */
static bool is_unused(const struct groups *g, const double *use, const struct workload_hour *h)
{
	int64_t at = (h->hour_ms - g->from_ms) / MS_HOUR;

	if (!use)
		return workload_hour_use(h) == 0;
	return at >= 0 && at < (int64_t)g->hours && use[at] == 0;
}

/* GPUs of it that a boot pays; of free time, the mean of those that nobody held. */
static double booted_gpus(const struct workload *w, int64_t all_ms)
{
	if (w->kind == WORKLOAD_FREE)
		return (double)all_ms / ((double)w->nhour * MS_HOUR);
	return (double)w->gpus_milli / 1000.0;
}

struct switcher {
	const struct lever_in *in;
	const struct groups *g;
	const struct timetable *t;
	struct rec *r;
	double factor; /* the largest of what hours that stay on cost more, for a lost discount */
	size_t nfree;  /* works of free time among what is switched off */
};

/*
 * Cost with the timetable: hours that are off and known to be unused are not paid; each start pays
 * a boot, and a discount for sustained use shrinks with the hours. use [hours]: of free time, that
 * of its machine; else NULL.
 */
static void switch_off(struct switcher *s, size_t i, const double *use)
{
	const struct lever_in *in = s->in;
	const struct workload *w = &in->fleet->workload.v[i];
	const struct use *u = &in->use[i];
	int64_t off_nano = 0, off_ms = 0, all_ms = 0, starts = 0;
	bool was_off = false;

	for (size_t k = 0; k < w->nhour; k++) {
		const struct workload_hour *h = &in->fleet->hour.v[w->hour0 + k];
		bool off = !s->t->on[week_hour(h->hour_ms, 0)];
		all_ms += h->ms;
		if (off && is_unused(s->g, use, h)) {
			off_nano += h->nano;
			off_ms += h->ms;
		}
		starts += was_off && !off;
		was_off = off;
	}
	if (!all_ms)
		return;
	double gpus = booted_gpus(w, all_ms), left = 1 - (double)off_ms / (double)all_ms;
	int64_t boot = (int64_t)((double)starts * in->conf->boot_minutes * MS_MINUTE * gpus *
				 (double)w->cost_nano / (double)all_ms);
	double had = sustained_part(in->fleet, w->ms, llround(gpus * 1000)),
	       factor = sustained_factor(w, had, left);
	int64_t after = w->cost_nano - off_nano + boot;
	if (factor > 1)
		after = llround((double)after * factor);
	int64_t saved = w->cost_nano - after;
	if (saved <= 0)
		return;
	struct rec_change *c = rec_change(in, s->r, (uint32_t)i);
	int64_t surely = (int64_t)((double)saved * (1 - BY_HAND_FRAC));
	if (use) {
		/* what it was given back before are other hours: there nobody was on it */
		c->after.cost_nano = max_i64(u->cost_nano - saved, 0);
		c->hi_nano = max_i64(u->cost_nano - surely, 0);
		c->after.off_frac = 1 - (1 - u->off_frac) * left;
		s->nfree++;
	} else {
		c->after.off_frac = (double)off_ms / (double)all_ms;
		c->after.cost_nano = use_scaled(u, after, w->cost_nano);
		c->hi_nano = use_scaled(u, w->cost_nano - surely, w->cost_nano);
	}
	c->lo_nano = c->after.cost_nano;
	s->factor = fmax(factor, s->factor);
}

/* What nobody holds of the machines of the group stops with them: it is paid for the whole of
 * each. */
static void switch_off_free(struct switcher *s, const struct group *q)
{
	const struct fleet *f = s->in->fleet;
	double *use = xmalloc((s->g->hours + 1) * sizeof *use);

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		const struct use *u = &s->in->use[i];
		bool there = w->kind == WORKLOAD_FREE && *w->node && w->cost_nano > 0 &&
			     u->end_ms > u->start_ms;
		if (!there || workload_is_frozen(s->in, w, "schedule"))
			continue;
		bool named = false;
		for (size_t h = 0; h < s->g->hours; h++)
			use[h] = NOBODY;
		for (size_t k = 0; k < q->workload.n; k++) {
			const struct workload *o = &f->workload.v[q->workload.v[k]];
			if (strcmp(o->node, w->node) != 0)
				continue;
			add_use(f, s->g, o, use);
			named = true;
		}
		if (named)
			switch_off(s, i, use);
	}
	free(use);
}

/* The machines, each once, by name and, where all have one, by their id; in the plan's arena. */
static void name_machines(const struct lever_in *in, const struct group *q,
			  struct action_timetable *a)
{
	VEC(struct raw_name) v = { 0 }, id = { 0 };
	struct intern seen = { 0 };

	for (size_t i = 0; i < q->workload.n; i++) {
		const struct workload *w = &in->fleet->workload.v[q->workload.v[i]];
		size_t before = seen.n;
		if (!*w->node || intern_add(&seen, sv_of(w->node)) != before || before == seen.n)
			continue;
		*vec_push(&v) = raw_name(w->node);
		const char *resource = w->resource;
		if (w->node_index != SIZE_MAX)
			resource = filled_or(in->fleet->node.v[w->node_index].resource, resource);
		if (resource && *resource)
			*vec_push(&id) = raw_name(resource);
	}
	a->node = arena_copy(in->mem, v.v, v.n, sizeof *v.v);
	a->nnode = v.n;
	if (id.n == v.n) {
		a->resource = arena_copy(in->mem, id.v, id.n, sizeof *id.v);
		a->nresource = id.n;
	}
	intern_free(&seen);
	vec_free(&v);
	vec_free(&id);
}

static bool is_named(const struct action_timetable *a, const char *node)
{
	for (size_t i = 0; i < a->nnode; i++)
		if (!strcmp(a->node[i].z, node))
			return true;
	return false;
}

/* The node pools of its machines, and how large each is today; none where one is in no pool. */
static void name_pools(const struct lever_in *in, struct action_timetable *a)
{
	const struct fleet *f = in->fleet;
	VEC(struct pool_size) v = { 0 };
	struct intern seen = { 0 }, goes = { 0 };
	bool all = true;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		bool paid = w->end_ms > w->start_ms && in->use[i].end_ms <= in->use[i].start_ms;
		if (*w->node && w->kind == WORKLOAD_FREE && paid)
			intern_add(&goes, sv_of(w->node));
	}
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		size_t before = seen.n;
		if (!*w->node || w->node_index == SIZE_MAX)
			continue;
		if (intern_add(&seen, sv_of(w->node)) != before || before == seen.n)
			continue;
		/* paid to the end: it is there today, but for what an earlier item gives back */
		bool named = is_named(a, w->node);
		if (!named &&
		    (last_of(f, w)->to_ms < f->until_ms || intern_find(&goes, sv_of(w->node)) >= 0))
			continue;
		if (!w->node_pool || !*w->node_pool) {
			all &= !named;
			continue;
		}
		size_t p = 0;
		while (p < v.n && (strcmp(v.v[p].pool.z, w->node_pool) != 0 ||
				   !text_same(v.v[p].cluster.z, w->pool_cluster)))
			p++;
		if (p == v.n)
			*vec_push(&v) = (struct pool_size){ .pool = raw_name(w->node_pool),
							    .cluster = raw_name(w->pool_cluster) };
		v.v[p].all++;
		v.v[p].these += named;
	}
	struct pool_size *pool = arena_alloc(in->mem, (v.n + 1) * sizeof *pool);
	for (size_t p = 0; p < v.n && all; p++)
		if (v.v[p].these)
			pool[a->npool++] = v.v[p];
	a->pool = pool;
	intern_free(&seen);
	intern_free(&goes);
	vec_free(&v);
}

/* "Mon-Fri 08-16"-like texts get long: hours a week say enough in a title. */
/* When the machines of the group go on and off. */
static void set_timetable(const struct lever_in *in, struct rec *r, const struct group *q,
			  const struct timetable *t)
{
	const struct workload *w = &in->fleet->workload.v[q->workload.v[0]];
	struct action_timetable *a = &rec_action(r, ACTION_TIMETABLE)->timetable;
	unsigned cluster = cluster_scheduler(in->fleet, q->cluster), to = 0;

	for (size_t i = 0; i < q->workload.n; i++)
		to |= machine_scheduler(in->fleet, &in->fleet->workload.v[q->workload.v[i]],
					cluster);

	*a = (struct action_timetable){ .id = r->id,
					.cluster = raw_name(q->cluster),
					.provider = workload_machine(w).provider,
					.region = raw_name(w->region),
					.zone = raw_name(w->zone),
					.to = to };
	name_machines(in, q, a);
	name_pools(in, a);

	struct on_interval on[WEEK_HOURS / 2];
	size_t n = timetable_intervals(t->on, on);
	struct power_event *events = arena_alloc(in->mem, (2 * n + 1) * sizeof *events);

	a->nevent = 0;
	for (size_t i = 0; i < n; i++) {
		if (on[i].starts)
			events[a->nevent++] = (struct power_event){ on[i].day, on[i].from_h, true };
		if (on[i].stops)
			events[a->nevent++] = (struct power_event){
				(on[i].day + on[i].to_h / 24) % 7, on[i].to_h % 24, false
			};
	}
	a->event = events;
}

static void tell_timetable(const struct lever_in *in, struct rec *r, const struct group *q,
			   const struct timetable *t, size_t nfree)
{
	const char *who = filled_or(q->service,
				    filled_or(q->team, filled_or(q->cluster, "nobody")));
	double week = t->on_hours;

	r->title = arena_printf(in->mem, "%s: on %.0f of 168 hours a week%s%s, by timetable", who,
				week, text_if(*q->cluster, " in "), q->cluster);
	r->team = q->team;
	r->effort_days = 1;
	r->within_days = 2;
	r->confidence_frac = t->weeks >= 8 ? 0.9 : 0.75;
	rec_subject(in, r, "team", q->team);
	rec_subject(in, r, "cluster", q->cluster);
	rec_subject(in, r, "service", q->service);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "workloads held day and night",
					.source = "job list" },
		     "%zu", q->workload.n);
	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_MEASURED, "hours of use", .unit = "h",
				   .source = *q->service ? "requests and telemetry" : "telemetry" },
		"%lld", (long long)q->used_hours);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "on by the timetable, a week",
					.unit = "h", .source = "history by the hour of the week" },
		     "%.0f", week);
	rec_evidence(in, r,
		     (struct evidence){
			     QUALITY_ESTIMATED,
			     "hours of use missed, each week tested with the others' timetable",
			     .unit = "h", .source = "replay" },
		     "%lld of %lld", (long long)t->misses, (long long)q->used_hours);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ASSUMED,
					"of the off time taken back by starts by hand, at most",
					.unit = "%", .source = "tare" },
		     "%.0f", BY_HAND_FRAC * 100);
	if (nfree)
		rec_evidence(
			in, r,
			(struct evidence){ QUALITY_MEASURED,
					   "machines whose GPUs nobody else holds go off whole",
					   .source = "job list, node list" },
			"%zu", nfree);
	rec_risk(
		in, r,
		"Who needs it outside of these hours has to start it by hand; in replay %lld of %lld hours of use.",
		(long long)t->misses, (long long)q->used_hours);
	rec_risk(
		in, r,
		"What lies only in memory or on local disks is gone at each stop: keep notebooks and data on network storage.");
	set_timetable(in, r, q, t);
}

static bool misses_too_many(const struct group *q, const struct timetable *t)
{
	return t->misses * 100 > q->used_hours;
}

/* Ready or Try first, by the table; what stands against Ready is told. */
static void judge_timetable(const struct lever_in *in, struct rec *r, const struct group *q,
			    const struct timetable *t, double weeks)
{
	const struct plan_gates *g = &in->conf->gates;
	const struct workload *w = &in->fleet->workload.v[q->workload.v[0]];
	const struct capacity_of kind = { .gpu_model = w->gpu_model,
					  .region = w->region,
					  .purchase = w->purchase };
	struct capacity c = capacity_known(in->fleet, g, &kind);

	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED,
					"history in which these hours were never used",
					.unit = "weeks", .source = "telemetry" },
		     "%.1f", weeks);
	if (weeks + 1.0 / WEEK_HOURS < g->schedule_ready_weeks || t->misses || *q->service)
		rec_tier(r, TIER_TRIAL);
	bool refused = !c.known && (double)c.starts >= g->capacity_starts;
	if (refused || capacity_is_reserved(in->conf, w))
		capacity_judge(in, r, w, &kind);
	else
		rec_risk(
			in, r,
			"The provider may have no machine in the morning: it is started an hour before the first use, so that this shows in time.");
	r->risk = r->tier == TIER_SURE ? RISK_LOW : RISK_MEDIUM;
	if (misses_too_many(q, t))
		r->risk = RISK_HIGH;
}

/* What the table asks before anything is proposed; the lines must mean these machines alone. */
static bool may_switch(const struct lever_in *in, const struct group *q, const char *who,
		       double weeks)
{
	const struct plan_gates *g = &in->conf->gates;

	if (weeks + 1.0 / WEEK_HOURS < g->schedule_trial_weeks) {
		plan_note(
			in,
			"No timetable for %s in %s: %.1f weeks of it are known, %g are asked for.",
			who, q->cluster, weeks, g->schedule_trial_weeks);
		return false;
	}
	if (in->conf->boot_minutes > g->schedule_wake_min) {
		plan_note(
			in,
			"No timetable for %s in %s: a machine boots in %g minutes, %g are allowed.",
			who, q->cluster, in->conf->boot_minutes, g->schedule_wake_min);
		return false;
	}
	for (size_t i = 0; i < q->workload.n; i++)
		if (!*in->fleet->workload.v[q->workload.v[i]].node) {
			plan_note(
				in,
				"No timetable for %s in %s: the job list names no machine to switch off.",
				who, q->cluster);
			return false;
		}
	return true;
}

/* In which its hours are known, from the first to the last. */
static double known_weeks(const struct groups *g, const struct group *q)
{
	size_t first = 0, last = g->hours;

	while (first < last && isnan(q->use[first]))
		first++;
	while (last > first && isnan(q->use[last - 1]))
		last--;
	return (double)(last - first) / WEEK_HOURS;
}

static int propose_group(const struct lever_in *in, struct rec_list *out, const struct groups *g,
			 struct group *q, struct err *err)
{
	struct timetable t;
	const struct timetable_opt o = { .headroom_h = HEADROOM_H };
	const char *who = q->service;

	if (!*q->service)
		who = filled_or(q->team, "nobody");
	use_of_group(in, g, q);

	double weeks = known_weeks(g, q);
	if (!may_switch(in, q, who, weeks))
		return 0;
	const struct timetable_history h = { g->hours, q->use, g->from_ms, 0 };
	int r = timetable_make(&o, &h, &t, err);
	if (r < 0)
		return r;
	if (!t.enough) {
		plan_note(in, "No timetable for %s in %s: %s.", who, q->cluster, t.why);
		return 0;
	}
	if (t.off_frac < MIN_OFF_FRAC || !q->used_hours) {
		lever_left(in, "workloads held day and night",
			   q->used_hours ? "used in nearly all hours of the week"
					 : "never used (stop_idle)",
			   q->workload.n);
		return 0;
	}
	if (is_in_force(in, q, &t)) {
		lever_left(in, "workloads held day and night",
			   "off for most of the hours outside of their use lately", q->workload.n);
		return 0;
	}
	const struct workload *w = &in->fleet->workload.v[q->workload.v[0]];
	const char *tail = arena_printf(in->mem, "%s%s%s", who, text_if(*q->cluster, "-"),
					q->cluster);

	bool taken = false;
	for (size_t i = 0; i < out->v.n; i++)
		taken |= !strcmp(out->v.v[i]->lever, "schedule") &&
			 !strcmp(out->v.v[i]->about, tail);
	if (taken)
		tail = arena_printf(in->mem, "%s-%s-%s", tail, w->region, w->zone);
	struct rec *rec = rec_new(in, out, "schedule", tail);
	struct switcher s = { .in = in, .g = g, .t = &t, .r = rec, .factor = 1 };
	for (size_t i = 0; i < q->workload.n; i++)
		switch_off(&s, q->workload.v[i], NULL);
	switch_off_free(&s, q);
	if (!rec->change.n) {
		out->v.n--;
		rec_free(rec);
		lever_left(in, "workloads held day and night",
			   "that save nothing when they are off", q->workload.n);
		return 0;
	}
	/* On the history itself no hour of use is off. What other weeks' timetables would have
	 * missed says how the next ones may be: more than a hundredth of it are misses. */
	rec->replay.jobs = q->used_hours;
	if (misses_too_many(q, &t))
		rec->replay.deadline_misses = t.misses;
	tell_timetable(in, rec, q, &t, s.nfree);
	if (s.factor > 1) {
		rec_evidence(
			in, rec,
			(struct evidence){
				QUALITY_ESTIMATED,
				"of the discount for sustained use lost: the other hours cost more by",
				.unit = "%", .source = "bill, Google's rule" },
			"%.0f", (s.factor - 1) * 100);
		rec_risk(
			in, rec, "%s",
			"With fewer hours Google's discount for sustained use shrinks: that is counted.");
	}
	judge_timetable(in, rec, q, &t, weeks);
	return 0;
}

int lever_schedule_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	const struct fleet *f = in->fleet;
	struct groups g = { .from_ms = tm_floor(f->since_ms, MS_HOUR) };
	int r = 0;

	if (f->until_ms <= f->since_ms)
		return 0;
	g.hours = (size_t)((f->until_ms - g.from_ms + MS_HOUR - 1) / MS_HOUR);
	collect_groups(in, &g);

	/* Two teams on one machine: their groups would switch it off against each other. */
	struct intern name = { 0 };
	VEC(size_t) first = { 0 }; /* [name] the group that was there first */

	for (size_t i = 0; i < g.v.n; i++)
		for (size_t k = 0; k < g.v.v[i].workload.n; k++) {
			const struct workload *w = &in->fleet->workload.v[g.v.v[i].workload.v[k]];
			if (!*w->node)
				continue;
			uint32_t id = intern_add(&name, sv_of(w->node));
			if (id == first.n)
				*vec_push(&first) = i;
			g.v.v[i].common |= first.v[id] != i;
			g.v.v[first.v[id]].common |= first.v[id] != i;
		}
	vec_free(&first);
	intern_free(&name);

	for (size_t i = 0; i < g.v.n && r >= 0; i++)
		if (!g.v.v[i].common)
			r = propose_group(in, out, &g, &g.v.v[i], err);
	for (size_t i = 0; i < g.v.n; i++) {
		vec_free(&g.v.v[i].workload);
		free(g.v.v[i].use);
	}
	vec_free(&g.v);
	intern_free(&g.key);
	if (r >= 0)
		schedule_shift(in, out);
	if (r < 0)
		return r;
	return 0;
}
