#ifndef TARE_OPT_SCHEDULE_SCHEDULE_H
#define TARE_OPT_SCHEDULE_SCHEDULE_H
/*
 * When to run: one job against a price that changes over time, with or without interruptions; on
 * and off hours of a fleet that is used some hours a day. Many jobs with capacity are in
 * opt/schedule/schedule_fleet.h.
 *
 * A price series is a list of steps: each price holds from its instant to the next one, the last to
 * end_ms. A negative price: no machine to be had then, or the price is not known; nothing runs
 * there. Amounts: nano-dollars an hour of one unit; costs are nano-dollars, rounded half-even once
 * at the end.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct price_step {
	int64_t at_ms, nano_hour;
};
struct price_series {
	size_t n;
	const struct price_step *step; /* [n] ascending */
	int64_t end_ms;
};
/* 0, or -EINVAL with the step that is wrong: not ascending, not below end_ms, or of a price above
 * 10^16. */
int price_series_check(const struct price_series *p, struct err *err);

struct schedule_job {
	int64_t release_ms, deadline_ms; /* may start, must have ended */
	int64_t length_ms;               /* of work, > 0 */
	int64_t units;                   /* machines at once, >= 1 */
	/* of schedule_pieces(): lost at each start after the first */
	int64_t restart_ms;
};

struct schedule_start {
	bool feasible;    /* else no window of that length has a price */
	int64_t start_ms; /* the earliest of the cheapest */
	int64_t cost_nano;
	int64_t now_nano; /* started at once; -1: cannot be */
};
/*
 * Cheapest start without interruption, exact over all instants, not only slots: the cost is
 * piecewise linear in the start, so that a cheapest one has its start or its end on a step, or lies
 * at an end of the window. O(steps log steps) by prefix sums. -EINVAL.
 */
int schedule_start(const struct price_series *p, const struct schedule_job *j,
		   struct schedule_start *ret, struct err *err);

struct schedule_piece {
	int64_t from_ms, to_ms;
};
struct schedule_pieces {
	bool feasible;
	int64_t cost_nano;
	size_t n;
	struct schedule_piece *piece; /* [n], owned */
	/* work and restart were rounded up to it; the same for slot_ms */
	int64_t unit_ms;
};
/*
 * Cheapest way to run in pieces that begin and end on slots of slot_ms from the release on:
 *
 *   V(t, r, off) = min( V(t+1, r, off), V(t, r + restart, on) )
 *   V(t, r, on)  = min( price_t min(slot, r) + V(t+1, r - min(slot, r), on), V(t, r, off) )
 *   r: work left; the first start is free of restart
 *
 * exact for the slots given. At most 5 x 10^7 states: -E2BIG beyond (choose longer slots). Free
 * with schedule_pieces_free().
 */
int schedule_pieces(const struct price_series *p, const struct schedule_job *j, int64_t slot_ms,
		    struct schedule_pieces *ret, struct err *err);
void schedule_pieces_free(struct schedule_pieces *p);

/* Cost in nano of running one unit in [from, to); -1 where a part has no price. */
int64_t price_between(const struct price_series *p, int64_t from_ms, int64_t to_ms);

/* ---- timetable --------------------------------------------------------------------------- */

#define WEEK_HOURS 168
struct timetable_opt {
	/* on this long before and after the hours of use; whole hours are taken, default 1 */
	double headroom_h;
	/* an hour of the week counts as used when at least this part of its weeks had use; 0 = any
	 * use at all */
	double min_use_frac;
};
struct timetable {
	bool enough; /* two whole weeks, every hour of the week known at least twice */
	char why[160];
	bool on[WEEK_HOURS]; /* from Monday 00:00 in local time */
	double on_hours;     /* a week */
	double off_frac;     /* of the history's hours that the timetable switches off */
	int64_t weeks;
	/* replay, each week against a timetable made from the other weeks only */
	int64_t tested_hours, misses; /* known hours; of these, hours of use that were off */
	int64_t unknown_off; /* unknown hours that would have been off: never counted as saved */
};
struct timetable_history {
	size_t n;
	const double *use; /* [n] by the hour: > 0 in use, 0 not, NAN unknown */
	int64_t from_ms;   /* a whole hour */
	int32_t utc_offset_s;
};
/*
 * An hour of the week of which nothing is known stays on. One interval or several a day; off
 * intervals shorter than three hours are not worth a stop and stay on.
 */
int timetable_make(const struct timetable_opt *o, const struct timetable_history *h,
		   struct timetable *ret, struct err *err);
/*
 * The on-hours as intervals of one day each: from_h and to_h (1..24) of day 0 (Monday) to 6. A
 * interval over midnight comes as two, so that day by day tables can be printed; a switch is only
 * where the hour before is off (starts) or the hour behind (stops). ret [84]. Returns how many.
 */
struct on_interval {
	int day, from_h, to_h;
	bool starts, stops;
};
size_t timetable_intervals(const bool on[WEEK_HOURS], struct on_interval *ret);

/* Hour of the week (0 = Monday 00:00 local) of an instant. */
int week_hour(int64_t ms, int32_t utc_offset_s);

#endif
