#include "report/cost/pivot.h"

#include "base/num.h"
#include "base/str.h"
#include "report/formats.h"
#include "report/grid.h"
#include "report/text.h"
#include "report/cost/view.h"

/* What is shown of the columns: of a time the last `n`, else the first. */
struct shown {
	size_t from, n;
	int digits;
};

/* The cost of a row in the columns that are not shown. */
static const char *hidden_text(struct arena *a, const struct report_series *s,
			       const struct cube_row *r, const struct shown *w)
{
	dec sum = 0, v;
	bool any = false;

	for (size_t i = 0; i < s->step.n; i++) {
		bool hidden = i < w->from || i >= w->from + w->n;
		if (!hidden || !cube_column(s, r, i, &v))
			continue;
		any = true;
		sum += v;
	}
	return text_or_dash(any, text_money(a, sum, w->digits));
}

static void put_cells(const struct report_in *in, const struct cube_row *r, const struct shown *w,
		      const char **cell, struct arena *a)
{
	const struct report_series *s = in->pivot;
	bool some_hidden = w->n < s->step.n;
	size_t n = in->ndim;
	dec v;

	if (some_hidden && s->is_time)
		cell[n++] = hidden_text(a, s, r, w);
	for (size_t i = w->from; i < w->from + w->n; i++) {
		bool known = cube_column(s, r, i, &v);
		cell[n++] = text_or_dash(known, text_money(a, v, w->digits));
	}
	if (some_hidden && !s->is_time)
		cell[n++] = hidden_text(a, s, r, w);
	cell[n] = text_or_dash(r->has_cost, text_money(a, r->cost, w->digits));
}

static void fill_grid(const struct report_in *in, const struct cube_block *k, const struct shown *w,
		      struct grid *g)
{
	const struct report_series *s = in->pivot;
	const char *hidden = arena_printf(&g->mem, s->is_time ? "(%zu before)" : "(%zu more)",
					  s->step.n - w->n);

	for (size_t i = 0; i < in->ndim; i++)
		grid_add_name(g, in->dim[i]);
	if (w->n < s->step.n && s->is_time)
		grid_add_col(g, hidden, GRID_RIGHT, false);
	for (size_t i = w->from; i < w->from + w->n; i++) {
		/* A day within a year of others needs no year; the title has it. */
		const char *v = s->step.value[i];
		const char *head = v;
		if (!s->is_time || s->step.n > 366)
			head = text_line(&g->mem, sv_of(cube_label(s->dim, v)), 16);
		else if (!strcmp(s->dim, "day") || !strcmp(s->dim, "week"))
			head = v + 5;
		else if (!strcmp(s->dim, "hour"))
			head = arena_printf(&g->mem, "%.5s %.2sh", v + 5, v + 11);

		grid_add_col(g, head, GRID_RIGHT, false);
	}
	if (w->n < s->step.n && !s->is_time)
		grid_add_col(g, hidden, GRID_RIGHT, false);
	grid_add_figure(g, "total", GRID_ALWAYS);
	for (size_t r = 0; r < k->nrow; r++) {
		const char **cell = grid_add_row(g, grid_faint(k->row[r].folded));
		for (size_t i = 0; i < in->ndim; i++)
			cell[i] = view_dim_text(&g->mem, in, &k->row[r], i);
		put_cells(in, &k->row[r], w, cell, &g->mem);
	}
	if (k->nleft) {
		const char **cell = grid_add_row(g, GRID_FAINT);
		cell[0] = arena_printf(&g->mem, "(%zu more)", k->nleft);
		put_cells(in, &k->left, w, cell, &g->mem);
	}
	put_cells(in, &k->total, w, grid_add_row(g, GRID_TOTAL), &g->mem);
}

static bool fits_width(const struct report_in *in, const struct cube_block *k,
		       const struct shown *w, int width)
{
	struct grid g = { 0 };

	fill_grid(in, k, w, &g);
	bool ret = grid_natural_width(&g) <= width;
	grid_free(&g);
	return ret;
}

static struct shown with_columns(const struct report_in *in, size_t n, int digits)
{
	size_t all = in->pivot->step.n;

	return (struct shown){ in->pivot->is_time ? all - n : 0, n, digits };
}

/* As many columns as the width has room for, without cents where that shows more. */
static struct shown choose_columns(const struct report_in *in, const struct cube_block *k,
				   int width)
{
	size_t all = in->pivot->step.n;
	int digits = view_money_digits(k);
	struct shown w = with_columns(in, all, digits);

	if (!width || (all < (size_t)width && fits_width(in, k, &w, width)))
		return w;
	if (digits == 2)
		digits = 0;
	size_t n = min_size(all, (size_t)width / 3);
	for (w = with_columns(in, n, digits); n > 1 && !fits_width(in, k, &w, width);)
		w = with_columns(in, --n, digits);
	return w;
}

void pivot_table(const struct report_in *in, const struct cube *c, struct str *out)
{
	for (size_t i = 0; i < c->nblock; i++) {
		const struct cube_block *k = &c->block[i];
		struct arena a = { 0 };
		struct grid g = { 0 };
		str_addz(out, text_if(i, "\n"));
		view_fold(out, view_title(&a, in, k), columns_or_80(in->width));
		str_addc(out, '\n');
		if (k->nrow) {
			struct shown w = choose_columns(in, k, columns_or_80(in->width));
			fill_grid(in, k, &w, &g);
			grid_table(&g, columns_or_80(in->width), in->colour, out);
			str_addc(out, '\n');

			size_t hidden = in->pivot->step.n - w.n;
			char *note;
			if (!hidden)
				note = arena_printf(&a, "%s", "");
			else
				note = arena_printf(
					&a,
					"%zu of %zu columns are summed in one: a wider terminal or -o csv has all.\n",
					hidden, in->pivot->step.n);
			view_fold(out, note, columns_or_80(in->width));
		} else {
			str_addz(out, "Nothing in the ledger here.\n\n");
		}
		view_fold(out, view_reconcile(&a, in, k), columns_or_80(in->width));
		grid_free(&g);
		arena_free(&a);
	}
}

void pivot_md(const struct report_in *in, const struct cube *c, struct str *out)
{
	for (size_t i = 0; i < c->nblock; i++) {
		const struct cube_block *k = &c->block[i];
		struct shown w = choose_columns(in, k, 0);
		struct arena a = { 0 };
		struct grid g = { 0 };
		str_addz(out, text_if(i, "\n"));
		md_text(out, view_title(&a, in, k));
		str_addz(out, "\n\n");
		fill_grid(in, k, &w, &g);
		grid_md(&g, out);
		str_addc(out, '\n');
		md_text(out, view_reconcile(&a, in, k));
		grid_free(&g);
		arena_free(&a);
	}
}

static void put_money(struct str *out, bool known, dec v)
{
	char buf[DEC_BUF];

	str_addz(out, known ? dec_format(buf, v) : "");
}

void pivot_csv(const struct report_in *in, const struct cube *c, struct str *out)
{
	const struct report_series *s = in->pivot;

	csv_heads(in, out);
	str_addz(out, "currency,");
	for (size_t i = 0; i < s->step.n; i++) {
		text_csv(out, sv_of(cube_label(s->dim, s->step.value[i])));
		str_addc(out, ',');
	}
	str_addz(out, "total\n");
	csv_end_head(in, out);
	for (size_t b = 0; b < c->nblock; b++)
		for (size_t r = 0; r < c->block[b].nrow; r++) {
			const struct cube_row *row = &c->block[b].row[r];
			csv_dims(in, row, out);
			text_csv(out, sv_of(row->currency));
			str_addc(out, ',');
			for (size_t i = 0; i < s->step.n; i++) {
				dec v;
				bool known = cube_column(s, row, i, &v);
				put_money(out, known, v);
				str_addc(out, ',');
			}
			put_money(out, row->has_cost, row->cost);
			str_addc(out, '\n');
			csv_end(in, row, out);
		}
}
