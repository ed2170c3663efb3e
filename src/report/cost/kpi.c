#include "report/cost/kpi.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "report/formats.h"
#include "report/grid.h"
#include "report/cost/kpi_sums.h"
#include "report/cost/figures.h"
#include "report/text.h"
#include "report/cost/view.h"

/* ---- values: known or not ---------------------------------------------------------------- */

/* Cost of so many, where it is known. */
static bool unit_cost(const struct kpi_service_cost *s, int64_t times, int64_t n, dec *ret)
{
	if (!s->has_cost || n == UNKNOWN_I64 || n <= 0)
		return false;
	*ret = dec_muldiv(s->cost, times, n);
	return true;
}

static int64_t total_tokens(const struct kpi_service *s)
{
	if (s->tokens_in == UNKNOWN_I64 && s->tokens_out == UNKNOWN_I64)
		return UNKNOWN_I64;
	return known_i64_or(s->tokens_in, 0) + known_i64_or(s->tokens_out, 0);
}

/* ---- JSON -------------------------------------------------------------------------------- */

struct lost_row {
	struct kpi_cause c;
	int64_t paid_ms; /* of all */
};
struct service_row {
	struct kpi_service_cost c;
	struct kpi_service s;
	const char *name;
};
struct block_row {
	struct kpi_block b;
	const struct lost_row *lost;
	const struct service_row *service;
	size_t nlost, nservice;
};
struct kpi_json {
	struct report_window window;
	const char *basis;
	const struct kpi *k;
	const struct block_row *block;
	size_t nblock;
};

static bool take_money(bool known, dec v, union col_value *ret)
{
	ret->money = v;
	return known;
}

static bool get_mean(const void *row, union col_value *ret)
{
	const struct kpi_spread *s = row;

	return take_money(s->n, s->mean, ret);
}

static bool get_median(const void *row, union col_value *ret)
{
	const struct kpi_spread *s = row;

	return take_money(s->n, s->median, ret);
}

static bool get_p90(const void *row, union col_value *ret)
{
	const struct kpi_spread *s = row;

	return take_money(s->n, s->p90, ret);
}

static bool get_cause(const void *row, union col_value *ret)
{
	const struct lost_row *l = row;

	ret->text = l->c.cause ? cause_name(l->c.cause) : NULL;
	return ret->text != NULL;
}

static bool get_cause_frac(const void *row, union col_value *ret)
{
	const struct lost_row *l = row;

	return col_num(text_frac(l->c.ms, l->paid_ms), ret);
}

static bool get_lost_cost(const void *row, union col_value *ret)
{
	struct figure lost = kpi_lost(&((const struct block_row *)row)->b);

	return take_money(lost.has_cost, lost.cost, ret);
}

static bool get_lost_ms(const void *row, union col_value *ret)
{
	ret->n = kpi_lost(&((const struct block_row *)row)->b).ms;
	return ret->n != UNKNOWN_MS;
}

static bool get_lost_frac(const void *row, union col_value *ret)
{
	const struct kpi_block *b = &((const struct block_row *)row)->b;
	int64_t lost_ms = kpi_lost(b).ms;

	return lost_ms != UNKNOWN_MS && col_num(text_frac(lost_ms, b->total.gpu.ms), ret);
}

static bool get_coverage(const void *row, union col_value *ret)
{
	const struct kpi_block *b = &((const struct block_row *)row)->b;

	return col_num(text_frac(b->committed_ms, b->total.gpu.ms), ret);
}

static bool get_committed_used(const void *row, union col_value *ret)
{
	const struct kpi_block *b = &((const struct block_row *)row)->b;

	return b->use == USE_KNOWN && col_num(text_frac(b->used, b->used + b->unused), ret);
}

static bool get_committed(const void *row, union col_value *ret)
{
	const struct kpi_block *b = &((const struct block_row *)row)->b;

	return take_money(cost_is_known(b->committed, b->committed_ms, b->committed_unpriced_ms),
			  b->committed, ret);
}

static bool get_used(const void *row, union col_value *ret)
{
	const struct kpi_block *b = &((const struct block_row *)row)->b;

	return take_money(b->use == USE_KNOWN, b->used, ret);
}

static bool get_unused(const void *row, union col_value *ret)
{
	const struct kpi_block *b = &((const struct block_row *)row)->b;

	return take_money(b->use == USE_KNOWN || b->unused, b->unused, ret);
}

static bool get_service_ms(const void *row, union col_value *ret)
{
	const struct service_row *s = row;

	ret->n = s->c.ms;
	return s->c.match != NULL;
}

static bool get_per_request(const void *row, union col_value *ret)
{
	const struct service_row *s = row;

	return unit_cost(&s->c, 1, s->s.ok, &ret->money);
}

static bool get_per_tokens(const void *row, union col_value *ret)
{
	const struct service_row *s = row;

	return unit_cost(&s->c, 1000000, total_tokens(&s->s), &ret->money);
}

static bool get_busy(const void *row, union col_value *ret)
{
	/* Busy is known only where something was read; the rest of the time counts as not busy, so
	 * this is a lower bound where coverage is low. */
	const struct cube_row *t = &((const struct block_row *)row)->b.total;
	double busy_frac = NAN;
	if (cube_read_ms(t) > 0)
		busy_frac = text_frac(t->state[STATE_BUSY].ms, t->gpu.ms);

	return col_num(busy_frac, ret);
}

static bool get_allocation(const void *row, union col_value *ret)
{
	const struct kpi_block *b = &((const struct block_row *)row)->b;
	const struct cube_row *t = &b->total;

	return b->allocation_known && col_num(text_frac(cube_held_ms(t), cube_watched_ms(t)), ret);
}

static bool get_unknown(const void *row, union col_value *ret)
{
	const struct cube_row *t = &((const struct block_row *)row)->b.total;

	return col_num(text_frac(t->state[STATE_UNKNOWN].ms, t->gpu.ms), ret);
}

static bool get_measured(const void *row, union col_value *ret)
{
	const struct cube_row *t = &((const struct block_row *)row)->b.total;

	return col_num(text_frac(t->gpu.measured_ms, t->gpu.ms), ret);
}

static bool get_jobs_cost(const void *row, union col_value *ret)
{
	const struct kpi_spread *job = &((const struct block_row *)row)->b.job;

	return take_money(job->n, job->sum, ret);
}

static bool get_ttv_median(const void *row, union col_value *ret)
{
	const struct kpi *k = row;

	ret->n = (int64_t)k->ttv.median;
	return k->ttv.n;
}

static bool get_ttv_p90(const void *row, union col_value *ret)
{
	const struct kpi *k = row;

	ret->n = (int64_t)k->ttv.p90;
	return k->ttv.n;
}

#define IN_BLOCK(member) offsetof(struct block_row, b.member)

static const struct col spread_cols[] = {
	{ "mean", COL_DEC, .get = get_mean, .unit = "money", .help = "null: there are none" },
	{ "median", COL_DEC, .get = get_median, .unit = "money", .help = "nearest rank" },
	{ "p90", COL_DEC, .get = get_p90, .unit = "money", .help = "nine of ten cost no more" },
	{ 0 },
};
static const struct col training_cols[] = {
	{ "jobs", COL_SIZE, IN_BLOCK(job.n), "count", "training jobs with a cost", 0 },
	{ "unpriced_jobs", COL_SIZE, IN_BLOCK(unpriced_jobs), "count",
	  "left out: no price for any of their time", 0 },
	{ "cost", COL_DEC, .get = get_jobs_cost, .unit = "money", .help = "of all these jobs" },
	{ "cost_per_job", COL_ROW, IN_BLOCK(job), .sub = spread_cols,
	  .help = "over all attempts, lost ones included" },
	{ "runs", COL_SIZE, IN_BLOCK(run.n), "count", "jobs, a sweep's together as one", 0 },
	{ "cost_per_run", COL_ROW, IN_BLOCK(run), .sub = spread_cols, .help = "the same by run" },
	{ 0 },
};
static const struct col cause_cols[] = {
	{ "cause", COL_TEXT, .get = get_cause, .help = "why work was lost; null: not known" },
	{ "gpu_seconds", COL_SECONDS, offsetof(struct lost_row, c.ms), "s", "lost GPU time",
	  .always = true },
	{ "cost", COL_DEC, offsetof(struct lost_row, c.cost), "money",
	  "of this time; null: it has no price", offsetof(struct lost_row, c.has_cost) },
	{ "frac", COL_NUM, .get = get_cause_frac, .digits = 6, .help = "of paid GPU time" },
	{ 0 },
};
static const struct col lost_cols[] = {
	{ "gpu_seconds", COL_SECONDS, .get = get_lost_ms, .unit = "s",
	  .help = "GPU time whose work was lost; null: nobody can know it" },
	{ "cost", COL_DEC, .get = get_lost_cost, .unit = "money", .help = "of this time" },
	{ "frac", COL_NUM, .get = get_lost_frac, .digits = 6, .help = "of paid GPU time" },
	{ "causes", COL_LIST(struct block_row, lost, nlost, cause_cols), .help = "by cause" },
	{ 0 },
};
static const struct col commitment_cols[] = {
	{ "gpu_seconds", COL_SECONDS, IN_BLOCK(committed_ms), "s",
	  "GPU time under a reservation, commitment or savings plan", .always = true },
	{ "coverage_frac", COL_NUM, .get = get_coverage, .digits = 6, .help = "of paid GPU time" },
	{ "cost", COL_DEC, .get = get_committed, .unit = "money",
	  .help = "of this time; null: it has none" },
	{ "used_cost", COL_DEC, .get = get_used, .unit = "money",
	  .help = "of what commitments covered, as the bill's lines say where they do" },
	{ "unused_cost", COL_DEC, .get = get_unused, .unit = "money",
	  .help = "of commitments nobody used; null: nobody tells" },
	{ "utilisation_frac", COL_NUM, .get = get_committed_used, .digits = 6,
	  .help = "used_cost of used_cost + unused_cost" },
	{ 0 },
};
static const struct col service_cols[] = {
	{ "service", COL_TEXT, offsetof(struct service_row, name), NULL, "as the request log says",
	  0 },
	{ "matched_by", COL_TEXT, offsetof(struct service_row, c.match), NULL,
	  "service, job, run, project or workload (assumed); null: no cost found", 0 },
	{ "requests", COL_INT, offsetof(struct service_row, s.count), "count", "all of them", 0 },
	{ "successful_requests", COL_INT, offsetof(struct service_row, s.ok), "count",
	  "those served", 0 },
	{ "gpu_seconds", COL_SECONDS, .get = get_service_ms, .unit = "s",
	  .help = "GPU time of the service" },
	{ "cost", COL_DEC, offsetof(struct service_row, c.cost), "money", "of the service",
	  offsetof(struct service_row, c.has_cost) },
	{ "cost_per_request", COL_DEC, .get = get_per_request, .unit = "money",
	  .help = "by successful request" },
	{ "tokens_in", COL_INT, offsetof(struct service_row, s.tokens_in), "count",
	  "read by the model", 0 },
	{ "tokens_out", COL_INT, offsetof(struct service_row, s.tokens_out), "count",
	  "written by it", 0 },
	{ "cost_per_million_tokens", COL_DEC, .get = get_per_tokens, .unit = "money",
	  .help = "in and out together" },
	/* no source yet measures prefill and decode time apart */
	{ "cost_per_million_tokens_in", COL_DEC, .get = col_never, .unit = "money",
	  .help = "null: nothing yet measures them apart" },
	{ "cost_per_million_tokens_out", COL_DEC, .get = col_never, .unit = "money",
	  .help = "null: nothing yet measures them apart" },
	{ "time_to_value_s", COL_SECONDS, offsetof(struct service_row, c.ttv_ms), "s",
	  "submit to first served request", 0 },
	{ 0 },
};
static const struct col block_cols[] = {
	{ "currency", COL_TEXT, IN_BLOCK(currency), NULL, "of the amounts in this object",
	  .always = true },
	{ "paid_gpu_seconds", COL_SECONDS, IN_BLOCK(total.gpu.ms), "s", "paid GPU time",
	  .always = true },
	{ "cost", COL_DEC, IN_BLOCK(total.cost), "money", "of all", IN_BLOCK(total.has_cost) },
	{ "utilisation_frac", COL_NUM, .get = get_busy, .digits = 6,
	  .help = "busy GPU time of paid; null: never measured" },
	{ "allocation_frac", COL_NUM, .get = get_allocation, .digits = 6,
	  .help = "allocated GPU time of what anybody watched" },
	{ "goodput_frac", COL_NUM, .get = get_busy, .digits = 6,
	  .help = "busy and not lost, of paid" },
	{ "unknown_frac", COL_NUM, .get = get_unknown, .digits = 6,
	  .help = "unread or unwatched, of paid" },
	{ "measured_frac", COL_NUM, .get = get_measured, .digits = 6,
	  .help = "measured GPU time of paid" },
	{ "training", COL_ROW, 0, .sub = training_cols, .help = "what training costs" },
	{ "lost", COL_ROW, 0, .sub = lost_cols, .help = "work that was lost" },
	{ "commitments", COL_ROW, 0, .sub = commitment_cols, .help = "and how well they are used" },
	{ "services", COL_LIST(struct block_row, service, nservice, service_cols),
	  .help = "of the request logs" },
	{ 0 },
};
static const struct col ttv_cols[] = {
	{ "jobs", COL_SIZE, offsetof(struct kpi, ttv.n), "count", "that came to a good end", 0 },
	{ "median_s", COL_SECONDS, .get = get_ttv_median, .unit = "s",
	  .help = "first submit to first success" },
	{ "p90_s", COL_SECONDS, .get = get_ttv_p90, .unit = "s",
	  .help = "nine of ten took no longer" },
	{ "jobs_without_success", COL_SIZE, offsetof(struct kpi, ttv_without), "count", "left out",
	  0 },
	{ "jobs_without_submit_time", COL_SIZE, offsetof(struct kpi, ttv_no_submit), "count",
	  "left out", 0 },
	{ 0 },
};
#define HEAD_COLS                                                                          \
	{ "window", COL_ROW, offsetof(struct kpi_json, window), .sub = report_window_cols, \
	  .help = "the time asked about" },                                                \
		{ "basis",                                                                 \
		  COL_TEXT,                                                                \
		  offsetof(struct kpi_json, basis),                                        \
		  NULL,                                                                    \
		  "how amounts are counted: effective, billed ...",                        \
		  .always = true },                                                        \
	{                                                                                  \
		"time_to_value", COL_ROW, COL_BEHIND(struct kpi_json, k),                  \
			.sub = ttv_cols, .always = true,                                   \
			.help = "how long jobs take to their first success"                \
	}
static const struct col many_cols[] = {
	HEAD_COLS,
	{ "currency", COL_TEXT, .get = col_never, .help = "null: there is none, or several" },
	{ "currencies", COL_LIST(struct kpi_json, block, nblock, block_cols),
	  .help = "an object each: their amounts are never added" },
	{ 0 },
};
static const struct col one_cols[] = {
	HEAD_COLS,
	{ "block", COL_ROW, COL_BEHIND(struct kpi_json, block), .sub = block_cols, .here = true },
	{ 0 },
};
static const struct col_doc many_doc = { "tare.kpi/1", "report --kpi",
					 "of several currencies, or none", many_cols };
const struct col_doc kpi_doc = { "tare.kpi/1", "report --kpi", "the numbers people steer by",
				 one_cols, &many_doc };

/* ---- table, Markdown, CSV: the same list of (kpi, value, what it is of) ------------------ */

static void add_item(struct grid *g, const char *name, const char *value, const char *of)
{
	const char **c = grid_add_row(g, GRID_PLAIN);

	c[0] = text_line(&g->mem, sv_of(name), 0);
	c[1] = value;
	c[2] = of;
}

static const char *format_money(struct arena *a, bool known, dec v)
{
	int digits = 2;

	if (v > -DEC_ONE && v < DEC_ONE && v)
		digits = 6;
	return text_or_dash(known, text_money(a, v, digits));
}

static const char *format_span(struct arena *a, bool known, int64_t ms)
{
	char buf[TM_BUF];

	if (known)
		return arena_printf(a, "%s", tm_format_span(buf, ms));
	return "-";
}

static void items_lost(const struct kpi_block *b, struct grid *g)
{
	struct arena *a = &g->mem;
	struct figure lost = kpi_lost(b);
	bool known = lost.ms != UNKNOWN_MS;

	/* By cause, of all paid time: they add up to the share of lost work above them. */
	char **share = arena_zalloc(a, (b->lost.n + 1) * sizeof *share);
	__int128 *ms = xcalloc(b->lost.n + 1, sizeof *ms), all = b->total.gpu.ms;

	for (size_t i = 0; i < b->lost.n; i++)
		ms[i] = b->lost.v[i].ms;
	text_shares_of(a, b->total.state[STATE_LOST].ms, all, b->lost.n, ms, share);
	free(ms);

	add_item(g, "lost work", text_or_dash(known, text_share(a, lost.ms, b->total.gpu.ms)),
		 "of paid GPU time");
	add_item(g, "cost of lost work", format_money(a, lost.has_cost, lost.cost),
		 arena_printf(a, "%s in the window", b->currency));
	for (size_t i = 0; i < b->lost.n; i++)
		add_item(g,
			 arena_printf(a, "  %s",
				      b->lost.v[i].cause ? cause_name(b->lost.v[i].cause)
							 : "cause not known"),
			 share[i],
			 arena_printf(a, "of paid GPU time, %s %s",
				      format_money(a, b->lost.v[i].has_cost, b->lost.v[i].cost),
				      b->currency));
}

/* Times are of all currencies: they stand once, in the first block. */
static void add_times(const struct kpi *k, struct grid *g)
{
	struct arena *a = &g->mem;
	const char *of = arena_printf(a, "submit to first success, %s%s",
				      text_count(a, k->ttv.n, "job"),
				      text_if(k->block.n > 1, " of all currencies"));

	add_item(g, "time-to-value, median", format_span(a, k->ttv.n, (int64_t)k->ttv.median), of);
	add_item(g, "time-to-value, p90", format_span(a, k->ttv.n, (int64_t)k->ttv.p90), of);
}

/* A service is told where it costs something; one that costs nothing known, in the first block. */
static bool is_told_in(const struct kpi *k, const struct kpi_block *b,
		       const struct kpi_service_cost *s)
{
	if (s->has_cost)
		return true;
	for (size_t i = 0; i < k->block.n; i++)
		for (size_t n = 0; n < k->block.v[i].service.n; n++) {
			const struct kpi_service_cost *x = &k->block.v[i].service.v[n];
			if (x->has_cost && sv_eq(x->s->service, s->s->service))
				return false;
		}
	return b == k->block.v;
}

static void add_items(const struct kpi *k, const struct kpi_block *b, struct grid *g)
{
	struct arena *a = &g->mem;

	grid_add_col(g, "kpi", GRID_LEFT, true);
	grid_add_col(g, "value", GRID_RIGHT, false);
	grid_add_col(g, "", GRID_LEFT, true);

	const struct cube_row *t = &b->total;
	const char *paid = arena_printf(a, "of %s GPU·h paid",
					text_gpu_hours(a, t->gpu.ms, view_hour_digits(t->gpu.ms)));
	bool read = cube_read_ms(t) > 0;

	add_item(g, "GPU utilisation (busy)",
		 read ? text_share(a, t->state[STATE_BUSY].ms, t->gpu.ms) : "-", paid);
	add_item(g, "allocation rate",
		 text_or_dash(b->allocation_known,
			      text_share(a, cube_held_ms(t), cube_watched_ms(t))),
		 t->unwatched_ms ? "of paid time that anybody watched" : paid);
	add_item(g, "goodput", read ? text_share(a, t->state[STATE_BUSY].ms, t->gpu.ms) : "-",
		 "busy and not lost, of paid");
	add_item(g, "unknown", text_share(a, t->state[STATE_UNKNOWN].ms, t->gpu.ms),
		 "unread or unwatched, of paid");

	const char *jobs = arena_printf(a, "%s/job, %s, all attempts", b->currency,
					text_count(a, b->job.n, "job"));

	add_item(g, "cost per training job, mean", format_money(a, b->job.n, b->job.mean), jobs);
	add_item(g, "cost per training job, median", format_money(a, b->job.n, b->job.median),
		 jobs);
	add_item(g, "cost per training job, p90", format_money(a, b->job.n, b->job.p90), jobs);
	if (b->run.n && b->run.n != b->job.n)
		add_item(g, "cost per training run, mean", format_money(a, true, b->run.mean),
			 arena_printf(a, "%s/run, %s (sweeps as one)", b->currency,
				      text_count(a, b->run.n, "run")));
	if (b->unpriced_jobs)
		add_item(g, "training jobs without a price", text_count(a, b->unpriced_jobs, "job"),
			 "left out above");
	if (b == k->block.v)
		add_times(k, g);
	items_lost(b, g);

	if (b->committed_ms || b->unused) {
		add_item(g, "commitments, coverage",
			 text_share(a, b->committed_ms, b->total.gpu.ms), "of paid GPU time");
		static const char *const why[] = {
			[USE_UNSPREAD] = "a fee's use is on no line",
			[USE_UNPRICED] = "what they cover has no cost in the bill",
			[USE_OTHER_BASIS] = "of their effective cost",
		};
		if (b->use == USE_KNOWN)
			add_item(g, "commitments, used",
				 text_share(a, b->used, b->used + b->unused),
				 arena_printf(a, "of their cost, %s %s unused",
					      format_money(a, true, b->unused), b->currency));
		else
			add_item(g, "commitments, used", "-", why[b->use]);
	}
	for (size_t i = 0; i < b->service.n; i++) {
		const struct kpi_service_cost *s = &b->service.v[i];
		const char *name = text_line(a, s->s->service, 0),
			   *assumed = text_if(s->match && !strcmp(s->match, "workload"),
					      ", assumed");
		if (!is_told_in(k, b, s))
			continue;
		dec v = 0;
		bool known = unit_cost(s, 1000, s->s->ok, &v);

		add_item(g, arena_printf(a, "%s: cost per 1,000 requests", name),
			 format_money(a, known, v),
			 arena_printf(a, "%s, successful ones%s", b->currency, assumed));
		known = unit_cost(s, 1000000, total_tokens(s->s), &v);
		if (total_tokens(s->s) != UNKNOWN_I64)
			add_item(
				g, arena_printf(a, "%s: cost per million tokens", name),
				format_money(a, known, v),
				arena_printf(a, "%s, in and out together%s", b->currency, assumed));
		add_item(g, arena_printf(a, "%s: time-to-value", name),
			 format_span(a, s->ttv_ms != UNKNOWN_MS, s->ttv_ms),
			 "submit to first served request");
	}
}

static void write_csv(const struct kpi *k, struct str *out)
{
	str_addz(out, "currency,kpi,value,of\n");
	for (size_t i = 0; i < k->block.n; i++) {
		struct grid g = { 0 };
		add_items(k, &k->block.v[i], &g);
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
	if (f == OUT_JSON) {
		struct arena mem = { 0 };
		struct block_row *rows = arena_zalloc(&mem, (k.block.n + 1) * sizeof *rows);

		for (size_t i = 0; i < k.block.n; i++) {
			const struct kpi_block *b = &k.block.v[i];
			struct block_row *ret = &rows[i];
			struct lost_row *lost = arena_zalloc(&mem, (b->lost.n + 1) * sizeof *lost);
			struct service_row *service =
				arena_zalloc(&mem, (b->service.n + 1) * sizeof *service);

			for (size_t j = 0; j < b->lost.n; j++)
				lost[j] = (struct lost_row){ b->lost.v[j], b->total.gpu.ms };
			for (size_t j = 0; j < b->service.n; j++) {
				const struct kpi_service_cost *c = &b->service.v[j];
				service[j] = (struct service_row){
					*c, *c->s,
					c->s->service.p ? arena_sv(&mem, c->s->service) : NULL
				};
			}
			ret->b = *b;
			ret->lost = lost;
			ret->nlost = b->lost.n;
			ret->service = service;
			ret->nservice = b->service.n;
		}
		const struct kpi_json doc = {
			{ in->since_ms, in->until_ms }, basis_name(in->basis), &k, rows, k.block.n
		};
		cols_doc(k.block.n == 1 ? &kpi_doc : &many_doc, &doc, out);
		arena_free(&mem);
	} else if (f == OUT_CSV)
		write_csv(&k, out);
	for (size_t i = 0; i < k.block.n && (f == OUT_TABLE || f == OUT_MD); i++) {
		struct grid g = { 0 };
		str_addz(out, text_if(i, "\n"));
		str_addf(out, "%s · %s cost, %s%s%s\n\n",
			 text_window(&g.mem, in->since_ms,
				     text_until(in->data_until_ms, in->until_ms)),
			 basis_name(in->basis), k.block.v[i].currency, text_if(in->where, " · "),
			 text_if(in->where, text_line(&g.mem, sv_of(in->where), 0)));
		add_items(&k, &k.block.v[i], &g);
		if (f == OUT_MD)
			grid_md(&g, out);
		else
			grid_table(&g, in->width, in->colour, out);
		grid_free(&g);
	}
	kpi_free(&k);
	return 0;
}
