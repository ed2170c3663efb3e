/*
 * Book the time that is used: a habit that holds its GPUs after the last work until its limit gets
 * a limit of its longest run and head-room (plan.gates): with many runs over weeks that is Ready,
 * with few to try first. A limit kills, so the longest run of all counts and no percentile; what
 * was not watched counts as used; and a limit that would not be shorter is none.
 */
#include <math.h>

#include "base/tm.h"
#include "model/job_end.h"
#include "plan/levers.h"
#include "plan/proof/settle.h"
#include "plan/workload.h"

#define STEP_MS        (5 * MS_MINUTE)
#define WORTH_FRAC     0.05 /* of what the habit costs: less is no over-booking */
#define BOOKED_AS_USED "booked hardly beyond the longest run and head-room"
#define END_THEMSELVES "that end by themselves long before their limit"
#define STAYS_PAID                                                                  \
	"that hold GPUs after their last work, on machines that stay paid without " \
	"them: it saves once these are given back (stop_idle)"

/* The least that a run of it may have now, with what levers before have set and how much longer
 * they made it. */
static int64_t limit_now(const struct lever_in *in, const struct habit_runs *h)
{
	int64_t least = UNKNOWN_MS;

	for (size_t i = 0; i < h->workload.n; i++) {
		int64_t limit = in->use[h->workload.v[i]].limit_ms;
		if (limit == UNKNOWN_MS)
			return UNKNOWN_MS;
		if (least == UNKNOWN_MS || limit < least)
			least = limit;
	}
	return least;
}

/* Its last attempt begins, as the plan runs it. */
static int64_t last_start(const struct workload *w, const struct use *u)
{
	int64_t before = workload_last_start_ms(w) - w->start_ms;

	if (u->end_ms - u->start_ms <= before)
		return u->start_ms;
	return u->start_ms + before;
}

/* What it costs when it ends then: by its hours where it is as it was, else by time. */
static int64_t cost_until(const struct lever_in *in, size_t i, int64_t end_ms)
{
	const struct workload *w = &in->fleet->workload.v[i];
	const struct use *u = &in->use[i];

	if (use_is_history(w, u) && u->end_ms == w->end_ms && u->start_ms == w->start_ms)
		return use_scaled(u, workload_cost_before(in->fleet, w, end_ms), w->cost_nano);
	int64_t held = u->end_ms - u->start_ms - use_between_ms(w, u);
	double over = settle_overhead(in->conf, held) - 1, run = (double)held,
	       now = (double)(held - (u->end_ms - end_ms));
	return (int64_t)((double)u->cost_nano * (now + over * run) / (run * (1 + over)));
}

static void tell_limit(const struct lever_in *in, struct rec *r, const struct habit_runs *h,
		       int64_t limit, int64_t had, double factor)
{
	const struct workload *w = h->first;

	r->title = arena_printf(in->mem, "%s: book %.3g h, not %.3g h", habit_title(h),
				hours_of(limit), hours_of(had));
	r->team = w->team;
	r->effort_days = 1;
	r->within_days = 1;
	r->confidence_frac = r->tier == TIER_SURE ? 0.95 : 0.85;
	rec_subject(in, r, "team", w->team);
	rec_subject(in, r, "user", h->level == HABIT_USER ? w->user : "");
	rec_subject(in, r, "workload", h->level <= HABIT_NAME ? w->workload : "");
	rec_subject(in, r, "cluster", w->cluster);
	rec_subject(in, r, "name", h->name);
	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_MEASURED, "runs of this habit", .source = "job list" },
		"%zu in %.1f weeks", h->runs, h->weeks);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "last work after the start, longest run",
					.unit = "h", .source = "telemetry" },
		     "%.2f", hours_of(h->longest_ms));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "booked, least", .unit = "h",
					.source = "job list" },
		     "%.2f", hours_of(had));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ASSUMED, "limit, of the longest run",
					.source = "plan.gates" },
		     "%.2f", factor);
	struct action *a = rec_action(r, ACTION_SUBMIT);
	a->which = habit_of(h);
	a->submit = (struct action_submit){ .change = SUBMIT_LIMIT,
					    .to = habit_submits_to(in->fleet, h),
					    .was.limit_ms = had,
					    .now.limit_ms = limit };
	rec_risk(in, r,
		 "A run that takes more than %.3g h is stopped; the longest of %zu took %.3g h.",
		 hours_of(limit), h->runs, hours_of(h->longest_ms));
}

/* Why its limit stays; NULL: it may be cut to this one. */
static const char *why_not(const struct lever_in *in, const struct habit_runs *h, int64_t had,
			   int64_t limit)
{
	bool saves = false;

	if (h->runs < 2)
		return "run once";
	if (h->is_over)
		return "of a kind that seems to be over";
	if (h->watched_frac < in->conf->gates.watched_frac || h->longest_ms <= 0)
		return "not watched to the end (plan.gates.watched_frac)";
	for (size_t i = 0; i < h->workload.n; i++) {
		const struct use *u = &in->use[h->workload.v[i]];
		if (workload_is_frozen(in, &in->fleet->workload.v[h->workload.v[i]], "trim_time"))
			return "left alone by the settings, or not to be given back";
		saves |= u->end_ms > u->start_ms && u->cost_nano > 0;
	}
	if (!saves)
		return "without a cost";
	if (had == UNKNOWN_MS)
		return "without a limit in the job list (limit_s)";
	if (limit >= had)
		return BOOKED_AS_USED;
	return NULL;
}

/* Why it is not worth it. A machine that stays on costs the same when it is free. */
static const char *why_not_worth(const struct lever_in *in, const struct rec *r, int64_t had,
				 int64_t limit)
{
	double held = 0, freed = 0;

	if ((double)(had - limit) < (double)had * WORTH_FRAC)
		return BOOKED_AS_USED;
	for (size_t i = 0; i < r->change.n; i++) {
		const struct rec_change *c = &r->change.v[i];
		const struct use *u = &in->use[c->workload];
		if (in->fleet->workload.v[c->workload].kind == WORKLOAD_FREE)
			continue;
		held += (double)(u->end_ms - u->start_ms);
		freed += (double)(u->end_ms - c->after.end_ms);
	}
	if (freed > held * WORTH_FRAC)
		return STAYS_PAID;
	return END_THEMSELVES;
}

/* A coarser habit has the same runs again. */
static void leave_habit(const struct lever_in *in, const struct habit_runs *h, const char *why)
{
	if (h->level == HABIT_USER)
		lever_left(in, "runs", why, h->runs);
}

static void propose_habit(const struct lever_in *in, struct rec_list *out, struct settle *s,
			  const struct habit_runs *h)
{
	size_t runs = 0;
	double slowdown = 1;

	for (size_t i = 0; i < h->workload.n; i++) {
		const struct workload *w = &in->fleet->workload.v[h->workload.v[i]], *before = NULL;
		if (i)
			before = &in->fleet->workload.v[h->workload.v[i - 1]];
		/* a run that failed or was cancelled does not tell how long one takes that does
		 * not */
		bool tells = workload_completed(w) || !*w->end_state ||
			     job_end_of(sv_of(w->end_state)) == JOB_END_TIMEOUT;
		runs += tells && !(before && *w->job && before->job == w->job);
		slowdown = fmax(slowdown, in->use[h->workload.v[i]].slowdown);
	}
	const struct plan_gates *g = &in->conf->gates;
	bool sure = (double)runs >= g->trim_ready_runs && h->weeks >= g->trim_ready_weeks;
	enum tier tier = TIER_TRIAL;
	double factor = g->trim_trial_factor;
	if (sure) {
		tier = TIER_SURE;
		factor = g->trim_ready_factor;
	}
	int64_t had = limit_now(in, h),
		limit = (int64_t)ceil((double)h->longest_ms * slowdown * factor / STEP_MS) *
			STEP_MS;
	struct rec_list probe = { 0 };

	const char *why = why_not(in, h, had, limit);
	if (why) {
		leave_habit(in, h, why);
		return;
	}
	struct rec *r = rec_new(in, &probe, "trim_time", habit_id(in->mem, h));
	vec_free(&probe.v);
	rec_tier(r, tier);
	for (size_t i = 0; i < h->workload.n; i++) {
		uint32_t k = h->workload.v[i];
		const struct use *u = &in->use[k];
		struct rec_change *c = rec_change(in, r, k);
		c->after.limit_ms = limit;
		/* it is of each attempt, and those before the last were shorter */
		int64_t last_ms = last_start(&in->fleet->workload.v[k], u);
		if (last_ms + limit >= u->end_ms)
			continue;
		c->after.end_ms = last_ms + limit;
		c->after.cost_nano = cost_until(in, k, c->after.end_ms);
	}
	r->replay.jobs = (int64_t)h->runs;
	settle(s, r, false);

	double all = 0, saved = 0;

	for (size_t i = 0; i < r->change.n; i++) {
		const struct rec_change *c = &r->change.v[i];
		all += (double)in->use[c->workload].cost_nano;
		saved += (double)(in->use[c->workload].cost_nano - c->after.cost_nano);
	}
	if (!(saved >= all * WORTH_FRAC)) {
		leave_habit(in, h, why_not_worth(in, r, had, limit));
		rec_free(r);
		return;
	}
	if ((double)runs < in->conf->gates.trim_trial_runs)
		r->not_yet = arena_printf(
			in->mem, "not yet: %zu runs that ended well are too few, %g are the least",
			runs, in->conf->gates.trim_trial_runs);
	tell_limit(in, r, h, limit, had, factor);
	*vec_push(&out->v) = r;
}

int lever_trim_time_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct settle *s = settle_new(in);

	(void)err;
	for (size_t i = 0; i < in->habits->v.n; i++)
		propose_habit(in, out, s, &in->habits->v.v[i]);
	settle_free(s);
	return 0;
}
