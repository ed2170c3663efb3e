#ifndef TARE_REPORT_COST_SAMPLES_H
#define TARE_REPORT_COST_SAMPLES_H
/* Causes of low utilisation in recorded readings: sums as a table or JSON
 * ("tare.explain.samples/1"), windows as CSV, a line each. */
#include "answer/samples.h"
#include "report/col.h"
#include "report/cost/report.h"

void samples_print(const struct samples_answer *s, const char *file, enum out_format f,
		   struct str *out);
void samples_csv_head(struct str *out);
void samples_csv_window(const struct samples_window *w, struct str *out);
extern const struct col_doc samples_doc;
#endif
