/* tare plan mig: the fewest MIG GPUs for a set of services, proven, with legal places; see
 * opt/mig/mig.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "answer/plan/plan_mig.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "report/plan/plan_mig.h"

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

struct asked {
	const char *profiles, *slo_latency, *slo_rate, *gpu, *current;
	int64_t scenario, mixes, seed, max_drained;
	double slo_frac;
	bool parted, timing;
};

/* What is asked of the services of the files, once these are read. */
static int read_ask(const struct asked *a, struct plan_mig_ask *q, struct err *err)
{
	int64_t most = (int64_t)q->services->latency.nrow;

	if (a->scenario > most)
		return err_set(err, -EINVAL,
			       "--scenario: '%lld' is not a whole number from 1 to %lld",
			       (long long)a->scenario, (long long)most);
	q->scenario = (size_t)a->scenario;
	q->mixes = (size_t)a->mixes;
	q->seed = (uint64_t)a->seed;
	q->cpu_ms = a->timing ? cpu_ms : NULL;
	return 0;
}

static void print_mig(const struct cli *c, const struct asked *asked,
		      const struct plan_mig_answer *a, struct str *out)
{
	struct out_as as = cli_out_as(c);

	if (asked->parted)
		plan_mig_print_parted(a, out);
	else if (asked->scenario)
		plan_mig_print_layout(a, &as, out);
	else
		plan_mig_print(a, &as, out);
}

/* What is read of the files, and freed with them. */
struct read {
	struct mig_services services;
	struct mig_running running;
};

static int read_files(struct cli *c, const struct asked *asked, struct read *ret, struct err *err)
{
	int r = answer_mig_services(asked->profiles, asked->slo_latency, asked->slo_rate, &c->mem,
				    &ret->services, err);

	if (r < 0 || !asked->current)
		return r;
	return answer_mig_running(asked->current, &ret->running, err);
}

static int decide_services(struct cli *c, const struct asked *asked, const struct plan_mig_gpu *gpu,
			   struct str *out, bool *ret_violated, struct err *err)
{
	struct read *f = xcalloc(1, sizeof *f);
	struct plan_mig_ask q = { .gpu = gpu,
				  .services = &f->services,
				  .slo_frac = asked->slo_frac,
				  .running_file = asked->current,
				  .max_drained = -1,
				  .mem = &c->mem };
	struct plan_mig_answer a;
	int r = read_files(c, asked, f, err);

	if (asked->current)
		q.running = &f->running;
	if (cli_value(c, "max-drained"))
		q.max_drained = asked->max_drained;

	if (r >= 0)
		r = read_ask(asked, &q, err);
	if (r >= 0)
		r = answer_plan_mig(&q, &a, err);
	if (r >= 0) {
		print_mig(c, asked, &a, out);
		*ret_violated = a.none_within;
	}
	answer_mig_services_free(&f->services);
	answer_mig_running_free(&f->running);
	free(f);
	return r;
}

static int decide_mig(struct cli *c, const struct asked *a, const struct catalog *cat,
		      struct str *out, bool *ret_violated, struct err *err)
{
	struct plan_mig_gpu *gpu = xcalloc(1, sizeof *gpu);
	int r = answer_mig_gpu(cat, a->gpu, gpu, err);

	if (r < 0 && !gpu->model)
		err_prefix(err, "--gpu");
	if (r >= 0 && a->profiles) {
		r = decide_services(c, a, gpu, out, ret_violated, err);
	} else if (r >= 0) {
		struct out_as as = cli_out_as(c);
		plan_mig_print_gpu(gpu, &as, out);
	}
	free(gpu);
	return r;
}

static int run_plan_mig(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct catalog *cat = NULL;
	struct asked a;
	bool violated = false;
	int r, code;

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "profiles") != !cli_value(c, "slo-latency") ||
	    !cli_value(c, "profiles") != !cli_value(c, "slo-rate"))
		return cli_usage_error(
			c,
			"--profiles, --slo-latency and --slo-rate go together; without them the GPU's table is printed");
	if (cli_flag(c, "parted") && !cli_value(c, "scenario"))
		return cli_usage_error(c,
				       "--parted is the layout of one scenario: give --scenario");
	if (cli_value(c, "current") && !cli_value(c, "scenario"))
		return cli_usage_error(
			c, "--current is what one scenario starts from: give --scenario");
	if (cli_value(c, "max-drained") && !cli_value(c, "current"))
		return cli_usage_error(c, "--max-drained counts what --current says runs: give it");
	r = cli_read_opts(c, &a, &err);
	if (r >= 0)
		r = catalog_open(NULL, &cat, &err);
	if (r >= 0)
		r = decide_mig(c, &a, cat, &out, &violated, &err);
	code = cli_end(r, &err, &out);
	catalog_free(cat);
	if (r == -EDOM || (code == EXIT_DONE && violated))
		return EXIT_VIOLATED;
	return code;
}

static const struct cli_opt opts[] = {
	{ "profiles", "DIR", "a CSV per service: slices, batch, procs, throughput, latency_ms",
	  .type = OPT_FILE, .at = offsetof(struct asked, profiles), .values = "DIR" },
	{ "slo-latency", "CSV",
	  "latency bounds in ms: a first line of services, a row per scenario; without that line a column per profile by name",
	  .values = "FILE", .type = OPT_FILE, .at = offsetof(struct asked, slo_latency) },
	{ "slo-rate", "CSV", "requests per second to serve, in the same shape", .values = "FILE",
	  .type = OPT_FILE, .at = offsetof(struct asked, slo_rate) },
	{ "current", "CSV", "what runs today: gpu, start, profile, service (as -o csv prints it)",
	  .values = "FILE", .type = OPT_FILE, .at = offsetof(struct asked, current) },
	{ "max-drained", "N", "take the fewest GPUs that drain at most N instances of today",
	  .type = OPT_INT, .at = offsetof(struct asked, max_drained), .lo = 0, .hi = 1e6 },
	{ "scenario", "N", "one scenario, with its layout (default: all, a line each)",
	  .type = OPT_INT, .at = offsetof(struct asked, scenario), .lo = 1, .hi = INFINITY },
	{ "gpu", "MODEL", "a GPU with MIG", .type = OPT_TEXT, .at = offsetof(struct asked, gpu),
	  .def = "A100-SXM4-80GB" },
	{ "slo-frac", "F", "part of the latency bound that a batch may take", .type = OPT_FRAC,
	  .at = offsetof(struct asked, slo_frac), .lo = 1e-12, .hi = 1, .def = "0.45",
	  .what = "share above 0 and up to 1" },
	{ "random-mixes", "N", "instead of scenarios: random mixes of the services",
	  .type = OPT_INT, .at = offsetof(struct asked, mixes), .lo = 1, .hi = 100000 },
	{ "seed", "N", "of the mixes", .type = OPT_INT, .at = offsetof(struct asked, seed),
	  .hi = INFINITY, .def = "1" },
	{ "parted", NULL, "print the layout as a configuration of mig-parted", .type = OPT_FLAG,
	  .at = offsetof(struct asked, parted) },
	{ "timing", NULL, "also say how long the slowest took (CPU time)", .type = OPT_FLAG,
	  .at = offsetof(struct asked, timing) },
	{ 0 },
};

const struct cli_cmd cmd_plan_mig_def = {
	.name = "plan mig",
	.group = "",
	.summary = "what fits a MIG GPU, and the fewest GPUs for a set of services, proven",
	.usage =
		"[--gpu MODEL] [--profiles DIR --slo-latency CSV --slo-rate CSV [--scenario N [--current CSV]]] ...",
	.examples =
		"# what fits a GPU: 7 x 1g.10gb, 3 x 2g.20gb + 1 x 1g.10gb, 1 x 3g.40gb and others, 1 x 7g.80gb\n"
		"tare plan mig --gpu A100-80GB\n"
		"tare plan mig --profiles prof_data --slo-latency SLO_latency.csv --slo-rate SLO_req_rate.csv --scenario 6\n"
		"tare plan mig --profiles prof_data --slo-latency SLO_latency.csv --slo-rate SLO_req_rate.csv --scenario 6 --parted > mig.yaml\n"
		"# from what runs today: which instances stay, which must be drained\n"
		"tare plan mig --profiles prof_data --slo-latency SLO_latency.csv --slo-rate SLO_req_rate.csv --scenario 6 --current today.csv\n"
		"tare plan mig --profiles prof_data --slo-latency SLO_latency.csv --slo-rate SLO_req_rate.csv --random-mixes 48 --seed 1",
	.about =
		"Without profiles: the instances of a GPU, where they may start, and the sets that fill it.\n\n"
		"The tables of bounds and rates name their services in a first line, in any order; a service without a column is not asked for, and a name\n"
		"without a profile is an error. Without such a line there is a column per profile, in the order of their names. N/A: not in that scenario.\n\n"
		"Per service and size of instance the best batch and number of processes is taken whose latency is below 0.45 of its bound: half for the\n"
		"batch that runs when a request comes, a tenth in reserve. Then the fewest GPUs are found exactly, and instances are placed where NVIDIA's\n"
		"tables allow: create them in the order printed, or with their start.\n\n"
		"--current: an instance stays where GPU, start, profile and service stay, and is not disturbed by what is made and destroyed beside it; every\n"
		"other one of a service that is still asked for must be drained. Of the layouts on as many GPUs the one that drains least is sought (within 2 %\n"
		"of the least on small GPUs), for the fewest GPUs and each number up to today's. mig-parted stops all of a GPU: then drain whole GPUs.\n"
		"Up to 64 GPUs: ask for each node pool on its own, with its part of the rates.\n\n"
		"Exit 1: a service cannot meet its bound on any instance, or no way drains as few as --max-drained.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.docs = CLI_DOCS(&plan_mig_doc),
	.run = run_plan_mig,
};
