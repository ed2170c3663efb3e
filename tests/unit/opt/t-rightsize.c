/* Every rule of jobstats and of the diagnosis tree on a labelled case of its own, and one just
 * beside it. */
#include <math.h>
#include "opt/size/rightsize.h"
#include "../base/test.h"

#define H  3600000LL
#define GB 1e9

static void time_of_runs(void **state)
{
	int64_t used[40], few[] = { 8 * H, 7 * H, 8 * H };
	assert_int_equal(rightsize_time(few, 3, 0.95, 0.125, 5 * 60000), 9 * H);
	for (int i = 0; i < 40; i++)
		used[i] = i < 38 ? 8 * H : 20 * H; /* two of forty are outliers: p95 is the 38th */
	assert_int_equal(rightsize_time(used, 40, 0.95, 0.125, 5 * 60000), 9 * H);
	assert_int_equal(rightsize_time(used, 0, 0.95, 0.125, 5 * 60000), 0);
	few[0] = few[1] = few[2] = 61 * 60000;
	assert_int_equal(rightsize_time(few, 3, 0.5, 0, 5 * 60000), 65 * 60000);
}

static void count_of_gpus(void **state)
{
	const int size[] = { 8, 4, 1 };
	assert_int_equal(rightsize_count(4, 1, size, 3), 1);
	assert_int_equal(rightsize_count(8, 2, size, 3), 4);
	assert_int_equal(rightsize_count(8, 5, size, 3), 0); /* nothing between 5 and 7 */
	assert_int_equal(rightsize_count(1, 1, size, 3), 0);
	assert_int_equal(rightsize_count(8, 1, size, 0), 0);
}

static void bands(void **state)
{
	assert_int_equal(rightsize_band(24.9), UTIL_OVER_PROVISIONED);
	assert_int_equal(rightsize_band(25), UTIL_UNDER_UTILISED);
	assert_int_equal(rightsize_band(59.9), UTIL_UNDER_UTILISED);
	assert_int_equal(rightsize_band(60), UTIL_WELL_USED);
	assert_int_equal(rightsize_band(NAN), UTIL_UNKNOWN);
}

/* A job about which nothing is to be said. */
static struct job_means fine_job(void)
{
	return (struct job_means){ .run_s = 7200,
				   .limit_s = 9000,
				   .gpus = 2,
				   .gpus_used = 2,
				   .nodes = 1,
				   .util_mean_pct = 80,
				   .idle_tail_s = 0,
				   .cpu_eff_frac = 0.9,
				   .cores = 8,
				   .host_mem_used_bytes = 90 * GB,
				   .host_mem_asked_bytes = 100 * GB,
				   .gpu_mem_used_bytes = 30 * GB };
}

static void jobstats(void **state)
{
	static const struct {
		const char *what;
		double util, cores, run, limit, used, asked, cpu;
		int gpus, used_gpus, nodes;
		bool inter;
		double tail;
		unsigned want;
	} c[] = {
		{ "fine", 80, 8, 7200, 9000, 90, 100, .9, 2, 2, 1, false, 0, 0 },
		{ "one of four", 20, 8, 7200, 9000, 90, 100, .9, 4, 1, 1, false, 0,
		  JOB_UNUSED_GPUS },
		{ "all unused", 0, 8, 7200, 9000, 90, 100, .9, 1, 0, 1, false, 0, JOB_UNUSED_GPUS },
		{ "15 %", 15, 8, 7200, 9000, 90, 100, .9, 2, 2, 1, false, 0, JOB_LOW_UTIL },
		{ "15.1 %", 15.1, 8, 7200, 9000, 90, 100, .9, 2, 2, 1, false, 0, JOB_MODEST_UTIL },
		{ "25.1 %", 25.1, 8, 7200, 9000, 90, 100, .9, 2, 2, 1, false, 0, 0 },
		{ "cpu job 60 %", NAN, 8, 7200, 9000, 90, 100, .60, 0, 0, 1, false, 0,
		  JOB_LOW_CPU },
		{ "cpu job 70 %", NAN, 8, 7200, 9000, 90, 100, .70, 0, 0, 1, false, 0,
		  JOB_MODEST_CPU },
		{ "cpu job 80 %", NAN, 8, 7200, 9000, 90, 100, .80, 0, 0, 1, false, 0, 0 },
		{ "a tenth of the time", 80, 8, 900, 9000, 90, 100, .9, 2, 2, 1, false, 0,
		  JOB_TIME_RED },
		{ "six tenths", 80, 8, 5400, 9000, 90, 100, .9, 2, 2, 1, false, 0, JOB_TIME_NOTE },
		{ "no limit known", 80, 8, 900, NAN, 90, 100, .9, 2, 2, 1, false, 0, 0 },
		{ "host memory", 80, 8, 7200, 9000, 69, 100, .9, 2, 2, 1, false, 0,
		  JOB_HOST_MEM_OVER },
		{ "much host memory", 80, 8, 7200, 9000, 400, 500, .9, 2, 2, 1, false, 0,
		  JOB_MUCH_HOST_MEM },
		{ "many cores", 80, 25, 7200, 9000, 90, 100, .9, 2, 2, 1, false, 0,
		  JOB_MANY_CORES },
		{ "fragmented", 80, 8, 7200, 9000, 90, 100, .9, 4, 4, 4, false, 0, JOB_FRAGMENTED },
		{ "interactive", 80, 8, 86400, 90000, 90, 100, .9, 2, 2, 1, true, 28801,
		  JOB_INTERACTIVE_IDLE },
		{ "interactive, at work", 80, 8, 86400, 90000, 90, 100, .9, 2, 2, 1, true, 28800,
		  0 },
		{ "too short to say", 0, 8, 299, 9000, 9, 100, .1, 2, 0, 1, false, 0, 0 },
		{ "nothing known", NAN, NAN, 7200, NAN, NAN, NAN, NAN, 0, 0, 0, false, 0, 0 },
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		struct job_means j = fine_job();
		j.util_mean_pct = c[i].util;
		j.cores = c[i].cores;
		j.run_s = c[i].run;
		j.limit_s = c[i].limit;
		j.host_mem_used_bytes = c[i].used * GB;
		j.host_mem_asked_bytes = c[i].asked * GB;
		j.cpu_eff_frac = c[i].cpu;
		j.gpus = c[i].gpus;
		j.gpus_used = c[i].used_gpus;
		j.nodes = c[i].nodes;
		j.interactive = c[i].inter;
		j.idle_tail_s = c[i].tail;
		if (rightsize_notes(&j) != c[i].want)
			fail_msg("%s: %#x, not %#x", c[i].what, rightsize_notes(&j), c[i].want);
	}
}

static void mig_eligible(void **state)
{
	struct job_means j = fine_job();
	j.gpus = j.gpus_used = 1;
	j.util_mean_pct = 14;
	j.cores = 1;
	j.host_mem_used_bytes = 31 * GB;
	j.host_mem_asked_bytes = 32 * GB;
	j.gpu_mem_used_bytes = 9 * GB;
	assert_int_equal(rightsize_notes(&j), JOB_MIG_ELIGIBLE | JOB_LOW_UTIL);
	j.gpu_mem_used_bytes = 10 * GB;
	assert_int_equal(rightsize_notes(&j), JOB_LOW_UTIL);
	j.gpu_mem_used_bytes = NAN; /* what is not known proves nothing */
	assert_int_equal(rightsize_notes(&j), JOB_LOW_UTIL);
}

#define NONE                                                                                 \
	{                                                                                    \
		NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, false, false, 0, NAN, true \
	}

static void diagnosis(void **state)
{
	/* util sm occ tensor dram pcie nvlink cpu io starved long held zero spread half */
	static const struct {
		const char *what;
		struct gpu_means m;
		enum diagnosis want;
	} c[] = {
		{ "nothing known", NONE, DIAGNOSIS_UNKNOWN },
		{ "idle with memory",
		  { 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, false, true, 601, 0, true },
		  DIAGNOSIS_IDLE_HOLDING },
		{ "unused",
		  { 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, false, false, 601, 0, true },
		  DIAGNOSIS_UNUSED },
		{ "dataloader",
		  { .4, .3, .3, .1, .2, .1, 0, .95, 0, .5, false, true, 0, 0, true },
		  DIAGNOSIS_CPU_BOUND },
		{ "storage",
		  { .4, .3, .3, .1, .2, .1, 0, .2, .3, .5, false, true, 0, 0, true },
		  DIAGNOSIS_IO_BOUND },
		{ "checkpoints",
		  { .6, .5, .3, .3, .2, .1, 0, .2, .3, .4, true, true, 0, 0, true },
		  DIAGNOSIS_INTERRUPTED },
		{ "starved, no more known",
		  { .4, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, .35, false, true, 0, NAN, true },
		  DIAGNOSIS_STARVED },
		{ "just not starved",
		  { .7, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, .30, false, true, 0, NAN, true },
		  DIAGNOSIS_HEALTHY },
		{ "copies",
		  { .7, .4, .3, .1, .2, .6, 0, .3, 0, .1, false, true, 0, 0, true },
		  DIAGNOSIS_TRANSFER_BOUND },
		{ "waits for others",
		  { .7, .4, .3, .1, .2, .1, .7, .3, 0, .1, false, true, 0, 0, true },
		  DIAGNOSIS_COMMUNICATION_BOUND },
		{ "small kernels",
		  { .9, .3, .3, .1, .2, .1, 0, .3, 0, .1, false, true, 0, 0, true },
		  DIAGNOSIS_LAUNCH_BOUND },
		{ "bandwidth",
		  { .9, .6, .5, .1, .7, .1, 0, .3, 0, .1, false, true, 0, 0, true },
		  DIAGNOSIS_BANDWIDTH_BOUND },
		{ "single precision",
		  { .9, .75, .5, .05, .4, .1, 0, .3, 0, .1, false, true, 0, 0, true },
		  DIAGNOSIS_NO_TENSOR },
		{ "no tensor cores there",
		  { .9, .85, .5, .05, .4, .1, 0, .3, 0, .1, false, true, 0, 0, false },
		  DIAGNOSIS_HEALTHY },
		{ "healthy",
		  { .95, .7, .5, .5, .4, .1, 0, .3, 0, .02, false, true, 0, 10, true },
		  DIAGNOSIS_HEALTHY },
		{ "unequal",
		  { .5, .5, .4, .2, .3, .1, 0, .3, 0, .1, false, true, 0, 45, true },
		  DIAGNOSIS_IMBALANCED },
		{ "middling",
		  { .5, .5, .3, .2, .3, .1, 0, .3, 0, .1, false, true, 0, 10, true },
		  DIAGNOSIS_UNKNOWN },
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++)
		if (rightsize_diagnose(&c[i].m) != c[i].want)
			fail_msg("%s: %s", c[i].what, diagnosis_name(rightsize_diagnose(&c[i].m)));
	for (int d = 0; d < DIAGNOSIS_N; d++)
		assert_true(diagnosis_name(d)[0] && diagnosis_advice(d)[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_of_runs), cmocka_unit_test(count_of_gpus),
		cmocka_unit_test(bands),        cmocka_unit_test(jobstats),
		cmocka_unit_test(mig_eligible), cmocka_unit_test(diagnosis),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
