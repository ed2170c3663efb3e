#ifndef TARE_REPORT_COST_PIVOT_H
#define TARE_REPORT_COST_PIVOT_H
/* A report whose columns are the values of a dimension: the cost of each row in each of them. */
#include "report/cost/cube.h"

void pivot_table(const struct report_in *in, const struct cube *c, struct str *out);
void pivot_md(const struct report_in *in, const struct cube *c, struct str *out);
/* Wide: a column a value, then the sum of the row; no total. */
void pivot_csv(const struct report_in *in, const struct cube *c, struct str *out);
#endif
