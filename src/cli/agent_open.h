#ifndef TARE_CLI_AGENT_OPEN_H
#define TARE_CLI_AGENT_OPEN_H
/* What the sub-commands of `tare agent` share: settings with the command line over them, and the
 * agent's files. */
#include "agent/open.h"
#include "cli/cli.h"

/* Settings of the file, then options and TARE_... over them. */
int agent_settings(struct cli *c, struct agent_conf *ret, struct err *err);
/* Files for reading. */
int agent_open(struct cli *c, struct agentdb **ret, struct err *err);

#define AGENT_STATE_OPT                                               \
	{                                                             \
		"state", "DIR", NULL, 0, false, "DIR", &agent_section \
	}

#endif
