#ifndef TARE_STORE_LITE_H
#define TARE_STORE_LITE_H
/* SQLite: opening with a numbered schema, and its errors in our words. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "base/mem.h"

/*
 * Open path, made and upgraded if write; 16 KiB pages, WAL, synchronous FULL. A reader finds no file: -ENOENT. Newer than nstep: -EPROTO.
 */
int lite_open(const char *path, bool write, const char *const *step, size_t nstep, sqlite3 **ret,
	      struct err *err);
int lite_exec(sqlite3 *db, const char *sql, struct err *err);
int lite_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret, struct err *err);
/* SQLITE_ROW -> 1, SQLITE_DONE -> 0, else a negative errno. */
int lite_step(sqlite3 *db, sqlite3_stmt *st, struct err *err);
int lite_error(sqlite3 *db, struct err *err);
void lite_bind_sv(sqlite3_stmt *st, int i, struct sv v); /* {NULL,0} -> NULL; copied */
/* A value to bind; times and numbers that are not known are NULL in the file. */
struct lite_value {
	enum lite_type { LITE_I64, LITE_TIME, LITE_NUM, LITE_TEXT, LITE_BLOB } type;
	int64_t i;
	double num;
	struct sv text;
};
#define LITE_INT(v)                        \
	{                                  \
		.type = LITE_I64, .i = (v) \
	}
#define LITE_MS(v)                          \
	{                                   \
		.type = LITE_TIME, .i = (v) \
	} /* INT64_MIN -> NULL */
#define LITE_REAL(v)                         \
	{                                    \
		.type = LITE_NUM, .num = (v) \
	} /* NAN -> NULL */
#define LITE_SV(v)                             \
	{                                      \
		.type = LITE_TEXT, .text = (v) \
	}
#define LITE_BYTES(v)                          \
	{                                      \
		.type = LITE_BLOB, .text = (v) \
	} /* not copied */
/* Run a statement that gives no rows, with v[n] for its parameters. */
int lite_run(sqlite3 *db, const char *sql, const struct lite_value *v, size_t n, struct err *err);
struct sv lite_text(sqlite3_stmt *st, int col, struct arena *a);
#endif
