#ifndef TARE_REPORT_COST_RECONCILE_H
#define TARE_REPORT_COST_RECONCILE_H
/* Where bill, nodes and catalogue disagree: table, JSON ("tare.reconcile/1"), CSV of the days. */
#include "answer/reconcile.h"
#include "report/col.h"
#include "report/cost/report.h"

void reconcile_print(const struct reconcile *r, enum out_format f, struct str *out);
extern const struct col_doc reconcile_doc;
#endif
