/*
 * The offline optimum of spot_zones.h, as in spot_bound.c with a machine for each zone:
 *
 *   f_t(m, j, p) = least cost with machine m held in the tick before, j ticks of it behind (at most
 *                  J = ceil(D/G)), p units of work done
 *   g_t(p)       = min over m, j of f_t(m, j, p): from where a new machine starts, whichever was
 *                held
 *   f_{t+1}(m, j + 1, p + w)  from f_t(m, j, p), plus the price of m in tick t
 *   f_{t+1}(m, 1, p + w)      from g_t(p), plus the same
 *
 * Starting the machine that is held again is never better than going on, so g may include it. Units
 * of work are gcd(G, D, W): exact.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/tm.h"
#include "base/mem.h"
#include "base/num.h"
#include "opt/spot/spot_zones.h"

#define MAX_STATES 64000000

struct dp {
	int64_t W, J, lo, hi; /* work in units; ticks of a restart; range of work that can matter */
	size_t nmachine;      /* zones, then on demand */
	int64_t *gain;        /* [J + 1] units done in a tick with j ticks behind it */
	double *now, *next;   /* [machine][j - 1][W + 1] */
	double *any, *idle;   /* [W + 1] g, and nothing held */
};

static double *state_row(const struct dp *d, double *base, size_t m, int64_t j)
{
	return base + (m * (size_t)d->J + (size_t)(j - 1)) * (size_t)(d->W + 1);
}

static void move_states(const struct dp *d, const double *from, double *to, int64_t gain,
			double usd)
{
	int64_t whole = min_i64(d->hi, d->W - gain);

	for (int64_t p = d->lo; p <= whole; p++) {
		double c = from[p] + usd;
		to[p + gain] = min_double(c, to[p + gain]);
	}
	for (int64_t p = max_i64(whole + 1, d->lo); p <= d->hi; p++)
		to[d->W] = fmin(to[d->W], from[p] + usd);
}

static void blank_row(double *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = INFINITY;
}

static double run_tick(struct dp *d, const double *usd)
{
	double best = INFINITY, *swap;

	for (int64_t p = d->lo; p <= d->hi; p++)
		d->any[p] = d->idle[p];
	for (size_t i = 0; i < d->nmachine * (size_t)d->J; i++) {
		const double *f = d->now + i * (size_t)(d->W + 1);
		for (int64_t p = d->lo; p <= d->hi; p++)
			d->any[p] = min_double(f[p], d->any[p]);
	}
	blank_row(d->next, d->nmachine * (size_t)d->J * (size_t)(d->W + 1));
	for (size_t m = 0; m < d->nmachine; m++) {
		if (isinf(usd[m]))
			continue;
		move_states(d, d->any, state_row(d, d->next, m, 1), d->gain[0], usd[m]);
		for (int64_t j = 1; j <= d->J; j++)
			move_states(d, state_row(d, d->now, m, j),
				    state_row(d, d->next, m, j < d->J ? j + 1 : j), d->gain[j],
				    usd[m]);
		for (int64_t j = 1; j <= d->J; j++)
			best = fmin(best, state_row(d, d->next, m, j)[d->W]);
	}
	for (int64_t p = d->lo; p <= d->hi; p++)
		d->idle[p] = d->any[p];
	swap = d->now;
	d->now = d->next;
	d->next = swap;
	return best;
}

int spot_zone_bound(const struct spot_task *k, size_t nzone, const struct spot_zone_history *h,
		    double *ret_usd, struct err *err)
{
	int64_t unit = spot_unit_ms(k), J = (k->overhead_ms + k->gap_ms - 1) / k->gap_ms;
	struct dp d = { .W = k->work_ms / unit, .J = J ? J : 1, .nmachine = nzone + 1 };
	int r = spot_task_check(k, err);

	if (r < 0)
		return r;
	size_t states = d.nmachine * (size_t)d.J * (size_t)(d.W + 1);
	if (nzone > SPOT_MAX_ZONES || d.W > MAX_STATES || states > MAX_STATES)
		return err_set(
			err, -E2BIG,
			"the bound of %zu zones and %lld units of work is too large: round the restart to a part of the tick",
			nzone, (long long)d.W);
	d.gain = xcalloc((size_t)d.J + 1, sizeof *d.gain);
	for (int64_t j = 0; j <= d.J; j++) {
		int64_t left = k->overhead_ms - j * k->gap_ms, ms = k->gap_ms - max_i64(left, 0);
		d.gain[j] = ms > 0 ? ms / unit : 0;
	}
	d.now = xmalloc(states * sizeof *d.now);
	d.next = xmalloc(states * sizeof *d.next);
	d.any = xmalloc((size_t)(d.W + 1) * sizeof *d.any);
	d.idle = xmalloc((size_t)(d.W + 1) * sizeof *d.idle);

	double hours = (double)k->gap_ms / MS_HOUR, least_usd = INFINITY, usd[SPOT_MAX_ZONES + 1];
	int64_t last = k->deadline_ms / k->gap_ms;

	blank_row(d.now, d.nmachine * (size_t)d.J * (size_t)(d.W + 1));
	blank_row(d.idle, (size_t)(d.W + 1));
	blank_row(d.any, (size_t)(d.W + 1));
	d.idle[0] = 0;
	for (int64_t t = 0; t < last; t++) {
		int64_t lo = d.W - (last - t) * d.gain[d.J], hi = t * d.gain[d.J];
		d.lo = max_i64(lo, 0);
		d.hi = hi < d.W ? hi : d.W - 1;
		for (size_t z = 0; z + 1 < d.nmachine; z++)
			usd[z] = (size_t)t < h->n && h->has[z][t] ? h->usd_h[z][t] * hours
								  : INFINITY;
		usd[d.nmachine - 1] = k->od_usd_h * hours;
		least_usd = fmin(least_usd, run_tick(&d, usd));
	}
	*ret_usd = least_usd;
	free(d.gain);
	free(d.now);
	free(d.next);
	free(d.any);
	free(d.idle);
	if (isfinite(*ret_usd))
		return 0;
	return err_set(err, -EDOM, "no way to be done before the deadline");
}
