#ifndef TARE_REPORT_PLAN_PLAN_SHARE_H
#define TARE_REPORT_PLAN_PLAN_SHARE_H
/* Who shares a GPU, how, and why others do not; as a table or "tare.plan-share/1". */
#include "answer/plan/plan_share.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc plan_share_doc;
void plan_share_print(const struct plan_share_ask *q, const struct plan_share_answer *a,
		      const struct out_as *as, struct str *out);
#endif
