/* The options of tare run. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tm.h"
#include "cli/run_ask.h"

#define AT(m)  .at = offsetof(struct run_ask, m)
#define SPAN   "span that fits here, such as 30s, 10m, 2h"
#define AMOUNT "amount, such as 27.50"
#define FD     "open descriptor; open one so: tare run --status-fd 3 ... 3>status.jsonl"
const struct cli_opt run_opts[] = {
	{ "checkpoint-dir", "DIR", "folder of the checkpoints", .values = "DIR", .type = OPT_FILE,
	  AT(o.dir), .def = "checkpoints" },
	{ "store", "URL",
	  "copy checkpoints there too, and bring the newest back: s3:// gs:// azblob:// a folder, cmd:",
	  .type = OPT_TEXT, AT(o.store) },
	{ "from-zero", NULL,
	  "where there are checkpoints and none can be used, begin at step 0 (else: exit 125)",
	  .type = OPT_FLAG, AT(o.from_zero) },
	{ "shared", NULL,
	  "others may read the checkpoints, as the umask says (else: 0600, folders 0700)",
	  .type = OPT_FLAG, AT(shared) },
	{ "checkpoint-signal", "SIG",
	  "ask for a checkpoint by this signal (programs with libtare need none)",
	  .type = OPT_SIGNAL, AT(o.ask_signal) },
	{ "watch", "DIR",
	  "the command writes its checkpoints there by itself: take what is complete",
	  .values = "DIR", .type = OPT_FILE, AT(o.watch) },
	{ "checkpoint-glob", "GLOB", "files of --watch that count, by name or path (default: all)",
	  .type = OPT_TEXT, AT(o.glob) },
	{ "link", NULL, "files of --watch are never written again in place: link them, do not copy",
	  .type = OPT_FLAG, AT(o.link) },
	{ "keep", "N", "checkpoints of --watch to keep", .type = OPT_INT, AT(keep), .lo = 1,
	  .hi = 10000, .def = "3" },
	{ "every", "SPAN",
	  "ask for a checkpoint this often, or never (default: worked out from its cost)",
	  .type = OPT_SPAN, AT(o.every_ms), .values = "never|none", .lo = 1000, .hi = 30.0 * MS_DAY,
	  .what = SPAN },
	{ "mtbi", "SPAN", "mean time between interruptions, before any was seen (default 24h)",
	  .type = OPT_SPAN, AT(mtbi_ms), .lo = MS_MINUTE, .hi = 3650.0 * MS_DAY, .what = SPAN },
	{ "deadline", "T",
	  "save and stop then: a time, or a span from the start of the first attempt",
	  .type = OPT_TEXT, AT(deadline) },
	{ "budget", "USD", "save and stop when all attempts together cost so much",
	  .type = OPT_MONEY, AT(budget), .has = offsetof(struct run_ask, has_budget), .hi = 1e9,
	  .what = AMOUNT },
	{ "max-hourly", "USD",
	  "not on a machine that costs more an hour: do not start, or save and stop when it comes to cost more",
	  .type = OPT_MONEY, AT(max_hourly), .has = offsetof(struct run_ask, has_max), .hi = 1e9,
	  .what = AMOUNT },
	{ "grace", "SPAN",
	  "time to the end after SIGTERM, and after a file, command or taint that tells none (default 30s)",
	  .type = OPT_SPAN, AT(o.grace_ms), .lo = 100, .hi = MS_DAY, .what = SPAN },
	{ "notice", "LIST",
	  "who may say that the machine goes: auto none aws gcp azure slurm kubernetes file command (default auto)",
	  .type = OPT_TEXT, AT(o.notice.sources) },
	{ "notice-file", "FILE", "it goes when FILE is there (in it: 90s, or a time)",
	  .values = "FILE", .type = OPT_FILE, AT(o.notice.file) },
	{ "notice-command", "CMD", "it goes when this shell command ends with 0", .type = OPT_TEXT,
	  AT(o.notice.command) },
	{ "notice-signal", "SIG",
	  "this signal is a notice too, such as USR1 of sbatch --signal=B:USR1@90",
	  .type = OPT_SIGNAL, AT(o.notice_signal) },
	{ "notice-span", "SPAN", "how long before the end that signal comes", .type = OPT_SPAN,
	  AT(o.notice_signal_ms), .lo = 1000, .hi = MS_DAY, .def = "60s", .what = SPAN },
	{ "notice-poll", "SPAN", "ask this often, not as the provider advises", .type = OPT_SPAN,
	  AT(o.notice.poll_ms), .lo = 50, .hi = MS_HOUR, .what = SPAN },
	{ "ack", NULL, "Azure: say when the state is safe, so that the machine goes at once",
	  .type = OPT_FLAG, AT(o.notice.ack) },
	{ "aws-url", "URL", "metadata service of AWS, where it is not at its usual place",
	  .type = OPT_TEXT, AT(o.notice.aws) },
	{ "gcp-url", "URL", "metadata service of Google", .type = OPT_TEXT, AT(o.notice.gcp) },
	{ "azure-url", "URL", "metadata service of Azure", .type = OPT_TEXT, AT(o.notice.azure) },
	{ "kube-url", "URL", "API server of Kubernetes (default: the pod's)", .type = OPT_TEXT,
	  AT(o.notice.kube_url) },
	{ "kube-node", "NAME", "node of this pod (default: NODE_NAME)", .type = OPT_TEXT,
	  AT(o.notice.node) },
	{ "kube-token-file", "FILE", "token for it (default: the service account's)",
	  .values = "FILE", .type = OPT_FILE, AT(o.notice.kube_token_file) },
	{ "kube-ca-file", "FILE", "roots for it (default: the service account's)", .values = "FILE",
	  .type = OPT_FILE, AT(o.notice.kube_ca_file) },
	{ "on-interrupt", "WHAT",
	  "after exit 85: none (default), requeue the Slurm job, or exec:PROGRAM ARG... with JSON on its input",
	  .type = OPT_TEXT, AT(on_interrupt) },
	{ "dry-run", NULL, "say what would be run, now and after an interruption, and do nothing",
	  .type = OPT_FLAG, AT(dry_run) },
	{ "job", "NAME",
	  "name of the job in the ledger (default: the Slurm job, else host and folder)",
	  .type = OPT_TEXT, AT(o.job) },
	{ "gpus", "N", "GPUs that it holds (default: CUDA_VISIBLE_DEVICES, SLURM_GPUS_ON_NODE)",
	  .type = OPT_INT, AT(gpus), .hi = 100000, .what = "number of GPUs" },
	{ "gpu-model", "MODEL", "their model, for the ledger and the price", .type = OPT_TEXT,
	  AT(o.gpu_model) },
	{ "instance-type", "TYPE", "price: this machine is of that type", .type = OPT_TEXT,
	  AT(money.given.instance_type) },
	{ "provider", "P", "price: of this provider", .type = OPT_TEXT, AT(money.given.provider) },
	{ "region", "REGION", "price: in this region", .type = OPT_TEXT, AT(money.given.region) },
	{ "place", "NAME",
	  "where this attempt is, for tare plan spot (default: region, zone, instance type, partition as far as known)",
	  .type = OPT_TEXT, AT(money.place) },
	{ "purchase", "P", "price: on_demand (default), spot, ...", .type = OPT_TEXT,
	  AT(money.given.purchase) },
	{ "usd-gpu-hour", "USD", "price: of one GPU an hour", .type = OPT_MONEY,
	  AT(money.given.usd_gpu_hour),
	  .has = offsetof(struct run_ask, money.given.has_usd_gpu_hour), .hi = 1e9,
	  .what = AMOUNT },
	{ "usd-hour", "USD", "price: of the whole machine an hour", .type = OPT_MONEY,
	  AT(money.given.usd_hour), .has = offsetof(struct run_ask, money.given.has_usd_hour),
	  .hi = 1e9, .what = AMOUNT },
	{ "price-file", "FILE", "price: of the machine an hour, stands in FILE and may change",
	  .values = "FILE", .type = OPT_FILE, AT(money.price_file) },
	{ "price-command", "CMD", "price: of the machine an hour, printed by this shell command",
	  .type = OPT_TEXT, AT(money.price_command) },
	{ "price-every", "SPAN", "read the price again this often, the catalogue's too",
	  .type = OPT_SPAN, AT(money.price_every_ms), .lo = 100, .hi = MS_DAY, .def = "5m",
	  .what = SPAN },
	{ "steps", "N", "the whole job has so many steps: for where the next attempt should run",
	  .type = OPT_INT, AT(o.plan.steps), .lo = 1, .hi = INFINITY, .what = "number of steps" },
	{ "work", "SPAN", "or it takes so long without interruptions", .type = OPT_SPAN,
	  AT(o.plan.work_ms), .lo = 1000, .hi = 3650.0 * MS_DAY, .what = SPAN },
	{ "restart", "SPAN",
	  "from asking for a machine to the first step (default: measured, and 5m for the machine)",
	  .type = OPT_SPAN, AT(o.plan.restart_ms), .lo = 1000, .hi = 7 * MS_DAY, .what = SPAN },
	{ "on-demand", "USD",
	  "price of such a machine on demand an hour (default: the catalogue's)", .type = OPT_MONEY,
	  AT(money.on_demand), .has = offsetof(struct run_ask, money.has_on_demand), .hi = 1e9,
	  .what = AMOUNT },
	{ "spot", "USD", "price of such a machine on spot an hour (default: the catalogue's)",
	  .type = OPT_MONEY, AT(money.spot), .has = offsetof(struct run_ask, money.has_spot),
	  .hi = 1e9, .what = AMOUNT },
	{ "on-demand-partition", "NAME",
	  "requeue: into this partition when spot no longer fits the deadline", .type = OPT_TEXT,
	  AT(next.on_demand_partition) },
	{ "on-demand-constraint", "TEXT", "requeue: and with this constraint", .type = OPT_TEXT,
	  AT(next.on_demand_constraint) },
	{ "spot-partition", "NAME", "requeue: back into this partition when spot fits again",
	  .type = OPT_TEXT, AT(next.spot_partition) },
	{ "status-fd", "N", "write what happens there, a line of JSON each", .type = OPT_INT,
	  AT(status_fd), .lo = 1, .hi = 1 << 20, .what = FD },
	{ 0 },
};

static int read_deadline(struct run_ask *a, struct err *err)
{
	a->o.deadline_ms = INT64_MAX;
	if (!a->deadline || tm_parse_span(sv_of(a->deadline), &a->o.deadline_span_ms) >= 0)
		return 0;
	if (tm_parse(sv_of(a->deadline), 0, &a->o.deadline_ms) >= 0)
		return 0;
	return err_set(err, -EINVAL,
		       "--deadline: '%s' is neither a span (20h) nor a time (2026-12-01T08:00Z)",
		       a->deadline);
}

/* Where the next attempt runs. */
static int read_next(struct run_ask *a, struct err *err)
{
	struct launch l = a->next;
	int r = a->on_interrupt ? launch_parse(a->on_interrupt, &a->c->mem, &a->next, err) : 0;

	r = r < 0 ? r
		  : launch_places(&a->next, l.on_demand_partition, l.on_demand_constraint,
				  l.spot_partition, err);
	a->money.on_demand_partition = a->next.on_demand_partition;
	a->money.spot_partition = a->next.spot_partition;
	return r;
}

static int read_folders(const struct run_ask *a, struct err *err)
{
	const struct run_opt *o = &a->o;

	if (o->glob && !o->watch)
		return err_set(
			err, -EINVAL,
			"--checkpoint-glob says which files of --watch DIR count, and there is no --watch");
	if (strlen(o->dir) > 3000 || (o->watch && strlen(o->watch) > 3000))
		return err_set(err, -ENAMETOOLONG, "the name of the folder is too long");
	return 0;
}

static int read_status(struct run_ask *a, struct err *err)
{
	int fd = (int)a->status_fd;

	a->o.status_fd = fd ? fd : -1;
	if (fd && fcntl(fd, F_GETFD) < 0)
		return err_set(err, -EINVAL, "--status-fd: '%d' is no " FD, fd);
	if (fd > 2)
		fcntl(fd, F_SETFD, FD_CLOEXEC); /* not the command's */
	return 0;
}

/* What is no option of its own, or is another inside. */
static void set_rest(struct run_ask *a)
{
	struct cli *c = a->c;
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
}

int run_ask_read(struct run_ask *a, struct err *err)
{
	struct cli *c = a->c;
	int r = cli_read_opts(c, a, err);

	if (r < 0)
		return r;
	set_rest(a);
	if ((r = read_folders(a, err)) < 0 || (r = read_status(a, err)) < 0 ||
	    (r = run_apart(&a->o, getenv("SLURM_ARRAY_TASK_ID"), &c->mem, err)) < 0 ||
	    (r = read_next(a, err)) < 0 || (r = read_deadline(a, err)) < 0)
		return r;
	if (a->money.price_file && a->money.price_command)
		return err_set(
			err, -EINVAL,
			"--price-file and --price-command: the price comes from one of them");
	return rate_load(c->config, &c->mem, &a->money.settings, err);
}
