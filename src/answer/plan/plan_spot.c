#include "answer/plan/plan_spot.h"
#include "base/num.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/plan/plan_spot_in.h"
#include "model/known.h"

#define MISS_FRAC 0.01 /* later than this often is late */
#define SEARCHED  6    /* up to so many places are tried at every position of the order */
/* where several places are named: a place that took its machines back has none for so long */
#define AWAY_H 1
/* of a notice, at most: an interruption loses nothing where saving fits into it */
#define NOTICE_FRAC 0.8

struct decision {
	const struct plan_spot_ask *q;
	struct spot_job job; /* of the place in front; places set where there are several */
	struct spot_wheres at;
	size_t nused;
	const char *od_name;
};

void plan_spot_ask_init(struct plan_spot_ask *q)
{
	*q = (struct plan_spot_ask){ .deadline_h = INFINITY,
				     .restart_h = 11.0 / 60,
				     .stall_h = 20.0 / 3600,
				     .away_h = NAN,
				     .checkpoints = true,
				     .finish_frac = 1 - MISS_FRAC,
				     .runs = 4000,
				     .seed = 1,
				     .od_usd_h = NAN,
				     .spot_usd_h = NAN,
				     .rate = { 0, NAN, NAN } };
}

/* ---- deciding ---------------------------------------------------------------------------- */

/* The job with one place in front. */
static struct spot_job job_at(const struct decision *a, const struct spot_where *w)
{
	struct spot_job j = a->job;

	j.hazard_h = w->place.hazard_h;
	j.month_lo_pct = w->place.month_lo_pct;
	j.month_hi_pct = w->place.month_hi_pct;
	j.machines = w->place.machines;
	j.spot_usd_h = w->place.spot_usd_h;
	if (a->q->checkpoints && !(a->q->every_h > 0))
		j.every_h = spot_job_interval(&j);
	return j;
}

/* move_hi: what the price may become; 0: it is sure. */
static int replay_job(const struct decision *a, const struct spot_job *j, double move_hi,
		      struct spot_outcome *ret, struct err *err)
{
	struct spot_job moved = *j;
	struct spot_outcome o;
	int r = spot_job_run(j, (int)a->q->runs, (uint64_t)a->q->seed, ret, err);

	if (r < 0 || !(move_hi > 0))
		return r;
	/* the range: the same runs once more, with the price drawn */
	moved.spot_lo_usd_h = moved.spot_usd_h * SPOT_MOVE_LO;
	moved.spot_hi_usd_h = moved.spot_usd_h * move_hi;
	if ((r = spot_job_run(&moved, (int)a->q->runs, (uint64_t)a->q->seed, &o, err)) >= 0) {
		ret->usd_p05 = fmin(o.usd_p05, ret->usd);
		ret->usd_p95 = fmax(o.usd_p95, ret->usd);
	}
	return r;
}

static int by_cost(const void *a, const void *b)
{
	const struct spot_where *x = a, *y = b;

	if (x->in_time != y->in_time) {
		if (x->in_time)
			return -1;
		return 1;
	}
	if (x->alone.usd != y->alone.usd) {
		if (x->alone.usd < y->alone.usd)
			return -1;
		return 1;
	}
	return strcmp(x->name, y->name);
}

static bool is_better(const struct decision *a, const struct spot_outcome *x,
		      const struct spot_outcome *than)
{
	bool in_time = x->finish_frac >= a->q->finish_frac,
	     was = than->finish_frac >= a->q->finish_frac;

	if (in_time != was)
		return in_time;
	if (in_time || x->finish_frac == than->finish_frac)
		return x->usd < than->usd;
	return x->finish_frac > than->finish_frac;
}

/* Places in the order in which they are taken, by their numbers in at.v. */
struct order {
	size_t n, at[SPOT_MAX_PLACES];
	struct spot_place *place; /* [SPOT_MAX_PLACES] of the replay, shared by all orders */
	struct spot_job job;      /* that was replayed */
};

static int replay_order(const struct decision *a, struct order *o, bool range,
			struct spot_outcome *ret, struct err *err)
{
	double move_hi = 0;

	o->job = job_at(a, &a->at.v[o->at[0]]);
	for (size_t i = 0; i < o->n; i++) {
		o->place[i] = a->at.v[o->at[i]].place;
		move_hi = fmax(move_hi, a->at.v[o->at[i]].move_hi);
	}
	o->job.place = o->place;
	o->job.nplace = (int)o->n;
	return replay_job(a, &o->job, range ? move_hi : 0, ret, err);
}

static bool is_used(const struct order *o, size_t place)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->at[i] == place)
			return true;
	return false;
}

/* Put in the place that helps most, where it helps most; with many places only at the end. 1: done,
 * 0: none helps. */
static int add_one(const struct decision *a, struct order *o, struct spot_outcome *best,
		   struct err *err)
{
	struct order found = { 0 };

	for (size_t k = 0; k < a->at.n; k++) {
		for (size_t at = a->at.n > SEARCHED ? o->n : 0; at <= o->n && !is_used(o, k);
		     at++) {
			struct order x = *o;

			memmove(x.at + at + 1, x.at + at, (x.n - at) * sizeof *x.at);
			x.at[at] = k;
			x.n++;
			struct spot_outcome out;
			int r = replay_order(a, &x, false, &out, err);
			if (r < 0)
				return r;
			if (is_better(a, &out, best)) {
				*best = out;
				found = x;
			}
		}
	}
	if (found.n)
		*o = found;
	return found.n > 0;
}

/* From the best place alone, one more as long as it helps: an expensive one does not where the
 * cheap one is back soon. */
static int choose_together(struct decision *a, struct spot_outcome *ret, struct err *err)
{
	struct order o = { .n = 1 };
	o.place = arena_zalloc(a->q->ask.mem, SPOT_MAX_PLACES * sizeof *o.place);
	int r = replay_order(a, &o, false, ret, err);

	while (r >= 0 && o.n < a->at.n && (r = add_one(a, &o, ret, err)) > 0)
		;
	if (r >= 0)
		r = replay_order(a, &o, true, ret, err);
	if (r >= 0) {
		struct spot_where *w = arena_zalloc(a->q->ask.mem, SPOT_MAX_PLACES * sizeof *w);
		size_t n = 0;

		for (size_t i = 0; i < o.n; i++) {
			w[n] = a->at.v[o.at[i]];
			w[n].rank = (int)i + 1;
			n++;
		}
		for (size_t k = 0; k < a->at.n; k++)
			if (!is_used(&o, k))
				w[n++] = a->at.v[k];
		a->at.v = w;
		a->nused = o.n;
		a->job = o.job;
	}
	return r;
}

static int decide_spot(struct decision *a, struct plan_spot *ret, struct err *err)
{
	struct spot_outcome *o = &ret->out;
	int r = 0;

	a->job.od_usd_h = INFINITY;
	for (size_t i = 0; i < a->at.n; i++)
		/* NAN: not known there */
		a->job.od_usd_h = fmin(a->job.od_usd_h, a->at.v[i].od_usd_h);
	for (size_t i = 0; r >= 0 && i < a->at.n; i++) {
		struct spot_where *w = &a->at.v[i];
		struct spot_job j = job_at(a, w);
		j.place = &w->place;
		j.nplace = 1;
		w->every_h = j.every_h;
		r = replay_job(a, &j, w->move_hi, &w->alone, err);
		w->in_time = w->alone.finish_frac >= a->q->finish_frac;
	}

	if (r < 0)
		return r;
	sort_items(a->at.v, a->at.n, sizeof *a->at.v, by_cost);
	for (size_t i = a->at.n; i-- > 0;)
		if (a->at.v[i].od_usd_h == a->job.od_usd_h)
			a->od_name = a->at.v[i].name;
	if ((r = choose_together(a, o, err)) < 0)
		return r;
	bool late = o->finish_frac<a->q->finish_frac, stuck = o->stuck_frac> 1 - a->q->finish_frac,
	     costlier = o->usd >= o->od_usd;

	ret->on_spot = !late && !costlier;
	if (ret->on_spot)
		ret->why = "cheaper, and in time";
	else if (stuck)
		ret->why = "on spot it would be interrupted again and again, and not be done";
	else if (late)
		ret->why = costlier ? "spot would be more expensive and late"
				    : "spot would be late";
	else
		ret->why = "spot would be more expensive";
	return r;
}

/* ---- out --------------------------------------------------------------------------------- */

int answer_plan_spot(const struct plan_spot_ask *q, struct plan_spot *ret, struct err *err)
{
	struct decision a = { .q = q };
	struct plan_spot x = { 0 };
	int r = plan_spot_places(q, &a.at, err);

	if (r < 0)
		return r;

	const struct plan_spot_ask *ask = a.q;
	double usual_h = 0;

	if (a.at.n > 1)
		usual_h = AWAY_H;
	a.job = (struct spot_job){ .work_h = ask->work_h,
				   .restart_h = ask->restart_h,
				   .stall_h = ask->stall_h,
				   .every_h = ask->checkpoints ? ask->every_h : 0,
				   .deadline_h = ask->deadline_h,
				   .away_h = known_or(ask->away_h, usual_h) };
	if (ask->checkpoints && ask->notice_h > 0 && ask->stall_h <= NOTICE_FRAC * ask->notice_h)
		a.job.notice_saved_frac = 1;
	if ((r = decide_spot(&a, &x, err)) < 0)
		return r;
	struct plan_spot_place *place = arena_alloc(q->ask.mem, a.at.n * sizeof *place);

	for (size_t i = 0; i < a.at.n; i++) {
		const struct spot_where *w = &a.at.v[i];
		bool all_seen = !q->seen || (w->seen.interruptions == q->seen->interruptions &&
					     fabs(w->seen.hours - q->seen->hours) < 1e-9);

		place[i] = (struct plan_spot_place){
			.name = w->name,
			.rank = w->rank,
			.machines = w->place.machines,
			.spot_usd_h = w->place.spot_usd_h,
			.od_usd_h = w->od_usd_h,
			.mtbi_h = plan_spot_mtbi(&w->place),
			.every_h = w->every_h,
			.source = w->source,
			.alone = w->alone,
			.seen = w->seen,
			.all_seen = all_seen,
		};
	}
	x.place = place;
	x.nplace = a.at.n;
	x.nused = a.nused;
	x.od_name = a.od_name;
	x.left_out = a.at.left_out;
	x.nleft_out = a.at.nleft_out;
	x.work_h = q->work_h;
	x.deadline_h = q->deadline_h;
	x.away_h = a.job.away_h;
	x.machines = a.job.machines;
	x.stall_h = q->stall_h;
	x.every_h = a.job.every_h;
	x.checkpoints = q->checkpoints;
	x.chosen = q->checkpoints && !(q->every_h > 0);
	if (q->seen)
		x.seen = *q->seen;
	x.mtbi_h = place[0].mtbi_h;
	if (q->checkpoints) {
		double m = x.mtbi_h, d = x.stall_h;

		x.young_h = spot_interval_young(d, m);
		x.daly_h = num_if(isfinite(m), spot_interval_daly(d, m));
		x.exact_h = num_if(isfinite(m) && d > 0, spot_interval_exact(d, m));
	}
	*ret = x;
	return 0;
}
