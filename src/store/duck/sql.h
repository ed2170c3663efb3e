#ifndef TARE_STORE_DUCK_SQL_H
#define TARE_STORE_DUCK_SQL_H
/* Statements and results of DuckDB, column-wise underneath, one row at a time for the caller. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/duck/duck.h"

struct answer {
	duckdb_prepared_statement stmt;
	duckdb_result res;
	bool has_res;
	duckdb_data_chunk chunk;
	idx_t n, i; /* rows of the chunk, row after the current one */
	size_t ncol;
	void *ctx;         /* the reader's own */
	struct sv *shared; /* [SHARED_TEXTS] copies of answer_shared(); NULL: it shares none */
	struct rows_col {
		const void *data;
		const uint64_t *valid; /* NULL: all are */
		duckdb_type type;      /* storage type */
	} * col;
};

/* Translate a message of DuckDB into a sentence of ours and its errno: full disk, locks, file size
 * limits, out of memory. */
int sql_error(struct err *err, const char *doing, const char *msg);

/* Statements without a result. */
int sql_exec(duckdb_connection con, const char *sql, const char *doing, struct err *err);
/* The one number that the statement gives; `none` where it is NULL or there is no row. */
int sql_number(duckdb_connection con, const char *sql, const char *doing, int64_t none,
	       int64_t *ret, struct err *err);
/* Its two instants; UNKNOWN_MS where NULL, both where there is no row. */
int sql_span(duckdb_connection con, const char *sql, const char *doing, int64_t *ret_from_ms,
	     int64_t *ret_to_ms, struct err *err);
struct sql_query {
	duckdb_connection con;
	const char *sql, *doing; /* completes "cannot ..." */
	/* rows are made as they are read and the connection is busy until answer_close() */
	bool stream;
};
/*
 * Run with parameters $1, $2...: args has a letter for each: i int64_t, n int64_t with UNKNOWN as
 * NULL, s const char * (NULL = NULL), v struct sv.
 */
int answer_open(struct answer *r, const struct sql_query *q, struct err *err, const char *args,
		...);
int answer_next(struct answer *r, struct err *err); /* 1, 0 at the end, negative */
void answer_close(struct answer *r);                /* a zeroed struct is fine */

/* Cells of the current row. Texts are valid until the next answer_next(). */
bool answer_null(const struct answer *r, size_t col);
/* any integer or boolean column; NULL gives INT64_MIN */
int64_t answer_i64(const struct answer *r, size_t col);
/* integer, HUGEINT or DECIMAL as stored; NULL gives 0 */
__int128 answer_huge(const struct answer *r, size_t col);
double answer_f64(const struct answer *r, size_t col);   /* DOUBLE; NULL gives NAN */
struct sv answer_sv(const struct answer *r, size_t col); /* VARCHAR, BLOB; NULL gives {NULL,0} */
struct sv answer_text(const struct answer *r, size_t col, struct arena *a); /* the same, copied */
/* The same for texts of few different ones: after answer_share() equal ones are mostly one copy,
 * all in the same arena. */
struct sv answer_shared(const struct answer *r, size_t col, struct arena *a);
void answer_share(struct answer *r);

/* A statement that changes rows; returns how many, or negative. */
int64_t sql_change(duckdb_connection con, const char *sql, const char *doing, struct err *err,
		   const char *args, ...);

/* Append 'text' with quotes doubled. */
void sql_quote(struct str *out, struct sv text);

#endif
