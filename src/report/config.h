#ifndef TARE_REPORT_CONFIG_H
#define TARE_REPORT_CONFIG_H
/* Settings as a table, JSON ("tare.config/1"), CSV or Markdown; one setting in full. */
#include "answer/config.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc config_doc; /* of a struct config_answer */
/* single: one setting was asked for by its name: a table then says all that is known of it. */
void config_print(const struct config_answer *a, bool single, const struct out_as *as,
		  struct str *out);
#endif
