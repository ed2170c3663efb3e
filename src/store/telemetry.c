/* Samples in: rows are collected per series and span of time and written as chunks of columns. */
#include "base/num.h"
#include "store/builder.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sort.h"
#include "base/tm.h"

#define SPANS_SINCE  3                   /* the version of the file */
#define SPILL_PAGES  "16384"             /* 256 MiB of readings as they are stored */
#define COMMIT_TRIES 24                  /* of 5 s each (lite.c): readers are let finish */
#define MEMORY_MAX   ((size_t)256 << 20) /* of builders; above it the longest untouched are written */

/* ---- the file ---------------------------------------------------------------------------- */

bool telemetry_there(const struct store *s)
{
	struct str path = { 0 };
	str_addf(&path, "%s/telemetry.db", s->dir);
	bool there = access(path.p, F_OK) == 0;
	str_free(&path);
	return there;
}

int telemetry_get(struct store *s, struct telemetry **ret, struct err *err)
{
	struct str path = { 0 };
	*ret = s->telemetry;
	if (s->telemetry)
		return 0;
	str_addf(&path, "%s/telemetry.db", s->dir);
	sqlite3 *db = NULL;
	int r = 0;
	bool write = s->mode == STORE_WRITE, there = telemetry_there(s);
	if (write && !there) /* no new one in the place of one that is lost */
		r = telemetry_verify(s, err);
	if (r == 0 && (write || there))
		r = lite_open(&(struct lite_file){ path.p, write, LITE_SHARED, schema_telemetry,
						   schema_telemetry_n },
			      &db, err);
	str_free(&path);
	if (r || !db)
		return r;
	struct telemetry *t = xcalloc(1, sizeof *t);
	int version = 0;
	t->db = db;
	t->codec = chunk_codec_new();
	s->telemetry = t;
	r = lite_version(db, &version, err);
	t->has_spans = version >= SPANS_SINCE;
	/* What spills shuts readers out until the commit: not below SPILL_PAGES of 16 KiB. */
	if (r == 0 && write)
		r = lite_exec(db, "PRAGMA cache_spill = " SPILL_PAGES, err);
	const struct {
		sqlite3_stmt **st;
		const char *sql;
	} write_stmt[] = {
		{ &t->add_block,
		  "INSERT INTO block (id, series, hour, src, from_ms, to_ms, n, hash, span) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)" },
		{ &t->add_chunk,
		  "INSERT INTO chunk (id, n, min, max, sum, data) VALUES (?, ?, ?, ?, ?, ?)" },
		{ &t->find_series, "SELECT id FROM series WHERE key = ?" },
		{ &t->add_series,
		  "INSERT INTO series (key, node, gpu, mig, job_id, gpu_model, cluster, user_name, team, project, env, workload, "
		  "currency, usd_gpu_hour) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" },
		{ &t->read_series, TELE_SERIES " WHERE id = ?" },
	};
	for (size_t i = 0; write && r == 0 && i < sizeof write_stmt / sizeof *write_stmt; i++)
		r = lite_prepare(db, write_stmt[i].sql, write_stmt[i].st, err);
	if (r)
		telemetry_close(s);
	*ret = s->telemetry;
	return r;
}

void telemetry_close(struct store *s)
{
	struct telemetry *t = s->telemetry;
	if (!t)
		return;
	builders_drop(t);
	sqlite3_finalize(t->add_block);
	sqlite3_finalize(t->add_chunk);
	sqlite3_finalize(t->find_series);
	sqlite3_finalize(t->add_series);
	sqlite3_finalize(t->read_series);
	vec_free(&t->mine);
	sqlite3_close(t->db);
	chunk_codec_free(t->codec);
	str_free(&t->key);
	str_free(&t->mig);
	str_free(&t->blob);
	free(t);
	s->telemetry = NULL;
}

/* Reading in one transaction: a lock once, not for each statement, and what was verified is what is
 * read. */
int telemetry_hold(struct telemetry *t, struct err *err)
{
	if (sqlite3_get_autocommit(t->db))
		return lite_exec(t->db, "BEGIN", err);
	return 0;
}

static int let_go(struct telemetry *t, struct err *err)
{
	t->verified = false;
	if (sqlite3_get_autocommit(t->db))
		return 0;
	return lite_exec(t->db, "COMMIT", err);
}

static int sweep_telemetry(struct store *s, struct telemetry *t, struct err *err)
{
	char sql[512];
	int r = let_go(t, err);
	if (r)
		return r;
	snprintf(sql, sizeof sql,
		 "BEGIN IMMEDIATE;"
		 "DELETE FROM chunk WHERE id / 32 IN (SELECT id FROM block WHERE src >= %lld);"
		 "DELETE FROM block WHERE src >= %lld;"
		 "UPDATE last SET batch = %lld;"
		 "COMMIT",
		 (long long)src_of(s->last_batch + 1, 0), (long long)src_of(s->last_batch + 1, 0),
		 (long long)s->last_batch);
	return lite_exec(t->db, sql, err);
}

int telemetry_last_batch(struct store *s, int64_t *ret, struct err *err)
{
	struct telemetry *t;
	sqlite3_stmt *st = NULL;
	int r = telemetry_get(s, &t, err);
	if (r == 0)
		r = lite_prepare(t->db, "SELECT max(batch) FROM last", &st, err);
	if (r == 0)
		r = lite_step(t->db, st, err);
	*ret = r > 0 ? sqlite3_column_int64(st, 0) : 0;
	sqlite3_finalize(st);
	if (r < 0)
		return r;
	return 0;
}

int telemetry_sweep(struct store *s, struct err *err)
{
	struct telemetry *t;
	int64_t last = 0;
	if (!telemetry_there(s))
		return 0;
	int r = telemetry_get(s, &t, err);
	if (r == 0)
		r = telemetry_last_batch(s, &last, err);
	if (r == 0 && last > s->last_batch)
		return sweep_telemetry(s, t, err);
	return r;
}

/* ---- series ------------------------------------------------------------------------------ */

static int begin_write(struct store *s, struct telemetry *t, struct err *err)
{
	char sql[64];
	sqlite3_stmt *st;
	assert(t);
	if (t->in_tx)
		return 0;
	int r = let_go(t, err);
	if (r == 0)
		r = lite_exec(t->db, "BEGIN IMMEDIATE", err);
	if (r)
		return r;
	t->in_tx = true;
	vec_clear(&t->mine);
	t->overruled = 0;
	r = lite_prepare(t->db, "SELECT coalesce(max(id), 0) + 1 FROM block", &st, err);
	if (r)
		return r;
	r = lite_step(t->db, st, err);
	t->next_block = r > 0 ? sqlite3_column_int64(st, 0) : 1;
	sqlite3_finalize(st);
	if (r < 0)
		return r;
	snprintf(sql, sizeof sql, "UPDATE last SET batch = %lld", (long long)s->batch);
	return lite_exec(t->db, sql, err);
}

#define KEY_PARTS 12

/* What ends a part of a key: empty is not unknown. */
static char end_of_part(struct sv part)
{
	return part.p ? '\x1f' : '\x1e';
}

/* Whether series_of() would make `text` of a key without a price. */
static bool is_key(struct sv text, const struct sv part[KEY_PARTS])
{
	for (size_t p = 0; p < KEY_PARTS; p++) {
		size_t n = part[p].n;
		if (text.n <= n || text.p[n] != end_of_part(part[p]))
			return false;
		if (n && memcmp(text.p, part[p].p, n) != 0)
			return false;
		text = sv_from(text, n + 1);
	}
	return !text.n;
}

/* Files go on with one series or round robin over them. */
static bool follows_series(struct telemetry *t, const struct sv part[KEY_PARTS])
{
	uint32_t next = t->next.v[t->met];

	if (is_key(t->keys.text[next], part))
		t->met = next;
	else if (!is_key(t->keys.text[t->met], part))
		return false;
	return true;
}

/* Index of the series in keys. */
static int series_of(struct telemetry *t, const struct sample_key *k, size_t *ret, struct err *err)
{
	const size_t npart = KEY_PARTS;
	struct sv mig = k->mig;
	if (mig.n && k->mig_profile.n) {
		str_clear(&t->mig);
		str_addf(&t->mig, "%.*s%c%.*s", SVF(mig), TELE_PROFILE, SVF(k->mig_profile));
		mig = str_sv(&t->mig);
	}
	const struct sv part[KEY_PARTS] = { k->node,      k->gpu,     mig,         k->job_id,
					    k->gpu_model, k->cluster, k->user,     k->team,
					    k->project,   k->env,     k->workload, k->currency };

	if (t->id.n && !k->has_usd_gpu_hour && follows_series(t, part)) {
		*ret = t->met;
		return 0;
	}
	char buf[DEC_BUF];
	struct sv price = SV_NULL;
	if (k->has_usd_gpu_hour)
		price = sv_of(dec_format(buf, k->usd_gpu_hour));
	str_clear(&t->key);
	for (size_t p = 0; p < npart; p++) {
		str_addsv(&t->key, part[p]);
		str_addc(&t->key, end_of_part(part[p]));
	}
	str_addsv(&t->key, price);
	uint32_t i = intern_add(&t->keys, str_sv(&t->key)), before = t->met;
	*ret = i;
	if (i < t->id.n) {
		t->next.v[before] = t->met = i;
		return 0;
	}
	int64_t id = 0;
	lite_bind_sv(t->find_series, 1, str_sv(&t->key));
	int r = lite_step(t->db, t->find_series, err);
	if (r > 0)
		id = sqlite3_column_int64(t->find_series, 0);
	sqlite3_reset(t->find_series);
	if (r == 0) {
		lite_bind_sv(t->add_series, 1, str_sv(&t->key));
		for (size_t p = 0; p < npart; p++)
			lite_bind_sv(t->add_series, (int)p + 2, part[p]);
		lite_bind_sv(t->add_series, (int)npart + 2, price);
		r = lite_step(t->db, t->add_series, err);
		id = sqlite3_last_insert_rowid(t->db);
		sqlite3_reset(t->add_series);
	}
	if (r < 0)
		return r;
	*vec_push(&t->id) = id;
	*vec_push(&t->last) = NULL;
	*vec_push(&t->next) = i;
	t->next.v[before] = t->met = i;
	return 0;
}

/* ---- writing chunks ---------------------------------------------------------------------- */

/* The encoded column of the block *hash is of. */
static int put_chunk(struct telemetry *t, int64_t block, int column, const struct chunk_sums *sum,
		     uint64_t *hash, struct err *err)
{
	sqlite3_stmt *st = t->add_chunk;
	sqlite3_bind_int64(st, 1, block * TELE_COLUMNS + column);
	sqlite3_bind_int64(st, 2, sum->n);
	if (column != TELE_TIME && column != TELE_STEP) {
		sqlite3_bind_double(st, 3, sum->min);
		sqlite3_bind_double(st, 4, sum->max);
		sqlite3_bind_double(st, 5, sum->sum);
	}
	sqlite3_bind_blob(st, 6, t->blob.p, (int)t->blob.n, SQLITE_STATIC);
	*hash = telemetry_chunk_hash(*hash, column, t->blob.p, t->blob.n);
	int r = lite_step(t->db, st, err);
	sqlite3_reset(st);
	sqlite3_clear_bindings(st);
	return r;
}

static int write_builder(struct telemetry *t, struct builder *b, struct err *err)
{
	int64_t id = t->next_block++;
	uint64_t hash = 0;
	struct columns *c = &b->rows;
	t->overruled += columns_put_in_order(c);
	struct chunk_sums rows = { .n = (int64_t)c->n };
	str_clear(&t->blob);
	chunk_encode_i64(t->codec, c->t_ms, c->n, &t->blob);
	int r = put_chunk(t, id, TELE_TIME, &rows, &hash, err);
	for (int m = 0; r == 0 && m < METRIC_N; m++) {
		if (!c->v[m])
			continue;
		struct chunk_sums sum = chunk_sums(c->v[m], c->n);
		str_clear(&t->blob);
		chunk_encode(t->codec, c->v[m], c->n, &t->blob);
		r = put_chunk(t, id, TELE_METRIC + m, &sum, &hash, err);
	}
	str_clear(&t->blob);
	chunk_encode_i64(t->codec, c->step_ms, c->n, &t->blob);
	if (r == 0)
		r = put_chunk(t, id, TELE_STEP, &rows, &hash, err);
	if (r)
		return r;
	int64_t to_ms = INT64_MIN;
	for (size_t i = 0; i < c->n; i++)
		if (c->t_ms[i] + c->step_ms[i] > to_ms)
			to_ms = c->t_ms[i] + c->step_ms[i];
	const struct block_row row = { .id = id,
				       .series = t->id.v[b->key],
				       .base_ms = b->from_ms,
				       .src = b->src,
				       .from_ms = c->t_ms[0],
				       .to_ms = to_ms,
				       .n = (int64_t)c->n,
				       .hash = (int64_t)hash,
				       .span_ms = b->span_ms };
	const int64_t cell[] = { row.id,    row.series, row.base_ms, row.src,    row.from_ms,
				 row.to_ms, row.n,      row.hash,    row.span_ms };
	for (size_t i = 0; i < sizeof cell / sizeof *cell; i++)
		sqlite3_bind_int64(t->add_block, (int)i + 1, cell[i]);
	r = lite_step(t->db, t->add_block, err);
	sqlite3_reset(t->add_block);
	if (r)
		return r;
	return telemetry_note_block(t, &row, b->key, err);
}

static int by_key_and_time(const void *a, const void *b)
{
	const struct builder *x = *(struct builder *const *)a, *y = *(struct builder *const *)b;
	if (x->key != y->key)
		return cmp_size(x->key, y->key);
	return cmp_i64(x->from_ms, y->from_ms);
}

/* Write the builders last touched at or before `until`; the others stay. */
static int write_builders(struct telemetry *t, uint64_t until, struct err *err)
{
	size_t keep = 0;
	int r = 0;
	if (t->builder.n)
		sort_items(t->builder.v, t->builder.n, sizeof *t->builder.v, by_key_and_time);
	for (size_t i = 0; i < t->builder.n; i++) {
		struct builder *b = t->builder.v[i];
		if (r || b->touched > until) {
			t->builder.v[keep++] = b;
			continue;
		}
		r = write_builder(t, b, err);
		builder_free(b);
	}
	t->builder.n = keep;
	t->bytes = 0;
	for (size_t i = 0; i < t->last.n; i++)
		t->last.v[i] = NULL;
	for (size_t i = 0; i < keep; i++)
		t->bytes += sizeof *t->builder.v[i] + t->builder.v[i]->rows.bytes;
	builders_rehash(t);
	return r;
}

int store_add_sample(struct store *s, int file, const struct sample_key *k, const struct sample *v,
		     struct err *err)
{
	struct telemetry *t;
	size_t key = 0;
	if (!s->in_tx)
		return store_not_in_tx(err);
	assert(v->step_ms > 0);
	int r = telemetry_get(s, &t, err);
	if (r == 0)
		r = begin_write(s, t, err);
	if (r == 0)
		r = series_of(t, k, &key, err);
	if (r)
		return r;
	struct builder *b = builder_of(t, key, v->t_ms, v->step_ms, src_of(s->batch, file));
	builder_add(t, b, v);
	if (b->rows.n == CHUNK_ROWS_MAX)
		return write_builders(t, b->touched, err);
	if (t->bytes > MEMORY_MAX) { /* write the half that has waited longest */
		uint64_t *touched = xmalloc(t->builder.n * sizeof *touched);
		for (size_t i = 0; i < t->builder.n; i++)
			touched[i] = t->builder.v[i]->touched;
		sort_items(touched, t->builder.n, sizeof *touched, rising_u64);
		uint64_t until = touched[t->builder.n / 2];
		free(touched);
		return write_builders(t, until, err);
	}
	return 0;
}

int telemetry_settle(struct store *s, struct err *err)
{
	struct telemetry *t = s->telemetry;
	if (t && t->in_tx)
		return write_builders(t, UINT64_MAX, err);
	return 0;
}

int store_samples_overruled(struct store *s, size_t *ret, struct err *err)
{
	int r = telemetry_settle(s, err);

	*ret = 0;
	if (r == 0 && s->telemetry)
		*ret = s->telemetry->overruled;
	return r;
}

int telemetry_commit(struct store *s, struct err *err)
{
	struct telemetry *t = s->telemetry;
	if (!t || !t->in_tx)
		return 0;
	int r = write_builders(t, UINT64_MAX, err);
	if (r == 0) {
		/* Who reads readings keeps the file as it is until the command ends. */
		r = -EBUSY;
		for (int i = 0; i < COMMIT_TRIES && r == -EBUSY; i++)
			r = lite_exec(t->db, "COMMIT", err);
	}
	if (r == 0) {
		t->in_tx = false;
		vec_clear(&t->mine); /* the facts have it */
		builders_drop(t);
	}
	return r;
}

void telemetry_rollback(struct store *s)
{
	struct telemetry *t = s->telemetry;
	struct err ignored;
	if (!t)
		return;
	builders_drop(t);
	if (t->in_tx && !sqlite3_get_autocommit(t->db))
		lite_exec(t->db, "ROLLBACK", &ignored);
	else
		sweep_telemetry(s, t, &ignored); /* the chunks were committed, the batch was not */
	vec_clear(&t->mine);
	t->verified = t->in_tx = false;
}
