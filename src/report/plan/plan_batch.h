#ifndef TARE_REPORT_PLAN_PLAN_BATCH_H
#define TARE_REPORT_PLAN_PLAN_BATCH_H
/* Batches under a latency bound, in words or JSON ("tare.plan-batch/1"). */
#include "answer/plan/plan_batch.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc plan_batch_doc;
void plan_batch_print(const struct batch_answer *a, const struct out_as *as, struct str *out);
#endif
