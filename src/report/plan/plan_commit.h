#ifndef TARE_REPORT_PLAN_PLAN_COMMIT_H
#define TARE_REPORT_PLAN_PLAN_COMMIT_H
/* Commitments from day to day: tables, Markdown, JSON ("tare.plan-commit/1"); as CSV what is
 * bought. */
#include "answer/plan/plan_commit.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc plan_commit_doc;
void plan_commit_print(const struct commit_ask *q, const struct commit_answer *a,
		       const struct out_as *as, struct str *out);
#endif
