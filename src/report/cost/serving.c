#include "report/cost/serving.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "model/known.h"
#include "report/cost/cube.h"
#include "report/formats.h"
#include "report/grid.h"
#include "report/cost/kpi_sums.h"
#include "report/cost/serving_split.h"
#include "report/text.h"
#include "report/cost/view.h"

#define LATENCY_ERROR_FRAC 0.01 /* half a bin of store/hist.h */

/* ---- what a service costs ----------------------------------------------------------------- */

struct row {
	struct serving_row r;
	const char *currency;
	dec cost;
	bool has_cost;
	const char *from;     /* "service", or as kpi_service_cost has it; NULL: nothing known */
	const char *split_by; /* of a tenant: "gpu_seconds", "tokens", "requests"; NULL */
	struct serving_split token;
};
typedef VEC(struct row) rows_t;

struct cost {
	const char *currency, *from;
	dec cost;
	int64_t ms, unpriced_ms;
};
typedef VEC(struct cost) costs_t;

static const char *currency_of(const struct serving_in *in, const char *c)
{
	const char *home = filled_or(in->conf->currency, "USD");

	return filled_or(c, home);
}

/* By currency, what --kpi finds. */
static void costs_of(const struct kpi *k, const char *service, costs_t *ret)
{
	for (size_t b = 0; b < k->block.n; b++)
		for (size_t i = 0; i < k->block.v[b].service.n; i++) {
			const struct kpi_service_cost *s = &k->block.v[b].service.v[i];
			if (!service || !sv_is(s->s->service, service) || !s->match)
				continue;
			*vec_push(ret) = (struct cost){ k->block.v[b].currency, s->match, s->cost,
							s->ms, s->unpriced_ms };
			break;
		}
}

/* ---- tenants ------------------------------------------------------------------------------ */

static int64_t total_tokens(const struct serving_row *r)
{
	if (r->tokens_in == UNKNOWN_I64 && r->tokens_out == UNKNOWN_I64)
		return UNKNOWN_I64;
	return known_i64_or(r->tokens_in, 0) + known_i64_or(r->tokens_out, 0);
}

static int64_t gpu_time(const struct serving_row *r)
{
	return r->gpu_ms;
}

static int64_t total_requests(const struct serving_row *r)
{
	return r->requests;
}

static const struct weight {
	const char *name;
	int64_t (*of)(const struct serving_row *r);
} weights[] = { { "gpu_seconds", gpu_time },
		{ "tokens", total_tokens },
		{ "requests", total_requests } };

/* The first that all of them know, and some of them have. */
static const struct weight *choose_weight(const struct serving_row *r, size_t n)
{
	for (size_t w = 0; w < sizeof weights / sizeof *weights; w++) {
		bool all = true;
		int64_t sum = 0;
		for (size_t i = 0; i < n && all; i++) {
			int64_t v = weights[w].of(&r[i]);
			all = v != UNKNOWN_I64 && v >= 0;
			if (all)
				sum += v;
		}
		if (all && sum > 0)
			return &weights[w];
	}
	return NULL;
}

/* The rows of one service, which share the cost c. */
static void add_rows(const struct serving_in *in, const struct serving_row *r, size_t n,
		     const struct cost *c, rows_t *out)
{
	const struct weight *w = in->of.by_tenant ? choose_weight(r, n) : NULL;
	bool known = c && cost_is_known(c->cost, c->ms, c->unpriced_ms);
	bool can_split = w || n == 1;
	bool shared = known && can_split && dec_fits_nano(c->cost);
	__int128 *weight = xcalloc(n, sizeof *weight);
	int64_t *part = xcalloc(n, sizeof *part);

	const char *currency = currency_of(in, NULL), *from = NULL, *split_by = NULL;
	if (c) {
		currency = c->currency;
		from = c->from;
	}
	if (shared && n > 1)
		split_by = w->name;
	for (size_t i = 0; i < n; i++)
		weight[i] = w ? w->of(&r[i]) : 1;
	if (shared)
		split_largest_remainder(dec_to_nano(c->cost), n, weight, part);
	for (size_t i = 0; i < n; i++)
		*vec_push(out) = (struct row){
			.r = r[i],
			.currency = currency,
			.cost = nano_to_dec(part[i]),
			.has_cost = shared,
			.from = from,
			.split_by = split_by,
			.token = serving_split(&r[i], in->conf, shared, nano_to_dec(part[i])),
		};
	free(weight);
	free(part);
}

static bool same_service(const struct serving_row *a, const struct serving_row *b)
{
	bool both = a->service && b->service;

	if (both)
		return !strcmp(a->service, b->service);
	return !a->service && !b->service;
}

/* ---- columns ------------------------------------------------------------------------------ */

static bool per_n(bool known, dec cost, int64_t times, int64_t n, dec *ret)
{
	if (!known || n == UNKNOWN_I64 || n <= 0)
		return false;
	*ret = dec_muldiv(cost, times, n);
	return true;
}

static bool cost_per(const struct row *r, int64_t times, int64_t n, dec *ret)
{
	return per_n(r->has_cost, r->cost, times, n, ret);
}

static bool per_million_in(const struct row *r, dec *ret)
{
	return per_n(r->token.by, r->token.in, 1000000, r->r.tokens_in, ret);
}

static bool per_million_out(const struct row *r, dec *ret)
{
	return per_n(r->token.by, r->token.out, 1000000, r->r.tokens_out, ret);
}

static bool get_cost(const void *row, union col_value *ret)
{
	const struct row *r = row;

	ret->money = r->cost;
	return r->has_cost;
}

static bool get_per_1000(const void *row, union col_value *ret)
{
	const struct row *r = row;

	return cost_per(r, 1000, r->r.ok, &ret->money);
}

static bool get_per_million(const void *row, union col_value *ret)
{
	const struct row *r = row;

	return cost_per(r, 1000000, total_tokens(&r->r), &ret->money);
}

static bool get_cost_in(const void *row, union col_value *ret)
{
	const struct row *r = row;

	ret->money = r->token.in;
	return r->token.by;
}

static bool get_cost_out(const void *row, union col_value *ret)
{
	const struct row *r = row;

	ret->money = r->token.out;
	return r->token.by;
}

static bool get_per_million_in(const void *row, union col_value *ret)
{
	return per_million_in(row, &ret->money);
}

static bool get_per_million_out(const void *row, union col_value *ret)
{
	return per_million_out(row, &ret->money);
}

static bool get_gpu_s(const void *row, union col_value *ret)
{
	const struct row *r = row;

	ret->n = r->r.gpu_ms;
	return r->r.gpu_ms != UNKNOWN_I64;
}

static const struct col row_cols[] = {
	{ "service", COL_TEXT, offsetof(struct row, r.service), .help = "null: not told" },
	{ "tenant", COL_TEXT, offsetof(struct row, r.tenant),
	  .help = "null: not told, or not asked for" },
	{ "currency", COL_TEXT, offsetof(struct row, currency), .always = true,
	  .help = "of the amounts" },
	{ "requests", COL_INT, offsetof(struct row, r.requests), "count", "all of them" },
	{ "successful", COL_INT, offsetof(struct row, r.ok), "count", "that went well" },
	{ "latency_p50_ms", COL_NUM, offsetof(struct row, r.p50_ms), "ms", "median", .digits = 3 },
	{ "latency_p95_ms", COL_NUM, offsetof(struct row, r.p95_ms), "ms", "nearest rank",
	  .digits = 3 },
	{ "latency_p99_ms", COL_NUM, offsetof(struct row, r.p99_ms), "ms", "nearest rank",
	  .digits = 3 },
	{ "tokens_in", COL_INT, offsetof(struct row, r.tokens_in), "tokens", "null: not told" },
	{ "tokens_out", COL_INT, offsetof(struct row, r.tokens_out), "tokens", "null: not told" },
	{ "gpu_seconds", COL_SECONDS, .get = get_gpu_s, .unit = "s",
	  .help = "as the server measured it; null: not told" },
	{ "cost", COL_DEC, .get = get_cost, .unit = "money", .help = "null: not known" },
	{ "cost_per_1000_requests", COL_DEC, .get = get_per_1000, .unit = "money",
	  .help = "successful ones" },
	{ "cost_per_million_tokens", COL_DEC, .get = get_per_million, .unit = "money",
	  .help = "in and out together" },
	{ "cost_from", COL_TEXT, offsetof(struct row, from),
	  .help = "service: the ledger's; job, run, project: of that name; workload: the only "
		  "service, so all inference; null: nothing found" },
	{ "split_by", COL_TEXT, offsetof(struct row, split_by),
	  .help = "how tenants share the cost of their service: gpu_seconds, tokens, requests" },
	{ "prefill_seconds", COL_SECONDS, .at = offsetof(struct row, r.prefill_ms), .unit = "s",
	  .help = "in which requests read their input; null: not told" },
	{ "decode_seconds", COL_SECONDS, .at = offsetof(struct row, r.decode_ms), .unit = "s",
	  .help = "in which requests wrote their output; null: not told" },
	{ "cost_tokens_in", COL_DEC, .get = get_cost_in, .unit = "money",
	  .help = "adds up to the cost with that of output; null: not known" },
	{ "cost_tokens_out", COL_DEC, .get = get_cost_out, .unit = "money",
	  .help = "null: not known" },
	{ "cost_per_million_tokens_in", COL_DEC, .get = get_per_million_in, .unit = "money",
	  .help = "null: not known" },
	{ "cost_per_million_tokens_out", COL_DEC, .get = get_per_million_out, .unit = "money",
	  .help = "null: not known" },
	{ "token_split_by", COL_TEXT, offsetof(struct row, token.by),
	  .help = "phase_time: prefill_seconds and decode_seconds; token_prices: those of the "
		  "settings (assumed); null: nobody knows" },
	{ 0 },
};

struct serving_json {
	struct report_window window;
	const char *basis;
	double error;
	const struct row *row;
	size_t nrow;
};
static const struct col doc_cols[] = {
	{ "window", COL_ROW, offsetof(struct serving_json, window), .sub = report_window_cols,
	  .help = "as asked" },
	{ "basis", COL_TEXT, offsetof(struct serving_json, basis), NULL,
	  "how amounts are counted: effective, billed ...", .always = true },
	{ "latency_error_frac", COL_NUM, offsetof(struct serving_json, error), NULL,
	  "a quantile is within this part of what was logged; of a server's histogram, of its bin",
	  .digits = 3, .always = true },
	{ "rows", COL_LIST(struct serving_json, row, nrow, row_cols),
	  .help = "by service and tenant" },
	{ 0 },
};
const struct col_doc serving_doc = { "tare.serving/1", "report --serving",
				     "what served requests cost, and how fast they were", doc_cols,
				     NULL };

/* ---- table -------------------------------------------------------------------------------- */

static const char *count_text(struct arena *a, int64_t n)
{
	char buf[DEC_BUF * 2];

	if (n == UNKNOWN_I64)
		return "-";
	return arena_printf(a, "%s", dec_format_people(buf, n * DEC_ONE, 0));
}

static const char *ms_text(struct arena *a, double ms)
{
	if (!isfinite(ms))
		return "-";
	return arena_printf(a, "%.*f", ms < 10 ? 2 : ms < 100, ms);
}

static void put_row(const struct serving_in *in, const struct row *r, struct grid *g)
{
	const char **c = grid_add_row(g, GRID_PLAIN);
	struct arena *a = &g->mem;
	dec v[4] = { 0 };
	bool known[4] = { cost_per(r, 1000, r->r.ok, &v[0]),
			  cost_per(r, 1000000, total_tokens(&r->r), &v[1]),
			  per_million_in(r, &v[2]), per_million_out(r, &v[3]) };
	int n = 0;

	c[n++] = text_line(a, sv_of(text_or(r->r.service, "-")), 0);
	if (in->of.by_tenant)
		c[n++] = text_line(a, sv_of(text_or(r->r.tenant, "-")), 0);
	c[n++] = count_text(a, r->r.requests);
	c[n++] = text_share(a, r->r.ok, r->r.requests);
	c[n++] = ms_text(a, r->r.p50_ms);
	c[n++] = ms_text(a, r->r.p95_ms);
	c[n++] = ms_text(a, r->r.p99_ms);
	c[n++] = count_text(a, r->r.tokens_in);
	c[n++] = count_text(a, r->r.tokens_out);
	c[n++] = text_or_dash(r->has_cost, text_money(a, r->cost, 2));
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		c[n++] = text_or_dash(known[i], text_money(a, v[i], v[i] < DEC_ONE / 10 ? 6 : 2));
}

/* What input and output tokens cost apart, and what would tell where nothing does. */
static void put_token_notes(const rows_t *v, int width, struct str *out)
{
	bool by_price = false, unknown = false;

	for (size_t i = 0; i < v->n; i++) {
		const struct row *r = &v->v[i];
		bool has_tokens = r->has_cost && r->r.tokens_in > 0 && r->r.tokens_out > 0;
		by_price |= r->token.by && !strcmp(r->token.by, "token_prices");
		unknown |= has_tokens && !r->token.by;
	}
	if (by_price)
		view_fold(
			out,
			"Tokens in and out share the cost by the prices of the settings (token_prices: assumed) where no prefill and decode times are known.",
			width);
	if (unknown)
		view_fold(
			out,
			"Nothing tells the cost of tokens in and out apart: vLLM's request_prefill_time_seconds and request_decode_time_seconds would (tare import --prometheus; columns prefill_s and decode_s of a log), or token_prices in the settings.",
			width);
}

static void put_notes(const rows_t *v, int width, struct str *out)
{
	bool assumed = false, unknown = false;
	bool mixed = false;
	const char *split = NULL;
	struct arena a = { 0 };

	for (size_t i = 0; i < v->n; i++) {
		assumed |= v->v[i].from && !strcmp(v->v[i].from, "workload");
		unknown |= !v->v[i].from;
		mixed |= split && v->v[i].split_by && strcmp(split, v->v[i].split_by) != 0;
		split = text_or(v->v[i].split_by, split);
	}
	view_fold(
		out,
		"Latency in ms, within 1 % of what was logged (a server's own histogram: within its bin). /1,000: of successful requests; /M: of a million tokens, in and out together and apart.",
		width);
	put_token_notes(v, width, out);
	if (mixed)
		view_fold(
			out,
			"Tenants share the cost of their service by measured GPU time where all of them have it, else by tokens, else by requests.",
			width);
	else if (split)
		view_fold(out,
			  arena_printf(&a, "Tenants share the cost of their service by %s.",
				       strcmp(split, "gpu_seconds") ? split : "measured GPU time"),
			  width);
	if (assumed)
		view_fold(
			out,
			"No job has the service's name: as the only one it is taken to be all inference (assumed).",
			width);
	if (unknown)
		view_fold(out,
			  "Where the cost is '-', no job, run or project has the service's name.",
			  width);
	arena_free(&a);
}

static void print_table(const struct serving_in *in, const rows_t *v, bool md, struct str *out)
{
	static const struct {
		const char *name;
		int worth;
	} head[] = { { "requests", 10 }, { "ok", 5 },     { "p50", 7 },     { "p95", 4 },
		     { "p99", 8 },       { "tok in", 6 }, { "tok out", 6 }, { "cost", 11 },
		     { "/1,000", 9 },    { "/M", 3 },     { "/M in", 2 },   { "/M out", 1 } };
	struct grid g = { 0 };
	int width = md ? 100000 : columns_or_80(in->width); /* Markdown: all columns */
	bool all = in->since_ms == UNKNOWN_MS && in->until_ms == UNKNOWN_MS;
	const char *window = text_window(&g.mem, in->since_ms,
					 text_until(in->data_until_ms, in->until_ms));
	const char *currency = v->n ? v->v[0].currency : currency_of(in, NULL);

	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->v[i].currency, currency))
			currency = "several currencies";
	if (all)
		window = "all requests";

	view_fold(out,
		  arena_printf(&g.mem, "%s · %s cost, %s", window, basis_name(in->basis), currency),
		  width);
	str_addc(out, '\n');
	if (!v->n) {
		str_addz(out,
			 "No requests in this window: tare import requests.csv (docs/REPORT.md)\n");
		grid_free(&g);
		return;
	}
	grid_add_name(&g, "service");
	if (in->of.by_tenant)
		grid_add_name(&g, "tenant");
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		grid_add_figure(&g, head[i].name, head[i].worth);
	for (size_t i = 0; i < v->n; i++)
		put_row(in, &v->v[i], &g);
	if (md)
		grid_md(&g, out);
	else
		grid_table(&g, width, in->colour, out);
	str_addc(out, '\n');
	put_notes(v, width, out);
	grid_free(&g);
}

int serving_print(const struct serving_in *in, enum out_format f, struct str *out, struct err *err)
{
	const struct kpi_in kin = { .of = in->of.kpi,
				    .since_ms = in->since_ms,
				    .until_ms = in->until_ms,
				    .basis = in->basis,
				    .conf = in->conf };
	struct kpi k = { 0 };
	rows_t v = { 0 };

	if (f == OUT_HTML)
		return err_set(err, -EINVAL, "--serving has no HTML; use table, json, csv or md");
	kpi_compute(&kin, &k);

	const struct serving_answer *a = &in->of;

	for (size_t i = 0, end; i < a->nrow; i = end) {
		costs_t costs = { 0 };
		for (end = i; end < a->nrow && same_service(&a->row[i], &a->row[end]);)
			end++;
		costs_of(&k, a->row[i].service, &costs);
		if (!costs.n)
			add_rows(in, &a->row[i], end - i, NULL, &v);
		for (size_t c = 0; c < costs.n; c++)
			add_rows(in, &a->row[i], end - i, &costs.v[c], &v);
		vec_free(&costs);
	}
	if (f == OUT_JSON) {
		const struct serving_json doc = { { in->since_ms, in->until_ms },
						  basis_name(in->basis),
						  LATENCY_ERROR_FRAC,
						  v.v,
						  v.n };
		cols_doc(&serving_doc, &doc, out);
	} else if (f == OUT_CSV) {
		cols_csv(row_cols, v.v, v.n, sizeof *v.v, out);
	} else {
		print_table(in, &v, f == OUT_MD, out);
	}
	vec_free(&v);
	kpi_free(&k);
	return 0;
}
