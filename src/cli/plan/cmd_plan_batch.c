/* tare plan batch: batch size, wait and replicas under a latency bound. */
#include <errno.h>
#include <math.h>

#include "cli/cmds.h"
#include "report/plan/plan_batch.h"

struct asked {
	double slo_ms, model_ms, item_ms, qps;
	const char *profile, *requests;
	int arrivals;
	int64_t slices, procs, max_batch;
};

static int read_ask(const struct cli *c, struct batch_ask *q, struct err *err)
{
	struct asked a;
	int r = cli_read_opts(c, &a, err);

	if (r < 0)
		return r;
	q->profile = a.profile;
	q->requests = a.requests;
	q->arrivals = (enum batch_arrivals)a.arrivals;
	q->slices = (int)a.slices;
	q->procs = (int)a.procs;
	q->in.slo_ms = a.slo_ms;
	q->in.qps = a.qps;
	q->in.max_batch = (int)a.max_batch;
	q->in.model_ms = a.model_ms;
	q->in.model = (struct batch_model){ a.model_ms, NAN, NAN };
	if (isnan(a.item_ms))
		return 0;
	/* --model-ms is then the latency of one request */
	q->in.model = (struct batch_model){ a.model_ms - a.item_ms, a.item_ms, NAN };
	q->in.model_ms = NAN;
	if (!(a.item_ms >= 0 && a.item_ms <= a.model_ms))
		return err_set(
			err, -EINVAL,
			"--item-ms: a further request of a batch takes from nothing to what one request alone takes");
	return 0;
}

static int run_plan_batch(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct batch_ask q = { 0 };
	struct batch_answer a;
	struct out_as as = cli_out_as(c);

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (c->output == OUT_CSV || c->output == OUT_HTML)
		return cli_usage_error(c, "this command prints text or -o json");
	if (!cli_value(c, "slo-ms") || (!cli_value(c, "model-ms") && !cli_value(c, "profile")))
		return cli_usage_error(c, "--slo-ms is needed, and --model-ms or --profile");
	if (cli_value(c, "requests") && cli_value(c, "arrivals"))
		return cli_usage_error(
			c, "--requests says how they come: --arrivals does not go with it");
	q.mem = &c->mem;
	if (read_ask(c, &q, &err) < 0 || answer_plan_batch(&q, &a, &err) < 0)
		return cli_fail(&err);
	plan_batch_print(&a, &as, &out);
	int code = cli_write(&out);
	str_free(&out);
	if (code)
		return code;
	/* without a safe batch no number of replicas carries a rate */
	bool has_rate = cli_value(c, "qps") || cli_value(c, "requests");
	bool is_met = a.plan.feasible && (a.plan.safe || !has_rate);
	if (is_met)
		return EXIT_DONE;
	return EXIT_VIOLATED;
}

static const struct cli_opt opts[] = {
	{ "slo-ms", "MS", "bound of the 99th percentile of latency", .type = OPT_NUM,
	  .at = offsetof(struct asked, slo_ms), .lo = 0.001, .hi = 1e9 },
	{ "model-ms", "MS", "what the model takes for a batch", .type = OPT_NUM,
	  .at = offsetof(struct asked, model_ms), .lo = 0.001, .hi = 1e9 },
	{ "item-ms", "MS",
	  "what each further request of a batch adds (--model-ms is then that of one)",
	  .type = OPT_NUM, .at = offsetof(struct asked, item_ms), .hi = 1e9 },
	{ "profile", "CSV", "measured: slices, batch, procs, throughput, latency_ms",
	  .values = "FILE", .type = OPT_FILE, .at = offsetof(struct asked, profile) },
	{ "slices", "N", "rows of the profile: compute slices of the instance", .type = OPT_INT,
	  .at = offsetof(struct asked, slices), .lo = 0, .hi = 64, .def = "7" },
	{ "procs", "N", "rows of the profile: processes on the instance", .type = OPT_INT,
	  .at = offsetof(struct asked, procs), .lo = 0, .hi = 65535, .def = "1" },
	{ "max-batch", "N", "largest batch (default: 128, or the largest measured)",
	  .type = OPT_INT, .at = offsetof(struct asked, max_batch), .lo = 1, .hi = 65536,
	  .def = "128" },
	{ "qps", "N", "requests per second in the busy hour: how many replicas?", .type = OPT_NUM,
	  .at = offsetof(struct asked, qps), .lo = 1e-6, .hi = INFINITY,
	  .what = "rate from 0.000001 requests per second (one in twelve days)" },
	{ "requests", "CSV",
	  "a row per request with its time (time, timestamp, arrival or t): replayed as they came, or at the rate --qps",
	  .values = "FILE", .type = OPT_FILE, .at = offsetof(struct asked, requests) },
	{ "arrivals", "HOW",
	  "without --requests: bursts (0.7 and 1.3 times the rate in turn) or poisson",
	  .values = "bursts|poisson", .type = OPT_CHOICE, .at = offsetof(struct asked, arrivals),
	  .def = "bursts" },
	{ 0 },
};

const struct cli_cmd cmd_plan_batch_def = {
	.name = "plan batch",
	.group = "",
	.summary = "batch size, wait and replicas under a latency bound",
	.usage =
		"--slo-ms MS (--model-ms MS [--item-ms MS] | --profile CSV [--slices N]) [--qps N] [--requests CSV]",
	.examples =
		"# a bound of 200 ms and a model of 30 ms leave up to 170 ms for waiting: start with 20-30 ms\n"
		"tare plan batch --slo-ms 200 --model-ms 30\n"
		"tare plan batch --slo-ms 200 --model-ms 12 --item-ms 2 --qps 500\n"
		"tare plan batch --slo-ms 183 --profile prof_data/resnet50.csv --qps 2000\n"
		"tare plan batch --slo-ms 400 --profile prof_data/bert.csv --requests AzureLLMInferenceTrace_code.csv.gz --qps 100",
	.about =
		"The safe batch is the largest whose latency is at most half of the bound: a request may come just after a batch began. Replicas: the answer is\n"
		"replayed before it is printed, behind one queue and behind a balancer that gives requests in turn; a replica that is free takes all that waits\n"
		"for it, up to the safe batch. With --requests they are the fewest that keep the 99th percentile. Without, nothing is known of how requests\n"
		"come: the fewest, at no more than 0.9 of their capacity, that hold for independent arrivals and for bursts; what independent ones alone\n"
		"would need is said beside it. A day's mean is no --qps: its peak needs more. Exit 1: the bound cannot be met.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.docs = CLI_DOCS(&plan_batch_doc),
	.run = run_plan_batch,
};
