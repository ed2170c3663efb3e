#ifndef TARE_REPORT_ALERTS_ALERTS_IN_H
#define TARE_REPORT_ALERTS_ALERTS_IN_H
/* What alerts.c, alerts_list.c and alerts_rules.c share. Texts in arena a. */
#include "report/alerts/alerts.h"
#include "report/grid.h"

/* as people read it: "40.0 %", "83 C", "-" */
const char *alerts_number(struct arena *a, int signal, double v);
const char *alerts_span(struct arena *a, int64_t ms);
const char *alerts_instant(struct arena *a, int64_t ms);
const char *alerts_word(struct arena *a, const char *z, int max); /* "-" where it is empty */
const char *alerts_state_word(struct arena *a, const struct fired *f);
/* below each rule its jobs or machines, the most expensive first; false: there are none */
bool alerts_list(const struct alerts_answer *r, const struct alerts_view *w,
		 const struct out_as *as, struct str *out);
/* as -o says: table, md or csv */
void alerts_put_grid(const struct out_as *as, const struct grid *g, struct str *out);
#endif
