/*
 * Back-test: the plan made from the first half of the history, with the prices of its end, scored
 * on the second half. The same recommendations (by id: lever and subject) are applied to the second
 * half in plan order, whatever their risk and size; what they save there is the outcome. A subject
 * that is no more is an outcome of nothing. An outcome is within where the predicted range of the
 * first half holds it; the share of these is the calibration. Machines that were not watched in the
 * second half tell nothing: that is no outcome, and unknown is not 0.
 *
 * A commitment is scored at what the second half would have had it cover; only the rest of the
 * rules are applied as they were found.
 */
#include <errno.h>
#include <math.h>
#include "base/num.h"
#include "base/tm.h"
#include "plan/replay/compose.h"

struct halves {
	struct fleet first, second;
};

static int halve_window(const struct fleet *f, struct halves *h, struct err *err)
{
	int64_t since = f->since_ms, until = f->until_ms;
	int64_t mid = tm_floor(since + (until - since) / 2, MS_DAY);
	int64_t weeks = (tm_floor(until, MS_DAY) - since) / (7 * MS_DAY);

	/* Where there are two weeks, both halves have whole ones, the first the odd one: a half
	 * with a weekend more is another fleet. The days before them, fewer than seven, and a day
	 * that has not ended are left out. */
	if (weeks >= 2) {
		until = tm_floor(until, MS_DAY);
		mid = until - weeks / 2 * 7 * MS_DAY;
		since = until - weeks * 7 * MS_DAY;
	}
	if (mid - since < MS_DAY || until - mid < MS_DAY) {
		err_set(err, -ENODATA,
			"%.1f days of history are too few to plan on one half and score on the other",
			(double)(f->until_ms - f->since_ms) / (double)MS_DAY);
		err_hint(err, "import at least two days, better several weeks");
		return -ENODATA;
	}
	fleet_slice(f, since, mid, &h->first);
	fleet_slice(f, mid, until, &h->second);
	return 0;
}

/* What a recommendation saved over the second half, taken or (because it saves nothing there)
 * not. */
static const struct rec *find_rec(const struct plan *p, const char *id)
{
	for (size_t i = 0; i < p->rec.v.n; i++)
		if (!strcmp(p->rec.v.v[i]->id, id))
			return p->rec.v.v[i];
	for (size_t i = 0; i < p->refused.v.n; i++)
		if (!strcmp(p->refused.v.v[i]->id, id))
			return p->refused.v.v[i];
	return NULL;
}

static bool stops_machines(const struct rec *r)
{
	for (size_t i = 0; i < r->action.n; i++)
		if (r->action.v[i].kind == ACTION_STOP)
			return !strcmp(r->lever, "stop_idle");
	return false;
}

static bool is_named(const struct intern *node, const struct workload *w)
{
	return *w->node && intern_find(node, sv_of(w->node)) >= 0;
}

/* What the recommendations of a list that stop machines save by those of these names. Whether a
 * stop is Ready hangs on the days that a half has, and with it the id: what was Ready is to be so
 * again, what was to be tried may be either. False: none of them is stopped. */
static bool add_stopped(const struct fleet *f, const struct rec_list *list,
			const struct intern *node, enum tier tier, int64_t *nano)
{
	bool found = false;

	for (size_t i = 0; i < list->v.n; i++) {
		const struct rec *r = list->v.v[i];
		if (!stops_machines(r) || r->tier > tier)
			continue;
		for (size_t k = 0; k < r->change.n; k++) {
			const struct workload *w = &f->workload.v[r->change.v[k].workload];
			if (!is_named(node, w))
				continue;
			*nano += w->cost_nano - r->change.v[k].after.cost_nano;
			found = true;
		}
	}
	return found;
}

/* What part of the time of these machines was watched; 1: they are no more. */
static double watched_part(const struct fleet *f, const struct intern *node)
{
	int64_t all_ms = 0, dark_ms = 0;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (!is_named(node, w))
			continue;
		all_ms += w->ms;
		dark_ms += w->kind == WORKLOAD_UNKNOWN ? w->ms : 0;
	}
	if (!all_ms)
		return 1;
	return 1 - (double)dark_ms / (double)all_ms;
}

/* What came of r in the second half, over its window, judged on what was watched; false: nobody
 * knows. */
static bool find_outcome(const struct halves *h, const struct rec *r, const struct plan *after,
			 double asked_part, int64_t *ret_nano)
{
	const struct rec *again = find_rec(after, r->id);
	struct intern node = { 0 };
	int64_t nano = 0;
	bool found = again != NULL;

	for (size_t i = 0; i < r->change.n; i++)
		intern_add(&node, sv_of(h->first.workload.v[r->change.v[i].workload].node));
	double part = watched_part(&h->second, &node);
	if (stops_machines(r)) {
		found = add_stopped(&h->second, &after->rec, &node, r->tier, &nano);
		found |= add_stopped(&h->second, &after->refused, &node, r->tier, &nano);
		if (part > 0)
			nano = llround((double)nano / part);
	} else if (again) {
		nano = again->saving_nano;
	}
	intern_free(&node);
	*ret_nano = nano;
	return found || part >= asked_part;
}

/* Days of the half up to where it is told of: it cannot show a longer time that nobody held. */
static double told_days(const struct fleet *f)
{
	int64_t to_ms = f->since_ms;

	for (size_t i = 0; i < f->workload.n; i++)
		if (f->workload.v[i].kind == WORKLOAD_FREE)
			to_ms = max_i64(to_ms, fleet_told_until(f, &f->workload.v[i]));
	return (double)(to_ms - f->since_ms) / (double)MS_DAY;
}

static void score_plan(const struct halves *h, const struct plan *plan, const struct plan *after,
		       double watched_frac, struct arena *mem, struct backtest *ret)
{
	for (size_t i = 0; i < plan->rec.v.n; i++) {
		const struct rec *r = plan->rec.v.v[i];
		if (r->prepares) /* nothing was foretold that could come true */
			continue;
		int64_t came_nano = 0;
		bool known = find_outcome(h, r, after, watched_frac, &came_nano);
		struct backtest_row row = { .id = arena_printf(mem, "%s", r->id),
					    .lever = r->lever,
					    .title = arena_printf(mem, "%s", r->title),
					    .predicted_month = plan->saving_month.v[i],
					    .p05_month = plan->p05_month.v[i],
					    .p95_month = plan->p95_month.v[i],
					    .realised_month = plan_month(after, came_nano),
					    .known = known };

		/* To a ten-thousandth of what was predicted: what is surely the same every month
		 * differs in its last digits. */
		dec slack = (row.predicted_month < 0 ? -row.predicted_month : row.predicted_month) /
			    10000;
		row.within = row.realised_month >= row.p05_month - slack &&
			     row.realised_month <= row.p95_month + slack;

		*vec_push(&ret->row) = row;
		if (!known) {
			ret->unknown++;
			continue;
		}
		ret->predicted_month += row.predicted_month;
		ret->realised_month += row.realised_month;
		ret->outcomes++;
		ret->within += row.within;
	}
}

int plan_backtest(const struct plan_in *in, struct arena *mem, struct backtest *ret,
		  struct err *err)
{
	struct plan_in half = *in;
	struct halves h = { 0 };
	struct plan plan = { 0 }, after = { 0 };
	int r = halve_window(in->fleet, &h, err);

	*ret = (struct backtest){ 0 };
	half.fleet = &h.first;
	half.now_ms = h.first.until_ms;
	if (r >= 0)
		r = plan_make(&half, &plan, err);
	if (r >= 0 && plan.undecidable)
		r = err_set(err, -ENODATA, "the first half of the history decides nothing: %s",
			    plan.note.n ? plan.note.v[0] : "no plan");
	if (r >= 0 && plan.rec.v.n) {
		/* The rules of the first half on the second. */
		struct plan_opt rules = *in->opt;

		/* What it takes to propose was asked of the first half; of the second, which only
		 * scores, as many runs and weeks are not asked again: a proposal not made there
		 * would count as one that failed. */
		struct plan_conf lenient = *in->conf;
		struct plan_gates *g = &lenient.gates;

		g->trim_trial_runs = g->count_trial_runs = g->gpu_runs = g->spot_runs =
			g->region_runs = g->memory_few_runs = 1;
		g->gpu_weeks = g->spot_market_weeks = g->replicas_trial_weeks = g->share_weeks =
			g->schedule_trial_weeks = g->commit_half_weeks = 0;
		g->stop_ready_days = fmin(g->stop_ready_days, told_days(&h.second));
		g->stop_trial_days = fmin(g->stop_trial_days, told_days(&h.second));

		VEC(const char *) id = { 0 };
		for (size_t i = 0; i < plan.rec.v.n; i++)
			*vec_push(&id) = plan.rec.v.v[i]->id;
		rules.only = id.v;
		rules.nonly = id.n;
		rules.max_risk = RISK_HIGH;
		rules.max_effort_days = INFINITY;
		rules.min_saving_nano_month = 0;
		rules.ndismissed = 0;
		half.fleet = &h.second;
		half.conf = &lenient;
		half.opt = &rules;
		half.now_ms = min_i64(h.second.until_ms, in->now_ms);
		r = plan_make(&half, &after, err);
		vec_free(&id);
		if (r >= 0)
			score_plan(&h, &plan, &after, in->conf->gates.stop_watched_frac, mem, ret);
	}
	plan_free(&plan);
	plan_free(&after);
	fleet_free(&h.first);
	fleet_free(&h.second);
	return r;
}
