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
/* Of an agent's folder: what fires is as old as what the agent wrote last. */
struct alerts_agent {
	const char *dir;
	int running; /* 1, 0, or -1: cannot be told */
	int64_t as_of_ms, now_ms;
};
/* Nobody writes it any more, or for three minutes nobody did: what fires now is not known. */
bool alerts_agent_stale(const struct alerts_agent *a);
/* That in a sentence with what to do, in mem; "" where it is not stale. */
const char *alerts_agent_words(const struct alerts_agent *a, struct arena *mem);

struct alerts_view {
	const char *const
		*by; /* [nby] fields to add up over ("rule", "team", ...), NULL: each alert */
	size_t nby;
	bool all;          /* also what was held back or silenced */
	size_t limit;      /* lines of a rule in a table, 0: all; what is left out is counted */
	const char *again; /* the command that asks for this, without --match and --limit */
	const char *match; /* what was given as --match, NULL: nothing */
	const struct alerts_agent *agent; /* whose folder was asked, NULL: the store was */
};
void alerts_print(const struct alerts_answer *r, const struct alerts_view *v,
		  const struct out_as *as, struct str *out);
/* told: there is somebody to tell */
void alerts_print_rules(const struct alert_rule *rule, size_t n, bool told, const struct out_as *as,
			struct str *out);
void alerts_print_silences(const struct alert_silence *s, size_t n, const struct out_as *as,
			   struct str *out);
#endif
