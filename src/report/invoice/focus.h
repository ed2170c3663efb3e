#ifndef TARE_REPORT_INVOICE_FOCUS_H
#define TARE_REPORT_INVOICE_FOCUS_H
/*
 * The ledger as FOCUS 1.3 rows with split cost allocation, for BI tools.
 *
 * A bill line whose resource did GPU work becomes one row per job (AllocatedResourceId) and an
 * explicit row for the time nobody held. Its dimensions, periods and unit prices are kept as they
 * are on every row; costs and quantities are split by GPU time so that the rows add up to the line
 * exactly, and the ratios in AllocatedMethodDetails add up to 1. Lines without GPU work are one
 * row, as they were. GPU time that no bill covers (owned hardware, catalogue prices) comes as rows
 * of its own with x_CostSource "record" or "catalog" and BilledCost 0, for nothing was invoiced;
 * time without any price cannot be a FOCUS row and is counted instead.
 *
 * Columns: the 65 of FOCUS 1.3 in the alphabet's order (the deprecated ProviderName and
 * PublisherName among them), then x_ ones. Unknown is an empty cell.
 *
 * Use: focus_add_entry() for an interval of time, then focus_line() for the lines within it and
 * focus_unbilled(), then focus_clear().
 */
#include "base/err.h"
#include "model/model.h"

struct focus;
struct focus *focus_new(void);
void focus_free(struct focus *f);
void focus_header(struct str *out);
void focus_add_entry(struct focus *f, const struct entry *e); /* copied */
/* scope: whose entries the line pays for, "" = none. Adds its rows to *out. */
void focus_line(struct focus *f, const struct bill_line *b, struct sv scope, struct str *out);
/* The rows of the entries added so far that no bill covers, by hour and scope. */
void focus_unbilled(struct focus *f, struct str *out);
void focus_clear(struct focus *f); /* forget the entries, keep the counts */

struct focus_counts {
	int64_t lines, split_lines, rows, unbilled_rows;
	int64_t unpriced_ms; /* GPU time left out for want of a price */
};
struct focus_counts focus_counts(const struct focus *f);
const char *const *focus_columns(size_t *ret_n); /* FOCUS's own, without x_ */
#endif
