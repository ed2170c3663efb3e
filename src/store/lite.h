#ifndef TARE_STORE_LITE_H
#define TARE_STORE_LITE_H
/* SQLite: opening with a numbered schema, and its errors in our words. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "base/mem.h"

/* Who writes in a file; lite.c says what follows from it, and why. */
enum lite_use {
	LITE_SHARED, /* programs in turn, readers beside them: a rollback journal */
	LITE_OWNED,  /* one program, whose lock the caller holds; readers at any time: WAL, and the
		      * file must not be reached through a symbolic link, be it itself or a folder
		      * of its path (realpath(3) of the folder has none) */
};
struct lite_file {
	const char *path;
	bool write;
	enum lite_use use;
	const char *const *step; /* [nstep] of its schema */
	size_t nstep;
};
/*
 * Open it, made and upgraded if write; 16 KiB pages, durable commits. Who only reads cannot
 * change it, nor checkpoint it, and finds no file: -ENOENT. Newer than nstep: -EPROTO.
 */
int lite_open(const struct lite_file *f, sqlite3 **ret, struct err *err);
/* Steps of the schema that the file has. */
int lite_version(sqlite3 *db, int *ret, struct err *err);
/* In its statements row_hash(a, ...) is an aggregate: 64 bits over the cells of all rows, in the
 * order in which the table gives them; 0 for no row. */
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
