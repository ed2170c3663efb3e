/* The plan as text of v->width columns and as Markdown; see plan_formats.h. */
#include "base/num.h"
#include "base/str.h"
#include "report/plan/plan_formats.h"

#include <math.h>

#include "base/tm.h"
#include "report/cost/energy.h"
#include "report/text.h"

#define NOTES_SHOWN  4
#define ADVICE_SHOWN 4
#define TIER_WORD    6  /* "Commit" */
#define DAYS_WORD    4  /* "days" */
#define WHAT_LEAST   24 /* columns of "do", however short all titles are; */
#define WHAT_NARROW  14 /* and where the line has no room for that */
/* columns in front of a step's title: " start  done   # owner" */
#define STEP_TITLE_AT 43
#define MD_WIDTH      1000 /* columns: whoever shows Markdown folds it */

/* ---- the list ---------------------------------------------------------------------------- */

struct widths {
	int num, what, saves, range;
};

static const char *what_text(struct arena *a, const struct plan_view *v, size_t i)
{
	const struct rec *r = v->plan->rec.v.v[i];
	const char *after = plan_after(a, v->plan, i), *seen = "";
	const struct plan_mark *m = plan_mark_of(v, r->id);

	if (*after)
		after = arena_printf(a, " (%s)", after);
	if (m)
		seen = arena_printf(a, " [%s]", plan_mark_seen(m));
	return arena_printf(a, "%s%s%s", text_line(a, sv_of(r->title), 0), after, seen);
}

static const char *saves_head(struct arena *a, const struct plan *p)
{
	const char *unit = plan_unit(a, p);

	return arena_printf(a, "saves %.*s", (int)strcspn(unit, " "), unit);
}

static struct widths measure_widths(struct arena *a, const struct plan_view *v)
{
	const struct plan *p = v->plan;
	struct widths w = { .saves = text_width(sv_of(saves_head(a, p))),
			    .range = (int)strlen("range") };
	int longest = WHAT_LEAST;

	for (size_t i = 0; i < p->rec.v.n; i++) {
		int s = text_width(sv_of(plan_money(a, plan_shown(p, i), plan_digits(p))));
		int r = text_width(sv_of(plan_range_of(a, p, i)));
		w.saves = max_int(s, w.saves);
		w.range = max_int(r, w.range);
		int t = text_width(sv_of(what_text(a, v, i)));
		longest = max_int(t, longest);
	}
	w.num = p->rec.v.n > 99 ? 3 : 2;
	w.what = columns_or_80(v->width) - w.num - w.saves - w.range - TIER_WORD - DAYS_WORD -
		 5 * 2; /* two blanks between the six columns */
	if (w.what < WHAT_NARROW)
		w.what = WHAT_NARROW;
	if (w.what > longest) /* no further from their figures than need be */
		w.what = longest;
	return w;
}

struct list_cells {
	const char *num, *what, *saves, *range, *tier, *days;
};

static void list_line(struct arena *a, const struct widths *w, const struct list_cells *c,
		      struct str *out)
{
	struct str folded = { 0 };
	const char *p;
	bool first = true;

	plan_fold(&folded, c->what, 0, w->what);
	for (p = str_z(&folded); *p; first = false) {
		size_t n = strcspn(p, "\n"), from = out->n;
		str_addf(out, "%*s  %s", w->num, text_if(first, c->num),
			 text_line(a, (struct sv){ p, n }, w->what));
		if (first) {
			text_pad_to(out, from, w->num + 2 + w->what + 2);
			str_addf(out, "%*s  %*s  %-*s  %*s", w->saves, c->saves, w->range, c->range,
				 TIER_WORD, c->tier, DAYS_WORD, c->days);
		}
		while (out->n > from && out->p[out->n - 1] == ' ')
			out->p[--out->n] = 0;
		str_addc(out, '\n');
		p += n + (p[n] == '\n');
	}
	str_free(&folded);
}

static void write_list(struct arena *a, const struct plan_view *v, struct str *out)
{
	const struct plan *p = v->plan;
	struct widths w = measure_widths(a, v);

	list_line(a, &w,
		  &(struct list_cells){ .num = "#",
					.what = "do",
					.saves = saves_head(a, p),
					.range = "range",
					.tier = "tier",
					.days = "days" },
		  out);
	for (size_t i = 0; i < p->rec.v.n; i++) {
		const struct rec *r = p->rec.v.v[i];
		if (plan_is_folded(v, i))
			continue;
		list_line(a, &w,
			  &(struct list_cells){
				  .num = arena_printf(a, "%zu", i + 1),
				  .what = what_text(a, v, i),
				  .saves = plan_money(a, plan_shown(p, i), plan_digits(p)),
				  .range = plan_range_of(a, p, i),
				  .tier = plan_tier_short(r->tier),
				  .days = plan_days(a, r->effort_days) },
			  out);
	}
}

/* ---- below the list ---------------------------------------------------------------------- */

static void write_calendar(struct arena *a, const struct plan_view *v, struct str *out)
{
	char from[TM_BUF], to[TM_BUF];

	if (isnan(v->target_frac))
		return;
	str_addz(out, "\n");
	plan_fold(out, plan_target_sentence(a, v), 0, columns_or_80(v->width));
	if (v->nstep)
		str_addz(out, "\n start       in force     #  owner         do\n");
	for (size_t i = 0; i < v->nstep; i++) {
		const struct plan_step *s = &v->step[i];
		const struct rec *r = v->plan->rec.v.v[s->rec];
		str_addf(out, " %s  %s  %2zu  ", tm_format_date(from, s->start_ms),
			 tm_format_date(to, s->done_ms), s->rec + 1);
		size_t at = out->n;
		str_addz(out, text_line(a, sv_of(s->owner), 12));
		text_pad_to(out, at, 14);
		plan_fold(out, text_line(a, sv_of(r->title), 0), STEP_TITLE_AT,
			  columns_or_80(v->width));
	}
}

const char *plan_store_of(const struct plan_view *v)
{
	return text_or(v->store, "");
}

const char *plan_again_of(const struct plan_view *v)
{
	return text_or(v->again, "tare plan");
}

static void write_advice(struct arena *a, const struct plan_view *v, struct str *out)
{
	const struct rec_list *l = &v->plan->advice;
	size_t n = 0;

	for (size_t i = 0; i < l->v.n; i++) {
		if (l->v.v[i]->kind != ADVICE_NONE)
			continue;
		if (!n)
			str_addz(out, "\nNot replayed, so in no sum above; measure first:\n");
		if (n++ >= ADVICE_SHOWN)
			continue;
		str_addz(out, "  ");
		plan_fold(out, text_line(a, sv_of(l->v.v[i]->title), 0), 2,
			  columns_or_80(v->width));

		/* What it may be worth, and the id by which all about it is told. */
		const char *much = plan_may_save(a, v->plan, l->v.v[i]);

		if (!*much)
			continue;
		str_addz(out, "    ");
		plan_fold(out,
			  arena_printf(a, "%s, tare explain %s%s", much, l->v.v[i]->id,
				       plan_store_of(v)),
			  4, columns_or_80(v->width));
	}
	if (n > ADVICE_SHOWN)
		str_addf(out, "  and %zu more: %s -o json\n", n - ADVICE_SHOWN, plan_again_of(v));
}

static void write_sentences(struct arena *a, const struct plan_view *v, struct str *out)
{
	const struct plan *p = v->plan;
	const char *lines[7]; /* "": it has nothing to say */
	size_t n = 0;
	bool any = false;

	if (p->rec.v.n && !p->undecidable) {
		lines[n++] = plan_in_replay(a, &p->replay);
		lines[n++] = plan_machines(a, p);
		lines[n++] = plan_time_to_result(a, p);
		if (v->all)
			lines[n++] = plan_counted_once(a, p);
		lines[n++] = plan_sureness(a, p);

		if (v->energy && !isnan(v->energy->all.kwh))
			lines[n++] = arena_printf(a, "Energy: %s.\n",
						  energy_saved_text(a, &v->energy->all));

		if (v->with_sensitivity)
			lines[n++] = plan_sensitive(a, p);
	}
	for (size_t i = 0; i < n; i++) {
		if (!*lines[i])
			continue;
		str_addz(out, text_if(!any, "\n"));
		plan_fold(out, lines[i], 0, columns_or_80(v->width));
		any = true;
	}
	const char *folded = plan_folded_words(a, v), *left = plan_left_out(a, v);
	if (*folded && *left)
		plan_two_columns(out, folded, left, columns_or_80(v->width));
	else if (*folded || *left)
		plan_fold(out, filled_or(folded, left), 0, columns_or_80(v->width));
}

static const char *why_nothing(const struct plan_view *v)
{
	bool late = !isnan(v->target_frac) && v->target_limits_frac < TARGET_ADDS_FRAC &&
		    v->target_most_frac >= TARGET_ADDS_FRAC;
	bool told = plan_has_told(v->plan);

	if (late)
		return "No change that is known is in force by the day asked for.";
	if (told && v->plan->undecidable)
		return "No change can be decided from what is known here; this is what it says.";
	if (told)
		return "No change is proposed on this history within these limits; this is what it says.";
	if (v->plan->undecidable)
		return "Nothing can be decided from what is known here.";
	return "Nothing to change: no proposal would save money on this history within these limits.";
}

static void write_nothing(const struct plan_view *v, int width, struct str *out)
{
	str_addc(out, '\n');
	plan_fold(out, why_nothing(v), 0, width);
}

static void write_notes(struct arena *a, const struct plan_view *v, struct str *out)
{
	struct text_list l = plan_notes(a, v->plan);
	size_t shown = NOTES_SHOWN;

	if (v->plan->undecidable || !v->plan->rec.v.n)
		shown = l.n;
	if (l.n)
		str_addz(out, "\nWhat the history does not tell:\n");
	for (size_t i = 0; i < l.n && i < shown; i++) {
		str_addz(out, "  ");
		plan_fold(out, text_line(a, sv_of(l.v[i]), 0), 2, columns_or_80(v->width));
	}
	if (l.n > shown)
		str_addf(out, "  and %zu more: %s -o json\n", l.n - shown, plan_again_of(v));
	vec_free(&l);
}

static void next_steps(struct arena *a, const struct plan_view *v, struct str *out)
{
	const char *store = plan_store_of(v);
	const struct plan *p = v->plan;
	size_t first = 0, tried = SIZE_MAX; /* the first listed; the first to be tried, if listed */

	for (size_t i = p->rec.v.n; i-- > 0;) {
		if (!plan_is_folded(v, i))
			first = i;
		if (p->rec.v.v[i]->tier == TIER_TRIAL && !p->rec.v.v[i]->prepares) {
			if (!plan_is_folded(v, i) || tried == SIZE_MAX)
				tried = i;
		}
	}
	if (!p->rec.v.n)
		plan_put_next(arena_printf(a, "%s --findings   what was seen", plan_again_of(v)),
			      arena_printf(a, "tare report --by state%s   what it did", store),
			      columns_or_80(v->width), out);
	else if (tried != SIZE_MAX)
		plan_put_next(arena_printf(a, "tare explain %zu%s   why, evidence, replay",
					   first + 1, store),
			      arena_printf(a, "tare plan trial %zu%s   what to try first",
					   tried + 1, store),
			      columns_or_80(v->width), out);
	else
		plan_put_next(
			arena_printf(a, "tare explain %zu%s   why, evidence, replay", first + 1,
				     store),
			arena_printf(a, "tare plan apply %zu%s   how to do it", first + 1, store),
			columns_or_80(v->width), out);
}

void plan_table(const struct plan_view *v, struct str *out)
{
	struct arena a = { 0 };

	plan_put_head(&a, v, columns_or_80(v->width), out);
	if (!v->plan->rec.v.n || v->plan->undecidable)
		write_nothing(v, columns_or_80(v->width), out);
	if (!v->plan->rec.v.n)
		write_calendar(&a, v, out);
	if (v->plan->rec.v.n) {
		str_addc(out, '\n');
		if (!v->plan->undecidable)
			plan_put_tiers(&a, v, columns_or_80(v->width), out);
		str_addc(out, '\n');
		write_list(&a, v, out);
		write_calendar(&a, v, out);
	}
	write_sentences(&a, v, out);
	plan_put_told(&a, v, columns_or_80(v->width), out);
	write_advice(&a, v, out);
	write_notes(&a, v, out);
	if (!v->plan->rec.v.n)
		plan_put_left(&a, v, out);
	next_steps(&a, v, out);
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
		"\n| # | do | saves %s | range | tier | risk | days | who | due | status |\n|--:|---|--:|--:|---|---|--:|---|---|---|\n",
		plan_unit(a, p));
	for (size_t i = 0; i < p->rec.v.n; i++) {
		const struct rec *r = p->rec.v.v[i];
		total += plan_shown(p, i);
		str_addf(out, "| %zu | ", i + 1);
		plan_md_text(out, what_text(a, v, i));
		str_addf(out, " | %s | %s | %s | %s | %s | ",
			 plan_money(a, plan_shown(p, i), digits), plan_range_of(a, p, i),
			 tier_label(r->tier), risk_name(r->risk), plan_days(a, r->effort_days));
		plan_md_text(out, text_line(a, sv_of(plan_owner(r)), 0));
		str_addf(out, " | %s | ", plan_due_day(a, v, i));
		plan_md_text(out, plan_status(v, r->id));
		str_addz(out, " |\n");
	}
	str_addf(out, "| | **all** | **%s** | | | | | | | |\n", plan_money(a, total, digits));
}

static void md_tiers(struct arena *a, const struct plan *p, struct str *out)
{
	str_addf(out, "\n| tier | saves %s | after it | binds |\n|---|--:|--:|---|\n",
		 plan_unit(a, p));
	for (int t = 0; t < TIER_N; t++) {
		const struct plan_tier *k = &p->tier[t];
		if (k->items)
			str_addf(out, "| %s | %s | %s | %s |\n", tier_label((enum tier)t),
				 plan_money(a, plan_tier_shown(p, (enum tier)t), plan_digits(p)),
				 plan_percent(a, plan_frac(p, p->baseline_month - k->after_month)),
				 plan_tier_binds(a, p, (enum tier)t));
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

void plan_md(const struct plan_view *v, struct str *out)
{
	struct arena a = { 0 };
	const struct plan *p = v->plan;
	struct text_list titles = plan_advice_titles(p, false), says = plan_advice_titles(p, true),
			 told = plan_notes(&a, p);

	plan_put_head(&a, v, MD_WIDTH, out);
	if (!p->rec.v.n || p->undecidable)
		write_nothing(v, MD_WIDTH, out);
	if (p->rec.v.n && !p->undecidable)
		md_tiers(&a, p, out);
	if (p->rec.v.n)
		md_list(&a, v, out);
	md_calendar(&a, v, out);
	str_addc(out, '\n');
	if (p->rec.v.n && !p->undecidable) {
		plan_md_text(out, plan_in_replay(&a, &p->replay));
		plan_md_text(out, plan_counted_once(&a, p));
	}
	plan_md_text(out, plan_sureness(&a, p));
	plan_md_text(out, plan_left_out(&a, v));
	str_addc(out, '\n');
	md_lines(&a, "What there is says by itself, in no sum above:", &says, out);
	md_lines(&a, "Not replayed, so in no sum above; measure first:", &titles, out);
	md_lines(&a, "What the history does not tell:", &told, out);
	vec_free(&titles);
	vec_free(&says);
	vec_free(&told);
	arena_free(&a);
}
