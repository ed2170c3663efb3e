/* tare run: a command that an interruption cannot hurt. The work is in spot/run.h; here are its options and the price of the machine. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "act/launch.h"
#include "agent/rate.h"
#include "base/tm.h"
#include "catalog/catalog.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "spot/run.h"

enum { EXIT_SELF = 125 }; /* tare itself failed, the command was not run */

struct ask { struct cli *c; struct run_opt o; dec max_hourly; bool has_max; struct launch next; struct rate_ask given, settings; };

/* ---- reading ---------------------------------------------------------------------------------------------------------------------- */

static int span(const struct cli *c, const char *name, int64_t lo, int64_t hi, int64_t *ret, struct err *err)
{
	const char *z = cli_value(c, name);

	if (z && (tm_parse_span(sv_of(z), ret) < 0 || *ret < lo || *ret > hi))
		return err_set(err, -EINVAL, "--%s: '%s' is no span that fits here, such as 30s, 10m, 2h", name, z);
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
		if (word && (sv_ieq(sv_of(z), sv_of(word)) || (sv_ieq((struct sv){ z, 3 }, SV("SIG")) && strlen(z) > 3 && sv_ieq(sv_of(z + 3), sv_of(word)))))
			*ret = i;
	}
	if (!*ret && sv_i64(sv_of(z), &n) == 0 && n > 0 && n < NSIG)
		*ret = (int)n;
	if (!*ret || *ret == SIGKILL || *ret == SIGSTOP || *ret == SIGCHLD)
		return err_set(err, -EINVAL, "--%s: '%s' is no signal that a program can answer, such as USR1", name, z);
	return 0;
}

static int read_limits(struct ask *a, struct err *err)
{
	struct cli *c = a->c;
	const char *deadline = cli_value(c, "deadline"), *keep = cli_value(c, "keep"), *every = cli_value(c, "every");
	int64_t n;
	dec budget = 0;
	bool has_budget;
	int r;

	a->o.deadline_ms = INT64_MAX;
	if (deadline && tm_parse_span(sv_of(deadline), &n) >= 0)
		a->o.deadline_ms = c->now_ms + n;
	else if (deadline && tm_parse(sv_of(deadline), 0, &a->o.deadline_ms) < 0)
		return err_set(err, -EINVAL, "--deadline: '%s' is neither a span (20h) nor a time (2026-12-01T08:00Z)", deadline);
	if ((r = amount(c, "budget", &budget, &has_budget, err)) < 0 || (r = amount(c, "max-hourly", &a->max_hourly, &a->has_max, err)) < 0)
		return r;
	a->o.budget_nano = has_budget ? dec_to_nano(budget) : -1;
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

static int read_notices(struct ask *a, struct err *err)
{
	struct cli *c = a->c;
	struct notice_opt *n = &a->o.notice;
	int r;

	*n = (struct notice_opt){ .sources = cli_value(c, "notice"), .aws = cli_value(c, "aws-url"), .gcp = cli_value(c, "gcp-url"), .azure = cli_value(c, "azure-url"),
		.file = cli_value(c, "notice-file"), .command = cli_value(c, "notice-command"), .kube_url = cli_value(c, "kube-url"),
		.kube_token_file = cli_value(c, "kube-token-file"), .kube_ca_file = cli_value(c, "kube-ca-file"), .node = cli_value(c, "kube-node"), .ack = cli_flag(c, "ack") };
	a->o.notice_signal_ms = 60000;
	if ((r = signal_of("notice-signal", cli_value(c, "notice-signal"), &a->o.notice_signal, err)) < 0 || (r = span(c, "notice-span", 1000, MS_DAY, &a->o.notice_signal_ms, err)) < 0)
		return r;
	if ((r = span(c, "notice-poll", 50, MS_HOUR, &n->poll_ms, err)) < 0 || (r = span(c, "grace", 100, MS_DAY, &a->o.grace_ms, err)) < 0)
		return r;
	n->usual_ms = a->o.grace_ms;
	return signal_of("checkpoint-signal", cli_value(c, "checkpoint-signal"), &a->o.ask_signal, err);
}

static int read_price(struct ask *a, struct err *err)
{
	struct cli *c = a->c;
	int r;

	a->given.instance_type = cli_value(c, "instance-type");
	a->given.provider = cli_value(c, "provider");
	a->given.region = cli_value(c, "region");
	a->given.purchase = cli_value(c, "purchase");
	if ((r = amount(c, "usd-gpu-hour", &a->given.usd_gpu_hour, &a->given.has_usd_gpu_hour, err)) < 0 || (r = amount(c, "usd-hour", &a->given.usd_hour, &a->given.has_usd_hour, err)) < 0)
		return r;
	return rate_load(c->config, &c->mem, &a->settings, err);
}

static int read_ask(struct ask *a, struct err *err)
{
	struct cli *c = a->c;
	const char *fd = cli_value(c, "status-fd"), *gpus = cli_value(c, "gpus");
	int64_t n;
	int r;

	a->o = (struct run_opt){ .argv = c->arg, .dir = cli_value(c, "checkpoint-dir"), .watch = cli_value(c, "watch"), .glob = cli_value(c, "checkpoint-glob"), .link = cli_flag(c, "link"),
				 .store = cli_value(c, "store"), .job = cli_value(c, "job"), .gpus = gpus, .gpu_model = cli_value(c, "gpu-model"), .status_fd = -1, .quiet = c->quiet,
				 .usd_hour_nano = -1, .usd_gpu_hour_nano = -1, .budget_nano = -1 };
	if (!a->o.dir)
		a->o.dir = "checkpoints";
	if (a->o.glob && !a->o.watch) {
		err_set(err, -EINVAL, "--checkpoint-glob says which files of --watch DIR count, and there is no --watch");
		return -EINVAL;
	}
	if (strlen(a->o.dir) > 3000 || (a->o.watch && strlen(a->o.watch) > 3000))
		return err_set(err, -ENAMETOOLONG, "the name of the folder is too long");
	if (fd && (sv_i64(sv_of(fd), &n) < 0 || n < 1 || n > 1 << 20 || fcntl((int)n, F_GETFD) < 0))
		return err_set(err, -EINVAL, "--status-fd: '%s' is no open descriptor; open one so: tare run --status-fd 3 ... 3>status.jsonl", fd);
	a->o.status_fd = fd ? (int)n : -1;
	if (a->o.status_fd > 2)
		fcntl(a->o.status_fd, F_SETFD, FD_CLOEXEC); /* not the command's */
	if (gpus && (sv_i64(sv_of(gpus), &n) < 0 || n < 0 || n > 100000))
		return err_set(err, -EINVAL, "--gpus: '%s' is no number of GPUs", gpus);
	if (cli_value(c, "on-interrupt") && (r = launch_parse(cli_value(c, "on-interrupt"), &c->mem, &a->next, err)) < 0)
		return r;
	if ((r = read_limits(a, err)) < 0 || (r = read_notices(a, err)) < 0)
		return r;
	return read_price(a, err);
}

/* ---- price --------------------------------------------------------------------------------------------------------------------------- */

static int64_t gpus_here(const struct ask *a)
{
	const char *list = getenv("CUDA_VISIBLE_DEVICES"), *slurm = getenv("SLURM_GPUS_ON_NODE");
	int64_t n = 0;

	if (a->o.gpus)
		return sv_i64(sv_of(a->o.gpus), &n) == 0 ? n : 0;
	if (list && *list && *list != '-')
		for (n = 1; *list; list++)
			n += *list == ',';
	else if (slurm)
		sv_i64(sv_of(slurm), &n);
	return n;
}

static int find_price(struct ask *a, struct err *err)
{
	bool need = a->o.budget_nano >= 0 || a->has_max;
	int64_t gpus = gpus_here(a);
	struct watch_rate rate = { 0 };
	struct rate_ask place;
	struct catalog *cat = NULL;
	struct err e;

	if (a->given.has_usd_hour)
		a->o.usd_hour_nano = dec_to_nano(a->given.usd_hour);
	if (!a->given.has_usd_hour || gpus > 0) {
		if (catalog_open(NULL, &cat, need ? err : &e) < 0 && need)
			return -ENOENT;
		struct rate_in in = { &a->given, &a->settings, NULL, &a->c->conf, cat, "", a->o.gpu_model, (int)(gpus > 0 && gpus < 100000 ? gpus : 0), a->c->now_ms };
		rate_find(&in, &rate);
		if (!rate.known && need) {
			rate_place(&a->c->mem, &place);
			in.place = &place;
			rate_find(&in, &rate);
		}
		catalog_free(cat);
	}
	if (rate.known) {
		a->o.usd_gpu_hour_nano = dec_to_nano(rate.usd_gpu_hour);
		a->o.currency = arena_sv(&a->c->mem, sv_of(rate.currency));
		if (a->o.usd_hour_nano < 0 && gpus > 0)
			a->o.usd_hour_nano = a->o.usd_gpu_hour_nano * gpus;
	}
	if (need && a->o.usd_hour_nano < 0) {
		err_set(err, -ENODATA, "--%s needs the price of this machine, and it is not known", a->has_max ? "max-hourly" : "budget");
		err_hint(err, rate.known ? "say how many GPUs the job holds with --gpus N" : "give --usd-hour, or --usd-gpu-hour and --gpus, or --instance-type and --region");
		return -ENODATA;
	}
	return 0;
}

/* ---- running --------------------------------------------------------------------------------------------------------------------------- */

static int say_only(const struct ask *a)
{
	struct str out = { 0 };
	int r;

	str_addz(&out, "would run:");
	for (char **z = a->o.argv; *z; z++)
		str_addf(&out, " %s", *z);
	str_addf(&out, "\nexit code %d, interrupted and safe: %s", RUN_AGAIN, a->next.kind == LAUNCH_NONE ? "nothing more" : "would run: ");
	launch_say(&a->next, &out);
	str_addz(&out, "\n");
	r = cli_write(&out);
	str_free(&out);
	return r;
}

/* The exit code stays 85: whoever starts us may still do it, and the checkpoint is safe. */
static void start_next(const struct ask *a, const struct run_end *end)
{
	struct launch_what w = { end->why, a->o.job ? a->o.job : getenv("SLURM_JOB_ID"), a->o.dir, a->o.store, end->step, a->o.argv };
	struct err err = { 0 };

	if (launch_do(&a->next, &w, &err) < 0)
		cli_fail(&err);
}

static int run(struct cli *c)
{
	struct ask a = { .c = c };
	struct run_end end = { 0 };
	struct err err = { 0 };
	char price[DEC_BUF], most[DEC_BUF];

	if (!c->narg)
		return cli_usage_error(c, "which command? tare run -- python train.py");
	if (read_ask(&a, &err) < 0)
		return cli_fail(&err);
	if (find_price(&a, &err) < 0) {
		cli_fail(&err);
		return EXIT_SELF;
	}
	if (a.has_max && nano_to_dec(a.o.usd_hour_nano) > a.max_hourly) {
		fprintf(stderr, "tare: not started: this machine costs %s an hour, more than --max-hourly %s\n", dec_format(price, nano_to_dec(a.o.usd_hour_nano)),
			dec_format(most, a.max_hourly));
		return EXIT_VIOLATED;
	}
	if (cli_flag(c, "dry-run"))
		return say_only(&a);
	int r = run_supervise(&a.o, &end, &err);
	if (r < 0)
		cli_fail(&err);
	if (r == 0 && end.code == RUN_AGAIN && !strcmp(end.why, "interrupted"))
		start_next(&a, &end);
	return r < 0 && r != -ENOEXEC ? EXIT_SELF : end.code;
}

static const struct cli_opt opts[] = {
	{ "checkpoint-dir", "DIR", "folder of the checkpoints (default: checkpoints)", 0, false, "DIR" },
	{ "store", "URL", "copy checkpoints there too, and bring the newest back: s3:// gs:// azblob:// a folder, cmd:", 0, false, NULL },
	{ "checkpoint-signal", "SIG", "ask for a checkpoint by this signal (programs with libtare need none)", 0, false, NULL },
	{ "watch", "DIR", "the command writes its checkpoints there by itself: take what is complete", 0, false, "DIR" },
	{ "checkpoint-glob", "GLOB", "files of --watch that count, by name or path (default: all)", 0, false, NULL },
	{ "link", NULL, "files of --watch are never written again in place: link them, do not copy", 0, false, NULL },
	{ "keep", "N", "checkpoints of --watch to keep (default 3)", 0, false, NULL },
	{ "every", "SPAN", "ask for a checkpoint this often, or never (default: worked out from its cost)", 0, false, NULL },
	{ "mtbi", "SPAN", "mean time between interruptions, before any was seen (default 24h)", 0, false, NULL },
	{ "deadline", "T", "save and stop then: a span from now or a time", 0, false, NULL },
	{ "budget", "USD", "save and stop when all attempts together cost so much", 0, false, NULL },
	{ "max-hourly", "USD", "do not start on a machine that costs more an hour", 0, false, NULL },
	{ "grace", "SPAN", "time to the end after SIGTERM, and after a file, command or taint that tells none (default 30s)", 0, false, NULL },
	{ "notice", "LIST", "who may say that the machine goes: auto none aws gcp azure slurm kubernetes file command (default auto)", 0, false, NULL },
	{ "notice-file", "FILE", "it goes when FILE is there (in it: 90s, or a time)", 0, false, "FILE" },
	{ "notice-command", "CMD", "it goes when this shell command ends with 0", 0, false, NULL },
	{ "notice-signal", "SIG", "this signal is a notice too, such as USR1 of sbatch --signal=B:USR1@90", 0, false, NULL },
	{ "notice-span", "SPAN", "how long before the end that signal comes (default 60s)", 0, false, NULL },
	{ "notice-poll", "SPAN", "ask this often, not as the provider advises", 0, false, NULL },
	{ "ack", NULL, "Azure: say when the state is safe, so that the machine goes at once", 0, false, NULL },
	{ "aws-url", "URL", "metadata service of AWS, where it is not at its usual place", 0, false, NULL },
	{ "gcp-url", "URL", "metadata service of Google", 0, false, NULL },
	{ "azure-url", "URL", "metadata service of Azure", 0, false, NULL },
	{ "kube-url", "URL", "API server of Kubernetes (default: the pod's)", 0, false, NULL },
	{ "kube-node", "NAME", "node of this pod (default: NODE_NAME)", 0, false, NULL },
	{ "kube-token-file", "FILE", "token for it (default: the service account's)", 0, false, "FILE" },
	{ "kube-ca-file", "FILE", "roots for it (default: the service account's)", 0, false, "FILE" },
	{ "on-interrupt", "WHAT", "after exit 85: none (default), requeue the Slurm job, or exec:PROGRAM ARG... with JSON on its input", 0, false, NULL },
	{ "dry-run", NULL, "say what would be run, now and after an interruption, and do nothing", 0, false, NULL },
	{ "job", "NAME", "name of the job in the ledger (default: the Slurm job, else host and folder)", 0, false, NULL },
	{ "gpus", "N", "GPUs that it holds (default: CUDA_VISIBLE_DEVICES, SLURM_GPUS_ON_NODE)", 0, false, NULL },
	{ "gpu-model", "MODEL", "their model, for the ledger and the price", 0, false, NULL },
	{ "instance-type", "TYPE", "price: this machine is of that type", 0, false, NULL },
	{ "provider", "P", "price: of this provider", 0, false, NULL },
	{ "region", "REGION", "price: in this region", 0, false, NULL },
	{ "purchase", "P", "price: on_demand (default), spot, ...", 0, false, NULL },
	{ "usd-gpu-hour", "USD", "price: of one GPU an hour", 0, false, NULL },
	{ "usd-hour", "USD", "price: of the whole machine an hour", 0, false, NULL },
	{ "status-fd", "N", "write what happens there, a line of JSON each", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_run_def = {
	.name = "run",
	.group = "act",
	.summary = "run a command so that an interruption loses nothing: exit 85 = safe, start me again",
	.usage = "[--checkpoint-dir DIR] [--watch DIR] [--checkpoint-signal SIG] ... -- CMD...",
	.examples = "# a program that uses libtare (python: import tare)\n"
		    "tare run -- python train.py\n"
		    "# a framework that writes checkpoints by itself, and saves at USR1\n"
		    "tare run --watch out --checkpoint-glob '*.pt' --checkpoint-signal USR1 -- python train.py\n"
		    "# last line of a Slurm script with #SBATCH --requeue --signal=B:USR1@90: the batch shell is replaced, so that the signal is tare's (tare init slurm uses srun)\n"
		    "exec tare run --notice-signal USR1 --notice-span 90s --on-interrupt requeue -- python train.py\n"
		    "# no longer than 20 hours, no dearer than 60 dollars over all attempts\n"
		    "tare run --deadline 20h --budget 60 --usd-hour 2.74 -- python train.py",
	.about = "The command has the terminal, its input and output, its signals and its exit code as if tare were not there. When the machine is to be taken away (the\n"
		 "clouds' notices, SIGTERM, a taint of the node, a file, a command of yours) it is asked to save, then gets SIGTERM, then SIGKILL, each in time. A\n"
		 "checkpoint is called safe only when it is in the folder as a whole, and in the store where one is given. Started again, the newest one that holds is\n"
		 "used; TARE_RESUME_STEP, TARE_CHECKPOINT_DIR, TARE_RUN_SOCKET and TARE_ATTEMPT are set. What was lost stands in DIR/attempts.csv, which tare import reads.\n\n"
		 "Exit code: the command's; 85 interrupted, and a checkpoint is safe; 1 the deadline or the budget is reached; 128 + n for a signal, 126 where it cannot be\n"
		 "run, 127 where it is not there, 125 where tare itself failed.",
	.common = CLI_CONFIG,
	.opt = opts,
	.run = run,
};
