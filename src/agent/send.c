#include "agent/send.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "agent/wire.h"
#include "base/pack.h"
#include "net/http.h"

#define BATCH_MINUTES 2000 /* roll-ups of a batch at most: some 2 MB of JSON, 100 KB packed */

struct sender {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop, work;
	char *dir;
	struct agent_conf conf; /* server, token_file, ca_file, send_every_ms; texts are own */
};

/* ---- what has been sent ----------------------------------------------------------------------------------------------------------------- */

int send_state_load(const char *dir, struct send_state *s, struct err *err)
{
	char path[4200], line[512] = "";
	*s = (struct send_state){ 0 };
	snprintf(path, sizeof path, "%s/sent", dir);
	FILE *f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? 0 : err_set(err, -errno, "cannot read '%s': %s", path, strerror(errno));
	bool ok = fgets(line, sizeof line, f) &&
		  sscanf(line, "tare.sent/1 %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, &s->batch, &s->minute,
			 &s->event, &s->rev, &s->under_way_batch, &s->under_way_minute, &s->under_way_event, &s->under_way_rev) == 8;
	fclose(f);
	if (!ok) {
		err_set(err, -EBADMSG, "'%s' is damaged", path);
		err_hint(err, "Remove it to send everything again: a server knows what it has");
		return -EBADMSG;
	}
	return 0;
}

static int save_state(const char *dir, const struct send_state *s, struct err *err)
{
	char path[4200], next[4300], line[512];
	snprintf(path, sizeof path, "%s/sent", dir);
	snprintf(next, sizeof next, "%s.new", path);
	int n = snprintf(line, sizeof line,
			 "tare.sent/1 %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", s->batch, s->minute,
			 s->event, s->rev, s->under_way_batch, s->under_way_minute, s->under_way_event, s->under_way_rev);
	int fd = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	bool ok = fd >= 0 && write(fd, line, (size_t)n) == n && fsync(fd) == 0;
	int code = errno ? errno : EIO;
	if (fd >= 0)
		close(fd);
	if (ok && rename(next, path) == 0)
		return 0;
	return err_set(err, -code, "cannot write '%s': %s", next, strerror(code));
}

/* ---- one batch ---------------------------------------------------------------------------------------------------------------------------- */

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
	int r = agentdb_each_minute(db, s->minute, INT64_MIN, INT64_MAX, BATCH_MINUTES, last_minute, &s->under_way_minute, err);
	if (r >= 0)
		r = agentdb_last_id(db, "event", &s->under_way_event, err);
	if (r >= 0)
		r = agentdb_last_id(db, "rev", &s->under_way_rev, err);
	if (r < 0 || (s->under_way_minute == s->minute && s->under_way_event <= s->event))
		return r < 0 ? r : 0;
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

static int post(const struct agent_conf *c, const struct str *body, const char *key, int64_t *ret_retry_ms, struct err *err)
{
	struct http *h = NULL;
	struct http_res res = { 0 };
	struct arena mem = { 0 };
	struct http_opt opt = { .ca_file = c->ca_file };
	size_t n = strlen(c->server);
	const char *header[] = { "Content-Encoding: zstd", arena_printf(&mem, "Idempotency-Key: %s", key) };
	struct http_req q = { .method = "POST", .url = arena_printf(&mem, "%s%sv1/agent", c->server, n && c->server[n - 1] == '/' ? "" : "/"), .header = header,
			      .nheader = 2, .body = str_sv(body), .content_type = "application/x-ndjson", .connect_timeout_ms = 5000, .timeout_ms = 30000,
			      .body_max = 65536 };
	int r = 0;
	if (c->token_file && !(q.bearer = read_token(c->token_file, &mem, err)))
		r = -EACCES;
	if (r == 0)
		r = http_new(&opt, &h, err);
	if (r == 0)
		r = http_do(h, &q, &res, err);
	if (r == 0) {
		*ret_retry_ms = res.retry_after_ms;
		if (res.status < 200 || res.status > 299)
			r = http_status_err(q.url, &res, err);
	}
	http_res_free(&res);
	http_free(h);
	arena_free(&mem);
	return r;
}

static int send_range(struct agentdb *db, const char *dir, const struct agent_conf *c, struct send_state *s, int64_t *ret_retry_ms, struct err *err)
{
	struct str json = { 0 }, packed = { 0 };
	struct arena mem = { 0 };
	struct wire_range range = { .batch = s->under_way_batch, .minute_after = s->minute, .minute_to = s->under_way_minute, .event_after = s->event,
				    .event_to = s->under_way_event, .rev_after = s->rev, .rev_to = s->under_way_rev, .since_ms = INT64_MIN,
				    .until_ms = INT64_MAX };
	/* Which batch is under way is known before it goes: after a kill in between it goes again under the same key. */
	int r = save_state(dir, s, err);
	if (r >= 0)
		r = wire_write(db, &range, &json, NULL, NULL, NULL, err);
	if (r >= 0)
		r = pack_zstd(str_sv(&json), &packed, err);
	str_free(&json);
	if (r >= 0)
		r = post(c, &packed, arena_printf(&mem, "%s/%lld", agentdb_get(db, "agent_id", &mem), (long long)s->under_way_batch), ret_retry_ms, err);
	if (r >= 0) {
		*s = (struct send_state){ .batch = s->under_way_batch, .minute = s->under_way_minute, .event = s->under_way_event, .rev = s->under_way_rev };
		r = save_state(dir, s, err);
	}
	str_free(&packed);
	arena_free(&mem);
	return r < 0 ? r : 1;
}

int send_once(const char *dir, const struct agent_conf *c, int64_t *ret_retry_ms, struct err *err)
{
	struct agentdb *db;
	struct send_state s;
	*ret_retry_ms = -1;
	if (!c->server || !*c->server)
		return 0;
	int r = send_state_load(dir, &s, err);
	if (r >= 0)
		r = agentdb_open(dir, false, &db, err);
	if (r < 0)
		return r;
	r = next_range(db, &s, err);
	if (r > 0)
		r = send_range(db, dir, c, &s, ret_retry_ms, err);
	agentdb_close(db);
	return r;
}

/* ---- the thread ------------------------------------------------------------------------------------------------------------------------------ */

static void copy_conf(struct agent_conf *to, const struct agent_conf *from)
{
	agent_conf_free(to);
	*to = (struct agent_conf){ .send_every_ms = from->send_every_ms };
	to->server = from->server ? arena_sv(&to->mem, sv_of(from->server)) : NULL;
	to->token_file = from->token_file ? arena_sv(&to->mem, sv_of(from->token_file)) : NULL;
	to->ca_file = from->ca_file ? arena_sv(&to->mem, sv_of(from->ca_file)) : NULL;
}

/* Wait for work, at most ms. False: end. */
static bool wait_ms(struct sender *s, int64_t ms, bool for_work)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	while (!s->stop && !(for_work && s->work))
		if (pthread_cond_timedwait(&s->wake, &s->lock, &until) == ETIMEDOUT)
			break;
	s->work = false;
	return !s->stop;
}

static void *run(void *arg)
{
	struct sender *s = arg;
	int attempt = 0;
	pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		struct agent_conf c = { 0 };
		struct err err = { 0 };
		int64_t retry_ms = -1;
		copy_conf(&c, &s->conf);
		pthread_mutex_unlock(&s->lock);
		int r = send_once(s->dir, &c, &retry_ms, &err);
		bool server = c.server != NULL;
		agent_conf_free(&c);
		if (r < 0 && attempt == 0)
			fprintf(stderr, "tare agent: the server does not take what was seen (it waits here): %s\n", err.msg);
		if (r >= 0 && attempt > 0)
			fprintf(stderr, "tare agent: the server takes it again\n");
		attempt = r < 0 ? attempt + 1 : 0;
		pthread_mutex_lock(&s->lock);
		if (r > 0)
			continue; /* there may be more */
		wait_ms(s, r < 0 ? http_backoff_ms(attempt - 1, retry_ms) : server ? s->conf.send_every_ms : 3600000, r >= 0);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int sender_start(const char *dir, const struct agent_conf *conf, struct sender **ret, struct err *err)
{
	pthread_condattr_t attr;
	struct sender *s = xcalloc(1, sizeof *s);
	s->dir = xstrdup(dir);
	copy_conf(&s->conf, conf);
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &attr);
	pthread_condattr_destroy(&attr);
	int code = pthread_create(&s->thread, NULL, run, s);
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
