#ifndef TARE_SIM_JOBS_GEN_H
#define TARE_SIM_JOBS_GEN_H
/*
 * Invented jobs in the proportions of public traces (Philly: half on one GPU, a tenth on sixteen;
 * lengths lognormal, median half an hour, cut at three days), coming as a Poisson process that asks
 * for load_frac of the GPUs. A job is a function of (seed, its number).
 */
#include "sim/jobs.h"

struct jobs_gen {
	int64_t n;        /* jobs */
	int64_t gpus;     /* of the cluster that load_frac is meant for */
	int64_t gpus_max; /* of one job, 0 = 16 */
	double load_frac;
	uint64_t seed;
	struct sim_job like;   /* hazard, checkpoints, pools and the rest of each job */
	double slack_frac;     /* deadline = submit + run x (1 + this); NAN: none */
	int64_t at, submit_ms; /* state: 0 */
};
int jobs_gen_next(void *gen, struct sim_job *ret); /* a sim_job_next */

#endif
