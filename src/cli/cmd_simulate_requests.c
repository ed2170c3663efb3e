/*
 * tare simulate requests: the telemetry of a serving fleet, container by container: where its idle
 * minutes come from, and how many containers would have served the same requests with percentiles
 * no worse.
 */
#include <errno.h>
#include <math.h>

#include "answer/simulate_requests.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "report/simulate_requests.h"

static const char *const serie_opt[SERIE_N] = {
	[SERIE_DUTY] = "duty",   [SERIE_MEMORY] = "memory", [SERIE_QPS] = "qps",
	[SERIE_QUEUE] = "queue", [SERIE_INFER] = "latency", [SERIE_UPDATE] = "update"
};

static int option(const struct cli *c, const char *name, double lo, double hi, double other,
		  double *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && (sv_f64(sv_trim(sv_of(z)), ret) < 0 || !(*ret >= lo && *ret <= hi)))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from %g to %g", name, z, lo,
			       hi);
	return 0;
}

static int read_options(const struct cli *c, struct simulate_requests_ask *q, struct err *err)
{
	double seed = 0, bound = 0;
	int r = option(c, "headroom", 0, 10, 0.2, &q->headroom, err);

	r = r < 0 ? r : option(c, "memory-bound-gb", 0, 1e6, 10, &bound, err);
	r = r < 0 ? r : option(c, "slo-ms", 0, 1e9, NAN, &q->slo_ms, err);
	r = r < 0 ? r : option(c, "seed", 0, 1e15, 1, &seed, err);
	for (int k = 0; k < SERIE_N; k++)
		q->file[k] = cli_value(c, serie_opt[k]);
	q->seed = (uint64_t)seed;
	q->bound_bytes = bound * 1e9;
	return r;
}

static int run(struct cli *c)
{
	struct simulate_requests_ask q = { 0 };
	struct simulate_requests a;
	struct out_as as = cli_out_as(c);
	struct err err = { 0 };
	struct str out = { 0 };
	int r, code;

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (c->output == OUT_CSV || c->output == OUT_HTML)
		return cli_usage_error(c, "this command prints text or -o json");
	if (!cli_value(c, "qps") || !cli_value(c, "duty") || !cli_value(c, "latency"))
		return cli_usage_error(c, "--qps, --duty and --latency are needed");
	r = read_options(c, &q, &err);
	r = r < 0 ? r : answer_simulate_requests(&q, &a, &err);
	if (r >= 0)
		simulate_requests_print(&a, &as, &out);
	code = r < 0 ? cli_fail(&err) : cli_write(&out);
	str_free(&out);
	return r == -ENODATA ? EXIT_INCOMPLETE : code;
}

static const struct cli_opt opts[] = {
	{ "duty", "CSV", "utilisation of each container's GPU in percent: time, value, container",
	  0, false, "FILE" },
	{ "qps", "CSV", "rate of requests of each container", 0, false, "FILE" },
	{ "latency", "CSV", "milliseconds that inference took", 0, false, "FILE" },
	{ "queue", "CSV", "milliseconds that requests waited before", 0, false, "FILE" },
	{ "update", "CSV", "milliseconds in which a container loaded a model for a request", 0,
	  false, "FILE" },
	{ "memory", "CSV", "bytes of GPU memory held", 0, false, "FILE" },
	{ "memory-bound-gb", "GB", "more than this held is a loaded model (default: 10)", 0, false,
	  NULL },
	{ "headroom", "F", "containers beyond the fewest, as a share (default: 0.2)", 0, false,
	  NULL },
	{ "slo-ms", "MS", "a bound of latency: violations may not grow", 0, false, NULL },
	{ "seed", "N", "of the instants of requests within a minute (default: 1)", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_simulate_requests_def = {
	.name = "simulate requests",
	.group = "",
	.summary = "idle minutes of a serving fleet by cause, and how many containers would do",
	.usage =
		"--duty CSV --qps CSV --latency CSV [--queue CSV] [--update CSV] [--memory CSV] ...",
	.examples =
		"tare simulate requests --duty pod_gpu_duty_cycle.csv.gz --memory pod_gpu_memory_used_bytes.csv.gz --qps qps.csv.gz \\\n"
		"  --latency pipeline_inference.csv.gz --queue queue_rt.csv.gz --update pipeline_update_latency.csv.gz",
	.about =
		"Each series has the columns time (or timestamp, timestamp_anon), value and container. Rows without a container are counted as unassigned and not\n"
		"replayed. Requests go in order of arrival to any free container and hold it while it loads and infers. The fewest containers are those with which\n"
		"the 99th percentiles of whole requests and of the queue, as measured, do not get worse; head-room comes on top, as one day is one day.\n"
		"Instants within a minute are not in the data: they are drawn with --seed.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
