#include "answer/plan/plan.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "answer/opens.h"
#include "answer/stored_prices.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/alone/level.h"
#include "plan/fleet/fleet_sources.h"
#include "plan/levers.h"

/* of today's cost: a hundred of 200,000 dollars a month; a day of work for less is no plan */
#define MIN_SAVING_FRAC 0.0005

const char *plan_owner(const struct rec *r)
{
	return filled_or(r->team, "platform");
}

static size_t place_in(const struct rec_list *l, const char *id)
{
	for (size_t i = 0; i < l->v.n; i++)
		if (!strcmp(l->v.v[i]->id, id))
			return i;
	return SIZE_MAX;
}

size_t plan_place(const struct plan *p, const char *id)
{
	return place_in(&p->rec, id);
}

size_t plan_advice_place(const struct plan *p, const char *id)
{
	return place_in(&p->advice, id);
}

size_t plan_refused_place(const struct plan *p, const char *id)
{
	return place_in(&p->refused, id);
}

/* ---- the history ------------------------------------------------------------------------- */

static int load_fleet(const struct plan_ask *q, struct plan_answer *ret, struct err *err)
{
	struct fleet_opt o = { .conf = q->ask.conf,
			       .catalog = q->catalog,
			       .since_ms = q->asked.since_ms,
			       .until_ms = q->asked.until_ms,
			       .deadline_slack_frac = q->conf->deadline_slack_frac,
			       .progress = q->progress,
			       .progress_ctx = q->ctx };
	const char *dir = store_dir(q->ask.store);
	int r = plan_marks_read(dir, q->ask.mem, &ret->mark, err);

	if (r >= 0)
		r = trial_records_read(dir, q->ask.mem, &ret->trials, err);
	if (r >= 0)
		r = stored_prices_add(q->ask.store, q->catalog, q->ask.mem, err);
	if (r >= 0)
		r = own_speeds_load(dir, q->catalog, &ret->own, err);
	if (r >= 0)
		r = drills_load(dir, &ret->drills, err);
	if (r < 0)
		return r;
	ret->conf = *q->conf;
	ret->conf.own = &ret->own;

	/* What was tried and came to go; a later no go counts. */
	const struct trial_records *all = &ret->trials;
	const char **tried = arena_alloc(q->ask.mem, (all->n + 1) * sizeof *tried);

	ret->conf.tried = tried;
	for (size_t i = 0; i < all->n; i++) {
		const struct trial_record *record = &all->v[i];
		if (record->verdict == TRIAL_GO && trial_record_of(all, record->id) == record)
			tried[ret->conf.ntried++] = record->id;
	}

	r = fleet_load_known(q->ask.store, &o, &ret->fleet, err);
	ret->has_fleet = r >= 0;
	if (r < 0)
		return r;
	plan_apply_rules(&ret->conf, &ret->fleet);
	plan_apply_drills(&ret->conf, &ret->drills, q->ask.now_ms, &ret->fleet);
	level_make(&ret->fleet, &ret->conf);
	return r;
}

/* ---- the plan ---------------------------------------------------------------------------- */

static int make_plan(const struct plan_ask *q, struct plan_answer *ret, struct err *err)
{
	int r = load_fleet(q, ret, err);

	if (r < 0)
		return r;

	/* What is worth proposing, and what people do not want to hear of again. */
	const struct fleet *f = &ret->fleet;
	const char **dismissed = arena_alloc(q->ask.mem, (ret->mark.n + 1) * sizeof *dismissed);
	size_t n = 0;

	ret->opt = q->want.opt;
	ret->opt.watch = q->watch;
	if (!q->want.least_given && f->until_ms > f->since_ms && f->cost_nano > 0)
		ret->opt.min_saving_nano_month = (int64_t)((double)f->cost_nano * MIN_SAVING_FRAC *
							   ret->conf.month_hours * MS_HOUR /
							   (double)fleet_span_ms(f));
	for (size_t i = 0; i < ret->mark.n; i++)
		if (ret->mark.v[i].word == PLAN_DISMISSED && !ret->mark.v[i].said)
			dismissed[n++] = ret->mark.v[i].id;
	ret->opt.dismissed = dismissed;
	ret->opt.ndismissed = n;

	struct plan_in in = { levers, f, q->catalog, &ret->conf, &ret->opt, q->ask.now_ms };
	if (isnan(q->want.target_frac))
		r = plan_make(&in, &ret->plan, err);
	else {
		struct target t = { 0 };
		in.within_days = (double)q->want.within_ms / MS_DAY;
		r = plan_target(&in, q->want.target_frac, &ret->plan, &t, err);
		if (r >= 0) {
			ret->reached_frac = t.saved_frac;
			ret->most_frac = t.most_frac;
			ret->soonest_day = t.soonest_day;
			ret->chance_frac = t.chance;
			ret->reached = t.reached;
			memcpy(ret->limit_adds_frac, t.adds_frac, sizeof t.adds_frac);
			ret->limits_add_frac = t.all_add_frac;
			target_free(&t);
		}
	}
	if (r >= 0 && f->workload.n) {
		if (q->watch.told)
			q->watch.told(q->watch.ctx, "plan: what was observed", "", 0, 0);
		plan_findings(f, &ret->conf, q->catalog, q->ask.now_ms, &ret->plan);
	}
	ret->has_plan = r >= 0;
	return r;
}

static void end_watch(const struct plan_ask *q)
{
	if (q->progress)
		q->progress(q->ctx, NULL, 0);
}

int answer_plan(const struct plan_ask *q, struct plan_answer *ret, struct err *err)
{
	int r;

	*ret = (struct plan_answer){ 0 };
	r = make_plan(q, ret, err);
	end_watch(q);
	if (r < 0)
		return r;

	/* Advice that people do not want to see, as long as it says the same. */
	struct plan *p = &ret->plan;
	size_t kept = 0;

	for (size_t i = 0; i < p->advice.v.n; i++) {
		struct rec *x = p->advice.v.v[i];
		const struct plan_said now = plan_said_of(p, x, q->ask.mem);
		if (!plan_marks_hide(&ret->mark, &now)) {
			p->advice.v.v[kept++] = x;
			continue;
		}
		*vec_push(&p->refused.v) = x;
		*vec_push(&p->refused_why) = "dismissed";
	}
	p->advice.v.n = kept;

	struct plan_date *at;
	int64_t now = q->ask.now_ms;

	ret->nstep = ret->plan.rec.v.n;
	at = arena_alloc(q->ask.mem, (ret->nstep + 1) * sizeof *at);
	ret->step = arena_alloc(q->ask.mem, (ret->nstep + 1) * sizeof *ret->step);
	plan_calendar(&ret->plan, at);
	for (size_t i = 0; i < ret->nstep; i++)
		ret->step[i] = (struct plan_step){ at[i].rec,
						   now + (int64_t)(at[i].start_day * MS_DAY),
						   now + (int64_t)(at[i].done_day * MS_DAY),
						   plan_owner(ret->plan.rec.v.v[at[i].rec]) };
	double work_day = ret->conf.work_day_usd * fleet_usd(&ret->fleet, now);
	plan_weeks(&ret->plan, work_day, ret->week);
	plan_months(&ret->plan, work_day, ret->month);
	r = answer_plan_energy(q->ask.conf, q->catalog, &ret->plan, q->ask.mem, &ret->energy, err);
	if (r < 0)
		return r;

	/* Where nothing is proposed: the one file more that would open most. */
	struct opens o;
	r = 0;

	if (!p->rec.v.n)
		r = answer_opens(q->ask.store, q->ask.mem, &o, err);
	if (r < 0 || p->rec.v.n || !o.nnext)
		return r;
	*vec_push(&p->note) = arena_printf(&p->mem, "one file more that would open most: %s: %s",
					   o.next[0].file, o.next[0].what);
	return 0;
}

int answer_plan_backtest(const struct plan_ask *q, const struct plan_answer *a,
			 struct backtest *ret, struct err *err)
{
	struct plan_in in = { levers, &a->fleet, q->catalog, &a->conf, &a->opt, q->ask.now_ms };
	int r = plan_backtest(&in, q->ask.mem, ret, err);

	end_watch(q);
	return r;
}

void plan_answer_free(struct plan_answer *a)
{
	if (a->has_plan)
		plan_free(&a->plan);
	if (a->has_fleet)
		fleet_free(&a->fleet);
	own_speeds_free(&a->own);
	drills_free(&a->drills);
}
