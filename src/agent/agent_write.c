#include "agent/agent_write.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "base/tm.h"
#include "store/chunk.h"

#define BEHIND_MAX 720   /* flushes that wait for a writer whose disk does not answer: an hour at 5 s each; of more the raw readings are not kept */
#define PENDING_MAX 8192 /* flushes that wait for room on the disk: at 5 s each, eleven hours */

struct job {
	struct tally_out out;
	int64_t now_ms;
	struct job *next;
};
struct column_buf { /* raw readings of a device since the last block */
	int64_t dev;
	size_t n, cap;
	int64_t *t_ms;
	double *value[METRIC_N];
};
struct agent_write {
	struct agentdb *db;
	struct ahead *ahead;
	struct write_opt opt;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct job *first, *last;
	size_t njob;
	bool stop;
	struct write_stats stats;
	/* the thread's own */
	VEC(struct column_buf) buf;
	uint64_t seq;
	int64_t hour_ms;
	struct chunk_codec *codec;
	struct str scratch, open;
};

/* ---- raw readings in the write-ahead ------------------------------------------------------------------------------------------------ */

/*
 * A record of raw readings: for each device u32 dev, u32 rows, u32 mask of metrics, u32 size of times, times, u32 size of values, values
 * (metric after metric in one chunk: most neighbours are equal).
 */
static void put_u32(struct str *out, uint32_t v)
{
	str_add(out, (const char *)&v, 4);
}

static void put_chunk(struct chunk_codec *c, struct str *out, const int64_t *t, const double *v, size_t n)
{
	size_t at = out->n;
	put_u32(out, 0);
	if (t)
		chunk_encode_i64(c, t, n, out);
	else
		chunk_encode(c, v, n, out);
	uint32_t size = (uint32_t)(out->n - at - 4);
	memcpy(out->p + at, &size, 4);
}

static void pack_device(struct chunk_codec *c, const struct tally_row *row, size_t n, int64_t dev, struct str *out)
{
	int64_t *t = xmalloc((n + 1) * sizeof *t);
	double *v = xmalloc((n + 1) * METRIC_N * sizeof *v);
	uint32_t rows = 0, mask = 0;
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		if (row[i].dev != dev)
			continue;
		t[rows++] = row[i].t_ms;
		for (int m = 0; m < METRIC_N; m++)
			mask |= isnan(row[i].value[m]) ? 0 : 1U << m;
	}
	for (int m = 0; m < METRIC_N; m++)
		for (size_t i = 0; (mask >> m & 1) && i < n; i++)
			if (row[i].dev == dev)
				v[k++] = row[i].value[m];
	put_u32(out, (uint32_t)dev);
	put_u32(out, rows);
	put_u32(out, mask);
	put_chunk(c, out, t, NULL, rows);
	put_chunk(c, out, NULL, v, k);
	free(t);
	free(v);
}

static void pack_raw(struct chunk_codec *c, const struct tally_row *row, size_t n, struct str *out)
{
	str_clear(out);
	for (size_t i = 0; i < n; i++) {
		bool before = false;
		for (size_t k = 0; k < i && !before; k++)
			before = row[k].dev == row[i].dev;
		if (!before)
			pack_device(c, row, n, row[i].dev, out);
	}
}

static struct column_buf *buf_of(struct agent_write *w, int64_t dev)
{
	for (size_t i = 0; i < w->buf.n; i++)
		if (w->buf.v[i].dev == dev)
			return &w->buf.v[i];
	struct column_buf *b = vec_push(&w->buf);
	*b = (struct column_buf){ .dev = dev };
	return b;
}

static void buf_room(struct column_buf *b)
{
	if (b->n < b->cap)
		return;
	b->cap = b->cap ? b->cap * 2 : 128;
	b->t_ms = xrealloc(b->t_ms, b->cap * sizeof *b->t_ms);
	for (int m = 0; m < METRIC_N; m++)
		if (b->value[m])
			b->value[m] = xrealloc(b->value[m], b->cap * sizeof **b->value);
}

static void buf_add(struct column_buf *b, int64_t t_ms, const double value[METRIC_N])
{
	buf_room(b);
	for (int m = 0; m < METRIC_N; m++) {
		if (!b->value[m] && !isnan(value[m])) {
			b->value[m] = xmalloc(b->cap * sizeof **b->value);
			for (size_t i = 0; i < b->n; i++)
				b->value[m][i] = NAN;
		}
		if (b->value[m])
			b->value[m][b->n] = value[m];
	}
	b->t_ms[b->n++] = t_ms;
}

static void bufs_free(struct agent_write *w)
{
	for (size_t i = 0; i < w->buf.n; i++) {
		free(w->buf.v[i].t_ms);
		for (int m = 0; m < METRIC_N; m++)
			free(w->buf.v[i].value[m]);
	}
	vec_free(&w->buf);
}

/* ---- recovery --------------------------------------------------------------------------------------------------------------------- */

static int get_chunk(struct sv *in, struct sv *ret)
{
	uint32_t n;
	if (in->n < 4)
		return -EBADMSG;
	memcpy(&n, in->p, 4);
	if (in->n - 4 < n)
		return -EBADMSG;
	*ret = (struct sv){ in->p + 4, n };
	in->p += 4 + n;
	in->n -= 4 + (size_t)n;
	return 0;
}

static int unpack_device(struct agent_write *w, struct sv *in, struct err *err)
{
	uint32_t head[3];
	struct sv t, v;
	if (in->n < sizeof head)
		return -EBADMSG;
	memcpy(head, in->p, sizeof head);
	in->p += sizeof head;
	in->n -= sizeof head;
	size_t rows = head[1], nm = (size_t)__builtin_popcount(head[2]);
	if (rows > CHUNK_ROWS_MAX || rows * nm > CHUNK_ROWS_MAX || get_chunk(in, &t) < 0 || get_chunk(in, &v) < 0 || head[2] >> METRIC_N)
		return -EBADMSG;
	int64_t *time = xmalloc((rows + 1) * sizeof *time);
	double *value = xmalloc((rows * nm + 1) * sizeof *value), one[METRIC_N];
	int r = chunk_decode_i64(w->codec, t.p, t.n, rows, time, err);
	if (r >= 0)
		r = chunk_decode(w->codec, v.p, v.n, rows * nm, value, err);
	for (size_t i = 0; r >= 0 && i < rows; i++) {
		for (int m = 0, k = 0; m < METRIC_N; m++)
			one[m] = head[2] >> m & 1 ? value[(size_t)k++ * rows + i] : NAN;
		buf_add(buf_of(w, head[0]), time[i], one);
	}
	free(time);
	free(value);
	return r;
}

struct recovery {
	struct agent_write w;
	int64_t raw_seq;
	struct str minute;
};

static int recover_record(void *ctx, enum ahead_type type, uint64_t seq, struct sv payload, struct err *err)
{
	struct recovery *r = ctx;
	if (type == AHEAD_MINUTE) {
		str_clear(&r->minute);
		str_addsv(&r->minute, payload);
	} else if (type == AHEAD_RAW && (int64_t)seq > r->raw_seq) {
		while (payload.n && unpack_device(&r->w, &payload, err) >= 0)
			;
	}
	return 0;
}

/* The minute that was open: booked as far as it got. */
static int recover_minutes(struct agentdb *db, struct sv open, struct err *err)
{
	struct rollup roll = { 0 };
	struct arena a = { 0 };
	struct agentdb_watched *w = NULL;
	struct agentdb_hold *h = NULL;
	size_t nw = 0, nh = 0;
	int64_t end_ms = 0, rev = 0;
	struct sv one;
	int r = agentdb_begin(db, err);
	while (r >= 0 && open.n && get_chunk(&open, &one) == 0) {
		if (rollup_unpack(one.p, one.n, &roll, err) < 0)
			continue;
		r = agentdb_put_minute(db, &(struct agentdb_minute){ .t_ms = tm_floor(roll.from_ms, MS_MINUTE), .dev = roll.dev, .from_ms = roll.from_ms,
								     .to_ms = roll.to_ms, .roll = one }, err);
		end_ms = roll.to_ms > end_ms ? roll.to_ms : end_ms;
	}
	if (r >= 0)
		r = agentdb_watches(db, &a, &w, &nw, err);
	if (r >= 0)
		r = agentdb_holds(db, 0, &a, &h, &nh, err);
	if (r >= 0)
		r = agentdb_last_id(db, "rev", &rev, err);
	if (r >= 0 && nw && w[nw - 1].to_ms < end_ms) {
		w[nw - 1].to_ms = end_ms;
		r = agentdb_put_watched(db, &w[nw - 1], err);
	}
	for (size_t i = 0; r >= 0 && i < nh; i++)
		if (h[i].open && h[i].to_ms < end_ms) {
			h[i].to_ms = end_ms;
			h[i].rev = ++rev;
			r = agentdb_put_hold(db, &h[i], err);
		}
	if (r >= 0)
		r = agentdb_commit(db, err);
	else
		agentdb_rollback(db);
	rollup_free(&roll);
	arena_free(&a);
	return r;
}

static int put_blocks(struct agent_write *w, uint64_t seq, struct err *err)
{
	VEC(struct agentdb_block) b = { 0 };
	for (size_t i = 0; i < w->buf.n; i++) {
		struct column_buf *c = &w->buf.v[i];
		if (!c->n)
			continue;
		struct agentdb_block *o = vec_push(&b);
		*o = (struct agentdb_block){ .dev = c->dev, .t_ms = c->t_ms, .n = c->n };
		for (int m = 0; m < METRIC_N; m++)
			o->value[m] = c->value[m];
	}
	int r = agentdb_put_blocks(w->db, b.v, b.n, (int64_t)seq, err);
	vec_free(&b);
	return r;
}

static void ahead_path(struct agentdb *db, char path[4200])
{
	snprintf(path, 4200, "%s/ahead", agentdb_dir(db));
}

int write_recover(struct agentdb *db, struct err *err)
{
	struct recovery r = { .w.db = db, .w.codec = chunk_codec_new() };
	struct ahead *a = NULL;
	char path[4200];
	ahead_path(db, path);
	int rc = agentdb_raw_seq(db, &r.raw_seq, err);
	if (rc >= 0)
		rc = ahead_open(path, recover_record, &r, &a, err);
	if (rc >= 0)
		rc = recover_minutes(db, str_sv(&r.minute), err);
	if (rc >= 0) /* raw readings wait in the file for their block as before; the thread reads them in again */
		rc = 0;
	ahead_close(a);
	bufs_free(&r.w);
	chunk_codec_free(r.w.codec);
	str_free(&r.minute);
	return rc;
}

/* ---- writing ------------------------------------------------------------------------------------------------------------------------ */

static int put_all(struct agent_write *w, const struct tally_out *o, struct err *err)
{
	int64_t voided = 0;
	int r = agentdb_begin(w->db, err);
	if (r >= 0 && o->void_after_ms != UNKNOWN_MS)
		r = agentdb_void_after(w->db, o->void_after_ms, &voided, err);
	for (size_t i = 0; r >= 0 && i < o->device.n; i++)
		r = agentdb_put_device(w->db, &o->device.v[i], err);
	for (size_t i = 0; r >= 0 && i < o->holder.n; i++)
		r = agentdb_put_holder(w->db, &o->holder.v[i], err);
	for (size_t i = 0; r >= 0 && i < o->hold.n; i++)
		r = agentdb_put_hold(w->db, &o->hold.v[i], err);
	for (size_t i = 0; r >= 0 && i < o->event.n; i++)
		r = agentdb_put_event(w->db, &o->event.v[i], err);
	for (size_t i = 0; r >= 0 && i < o->minute.n; i++)
		r = agentdb_put_minute(w->db, &o->minute.v[i], err);
	if (r >= 0 && o->watched.id)
		r = agentdb_put_watched(w->db, &o->watched, err);
	if (r >= 0)
		return agentdb_commit(w->db, err);
	agentdb_rollback(w->db);
	return r;
}

static void count_error(struct agent_write *w, const struct err *err)
{
	pthread_mutex_lock(&w->lock);
	w->stats.errors++;
	snprintf(w->stats.last_error, sizeof w->stats.last_error, "%.255s", err->msg);
	pthread_mutex_unlock(&w->lock);
}

static void bump(struct agent_write *w, int64_t *counter, int64_t by)
{
	pthread_mutex_lock(&w->lock);
	*counter += by;
	pthread_mutex_unlock(&w->lock);
}

static bool is_full(int r)
{
	return r == -ENOSPC || r == -EFBIG || r == -EDQUOT;
}

/* Once more after room was made; false: it did not help. */
static bool make_room(struct agent_write *w, int r, struct err *err)
{
	struct err why = { 0 };
	count_error(w, err);
	if (!is_full(r) || agentdb_make_room(w->db, &why) <= 0)
		return false;
	bump(w, &w->stats.raw_drops, 1);
	return true;
}

static bool has_rows(const struct tally_out *o)
{
	return o->device.n || o->holder.n || o->hold.n || o->event.n || o->minute.n || (o->minute_closed && o->watched.id) || o->void_after_ms != UNKNOWN_MS;
}

static int write_rows(struct agent_write *w, const struct tally_out *o)
{
	struct err err = { 0 };
	int r = has_rows(o) ? put_all(w, o, &err) : 0;
	for (int i = 0; r < 0 && i < 4 && make_room(w, r, &err); i++)
		r = put_all(w, o, &err);
	return r;
}

static int append(struct agent_write *w, enum ahead_type type, struct sv payload)
{
	struct err err = { 0 };
	int r = ahead_append(w->ahead, type, w->seq, payload, &err);
	if (r < 0 && make_room(w, r, &err))
		r = ahead_append(w->ahead, type, w->seq, payload, &err);
	return r;
}

static void flush_block(struct agent_write *w)
{
	struct err err = { 0 };
	int r = put_blocks(w, w->seq, &err);
	if (r < 0 && make_room(w, r, &err))
		r = put_blocks(w, w->seq, &err);
	if (r < 0)
		count_error(w, &err);
	for (size_t i = 0; i < w->buf.n; i++) {
		bump(w, &w->stats.raw_rows_lost, r < 0 ? (int64_t)w->buf.v[i].n : 0);
		w->buf.v[i].n = 0;
		for (int m = 0; m < METRIC_N; m++) { /* a metric that a card stopped giving shall not stay a column for ever */
			free(w->buf.v[i].value[m]);
			w->buf.v[i].value[m] = NULL;
		}
		w->buf.v[i].cap = 0;
		free(w->buf.v[i].t_ms);
		w->buf.v[i].t_ms = NULL;
	}
	bump(w, &w->stats.blocks, 1);
	/* The open minute is what the file must still tell. */
	if (ahead_restart(w->ahead, AHEAD_MINUTE, w->seq, str_sv(&w->open), &err) < 0)
		count_error(w, &err);
}

static void write_raw(struct agent_write *w, const struct tally_out *o)
{
	size_t most = 0;
	if (o->raw.n) {
		w->seq++;
		pack_raw(w->codec, o->raw.v, o->raw.n, &w->scratch);
		if (append(w, AHEAD_RAW, str_sv(&w->scratch)) < 0)
			bump(w, &w->stats.raw_rows_lost, (int64_t)o->raw.n);
		else
			for (size_t i = 0; i < o->raw.n; i++)
				buf_add(buf_of(w, o->raw.v[i].dev), o->raw.v[i].t_ms, o->raw.v[i].value);
	}
	str_clear(&w->open);
	str_addsv(&w->open, str_sv(&o->open));
	w->seq++;
	append(w, AHEAD_MINUTE, str_sv(&w->open));
	for (size_t i = 0; i < w->buf.n; i++)
		most = w->buf.v[i].n > most ? w->buf.v[i].n : most;
	if (most >= WRITE_BLOCK_ROWS)
		flush_block(w);
}

static void each_hour(struct agent_write *w, int64_t now_ms)
{
	struct err err = { 0 };
	pthread_mutex_lock(&w->lock);
	struct write_opt keep = w->opt;
	pthread_mutex_unlock(&w->lock);
	int64_t hour = tm_floor(now_ms, MS_HOUR);
	if (hour == w->hour_ms)
		return;
	w->hour_ms = hour;
	int r = agentdb_drop_raw(w->db, now_ms - keep.raw_keep_ms, &err);
	if (r >= 0)
		r = agentdb_merge_hours(w->db, hour, &err);
	if (r >= 0)
		r = agentdb_begin(w->db, &err);
	if (r >= 0)
		r = agentdb_forget_before(w->db, now_ms - keep.roll_keep_ms, &err);
	if (r >= 0)
		r = agentdb_commit(w->db, &err);
	else
		agentdb_rollback(w->db);
	if (r < 0)
		count_error(w, &err);
	agentdb_restore_reserve(w->db);
}

static struct job *next_job(struct agent_write *w)
{
	pthread_mutex_lock(&w->lock);
	while (!w->first && !w->stop)
		pthread_cond_wait(&w->wake, &w->lock);
	struct job *j = w->first;
	if (j) {
		w->first = j->next;
		if (!w->first)
			w->last = NULL;
		w->njob--;
	}
	pthread_mutex_unlock(&w->lock);
	return j;
}

static void job_free(struct job *j)
{
	tally_out_free(&j->out);
	free(j);
}

static void done_job(struct agent_write *w, const struct job *j, size_t nwait)
{
	pthread_mutex_lock(&w->lock);
	w->stats.flushes++;
	w->stats.minutes += (int64_t)j->out.minute.n;
	w->stats.pending = (int64_t)nwait;
	pthread_mutex_unlock(&w->lock);
}

/* Those that could not be written wait in line; the raw readings of theirs are in the write-ahead or lost already. */
struct line { struct job *first, *last; size_t n; };

static void wait_in_line(struct line *l, struct job *j)
{
	j->next = NULL;
	vec_free(&j->out.raw);
	str_free(&j->out.open);
	if (l->n >= PENDING_MAX) {
		job_free(j);
		return;
	}
	if (l->last)
		l->last->next = j;
	else
		l->first = j;
	l->last = j;
	l->n++;
}

static void drain(struct agent_write *w, struct line *l)
{
	while (l->first && write_rows(w, &l->first->out) >= 0) {
		struct job *j = l->first;
		l->first = j->next;
		if (!l->first)
			l->last = NULL;
		l->n--;
		job_free(j);
	}
}

static void *run(void *arg)
{
	struct agent_write *w = arg;
	struct line line = { 0 };
	struct job *j;
	while ((j = next_job(w))) {
		if (line.n && j->out.minute_closed)
			drain(w, &line);
		bool written = !line.n && write_rows(w, &j->out) >= 0;
		write_raw(w, &j->out);
		each_hour(w, j->now_ms);
		done_job(w, j, line.n + !written);
		if (written)
			job_free(j);
		else
			wait_in_line(&line, j);
	}
	drain(w, &line);
	while (line.first) {
		j = line.first;
		line.first = j->next;
		job_free(j);
	}
	return NULL;
}

/* ---- door ---------------------------------------------------------------------------------------------------------------------------- */

static int reload_record(void *ctx, enum ahead_type type, uint64_t seq, struct sv payload, struct err *err)
{
	struct recovery *r = ctx;
	r->w.seq = seq > r->w.seq ? seq : r->w.seq;
	return recover_record(ctx, type, seq, payload, err);
}

/* Raw readings that no block has yet are in the file alone: back into the buffers. */
static int reload(struct agent_write *w, struct err *err)
{
	struct recovery r = { .w.codec = w->codec };
	char path[4200];
	ahead_path(w->db, path);
	int rc = agentdb_raw_seq(w->db, &r.raw_seq, err);
	r.w.seq = (uint64_t)r.raw_seq;
	if (rc >= 0)
		rc = ahead_open(path, reload_record, &r, &w->ahead, err);
	w->buf.v = r.w.buf.v;
	w->buf.n = r.w.buf.n;
	w->buf.cap = r.w.buf.cap;
	w->seq = r.w.seq;
	str_free(&r.minute);
	return rc;
}

int write_start(struct agentdb *db, const struct write_opt *opt, struct agent_write **ret, struct err *err)
{
	struct agent_write *w = xcalloc(1, sizeof *w);
	w->db = db;
	w->opt = *opt;
	w->codec = chunk_codec_new();
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	int r = reload(w, err);
	if (r >= 0 && (r = -pthread_create(&w->thread, NULL, run, w)) < 0)
		err_set(err, r, "cannot start the writer: %s", strerror(-r));
	if (r < 0) {
		ahead_close(w->ahead);
		bufs_free(w);
		chunk_codec_free(w->codec);
		free(w);
		return r;
	}
	*ret = w;
	return 0;
}

void write_set(struct agent_write *w, const struct write_opt *opt)
{
	pthread_mutex_lock(&w->lock);
	w->opt = *opt;
	pthread_mutex_unlock(&w->lock);
}

void write_push(struct agent_write *w, struct tally_out *o, int64_t now_ms)
{
	struct job *j = xcalloc(1, sizeof *j);
	j->out = *o;
	j->now_ms = now_ms;
	*o = (struct tally_out){ .void_after_ms = UNKNOWN_MS };
	pthread_mutex_lock(&w->lock);
	if (w->njob >= BEHIND_MAX) {
		w->stats.raw_rows_lost += (int64_t)j->out.raw.n;
		vec_free(&j->out.raw);
	}
	if (w->last)
		w->last->next = j;
	else
		w->first = j;
	w->last = j;
	w->njob++;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

void write_stop(struct agent_write *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	ahead_close(w->ahead);
	bufs_free(w);
	chunk_codec_free(w->codec);
	str_free(&w->scratch);
	str_free(&w->open);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->wake);
	free(w);
}

void write_stats_of(struct agent_write *w, struct write_stats *ret)
{
	pthread_mutex_lock(&w->lock);
	*ret = w->stats;
	pthread_mutex_unlock(&w->lock);
}
