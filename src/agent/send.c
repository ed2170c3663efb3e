#include "agent/send.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "agent/wire.h"
#include "base/pack.h"
#include "base/str.h"
#include "base/thread.h"
#include "base/tm.h"
#include "net/http.h"

#define BATCH_MINUTES      2000 /* roll-ups of a batch at most: some 2 MB of JSON, 100 KB packed */
#define REFUSED_IN_ROW     3    /* so many batches are quarantined quickly, */
#define REFUSED_TRIES_LONG 120  /* then each is tried for an hour: 30 s apart */

struct sender {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop, work;
	char *dir;
	struct agent_conf conf; /* server, token_file, ca_file, send_every_ms; texts are own */
	struct send_stat stat;
};

/* ---- one batch --------------------------------------------------------------------------- */

static int last_minute(void *ctx, const struct agentdb_minute *m, struct err *err)
{
	*(int64_t *)ctx = m->id;
	return 0;
}

/* What goes next; 0: nothing new. The batch under way, if there is one, is the one that goes. */
static int next_range(struct agentdb *db, struct send_state *s, struct err *err)
{
	if (s->under_way_batch)
		return 1;
	s->under_way_minute = s->minute;
	struct agentdb_window next = AGENTDB_ALL;
	next.after = s->minute;
	next.max = s->minutes_max ? s->minutes_max : BATCH_MINUTES;
	int r = agentdb_each_minute(db, &next, last_minute, &s->under_way_minute, err);
	if (r >= 0)
		r = agentdb_last_id(db, "event", &s->under_way_event, err);
	if (r >= 0)
		r = agentdb_last_id(db, "rev", &s->under_way_rev, err);
	if (r < 0 || (s->under_way_minute == s->minute && s->under_way_event <= s->event)) {
		if (r < 0)
			return r;
		return 0;
	}
	s->under_way_batch = s->batch + 1;
	return 1;
}

static char *read_token(const char *path, struct arena *a, struct err *err)
{
	char buf[8192];
	FILE *f = fopen(path, "re");
	if (!f) {
		err_set(err, -errno, "cannot read the token file '%s': %s", path, strerror(errno));
		return NULL;
	}
	size_t n = fread(buf, 1, sizeof buf, f);
	fclose(f);
	struct sv t = sv_trim((struct sv){ buf, n });
	return arena_strn(a, t.p, t.n);
}

struct answer {
	int status;
	int64_t retry_ms;
};

static int post_batch(const struct agent_conf *c, const struct str *body, const char *key,
		      struct answer *ret, struct err *err)
{
	struct http *h = NULL;
	struct http_res res = { 0 };
	struct arena mem = { 0 };
	struct http_opt opt = { .ca_file = c->ca_file };
	size_t n = strlen(c->server);
	const char *header[] = { "Content-Encoding: zstd",
				 arena_printf(&mem, "Idempotency-Key: %s", key) };
	struct http_req q = { .method = "POST",
			      .url = arena_printf(&mem, "%s%sv1/agent", c->server,
						  text_if(!(n && c->server[n - 1] == '/'), "/")),
			      .header = header,
			      .nheader = 2,
			      .body = str_sv(body),
			      .content_type = "application/x-ndjson",
			      .connect_timeout_ms = 5000,
			      .timeout_ms = 30000,
			      .body_max = 65536 };
	int r = 0;
	if (c->token_file && !(q.bearer = read_token(c->token_file, &mem, err)))
		r = -EACCES;
	if (r == 0)
		r = http_new(&opt, &h, err);
	if (r == 0)
		r = http_do(h, &q, &res, err);
	if (r == 0) {
		*ret = (struct answer){ res.status, res.retry_after_ms };
		if (res.status < 200 || res.status > 299)
			r = http_status_err(q.url, &res, err);
	}
	http_res_free(&res);
	http_free(h);
	arena_free(&mem);
	return r;
}

/* The range under way is over, taken or not: the next one begins behind it. */
static void pass_range(struct send_state *s)
{
	s->batch = s->under_way_batch;
	s->minute = s->under_way_minute;
	s->event = s->under_way_event;
	s->rev = s->under_way_rev;
	s->under_way_batch = s->under_way_minute = s->under_way_event = s->under_way_rev =
		s->tries = 0;
}

/* After a batch that was cut the next ones are allowed to grow again. */
static void mark_taken(struct send_state *s)
{
	pass_range(s);
	s->refused_in_row = 0;
	if (s->minutes_max && s->minutes_max * 2 < BATCH_MINUTES)
		s->minutes_max = s->minutes_max * 2;
	else
		s->minutes_max = 0;
}

/*
 * Half of the batch under way, under a number of its own: what was sent as one number stays the
 * same for ever. Minutes are cut first, as there are the most of them; the allocations that changed
 * come with the first part, where they are not what is too large. False: it is one row.
 */
static bool cut_batch(struct send_state *s)
{
	int64_t minutes = s->under_way_minute - s->minute, events = s->under_way_event - s->event,
		revs = s->under_way_rev - s->rev;
	if (minutes > 1) {
		s->under_way_minute = s->minute + minutes / 2;
		s->minutes_max = minutes / 2;
		s->under_way_event = s->event;
	} else if (events > 1) {
		s->under_way_event = s->event + events / 2;
	} else if (revs > 1) {
		s->under_way_rev = s->rev + revs / 2;
	} else {
		return false;
	}
	s->under_way_batch++;
	s->cut++;
	s->tries = 0;
	return true;
}

/* What follows from a no; r: the code of the error, which is what it comes to where nothing
 * follows. */
static int handle_refusal(const char *dir, const struct send_refusal *no, struct send_state *s,
			  int r, struct err *err)
{
	/* Statuses that say nothing of the batch: who sends, where to, and when. */
	int status = no->status;
	static const int passing[] = { 401, 403, 404, 405, 407, 408, 421, 425, 426, 429 };
	for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
		if (status == passing[i])
			return r;
	if (status < 400 || status > 499)
		return r;

	if (status == 413 && cut_batch(s))
		return SEND_SMALLER;
	if (++s->tries <
	    (s->refused_in_row < REFUSED_IN_ROW ? SEND_REFUSED_TRIES : REFUSED_TRIES_LONG))
		return r;
	char why[400];
	snprintf(why, sizeof why, "%.399s", err->msg);
	struct send_refusal told = *no;
	told.why = why;
	r = send_set_aside(dir, s, &told, err);
	if (r < 0)
		return r; /* it waits rather than being lost */
	err_set(err, 0,
		"the server refused batch %" PRId64
		" (%s): it is kept in '%s/refused', and the next ones go on",
		s->under_way_batch, why, dir);
	s->refused++;
	s->refused_in_row++;
	s->refused_status = status;
	pass_range(s);
	return SEND_SET_ASIDE;
}

/* A try that changed nothing costs no fsync. */
static int save_changed(const char *dir, const struct send_state *was, const struct send_state *s,
			struct err *err)
{
	if (memcmp(was, s, sizeof *s) == 0)
		return 0;
	return send_state_save(dir, s, err);
}

struct sending {
	struct agentdb *db;
	const char *dir;
	const struct agent_conf *conf;
	struct send_state kept; /* as it is in the file */
};

static int send_range(const struct sending *w, struct send_state *s, int64_t *ret_retry_ms,
		      struct err *err)
{
	struct str json = { 0 }, packed = { 0 };
	struct arena mem = { 0 };
	struct answer answer = { 0, -1 };
	struct err save_err;
	const char *key = arena_printf(&mem, "%s/%" PRId64, agentdb_get(w->db, "agent_id", &mem),
				       s->under_way_batch);
	struct wire_range range = { .batch = s->under_way_batch,
				    .minute_after = s->minute,
				    .minute_to = s->under_way_minute,
				    .event_after = s->event,
				    .event_to = s->under_way_event,
				    .rev_after = s->rev,
				    .rev_to = s->under_way_rev,
				    .since_ms = INT64_MIN,
				    .until_ms = INT64_MAX };
	/* Which batch is under way is known before it goes: after a kill in between it goes again
	 * under the same key. */
	int r = save_changed(w->dir, &w->kept, s, err);
	struct send_state before = *s;
	if (r >= 0)
		r = wire_write(w->db, &range, &json, NULL, NULL, err);
	if (r >= 0)
		r = pack_zstd(str_sv(&json), &packed, err);
	str_free(&json);
	if (r >= 0) {
		r = post_batch(w->conf, &packed, key, &answer, err);
		*ret_retry_ms = answer.retry_ms;
		struct send_refusal no = { key, str_sv(&packed), answer.status, NULL };
		if (r < 0)
			r = handle_refusal(w->dir, &no, s, r, err);
		else {
			mark_taken(s);
			r = SEND_YES;
		}
		if (save_changed(w->dir, &before, s, &save_err) < 0 && r >= 0) {
			*err = save_err;
			r = -EIO;
		}
	}
	str_free(&packed);
	arena_free(&mem);
	return r;
}

int send_once(const char *dir, const struct agent_conf *c, int64_t *ret_retry_ms, struct err *err)
{
	struct sending w = { .dir = dir, .conf = c };
	struct send_state s;
	*ret_retry_ms = -1;
	if (!c->server || !*c->server)
		return SEND_NOTHING;
	int r = send_state_load(dir, &w.kept, err);
	if (r >= 0)
		r = agentdb_open(dir, false, &w.db, err);
	if (r < 0)
		return r;
	s = w.kept;
	r = next_range(w.db, &s, err);
	if (r > 0)
		r = send_range(&w, &s, ret_retry_ms, err);
	agentdb_close(w.db);
	return r;
}

/* ---- the thread -------------------------------------------------------------------------- */

static void copy_conf(struct agent_conf *to, const struct agent_conf *from)
{
	agent_conf_free(to);
	*to = (struct agent_conf){ .send_every_ms = from->send_every_ms };
	to->server = from->server ? arena_sv(&to->mem, sv_of(from->server)) : NULL;
	to->token_file = from->token_file ? arena_sv(&to->mem, sv_of(from->token_file)) : NULL;
	to->ca_file = from->ca_file ? arena_sv(&to->mem, sv_of(from->ca_file)) : NULL;
}

static void *run_sender(void *arg)
{
	struct sender *s = arg;
	pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		struct agent_conf c = { 0 };
		struct err err = { 0 }, ignored;
		struct send_state st;
		int64_t retry_ms = -1;
		copy_conf(&c, &s->conf);
		pthread_mutex_unlock(&s->lock);
		int r = send_once(s->dir, &c, &retry_ms, &err);
		bool server = c.server != NULL, known = send_state_load(s->dir, &st, &ignored) == 0;
		agent_conf_free(&c);
		int64_t failing = s->stat.failing; /* only this thread writes there */
		if (r == SEND_SET_ASIDE)
			fprintf(stderr, "tare agent: %s\n", err.msg);
		else if (r < 0 && failing == 0)
			fprintf(stderr,
				"tare agent: the server does not take what was seen (it waits here): %s\n",
				err.msg);
		else if (r == SEND_YES && failing > 0)
			fprintf(stderr, "tare agent: the server takes it again\n");
		pthread_mutex_lock(&s->lock);
		s->stat.failing = r < 0 ? s->stat.failing + 1 : 0;
		if (known) {
			s->stat.batches = send_state_accepted(&st);
			s->stat.refused = st.refused;
		}
		if (r > 0)
			continue; /* there may be more */
		int64_t pause_ms = MS_HOUR;
		if (r < 0)
			pause_ms = http_backoff_ms((int)s->stat.failing - 1, retry_ms);
		else if (server)
			pause_ms = s->conf.send_every_ms;
		/* after a failure new work is no reason to try sooner */
		int64_t until = tm_awake_ms() + pause_ms;
		struct timespec t = { until / 1000, until % 1000 * 1000000 };
		while (!s->stop && !(r >= 0 && s->work))
			if (pthread_cond_timedwait(&s->wake, &s->lock, &t) == ETIMEDOUT)
				break;
		s->work = false;
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

struct send_stat sender_stat(struct sender *s)
{
	if (!s)
		return (struct send_stat){ 0 };
	pthread_mutex_lock(&s->lock);
	struct send_stat st = s->stat;
	pthread_mutex_unlock(&s->lock);
	return st;
}

int sender_start(const char *dir, const struct agent_conf *conf, struct sender **ret,
		 struct err *err)
{
	struct sender *s = xcalloc(1, sizeof *s);
	s->dir = xstrdup(dir);
	copy_conf(&s->conf, conf);
	pthread_mutex_init(&s->lock, NULL);
	thread_cond_init(&s->wake);
	int code = thread_start(&s->thread, 0, run_sender, s);
	if (code) {
		agent_conf_free(&s->conf);
		free(s->dir);
		free(s);
		return err_set(err, -code, "cannot start the sender: %s", strerror(code));
	}
	*ret = s;
	return 0;
}

void sender_set(struct sender *s, const struct agent_conf *conf)
{
	pthread_mutex_lock(&s->lock);
	copy_conf(&s->conf, conf);
	s->work = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
}

void sender_stop(struct sender *s)
{
	struct timespec until;
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 5;
	if (pthread_timedjoin_np(s->thread, NULL, &until)) {
		pthread_detach(s->thread); /* the program ends; the batch goes again next time */
		return;
	}
	agent_conf_free(&s->conf);
	free(s->dir);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->wake);
	free(s);
}
