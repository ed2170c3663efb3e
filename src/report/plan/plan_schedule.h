#ifndef TARE_REPORT_PLAN_PLAN_SCHEDULE_H
#define TARE_REPORT_PLAN_PLAN_SCHEDULE_H
/* Schedules in words and tables, Markdown or JSON ("tare.plan-schedule/1"); runs of many jobs as
 * CSV. */
#include "answer/plan/plan_schedule.h"
#include "report/col.h"
#include "report/cost/report.h"

/* the shapes of one document, the first has the others */
extern const struct col_doc schedule_job_doc, schedule_fleet_doc, schedule_table_doc;

void schedule_job_print(const struct schedule_job_ask *q, const struct schedule_job_answer *a,
			const struct out_as *as, struct str *out);
void schedule_fleet_print(const struct schedule_fleet_ask *q, const struct schedule_fleet_answer *a,
			  const struct out_as *as, struct str *out);
void schedule_table_print(const struct schedule_table_ask *q, const struct schedule_table_answer *a,
			  const struct out_as *as, struct str *out);
#endif
