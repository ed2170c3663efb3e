#ifndef TARE_REPORT_REPORT_H
#define TARE_REPORT_REPORT_H
/*
 * Presentation: from sums of the ledger to a table, JSON, CSV, Markdown, one HTML file, FOCUS rows. Knows no store: the command brings the
 * rows. Amounts stay exact (dec) until they are printed; every amount says its basis and period.
 */
#include <stdio.h>
#include "base/err.h"
#include "base/mem.h"
#include "ledger/conf.h"
#include "ledger/split.h"
#include "model/model.h"

enum out_format { OUT_TABLE, OUT_JSON, OUT_CSV, OUT_MD, OUT_HTML };

/* A cell of the cube: what one combination of dimension values has in one state. */
struct report_cell {
	const char *const *dim; /* [ndim], "" = none */
	bool is_gpu;
	enum state state;
	const char *currency;
	int64_t ms, util_ms, measured_ms, estimated_ms, unpriced_ms;
	dec cost;
};
struct report_reconcile { /* one per currency */
	const char *currency;
	dec billed;	      /* what the bills say in the basis asked; has_bill false: no bill covers the window */
	bool has_bill;
	dec ledger;	      /* sum of entries that come from bills */
	dec remainder;	      /* exact rest below a nano; difference = billed - ledger */
	int64_t unpriced_ms;
};
struct report_in {
	const char *const *dim; size_t ndim; /* names, such as "team", "tag:app" */
	const struct report_cell *cell; size_t ncell;
	const struct report_reconcile *reconcile; size_t nreconcile;
	int64_t since_ms, until_ms; /* of the data shown */
	enum basis basis;
	enum idle_split split;
	const struct conf *conf;
	bool colour;
	int width; /* columns of the terminal, 80 */
};
int report_print(const struct report_in *in, enum out_format f, struct str *out, struct err *err);
#endif
