#ifndef TARE_CLI_EXPLAIN_SAMPLES_H
#define TARE_CLI_EXPLAIN_SAMPLES_H
/* tare explain --samples FILE: causes of low utilisation in recorded readings, a window after the
 * other. */
#include "cli/cli.h"

int explain_samples(struct cli *c, const char *file); /* the exit code */

#endif
