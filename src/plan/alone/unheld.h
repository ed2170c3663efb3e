#ifndef TARE_PLAN_ALONE_UNHELD_H
#define TARE_PLAN_ALONE_UNHELD_H
/*
 * How long nobody has held a machine, as far as the history shows and somebody watched; and whether
 * that is long enough to stop it (the row "stop" of plan.gates).
 */
#include "plan/lever/lever.h"

/* Jobs, services and unknown time by machine, in order of time within one kind. */
struct node_order {
	const struct lever_in *in;
	size_t *order; /* [n] indices of fleet.workload */
	size_t n;
};
void node_order_make(const struct lever_in *in, struct node_order *ret);
void node_order_free(struct node_order *o);
/* The first on this machine, and whether the k-th still is: O(log n). */
size_t node_order_first(const struct node_order *o, const char *node);
bool node_order_is(const struct node_order *o, size_t k, const char *node);

struct unheld {
	int64_t from_ms, to_ms;
	/* of [from, to), inside the history; seen: also by lists that may be partial */
	double days, watched_frac, seen_frac;
	double pause_days;           /* its longest time free before, that somebody ended */
	const struct workload *last; /* who held it last; NULL: nobody */
	bool present;                /* a job without GPUs was on it last */
};
/* w: free time of a machine of the fleet. In the state of the plan: who has left does not hold. */
struct unheld unheld_of(const struct node_order *o, const struct workload *w);
/* May it be stopped, and as what. */
bool unheld_may_stop(const struct node_order *o, const struct workload *w, const struct unheld *u,
		     enum tier *ret);
/* Something lies in its GPUs' memory, or its CPUs worked lately: no job of the list, but somebody
 * may count on it. */
bool unheld_shows_life(const struct node_order *o, const struct workload *w);

#endif
