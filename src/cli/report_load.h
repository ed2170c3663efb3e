#ifndef TARE_CLI_REPORT_LOAD_H
#define TARE_CLI_REPORT_LOAD_H
/* From the store to what the report room prints: dimensions, filters, cells, the reconcile line.
 * Used by cmd_report.c and its parts. */
#include "cli/cli.h"
#include "report/report.h"

#define REPORT_DIMS_MAX 12

struct report_dims {
	enum dim dim[REPORT_DIMS_MAX];
	const char *tag[REPORT_DIMS_MAX];  /* key where dim is DIM_TAG */
	const char *name[REPORT_DIMS_MAX]; /* as written: "team", "tag:app" */
	size_t n;
};
/* Add "team,tag:app" (in arena a); the same one twice and more than the maximum are errors. */
int report_dims_add(struct report_dims *d, const char *text, struct arena *a, struct err *err);
bool report_dims_has(const struct report_dims *d, const char *name);

struct report_filters {
	VEC(struct ledger_filter) v;
	struct str words; /* "team=vision · node!=a,b" */
};
/* "dim=value[,value...]" or "dim!=value[,...]"; an empty value is "nobody". */
int report_filter_add(struct report_filters *f, const char *text, struct arena *a, struct err *err);

/* What all views share; the store is open while it is used. */
struct report_load {
	struct cli *c;
	struct store *s;
	enum basis basis;
	struct report_filters filter;
	/* of the data shown: the ledger's own span where the window is open; UNKNOWN_MS = empty
	 * ledger */
	int64_t since_ms, until_ms;
};
/* Cells by these dimensions in the window; ndim of them are shown, the rest are attributes of the
 * split. In the command's arena. */
int report_load_cells(struct report_load *l, const struct report_dims *d, bool filtered,
		      struct report_cell **ret, size_t *ret_n, struct report_reconcile **ret_rec,
		      size_t *ret_nrec, struct err *err);
/* Complete *in but for dims and cells: window, basis, reconcile (from the cells' sums in rec if
 * they are of the whole window, else read again). */
int report_load_in(struct report_load *l, const struct report_dims *d, size_t ndim,
		   struct report_in *ret, struct err *err);
#endif
