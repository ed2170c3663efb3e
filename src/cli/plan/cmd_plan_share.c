/* tare plan share: who may share a GPU, and how. */
#include <errno.h>

#include "answer/plan/plan_share.h"
#include "cli/cmds.h"
#include "report/plan/plan_share.h"

struct asked {
	const char *tenants, *gpu;
	int across; /* enum plan_share_across */
	double target_frac;
	dec usd_gpu_hour;
};

struct opened {
	struct store *store;
	struct catalog *catalog;
	struct plan_conf conf;
	bool has_conf;
};

static int decide_share(struct cli *c, const struct asked *x, const struct opened *o,
			struct str *out, bool *ret_fits, struct err *err)
{
	struct out_as as = cli_out_as(c);
	struct plan_share_answer a;
	const struct plan_share_ask q = {
		.ask = cli_ask(c, o->store, o->catalog),
		.conf = &o->conf,
		.file = x->tenants,
		.gpu = x->gpu,
		.target_util_frac = x->target_frac,
		.across = (enum plan_share_across)x->across,
		.usd_gpu_hour = x->usd_gpu_hour,
		.month_hours = o->conf.month_hours,
	};
	int r = answer_plan_share(&q, &a, err);

	if (r >= 0)
		plan_share_print(&q, &a, &as, out);
	*ret_fits = !a.too_large;
	plan_share_free(&a);
	return r;
}

static int run_plan_share(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct asked x = { 0 };
	struct opened o = { 0 };
	bool fits = true;
	int r, code;

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	r = cli_read_opts(c, &x, &err);
	if (r >= 0) {
		r = plan_conf_load(c->config, &o.conf, &err);
		o.has_conf = r >= 0;
	}
	if (r >= 0)
		r = catalog_open(NULL, &o.catalog, &err);
	if (r >= 0 && !x.tenants)
		r = cli_open_store(c, STORE_READ, &o.store, &err);
	if (r >= 0)
		r = decide_share(c, &x, &o, &out, &fits, &err);
	code = cli_end(r, &err, &out);
	if (o.has_conf)
		plan_conf_free(&o.conf);
	catalog_free(o.catalog);
	if (o.store)
		store_close(o.store);
	if (r == -ENODATA)
		return EXIT_INCOMPLETE;
	if (code == EXIT_DONE && !fits)
		return EXIT_VIOLATED;
	return code;
}

static const struct cli_opt opts[] = {
	{ "tenants", "CSV",
	  "who is asked about: name, mem_gib, load_frac, and kind, owner, replicas, share_with (default: what runs at the end of the store's history)",
	  .type = OPT_FILE, .at = offsetof(struct asked, tenants), .values = "FILE" },
	{ "gpu", "MODEL",
	  "the GPU (default: with --tenants an A100-80GB, else those that they have now)",
	  .type = OPT_TEXT, .at = offsetof(struct asked, gpu) },
	{ "across", "WHICH", "what owners who differ may share: MIG GPUs, none, or all kinds",
	  .type = OPT_CHOICE, .at = offsetof(struct asked, across), .values = "mig|none|all",
	  .def = "mig" },
	{ "target-frac", "F", "most of a GPU that may be busy in the busiest minutes",
	  .type = OPT_FRAC, .at = offsetof(struct asked, target_frac), .lo = 0.05, .hi = 1,
	  .def = "0.8", .what = "share from 0.05 to 1" },
	{ "usd-gpu-hour", "USD",
	  "price of a GPU an hour: what the freed ones are worth (default: what they cost now, of those of the store)",
	  .type = OPT_MONEY, .at = offsetof(struct asked, usd_gpu_hour), .hi = 10000 },
	{ 0 },
};

const struct cli_cmd cmd_plan_share_def = {
	.name = "plan share",
	.group = "",
	.summary =
		"which services and notebooks may share a GPU, how (MIG, MPS, time slice), and why not",
	.usage = "[--tenants CSV] [--gpu MODEL] [--across mig|none|all] ...",
	.examples =
		"# services and notebooks of the store, on the GPUs that they have now\n"
		"tare plan share\n"
		"tare plan share --tenants tenants.csv --gpu H100\n"
		"# owners who trust each other with MPS and time slices too\n"
		"tare plan share --tenants tenants.csv --gpu L4 --across all --usd-gpu-hour 0.8",
	.about =
		"MIG keeps memory, cache, compute and faults apart: any owners. MPS runs kernels at the same time, but a fatal fault of one ends all: services of one\n"
		"owner. Time slices keep neither memory nor latency: notebooks of one owner. Replicas of a service are never on one GPU. Memory is the highest\n"
		"reading and a tenth more; together they stay below the target in their busiest minutes, and by MPS the load of the others at most what a\n"
		"service's latency may grow by (slo_p99_ms, slo_p99_growth_frac; its request log). Up to 12 tenants the fewest GPUs are found exactly, above\n"
		"by best fit with a bound. A rule of the settings with share_with (CONFIG.md) is kept, as is that column.\n\n"
		"This is an answer, not a change: latency on a part of a GPU is what a day of one replica has to show first (tare plan --lever share).",
	.common = CLI_STORE | CLI_DEMO | CLI_OUTPUT,
	.opt = opts,
	.docs = CLI_DOCS(&plan_share_doc),
	.run = run_plan_share,
};
