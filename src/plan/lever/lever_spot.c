/*
 * Interruptible work on spot machines, by habit: all runs of one go, or none. Always to try first,
 * and only where (plan.gates)
 *
 *   history   there are enough runs or GPU-hours of it, none on a part of a machine;
 *   market    spot prices of its machine were recorded over some weeks (market.h);
 *   restore   each run is known to go on after an interruption: a rule of the settings, its owner's
 *             word, manifests, a restore drill (drill.h). Unknown or not: nothing moves, and
 *             advice says what would have to be;
 *   slack     between the end of its work and its limit or deadline each run has time to spare;
 *   fallback  it goes back on demand in time in every draw of the replay.
 *
 * Each run is replayed on its own history: interruptions drawn from the band of the machine type,
 * restarts, lost work and checkpoints paid (opt/spot/spot_job.h). A gang is interrupted whole, and
 * counts once. The range is that of the market's price and of the hazard, which all runs share, and
 * of the draws, which they do not:
 *
 *   half width^2 = price^2 + hazard^2 + sum of squares over runs
 *
 * Serving is left alone unless a rule allows it (spot_serve.c), and so is what is on spot, owned or
 * committed already, and notebooks.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "opt/spot/spot_job.h"
#include "plan/proof/drill.h"
#include "plan/lever/lever_spot.h"
#include "plan/levers.h"
#include "plan/lever/move.h"
#include "plan/workload.h"

#define MIN_SAVING_FRAC 0.05   /* of what a habit costs: less is not worth an interruption */
#define DRAWS_ALL       200000 /* runs of all jobs together */
#define DRAWS_MIN       40
#define DRAWS_MAX       400
#define POOL_ROOM       2 /* machines that the pool may grow to, of the most held at once */
#define POOL_MORE       2
#define MAX_TYPES       8 /* machine types that the runs of a habit are on */

/* Why a job stays; the order in which it is told. */
enum stays {
	STAYS_SHARED,
	STAYS_FEW,
	STAYS_MARKET,
	STAYS_RESTORE,
	STAYS_SLACK,
	STAYS_COSTLIER,
	STAYS_N
};

struct price_of { /* a market that was looked up */
	const struct use *of;
	struct market m;
	bool ok;
};
struct spotter {
	const struct lever_in *in;
	struct settle *settle;
	int draws;
	VEC(struct price_of *) market;
	uint8_t *why;  /* [workload] enum stays + 1 of its finest habit */
	uint8_t *goes; /* [workload] some proposal moves it */
};
/* A habit on its way. */
struct trip {
	const struct habit_runs *h;
	const struct market *to; /* of its first run */
	double missed, lost_h, every_h, before, after;
	size_t nevery;
	bool unknown_band;
	double band_lo, band_hi;
	double price_half, hazard_lo, hazard_hi, square; /* nano; square: of the draws of runs */
	const char *type[MAX_TYPES];
	size_t ntype;
};

/* ---- what a habit is --------------------------------------------------------------------- */

/* The rule of the settings that says something, the last one first; else what the history says. */
static int said_checkpointable(const struct lever_in *in, const struct workload *w,
			       bool checkpointable)
{
	for (size_t i = in->conf->rule.n; i--;) {
		const struct plan_rule *r = &in->conf->rule.v[i];
		int v = checkpointable ? r->checkpointable : r->interruptible;
		if (v >= 0 && plan_rule_matches(r, w))
			return v;
	}
	if (checkpointable)
		return w->checkpointable;
	return -1;
}

/* What is left between the end of its work and the first of limit and deadline, of its work. */
static double slack_of(const struct workload *w, const struct use *u)
{
	/* from its start to the last sign of work, as long as it may take now */
	double more = u->slowdown > 0 ? fmax(1, u->slowdown_hi / u->slowdown) : 1;
	int64_t between = use_between_ms(w, u);
	int64_t work = (int64_t)((double)(u->end_ms - u->start_ms - between) * more);
	int64_t attempt;
	double slack = INFINITY;

	if (workload_used_ms(w) != w->end_ms - w->start_ms - between)
		work = min_i64((int64_t)((double)workload_used_ms(w) * u->slowdown * more), work);
	if (w->attempts > 1)
		attempt = (int64_t)((double)workload_attempt_ms(w) * u->slowdown * more);
	else
		attempt = work;
	if (w->deadline_ms != UNKNOWN_MS && work > 0)
		slack = (double)(w->deadline_ms - u->start_ms - between - work) / (double)work;
	if (u->limit_ms != UNKNOWN_MS && attempt > 0)
		slack = fmin(slack, (double)(u->limit_ms - attempt) / (double)attempt);
	return slack;
}

static const struct price_of *market_at(struct spotter *s, const struct use *u)
{
	for (size_t i = 0; i < s->market.n; i++) {
		const struct use *o = s->market.v[i]->of;
		if (o->instance_type == u->instance_type && o->region == u->region &&
		    o->zone == u->zone && o->provider == u->provider)
			return s->market.v[i];
	}
	struct price_of *p = arena_zalloc(s->in->mem, sizeof *p);
	p->of = u;
	p->ok = market_of(s->in, u, &p->m);
	*vec_push(&s->market) = p;
	return p;
}

static bool has_market(struct spotter *s, const struct use *u)
{
	const struct price_of *p = market_at(s, u);

	return p->ok && p->m.gpus_milli > 0 && u->gpus_milli % p->m.gpus_milli == 0;
}

/* The first rule that a run of it breaks; STAYS_N: none. */
static enum stays look_at(struct spotter *s, const struct habit_runs *h)
{
	const struct lever_in *in = s->in;
	const struct plan_gates *g = &in->conf->gates;
	double gpu_hours = 0;
	enum stays why = STAYS_N;

	for (size_t i = 0; i < h->workload.n; i++) {
		uint32_t k = h->workload.v[i];
		const struct workload *w = &in->fleet->workload.v[k];
		enum stays x = STAYS_N;
		if (!workload_fills_machine(in->fleet, w) &&
		    in->use[k].instance_type == w->instance_type)
			x = STAYS_SHARED;
		else if (!has_market(s, &in->use[k]))
			x = STAYS_MARKET;
		else if (said_checkpointable(in, w, true) != 1)
			x = STAYS_RESTORE;
		else if (slack_of(w, &in->use[k]) < g->spot_slack_frac - 1e-9)
			x = STAYS_SLACK;
		gpu_hours += hours_of(w->ms);
		why = min_int(x, why);
	}
	bool few = (double)h->runs < g->spot_runs && gpu_hours < g->spot_gpu_hours;
	if (why > STAYS_FEW && (few || h->is_over))
		return STAYS_FEW;
	return why;
}

/* ---- replay ------------------------------------------------------------------------------ */

struct replayed {
	struct spot_job job;
	struct spot_outcome out;
	double hazard_lo_usd, hazard_hi_usd; /* mean cost at the ends of the band */
	double window_frac;                  /* part of the run inside the window */
};

/* Mean cost where the hazard is this part of the way through the band. */
static int cost_at(const struct spotter *s, const struct spot_job *of, double part, uint64_t seed,
		   double *ret_usd)
{
	struct spot_job j = *of;
	struct spot_outcome o;
	struct err err;
	int r;

	j.month_lo_pct = j.month_hi_pct = of->month_lo_pct +
					  part * (of->month_hi_pct - of->month_lo_pct);
	r = spot_job_run(&j, s->draws, seed, &o, &err);
	*ret_usd = o.usd;
	return r;
}

/* machines: of the whole gang, which stops when one of them goes. */
static bool replay_spot(struct spotter *s, uint32_t i, int machines, const struct market *m,
			struct replayed *t)
{
	const struct lever_in *in = s->in;
	const struct plan_conf *c = in->conf;
	const struct workload *w = &in->fleet->workload.v[i];
	const struct use *u = &in->use[i];
	int64_t run = u->end_ms - u->start_ms, between = use_between_ms(w, u);
	double held_frac = (double)(run - between) / (double)run,
	       inside_h = hours_of(use_ms(in->fleet, u)) * held_frac,
	       all_h = hours_of(run) * held_frac * (1 - u->off_frac);
	uint64_t seed = s->in->seed;

	for (const char *p = w->job; *p; p++)
		seed = (seed ^ (uint8_t)*p) * 0x100000001b3u;
	struct err err;

	*t = (struct replayed){ .window_frac = fmin(1, inside_h / all_h) };
	t->job = (struct spot_job){
		.work_h = all_h,
		/* paid before its first step and after its last: it comes for it and goes after
		 * it */
		.start_h = (c->boot_minutes + c->idle_release_minutes) / 60,
		.restart_h = (c->restart_minutes + c->boot_minutes) / 60,
		.stall_h = c->checkpoint_stall_s / 3600,
		.deadline_h = w->deadline_ms == UNKNOWN_MS
				      ? INFINITY
				      : fmax(hours_of(w->deadline_ms - u->start_ms - between),
					     1e-3),
		.od_usd_h = (double)u->cost_nano * 1e-9 / inside_h,
		.spot_usd_h = (double)m->nano_gpu_hour * 1e-9 * (double)u->gpus_milli / 1000,
		.machines = machines * (int)fmin(1000, (double)(u->gpus_milli / m->gpus_milli)),
	};

	struct spot_job *j = &t->job;
	int lo = m->interruption_lo_pct, hi = m->interruption_hi_pct;

	j->month_lo_pct = lo < 0 ? SPOT_UNKNOWN_BAND_LO_PCT : lo;
	j->month_hi_pct = lo < 0 || hi > SPOT_OPEN_BAND_HI_PCT ? SPOT_OPEN_BAND_HI_PCT : hi;
	if (j->month_lo_pct > j->month_hi_pct)
		j->month_lo_pct = j->month_hi_pct;
	t->job.every_h = spot_job_interval(&t->job);
	return spot_job_run(&t->job, s->draws, seed, &t->out, &err) >= 0 &&
	       cost_at(s, &t->job, 0.05, seed, &t->hazard_lo_usd) >= 0 &&
	       cost_at(s, &t->job, 0.95, seed, &t->hazard_hi_usd) >= 0;
}

/* What befalls a gang, once for all of its members. */
static void add_gang(struct trip *p, struct rec *r, const struct market *m,
		     const struct replayed *t)
{
	r->replay.interruptions += t->out.interruptions * t->window_frac;
	p->missed += 1 - t->out.finish_frac;
	p->lost_h += (t->out.lost_h + t->out.restart_h + t->out.stall_h) * (double)t->job.machines *
		     (double)m->gpus_milli / 1000;
	if (isfinite(t->job.every_h) && t->job.every_h > 0) {
		p->every_h += fmin(t->job.every_h, t->job.work_h);
		p->nevery++;
	}
}

/* One workload of a run. */
static void add_workload(struct spotter *s, struct trip *p, struct rec *r, uint32_t i,
			 const struct market *m, const struct replayed *t)
{
	const struct lever_in *in = s->in;
	const struct use *u = &in->use[i];
	struct rec_change *c = rec_change(in, r, i);
	double scale = t->window_frac * 1e9, spot = t->out.usd * (1 - t->out.od_frac),
	       half = (t->out.usd_p95 - t->out.usd_p05) / 2;

	c->after.purchase = "spot";
	c->after.cost_nano = (int64_t)llround(fmin(t->out.usd * t->window_frac, 9e9) * 1e9);
	c->after.end_ms =
		u->end_ms +
		(int64_t)llround((t->out.hours - t->job.start_h - t->job.work_h) * MS_HOUR);
	p->before += (double)u->cost_nano;
	p->after += (double)c->after.cost_nano;
	p->price_half += spot * (m->hi - m->lo) / 2 * scale;
	p->hazard_lo += (t->out.usd - t->hazard_lo_usd) * scale;
	p->hazard_hi += (t->hazard_hi_usd - t->out.usd) * scale;
	p->square += half * scale * half * scale;
	p->unknown_band |= m->interruption_lo_pct < 0;
	size_t k = 0;
	while (k < p->ntype && strcmp(p->type[k], u->instance_type))
		k++;
	if (k == p->ntype && k < MAX_TYPES)
		p->type[p->ntype++] = u->instance_type;
}

/* All of its runs; false: one of them is not in time in every draw, or the whole is not cheaper. */
static bool move_all(struct spotter *s, struct trip *p, struct rec *r)
{
	for (size_t i = 0; i < p->h->workload.n; i++) {
		uint32_t k = p->h->workload.v[i];
		const struct market *m = &market_at(s, &s->in->use[k])->m;
		struct replayed t;
		const struct fleet *f = s->in->fleet;
		const struct habit_runs *h = p->h;
		const char *job = f->workload.v[h->workload.v[i]].job;
		size_t from = i, to = i + 1;

		while (from && !strcmp(f->workload.v[h->workload.v[from - 1]].job, job))
			from--;
		while (to < h->workload.n && !strcmp(f->workload.v[h->workload.v[to]].job, job))
			to++;
		int machines = (int)(to - from);
		if (!replay_spot(s, k, machines, m, &t) || t.out.finish_frac < 1 - 1e-9)
			return false;
		if (!i) {
			p->band_lo = t.job.month_lo_pct;
			p->band_hi = t.job.month_hi_pct;
		}
		add_workload(s, p, r, k, m, &t);
		if (from == i)
			add_gang(p, r, m, &t);
	}

	/* The range of all of it, on each work by its part of the cost. */
	double lo = sqrt(p->price_half * p->price_half + p->hazard_lo * p->hazard_lo + p->square),
	       hi = sqrt(p->price_half * p->price_half + p->hazard_hi * p->hazard_hi + p->square);

	for (size_t i = 0; i < r->change.n && p->after > 0; i++) {
		struct rec_change *c = &r->change.v[i];
		double part = (double)c->after.cost_nano / p->after;
		c->lo_nano = c->after.cost_nano -
			     (int64_t)fmin(lo * part, (double)c->after.cost_nano);
		c->hi_nano = c->after.cost_nano + (int64_t)(hi * part);
	}

	r->replay.jobs = (int64_t)p->h->runs;
	r->replay.deadline_misses = llround(p->missed);
	settle(s->settle, r, false);
	return rec_saving(s->in, r, NULL) >= MIN_SAVING_FRAC * p->before;
}

/* ---- words ------------------------------------------------------------------------------- */

static void tell_how(const struct lever_in *in, struct rec *r, const struct trip *p)
{
	const struct workload *w = p->h->first;
	double every_min = 0;

	if (p->nevery)
		every_min = p->every_h / (double)p->nevery * 60;
	for (size_t i = 0; i < p->ntype; i++) {
		const struct instance_type *t = catalog_instance(in->catalog, sv_of(w->provider),
								 sv_of(p->type[i]));

		rec_action(r, ACTION_POOL)->pool = (struct action_pool){
			.cluster = raw_name(w->cluster),
			.provider = raw_name(w->provider),
			.region = raw_name(w->region),
			.instance_type = raw_name(p->type[i]),
			.gpu_model = raw_name(t && t->gpu_model ? t->gpu_model : w->gpu_model),
			.spot = true,
			.gpus = p->to->gpus_milli / 1000,
			.cpus = t && !isnan(t->vcpu) ? llround(t->vcpu) : 0,
			.ram_mib = t && !isnan(t->ram_gib) ? llround(t->ram_gib * 1024) : 0,
			.tag = rec_tag(in, r),
			.to = habit_submits_to(in->fleet, p->h),
			.now = POOL_ROOM * move_peak(in, p->h, r) + POOL_MORE,
		};
	}
	struct action *a = rec_action(r, ACTION_SUBMIT);
	a->which = habit_of(p->h);
	a->submit = (struct action_submit){
		.change = SUBMIT_SPOT,
		.to = habit_submits_to(in->fleet, p->h),
		.now.spot = true,
		.pool_tag = rec_tag(in, r),
		.pool_type = raw_name(p->ntype ? p->type[0] : ""),
		.provider = raw_name(w->provider),
		.checkpoint_min = fmax(1, every_min),
		.namespace_ = rec_namespace(in->fleet, r),
	};
	rec_action(r, ACTION_TRIAL)->trial =
		(struct action_trial){ .how = TRIAL_SPOT,
				       .instance_type = raw_name(p->to->instance_type),
				       .region = raw_name(w->region),
				       .checkpoints = true };
}

/* The newest one of its runs that came out like this. */
static const struct drill *drill_of(const struct lever_in *in, const struct habit_runs *h,
				    bool passed)
{
	const struct drill *newest = NULL;

	for (size_t i = 0; i < h->workload.n; i++) {
		const struct drill *d = in->fleet->workload.v[h->workload.v[i]].drill;
		if (d && d->passed == passed && (!newest || d->at_ms > newest->at_ms))
			newest = d;
	}
	return newest;
}

static void add_proof(const struct lever_in *in, struct rec *r, const struct trip *p)
{
	const struct market *m = p->to;
	double usd = (double)m->nano_gpu_hour * 1e-9;

	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_MEASURED, "runs of this habit", .source = "job list" },
		"%zu in %.1f weeks", p->h->runs, p->h->weeks);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "runs known to resume",
					.source = "rules, owner's word, manifests, drills" },
		     "%zu", p->h->runs);

	const struct drill *d = drill_of(in, p->h, true);
	const char *source;
	if (d) {
		source = drill_says(d, in->mem);
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, "state safe after a notice",
						.unit = "s", .source = source },
			     "%.1f", d->save_s);
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED,
						"started again until its first step", .unit = "s",
						.source = source },
			     "%.1f", d->restart_s);
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, "work done again", .unit = "s",
						.source = source },
			     "%.1f", d->lost_s);
	}
	if (p->unknown_band)
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_ASSUMED, "interruptions", .unit = "%/month",
						.source = "assumed" },
			     "%.0f..%.0f", p->band_lo, p->band_hi);
	else
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_ESTIMATED, "interruptions",
						.unit = "%/month", .source = m->source },
			     "%.0f..%.0f", p->band_lo, p->band_hi);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "spot price, mean of the last weeks",
					.unit = lever_rate_unit(in), .source = m->source },
		     "%.4f", usd);
	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_MEASURED, "spot prices recorded", .source = m->source },
		"%zu in %.1f weeks", m->records, m->weeks);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "spot price in the range",
					.unit = lever_rate_unit(in),
					.source = "moves of this market" },
		     "%.4f..%.4f", usd * m->lo, usd * m->hi);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "interruptions in replay",
					.source = "replay" },
		     "%.2f", r->replay.interruptions);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "checkpoint every, mean", .unit = "min",
					.source = "replay" },
		     "%.0f", p->nevery ? p->every_h / (double)p->nevery * 60 : 0);
}

static void add_subjects(const struct lever_in *in, struct rec *r, const struct habit_runs *h)
{
	rec_subject(in, r, "team", h->first->team);
	rec_subject(in, r, "user", h->level == HABIT_USER ? h->first->user : "");
	rec_subject(in, r, "cluster", h->first->cluster);
	rec_subject(in, r, "name", h->name);
}

/* Nobody knows whether it resumes, and all else would do: what it would be worth to know. */
static void advise_habit(struct spotter *s, const struct habit_runs *h, double saves,
			 struct rec_list *out)
{
	const struct lever_in *in = s->in;
	double month = in->conf->month_hours / hours_of(fleet_span_ms(in->fleet));
	struct rec *r = rec_new(in, out, "spot",
				arena_printf(in->mem, "checkpoints-%s", habit_id(in->mem, h)));

	r->advice = true;
	r->title = arena_printf(in->mem, "%s: add checkpoints, or say that it has them (%zu runs)",
				habit_title(h), h->runs);
	r->team = h->first->team;
	r->risk = RISK_MEDIUM;
	r->effort_days = 3;
	r->within_days = 7;
	r->replay.jobs = (int64_t)h->runs;
	r->confidence_frac = 0.5;
	add_subjects(in, r, h);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "saving on spot once each run resumes",
					.unit = "$/month", .source = "replay" },
		     "%.0f", saves * 1e-9 * month);
	rec_risk(
		in, r,
		"Saves nothing by itself. A run counts as one that resumes as soon as its manifests, a rule, its owner or a restore drill (tare run drill) says so; until then it is not moved.");
	const struct drill *failed = drill_of(in, h, false);
	if (failed)
		rec_risk(in, r, "The %s failed: %s", drill_says(failed, in->mem), failed->why);
	rec_action(r, ACTION_CHECKPOINTS)->which = habit_of(h);
}

/* ---- all of it --------------------------------------------------------------------------- */

static void propose_habit(struct spotter *s, const struct habit_runs *h, struct rec_list *out)
{
	const struct lever_in *in = s->in;
	enum stays why;
	struct trip p = { .h = h };

	for (size_t i = 0; i < h->workload.n; i++) {
		const struct workload *w = &in->fleet->workload.v[h->workload.v[i]];
		const struct use *u = &in->use[h->workload.v[i]];

		if (strcmp(u->purchase, "on_demand") || u->end_ms <= u->start_ms ||
		    u->cost_nano <= 0)
			return;
		if (use_ms(in->fleet, u) <= 0 || said_checkpointable(in, w, false) == 0 ||
		    workload_is_frozen(in, w, "spot"))
			return;
	}
	why = look_at(s, h);
	if (why == STAYS_N || why == STAYS_RESTORE) {
		const char *tail = habit_id(in->mem, h);
		struct rec_list own = { 0 };
		struct rec *r = rec_new(in, &own, "spot", tail);

		vec_free(&own.v);
		p.to = &market_at(s, &in->use[h->workload.v[0]])->m;
		bool ok = move_all(s, &p, r);
		if (ok && why == STAYS_N) {
			r->title = arena_printf(in->mem, "%s: to spot machines (%zu runs on %s)",
						habit_title(p.h), p.h->runs, p.to->instance_type);
			r->team = p.h->first->team;
			rec_tier(r, TIER_TRIAL);
			r->risk = RISK_MEDIUM;
			r->effort_days = 1;
			r->within_days = 2;
			r->confidence_frac = p.unknown_band ? 0.8 : 0.9;
			add_subjects(in, r, p.h);
			add_proof(in, r, &p);
			rec_risk(
				in, r,
				"%.1f interruptions expected in %lld runs of the window; %.1f GPU-hours lost to them, restarts and checkpoints, paid in the figures.",
				r->replay.interruptions, (long long)r->replay.jobs, p.lost_h);
			rec_risk(
				in, r,
				"In time as long as on-demand machines are to be had: a run goes back to on demand when its deadline asks for it.");
			if (p.h->machines > 1)
				rec_risk(
					in, r,
					"A run is on up to %d machines: one that is taken stops all of them.",
					p.h->machines);
			if (p.unknown_band)
				rec_risk(
					in, r,
					"How often this machine is interrupted is not known: %d to %d %% a month is assumed.",
					SPOT_UNKNOWN_BAND_LO_PCT, SPOT_OPEN_BAND_HI_PCT);
			else if (p.to->interruption_hi_pct > SPOT_OPEN_BAND_HI_PCT)
				rec_risk(
					in, r,
					"The provider says more than %d %% interruptions a month and no upper end: up to %d %% is taken.",
					p.to->interruption_lo_pct, SPOT_OPEN_BAND_HI_PCT);
			tell_how(in, r, &p);
			rec_risk_by_misses(r);
			*vec_push(&out->v) = r;
			for (size_t i = 0; i < h->workload.n; i++)
				s->goes[h->workload.v[i]] = 1;
			return;
		}
		if (ok && h->level == HABIT_USER)
			advise_habit(s, h, rec_saving(in, r, NULL), out);
		if (!ok)
			why = STAYS_COSTLIER;
		rec_free(r);
	}
	for (size_t i = 0; i < h->workload.n && h->level == HABIT_USER; i++)
		s->why[h->workload.v[i]] = (uint8_t)(why + 1);
}

int lever_spot_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	size_t n = in->fleet->workload.n, jobs = 0;
	struct spotter s = { .in = in,
			     .settle = settle_new(in),
			     .why = xcalloc(n + 1, 1),
			     .goes = xcalloc(n + 1, 1) };

	(void)err;
	for (size_t i = 0; i < in->habits->v.n; i++)
		jobs += in->habits->v.v[i].workload.n;
	s.draws = (int)fmin(DRAWS_MAX,
			    fmax(DRAWS_MIN, (double)DRAWS_ALL / (double)(jobs ? jobs : 1)));
	for (size_t i = 0; i < in->habits->v.n; i++)
		propose_habit(&s, &in->habits->v.v[i], out);
	spot_serve_propose(in, out);
	/* Jobs that stay, by why: each counts once, however many machines it is on. */
	static const char *const text[STAYS_N] = {
		"spot: a machine is moved as a whole; left alone for holding a part of one: %lld job%s.",
		"spot: too few runs or GPU-hours of their habit (plan.gates.spot_runs, spot_gpu_hours): %lld job%s.",
		("spot: no market is known for the machines of %lld job%s: a listed or advised price is "
		 "none, it takes prices recorded over plan.gates.spot_market_weeks "
		 "(`tare price update`, `tare import --as prices`)."),
		"spot: not known to resume after an interruption, so not moved: %lld job%s (a restore drill, `tare run drill`, or a rule with checkpointable says so).",
		"spot: too little time between their end and their limit or deadline (plan.gates.spot_slack_frac): %lld job%s.",
		"spot: not cheaper there, or not in time: %lld job%s.",
	};
	const struct fleet *f = s.in->fleet;
	int64_t stay[STAYS_N] = { 0 };
	for (size_t i = 0; i < f->workload.n; i++)
		if (s.why[i] && !s.goes[i] &&
		    (!i || strcmp(f->workload.v[i].job, f->workload.v[i - 1].job)))
			stay[s.why[i] - 1]++;
	for (int k = 0; k < STAYS_N; k++)
		if (stay[k])
			plan_note(s.in, text[k], (long long)stay[k], plural(stay[k]));
	settle_free(s.settle);
	vec_free(&s.market);
	free(s.why);
	free(s.goes);
	return 0;
}
