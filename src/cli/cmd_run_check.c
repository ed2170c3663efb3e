/* tare run check: the checkpoints of a folder, and whether they hold. */
#include <errno.h>
#include <string.h>

#include "agent/ckpt_check.h"
#include "agent/docs.h"
#include "base/str.h"
#include "cli/cmds.h"

static int run_run_check(struct cli *c)
{
	struct ckpt_check k;
	struct out_as as = cli_out_as(c);
	struct err err = { 0 };
	struct str out = { 0 };

	if (c->narg > 1)
		return cli_usage_error(c, "one folder at a time");
	if (c->output != OUT_TABLE && c->output != OUT_JSON)
		return cli_usage_error(c, "-o: table or json");
	const char *dir = c->narg ? c->arg[0] : "checkpoints";
	if (strstr(dir, "://")) {
		err_set(&err, -EINVAL, "'%s' is an object store: its copy is checked in a folder",
			dir);
		err_hint(
			&err,
			"It has the layout of the folder: copy it (aws s3 sync, gcloud storage rsync, azcopy), then check the copy");
		return cli_fail(&err);
	}
	if (ckpt_check(dir, &c->mem, &k, &err) < 0)
		return cli_fail(&err);
	ckpt_check_print(&k, &as, &out);
	int code = cli_write(&out);
	str_free(&out);
	if (code)
		return code;
	if (k.ndamaged || k.lost)
		return EXIT_VIOLATED;
	if (!k.n)
		return EXIT_INCOMPLETE;
	return EXIT_DONE;
}

const struct cli_cmd cmd_run_check_def = {
	.name = "run check",
	.group = "",
	.summary = "the checkpoints of a folder: steps, sizes, whether every hash holds",
	.usage = "[DIR]",
	.examples = "tare run check\ntare run check /scratch/unet/checkpoints -o json\n"
		    "# a bucket has the layout of the folder\n"
		    "aws s3 sync s3://bucket/unet copy && tare run check copy",
	.about =
		"Reads all of each checkpoint of the folder (default: checkpoints), newest first, compares every hash and says from which the next run goes on.\n"
		"Changes nothing; a run may write meanwhile. Exit code: 1 one is damaged or missing; 2 it cannot be read; 3 there is none yet.",
	.common = CLI_OUTPUT,
	.docs = CLI_DOCS(&ckpt_check_doc),
	.run = run_run_check,
};
