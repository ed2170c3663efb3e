#ifndef TARE_OPT_FLOW_H
#define TARE_OPT_FLOW_H
/*
 * Min-cost flow, exact, in integers: the optimum against which purchases over time are measured,
 * and a bound for schedules.
 *
 *   min  sum_a cost_a x_a    subject to   out(i) - in(i) = supply_i,   0 <= x_a <= cap_a
 *
 * The problem is a list of nodes with supplies and a list of arcs; the answer comes with
 * potentials, so that anybody can check it (flow_check()) without trusting the solver.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

#define FLOW_UNLIMITED INT64_MAX

struct flow_arc {
	uint32_t from, to;
	int64_t cost; /* per unit, |cost| x nodes below 2^60 */
	int64_t cap;  /* >= 0 or FLOW_UNLIMITED */
};

struct flow {
	size_t nnode, narc;
	const int64_t *supply;      /* [nnode] > 0 sends, < 0 wants; adds up to 0 */
	const struct flow_arc *arc; /* [narc] */
	/* [nnode] or NULL: a feasible tree to start from: the arc from node i towards the last
	 * node; the last entry is not read */
	const uint32_t *tree;
};

struct flow_result {
	bool feasible; /* false: no flow meets the supplies; the rest is then not written */
	__int128 cost;
	int64_t *x;         /* [narc], the caller's memory */
	int64_t *potential; /* [nnode], the caller's memory: price of a unit at the node */
	int64_t pivots;
};

/*
 * Solve. 0; -EINVAL for an arc out of range, a negative capacity or supplies that do not add up to
 * 0; -E2BIG where numbers leave 64 bits; -EDOM where costs fall without end (a cycle of negative
 * cost and unlimited capacity). A start tree that is not feasible is not used. Deterministic. About
 * O(narc) pivots, each O(nodes moved); memory O(nnode + narc).
 * Source: network simplex with strongly feasible trees, Cunningham 1976, Math. Programming 11,
 * 105-116.
 */
int flow_solve(const struct flow *f, struct flow_result *ret, struct err *err);

/* Is x feasible and proven optimal by the potentials (complementary slackness)? The sentence of err
 * says where not. O(nnode + narc). */
bool flow_check(const struct flow *f, const struct flow_result *r, struct err *err);

#endif
