#ifndef TARE_REPORT_INVOICE_INVOICE_H
#define TARE_REPORT_INVOICE_INVOICE_H
/*
 * A chargeback that can be sent: one self-contained HTML file, a first page with all teams and a
 * page for each. Amounts are rounded to cents so that the lines of a page add up to its amount,
 * which is what `tare report` prints of that team; what rounding leaves over all pages is a line of
 * the first page.
 */
#include "report/cost/report.h"

/* The further dimensions of the part that says what the direct cost is of, beside those of --by:
 * what a job's cost is of is the job, of all else it is what the bill calls it. */
#define INVOICE_DETAIL "project,job,cloud_service,account,region"
/* jobs a page lists, without --limit; the rest is summed in a line */
#define INVOICE_ROWS 40

/* The code of the conf's invoice.cost_centers or cost_center_tag for a row's dimensions, or "". */
const char *invoice_cost_center(const struct report_in *in, const char *const *dim);
/*
 * in: as for chargeback_print(), with a conf; detail: the same question by the shown dimensions,
 * then those of INVOICE_DETAIL that are not among them, with the names of accounts, then kind.
 * in->limit is of the details of a page. 0 or -EINVAL as cube_build().
 */
int invoice_print(const struct report_in *in, const struct report_in *detail, struct str *out,
		  struct err *err);
#endif
