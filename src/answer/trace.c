#include "answer/trace.h"

#include <math.h>

#include "feed/planner/chrome_trace.h"
#include "model/known.h"

/* A trace tells less than the readings of a machine (not why the loader was late) and more (that
 * the host waited for the GPU first). */
static bool shows_syncs(const struct trace_report *r)
{
	int64_t sync = 0, launch = 0;

	for (int i = 0; i < r->ngpu; i++) {
		sync += r->gpu[i].gap_ns[TRACE_GAP_SYNC];
		launch += r->gpu[i].gap_ns[TRACE_GAP_LAUNCH];
	}
	return sync > launch;
}

void answer_trace(struct trace *t, const struct trace_ask *q, struct trace_answer *ret)
{
	struct trace_report *r = &ret->r;

	*ret = (struct trace_answer){ .device = q->device,
				      .rank = q->rank,
				      .world_size = q->world_size };
	trace_judge(t, r);
	if (q->catalog && q->device[0])
		ret->gpu = catalog_gpu(q->catalog, sv_of(q->device));

	const struct gpu_spec *gpu = ret->gpu;
	struct trace_roof roof = { .intensity = r->flops / r->flop_bytes,
				   .tflops = num_if(r->flop_ns > 0,
						    r->flops / (double)r->flop_ns / 1e3),
				   .ridge = NAN,
				   .peak = NAN };

	if (gpu) {
		roof.peak = gpu->fp16_tflops;
		roof.ridge = roof.peak * 1e3 / gpu->bandwidth_gb_s;
	}
	ret->roof = roof;
	for (int i = 0; i < r->nfinding; i++) {
		const char *title;
		if (r->finding[i].cause == DIAG_LAUNCH && shows_syncs(r))
			title = "the host waits for the GPU, then starts late";
		else
			title = diag_cause_title(r->finding[i].cause);
		const struct diag_finding *f = &r->finding[i];
		const char *change;
		if (f->cause == DIAG_LAUNCH && shows_syncs(r))
			change =
				"Do not wait within the step: no .item(), .cpu(), print of a loss or torch.cuda.synchronize() that is not needed every time.";
		else if (f->cause == DIAG_LOADER)
			change =
				"Prepare further ahead: more loader workers, prefetch_factor, pin_memory; where these processors are busy cheaper preprocessing, else faster storage.";
		else
			change = diag_change(f->cause);
		ret->told[i] = (struct trace_told){ title, change,
						    diag_cost_day(&r->finding[i], (size_t)r->ngpu,
								  q->usd_gpu_hour) };
	}
}

static int take_event(void *ctx, const struct trace_event *e, struct err *err)
{
	(void)err;
	trace_add(ctx, e);
	return 0;
}

int answer_trace_file(const char *file, const struct trace_ask *q, struct arena *mem,
		      struct trace **ret_trace, struct trace_answer *ret, struct err *err)
{
	struct trace *t = trace_new(TRACE_SPANS_MAX);
	struct chrome_trace_info info = { 0 };
	struct trace_ask told = *q;
	struct input *in = NULL;
	int r = input_open(file, &in, err);

	if (r >= 0 && (r = chrome_trace_read(in, take_event, t, &info, err)) < 0)
		err_prefix(err, "cannot read '%s'", file);
	input_close(in);

	if (r < 0) {
		trace_free(t);
		return r;
	}
	told.device = arena_printf(mem, "%s", info.device);
	told.rank = info.rank;
	told.world_size = info.world_size;
	answer_trace(t, &told, ret);
	*ret_trace = t;
	return 0;
}
