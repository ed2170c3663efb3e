#ifndef TARE_REPORT_PRICES_PRICE_UPDATE_H
#define TARE_REPORT_PRICES_PRICE_UPDATE_H
/* What `tare price update` did, provider by provider. */
#include "book/price_update.h"
#include "report/col.h"
#include "report/cost/report.h"

/* JSON is schema tare.price-update/1; every other format is text for people. */
void price_update_print(const struct price_update *u, bool dry_run, enum out_format format,
			struct str *out);

extern const struct col_doc price_update_doc;
#endif
