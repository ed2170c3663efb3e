/* tare init: writes a script with the whole pattern in it, ready to be filled in. The texts are
 * those of packaging/init, compiled in. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/fdio.h"
#include "base/sh.h"
#include "cli/agent_files.h"
#include "cli/cli.h"
#include "cli/cmds.h"

extern const struct agent_file init_files[]; /* "slurm", "kubernetes", "skypilot", "python" */

static const struct template
{
	const char *name, *file, *next, *needs;
	mode_t mode;
}
kinds[] = {
	{ "slurm", "train.sbatch", "sbatch", "", 0777 },
	{ "kubernetes", "train.yaml", "kubectl apply -f", "", 0666 },
	{ "skypilot", "train.sky.yaml", "sky jobs launch", "", 0666 },
	{ "python", "train.py", "tare run -- python3",
	  "It needs PyTorch (pip install torch); tare itself is found under tare run.\n", 0777 },
};

static const char *text_of(const char *name)
{
	for (size_t i = 0; init_files[i].name; i++)
		if (!strcmp(init_files[i].name, name))
			return init_files[i].text;
	return "";
}

/* A file that is there stays as it is unless told: what was filled in is not lost. One that could
 * not be written whole is removed again. */
static int write_file(const char *path, mode_t mode, bool force, const char *text, struct err *err)
{
	int rc, fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (force ? O_TRUNC : O_EXCL), mode);

	if (fd < 0 && errno == EEXIST) {
		err_set(err, -EEXIST, "'%s' is there already: nothing was written", path);
		err_hint(err, "--force writes over it, --output FILE writes another");
		return -EEXIST;
	}
	if (fd < 0)
		return err_set(err, -errno, "cannot make '%s': %s", path, strerror(errno));
	rc = fd_write_all(fd, sv_of(text));
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	if (rc < 0) {
		if (!force)
			unlink(path);
		return err_set(err, rc, "cannot write '%s': %s", path, strerror(-rc));
	}
	return 0;
}

static int run_init(struct cli *c)
{
	const struct template *k = NULL;
	const char *path = NULL;
	struct err err = { 0 };
	struct str out = { 0 };
	int code = EXIT_DONE;
	bool force;

	for (size_t i = 0; c->narg == 1 && i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].name, c->arg[0]))
			k = &kinds[i];
	/* Only what was given here: the variable TARE_OUTPUT is the format of other commands. */
	for (size_t i = 0; i < c->ngiven; i++)
		if (!strcmp(c->given[i].opt->name, "output"))
			path = c->given[i].value;
	if (cli_read_opts(c, &force, &err) < 0)
		return cli_fail(&err);
	if (c->narg != 1)
		return cli_usage_error(c, "name one: slurm, kubernetes, skypilot or python");
	if (!k)
		return cli_usage_error(c, "'%s' is none of slurm, kubernetes, skypilot, python",
				       c->arg[0]);
	if (path && !strcmp(path, "-")) {
		str_addz(&out, text_of(k->name));
	} else {
		if (!path)
			path = k->file;
		if (write_file(path, k->mode, force, text_of(k->name), &err) < 0)
			return cli_fail(&err);
		if (!c->quiet)
			str_addf(&out, "wrote '%s'; look at its lines with YOURS, then: %s %s\n%s",
				 path, k->next,
				 sh_show(&c->mem, path[0] == '-'
							  ? arena_printf(&c->mem, "./%s", path)
							  : path),
				 k->needs);
	}
	code = cli_write(&out);
	str_free(&out);
	return code;
}

static const struct cli_opt opts[] = {
	{ "output", "FILE",
	  "write to FILE, \"-\" to standard output (default: train.sbatch, train.yaml, train.sky.yaml, train.py)",
	  'o', false, "FILE" },
	{ "force", NULL, "write over a file that is there", .type = OPT_FLAG },
	{ 0 },
};

const struct cli_cmd cmd_init_def = {
	.name = "init",
	.group = "act",
	.summary = "write a script that interruptions cannot hurt",
	.usage = "slurm|kubernetes|skypilot|python",
	.examples =
		"tare init python\ntare init slurm --output llama.sbatch\ntare init kubernetes -o - | less",
	.about =
		"slurm is a batch script with --requeue and --signal that runs train.py under tare run and puts itself back into the queue;\n"
		"kubernetes is a Job for spot nodes whose interruptions do not count as failures; skypilot is a managed job for spot machines with\n"
		"its checkpoints in a bucket; python is the training loop itself, with checkpoints,\n"
		"the order of the data and the cost so far. Lines to look at are marked YOURS.",
	.opt = opts,
	.run = run_init,
};
