#include "answer/trace.h"

#include <math.h>

#include "feed/planner/chrome_trace.h"
#include "model/known.h"

static struct trace_roof roof_of(const struct trace_report *r, const struct gpu_spec *gpu)
{
	struct trace_roof f = { .intensity = r->flops / r->flop_bytes,
				.tflops = num_if(r->flop_ns > 0,
						 r->flops / (double)r->flop_ns / 1e3),
				.ridge = NAN,
				.peak = NAN };

	if (gpu) {
		f.peak = gpu->fp16_tflops;
		f.ridge = f.peak * 1e3 / gpu->bandwidth_gb_s;
	}
	return f;
}

/* A trace tells less than the readings of a machine (not why the loader was late) and more (that
 * the host waited for the card first). */
static bool syncs(const struct trace_report *r)
{
	int64_t sync = 0, launch = 0;

	for (int i = 0; i < r->ncard; i++) {
		sync += r->card[i].gap_ns[TRACE_GAP_SYNC];
		launch += r->card[i].gap_ns[TRACE_GAP_LAUNCH];
	}
	return sync > launch;
}

static const char *title_of(const struct trace_report *r, const struct diag_finding *f)
{
	if (f->cause == DIAG_LAUNCH && syncs(r))
		return "the host waits for the card, then starts late";
	return diag_cause_title(f->cause);
}

static const char *change_of(const struct trace_report *r, const struct diag_finding *f)
{
	if (f->cause == DIAG_LAUNCH && syncs(r))
		return "Do not wait within the step: no .item(), .cpu(), print of a loss or torch.cuda.synchronize() that is not needed every time.";
	if (f->cause == DIAG_LOADER)
		return "Prepare further ahead: more loader workers, prefetch_factor, pin_memory; where these processors are busy cheaper preprocessing, else faster storage.";
	return diag_change(f->cause);
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
	ret->roof = roof_of(r, ret->gpu);
	for (int i = 0; i < r->nfinding; i++)
		ret->told[i] = (struct trace_told){
			title_of(r, &r->finding[i]), change_of(r, &r->finding[i]),
			diag_cost_day(&r->finding[i], (size_t)r->ncard, q->usd_gpu_hour)
		};
}

static int take(void *ctx, const struct trace_event *e, struct err *err)
{
	(void)err;
	trace_add(ctx, e);
	return 0;
}

static int read_file(const char *file, struct trace *t, struct chrome_trace_info *ret,
		     struct err *err)
{
	struct input *in = NULL;
	int r = input_open(file, &in, err);

	if (r >= 0 && (r = chrome_trace_read(in, take, t, ret, err)) < 0)
		err_prefix(err, "cannot read '%s'", file);
	input_close(in);
	return r;
}

int answer_trace_file(const char *file, const struct trace_ask *q, struct arena *mem,
		      struct trace **ret_trace, struct trace_answer *ret, struct err *err)
{
	struct trace *t = trace_new(TRACE_SPANS_MAX);
	struct chrome_trace_info info = { 0 };
	struct trace_ask told = *q;
	int r = read_file(file, t, &info, err);

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
