#include "opt/size/rightsize.h"
#include "base/num.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

#define GB 1e9

/* ---- time and count ---------------------------------------------------------------------- */

int64_t rightsize_time(int64_t *used_ms, size_t n, double quantile, double headroom_frac,
		       int64_t step_ms)
{
	if (!n)
		return 0;
	sort_items(used_ms, n, sizeof *used_ms, rising_i64);
	size_t rank = (size_t)ceil(quantile * (double)n);
	rank = clamp_size(rank, 1, n);
	double want = (double)used_ms[rank - 1] * (1 + headroom_frac);
	/* A headroom such as 0.125 of whole hours must not become a step more by the last bit. */
	return (int64_t)ceil(want / (double)step_ms - 1e-9) * step_ms;
}

int rightsize_count(int held, int used, const int *size, size_t n)
{
	int best = 0;

	for (size_t i = 0; i < n; i++)
		if (size[i] >= used && size[i] > 0 && size[i] < held && (!best || size[i] < best))
			best = size[i];
	return best;
}

/* ---- bands ------------------------------------------------------------------------------- */

enum util_band rightsize_band(double util_mean_pct)
{
	if (isnan(util_mean_pct))
		return UTIL_UNKNOWN;
	if (util_mean_pct < 25)
		return UTIL_OVER_PROVISIONED;
	if (util_mean_pct < 60)
		return UTIL_UNDER_UTILISED;
	return UTIL_WELL_USED;
}

/* ---- jobstats ---------------------------------------------------------------------------- */

unsigned rightsize_notes(const struct job_means *j)
{
	unsigned n = 0;

	if (!(j->run_s >= 300))
		return 0;
	/* GPUs; a NAN compares false, here and below */
	if (j->gpus > 0 && j->gpus_used < j->gpus)
		n |= JOB_UNUSED_GPUS;
	else if (j->gpus != 0 && j->util_mean_pct <= 15)
		n |= JOB_LOW_UTIL;
	else if (j->gpus != 0 && j->util_mean_pct <= 25)
		n |= JOB_MODEST_UTIL;

	/* cores */
	if (j->gpus == 0 && j->cpu_eff_frac < 0.80)
		n |= j->cpu_eff_frac < 0.65 ? JOB_LOW_CPU : JOB_MODEST_CPU;
	if (j->gpus > 0 && j->cores > 12.0 * j->gpus)
		n |= JOB_MANY_CORES;

	/* the limit of time */
	double part = NAN;
	if (j->limit_s > 0)
		part = j->run_s / j->limit_s;
	if (part <= 0.10)
		n |= JOB_TIME_RED;
	else if (part <= 0.60)
		n |= JOB_TIME_NOTE;

	/* host memory */
	part = NAN;
	if (j->host_mem_asked_bytes > 0)
		part = j->host_mem_used_bytes / j->host_mem_asked_bytes;
	if (part < 0.70)
		n |= JOB_HOST_MEM_OVER;
	if (j->gpus > 0 && part < 0.85 && j->host_mem_asked_bytes > 240 * GB * j->gpus)
		n |= JOB_MUCH_HOST_MEM;
	if (j->gpus == 1 && j->util_mean_pct < 15 && j->cores <= 1 &&
	    j->host_mem_used_bytes < 32 * GB && j->gpu_mem_used_bytes < 10 * GB)
		n |= JOB_MIG_ELIGIBLE;
	if (j->nodes > 1 && j->gpus == j->nodes)
		n |= JOB_FRAGMENTED;
	if (j->interactive && j->idle_tail_s > 8 * 3600.0)
		n |= JOB_INTERACTIVE_IDLE;
	return n;
}

/* ---- diagnosis --------------------------------------------------------------------------- */

static bool is_healthy(const struct gpu_means *c)
{
	return c->tensor > 0.4 || (c->sm > 0.8 && c->occupancy > 0.4);
}

enum diagnosis rightsize_diagnose(const struct gpu_means *c)
{
	if (isnan(c->util))
		return DIAGNOSIS_UNKNOWN;
	if (c->util == 0 && c->zero_s > 600) {
		if (c->memory_held)
			return DIAGNOSIS_IDLE_HOLDING;
		return DIAGNOSIS_UNUSED;
	}
	if (c->starved > 0.3) {
		if (c->long_period)
			return DIAGNOSIS_INTERRUPTED;
		if (c->cpu > 0.9)
			return DIAGNOSIS_CPU_BOUND;
		if (c->io_wait > 0.1)
			return DIAGNOSIS_IO_BOUND;
		return DIAGNOSIS_STARVED;
	}
	if (c->pcie > 0.5 && c->sm < 0.5)
		return DIAGNOSIS_TRANSFER_BOUND;
	if (c->nvlink > 0.5 && c->sm < 0.5)
		return DIAGNOSIS_COMMUNICATION_BOUND;
	if (c->util > 0.8 && c->sm < 0.4)
		return DIAGNOSIS_LAUNCH_BOUND;
	if (c->dram > 0.6 && c->tensor < 0.2)
		return DIAGNOSIS_BANDWIDTH_BOUND;
	if (c->sm > 0.7 && c->tensor < 0.1 && c->half_precision)
		return DIAGNOSIS_NO_TENSOR;
	if (c->spread_pct > 40)
		return DIAGNOSIS_IMBALANCED;
	if (is_healthy(c) || c->util >= 0.6)
		return DIAGNOSIS_HEALTHY;
	return DIAGNOSIS_UNKNOWN;
}

static const struct {
	const char *name, *advice;
} diag[DIAGNOSIS_N] = {
	[DIAGNOSIS_UNKNOWN] = { "unknown", "profile it: tare profile" },
	[DIAGNOSIS_IDLE_HOLDING] = { "idle, memory held", "let it exit when it is done" },
	[DIAGNOSIS_UNUSED] = { "unused", "do not ask for a GPU" },
	[DIAGNOSIS_CPU_BOUND] = { "waits for the CPU",
				  "more loader workers, or decode ahead of time" },
	[DIAGNOSIS_IO_BOUND] = { "waits for storage",
				 "cache the data on local disks, larger files" },
	[DIAGNOSIS_INTERRUPTED] = { "stops for checkpoints or evaluation",
				    "checkpoint and evaluate beside the training" },
	[DIAGNOSIS_TRANSFER_BOUND] = { "copies to the GPU",
				       "pinned memory, copies beside the kernels, fewer and larger ones" },
	[DIAGNOSIS_LAUNCH_BOUND] = { "small kernels",
				     "a larger batch, fused kernels, CUDA graphs" },
	[DIAGNOSIS_BANDWIDTH_BOUND] = { "bound by memory bandwidth",
					"a larger batch or fusion; or a GPU with the same bandwidth for less" },
	[DIAGNOSIS_NO_TENSOR] = { "does not use tensor cores", "mixed precision" },
	[DIAGNOSIS_HEALTHY] = { "healthy", "nothing to do" },
	[DIAGNOSIS_IMBALANCED] = { "GPUs unequally loaded",
				   "split the work evenly, or take fewer GPUs" },
	[DIAGNOSIS_COMMUNICATION_BOUND] = { "waits for the other GPUs",
					    "overlap communication, compress gradients" },
	[DIAGNOSIS_STARVED] = { "starved, cause not measured",
				"measure CPU and disk while it runs: tare profile" },
};

const char *diagnosis_name(enum diagnosis d)
{
	return diag[d].name;
}

const char *diagnosis_advice(enum diagnosis d)
{
	return diag[d].advice;
}
