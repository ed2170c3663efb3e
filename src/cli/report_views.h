#ifndef TARE_CLI_REPORT_VIEWS_H
#define TARE_CLI_REPORT_VIEWS_H
/* The views of tare report that bring data of their own. */
#include "answer/report.h"
#include "cli/cli.h"
#include "report/chargeback.h"
#include "report/focus.h"
#include "report/kpi.h"
#include "report/tags.h"

/* A report being made by the command. */
struct report_load {
	struct cli *c;
	struct report_ask q; /* its store is open */
};
int report_view_kpi(struct report_load *l, struct str *out, struct err *err);
int report_view_tags(struct report_load *l, size_t limit, struct str *out, struct err *err);
int report_view_focus(struct report_load *l, const char *file); /* exit code */
/* Write to the file (whole or not at all), NULL or "-" = stdout. Exit code. */
bool report_may_replace(const char *path); /* false where a device, a pipe or a link is */
int report_emit(struct cli *c, const char *file, const struct str *out);
#endif
