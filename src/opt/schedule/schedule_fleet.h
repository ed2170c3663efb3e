#ifndef TARE_OPT_SCHEDULE_SCHEDULE_FLEET_H
#define TARE_OPT_SCHEDULE_SCHEDULE_FLEET_H
/*
 * Many jobs on machines of limited number, at one or several places (regions, zones), each with its
 * price by the slot:
 *
 *   min  sum_j [ units_j x sum_{t in run of j} c(place_j, t) + move(j, place_j) ]
 *   subject to release_j <= start_j, start_j + length_j <= deadline_j, sum of units_j that run at
 *           (p, t) <= capacity(p, t)
 *
 * Jobs run without interruption at one place. Where a price is -1 nothing runs. NP-hard; answered
 * by a heuristic with two lower bounds beside it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct slot_job {
	uint32_t release, deadline; /* slots; deadline is the first slot in which it must not run */
	uint32_t length;            /* slots, >= 1 */
	int64_t units;
	/* [nplace] once, for all units: egress of data; -1: not allowed there; NULL: 0
	 * everywhere */
	const int64_t *move_nano;
};
struct slot_problem {
	size_t nplace, nslot, njob;
	const int64_t *price_nano; /* [nplace][nslot] of a unit for a slot, -1 none */
	const int64_t *capacity;   /* [nplace][nslot] units; NULL: no limit */
	const struct slot_job *job;
};
struct slot_answer {
	int32_t *place, *start; /* [njob] owned; place -1: no room or no price for it anywhere */
	size_t left_out;
	int64_t cost_nano; /* of those that run */
	/* bound: the transportation relaxation (jobs may be cut into unit-slots), by min-cost flow;
	 * -1 where too large to solve */
	int64_t flow_nano;
	/* bound: Lagrangian, capacities priced; both over the jobs that run */
	int64_t price_nano;
	/* cost over the larger bound - 1; 0: proven optimal; NAN: bound 0 */
	double gap_frac;
};
/*
 * 0; -EINVAL; -E2BIG above SLOT_MAX_CELLS. Deterministic. O(rounds x sum over jobs of window x
 * places).
 * Source of the bounds: transportation problem (Hitchcock 1941); Lagrangian relaxation with
 * subgradient steps (Held, Wolfe & Crowder 1974, Math. Programming 6, 62-88), started from the
 * flow's potentials. The heuristic is ours: jobs go in by size, each where price plus priced
 * capacity is least, then each is taken out and put back at its best as long as that helps, then
 * small groups are (ruin and recreate, fixed seed, fixed budget).
 */
#define SLOT_MAX_CELLS 4000000 /* places x slots */
#define SLOT_MAX_ARCS  1500000 /* above it no flow bound */
int slot_solve(const struct slot_problem *f, struct slot_answer *ret, struct err *err);
void slot_answer_free(struct slot_answer *a);

#endif
