/* tare simulate jobs: a list of jobs, or invented ones, on the virtual clock. */
#include <errno.h>
#include <math.h>
#include <time.h>

#include "answer/simulate/simulate_jobs.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "report/simulate/simulate_jobs.h"

static double cpu_s(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

struct asked {
	struct simulate_jobs_ask q;
	double usd, fallback;
	int64_t seed;
	bool timing;
};

static int read_ask(const struct cli *c, struct simulate_jobs_ask *q, struct err *err)
{
	struct asked a = { .q = { .pool = { { .mem_bytes = NAN } },
				  .npool = 1,
				  .like = { .mem_bytes = NAN, .fallback_pool = -1 } } };
	int r = cli_read_opts(c, &a, err);

	if (r < 0)
		return r;
	*q = a.q;
	q->seed = (uint64_t)a.seed;
	q->cpu_s = a.timing ? cpu_s : NULL;
	q->priced = !isnan(a.usd);
	q->pool[0].usd_gpu_hour = q->priced ? a.usd : 0;
	if (!isnan(a.fallback)) {
		q->pool[1] = q->pool[0];
		q->pool[1].capacity = 0;
		q->pool[1].usd_gpu_hour = a.fallback;
		q->npool = 2;
		q->like.fallback_pool = 1;
	}
	return 0;
}

static int run_simulate_jobs(struct cli *c)
{
	struct simulate_jobs_ask q;
	struct simulate_jobs a;
	struct out_as as = cli_out_as(c);
	struct err err = { 0 };
	struct str out = { 0 };
	int r, code;

	if (c->narg)
		return cli_usage_error(
			c, "unknown argument '%s': a list of jobs is given as --jobs %s", c->arg[0],
			c->arg[0]);
	if (!cli_value(c, "jobs") == !cli_value(c, "generate"))
		return cli_usage_error(c, "one of --jobs and --generate is needed");
	if (c->output != OUT_TABLE && c->output != OUT_JSON)
		return cli_usage_error(c, "-o: table or json");
	r = read_ask(c, &q, &err);
	if (r >= 0)
		r = answer_simulate_jobs(&q, &a, &err);
	if (r >= 0)
		simulate_jobs_print(&a, &as, &out);
	code = cli_end(r, &err, &out);
	if (r == -ENODATA)
		return EXIT_INCOMPLETE;
	return code;
}

static const struct cli_opt opts[] = {
	{ "jobs", "CSV",
	  "jobs: submit or start (or arrival_time), length (hours), duration (seconds) or start and end, gpus, deadline?; packed or not",
	  .values = "FILE", .type = OPT_FILE, .at = offsetof(struct asked, q.file) },
	{ "generate", "N", "invent N jobs instead", .type = OPT_INT,
	  .at = offsetof(struct asked, q.generate), .lo = 1, .hi = 1000000000 },
	{ "gpus", "N", "GPUs of the cluster (default 0: machines come and go with the work)",
	  .type = OPT_INT, .at = offsetof(struct asked, q.pool[0].capacity), .hi = 100000000,
	  .def = "0" },
	{ "gpus-node", "N", "GPUs of a machine (default 8)", .type = OPT_INT,
	  .at = offsetof(struct asked, q.pool[0].gpus_node), .lo = 1, .hi = 100000, .def = "8" },
	{ "load-frac", "F", "of invented jobs: share of the GPUs they ask for (default 0.9)",
	  .type = OPT_NUM, .at = offsetof(struct asked, q.load_frac), .lo = 0.001, .hi = 1000,
	  .def = "0.9" },
	{ "deadline-slack", "F",
	  "deadline of jobs without one: submit + length x (1 + F) (default: none)",
	  .type = OPT_NUM, .at = offsetof(struct asked, q.slack_frac), .hi = 1000 },
	{ "hazard", "N", "interruptions an hour (default 0)", .type = OPT_NUM,
	  .at = offsetof(struct asked, q.like.hazard_hour), .hi = 3600, .def = "0" },
	{ "checkpoint", "SPAN", "time between checkpoints (default 0: none)", .type = OPT_SPAN,
	  .at = offsetof(struct asked, q.like.checkpoint_every_ms), .def = "0" },
	{ "stall", "SPAN", "what a checkpoint takes (default 20s)", .type = OPT_SPAN,
	  .at = offsetof(struct asked, q.like.checkpoint_stall_ms), .def = "20s" },
	{ "restart", "SPAN", "what a restart takes (default 6m)", .type = OPT_SPAN,
	  .at = offsetof(struct asked, q.like.restart_ms), .def = "6m" },
	{ "boot", "SPAN", "what a machine takes to come up (default 0)", .type = OPT_SPAN,
	  .at = offsetof(struct asked, q.pool[0].boot_ms), .def = "0" },
	{ "keep", "SPAN", "how long an empty machine is kept (default 0)", .type = OPT_SPAN,
	  .at = offsetof(struct asked, q.pool[0].keep_ms), .def = "0" },
	{ "usd-gpu-hour", "USD", "price of a GPU-hour, for the cost", .type = OPT_NUM,
	  .at = offsetof(struct asked, usd), .hi = 1e6 },
	{ "fallback-usd-gpu-hour", "USD",
	  "price on demand, where a job goes that would miss its deadline", .type = OPT_NUM,
	  .at = offsetof(struct asked, fallback), .hi = 1e6 },
	{ "seed", "N", "of the draws (default 1)", .type = OPT_INT,
	  .at = offsetof(struct asked, seed), .hi = INFINITY, .def = "1" },
	{ "timing", NULL, "say how much CPU time it took", .type = OPT_FLAG,
	  .at = offsetof(struct asked, timing) },
	{ 0 },
};

const struct cli_cmd cmd_simulate_jobs_def = {
	.name = "simulate jobs",
	.group = "",
	.summary =
		"run a list of jobs on the virtual clock: waiting, interruptions, deadlines, cost",
	.usage = "--jobs CSV | --generate N [--gpus N] [--gpus-node N] [--hazard N] ...",
	.examples =
		"tare simulate jobs --jobs philly.csv.gz --gpus 2400\n"
		"tare simulate jobs --generate 1000000 --gpus 10000 --timing\n"
		"tare simulate jobs --jobs jobs.csv --hazard 0.05 --checkpoint 30m --deadline-slack 0.5 --usd-gpu-hour 1.2 --fallback-usd-gpu-hour 4",
	.about =
		"First come, first served; a job may overtake those before it while the oldest of them has waited less than an hour. Jobs of up to one machine run\n"
		"on one machine, larger ones on whole machines. After an interruption a job resumes from its last checkpoint. With a fallback, a job leaves for\n"
		"an on-demand machine where one more interruption could make it late. Same seed, same bytes.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.docs = CLI_DOCS(&simulate_jobs_doc),
	.run = run_simulate_jobs,
};
