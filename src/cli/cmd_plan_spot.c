/* tare plan spot: one job on spot machines, before it runs; see opt/spot_job.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cmds.h"
#include "cli/plan_spot.h"
#include "spot/run_next.h"

#define MISS_FRAC 0.01 /* later than this often is late */
#define SEARCHED  6    /* up to so many places are tried at every position of the order */
/* where several places are named: a place that took its machines back has none for so long */
#define AWAY_H 1

/* ---- what is asked ----------------------------------------------------------------------- */

static int checkpoints(struct cli *c, struct spot_ask *a, struct err *err)
{
	int r = plan_spot_hours(c, "checkpoint-cost", &a->job.stall_h, err);

	a->every = cli_value(c, "checkpoint-every");
	a->checkpoints = !cli_flag(c, "no-checkpoint");
	if (r >= 0)
		r = plan_spot_hours(c, "notice", &a->notice_h, err);
	/* an interruption with notice loses nothing where saving fits into 0.8 of it */
	if (r >= 0 && a->checkpoints && a->notice_h > 0 && a->job.stall_h <= 0.8 * a->notice_h)
		a->job.notice_saved_frac = 1;
	if (r < 0 || !a->checkpoints)
		return r;
	a->chosen = !a->every || !strcmp(a->every, "auto");
	if (!a->chosen && (r = plan_spot_hours(c, "checkpoint-every", &a->job.every_h, err)) >= 0 &&
	    !(a->job.every_h > 0))
		r = err_set(err, -EINVAL, "--checkpoint-every: '%s' is no span; auto chooses one",
			    a->every);
	return r;
}

/* What was measured in past attempts is the start; the command line wins. */
static int seen(struct cli *c, struct spot_ask *a, struct err *err)
{
	const char *dir = cli_value(c, "checkpoint-dir");
	int r = dir ? spot_seen_read(dir, &a->seen, err) : 0;

	if (r < 0 || !dir)
		return r;
	if (!isnan(a->seen.stall_h))
		a->job.stall_h = a->seen.stall_h;
	if (!isnan(a->seen.restart_h))
		a->job.restart_h = a->seen.restart_h + (double)RUN_BOOT_MS / 3.6e6;
	return 0;
}

static int replays(const struct cli *c, struct spot_ask *a, struct err *err)
{
	const char *runs = cli_value(c, "runs"), *seed = cli_value(c, "seed");

	if (runs && (sv_i64(sv_of(runs), &a->runs) < 0 || a->runs < 100 || a->runs > 1000000))
		return err_set(err, -EINVAL, "--runs: '%s' is no number from 100 to 1,000,000",
			       runs);
	if (seed && sv_i64(sv_of(seed), &a->seed) < 0)
		return err_set(err, -EINVAL, "--seed: '%s' is no whole number", seed);
	return plan_spot_number(c, "finish-frac", 0, 1, &a->finish_frac, err);
}

static int read_ask(struct cli *c, struct spot_ask *a, struct err *err)
{
	int r;

	*a = (struct spot_ask){ .job = { .start_h = 0,
					 .restart_h = 11.0 / 60,
					 .stall_h = 20.0 / 3600,
					 .deadline_h = INFINITY },
				.runs = 4000,
				.seed = 1,
				.finish_frac = 1 - MISS_FRAC };
	if ((r = seen(c, a, err)) < 0 || (r = plan_spot_places(c, a, err)) < 0 ||
	    (r = plan_spot_hours(c, "hours", &a->job.work_h, err)) < 0 ||
	    (r = plan_spot_hours(c, "deadline", &a->job.deadline_h, err)) < 0 ||
	    (r = plan_spot_hours(c, "restart", &a->job.restart_h, err)) < 0)
		return r;
	a->job.away_h = a->nwhere > 1 ? AWAY_H : 0;
	if ((r = plan_spot_hours(c, "away", &a->job.away_h, err)) < 0 ||
	    (r = replays(c, a, err)) < 0)
		return r;
	return checkpoints(c, a, err);
}

/* ---- deciding ---------------------------------------------------------------------------- */

/* The job with one place in front. */
static struct spot_job job_at(const struct spot_ask *a, const struct spot_where *w)
{
	struct spot_job j = a->job;

	j.hazard_h = w->place.hazard_h;
	j.month_lo_pct = w->place.month_lo_pct;
	j.month_hi_pct = w->place.month_hi_pct;
	j.machines = w->place.machines;
	j.spot_usd_h = w->place.spot_usd_h;
	if (a->checkpoints && a->chosen)
		j.every_h = spot_job_interval(&j);
	return j;
}

/* move_hi: what the price may become; 0: it is sure. */
static int replay(const struct spot_ask *a, const struct spot_job *j, double move_hi,
		  struct spot_outcome *ret, struct err *err)
{
	struct spot_job moved = *j;
	struct spot_outcome o;
	int r = spot_job_run(j, (int)a->runs, (uint64_t)a->seed, ret, err);

	if (r < 0 || !(move_hi > 0))
		return r;
	/* the range: the same runs once more, with the price drawn */
	moved.spot_lo_usd_h = moved.spot_usd_h * SPOT_MOVE_LO;
	moved.spot_hi_usd_h = moved.spot_usd_h * move_hi;
	if ((r = spot_job_run(&moved, (int)a->runs, (uint64_t)a->seed, &o, err)) >= 0) {
		ret->usd_p05 = fmin(o.usd_p05, ret->usd);
		ret->usd_p95 = fmax(o.usd_p95, ret->usd);
	}
	return r;
}

static int alone(struct spot_ask *a, struct err *err)
{
	int r = 0;

	a->job.od_usd_h = INFINITY;
	for (size_t i = 0; i < a->nwhere; i++)
		/* NAN: not known there */
		a->job.od_usd_h = fmin(a->job.od_usd_h, a->where[i].od_usd_h);
	for (size_t i = 0; r >= 0 && i < a->nwhere; i++) {
		struct spot_where *w = &a->where[i];
		struct spot_job j = job_at(a, w);
		j.place = &w->place;
		j.nplace = 1;
		w->every_h = j.every_h;
		r = replay(a, &j, w->move_hi, &w->alone, err);
		w->in_time = w->alone.finish_frac >= a->finish_frac;
	}
	return r;
}

static int by_cost(const void *a, const void *b)
{
	const struct spot_where *x = a, *y = b;

	if (x->in_time != y->in_time)
		return x->in_time ? -1 : 1;
	return x->alone.usd < y->alone.usd   ? -1
	       : x->alone.usd > y->alone.usd ? 1
					     : strcmp(x->name, y->name);
}

static bool is_better(const struct spot_ask *a, const struct spot_outcome *x,
		      const struct spot_outcome *than)
{
	bool in_time = x->finish_frac >= a->finish_frac, was = than->finish_frac >= a->finish_frac;

	if (in_time != was)
		return in_time;
	return in_time || x->finish_frac == than->finish_frac ? x->usd < than->usd
							      : x->finish_frac > than->finish_frac;
}

/* Places in the order in which they are taken, by their numbers in a->where. */
struct order {
	size_t n, at[SPOT_MAX_PLACES];
};

static int replay_order(const struct spot_ask *a, const struct order *o, struct spot_place *place,
			bool range, struct spot_job *ret_job, struct spot_outcome *ret,
			struct err *err)
{
	double move_hi = 0;

	*ret_job = job_at(a, &a->where[o->at[0]]);
	for (size_t i = 0; i < o->n; i++) {
		place[i] = a->where[o->at[i]].place;
		move_hi = fmax(move_hi, a->where[o->at[i]].move_hi);
	}
	ret_job->place = place;
	ret_job->nplace = (int)o->n;
	return replay(a, ret_job, range ? move_hi : 0, ret, err);
}

static bool is_used(const struct order *o, size_t place)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->at[i] == place)
			return true;
	return false;
}

static struct order inserted(const struct order *o, size_t place, size_t where)
{
	struct order x = *o;

	memmove(x.at + where + 1, x.at + where, (x.n - where) * sizeof *x.at);
	x.at[where] = place;
	x.n++;
	return x;
}

/* Put in the place that helps most, where it helps most; with many places only at the end. 1: done,
 * 0: none helps. */
static int add_one(const struct spot_ask *a, struct order *o, struct spot_place *place,
		   struct spot_outcome *best, struct err *err)
{
	struct order found = { 0 };

	for (size_t k = 0; k < a->nwhere; k++) {
		for (size_t at = a->nwhere > SEARCHED ? o->n : 0; at <= o->n && !is_used(o, k);
		     at++) {
			struct order x = inserted(o, k, at);
			struct spot_outcome out;
			struct spot_job j;
			int r = replay_order(a, &x, place, false, &j, &out, err);
			if (r < 0)
				return r;
			if (is_better(a, &out, best)) {
				*best = out;
				found = x;
			}
		}
	}
	if (found.n)
		*o = found;
	return found.n > 0;
}

static void reorder(struct cli *c, struct spot_ask *a, const struct order *o)
{
	struct spot_where *w = arena_zalloc(&c->mem, SPOT_MAX_PLACES * sizeof *w);
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++) {
		w[n] = a->where[o->at[i]];
		w[n].rank = (int)i + 1;
		n++;
	}
	for (size_t k = 0; k < a->nwhere; k++)
		if (!is_used(o, k))
			w[n++] = a->where[k];
	a->where = w;
	a->nused = o->n;
}

/* From the best place alone, one more as long as it helps: a dear one does not where the cheap one
 * is back soon. */
static int together(struct cli *c, struct spot_ask *a, struct spot_outcome *ret, struct err *err)
{
	struct spot_place *place = arena_zalloc(&c->mem, SPOT_MAX_PLACES * sizeof *place);
	struct order o = { 1, { 0 } };
	struct spot_job j;
	int r = replay_order(a, &o, place, false, &j, ret, err);

	while (r >= 0 && o.n < a->nwhere && (r = add_one(a, &o, place, ret, err)) > 0)
		;
	if (r >= 0)
		r = replay_order(a, &o, place, true, &j, ret, err);
	if (r >= 0) {
		reorder(c, a, &o);
		a->job = j;
	}
	return r;
}

static int decide(struct cli *c, struct spot_ask *a, struct spot_answer *ret, struct err *err)
{
	int r = alone(a, err);

	if (r < 0)
		return r;
	qsort(a->where, a->nwhere, sizeof *a->where, by_cost);
	for (size_t i = a->nwhere; i-- > 0;)
		if (a->where[i].od_usd_h == a->job.od_usd_h)
			a->od_name = a->where[i].name; /* of this array, which nobody sorts again */
	if ((r = together(c, a, &ret->out, err)) < 0)
		return r;
	bool late = ret->out.finish_frac<a->finish_frac, stuck = ret->out.stuck_frac> 1 -
		    a->finish_frac,
	     dearer = ret->out.usd >= ret->out.od_usd;

	ret->spot = !late && !dearer;
	ret->why = ret->spot ? "cheaper, and in time"
		   : stuck   ? "on spot it would be interrupted again and again, and not be done"
		   : late && dearer ? "spot would be dearer and late"
		   : late           ? "spot would be late"
				    : "spot would be dearer";
	return r;
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct spot_answer x = { 0 };
	struct spot_ask a;
	int r;

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "hours"))
		return cli_usage_error(
			c, "--hours is needed: how long the job runs when nothing interrupts it");
	if (c->output != OUT_TABLE && c->output != OUT_JSON)
		return cli_usage_error(c, "-o: table or json");
	if ((r = read_ask(c, &a, &err)) >= 0)
		r = decide(c, &a, &x, &err);
	if (r < 0)
		cli_fail(&err);
	else if (c->output == OUT_JSON)
		plan_spot_json(&a, &x, &out);
	else
		plan_spot_text(&a, &x, &out);
	vec_free(&a.left_out);
	if (r < 0)
		return r == -ENODATA ? EXIT_INCOMPLETE : EXIT_ERROR;
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
