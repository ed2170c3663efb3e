#ifndef TARE_REPORT_TRACE_H
#define TARE_REPORT_TRACE_H
/* What a profiler's trace says about the use of the GPUs: text or JSON ("tare.explain.trace/1"). */
#include "answer/trace.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc trace_doc;
void trace_print(const struct trace_answer *t, const char *file, const struct out_as *as,
		 struct str *out);
#endif
