/* tare agent export: what the agent kept, in the format that tare import and a server read. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "agent/wire.h"
#include "base/pack.h"
#include "cli/agent_open.h"
#include "cli/cmds.h"

static const struct cli_opt opts[] = {
	{ "output", "FILE", "where to; .zst packs it (default: stdout)", 'o', false, "FILE" },
	AGENT_STATE_OPT,
	{ 0 },
};

struct target {
	FILE *f;
	bool pack;
};

/* Packed pieces are frames of their own: readers take them for one. */
static int put(void *ctx, struct str *out, struct err *err)
{
	struct target *t = ctx;
	struct str packed = { 0 };
	int r = t->pack ? pack_zstd(str_sv(out), &packed, err) : 0;
	const struct str *s = t->pack ? &packed : out;
	if (r >= 0 && fwrite(str_z(s), 1, s->n, t->f) != s->n)
		r = err_set(err, -errno, "cannot write the output: %s", strerror(errno));
	str_free(&packed);
	str_clear(out);
	return r;
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct agentdb *db;
	struct wire_range range;
	struct target t = { .f = stdout };
	const char *path = cli_value(c, "output");
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	wire_range_all(&range);
	range.since_ms = c->since_ms;
	range.until_ms = c->until_ms;
	if (agent_open(c, &db, &err) < 0)
		return cli_fail(&err);
	if (path && strcmp(path, "-")) {
		t.pack = sv_ends(sv_of(path), SV(".zst"));
		if (!(t.f = fopen(path, "we"))) {
			err_set(&err, -errno, "cannot write '%s': %s", path, strerror(errno));
			agentdb_close(db);
			return cli_fail(&err);
		}
	}
	int r = wire_write(db, &range, &out, put, &t, NULL, &err);
	if (fflush(t.f) && r >= 0)
		r = err_set(&err, -errno, "cannot write the output: %s", strerror(errno));
	if (t.f != stdout)
		fclose(t.f);
	agentdb_close(db);
	str_free(&out);
	return r < 0 ? cli_fail(&err) : EXIT_DONE;
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
	.run = run,
};
