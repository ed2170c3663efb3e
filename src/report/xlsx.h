#ifndef TARE_REPORT_XLSX_H
#define TARE_REPORT_XLSX_H
/*
 * Tables with typed columns as a workbook (Office Open XML), through libxlsxwriter, its one door.
 *
 * A spreadsheet keeps binary numbers of 15 digits. An amount of at most 15 significant digits is a
 * number that reads back as the same decimal; where one of a column has more, the number is the
 * nearest one and a column "NAME exact" behind it has the text of each that is not exact. Texts are
 * texts whatever they begin with, never formulas. What is unknown is an empty cell. The head is
 * frozen and has filters; money and times are summed in a last row that follows the filter.
 */
#include "base/dec.h"
#include "base/err.h"
#include "base/mem.h"

enum xlsx_type {
	XLSX_TEXT,
	XLSX_DAY,     /* "2026-11-20" */
	XLSX_TIME,    /* "2026-11-20T22:00:00Z" */
	XLSX_MONEY,   /* summed */
	XLSX_NUMBER,  /* in `money`, at most 15 digits; not summed */
	XLSX_SECONDS, /* ms in `n`; summed */
	XLSX_HOURS    /* ms in `n`; summed */
};
struct xlsx_col {
	const char *name;
	enum xlsx_type type;
};
struct xlsx_cell {
	const char *text; /* of texts, days and times; one that is no day or time stays text */
	dec money;
	int64_t n;
	bool known;
};
struct xlsx_sheet {
	const char *name; /* is made fit: 31 characters, unlike the others */
	const struct xlsx_col *col;
	size_t ncol;
	const struct xlsx_cell *cell; /* [nrow * ncol] row by row */
	size_t nrow;
	bool sums;
	/* [ncol] of all rows together: what is unknown there has no sum; NULL: a column without a
	 * known cell has none */
	const struct xlsx_cell *total;
};
struct xlsx_note { /* a line of the sheet "about" */
	const char *name, *text;
};
/* Sentences in one cell, in place: an end of a line is a blank there. */
const char *xlsx_one_line(char *text);
#define XLSX_ROWS_MAX 1048000 /* of a sheet; the format ends at 2^20 */
#define XLSX_COLS_MAX 8000 /* the format ends at 2^14, and each may have an exact one beside it */

struct xlsx_book {
	const struct xlsx_sheet *sheet;
	size_t nsheet;
	const struct xlsx_note *note;
	size_t nnote;
	int64_t now_ms; /* when it was made, UNKNOWN_MS: a fixed day */
};
/* The bytes of the workbook behind *out. -E2BIG: more rows or columns than a sheet has; -EIO: the
 * temporary file (TMPDIR). */
int xlsx_write(const struct xlsx_book *of, struct str *out, struct err *err);

#endif
