/* tare run: a command that an interruption cannot hurt. The work is in run/run.h; here is what is
 * said before and after. Options are read in run_ask.c. */
#include <errno.h>

#include "agent/docs.h"
#include "base/sh.h"
#include "cli/cmds.h"
#include "cli/python_path.h"
#include "cli/run_ask.h"

static int run_run(struct cli *c)
{
	struct run_ask a = { .c = c };
	struct run_end end = { 0 };
	struct err err = { 0 };
	int r;

	if (!c->narg)
		return cli_usage_error(c, "which command? tare run -- python train.py");
	if (run_ask_read(&a, &err) < 0)
		return cli_fail(&err);
	r = run_ask_money(&a);
	if (r)
		return r;
	if (a.dry_run) {
		struct str out = { 0 };
		str_addz(&out, "would run:");
		for (char **z = a.o.argv; *z; z++)
			str_addf(&out, " %s", sh_show(&a.c->mem, *z));
		str_addf(&out, "\nexit code %d, interrupted and safe: %s", RUN_AGAIN,
			 a.next.kind == LAUNCH_NONE ? "nothing more" : "would run: ");
		launch_say(&a.next, &out);
		str_addz(&out, "\n");
		r = cli_write(&out);
		str_free(&out);
		return r;
	}
	python_path_offer();
	r = run_supervise(&a.o, &end, &err);
	if (r < 0)
		cli_fail(&err);
	else
		run_ask_next(&a, &end);
	if (r < 0 && r != -ENOEXEC)
		return RUN_EXIT_SELF;
	return end.code;
}

const struct cli_cmd cmd_run_def = {
	.name = "run",
	.group = "act",
	.summary =
		"run a command so that an interruption loses nothing: exit 85 = safe, start me again",
	.usage = "[--checkpoint-dir DIR] [--watch DIR] [--checkpoint-signal SIG] ... -- CMD...",
	.examples =
		"# a program that uses libtare (python: import tare)\n"
		"tare run -- python train.py\n"
		"# a framework that writes checkpoints by itself, and saves at USR1\n"
		"tare run --watch out --checkpoint-glob '*.pt' --checkpoint-signal USR1 -- python train.py\n"
		"# last line of a Slurm script with #SBATCH --requeue --signal=B:USR1@90: the batch shell is replaced, so that the signal is tare's (tare init slurm uses srun)\n"
		"exec tare run --notice-signal USR1 --notice-span 90s --on-interrupt requeue -- python train.py\n"
		"# no longer than 20 hours, not more expensive than 60 dollars over all attempts\n"
		"tare run --deadline 20h --budget 60 --usd-hour 2.74 -- python train.py\n"
		"# where should the next attempt run so that 10,000 steps are done by Monday? Said at the end, and done in Slurm\n"
		"tare run --deadline 2026-12-01T08:00Z --steps 10000 --on-demand 3.06 --spot 0.97 --on-interrupt requeue --on-demand-partition gpu -- python train.py",
	.about =
		"The command has the terminal, its input and output, its signals and its exit code as if tare were not there. When the machine is to be taken away (the\n"
		"clouds' notices, SIGTERM, a taint of the node, a file, a command of yours) it is asked to save, then gets SIGTERM, then SIGKILL, each in time. A\n"
		"checkpoint is called safe only when it is in the folder as a whole, and in the store where one is given. Started again, the newest one that holds is\n"
		"used; TARE_RESUME_STEP, TARE_CHECKPOINT_DIR, TARE_RUN_SOCKET and TARE_ATTEMPT are set, and PYTHONPATH ends in a folder from which Python can import tare where it finds no other. What was lost stands in DIR/attempts.csv, which tare import reads.\n\n"
		"Exit code: the command's; 85 interrupted, and a checkpoint is safe; 1 the deadline, the budget or --max-hourly is reached; 128 + n for a signal, 126 where it cannot be\n"
		"run, 127 where it is not there, 125 where tare itself failed.",
	.common = CLI_CONFIG,
	.opt = run_opts,
	.docs = CLI_DOCS(&run_doc),
	.run = run_run,
};
