/*
 * See target.h. Savings depend on what else is done, so a subset is judged by the marginal savings
 * of the full list, draw by draw, which the subset's own can only exceed where recommendations take
 * from each other; the set found is composed again and, should it fall short, looked for again with
 * that much more.
 */
#include "plan/replay/target.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/num.h"
#include "plan/replay/calendar.h"
#include "plan/replay/compose.h"

#define EXACT_MAX 20   /* 2^20 subsets: a second */
#define ROUNDS    4    /* of looking again after falling short */
#define MET       0.95 /* of the draws in which the target is met */
#define MARGIN    1e-6 /* of the part asked for, when looking again */

struct pick {
	uint32_t set;
	int binds, trials, high, medium, items;
	int64_t bound;
	double effort;
	double met;   /* of the draws, in which the target is met */
	double saved; /* in the mean of the draws */
	bool any;
};
struct list {
	const struct plan *p;
	struct calendar when; /* in the order of the plan, at most EXACT_MAX */
	double *sum;          /* [draws] what the set saves: kept up as items come and go */
	double want_frac, within_days;
};

/* ---- which ------------------------------------------------------------------------------- */

static bool is_reached(const struct pick *p)
{
	return p->met >= MET - 1e-9;
}

/* Less than 0: a is easier to sign than b, whatever they save. */
static double compare_risk(const struct pick *a, const struct pick *b)
{
	if (a->binds != b->binds)
		return a->binds - b->binds;
	if (a->trials != b->trials)
		return a->trials - b->trials;
	if (a->high != b->high)
		return a->high - b->high;
	if (a->medium != b->medium)
		return a->medium - b->medium;
	if (a->items != b->items)
		return a->items - b->items;
	if (a->bound != b->bound)
		return cmp_i64(a->bound, b->bound);
	return a->effort - b->effort;
}

/* The target first, then what is easier to sign, then the saving; where the target is not met, the
 * larger chance to meet it, then the saving. */
static bool is_better(const struct pick *a, const struct pick *b)
{
	bool ra = is_reached(a), rb = is_reached(b);
	double by = compare_risk(a, b);

	if (!b->any || ra != rb)
		return !b->any || ra;
	if (!ra && a->met != b->met)
		return a->met > b->met;
	if (ra && by != 0)
		return by < 0;
	if (a->saved != b->saved)
		return a->saved > b->saved;
	return by < 0;
}

static bool fits_time(const struct list *l, uint32_t set)
{
	double start[EXACT_MAX], done[EXACT_MAX];
	bool in[EXACT_MAX] = { false };

	for (size_t i = 0; i < l->when.n; i++)
		in[i] = set >> i & 1;
	for (size_t i = 0; i < l->when.n; i++)
		for (size_t k = 0; k < l->when.v[i].nneed && in[i]; k++)
			if (!in[l->when.v[i].need[k]])
				return false;
	return calendar_lay(&l->when, in, start, done) <= l->within_days + 1e-9;
}

/* In the order of the Gray code: one item comes or goes at a time. */
static struct pick search_all(const struct list *l)
{
	struct pick best = { 0 };
	uint32_t set = 0;

	for (int k = 0; k < l->p->draws.n; k++)
		l->sum[k] = 0;
	for (uint32_t i = 0; i < 1u << l->when.n; i++) {
		if (i) {
			size_t item = (size_t)__builtin_ctz(i);
			set ^= 1u << item;

			bool in = set >> item & 1;
			const struct plan_draws *d = &l->p->draws;
			const double *v = d->saved + item * (size_t)d->n;

			for (int k = 0; k < d->n; k++)
				l->sum[k] += in ? v[k] : -v[k];
		}
		struct pick p = { .set = set, .any = true };

		for (size_t k = 0; k < l->when.n; k++) {
			const struct rec *r = l->p->rec.v.v[k];
			if (!(set >> k & 1))
				continue;
			p.binds += r->tier == TIER_BINDS;
			p.trials += r->tier == TIER_TRIAL;
			p.high += r->risk == RISK_HIGH;
			p.medium += r->risk == RISK_MEDIUM;
			p.items++;
			p.bound += r->bound_nano;
			p.effort += r->effort_days;
		}
		if (best.any && is_reached(&best) && compare_risk(&p, &best) > 0)
			continue;

		const struct plan_draws *d = &l->p->draws;
		int met = 0;

		for (int k = 0; k < d->n; k++) {
			met += l->sum[k] >= l->want_frac * d->before[k];
			p.saved += l->sum[k] / d->n;
		}
		p.met = d->n ? (double)met / d->n : 0;
		if (is_better(&p, &best) && fits_time(l, set))
			best = p;
	}
	return best;
}

/* ---- lists ------------------------------------------------------------------------------- */

/* Too many to try all: the ones that save least are left out of the search, with what needs
 * them. */
static size_t thin_out(const struct plan *p, const char **id, size_t max)
{
	size_t n = p->rec.v.n;
	bool *in = xcalloc(n + 1, sizeof *in);
	size_t kept = n, out = 0;

	for (size_t i = 0; i < n; i++)
		in[i] = true;
	while (kept > max) {
		size_t least = SIZE_MAX;
		for (size_t i = 0; i < n; i++) {
			bool needed = false;
			for (size_t k = 0; k < n && in[i]; k++)
				for (size_t d = 0; in[k] && d < p->rec.v.v[k]->depends_on.n; d++)
					needed |= !strcmp(p->rec.v.v[k]->depends_on.v[d],
							  p->rec.v.v[i]->id);
			if (in[i] && !needed &&
			    (least == SIZE_MAX ||
			     p->rec.v.v[i]->saving_nano < p->rec.v.v[least]->saving_nano))
				least = i;
		}
		if (least == SIZE_MAX)
			break;
		in[least] = false;
		kept--;
	}
	for (size_t i = 0; i < n; i++)
		if (in[i])
			id[out++] = p->rec.v.v[i]->id;
	free(in);
	return out;
}

/* ---- composing --------------------------------------------------------------------------- */

struct target_ask {
	const struct plan_in *in;
	double full_frac; /* that all of it saves, within the limits */
	struct arena ids;
	struct err *err;
};

/* Only these; none at all where n is 0. */
static int compose_only(struct target_ask *a, const char *const *id, size_t n, struct plan *ret)
{
	static const char *const nobody[] = { "" };
	struct plan_opt o = *a->in->opt;
	struct plan_in in = *a->in;

	in.opt = &o;
	o.only = n ? id : nobody;
	o.nonly = n ? n : 1;
	o.why_only = "not in the set that was chosen for the target";
	o.min_saving_nano_month = 0; /* they were above it in the full list */
	return plan_make(&in, ret, a->err);
}

/* The best set among the recommendations of `full` (at most EXACT_MAX), composed; *reached. */
static int choose_set(struct target_ask *a, const struct plan *full, double want, struct plan *ret,
		      bool *reached)
{
	struct list l;
	int r = 0;

	l = (struct list){ .p = full, .want_frac = want, .within_days = a->in->within_days };
	calendar_read(full, &l.when);
	l.sum = xcalloc((size_t)full->draws.n + 1, sizeof *l.sum);
	*reached = false;
	for (int round = 0; round < ROUNDS; round++) {
		const char *id[EXACT_MAX];
		struct pick p = search_all(&l);
		size_t n = 0;

		for (size_t i = 0; i < full->rec.v.n; i++)
			if (p.set >> i & 1)
				id[n++] = arena_printf(&a->ids, "%s", full->rec.v.v[i]->id);
		if (round)
			plan_free(ret);
		r = compose_only(a, id, n, ret);
		if (r < 0)
			break;
		*reached = ret->saving_frac_p05 >= want - 1e-9;
		if (*reached || !is_reached(&p))
			break;
		l.want_frac += fmax(MARGIN, want - ret->saving_frac_p05);
	}
	calendar_free(&l.when);
	free(l.sum);
	return r;
}

static int look_for_target(struct target_ask *a, double target_frac, struct plan *ret_plan,
			   struct target *ret)
{
	struct plan full, thin = { 0 };
	const char *id[EXACT_MAX];
	int r = plan_make(a->in, &full, a->err);

	if (r < 0)
		return r;
	if (full.undecidable) {
		*ret_plan = full;
		return 0;
	}
	a->full_frac = full.saving_frac;
	ret->exact = full.rec.v.n <= EXACT_MAX;
	if (!ret->exact) {
		size_t n = thin_out(&full, id, EXACT_MAX);
		r = compose_only(a, id, n, &thin);
	}
	if (r >= 0)
		r = choose_set(a, ret->exact ? &full : &thin, target_frac, ret_plan, &ret->reached);
	plan_free(&thin);
	plan_free(&full);
	return r;
}

/* With all the time there is, for the sentence that says how far it gets. */
static int find_most(struct target_ask *a, struct target *ret)
{
	struct plan_in in = *a->in;
	struct plan p;
	int r;

	in.within_days = 0;
	r = plan_make(&in, &p, a->err);
	if (r < 0)
		return r;
	ret->most_frac = p.saving_frac;
	struct plan_date *step = xcalloc(p.rec.v.n + 1, sizeof *step);
	plan_calendar(&p, step);
	for (size_t i = 0; i < p.rec.v.n; i++)
		ret->soonest_day = fmin(ret->soonest_day, step[i].done_day); /* of NAN the other */
	free(step);
	plan_free(&p);
	return 0;
}

static bool is_asked(const struct plan_opt *o, enum target_limit l)
{
	switch (l) {
	case LIMIT_RISK: return o->max_risk < RISK_HIGH;
	case LIMIT_EFFORT: return isfinite(o->max_effort_days);
	case LIMIT_LEVERS: return o->levers != 0;
	case LIMIT_LEAST_SAVING: return o->min_saving_nano_month > 0;
	case LIMIT_N: break;
	}
	return false;
}

static void lift_limit(struct plan_opt *o, enum target_limit l)
{
	switch (l) {
	case LIMIT_RISK: o->max_risk = RISK_HIGH; break;
	case LIMIT_EFFORT: o->max_effort_days = INFINITY; break;
	case LIMIT_LEVERS: o->levers = 0; break;
	case LIMIT_LEAST_SAVING: o->min_saving_nano_month = 0; break;
	case LIMIT_N: break;
	}
}

/* What more is saved in time without a limit; LIMIT_N: without all of them. */
static int find_without(struct target_ask *a, enum target_limit limit, double *ret_adds_frac)
{
	struct plan_opt o = *a->in->opt;
	struct plan_in in = *a->in;
	struct plan p;
	int r;

	in.opt = &o;
	for (enum target_limit l = 0; l < LIMIT_N; l++)
		if (limit == l || limit == LIMIT_N)
			lift_limit(&o, l);
	r = plan_make(&in, &p, a->err);
	if (r < 0)
		return r;
	*ret_adds_frac = fmax(0, p.saving_frac - a->full_frac);
	plan_free(&p);
	return 0;
}

/* Each alone; together only where none of them alone holds anything back. */
static int ask_limits(struct target_ask *a, struct target *ret)
{
	double most_frac = 0;
	size_t asked = 0;
	int r = 0;

	for (enum target_limit l = 0; l < LIMIT_N && r >= 0; l++) {
		if (!is_asked(a->in->opt, l))
			continue;
		asked++;
		r = find_without(a, l, &ret->adds_frac[l]);
		most_frac = fmax(most_frac, ret->adds_frac[l]);
	}
	ret->all_add_frac = most_frac;
	if (r >= 0 && asked > 1 && most_frac < TARGET_ADDS_FRAC)
		r = find_without(a, LIMIT_N, &ret->all_add_frac);
	return r;
}

int plan_target(const struct plan_in *in, double target_frac, struct plan *ret_plan,
		struct target *ret, struct err *err)
{
	struct target_ask a = { .in = in, .full_frac = NAN, .err = err };
	double within_days = in->within_days;
	int r;

	*ret = (struct target){ .soonest_day = NAN };
	*ret_plan = (struct plan){ 0 };
	if (!(target_frac > 0 && target_frac <= 1) || !(within_days > 0))
		return err_set(err, -EINVAL,
			       "a target is a share above 0 and up to 1, within some days");
	r = look_for_target(&a, target_frac, ret_plan, ret);
	if (r >= 0 && !ret_plan->undecidable) {
		ret->saved_frac = ret->most_frac = ret_plan->saving_frac;
		ret->chance = plan_chance(ret_plan, target_frac);
		if (!ret->reached)
			r = find_most(&a, ret);
		if (r >= 0 && !ret->reached)
			r = ask_limits(&a, ret);

		size_t n = ret_plan->rec.v.n;

		ret->step = xcalloc(n + 1, sizeof *ret->step);
		ret->nstep = n;
		plan_calendar(ret_plan, ret->step);
		for (size_t i = 0; i < n; i++)
			ret->last_day = fmax(ret->last_day, ret->step[i].done_day);
		const char *more = "more time saves no more", *limits = "";
		if (ret->most_frac > ret->saved_frac + TARGET_ADDS_FRAC)
			more = arena_printf(&ret_plan->mem, "with more time it is %.1f %%",
					    100 * ret->most_frac);
		if (ret->all_add_frac >= TARGET_ADDS_FRAC)
			limits = arena_printf(&ret_plan->mem,
					      ", without the other limits %.1f %% more in time",
					      100 * ret->all_add_frac);
		if (!ret->reached)
			*vec_push(&ret_plan->note) = arena_printf(
				&ret_plan->mem,
				"%.0f %% is out of reach within %.3g day%s: what comes nearest saves %.1f %% and meets it with a probability of %.0f %%; %s%s",
				100 * target_frac, within_days, within_days == 1 ? "" : "s",
				100 * ret->saved_frac, 100 * ret->chance, more, limits);
	}
	arena_free(&a.ids);
	if (r < 0) {
		plan_free(ret_plan);
		target_free(ret);
	}
	return r;
}

void target_free(struct target *t)
{
	free(t->step);
}
