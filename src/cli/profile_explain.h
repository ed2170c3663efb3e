#ifndef TARE_CLI_PROFILE_EXPLAIN_H
#define TARE_CLI_PROFILE_EXPLAIN_H
/* `tare explain p-20261121-155123`, `tare explain last`, `tare explain --profile FILE`: the report
 * of a run that was kept. */
#include "cli/cli.h"

/* Is this argument a run, or --profile given? */
bool profile_explain_wants(struct cli *c);
int profile_explain(struct cli *c); /* the exit code */

#endif
