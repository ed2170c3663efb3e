#include "report/sql.h"

#include <errno.h>
#include <limits.h>

#include "base/str.h"
#include "report/grid.h"
#include "report/text.h"

/* columns of one statement's table that are names: these give way on a narrow terminal */
static bool is_text(enum query_type t)
{
	return t == QUERY_TEXT;
}

/* ---- JSON --------------------------------------------------------------------------------- */

static const char *const type_name[] = {
	[QUERY_TEXT] = "text",  [QUERY_INT] = "integer",  [QUERY_DEC] = "decimal",
	[QUERY_NUM] = "number", [QUERY_BOOL] = "boolean", [QUERY_DAY] = "date",
	[QUERY_TIME] = "time"
};

static const struct col column_cols[] = {
	{ "name", COL_TEXT, offsetof(struct query_column, name), .always = true,
	  .help = "as the statement says" },
	{ "type", COL_TEXT, .at = offsetof(struct query_column, type), .words = type_name,
	  .always = true,
	  .help = "text, integer, decimal (a string), number, boolean, date or time" },
	{ 0 },
};

static void rows_shape(struct jw *w)
{
	jw_put_str(w, "type", "array");
	jw_key(w, "items");
	jw_obj(w);
	jw_put_str(w, "type", "object");
	jw_end_obj(w);
}

struct sql_json {
	const struct query_column *column;
	size_t ncolumn;
	const char *rows;
	bool more;
};
static const struct col doc_cols[] = {
	{ "columns", COL_LIST(struct sql_json, column, ncolumn, column_cols),
	  .help = "in the order of the statement" },
	{ "rows", COL_RAW, offsetof(struct sql_json, rows), .shape = rows_shape, .always = true,
	  .help = "objects with the columns by name" },
	{ "limit_reached", COL_BOOL, offsetof(struct sql_json, more), .always = true,
	  .help = "true: there are more rows than --limit" },
	{ 0 },
};
const struct col_doc sql_doc = { "tare.sql/1", "sql", "the rows of a statement", doc_cols, NULL };

static int print_json(const struct query_result *q, struct str *out, struct err *err)
{
	struct str rows = { 0 };
	struct jw w;
	struct intern names = { 0 };
	int r = 0;

	for (size_t i = 0; i < q->ncolumn && r == 0; i++)
		if (intern_add(&names, sv_of(q->column[i].name)) != i)
			r = err_set(err, -EINVAL,
				    "two columns are called '%.200s': name one of them with AS",
				    q->column[i].name);
	intern_free(&names);

	if (r < 0)
		return r;
	jw_init(&w, &rows, 0);
	jw_arr(&w);
	for (size_t i = 0; i < q->nrow; i++) {
		jw_obj(&w);
		for (size_t c = 0; c < q->ncolumn; c++) {
			jw_key(&w, q->column[c].name);
			const char *text = q->cell[i * q->ncolumn + c];
			enum query_type t = q->column[c].type;
			if (!text)
				jw_null(&w);
			else if (t == QUERY_INT || t == QUERY_NUM || t == QUERY_BOOL)
				jw_raw(&w, sv_of(text));
			else
				jw_str(&w, text);
		}
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	const struct sql_json doc = { q->column, q->ncolumn, str_z(&rows), q->more };
	cols_doc(&sql_doc, &doc, out);
	str_free(&rows);
	return 0;
}

/* ---- CSV, table, Markdown ----------------------------------------------------------------- */

static void print_grid(const struct grid *g, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_MD)
		grid_md(g, out);
	else
		/* nothing is cut where no line has an end */
		grid_table(g, grid_fits_lines() ? as->width : INT_MAX, as->colour, out);
}

int sql_print(const struct query_result *q, const struct out_as *as, struct str *out,
	      struct err *err)
{
	if (as->format == OUT_JSON)
		return print_json(q, out, err);
	if (as->format == OUT_CSV) {
		for (size_t c = 0; c < q->ncolumn; c++) {
			str_addz(out, text_if(c, ","));
			text_csv(out, sv_of(q->column[c].name));
		}
		str_addc(out, '\n');
		for (size_t i = 0; i < q->nrow; i++) {
			for (size_t c = 0; c < q->ncolumn; c++) {
				const char *text = q->cell[i * q->ncolumn + c];
				str_addz(out, text_if(c, ","));
				if (text && is_text(q->column[c].type))
					text_csv(out, sv_of(text));
				else
					str_addz(out, text_or(text, ""));
			}
			str_addc(out, '\n');
		}
	} else {
		struct grid g = { 0 };

		for (size_t c = 0; c < q->ncolumn; c++) {
			enum query_type t = q->column[c].type;
			bool right = t == QUERY_INT || t == QUERY_DEC || t == QUERY_NUM;
			grid_add_col(&g, text_line(&g.mem, sv_of(q->column[c].name), 0),
				     grid_side(right), is_text(t));
		}
		for (size_t i = 0; i < q->nrow; i++) {
			const char **cell = grid_add_row(&g, GRID_PLAIN);
			for (size_t c = 0; c < q->ncolumn; c++) {
				const char *text = q->cell[i * q->ncolumn + c];
				cell[c] = text_or_dash(text, text_line(&g.mem, sv_of(text), 0));
			}
		}
		print_grid(&g, as, out);
		grid_free(&g);
	}
	return 0;
}

/* ---- the views ---------------------------------------------------------------------------- */

static const struct col view_column_cols[] = {
	{ "name", COL_TEXT, offsetof(struct query_view_column, name), .always = true,
	  .help = "of the column" },
	{ "unit", COL_TEXT, offsetof(struct query_view_column, unit),
	  .help = "null: none; money: in the row's currency" },
	{ "help", COL_TEXT, offsetof(struct query_view_column, help), .help = "what it means" },
	{ 0 },
};
struct view_row {
	const struct query_view *v;
	size_t ncolumn;
};

static bool get_columns(const void *row, union col_value *ret)
{
	const struct view_row *v = row;

	ret->rows.p = v->v->column;
	ret->rows.n = v->ncolumn;
	return true;
}

static const struct col view_cols[] = {
	{ "name", COL_TEXT, COL_VIA(struct view_row, v, name), .always = true,
	  .help = "of the view" },
	{ "help", COL_TEXT, COL_VIA(struct view_row, v, help), .always = true,
	  .help = "what its rows are" },
	{ "columns", COL_ROWS, .get = get_columns, .size = sizeof(struct query_view_column),
	  .sub = view_column_cols, .always = true, .help = "in their order" },
	{ 0 },
};
struct views_json {
	const struct view_row *view;
	size_t nview;
};
static const struct col views_doc_cols[] = {
	{ "views", COL_LIST(struct views_json, view, nview, view_cols),
	  .help = "what a statement can read" },
	{ 0 },
};
const struct col_doc sql_views_doc = { "tare.sql-views/1", "sql --views",
				       "what a statement can read", views_doc_cols, NULL };

static void views_json(const struct query_view *view, size_t n, struct str *out)
{
	struct arena a = { 0 };
	struct view_row *row = arena_zalloc(&a, (n + 1) * sizeof *row);

	for (size_t i = 0; i < n; i++) {
		row[i].v = &view[i];
		while (view[i].column[row[i].ncolumn].name)
			row[i].ncolumn++;
	}
	const struct views_json doc = { row, n };
	cols_doc(&sql_views_doc, &doc, out);
	arena_free(&a);
}

void sql_print_views(const struct query_view *view, size_t n, const struct out_as *as,
		     struct str *out)
{
	static const char *const head[] = { "view", "column", "unit", "meaning" };
	struct grid g = { 0 };

	if (as->format == OUT_JSON) {
		views_json(view, n, out);
		return;
	}
	for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
		grid_add_col(&g, head[i], GRID_LEFT, i == 3);
		grid_worth(&g, i == 2 ? 0 : 1);
	}
	for (size_t i = 0; i < n; i++) {
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = view[i].name;
		cell[3] = view[i].help;
		for (const struct query_view_column *c = view[i].column; c->name; c++) {
			cell = grid_add_row(&g, GRID_PLAIN);
			cell[0] = text_if(as->format == OUT_CSV, view[i].name);
			cell[1] = c->name;
			cell[2] = c->unit;
			cell[3] = c->help;
		}
	}
	if (as->format == OUT_CSV)
		grid_csv(&g, out);
	else
		print_grid(&g, as, out);
	grid_free(&g);
}
