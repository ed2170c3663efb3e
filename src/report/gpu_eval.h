#ifndef TARE_REPORT_GPU_EVAL_H
#define TARE_REPORT_GPU_EVAL_H
/* How good the predictions are: a table, Markdown or JSON ("tare.plan-gpu-evaluate/1"). */
#include "answer/gpu_eval.h"
#include "report/col.h"
#include "report/cost/report.h"

/* with the shape of the tables of speeds as the other one */
extern const struct col_doc gpu_eval_doc;
void gpu_eval_print(const struct gpu_eval_ask *q, const struct gpu_eval *e, const struct out_as *as,
		    struct str *out);
#endif
