/* tare run drill: does this job survive an interruption? It is interrupted once on purpose and
 * started again; what is seen is kept for tare plan. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/docs.h"
#include "base/sh.h"
#include "base/str.h"
#include "cli/cmds.h"
#include "cli/python_path.h"
#include "cli/run_ask.h"

static int bring_drill(struct cli *c, const char *path)
{
	struct err err = { 0 };
	int n = drill_bring(path, cli_db(c), &err);

	if (n < 0)
		return cli_fail(&err);
	if (!c->quiet)
		fprintf(stderr, "tare: %d restore drill%s kept in '%s'\n", n, plural(n), cli_db(c));
	return EXIT_DONE;
}

/* One line for people, and what to do. */
static void say_end(const struct drill_asked *a, const struct drill_end *e)
{
	const struct drill *d = &e->drill;

	if (d->passed && a->run.c->quiet)
		return;
	const char *word = "FAILED";
	if (d->passed)
		word = "passed";
	else if (e->fault == DRILL_NOT_MADE)
		word = "was not made";
	fprintf(stderr, "tare: the restore drill %s: %s\n", word, d->why);
	if (d->passed)
		fprintf(stderr,
			"      safe %.1f s after the notice, %.1f s until its first step, %.1f s of work done again\n",
			d->save_s, d->restart_s, d->lost_s);
	else if (*d->what_to_do)
		fprintf(stderr, "      %s\n", d->what_to_do);
	if (e->stored && !d->gpus)
		fprintf(stderr,
			"      Kept, and of no job of the plan: how many GPUs it held was not told (--gpus N)\n");
	else if (e->stored)
		fprintf(stderr, "      Kept in '%s': %s (tare plan --lever spot)\n",
			a->drill.store_dir,
			d->passed ? "the plan may move such jobs to spot, to be tried first"
				  : "such jobs stay at \"add checkpoints\"");
	else if (e->kept)
		fprintf(stderr,
			"      Kept in '%s/drill.json'; where the store is: tare run drill --bring drill.json\n",
			a->run.o.dir);
}

static int print_drill(struct cli *c, const struct drill *d)
{
	struct str out = { 0 };
	int r;

	if (c->output != OUT_JSON)
		return EXIT_DONE;
	drill_line(d, &out);
	r = cli_write(&out);
	str_free(&out);
	return r;
}

static int make_drill(struct cli *c, struct drill_asked *a)
{
	struct drill_end end = { 0 };
	struct err err = { 0 };
	int r = drill_make(&a->drill, &end, &err);

	if (r < 0) {
		cli_fail(&err);
		if (r == -ENOEXEC)
			return end.run.code;
		return RUN_EXIT_SELF;
	}
	say_end(a, &end);
	if (*end.keep_err.msg)
		cli_fail(&end.keep_err);
	r = print_drill(c, &end.drill);
	if (end.interrupted)
		run_ask_next(&a->run, &end.run);
	if (r)
		return r;
	bool bad = end.fault != DRILL_FINE && end.fault != DRILL_NOT_MADE;

	if (bad)
		return EXIT_VIOLATED;
	if (end.fault == DRILL_NOT_MADE) {
		if (end.run.code)
			return end.run.code;
		return EXIT_INCOMPLETE;
	}
	if (a->drill.stop && !strcmp(end.run.why, "drilled"))
		return EXIT_DONE;
	return end.run.code;
}

static int run_run_drill(struct cli *c)
{
	struct drill_asked a = { .run.c = c };
	struct err err = { 0 };
	int r;

	if (run_ask_read(&a.run, &err) < 0)
		return cli_fail(&err);
	if (a.bring && c->narg)
		return cli_usage_error(c, "--bring keeps a drill that was made: no command");
	if (a.bring)
		return bring_drill(c, a.bring);
	if (!c->narg)
		return cli_usage_error(c, "which command? tare run drill -- python train.py");
	if (a.drill.check && a.drill.stop)
		return cli_usage_error(
			c, "--check looks at the result, and with --stop there is none");
	if ((r = run_ask_money(&a.run)) != 0)
		return r;
	a.drill.o = &a.run.o;
	a.drill.store_dir = cli_db(c);
	a.drill.mem = &c->mem;
	if (a.run.dry_run) {
		printf("would run, interrupt once and run again: %s\n",
		       sh_show(&c->mem, c->arg[0]));
		return EXIT_DONE;
	}
	/* For which jobs it will stand, while there is time to mend it. */
	const char *name = text_or(a.drill.name, getenv("SLURM_JOB_NAME"));

	if ((!name || !*name) && !a.run.c->quiet)
		fprintf(stderr,
			"tare: without --name NAME, as the job list has it, the plan will not know which jobs this drill stands for\n");
	python_path_offer();
	return make_drill(c, &a);
}

const struct cli_cmd cmd_run_drill_def = {
	.name = "run drill",
	.group = "",
	.summary = "interrupt a run once on purpose: does it save, and resume from there?",
	.usage = "[--name NAME] [--after SPAN] [options of tare run] -- CMD...",
	.examples =
		"# a program that uses libtare, on its own machine: interrupted when it has saved once, then it runs to its end\n"
		"tare run drill --name unet-7 -- python train.py\n"
		"# a framework that saves at USR1; interrupted after ten minutes, and ended when it has gone on\n"
		"tare run drill --name unet-7 --after 10m --stop --watch out --checkpoint-glob '*.pt' --checkpoint-signal USR1 -- python train.py\n"
		"# the result must be that of a run that nothing happened to\n"
		"tare run drill --name unet-7 --check 'cmp out/metrics.json reference.json' -- python train.py\n"
		"# made on a machine without the store\n"
		"tare run drill --bring checkpoints/drill.json",
	.about =
		"As tare run, with a notice of --grace (30 s, the shortest of the clouds) that nobody sent: the command is asked to save, then gets SIGTERM, then SIGKILL. Then\n"
		"it is started again. The drill has passed when something was safe after the notice, when it went on from that step and no other, and when something newer is\n"
		"safe or it has ended with 0. What it took is kept in DIR/drill.json and, where there is a store, in drills.jsonl beside it: tare plan then takes the jobs of this\n"
		"user, with this name (whatever the numbers in it) and no more GPUs, for such that resume, for plan.gates.drill_days. A drill that failed is kept too and counts\n"
		"against them; one that is killed leaves nothing.\n\n"
		"Exit code: 1 the drill failed; 3 it ended before it could be interrupted; else as tare run, 0 with --stop.",
	.common = CLI_STORE | CLI_OUTPUT,
	.opt = run_drill_opts,
	.docs = CLI_DOCS(&run_drill_doc),
	.run = run_run_drill,
};
