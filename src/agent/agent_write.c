#include "agent/agent_write.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "agent/recover.h"
#include "agent/settle.h"
#include "base/tm.h"

/* flushes that wait for a writer whose disk does not answer: an hour at 5 s each; of more the raw
 * readings are not kept */
#define BEHIND_MAX  720
#define PENDING_MAX 8192 /* flushes that wait for room on the disk: at 5 s each, eleven hours */

struct job {
	struct tally_out out;
	int64_t now_ms;
	struct job *next;
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
	struct raw raw;         /* since the last block */
	int64_t raw_quarantine; /* its time is not known yet, 0 = it is */
	bool open_held;         /* of `open` */
	uint64_t seq;
	int64_t hour_ms;
	struct chunk_codec *codec;
	struct str scratch, open;
	bool failing;         /* and reported so */
	int64_t lost_from_ms; /* what was seen since and is in no file at the end; 0: nothing */
};

/* ---- writing ----------------------------------------------------------------------------- */

static int put_all(struct agent_write *w, const struct tally_out *o, struct err *err)
{
	struct settled settled = { 0 };
	int r = agentdb_begin(w->db, err);
	agentdb_hold_back(w->db, o->held);
	if (r >= 0 && o->begins)
		r = agentdb_put_quarantine(w->db, o->begins, err);
	for (size_t i = 0; r >= 0 && i < o->device.n; i++)
		r = agentdb_put_device(w->db, &o->device.v[i], err);
	for (size_t i = 0; r >= 0 && i < o->owner.n; i++)
		r = agentdb_put_owner(w->db, &o->owner.v[i], err);
	for (size_t i = 0; r >= 0 && i < o->hold.n; i++)
		r = agentdb_put_hold(w->db, &o->hold.v[i], err);
	for (size_t i = 0; r >= 0 && i < o->event.n; i++)
		r = agentdb_put_event(w->db, &o->event.v[i], err);
	for (size_t i = 0; r >= 0 && i < o->minute.n; i++)
		r = agentdb_put_minute(w->db, &o->minute.v[i], err);
	for (size_t i = 0; r >= 0 && i < o->watched.n; i++)
		r = agentdb_put_watched(w->db, &o->watched.v[i], err);
	if (r >= 0 && o->watched.n)
		r = agentdb_put_open(w->db, str_sv(&o->open), err);
	if (r >= 0 && o->settle)
		r = settle_held(w->db, o->shift_ms, o->first_id, &settled, err);
	if (r >= 0 && o->clock.n)
		r = agentdb_set(w->db, "clock", str_z(&o->clock), err);
	agentdb_hold_back(w->db, false);
	if (r >= 0)
		r = agentdb_commit(w->db, err);
	else
		agentdb_rollback(w->db);
	if (r >= 0)
		settle_say_damage(&settled);
	return r;
}

static void count_error(struct agent_write *w, const struct err *err)
{
	pthread_mutex_lock(&w->lock);
	w->stats.errors++;
	snprintf(w->stats.last_error, sizeof w->stats.last_error, "%.255s", err->msg);
	pthread_mutex_unlock(&w->lock);
}

static void bump_counter(struct agent_write *w, int64_t *counter, int64_t by)
{
	pthread_mutex_lock(&w->lock);
	*counter += by;
	pthread_mutex_unlock(&w->lock);
}

/* Once more after room was made; false: it did not help. */
static bool make_room(struct agent_write *w, int r, struct err *err)
{
	struct err why = { 0 };
	bool full = r == -ENOSPC || r == -EFBIG || r == -EDQUOT;
	count_error(w, err);
	if (!full || agentdb_make_room(w->db, &why) <= 0)
		return false;
	bump_counter(w, &w->stats.raw_drops, 1);
	return true;
}

/* What decides of the rows before and after it. */
static bool is_of_clock(const struct tally_out *o)
{
	return o->begins || o->settle;
}

static int write_rows(struct agent_write *w, const struct tally_out *o)
{
	struct err err = { 0 };
	int r = 0;
	bool rows = o->device.n || o->owner.n || o->hold.n;
	rows |= o->event.n || o->minute.n || is_of_clock(o);
	if (rows || (o->minute_closed && o->watched.n))
		r = put_all(w, o, &err);
	for (int i = 0; r < 0 && i < 4 && make_room(w, r, &err); i++)
		r = put_all(w, o, &err);
	return r;
}

static void mark_commits(struct agent_write *w)
{
	struct err ignored;
	struct agentdb_commits commits;
	if (agentdb_commits(w->db, &commits, &ignored) >= 0)
		ahead_mark(w->ahead, &commits);
}

static int append_ahead(struct agent_write *w, enum ahead_type type, struct sv payload)
{
	struct err err = { 0 };
	mark_commits(w);
	int r = ahead_append(w->ahead, type, w->seq, payload, &err);
	if (r < 0 && make_room(w, r, &err))
		r = ahead_append(w->ahead, type, w->seq, payload, &err);
	return r;
}

static void flush_block(struct agent_write *w)
{
	struct err err = { 0 };
	int r = raw_put_blocks(&w->raw, w->db, w->seq, w->raw_quarantine, &err);
	if (r < 0 && make_room(w, r, &err))
		r = raw_put_blocks(&w->raw, w->db, w->seq, w->raw_quarantine, &err);
	if (r < 0)
		count_error(w, &err);
	int64_t rows = raw_clear(&w->raw);
	bump_counter(w, &w->stats.raw_rows_lost, r < 0 ? rows : 0);
	bump_counter(w, &w->stats.blocks, 1);
	/* The open minute is what the file must still tell. */
	mark_commits(w);
	if (ahead_restart(w->ahead, w->open_held ? AHEAD_MINUTE_HELD : AHEAD_MINUTE, w->seq,
			  str_sv(&w->open), &err) < 0)
		count_error(w, &err);
}

static void write_raw(struct agent_write *w, const struct tally_out *o)
{
	if (o->quarantine != w->raw_quarantine && raw_rows(&w->raw))
		flush_block(w);
	w->raw_quarantine = o->quarantine;
	if (o->raw.n) {
		w->seq++;
		raw_pack(w->codec, o->raw.v, o->raw.n, &w->scratch);
		if (append_ahead(w, o->held ? AHEAD_RAW_HELD : AHEAD_RAW, str_sv(&w->scratch)) < 0)
			bump_counter(w, &w->stats.raw_rows_lost, (int64_t)o->raw.n);
		else
			for (size_t i = 0; i < o->raw.n; i++)
				raw_add(&w->raw, o->raw.v[i].dev, o->raw.v[i].t_ms,
					o->raw.v[i].value);
	}
	str_clear(&w->open);
	str_addsv(&w->open, str_sv(&o->open));
	w->open_held = o->held;
	w->seq++;
	append_ahead(w, o->held ? AHEAD_MINUTE_HELD : AHEAD_MINUTE, str_sv(&w->open));
	if (raw_rows(&w->raw) >= WRITE_BLOCK_ROWS)
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
	int64_t from_ms = INT64_MIN;
	int r = agentdb_settle_raw(w->db, &err);
	if (r >= 0)
		r = agentdb_keep_from(w->db, keep.raw_keep_ms, &from_ms, &err);
	if (r >= 0)
		r = agentdb_drop_raw(w->db, from_ms, &err);
	if (r >= 0)
		r = agentdb_merge_hours(w->db, hour, &err);
	if (r >= 0)
		r = agentdb_keep_from(w->db, keep.roll_keep_ms, &from_ms, &err);
	if (r >= 0)
		r = agentdb_begin(w->db, &err);
	if (r >= 0)
		r = agentdb_forget_before(w->db, from_ms, &err);
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

/* Those that could not be written wait in line; the raw readings of theirs are in the write-ahead
 * or lost already. */
struct line {
	struct job *first, *last;
	size_t n;
};

static void wait_in_line(struct line *l, struct job *j)
{
	j->next = NULL;
	vec_free(&j->out.raw);
	if (l->n >= PENDING_MAX && !is_of_clock(&j->out)) {
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

static void drain_line(struct agent_write *w, struct line *l)
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

static void *run_writer(void *arg)
{
	struct agent_write *w = arg;
	struct line line = { 0 };
	struct write_stats before;
	struct job *j;
	while ((j = next_job(w))) {
		write_stats_of(w, &before);
		if (line.n && j->out.minute_closed)
			drain_line(w, &line);
		bool written = !line.n && write_rows(w, &j->out) >= 0;
		write_raw(w, &j->out);
		if (j->out.settle && written) {
			/* Where it cannot now, it is done with the hour. */
			struct err err = { 0 };
			if (agentdb_settle_raw(w->db, &err) < 0)
				count_error(w, &err);
		}
		if (!j->out.held) /* nobody knows which hour it is */
			each_hour(w, j->now_ms);
		size_t nwait = line.n + !written;
		pthread_mutex_lock(&w->lock);
		w->stats.flushes++;
		w->stats.minutes += (int64_t)j->out.minute.n;
		w->stats.pending = (int64_t)nwait;
		pthread_mutex_unlock(&w->lock);
		if (written)
			job_free(j);
		else
			wait_in_line(&line, j);

		/* Said once, and once when it is over: a full disk is nothing that only /metrics
		 * should know. */
		int64_t errors_before = before.errors;
		size_t waiting = line.n;
		struct write_stats now;

		write_stats_of(w, &now);
		bool failed = now.errors > errors_before;
		if (failed && !w->failing)
			fprintf(stderr,
				"tare agent: cannot keep what was seen: %s; the oldest readings make room, minutes wait in memory until it can\n",
				now.last_error);
		else if (!failed && !waiting && w->failing)
			fprintf(stderr,
				"tare agent: what is seen is kept again (%lld readings were not)\n",
				(long long)now.raw_rows_lost);
		w->failing = failed || waiting;
	}
	drain_line(w, &line);
	if (line.first)
		w->lost_from_ms = line.first->now_ms;
	while (line.first) {
		j = line.first;
		line.first = j->next;
		job_free(j);
	}
	return NULL;
}

/* ---- door -------------------------------------------------------------------------------- */

int write_start(struct agentdb *db, const struct write_opt *opt, struct agent_write **ret,
		struct err *err)
{
	struct agent_write *w = xcalloc(1, sizeof *w);
	w->db = db;
	w->opt = *opt;
	w->codec = chunk_codec_new();
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	struct recovered before;
	int r = recover_raw(w->db, w->codec, &before, err);
	w->raw = before.raw;
	w->seq = before.seq;
	w->ahead = before.ahead;
	/* readings that were held back are of the last quarantine the database knew of */
	if (r >= 0 && before.held)
		r = agentdb_last_id(w->db, "quarantine", &w->raw_quarantine, err);
	if (r >= 0 && (r = -pthread_create(&w->thread, NULL, run_writer, w)) < 0)
		err_set(err, r, "cannot start the writer: %s", strerror(-r));
	if (r < 0) {
		ahead_close(w->ahead);
		raw_free(&w->raw);
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
	*o = (struct tally_out){ 0 };
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

int write_stop(struct agent_write *w, struct err *err)
{
	char at[TM_BUF];
	int r = 0;

	if (!w)
		return 0;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	if (w->lost_from_ms) {
		r = err_set(err, -EIO, "what was seen since %s is not kept: %s",
			    tm_format(at, w->lost_from_ms), w->stats.last_error);
		err_hint(err, "Free some room there before the agent is started again");
	}
	ahead_close(w->ahead);
	raw_free(&w->raw);
	chunk_codec_free(w->codec);
	str_free(&w->scratch);
	str_free(&w->open);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->wake);
	free(w);
	return r;
}

void write_stats_of(struct agent_write *w, struct write_stats *ret)
{
	pthread_mutex_lock(&w->lock);
	*ret = w->stats;
	pthread_mutex_unlock(&w->lock);
}
