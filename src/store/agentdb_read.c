/* Reading what an agent kept. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/among.h"
#include "base/num.h"
#include "base/str.h"
#include "store/agentdb_in.h"

char *agentdb_get(struct agentdb *db, const char *key, struct arena *a)
{
	struct err err;
	sqlite3_stmt *st;
	char *v = NULL;
	if (lite_prepare(db->db, "SELECT value FROM meta WHERE key = ?", &st, &err) < 0)
		return NULL;
	lite_bind_sv(st, 1, sv_of(key));
	if (lite_step(db->db, st, &err) > 0)
		v = arena_sv(a, lite_text(st, 0, a));
	sqlite3_finalize(st);
	return v;
}

int agentdb_get_open(struct agentdb *db, struct arena *a, struct sv *ret, struct err *err)
{
	sqlite3_stmt *st;
	int r = lite_prepare(db->db, "SELECT value FROM meta WHERE key = ?", &st, err);
	if (r < 0)
		return r;
	*ret = SV_NULL;
	lite_bind_sv(st, 1, sv_of(db->held ? "held_open" : "open"));
	r = lite_step(db->db, st, err);
	if (r > 0 && sqlite3_column_bytes(st, 0)) {
		ret->n = (size_t)sqlite3_column_bytes(st, 0);
		ret->p = arena_strn(a, sqlite3_column_blob(st, 0), ret->n);
	}
	sqlite3_finalize(st);
	if (r < 0)
		return r;
	return 0;
}

int agentdb_last_id(struct agentdb *db, const char *what, int64_t *ret, struct err *err)
{
	char sql[96];
	sqlite3_stmt *st;
	const char *column = "id", *table = what;
	bool held = db->held && !TEXT_AMONG(what, "device", "holder", "quarantine");
	if (!strcmp(what, "rev")) {
		column = "rev";
		table = "hold";
	}
	snprintf(sql, sizeof sql, "SELECT coalesce(max(%s), 0) FROM %s%s", column,
		 text_if(held, "held_"), table);
	int r = lite_prepare(db->db, sql, &st, err);
	if (r < 0)
		return r;
	r = lite_step(db->db, st, err);
	if (r > 0)
		*ret = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	if (r < 0)
		return r;
	return 0;
}

int agentdb_last_of_all(struct agentdb *db, const char *what, int64_t *ret, struct err *err)
{
	bool held = db->held;
	int64_t last[2] = { 0 };
	int r = 0;
	for (int i = 0; r >= 0 && i < 2; i++) {
		db->held = i;
		r = agentdb_last_id(db, what, &last[i], err);
	}
	db->held = held;
	if (r >= 0)
		*ret = max_i64(last[0], last[1]);
	return r;
}

int agentdb_any_held(struct agentdb *db, bool *ret, struct err *err)
{
	static const char *const what[] = { "hold", "minute", "event", "watched" };
	bool held = db->held, any = false;
	int r = 0;
	db->held = true;
	for (size_t i = 0; r >= 0 && i < sizeof what / sizeof *what; i++) {
		int64_t last = 0;
		r = agentdb_last_id(db, what[i], &last, err);
		any |= last > 0;
	}
	db->held = held;
	if (r >= 0)
		*ret = any;
	return r;
}

static int64_t ms_at(sqlite3_stmt *st, int i)
{
	if (sqlite3_column_type(st, i) == SQLITE_NULL)
		return UNKNOWN_MS;
	return sqlite3_column_int64(st, i);
}

struct rows_of {
	const char *sql;
	int64_t bind; /* its parameter, where it has one */
	size_t size;  /* of a row */
	void (*read)(sqlite3_stmt *, struct arena *, void *);
};
/* Rows of a statement into an array of the arena. */
static int collect_rows(struct agentdb *db, const struct rows_of *q, struct arena *a, void **ret,
			size_t *ret_n, struct err *err)
{
	sqlite3_stmt *st;
	struct str rows = { 0 };
	size_t n = 0;
	int r = lite_prepare(db->db, q->sql, &st, err);
	if (r < 0)
		return r;
	if (sqlite3_bind_parameter_count(st))
		sqlite3_bind_int64(st, 1, q->bind);
	void *row = xmalloc(q->size);
	while ((r = lite_step(db->db, st, err)) > 0) {
		memset(row, 0, q->size);
		q->read(st, a, row);
		str_add(&rows, row, q->size);
		n++;
	}
	sqlite3_finalize(st);
	if (r == 0) {
		*ret = arena_alloc(a, n * q->size + 1);
		if (n)
			memcpy(*ret, rows.p, n * q->size);
		*ret_n = n;
	}
	free(row);
	str_free(&rows);
	return r;
}

static void read_device(sqlite3_stmt *st, struct arena *a, void *row)
{
	struct agentdb_device *d = row;
	*d = (struct agentdb_device){ .id = sqlite3_column_int64(st, 0),
				      .parent = sqlite3_column_int64(st, 1),
				      .uuid = lite_text(st, 2, a),
				      .name = lite_text(st, 3, a),
				      .model = lite_text(st, 4, a),
				      .bus_id = lite_text(st, 5, a),
				      .mig_profile = lite_text(st, 6, a),
				      .index = sqlite3_column_int(st, 7),
				      .mig_start = sqlite3_column_int(st, 8),
				      .mem_total_bytes = NAN,
				      .first_ms = ms_at(st, 10),
				      .last_ms = ms_at(st, 11) };
	if (sqlite3_column_type(st, 9) != SQLITE_NULL)
		d->mem_total_bytes = sqlite3_column_double(st, 9);
}

int agentdb_devices(struct agentdb *db, struct arena *a, struct agentdb_device **ret, size_t *ret_n,
		    struct err *err)
{
	struct rows_of q = { .sql = "SELECT * FROM device ORDER BY id",
			     .size = sizeof **ret,
			     .read = read_device };

	return collect_rows(db, &q, a, (void **)ret, ret_n, err);
}

static void read_owner(sqlite3_stmt *st, struct arena *a, void *row)
{
	struct agentdb_owner *h = row;
	h->id = sqlite3_column_int64(st, 0);
	h->a = (struct allocation){
		.job_id = lite_text(st, 1, a),
		.user = lite_text(st, 2, a),
		.team = lite_text(st, 3, a),
		.project = lite_text(st, 4, a),
		.env = lite_text(st, 5, a),
		.workload = lite_text(st, 6, a),
		.name = lite_text(st, 7, a),
		.account = lite_text(st, 8, a),
		.namespace_ = lite_text(st, 9, a),
		.queue = lite_text(st, 10, a),
		.cluster = lite_text(st, 11, a),
		.tags = lite_text(st, 12, a),
		.submit_ms = ms_at(st, 13),
		.start_ms = ms_at(st, 14),
		.end_ms = ms_at(st, 15),
		.gpus_milli = sqlite3_column_int64(st, 16),
		.checkpointable = sqlite3_column_int(st, 17),
		.share_ppb = -1,
		.mig_start = -1,
		.limit_ms = UNKNOWN_MS,
	};
}

int agentdb_owners(struct agentdb *db, int64_t after, struct arena *a, struct agentdb_owner **ret,
		   size_t *ret_n, struct err *err)
{
	struct rows_of q = { .sql = "SELECT * FROM holder WHERE id > ? ORDER BY id",
			     .bind = after,
			     .size = sizeof **ret,
			     .read = read_owner };

	return collect_rows(db, &q, a, (void **)ret, ret_n, err);
}

static void read_hold(sqlite3_stmt *st, struct arena *a, void *row)
{
	struct agentdb_hold *h = row;
	int64_t kind = sqlite3_column_int64(st, 4);
	*h = (struct agentdb_hold){ .id = sqlite3_column_int64(st, 0),
				    .owner = sqlite3_column_int64(st, 1),
				    .dev = sqlite3_column_int64(st, 2),
				    .share_ppb = sqlite3_column_int64(st, 3),
				    .share_kind = kind >= 0 && kind < SHARE_N
							  ? (enum share_kind)kind
							  : SHARE_WHOLE,
				    .from_ms = sqlite3_column_int64(st, 5),
				    .to_ms = sqlite3_column_int64(st, 6),
				    .open = sqlite3_column_int(st, 7),
				    .rev = sqlite3_column_int64(st, 8) };
}

int agentdb_holds(struct agentdb *db, int64_t rev_from, struct arena *a, struct agentdb_hold **ret,
		  size_t *ret_n, struct err *err)
{
	struct rows_of q = { .sql = db->held ? "SELECT * FROM held_hold WHERE rev > ? ORDER BY id"
					     : "SELECT * FROM hold WHERE rev > ? ORDER BY id",
			     .bind = rev_from,
			     .size = sizeof **ret,
			     .read = read_hold };

	return collect_rows(db, &q, a, (void **)ret, ret_n, err);
}

static void read_watched(sqlite3_stmt *st, struct arena *a, void *row)
{
	*(struct agentdb_watched *)row = (struct agentdb_watched){ sqlite3_column_int64(st, 0),
								   sqlite3_column_int64(st, 1),
								   sqlite3_column_int64(st, 2) };
}

int agentdb_watches(struct agentdb *db, struct arena *a, struct agentdb_watched **ret,
		    size_t *ret_n, struct err *err)
{
	struct rows_of q = { .sql = db->held ? "SELECT * FROM held_watched ORDER BY id"
					     : "SELECT * FROM watched ORDER BY id",
			     .size = sizeof **ret,
			     .read = read_watched };

	return collect_rows(db, &q, a, (void **)ret, ret_n, err);
}

static int open_window(struct agentdb *db, const char *sql, const struct agentdb_window *w,
		       sqlite3_stmt **ret, struct err *err)
{
	int r = lite_prepare(db->db, sql, ret, err);
	if (r < 0)
		return r;
	sqlite3_bind_int64(*ret, 1, w->after);
	sqlite3_bind_int64(*ret, 2, w->since_ms);
	sqlite3_bind_int64(*ret, 3, w->until_ms);
	sqlite3_bind_int64(*ret, 4, w->max ? w->max : -1);
	return 0;
}

int agentdb_each_minute(struct agentdb *db, const struct agentdb_window *w, agentdb_minute_fn *fn,
			void *ctx, struct err *err)
{
	sqlite3_stmt *st;
	int r = open_window(
		db,
		db->held
			? "SELECT id, t_ms, dev, from_ms, to_ms, roll FROM held_minute WHERE id > ? AND from_ms >= ? AND from_ms < ? ORDER BY id LIMIT ?"
			: "SELECT id, t_ms, dev, from_ms, to_ms, roll FROM minute WHERE id > ? AND from_ms >= ? AND from_ms < ? ORDER BY id LIMIT ?",
		w, &st, err);
	if (r < 0)
		return r;
	while ((r = lite_step(db->db, st, err)) > 0) {
		struct agentdb_minute m = {
			sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1),
			sqlite3_column_int64(st, 2), sqlite3_column_int64(st, 3),
			sqlite3_column_int64(st, 4), SV_NULL
		};
		m.roll.p = sqlite3_column_blob(st, 5);
		m.roll.n = (size_t)sqlite3_column_bytes(st, 5);
		if ((r = fn(ctx, &m, err)) < 0)
			break;
	}
	sqlite3_finalize(st);
	return r;
}

int agentdb_each_event(struct agentdb *db, const struct agentdb_window *w, agentdb_event_fn *fn,
		       void *ctx, struct err *err)
{
	sqlite3_stmt *st;
	int r = open_window(
		db,
		db->held
			? "SELECT id, t_ms, dev, code, kind, text FROM held_event WHERE id > ? AND t_ms >= ? AND t_ms < ? ORDER BY id LIMIT ?"
			: "SELECT id, t_ms, dev, code, kind, text FROM event WHERE id > ? AND t_ms >= ? AND t_ms < ? ORDER BY id LIMIT ?",
		w, &st, err);
	if (r < 0)
		return r;
	struct arena a = { 0 };
	while ((r = lite_step(db->db, st, err)) > 0) {
		struct agentdb_event e = { .id = sqlite3_column_int64(st, 0),
					   .t_ms = sqlite3_column_int64(st, 1),
					   .dev = sqlite3_column_int64(st, 2),
					   .code = sqlite3_column_int64(st, 3),
					   .kind = lite_text(st, 4, &a),
					   .text = lite_text(st, 5, &a) };
		r = fn(ctx, &e, err);
		arena_free(&a);
		if (r < 0)
			break;
	}
	sqlite3_finalize(st);
	return r;
}
