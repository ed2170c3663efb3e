#ifndef TARE_ANSWER_TRACE_H
#define TARE_ANSWER_TRACE_H
/* What a profiler's trace says about the use of the GPUs, for whoever asks why a step is slow. */
#include "answer/ask.h"
#include "opt/trace/trace.h"

struct trace_ask {
	const struct catalog *catalog; /* NULL: the GPU's peaks are not known */
	const char *device;            /* name of the first GPU, "" = not told */
	int64_t rank, world_size;      /* of a distributed run, -1 */
	double usd_gpu_hour;           /* NAN: nothing is said about money */
};
struct trace_roof {
	double intensity, tflops; /* of the matrix products; NAN */
	double ridge, peak;       /* of the GPU at half precision; NAN */
};
struct trace_told { /* a finding of the report, as it is printed */
	const char *title, *change;
	double cost_day; /* dollars; NAN */
};
struct trace_answer {
	const char *device; /* the ask's */
	int64_t rank, world_size;
	struct trace_report r;                 /* texts and arrays live as long as the trace */
	struct trace_told told[DIAG_FINDINGS]; /* [r.nfinding] */
	struct trace_roof roof;
	const struct gpu_spec *gpu; /* NULL: not in the catalogue */
};
/* t: all events are in it; it is judged here, once. Pure. */
void answer_trace(struct trace *t, const struct trace_ask *q, struct trace_answer *ret);

/*
 * The same of a file of torch.profiler (feed/planner/chrome_trace.h), which tells device, rank and
 * world size, whatever q has. What it told lies in mem. The caller frees *ret_trace with
 * trace_free(), when the answer is not needed any more. Returns 0 or a negative errno, which names
 * the file.
 */
int answer_trace_file(const char *file, const struct trace_ask *q, struct arena *mem,
		      struct trace **ret_trace, struct trace_answer *ret, struct err *err);
#endif
