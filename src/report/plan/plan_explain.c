/* All about one recommendation, and all about one job. */
#include "base/num.h"
#include "base/str.h"
#include "answer/explain.h"
#include "report/plan/plan_formats.h"

#include <math.h>

#include "base/tm.h"
#include "plan/workload.h"
#include "report/cost/energy.h"
#include "report/plan/plan_cols.h"
#include "report/text.h"

#define LABEL 12 /* columns of the words at the left */

static void write_field(const struct plan_view *v, const char *label, const char *text,
			struct str *out)
{
	str_addf(out, "%-*s", LABEL, label);
	plan_fold(out, text, LABEL, columns_or_80(v->width));
}

/* ---- a recommendation -------------------------------------------------------------------- */

/* Nothing is said of what nobody knows. */
static void write_energy(struct arena *a, const struct plan_view *v, size_t i, struct str *out)
{
	const struct energy_saved *e = NULL;

	if (v->energy && v->energy->item)
		e = &v->energy->item[i];
	if (e && !isnan(e->kwh))
		write_field(v, "Energy", energy_saved_text(a, e), out);
}

/* An estimate, which is in no sum. */
static void may_save(struct arena *a, const struct plan_view *v, const struct rec *r,
		     struct str *out)
{
	const char *much = plan_may_save(a, v->plan, r);

	write_field(v, "May save",
		    *much ? arena_printf(a, "%s: estimated, and in no sum", much)
			  : "not known: measure first",
		    out);
}

static void write_saves(struct arena *a, const struct plan_view *v, size_t i, struct str *out)
{
	const struct plan *p = v->plan;
	const struct rec *r = p->rec.v.v[i];
	int digits = plan_digits(p);
	dec alone = plan_alone_month(p, r), saving = p->saving_month.v[i];
	if (r->prepares) {
		write_field(v, "Saves", "nothing by itself: it makes a later saving possible", out);
		return;
	}
	dec lo, hi;
	plan_shown_limits(p, i, &lo, &hi);
	const char *range = lo == hi ? "without a range: nothing in it is uncertain in the replay"
				     : arena_printf(a, "%s to %s (5th to 95th percentile)",
						    plan_money(a, lo, digits),
						    plan_money(a, hi, digits));

	write_field(v, "Saves",
		    arena_printf(a, "%s %s, %s", plan_money(a, plan_shown(p, i), digits),
				 plan_unit(a, p), range),
		    out);
	/* one is a point and the other a median: less than a percent is no news */
	dec more = alone > saving ? alone - saving : saving - alone;
	if (!plan_alone_known(r) || more <= alone / 100)
		return;
	if (!i)
		write_field(
			v, "",
			arena_printf(
				a,
				"worth %s on the history as it was: the saving is the median of the cases",
				plan_money(a, alone, digits)),
			out);
	else if (plan_round(alone, digits) > plan_round(saving, digits))
		write_field(
			v, "",
			arena_printf(
				a,
				"worth %s alone; %s of it is already saved by what comes before it",
				plan_money(a, alone, digits),
				plan_money(a, alone - saving, digits)),
			out);
	else if (plan_round(alone, digits) < plan_round(saving, digits))
		write_field(
			v, "",
			arena_printf(
				a,
				"worth %s alone; the rest is possible only after what comes before it",
				plan_money(a, alone, digits)),
			out);
}

static const char *format_days(struct arena *a, double n)
{
	return arena_printf(a, "%s day%s", plan_days(a, n), text_if(n != 1, "s"));
}

/* "3 jobs, free time of 2 machines": what it changes, by kind. */
static const char *format_touched(struct arena *a, const struct plan *p, const struct rec *r)
{
	static const char *const one[] = { "%s%zu job", "%s%zu replica of a service",
					   "%sfree time of %zu machine", "%s%zu item of the bill" };
	static const char *const many[] = { "%s%zu jobs", "%s%zu replicas of services",
					    "%sfree time of %zu machines",
					    "%s%zu lines of the bill" };
	size_t n[4] = { 0 };
	struct str s = { 0 };

	for (size_t i = 0; i < r->change.n; i++)
		if (r->change.v[i].workload < p->fleet->workload.n)
			n[p->fleet->workload.v[r->change.v[i].workload].kind]++;
	for (int k = 0; k < 4; k++)
		if (n[k])
			str_addf(&s, n[k] == 1 ? one[k] : many[k], text_if(s.n, ", "), n[k]);
	const char *z = "nothing of the history";
	if (s.n)
		z = arena_strn(a, s.p, s.n);
	str_free(&s);
	return z;
}

static const char *const tier_says[TIER_N] = {
	[TIER_SURE] = "can be undone, and nothing it touches runs longer or with less than today",
	[TIER_TRIAL] = "a small experiment decides",
	[TIER_BINDS] = "binds money that cannot be taken back",
};

/* i: its place in the plan; SIZE_MAX: it is not in it (advice, or dismissed). */
static void write_facts(struct arena *a, const struct plan_view *v, const struct rec *r, size_t i,
			struct str *out)
{
	const struct plan *p = v->plan;
	const struct plan_mark *m = plan_mark_of(v, r->id);
	const char *after = i == SIZE_MAX ? "" : plan_after(a, p, i);
	char day[TM_BUF];

	if (r->kind != ADVICE_NONE) {
		/* What it is about, and what it may save where that is known. */
		if (r->has_cost)
			write_field(v, "About",
				    arena_printf(a, "%s %s",
						 plan_money(a, r->cost_month, plan_digits(v->plan)),
						 plan_unit(a, v->plan)),
				    out);
		if (r->p95_nano > 0)
			may_save(a, v, r, out);
	} else if (i == SIZE_MAX && (r->advice || !plan_worth(r)))
		may_save(a, v, r, out);
	else if (i == SIZE_MAX) /* not in the plan: what it would be worth */
		write_field(
			v, "Saves",
			arena_printf(a, "about %s %s, if it were done; it is in no sum",
				     plan_money(a, plan_month(p, plan_worth(r)), plan_digits(p)),
				     plan_unit(a, p)),
			out);
	else
		write_saves(a, v, i, out);
	if (i != SIZE_MAX)
		write_energy(a, v, i, out);
	if (r->kind == ADVICE_NONE) {
		const char *term = "", *sure = "";

		if (r->bound_nano > 0)
			term = arena_printf(
				a, " (%s %s over its term)",
				plan_money(a, nano_to_dec(r->bound_nano), plan_digits(v->plan)),
				plan_currency_sign(a, v->plan));
		if (isfinite(r->confidence_frac) && r->confidence_frac > 0)
			sure = arena_printf(a,
					    "; the saving lies in its range with confidence %.2f",
					    r->confidence_frac);
		write_field(
			v, "Tier",
			arena_printf(a, "%s: %s%s", tier_label(r->tier), tier_says[r->tier], term),
			out);
		write_field(v, "Risk", arena_printf(a, "%s%s", risk_name(r->risk), sure), out);
	}
	write_field(v, "Effort",
		    arena_printf(a, "%s of work by %s, in force after %s",
				 format_days(a, r->effort_days),
				 text_line(a, sv_of(plan_owner(r)), 0),
				 format_days(a, r->within_days)),
		    out);
	if (*after)
		write_field(v, "Only", after, out);
	if (i != SIZE_MAX)
		write_field(v, "Touches", format_touched(a, v->plan, r), out);
	if (r->quality_risk)
		write_field(v, "Quality",
			    "may change the quality of the model: measure before and after", out);
	if (m)
		write_field(v, "Decided",
			    text_line(a,
				      sv_of(arena_printf(a, "%s%s%s on %s%s%s", plan_mark_seen(m),
							 text_if(*m->user, " by "), m->user,
							 tm_format_date(day, m->at_ms),
							 text_if(*m->reason, ": "), m->reason)),
				      0),
			    out);
}

#define KNOWN 11 /* "estimated" and the blanks before it */

/* A figure: what at the left, folded; the value at the right of its column, and how it is known. */
static void write_figure(struct arena *a, const struct evidence *e, int width, struct str *out)
{
	double frac;
	/* people read percent */
	bool share = !strncmp(e->unit, "frac", 4) && strchr(" ", e->unit[4]) &&
		     sv_f64(sv_of(e->value), &frac) == 0;
	const char *value =
		share ? text_line(a, sv_of(arena_printf(a, "%.3g %%%s", frac * 100, e->unit + 4)),
				  34)
		      : text_line(a,
				  sv_of(arena_printf(a, "%s%s%s", e->value, text_if(*e->unit, " "),
						     e->unit)),
				  34);
	int room = width - KNOWN - 2 - text_width(sv_of(value));
	struct str folded = { 0 };
	bool first = true;

	plan_fold(&folded, text_line(a, sv_of(e->metric), 0), 0, room - 2);
	for (const char *p = str_z(&folded); *p; first = false) {
		size_t n = strcspn(p, "\n");
		int w = text_width((struct sv){ p, n });
		if (first)
			str_addf(out, "  %.*s%*s%s  %s\n", (int)n, p, room > w ? room - w : 1, "",
				 value, quality_name(e->quality));
		else
			str_addf(out, "    %.*s\n", (int)n, p);
		p += n + (p[n] == '\n');
	}
	str_free(&folded);
}

static void write_replay(struct arena *a, const struct plan_view *v, const struct rec *r,
			 struct str *out)
{
	str_addc(out, '\n');
	if (r->kind != ADVICE_NONE) {
		plan_fold(out, "What there is says so; nothing of it is in a sum.", 0,
			  columns_or_80(v->width));
		return;
	}
	if (r->advice) {
		plan_fold(out, "Not replayed: an estimate. It is in no sum; measure first.", 0,
			  columns_or_80(v->width));
		return;
	}
	plan_fold(out,
		  arena_printf(a, "Replayed on %s%s.",
			       text_window(a, r->replay.since_ms, r->replay.until_ms),
			       text_if(r->replay.jobs > 0,
				       arena_printf(a, ", %lld job%s", (long long)r->replay.jobs,
						    plural(r->replay.jobs)))),
		  0, columns_or_80(v->width));
	plan_fold(out, plan_in_replay(a, &r->replay), 0, columns_or_80(v->width));
}

static void rec_text(struct arena *a, const struct plan_view *v, const struct rec *r, size_t i,
		     struct str *out)
{
	const char *store = text_or(v->store, "");
	struct action_text how;

	action_text_make(r->action.v, r->action.n, &how);
	str_addz(out, i == SIZE_MAX ? "-  " : arena_printf(a, "%zu  ", i + 1));
	plan_fold(out, text_line(a, sv_of(r->title), 0), 3, columns_or_80(v->width));
	str_addf(out, "   %s\n\n", r->id);
	write_facts(a, v, r, i, out);
	if (r->evidence.n)
		str_addz(out, "\nWhy\n");
	for (size_t k = 0; k < r->evidence.n; k++)
		write_figure(a, &r->evidence.v[k], columns_or_80(v->width), out);

	/* Each source once, in the order of the figures. */
	struct str from = { 0 };
	for (size_t k = 0; k < r->evidence.n; k++) {
		const char *source = r->evidence.v[k].source;
		bool again = !*source;
		for (size_t j = 0; j < k; j++)
			again |= !strcmp(r->evidence.v[j].source, source);
		if (!again)
			str_addf(&from, "%s%s", from.n ? "; " : "From: ", source);
	}
	if (from.n) {
		str_addz(out, "  ");
		plan_fold(out, text_line(a, str_sv(&from), 0), 2, columns_or_80(v->width));
	}
	str_free(&from);

	write_replay(a, v, r, out);
	if (r->risk_text.n)
		str_addz(out, "\nWhat could go wrong\n");
	for (size_t k = 0; k < r->risk_text.n; k++) {
		str_addz(out, "  ");
		plan_fold(out, text_line(a, sv_of(r->risk_text.v[k]), 0), 2,
			  columns_or_80(v->width));
	}
	if (how.apply.n)
		plan_paste(a, "Do", &how.apply, out);
	if (how.undo.n)
		plan_paste(a, "Undo", &how.undo, out);
	action_text_free(&how);
	str_addc(out, '\n');
	if (i != SIZE_MAX)
		str_addf(out, "tare plan accept %s%s\ntare plan dismiss %s --reason TEXT%s\n",
			 r->id, store, r->id, store);
	const struct plan_mark *m = plan_mark_of(v, r->id);
	if (i == SIZE_MAX && m && m->word == PLAN_DISMISSED) {
		/* Of what was dismissed. */
		const char *comes_back =
			"Not proposed, as it was dismissed. To have it proposed again:";
		if (m->said)
			comes_back =
				"Not shown with plans, as long as it says the same and is about as much. To see it again:";

		plan_fold(out, comes_back, 0, columns_or_80(v->width));

		str_addf(out, "tare plan reset %s%s\n", r->id, store);
	} else if (r->tier == TIER_TRIAL && !r->prepares) {
		str_addf(out, "tare plan trial %s%s\n", r->id, store);
	}
}

struct rec_doc {
	double month_hours;
	const char *currency;
	int64_t number;
	struct plan_rec_row rec;
};

static bool get_number(const void *row, union col_value *ret)
{
	ret->n = ((const struct rec_doc *)row)->number;
	return ret->n > 0;
}

static const struct col rec_doc_cols[] = {
	PLAN_HEAD_COLS(struct rec_doc),
	{ "number", COL_INT, .get = get_number,
	  .help = "in the plan, from 1; null: advice, or dismissed" },
	{ "recommendation", COL_ROW, offsetof(struct rec_doc, rec), .sub = plan_rec_cols,
	  .help = "as the plan has it" },
	{ 0 },
};

static void print_one(const struct plan_view *v, const struct rec *r, size_t i, enum out_format f,
		      struct str *out)
{
	struct arena a = { 0 };

	if (f == OUT_JSON) {
		struct rec_doc doc = { v->plan->month_hours, v->plan->fleet->currency,
				       i == SIZE_MAX ? 0 : (int64_t)i + 1 };

		plan_rec_row(v, r, i, &a, &doc.rec);
		cols_doc(&explain_doc, &doc, out);
		plan_rec_rows_free(&doc.rec, 1);
	} else if (f == OUT_MD) {
		str_addz(out, "```\n");
		rec_text(&a, v, r, i, out);
		str_addz(out, "```\n");
	} else {
		rec_text(&a, v, r, i, out);
	}
	arena_free(&a);
}

void plan_print_rec(const struct plan_view *v, size_t rec, enum out_format f, struct str *out)
{
	print_one(v, v->plan->rec.v.v[rec], rec, f, out);
}

void plan_print_advice(const struct plan_view *v, size_t at, enum out_format f, struct str *out)
{
	print_one(v, v->plan->advice.v.v[at], SIZE_MAX, f, out);
}

void plan_print_dismissed(const struct plan_view *v, size_t at, enum out_format f, struct str *out)
{
	print_one(v, v->plan->refused.v.v[at], SIZE_MAX, f, out);
}

/* ---- a job ------------------------------------------------------------------------------- */

static const char *format_instant(struct arena *a, int64_t ms)
{
	char buf[TM_BUF];

	if (ms == UNKNOWN_MS)
		return "-";
	return arena_printf(a, "%.16s", tm_format(buf, ms));
}

static const char *format_money(struct arena *a, int64_t nano)
{
	char buf[DEC_BUF];

	return arena_printf(a, "%s", dec_format_people(buf, nano_to_dec(nano), 2));
}

/* "busy 25 %, idle 73 %": by time held, states that occur. */
static const char *format_states(struct arena *a, const struct workload *w)
{
	struct str s = { 0 };
	__int128 ms[STATE_N] = { 0 };
	char *share[STATE_N];

	for (int i = STATE_BUSY; i < STATE_N; i++)
		ms[i] = w->state_ms[i];
	text_shares(a, w->ms, STATE_N, ms, share);
	for (int i = STATE_BUSY; i < STATE_N; i++)
		if (w->state_ms[i] > 0)
			str_addf(&s, "%s%s %s%s", text_if(s.n, ", "), state_name(i), share[i],
				 text_if(workload_is_priced(w),
					 arena_printf(a, " (%s)",
						      format_money(a, w->state_nano[i]))));
	char *z = arena_strn(a, str_z(&s), s.n);
	str_free(&s);
	return z;
}

/* No list of jobs has it: what there is comes from hours that its GPUs were read or paid in. */
static bool is_unlisted(const struct workload *w)
{
	return !w->attempts;
}

/* GPUs in thousandths: of those that were read, where no list says how many it had. */
static int64_t gpus_milli_of(const struct workload *w)
{
	if (is_unlisted(w) && w->stats.gpus > 0)
		return (int64_t)w->stats.gpus * 1000;
	return w->gpus_milli;
}

/* "2026-11-20T08:00 to 2026-11-20T09:00, 1 h 00 min, booked for 2 h". */
static const char *format_ran(struct arena *a, const struct workload *w)
{
	char buf[TM_BUF], span[TM_BUF] = "-";

	if (is_unlisted(w))
		return arena_printf(
			a, "within %s to %s, each GPU %s on average; no list of jobs says more",
			format_instant(a, w->start_ms), format_instant(a, w->end_ms),
			tm_format_span(buf, w->ms * 1000 / max_i64(gpus_milli_of(w), 1)));
	if (w->start_ms != UNKNOWN_MS && w->end_ms != UNKNOWN_MS && w->end_ms >= w->start_ms)
		tm_format_span(span, w->held_ms);
	return arena_printf(
		a, "%s to %s, %s%s", format_instant(a, w->start_ms), format_instant(a, w->end_ms),
		span,
		w->limit_ms == UNKNOWN_MS
			? ""
			: arena_printf(a, ", booked for %s", tm_format_span(buf, w->limit_ms)));
}

static const char *format_ended(struct arena *a, const struct workload *w)
{
	if (is_unlisted(w))
		return "not told";
	return arena_printf(a, "%s after %d attempt%s",
			    *w->end_state ? text_line(a, sv_of(w->end_state), 20) : "not told how,",
			    w->attempts, plural(w->attempts));
}

static const char *format_cost(struct arena *a, const struct workload *w)
{
	const char *hours = text_gpu_hours(a, w->ms, 1);

	if (!workload_is_priced(w))
		return arena_printf(a, "- for %s GPU·h in the window: without a price", hours);
	return arena_printf(
		a, "%s %s for %s GPU·h in the window%s", format_money(a, w->cost_nano), w->currency,
		hours,
		text_if(w->unpriced_ms > 0, arena_printf(a, ", %s GPU·h of it without a price",
							 text_gpu_hours(a, w->unpriced_ms, 1))));
}

static void write_ran(struct arena *a, const struct plan_view *v, const struct workload *w,
		      struct str *out)
{
	write_field(v, "Ran", format_ran(a, w), out);
	write_field(v, "Ended", format_ended(a, w), out);
	write_field(v, "Cost", format_cost(a, w), out);
	write_field(v, "Did", *format_states(a, w) ? format_states(a, w) : "-", out);
}

static void job_piece(struct arena *a, const struct plan_view *v, const struct workload *w,
		      struct str *out)
{
	const struct workload_stats *t = &w->stats;

	/* "n1, p3.8xlarge, 4 x V100-SXM2-16GB, on_demand", as far as it is told. */
	const char *part[] = { w->node, w->instance_type,
			       arena_printf(a, "%.3g x %s", (double)gpus_milli_of(w) / 1000,
					    filled_or(w->gpu_model, "GPU")),
			       w->purchase };
	struct str s = { 0 };

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (*part[i])
			str_addf(&s, "%s%s", text_if(s.n, ", "), part[i]);
	const char *where = arena_strn(a, str_z(&s), s.n);
	str_free(&s);
	write_field(v, "On", text_line(a, sv_of(where), 0), out);

	write_ran(a, v, w, out);
	if (t->covered_frac > 0 && t->gpus > 0)
		write_field(v, "Used",
			    arena_printf(
				    a, "%d of %d GPU%s; utilisation %.0f %% on average%s",
				    t->gpus_used, t->gpus, plural(t->gpus), t->util_mean_pct,
				    text_if(isfinite(t->mem_p99_bytes),
					    arena_printf(
						    a, ", memory %.1f GiB (p99 of its fullest GPU)",
						    t->mem_p99_bytes / 1073741824.0))),
			    out);
	else
		write_field(v, "Used", "unknown: no reading", out);
	const char *stopped = "not known whether it saves its state";
	if (w->checkpointable > 0)
		stopped = "it continues from its saved state";
	else if (w->checkpointable == 0)
		stopped = "its work is lost: it saves no state";
	write_field(v, "If stopped", stopped, out);
}

/* What the plan does to it, in order. */
static void job_plan(struct arena *a, const struct plan_view *v, uint32_t workload, int64_t cost,
		     struct str *out)
{
	const struct plan *p = v->plan;

	for (size_t i = 0; i < p->rec.v.n; i++) {
		const struct rec *r = p->rec.v.v[i];
		for (size_t k = 0; k < r->change.n; k++) {
			const struct rec_change *c = &r->change.v[k];
			if (c->workload != workload)
				continue;
			write_field(
				v, arena_printf(a, "Plan %zu", i + 1),
				text_line(a,
					  sv_of(arena_printf(a, "%s: %s -> %s (%.3g x %s, %s)",
							     r->title, format_money(a, cost),
							     format_money(a, c->after.cost_nano),
							     (double)c->after.gpus_milli / 1000,
							     text_or(c->after.gpu_model, "-"),
							     text_or(c->after.purchase, "-"))),
					  0),
				out);
			cost = c->after.cost_nano;
		}
	}
}

/* "ann, team vision, training": what is known. */
static const char *format_owner(struct arena *a, const struct workload *w)
{
	const struct {
		const char *label, *text;
	} part[] = { { "", w->user },
		     { "team ", w->team },
		     { "project ", w->project },
		     { "", w->env },
		     { "", w->workload } };
	struct str s = { 0 };

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (*part[i].text)
			str_addf(&s, "%s%s%s", text_if(s.n, ", "), part[i].label, part[i].text);
	const char *z = "not known";
	if (s.n)
		z = text_line(a, str_sv(&s), 0);
	str_free(&s);
	return z;
}

static const struct plan_waited *waited_of(const struct plan *p, const char *job)
{
	for (size_t i = 0; i < p->nwaited; i++)
		if (!strcmp(p->waited[i].job, job))
			return &p->waited[i];
	return NULL;
}

/* "3.5 h, 2.0 h of it while GPUs idled that it would have fitted on: 1.5 h free ones, 0.5 h held by
 * vision". */
static void job_wait(struct arena *a, const struct plan_view *v, const char *job, struct str *out)
{
	const struct plan_waited *w = waited_of(v->plan, job);

	if (!w)
		return;
	const char *held = w->held_ms ? arena_printf(a, ", %.1f h held and not used%s%s",
						     hours_of(w->held_ms),
						     text_if(*w->holder, ", most by "), w->holder)
				      : "";
	write_field(
		v, "Waited",
		text_line(
			a,
			sv_of(arena_printf(
				a,
				"%.1f h, %.1f h of it while GPUs idled on which it would have fitted: %.1f h free ones%s",
				hours_of(w->wait_ms), hours_of(w->free_ms + w->held_ms),
				hours_of(w->free_ms), held)),
			0),
		out);
}

/* A job as a whole: its machines, attempts and components together. */
struct job_whole {
	struct workload sum;
	int64_t machines;
	size_t works;
};

static bool get_attempts(const void *row, union col_value *ret)
{
	ret->n = ((const struct job_whole *)row)->sum.attempts;
	return ret->n > 0;
}

#define IN_WHOLE(member) offsetof(struct job_whole, sum.member)
static const struct col whole_cols[] = {
	{ "machines", COL_INT, offsetof(struct job_whole, machines), "count",
	  "on which it ran, at once or one after the other", .always = true },
	{ "attempts", COL_INT, .get = get_attempts, .unit = "count",
	  .help = "what ran at once is one; null: no list of jobs tells" },
	{ "start", COL_TIME, IN_WHOLE(start_ms), .help = "of the first" },
	{ "end", COL_TIME, IN_WHOLE(end_ms), .help = "of the last; null: it runs" },
	{ "held_seconds", COL_SECONDS, IN_WHOLE(held_ms), "s",
	  "that it held GPUs, without the time between attempts; null: no list of jobs tells" },
	{ "state", COL_WORD, IN_WHOLE(end_state), .help = "how it ended" },
	{ "cost", COL_NANO, IN_WHOLE(cost_nano), "money", "in the window; null: no price" },
	{ "gpu_seconds", COL_SECONDS, IN_WHOLE(ms), "s", "GPU time in the window", .always = true },
	{ 0 },
};

/* What a recommendation of the plan leaves of its cost. */
struct after_row {
	const char *id;
	int64_t cost_nano;
};
static const struct col after_cols[] = {
	{ "id", COL_WORD, offsetof(struct after_row, id), .help = "of the recommendation" },
	{ "cost_after", COL_NANO, offsetof(struct after_row, cost_nano), "money",
	  "with it and all before it", .always = true },
	{ 0 },
};

struct workload_row {
	struct workload w;
	VEC(struct after_row) after;
};

static bool get_gpus(const void *row, union col_value *ret)
{
	ret->x = (double)gpus_milli_of(&((const struct workload_row *)row)->w) / 1000;
	return true;
}

#define IN_WORKLOAD(member) offsetof(struct workload_row, member)
static const struct col workload_cols[] = {
	{ "job", COL_WORD, IN_WORKLOAD(w.job),
	  .help = "its id, where it is a component of a heterogeneous job that one's" },
	{ "node", COL_WORD, IN_WORKLOAD(w.node), .help = "where it ran" },
	{ "instance_type", COL_WORD, IN_WORKLOAD(w.instance_type), .help = "of the machine" },
	{ "gpu_model", COL_WORD, IN_WORKLOAD(w.gpu_model), .help = "of its GPUs" },
	{ "purchase", COL_WORD, IN_WORKLOAD(w.purchase), .help = "how it was bought" },
	{ "gpus", COL_NUM, .get = get_gpus, .unit = "count", .digits = 3, .always = true,
	  .help = "GPUs it was given" },
	{ "start", COL_TIME, IN_WORKLOAD(w.start_ms), .help = "of the run" },
	{ "end", COL_TIME, IN_WORKLOAD(w.end_ms), .help = "null: it runs" },
	{ "state", COL_WORD, IN_WORKLOAD(w.end_state), .help = "how it ended" },
	{ "cost", COL_NANO, IN_WORKLOAD(w.cost_nano), "money", "in the window; null: no price" },
	{ "gpu_seconds", COL_SECONDS, IN_WORKLOAD(w.ms), "s", "GPU time in the window",
	  .always = true },
	{ "utilisation_frac", COL_NUM, .at = offsetof(struct workload_row, w.stats.util_mean_pct),
	  .per = 100, .digits = 4, .help = "mean of its GPUs; null: no reading" },
	{ "plan", COL_LIST(struct workload_row, after.v, after.n, after_cols),
	  .help = "what the plan does to it, in order" },
	{ 0 },
};

static const struct col waited_cols[] = {
	{ "wait_seconds", COL_SECONDS, offsetof(struct plan_waited, wait_ms), "s",
	  "from its submission to its start", .always = true },
	{ "free_seconds", COL_SECONDS, offsetof(struct plan_waited, free_ms), "s",
	  "of it, while free GPUs on which it would have fitted idled", .always = true },
	{ "held_seconds", COL_SECONDS, offsetof(struct plan_waited, held_ms), "s",
	  "of it, while such GPUs were held and not used", .always = true },
	{ "held_by", COL_WORD, offsetof(struct plan_waited, holder), NULL, "most of these", 0 },
	{ 0 },
};
struct job_doc {
	const char *currency, *job;
	struct job_whole whole;
	VEC(struct workload_row) workload;
	struct plan_waited waited;
	bool has_waited;
};
static const struct col job_cols[] = {
	{ "currency", COL_WORD, offsetof(struct job_doc, currency), .help = "of all amounts" },
	{ "job", COL_WORD, offsetof(struct job_doc, job), .help = "its id" },
	{ "whole", COL_ROW, offsetof(struct job_doc, whole), .sub = whole_cols, .always = true,
	  .help = "all its workloads together" },
	{ "works", COL_LIST(struct job_doc, workload.v, workload.n, workload_cols),
	  .help = "the job on each machine" },
	{ "waited", COL_ROW, offsetof(struct job_doc, waited), NULL,
	  "null: no GPU idled on which it would have fitted while it waited",
	  offsetof(struct job_doc, has_waited), .sub = waited_cols },
	{ 0 },
};
static const struct col_doc job_doc = { "tare.explain/1", "explain JOB",
					"what a job did, cost and would cost", job_cols };
const struct col_doc explain_doc = { "tare.explain/1", "explain",
				     "all about one recommendation, or one job", rec_doc_cols,
				     &job_doc };

static void show_known(struct workload *w)
{
	if (!workload_is_priced(w))
		w->cost_nano = UNKNOWN_NANO;
	w->start_ms = time_shown(w->start_ms);
	w->end_ms = time_shown(w->end_ms);
}

static void fill_workload(const struct plan *p, size_t i, struct workload_row *ret)
{
	*ret = (struct workload_row){ .w = fleet_past(p->fleet)->workload.v[i] };
	show_known(&ret->w);
	for (size_t r = 0; r < p->rec.v.n; r++) {
		const struct rec *rec = p->rec.v.v[r];
		for (size_t c = 0; c < rec->change.n; c++)
			if (rec->change.v[c].workload == i)
				*vec_push(&ret->after) = (struct after_row){
					rec->id, rec->change.v[c].after.cost_nano
				};
	}
}

static bool is_part(const struct job_parts *job, const struct workload *w)
{
	for (size_t k = 0; k < job->n; k++)
		if (!strcmp(w->job, job->id[k]))
			return true;
	return false;
}

/* The states in which parts of it ended, each once: "COMPLETED, FAILED". */
static const char *add_state(struct arena *a, const char *so_far, const char *state)
{
	if (!*state || strstr(so_far, state))
		return so_far;
	return arena_printf(a, "%s%s%s", so_far, text_if(*so_far, ", "), state);
}

static void add_work(struct workload *sum, const struct workload *w)
{
	sum->ms += w->ms;
	sum->cost_nano += w->cost_nano;
	sum->unpriced_ms += w->unpriced_ms;
	sum->gpus_milli += w->gpus_milli;
	sum->stats.gpus += w->stats.gpus;
	for (int k = 0; k < STATE_N; k++) {
		sum->state_ms[k] += w->state_ms[k];
		sum->state_nano[k] += w->state_nano[k];
	}
	if (w->start_ms != UNKNOWN_MS)
		sum->start_ms = sum->start_ms == UNKNOWN_MS ? w->start_ms
							    : min_i64(sum->start_ms, w->start_ms);
	sum->end_ms = max_i64(sum->end_ms, w->end_ms);
}

/* All its machines, attempts and components as one work; nothing of them is counted twice. */
static struct job_whole sum_job(struct arena *a, const struct fleet *f, const struct job_parts *job)
{
	struct job_whole whole = { .sum = { .start_ms = UNKNOWN_MS,
					    .end_ms = UNKNOWN_MS,
					    .held_ms = 0,
					    .limit_ms = UNKNOWN_MS,
					    .end_state = "" } };
	struct workload *sum = &whole.sum;
	struct intern node = { 0 };

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (!is_part(job, w))
			continue;
		if (!whole.works++) {
			sum->kind = w->kind;
			sum->currency = w->currency;
			sum->name = w->name;
			sum->end_ms = w->end_ms;
		}
		add_work(sum, w);
		if (*w->node)
			intern_add(&node, sv_of(w->node));
		sum->limit_ms = max_i64(sum->limit_ms, w->limit_ms);
		if (w->job_index >= f->job.n) /* in no list of jobs */
			continue;
		const struct fleet_job *j = &f->job.v[w->job_index];
		sum->attempts = (int)max_i64(sum->attempts, j->attempts);
		sum->held_ms = max_i64(sum->held_ms, j->held_ms);
		sum->end_state = add_state(a, sum->end_state, j->end_state);
	}
	whole.machines = (int64_t)node.n;
	intern_free(&node);
	return whole;
}

/* A component of a heterogeneous job says whose it is. */
static const char *format_whole_of(struct arena *a, const char *id)
{
	const char *plus = strchr(id, '+');

	if (!plus || plus == id || !plus[1] || strspn(id, "0123456789") != (size_t)(plus - id))
		return NULL;
	return arena_printf(a, "%.*s, a heterogeneous job; all of it: tare explain %.*s",
			    (int)(plus - id), id, (int)(plus - id), id);
}

static void job_head(struct arena *a, const struct plan_view *v, const struct job_parts *job,
		     const struct workload *first, struct str *out)
{
	const struct job_whole whole = sum_job(a, fleet_past(v->plan->fleet), job);
	const char *of = job->n == 1 ? format_whole_of(a, job->id[0]) : NULL;

	str_addf(out, "Job %s", text_line(a, sv_of(job->name), 60));
	str_addf(out, "%s%s\n", text_if(*first->name, ": "), text_line(a, sv_of(first->name), 60));
	write_field(v, "Whose", format_owner(a, first), out);
	if (of)
		write_field(v, "Part of", arena_printf(a, "%s%s", of, text_or(v->store, "")), out);
	if (job->n == 1)
		job_wait(a, v, job->id[0], out);
	if (whole.works == 1)
		return;
	const char *machines = "machines that are not told";
	if (whole.machines)
		machines = arena_printf(a, "%lld machine%s", (long long)whole.machines,
					plural(whole.machines));
	write_field(v, "In all",
		    arena_printf(a, "%s%s",
				 text_if(job->n > 1, arena_printf(a, "%zu components on ", job->n)),
				 machines),
		    out);
	write_ran(a, v, &whole.sum, out);
}

static void job_text(struct arena *a, const struct plan_view *v, const struct job_parts *job,
		     struct str *out)
{
	const struct fleet *fleet = fleet_past(v->plan->fleet);
	const char *last = "";
	bool first = true;

	for (size_t i = 0; i < fleet->workload.n; i++) {
		const struct workload *w = &fleet->workload.v[i];
		if (!is_part(job, w))
			continue;
		if (first)
			job_head(a, v, job, w, out);
		first = false;
		str_addc(out, '\n');
		if (job->n > 1 && strcmp(last, w->job)) {
			write_field(v, "Component", text_line(a, sv_of(w->job), 60), out);
			job_wait(a, v, w->job, out);
		}
		last = w->job;
		job_piece(a, v, w, out);
		job_plan(a, v, (uint32_t)i, w->cost_nano, out);
	}
}

void plan_print_job(const struct plan_view *v, const struct job_parts *job, enum out_format f,
		    struct str *out)
{
	const struct fleet *fleet = fleet_past(v->plan->fleet);
	struct arena a = { 0 };

	if (f != OUT_JSON) {
		job_text(&a, v, job, out);
		arena_free(&a);
		return;
	}
	struct job_doc doc = { fleet->currency, job->name, .whole = sum_job(&a, fleet, job) };
	for (size_t i = 0; i < fleet->workload.n; i++)
		if (is_part(job, &fleet->workload.v[i]))
			fill_workload(v->plan, i, vec_push(&doc.workload));
	show_known(&doc.whole.sum);
	for (size_t k = 0; k < job->n; k++) {
		const struct plan_waited *w = waited_of(v->plan, job->id[k]);
		/* components wait together: the longest wait */
		if (w && (!doc.has_waited || w->wait_ms > doc.waited.wait_ms))
			doc.waited = *w;
		doc.has_waited |= w != NULL;
	}
	cols_doc(&job_doc, &doc, out);
	for (size_t i = 0; i < doc.workload.n; i++)
		vec_free(&doc.workload.v[i].after);
	vec_free(&doc.workload);
	arena_free(&a);
}
