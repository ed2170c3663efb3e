/*
 * Interval. E[T](tau) = M e^{R/M} (e^{(tau+d)/M} - 1) W / tau is least at tau = M (1 +
 *   W0(-e^{-1-d/M})) (Young 1974: sqrt(2 d M); Daly 2006, Future Generation Computer Systems 22:
 *   two more terms of its series). W0 by Halley's iteration.
 *
 * Job. With s work saved, at time t of a run with deadline L, the job stays on spot while L - t >
 * (W - s) + R + d. In a cycle of tau work and a stall the left side falls by the time that passes
 * and the right side only at its end, so the first cycle c in which it fails follows from
 *   g0 - c d < tau + d,   g0 = L - t0 - (W - s0) - R - d   at the start of an attempt
 * and no step smaller than an attempt has to be simulated. What differs from the literature: the
 * deadline guard, a hazard drawn from a band.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/random.h"
#include "base/sort.h"
#include "opt/spot/spot_job.h"

#define MONTH_H           730.0
#define ALL_INTERRUPTIONS 20000000 /* of all runs: about two seconds */
#define FEW_RUNS          100      /* are made in any case */
#define STUCK_RUNS        20       /* enough where none is ever done */

/* ---- how often to save ------------------------------------------------------------------- */

double spot_interval_young(double d, double m)
{
	return sqrt(2 * d * m);
}

double spot_interval_daly(double d, double m)
{
	if (d >= 2 * m)
		return m;
	return sqrt(2 * d * m) * (1 + sqrt(d / (2 * m)) / 3 + d / (18 * m)) - d;
}

double spot_interval_exact(double d, double m)
{
	/* y = 1 + W0(-exp(-1 - x)) for x > 0. With w = -1 + y: (y - 1) e^y = -e^-x; y near sqrt(2x)
	 * for small x, so nothing cancels. */
	double x = d / m;
	double y = x < 1 ? sqrt(2 * x) : 1 - exp(-1 - x);

	for (int i = 0; i < 40; i++) {
		/* f = (y - 1) e^y + e^-x as expm1s: y e^y - (e^y - 1) + (e^-x - 1) */
		double f = y * exp(y) - expm1(y) + expm1(-x), f1 = y * exp(y),
		       f2 = (1 + y) * exp(y);
		double step = 2 * f * f1 / (2 * f1 * f1 - f * f2);
		if (!isfinite(step) || fabs(step) <= 1e-15 * y)
			break;
		y = fmin(1, fmax(y * 0.1, y - step));
	}
	return m * y;
}

double spot_interval_notice(double d, double m, double notice, double q)
{
	if (d > 0.8 * notice)
		return spot_interval_exact(d, m);
	if (q > 0)
		return spot_interval_exact(d, m / q);
	return INFINITY;
}

double spot_mean_time(double work, double tau, double d, double restart, double m)
{
	return m * exp(restart / m) * expm1((tau + d) / m) * work / tau;
}

double spot_hazard_of_month(double pct)
{
	if (pct > 0)
		return -log1p(-pct / 100) / MONTH_H;
	return 0;
}

double spot_job_interval(const struct spot_job *j)
{
	int n = max_int(j->machines, 1);
	double mean =
		(spot_hazard_of_month(j->month_lo_pct) + spot_hazard_of_month(j->month_hi_pct)) /
		2 * n;
	if (j->hazard_h > 0)
		mean = j->hazard_h * n;
	double h = mean * (1 - j->notice_saved_frac),
	       slack = j->deadline_h - j->work_h - j->start_h - j->restart_h;
	double stall = fmax(j->stall_h, 1e-6), tau = INFINITY;

	if (h > 0)
		tau = spot_interval_exact(stall, 1 / h);
	if (h > 0 && isfinite(slack) && slack > 0)
		tau = fmin(tau, slack / 4);
	return fmax(tau, stall);
}

/* ---- a job ------------------------------------------------------------------------------- */

struct run {
	double t, usd, od_usd, lost, stall, restart, waited;
	int interruptions;
	bool moved, gave_up;
	/* when each place has machines again */
	double back[SPOT_MAX_PLACES], spot_h[SPOT_MAX_PLACES];
};
struct draw {
	uint64_t seed;
	double hazard[SPOT_MAX_PLACES], spot[SPOT_MAX_PLACES];
};

/* Time into an attempt, after its restart, at which it has to leave spot; INFINITY = it need
 * not. */
static double leave_at(const struct spot_job *j, double t, double s)
{
	double cycle = j->every_h + j->stall_h,
	       g0 = j->deadline_h - t - (j->work_h - s) - j->restart_h - j->stall_h;

	if (!isfinite(j->deadline_h))
		return INFINITY;
	if (g0 <= 0)
		return 0;
	double c = INFINITY;
	if (g0 < cycle)
		c = 0;
	else if (j->stall_h > 0)
		c = floor((g0 - cycle) / j->stall_h) + 1;
	if (isfinite(c))
		return c * cycle + fmax(0, g0 - c * j->stall_h);
	return INFINITY;
}

static void pay_hours(struct run *r, double hours, double usd_h, bool od)
{
	r->t += hours;
	r->usd += hours * usd_h;
	if (od)
		r->od_usd += hours * usd_h;
}

/* Work done x hours into an attempt: of whole intervals saved, and all of it. */
static double find_progress(const struct spot_job *j, double x, double *ret_saved)
{
	double cycle = j->every_h + j->stall_h, c = floor(x / cycle + 1e-12);

	*ret_saved = c * j->every_h;
	return c * j->every_h + fmin(x - c * cycle, j->every_h);
}

static void on_demand(const struct spot_job *j, struct run *r, double rem, bool fresh)
{
	double restart = 0; /* the first start is the same on both sides */

	if (!fresh)
		restart = j->restart_h;
	r->moved = true;
	r->restart += restart;
	pay_hours(r, restart + rem, j->od_usd_h, true);
}

static double next_interruption(const struct draw *d, int place, int i)
{
	if (d->hazard[place] > 0)
		return -log(random_unit(random_mix(d->seed ^ random_mix((uint64_t)i + 2)))) /
		       d->hazard[place];
	return INFINITY;
}

static void on_spot(struct run *r, const struct draw *d, int place, double hours)
{
	r->spot_h[place] += hours;
	pay_hours(r, hours, d->spot[place], false);
}

/* The first place with machines; need_h: to the end on demand, started now. -1: none comes back in
 * time. What is waited is added to the run. */
static int next_place(const struct spot_job *j, struct run *r, double need_h)
{
	int first = 0;

	for (int i = 0; i < j->nplace; i++) {
		if (r->back[i] <= r->t)
			return i;
		if (r->back[i] < r->back[first])
			first = i;
	}
	double wait = fmax(0, r->back[first] - r->t);
	if (r->t + wait + need_h > j->deadline_h)
		return -1;
	r->waited += wait;
	r->t += wait;
	return first;
}

static void mark_interrupted(const struct spot_job *j, struct run *r, int place)
{
	r->back[place] = r->t + j->away_h;
	r->gave_up = ++r->interruptions >= SPOT_MAX_INTERRUPTIONS;
}

static void with_checkpoints(const struct spot_job *j, const struct draw *d, struct run *r)
{
	double s = 0;

	while (!r->gave_up) {
		bool fresh = !r->interruptions;
		int at = next_place(j, r, j->work_h - s + j->restart_h + j->stall_h);
		if (at < 0) {
			on_demand(j, r, j->work_h - s, fresh);
			return;
		}
		double start = fresh ? j->start_h : j->restart_h,
		       x = next_interruption(d, at, r->interruptions), saved;
		/* to the end: work left and a checkpoint between each two intervals */
		double rem = j->work_h - s, left = rem;
		if (isfinite(j->every_h))
			left = rem + fmax(0, ceil(rem / j->every_h - 1e-9) - 1) * j->stall_h;
		double leave = leave_at(j, r->t + start, s), end = left;
		if (leave <= 0 && !(end <= 0)) {
			on_demand(j, r, j->work_h - s, fresh);
			return;
		}
		if (fmin(x, leave + start) >= start + end) {
			r->stall += end - (j->work_h - s);
			r->restart += start;
			on_spot(r, d, at, start + end);
			return;
		}
		if (leave + start < x) { /* save, and go on on demand */
			double did = find_progress(j, leave, &saved);
			r->stall += leave - did + j->stall_h;
			r->restart += start;
			on_spot(r, d, at, start + leave + j->stall_h);
			on_demand(j, r, fmax(0, j->work_h - s - did), false);
			return;
		}
		double ran = fmax(0, x - start), did = find_progress(j, ran, &saved);
		bool noticed =
			random_unit(random_mix(d->seed ^ random_mix(~(uint64_t)r->interruptions))) <
			j->notice_saved_frac;
		r->stall += ran - did;
		r->restart += fmin(x, start);
		if (!noticed)
			r->lost += did - saved;
		s += noticed ? did : saved;
		on_spot(r, d, at, x);
		mark_interrupted(j, r, at);
	}
}

static void from_zero(const struct spot_job *j, const struct draw *d, struct run *r)
{
	while (!r->gave_up) {
		double start = r->interruptions ? j->restart_h : j->start_h;
		int at = next_place(j, r, start + j->work_h);
		if (at < 0 || r->t + start + j->work_h > j->deadline_h) {
			/* no try is left that could be in time: no more risk */
			on_demand(j, r, j->work_h, !r->interruptions);
			return;
		}
		double x = next_interruption(d, at, r->interruptions);
		if (x >= start + j->work_h) {
			r->restart += start;
			on_spot(r, d, at, start + j->work_h);
			return;
		}
		r->restart += fmin(x, start);
		r->lost += fmax(0, x - start);
		on_spot(r, d, at, x);
		mark_interrupted(j, r, at);
	}
}

/* The band of a place is drawn with the same number for all: they are believed or not believed
 * together. */
static struct draw draw_of(const struct spot_job *j, const struct spot_place *place, uint64_t seed,
			   int i)
{
	struct draw d = { .seed = random_mix(seed ^ random_mix((uint64_t)i)) };
	double u = random_unit(random_mix(d.seed)), spot = j->spot_usd_h;

	if (j->spot_hi_usd_h > 0)
		spot = j->spot_lo_usd_h + random_unit(random_mix(d.seed ^ 0x5bd1e995u)) *
						  (j->spot_hi_usd_h - j->spot_lo_usd_h);
	for (int k = 0; k < j->nplace; k++) {
		const struct spot_place *p = &place[k];
		double h = p->hazard_h > 0
				   ? p->hazard_h
				   : spot_hazard_of_month(p->month_lo_pct +
							  u * (p->month_hi_pct - p->month_lo_pct));
		d.hazard[k] = h * max_int(p->machines, 1);
		if (j->place && j->spot_usd_h > 0)
			d.spot[k] = p->spot_usd_h * (spot / j->spot_usd_h);
		else if (j->place)
			d.spot[k] = p->spot_usd_h;
		else
			d.spot[k] = spot;
	}
	return d;
}

static bool is_number(double v, double lo, double hi)
{
	return v >= lo && v <= hi;
}

static int check_job(const struct spot_job *j, int n, struct err *err)
{
	if (n < 1 || n > 1000000)
		return err_set(err, -EINVAL, "%d runs are not between 1 and 1,000,000", n);
	if (!is_number(j->work_h, 1e-6, 1e6) || !is_number(j->start_h, 0, 1e4) ||
	    !is_number(j->restart_h, 0, 1e4) || !is_number(j->stall_h, 0, 1e4))
		return err_set(
			err, -EINVAL,
			"hours of a job, a restart and a checkpoint must be numbers above or at 0 that a job can have");
	if (!(j->every_h >= 0) || !(j->deadline_h > 0))
		return err_set(err, -EINVAL,
			       "the checkpoint interval and the deadline must not be negative");
	if (!is_number(j->month_lo_pct, 0, 99.999) ||
	    !is_number(j->month_hi_pct, j->month_lo_pct, 99.999) || !is_number(j->hazard_h, 0, 1e3))
		return err_set(
			err, -EINVAL,
			"the chance of an interruption in a month must lie from 0 to below 100 %%");
	if (!is_number(j->od_usd_h, 0, 1e9) || !is_number(j->spot_usd_h, 0, 1e9) ||
	    !is_number(j->spot_lo_usd_h, 0, 1e9) ||
	    !is_number(j->spot_hi_usd_h, j->spot_lo_usd_h, 1e9))
		return err_set(err, -EINVAL, "prices must be numbers that are not negative");
	if (j->machines < 0 || j->machines > 1000000)
		return err_set(err, -EINVAL, "%d machines make no sense", j->machines);
	if (!is_number(j->away_h, 0, 1e6) || j->nplace < 0 || j->nplace > SPOT_MAX_PLACES)
		return err_set(err, -EINVAL,
			       "more than %d places, or no span for how long one has no machines",
			       SPOT_MAX_PLACES);
	for (int i = 0; i < j->nplace; i++) {
		const struct spot_place *p = &j->place[i];
		if (!is_number(p->month_lo_pct, 0, 99.999) ||
		    !is_number(p->month_hi_pct, p->month_lo_pct, 99.999) ||
		    !is_number(p->hazard_h, 0, 1e3) || !is_number(p->spot_usd_h, 0, 1e9) ||
		    !within_int(p->machines, 0, 1000000))
			return err_set(
				err, -EINVAL,
				"place %d has a price, a rate of interruptions or machines that make no sense",
				i + 1);
	}
	if (!is_number(j->notice_saved_frac, 0, 1))
		return err_set(err, -EINVAL,
			       "the share of interruptions saved on notice must lie from 0 to 1");
	return 0;
}

struct runs {
	int n;
	uint64_t seed;
	double *usd, *hours; /* [n] of each */
};

static void replay_runs(const struct spot_job *j, const struct spot_place *place,
			const struct runs *r, struct spot_outcome *o)
{
	const int n = r->n;
	int64_t interruptions = 0;
	int stuck = 0;

	while (o->runs < n) {
		bool often = o->runs >= FEW_RUNS && interruptions > ALL_INTERRUPTIONS;
		if (often || (o->runs >= STUCK_RUNS && stuck == o->runs))
			break;
		struct draw d = draw_of(j, place, r->seed, o->runs);
		struct run x = { 0 };
		if (isfinite(j->every_h))
			with_checkpoints(j, &d, &x);
		else
			from_zero(j, &d, &x);

		bool in_time = !x.gave_up && x.t <= j->deadline_h + 1e-9;

		o->usd += x.usd / n;
		o->hours += x.t / n;
		if (in_time)
			o->finish_frac += 1.0 / n;
		if (x.gave_up)
			o->stuck_frac += 1.0 / n;
		o->interruptions += (double)x.interruptions / n;
		o->lost_h += x.lost / n;
		o->stall_h += x.stall / n;
		o->restart_h += x.restart / n;
		o->od_frac += x.od_usd / n;
		o->waited_h += x.waited / n;
		for (int i = 0; i < j->nplace; i++)
			o->spot_h[i] += x.spot_h[i] / n;
		if (x.moved)
			o->moved_frac += 1.0 / n;
		r->usd[o->runs] = x.usd;
		r->hours[o->runs++] = x.t;
		interruptions += x.interruptions;
		stuck += x.gave_up;
	}
	if (o->runs < n) {
		/* Fewer runs than asked for: means are of those. */
		double by = (double)n / o->runs;
		double *mean[] = { &o->usd,           &o->hours,    &o->finish_frac, &o->stuck_frac,
				   &o->interruptions, &o->lost_h,   &o->stall_h,     &o->restart_h,
				   &o->od_frac,       &o->waited_h, &o->moved_frac };

		for (size_t i = 0; i < sizeof mean / sizeof *mean; i++)
			*mean[i] *= by;
		for (int i = 0; i < SPOT_MAX_PLACES; i++)
			o->spot_h[i] *= by;
	}
}

int spot_job_run(const struct spot_job *job, int n, uint64_t seed, struct spot_outcome *ret,
		 struct err *err)
{
	struct spot_job j = *job;
	struct spot_outcome o = { .od_usd = job->work_h * job->od_usd_h };
	int r = check_job(job, n, err);

	if (r < 0)
		return r;
	struct spot_place only = { j.month_lo_pct, j.month_hi_pct, j.hazard_h, j.spot_usd_h,
				   j.machines };
	const struct spot_place *place = j.nplace ? j.place : &only;
	if (!j.nplace)
		j.place = NULL;
	if (!j.nplace)
		j.nplace = 1;
	j.every_h = j.every_h > 0 ? j.every_h : INFINITY;
	double *usd = xcalloc((size_t)n, sizeof *usd), *hours = xcalloc((size_t)n, sizeof *hours);
	replay_runs(&j, place, &(struct runs){ n, seed, usd, hours }, &o);
	n = o.runs;
	sort_items(usd, (size_t)n, sizeof *usd, rising_double);
	sort_items(hours, (size_t)n, sizeof *hours, rising_double);
	o.usd_p05 = usd[(n - 1) * 5 / 100];
	o.usd_p50 = usd[(n - 1) / 2];
	o.usd_p95 = usd[(n - 1) * 95 / 100];
	o.hours_p95 = hours[(n - 1) * 95 / 100];
	o.od_frac = o.usd > 0 ? o.od_frac / o.usd : 0;
	free(usd);
	free(hours);
	*ret = o;
	return 0;
}
