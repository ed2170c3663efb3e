#include "cli/plan_gpu_ask.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int option(const struct cli *c, const char *name, double other, double lo, double hi,
		  double *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && (sv_f64(sv_trim(sv_of(z)), ret) < 0 || !(*ret >= lo && *ret <= hi)))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from %g to %g", name, z, lo,
			       hi);
	return 0;
}

static int find_gpu(const struct catalog *cat, const char *option_name, struct sv text,
		    const struct gpu_spec **ret, struct err *err)
{
	*ret = catalog_gpu(cat, text);
	if (*ret)
		return 0;
	err_set(err, -EINVAL, "--%s: no GPU '%.*s' in the catalogue", option_name, SVF(text));
	err_hint(err,
		 "any usual spelling is fine: \"A100 80GB\", l4, V100-SXM2-16GB; see tare price");
	return -EINVAL;
}

/* --measured GPU=STEPS_PER_S */
static int read_measured(struct cli *c, struct gpu_ask *a, struct err *err)
{
	const char **v;
	size_t n = cli_values(c, "measured", &v);
	for (size_t i = 0; i < n; i++) {
		struct sv value, gpu = sv_trim(sv_cut(sv_of(v[i]), '=', &value));
		const struct gpu_spec *g;
		double speed;
		int r;
		if (!value.p || sv_f64(sv_trim(value), &speed) < 0 || !(speed > 0 && speed < 1e15))
			return err_set(err, -EINVAL, "--measured: '%s' is no GPU=STEPS_PER_SECOND",
				       v[i]);
		if ((r = find_gpu(a->cat, "measured", gpu, &g, err)) < 0 ||
		    (r = gpu_ask_add(a, g, speed, err)) < 0)
			return r;
	}
	return 0;
}

static int read_on(struct cli *c, struct gpu_ask *a, struct err *err)
{
	const char *on = cli_value(c, "on");
	double step_s;
	int r = option(c, "step-time", NAN, 1e-9, 1e9, &step_s, err);
	if (r >= 0 && on)
		r = find_gpu(a->cat, "on", sv_of(on), &a->on, err);
	if (r >= 0 && !isnan(step_s) && !on)
		r = err_set(err, -EINVAL,
			    "--step-time needs --on: the GPU that it was measured on");
	if (r >= 0 && !isnan(step_s))
		r = gpu_ask_add(a, a->on, 1 / step_s, err);
	return r < 0 ? r : read_measured(c, a, err);
}

static int read_shares(struct cli *c, struct gpu_ask *a, struct err *err)
{
	struct {
		const char *name;
		double *v;
	} s[] = { { "util", &a->shares.util },
		  { "sm", &a->shares.sm },
		  { "tensor", &a->shares.tensor },
		  { "dram", &a->shares.dram },
		  { "pcie", &a->shares.pcie } };
	for (size_t i = 0; i < sizeof s / sizeof *s; i++) {
		int r = option(c, s[i].name, NAN, 0, 1, s[i].v, err);
		if (r < 0)
			return r;
		a->has_shares |= !isnan(*s[i].v);
	}
	if (a->has_shares && !cli_value(c, "on"))
		return err_set(
			err, -EINVAL,
			"shares of time (--util, --tensor, --dram ...) need --on: the GPU that they were measured on");
	return 0;
}

static int read_model(struct cli *c, struct memory_model *m, struct err *err)
{
	struct {
		const char *name;
		double other, lo, hi, *v;
	} o[] = {
		{ "params", NAN, 1e3, 1e15, &m->params },
		{ "layers", 0, 1, 1e5, &m->layers },
		{ "hidden", 0, 1, 1e7, &m->hidden },
		{ "heads", 0, 1, 1e5, &m->heads },
		{ "kv-heads", 0, 1, 1e5, &m->kv_heads },
		{ "bytes-per-param", 2, .125, 8, &m->bytes_per_param },
	};
	for (size_t i = 0; i < sizeof o / sizeof *o; i++) {
		int r = option(c, o[i].name, o[i].other, o[i].lo, o[i].hi, o[i].v, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static enum memory_recompute recompute_of(struct cli *c)
{
	const char *z = cli_value(c, "recompute");

	if (z && !strcmp(z, "none"))
		return RECOMPUTE_NONE;
	return z && !strcmp(z, "full") ? RECOMPUTE_FULL : RECOMPUTE_SELECTIVE;
}

static int read_memory(struct cli *c, struct gpu_model *m, struct err *err)
{
	double seq, batch, zero, gpus;
	int r = read_model(c, &m->model, err);
	if (r >= 0)
		r = option(c, "seq", 2048, 1, 1e8, &seq, err);
	if (r >= 0)
		r = option(c, "batch", 1, 0, 1e6, &batch, err);
	if (r >= 0)
		r = option(c, "zero", 0, 0, 3, &zero, err);
	if (r >= 0)
		r = option(c, "gpus", 1, 1, 1e6, &gpus, err);
	if (r < 0)
		return r;
	m->serve = cli_flag(c, "serve");
	m->serving = (struct memory_serve){ seq, batch, 2, gpus };
	m->training = (struct memory_train){ seq, batch, (int)zero, gpus, false, recompute_of(c) };
	return 0;
}

static int read_need(struct cli *c, struct gpu_ask *a, struct err *err)
{
	int r = option(c, "vram-gib", NAN, 0, 1e6, &a->need.vram_p99_gib, err);
	if (r >= 0)
		r = option(c, "max-slowdown", INFINITY, 1e-3, 1e6, &a->need.max_slowdown, err);
	if (r >= 0)
		r = option(c, "busy", 1, 1e-3, 1, &a->need.busy_frac, err);
	if (r >= 0 && cli_value(c, "params"))
		r = read_memory(c, &a->model, err);
	else if (r >= 0 && (cli_flag(c, "train") || cli_value(c, "seq") || cli_value(c, "zero")))
		r = err_set(err, -EINVAL,
			    "--params is needed to estimate memory, such as --params 7e9");
	a->need.sure = cli_flag(c, "sure");
	return r;
}

static void read_work(struct cli *c, struct gpu_ask *a)
{
	const char *model = cli_value(c, "model"), *cpu = cli_value(c, "cpu");

	a->wanted = model ? model : cli_value(c, "workload");
	if (cli_flag(c, "serve"))
		a->group = "serving";
	else if (cli_flag(c, "fp32"))
		a->group = "training_fp32";
	a->cpu_given = cpu != NULL;
	if (cpu && strcmp(cpu, "any") != 0)
		a->cpu = !strcmp(cpu, "arm64") ? CPU_ARM : CPU_X86;
}

static struct gpu_market market_of(struct cli *c)
{
	return (struct gpu_market){ cli_value(c, "provider"), cli_value(c, "region"),
				    cli_value(c, "purchase"), c->now_ms };
}

int plan_gpu_ask(struct cli *c, const struct catalog *cat, struct gpu_ask *ret, struct err *err)
{
	int r;

	*ret = (struct gpu_ask){ .cat = cat, .market = market_of(c), .dir = cli_db(c) };
	read_work(c, ret);
	r = read_on(c, ret, err);
	r = r < 0 ? r : read_shares(c, ret, err);
	return r < 0 ? r : read_need(c, ret, err);
}

/* ---- --evaluate -------------------------------------------------------------------------- */

static int whole(const struct cli *c, const char *name, int64_t other, int64_t lo, int64_t hi,
		 int64_t *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && (sv_i64(sv_of(z), ret) < 0 || *ret < lo || *ret > hi))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from %lld to %lld", name, z,
			       (long long)lo, (long long)hi);
	return 0;
}

int plan_gpu_ask_eval(struct cli *c, const struct catalog *cat, struct gpu_eval_ask *ret,
		      struct err *err)
{
	const char **also;
	size_t n = cli_values(c, "also", &also);
	int64_t pairs, seed;
	int r = whole(c, "pairs", 20, 1, 1000, &pairs, err);

	r = r < 0 ? r : whole(c, "seed", 1, 0, INT64_MAX, &seed, err);
	if (r < 0)
		return r;
	*ret = (struct gpu_eval_ask){ .cat = cat,
				      .market = market_of(c),
				      .mem = &c->mem,
				      .file = cli_value(c, "evaluate"),
				      .also = also,
				      .nalso = n,
				      .pairs = (int)pairs,
				      .seed = (uint64_t)seed };
	return 0;
}
