#ifndef TARE_CLI_REPORT_BESIDE_H
#define TARE_CLI_REPORT_BESIDE_H
/* What stands beside the rows of a report: another window (--compare), columns (--pivot), a trend;
 * which rows (--top), and the steps of time that have none. */
#include "cli/cli.h"
#include "report/cost/report.h"

struct report_beside {
	const char *compare, *pivot; /* as asked, NULL: not */
	bool trend;
	int64_t top; /* 0: not */
	struct compare_with with;
	/* the answers */
	struct compare_windows w;
	struct compare_answer compared;
	struct report_series series;
	struct report_steps steps;
};
/* What is asked for together fits together. other: another view is asked for (--kpi, --html,
 * ...). */
int report_beside_fits(struct report_beside *b, const struct report_dims *d, enum idle_split split,
		       bool other, int64_t limit, struct err *err);
/* Before the report is asked: --compare may choose its window. */
int report_beside_window(struct report_beside *b, struct report_ask *q, struct err *err);
/* Ask, and put what there is into in, which is the report of d. Its answers live in b and
 * c->mem. */
int report_beside_ask(struct report_beside *b, const struct cli *c, const struct report_ask *q,
		      const struct report_dims *d, struct report_in *in, struct err *err);
/* The words of --compare, for completion. */
void report_compare_words(struct str *out);
#endif
