#ifndef TARE_FEED_PLANNER_CHROME_TRACE_H
#define TARE_FEED_PLANNER_CHROME_TRACE_H
/*
 * Traces in Chrome's trace event format as torch.profiler writes them (export_chrome_trace,
 * tensorboard_trace_handler): JSON, also packed. Read as a stream: memory does not grow with the
 * file.
 *
 * Format: an array of events, or an object with "traceEvents". Complete events (ph "X") have ts and
 * dur in microseconds; cat says what they are: "kernel", "gpu_memcpy", "gpu_memset" on the GPU
 * (args: device, stream, correlation, External id, bytes, est. achieved occupancy %, blocks per
 * SM), "cuda_runtime" and "cuda_driver" calls (args: correlation), "cpu_op" (args: External id,
 * Input Dims, Input type), "user_annotation" (ProfilerStep#N, enumerate(DataLoader)#...). Older
 * writers capitalise ("Kernel", "Memcpy", "Runtime", "Operator"); ROCm's have the same categories
 * with hip names.
 */
#include "base/err.h"
#include "base/input.h"
#include "model/trace.h"

struct chrome_trace_info {
	char device[96];          /* of the first GPU, "" = not told */
	int64_t rank, world_size; /* of a distributed run, -1 */
	int64_t events, spans;    /* read; of these complete ones with a time */
};
typedef int chrome_trace_fn(void *ctx, const struct trace_event *e, struct err *err);

/* 0, -EBADMSG with the place for what is no JSON, -EINVAL where there are no events at all, or what
 * fn returned. Spans come in the file's order. */
int chrome_trace_read(struct input *in, chrome_trace_fn *fn, void *ctx,
		      struct chrome_trace_info *ret, struct err *err);

#endif
