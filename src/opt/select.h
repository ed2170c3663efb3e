#ifndef TARE_OPT_SELECT_H
#define TARE_OPT_SELECT_H
/*
 * The best set of proposals that do not exclude each other.
 *
 *   maximise  sum_i weight_i x_i,  x_i in {0,1}
 *   with      x_a + x_b <= 1 for each edge {a,b}   (both change the same work)
 *             x_a <= x_b     for each need (a,b)   (a needs b)
 *
 * A weighted independent set with precedence. Split into connected components; each is solved by
 * branch and bound over a topological order (heavier first), bounded by a greedy clique cover: of
 * each clique at most one item counts. Exact unless a component needs more than max_nodes; then the
 * best set found is returned with the cover's value as a proven upper bound.
 * Source: the colouring bound of Tomita & Seki 2003 (MCQ) and its weighted form, Kumlander 2004;
 * differs in: precedence, negative weights.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct select_in {
	size_t n;
	/* [n] gain if taken, may be negative; sums stay within int64 */
	const int64_t *weight;
	size_t nedge, nneed;
	const uint32_t (*edge)[2]; /* [nedge] not both */
	const uint32_t (*need)[2]; /* [nneed] [0] only with [1] */
	int64_t max_nodes;         /* of one component; 0: 200,000 */
};
struct select_out {
	int64_t value, bound; /* bound == value where exact */
	bool exact;
};
/*
 * ret_take [n]. Ties go to the lower index. Items of weight 0 or less are taken only where
 * something that gains needs them. -EINVAL: an index out of range, or needs that go round in a
 * circle. O(n + edges) memory; time O(n) per node.
 */
int select_best(const struct select_in *in, bool *ret_take, struct select_out *ret,
		struct err *err);

#endif
