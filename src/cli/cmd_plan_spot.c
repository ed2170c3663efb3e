/* tare plan spot: one job on spot machines, before it runs; see opt/spot_job.h. */
#include <errno.h>
#include <math.h>
#include "base/jw.h"
#include "base/tm.h"
#include "catalog/catalog.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "opt/spot_job.h"
#include "plan/fleet.h"

#define OPEN_BAND_HI_PCT 80 /* "> 20 %" a month has no upper end: drawn from 20 to 80 % */
#define MISS_FRAC 0.01	    /* later than this often is late */

struct ask {
	struct spot_job job;
	double notice_h, finish_frac;
	int64_t runs, seed;
	bool checkpoints, chosen; /* chosen: the interval is ours */
	double move_hi;		  /* what the price may become against today's; 0: it is given, and sure */
	const char *instance, *source;
};
struct answer { struct spot_outcome out; bool spot; const char *why; };

/* ---- what is asked --------------------------------------------------------------------------------------------------------------- */

static int number(const struct cli *c, const char *name, double lo, double hi, double *ret, struct err *err)
{
	const char *z = cli_value(c, name);

	if (z && (sv_f64(sv_trim(sv_of(z)), ret) < 0 || !(*ret >= lo && *ret <= hi)))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from %g to %g", name, z, lo, hi);
	return 0;
}

/* Hours: a span such as 6m, or a plain number of hours. */
static int hours(const struct cli *c, const char *name, double *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	int64_t ms;

	if (!z)
		return 0;
	if (sv_f64(sv_trim(sv_of(z)), ret) >= 0 && *ret >= 0 && *ret <= 1e6)
		return 0;
	if (tm_parse_span(sv_trim(sv_of(z)), &ms) < 0)
		return err_set(err, -EINVAL, "--%s: '%s' is no span such as 6m, 20s or 48h", name, z);
	*ret = (double)ms / MS_HOUR;
	return 0;
}

/* "5..10" or "7" percent a month. */
static int band(struct spot_job *j, const char *z, struct err *err)
{
	struct sv hi, lo = sv_of(z);
	const char *dots = strstr(z, "..");

	hi = dots ? sv_of(dots + 2) : lo;
	if (dots)
		lo.n = (size_t)(dots - z);
	if (sv_f64(sv_trim(lo), &j->month_lo_pct) < 0 || sv_f64(sv_trim(hi), &j->month_hi_pct) < 0 || !(j->month_lo_pct >= 0) ||
	    !(j->month_hi_pct >= j->month_lo_pct && j->month_hi_pct < 100)) {
		err_set(err, -EINVAL, "--interruption: '%s' is no chance of 0 to below 100 percent a month", z);
		err_hint(err, "as in 7 or 5..10; --mtbf 30h says the mean time between interruptions instead");
		return -EINVAL;
	}
	return 0;
}

static int market(const struct cli *c, struct ask *a, struct err *err)
{
	const char *pct = cli_value(c, "interruption");
	double mtbf = 0;
	int r = hours(c, "mtbf", &mtbf, err);

	if (r >= 0 && pct)
		r = band(&a->job, pct, err);
	if (r >= 0 && cli_value(c, "mtbf") && !(mtbf > 0))
		r = err_set(err, -EINVAL, "--mtbf: nothing runs for no time");
	if (r >= 0 && mtbf > 0)
		a->job.hazard_h = 1 / mtbf;
	if (r >= 0 && !pct && !(mtbf > 0) && isnan(a->job.month_lo_pct)) {
		r = err_set(err, -ENODATA, "how often such machines are interrupted is not known");
		err_hint(err, "--interruption 5..10 (percent a month, as the provider says) or --mtbf 30h");
	}
	return r;
}

static bool rate_of(struct cli *c, const struct catalog *cat, const struct instance_type *t, const char *purchase, struct rate *ret)
{
	const char *provider = cli_value(c, "provider"), *region = cli_value(c, "region");

	return fleet_rate(cat, provider ? provider : t->provider, region ? region : "", "", t->name, "", 0, purchase, NULL, c->now_ms, ret);
}

/* Prices and band of an instance type; what the command line says wins. */
static int from_catalogue(struct cli *c, struct ask *a, double gpus, struct err *err)
{
	const char *provider = cli_value(c, "provider");
	struct catalog *cat;
	struct rate od = { 0 }, spot = { 0 };
	int r = catalog_open(NULL, &cat, err);

	if (r < 0)
		return r;
	const struct instance_type *t = catalog_instance(cat, sv_of(provider), sv_of(a->instance));
	if (!t || t->gpu_milli <= 0) {
		err_set(err, -EINVAL, "--instance: '%s' is no instance type with GPUs that is known", a->instance);
		err_hint(err, "`tare price --gpu MODEL` lists them; --on-demand and --spot give prices instead");
		r = -EINVAL;
	} else if (!rate_of(c, cat, t, "on_demand", &od) || !rate_of(c, cat, t, "spot", &spot)) {
		err_set(err, -ENODATA, "no %s price is known for '%s'%s%s", od.nano_gpu_hour ? "spot" : "on-demand", a->instance,
			cli_value(c, "region") ? " in " : "", cli_value(c, "region") ? cli_value(c, "region") : "");
		err_hint(err, "--on-demand USD and --spot USD give the prices of a machine");
		r = -ENODATA;
	} else {
		double per = (double)t->gpu_milli / 1000;
		a->job.machines = (int)ceil((gpus > 0 ? gpus : per) / per - 1e-9);
		a->job.od_usd_h = (double)od.nano_gpu_hour * 1e-9 * per;
		a->job.spot_usd_h = (double)spot.nano_gpu_hour * 1e-9 * per;
		bool old = spot.quality != QUALITY_MEASURED || spot.as_of_ms == UNKNOWN_MS || c->now_ms - spot.as_of_ms > SPOT_MOVE_OLD_DAYS * MS_DAY;
		a->move_hi = cli_value(c, "spot") ? 0 : old ? SPOT_MOVE_HI_OLD : SPOT_MOVE_HI;
		a->source = spot.quality == QUALITY_MEASURED ? "listed" : "advised: an estimate";
		if (spot.interruption_lo_pct >= 0) {
			a->job.month_lo_pct = spot.interruption_lo_pct;
			a->job.month_hi_pct = fmin(OPEN_BAND_HI_PCT, spot.interruption_hi_pct);
		}
	}
	catalog_free(cat);
	return r;
}

static int prices(struct cli *c, struct ask *a, struct err *err)
{
	double gpus = 0, machines = 0;
	int r = number(c, "gpus", 0.001, 1e6, &gpus, err);

	a->job.machines = 1;
	a->job.month_lo_pct = a->job.month_hi_pct = NAN;
	a->job.od_usd_h = a->job.spot_usd_h = NAN;
	a->instance = cli_value(c, "instance");
	a->source = "given";
	if (r >= 0 && a->instance && !(cli_value(c, "on-demand") && cli_value(c, "spot")))
		r = from_catalogue(c, a, gpus, err);
	if (r >= 0)
		r = number(c, "machines", 1, 1e5, &machines, err);
	if (r >= 0 && machines > 0)
		a->job.machines = (int)machines;
	if (r >= 0)
		r = number(c, "on-demand", 0, 1e6, &a->job.od_usd_h, err);
	if (r >= 0)
		r = number(c, "spot", 0, 1e6, &a->job.spot_usd_h, err);
	if (r >= 0 && (isnan(a->job.od_usd_h) || isnan(a->job.spot_usd_h))) {
		r = err_set(err, -EINVAL, "prices are needed");
		err_hint(err, "--instance p3.2xlarge --region us-east-1, or --on-demand 3.06 --spot 0.97");
	}
	a->job.od_usd_h *= a->job.machines;
	a->job.spot_usd_h *= a->job.machines;
	return r;
}

static int checkpoints(struct cli *c, struct ask *a, struct err *err)
{
	const char *every = cli_value(c, "checkpoint-every");
	int r = hours(c, "checkpoint-cost", &a->job.stall_h, err);

	a->checkpoints = !cli_flag(c, "no-checkpoint");
	if (r >= 0)
		r = hours(c, "notice", &a->notice_h, err);
	/* an interruption with notice loses nothing where saving fits into 0.8 of it */
	if (r >= 0 && a->checkpoints && a->notice_h > 0 && a->job.stall_h <= 0.8 * a->notice_h)
		a->job.notice_saved_frac = 1;
	if (r < 0 || !a->checkpoints)
		return r;
	a->chosen = !every || !strcmp(every, "auto");
	if (!a->chosen && (r = hours(c, "checkpoint-every", &a->job.every_h, err)) >= 0 && !(a->job.every_h > 0))
		r = err_set(err, -EINVAL, "--checkpoint-every: '%s' is no span; auto chooses one", every);
	if (a->chosen)
		a->job.every_h = spot_job_interval(&a->job);
	return r;
}

static int read_ask(struct cli *c, struct ask *a, struct err *err)
{
	int r;

	*a = (struct ask){ .job = { .start_h = 0, .restart_h = 11.0 / 60, .stall_h = 20.0 / 3600, .deadline_h = INFINITY }, .runs = 4000, .seed = 1,
			   .finish_frac = 1 - MISS_FRAC };
	if ((r = prices(c, a, err)) < 0 || (r = hours(c, "hours", &a->job.work_h, err)) < 0 || (r = hours(c, "deadline", &a->job.deadline_h, err)) < 0 ||
	    (r = hours(c, "restart", &a->job.restart_h, err)) < 0 || (r = market(c, a, err)) < 0)
		return r;
	if (isnan(a->job.month_lo_pct))
		a->job.month_lo_pct = a->job.month_hi_pct = 0; /* --mtbf says it */
	if (cli_value(c, "runs") && (sv_i64(sv_of(cli_value(c, "runs")), &a->runs) < 0 || a->runs < 100 || a->runs > 1000000))
		return err_set(err, -EINVAL, "--runs: '%s' is no number from 100 to 1,000,000", cli_value(c, "runs"));
	if (cli_value(c, "seed") && sv_i64(sv_of(cli_value(c, "seed")), &a->seed) < 0)
		return err_set(err, -EINVAL, "--seed: '%s' is no whole number", cli_value(c, "seed"));
	r = number(c, "finish-frac", 0, 1, &a->finish_frac, err);
	return r < 0 ? r : checkpoints(c, a, err);
}

static int decide(const struct ask *a, struct answer *ret, struct err *err)
{
	int r = spot_job_run(&a->job, (int)a->runs, (uint64_t)a->seed, &ret->out, err);
	struct spot_job moved = a->job;
	struct spot_outcome o;

	if (r >= 0 && a->move_hi > 0) { /* the range: the same runs once more, with the price drawn */
		moved.spot_lo_usd_h = moved.spot_usd_h * SPOT_MOVE_LO;
		moved.spot_hi_usd_h = moved.spot_usd_h * a->move_hi;
		if ((r = spot_job_run(&moved, (int)a->runs, (uint64_t)a->seed, &o, err)) >= 0) {
			ret->out.usd_p05 = fmin(o.usd_p05, ret->out.usd);
			ret->out.usd_p95 = fmax(o.usd_p95, ret->out.usd);
		}
	}
	if (r < 0)
		return r;
	bool late = ret->out.finish_frac < a->finish_frac, dearer = ret->out.usd >= ret->out.od_usd;

	ret->spot = !late && !dearer;
	ret->why = ret->spot ? "cheaper, and in time" : late && dearer ? "spot would be dearer and late" : late ? "spot would be late" : "spot would be dearer";
	return r;
}

/* ---- printing -------------------------------------------------------------------------------------------------------------------- */

static dec usd(double v)
{
	return dec_from_double(round(fmin(v, 1e15) * 1e4) / 1e4);
}

static void money(struct jw *w, const char *key, double v)
{
	jw_key(w, key);
	jw_dec(w, usd(v));
}

static double mtbi(const struct ask *a)
{
	double h = a->job.hazard_h > 0 ? a->job.hazard_h : (spot_hazard_of_month(a->job.month_lo_pct) + spot_hazard_of_month(a->job.month_hi_pct)) / 2;

	return h > 0 ? 1 / (h * a->job.machines) : INFINITY;
}

static void put_interval(struct jw *w, const struct ask *a)
{
	double m = mtbi(a), d = a->job.stall_h;

	jw_key(w, "checkpoint");
	if (!a->checkpoints) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	jw_put_num(w, "every_h", a->job.every_h, 6);
	jw_put_num(w, "stall_h", d, 6);
	jw_put_num(w, "young_h", spot_interval_young(d, m), 6);
	jw_put_num(w, "daly_h", isfinite(m) ? spot_interval_daly(d, m) : NAN, 6);
	jw_put_num(w, "exact_h", isfinite(m) && d > 0 ? spot_interval_exact(d, m) : NAN, 6);
	jw_end_obj(w);
}

static void put_json(const struct ask *a, const struct answer *x, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-spot/1");
	jw_key(&w, "currency");
	jw_str(&w, "USD");
	jw_key(&w, "decision");
	jw_str(&w, x->spot ? "spot" : "on_demand");
	jw_key(&w, "reason");
	jw_str(&w, x->why);
	jw_put_num(&w, "hours", a->job.work_h, 6);
	jw_put_num(&w, "deadline_h", a->job.deadline_h, 6);
	jw_key(&w, "machines");
	jw_int(&w, a->job.machines);
	jw_put_num(&w, "mean_hours_between_interruptions", mtbi(a), 6);
	money(&w, "on_demand_cost", x->out.od_usd);
	jw_key(&w, "spot");
	jw_obj(&w);
	money(&w, "cost", x->out.usd);
	money(&w, "p05", x->out.usd_p05);
	money(&w, "p50", x->out.usd_p50);
	money(&w, "p95", x->out.usd_p95);
	jw_put_num(&w, "finish_frac", x->out.finish_frac, 6);
	jw_put_num(&w, "hours", x->out.hours, 6);
	jw_put_num(&w, "hours_p95", x->out.hours_p95, 6);
	jw_put_num(&w, "interruptions", x->out.interruptions, 6);
	jw_put_num(&w, "lost_h", x->out.lost_h, 6);
	jw_put_num(&w, "restart_h", x->out.restart_h, 6);
	jw_put_num(&w, "checkpoint_h", x->out.stall_h, 6);
	jw_put_num(&w, "moved_to_on_demand_frac", x->out.moved_frac, 6);
	jw_put_num(&w, "on_demand_cost_frac", x->out.od_frac, 6);
	jw_end_obj(&w);
	jw_put_num(&w, "saving_frac", x->out.od_usd > 0 ? 1 - x->out.usd / x->out.od_usd : NAN, 6);
	put_interval(&w, a);
	jw_key(&w, "runs");
	jw_int(&w, a->runs);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static const char *span(char buf[TM_BUF], double h)
{
	return isfinite(h) ? tm_format_span(buf, llround(h * MS_HOUR)) : "never";
}

static void put_text(const struct ask *a, const struct answer *x, struct str *out)
{
	const struct spot_outcome *o = &x->out;
	char m[4][DEC_BUF], t[3][TM_BUF];

	str_addf(out, "%s: %s.\n\n", x->spot ? "Spot" : "On demand", x->why);
	str_addf(out, "  on demand        $%s/job\n", dec_format_people(m[0], usd(o->od_usd), 2));
	str_addf(out, "  spot             $%s/job, $%s to $%s (p05 to p95), %.0f %% %s; prices %s\n", dec_format_people(m[1], usd(o->usd), 2),
		 dec_format_people(m[2], usd(o->usd_p05), 2), dec_format_people(m[3], usd(o->usd_p95), 2),
		 o->od_usd > 0 ? fabs(1 - o->usd / o->od_usd) * 100 : 0, o->usd > o->od_usd ? "more" : "less", a->source);
	if (isfinite(a->job.deadline_h))
		str_addf(out, "  in time          %.2f %% of the runs, deadline after %s\n", o->finish_frac * 100, span(t[0], a->job.deadline_h));
	str_addf(out, "  done after       %s, p95 %s\n", span(t[0], o->hours), span(t[1], o->hours_p95));
	str_addf(out, "  interruptions    %.2f a run, one every %s\n", o->interruptions, span(t[0], mtbi(a)));
	str_addf(out, "  hours lost       %.2f h done again, %.2f h restarts, %.2f h checkpoints a run\n", o->lost_h, o->restart_h, o->stall_h);
	if (a->checkpoints)
		str_addf(out, "  checkpoint       every %s%s\n", span(t[0], a->job.every_h), a->chosen ? " (chosen)" : "");
	else
		str_addz(out, "  checkpoint       none: an interrupted run starts from zero\n");
	if (o->moved_frac > 0)
		str_addf(out, "  back on demand   %.1f %% of the runs, to be in time; %.1f %% of the cost\n", o->moved_frac * 100, o->od_frac * 100);
	str_addf(out, "\n%lld runs replayed. Taken for granted: on-demand machines are to be had, and a new spot machine within the restart time.\n",
		 (long long)a->runs);
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct answer x = { 0 };
	struct ask a;
	int r;

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "hours"))
		return cli_usage_error(c, "--hours is needed: how long the job runs when nothing interrupts it");
	if (c->output != OUT_TABLE && c->output != OUT_JSON)
		return cli_usage_error(c, "-o: table or json");
	if ((r = read_ask(c, &a, &err)) < 0 || (r = decide(&a, &x, &err)) < 0) {
		cli_fail(&err);
		return r == -ENODATA ? EXIT_INCOMPLETE : EXIT_ERROR;
	}
	if (c->output == OUT_JSON)
		put_json(&a, &x, &out);
	else
		put_text(&a, &x, &out);
	r = cli_write(&out);
	str_free(&out);
	return r;
}

static const struct cli_opt opts[] = {
	{ "hours", "SPAN", "run time of the job without interruptions: 48h, or 48", 0, false, NULL },
	{ "deadline", "SPAN", "it must be done this long after its start (default: none)", 0, false, NULL },
	{ "instance", "TYPE", "take prices and interruptions of this instance type from the catalogue", 0, false, NULL },
	{ "region", "R", "where (default: the cheapest)", 0, false, NULL },
	{ "provider", "P", "of the instance type, where several have one of this name", 0, false, NULL },
	{ "gpus", "N", "GPUs of the job: so many machines of the type (default: one machine)", 0, false, NULL },
	{ "machines", "N", "machines of the job (default: 1); it stops when one of them goes", 0, false, NULL },
	{ "on-demand", "USD", "price of a machine and hour on demand", 0, false, NULL },
	{ "spot", "USD", "price of a machine and hour on spot", 0, false, NULL },
	{ "interruption", "PCT", "chance in percent that a machine is taken away in a month: 7, or a band 5..10", 0, false, NULL },
	{ "mtbf", "SPAN", "mean time between interruptions of a machine, instead", 0, false, NULL },
	{ "restart", "SPAN", "from an interruption to the first new step (default: 11m)", 0, false, NULL },
	{ "checkpoint-cost", "SPAN", "what one checkpoint stops the job for (default: 20s)", 0, false, NULL },
	{ "checkpoint-every", "SPAN", "work between two checkpoints, or auto (default)", 0, false, NULL },
	{ "no-checkpoint", NULL, "the job cannot resume: an interrupted run starts from zero", 0, false, NULL },
	{ "notice", "SPAN", "warning before an interruption; used where a checkpoint fits into 0.8 of it", 0, false, NULL },
	{ "finish-frac", "F", "in time less often than this is late (default: 0.99)", 0, false, NULL },
	{ "runs", "N", "runs to replay (default: 4000)", 0, false, NULL },
	{ "seed", "N", "of the draws (default: 1)", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_plan_spot_def = {
	.name = "plan spot",
	.group = "",
	.summary = "one job on spot machines: cost, chance to be in time, how often to save",
	.usage = "--hours SPAN (--instance TYPE | --on-demand USD --spot USD) [--deadline SPAN] [--interruption PCT | --mtbf SPAN]",
	.examples = "# a training run of two days on V100s that has 70 hours\n"
		    "tare plan spot --hours 48 --deadline 70h --on-demand 3.06 --spot 0.9731 --mtbf 10h\n"
		    "tare plan spot --hours 30 --deadline 40h --instance p3.8xlarge --region us-east-1\n"
		    "# a short trial without checkpoints\n"
		    "tare plan spot --hours 2 --deadline 8h --on-demand 3.06 --spot 0.9731 --mtbf 10h --no-checkpoint",
	.about = "Interruptions come at a constant rate: a percentage a month says no more, and >20 % is taken as 20 to 80. With checkpoints and a deadline the job\n"
		 "goes back on demand as soon as one more restart would only just fit, so that it is in time as long as on-demand machines are to be had. Without\n"
		 "checkpoints it tries on spot while a whole run still fits. Spot is refused only where it would be dearer, or late.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
