/*
 * Whether the readings that are stored are those that were imported. SQLite does not check its
 * pages: a flipped bit or a lost page, of an index above all, leaves out or moves readings without
 * a word, and DuckDB, which does check them, has no readings. So the facts keep for each file how
 * many blocks came of it and the sum of their hashes (table reading_sum), which no order changes,
 * and before a command reads readings, all blocks are gone through once:
 *
 *   hash of a block   of its number, hour, file, times, count, of all that its series says, and of
 *                     the column `hash`, which is over its chunks: the cursor compares that when it
 *                     reads them (samples.c)
 *   sums by file      equal those of the facts, for every file in force
 *   trees             keys stand in their order, and each index has what its table has: then a
 *                     search finds what the scan found
 *
 * Blocks and series are about 50 bytes each; the readings themselves are looked at when they are
 * read. What does not hold is an error: nothing is booked from it.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/num.h"
#include "base/search.h"
#include "base/str.h"
#include "base/tm.h"
#include "store/telemetry.h"

/* ---- what is summed up ------------------------------------------------------------------- */

/* Chunks of a block in the order of their columns; the last bytes of a blob are its check sum. */
uint64_t telemetry_chunk_hash(uint64_t before, int column, const void *blob, size_t size)
{
	struct {
		uint64_t before, column, size;
		uint32_t sum, none;
	} x = { before, (uint64_t)column, size, 0, 0 };
	if (size >= sizeof x.sum)
		memcpy(&x.sum, (const char *)blob + size - sizeof x.sum, sizeof x.sum);
	return XXH3_64bits(&x, sizeof x);
}

/* The span last, and only where it is no hour: so the hashes of older files hold. */
static uint64_t hash_block(const struct block_row *b, uint64_t series)
{
	const uint64_t x[] = { (uint64_t)b->id,      series,           (uint64_t)b->series,
			       (uint64_t)b->base_ms, (uint64_t)b->src, (uint64_t)b->from_ms,
			       (uint64_t)b->to_ms,   (uint64_t)b->n,   (uint64_t)b->hash,
			       (uint64_t)b->span_ms };
	return XXH3_64bits(x, b->span_ms == MS_HOUR ? sizeof x - sizeof *x : sizeof x);
}

/* A row of the table: texts with their lengths, NULL apart from ''. */
static uint64_t hash_series(sqlite3_stmt *st, struct str *buf)
{
	str_clear(buf);
	for (int i = 0; i < sqlite3_column_count(st); i++) {
		const char *p = (const char *)sqlite3_column_text(st, i);
		int64_t n = -1;
		if (p)
			n = sqlite3_column_bytes(st, i);
		str_add(buf, (const char *)&n, sizeof n);
		if (n > 0)
			str_add(buf, p, (size_t)n);
	}
	return XXH3_64bits(buf->p, buf->n);
}

static struct src_sum *sum_of(struct src_sums *l, int64_t src)
{
	size_t i = first_where(k, l->n, l->v[k].src >= src);
	if (i == l->n || l->v[i].src != src) {
		vec_grow(l, 1);
		memmove(l->v + i + 1, l->v + i, (l->n - i) * sizeof *l->v);
		l->v[i] = (struct src_sum){ .src = src };
		l->n++;
	}
	return &l->v[i];
}

/* ---- the scan ---------------------------------------------------------------------------- */

struct pile { /* rows without their order */
	uint64_t n, hash;
};

struct scan {
	struct store *s;
	struct telemetry *t;
	struct series_mark {
		int64_t id;
		uint64_t hash;
	} * series;
	size_t nseries, cap;
	struct src_sums found;
	size_t last; /* index in found */
	struct pile name, name_index, row, row_index;
	struct block_row before; /* in the tree at hand */
	struct str buf, key;
};

static int not_right(const struct store *s, const char *what, struct err *err)
{
	err_set(err, -EBADMSG, "'%s/telemetry.db' is damaged: %s", s->dir, what);
	err_hint(
		err,
		"put back a copy of that file of the time of the last import, or import everything "
		"into a new store (--db)");
	return -EBADMSG;
}

static void pile_add(struct pile *p, const void *v, size_t size)
{
	p->n++;
	p->hash += XXH3_64bits(v, size);
}

static int each_row(struct scan *c, const char *sql,
		    int (*fn)(struct scan *, sqlite3_stmt *, struct err *), struct err *err)
{
	sqlite3_stmt *st;
	int r = lite_prepare(c->t->db, sql, &st, err);
	while (r == 0 && (r = lite_step(c->t->db, st, err)) > 0)
		r = fn(c, st, err);
	sqlite3_finalize(st);
	return r;
}

static void add_name(struct scan *c, struct pile *p, int64_t id, const char *key, int n)
{
	str_clear(&c->buf);
	str_add(&c->buf, (const char *)&id, sizeof id);
	if (key && n > 0)
		str_add(&c->buf, key, (size_t)n);
	pile_add(p, c->buf.p, c->buf.n);
}

static int series_row(struct scan *c, sqlite3_stmt *st, struct err *err)
{
	int64_t id = sqlite3_column_int64(st, 0);
	if (c->nseries && id <= c->series[c->nseries - 1].id)
		return not_right(c->s, "its series are out of order", err);
	if (c->nseries == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 256;
		c->series = xrealloc(c->series, c->cap * sizeof *c->series);
	}
	c->series[c->nseries++] = (struct series_mark){ id, hash_series(st, &c->buf) };
	const char *key = (const char *)sqlite3_column_text(st, 1);
	add_name(c, &c->name, id, key, sqlite3_column_bytes(st, 1));
	return 0;
}

static int name_row(struct scan *c, sqlite3_stmt *st, struct err *err)
{
	const char *key = (const char *)sqlite3_column_text(st, 0);
	struct sv now = { text_or(key, ""), (size_t)sqlite3_column_bytes(st, 0) };
	if (c->name_index.n && sv_cmp(str_sv(&c->key), now) >= 0)
		return not_right(c->s, "its index of series is out of order", err);
	str_clear(&c->key);
	str_addsv(&c->key, now);
	add_name(c, &c->name_index, sqlite3_column_int64(st, 1), key, (int)now.n);
	return 0;
}

/* Numbers of series count up from 1, nearly always without a gap. */
static bool series_hash(const struct scan *c, int64_t id, uint64_t *ret)
{
	size_t at;

	if (id >= 1 && id <= (int64_t)c->nseries && c->series[id - 1].id == id)
		at = (size_t)id - 1;
	else
		at = first_where(i, c->nseries, c->series[i].id >= id);
	if (at >= c->nseries || c->series[at].id != id)
		return false;
	*ret = c->series[at].hash;
	return true;
}

/* Of table and index alike: what the index has of a block. */
static void add_row(struct pile *p, const struct block_row *b)
{
	const int64_t x[] = { b->id, b->series, b->base_ms, b->src, b->from_ms, b->to_ms };
	pile_add(p, x, sizeof x);
}

static bool all_integers(sqlite3_stmt *st)
{
	for (int i = 0; i < sqlite3_column_count(st); i++)
		if (sqlite3_column_type(st, i) != SQLITE_INTEGER)
			return false;
	return true;
}

static int block_table_row(struct scan *c, sqlite3_stmt *st, struct err *err)
{
	struct block_row b = { .id = sqlite3_column_int64(st, 0),
			       .series = sqlite3_column_int64(st, 1),
			       .base_ms = sqlite3_column_int64(st, 2),
			       .src = sqlite3_column_int64(st, 3),
			       .from_ms = sqlite3_column_int64(st, 4),
			       .to_ms = sqlite3_column_int64(st, 5),
			       .n = sqlite3_column_int64(st, 6),
			       .hash = sqlite3_column_int64(st, 7),
			       .span_ms = sqlite3_column_int64(st, 8) };
	uint64_t series = 0;
	if (!all_integers(st) || !series_hash(c, b.series, &series))
		return not_right(c->s, "a block of readings is of no series", err);
	if (c->row.n && b.id <= c->before.id)
		return not_right(c->s, "its blocks are out of order", err);
	c->before = b;
	add_row(&c->row, &b);
	if (c->last >= c->found.n || c->found.v[c->last].src != b.src)
		c->last = (size_t)(sum_of(&c->found, b.src) - c->found.v);
	c->found.v[c->last].blocks++;
	c->found.v[c->last].hash += hash_block(&b, series);
	return 0;
}

static int cmp_index(const struct block_row *a, const struct block_row *b)
{
	const int64_t x[] = { a->series, a->base_ms, a->src, a->from_ms, a->to_ms, a->id },
		      y[] = { b->series, b->base_ms, b->src, b->from_ms, b->to_ms, b->id };
	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return cmp_i64(x[i], y[i]);
	return 0;
}

static int block_index_row(struct scan *c, sqlite3_stmt *st, struct err *err)
{
	struct block_row b = { .series = sqlite3_column_int64(st, 0),
			       .base_ms = sqlite3_column_int64(st, 1),
			       .src = sqlite3_column_int64(st, 2),
			       .from_ms = sqlite3_column_int64(st, 3),
			       .to_ms = sqlite3_column_int64(st, 4),
			       .id = sqlite3_column_int64(st, 5) };
	if (!all_integers(st) || (c->row_index.n && cmp_index(&c->before, &b) >= 0))
		return not_right(c->s, "its index of blocks is out of order", err);
	c->before = b;
	add_row(&c->row_index, &b);
	return 0;
}

static bool same_pile(struct pile a, struct pile b)
{
	return a.n == b.n && a.hash == b.hash;
}

/* All blocks and series, each by its table and by its index; found is what there is by file. */
static int scan_all(struct scan *c, struct err *err)
{
	int r = each_row(c, TELE_SERIES " NOT INDEXED", series_row, err);
	if (r == 0)
		r = each_row(c, "SELECT key, id FROM series INDEXED BY sqlite_autoindex_series_1",
			     name_row, err);
	if (r == 0 && !same_pile(c->name, c->name_index))
		r = not_right(c->s, "its index of series is not that of its series", err);
	if (r == 0)
		r = each_row(
			c,
			c->t->has_spans
				? "SELECT id, series, hour, src, from_ms, to_ms, n, hash, span FROM block NOT INDEXED"
				: "SELECT id, series, hour, src, from_ms, to_ms, n, hash, 3600000 FROM block NOT INDEXED",
			block_table_row, err);
	if (r == 0)
		r = each_row(
			c,
			"SELECT series, hour, src, from_ms, to_ms, id FROM block INDEXED BY block_series",
			block_index_row, err);
	if (r == 0 && !same_pile(c->row, c->row_index))
		r = not_right(c->s, "its index of blocks is not that of its blocks", err);
	return r;
}

static void scan_free(struct scan *c)
{
	free(c->series);
	vec_free(&c->found);
	str_free(&c->buf);
	str_free(&c->key);
}

/* ---- against the facts ------------------------------------------------------------------- */

struct wanted { /* by file in force, as the facts know it */
	struct facts *facts;
	struct src_sums *sums;
};

static int want_sum(void *ctx, int64_t src, int64_t blocks, uint64_t hash, struct err *err)
{
	struct wanted *w = ctx;
	(void)err;
	if (!facts_is_reversed(w->facts, src))
		*sum_of(w->sums, src) = (struct src_sum){ src, blocks, hash };
	return 0;
}

int telemetry_damaged(struct store *s, struct srcs of, struct err *err)
{
	struct str names = { 0 };
	struct arena mem = { 0 };
	struct err ignored;
	const char **path;
	size_t named = 0;
	if (facts_file_paths(s->facts, of, &mem, &path, &named, &ignored))
		named = 0;
	for (size_t i = 0; i < named; i++)
		str_addf(&names, "%s'%s'", text_if(i, ", "), path[i]);
	if (of.n > named)
		str_addf(&names, "%s%zu %s", text_if(named, " and "), of.n - named,
			 named ? "more files" : "files");
	bool gone = !s->telemetry;
	err_set(err, -EBADMSG,
		gone ? "'%s/telemetry.db' is missing, which has the readings of %s"
		     : "'%s/telemetry.db' is damaged: the readings of %s are not those that were imported",
		s->dir, names.p);
	err_hint(
		err,
		"put back a copy of that file of the time of the last import, or import these files "
		"and all others into a new store (--db)");
	str_free(&names);
	arena_free(&mem);
	return -EBADMSG;
}

/* In both lists, or in neither; what came of files of no batch is not looked at. */
static int compare_sums(struct store *s, const struct src_sums *want, const struct src_sums *found,
			struct err *err)
{
	VEC(int64_t) bad = { 0 };
	int64_t end = src_of((s->in_tx ? s->batch : s->last_batch) + 1, 0);
	for (size_t i = 0, k = 0; i < want->n || k < found->n;) {
		const struct src_sum *w = i < want->n ? &want->v[i] : NULL,
				     *f = k < found->n ? &found->v[k] : NULL;
		assert(w || f); /* one of the two lists goes on */
		bool of_w = w && (!f || w->src <= f->src), of_f = f && (!w || f->src <= w->src);
		int64_t src = of_w ? w->src : f->src;
		bool equal = of_w && of_f ? w->blocks == f->blocks && w->hash == f->hash
					  : of_w && !w->blocks;
		i += of_w;
		k += of_f;
		if (!equal && src < end && !facts_is_reversed(s->facts, src))
			*vec_push(&bad) = src;
	}
	int r = 0;
	if (bad.n)
		r = telemetry_damaged(s, (struct srcs){ bad.v, bad.n }, err);
	vec_free(&bad);
	return r;
}

int telemetry_verify(struct store *s, struct err *err)
{
	struct telemetry *t = s->telemetry;
	if (!facts_know_readings(s->facts) || (t && t->verified))
		return 0;
	struct src_sums want = { 0 };
	struct scan c = { .s = s, .t = t };
	/* what was imported */
	struct wanted imported = { s->facts, &want };
	const int64_t *out;
	size_t nout;
	int r = store_last_batch(s, err);
	if (r == 0)
		r = facts_reversed(s->facts, &out, &nout, err);
	if (r == 0)
		r = facts_reading_sums(s->facts, want_sum, &imported, err);
	for (size_t i = 0; t && r == 0 && i < t->mine.n; i++)
		*sum_of(&want, t->mine.v[i].src) = t->mine.v[i];
	if (r == 0 && t)
		r = telemetry_hold(t, err);
	if (r == 0 && t)
		r = scan_all(&c, err);
	if (r == 0)
		r = compare_sums(s, &want, &c.found, err);
	if (r == 0 && t)
		t->verified = true;
	scan_free(&c);
	vec_free(&want);
	return r;
}

/* ---- for the facts ----------------------------------------------------------------------- */

static int write_sums(struct store *s, const struct src_sums *l, int64_t end, struct err *err)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < l->n && l->v[i].src < end; i++)
		r = facts_add_reading_sum(s->facts, l->v[i].src, l->v[i].blocks, l->v[i].hash, err);
	return r;
}

int telemetry_write_sums(struct store *s, struct err *err)
{
	int r = telemetry_settle(s, err);
	if (r == 0 && s->telemetry)
		return write_sums(s, &s->telemetry->mine, INT64_MAX, err);
	return r;
}

int telemetry_note_block(struct telemetry *t, const struct block_row *b, size_t key,
			 struct err *err)
{
	while (t->series_hash.n <= key)
		*vec_push(&t->series_hash) = 0;
	if (!t->series_hash.v[key]) {
		struct str buf = { 0 };
		sqlite3_bind_int64(t->read_series, 1, b->series);
		int r = lite_step(t->db, t->read_series, err);
		if (r > 0)
			t->series_hash.v[key] = hash_series(t->read_series, &buf);
		sqlite3_reset(t->read_series);
		str_free(&buf);
		if (r <= 0) {
			if (r)
				return r;
			return err_set(err, -EBADMSG, "'%s' is damaged: a series is not there",
				       sqlite3_db_filename(t->db, "main"));
		}
	}
	struct src_sum *sum = sum_of(&t->mine, b->src);
	sum->blocks++;
	sum->hash += hash_block(b, t->series_hash.v[key]);
	t->verified = false;
	return 0;
}

/* ---- a store of before ------------------------------------------------------------------- */

static int hash_chunks(struct telemetry *t, sqlite3_stmt *chunks, int64_t block, uint64_t *ret,
		       struct err *err)
{
	int r, seen = 0;
	*ret = 0;
	sqlite3_bind_int64(chunks, 1, block * TELE_COLUMNS);
	while ((r = lite_step(t->db, chunks, err)) > 0) {
		int column = (int)(sqlite3_column_int64(chunks, 0) - block * TELE_COLUMNS);
		const void *p = sqlite3_column_blob(chunks, 1);
		size_t size = (size_t)sqlite3_column_bytes(chunks, 1);
		r = chunk_check(p, size, err);
		if (r)
			break;
		*ret = telemetry_chunk_hash(*ret, column, p, size);
		seen += column == TELE_TIME || column == TELE_STEP;
	}
	sqlite3_reset(chunks);
	if (r == 0 && seen != 2)
		return err_set(err, -EBADMSG, "the times of a block are missing");
	return r;
}

/* Up to 1,000 blocks behind *at; 1: there may be more. */
static int fill_some(struct telemetry *t, sqlite3_stmt *find, sqlite3_stmt *chunks,
		     sqlite3_stmt *set, int64_t *at, struct err *err)
{
	VEC(int64_t) id = { 0 };
	int r;
	sqlite3_bind_int64(find, 1, *at);
	while ((r = lite_step(t->db, find, err)) > 0)
		*vec_push(&id) = sqlite3_column_int64(find, 0);
	sqlite3_reset(find);
	for (size_t i = 0; i < id.n && r == 0; i++) {
		uint64_t hash;
		r = hash_chunks(t, chunks, id.v[i], &hash, err);
		if (r)
			break;
		sqlite3_bind_int64(set, 1, id.v[i]);
		sqlite3_bind_int64(set, 2, (int64_t)hash);
		r = lite_step(t->db, set, err);
		sqlite3_reset(set);
		*at = id.v[i];
	}
	if (r == 0)
		r = id.n > 0;
	vec_free(&id);
	return r;
}

static int fill_hashes(struct telemetry *t, struct err *err)
{
	sqlite3_stmt *find = NULL, *chunks = NULL, *set = NULL;
	int64_t at = INT64_MIN;
	int r = lite_exec(t->db, "BEGIN IMMEDIATE", err);
	if (r)
		return r;
	r = lite_prepare(
		t->db, "SELECT id FROM block WHERE id > ? AND hash IS NULL ORDER BY id LIMIT 1000",
		&find, err);
	if (r == 0)
		r = lite_prepare(t->db, TELE_CHUNKS, &chunks, err);
	if (r == 0)
		r = lite_prepare(t->db, "UPDATE block SET hash = ?2 WHERE id = ?1", &set, err);
	if (r == 0)
		do
			r = fill_some(t, find, chunks, set, &at, err);
		while (r > 0);
	sqlite3_finalize(find);
	sqlite3_finalize(chunks);
	sqlite3_finalize(set);
	if (r == 0)
		r = lite_exec(t->db, "COMMIT", err);
	if (r && !sqlite3_get_autocommit(t->db))
		sqlite3_exec(t->db, "ROLLBACK", NULL, NULL, NULL);
	return r;
}

int telemetry_fill(void *ctx, struct err *err)
{
	struct store *s = ctx;
	struct telemetry *t;
	if (!telemetry_there(s))
		return 0;
	int r = store_last_batch(s, err);
	if (r == 0)
		r = telemetry_get(s, &t, err);
	if (r)
		return r;
	r = fill_hashes(t, err);
	if (r == -EBADMSG) {
		struct err why = *err;
		not_right(s, why.msg, err);
	}
	struct scan c = { .s = s, .t = t };
	if (r == 0)
		r = scan_all(&c, err);
	if (r == 0)
		r = write_sums(s, &c.found, src_of(s->last_batch + 1, 0), err);
	scan_free(&c);
	return r;
}
