/*
 * The cheapest card that does the same work: a job or replica that fills its machine moves to a
 * machine with as many cards of another model, sold at its place and in its way of buying, where
 *
 *   memory of the card >= 1.1 x the 99th percentile of what it used (unknown memory: nothing is
 *           proposed)
 *   run time there, at the slow end of the estimate, ends before the deadline (jobs); a request
 *   takes at most what the SLO or the settings allow (services) cost there, at the slow end of the
 *   estimate, is below cost here
 *
 * Time there is the roofline of what its time was spent on (opt/roofline.h): with SM, tensor or
 * DRAM counters a range of some 40 %, with utilisation alone of a factor of 2, so that a close call
 * is never proposed. Where tare profile measured the work (its name, or that without its numbers)
 * on both cards, the time there is that measurement and no roofline. The choice is
 * opt/gpu_choice.h.
 */
#include <math.h>
#include <stdlib.h>

#include "base/tm.h"
#include "catalog/cpu.h"
#include "opt/gpu_choice.h"
#include "opt/roofline.h"
#include "plan/gpu_speed.h"
#include "plan/levers.h"
#include "plan/own_speed.h"
#include "plan/work.h"

/* of its cost, at the point estimate: below that the move is not worth the test it needs */
#define MIN_SAVING_FRAC 0.10
#define MIN_FLEET_FRAC  0.0025 /* of what the fleet costs: likewise for a whole proposal */
/* in which such jobs ran, and as many runs: less is no habit, and the plan's range would begin at
 * nothing */
#define MIN_WEEKS     3
#define CPU_ROOM_FRAC 0.9 /* of the other machine's cores that the work may need */
/* between runs of one program on one card: the range around an own measurement */
#define OWN_NOISE 0.05
#define GIB       ((double)(1 << 30))

struct card {
	const struct gpu_spec *spec;
	struct rate rate;
};
struct market { /* what is sold at a place with so many cards a machine */
	const char *provider, *region, *zone, *purchase, *type, *gpu_model;
	int64_t gpus_milli;
	const struct gpu_spec *from; /* NULL: the catalogue does not know the card */
	bool priced;
	struct rate now;
	VEC(struct card) card;
};
struct markets {
	VEC(struct market) v;
};

static bool is_market(const struct market *m, const struct use *u)
{
	return m->provider == u->provider && m->region == u->region && m->zone == u->zone &&
	       m->purchase == u->purchase && m->type == u->instance_type &&
	       m->gpu_model == u->gpu_model && m->gpus_milli == u->gpus_milli;
}

/* A program for x86 does not run beside an ARM processor, nor the other way round. */
static bool same_cpu(const char *provider, const char *here, const struct gpu_spec *from,
		     const char *there, const struct gpu_spec *to)
{
	enum machine_cpu a = machine_cpu_of(provider, here, from->model),
			 b = machine_cpu_of(provider, there, to->model);
	return a == CPU_ANY || b == CPU_ANY || a == b;
}

/* A card of another maker, or one without the precision that its work may be in, is a port and no
 * move. */
static bool same_software(const struct gpu_spec *a, const struct gpu_spec *b)
{
	return !strcmp(a->vendor, b->vendor) && (isnan(a->bf16_tflops) || !isnan(b->bf16_tflops)) &&
	       (isnan(a->fp8_tflops) || !isnan(b->fp8_tflops));
}

static size_t market_of(const struct lever_in *in, struct markets *all, const struct use *u)
{
	for (size_t i = 0; i < all->v.n; i++)
		if (is_market(&all->v.v[i], u))
			return i;
	struct market m = { u->provider,  u->region,     u->zone, u->purchase, u->instance_type,
			    u->gpu_model, u->gpus_milli, NULL,    false,       { 0 },
			    { 0 } };
	const struct gpu_spec *g;

	m.from = catalog_gpu(in->catalog, sv_of(u->gpu_model));
	m.priced = fleet_rate(in->catalog, u->provider, u->region, u->zone, u->instance_type,
			      u->gpu_model, 0, u->purchase, in->fleet->currency, in->now_ms,
			      &m.now);
	for (size_t i = 0; m.priced && m.from && (g = catalog_gpu_at(in->catalog, i)); i++) {
		struct card c = { g, { 0 } };
		if (g != m.from && same_software(m.from, g) && !isnan(gpu_peak_tflops(g, false)) &&
		    fleet_rate(in->catalog, u->provider, u->region, u->zone, NULL, g->model,
			       u->gpus_milli, u->purchase, in->fleet->currency, in->now_ms,
			       &c.rate) &&
		    c.rate.nano_gpu_hour < m.now.nano_gpu_hour &&
		    same_cpu(u->provider, u->instance_type, m.from, c.rate.instance_type, g))
			*vec_push(&m.card) = c;
	}
	*vec_push(&all->v) = m;
	return all->v.n - 1;
}

/* ---- which works ------------------------------------------------------------------------- */

static bool candidate(const struct lever_in *in, size_t i)
{
	const struct work *w = &in->fleet->work.v[i];
	const struct use *u = &in->use[i];
	const struct work_stats *s = &w->stats;

	return (w->kind == WORK_JOB || w->kind == WORK_SERVICE) && w->share_kind == SHARE_WHOLE &&
	       w->elastic && u->cost_nano > 0 && use_is_history(w, u) &&
	       s->covered_frac >= WORK_COVERED_FRAC && s->mem_p99_bytes > 0 &&
	       !isnan(s->util_mean_pct) && *u->gpu_model && *u->instance_type &&
	       u->gpus_milli >= 1000 && work_fills_machine(in->fleet, w) &&
	       !work_is_frozen(in, w, "rightsize_gpu");
}

static double share(double v)
{
	return isnan(v) ? NAN : fmin(1, fmax(0, v));
}

static struct roofline_shares shares_of(const struct work_stats *s)
{
	/* the link's share is left out: its peak at that machine is not known */
	return (struct roofline_shares){ share(s->util_mean_pct / 100), share(s->sm_mean_frac),
					 share(s->tensor_mean_frac), share(s->dram_mean_frac),
					 NAN };
}

/* How many times longer it may take. */
static double allowed_slowdown(const struct lever_in *in, const struct work *w, const struct use *u)
{
	if (w->kind == WORK_SERVICE)
		return 1 + in->conf->slo_p99_growth_frac;
	if (w->deadline_ms == UNKNOWN_MS || u->end_ms <= u->start_ms)
		return 1;
	double boot = in->conf->boot_minutes * MS_MINUTE;
	return ((double)(w->deadline_ms - u->start_ms) - boot) / (double)(u->end_ms - u->start_ms);
}

static bool host_fits(const struct lever_in *in, const struct work *w, const struct card *c)
{
	const struct instance_type *here = catalog_instance(in->catalog, sv_of(w->provider),
							    sv_of(w->instance_type));
	const struct instance_type *there = catalog_instance(in->catalog, sv_of(w->provider),
							     sv_of(c->rate.instance_type));

	if (!here || !there || isnan(w->stats.cpu_mean_pct) || isnan(here->vcpu) ||
	    isnan(there->vcpu))
		return true;
	return w->stats.cpu_mean_pct / 100 * here->vcpu <= there->vcpu * CPU_ROOM_FRAC;
}

/* ---- one work on one card ---------------------------------------------------------------- */

struct choice {
	const struct card *card;
	struct gpu_candidate c;
	int signals;
	bool measured;
};

/* "bert-large-17" was measured as such, as "bert-large-#" or as "bert-large". */
static double measured_speed(const struct lever_in *in, const struct work *w,
			     const struct gpu_spec *from, const struct gpu_spec *to)
{
	struct arena a = { 0 };
	char *z;
	double v;

	if (!in->conf->own || !in->conf->own->v.n || !*w->name)
		return NAN;
	v = own_speeds_ratio(in->conf->own, w->name, from, to);
	if (isnan(v)) {
		const char *pattern = work_pattern(&a, w);
		v = own_speeds_ratio(in->conf->own, pattern, from, to);
		z = arena_strn(&a, pattern, strlen(pattern));
		size_t n = strlen(z);
		while (n &&
		       (z[n - 1] == '#' || z[n - 1] == '-' || z[n - 1] == '_' || z[n - 1] == '.'))
			z[--n] = 0;
		if (isnan(v) && n)
			v = own_speeds_ratio(in->conf->own, z, from, to);
	}
	arena_free(&a);
	return v;
}

static void fill_candidate(const struct lever_in *in, const struct work *w, const struct market *m,
			   const struct roofline_mix *mix, const struct card *k,
			   struct gpu_candidate *c, bool *ret_measured)
{
	double own = host_fits(in, w, k) ? measured_speed(in, w, m->from, k->spec) : NAN;
	struct roofline_card here = gpu_roofline(m->from, false),
			     there = gpu_roofline(k->spec, false);
	double ratio, lo, hi;

	*c = (struct gpu_candidate){ gpu_usable_gib(k->spec),
				     k->rate.nano_gpu_hour,
				     NAN,
				     NAN,
				     NAN,
				     GPU_FITS,
				     NAN,
				     NAN,
				     NAN };
	*ret_measured = !isnan(own);
	if (*ret_measured) {
		c->speed = own;
		c->lo = own * (1 - OWN_NOISE);
		c->hi = own * (1 + OWN_NOISE);
	} else if (host_fits(in, w, k) &&
		   roofline_time(mix, &here, &there, 1, &ratio, &lo, &hi, NULL) >= 0) {
		/* that a cheaper card is faster is not for a roofline to say */
		c->speed = fmin(1, 1 / ratio);
		c->lo = fmin(1, 1 / hi);
		c->hi = fmin(1, 1 / lo);
	}
}

/* Does work i fit that card, for sure and for clearly less? */
static bool fits(const struct lever_in *in, size_t i, const struct market *m, const struct card *k,
		 struct choice *ret)
{
	const struct work *w = &in->fleet->work.v[i];
	struct roofline_shares s = shares_of(&w->stats);
	struct roofline_mix mix;
	struct gpu_need need = { w->stats.mem_p99_bytes / GIB, allowed_slowdown(in, w, &in->use[i]),
				 1, true };
	double here = (double)m->now.nano_gpu_hour;
	size_t order;

	if (!(need.max_slowdown > 0) || roofline_mix(&s, &mix, NULL) < 0)
		return false;
	*ret = (struct choice){ .card = k, .signals = mix.signals };
	fill_candidate(in, w, m, &mix, k, &ret->c, &ret->measured);
	if (gpu_choose(&need, 1, &ret->c, &order, NULL) <= 0)
		return false;
	if (w->kind == WORK_SERVICE) /* it runs as long as before */
		ret->c.nano_per_work = ret->c.nano_lo = ret->c.nano_hi =
			(double)k->rate.nano_gpu_hour;
	return ret->c.nano_per_work <= here * (1 - MIN_SAVING_FRAC) && ret->c.nano_hi < here;
}

static void move(const struct lever_in *in, struct rec *r, size_t i, const struct market *m,
		 const struct choice *ch)
{
	const struct use *u = &in->use[i];
	struct rec_change *c = rec_change(in, r, (uint32_t)i);
	double here = (double)m->now.nano_gpu_hour;
	bool job = in->fleet->work.v[i].kind == WORK_JOB;

	/* What was paid, in proportion to today's prices. A service runs as long as before, a job
	 * longer. */
	double rate = (double)ch->card->rate.nano_gpu_hour / here;
	c->after.gpu_model = ch->card->spec->model;
	c->after.instance_type = ch->card->rate.instance_type;
	c->after.cost_nano = (int64_t)((double)u->cost_nano * rate / (job ? ch->c.speed : 1));
	if (job) {
		c->after.stretch = u->stretch / ch->c.speed;
		c->after.end_ms = u->start_ms +
				  (int64_t)((double)(u->end_ms - u->start_ms) / ch->c.speed);
		c->lo_nano = (int64_t)((double)u->cost_nano * rate / ch->c.hi);
		c->hi_nano = (int64_t)((double)u->cost_nano * rate / ch->c.lo);
	}
	enum risk risk = ch->measured ? RISK_LOW : ch->signals >= 2 ? RISK_MEDIUM : RISK_HIGH;
	r->risk = risk > r->risk ? risk : r->risk;
	r->replay.jobs += job;
}

/* ---- what is told ------------------------------------------------------------------------ */

static void tell_evidence(const struct lever_in *in, struct rec *r, const struct market *m,
			  const struct choice *ch)
{
	double mem = 0, util = 0, n = (double)r->change.n;
	const struct rate *rate = &ch->card->rate;

	for (size_t k = 0; k < r->change.n; k++) {
		const struct work_stats *s = &in->fleet->work.v[r->change.v[k].work].stats;
		mem = fmax(mem, s->mem_p99_bytes / GIB);
		util += s->util_mean_pct;
	}
	rec_evidence(in, r, QUALITY_MEASURED, "memory used, p99, largest", "GiB", "telemetry",
		     "%.1f of %g", mem, m->from->memory_gib);
	rec_evidence(in, r, QUALITY_MEASURED, "GPU utilisation, mean", "%", "telemetry", "%.1f",
		     util / n);
	rec_evidence(in, r, ch->measured ? QUALITY_MEASURED : QUALITY_ESTIMATED,
		     "speed of one card against now, first of them", "",
		     ch->measured       ? "own measurements, tare profile"
		     : ch->signals >= 2 ? "roofline of counters"
					: "roofline of utilisation alone",
		     "%.2f (%.2f to %.2f)", ch->c.speed, ch->c.lo, ch->c.hi);
	rec_evidence(
		in, r, rate->quality,
		arena_printf(in->mem, "%s %s, %s", rate->instance_type, m->region, m->purchase),
		"$/GPU·h", lever_rate_source(in, rate), "%.4f", (double)rate->nano_gpu_hour / 1e9);
}

/* "T4 27, L40S 5" */
static const char *targets_text(const struct lever_in *in, const struct rec *r)
{
	struct str t = { 0 };

	for (size_t i = 0; i < r->change.n; i++) {
		size_t n = 0;
		bool first = true;
		for (size_t k = 0; k < r->change.n; k++) {
			bool same = r->change.v[k].after.gpu_model ==
				    r->change.v[i].after.gpu_model;
			n += same;
			first &= !same || k >= i;
		}
		if (first)
			str_addf(&t, "%s%s %zu", t.n ? ", " : "", r->change.v[i].after.gpu_model,
				 n);
	}
	const char *z = arena_strn(in->mem, str_z(&t), t.n);
	str_free(&t);
	return z;
}

/* An action for each pair of machine types. */
static void tell_moves(const struct lever_in *in, struct rec *r)
{
	for (size_t i = 0; i < r->change.n; i++) {
		const struct work *w = &in->fleet->work.v[r->change.v[i].work];
		const char *type = r->change.v[i].after.instance_type;
		bool first = true;
		for (size_t k = 0; k < i && first; k++)
			first = r->change.v[k].after.instance_type != type ||
				in->fleet->work.v[r->change.v[k].work].instance_type !=
					w->instance_type;
		if (!first)
			continue;
		rec_other_machine(r, w, w->gpus_milli / 1000, type);
	}
}

static void tell(const struct lever_in *in, struct rec *r, const struct market *m,
		 const struct choice *ch)
{
	const struct work *w = &in->fleet->work.v[r->change.v[0].work];
	const char *what = w->kind == WORK_JOB ? "job" : "replica";

	r->title = arena_printf(in->mem, "%s: cheaper cards than %s for %zu %s%s (%s)",
				work_owner(w), m->from->model, r->change.n, what,
				r->change.n == 1 ? "" : "s", targets_text(in, r));
	r->team = w->team;
	r->effort_days = 3; /* a test run on the other card, and the change */
	r->within_days = 7;
	r->confidence_frac = 0.9;
	rec_subject(in, r, "team", w->team);
	rec_subject(in, r, "gpu_model", m->from->model);
	tell_evidence(in, r, m, ch);
	rec_action(r, ACTION_TRIAL)->trial.how = TRIAL_PROFILE;
	tell_moves(in, r);
	rec_risk(
		in, r,
		"The speed there is %s: at the slow end of its range each still ends in time and costs less.",
		ch->measured       ? "measured by tare profile"
		: ch->signals >= 2 ? "estimated"
				   : "estimated from utilisation alone");
	rec_risk(in, r, "Libraries for the other card's generation may differ (%s now).",
		 m->from->arch);
}

/* ---- groups: one owner's works on one card, as sure as each other ------------------------ */

/* cards that a machine type may move to: more are no policy that anybody follows */
#define TARGETS 2

struct item {
	size_t work, market;
	const char *owner, *service;
	const struct gpu_spec *from;
	bool sure, taken;
};
struct items {
	VEC(struct item) v;
};

static bool same_group(const struct item *a, const struct item *b)
{
	return a->from == b->from && a->sure == b->sure && !strcmp(a->owner, b->owner) &&
	       !strcmp(a->service, b->service);
}

static bool same_type(const struct item *a, const struct item *b)
{
	return a->market == b->market && same_group(a, b);
}

static double saving(const struct lever_in *in, const struct item *it, const struct market *m,
		     const struct card *k)
{
	struct choice ch;

	if (!fits(in, it->work, m, k, &ch))
		return 0;
	return (double)in->use[it->work].cost_nano *
	       (1 - ch.c.nano_per_work / (double)m->now.nano_gpu_hour);
}

/* The card that saves most over the works of the type that are still where they were; NULL. */
static const struct card *best_card(const struct lever_in *in, const struct items *all,
				    const struct item *like, const struct market *m)
{
	const struct card *best = NULL;
	double most = 0;

	for (size_t k = 0; k < m->card.n; k++) {
		double sum = 0;
		for (size_t i = 0; i < all->v.n; i++)
			if (!all->v.v[i].taken && same_type(&all->v.v[i], like))
				sum += saving(in, &all->v.v[i], m, &m->card.v[k]);
		if (sum > most) {
			most = sum;
			best = &m->card.v[k];
		}
	}
	return best;
}

/* Move the works of the type that fit the card; ret_first is what was found for the first one of
 * the recommendation. */
static void take_card(const struct lever_in *in, struct rec *r, struct items *all,
		      const struct item *like, const struct market *m, const struct card *k,
		      struct choice *ret_first)
{
	struct choice ch;

	for (size_t i = 0; i < all->v.n; i++) {
		struct item *it = &all->v.v[i];
		if (it->taken || !same_type(it, like) || !fits(in, it->work, m, k, &ch))
			continue;
		if (!r->change.n)
			*ret_first = ch;
		it->taken = true;
		move(in, r, it->work, m, &ch);
	}
}

#define MAX_WEEKS 64
/* of the saving: if one week gives more, a history without it would save little */
#define ONE_WEEK_FRAC 0.5

/* Does the work recur: runs in enough weeks of the window, and the saving is not that of one week?
 * Services run in all. */
static bool recurs(const struct lever_in *in, const struct rec *r)
{
	double week[MAX_WEEKS] = { 0 }, sum = 0, most = 0;
	int weeks = 0;

	for (size_t i = 0; i < r->change.n; i++) {
		const struct rec_change *c = &r->change.v[i];
		const struct use *u = &in->use[c->work];
		if (in->fleet->work.v[c->work].kind != WORK_JOB)
			return true;
		int64_t at = (u->start_ms - in->fleet->since_ms) / (7 * MS_DAY);
		week[at < 0            ? 0
		     : at >= MAX_WEEKS ? MAX_WEEKS - 1
				       : at] += (double)(u->cost_nano - c->after.cost_nano);
	}
	for (int k = 0; k < MAX_WEEKS; k++) {
		weeks += week[k] > 0;
		sum += week[k];
		most = fmax(most, week[k]);
	}
	return weeks >= MIN_WEEKS && r->change.n >= MIN_WEEKS && most <= ONE_WEEK_FRAC * sum;
}

static bool worth_it(const struct lever_in *in, const struct rec *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->change.n; i++)
		sum += (double)(in->use[r->change.v[i].work].cost_nano -
				r->change.v[i].after.cost_nano);
	return r->change.n && sum >= MIN_FLEET_FRAC * (double)in->fleet->cost_nano;
}

static void propose_group(const struct lever_in *in, struct rec_list *out, struct items *all,
			  const struct markets *places, const struct item *like)
{
	const struct market *m = &places->v.v[like->market];
	struct rec *r = rec_new(in, out, "rightsize_gpu",
				arena_printf(in->mem, "%s-%s%s%s%s", like->owner, m->from->model,
					     *like->service ? "-" : "", like->service,
					     like->sure ? "" : "-unsure"));
	struct choice first = { 0 };

	for (size_t i = 0; i < all->v.n; i++) {
		const struct card *card;
		struct item it = all->v.v[i];
		bool new_type = same_group(&it, like);
		for (size_t k = 0; k < i && new_type; k++)
			new_type = !same_type(&all->v.v[k], &it);
		for (int t = 0; t < TARGETS && new_type &&
				(card = best_card(in, all, &it, &places->v.v[it.market]));
		     t++)
			take_card(in, r, all, &it, &places->v.v[it.market], card, &first);
	}
	if (!worth_it(in, r)) {
		rec_free(r);
		out->v.n--;
		return;
	}
	if (!recurs(in, r))
		r->risk = RISK_HIGH;
	tell(in, r, m, &first);
}

int lever_rightsize_gpu_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct markets places = { { 0 } };
	struct items all = { { 0 } };
	size_t unknown_memory = 0;

	(void)err;
	for (size_t i = 0; i < in->fleet->work.n; i++) {
		const struct work *w = &in->fleet->work.v[i];
		struct roofline_shares s = shares_of(&w->stats);
		struct roofline_mix mix;
		unknown_memory += w->kind == WORK_JOB &&
				  w->stats.covered_frac >= WORK_COVERED_FRAC &&
				  !(w->stats.mem_p99_bytes > 0);
		if (!candidate(in, i) || roofline_mix(&s, &mix, NULL) < 0)
			continue;
		size_t at = market_of(in, &places, &in->use[i]);
		const struct market *m = &places.v.v[at];
		if (m->from && m->priced && m->card.n)
			*vec_push(&all.v) =
				(struct item){ i,
					       at,
					       work_owner(w),
					       w->kind == WORK_SERVICE ? w->service : "",
					       m->from,
					       mix.signals >= 2,
					       false };
	}
	for (size_t i = 0; i < all.v.n; i++) {
		bool first = true; /* of its group */
		for (size_t k = 0; k < i && first; k++)
			first = !same_group(&all.v.v[k], &all.v.v[i]);
		struct item like = all.v.v[i];
		if (first)
			propose_group(in, out, &all, &places, &like);
	}
	if (unknown_memory)
		plan_note(
			in,
			"no smaller card is proposed for %zu job%s with readings that lack the memory",
			unknown_memory, unknown_memory == 1 ? "" : "s");
	for (size_t i = 0; i < places.v.n; i++)
		vec_free(&places.v.v[i].card);
	vec_free(&places.v);
	vec_free(&all.v);
	return 0;
}
