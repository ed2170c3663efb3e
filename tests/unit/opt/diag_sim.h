#ifndef TARE_TESTS_DIAG_SIM_H
#define TARE_TESTS_DIAG_SIM_H
/*
 * Work on GPUs whose cause of low utilisation is known, because it is simulated: batches are
 * prepared, copied, computed, reduced, written, and what each counter would show is integrated over
 * 10 ms and then read the way NVML or DCGM read it (once a second, with their windows, rounding,
 * noise and gaps).
 *
 * The truth is accounted while simulating: share of time that each cause took. A cause with
 * TRUE_FRAC or more of the time is true, one with GREY_FRAC or less is false; between the two
 * either answer is right (counted as nothing). Nothing in src/opt sees a parameter of this file.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "opt/diagnose/diagnose.h"

#define SIM_DEVS  8
#define SIM_STEPS 900
#define SIM_BIN_S 0.01
#define SIM_BINS  ((int)(SIM_STEPS / SIM_BIN_S) + 200)
#define SIM_TRUE  0.15
#define SIM_GREY  0.04

enum sim_scene { /* causes, then: */
		 SIM_HEALTHY = DIAG_N,
		 SIM_MIXED,
		 SIM_SCENES
};

struct sim_rng {
	uint64_t s;
};
static inline double sim_u(struct sim_rng *r)
{
	return random_frac(random_next(&r->s));
}
static inline double sim_in(struct sim_rng *r, double lo, double hi)
{
	return lo + (hi - lo) * sim_u(r);
}
static inline double sim_log(struct sim_rng *r, double lo, double hi)
{
	return lo * pow(hi / lo, sim_u(r));
}
static inline double sim_norm(struct sim_rng *r)
{
	return sqrt(-2 * log(1 - sim_u(r))) * cos(6.283185307179586 * sim_u(r));
}
static inline int sim_pick(struct sim_rng *r, int n)
{
	return (int)(sim_u(r) * n) % n;
}

/* Boards: data sheets; idle power as commonly measured; links: PCIe 3/4/5 x16 one direction, NVLink
 * one direction, network. */
static const struct sim_board {
	const char *name;
	double tdp, idle, pcie, nvlink, nic, clock, slow, mem;
} SIM_BOARD[] = {
	{ "T4", 70, 10, 15.75e9, 0, 3.1e9, 1590, 93, 16e9 },
	{ "V100", 300, 42, 15.75e9, 150e9, 3.1e9, 1530, 90, 32e9 },
	{ "A10", 150, 22, 31.5e9, 0, 6.2e9, 1695, 98, 24e9 },
	{ "A100", 400, 55, 31.5e9, 300e9, 50e9, 1410, 92, 80e9 },
	{ "H100", 700, 75, 63e9, 450e9, 100e9, 1980, 87, 80e9 },
};

/* What happens at one time, as integrals over a bin. */
struct sim_bin {
	float busy, sm, tensor, dram, rx, tx, link, nic, power_clock;
};

struct sim {
	struct sim_rng r;
	const struct sim_board *board;
	enum sim_scene scene;
	int devs, secs;
	struct sim_bin *bin[SIM_DEVS];
	/* seconds of processor time, spread evenly */
	double main_cpu[SIM_DEVS], loader_cpu[SIM_DEVS];
	float *disk_w, *queue, *running, *batch; /* per bin (device 0's job) */
	double clock[SIM_DEVS], hot_share[SIM_DEVS], power_share[SIM_DEVS], limit;
	int workers, cpus;
	double disk_r, mem_frac, running_max, batch_max, step_s;
	double lost[DIAG_N]; /* share of time: the truth */
	bool serving, hung;
	/* what is given to the diagnosis */
	struct diag_step step[SIM_DEVS][SIM_STEPS];
	struct diag_dev dev[SIM_DEVS];
};

/* ---- what the work is -------------------------------------------------------------------- */

struct sim_work {
	double kernel_s;              /* GPU time of a step if the host keeps up */
	double kernel_us, launch_us;  /* of a kernel; the host needs launch_us for each */
	double fill, tensor, dram;    /* while a kernel runs */
	double prep_cpu_s, prep_io_s; /* of a batch in one worker */
	double copy_bytes, copy_eff;
	bool copy_ahead;                      /* on its own stream */
	double link_bytes, link_eff, overlap; /* collectives of a step */
	bool spin;                            /* waits for the GPU with a loop */
	double ckpt_every_s, ckpt_s, ckpt_bytes;
	double slow[SIM_DEVS]; /* factor on kernel time */
	double slow_input;     /* factor on prep of device 0's shard */
	bool unused_last;      /* the last GPU has nothing to do */
};

static inline struct sim_work sim_good(struct sim *s)
{
	struct sim_rng *r = &s->r;
	struct sim_work w = { .kernel_s = sim_log(r, 0.05, 0.8),
			      .kernel_us = sim_log(r, 60, 800),
			      .launch_us = sim_in(r, 4, 9),
			      .fill = sim_in(r, 0.72, 0.98),
			      .tensor = sim_in(r, 0.25, 0.65),
			      .dram = sim_in(r, 0.15, 0.5),
			      .spin = sim_u(r) < 0.7,
			      .copy_eff = 0.8,
			      .copy_ahead = true,
			      .overlap = 0.9,
			      .link_eff = sim_in(r, 0.55, 0.8),
			      .slow_input = 1 };

	for (int d = 0; d < SIM_DEVS; d++)
		w.slow[d] = 1 + 0.005 * sim_norm(r);
	s->workers = 2 + sim_pick(r, 11);
	s->cpus = s->workers * (s->devs > 1 ? s->devs : 1) + 4 + sim_pick(r, 24);
	/* loaders at 20 to 60 % of what would hold the GPU up */
	double spare = sim_in(r, 0.2, 0.6) * w.kernel_s * s->workers,
	       cpu = sim_u(r) < 0.5 ? sim_in(r, 0.1, 0.3) : sim_in(r, 0.8, 0.95);
	w.prep_cpu_s = spare * cpu;
	w.prep_io_s = spare * (1 - cpu);
	w.copy_bytes = sim_in(r, 0.005, 0.1) * w.kernel_s * s->board->pcie;
	/* in seconds of the link at its peak; see sim_link() */
	w.link_bytes = s->devs > 1 ? sim_in(r, 0.02, 0.15) * w.kernel_s : 0;
	s->mem_frac = sim_in(r, 0.5, 0.95);
	return w;
}

/* The link that collectives use: NVLink, else the network (half of the time) or PCIe. */
enum sim_link { LINK_NV, LINK_NIC, LINK_PCIE };

static inline void sim_add(struct sim *s, int d, double t0, double t1, struct sim_bin rate)
{
	float *q = (float *)&rate;

	for (int b = (int)(t0 / SIM_BIN_S); b < SIM_BINS && b * SIM_BIN_S < t1; b++) {
		double lo = fmax(t0, b * SIM_BIN_S), hi = fmin(t1, (b + 1) * SIM_BIN_S);
		float *o = (float *)&s->bin[d][b];
		for (size_t k = 0; k < sizeof rate / sizeof(float) && hi > lo; k++)
			o[k] += q[k] * (float)((hi - lo) / SIM_BIN_S);
	}
}

/* ---- training ---------------------------------------------------------------------------- */

/* when each worker hands over its next batch; two batches ahead each */
struct sim_loaders {
	double ready[64];
	int n, next;
};

static inline double sim_batch(struct sim *s, struct sim_loaders *l, const struct sim_work *w,
			       double now, double factor, double shared)
{
	double each = (w->prep_cpu_s + w->prep_io_s * shared) * factor, *at = &l->ready[l->next],
	       ready = *at;

	/* A worker that is two batches ahead waits until one is taken. */
	*at = fmax(ready + each * sim_log(&s->r, 0.93, 1.07), now - each);
	l->next = (l->next + 1) % l->n;
	return ready;
}

static inline void sim_train(struct sim *s, const struct sim_work *w, enum sim_link link)
{
	struct sim_rng *r = &s->r;
	struct sim_loaders l[SIM_DEVS];
	double t = 0, end = s->secs, next_ckpt = w->ckpt_every_s * sim_in(r, 0.2, 0.9);
	double link_peak = link == LINK_NV    ? s->board->nvlink
			   : link == LINK_NIC ? s->board->nic
					      : s->board->pcie;
	/* of the kernel time, when the GPU is the limit */
	double host_busy = fmin(w->kernel_us, w->launch_us) / w->kernel_us;
	double empty = 0;
	long steps = 0;
	int n = s->devs - w->unused_last;

	for (int d = 0; d < SIM_DEVS; d++) {
		l[d] = (struct sim_loaders){ .n = s->workers > 0 ? s->workers : 1 };
		for (int i = 0; i < l[d].n; i++)
			l[d].ready[i] = (w->prep_cpu_s + w->prep_io_s) * (i + 1) / l[d].n;
	}
	for (; t < end; steps++) {
		/* shared: all read from one storage */
		double at[SIM_DEVS], done = 0, jitter = 1 + 0.03 * sim_norm(r),
				     shared = sim_log(r, 0.6, 1.6), waited = 0;
		for (int d = 0; d < n; d++) {
			double now = t, factor = d == 0 ? w->slow_input : 1;
			/* data */
			double ready = s->workers > 0
					       ? sim_batch(s, &l[d], w, now, factor, shared)
					       : now + (w->prep_cpu_s + w->prep_io_s) * factor;
			double wait = fmax(0, ready - now);
			/* what one shard takes longer is the straggler's */
			s->lost[w->prep_cpu_s > w->prep_io_s ? DIAG_CPU : DIAG_LOADER] +=
				wait / factor / n / end;
			s->loader_cpu[d] += s->workers > 0 ? w->prep_cpu_s * factor : 0;
			s->main_cpu[d] += s->workers > 0 ? 0 : w->prep_cpu_s * factor;
			now += wait;
			/* copy */
			double copy = w->copy_bytes / (s->board->pcie * w->copy_eff);
			struct sim_bin c = { .rx = (float)(s->board->pcie * w->copy_eff) };
			if (!w->copy_ahead) {
				sim_add(s, d, now, now + copy, c);
				s->lost[DIAG_PCIE] += copy / n / end;
				s->main_cpu[d] += copy;
				now += copy;
			}
			/* kernels: the host starts one each launch_us */
			double stretch = fmax(w->kernel_us, w->launch_us) / w->kernel_us,
			       gpu = w->kernel_s * w->slow[d] * jitter / s->clock[d];
			double run = fmax(gpu, w->kernel_s * jitter * stretch), on = gpu / run;
			struct sim_bin k = { .busy = (float)on,
					     .sm = (float)(on * w->fill),
					     .tensor = (float)(on * w->tensor * w->fill),
					     .dram = (float)(on * w->dram * s->clock[d]) };
			double hidden = w->link_bytes / (w->link_eff) * w->overlap;
			double during = fmin(hidden / run, 1) * w->link_eff * link_peak;
			if (w->copy_ahead)
				k.rx += (float)(w->copy_bytes / run);
			if (link == LINK_PCIE)
				k.rx += (float)during, k.tx += (float)during;
			else
				*(link == LINK_NV ? &k.link : &k.nic) += (float)during;
			sim_add(s, d, now, now + run, k);
			s->lost[DIAG_LAUNCH] += (run - gpu) / n / end;
			/* Empty SMs are the batch's doing where the GPU is the limit; kernels the
			 * host cannot start in time are small too, but that is not what holds them
			 * up; and nobody fills all SMs all the time: both may be called either
			 * way. */
			empty += gpu * fmax(0, 0.9 - w->fill) / n / end;
			/* Bandwidth: the kernels are at what memory gives and the arithmetic is
			 * not. */
			if (w->dram >= 0.6 && w->tensor < 0.2)
				s->lost[DIAG_BANDWIDTH] += gpu / n / end;
			s->main_cpu[d] +=
				w->spin ? run
					: run * fmin(1, host_busy * (stretch > 1 ? stretch : 1));
			at[d] = now + run;
			if (at[d] > done)
				done = at[d], waited = wait;
		}
		/* the others wait for the last one inside the collective: a kernel that spins on
		 * few SMs */
		double exposed = w->link_bytes / w->link_eff * (1 - w->overlap);
		for (int d = 0; d < n && n > 1; d++) {
			struct sim_bin spin = { .busy = 1, .sm = 0.1f, .dram = 0.005f }, x = spin;
			double through = w->link_eff * link_peak;
			sim_add(s, d, at[d], done, spin);
			/* The last one was late because its data was: that is the data's doing,
			 * unless it is always the same one. */
			double of_input = w->slow_input > 1 ? 0 : fmin(waited, done - at[d]);
			s->lost[w->prep_cpu_s > w->prep_io_s ? DIAG_CPU : DIAG_LOADER] += of_input /
											  n / end;
			s->lost[DIAG_STRAGGLER] += (done - at[d] - of_input) / n / end;
			x.dram = 0.06f;
			if (link == LINK_PCIE)
				x.rx = x.tx = (float)through;
			else
				*(link == LINK_NV ? &x.link : &x.nic) = (float)through;
			sim_add(s, d, done, done + exposed, x);
			s->lost[DIAG_COMM] += exposed / n / end;
			s->main_cpu[d] += w->spin ? done + exposed - at[d] : 0;
		}
		t = done + (n > 1 ? exposed : 0) + w->kernel_s * 0.005;
		if (w->ckpt_every_s > 0 && t >= next_ckpt) {
			double write = w->ckpt_bytes / w->ckpt_s;
			struct sim_bin d2h = { .tx = (float)(s->board->pcie * 0.4) };
			double copy = fmin(w->ckpt_s, w->ckpt_bytes / (s->board->pcie * 0.4));
			sim_add(s, 0, t, t + copy, d2h);
			for (int b = (int)(t / SIM_BIN_S);
			     b < SIM_BINS && b * SIM_BIN_S < t + w->ckpt_s; b++)
				s->disk_w[b] = (float)write;
			s->lost[DIAG_CHECKPOINT] += w->ckpt_s / end;
			s->main_cpu[0] += w->ckpt_s * 0.4;
			t += w->ckpt_s;
			next_ckpt = t + w->ckpt_every_s;
		}
		if (w->prep_io_s > 0)
			/* compressed data about as large as what is copied */
			s->disk_r = w->copy_bytes * n * (double)steps / fmax(t, 1);
	}
	s->lost[DIAG_SMALL_BATCH] = w->fill < 0.6 && w->kernel_us >= w->launch_us
					    ? empty
					    : fmin(empty, 0.1);
	s->step_s = t / (double)(steps ? steps : 1);
	if (w->unused_last)
		s->lost[DIAG_STRAGGLER] += 1.0 / s->devs;
}

/* ---- serving ----------------------------------------------------------------------------- */

struct sim_server {
	double rate;              /* requests per second that come */
	int cap, batch;           /* most in work at a time, most in one batch */
	double before_s, after_s; /* of a request, outside the GPU */
	double t0, t1;            /* GPU time of a batch: t0 + t1 b */
	double fill1, fill; /* SM activity of one request and of a full GPU; rises in between */
	double full_b;      /* requests that fill it */
	int patience;       /* longest queue: more are turned away */
};

static inline void sim_serve(struct sim *s, const struct sim_server *v)
{
	enum { MOST = 4096 };
	struct sim_rng *r = &s->r;
	/* in work: when the part before the GPU is over, 1e18 = free; afterwards when it leaves */
	double *due = calloc(MOST, sizeof *due);
	/* 0 free 1 before 2 ready 3 on the GPU 4 after */
	int *phase = calloc(MOST, sizeof *phase);
	double gpu_free = 0, arrive = 0;
	int queue = 0, working = 0, cap = v->cap < MOST ? v->cap : MOST;
	double busy = 0, filled = 0;

	for (int b = 0; b < SIM_BINS; b++) {
		double t = b * SIM_BIN_S;
		for (; arrive < t + SIM_BIN_S; arrive += -log(1 - sim_u(r)) / v->rate)
			queue += queue < v->patience;
		for (int k = 0; k < 4; k++) { /* within a bin, several turns */
			for (int i = 0; i < cap; i++) {
				if (phase[i] == 4 && due[i] <= t + SIM_BIN_S)
					phase[i] = 0, working--;
				if (phase[i] == 0 && queue > 0)
					phase[i] = 1,
					due[i] = fmax(t, due[i]) +
						 v->before_s * sim_log(r, 0.7, 1.4),
					queue--, working++;
				if (phase[i] == 1 && due[i] <= t + SIM_BIN_S)
					phase[i] = 2;
			}
			int ready = 0, take = 0;
			double from = fmax(gpu_free, t);
			for (int i = 0; i < cap; i++)
				ready += phase[i] == 2 && due[i] <= fmax(from, t + SIM_BIN_S);
			if (!ready || gpu_free > t + SIM_BIN_S)
				continue;
			take = ready < v->batch ? ready : v->batch;
			double run = v->t0 + v->t1 * take,
			       f = v->fill1 + (v->fill - v->fill1) * fmin(1, take / v->full_b);
			struct sim_bin x = { .busy = 1,
					     .sm = (float)f,
					     .tensor = (float)(0.4 * f),
					     .dram = (float)(0.3 + 0.2 * f),
					     .rx = (float)(take * 6e5 / run) };
			sim_add(s, 0, from, from + run, x);
			busy += run;
			filled += run * f;
			gpu_free = from + run;
			s->main_cpu[0] += run * 0.3 + take * 0.0005;
			int left = take;
			for (int i = 0; i < cap && left; i++)
				if (phase[i] == 2)
					phase[i] = 4,
					due[i] = gpu_free + v->after_s * sim_log(r, 0.7, 1.4),
					left--;
			for (int q = b; q < SIM_BINS && q * SIM_BIN_S < gpu_free; q++)
				s->batch[q] = (float)take;
		}
		int waiting = 0; /* a batcher's queue is in front of the GPU */
		for (int i = 0; i < cap; i++)
			waiting += phase[i] == 2;
		s->queue[b] = (float)(queue + waiting);
		s->running[b] = (float)working;
	}
	double secs = SIM_BINS * SIM_BIN_S;
	s->lost[DIAG_CONCURRENCY] = s->scene == (enum sim_scene)DIAG_CONCURRENCY ? 1 - filled / secs
										 : 0;
	s->lost[DIAG_LOW_LOAD] = s->scene == (enum sim_scene)DIAG_LOW_LOAD ? 1 - busy / secs : 0;
	s->lost[DIAG_SMALL_BATCH] = s->scene == (enum sim_scene)DIAG_SMALL_BATCH
					    ? (busy - filled) / secs
				    : s->scene == (enum sim_scene)DIAG_CONCURRENCY ||
						    s->scene == (enum sim_scene)DIAG_LOW_LOAD
					    ? 0.1
					    : 0;
	free(due);
	free(phase);
}

/* ---- reading ----------------------------------------------------------------------------- */

static inline double sim_mean(const struct sim *s, int d, size_t member, double from, double len)
{
	double sum = 0;
	int n = 0;

	for (int b = (int)(from / SIM_BIN_S); b < SIM_BINS && b * SIM_BIN_S < from + len; b++, n++)
		sum += ((const float *)&s->bin[d][b])[member];
	return n ? sum / n : 0;
}
static inline double sim_mean1(const float *v, double from, double len)
{
	double sum = 0;
	int n = 0;

	for (int b = (int)(from / SIM_BIN_S); b < SIM_BINS && b * SIM_BIN_S < from + len; b++, n++)
		sum += v[b];
	return n ? sum / n : 0;
}
#define SIM_M(member) (offsetof(struct sim_bin, member) / sizeof(float))

struct sim_sensor { /* how this machine is read */
	bool prof, host, nvml_pcie, bits, disk, clocks, power, links, peaks;
	double util_window, noise;
	int drop; /* percent of steps that are lost */
};

static inline struct sim_sensor sim_sensor(struct sim *s)
{
	struct sim_rng *r = &s->r;
	double kind = sim_u(r);
	struct sim_sensor k = { .prof = kind < 0.6,
				.host = true,
				.bits = true,
				.disk = sim_u(r) < 0.85,
				.clocks = true,
				.power = true,
				.links = true,
				.peaks = sim_u(r) < 0.95 };

	k.nvml_pcie = !k.prof;
	k.util_window = k.prof ? 1 : sim_u(r) < 0.5 ? 1 : 1.0 / 6;
	k.noise = sim_in(r, 0.005, 0.03);
	k.drop = sim_pick(r, 6);
	if (kind > 0.9) { /* something or other is missing */
		k.host = sim_u(r) < 0.75;
		k.bits = sim_u(r) < 0.75;
		k.clocks = sim_u(r) < 0.75;
		k.power = sim_u(r) < 0.75;
		k.links = sim_u(r) < 0.75;
		k.prof = sim_u(r) < 0.5;
	}
	return k;
}

static inline double sim_noisy(struct sim *s, const struct sim_sensor *k, double v)
{
	double x = v * (1 + k->noise * sim_norm(&s->r));
	return x < 0 ? 0 : x;
}
static inline double sim_noisy1(struct sim *s, const struct sim_sensor *k, double v)
{
	return fmin(1, sim_noisy(s, k, v));
}

static inline void sim_read_step(struct sim *s, const struct sim_sensor *k, int d, int i)
{
	struct diag_step *o = &s->step[d][i];
	const struct sim_board *b = s->board;
	double t = i, w = k->util_window, at = t + 1 - w, clock = s->clock[d], busy, sm, tensor,
	       dram;

	diag_step_init(o);
	o->t_ms = (int64_t)i * 1000;
	o->step_ms = 1000;
	if ((int)(sim_u(&s->r) * 100) < k->drop)
		return;
	busy = sim_mean(s, d, SIM_M(busy), t, 1);
	sm = sim_mean(s, d, SIM_M(sm), t, 1);
	tensor = sim_mean(s, d, SIM_M(tensor), t, 1);
	dram = sim_mean(s, d, SIM_M(dram), t, 1);
	o->value[METRIC_GPU_UTIL_PCT] =
		floor(100 * fmin(1, sim_mean(s, d, SIM_M(busy), at, w)) + 0.5);
	o->value[METRIC_MEM_UTIL_PCT] =
		floor(100 * fmin(1, sim_mean(s, d, SIM_M(dram), at, w) * 1.2 + 0.02 * busy) + 0.5);
	o->value[METRIC_MEM_USED_BYTES] = s->mem_frac * b->mem;
	o->value[METRIC_MEM_TOTAL_BYTES] = b->mem;
	o->value[METRIC_PROC_COUNT] = 1;
	o->value[METRIC_TEMP_CELSIUS] = s->hot_share[d] > 0
						? b->slow - floor(3 * sim_u(&s->r))
						: floor(45 + 25 * busy + 3 * sim_u(&s->r));
	double watts = b->idle + (b->tdp - b->idle) *
					 (0.09 * busy + 0.36 * sm + 0.38 * tensor + 0.27 * dram) *
					 clock * clock;
	if (k->power)
		o->value[METRIC_POWER_W] = fmin(s->limit, sim_noisy(s, k, watts));
	if (k->clocks)
		o->value[METRIC_SM_CLOCK_MHZ] =
			busy > 0.02 ? b->clock * clock * (1 - 0.01 * sim_u(&s->r)) : b->clock * 0.2;
	if (k->bits)
		o->value[METRIC_THROTTLE_BITS] =
			(sim_u(&s->r) < s->hot_share[d] ? (sim_u(&s->r) < 0.7 ? 0x20 : 0x48) : 0) |
			(sim_u(&s->r) < s->power_share[d] ? 0x4 : 0) | (busy < 0.02 ? 1 : 0);
	double from = k->nvml_pcie ? t + 0.97 * sim_u(&s->r) : t, len = k->nvml_pcie ? 0.02 : 1;
	o->value[METRIC_PCIE_RX_BYTES_S] = sim_noisy(s, k,
						     sim_mean(s, d, SIM_M(rx), from, len) + 1e6);
	o->value[METRIC_PCIE_TX_BYTES_S] = sim_noisy(s, k,
						     sim_mean(s, d, SIM_M(tx), from, len) + 1e6);
	if (k->links && b->nvlink > 0)
		o->value[METRIC_NVLINK_RX_BYTES_S] = o->value[METRIC_NVLINK_TX_BYTES_S] =
			sim_noisy(s, k, sim_mean(s, d, SIM_M(link), t, 1));
	if (k->links)
		o->value[METRIC_NIC_RX_BYTES_S] = o->value[METRIC_NIC_TX_BYTES_S] =
			sim_noisy(s, k, sim_mean(s, 0, SIM_M(nic), t, 1) + 2e6);
	if (k->prof) {
		o->value[METRIC_SM_ACTIVE_FRAC] = sim_noisy1(s, k, sm);
		o->value[METRIC_OCCUPANCY_FRAC] = sim_noisy1(s, k, sm * 0.55);
		o->value[METRIC_TENSOR_ACTIVE_FRAC] = sim_noisy1(s, k, tensor);
		o->value[METRIC_DRAM_ACTIVE_FRAC] = sim_noisy1(s, k, dram);
	}
	if (k->host) {
		o->extra[DIAG_X_MAIN_CPU_PCT] = 100 *
						fmin(1, sim_noisy(s, k, s->main_cpu[d] / s->secs));
		o->extra[DIAG_X_LOADER_CPU_PCT] =
			s->serving ? 0
				   : 100 * sim_noisy(s, k,
						     fmin(s->loader_cpu[d] / s->secs, s->workers));
		o->extra[DIAG_X_LOADERS] = s->serving ? 0 : s->workers;
		double all = 0;
		for (int e = 0; e < s->devs; e++)
			all += s->main_cpu[e] + s->loader_cpu[e];
		o->extra[DIAG_X_HOST_CPU_PCT] = fmin(
			100, 100 * sim_noisy(s, k, all / s->secs / s->cpus) + 3 * sim_u(&s->r));
	}
	if (k->disk) {
		o->extra[DIAG_X_DISK_WRITE_BYTES_S] = sim_noisy(s, k, sim_mean1(s->disk_w, t, 1)) +
						      2e5 * sim_u(&s->r);
		o->extra[DIAG_X_DISK_READ_BYTES_S] = sim_noisy(s, k, s->disk_r);
	}
	if (s->serving) {
		/* gauges are read at a moment */
		o->extra[DIAG_X_QUEUE] = sim_mean1(s->queue, t + 0.5, SIM_BIN_S);
		o->extra[DIAG_X_RUNNING] = sim_mean1(s->running, t + 0.5, SIM_BIN_S);
		o->extra[DIAG_X_BATCH] = sim_mean1(s->batch, t, 1);
	}
}

static inline void sim_read(struct sim *s)
{
	struct sim_sensor k = sim_sensor(s);
	const struct sim_board *b = s->board;

	for (int d = 0; d < s->devs; d++) {
		struct diag_facts *f = &s->dev[d].facts;
		diag_facts_init(f);
		f->tdp_w = b->tdp;
		f->power_limit_w = s->limit;
		f->mem_total_bytes = b->mem;
		f->cpus = s->cpus;
		f->serving = s->serving;
		f->training = !s->serving;
		f->running_max = s->running_max;
		f->batch_max = s->batch_max;
		f->temp_slowdown_celsius = b->slow;
		if (k.peaks) {
			f->pcie_bytes_s = b->pcie;
			f->nvlink_bytes_s = b->nvlink > 0 ? b->nvlink : NAN;
			f->nic_bytes_s = b->nic;
			f->sm_clock_max_mhz = b->clock;
		}
		for (int i = 0; i < s->secs; i++)
			sim_read_step(s, &k, d, i);
		s->dev[d].step = s->step[d];
		s->dev[d].n = (size_t)s->secs;
	}
}

/* ---- scenes ------------------------------------------------------------------------------ */

static inline void sim_input(struct sim *s, struct sim_work *w, bool cpu)
{
	struct sim_rng *r = &s->r;
	double step = w->kernel_s / sim_in(r, 0.15, 0.75), part;

	s->workers = cpu && sim_u(r) < 0.3 ? 0 : 1 + sim_pick(r, 8); /* 0: in the main process */
	part = cpu ? sim_in(r, 0.88, 0.99) : sim_in(r, 0.03, 0.3);
	double each = s->workers ? step * s->workers : step - w->kernel_s;
	w->prep_cpu_s = each * part;
	w->prep_io_s = each * (1 - part);
	s->cpus = s->workers * s->devs + 2 + sim_pick(r, 30);
}

static inline void sim_cause(struct sim *s, struct sim_work *w, enum diag_cause c)
{
	struct sim_rng *r = &s->r;
	int odd = sim_pick(r, s->devs);

	switch (c) {
	case DIAG_SMALL_BATCH:
		w->fill = sim_in(r, 0.08, 0.4);
		w->kernel_us = w->launch_us * sim_in(r, 1.05, 3);
		w->tensor = sim_in(r, 0.02, 0.25);
		w->dram = sim_in(r, 0.05, 0.25);
		w->kernel_s = sim_log(r, 0.01, 0.1);
		s->mem_frac = sim_in(r, 0.08, 0.5);
		w->prep_cpu_s = w->prep_io_s = 0.15 * w->kernel_s * s->workers;
		w->copy_bytes = 0.01 * w->kernel_s * s->board->pcie;
		w->link_bytes = s->devs > 1 ? 0.02 * w->kernel_s : 0;
		break;
	case DIAG_LAUNCH:
		w->kernel_us = w->launch_us * sim_in(r, 0.2, 0.75);
		w->fill = sim_in(r, 0.08, 0.42);
		w->tensor = sim_in(r, 0, 0.15);
		w->dram = sim_in(r, 0.05, 0.3);
		w->kernel_s = sim_log(r, 0.005, 0.05);
		s->mem_frac = sim_in(r, 0.1, 0.6);
		w->prep_cpu_s = w->prep_io_s = 0.15 * w->kernel_s * s->workers;
		w->copy_bytes = 0.01 * w->kernel_s * s->board->pcie;
		w->link_bytes = s->devs > 1 ? 0.02 * w->kernel_s : 0;
		break;
	case DIAG_CPU: sim_input(s, w, true); break;
	case DIAG_LOADER: sim_input(s, w, false); break;
	case DIAG_BANDWIDTH:
		w->dram = sim_in(r, 0.65, 0.92);
		w->tensor = sim_in(r, 0, 0.15);
		w->fill = sim_in(r, 0.75, 0.98);
		break;
	case DIAG_PCIE: {
		double copy = w->kernel_s * sim_in(r, 0.5, 3);
		w->copy_ahead = false;
		/* pinned or pageable */
		w->copy_eff = sim_u(r) < 0.5 ? sim_in(r, 0.7, 0.85) : sim_in(r, 0.42, 0.6);
		w->copy_bytes = copy * s->board->pcie * w->copy_eff;
		break;
	}
	case DIAG_CHECKPOINT:
		w->ckpt_s = sim_in(r, 8, 45);
		w->ckpt_every_s = w->ckpt_s * sim_in(r, 1.2, 4.5);
		w->ckpt_bytes = w->ckpt_s * sim_log(r, 0.2e9, 2e9);
		break;
	case DIAG_COMM:
		w->overlap = sim_in(r, 0, 0.4);
		w->link_bytes = w->kernel_s * w->link_eff * sim_in(r, 0.5, 1.6);
		break;
	case DIAG_THERMAL:
		for (int d = 0; d < s->devs; d++) {
			s->clock[d] = sim_in(r, 0.45, 0.8);
			/* the room is hot */
			s->clock[d] = d ? s->clock[0] * (1 + 0.01 * sim_norm(r)) : s->clock[0];
			s->hot_share[d] = sim_in(r, 0.6, 1);
			s->lost[DIAG_THERMAL] += (1 - s->clock[d]) / s->devs;
		}
		break;
	case DIAG_POWER:
		s->limit = s->board->tdp * sim_in(r, 0.45, 0.8);
		for (int d = 0; d < s->devs; d++) {
			s->clock[d] = d ? s->clock[0] * (1 + 0.01 * sim_norm(r))
					: sim_in(r, 0.55, 0.8);
			s->power_share[d] = sim_in(r, 0.7, 1);
			s->lost[DIAG_POWER] += (1 - s->clock[d]) / s->devs;
		}
		break;
	case DIAG_STRAGGLER:
		switch (sim_pick(r, 4)) {
		case 0: w->slow[odd] = sim_in(r, 1.35, 2.2); break; /* more to do */
		case 1: /* a slow GPU */ s->clock[odd] = sim_in(r, 0.45, 0.7); break;
		case 2:
			sim_input(s, w, true), w->slow_input = sim_in(r, 1.6, 3),
					       w->prep_cpu_s *= 0.3, w->prep_io_s *= 0.3,
					       w->prep_io_s += w->kernel_s * s->workers;
			break;
		default: w->unused_last = true;
		}
		break;
	default: break;
	}
}

static inline void sim_serving(struct sim *s, enum diag_cause c)
{
	struct sim_rng *r = &s->r;
	struct sim_server v = { .t0 = sim_log(r, 0.006, 0.03),
				.before_s = sim_log(r, 0.004, 0.06),
				.after_s = sim_log(r, 0.002, 0.03),
				.fill1 = sim_in(r, 0.08, 0.3),
				.fill = sim_in(r, 0.75, 0.95),
				.batch = 32,
				.cap = 256,
				.patience = 40 + sim_pick(r, 300) };

	v.t1 = v.t0 * sim_in(r, 0.02, 0.08);
	v.full_b = sim_in(r, 12, 28);
	double full = v.batch / (v.t0 + v.t1 * v.batch); /* requests per second at full batches */
	if (c == DIAG_SMALL_BATCH) {
		v.batch = 1 + sim_pick(r, 3);
		v.rate = v.batch / (v.t0 + v.t1 * v.batch) * sim_in(r, 1.02, 1.6);
	} else if (c == DIAG_CONCURRENCY) {
		v.cap = 1 + sim_pick(r, 6);
		double each = v.before_s + v.after_s + v.t0 + v.t1 * v.cap * 0.5 + SIM_BIN_S;
		v.rate = v.cap / each * sim_in(r, 1.3, 3);
	} else if (c == DIAG_LOW_LOAD) {
		v.rate = sim_in(r, 0.05, 0.4) / (v.t0 + v.t1);
	} else {
		v.rate = full * sim_in(r, 1.1, 1.5); /* well used */
	}
	s->serving = true;
	s->running_max = sim_u(r) < 0.7 ? v.cap : NAN;
	s->batch_max = sim_u(r) < 0.7 ? (c == DIAG_SMALL_BATCH ? v.batch : 32) : NAN;
	s->mem_frac = sim_in(r, 0.2, 0.92);
	sim_serve(s, &v);
}

static inline void sim_start(struct sim *s, enum sim_scene scene, uint64_t seed)
{
	struct sim_bin *bins[SIM_DEVS];
	float *lines[4] = { s->disk_w, s->queue, s->running, s->batch };

	memcpy(bins, s->bin, sizeof bins);
	memset(s, 0, sizeof *s);
	memcpy(s->bin, bins, sizeof bins);
	s->disk_w = lines[0];
	s->queue = lines[1];
	s->running = lines[2];
	s->batch = lines[3];
	for (int d = 0; d < SIM_DEVS; d++)
		memset(s->bin[d], 0, SIM_BINS * sizeof *s->bin[d]);
	for (int i = 0; i < 4; i++)
		memset(lines[i], 0, SIM_BINS * sizeof(float));
	s->r.s = seed * 0x2545f4914f6cdd1dull + (uint64_t)scene * 7919 + 1;
	for (int i = 0; i < 8; i++)
		sim_u(&s->r);
	s->scene = scene;
	s->board = &SIM_BOARD[sim_pick(&s->r, 5)];
	s->secs = 240 + sim_pick(&s->r, SIM_STEPS - 240);
	bool several = scene == (enum sim_scene)DIAG_COMM ||
		       scene == (enum sim_scene)DIAG_STRAGGLER;
	s->devs = several ? 2 << sim_pick(&s->r, 3) : 1 << sim_pick(&s->r, 4);
	if (scene == (enum sim_scene)DIAG_STRAGGLER && s->devs == 2)
		s->devs = 4;
	s->limit = s->board->tdp;
	s->running_max = s->batch_max = NAN;
	for (int d = 0; d < SIM_DEVS; d++)
		s->clock[d] = 1 - 0.02 * sim_u(&s->r);
}

/* Hung: all GPUs stand in a collective, or one GPU in a kernel that never ends. */
static inline void sim_hung(struct sim *s)
{
	double sm = s->devs > 1 ? sim_in(&s->r, 0.01, 0.2) : 0.005;

	for (int d = 0; d < s->devs; d++) {
		sim_add(s, d, 0, s->secs,
			(struct sim_bin){ .busy = 1, .sm = (float)sm, .dram = 0.002f });
		s->main_cpu[d] = s->secs;
	}
	s->workers = 4;
	s->cpus = 32;
	s->mem_frac = sim_in(&s->r, 0.3, 0.95);
	s->lost[DIAG_HUNG] = 1;
}

static inline void sim_run(struct sim *s, enum sim_scene scene, uint64_t seed)
{
	sim_start(s, scene, seed);
	bool serving = scene == (enum sim_scene)DIAG_CONCURRENCY ||
		       scene == (enum sim_scene)DIAG_LOW_LOAD ||
		       (scene == (enum sim_scene)DIAG_SMALL_BATCH && sim_u(&s->r) < 0.4) ||
		       (scene == SIM_HEALTHY && sim_u(&s->r) < 0.2);
	if (serving)
		s->devs = 1;
	if (scene == (enum sim_scene)DIAG_HUNG) {
		sim_hung(s);
	} else if (serving) {
		sim_serving(s, (int)scene < DIAG_N ? (enum diag_cause)scene : DIAG_N);
	} else {
		static const enum diag_cause first[] = { DIAG_CPU,    DIAG_LOADER,    DIAG_PCIE,
							 DIAG_LAUNCH, DIAG_BANDWIDTH, DIAG_COMM },
					     second[] = { DIAG_CHECKPOINT, DIAG_THERMAL,
							  DIAG_POWER };
		struct sim_work w = sim_good(s);
		enum sim_link link = s->board->nvlink > 0 && sim_u(&s->r) < 0.7 ? LINK_NV
				     : sim_u(&s->r) < 0.5                       ? LINK_NIC
										: LINK_PCIE;
		if (scene == SIM_MIXED) {
			enum diag_cause c = first[sim_pick(&s->r, s->devs > 1 ? 6 : 5)];
			sim_cause(s, &w, c);
			sim_cause(s, &w, second[sim_pick(&s->r, 3)]);
		} else if ((int)scene < DIAG_N) {
			sim_cause(s, &w, (enum diag_cause)scene);
		} else if (sim_u(&s->r) < 0.3) {
			/* well used and yet at its power limit now and then */
			for (int d = 0; d < s->devs; d++) {
				s->clock[d] = d ? s->clock[0] : sim_in(&s->r, 0.92, 0.99);
				s->power_share[d] = sim_in(&s->r, 0.1, 0.9);
			}
		}
		sim_train(s, &w, link);
	}
	sim_read(s);
}

static inline struct sim *sim_new(void)
{
	struct sim *s = calloc(1, sizeof *s);

	for (int d = 0; d < SIM_DEVS; d++)
		s->bin[d] = calloc((size_t)SIM_BINS, sizeof *s->bin[d]);
	s->disk_w = calloc((size_t)SIM_BINS, sizeof(float));
	s->queue = calloc((size_t)SIM_BINS, sizeof(float));
	s->running = calloc((size_t)SIM_BINS, sizeof(float));
	s->batch = calloc((size_t)SIM_BINS, sizeof(float));
	return s;
}
static inline void sim_free(struct sim *s)
{
	for (int d = 0; d < SIM_DEVS; d++)
		free(s->bin[d]);
	free(s->disk_w);
	free(s->queue);
	free(s->running);
	free(s->batch);
	free(s);
}
/* 1 true, 0 false, -1 between. */
static inline int sim_truth(const struct sim *s, enum diag_cause c)
{
	return s->lost[c] >= SIM_TRUE ? 1 : s->lost[c] <= SIM_GREY ? 0 : -1;
}

#endif
