/* tare agent: watch this machine from now on; see agent/agent.h. */
#include <errno.h>
#include <math.h>

#include "agent/agent.h"
#include "base/tm.h"
#include "cli/agent_open.h"
#include "cli/cmds.h"

/* A setting of section agent: what it is stands there. */
#define SETTING(name, arg, values)                                \
	{                                                         \
		name, arg, NULL, 0, false, values, &agent_section \
	}

static const struct cli_opt opts[] = {
	SETTING("interval", "SPAN", NULL),
	SETTING("flush", "SPAN", NULL),
	SETTING("retention", "SPAN", NULL),
	SETTING("state", "DIR", "DIR"),
	SETTING("listen", "ADDR:PORT", NULL),
	SETTING("hosts", "NAME,...", NULL),
	SETTING("dcgm-names", NULL, NULL),
	SETTING("server", "URL", NULL),
	SETTING("token-file", "FILE", "FILE"),
	SETTING("send-every", "SPAN", NULL),
	SETTING("usd-gpu-hour", "USD", NULL),
	SETTING("scrape", "URL", NULL),
	SETTING("serving", "URL", NULL),
	{ "for", "SPAN", "end after so long", .type = OPT_SPAN,
	  .at = offsetof(struct agent_opt, run_ms), .lo = 1, .hi = INFINITY,
	  .what = "duration such as 10m" },
	{ 0 },
};

static int reload_settings(void *ctx, struct agent_conf *ret, struct err *err)
{
	return agent_settings(ctx, ret, err);
}

static int reload_alerts(void *ctx, struct alerts_conf *ret, struct err *err)
{
	struct cli *c = ctx;
	return alerts_conf_load(c->config, ret, err);
}

static int run_agent(struct cli *c)
{
	struct agent_opt opt = { .ledger = &c->conf,
				 .quiet = c->quiet,
				 .reload = reload_settings,
				 .reload_alerts = reload_alerts,
				 .ctx = c };
	struct err err = { 0 }, ignored;
	struct catalog *cat = NULL;
	if (c->narg)
		return cli_usage_error(
			c, "tare agent has no command '%s': it has status, export and init",
			c->arg[0]);
	if (cli_read_opts(c, &opt, &err) < 0 || agent_settings(c, &opt.conf, &err) < 0)
		return cli_fail(&err);
	if (catalog_open(NULL, &cat, &ignored) < 0)
		cat = NULL; /* names and prices are then not known, the seconds are */
	opt.catalog = cat;
	struct alerts_conf alerts = { 0 };
	opt.alerts = &alerts;
	int r = alerts_conf_load(c->config, &alerts, &err);
	if (r >= 0)
		r = agent_run(&opt, &err);
	alerts_conf_free(&alerts);
	agent_conf_free(&opt.conf);
	catalog_free(cat);
	if (r < 0)
		return cli_fail(&err);
	return EXIT_DONE;
}

const struct cli_cmd cmd_agent_def = {
	.name = "agent",
	.group = "see",
	.summary = "watch this machine: every GPU-second with its owner, state and price",
	.usage = "[--interval SPAN] [--listen ADDR:PORT] [--server URL] ...",
	.examples =
		"tare agent\ntare agent --interval 100ms --listen none\ntare agent --server https://tare.example.org --token-file /etc/tare/token\n"
		"# what it has seen, and into the ledger\ntare agent status\ntare agent export -o node.jsonl && tare import node.jsonl",
	.about =
		"Runs until it is ended; SIGHUP reads the settings again. Works without root: what it then cannot see (other users' processes, sockets of the kubelet or\n"
		"of Docker) is unknown, and tare doctor says so. /metrics listens on loopback unless told otherwise and serves nothing that writes.",
	.common = CLI_CONFIG,
	.opt = opts,
	.run = run_agent,
};
