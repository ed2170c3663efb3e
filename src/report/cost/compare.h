#ifndef TARE_REPORT_COST_COMPARE_H
#define TARE_REPORT_COST_COMPARE_H
/* A report beside another window: what a row cost, costs, and of what the difference is made. */
#include "report/col.h"
#include "report/cost/cube.h"

extern const struct col compare_cols[];     /* of struct cube_compare: keys of a row in JSON */
extern const struct col compare_doc_cols[]; /* of struct compare_answer: the two windows */

/* What a workbook says of a block, each in one cell: the windows, what changed most, the limits. */
struct compare_words {
	char *title, *change, *limits;
};
struct compare_words compare_words(struct arena *a, const struct report_in *in,
				   const struct cube_block *k);

void compare_table(const struct report_in *in, const struct cube *c, struct str *out);
void compare_md(const struct report_in *in, const struct cube *c, struct str *out);
void compare_csv(const struct report_in *in, const struct cube *c, struct str *out);
#endif
