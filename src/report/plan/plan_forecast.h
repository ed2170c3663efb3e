#ifndef TARE_REPORT_PLAN_PLAN_FORECAST_H
#define TARE_REPORT_PLAN_PLAN_FORECAST_H
/* Forecasts of demand: tables, Markdown, JSON ("tare.plan-forecast/1"); as CSV an hour a line. */
#include "answer/plan/plan_forecast.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc plan_forecast_doc;
void plan_forecast_print(const struct forecast_ask *q, const struct forecast_answer *a,
			 const struct out_as *as, struct str *out);
#endif
