#include "report/kpi.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/jw.h"
#include "base/tm.h"
#include "report/formats.h"
#include "report/grid.h"
#include "report/kpi_sums.h"
#include "report/text.h"
#include "report/view.h"

/* ---- values: known or not ---------------------------------------------------------------- */

/* Busy is known only where something was read; the rest of the time counts as not busy, so this is
 * a lower bound where coverage is low. */
static double busy_frac(const struct cube_row *t)
{
	return cube_read_ms(t) > 0 ? text_frac(t->state[STATE_BUSY].ms, t->gpu.ms) : NAN;
}

/* Cost of so many, where it is known. */
static bool unit_cost(const struct kpi_service_cost *s, int64_t times, int64_t n, dec *ret)
{
	if (!s->has_cost || n == UNKNOWN_I64 || n <= 0)
		return false;
	*ret = dec_muldiv(s->cost, times, n);
	return true;
}

static int64_t tokens(const struct kpi_service *s)
{
	if (s->tokens_in == UNKNOWN_I64 && s->tokens_out == UNKNOWN_I64)
		return UNKNOWN_I64;
	return (s->tokens_in == UNKNOWN_I64 ? 0 : s->tokens_in) +
	       (s->tokens_out == UNKNOWN_I64 ? 0 : s->tokens_out);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void put_seconds(struct jw *w, const char *key, bool known, int64_t ms)
{
	char buf[DEC_BUF];

	jw_key(w, key);
	jw_str(w, known ? text_seconds(buf, ms) : NULL);
}

static void put_spread(struct jw *w, const char *key, const struct kpi_spread *s)
{
	jw_key(w, key);
	jw_obj(w);
	jw_put_dec(w, "mean", s->n, s->mean);
	jw_put_dec(w, "median", s->n, s->median);
	jw_put_dec(w, "p90", s->n, s->p90);
	jw_end_obj(w);
}

static void put_lost(struct jw *w, const struct kpi_block *b)
{
	const struct cube_sum *lost = &b->total.state[STATE_LOST];

	jw_key(w, "lost");
	jw_obj(w);
	put_seconds(w, "gpu_seconds", true, lost->ms);
	jw_put_dec(w, "cost", lost->cost || !lost->ms || lost->unpriced_ms < lost->ms, lost->cost);
	jw_put_num(w, "frac", text_frac(lost->ms, b->total.gpu.ms), 6);
	jw_key(w, "causes");
	jw_arr(w);
	for (size_t i = 0; i < b->lost.n; i++) {
		jw_obj(w);
		jw_key(w, "cause");
		jw_str(w, b->lost.v[i].cause ? cause_name(b->lost.v[i].cause) : NULL);
		put_seconds(w, "gpu_seconds", true, b->lost.v[i].ms);
		jw_put_dec(w, "cost", true, b->lost.v[i].cost);
		jw_put_num(w, "frac", text_frac(b->lost.v[i].ms, b->total.gpu.ms), 6);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

static void put_commitments(struct jw *w, const struct kpi_block *b)
{
	jw_key(w, "commitments");
	jw_obj(w);
	put_seconds(w, "gpu_seconds", true, b->committed_ms);
	jw_put_num(w, "coverage_frac", text_frac(b->committed_ms, b->total.gpu.ms), 6);
	jw_put_dec(w, "cost", true, b->committed);
	jw_put_dec(w, "unused_cost", true, b->unused);
	jw_put_num(w, "utilisation_frac", text_frac(b->committed, b->committed + b->unused), 6);
	jw_end_obj(w);
}

static void put_service(struct jw *w, const struct kpi_service_cost *s)
{
	dec v = 0;
	bool known;

	jw_obj(w);
	jw_key(w, "service");
	jw_sv(w, s->s->service);
	jw_key(w, "matched_by");
	jw_str(w, s->match);
	jw_put_int(w, "requests", s->s->count);
	jw_put_int(w, "successful_requests", s->s->ok);
	put_seconds(w, "gpu_seconds", s->match != NULL, s->ms);
	jw_put_dec(w, "cost", s->has_cost, s->cost);
	known = unit_cost(s, 1, s->s->ok, &v);
	jw_put_dec(w, "cost_per_request", known, v);
	jw_put_int(w, "tokens_in", s->s->tokens_in);
	jw_put_int(w, "tokens_out", s->s->tokens_out);
	known = unit_cost(s, 1000000, tokens(s->s), &v);
	jw_put_dec(w, "cost_per_million_tokens", known, v);
	/* no source yet measures prefill and decode time apart */
	jw_put_dec(w, "cost_per_million_tokens_in", false, 0);
	jw_put_dec(w, "cost_per_million_tokens_out", false, 0);
	put_seconds(w, "time_to_value_s", s->ttv_ms != UNKNOWN_MS, s->ttv_ms);
	jw_end_obj(w);
}

static void put_block(struct jw *w, const struct kpi_block *b)
{
	const struct cube_row *t = &b->total;

	jw_key(w, "currency");
	jw_str(w, b->currency);
	put_seconds(w, "paid_gpu_seconds", true, t->gpu.ms);
	jw_put_dec(w, "cost", t->has_cost, t->cost);
	jw_put_num(w, "utilisation_frac", busy_frac(t), 6);
	jw_put_num(w, "allocation_frac", text_frac(cube_held_ms(t), cube_watched_ms(t)), 6);
	jw_put_num(w, "goodput_frac", busy_frac(t), 6);
	jw_put_num(w, "unknown_frac", text_frac(t->state[STATE_UNKNOWN].ms, t->gpu.ms), 6);
	jw_put_num(w, "measured_frac", text_frac(t->gpu.measured_ms, t->gpu.ms), 6);
	jw_key(w, "training");
	jw_obj(w);
	jw_put_int(w, "jobs", (int64_t)b->job.n);
	jw_put_int(w, "unpriced_jobs", (int64_t)b->unpriced_jobs);
	jw_put_dec(w, "cost", b->job.n, b->job.sum);
	put_spread(w, "cost_per_job", &b->job);
	jw_put_int(w, "runs", (int64_t)b->run.n);
	put_spread(w, "cost_per_run", &b->run);
	jw_end_obj(w);
	put_lost(w, b);
	put_commitments(w, b);
	jw_key(w, "services");
	jw_arr(w);
	for (size_t i = 0; i < b->service.n; i++)
		put_service(w, &b->service.v[i]);
	jw_end_arr(w);
}

static void put_ttv(struct jw *w, const struct kpi *k)
{
	jw_key(w, "time_to_value");
	jw_obj(w);
	jw_put_int(w, "jobs", (int64_t)k->ttv.n);
	put_seconds(w, "median_s", k->ttv.n, (int64_t)k->ttv.median);
	put_seconds(w, "p90_s", k->ttv.n, (int64_t)k->ttv.p90);
	jw_put_int(w, "jobs_without_success", (int64_t)k->ttv_without);
	jw_put_int(w, "jobs_without_submit_time", (int64_t)k->ttv_no_submit);
	jw_end_obj(w);
}

static void json(const struct kpi_in *in, const struct kpi *k, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.kpi/1");
	report_put_window(&w, in->since_ms, in->until_ms);
	jw_key(&w, "basis");
	jw_str(&w, basis_name(in->basis));
	put_ttv(&w, k);
	if (k->block.n == 1) {
		put_block(&w, &k->block.v[0]);
	} else {
		jw_key(&w, "currency");
		jw_null(&w);
		jw_key(&w, "currencies");
		jw_arr(&w);
		for (size_t i = 0; i < k->block.n; i++) {
			jw_obj(&w);
			put_block(&w, &k->block.v[i]);
			jw_end_obj(&w);
		}
		jw_end_arr(&w);
	}
	jw_end_obj(&w);
	str_addc(out, '\n');
}

/* ---- table, Markdown, CSV: the same list of (kpi, value, what it is of) ------------------ */

static void item(struct grid *g, const char *name, const char *value, const char *of)
{
	const char **c = grid_add_row(g, GRID_PLAIN);

	c[0] = text_line(&g->mem, sv_of(name), 0);
	c[1] = value;
	c[2] = of;
}

static const char *money(struct arena *a, bool known, dec v)
{
	int digits = v > -DEC_ONE && v < DEC_ONE && v ? 6 : 2;

	return known ? text_money(a, v, digits) : "-";
}

/* "1 job", "2,663 jobs" */
static const char *count(struct arena *a, size_t n, const char *what)
{
	return arena_printf(a, "%s %s%s", text_money(a, (dec)n * DEC_ONE, 0), what,
			    n == 1 ? "" : "s");
}

static const char *span(struct arena *a, bool known, int64_t ms)
{
	char buf[TM_BUF];

	return known ? arena_printf(a, "%s", tm_format_span(buf, ms)) : "-";
}

static void items_time(const struct kpi_block *b, struct grid *g)
{
	struct arena *a = &g->mem;
	const struct cube_row *t = &b->total;
	const char *paid = arena_printf(a, "of %s GPU·h paid",
					text_gpu_hours(a, t->gpu.ms, view_hour_digits(t->gpu.ms)));
	bool read = cube_read_ms(t) > 0;

	item(g, "GPU utilisation (busy)",
	     read ? text_share(a, t->state[STATE_BUSY].ms, t->gpu.ms) : "-", paid);
	item(g, "allocation rate", text_share(a, cube_held_ms(t), cube_watched_ms(t)),
	     t->unwatched_ms ? "of paid time that anybody watched" : paid);
	item(g, "goodput", read ? text_share(a, t->state[STATE_BUSY].ms, t->gpu.ms) : "-",
	     "busy and not lost, of paid");
	item(g, "unknown", text_share(a, t->state[STATE_UNKNOWN].ms, t->gpu.ms),
	     "unread or unwatched, of paid");
}

static void items_training(const struct kpi_block *b, struct grid *g)
{
	struct arena *a = &g->mem;
	const char *jobs = arena_printf(a, "%s/job, %s, all attempts", b->currency,
					count(a, b->job.n, "job"));

	item(g, "cost per training job, mean", money(a, b->job.n, b->job.mean), jobs);
	item(g, "cost per training job, median", money(a, b->job.n, b->job.median), jobs);
	item(g, "cost per training job, p90", money(a, b->job.n, b->job.p90), jobs);
	if (b->run.n && b->run.n != b->job.n)
		item(g, "cost per training run, mean", money(a, true, b->run.mean),
		     arena_printf(a, "%s/run, %s (sweeps as one)", b->currency,
				  count(a, b->run.n, "run")));
	if (b->unpriced_jobs)
		item(g, "training jobs without a price", count(a, b->unpriced_jobs, "job"),
		     "left out above");
}

/* By cause, of all paid time: they add up to the share of lost work above them. */
static char **lost_shares(struct arena *a, const struct kpi_block *b)
{
	char **text = arena_zalloc(a, (b->lost.n + 1) * sizeof *text);
	__int128 *ms = xcalloc(b->lost.n + 1, sizeof *ms), all = b->total.gpu.ms;

	for (size_t i = 0; i < b->lost.n; i++)
		ms[i] = b->lost.v[i].ms;
	text_shares_of(a, b->total.state[STATE_LOST].ms, all, b->lost.n, ms, text);
	free(ms);
	return text;
}

static void items_lost(const struct kpi_block *b, struct grid *g)
{
	struct arena *a = &g->mem;
	const struct cube_sum *lost = &b->total.state[STATE_LOST];

	char **share = lost_shares(a, b);

	item(g, "lost work", text_share(a, lost->ms, b->total.gpu.ms), "of paid GPU time");
	item(g, "cost of lost work",
	     money(a, lost->cost || !lost->ms || lost->unpriced_ms < lost->ms, lost->cost),
	     arena_printf(a, "%s in the window", b->currency));
	for (size_t i = 0; i < b->lost.n; i++)
		item(g,
		     arena_printf(a, "  %s",
				  b->lost.v[i].cause ? cause_name(b->lost.v[i].cause)
						     : "cause not known"),
		     share[i],
		     arena_printf(a, "of paid GPU time, %s %s", money(a, true, b->lost.v[i].cost),
				  b->currency));
}

static void items_commitments(const struct kpi_block *b, struct grid *g)
{
	struct arena *a = &g->mem;

	if (!b->committed_ms && !b->unused)
		return;
	item(g, "commitments, coverage", text_share(a, b->committed_ms, b->total.gpu.ms),
	     "of paid GPU time");
	item(g, "commitments, used", text_share(a, b->committed, b->committed + b->unused),
	     arena_printf(a, "of their cost, %s %s unused", money(a, true, b->unused),
			  b->currency));
}

static void items_service(const struct kpi_block *b, const struct kpi_service_cost *s,
			  struct grid *g)
{
	struct arena *a = &g->mem;
	const char *name = text_line(a, s->s->service, 0),
		   *assumed = s->match && !strcmp(s->match, "workload") ? ", assumed" : "";
	dec v = 0;
	bool known = unit_cost(s, 1000, s->s->ok, &v);

	item(g, arena_printf(a, "%s: cost per 1,000 requests", name), money(a, known, v),
	     arena_printf(a, "%s, successful ones%s", b->currency, assumed));
	known = unit_cost(s, 1000000, tokens(s->s), &v);
	if (tokens(s->s) != UNKNOWN_I64)
		item(g, arena_printf(a, "%s: cost per million tokens", name), money(a, known, v),
		     arena_printf(a, "%s, in and out together%s", b->currency, assumed));
	item(g, arena_printf(a, "%s: time-to-value", name),
	     span(a, s->ttv_ms != UNKNOWN_MS, s->ttv_ms), "submit to first served request");
}

static void items(const struct kpi *k, const struct kpi_block *b, struct grid *g)
{
	struct arena *a = &g->mem;
	const char *of = arena_printf(a, "submit to first success, %s", count(a, k->ttv.n, "job"));

	grid_add_col(g, "kpi", GRID_LEFT, true);
	grid_add_col(g, "value", GRID_RIGHT, false);
	grid_add_col(g, "", GRID_LEFT, true);
	items_time(b, g);
	items_training(b, g);
	item(g, "time-to-value, median", span(a, k->ttv.n, (int64_t)k->ttv.median), of);
	item(g, "time-to-value, p90", span(a, k->ttv.n, (int64_t)k->ttv.p90), of);
	items_lost(b, g);
	items_commitments(b, g);
	for (size_t i = 0; i < b->service.n; i++)
		items_service(b, &b->service.v[i], g);
}

static void title(const struct kpi_in *in, const struct kpi_block *b, struct arena *a,
		  struct str *out)
{
	str_addf(out, "%s · %s cost, %s%s%s\n\n", text_window(a, in->since_ms, in->until_ms),
		 basis_name(in->basis), b->currency, in->where ? " · " : "",
		 in->where ? text_line(a, sv_of(in->where), 0) : "");
}

static void csv(const struct kpi *k, struct str *out)
{
	str_addz(out, "currency,kpi,value,of\n");
	for (size_t i = 0; i < k->block.n; i++) {
		struct grid g = { 0 };
		items(k, &k->block.v[i], &g);
		for (size_t r = 0; r < g.row.n; r++) {
			text_csv(out, sv_of(k->block.v[i].currency));
			for (size_t c = 0; c < 3; c++) {
				str_addc(out, ',');
				text_csv(out, sv_trim(sv_of(g.row.v[r].cell[c])));
			}
			str_addc(out, '\n');
		}
		grid_free(&g);
	}
}

int kpi_print(const struct kpi_in *in, enum out_format f, struct str *out, struct err *err)
{
	struct kpi k;

	if (f == OUT_HTML)
		return err_set(err, -EINVAL, "KPIs have no HTML; use table, json, csv or md");
	kpi_compute(in, &k);
	if (f == OUT_JSON)
		json(in, &k, out);
	else if (f == OUT_CSV)
		csv(&k, out);
	for (size_t i = 0; i < k.block.n && (f == OUT_TABLE || f == OUT_MD); i++) {
		struct grid g = { 0 };
		str_addz(out, i ? "\n" : "");
		title(in, &k.block.v[i], &g.mem, out);
		items(&k, &k.block.v[i], &g);
		if (f == OUT_MD)
			grid_md(&g, out);
		else
			grid_table(&g, in->width, in->colour, out);
		grid_free(&g);
	}
	kpi_free(&k);
	return 0;
}
