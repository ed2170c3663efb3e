/* tare plan mig: the fewest MIG cards for a set of services, proven, with legal places; see
 * opt/mig.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "answer/plan_mig.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "report/plan_mig.h"

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int number(const struct cli *c, const char *name, int64_t lo, int64_t hi, int64_t other,
		  int64_t *ret, struct err *err)
{
	const char *z = cli_value(c, name);

	*ret = other;
	if (z && (sv_i64(sv_of(z), ret) < 0 || *ret < lo || *ret > hi))
		return err_set(err, -EINVAL, "--%s: '%s' is no whole number from %lld to %lld",
			       name, z, (long long)lo, (long long)hi);
	return 0;
}

static int read_frac(const struct cli *c, double *ret, struct err *err)
{
	const char *z = cli_value(c, "slo-frac");

	*ret = PLAN_MIG_SLO_FRAC;
	if (z && (sv_f64(sv_of(z), ret) < 0 || !(*ret > 0 && *ret <= 1)))
		return err_set(err, -EINVAL, "--slo-frac: '%s' is no share above 0 and up to 1", z);
	return 0;
}

/* What is asked of the services of the files, once these are read. */
static int read_ask(const struct cli *c, struct plan_mig_ask *q, struct err *err)
{
	int64_t most = (int64_t)q->services->latency.nrow, scenario, mixes, seed;
	int r = number(c, "scenario", 1, most, 0, &scenario, err);

	r = r < 0 ? r : number(c, "random-mixes", 1, 100000, 0, &mixes, err);
	r = r < 0 ? r : number(c, "seed", 0, INT64_MAX, 1, &seed, err);
	if (r < 0)
		return r;
	q->scenario = (size_t)scenario;
	q->mixes = (size_t)mixes;
	q->seed = (uint64_t)seed;
	q->cpu_ms = cli_flag(c, "timing") ? cpu_ms : NULL;
	return 0;
}

static void print(const struct cli *c, const struct plan_mig_answer *a, size_t scenario,
		  struct str *out)
{
	struct out_as as = cli_out_as(c);

	if (cli_flag(c, "parted"))
		plan_mig_print_parted(a, out);
	else if (scenario)
		plan_mig_print_layout(a, &as, out);
	else
		plan_mig_print(a, &as, out);
}

static int services(struct cli *c, const struct plan_mig_card *card, struct str *out,
		    struct err *err)
{
	struct mig_services *s = xcalloc(1, sizeof *s);
	struct plan_mig_ask q = { .card = card, .services = s, .mem = &c->mem };
	struct plan_mig_answer a;
	int r = read_frac(c, &q.slo_frac, err);

	r = r < 0 ? r
		  : answer_mig_services(cli_value(c, "profiles"), cli_value(c, "slo-latency"),
					cli_value(c, "slo-rate"), &c->mem, s, err);
	r = r < 0 ? r : read_ask(c, &q, err);
	r = r < 0 ? r : answer_plan_mig(&q, &a, err);
	if (r >= 0)
		print(c, &a, q.scenario, out);
	answer_mig_services_free(s);
	free(s);
	return r;
}

static int decide(struct cli *c, const struct catalog *cat, struct str *out, struct err *err)
{
	struct plan_mig_card *card = xcalloc(1, sizeof *card);
	const char *gpu = cli_value(c, "gpu");
	int r = answer_mig_card(cat, gpu ? gpu : "A100-SXM4-80GB", card, err);

	if (r < 0 && !card->model)
		err_prefix(err, "--gpu");
	if (r >= 0 && cli_value(c, "profiles")) {
		r = services(c, card, out, err);
	} else if (r >= 0) {
		struct out_as as = cli_out_as(c);
		plan_mig_print_card(card, &as, out);
	}
	free(card);
	return r;
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct catalog *cat = NULL;
	int r, code;

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "profiles") != !cli_value(c, "slo-latency") ||
	    !cli_value(c, "profiles") != !cli_value(c, "slo-rate"))
		return cli_usage_error(
			c,
			"--profiles, --slo-latency and --slo-rate go together; without them the card's table is printed");
	if (cli_flag(c, "parted") && !cli_value(c, "scenario"))
		return cli_usage_error(c,
				       "--parted is the layout of one scenario: give --scenario");
	r = catalog_open(NULL, &cat, &err);
	r = r < 0 ? r : decide(c, cat, &out, &err);
	code = r < 0 ? cli_fail(&err) : cli_write(&out);
	catalog_free(cat);
	str_free(&out);
	return r == -EDOM ? EXIT_VIOLATED : code;
}

static const struct cli_opt opts[] = {
	{ "profiles", "DIR", "a CSV per service: slices, batch, procs, throughput, latency_ms", 0,
	  false, "DIR" },
	{ "slo-latency", "CSV",
	  "latency bounds in ms: a row per scenario, a column per service by name", 0, false,
	  "FILE" },
	{ "slo-rate", "CSV", "requests per second to serve, in the same shape", 0, false, "FILE" },
	{ "scenario", "N", "one scenario, with its layout (default: all, a line each)", 0, false,
	  NULL },
	{ "gpu", "MODEL", "a card with MIG (default: A100-SXM4-80GB)", 0, false, NULL },
	{ "slo-frac", "F", "part of the latency bound that a batch may take (default: 0.45)", 0,
	  false, NULL },
	{ "random-mixes", "N", "instead of scenarios: random mixes of the services", 0, false,
	  NULL },
	{ "seed", "N", "of the mixes (default: 1)", 0, false, NULL },
	{ "parted", NULL, "print the layout as a configuration of mig-parted", 0, false, NULL },
	{ "timing", NULL, "also say how long the slowest took (CPU time)", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_plan_mig_def = {
	.name = "plan mig",
	.group = "",
	.summary = "what fits a MIG card, and the fewest cards for a set of services, proven",
	.usage =
		"[--gpu MODEL] [--profiles DIR --slo-latency CSV --slo-rate CSV [--scenario N]] ...",
	.examples =
		"# what fits a card: 7 x 1g.10gb, 3 x 2g.20gb + 1 x 1g.10gb, 1 x 3g.40gb and others, 1 x 7g.80gb\n"
		"tare plan mig --gpu A100-80GB\n"
		"tare plan mig --profiles prof_data --slo-latency SLO_latency.csv --slo-rate SLO_req_rate.csv --scenario 6\n"
		"tare plan mig --profiles prof_data --slo-latency SLO_latency.csv --slo-rate SLO_req_rate.csv --scenario 6 --parted > mig.yaml\n"
		"tare plan mig --profiles prof_data --slo-latency SLO_latency.csv --slo-rate SLO_req_rate.csv --random-mixes 48 --seed 1",
	.about =
		"Without profiles: the instances of a card, where they may start, and the sets that fill it.\n\n"
		"Per service and size of instance the best batch and number of processes is taken whose latency is below 0.45 of its bound: half for the\n"
		"batch that runs when a request comes, a tenth in reserve. Then the fewest cards are found exactly, and instances are placed where NVIDIA's\n"
		"tables allow: create them in the order printed, or with their start. Changing the layout of a card stops whatever runs on it: drain it first.\n\n"
		"Exit 1: a service cannot meet its bound on any instance.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
