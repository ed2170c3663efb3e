/*
 * See schedule.h. With C(t) = integral of the price up to t (piecewise linear), the cost of a run
 * without interruption is C(s + L) - C(s): its slope changes only where s or s + L is a step, so
 * the minimum over [release, deadline - L] is at one of these or at an end.
 */
#include <errno.h>
#include <string.h>
#include "base/dec.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/search.h"
#include "base/tm.h"
#include "opt/schedule/schedule.h"

#define MAX_NANO_HOUR ((int64_t)10000000 * 1000000000) /* 10 million an hour */
#define MAX_STATES    50000000u

int price_series_check(const struct price_series *p, struct err *err)
{
	const int64_t far = (int64_t)1 << 58;
	if (!p->n)
		return err_set(err, -EINVAL, "a price series without a price");
	for (size_t i = 0; i < p->n; i++) {
		int64_t next = p->end_ms;
		if (i + 1 < p->n)
			next = p->step[i + 1].at_ms;
		if (p->step[i].at_ms >= next || p->step[i].at_ms < -far || next > far)
			return err_set(err, -EINVAL, "price %zu does not lie before the next one",
				       i + 1);
		if (p->step[i].nano_hour > MAX_NANO_HOUR)
			return err_set(err, -EINVAL, "price %zu is above 10 million an hour",
				       i + 1);
	}
	return 0;
}

static int job_check(const struct schedule_job *j, struct err *err)
{
	const int64_t far = (int64_t)1 << 58;
	if (j->length_ms <= 0 || !within_i64(j->units, 1, 1000000) || j->restart_ms < 0)
		return err_set(
			err, -EINVAL,
			"a job needs a length, 1 to 1,000,000 units, and a restart that is not negative");
	if (j->length_ms > 100 * 366 * MS_DAY || j->restart_ms > 366 * MS_DAY)
		return err_set(err, -EINVAL,
			       "a job longer than a century, or a restart longer than a year");
	if (j->release_ms < -far || j->deadline_ms > far || j->deadline_ms <= j->release_ms)
		return err_set(err, -EINVAL, "the deadline lies before the start");
	return 0;
}

/* ---- prefix sums ------------------------------------------------------------------------- */

struct sums {
	const struct price_series *p;
	__int128 *cost; /* [n + 1] nano x ms / hour up to step i */
	int64_t *none;  /* [n + 1] ms without a price up to step i */
};

static struct sums sums_of(const struct price_series *p)
{
	struct sums s = { p, xcalloc(p->n + 1, sizeof *s.cost), xcalloc(p->n + 1, sizeof *s.none) };
	for (size_t i = 0; i < p->n; i++) {
		int64_t step_end;
		if (i + 1 < p->n)
			step_end = p->step[i + 1].at_ms;
		else
			step_end = p->end_ms;
		int64_t ms = step_end - p->step[i].at_ms;
		bool none = p->step[i].nano_hour < 0;
		s.cost[i + 1] = s.cost[i] + (none ? 0 : (__int128)p->step[i].nano_hour * ms);
		s.none[i + 1] = s.none[i] + (none ? ms : 0);
	}
	return s;
}

static void sums_free(struct sums *s)
{
	free(s->cost);
	free(s->none);
}

static void sum_upto(const struct sums *s, int64_t t, __int128 *cost, int64_t *none)
{
	const struct price_series *p = s->p;
	/* Last step at or before t; t is not before the first. */
	size_t i = first_where(j, p->n - 1, p->step[j + 1].at_ms > t);
	int64_t ms = t - p->step[i].at_ms, nano = p->step[i].nano_hour;

	*cost = s->cost[i] + (nano < 0 ? 0 : (__int128)nano * ms);
	*none = s->none[i] + (nano < 0 ? ms : 0);
}

/* nano x ms / hour of one unit in [from, to); -1 where a part has no price or lies outside of the
 * series. */
static __int128 cost_between(const struct sums *s, int64_t from, int64_t to)
{
	__int128 a, b;
	int64_t na, nb;
	if (from < s->p->step[0].at_ms || to > s->p->end_ms || from >= to)
		return -1;
	sum_upto(s, from, &a, &na);
	sum_upto(s, to, &b, &nb);
	if (nb > na)
		return -1;
	return b - a;
}

static int64_t nano_of(__int128 nano_ms, int64_t units)
{
	__int128 v = div_half_even(nano_ms * units, MS_HOUR);
	if (v > INT64_MAX)
		return INT64_MAX;
	return (int64_t)v;
}

int64_t price_between(const struct price_series *p, int64_t from_ms, int64_t to_ms)
{
	struct sums s = sums_of(p);
	__int128 v = cost_between(&s, from_ms, to_ms);
	sums_free(&s);
	if (v < 0)
		return -1;
	return nano_of(v, 1);
}

/* ---- without interruption ---------------------------------------------------------------- */

struct best {
	__int128 cost;
	int64_t start;
};

static void consider_start(const struct sums *s, const struct schedule_job *j, int64_t start,
			   struct best *b)
{
	if (start < j->release_ms || start > j->deadline_ms - j->length_ms)
		return;
	__int128 c = cost_between(s, start, start + j->length_ms);
	if (c >= 0 && (!within_dec(b->cost, 0, c) || (c == b->cost && start < b->start)))
		*b = (struct best){ c, start };
}

int schedule_start(const struct price_series *p, const struct schedule_job *j,
		   struct schedule_start *ret, struct err *err)
{
	int r = price_series_check(p, err);
	if (r < 0 || (r = job_check(j, err)) < 0)
		return r;
	struct sums s = sums_of(p);
	struct best b = { -1, 0 };
	consider_start(&s, j, j->release_ms, &b);
	consider_start(&s, j, j->deadline_ms - j->length_ms, &b);
	consider_start(&s, j, p->end_ms - j->length_ms, &b);
	for (size_t i = 0; i < p->n; i++) {
		consider_start(&s, j, p->step[i].at_ms, &b);
		consider_start(&s, j, p->step[i].at_ms - j->length_ms, &b);
	}
	__int128 now = -1;
	if (j->length_ms <= j->deadline_ms - j->release_ms)
		now = cost_between(&s, j->release_ms, j->release_ms + j->length_ms);
	*ret = (struct schedule_start){ b.cost >= 0, b.start,
					b.cost >= 0 ? nano_of(b.cost, j->units) : -1,
					now >= 0 ? nano_of(now, j->units) : -1 };
	sums_free(&s);
	return 0;
}

/* ---- in pieces --------------------------------------------------------------------------- */

static int64_t gcd_i64(int64_t a, int64_t b)
{
	while (b) {
		int64_t c = a % b;
		a = b;
		b = c;
	}
	return a;
}

/*
 * The unit of work: whole slots, where length and restart are whole slots; else their common
 * measure, but not below a sixtieth of a slot, to which work and restart are then rounded up.
 */
static int64_t unit_of(const struct schedule_job *j, int64_t slot)
{
	int64_t u = gcd_i64(gcd_i64(slot, j->length_ms), j->restart_ms), least = slot / 60;
	if (u >= least || !least)
		return u;
	for (u = least; slot % u; u++)
		;
	return u;
}

struct grid_dp {
	size_t nslot;
	int64_t work, restart, per_slot; /* in units */
	__int128 *cost;                  /* [nslot] of a unit of work, nano x ms / hour; -1 none */
	uint8_t *move; /* [nslot][work + restart + 1] bit 0: off -> start, bit 1: on -> run */
	size_t width;
};

#define NEVER ((__int128)1 << 120)

/*
 * Backward over slots. off[r], on[r]: cost to go with r units left. To start from off with r < work
 * adds the restart to r; r == work is a job that never ran. To stop in the middle of a restart is
 * allowed and never pays: the next start adds a whole one.
 */
static __int128 dp_solve(struct grid_dp *d)
{
	__int128 *off = xmalloc(d->width * sizeof *off), *on = xmalloc(d->width * sizeof *on);
	for (size_t r = 0; r < d->width; r++)
		off[r] = on[r] = r ? NEVER : 0;
	for (size_t t = d->nslot; t-- > 0;) {
		uint8_t *move = d->move + t * d->width;
		/* from above: the values of this slot are for larger r, those of the next slot for
		 * smaller r, so one array each is enough */
		for (size_t r = d->width; r-- > 0;) {
			size_t done = min_size(r, (size_t)d->per_slot);
			__int128 run = r && d->cost[t] >= 0 && on[r - done] < NEVER
					       ? d->cost[t] * (__int128)done + on[r - done]
					       : NEVER;
			__int128 stop = off[r];
			move[r] = r && run < stop ? 2 : 0;
			on[r] = !r ? 0 : min_dec(run, stop);
		}
		for (size_t r = 1; r <= (size_t)d->work; r++) {
			__int128 start = on[r == (size_t)d->work ? r : r + (size_t)d->restart];
			/* starting in order to stop at once is the same as waiting */
			if (start < off[r] &&
			    move[r == (size_t)d->work ? r : r + (size_t)d->restart] & 2) {
				off[r] = start;
				move[r] |= 1;
			}
		}
	}
	__int128 best = off[d->work];
	free(off);
	free(on);
	return best;
}

static int dp_open(struct grid_dp *d, const struct price_series *p, const struct schedule_job *j,
		   int64_t slot, int64_t unit, struct err *err)
{
	int64_t window = j->deadline_ms - j->release_ms;
	*d = (struct grid_dp){ .nslot = (size_t)(window / slot),
			       .work = (j->length_ms + unit - 1) / unit,
			       .restart = (j->restart_ms + unit - 1) / unit,
			       .per_slot = slot / unit };
	d->width = (size_t)(d->work + d->restart) + 1;
	if (d->nslot && d->width > MAX_STATES / d->nslot) {
		err_set(err, -E2BIG, "%zu slots times %zu units of work are too many states",
			d->nslot, d->width);
		err_hint(err, "choose longer slots");
		return -E2BIG;
	}
	struct sums s = sums_of(p);
	d->cost = xmalloc((d->nslot + 1) * sizeof *d->cost);
	d->move = xcalloc(d->nslot + 1, d->width);
	for (size_t t = 0; t < d->nslot; t++) {
		int64_t from = j->release_ms + (int64_t)t * slot;
		__int128 c = cost_between(&s, from, from + slot);
		d->cost[t] = c < 0 ? -1 : div_half_even(c, d->per_slot);
	}
	sums_free(&s);
	return 0;
}

int schedule_pieces(const struct price_series *p, const struct schedule_job *j, int64_t slot_ms,
		    struct schedule_pieces *ret, struct err *err)
{
	struct grid_dp d;
	int r = price_series_check(p, err);
	if (r < 0 || (r = job_check(j, err)) < 0)
		return r;
	if (slot_ms < MS_SECOND || slot_ms > MS_DAY)
		return err_set(err, -EINVAL, "slots of one second to one day are wanted");
	int64_t unit = unit_of(j, slot_ms);
	if ((r = dp_open(&d, p, j, slot_ms, unit, err)) < 0)
		return r;
	*ret = (struct schedule_pieces){ .unit_ms = unit };
	__int128 best = dp_solve(&d);
	ret->feasible = best < NEVER;
	if (ret->feasible) {
		ret->cost_nano = nano_of(best, j->units);
		size_t left = (size_t)d.work;
		bool on = false;
		for (size_t t = 0; t < d.nslot && left; t++) {
			const uint8_t *move = d.move + t * d.width;
			if (on && !(move[left] & 2)) {
				on = false;
				continue;
			}
			if (!on && !(move[left] & 1))
				continue;
			if (!on && left != (size_t)d.work)
				left += (size_t)d.restart;
			on = true;
			size_t done = min_size(left, (size_t)d.per_slot);
			int64_t from = j->release_ms + (int64_t)t * slot_ms;
			int64_t to = from + (int64_t)done * unit;
			left -= done;
			if (ret->n && ret->piece[ret->n - 1].to_ms == from) {
				ret->piece[ret->n - 1].to_ms = to;
				continue;
			}
			ret->piece = xrealloc(ret->piece, (ret->n + 1) * sizeof *ret->piece);
			ret->piece[ret->n++] = (struct schedule_piece){ from, to };
		}
	}
	free(d.cost);
	free(d.move);
	return 0;
}

void schedule_pieces_free(struct schedule_pieces *p)
{
	free(p->piece);
	*p = (struct schedule_pieces){ 0 };
}
