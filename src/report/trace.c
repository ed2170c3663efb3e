#include "report/trace.h"

#include <math.h>

#include "base/dec.h"
#include "base/jw.h"
#include "base/percent.h"
#include "report/plan_view.h"
#include "report/text.h"

struct look {
	const struct trace_answer *t;
	const char *file;
	int width;
	struct arena *mem;
};

static double frac(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : NAN;
}

static const char *pct(struct arena *m, double f)
{
	char buf[PERCENT_BUF];
	dec part = isnan(f) ? 0 : dec_from_double(f);

	if (isnan(f))
		return "-";
	return arena_printf(m, "%s",
			    percent_text(buf, percent_alone(part, DEC_ONE, PERCENT_UNITS),
					 PERCENT_UNITS, part, DEC_ONE));
}

static const char *ms(struct arena *m, int64_t ns)
{
	double v = (double)ns / 1e6;

	return v >= 1000 ? arena_printf(m, "%.2f s", v / 1000)
	       : v >= 1  ? arena_printf(m, "%.1f ms", v)
			 : arena_printf(m, "%.1f us", v * 1000);
}

static int64_t idle_ns(const struct trace_card *c)
{
	int64_t sum = 0;

	for (int g = 0; g < TRACE_GAP_N; g++)
		sum += c->gap_ns[g];
	return sum;
}

/* ---- table ------------------------------------------------------------------------------- */

static void table_card(const struct look *l, const struct trace_card *k, struct str *out)
{
	static const char *const why[] = { "waits for the data loader",
					   "the host starts kernels late",
					   "the host waits for the card first, then starts late",
					   "queued already: order of streams, start of kernels",
					   "not known" };
	struct arena *m = l->mem;
	int64_t w = l->t->r.window_ns, sum = 0;
	__int128 gap[TRACE_GAP_N];
	char *share[TRACE_GAP_N];

	str_addf(out, "\nGPU %d%s%s\n", k->device, l->t->device[0] && k->device == 0 ? "  " : "",
		 k->device == 0 ? text_line(m, sv_of(l->t->device), 60) : "");
	str_addf(out, "  kernels run           %5s of the time\n", pct(m, frac(k->busy_ns, w)));
	if (k->comm_ns)
		str_addf(out, "  collectives           %5s, not hidden by computing %s\n",
			 pct(m, frac(k->comm_ns, w)), pct(m, frac(k->comm_exposed_ns, w)));
	str_addf(out, "  copies to the card    %5s, with no kernel beside them %s",
		 pct(m, frac(k->h2d_ns, w)), pct(m, frac(k->h2d_exposed_ns, w)));
	if (k->h2d_ns > 0 && k->h2d_bytes > 0)
		str_addf(out, "  (%.1f GB/s)", k->h2d_bytes / (double)k->h2d_ns);
	str_addf(out, "\n  copies from the card  %5s, with no kernel beside them %s\n",
		 pct(m, frac(k->d2h_ns, w)), pct(m, frac(k->d2h_exposed_ns, w)));
	for (int g = 0; g < TRACE_GAP_N; g++) {
		gap[g] = k->gap_ns[g];
		sum += k->gap_ns[g];
	}
	text_shares_of(m, sum, w, TRACE_GAP_N, gap, share);
	str_addf(out, "  nothing runs          %5s in %lld gap%s\n", text_share(m, sum, w),
		 (long long)k->gaps, k->gaps == 1 ? "" : "s");
	for (int g = 0; g < TRACE_GAP_N; g++)
		if (k->gap_ns[g])
			str_addf(out, "    %7s  %s\n", share[g], why[g]);
	str_addf(out, "  %lld kernel%s, median %s, %s of them under 10 us, %.0f a second\n",
		 (long long)k->kernels, k->kernels == 1 ? "" : "s", ms(m, k->median_ns),
		 pct(m, frac(k->tiny, k->kernels)),
		 w ? (double)k->kernels / ((double)w / 1e9) : 0.0);
	if (k->blocks_known_ns)
		str_addf(out, "  kernels with less than a block per SM: %s of kernel time\n",
			 pct(m, frac(k->unfilled_ns, k->blocks_known_ns)));
	if (!isnan(k->occupancy_frac))
		str_addf(out, "  estimated occupancy   %5s\n", pct(m, k->occupancy_frac));
}

static void table_roof(const struct look *l, struct str *out)
{
	const struct trace_roof *f = &l->t->roof;

	if (isnan(f->intensity))
		return;
	str_addf(out, "\nMatrix products whose shapes are known: %.3g TFLOP, %.0f FLOP per byte",
		 l->t->r.flops / 1e12, f->intensity);
	if (!isnan(f->tflops))
		str_addf(out, ", %.1f TFLOP/s in %s of kernels", f->tflops,
			 ms(l->mem, l->t->r.flop_ns));
	if (!isnan(f->ridge))
		str_addf(
			out,
			"\n%s at half precision: %.0f TFLOP/s, reached from %.0f FLOP per byte on: %s",
			l->t->gpu->model, f->peak, f->ridge,
			f->intensity < f->ridge ? "bound by memory bandwidth"
						: "bound by arithmetic");
	str_addc(out, '\n');
}

static void money(double day, struct str *out)
{
	char buf[DEC_BUF];

	if (isfinite(day))
		str_addf(out, ", costs %s USD/day",
			 dec_format_people(buf, dec_from_double(day), 2));
}

static void table_findings(const struct look *l, struct str *out)
{
	str_addc(out, '\n');
	if (!l->t->r.nfinding)
		str_addz(out, "Nothing in it costs a tenth of the time.\n");
	for (int i = 0; i < l->t->r.nfinding; i++) {
		const struct diag_finding *f = &l->t->r.finding[i];
		const struct trace_told *told = &l->t->told[i];
		str_addf(out, "%d. %s: %s of the time", i + 1, told->title,
			 pct(l->mem, f->lost_frac));
		money(told->cost_day, out);
		str_addz(out, "\n   ");
		diag_evidence_text(f, out);
		str_addz(out, "\n   ");
		plan_fold(out, told->change, 3, l->width - 3);
	}
}

static void table(const struct look *l, struct str *out)
{
	struct arena *m = l->mem;
	const struct trace_report *r = &l->t->r;

	str_addf(out, "%s: %s", text_line(m, sv_of(l->file), 60), ms(m, r->window_ns));
	if (r->steps)
		str_addf(out, ", %lld step%s of %s (longest %s)", (long long)r->steps,
			 r->steps == 1 ? "" : "s", ms(m, r->step_mean_ns), ms(m, r->step_max_ns));
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
			 (long long)r->loader_waits, r->loader_waits == 1 ? "" : "s",
			 ms(m, r->loader_ns), pct(m, frac(r->loader_ns, r->window_ns)));
	for (int i = 0; i < r->ncard; i++)
		table_card(l, &r->card[i], out);
	if (!r->ncard) {
		str_addz(
			out,
			"No kernels in it: nothing ran on a GPU, or it was not recorded (ProfilerActivity.CUDA).\n");
		return;
	}
	str_addz(out, "\n   time  count  kernel or copy\n");
	for (int i = 0; i < r->ntop; i++)
		str_addf(out, "%7s  %5lld  %s\n", ms(m, r->top[i].ns), (long long)r->top[i].count,
			 text_line(m, sv_of(r->top[i].name), l->width > 40 ? l->width - 17 : 60));
	table_roof(l, out);
	table_findings(l, out);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void json_card(const struct look *l, const struct trace_card *k, struct jw *w)
{
	int64_t all = l->t->r.window_ns;

	jw_obj(w);
	jw_key(w, "device");
	jw_int(w, k->device);
	jw_put_num(w, "busy_frac", frac(k->busy_ns, all), 6);
	jw_put_num(w, "compute_frac", frac(k->compute_ns, all), 6);
	jw_put_num(w, "collectives_frac", frac(k->comm_ns, all), 6);
	jw_put_num(w, "collectives_exposed_frac", frac(k->comm_exposed_ns, all), 6);
	jw_put_num(w, "h2d_frac", frac(k->h2d_ns, all), 6);
	jw_put_num(w, "h2d_exposed_frac", frac(k->h2d_exposed_ns, all), 6);
	jw_put_num(w, "d2h_frac", frac(k->d2h_ns, all), 6);
	jw_put_num(w, "d2h_exposed_frac", frac(k->d2h_exposed_ns, all), 6);
	jw_put_num(w, "gap_frac", frac(idle_ns(k), all), 6);
	for (int g = 0; g < TRACE_GAP_N; g++)
		jw_put_num(w,
			   arena_printf(l->mem, "gap_%s_frac", trace_gap_name((enum trace_gap)g)),
			   frac(k->gap_ns[g], all), 6);
	jw_key(w, "gaps");
	jw_int(w, k->gaps);
	jw_key(w, "kernels");
	jw_int(w, k->kernels);
	jw_put_num(w, "tiny_kernels_frac", frac(k->tiny, k->kernels), 6);
	jw_put_num(w, "kernel_median_us", (double)k->median_ns / 1e3, 6);
	jw_put_num(w, "below_one_block_per_sm_frac", frac(k->unfilled_ns, k->blocks_known_ns), 6);
	jw_put_num(w, "occupancy_frac", k->occupancy_frac, 6);
	jw_end_obj(w);
}

static void json_finding(const struct diag_finding *f, const struct trace_told *told, struct jw *w)
{
	double day = told->cost_day;

	jw_obj(w);
	jw_key(w, "cause");
	jw_str(w, diag_cause_name(f->cause));
	jw_put_num(w, "lost_frac", f->lost_frac, 6);
	jw_put_num(w, "confidence", f->confidence, 6);
	jw_key(w, "cost_day");
	if (isfinite(day)) /* an estimate: to a hundredth of a cent */
		jw_dec(w, div_half_even(dec_from_double(day), DEC_ONE / 10000) * (DEC_ONE / 10000));
	else
		jw_null(w);
	jw_key(w, "evidence");
	jw_arr(w);
	for (int i = 0; i < f->nevidence; i++) {
		jw_obj(w);
		jw_key(w, "metric");
		jw_str(w, f->evidence[i].metric);
		jw_put_num(w, "value", f->evidence[i].value, 6);
		jw_put_num(w, "limit", f->evidence[i].limit, 6);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_key(w, "change");
	jw_str(w, told->change);
	jw_end_obj(w);
}

static void json_roof(const struct look *l, struct jw *w)
{
	const struct trace_roof *f = &l->t->roof;

	jw_key(w, "matrix_products");
	if (isnan(f->intensity)) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	jw_put_num(w, "flop_per_byte", f->intensity, 6);
	jw_put_num(w, "tflops", f->tflops, 6);
	jw_put_num(w, "card_tflops", f->peak, 6);
	jw_put_num(w, "ridge_flop_per_byte", f->ridge, 6);
	jw_end_obj(w);
}

static void json_top(const struct trace_report *r, struct jw *w)
{
	jw_key(w, "top");
	jw_arr(w);
	for (int i = 0; i < r->ntop; i++) {
		jw_obj(w);
		jw_put_str(w, "name", r->top[i].name);
		jw_put_int(w, "count", r->top[i].count);
		jw_put_num(w, "seconds", (double)r->top[i].ns / 1e9, 6);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void json_head(const struct look *l, struct jw *w)
{
	const struct trace_report *r = &l->t->r;

	jw_put_str(w, "schema", "tare.explain.trace/1");
	jw_put_str(w, "file", l->file);
	jw_put_text(w, "device", l->t->device);
	jw_key(w, "complete");
	jw_bool(w, !r->cut);
	jw_put_num(w, "window_s", (double)r->window_ns / 1e9, 6);
	jw_put_int(w, "steps", r->steps);
	jw_put_num(w, "step_s", r->steps ? (double)r->step_mean_ns / 1e9 : NAN, 6);
	jw_put_num(w, "loader_wait_frac", r->loader_waits ? frac(r->loader_ns, r->window_ns) : NAN,
		   6);
}

static void json(const struct look *l, struct str *out)
{
	const struct trace_report *r = &l->t->r;
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	json_head(l, &w);
	jw_key(&w, "gpus");
	jw_arr(&w);
	for (int i = 0; i < r->ncard; i++)
		json_card(l, &r->card[i], &w);
	jw_end_arr(&w);
	json_top(r, &w);
	json_roof(l, &w);
	jw_put_str(&w, "currency", "USD");
	jw_key(&w, "findings");
	jw_arr(&w);
	for (int i = 0; i < r->nfinding; i++)
		json_finding(&r->finding[i], &l->t->told[i], &w);
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

void trace_print(const struct trace_answer *t, const char *file, const struct out_as *as,
		 struct str *out)
{
	struct arena mem = { 0 };
	struct look l = { .t = t, .file = file, .width = as->width, .mem = &mem };

	if (as->format == OUT_JSON)
		json(&l, out);
	else
		table(&l, out);
	arena_free(&mem);
}
