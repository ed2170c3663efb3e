/*
 * As many cards as the job uses. A job that fills its machine and works on k of its n cards moves
 * to a smaller machine with the same card, where one is sold at its place; the cards do what they
 * did, so neither its time nor its memory changes. What is left of the machine's free time stays
 * paid.
 *
 * Jobs that hold a part of a machine are packed with their neighbours onto fewer whole machines:
 * lever_count_pack.c.
 */
#include <math.h>
#include <stdlib.h>

#include "base/tm.h"
#include "opt/rightsize.h"
#include "plan/levers.h"
#include "plan/work.h"

#define CARDS_MAX     16
#define CPU_ROOM_FRAC 0.9 /* of the smaller machine's cores that the job may need */

struct offer { /* the smallest machine for so many cards at a place */
	const char *provider, *region, *zone, *type, *gpu_model, *purchase;
	int used;
	bool known;
	struct rate now, small;
};
struct offers {
	VEC(struct offer) v;
};

static bool same(const struct offer *o, const struct use *u, int used)
{
	return o->used == used && o->type == u->instance_type && o->gpu_model == u->gpu_model &&
	       o->provider == u->provider && o->region == u->region && o->zone == u->zone &&
	       o->purchase == u->purchase;
}

static bool ask(const struct lever_in *in, const struct use *u, const char *type, int64_t milli,
		struct rate *ret)
{
	return fleet_rate(in->catalog, u->provider, u->region, u->zone, type, u->gpu_model, milli,
			  u->purchase, in->fleet->currency, in->now_ms, ret);
}

static const struct offer *offer_for(const struct lever_in *in, struct offers *all,
				     const struct use *u, int used)
{
	for (size_t i = 0; i < all->v.n; i++)
		if (same(&all->v.v[i], u, used))
			return &all->v.v[i];
	struct offer o = { u->provider,  u->region,   u->zone, u->instance_type,
			   u->gpu_model, u->purchase, used,    false,
			   { 0 },        { 0 } };
	bool now = ask(in, u, u->instance_type, 0, &o.now);
	for (int k = used; now && !o.known && (int64_t)k * 1000 < u->gpus_milli && k <= CARDS_MAX;
	     k++)
		o.known = ask(in, u, NULL, k * 1000, &o.small);
	*vec_push(&all->v) = o;
	return &all->v.v[all->v.n - 1];
}

/* ---- which jobs -------------------------------------------------------------------------- */

static bool uses_fewer(const struct work *w)
{
	const struct work_stats *s = &w->stats;

	return w->kind == WORK_JOB && s->covered_frac >= WORK_COVERED_FRAC &&
	       w->share_kind == SHARE_WHOLE && s->cards >= 2 && s->cards_used >= 1 &&
	       s->cards_used < s->cards && w->gpus_milli == (int64_t)s->cards * 1000;
}

static bool candidate(const struct lever_in *in, size_t i)
{
	const struct work *w = &in->fleet->work.v[i];
	const struct use *u = &in->use[i];

	return uses_fewer(w) && use_is_history(w, u) && u->cost_nano > 0 &&
	       !work_is_frozen(in, w, "rightsize_count");
}

/* The host of the smaller machine has fewer cores; where the job's need of them is known it must
 * fit. */
static bool host_fits(const struct lever_in *in, const struct work *w, const struct offer *o)
{
	const struct instance_type *big = catalog_instance(in->catalog, sv_of(w->provider),
							   sv_of(w->instance_type));
	const struct instance_type *small = catalog_instance(in->catalog, sv_of(w->provider),
							     sv_of(o->small.instance_type));

	if (!big || !small || isnan(w->stats.cpu_mean_pct) || isnan(big->vcpu) ||
	    isnan(small->vcpu))
		return true;
	return w->stats.cpu_mean_pct / 100 * big->vcpu <= small->vcpu * CPU_ROOM_FRAC;
}

/* ---- to a smaller machine ---------------------------------------------------------------- */

static void move(const struct lever_in *in, struct rec *r, size_t i, const struct offer *o)
{
	const struct work *w = &in->fleet->work.v[i];
	const struct use *u = &in->use[i];
	int64_t boot = (int64_t)(in->conf->boot_minutes * MS_MINUTE);
	struct rec_change *c = rec_change(in, r, (uint32_t)i);
	__int128 num = (__int128)o->small.nano_gpu_hour * o->small.gpus_milli,
		 den = (__int128)o->now.nano_gpu_hour * u->gpus_milli;

	/* What was paid, in proportion to today's prices: a discount on the one is taken to hold
	 * for the other. */
	c->after.cost_nano = (int64_t)((double)u->cost_nano * ((double)num / (double)den));
	c->after.instance_type = o->small.instance_type;
	c->after.gpus_milli = o->small.gpus_milli;
	r->replay.jobs++;
	r->replay.deadline_misses += w->deadline_ms != UNKNOWN_MS &&
				     u->end_ms + boot > w->deadline_ms;
	/* The other cards did something now and then: it has to be done by those that are left. */
	if (w->stats.spare_active_frac > 0 && r->risk < RISK_MEDIUM)
		r->risk = RISK_MEDIUM;
}

static const char *used_text(const struct lever_in *in, const struct rec *r)
{
	int lo = CARDS_MAX, hi = 0;

	for (size_t i = 0; i < r->change.n; i++) {
		int k = in->fleet->work.v[r->change.v[i].work].stats.cards_used;
		lo = k < lo ? k : lo;
		hi = k > hi ? k : hi;
	}
	return lo == hi ? arena_printf(in->mem, "%d", lo)
			: arena_printf(in->mem, "%d to %d", lo, hi);
}

static int jobs_of_group(const struct lever_in *in, const struct work *like)
{
	int n = 0;

	for (size_t i = 0; i < in->fleet->work.n; i++) {
		const struct work *w = &in->fleet->work.v[i];
		n += w->kind == WORK_JOB && !strcmp(work_owner(w), work_owner(like)) &&
		     w->instance_type == like->instance_type;
	}
	return n;
}

static void tell(const struct lever_in *in, struct rec *r)
{
	const struct work *w = &in->fleet->work.v[r->change.v[0].work];
	const struct use *after = &r->change.v[0].after;
	int have = (int)(w->gpus_milli / 1000), want = (int)(after->gpus_milli / 1000);
	struct rate rate;

	r->title = arena_printf(in->mem, "%s: %d GPU%s, not %d, for %zu of %d jobs (%s -> %s)",
				work_owner(w), want, want == 1 ? "" : "s", have, r->change.n,
				jobs_of_group(in, w), w->instance_type, after->instance_type);
	r->team = w->team;
	r->effort_days = 2;
	r->within_days = 3;
	r->confidence_frac = 0.95;
	rec_subject(in, r, "team", w->team);
	rec_subject(in, r, "cluster", w->cluster);
	rec_subject(in, r, "instance_type", w->instance_type);
	rec_evidence(in, r, QUALITY_MEASURED, "cards in use, of those held", "GPUs", "telemetry",
		     "%s of %d", used_text(in, r), have);
	rec_evidence(in, r, QUALITY_MEASURED, "activity of the other cards, first job", "frac",
		     "telemetry", "%.4f", w->stats.spare_active_frac);
	if (ask(in, &in->use[r->change.v[0].work], after->instance_type, 0, &rate))
		rec_evidence(in, r, rate.quality,
			     arena_printf(in->mem, "%s %s, %s", after->instance_type, w->region,
					  w->purchase),
			     "$/GPU·h", lever_rate_source(in, &rate), "%.4f",
			     (double)rate.nano_gpu_hour / 1e9);
	rec_other_machine(r, w, want, after->instance_type);
	rec_risk(
		in, r,
		"The smaller machine has fewer cores and less memory beside each card's share; a job waits %g minutes for it to boot.",
		in->conf->boot_minutes);
}

static void propose_smaller(const struct lever_in *in, struct rec_list *out)
{
	struct offers all = { { 0 } };
	size_t first = out->v.n;

	for (size_t i = 0; i < in->fleet->work.n; i++) {
		const struct work *w = &in->fleet->work.v[i];
		if (!candidate(in, i) || !work_fills_machine(in->fleet, w) || !*w->instance_type)
			continue;
		const struct offer *o = offer_for(in, &all, &in->use[i], w->stats.cards_used);
		if (!o->known) {
			plan_note(
				in,
				"%s in %s: no smaller machine with %s is priced as %s; jobs that use fewer cards stay",
				w->instance_type, w->region, w->gpu_model, w->purchase);
			continue;
		}
		if (!host_fits(in, w, o) ||
		    (double)o->small.nano_gpu_hour * (double)o->small.gpus_milli >=
			    (double)o->now.nano_gpu_hour * (double)in->use[i].gpus_milli)
			continue;
		move(in,
		     rec_find_or_new(in, out, first, "rightsize_count",
				     arena_printf(in->mem, "%s-%s-%s", work_owner(w),
						  w->instance_type, o->small.instance_type)),
		     i, o);
	}
	for (size_t i = first; i < out->v.n; i++) {
		rec_risk_by_misses(out->v.v[i]);
		tell(in, out->v.v[i]);
	}
	vec_free(&all.v);
}

int lever_rightsize_count_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	(void)err;
	propose_smaller(in, out);
	return rightsize_count_pack(in, out);
}
