/* See price_view.h. Unknown is "-" in tables, null in JSON, an empty cell in CSV. */
#include <math.h>
#include "base/jw.h"
#include "base/tm.h"
#include "cli/price_view.h"
#include "report/grid.h"
#include "report/text.h"

static bool in_usd(const struct price_row *r)
{
	return !strcmp(r->currency, "USD");
}

static double count_of(const struct price_row *r)
{
	return r->gpu_milli ? (double)r->gpu_milli / 1000 : NAN;
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------------- */

static void json_money(struct jw *w, const char *key, bool known, dec v)
{
	jw_key(w, key);
	if (known)
		jw_dec(w, v);
	else
		jw_null(w);
}

static void json_text(struct jw *w, const char *key, const char *v)
{
	jw_key(w, key);
	jw_str(w, v);
}

static void json_time(struct jw *w, const char *key, int64_t ms)
{
	jw_key(w, key);
	if (ms == UNKNOWN_MS)
		jw_null(w);
	else
		jw_time(w, ms);
}

static void json_pct(struct jw *w, const char *key, int pct)
{
	jw_key(w, key);
	if (pct < 0)
		jw_null(w);
	else
		jw_int(w, pct);
}

static void json_row(struct jw *w, const struct price_row *r)
{
	bool usd = in_usd(r), per_gpu = r->gpu_milli != 0;
	jw_obj(w);
	json_text(w, "provider", r->provider);
	json_text(w, "region", r->region);
	json_text(w, "zone", r->zone);
	json_text(w, "instance_type", r->instance_type);
	json_text(w, "gpu_model", r->gpu_model);
	jw_key(w, "gpu_count");
	jw_num(w, count_of(r), 3);
	json_text(w, "purchase", r->purchase);
	json_text(w, "term", r->term);
	json_money(w, "usd_hour", usd, r->effective_hour);
	json_money(w, "usd_gpu_hour", usd && per_gpu, r->gpu_hour);
	json_text(w, "currency", r->currency);
	json_money(w, "hour", true, r->effective_hour);
	json_money(w, "gpu_hour", per_gpu, r->gpu_hour);
	json_money(w, "upfront", true, r->upfront);
	json_time(w, "from", r->from_ms);
	json_time(w, "to", r->to_ms);
	json_time(w, "as_of", r->as_of_ms);
	json_text(w, "source", r->source);
	json_pct(w, "interruption_lo_pct", r->interruption_lo_pct);
	json_pct(w, "interruption_hi_pct", r->interruption_hi_pct);
	json_text(w, "interruption_per", r->interruption_lo_pct < 0 ? NULL : "month");
	json_time(w, "interruption_as_of", r->interruption_as_of_ms);
	jw_end_obj(w);
}

static void print_json(const struct price_view *v, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	json_text(&w, "schema", "tare.price/1");
	json_time(&w, "at", v->history ? UNKNOWN_MS : v->at_ms);
	jw_key(&w, "rows");
	jw_arr(&w);
	for (size_t i = 0; i < v->n; i++)
		json_row(&w, &v->row[i]);
	jw_end_arr(&w);
	jw_key(&w, "rows_in_other_currencies");
	jw_int(&w, (int64_t)v->hidden);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

/* ---- CSV ----------------------------------------------------------------------------------------------------------------- */

static void csv_text(struct str *out, const char *z)
{
	text_csv(out, sv_of(z ? z : ""));
	str_addc(out, ',');
}

static void csv_money(struct str *out, bool known, dec v)
{
	char buf[DEC_BUF];
	csv_text(out, known ? dec_format(buf, v) : "");
}

static void csv_time(struct str *out, int64_t ms)
{
	char buf[TM_BUF];
	csv_text(out, ms == UNKNOWN_MS ? "" : tm_format(buf, ms));
}

static void csv_row(const struct price_row *r, struct str *out)
{
	char buf[DEC_BUF];
	bool usd = in_usd(r), per_gpu = r->gpu_milli != 0;
	csv_text(out, r->provider);
	csv_text(out, r->region);
	csv_text(out, r->zone);
	csv_text(out, r->instance_type);
	csv_text(out, r->gpu_model);
	csv_text(out, per_gpu ? dec_format(buf, (dec)r->gpu_milli * (DEC_ONE / 1000)) : "");
	csv_text(out, r->purchase);
	csv_text(out, r->term);
	csv_money(out, usd, r->effective_hour);
	csv_money(out, usd && per_gpu, r->gpu_hour);
	csv_text(out, r->currency);
	csv_money(out, true, r->effective_hour);
	csv_money(out, per_gpu, r->gpu_hour);
	csv_money(out, true, r->upfront);
	csv_time(out, r->from_ms);
	csv_time(out, r->to_ms);
	csv_time(out, r->as_of_ms);
	if (r->interruption_lo_pct >= 0)
		str_addf(out, "%d,%d,", r->interruption_lo_pct, r->interruption_hi_pct);
	else
		str_addz(out, ",,");
	csv_time(out, r->interruption_as_of_ms);
	text_csv(out, sv_of(r->source));
	str_addc(out, '\n');
}

static void print_csv(const struct price_view *v, struct str *out)
{
	str_addz(out, "provider,region,zone,instance_type,gpu_model,gpu_count,purchase,term,usd_hour,usd_gpu_hour,currency,hour,gpu_hour,upfront,"
		      "from,to,as_of,interruption_lo_pct,interruption_hi_pct,interruption_as_of,source\n");
	for (size_t i = 0; i < v->n; i++)
		csv_row(&v->row[i], out);
}

/* ---- tables -------------------------------------------------------------------------------------------------------------- */

static const char *table_money(struct arena *a, const struct price_row *r, bool known, dec v)
{
	char buf[DEC_BUF];
	if (!known)
		return "-";
	dec_format_people(buf, v, 4);
	return in_usd(r) ? arena_printf(a, "%s", buf) : arena_printf(a, "%s %s", r->currency, buf);
}

static const char *table_band(struct arena *a, const struct price_row *r)
{
	if (r->interruption_lo_pct < 0)
		return r->purchase && !strcmp(r->purchase, "spot") ? "-" : "";
	if (r->interruption_hi_pct >= 100)
		return arena_printf(a, ">%d %%", r->interruption_lo_pct);
	return arena_printf(a, "%d-%d %%", r->interruption_lo_pct, r->interruption_hi_pct);
}

static const char *table_day(struct arena *a, int64_t ms)
{
	char buf[TM_BUF];
	return ms == UNKNOWN_MS ? "-" : arena_printf(a, "%s", tm_format_date(buf, ms));
}

static const char *table_count(struct arena *a, const struct price_row *r)
{
	char buf[DEC_BUF];
	return r->gpu_milli ? arena_printf(a, "%s", dec_format(buf, (dec)r->gpu_milli * (DEC_ONE / 1000))) : "-";
}

static const char *name(struct arena *a, const char *z)
{
	return z ? text_line(a, sv_of(z), 0) : "";
}

/* The place with its zone, the purchase with its term: one column each. */
static const char *joined(struct arena *a, const char *x, const char *y)
{
	if (!y)
		return name(a, x);
	return arena_printf(a, "%s (%s)", name(a, x), name(a, y));
}

static void fill(const struct price_view *v, struct grid *g, size_t rows)
{
	grid_add_col(g, "provider", GRID_LEFT, false);
	grid_add_col(g, "region", GRID_LEFT, true);
	grid_add_col(g, "instance type", GRID_LEFT, true);
	grid_add_col(g, "GPU", GRID_LEFT, true);
	grid_add_col(g, "GPUs", GRID_RIGHT, false);
	grid_add_col(g, "purchase", GRID_LEFT, true);
	grid_add_col(g, "$/h", GRID_RIGHT, false);
	grid_add_col(g, "$/GPU-h", GRID_RIGHT, false);
	grid_add_col(g, "lost/month", GRID_RIGHT, false);
	grid_add_col(g, v->history ? "from" : "as of", GRID_LEFT, false);
	if (v->history)
		grid_add_col(g, "to", GRID_LEFT, false);
	for (size_t i = 0; i < rows; i++) {
		const struct price_row *r = &v->row[i];
		const char **c = grid_add_row(g, GRID_PLAIN);
		*c++ = name(&g->mem, r->provider);
		*c++ = joined(&g->mem, r->region, r->zone);
		*c++ = name(&g->mem, r->instance_type ? r->instance_type : "-");
		*c++ = name(&g->mem, r->gpu_model ? r->gpu_model : "-");
		*c++ = table_count(&g->mem, r);
		*c++ = joined(&g->mem, r->purchase, r->term);
		*c++ = table_money(&g->mem, r, true, r->effective_hour);
		*c++ = table_money(&g->mem, r, r->gpu_milli != 0, r->gpu_hour);
		*c++ = table_band(&g->mem, r);
		*c++ = table_day(&g->mem, v->history ? r->from_ms : r->as_of_ms);
		if (v->history)
			*c = r->to_ms == UNKNOWN_MS ? "" : table_day(&g->mem, r->to_ms);
	}
}

static void print_table(const struct price_view *v, bool md, struct str *out)
{
	struct grid g = { 0 };
	char day[TM_BUF];
	size_t rows = v->limit && v->limit < v->n && !md ? v->limit : v->n;
	if (v->history)
		str_addf(out, "Prices over time · %zu rows\n\n", v->n);
	else
		str_addf(out, "Prices at %s · %zu rows, cheapest per GPU-hour first\n\n", tm_format(day, v->at_ms), v->n);
	fill(v, &g, rows);
	if (md)
		grid_md(&g, out);
	else
		grid_table(&g, v->width, v->colour, out);
	grid_free(&g);
	if (rows < v->n)
		str_addf(out, "\n%zu more rows: --limit 0 shows all, -o csv has their sources\n", v->n - rows);
	if (v->hidden)
		str_addf(out, "\n%zu rows priced in %s are not shown: --currency %s\n", v->hidden, v->hidden_currency, v->hidden_currency);
}

void price_print(const struct price_view *v, enum out_format f, struct str *out)
{
	if (f == OUT_JSON)
		print_json(v, out);
	else if (f == OUT_CSV)
		print_csv(v, out);
	else
		print_table(v, f != OUT_TABLE, out);
}
