/* The table of commands of tare-agent, the small program of a node: neither DuckDB nor reports are
 * linked into it. */
#include "cli/cli.h"
#include "cli/cmds.h"

const struct cli_cmd *const cli_commands[] = {
	&cmd_profile_def,
	&cmd_run_def,
	&cmd_run_drill_def,
	&cmd_run_check_def,
	&cmd_agent_def,
	&cmd_agent_status_def,
	&cmd_agent_export_def,
	&cmd_agent_init_def,
	&cmd_help_def,
	&cmd_version_def,
	NULL,
};
