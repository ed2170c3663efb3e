#ifndef TARE_OPT_CAPACITY_PACK_TIME_H
#define TARE_OPT_CAPACITY_PACK_TIME_H
/*
 * Jobs that hold parts of machines, packed onto fewer whole machines over time, without moving a
 * job and without delaying one.
 *
 *   minimise sum over machines of the time they are open (first held to last held, gaps longer than
 *                                                            close_after are closed)
 *   subject to at every instant the GPUs held on a machine <= its GPUs, each job on one machine
 *   from its start to its end
 *
 * First fit in order of start: a job goes to the first open machine that has the GPUs at its
 * start, else to a new one. First fit for interval scheduling with bounded capacity is within a
 * factor of 4 of the optimum (Flammini et al. 2010, TCS 411); for load the lower bound is the sum
 * of GPUs x time over the GPUs of a machine, which pack_time() returns beside the result. We
 * charge every opening with a fixed time (boot, release).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pack_job {
	int64_t from_ms, to_ms;
	int gpus;
	size_t tag; /* the caller's */
	/* out: it opened a machine that had been closed, so that one had to come for it */
	bool reopened;
};
struct pack_result {
	int64_t open_ms;  /* of whole machines, all together, with what openings cost */
	int64_t bound_ms; /* no packing is open for less (without openings) */
	size_t machines;  /* at most open at a time */
	size_t openings;
};
/*
 * job [n] in any order (sorted in place by start); GPUs of a job above `gpus` get a machine each
 * of their own, counted whole. close_after_ms: a machine without a job closes after so long and
 * pays for that; boot_ms is paid at each opening. O(n x machines). n 0 gives zeros.
 */
void pack_time(struct pack_job *job, size_t n, int gpus, int64_t close_after_ms, int64_t boot_ms,
	       struct pack_result *ret);

#endif
