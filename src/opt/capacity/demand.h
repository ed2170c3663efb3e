#ifndef TARE_OPT_CAPACITY_DEMAND_H
#define TARE_OPT_CAPACITY_DEMAND_H
/*
 * Hourly demand of a list of jobs: the demand of hour h is the units (GPUs, instances) of all jobs
 * that overlap it, however briefly, as a cloud that bills whole hours sees it. Units are taken as
 * they are: two jobs of half a GPU are one.
 *
 *   d_h = sum of units_j over the jobs with start_j < end of h and end_j > start of h; a job of
 *   length 0 takes the hour it starts in.
 *
 * Hours are counted from from_ms, which need not be a full hour of the clock. Streaming: add jobs
 * in any order, then close.
 */
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

#define DEMAND_MAX_HOURS 1000000 /* 114 years */

struct demand {
	int64_t from_ms;
	size_t n;              /* hours */
	double *units;         /* [n], after demand_close(); to a millionth; owned */
	int64_t jobs, outside; /* jobs added; of these, jobs that touch no hour of the window */
};

struct demand_job {
	int64_t start_ms, length_ms;
	double units; /* fractions count */
};

/* Empty window of n hours (1 to DEMAND_MAX_HOURS). -EINVAL. */
int demand_init(struct demand *d, int64_t from_ms, size_t n, struct err *err);
/* -EINVAL for a negative length or units outside 0..10^9; parts outside the window are cut.
 * O(1). */
int demand_add(struct demand *d, const struct demand_job *j, struct err *err);
/* After the last job: units become sums, to a millionth: what adding and taking away fractions left
 * over is not demand. O(n). */
void demand_close(struct demand *d);
void demand_free(struct demand *d);

/*
 * All at once: the window is [first start, n hours) with n = 0 for "up to the hour in which the
 * last job starts": demand after the last start says nothing about new work. Jobs need no order.
 * Returns 0; -ENODATA without jobs; as above.
 */
int demand_of_jobs(size_t njob, const struct demand_job *job, size_t n, struct demand *ret,
		   struct err *err);

#endif
