/*
 * The GPU on which a finished run costs least: all runs of a habit move to a machine with as many
 * GPUs of another model, sold at their place and in their way of buying. A cheaper one that is not
 * much slower, or a more expensive one that ends sooner. Always to try first
 * (plan.gates: runs, weeks). Whether it fits says plan/proof/gate.h, at the slow end of the range
 * of its time there:
 *
 *   own measurements of tare profile on both GPUs, where there are any; else the roofline of what
 *   its working time was spent on (opt/diagnose/roofline.h), per GPU that worked and not over the
 *   booking: with counters a range of some 40 %, with utilisation alone of a factor of 2.
 *
 * NVLink that is lost makes it slower, by more or less. A cheaper GPU is never faster by a
 * roofline, a more expensive one ends sooner by it only in the time that counters explain: a kernel
 * too small for either GPU looks like work, and follows neither peak nor bandwidth. Cheaper at the
 * slow end of the range, as every move; a more expensive one that is so in the middle of it alone
 * is advice: one run there decides.
 */
#include <math.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "opt/diagnose/roofline.h"
#include "plan/lever/gpu_speed.h"
#include "plan/levers.h"
#include "plan/lever/move.h"
#include "plan/lever/own_speed.h"
#include "plan/workload.h"

#define LEFT_ALONE      "left alone by the settings, or not to be given back"
#define MIN_SAVING_FRAC 0.10 /* of its cost: below that the move is not worth the test it needs */
/* between runs of one program on one GPU: the range around an own measurement */
#define OWN_NOISE 0.05
/* time of GPUs that talk over PCIe where they did over NVLink: the middle, and the slow end */
#define PCIE_TIME    1.2
#define PCIE_TIME_HI 1.8
#define LIMIT_STEP   (5 * MS_MINUTE)

struct speed { /* time there, of now's */
	double time, lo, hi;
	int signals;
	bool measured;
};
struct pick {
	struct sold to;
	struct speed speed;
	struct gate_verdict v;
	int64_t limit_ms;
	double saving;
	bool upward; /* more expensive an hour, and sooner done */
	struct rec *r;
};
struct picks {
	struct pick best, maybe; /* maybe: more expensive an hour, and not cheaper a run for sure */
};

struct now_on { /* what a habit runs on now */
	struct use from;
	struct rate rate;
	double cost; /* nano, of all its runs */
};

/* ---- how fast ---------------------------------------------------------------------------- */

/* "bert-large-17" was measured as such, as "bert-large-#" or as "bert-large". */
static double measured_speed(const struct lever_in *in, const struct workload *w,
			     const struct gpu_spec *from, const struct gpu_spec *to)
{
	struct arena a = { 0 };
	char *z;
	double v;

	if (!in->conf->own || !in->conf->own->v.n || !*w->name)
		return NAN;
	v = own_speeds_ratio(in->conf->own, w->name, from, to);
	if (isnan(v)) {
		const char *pattern = workload_pattern(&a, w);
		v = own_speeds_ratio(in->conf->own, pattern, from, to);
		z = arena_strn(&a, pattern, strlen(pattern));
		size_t n = strlen(z);
		while (n && strchr("#-_.", z[n - 1]))
			z[--n] = 0;
		if (isnan(v) && n)
			v = own_speeds_ratio(in->conf->own, z, from, to);
	}
	arena_free(&a);
	return v;
}

/* Only what counters explain goes faster; the rest stays as it is. False: there are none. */
static bool keep_explained(const struct roofline_shares *s, struct roofline_mix *mix)
{
	if (isnan(s->tensor) || isnan(s->dram))
		return false;
	mix->compute = fmin(mix->compute, s->tensor);
	mix->memory = fmin(mix->memory, s->dram);
	mix->host = 1 - mix->compute - mix->memory - mix->pcie;
	return true;
}

/* upward: the machine there is more expensive. False: not known well enough. */
static bool speed_on(const struct lever_in *in, const struct habit_runs *h,
		     const struct gpu_spec *from, const struct sold *to, bool upward,
		     struct speed *ret)
{
	int gpus = (int)(to->type->gpu_milli / 1000);
	struct roofline_shares s = { h->util_frac, h->sm, h->tensor, h->dram, NAN };
	struct roofline_gpu here = gpu_roofline(from, false), there = gpu_roofline(to->gpu, false);
	struct roofline_mix mix;
	struct roofline_ratio t;
	double own = measured_speed(in, h->first, from, to->gpu);

	*ret = (struct speed){ .measured = !isnan(own) };
	if (ret->measured) {
		*ret = (struct speed){ 1 / own, 1 / own / (1 + OWN_NOISE),
				       1 / own / (1 - OWN_NOISE), 0, true };
	} else {
		if (isnan(h->util_frac) || roofline_mix(&s, &mix, NULL) < 0)
			return false;
		if ((upward && !keep_explained(&s, &mix)) ||
		    roofline_time(&mix, &here, &there, 1, &t, NULL) < 0)
			return false;
		*ret = (struct speed){ t.mid, t.lo, t.hi, mix.signals, false };
		if (!upward) {
			/* That a cheaper GPU is faster is not for a roofline to say. */
			ret->time = fmax(1, ret->time);
			ret->lo = fmax(1, ret->lo);
			ret->hi = fmax(1, ret->hi);
		}
	}
	if (!ret->measured && gpus > 1 && gate_has_nvlink(from) && !gate_has_nvlink(to->gpu)) {
		ret->time *= PCIE_TIME;
		ret->hi *= PCIE_TIME_HI;
	}
	return true;
}

/* ---- which ------------------------------------------------------------------------------- */

/* Why its runs stay on their GPU; NULL: they may move. */
static const char *why_not(const struct lever_in *in, const struct habit_runs *h)
{
	const struct plan_gates *g = &in->conf->gates;

	if (h->is_over)
		return "of a kind that seems to be over";
	if ((double)h->runs < g->gpu_runs || h->weeks < g->gpu_weeks)
		return "of too few of a kind (plan.gates.gpu_runs, gpu_weeks)";
	if (!h->whole || h->first->gpus_milli % 1000)
		return "on a part of a machine";
	if (!h->first->elastic)
		return LEFT_ALONE;
	for (size_t i = 0; i < h->workload.n; i++) {
		const struct workload *w = &in->fleet->workload.v[h->workload.v[i]];
		if (workload_is_frozen(in, w, "rightsize_gpu") ||
		    strcmp(in->use[h->workload.v[i]].purchase, h->first->purchase))
			return LEFT_ALONE;
	}
	return NULL;
}

/* A coarser habit has the same runs again. */
static void leave_habit(const struct lever_in *in, const struct habit_runs *h, const char *why)
{
	if (h->level == HABIT_USER)
		lever_left(in, "runs", why, h->runs);
}

/* One limit for the habit: what it has now, or more where the slow end needs more; never beyond
 * what it booked. */
static int64_t limit_for(const struct lever_in *in, const struct habit_runs *h, int64_t need_ms)
{
	int64_t now = UNKNOWN_MS;

	for (size_t i = 0; i < h->workload.n; i++) {
		int64_t l = in->use[h->workload.v[i]].limit_ms;
		if (l == UNKNOWN_MS)
			return UNKNOWN_MS;
		if (now == UNKNOWN_MS || l < now)
			now = l;
	}
	int64_t want = (need_ms + LIMIT_STEP - 1) / LIMIT_STEP * LIMIT_STEP;
	want = min_i64(want, h->limit_ms);
	return max_i64(want, now);
}

static void look_for_gpu(const struct lever_in *in, struct settle *s, const struct habit_runs *h,
			 const struct use *from, const struct rate *now, struct picks *ret)
{
	const struct gpu_spec *here = catalog_gpu(in->catalog, sv_of(from->gpu_model));
	int gpus = (int)(from->gpus_milli / 1000);
	double had = (double)now->nano_gpu_hour * (double)from->gpus_milli, least;
	struct sold_list sold;

	gate_offers(in, from, NULL, gpus, &sold);
	for (size_t i = 0; i < sold.v.n && here; i++) {
		struct pick p = { .to = sold.v.v[i] };
		double price = (double)p.to.rate.nano_gpu_hour * (double)p.to.type->gpu_milli;
		p.upward = price >= had;
		if (p.to.gpu == here || !speed_on(in, h, here, &p.to, p.upward, &p.speed) ||
		    price * p.speed.time >= had)
			continue;
		struct gate_offer o = { p.to.gpu, p.to.type, gpus, p.speed.hi, false };
		p.v = gate_check(in, h, &o);
		if (p.v.gate == GATE_NO)
			continue;
		p.limit_ms = limit_for(in, h, p.v.need_ms);

		struct rec_list own = { 0 };
		struct move m = { .h = h,
				  .to = &p.to,
				  .gpus = gpus,
				  .time = p.speed.time,
				  .time_lo = p.speed.lo,
				  .time_hi = p.speed.hi,
				  .limit_ms = p.limit_ms };

		p.r = rec_new(in, &own, "rightsize_gpu", habit_id(in->mem, h));
		vec_free(&own.v);
		move_runs(in, s, p.r, &m);
		p.saving = rec_saving(in, p.r, &least);
		if (least <= 0 && !p.upward)
			p.saving = 0;

		/* Keeps p where it is better; what it takes the place of, or p's own, is freed. */
		struct pick *best = least > 0 ? &ret->best : &ret->maybe;
		struct rec *drop = p.r;

		if (p.saving > best->saving) {
			drop = best->r;
			*best = p;
		}
		if (drop)
			rec_free(drop);
	}
	vec_free(&sold.v);
}

/* ---- what is told ------------------------------------------------------------------------ */

static const char *how_known(const struct speed *s)
{
	if (s->measured)
		return "own measurements, tare profile";
	if (s->signals >= 2)
		return "roofline of counters";
	return "roofline of utilisation alone";
}

static void tell_evidence(const struct lever_in *in, struct rec *r, const struct habit_runs *h,
			  const struct pick *p)
{
	const struct rate *rate = &p->to.rate;

	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_MEASURED, "runs of this habit", .source = "job list" },
		"%zu in %.1f weeks", h->runs, h->weeks);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "GPU memory, highest reading of all runs",
					.unit = "GiB", .source = "telemetry" },
		     "%.1f of %.1f there", h->mem_peak_bytes / (double)(1 << 30),
		     gpu_usable_gib(p->to.gpu));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "GPU utilisation while it works, mean",
					.unit = "%", .source = "telemetry" },
		     "%.1f", h->util_frac * 100);
	rec_evidence(in, r,
		     (struct evidence){ p->speed.measured ? QUALITY_MEASURED : QUALITY_ESTIMATED,
					"time there, of now's", .source = how_known(&p->speed) },
		     "%.2f (%.2f to %.2f)", p->speed.time, p->speed.lo, p->speed.hi);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "longest run there, at the slow end",
					.unit = "h", .source = "gate" },
		     "%.2f", hours_of(p->v.need_ms));
	lever_price_age(in, r, rate->basis, rate->as_of_ms);
	rec_evidence(in, r,
		     (struct evidence){ rate->quality,
					arena_printf(in->mem, "%s %s, %s", rate->instance_type,
						     h->first->region, h->first->purchase),
					.unit = lever_rate_unit(in),
					.source = lever_rate_source(in, rate) },
		     "%.4f", (double)rate->nano_gpu_hour / 1e9);
}

static void tell_pick(const struct lever_in *in, const struct habit_runs *h, const struct use *from,
		      const struct pick *p)
{
	struct rec *r = p->r;
	struct move m = { .h = h,
			  .to = &p->to,
			  .gpus = (int)(from->gpus_milli / 1000),
			  .limit_ms = p->limit_ms };

	rec_tier(r, TIER_TRIAL);
	r->title = arena_printf(in->mem, "%s: %s, not %s (%s -> %s)%s", habit_title(h),
				p->to.gpu->model, from->gpu_model, from->instance_type,
				p->to.type->name,
				text_if(p->upward, ": more expensive an hour, cheaper a run"));
	r->team = h->first->team;
	r->effort_days = 3; /* a test run on the other GPU, and the change */
	r->within_days = 7;
	r->confidence_frac = 0.9;
	r->risk = RISK_MEDIUM;
	rec_subject(in, r, "team", h->first->team);
	rec_subject(in, r, "user", h->level == HABIT_USER ? h->first->user : "");
	rec_subject(in, r, "cluster", h->first->cluster);
	rec_subject(in, r, "name", h->name);
	tell_evidence(in, r, h, p);
	rec_action(r, ACTION_TRIAL)->trial =
		(struct action_trial){ .how = TRIAL_PROFILE,
				       .instance_type = raw_name(p->to.type->name),
				       .reveals = p->v.reveals };
	move_actions(in, r, &m);
	rec_risk(
		in, r,
		"The speed there is by %s: at the slow end of its range each run ends within its limit and costs less.",
		how_known(&p->speed));
	if (p->v.reveals)
		rec_risk(
			in, r,
			"Its memory reading is flat from the start, so its need is not known: the trial shows it, before anything moves.");
	if (m.gpus > 1 && gate_has_nvlink(catalog_gpu(in->catalog, sv_of(from->gpu_model))) &&
	    !gate_has_nvlink(p->to.gpu))
		rec_risk(
			in, r,
			"Its GPUs talk over NVLink now and over PCIe there: the trial shows by how much it is slower.");
	rec_risk(in, r, "Libraries for the other GPU's generation may differ (%s there).",
		 p->to.gpu->arch);
}

/* Cheaper a run in the middle of the range, and not at its slow end. */
static void tell_maybe(const struct lever_in *in, struct rec_list *out, const struct habit_runs *h,
		       const struct now_on *now, const struct pick *p)
{
	double price = (double)p->to.rate.nano_gpu_hour * (double)p->to.type->gpu_milli,
	       had = (double)now->rate.nano_gpu_hour * (double)now->from.gpus_milli,
	       most = now->cost * (1 - price * p->speed.lo / had);

	if (most < MIN_SAVING_FRAC * now->cost)
		return;
	struct rec *r = rec_new(in, out, "rightsize_gpu",
				arena_printf(in->mem, "measure-%s", habit_id(in->mem, h)));

	r->advice = true;
	rec_tier(r, TIER_TRIAL);
	r->title = arena_printf(
		in->mem,
		"%s: %s (%s) may be cheaper a run than %s, and is more expensive an hour: measure",
		habit_title(h), p->to.gpu->model, p->to.type->name, now->from.gpu_model);
	r->team = h->first->team;
	r->effort_days = 1;
	r->within_days = 7;
	r->confidence_frac = 0.5;
	r->risk = RISK_MEDIUM;
	r->p05_nano = 0;
	r->p95_nano = llround(fmax(most, p->saving));
	r->saving_nano = llround(p->saving);
	rec_subject(in, r, "team", h->first->team);
	rec_subject(in, r, "user", h->level == HABIT_USER ? h->first->user : "");
	rec_subject(in, r, "cluster", h->first->cluster);
	rec_subject(in, r, "name", h->name);
	tell_evidence(in, r, h, p);
	struct action *a = rec_action(r, ACTION_TRIAL);
	a->trial = (struct action_trial){ .how = TRIAL_PROFILE,
					  .instance_type = raw_name(p->to.type->name),
					  .even_speed_frac = price / had,
					  .gpu_from = now->from.gpu_model,
					  .gpu_to = p->to.gpu->model,
					  .gpus = (double)now->from.gpus_milli / 1000 };
	a->which.team = raw_name(h->first->team);
	a->which.name = raw_name(h->name);
	rec_risk(
		in, r,
		"At the slow end of the range a run there costs more than here: one run under tare profile on both decides.");
}

static void propose_now(const struct lever_in *in, struct rec_list *out, struct settle *s,
			const struct habit_runs *h)
{
	struct now_on now = { 0 };
	struct picks found = { 0 };
	struct pick *best = &found.best;

	const char *why = why_not(in, h);

	if (!why && (!move_from(in, h, &now.from, &now.rate) || now.from.gpus_milli % 1000))
		why = "moved among machines, or on one without a known price";
	if (why) {
		leave_habit(in, h, why);
		return;
	}
	look_for_gpu(in, s, h, &now.from, &now.rate, &found);
	for (size_t i = 0; i < h->workload.n; i++)
		now.cost += (double)in->use[h->workload.v[i]].cost_nano;
	if (best->r && best->saving >= MIN_SAVING_FRAC * now.cost) {
		tell_pick(in, h, &now.from, best);
		*vec_push(&out->v) = best->r;
	} else {
		if (best->r)
			rec_free(best->r);
		size_t n = out->v.n;
		if (found.maybe.r)
			tell_maybe(in, out, h, &now, &found.maybe);
		if (out->v.n == n)
			leave_habit(
				in, h,
				isnan(h->util_frac)
					? "without readings"
					: "on the GPU that costs least for them, as far as is known");
	}
	if (found.maybe.r)
		rec_free(found.maybe.r);
}

int lever_rightsize_gpu_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct settle *s = settle_new(in);
	size_t unread = 0;

	(void)err;
	for (size_t i = 0; i < in->habits->v.n; i++) {
		const struct habit_runs *h = &in->habits->v.v[i];
		if (isnan(h->mem_peak_bytes) && !isnan(h->util_frac))
			unread += h->runs;

		struct habit_runs now;

		if (habit_now(in, h, &now))
			propose_now(in, out, s, &now);
		vec_free(&now.workload);
	}
	if (unread)
		plan_note(
			in,
			"no smaller GPU is proposed for %zu job%s: of what is run so, some run has no reading of its memory",
			unread, plural(unread));
	settle_free(s);
	return 0;
}
