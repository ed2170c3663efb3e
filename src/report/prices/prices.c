/* Unknown is "-" in tables, null in JSON, an empty cell in CSV. */
#include "report/prices/prices.h"

#include <math.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "report/grid.h"
#include "report/text.h"
#include "report/cost/view.h"

#define NARROW 96 /* columns: less than this has no room for the days */

static bool in_usd(const struct price_row *r)
{
	return !strcmp(r->currency, "USD");
}

/* ---- JSON and CSV ------------------------------------------------------------------------ */

static bool get_count(const void *row, union col_value *ret)
{
	const struct price_row *r = row;

	ret->x = num_if(r->gpu_milli, (double)r->gpu_milli / 1000);
	return isfinite(ret->x);
}

static bool get_usd_hour(const void *row, union col_value *ret)
{
	const struct price_row *r = row;

	ret->money = r->effective_hour;
	return in_usd(r);
}

static bool get_gpu_hour(const void *row, union col_value *ret)
{
	const struct price_row *r = row;

	ret->money = r->gpu_hour;
	return r->gpu_milli != 0;
}

static bool get_usd_gpu_hour(const void *row, union col_value *ret)
{
	return get_gpu_hour(row, ret) && in_usd(row);
}

static bool get_lo(const void *row, union col_value *ret)
{
	ret->n = ((const struct price_row *)row)->interruption_lo_pct;
	return ret->n >= 0;
}

static bool get_hi(const void *row, union col_value *ret)
{
	ret->n = ((const struct price_row *)row)->interruption_hi_pct;
	return ret->n >= 0;
}

static bool get_per(const void *row, union col_value *ret)
{
	ret->text = "month";
	return ((const struct price_row *)row)->interruption_lo_pct >= 0;
}

static bool get_at(const void *doc, union col_value *ret)
{
	const struct prices_answer *v = doc;

	ret->n = v->at_ms;
	return !v->history && v->at_ms != UNKNOWN_MS;
}

static const struct col row_cols[] = {
	{ "provider", COL_TEXT, offsetof(struct price_row, provider), NULL, "whose offer it is" },
	{ "region", COL_TEXT, offsetof(struct price_row, region), NULL, "null: everywhere" },
	{ "zone", COL_TEXT, offsetof(struct price_row, zone), NULL, "null: the whole region" },
	{ "instance_type", COL_TEXT, offsetof(struct price_row, instance_type), NULL,
	  "null: a GPU without its machine" },
	{ "gpu_model", COL_TEXT, offsetof(struct price_row, gpu_model), NULL,
	  "as the catalogue calls it" },
	{ "gpu_count", COL_NUM, .get = get_count, .unit = "GPUs",
	  .help = "of the machine; parts of one where it is shared", .digits = 3 },
	{ "purchase", COL_TEXT, offsetof(struct price_row, purchase), NULL,
	  "on_demand, spot, reserved, owned ..." },
	{ "term", COL_TEXT, offsetof(struct price_row, term), NULL,
	  "of a commitment, with how it is paid" },
	{ "usd_hour", COL_DEC, .get = get_usd_hour, .unit = "USD/h",
	  .help = "the machine by the hour; null in other currencies" },
	{ "usd_gpu_hour", COL_DEC, .get = get_usd_gpu_hour, .unit = "USD/h",
	  .help = "the same per GPU" },
	{ "currency", COL_TEXT, offsetof(struct price_row, currency), NULL,
	  "of the amounts that follow" },
	{ "hour", COL_DEC, offsetof(struct price_row, effective_hour), "money",
	  "the machine by the hour, upfront spread over the term" },
	{ "gpu_hour", COL_DEC, .get = get_gpu_hour, .unit = "money", .help = "the same per GPU" },
	{ "upfront", COL_DEC, offsetof(struct price_row, upfront), "money",
	  "paid once, for the term" },
	{ "from", COL_TIME, offsetof(struct price_row, from_ms), NULL, "in force since" },
	{ "to", COL_TIME, offsetof(struct price_row, to_ms), NULL,
	  "until, not included; null: still" },
	{ "as_of", COL_TIME, offsetof(struct price_row, as_of_ms), NULL,
	  "the last day its source speaks for" },
	{ "interruption_lo_pct", COL_INT, .get = get_lo, .unit = "%",
	  .help = "spot: at least this share is interrupted" },
	{ "interruption_hi_pct", COL_INT, .get = get_hi, .unit = "%",
	  .help = "at most; 100: open" },
	{ "interruption_per", COL_TEXT, .get = get_per, .unit = NULL,
	  .help = "the span that the shares are of", .json_only = true },
	{ "interruption_as_of", COL_TIME, offsetof(struct price_row, interruption_as_of_ms), NULL,
	  "day of the shares" },
	{ "source", COL_TEXT, offsetof(struct price_row, source), NULL,
	  "where the price was read" },
	{ 0 },
};
static const struct col none_cols[] = {
	{ "provider", COL_TEXT, offsetof(struct not_offered, provider), NULL,
	  "who does not sell it" },
	{ "region", COL_TEXT, offsetof(struct not_offered, region), NULL, "global: nowhere" },
	{ "instance_type", COL_TEXT, offsetof(struct not_offered, instance_type), NULL, "of what" },
	{ "purchase", COL_TEXT, offsetof(struct not_offered, purchase), NULL,
	  "the way to buy, of any length" },
	{ "as_of", COL_DAY, offsetof(struct not_offered, from_ms), NULL,
	  "the day its source speaks for" },
	{ "source", COL_TEXT, offsetof(struct not_offered, source), NULL, "a list that lacks it" },
	{ 0 },
};
static bool get_terms_day(const void *row, union col_value *ret)
{
	ret->n = ((const struct commitment_terms *)row)->as_of_ms;
	return ret->n != UNKNOWN_MS;
}
static const struct col terms_cols[] = {
	{ "provider", COL_TEXT, offsetof(struct commitment_terms, provider), NULL, "whose terms" },
	{ "mechanism", COL_TEXT, offsetof(struct commitment_terms, mechanism), NULL,
	  "what it is called" },
	{ "terms", COL_TEXT, offsetof(struct commitment_terms, terms), NULL, "how long" },
	{ "payment", COL_TEXT, offsetof(struct commitment_terms, payment), NULL,
	  "when it is paid" },
	{ "discount", COL_TEXT, offsetof(struct commitment_terms, discount), NULL,
	  "as the provider says it" },
	{ "max_discount_pct", COL_NUM, offsetof(struct commitment_terms, max_discount_pct), "%",
	  "a ceiling, no price", .digits = 1 },
	{ "as_of", COL_DAY, .get = get_terms_day, .help = "null: the page has no date" },
	{ "source", COL_TEXT, offsetof(struct commitment_terms, source), NULL,
	  "where it was read" },
	{ 0 },
};
static const struct col doc_cols[] = {
	{ "at", COL_TIME, .get = get_at, .help = "the instant asked about; null: a history" },
	{ "rows", COL_LIST(struct prices_answer, row, n, row_cols),
	  .help = "cheapest per GPU-hour first; a history: by place, then time" },
	{ "not_offered", COL_LIST(struct prices_answer, none, nnone, none_cols),
	  .help = "ways to buy that were asked for and are not sold: no price is made up for them" },
	{ "commitment_terms", COL_LIST(struct prices_answer, terms, nterms, terms_cols),
	  .help = "of the provider asked about, where a commitment is asked for" },
	{ "rows_in_other_currencies", COL_SIZE, offsetof(struct prices_answer, hidden), "count",
	  "left out: --currency any has them" },
	{ 0 },
};
const struct col_doc prices_doc = { "tare.price/1", "price", "what GPUs cost, when and where",
				    doc_cols };

/* ---- tables ------------------------------------------------------------------------------ */

static const char *table_money(struct arena *a, const struct price_row *r, bool known, dec v)
{
	char buf[DEC_BUF];
	if (!known)
		return "-";
	dec_format_people(buf, v, 4);
	if (in_usd(r))
		return arena_printf(a, "%s", buf);
	return arena_printf(a, "%s %s", r->currency, buf);
}

static const char *format_name(struct arena *a, const char *z)
{
	return text_if(z, text_line(a, sv_of(z), 0));
}

/* The place with its zone, the purchase with its term: one column each. */
static const char *join_names(struct arena *a, const char *x, const char *y)
{
	if (!y)
		return format_name(a, x);
	return arena_printf(a, "%s (%s)", format_name(a, x), format_name(a, y));
}

enum price_col {
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
	bool flex; /* long names */
	int worth; /* where a line has no room for all of them */
} cols[C_N] = {
	[C_PROVIDER] = { "provider", GRID_LEFT, true, false, 4 },
	[C_REGION] = { "region", GRID_LEFT, true, true, 5 },
	[C_TYPE] = { "instance type", GRID_LEFT, true, true, 6 },
	[C_GPU] = { "GPU", GRID_LEFT, true, true, 3 },
	[C_COUNT] = { "GPUs", GRID_RIGHT, true, false, 2 },
	[C_PURCHASE] = { "purchase", GRID_LEFT, true, true, 7 },
	[C_HOUR] = { "$/h", GRID_RIGHT, false, false, 8 },
	[C_GPU_HOUR] = { "$/GPU-h", GRID_RIGHT, false, false, GRID_ALWAYS },
	[C_BAND] = { "lost/month", GRID_RIGHT, false, false, 1 },
	[C_DAY] = { "as of", GRID_LEFT, false, false, 0 },
	[C_TO] = { "to", GRID_LEFT, false, false, 0 },
};

static const char *format_cell(const struct prices_answer *v, const struct price_row *r,
			       enum price_col k, struct arena *a)
{
	char buf[DEC_BUF];

	switch (k) {
	case C_PROVIDER: return format_name(a, r->provider);
	case C_REGION: return join_names(a, text_or(r->region, "-"), r->zone);
	case C_TYPE: return format_name(a, text_or(r->instance_type, "-"));
	case C_GPU: return format_name(a, text_or(r->gpu_model, "-"));
	case C_COUNT:
		if (!r->gpu_milli)
			return "-";
		dec_format(buf, (dec)r->gpu_milli * (DEC_ONE / 1000));
		return arena_printf(a, "%s", buf);
	case C_PURCHASE: return join_names(a, r->purchase, r->term);
	case C_HOUR: return table_money(a, r, true, r->effective_hour);
	case C_GPU_HOUR: return table_money(a, r, r->gpu_milli != 0, r->gpu_hour);
	case C_BAND:
		if (r->interruption_lo_pct < 0)
			return text_if(r->purchase && !strcmp(r->purchase, "spot"), "-");
		if (r->interruption_hi_pct >= 100)
			return arena_printf(a, ">%d %%", r->interruption_lo_pct);
		return arena_printf(a, "%d-%d %%", r->interruption_lo_pct, r->interruption_hi_pct);
	case C_DAY: return text_day(a, v->history ? r->from_ms : r->as_of_ms);
	case C_TO: return r->to_ms == UNKNOWN_MS ? "" : text_day(a, r->to_ms);
	case C_N: break;
	}
	return "";
}

/* Does a column say the same in the first rows? What it says in *ret. */
static bool says_one_thing(const struct prices_answer *v, size_t rows, enum price_col k,
			   struct arena *a, const char **ret)
{
	*ret = rows ? format_cell(v, &v->row[0], k, a) : "";
	for (size_t i = 1; i < rows; i++)
		if (strcmp(*ret, format_cell(v, &v->row[i], k, a)))
			return false;
	return rows > 0;
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
		lo = min_i64(t, lo);
		hi = max_i64(t, hi);
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
static void fill_grid(const struct prices_answer *v, int width, struct grid *g, size_t rows,
		      struct str *title, struct str *shown_all)
{
	enum price_col shown[C_N];
	size_t n = 0;
	for (int k = 0; k < C_N; k++) {
		const char *same, *whole;
		bool one = says_one_thing(v, rows, (enum price_col)k, &g->mem, &same);

		/* On a narrow terminal the days stand in one line below the table. */
		bool left_out = k == C_BAND && one && !*same;
		if (k == C_TO)
			left_out = !v->history;
		else if (k == C_DAY)
			left_out = !v->history && width < NARROW;
		if (left_out)
			continue;
		if (cols[k].fold && one) {
			if (!strcmp(same, "-"))
				continue;
			struct str *s = shown_all;
			if (says_one_thing(v, v->n, (enum price_col)k, &g->mem, &whole))
				s = title;
			if (k != C_COUNT)
				str_addf(s, "%s%s", text_if(s == title || s->n, " · "), same);
			else
				str_addf(s, "%s%s GPU%s", text_if(s == title || s->n, " · "), same,
					 text_if(strcmp(same, "1"), "s"));
			continue;
		}
		grid_add_col(g, k == C_DAY && v->history ? "from" : cols[k].head, cols[k].align,
			     cols[k].flex && grid_fits_lines());
		grid_worth(g, v->history && k >= C_DAY ? GRID_ALWAYS : cols[k].worth);
		shown[n++] = (enum price_col)k;
	}
	for (size_t i = 0; i < rows; i++) {
		const char **c = grid_add_row(g, GRID_PLAIN);
		for (size_t k = 0; k < n; k++)
			c[k] = format_cell(v, &v->row[i], shown[k], &g->mem);
	}
}

static void print_table(const struct prices_answer *v, size_t limit, const struct out_as *as,
			struct str *out)
{
	struct grid g = { 0 };
	struct str title = { 0 }, shown_all = { 0 };
	char day[TM_BUF];
	bool md = as->format != OUT_TABLE;
	size_t rows = grid_limit(limit, v->n);
	int width = NARROW; /* Markdown: all columns */
	if (!md)
		width = as->width;
	fill_grid(v, width, &g, rows, &title, &shown_all);
	struct str head = { 0 };
	if (v->history)
		str_addz(&head, "Prices over time");
	else
		str_addf(&head, "Prices at %s", tm_format(day, tm_floor(v->at_ms, MS_SECOND)));
	str_addf(&head, "%s · %zu row%s%s%s%s", str_z(&title), v->n, plural(v->n),
		 text_if(!v->history, ", cheapest per GPU-hour first"),
		 text_if(shown_all.n, "; all shown: "), str_z(&shown_all));
	if (md)
		str_addf(out, "**%s**\n", str_z(&head));
	else
		view_fold(out, str_z(&head), width);
	str_addc(out, '\n');
	str_free(&head);
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

	/* "not offered: p5.48xlarge, reserved (SOURCE, DATE)" */
	for (size_t i = 0; i < v->nnone; i++) {
		const struct not_offered *x = &v->none[i];
		bool nowhere = !strcmp(x->region, "global");
		str_addf(out, "%snot offered: %s %s, %s%s%s (%s, %s)\n", text_if(!i, "\n"),
			 x->provider, x->instance_type, x->purchase, text_if(!nowhere, " in "),
			 nowhere ? "" : x->region, x->source, tm_format_date(day, x->from_ms));
	}
	for (size_t i = 0; i < v->nterms; i++) {
		const struct commitment_terms *x = &v->terms[i];
		bool dated = x->as_of_ms != UNKNOWN_MS;
		str_addf(out, "%s%s, %s: %s%s%s%s%s (%s)\n", text_if(!i, "\n"), x->provider,
			 x->mechanism, text_or(x->terms, "length not said"),
			 text_if(x->payment, "; "), text_or(x->payment, ""),
			 text_if(x->discount, "; "), text_or(x->discount, ""),
			 dated ? tm_format_date(day, x->as_of_ms) : "not dated");
	}
	if (v->hidden)
		str_addf(out, "\n%zu rows priced in %s are not shown: --currency %s\n", v->hidden,
			 v->hidden_currency, v->hidden_currency);
}

void prices_print(const struct prices_answer *a, size_t limit, const struct out_as *as,
		  struct str *out)
{
	struct prices_answer first = *a;

	first.n = grid_limit(limit, a->n);
	if (as->format == OUT_JSON)
		cols_doc(&prices_doc, &first, out);
	else if (as->format == OUT_CSV)
		cols_csv(row_cols, first.row, first.n, sizeof *first.row, out);
	else
		print_table(a, limit, as, out);
}
