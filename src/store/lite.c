#include "store/lite.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int lite_error(sqlite3 *db, struct err *err)
{
	int code = sqlite3_errcode(db);
	const char *file = sqlite3_db_filename(db, "main");
	switch (code & 0xff) {
	case SQLITE_FULL:
		err_set(err, -ENOSPC, "cannot write '%s': the disk is full", file);
		err_hint(err, "free some space and run the command again; the store is as it was");
		return -ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED: return err_set(err, -EBUSY, "'%s' is in use by another program", file);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return err_set(err, -EBADMSG, "'%s' is damaged: %s", file, sqlite3_errmsg(db));
	case SQLITE_NOMEM: return err_nomem(err);
	case SQLITE_IOERR:
		if (sqlite3_system_errno(db) == EFBIG || sqlite3_system_errno(db) == ENOSPC) {
			int e = sqlite3_system_errno(db);
			err_set(err, -e, "cannot write '%s': %s", file,
				e == ENOSPC ? "the disk is full"
					    : "the file may not grow further (file size limit)");
			err_hint(err, "%s; the store is as it was",
				 e == ENOSPC ? "free some space and run the command again"
					     : "raise the limit (ulimit -f)");
			return -e;
		}
		/* fall through */
	default:
		return err_set(err, -EIO, "'%s': %s", file ? file : "database", sqlite3_errmsg(db));
	}
}

int lite_exec(sqlite3 *db, const char *sql, struct err *err)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : lite_error(db, err);
}

int lite_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret, struct err *err)
{
	return sqlite3_prepare_v2(db, sql, -1, ret, NULL) == SQLITE_OK ? 0 : lite_error(db, err);
}

int lite_step(sqlite3 *db, sqlite3_stmt *st, struct err *err)
{
	int r = sqlite3_step(st);
	return r == SQLITE_ROW ? 1 : r == SQLITE_DONE ? 0 : lite_error(db, err);
}

void lite_bind_sv(sqlite3_stmt *st, int i, struct sv v)
{
	if (v.p)
		sqlite3_bind_text(st, i, v.p, (int)v.n, SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(st, i);
}

static void bind_value(sqlite3_stmt *st, int i, const struct lite_value *v)
{
	if (v->type == LITE_TEXT)
		lite_bind_sv(st, i, v->text);
	else if (v->type == LITE_BLOB)
		sqlite3_bind_blob64(st, i, v->text.p, v->text.n, SQLITE_STATIC);
	else if (v->type == LITE_I64 || (v->type == LITE_TIME && v->i != INT64_MIN))
		sqlite3_bind_int64(st, i, v->i);
	else if (v->type == LITE_TIME || isnan(v->num))
		sqlite3_bind_null(st, i);
	else
		sqlite3_bind_double(st, i, v->num);
}

int lite_run(sqlite3 *db, const char *sql, const struct lite_value *v, size_t n, struct err *err)
{
	sqlite3_stmt *st;
	int r = lite_prepare(db, sql, &st, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		bind_value(st, (int)i + 1, &v[i]);
	r = lite_step(db, st, err);
	sqlite3_finalize(st);
	return r < 0 ? r : 0;
}

struct sv lite_text(sqlite3_stmt *st, int col, struct arena *a)
{
	const char *p = (const char *)sqlite3_column_text(st, col);
	size_t n = (size_t)sqlite3_column_bytes(st, col);
	return p ? (struct sv){ arena_strn(a, p, n), n } : (struct sv){ NULL, 0 };
}

static int version_of(sqlite3 *db, int *ret, struct err *err)
{
	sqlite3_stmt *st;
	int r = lite_prepare(db, "PRAGMA user_version", &st, err);
	if (r)
		return r;
	r = lite_step(db, st, err);
	*ret = r > 0 ? sqlite3_column_int(st, 0) : 0;
	sqlite3_finalize(st);
	return r < 0 ? r : 0;
}

static int upgrade(sqlite3 *db, const char *const *step, size_t nstep, int version, struct err *err)
{
	int r = 0;
	for (size_t v = (size_t)version; r == 0 && v < nstep; v++) {
		char note[48];
		snprintf(note, sizeof note, "PRAGMA user_version = %zu", v + 1);
		r = lite_exec(db, "BEGIN IMMEDIATE", err);
		if (r == 0)
			r = lite_exec(db, step[v], err);
		if (r == 0)
			r = lite_exec(db, note, err);
		if (r == 0)
			r = lite_exec(db, "COMMIT", err);
	}
	return r;
}

static int prepare_file(sqlite3 *db, const char *path, bool write, const char *const *step,
			size_t nstep, struct err *err)
{
	int version = 0, r = 0;
	sqlite3_busy_timeout(db, 5000);
	if (write)
		r = lite_exec(
			db,
			"PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768",
			err);
	if (r == 0)
		r = version_of(db, &version, err);
	if (r == 0 && version > (int)nstep) {
		r = err_set(
			err, -EPROTO,
			"'%s' was written by a newer version of tare (schema %d, this program knows %zu)",
			path, version, nstep);
		err_hint(err, "use that version, or another folder with --db");
	}
	if (r == 0 && write)
		r = upgrade(db, step, nstep, version, err);
	return r;
}

int lite_open(const char *path, bool write, const char *const *step, size_t nstep, sqlite3 **ret,
	      struct err *err)
{
	sqlite3 *db = NULL;
	if (!write &&
	    access(path, F_OK)) /* another user's folder: whether it is there cannot be told */
		return errno == EACCES ? err_set(err, -EACCES,
						 "'%s' may not be read: permission denied", path)
				       : err_set(err, -ENOENT, "there is no '%s'", path);
	int r = 0,
	    flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
	if (sqlite3_open_v2(path, &db, flags, NULL) != SQLITE_OK)
		r = db ? lite_error(db, err) : err_nomem(err);
	if (r == 0)
		r = prepare_file(db, path, write, step, nstep, err);
	if (r && !write && r != -EPROTO && access(path, W_OK)) {
		/* A folder that may only be read: nobody can be writing, so the file is taken as it lies there. */
		struct str uri = { 0 };
		str_addf(&uri, "file:%s?immutable=1", path);
		sqlite3_close(db);
		db = NULL;
		r = sqlite3_open_v2(uri.p, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) ==
				    SQLITE_OK
			    ? 0
			    : lite_error(db, err);
		if (r == 0)
			r = prepare_file(db, path, false, step, nstep, err);
		str_free(&uri);
	}
	if (r) {
		sqlite3_close(db);
		return r;
	}
	*ret = db;
	return 0;
}
