#include "report/plan_forecast.h"

#include <math.h>

#include "base/dec.h"
#include "base/jw.h"
#include "base/tm.h"
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
	return has_forecast(s) ? s->f.point[i] + s->planned[i] : NAN;
}

static double quantile(const struct forecast_series *s, int q, size_t i)
{
	return has_forecast(s) ? s->f.quantile[q][i] + s->planned[i] : NAN;
}

static double mean(const struct forecast_answer *a, const struct forecast_series *s, int q)
{
	double sum = 0;
	for (size_t i = 0; i < a->horizon; i++)
		sum += q < 0 ? forecast_units(s, i) : quantile(s, q, i);
	return sum / (double)a->horizon;
}

static double peak(const struct forecast_answer *a, const struct forecast_series *s, int q)
{
	double most = NAN;
	for (size_t i = 0; i < a->horizon; i++)
		most = fmax(most, quantile(s, q, i));
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
	return k ? sum / (double)k : NAN;
}

/* What is said of a project that is not in the hours forecast. */
static void note(const struct forecast_planned *p, struct str *out)
{
	str_addf(out, "The plan of %s for %s lies outside of the hours forecast.", p->team,
		 p->model);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void json_backtest(struct jw *w, const struct forecast *f)
{
	jw_key(w, "backtest");
	jw_obj(w);
	jw_key(w, "origins");
	jw_int(w, (int64_t)f->origins);
	jw_key(w, "scored");
	jw_int(w, (int64_t)f->scored);
	jw_put_num(w, "scale", f->scale, 6);
	jw_put_num(w, "mase", f->mase_combined, 6);
	jw_put_num(w, "covered_frac", f->covered_frac, 4);
	jw_key(w, "methods");
	jw_arr(w);
	for (int m = 0; m < FC_METHODS; m++) {
		jw_obj(w);
		jw_put_str(w, "method", forecast_method_name(m));
		jw_put_num(w, "mase", f->mase[m], 6);
		jw_put_num(w, "weight_frac", f->state == FORECAST_OK ? f->weight[m] : NAN, 4);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

static void json_hours(struct jw *w, const struct forecast_answer *a,
		       const struct forecast_series *s)
{
	static const char *const name[FORECAST_NQ] = { "p05", "p10", "p50", "p90", "p95" };
	jw_key(w, "hours");
	jw_arr(w);
	for (size_t i = 0; i < a->horizon; i++) {
		jw_obj(w);
		jw_key(w, "time");
		jw_time(w, forecast_start_ms(a) + (int64_t)i * MS_HOUR);
		jw_put_num(w, "units", forecast_units(s, i), 3);
		for (int q = 0; q < FORECAST_NQ; q++)
			jw_put_num(w, name[q], quantile(s, q, i), 3);
		jw_put_num(w, "planned", s->planned[i], 3);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void json_series(struct jw *w, const struct forecast_answer *a,
			const struct forecast_series *s)
{
	jw_obj(w);
	jw_put_str(w, "team", s->team);
	jw_put_str(w, "gpu_model", s->model);
	jw_key(w, "enough");
	jw_bool(w, has_forecast(s));
	jw_put_str(w, "why", s->f.why[0] ? s->f.why : NULL);
	jw_key(w, "known_hours");
	jw_int(w, (int64_t)s->f.known);
	jw_put_num(w, "last_week", last_week(a, s), 3);
	jw_put_num(w, "mean", mean(a, s, -1), 3);
	jw_put_num(w, "peak_p95", peak(a, s, FORECAST_NQ - 1), 3);
	jw_put_num(w, "planned_max", s->planned_max, 3);
	jw_put_str(w, "method", has_forecast(s) ? forecast_method_name(s->f.best) : NULL);
	json_backtest(w, &s->f);
	json_hours(w, a, s);
	jw_end_obj(w);
}

static void json_note(struct jw *w, const struct forecast_planned *p)
{
	struct str s = { 0 };

	note(p, &s);
	jw_str(w, str_z(&s));
	str_free(&s);
}

static void print_json(const struct forecast_ask *q, const struct forecast_answer *a,
		       struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_put_str(&w, "schema", "tare.plan-forecast/1");
	jw_put_str(&w, "source", q->file);
	jw_key(&w, "history");
	jw_obj(&w);
	jw_key(&w, "since");
	jw_time(&w, a->from_ms);
	jw_key(&w, "until");
	jw_time(&w, forecast_start_ms(a));
	jw_end_obj(&w);
	jw_key(&w, "horizon_hours");
	jw_int(&w, (int64_t)a->horizon);
	jw_key(&w, "series");
	jw_arr(&w);
	for (size_t i = 0; i < a->nseries; i++)
		json_series(&w, a, &a->series[i]);
	jw_end_arr(&w);
	jw_key(&w, "notes");
	jw_arr(&w);
	for (size_t i = 0; i < a->noutside; i++)
		json_note(&w, a->outside[i]);
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

/* ---- CSV: an hour a line ----------------------------------------------------------------- */

static void csv_num(struct str *out, double v)
{
	str_addc(out, ',');
	if (!isnan(v))
		str_addf(out, "%.3f", v);
}

static void print_csv(const struct forecast_answer *a, struct str *out)
{
	char t[TM_BUF];
	str_addz(out, "time,team,gpu_model,units,p05,p10,p50,p90,p95,planned\n");
	for (size_t k = 0; k < a->nseries; k++)
		for (size_t i = 0; i < a->horizon; i++) {
			const struct forecast_series *s = &a->series[k];
			str_addf(out, "%s,",
				 tm_format(t, forecast_start_ms(a) + (int64_t)i * MS_HOUR));
			text_csv(out, sv_of(s->team));
			str_addc(out, ',');
			text_csv(out, sv_of(s->model));
			csv_num(out, forecast_units(s, i));
			for (int q = 0; q < FORECAST_NQ; q++)
				csv_num(out, quantile(s, q, i));
			csv_num(out, s->planned[i]);
			str_addc(out, '\n');
		}
}

/* ---- for people -------------------------------------------------------------------------- */

static char *cell(struct grid *g, double v, int digits)
{
	return isnan(v) ? arena_printf(&g->mem, "-") : arena_printf(&g->mem, "%.*f", digits, v);
}

static void put(const struct grid *g, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_MD)
		grid_md(g, out);
	else
		grid_table(g, as->width, as->colour, out);
}

static void by_series(const struct forecast_answer *a, const struct out_as *as, struct str *out)
{
	static const char *const head[] = { "last 7 d",  "mean", "10 %",   "90 %",
					    "peak 95 %", "MASE", "planned" };
	struct grid g = { 0 };
	size_t nhead = 6;
	for (size_t i = 0; i < a->nseries; i++)
		nhead = a->series[i].planned_max > 0 ? 7 : nhead;
	grid_add_col(&g, "team", GRID_LEFT, true);
	grid_add_col(&g, "GPU", GRID_LEFT, true);
	for (size_t i = 0; i < nhead; i++)
		grid_add_col(&g, head[i], GRID_RIGHT, false);
	grid_add_col(&g, "method", GRID_LEFT, true);
	for (size_t i = 0; i < a->nseries; i++) {
		const struct forecast_series *s = &a->series[i];
		const char **c = grid_add_row(&g, GRID_PLAIN);
		const double x[] = { last_week(a, s), mean(a, s, -1), mean(a, s, 1), mean(a, s, 3),
				     peak(a, s, 4) };
		c[0] = s->team[0] ? s->team : "(nobody)";
		c[1] = s->model[0] ? s->model : "(unknown)";
		for (size_t k = 0; k < sizeof x / sizeof *x; k++)
			c[2 + k] = cell(&g, x[k], 1);
		c[7] = cell(&g, s->f.mase_combined, 2);
		if (nhead == 7)
			c[8] = cell(&g, s->planned_max, 1);
		/* why stands below */
		c[2 + nhead] = has_forecast(s) ? forecast_method_name(s->f.best) : "-";
	}
	put(&g, as, out);
	grid_free(&g);
}

static void backtest(const struct forecast *f, const struct out_as *as, struct str *out)
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
		c[1] = cell(&g, f->mase[m], 3);
		c[2] = weight[m];
	}
	const char **c = grid_add_row(&g, GRID_TOTAL);
	c[0] = "combined: the forecast";
	c[1] = cell(&g, f->mase_combined, 3);
	put(&g, as, out);
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
static void ahead(const struct forecast_answer *a, const struct forecast_series *s,
		  const struct out_as *as, struct str *out)
{
	struct grid g = { 0 };
	size_t step = a->horizon <= 24 ? 1 : 24;
	char t[TM_BUF];
	grid_add_col(&g, step == 1 ? "hour (UTC)" : "24 h from (UTC)", GRID_LEFT, false);
	for (int i = 0; i < 4; i++)
		grid_add_col(&g, (const char *const[]){ "units", "10 %", "90 %", "planned" }[i],
			     GRID_RIGHT, false);
	for (size_t i = 0; i < a->horizon; i += step) {
		double x[4] = { 0 };
		size_t n = a->horizon - i < step ? a->horizon - i : step;
		for (size_t k = i; k < i + n; k++) {
			x[0] += forecast_units(s, k) / (double)n;
			x[1] += quantile(s, 1, k) / (double)n;
			x[2] += quantile(s, 3, k) / (double)n;
			x[3] += s->planned[k] / (double)n;
		}
		const char **c = grid_add_row(&g, GRID_PLAIN);
		c[0] = arena_printf(&g.mem, "%.16s",
				    tm_format(t, forecast_start_ms(a) + (int64_t)i * MS_HOUR));
		for (int k = 0; k < 4; k++)
			c[k + 1] = cell(&g, x[k], 1);
	}
	put(&g, as, out);
	grid_free(&g);
}

static void print_people(const struct forecast_ask *q, const struct forecast_answer *a,
			 const struct out_as *as, struct str *out)
{
	char t[TM_BUF];
	size_t h = a->horizon;
	str_addf(
		out,
		"%s: %zu hours of history to %.16s · forecast of %zu %s from there, by the hour\n\n",
		q->file ? q->file : "GPUs held", a->n, tm_format(t, forecast_start_ms(a)),
		h % 24 ? h : h / 24,
		h % 24    ? "hours"
		: h == 24 ? "day"
			  : "days");
	if (!q->file)
		by_series(a, as, out);
	for (size_t i = 0; i < a->nseries && q->file; i++) {
		const struct forecast_series *s = &a->series[i];
		if (!has_forecast(s))
			continue;
		ahead(a, s, as, out);
		str_addc(out, '\n');
		backtest(&s->f, as, out);
	}
	for (size_t i = 0; i < a->nseries; i++) {
		const struct forecast_series *s = &a->series[i];
		const char *team = s->team && !s->team[0] ? "(nobody)" : s->team;
		if (s->f.why[0])
			str_addf(out, "%s%s%s%s: too little to forecast: %s.\n",
				 team ? team : q->file, team ? " " : "", s->team ? s->model : "",
				 s->planned_max > 0 ? " (planned work aside)" : "", s->f.why);
	}
	for (size_t i = 0; i < a->noutside; i++) {
		note(a->outside[i], out);
		str_addc(out, '\n');
	}
}

void plan_forecast_print(const struct forecast_ask *q, const struct forecast_answer *a,
			 const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON)
		print_json(q, a, out);
	else if (as->format == OUT_CSV)
		print_csv(a, out);
	else
		print_people(q, a, as, out);
}
