#ifndef TARE_REPORT_PRICES_PRICES_H
#define TARE_REPORT_PRICES_PRICES_H
/* Price rows as a table, JSON ("tare.price/1"), CSV or Markdown. */
#include "answer/prices.h"
#include "report/col.h"
#include "report/cost/report.h"

/* limit: so many rows at most, 0 = all. OUT_HTML prints as OUT_MD. */
void prices_print(const struct prices_answer *a, size_t limit, const struct out_as *as,
		  struct str *out);

extern const struct col_doc prices_doc;

#endif
