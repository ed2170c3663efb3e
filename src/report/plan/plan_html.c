/* One page that a head of finance can read: what is paid, what changes, what is left, how sure it
 * is. */
#include "base/num.h"
#include "base/str.h"
#include "report/plan/plan_formats.h"

#include <math.h>

#include "base/tm.h"
#include "report/action/action_text.h"
#include "report/page.h"
#include "report/text.h"

#define PLOT_W           760.0
#define NAMES            280.0 /* room for the names at the left */
#define NAME_MAX_COLUMNS 38
#define AMOUNT           90.0 /* and for the amounts at the right */
#define ROW              26.0
#define STEPS_MAX        14 /* bars of the waterfall; what is left is one bar more */

static const char style[] =
	".lead{font-size:1.15rem;max-width:46rem}.cards{display:flex;flex-wrap:wrap;gap:.75rem;margin:1rem 0}\n"
	".card{border:1px solid var(--line);border-radius:.4rem;padding:.6rem 1rem;min-width:9rem}.card b{display:block;font-size:1.35rem;"
	"font-weight:600;font-variant-numeric:tabular-nums}\n"
	".card span{color:var(--faint);font-size:.85rem}.w-today{fill:#8c959f}.w-saving{fill:#009e73}.w-cost{fill:#d55e00}.w-after{fill:#0072b2}"
	".whisker{stroke:var(--fg);stroke-width:1.5}\n"
	"ul{padding-left:1.2rem;margin:.4rem 0}li{margin:.15rem 0}pre{background:var(--head);padding:.5rem .7rem;overflow-x:auto;font-size:.85rem;"
	"margin:.3rem 0}details{margin:.3rem 0;border-bottom:1px solid var(--line);padding-bottom:.3rem}summary{cursor:pointer}\n"
	"td:first-child+td{min-width:11rem}th,td{padding:.3rem .45rem}thead .n{white-space:normal}\n"
	"@media print{body{font-size:10.5px}h1{font-size:1.4em}.lead{font-size:1.15em}.card b{font-size:1.3em}h2{margin:1.2em 0 .3em}details{display:none}"
	".how{display:none}}\n"
	"@page{size:A4}\n";

static void write_html(struct str *out, const char *z)
{
	text_html(out, sv_of(text_or(z, "")));
}

/* A title: an arrow of two characters must not be torn at the end of a line. */
static void write_title(struct str *out, const char *z)
{
	for (const char *arrow; (arrow = strstr(z, " -> ")); z = arrow + 4) {
		text_html(out, (struct sv){ z, (size_t)(arrow - z) });
		str_addz(out, "&#160;\u2192 ");
	}
	write_html(out, z);
}

static void write_tagged(struct str *out, const char *tag, const char *z)
{
	str_addf(out, "<%s>", tag);
	write_html(out, z);
	str_addf(out, "</%s>", tag);
}

/* ---- summary ----------------------------------------------------------------------------- */

static const char *sign_of(const struct plan *p)
{
	return text_if(!strcmp(p->fleet->currency, "USD"), "$");
}

static char *format_amount(struct arena *a, const struct plan *p, dec v)
{
	const char *code = *sign_of(p) ? ""
				       : arena_printf(a, " %s",
						      text_line(a, sv_of(p->fleet->currency), 8));
	bool minus = plan_round(v, plan_digits(p)) < 0;

	return arena_printf(a, "%s%s%s%s", text_if(minus, "-"), sign_of(p),
			    plan_money(a, minus ? -v : v, plan_digits(p)), code);
}

static void write_card(struct str *out, const char *big, const char *small)
{
	str_addz(out, "<div class=\"card\">");
	write_tagged(out, "b", big);
	write_tagged(out, "span", small);
	str_addz(out, "</div>\n");
}

static void write_lead(struct arena *a, const struct plan_view *v, struct str *out)
{
	const struct plan *p = v->plan;
	const char *today = format_amount(a, p, p->baseline_month), *s;
	char from[TM_BUF], to[TM_BUF];

	if (p->undecidable)
		s = arena_printf(
			a,
			"From what is known about this fleet nothing can be decided. What is missing stands below.");
	else if (!p->rec.v.n)
		s = arena_printf(
			a,
			"The fleet costs %s a month. No change was found that would save money on its own history within the limits asked for.",
			today);
	else
		s = arena_printf(
			a,
			"The fleet costs %s a month. %zu change%s bring%s this to %s: %.0f %% less for the same work. On the fleet's own history the "
			"saving lies between %.0f and %.0f %% in nine cases of ten.",
			today, p->rec.v.n, plural(p->rec.v.n), text_if(p->rec.v.n == 1, "s"),
			format_amount(a, p, p->after_month), plan_frac(p, plan_saving(p)) * 100,
			p->saving_frac_p05 * 100, p->saving_frac_p95 * 100);
	page_paragraphs(out, s, "lead");
	if (p->rec.v.n && !p->undecidable) {
		str_addz(out, "<div class=\"cards\">\n");
		write_card(out, today,
			   arena_printf(a, "today, a month of %.10g h", p->month_hours));
		write_card(out, format_amount(a, p, p->after_month), "a month after all changes");
		write_card(out, format_amount(a, p, plan_saving(p)), "saved a month");
		write_card(out, format_amount(a, p, plan_saving(p) * 12),
			   "saved in twelve such months");
		str_addz(out, "</div>\n");
	}
	if (*plan_recent(a, p))
		page_paragraphs(out, arena_printf(a, "Today is %s.", plan_recent(a, p)), "faint");
	if (p->fleet->since_ms != UNKNOWN_MS && p->fleet->until_ms != UNKNOWN_MS)
		page_paragraphs(out,
				arena_printf(a, "From the fleet's own history of %s to %s%s.",
					     tm_format_date(from, p->fleet->since_ms),
					     tm_format_date(to, p->fleet->until_ms),
					     text_if(p->replay.jobs > 0,
						     arena_printf(a, ", %lld job%s",
								  (long long)p->replay.jobs,
								  plural(p->replay.jobs)))),
				"faint");
}

/* ---- waterfall --------------------------------------------------------------------------- */

struct fall {
	struct arena *a;
	const struct plan *p;
	struct str *out;
	double min, max; /* of all that is drawn; min <= 0 */
	int row;
};

static double scale_x(const struct fall *f, dec v)
{
	return NAMES + (PLOT_W - NAMES - AMOUNT) * (dec_to_double(v) - f->min) / (f->max - f->min);
}

/* Cut at a word, the beginning tells more than the end. */
static const char *bar_name(struct arena *a, const char *name)
{
	const char *z = text_line(a, sv_of(name), 0);
	size_t n = strlen(z);

	if (text_width(sv_of(z)) <= NAME_MAX_COLUMNS)
		return z;
	while (n > 0 && (z[n] != ' ' || text_width((struct sv){ z, n }) >= NAME_MAX_COLUMNS))
		n--;
	if (n)
		return arena_printf(a, "%.*s…", (int)n, z);
	return text_line(a, sv_of(name), NAME_MAX_COLUMNS);
}

struct bar {
	const char *class, *name;
	dec from, to;
	const char *label;
	dec lo, hi; /* where it may end: 5th to 95th percentile */
};

static void draw_bar(struct fall *f, const struct bar *b)
{
	double y = 8 + ROW * f->row++, x0 = scale_x(f, min_dec(b->from, b->to)),
	       x1 = scale_x(f, max_dec(b->from, b->to));

	str_addf(f->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", NAMES - 8,
		 y + ROW * 0.62);
	write_html(f->out, bar_name(f->a, b->name));
	str_addf(
		f->out,
		"</text><rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>",
		b->class, x0, y + 3, fmax(x1 - x0, 0.5), ROW - 7);
	write_html(f->out, arena_printf(f->a, "%s: %s", b->name, b->label));
	str_addz(f->out, "</title></rect>");
	if (b->lo != b->hi) {
		double l = scale_x(f, b->lo), h = scale_x(f, b->hi), m = y + ROW / 2 - 0.5;
		str_addf(
			f->out,
			"<line class=\"whisker\" x1=\"%.2f\" x2=\"%.2f\" y1=\"%.2f\" y2=\"%.2f\"/>",
			l, h, m, m);
	}
	str_addf(f->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", PLOT_W - 2,
		 y + ROW * 0.62);
	write_html(f->out, b->label);
	str_addz(f->out, "</text>\n");
}

/* The largest steps keep a bar of their own, in the order of the plan; how many there are. */
static size_t pick_steps(const struct plan *p, bool *own)
{
	size_t n = p->rec.v.n, k;

	for (k = 0; k < n && k < STEPS_MAX; k++) {
		size_t best = n;
		for (size_t i = 0; i < n; i++)
			if (!own[i] &&
			    (best == n || p->saving_month.v[i] > p->saving_month.v[best]))
				best = i;
		own[best] = true;
	}
	return k;
}

static void widen_fall(struct fall *f, dec v)
{
	f->min = fmin(f->min, dec_to_double(v));
	f->max = fmax(f->max, dec_to_double(v));
}

static void write_waterfall(struct arena *a, const struct plan_view *v, struct str *out)
{
	const struct plan *p = v->plan;
	size_t n = p->rec.v.n;
	bool *own = arena_zalloc(a, n + 1);
	size_t shown = pick_steps(p, own);
	struct fall f = { .a = a, .p = p, .out = out, .max = 0 };
	double height = 16 + ROW * (double)(shown + 2 + (shown < n));
	dec left = p->baseline_month,
	    rest = plan_round(left, plan_digits(p)) - plan_round(p->after_month, plan_digits(p));

	if (!n || p->baseline_month <= 0 || p->undecidable)
		return;

	/* A change may cost more before others save, a range may reach above today and below
	 * nothing. */
	dec at = p->baseline_month;

	widen_fall(&f, at);
	for (size_t i = 0; i < p->rec.v.n; i++) {
		if (!own[i])
			continue;
		if (p->p05_month.v[i] != p->p95_month.v[i]) {
			widen_fall(&f, at - p->p95_month.v[i]);
			widen_fall(&f, at - p->p05_month.v[i]);
		}
		at -= p->saving_month.v[i];
		widen_fall(&f, at);
	}
	widen_fall(&f, p->after_month);
	widen_fall(&f, p->after_month_p05);
	widen_fall(&f, p->after_month_p95);
	str_addf(out, "<section>\n<h2>From today to after, %s</h2>\n",
		 *sign_of(p) ? "$ a month" : "a month");
	str_addf(
		out,
		"<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"fall\"><title id=\"fall\">Waterfall of the monthly cost from today to after "
		"all changes; the thin lines are 5th to 95th percentiles</title>\n",
		PLOT_W, height);
	draw_bar(&f, &(struct bar){ .class = "w-today",
				    .name = "Today",
				    .to = left,
				    .label = plan_money(a, left, plan_digits(p)) });
	for (size_t i = 0; i < n; i++) {
		dec next = left - p->saving_month.v[i];
		if (!own[i])
			continue;
		draw_bar(&f, &(struct bar){
				     .class = next <= left ? "w-saving" : "w-cost",
				     .name = arena_printf(a, "%zu %s", i + 1, p->rec.v.v[i]->title),
				     .from = left,
				     .to = next,
				     .label = plan_money(a, -plan_shown(p, i), plan_digits(p)),
				     .lo = left - p->p95_month.v[i],
				     .hi = left - p->p05_month.v[i] });
		left = next;
		rest -= plan_shown(p, i);
	}
	if (shown < n)
		draw_bar(&f, &(struct bar){ .class = "w-saving",
					    .name = arena_printf(a, "%zu smaller ones", n - shown),
					    .from = left,
					    .to = p->after_month,
					    .label = plan_money(a, -rest, plan_digits(p)) });
	draw_bar(&f, &(struct bar){ .class = "w-after",
				    .name = "After",
				    .to = p->after_month,
				    .label = plan_money(a, p->after_month, plan_digits(p)),
				    .lo = p->after_month_p05,
				    .hi = p->after_month_p95 });
	if (f.min < 0)
		str_addf(out,
			 "<line class=\"zero\" x1=\"%.2f\" x2=\"%.2f\" y1=\"8\" y2=\"%.0f\"/>\n",
			 scale_x(&f, 0), scale_x(&f, 0), height - 8);
	str_addz(out, "</svg>\n");
	if (shown < n)
		str_addf(
			out,
			"<p class=\"faint\">Drawn: the %zu largest of %zu changes and the sum of the others; the table has them all.</p>\n",
			shown, n);
	str_addz(out, "</section>\n");
}

/* ---- tables ------------------------------------------------------------------------------ */

static void write_number(struct str *out, const char *z)
{
	str_addz(out, "<td class=\"n\">");
	write_html(out, z);
	str_addz(out, "</td>");
}

static void write_changes(struct arena *a, const struct plan_view *v, struct str *out)
{
	const struct plan *p = v->plan;
	dec total = 0;

	if (!p->rec.v.n)
		return;
	str_addf(
		out,
		"<section>\n<h2>The changes</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th class=\"n\">#</th><th>change</th><th class=\"n\">saves "
		"%s a month</th><th class=\"n\">9 of 10 cases</th><th>tier</th><th>risk</th><th class=\"n\">days of work</th><th>who</th><th>due</th><th>status</th></tr></thead>\n<tbody>\n",
		text_if(*sign_of(p), "$"));
	for (size_t i = 0; i < p->rec.v.n; i++) {
		const struct rec *r = p->rec.v.v[i];
		const char *after = plan_after(a, p, i);
		const struct plan_mark *m = plan_mark_of(v, r->id);
		total += plan_shown(p, i);
		str_addf(out, "<tr><td class=\"n\">%zu</td><td>", i + 1);
		write_title(out, r->title);
		write_html(out, text_if(*after, arena_printf(a, " (%s)", after)));
		write_html(out, m ? arena_printf(a, " [%s]", plan_mark_seen(m)) : "");
		str_addz(out, "</td>");
		write_number(out, plan_money(a, plan_shown(p, i), plan_digits(p)));
		write_number(out, plan_range_of(a, p, i));
		write_tagged(out, "td", tier_label(r->tier));
		write_tagged(out, "td", risk_name(r->risk));
		write_number(out, plan_days(a, r->effort_days));
		write_tagged(out, "td", plan_owner(r));
		write_tagged(out, "td", plan_due_day(a, v, i));
		write_tagged(out, "td", plan_status(v, r->id));
		str_addz(out, "</tr>\n");
	}
	str_addf(
		out,
		"</tbody>\n<tfoot><tr><th></th><th>all together</th><td class=\"n\">%s</td><td></td><td></td><td></td><td></td><td></td><td></td><td></td></tr></tfoot>\n</table></div>\n",
		plan_money(a, total, plan_digits(p)));
	page_paragraphs(out, plan_in_replay(a, &p->replay), NULL);
	page_paragraphs(out, plan_machines(a, p), NULL);
	page_paragraphs(out, plan_time_to_result(a, p), NULL);
	page_paragraphs(out, plan_counted_once(a, p), NULL);
	page_paragraphs(out, plan_sureness(a, p), NULL);
	page_paragraphs(out, plan_sensitive(a, p), NULL);
	str_addz(out, "</section>\n");
}

/* What can be signed alone, in this order. */
static void write_tiers(struct arena *a, const struct plan_view *v, struct str *out)
{
	const struct plan *p = v->plan;

	if (!p->rec.v.n || p->undecidable)
		return;
	str_addf(
		out,
		"<section>\n<h2>What can be signed</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>tier</th><th class=\"n\">saves %s a month</th>"
		"<th class=\"n\">after it</th><th>binds</th></tr></thead>\n<tbody>\n",
		plan_currency_sign(a, p));
	for (int t = 0; t < TIER_N; t++) {
		const struct plan_tier *k = &p->tier[t];
		str_addz(out, "<tr>");
		write_tagged(out, "td",
			     arena_printf(a, "%s %s", tier_label((enum tier)t),
					  plan_tier_means((enum tier)t)));
		write_number(out, k->items ? plan_money(a, plan_tier_shown(p, (enum tier)t),
							plan_digits(p))
					   : "-");
		write_number(out, k->items ? plan_percent(a, plan_frac(p, p->baseline_month -
										  k->after_month))
					   : "-");
		write_tagged(out, "td", plan_tier_binds(a, p, (enum tier)t));
		str_addz(out, "</tr>\n");
	}
	str_addz(out, "</tbody>\n</table></div>\n</section>\n");
}

static void write_calendar(struct arena *a, const struct plan_view *v, struct str *out)
{
	char from[TM_BUF], to[TM_BUF];

	if (!v->nstep && isnan(v->target_frac))
		return;
	str_addz(out, "<section>\n<h2>Calendar</h2>\n");
	if (!isnan(v->target_frac))
		page_paragraphs(out, plan_target_sentence(a, v), NULL);
	if (v->nstep)
		str_addz(
			out,
			"<div class=\"scroll\"><table>\n<thead><tr><th>start</th><th>in force</th><th class=\"n\">#</th><th>change</th><th>owner</th></tr>"
			"</thead>\n<tbody>\n");
	for (size_t i = 0; i < v->nstep; i++) {
		const struct plan_step *s = &v->step[i];
		str_addf(out, "<tr><td>%s</td><td>%s</td><td class=\"n\">%zu</td>",
			 tm_format_date(from, s->start_ms), tm_format_date(to, s->done_ms),
			 s->rec + 1);
		str_addz(out, "<td>");
		write_title(out, v->plan->rec.v.v[s->rec]->title);
		str_addz(out, "</td>");
		write_tagged(out, "td", s->owner);
		str_addz(out, "</tr>\n");
	}
	str_addz(out, v->nstep ? "</tbody>\n</table></div>\n</section>\n" : "</section>\n");
}

/* ---- how sure ---------------------------------------------------------------------------- */

static void write_bullets(struct str *out, const char *title, const struct text_list *l)
{
	if (!l->n)
		return;
	str_addf(out, "<section>\n<h2>%s</h2>\n<ul>\n", title);
	for (size_t i = 0; i < l->n; i++) {
		write_tagged(out, "li", l->v[i]);
		str_addc(out, '\n');
	}
	str_addz(out, "</ul>\n</section>\n");
}

/* The first risk of each change; the same sentence once, with the numbers of all it stands for. */
static void write_risks(struct arena *a, const struct plan_view *v, struct str *out)
{
	const struct rec_list *recs = &v->plan->rec;
	struct text_list l = { 0 };

	for (size_t i = 0; i < recs->v.n; i++) {
		const struct rec *r = recs->v.v[i];
		struct str s = { 0 };
		bool again = !r->risk_text.n;
		for (size_t k = 0; k < recs->v.n && !again; k++) {
			const struct rec *o = recs->v.v[k];
			if (!o->risk_text.n || strcmp(o->risk_text.v[0], r->risk_text.v[0]))
				continue;
			again = k < i;
			str_addf(&s, "%s%zu", text_if(s.n, ", "), k + 1);
		}
		if (!again)
			*vec_push(&l) = arena_printf(a, "%s: %s", str_z(&s), r->risk_text.v[0]);
		str_free(&s);
	}
	write_bullets(out, "What could go wrong", &l);
	vec_free(&l);
}

static void write_lines(struct str *out, const char *title, const struct text_list *l)
{
	if (!l->n)
		return;
	str_addf(out, "<p>%s</p>\n<pre>", title);
	for (size_t i = 0; i < l->n; i++) {
		write_html(out, l->v[i]);
		str_addc(out, '\n');
	}
	str_addz(out, "</pre>\n");
}

void plan_html(const struct plan_view *v, struct str *out)
{
	struct arena a = { 0 };

	page_head("GPU cost plan", style, out);
	write_lead(&a, v, out);
	write_waterfall(&a, v, out);
	write_tiers(&a, v, out);
	write_changes(&a, v, out);

	struct plan_by by;
	struct err err;
	if (v->plan->rec.v.n && plan_by_make(v->plan, "workload", &by, &err) >= 0) {
		str_addz(out, "<section>\n<h2>By kind of work</h2>\n");
		plan_print_by(v, &by, OUT_HTML, out);
		str_addz(out, "</section>\n");
		plan_by_free(&by);
	}
	write_calendar(&a, v, out);

	/* A year from today: what was saved by then, and what the work until then cost. */
	struct grid g = { 0 };
	if (v->week && v->plan->rec.v.n && !v->plan->undecidable) {
		str_addf(out, "<section>\n<h2>Twelve months, saved since today, %s</h2>\n",
			 plan_currency_sign(&a, v->plan));
		plan_weeks_grid(v, &g);
		grid_html(&g, "Saved since today, at the end of each week and month", out);
		grid_free(&g);
		page_paragraphs(out, plan_paid_back(&a, v), NULL);
		str_addz(out, "</section>\n");
	}

	write_risks(&a, v, out);

	struct text_list l = plan_measured(&a, v->plan),
			 advice = plan_advice_titles(v->plan, false),
			 says = plan_advice_titles(v->plan, true), assumed = plan_assumed(&a, v),
			 notes = plan_notes(&a, v->plan);

	write_bullets(out, "What is measured and what is estimated", &l);
	write_bullets(out, "Assumptions", &assumed);
	write_bullets(out, "What there is says by itself, in no sum above", &says);
	write_bullets(out, "Estimated only, in no sum above: measure first", &advice);
	write_bullets(out, "What the history does not tell", &notes);
	vec_free(&l);
	vec_free(&advice);
	vec_free(&says);
	vec_free(&assumed);
	vec_free(&notes);
	if (v->plan->rec.v.n) {
		str_addz(out, "<section class=\"how\">\n<h2>How each is done, and undone</h2>\n");
		for (size_t i = 0; i < v->plan->rec.v.n; i++) {
			const struct rec *r = v->plan->rec.v.v[i];
			struct action_text how;
			action_text_make(r->action.v, r->action.n, &how);
			str_addz(out, "<details><summary>");
			write_title(out, arena_printf(&a, "%zu %s", i + 1, r->title));
			str_addz(out, "</summary>\n");
			write_lines(out, "Do", &how.apply);
			write_lines(out, "Undo", &how.undo);
			action_text_free(&how);
			str_addz(out, "</details>\n");
		}
		str_addz(out, "</section>\n");
	}
	page_foot(v->now_ms, out);
	arena_free(&a);
}
