/* Samples out: series, and the merged samples of several series in order of time. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "store/columns.h"
#include "base/sort.h"
#include "store/telemetry.h"

/* " AND b.src ..." for blocks in force. */
static int telemetry_in_force(struct store *s, struct str *sql, struct err *err)
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
		str_addf(sql, "%s%lld", text_if(i, ","), (long long)out[i]);
	str_addz(sql, ")");
	return 0;
}

/* ---- series ------------------------------------------------------------------------------ */

static int by_place(const void *a, const void *b)
{
	const struct series *x = a, *y = b;
	const struct sv *const p[] = { &x->key.node, &x->key.gpu, &x->key.mig, &x->key.job_id };
	const struct sv *const q[] = { &y->key.node, &y->key.gpu, &y->key.mig, &y->key.job_id };

	for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
		int d = sv_cmp(*p[i], *q[i]);
		if (d)
			return d;
	}
	return cmp_i64(x->id, y->id);
}

/* Series without a node get that of the record that names their GPU; those of `node` are kept. */
static int find_nodes(struct store *s, const char *node, struct arena *a, struct series *v,
		      size_t *io_n, struct err *err)
{
	size_t n = 0;
	bool any = false;

	for (size_t i = 0; i < *io_n; i++) {
		struct sv of = SV_NULL;
		int r = 0;
		if (!v[i].key.node.n && v[i].key.gpu.n)
			r = store_node_of_gpu(s, v[i].key.gpu, &of, err);
		if (r)
			return r;
		if (of.n) {
			v[i].key.node = sv_of(arena_sv(a, of));
			v[i].by_uuid = any = true;
		}
		if (!node || sv_is(v[i].key.node, node))
			v[n++] = v[i];
	}
	if (any)
		sort_items(v, n, sizeof *v, by_place);
	*io_n = n;
	return 0;
}

static int has_series(struct telemetry *t, bool *ret, struct err *err)
{
	sqlite3_stmt *st;
	int r = lite_prepare(t->db, "SELECT 1 FROM series LIMIT 1", &st, err);

	if (r)
		return r;
	r = lite_step(t->db, st, err);
	*ret = r > 0;
	sqlite3_finalize(st);
	return min_int(r, 0);
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
	bool any = false;
	if (t) /* a store of jobs alone is asked for the readings of each machine */
		r = has_series(t, &any, err);
	if (!any)
		t = NULL;
	struct str own = { 0 };
	if (t && node && *node)
		r = store_gpus_of_node(s, sv_of(node), &own, err);
	if (t && r == 0) {
		str_addz(
			&sql,
			"SELECT s.id, node, gpu, mig, job_id, gpu_model, cluster, user_name, team, project, env, workload, currency, "
			"usd_gpu_hour, min(b.from_ms), max(b.to_ms) FROM series s CROSS JOIN block b ON b.series = s.id WHERE (?1 IS NULL OR coalesce(node, '') = ?1");
		if (own.n) /* readings that name its GPUs by their uuid alone are the node's */
			str_addf(&sql, " OR (coalesce(node, '') = '' AND gpu IN (%s))",
				 str_z(&own) + 1);
		str_addc(&sql, ')');
		r = telemetry_in_force(s, &sql, err);
		str_addz(&sql, " GROUP BY s.id ORDER BY node, gpu, mig, job_id, s.id");
		if (r == 0)
			r = lite_prepare(t->db, sql.p, &st, err);
		if (r == 0)
			lite_bind_sv(st, 1, sv_of(node));
		while (r == 0 && (r = lite_step(t->db, st, err)) > 0) {
			struct series *x = vec_push(&out);
			*x = (struct series){ .id = sqlite3_column_int64(st, 0) };
			struct sample_key *k = &x->key;
			struct sv *const part[] = { &k->node,   &k->gpu,       &k->mig,
						    &k->job_id, &k->gpu_model, &k->cluster,
						    &k->user,   &k->team,      &k->project,
						    &k->env,    &k->workload,  &k->currency };
			int c = 1;
			for (size_t i = 0; i < sizeof part / sizeof *part; i++)
				*part[i] = lite_text(st, c++, a);
			struct sv price = lite_text(st, c++, a);
			k->has_usd_gpu_hour = price.p && dec_parse(price, 0, &k->usd_gpu_hour) == 0;
			x->from_ms = sqlite3_column_int64(st, c++);
			x->to_ms = sqlite3_column_int64(st, c);
			k->mig = sv_cut(k->mig, TELE_PROFILE, &k->mig_profile);
			r = 0;
		}
	}
	sqlite3_finalize(st);
	str_free(&sql);
	str_free(&own);
	if (r == 0)
		r = find_nodes(s, node, a, out.v, &out.n, err);
	if (r == 0) {
		*ret = arena_copy(a, out.v, out.n, sizeof *out.v);
		*ret_n = out.n;
	}
	vec_free(&out);
	return r;
}

int telemetry_spans(struct store *s, struct srcs of, struct arena *a, struct scope_spans *io,
		    struct err *err)
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
	for (size_t i = 0; i < io->n; i++)
		*vec_push(&out) = io->v[i];
	str_addz(
		&sql,
		"SELECT CASE WHEN coalesce(node, '') <> '' THEN " NODE_SCOPE(
			"node") " ELSE 'gpu:' || gpu END AS sc, min(b.from_ms), max(b.to_ms) FROM series s CROSS JOIN block b ON "
				"b.series = s.id WHERE b.src IN (");
	for (size_t i = 0; i < of.n; i++)
		str_addf(&sql, "%s%lld", text_if(i, ","), (long long)of.v[i]);
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
		io->v = arena_copy(a, out.v, out.n, sizeof *out.v);
		io->n = out.n;
	}
	vec_free(&out);
	return r;
}

/* ---- the cursor -------------------------------------------------------------------------- */

struct block {
	int64_t id, base_ms, end_ms, n, src; /* base and end of its span */
	uint64_t hash;                       /* of its chunks */
	size_t series;
};

/* A series: blocks whose spans meet are read together, and not before their time has come. */
struct lane {
	size_t block, end; /* those to come */
	struct columns rows;
	size_t next; /* rows.n: those of the next blocks */
};

struct sample_cursor {
	struct store *s;
	struct telemetry *t;
	int64_t from_ms, to_ms;
	size_t n;
	bool hashed;             /* older stores are not */
	VEC(struct block) block; /* by series, base, age */
	struct lane *lane;       /* [n] */
	VEC(size_t) heap;        /* lanes that are not at their end, the earliest first */
	sqlite3_stmt *chunks;
};

static int by_series_and_base(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	if (x->series != y->series)
		return cmp_size(x->series, y->series);
	if (x->base_ms != y->base_ms)
		return cmp_i64(x->base_ms, y->base_ms);
	return cmp_i64(x->id, y->id);
}

static int by_age(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	return cmp_i64(x->id, y->id); /* ids grow with the imports */
}

static int list_blocks(struct sample_cursor *c, const struct series *series, struct err *err)
{
	struct str sql = { 0 };
	sqlite3_stmt *st = NULL;
	str_addf(&sql, "SELECT b.id, b.hour, %s, b.n, b.src, ",
		 c->t->has_spans ? "b.span" : "3600000");
	str_addz(&sql, c->hashed ? "b.hash" : "0");
	str_addz(&sql, " FROM block b WHERE b.series = ?1 AND b.from_ms < ?2 AND b.to_ms > ?3");
	int r = telemetry_in_force(c->s, &sql, err);
	if (r == 0)
		r = lite_prepare(c->t->db, sql.p, &st, err);
	for (size_t i = 0; r == 0 && i < c->n; i++) {
		sqlite3_bind_int64(st, 1, series[i].id);
		sqlite3_bind_int64(st, 2, c->to_ms);
		sqlite3_bind_int64(st, 3, c->from_ms);
		while ((r = lite_step(c->t->db, st, err)) > 0) {
			int64_t base_ms = sqlite3_column_int64(st, 1);
			*vec_push(&c->block) =
				(struct block){ .id = sqlite3_column_int64(st, 0),
						.base_ms = base_ms,
						.end_ms = base_ms + sqlite3_column_int64(st, 2),
						.n = sqlite3_column_int64(st, 3),
						.src = sqlite3_column_int64(st, 4),
						.hash = (uint64_t)sqlite3_column_int64(st, 5),
						.series = i };
		}
		sqlite3_reset(st);
	}
	sqlite3_finalize(st);
	str_free(&sql);
	if (c->block.n)
		sort_items(c->block.v, c->block.n, sizeof *c->block.v, by_series_and_base);
	return r;
}

static int64_t lane_time(const struct sample_cursor *c, const struct lane *l)
{
	if (l->next < l->rows.n)
		return l->rows.t_ms[l->next];
	return c->block.v[l->block].base_ms;
}

static bool is_before(const struct sample_cursor *c, size_t a, size_t b)
{
	int64_t x = lane_time(c, &c->lane[a]), y = lane_time(c, &c->lane[b]);
	if (x != y)
		return x < y;
	return a < b;
}

static void sink_heap(struct sample_cursor *c, size_t i)
{
	for (;;) {
		size_t least = i, l = 2 * i + 1, r = l + 1;
		if (l < c->heap.n && is_before(c, c->heap.v[l], c->heap.v[least]))
			least = l;
		if (r < c->heap.n && is_before(c, c->heap.v[r], c->heap.v[least]))
			least = r;
		if (least == i)
			return;
		size_t swap = c->heap.v[i];
		c->heap.v[i] = c->heap.v[least];
		c->heap.v[least] = swap;
		i = least;
	}
}

int store_samples(struct store *s, const struct series *series, size_t n, struct span window,
		  struct sample_cursor **ret, struct err *err)
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
				     .from_ms = window.from_ms,
				     .to_ms = window.to_ms,
				     .n = t ? n : 0,
				     .hashed = facts_know_readings(s->facts) };
	c->lane = xcalloc(c->n + 1, sizeof *c->lane);
	if (t)
		r = list_blocks(c, series, err);
	if (r == 0 && t)
		r = lite_prepare(t->db, TELE_CHUNKS, &c->chunks, err);
	if (r) {
		sample_cursor_close(c);
		return r;
	}
	for (size_t k = 0; k < c->block.n; k++) {
		struct lane *l = &c->lane[c->block.v[k].series];
		if (!l->end) {
			l->block = k;
			*vec_push(&c->heap) = c->block.v[k].series;
		}
		l->end = k + 1;
	}
	for (size_t i = c->heap.n / 2; i-- > 0;)
		sink_heap(c, i);
	*ret = c;
	return 0;
}

void sample_cursor_close(struct sample_cursor *c)
{
	if (!c)
		return;
	sqlite3_finalize(c->chunks);
	for (size_t i = 0; i < c->n; i++)
		columns_free(&c->lane[i].rows);
	free(c->lane);
	vec_free(&c->block);
	vec_free(&c->heap);
	free(c);
}

/* Append the rows of a block. */
static int load_block(struct sample_cursor *c, const struct block *b, struct columns *rows,
		      struct err *err)
{
	struct chunk_codec *codec = c->t->codec;
	size_t n = (size_t)b->n, at = rows->n;
	int64_t src = b->src;
	uint64_t hash = 0;
	if (b->n < 1 || n > CHUNK_ROWS_MAX)
		return telemetry_damaged(c->s, (struct srcs){ &src, 1 }, err);
	/* Room for n rows behind those of rows, without a value. */
	columns_reserve(rows, rows->n + n);
	for (int m = 0; m < METRIC_N; m++)
		for (size_t i = rows->n; rows->v[m] && i < rows->cap; i++)
			rows->v[m][i] = NAN;
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
		if (column == TELE_TIME)
			r = chunk_decode_i64(codec, p, size, n, rows->t_ms + at, err);
		else if (column == TELE_STEP)
			r = chunk_decode_i64(codec, p, size, n, rows->step_ms + at, err);
		else
			r = chunk_decode(codec, p, size, n,
					 columns_metric(rows, column - TELE_METRIC) + at, err);
		if (r)
			break;
		seen += column == TELE_TIME || column == TELE_STEP;
	}
	sqlite3_reset(c->chunks);
	if (r == -EBADMSG || (r == 0 && (seen != 2 || (c->hashed && hash != b->hash))))
		r = telemetry_damaged(c->s, (struct srcs){ &src, 1 }, err);
	if (r)
		return r;
	rows->disorder |= at && rows->t_ms[at] <= rows->t_ms[at - 1];
	rows->n += n;
	return 0;
}

/* Blocks of several imports, and of other spans: of one instant the newest import's readings where
 * it has them. */
static int load_next_blocks(struct sample_cursor *c, struct lane *l, struct err *err)
{
	struct block *b = c->block.v + l->block;
	size_t n = 1, most = l->end - l->block;
	int64_t end_ms = b->end_ms;
	for (; n < most && b[n].base_ms < end_ms; n++)
		end_ms = max_i64(b[n].end_ms, end_ms);
	sort_items(b, n, sizeof *b, by_age);
	l->block += n;
	l->next = 0;
	columns_free(&l->rows);
	for (size_t i = 0; i < n; i++) {
		int r = load_block(c, &b[i], &l->rows, err);
		if (r)
			return r;
	}
	(void)columns_put_in_order(&l->rows); /* of several files: a correction */
	while (l->rows.n && l->rows.t_ms[l->rows.n - 1] >= c->to_ms)
		l->rows.n--;
	return 0;
}

/* The lane at the top of the heap has another time now. */
static void settle_top(struct sample_cursor *c)
{
	struct lane *l = &c->lane[c->heap.v[0]];
	/* To the next row that reaches into the window, or the end of those at hand. */
	const struct columns *x = &l->rows;
	while (l->next < x->n && x->t_ms[l->next] + x->step_ms[l->next] <= c->from_ms)
		l->next++;
	if (l->next == l->rows.n && l->block == l->end) {
		columns_free(&l->rows);
		l->next = 0;
		c->heap.v[0] = c->heap.v[--c->heap.n];
	}
	if (c->heap.n > 1)
		sink_heap(c, 0);
}

int sample_cursor_next(struct sample_cursor *c, size_t *ret_series, struct sample *ret,
		       struct err *err)
{
	while (c->heap.n) {
		size_t i = c->heap.v[0];
		struct lane *l = &c->lane[i];
		if (l->next < l->rows.n) {
			*ret_series = i;
			*ret = columns_row(&l->rows, l->next++);
			settle_top(c);
			return 1;
		}
		int r = load_next_blocks(c, l, err);
		if (r)
			return r;
		settle_top(c);
	}
	return 0;
}
