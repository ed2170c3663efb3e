#ifndef TARE_REPORT_FORMATS_H
#define TARE_REPORT_FORMATS_H
/* One function per output format; each adds the whole report to *out. */
#include "report/col.h"
#include "report/cost/cube.h"

void report_table(const struct report_in *in, const struct cube *c, struct str *out);
void report_md(const struct report_in *in, const struct cube *c, struct str *out);
void report_json(const struct report_in *in, const struct cube *c, struct str *out);
void report_csv(const struct report_in *in, const struct cube *c, struct str *out);
void report_html(const struct report_in *in, const struct cube *c, struct str *out);

/* A workbook, as bytes; 0, or negative as cube_build() and xlsx_write(). */
int report_xlsx(const struct report_in *in, struct str *out, struct err *err);
/* Lines of text as Markdown: what it would read as its own is escaped. */
void md_text(struct str *out, const char *s);
/* The dimensions and the currency of a line of CSV, a comma after each. */
void csv_dims(const struct report_in *in, const struct cube_row *r, struct str *out);

struct report_window { /* UNKNOWN_MS = open */
	int64_t since_ms, until_ms;
};
extern const struct col report_window_cols[];
extern const struct col_doc report_doc;
#endif
