#include "cli/plan/plan_gpu_ask.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"

const struct cli_opt plan_gpu_opts[] = {
	{ "vram-gib", "GIB", "memory used, 99th percentile; 10 % room is added", .type = OPT_NUM,
	  .at = offsetof(struct plan_gpu_asked, vram_gib), .hi = 1e6 },
	{ "workload", "NAME",
	  "what tare profile --workload measured, or what it resembles in the table of speeds (resnet50, nlp, llama2-70b-99/server)",
	  .type = OPT_TEXT, .at = offsetof(struct plan_gpu_asked, workload) },
	{ "model", "NAME", "the same as --workload", .type = OPT_TEXT,
	  .at = offsetof(struct plan_gpu_asked, model) },
	{ "on", "GPU", "the GPU it runs on now", .type = OPT_TEXT,
	  .at = offsetof(struct plan_gpu_asked, on) },
	{ "step-time", "S", "seconds per step, measured on --on", .type = OPT_NUM,
	  .at = offsetof(struct plan_gpu_asked, step_s), .lo = 1e-9, .hi = 1e9 },
	{ "measured", "GPU=N", "steps per second of one GPU, measured; several times", .many = true,
	  .type = OPT_LIST, .at = offsetof(struct plan_gpu_asked, measured) },
	{ "util", "F", "share of time with a kernel on --on, 0 to 1", .type = OPT_NUM,
	  .at = offsetof(struct plan_gpu_asked, shares.util), .hi = 1 },
	{ "sm", "F", "mean SM activity there", .type = OPT_NUM,
	  .at = offsetof(struct plan_gpu_asked, shares.sm), .hi = 1 },
	{ "tensor", "F", "mean tensor pipe activity there", .type = OPT_NUM,
	  .at = offsetof(struct plan_gpu_asked, shares.tensor), .hi = 1 },
	{ "dram", "F", "mean memory activity there", .type = OPT_NUM,
	  .at = offsetof(struct plan_gpu_asked, shares.dram), .hi = 1 },
	{ "pcie", "F", "mean share of the PCIe link there", .type = OPT_NUM,
	  .at = offsetof(struct plan_gpu_asked, shares.pcie), .hi = 1 },
	{ "busy", "F",
	  "part of --on's compute that the work needs at its peak (a server at 20 %: 0.2)",
	  .type = OPT_NUM, .at = offsetof(struct plan_gpu_asked, busy_frac), .lo = 1e-3, .hi = 1 },
	{ "max-slowdown", "F", "how many times slower it may become", .type = OPT_NUM,
	  .at = offsetof(struct plan_gpu_asked, max_slowdown), .lo = 1e-3, .hi = 1e6 },
	{ "sure", NULL, "hold --max-slowdown at the low end of the range too", .type = OPT_FLAG,
	  .at = offsetof(struct plan_gpu_asked, sure) },
	{ "params", "N", "estimate the memory of a transformer with N parameters (7e9)",
	  .type = OPT_NUM, .at = offsetof(struct plan_gpu_asked, memory.params), .lo = 1e3,
	  .hi = 1e15 },
	{ "train", NULL, "training (default)", .type = OPT_FLAG,
	  .at = offsetof(struct plan_gpu_asked, train) },
	{ "serve", NULL, "serving: weights and KV cache; speeds from the serving table",
	  .type = OPT_FLAG, .at = offsetof(struct plan_gpu_asked, serve) },
	{ "fp32", NULL, "single precision: speeds from the single-precision table",
	  .type = OPT_FLAG, .at = offsetof(struct plan_gpu_asked, fp32) },
	{ "seq", "N", "tokens per sequence (default 2048)", .type = OPT_NUM,
	  .at = offsetof(struct plan_gpu_asked, seq), .lo = 1, .hi = 1e8, .def = "2048" },
	{ "batch", "N", "sequences per GPU and step, or served at once (default 1)",
	  .type = OPT_NUM, .at = offsetof(struct plan_gpu_asked, batch), .hi = 1e6, .def = "1" },
	{ "zero", "STAGE", "ZeRO stage 0 to 3 (default 0)", .values = "0|1|2|3", .type = OPT_CHOICE,
	  .at = offsetof(struct plan_gpu_asked, zero), .def = "0" },
	{ "gpus", "N", "GPUs that ZeRO or tensor parallelism divide over (default 1)",
	  .type = OPT_NUM, .at = offsetof(struct plan_gpu_asked, gpus), .lo = 1, .hi = 1e6,
	  .def = "1" },
	{ "recompute", "HOW", "of activations: none, selective (default) or full",
	  .values = "none|selective|full", .type = OPT_CHOICE,
	  .at = offsetof(struct plan_gpu_asked, recompute), .def = "selective" },
	{ "bytes-per-param", "N", "2 for half precision (default), 1 for 8 bits, 0.5 for 4",
	  .type = OPT_NUM, .at = offsetof(struct plan_gpu_asked, memory.bytes_per_param),
	  .lo = .125, .hi = 8, .def = "2" },
	{ "layers", "N", "layers; else assumed from the size, as are the next three",
	  .type = OPT_NUM, .at = offsetof(struct plan_gpu_asked, memory.layers), .lo = 1,
	  .hi = 1e5 },
	{ "hidden", "N", "hidden size", .type = OPT_NUM,
	  .at = offsetof(struct plan_gpu_asked, memory.hidden), .lo = 1, .hi = 1e7 },
	{ "heads", "N", "attention heads", .type = OPT_NUM,
	  .at = offsetof(struct plan_gpu_asked, memory.heads), .lo = 1, .hi = 1e5 },
	{ "kv-heads", "N", "key-value heads", .type = OPT_NUM,
	  .at = offsetof(struct plan_gpu_asked, memory.kv_heads), .lo = 1, .hi = 1e5 },
	{ "provider", "P", "prices of this provider (default: all)", .type = OPT_TEXT,
	  .at = offsetof(struct plan_gpu_asked, market.provider) },
	{ "region", "GLOB", "prices of these regions", .type = OPT_TEXT,
	  .at = offsetof(struct plan_gpu_asked, market.region) },
	{ "purchase", "P", "on_demand (default), spot, reserved_1y, ...", .type = OPT_TEXT,
	  .at = offsetof(struct plan_gpu_asked, market.purchase) },
	{ "cpu", "ARCH",
	  "processor that the program is for: x86 (default; that beside --on), arm64 or any",
	  .values = "x86|arm64|any", .type = OPT_CHOICE,
	  .at = offsetof(struct plan_gpu_asked, cpu) },
	{ "any-maker", NULL,
	  "rank GPUs of other makers among those that need no port of the program",
	  .type = OPT_FLAG, .at = offsetof(struct plan_gpu_asked, any_maker) },
	{ "limit", "N", "rows of the table (default 20; 0: all)", .type = OPT_INT,
	  .at = offsetof(struct plan_gpu_asked, limit), .hi = INFINITY, .def = "20",
	  .what = "number of rows" },
	{ 0 },
};

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

static int read_on(const struct plan_gpu_asked *x, struct gpu_ask *a, struct err *err)
{
	bool timed = !isnan(x->step_s);
	int r = 0;

	if (x->on)
		r = find_gpu(a->cat, "on", sv_of(x->on), &a->on, err);
	if (r >= 0 && timed && !x->on)
		r = err_set(err, -EINVAL,
			    "--step-time needs --on: the GPU that it was measured on");
	if (r >= 0 && timed)
		r = gpu_ask_add(a, a->on, 1 / x->step_s, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < x->measured.n; i++) { /* GPU=STEPS_PER_S */
		struct sv value, gpu = sv_trim(sv_cut(sv_of(x->measured.v[i]), '=', &value));
		const struct gpu_spec *g;
		double speed;
		bool numeric = value.p && sv_f64(sv_trim(value), &speed) >= 0;
		if (!numeric || !(speed > 0 && speed < 1e15))
			return err_set(err, -EINVAL,
				       "--measured: '%s' is not a GPU=STEPS_PER_SECOND",
				       x->measured.v[i]);
		if ((r = find_gpu(a->cat, "measured", gpu, &g, err)) < 0 ||
		    (r = gpu_ask_add(a, g, speed, err)) < 0)
			return r;
	}
	return 0;
}

static int read_shares(const struct plan_gpu_asked *x, struct gpu_ask *a, struct err *err)
{
	const struct roofline_shares *s = &x->shares;

	a->shares = *s;
	const double share[] = { s->util, s->sm, s->tensor, s->dram, s->pcie };

	a->has_shares = false;
	for (size_t i = 0; i < sizeof share / sizeof *share; i++)
		a->has_shares |= !isnan(share[i]);
	if (a->has_shares && !x->on)
		return err_set(
			err, -EINVAL,
			"shares of time (--util, --tensor, --dram ...) need --on: the GPU that they were measured on");
	return 0;
}

static double or_else(double v, double other)
{
	return known_or(v, other);
}

int plan_gpu_ask(struct cli *c, const struct plan_gpu_asked *x, const struct catalog *cat,
		 struct gpu_ask *ret, struct err *err)
{
	int r;

	*ret = (struct gpu_ask){ .cat = cat, .market = x->market, .dir = cli_db(c) };
	ret->market.now_ms = c->now_ms;
	ret->wanted = text_or(x->model, x->workload);
	if (x->serve)
		ret->group = "serving";
	else if (x->fp32)
		ret->group = "training_fp32";
	ret->cpu_given = x->cpu >= 0;
	if (x->cpu == 0)
		ret->cpu = CPU_X86;
	else if (x->cpu == 1)
		ret->cpu = CPU_ARM;
	r = read_on(x, ret, err);
	if (r >= 0)
		r = read_shares(x, ret, err);
	if (r < 0)
		return r;
	ret->need = (struct gpu_need){ .vram_p99_gib = x->vram_gib,
				       .max_slowdown = or_else(x->max_slowdown, INFINITY),
				       .busy_frac = or_else(x->busy_frac, 1),
				       .sure = x->sure,
				       .ports = x->any_maker };
	if (!isnan(x->memory.params)) {
		const struct memory_model *m = &x->memory;
		ret->model = (struct gpu_model){
			.model = { .params = m->params,
				   .layers = or_else(m->layers, 0),
				   .hidden = or_else(m->hidden, 0),
				   .heads = or_else(m->heads, 0),
				   .kv_heads = or_else(m->kv_heads, 0),
				   .bytes_per_param = m->bytes_per_param },
			.serve = x->serve,
			.serving = { x->seq, x->batch, 2, x->gpus },
			.training = { x->seq, x->batch, x->zero, x->gpus, false,
				      (enum memory_recompute)x->recompute },
		};
	} else if (x->train || cli_value(c, "seq") || cli_value(c, "zero")) {
		return err_set(err, -EINVAL,
			       "--params is needed to estimate memory, such as --params 7e9");
	}
	return 0;
}
