#ifndef TARE_OPT_SIZE_RIGHTSIZE_H
#define TARE_OPT_SIZE_RIGHTSIZE_H
/*
 * How much of what it books a workload needs, and why it does not use the rest: rules over the
 * means of its readings. Rules fire only on what was measured: a NAN is no evidence for anything.
 *
 *   booked time   t = p95(used) x (1 + headroom), rounded up to whole steps
 *   bands         mean utilisation < 25 % over-provisioned, < 60 % under-utilised (the seeds'
 *                 bands)
 *   jobstats      the rules of Princeton's jobstats (config.py, PEARC'23)
 *   diagnosis     the tree over DCGM fields of docs/ALGORITHMS.md, "Findings"
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- time -------------------------------------------------------------------------------- */

/*
 * used [n] is sorted in place; quantile by nearest rank, so that with fewer than 20 runs p95 is the
 * longest. 0 when n is 0. step_ms > 0.
 */
int64_t rightsize_time(int64_t *used_ms, size_t n, double quantile, double headroom_frac,
		       int64_t step_ms);

/* ---- count ------------------------------------------------------------------------------- */

/* The fewest GPUs >= used among the sizes on offer ([n], any order) that are fewer than held; 0 =
 * none. */
int rightsize_count(int held, int used, const int *size, size_t n);

/* ---- bands ------------------------------------------------------------------------------- */

enum util_band { UTIL_UNKNOWN, UTIL_OVER_PROVISIONED, UTIL_UNDER_UTILISED, UTIL_WELL_USED };
enum util_band rightsize_band(double util_mean_pct);

/* ---- jobstats ---------------------------------------------------------------------------- */

struct job_means { /* NAN = not known */
	double run_s, limit_s;
	int gpus, gpus_used;  /* 0 GPUs: no readings */
	int nodes;            /* 0 = not known */
	double util_mean_pct; /* of the GPUs */
	double idle_tail_s;   /* since the last work of an interactive job */
	bool interactive;
	double cpu_eff_frac; /* CPU time over cores x run time */
	double cores, host_mem_used_bytes, host_mem_asked_bytes, gpu_mem_used_bytes;
};
enum job_note {
	JOB_UNUSED_GPUS = 1 << 0,   /* k of n GPUs at 0 % */
	JOB_LOW_UTIL = 1 << 1,      /* at or below 15 % */
	JOB_MODEST_UTIL = 1 << 2,   /* 15 to 25 % */
	JOB_LOW_CPU = 1 << 3,       /* CPU efficiency below 65 % */
	JOB_MODEST_CPU = 1 << 4,    /* below 80 % */
	JOB_TIME_RED = 1 << 5,      /* used at most 10 % of the booked time */
	JOB_TIME_NOTE = 1 << 6,     /* at most 60 % */
	JOB_HOST_MEM_OVER = 1 << 7, /* below 70 % of the memory asked for */
	/* one GPU, below 15 %, one core, host memory below 32 GB, GPU memory below 10 GB */
	JOB_MIG_ELIGIBLE = 1 << 8,
	JOB_MANY_CORES = 1 << 9, /* more than 12 cores a GPU */
	/* more than 240 GB a GPU asked for, below 85 % of it used */
	JOB_MUCH_HOST_MEM = 1 << 10,
	JOB_FRAGMENTED = 1 << 11,       /* one GPU on each of several machines */
	JOB_INTERACTIVE_IDLE = 1 << 12, /* an interactive job idle for more than 8 h */
};
/* Bits of enum job_note; 0 for jobs shorter than 300 s. */
unsigned rightsize_notes(const struct job_means *j);

/* ---- diagnosis --------------------------------------------------------------------------- */

struct gpu_means { /* fractions over the active window; NAN = not known */
	double util, sm, occupancy, tensor, dram;
	double pcie;      /* of the link's peak */
	double nvlink;    /* likewise */
	double cpu;       /* CPU time of the process over its cores */
	double io_wait;   /* waiting for disk or network */
	double starved;   /* part of 1 s to 60 s readings with utilisation below 5 % */
	bool long_period; /* the starved intervals come minutes apart or more */
	bool memory_held;
	double zero_s;       /* longest time at 0 */
	double spread_pct;   /* highest less lowest mean of the job's GPUs, points */
	bool half_precision; /* the GPU has tensor cores */
};
enum diagnosis {
	DIAGNOSIS_UNKNOWN,
	DIAGNOSIS_IDLE_HOLDING,
	DIAGNOSIS_UNUSED,
	DIAGNOSIS_CPU_BOUND,
	DIAGNOSIS_IO_BOUND,
	DIAGNOSIS_INTERRUPTED,
	DIAGNOSIS_TRANSFER_BOUND,
	DIAGNOSIS_LAUNCH_BOUND,
	DIAGNOSIS_BANDWIDTH_BOUND,
	DIAGNOSIS_NO_TENSOR,
	DIAGNOSIS_HEALTHY,
	DIAGNOSIS_IMBALANCED,
	DIAGNOSIS_COMMUNICATION_BOUND,
	DIAGNOSIS_STARVED,
	DIAGNOSIS_N
};
/* The first rule that holds. DIAGNOSIS_STARVED: starved, and CPU and waiting are not known, so that
 * the cause is open. */
enum diagnosis rightsize_diagnose(const struct gpu_means *c);
const char *diagnosis_name(enum diagnosis d);
const char *diagnosis_advice(enum diagnosis d); /* one sentence: what to try first */

#endif
