#ifndef TARE_REPORT_GRID_H
#define TARE_REPORT_GRID_H
/* Columns and rows of text, printed as an aligned table, as Markdown or as an HTML table. All texts
 * live in the grid's arena. */
#include "base/mem.h"

enum grid_align { GRID_LEFT, GRID_RIGHT };
enum grid_style { GRID_PLAIN, GRID_FAINT, GRID_TOTAL };
/* Rows shown of n: 0 limits nothing. */
static inline size_t grid_limit(size_t limit, size_t n)
{
	return limit && limit < n ? limit : n;
}
static inline enum grid_align grid_side(bool right)
{
	return right ? GRID_RIGHT : GRID_LEFT;
}
static inline enum grid_style grid_faint(bool faint)
{
	return faint ? GRID_FAINT : GRID_PLAIN;
}

struct grid_col {
	const char *head;
	enum grid_align align;
	bool flex; /* names: gives way when the line is too long, but not below 8 columns */
	int worth; /* of the columns that a short line has no room for, the least go first */
};
#define GRID_ALWAYS 100 /* of a column that no line may be without */
struct grid_row {
	const char **cell;     /* [ncol]; NULL = empty */
	enum grid_style style; /* GRID_TOTAL has a rule above it */
};
static inline const char *grid_cell(const struct grid_row *r, size_t i)
{
	return text_or(r->cell[i], "");
}
struct grid {
	struct arena mem;
	VEC(struct grid_col) col;
	VEC(struct grid_row) row;
	bool heads_in_one;   /* line: none is folded */
	const char *unshown; /* columns that were left out before, "lost, unknown"; NULL: none */
};
void grid_free(struct grid *g);
/* all columns before the first row */
void grid_add_col(struct grid *g, const char *head, enum grid_align align, bool flex);
/* A column of names that tell the rows apart: always shown. One of figures, of that worth. */
void grid_add_name(struct grid *g, const char *head);
void grid_add_figure(struct grid *g, const char *head, int worth);
/* Of the last column added: 0 otherwise. Of equals the rightmost goes first; the first column
 * stays. */
void grid_worth(struct grid *g, int worth);
/* its cells, valid until the next row */
const char **grid_add_row(struct grid *g, enum grid_style style);

/*
 * Tables are read on lines of a known width (a terminal, COLUMNS): where they are not, in pipes and
 * files, they may be wider, and no column is left out. One switch of the process; on at first.
 */
void grid_fit_lines(bool fit);
bool grid_fits_lines(void);

/* What a line takes: columns of names as wide as they may shrink to, at least 16 where they want
 * it. */
int grid_natural_width(const struct grid *g);
/*
 * Not wider than width: long names lose their middle, then heads of several words take two lines,
 * then the columns of the least worth are left out, which a line below the table says.
 */
void grid_table(const struct grid *g, int width, bool colour, struct str *out);
void grid_csv(const struct grid *g, struct str *out); /* RFC 4180, with the heads as first line */
void grid_md(const struct grid *g, struct str *out);
void grid_html(const struct grid *g, const char *caption, struct str *out);
#endif
