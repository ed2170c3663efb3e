#ifndef TARE_CLI_REPORT_VIEWS_H
#define TARE_CLI_REPORT_VIEWS_H
/* Where reports are written. */
#include "answer/report.h"
#include "cli/cli.h"

/* FOCUS 1.3 rows into a file, "-" = stdout. Exit code. */
int report_view_focus(struct cli *c, const struct report_ask *q, const char *file);
/* Write to the file (whole or not at all), NULL or "-" = stdout. Exit code. */
int report_emit(struct cli *c, const char *file, const struct str *out);
#endif
