/* See lever_spot.h. Serving is never moved to spot unless a rule says which part stays on demand,
 * and then only what that part does not need. */
#include <math.h>

#include "base/tm.h"
#include "opt/spot_job.h"
#include "plan/lever_spot.h"
#include "plan/levers.h"
#include "plan/work.h"

static double floor_of(const struct lever_in *in, const struct work *w)
{
	for (size_t i = in->conf->rule.n; i--;)
		if (!isnan(in->conf->rule.v[i].spot_floor_frac) &&
		    plan_rule_matches(&in->conf->rule.v[i], w))
			return in->conf->rule.v[i].spot_floor_frac;
	return NAN;
}

/* As it was in the history: the load is known for that state alone. */
static bool is_replica(const struct lever_in *in, size_t i, const char *service)
{
	const struct work *w = &in->fleet->work.v[i];
	const struct use *u = &in->use[i];

	return w->kind == WORK_SERVICE && !strcmp(w->service, service) && use_is_history(w, u) &&
	       !strcmp(u->purchase, "on_demand") && u->cost_nano > 0 &&
	       work_fills_machine(in->fleet, w) && !work_is_frozen(in, w, "spot");
}

/* Load of the floor if it stood alone, 0..1 and above; NAN where a replica was not read. */
static double floor_load(const struct lever_in *in, const char *service, double floor_frac,
			 int64_t *ret_floor_milli)
{
	double load = 0, cards = 0;
	int64_t all = 0;

	for (size_t i = 0; i < in->fleet->work.n; i++) {
		const struct work *w = &in->fleet->work.v[i];
		if (!is_replica(in, i, service))
			continue;
		load += w->stats.covered_frac >= WORK_COVERED_FRAC
				? w->stats.util_p95_pct / 100 * (double)w->gpus_milli
				: NAN;
		all += w->gpus_milli;
	}
	cards = ceil((double)all / 1000 * floor_frac - 1e-9);
	*ret_floor_milli = (int64_t)(cards * 1000);
	return cards > 0 ? load / (cards * 1000) : INFINITY;
}

static void move(const struct lever_in *in, struct rec *r, size_t i, const struct market *rate)
{
	const struct use *u = &in->use[i];
	struct rec_change *c = rec_change(in, r, (uint32_t)i);
	double lo = rate->interruption_lo_pct < 0 ? SPOT_UNKNOWN_BAND_LO_PCT
						  : rate->interruption_lo_pct;
	double hi = rate->interruption_hi_pct < 0
			    ? SPOT_OPEN_BAND_HI_PCT
			    : fmin(SPOT_OPEN_BAND_HI_PCT, rate->interruption_hi_pct);

	c->after.purchase = "spot";
	c->after.cost_nano = use_cost(rate->nano_gpu_hour, u->gpus_milli, use_ms(in->fleet, u));
	c->lo_nano = (int64_t)((double)c->after.cost_nano * rate->lo);
	c->hi_nano = (int64_t)((double)c->after.cost_nano * rate->hi);
	r->replay.interruptions += (spot_hazard_of_month(lo) + spot_hazard_of_month(hi)) / 2 *
				   hours_of(use_ms(in->fleet, u));
}

/* What stays on demand, and when all of it is there: a replica that outlives its floor, as in a
 * rolling update, would be alone on spot. */
struct kept {
	int64_t milli, from_ms, to_ms;
	size_t n;
};

static void keep(struct kept *k, const struct use *u)
{
	k->from_ms = k->n && k->from_ms > u->start_ms ? k->from_ms : u->start_ms;
	k->to_ms = k->n && k->to_ms < u->end_ms ? k->to_ms : u->end_ms;
	k->milli += u->gpus_milli;
	k->n++;
}

static bool stands_below(const struct fleet *f, const struct kept *k, const struct use *u)
{
	int64_t from = u->start_ms > f->since_ms ? u->start_ms : f->since_ms,
		to = u->end_ms < f->until_ms ? u->end_ms : f->until_ms;

	return k->n && k->from_ms <= from && k->to_ms >= to;
}

static void tell(const struct lever_in *in, struct rec *r, const char *service, double load,
		 int64_t floor_milli, const struct kept *k)
{
	r->title = arena_printf(in->mem, "%s: %zu replicas to spot, %.0f GPUs stay on demand",
				service, r->change.n, (double)floor_milli / 1000);
	rec_tier(r, TIER_TRIAL);
	r->risk = RISK_MEDIUM;
	r->effort_days = 2;
	r->within_days = 4;
	r->confidence_frac = 0.7;
	rec_subject(in, r, "service", service);
	rec_evidence(in, r, QUALITY_MEASURED, "p95 utilisation of the floor, had it stood alone",
		     "%", "telemetry", "%.0f", load * 100);
	rec_evidence(in, r, QUALITY_ESTIMATED, "interruptions expected", "", "provider's band",
		     "%.2f", r->replay.interruptions);
	rec_risk(
		in, r,
		"Replicas on spot go without much notice; the %.0f GPUs on demand carried the load of the history alone at p95, not its highest minutes.",
		(double)floor_milli / 1000);
	int64_t all = (int64_t)(k->n + r->change.n);
	const struct work *w = &in->fleet->work.v[r->change.v[0].work];
	rec_action(r, ACTION_POOL)->pool = (struct action_pool){
		.cluster = raw_name(w->cluster),
		.provider = raw_name(w->provider),
		.region = raw_name(w->region),
		.instance_type = raw_name(w->instance_type),
		.gpu_model = raw_name(w->gpu_model),
		.spot = true,
		.gpus = w->gpus_milli / 1000,
		.to = TO_KUBERNETES,
		.now = (int64_t)r->change.n,
	};
	rec_action(r, ACTION_REPLICAS)->replicas = (struct action_replicas){
		.service = raw_name(service), .was = all, .now = all, .spot = (int64_t)r->change.n
	};
}

static bool goes_there(const struct lever_in *in, const struct use *u, struct market *ret,
		       bool *ret_priced)
{
	if (!market_of(in, u, ret) || ret->gpus_milli <= 0 || u->gpus_milli % ret->gpus_milli)
		return false;
	*ret_priced = true;
	return true;
}

static void propose(const struct lever_in *in, struct rec_list *out, const char *service,
		    double floor_frac)
{
	int64_t floor_milli;
	struct kept kept = { 0 };
	double load = floor_load(in, service, floor_frac, &floor_milli);
	struct rec_list own = { 0 };
	bool priced = false;
	struct rec *r;

	if (isnan(load) || load > in->conf->serving_target_util_frac) {
		plan_note(in, "spot: the part of '%s' that stays on demand %s, so all of it does.",
			  service,
			  isnan(load) ? "was not read well enough to know its load"
				      : "would not have carried the load alone");
		return;
	}
	r = rec_new(in, &own, "spot", arena_printf(in->mem, "service-%s", service));
	vec_free(&own.v);
	for (size_t i = 0; i < in->fleet->work.n; i++) {
		struct market rate;
		if (!is_replica(in, i, service))
			continue;
		if (kept.milli < floor_milli)
			keep(&kept, &in->use[i]);
		else if (stands_below(in->fleet, &kept, &in->use[i]) &&
			 goes_there(in, &in->use[i], &rate, &priced) &&
			 use_cost(rate.nano_gpu_hour, in->use[i].gpus_milli,
				  use_ms(in->fleet, &in->use[i])) < in->use[i].cost_nano)
			move(in, r, i, &rate);
	}
	if (!r->change.n) {
		if (!priced)
			plan_note(
				in,
				"spot: no market is known for the machines of '%s', so all of it stays.",
				service);
		rec_free(r);
		return;
	}
	tell(in, r, service, load, floor_milli, &kept);
	*vec_push(&out->v) = r;
}

void spot_serve_propose(const struct lever_in *in, struct rec_list *out)
{
	struct intern seen = { 0 };

	for (size_t i = 0; i < in->fleet->work.n; i++) {
		const struct work *w = &in->fleet->work.v[i];
		double f = w->kind == WORK_SERVICE && *w->service ? floor_of(in, w) : NAN;
		if (isnan(f) || intern_find(&seen, sv_of(w->service)) >= 0)
			continue;
		intern_add(&seen, sv_of(w->service));
		propose(in, out, w->service, f);
	}
	intern_free(&seen);
}
