#ifndef TARE_OPT_SPOT_SPOT_ZONES_H
#define TARE_OPT_SPOT_SPOT_ZONES_H
/*
 * One task with a deadline (opt/spot/spot.h) where spot machines are to be had in several zones,
 * each at its own price of the tick: which zone, on demand, or nothing?
 *
 *   minimise    sum over ticks of the price of the zone held in it + transfers of the checkpoint
 *   subject to  work done by the deadline; a zone only in ticks in which it has spot; every change
 *               of machine or zone costs D of progress
 *
 * Seen at the start of a tick: availability and price of each zone in that tick, nothing later
 * (prices are public; that a zone has machines is known from asking it). On demand costs the same
 * everywhere and runs where the checkpoint lies.
 */
#include "opt/spot/spot_dp.h"

#define SPOT_ZONE_NONE (-2)
#define SPOT_ZONE_OD   (-1) /* others: the index of a zone */
#define SPOT_MAX_ZONES 32

struct spot_zone_now {
	int64_t tick;
	size_t n;
	const bool *has;     /* [n], in the tick that is about to run */
	const double *usd_h; /* [n] */
	int last;            /* held in the tick before */
	int at;              /* zone whose region has the newest checkpoint; -1: nowhere yet */
	int64_t overhead_left_ms, done_ms;
};

/* A zone that was taken away is none. */
static inline int spot_zone_held(const struct spot_zone_now *s)
{
	if (s->last >= 0 && !s->has[s->last])
		return SPOT_ZONE_NONE;
	return s->last;
}

/* The guarantee of spot_must(): true = *ret is to be held. */
bool spot_zone_must(const struct spot_task *k, const struct spot_zone_now *s, int *ret);

/* Policies: the rules of spot.h; the zone held is kept while it is up, a new one is the
 * cheapest. */
int spot_zone_greedy(const struct spot_task *k, const struct spot_zone_now *s);
int spot_zone_uniform(const struct spot_task *k, const struct spot_zone_now *s);

#define SPOT_NO_CLOCK INT64_MIN /* a start of which the time of day is not known */
struct spot_zone_history {
	size_t n;
	const bool *const *has; /* [zones] rows of [n] ticks, of one interval of time */
	const double *const *usd_h;
	int64_t start_ms; /* of the first tick, UTC; or SPOT_NO_CLOCK */
};
/*
 * The bound, as spot_bound(). Transfers are free for it (so it stays a bound). O(ticks * zones *
 * restart ticks * work units).
 */
int spot_zone_bound(const struct spot_task *k, size_t nzone, const struct spot_zone_history *h,
		    double *ret_usd, struct err *err);

#endif
