/* tare simulate: says which replays there are. */
#include "cli/cli.h"
#include "cli/cmds.h"

static int run_simulate(struct cli *c)
{
	struct str out = { 0 };
	int n = 0;

	if (c->narg)
		return cli_usage_error(c, "'%s' is nothing that can be simulated", c->arg[0]);
	for (size_t i = 0; cli_commands[i]; i++) {
		struct sv name = sv_of(cli_commands[i]->name), rest;
		if (!sv_is(sv_cut(name, ' ', &rest), "simulate") || !rest.p)
			continue;
		str_addf(&out, "%s  tare %-18s %s\n", n++ ? "" : "What can be replayed:\n\n",
			 cli_commands[i]->name, cli_commands[i]->summary);
	}
	str_addz(&out, "\nEach has --help with examples. Same input and seed, same bytes.\n");
	int code = cli_write(&out);
	str_free(&out);
	return code;
}

const struct cli_cmd cmd_simulate_def = {
	.name = "simulate",
	.group = "see",
	.summary = "replay a trace: spot markets, jobs, requests",
	.usage = "spot|jobs|requests ...",
	.examples = "tare simulate\n"
		    "tare simulate spot --help",
	.about = "Replays run on a virtual clock and call the same decisions as the rest of tare.",
	.run = run_simulate,
};
