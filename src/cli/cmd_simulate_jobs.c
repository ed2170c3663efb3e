/* tare simulate jobs: a list of jobs, or invented ones, on the virtual clock. */
#include <errno.h>
#include <math.h>
#include <time.h>

#include "answer/simulate_jobs.h"
#include "base/tm.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "report/simulate_jobs.h"

static double cpu_s(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static int number(const struct cli *c, const char *name, double lo, double hi, double *ret,
		  struct err *err)
{
	const char *v = cli_value(c, name);

	if (v && (sv_f64(sv_of(v), ret) < 0 || !(*ret >= lo && *ret <= hi)))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from %g to %g", name, v, lo,
			       hi);
	return 0;
}

static int whole(const struct cli *c, const char *name, int64_t lo, int64_t hi, int64_t *ret,
		 struct err *err)
{
	const char *v = cli_value(c, name);

	if (v && (sv_i64(sv_of(v), ret) < 0 || *ret < lo || *ret > hi))
		return err_set(err, -EINVAL, "--%s: '%s' is no whole number from %lld to %lld",
			       name, v, (long long)lo, (long long)hi);
	return 0;
}

static int span(const struct cli *c, const char *name, int64_t *ret, struct err *err)
{
	const char *v = cli_value(c, name);

	if (v && !strcmp(v, "0"))
		*ret = 0;
	else if (v && tm_parse_span(sv_of(v), ret) < 0)
		return err_set(err, -EINVAL, "--%s: '%s' is no span such as 5m, 1h or 0", name, v);
	return 0;
}

static int read_options(struct cli *c, struct simulate_jobs_ask *s, struct err *err)
{
	double usd = NAN, fallback = NAN;
	int64_t seed = 1;
	int r = whole(c, "gpus", 0, 100000000, &s->pool[0].capacity, err);

	if (r < 0 || (r = whole(c, "gpus-node", 1, 100000, &s->pool[0].gpus_node, err)) < 0 ||
	    (r = whole(c, "seed", 0, INT64_MAX, &seed, err)) < 0 ||
	    (r = whole(c, "generate", 1, 1000000000, &s->generate, err)) < 0 ||
	    (r = number(c, "load-frac", 0.001, 1000, &s->load_frac, err)) < 0 ||
	    (r = number(c, "deadline-slack", 0, 1000, &s->slack_frac, err)) < 0 ||
	    (r = number(c, "hazard", 0, 3600, &s->like.hazard_hour, err)) < 0 ||
	    (r = number(c, "usd-gpu-hour", 0, 1e6, &usd, err)) < 0 ||
	    (r = number(c, "fallback-usd-gpu-hour", 0, 1e6, &fallback, err)) < 0 ||
	    (r = span(c, "restart", &s->like.restart_ms, err)) < 0 ||
	    (r = span(c, "checkpoint", &s->like.checkpoint_every_ms, err)) < 0 ||
	    (r = span(c, "stall", &s->like.checkpoint_stall_ms, err)) < 0 ||
	    (r = span(c, "boot", &s->pool[0].boot_ms, err)) < 0 ||
	    (r = span(c, "keep", &s->pool[0].keep_ms, err)) < 0)
		return r;
	s->seed = (uint64_t)seed;
	s->priced = !isnan(usd);
	s->pool[0].usd_gpu_hour = s->priced ? usd : 0;
	if (!isnan(fallback)) {
		s->pool[1] = s->pool[0];
		s->pool[1].capacity = 0;
		s->pool[1].usd_gpu_hour = fallback;
		s->npool = 2;
		s->like.fallback_pool = 1;
	}
	return 0;
}

static int run(struct cli *c)
{
	struct simulate_jobs_ask q = { .pool = { { .gpus_node = 8, .mem_bytes = NAN } },
				       .npool = 1,
				       .like = { .mem_bytes = NAN,
						 .fallback_pool = -1,
						 .restart_ms = 6 * MS_MINUTE,
						 .checkpoint_stall_ms = 20 * MS_SECOND },
				       .load_frac = 0.9,
				       .slack_frac = NAN,
				       .file = cli_value(c, "jobs"),
				       .cpu_s = cli_flag(c, "timing") ? cpu_s : NULL };
	struct simulate_jobs a;
	struct out_as as = cli_out_as(c);
	struct err err = { 0 };
	struct str out = { 0 };
	int r, code;

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "jobs") == !cli_value(c, "generate"))
		return cli_usage_error(c, "one of --jobs and --generate is needed");
	if (c->output != OUT_TABLE && c->output != OUT_JSON)
		return cli_usage_error(c, "-o: table or json");
	r = read_options(c, &q, &err);
	r = r < 0 ? r : answer_simulate_jobs(&q, &a, &err);
	if (r >= 0)
		simulate_jobs_print(&a, &as, &out);
	code = r < 0 ? cli_fail(&err) : cli_write(&out);
	str_free(&out);
	return r == -ENODATA ? EXIT_INCOMPLETE : code;
}

static const struct cli_opt opts[] = {
	{ "jobs", "CSV",
	  "jobs: start (or submit, arrival_time), length or end, gpus, deadline?; packed or not", 0,
	  false, "FILE" },
	{ "generate", "N", "invent N jobs instead", 0, false, NULL },
	{ "gpus", "N", "GPUs of the cluster (default 0: machines come and go with the work)", 0,
	  false, NULL },
	{ "gpus-node", "N", "GPUs of a machine (default 8)", 0, false, NULL },
	{ "load-frac", "F", "of invented jobs: share of the GPUs they ask for (default 0.9)", 0,
	  false, NULL },
	{ "deadline-slack", "F",
	  "deadline of jobs without one: start + length x (1 + F) (default: none)", 0, false,
	  NULL },
	{ "hazard", "N", "interruptions an hour (default 0)", 0, false, NULL },
	{ "checkpoint", "SPAN", "time between checkpoints (default 0: none)", 0, false, NULL },
	{ "stall", "SPAN", "what a checkpoint takes (default 20s)", 0, false, NULL },
	{ "restart", "SPAN", "what a restart takes (default 6m)", 0, false, NULL },
	{ "boot", "SPAN", "what a machine takes to come up (default 0)", 0, false, NULL },
	{ "keep", "SPAN", "how long an empty machine is kept (default 0)", 0, false, NULL },
	{ "usd-gpu-hour", "USD", "price of a GPU-hour, for the cost", 0, false, NULL },
	{ "fallback-usd-gpu-hour", "USD",
	  "price on demand, where a job goes that would miss its deadline", 0, false, NULL },
	{ "seed", "N", "of the draws (default 1)", 0, false, NULL },
	{ "timing", NULL, "say how much CPU time it took", 0, false, NULL },
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
		"on one machine, larger ones on whole machines. After an interruption a job goes on from its last checkpoint. With a fallback, a job leaves for\n"
		"an on-demand machine where one more interruption could make it late. Same seed, same bytes.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
