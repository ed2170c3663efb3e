/* tare agent export: what the agent kept, in the format that tare import and a server read. */
#include <string.h>

#include "agent/wire.h"
#include "cli/agent_open.h"
#include "cli/cmds.h"

static const struct cli_opt opts[] = {
	{ "output", "FILE", "where to; .zst packs it (default: stdout)", 'o', .values = "FILE",
	  .type = OPT_FILE },
	AGENT_STATE_OPT,
	{ 0 },
};

static int run_agent_export(struct cli *c)
{
	const char *path;
	struct err err = { 0 };
	struct agentdb *db;
	struct wire_range range;
	int r;

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	wire_range_all(&range);
	range.since_ms = c->since_ms;
	range.until_ms = c->until_ms;
	if (cli_read_opts(c, &path, &err) < 0 || agent_open(c, &db, &err) < 0)
		return cli_fail(&err);
	r = wire_write_file(db, &range, path && strcmp(path, "-") ? path : NULL, &err);
	agentdb_close(db);
	if (r < 0)
		return cli_fail(&err);
	return EXIT_DONE;
}

const struct cli_cmd cmd_agent_export_def = {
	.name = "agent export",
	.group = "",
	.summary = "what the agent kept, for tare import or a server",
	.usage = "[--since T] [--until T] [-o FILE]",
	.examples =
		"tare agent export -o node.jsonl.zst && tare import node.jsonl.zst\ntare agent export --since today | jq 'select(.type == \"allocation\")'",
	.about = "Format: docs/AGENT-FORMAT.md. Works beside a running agent.",
	.common = CLI_CONFIG | CLI_WINDOW,
	.opt = opts,
	.run = run_agent_export,
};
