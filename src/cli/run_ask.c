/* The options of tare run. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tm.h"
#include "cli/run_ask.h"

#define AT(m)  .at = offsetof(struct run_ask, m)
#define SPAN   "duration that fits here, such as 30s, 10m, 2h"
#define AMOUNT "amount, such as 27.50"
#define FD     "open descriptor; open one so: tare run --status-fd 3 ... 3>status.jsonl"
const struct cli_opt run_opts[] = {
#include "cli/run_opts.def"
	{ 0 },
};

#define DRILL(m) .at = offsetof(struct drill_asked, m)
const struct cli_opt run_drill_opts[] = {
	{ "after", "SPAN",
	  "interrupt it so long after its start (default: when it has saved for the first time)",
	  .type = OPT_SPAN, DRILL(drill.after_ms), .lo = 100, .hi = 30.0 * MS_DAY, .what = SPAN },
	{ "max-lost", "SPAN",
	  "one that saves only now and then passes where no more work than this is lost",
	  .type = OPT_SPAN, DRILL(drill.max_lost_ms), .lo = 1000, .hi = MS_DAY, .what = SPAN },
	{ "check", "CMD",
	  "it passes only if this shell command ends with 0 after its end: is the result right?",
	  .type = OPT_TEXT, DRILL(drill.check) },
	{ "stop", NULL, "save and end it when the drill is over (else: it runs to its end)",
	  .type = OPT_FLAG, DRILL(drill.stop) },
	{ "name", "NAME", "of the job, as the job list has it (default: SLURM_JOB_NAME)",
	  .type = OPT_TEXT, DRILL(drill.name) },
	{ "user", "USER", "whose job it is, as the job list has it (default: of Slurm, yours)",
	  .type = OPT_TEXT, DRILL(drill.user) },
	{ "bring", "FILE", "keep a drill of another machine (drill.json) in this store: no CMD",
	  .values = "FILE", .type = OPT_FILE, DRILL(bring) },
#include "cli/run_opts.def"
	{ 0 },
};

static int read_deadline(struct run_ask *a, struct err *err)
{
	a->o.deadline_ms = INT64_MAX;
	if (!a->deadline || tm_parse_span(sv_of(a->deadline), &a->o.deadline_span_ms) >= 0)
		return 0;
	if (tm_parse(sv_of(a->deadline), 0, &a->o.deadline_ms) >= 0)
		return 0;
	return err_set(
		err, -EINVAL,
		"--deadline: '%s' is neither a duration (20h) nor a time (2026-12-01T08:00Z)",
		a->deadline);
}

/* Where the next attempt runs. */
static int read_next(struct run_ask *a, struct err *err)
{
	struct launch l = a->next;
	int r = 0;

	if (a->on_interrupt)
		r = launch_parse(a->on_interrupt, &a->c->mem, &a->next, err);
	if (r >= 0)
		r = launch_places(&a->next, l.on_demand_partition, l.on_demand_constraint,
				  l.spot_partition, err);
	a->money.on_demand_partition = a->next.on_demand_partition;
	a->money.spot_partition = a->next.spot_partition;
	return r;
}

int run_ask_read(struct run_ask *a, struct err *err)
{
	struct cli *c = a->c;
	int r = cli_read_opts(c, a, err);

	if (r < 0)
		return r;
	/* What is no option of its own, or is another inside. */
	struct run_opt *o = &a->o;
	o->argv = c->arg;
	o->gpus = cli_value(c, "gpus");
	o->quiet = c->quiet;
	o->pipe_ignored = c->pipe_ignored;
	o->xfsz_ignored = c->xfsz_ignored;
	o->usd_hour_nano = o->usd_gpu_hour_nano = -1;
	o->budget_nano = a->has_budget ? dec_to_nano(a->budget) : -1;
	o->max_hourly_nano = a->has_max ? dec_to_nano(a->max_hourly) : -1;
	o->plan.od_nano = o->plan.spot_nano = -1;
	o->keep_last = (int)a->keep;
	o->mtbi_h = (double)a->mtbi_ms / MS_HOUR;
	o->notice.usual_ms = o->grace_ms;
	a->money.o = o;
	a->money.conf = &c->conf;
	a->money.mem = &c->mem;
	a->money.now_ms = c->now_ms;
	if (o->glob && !o->watch)
		return err_set(
			err, -EINVAL,
			"--checkpoint-glob says which files of --watch DIR count, and there is no --watch");
	if (strlen(o->dir) > 3000 || (o->watch && strlen(o->watch) > 3000))
		return err_set(err, -ENAMETOOLONG, "the name of the folder is too long");
	int fd = (int)a->status_fd;
	o->status_fd = fd ? fd : -1;
	if (fd && fcntl(fd, F_GETFD) < 0)
		return err_set(err, -EINVAL, "--status-fd: '%d' is no " FD, fd);
	if (fd > 2)
		fcntl(fd, F_SETFD, FD_CLOEXEC); /* not the command's */
	if ((r = run_apart(o, getenv("SLURM_ARRAY_TASK_ID"), &c->mem, err)) < 0)
		return r;
	if ((r = read_next(a, err)) < 0 || (r = read_deadline(a, err)) < 0)
		return r;
	if (a->money.price_file && a->money.price_command)
		return err_set(
			err, -EINVAL,
			"--price-file and --price-command: the price comes from one of them");
	return rate_load(c->config, &c->mem, &a->money.settings, err);
}

int run_ask_money(struct run_ask *a)
{
	char price[DEC_BUF], most[DEC_BUF];
	struct err err = { 0 };

	if (run_money_find(&a->money, &err) < 0) {
		cli_fail(&err);
		return RUN_EXIT_SELF;
	}
	if (a->has_max && nano_to_dec(a->o.usd_hour_nano) > a->max_hourly) {
		fprintf(stderr,
			"tare: not started: this machine costs %s $ an hour, more than --max-hourly %s\n",
			dec_format(price, nano_to_dec(a->o.usd_hour_nano)),
			dec_format(most, a->max_hourly));
		return EXIT_VIOLATED;
	}
	run_money_plan(&a->money);
	if (a->dry_run)
		return 0;
	if (a->shared) /* for libtare in the command, too */
		setenv("TARE_CHECKPOINT_SHARED", "1", 1);
	run_place_find(&a->money);
	return 0;
}

/* The exit code stays 85: whoever starts us may still do it, and the checkpoint is safe. */
void run_ask_next(struct run_ask *a, const struct run_end *end)
{
	struct err err = { 0 };

	if (end->code == RUN_AGAIN && !strcmp(end->why, "interrupted") &&
	    run_start_next(&a->next, &a->o, end, tm_now_ms(), &err) < 0)
		cli_fail(&err);
}
