/* A watch view made by hand, for tests of tare top and its bench: GPUs, instances, owners and
 * processes without any feed. */
#ifndef TARE_TESTS_TOP_FIX_H
#define TARE_TESTS_TOP_FIX_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "top/top_model.h"

#define FIX_DEVS  64
#define FIX_PARTS 8
#define FIX_PROCS 64
#define FIX_T0    INT64_C(1795269600000) /* 2026-11-21T14:00:00Z */
#define GIB       1073741824.0

struct fix {
	struct gpu_view gpus;
	struct gpu_dev gpu[FIX_DEVS];
	struct watch_dev dev[FIX_DEVS];
	struct watch_use use[FIX_DEVS][FIX_PARTS];
	struct gpu_proc proc[FIX_DEVS][FIX_PROCS];
	struct allocation held[FIX_DEVS][FIX_PARTS];
	struct watch_view view;
};

static inline struct fix *fix_new(void)
{
	struct fix *f = calloc(1, sizeof *f);
	f->gpus = (struct gpu_view){ .driver = "nvml 550.54.15", .generation = 1, .dev = f->gpu };
	f->view = (struct watch_view){
		.t_ms = FIX_T0, .mono_ms = 1000, .node = "node-a", .gpus = &f->gpus, .dev = f->dev
	};
	f->view.rate = (struct watch_rate){ .known = true,
					    .usd_gpu_hour = 31 * DEC_ONE / 10,
					    .currency = "USD",
					    .source = "settings" };
	f->view.host = (struct host_view){ .cpus = 96,
					   .cpu_util_pct = 34,
					   .mem_total_bytes = 1024 * GIB,
					   .mem_available_bytes = 823 * GIB,
					   .nic_rx_bytes_s = 1.2e9,
					   .nic_tx_bytes_s = 4e6,
					   .disk_read_bytes_s = 88e6,
					   .disk_write_bytes_s = 0 };
	return f;
}

static inline size_t fix_dev(struct fix *f, const char *model)
{
	size_t i = f->view.ndev++;
	f->gpus.ndev = f->view.ndev;
	struct gpu_dev *g = &f->gpu[i];
	*g = (struct gpu_dev){ .present = true, .procs_known = true, .proc = f->proc[i] };
	g->info = (struct gpu_info){ .parent = -1,
				     .gi = -1,
				     .ci = -1,
				     .minor = -1,
				     .mig_start = -1,
				     .mem_total_bytes = NAN,
				     .power_limit_w = NAN,
				     .temp_slowdown_celsius = NAN };
	for (int m = 0; m < METRIC_N; m++)
		g->value[m] = NAN;
	f->dev[i] = (struct watch_dev){ .gpu = g,
					.model = model,
					.tdp_w = NAN,
					.pcie_bytes_s = NAN,
					.use = f->use[i],
					.proc = f->proc[i] };
	return i;
}

static inline size_t fix_gpu(struct fix *f, double util, double mem_gib, double power)
{
	int index = 0;
	for (size_t i = 0; i < f->view.ndev; i++)
		index += f->gpu[i].info.parent < 0;
	size_t i = fix_dev(f, "H100-SXM5-80GB");
	struct gpu_dev *g = &f->gpu[i];
	g->info.index = index;
	g->info.mem_total_bytes = 80 * GIB;
	g->info.power_limit_w = 700;
	snprintf(g->info.uuid, sizeof g->info.uuid, "GPU-%08d-aaaa-bbbb-cccc-000000000000", index);
	g->value[METRIC_GPU_UTIL_PCT] = util;
	g->value[METRIC_MEM_USED_BYTES] = mem_gib * GIB;
	g->value[METRIC_POWER_W] = power;
	g->value[METRIC_TEMP_CELSIUS] = 30 + power / 15;
	return i;
}

static inline size_t fix_instance(struct fix *f, size_t parent, const char *profile, int gi,
				  double sm_frac, double mem_gib, double of_gib)
{
	size_t i = fix_dev(f, f->dev[parent].model);
	struct gpu_dev *g = &f->gpu[i];
	f->gpu[parent].info.mig_enabled = true;
	f->gpu[parent].value[METRIC_GPU_UTIL_PCT] = NAN;
	f->dev[i].parent = &f->gpu[parent].info;
	g->info.index = f->gpu[parent].info.index;
	g->info.parent = (int)parent;
	g->info.gi = gi;
	g->info.mem_total_bytes = of_gib * GIB;
	snprintf(g->info.mig_profile, sizeof g->info.mig_profile, "%s", profile);
	snprintf(g->info.uuid, sizeof g->info.uuid, "MIG-%d-%d", g->info.index, gi);
	g->value[METRIC_SM_ACTIVE_FRAC] = sm_frac;
	g->value[METRIC_MEM_USED_BYTES] = mem_gib * GIB;
	return i;
}

static inline struct watch_use *fix_hold(struct fix *f, size_t dev, const char *team,
					 const char *user, const char *job, double share,
					 enum state s, enum cause c)
{
	size_t k = f->dev[dev].nuse++;
	struct watch_use *u = &f->use[dev][k];
	*u = (struct watch_use){ .share_ppb = (int64_t)(share * 1e9 + 0.5),
				 .state = s,
				 .cause = c,
				 .util_pct = f->gpu[dev].value[METRIC_GPU_UTIL_PCT],
				 .mem_bytes = NAN,
				 .cpu_util_pct = NAN,
				 .proc_first = f->dev[dev].nproc };
	if (user) {
		f->held[dev][k] = (struct allocation){ .team = sv_of(team),
						       .user = sv_of(user),
						       .job_id = sv_of(job),
						       .start_ms = FIX_T0 - 3720000 };
		u->held = &f->held[dev][k];
	}
	return u;
}

/* Of the owner named last on it. The pids are above what a kernel gives: /proc has none of
 * them. */
static inline void fix_proc(struct fix *f, size_t dev, int32_t pid, double mem_gib, double sm)
{
	size_t n = f->dev[dev].nproc++;
	f->proc[dev][n] = (struct gpu_proc){ .pid = pid,
					     .start_ticks = 1,
					     .type = 'C',
					     .mem_bytes = mem_gib * GIB,
					     .sm_util_pct = sm };
	f->gpu[dev].nproc = f->dev[dev].nproc;
	if (f->dev[dev].nuse)
		f->use[dev][f->dev[dev].nuse - 1].nproc++;
}

/* A poll step_ms after the one before. */
static inline void fix_poll(struct fix *f, struct snap_taker *t, struct top_model *m,
			    int64_t step_ms)
{
	bool first = !m->snap;
	f->view.step_ms = first ? 0 : step_ms;
	f->view.t_ms += first ? 0 : step_ms;
	f->view.mono_ms += first ? 0 : step_ms;
	top_model_feed(m, snap_take(t, &f->view));
}

/* Eight of the usual: a job on two GPUs, a job that has finished, one that waits for its input,
 * nobody, thin knowledge, a lost GPU. */
static inline struct fix *fix_usual(void)
{
	struct fix *f = fix_new();
	size_t d = fix_gpu(f, 93, 61, 566);
	fix_hold(f, d, "vision", "ana", "4411", 1, STATE_BUSY, CAUSE_NONE);
	fix_proc(f, d, 9000001, 60, 92);
	d = fix_gpu(f, 97, 61.5, 590);
	fix_hold(f, d, "vision", "ana", "4411", 1, STATE_BUSY, CAUSE_NONE);
	fix_proc(f, d, 9000002, 61, 97);
	d = fix_gpu(f, 0, 74, 88);
	fix_hold(f, d, "search", "svc", "ranker-7d9f", 1, STATE_IDLE_HELD, CAUSE_FINISHED);
	fix_proc(f, d, 9000003, 73.5, 0);
	d = fix_gpu(f, 12, 9, 156);
	fix_hold(f, d, NULL, "bo", "4420", 1, STATE_UNDERUSED, CAUSE_INPUT);
	fix_proc(f, d, 9000004, 8, 12);
	d = fix_gpu(f, 0, 0, 60);
	fix_hold(f, d, NULL, NULL, NULL, 1, STATE_UNALLOCATED, CAUSE_FREE);
	d = fix_gpu(f, 0, 0.4, 61);
	fix_hold(f, d, "nlp", "cy", "4431", 1, STATE_IDLE_EMPTY, CAUSE_NEVER_LAUNCHED);
	d = fix_gpu(f, NAN, NAN, NAN);
	f->gpu[d].info.power_limit_w = NAN;
	f->gpu[d].procs_known = false;
	fix_hold(f, d, "nlp", "di", "4432", 1, STATE_UNKNOWN, CAUSE_NONE);
	d = fix_gpu(f, NAN, NAN, NAN);
	f->gpu[d].present = false;
	return f;
}

static inline struct fix *fix_sixteen(size_t nproc_each)
{
	struct fix *f = fix_new();
	static const char *const team[] = { "vision", "nlp", "search", "eval" };
	static char job[16][16]; /* views of it live in the holders */
	for (int i = 0; i < 16; i++) {
		bool idle = i % 5 == 2;
		size_t d = fix_gpu(f, idle ? 0 : 60 + (i * 7) % 40, 20 + i * 3,
				   idle ? 80 : 300 + i * 20);
		snprintf(job[i], sizeof job[i], "%d", 4400 + i);
		fix_hold(f, d, team[i % 4], i % 2 ? "ana" : "bo", job[i], 1,
			 idle ? STATE_IDLE_HELD : STATE_BUSY,
			 idle ? CAUSE_WARM_SERVER : CAUSE_NONE);
		for (size_t k = 0; k < nproc_each; k++)
			fix_proc(f, d, 9100000 + i * 100 + (int32_t)k, 1 + (double)k / 4, 2);
	}
	return f;
}

/* A GPU in instances with a rest, and one that two jobs share. */
static inline struct fix *fix_mig(void)
{
	struct fix *f = fix_new();
	size_t c = fix_gpu(f, 88, 40, 400), d;
	fix_hold(f, c, "vision", "ana", "4411", 1, STATE_BUSY, CAUSE_NONE);
	c = fix_gpu(f, 50, 31, 300);
	size_t i = fix_instance(f, c, "3g.40gb", 1, 0.82, 30, 40),
	       k = fix_instance(f, c, "1g.10gb+me", 7, 0, 0.2, 10);
	fix_hold(f, c, NULL, NULL, NULL, 3.0 / 7, STATE_UNALLOCATED, CAUSE_STRANDED);
	fix_hold(f, i, "search", "svc", "prod/ranker-7d9f", 3.0 / 7, STATE_BUSY, CAUSE_NONE);
	fix_proc(f, i, 9000011, 29, NAN);
	fix_hold(f, k, "nlp", "cy", "4431", 1.0 / 7, STATE_IDLE_EMPTY, CAUSE_WAITING);
	d = fix_gpu(f, 64, 22, 350);
	fix_hold(f, d, "eval", "di", "4440", 0.5, STATE_BUSY, CAUSE_NONE)->util_pct = 50;
	fix_proc(f, d, 9000021, 11, 50);
	fix_hold(f, d, "eval", "ed", "4441", 0.5, STATE_UNDERUSED, CAUSE_UNKNOWN)->util_pct = 14;
	fix_proc(f, d, 9000022, 10, 14);
	return f;
}
#endif
