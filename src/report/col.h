#ifndef TARE_REPORT_COL_H
#define TARE_REPORT_COL_H
/*
 * Typed columns: an array of structs becomes rows of JSON, CSV and a JSON Schema from one table of
 *
 *   { "billed", COL_DEC, offsetof(struct day, billed), "money", "as the invoice says" }
 *
 * so that a new column is one row. What is unknown is null and an empty cell, never 0.
 */
#include "base/jw.h"

enum col_type {
	COL_TEXT, /* const char *; NULL is unknown */
	COL_DEC,  /* dec; a decimal string */
	COL_INT,  /* int64_t; UNKNOWN_I64 is unknown */
	COL_DAY,  /* int64_t ms; "2026-11-20" */
	COL_TIME, /* int64_t ms; RFC 3339; UNKNOWN_MS is unknown */
	COL_BOOL, /* bool */
};

struct col {
	const char *name;
	enum col_type type;
	size_t at;        /* offsetof the value */
	const char *unit; /* "money", "count", or NULL */
	const char *help; /* what it means, for the schema */
	size_t has_at;    /* offsetof a bool that says whether it is known; 0 = no such */
};

/* rows [n] structs of `size` bytes; cols end with name == NULL. */
void cols_json(const struct col *cols, const void *rows, size_t n, size_t size, struct jw *w);
/* The columns of one row into an object that is open: others may stand beside them. */
void cols_json_row(const struct col *cols, const void *row, struct jw *w);
/* A head, then a line a row. */
void cols_csv(const struct col *cols, const void *rows, size_t n, size_t size, struct str *out);
/* The JSON Schema of one row: an object of all columns. */
void cols_schema(const struct col *cols, struct jw *w);
#endif
