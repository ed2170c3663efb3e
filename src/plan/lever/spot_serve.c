/* See lever_spot.h. Serving is never moved to spot unless a rule says which part stays on demand,
 * and then only what that part does not need. */
#include <math.h>

#include "base/num.h"
#include "base/tm.h"
#include "opt/spot/spot_job.h"
#include "plan/lever/lever_spot.h"
#include "plan/levers.h"
#include "plan/workload.h"

/* As it was in the history: the load is known for that state alone. */
static bool is_replica(const struct lever_in *in, size_t i, const char *service)
{
	const struct workload *w = &in->fleet->workload.v[i];
	const struct use *u = &in->use[i];

	if (w->kind != WORKLOAD_SERVICE || strcmp(w->service, service) || !use_is_history(w, u))
		return false;
	if (strcmp(u->purchase, "on_demand") || u->cost_nano <= 0 ||
	    !workload_fills_machine(in->fleet, w))
		return false;
	return !workload_is_frozen(in, w, "spot");
}

/* GPUs of the floor, and the load of its highest minute if it stood alone. */
static const char *judge_floor(const struct lever_in *in, const char *service, double floor_frac,
			       int64_t *ret_floor_milli, double *ret_load)
{
	const struct fleet *f = in->fleet;
	double busy_ms = 0, gpus;
	int64_t all = 0;
	bool any = false;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind != WORKLOAD_SERVICE || strcmp(w->service, service) != 0)
			continue;
		busy_ms += w->stats.covered_frac >= WORKLOAD_COVERED_FRAC
				   ? w->stats.util_mean_pct / 100 * (double)w->ms
				   : NAN;
		if (is_replica(in, i, service))
			all += w->gpus_milli;
		any |= is_replica(in, i, service);
	}
	gpus = ceil((double)all / 1000 * floor_frac - 1e-9);
	*ret_floor_milli = (int64_t)(gpus * 1000);
	if (!any || gpus < 1)
		return "is nothing";

	/* Its replicas are one deployment, behind one door: a floor in one cluster carries no load
	 * in another. */
	const char *first = NULL;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind != WORKLOAD_SERVICE || strcmp(w->service, service) != 0)
			continue;
		if (workload_stays_why(w))
			return arena_printf(in->mem, "cannot stand alone: %s",
					    workload_stays_why(w));
		if (first && strcmp(first, w->cluster) != 0)
			return "would stand in several clusters, and the request log does not say how the requests are split";
		first = w->cluster;
	}

	/* Why the floor may not stand alone; NULL: it may, whatever happens on spot. */
	const struct plan_gates *g = &in->conf->gates;
	const struct fleet_service *q = fleet_log_of(in->fleet, service);

	if (isnan(busy_ms))
		return "was not read well enough to know its load";
	if (!q || q->step_ms == UNKNOWN_MS || (double)q->step_ms > g->replicas_log_s * MS_SECOND)
		return arena_printf(in->mem, "has no request log with a row each %.0f s",
				    g->replicas_log_s);
	if (q->days + 1e-9 < g->replicas_trial_weeks * 7)
		return arena_printf(in->mem, "has %d days of a request log, %.3g weeks are wanted",
				    q->days, g->replicas_trial_weeks);
	/* all its work in as long as the log is: a shorter log makes it more, never less */
	*ret_load = fleet_log_peak(in->fleet, q,
				   busy_ms / (fleet_log_minutes(in->fleet, q) * MS_MINUTE)) /
		    gpus;
	if (*ret_load > 1)
		return "would not have carried the load alone";
	if (*ret_load * g->replicas_peak_factor > 1)
		return arena_printf(
			in->mem,
			"would not have carried %.0f %% more than the highest minute, in which it would be %.0f %% busy",
			(g->replicas_peak_factor - 1) * 100, *ret_load * 100);
	return NULL;
}

/* What stays on demand, and when all of it is there: a replica that outlives its floor, as in a
 * rolling update, would be alone on spot. */
struct kept {
	int64_t milli, from_ms, to_ms;
	size_t n;
};

static void tell_service(const struct lever_in *in, struct rec *r, const char *service, double load,
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
	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_ESTIMATED,
				   "load of the floor in the highest minute, had it stood alone",
				   .unit = "%", .source = "telemetry, request log" },
		"%.0f", load * 100);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "interruptions expected",
					.source = "provider's band" },
		     "%.2f", r->replay.interruptions);
	rec_risk(
		in, r,
		"Replicas on spot go without much notice; the %.0f GPUs on demand would have carried the highest minute of the history alone, at %.0f %% of what they can do.",
		(double)floor_milli / 1000, load * 100);
	int64_t all = (int64_t)(k->n + r->change.n);
	const struct workload *w = &in->fleet->workload.v[r->change.v[0].workload];
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
	/* what is evicted later goes to the machines of the floor */
	for (size_t i = 0; i < r->change.n; i++)
		rec_action(r, ACTION_CORDON)->machine =
			workload_machine(&in->fleet->workload.v[r->change.v[i].workload]);
	rec_action(r, ACTION_REPLICAS)->replicas = (struct action_replicas){
		.service = raw_name(service),
		.was = all,
		.now = all,
		.spot = (int64_t)r->change.n,
		.provider = raw_name(w->provider),
		.namespace_ = service_namespace(in->fleet, service, ""),
		.controller = service_controller(in->fleet, service, ""),
	};

	/* Those of the replicas that moved, one at a time; what is left there goes onto the
	 * floor's. */
	static const enum action_kind step[] = { ACTION_DRAIN, ACTION_ROLLOUT, ACTION_STOP };

	for (size_t i = 0; i < r->change.n; i++)
		for (size_t n = 0; n < 3; n++) {
			struct action *a = rec_action(r, step[n]);
			if (step[n] == ACTION_ROLLOUT)
				a->replicas = (struct action_replicas){
					.service = raw_name(service),
					.namespace_ = service_namespace(in->fleet, service, ""),
					.controller = service_controller(in->fleet, service, ""),
					.was = (int64_t)k->n,
					.now = (int64_t)k->n
				};
			else
				a->machine = workload_machine(
					&in->fleet->workload.v[r->change.v[i].workload]);
		}
}

static bool goes_there(const struct lever_in *in, const struct use *u, struct market *ret,
		       bool *ret_priced)
{
	if (!market_of(in, u, ret) || ret->gpus_milli <= 0 || u->gpus_milli % ret->gpus_milli)
		return false;
	*ret_priced = true;
	return true;
}

static void propose_service(const struct lever_in *in, struct rec_list *out, const char *service,
			    double floor_frac)
{
	int64_t floor_milli;
	struct kept kept = { 0 };
	double load = NAN;
	const char *why = judge_floor(in, service, floor_frac, &floor_milli, &load);
	struct rec_list own = { 0 };
	bool priced = false;
	struct rec *r;

	if (why) {
		plan_note(in, "spot: the part of '%s' that stays on demand %s, so all of it does.",
			  service, why);
		return;
	}
	r = rec_new(in, &own, "spot", arena_printf(in->mem, "service-%s", service));
	vec_free(&own.v);
	for (size_t i = 0; i < in->fleet->workload.n; i++) {
		struct market rate;
		const struct use *u = &in->use[i];
		if (!is_replica(in, i, service))
			continue;
		bool below = kept.n && kept.from_ms <= max_i64(u->start_ms, in->fleet->since_ms) &&
			     kept.to_ms >= min_i64(u->end_ms, in->fleet->until_ms);
		if (kept.milli < floor_milli) {
			if (!kept.n || kept.from_ms <= u->start_ms)
				kept.from_ms = u->start_ms;
			if (!kept.n || kept.to_ms >= u->end_ms)
				kept.to_ms = u->end_ms;
			kept.milli += u->gpus_milli;
			kept.n++;
		} else if (below && goes_there(in, u, &rate, &priced) &&
			   use_cost(rate.nano_gpu_hour, u->gpus_milli, use_ms(in->fleet, u)) <
				   u->cost_nano) {
			struct rec_change *c = rec_change(in, r, (uint32_t)i);
			double lo = SPOT_UNKNOWN_BAND_LO_PCT;
			double hi = SPOT_OPEN_BAND_HI_PCT;

			if (rate.interruption_lo_pct >= 0)
				lo = rate.interruption_lo_pct;
			if (rate.interruption_hi_pct >= 0)
				hi = fmin(SPOT_OPEN_BAND_HI_PCT, rate.interruption_hi_pct);
			c->after.purchase = "spot";
			c->after.cost_nano = use_cost(rate.nano_gpu_hour, u->gpus_milli,
						      use_ms(in->fleet, u));
			c->lo_nano = (int64_t)((double)c->after.cost_nano * rate.lo);
			c->hi_nano = (int64_t)((double)c->after.cost_nano * rate.hi);
			r->replay.interruptions +=
				(spot_hazard_of_month(lo) + spot_hazard_of_month(hi)) / 2 *
				hours_of(use_ms(in->fleet, u));
		}
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
	tell_service(in, r, service, load, floor_milli, &kept);
	*vec_push(&out->v) = r;
}

void spot_serve_propose(const struct lever_in *in, struct rec_list *out)
{
	struct intern seen = { 0 };

	for (size_t i = 0; i < in->fleet->workload.n; i++) {
		const struct workload *w = &in->fleet->workload.v[i];
		double f = NAN;
		bool serves = w->kind == WORKLOAD_SERVICE && *w->service;
		for (size_t k = in->conf->rule.n; k-- && serves && isnan(f);) { /* the last one */
			const struct plan_rule *r = &in->conf->rule.v[k];
			if (!isnan(r->spot_floor_frac) && plan_rule_matches(r, w))
				f = r->spot_floor_frac;
		}
		if (isnan(f) || intern_find(&seen, sv_of(w->service)) >= 0)
			continue;
		intern_add(&seen, sv_of(w->service));
		propose_service(in, out, w->service, f);
	}
	intern_free(&seen);
}
