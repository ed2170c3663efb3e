/* tare explain: all about one recommendation of the last plan, one job, or one run of tare
 * profile. */
#include <errno.h>
#include <math.h>

#include "answer/explain.h"
#include "agent/job_line.h"
#include "base/tm.h"
#include "cli/agent_open.h"
#include "cli/cmds.h"
#include "cli/explain_file.h"
#include "cli/plan/plan_open.h"
#include "cli/profile_explain.h"
#include "report/plan/plan_view.h"
#include "report/cost/samples.h"
#include "report/trace.h"

struct asked {
	const char *profile, *trace, *samples, *state;
	int64_t window_ms;
	double usd_gpu_hour;
};

static int find_explained(struct cli *c, const struct plan_open *p, const char *word,
			  struct str *out, struct err *err)
{
	struct plan_view v = plan_open_view(c, p);
	struct explain e;
	int r = answer_explain(&p->q, &p->last, &p->a, word, &e, err);

	if (r < 0)
		return r;
	if (e.kind == EXPLAIN_JOB)
		plan_print_job(&v, &e.job, c->output, out);
	else if (e.kind == EXPLAIN_ADVICE)
		plan_print_advice(&v, e.rec, c->output, out);
	else if (e.kind == EXPLAIN_DISMISSED)
		plan_print_dismissed(&v, e.rec, c->output, out);
	else
		plan_print_rec(&v, e.rec, c->output, out);
	return 0;
}

/* A job by what the agent of this machine has kept: one line. */
static int explain_here(struct cli *c, const char *dir)
{
	struct agent_conf conf;
	struct agentdb *db = NULL;
	struct catalog *catalog = NULL;
	struct err err = { 0 };
	struct str out = { 0 };
	int r, code;

	if (c->narg != 1)
		return cli_usage_error(c, "which job? tare explain JOB --state DIR");
	if (c->output != OUT_TABLE)
		return cli_usage_error(c, "--state prints a line for people: no -o");
	if (agent_settings(c, &conf, &err) < 0)
		return cli_fail(&err);
	r = agent_open_state(dir, &db, &err);
	if (r >= 0 && !conf.rate.known)
		r = catalog_open(NULL, &catalog, &err);
	if (r >= 0) {
		struct job_ask q = { db, c->arg[0], &conf.rate, catalog, c->now_ms };
		r = job_line(&q, &out, &err);
	}
	agentdb_close(db);
	catalog_free(catalog);
	code = r < 0 ? cli_fail(&err) : cli_write(&out);
	str_free(&out);
	agent_conf_free(&conf);
	return code;
}

static int run_explain(struct cli *c)
{
	struct plan_open p = { 0 };
	struct plan_given given;
	struct asked x;
	struct err err = { 0 };
	struct str out = { 0 };
	int r, rc;

	if (cli_read_opts(c, &x, &err) < 0)
		return cli_fail(&err);
	if (x.trace) {
		if (c->narg)
			return cli_usage_error(c, "a trace, or an id: not both");
		return explain_trace(c, x.trace, x.usd_gpu_hour);
	}
	if (x.samples) {
		if (c->narg)
			return cli_usage_error(c, "samples, or an id: not both");
		return explain_samples(c, x.samples, x.window_ms);
	}
	if (x.state && !cli_variable(c, "state"))
		return explain_here(c, x.state);
	if (x.profile || profile_explain_wants(c))
		return profile_explain(c, x.profile);
	if (c->narg != 1)
		return cli_usage_error(
			c, c->narg ? "one at a time"
				   : "what? name a number or an id of the last plan, or a job");
	plan_last_read(cli_db(c), cli_store_words(c), &c->mem, &p.last);
	r = plan_open_read(c, &p, &given, &err);
	if (r >= 0)
		r = plan_open_answer(c, &p, &err);
	if (r >= 0)
		r = find_explained(c, &p, c->arg[0], &out, &err);
	if (r == -ENOENT && profile_explain_any(c))
		err_hint(&err,
			 "Runs of tare profile are kept here, the newest is: tare explain last");
	rc = r < 0 ? plan_open_fail(r, &err) : cli_write(&out);
	str_free(&out);
	plan_open_close(&p);
	return rc;
}

#define AT(m) .at = offsetof(struct asked, m)
static const struct cli_opt opts[] = {
	{ "profile", "FILE", "a run that tare profile kept, by its file", .values = "FILE",
	  .type = OPT_FILE, AT(profile) },
	{ "trace", "FILE",
	  "a profiler's trace (torch.profiler, JSON, also .gz): gaps, copies, collectives, kernels",
	  .values = "FILE", .type = OPT_FILE, AT(trace) },
	{ "samples", "FILE",
	  "readings of GPUs (the columns of tare import --as samples): why they were slow",
	  .values = "FILE", .type = OPT_FILE, AT(samples) },
	{ "state", "DIR",
	  "a job in one line, by the agent of this machine that keeps its files there: for a job's last line or a scheduler's epilog",
	  .values = "DIR", .type = OPT_FILE, AT(state) },
	{ "window", "SPAN", "with --samples: cut into windows of this length; default 10m",
	  .type = OPT_SPAN, AT(window_ms), .lo = MS_MINUTE, .hi = INFINITY, .def = "10m",
	  .what = "duration of a minute or more, such as 10m" },
	{ "usd-gpu-hour", "USD",
	  "price of a GPU-hour, to say what it costs (with --trace and --state)", .type = OPT_NUM,
	  AT(usd_gpu_hour), .hi = INFINITY, .what = "price of a GPU-hour" },
	{ 0 },
};

const struct cli_cmd cmd_explain_def = {
	.name = "explain",
	.group = "see",
	.summary = "why: a recommendation, a job or a profiled run in full",
	.usage =
		"ID|NUMBER|JOB|RUN|last | JOB --state DIR | --profile FILE | --trace FILE | --samples FILE",
	.examples =
		"tare explain 4\ntare explain share-search\n# what a job did, what it cost, and what the plan does to it\ntare explain 4117\n# what this job's GPUs did here, as the last line of its script\ntare explain $SLURM_JOB_ID --state /var/lib/tare-agent\n# the newest run of tare profile, and an older one\ntare explain last\ntare explain p-20261121-155123\n# why a training step is slow, from a trace of it\ntare explain --trace trace.json.gz --usd-gpu-hour 2.50\n# causes of low utilisation in recorded readings, a line a window\ntare explain --samples samples.csv --window 15m -o csv",
	.about =
		"A recommendation: why, evidence and how it is known, replay, range, what it is worth alone, what could go wrong, how to do it\n"
		"and undo it, what it depends on. Numbers are those of the last 'tare plan', with the options it had.",
	.common = CLI_STORE | CLI_DEMO | CLI_OUTPUT,
	.opt = opts,
	.docs = CLI_DOCS(&explain_doc, &trace_doc, &samples_doc),
	.run = run_explain,
	.if_stopped = "nothing was explained; the store and the last plan are as they were",
};
