/*
 * Interruptible work on spot machines. Each job is replayed on its own history: interruptions drawn
 * from the band of the machine type, restarts, lost work and checkpoints paid, back on demand in
 * time for its deadline (opt/spot_job.h). Two recommendations in this order:
 *
 *   add checkpoints  saves nothing itself: jobs that nobody knows to resume after an interruption;
 *   move to spot     jobs that are known to (the owner's word, a rule, manifests), and those whose
 *                    run from zero again and again is cheaper and in time.
 *
 * Serving is left alone unless a rule allows it (spot_serve.c), and so is what is on spot, owned or
 * committed already, notebooks, and jobs that share a machine with others.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/tm.h"
#include "opt/spot_job.h"
#include "plan/lever_spot.h"
#include "plan/levers.h"
#include "plan/work.h"

#define ZERO_IN_TIME_FRAC 0.995  /* a run from zero must be in time this often */
#define MIN_SAVING_FRAC   0.05   /* of a job: less is not worth an interruption */
#define DRAWS_ALL         200000 /* runs of all jobs together */
#define DRAWS_MIN         40
#define DRAWS_MAX         400

struct group { /* becomes a recommendation */
	const char *team, *model, *provider, *region, *key;
	bool checkpoints;
	struct rec *r;
	double saved, before, missed, lost_h, every_sum_h, unknown_band;
	int64_t slurm, other;
	struct rate rate;
	/* of the first job's machine, per GPU and hour */
	double band_lo, band_hi, price_lo, price_hi;
};
/* jobs without checkpoints of a team */
struct lack {
	const char *team;
	int64_t jobs, unknown;
	double cost, would;
};
struct spotter {
	const struct lever_in *in;
	int draws;
	VEC(struct group) group;
	VEC(struct lack) lack;
	int64_t shared, unpriced, dearer;
};

/* ---- what a job is ----------------------------------------------------------------------- */

/* The rule of the settings that says something, the last one first; else what the history says. */
static int said(const struct lever_in *in, const struct work *w, bool checkpointable)
{
	for (size_t i = in->conf->rule.n; i--;) {
		const struct plan_rule *r = &in->conf->rule.v[i];
		int v = checkpointable ? r->checkpointable : r->interruptible;
		if (v >= 0 && plan_rule_matches(r, w))
			return v;
	}
	return checkpointable ? w->checkpointable : -1;
}

static bool is_candidate(const struct lever_in *in, size_t i)
{
	const struct work *w = &in->fleet->work.v[i];
	const struct use *u = &in->use[i];

	return w->kind == WORK_JOB && !w->notebook && strcmp(w->workload, "inference") != 0 &&
	       !*w->service && !strcmp(u->purchase, "on_demand") && u->end_ms > u->start_ms &&
	       u->cost_nano > 0 && use_ms(in->fleet, u) > 0 && w->share_kind == SHARE_WHOLE &&
	       said(in, w, false) != 0 && !work_is_frozen(in, w, "spot");
}

static bool is_slurm(const struct work *w)
{
	const char *p = w->job;

	while ((*p >= '0' && *p <= '9') || *p == '_' || *p == '.')
		p++;
	return *w->job && !*p;
}

/* Machines of a job that runs on several are several works: one interruption stops them all. */
static int machines_of(const struct fleet *f, size_t i)
{
	const struct work *w = &f->work.v[i];
	int n = 0;

	for (size_t k = i; k-- && f->work.v[k].job == w->job && n < 1000;)
		n += f->work.v[k].kind == WORK_JOB;
	for (size_t k = i; k < f->work.n && f->work.v[k].job == w->job && n < 1000; k++)
		n += f->work.v[k].kind == WORK_JOB;
	return n ? n : 1;
}

/* ---- prices ------------------------------------------------------------------------------ */

bool spot_rate_of(const struct lever_in *in, const struct use *u, struct rate *ret)
{
	const struct catalog *c = in->catalog;

	if (*u->instance_type &&
	    fleet_rate(c, u->provider, u->region, u->zone, u->instance_type, u->gpu_model,
		       u->gpus_milli, "spot", in->fleet->currency, in->now_ms, ret) &&
	    ret->gpus_milli > 0 && u->gpus_milli % ret->gpus_milli == 0)
		return true;
	return *u->gpu_model &&
	       fleet_rate(c, u->provider, u->region, u->zone, NULL, u->gpu_model, u->gpus_milli,
			  "spot", in->fleet->currency, in->now_ms, ret) &&
	       ret->gpus_milli > 0 && u->gpus_milli % ret->gpus_milli == 0;
}

/* ---- replay ------------------------------------------------------------------------------ */

struct trial {
	struct rate rate;
	struct spot_job job;
	struct spot_outcome out;
	bool assumed_band;
	double price_lo, price_hi; /* of all machines and hour */
	double window_frac;        /* part of the run inside the window */
};

static void band_of(const struct rate *r, struct trial *t)
{
	int lo = r->interruption_lo_pct, hi = r->interruption_hi_pct;

	t->assumed_band = lo < 0;
	t->job.month_lo_pct = lo < 0 ? SPOT_UNKNOWN_BAND_LO_PCT : lo;
	t->job.month_hi_pct = lo < 0 || hi > SPOT_OPEN_BAND_HI_PCT ? SPOT_OPEN_BAND_HI_PCT : hi;
	if (t->job.month_lo_pct > t->job.month_hi_pct)
		t->job.month_lo_pct = t->job.month_hi_pct;
}

double spot_rate_hi(const struct lever_in *in, const struct rate *r)
{
	bool old = r->quality != QUALITY_MEASURED || r->as_of_ms == UNKNOWN_MS ||
		   in->now_ms - r->as_of_ms > SPOT_MOVE_OLD_DAYS * MS_DAY;

	return old ? SPOT_MOVE_HI_OLD : SPOT_MOVE_HI;
}

/* Today's price is the point; what it may become makes the range. */
static void price_of(const struct lever_in *in, const struct use *u, struct trial *t)
{
	double usd = (double)t->rate.nano_gpu_hour * 1e-9 * (double)u->gpus_milli / 1000;

	t->job.spot_usd_h = usd;
	t->price_lo = usd * SPOT_MOVE_LO;
	t->price_hi = usd * spot_rate_hi(in, &t->rate);
}

/* The range: the same runs once more, with the price drawn. */
static int replay_range(const struct spotter *s, uint64_t seed, struct trial *t, struct err *err)
{
	struct spot_job j = t->job;
	struct spot_outcome o;
	int r;

	j.spot_lo_usd_h = t->price_lo;
	j.spot_hi_usd_h = t->price_hi;
	r = spot_job_run(&j, s->draws, seed, &o, err);
	if (r >= 0) {
		t->out.usd_p05 = fmin(o.usd_p05, t->out.usd);
		t->out.usd_p95 = fmax(o.usd_p95, t->out.usd);
	}
	return r;
}

static bool replay(struct spotter *s, size_t i, bool checkpoints, struct trial *t)
{
	const struct lever_in *in = s->in;
	const struct work *w = &in->fleet->work.v[i];
	const struct use *u = &in->use[i];
	double inside_h = hours_of(use_ms(in->fleet, u)),
	       all_h = hours_of(u->end_ms - u->start_ms) * (1 - u->off_frac);
	struct err err;

	*t = (struct trial){ .window_frac = fmin(1, inside_h / all_h) };
	if (!spot_rate_of(in, u, &t->rate))
		return false;
	t->job = (struct spot_job){
		.work_h = all_h,
		.start_h = in->conf->boot_minutes / 60,
		.restart_h = (in->conf->restart_minutes + in->conf->boot_minutes) / 60,
		.stall_h = in->conf->checkpoint_stall_s / 3600,
		.deadline_h = INFINITY,
		.od_usd_h = (double)u->cost_nano * 1e-9 / inside_h,
		.machines = machines_of(in->fleet, i) *
			    (int)fmin(1000, (double)(u->gpus_milli / t->rate.gpus_milli)),
	};
	if (w->deadline_ms != UNKNOWN_MS)
		t->job.deadline_h = fmax(hours_of(w->deadline_ms - u->start_ms), 1e-3);
	band_of(&t->rate, t);
	price_of(in, u, t);
	if (checkpoints)
		t->job.every_h = spot_job_interval(&t->job);
	uint64_t seed = in->seed;
	for (const char *p = w->job; *p; p++)
		seed = (seed ^ (uint8_t)*p) * 0x100000001b3u;
	return spot_job_run(&t->job, s->draws, seed, &t->out, &err) >= 0 &&
	       replay_range(s, seed, t, &err) >= 0;
}

static bool pays(const struct trial *t)
{
	return t->out.usd <= t->out.od_usd * (1 - MIN_SAVING_FRAC);
}

/* ---- recommendations --------------------------------------------------------------------- */

static struct group *group_of(struct spotter *s, const struct work *w, const struct use *u,
			      bool checkpoints)
{
	const struct lever_in *in = s->in;
	const char *team = work_owner(w);

	for (size_t i = 0; i < s->group.n; i++) {
		struct group *g = &s->group.v[i];
		if (g->checkpoints == checkpoints && !strcmp(g->team, team) &&
		    !strcmp(g->model, u->gpu_model) && !strcmp(g->region, u->region) &&
		    !strcmp(g->provider, u->provider))
			return g;
	}
	struct rec_list own = { 0 };
	struct group *g = vec_push(&s->group);
	const char *place = *u->region ? u->region : u->provider;
	*g = (struct group){ .team = team,
			     .model = u->gpu_model,
			     .provider = u->provider,
			     .region = u->region,
			     .checkpoints = checkpoints };
	g->r = rec_new(in, &own, "spot",
		       arena_printf(in->mem, "%s-%s-%s%s", team, u->gpu_model, place,
				    checkpoints ? "" : "-from-zero"));
	vec_free(&own.v);
	return g;
}

static int64_t nano_of(double usd)
{
	return (int64_t)llround(fmin(usd, 9e9) * 1e9);
}

static void take(struct spotter *s, size_t i, bool checkpoints, const struct trial *t)
{
	const struct lever_in *in = s->in;
	const struct work *w = &in->fleet->work.v[i];
	const struct use *u = &in->use[i];
	struct group *g = group_of(s, w, u, checkpoints);
	struct rec_change *c = rec_change(in, g->r, (uint32_t)i);

	c->after.purchase = "spot";
	c->after.instance_type = t->rate.instance_type;
	c->after.cost_nano = nano_of(t->out.usd * t->window_frac);
	c->lo_nano = nano_of(t->out.usd_p05 * t->window_frac);
	c->hi_nano = nano_of(t->out.usd_p95 * t->window_frac);
	c->after.end_ms = u->end_ms + (int64_t)llround((t->out.hours - t->job.work_h) * MS_HOUR);
	if (!g->r->replay.jobs++) {
		g->rate = t->rate;
		g->band_lo = t->job.month_lo_pct;
		g->band_hi = t->job.month_hi_pct;
		g->price_lo = t->price_lo / ((double)u->gpus_milli / 1000);
		g->price_hi = t->price_hi / ((double)u->gpus_milli / 1000);
	}
	g->r->replay.interruptions += t->out.interruptions * t->window_frac;
	g->missed += 1 - t->out.finish_frac;
	g->lost_h += (t->out.lost_h + t->out.restart_h + t->out.stall_h) * (double)u->gpus_milli /
		     1000;
	g->every_sum_h += isfinite(t->job.every_h) && t->job.every_h > 0
				  ? fmin(t->job.every_h, t->job.work_h)
				  : 0;
	g->saved += (double)(u->cost_nano - c->after.cost_nano);
	g->before += (double)u->cost_nano;
	g->unknown_band += t->assumed_band;
	*(is_slurm(w) ? &g->slurm : &g->other) += 1;
}

static void miss_checkpoints(struct spotter *s, size_t i, bool known_not)
{
	const struct work *w = &s->in->fleet->work.v[i];
	struct lack *l = NULL;
	struct trial t;

	for (size_t k = 0; k < s->lack.n && !l; k++)
		l = !strcmp(s->lack.v[k].team, work_owner(w)) ? &s->lack.v[k] : NULL;
	if (!replay(s, i, true, &t) || !pays(&t))
		return;
	if (!l) {
		l = vec_push(&s->lack);
		*l = (struct lack){ .team = work_owner(w) };
	}
	l->jobs++;
	l->unknown += !known_not;
	l->cost += t.out.od_usd * t.window_frac;
	l->would += t.out.usd * t.window_frac;
}

static void look(struct spotter *s, size_t i)
{
	const struct lever_in *in = s->in;
	const struct work *w = &in->fleet->work.v[i];
	int resumes = said(in, w, true);
	struct trial t;

	if (!work_fills_machine(in->fleet, w) && in->use[i].instance_type == w->instance_type) {
		s->shared++;
		return;
	}
	if (!replay(s, i, resumes == 1, &t)) {
		s->unpriced++;
		return;
	}
	if (pays(&t) &&
	    (resumes == 1 ? t.out.finish_frac >= 1 - 1e-9 : t.out.finish_frac >= ZERO_IN_TIME_FRAC))
		take(s, i, resumes == 1, &t);
	else if (resumes == 1)
		s->dearer++;
	else
		miss_checkpoints(s, i, resumes == 0);
}

/* ---- words ------------------------------------------------------------------------------- */

static void how(const struct lever_in *in, struct group *g)
{
	const struct work *w = &in->fleet->work.v[g->r->change.v[0].work];
	double every_min = g->every_sum_h / (double)g->r->replay.jobs * 60;

	struct action *a = rec_action(g->r, ACTION_SUBMIT);
	a->which = work_habit(w);
	a->which.instance_type = raw_name(NULL);
	a->which.gpu_model = raw_name(g->model);
	a->submit = (struct action_submit){
		.change = SUBMIT_SPOT,
		.to = (g->slurm ? TO_SLURM : 0u) | (g->other ? TO_KUBERNETES : 0u),
		.now.spot = true,
		.provider = raw_name(g->provider),
		.checkpoint_min = g->checkpoints ? fmax(1, every_min) : 0,
	};
	rec_action(g->r, ACTION_TRIAL)->trial =
		(struct action_trial){ .how = TRIAL_SPOT,
				       .instance_type = raw_name(g->rate.instance_type),
				       .region = raw_name(g->region),
				       .checkpoints = g->checkpoints };
}

static void risks(const struct lever_in *in, const struct group *g)
{
	const struct rec_replay *p = &g->r->replay;

	rec_risk(
		in, g->r,
		"%.1f interruptions expected in %lld runs of the window; %.1f GPU-hours lost to them, restarts and checkpoints, paid in the figures.",
		p->interruptions, (long long)p->jobs, g->lost_h);
	if (g->checkpoints)
		rec_risk(
			in, g->r,
			"In time as long as on-demand machines are to be had: a run goes back to on demand when its deadline asks for it.");
	else
		rec_risk(
			in, g->r,
			"No checkpoints: an interrupted run starts from zero. %.2f of %lld runs expected late.",
			g->missed, (long long)p->jobs);
	if (g->unknown_band)
		rec_risk(
			in, g->r,
			"How often this machine is interrupted is not known: %d to %d %% a month is assumed.",
			SPOT_UNKNOWN_BAND_LO_PCT, SPOT_OPEN_BAND_HI_PCT);
	else if (g->rate.interruption_hi_pct > SPOT_OPEN_BAND_HI_PCT)
		rec_risk(
			in, g->r,
			"The provider says more than %d %% interruptions a month and no upper end: up to %d %% is taken.",
			g->rate.interruption_lo_pct, SPOT_OPEN_BAND_HI_PCT);
}

static void prove(struct spotter *s, struct group *g)
{
	const struct lever_in *in = s->in;

	rec_evidence(in, g->r, QUALITY_MEASURED, "jobs on demand", "", "job list", "%lld",
		     (long long)g->r->replay.jobs);
	rec_evidence(in, g->r, g->unknown_band ? QUALITY_ASSUMED : QUALITY_ESTIMATED,
		     "interruptions", "%/month", g->unknown_band ? "assumed" : g->rate.source,
		     "%.0f..%.0f", g->band_lo, g->band_hi);
	rec_evidence(in, g->r, g->rate.quality, "spot price now", "$/GPU-hour",
		     lever_rate_source(in, &g->rate), "%.4f", (double)g->rate.nano_gpu_hour * 1e-9);
	rec_evidence(in, g->r, QUALITY_ESTIMATED, "spot price in the range", "$/GPU-hour",
		     "moves of recorded spot prices", "%.4f..%.4f", g->price_lo, g->price_hi);
	rec_evidence(in, g->r, QUALITY_ESTIMATED, "interruptions in replay", "", "replay", "%.2f",
		     g->r->replay.interruptions);
	rec_evidence(in, g->r, QUALITY_ESTIMATED, "runs late in replay, expected", "", "replay",
		     "%.2f", g->missed);
	if (g->checkpoints)
		rec_evidence(in, g->r, QUALITY_ESTIMATED, "checkpoint every, mean", "min", "replay",
			     "%.0f", g->every_sum_h / (double)g->r->replay.jobs * 60);
}

static void tell(struct spotter *s, struct group *g, struct rec_list *out)
{
	const struct lever_in *in = s->in;
	struct rec *r = g->r;

	r->title = arena_printf(in->mem, "%s: %lld job%s on %s to spot%s", g->team,
				(long long)r->replay.jobs, r->replay.jobs == 1 ? "" : "s", g->model,
				g->checkpoints ? "" : ", from zero when interrupted");
	r->team = g->team;
	r->risk = RISK_MEDIUM;
	r->effort_days = g->checkpoints ? 1 : 0.5;
	r->within_days = 2;
	r->confidence_frac = g->unknown_band                       ? 0.6
			     : g->rate.quality == QUALITY_MEASURED ? 0.9
								   : 0.8;
	r->replay.deadline_misses = llround(g->missed);
	rec_subject(in, r, "team", g->team);
	rec_subject(in, r, "gpu_model", g->model);
	rec_subject(in, r, "region", g->region);
	prove(s, g);
	risks(in, g);
	how(in, g);
	rec_risk_by_misses(r);
	*vec_push(&out->v) = r;
}

static void tell_lack(struct spotter *s, const struct lack *l, struct rec_list *out)
{
	const struct lever_in *in = s->in;
	struct rec *r = rec_new(in, out, "spot", arena_printf(in->mem, "checkpoints-%s", l->team));
	double month = in->conf->month_hours / hours_of(in->fleet->until_ms - in->fleet->since_ms);

	r->prepares = true;
	r->title = arena_printf(in->mem, "%s: add checkpoints to %lld job%s", l->team,
				(long long)l->jobs, l->jobs == 1 ? "" : "s");
	r->team = l->team;
	r->risk = RISK_LOW;
	r->effort_days = 3;
	r->within_days = 7;
	r->replay.jobs = l->jobs;
	r->confidence_frac = 1; /* that it saves nothing by itself */
	rec_subject(in, r, "team", l->team);
	rec_evidence(in, r, QUALITY_MEASURED, "jobs without evidence of checkpoints", "",
		     "job list", "%lld", (long long)l->jobs);
	rec_evidence(in, r, QUALITY_MEASURED, "of these, nobody has said", "", "job list", "%lld",
		     (long long)l->unknown);
	rec_evidence(in, r, QUALITY_ESTIMATED, "saving on spot once they resume", "$/month",
		     "replay", "%.0f", (l->cost - l->would) * month);
	rec_risk(
		in, r,
		"Saves nothing by itself; \"move to spot\" needs it. A job counts as soon as its manifests, a rule or its owner says that it resumes.");
	rec_action(r, ACTION_CHECKPOINTS)->which.team = raw_name(l->team);
}

static void note(const struct spotter *s)
{
	if (s->shared)
		plan_note(
			s->in,
			"spot: a machine is moved as a whole; left alone for holding a part of one: %lld job%s.",
			(long long)s->shared, s->shared == 1 ? "" : "s");
	if (s->unpriced)
		plan_note(
			s->in,
			"spot: no spot price is known for the machines of %lld job%s; `tare price update` or `tare import --as prices` brings some.",
			(long long)s->unpriced, s->unpriced == 1 ? "" : "s");
	if (s->dearer)
		plan_note(s->in,
			  "spot: not cheaper there, or not in time: %lld job%s that can resume.",
			  (long long)s->dearer, s->dearer == 1 ? "" : "s");
}

int lever_spot_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct spotter s = { .in = in };
	size_t n = 0;

	(void)err;
	for (size_t i = 0; i < in->fleet->work.n; i++)
		n += is_candidate(in, i);
	s.draws = n ? (int)fmin(DRAWS_MAX, fmax(DRAWS_MIN, (double)DRAWS_ALL / (double)n))
		    : DRAWS_MIN;
	for (size_t i = 0; i < in->fleet->work.n; i++)
		if (is_candidate(in, i))
			look(&s, i);
	for (size_t i = 0; i < s.lack.n; i++)
		tell_lack(&s, &s.lack.v[i], out);
	for (size_t i = 0; i < s.group.n; i++)
		tell(&s, &s.group.v[i], out);
	spot_serve_propose(in, out);
	note(&s);
	vec_free(&s.group);
	vec_free(&s.lack);
	return 0;
}
