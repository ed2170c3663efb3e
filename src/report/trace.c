#include "report/trace.h"

#include <math.h>

#include "base/dec.h"
#include "base/percent.h"
#include "base/str.h"
#include "model/known.h"
#include "report/plan/plan_view.h"
#include "report/text.h"

struct look {
	const struct trace_answer *t;
	const char *file;
	int width;
	struct arena *mem;
};

static const char *format_pct(struct arena *m, double f)
{
	char buf[PERCENT_BUF];
	dec part = 0;

	if (!isnan(f))
		part = dec_from_double(f);
	if (isnan(f))
		return "-";
	return arena_printf(m, "%s",
			    percent_text(buf, percent_alone(part, DEC_ONE, PERCENT_UNITS),
					 PERCENT_UNITS, part, DEC_ONE));
}

static const char *format_ms(struct arena *m, int64_t ns)
{
	double v = (double)ns / 1e6;

	if (v >= 1000)
		return arena_printf(m, "%.2f s", v / 1000);
	if (v >= 1)
		return arena_printf(m, "%.1f ms", v);
	return arena_printf(m, "%.1f us", v * 1000);
}

/* ---- table ------------------------------------------------------------------------------- */

static void table_gpu(const struct look *l, const struct trace_gpu *k, struct str *out)
{
	static const char *const why[] = { "waits for the data loader",
					   "the host starts kernels late",
					   "the host waits for the GPU first, then starts late",
					   "queued already: order of streams, start of kernels",
					   "not known" };
	struct arena *m = l->mem;
	int64_t w = l->t->r.window_ns, sum = 0;
	__int128 gap[TRACE_GAP_N];
	char *share[TRACE_GAP_N];

	str_addf(out, "\nGPU %d%s%s\n", k->device, text_if(l->t->device[0] && k->device == 0, "  "),
		 k->device == 0 ? text_line(m, sv_of(l->t->device), 60) : "");
	str_addf(out, "  kernels run           %5s of the time\n",
		 format_pct(m, text_frac(k->busy_ns, w)));
	if (k->comm_ns)
		str_addf(out, "  collectives           %5s, not hidden by computing %s\n",
			 format_pct(m, text_frac(k->comm_ns, w)),
			 format_pct(m, text_frac(k->comm_exposed_ns, w)));
	str_addf(out, "  copies to the GPU    %5s, with no kernel beside them %s",
		 format_pct(m, text_frac(k->h2d_ns, w)),
		 format_pct(m, text_frac(k->h2d_exposed_ns, w)));
	if (k->h2d_ns > 0 && k->h2d_bytes > 0)
		str_addf(out, "  (%.1f GB/s)", k->h2d_bytes / (double)k->h2d_ns);
	str_addf(out, "\n  copies from the GPU  %5s, with no kernel beside them %s\n",
		 format_pct(m, text_frac(k->d2h_ns, w)),
		 format_pct(m, text_frac(k->d2h_exposed_ns, w)));
	for (int g = 0; g < TRACE_GAP_N; g++) {
		gap[g] = k->gap_ns[g];
		sum += k->gap_ns[g];
	}
	text_shares_of(m, sum, w, TRACE_GAP_N, gap, share);
	str_addf(out, "  nothing runs          %5s in %lld gap%s\n", text_share(m, sum, w),
		 (long long)k->gaps, plural(k->gaps));
	for (int g = 0; g < TRACE_GAP_N; g++)
		if (k->gap_ns[g])
			str_addf(out, "    %7s  %s\n", share[g], why[g]);
	str_addf(out, "  %lld kernel%s, median %s, %s of them under 10 us, %.0f a second\n",
		 (long long)k->kernels, plural(k->kernels), format_ms(m, k->median_ns),
		 format_pct(m, text_frac(k->tiny, k->kernels)),
		 w ? (double)k->kernels / ((double)w / 1e9) : 0.0);
	if (k->blocks_known_ns)
		str_addf(out, "  kernels with less than a block per SM: %s of kernel time\n",
			 format_pct(m, text_frac(k->unfilled_ns, k->blocks_known_ns)));
	if (!isnan(k->occupancy_frac))
		str_addf(out, "  estimated occupancy   %5s\n", format_pct(m, k->occupancy_frac));
}

static void write_table(const struct look *l, struct str *out)
{
	struct arena *m = l->mem;
	const struct trace_report *r = &l->t->r;

	str_addf(out, "%s: %s", text_line(m, sv_of(l->file), 60), format_ms(m, r->window_ns));
	if (r->steps)
		str_addf(out, ", %lld step%s of %s (longest %s)", (long long)r->steps,
			 plural(r->steps), format_ms(m, r->step_mean_ns),
			 format_ms(m, r->step_max_ns));
	if (l->t->world_size > 1)
		str_addf(out, ", rank %lld of %lld", (long long)l->t->rank,
			 (long long)l->t->world_size);
	str_addc(out, '\n');
	if (r->cut)
		str_addz(
			out,
			"Only the first part was looked at: there are more spans than are kept.\n");
	if (r->loader_waits)
		str_addf(out,
			 "The loop waited for data %lld time%s, %s together (%s of the time).\n",
			 (long long)r->loader_waits, plural(r->loader_waits),
			 format_ms(m, r->loader_ns),
			 format_pct(m, text_frac(r->loader_ns, r->window_ns)));
	for (int i = 0; i < r->ngpu; i++)
		table_gpu(l, &r->gpu[i], out);
	if (!r->ngpu) {
		str_addz(
			out,
			"No kernels in it: nothing ran on a GPU, or it was not recorded (ProfilerActivity.CUDA).\n");
		return;
	}
	str_addz(out, "\n   time  count  kernel or copy\n");
	for (int i = 0; i < r->ntop; i++)
		str_addf(out, "%7s  %5lld  %s\n", format_ms(m, r->top[i].ns),
			 (long long)r->top[i].count,
			 text_line(m, sv_of(r->top[i].name), l->width > 40 ? l->width - 17 : 60));

	const struct trace_roof *f = &l->t->roof;
	if (!isnan(f->intensity)) {
		str_addf(out,
			 "\nMatrix products whose shapes are known: %.3g TFLOP, %.0f FLOP per byte",
			 l->t->r.flops / 1e12, f->intensity);
		if (!isnan(f->tflops))
			str_addf(out, ", %.1f TFLOP/s in %s of kernels", f->tflops,
				 format_ms(l->mem, l->t->r.flop_ns));
		if (!isnan(f->ridge))
			str_addf(
				out,
				"\n%s at half precision: %.0f TFLOP/s, reached from %.0f FLOP per byte on: %s",
				l->t->gpu->model, f->peak, f->ridge,
				f->intensity < f->ridge ? "bound by memory bandwidth"
							: "bound by arithmetic");
		str_addc(out, '\n');
	}
	str_addc(out, '\n');
	if (!l->t->r.nfinding)
		str_addz(out, "Nothing in it costs a tenth of the time.\n");
	for (int i = 0; i < l->t->r.nfinding; i++) {
		const struct diag_finding *x = &l->t->r.finding[i];
		const struct trace_told *told = &l->t->told[i];
		str_addf(out, "%d. %s: %s of the time", i + 1, told->title,
			 format_pct(l->mem, x->lost_frac));

		double day = told->cost_day;
		char buf[DEC_BUF];

		if (isfinite(day))
			str_addf(out, ", costs %s USD/day",
				 dec_format_people(buf, dec_from_double(day), 2));
		str_addz(out, "\n   ");
		diag_evidence_text(x, out);
		str_addz(out, "\n   ");
		plan_fold(out, told->change, 3, l->width - 3);
	}
}

/* ---- JSON -------------------------------------------------------------------------------- */

struct gpu_json {
	const struct trace_gpu *gpu;
	int64_t window_ns;
};

/* Part of the window, of a member of struct trace_gpu. */
#define PART_OF_WINDOW(name, ns)                                          \
	static bool get_##name(const void *row, union col_value *ret)     \
	{                                                                 \
		const struct gpu_json *k = row;                           \
		return col_num(text_frac(k->gpu->ns, k->window_ns), ret); \
	}
PART_OF_WINDOW(busy, busy_ns)
PART_OF_WINDOW(compute, compute_ns)
PART_OF_WINDOW(comm, comm_ns)
PART_OF_WINDOW(comm_exposed, comm_exposed_ns)
PART_OF_WINDOW(h2d, h2d_ns)
PART_OF_WINDOW(h2d_exposed, h2d_exposed_ns)
PART_OF_WINDOW(d2h, d2h_ns)
PART_OF_WINDOW(d2h_exposed, d2h_exposed_ns)
PART_OF_WINDOW(gap_loader, gap_ns[TRACE_GAP_LOADER])
PART_OF_WINDOW(gap_launch, gap_ns[TRACE_GAP_LAUNCH])
PART_OF_WINDOW(gap_sync, gap_ns[TRACE_GAP_SYNC])
PART_OF_WINDOW(gap_queued, gap_ns[TRACE_GAP_QUEUED])
PART_OF_WINDOW(gap_unknown, gap_ns[TRACE_GAP_UNKNOWN])

static bool get_gap(const void *row, union col_value *ret)
{
	const struct gpu_json *k = row;

	int64_t idle_ns = 0;

	for (int g = 0; g < TRACE_GAP_N; g++)
		idle_ns += k->gpu->gap_ns[g];
	return col_num(text_frac(idle_ns, k->window_ns), ret);
}

static bool get_tiny(const void *row, union col_value *ret)
{
	const struct trace_gpu *k = row;

	return col_num(text_frac(k->tiny, k->kernels), ret);
}

static bool get_unfilled(const void *row, union col_value *ret)
{
	const struct trace_gpu *k = row;

	return col_num(text_frac(k->unfilled_ns, k->blocks_known_ns), ret);
}

static const struct col device_cols[] = {
	{ "device", COL_I32, offsetof(struct trace_gpu, device), .always = true,
	  .help = "the GPU, from 0" },
	{ 0 },
};
static const struct col kernel_cols[] = {
	{ "gaps", COL_INT, offsetof(struct trace_gpu, gaps), "count",
	  "times in which nothing ran on the GPU", .always = true },
	{ "kernels", COL_INT, offsetof(struct trace_gpu, kernels), "count", "that ran",
	  .always = true },
	{ "tiny_kernels_frac", COL_NUM, .get = get_tiny, .digits = 6,
	  .help = "part of the kernels that took less than 10 us" },
	{ "kernel_median_us", COL_NUM, .at = offsetof(struct trace_gpu, median_ns), .of_i64 = true,
	  .per = 1e3, .unit = "us", .digits = 6, .always = true,
	  .help = "how long a kernel takes" },
	{ "below_one_block_per_sm_frac", COL_NUM, .get = get_unfilled, .digits = 6,
	  .help = "kernel time with less than a block per multiprocessor, of what is known" },
	{ "occupancy_frac", COL_NUM, offsetof(struct trace_gpu, occupancy_frac), .digits = 6,
	  .help = "estimated, weighted by time" },
	{ 0 },
};
#define PART(name, from, what)                                        \
	{                                                             \
		name, COL_NUM, .get = from, .digits = 6, .help = what \
	}
static const struct col gpu_cols[] = {
	{ "card", COL_ROW, COL_BEHIND(struct gpu_json, gpu), .sub = device_cols, .here = true },
	PART("busy_frac", get_busy, "part of the window in which some kernel ran"),
	PART("compute_frac", get_compute, "some kernel that is no collective"),
	PART("collectives_frac", get_comm, "some collective"),
	PART("collectives_exposed_frac", get_comm_exposed, "a collective, no computing beside it"),
	PART("h2d_frac", get_h2d, "copies to the GPU"),
	PART("h2d_exposed_frac", get_h2d_exposed, "of these, with no kernel beside them"),
	PART("d2h_frac", get_d2h, "copies from the GPU"),
	PART("d2h_exposed_frac", get_d2h_exposed, "of these, with no kernel beside them"),
	PART("gap_frac", get_gap, "nothing ran"),
	PART("gap_loader_frac", get_gap_loader, "of these, waits for the data loader"),
	PART("gap_launch_frac", get_gap_launch, "the host starts kernels late"),
	PART("gap_sync_frac", get_gap_sync, "the host waits for the GPU, then starts late"),
	PART("gap_queued_frac", get_gap_queued, "queued already"),
	PART("gap_unknown_frac", get_gap_unknown, "not known why"),
	{ "kernels", COL_ROW, COL_BEHIND(struct gpu_json, gpu), .sub = kernel_cols, .here = true },
	{ 0 },
};

static const struct col top_cols[] = {
	{ "name", COL_TEXT, offsetof(struct trace_kernel, name), .help = "of the kernel or copy" },
	{ "count", COL_INT, offsetof(struct trace_kernel, count), "count", "times that it ran", 0 },
	{ "seconds", COL_NUM, .at = offsetof(struct trace_kernel, ns), .of_i64 = true, .per = 1e9, .unit = "s", .digits = 6, .always = true,
	  .help = "all these together" },
	{ 0 },
}, roof_cols[] = {
	{ "flop_per_byte", COL_NUM, offsetof(struct trace_roof, intensity), .digits = 6,
	  .help = "of the matrix products whose shapes are known" },
	{ "tflops", COL_NUM, offsetof(struct trace_roof, tflops), "TFLOP/s", .digits = 6,
	  .help = "that they reached" },
	{ "card_tflops", COL_NUM, offsetof(struct trace_roof, peak), "TFLOP/s", .digits = 6,
	  .help = "of the GPU at half precision; null: a GPU that is not in the catalogue" },
	{ "ridge_flop_per_byte", COL_NUM, offsetof(struct trace_roof, ridge), .digits = 6,
	  .help = "below it the GPU's memory is the limit, above it its arithmetic" },
	{ 0 },
};

struct finding_json {
	const struct diag_finding *f;
	const struct trace_told *told;
	const struct diag_evidence *evidence;
	size_t nevidence;
};

static bool get_cause(const void *row, union col_value *ret)
{
	ret->text = diag_cause_name(((const struct finding_json *)row)->f->cause);
	return true;
}

/* An estimate: to a hundredth of a cent. */
static bool get_cost_day(const void *row, union col_value *ret)
{
	double day = ((const struct finding_json *)row)->told->cost_day;

	if (!isfinite(day))
		return false;
	ret->money = div_half_even(dec_from_double(day), DEC_ONE / 10000) * (DEC_ONE / 10000);
	return true;
}

static const struct col evidence_cols[] = {
	{ "metric", COL_TEXT, offsetof(struct diag_evidence, metric), .help = "what was looked at" },
	{ "value", COL_NUM, offsetof(struct diag_evidence, value), .digits = 6, .help = "what it was" },
	{ "limit", COL_NUM, offsetof(struct diag_evidence, limit), .digits = 6,
	  .help = "what it was held against" },
	{ 0 },
}, finding_cols[] = {
	{ "cause", COL_TEXT, .get = get_cause, .always = true, .help = "why time is lost" },
	{ "lost_frac", COL_NUM, COL_VIA(struct finding_json, f, lost_frac), .digits = 6, .help = "part of the time it costs" },
	{ "confidence", COL_NUM, COL_VIA(struct finding_json, f, confidence), .digits = 6, .help = "0 to 1" },
	{ "cost_day", COL_DEC, .get = get_cost_day, .unit = "money",
	  .help = "a day of such work; null: no price of a GPU hour was given" },
	{ "evidence", COL_LIST(struct finding_json, evidence, nevidence, evidence_cols),
	  .help = "what says so" },
	{ "change", COL_TEXT, COL_VIA(struct finding_json, told, change), .help = "what to do" },
	{ 0 },
};

struct trace_json {
	const char *file, *device;
	const struct trace_report *r;
	const struct trace_roof *roof;
	const struct gpu_json *gpu;
	size_t ngpu;
	const struct finding_json *finding;
	size_t nfinding;
};

static bool get_complete(const void *row, union col_value *ret)
{
	ret->yes = !((const struct trace_json *)row)->r->cut;
	return true;
}

static bool get_step(const void *row, union col_value *ret)
{
	const struct trace_report *r = ((const struct trace_json *)row)->r;

	return r->steps && col_num((double)r->step_mean_ns / 1e9, ret);
}

static bool get_loader_wait(const void *row, union col_value *ret)
{
	const struct trace_report *r = ((const struct trace_json *)row)->r;

	return r->loader_waits && col_num(text_frac(r->loader_ns, r->window_ns), ret);
}

static bool get_top(const void *row, union col_value *ret)
{
	const struct trace_report *r = ((const struct trace_json *)row)->r;

	ret->rows.p = r->top;
	ret->rows.n = (size_t)r->ntop;
	return true;
}

static bool get_roof(const void *row, union col_value *ret)
{
	const struct trace_roof *f = ((const struct trace_json *)row)->roof;

	ret->rows.p = f;
	ret->rows.n = 1;
	return !isnan(f->intensity);
}

static bool get_dollars(const void *row, union col_value *ret)
{
	ret->text = "USD";
	return true;
}

static const struct col trace_cols[] = {
	{ "file", COL_TEXT, offsetof(struct trace_json, file), .help = "of the profiler" },
	{ "device", COL_TEXT, offsetof(struct trace_json, device),
	  .help = "name of the first GPU" },
	{ "complete", COL_BOOL, .get = get_complete, .always = true,
	  .help = "false: only the first part was looked at" },
	{ "window_s", COL_NUM, COL_VIA(struct trace_json, r, window_ns), .of_i64 = true, .per = 1e9,
	  .unit = "s", .digits = 6, .always = true,
	  .help = "from the first to the last step, or of the work on the GPUs" },
	{ "steps", COL_INT, COL_VIA(struct trace_json, r, steps), .unit = "count", .always = true,
	  .help = "of the training; 0: none is marked" },
	{ "step_s", COL_NUM, .get = get_step, .unit = "s", .digits = 6, .help = "mean of a step" },
	{ "loader_wait_frac", COL_NUM, .get = get_loader_wait, .digits = 6,
	  .help = "part of the time in which the loop waited for data; null: it never did" },
	{ "gpus", COL_LIST(struct trace_json, gpu, ngpu, gpu_cols),
	  .help = "the GPUs; none: nothing ran on one" },
	{ "top", COL_ROWS, .get = get_top, .size = sizeof(struct trace_kernel), .sub = top_cols,
	  .always = true, .help = "kernels and copies that took most time" },
	{ "matrix_products", COL_ROW, .get = get_roof, .sub = roof_cols,
	  .help = "beside what the GPU can; null: no shapes in the trace" },
	{ "currency", COL_TEXT, .get = get_dollars, .always = true, .help = "of amounts" },
	{ "findings", COL_LIST(struct trace_json, finding, nfinding, finding_cols),
	  .help = "what costs time, the most first" },
	{ 0 },
};
const struct col_doc trace_doc = { "tare.explain.trace/1", "explain --trace",
				   "what a profiler's trace says about the use of the GPUs",
				   trace_cols };

void trace_print(const struct trace_answer *t, const char *file, const struct out_as *as,
		 struct str *out)
{
	struct arena mem = { 0 };
	struct look l = { .t = t, .file = file, .width = as->width, .mem = &mem };

	if (as->format == OUT_JSON) {
		const struct trace_report *r = &l.t->r;
		struct gpu_json gpu[TRACE_GPUS];
		struct finding_json finding[DIAG_FINDINGS];

		for (int i = 0; i < r->ngpu; i++)
			gpu[i] = (struct gpu_json){ &r->gpu[i], r->window_ns };
		for (int i = 0; i < r->nfinding; i++) {
			const struct diag_finding *f = &r->finding[i];
			finding[i] = (struct finding_json){ f, &l.t->told[i], f->evidence,
							    (size_t)f->nevidence };
		}
		struct trace_json doc = {
			.file = l.file,
			.device = filled_or(l.t->device, NULL),
			.r = r,
			.roof = &l.t->roof,
			.gpu = gpu,
			.ngpu = (size_t)r->ngpu,
			.finding = finding,
			.nfinding = (size_t)r->nfinding,
		};
		cols_doc(&trace_doc, &doc, out);
	} else
		write_table(&l, out);
	arena_free(&mem);
}
