/* The plan as text of 80 columns and as Markdown. */
#include "report/plan_formats.h"

#include <math.h>

#include "base/tm.h"
#include "report/text.h"

#define NOTES_SHOWN  4
#define ADVICE_SHOWN 4

static int width_of(const struct plan_view *v)
{
	return v->width > 0 ? v->width : 80;
}

/* ---- head -------------------------------------------------------------------------------- */

static void pad_to(struct str *out, size_t line_from, int col)
{
	int w = text_width((struct sv){ str_z(out) + line_from, out->n - line_from });

	str_addf(out, "%*s", col > w ? col - w : 1, "");
}

static void two_columns(struct str *out, const char *left, const char *right, int width)
{
	size_t from = out->n;

	str_addz(out, left);
	if (text_width(sv_of(left)) + 2 + text_width(sv_of(right)) > width || !*right) {
		str_addz(out, *right ? "\n" : "");
		from = out->n;
		str_addz(out, *right ? "           " : "");
	} else {
		pad_to(out, from, 44);
	}
	str_addf(out, "%s\n", right);
}

static void head(struct arena *a, const struct plan_view *v, struct str *out)
{
	const struct plan *p = v->plan;
	int digits = plan_digits(p);
	const char *today = plan_knows_cost(p) ? plan_money(a, p->baseline_month, digits) : "-",
		   *after = plan_money(a, p->after_month, digits);
	int w = text_width(sv_of(today)) > text_width(sv_of(after)) ? text_width(sv_of(today))
								    : text_width(sv_of(after));
	const char *short_unit = arena_printf(a, "%.*s", (int)strcspn(plan_unit(a, p), " "),
					      plan_unit(a, p));
	const char *lo = plan_percent(a, p->saving_frac_p05),
		   *hi = plan_percent(a, p->saving_frac_p95);

	two_columns(out, arena_printf(a, "Today      %*s %s", w, today, plan_unit(a, p)),
		    plan_replayed(a, p), width_of(v));
	if (!p->rec.v.n || p->undecidable)
		return;
	two_columns(out,
		    arena_printf(a, "After all  %*s %s   %s", w, after, short_unit,
				 plan_percent(a, plan_frac(p, plan_saving(p)))),
		    strcmp(lo, hi) ? arena_printf(a, "5th to 95th percentile: %.*s to %s",
						  (int)strcspn(lo, " "), lo, hi)
				   : "",
		    width_of(v));
}

/* ---- the list ---------------------------------------------------------------------------- */

struct widths {
	int num, what, saves, range;
};
static const char *const risk_short[] = { "low", "med", "high" };

static struct widths measure(struct arena *a, const struct plan_view *v)
{
	const struct plan *p = v->plan;
	struct widths w = { 2, 0, 13, 5 };

	for (size_t i = 0; i < p->rec.v.n; i++) {
		int s = text_width(sv_of(plan_money(a, plan_shown(p, i), plan_digits(p))));
		int r = text_width(sv_of(plan_range(a, p->p05_month.v[i], p->p95_month.v[i])));
		w.saves = s > w.saves ? s : w.saves;
		w.range = r > w.range ? r : w.range;
	}
	w.num = p->rec.v.n > 99 ? 3 : 2;
	w.what = width_of(v) - w.num - w.saves - w.range - 4 - 4 - 5 * 2;
	if (w.what < 24)
		w.what = 24;
	return w;
}

static const char *what_text(struct arena *a, const struct plan_view *v, size_t i)
{
	const struct rec *r = v->plan->rec.v.v[i];
	const char *after = plan_after(a, v->plan, i);
	const struct plan_mark *m = plan_mark_of(v, r->id);

	return arena_printf(a, "%s%s%s%s%s", text_line(a, sv_of(r->title), 0), *after ? " (" : "",
			    after, *after ? ")" : "",
			    m ? arena_printf(a, " [%s]", plan_word_seen(m->word)) : "");
}

static void list_line(struct arena *a, const struct widths *w, const char *num, const char *what,
		      const char *saves, const char *range, const char *risk, const char *days,
		      struct str *out)
{
	struct str folded = { 0 };
	const char *p;
	bool first = true;

	plan_fold(&folded, what, 0, w->what);
	for (p = str_z(&folded); *p; first = false) {
		size_t n = strcspn(p, "\n"), from = out->n;
		str_addf(out, "%*s  %s", w->num, first ? num : "",
			 text_line(a, (struct sv){ p, n }, w->what));
		if (first) {
			pad_to(out, from, w->num + 2 + w->what + 2);
			str_addf(out, "%*s  %*s  %-4s  %4s", w->saves, saves, w->range, range, risk,
				 days);
		}
		while (out->n > from && out->p[out->n - 1] == ' ')
			out->p[--out->n] = 0;
		str_addc(out, '\n');
		p += n + (p[n] == '\n');
	}
	str_free(&folded);
}

static void total_line(const struct plan_view *v, const struct widths *w, dec total,
		       struct arena *a, struct str *out)
{
	int at = w->num + 2 + w->what + 2, digits = plan_digits(v->plan);
	const char *money = plan_money(a, total, digits);
	int n = text_width(sv_of(money));

	str_addf(out, "%*s", at + w->saves - n, "");
	for (int i = 0; i < n; i++)
		str_addz(out, "─");
	str_addf(out, "\n%*s%s\n", at + w->saves - n, "", money);
}

static void list(struct arena *a, const struct plan_view *v, struct str *out)
{
	const struct plan *p = v->plan;
	struct widths w = measure(a, v);
	const char *unit = plan_unit(a, p);
	dec total = 0;

	list_line(a, &w, "#", "do", arena_printf(a, "saves %.*s", (int)strcspn(unit, " "), unit),
		  "range", "risk", "days", out);
	for (size_t i = 0; i < p->rec.v.n; i++) {
		const struct rec *r = p->rec.v.v[i];
		dec shown = plan_shown(p, i);
		total += shown;
		list_line(a, &w, arena_printf(a, "%zu", i + 1), what_text(a, v, i),
			  plan_money(a, shown, plan_digits(p)),
			  plan_range(a, p->p05_month.v[i], p->p95_month.v[i]), risk_short[r->risk],
			  plan_days(a, r->effort_days), out);
	}
	if (p->rec.v.n > 1)
		total_line(v, &w, total, a, out);
}

/* ---- below the list ---------------------------------------------------------------------- */

static void calendar(struct arena *a, const struct plan_view *v, struct str *out)
{
	char from[TM_BUF], to[TM_BUF];

	if (isnan(v->target_frac))
		return;
	str_addz(out, "\n");
	plan_fold(out, plan_target_sentence(a, v), 0, width_of(v));
	if (v->nstep)
		str_addz(out, "\n start       in force     #  owner         do\n");
	for (size_t i = 0; i < v->nstep; i++) {
		const struct plan_step *s = &v->step[i];
		const struct rec *r = v->plan->rec.v.v[s->rec];
		str_addf(out, " %s  %s  %2zu  ", tm_format_date(from, s->start_ms),
			 tm_format_date(to, s->done_ms), s->rec + 1);
		size_t at = out->n;
		str_addz(out, text_line(a, sv_of(s->owner), 12));
		pad_to(out, at, 14);
		plan_fold(out, text_line(a, sv_of(r->title), 0), 43, width_of(v));
	}
}

static void advice(struct arena *a, const struct plan_view *v, struct str *out)
{
	const struct rec_list *l = &v->plan->advice;

	if (!l->v.n)
		return;
	str_addz(out, "\nNot replayed, so in no sum above; measure first:\n");
	for (size_t i = 0; i < l->v.n && i < ADVICE_SHOWN; i++) {
		str_addz(out, "  ");
		plan_fold(out, text_line(a, sv_of(l->v.v[i]->title), 0), 2, width_of(v));
	}
	if (l->v.n > ADVICE_SHOWN)
		str_addf(out, "  and %zu more: tare plan -o json\n", l->v.n - ADVICE_SHOWN);
}

static void notes(struct arena *a, const struct plan_view *v, struct str *out)
{
	struct text_list l = plan_notes(a, v->plan);
	size_t shown = v->plan->undecidable || !v->plan->rec.v.n ? l.n : NOTES_SHOWN;

	if (l.n)
		str_addz(out, "\nWhat the history does not tell:\n");
	for (size_t i = 0; i < l.n && i < shown; i++) {
		str_addz(out, "  ");
		plan_fold(out, text_line(a, sv_of(l.v[i]), 0), 2, width_of(v));
	}
	if (l.n > shown)
		str_addf(out, "  and %zu more: tare plan -o json\n", l.n - shown);
	vec_free(&l);
}

static void sentences(struct arena *a, const struct plan_view *v, struct str *out)
{
	const struct plan *p = v->plan;
	bool planned = p->rec.v.n && !p->undecidable;
	const char *const lines[] = {
		planned ? plan_in_replay(a, &p->replay) : "",
		planned ? plan_counted_once(a, p) : "",
		planned ? plan_sureness(a, p) : "",
		planned && v->with_sensitivity ? plan_sensitive(a, p) : "",
		plan_left_out(a, v),
	};
	bool any = false;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		if (!*lines[i])
			continue;
		str_addz(out, any ? "" : "\n");
		plan_fold(out, lines[i], 0, width_of(v));
		any = true;
	}
}

static void nothing(const struct plan_view *v, struct str *out)
{
	if (v->plan->undecidable)
		plan_fold(out, "\nNothing can be decided from what is known here.", 0, width_of(v));
	else
		plan_fold(
			out,
			"\nNothing to change: no proposal would save money on this history within these limits.",
			0, width_of(v));
}

static void next_steps(const struct plan_view *v, struct str *out)
{
	if (v->plan->rec.v.n)
		str_addz(
			out,
			"\ntare explain 1   why, evidence, replay     tare plan apply 1   how to do it\n");
	else
		str_addz(
			out,
			"\ntare plan --findings   what was seen     tare report --by state   what it did\n");
}

void plan_table(const struct plan_view *v, struct str *out)
{
	struct arena a = { 0 };

	head(&a, v, out);
	if (!v->plan->rec.v.n || v->plan->undecidable)
		nothing(v, out);
	if (v->plan->rec.v.n) {
		str_addc(out, '\n');
		list(&a, v, out);
		calendar(&a, v, out);
	}
	sentences(&a, v, out);
	advice(&a, v, out);
	notes(&a, v, out);
	next_steps(v, out);
	arena_free(&a);
}

/* ---- Markdown ---------------------------------------------------------------------------- */

/* What Markdown and HTML in it would read as their own is escaped. */
void plan_md_text(struct str *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '<')
			str_addz(out, "&lt;");
		else if (*s == '\n')
			str_addz(out, s[1] ? "  \n" : "\n");
		else if (strchr("*_`|[]\\", *s))
			str_addf(out, "\\%c", *s);
		else
			str_addc(out, *s);
	}
}

static void md_list(struct arena *a, const struct plan_view *v, struct str *out)
{
	const struct plan *p = v->plan;
	int digits = plan_digits(p);
	dec total = 0;

	str_addf(
		out,
		"\n| # | do | saves %s | range | risk | days | who |\n|--:|---|--:|--:|---|--:|---|\n",
		plan_unit(a, p));
	for (size_t i = 0; i < p->rec.v.n; i++) {
		const struct rec *r = p->rec.v.v[i];
		total += plan_shown(p, i);
		str_addf(out, "| %zu | ", i + 1);
		plan_md_text(out, what_text(a, v, i));
		str_addf(out, " | %s | %s | %s | %s | ", plan_money(a, plan_shown(p, i), digits),
			 plan_range(a, p->p05_month.v[i], p->p95_month.v[i]), risk_name(r->risk),
			 plan_days(a, r->effort_days));
		plan_md_text(out, text_line(a, sv_of(plan_owner(r)), 0));
		str_addz(out, " |\n");
	}
	str_addf(out, "| | **all** | **%s** | | | | |\n", plan_money(a, total, digits));
}

static void md_lines(struct arena *a, const char *title, const struct text_list *l, struct str *out)
{
	if (l->n)
		str_addf(out, "\n%s\n\n", title);
	for (size_t i = 0; i < l->n; i++) {
		str_addz(out, "- ");
		plan_md_text(out, text_line(a, sv_of(l->v[i]), 0));
		str_addc(out, '\n');
	}
}

static void md_calendar(struct arena *a, const struct plan_view *v, struct str *out)
{
	char from[TM_BUF], to[TM_BUF];

	if (isnan(v->target_frac))
		return;
	str_addc(out, '\n');
	plan_md_text(out, plan_target_sentence(a, v));
	if (v->nstep)
		str_addz(out, "\n| start | in force | # | owner | do |\n|---|---|--:|---|---|\n");
	for (size_t i = 0; i < v->nstep; i++) {
		const struct plan_step *s = &v->step[i];
		str_addf(out, "| %s | %s | %zu | ", tm_format_date(from, s->start_ms),
			 tm_format_date(to, s->done_ms), s->rec + 1);
		plan_md_text(out, text_line(a, sv_of(s->owner), 0));
		str_addz(out, " | ");
		plan_md_text(out, text_line(a, sv_of(v->plan->rec.v.v[s->rec]->title), 0));
		str_addz(out, " |\n");
	}
}

void plan_md(const struct plan_view *v, struct str *out)
{
	struct arena a = { 0 };
	const struct plan *p = v->plan;
	struct text_list titles = { 0 }, told = plan_notes(&a, p);

	head(&a, &(struct plan_view){ .plan = p, .width = 1000 }, out);
	if (!p->rec.v.n || p->undecidable)
		nothing(&(struct plan_view){ .plan = p, .width = 1000 }, out);
	if (p->rec.v.n)
		md_list(&a, v, out);
	md_calendar(&a, v, out);
	str_addc(out, '\n');
	plan_md_text(out, p->rec.v.n && !p->undecidable ? plan_in_replay(&a, &p->replay) : "");
	plan_md_text(out, p->rec.v.n && !p->undecidable ? plan_counted_once(&a, p) : "");
	plan_md_text(out, plan_sureness(&a, p));
	plan_md_text(out, plan_left_out(&a, v));
	for (size_t i = 0; i < p->advice.v.n; i++)
		*vec_push(&titles) = p->advice.v.v[i]->title;
	md_lines(&a, "Not replayed, so in no sum above; measure first:", &titles, out);
	md_lines(&a, "What the history does not tell:", &told, out);
	vec_free(&titles);
	vec_free(&told);
	arena_free(&a);
}
