#ifndef TARE_REPORT_SQL_H
#define TARE_REPORT_SQL_H
/* What tare sql prints: the rows of a statement, and the views that it can read. */
#include "answer/sql.h"
#include "report/col.h"
#include "report/cost/report.h"

/* 0, or -EINVAL: JSON, and two columns of one name. */
int sql_print(const struct query_result *q, const struct out_as *as, struct str *out,
	      struct err *err);
void sql_print_views(const struct query_view *view, size_t n, const struct out_as *as,
		     struct str *out);
extern const struct col_doc sql_doc, sql_views_doc;
#endif
