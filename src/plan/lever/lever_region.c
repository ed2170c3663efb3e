/*
 * Run where it is cheaper: jobs of a team whose data is known by size (plan.rules: data_gb) may run
 * in the regions that people allow (plan.regions), at the price of the same machine there; every
 * run pays for its data on the way, at the egress price of the settings (opt/capacity/region.h).
 * Services stay: their users' latency is not known. Where the size of the data is not told nothing
 * is proposed, and that is said; nor with fewer runs than plan.gates.region_runs. Never Ready:
 * quota, stock and speed there are not known before a run was made there.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/tm.h"
#include "opt/capacity/region.h"
#include "plan/levers.h"
#include "plan/workload.h"

#define MIN_SAVING_FRAC 0.03 /* of what the works cost: prices between regions move by this much */
#define MAX_PLACES      64

struct group { /* works that would move together */
	const char *team, *provider, *region, *zone, *instance_type, *gpu_model, *purchase;
	double data_gb;
	int64_t gpus_milli;
	VEC(size_t) workload;
};
struct groups {
	VEC(struct group) v;
	struct intern key;
	int64_t unknown;
};

/* Prices of the machine at home and where it may run; how many places have one. */
static size_t find_places(const struct lever_in *in, const struct group *q, double egress_nano,
			  struct region_place *p, struct rate *rate)
{
	size_t n = 0;

	for (size_t i = 0; i <= in->conf->regions.n && n < MAX_PLACES; i++) {
		const char *name = i ? in->conf->regions.v[i - 1] : q->region;
		if (i && !strcmp(name, q->region))
			continue;
		const struct price_ask ask = { .catalog = in->catalog,
					       .fleet = in->fleet,
					       .provider = q->provider,
					       .region = name,
					       .zone = i ? "" : q->zone,
					       .instance_type = q->instance_type,
					       .gpu_model = q->gpu_model,
					       .gpus_milli = q->gpus_milli,
					       .purchase = q->purchase,
					       .at_ms = in->now_ms };
		if (!fleet_rate(&ask, &rate[n])) {
			if (!i)
				return 0; /* without a price at home there is nothing to compare */
			continue;
		}
		int64_t egress = 0; /* none at home */
		if (i)
			egress = (int64_t)llround(egress_nano);
		p[n] = (struct region_place){ name, rate[n].nano_gpu_hour, egress, egress, NAN };
		n++;
	}
	return n;
}

/* The work there: its cost by the ratio of prices, and its data once a run. */
static void move_workload(const struct lever_in *in, struct rec *r, size_t i, const struct group *q,
			  const struct region_place *home, const struct region_place *to)
{
	const struct use *u = &in->use[i];
	struct rec_change *c = rec_change(in, r, (uint32_t)i);
	int64_t run = (int64_t)llround((double)u->cost_nano * (double)to->nano_hour /
				       (double)home->nano_hour),
		data = (int64_t)llround(q->data_gb * (double)to->in_nano_gb);

	c->after.region = to->name;
	c->after.zone = "";
	c->after.cost_nano = run + data;
	/* a run may have to read its data twice; and prices of regions come closer by a quarter */
	c->lo_nano = c->after.cost_nano;
	c->hi_nano = run + (u->cost_nano > run ? (u->cost_nano - run) / 4 : 0) + 2 * data;
}

struct at_price {
	const struct region_place *place;
	const struct rate *rate;
};

static void tell_region(const struct lever_in *in, struct rec *r, const struct group *q,
			const struct at_price *is, const struct at_price *goes)
{
	const struct region_place *home = is->place, *to = goes->place;
	const struct rate *at_home = is->rate, *there = goes->rate;
	struct region_job j = { .hours = 1, .units = 1, .in_gb = q->data_gb, .home = home->name };

	r->title = arena_printf(in->mem, "%s: run %s in %s, not %s", filled_or(q->team, "nobody"),
				q->instance_type, to->name, home->name);
	r->team = q->team;
	r->effort_days = 3;
	r->within_days = 7;
	r->confidence_frac = 0.7;
	r->risk = RISK_MEDIUM;
	rec_tier(r, TIER_TRIAL);
	r->replay.jobs = (int64_t)q->workload.n;
	rec_subject(in, r, "team", q->team);
	rec_subject(in, r, "region", home->name);
	rec_subject(in, r, "instance_type", q->instance_type);
	rec_evidence(in, r,
		     (struct evidence){ at_home->quality, "price of a GPU-hour at home",
					.unit = lever_rate_unit(in), .source = at_home->source },
		     "%.4f", (double)home->nano_hour / 1e9);
	rec_evidence(in, r,
		     (struct evidence){ there->quality, "price there", .unit = lever_rate_unit(in),
					.source = there->source },
		     "%.4f", (double)to->nano_hour / 1e9);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ASSUMED, "data that follows each run", .unit = "GB",
					.source = "plan.rules data_gb" },
		     "%g", q->data_gb);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ASSUMED, "egress", .unit = "$/GB",
					.source = "plan.egress_usd_gb" },
		     "%g", in->conf->egress_usd_gb);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "break-even", .unit = "GB a GPU-hour",
					.source = "prices of both regions" },
		     "%.1f", region_break_even_gb(&j, home, to));
	struct action *a = rec_action(r, ACTION_SUBMIT);
	a->which = (struct habit){ .team = raw_name(q->team),
				   .instance_type = raw_name(q->instance_type) };
	a->submit = (struct action_submit){ .change = SUBMIT_REGION,
					    .to = TO_ANY,
					    .was.region = raw_name(home->name),
					    .now.region = raw_name(to->name),
					    .data_gb = q->data_gb };
	rec_action(r, ACTION_TRIAL)->trial = (struct action_trial){
		.how = TRIAL_PROFILE,
		.instance_type = raw_name(q->instance_type),
		.region = raw_name(to->name),
	};
	lever_price_age(in, r, there->basis, there->as_of_ms);
	rec_risk(in, r, "Quotas and stock of %s in %s are not known; ask for the quota first.",
		 q->instance_type, to->name);
	rec_risk(
		in, r,
		"Rules on where data may lie are yours to check: plan.regions names where it may.");
}

static void propose_group(const struct lever_in *in, struct rec_list *out, const struct group *q)
{
	struct region_place p[MAX_PLACES];
	struct rate rate[MAX_PLACES];
	struct region_choice c[MAX_PLACES];
	struct err err;
	/* A gigabyte on the way, in the fleet's currency; NAN where no exchange rate says. Without
	 * data to move there is nothing to pay. */
	double usd = fleet_usd(in->fleet, in->now_ms),
	       egress_nano = in->conf->egress_usd_gb * usd * 1e9;
	bool free_of_it = !(q->data_gb > 0) || !(in->conf->egress_usd_gb > 0);
	if (isnan(usd) && free_of_it)
		egress_nano = 0;
	double gpu_ms = 0, cost = 0;
	size_t n;

	if ((double)q->workload.n < in->conf->gates.region_runs) {
		plan_note(
			in,
			"%s: %zu run%s on %s in %s show too little to move them to another region, %g are asked for.",
			filled_or(q->team, "nobody"), q->workload.n, plural(q->workload.n),
			q->instance_type, q->region, in->conf->gates.region_runs);
		return;
	}
	if (isnan(egress_nano)) {
		plan_note(
			in,
			"region: no exchange rate of USD to %s is known, so what data costs on its way (plan.egress_usd_gb) is not either, and no job with data is moved; tare import --as rates brings it",
			in->fleet->currency);
		return;
	}
	n = find_places(in, q, egress_nano, p, rate);
	for (size_t i = 0; i < q->workload.n; i++) {
		gpu_ms += (double)in->fleet->workload.v[q->workload.v[i]].ms;
		cost += (double)in->use[q->workload.v[i]].cost_nano;
	}
	struct region_job j = { .hours = gpu_ms / (double)MS_HOUR,
				.units = 1,
				.in_gb = q->data_gb * (double)q->workload.n,
				.home = q->region,
				.max_latency_ms = NAN };
	bool ranked = n >= 2 && region_rank(&j, n, p, c, &err) >= 0;
	if (!ranked || c[0].state != REGION_OK || !c[0].place) {
		lever_left(in, "jobs",
			   ranked ? "where it is cheapest"
				  : "without a price at home, or in plan.regions",
			   q->workload.n);
		return;
	}
	const struct region_place *to = &p[c[0].place];
	double after = cost * (double)to->nano_hour / (double)p[0].nano_hour +
		       q->data_gb * (double)q->workload.n * (double)to->in_nano_gb;
	if (after > cost * (1 - MIN_SAVING_FRAC)) {
		lever_left(in, "jobs", "hardly cheaper elsewhere, with their data on the way",
			   q->workload.n);
		return;
	}
	struct rec *r = rec_new(in, out, "region",
				arena_printf(in->mem, "%s-%s-%s-%g", filled_or(q->team, "nobody"),
					     q->instance_type, q->region, q->data_gb));
	for (size_t i = 0; i < q->workload.n; i++)
		move_workload(in, r, q->workload.v[i], q, &p[0], to);
	tell_region(in, r, q, &(struct at_price){ &p[0], &rate[0] },
		    &(struct at_price){ to, &rate[c[0].place] });
}

int lever_region_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct groups g = { 0 };

	(void)err;
	if (!in->conf->regions.n) /* nobody said that anything may run elsewhere */
		return 0;
	struct str key = { 0 };
	for (size_t i = 0; i < in->fleet->workload.n; i++) {
		const struct workload *w = &in->fleet->workload.v[i];
		const struct use *u = &in->use[i];
		double gb = NAN;

		if (w->kind != WORKLOAD_JOB || w->notebook || !strcmp(w->workload, "inference"))
			continue;
		if (u->cost_nano <= 0 || u->end_ms <= u->start_ms || !*u->region)
			continue;
		if (!*u->provider || !*u->instance_type || workload_is_frozen(in, w, "region"))
			continue;
		for (size_t k = 0; k < in->conf->rule.n && isnan(gb); k++) {
			const struct plan_rule *r = &in->conf->rule.v[k];
			if (!isnan(r->data_gb) && plan_rule_matches(r, w))
				gb = r->data_gb;
		}
		if (isnan(gb)) {
			g.unknown++;
			continue;
		}
		str_clear(&key);
		str_addf(&key, "%s\x1f%s\x1f%s\x1f%s\x1f%s\x1f%g", w->team, u->provider, u->region,
			 u->instance_type, u->purchase, gb);
		uint32_t id = intern_add(&g.key, str_sv(&key));
		if (id == g.v.n)
			*vec_push(&g.v) = (struct group){ w->team,          u->provider,
							  u->region,        u->zone,
							  u->instance_type, u->gpu_model,
							  u->purchase,      gb,
							  u->gpus_milli,    { 0 } };
		*vec_push(&g.v.v[id].workload) = i;
	}
	str_free(&key);
	if (g.unknown)
		plan_note(
			in,
			"%lld job%s may be cheaper in another region; how much data would follow is not known (plan.rules: data_gb), so none is moved.",
			(long long)g.unknown, plural(g.unknown));
	for (size_t i = 0; i < g.v.n; i++)
		propose_group(in, out, &g.v.v[i]);
	for (size_t i = 0; i < g.v.n; i++)
		vec_free(&g.v.v[i].workload);
	vec_free(&g.v);
	intern_free(&g.key);
	return 0;
}
