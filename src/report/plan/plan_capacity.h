#ifndef TARE_REPORT_PLAN_PLAN_CAPACITY_H
#define TARE_REPORT_PLAN_PLAN_CAPACITY_H
/* GPUs for a rate of requests, in words or JSON ("tare.plan-capacity/1"). */
#include "answer/plan/plan_capacity.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc plan_capacity_doc;
void plan_capacity_print(const struct capacity_ask *q, const struct capacity_answer *a,
			 const struct out_as *as, struct str *out);
#endif
