#ifndef TARE_STORE_LITE_VFS_H
#define TARE_STORE_LITE_VFS_H
/*
 * Pages with a checksum. SQLite does not check what it reads: a flipped bit gives another answer
 * without a word. Through this layer over the system's own files
 *
 *   - each page of a file with LITE_SUM_BYTES reserved at its end has the xxh3 of its number and
 *   the
 *     rest of it there, written and compared by this layer alone;
 *   - a page read from the log (WAL) is compared with the checksum that SQLite wrote beside it,
 *     which SQLite itself looks at only when a program that was killed is followed by another.
 *
 * What differs is SQLITE_IOERR_DATA, which lite_error() calls damaged. A file without reserved
 * bytes is read and written as before: lite_give_sums() makes it one with.
 *
 * A writer must not spill its cache ("PRAGMA cache_spill = 0"): the checksums of a transaction in
 * the log are right once it has been committed.
 */
#include <sqlite3.h>
#include <stdbool.h>
#include "base/err.h"

#define LITE_SUM_BYTES 8

/* The name of the layer for sqlite3_open_v2(), registered at the first call; NULL: no memory. */
const char *lite_vfs(void);
/* Whether pages of the main file have sums. */
bool lite_has_sums(sqlite3 *db);
/* Before the first page of a new file is written, or before VACUUM of one that has none. */
void lite_reserve_sums(sqlite3 *db);
/* Sums for a file that has none yet, by writing all of it again; needs room for as much again. */
int lite_give_sums(sqlite3 *db, struct err *err);
/* -EBADMSG where a file that was made with sums looks as if it had none. */
int lite_check_sums(sqlite3 *db, struct err *err);
#endif
