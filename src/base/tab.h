#ifndef TARE_BASE_TAB_H
#define TARE_BASE_TAB_H
/*
 * Tabular readers: CSV (csv.c), JSON lines (jsonl.c) and, implemented by store/, Parquet give the same rows of text.
 * A feed asks for its columns by name once and then reads cells by number.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/input.h"
#include "base/str.h"

struct tab {
	const struct tab_ops *ops;
	const char *format; /* "csv", "jsonl", "parquet" */
	size_t ncol;
	const struct sv *col; /* [ncol] names as written in the file, without BOM and surrounding blanks */
	int64_t line;	      /* line (CSV: where the row starts; JSON lines) or row number (Parquet) of the row last read, from 1 */
};

struct tab_ops {
	/*
	 * Read a row. *ret_cell: [ncol], valid until the next call; {NULL,0} = absent or null. Returns 1, 0 at the end, or
	 * a negative errno with the line in the error.
	 */
	int (*next)(struct tab *t, const struct sv **ret_cell, struct err *err);
	void (*close)(struct tab *t);
};

struct tab_csv_opt {
	char sep;		/* 0: find out among , ; tab | from the header */
	bool no_header;		/* columns are then named 1, 2, ... */
	bool ragged;		/* short rows are filled with nulls, extra empty cells ignored; else a wrong count is an error */
	size_t max_row_bytes;	/* 0: 16 MiB; a longer row is -EMSGSIZE */
	const struct sv *null;	/* [nnull] texts that mean null when not quoted, beside nothing at all */
	size_t nnull;
};

/*
 * CSV after RFC 4180: quotes doubled inside quotes, CR LF or LF, BOM skipped, blank lines skipped, line breaks inside
 * quotes. An empty unquoted cell is null; "" quoted is the empty text. A header that names a column twice is -EEXIST, a NUL byte or
 * an unclosed quote -EBADMSG. A row with a wrong number of cells is returned as an error of that row (-EDOM) after which reading can go on.
 * The input is borrowed and must outlive the reader.
 */
int tab_csv_open(struct input *in, const struct tab_csv_opt *opt, struct tab **ret, struct err *err);

/*
 * JSON lines: one object a line; the columns are the union of the keys of the first 1,000 rows in order of appearance
 * plus any later new key appended is an error naming it. Nested objects and arrays come as their compact JSON text, numbers as written.
 */
int tab_jsonl_open(struct input *in, struct tab **ret, struct err *err);

static inline int tab_next(struct tab *t, const struct sv **ret_cell, struct err *err)
{
	return t->ops->next(t, ret_cell, err);
}
void tab_close(struct tab *t); /* NULL is fine */

/* Column number by name: exact first, then ASCII without case; -1 if absent. */
int tab_col(const struct tab *t, const char *name);

#endif
