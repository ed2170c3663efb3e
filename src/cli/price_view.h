#ifndef TARE_CLI_PRICE_VIEW_H
#define TARE_CLI_PRICE_VIEW_H
/* Price rows as a table, JSON, CSV or Markdown. Pure. */
#include "base/str.h"
#include "catalog/catalog.h"
#include "report/report.h"

struct price_view {
	const struct price_row *row; /* [n] in the order to print */
	size_t n;
	int64_t at_ms; /* the instant asked about */
	bool history;
	size_t limit;  /* rows of the table, 0 = all */
	size_t hidden; /* rows in other currencies that were left out */
	const char *hidden_currency;
	bool colour;
	int width;
};
/* OUT_HTML prints as OUT_MD. */
void price_print(const struct price_view *v, enum out_format f, struct str *out);

#endif
