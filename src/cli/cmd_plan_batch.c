/* tare plan batch: batch size, wait and replicas under a latency bound. */
#include <errno.h>
#include <math.h>

#include "cli/cmds.h"
#include "report/plan_batch.h"

static int option(const struct cli *c, const char *name, double other, double *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && sv_f64(sv_trim(sv_of(z)), ret) < 0)
		return err_set(err, -EINVAL, "--%s: '%s' is no number", name, z);
	return 0;
}

static int read_profile(const struct cli *c, struct batch_ask *q, struct err *err)
{
	double slices, procs;
	int r = option(c, "slices", 7, &slices, err);

	r = r < 0 ? r : option(c, "procs", 1, &procs, err);
	if (r < 0)
		return r;
	q->profile = cli_value(c, "profile");
	q->slices = slices >= 0 && slices < 65 ? (int)slices : -1;
	q->procs = procs >= 0 && procs < 65536 ? (int)procs : -1;
	return 0;
}

static int read_ask(const struct cli *c, struct batch_ask *q, struct err *err)
{
	struct batch_in *in = &q->in;
	double model, beta, most;
	int r = option(c, "slo-ms", NAN, &in->slo_ms, err);
	if (r >= 0)
		r = option(c, "model-ms", NAN, &model, err);
	if (r >= 0)
		r = option(c, "item-ms", NAN, &beta, err);
	if (r >= 0)
		r = option(c, "qps", NAN, &in->qps, err);
	if (r >= 0)
		r = option(c, "max-batch", 128, &most, err);
	if (r < 0)
		return r;
	in->model_ms = model;
	in->max_batch = most >= 1 && most <= 65536 ? (int)most : 0;
	in->model = (struct batch_model){ model, NAN, NAN };
	if (!isnan(beta)) { /* --model-ms is then the latency of one request */
		in->model = (struct batch_model){ model - beta, beta, NAN };
		in->model_ms = NAN;
		if (!(beta >= 0 && beta <= model))
			return err_set(
				err, -EINVAL,
				"--item-ms: a further request of a batch takes from nothing to what one request alone takes");
	}
	return cli_value(c, "profile") ? read_profile(c, q, err) : 0;
}

static int run(struct cli *c)
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
	if (read_ask(c, &q, &err) < 0 || answer_plan_batch(&q, &a, &err) < 0)
		return cli_fail(&err);
	plan_batch_print(&a, &as, &out);
	int code = cli_write(&out);
	str_free(&out);
	if (code)
		return code;
	return a.plan.feasible ? EXIT_DONE : EXIT_VIOLATED;
}

static const struct cli_opt opts[] = {
	{ "slo-ms", "MS", "bound of the 99th percentile of latency", 0, false, NULL },
	{ "model-ms", "MS", "what the model takes for a batch", 0, false, NULL },
	{ "item-ms", "MS",
	  "what each further request of a batch adds (--model-ms is then that of one)", 0, false,
	  NULL },
	{ "profile", "CSV", "measured: slices, batch, procs, throughput, latency_ms", 0, false,
	  "FILE" },
	{ "slices", "N", "rows of the profile: compute slices of the instance (default: 7)", 0,
	  false, NULL },
	{ "procs", "N", "rows of the profile: processes on the instance (default: 1)", 0, false,
	  NULL },
	{ "max-batch", "N", "largest batch (default: 128, or the largest measured)", 0, false,
	  NULL },
	{ "qps", "N", "requests per second: how many replicas?", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_plan_batch_def = {
	.name = "plan batch",
	.group = "",
	.summary = "batch size, wait and replicas under a latency bound",
	.usage =
		"--slo-ms MS (--model-ms MS [--item-ms MS] | --profile CSV [--slices N]) [--qps N]",
	.examples =
		"# a bound of 200 ms and a model of 30 ms leave up to 170 ms for waiting: start with 20-30 ms\n"
		"tare plan batch --slo-ms 200 --model-ms 30\n"
		"tare plan batch --slo-ms 200 --model-ms 12 --item-ms 2 --qps 500\n"
		"tare plan batch --slo-ms 183 --profile prof_data/resnet50.csv --qps 2000",
	.about =
		"The safe batch is the largest whose latency is at most half of the bound: a request may come just after a batch began. Replicas run at no more\n"
		"than 0.9 of their capacity. Exit 1: the bound cannot be met.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
