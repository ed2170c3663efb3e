#ifndef TARE_REPORT_COL_H
#define TARE_REPORT_COL_H
/*
 * Typed columns: structs become JSON, CSV and a JSON Schema from one table of
 *
 *   { "billed", COL_DEC, offsetof(struct day, billed), "money", "as the invoice says" }
 *
 * so that a new column is one row. What is unknown is null and an empty cell, never 0. A column
 * that is no member of the struct has a `get`; objects and arrays have a table of their own
 * (`sub`).
 */
#include <math.h>

#include "base/jw.h"

enum col_type {
	COL_TEXT,    /* const char *; NULL is unknown */
	COL_WORD,    /* const char *; NULL and "" are unknown */
	COL_DEC,     /* dec; a decimal string */
	COL_NANO,    /* int64_t in 10^-9; a decimal string; UNKNOWN_I64 is unknown */
	COL_INT,     /* int64_t; UNKNOWN_I64 is unknown */
	COL_I32,     /* int; INT_MIN is unknown */
	COL_SIZE,    /* size_t */
	COL_SECONDS, /* int64_t ms; seconds as a decimal string; UNKNOWN_MS is unknown */
	COL_NUM,     /* double; not finite is unknown; at most `digits` after the point */
	COL_DAY,     /* int64_t ms; "2026-11-20" */
	COL_TIME,    /* int64_t ms; RFC 3339; UNKNOWN_MS is unknown */
	COL_BOOL,    /* bool */
	COL_RAW,     /* const char *; JSON of any shape, NULL is unknown */
	COL_ROW,     /* a struct: an object with the columns of `sub` */
	COL_ROWS, /* pointer at `at`, size_t at `n_at`, structs of `size` bytes: an array of objects */
	COL_TEXTS, /* const char *const * at `at`, size_t at `n_at`: an array of texts */
	/* like ROWS: an object of pairs; sub[0] is the key, a text, sub[1] the value */
	COL_MAP,
};

union col_value {
	const char *text; /* TEXT, WORD, RAW */
	dec money;        /* DEC */
	int64_t n;        /* NANO, INT, I32, SECONDS, SIZE, DAY, TIME */
	double x;         /* NUM */
	bool yes;         /* BOOL */
	struct {
		const void *p;
		size_t n;
	} rows; /* ROW (n is 1), ROWS, TEXTS, MAP */
};

struct col {
	const char *name;
	enum col_type type;
	size_t at;        /* offsetof the value */
	const char *unit; /* "money", "count", or NULL */
	const char *help; /* what it means, for the schema */
	size_t has_at;    /* offsetof a bool that says whether it is known; 0 = no such */
	/* the value where it is no member; false: it is not known. May write *ret only. */
	bool (*get)(const void *row, union col_value *ret);
	const struct col *sub;    /* of ROW, ROWS and MAP; ends with name == NULL */
	size_t n_at, size;        /* of ROWS and MAP; n_at of TEXTS */
	int digits;               /* of NUM */
	double per;               /* of NUM: what the member is divided by; 0: by nothing */
	bool of_i64;              /* of NUM: the member is an int64_t; UNKNOWN_I64 is unknown */
	const char *const *words; /* of TEXT: the member is an enum, a place in them */
	bool fixed;               /* of NUM in CSV: all its digits, also those that are 0 */
	bool quoted;              /* of TEXT in CSV: in quotes whatever it holds; never unknown */
	bool optional;            /* left out where unknown, not null */
	bool maybe;               /* left out or null: who prints the row leaves it out */
	bool always;              /* never unknown, for the schema */
	bool json_only;           /* not in CSV */
	bool csv_only;            /* not in JSON: what a document says once, and each line needs */
	/* of RAW: "type" and what else the schema says of it, into an object that is open */
	void (*shape)(struct jw *w);
	/* at and n_at are of the struct that the pointer at via_at points to: COL_VIA(); NULL:
	 * nothing of it is known */
	bool via;
	size_t via_at;
	bool here; /* of ROW and MAP: its keys stand in this object itself; no help of its own */
};

/* The middle of a row for an array of structs at S.p [S.n], and for one of texts:
 * { "checks", COL_LIST(struct doctor, check, n, check_cols), .help = "..." } */
#define COL_LIST(S, ptr, count, cols)                                         \
	.type = COL_ROWS, .at = offsetof(S, ptr), .n_at = offsetof(S, count), \
	.size = sizeof *((S *)0)->ptr, .sub = (cols)
#define COL_PAIRS(S, ptr, count, cols)                                       \
	.type = COL_MAP, .at = offsetof(S, ptr), .n_at = offsetof(S, count), \
	.size = sizeof *((S *)0)->ptr, .sub = (cols)
#define COL_WORDS(S, ptr, count) \
	.type = COL_TEXTS, .at = offsetof(S, ptr), .n_at = offsetof(S, count)

/* The middle of a row for a member of the struct that S.ptr points to, and for that struct:
 * { "name", COL_TEXT, COL_VIA(struct view_row, v, name), .help = "..." } */
#define COL_VIA(S, ptr, member) \
	.via = true, .via_at = offsetof(S, ptr), .at = offsetof(__typeof__(*((S *)0)->ptr), member)
#define COL_BEHIND(S, ptr) .via = true, .via_at = offsetof(S, ptr)

/* What a command prints with -o json: one object, "schema" before its columns. */
struct col_doc {
	const char *schema;  /* "tare.reconcile/1" */
	const char *command; /* "plan gpu": tare plan gpu -o json prints it */
	const char *help;    /* what it is, and when it is printed */
	const struct col *cols;
	const struct col_doc *other; /* another shape of the same document, or NULL */
};

/* Every document from now on says "demo":true behind its schema; one switch of the process. */
void cols_doc_demo(bool demo);
/* The document of one struct and a line feed. */
void cols_doc(const struct col_doc *d, const void *doc, struct str *out);
/* Its JSON Schema (draft 2020-12), indented, and a line feed. */
void cols_doc_schema(const struct col_doc *d, struct str *out);

/* What a get() ends with that has a number; false where it is not finite. */
static inline bool col_num(double x, union col_value *ret)
{
	ret->x = x;
	return isfinite(x);
}
/* The get() of a column that has no value in this place. */
bool col_never(const void *row, union col_value *ret);
/* What a row has in that column; false: it is not known, and no format prints a 0 for it. */
bool cols_value(const struct col *c, const void *row, union col_value *ret);
/* rows [n] structs of `size` bytes; cols end with name == NULL. */
void cols_json(const struct col *cols, const void *rows, size_t n, size_t size, struct jw *w);
/* The columns of one row into an object that is open: others may stand beside them. */
void cols_json_row(const struct col *cols, const void *row, struct jw *w);
/* The two parts of cols_csv(), for rows that come one by one. */
void cols_csv_head(const struct col *cols, struct str *out);
void cols_csv_row(const struct col *cols, const void *row, struct str *out);
/* A head, then a line a row. Columns of objects and arrays must be json_only. */
void cols_csv(const struct col *cols, const void *rows, size_t n, size_t size, struct str *out);
/* The same of some columns, in another order: "cause title cost_month". */
void cols_csv_some(const struct col *cols, const char *names, const void *rows, size_t n,
		   size_t size, struct str *out);
/* The JSON Schema of one row: an object of all columns. With key it has that one, of this value,
 * first. */
void cols_schema(const struct col *cols, const char *key, const char *is, struct jw *w);
#endif
