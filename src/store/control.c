#include "store/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/folder.h"
#include "store/inside.h"
#include "store/lite.h"

/*
 * SQLite does not check its pages, so the table `sum` has what the rows of the others add up to,
 * and they are compared before any is read or written: a damaged page, or one that is lost, is an
 * error. The tables are small; the hash is over the rows as they stand in their tree, whose order
 * is thereby compared too, so that a search finds what is there.
 */
enum part { PART_SETTING, PART_JOURNAL };
static const struct {
	const char *name, *compare, *renew;
} parts[] = {
	[PART_SETTING] = { "settings", CONTROL_SETTING_SUM " EXCEPT SELECT what, n, hash FROM sum",
			   CONTROL_SUM_SETTING },
	[PART_JOURNAL] = { "journal", CONTROL_JOURNAL_SUM " EXCEPT SELECT what, n, hash FROM sum",
			   CONTROL_SUM_JOURNAL },
};

static int verify_part(sqlite3 *db, enum part part, struct err *err)
{
	sqlite3_stmt *st = NULL;
	int r = lite_prepare(db, "SELECT user_version FROM pragma_user_version", &st, err);
	if (r == 0)
		r = lite_step(db, st, err);
	bool sums = r > 0 && sqlite3_column_int(st, 0) >= CONTROL_SUMS;
	sqlite3_finalize(st);
	if (r < 0)
		return r;
	if (!sums)
		return 0;
	r = lite_prepare(db, parts[part].compare, &st, err);
	if (r == 0)
		r = lite_step(db, st, err);
	sqlite3_finalize(st);
	if (r <= 0)
		return r;
	err_set(err, -EBADMSG, "'%s' is damaged: its %s are not as they were written",
		sqlite3_db_filename(db, "main"), parts[part].name);
	err_hint(err,
		 "put back a copy of that file; without it what was decided about plans, and which "
		 "alerts are silenced, is not known any more");
	return -EBADMSG;
}

/* In a transaction: to write in, or to read what verify_part() saw. The caller closes. */
static int open_control(const char *dir, bool write, enum part part, sqlite3 **ret, struct err *err)
{
	struct str path = { 0 };
	sqlite3 *db = NULL;
	str_addf(&path, "%s/control.db", dir);
	int r = folder_check_file(dir, "control.db", err);
	if (r == 0)
		r = lite_open(&(struct lite_file){ path.p, write, LITE_SHARED, schema_control,
						   schema_control_n },
			      &db, err);
	str_free(&path);
	if (r == 0)
		r = lite_exec(db, write ? "BEGIN IMMEDIATE" : "BEGIN", err);
	if (r == 0)
		r = verify_part(db, part, err);
	if (r) {
		sqlite3_close(db);
		return r;
	}
	*ret = db;
	return 0;
}

/* Runs a statement on a part, and closes. */
static int change_part(sqlite3 *db, enum part part, const char *sql, const struct lite_value *v,
		       size_t n, struct err *err)
{
	int r = lite_run(db, sql, v, n, err);
	if (r == 0)
		r = lite_exec(db, parts[part].renew, err);
	if (r == 0)
		r = lite_exec(db, "COMMIT", err);
	sqlite3_close(db);
	return r;
}

int control_journal(const char *dir, int64_t at_ms, const char *command, int64_t batch,
		    const char *result, struct err *err)
{
	const struct lite_value v[] = { LITE_INT(at_ms), LITE_SV(sv_of(command)), LITE_INT(batch),
					LITE_SV(sv_of(result)) };
	sqlite3 *db;
	int r = open_control(dir, true, PART_JOURNAL, &db, err);
	if (r)
		return r;
	return change_part(
		db, PART_JOURNAL,
		"INSERT INTO journal (at_ms, command, batch, result) VALUES (?, ?, ?, ?)", v, 4,
		err);
}

bool control_has_imports(const char *dir)
{
	struct arena mem = { 0 };
	const char *path = arena_printf(&mem, "%s/control.db", dir);
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	struct err ignored;
	int r = -ENOENT;
	if (!access(path, F_OK))
		r = lite_open(&(struct lite_file){ path, false, LITE_SHARED, schema_control,
						   schema_control_n },
			      &db, &ignored);
	if (r == 0)
		r = lite_prepare(db, "SELECT 1 FROM journal LIMIT 1", &st, &ignored);
	if (r == 0)
		r = lite_step(db, st, &ignored);
	sqlite3_finalize(st);
	sqlite3_close(db);
	arena_free(&mem);
	return r > 0;
}

int64_t control_last_batch(const char *dir)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	struct err ignored;
	int r = open_control(dir, false, PART_JOURNAL, &db, &ignored);
	if (r)
		return 0;
	r = lite_prepare(db, "SELECT coalesce(max(batch), 0) FROM journal", &st, &ignored);
	if (r == 0)
		r = lite_step(db, st, &ignored);
	int64_t batch = 0;
	if (r > 0)
		batch = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return batch;
}

int control_set(const char *dir, const char *key, const char *value, struct err *err)
{
	const struct lite_value v[] = { LITE_SV(sv_of(key)), LITE_SV(sv_of(value)) };
	sqlite3 *db;
	int r = open_control(dir, true, PART_SETTING, &db, err);
	if (r)
		return r;
	if (!value)
		return change_part(db, PART_SETTING, "DELETE FROM setting WHERE key = ?1", v, 1,
				   err);
	return change_part(db, PART_SETTING, "INSERT OR REPLACE INTO setting VALUES (?1, ?2)", v, 2,
			   err);
}

int control_settings(const char *dir, const char *prefix, struct arena *a,
		     struct control_setting **ret, size_t *ret_n, struct err *err)
{
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	VEC(struct control_setting) out = { 0 };
	int r = open_control(dir, false, PART_SETTING, &db, err);
	*ret = NULL;
	*ret_n = 0;
	if (r == -ENOENT)
		return 0;
	if (r)
		return r;
	r = lite_prepare(
		db,
		"SELECT key, value FROM setting WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key",
		&st, err);
	if (r == 0)
		lite_bind_sv(st, 1, sv_of(prefix));
	while (r == 0 && (r = lite_step(db, st, err)) > 0) {
		*vec_push(&out) = (struct control_setting){ lite_text(st, 0, a).p,
							    lite_text(st, 1, a).p };
		r = 0;
	}
	sqlite3_finalize(st);
	sqlite3_close(db);
	if (r == 0) {
		*ret = arena_copy(a, out.v, out.n, sizeof *out.v);
		*ret_n = out.n;
	}
	vec_free(&out);
	return r;
}

int store_set(struct store *s, const char *key, const char *value, struct err *err)
{
	if (s->mode != STORE_WRITE)
		return err_set(err, -EPERM, "the store is open for reading only");
	return control_set(s->dir, key, value, err);
}

int store_get(struct store *s, const char *key, struct arena *a, const char **ret, struct err *err)
{
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	int r = open_control(s->dir, false, PART_SETTING, &db, err);
	*ret = NULL;
	if (r == -ENOENT)
		return 0;
	if (r)
		return r;
	r = lite_prepare(db, "SELECT value FROM setting WHERE key = ?", &st, err);
	if (r == 0) {
		lite_bind_sv(st, 1, sv_of(key));
		r = lite_step(db, st, err);
	}
	if (r > 0)
		*ret = lite_text(st, 0, a).p;
	sqlite3_finalize(st);
	sqlite3_close(db);
	if (r < 0)
		return r;
	return 0;
}

int store_journal(struct store *s, size_t last, struct arena *a, struct journal_line **ret,
		  size_t *ret_n, struct err *err)
{
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	VEC(struct journal_line) out = { 0 };
	int r = open_control(s->dir, false, PART_JOURNAL, &db, err);
	*ret = NULL;
	*ret_n = 0;
	if (r == -ENOENT)
		return 0;
	if (r)
		return r;
	r = lite_prepare(db, "SELECT at_ms, command, batch FROM journal ORDER BY id DESC LIMIT ?",
			 &st, err);
	if (r == 0)
		sqlite3_bind_int64(st, 1, (int64_t)last);
	while (r == 0 && (r = lite_step(db, st, err)) > 0) {
		*vec_push(&out) = (struct journal_line){ sqlite3_column_int64(st, 0),
							 lite_text(st, 1, a).p,
							 sqlite3_column_int64(st, 2) };
		r = 0;
	}
	sqlite3_finalize(st);
	sqlite3_close(db);
	if (r == 0) {
		*ret = arena_copy(a, out.v, out.n, sizeof *out.v);
		*ret_n = out.n;
	}
	vec_free(&out);
	return r;
}
