/*
 * Back-test: the plan made from the first half of the history, with the prices of its end, scored
 * on the second half. The same recommendations (by id: lever and subject) are applied to the second
 * half in plan order, whatever their risk and size; what they save there is the outcome. A subject
 * that is no more is an outcome of nothing. An outcome is within where the predicted range of the
 * first half holds it; the share of these is the calibration.
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

static int halve(const struct fleet *f, struct halves *h, struct err *err)
{
	int64_t mid = tm_floor(f->since_ms + (f->until_ms - f->since_ms) / 2, MS_DAY);

	if (mid - f->since_ms < MS_DAY || f->until_ms - mid < MS_DAY) {
		err_set(err, -ENODATA,
			"%.1f days of history are too few to plan on one half and score on the other",
			(double)(f->until_ms - f->since_ms) / (double)MS_DAY);
		err_hint(err, "import at least two days, better several weeks");
		return -ENODATA;
	}
	fleet_slice(f, f->since_ms, mid, &h->first);
	fleet_slice(f, mid, f->until_ms, &h->second);
	return 0;
}

/* What a recommendation saved over the second half, taken or (because it saves nothing there)
 * not. */
static int64_t realised(const struct plan *p, const char *id)
{
	for (size_t i = 0; i < p->rec.v.n; i++)
		if (!strcmp(p->rec.v.v[i]->id, id))
			return p->rec.v.v[i]->saving_nano;
	for (size_t i = 0; i < p->refused.v.n; i++)
		if (!strcmp(p->refused.v.v[i]->id, id))
			return p->refused.v.v[i]->saving_nano;
	return 0;
}

static void score(const struct plan *plan, const struct plan *after, struct arena *mem,
		  struct backtest *ret)
{
	for (size_t i = 0; i < plan->rec.v.n; i++) {
		const struct rec *r = plan->rec.v.v[i];
		if (r->prepares) /* nothing was foretold that could come true */
			continue;
		struct backtest_row row = { .id = arena_printf(mem, "%s", r->id),
					    .lever = r->lever,
					    .title = arena_printf(mem, "%s", r->title),
					    .predicted_month = plan->saving_month.v[i],
					    .p05_month = plan->p05_month.v[i],
					    .p95_month = plan->p95_month.v[i],
					    .realised_month = plan_month(after,
									 realised(after, r->id)) };

		/* To a ten-thousandth of what was predicted: what is surely the same every month
		 * differs in its last digits. */
		dec slack = (row.predicted_month < 0 ? -row.predicted_month : row.predicted_month) /
			    10000;
		row.within = row.realised_month >= row.p05_month - slack &&
			     row.realised_month <= row.p95_month + slack;

		ret->predicted_month += row.predicted_month;
		ret->realised_month += row.realised_month;
		ret->outcomes++;
		ret->within += row.within;
		*vec_push(&ret->row) = row;
	}
}

int plan_backtest(const struct plan_in *in, struct arena *mem, struct backtest *ret,
		  struct err *err)
{
	struct plan_in half = *in;
	struct halves h = { 0 };
	struct plan plan = { 0 }, after = { 0 };
	int r = halve(in->fleet, &h, err);

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
			score(&plan, &after, mem, ret);
	}
	plan_free(&plan);
	plan_free(&after);
	fleet_free(&h.first);
	fleet_free(&h.second);
	return r;
}
