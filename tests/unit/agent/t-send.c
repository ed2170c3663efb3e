/* What a server says of a batch, and what follows: yes, later, too large, refused permanently;
 * nothing is lost, nothing blocks what is behind it. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <cmocka.h>

#include "../loopback.h"
#include "watch/rollup.h"
#include "agent/send.h"
#include "base/tm.h"
#include "store/agentdb.h"

#define T0 INT64_C(1790000040000)
enum { MOST = 64 };

static char dir[64], url[64];
static struct err err;
static struct agent_conf conf;
static struct loopback web;
static struct peer {               /* the server: what it says, what it saw */
	int status;                /* of every batch, 0 = 200 */
	int minutes_max;           /* more are 413 */
	int poison, poison_status; /* a batch with this minute is not taken */
	int tries, taken, minute[MOST], events;
	char key[400][80];
	int nkey, twice;
} peer;

/* ---- the server -------------------------------------------------------------------------- */

static int count_of(const char *text, const char *what)
{
	int n = 0;
	for (const char *p = strstr(text, what); p; p = strstr(p + 1, what))
		n++;
	return n;
}

static bool has_minute(const char *text, int i)
{
	char from[80], t[TM_BUF];
	snprintf(from, sizeof from, "\"from\":\"%s\"", tm_format(t, T0 + i * MS_MINUTE));
	return strstr(text, from) != NULL;
}

static int judge(const char *text)
{
	int minutes = count_of(text, "\"type\":\"minute\"");
	if (peer.status)
		return peer.status;
	if (peer.minutes_max && minutes > peer.minutes_max)
		return 413;
	return peer.poison && has_minute(text, peer.poison) ? peer.poison_status : 200;
}

static void take(const char *head, const char *text)
{
	const char *key = strcasestr(head, "Idempotency-Key: ");
	char *to = peer.key[peer.nkey++ % 400];
	snprintf(to, 80, "%.*s", (int)strcspn(key + 17, "\r\n"), key + 17);
	for (int i = 0; i < peer.nkey - 1; i++)
		peer.twice += !strcmp(peer.key[i], to);
	for (int i = 0; i < MOST; i++)
		peer.minute[i] += has_minute(text, i);
	peer.events += count_of(text, "\"type\":\"event\"");
	peer.taken++;
}

static void serve(void *ctx, const char *head, const char *body, struct answer *ret)
{
	static char text[1 << 20];
	const char *len = strcasestr(head, "Content-Length:");
	size_t n = ZSTD_decompress(text, sizeof text - 1, body,
				   len ? strtoul(len + 15, NULL, 10) : 0);
	peer.tries++;
	text[ZSTD_isError(n) ? 0 : n] = 0;
	ret->status = ZSTD_isError(n) || strncmp(head, "POST /v1/agent ", 15) != 0 ? 500
										   : judge(text);
	ret->body = ret->status == 400 ? SV("no such job") : SV("");
	if (ret->status == 429)
		ret->header = "Retry-After: 7\r\n";
	if (ret->status == 200)
		take(head, text);
}

/* ---- the agent's folder ------------------------------------------------------------------ */

static void put(int from, int to, int events)
{
	static const double none[ROLLUP_KEYS] = { 0 };
	struct agentdb *db;
	struct agentdb_device d = { .id = 1,
				    .uuid = SV("GPU-1"),
				    .name = SV("A100"),
				    .model = SV("A100-SXM4-80GB"),
				    .first_ms = T0,
				    .last_ms = T0 };
	assert_int_equal(agentdb_open(dir, true, &db, &err), 0);
	assert_int_equal(agentdb_begin(db, &err), 0);
	assert_int_equal(agentdb_put_device(db, &d, &err), 0);
	assert_int_equal(agentdb_set(db, "agent_id", "abc", &err), 0);
	assert_int_equal(agentdb_set(db, "node", "n1", &err), 0);
	for (int i = from; i < to; i++) {
		struct rollup r = { .dev = 1,
				    .from_ms = T0 + i * MS_MINUTE,
				    .to_ms = T0 + (i + 1) * MS_MINUTE };
		struct str blob = { 0 };
		struct rollup_use u = { .share_ppb = 1000000000 };
		rollup_use_add(&u, STATE_IDLE_EMPTY, CAUSE_NONE, MS_MINUTE, none);
		*vec_push(&r.use) = u;
		rollup_pack(&r, &blob);
		struct agentdb_minute m = { .t_ms = r.from_ms,
					    .dev = 1,
					    .from_ms = r.from_ms,
					    .to_ms = r.to_ms,
					    .roll = str_sv(&blob) };
		assert_int_equal(agentdb_put_minute(db, &m, &err), 0);
		str_free(&blob);
		rollup_free(&r);
	}
	for (int i = 0; i < events; i++) {
		struct agentdb_event e = { .id = from + i + 1,
					   .t_ms = T0 + i,
					   .kind = SV("settings"),
					   .text = SV("read again") };
		assert_int_equal(agentdb_put_event(db, &e, &err), 0);
	}
	assert_int_equal(agentdb_commit(db, &err), 0);
	agentdb_close(db);
}

static int setup(void **state)
{
	/* many fsync */
	snprintf(dir, sizeof dir, "%s/t-send-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	memset(&peer, 0, sizeof peer);
	web.serve = serve;
	if (!mkdtemp(dir) || loopback_start(&web))
		return -1;
	snprintf(url, sizeof url, "http://127.0.0.1:%d", web.port);
	conf.server = url;
	return 0;
}

static int teardown(void **state)
{
	char cmd[128];
	loopback_stop(&web);
	snprintf(cmd, sizeof cmd, "rm -rf '%s'", dir);
	return system(cmd);
}

static int once(void)
{
	int64_t retry;
	return send_once(dir, &conf, &retry, &err);
}

static struct send_state now(void)
{
	struct send_state s;
	assert_int_equal(send_state_load(dir, &s, &err), 0);
	return s;
}

static bool kept(int64_t number, const char *ending)
{
	char path[200];
	snprintf(path, sizeof path, "%s/refused/%lld.%s", dir, (long long)number, ending);
	return access(path, R_OK) == 0;
}

static void all_there(int from, int to, int without)
{
	for (int i = from; i < to; i++)
		if (peer.minute[i] != (i != without))
			fail_msg("minute %d arrived %d times", i, peer.minute[i]);
}

/* ---- the tests --------------------------------------------------------------------------- */

static void yes(void **state)
{
	put(0, 10, 3);
	assert_int_equal(once(), SEND_YES);
	assert_int_equal(once(), SEND_NOTHING);
	all_there(0, 10, -1);
	assert_int_equal(peer.events, 3);
	assert_string_equal(peer.key[0], "abc/1");
	assert_int_equal(send_state_accepted(&(struct send_state){ .batch = 1 }), 1);
}

/* A batch that is always refused is set aside, with what was said, and those behind it go. */
static void always_refused(void **state)
{
	put(0, 10, 0);
	peer.poison = 4;
	peer.poison_status = 400;
	for (int i = 1; i < SEND_REFUSED_TRIES; i++)
		assert_true(once() < 0);
	assert_int_equal(now().refused, 0);
	assert_int_equal(once(), SEND_SET_ASIDE);
	assert_non_null(strstr(err.msg, "no such job"));
	assert_non_null(strstr(err.msg, "status 400"));
	assert_non_null(strstr(err.msg, "/refused"));
	assert_true(kept(1, "jsonl.zst") && kept(1, "json"));
	put(10, 20, 0);
	assert_int_equal(once(), SEND_YES);
	all_there(10, 20, -1);
	assert_string_equal(peer.key[0], "abc/2");
	struct send_state s = now();
	assert_int_equal(s.refused, 1);
	assert_int_equal(s.refused_in_row, 0);
	assert_int_equal(s.refused_status, 400);
	assert_int_equal(send_state_accepted(&s), 1);
}

/* What is set aside takes so much of the disk and no more: the oldest goes. */
static void set_aside_is_bounded(void **state)
{
	char path[100];
	put(0, 3, 0);
	peer.status = 400;
	snprintf(path, sizeof path, "%s/refused", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/0.jsonl.zst");
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
	assert_int_equal(truncate(path, SEND_REFUSED_BYTES), 0); /* takes no room */
	assert_int_equal(utimensat(AT_FDCWD, path,
				   (struct timespec[]){ { 1600000000, 0 }, { 1600000000, 0 } }, 0),
			 0);
	for (int i = 1; i < SEND_REFUSED_TRIES; i++)
		assert_true(once() < 0);
	assert_int_equal(once(), SEND_SET_ASIDE);
	assert_true(kept(1, "jsonl.zst") && kept(1, "json") && !kept(0, "jsonl.zst"));
}

/* Who sends, where to, when: nothing of that is the batch's fault, and it waits for as long as it
 * takes. */
static void waits(void **state)
{
	static const int status[] = { 401, 403, 404, 405, 407, 408, 421,
				      425, 426, 429, 500, 502, 503 };
	int64_t retry;
	put(0, 5, 0);
	for (size_t i = 0; i < sizeof status / sizeof *status; i++) {
		peer.status = status[i];
		for (int k = 0; k < 2 * SEND_REFUSED_TRIES; k++)
			assert_true(send_once(dir, &conf, &retry, &err) < 0);
		assert_int_equal(retry, status[i] == 429 ? 7000 : -1);
	}
	assert_int_equal(now().refused + now().tries, 0);
	peer.status = 0;
	assert_int_equal(once(), SEND_YES);
	all_there(0, 5, -1);
	assert_string_equal(peer.key[0], "abc/1");
}

/* Too large: halves until they fit; every row arrives once, each batch under a number of its
 * own. */
static void too_large(void **state)
{
	int r, rounds = 0;
	put(0, 60, 5);
	peer.minutes_max = 9;
	while ((r = once()) > 0 && rounds++ < 100)
		assert_true(r == SEND_YES || r == SEND_SMALLER);
	assert_int_equal(r, SEND_NOTHING);
	all_there(0, 60, -1);
	assert_int_equal(peer.events, 5);
	assert_int_equal(peer.twice, 0);
	/* what was learnt is kept: not every batch begins at the whole again */
	assert_true(peer.tries < 3 * peer.taken);
	struct send_state s = now();
	assert_int_equal(send_state_accepted(&s), peer.taken);
	assert_int_equal(s.refused, 0);
}

/* One row that is too large whatever is done: set aside alone, all others arrive. */
static void one_row_too_large(void **state)
{
	int r, rounds = 0;
	put(0, 16, 1);
	peer.poison = 5;
	peer.poison_status = 413;
	while ((r = once()) != SEND_NOTHING && rounds++ < 100)
		;
	assert_int_equal(r, SEND_NOTHING);
	all_there(0, 16, 5);
	assert_int_equal(now().refused, 1);
	assert_int_equal(now().refused_status, 413);
}

/* A server that refuses one after the other is more likely the wrong one: the fourth is not set
 * aside so soon. */
static void the_wrong_server(void **state)
{
	peer.status = 400;
	for (int b = 0; b < 3; b++) {
		put(b, b + 1, 0);
		for (int i = 1; i < SEND_REFUSED_TRIES; i++)
			assert_true(once() < 0);
		assert_int_equal(once(), SEND_SET_ASIDE);
	}
	put(3, 4, 0);
	for (int i = 0; i < 10 * SEND_REFUSED_TRIES; i++)
		assert_true(once() < 0);
	assert_int_equal(now().refused, 3);
	peer.status = 0;
	assert_int_equal(once(), SEND_YES);
	assert_int_equal(now().refused_in_row, 0);
}

/* No room to set it aside: it waits. */
static void nowhere_to_keep(void **state)
{
	char path[100];
	put(0, 3, 0);
	peer.status = 422;
	snprintf(path, sizeof path, "%s/refused", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
	for (int i = 0; i < 2 * SEND_REFUSED_TRIES; i++)
		assert_true(once() < 0);
	assert_int_equal(now().refused, 0);
	peer.status = 0;
	assert_int_equal(once(), SEND_YES);
	all_there(0, 3, -1);
}

static void file(const char *text)
{
	char path[100];
	snprintf(path, sizeof path, "%s/sent", dir);
	FILE *f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
}

/* Files of before the later numbers read; what is none is told, with what to do. */
static void the_file(void **state)
{
	struct send_state s;
	file("tare.sent/1 7 100 20 30 8 110 21 31\n");
	assert_int_equal(send_state_load(dir, &s, &err), 0);
	assert_true(s.batch == 7 && s.under_way_rev == 31 && s.refused == 0 && s.cut == 0);
	s.cut = 9;
	assert_int_equal(send_state_save(dir, &s, &err), 0);
	s = now();
	assert_true(s.minute == 100 && s.cut == 9);
	static const char *const bad[] = { "", "tare.sent/1 7\n", "tare.sent/2 1 2 3 4 5 6 7 8\n",
					   "tare.sent/1 7 100 20 30 8 110 21 x\n" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		file(bad[i]);
		assert_int_equal(send_state_load(dir, &s, &err), -EBADMSG);
		assert_non_null(strstr(err.hint, "Remove it"));
	}
}

/* The thread does all of it by itself, and tells how it stands. */
static void thread(void **state)
{
	struct sender *s;
	put(0, 20, 0);
	peer.minutes_max = 7;
	conf.send_every_ms = 1000;
	assert_int_equal(sender_start(dir, &conf, &s, &err), 0);
	struct send_stat st = { 0 };
	for (int i = 0; i < 3000 && st.batches < 3; i++) {
		usleep(10000);
		st = sender_stat(s);
	}
	assert_true(st.batches >= 3 && st.refused == 0 && st.failing == 0);
	assert_int_equal(sender_stat(NULL).batches, 0);
	sender_stop(s);
	all_there(0, 20, -1);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = { T(yes),
					    T(always_refused),
					    T(set_aside_is_bounded),
					    T(waits),
					    T(too_large),
					    T(one_row_too_large),
					    T(the_wrong_server),
					    T(nowhere_to_keep),
					    T(the_file),
					    T(thread) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
