/*
 * Give back what does nothing: machines that nobody holds any more, machines that wait between two
 * jobs; and works that do nothing (lever_idle_works.c). Only what is measured or known to be free
 * counts; unknown is never idle. A machine goes back only when nobody else is on it, and only where
 * it is paid by the hour.
 */
#include <math.h>
#include <stdlib.h>

#include "base/tm.h"
#include "opt/idle.h"
#include "base/dec.h"
#include "plan/levers.h"
#include "plan/stop_idle.h"

/* free for so long at its end, or for half the window if that is shorter */
#define FORGOTTEN_MS (7 * MS_DAY)
#define WORTH_PART   5000 /* of the fleet's cost: below 1/5000 the effort is not worth it */

struct lever_state {
	const struct lever_in *in;
	struct rec_list *out;
	size_t *order; /* [norder] jobs and services by node */
	size_t norder;
	bool tracked; /* some job list is there at all */
};

/* ---- machines ---------------------------------------------------------------------------- */

static int by_node(const void *pa, const void *pb, void *ctx)
{
	const struct fleet *f = ctx;
	const struct work *a = &f->work.v[*(const size_t *)pa],
			  *b = &f->work.v[*(const size_t *)pb];
	int d = strcmp(a->node, b->node);

	return d ? d : a < b ? -1 : a > b;
}

static void sort_works(struct lever_state *s)
{
	const struct fleet *f = s->in->fleet;

	s->order = xcalloc(f->work.n + 1, sizeof *s->order);
	for (size_t i = 0; i < f->work.n; i++) {
		const struct work *w = &f->work.v[i];
		s->tracked |= w->kind == WORK_JOB && *w->job;
		if (w->kind != WORK_FREE && w->kind != WORK_LINE && *w->node)
			s->order[s->norder++] = i;
	}
	qsort_r(s->order, s->norder, sizeof *s->order, by_node, (void *)f);
}

static size_t first_on(const struct lever_state *s, const char *node)
{
	size_t lo = 0, hi = s->norder;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (strcmp(s->in->fleet->work.v[s->order[mid]].node, node) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool is_on(const struct lever_state *s, size_t k, const char *node)
{
	return k < s->norder && !strcmp(s->in->fleet->work.v[s->order[k]].node, node);
}

static int64_t minutes(double m)
{
	return (int64_t)(m * 60000);
}

/* An hour of which nobody knows for so long that the machine might have been taken, used and given
 * back again; missing readings between idle ones are not that. */
static bool is_dark_hour(const struct lever_state *s, const struct work *w,
			 const struct work_hour *h)
{
	int64_t gpus_milli = w->node_index == SIZE_MAX
				     ? w->gpus_milli
				     : s->in->fleet->node.v[w->node_index].gpus_milli;

	return h->ms * 1000 >= minutes(s->in->conf->idle_release_minutes) * gpus_milli;
}

/* When somebody held the machine, or may have; malloc'ed. */
static struct idle_span *held(const struct lever_state *s, const char *node, size_t *ret_n)
{
	const struct fleet *f = s->in->fleet;
	VEC(struct idle_span) v = { 0 };

	vec_grow(&v, 1);
	for (size_t k = first_on(s, node); is_on(s, k, node); k++) {
		const struct work *w = &f->work.v[s->order[k]];
		const struct use *u = &s->in->use[s->order[k]];
		if (w->kind != WORK_UNKNOWN) {
			*vec_push(&v) = (struct idle_span){ u->start_ms, u->end_ms };
			continue;
		}
		for (size_t i = w->hour0; i < w->hour0 + w->nhour; i++) {
			const struct work_hour *h = &f->hour.v[i];
			if (is_dark_hour(s, w, h))
				*vec_push(&v) = (struct idle_span){ h->hour_ms,
								    h->hour_ms + MS_HOUR };
		}
	}
	*ret_n = idle_union(v.v, v.n);
	return v.v;
}

struct freed {
	int64_t nano, ms, boots, boot_ms, tail_ms;
};

/* Money of free hours inside the spans; free time has one price within an hour. */
static void add_freed(const struct fleet *f, const struct work *w, int64_t gpus_milli,
		      const struct idle_span *v, size_t n, struct freed *ret)
{
	size_t k = 0;

	for (size_t i = 0; i < w->nhour; i++) {
		const struct work_hour *h = &f->hour.v[w->hour0 + i];
		int64_t ms = 0;
		while (k < n && v[k].to_ms <= h->hour_ms)
			k++;
		for (size_t j = k; j < n && v[j].from_ms < h->hour_ms + MS_HOUR; j++) {
			int64_t a = v[j].from_ms > h->hour_ms ? v[j].from_ms : h->hour_ms,
				b = v[j].to_ms < h->hour_ms + MS_HOUR ? v[j].to_ms
								      : h->hour_ms + MS_HOUR;
			ms += b > a ? b - a : 0;
		}
		ms = ms * gpus_milli / 1000;
		ms = ms > h->ms ? h->ms : ms;
		if (!ms)
			continue;
		ret->ms += ms;
		ret->nano += (int64_t)div_half_even((__int128)h->nano * ms, h->ms);
	}
}

/* What one machine's free time gives back; tail_ms: how long it had been free at the end of its
 * last paid stretch. */
static struct freed machine(const struct lever_state *s, const struct work *w)
{
	const struct fleet *f = s->in->fleet;
	const struct plan_conf *c = s->in->conf;
	struct freed r = { 0 };
	size_t n;
	struct idle_span *busy = held(s, w->node, &n), *out = xcalloc(n + 1, sizeof *out);

	for (size_t k = w->node_index;
	     k < f->node.n && f->node.v[k].node == f->node.v[w->node_index].node; k++) {
		const struct fleet_node *m = &f->node.v[k];
		size_t i = 0, to = 0;
		while (i < n && busy[i].to_ms <= m->from_ms)
			i++;
		for (to = i; to < n && busy[to].from_ms < m->to_ms;)
			to++;
		size_t got = idle_release(busy + i, to - i, m->from_ms, m->to_ms,
					  minutes(c->idle_release_minutes),
					  minutes(c->boot_minutes), out);
		r.tail_ms = m->to_ms - (to > i ? busy[to - 1].to_ms : m->from_ms);
		for (size_t g = 0; g < got; g++)
			r.boots += out[g].to_ms < m->to_ms;
		add_freed(f, w, m->gpus_milli, out, got, &r);
	}
	free(busy);
	free(out);
	return r;
}

static bool is_forgotten(const struct lever_in *in, const struct work *w, const struct freed *r)
{
	const struct fleet *f = in->fleet;
	int64_t window = f->until_ms - f->since_ms,
		need = window / 2 < FORGOTTEN_MS ? window / 2 : FORGOTTEN_MS;

	return r->tail_ms >= need && w->end_ms >= f->until_ms - MS_HOUR && window >= MS_DAY;
}

/* Is it known that a machine that no job list names does nothing? 1 measured, 0 not known, -1 it
 * works. */
static int seen_idle(const struct work *w)
{
	if (w->stats.covered_frac < WORK_COVERED_FRAC || isnan(w->stats.idle_frac))
		return 0;
	return w->stats.idle_frac >= 0.99 ? 1 : -1;
}

static const char *group_of(const struct work *w)
{
	return *w->cluster ? w->cluster : *w->team ? w->team : w->node;
}

/* Free time that no proposal is about, said where it is worth a line: a hundredth of the fleet's
 * cost. */
static void note_left_alone(struct lever_state *s, int64_t nano, const char *why)
{
	const struct fleet *f = s->in->fleet;
	char buf[DEC_BUF];

	if (nano > f->cost_nano / 100)
		plan_note(
			s->in,
			"%s %s of the window's cost is time that nobody held and is left alone: %s",
			dec_format_people(buf, nano_to_dec(nano), 0), f->currency, why);
}

static void propose_machines(struct lever_state *s)
{
	const struct fleet *f = s->in->fleet;
	size_t first = s->out->v.n;
	int64_t pooled = 0, kept = 0;

	for (size_t i = 0; i < f->work.n; i++) {
		const struct work *w = &f->work.v[i];
		if (w->kind != WORK_FREE || w->cost_nano <= 0)
			continue;
		if (w->node_index == SIZE_MAX)
			pooled += w->cost_nano;
		else if (!w->elastic)
			kept += w->cost_nano;
		if (w->node_index == SIZE_MAX || work_is_frozen(s->in, w, "stop_idle"))
			continue;
		struct freed r = machine(s, w);
		int idle = seen_idle(w);
		if (!r.nano)
			continue;
		if (idle < 0 || (idle == 0 && !s->tracked)) {
			plan_note(
				s->in,
				"'%s' is held by nobody as far as is known, but %s: it is left alone",
				w->node,
				idle < 0 ? "its cards work"
					 : "there is no job list and no telemetry");
			continue;
		}
		bool gone = is_forgotten(s->in, w, &r);
		struct rec *rec = stop_idle_rec(
			s->in, s->out, first,
			arena_printf(s->in->mem, "%s%s", group_of(w), gone ? "" : "-between-jobs"));
		stop_idle_cost(s->in, rec, i,
			       stop_idle_left(w, &s->in->use[i],
					      gone && r.boots == 0 ? w->cost_nano : r.nano),
			       gone && r.boots == 0);
		rec->replay.jobs += r.boots;
		if (!idle && gone && rec->risk < RISK_MEDIUM)
			rec->risk = RISK_MEDIUM;
		if (!idle) { /* nobody has read its cards: it may be in use */
			struct rec_change *c = &rec->change.v[rec->change.n - 1];
			c->lo_nano = c->after.cost_nano;
			c->hi_nano = s->in->use[i].cost_nano;
		}
	}
	note_left_alone(
		s, pooled,
		"the job lists name no machine there, so none can be called free: name the node of each job");
	note_left_alone(
		s, kept,
		"owned, reserved and committed machines cost the same when nobody uses them: what is free there is room for more work");
}

/* ---- what a recommendation about machines says ------------------------------------------- */

/* Jobs that would begin a boot later than they did: do they still end in time? */
static void count_waits(struct lever_state *s, struct rec *r)
{
	const struct fleet *f = s->in->fleet;
	int64_t boot = minutes(s->in->conf->boot_minutes);

	r->replay.jobs = 0;
	for (size_t i = 0; i < r->change.n; i++) {
		const char *node = f->work.v[r->change.v[i].work].node;
		for (size_t k = first_on(s, node); is_on(s, k, node); k++) {
			const struct work *w = &f->work.v[s->order[k]];
			if (w->deadline_ms == UNKNOWN_MS)
				continue;
			r->replay.jobs++;
			r->replay.deadline_misses += s->in->use[s->order[k]].end_ms + boot >
						     w->deadline_ms;
		}
	}
	if (r->replay.deadline_misses * 100 > r->replay.jobs)
		r->risk = RISK_HIGH;
	else if (r->replay.deadline_misses)
		r->risk = r->risk < RISK_MEDIUM ? RISK_MEDIUM : r->risk;
}

static void tell_forgotten(struct lever_state *s, struct rec *r, const struct work *w)
{
	const struct lever_in *in = s->in;
	double days = 0;

	for (size_t i = 0; i < r->change.n; i++) {
		const struct work *x = &in->fleet->work.v[r->change.v[i].work];
		struct freed m = machine(s, x);
		double d = (double)m.tail_ms / MS_DAY;
		days = i == 0 || d < days ? d : days;
		rec_action(r, ACTION_STOP)->machine = work_machine(x);
	}
	r->title = arena_printf(in->mem,
				"stop %s: %zu machine%s that no job has held for %.0f days",
				group_of(w), r->change.n, r->change.n == 1 ? "" : "s", floor(days));
	rec_evidence(in, r, QUALITY_MEASURED, "days without a job", "d", "job list, node list",
		     "%.1f", days);
	if (seen_idle(w) > 0)
		rec_evidence(in, r, QUALITY_MEASURED, "readings at or below the idle bound", "frac",
			     "telemetry", "%.4f", w->stats.idle_frac);
	rec_risk(in, r, "Somebody may keep data on its disks: stop first, delete later.");
}

static void tell_between(struct lever_state *s, struct rec *r, const struct work *w)
{
	const struct lever_in *in = s->in;
	const struct plan_conf *c = in->conf;

	count_waits(s, r);
	r->within_days = 3;
	r->effort_days = 2;
	r->title = arena_printf(
		in->mem, "%s: give free machines back after %g minutes, boot them when a job asks",
		group_of(w), c->idle_release_minutes);
	rec_evidence(in, r, QUALITY_MEASURED, "GPU time nobody held", "GPU·h",
		     "job list, node list", "%.0f", stop_idle_gpu_hours(in->fleet, r));
	rec_evidence(in, r, QUALITY_ASSUMED, "boot of a machine, paid and waited for", "min",
		     "settings", "%g", c->boot_minutes);
	rec_action(r, ACTION_RELEASE)->release = (struct action_release){
		.cluster = raw_name(w->cluster),
		.idle_min = c->idle_release_minutes,
		.boot_min = c->boot_minutes,
		.machines = (int64_t)r->change.n,
	};
	rec_risk(
		in, r,
		"A job that finds no machine waits %g minutes for one; the provider may have none at that time.",
		c->boot_minutes);
}

static void tell_machines(struct lever_state *s, size_t first)
{
	for (size_t i = first; i < s->out->v.n; i++) {
		struct rec *r = s->out->v.v[i];
		const struct work *w = &s->in->fleet->work.v[r->change.v[0].work];
		rec_subject(s->in, r, "cluster", w->cluster);
		if (sv_ends(sv_of(r->id), SV("-between-jobs")))
			tell_between(s, r, w);
		else
			tell_forgotten(s, r, w);
	}
}

static void drop_trifles(struct lever_state *s, size_t first)
{
	size_t k = first;

	for (size_t i = first; i < s->out->v.n; i++) {
		struct rec *r = s->out->v.v[i];
		int64_t saved = 0;
		for (size_t c = 0; c < r->change.n; c++)
			saved += s->in->use[r->change.v[c].work].cost_nano -
				 r->change.v[c].after.cost_nano;
		if (saved > s->in->fleet->cost_nano / WORTH_PART)
			s->out->v.v[k++] = r;
		else
			rec_free(r);
	}
	s->out->v.n = k;
}

int lever_stop_idle_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct lever_state s = { .in = in, .out = out };
	size_t first = out->v.n;

	(void)err;
	sort_works(&s);
	propose_machines(&s);
	tell_machines(&s, first);
	stop_idle_works(in, out);
	drop_trifles(&s, first);
	free(s.order);
	return 0;
}
