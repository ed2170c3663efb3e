/* tare plan capacity: GPUs for a rate of requests; see opt/capacity.h. */
#include <errno.h>
#include <math.h>
#include "base/jw.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "opt/capacity.h"

struct capacity_ask {
	double qps, gpu_qps, headroom, util;
	int64_t bare, gpus;
};

static int option(const struct cli *c, const char *name, double other, double *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && sv_f64(sv_trim(sv_of(z)), ret) < 0)
		return err_set(err, -EINVAL, "--%s: '%s' is no number", name, z);
	return 0;
}

static int read_ask(const struct cli *c, struct capacity_ask *a, struct err *err)
{
	int r = option(c, "qps", NAN, &a->qps, err);
	if (r >= 0)
		r = option(c, "gpu-qps", NAN, &a->gpu_qps, err);
	if (r >= 0)
		r = option(c, "headroom", 0.2, &a->headroom, err);
	if (r >= 0)
		r = option(c, "util", NAN, &a->util, err);
	if (r >= 0 && cli_value(c, "util") && !(a->util >= 0 && a->util <= 1))
		r = err_set(err, -EINVAL, "--util: '%s' is no share from 0 to 1",
			    cli_value(c, "util"));
	if (r >= 0 && !isnan(a->qps))
		r = capacity_gpus(a->qps, a->gpu_qps, 0, &a->bare, err);
	if (r >= 0 && !isnan(a->qps))
		r = capacity_gpus(a->qps, a->gpu_qps, a->headroom, &a->gpus, err);
	return r;
}

/* Part of its rate that each GPU runs at. */
static double load(const struct capacity_ask *a)
{
	return isnan(a->qps) || !a->gpus ? NAN : a->qps / (a->gpu_qps * (double)a->gpus);
}

static void gpus(struct jw *w, const char *key, const struct capacity_ask *a, int64_t v)
{
	jw_key(w, key);
	if (isnan(a->qps))
		jw_null(w);
	else
		jw_int(w, v);
}

static void print_json(const struct capacity_ask *a, struct str *out)
{
	struct jw w;
	enum capacity_band band = capacity_band(isnan(a->util) ? load(a) : a->util);
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-capacity/1");
	jw_put_num(&w, "qps", a->qps, 6);
	jw_put_num(&w, "gpu_qps", a->gpu_qps, 6);
	jw_put_num(&w, "headroom_frac", a->headroom, 6);
	gpus(&w, "gpus_without_headroom", a, a->bare);
	gpus(&w, "gpus", a, a->gpus);
	jw_put_num(&w, "load_frac", load(a), 6);
	jw_put_num(&w, "util_frac", a->util, 6);
	jw_key(&w, "band");
	jw_str(&w, capacity_band_name(band));
	jw_key(&w, "advice");
	jw_str(&w, capacity_band_advice(band));
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void print_band(const char *what, double frac, struct str *out)
{
	enum capacity_band b = capacity_band(frac);
	str_addf(out, "%s %.1f %%: %s; %s.\n", what, frac * 100, capacity_band_name(b),
		 capacity_band_advice(b));
}

static void print_text(const struct capacity_ask *a, struct str *out)
{
	if (!isnan(a->qps)) {
		str_addf(out,
			 "%g requests/s at %g per GPU: %lld GPU%s, %lld with %g %% head-room.\n",
			 a->qps, a->gpu_qps, (long long)a->bare, a->bare == 1 ? "" : "s",
			 (long long)a->gpus, a->headroom * 100);
		if (a->gpus)
			print_band("Each then runs at", load(a), out);
	}
	if (!isnan(a->util))
		print_band("Utilisation", a->util, out);
	str_addz(
		out,
		"\nBands of serving: below 40 % consolidate, 60-80 % healthy, above 85 % at risk.\n");
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct capacity_ask a = { 0 };
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (c->output == OUT_CSV || c->output == OUT_HTML)
		return cli_usage_error(c, "this command prints text or -o json");
	if (!cli_value(c, "qps") != !cli_value(c, "gpu-qps") ||
	    (!cli_value(c, "qps") && !cli_value(c, "util")))
		return cli_usage_error(c, "--qps and --gpu-qps are needed, or --util alone");
	if (read_ask(c, &a, &err) < 0)
		return cli_fail(&err);
	if (c->output == OUT_JSON)
		print_json(&a, &out);
	else
		print_text(&a, &out);
	int code = cli_write(&out);
	str_free(&out);
	return code;
}

static const struct cli_opt opts[] = {
	{ "qps", "N", "requests per second to serve", 0, false, NULL },
	{ "gpu-qps", "N", "requests per second that one GPU serves at the latency wanted", 0, false,
	  NULL },
	{ "headroom", "F", "room for peaks, as a share (default: 0.2)", 0, false, NULL },
	{ "util", "F", "mean utilisation of GPUs that serve now, 0 to 1: which band is it?", 0,
	  false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_plan_capacity_def = {
	.name = "plan capacity",
	.group = "",
	.summary = "GPUs for a rate of requests, and whether a utilisation is healthy",
	.usage = "--qps N --gpu-qps N [--headroom F] | --util F",
	.examples = "# 500 requests/s, 200 per GPU: 3 GPUs, and 4 with 20 % head-room\n"
		    "tare plan capacity --qps 500 --gpu-qps 200 --headroom 0.2\n"
		    "# 40 cards at 20 %\n"
		    "tare plan capacity --util 0.2",
	.about =
		"A rule of thumb: it knows rates and no latency. tare plan batch finds the rate of a GPU from a latency bound; tare plan replays the requests that\n"
		"were served against fewer replicas before it proposes them.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
