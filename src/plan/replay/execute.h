#ifndef TARE_PLAN_REPLAY_EXECUTE_H
#define TARE_PLAN_REPLAY_EXECUTE_H
/*
 * The replay of what is printed: every job of the history is submitted again under the typed
 * actions of the plan, in their order, by what is known when it is submitted, and runs on the pools
 * that are there or that an action makes. Limits kill, memory is a wall, shapes are those that are
 * sold, a run that needs more than a smaller default runs again as before. It knows nothing of how
 * a lever came to its proposal: what a lever says of a job (its use) must be what the actions do.
 */
#include "plan/replay/compose.h"

enum ran_as {
	RAN_BEFORE,   /* no action is about it */
	RAN_WELL,     /* it is submitted otherwise, and ends within its limit */
	RAN_REQUEUED, /* needs more than the default: as before, after a failure */
	RAN_CUT,      /* its limit ends it */
	RAN_OOM,      /* more GPU memory than the GPU has */
	RAN_STUCK,    /* no pool has such a machine, or it has fewer GPUs */
	RAN_OTHERWISE /* an action changes it and no lever judged that, or the other way round */
};

struct ran {
	enum ran_as as;
	const struct rec *by; /* the last one whose action is about it */
};
struct execution {
	struct ran *job; /* [fleet.work.n]; RAN_BEFORE for what is no job */
	int64_t count[RAN_OTHERWISE + 1];
};
void execute(const struct composer *cp, const struct comp *c, struct execution *ret);
void execution_free(struct execution *e);
const char *ran_name(enum ran_as as); /* "cut", "out of memory", ... */

#endif
