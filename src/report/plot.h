#ifndef TARE_REPORT_PLOT_H
#define TARE_REPORT_PLOT_H
/* Inline SVG for the HTML page; shapes from doubles, texts exact. Colours are classes of the page ("s-busy" ...). */
#include "report/cube.h"

void plot_days(const struct cube_block *days,
	       struct str *out); /* cost by day, stacked by state; rows in time order */
void plot_rows(const struct report_in *in, const struct cube_block *k,
	       struct str *out); /* bars of the largest rows, stacked by state */
void plot_legend(const struct cube_block *k, struct str *out);
const char *plot_state_label(int state); /* "busy", ..., "other" for STATE_NONE */
#endif
