#ifndef TARE_BASE_TAB_H
#define TARE_BASE_TAB_H
/*
 * Tabular readers: CSV (csv.c), JSON lines (jsonl.c) and, implemented by store/, Parquet give the
 * same rows of text. A feed asks for its columns by name once and then reads cells by number.
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
	/* [ncol] names as written in the file, without BOM and surrounding blanks */
	const struct sv *col;
	/* line (CSV: where the row starts; JSON lines) or row number (Parquet) of the row last
	 * read, from 1 */
	int64_t line;
	bool high;            /* the reader has seen a byte that is not ASCII */
	struct tab_utf8 *own; /* tab_next()'s copies of cells that are no UTF-8; NULL: none yet */
};

struct tab_ops {
	/*
	 * Read a row. *ret_cell: [ncol], valid until the next call; {NULL,0} = absent or null.
	 * Returns 1, 0 at the end, or a negative errno with the line in the error; after -EDOM
	 * (only this row is bad) reading can go on.
	 */
	int (*next)(struct tab *t, const struct sv **ret_cell, struct err *err);
	void (*close)(struct tab *t);
};

struct tab_csv_opt {
	char sep;       /* 0: find out among , ; tab | from the header */
	bool no_header; /* columns are then named 1, 2, ... */
	/* short rows are filled with nulls, extra empty cells ignored, but a last row that is short
	 * and has no line break is truncated (CSV_CUT); else a wrong count is an error */
	bool ragged;
	bool growing;         /* somebody may be writing the file: its last row is as any other */
	size_t max_row_bytes; /* 0: 16 MiB; a longer row is -EMSGSIZE; at most 1 GiB */
	size_t buf_bytes;     /* 0: 4 MiB to start with; tests use tiny ones */
	/* [nnull] texts that mean null when not quoted, beside nothing at all */
	const struct sv *null;
	size_t nnull;
};

/* Ends the -EDOM of a row that the end of the file cuts off: it has no line break. */
#define CSV_CUT "; the file ends in the middle of it"
/*
 * CSV after RFC 4180: quotes doubled inside quotes, CR LF or LF, BOM skipped, blank lines skipped,
 * line breaks inside quotes. An empty unquoted cell is null; "" quoted is the empty text. A quote
 * inside an unquoted cell is an ordinary character.
 *
 * -EDOM is an error of one row after which reading can go on: a wrong number of cells. All others
 * end the reading and come again if asked again: -EBADMSG for a NUL byte, an unclosed quote, text
 * behind a closing quote or UTF-16; -EMSGSIZE for a row above max_row_bytes (what is held stays
 * below max_row_bytes + 4 MiB); what input_read() gave. Opening fails too with -EEXIST, a header
 * that names a column twice (empty names aside), and -ENODATA, no line at all.
 *
 * The input is borrowed and must outlive the reader; it may have been peeked at, not read.
 */
int tab_csv_open(struct input *in, const struct tab_csv_opt *opt, struct tab **ret,
		 struct err *err);

/*
 * JSON lines: one object a line, blank lines skipped; the columns are the union of the keys of the
 * first 1,000 rows (or 64 MiB) in order of appearance. Texts are unescaped, numbers come as
 * written, true and false as these words, null as {NULL,0}, nested objects and arrays as their
 * compact JSON text.
 *
 * -EDOM as above: a line that is no JSON object (RFC 8259, at most 64 levels deep), a key twice in
 * a row, a key that is not among the columns, a NUL character in a text. Lines above 16 MiB are
 * -EMSGSIZE. Opening fails with -EBADMSG where the first line is no object, -ENODATA where there is
 * none.
 */
int tab_jsonl_open(struct input *in, struct tab **ret, struct err *err);

/* The next row, as tab_ops.next has it; cells that are no UTF-8 are read as Latin-1. */
int tab_next(struct tab *t, const struct sv **ret_cell, struct err *err);
void tab_close(struct tab *t); /* NULL is fine */

/*
 * Which of col[ncol] has this name, or -1. The nearest spelling wins, wherever it stands, and of
 * two that are as near the one that sorts first, so that the order of columns changes nothing:
 *   as written; ASCII without case; word by word ("gpuCount", "GPU Count", "gpu-count" for
 *   gpu_count); where `loose`, letter by letter without what stands between them
 *   ("lineitem/unblendedcost" for line_item_unblended_cost).
 * loose is for names that are long and never differ by their separators alone, as in bills.
 */
int tab_find(const struct sv *col, size_t ncol, const char *name, bool loose);
/* Column number by name, not loosely; -1 if absent. */
int tab_col(const struct tab *t, const char *name);

#endif
