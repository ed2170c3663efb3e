#ifndef TARE_REPORT_PLAN_PLAN_RESERVED_H
#define TARE_REPORT_PLAN_PLAN_RESERVED_H
/* Reserved against on demand: a table, Markdown or JSON ("tare.plan-reserved/1"). */
#include "answer/plan/plan_reserved.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc plan_reserved_doc;
void plan_reserved_print(const struct reserved_ask *q, const struct reserved_answer *a,
			 const struct out_as *as, struct str *out);
#endif
