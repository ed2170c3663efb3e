/*
 * When what is done, and what has come of it by then. A team does one thing at a time, in the order
 * of the plan; an item begins when those that it needs are in force.
 *
 *   saved(w) = sum over items of (saving of a day in the draw) x (days in force until week w),
 *              of which the days between the end of the work and the day when it is in force for
 *              everybody count as half: it grows evenly over them
 *   work(w)  = days of work until then x what such a day costs
 *
 * Draws are those of the plan's range, so that the last weeks say what the headline says.
 */
#include "plan/replay/calendar.h"
#include "base/num.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "sim/boot.h"

/* ---- days -------------------------------------------------------------------------------- */

static void read_needs(struct calendar *c, const struct plan *p, size_t i)
{
	const struct rec *r = p->rec.v.v[i];
	size_t *need = arena_alloc(&c->mem, (r->depends_on.n + 1) * sizeof *need), n = 0;

	for (size_t k = 0; k < r->depends_on.n; k++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(p->rec.v.v[j]->id, r->depends_on.v[k]))
				need[n++] = j;
	c->v[i].need = need;
	c->v[i].nneed = n;
}

void calendar_read(const struct plan *p, struct calendar *ret)
{
	struct intern teams = { 0 };

	*ret = (struct calendar){ .n = p->rec.v.n };
	ret->v = arena_zalloc(&ret->mem, (ret->n + 1) * sizeof *ret->v);
	for (size_t i = 0; i < ret->n; i++) {
		const struct rec *r = p->rec.v.v[i];
		ret->v[i] = (struct calendar_item){ .team = (int)intern_add(
							    &teams, sv_of(text_or(r->team, ""))),
						    .effort = r->effort_days,
						    .within = r->within_days };
		read_needs(ret, p, i);
	}
	intern_free(&teams);
}

void calendar_free(struct calendar *c)
{
	arena_free(&c->mem);
	*c = (struct calendar){ 0 };
}

double calendar_lay(const struct calendar *c, const bool *in, double *start, double *done)
{
	double last = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct calendar_item *x = &c->v[i];
		double at = 0;
		if (in && !in[i])
			continue;
		for (size_t k = 0; k < i; k++)
			if ((!in || in[k]) && c->v[k].team == x->team)
				at = fmax(at, start[k] + c->v[k].effort);
		for (size_t k = 0; k < x->nneed; k++)
			if (!in || in[x->need[k]])
				at = fmax(at, done[x->need[k]]);
		start[i] = at;
		done[i] = at + fmax(x->within, x->effort);
		last = fmax(last, done[i]);
	}
	return last;
}

static int by_start(const void *pa, const void *pb)
{
	const struct plan_date *a = pa, *b = pb;

	if (a->start_day != b->start_day) {
		if (a->start_day < b->start_day)
			return -1;
		return 1;
	}
	return cmp_size(a->rec, b->rec);
}

void plan_calendar(const struct plan *p, struct plan_date *ret)
{
	struct calendar c;
	double *start, *done;

	calendar_read(p, &c);
	start = arena_zalloc(&c.mem, 2 * (c.n + 1) * sizeof *start);
	done = start + c.n + 1;
	calendar_lay(&c, NULL, start, done);
	for (size_t i = 0; i < c.n; i++) {
		const struct rec *r = p->rec.v.v[i];
		ret[i] = (struct plan_date){ i, start[i], done[i], text_or(r->team, "") };
	}
	if (c.n)
		sort_items(ret, c.n, sizeof *ret, by_start);
	calendar_free(&c);
}

/* ---- weeks ------------------------------------------------------------------------------- */

/* Days until `day` on which it saved, those of the ramp by the part that was in force. */
static double days_in_force(double from, double full, double day)
{
	double ramp = fmin(day, full) - from;

	if (day <= from)
		return 0;
	if (full <= from)
		return day - from;
	return ramp * ramp / (2 * (full - from)) + fmax(0, day - full);
}

/* An amount that is this part of the bill of a day. */
static dec of_days(const struct plan *p, double part_days)
{
	return plan_part(p->baseline_month, part_days / (p->month_hours / 24));
}

/* At the end of each of n spans of so many days. */
static void sum_spans(const struct plan *p, double work_day, double span_days, int n,
		      struct plan_week *ret)
{
	const struct plan_draws *d = &p->draws;
	struct plan_date *at = xcalloc(p->rec.v.n + 1, sizeof *at);
	double *v = xcalloc((size_t)p->draws.n + 1, sizeof *v);

	plan_calendar(p, at);
	for (int w = 0; w < n; w++) {
		ret[w] = (struct plan_week){ .week = w + 1 };
		double day = span_days * (w + 1);
		for (int k = 0; k < d->n; k++)
			v[k] = 0;
		for (size_t i = 0; i < p->rec.v.n; i++) {
			size_t r = at[i].rec;
			double from = at[i].start_day + p->rec.v.v[r]->effort_days,
			       days = days_in_force(from, at[i].done_day, day);
			for (int k = 0; k < d->n && days > 0; k++)
				v[k] += days * d->saved[r * (size_t)d->n + (size_t)k];
		}
		for (int k = 0; k < d->n; k++) {
			double saved = d->safe ? fmax(v[k], 0) : v[k];
			v[k] = d->before[k] > 0 ? saved / d->before[k] : 0;
		}
		ret[w].has_work = !isnan(work_day);
		if (ret[w].has_work) {
			double worked = 0;

			for (size_t i = 0; i < p->rec.v.n; i++)
				worked += fmax(0, fmin(day - at[i].start_day,
						       p->rec.v.v[at[i].rec]->effort_days));
			ret[w].work = dec_from_double(worked * work_day);
		}
		if (!d->n)
			continue;
		ret[w].p05 = of_days(p, boot_quantile(v, d->n, 0.05));
		ret[w].saved = of_days(p, boot_quantile(v, d->n, 0.5));
		ret[w].p95 = of_days(p, boot_quantile(v, d->n, 0.95));
	}
	free(at);
	free(v);
}

void plan_weeks(const struct plan *p, double work_day, struct plan_week ret[PLAN_WEEKS])
{
	sum_spans(p, work_day, 7, PLAN_WEEKS, ret);
}

void plan_months(const struct plan *p, double work_day, struct plan_week ret[PLAN_MONTHS])
{
	sum_spans(p, work_day, p->month_hours / 24, PLAN_MONTHS, ret);
}

double plan_chance(const struct plan *p, double frac)
{
	const struct plan_draws *d = &p->draws;
	size_t met = 0;

	for (int k = 0; k < d->n; k++) {
		double sum = 0;
		for (size_t i = 0; i < p->rec.v.n; i++)
			sum += d->saved[i * (size_t)d->n + (size_t)k];
		met += sum >= frac * d->before[k];
	}
	if (d->n)
		return (double)met / d->n;
	return 0;
}
