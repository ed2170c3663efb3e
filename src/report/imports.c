#include "report/imports.h"

#include "base/num.h"
#include "base/tm.h"
#include "report/grid.h"
#include "report/text.h"

static bool batch_of(const void *row, union col_value *ret)
{
	const struct imported_file *f = row;

	ret->n = f->src >> STORE_FILE_BITS;
	return true;
}

static bool rows_of(const void *row, union col_value *ret)
{
	const struct imported_file *f = row;

	ret->n = f->rows;
	return f->rows != UNKNOWN_I64;
}

static bool rows_in_force_of(const void *row, union col_value *ret)
{
	const struct imported_file *f = row;

	ret->n = f->rows_in_force;
	return f->rows != UNKNOWN_I64;
}

#define FILE_COLS                                                                                 \
	{ "batch", COL_INT, .get = batch_of, .always = true, .help = "the import it came with" }, \
		{ "imported", COL_TIME, offsetof(struct imported_file, committed_ms),             \
		  .always = true, .help = "when" },                                               \
		{ "file", COL_TEXT, offsetof(struct imported_file, file.path), .always = true,    \
		  .help = "as it was named, - for standard input" },                              \
		{ "kind", COL_TEXT, offsetof(struct imported_file, file.kind), .always = true,    \
		  .help = "as --as says it" },                                                    \
		{ "from", COL_TIME, offsetof(struct imported_file, file.from_ms),                 \
		  .help = "the first instant that its rows cover" },                              \
		{ "to", COL_TIME, offsetof(struct imported_file, file.to_ms),                     \
		  .help = "their end" },                                                          \
	{                                                                                         \
		"in_force", COL_BOOL, offsetof(struct imported_file, in_force),                   \
			.always = true, .help = "false: all of it was replaced or taken out"      \
	}

static const struct col gone_cols[] = { FILE_COLS, { 0 } };
static const struct col file_cols[] = {
	FILE_COLS,
	{ "rows", COL_INT, .get = rows_of,
	  .help = "of a bill: its rows that are kept as this file's; null: no bill" },
	{ "rows_in_force", COL_INT, .get = rows_in_force_of,
	  .help = "of these, those that count; fewer: a part was replaced" },
	{ 0 },
};

struct list {
	const struct imported_file *file;
	size_t n;
};
static const struct col list_cols[] = {
	{ "files", COL_LIST(struct list, file, n, file_cols), .help = "oldest first" },
	{ 0 },
};
const struct col_doc imports_doc = { "tare.imports/1", "import", "what was imported", list_cols };

struct undone {
	struct book_removed r;
	const char **gone; /* [r.ngone] */
	bool dry_run;
};
static const struct col bill_cols[] = {
	{ "file", COL_TEXT, offsetof(struct book_undone_bill, file), .always = true,
	  .help = "as it was named" },
	{ "currency", COL_TEXT, offsetof(struct book_undone_bill, currency), .help = "its code" },
	{ "rows", COL_INT, offsetof(struct book_undone_bill, rows), .always = true,
	  .help = "lines of the bill" },
	{ "billed", COL_DEC, offsetof(struct book_undone_bill, billed), .always = true,
	  .help = "what they bill, exact" },
	{ 0 },
};
static const struct col undo_cols[] = {
	{ "dry_run", COL_BOOL, offsetof(struct undone, dry_run),
	  .has_at = offsetof(struct undone, dry_run), .optional = true,
	  .help = "true: nothing was taken out" },
	{ "files", COL_LIST(struct undone, r.file, r.nfile, gone_cols),
	  .help = "what was taken out" },
	{ "billed", COL_LIST(struct undone, r.left, r.nleft, bill_cols),
	  .help = "of these files the lines of bills that counted" },
	{ "replaced", COL_WORDS(struct undone, gone, r.ngone),
	  .help = "files that these had taken the place of: they stay out" },
	{ "replaced_billed", COL_LIST(struct undone, r.out, r.nout, bill_cols),
	  .help = "of those files the lines of bills that do not count" },
	{ "again", COL_TEXT, offsetof(struct undone, r.again),
	  .help = "commands that make them count again; null: import them as they are" },
	{ 0 },
};
const struct col_doc undo_doc = { "tare.undo/1", "import", "an import taken out again", undo_cols };

void imports_print(const struct imported_file *f, size_t n, enum out_format format, int width,
		   bool colour, struct str *out)
{
	struct grid g = { 0 };
	char buf[TM_BUF];

	if (format == OUT_JSON) {
		cols_doc(&imports_doc, &(struct list){ f, n }, out);
		return;
	}
	grid_add_col(&g, "batch", GRID_RIGHT, false);
	grid_add_figure(&g, "imported", 1);
	grid_add_col(&g, "kind", GRID_LEFT, false);
	grid_add_name(&g, "file");
	grid_add_figure(&g, "from", 3);
	grid_add_figure(&g, "to", 2);
	grid_add_col(&g, "counts", GRID_LEFT, false);
	for (size_t i = 0; i < n; i++) {
		const char **cell = grid_add_row(&g, grid_faint(!f[i].in_force));
		int64_t from = f[i].file.from_ms, to = f[i].file.to_ms;
		cell[0] = arena_printf(&g.mem, "%lld", (long long)(f[i].src >> STORE_FILE_BITS));
		cell[1] = arena_printf(&g.mem, "%s", tm_format_date(buf, f[i].committed_ms));
		cell[2] = f[i].file.kind;
		cell[3] = text_line(&g.mem, sv_of(f[i].file.path), 0);
		if (from != UNKNOWN_MS)
			cell[4] = arena_printf(&g.mem, "%s", tm_format_date(buf, from));
		if (to != UNKNOWN_MS) /* the last day; of prices all may begin at one moment */
			cell[5] = arena_printf(&g.mem, "%s",
					       tm_format_date(buf, max_i64(to - 1, from)));
		cell[6] = f[i].in_force ? "yes" : "no";
		if (f[i].in_force && f[i].rows_in_force < f[i].rows)
			cell[6] = arena_printf(&g.mem, "in part (%lld of %lld rows)",
					       (long long)f[i].rows_in_force, (long long)f[i].rows);
	}
	if (format == OUT_CSV)
		grid_csv(&g, out);
	else if (format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, width, colour, out);
	grid_free(&g);
}

/* " (125 rows, billed 53876 EUR + 3 USD)"; nothing where the file has no line of a bill. */
static void put_billed(const struct book_undone_bill *b, size_t n, const char *file,
		       struct str *out)
{
	char buf[DEC_BUF];
	int64_t rows = 0;
	size_t first = n;

	for (size_t i = n; i-- > 0;) {
		if (strcmp(b[i].file, file))
			continue;
		rows += b[i].rows;
		first = i;
	}
	if (first == n)
		return;
	str_addf(out, " (%lld row%s, billed", (long long)rows, plural(rows));
	for (size_t i = first; i < n; i++)
		if (!strcmp(b[i].file, file))
			str_addf(out, "%s %s %s", text_if(i > first, " +"),
				 dec_format(buf, b[i].billed), b[i].currency);
	str_addc(out, ')');
}

void undo_print(const struct book_removed *r, bool dry_run, enum out_format format, struct str *out)
{
	struct arena a = { 0 };
	const char *did = dry_run ? "would be taken out" : "taken out";
	struct undone u = { *r, arena_alloc(&a, (r->ngone + 1) * sizeof *u.gone), dry_run };

	for (size_t i = 0; i < r->ngone; i++)
		u.gone[i] = r->gone[i].path;
	if (format == OUT_JSON)
		cols_doc(&undo_doc, &u, out);
	for (size_t i = 0; i < r->nfile && format != OUT_JSON; i++) {
		str_addf(out, "%s: %s of batch %lld, %s",
			 text_line(&a, sv_of(r->file[i].file.path), 0), r->file[i].file.kind,
			 (long long)(r->file[i].src >> STORE_FILE_BITS), did);
		put_billed(r->left, r->nleft, r->file[i].file.path, out);
		str_addc(out, '\n');
	}
	for (size_t i = 0; i < r->ngone && format != OUT_JSON; i++) {
		const struct book_gone *g = &r->gone[i];
		str_addf(out, "    note: it had taken the place of '%s'%s",
			 text_line(&a, sv_of(g->path), 0), text_if(g->stays, " in part"));
		put_billed(r->out, r->nout, g->path, out);
		str_addz(out, ", which stays out: ");
		if (g->other)
			str_addf(out, "'%s' has rows of the same days, and both would count\n",
				 text_line(&a, sv_of(g->other), 0));
		else if (g->stays)
			str_addz(
				out,
				"the rest of it counts, so it is taken out before it is imported again\n");
		else
			str_addz(out, "import that again where it is to count\n");
	}
	if (r->again && format != OUT_JSON)
		str_addf(out, "    note: back to what counted before: %s\n", r->again);
	arena_free(&a);
}
