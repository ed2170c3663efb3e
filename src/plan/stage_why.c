/* One stage of the composition: what may not be taken, whatever else is chosen, and its risk. */
#include "base/num.h"
#include "base/str.h"
#include "plan/levers.h"
#include "plan/stage_in.h"

/* ---- what may not be --------------------------------------------------------------------- */

static bool is_excluded(const struct composer *cp, int lever, uint32_t before)
{
	if (cp->table[lever].excludes & before)
		return true;
	for (int i = 0; i < LEVER_N; i++)
		if (before & LEVER_BIT(i) && cp->table[i].excludes & LEVER_BIT(lever))
			return true;
	return false;
}

bool stage_listed(const char *id, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(id, list[i]))
			return true;
	return false;
}

/* Reasons that do not depend on the other proposals, cheapest to see first. */
const char *stage_why_not(const struct composer *cp, const struct comp *c, struct cand *x)
{
	const struct plan_opt *o = cp->o;
	const struct rec *r = x->r;

	if (stage_listed(r->id, o->dismissed, o->ndismissed))
		return "dismissed";
	if (r->not_yet)
		return r->not_yet;
	if (r->no_gain)
		return r->no_gain;
	if (r->quality_risk && !o->quality_advice)
		return "could change model quality, and that was not asked for";
	if (r->effort_days > o->max_effort_days) {
		x->may_come = true;
		return arena_printf(cp->mem, "takes %g day%s of work, above the limit",
				    r->effort_days, r->effort_days == 1 ? "" : "s");
	}
	if (r->within_days > cp->within_days)
		return arena_printf(cp->mem, "is in force after %g day%s only", r->within_days,
				    r->within_days == 1 ? "" : "s");
	/* last: of what a target left out the above says why */
	if (o->nonly && !stage_listed(r->id, o->only, o->nonly))
		return text_or(o->why_only, "not asked for");
	for (size_t i = 0; i < cp->barred.n; i++)
		if (!strcmp(cp->barred.v[i].id, r->id))
			return cp->barred.v[i].why;

	/* Drop the changes of works on which an excluded lever was at work; true if nothing is left
	 * of what there was. */
	size_t kept = 0, n = x->r->change.n;

	for (size_t i = 0; i < n; i++)
		if (!is_excluded(cp, x->lever, c->use[x->r->change.v[i].workload].levers))
			x->r->change.v[kept++] = x->r->change.v[i];
	x->r->change.n = kept;
	if (n && !kept)
		return "what was chosen before excludes it on the same work";

	struct lever_in in = { .fleet = cp->fleet, .conf = cp->conf };

	for (size_t i = 0; i < r->change.n; i++) {
		struct workload w = cp->fleet->workload.v[r->change.v[i].workload];
		w.elastic = true; /* what cannot be given back is the lever's business */
		if (workload_is_frozen(&in, &w, r->lever))
			return "the settings leave a workload alone that it would change";
	}
	return NULL;
}

/*
 * The rule of lever.h. What only prepares another need not save anything by itself. A saving seen
 * in some weeks only has a 5th percentile of nothing; where it cannot be a loss in any week, that
 * is no more than a medium risk.
 */
enum risk stage_risk(const struct composer *cp, const struct comp *c, const struct cand *x)
{
	const struct rec_replay *p = &x->r->replay;
	bool clean = !p->deadline_misses && !p->slo_violations && !p->oom,
	     few = !p->oom && p->deadline_misses * 100 <= p->jobs &&
		   p->slo_violations * 100 <= p->requests;
	bool sure = x->needed || x->r->p05_nano > 0;
	bool thin = cp->fleet->until_ms - cp->fleet->since_ms < SURE_WINDOW_MS;
	enum risk floor = RISK_LOW;

	bool spot = false; /* something goes to it that was not there */
	for (size_t i = 0; i < x->r->change.n && !spot; i++) {
		const struct rec_change *r = &x->r->change.v[i];
		spot = !strcmp(r->after.purchase, "spot") &&
		       strcmp(c->use[r->workload].purchase, "spot");
	}
	if (!few || (!sure && !x->spread.safe))
		floor = RISK_HIGH;
	if (floor == RISK_LOW && (thin || !clean || !sure || p->interruptions > 0 ||
				  (x->lever == LEVER_SHARE && x->r->tier != TIER_SURE) || spot))
		floor = RISK_MEDIUM;
	return max_int(x->r->risk, floor);
}
