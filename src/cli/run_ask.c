/* The options of tare run. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tm.h"
#include "cli/run_ask.h"

static int span(const struct cli *c, const char *name, int64_t lo, int64_t hi, int64_t *ret,
		struct err *err)
{
	const char *z = cli_value(c, name);

	if (z && (tm_parse_span(sv_of(z), ret) < 0 || *ret < lo || *ret > hi))
		return err_set(err, -EINVAL,
			       "--%s: '%s' is no span that fits here, such as 30s, 10m, 2h", name,
			       z);
	return 0;
}

static int amount(const struct cli *c, const char *name, dec *ret, bool *has, struct err *err)
{
	const char *z = cli_value(c, name);

	*has = z != NULL;
	if (z && (dec_parse(sv_of(z), 0, ret) < 0 || *ret < 0 || *ret > DEC_ONE * 1000000000))
		return err_set(err, -EINVAL, "--%s: '%s' is no amount, such as 27.50", name, z);
	return 0;
}

/* "USR1", "SIGUSR1", "10". */
static int signal_of(const char *name, const char *z, int *ret, struct err *err)
{
	int64_t n;

	if (!z)
		return 0;
	for (int i = 1; i < NSIG; i++) {
		const char *word = sigabbrev_np(i);
		if (word && (sv_ieq(sv_of(z), sv_of(word)) ||
			     (sv_ieq((struct sv){ z, 3 }, SV("SIG")) && strlen(z) > 3 &&
			      sv_ieq(sv_of(z + 3), sv_of(word)))))
			*ret = i;
	}
	if (!*ret && sv_i64(sv_of(z), &n) == 0 && n > 0 && n < NSIG)
		*ret = (int)n;
	if (!*ret || *ret == SIGKILL || *ret == SIGSTOP || *ret == SIGCHLD)
		return err_set(err, -EINVAL,
			       "--%s: '%s' is no signal that a program can answer, such as USR1",
			       name, z);
	return 0;
}

static int read_limits(struct run_ask *a, struct err *err)
{
	struct cli *c = a->c;
	const char *deadline = cli_value(c, "deadline"), *keep = cli_value(c, "keep"),
		   *every = cli_value(c, "every");
	int64_t n;
	dec budget = 0;
	bool has_budget;
	int r;

	a->o.deadline_ms = INT64_MAX;
	if (deadline && tm_parse_span(sv_of(deadline), &n) >= 0)
		a->o.deadline_span_ms = n;
	else if (deadline && tm_parse(sv_of(deadline), 0, &a->o.deadline_ms) < 0)
		return err_set(
			err, -EINVAL,
			"--deadline: '%s' is neither a span (20h) nor a time (2026-12-01T08:00Z)",
			deadline);
	if ((r = amount(c, "budget", &budget, &has_budget, err)) < 0 ||
	    (r = amount(c, "max-hourly", &a->max_hourly, &a->has_max, err)) < 0)
		return r;
	a->o.budget_nano = has_budget ? dec_to_nano(budget) : -1;
	a->o.max_hourly_nano = a->has_max ? dec_to_nano(a->max_hourly) : -1;
	if (keep && (sv_i64(sv_of(keep), &n) < 0 || n < 1 || n > 10000))
		return err_set(err, -EINVAL, "--keep: '%s' is no number from 1", keep);
	a->o.keep_last = keep ? (int)n : 3;
	if (every && (!strcmp(every, "never") || !strcmp(every, "none")))
		a->o.every_ms = INT64_MAX;
	else if ((r = span(c, "every", 1000, 30 * MS_DAY, &a->o.every_ms, err)) < 0)
		return r;
	n = 0;
	if ((r = span(c, "mtbi", MS_MINUTE, 3650 * MS_DAY, &n, err)) < 0)
		return r;
	a->o.mtbi_h = (double)n / MS_HOUR;
	return 0;
}

static int read_notices(struct run_ask *a, struct err *err)
{
	struct cli *c = a->c;
	struct notice_opt *n = &a->o.notice;
	int r;

	*n = (struct notice_opt){ .sources = cli_value(c, "notice"),
				  .aws = cli_value(c, "aws-url"),
				  .gcp = cli_value(c, "gcp-url"),
				  .azure = cli_value(c, "azure-url"),
				  .file = cli_value(c, "notice-file"),
				  .command = cli_value(c, "notice-command"),
				  .kube_url = cli_value(c, "kube-url"),
				  .kube_token_file = cli_value(c, "kube-token-file"),
				  .kube_ca_file = cli_value(c, "kube-ca-file"),
				  .node = cli_value(c, "kube-node"),
				  .ack = cli_flag(c, "ack") };
	a->o.notice_signal_ms = 60000;
	if ((r = signal_of("notice-signal", cli_value(c, "notice-signal"), &a->o.notice_signal,
			   err)) < 0 ||
	    (r = span(c, "notice-span", 1000, MS_DAY, &a->o.notice_signal_ms, err)) < 0)
		return r;
	if ((r = span(c, "notice-poll", 50, MS_HOUR, &n->poll_ms, err)) < 0 ||
	    (r = span(c, "grace", 100, MS_DAY, &a->o.grace_ms, err)) < 0)
		return r;
	n->usual_ms = a->o.grace_ms;
	return signal_of("checkpoint-signal", cli_value(c, "checkpoint-signal"), &a->o.ask_signal,
			 err);
}

static int read_price(struct run_ask *a, struct err *err)
{
	struct cli *c = a->c;
	struct run_money *m = &a->money;
	int r;

	m->place = cli_value(c, "place");
	m->given.instance_type = cli_value(c, "instance-type");
	m->given.provider = cli_value(c, "provider");
	m->given.region = cli_value(c, "region");
	m->given.purchase = cli_value(c, "purchase");
	if ((r = amount(c, "usd-gpu-hour", &m->given.usd_gpu_hour, &m->given.has_usd_gpu_hour,
			err)) < 0 ||
	    (r = amount(c, "usd-hour", &m->given.usd_hour, &m->given.has_usd_hour, err)) < 0)
		return r;
	m->price_file = cli_value(c, "price-file");
	m->price_command = cli_value(c, "price-command");
	m->price_every_ms = 5 * MS_MINUTE;
	if (m->price_file && m->price_command)
		return err_set(
			err, -EINVAL,
			"--price-file and --price-command: the price comes from one of them");
	if ((r = span(c, "price-every", 100, MS_DAY, &m->price_every_ms, err)) < 0)
		return r;
	return rate_load(c->config, &c->mem, &m->settings, err);
}

/* Where the next attempt runs. */
static int read_next(struct run_ask *a, struct err *err)
{
	struct cli *c = a->c;
	struct run_plan *p = &a->o.plan;
	struct run_money *m = &a->money;
	const char *steps = cli_value(c, "steps");
	int r;

	if (steps && (sv_i64(sv_of(steps), &p->steps) < 0 || p->steps < 1))
		return err_set(err, -EINVAL, "--steps: '%s' is no number of steps", steps);
	if ((r = span(c, "work", 1000, 3650 * MS_DAY, &p->work_ms, err)) < 0 ||
	    (r = span(c, "restart", 1000, 7 * MS_DAY, &p->restart_ms, err)) < 0)
		return r;
	if ((r = amount(c, "on-demand", &m->on_demand, &m->has_on_demand, err)) < 0 ||
	    (r = amount(c, "spot", &m->spot, &m->has_spot, err)) < 0)
		return r;
	if (cli_value(c, "on-interrupt") &&
	    (r = launch_parse(cli_value(c, "on-interrupt"), &c->mem, &a->next, err)) < 0)
		return r;
	r = launch_places(&a->next, cli_value(c, "on-demand-partition"),
			  cli_value(c, "on-demand-constraint"), cli_value(c, "spot-partition"),
			  err);
	m->on_demand_partition = a->next.on_demand_partition;
	m->spot_partition = a->next.spot_partition;
	return r;
}

int run_ask_read(struct run_ask *a, struct err *err)
{
	struct cli *c = a->c;
	const char *fd = cli_value(c, "status-fd"), *gpus = cli_value(c, "gpus");
	int64_t n;
	int r;

	a->o = (struct run_opt){ .argv = c->arg,
				 .dir = cli_value(c, "checkpoint-dir"),
				 .watch = cli_value(c, "watch"),
				 .glob = cli_value(c, "checkpoint-glob"),
				 .link = cli_flag(c, "link"),
				 .from_zero = cli_flag(c, "from-zero"),
				 .store = cli_value(c, "store"),
				 .job = cli_value(c, "job"),
				 .gpus = gpus,
				 .gpu_model = cli_value(c, "gpu-model"),
				 .status_fd = -1,
				 .quiet = c->quiet,
				 .pipe_ignored = c->pipe_ignored,
				 .xfsz_ignored = c->xfsz_ignored,
				 .usd_hour_nano = -1,
				 .usd_gpu_hour_nano = -1,
				 .budget_nano = -1,
				 .max_hourly_nano = -1,
				 .plan = { .od_nano = -1, .spot_nano = -1 } };
	a->money.o = &a->o;
	a->money.conf = &c->conf;
	a->money.mem = &c->mem;
	a->money.now_ms = c->now_ms;
	if (!a->o.dir)
		a->o.dir = "checkpoints";
	if (a->o.glob && !a->o.watch) {
		err_set(err, -EINVAL,
			"--checkpoint-glob says which files of --watch DIR count, and there is no --watch");
		return -EINVAL;
	}
	if (strlen(a->o.dir) > 3000 || (a->o.watch && strlen(a->o.watch) > 3000))
		return err_set(err, -ENAMETOOLONG, "the name of the folder is too long");
	if (fd && (sv_i64(sv_of(fd), &n) < 0 || n < 1 || n > 1 << 20 || fcntl((int)n, F_GETFD) < 0))
		return err_set(
			err, -EINVAL,
			"--status-fd: '%s' is no open descriptor; open one so: tare run --status-fd 3 ... 3>status.jsonl",
			fd);
	a->o.status_fd = fd ? (int)n : -1;
	if (a->o.status_fd > 2)
		fcntl(a->o.status_fd, F_SETFD, FD_CLOEXEC); /* not the command's */
	if (gpus && (sv_i64(sv_of(gpus), &n) < 0 || n < 0 || n > 100000))
		return err_set(err, -EINVAL, "--gpus: '%s' is no number of GPUs", gpus);
	if ((r = run_apart(&a->o, getenv("SLURM_ARRAY_TASK_ID"), &c->mem, err)) < 0 ||
	    (r = read_next(a, err)) < 0 || (r = read_limits(a, err)) < 0 ||
	    (r = read_notices(a, err)) < 0)
		return r;
	return read_price(a, err);
}
