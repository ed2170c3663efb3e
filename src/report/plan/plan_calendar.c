/* When what is done by whom, what it has saved by then, and what the work costs: the views of the
 * one who has it done and of the one who pays. */
#include "base/str.h"
#include "model/known.h"
#include "report/plan/plan_formats.h"

#include <math.h>

#include "base/tm.h"
#include "report/grid.h"
#include "report/text.h"

#define RESULTS_SHOWN 3

#define WEEKS_SHOWN 3 /* the ramp; then the end of each month of a year */

int64_t plan_due_ms(const struct plan_view *v, size_t rec)
{
	for (size_t i = 0; i < v->nstep; i++)
		if (v->step[i].rec == rec)
			return v->step[i].done_ms;
	return UNKNOWN_MS;
}

const struct trial_record *plan_trial_of(const struct plan_view *v, const char *id)
{
	if (v->trials)
		return trial_record_of(v->trials, id);
	return NULL;
}

const char *plan_status(const struct plan_view *v, const char *id)
{
	const struct plan_mark *m = plan_mark_of(v, id);
	const struct trial_record *t = plan_trial_of(v, id);

	if (m)
		return plan_mark_seen(m);
	if (!t)
		return "open";
	if (t->verdict == TRIAL_GO)
		return "trial: go";
	return "trial: no go";
}

/* ---- steps ------------------------------------------------------------------------------- */

const char *plan_due_day(struct arena *a, const struct plan_view *v, size_t rec)
{
	return text_day(a, plan_due_ms(v, rec));
}

/* ---- weeks ------------------------------------------------------------------------------- */

/* With thousands separators up to a million, then "1.24 M": nobody reads seven digits. */
static char *format_large(struct arena *a, const struct plan *p, dec v)
{
	dec abs = dec_size(v);

	if (abs < 1000000 * DEC_ONE)
		return plan_money(a, v, plan_digits(p));
	return arena_printf(a, "%s M", plan_money(a, v / 1000000, 2));
}

void plan_weeks_grid(const struct plan_view *v, struct grid *g)
{
	const struct plan *p = v->plan;
	struct arena *a = &g->mem;
	const char *heads[] = { "after", "saved", "9 of 10 cases", "work", "net" };

	for (size_t i = 0; i < 5; i++)
		grid_add_col(g, heads[i], grid_side(i), false);
	for (size_t i = 0; i < WEEKS_SHOWN + PLAN_MONTHS; i++) {
		bool weeks = i < WEEKS_SHOWN;
		const struct plan_week *w = weeks ? &v->week[i] : &v->month[i - WEEKS_SHOWN];
		const char **cell = grid_add_row(g, GRID_PLAIN);

		cell[0] = arena_printf(a, "%d %s%s", w->week, weeks ? "week" : "month",
				       plural(w->week));
		cell[1] = format_large(a, p, w->saved);
		cell[2] = plan_range(a, w->p05, w->p95);
		cell[3] = w->has_work ? format_large(a, p, w->work) : "-";
		cell[4] = w->has_work ? format_large(a, p, w->saved - w->work) : "-";
	}
}

const char *plan_paid_back(struct arena *a, const struct plan_view *v)
{
	if (v->week && !v->week[0].has_work)
		return arena_printf(
			a,
			"What the work costs (plan.work_day_usd) is not known in %s: tare import --as rates brings an exchange rate of USD.",
			v->plan->fleet->currency);
	for (int i = 0; v->week && i < PLAN_WEEKS; i++)
		if (v->week[i].p05 > v->week[i].work)
			return arena_printf(
				a,
				"The work has paid for itself after %d week%s in 19 of 20 cases. Commitments are paid from the day they are made.",
				v->week[i].week, plural(v->week[i].week));
	for (int i = 0; v->week && i < PLAN_WEEKS; i++)
		if (v->week[i].saved > v->week[i].work)
			return arena_printf(
				a,
				"The work has paid for itself after %d week%s in half of the cases, and not within a year in 1 of 20.",
				v->week[i].week, plural(v->week[i].week));
	return "The work has not paid for itself within a year in half of the cases.";
}

void plan_print_calendar(const struct plan_view *v, enum out_format f, struct str *out)
{
	struct grid steps = { 0 }, weeks = { 0 };
	int width = columns_or_80(v->width);

	static const char *const heads[] = { "start", "due", "#", "owner", "status", "do" };

	for (size_t i = 0; i < 6; i++)
		grid_add_col(&steps, heads[i], grid_side(i == 2), i == 5);
	for (size_t i = 0; i < v->nstep; i++) {
		const struct plan_step *s = &v->step[i];
		const struct rec *r = v->plan->rec.v.v[s->rec];
		const char **cell = grid_add_row(&steps, GRID_PLAIN);
		cell[0] = text_day(&steps.mem, s->start_ms);
		cell[1] = text_day(&steps.mem, s->done_ms);
		cell[2] = arena_printf(&steps.mem, "%zu", s->rec + 1);
		cell[3] = text_line(&steps.mem, sv_of(s->owner), 12);
		cell[4] = plan_status(v, r->id);
		cell[5] = text_line_head(&steps.mem, sv_of(r->title),
					 grid_fits_lines() && v->width <= 100 ? 34 : 0);
	}
	if (v->week)
		plan_weeks_grid(v, &weeks);
	plan_put_head(&steps.mem, v, f == OUT_MD ? 1000 : width, out);
	str_addc(out, '\n');
	if (v->plan->undecidable) {
		plan_fold(
			out,
			arena_printf(
				&steps.mem,
				"No change can be decided from what is known here, so nothing has a date. Why says: tare plan%s",
				v->store),
			0, f == OUT_MD ? 10000 : width);
		grid_free(&steps);
		grid_free(&weeks);
		return;
	}
	if (f == OUT_MD)
		grid_md(&steps, out);
	else
		grid_table(&steps, width, v->colour, out);
	str_addf(out, "\nSaved since today, %s, and what the work until then costs:\n\n",
		 plan_currency_sign(&steps.mem, v->plan));
	if (f == OUT_MD)
		grid_md(&weeks, out);
	else if (v->week)
		grid_table(&weeks, width, v->colour, out);
	str_addc(out, '\n');
	plan_fold(out, plan_paid_back(&steps.mem, v), 0, f == OUT_MD ? 10000 : width);
	grid_free(&steps);
	grid_free(&weeks);
}

/* ---- machines, time to result ------------------------------------------------------------ */

char *plan_machines(struct arena *a, const struct plan *p)
{
	struct str s = { 0 };

	for (size_t i = 0; i < p->pool.n; i++) {
		const struct plan_pool *k = &p->pool.v[i];
		if (k->before == k->after)
			continue;
		const char *type = filled_or(k->instance_type, "of no known type");
		str_addf(&s, "%s%s%s %lld -> %lld",
			 s.n ? ", " : "Machines at the peak: ", text_line(a, sv_of(type), 30),
			 text_if(k->purchase && !strcmp(k->purchase, "spot"), " spot"),
			 (long long)k->before, (long long)k->after);
	}
	str_addz(&s, text_if(s.n, "."));
	char *z = arena_strn(a, str_z(&s), s.n);
	str_free(&s);
	return z;
}

static const char *format_hours(struct arena *a, double h)
{
	if (h < 2)
		return arena_printf(a, "%.0f min", h * 60);
	return arena_printf(a, "%.1f h", h);
}

static double later_frac(const struct plan_result *r)
{
	if (r->before_h > 0)
		return fabs(r->after_h / r->before_h - 1);
	return 0;
}

char *plan_time_to_result(struct arena *a, const struct plan *p)
{
	bool *said = arena_zalloc(a, p->result.n + 1);
	struct str s = { 0 };
	size_t n = 0;

	for (;; n++) {
		/* The next one by how much it changes; none changes by a twentieth: the end. */
		const struct plan_result *r = NULL;
		for (size_t i = 0; i < p->result.n; i++) {
			const struct plan_result *x = &p->result.v[i];
			if (said[i] || later_frac(x) < 0.05)
				continue;
			if (!r || later_frac(x) > later_frac(r))
				r = x;
		}
		if (!r)
			break;
		said[r - p->result.v] = true;
		if (n >= RESULTS_SHOWN)
			continue;
		const char *who = filled_or(r->name, r->team);
		str_addf(&s, "%s%s ends after %s, before %s", n ? "; " : "Time to result: ",
			 text_line(a, sv_of(filled_or(who, "other work")), 30),
			 format_hours(a, r->after_h), format_hours(a, r->before_h));
	}
	if (n > RESULTS_SHOWN)
		str_addf(&s, "; and %zu more (-o json)", n - RESULTS_SHOWN);
	str_addz(&s, text_if(s.n, "."));
	char *z = arena_strn(a, str_z(&s), s.n);
	str_free(&s);
	return z;
}
