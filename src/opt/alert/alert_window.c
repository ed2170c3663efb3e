/*
 * Aggregates over a sliding window.
 *
 *   mean = sum(value x ms) / sum(ms), max, min over the intervals that touch the window;
 *   time-weighted, so that readings of different steps mix
 *   p95  = the least bin b with sum(ms of bins <= b) >= 0.95 sum(ms); a bin is 1/100 of the scale,
 *        so integer percents are exact
 *
 * Source: panes of Li, Maier, Tufte, Papadimos, Tucker 2005, "No pane, no gain", SIGMOD Record
 * 34(1); we weigh by time, and know a window only where 80 % of it was seen (COVER): less would let
 * a mean of a few minutes speak for half an hour.
 */
#include "opt/alert/alert_window.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

#define COVER 0.8

void window_init(struct window *w, int64_t window_ms, double scale)
{
	*w = (struct window){ .window_ms = window_ms,
			      .part_ms = (window_ms + WINDOW_BUCKETS - 1) / WINDOW_BUCKETS,
			      .scale = scale };
	if (scale > 0)
		w->bin = xcalloc((WINDOW_BUCKETS + 1) * WINDOW_BINS, sizeof *w->bin);
	window_reset(w);
}

void window_reset(struct window *w)
{
	w->first_ms = w->last_ms = INT64_MIN;
	for (int i = 0; i <= WINDOW_BUCKETS; i++)
		w->part[i] = (struct window_part){ .k = -1, .lo = INFINITY, .hi = -INFINITY };
}

void window_free(struct window *w)
{
	free(w->bin);
	w->bin = NULL;
}

static int bin_of(const struct window *w, double v)
{
	double b = v / w->scale * (WINDOW_BINS - 1);

	if (b <= 0)
		return 0;
	if (b >= WINDOW_BINS - 1)
		return WINDOW_BINS - 1;
	return (int)(b + 1e-9);
}

void window_add(struct window *w, int64_t from_ms, int64_t to_ms, double value)
{
	int64_t oldest;

	if (w->first_ms == INT64_MIN)
		w->first_ms = from_ms;
	if (w->last_ms != INT64_MIN && from_ms < w->last_ms)
		from_ms = w->last_ms;
	if (from_ms >= to_ms)
		return;
	w->last_ms = to_ms;
	oldest = to_ms - w->window_ms - w->part_ms; /* a reading longer than the window */
	if (from_ms < oldest)
		from_ms = max_i64(oldest, w->first_ms);
	while (from_ms < to_ms) {
		int64_t k = (from_ms - w->first_ms) / w->part_ms;
		int64_t end = w->first_ms + (k + 1) * w->part_ms;
		end = min_i64(end, to_ms);

		int64_t ms = end - from_ms;
		struct window_part *p = &w->part[k % (WINDOW_BUCKETS + 1)];
		uint32_t *bin = NULL;

		if (w->bin)
			bin = w->bin + (k % (WINDOW_BUCKETS + 1)) * WINDOW_BINS;
		if (p->k != k) {
			*p = (struct window_part){ .k = k, .lo = INFINITY, .hi = -INFINITY };
			if (bin)
				memset(bin, 0, WINDOW_BINS * sizeof *bin);
		}
		p->sum += value * (double)ms;
		p->ms += ms;
		p->lo = fmin(p->lo, value);
		p->hi = fmax(p->hi, value);
		if (bin)
			bin[bin_of(w, value)] += (uint32_t)ms;
		from_ms = end;
	}
}

/* Does interval i lie in the window that ends at now? The one that has just ended counts as the
 * last. */
static bool part_in(const struct window *w, int i, int64_t last_k)
{
	return w->part[i].k >= 0 && within_i64(w->part[i].k, last_k - WINDOW_BUCKETS, last_k) &&
	       w->part[i].ms > 0;
}

static int64_t last_k(const struct window *w, int64_t now_ms)
{
	int64_t age = now_ms - w->first_ms;

	if (age <= 0)
		return 0;
	return (age - 1) / w->part_ms;
}

bool window_stat(const struct window *w, int64_t now_ms, struct window_stat *ret)
{
	struct window_stat s = { 0, INFINITY, -INFINITY, 0 };
	double sum = 0;

	if (w->first_ms == INT64_MIN || now_ms - w->first_ms < w->window_ms)
		return false;
	for (int i = 0; i <= WINDOW_BUCKETS; i++) {
		const struct window_part *p = &w->part[i];
		if (!part_in(w, i, last_k(w, now_ms)))
			continue;
		sum += p->sum;
		s.ms += p->ms;
		s.lo = fmin(s.lo, p->lo);
		s.hi = fmax(s.hi, p->hi);
	}
	if ((double)s.ms < COVER * (double)w->window_ms)
		return false;
	s.mean = sum / (double)s.ms;
	*ret = s;
	return true;
}

double window_percentile(const struct window *w, int64_t now_ms, double frac)
{
	int64_t ms[WINDOW_BINS] = { 0 }, all = 0, below = 0;

	if (!w->bin || w->first_ms == INT64_MIN)
		return NAN;
	for (int i = 0; i <= WINDOW_BUCKETS; i++)
		for (int b = 0; b < WINDOW_BINS && part_in(w, i, last_k(w, now_ms)); b++) {
			ms[b] += w->bin[i * WINDOW_BINS + b];
			all += w->bin[i * WINDOW_BINS + b];
		}
	for (int b = 0; b < WINDOW_BINS && all > 0; b++)
		if ((double)(below += ms[b]) >= frac * (double)all)
			return b * w->scale / (WINDOW_BINS - 1);
	return NAN;
}
