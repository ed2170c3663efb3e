/* Traces of a profiler: any bytes give an error with a sentence, or spans whose times are in order
 * and a report whose shares fit. */
#include <stdlib.h>

#include "feed/planner/chrome_trace.h"
#include "opt/trace/trace.h"

static int take(void *ctx, const struct trace_event *e, struct err *err)
{
	(void)err;
	if (e->dur_ns < 0 || e->name.n > 512)
		abort();
	trace_add(ctx, e);
	return 0;
}

static void check(const struct trace_report *r)
{
	for (int i = 0; i < r->ngpu; i++) {
		const struct trace_gpu *c = &r->gpu[i];
		int64_t gap = 0;
		for (int g = 0; g < TRACE_GAP_N; g++)
			gap += c->gap_ns[g];
		if (c->busy_ns < 0 || c->busy_ns + gap > r->window_ns || c->comm_exposed_ns < 0 ||
		    c->comm_exposed_ns > c->comm_ns || c->h2d_exposed_ns < 0 || gap < 0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct chrome_trace_info info;
	struct trace *t = trace_new(1000);
	struct trace_report r;
	struct input *in;
	struct err e;

	err_clear(&e);
	if (input_from_memory("fuzz.json", data, size, &in, &e) == 0) {
		int rc = chrome_trace_read(in, take, t, &info, &e);
		if (rc < 0 && !e.msg[0])
			abort();
		trace_judge(t, &r);
		check(&r);
		input_close(in);
	}
	trace_free(t);
	return 0;
}
