/* The table of commands. */
#include "cli/cli.h"
#include "cli/cmds.h"

#define CMD(name) &cmd_##name##_def,
const struct cli_cmd *const cli_commands[] = {
#include "cli/commands.def"
	NULL,
};
