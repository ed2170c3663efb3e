#ifndef TARE_ANSWER_PLAN_PLAN_BATCH_H
#define TARE_ANSWER_PLAN_PLAN_BATCH_H
/* Batch size, wait and replicas under a latency bound (opt/capacity/batching.h), replayed before
 * they are said (sim/batches.h). */
#include "base/mem.h"
#include "opt/capacity/batching.h"

enum batch_arrivals {
	BATCH_BURSTS,  /* nothing is known: the number that holds for both of these */
	BATCH_POISSON, /* independent of each other */
	BATCH_TRACE,   /* as a file has them */
};
const char *batch_arrivals_name(enum batch_arrivals a); /* "bursts", "poisson", "requests" */

struct batch_ask {
	/* model and max_batch come from the profile where there is one; qps NAN with requests: as
	 * they came */
	struct batch_in in;
	/* measured batches: the rows with so many compute slices and processes; or NULL */
	const char *profile;
	int slices, procs;
	const char *requests;         /* a trace of their times, or NULL */
	enum batch_arrivals arrivals; /* without a trace */
	struct arena *mem;
};
/* What the replay says; replicas and staggered of the plan are its. */
struct batch_replay {
	bool done;
	enum batch_arrivals arrivals;
	int64_t requests;    /* replayed for one number of replicas and one way to give them out */
	double p99_ms;       /* at the replicas said: the worse of one queue and in turn */
	double p99_fewer_ms; /* with one fewer; NAN: there is one */
	double p99_staggered_ms; /* at the staggered batch */
	int poisson_replicas;    /* what would do for those alone; 0: the same, or not asked */
};
struct batch_answer {
	struct batch_in in; /* as it was decided with */
	struct batch_plan plan;
	struct batch_replay replay;
};
/*
 * Replicas: with a trace the fewest whose replay keeps the 99th percentile within the bound, both
 * behind one queue and behind a balancer that gives requests in turn, if one more does too; without
 * one at least as many as keep each at 0.9 of its capacity. Infeasible is an answer. Returns 0,
 * -ENODATA: no such rows in the profile, -E2BIG: more than 10,000,000 replicas would be needed, or
 * another negative errno. Below a request in 1,000 s bursts are replayed as independent arrivals.
 */
int answer_plan_batch(const struct batch_ask *q, struct batch_answer *ret, struct err *err);
#endif
