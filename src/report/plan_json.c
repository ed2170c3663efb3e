/* {"schema":"tare.plan/1", ...}: the keys of the contract in its order, and more behind them; and
 * CSV. */
#include "report/plan_formats.h"

#include <math.h>

#include "base/jw.h"
#include "report/action_text.h"
#include "report/plan_json.h"
#include "report/text.h"

void plan_put_time(struct jw *w, const char *key, int64_t ms)
{
	jw_key(w, key);
	if (ms == UNKNOWN_MS || ms == INT64_MAX)
		jw_null(w);
	else
		jw_time(w, ms);
}

void plan_put_lines(struct jw *w, const char *key, const struct text_list *l)
{
	jw_key(w, key);
	jw_arr(w);
	for (size_t i = 0; i < l->n; i++)
		jw_str(w, l->v[i]);
	jw_end_arr(w);
}

static void put_evidence(struct jw *w, const struct evidence *e, size_t n)
{
	jw_key(w, "evidence");
	jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		jw_obj(w);
		jw_put_text(w, "metric", e[i].metric);
		jw_put_text(w, "value", e[i].value);
		jw_put_text(w, "unit", e[i].unit);
		jw_put_text(w, "window", e[i].window);
		jw_put_text(w, "source", e[i].source);
		jw_put_text(w, "quality", quality_name(e[i].quality));
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void put_subject(struct jw *w, const struct subject *s, size_t n)
{
	jw_key(w, "subject");
	jw_obj(w);
	for (size_t i = 0; i < n; i++) {
		bool again = false;
		for (size_t k = 0; k < i; k++)
			again |= !strcmp(s[k].key, s[i].key);
		if (!again) /* a key twice is no JSON: the first one names it */
			jw_put_text(w, s[i].key, s[i].value);
	}
	jw_end_obj(w);
}

static void put_replay(struct jw *w, const struct rec_replay *r, bool replayed)
{
	jw_key(w, "replay");
	if (!replayed) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	plan_put_time(w, "since", r->since_ms);
	plan_put_time(w, "until", r->until_ms);
	jw_put_int(w, "deadline_misses", r->deadline_misses);
	jw_put_int(w, "slo_violations", r->slo_violations);
	jw_put_int(w, "oom", r->oom);
	jw_put_num(w, "interruptions", r->interruptions, 3);
	jw_put_int(w, "jobs", r->jobs);
	jw_put_int(w, "requests", r->requests);
	jw_put_num(w, "p99_before_ms", r->p99_before_ms, 3);
	jw_put_num(w, "p99_after_ms", r->p99_after_ms, 3);
	jw_end_obj(w);
}

static void put_mark(const struct plan_view *v, struct jw *w, const char *id)
{
	const struct plan_mark *m = plan_mark_of(v, id);

	jw_key(w, "decision");
	if (!m) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	jw_put_text(w, "word", plan_word_name(m->word));
	plan_put_time(w, "at", m->at_ms);
	jw_put_text(w, "by", m->user);
	jw_put_text(w, "reason", m->reason);
	jw_end_obj(w);
}

void plan_put_rec(const struct plan_view *v, struct jw *w, const struct rec *r, size_t chosen)
{
	const struct plan *p = v->plan;
	bool in = chosen != SIZE_MAX;
	struct action_text how;

	action_text_make(r->action.v, r->action.n, &how);
	jw_obj(w);
	jw_put_text(w, "id", r->id);
	jw_put_text(w, "lever", r->lever);
	jw_put_text(w, "title", r->title);
	put_subject(w, r->subject.v, r->subject.n);
	jw_put_dec(w, "saving_month", in, in ? p->saving_month.v[chosen] : 0);
	jw_put_dec(w, "p05", in, in ? p->p05_month.v[chosen] : 0);
	jw_put_dec(w, "p95", in, in ? p->p95_month.v[chosen] : 0);
	jw_put_num(w, "confidence", r->confidence_frac, 4);
	jw_put_text(w, "risk", risk_name(r->risk));
	jw_put_num(w, "effort_days", r->effort_days, 3);
	plan_put_lines(w, "depends_on", &r->depends_on);
	put_evidence(w, r->evidence.v, r->evidence.n);
	put_replay(w, &r->replay, !r->advice);
	plan_put_lines(w, "apply", &how.apply);
	plan_put_lines(w, "undo", &how.undo);
	jw_key(w, "actions");
	action_json(r->action.v, r->action.n, w);
	action_text_free(&how);
	jw_put_dec(w, "alone_month", !r->advice, plan_month(p, r->alone_nano));
	plan_put_lines(w, "risks", &r->risk_text);
	jw_put_num(w, "within_days", r->within_days, 3);
	jw_put_text(w, "team", r->team);
	jw_put_int(w, "works", (int64_t)r->change.n);
	jw_key(w, "quality_risk");
	jw_bool(w, r->quality_risk);
	put_mark(v, w, r->id);
	jw_end_obj(w);
}

void plan_put_finding(struct jw *w, const struct plan *p, const struct finding *f)
{
	char buf[DEC_BUF];
	struct action_text how;

	action_text_make(f->action.v, f->action.n, &how);
	jw_obj(w);
	jw_put_text(w, "cause", f->cause);
	jw_put_text(w, "title", f->title);
	put_subject(w, f->subject.v, f->subject.n);
	jw_put_dec(w, "cost_month", true, plan_month(p, f->nano));
	jw_key(w, "gpu_seconds");
	jw_str(w, text_seconds(buf, f->gpu_ms));
	jw_put_text(w, "quality", quality_name(f->quality));
	jw_put_text(w, "lever", f->lever);
	put_evidence(w, f->evidence.v, f->evidence.n);
	plan_put_lines(w, "apply", &how.apply);
	action_text_free(&how);
	jw_end_obj(w);
}

void plan_put_refused(const struct plan_view *v, struct jw *w)
{
	const struct plan *p = v->plan;

	jw_key(w, "refused");
	jw_arr(w);
	for (size_t i = 0; i < p->refused.v.n; i++) {
		const struct rec *r = p->refused.v.v[i];
		jw_obj(w);
		jw_put_text(w, "id", r->id);
		jw_put_text(w, "lever", r->lever);
		jw_put_text(w, "title", r->title);
		jw_put_text(w, "why", i < p->refused_why.n ? p->refused_why.v[i] : NULL);
		jw_put_dec(w, "alone_month", plan_worth(r) != 0, plan_month(p, plan_worth(r)));
		jw_put_text(w, "risk", risk_name(r->risk));
		jw_put_num(w, "effort_days", r->effort_days, 3);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void put_sensitivity(struct jw *w, const struct plan *p)
{
	jw_key(w, "sensitivity");
	jw_arr(w);
	for (size_t i = 0; i < p->sensitivity.n; i++) {
		const struct plan_case *k = &p->sensitivity.v[i];
		jw_obj(w);
		jw_put_text(w, "case", k->name);
		jw_put_dec(w, "baseline_month", true, plan_month(p, k->baseline_nano));
		jw_put_dec(w, "after_month", true, plan_month(p, k->after_nano));
		jw_put_num(w, "saving_frac",
			   k->baseline_nano > 0 ? (double)(k->baseline_nano - k->after_nano) /
							  (double)k->baseline_nano
						: NAN,
			   6);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void put_target(const struct plan_view *v, struct jw *w)
{
	jw_key(w, "target");
	if (isnan(v->target_frac)) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	jw_put_num(w, "saving_frac", v->target_frac, 6);
	plan_put_time(w, "by", v->target_ms);
	jw_put_num(w, "reached_frac", v->target_reached_frac, 6);
	jw_put_num(w, "most_frac", v->target_most_frac, 6);
	jw_key(w, "reached");
	jw_bool(w, v->target_reached_frac >= v->target_frac);
	jw_end_obj(w);
	jw_key(w, "calendar");
	jw_arr(w);
	for (size_t i = 0; i < v->nstep; i++) {
		jw_obj(w);
		jw_put_text(w, "id", v->plan->rec.v.v[v->step[i].rec]->id);
		plan_put_time(w, "start", v->step[i].start_ms);
		plan_put_time(w, "in_force", v->step[i].done_ms);
		jw_put_text(w, "owner", v->step[i].owner);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void put_head(const struct plan *p, struct jw *w)
{
	bool known = !p->undecidable;

	jw_put_text(w, "schema", "tare.plan/1");
	jw_put_num(w, "month_hours", p->month_hours, 6);
	jw_put_text(w, "currency", p->fleet->currency);
	jw_key(w, "baseline");
	jw_obj(w);
	jw_put_dec(w, "cost_month", plan_knows_cost(p), p->baseline_month);
	jw_end_obj(w);
	jw_key(w, "after");
	jw_obj(w);
	jw_put_dec(w, "cost_month", known, p->after_month);
	jw_put_dec(w, "p05", known, p->after_month_p05);
	jw_put_dec(w, "p95", known, p->after_month_p95);
	jw_end_obj(w);
	jw_put_num(w, "saving_frac", known ? plan_frac(p, plan_saving(p)) : NAN, 6);
}

static void put_window(const struct plan *p, struct jw *w)
{
	jw_key(w, "window");
	jw_obj(w);
	plan_put_time(w, "since", p->fleet->since_ms);
	plan_put_time(w, "until", p->fleet->until_ms);
	jw_end_obj(w);
	jw_put_num(w, "measured_frac", text_frac(p->fleet->measured_ms, p->fleet->gpu_ms), 6);
}

/* Findings and what was not taken, then what tells how sure it all is. */
static void put_rest(const struct plan_view *v, struct jw *w)
{
	const struct plan *p = v->plan;

	jw_key(w, "findings");
	jw_arr(w);
	for (size_t i = 0; i < p->finding.n; i++)
		plan_put_finding(w, p, &p->finding.v[i]);
	jw_end_arr(w);
	jw_key(w, "advice");
	jw_arr(w);
	for (size_t i = 0; i < p->advice.v.n; i++)
		plan_put_rec(v, w, p->advice.v.v[i], SIZE_MAX);
	jw_end_arr(w);
	plan_put_refused(v, w);
	put_sensitivity(w, p);
	plan_put_lines(w, "notes", &p->note);
	put_target(v, w);
	jw_key(w, "exact");
	jw_bool(w, p->exact);
	jw_put_dec(w, "bound_month", !p->exact && !p->undecidable, plan_month(p, p->bound_nano));
	put_replay(w, &p->replay, p->rec.v.n > 0);
	put_window(p, w);
	jw_put_num(w, "saving_frac_p05", p->undecidable ? NAN : p->saving_frac_p05, 6);
	jw_put_num(w, "saving_frac_p95", p->undecidable ? NAN : p->saving_frac_p95, 6);
	jw_key(w, "undecidable");
	jw_bool(w, p->undecidable);
}

void plan_json(const struct plan_view *v, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	put_head(v->plan, &w);
	jw_key(&w, "recommendations");
	jw_arr(&w);
	for (size_t i = 0; i < v->plan->rec.v.n; i++)
		plan_put_rec(v, &w, v->plan->rec.v.v[i], i);
	jw_end_arr(&w);
	put_rest(v, &w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

/* ---- CSV --------------------------------------------------------------------------------- */

void plan_csv_cell(struct str *out, const char *z)
{
	str_addc(out, ',');
	text_csv(out, sv_of(z ? z : ""));
}

static void csv_money(struct str *out, dec v)
{
	char buf[DEC_BUF];

	str_addf(out, ",%s", dec_format(buf, v));
}

void plan_csv(const struct plan_view *v, struct str *out)
{
	const struct plan *p = v->plan;

	str_addz(
		out,
		"number,id,lever,title,currency,saving_month,p05,p95,alone_month,risk,effort_days,within_days,team,depends_on\n");
	for (size_t i = 0; i < p->rec.v.n; i++) {
		const struct rec *r = p->rec.v.v[i];
		struct str deps = { 0 };
		str_addf(out, "%zu", i + 1);
		plan_csv_cell(out, r->id);
		plan_csv_cell(out, r->lever);
		plan_csv_cell(out, r->title);
		plan_csv_cell(out, p->fleet->currency);
		csv_money(out, p->saving_month.v[i]);
		csv_money(out, p->p05_month.v[i]);
		csv_money(out, p->p95_month.v[i]);
		csv_money(out, plan_month(p, r->alone_nano));
		plan_csv_cell(out, risk_name(r->risk));
		str_addf(out, ",%.10g,%.10g", r->effort_days, r->within_days);
		plan_csv_cell(out, r->team);
		for (size_t k = 0; k < r->depends_on.n; k++)
			str_addf(&deps, "%s%s", k ? ";" : "", r->depends_on.v[k]);
		plan_csv_cell(out, str_z(&deps));
		str_addc(out, '\n');
		str_free(&deps);
	}
}
