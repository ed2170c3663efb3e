#ifndef TARE_PLAN_REPLAY_RELEASE_H
#define TARE_PLAN_REPLAY_RELEASE_H
/*
 * Machines that are given back whenever nobody holds them, and the jobs that come for them later:
 * who finds the machine gone waits for another one. How long, says plan/replay/capacity.h: a boot
 * where such machines are known to come, else the slow end of what is known, which may be hours.
 * What makes jobs late by that is a high risk, whatever it saves.
 */
#include "plan/replay/capacity.h"
#include "plan/alone/unheld.h"

struct release_machine {
	size_t node;     /* its first interval in fleet.node */
	int64_t wait_ms; /* of a job that finds it gone */
	const bool
		*own; /* [fleet.workload.n] of the recommendation: they do not wait; NULL: none */
};
/*
 * Replays the jobs of a machine, one after the other: it goes when it was free for
 * plan.idle_release_minutes, the next job waits, and with it those that came meanwhile and, where
 * they take the whole machine, those behind it. A machine that came in the history for a job had
 * been waited for already. Adds to r->wait and r->replay. O(n log n) of its workloads.
 */
void release_replay(const struct node_order *by, const struct release_machine *m, struct rec *r);

/* What is waited for each kind of machine of a recommendation, asked once each. */
struct release_wait {
	struct capacity_of kind;
	bool reserved;
	int64_t ms;
};
struct release_waits {
	const struct lever_in *in;
	const char *id; /* of the recommendation */
	VEC(struct release_wait) v;
};
/* For a machine of this kind, such as that of w; the caller frees v. */
int64_t release_wait_ms(struct release_waits *all, const struct workload *w,
			const struct capacity_of *kind);

/*
 * A job that begins so much later: is it past its deadline, which it was not; or, where its machine
 * was gone, past a limit that runs from when the machine was asked for (a boot of it counts)?
 */
bool release_is_late(const struct lever_in *in, size_t workload, int64_t wait_ms, bool gone);
/* The risk by r->replay, and how many are late of how many. */
void release_tell(const struct lever_in *in, struct rec *r);

#endif
