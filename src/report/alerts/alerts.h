#ifndef TARE_REPORT_ALERTS_ALERTS_H
#define TARE_REPORT_ALERTS_ALERTS_H
/* What `tare alerts` prints. */
#include "answer/alerts/alerts.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc alerts_doc, alerts_rules_doc, alerts_silences_doc;

/* "team,rule" -> the words of alerts_print()'s by, in mem; NULL: none. 0, or -EINVAL which names
 * what is none of them. */
int alerts_by_parse(const char *text, struct arena *mem, const char *const **ret, size_t *ret_n,
		    struct err *err);
struct alerts_view {
	const char *const
		*by; /* [nby] fields to add up over ("rule", "team", ...), NULL: each alert */
	size_t nby;
	bool all;          /* also what was held back or silenced */
	size_t limit;      /* lines of a rule in a table, 0: all; what is left out is counted */
	const char *again; /* the command that asks for this, without --match and --limit */
	const char *match; /* what was given as --match, NULL: nothing */
};
void alerts_print(const struct alerts_answer *r, const struct alerts_view *v,
		  const struct out_as *as, struct str *out);
/* told: there is somebody to tell */
void alerts_print_rules(const struct alert_rule *rule, size_t n, bool told, const struct out_as *as,
			struct str *out);
void alerts_print_silences(const struct alert_silence *s, size_t n, const struct out_as *as,
			   struct str *out);
#endif
