#ifndef TARE_LEDGER_WITNESS_H
#define TARE_LEDGER_WITNESS_H
/*
 * Who would have seen an owner of a node's GPUs, and when (docs/LEDGER.md, Witnesses). Pure.
 *
 * A source is one imported file. What it says of itself (struct witness) holds; where it says
 * nothing, its jobs of a cluster watch the nodes that they name, or all nodes of the cluster where
 * they name none, from their first submit or start to the last instant that they name: that a job
 * runs does not tell when it was seen so. Jobs of one user only are taken for a part of the list
 * and watch nothing.
 */
#include "base/mem.h"
#include "model/model.h"

struct witness_node { /* nodes by their records: where jobs name no cluster, theirs is meant */
	struct sv node, cluster;
};
struct watch_span { /* in time order, not overlapping */
	int64_t from_ms, to_ms;
	enum quality quality; /* the best of those who watched */
};

/* Jobs that name no node, of a machine that is closed without them. */
enum may_hold {
	MAY_NOT_HOLD,
	MAY_HOLD, /* they may be on it: their list does not say that nobody held it */
	/* nobody knows the name of their GPU, and no machine has it: not even a list that is
	 * said to be complete does */
	MAY_HOLD_ANY,
};

/* told, jobs: ordered by source. The texts given must outlive the witnesses. */
struct witnesses;
struct witnesses *witnesses_new(const struct witness_told *told, size_t ntold,
				const struct witness_jobs *jobs, size_t njobs,
				const struct witness_node *node, size_t nnode);
void witnesses_free(struct witnesses *w); /* NULL is fine */
/*
 * When the node was watched. cluster: of its record, {NULL,0} = none; node {NULL,0}: any of the
 * cluster, such as a pool's. Returns how many spans, in mem. O(sources).
 */
size_t witnesses_of(const struct witnesses *w, const struct witness_node *of,
		    enum may_hold may_hold, struct arena *mem, struct watch_span **ret);
/* A source whose jobs of this cluster are all of one user, and so no witness; the next one after
 * *at (start with 0), false at the end. */
bool witnesses_partial(const struct witnesses *w, size_t *at, int64_t *ret_source,
		       struct sv *ret_cluster, struct sv *ret_user);

#endif
