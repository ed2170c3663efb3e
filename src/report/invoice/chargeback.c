#include "report/invoice/chargeback.h"

#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "ledger/round.h"
#include "report/grid.h"
#include "report/invoice/charge_lines.h"
#include "report/formats.h"
#include "report/invoice/invoice.h"
#include "report/text.h"
#include "report/cost/view.h"
#include "report/xlsx.h"

/* ---- table, Markdown --------------------------------------------------------------------- */

/* The GPU time that a row's cost is for: of what nobody held and nobody is charged all of it; what
 * a split gave of that to others is no time of theirs. */
static int64_t shown_ms(const struct report_in *in, const struct cube_row *r)
{
	if (r->is_rest || in->split == SPLIT_NONE)
		return r->gpu.ms;
	return cube_allocated_ms(r);
}

enum { SHOWN_DIRECT, SHOWN_IDLE, SHOWN_SHARED, SHOWN_PARTS };

struct shown { /* a row of the table */
	const struct cube_row *r;
	int64_t ms;
	int64_t units[SHOWN_PARTS]; /* as printed, in charge_unit() */
	enum grid_style style;
	const char *name, *of_all;
};

static void showback_row(const struct cube_block *k, const struct shown *row, struct grid *g)
{
	const struct cube_row *r = row->r;
	const char **c = grid_add_row(g, row->style);
	const int64_t *u = row->units;

	c[0] = row->name;
	c[1] = text_gpu_hours(&g->mem, row->ms, view_hour_digits(k->total.gpu.ms));
	c[2] = text_or_dash(r->has_cost, charge_money(&g->mem, k, u[SHOWN_DIRECT], r->direct));
	c[3] = text_or_dash(r->has_cost && cube_idle_known(r),
			    charge_money(&g->mem, k, u[SHOWN_IDLE], r->idle));
	c[4] = text_or_dash(r->has_cost, charge_money(&g->mem, k, u[SHOWN_SHARED], r->shared));
	c[5] = text_or_dash(r->has_cost,
			    charge_money(&g->mem, k,
					 u[SHOWN_DIRECT] + u[SHOWN_IDLE] + u[SHOWN_SHARED],
					 r->cost));
	c[6] = text_or_dash(r->has_cost, row->of_all);
}

/* The amounts of a row, as printed: they add up to what is printed of it. */
static void share_units(const struct cube_block *k, const struct cube_row *r, int64_t units,
			int64_t *ret)
{
	const dec part[SHOWN_PARTS] = { r->direct, r->idle, r->shared };
	struct round_rem rem[SHOWN_PARTS];

	round_parts(rem, SHOWN_PARTS, part, charge_unit(k), units, ret);
}

/* What is printed of each row and of those that are left out, ret [k->nrow + 1]: rounded together,
 * so that rows and total agree. */
static void row_units(const struct cube_block *k, int64_t *ret)
{
	dec all = 0, one = charge_unit(k), rem;
	int64_t rows = 0;

	charge_row_units(k, ret);
	ret[k->nrow] = 0;
	if (!k->nleft)
		return;
	for (size_t i = 0; i < k->nrow; i++) {
		all += k->row[i].cost;
		rows += ret[i];
	}
	all += k->left.cost;
	int64_t least = (int64_t)round_down(k->left.cost, one, &rem);
	ret[k->nrow] = (int64_t)div_half_even(all, one) - rows;
	ret[k->nrow] = max_i64(ret[k->nrow], least);
	ret[k->nrow] = min_i64(ret[k->nrow], least + (rem > 0));
}

static void showback_grid(const struct report_in *in, const struct cube_block *k, struct grid *g)
{
	static const char *const heads[] = { "GPU·h",  "direct", "idle share",
					     "shared", "total",  "of all" };
	static const int worth[] = { 2, 3, 4, 4, GRID_ALWAYS, 1 };

	grid_add_name(g, in->dim[0]);
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		grid_add_figure(g, heads[i], worth[i]);

	/* Of each row its part of the whole cost, credits below zero; the last one is what the
	 * limit leaves out. */
	char **of_all = arena_zalloc(&g->mem, (k->nrow + 1) * sizeof *of_all);
	__int128 *cost = xcalloc(k->nrow + 1, sizeof *cost);

	for (size_t i = 0; i <= k->nrow; i++)
		cost[i] = (i < k->nrow ? &k->row[i] : &k->left)->cost;
	text_shares(&g->mem, k->total.cost, k->nrow + 1, cost, of_all);
	free(cost);

	int64_t *units = arena_zalloc(&g->mem, (k->nrow + 1) * sizeof *units);
	struct shown total = { .r = &k->total,
			       .ms = k->nleft ? shown_ms(in, &k->left) : 0,
			       .style = GRID_TOTAL,
			       .name = "",
			       .of_all = text_share(&g->mem, k->total.cost, k->total.cost) };

	row_units(k, units);
	for (size_t i = 0; i < k->nrow; i++) {
		struct shown row = { .r = &k->row[i],
				     .ms = shown_ms(in, &k->row[i]),
				     .style = GRID_PLAIN,
				     .name = charge_row_name(&g->mem, in, &k->row[i]),
				     .of_all = of_all[i] };
		share_units(k, row.r, units[i], row.units);
		for (int p = 0; p < SHOWN_PARTS; p++)
			total.units[p] += row.units[p];
		showback_row(k, &row, g);
		total.ms += row.ms;
	}
	if (k->nleft) {
		struct shown left = { .r = &k->left,
				      .ms = shown_ms(in, &k->left),
				      .style = GRID_FAINT,
				      .name = arena_printf(&g->mem, "(%zu more)", k->nleft),
				      .of_all = of_all[k->nrow] };
		share_units(k, left.r, units[k->nrow], left.units);
		for (int p = 0; p < SHOWN_PARTS; p++)
			total.units[p] += left.units[p];
		showback_row(k, &left, g);
	}
	showback_row(k, &total, g);
}

static void invoice_grid(const struct report_in *in, const struct cube_block *k,
			 const charge_lines *l, struct grid *g)
{
	const struct cube_row *last = NULL;
	int64_t units = 0, row = 0;

	grid_add_name(g, in->dim[0]);
	grid_add_name(g, "line");
	grid_add_figure(g, "GPU·h", 0);
	grid_add_figure(g, "amount", GRID_ALWAYS);
	grid_add_figure(g, "total", 1);
	for (size_t i = 0; i < l->n; i++) {
		const struct charge_line *x = &l->v[i];
		const char **c = grid_add_row(g, grid_faint(!x->row));
		bool ends = i + 1 == l->n || l->v[i + 1].row != x->row || !x->row;
		c[0] = x->row && x->row == last ? "" : charge_row_name(&g->mem, in, x->row);
		c[1] = charge_line_words(&g->mem, in, x);
		if (x->ms)
			c[2] = text_gpu_hours(&g->mem, x->ms, view_hour_digits(k->total.gpu.ms));
		else
			c[2] = "";
		c[3] = text_or_dash(!x->unpriced, charge_money(&g->mem, k, x->units, x->amount));
		units += x->units;
		row += x->units;
		last = x->row;
		if (!ends) {
			c[4] = "";
			continue;
		}
		c[4] = charge_money(&g->mem, k, row, x->row ? x->row->cost : x->amount);
		if (x->row && !x->row->has_cost)
			c[4] = "-";
		row = 0;
	}
	const char **c = grid_add_row(g, GRID_TOTAL);
	c[2] = text_gpu_hours(&g->mem, k->total.gpu.ms, view_hour_digits(k->total.gpu.ms));
	dec sum = charge_lines_sum(l);
	c[4] = text_or_dash(k->total.has_cost || sum, charge_money(&g->mem, k, units, sum));
}

/* "Cost centres: CC-1 20.00 · CC-2 10.00 · none 5.00": what the lines of each add up to, which the
 * journal leaves to who reads it. NULL: there are none. */
static const char *centers_line(struct arena *a, const struct report_in *in,
				const struct cube_block *k, const charge_lines *l)
{
	struct intern name = { 0 };
	struct str s = { 0 };
	int64_t *units = arena_zalloc(a, (l->n + 1) * sizeof *units);
	dec *amount = arena_zalloc(a, (l->n + 1) * sizeof *amount);
	const char *ret = NULL;

	for (int none = 0; none < 2; none++) /* those that have none last */
		for (size_t i = 0; i < l->n; i++) {
			const struct charge_line *x = &l->v[i];
			const char *center = x->row ? invoice_cost_center(in, x->row->dim) : "";
			if ((*center == 0) != none)
				continue;
			uint32_t id = intern_add(&name, sv_of(center));
			units[id] += x->units;
			amount[id] += x->amount;
		}
	for (size_t i = 0; i < name.n; i++)
		str_addf(&s, "%s%s %s", i ? " · " : "Cost centres: ",
			 filled_or(text_line(a, name.text[i], 0), "none"),
			 charge_money(a, k, units[i], amount[i]));
	if (name.n && name.text[0].n)
		ret = arena_printf(a, "%s\n", str_z(&s));
	str_free(&s);
	intern_free(&name);
	return ret;
}

/* ---- CSV --------------------------------------------------------------------------------- */

static void journal_time(struct str *out, int64_t ms)
{
	char buf[TM_BUF];

	str_addf(out, "%s,", ms == UNKNOWN_MS ? "" : tm_format(buf, ms));
}

static void write_journal(const struct report_in *in, const struct cube *c, struct str *out)
{
	char buf[DEC_BUF];

	str_addz(out, "since,until,");
	csv_heads(in, out);
	str_addz(out, "line,kind,gpu_seconds,amount,currency,basis,split_idle,cost_center\n");
	csv_end_head(in, out);
	for (size_t b = 0; b < c->nblock; b++) {
		charge_lines l = { 0 };
		charge_block_lines(in, &c->block[b], &l);
		for (size_t i = 0; i < l.n; i++) {
			journal_time(out, in->since_ms);
			journal_time(out, in->until_ms);
			csv_dims(in, l.v[i].row, out);
			str_addf(out, "%s,%s,", charge_line_names[l.v[i].line],
				 l.v[i].kind >= 0 ? kind_name((enum kind)l.v[i].kind) : "");
			str_addf(out, "%s,", text_seconds(buf, l.v[i].ms));
			str_addf(out, "%s,", l.v[i].unpriced ? "" : dec_format(buf, l.v[i].amount));
			text_csv(out, sv_of(c->block[b].currency));
			str_addf(out, ",%s,%s,", basis_name(in->basis), idle_split_name(in->split));
			if (l.v[i].row)
				text_csv(out, sv_of(invoice_cost_center(in, l.v[i].row->dim)));
			str_addc(out, '\n');
			csv_end(in, l.v[i].row, out);
		}
		vec_free(&l);
	}
}

/* ---- workbook: the journal, a sheet for each currency -------------------------------------- */

static const struct xlsx_col journal_cols[] = {
	{ "line", XLSX_TEXT },       { "kind", XLSX_TEXT },        { "gpu_hours", XLSX_HOURS },
	{ "amount", XLSX_MONEY },    { "currency", XLSX_TEXT },    { "basis", XLSX_TEXT },
	{ "split_idle", XLSX_TEXT }, { "cost_center", XLSX_TEXT }, { "since", XLSX_TIME },
	{ "until", XLSX_TIME },
};
#define JOURNAL_COLS (sizeof journal_cols / sizeof *journal_cols)

static struct xlsx_cell text_cell(const char *text)
{
	return (struct xlsx_cell){ .text = text, .known = *text != 0 };
}

/* An end of the window; one that is open is an empty cell. */
static struct xlsx_cell instant_cell(struct arena *a, int64_t ms)
{
	char buf[TM_BUF];

	return text_cell(ms == UNKNOWN_MS ? "" : arena_printf(a, "%s", tm_format(buf, ms)));
}

static int write_workbook(const struct report_in *in, const struct cube *c, struct str *out,
			  struct err *err)
{
	struct arena a = { 0 };
	struct xlsx_sheet *sheet = arena_alloc(&a, (c->nblock + 1) * sizeof *sheet);
	struct xlsx_note *note = arena_alloc(&a, (2 * c->nblock + 1) * sizeof *note);

	for (size_t i = 0; i < c->nblock; i++) {
		size_t ncol = in->ndim + JOURNAL_COLS;
		struct xlsx_col *col = arena_alloc(&a, ncol * sizeof *col);
		charge_lines l = { 0 };

		for (size_t j = 0; j < ncol; j++) {
			if (j < in->ndim)
				col[j] = (struct xlsx_col){ in->dim[j], XLSX_TEXT };
			else
				col[j] = journal_cols[j - in->ndim];
		}
		charge_block_lines(in, &c->block[i], &l);
		struct xlsx_cell *cell = arena_zalloc(&a, (l.n + 1) * ncol * sizeof *cell);
		struct xlsx_cell *next = cell;
		for (size_t j = 0; j < l.n; j++) {
			const struct charge_line *x = &l.v[j];
			for (size_t d = 0; d < in->ndim; d++)
				*next++ = text_cell(x->row ? x->row->dim[d] : "");
			*next++ = text_cell(charge_line_names[x->line]);
			*next++ = text_cell(x->kind >= 0 ? kind_name((enum kind)x->kind) : "");
			*next++ = (struct xlsx_cell){ .n = x->ms, .known = true };
			*next++ = (struct xlsx_cell){ .money = x->amount, .known = !x->unpriced };
			*next++ = text_cell(c->block[i].currency);
			*next++ = text_cell(basis_name(in->basis));
			*next++ = text_cell(idle_split_name(in->split));
			*next++ = text_cell(x->row ? invoice_cost_center(in, x->row->dim) : "");
			*next++ = instant_cell(&a, in->since_ms);
			*next++ = instant_cell(&a, in->until_ms);
		}
		struct xlsx_sheet journal_sheet = {
			c->block[i].currency, col, ncol, cell, l.n, true, NULL
		};
		vec_free(&l);
		sheet[i] = journal_sheet;
		note[2 * i] = (struct xlsx_note){ c->block[i].currency,
						  view_title(&a, in, &c->block[i]) };
		note[2 * i + 1] = (struct xlsx_note){ "", xlsx_one_line(view_reconcile(
								  &a, in, &c->block[i])) };
	}
	struct xlsx_book book = { .sheet = sheet,
				  .nsheet = c->nblock,
				  .note = note,
				  .nnote = 2 * c->nblock,
				  .now_ms = in->now_ms };
	int r = xlsx_write(&book, out, err);
	arena_free(&a);
	return r;
}

/* ---- JSON -------------------------------------------------------------------------------- */

struct dim_row {
	const char *name, *value; /* NULL: not known */
};
struct charge_row {
	struct cube_row r;
	const struct dim_row *dim;
	size_t ndim;
	int64_t ms;
	bool has_idle;
	charge_lines lines;
};
struct bill_row {
	dec billed, difference;
	bool has_bill;
};
struct total_row {
	const char *currency;
	struct cube_row r;
	struct bill_row bill;
	bool has_reconcile, has_idle;
};
struct charge_json {
	struct report_window window;
	const char *currency, *basis, *split;
	VEC(struct charge_row) row;
	VEC(struct total_row) total;
};

static bool get_kind(const void *row, union col_value *ret)
{
	const struct charge_line *l = row;

	if (l->kind < 0)
		return false;
	ret->text = kind_name((enum kind)l->kind);
	return true;
}

static bool get_amount(const void *row, union col_value *ret)
{
	const struct charge_line *l = row;

	ret->money = l->amount;
	return !l->unpriced;
}

static const struct col line_cols[] = {
	{ "line", COL_TEXT, .at = offsetof(struct charge_line, line), .words = charge_line_names,
	  .always = true, .help = "direct, idle_share, shared_share, unallocated or difference" },
	{ "kind", COL_TEXT, .get = get_kind, .help = "of direct cost; null: of all kinds" },
	{ "gpu_seconds", COL_SECONDS, offsetof(struct charge_line, ms), "s", "its GPU time",
	  .always = true },
	{ "cost", COL_DEC, .get = get_amount, .unit = "money", .help = "null: has no price" },
	{ 0 },
};
static const struct col dim_cols[] = {
	{ "dimension", COL_TEXT, offsetof(struct dim_row, name), NULL, "its name", 0 },
	{ "value", COL_TEXT, offsetof(struct dim_row, value), NULL,
	  "one key for each dimension of --by, as team or tag:app; null: not known", 0 },
	{ 0 },
};
#define AMOUNT(S, key, member, words)                                                        \
	{                                                                                    \
		key, COL_DEC, offsetof(S, r.member), "money", words, offsetof(S, r.has_cost) \
	}
#define AMOUNTS(S)                                                                      \
	AMOUNT(S, "direct", direct, "what it used itself"), { "idle_share",             \
							      COL_DEC,                  \
							      offsetof(S, r.idle),      \
							      "money",                  \
							      "its share of idle cost", \
							      offsetof(S, has_idle) },  \
		AMOUNT(S, "shared_share", shared, "its share of shared teams"),         \
		AMOUNT(S, "cost", cost, "all of it")
#define ROW_COLS                                                                           \
	{ "dimensions", COL_PAIRS(struct charge_row, dim, ndim, dim_cols), .here = true }, \
		{ "unallocated",                                                           \
		  COL_BOOL,                                                                \
		  offsetof(struct charge_row, r.is_rest),                                  \
		  NULL,                                                                    \
		  "true: what nobody is charged for",                                      \
		  0 },                                                                     \
		{ "currency",                                                              \
		  COL_TEXT,                                                                \
		  offsetof(struct charge_row, r.currency),                                 \
		  NULL,                                                                    \
		  "of the amounts in this row",                                            \
		  0 },                                                                     \
		{ "gpu_seconds", COL_SECONDS,           offsetof(struct charge_row, ms),   \
		  "s",           "GPU time of its own", .always = true },                  \
		AMOUNTS(struct charge_row)
static const struct col showback_cols[] = { ROW_COLS, { 0 } };
static const struct col chargeback_cols[] = {
	ROW_COLS,
	{ "lines", COL_LIST(struct charge_row, lines.v, lines.n, line_cols),
	  .help = "of its invoice; they add up to the cost" },
	{ 0 },
};
static const struct col bill_cols[] = {
	{ "billed", COL_DEC, offsetof(struct bill_row, billed), "money", "as the bills say",
	  offsetof(struct bill_row, has_bill) },
	{ "difference", COL_DEC, offsetof(struct bill_row, difference), "money", "bill less ledger",
	  0 },
	{ 0 },
};
static const struct col total_cols[] = {
	{ "currency", COL_TEXT, offsetof(struct total_row, currency), NULL,
	  "of the amounts in this row", 0 },
	AMOUNTS(struct total_row),
	{ "bill", COL_ROW, offsetof(struct total_row, bill), .sub = bill_cols, .here = true,
	  .has_at = offsetof(struct total_row, has_reconcile), .optional = true },
	{ 0 },
};
#define DOC_COLS(cols)                                                                        \
	{ "window", COL_ROW, offsetof(struct charge_json, window), .sub = report_window_cols, \
	  .help = "the time asked about" },                                                   \
		{ "currency",                                                                 \
		  COL_TEXT,                                                                   \
		  offsetof(struct charge_json, currency),                                     \
		  NULL,                                                                       \
		  "null: there are several",                                                  \
		  0 },                                                                        \
		{ "basis",                                                                    \
		  COL_TEXT,                                                                   \
		  offsetof(struct charge_json, basis),                                        \
		  NULL,                                                                       \
		  "how amounts are counted: effective, billed ...",                           \
		  0 },                                                                        \
		{ "split_idle",                                                               \
		  COL_TEXT,                                                                   \
		  offsetof(struct charge_json, split),                                        \
		  NULL,                                                                       \
		  "how idle cost is shared",                                                  \
		  0 },                                                                        \
		{ "rows", COL_LIST(struct charge_json, row.v, row.n, cols),                   \
		  .help = "by the dimensions asked for" },                                    \
		{ "totals", COL_LIST(struct charge_json, total.v, total.n, total_cols),       \
		  .help = "by currency" },                                                    \
	{                                                                                     \
		0                                                                             \
	}
static const struct col showback_doc_cols[] = { DOC_COLS(showback_cols) };
static const struct col chargeback_doc_cols[] = { DOC_COLS(chargeback_cols) };
const struct col_doc showback_doc = { "tare.showback/1", "report --showback",
				      "what each team costs", showback_doc_cols };
const struct col_doc chargeback_doc = { "tare.chargeback/1", "report --chargeback",
					"the same with the lines of invoices",
					chargeback_doc_cols };

static void write_json(const struct report_in *in, enum charge_mode mode, const struct cube *c,
		       struct str *out)
{
	struct arena mem = { 0 };
	struct charge_json doc = {
		.window = { in->since_ms, in->until_ms },
		.currency = c->nblock == 1 ? c->block[0].currency : NULL,
		.basis = basis_name(in->basis),
		.split = idle_split_name(in->split),
	};

	for (size_t b = 0; b < c->nblock; b++) {
		for (size_t i = 0; i < c->block[b].nrow; i++) {
			const struct cube_row *r = &c->block[b].row[i];
			struct dim_row *dim = arena_zalloc(&mem, (in->ndim + 1) * sizeof *dim);
			struct charge_row *row = vec_push(&doc.row);

			for (size_t j = 0; j < in->ndim; j++)
				dim[j] = (struct dim_row){ in->dim[j], filled_or(r->dim[j], NULL) };
			*row = (struct charge_row){
				.r = *r,
				.dim = dim,
				.ndim = in->ndim,
				.ms = shown_ms(in, r),
				.has_idle = r->has_cost && cube_idle_known(r),
			};
			charge_row_lines(r, &row->lines);
		}

		const struct cube_block *k = &c->block[b];
		struct total_row *t = vec_push(&doc.total);

		*t = (struct total_row){ .currency = k->currency,
					 .r = k->total,
					 .has_idle = k->total.has_cost &&
						     cube_idle_known(&k->total) };
		if (!k->reconcile)
			continue;
		t->has_reconcile = true;
		t->bill = (struct bill_row){ k->reconcile->billed,
					     reconcile_difference(k->reconcile),
					     k->reconcile->has_bill };
	}
	cols_doc(mode == CHARGE_SHOWBACK ? &showback_doc : &chargeback_doc, &doc, out);
	for (size_t i = 0; i < doc.row.n; i++)
		vec_free(&doc.row.v[i].lines);
	vec_free(&doc.row);
	vec_free(&doc.total);
	arena_free(&mem);
}

int chargeback_print(const struct report_in *in, enum charge_mode mode, enum out_format f,
		     struct str *out, struct err *err)
{
	struct cube c;
	int r;

	if (f == OUT_HTML)
		return err_set(err, -EINVAL,
			       "showback and chargeback have no HTML; use table, json, csv or md");
	r = cube_build(in, true, &c, err);
	if (r < 0)
		return r;
	if (f == OUT_CSV)
		write_journal(in, &c, out);
	else if (f == OUT_XLSX)
		r = write_workbook(in, &c, out, err);
	else if (f == OUT_JSON)
		write_json(in, mode, &c, out);
	else
		for (size_t i = 0; i < c.nblock; i++) {
			str_addz(out, text_if(i, "\n"));

			const struct cube_block *k = &c.block[i];
			bool md = f == OUT_MD;
			struct arena a = { 0 };
			struct grid g = { 0 };
			charge_lines lines = { 0 };
			int width = columns_or_80(in->width);

			charge_block_lines(in, k, &lines);
			view_fold(out, view_title(&a, in, k), md ? 100000 : width);
			str_addc(out, '\n');
			if (mode == CHARGE_SHOWBACK)
				showback_grid(in, k, &g);
			else
				invoice_grid(in, k, &lines, &g);
			if (md)
				grid_md(&g, out);
			else
				grid_table(&g, width, in->colour, out);
			str_addc(out, '\n');
			const char *centers = centers_line(&a, in, k, &lines);
			if (centers && mode == CHARGE_CHARGEBACK)
				view_fold(out, centers, md ? 100000 : width);
			view_fold(out, view_reconcile(&a, in, k), md ? 100000 : width);
			vec_free(&lines);
			grid_free(&g);
			arena_free(&a);
		}
	cube_free(&c);
	return r;
}
