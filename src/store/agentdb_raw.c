/*
 * Raw readings of an agent: raw.db, and what is given up first when the disk is full.
 *
 * chunk.id = block.id * RAW_COLUMNS + column, the times first and then a column a metric, as the
 * telemetry of the store has it. A block is committed with fsync; the readings since the last one
 * are in the write-ahead, which has none: a power cut may take those.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/dirfd.h"
#include "base/num.h"
#include "base/tm.h"
#include "store/agentdb_in.h"

#define RAW_COLUMNS 32
_Static_assert(METRIC_N < RAW_COLUMNS, "a column a metric");
#define MERGE_ROWS_MAX CHUNK_ROWS_MAX

static const char *const steps[] = {
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID;"
	"CREATE TABLE block(id INTEGER PRIMARY KEY, dev INTEGER, from_ms INTEGER, to_ms INTEGER, rows INTEGER, merged INTEGER, samples INTEGER);"
	"CREATE TABLE chunk(id INTEGER PRIMARY KEY, n INTEGER, min REAL, max REAL, sum REAL, data BLOB);",
	/* number of the quarantine whose shift its times still need, 0 = none */
	"ALTER TABLE block ADD COLUMN quarantine INTEGER DEFAULT 0;",
};

static int open_raw_file(struct agentdb *db, struct err *err)
{
	char path[4200];
	int r = agentdb_path(db, "raw.db", path, err);
	if (r == 0 && db->write)
		r = agentdb_new_file(path, err);
	if (r == 0)
		r = lite_open(&(struct lite_file){ path, db->write, LITE_OWNED, steps,
						   sizeof steps / sizeof *steps },
			      &db->raw, err);
	if (r == 0 && db->write)
		r = agentdb_give_sums(db->raw, err);
	return r;
}

int agentdb_open_raw(struct agentdb *db, struct err *err)
{
	int r = open_raw_file(db, err);
	if (r == -EBADMSG && db->write) {
		/* Damaged raw data is no reason not to go on: it takes another name, with its log,
		 * which belongs to no other file. */
		static const char *const end[] = { "-wal", "-shm", "" };
		struct err why = *err;
		char from[32], to[32];
		sqlite3_close(db->raw);
		db->raw = NULL;
		for (size_t i = 0; i < sizeof end / sizeof *end; i++) {
			snprintf(from, sizeof from, "raw.db%s", end[i]);
			snprintf(to, sizeof to, "raw.db.damaged%s", end[i]);
			if (renameat(db->dir_fd, from, db->dir_fd, to) && errno != ENOENT)
				return -EBADMSG;
		}
		err_clear(err);
		r = open_raw_file(db, err);
		if (r == 0) {
			*err = why;
			err_hint(err,
				 "It is kept as '%s/raw.db.damaged', and raw readings begin again",
				 db->dir);
		}
	}
	if (r == 0 && db->write)
		r = lite_exec(db->raw, "PRAGMA cache_size = -256; PRAGMA wal_autocheckpoint = 256",
			      err);
	if (r == 0)
		db->codec = chunk_codec_new();
	return r;
}

/* ---- writing ----------------------------------------------------------------------------- */

static int query_one(sqlite3 *db, const char *sql, int64_t a, int64_t b, int64_t *ret,
		     struct err *err)
{
	sqlite3_stmt *st;
	int r = lite_prepare(db, sql, &st, err);
	if (r < 0)
		return r;
	int n = sqlite3_bind_parameter_count(st);
	if (n > 0)
		sqlite3_bind_int64(st, 1, a);
	if (n > 1)
		sqlite3_bind_int64(st, 2, b);
	while ((r = lite_step(db, st, err)) > 0)
		if (ret)
			*ret = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return r;
}

static int put_chunk(struct agentdb *db, sqlite3_stmt *st, int64_t id, const struct chunk_sums *c,
		     const struct str *blob, struct err *err)
{
	sqlite3_reset(st);
	sqlite3_bind_int64(st, 1, id);
	sqlite3_bind_int64(st, 2, c->n);
	sqlite3_bind_double(st, 3, c->min);
	sqlite3_bind_double(st, 4, c->max);
	sqlite3_bind_double(st, 5, c->sum);
	sqlite3_bind_blob64(st, 6, blob->p, blob->n, SQLITE_STATIC);
	return lite_step(db->raw, st, err);
}

static int put_block(struct agentdb *db, const struct agentdb_block *b, bool merged,
		     int64_t quarantine, struct err *err)
{
	int64_t id = 0, samples = 0;
	struct str blob = { 0 };
	sqlite3_stmt *st;
	if (!b->n)
		return 0;
	int r = query_one(db->raw, "SELECT coalesce(max(id), 0) + 1 FROM block", 0, 0, &id, err);
	if (r >= 0)
		r = lite_prepare(db->raw, "INSERT INTO chunk VALUES(?,?,?,?,?,?)", &st, err);
	if (r < 0)
		return r;
	struct chunk_sums times = { .n = (int64_t)b->n,
				    .min = (double)b->t_ms[0],
				    .max = (double)b->t_ms[b->n - 1] };
	chunk_encode_i64(db->codec, b->t_ms, b->n, &blob);
	r = put_chunk(db, st, id * RAW_COLUMNS, &times, &blob, err);
	for (int m = 0; r >= 0 && m < METRIC_N; m++) {
		struct chunk_sums c = { 0 };
		if (b->value[m])
			c = chunk_sums(b->value[m], b->n);
		if (!c.n)
			continue;
		str_clear(&blob);
		chunk_encode(db->codec, b->value[m], b->n, &blob);
		r = put_chunk(db, st, id * RAW_COLUMNS + 1 + m, &c, &blob, err);
		samples += c.n;
	}
	sqlite3_finalize(st);
	str_free(&blob);
	if (r >= 0)
		r = lite_prepare(db->raw, "INSERT INTO block VALUES(?,?,?,?,?,?,?,?)", &st, err);
	if (r < 0)
		return r;
	const int64_t v[] = { id,     b->dev,  b->t_ms[0], b->t_ms[b->n - 1], (int64_t)b->n,
			      merged, samples, quarantine };
	for (int i = 0; i < 8; i++)
		sqlite3_bind_int64(st, i + 1, v[i]);
	r = lite_step(db->raw, st, err);
	sqlite3_finalize(st);
	if (r < 0)
		return r;
	return 0;
}

static int end_tx(struct agentdb *db, int r, struct err *err)
{
	if (r >= 0)
		r = lite_exec(db->raw, "COMMIT", err);
	if (r < 0 && !sqlite3_get_autocommit(db->raw))
		sqlite3_exec(db->raw, "ROLLBACK", NULL, NULL, NULL);
	return r;
}

int agentdb_put_blocks(struct agentdb *db, const struct agentdb_block *b, size_t n, int64_t seq,
		       int64_t quarantine, struct err *err)
{
	int r = lite_exec(db->raw, "BEGIN IMMEDIATE", err);
	if (r < 0)
		return r;
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = put_block(db, &b[i], false, quarantine, err);
	if (r >= 0)
		r = query_one(db->raw, "INSERT OR REPLACE INTO meta VALUES('seq', ?)", seq, 0, NULL,
			      err);
	if (r >= 0)
		r = lite_exec(db->raw, AGENTDB_COUNT_COMMIT, err);
	return end_tx(db, r, err);
}

int agentdb_raw_seq(struct agentdb *db, int64_t *ret, struct err *err)
{
	*ret = 0;
	return query_one(db->raw, "SELECT value FROM meta WHERE key = 'seq'", 0, 0, ret, err);
}

/* ---- reading ----------------------------------------------------------------------------- */

struct columns {
	int64_t *t_ms;
	double *value[METRIC_N];
	size_t n;
};

static void columns_free(struct columns *c)
{
	free(c->t_ms);
	for (int m = 0; m < METRIC_N; m++)
		free(c->value[m]);
	*c = (struct columns){ 0 };
}

/* Rows of a block behind those of the ones before, which were at; total is what there will be. */
static int append_block(struct agentdb *db, int64_t id, size_t rows, size_t total,
			struct columns *c, struct err *err)
{
	sqlite3_stmt *st;
	int r = lite_prepare(db->raw,
			     "SELECT id, data FROM chunk WHERE id >= ? AND id < ? ORDER BY id", &st,
			     err);
	if (r < 0)
		return r;
	sqlite3_bind_int64(st, 1, id * RAW_COLUMNS);
	sqlite3_bind_int64(st, 2, (id + 1) * RAW_COLUMNS);
	if (!c->t_ms)
		c->t_ms = xcalloc(total + 1, sizeof *c->t_ms);
	while ((r = lite_step(db->raw, st, err)) > 0) {
		int64_t col = sqlite3_column_int64(st, 0) - id * RAW_COLUMNS;
		const void *p = sqlite3_column_blob(st, 1);
		size_t size = (size_t)sqlite3_column_bytes(st, 1);
		if (col < 0 || col >= RAW_COLUMNS) { /* rows of a page out of order */
			r = err_set(err, -EBADMSG, "'%s/raw.db' is damaged: a block out of order",
				    db->dir);
			break;
		}
		if (col > METRIC_N)
			continue;
		if (col > 0 && !c->value[col - 1]) {
			double *unknown = xmalloc((total + 1) * sizeof *unknown);
			for (size_t i = 0; i < total; i++)
				unknown[i] = NAN;
			c->value[col - 1] = unknown;
		}
		if (col == 0)
			r = chunk_decode_i64(db->codec, p, size, rows, c->t_ms + c->n, err);
		else
			r = chunk_decode(db->codec, p, size, rows, c->value[col - 1] + c->n, err);
		if (r < 0)
			break;
	}
	sqlite3_finalize(st);
	c->n += rows;
	return r;
}

struct piece {
	int64_t id, dev, from_ms, rows;
};
typedef VEC(struct piece) pieces;

static int find_pieces(struct agentdb *db, const char *sql, int64_t a, int64_t b, pieces *ret,
		       struct err *err)
{
	sqlite3_stmt *st;
	int r = lite_prepare(db->raw, sql, &st, err);
	if (r < 0)
		return r;
	sqlite3_bind_int64(st, 1, a);
	sqlite3_bind_int64(st, 2, b);
	while ((r = lite_step(db->raw, st, err)) > 0) {
		struct piece p = { sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1),
				   sqlite3_column_int64(st, 2), sqlite3_column_int64(st, 3) };
		if (p.rows > 0 && p.rows <= CHUNK_ROWS_MAX)
			*vec_push(ret) = p;
	}
	sqlite3_finalize(st);
	return r;
}

int agentdb_each_block(struct agentdb *db, int64_t since_ms, int64_t until_ms, agentdb_block_fn *fn,
		       void *ctx, struct err *err)
{
	pieces p = { 0 };
	int r = find_pieces(
		db,
		"SELECT id, dev, from_ms, rows FROM block WHERE to_ms >= ? AND from_ms < ? ORDER BY dev, from_ms",
		since_ms, until_ms, &p, err);
	for (size_t i = 0; r >= 0 && i < p.n; i++) {
		struct columns c = { 0 };
		r = append_block(db, p.v[i].id, (size_t)p.v[i].rows, (size_t)p.v[i].rows, &c, err);
		struct agentdb_block b = { .dev = p.v[i].dev, .t_ms = c.t_ms, .n = c.n };
		for (int m = 0; m < METRIC_N; m++)
			b.value[m] = c.value[m];
		if (r >= 0)
			r = fn(ctx, &b, err);
		columns_free(&c);
	}
	vec_free(&p);
	if (r < 0)
		return r;
	return 0;
}

/* ---- hours ------------------------------------------------------------------------------- */

static int drop_block(struct agentdb *db, int64_t id, struct err *err)
{
	int r = query_one(db->raw, "DELETE FROM chunk WHERE id >= ? AND id < ?", id * RAW_COLUMNS,
			  (id + 1) * RAW_COLUMNS, NULL, err);
	if (r < 0)
		return r;
	return query_one(db->raw, "DELETE FROM block WHERE id = ?", id, 0, NULL, err);
}

/* Pieces [from, to) of one device and hour become one block. */
static int merge_pieces(struct agentdb *db, const struct piece *p, size_t n, size_t total,
			struct err *err)
{
	struct columns c = { 0 };
	int r = lite_exec(db->raw, "BEGIN IMMEDIATE", err);
	if (r < 0)
		return r;
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = append_block(db, p[i].id, (size_t)p[i].rows, total, &c, err);
	struct agentdb_block b = { .dev = p[0].dev, .t_ms = c.t_ms, .n = c.n };
	for (int m = 0; m < METRIC_N; m++)
		b.value[m] = c.value[m];
	if (r >= 0)
		r = put_block(db, &b, true, 0, err);
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = drop_block(db, p[i].id, err);
	columns_free(&c);
	return end_tx(db, r, err);
}

int agentdb_merge_hours(struct agentdb *db, int64_t before_ms, struct err *err)
{
	pieces p = { 0 };
	int r = find_pieces(
		db,
		"SELECT id, dev, from_ms, rows FROM block WHERE merged = 0 AND quarantine = 0 AND to_ms < ? AND ? = 0 ORDER BY dev, from_ms",
		before_ms, 0, &p, err);
	for (size_t i = 0; r >= 0 && i < p.n;) {
		size_t k = i, total = 0;
		while (k < p.n && p.v[k].dev == p.v[i].dev &&
		       tm_floor(p.v[k].from_ms, MS_HOUR) == tm_floor(p.v[i].from_ms, MS_HOUR) &&
		       total + (size_t)p.v[k].rows <= MERGE_ROWS_MAX)
			total += (size_t)p.v[k++].rows;
		if (k == i) /* one block alone is as large as may be */
			k++;
		else
			r = merge_pieces(db, &p.v[i], k - i, total, err);
		i = k;
	}
	vec_free(&p);
	if (r < 0)
		return r;
	return 0;
}

static int drop_blocks(struct agentdb *db, const char *which, int64_t before_ms, struct err *err)
{
	pieces p = { 0 };
	int r = find_pieces(db, which, before_ms, 0, &p, err);
	if (r >= 0 && p.n)
		r = lite_exec(db->raw, "BEGIN IMMEDIATE", err);
	for (size_t i = 0; r >= 0 && i < p.n; i++)
		r = drop_block(db, p.v[i].id, err);
	if (p.n)
		r = end_tx(db, r, err);
	vec_free(&p);
	if (r < 0)
		return r;
	return 0;
}

int agentdb_drop_raw(struct agentdb *db, int64_t before_ms, struct err *err)
{
	return drop_blocks(
		db,
		"SELECT id, dev, from_ms, rows FROM block WHERE quarantine = 0 AND to_ms < ? AND ? = 0",
		before_ms, err);
}

/* ---- quarantine -------------------------------------------------------------------------- */

static int shift_blocks(struct agentdb *db, int64_t quarantine, int64_t shift_ms, struct err *err)
{
	pieces p = { 0 };
	int r = find_pieces(
		db,
		"SELECT id, dev, from_ms, rows FROM block WHERE quarantine = ? AND ? = 0 ORDER BY id",
		quarantine, 0, &p, err);
	if (r >= 0 && p.n)
		r = lite_exec(db->raw, "BEGIN IMMEDIATE", err);
	for (size_t i = 0; r >= 0 && i < p.n; i++) {
		struct columns c = { 0 };
		r = append_block(db, p.v[i].id, (size_t)p.v[i].rows, (size_t)p.v[i].rows, &c, err);
		struct agentdb_block b = { .dev = p.v[i].dev, .t_ms = c.t_ms, .n = c.n };
		for (size_t k = 0; r >= 0 && k < c.n; k++)
			c.t_ms[k] += shift_ms;
		for (int m = 0; m < METRIC_N; m++)
			b.value[m] = c.value[m];
		if (r >= 0)
			r = put_block(db, &b, false, 0, err);
		if (r >= 0)
			r = drop_block(db, p.v[i].id, err);
		columns_free(&c);
	}
	if (p.n)
		r = end_tx(db, r, err);
	vec_free(&p);
	if (r < 0)
		return r;
	return 0;
}

int agentdb_settle_raw(struct agentdb *db, struct err *err)
{
	int64_t id = 0;
	int r = query_one(db->raw,
			  "SELECT coalesce(min(quarantine), 0) FROM block WHERE quarantine > 0", 0,
			  0, &id, err);
	while (r >= 0 && id) {
		int64_t shift = INT64_MIN, next = 0;
		r = query_one(
			db->db,
			"SELECT shift_ms FROM quarantine WHERE id = ? AND shift_ms IS NOT NULL", id,
			0, &shift, err);
		if (r >= 0 && shift != INT64_MIN)
			r = shift_blocks(db, id, shift, err);
		if (r >= 0)
			r = query_one(
				db->raw,
				"SELECT coalesce(min(quarantine), 0) FROM block WHERE quarantine > ?",
				id, 0, &next, err);
		id = next;
	}
	return r;
}

/* ---- a full disk ------------------------------------------------------------------------- */

void agentdb_restore_reserve(struct agentdb *db)
{
	struct stat sb;
	struct statvfs fs;
	struct err ignored;
	if (fstatat(db->dir_fd, "reserve", &sb, AT_SYMLINK_NOFOLLOW) == 0 &&
	    sb.st_size == AGENTDB_RESERVE_BYTES)
		return;
	/* Only where it leaves as much again: else it would be what fills the disk. */
	if (fstatvfs(db->dir_fd, &fs) ||
	    (uint64_t)fs.f_bavail * fs.f_frsize < 3 * (uint64_t)AGENTDB_RESERVE_BYTES)
		return;
	int fd = file_open_in(db->dir_fd, db->dir, "reserve", O_WRONLY | O_CREAT, 0640, &ignored);
	if (fd < 0)
		return;
	bool whole = posix_fallocate(fd, 0, AGENTDB_RESERVE_BYTES) == 0;
	close(fd);
	if (!whole)
		unlinkat(db->dir_fd, "reserve", 0);
}

bool agentdb_drop_reserve(const struct agentdb *db)
{
	return unlinkat(db->dir_fd, "reserve", 0) == 0;
}

int agentdb_make_room(struct agentdb *db, struct err *err)
{
	struct err ignored = { 0 };
	bool reserve = agentdb_drop_reserve(db);
	/* What the logs hold goes into the files, and the logs shrink. */
	lite_exec(db->raw, "PRAGMA wal_checkpoint(TRUNCATE)", &ignored);
	lite_exec(db->db, "PRAGMA wal_checkpoint(TRUNCATE)", &ignored);
	/* then the oldest quarter of the readings goes */
	int64_t n = 0, cut = 0;
	int r = query_one(db->raw, "SELECT count(*) FROM block", 0, 0, &n, err);
	if (r >= 0 && n)
		r = query_one(db->raw, "SELECT to_ms FROM block ORDER BY to_ms LIMIT 1 OFFSET ?",
			      n / 4, 0, &cut, err);
	if (r >= 0 && n)
		r = drop_blocks(
			db, "SELECT id, dev, from_ms, rows FROM block WHERE to_ms < ? AND ? = 0",
			cut + 1, err);
	if (r >= 0 && n)
		r = lite_exec(db->raw, "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)",
			      err);
	if (reserve || (r >= 0 && n))
		return 1;
	return r;
}

int agentdb_raw_size(struct agentdb *db, struct agentdb_raw_size *ret, struct err *err)
{
	*ret = (struct agentdb_raw_size){ 0 };
	int64_t pages = 0, page = 0;
	int r = query_one(db->raw, "SELECT coalesce(sum(samples), 0) FROM block", 0, 0,
			  &ret->samples, err);
	if (r >= 0)
		r = query_one(db->raw, "SELECT coalesce(sum(length(data)), 0) FROM chunk", 0, 0,
			      &ret->bytes, err);
	if (r >= 0)
		r = query_one(db->raw, "SELECT count(*) FROM block", 0, 0, &ret->blocks, err);
	if (r >= 0)
		r = query_one(db->raw, "SELECT coalesce(min(from_ms), 0) FROM block", 0, 0,
			      &ret->from_ms, err);
	if (r >= 0)
		r = query_one(db->raw, "SELECT coalesce(max(to_ms), 0) FROM block", 0, 0,
			      &ret->to_ms, err);
	if (r >= 0)
		r = query_one(db->raw, "PRAGMA page_count", 0, 0, &pages, err);
	if (r >= 0)
		r = query_one(db->raw, "PRAGMA page_size", 0, 0, &page, err);
	ret->file_bytes = pages * page;
	return r;
}
