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
/*
 * The dimensions of a line of CSV, a comma after each: of its head, and of a row (NULL: a line of
 * no row). What an account is called stands last in a line, behind columns that scripts know by
 * their place: csv_end() of the head and of each row adds it to the line that out ends with.
 */
void csv_heads(const struct report_in *in, struct str *out);
void csv_dims(const struct report_in *in, const struct cube_row *r, struct str *out);
void csv_end_head(const struct report_in *in, struct str *out);
void csv_end(const struct report_in *in, const struct cube_row *r, struct str *out);

struct report_window { /* UNKNOWN_MS = open */
	int64_t since_ms, until_ms;
};
extern const struct col report_window_cols[];
extern const struct col_doc report_doc;
#endif
