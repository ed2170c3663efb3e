#ifndef TARE_REPORT_SAVED_H
#define TARE_REPORT_SAVED_H
/* The saved views: what tare report --views prints. */
#include "report/col.h"
#include "report/cost/report.h"

struct saved_row {
	const char *name;
	const char *options; /* as on the command line */
	const char *file;    /* where it stands */
};
void saved_print(const struct saved_row *row, size_t n, const struct out_as *as, struct str *out);
extern const struct col_doc saved_doc;
#endif
