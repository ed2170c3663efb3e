/* tare agent status: what the agent has kept, and what the GPUs did. */
#include <stdio.h>

#include "agent/docs.h"
#include "agent/status.h"
#include "cli/agent_open.h"
#include "cli/cmds.h"

static const struct cli_opt opts[] = { AGENT_STATE_OPT, { 0 } };

static int run_agent_status(struct cli *c)
{
	struct agent_status_ask q = { .config = c->config,
				      .since_ms = c->since_ms,
				      .until_ms = c->until_ms,
				      .mem = &c->mem };
	struct agent_status s;
	struct out_as as = cli_out_as(c);
	struct err err = { 0 };
	struct str out = { 0 };
	int r, code;

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (agent_open(c, &q.db, &err) < 0)
		return cli_fail(&err);
	r = agent_status_load(&q, &s, &err);
	if (s.fires.damage)
		fprintf(stderr, "tare: %s\n", s.fires.damage);
	if (r >= 0)
		agent_status_print(&s, &as, &out);
	agent_status_free(&s);
	agentdb_close(q.db);
	code = cli_end(r, &err, &out);
	return code;
}

const struct cli_cmd cmd_agent_status_def = {
	.name = "agent status",
	.group = "",
	.summary = "what the agent has kept, and what the GPUs did",
	.usage = "[--since T] [--until T] [-o json]",
	.examples = "tare agent status\ntare agent status --since today -o json",
	.about =
		"Percentiles are exact where the driver gives whole percents. Works beside a running agent; which alerts fire is at most a minute old,\n"
		"by the rules of --config.",
	.common = CLI_CONFIG | CLI_OUTPUT | CLI_WINDOW,
	.opt = opts,
	.docs = CLI_DOCS(&agent_status_doc),
	.run = run_agent_status,
};
