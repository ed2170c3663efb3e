#ifndef TARE_REPORT_IMPORTS_H
#define TARE_REPORT_IMPORTS_H
/* What was imported, file by file, and what was taken out again. */
#include "book/remove.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc imports_doc, undo_doc;

/* JSON is schema tare.imports/1; every other format is text for people, of at most `width`
 * columns. */
void imports_print(const struct imported_file *f, size_t n, enum out_format format, int width,
		   bool colour, struct str *out);
/* JSON is schema tare.undo/1. */
void undo_print(const struct book_removed *r, bool dry_run, enum out_format format,
		struct str *out);

#endif
