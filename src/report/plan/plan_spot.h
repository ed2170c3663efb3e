#ifndef TARE_REPORT_PLAN_PLAN_SPOT_H
#define TARE_REPORT_PLAN_PLAN_SPOT_H
/* A job on spot machines as text or JSON ("tare.plan-spot/1"). */
#include "answer/plan/plan_spot.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc plan_spot_doc;
/* Other formats than OUT_JSON print the text. */
void plan_spot_print(const struct plan_spot *x, const struct out_as *as, struct str *out);

#endif
