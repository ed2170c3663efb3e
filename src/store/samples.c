/* Samples out: series, and the merged samples of several series in order of time. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/tm.h"
#include "store/telemetry.h"

int telemetry_in_force(struct store *s, struct str *sql, struct err *err)
{
	const int64_t *out;
	size_t n;
	int r = facts_reversed(s->facts, &out, &n, err);
	if (r == 0)
		r = store_last_batch(s, err);
	if (r)
		return r;
	str_addf(sql, " AND b.src < %lld",
		 (long long)src_of((s->in_tx ? s->batch : s->last_batch) + 1, 0));
	if (!n)
		return 0;
	str_addz(sql, " AND b.src NOT IN (");
	for (size_t i = 0; i < n; i++)
		str_addf(sql, "%s%lld", i ? "," : "", (long long)out[i]);
	str_addz(sql, ")");
	return 0;
}

/* ---- series ------------------------------------------------------------------------------ */

static struct series read_series(sqlite3_stmt *st, struct arena *a)
{
	struct series x = { .id = sqlite3_column_int64(st, 0) };
	struct sv *const part[] = { &x.key.node,   &x.key.gpu,       &x.key.mig,
				    &x.key.job_id, &x.key.gpu_model, &x.key.cluster,
				    &x.key.user,   &x.key.team,      &x.key.project,
				    &x.key.env,    &x.key.workload,  &x.key.currency };
	int c = 1;
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		*part[i] = lite_text(st, c++, a);
	struct sv price = lite_text(st, c++, a);
	x.key.has_usd_gpu_hour = price.p && dec_parse(price, 0, &x.key.usd_gpu_hour) == 0;
	x.from_ms = sqlite3_column_int64(st, c++);
	x.to_ms = sqlite3_column_int64(st, c);
	return x;
}

int store_series(struct store *s, const char *node, struct arena *a, struct series **ret,
		 size_t *ret_n, struct err *err)
{
	struct telemetry *t;
	struct str sql = { 0 };
	sqlite3_stmt *st = NULL;
	VEC(struct series) out = { 0 };
	int r = telemetry_get(s, &t, err);
	if (r == 0)
		r = telemetry_settle(s, err);
	if (r == 0)
		r = telemetry_verify(s, err);
	if (r)
		return r;
	if (t) {
		str_addz(
			&sql,
			"SELECT s.id, node, gpu, mig, job_id, gpu_model, cluster, user_name, team, project, env, workload, currency, "
			"usd_gpu_hour, min(b.from_ms), max(b.to_ms) FROM series s CROSS JOIN block b ON b.series = s.id WHERE (?1 IS NULL OR coalesce(node, '') = ?1)");
		r = telemetry_in_force(s, &sql, err);
		str_addz(&sql, " GROUP BY s.id ORDER BY node, gpu, mig, job_id, s.id");
		if (r == 0)
			r = lite_prepare(t->db, sql.p, &st, err);
		if (r == 0)
			lite_bind_sv(st, 1, sv_of(node));
		while (r == 0 && (r = lite_step(t->db, st, err)) > 0) {
			*vec_push(&out) = read_series(st, a);
			r = 0;
		}
	}
	sqlite3_finalize(st);
	str_free(&sql);
	if (r == 0) {
		*ret = arena_copy(a, out.v, out.n, sizeof *out.v);
		*ret_n = out.n;
	}
	vec_free(&out);
	return r;
}

int telemetry_spans(struct store *s, const int64_t *src, size_t n, struct arena *a,
		    struct scope_span **io, size_t *io_n, struct err *err)
{
	struct telemetry *t;
	struct str sql = { 0 };
	sqlite3_stmt *st = NULL;
	VEC(struct scope_span) out = { 0 };
	int r = telemetry_get(s, &t, err);
	if (r == 0)
		r = telemetry_verify(s, err);
	if (r || !t)
		return r;
	for (size_t i = 0; i < *io_n; i++)
		*vec_push(&out) = (*io)[i];
	str_addz(
		&sql,
		"SELECT CASE WHEN coalesce(node, '') <> '' THEN " NODE_SCOPE(
			"node") " ELSE 'gpu:' || gpu END AS sc, min(b.from_ms), max(b.to_ms) FROM series s CROSS JOIN block b ON "
				"b.series = s.id WHERE b.src IN (");
	for (size_t i = 0; i < n; i++)
		str_addf(&sql, "%s%lld", i ? "," : "", (long long)src[i]);
	str_addz(&sql, ") GROUP BY sc ORDER BY sc");
	r = lite_prepare(t->db, sql.p, &st, err);
	while (r == 0 && (r = lite_step(t->db, st, err)) > 0) {
		*vec_push(&out) = (struct scope_span){ lite_text(st, 0, a).p,
						       sqlite3_column_int64(st, 1),
						       sqlite3_column_int64(st, 2) };
		r = 0;
	}
	sqlite3_finalize(st);
	str_free(&sql);
	if (r == 0) {
		*io = arena_copy(a, out.v, out.n, sizeof *out.v);
		*io_n = out.n;
	}
	vec_free(&out);
	return r;
}

/* ---- the cursor -------------------------------------------------------------------------- */

struct block {
	int64_t id, hour_ms, n, src;
	uint64_t hash; /* of its chunks */
	size_t series;
};

struct lane { /* the rows of a series in the hour at hand */
	VEC(struct sample) row;
	size_t next;
};

struct sample_cursor {
	struct store *s;
	struct telemetry *t;
	int64_t from_ms, to_ms;
	size_t n;
	bool hashed;             /* older stores are not */
	VEC(struct block) block; /* by hour, series, age */
	size_t next_block;
	struct lane *lane; /* [n] */
	VEC(size_t) heap;  /* lanes with rows left, the earliest first */
	sqlite3_stmt *chunks;
	double *value;   /* [CHUNK_ROWS_MAX] */
	int64_t *number; /* [CHUNK_ROWS_MAX] */
};

static int cmp_block(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	if (x->hour_ms != y->hour_ms)
		return x->hour_ms < y->hour_ms ? -1 : 1;
	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id; /* ids grow with the imports */
}

static int list_blocks(struct sample_cursor *c, const struct series *series, struct err *err)
{
	struct str sql = { 0 };
	sqlite3_stmt *st = NULL;
	str_addz(&sql, c->hashed ? "SELECT b.id, b.hour, b.n, b.src, b.hash"
				 : "SELECT b.id, b.hour, b.n, b.src, 0");
	str_addz(&sql, " FROM block b WHERE b.series = ?1 AND b.from_ms < ?2 AND b.to_ms > ?3");
	int r = telemetry_in_force(c->s, &sql, err);
	if (r == 0)
		r = lite_prepare(c->t->db, sql.p, &st, err);
	for (size_t i = 0; r == 0 && i < c->n; i++) {
		sqlite3_bind_int64(st, 1, series[i].id);
		sqlite3_bind_int64(st, 2, c->to_ms);
		sqlite3_bind_int64(st, 3, c->from_ms);
		while ((r = lite_step(c->t->db, st, err)) > 0)
			*vec_push(&c->block) =
				(struct block){ .id = sqlite3_column_int64(st, 0),
						.hour_ms = sqlite3_column_int64(st, 1),
						.n = sqlite3_column_int64(st, 2),
						.src = sqlite3_column_int64(st, 3),
						.hash = (uint64_t)sqlite3_column_int64(st, 4),
						.series = i };
		sqlite3_reset(st);
	}
	sqlite3_finalize(st);
	str_free(&sql);
	if (c->block.n)
		qsort(c->block.v, c->block.n, sizeof *c->block.v, cmp_block);
	return r;
}

int store_samples(struct store *s, const struct series *series, size_t n, int64_t from_ms,
		  int64_t to_ms, struct sample_cursor **ret, struct err *err)
{
	struct telemetry *t;
	int r = telemetry_get(s, &t, err);
	if (r == 0)
		r = telemetry_settle(s, err);
	if (r == 0)
		r = telemetry_verify(s, err);
	if (r)
		return r;
	struct sample_cursor *c = xcalloc(1, sizeof *c);
	*c = (struct sample_cursor){ .s = s,
				     .t = t,
				     .from_ms = from_ms,
				     .to_ms = to_ms,
				     .n = t ? n : 0,
				     .hashed = facts_know_readings(s->facts) };
	c->lane = xcalloc(c->n + 1, sizeof *c->lane);
	c->value = xmalloc(CHUNK_ROWS_MAX * sizeof *c->value);
	c->number = xmalloc(CHUNK_ROWS_MAX * sizeof *c->number);
	if (t)
		r = list_blocks(c, series, err);
	if (r == 0 && t)
		r = lite_prepare(t->db, TELE_CHUNKS, &c->chunks, err);
	if (r) {
		sample_cursor_close(c);
		return r;
	}
	*ret = c;
	return 0;
}

void sample_cursor_close(struct sample_cursor *c)
{
	if (!c)
		return;
	sqlite3_finalize(c->chunks);
	for (size_t i = 0; i < c->n; i++)
		vec_free(&c->lane[i].row);
	free(c->lane);
	vec_free(&c->block);
	vec_free(&c->heap);
	free(c->value);
	free(c->number);
	free(c);
}

static int fill_column(struct sample_cursor *c, int column, const void *p, size_t size,
		       struct sample *row, size_t n, struct err *err)
{
	bool number = column == TELE_TIME || column == TELE_STEP;
	int r = number ? chunk_decode_i64(c->t->codec, p, size, n, c->number, err)
		       : chunk_decode(c->t->codec, p, size, n, c->value, err);
	if (r)
		return r;
	for (size_t i = 0; i < n; i++) {
		if (column == TELE_TIME)
			row[i].t_ms = c->number[i];
		else if (column == TELE_STEP)
			row[i].step_ms = (int32_t)c->number[i];
		else
			row[i].value[column - TELE_METRIC] = c->value[i];
	}
	return 0;
}

/* Append the rows of a block to its lane. */
static int load_block(struct sample_cursor *c, const struct block *b, struct err *err)
{
	struct lane *l = &c->lane[b->series];
	size_t n = (size_t)b->n;
	uint64_t hash = 0;
	if (b->n < 0 || n > CHUNK_ROWS_MAX)
		return telemetry_damaged(c->s, &b->src, 1, err);
	vec_grow(&l->row, n);
	struct sample *row = l->row.v + l->row.n;
	for (size_t i = 0; i < n; i++)
		for (int m = 0; m < METRIC_N; m++)
			row[i].value[m] = NAN;
	int r, seen = 0;
	sqlite3_bind_int64(c->chunks, 1, b->id * TELE_COLUMNS);
	while ((r = lite_step(c->t->db, c->chunks, err)) > 0) {
		int column = (int)(sqlite3_column_int64(c->chunks, 0) - b->id * TELE_COLUMNS);
		const void *p = sqlite3_column_blob(c->chunks, 1);
		size_t size = (size_t)sqlite3_column_bytes(c->chunks, 1);
		hash = telemetry_chunk_hash(hash, column, p, size);
		if (column < 0 || column >= TELE_COLUMNS) { /* rows of a page out of order */
			r = -EBADMSG;
			break;
		}
		if (column != TELE_STEP && column > METRIC_N)
			continue; /* a metric this version does not know */
		r = fill_column(c, column, p, size, row, n, err);
		if (r)
			break;
		seen += column == TELE_TIME || column == TELE_STEP;
	}
	sqlite3_reset(c->chunks);
	if (r == -EBADMSG || (r == 0 && (seen != 2 || (c->hashed && hash != b->hash))))
		r = telemetry_damaged(c->s, &b->src, 1, err);
	if (r)
		return r;
	l->row.n += n;
	return 0;
}

struct ref {
	int64_t t_ms;
	size_t i;
};

static int cmp_ref(const void *a, const void *b)
{
	const struct ref *x = a, *y = b;
	if (x->t_ms != y->t_ms)
		return x->t_ms < y->t_ms ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

/* Rows of several imports: by time, and of one instant the newest import's readings where it has
 * them. */
static void merge_lane(struct lane *l)
{
	struct ref *ref = xmalloc(l->row.n * sizeof *ref);
	struct sample *out = xmalloc(l->row.n * sizeof *out);
	size_t n = 0;
	for (size_t i = 0; i < l->row.n; i++)
		ref[i] = (struct ref){ l->row.v[i].t_ms, i };
	qsort(ref, l->row.n, sizeof *ref, cmp_ref);
	for (size_t i = 0; i < l->row.n; i++) {
		const struct sample *x = &l->row.v[ref[i].i];
		if (!n || out[n - 1].t_ms != x->t_ms) {
			out[n++] = *x;
			continue;
		}
		out[n - 1].step_ms = x->step_ms;
		for (int m = 0; m < METRIC_N; m++)
			if (!isnan(x->value[m]))
				out[n - 1].value[m] = x->value[m];
	}
	free(ref);
	free(l->row.v);
	l->row.v = out;
	l->row.cap = l->row.n;
	l->row.n = n;
}

static void clip(const struct sample_cursor *c, struct lane *l)
{
	size_t n = 0;
	for (size_t i = 0; i < l->row.n; i++) {
		const struct sample *x = &l->row.v[i];
		if (x->t_ms < c->to_ms && x->t_ms + x->step_ms > c->from_ms)
			l->row.v[n++] = *x;
	}
	l->row.n = n;
	l->next = 0;
}

static bool before(const struct sample_cursor *c, size_t a, size_t b)
{
	int64_t x = c->lane[a].row.v[c->lane[a].next].t_ms,
		y = c->lane[b].row.v[c->lane[b].next].t_ms;
	return x != y ? x < y : a < b;
}

static void sink(struct sample_cursor *c, size_t i)
{
	for (;;) {
		size_t least = i, l = 2 * i + 1, r = l + 1;
		if (l < c->heap.n && before(c, c->heap.v[l], c->heap.v[least]))
			least = l;
		if (r < c->heap.n && before(c, c->heap.v[r], c->heap.v[least]))
			least = r;
		if (least == i)
			return;
		size_t swap = c->heap.v[i];
		c->heap.v[i] = c->heap.v[least];
		c->heap.v[least] = swap;
		i = least;
	}
}

static int load_hour(struct sample_cursor *c, struct err *err)
{
	int64_t hour = c->block.v[c->next_block].hour_ms;
	for (size_t i = 0; i < c->n; i++)
		vec_clear(&c->lane[i].row);
	vec_clear(&c->heap);
	while (c->next_block < c->block.n && c->block.v[c->next_block].hour_ms == hour) {
		const struct block *b = &c->block.v[c->next_block++];
		bool again = c->lane[b->series].row.n > 0;
		int r = load_block(c, b, err);
		if (r)
			return r;
		if (again)
			merge_lane(&c->lane[b->series]);
	}
	for (size_t i = 0; i < c->n; i++) {
		clip(c, &c->lane[i]);
		if (c->lane[i].row.n)
			*vec_push(&c->heap) = i;
	}
	for (size_t i = c->heap.n / 2; i-- > 0;)
		sink(c, i);
	return 0;
}

int sample_cursor_next(struct sample_cursor *c, size_t *ret_series, struct sample *ret,
		       struct err *err)
{
	while (!c->heap.n) {
		if (c->next_block == c->block.n)
			return 0;
		int r = load_hour(c, err);
		if (r)
			return r;
	}
	size_t i = c->heap.v[0];
	struct lane *l = &c->lane[i];
	*ret_series = i;
	*ret = l->row.v[l->next++];
	if (l->next == l->row.n)
		c->heap.v[0] = c->heap.v[--c->heap.n];
	if (c->heap.n > 1)
		sink(c, 0);
	return 1;
}
