#ifndef TARE_CLI_REPORT_VIEWS_H
#define TARE_CLI_REPORT_VIEWS_H
/* Where reports are written. */
#include "answer/report.h"
#include "cli/cli.h"

/* FOCUS 1.3 rows into a file, "-" = stdout. Exit code. */
int report_view_focus(struct cli *c, const struct report_ask *q, const char *file);
/* What --by says with --serving: "service" or "service,tenant". 0 or -EINVAL. */
int report_serving_by(const char *by, bool *ret_tenant, struct err *err);
/* Requests, latency and cost of services; 0 or negative. */
int report_view_serving(struct cli *c, const struct report_ask *q, bool by_tenant, struct str *out,
			struct err *err);
/* Write to the file (whole or not at all), NULL or "-" = stdout. Exit code. */
int report_emit(struct cli *c, const char *file, const struct str *out);
#endif
