/* Unknown is "-" in tables, null in JSON, an empty cell in CSV. */
#include "report/prices.h"

#include <math.h>

#include "base/jw.h"
#include "base/tm.h"
#include "report/grid.h"
#include "report/text.h"

#define NARROW 96 /* columns: less than this has no room for the days */

static bool in_usd(const struct price_row *r)
{
	return !strcmp(r->currency, "USD");
}

static double count_of(const struct price_row *r)
{
	return r->gpu_milli ? (double)r->gpu_milli / 1000 : NAN;
}

/* ---- JSON -------------------------------------------------------------------------------- */

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
	jw_put_str(w, "provider", r->provider);
	jw_put_str(w, "region", r->region);
	jw_put_str(w, "zone", r->zone);
	jw_put_str(w, "instance_type", r->instance_type);
	jw_put_str(w, "gpu_model", r->gpu_model);
	jw_key(w, "gpu_count");
	jw_num(w, count_of(r), 3);
	jw_put_str(w, "purchase", r->purchase);
	jw_put_str(w, "term", r->term);
	jw_put_dec(w, "usd_hour", usd, r->effective_hour);
	jw_put_dec(w, "usd_gpu_hour", usd && per_gpu, r->gpu_hour);
	jw_put_str(w, "currency", r->currency);
	jw_put_dec(w, "hour", true, r->effective_hour);
	jw_put_dec(w, "gpu_hour", per_gpu, r->gpu_hour);
	jw_put_dec(w, "upfront", true, r->upfront);
	jw_put_time(w, "from", r->from_ms);
	jw_put_time(w, "to", r->to_ms);
	jw_put_time(w, "as_of", r->as_of_ms);
	jw_put_str(w, "source", r->source);
	json_pct(w, "interruption_lo_pct", r->interruption_lo_pct);
	json_pct(w, "interruption_hi_pct", r->interruption_hi_pct);
	jw_put_str(w, "interruption_per", r->interruption_lo_pct < 0 ? NULL : "month");
	jw_put_time(w, "interruption_as_of", r->interruption_as_of_ms);
	jw_end_obj(w);
}

static void print_json(const struct prices_answer *v, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_put_str(&w, "schema", "tare.price/1");
	jw_put_time(&w, "at", v->history ? UNKNOWN_MS : v->at_ms);
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

/* ---- CSV --------------------------------------------------------------------------------- */

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

static void print_csv(const struct prices_answer *v, struct str *out)
{
	str_addz(
		out,
		"provider,region,zone,instance_type,gpu_model,gpu_count,purchase,term,usd_hour,usd_gpu_hour,currency,hour,gpu_hour,upfront,"
		"from,to,as_of,interruption_lo_pct,interruption_hi_pct,interruption_as_of,source\n");
	for (size_t i = 0; i < v->n; i++)
		csv_row(&v->row[i], out);
}

/* ---- tables ------------------------------------------------------------------------------ */

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
	return r->gpu_milli ? arena_printf(a, "%s",
					   dec_format(buf, (dec)r->gpu_milli * (DEC_ONE / 1000)))
			    : "-";
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

enum col {
	C_PROVIDER,
	C_REGION,
	C_TYPE,
	C_GPU,
	C_COUNT,
	C_PURCHASE,
	C_HOUR,
	C_GPU_HOUR,
	C_BAND,
	C_DAY,
	C_TO,
	C_N
};
static const struct {
	const char *head;
	enum grid_align align;
	bool fold; /* says the same in every row: one word in the title instead */
} cols[C_N] = {
	[C_PROVIDER] = { "provider", GRID_LEFT, true },
	[C_REGION] = { "region", GRID_LEFT, true },
	[C_TYPE] = { "instance type", GRID_LEFT, true },
	[C_GPU] = { "GPU", GRID_LEFT, true },
	[C_COUNT] = { "GPUs", GRID_RIGHT, true },
	[C_PURCHASE] = { "purchase", GRID_LEFT, true },
	[C_HOUR] = { "$/h", GRID_RIGHT, false },
	[C_GPU_HOUR] = { "$/GPU-h", GRID_RIGHT, false },
	[C_BAND] = { "lost/month", GRID_RIGHT, false },
	[C_DAY] = { "as of", GRID_LEFT, false },
	[C_TO] = { "to", GRID_LEFT, false },
};

static const char *cell(const struct prices_answer *v, const struct price_row *r, enum col k,
			struct arena *a)
{
	switch (k) {
	case C_PROVIDER: return name(a, r->provider);
	case C_REGION: return joined(a, r->region ? r->region : "-", r->zone);
	case C_TYPE: return name(a, r->instance_type ? r->instance_type : "-");
	case C_GPU: return name(a, r->gpu_model ? r->gpu_model : "-");
	case C_COUNT: return table_count(a, r);
	case C_PURCHASE: return joined(a, r->purchase, r->term);
	case C_HOUR: return table_money(a, r, true, r->effective_hour);
	case C_GPU_HOUR: return table_money(a, r, r->gpu_milli != 0, r->gpu_hour);
	case C_BAND: return table_band(a, r);
	case C_DAY: return table_day(a, v->history ? r->from_ms : r->as_of_ms);
	case C_TO: return r->to_ms == UNKNOWN_MS ? "" : table_day(a, r->to_ms);
	case C_N: break;
	}
	return "";
}

/* Does a column say the same in the first rows? What it says in *ret. */
static bool says_one_thing(const struct prices_answer *v, size_t rows, enum col k, struct arena *a,
			   const char **ret)
{
	*ret = rows ? cell(v, &v->row[0], k, a) : "";
	for (size_t i = 1; i < rows; i++)
		if (strcmp(*ret, cell(v, &v->row[i], k, a)))
			return false;
	return rows > 0;
}

/* Is a column left out? On a narrow terminal the days stand in one line below the table. */
static bool left_out(const struct prices_answer *v, int width, enum col k, bool one,
		     const char *same)
{
	if (k == C_TO)
		return !v->history;
	if (k == C_DAY)
		return !v->history && width < NARROW;
	return k == C_BAND && one && !*same;
}

/* "sources speak for 2025-06-28 to 2026-07-30" */
static void add_days(const struct prices_answer *v, size_t rows, struct str *out)
{
	int64_t lo = INT64_MAX, hi = INT64_MIN;
	char a[TM_BUF], b[TM_BUF];
	for (size_t i = 0; i < rows; i++) {
		int64_t t = v->row[i].as_of_ms;
		if (t == UNKNOWN_MS)
			continue;
		lo = t < lo ? t : lo;
		hi = t > hi ? t : hi;
	}
	if (lo > hi)
		return;
	tm_format_date(a, lo);
	tm_format_date(b, hi);
	str_addf(out,
		 strcmp(a, b) ? "\nas of %s to %s, day and source of each row: -o csv\n"
			      : "\nas of %s\n",
		 a, b);
}

/* title: what all rows have in common, and the title counts them all; shown_all: what only those
 * within the limit have. */
static void fill(const struct prices_answer *v, int width, struct grid *g, size_t rows,
		 struct str *title, struct str *shown_all)
{
	enum col shown[C_N];
	size_t n = 0;
	for (int k = 0; k < C_N; k++) {
		const char *same, *whole;
		bool one = says_one_thing(v, rows, (enum col)k, &g->mem, &same);
		if (left_out(v, width, (enum col)k, one, same))
			continue;
		if (cols[k].fold && one) {
			if (!strcmp(same, "-"))
				continue;
			struct str *s = says_one_thing(v, v->n, (enum col)k, &g->mem, &whole)
						? title
						: shown_all;
			if (k != C_COUNT)
				str_addf(s, "%s%s", s == title || s->n ? " · " : "", same);
			else
				str_addf(s, "%s%s GPU%s", s == title || s->n ? " · " : "", same,
					 strcmp(same, "1") ? "s" : "");
			continue;
		}
		grid_add_col(g, k == C_DAY && v->history ? "from" : cols[k].head, cols[k].align,
			     false);
		shown[n++] = (enum col)k;
	}
	for (size_t i = 0; i < rows; i++) {
		const char **c = grid_add_row(g, GRID_PLAIN);
		for (size_t k = 0; k < n; k++)
			c[k] = cell(v, &v->row[i], shown[k], &g->mem);
	}
}

static void print_table(const struct prices_answer *v, size_t limit, const struct out_as *as,
			struct str *out)
{
	struct grid g = { 0 };
	struct str title = { 0 }, shown_all = { 0 };
	char day[TM_BUF];
	bool md = as->format != OUT_TABLE;
	size_t rows = limit && limit < v->n && !md ? limit : v->n;
	int width = md ? NARROW : as->width; /* Markdown: all columns */
	fill(v, width, &g, rows, &title, &shown_all);
	str_addz(out, md ? "**" : "");
	if (v->history)
		str_addz(out, "Prices over time");
	else
		str_addf(out, "Prices at %s", tm_format(day, tm_floor(v->at_ms, MS_SECOND)));
	str_addf(out, "%s · %zu row%s%s%s%s%s\n\n", str_z(&title), v->n, v->n == 1 ? "" : "s",
		 v->history ? "" : ", cheapest per GPU-hour first",
		 shown_all.n ? "; all shown: " : "", str_z(&shown_all), md ? "**" : "");
	if (md && v->n)
		grid_md(&g, out);
	else if (v->n)
		grid_table(&g, width, as->colour, out);
	else
		str_addz(
			out,
			"none known: other words for the GPU, --region '*', --at another day, or: tare price update\n");
	grid_free(&g);
	str_free(&title);
	str_free(&shown_all);
	if (!v->history && width < NARROW)
		add_days(v, rows, out);
	if (rows < v->n)
		str_addf(out, "\n%zu more rows: --limit 0 shows all, -o csv has their sources\n",
			 v->n - rows);
	if (v->hidden)
		str_addf(out, "\n%zu rows priced in %s are not shown: --currency %s\n", v->hidden,
			 v->hidden_currency, v->hidden_currency);
}

void prices_print(const struct prices_answer *a, size_t limit, const struct out_as *as,
		  struct str *out)
{
	if (as->format == OUT_JSON)
		print_json(a, out);
	else if (as->format == OUT_CSV)
		print_csv(a, out);
	else
		print_table(a, limit, as, out);
}
