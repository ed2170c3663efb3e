/*
 * The best set of recommendations.
 *
 *   minimise   cost(U_n) = sum_w cost(use of w) + fees
 *   where      U_0 = history, U_s = U_{s-1} with the changes of the recommendations taken in stage
 *              s
 *   and        those of a stage are proposed from U_{s-1}, exclude each other where they change the
 *              same work, and levers exclude levers
 *
 * saving_i = cost before i - cost after i telescopes: the sum is cost(U_0) - cost(U_n), exactly, in
 * nano. In a stage the best set is an independent set of largest weight (opt/select.h). What is
 * best in a stage need not be best in the end (a shared GPU cannot be swapped for a cheaper one
 * later), so every choice that keeps another out is also tried the other way, all later stages
 * included: a tree over these choices, exact while it has at most MAX_COMPS leaves and inner nodes
 * together. Beyond that, each choice is turned around alone, kept if better, until none is; then
 * the bound of relaxed_bound() is told.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "plan/replay/compose.h"
#include "plan/replay/execute.h"
#include "plan/levers.h"
#include "plan/stage_in.h"

#define MAX_COMPS 128 /* 7 open choices, all ways */
#define MAX_STEPS 64

struct ids {
	const char *v[MAX_COMPS];
	size_t n;
};
struct hunt {
	struct composer *cp;
	int step[MAX_STEPS], nstep;
	struct comp best;
	bool have;
	int comps;     /* composed so far */
	bool cut;      /* some way was not tried */
	int way, ways; /* to whoever watches: composed in this round, of about so many */
};

/* To whoever watches: what is being worked at. */
static void tell_progress(const struct composer *cp, const char *what, const char *unit,
			  int64_t done, int64_t of)
{
	const struct plan_watch *w = &cp->o->watch;

	if (w->told)
		w->told(w->ctx, what, unit, done, of);
}

static bool has_id(const struct ids *l, const char *id)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i], id))
			return true;
	return false;
}

/* ---- one composition --------------------------------------------------------------------- */

static int step_of(const struct composer *cp, const struct rec *r)
{
	return STEP(r->tier, cp->table[lever_index(r->lever)].stage);
}

/* What a composition has in common with its parent: all before the step, and the proposals of the
 * step itself. */
static void comp_inherit(const struct composer *cp, const struct comp *from, int step,
			 struct comp *c)
{
	for (size_t i = 0; i < from->taken.v.n && step_of(cp, from->taken.v.v[i]) < step; i++)
		comp_apply(c, cp, from->taken.v.v[i], &from->spread.v[i]);
	for (size_t i = 0; i < from->refused.v.n; i++)
		if (step_of(cp, from->refused.v.v[i]) < step) {
			*vec_push(&c->refused.v) = from->refused.v.v[i];
			*vec_push(&c->why) = from->why.v[i];
			*vec_push(&c->may_come) = from->may_come.v[i];
		}
	for (size_t i = 0; i < from->contested.n; i++)
		for (size_t k = 0; k < c->taken.v.n; k++)
			if (!strcmp(c->taken.v.v[k]->id, from->contested.v[i]))
				*vec_push(&c->contested) = from->contested.v[i];
	for (int t = 0; t < TIER_N; t++)
		for (int l = 0; l < LEVER_N; l++) {
			if (STEP(t, cp->table[l].stage) > step)
				continue;
			c->asked[t][l] = from->asked[t][l];
			for (size_t i = 0; i < from->proposed[t][l].v.n; i++)
				*vec_push(&c->proposed[t][l].v) = from->proposed[t][l].v.v[i];
		}
	for (size_t i = 0; i < from->note.n; i++)
		*vec_push(&c->note) = from->note.v[i];
	for (size_t i = 0; i < from->noted_by.n; i++)
		*vec_push(&c->noted_by) = from->noted_by.v[i];
}

/* Does a lever that excludes this one, or the other way round, want one of the marked works? As
 * seen from the history. */
static bool is_wanted(const struct composer *cp, int lever, const bool *mark)
{
	for (size_t i = 0; i < cp->alone.v.n; i++) {
		const struct rec *x = cp->alone.v.v[i];
		int xl = lever_index(x->lever);
		bool off = x->packs && lever == LEVER_SCHEDULE;
		if (!off && !(cp->table[lever].excludes & LEVER_BIT(xl)) &&
		    !(cp->table[xl].excludes & LEVER_BIT(lever)))
			continue;
		for (size_t a = 0; a < x->change.n; a++)
			if (mark[x->change.v[a].workload])
				return true;
	}
	return false;
}

static int compose_step(struct hunt *h, const struct comp *parent, int from_step,
			const struct ids *ban, struct comp *c)
{
	int r = 0;

	size_t n = h->cp->fleet->workload.n;

	*c = (struct comp){ 0 };
	c->use = xmalloc((n + 1) * sizeof *c->use);
	memcpy(c->use, h->cp->start, n * sizeof *c->use);
	for (size_t i = 0; i < n; i++)
		c->cost_nano += c->use[i].cost_nano;
	if (parent)
		comp_inherit(h->cp, parent, from_step, c);
	for (int s = 0; s < h->nstep && r >= 0; s++)
		if (h->step[s] >= from_step) {
			tell_progress(h->cp, "plan: what goes with what", "steps",
				      (int64_t)h->way * h->nstep + s, (int64_t)h->ways * h->nstep);
			r = stage_run(h->cp, c, h->step[s], ban->v, ban->n);
		}
	if (r >= 0) {
		bool *mark = xcalloc(h->cp->fleet->workload.n + 1, sizeof *mark);

		for (size_t i = 0; i < c->taken.v.n; i++) {
			const struct rec *rec = c->taken.v.v[i];
			bool known = false;
			for (size_t k = 0; k < c->contested.n; k++)
				known |= !strcmp(c->contested.v[k], rec->id);
			for (size_t k = 0; k < rec->change.n; k++)
				mark[rec->change.v[k].workload] = true;
			if (!known && is_wanted(h->cp, lever_index(rec->lever), mark))
				*vec_push(&c->contested) = rec->id;
			for (size_t k = 0; k < rec->change.n; k++)
				mark[rec->change.v[k].workload] = false;
		}
		free(mark);
	}
	h->comps++;
	h->way++;
	return r;
}

/* ---- the hunt for the best set ----------------------------------------------------------- */

static int step_of_id(const struct composer *cp, const struct comp *c, const char *id)
{
	for (size_t i = 0; i < c->taken.v.n; i++)
		if (!strcmp(c->taken.v.v[i]->id, id))
			return step_of(cp, c->taken.v.v[i]);
	return 0;
}

/* Keep the cheaper one; where equal, the one with fewer choices turned around, which is offered
 * after those that turn more. */
static bool offer_comp(struct hunt *h, struct comp *c, bool if_equal)
{
	if (h->have &&
	    (c->cost_nano > h->best.cost_nano || (c->cost_nano == h->best.cost_nano && !if_equal)))
		return false;
	if (h->have)
		comp_free(&h->best);
	h->best = *c;
	h->have = true;
	return true;
}

/* All ways to decide the open choices of c, where `ban` is out and `keep` decided for. */
static int branch_choices(struct hunt *h, const struct comp *c, struct ids ban, struct ids keep)
{
	for (size_t i = 0; i < c->contested.n; i++) {
		const char *id = c->contested.v[i];
		struct comp other = { 0 };
		struct ids b = ban;
		int r;
		if (has_id(&keep, id))
			continue;
		if (h->comps >= MAX_COMPS || b.n == MAX_COMPS) {
			h->cut = true;
			return 0;
		}
		b.v[b.n++] = id;
		r = compose_step(h, c, step_of_id(h->cp, c, id), &b, &other);
		if (r >= 0)
			r = branch_choices(h, &other, b, keep);
		if (r < 0 || !offer_comp(h, &other, true))
			comp_free(&other);
		if (r < 0)
			return r;
		if (keep.n < MAX_COMPS)
			keep.v[keep.n++] = id;
	}
	return 0;
}

/* Turn one choice around at a time, keep what is better. */
static int descend_choices(struct hunt *h, struct ids *ban)
{
	for (bool better = true; better;) {
		better = false;
		for (size_t i = 0; i < h->best.contested.n && h->comps < 4 * MAX_COMPS &&
				   ban->n < MAX_COMPS && !better;
		     i++) {
			struct comp other = { 0 };
			const char *id = h->best.contested.v[i];
			int r;
			ban->v[ban->n++] = id;
			h->ways = h->way + (int)(h->best.contested.n - i);
			r = compose_step(h, &h->best, step_of_id(h->cp, &h->best, id), ban, &other);
			if (r >= 0)
				better = offer_comp(h, &other, false);
			if (!better) {
				comp_free(&other);
				ban->n--;
			}
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int hunt_best(struct hunt *h)
{
	static const struct ids none;
	struct ids ban = { 0 };
	struct comp first = { 0 };
	int r;

	h->way = 0;
	h->ways = 1;
	r = compose_step(h, NULL, INT32_MIN, &none, &first);
	if (r < 0) {
		comp_free(&first);
		return r;
	}
	if (first.contested.n > 7) { /* more than 2^7 ways */
		h->cut = true;
		offer_comp(h, &first, true);
		return descend_choices(h, &ban);
	}
	h->ways = h->way + (1 << first.contested.n) - 1;
	r = branch_choices(h, &first, none, none);
	if (r < 0 || !offer_comp(h, &first, true))
		comp_free(&first);
	return r;
}

/* ---- carried out as printed -------------------------------------------------------------- */

#define MAX_ROUNDS 64 /* each bars one at least */

/* Who is to blame for what became of a job: the last whose action is about it, else the last that
 * says it changes it. */
static const struct rec *find_blamed(const struct comp *c, uint32_t workload, const struct ran *ran)
{
	if (ran->by)
		return ran->by;
	for (size_t i = c->taken.v.n; i-- > 0;)
		for (size_t k = 0; k < c->taken.v.v[i]->change.n; k++)
			if (c->taken.v.v[i]->change.v[k].workload == workload)
				return c->taken.v.v[i];
	return NULL;
}

static int hunt_unharmed(struct hunt *h)
{
	int r = hunt_best(h);

	for (int round = 0; round < MAX_ROUNDS && r >= 0 && !h->cp->o->unexecuted; round++) {
		struct execution e;
		tell_progress(h->cp, "plan: replaying it on the history", "", 0, 0);
		execute(h->cp, &h->best, &e);

		/* Those whose actions harm a job are not proposed again; were there any? */
		struct composer *cp = h->cp;
		bool again = false;

		for (uint32_t i = 0; i < cp->fleet->workload.n; i++) {
			const struct ran *ran = &e.job[i];
			const struct rec *rec = NULL;
			if (ran->as > RAN_REQUEUED)
				rec = find_blamed(&h->best, i, ran);
			bool barred = false;
			for (size_t k = 0; rec && k < cp->barred.n; k++)
				barred |= !strcmp(cp->barred.v[k].id, rec->id);
			if (!rec || barred)
				continue;
			*vec_push(&cp->barred) = (struct barred){
				rec->id,
				ran->as == RAN_OTHERWISE
					? arena_printf(
						  cp->mem,
						  "its actions would not do to job %s what it says",
						  cp->fleet->workload.v[i].job)
					: arena_printf(cp->mem,
						       "carried out as printed, job %s would be %s",
						       cp->fleet->workload.v[i].job,
						       ran_name(ran->as))
			};
			again = true;
		}

		execution_free(&e);
		if (!again)
			break;
		comp_free(&h->best);
		h->have = h->cut = false;
		h->comps = 0;
		r = hunt_best(h);
	}
	return r;
}

/*
 * No set costs less, provided that the recommendations of another set do not save more beyond what
 * they save alone than those of the set found do. Then, of each work and stage at most the largest
 * saving proposed from the history is saved, and no work costs less than nothing; fees are left
 * out. The proviso is checked on the set found alone, as only its states were composed: it is no
 * proof.
 */
static int64_t relaxed_bound(const struct hunt *h)
{
	const struct composer *cp = h->cp;
	size_t n = cp->fleet->workload.n;
	int64_t *gain = xcalloc(n + 1, sizeof *gain), *top = xcalloc(n + 1, sizeof *top), bound = 0;

	for (int s = 0; s < h->nstep; s++) {
		for (size_t i = 0; i < n; i++)
			top[i] = 0;
		for (size_t i = 0; i < cp->alone.v.n; i++)
			for (size_t k = 0; step_of(cp, cp->alone.v.v[i]) == h->step[s] &&
					   k < cp->alone.v.v[i]->change.n;
			     k++) {
				const struct rec_change *c = &cp->alone.v.v[i]->change.v[k];
				int64_t g = cp->start[c->workload].cost_nano - c->after.cost_nano;
				top[c->workload] = max_i64(g, top[c->workload]);
			}
		for (size_t i = 0; i < n; i++)
			gain[i] += top[i];
	}
	for (size_t i = 0; i < n; i++) {
		int64_t cost = cp->start[i].cost_nano;
		if (!(cost > 0 && gain[i] > cost))
			bound += cost - gain[i];
	}
	free(gain);
	free(top);

	/* What the set that was found saves beyond what its recommendations save alone: so much
	 * more than supposed others may save as well. */
	int64_t beyond_alone = 0;

	for (size_t i = 0; i < h->best.taken.v.n; i++) {
		int64_t alone = plan_alone(h->cp, h->best.taken.v.v[i]->id),
			more = h->best.saving.v[i] - (alone == UNKNOWN_NANO ? 0 : alone);
		beyond_alone += max_i64(more, 0);
	}
	bound -= beyond_alone;

	return min_i64(bound, h->best.cost_nano);
}

/* ---- from and to the plan ---------------------------------------------------------------- */

static struct use *start_uses(const struct fleet *f)
{
	struct use *u = xcalloc(f->workload.n + 1, sizeof *u);

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		u[i] = (struct use){ .provider = w->provider,
				     .region = w->region,
				     .zone = w->zone,
				     .instance_type = w->instance_type,
				     .gpu_model = w->gpu_model,
				     .purchase = w->purchase,
				     .gpus_milli = w->gpus_milli,
				     .start_ms = w->start_ms,
				     .end_ms = w->end_ms,
				     .slowdown = 1,
				     .slowdown_hi = 1,
				     .limit_ms = w->limit_ms,
				     .cost_nano = w->cost_nano };
		if (u[i].start_ms == UNKNOWN_MS) /* lines, free time: the window */
			u[i].start_ms = f->since_ms;
		if (u[i].end_ms == UNKNOWN_MS)
			u[i].end_ms = f->until_ms;
	}
	return u;
}

/* Each lever from the history alone: what a recommendation is worth by itself, who wants whose
 * works, and the advice. */
static int ask_alone(struct composer *cp, struct plan *p)
{
	for (int l = 0; l < LEVER_N; l++) {
		struct rec_list out = { 0 };
		size_t said = cp->alone_note.n;
		int r = 0;
		tell_progress(cp, "plan: what each lever proposes", "levers", l, LEVER_N);
		if (lever_is_in(cp, l, cp->table[l].stage))
			r = lever_ask(cp, l, cp->start, &cp->alone_note, &cp->left[l], &out);
		cp->noted[l] = cp->alone_note.n > said;
		for (size_t i = 0; i < out.v.n && r >= 0; i++) {
			struct rec *x = out.v.v[i];
			x->alone_nano = -x->fee_nano;
			for (size_t k = 0; k < x->change.n; k++)
				x->alone_nano += cp->start[x->change.v[k].workload].cost_nano -
						 x->change.v[k].after.cost_nano;
			bool known = false;
			for (size_t k = 0; k < p->advice.v.n; k++)
				known |= !strcmp(p->advice.v.v[k]->id, x->id);
			if (!x->advice)
				*vec_push(&cp->alone.v) = x;
			else if (!known &&
				 !stage_listed(x->id, cp->o->dismissed, cp->o->ndismissed) &&
				 (!x->quality_risk || cp->o->quality_advice))
				*vec_push(&p->advice.v) = x;
		}
		vec_free(&out.v);
		if (r < 0)
			return r;
	}
	return 0;
}

/* What each kind of input says of the past by itself, whatever can be decided. */
static void ask_inputs(struct composer *cp, struct plan *p)
{
	struct rec_list out = { 0 };
	struct lever_in in = { .fleet = fleet_past(cp->fleet),
			       .use = cp->start,
			       .habits = &cp->habits,
			       .catalog = cp->catalog,
			       .conf = cp->conf,
			       .now_ms = cp->now_ms,
			       .mem = cp->mem,
			       .note = &p->note };

	if (cp->o->levers && !(cp->o->levers & LEVER_BIT(LEVER_ADVICE)))
		return;
	advice_told(&in, &out);
	for (size_t i = 0; i < out.v.n; i++) {
		*vec_push(&cp->made.v) = out.v.v[i];
		if (!stage_listed(out.v.v[i]->id, cp->o->dismissed, cp->o->ndismissed))
			*vec_push(&p->advice.v) = out.v.v[i];
	}
	vec_free(&out.v);
}

/* How the last weeks cost: by the hours of the works, evenly what has none. */
static void add_recent(struct plan *p, const struct fleet *f)
{
	int64_t span = RECENT_DAYS * MS_DAY, from = f->until_ms - span, sum = 0, rest = 0;

	if (f->until_ms - f->since_ms < 2 * span)
		return;
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		rest += w->cost_nano;
		for (size_t k = w->hour0; k < w->hour0 + w->nhour; k++) {
			rest -= f->hour.v[k].nano;
			if (f->hour.v[k].hour_ms >= from)
				sum += f->hour.v[k].nano;
		}
	}
	dec all = nano_to_dec(sum) + dec_muldiv(nano_to_dec(rest), span, f->until_ms - f->since_ms);
	p->recent_month = dec_muldiv(all, llround(p->month_hours * (double)MS_HOUR), span);
	p->has_recent = true;
}

static void start_plan(struct plan *p, const struct fleet *f, const struct plan_conf *conf)
{
	*p = (struct plan){ .fleet = f, .month_hours = conf->month_hours, .exact = true };
	if (f->until_ms > f->since_ms)
		p->window_hours = (double)fleet_span_ms(f) / (double)MS_HOUR;
	else
		p->window_hours = 0;
	for (size_t i = 0; i < f->workload.n; i++)
		p->baseline_nano += f->workload.v[i].cost_nano;
	p->after_nano = p->bound_nano = p->baseline_nano;
	p->baseline_month = p->after_month = p->after_month_p05 = p->after_month_p95 =
		p->replayed_month = plan_month(p, p->baseline_nano);
	add_recent(p, f);
	for (int t = 0; t < TIER_N; t++)
		p->tier[t].after_month = p->baseline_month;
	p->replay.p99_before_ms = p->replay.p99_after_ms = p->replay.lost_load_frac = NAN;
	p->replay.p99_of_limit = NAN;
}

static int by_pointer(const void *pa, const void *pb)
{
	const struct rec *const *a = pa, *const *b = pb;

	if (*a < *b)
		return -1;
	return *a > *b;
}

static void free_unkept(struct composer *cp, const struct plan *p)
{
	const struct rec_list *l[] = { &p->rec, &p->advice, &p->refused };
	struct rec_list kept = { 0 };

	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < l[k]->v.n; i++)
			*vec_push(&kept.v) = l[k]->v.v[i];
	if (kept.v.n)
		sort_items(kept.v.v, kept.v.n, sizeof *kept.v.v, by_pointer);
	for (size_t i = 0; i < cp->made.v.n; i++)
		if (!kept.v.n || !find_sorted(&cp->made.v.v[i], kept.v.v, kept.v.n,
					      sizeof *kept.v.v, by_pointer))
			rec_free(cp->made.v.v[i]);
	vec_free(&kept.v);
}

/* Did anybody say or read what the GPUs did? By a list of nodes alone all of them are free, which
 * nobody saw. */
static bool is_seen(const struct fleet *f)
{
	if (f->measured_ms <= 0 && !f->readings)
		return false;
	for (size_t i = 0; i < f->workload.n; i++)
		if (f->workload.v[i].ms > 0 && (f->workload.v[i].kind == WORKLOAD_JOB ||
						f->workload.v[i].kind == WORKLOAD_SERVICE ||
						f->workload.v[i].stats.covered_frac > 0))
			return true;
	return false;
}

static int finish_plan(struct hunt *h, struct plan *p)
{
	struct composer *cp = h->cp;

	p->exact = !h->cut && !h->best.slack_nano;
	plan_fill(cp, &h->best, p);
	p->bound_nano = p->exact ? p->after_nano : relaxed_bound(h);
	/* Steps that only prepare save nothing: a plan of them alone decides nothing about
	 * money. */
	bool saves = false;
	for (size_t i = 0; i < p->rec.v.n; i++)
		saves |= p->rec.v.v[i]->saving_nano != 0;
	if (!saves && !is_seen(cp->fleet) && cp->fleet->gpu_ms > 0) {
		p->undecidable = true;

		/* Why nothing can be proven: what of jobs and readings is not there. */
		const char *why_unseen =
			"nobody says who held the GPUs, nor what they did, and no saving can be proven without";
		if (cp->fleet->readings)
			why_unseen =
				"the readings name no GPU that the history knows: names of nodes and GPUs in both must agree ('tare help import', --as samples)";
		else if (cp->fleet->allocations)
			why_unseen =
				"no reading says what the GPUs did, and no saving can be proven without";

		plan_note_once(p, why_unseen);
	}
	tell_progress(cp, "plan: other prices, another load", "", 0, 0);
	plan_sensitivity(cp, &h->best, p);
	plan_fleet_after(cp, &h->best, p);
	tell_progress(cp, "plan: replaying all of it together", "", 0, 0);
	return plan_replay(cp, &h->best, p, cp->err);
}

int plan_make(const struct plan_in *in, struct plan *ret, struct err *err)
{
	const struct fleet *f = in->fleet;
	struct composer cp = { .table = in->table,
			       .fleet = f,
			       .catalog = in->catalog,
			       .conf = in->conf,
			       .o = in->opt,
			       .now_ms = in->now_ms,
			       .within_days = in->within_days > 0 ? in->within_days : INFINITY,
			       .mem = &ret->mem,
			       .err = err };
	struct hunt h = { .cp = &cp };
	int r;

	start_plan(ret, f, in->conf);
	cp.start = start_uses(f);
	/* Can anything be decided at all? The note says what is missing. */
	const char *why = NULL;
	if (!f->workload.n)
		why = "there is no history: import bills, nodes and jobs first ('tare help import')";
	else if (f->until_ms - f->since_ms < MS_DAY)
		why = "less than one day of history: nothing can be told from it; import more";
	else if (!f->cost_nano && f->gpu_ms > 0)
		why = "what is in the history costs nothing, so nothing can be saved: were prices of 0 meant?";
	if (why) {
		plan_note_once(ret, why);
		for (size_t i = 0; i < f->note.n; i++)
			plan_note_once(ret, f->note.v[i]);
		ret->undecidable = true;
		ask_inputs(&cp, ret);
		free_unkept(&cp, ret);
		free(cp.start);
		vec_free(&cp.made.v);
		return 0;
	}
	range_make(&cp.range, f, in->conf, in->opt->draws, in->opt->seed);
	habits_make(f, in->conf, cp.mem, &cp.habits);
	for (int l = 0; l < LEVER_N; l++) {
		int stage = h.cp->table[l].stage;
		for (int t = 0; t < TIER_N && lever_is_in(h.cp, l, stage); t++) {
			int step = STEP(t, stage);
			int at = 0;

			while (at < h.nstep && h.step[at] < step)
				at++;
			if (h.nstep == MAX_STEPS || (at < h.nstep && h.step[at] == step))
				continue;
			for (int i = h.nstep++; i > at; i--)
				h.step[i] = h.step[i - 1];
			h.step[at] = step;
		}
	}
	r = ask_alone(&cp, ret);
	ask_inputs(&cp, ret);
	if (r >= 0)
		r = hunt_unharmed(&h);
	if (r >= 0)
		r = finish_plan(&h, ret);
	free_unkept(&cp, ret);
	comp_free(&h.best);
	range_free(&cp.range);
	free(cp.start);
	habits_free(&cp.habits);
	vec_free(&cp.alone.v);
	vec_free(&cp.alone_note);
	plan_left_free(&cp);
	vec_free(&cp.made.v);
	vec_free(&cp.barred);
	if (r < 0)
		plan_free(ret);
	return r;
}
