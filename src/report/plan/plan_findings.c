/* What was observed, in money; and what was proposed and not taken, with the reasons. */
#include "base/str.h"
#include "report/plan/plan_formats.h"

#include "base/tm.h"
#include "report/plan/plan_cols.h"
#include "report/text.h"

/* A line "title ... amount", the title folded at the left. */
static void money_line(struct arena *a, const struct plan_view *v, const char *title,
		       const char *money, const char *below, struct str *out)
{
	int room = columns_or_80(v->width) - 14;
	struct str folded = { 0 };
	bool first = true;

	plan_fold(&folded, text_line(a, sv_of(title), 0), 0, room);
	for (const char *p = str_z(&folded); *p; first = false) {
		size_t n = strcspn(p, "\n");
		int w = text_width((struct sv){ p, n });
		if (first)
			str_addf(out, "%.*s%*s%14s\n", (int)n, p, room > w ? room - w : 0, "",
				 money);
		else
			str_addf(out, "  %.*s\n", (int)n, p);
		p += n + (p[n] == '\n');
	}
	if (*below) {
		str_addz(out, "  ");
		plan_fold(out, below, 2, columns_or_80(v->width));
	}
	str_free(&folded);
}

struct findings_doc {
	double month_hours;
	const char *currency;
	const struct plan_finding_row *finding;
	size_t nfinding;
	const struct plan_queued_row *queued;
	size_t nqueued;
	struct text_list note;
};
static const struct col findings_cols[] = {
	PLAN_HEAD_COLS(struct findings_doc),
	{ "findings", COL_LIST(struct findings_doc, finding, nfinding, plan_finding_cols),
	  .help = "what was observed, in money" },
	{ "idle_while_queued", COL_LIST(struct findings_doc, queued, nqueued, plan_queued_cols),
	  .help = "GPUs that idled while jobs that would have fitted waited" },
	{ "notes", COL_WORDS(struct findings_doc, note.v, note.n),
	  .help = "sentences: what the history does not tell" },
	{ 0 },
};
const struct col_doc plan_findings_doc = { "tare.plan-findings/1", "plan --findings",
					   "what was observed, in money", findings_cols };

static const char *finding_money(struct arena *a, const struct plan *p, const struct finding *f)
{
	if (f->nano == UNKNOWN_NANO)
		return "-";
	return plan_money(a, plan_month(p, f->nano), plan_digits(p));
}

static const char *finding_below(struct arena *a, const struct finding *f)
{
	struct str s = { 0 };

	str_addf(&s, "%s, %s", f->cause, quality_name(f->quality));
	for (size_t k = 0; k < f->evidence.n && k < 2; k++)
		str_addf(&s, " · %s %s%s%s", f->evidence.v[k].metric, f->evidence.v[k].value,
			 text_if(*f->evidence.v[k].unit, " "), f->evidence.v[k].unit);
	if (*f->lever)
		str_addf(&s, " · acted on by %s", f->lever);
	else if (!f->action.n)
		str_addf(&s, " · by hand: %s", f->by_hand);
	char *z = text_line(a, str_sv(&s), 0);
	str_free(&s);
	return z;
}

void plan_print_findings(const struct plan_view *v, enum out_format f, struct str *out)
{
	struct arena a = { 0 };
	const struct plan *p = v->plan;

	if (f == OUT_JSON) {
		const struct plan *plan = v->plan;
		struct plan_finding_row *rows = plan_finding_rows(plan, &a);
		const struct findings_doc doc = {
			plan->month_hours, plan->fleet->currency,      rows,
			plan->finding.n,   plan_queued_rows(plan, &a), plan->nqueued,
			plan->note
		};

		cols_doc(&plan_findings_doc, &doc, out);
		plan_finding_rows_free(rows, plan->finding.n);
	} else if (f == OUT_CSV) {
		size_t n = v->plan->finding.n;
		struct plan_finding_row *rows = plan_finding_rows(v->plan, &a);

		cols_csv_some(plan_finding_cols,
			      "cause title currency cost_month gpu_seconds quality lever by_hand",
			      rows, n, sizeof *rows, out);
		plan_finding_rows_free(rows, n);
	} else if (f == OUT_MD) {
		str_addf(
			out,
			"| finding | %s | cause | quality | lever, or by hand |\n|---|--:|---|---|---|\n",
			plan_unit(&a, v->plan));
		for (size_t i = 0; i < v->plan->finding.n; i++) {
			const struct finding *x = &v->plan->finding.v[i];
			str_addz(out, "| ");
			plan_md_text(out, text_line(&a, sv_of(x->title), 0));
			str_addf(out, " | %s | ", finding_money(&a, v->plan, x));
			plan_md_text(out, x->cause);
			str_addf(out, " | %s | ", quality_name(x->quality));
			plan_md_text(out, *x->lever ? x->lever : x->by_hand);
			str_addz(out, " |\n");
		}
	}
	if (f == OUT_TABLE) {
		plan_fold(out,
			  arena_printf(&a,
				       "What was observed, %s. Findings overlap: they are no sum.",
				       plan_unit(&a, p)),
			  0, columns_or_80(v->width));
		str_addc(out, '\n');
		for (size_t i = 0; i < p->finding.n; i++) {
			money_line(&a, v, p->finding.v[i].title,
				   finding_money(&a, p, &p->finding.v[i]),
				   finding_below(&a, &p->finding.v[i]), out);
			/* whole lines: they are to be pasted */
			struct action_text how;
			action_text_make(p->finding.v[i].action.v, p->finding.v[i].action.n, &how);
			for (size_t k = 0; k < how.apply.n; k++)
				str_addf(out, "    %s\n", text_line(&a, sv_of(how.apply.v[k]), 0));
			action_text_free(&how);
		}
		if (!p->finding.n)
			str_addz(out,
				 p->undecidable || !p->fleet->measured_ms
					 ? "Without readings nothing can be found.\n"
					 : "Nothing that costs money for nothing was found.\n");
		struct text_list told = plan_notes(&a, p);
		for (size_t i = 0; i < told.n; i++) {
			str_addz(out, text_if(!i, "\n"));
			plan_fold(out, text_line(&a, sv_of(told.v[i]), 0), 0,
				  columns_or_80(v->width));
		}
		vec_free(&told);
		const char *store = text_or(v->store, "");
		plan_put_next(
			arena_printf(&a, "%s   what to change", text_or(v->again, "tare plan")),
			arena_printf(&a, "tare report --by state%s   where the time went", store),
			columns_or_80(v->width), out);
	}
	arena_free(&a);
}

/* ---- what was not taken ------------------------------------------------------------------ */

void plan_put_left(struct arena *a, const struct plan_view *v, struct str *out)
{
	const struct text_list *l = &v->plan->left;

	bool nothing = !v->plan->rec.v.n && !v->plan->refused.v.n;

	if (l->n)
		str_addf(out, "\nLooked at, %s:\n",
			 nothing ? "nothing to propose" : "and left as it is");
	for (size_t i = 0; i < l->n; i++) {
		str_addz(out, "  ");
		plan_fold(out, text_line(a, sv_of(l->v[i]), 0), 2, columns_or_80(v->width));
	}
}

struct refused_doc {
	double month_hours;
	const char *currency;
	const struct plan_refused_row *refused;
	size_t nrefused;
};
static const struct col refused_doc_cols[] = {
	PLAN_HEAD_COLS(struct refused_doc),
	{ "refused", COL_LIST(struct refused_doc, refused, nrefused, plan_refused_cols),
	  .help = "what was proposed and not taken" },
	{ 0 },
};
const struct col_doc plan_refused_doc = { "tare.plan-refused/1", "plan --refused",
					  "what was proposed and not taken, with the reasons",
					  refused_doc_cols };

void plan_print_refused(const struct plan_view *v, enum out_format f, struct str *out)
{
	struct arena a = { 0 };
	const struct plan *p = v->plan;

	if (f == OUT_JSON) {
		const struct refused_doc doc = { p->month_hours, p->fleet->currency,
						 plan_refused_rows(p, &a), p->refused.v.n };
		cols_doc(&plan_refused_doc, &doc, out);
	} else if (f == OUT_CSV) {
		cols_csv_some(plan_refused_cols, "id lever title currency alone_month why",
			      plan_refused_rows(p, &a), p->refused.v.n,
			      sizeof(struct plan_refused_row), out);
	} else {
		plan_fold(out,
			  arena_printf(&a, "Proposed and not taken. What each would save, %s:",
				       plan_unit(&a, p)),
			  0, columns_or_80(v->width));
		str_addc(out, '\n');
		for (size_t i = 0; i < p->refused.v.n; i++) {
			const struct rec *r = p->refused.v.v[i];
			const char *why = i < p->refused_why.n ? p->refused_why.v[i] : "";
			const struct plan_mark *m = plan_mark_of(v, r->id);
			char day[TM_BUF];

			/* with what people said where they dismissed it */
			if (m && m->word == PLAN_DISMISSED)
				why = arena_printf(&a, "%s%s%s on %s: %s", why,
						   text_if(*m->user, " by "), m->user,
						   tm_format_date(day, m->at_ms), m->reason);
			money_line(&a, v, r->title,
				   plan_worth(r) ? plan_money(&a, plan_month(p, plan_worth(r)),
							      plan_digits(p))
						 : "-",
				   text_line(&a, sv_of(arena_printf(&a, "%s: %s", r->id, why)), 0),
				   out);
		}
		if (!p->refused.v.n)
			str_addz(out, "Nothing: every proposal is in the plan.\n");
		plan_put_left(&a, v, out);
	}
	arena_free(&a);
}
