/* tare plan spot: one job on spot machines, before it runs; see answer/plan/plan_spot.h. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/clean.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "report/plan/plan_spot.h"
#include "run/run_seen.h"

#define NAME_BYTES 128 /* of a --place */

struct asked {
	double work_h, deadline_h, away_h, restart_h, stall_h, notice_h, mtbf_h;
	double gpus, od_usd_h, spot_usd_h, finish_frac;
	int64_t machines, runs, seed;
	const char *instance, *region, *provider, *dir, *interruption, *every;
	struct opt_list place;
	bool no_checkpoint;
};

struct given {
	struct asked x;
	struct plan_spot_ask q;
	struct spot_seen seen;
	struct catalog *catalog;
};

/* ---- where ------------------------------------------------------------------------------- */

/* "5..10" or "7" percent a month. */
static int parse_band(struct sv z, struct plan_spot_rate *ret)
{
	const char *dots = memmem(z.p, z.n, "..", 2);
	struct sv lo = z, hi = z;

	if (dots) {
		lo.n = (size_t)(dots - z.p);
		hi = (struct sv){ dots + 2, z.n - lo.n - 2 };
	}
	if (sv_f64(sv_trim(lo), &ret->month_lo_pct) < 0 ||
	    sv_f64(sv_trim(hi), &ret->month_hi_pct) < 0)
		return -EINVAL;
	if (ret->month_lo_pct >= 0 && ret->month_hi_pct >= ret->month_lo_pct &&
	    ret->month_hi_pct < 100)
		return 0;
	return -EINVAL;
}

/* What the command line says of all places. */
static int read_rate(const struct asked *x, struct plan_spot_rate *ret, struct err *err)
{
	const char *pct = x->interruption;

	if (pct && parse_band(sv_of(pct), ret) < 0) {
		err_set(err, -EINVAL,
			"--interruption: '%s' is not a chance of 0 to below 100 percent a month",
			pct);
		err_hint(
			err,
			"as in 7 or 5..10; --mtbf 30h says the mean time between interruptions instead");
		return -EINVAL;
	}
	if (!isnan(x->mtbf_h) && !(x->mtbf_h > 0))
		return err_set(err, -EINVAL, "--mtbf: nothing runs for no time");
	if (!isnan(x->mtbf_h))
		ret->hazard_h = 1 / x->mtbf_h;
	return 0;
}

static bool parse_usd(struct sv z, double *ret)
{
	return sv_f64(sv_trim(z), ret) >= 0 && *ret >= 0 && *ret <= 1e6;
}

/* What stands behind the @: SPAN, or LO..HI%. */
static bool parse_rate(struct sv z, struct plan_spot_rate *ret)
{
	double mtbf = 0;

	z = sv_trim(z);
	if (z.n && z.p[z.n - 1] == '%') {
		z.n--;
		ret->hazard_h = 0;
		return parse_band(z, ret) >= 0;
	}
	if (!z.n || opt_hours(z, &mtbf) < 0 || !(mtbf > 0))
		return false;
	ret->hazard_h = 1 / mtbf;
	return true;
}

/* NAME=SPOT[/ON-DEMAND][@SPAN or @LO..HI%] */
static int read_place(struct cli *c, const char *z, struct plan_spot_named *ret, struct err *err)
{
	struct sv rate, od, usd, name = sv_cut(sv_of(z), '=', &usd);
	char *clean = arena_alloc(&c->mem, NAME_BYTES);
	bool fine;

	usd = sv_cut(usd.p ? usd : SV(""), '@', &rate);
	usd = sv_cut(usd, '/', &od);
	sv_clean(sv_trim(name), clean, NAME_BYTES);
	ret->name = clean;
	fine = *clean && parse_usd(usd, &ret->spot_usd_h);
	if (od.p)
		fine = fine && parse_usd(od, &ret->od_usd_h);
	if (rate.p)
		fine = fine && parse_rate(rate, &ret->rate);
	if (fine)
		return 0;
	err_set(err, -EINVAL, "--place: '%s' is not a place with a price", z);
	err_hint(
		err,
		"NAME=USD@SPAN as in us-east-1a=0.97@10h (spot price of a machine and hour, mean time between interruptions), or us-east-1a=0.97/3.06@5..10%%");
	return -EINVAL;
}

static int read_named(struct cli *c, const struct asked *x, struct plan_spot_ask *q,
		      struct err *err)
{
	size_t n = x->place.n;
	struct plan_spot_named *v = arena_alloc(&c->mem, n * sizeof *v);
	int r = 0;

	if (n && (x->instance || !isnan(x->spot_usd_h)))
		return err_set(
			err, -EINVAL,
			"--place gives the spot prices: --instance and --spot do not go with it");
	for (size_t i = 0; r >= 0 && i < n; i++) {
		v[i] = (struct plan_spot_named){ .od_usd_h = NAN, .rate = q->rate };
		r = read_place(c, x->place.v[i], &v[i], err);
	}
	q->named = v;
	q->nnamed = n;
	return r;
}

/* "a,b" as two; one where there is no comma. */
static const char *const *split_pair(struct cli *c, const char *z, size_t *ret_n)
{
	const char **v = arena_alloc(&c->mem, (strlen(z) + 1) * sizeof *v);
	struct sv rest = sv_of(z);

	for (*ret_n = 0; rest.p; ++*ret_n)
		v[*ret_n] = arena_sv(&c->mem, sv_trim(sv_cut(rest, ',', &rest)));
	return v;
}

/* Types in regions, of the catalogue: not where both prices are given. */
static int read_types(struct cli *c, struct given *g, struct err *err)
{
	const char *types = g->x.instance, *regions = g->x.region;
	struct plan_spot_ask *q = &g->q;
	int r;

	bool priced = !isnan(g->x.od_usd_h) && !isnan(g->x.spot_usd_h);
	if (q->nnamed || !types || priced)
		return 0;
	q->provider = g->x.provider;
	q->gpus = known_or(g->x.gpus, 0);
	if ((r = catalog_open(NULL, &g->catalog, err)) < 0)
		return r;
	q->ask.catalog = g->catalog;
	q->type = split_pair(c, types, &q->ntype);
	q->region = split_pair(c, text_or(regions, ""), &q->nregion);
	for (size_t i = 0; regions && *regions && i < q->nregion; i++)
		if (!*q->region[i])
			return err_set(err, -EINVAL, "--region: a name is empty in '%s'", regions);
	return 0;
}

static int read_places(struct cli *c, struct given *g, struct err *err)
{
	struct plan_spot_ask *q = &g->q;
	int r;

	q->machines = (int)g->x.machines;
	q->od_usd_h = g->x.od_usd_h;
	q->spot_usd_h = g->x.spot_usd_h;
	r = read_rate(&g->x, &q->rate, err);
	if (r >= 0)
		r = read_named(c, &g->x, q, err);
	if (r < 0)
		return r;
	return read_types(c, g, err);
}

/* ---- the job ----------------------------------------------------------------------------- */

/* What was measured in past attempts is the start; the command line wins. */
static int read_seen(struct cli *c, struct given *g, struct err *err)
{
	const char *dir = g->x.dir;
	struct spot_seen *s = &g->seen;
	int r = 0;

	if (dir)
		r = run_seen_read(dir, &c->mem, s, err);
	if (r < 0 || !dir)
		return r;
	g->q.seen = s;
	if (!isnan(s->stall_h) && !cli_value(c, "checkpoint-cost"))
		g->q.stall_h = s->stall_h;
	if (!isnan(s->restart_h) && !cli_value(c, "restart"))
		g->q.restart_h = s->restart_h;
	return 0;
}

static int read_ask(struct cli *c, struct given *g, struct err *err)
{
	int r = cli_read_opts(c, &g->x, err);

	if (r < 0)
		return r;
	const struct asked *x = &g->x;
	struct plan_spot_ask *q = &g->q;
	plan_spot_ask_init(q);
	q->ask = cli_ask(c, NULL, NULL);
	q->work_h = x->work_h;
	if (!isnan(x->deadline_h))
		q->deadline_h = x->deadline_h;
	q->restart_h = x->restart_h;
	q->stall_h = x->stall_h;
	q->notice_h = known_or(x->notice_h, 0);
	q->away_h = x->away_h;
	q->checkpoints = !x->no_checkpoint;
	q->finish_frac = x->finish_frac;
	q->runs = x->runs;
	q->seed = x->seed;
	if ((r = read_seen(c, g, err)) < 0 || (r = read_places(c, g, err)) < 0)
		return r;
	if (!q->checkpoints || !x->every || !strcmp(x->every, "auto"))
		return 0;
	if (opt_hours(sv_trim(sv_of(x->every)), &q->every_h) < 0 || !(q->every_h > 0))
		return err_set(err, -EINVAL,
			       "--checkpoint-every: '%s' is not a duration; auto chooses one",
			       x->every);
	return 0;
}

static int run_plan_spot(struct cli *c)
{
	struct out_as as = cli_out_as(c);
	struct err err = { 0 };
	struct str out = { 0 };
	struct given g = { 0 };
	struct plan_spot x;
	int r;

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "hours"))
		return cli_usage_error(
			c, "--hours is needed: how long the job runs when nothing interrupts it");
	if (c->output != OUT_TABLE && c->output != OUT_JSON)
		return cli_usage_error(c, "-o: table or json");
	if ((r = read_ask(c, &g, &err)) >= 0 && (r = answer_plan_spot(&g.q, &x, &err)) >= 0)
		plan_spot_print(&x, &as, &out);
	catalog_free(g.catalog);
	if (r < 0) {
		cli_fail(&err);
		if (r == -ENODATA)
			return EXIT_INCOMPLETE;
		return EXIT_ERROR;
	}
	r = cli_write(&out);
	str_free(&out);
	return r;
}

static const struct cli_opt opts[] = {
	{ "hours", "SPAN", "run time of the job without interruptions: 48h, or 48",
	  .type = OPT_HOURS, .at = offsetof(struct asked, work_h) },
	{ "deadline", "SPAN", "it must be done this long after its start (default: none)",
	  .type = OPT_HOURS, .at = offsetof(struct asked, deadline_h) },
	{ "instance", "TYPE[,TYPE...]",
	  "take prices and interruptions of these instance types from the catalogue",
	  .type = OPT_TEXT, .at = offsetof(struct asked, instance) },
	{ "region", "R[,R...]", "where (default: the cheapest)", .type = OPT_TEXT,
	  .at = offsetof(struct asked, region) },
	{ "place", "NAME=USD@SPAN",
	  "a zone by its spot price and mean time between interruptions (us-east-1a=0.97@10h); several may be given",
	  .many = true, .type = OPT_LIST, .at = offsetof(struct asked, place) },
	{ "away", "SPAN",
	  "a place that took its machines back has none for so long (default: 1h where several are named, else 0)",
	  .type = OPT_HOURS, .at = offsetof(struct asked, away_h) },
	{ "checkpoint-dir", "DIR",
	  "folder of `tare run`: what its attempts have seen and measured counts", .values = "DIR",
	  .type = OPT_FILE, .at = offsetof(struct asked, dir) },
	{ "provider", "P", "of the instance type, where several have one of this name",
	  .type = OPT_TEXT, .at = offsetof(struct asked, provider) },
	{ "gpus", "N", "GPUs of the job: so many machines of the type (default: one machine)",
	  .type = OPT_NUM, .at = offsetof(struct asked, gpus), .lo = 0.001, .hi = 1e6 },
	{ "machines", "N", "machines of the job (default: 1); it stops when one of them goes",
	  .type = OPT_INT, .at = offsetof(struct asked, machines), .lo = 1, .hi = 100000 },
	{ "on-demand", "USD", "price of a machine and hour on demand", .type = OPT_NUM,
	  .at = offsetof(struct asked, od_usd_h), .hi = 1e6 },
	{ "spot", "USD", "price of a machine and hour on spot", .type = OPT_NUM,
	  .at = offsetof(struct asked, spot_usd_h), .hi = 1e6 },
	{ "interruption", "PCT",
	  "chance in percent that a machine is taken away in a month: 7, or a band 5..10",
	  .type = OPT_TEXT, .at = offsetof(struct asked, interruption) },
	{ "mtbf", "SPAN", "mean time between interruptions of a machine, instead",
	  .type = OPT_HOURS, .at = offsetof(struct asked, mtbf_h) },
	{ "restart", "SPAN", "from an interruption to the first new step", .type = OPT_HOURS,
	  .at = offsetof(struct asked, restart_h), .def = "11m" },
	{ "checkpoint-cost", "SPAN", "what one checkpoint stops the job for", .type = OPT_HOURS,
	  .at = offsetof(struct asked, stall_h), .def = "20s" },
	{ "checkpoint-every", "SPAN", "work between two checkpoints, or auto (default)",
	  .type = OPT_TEXT, .at = offsetof(struct asked, every) },
	{ "no-checkpoint", NULL, "the job cannot resume: an interrupted run starts from zero",
	  .type = OPT_FLAG, .at = offsetof(struct asked, no_checkpoint) },
	{ "notice", "SPAN",
	  "warning before an interruption; used where a checkpoint fits into 0.8 of it",
	  .type = OPT_HOURS, .at = offsetof(struct asked, notice_h) },
	{ "finish-frac", "F", "in time less often than this is late", .type = OPT_FRAC,
	  .at = offsetof(struct asked, finish_frac), .def = "0.99" },
	{ "runs", "N", "runs to replay", .type = OPT_INT, .at = offsetof(struct asked, runs),
	  .lo = 100, .hi = 1000000, .def = "4000" },
	{ "seed", "N", "of the draws", .type = OPT_INT, .hi = INFINITY,
	  .at = offsetof(struct asked, seed), .def = "1" },
	{ 0 },
};

const struct cli_cmd cmd_plan_spot_def = {
	.name = "plan spot",
	.group = "",
	.summary = "one job on spot machines: cost, chance to be in time, how often to save",
	.usage =
		"--hours SPAN (--instance TYPE[,TYPE] [--region R,R] | --on-demand USD (--spot USD | --place NAME=USD@SPAN...)) [--deadline SPAN]",
	.examples =
		"# a training run of two days on V100s that has 70 hours\n"
		"tare plan spot --hours 48 --deadline 70h --on-demand 3.06 --spot 0.9731 --mtbf 10h\n"
		"tare plan spot --hours 30 --deadline 40h --instance p3.8xlarge --region us-east-1\n"
		"# which of two zones, and where to go on when one takes its machines back\n"
		"tare plan spot --hours 48 --deadline 60h --on-demand 3.06 --place us-east-1a=0.97@6h --place us-east-1c=1.20@30h\n"
		"tare plan spot --hours 30 --deadline 40h --gpus 8 --instance p3.8xlarge,p3.16xlarge --region us-east-1,us-west-2\n"
		"# again, with what the attempts so far have seen\n"
		"tare plan spot --hours 20 --on-demand 3.06 --spot 0.97 --checkpoint-dir /ckpt/llm\n"
		"# a short trial without checkpoints\n"
		"tare plan spot --hours 2 --deadline 8h --on-demand 3.06 --spot 0.9731 --mtbf 10h --no-checkpoint",
	.about =
		"Interruptions come at a constant rate: a percentage a month says no more, and >20 % is taken as 20 to 80. With checkpoints and a deadline the job\n"
		"goes back on demand as soon as one more restart would only just fit, so that it is in time as long as on-demand machines are to be had. Without\n"
		"checkpoints it tries on spot while a whole run still fits. Spot is refused only where it would be more expensive, or late.\n\n"
		"A --place is NAME=SPOT[/ON-DEMAND][@SPAN or @LO..HI%]: prices of a machine and hour, mean time between interruptions or percent a month.\n"
		"Where several places are named (--place, or several instance types or regions, of the same GPUs), each is replayed alone, and then the cheapest with\n"
		"the next ones to fall back on for as long as it has no machines; as many are used as cost least and keep the deadline. The order is told. A transfer of the\n"
		"checkpoint to another region is not in the cost.\n\n"
		"--checkpoint-dir counts the hours and interruptions of past attempts, as `tare run` itself does: (M + hours) / (1 + interruptions), M what was expected\n"
		"before (24h where nothing was). What is known to have been in another place (tare run --place, its cloud, Slurm) does not count for this one.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.docs = CLI_DOCS(&plan_spot_doc),
	.run = run_plan_spot,
};
