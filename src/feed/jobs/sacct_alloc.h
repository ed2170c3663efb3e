#ifndef TARE_FEED_JOBS_SACCT_ALLOC_H
#define TARE_FEED_JOBS_SACCT_ALLOC_H
/* The GPUs of a job of Slurm's accounting over its nodes: an allocation for each node, type and
 * kind of share. */
#include "feed/feed.h"
#include "feed/jobs/sacct.h"

struct sacct_alloc {
	struct feed_run *r;
	int64_t mps_per_gpu, shards_per_gpu; /* 0 = not known */
	/* of the row's job: all its GPUs, CPUs, MiB (-1 = not known) */
	int64_t gpus_milli, cpu, mem_mib;
	/* jobs whose GPUs do not divide evenly; with fewer GPUs than nodes: entered without a
	 * node */
	int64_t uneven, unplaced;
};
bool sacct_holds_gpus(const struct tres_gpus *t);
/* whole GPUs of all types; shares do not count */
int64_t sacct_gpus_milli(const struct tres_gpus *t);
/* *a has who and when; node, gpus_milli, shares, model, CPU and memory are set here. Slurm does not
 * say what each node gave: as evenly as it goes. */
int sacct_emit_gpus(struct sacct_alloc *s, struct allocation *a, const struct tres_gpus *t,
		    const struct sv *node, long nnode, struct err *err);

#endif
