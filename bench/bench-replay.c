/* Replay of many jobs on a cluster of many GPUs: CPU seconds and the digest, twice. usage: bench-replay JOBS GPUS [SEED] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "sim/draw.h"
#include "sim/jobs.h"

#define MAX_S 259200.0 /* three days */

struct gen { int64_t n, at, submit_ms; uint64_t seed; double gap_ms; };

/* As in Philly: most jobs on one card, some on eight or more; lengths of a lognormal with a long tail; the cluster overbooked by 5 %, so that a
 * line of waiting jobs grows: the hard case. */
static int next(void *ctx, struct sim_job *ret)
{
	static const int gpus[] = { 1, 1, 1, 1, 1, 2, 2, 4, 8, 16 };
	struct gen *g = ctx;
	uint64_t i = (uint64_t)g->at;

	if (g->at++ == g->n)
		return 0;
	g->submit_ms += (int64_t)(draw_exponential(draw_bits(g->seed, i, 1)) * g->gap_ms);
	*ret = (struct sim_job){ .submit_ms = g->submit_ms, .run_ms = (int64_t)(fmin(MAX_S, exp(7.5 + 1.8 * draw_normal(draw_bits(g->seed, i, 2)))) * 1000),
				 .deadline_ms = INT64_MAX, .gpus = gpus[draw_bits(g->seed, i, 3) % 10], .mem_bytes = NAN, .fallback_pool = -1 };
	if (ret->gpus == 1)
		ret->hazard_hour = 0.02, ret->restart_ms = 360000, ret->checkpoint_every_ms = 1800000, ret->checkpoint_stall_ms = 20000;
	return 1;
}

int main(int argc, char **argv)
{
	int64_t n = argc > 1 ? atoll(argv[1]) : 1000000, gpus = argc > 2 ? atoll(argv[2]) : 10000;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1, digest = 0;
	const struct sim_pool pool = { .capacity = gpus, .gpus_node = 8, .usd_gpu_hour = 2, .mem_bytes = NAN };
	double mean_gpu_ms = 8341e3 * 3.7; /* of the cut lognormal (drawn), and of gpus[] */

	for (int again = 0; again < 2; again++) {
		struct gen g = { .n = n, .seed = seed, .gap_ms = mean_gpu_ms / ((double)gpus * 1.05) };
		struct sim_result r;
		struct err err;
		clock_t from = clock();
		if (sim_jobs(&pool, 1, next, NULL, &g, seed, &r, &err) < 0) {
			fprintf(stderr, "bench-replay: %s\n", err.msg);
			return 1;
		}
		printf("%lld jobs, %lld GPUs: %.2f CPU s, digest %016llx, wait mean %.0f s, used %.3f, interruptions %lld\n", (long long)r.jobs, (long long)gpus,
		       (double)(clock() - from) / CLOCKS_PER_SEC, (unsigned long long)r.digest, r.wait_mean_s, r.job_gpu_hours / r.paid_gpu_hours,
		       (long long)r.interruptions);
		if (again && digest != r.digest) {
			fprintf(stderr, "bench-replay: same seed, other bytes\n");
			return 1;
		}
		digest = r.digest;
	}
	return 0;
}
