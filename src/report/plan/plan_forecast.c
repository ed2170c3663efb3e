#include "report/plan/plan_forecast.h"

#include <math.h>

#include "base/dec.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "report/grid.h"
#include "report/text.h"

/* Without a forecast only what is planned is known. */
static bool has_forecast(const struct forecast_series *s)
{
	return s->f.state == FORECAST_OK && s->f.point;
}

/* Expected use of hour i with what is planned. */
static double forecast_units(const struct forecast_series *s, size_t i)
{
	if (has_forecast(s))
		return s->f.point[i] + s->planned[i];
	return NAN;
}

static double quantile_at(const struct forecast_series *s, int q, size_t i)
{
	if (has_forecast(s))
		return s->f.quantile[q][i] + s->planned[i];
	return NAN;
}

/* Error of what is returned. */
static double best_mase(const struct forecast_series *s)
{
	if (s->f.instead)
		return s->f.mase[s->f.best];
	return s->f.mase_combined;
}

static double peak_of(const struct forecast_answer *a, const struct forecast_series *s, int q)
{
	double most = NAN;
	for (size_t i = 0; i < a->horizon; i++)
		most = fmax(most, quantile_at(s, q, i));
	return most;
}

static double last_week(const struct forecast_answer *a, const struct forecast_series *s)
{
	double sum = 0;
	size_t k = 0;
	for (size_t i = a->n > 168 ? a->n - 168 : 0; i < a->n; i++)
		if (!isnan(s->y[i])) {
			sum += s->y[i];
			k++;
		}
	return num_if(k, sum / (double)k);
}

/* What is said of a project that is not in the hours forecast. */
static void write_note(const struct forecast_planned *p, struct str *out)
{
	str_addf(out, "The plan of %s for %s lies outside of the hours forecast.", p->team,
		 p->model);
}

/* ---- JSON -------------------------------------------------------------------------------- */

struct method_row {
	const char *name;
	double mase, weight_frac;
};
struct hour_row {
	int64_t at_ms;
	double units, quantile[FORECAST_NQ], planned;
};
struct series_row {
	const char *team, *model, *why, *method, *instead, *currency;
	bool enough, has_cost;
	dec cost;
	struct forecast f;
	double last_week, mean, peak, planned_max;
	struct method_row *methods;
	size_t nmethod;
	struct hour_row *hour;
	size_t nhour;
};
struct kind_row {
	const char *name;
	dec cost;
};
struct cost_row {
	struct forecast_cost c;
	struct kind_row *other;
	size_t nother;
};
struct row {
	const char *source;
	int64_t since_ms, until_ms;
	size_t horizon;
	struct series_row *series;
	size_t n;
	struct cost_row *cost;
	size_t ncost;
	const char **note;
	size_t nnote;
};
#define NUM(key, S, member, text, decimals)                                       \
	{                                                                         \
		key, COL_NUM, offsetof(S, member), NULL, text, .digits = decimals \
	}
#define UNITS(key, S, member, text)                                           \
	{                                                                     \
		key, COL_NUM, offsetof(S, member), "count", text, .digits = 3 \
	}

static const struct col method_cols[] = {
	{ "method", COL_TEXT, offsetof(struct method_row, name), NULL, "how it forecasts",
	  .always = true },
	NUM("mase", struct method_row, mase,
	    "its error against that of the same hour of the day before", 6),
	NUM("weight_frac", struct method_row, weight_frac, "its part of the forecast", 4),
	{ 0 },
};
static const struct col backtest_cols[] = {
	{ "origins", COL_SIZE, offsetof(struct series_row, f.origins), "count",
	  "moments of the past from which it was tried", 0 },
	{ "scored", COL_SIZE, offsetof(struct series_row, f.scored), "h", "that were compared", 0 },
	NUM("scale", struct series_row, f.scale,
	    "by which errors are divided; null: every day is the same", 6),
	NUM("mase", struct series_row, f.mase_combined, "error of the combination of methods", 6),
	NUM("covered_frac", struct series_row, f.covered_frac,
	    "of the hours that lay between p10 and p90; 0.8 would be perfect", 4),
	{ "methods", COL_LIST(struct series_row, methods, nmethod, method_cols),
	  .help = "of which the forecast is made" },
	{ 0 },
};
static const struct col hour_cols[] = {
	{ "time", COL_TIME, offsetof(struct hour_row, at_ms), NULL, "start of the hour",
	  .always = true },
	UNITS("units", struct hour_row, units, "expected, with what is planned"),
	UNITS("p05", struct hour_row, quantile[0], "5th percentile"),
	UNITS("p10", struct hour_row, quantile[1], "10th percentile"),
	UNITS("p50", struct hour_row, quantile[2], "median"),
	UNITS("p90", struct hour_row, quantile[3], "90th percentile"),
	UNITS("p95", struct hour_row, quantile[4], "95th percentile"),
	UNITS("planned", struct hour_row, planned, "of projects entered by hand"),
	{ 0 },
};
static const struct col series_cols[] = {
	{ "team", COL_TEXT, offsetof(struct series_row, team), NULL,
	  "empty: nobody's; null: the whole file", 0 },
	{ "gpu_model", COL_TEXT, offsetof(struct series_row, model), NULL,
	  "empty: unknown; null: the whole file", 0 },
	{ "enough", COL_BOOL, offsetof(struct series_row, enough), NULL,
	  "whether there is history enough for a forecast", 0 },
	{ "why", COL_TEXT, offsetof(struct series_row, why), NULL, "why there is none", 0 },
	{ "known_hours", COL_SIZE, offsetof(struct series_row, f.known), "h", "of history", 0 },
	UNITS("last_week", struct series_row, last_week, "mean of the last 168 hours"),
	UNITS("mean", struct series_row, mean, "of the hours forecast"),
	UNITS("peak_p95", struct series_row, peak, "most of p95"),
	UNITS("planned_max", struct series_row, planned_max, "most of what is planned"),
	{ "method", COL_TEXT, offsetof(struct series_row, method), NULL, "with the largest weight",
	  0 },
	{ "instead", COL_TEXT, offsetof(struct series_row, instead), NULL,
	  "a simple method that is returned, as the combination was worse; null: the combination is",
	  0 },
	{ "currency", COL_TEXT, offsetof(struct series_row, currency), NULL,
	  "of the cost; null: of the store in several, or none", 0 },
	{ "cost", COL_DEC, offsetof(struct series_row, cost), "money",
	  "of the units forecast in all hours ahead, at what the last 168 hours cost",
	  offsetof(struct series_row, has_cost) },
	{ "backtest", COL_ROW, 0, NULL, "how good it was on the history", .sub = backtest_cols },
	{ "hours", COL_LIST(struct series_row, hour, nhour, hour_cols),
	  .help = "that are forecast" },
	{ 0 },
};
static const struct col kind_cols[] = {
	{ "kind", COL_TEXT, offsetof(struct kind_row, name), NULL, "storage, egress, other ...",
	  .always = true },
	{ "cost", COL_DEC, offsetof(struct kind_row, cost), "money",
	  "as the mean of the last 28 days" },
	{ 0 },
};
#define MONEY(key, member, text)                                                                 \
	{                                                                                        \
		key, COL_DEC, offsetof(struct cost_row, c.member), "money", text, .always = true \
	}
static const struct col cost_cols[] = {
	{ "currency", COL_TEXT, offsetof(struct cost_row, c.currency), NULL, "of the amounts",
	  .always = true },
	MONEY("total", total[FORECAST_MEAN], "the sum of the rest"),
	MONEY("total_p10", total[FORECAST_LOW], "if the p10 of all series came together"),
	MONEY("total_p90", total[FORECAST_HIGH], "if the p90 of all series came together"),
	MONEY("held", held[FORECAST_MEAN], "of the series, at what the last 168 hours cost"),
	MONEY("held_p10", held[FORECAST_LOW], "10th percentile"),
	MONEY("held_p90", held[FORECAST_HIGH], "90th percentile"),
	MONEY("fixed_unheld", fixed[FORECAST_MEAN],
	      "commitments (what is unused of them too) and owned GPUs, less what of it is held"),
	MONEY("fixed_unheld_p10", fixed[FORECAST_LOW], "with the p10 of what is held"),
	MONEY("fixed_unheld_p90", fixed[FORECAST_HIGH], "with the p90 of what is held"),
	MONEY("rented_unheld", rented[FORECAST_MEAN],
	      "GPUs paid by the hour that nobody holds, and series without a forecast, as in the last 168 hours"),
	MONEY("rented_unheld_p10", rented[FORECAST_LOW], "with the p10 of what is held"),
	MONEY("rented_unheld_p90", rented[FORECAST_HIGH], "with the p90 of what is held"),
	{ "other", COL_LIST(struct cost_row, other, nother, kind_cols),
	  .help = "what is no GPU time" },
	{ 0 },
};
static const struct col history_cols[] = {
	{ "since", COL_TIME, offsetof(struct row, since_ms), NULL, "first hour", .always = true },
	{ "until", COL_TIME, offsetof(struct row, until_ms), NULL, "first hour forecast",
	  .always = true },
	{ 0 },
};
static const struct col cols[] = {
	{ "source", COL_TEXT, offsetof(struct row, source), NULL, "file; null: the ledger", 0 },
	{ "history", COL_ROW, 0, NULL, "from which it is made", .sub = history_cols },
	{ "horizon_hours", COL_SIZE, offsetof(struct row, horizon), "h", "ahead", 0 },
	{ "series", COL_LIST(struct row, series, n, series_cols), .help = "by team and GPU model" },
	{ "costs", COL_LIST(struct row, cost, ncost, cost_cols),
	  .help = "effective cost of all hours ahead, by currency; of the ledger" },
	{ "notes", COL_WORDS(struct row, note, nnote), .help = "what else there is to say" },
	{ 0 },
};
const struct col_doc plan_forecast_doc = { "tare.plan-forecast/1", "plan forecast",
					   "demand to come by the hour", cols };

static struct hour_row hour_row(const struct forecast_answer *a, const struct forecast_series *s,
				size_t i)
{
	struct hour_row ret = { .at_ms = forecast_start_ms(a) + (int64_t)i * MS_HOUR,
				.units = forecast_units(s, i),
				.planned = s->planned[i] };

	for (int q = 0; q < FORECAST_NQ; q++)
		ret.quantile[q] = quantile_at(s, q, i);
	return ret;
}

static struct series_row series_row(const struct forecast_answer *a,
				    const struct forecast_series *s, struct arena *mem)
{
	struct series_row ret = {
		.team = s->team,
		.model = s->model,
		.why = filled_or(s->f.why, NULL),
		.enough = has_forecast(s),
		.f = s->f,
		.last_week = last_week(a, s),
		.mean = forecast_mean(a, s, -1),
		.peak = peak_of(a, s, FORECAST_NQ - 1),
		.planned_max = s->planned_max,
		.methods = arena_zalloc(mem, FC_METHODS * sizeof *ret.methods),
		.nmethod = FC_METHODS,
		.hour = arena_zalloc(mem, (a->horizon + 1) * sizeof *ret.hour),
		.nhour = a->horizon,
	};

	if (ret.enough)
		ret.method = forecast_method_name(s->f.best);
	if (s->f.instead)
		ret.instead = ret.method;
	double cost = forecast_cost(a, s, -1);
	ret.currency = s->currency;
	ret.has_cost = !isnan(cost);
	if (ret.has_cost)
		ret.cost = dec_from_double(round(cost * 100) / 100);
	for (int m = 0; m < FC_METHODS; m++)
		ret.methods[m] =
			(struct method_row){ forecast_method_name((enum forecast_method)m),
					     s->f.mase[m],
					     num_if(s->f.state == FORECAST_OK, s->f.weight[m]) };
	for (size_t i = 0; i < a->horizon; i++)
		ret.hour[i] = hour_row(a, s, i);
	return ret;
}

/* ---- CSV: an hour a line ----------------------------------------------------------------- */

struct line_row {
	int64_t at_ms;
	const char *team, *model;
	double units, quantile[FORECAST_NQ], planned;
};

#define CELL(member, column)                                                                     \
	{                                                                                        \
#column, COL_NUM, offsetof(struct line_row, member), .digits = 3, .fixed = true, \
								     .help = "units"             \
	}
static const struct col line_cols[] = {
	{ "time", COL_TIME, offsetof(struct line_row, at_ms), .help = "the hour begins" },
	{ "team", COL_WORD, offsetof(struct line_row, team), .help = "whose demand" },
	{ "gpu_model", COL_WORD, offsetof(struct line_row, model), .help = "of what" },
	CELL(units, units),
	CELL(quantile[0], p05),
	CELL(quantile[1], p10),
	CELL(quantile[2], p50),
	CELL(quantile[3], p90),
	CELL(quantile[4], p95),
	CELL(planned, planned),
	{ 0 },
};

/* ---- for people -------------------------------------------------------------------------- */

static char *format_cell(struct grid *g, double v, int digits)
{
	if (isnan(v))
		return arena_printf(&g->mem, "-");
	return arena_printf(&g->mem, "%.*f", digits, v);
}

static void put_grid(const struct grid *g, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_MD)
		grid_md(g, out);
	else
		grid_table(g, as->width, as->colour, out);
}

static void write_backtest(const struct forecast *f, const struct out_as *as, struct str *out)
{
	struct grid g = { 0 };
	grid_add_col(&g, "method", GRID_LEFT, false);
	grid_add_col(&g, "MASE", GRID_RIGHT, false);
	grid_add_col(&g, "weight now", GRID_RIGHT, false);
	__int128 part[FC_METHODS], whole = 0;
	char *weight[FC_METHODS];
	for (int m = 0; m < FC_METHODS; m++) {
		part[m] = dec_from_double(f->weight[m]);
		whole += part[m];
	}
	text_shares(&g.mem, whole, FC_METHODS, part, weight);
	for (int m = 0; m < FC_METHODS; m++) {
		const char **c = grid_add_row(&g, GRID_PLAIN);
		c[0] = forecast_method_name(m);
		c[1] = format_cell(&g, f->mase[m], 3);
		c[2] = weight[m];
	}
	const char **c = grid_add_row(&g, GRID_TOTAL);
	c[0] = f->instead ? "combined" : "combined: the forecast";
	c[1] = format_cell(&g, f->mase_combined, 3);
	put_grid(&g, as, out);
	grid_free(&g);
	str_addf(
		out,
		"\n%zu origins, %zu of them scored; MASE against \"as 24 hours before\" (%.1f units an hour off).\n",
		f->origins, f->scored, f->scale);
	if (!isnan(f->covered_frac))
		str_addf(
			out,
			"%.0f %% of the hours tested were between the 10 %% and the 90 %% quantile.\n",
			f->covered_frac * 100);
}

/* A row a day (an hour, where the horizon is a day or less). */
static void write_ahead(const struct forecast_answer *a, const struct forecast_series *s,
			const struct out_as *as, struct str *out)
{
	struct grid g = { 0 };
	size_t step = 24;
	char t[TM_BUF];
	if (a->horizon <= 24)
		step = 1;
	grid_add_col(&g, step == 1 ? "hour (UTC)" : "24 h from (UTC)", GRID_LEFT, false);
	for (int i = 0; i < 4; i++)
		grid_add_col(&g, (const char *const[]){ "units", "10 %", "90 %", "planned" }[i],
			     GRID_RIGHT, false);
	for (size_t i = 0; i < a->horizon; i += step) {
		double x[4] = { 0 };
		size_t n = min_size(a->horizon - i, step);
		for (size_t k = i; k < i + n; k++) {
			x[0] += forecast_units(s, k) / (double)n;
			x[1] += quantile_at(s, 1, k) / (double)n;
			x[2] += quantile_at(s, 3, k) / (double)n;
			x[3] += s->planned[k] / (double)n;
		}
		const char **c = grid_add_row(&g, GRID_PLAIN);
		c[0] = arena_printf(&g.mem, "%.16s",
				    tm_format(t, forecast_start_ms(a) + (int64_t)i * MS_HOUR));
		for (int k = 0; k < 4; k++)
			c[k + 1] = format_cell(&g, x[k], 1);
	}
	put_grid(&g, as, out);
	grid_free(&g);
}

static void put_name(const struct forecast_series *s, const char *file, struct str *out)
{
	if (s->team)
		str_addf(out, "%s %s", filled_or(s->team, "(nobody)"),
			 filled_or(s->model, "(unknown)"));
	else
		str_addz(out, file);
}

/* Where the back-test says that the mean is not to be relied on. */
static void put_doubts(const struct forecast_answer *a, const char *file, struct str *out)
{
	for (size_t i = 0; i < a->nseries; i++) {
		const struct forecast_series *s = &a->series[i];
		const char *method = forecast_method_name(s->f.best);
		double error = best_mase(s);
		if (!has_forecast(s) || isnan(error))
			continue;
		if (!s->f.instead && error <= 1)
			continue;
		put_name(s, file, out);
		if (s->f.instead)
			str_addf(
				out,
				": the combination of methods was worse (MASE %.2f) on this history than '%s' alone (%.2f), which is the forecast.\n",
				s->f.mase_combined, method, error);
		else
			str_addf(
				out,
				": so far ahead the forecast was off by %.*f times what a day is off from the day before (MASE), and so was 'naive' (%.*f), the last hour going on: read the range, not the mean.\n",
				error < 10 ? 1 : 0, error, s->f.mase[FC_NAIVE] < 10 ? 1 : 0,
				s->f.mase[FC_NAIVE]);
	}
}

/* "At what their GPU-hours cost in the last 7 days: 1,234.00 USD in all (10 % 1,000.00, 90 %
 * 2,000.00 ...)." A currency a sentence; a table, where more is paid than what is held. */
static void put_cost(const struct forecast_answer *a, const struct out_as *as, struct str *out)
{
	char buf[FORECAST_CASES][DEC_BUF * 2];

	for (size_t i = 0; i < a->ncost; i++) {
		const struct forecast_cost *x = &a->cost[i];
		struct grid g = { 0 };
		const char *const name[] = { "forecast, at what a GPU-hour cost in the last 7 days",
					     "paid in any case (commitments, owned), not in it",
					     "paid by the hour, not in it: as in the last 7 days",
					     "in all" };

		if (!x->fixed[0] && !x->rented[0] && x->total[0] == x->held[0]) {
			for (int c = 0; c < FORECAST_CASES; c++)
				dec_format_people(buf[c], x->held[c], 2);
			str_addf(
				out,
				"At what their GPU-hours cost in the last 7 days: %s %s in all (10 %% %s, 90 %% %s if all came together).\n",
				buf[0], x->currency, buf[1], buf[2]);
			continue;
		}
		str_addc(out, '\n');
		grid_add_col(&g, "cost of the hours ahead, effective", GRID_LEFT, true);
		grid_add_col(&g, x->currency, GRID_RIGHT, false);
		grid_add_col(&g, "10 %", GRID_RIGHT, false);
		grid_add_col(&g, "90 %", GRID_RIGHT, false);
		for (int line = 0; line < 4; line++) {
			const dec *const of[] = { x->held, x->fixed, x->rented, x->total };
			for (int k = 0; line == 3 && k < KIND_N; k++)
				if (x->other[k]) {
					const char **c = grid_add_row(&g, GRID_PLAIN);
					c[0] = arena_printf(&g.mem, "%s: as in the last 28 days",
							    kind_name((enum kind)k));
					dec_format_people(buf[0], x->other[k], 2);
					for (int n = 0; n < FORECAST_CASES; n++)
						c[1 + n] = arena_printf(&g.mem, "%s", buf[0]);
				}
			if (!of[line][0] && !of[line][1])
				continue;
			const char **c = grid_add_row(&g, line == 3 ? GRID_TOTAL : GRID_PLAIN);
			c[0] = name[line];
			for (int n = 0; n < FORECAST_CASES; n++) {
				dec_format_people(buf[n], of[line][n], 2);
				c[1 + n] = arena_printf(&g.mem, "%s", buf[n]);
			}
		}
		put_grid(&g, as, out);
		grid_free(&g);
		str_addz(out, "10 % and 90 %: if those of all series came together.\n\n");
	}
}

static void print_people(const struct forecast_ask *q, const struct forecast_answer *a,
			 const struct out_as *as, struct str *out)
{
	char t[TM_BUF];
	size_t n = a->horizon;
	const char *unit = "hours";

	if (n % 24 == 0) {
		n /= 24;
		unit = n == 1 ? "day" : "days";
	}
	str_addf(
		out,
		"%s: %zu hours of history to %.16s · forecast of %zu %s from there, by the hour\n\n",
		text_or(q->file, "GPUs held"), a->n, tm_format(t, forecast_start_ms(a)), n, unit);
	if (!q->file) {
		static const char *const head[] = { "last 7 d",  "mean", "10 %",   "90 %",
						    "peak 95 %", "MASE", "planned" };
		struct grid g = { 0 };
		size_t nhead = 6;
		for (size_t i = 0; i < a->nseries; i++)
			if (a->series[i].planned_max > 0)
				nhead = 7;
		grid_add_col(&g, "team", GRID_LEFT, true);
		grid_add_col(&g, "GPU", GRID_LEFT, true);
		for (size_t i = 0; i < nhead; i++)
			grid_add_col(&g, head[i], GRID_RIGHT, false);
		grid_add_col(&g, "method", GRID_LEFT, true);
		for (size_t i = 0; i < a->nseries; i++) {
			const struct forecast_series *s = &a->series[i];
			const char **c = grid_add_row(&g, GRID_PLAIN);
			const double x[] = { last_week(a, s), forecast_mean(a, s, -1),
					     forecast_mean(a, s, 1), forecast_mean(a, s, 3),
					     peak_of(a, s, 4) };
			c[0] = s->team[0] ? s->team : "(nobody)";
			c[1] = s->model[0] ? s->model : "(unknown)";
			for (size_t k = 0; k < sizeof x / sizeof *x; k++)
				c[2 + k] = format_cell(&g, x[k], 1);
			c[7] = format_cell(&g, best_mase(s), 2);
			if (nhead == 7)
				c[8] = format_cell(&g, s->planned_max, 1);
			/* why stands below */
			c[2 + nhead] = has_forecast(s) ? forecast_method_name(s->f.best) : "-";
		}
		put_grid(&g, as, out);
		grid_free(&g);
	}
	for (size_t i = 0; i < a->nseries && q->file; i++) {
		const struct forecast_series *s = &a->series[i];
		if (!has_forecast(s))
			continue;
		write_ahead(a, s, as, out);
		str_addc(out, '\n');
		write_backtest(&s->f, as, out);
	}
	for (size_t i = 0; i < a->nseries; i++) {
		const struct forecast_series *s = &a->series[i];
		const char *team = "(nobody)";
		if (!s->team || s->team[0])
			team = s->team;
		if (s->f.why[0])
			str_addf(out, "%s%s%s%s: too little to forecast: %s.\n",
				 team ? team : q->file, text_if(team, " "),
				 text_if(s->team, s->model),
				 text_if(s->planned_max > 0, " (planned work aside)"), s->f.why);
	}
	put_cost(a, as, out);
	put_doubts(a, q->file, out);
	for (size_t i = 0; i < a->noutside; i++) {
		write_note(a->outside[i], out);
		str_addc(out, '\n');
	}
	for (size_t i = 0; i < a->nnote; i++)
		str_addf(out, "%s\n", a->note[i]);
}

void plan_forecast_print(const struct forecast_ask *q, const struct forecast_answer *a,
			 const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON) {
		struct arena mem = { 0 };
		struct row row = {
			.source = q->file,
			.since_ms = a->from_ms,
			.until_ms = forecast_start_ms(a),
			.horizon = a->horizon,
			.series = arena_zalloc(&mem, (a->nseries + 1) * sizeof *row.series),
			.n = a->nseries,
			.note = arena_zalloc(&mem, (a->noutside + a->nnote + 1) * sizeof *row.note),
			.nnote = a->noutside + a->nnote,
		};

		for (size_t i = 0; i < a->nseries; i++)
			row.series[i] = series_row(a, &a->series[i], &mem);
		row.cost = arena_zalloc(&mem, (a->ncost + 1) * sizeof *row.cost);
		for (; row.ncost < a->ncost; row.ncost++) {
			struct cost_row *c = &row.cost[row.ncost];

			c->c = a->cost[row.ncost];
			c->other = arena_zalloc(&mem, KIND_N * sizeof *c->other);
			for (int k = 0; k < KIND_N; k++)
				if (c->c.other[k])
					c->other[c->nother++] = (struct kind_row){
						kind_name((enum kind)k), c->c.other[k]
					};
		}
		for (size_t i = 0; i < a->noutside; i++) {
			struct str s = { 0 };

			write_note(a->outside[i], &s);
			const char *note_text = arena_printf(&mem, "%s", str_z(&s));
			str_free(&s);
			row.note[i] = note_text;
		}
		for (size_t i = 0; i < a->nnote; i++)
			row.note[a->noutside + i] = a->note[i];
		cols_doc(&plan_forecast_doc, &row, out);
		arena_free(&mem);
	} else if (as->format == OUT_CSV) {
		cols_csv_head(line_cols, out);
		for (size_t k = 0; k < a->nseries; k++)
			for (size_t i = 0; i < a->horizon; i++) {
				const struct forecast_series *s = &a->series[k];
				struct line_row row = {
					.at_ms = forecast_start_ms(a) + (int64_t)i * MS_HOUR,
					.team = s->team,
					.model = s->model,
					.units = forecast_units(s, i),
					.planned = s->planned[i],
				};
				for (int b = 0; b < FORECAST_NQ; b++)
					row.quantile[b] = quantile_at(s, b, i);
				cols_csv_row(line_cols, &row, out);
			}
	} else
		print_people(q, a, as, out);
}
