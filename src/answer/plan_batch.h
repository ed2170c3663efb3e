#ifndef TARE_ANSWER_PLAN_BATCH_H
#define TARE_ANSWER_PLAN_BATCH_H
/* Batch size, wait and replicas under a latency bound; see opt/batching.h. */
#include "opt/batching.h"

struct batch_ask {
	struct batch_in in; /* model and max_batch come from the profile where there is one */
	/* measured batches: the rows with so many compute slices and processes; or NULL */
	const char *profile;
	int slices, procs;
};
struct batch_answer {
	struct batch_in in; /* as it was decided with */
	struct batch_plan plan;
};
/* Infeasible is an answer. Returns 0, -ENODATA: no such rows in the profile, or a negative
 * errno. */
int answer_plan_batch(const struct batch_ask *q, struct batch_answer *ret, struct err *err);
#endif
