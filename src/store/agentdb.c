/* The agent's own files: opening, and what is written in transactions of a minute. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/dirfd.h"
#include "base/num.h"
#include "store/agentdb_in.h"
#include "store/folder.h"
#include "store/lite_vfs.h"

static const char *const steps[] = {
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
	"CREATE TABLE device(id INTEGER PRIMARY KEY, parent INTEGER, uuid TEXT, name TEXT, model TEXT, bus_id TEXT, mig_profile TEXT, idx INTEGER,"
	" mig_start INTEGER, mem_total_bytes REAL, first_ms INTEGER, last_ms INTEGER);"
	"CREATE TABLE holder(id INTEGER PRIMARY KEY, job_id TEXT, user TEXT, team TEXT, project TEXT, env TEXT, workload TEXT, name TEXT, account TEXT,"
	" namespace TEXT, queue TEXT, cluster TEXT, tags TEXT, submit_ms INTEGER, start_ms INTEGER, end_ms INTEGER, gpus_milli INTEGER,"
	" checkpointable INTEGER);"
	"CREATE TABLE hold(id INTEGER PRIMARY KEY, holder INTEGER, dev INTEGER, share_ppb INTEGER, share_kind INTEGER, from_ms INTEGER, to_ms INTEGER,"
	" open INTEGER, rev INTEGER);"
	"CREATE INDEX hold_rev ON hold(rev);"
	"CREATE TABLE minute(id INTEGER PRIMARY KEY AUTOINCREMENT, t_ms INTEGER, dev INTEGER, from_ms INTEGER, to_ms INTEGER, roll BLOB,"
	" UNIQUE(from_ms, dev));"
	"CREATE TABLE event(id INTEGER PRIMARY KEY, t_ms INTEGER, kind TEXT, dev INTEGER, code INTEGER, text TEXT);"
	"CREATE TABLE watched(id INTEGER PRIMARY KEY, from_ms INTEGER, to_ms INTEGER);",
	/* the same rows while their time is not known: agentdb_hold_back() */
	"CREATE TABLE held_hold(id INTEGER PRIMARY KEY, holder INTEGER, dev INTEGER, share_ppb INTEGER, share_kind INTEGER, from_ms INTEGER,"
	" to_ms INTEGER, open INTEGER, rev INTEGER);"
	"CREATE TABLE held_minute(id INTEGER PRIMARY KEY AUTOINCREMENT, t_ms INTEGER, dev INTEGER, from_ms INTEGER, to_ms INTEGER, roll BLOB,"
	" UNIQUE(from_ms, dev));"
	"CREATE TABLE held_event(id INTEGER PRIMARY KEY, t_ms INTEGER, kind TEXT, dev INTEGER, code INTEGER, text TEXT);"
	"CREATE TABLE held_watched(id INTEGER PRIMARY KEY, from_ms INTEGER, to_ms INTEGER);"
	"CREATE TABLE quarantine(id INTEGER PRIMARY KEY, dev_after INTEGER, shift_ms INTEGER);",
};

int agentdb_new_file(const char *path, struct err *err)
{
	sqlite3 *db = NULL;
	if (access(path, F_OK) == 0)
		return 0;
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
	int r = 0;
	if (sqlite3_open_v2(path, &db, flags, lite_vfs()) != SQLITE_OK)
		r = db ? lite_error(db, err) : err_nomem(err);
	else
		lite_reserve_sums(db);
	/* All of it needs a page to be written before the journal mode is changed. */
	if (r == 0)
		r = lite_exec(
			db,
			"PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; CREATE TABLE x(x); DROP TABLE x",
			err);
	if (r == 0)
		r = lite_give_sums(db, err);
	sqlite3_close(db);
	return r;
}

/* Files of agents before that had no sums: where there is room for it. */
int agentdb_give_sums(sqlite3 *db, struct err *err)
{
	struct err why = { 0 };
	int r = lite_give_sums(db, &why);
	if (r != -EBADMSG)
		return 0;
	*err = why;
	return r;
}

static int take_lock(struct agentdb *db, struct err *err)
{
	char who[24] = { 0 };
	db->lock_fd = file_open_in(db->dir_fd, db->dir, "lock", O_RDWR | O_CREAT, 0640, err);
	if (db->lock_fd < 0)
		return db->lock_fd;
	for (int i = 0; i < 5; i++) { /* who asks whether an agent runs holds it for a moment */
		if (i)
			nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
		if (flock(db->lock_fd, LOCK_EX | LOCK_NB) == 0) {
			/* Who has it, for people and for Slurm's epilog: "pid N". On a full disk it
			 * stays empty, and the folder is kept all the same. */
			int size = snprintf(who, sizeof who, "pid %d\n", (int)getpid());
			ssize_t put = 0;

			if (ftruncate(db->lock_fd, 0) == 0)
				put = pwrite(db->lock_fd, who, (size_t)size, 0);
			(void)put;
			return 0;
		}
	}
	ssize_t n = pread(db->lock_fd, who, sizeof who - 1, 0);
	who[n > 0 ? strcspn(who, "\n") : 0] = 0;
	err_set(err, -EBUSY, "another agent keeps '%s'%s%s%s", db->dir, text_if(*who, " ("), who,
		text_if(*who, ")"));
	err_hint(err, "End it, or give this one its own folder with --state");
	return -EBUSY;
}

int agentdb_path(const struct agentdb *db, const char *name, char path[4200], struct err *err)
{
	struct stat st;
	if (fstatat(db->dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode)) {
		int r = -EINVAL;
		if (S_ISLNK(st.st_mode))
			r = err_set(err, -ELOOP,
				    "'%s/%s' is a symbolic link, and links are not followed here",
				    db->dir, name);
		else
			r = err_set(err, r, "'%s/%s' is not a plain file", db->dir, name);
		err_hint(err, "Remove it: a plain file is made in its place");
		return r;
	}
	int n = snprintf(path, 4200, "%s/%s", db->real, name);
	if (n < 4200)
		return 0;
	return err_set(err, -ENAMETOOLONG, "the name of '%s' is too long", db->dir);
}

static int open_files(struct agentdb *db, struct err *err)
{
	char path[4200];
	int r = 0;
	if (db->write)
		r = folder_make(db->dir, 0750, err);
	if (r < 0) {
		err_hint(err, "Name another one with --state");
		return r;
	}
	db->dir_fd = dir_open(db->dir, err);
	if (db->dir_fd == -ENOENT)
		return err_set(err, -ENOENT, "there is no '%s/agent.db'", db->dir);
	if (db->dir_fd < 0)
		return db->dir_fd;
	db->real = realpath(db->dir, NULL);
	if (!db->real)
		return err_set(err, -errno, "cannot find the folder '%s': %s", db->dir,
			       strerror(errno));
	if (db->write)
		r = take_lock(db, err);
	if (r == 0)
		r = agentdb_path(db, "agent.db", path, err);
	if (r == 0 && db->write)
		r = agentdb_new_file(path, err);
	if (r == 0)
		r = lite_open(&(struct lite_file){ path, db->write, LITE_OWNED, steps,
						   sizeof steps / sizeof *steps },
			      &db->db, err);
	/* a minute is a few pages: neither a large cache nor a long log is of use */
	if (r == 0 && db->write)
		r = lite_exec(db->db, "PRAGMA cache_size = -256; PRAGMA wal_autocheckpoint = 128",
			      err);
	if (r == 0 && db->write) {
		/* Whether there is room is known by writing, and best now, while a reserve can be
		 * given up for it. */
		char sql[80];
		snprintf(sql, sizeof sql, "BEGIN IMMEDIATE; PRAGMA user_version = %d; COMMIT",
			 (int)(sizeof steps / sizeof *steps));
		r = lite_exec(db->db, sql, err);
	}
	if (r == 0 && db->write)
		r = agentdb_give_sums(db->db, err);
	if (r == 0)
		r = agentdb_open_raw(db, err);
	return r;
}

static struct agentdb *new_agentdb(const char *dir, bool write)
{
	struct agentdb *db = xcalloc(1, sizeof *db);

	db->dir = xstrdup(dir);
	db->write = write;
	db->lock_fd = db->dir_fd = -1;
	return db;
}

int agentdb_open(const char *dir, bool write, struct agentdb **ret, struct err *err)
{
	struct agentdb *db = new_agentdb(dir, write);
	int r = open_files(db, err);
	/* To open is to write a little (the log's index): an agent that is started on a full disk
	 * gives up its reserve for that. */
	if (r == -ENOSPC && write && db->lock_fd >= 0 && agentdb_drop_reserve(db)) {
		agentdb_close(db);
		err_clear(err);
		db = new_agentdb(dir, write);
		r = open_files(db, err);
	}
	if (r < 0) {
		if ((r == -EACCES || r == -EROFS) && write)
			err_hint(err, "Name a folder that you may write in with --state");
		if (r == -EACCES && !write)
			err_hint(err, "The agent's files are its own user's: run this with sudo");
		if (r == -ENOENT && !write)
			err_hint(err,
				 "Has an agent run here? Start one with: tare agent --state %s",
				 dir);
		agentdb_close(db);
		return r;
	}
	if (write)
		agentdb_restore_reserve(db);
	*ret = db;
	return 0;
}

void agentdb_close(struct agentdb *db)
{
	if (!db)
		return;
	agentdb_rollback(db);
	sqlite3_close(db->db);
	sqlite3_close(db->raw);
	if (db->lock_fd >= 0)
		close(db->lock_fd);
	if (db->dir_fd >= 0)
		close(db->dir_fd);
	chunk_codec_free(db->codec);
	free(db->real);
	free(db->dir);
	free(db);
}

int agentdb_watched(const struct agentdb *db)
{
	struct err ignored;
	int fd = file_open_in(db->dir_fd, db->dir, "lock", O_RDONLY, 0, &ignored);
	if (fd < 0)
		return -1;
	/* a file system may have no locks */
	int held = -1;
	if (flock(fd, LOCK_SH | LOCK_NB) == 0)
		held = 0;
	else if (errno == EWOULDBLOCK)
		held = 1;
	close(fd);
	return held;
}

const char *agentdb_dir(const struct agentdb *db)
{
	return db->dir;
}

int agentdb_dir_fd(const struct agentdb *db)
{
	return db->dir_fd;
}

/* ---- transactions ------------------------------------------------------------------------ */

int agentdb_begin(struct agentdb *db, struct err *err)
{
	int r = lite_exec(db->db, "BEGIN IMMEDIATE", err);
	db->in_tx = r == 0;
	return r;
}

int agentdb_commits(struct agentdb *db, struct agentdb_commits *ret, struct err *err)
{
	sqlite3 *const file[] = { db->db, db->raw };
	int64_t *const n[] = { &ret->rows, &ret->blocks };
	for (int i = 0; i < 2; i++) {
		sqlite3_stmt *st;
		int r = lite_prepare(file[i], "SELECT value FROM meta WHERE key = 'commits'", &st,
				     err);
		if (r < 0)
			return r;
		r = lite_step(file[i], st, err);
		*n[i] = r > 0 ? sqlite3_column_int64(st, 0) : 0;
		sqlite3_finalize(st);
		if (r < 0)
			return r;
	}
	return 0;
}

int agentdb_commits_from(struct agentdb *db, const struct agentdb_commits *least, struct err *err)
{
	static const char sql[] =
		"INSERT INTO meta VALUES('commits', ?1) ON CONFLICT(key) DO UPDATE SET"
		" value = ?1 WHERE CAST(value AS INTEGER) < ?1";
	int r = lite_run(db->db, sql, (struct lite_value[]){ LITE_INT(least->rows) }, 1, err);
	if (r < 0)
		return r;
	return lite_run(db->raw, sql, (struct lite_value[]){ LITE_INT(least->blocks) }, 1, err);
}

int agentdb_commit(struct agentdb *db, struct err *err)
{
	int r = lite_exec(db->db, AGENTDB_COUNT_COMMIT, err);
	if (r >= 0)
		r = lite_exec(db->db, "COMMIT", err);
	if (r < 0)
		agentdb_rollback(db);
	db->in_tx = false;
	return r;
}

void agentdb_rollback(struct agentdb *db)
{
	if (db->in_tx && !sqlite3_get_autocommit(db->db))
		sqlite3_exec(db->db, "ROLLBACK", NULL, NULL, NULL);
	db->in_tx = false;
}

#define VALUES(...)                 \
	(const struct lite_value[]) \
	{                           \
		__VA_ARGS__         \
	}
#define RUN(sql, ...)                              \
	lite_run(db->db, sql, VALUES(__VA_ARGS__), \
		 sizeof(VALUES(__VA_ARGS__)) / sizeof(struct lite_value), err)

int agentdb_put_device(struct agentdb *db, const struct agentdb_device *d, struct err *err)
{
	return RUN("INSERT OR REPLACE INTO device VALUES(?,?,?,?,?,?,?,?,?,?,?,?)", LITE_INT(d->id),
		   LITE_INT(d->parent), LITE_SV(d->uuid), LITE_SV(d->name), LITE_SV(d->model),
		   LITE_SV(d->bus_id), LITE_SV(d->mig_profile), LITE_INT(d->index),
		   LITE_INT(d->mig_start), LITE_REAL(d->mem_total_bytes), LITE_MS(d->first_ms),
		   LITE_MS(d->last_ms));
}

int agentdb_put_owner(struct agentdb *db, const struct agentdb_owner *h, struct err *err)
{
	const struct allocation *a = &h->a;
	return RUN("INSERT OR REPLACE INTO holder VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		   LITE_INT(h->id), LITE_SV(a->job_id), LITE_SV(a->user), LITE_SV(a->team),
		   LITE_SV(a->project), LITE_SV(a->env), LITE_SV(a->workload), LITE_SV(a->name),
		   LITE_SV(a->account), LITE_SV(a->namespace_), LITE_SV(a->queue),
		   LITE_SV(a->cluster), LITE_SV(a->tags), LITE_MS(a->submit_ms),
		   LITE_MS(a->start_ms), LITE_MS(a->end_ms), LITE_INT(a->gpus_milli),
		   LITE_INT(a->checkpointable));
}

int agentdb_put_hold(struct agentdb *db, const struct agentdb_hold *h, struct err *err)
{
	return RUN(db->held ? "INSERT OR REPLACE INTO held_hold VALUES(?,?,?,?,?,?,?,?,?)"
			    : "INSERT OR REPLACE INTO hold VALUES(?,?,?,?,?,?,?,?,?)",
		   LITE_INT(h->id), LITE_INT(h->owner), LITE_INT(h->dev), LITE_INT(h->share_ppb),
		   LITE_INT(h->share_kind), LITE_INT(h->from_ms), LITE_INT(h->to_ms),
		   LITE_INT(h->open), LITE_INT(h->rev));
}

int agentdb_put_event(struct agentdb *db, const struct agentdb_event *e, struct err *err)
{
	return RUN(db->held ? "INSERT OR REPLACE INTO held_event VALUES(?,?,?,?,?,?)"
			    : "INSERT OR REPLACE INTO event VALUES(?,?,?,?,?,?)",
		   LITE_INT(e->id), LITE_INT(e->t_ms), LITE_SV(e->kind), LITE_INT(e->dev),
		   LITE_INT(e->code), LITE_SV(e->text));
}

int agentdb_put_minute(struct agentdb *db, const struct agentdb_minute *m, struct err *err)
{
#define PUT_MINUTE(table)                                                           \
	"INSERT INTO " table "(t_ms, dev, from_ms, to_ms, roll) VALUES(?,?,?,?,?) " \
	"ON CONFLICT(from_ms, dev) DO UPDATE SET to_ms = excluded.to_ms, "          \
	"roll = excluded.roll WHERE excluded.to_ms > " table ".to_ms"
	return RUN(db->held ? PUT_MINUTE("held_minute") : PUT_MINUTE("minute"), LITE_INT(m->t_ms),
		   LITE_INT(m->dev), LITE_INT(m->from_ms), LITE_INT(m->to_ms), LITE_BYTES(m->roll));
}

int agentdb_put_watched(struct agentdb *db, const struct agentdb_watched *w, struct err *err)
{
	return RUN(db->held ? "INSERT OR REPLACE INTO held_watched VALUES(?,?,?)"
			    : "INSERT OR REPLACE INTO watched VALUES(?,?,?)",
		   LITE_INT(w->id), LITE_INT(w->from_ms), LITE_INT(w->to_ms));
}

int agentdb_put_open(struct agentdb *db, struct sv open, struct err *err)
{
	return RUN("INSERT OR REPLACE INTO meta VALUES(?,?)",
		   LITE_SV(sv_of(db->held ? "held_open" : "open")), LITE_BYTES(open));
}

int agentdb_set(struct agentdb *db, const char *key, const char *value, struct err *err)
{
	if (value)
		return RUN("INSERT OR REPLACE INTO meta VALUES(?,?)", LITE_SV(sv_of(key)),
			   LITE_SV(sv_of(value)));
	return RUN("DELETE FROM meta WHERE key = ?", LITE_SV(sv_of(key)));
}

static int run_ms(struct agentdb *db, const char *sql, int64_t ms, int64_t *ret, struct err *err)
{
	sqlite3_stmt *st;
	int r = lite_prepare(db->db, sql, &st, err);
	if (r < 0)
		return r;
	sqlite3_bind_int64(st, 1, ms);
	r = lite_step(db->db, st, err);
	if (r > 0 && ret)
		*ret = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	if (r < 0)
		return r;
	return 0;
}

/* ---- what is held back --------------------------------------------------------------------- */

void agentdb_hold_back(struct agentdb *db, bool held)
{
	db->held = held;
}

int agentdb_put_quarantine(struct agentdb *db, int64_t id, struct err *err)
{
	return RUN(
		"INSERT OR IGNORE INTO quarantine VALUES(?, (SELECT coalesce(max(id), 0) FROM device), NULL)",
		LITE_INT(id));
}

int agentdb_end_quarantine(struct agentdb *db, int64_t shift_ms, struct err *err)
{
	static const char *const sql[] = {
		/* of those that were seen first while it was: with everything else */
		"UPDATE device SET first_ms = first_ms + ?1 WHERE id > (SELECT dev_after FROM quarantine WHERE shift_ms IS NULL)",
		("UPDATE device SET first_ms = (SELECT min(from_ms) FROM held_minute) + ?1 "
		 "WHERE id IN (SELECT dev FROM held_minute) AND first_ms > (SELECT min(from_ms) FROM held_minute) + ?1"),
		"UPDATE quarantine SET shift_ms = ?1 WHERE shift_ms IS NULL",
		"DELETE FROM held_hold",
		"DELETE FROM held_minute",
		"DELETE FROM held_event",
		"DELETE FROM held_watched",
		"DELETE FROM meta WHERE key = 'held_open'",
	};
	int r = 0;
	for (size_t i = 0; r >= 0 && i < sizeof sql / sizeof *sql; i++)
		r = run_ms(db, sql[i], shift_ms, NULL, err);
	return r;
}

int agentdb_in_quarantine(struct agentdb *db, bool *ret, struct err *err)
{
	int64_t n = 0;
	int r = run_ms(db, "SELECT count(*) FROM quarantine WHERE shift_ms IS NULL", 0, &n, err);
	if (r >= 0)
		*ret = n > 0;
	return r;
}

int agentdb_held_ms(struct agentdb *db, int64_t *ret, struct err *err)
{
	struct err ignored;
	int64_t there = 0;
	/* files that no agent of this version has opened yet */
	run_ms(db, "SELECT count(*) FROM sqlite_master WHERE name = 'held_watched'", 0, &there,
	       &ignored);
	*ret = 0;
	if (there)
		return run_ms(db, "SELECT coalesce(sum(to_ms - from_ms), 0) FROM held_watched", 0,
			      ret, err);
	return 0;
}

int agentdb_keep_from(struct agentdb *db, int64_t keep_ms, int64_t *ret, struct err *err)
{
	struct arena a = { 0 };
	struct agentdb_watched *w = NULL;
	size_t n = 0;
	int r = agentdb_watches(db, &a, &w, &n, err);
	int64_t from = INT64_MAX, left = keep_ms;
	for (size_t i = n; i-- > 0 && left > 0;) {
		int64_t ms = w[i].to_ms - w[i].from_ms;
		int64_t since = ms > left ? w[i].to_ms - left : w[i].from_ms;
		from = min_i64(since, from);
		left -= ms;
	}
	arena_free(&a);
	if (r >= 0)
		*ret = left > 0 || from == INT64_MAX ? INT64_MIN : from;
	return r;
}

int agentdb_forget_before(struct agentdb *db, int64_t t_ms, struct err *err)
{
	static const char *const sql[] = {
		"DELETE FROM minute WHERE to_ms <= ?",
		"DELETE FROM hold WHERE to_ms <= ? AND open = 0",
		"DELETE FROM event WHERE t_ms < ?", "DELETE FROM watched WHERE to_ms <= ?",
		"DELETE FROM holder WHERE start_ms < ? AND id NOT IN (SELECT holder FROM hold)"
	};
	int r = 0;
	for (size_t i = 0; r >= 0 && i < sizeof sql / sizeof *sql; i++)
		r = run_ms(db, sql[i], t_ms, NULL, err);
	return r;
}
