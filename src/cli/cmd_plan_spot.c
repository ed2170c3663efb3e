/* tare plan spot: one job on spot machines, before it runs; see answer/plan_spot.h. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/clean.h"
#include "base/tm.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "report/plan_spot.h"
#include "spot/run_seen.h"

#define NAME_BYTES 128 /* of a --place */

struct given {
	struct plan_spot_ask q;
	struct spot_seen seen;
	struct catalog *catalog;
};

static int read_number(const struct cli *c, const char *name, double lo, double hi, double *ret,
		       struct err *err)
{
	const char *z = cli_value(c, name);

	if (z && (sv_f64(sv_trim(sv_of(z)), ret) < 0 || !(*ret >= lo && *ret <= hi)))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from %g to %g", name, z, lo,
			       hi);
	return 0;
}

/* "6m", or hours. */
static int parse_hours(struct sv z, double *ret_h)
{
	int64_t ms;

	if (sv_f64(z, ret_h) >= 0 && *ret_h >= 0 && *ret_h <= 1e6)
		return 0;
	if (tm_parse_span(z, &ms) < 0)
		return -EINVAL;
	*ret_h = (double)ms / MS_HOUR;
	return 0;
}

static int read_hours(const struct cli *c, const char *name, double *ret, struct err *err)
{
	const char *z = cli_value(c, name);

	if (z && parse_hours(sv_trim(sv_of(z)), ret) < 0)
		return err_set(err, -EINVAL, "--%s: '%s' is no span such as 6m, 20s or 48h", name,
			       z);
	return 0;
}

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
	return ret->month_lo_pct >= 0 && ret->month_hi_pct >= ret->month_lo_pct &&
			       ret->month_hi_pct < 100
		       ? 0
		       : -EINVAL;
}

/* What the command line says of all places. */
static int read_rate(const struct cli *c, struct plan_spot_rate *ret, struct err *err)
{
	const char *pct = cli_value(c, "interruption");
	double mtbf = 0;
	int r = read_hours(c, "mtbf", &mtbf, err);

	if (r >= 0 && pct && parse_band(sv_of(pct), ret) < 0) {
		err_set(err, -EINVAL,
			"--interruption: '%s' is no chance of 0 to below 100 percent a month", pct);
		err_hint(
			err,
			"as in 7 or 5..10; --mtbf 30h says the mean time between interruptions instead");
		return -EINVAL;
	}
	if (r >= 0 && cli_value(c, "mtbf") && !(mtbf > 0))
		return err_set(err, -EINVAL, "--mtbf: nothing runs for no time");
	if (r >= 0 && mtbf > 0)
		ret->hazard_h = 1 / mtbf;
	return r;
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
	if (!z.n || parse_hours(z, &mtbf) < 0 || !(mtbf > 0))
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
	fine = *clean && parse_usd(usd, &ret->spot_usd_h) &&
	       (!od.p || parse_usd(od, &ret->od_usd_h)) &&
	       (!rate.p || parse_rate(rate, &ret->rate));
	if (fine)
		return 0;
	err_set(err, -EINVAL, "--place: '%s' is no place with a price", z);
	err_hint(
		err,
		"NAME=USD@SPAN as in us-east-1a=0.97@10h (spot price of a machine and hour, mean time between interruptions), or us-east-1a=0.97/3.06@5..10%%");
	return -EINVAL;
}

static int read_named(struct cli *c, struct plan_spot_ask *q, struct err *err)
{
	const char **z;
	size_t n = cli_values(c, "place", &z);
	struct plan_spot_named *v = arena_alloc(&c->mem, n * sizeof *v);
	int r = 0;

	if (n && (cli_value(c, "instance") || cli_value(c, "spot")))
		return err_set(
			err, -EINVAL,
			"--place gives the spot prices: --instance and --spot do not go with it");
	for (size_t i = 0; r >= 0 && i < n; i++) {
		v[i] = (struct plan_spot_named){ .od_usd_h = NAN, .rate = q->rate };
		r = read_place(c, z[i], &v[i], err);
	}
	q->named = v;
	q->nnamed = n;
	return r;
}

/* "a,b" as two; one where there is no comma. */
static const char *const *split(struct cli *c, const char *z, size_t *ret_n)
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
	const char *types = cli_value(c, "instance"), *regions = cli_value(c, "region");
	struct plan_spot_ask *q = &g->q;
	int r;

	if (q->nnamed || !types || (cli_value(c, "on-demand") && cli_value(c, "spot")))
		return 0;
	q->provider = cli_value(c, "provider");
	if ((r = read_number(c, "gpus", 0.001, 1e6, &q->gpus, err)) < 0 ||
	    (r = catalog_open(NULL, &g->catalog, err)) < 0)
		return r;
	q->ask.catalog = g->catalog;
	q->type = split(c, types, &q->ntype);
	q->region = split(c, regions ? regions : "", &q->nregion);
	for (size_t i = 0; regions && *regions && i < q->nregion; i++)
		if (!*q->region[i])
			return err_set(err, -EINVAL, "--region: a name is empty in '%s'", regions);
	return 0;
}

static int read_places(struct cli *c, struct given *g, struct err *err)
{
	struct plan_spot_ask *q = &g->q;
	double machines = 0;
	int r;

	if ((r = read_rate(c, &q->rate, err)) < 0 || (r = read_named(c, q, err)) < 0 ||
	    (r = read_types(c, g, err)) < 0 ||
	    (r = read_number(c, "machines", 1, 1e5, &machines, err)) < 0 ||
	    (r = read_number(c, "on-demand", 0, 1e6, &q->od_usd_h, err)) < 0)
		return r;
	q->machines = (int)machines;
	return read_number(c, "spot", 0, 1e6, &q->spot_usd_h, err);
}

/* ---- the job ----------------------------------------------------------------------------- */

/* What was measured in past attempts is the start; the command line wins. */
static int read_seen(struct cli *c, struct given *g, struct err *err)
{
	const char *dir = cli_value(c, "checkpoint-dir");
	struct spot_seen *s = &g->seen;
	int r = dir ? run_seen_read(dir, &c->mem, s, err) : 0;

	if (r < 0 || !dir)
		return r;
	g->q.seen = s;
	if (!isnan(s->stall_h))
		g->q.stall_h = s->stall_h;
	if (!isnan(s->restart_h))
		g->q.restart_h = s->restart_h;
	return 0;
}

static int read_checkpoints(const struct cli *c, struct plan_spot_ask *q, struct err *err)
{
	const char *every = cli_value(c, "checkpoint-every");
	int r;

	q->checkpoints = !cli_flag(c, "no-checkpoint");
	if ((r = read_hours(c, "checkpoint-cost", &q->stall_h, err)) < 0 ||
	    (r = read_hours(c, "notice", &q->notice_h, err)) < 0)
		return r;
	if (!q->checkpoints || !every || !strcmp(every, "auto"))
		return 0;
	if ((r = read_hours(c, "checkpoint-every", &q->every_h, err)) < 0)
		return r;
	if (!(q->every_h > 0))
		return err_set(err, -EINVAL,
			       "--checkpoint-every: '%s' is no span; auto chooses one", every);
	return 0;
}

static int read_replays(const struct cli *c, struct plan_spot_ask *q, struct err *err)
{
	const char *runs = cli_value(c, "runs"), *seed = cli_value(c, "seed");

	if (runs && (sv_i64(sv_of(runs), &q->runs) < 0 || q->runs < 100 || q->runs > 1000000))
		return err_set(err, -EINVAL, "--runs: '%s' is no number from 100 to 1,000,000",
			       runs);
	if (seed && sv_i64(sv_of(seed), &q->seed) < 0)
		return err_set(err, -EINVAL, "--seed: '%s' is no whole number", seed);
	return read_number(c, "finish-frac", 0, 1, &q->finish_frac, err);
}

static int read_ask(struct cli *c, struct given *g, struct err *err)
{
	struct plan_spot_ask *q = &g->q;
	int r;

	plan_spot_ask_init(q);
	q->ask = cli_ask(c, NULL, NULL);
	if ((r = read_seen(c, g, err)) < 0 || (r = read_places(c, g, err)) < 0 ||
	    (r = read_hours(c, "hours", &q->work_h, err)) < 0 ||
	    (r = read_hours(c, "deadline", &q->deadline_h, err)) < 0 ||
	    (r = read_hours(c, "restart", &q->restart_h, err)) < 0 ||
	    (r = read_hours(c, "away", &q->away_h, err)) < 0 || (r = read_replays(c, q, err)) < 0)
		return r;
	return read_checkpoints(c, q, err);
}

static int run(struct cli *c)
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
		return r == -ENODATA ? EXIT_INCOMPLETE : EXIT_ERROR;
	}
	r = cli_write(&out);
	str_free(&out);
	return r;
}

static const struct cli_opt opts[] = {
	{ "hours", "SPAN", "run time of the job without interruptions: 48h, or 48", 0, false,
	  NULL },
	{ "deadline", "SPAN", "it must be done this long after its start (default: none)", 0, false,
	  NULL },
	{ "instance", "TYPE[,TYPE...]",
	  "take prices and interruptions of these instance types from the catalogue", 0, false,
	  NULL },
	{ "region", "R[,R...]", "where (default: the cheapest)", 0, false, NULL },
	{ "place", "NAME=USD@SPAN",
	  "a zone by its spot price and mean time between interruptions (us-east-1a=0.97@10h); several may be given",
	  0, true, NULL },
	{ "away", "SPAN",
	  "a place that took its machines back has none for so long (default: 1h where several are named, else 0)",
	  0, false, NULL },
	{ "checkpoint-dir", "DIR",
	  "folder of `tare run`: what its attempts have seen and measured counts", 0, false,
	  "DIR" },
	{ "provider", "P", "of the instance type, where several have one of this name", 0, false,
	  NULL },
	{ "gpus", "N", "GPUs of the job: so many machines of the type (default: one machine)", 0,
	  false, NULL },
	{ "machines", "N", "machines of the job (default: 1); it stops when one of them goes", 0,
	  false, NULL },
	{ "on-demand", "USD", "price of a machine and hour on demand", 0, false, NULL },
	{ "spot", "USD", "price of a machine and hour on spot", 0, false, NULL },
	{ "interruption", "PCT",
	  "chance in percent that a machine is taken away in a month: 7, or a band 5..10", 0, false,
	  NULL },
	{ "mtbf", "SPAN", "mean time between interruptions of a machine, instead", 0, false, NULL },
	{ "restart", "SPAN", "from an interruption to the first new step (default: 11m)", 0, false,
	  NULL },
	{ "checkpoint-cost", "SPAN", "what one checkpoint stops the job for (default: 20s)", 0,
	  false, NULL },
	{ "checkpoint-every", "SPAN", "work between two checkpoints, or auto (default)", 0, false,
	  NULL },
	{ "no-checkpoint", NULL, "the job cannot resume: an interrupted run starts from zero", 0,
	  false, NULL },
	{ "notice", "SPAN",
	  "warning before an interruption; used where a checkpoint fits into 0.8 of it", 0, false,
	  NULL },
	{ "finish-frac", "F", "in time less often than this is late (default: 0.99)", 0, false,
	  NULL },
	{ "runs", "N", "runs to replay (default: 4000)", 0, false, NULL },
	{ "seed", "N", "of the draws (default: 1)", 0, false, NULL },
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
		"checkpoints it tries on spot while a whole run still fits. Spot is refused only where it would be dearer, or late.\n\n"
		"A --place is NAME=SPOT[/ON-DEMAND][@SPAN or @LO..HI%]: prices of a machine and hour, mean time between interruptions or percent a month.\n"
		"Where several places are named (--place, or several instance types or regions, of the same GPUs), each is replayed alone, and then the cheapest with\n"
		"the next ones to fall back on for as long as it has no machines; as many are used as cost least and keep the deadline. The order is told. A transfer of the\n"
		"checkpoint to another region is not in the cost.\n\n"
		"--checkpoint-dir counts the hours and interruptions of past attempts, as `tare run` itself does: (M + hours) / (1 + interruptions), M what was expected\n"
		"before (24h where nothing was). What is known to have been in another place (tare run --place, its cloud, Slurm) does not count for this one.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
