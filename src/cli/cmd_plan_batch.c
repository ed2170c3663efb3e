/* tare plan batch: batch size, wait and replicas under a latency bound; see opt/batching.h. */
#include <errno.h>
#include <math.h>
#include "base/jw.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "feed/migprof.h"
#include "opt/batching.h"

static int option(const struct cli *c, const char *name, double other, double *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && sv_f64(sv_trim(sv_of(z)), ret) < 0)
		return err_set(err, -EINVAL, "--%s: '%s' is no number", name, z);
	return 0;
}

/* The points of one size of instance and one number of processes. */
static int fit_profile(const struct migprof *p, int slices, int procs, struct batch_in *in,
		       struct err *err)
{
	VEC(struct batch_point) pt = { 0 };
	in->max_batch = 1;
	for (size_t i = 0; i < p->row.n; i++) {
		const struct migprof_row *w = &p->row.v[i];
		if (w->slices != slices || w->procs != procs || !(w->latency_ms > 0))
			continue;
		*vec_push(&pt) = (struct batch_point){ w->batch, w->latency_ms };
		if (w->batch > in->max_batch)
			in->max_batch = w->batch;
	}
	int r = pt.n ? batch_fit(pt.n, pt.v, &in->model, err)
		     : err_set(err, -ENODATA,
			       "the profile has no measurement with %d slices and %d processes",
			       slices, procs);
	vec_free(&pt);
	return r;
}

static int read_profile(const struct cli *c, struct batch_in *in, struct err *err)
{
	struct migprof p = { 0 };
	struct input *f;
	double slices, procs;
	int r = option(c, "slices", 7, &slices, err);
	if (r >= 0)
		r = option(c, "procs", 1, &procs, err);
	if (r >= 0)
		r = input_open(cli_value(c, "profile"), &f, err);
	if (r < 0)
		return r;
	r = migprof_read(f, &p, err);
	input_close(f);
	if (r >= 0)
		r = fit_profile(&p, slices >= 0 && slices < 65 ? (int)slices : -1,
				procs >= 0 && procs < 65536 ? (int)procs : -1, in, err);
	migprof_free(&p);
	return r;
}

static int read_ask(const struct cli *c, struct batch_in *in, struct err *err)
{
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
	return cli_value(c, "profile") ? read_profile(c, in, err) : 0;
}

static void whole(struct jw *w, const char *key, int v) /* 0 = not known or none */
{
	jw_key(w, key);
	if (v)
		jw_int(w, v);
	else
		jw_null(w);
}

static void print_json(const struct batch_in *in, const struct batch_plan *p, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-batch/1");
	jw_put_num(&w, "slo_ms", in->slo_ms, 6);
	jw_put_num(&w, "qps", in->qps, 6);
	jw_put_num(&w, "alpha_ms", in->model.alpha_ms, 6);
	jw_put_num(&w, "beta_ms", in->model.beta_ms, 6);
	jw_put_num(&w, "fit_r2", in->model.r2, 6);
	jw_key(&w, "feasible");
	jw_bool(&w, p->feasible);
	jw_put_num(&w, "wait_bound_ms", p->wait_bound_ms, 6);
	jw_put_num(&w, "start_wait_lo_ms", p->start_lo_ms, 6);
	jw_put_num(&w, "start_wait_hi_ms", p->start_hi_ms, 6);
	bool known = !isnan(in->model.beta_ms);
	whole(&w, "safe_batch", known ? p->safe : 0);
	whole(&w, "largest_batch", known ? p->absolute : 0);
	jw_put_num(&w, "capacity_qps", known ? p->capacity_qps : NAN, 6);
	whole(&w, "replicas", known ? p->replicas : 0);
	whole(&w, "staggered_batch", known ? p->staggered : 0);
	jw_put_num(&w, "load_frac", known ? p->load_frac : NAN, 6);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void print_text(const struct batch_in *in, const struct batch_plan *p, struct str *out)
{
	if (!p->feasible) {
		str_addf(out, "A bound of %g ms cannot be met: one request alone takes %.4g ms.\n",
			 in->slo_ms, batch_latency_ms(&in->model, 1));
		return;
	}
	str_addf(out, "Bound %g ms: up to %.4g ms for waiting and everything else.\n", in->slo_ms,
		 p->wait_bound_ms);
	str_addf(out, "Start with a wait of %.3g-%.3g ms and tune it on measured percentiles.\n",
		 p->start_lo_ms, p->start_hi_ms);
	if (isnan(in->model.beta_ms)) {
		str_addz(
			out,
			"\nWith a profile of several batch sizes (--profile, or --item-ms) the batch and the replicas follow too.\n");
		return;
	}
	str_addf(out, "\nLatency of a batch: %.4g + %.4g ms per request", in->model.alpha_ms,
		 in->model.beta_ms);
	if (!isnan(in->model.r2))
		str_addf(out, " (fit, R2 %.3f)", in->model.r2);
	str_addc(out, '\n');
	if (!p->safe) {
		str_addf(
			out,
			"No batch is safe: a request that waits for another one misses the bound.\n");
		return;
	}
	str_addf(
		out,
		"Largest batch  %d safe (waits for a running batch, then its own), %d if nothing waits\n",
		p->safe, p->absolute);
	str_addf(out,
		 "Capacity       %.4g requests/s a replica at batch %d; at full load never wait\n",
		 p->capacity_qps, p->safe);
	if (p->replicas)
		str_addf(
			out,
			"Replicas       %d for %g requests/s, each at %.0f %%; a safe batch fills in %.4g ms\n",
			p->replicas, in->qps, p->load_frac * 100, p->fill_ms);
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct batch_in in = { 0 };
	struct batch_plan p;
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (c->output == OUT_CSV || c->output == OUT_HTML)
		return cli_usage_error(c, "this command prints text or -o json");
	if (!cli_value(c, "slo-ms") || (!cli_value(c, "model-ms") && !cli_value(c, "profile")))
		return cli_usage_error(c, "--slo-ms is needed, and --model-ms or --profile");
	int r = read_ask(c, &in, &err);
	if (r >= 0)
		r = batch_decide(&in, &p, &err);
	if (r < 0)
		return cli_fail(&err);
	if (c->output == OUT_JSON)
		print_json(&in, &p, &out);
	else
		print_text(&in, &p, &out);
	int code = cli_write(&out);
	str_free(&out);
	return code ? code : p.feasible ? EXIT_DONE : EXIT_VIOLATED;
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
