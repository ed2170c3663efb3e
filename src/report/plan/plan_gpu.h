#ifndef TARE_REPORT_PLAN_PLAN_GPU_H
#define TARE_REPORT_PLAN_PLAN_GPU_H
/* The cheapest GPUs for a workload: a table, Markdown or JSON ("tare.plan-gpu/1"). */
#include "answer/plan/plan_gpu.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc plan_gpu_doc;
/* limit: rows of the table, 0 = all. */
void plan_gpu_print(const struct plan_gpu *a, size_t limit, const struct out_as *as,
		    struct str *out);
#endif
