#ifndef TARE_CLI_EXPLAIN_TRACE_H
#define TARE_CLI_EXPLAIN_TRACE_H
/* tare explain --trace FILE: what a profiler's trace says about the use of the cards. */
#include "cli/cli.h"

int explain_trace(struct cli *c, const char *file); /* the exit code */

#endif
