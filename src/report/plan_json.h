#ifndef TARE_REPORT_PLAN_JSON_H
#define TARE_REPORT_PLAN_JSON_H
/* Pieces of the plan's JSON that several views write; each adds a key or an object to the stream.
 * Unknown ("" or NAN) is null. */
#include "base/jw.h"
#include "report/plan_view.h"

void plan_put_time(struct jw *w, const char *key, int64_t ms);
void plan_put_lines(struct jw *w, const char *key, const struct text_list *l);
/* The whole object; chosen: its place in the plan, SIZE_MAX = it is not in it (no marginal
 * saving). */
void plan_put_rec(const struct plan_view *v, struct jw *w, const struct rec *r, size_t chosen);
void plan_put_finding(struct jw *w, const struct plan *p, const struct finding *f);
void plan_put_refused(const struct plan_view *v, struct jw *w); /* "refused": [...] */
void plan_csv_cell(struct str *out, const char *z);             /* with the comma before it */
#endif
