#ifndef TARE_CLI_PROFILE_EXPLAIN_H
#define TARE_CLI_PROFILE_EXPLAIN_H
/* `tare explain p-20261121-155123`, `tare explain last`, `tare explain --profile FILE`: the report
 * of a run that was kept. */
#include "cli/cli.h"

/* Has tare profile kept a run here? */
bool profile_explain_any(struct cli *c);
/* Is this argument a run? */
bool profile_explain_wants(const struct cli *c);
/* file NULL: the run that the argument names. The exit code. */
int profile_explain(struct cli *c, const char *file);

#endif
