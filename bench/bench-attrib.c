/*
 * Speed and memory of attribution: one GPU, one sample a second, in the shapes that cost most.
 * Prints samples per second of CPU time and the largest resident size after each run; memory must
 * not grow with the number of samples.
 *
 *   bench-attrib [SAMPLES]     (default 20,000,000; a quarter of them in each shape)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/tm.h"
#include "ledger/attrib.h"

struct gen {
	int64_t at, n;
	uint64_t rnd;
	int jobs; /* samples name one of so many jobs, 0 = the GPU */
	bool noisy;
	struct sample s;
	int64_t entries;
};

static const struct sv job_name[] = {
	{ "job-1", 5 }, { "job-2", 5 }, { "job-3", 5 }, { "job-4", 5 }
};

static int next(void *ctx, struct attrib_sample *ret, struct err *err)
{
	struct gen *g = ctx;
	if (g->at >= g->n)
		return 0;
	g->rnd = g->rnd * 6364136223846793005u + 1442695040888963407u;
	int64_t second = g->jobs ? g->at / g->jobs : g->at;
	g->s.t_ms = second * MS_SECOND;
	g->s.step_ms = MS_SECOND;
	/* Quiet: ten minutes of work, ten without. Noisy: every second something else, which ends
	 * an idle run all the time. */
	unsigned r = (unsigned)(g->rnd >> 40);
	g->s.value[METRIC_GPU_UTIL_PCT] = g->noisy           ? (r & 3 ? r % 101 : 0)
					  : second / 600 % 2 ? 0
							     : 80;
	g->s.value[METRIC_MEM_USED_BYTES] = g->noisy && (r & 4) ? 1e8 : 3e10;
	g->s.value[METRIC_POWER_W] = 400;
	*ret = (struct attrib_sample){ .s = &g->s, .owner = ATTRIB_NOBODY };
	if (g->jobs)
		ret->job_id = job_name[g->at % g->jobs];
	g->at++;
	return 1;
}

static int emit(void *ctx, const struct attrib_entry *e, struct err *err)
{
	struct gen *g = ctx;
	g->entries++;
	return 0;
}

static double cpu_s(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void run(const char *name, int64_t n, int jobs, bool noisy)
{
	struct attrib_conf conf;
	attrib_conf_default(&conf);
	struct gen g = { .n = n, .jobs = jobs, .noisy = noisy, .rnd = 1 };
	for (int m = 0; m < METRIC_N; m++)
		g.s.value[m] = NAN;
	int64_t end = (n / (jobs ? jobs : 1)) * MS_SECOND, njob = end / (6 * MS_HOUR) + 1;
	struct attrib_paid paid = { .to_ms = end,
				    .gpus_milli = 1000,
				    .recorded = true,
				    .unheld_state = STATE_UNALLOCATED,
				    .unheld_cause = CAUSE_FREE,
				    .purchase = SV("on_demand"),
				    .currency = SV("USD"),
				    .owner = ATTRIB_NOBODY };
	for (int b = 0; b < BASIS_N; b++) {
		paid.has_rate[b] = true;
		paid.rate_gpu_hour[b] = 3 * DEC_ONE + 7;
	}
	size_t na = jobs ? (size_t)jobs : (size_t)njob;
	struct attrib_alloc *alloc = calloc(na, sizeof *alloc);
	for (size_t i = 0; i < na; i++)
		alloc[i] = (struct attrib_alloc){
			.from_ms = jobs ? 0 : (int64_t)i * 6 * MS_HOUR,
			.to_ms = jobs ? end : (int64_t)(i + 1) * 6 * MS_HOUR - MS_MINUTE,
			.owner = i,
			.gpus_milli = 1000,
			.share_kind = jobs ? SHARE_TIMESLICE : SHARE_WHOLE,
			.share_ppb = -1,
			.mig_start = -1,
			.job_id = jobs ? job_name[i] : SV_NULL
		};
	struct attrib_gpu gpu = { .paid = &paid,
				  .npaid = 1,
				  .alloc = alloc,
				  .nalloc = na,
				  .mem_total_bytes = 8e10,
				  .tdp_w = 700 };
	struct attrib_rest rest = { 0 };
	struct err err;
	double t0 = cpu_s();
	struct attrib_out out = { emit, &g, &rest };
	int r = attrib_gpu(&conf, &gpu, next, &g, &out, &err);
	double s = cpu_s() - t0;
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	printf("%-28s %12lld samples %8.2f CPU-s %8.2f M samples/s %9lld entries  peak %ld KiB%s%s\n",
	       name, (long long)n, s, (double)n / s / 1e6, (long long)g.entries, u.ru_maxrss,
	       r ? "  FAILED: " : "", r ? err.msg : "");
	free(alloc);
	if (r)
		exit(1);
}

int main(int argc, char **argv)
{
	int64_t n = argc > 1 ? strtoll(argv[1], NULL, 10) : 20000000;
	if (n < 10) {
		fprintf(stderr, "usage: bench-attrib [SAMPLES]\n");
		return 2;
	}
	run("whole GPU", n / 4, 0, false);
	run("whole GPU, noisy", n / 4, 0, true);
	run("4 time slices by process", n / 4, 4, false);
	run("4 time slices, noisy", n - n / 4 * 3, 4, true);
	return 0;
}
