/* tare plan gpu: the cheapest GPU that does a workload, from numbers; no store needed. */
#include <math.h>

#include "cli/cmds.h"
#include "cli/plan/plan_gpu_ask.h"
#include "report/plan/plan_gpu.h"

static int choose_gpu(struct cli *c, const struct plan_gpu_asked *x, const struct catalog *cat,
		      struct str *out, int *ret_code, struct err *err)
{
	struct out_as as = cli_out_as(c);
	struct plan_gpu a = { 0 };
	struct gpu_ask q;
	int r = plan_gpu_ask(c, x, cat, &q, err);

	if (r >= 0)
		r = answer_plan_gpu(&q, &a, err);
	if (r >= 0) {
		plan_gpu_print(&a, (size_t)x->limit, &as, out);
		*ret_code = isnan(a.q.need.vram_p99_gib) ? EXIT_INCOMPLETE : EXIT_DONE;
	}
	plan_gpu_free(&a);
	return r;
}

static int run_plan_gpu(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct catalog *cat = NULL;
	struct plan_gpu_asked x;
	int code = EXIT_DONE, r;

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	r = cli_read_opts(c, &x, &err);
	if (r >= 0)
		r = catalog_open(NULL, &cat, &err);
	if (r >= 0)
		r = choose_gpu(c, &x, cat, &out, &code, &err);
	if (r < 0)
		code = cli_fail(&err);
	else if (cli_write(&out) != EXIT_DONE)
		code = EXIT_ERROR;
	str_free(&out);
	catalog_free(cat);
	return code;
}

const struct cli_cmd cmd_plan_gpu_def = {
	.name = "plan gpu",
	.group = "",
	.summary = "the cheapest GPU that a workload fits on, per unit of work",
	.usage =
		"[--vram-gib GIB | --params N] [--workload NAME] [--on GPU [--step-time S]] [--max-slowdown F] ...",
	.examples =
		"# small models on A100s: what would an L4 do? A server that keeps its GPU 20 % busy\n"
		"tare plan gpu --vram-gib 14 --on A100-40GB --busy 0.2 --provider gcp --region us-central1\n"
		"# ResNet-50 measured on a V100 and a T4; at most twice as slow as on the V100\n"
		"tare plan gpu --vram-gib 11 --workload resnet50 --on V100 --step-time 0.31 --measured T4=1.4 --max-slowdown 2\n"
		"# from the counters of a profile\n"
		"tare plan gpu --vram-gib 30 --on H100 --util 0.9 --tensor 0.1 --dram 0.6\n"
		"# what tare profile --workload bert-large measured here, on each GPU it ran on\n"
		"tare plan gpu --workload bert-large\n"
		"# fine-tune 7 billion parameters on 8 GPUs with ZeRO-3; serve them in 8 bits\n"
		"tare plan gpu --params 7e9 --train --seq 2048 --batch 1 --zero 3 --gpus 8\n"
		"tare plan gpu --params 7e9 --serve --bytes-per-param 1 --seq 4096 --batch 16",
	.about =
		"Candidates that fit come first, cheapest per unit of work first. Each is the cheapest whole GPU of its model in the catalogue at that place.\n"
		"Speeds: what you measured (--measured, --step-time, and what 'tare profile --workload NAME --steps N' kept in the store's folder, speeds.csv:\n"
		"the median of the newest five runs of a GPU model); else learned from the catalogue's table of published speeds (data/speeds.csv), the data sheets and your\n"
		"measurements; with counters and no workload, a roofline. Ranges hold the 5th to 95th percentile; counters alone give a wide one. Memory\n"
		"that is not known fits nothing: the exit code is then 3. GPUs that are sold with ARM processors only (GH200, GB200, AWS's g5g) are left out and\n"
		"named, unless --cpu or --on says that the program runs there. GPUs of another maker than that of --on (NVIDIA without it) need a port of\n"
		"the program: they come after those that do not, marked so, unless --any-maker is given. Prices that are none by their own source (a\n"
		"placeholder, a price from which others start) are left out and named. One measurement fixes the unit of steps and no ratio between GPUs,\n"
		"whatever that unit is; two and more also say how GPUs differ.",
	.common = CLI_STORE | CLI_OUTPUT,
	.opt = plan_gpu_opts,
	.docs = CLI_DOCS(&plan_gpu_doc),
	.run = run_plan_gpu,
};
