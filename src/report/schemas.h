#ifndef TARE_REPORT_SCHEMAS_H
#define TARE_REPORT_SCHEMAS_H
/* The JSON documents that commands print, for `tare schema` and the tests. A new one is a row. */
#include "report/col.h"

extern const struct col_doc *const schema_docs[]; /* NULL-terminated, by command */
/* In `docs`, NULL-terminated. By command ("plan gpu": the first of it), by the text of its key "schema" ("tare.plan-gpu/1") or the
 * name in that ("plan-gpu"); NULL: no such. */
const struct col_doc *schema_find(const struct col_doc *const *docs, const char *name);
#endif
