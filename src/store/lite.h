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
int lite_open(const char *path, bool write, const char *const *step, size_t nstep, sqlite3 **ret, struct err *err);
int lite_exec(sqlite3 *db, const char *sql, struct err *err);
int lite_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret, struct err *err);
/* SQLITE_ROW -> 1, SQLITE_DONE -> 0, else a negative errno. */
int lite_step(sqlite3 *db, sqlite3_stmt *st, struct err *err);
int lite_error(sqlite3 *db, struct err *err);
void lite_bind_sv(sqlite3_stmt *st, int i, struct sv v); /* {NULL,0} -> NULL; copied */
struct sv lite_text(sqlite3_stmt *st, int col, struct arena *a);
#endif
