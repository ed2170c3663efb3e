#ifndef TARE_REPORT_PLAN_PLAN_OWN_H
#define TARE_REPORT_PLAN_PLAN_OWN_H
/* Rent or own a GPU, in words or JSON ("tare.plan-own/1"). */
#include "answer/plan/plan_own.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc plan_own_doc;
void plan_own_print(const struct own_ask *q, const struct own_result *a, const struct out_as *as,
		    struct str *out);
#endif
