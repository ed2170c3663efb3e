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

static const struct col file_cols[] = {
	{ "batch", COL_INT, .get = batch_of, .always = true, .help = "the import it came with" },
	{ "imported", COL_TIME, offsetof(struct imported_file, committed_ms), .always = true,
	  .help = "when" },
	{ "file", COL_TEXT, offsetof(struct imported_file, file.path), .always = true,
	  .help = "as it was named, - for standard input" },
	{ "kind", COL_TEXT, offsetof(struct imported_file, file.kind), .always = true,
	  .help = "as --as says it" },
	{ "from", COL_TIME, offsetof(struct imported_file, file.from_ms),
	  .help = "the first instant that its rows cover" },
	{ "to", COL_TIME, offsetof(struct imported_file, file.to_ms), .help = "their end" },
	{ "in_force", COL_BOOL, offsetof(struct imported_file, in_force), .always = true,
	  .help = "false: all of it was replaced or taken out" },
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
	const struct book_removed *r;
	const struct imported_file *file;
	size_t nfile;
	const char *const *gone;
	size_t ngone;
	bool dry_run;
};
static const struct col undo_cols[] = {
	{ "dry_run", COL_BOOL, offsetof(struct undone, dry_run),
	  .has_at = offsetof(struct undone, dry_run), .optional = true,
	  .help = "true: nothing was taken out" },
	{ "files", COL_LIST(struct undone, file, nfile, file_cols), .help = "what was taken out" },
	{ "replaced", COL_WORDS(struct undone, gone, ngone),
	  .help = "files that these had taken the place of: they stay out" },
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
	}
	if (format == OUT_CSV)
		grid_csv(&g, out);
	else if (format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, width, colour, out);
	grid_free(&g);
}

void undo_print(const struct book_removed *r, bool dry_run, enum out_format format, struct str *out)
{
	struct arena a = { 0 };
	const char *did = dry_run ? "would be taken out" : "taken out";

	if (format == OUT_JSON) {
		cols_doc(&undo_doc,
			 &(struct undone){ r, r->file, r->nfile, r->gone, r->ngone, dry_run }, out);
		return;
	}
	for (size_t i = 0; i < r->nfile; i++)
		str_addf(out, "%s: %s of batch %lld, %s\n",
			 text_line(&a, sv_of(r->file[i].file.path), 0), r->file[i].file.kind,
			 (long long)(r->file[i].src >> STORE_FILE_BITS), did);
	for (size_t i = 0; i < r->ngone; i++)
		str_addf(
			out,
			"    note: it had taken the place of '%s' (all of it or a part), which stays out: import that again where it is to count\n",
			text_line(&a, sv_of(r->gone[i]), 0));
	arena_free(&a);
}
