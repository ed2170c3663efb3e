#ifndef TARE_ANSWER_PLAN_PLAN_DEMAND_H
#define TARE_ANSWER_PLAN_PLAN_DEMAND_H
/* Demand by the hour for the planners that need no store: a list of jobs (--jobs CSV) or the demand
 * itself (--demand CSV). */
#include "feed/planner/plan_csv.h"
#include "opt/capacity/demand.h"

/*
 * Jobs of a file (columns: feed/planner/plan_csv.h), each hour with the units of all jobs that
 * overlap it, from the first start to the hour of the last one (hours = 0) or over `hours`. *ret is
 * the caller's, demand_free(). Errors name the file, of a cell that cannot be read its line too:
 * -EINVAL, -ENODATA where there is no job, or what reading gave.
 */
int plan_demand_of_jobs(const char *path, size_t hours, struct demand *ret, struct err *err);
/* time, units of a file as it is; NAN where an hour has none. The caller's, plan_series_free().
 * Errors as above. */
int plan_series_of(const char *path, struct plan_series *ret, struct err *err);

#endif
