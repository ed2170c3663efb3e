#ifndef TARE_REPORT_GRID_FIT_H
#define TARE_REPORT_GRID_FIT_H
/* How the columns of a grid share the width of a line: names lose their middle, heads are folded
 * into two lines, and where that is not enough the columns that matter least are left out. */
#include "report/grid.h"

#define GRID_GAP 2 /* blanks between columns */

/* How a column is shown: so wide; what is wider loses its middle, or its end where that tells the
 * names apart and the other does not. */
struct grid_fit {
	int width;
	bool keeps_head;
	bool is_figures; /* of amounts alone: it is never cut, as what is left would be another one */
	bool left_out;
	size_t fold; /* its head continues in a second line behind this byte; 0: not folded */
};

/* fit [g->col.n], zeroed. A line is longer than width only where a column that is never left out
 * (grid_keep) leaves no room. Cost: rows x columns for each column that is left out. */
void grid_fit(const struct grid *g, int width, struct grid_fit *fit);
int grid_fit_total(const struct grid *g, const struct grid_fit *fit);
/* A text of that column as it is shown. In arena a. */
char *grid_fit_text(struct arena *a, const char *text, const struct grid_fit *fit);
#endif
