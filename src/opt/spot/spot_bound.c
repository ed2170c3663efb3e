/*
 * The offline optimum of spot.h.
 *
 *   f_t(m, j, p)          = least cost with machine m held in the tick before, j ticks of it behind
 *                           (capped at J = ceil(D/G)), p units of work done
 *   f_{t+1}(a, j', p + w) = min over predecessors of f_t + price of a in tick t
 *   w                     = max(G - restart left, 0)
 *
 * Units of work are gcd(G, D), in which every step is whole: the optimum is exact. The number of
 * ticks on the way rides along with the cost, so no table of choices is kept. Of equal costs the
 * first found stays.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/tm.h"
#include "base/mem.h"
#include "base/num.h"
#include "opt/spot/spot.h"

#define MAX_STATES 64000000

int64_t spot_unit_ms(const struct spot_task *k)
{
	int64_t a = k->gap_ms, more[] = { k->overhead_ms, k->work_ms };

	for (int i = 0; i < 2; i++) {
		for (int64_t b = more[i], c; b; b = c) {
			c = a % b;
			a = b;
		}
	}
	return a;
}

struct cell {
	double usd;
	int32_t spot, od;
};
struct dp {
	/* units of work that can have been done, and from which the end can still be reached */
	int64_t lo, hi;
	const struct spot_task *k;
	int64_t unit, W, J; /* ms; work in units; ticks of a restart */
	size_t nmode;       /* none, spot 1..J, on demand 1..J */
	struct cell *now, *next;
	/* [J + 1] units done in a tick that has j ticks of its machine behind it */
	const int64_t *gain;
};

static struct cell *mode_row(const struct dp *d, struct cell *base, size_t mode)
{
	return base + mode * (size_t)(d->W + 1);
}

struct step {         /* what a tick brings */
	int64_t gain; /* of work */
	double usd;
	int spot, od;
};

static void move_states(struct dp *d, size_t from, size_t to, struct step s)
{
	const struct cell *a = mode_row(d, d->now, from);
	struct cell *b = mode_row(d, d->next, to);

	for (int64_t p = d->lo; p <= d->hi; p++) { /* at W it is over */
		int64_t q = min_i64(p + s.gain, d->W);
		double c = a[p].usd + s.usd;
		if (c < b[q].usd)
			b[q] = (struct cell){ c, a[p].spot + s.spot, a[p].od + s.od };
	}
}

static void clear_rows(struct dp *d, struct cell *base)
{
	for (size_t i = 0; i < d->nmode * (size_t)(d->W + 1); i++)
		base[i].usd = INFINITY;
}

int spot_bound(const struct spot_task *k, const struct spot_history *h, struct spot_bound *ret,
	       struct err *err)
{
	struct dp d = { .k = k };
	int r = spot_task_check(k, err);

	if (r < 0)
		return r;
	d.unit = spot_unit_ms(k);
	d.W = k->work_ms / d.unit;
	d.J = (k->overhead_ms + k->gap_ms - 1) / k->gap_ms;
	if (!d.J)
		d.J = 1;
	d.nmode = (size_t)(1 + 2 * d.J);
	if (d.W > MAX_STATES || (size_t)(d.W + 1) * d.nmode > MAX_STATES) {
		err_set(err, -E2BIG,
			"the bound of a task of %lld units of work and %lld ticks of restart is too large",
			(long long)d.W, (long long)d.J);
		err_hint(err, "round the restart overhead to a part of the tick");
		return -E2BIG;
	}
	int64_t *gain = xcalloc((size_t)d.J + 1, sizeof *gain);
	for (int64_t j = 0; j <= d.J; j++) {
		int64_t left = k->overhead_ms - j * k->gap_ms, ms = k->gap_ms - max_i64(left, 0);
		gain[j] = ms > 0 ? ms / d.unit : 0;
	}
	d.gain = gain;
	d.now = xcalloc(d.nmode * (size_t)(d.W + 1), sizeof *d.now);
	d.next = xcalloc(d.nmode * (size_t)(d.W + 1), sizeof *d.next);
	double hours = (double)k->gap_ms / MS_HOUR;
	struct cell best = { .usd = INFINITY };
	int64_t last = k->deadline_ms / k->gap_ms;
	clear_rows(&d, d.now);
	d.now[0] = (struct cell){ 0 };
	for (int64_t t = 0; t < last; t++) {
		bool has = (size_t)t < h->nticks && h->has_spot[t];
		d.lo = max_i64(d.W - (last - t) * d.gain[d.J], 0);
		d.hi = t * d.gain[d.J] < d.W ? t * d.gain[d.J] : d.W - 1;
		clear_rows(&d, d.next);

		const double *usd_h = has && h->spot_usd_h ? &h->spot_usd_h[t] : &k->spot_usd_h;
		double spot_usd = *usd_h * hours;
		double od_usd = k->od_usd_h * hours;
		size_t J = (size_t)d.J;

		for (size_t m = 0; m < d.nmode; m++) {
			bool is_spot = m >= 1 && m <= J, is_od = m > J;
			size_t j = is_spot ? m : is_od ? m - J : 0, up = J;
			if (j < J)
				up = j + 1;
			move_states(&d, m, 0, (struct step){ 0 });
			move_states(&d, m, J + (is_od ? up : 1),
				    (struct step){ d.gain[is_od ? j : 0], od_usd, .od = 1 });
			if (has)
				move_states(&d, m, is_spot ? up : 1,
					    (struct step){ d.gain[is_spot ? j : 0], spot_usd,
							   .spot = 1 });
		}
		for (size_t m = 0; m < d.nmode; m++)
			if (mode_row(&d, d.next, m)[d.W].usd < best.usd)
				best = mode_row(&d, d.next, m)[d.W];
		struct cell *swap = d.now;
		d.now = d.next;
		d.next = swap;
	}
	free(gain);
	free(d.now);
	free(d.next);
	if (!isfinite(best.usd))
		return err_set(err, -EDOM, "no way to be done before the deadline");
	*ret = (struct spot_bound){ best.usd, best.spot, best.od };
	return 0;
}
