/*
 * See target.h. Savings depend on what else is done, so a subset is judged by the marginal savings
 * of the full list, which the subset's own can only exceed where recommendations take from each
 * other; the set found is composed anew and, should it fall short, looked for again with that much
 * more.
 */
#include "plan/target.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "plan/compose.h"

#define EXACT_MAX 20 /* 2^20 subsets: some tenths of a second */
#define ROUNDS    4  /* of looking again after falling short */

struct item {
	int64_t saving;
	enum risk risk;
	double effort, within;
	uint64_t needs; /* bits of items */
	const char *team;
};
struct pick {
	uint32_t set;
	int high, medium;
	double effort;
	int64_t saving;
	bool any;
};
struct list {
	struct item *v;
	size_t n;
};

/* ---- time -------------------------------------------------------------------------------- */

/* Start and end of each item of the set; returns the last day. */
static double lay_out(const struct list *l, uint64_t set, double *start, double *done)
{
	double last = 0;

	for (size_t i = 0; i < l->n; i++) {
		double at = 0;
		if (!(set >> i & 1))
			continue;
		for (size_t k = 0; k < i; k++) {
			if (!(set >> k & 1))
				continue;
			if (!strcmp(l->v[k].team, l->v[i].team) && start[k] + l->v[k].effort > at)
				at = start[k] + l->v[k].effort;
			if (l->v[i].needs >> k & 1 && done[k] > at)
				at = done[k];
		}
		start[i] = at;
		done[i] = at + fmax(l->v[i].within, l->v[i].effort);
		last = fmax(last, done[i]);
	}
	return last;
}

/* ---- which ------------------------------------------------------------------------------- */

static struct pick weigh(const struct list *l, uint32_t set)
{
	struct pick p = { .set = set, .any = true };

	for (size_t i = 0; i < l->n; i++)
		if (set >> i & 1) {
			p.saving += l->v[i].saving;
			p.effort += l->v[i].effort;
			p.high += l->v[i].risk == RISK_HIGH;
			p.medium += l->v[i].risk == RISK_MEDIUM;
		}
	return p;
}

static bool is_closed(const struct list *l, uint32_t set)
{
	for (size_t i = 0; i < l->n; i++)
		if (set >> i & 1 && l->v[i].needs & ~(uint64_t)set)
			return false;
	return true;
}

/* Is a better than b: the target first, then risk, effort, saving. */
static bool is_better(const struct pick *a, const struct pick *b, int64_t want)
{
	bool ra = a->saving >= want, rb = b->saving >= want;

	if (!b->any || ra != rb)
		return !b->any || ra;
	if (!ra)
		return a->saving > b->saving;
	if (a->high != b->high)
		return a->high < b->high;
	if (a->medium != b->medium)
		return a->medium < b->medium;
	if (a->effort != b->effort)
		return a->effort < b->effort;
	return a->saving > b->saving;
}

static bool fits(const struct list *l, uint32_t set, double within_days)
{
	double start[32], done[32];

	return is_closed(l, set) && lay_out(l, set, start, done) <= within_days + 1e-9;
}

static struct pick search_all(const struct list *l, int64_t want, double within_days)
{
	struct pick best = { 0 };

	for (uint32_t set = 0; set < 1u << l->n; set++) {
		struct pick p = weigh(l, set);
		if (is_better(&p, &best, want) && fits(l, set, within_days))
			best = p;
	}
	return best;
}

/* ---- lists ------------------------------------------------------------------------------- */

static void read_items(const struct plan *p, struct list *l)
{
	l->n = p->rec.v.n;
	l->v = xcalloc(l->n + 1, sizeof *l->v);
	for (size_t i = 0; i < l->n; i++) {
		const struct rec *r = p->rec.v.v[i];
		l->v[i] = (struct item){ r->saving_nano, r->risk, r->effort_days,
					 r->within_days, 0,       r->team ? r->team : "" };
		for (size_t k = 0; k < r->depends_on.n; k++)
			for (size_t j = 0; j < i && j < 64; j++)
				if (!strcmp(p->rec.v.v[j]->id, r->depends_on.v[k]))
					l->v[i].needs |= 1ull << j;
	}
}

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
	const struct lever *table;
	const struct fleet *f;
	const struct catalog *cat;
	const struct plan_conf *conf;
	struct plan_opt o;
	int64_t now_ms;
	double within_days;
	struct arena ids;
	struct err *err;
};

/* Only these; none at all where n is 0. */
static int compose_only(struct target_ask *a, const char *const *id, size_t n, double within_days,
			struct plan *ret)
{
	static const char *const nobody[] = { "" };
	struct plan_opt o = a->o;

	o.only = n ? id : nobody;
	o.nonly = n ? n : 1;
	o.why_only = "not in the set that was chosen for the target";
	o.min_saving_nano_month = 0; /* they were above it in the full list */
	return plan_make_with(a->table, a->f, a->cat, a->conf, &o, within_days, a->now_ms, ret,
			      a->err);
}

static size_t ids_of(struct target_ask *a, const struct plan *p, uint32_t set, const char **id)
{
	size_t n = 0;

	for (size_t i = 0; i < p->rec.v.n; i++)
		if (set >> i & 1)
			id[n++] = arena_printf(&a->ids, "%s", p->rec.v.v[i]->id);
	return n;
}

static int64_t saved(const struct plan *p)
{
	return p->baseline_nano - p->after_nano;
}

/* The best set among the recommendations of `full` (at most EXACT_MAX), composed; *reached. */
static int choose(struct target_ask *a, const struct plan *full, int64_t want, struct plan *ret,
		  bool *reached)
{
	struct list l;
	int64_t extra = 0;
	int r = 0;

	read_items(full, &l);
	*reached = false;
	for (int round = 0; round < ROUNDS; round++) {
		const char *id[32];
		struct pick p = search_all(&l, want + extra, a->within_days);
		size_t n = ids_of(a, full, p.set, id);
		if (round)
			plan_free(ret);
		r = compose_only(a, id, n, a->within_days, ret);
		if (r < 0)
			break;
		*reached = saved(ret) >= want;
		if (*reached || p.saving < want + extra)
			break;
		extra += want - saved(ret);
	}
	free(l.v);
	return r;
}

static int by_start(const void *pa, const void *pb)
{
	const struct target_step *a = pa, *b = pb;

	if (a->start_day != b->start_day)
		return a->start_day < b->start_day ? -1 : 1;
	return a->rec < b->rec ? -1 : a->rec > b->rec;
}

static void lay_steps(const struct plan *p, struct target *t)
{
	struct list l;
	double start[64] = { 0 }, done[64] = { 0 };

	read_items(p, &l);
	l.n = l.n < 64 ? l.n : 64;
	t->last_day = lay_out(&l, UINT64_MAX, start, done);
	for (size_t i = 0; i < l.n; i++)
		*vec_push(&t->step) = (struct target_step){ i, start[i], done[i], l.v[i].team };
	if (t->step.n)
		qsort(t->step.v, t->step.n, sizeof *t->step.v, by_start);
	free(l.v);
}

static double frac(const struct plan *p, int64_t v)
{
	return p->baseline_nano > 0 ? (double)v / (double)p->baseline_nano : 0;
}

static void note_reach(struct plan *p, const struct target *t, double target_frac,
		       double within_days)
{
	if (t->reached)
		return;
	*vec_push(&p->note) = arena_printf(
		&p->mem,
		"%.0f %% is out of reach within %.0f days: %.1f %% can be in force by then; %.1f %% is the most that these limits of risk and effort "
		"allow at all",
		100 * target_frac, within_days, 100 * t->saved_frac, 100 * t->most_frac);
}

static int look(struct target_ask *a, double target_frac, struct plan *ret_plan, struct target *ret)
{
	struct plan full, thin = { 0 };
	const char *id[EXACT_MAX];
	int64_t want;
	int r = plan_make_with(a->table, a->f, a->cat, a->conf, &a->o, a->within_days, a->now_ms,
			       &full, a->err);

	if (r < 0)
		return r;
	if (full.undecidable) {
		*ret_plan = full;
		return 0;
	}
	want = (int64_t)ceil((double)full.baseline_nano * target_frac);
	ret->exact = full.rec.v.n <= EXACT_MAX;
	if (!ret->exact) {
		size_t n = thin_out(&full, id, EXACT_MAX);
		r = compose_only(a, id, n, a->within_days, &thin);
	}
	if (r >= 0)
		r = choose(a, ret->exact ? &full : &thin, want, ret_plan, &ret->reached);
	plan_free(&thin);
	plan_free(&full);
	return r;
}

/* With all the time there is, for the sentence that says how far it gets. */
static int most(struct target_ask *a, double *ret_frac)
{
	struct plan p;
	int r;

	r = plan_make_with(a->table, a->f, a->cat, a->conf, &a->o, INFINITY, a->now_ms, &p, a->err);
	if (r < 0)
		return r;
	*ret_frac = frac(&p, saved(&p));
	plan_free(&p);
	return 0;
}

int plan_target_with(const struct lever table[LEVER_N], const struct fleet *f,
		     const struct catalog *cat, const struct plan_conf *conf,
		     const struct plan_opt *o, int64_t now_ms, double target_frac,
		     double within_days, struct plan *ret_plan, struct target *ret, struct err *err)
{
	struct target_ask a = { table, f, cat, conf, *o, now_ms, within_days, { 0 }, err };
	int r;

	*ret = (struct target){ 0 };
	*ret_plan = (struct plan){ 0 };
	if (!(target_frac > 0 && target_frac <= 1) || !(within_days > 0))
		return err_set(err, -EINVAL,
			       "a target is a share above 0 and up to 1, within some days");
	r = look(&a, target_frac, ret_plan, ret);
	if (r >= 0 && !ret_plan->undecidable) {
		ret->saved_frac = ret->most_frac = frac(ret_plan, saved(ret_plan));
		if (!ret->reached)
			r = most(&a, &ret->most_frac);
		lay_steps(ret_plan, ret);
		note_reach(ret_plan, ret, target_frac, within_days);
	}
	arena_free(&a.ids);
	if (r < 0) {
		plan_free(ret_plan);
		target_free(ret);
	}
	return r;
}

int plan_target(const struct fleet *f, const struct catalog *cat, const struct plan_conf *conf,
		const struct plan_opt *o, int64_t now_ms, double target_frac, double within_days,
		struct plan *ret_plan, struct target *ret, struct err *err)
{
	int r = plan_target_with(levers, f, cat, conf, o, now_ms, target_frac, within_days,
				 ret_plan, ret, err);

	if (r >= 0 && f->work.n)
		r = plan_findings(f, conf, cat, now_ms, ret_plan, err);
	if (r < 0) {
		plan_free(ret_plan);
		target_free(ret);
	}
	return r;
}

void target_free(struct target *t)
{
	vec_free(&t->step);
}
