#ifndef TARE_REPORT_GRID_H
#define TARE_REPORT_GRID_H
/* Columns and rows of text, printed as an aligned table, as Markdown or as an HTML table. All texts
 * live in the grid's arena. */
#include "base/mem.h"

enum grid_align { GRID_LEFT, GRID_RIGHT };
enum grid_style { GRID_PLAIN, GRID_FAINT, GRID_TOTAL };

struct grid_col {
	const char *head;
	enum grid_align align;
	bool flex; /* names: gives way when the line is too long, but not below 8 columns */
};
struct grid_row {
	const char **cell;     /* [ncol]; NULL = empty */
	enum grid_style style; /* GRID_TOTAL has a rule above it */
};
struct grid {
	struct arena mem;
	VEC(struct grid_col) col;
	VEC(struct grid_row) row;
};
void grid_free(struct grid *g);
/* all columns before the first row */
void grid_add_col(struct grid *g, const char *head, enum grid_align align, bool flex);
/* its cells, valid until the next row */
const char **grid_add_row(struct grid *g, enum grid_style style);

/* What a line takes: columns of names as wide as they may shrink to, at least 16 where they want it. */
int grid_natural_width(const struct grid *g);
/* names in it have been through text_line() or are cut here */
void grid_table(const struct grid *g, int width, bool colour, struct str *out);
void grid_csv(const struct grid *g, struct str *out); /* RFC 4180, with the heads as first line */
void grid_md(const struct grid *g, struct str *out);
void grid_html(const struct grid *g, const char *caption, struct str *out);
#endif
