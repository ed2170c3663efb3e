/* A report as a workbook: a sheet for each currency with the columns of the CSV (of its rows,
 * beside another window, or with the values of a dimension as columns), and one that says what it
 * is of. */
#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "report/cost/compare.h"
#include "report/cost/figures.h"
#include "report/formats.h"
#include "report/text.h"
#include "report/cost/view.h"
#include "report/xlsx.h"

/* A sheet that is filled: columns and cells are put one after the other. */
struct filling {
	struct xlsx_col *col;
	struct xlsx_cell *cell;
	size_t ncol, ncell;
};

static void add_col(struct filling *f, const char *name, enum xlsx_type type)
{
	f->col[f->ncol++] = (struct xlsx_col){ name, type };
}

static void add_money(struct filling *f, bool known, dec v)
{
	f->cell[f->ncell++] = (struct xlsx_cell){ .money = v, .known = known };
}

static void add_time(struct filling *f, bool known, int64_t ms)
{
	f->cell[f->ncell++] = (struct xlsx_cell){ .n = ms, .known = known };
}

/* ---- rows, each by itself ---------------------------------------------------------------- */

static void add_figure(struct filling *f, const struct col *k, const struct figures *of)
{
	union col_value v = { 0 };
	bool known = cols_value(k, of, &v);

	if (k->type == COL_SECONDS)
		add_time(f, known, known ? v.n : 0);
	else
		add_money(f, known, dec_counted(known, v.money));
}

/* ---- a sheet ------------------------------------------------------------------------------ */

/* The cells of a row, in the order of sheet_of()'s columns. name: stands in the first column, in
 * place of the row's dimensions; NULL: those. */
static void put_row(const struct report_in *in, const struct cube_row *r, const char *name,
		    struct filling *f)
{
	const dec millionth = DEC_ONE / 1000000; /* six digits of a fraction, as everywhere */

	for (size_t i = 0; i < in->ndim; i++) {
		const char *text = name ? text_if(!i, name) : r->dim[i];
		f->cell[f->ncell++] = (struct xlsx_cell){ .text = text, .known = *text != 0 };
	}
	if (in->compare) {
		for (const struct col *c = compare_cols; c->name; c++) {
			union col_value v = { 0 };
			bool known = cols_value(c, &r->compare, &v);
			if (c->type == COL_DEC)
				add_money(f, known, dec_counted(known, v.money));
			else if (c->type == COL_SECONDS)
				add_time(f, known, known ? v.n : 0);
			else
				add_money(
					f, known,
					div_half_even(dec_from_double(known ? v.x : 0), millionth) *
						millionth);
		}
	} else if (in->pivot) {
		for (size_t i = 0; i < in->pivot->step.n; i++) {
			dec v = 0;
			bool known = cube_column(in->pivot, r, i, &v);
			add_money(f, known, v);
		}
		add_money(f, r->has_cost, r->cost);
	} else {
		struct figures of = figures_of(r);

		add_figure(f, &figures_cols[0], &of); /* gpu_seconds, shown as hours */
		for (const struct col *k = figures_cols; k->name; k++)
			add_figure(f, k, &of);
		for (size_t i = 0; in->trend && i < in->trend->step.n; i++) {
			dec v = 0;
			bool has = cube_column(in->trend, r, i, &v);
			add_money(f, has, v);
		}
	}
}

static struct xlsx_sheet sheet_of(struct arena *a, const struct report_in *in,
				  const struct cube_block *k)
{
	size_t n = k->nrow + (k->nleft > 0), most = in->ndim + 1; /* most: columns, of any kind */

	if (in->trend)
		most += in->trend->step.n;
	if (in->pivot)
		most += in->pivot->step.n;
	for (const struct col *c = compare_cols; c->name; c++)
		most++;
	for (const struct col *c = figures_cols; c->name; c++)
		most++;
	struct filling f = { .col = arena_alloc(a, most * sizeof *f.col) };
	for (size_t i = 0; i < in->ndim; i++) {
		enum xlsx_type dim_type = XLSX_TEXT;
		if (!strcmp(in->dim[i], "day"))
			dim_type = XLSX_DAY;
		else if (!strcmp(in->dim[i], "hour"))
			dim_type = XLSX_TIME;

		add_col(&f, in->dim[i], dim_type);
	}
	if (in->compare) {
		for (const struct col *c = compare_cols; c->name; c++) {
			enum xlsx_type type = XLSX_NUMBER;
			if (c->type == COL_DEC)
				type = XLSX_MONEY;
			else if (c->type == COL_SECONDS)
				type = XLSX_SECONDS;

			add_col(&f, c->name, type);
		}
	} else if (in->pivot) {
		for (size_t i = 0; i < in->pivot->step.n; i++)
			add_col(&f, cube_label(in->pivot->dim, in->pivot->step.value[i]),
				XLSX_MONEY);
		add_col(&f, "total", XLSX_MONEY);
	} else {
		/* The hours, and the columns of the CSV. */
		add_col(&f, "gpu_hours", XLSX_HOURS);
		for (const struct col *c = figures_cols; c->name; c++)
			add_col(&f, c->name, c->type == COL_SECONDS ? XLSX_SECONDS : XLSX_MONEY);
		for (size_t i = 0; in->trend && i < in->trend->step.n; i++)
			add_col(&f, arena_printf(a, "cost_%s", in->trend->step.value[i]),
				XLSX_MONEY);
	}
	f.cell = arena_zalloc(a, ((n + 1) * f.ncol + 1) * sizeof *f.cell);
	for (size_t i = 0; i < k->nrow; i++) {
		const char *name = NULL;
		if (k->row[i].is_rest)
			name = "(unallocated)";
		else if (k->row[i].folded)
			name = "(rest)";

		put_row(in, &k->row[i], name, &f);
	}
	if (k->nleft)
		put_row(in, &k->left, arena_printf(a, "(%zu more)", k->nleft), &f);
	put_row(in, &k->total, "", &f);
	/* rows with a price in one window alone are in no sum of a comparison */
	bool sums = !in->compare || !k->total.compare.nleft;
	return (struct xlsx_sheet){ .name = k->currency,
				    .col = f.col,
				    .ncol = f.ncol,
				    .cell = f.cell,
				    .nrow = n,
				    .sums = sums,
				    .total = f.cell + n * f.ncol };
}

int report_xlsx(const struct report_in *in, struct str *out, struct err *err)
{
	struct arena a = { 0 };
	struct cube c;
	int r = cube_build(in, false, &c, err);

	if (r < 0)
		return r;
	struct xlsx_sheet *sheet = arena_alloc(&a, (c.nblock + 1) * sizeof *sheet);
	/* three of a block at most, and the two of the book */
	struct xlsx_note *note = arena_alloc(&a, (3 * c.nblock + 2) * sizeof *note);
	size_t n = 0;
	for (size_t i = 0; i < c.nblock; i++) {
		const struct cube_block *k = &c.block[i];
		sheet[i] = sheet_of(&a, in, k);
		if (in->compare) {
			struct compare_words w = compare_words(&a, in, k);
			note[n++] = (struct xlsx_note){ k->currency, w.title };
			note[n++] = (struct xlsx_note){ "", xlsx_one_line(w.change) };
			note[n++] = (struct xlsx_note){ "", xlsx_one_line(w.limits) };
		} else {
			note[n++] = (struct xlsx_note){ k->currency, view_title(&a, in, k) };
			note[n++] = (struct xlsx_note){ "",
							xlsx_one_line(view_reconcile(&a, in, k)) };
		}
	}
	note[n++] = (struct xlsx_note){
		"numbers",
		"An amount is a number where its decimal has at most 15 digits, which spreadsheets keep; where one has more, the column 'exact' behind it has its text. Empty is unknown, not zero."
	};
	note[n++] = (struct xlsx_note){ "made by", "tare " TARE_VERSION };
	struct xlsx_book book = {
		.sheet = sheet, .nsheet = c.nblock, .note = note, .nnote = n, .now_ms = in->now_ms
	};
	r = xlsx_write(&book, out, err);
	cube_free(&c);
	arena_free(&a);
	return r;
}
