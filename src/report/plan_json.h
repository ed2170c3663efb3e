#ifndef TARE_REPORT_PLAN_JSON_H
#define TARE_REPORT_PLAN_JSON_H
/* What views of the plan share for CSV. */
#include "base/str.h"

void plan_csv_cell(struct str *out, const char *z); /* with the comma before it; NULL is empty */
#endif
