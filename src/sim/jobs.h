#ifndef TARE_SIM_JOBS_H
#define TARE_SIM_JOBS_H
/*
 * Replay of jobs on a virtual clock: pools of machines with a capacity (fixed) or none (elastic:
 * machines come and go with the work), jobs that start when they were submitted and there is room,
 * interruptions drawn from a hazard, checkpoints, deadlines, memory. Deterministic: same input and
 * seed, same bytes. Streaming: jobs in order of submit; memory is that of what runs and waits.
 */
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct sim_pool {
	int64_t capacity; /* GPUs; 0 = elastic, machines of gpus_node come and go */
	/* GPUs of one machine, >= 1; jobs larger than it take whole machines */
	int64_t gpus_node;
	int64_t boot_ms; /* of a machine, paid */
	int64_t keep_ms; /* an empty machine is kept this long, paid */
	double usd_gpu_hour;
	double mem_bytes; /* of a GPU, NAN = not known */
};
struct sim_job {
	int64_t submit_ms, run_ms; /* run: work alone, without interruptions */
	int64_t deadline_ms;       /* INT64_MAX = none */
	int32_t pool, gpus;
	double hazard_hour; /* interruptions an hour, 0 = never */
	/* every 0: no checkpoints, an interruption starts from zero */
	int64_t restart_ms, checkpoint_every_ms, checkpoint_stall_ms;
	double mem_bytes; /* it needs on each GPU, NAN */
	/* where it goes when waiting or restarting further would miss the deadline; -1 none */
	int32_t fallback_pool;
};
struct sim_result {
	int64_t jobs, deadline_misses, oom, interruptions, fallbacks;
	double job_gpu_hours, paid_gpu_hours, cost_usd, lost_gpu_hours;
	double wait_mean_s, wait_p95_s, makespan_h, peak_gpus;
	uint64_t digest; /* of all starts and ends: equal runs are equal here */
};
/* 1, 0 at the end, negative errno; submits do not go back */
typedef int (*sim_job_next)(void *ctx, struct sim_job *ret);
typedef void (*sim_job_done)(void *ctx, size_t index, int64_t start_ms, int64_t end_ms,
			     double cost_usd, int interruptions);
struct sim_input {
	const struct sim_pool *pool; /* [npool] */
	size_t npool;
	sim_job_next next;
	sim_job_done done; /* NULL is fine */
	void *ctx;         /* of both */
	uint64_t seed;
};
/* -EINVAL for input that makes no sense (named by the job's index). O(jobs log jobs). */
int sim_jobs(const struct sim_input *in, struct sim_result *ret, struct err *err);
#endif
