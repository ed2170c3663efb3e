/*
 * Alerts in the agent: CPU time of judging a poll, and memory, for N GPUs (default 16) that have
 * all readings, over H hours of one-second polls (default 6). Beside it the bound: the same polls
 * through the same join, with a rule table of nothing.
 */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alerts/alerts.h"
#include "base/tm.h"

#define GPUS_MAX 256

static struct gpu_dev gpu[GPUS_MAX];
static struct watch_dev dev[GPUS_MAX];
static struct watch_use use;
static struct allocation job = { .job_id = SV("1"),
				 .team = SV("vision"),
				 .workload = SV("training") };
static struct gpu_proc proc = { .pid = 1, .type = 'C' };

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void gpus(int n)
{
	use = (struct watch_use){ .held = &job, .share_ppb = 1000000000 };
	for (int i = 0; i < n; i++) {
		gpu[i].info = (struct gpu_info){
			.index = i, .parent = -1, .mem_total_bytes = 80e9, .power_limit_w = 400
		};
		snprintf(gpu[i].info.uuid, sizeof gpu[i].info.uuid, "GPU-%d", i);
		gpu[i].present = gpu[i].procs_known = true;
		dev[i] = (struct watch_dev){ .gpu = &gpu[i],
					     .model = "A100-SXM4-80GB",
					     .use = &use,
					     .nuse = 1,
					     .proc = &proc,
					     .nproc = 1 };
	}
}

static void poll_values(int n, int64_t t)
{
	for (int i = 0; i < n; i++) {
		double u = 50 + 50 * sin((double)t / 600 + i);
		for (int m = 0; m < METRIC_N; m++)
			gpu[i].value[m] = 1;
		gpu[i].value[METRIC_GPU_UTIL_PCT] = u;
		gpu[i].value[METRIC_OCCUPANCY_FRAC] = u / 200;
		gpu[i].value[METRIC_MEM_USED_BYTES] = 40e9 + u * 4e8;
		gpu[i].value[METRIC_MEM_TOTAL_BYTES] = 80e9;
		gpu[i].value[METRIC_POWER_W] = 100 + 3 * u;
		gpu[i].value[METRIC_TEMP_CELSIUS] = 40 + u / 2;
		gpu[i].value[METRIC_XID] = 0;
	}
}

/* CPU seconds a poll; *ret_bytes: what is held at the end. */
static double run(const struct alerts_conf *conf, int n, int64_t polls, size_t *ret_bytes)
{
	struct gpu_view gpus = { .dev = gpu, .ndev = (size_t)n };
	struct watch_view v = {
		.node = "n1", .gpus = &gpus, .dev = dev, .ndev = (size_t)n, .step_ms = 1000
	};
	struct agent_alerts *a;
	struct err err;
	size_t before = mallinfo2().uordblks;
	double judged = 0;

	if (agent_alerts_open(&(struct agent_alerts_opt){ .conf = conf }, 0, 0, &a, &err) < 0)
		exit(2);
	for (int64_t t = 1; t <= polls; t++) {
		poll_values(n, t);
		v.t_ms = 1782777600000 + t * 1000;
		v.mono_ms = t * 1000;
		double at = cpu_s();
		agent_alerts_view(a, &v);
		judged += cpu_s() - at;
	}
	*ret_bytes = mallinfo2().uordblks - before;
	agent_alerts_close(a, v.t_ms, v.mono_ms, 0);
	return judged / (double)polls;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 16, hours = argc > 2 ? atoi(argv[2]) : 6;
	struct alerts_conf conf, none = { 0 };
	struct err err;
	size_t bytes, least;

	if (n < 1 || n > GPUS_MAX || hours < 1 || alerts_conf_load(NULL, &conf, &err) < 0)
		return 2;
	gpus(n);
	double bound = run(&none, n, (int64_t)hours * 3600, &least),
	       mine = run(&conf, n, (int64_t)hours * 3600, &bytes);
	printf("alerts  %d GPUs, %zu rules, %d h at 1 s: %.2f us a poll, %.4f %% of a core, %.1f KiB a GPU\n",
	       n, conf.rule.n, hours, mine * 1e6, mine * 100, (double)bytes / 1024 / n);
	printf("bound   no rules: %.2f us a poll, %.1f KiB a GPU\n", bound * 1e6,
	       (double)least / 1024 / n);
	alerts_conf_free(&conf);
	return 0;
}
