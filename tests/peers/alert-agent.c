/*
 * The agent's alerts with GPUs that do as they are told: alert-agent CONFIG DIR, commands on
 * standard input ("temp CARD CELSIUS", "temp all CELSIUS", "quit"), a poll every 100 ms of the real
 * clocks. For t-alertmanager.py.
 */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "alerts/alerts.h"
#include "base/tm.h"

#define GPUS 4

struct machine {
	struct gpu_dev gpu[GPUS];
	struct watch_dev dev[GPUS];
	struct watch_use use[GPUS];
	struct allocation job[2];
	struct gpu_proc proc;
	struct gpu_view gpus;
	struct watch_view view;
};

static int64_t clock_ms(clockid_t c)
{
	struct timespec t;

	clock_gettime(c, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void build(struct machine *m)
{
	m->job[0] = (struct allocation){ .job_id = SV("4711"), .team = SV("vision") };
	m->job[1] = (struct allocation){ .job_id = SV("x\r\n<!channel>\033[2J\"&"),
					 .team = SV("nlp\xff") };
	m->proc = (struct gpu_proc){ .pid = 1, .type = 'C', .mem_bytes = NAN, .sm_util_pct = NAN };
	for (int i = 0; i < GPUS; i++) {
		struct gpu_dev *g = &m->gpu[i];
		g->info = (struct gpu_info){ .index = i,
					     .parent = -1,
					     .gi = -1,
					     .ci = -1,
					     .mem_total_bytes = 80e9,
					     .power_limit_w = 400,
					     .temp_slowdown_celsius = NAN };
		snprintf(g->info.uuid, sizeof g->info.uuid, "GPU-%d", i);
		g->present = g->procs_known = true;
		for (int k = 0; k < METRIC_N; k++)
			g->value[k] = NAN;
		g->value[METRIC_TEMP_CELSIUS] = 40;
		m->use[i] = (struct watch_use){ .held = &m->job[i / 2], .share_ppb = 1000000000 };
		m->dev[i] = (struct watch_dev){ .gpu = g,
						.model = "A100-SXM4-80GB",
						.use = &m->use[i],
						.nuse = 1,
						.proc = &m->proc,
						.nproc = 1 };
	}
	m->gpus = (struct gpu_view){ .dev = m->gpu, .ndev = GPUS };
	m->view = (struct watch_view){
		.node = "n1",
		.gpus = &m->gpus,
		.dev = m->dev,
		.ndev = GPUS,
		.rate = { .known = true, .usd_gpu_hour = 36 * DEC_ONE, .currency = "USD" }
	};
}

static bool command(struct machine *m, const char *line)
{
	char which[16];
	double v;

	if (sscanf(line, "temp %15s %lf", which, &v) != 2)
		return false;
	for (int i = 0; i < GPUS; i++)
		if (!strcmp(which, "all") || atoi(which) == i)
			m->gpu[i].value[METRIC_TEMP_CELSIUS] = v;
	return true;
}

/* Commands that have come; false: the end. */
static bool listen_in(struct machine *m)
{
	static char buf[4096];
	static size_t n;
	struct pollfd p = { 0, POLLIN, 0 };
	char *nl;

	while (poll(&p, 1, 0) > 0) {
		ssize_t r = read(0, buf + n, sizeof buf - 1 - n);
		if (r <= 0)
			return false;
		buf[n += (size_t)r] = 0;
		while ((nl = strchr(buf, '\n'))) {
			*nl = 0;
			if (!command(m, buf))
				return false;
			n -= (size_t)(nl + 1 - buf);
			memmove(buf, nl + 1, n + 1);
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	static struct machine m;
	struct alerts_conf conf;
	struct agent_alerts *a;
	struct err err;
	int64_t last = clock_ms(CLOCK_MONOTONIC);

	if (argc != 3 || alerts_conf_load(argv[1], &conf, &err) < 0 ||
	    agent_alerts_open(&(struct agent_alerts_opt){ .conf = &conf, .dir = argv[2] },
			      clock_ms(CLOCK_REALTIME), last, &a, &err) < 0) {
		fprintf(stderr, "alert-agent: %s\n", argc == 3 ? err.msg : "CONFIG DIR");
		return 2;
	}
	build(&m);
	while (listen_in(&m)) {
		usleep(100000);
		m.view.t_ms = clock_ms(CLOCK_REALTIME);
		m.view.mono_ms = clock_ms(CLOCK_MONOTONIC);
		m.view.step_ms = m.view.mono_ms - last;
		last = m.view.mono_ms;
		agent_alerts_view(a, &m.view);
	}
	struct agent_alerts_stat s = agent_alerts_stat(a);
	agent_alerts_close(a, clock_ms(CLOCK_REALTIME), clock_ms(CLOCK_MONOTONIC), 3000);
	printf("sent=%lld failed=%lld dropped=%lld waiting=%lld\n", (long long)s.sent,
	       (long long)s.failed, (long long)s.dropped, (long long)s.waiting);
	alerts_conf_free(&conf);
	return 0;
}
