/* Replay of many jobs on a cluster of many GPUs, overbooked so that a line of waiting jobs grows;
 * twice. usage: bench-replay JOBS GPUS [SEED] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "sim/jobs_gen.h"

int main(int argc, char **argv)
{
	int64_t n = argc > 1 ? atoll(argv[1]) : 1000000, gpus = argc > 2 ? atoll(argv[2]) : 10000;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1, digest = 0;
	const struct sim_pool pool = {
		.capacity = gpus, .gpus_node = 8, .usd_gpu_hour = 2, .mem_bytes = NAN
	};
	const struct sim_job like = { .mem_bytes = NAN,
				      .fallback_pool = -1,
				      .hazard_hour = 0.02,
				      .restart_ms = 360000,
				      .checkpoint_every_ms = 1800000,
				      .checkpoint_stall_ms = 20000 };

	for (int again = 0; again < 2; again++) {
		struct jobs_gen g = { .n = n,
				      .gpus = gpus,
				      .load_frac = 1.05,
				      .seed = seed,
				      .like = like,
				      .slack_frac = NAN };
		struct sim_result r;
		struct err err;
		clock_t from = clock();
		const struct sim_input in = {
			.pool = &pool, .npool = 1, .next = jobs_gen_next, .ctx = &g, .seed = seed
		};
		if (sim_jobs(&in, &r, &err) < 0) {
			fprintf(stderr, "bench-replay: %s\n", err.msg);
			return 1;
		}
		printf("%lld jobs, %lld GPUs: %.2f CPU s, digest %016llx, wait mean %.0f s, used %.3f, interruptions %lld\n",
		       (long long)r.jobs, (long long)gpus,
		       (double)(clock() - from) / CLOCKS_PER_SEC, (unsigned long long)r.digest,
		       r.wait_mean_s, r.job_gpu_hours / r.paid_gpu_hours,
		       (long long)r.interruptions);
		if (again && digest != r.digest) {
			fprintf(stderr, "bench-replay: same seed, other bytes\n");
			return 1;
		}
		digest = r.digest;
	}
	return 0;
}
