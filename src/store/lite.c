#include "store/lite.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/str.h"
#include "base/tm.h"
#include "store/folder.h"
#include "store/lite_vfs.h"

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
		if (sqlite3_extended_errcode(db) == SQLITE_IOERR_DATA)
			return err_set(err, -EBADMSG,
				       "'%s' is damaged: a page of it is not as it was written",
				       file);
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
		return err_set(err, -EIO, "'%s': %s", text_or(file, "database"),
			       sqlite3_errmsg(db));
	}
}

int lite_exec(sqlite3 *db, const char *sql, struct err *err)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return lite_error(db, err);
}

int lite_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret, struct err *err)
{
	if (sqlite3_prepare_v2(db, sql, -1, ret, NULL) == SQLITE_OK)
		return 0;
	return lite_error(db, err);
}

int lite_step(sqlite3 *db, sqlite3_stmt *st, struct err *err)
{
	int r = sqlite3_step(st);
	if (r == SQLITE_ROW)
		return 1;
	if (r == SQLITE_DONE)
		return 0;
	return lite_error(db, err);
}

void lite_bind_sv(sqlite3_stmt *st, int i, struct sv v)
{
	if (v.p)
		sqlite3_bind_text(st, i, v.p, (int)v.n, SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(st, i);
}

int lite_run(sqlite3 *db, const char *sql, const struct lite_value *v, size_t n, struct err *err)
{
	sqlite3_stmt *st;
	int r = lite_prepare(db, sql, &st, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		const struct lite_value *x = &v[i];
		int at = (int)i + 1;
		if (x->type == LITE_TEXT)
			lite_bind_sv(st, at, x->text);
		else if (x->type == LITE_BLOB)
			sqlite3_bind_blob64(st, at, x->text.p, x->text.n, SQLITE_STATIC);
		else if (x->type == LITE_I64 || (x->type == LITE_TIME && x->i != INT64_MIN))
			sqlite3_bind_int64(st, at, x->i);
		else if (x->type == LITE_TIME || isnan(x->num))
			sqlite3_bind_null(st, at);
		else
			sqlite3_bind_double(st, at, x->num);
	}
	r = lite_step(db, st, err);
	sqlite3_finalize(st);
	if (r < 0)
		return r;
	return 0;
}

struct sv lite_text(sqlite3_stmt *st, int col, struct arena *a)
{
	const char *p = (const char *)sqlite3_column_text(st, col);
	size_t n = (size_t)sqlite3_column_bytes(st, col);
	if (p)
		return (struct sv){ arena_strn(a, p, n), n };
	return (struct sv){ NULL, 0 };
}

/* ---- row_hash(...): an aggregate over rows in the order in which they come ------------------- */

static void row_hash_step(sqlite3_context *ctx, int n, sqlite3_value **v)
{
	uint64_t *h = sqlite3_aggregate_context(ctx, sizeof *h);
	for (int i = 0; h && i < n; i++) {
		const void *p = sqlite3_value_blob(v[i]);
		struct {
			uint64_t before, cell;
			int64_t size;
		} x = { *h, 0, p ? sqlite3_value_bytes(v[i]) : -1 - sqlite3_value_type(v[i]) };
		x.cell = p ? XXH3_64bits(p, (size_t)x.size) : 0;
		*h = XXH3_64bits(&x, sizeof x);
	}
}

static void row_hash_final(sqlite3_context *ctx)
{
	const uint64_t *h = sqlite3_aggregate_context(ctx, 0);
	sqlite3_result_int64(ctx, h ? (int64_t)*h : 0);
}

/* ---- opening --------------------------------------------------------------------------------- */

int lite_version(sqlite3 *db, int *ret, struct err *err)
{
	sqlite3_stmt *st;
	int r = lite_prepare(db, "PRAGMA user_version", &st, err);
	if (r)
		return r;
	r = lite_step(db, st, err);
	*ret = r > 0 ? sqlite3_column_int(st, 0) : 0;
	sqlite3_finalize(st);
	if (r < 0)
		return r;
	return 0;
}

/* A step at a time; somebody else may have made it since the version was read. */
static int upgrade_step(sqlite3 *db, const char *const *step, int v, struct err *err)
{
	char note[48];
	int now = 0, r = lite_exec(db, "BEGIN IMMEDIATE", err);
	if (r)
		return r;
	r = lite_version(db, &now, err);
	snprintf(note, sizeof note, "PRAGMA user_version = %d", v + 1);
	if (r == 0 && now == v)
		r = lite_exec(db, step[v], err);
	if (r == 0 && now == v)
		r = lite_exec(db, note, err);
	if (r == 0)
		r = lite_exec(db, "COMMIT", err);
	if (r && !sqlite3_get_autocommit(db))
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return r;
}

/*
 * Which journal, and why. In SQLite 3.7.0 to 3.51.2 (Debian 12 has 3.40.1) a file in WAL mode may
 * be corrupted where one connection checkpoints the log while another one starts it again
 * ("WAL-reset"). So in no file may there be two connections that write or checkpoint, of one
 * program or of several:
 *
 *   LITE_SHARED  control.db and telemetry.db, which programs write in turn: a rollback journal, no
 *                log, nothing to checkpoint; SQLite's RESERVED lock lets one write at a time,
 *                readers wait for the moments of a commit. EXTRA: a commit is durable once the
 *                removal of the journal is. A file of before, in WAL mode, is turned by its first
 *                writer: SQLite does that alone in the file or not at all, and nothing is written
 *                before.
 *   LITE_OWNED   the agent's: WAL, as somebody may read for long while minutes are committed. The
 *                one writer holds the flock of the folder. Readers have the file open for reading
 *                only: they can neither write nor get the lock that a checkpoint at closing needs.
 *                Its pages have sums (lite_vfs.h), for which the writer must not spill.
 */
static const char *const writer_setup[] = {
	[LITE_SHARED] =
		"PRAGMA page_size = 16384; PRAGMA synchronous = EXTRA; PRAGMA cache_size = -32768",
	[LITE_OWNED] =
		"PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768; PRAGMA cache_spill = 0",
};

/* For a writer, whom another one may keep out permanently; readers wait for moments only, of which
 * many writers may leave few between them. */
#define BUSY_MS      5000
#define BUSY_READ_MS MS_MINUTE
#define POLL_MS      2

/* SQLite's own handler looks every 100 ms only, and finds a busy file busy each time. */
static int wait_a_little(void *most_ms, int turn)
{
	if ((intptr_t)turn * POLL_MS >= (intptr_t)most_ms)
		return 0;
	nanosleep(&(struct timespec){ .tv_nsec = POLL_MS * 1000000L }, NULL);
	return 1;
}

/* Out of WAL mode: waits for whoever has the file open in it, as SQLite itself does not. */
static int leave_wal(sqlite3 *db, struct err *err)
{
	for (int64_t until = tm_mono_ms() + BUSY_MS;;) {
		sqlite3_stmt *st;
		int r = lite_prepare(db, "PRAGMA journal_mode = DELETE", &st, err);
		if (r)
			return r;
		r = lite_step(db, st, err);
		bool done = r > 0 && !strcmp((const char *)sqlite3_column_text(st, 0), "delete");
		sqlite3_finalize(st);
		if (done)
			return 0;
		if (r < 0 && r != -EBUSY)
			return r;
		if (tm_mono_ms() >= until)
			return err_set(err, -EBUSY, "'%s' is in use by another program",
				       sqlite3_db_filename(db, "main"));
		wait_a_little((void *)(intptr_t)BUSY_MS, 0);
	}
}

static int prepare_file(sqlite3 *db, const struct lite_file *f, bool is_new, struct err *err)
{
	int version = 0, r = 0;
	sqlite3_busy_handler(db, wait_a_little,
			     (void *)(intptr_t)(f->write ? BUSY_MS : BUSY_READ_MS));
	if (sqlite3_create_function(db, "row_hash", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
				    NULL, row_hash_step, row_hash_final) != SQLITE_OK)
		return lite_error(db, err);
	r = lite_exec(db, f->write ? writer_setup[f->use] : "PRAGMA query_only = ON", err);
	if (r == 0 && f->write && f->use == LITE_SHARED)
		r = leave_wal(db, err);
	if (r == 0)
		r = lite_version(db, &version, err);
	if (r == 0)
		r = lite_check_sums(db, err);
	if (r == 0 && version > (int)f->nstep) {
		r = err_set(
			err, -EPROTO,
			"'%s' was written by a newer version of tare (schema %d, this program knows %zu)",
			f->path, version, f->nstep);
		err_hint(err, "use that version, or another folder with --db");
	}
	/* no file is ever there without its schema: make_file() */
	if (r == 0 && f->use == LITE_SHARED && !version && !is_new)
		r = err_set(err, -EBADMSG, "'%s' is damaged: it is empty", f->path);
	for (int v = version; f->write && r == 0 && v < (int)f->nstep; v++)
		r = upgrade_step(db, f->step, v, err);
	return r;
}

static bool has_content(const char *path, const char *end)
{
	struct str p = { 0 };
	struct stat st;
	str_addf(&p, "%s%s", path, end);
	bool there = stat(p.p, &st) == 0 && st.st_size > 0;
	str_free(&p);
	return there;
}

/* A folder that may only be read: nobody can be writing, so the file is taken as it lies there,
 * unless a write was left half done. */
static int open_still(const struct lite_file *f, int more, const char *vfs, sqlite3 **ret,
		      struct err *err)
{
	struct str uri = { 0 };
	if (has_content(f->path, "-journal") || has_content(f->path, "-wal")) {
		err_set(err, -EACCES, "'%s' was left in the middle of a write", f->path);
		err_hint(err, "a command of a user who may write there brings it in order");
		return -EACCES;
	}
	str_addf(&uri, "file:%s?immutable=1", f->path);
	int r = 0;
	if (sqlite3_open_v2(uri.p, ret, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | more, vfs) !=
	    SQLITE_OK)
		r = lite_error(*ret, err);
	str_free(&uri);
	if (r)
		return r;
	struct lite_file still = *f;
	still.write = false;
	still.use = LITE_SHARED;
	return prepare_file(*ret, &still, false, err);
}

/* A new file is made beside its place and takes it when it is whole and durable: an empty one is
 * always damage. Who else makes it at the same time waits. */
static int make_file(const struct lite_file *f, struct err *err)
{
	const char *path = f->path;
	struct str next = { 0 }, dir = { 0 };
	sqlite3 *db = NULL;
	const char *slash = strrchr(path, '/');
	int r = 0;
	str_add(&dir, slash ? path : ".", slash > path ? (size_t)(slash - path) : 1);
	str_addf(&next, "%s.new", path);
	int fd = open(str_z(&dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX))
		r = err_set(err, -errno, "cannot make '%s': %s", path, strerror(errno));
	if (r == 0 && access(path, F_OK)) {
		unlink(next.p);
		str_addz(&next, "-journal");
		unlink(next.p);
		next.p[next.n -= strlen("-journal")] = 0;
		if (sqlite3_open(next.p, &db) != SQLITE_OK)
			r = db ? lite_error(db, err) : err_nomem(err);
		if (!r)
			r = prepare_file(db, f, true, err);
		sqlite3_close(db);
		if (r == 0 && rename(next.p, path))
			r = err_set(err, -errno, "cannot make '%s': %s", path, strerror(errno));
		if (r)
			unlink(next.p);
		if (!r)
			r = folder_sync(dir.p, err);
	}
	if (fd >= 0)
		close(fd);
	str_free(&next);
	str_free(&dir);
	return r;
}

int lite_open(const struct lite_file *f, sqlite3 **ret, struct err *err)
{
	const char *path = f->path;
	const bool write = f->write;
	const enum lite_use use = f->use;
	sqlite3 *db = NULL;
	/* another user's folder: whether it is there cannot be told */
	if (!write && access(path, F_OK)) {
		if (errno == EACCES)
			return err_set(err, -EACCES, "'%s' may not be read: permission denied",
				       path);
		return err_set(err, -ENOENT, "there is no '%s'", path);
	}
	int r = 0, more = use == LITE_OWNED ? SQLITE_OPEN_NOFOLLOW : 0, flags;
	const char *vfs = NULL;
	if (use == LITE_OWNED)
		vfs = lite_vfs();
	if (write)
		flags = SQLITE_OPEN_READWRITE | (use == LITE_OWNED ? SQLITE_OPEN_CREATE : 0);
	else /* who only reads must be able to take back what a killed writer left half done */
		flags = use == LITE_SHARED ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
	if (write && use == LITE_SHARED && access(path, F_OK) && errno == ENOENT)
		r = make_file(f, err);
	if (r)
		return r;
	if (sqlite3_open_v2(path, &db, flags | more, vfs) != SQLITE_OK)
		r = db ? lite_error(db, err) : err_nomem(err);
	if (r == 0)
		r = prepare_file(db, f, use == LITE_OWNED, err);
	if (r && !write && r != -EPROTO && access(path, W_OK)) {
		sqlite3_close(db);
		db = NULL;
		r = open_still(f, more, vfs, &db, err);
	}
	if (r) {
		sqlite3_close(db);
		return r;
	}
	*ret = db;
	return 0;
}
