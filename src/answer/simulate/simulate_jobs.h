#ifndef TARE_ANSWER_SIMULATE_SIMULATE_JOBS_H
#define TARE_ANSWER_SIMULATE_SIMULATE_JOBS_H
/* A file of jobs, or invented ones, on the virtual clock (sim/jobs.h). */
#include <stdbool.h>
#include "sim/jobs.h"

struct simulate_jobs_ask {
	struct sim_pool pool[2]; /* [1]: on demand, where a deadline would be missed */
	size_t npool;
	bool priced; /* usd_gpu_hour of the pools is known */
	/* what the jobs have in common: interruptions, checkpoints, where they go */
	struct sim_job like;
	double slack_frac; /* deadline of a job without one: start + length x (1 + this); NAN = none */
	const char
		*file; /* of the jobs (columns: feed/planner/plan_csv.h); NULL: they are invented */
	int64_t generate; /* so many that ask for load_frac of the GPUs */
	double load_frac;
	uint64_t seed;
	double (*cpu_s)(void); /* time that the process has worked; NULL: nobody asks */
};
struct simulate_jobs {
	struct sim_result r;
	int64_t too_large;  /* jobs left out: they want more than there is */
	int64_t rounded_up; /* jobs of a part of a GPU, which were given the whole of it */
	bool priced;
	int64_t gpus, gpus_node; /* of the first pool; gpus 0: machines come and go */
	uint64_t seed;
	double cpu_s; /* NAN = not asked */
};
/* Returns 0 or a negative errno; -ENODATA: no job can run. */
int answer_simulate_jobs(const struct simulate_jobs_ask *q, struct simulate_jobs *ret,
			 struct err *err);
#endif
