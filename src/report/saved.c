#include "report/saved.h"

#include "report/grid.h"

struct saved {
	const struct saved_row *row;
	size_t n;
};

static const struct col view_cols[] = {
	{ "name", COL_TEXT, offsetof(struct saved_row, name), .always = true,
	  .help = "tare report @NAME" },
	{ "options", COL_TEXT, offsetof(struct saved_row, options), .always = true,
	  .help = "as on the command line" },
	{ "file", COL_TEXT, offsetof(struct saved_row, file), .always = true,
	  .help = "where it stands" },
	{ 0 },
};
static const struct col views_cols[] = {
	{ "views", COL_LIST(struct saved, row, n, view_cols), .help = "saved reports" },
	{ 0 },
};
const struct col_doc saved_doc = { "tare.views/1", "report", "saved reports, with --views",
				   views_cols };

void saved_print(const struct saved_row *row, size_t n, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON) {
		cols_doc(&saved_doc, &(struct saved){ row, n }, out);
		return;
	}
	if (as->format == OUT_CSV) {
		cols_csv(view_cols, row, n, sizeof *row, out);
		return;
	}
	if (!n) {
		str_addz(
			out,
			"No views yet. Save one: tare report --by team --since month --save NAME\n");
		return;
	}

	struct grid g = { 0 };
	grid_add_col(&g, "tare report", GRID_LEFT, false);
	grid_add_col(&g, "is tare report with", GRID_LEFT, false);
	for (size_t i = 0; i < n; i++) {
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = arena_printf(&g.mem, "@%s", row[i].name);
		cell[1] = row[i].options;
	}
	if (as->format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, as->width, as->colour, out);
	grid_free(&g);
}
