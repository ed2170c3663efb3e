/* tare plan capacity: GPUs for a rate of requests. */
#include "cli/cmds.h"
#include "report/plan/plan_capacity.h"

static int run_plan_capacity(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct capacity_ask q;
	struct capacity_answer a;
	struct out_as as = cli_out_as(c);

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (c->output == OUT_CSV || c->output == OUT_HTML)
		return cli_usage_error(c, "this command prints text or -o json");
	if (!cli_value(c, "qps") != !cli_value(c, "gpu-qps") ||
	    (!cli_value(c, "qps") && !cli_value(c, "util")))
		return cli_usage_error(c, "--qps and --gpu-qps are needed, or --util alone");
	if (cli_read_opts(c, &q, &err) < 0 || answer_plan_capacity(&q, &a, &err) < 0)
		return cli_fail(&err);
	plan_capacity_print(&q, &a, &as, &out);
	int code = cli_write(&out);
	str_free(&out);
	return code;
}

static const struct cli_opt opts[] = {
	{ "qps", "N", "requests per second to serve", .type = OPT_NUM,
	  .at = offsetof(struct capacity_ask, qps), .lo = 1e-6, .hi = 1e12 },
	{ "gpu-qps", "N", "requests per second that one GPU serves at the latency wanted",
	  .type = OPT_NUM, .at = offsetof(struct capacity_ask, gpu_qps), .lo = 1e-6, .hi = 1e12 },
	{ "headroom", "F", "room for peaks, as a share", .type = OPT_NUM,
	  .at = offsetof(struct capacity_ask, headroom_frac), .hi = 10, .def = "0.2" },
	{ "util", "F", "mean utilisation of GPUs that serve now, 0 to 1: which band is it?",
	  .type = OPT_FRAC, .at = offsetof(struct capacity_ask, util_frac) },
	{ 0 },
};

const struct cli_cmd cmd_plan_capacity_def = {
	.name = "plan capacity",
	.group = "",
	.summary = "GPUs for a rate of requests, and whether a utilisation is healthy",
	.usage = "--qps N --gpu-qps N [--headroom F] | --util F",
	.examples = "# 500 requests/s, 200 per GPU: 3 GPUs, and 4 with 20 % head-room\n"
		    "tare plan capacity --qps 500 --gpu-qps 200 --headroom 0.2\n"
		    "# 40 GPUs at 20 %\n"
		    "tare plan capacity --util 0.2",
	.about =
		"A rule of thumb: it knows rates and no latency. tare plan batch finds the rate of a GPU from a latency bound; tare plan replays the requests that\n"
		"were served against fewer replicas before it proposes them.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.docs = CLI_DOCS(&plan_capacity_doc),
	.run = run_plan_capacity,
};
