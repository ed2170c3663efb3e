/*
 * tare simulate requests: the telemetry of a serving fleet, container by container: where its idle
 * minutes come from, and how many containers would have served the same requests with percentiles
 * no worse.
 */
#include <errno.h>

#include "answer/simulate/simulate_requests.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "report/simulate/simulate_requests.h"

struct asked {
	struct simulate_requests_ask q;
	double bound_gb;
	int64_t seed;
};

static int read_ask(const struct cli *c, struct simulate_requests_ask *q, struct err *err)
{
	struct asked a = { 0 };
	int r = cli_read_opts(c, &a, err);

	if (r < 0)
		return r;
	*q = a.q;
	q->seed = (uint64_t)a.seed;
	q->bound_bytes = a.bound_gb * 1e9;
	return 0;
}

static int run_simulate_requests(struct cli *c)
{
	struct simulate_requests_ask q;
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
	r = read_ask(c, &q, &err);
	if (r >= 0)
		r = answer_simulate_requests(&q, &a, &err);
	if (r >= 0)
		simulate_requests_print(&a, &as, &out);
	code = cli_end(r, &err, &out);
	if (r == -ENODATA)
		return EXIT_INCOMPLETE;
	return code;
}

static const struct cli_opt opts[] = {
	{ "duty", "CSV", "utilisation of each container's GPU in percent: time, value, container",
	  .values = "FILE", .type = OPT_FILE, .at = offsetof(struct asked, q.file[SERIE_DUTY]) },
	{ "qps", "CSV", "rate of requests of each container", .values = "FILE", .type = OPT_FILE,
	  .at = offsetof(struct asked, q.file[SERIE_QPS]) },
	{ "latency", "CSV", "milliseconds that inference took", .values = "FILE", .type = OPT_FILE,
	  .at = offsetof(struct asked, q.file[SERIE_INFER]) },
	{ "queue", "CSV", "milliseconds that requests waited before", .values = "FILE",
	  .type = OPT_FILE, .at = offsetof(struct asked, q.file[SERIE_QUEUE]) },
	{ "update", "CSV", "milliseconds in which a container loaded a model for a request",
	  .values = "FILE", .type = OPT_FILE, .at = offsetof(struct asked, q.file[SERIE_UPDATE]) },
	{ "memory", "CSV", "bytes of GPU memory held", .values = "FILE", .type = OPT_FILE,
	  .at = offsetof(struct asked, q.file[SERIE_MEMORY]) },
	{ "memory-bound-gb", "GB", "more than this held is a loaded model", .type = OPT_NUM,
	  .at = offsetof(struct asked, bound_gb), .hi = 1e6, .def = "10" },
	{ "headroom", "F", "containers beyond the fewest, as a share", .type = OPT_NUM,
	  .at = offsetof(struct asked, q.headroom), .hi = 10, .def = "0.2" },
	{ "slo-ms", "MS", "a bound of latency: violations may not grow", .type = OPT_NUM,
	  .at = offsetof(struct asked, q.slo_ms), .hi = 1e9 },
	{ "seed", "N", "of the instants of requests within a minute", .type = OPT_INT,
	  .at = offsetof(struct asked, seed), .hi = 1e15, .def = "1" },
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
	.docs = CLI_DOCS(&simulate_requests_doc),
	.run = run_simulate_requests,
};
