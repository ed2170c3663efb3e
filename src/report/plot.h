#ifndef TARE_REPORT_PLOT_H
#define TARE_REPORT_PLOT_H
/* Inline SVG for the HTML page; shapes from doubles, texts exact. Colours are classes of the page
 * ("s-busy" ...). */
#include "report/cost/cube.h"

/*
 * Cost over the whole window by "hour", "day", "week", "month" or "quarter" (dim[0]), stacked by
 * state: what is negative below the axis, an empty step as an empty place. Where the window has
 * more steps than can be told apart it is drawn in larger ones, which the page then says.
 */
void plot_time(const struct report_in *in, const struct cube_block *k, const char *step,
	       struct str *out);
/* Bars of the rows that cost most, stacked by state, negatives left of the axis; says how many of
 * how many rows they are. */
void plot_rows(const struct report_in *in, const struct cube_block *k, struct str *out);
/* net: with the line that plot_time() draws where something is negative */
void plot_legend(const struct cube_block *k, bool net, struct str *out);
#endif
