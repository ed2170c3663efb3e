/* {"schema":"tare.report/1", ...}: the keys of the contract, and more beside them. */
#include "base/str.h"
#include "model/known.h"
#include "report/cost/compare.h"
#include "report/cost/figures.h"
#include "report/formats.h"

#include <math.h>

#include "base/tm.h"
#include "report/text.h"
#include "report/cost/view.h"

/* ---- states ------------------------------------------------------------------------------ */

struct state_sum {
	const char *name;
	struct figure sum;
};

static const struct col state_sum_cols[] = {
	{ "gpu_seconds", COL_SECONDS, offsetof(struct figure, ms), "s",
	  "GPU time in this state; null: nobody can know it", 0 },
	{ "cost", COL_DEC, offsetof(struct figure, cost), "money",
	  "of that time; null: it has no price, or is not known",
	  offsetof(struct figure, has_cost) },
	{ 0 },
};
static const struct col state_cols[] = {
	{ "state", COL_TEXT, offsetof(struct state_sum, name), .help = "busy, idle_held, ..." },
	{ "sum", COL_ROW, offsetof(struct state_sum, sum), .sub = state_sum_cols, .always = true,
	  .help = "of the time in this state; a state known to have none is left out" },
	{ 0 },
};

/* ---- columns beside the rows ------------------------------------------------------------- */

struct column_json {
	const char *value; /* NULL: nobody, not known */
	dec cost;
	bool has_cost;
	int64_t ms;
};

static const struct col column_cols[] = {
	{ "value", COL_TEXT, offsetof(struct column_json, value),
	  .help = "of the dimension; null: nobody, or not known" },
	{ "cost", COL_DEC, offsetof(struct column_json, cost), "money",
	  "null: it has no price, or nobody recorded that time",
	  offsetof(struct column_json, has_cost) },
	{ "gpu_seconds", COL_SECONDS, offsetof(struct column_json, ms), "s",
	  "paid GPU time; null: nobody recorded that time", 0 },
	{ 0 },
};

/* ---- sums: what every row and every total has -------------------------------------------- */

struct sums {
	const struct cube_row *r;
	bool split;   /* idle cost is split over the rows */
	bool compare; /* beside another window */
	const struct state_sum *state;
	size_t nstate;
	const struct column_json *column;
	size_t ncolumn; /* 0: none was asked */
	bool is_pivot;
};

static bool get_measured(const void *row, union col_value *ret)
{
	const struct cube_row *r = row;

	return col_num(text_frac(r->gpu.measured_ms, r->gpu.ms), ret);
}

static bool get_estimated(const void *row, union col_value *ret)
{
	const struct cube_row *r = row;

	return col_num(text_frac(r->gpu.estimated_ms, r->gpu.ms), ret);
}

static bool get_utilisation(const void *row, union col_value *ret)
{
	const struct cube_row *r = row;

	return r->gpu.util_ms != UNKNOWN_I64 &&
	       col_num(text_frac(r->gpu.util_ms, cube_read_ms(r)), ret);
}

static bool get_compare(const void *row, union col_value *ret)
{
	const struct sums *s = row;

	ret->rows.p = &s->r->compare;
	ret->rows.n = 1;
	return s->compare;
}

static bool get_columns(const struct sums *s, bool pivot, union col_value *ret)
{
	ret->rows.p = s->column;
	ret->rows.n = s->ncolumn;
	return s->ncolumn && s->is_pivot == pivot;
}

static bool get_pivot(const void *row, union col_value *ret)
{
	return get_columns(row, true, ret);
}

static bool get_trend(const void *row, union col_value *ret)
{
	return get_columns(row, false, ret);
}

static bool get_gpu_ms(const void *row, union col_value *ret)
{
	ret->n = figures_of(row).gpu_ms;
	return ret->n != UNKNOWN_MS;
}

static bool get_unpriced_ms(const void *row, union col_value *ret)
{
	ret->n = figures_of(row).unpriced_ms;
	return ret->n != UNKNOWN_MS;
}

static bool get_other(const void *row, union col_value *ret)
{
	struct figures f = figures_of(row);

	ret->money = f.other;
	return f.has_other;
}

static bool get_idle(const void *row, union col_value *ret)
{
	struct figures f = figures_of(row);

	ret->money = f.idle;
	return f.has_idle;
}

static bool get_waste(const void *row, union col_value *ret)
{
	struct figures f = figures_of(row);

	ret->money = f.waste;
	return f.has_waste;
}

#define IF_PRICED offsetof(struct cube_row, has_cost)
static const struct col cost_cols[] = {
	{ "gpu_seconds", COL_SECONDS, .get = get_gpu_ms, .unit = "s",
	  .help = "paid GPU time; null: of a step of time that nobody recorded" },
	{ "cost", COL_DEC, offsetof(struct cube_row, cost), "money",
	  "all of it; null: none of it has a price, or nobody recorded it", IF_PRICED },
	{ 0 },
};
static const struct col split_cols[] = {
	{ "direct_cost", COL_DEC, offsetof(struct cube_row, direct), "money",
	  "before the idle cost is split", IF_PRICED },
	{ "idle_share_cost", COL_DEC, .get = get_idle, .unit = "money",
	  .help = "its share of the idle cost; null: none of it has a price" },
	{ 0 },
};
static const struct col use_cols[] = {
	{ "other_cost", COL_DEC, .get = get_other, .unit = "money",
	  .help = "of what is no GPU time: storage, network, ..." },
	{ "waste_cost", COL_DEC, .get = get_waste, .unit = "money",
	  .help = "of time that did no work; null: nobody can know it" },
	{ "unpriced_gpu_seconds", COL_SECONDS, .get = get_unpriced_ms, .unit = "s",
	  .help = "GPU time without a price" },
	{ "measured_frac", COL_NUM, .get = get_measured, .digits = 6,
	  .help = "measured part of the GPU time" },
	{ "estimated_frac", COL_NUM, .get = get_estimated, .digits = 6,
	  .help = "estimated part of the GPU time" },
	{ "utilisation_frac", COL_NUM, .get = get_utilisation, .digits = 6,
	  .help = "mean over time that has a reading; null: none has" },
	{ 0 },
};
static const struct col sums_cols[] = {
	{ "cost", COL_ROW, COL_BEHIND(struct sums, r), .sub = cost_cols, .here = true },
	{ "split", COL_ROW, COL_BEHIND(struct sums, r), .has_at = offsetof(struct sums, split),
	  .sub = split_cols, .here = true, .optional = true },
	{ "compare", COL_ROW, .get = get_compare, .sub = compare_cols, .here = true,
	  .optional = true },
	{ "use", COL_ROW, COL_BEHIND(struct sums, r), .sub = use_cols, .here = true },
	{ "states", COL_PAIRS(struct sums, state, nstate, state_cols),
	  .help = "time and cost by what the GPUs did" },
	{ "pivot", COL_ROWS, .get = get_pivot, .size = sizeof(struct column_json),
	  .sub = column_cols, .optional = true, .help = "the same by the dimension in columns" },
	{ "trend", COL_ROWS, .get = get_trend, .size = sizeof(struct column_json),
	  .sub = column_cols, .optional = true, .help = "the same over time" },
	{ 0 },
};

static struct sums sums_of(const struct report_in *in, const struct cube_row *r, struct arena *mem)
{
	struct state_sum *v = arena_zalloc(mem, STATE_N * sizeof *v);
	size_t n = 0;

	for (int s = STATE_NONE + 1; s < STATE_N; s++) {
		struct figure f = figure_of(r, s);
		if (f.ms || f.cost)
			v[n++] = (struct state_sum){ state_name(s), f };
	}
	struct sums ret = { r, in->split != SPLIT_NONE, in->compare != NULL, v, n };
	if (cube_series(in)) {
		const struct report_series *s = cube_series(in);
		struct column_json *columns = arena_zalloc(mem, (s->step.n + 1) * sizeof *columns);

		for (size_t i = 0; i < s->step.n; i++) {
			const char *value = s->step.value[i];
			bool recorded = r->column[i].any || (s->step.recorded[i] && !r->unrecorded);
			columns[i].value = filled_or(value, NULL);
			columns[i].has_cost = cube_column(s, r, i, &columns[i].cost);
			columns[i].ms = i64_if(recorded, r->column[i].ms);
		}
		ret.column = columns;
		ret.ncolumn = cube_series(in)->step.n;
		ret.is_pivot = in->pivot != NULL;
	}
	return ret;
}

/* ---- rows -------------------------------------------------------------------------------- */

struct dim_value {
	const char *dim, *value; /* NULL: nobody, nothing */
};
struct row_json {
	struct sums sums;
	const char *currency;
	const struct dim_value *dim;
	size_t ndim, folded;
};

static bool get_folded(const void *row, union col_value *ret)
{
	ret->n = (int64_t)((const struct row_json *)row)->folded;
	return ret->n > 0;
}

static bool get_rest(const void *row, union col_value *ret)
{
	ret->yes = ((const struct row_json *)row)->sums.r->is_rest;
	return ret->yes;
}

static const struct col dim_cols[] = {
	{ "dimension", COL_TEXT, offsetof(struct dim_value, dim), .help = "as asked by --by" },
	{ "value", COL_TEXT, offsetof(struct dim_value, value),
	  .help = "of a dimension asked by --by; null: nobody, or not known" },
	{ 0 },
};
static const struct col row_cols[] = {
	{ "dimensions", COL_PAIRS(struct row_json, dim, ndim, dim_cols), .here = true },
	{ "currency", COL_TEXT, offsetof(struct row_json, currency), .help = "of the amounts" },
	{ "unallocated", COL_BOOL, .get = get_rest, .optional = true,
	  .help = "true: what nobody used and the split gave to nobody" },
	{ "rest_rows", COL_INT, .get = get_folded, .unit = "count", .optional = true,
	  .help = "the row is the sum of so many that --top leaves out" },
	{ "sums", COL_ROW, offsetof(struct row_json, sums), .sub = sums_cols, .here = true },
	{ 0 },
};

/* ---- the bill ---------------------------------------------------------------------------- */

struct fraction {
	const char *numerator, *denominator;
};
struct bill_json {
	dec billed, ledger, difference, unbilled, remainder;
	bool has_billed, has_ledger, partial;
	int64_t unpriced_ms, unknown;
	struct fraction rest;
};

/* num / (3,600,000 x 10^12) of the currency, reduced: what no decimal can say. */
static struct fraction exact_rest(__int128 num, struct arena *mem)
{
	__int128 den = (__int128)MS_HOUR * DEC_ONE, a = dec_size(num), b = den;
	char digits[2][48];

	while (b) {
		__int128 t = a % b;
		a = b;
		b = t;
	}
	for (int i = 0; i < 2; i++) {
		__int128 v = (i ? den : num) / a;
		char *p = digits[i] + sizeof digits[i];
		bool neg = v < 0;
		*--p = 0;
		do
			*--p = (char)('0' + (int)(neg ? -(v % 10) : v % 10));
		while (v /= 10);
		if (neg)
			*--p = '-';
		memmove(digits[i], p, strlen(p) + 1);
	}
	return (struct fraction){ arena_printf(mem, "%s", digits[0]),
				  arena_printf(mem, "%s", digits[1]) };
}

static const struct col fraction_cols[] = {
	{ "numerator", COL_TEXT, offsetof(struct fraction, numerator), .always = true,
	  .help = "a whole number" },
	{ "denominator", COL_TEXT, offsetof(struct fraction, denominator), .always = true,
	  .help = "a whole number" },
	{ 0 },
};
#define IF_LEDGER offsetof(struct bill_json, has_ledger)
static const struct col bill_cols[] = {
	{ "billed", COL_DEC, offsetof(struct bill_json, billed), "money",
	  "as the bills say; null: none covers the window",
	  offsetof(struct bill_json, has_billed) },
	{ "ledger", COL_DEC, offsetof(struct bill_json, ledger), "money",
	  "the same in the ledger: what comes from bills where there is one, else all", IF_LEDGER },
	{ "difference", COL_DEC, offsetof(struct bill_json, difference), "money",
	  "what the ledger lacks", IF_LEDGER },
	{ "unpriced_gpu_seconds", COL_SECONDS, offsetof(struct bill_json, unpriced_ms), "s",
	  "GPU time without a price", .always = true },
	{ "unbilled", COL_DEC, offsetof(struct bill_json, unbilled), "money",
	  "priced by other means than a bill", IF_LEDGER },
	{ "remainder", COL_DEC, offsetof(struct bill_json, remainder), "money",
	  "what rounding left", 0 },
	{ "remainder_exact", COL_ROW, offsetof(struct bill_json, rest), .sub = fraction_cols,
	  .help = "the same, as a fraction of one unit of the currency" },
	{ "partial", COL_BOOL, offsetof(struct bill_json, partial),
	  .help = "charge periods reach over the ends of the window" },
	{ "lines_without_cost", COL_INT, offsetof(struct bill_json, unknown), "count",
	  "lines of the bills that have no cost in this basis: in no sum", 0 },
	{ 0 },
};

/* blank: where no cost is known at all, a sum of nothing is not 0 */
static struct bill_json bill_of(const struct report_reconcile *r, bool blank, struct arena *mem)
{
	return (struct bill_json){
		.billed = r->billed,
		.has_billed = r->has_bill && !blank,
		.ledger = reconcile_ledger(r),
		.difference = reconcile_difference(r),
		.has_ledger = !blank,
		.unpriced_ms = r->unpriced_ms,
		.unbilled = r->unbilled,
		.remainder = r->remainder,
		.rest = exact_rest(r->rest_num, mem),
		.partial = r->partial,
		.unknown = r->lines_unknown,
	};
}

/* ---- in one currency --------------------------------------------------------------------- */

struct exchanged_json {
	const struct report_exchanged *x;
	const char *to;
	struct bill_json bill;
	bool has_bill;
};

static bool take_day(int64_t day_ms, union col_value *ret)
{
	ret->n = day_ms;
	return day_ms != UNKNOWN_MS;
}

static bool get_left_from(const void *row, union col_value *ret)
{
	return take_day(((const struct exchanged_json *)row)->x->left_from_ms, ret);
}

static bool get_left_to(const void *row, union col_value *ret)
{
	return take_day(((const struct exchanged_json *)row)->x->left_to_ms, ret);
}

static const struct col exchanged_cols[] = {
	{ "currency", COL_TEXT, COL_VIA(struct exchanged_json, x, currency), .always = true,
	  .help = "of rows, or of a bill" },
	{ "cost", COL_DEC, COL_VIA(struct exchanged_json, x, cost), .unit = "money",
	  .help = "of the rows in it, in it" },
	{ "to", COL_TEXT, offsetof(struct exchanged_json, to), .always = true,
	  .help = "the currency asked for" },
	{ "converted", COL_DEC, COL_VIA(struct exchanged_json, x, converted), .unit = "money",
	  .help = "what came of it, in the currency asked for" },
	{ "not_converted", COL_DEC, COL_VIA(struct exchanged_json, x, left), .unit = "money",
	  .help = "without a rate: in rows of its own currency" },
	{ "no_rate_since", COL_DAY, .get = get_left_from,
	  .help = "first day without a rate; null: none lacks it" },
	{ "no_rate_until", COL_DAY, .get = get_left_to, .help = "last day without a rate" },
	{ "reconcile", COL_ROW, offsetof(struct exchanged_json, bill),
	  .has_at = offsetof(struct exchanged_json, has_bill), .sub = bill_cols,
	  .help = "the ledger beside the bills, in this currency" },
	{ 0 },
};

/* ---- a currency -------------------------------------------------------------------------- */

struct left_json {
	size_t rows;
	struct sums sums;
};
struct block_json {
	const char *currency;
	struct sums total;
	struct left_json left;
	bool has_left, has_bill;
	struct bill_json bill;
};

/* Share of the paid GPU time whose state is known. */
static bool get_coverage(const void *row, union col_value *ret)
{
	const struct cube_row *t = ((const struct block_json *)row)->total.r;

	return col_num(text_frac(t->gpu.ms - t->state[STATE_UNKNOWN].ms, t->gpu.ms), ret);
}

static const struct col left_cols[] = {
	{ "rows", COL_SIZE, offsetof(struct left_json, rows), "count", "how many", 0 },
	{ "sums", COL_ROW, offsetof(struct left_json, sums), .sub = sums_cols, .here = true },
	{ 0 },
};
#define COVERAGE_HELP "part of the paid GPU time whose state is known"
#define MEASURED_HELP "part of the paid GPU time that was measured"
static const struct col block_cols[] = {
	{ "total", COL_ROW, offsetof(struct block_json, total), .sub = sums_cols,
	  .help = "of all rows, those that are left out too" },
	{ "left_out", COL_ROW, offsetof(struct block_json, left),
	  .has_at = offsetof(struct block_json, has_left), .sub = left_cols, .optional = true,
	  .help = "rows beyond --limit" },
	{ "reconcile", COL_ROW, offsetof(struct block_json, bill),
	  .has_at = offsetof(struct block_json, has_bill), .sub = bill_cols,
	  .help = "the ledger beside the bills; null with --currency: see exchanged" },
	{ "coverage_frac", COL_NUM, .get = get_coverage, .digits = 6, .help = COVERAGE_HELP },
	{ "measured_frac", COL_NUM, COL_BEHIND(struct block_json, total.r), .get = get_measured,
	  .digits = 6, .help = MEASURED_HELP },
	{ 0 },
};
static const struct col currency_cols[] = {
	{ "currency", COL_TEXT, offsetof(struct block_json, currency),
	  .help = "of the amounts in this object" },
	{ "block", COL_ROW, 0, .sub = block_cols, .here = true },
	{ 0 },
};

/* ---- the whole --------------------------------------------------------------------------- */

const struct col report_window_cols[] = {
	{ "since", COL_TIME, offsetof(struct report_window, since_ms), NULL,
	  "null: from the first there is", 0 },
	{ "until", COL_TIME, offsetof(struct report_window, until_ms), NULL,
	  "not included; null: to the last there is", 0 },
	{ 0 },
};

/* Time of several currencies can be added, money not: amounts of the whole are null and stand by
 * currency. */
struct whole_json {
	int64_t ms, unpriced_ms, unknown_ms, measured_ms;
};
struct report_json {
	struct report_window window;
	const char *basis, *split, *where, *compare_with, *pivot, *trend;
	const struct compare_answer *compare; /* NULL: not */
	const struct row_json *row;
	size_t nrow;
	const struct block_json *block;
	size_t nblock;
	const struct exchanged_json *exchanged; /* NULL: amounts are as they are */
	size_t nexchanged;
	struct whole_json whole;
};

static bool get_exchanged(const void *row, union col_value *ret)
{
	const struct report_json *doc = row;

	ret->rows.p = doc->exchanged;
	ret->rows.n = doc->nexchanged;
	return doc->exchanged != NULL;
}

static bool get_whole_coverage(const void *row, union col_value *ret)
{
	const struct whole_json *t = &((const struct report_json *)row)->whole;

	return col_num(text_frac(t->ms - t->unknown_ms, t->ms), ret);
}

static bool get_whole_measured(const void *row, union col_value *ret)
{
	const struct whole_json *t = &((const struct report_json *)row)->whole;

	return col_num(text_frac(t->measured_ms, t->ms), ret);
}

#define WINDOW_COL                                                                \
	{                                                                         \
		"window", COL_ROW, offsetof(struct report_json, window),          \
			.sub = report_window_cols, .help = "the time asked about" \
	}
static const struct col asked_cols[] = {
	{ "basis", COL_TEXT, offsetof(struct report_json, basis), .always = true,
	  .help = "how amounts are counted: effective, billed, ..." },
	{ "split_idle", COL_TEXT, offsetof(struct report_json, split), .always = true,
	  .help = "how idle cost is split over the rows" },
	{ "where", COL_TEXT, offsetof(struct report_json, where),
	  .help = "the filter; null: none" },
	{ "pivot_by", COL_TEXT, offsetof(struct report_json, pivot), .optional = true,
	  .help = "the dimension in columns, as asked by --pivot" },
	{ "trend_by", COL_TEXT, offsetof(struct report_json, trend), .optional = true,
	  .help = "the steps of the trend: hour, day or week" },
	{ "compare", COL_TEXT, offsetof(struct report_json, compare_with), .optional = true,
	  .help = "with which other window rows are compared, as asked by --compare" },
	{ "compare_windows", COL_ROW, COL_BEHIND(struct report_json, compare),
	  .sub = compare_doc_cols, .optional = true, .help = "the two windows" },
	{ "rows", COL_LIST(struct report_json, row, nrow, row_cols),
	  .help = "one per combination of the dimensions, and currency" },
	{ "exchanged", COL_ROWS, .get = get_exchanged, .size = sizeof(struct exchanged_json),
	  .sub = exchanged_cols, .optional = true,
	  .help = "with --currency: what of each currency was brought to it" },
	{ 0 },
};
static const struct col one_cols[] = {
	WINDOW_COL,
	{ "currency", COL_TEXT, COL_VIA(struct report_json, block, currency),
	  .help = "of all amounts" },
	{ "asked", COL_ROW, 0, .sub = asked_cols, .here = true },
	{ "block", COL_ROW, COL_BEHIND(struct report_json, block), .sub = block_cols,
	  .here = true },
	{ 0 },
};

#define NO_SUM(name)                                                     \
	{                                                                \
		name, COL_DEC, .get = col_never, .unit = "money",        \
			       .help = "null: amounts stand by currency" \
	}
static const struct col whole_total_cols[] = {
	{ "gpu_seconds", COL_SECONDS, offsetof(struct whole_json, ms), "s", "paid GPU time",
	  .always = true },
	NO_SUM("cost"),
	{ 0 },
};
static const struct col whole_bill_cols[] = {
	NO_SUM("billed"),
	NO_SUM("ledger"),
	NO_SUM("difference"),
	{ "unpriced_gpu_seconds", COL_SECONDS, offsetof(struct whole_json, unpriced_ms), "s",
	  "GPU time without a price", .always = true },
	{ 0 },
};
static const struct col many_cols[] = {
	WINDOW_COL,
	{ "currency", COL_TEXT, .get = col_never, .help = "null: there is none, or several" },
	{ "asked", COL_ROW, 0, .sub = asked_cols, .here = true },
	{ "total", COL_ROW, offsetof(struct report_json, whole), .sub = whole_total_cols,
	  .help = "of all currencies" },
	{ "reconcile", COL_ROW, offsetof(struct report_json, whole), .sub = whole_bill_cols,
	  .help = "of all currencies" },
	{ "coverage_frac", COL_NUM, .get = get_whole_coverage, .digits = 6, .help = COVERAGE_HELP },
	{ "measured_frac", COL_NUM, .get = get_whole_measured, .digits = 6, .help = MEASURED_HELP },
	{ "currencies", COL_LIST(struct report_json, block, nblock, currency_cols),
	  .help = "an object each: their amounts are never added" },
	{ 0 },
};
static const struct col_doc many_doc = { "tare.report/1", "report",
					 "of several currencies, or none", many_cols };
const struct col_doc report_doc = { "tare.report/1", "report", "cost and GPU time by dimensions",
				    one_cols, &many_doc };

void report_json(const struct report_in *in, const struct cube *c, struct str *out)
{
	struct arena mem = { 0 };
	struct report_json doc = { .window = { in->since_ms, in->until_ms },
				   .basis = basis_name(in->basis),
				   .split = idle_split_name(in->split),
				   .where = in->where,
				   .compare_with = in->compare_with,
				   .compare = in->compare };

	if (in->pivot)
		doc.pivot = in->pivot->dim;
	else if (in->trend)
		doc.trend = in->trend->dim;

	struct block_json *block = arena_zalloc(&mem, (c->nblock + 1) * sizeof *block);
	struct row_json *row;

	for (size_t i = 0; i < c->nblock; i++) {
		const struct cube_block *k = &c->block[i];
		struct block_json ret = { .currency = k->currency, .has_left = k->nleft > 0 };

		ret.total = sums_of(in, &k->total, &mem);
		ret.left = (struct left_json){ k->nleft, sums_of(in, &k->left, &mem) };
		ret.has_bill = !in->exchanged_to;

		static const struct report_reconcile nothing = { 0 };
		const struct report_reconcile *r = k->reconcile ? k->reconcile : &nothing;
		ret.bill = bill_of(r, reconcile_blank(in, &k->total, r), &mem);
		block[i] = ret;
		const struct cube_row *t = &c->block[i].total;
		struct whole_json *sum = &doc.whole;
		sum->ms += t->gpu.ms;
		sum->unpriced_ms += t->gpu.unpriced_ms;
		sum->unknown_ms += t->state[STATE_UNKNOWN].ms;
		sum->measured_ms += t->gpu.measured_ms;
		doc.nrow += c->block[i].nrow;
	}
	doc.block = block;
	doc.nblock = c->nblock;
	doc.row = row = arena_zalloc(&mem, (doc.nrow + 1) * sizeof *row);
	for (size_t i = 0; i < c->nblock; i++)
		for (size_t r = 0; r < c->block[i].nrow; r++) {
			const struct cube_row *x = &c->block[i].row[r];
			struct dim_value *v = arena_zalloc(&mem, (in->ndim + 1) * sizeof *v);

			for (size_t d = 0; d < in->ndim; d++)
				v[d] = (struct dim_value){ in->dim[d], filled_or(x->dim[d], NULL) };
			*row++ = (struct row_json){ sums_of(in, x, &mem), x->currency, v, in->ndim,
						    x->folded };
		}
	if (in->exchanged_to) {
		static const struct report_reconcile nothing = { 0 };
		struct exchanged_json *v = arena_zalloc(&mem, (in->nexchanged + 1) * sizeof *v);

		for (size_t i = 0; i < in->nexchanged; i++) {
			const struct report_reconcile *r = in->exchanged[i].reconcile;
			v[i] = (struct exchanged_json){ &in->exchanged[i], in->exchanged_to,
							bill_of(r ? r : &nothing,
								r && reconcile_none_known(r), &mem),
							r != NULL };
		}
		doc.exchanged = v;
		doc.nexchanged = in->nexchanged;
	}
	cols_doc(c->nblock == 1 ? &report_doc : &many_doc, &doc, out);
	arena_free(&mem);
}
