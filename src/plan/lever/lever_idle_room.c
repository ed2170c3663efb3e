/*
 * What lever stop_idle can only tell. Machines that are owned, reserved or committed cost the same
 * whoever uses them until their term ends: no cash is saved by stopping them, so that their free
 * time is room: GPU-hours for others, waits that need not be, machines that need not be rented
 * beside them. And machines that nobody watched, of which nothing can be said at all.
 *
 *   room(h)   = GPU-hours of the group that nobody held in hour h
 *   rented(h) = GPU-hours of the same model that workloads held on machines paid by the hour
 *   deferred  = sum over h of min(room(h), rented(h))
 *   waited    = hours that works of the same model waited for a start while room(h) was as many
 *               GPUs as they asked for
 *
 * What of the rented would have run there, replayed job by job, is room_fit.h: its rented price is
 * what moving it may save. That is advice, in no sum: where its data lie, and whether its owner may
 * use these machines, no history tells; and other items may stop or shrink the same rented time.
 */
#include <math.h>
#include <stdlib.h>

#include "base/dec.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/levers.h"
#include "plan/fleet/fleet_in.h"
#include "plan/lever/room_fit.h"
#include "plan/lever/stop_idle.h"

#define WORTH_PART 100 /* of the fleet's cost: below a hundredth no word */

struct group { /* works of one cluster, or of a machine without one */
	const char *key, *gpu_model;
	VEC(size_t) workload;
	int64_t cost_nano;
	double gpu_hours;
};
struct groups {
	VEC(struct group) v;
	struct intern told; /* machines of whose other time jobs or readings tell */
};

static const char *key_of(const struct workload *w)
{
	if (*w->cluster)
		return w->cluster;
	return filled_or(w->team, w->node);
}

/* "'i-0aaa'", "'legacy'", "team 'speech'" */
static const char *name_of(const struct lever_in *in, const struct group *g)
{
	const struct workload *w = &in->fleet->workload.v[g->workload.v[0]];

	if (*w->cluster)
		return arena_printf(in->mem, "'%s'", w->cluster);
	if (*w->node && g->workload.n == 1)
		return arena_printf(in->mem, "'%s'", w->node);
	return arena_printf(in->mem, "%s'%s'", text_if(*w->team, "team "), g->key);
}

static void add_waited(struct groups *g, const struct fleet *f, size_t i)
{
	const struct workload *w = &f->workload.v[i];
	size_t k = 0;

	while (k < g->v.n && (g->v.v[k].key != key_of(w) || g->v.v[k].gpu_model != w->gpu_model))
		k++;
	if (k == g->v.n)
		*vec_push(&g->v) = (struct group){ .key = key_of(w), .gpu_model = w->gpu_model };
	*vec_push(&g->v.v[k].workload) = i;
	g->v.v[k].cost_nano += w->cost_nano;
	g->v.v[k].gpu_hours += hours_of(w->ms);
}

static void groups_free(struct groups *g)
{
	for (size_t i = 0; i < g->v.n; i++)
		vec_free(&g->v.v[i].workload);
	vec_free(&g->v);
	intern_free(&g->told);
}

/* ---- room ---------------------------------------------------------------------------------- */

struct room {
	const struct fleet *f;
	int64_t from_ms;
	size_t hours;
	double *free, *rented; /* [hours] GPU-hours */
	double room_h, deferred_h, waited_h;
};

static void add_hours(const struct room *m, const struct workload *w, double *to)
{
	for (size_t k = 0; k < w->nhour; k++) {
		const struct workload_hour *h = &m->f->hour.v[w->hour0 + k];
		int64_t at = (h->hour_ms - m->from_ms) / MS_HOUR;
		if (at >= 0 && at < (int64_t)m->hours)
			to[at] += hours_of(h->ms);
	}
}

/* Hours of its wait in which there was room for it. */
static double hours_waited(const struct room *m, const struct workload *w)
{
	double sum = 0;

	if (w->submit_ms == UNKNOWN_MS || w->submit_ms >= w->start_ms)
		return 0;
	for (size_t h = 0; h < m->hours; h++) {
		int64_t a = m->from_ms + (int64_t)h * MS_HOUR, b = a + MS_HOUR;
		a = max_i64(a, w->submit_ms);
		b = min_i64(b, w->start_ms);
		if (b > a && m->free[h] * 1000 >= (double)w->gpus_milli)
			sum += hours_of(b - a);
	}
	return sum;
}

/* Rented jobs that would have run there at the same time, with what they were rented for. */
static void tell_fit(const struct lever_in *in, struct rec *r, const struct group *g,
		     const struct room_fit *fit)
{
	const struct fleet *f = in->fleet;
	double month = in->conf->month_hours * (double)MS_HOUR / (double)fleet_span_ms(f);
	const char *unit = arena_printf(in->mem, "%s/month", f->currency);

	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_MEASURED,
				   "rented jobs that would have run there when they ran, whole",
				   .source = "replay: machines hour by hour" },
		"%zu of %zu", fit->jobs, fit->of);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "GPU time of these", .unit = "GPU·h",
					.source = "ledger" },
		     "%.0f", fit->gpu_hours);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED,
					"rented for that, with the machines that they leave",
					.unit = unit, .source = "ledger" },
		     "%.2f", (double)fit->most_nano / 1e9 * month);
	r->p05_nano = fit->least_nano;
	r->p95_nano = fit->most_nano;
	r->saving_nano = fit->least_nano + (fit->most_nano - fit->least_nano) / 2;
	r->title = arena_printf(
		in->mem,
		"%s: %zu job%s rented %s by the hour while %s stood free on machines that are paid anyway: run them there",
		g->key, fit->jobs, plural(fit->jobs), g->gpu_model, g->gpu_model);
	if (fit->least_nano < fit->most_nano)
		rec_risk(
			in, r, "%s",
			"A rented machine that stays on when these jobs have left is paid all the same: give it back.");
	rec_risk(
		in, r, "%s",
		"Cores and memory of these machines are not looked at, nor who may use them; other items may save a part of the same.");
}

/* Of works of free time: as many machines as were paid at once. One that was renamed, or came for
 * another that went, is no further machine. */
static size_t machines_at_once(const struct fleet *f, const struct group *g)
{
	size_t most = 0;

	for (size_t i = 0; i < g->workload.n; i++) {
		int64_t at = f->workload.v[g->workload.v[i]].start_ms;
		size_t n = 0;
		for (size_t k = 0; k < g->workload.n; k++) {
			const struct workload *w = &f->workload.v[g->workload.v[k]];
			n += w->start_ms <= at && at < w->end_ms;
		}
		most = max_size(n, most);
	}
	return most;
}

static void tell_room(const struct lever_in *in, struct rec_list *out, const struct group *g,
		      const struct room_fit *fit)
{
	const struct fleet *f = in->fleet;
	const struct workload *w = &f->workload.v[g->workload.v[0]];
	struct rec *r = rec_new(in, out, "stop_idle",
				arena_printf(in->mem, "room-%s-%s", g->key, g->gpu_model));
	struct raw_name *node = arena_alloc(in->mem, g->workload.n * sizeof *node);
	struct room m;

	m = (struct room){ .f = f, .from_ms = tm_floor(f->since_ms, MS_HOUR) };
	m.hours = (size_t)((f->until_ms - m.from_ms + MS_HOUR - 1) / MS_HOUR);
	m.free = xcalloc(m.hours + 1, sizeof *m.free);
	m.rented = xcalloc(m.hours + 1, sizeof *m.rented);
	for (size_t i = 0; i < g->workload.n; i++)
		add_hours(&m, &f->workload.v[g->workload.v[i]], m.free);
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *workload = &f->workload.v[i];
		if (workload->kind != WORKLOAD_JOB || workload->gpu_model != g->gpu_model)
			continue;
		m.waited_h += hours_waited(&m, workload);
		if (workload->elastic)
			add_hours(&m, workload, m.rented);
	}
	for (size_t h = 0; h < m.hours; h++) {
		m.room_h += m.free[h];
		m.deferred_h += fmin(m.free[h], m.rented[h]);
	}
	free(m.free);
	free(m.rented);
	for (size_t i = 0; i < g->workload.n; i++)
		node[i] = raw_name(f->workload.v[g->workload.v[i]].node);
	r->advice = true;
	r->risk = RISK_LOW;
	r->effort_days = 1;
	r->within_days = 7;
	r->confidence_frac = 0.5;
	r->team = w->team;
	bool reserved = fleet_is_elastic(w->purchase);
	size_t machines = machines_at_once(f, g);
	r->title = arena_printf(
		in->mem, "%s: %.0f GPU-hours are free on %zu machine%s %s (%s): room, no cash%s",
		g->key, m.room_h, machines, plural(machines),
		reserved ? "that a reservation of capacity holds" : "paid until a term ends",
		w->purchase, text_if(reserved, " until it is cancelled too"));
	rec_subject(in, r, "cluster", w->cluster);
	rec_subject(in, r, "gpu_model", w->gpu_model);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "paid and held by nobody",
					.unit = "GPU·h", .source = "job list, node list" },
		     "%.0f", m.room_h);
	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_MEASURED,
				   "of that, while the same model was rented by the hour",
				   .unit = "GPU·h",
				   .source = "ledger; machines that need not be rented or bought" },
		"%.0f", m.deferred_h);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED,
					"that jobs waited while there was room for them",
					.unit = "h", .source = "job list" },
		     "%.1f", m.waited_h);
	rec_action(r, ACTION_TELL)->tell = (struct action_tell){ .about = TELL_ROOM,
								 .who = raw_name(w->team),
								 .cluster = raw_name(w->cluster),
								 .node = node,
								 .nnode = g->workload.n };
	rec_risk(
		in, r,
		"What moves there pays for its data on the way, and needs the same shape of machine.");
	if (fit->jobs)
		tell_fit(in, r, g, fit);
}

/* ---- nobody watched ------------------------------------------------------------------------ */

static bool is_worth(const struct fleet *f, const struct group *g)
{
	return g->cost_nano > f->cost_nano / WORTH_PART;
}

/* " in a part of the time" where all of them are known in the rest of it. */
static const char *when_dark(const struct lever_in *in, const struct groups *dark,
			     const struct group *g)
{
	for (size_t i = 0; i < g->workload.n; i++) {
		const struct workload *w = &in->fleet->workload.v[g->workload.v[i]];
		if (intern_find(&dark->told, sv_of(w->node)) < 0)
			return "";
	}
	return arena_printf(in->mem, " for %.0f GPU·h of the time", g->gpu_hours);
}

#define NOTES_EACH 3

static void tell_unwatched(const struct lever_in *in, const struct groups *dark)
{
	size_t n = 0;

	for (size_t i = 0; i < dark->v.n; i++)
		n += is_worth(in->fleet, &dark->v.v[i]);
	if (n > NOTES_EACH) {
		/* Many clusters of which each would say the same: one sentence on all of them. */
		const struct group *costliest = &dark->v.v[0];
		int64_t nano = 0;
		size_t machines = 0;
		char buf[DEC_BUF];

		for (size_t i = 0; i < dark->v.n; i++) {
			const struct group *g = &dark->v.v[i];
			if (g->cost_nano > costliest->cost_nano)
				costliest = g;
			if (is_worth(in->fleet, g))
				nano += g->cost_nano;
			if (is_worth(in->fleet, g))
				machines += g->workload.n;
		}
		plan_note(
			in,
			"%zu machines (%zu clusters or single ones, %s %s in the window, the most expensive %s) were watched by nobody: no job list covers them and nothing read them, so they are never stopped; import their jobs (tare import --covers) or their readings",
			machines, n, dec_format_people(buf, nano_to_dec(nano), 0),
			in->fleet->currency, name_of(in, costliest));

		return;
	}
	for (size_t i = 0; i < dark->v.n; i++)
		if (is_worth(in->fleet, &dark->v.v[i])) {
			const struct group *g = &dark->v.v[i];
			const struct fleet *f = in->fleet;
			const char *when = when_dark(in, dark, g);
			char buf[DEC_BUF];

			plan_note(
				in,
				"%s (%zu machine%s, %s %s in the window) was watched by nobody%s: no job list covers it and nothing read it%s, so it is never stopped; import its jobs (tare import --covers) or its readings",
				name_of(in, g), g->workload.n, plural(g->workload.n),
				dec_format_people(buf, nano_to_dec(g->cost_nano), 0), f->currency,
				when, text_if(*when, " then"));
		}
}

void stop_idle_room(const struct lever_in *in, struct rec_list *out)
{
	const struct fleet *f = in->fleet;
	struct groups room = { 0 }, dark = { 0 }, read = { 0 };

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->node_index != SIZE_MAX && w->kind != WORKLOAD_UNKNOWN && w->ms > 0)
			intern_add(&dark.told, sv_of(w->node));
		if (w->node_index == SIZE_MAX)
			continue;
		if (w->kind == WORKLOAD_FREE && !w->elastic) /* priced or not: it is there */
			add_waited(&room, f, i);
		else if (w->kind == WORKLOAD_UNKNOWN && w->elastic && w->cost_nano > 0 &&
			 !fleet_is_after_told(f, w))
			add_waited((w->stats.covered_frac > 0) ? &read : &dark, f, i);
	}
	struct settle *s = room.v.n ? settle_new(in) : NULL;
	bool *placed = xcalloc(f->workload.n + 1, sizeof *placed);
	for (size_t i = 0; i < room.v.n; i++) {
		const struct group *g = &room.v.v[i];
		struct room_fit fit;
		room_fit(in, s, g->workload.v, g->workload.n, placed, &fit);
		if (is_worth(f, g) || fit.most_nano > f->cost_nano / WORTH_PART)
			tell_room(in, out, g, &fit);
	}
	if (s)
		settle_free(s);
	free(placed);
	tell_unwatched(in, &dark);

	/* Readings tell what it did, and nobody whose it is: no machine that nobody watched. */
	for (size_t i = 0; i < read.v.n; i++) {
		const struct group *g = &read.v.v[i];
		char buf[DEC_BUF];
		if (!is_worth(in->fleet, g))
			continue;
		plan_note(
			in,
			"%s (%zu machine%s, %s %s in the window) was read, but no job list covers it: whose it is is not known, so it is never stopped; import its jobs (tare import --covers)",
			name_of(in, g), g->workload.n, plural(g->workload.n),
			dec_format_people(buf, nano_to_dec(g->cost_nano), 0), in->fleet->currency);
	}

	groups_free(&room);
	groups_free(&read);
	groups_free(&dark);
}
