/*
 * Backward induction over the two chains of spot_zones_plan.h. With n ticks to the deadline, w work
 * left, G the tick and D the restart, a task is at slack x = n G - w, which never grows; x in steps
 * of half a tick (wider where more than 400 would be needed), linear in between. Modes: nothing; on
 * demand and spot, each with j of J ticks of its restart behind it. Each tick loses what it does
 * not work: G, or the part of the restart in it (".." below). N, O, S: values with nothing, on
 * demand and spot at the start of a tick; s: the market, or the zone that is held; P: the price on
 * demand, p_s that of the zone of s.
 *
 *   N_n(s, x)    = min{ E N_n-1(s', x - G),  P + E O_n-1(s', 1, x - ..),
 *                       p_s + H_n-1(s, 1, x - ..) if a zone is up }
 *   O_n(s, j, x) = as N, with P + E O_n-1(s', j + 1, x - ..) for on demand
 *   S_n(s, j, x) = min{ p_s + H_n-1(s, j + 1, x - ..),  P + E O_n-1(s', 1, x - ..) }
 *   H_n(s, j, x) = sum_kept q S_n(s', j, x) + sum_lost q N_n(s', x), q: chances of the chain
 *
 * Below x = D + G the guarantee of spot_must() decides: on demand, or spot that runs. Late work
 * costs LATE_OD times the price on demand. A zone that is held is not left for another one here:
 * the policy asks for that, at the prices of its tick.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/tm.h"
#include "opt/spot/spot_zones_plan.h"

#if defined __GNUC__ && !defined __clang__
/* as in spot_dp.c: all time is spent in relax_values() and mix_links() */
#pragma GCC optimize("O3")
#endif

#define HOUR_MS    ((double)MS_HOUR)
#define LATE_OD    3.0f /* prices on demand an hour of late work costs; as in spot_dp.c */
#define FAR_USD    1e9f /* replaced everywhere: on demand may always go on */
#define MAX_SLACKS 400
#define MAX_FLOATS (16u << 20) /* 64 MiB */
#define MIN_ROWS   32          /* of ticks that are kept: fewer are too far apart */
#define NEARLY     1e-9        /* of a step: what rounding leaves over is no step more */

static size_t mode_none(size_t s)
{
	return s;
}

static size_t mode_od(const struct spot_zone_plan *p, size_t s, int j)
{
	return p->nstate * (size_t)j + s;
}

static size_t mode_spot(const struct spot_zone_plan *p, size_t s, int j)
{
	return p->nstate * (size_t)(p->J + 1) + p->nup * (size_t)(j - 1) + s;
}

/* A tick with j ticks of the restart behind it: what it loses; *ret_j behind it afterwards. */
static double step_restart(const struct spot_zone_plan *p, int j, int *ret_j)
{
	double left = fmax(0, (double)(p->task.overhead_ms - p->task.gap_ms * j));

	*ret_j = j < p->J ? j + 1 : p->J;
	return fmin(left, (double)p->task.gap_ms);
}

/* Value at slack x, in steps. */
static float value_at(const struct spot_zone_plan *p, const float *v, double x)
{
	if (x <= 0) /* late */
		return v[0] + (float)(-x * p->slack_ms / HOUR_MS * p->task.od_usd_h) * LATE_OD;
	if (x >= (double)(p->nslack - 1))
		return v[p->nslack - 1];
	size_t i = (size_t)x;
	float f = (float)(x - (double)i);
	return (1 - f) * v[i] + f * v[i + 1];
}

/* out[i] = min(out[i], usd + e(i - lost)) for the slacks i from `from` on. */
static void relax_values(const struct spot_zone_plan *p, const float *e, double lost_ms, double usd,
			 size_t from, float *out)
{
	double d = lost_ms / p->slack_ms;
	size_t whole = (size_t)ceil(d - NEARLY), i = from;
	float f = fmaxf(0, (float)((double)whole - d)), price = (float)usd;

	for (; i < p->nslack && i < whole; i++)
		out[i] = fminf(out[i], price + value_at(p, e, (double)i - d));
	for (; i < p->nslack; i++) {
		const float *v = e + i - whole;
		float c = price + v[0] + (f > 0 ? f * (v[1] - v[0]) : 0);
		out[i] = c < out[i] ? c : out[i];
	}
}

struct work {
	/* [nmode][nslack]: at n, at n - 1, expected at n - 1 */
	float *now, *before, *mean;
	size_t must; /* slack, in steps, below which spot_must() decides */
};

/* out[x] += sum over the links of their chance times the row of `from` that they lead to. */
static void mix_links(const struct spot_zone_plan *p, const struct zone_links *l, const float *from,
		      float *out)
{
	for (size_t i = 0; i < l->n; i++) {
		const float *v = from + l->v[i].to * p->nslack;
		float q = (float)l->v[i].p;
		for (size_t x = 0; x < p->nslack; x++)
			out[x] += q * v[x];
	}
}

/* The hour of the week with so many ticks to the deadline. */
static size_t hour_at(const struct spot_zone_plan *p, int64_t left)
{
	if (p->nhour == 1)
		return 0;
	return zone_hour(p->start_ms + (p->ticks - left) * p->task.gap_ms);
}

/* Of the zone of s, a state with a zone up, for so many hours. */
static double price_of(const struct spot_zone_plan *p, size_t s, double hours)
{
	return p->usd_h[s / (ZONE_AGES * ZONE_KINDS)] * hours;
}

/* w->mean: what w->before is worth on average, from each state that the tick may begin in. */
static void expect_values(const struct spot_zone_plan *p, struct work *w, int64_t n)
{
	const struct zone_links *best = p->best + hour_at(p, n) * p->nstate,
				*kept = p->kept + hour_at(p, n) * p->nup,
				*gone = p->lost + hour_at(p, n) * p->nup;

	memset(w->mean, 0, p->nmode * p->nslack * sizeof *w->mean);
	for (int j = 0; j <= p->J; j++) /* nothing, then on demand */
		for (size_t s = 0; s < p->nstate; s++)
			mix_links(p, &best[s], w->before + mode_od(p, 0, j) * p->nslack,
				  w->mean + mode_od(p, s, j) * p->nslack);
	for (int j = 1; j <= p->J; j++) {
		for (size_t s = 0; s < p->nup; s++) {
			float *out = w->mean + mode_spot(p, s, j) * p->nslack;
			mix_links(p, &kept[s], w->before + mode_spot(p, 0, j) * p->nslack, out);
			mix_links(p, &gone[s], w->before, out);
		}
	}
}

/* From the values at n - 1 those at n. */
static void induct_tick(const struct spot_zone_plan *p, struct work *w, int64_t n)
{
	/* from this slack on no work is left */
	double done = (double)(n * p->task.gap_ms) / p->slack_ms,
	       hours = (double)p->task.gap_ms / HOUR_MS;

	expect_values(p, w, n);
	for (size_t i = 0; i < p->nmode * p->nslack; i++)
		w->now[i] = FAR_USD;
	for (int j = 0; j <= p->J; j++)
		for (size_t s = 0; s < p->nstate; s++) {
			float *out = w->now + mode_od(p, s, j) * p->nslack;
			int next;
			double lost = step_restart(p, j, &next);

			relax_values(p, w->mean + mode_od(p, s, next) * p->nslack, lost,
				     p->task.od_usd_h * hours, 0, out);
			relax_values(p, w->mean + mode_none(s) * p->nslack, (double)p->task.gap_ms,
				     0, w->must, out);
			if (s >= p->nup)
				continue;
			lost = step_restart(p, 0, &next);
			relax_values(p, w->mean + mode_spot(p, s, next) * p->nslack, lost,
				     price_of(p, s, hours), w->must, out);
		}
	for (int j = 1; j <= p->J; j++)
		for (size_t s = 0; s < p->nup; s++) {
			float *out = w->now + mode_spot(p, s, j) * p->nslack;
			int next;
			double lost = step_restart(p, j, &next);

			relax_values(p, w->mean + mode_spot(p, s, next) * p->nslack, lost,
				     price_of(p, s, hours), j == p->J ? 0 : w->must, out);
			lost = step_restart(p, 0, &next);
			relax_values(p, w->mean + mode_od(p, s, next) * p->nslack, lost,
				     p->task.od_usd_h * hours, 0, out);
		}
	for (size_t m = 0; m < p->nmode; m++)
		for (size_t x = (size_t)ceil(done - NEARLY); x < p->nslack; x++)
			w->now[m * p->nslack + x] = 0;
}

int zone_solve(struct spot_zone_plan *p, struct err *err)
{
	double slack = fmax(0, (double)(p->task.deadline_ms - p->task.work_ms));

	p->J = (int)((p->task.overhead_ms + p->task.gap_ms - 1) / p->task.gap_ms);
	if (!p->J)
		p->J = 1;
	p->ticks = p->task.deadline_ms / p->task.gap_ms;
	p->slack_ms = fmax((double)p->task.gap_ms / 2, slack / MAX_SLACKS);
	p->nslack = (size_t)(slack / p->slack_ms) + 2;
	p->nmode = p->nstate * (size_t)(p->J + 1) + p->nup * (size_t)p->J;
	size_t row = p->nmode * p->nslack;
	double most = floor(MAX_FLOATS / ((double)p->nmode * (double)p->nslack)); /* rows */
	if (most < MIN_ROWS)
		return err_set(err, -E2BIG,
			       "a restart of %d ticks in %zu zones is too much to plan for", p->J,
			       p->nzone);
	p->every = (size_t)ceil(((double)p->ticks + 1) / (most - 2));
	double must = (double)(p->task.overhead_ms + p->task.gap_ms) / p->slack_ms;
	struct work w = { .now = xcalloc(row, sizeof *w.now),
			  .before = xcalloc(row, sizeof *w.before),
			  .mean = xcalloc(row, sizeof *w.mean),
			  .must = (size_t)ceil(must - NEARLY) };
	size_t rows = (size_t)p->ticks / p->every + 2;
	p->v = xcalloc(rows * row, sizeof *p->v); /* at 0 all is done, or late: value_at() */
	for (size_t n = 1; n <= (rows - 1) * p->every; n++) {
		induct_tick(p, &w, (int64_t)n);
		if (n % p->every == 0)
			memcpy(p->v + n / p->every * row, w.now, row * sizeof *w.now);
		float *t = w.now;
		w.now = w.before;
		w.before = t;
	}
	free(w.now);
	free(w.before);
	free(w.mean);
	return 0;
}

/* ---- asking ------------------------------------------------------------------------------ */

/* Value of a mode n ticks before the deadline, between the two rows of ticks that are kept. */
static double look_up(const struct spot_zone_plan *p, size_t mode, int64_t n, double slack_ms)
{
	int64_t last = (int64_t)((size_t)p->ticks / p->every + 1) * (int64_t)p->every - 1;
	size_t k = (size_t)clamp_i64(n, 0, last), row = p->nmode * p->nslack;
	const float *v = p->v + k / p->every * row + mode * p->nslack;
	double f = (double)(k % p->every) / (double)p->every, x = slack_ms / p->slack_ms;

	if (f > 0)
		return (1 - f) * (double)value_at(p, v, x) + f * (double)value_at(p, v + row, x);
	return (double)value_at(p, v, x);
}

static double mean_over(const struct spot_zone_plan *p, const struct zone_links *l, size_t mode,
			int64_t n, double slack_ms)
{
	double sum = 0;

	for (size_t i = 0; i < l->n; i++)
		sum += l->v[i].p * look_up(p, mode + l->v[i].to, n, slack_ms);
	return sum;
}

double zone_after_none(const struct spot_zone_plan *p, size_t market, int64_t left, double slack_ms)
{
	return mean_over(p, &p->best[hour_at(p, left) * p->nstate + market], mode_none(0), left - 1,
			 slack_ms - (double)p->task.gap_ms);
}

double zone_after_od(const struct spot_zone_plan *p, size_t market, int j, int64_t left,
		     double slack_ms)
{
	int next;
	double lost = step_restart(p, j, &next);

	return mean_over(p, &p->best[hour_at(p, left) * p->nstate + market], mode_od(p, 0, next),
			 left - 1, slack_ms - lost);
}

double zone_after_spot(const struct spot_zone_plan *p, size_t held, int j, int64_t left,
		       double slack_ms)
{
	int next;
	double lost = step_restart(p, j, &next);
	size_t s = hour_at(p, left) * p->nup + held;

	slack_ms -= lost;
	return mean_over(p, &p->kept[s], mode_spot(p, 0, next), left - 1, slack_ms) +
	       mean_over(p, &p->lost[s], mode_none(0), left - 1, slack_ms);
}
