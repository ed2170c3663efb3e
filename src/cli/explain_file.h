#ifndef TARE_CLI_EXPLAIN_FILE_H
#define TARE_CLI_EXPLAIN_FILE_H
/* tare explain of a file: --samples, why recorded GPUs were slow, a window after the other;
 * --trace, what a profiler's trace says. Both return the exit code. */
#include "cli/cli.h"

int explain_samples(struct cli *c, const char *file, int64_t window_ms);
/* usd_gpu_hour NAN: not known */
int explain_trace(struct cli *c, const char *file, double usd_gpu_hour);

#endif
