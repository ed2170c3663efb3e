#ifndef TARE_FEED_JOBS_SACCT_GIVE_H
#define TARE_FEED_JOBS_SACCT_GIVE_H
/* The GPUs of a job of Slurm's accounting over its nodes: an allocation for each node, type and
 * kind of share. */
#include "feed/feed.h"
#include "feed/jobs/sacct.h"

struct sacct_give {
	struct feed_run *r;
	int64_t mps_per_gpu, shards_per_gpu; /* 0 = not told */
	/* of the row's job: all its GPUs, CPUs, MiB (-1 = not told) */
	int64_t gpus_milli, cpu, mem_mib;
	/* jobs whose GPUs do not divide evenly; with fewer GPUs than nodes: entered without a
	 * node */
	int64_t uneven, unplaced;
};
bool sacct_holds_gpus(const struct tres_gpus *t);
/* GPUs of all kinds that sacct_give_gpus() gives */
int64_t sacct_gpus_milli(const struct tres_gpus *t);
/* *a has who and when; node, gpus_milli, shares, model, CPU and memory are set here. Slurm does not
 * say what each node gave: as evenly as it goes. */
int sacct_give_gpus(struct sacct_give *s, struct allocation *a, const struct tres_gpus *t,
		    const struct sv *node, long nnode, struct err *err);

#endif
