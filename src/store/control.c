#include "store/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/inside.h"
#include "store/lite.h"

static int open_control(const char *dir, bool write, sqlite3 **ret, struct err *err)
{
	struct str path = { 0 };
	str_addf(&path, "%s/control.db", dir);
	int r = lite_open(path.p, write, schema_control, schema_control_n, ret, err);
	str_free(&path);
	return r;
}

int control_journal(const char *dir, int64_t at_ms, const char *command, int64_t batch,
		    const char *result, struct err *err)
{
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	int r = open_control(dir, true, &db, err);
	if (r)
		return r;
	r = lite_prepare(db,
			 "INSERT INTO journal (at_ms, command, batch, result) VALUES (?, ?, ?, ?)",
			 &st, err);
	if (r == 0) {
		sqlite3_bind_int64(st, 1, at_ms);
		lite_bind_sv(st, 2, sv_of(command));
		sqlite3_bind_int64(st, 3, batch);
		lite_bind_sv(st, 4, sv_of(result));
		r = lite_step(db, st, err);
	}
	sqlite3_finalize(st);
	sqlite3_close(db);
	return r;
}

int control_set(const char *dir, const char *key, const char *value, struct err *err)
{
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	int r = open_control(dir, true, &db, err);
	if (r)
		return r;
	r = lite_prepare(db,
			 value ? "INSERT OR REPLACE INTO setting VALUES (?1, ?2)"
			       : "DELETE FROM setting WHERE key = ?1",
			 &st, err);
	if (r == 0) {
		lite_bind_sv(st, 1, sv_of(key));
		if (value)
			lite_bind_sv(st, 2, sv_of(value));
		r = lite_step(db, st, err);
	}
	sqlite3_finalize(st);
	sqlite3_close(db);
	return r;
}

int control_settings(const char *dir, const char *prefix, struct arena *a,
		     struct control_setting **ret, size_t *ret_n, struct err *err)
{
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	VEC(struct control_setting) out = { 0 };
	int r = open_control(dir, false, &db, err);
	*ret = NULL;
	*ret_n = 0;
	if (r)
		return r == -ENOENT ? 0 : r;
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
	int r = open_control(s->dir, false, &db, err);
	*ret = NULL;
	if (r)
		return r == -ENOENT ? 0 : r;
	r = lite_prepare(db, "SELECT value FROM setting WHERE key = ?", &st, err);
	if (r == 0) {
		lite_bind_sv(st, 1, sv_of(key));
		r = lite_step(db, st, err);
	}
	if (r > 0)
		*ret = lite_text(st, 0, a).p;
	sqlite3_finalize(st);
	sqlite3_close(db);
	return r < 0 ? r : 0;
}

int store_journal(struct store *s, size_t last, struct arena *a, struct journal_line **ret,
		  size_t *ret_n, struct err *err)
{
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	VEC(struct journal_line) out = { 0 };
	int r = open_control(s->dir, false, &db, err);
	*ret = NULL;
	*ret_n = 0;
	if (r)
		return r == -ENOENT ? 0 : r;
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
