/* tare profile: run a command as if tare were not there and say what it did with the GPUs, what it
 * cost and what would do. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "profile/docs.h"
#include "profile/profile_session.h"
#include "base/keep.h"
#include "base/sh.h"
#include "base/tm.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/python_path.h"
#include "report/text.h"

enum { EXIT_SELF = 125 }; /* tare itself failed, the command was not run */

struct profile_ask {
	struct cli *c;
	const char *report;
	bool no_keep, progress;
	struct rate_ask given;
	struct profile_settings settings;
	struct profile_session session;
};

/* ---- what is said ------------------------------------------------------------------------ */

/* A line over and over, where it is in nobody's way: the command's own output must not be on the
 * same terminal. */
static void show_live(void *ctx, const char *line)
{
	(void)ctx;
	fprintf(stderr, "\r\033[K%s", line ? line : "");
}

static void show_warning(void *ctx, const char *what, const char *why)
{
	const struct profile_ask *a = ctx;

	if (!a->c->quiet)
		fprintf(stderr, "tare: %s: %s\n", what, why);
}

static void tell_failed(void *ctx, const struct err *err)
{
	(void)ctx;
	cli_fail(err);
}

static void tell_trimmed(void *ctx, const struct keep_sums *s)
{
	const struct profile_ask *a = ctx;

	if (!a->c->quiet)
		fprintf(stderr,
			"tare: %lld old run%s removed from '%s/profiles', %.1f MB (profile: retention, max_gib in the settings)\n",
			(long long)s->gone, s->gone == 1 ? "" : "s", cli_db(a->c),
			(double)s->gone_bytes / 1e6);
}

static int write_to(FILE *f, const char *name, const struct str *s, struct err *err)
{
	size_t n = fwrite(str_z(s), 1, s->n, f);

	if (n != s->n || fflush(f) != 0)
		return err_set(err, -EIO, "--report: cannot write '%s'", name);
	return 0;
}

/* --report FILE, else stderr: the command's stdout stays its own. */
static int write_report(void *ctx, const struct str *s, struct err *err)
{
	const struct profile_ask *a = ctx;

	if (a->c->quiet && !a->report && a->c->output != OUT_JSON)
		return 0;
	if (!a->report)
		return write_to(stderr, "stderr", s, err);
	if (!strcmp(a->report, "-"))
		return write_to(stdout, "-", s, err);
	FILE *f = fopen(a->report, "we");
	if (!f) { /* what was seen is not lost for it */
		err_set(err, -errno, "--report: cannot write '%s': %s", a->report, strerror(errno));
		err_hint(
			err,
			"the report stands here instead; a kept run is told again by tare explain last");
		fwrite(str_z(s), 1, s->n, stderr);
		return -EIO;
	}
	int r = write_to(f, a->report, s, err);
	if (fclose(f) != 0 && r == 0)
		r = err_set(err, -EIO, "--report: cannot write '%s'", a->report);
	return r;
}

static int64_t files_now_ms(void) /* whatever TARE_NOW says */
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000;
}

/* ---- options ----------------------------------------------------------------------------- */

/* What is no option of its own. */
static void start_ask(struct profile_ask *a)
{
	struct cli *c = a->c;
	struct profile_session *s = &a->session;
	bool looks = !c->quiet && isatty(2) && (a->progress || !isatty(1));

	s->after.conf = &c->conf;
	s->after.dir = cli_db(c);
	s->after.given = &a->given;
	s->after.settings = &a->settings.rate;
	s->after.now_ms = c->now_ms;
	s->after.mem = &c->mem;
	if (isnan(s->after.max_slowdown))
		s->after.max_slowdown = INFINITY;
	s->argv = c->arg;
	struct str command = { 0 };
	for (int i = 0; i < c->narg && command.n < 4096; i++)
		str_addf(&command, "%s%s", i ? " " : "", sh_show(&c->mem, c->arg[i]));
	s->command = text_line(&c->mem, str_sv(&command), 0);
	str_free(&command);
	s->keep = !a->no_keep;
	if (!s->steps)
		s->steps = UNKNOWN_I64;
	s->files_now_ms = files_now_ms;
	s->format = c->output;
	s->width = c->width;
	s->on = (struct profile_session_on){
		a, looks ? show_live : NULL, show_warning, write_report, tell_failed, tell_trimmed
	};
}

static int read_ask(struct profile_ask *a, struct err *err)
{
	struct profile_session *s = &a->session;
	const char *work;
	int r = cli_read_opts(a->c, a, err);

	if (r < 0)
		return r;
	start_ask(a);
	work = s->after.work;
	if (work && (!*work || strlen(work) > 200))
		return err_set(err, -EINVAL, "--workload wants a name of at most 200 bytes");
	if (work && s->steps == UNKNOWN_I64 && !s->steps_file) {
		err_set(err, -EINVAL,
			"--workload keeps a speed, and a speed needs the number of steps");
		err_hint(
			err,
			"give --steps N, or --steps-file FILE into which the command writes how many it did");
		return -EINVAL;
	}
	const char *bought = a->given.purchase;
	r = profile_settings_load(a->c->config, &a->c->mem, &a->settings, err);
	if (bought && !purchase_is_known(sv_of(bought))) {
		err_set(err, -EINVAL, "--purchase: '%s' is not a way to buy", bought);
		err_hint(
			err,
			"the words are on_demand spot reserved_1y reserved_3y committed_1y committed_3y savings_plan owned");
		return -EINVAL;
	}
	a->session.old = a->settings.keep;
	return r;
}

/* ---- together ---------------------------------------------------------------------------- */

/* The command's code; where it ended well, what --fail-under says. */
static int exit_code(const struct profile_session_end *end)
{
	static const int code[] = { [PROFILE_ENOUGH] = EXIT_DONE,
				    [PROFILE_BELOW] = EXIT_VIOLATED,
				    [PROFILE_UNDECIDED] = EXIT_INCOMPLETE };
	return end->enough == PROFILE_NOT_ASKED ? end->exit_code : code[end->enough];
}

static int run_profile(struct cli *c)
{
	struct profile_ask a = { .c = c };
	struct profile_session_end end = { 0 };
	struct catalog *cat = NULL;
	struct err err = { 0 };
	int r;

	if (!c->narg)
		return cli_usage_error(c, "which command? tare profile -- python train.py");
	if (read_ask(&a, &err) < 0)
		return cli_fail(&err);
	python_path_offer();
	r = catalog_open(NULL, &cat, &err);
	a.session.after.catalog = cat;
	r = r < 0 ? r : profile_session(&a.session, &end, &err);
	catalog_free(cat);
	if (r < 0)
		cli_fail(&err);
	if (r < 0)
		return r == -ENOEXEC && end.exit_code ? end.exit_code : EXIT_SELF;
	return exit_code(&end);
}

#define AT(m) .at = offsetof(struct profile_ask, m)
static const struct cli_opt opts[] = {
	{ "interval", "SPAN", "read the GPUs this often, 100ms to 1m", .type = OPT_SPAN,
	  AT(session.interval_ms), .lo = 100, .hi = MS_MINUTE, .def = "1s" },
	{ "steps", "N", "steps that the command does: cost per 1,000 and speed", .type = OPT_INT,
	  AT(session.steps), .lo = 1, .hi = 1e15, .what = "number of steps" },
	{ "steps-file", "FILE", "read the number of steps from FILE when the command has ended",
	  .values = "FILE", .type = OPT_FILE, AT(session.steps_file) },
	{ "workload", "NAME",
	  "what you call this work: its speed on this GPU is kept for tare plan", .type = OPT_TEXT,
	  AT(session.after.work) },
	{ "serving", "URL",
	  "the command serves: its metrics (vLLM, Triton), for queue, running requests and batch",
	  .type = OPT_TEXT, AT(session.serving) },
	{ "instance-type", "TYPE", "price: this machine is of that type", .type = OPT_TEXT,
	  AT(given.instance_type) },
	{ "provider", "P", "price: of this provider", .type = OPT_TEXT, AT(given.provider) },
	{ "region", "REGION", "price: in this region", .type = OPT_TEXT, AT(given.region) },
	{ "purchase", "P", "price: on_demand (default), spot, reserved_1y, ...", .type = OPT_TEXT,
	  AT(given.purchase) },
	{ "usd-gpu-hour", "USD", "price: of one GPU an hour", .type = OPT_MONEY,
	  AT(given.usd_gpu_hour), .has = offsetof(struct profile_ask, given.has_usd_gpu_hour),
	  .hi = 1e5, .what = "price of an hour, such as 2.74" },
	{ "usd-hour", "USD", "price: of the whole machine an hour", .type = OPT_MONEY,
	  AT(given.usd_hour), .has = offsetof(struct profile_ask, given.has_usd_hour), .hi = 1e5,
	  .what = "price of an hour, such as 2.74" },
	{ "max-slowdown", "F", "how many times slower a cheaper GPU may be (default: any)",
	  .type = OPT_NUM, AT(session.after.max_slowdown), .lo = 1e-3, .hi = 1e6 },
	{ "fail-under", "PCT",
	  "exit 1 where the mean utilisation (or SM activity) is below; 3 where it is not known",
	  .type = OPT_NUM, AT(session.after.fail_under_pct), .hi = 100 },
	{ "report", "FILE", "write the report there, not to stderr (-: stdout)", .values = "FILE",
	  .type = OPT_FILE, AT(report) },
	{ "no-keep", NULL, "do not keep the readings", .type = OPT_FLAG, AT(no_keep) },
	{ "progress", NULL,
	  "a line while it runs also where the command writes to the same terminal",
	  .type = OPT_FLAG, AT(progress) },
	{ 0 },
};

const struct cli_cmd cmd_profile_def = {
	.name = "profile",
	.group = "see",
	.summary =
		"what a command does with the GPUs, what it costs, why it waits, which GPU would do",
	.usage = "[--interval 1s] [--steps N] [--workload NAME] ... -- CMD...",
	.examples =
		"tare profile -- python train.py --epochs 1\n"
		"# cost per 1,000 steps; the speed is kept and compared by: tare plan gpu --workload bert-large\n"
		"tare profile --workload bert-large --steps 500 -- python train.py --max-steps 500\n"
		"# in CI: fail where the GPU is used less than 40 %\n"
		"tare profile -o json --report profile.json --fail-under 40 --instance-type g5.xlarge -- ./smoke.sh\n"
		"# a server: is it held back by how many requests it takes at a time?\n"
		"tare profile --serving http://localhost:8000/metrics -- vllm serve MODEL\n"
		"# later\n"
		"tare explain last",
	.about =
		"The command has the terminal, its output, its signals and its exit code as if tare were not there; the report goes to stderr. It and all that it\n"
		"starts are watched, also processes whose parents are gone. If tare is killed, the command gets SIGTERM. PYTHONPATH ends in a folder from which it can import tare. Only GPUs on which one of its\n"
		"processes was are told of, from the first use to the last.\n\n"
		"Prices: those given here, else the settings' agent: node: and owned:, else what the catalogue has for the machine that the cloud says this is. The readings are kept in\n"
		"the store's folder (profiles/) for 90 days and up to 2 GiB (profile: retention, max_gib in the settings), speeds in its speeds.csv. Less than 30 s of readings give numbers, but no verdict.\n\n"
		"Exit code: the command's, 128 + n for a signal, 126 where it cannot be run, 127 where it is not there, 125 where tare itself failed.",
	.common = CLI_STORE | CLI_OUTPUT,
	.opt = opts,
	.docs = CLI_DOCS(&profile_doc, &profile_run_doc),
	.run = run_profile,
};
