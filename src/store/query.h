#ifndef TARE_STORE_QUERY_H
#define TARE_STORE_QUERY_H
/*
 * A statement of somebody else's over the store: one SELECT, read only, without files, network,
 * extensions or settings. What it is meant to read are the views below (docs/SQL.md): their names,
 * columns and units stay as they are, whatever the tables behind them become.
 */
#include "store/store.h"

enum query_type {
	QUERY_TEXT,
	QUERY_INT,  /* digits */
	QUERY_DEC,  /* an exact decimal without trailing zeros */
	QUERY_NUM,  /* binary floating point, shortest digits that read back the same */
	QUERY_BOOL, /* "true", "false" */
	QUERY_DAY,  /* "2026-11-20" */
	QUERY_TIME  /* RFC 3339 UTC, to the microsecond */
};
struct query_column {
	const char *name;
	enum query_type type;
};
struct query_result {
	const struct query_column *column; /* [ncolumn] */
	size_t ncolumn;
	const char *const *cell; /* [nrow * ncolumn], row by row; NULL is NULL */
	size_t nrow;
	bool more; /* rows were left out */
};
#define QUERY_SQL_MAX   (256 << 10)         /* bytes of a statement */
#define QUERY_CELL_MAX  ((size_t)1 << 20)   /* bytes of one cell */
#define QUERY_BYTES_MAX ((size_t)256 << 20) /* of all cells */

struct query_ask {
	const char *sql;
	size_t most;      /* rows */
	int64_t limit_ms; /* of time; 0: none */
};

/*
 * At most `most` rows, in arena a. -EINVAL: not one SELECT, or one that the engine does not take
 * (its words, where in the text, as the hint); a column whose type has no text; -E2BIG: text or
 * result too large; -ETIMEDOUT: longer than limit_ms, as far as the engine looks up between its
 * pieces of work (it does not inside of one function call). Behind it the store's connection stays
 * locked: nothing else may be asked.
 */
int store_query(struct store *s, const struct query_ask *q, struct arena *a,
		struct query_result *ret, struct err *err);

struct query_view_column {
	const char *name, *unit, *help; /* unit NULL: none */
	const char *expr;               /* in the engine's SQL; NULL: the column of that name */
};
struct query_view {
	const char *name, *help;
	const struct query_view_column *column; /* ends with name == NULL */
};
/* [*ret_n] */
const struct query_view *store_views(size_t *ret_n);

#endif
