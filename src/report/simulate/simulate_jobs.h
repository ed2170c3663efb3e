#ifndef TARE_REPORT_SIMULATE_SIMULATE_JOBS_H
#define TARE_REPORT_SIMULATE_SIMULATE_JOBS_H
/* How `tare simulate jobs` prints: text, or JSON ("tare.simulate-jobs/1"). */
#include "answer/simulate/simulate_jobs.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc simulate_jobs_doc;

void simulate_jobs_print(const struct simulate_jobs *a, const struct out_as *as, struct str *out);
#endif
