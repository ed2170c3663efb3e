#ifndef TARE_MODEL_TRACE_H
#define TARE_MODEL_TRACE_H
/* A span of a profiler's trace, as feed/planner/chrome_trace.h reads it and opt/trace/trace.h
 * judges it. */
#include <stdint.h>
#include "base/str.h"

enum trace_kind {
	TRACE_OTHER,
	/* on the GPU */
	TRACE_KERNEL,
	TRACE_COMM,
	TRACE_H2D,
	TRACE_D2H,
	TRACE_D2D,
	TRACE_SET,
	/* on the host */
	TRACE_LAUNCH, /* a call that starts work on the GPU */
	TRACE_SYNC,   /* a call that waits for the GPU */
	TRACE_LOADER, /* the training loop waits for its next batch */
	TRACE_STEP,   /* a step, as the profiler was told */
	TRACE_OP      /* an operator; with shapes its arithmetic can be counted */
};
struct trace_event { /* [start, start + dur); texts valid during the call */
	enum trace_kind kind;
	struct sv name;
	int64_t start_ns, dur_ns;
	int device, stream; /* -1 = not known */
	/* of a launch and its kernel; of an operator and its kernels; -1 */
	int64_t correlation, external;
	double bytes; /* copied; NAN */
	/* of an operator, NAN: arithmetic, and bytes of its operands and result */
	double flops, op_bytes;
	double occupancy_frac, blocks_per_sm; /* of a kernel, NAN */
};

#endif
