/* tare run: a command that an interruption cannot hurt. The work is in spot/run.h; here is what is
 * said before and after. Options are read in run_ask.c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sh.h"
#include "base/tm.h"
#include "cli/cmds.h"
#include "cli/run_ask.h"

enum { EXIT_SELF = 125 }; /* tare itself failed, the command was not run */

static int say_only(const struct run_ask *a)
{
	struct str out = { 0 };
	int r;

	str_addz(&out, "would run:");
	for (char **z = a->o.argv; *z; z++)
		str_addf(&out, " %s", sh_show(&a->c->mem, *z));
	str_addf(&out, "\nexit code %d, interrupted and safe: %s", RUN_AGAIN,
		 a->next.kind == LAUNCH_NONE ? "nothing more" : "would run: ");
	launch_say(&a->next, &out);
	str_addz(&out, "\n");
	r = cli_write(&out);
	str_free(&out);
	return r;
}

static int run(struct cli *c)
{
	struct run_ask a = { .c = c };
	struct run_end end = { 0 };
	struct err err = { 0 };
	char price[DEC_BUF], most[DEC_BUF];

	if (!c->narg)
		return cli_usage_error(c, "which command? tare run -- python train.py");
	if (run_ask_read(&a, &err) < 0)
		return cli_fail(&err);
	if (run_money_find(&a.money, &err) < 0) {
		cli_fail(&err);
		return EXIT_SELF;
	}
	if (a.has_max && nano_to_dec(a.o.usd_hour_nano) > a.max_hourly) {
		fprintf(stderr,
			"tare: not started: this machine costs %s $ an hour, more than --max-hourly %s\n",
			dec_format(price, nano_to_dec(a.o.usd_hour_nano)),
			dec_format(most, a.max_hourly));
		return EXIT_VIOLATED;
	}
	run_money_plan(&a.money);
	if (cli_flag(c, "dry-run"))
		return say_only(&a);
	if (cli_flag(c, "shared")) /* for libtare in the command, too */
		setenv("TARE_CHECKPOINT_SHARED", "1", 1);
	run_place_find(&a.money);
	int r = run_supervise(&a.o, &end, &err);
	if (r < 0)
		cli_fail(&err);
	/* the exit code stays 85: whoever starts us may still do it, and the checkpoint is safe */
	if (r == 0 && end.code == RUN_AGAIN && !strcmp(end.why, "interrupted") &&
	    run_start_next(&a.next, &a.o, &end, tm_now_ms(), &err) < 0)
		cli_fail(&err);
	return r < 0 && r != -ENOEXEC ? EXIT_SELF : end.code;
}

static const struct cli_opt opts[] = {
	{ "checkpoint-dir", "DIR", "folder of the checkpoints (default: checkpoints)", 0, false,
	  "DIR" },
	{ "store", "URL",
	  "copy checkpoints there too, and bring the newest back: s3:// gs:// azblob:// a folder, cmd:",
	  0, false, NULL },
	{ "from-zero", NULL,
	  "where there are checkpoints and none can be used, begin at step 0 (else: exit 125)", 0,
	  false, NULL },
	{ "shared", NULL,
	  "others may read the checkpoints, as the umask says (else: 0600, folders 0700)", 0, false,
	  NULL },
	{ "checkpoint-signal", "SIG",
	  "ask for a checkpoint by this signal (programs with libtare need none)", 0, false, NULL },
	{ "watch", "DIR",
	  "the command writes its checkpoints there by itself: take what is complete", 0, false,
	  "DIR" },
	{ "checkpoint-glob", "GLOB", "files of --watch that count, by name or path (default: all)",
	  0, false, NULL },
	{ "link", NULL, "files of --watch are never written again in place: link them, do not copy",
	  0, false, NULL },
	{ "keep", "N", "checkpoints of --watch to keep (default 3)", 0, false, NULL },
	{ "every", "SPAN",
	  "ask for a checkpoint this often, or never (default: worked out from its cost)", 0, false,
	  NULL },
	{ "mtbi", "SPAN", "mean time between interruptions, before any was seen (default 24h)", 0,
	  false, NULL },
	{ "deadline", "T",
	  "save and stop then: a time, or a span from the start of the first attempt", 0, false,
	  NULL },
	{ "budget", "USD", "save and stop when all attempts together cost so much", 0, false,
	  NULL },
	{ "max-hourly", "USD",
	  "not on a machine that costs more an hour: do not start, or save and stop when it comes to cost more",
	  0, false, NULL },
	{ "grace", "SPAN",
	  "time to the end after SIGTERM, and after a file, command or taint that tells none (default 30s)",
	  0, false, NULL },
	{ "notice", "LIST",
	  "who may say that the machine goes: auto none aws gcp azure slurm kubernetes file command (default auto)",
	  0, false, NULL },
	{ "notice-file", "FILE", "it goes when FILE is there (in it: 90s, or a time)", 0, false,
	  "FILE" },
	{ "notice-command", "CMD", "it goes when this shell command ends with 0", 0, false, NULL },
	{ "notice-signal", "SIG",
	  "this signal is a notice too, such as USR1 of sbatch --signal=B:USR1@90", 0, false,
	  NULL },
	{ "notice-span", "SPAN", "how long before the end that signal comes (default 60s)", 0,
	  false, NULL },
	{ "notice-poll", "SPAN", "ask this often, not as the provider advises", 0, false, NULL },
	{ "ack", NULL, "Azure: say when the state is safe, so that the machine goes at once", 0,
	  false, NULL },
	{ "aws-url", "URL", "metadata service of AWS, where it is not at its usual place", 0, false,
	  NULL },
	{ "gcp-url", "URL", "metadata service of Google", 0, false, NULL },
	{ "azure-url", "URL", "metadata service of Azure", 0, false, NULL },
	{ "kube-url", "URL", "API server of Kubernetes (default: the pod's)", 0, false, NULL },
	{ "kube-node", "NAME", "node of this pod (default: NODE_NAME)", 0, false, NULL },
	{ "kube-token-file", "FILE", "token for it (default: the service account's)", 0, false,
	  "FILE" },
	{ "kube-ca-file", "FILE", "roots for it (default: the service account's)", 0, false,
	  "FILE" },
	{ "on-interrupt", "WHAT",
	  "after exit 85: none (default), requeue the Slurm job, or exec:PROGRAM ARG... with JSON on its input",
	  0, false, NULL },
	{ "dry-run", NULL, "say what would be run, now and after an interruption, and do nothing",
	  0, false, NULL },
	{ "job", "NAME",
	  "name of the job in the ledger (default: the Slurm job, else host and folder)", 0, false,
	  NULL },
	{ "gpus", "N", "GPUs that it holds (default: CUDA_VISIBLE_DEVICES, SLURM_GPUS_ON_NODE)", 0,
	  false, NULL },
	{ "gpu-model", "MODEL", "their model, for the ledger and the price", 0, false, NULL },
	{ "instance-type", "TYPE", "price: this machine is of that type", 0, false, NULL },
	{ "provider", "P", "price: of this provider", 0, false, NULL },
	{ "region", "REGION", "price: in this region", 0, false, NULL },
	{ "place", "NAME",
	  "where this attempt is, for tare plan spot (default: region, zone, instance type, partition as far as known)",
	  0, false, NULL },
	{ "purchase", "P", "price: on_demand (default), spot, ...", 0, false, NULL },
	{ "usd-gpu-hour", "USD", "price: of one GPU an hour", 0, false, NULL },
	{ "usd-hour", "USD", "price: of the whole machine an hour", 0, false, NULL },
	{ "price-file", "FILE", "price: of the machine an hour, stands in FILE and may change", 0,
	  false, "FILE" },
	{ "price-command", "CMD", "price: of the machine an hour, printed by this shell command", 0,
	  false, NULL },
	{ "price-every", "SPAN",
	  "read the price again this often, the catalogue's too (default 5m)", 0, false, NULL },
	{ "steps", "N", "the whole job has so many steps: for where the next attempt should run", 0,
	  false, NULL },
	{ "work", "SPAN", "or it takes so long without interruptions", 0, false, NULL },
	{ "restart", "SPAN",
	  "from asking for a machine to the first step (default: measured, and 5m for the machine)",
	  0, false, NULL },
	{ "on-demand", "USD",
	  "price of such a machine on demand an hour (default: the catalogue's)", 0, false, NULL },
	{ "spot", "USD", "price of such a machine on spot an hour (default: the catalogue's)", 0,
	  false, NULL },
	{ "on-demand-partition", "NAME",
	  "requeue: into this partition when spot no longer fits the deadline", 0, false, NULL },
	{ "on-demand-constraint", "TEXT", "requeue: and with this constraint", 0, false, NULL },
	{ "spot-partition", "NAME", "requeue: back into this partition when spot fits again", 0,
	  false, NULL },
	{ "status-fd", "N", "write what happens there, a line of JSON each", 0, false, NULL },
	{ 0 },
};

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
		"# no longer than 20 hours, no dearer than 60 dollars over all attempts\n"
		"tare run --deadline 20h --budget 60 --usd-hour 2.74 -- python train.py\n"
		"# where should the next attempt run so that 10,000 steps are done by Monday? Said at the end, and done in Slurm\n"
		"tare run --deadline 2026-12-01T08:00Z --steps 10000 --on-demand 3.06 --spot 0.97 --on-interrupt requeue --on-demand-partition gpu -- python train.py",
	.about =
		"The command has the terminal, its input and output, its signals and its exit code as if tare were not there. When the machine is to be taken away (the\n"
		"clouds' notices, SIGTERM, a taint of the node, a file, a command of yours) it is asked to save, then gets SIGTERM, then SIGKILL, each in time. A\n"
		"checkpoint is called safe only when it is in the folder as a whole, and in the store where one is given. Started again, the newest one that holds is\n"
		"used; TARE_RESUME_STEP, TARE_CHECKPOINT_DIR, TARE_RUN_SOCKET and TARE_ATTEMPT are set. What was lost stands in DIR/attempts.csv, which tare import reads.\n\n"
		"Exit code: the command's; 85 interrupted, and a checkpoint is safe; 1 the deadline, the budget or --max-hourly is reached; 128 + n for a signal, 126 where it cannot be\n"
		"run, 127 where it is not there, 125 where tare itself failed.",
	.common = CLI_CONFIG,
	.opt = opts,
	.run = run,
};
