/*
 * As many GPUs as a habit uses: its runs move to the cheapest machine with the same GPU and fewer
 * of them. A GPU is needed if any run worked on it or kept memory there. Where no run ever needed
 * more, that is Ready (plan.gates: runs, weeks, CPU, RAM); where a small part did, the smaller
 * count is a default to try first: whoever needs more asks for it, and what fails is requeued as
 * before. Whether it can run there says plan/proof/gate.h; what the old machines still cost
 * plan/proof/settle.h.
 *
 * Jobs that hold a part of a machine are packed with their neighbours: lever_count_pack.c.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/levers.h"
#include "plan/lever/move.h"
#include "plan/workload.h"

#define WORTH_FRAC 0.05 /* of what the habit costs */
#define ON_A_PART  "on a part of a machine, or on one of no known type"
#define LEFT_ALONE "left alone by the settings, or not to be given back"
/* of the bill: what a habit with too few runs must be worth before anybody is told */
#define NOT_YET_FRAC 0.005

struct pick {
	struct sold to;
	int gpus;
	bool is_default;
	enum tier tier;
	struct gate_verdict v;
	double saving;
	struct rec *r;
};

/* Why its runs keep their GPUs; NULL: they may have fewer. */
static const char *why_not(const struct lever_in *in, const struct habit_runs *h)
{
	if (h->first->gpus_milli < 2000)
		return "on one GPU or a part of one";
	if (h->is_over)
		return "of a kind that seems to be over";
	if (h->machines > 1)
		return "on several machines";
	if (!h->whole || h->first->gpus_milli % 1000 || !*h->first->instance_type)
		return ON_A_PART;
	if (h->most_needed < 1)
		return "without readings of each GPU";
	if (!h->first->elastic)
		return LEFT_ALONE;
	for (size_t i = 0; i < h->workload.n; i++)
		if (workload_is_frozen(in, &in->fleet->workload.v[h->workload.v[i]],
				       "rightsize_count") ||
		    in->use[h->workload.v[i]].gpus_milli != h->first->gpus_milli)
			return LEFT_ALONE;
	return NULL;
}

/* A coarser habit has the same runs again. */
static void leave_habit(const struct lever_in *in, const struct habit_runs *h, const char *why)
{
	if (h->level == HABIT_USER)
		lever_left(in, "runs", why, h->runs);
}

/* The smallest counts that hold for all runs and, else, for most; the cheaper of them. */
static void look_for_count(const struct lever_in *in, struct settle *s, const struct habit_runs *h,
			   enum tier want, struct pick *best)
{
	int had = (int)(h->first->gpus_milli / 1000);

	for (int k = 1; k < had; k++) {
		size_t more = habit_more_than(in->fleet, h, k);

		/* By the table: how sure a smaller count may be; TIER_N: it is none. */
		const struct plan_gates *g = &in->conf->gates;
		double runs = (double)h->runs;
		enum tier t = TIER_N;
		if (!more && runs >= g->count_ready_runs && h->weeks >= g->count_ready_weeks)
			t = TIER_SURE;
		else if (runs >= g->count_trial_runs && (double)more <= g->count_more_frac * runs)
			t = TIER_TRIAL;

		struct sold_list sold;
		if (more && habit_grows_beyond(in->fleet, h, k))
			continue;
		bool few = want == TIER_N; /* what too few runs would say */
		if (few ? h->runs < 2 || more : t == TIER_N)
			continue;
		gate_offers(in, &in->use[h->workload.v[0]], h->first->gpu_model, k, &sold);
		for (size_t i = 0; i < sold.v.n; i++) {
			struct gate_offer o = { sold.v.v[i].gpu, sold.v.v[i].type, k, 1, more > 0 };
			struct pick p = { .to = sold.v.v[i],
					  .gpus = k,
					  .is_default = more > 0,
					  .tier = want,
					  .v = gate_check(in, h, &o) };
			enum tier sure = t;
			if (p.v.gate == GATE_TRIAL && t < TIER_TRIAL)
				sure = TIER_TRIAL;
			if (p.v.gate == GATE_NO || (!few && sure != want))
				continue;

			struct rec_list own = { 0 };
			p.r = rec_new(in, &own, "rightsize_count",
				      arena_printf(in->mem, "%s%s", habit_id(in->mem, h),
						   text_if(p.tier != TIER_SURE, "-try")));
			struct move m = { .h = h,
					  .to = &p.to,
					  .gpus = p.gpus,
					  .time = 1,
					  .time_lo = 1,
					  .time_hi = 1,
					  .limit_ms = UNKNOWN_MS,
					  .is_default = p.is_default };

			vec_free(&own.v);
			move_runs(in, s, p.r, &m);
			p.saving = rec_saving(in, p.r, NULL);
			struct rec *drop = p.saving > best->saving ? best->r : p.r;
			if (p.saving > best->saving)
				*best = p;
			if (drop)
				rec_free(drop);
			break; /* the next ones are more expensive */
		}
		vec_free(&sold.v);
	}
}

static void tell_count(const struct lever_in *in, const struct habit_runs *h, const struct pick *p)
{
	enum tier tier = p->tier;
	const struct workload *w = h->first;
	const struct plan_conf *c = in->conf;
	int had = (int)(w->gpus_milli / 1000);
	size_t more = habit_more_than(in->fleet, h, p->gpus);
	struct rec *r = p->r;
	struct move m = { .h = h,
			  .to = &p->to,
			  .gpus = p->gpus,
			  .limit_ms = UNKNOWN_MS,
			  .is_default = p->is_default };

	rec_tier(r, tier);
	if (more)
		r->title = arena_printf(
			in->mem,
			"%s: default %d GPU%s, not %d (%zu of %zu runs used no more; the rest ask or requeue)",
			habit_title(h), p->gpus, plural(p->gpus), had, h->runs - more, h->runs);
	else
		r->title = arena_printf(in->mem, "%s: %d GPU%s, not %d (%s -> %s)", habit_title(h),
					p->gpus, plural(p->gpus), had, w->instance_type,
					p->to.type->name);
	r->team = w->team;
	r->effort_days = 2;
	r->within_days = 3;
	r->confidence_frac = tier == TIER_SURE ? 0.95 : 0.85;
	r->risk = tier == TIER_SURE ? RISK_LOW : RISK_MEDIUM;
	rec_subject(in, r, "team", w->team);
	rec_subject(in, r, "user", h->level == HABIT_USER ? w->user : "");
	rec_subject(in, r, "cluster", w->cluster);
	rec_subject(in, r, "name", h->name);
	rec_subject(in, r, "instance_type", w->instance_type);
	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_MEASURED, "runs of this habit", .source = "job list" },
		"%zu in %.1f weeks", h->runs, h->weeks);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "runs that needed more GPUs",
					.source = "telemetry" },
		     "%zu", more);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "GPUs that any run needed, of those held",
					.unit = "GPUs", .source = "telemetry" },
		     "%d of %d", h->most_needed, had);
	if (!isnan(h->cpu_cores))
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED,
						"CPU peak of all runs, of the machine's",
						.unit = "CPUs", .source = "telemetry or job list" },
			     "%.1f of %.0f", h->cpu_cores, p->to.type->vcpu);
	if (!isnan(h->ram_gib))
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED,
						"RAM, most of all runs, of the machine's",
						.unit = "GiB", .source = "job list" },
			     "%.0f of %.0f", h->ram_gib, p->to.type->ram_gib);
	rec_evidence(in, r,
		     (struct evidence){ p->to.rate.quality,
					arena_printf(in->mem, "%s %s, %s", p->to.type->name,
						     w->region, w->purchase),
					.unit = lever_rate_unit(in),
					.source = lever_rate_source(in, &p->to.rate) },
		     "%.4f", (double)p->to.rate.nano_gpu_hour / 1e9);
	if (tier != TIER_SURE)
		rec_action(r, ACTION_TRIAL)->trial = (struct action_trial){
			.how = TRIAL_PROFILE, .instance_type = raw_name(p->to.type->name)
		};
	move_actions(in, r, &m);
	if (*p->v.why)
		rec_risk(in, r, "To try first: %s.", p->v.why);
	rec_risk(
		in, r,
		"The smaller machine has fewer cores and less memory beside the GPU; a run waits %g minutes for it to boot.",
		c->boot_minutes);
	if (more)
		rec_risk(
			in, r,
			"%zu of %zu runs needed more: who forgets to ask loses the time until the run fails; paid in the figures for half of them.",
			more, h->runs);
}

/* Too few runs: said with what is missing, and not taken. */
static bool not_yet(const struct lever_in *in, struct rec_list *out, struct settle *s,
		    const struct habit_runs *h)
{
	struct pick best = { .saving = NOT_YET_FRAC * (double)in->fleet->cost_nano };

	look_for_count(in, s, h, TIER_N, &best);
	if (!best.r)
		return false;
	best.tier = TIER_TRIAL;
	tell_count(in, h, &best);
	best.r->not_yet = arena_printf(in->mem, "not yet: %zu runs are too few, %g are the least",
				       h->runs, in->conf->gates.count_trial_runs);
	*vec_push(&out->v) = best.r;
	return true;
}

/* Why its runs keep what they asked for, with what decided: the most GPUs that one of them used, by
 * work or by memory alone that lies on some, and in how long. */
static const char *why_all(const struct lever_in *in, const struct habit_runs *h)
{
	int had = (int)(h->first->gpus_milli / 1000), worked = 0;
	const char *seen =
		arena_printf(in->mem, "readings of %.0f days",
			     (double)(in->fleet->data_to_ms - in->fleet->data_from_ms) / MS_DAY);

	for (size_t i = 0; i < h->workload.n; i++)
		worked = max_int(in->fleet->workload.v[h->workload.v[i]].stats.gpus_worked, worked);
	if (h->most_needed < had)
		return arena_printf(
			in->mem,
			"that used at most %d of the %d GPUs they asked for (%s), without a cheaper machine that has fewer GPUs and is large enough",
			h->most_needed, had, seen);
	if (worked >= h->most_needed)
		return arena_printf(in->mem, "with work on all %d GPUs they asked for (%s)", had,
				    seen);
	return arena_printf(
		in->mem,
		"that hold memory on all %d GPUs they asked for and work on at most %d (%s): free it, and they may have fewer",
		had, worked, seen);
}

static void propose_habit(const struct lever_in *in, struct rec_list *out, struct settle *s,
			  const struct habit_runs *h, enum pack_says packed)
{
	static const char *const why_packed[] = {
		[PACK_SAVES_NONE] =
			"that need fewer GPUs than they hold, on machines that stay paid: with what they need no machine less carries all jobs",
		[PACK_CANNOT] =
			"that need fewer GPUs than they hold, on machines of which none can stop: the settings or a term keep them, who held them is not known to the end, they come and go, or the history is short",
	};
	struct use from;
	struct rate now;

	const char *why = why_not(in, h);
	if (why && packed == PACK_TAKES)
		return;
	if (why && packed)
		why = why_packed[packed];
	else if (why && !strcmp(why, ON_A_PART) && h->most_needed >= h->first->gpus_milli / 1000)
		why = why_all(in, h);
	bool found = false;

	if (!why && !move_from(in, h, &from, &now))
		why = "moved among machines, or on one without a known price";
	if (why) {
		leave_habit(in, h, why);
		return;
	}
	if ((double)h->runs < in->conf->gates.count_trial_runs && not_yet(in, out, s, h))
		return;
	for (int t = TIER_SURE; t <= TIER_TRIAL; t++) {
		struct pick best = { .saving = 0 };
		look_for_count(in, s, h, (enum tier)t, &best);
		if (!best.r)
			continue;

		double cost = 0;

		for (size_t i = 0; i < h->workload.n; i++)
			cost += (double)in->use[h->workload.v[i]].cost_nano;
		if (best.saving < WORTH_FRAC * cost) {
			rec_free(best.r);
			continue;
		}
		tell_count(in, h, &best);
		*vec_push(&out->v) = best.r;
		found = true;
	}
	if (!found)
		leave_habit(in, h, why_all(in, h));
}

int lever_rightsize_count_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct settle *s = settle_new(in);
	enum pack_says *packed = xcalloc(in->fleet->workload.n + 1, sizeof *packed);
	struct rec_list parts = { 0 };
	int r = rightsize_count_pack(in, &parts, packed);

	(void)err;
	for (size_t i = 0; i < in->habits->v.n; i++)
		propose_habit(in, out, s, &in->habits->v.v[i],
			      packed[in->habits->v.v[i].workload.v[0]]);
	for (size_t i = 0; i < parts.v.n; i++)
		*vec_push(&out->v) = parts.v.v[i];
	vec_free(&parts.v);
	free(packed);
	settle_free(s);
	return r;
}
