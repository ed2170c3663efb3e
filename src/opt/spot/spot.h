#ifndef TARE_OPT_SPOT_SPOT_H
#define TARE_OPT_SPOT_SPOT_H
/*
 * One task with a deadline, tick by tick: hold a spot machine, an on-demand machine, or nothing?
 *
 *   minimise    sum over ticks of price(held)
 *   subject to  work done by the deadline; spot only in ticks in which it is to be had; a new
 *               machine costs D of progress first
 *
 * Ticks of gap_ms. At the start of tick t it is known whether spot is to be had in that tick,
 * nothing later. Holding another machine than before starts a restart of overhead_ms; a spot
 * machine that is taken away leaves nothing. A whole tick is paid, the last one too.
 * These are the semantics of the "can't be late" scenarios (Wu et al., NSDI 2024), which the
 * simulator (sim/spot.h) reproduces to the last digit.
 *
 * Everything here sees only what has happened up to now; it is what a runner asks at run time, too.
 * Integers of milliseconds: no rounding.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

enum spot_hold { SPOT_NONE, SPOT_SPOT, SPOT_OD };

struct spot_task {
	int64_t gap_ms, work_ms, deadline_ms, overhead_ms;
	double od_usd_h, spot_usd_h; /* prices expected; any currency */
};
struct spot_now {
	int64_t tick;        /* ticks since the start */
	bool has_spot;       /* in the tick that is about to run */
	enum spot_hold last; /* held in the tick before */
	int64_t overhead_left_ms, done_ms;
};

/* -EINVAL, naming what makes no sense: gap 1 s to 1 day, work up to 10 years and 100,000 ticks to
 * the deadline, prices finite and not negative. */
int spot_task_check(const struct spot_task *k, struct err *err);

/* What is held at the start of the tick: a spot machine that was taken away is none. */
static inline enum spot_hold spot_held(const struct spot_now *s)
{
	if (s->last == SPOT_SPOT && !s->has_spot)
		return SPOT_NONE;
	return s->last;
}

/*
 * The guarantee: true as soon as one restart on demand just fits before the deadline; *ret is then
 * what must be held: the spot machine that runs without a restart pending, else on demand. A policy
 * that asks this first is never late, if spot machines kept so are left when they disappear (the
 * next tick asks again).
 */
bool spot_must(const struct spot_task *k, const struct spot_now *s, enum spot_hold *ret);

/* Policies; each asks spot_must() first. */
enum spot_hold spot_on_demand(const struct spot_task *k, const struct spot_now *s);
/* Spot when it is there, else wait, until it must. */
enum spot_hold spot_greedy(const struct spot_task *k, const struct spot_now *s);
/* Uniform Progress (NSDI 2024): keep up with the line from nothing done now to all done at the
 * deadline. */
enum spot_hold spot_uniform(const struct spot_task *k, const struct spot_now *s);

/* What a market did, tick by tick; beyond it there is no spot. */
struct spot_history {
	size_t nticks;
	const bool *has_spot;     /* [nticks] */
	const double *spot_usd_h; /* [nticks] prices of each tick, or NULL for the task's */
};
struct spot_bound {
	double usd;
	int64_t spot_ticks, od_ticks; /* held on the way */
};

/* In this every step of work is whole: the greatest common divisor of tick, restart and work. */
int64_t spot_unit_ms(const struct spot_task *k);
/*
 * The bound: the least cost any policy could have reached, knowing all ticks beforehand; forward
 * dynamic programme over (machine, ticks of its restart behind it, work done) with work counted in
 * gcd(gap, overhead). -E2BIG above 64 million states, -EDOM where even on demand is late. O(ticks *
 * restart ticks * work units) time, two rows of memory (and a byte a state to find the ticks).
 */
int spot_bound(const struct spot_task *k, const struct spot_history *h, struct spot_bound *ret,
	       struct err *err);

#endif
