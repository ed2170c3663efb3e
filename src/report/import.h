#ifndef TARE_REPORT_IMPORT_H
#define TARE_REPORT_IMPORT_H
/* What an import did, file by file. */
#include "book/book.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc import_doc;

/* f [n]: of book_import(). JSON is schema tare.import/1, with "already" and the batch beside what
 * an earlier call said of the same file; every other format is text for people. */
void import_print(const struct book_file *const *f, size_t n, bool dry_run, enum out_format format,
		  struct str *out);

#endif
