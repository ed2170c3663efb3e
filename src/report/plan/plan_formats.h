#ifndef TARE_REPORT_PLAN_PLAN_FORMATS_H
#define TARE_REPORT_PLAN_PLAN_FORMATS_H
/* One function per output format of the plan; each adds the whole of it to *out. */
#include "report/grid.h"
#include "report/plan/plan_view.h"

void plan_table(const struct plan_view *v, struct str *out);
void plan_md(const struct plan_view *v, struct str *out);
void plan_json(const struct plan_view *v, struct str *out);
void plan_csv(const struct plan_view *v, struct str *out);
void plan_html(const struct plan_view *v, struct str *out);

/* ---- the head as text (plan_head.c) ---- */
/* "the mean of 178 days; the last 28 came to 299,368 EUR/month" where these differ; "" */
const char *plan_recent(struct arena *a, const struct plan *p);
/* Today and after all, then a table of what each tier saves; in lines of `width` columns. */
void plan_put_head(struct arena *a, const struct plan_view *v, int width, struct str *out);
void plan_put_tiers(struct arena *a, const struct plan_view *v, int width, struct str *out);
/* On one line where both fit, else the right one below. */
void plan_two_columns(struct str *out, const char *left, const char *right, int width);
/* Two commands with what they are for, below a blank line: beside each other where there is
 * room. */
void plan_put_next(const char *one, const char *two, int width, struct str *out);

/* ---- when (plan_calendar.c) ---- */
void plan_weeks_grid(const struct plan_view *v, struct grid *g); /* where v has weeks */
const char *plan_paid_back(struct arena *a, const struct plan_view *v);

/* For commands that are proposed: " --db DIR" or ""; the plan as it was asked for. */
const char *plan_store_of(const struct plan_view *v);
const char *plan_again_of(const struct plan_view *v);

/* ---- what an input says by itself (plan_told.c) ---- */
bool plan_has_told(const struct plan *p);
/* Under a heading for each input, largest amount first; nothing where none says anything. Without
 * --all, where the plan proposes something: what is said always (advice.h). */
void plan_put_told(struct arena *a, const struct plan_view *v, int width, struct str *out);
/* Titles of the advice that says so (told), or of the rest; the list is the caller's. */
struct text_list plan_advice_titles(const struct plan *p, bool told);

void plan_md_text(struct str *out, const char *s); /* escaped for Markdown */
/* "Target -40 % by 2026-12-12: reached, -46 % in force then." */
char *plan_target_sentence(struct arena *a, const struct plan_view *v);
/* What is measured and what is not, one item each. */
struct text_list plan_measured(struct arena *a, const struct plan *p);
/* The plan's notes; sentences that differ in one word are one, with all the words. The list is the
 * caller's. */
struct text_list plan_notes(struct arena *a, const struct plan *p);
/* The levers that looked and have nothing to propose, with a heading; nothing where there are
 * none. */
void plan_put_left(struct arena *a, const struct plan_view *v, struct str *out);
/* What was taken as given: the month, deadlines, prices, options. */
struct text_list plan_assumed(struct arena *a, const struct plan_view *v);
#endif
