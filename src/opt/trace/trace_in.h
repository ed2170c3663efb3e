#ifndef TARE_OPT_TRACE_TRACE_IN_H
#define TARE_OPT_TRACE_TRACE_IN_H
/* Inside the reading of a trace: trace.c makes the sums, trace_find.c says what they mean. */
#include "opt/trace/trace.h"

/* Fills in the findings by the sums. */
void trace_find(struct trace_report *r);

#endif
