#ifndef TARE_REPORT_PLAN_PLAN_VIEW_H
#define TARE_REPORT_PLAN_PLAN_VIEW_H
/*
 * A plan for people and programs. Every amount is of a month and says so; what is printed adds up
 * as printed: amounts shown are differences of rounded running totals. Texts that come from data
 * are cut, escaped and cannot harm a terminal or a page.
 *
 *   plan_print() the plan in all formats (plan_table.c plan_json.c plan_html.c)
 *   plan_print_findings()  what was observed, in money             (plan_findings.c)
 *   plan_print_refused()   what was proposed and not taken         (plan_findings.c)
 *   plan_print_by()        savings by workload, team, ...          (plan_by.c)
 *   plan_print_rec()       all about one recommendation            (plan_explain.c)
 *   plan_print_job()       what a job did, cost and would cost     (plan_explain.c)
 *   plan_print_apply()     how to do a recommendation, and undo it (plan_apply.c)
 *   plan_print_backtest()  planned on one half, scored on the other (plan_backtest.c)
 */
#include "answer/plan/plan.h"
#include "answer/plan/plan_trial.h"
#include "report/col.h"
#include "report/cost/report.h"

/* for people: of "applied" tare only knows that the lines were given out */
const char *plan_mark_seen(const struct plan_mark *m);

struct plan_view {
	const struct plan *plan;
	const struct plan_conf *conf; /* for the assumptions, NULL = not shown */
	const struct plan_mark *mark;
	size_t nmark;
	const struct plan_step *step;
	size_t nstep;                       /* in order of time */
	const struct plan_week *week;       /* [PLAN_WEEKS], NULL = not shown */
	const struct plan_week *month;      /* [PLAN_MONTHS], where there are weeks */
	const struct trial_records *trials; /* NULL = none are known */
	const struct plan_energy *energy;   /* NULL = not asked */
	double target_frac;                 /* NAN: no target */
	double target_reached_frac;         /* what the steps in force by target_ms save */
	double target_most_frac;            /* what the largest set saves with more time */
	double target_soonest_day;          /* from now: the first of it is in force; NAN */
	double target_chance_frac;          /* the probability that the steps meet it */
	bool target_reached;                /* that is 95 % or more */
	const double *target_limit_frac;    /* [LIMIT_N] not reached: that each holds back alone */
	double target_limits_frac;          /* at most, or all of them together */
	int64_t target_ms;                  /* by when */
	const char *asked; /* the options that shaped the plan, "--risk low", or "" */
	/* "tare plan --risk low": the command that asks for this plan, NULL = tare plan; and what
	 * was given to say which store (" --db DIR"), NULL = nothing: for the commands that are
	 * proposed */
	const char *again, *store;
	bool with_sensitivity;
	bool all; /* also what is folded: plan.gates.fold_frac of conf */
	int width;
	bool colour;
	int64_t now_ms;
};

/* Which limits keep it from the target, what each holds back, and the command without these. */
const char *plan_limits_sentence(struct arena *a, const struct plan_view *v);

extern const struct col_doc plan_doc, plan_findings_doc, plan_refused_doc, explain_doc;
void plan_print(const struct plan_view *v, enum out_format f, struct str *out);
/* What is done when by whom; what it has saved by then, with the cost of the work. */
void plan_print_calendar(const struct plan_view *v, enum out_format f, struct str *out);
/* What each part saves, beside what a case study says of it. */
extern const struct col_doc plan_case_doc;
void plan_print_case(const struct plan_view *v, enum out_format f, struct str *out);
void plan_print_findings(const struct plan_view *v, enum out_format f, struct str *out);
void plan_print_refused(const struct plan_view *v, enum out_format f, struct str *out);
void plan_print_rec(const struct plan_view *v, size_t rec, enum out_format f, struct str *out);
/* The same about what is advised, by its place in plan.advice. */
void plan_print_advice(const struct plan_view *v, size_t at, enum out_format f, struct str *out);
/* And about what people have dismissed, by its place in plan.refused: who, when, why, and how it
 * comes back. */
void plan_print_dismissed(const struct plan_view *v, size_t at, enum out_format f, struct str *out);
/* The job as a whole, then all its workloads; the changes that the plan makes to them. */
struct job_parts;
void plan_print_job(const struct plan_view *v, const struct job_parts *job, enum out_format f,
		    struct str *out);
/* Lines for a shell; what is no line is a comment. */
void plan_print_apply(const struct rec *r, struct str *out);
extern const struct col_doc plan_backtest_doc;
void plan_print_backtest(const struct backtest *b, const struct plan_view *v, enum out_format f,
			 struct str *out);

/* ---- what the formats share (plan_text.c) ------------------------------------------------ */
/* "$" or "EUR "; "$/month (730 h)". In a. */
const char *plan_unit(struct arena *a, const struct plan *p);
/* of today; false where there is no history, or none of it has a price */
bool plan_knows_cost(const struct plan *p);
int plan_digits(const struct plan *p); /* 0, or 2 for a small fleet */
dec plan_round(dec v, int digits);     /* half-even */
/* What is shown for recommendation i: adds up to plan_round(baseline) - plan_round(after). */
dec plan_shown(const struct plan *p, size_t i);
dec plan_saving(const struct plan *p);                /* baseline_month - after_month */
char *plan_money(struct arena *a, dec v, int digits); /* no "<1": a whole number that adds up */
/* "120 to 340 $/month (730 h)": what advice may save; "": not known. In arena a. */
const char *plan_may_save(struct arena *a, const struct plan *p, const struct rec *r);
/* "39-43 K", "sure" when both are one number */
char *plan_range(struct arena *a, dec lo, dec hi);
/* Of item i: what is shown of it lies within. */
void plan_shown_limits(const struct plan *p, size_t i, dec *ret_lo, dec *ret_hi);
char *plan_range_of(struct arena *a, const struct plan *p, size_t i);
char *plan_percent(struct arena *a, double frac);  /* "-69 %" of a saving of 0.69 */
double plan_frac(const struct plan *p, dec saved); /* of the baseline, NAN without one */
char *plan_after(struct arena *a, const struct plan *p, size_t i); /* "after 2, 3" or "" */
char *plan_days(struct arena *a, double days);
/* If it were the only one; false: that was not worked out, and the amount is no amount. */
bool plan_alone_known(const struct rec *r);
dec plan_alone_month(const struct plan *p, const struct rec *r);
/* of one that was not taken: alone, else where it was proposed; 0 = not worked out */
int64_t plan_worth(const struct rec *r);
/* the last one, or NULL */
const struct plan_mark *plan_mark_of(const struct plan_view *v, const char *id);
/* Sentences that end in "\n": how it was replayed; what went wrong in replay; what counted once;
 * how sure; what was left out. */
char *plan_replayed(struct arena *a, const struct plan *p);
char *plan_in_replay(struct arena *a, const struct rec_replay *r);
char *plan_counted_once(struct arena *a, const struct plan *p);
char *plan_sureness(struct arena *a, const struct plan *p);
char *plan_left_out(struct arena *a, const struct plan_view *v);
char *plan_sensitive(struct arena *a, const struct plan *p);
/* ---- who, by when, how far (plan_calendar.c) ---------------------------------------------- */
int64_t plan_due_ms(const struct plan_view *v, size_t rec);                       /* UNKNOWN_MS */
const char *plan_due_day(struct arena *a, const struct plan_view *v, size_t rec); /* or "-" */
/* "open", what was decided, or what its trial came to */
const char *plan_status(const struct plan_view *v, const char *id);
const struct trial_record *plan_trial_of(const struct plan_view *v, const char *id); /* or NULL */
/* "Machines at the peak: p3.8xlarge 12 -> 3." and "A job ends, in the mean: ..."; or "". */
char *plan_machines(struct arena *a, const struct plan *p);
char *plan_time_to_result(struct arena *a, const struct plan *p);

/* Smaller than the gate for what is shown by itself, and nothing that is shown needs it. */
bool plan_is_folded(const struct plan_view *v, size_t i);
/* "4 smaller ones: 380 (tare plan --all)" or "" */
char *plan_folded_words(struct arena *a, const struct plan_view *v);
const char *plan_tier_means(enum tier t); /* "(can be undone)" */
/* "Ready" "Try" "Commit", of a list. */
const char *plan_tier_short(enum tier t);
/* What is shown for a tier: adds up with the others as plan_shown() does. */
dec plan_tier_shown(const struct plan *p, enum tier t);
/* "binds 152,800 $ for a year" or "" */
const char *plan_tier_binds(struct arena *a, const struct plan *p, enum tier t);
const char *plan_currency_sign(struct arena *a, const struct plan *p); /* "$" or "EUR" */
/* Folds s at width; lines after the first begin with indent blanks. Ends in "\n". */
void plan_fold(struct str *out, const char *s, int indent, int width);
/* Lines to be pasted, under a title: never folded, indented but for the text of a here-document,
 * whose end the shell knows at the begin of a line only. */
void plan_paste(struct arena *a, const char *title, const struct text_list *l, struct str *out);
/* The cost of every work before and after recommendation i, in order of the plan: cost[0..n-1] is
 * updated in place; fees come back. */
int64_t plan_step_costs(const struct plan *p, size_t i, int64_t *cost);

/* ---- grouped savings (plan_by.c) --------------------------------------------------------- */
struct plan_by_row {
	const char *name;
	int64_t before_nano, after_nano;
	bool priced; /* else what it costs is not known */
};
struct plan_by {
	struct arena mem;
	VEC(struct plan_by_row) row;
	const char *dim;
};
/*
 * dim: workload team project env cluster user service purchase gpu_model kind lever. Fees go to the
 * works they are for, by cost; what belongs to no work is a row of its own. Rows add up to baseline
 * and after. -EINVAL for another dim.
 */
int plan_by_make(const struct plan *p, const char *dim, struct plan_by *ret, struct err *err);
void plan_by_free(struct plan_by *b);
extern const struct col_doc plan_by_doc;
void plan_print_by(const struct plan_view *v, const struct plan_by *b, enum out_format f,
		   struct str *out);

#endif
