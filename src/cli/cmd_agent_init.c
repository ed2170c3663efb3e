/* tare agent init: prints what puts the agent on nodes. The texts are those of packaging/, compiled
 * in. */
#include <limits.h>
#include <unistd.h>

#include "agent/unit.h"
#include "base/num.h"
#include "cli/agent_files.h"
#include "cli/cli.h"
#include "cli/cmds.h"

static int run_agent_init(struct cli *c)
{
	struct str out = { 0 };
	const struct agent_file *f = NULL;
	if (c->narg != 1)
		return cli_usage_error(
			c, "name one: systemd, kubernetes, slurm, slurm-prolog or slurm-epilog");
	for (size_t i = 0; agent_files[i].name && !f; i++)
		f = !strcmp(agent_files[i].name, c->arg[0]) ? &agent_files[i] : NULL;
	if (!f && !strcmp(c->arg[0], "slurm")) {
		for (size_t i = 0; agent_files[i].name; i++)
			if (!strncmp(agent_files[i].name, "slurm-", 6))
				str_addf(&out, "# ---- %s ----\n%s\n", agent_files[i].name,
					 agent_files[i].text);
	} else if (f) {
		/* The unit starts the program from where it lies. */
		char own[PATH_MAX];
		ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
		own[max_i64(n, 0)] = 0;
		agent_unit_put(f->text, own, &out);
	} else {
		return cli_usage_error(
			c, "'%s' is none of systemd, kubernetes, slurm, slurm-prolog, slurm-epilog",
			c->arg[0]);
	}
	int code = cli_write(&out);
	str_free(&out);
	return code;
}

const struct cli_cmd cmd_agent_init_def = {
	.name = "agent init",
	.group = "",
	.summary = "print the unit, DaemonSet or prolog that puts the agent on nodes",
	.usage = "systemd|kubernetes|slurm|slurm-prolog|slurm-epilog",
	.about =
		"Each text says at its head how it is put to use. The DaemonSet needs an image of yours in its line image:.",
	.examples =
		"tare agent init systemd | sudo tee /etc/systemd/system/tare-agent.service\ntare agent init kubernetes > tare-agent.yaml\n"
		"tare agent init slurm-prolog > /etc/slurm/prolog.d/50-tare.sh && chmod +x /etc/slurm/prolog.d/50-tare.sh",
	.run = run_agent_init,
};
