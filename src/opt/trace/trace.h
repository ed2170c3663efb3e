#ifndef TARE_OPT_TRACE_TRACE_H
#define TARE_OPT_TRACE_TRACE_H
/*
 * What a profiler's trace says about the use of the GPUs: how long they worked, what the gaps
 * between kernels were waits for, how much of copies and collectives was hidden behind computing,
 * how small the kernels are, where the matrix products stand on the roofline. Pure; the method
 * stands in trace.c.
 *
 *   struct trace *t = trace_new(TRACE_SPANS_MAX);
 *   ... trace_add(t, &event) for each, in any order ...
 *   trace_judge(t, &report);   texts and arrays of the report live until trace_free(t)
 */
#include <stdbool.h>
#include "model/trace.h"
#include "opt/diagnose/diagnose.h"

#define TRACE_SPANS_MAX ((size_t)6 << 20) /* 32 bytes each: at most 200 MB, a trace of some 2 GB */
#define TRACE_NAMES_MAX 65536
#define TRACE_TOP       10
#define TRACE_GPUS      16

enum trace_gap {
	TRACE_GAP_LOADER,
	TRACE_GAP_LAUNCH,
	TRACE_GAP_SYNC,
	TRACE_GAP_QUEUED,
	TRACE_GAP_UNKNOWN,
	TRACE_GAP_N
};

struct trace_kernel {
	const char *name;
	int64_t count, ns;
};
struct trace_gpu {
	int device;
	int64_t busy_ns;                  /* some kernel ran */
	int64_t compute_ns;               /* some kernel that is no collective */
	int64_t comm_ns, comm_exposed_ns; /* collectives; of these, with no compute beside them */
	/* copies; of these, with no kernel at all beside them */
	int64_t h2d_ns, h2d_exposed_ns, d2h_ns, d2h_exposed_ns;
	double h2d_bytes;
	int64_t gap_ns[TRACE_GAP_N]; /* nothing ran on the GPU, by what it waited for */
	int64_t gaps;
	int64_t kernels, tiny;              /* tiny: shorter than 10 us */
	int64_t kernel_sum_ns, tiny_sum_ns; /* streams added up */
	int64_t median_ns;                  /* of kernels */
	int64_t unfilled_ns;                /* of kernels with less than one block per SM */
	int64_t blocks_known_ns;            /* kernels of which that is known */
	double occupancy_frac;              /* weighted by time, NAN */
};
struct trace_report {
	int64_t window_ns; /* from the first to the last step, or of the work on the GPUs */
	struct trace_gpu gpu[TRACE_GPUS];
	int ngpu; /* 0: nothing ran on a GPU */
	int64_t steps, step_mean_ns, step_max_ns;
	/* the loop waited for data (whether the GPU worked meanwhile or not) */
	int64_t loader_ns;
	int64_t loader_waits;
	/* matrix products whose shapes are in the trace */
	double flops, flop_bytes; /* NAN = none */
	int64_t flop_ns;          /* kernel time of these */
	struct trace_kernel top[TRACE_TOP];
	int ntop;
	bool cut; /* there were more spans than fit: the first ones are judged */
	struct diag_finding finding[DIAG_FINDINGS];
	int nfinding;
};

struct trace;
struct trace *trace_new(size_t spans_max);
void trace_free(struct trace *t); /* NULL is fine */
void trace_add(struct trace *t, const struct trace_event *e);
/* O(n log n). Once. */
void trace_judge(struct trace *t, struct trace_report *ret);

#endif
