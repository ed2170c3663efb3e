/* One stage of the composition: ask the levers, weigh what they propose, choose the best set of it,
 * apply it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "opt/select.h"
#include "plan/levers.h"
#include "plan/proof/trial.h"
#include "plan/stage_in.h"

/* What compares prices has nothing to say of a fleet in GPU-hours. */
#define PRICE_LEVERS                                                                        \
	(LEVER_BIT(LEVER_RIGHTSIZE_GPU) | LEVER_BIT(LEVER_REGION) | LEVER_BIT(LEVER_SPOT) | \
	 LEVER_BIT(LEVER_COMMIT))

#define PROPOSES(f)   f
#define NAMED_ONLY(f) NULL
#define LEVER(id, name, stage, excludes, has, text) \
	[LEVER_##id] = { #name, text, stage, excludes, has(lever_##name##_propose) },
const struct lever levers[LEVER_N] = {
#include "plan/levers.def"
};
#undef LEVER
#undef PROPOSES
#undef NAMED_ONLY

bool lever_is_in(const struct composer *cp, int lever, int stage)
{
	const struct lever *l = &cp->table[lever];

	if (cp->fleet->in_gpu_hours && PRICE_LEVERS & LEVER_BIT(lever))
		return false;
	if (!l->propose || l->stage != stage)
		return false;
	return !cp->o->levers || cp->o->levers & LEVER_BIT(lever);
}

/* ---- asking ------------------------------------------------------------------------------ */

/* Holds a lever to its contract, and fills in the ranges that it left open. */
static int check_rec(const struct composer *cp, struct rec *r, const char *lever)
{
	for (size_t i = 0; i < r->change.n; i++) {
		struct rec_change *c = &r->change.v[i];
		if (c->workload >= cp->fleet->workload.n)
			return err_set(cp->err, -EINVAL,
				       "lever '%s' changes work %u of %zu in '%s'", lever,
				       c->workload, cp->fleet->workload.n, r->id);
		if (c->lo_nano == INT64_MIN)
			c->lo_nano = c->after.cost_nano;
		if (c->hi_nano == INT64_MIN)
			c->hi_nano = c->after.cost_nano;
	}
	if (!r->fee_lo_nano && !r->fee_hi_nano)
		r->fee_lo_nano = r->fee_hi_nano = r->fee_nano;
	return 0;
}

/* A second proposal of the same id gets a number behind it: "spot-train-2". */
static void number_same_ids(const struct composer *cp, struct rec_list *out)
{
	for (size_t i = 0; i < out->v.n; i++) {
		struct rec *r = out->v.v[i];
		const char *id = r->id;
		size_t j = 0;
		int k = 1;

		while (j < i) {
			if (strcmp(out->v.v[j]->id, r->id) != 0) {
				j++;
				continue;
			}
			r->id = arena_printf(cp->mem, "%s-%d", id, ++k);
			j = 0; /* a proposal may be called just that */
		}
	}
}

/* A machine on which jobs without GPUs run is not stopped or emptied, whichever lever would. */
static void drop_present(const struct lever_in *in, struct rec_list *out)
{
	int64_t trial_ms = (int64_t)(in->conf->gates.stop_trial_days * (double)MS_DAY);
	size_t n = 0;

	for (size_t i = 0; i < out->v.n; i++) {
		struct rec *r = out->v.v[i];
		const char *on = NULL;
		for (size_t k = 0; k < r->action.n && !on; k++) {
			const struct action *a = &r->action.v[k];
			bool ends = a->kind == ACTION_STOP || a->kind == ACTION_DRAIN;
			if (ends && a->machine.node.z &&
			    fleet_present_since(in->fleet, a->machine.node.z,
						in->fleet->until_ms - trial_ms))
				on = a->machine.node.z;
		}
		if (!on)
			out->v.v[n++] = r;
		else
			plan_note(
				in,
				"%s is left out: jobs without GPUs are or were on '%s' lately, which it would stop",
				r->title, on);
	}
	out->v.n = n;
}

int lever_ask(struct composer *cp, int lever, const struct use *use, struct text_list *note,
	      struct left_list *left, struct rec_list *out)
{
	struct lever_in in = { .fleet = cp->fleet,
			       .use = use,
			       .habits = &cp->habits,
			       .catalog = cp->catalog,
			       .conf = cp->conf,
			       .now_ms = cp->now_ms,
			       .seed = cp->o->seed,
			       .horizon_days = cp->o->horizon_days,
			       .mem = cp->mem,
			       .note = note,
			       .left = left };
	int r = cp->table[lever].propose(&in, out, cp->err);

	for (size_t i = 0; i < out->v.n; i++)
		*vec_push(&cp->made.v) = out->v.v[i];
	drop_present(&in, out);
	if (r == -ENODATA) { /* a lever that cannot say is no reason to say nothing */
		plan_note(&in, "%s: %s", cp->table[lever].name, cp->err->msg);
		r = 0;
	}
	if (r < 0) {
		err_prefix(cp->err, "lever '%s'", cp->table[lever].name);
		return r;
	}
	for (size_t i = 0; i < out->v.n && r >= 0; i++)
		r = check_rec(cp, out->v.v[i], cp->table[lever].name);
	number_same_ids(cp, out);
	return r;
}

/* ---- needs ------------------------------------------------------------------------------- */

static size_t find_cand(const struct stage *s, const char *id)
{
	for (size_t i = 0; i < s->cand.n; i++)
		if (!strcmp(s->cand.v[i].r->id, id))
			return i;
	return SIZE_MAX;
}

static bool is_taken(const struct comp *c, const char *id)
{
	for (size_t i = 0; i < c->taken.v.n; i++)
		if (!strcmp(c->taken.v.v[i]->id, id))
			return true;
	return false;
}

/* ends the search where needs go round in a circle, which select_best() refuses later */
#define NEED_DEPTH 16

/* Does a need b, at once or through others? */
static bool needs_item(const struct stage *s, uint32_t a, uint32_t b, int depth)
{
	for (size_t i = 0; i + 1 < s->need.n && depth < NEED_DEPTH; i += 2)
		if (s->need.v[i] == a &&
		    (s->need.v[i + 1] == b || needs_item(s, s->need.v[i + 1], b, depth + 1)))
			return true;
	return false;
}

/* What needs something that is not to be had is not to be had either. */
static void drop_helpless(struct stage *s)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < s->cand.n; i++) {
			struct cand *x = &s->cand.v[i];
			for (size_t k = 0; k < x->r->depends_on.n && !x->why; k++) {
				const char *id = x->r->depends_on.v[k];
				size_t j = find_cand(s, id);
				if (is_taken(s->c, id) || (j != SIZE_MAX && !s->cand.v[j].why))
					continue;
				x->why = arena_printf(s->cp->mem, "needs '%s', which is not taken",
						      id);
				changed = true;
			}
		}
	}
}

/* ---- what it gains ----------------------------------------------------------------------- */

/* Cost of the work before candidate i: of the last one it needs that changes the work, else of the
 * state. */
static int64_t base_of(const struct stage *s, uint32_t i, uint32_t workload)
{
	int64_t cost = s->c->use[workload].cost_nano;

	for (size_t k = 0; k + 1 < s->need.n; k += 2) {
		const struct rec *n = s->cand.v[s->need.v[k + 1]].r;
		if (s->need.v[k] != i)
			continue;
		for (size_t m = 0; m < n->change.n; m++)
			if (n->change.v[m].workload == workload)
				cost = n->change.v[m].after.cost_nano;
	}
	return cost;
}

/* What candidate i saves, its range and its risk, once all that it needs is applied. */
static void weigh_item(struct stage *s, uint32_t i)
{
	struct cand *x = &s->cand.v[i];
	struct rec *r = x->r;

	x->base = arena_alloc(s->cp->mem, (r->change.n + 1) * sizeof *x->base);
	x->gain = -r->fee_nano;
	for (size_t k = 0; k < r->change.n; k++) {
		if (r->change.v[k].shared)
			x->base[k] = r->change.v[k].base_nano;
		else
			x->base[k] = base_of(s, i, r->change.v[k].workload);
		x->gain += x->base[k] - r->change.v[k].after.cost_nano;
	}
	spread_of(&s->cp->range, r, x->base, s->cp->mem, &x->spread);
	spread_limits(&s->cp->range, &x->spread, &r->p05_nano, &r->p95_nano);
	r->saving_nano = x->gain;
	r->risk = stage_risk(s->cp, s->c, x);
}

static double month_factor(const struct composer *cp)
{
	return cp->conf->month_hours * (double)MS_HOUR / (double)fleet_span_ms(cp->fleet);
}

/* Why it is left out for its risk or for what it saves; NULL: it is not. */
static const char *why_not_worth(const struct composer *cp, struct cand *x)
{
	if (cp->o->max_risk == RISK_LOW && x->r->tier != TIER_SURE)
		return arena_printf(cp->mem, "is to %s, and only what is Ready was asked for",
				    x->r->tier == TIER_TRIAL ? "try first" : "commit to");
	if (x->r->risk > cp->o->max_risk) {
		x->may_come = true;
		const struct rec *r = x->r;
		const struct rec_replay *p = &r->replay;
		const char *risk = arena_printf(cp->mem, "risk is %s", risk_name(r->risk));
		bool high = r->risk == RISK_HIGH;
		bool late = p->deadline_misses * 100 > p->jobs; /* as stage_risk() has it */
		char more[DEC_BUF];

		if (high && r->p05_nano < 0 && !late)
			return arena_printf(
				cp->mem,
				"%s: at the low end of its range (1 case in 20) it costs %s %s a month more",
				risk,
				dec_format_people(more,
						  nano_to_dec(llround((double)-r->p05_nano *
								      month_factor(cp))),
						  2),
				cp->fleet->currency);
		if (!high || !late)
			return risk;
		return arena_printf(cp->mem,
				    "%s: in replay %lld of %lld jobs end after their deadline",
				    risk, (long long)p->deadline_misses, (long long)p->jobs);
	}
	if (x->needed)
		return NULL;
	if (x->gain <= 0)
		return "saves nothing after what was chosen before";
	if ((double)x->gain * month_factor(cp) < (double)cp->o->min_saving_nano_month)
		return "saves less than the least that was asked for";
	return NULL;
}

/* ---- choosing ---------------------------------------------------------------------------- */

struct touch {
	uint32_t workload, cand;
};

static int by_workload(const void *pa, const void *pb)
{
	const struct touch *a = pa, *b = pb;

	if (a->workload != b->workload)
		return cmp_u64(a->workload, b->workload);
	return cmp_u64(a->cand, b->cand);
}

/* Two that change the same work exclude each other, unless one builds on the other. */
static void link_foes(struct stage *s)
{
	VEC(struct touch) t = { 0 };

	for (uint32_t i = 0; i < s->cand.n; i++)
		for (size_t k = 0; k < s->cand.v[i].r->change.n && !s->cand.v[i].why; k++)
			if (!s->cand.v[i].r->change.v[k].shared)
				*vec_push(&t) =
					(struct touch){ s->cand.v[i].r->change.v[k].workload, i };
	if (t.n)
		sort_items(t.v, t.n, sizeof *t.v, by_workload);
	for (size_t i = 0; i < t.n; i++)
		for (size_t j = i + 1; j < t.n && t.v[j].workload == t.v[i].workload; j++) {
			uint32_t a = t.v[i].cand, b = t.v[j].cand;
			bool known = false;
			for (size_t k = 0; k + 1 < s->edge.n && !known; k += 2)
				known = s->edge.v[k] == a && s->edge.v[k + 1] == b;
			if (a == b || known)
				continue;
			if (needs_item(s, a, b, 0) || needs_item(s, b, a, 0))
				continue;
			*vec_push(&s->edge) = a;
			*vec_push(&s->edge) = b;
		}
	vec_free(&t);
}

/* Nothing is taken only as a preparation for what is not taken, unless it is worth it. */
static void drop_idle_help(struct stage *s, bool *take)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < s->cand.n; i++) {
			struct cand *x = &s->cand.v[i];
			bool used = false;
			for (size_t k = 0; k + 1 < s->need.n; k += 2)
				used |= s->need.v[k + 1] == i && take[s->need.v[k]];
			if (!take[i] || used || !x->needed)
				continue;
			x->needed = false;
			x->r->risk = stage_risk(s->cp, s->c, x);
			x->why = why_not_worth(s->cp, x);
			if (x->why) {
				take[i] = false;
				changed = true;
			}
		}
	}
}

/* Why i is not taken, where it has no reason of its own: the one that keeps it out, else what it
 * needs. */
static void say_why(struct stage *s, uint32_t i, const bool *take)
{
	struct cand *x = &s->cand.v[i];

	for (size_t k = 0; k + 1 < s->edge.n && !x->why; k += 2) {
		uint32_t a = s->edge.v[k], b = s->edge.v[k + 1];
		uint32_t foe = UINT32_MAX;
		if (a == i)
			foe = b;
		else if (b == i)
			foe = a;
		if (foe != UINT32_MAX && take[foe])
			x->why = arena_printf(
				s->cp->mem, "'%s' changes the same work and saves more in the end",
				s->cand.v[foe].r->id);
	}
	if (!x->why) {
		if (x->gain <= 0)
			x->why = "saves nothing by itself, and what needs it is not taken";
		else
			x->why = "is worth less than what it needs";
	}
}

/* Those taken are contested where they keep out a proposal of another lever. */
static void contest_items(struct stage *s, const bool *take)
{
	for (uint32_t i = 0; i < s->cand.n; i++) {
		bool rival = false;
		for (size_t k = 0; k + 1 < s->edge.n; k += 2) {
			uint32_t a = s->edge.v[k], b = s->edge.v[k + 1];
			uint32_t foe;
			if (a == i)
				foe = b;
			else if (b == i)
				foe = a;
			else
				foe = i;
			/* of one lever's own proposals the best were chosen */
			rival |= foe != i && !take[foe] &&
				 s->cand.v[foe].lever != s->cand.v[i].lever;
		}
		if (take[i] && rival)
			*vec_push(&s->c->contested) = s->cand.v[i].r->id;
	}
}

void comp_apply(struct comp *c, const struct composer *cp, struct rec *r, const struct spread *s)
{
	int64_t before = c->cost_nano;

	for (size_t i = 0; i < r->change.n; i++) {
		const struct rec_change *x = &r->change.v[i];
		struct use *u = &c->use[x->workload];
		uint32_t bits = u->levers | x->after.levers;
		int64_t cost = x->after.cost_nano;
		if (x->shared)
			cost = u->cost_nano + x->after.cost_nano - x->base_nano;
		c->cost_nano += cost - u->cost_nano;
		*u = x->after;
		u->cost_nano = cost;
		u->levers = bits;
		u->tier = max_int(r->tier, u->tier);
	}
	c->fee_nano += r->fee_nano;
	c->cost_nano += r->fee_nano;
	*vec_push(&c->taken.v) = r;
	*vec_push(&c->saving) = before - c->cost_nano;
	*vec_push(&c->spread) = *s;
}

/* Is candidate a to come before b? The larger saving, then the id. */
static bool comes_before(const struct cand *a, const struct cand *b)
{
	if (a->gain != b->gain)
		return a->gain > b->gain;
	return strcmp(a->r->id, b->r->id) < 0;
}

/* What is needed first, then in order of saving. Leaves take all false. */
static void apply_all(struct stage *s, bool *take)
{
	uint32_t *open = xcalloc(s->cand.n + 1, sizeof *open); /* needs not applied yet */

	for (size_t k = 0; k + 1 < s->need.n; k += 2)
		open[s->need.v[k]] += take[s->need.v[k + 1]];
	for (;;) {
		size_t best = SIZE_MAX;
		for (uint32_t i = 0; i < s->cand.n; i++)
			if (take[i] && !open[i] &&
			    (best == SIZE_MAX || comes_before(&s->cand.v[i], &s->cand.v[best])))
				best = i;
		if (best == SIZE_MAX)
			break;
		comp_apply(s->c, s->cp, s->cand.v[best].r, &s->cand.v[best].spread);
		take[best] = false;
		for (size_t k = 0; k + 1 < s->need.n; k += 2)
			open[s->need.v[k]] -= s->need.v[k + 1] == best;
	}
	free(open);
}

/* Machines of one kind at one place: a commitment covers them whoever runs there. */
static bool same_kind(const struct workload *a, const struct workload *b)
{
	if (strcmp(a->provider, b->provider) || strcmp(a->region, b->region))
		return false;
	return !strcmp(a->instance_type, b->instance_type) && !strcmp(a->gpu_model, b->gpu_model);
}

/* Did t, by changing its workloads, leave fewer of the machines that r commits to? */
static bool shrinks_commitment(const struct fleet *f, const struct rec *t, const struct rec *r)
{
	for (size_t i = 0; i < t->change.n; i++)
		for (size_t k = 0; k < r->change.n; k++)
			if (same_kind(&f->workload.v[t->change.v[i].workload],
				      &f->workload.v[r->change.v[k].workload]))
				return true;
	return false;
}

/* A commitment is sized for what the others leave: it needs every one that made its workloads
 * smaller, or it would pay for a year what they give back. */
static void need_what_shrinks(const struct stage *s, struct rec *r)
{
	for (size_t i = 0; i < s->c->taken.v.n; i++) {
		const struct rec *t = s->c->taken.v.v[i];
		bool known = !shrinks_commitment(s->cp->fleet, t, r);
		for (size_t k = 0; k < r->depends_on.n && !known; k++)
			known = !strcmp(r->depends_on.v[k], t->id);
		if (!known)
			*vec_push(&r->depends_on) = t->id;
	}
}

/* A proposal that was refused for its risk or work would leave fewer of the machines that r commits
 * to: whoever takes it up later has then paid for too many. No low risk. Said once, however often
 * the step is composed again. */
static void warn_of_refused(const struct stage *s, struct rec *r)
{
	struct lever_in in = { .mem = s->cp->mem };

	for (size_t i = 0; i < s->c->refused.v.n; i++) {
		const struct rec *t = s->c->refused.v.v[i];
		if (!s->c->may_come.v[i] || !shrinks_commitment(s->cp->fleet, t, r))
			continue;
		r->risk = max_int(r->risk, RISK_MEDIUM);

		const char *warning = arena_printf(
			s->cp->mem,
			"'%s' is not in this plan and would leave fewer of these machines: commit after it, or to less.",
			t->id);
		if (!stage_listed(warning, r->risk_text.v, r->risk_text.n))
			rec_risk(&in, r, "%s", warning);
	}
}

/* Its own reasons first; then may it be taken at all? */
static void add_candidate(struct stage *s, struct rec *r, int lever, const char *const *ban,
			  size_t nban)
{
	struct cand x = { .r = r, .lever = lever };

	if (lever == LEVER_COMMIT) {
		need_what_shrinks(s, r);
		warn_of_refused(s, r);
	}
	/* what a trial decides is not in force before that has ended */
	if (r->tier == TIER_TRIAL && !r->prepares)
		r->within_days = fmax(r->within_days,
				      ceil(plan_trial_days(s->cp->fleet, s->cp->conf, r)));
	if (stage_listed(r->id, ban, nban))
		x.why = "another choice on the same work saves more in the end";
	else
		x.why = stage_why_not(s->cp, s->c, &x);
	if (r->prepares && !x.why && r->risk <= s->cp->o->max_risk) {
		/* A step that only prepares stands in the list before what it prepares, with
		 * nothing saved. */
		struct spread none;

		spread_of(&s->cp->range, r, NULL, s->cp->mem, &none);
		comp_apply(s->c, s->cp, r, &none);
	} else
		*vec_push(&s->cand) = x;
}

/* Machines that another recommendation gives back: what leaves them saves because of that one, and
 * is no better than it. */
static void need_what_releases(const struct comp *c, struct rec *r)
{
	for (size_t i = 0; i < c->taken.v.n; i++) {
		const struct rec *t = c->taken.v.v[i];
		bool needed = false;
		if (lever_index(t->lever) != LEVER_STOP_IDLE)
			continue;
		for (size_t k = 0; k < t->change.n && !needed; k++)
			for (size_t m = 0; t->change.v[k].after.released && m < r->change.n; m++)
				needed |= r->change.v[m].shared &&
					  r->change.v[m].workload == t->change.v[k].workload;
		for (size_t k = 0; k < r->depends_on.n && needed; k++)
			needed = strcmp(r->depends_on.v[k], t->id) != 0;
		if (!needed)
			continue;
		*vec_push(&r->depends_on) = t->id;
		rec_tier(r, t->tier);
	}
}

/* What a lever said of an earlier state holds no more when it is asked again. */
static void forget_notes(struct comp *c, int lever)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->note.n; i++) {
		if (c->noted_by.v[i] == lever)
			continue;
		c->note.v[kept] = c->note.v[i];
		c->noted_by.v[kept++] = c->noted_by.v[i];
	}
	c->note.n = c->noted_by.n = kept;
}

static int collect_items(struct stage *s, int step, const char *const *ban, size_t nban)
{
	enum tier tier = STEP_TIER(step);

	for (int l = 0; l < LEVER_N; l++) {
		struct rec_list *p = &s->c->proposed[tier][l];
		int r = 0;
		if (!lever_is_in(s->cp, l, STEP_STAGE(step)))
			continue;
		if (!s->c->asked[tier][l]) {
			forget_notes(s->c, l);
			r = lever_ask(s->cp, l, s->c->use, &s->c->note, NULL, p);
			while (s->c->noted_by.n < s->c->note.n)
				*vec_push(&s->c->noted_by) = l;
		}
		if (r < 0)
			return r;
		for (size_t i = 0; !s->c->asked[tier][l] && i < p->v.n; i++)
			need_what_releases(s->c, p->v.v[i]);
		s->c->asked[tier][l] = true;
		for (size_t i = 0; i < p->v.n; i++)
			if (!p->v.v[i]->advice && p->v.v[i]->tier == tier &&
			    !is_taken(s->c, p->v.v[i]->id))
				add_candidate(s, p->v.v[i], l, ban, nban);
	}
	return 0;
}

/* Who needs whom, of those that are candidates of this stage. */
static void link_needs(struct stage *s)
{
	for (uint32_t i = 0; i < s->cand.n; i++)
		for (size_t k = 0; k < s->cand.v[i].r->depends_on.n; k++) {
			size_t j = find_cand(s, s->cand.v[i].r->depends_on.v[k]);
			if (j == SIZE_MAX || j == i)
				continue;
			*vec_push(&s->need) = i;
			*vec_push(&s->need) = (uint32_t)j;
			s->cand.v[j].needed = true;
		}
}

/* The set of the candidates that saves most: ret_take [cand.n]. */
static int choose_best(struct stage *s, bool *ret_take)
{
	int64_t *weight = xcalloc(s->cand.n + 1, sizeof *weight);
	/* Two levers of a stage that exclude each other meet on a workload only by both changing
	 * it: an edge already. */
	struct select_in in = { .n = s->cand.n,
				.weight = weight,
				.nedge = s->edge.n / 2,
				.nneed = s->need.n / 2,
				.edge = (const uint32_t(*)[2])(const void *)s->edge.v,
				.need = (const uint32_t(*)[2])(const void *)s->need.v };
	struct select_out out;

	for (size_t i = 0; i < s->cand.n; i++)
		/* what needs it has a why too: never taken */
		weight[i] = s->cand.v[i].why ? -1 : s->cand.v[i].gain;
	int r = select_best(&in, ret_take, &out, s->cp->err);
	if (r >= 0)
		s->c->slack_nano += out.bound - out.value;
	free(weight);
	return r;
}

int stage_run(struct composer *cp, struct comp *c, int step, const char *const *ban, size_t nban)
{
	struct stage s = { .cp = cp, .c = c };
	bool *take = NULL;
	int r = collect_items(&s, step, ban, nban);

	if (r >= 0) {
		take = xcalloc(s.cand.n + 1, sizeof *take);
		link_needs(&s);
		for (uint32_t i = 0; i < s.cand.n; i++) {
			weigh_item(&s, i);
			if (!s.cand.v[i].why)
				s.cand.v[i].why = why_not_worth(cp, &s.cand.v[i]);
		}
		drop_helpless(&s);
		link_foes(&s);
		r = choose_best(&s, take);
	}
	if (r >= 0) {
		drop_idle_help(&s, take);
		contest_items(&s, take);
		for (uint32_t i = 0; i < s.cand.n; i++)
			if (!take[i]) {
				say_why(&s, i, take);
				*vec_push(&c->refused.v) = s.cand.v[i].r;
				*vec_push(&c->why) = s.cand.v[i].why;
				*vec_push(&c->may_come) = s.cand.v[i].may_come;
			}
		apply_all(&s, take);
	}
	free(take);
	vec_free(&s.cand);
	vec_free(&s.edge);
	vec_free(&s.need);
	return r;
}

void comp_free(struct comp *c)
{
	free(c->use);
	vec_free(&c->taken.v);
	vec_free(&c->saving);
	vec_free(&c->spread);
	vec_free(&c->refused.v);
	vec_free(&c->why);
	vec_free(&c->may_come);
	vec_free(&c->note);
	vec_free(&c->noted_by);
	vec_free(&c->contested);
	for (int t = 0; t < TIER_N; t++)
		for (int l = 0; l < LEVER_N; l++)
			vec_free(&c->proposed[t][l].v);
	*c = (struct comp){ 0 };
}
