/* Notices: what is sent for hostile texts, the queue, the program of the operator. Over the wire:
 * tests/peers/t-alertmanager.py. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <jansson.h>

#include "act/notify.h"
#include "base/tm.h"
#include "model/model.h"

#define EVIL "x\r\nBcc: all@example.com\r\n.\r\nQUIT\x1b[2J\"</b><!channel>&\xff"

static const struct notice_label label[] = {
	{ "node", "n1" }, { "gpu", "0" }, { "job", EVIL }, { "team", "" }, { "user", NULL }
};

static struct notice notice(const char *id, bool over)
{
	return (struct notice){ .id = id,
				.group = "g",
				.rule = "gpu_hot",
				.severity = "warning",
				.summary = "GPU is hot",
				.advice = "look " EVIL,
				.signal = "temp_celsius",
				.value = 90,
				.worst = NAN,
				.threshold = 83,
				.above = true,
				.over = over,
				.why_over = "cleared",
				.starts_ms = 1782777600000,
				.ends_ms = over ? 1782777600000 + 90000 : UNKNOWN_MS,
				.label = label,
				.nlabel = 5 };
}

static struct notify_target target(enum notify_kind k)
{
	return (struct notify_target){ .name = "r",
				       .kind = k,
				       .url = "http://127.0.0.1:1/secret?token=1",
				       .from = "tare@example.com",
				       .timeout_ms = 30000,
				       .resend_ms = 60000,
				       .resolved = true };
}

static json_t *body(enum notify_kind k, const struct notice *n, size_t count)
{
	struct notify_target t = target(k);
	struct str out = { 0 };
	json_error_t e;

	(k == NOTIFY_ALERTMANAGER ? notify_alertmanager_body
	 : k == NOTIFY_SLACK      ? notify_slack_body
				  : notify_webhook_body)(&t, n, count, 1782777700000, &out);
	json_t *j = json_loadb(out.p, out.n, 0, &e);
	assert_non_null(j);
	for (size_t i = 0; i < out.n; i++)
		assert_true((unsigned char)out.p[i] >= 0x20);
	str_free(&out);
	return j;
}

static const char *text(const json_t *j, const char *key)
{
	return json_string_value(json_object_get(j, key));
}

static void test_alertmanager(void **state)
{
	struct notice n[2] = { notice("a", false), notice("b", true) };
	json_t *j = body(NOTIFY_ALERTMANAGER, n, 2), *a = json_array_get(j, 0),
	       *b = json_array_get(j, 1);

	assert_int_equal(json_array_size(j), 2);
	assert_string_equal(text(json_object_get(a, "labels"), "alertname"), "gpu_hot");
	assert_null(json_object_get(json_object_get(a, "labels"), "team")); /* empty: left out */
	assert_string_equal(text(a, "startsAt"), "2026-06-30T00:00:00Z");
	assert_string_equal(text(a, "endsAt"), "2026-06-30T00:05:40Z"); /* four resends ahead */
	assert_string_equal(text(b, "endsAt"), "2026-06-30T00:01:30Z");
	json_decref(j);
}

static void test_webhook_and_slack(void **state)
{
	struct notice n = notice("a", false);
	json_t *j = body(NOTIFY_WEBHOOK, &n, 1),
	       *a = json_array_get(json_object_get(j, "alerts"), 0);

	assert_string_equal(text(j, "schema"), "tare.notice/1");
	assert_string_equal(text(j, "status"), "firing");
	assert_true(json_is_null(json_object_get(a, "ends_at")) &&
		    json_is_null(json_object_get(a, "worst")) &&
		    json_is_null(json_object_get(a, "cost")));
	assert_non_null(strstr(text(json_object_get(a, "labels"), "job"), "Bcc: all"));
	json_decref(j);
	j = body(NOTIFY_SLACK, &n, 1);
	assert_null(strchr(text(j, "text"), '<')); /* no mention, no link */
	assert_non_null(strstr(text(j, "text"), "&lt;!channel&gt;&amp;"));
	assert_null(
		strchr(text(json_array_get(json_object_get(j, "attachments"), 0), "text"), '<'));
	json_decref(j);
}

static void test_mail(void **state)
{
	struct notify_target t = target(NOTIFY_EMAIL);
	struct notice n = notice("a", false);
	struct str out = { 0 };

	*vec_push(&t.to) = "ops@example.com";
	notify_email_message(&t, &n, 1, 1782777600000, &out);
	assert_non_null(strstr(out.p, "Date: Tue, 30 Jun 2026 00:00:00 +0000\r\n"));
	assert_null(strstr(out.p, "Bcc"));
	assert_null(strstr(out.p, "\r\n.\r\n"));
	assert_non_null(strstr(out.p, "\r\nSubject: =?UTF-8?B?"));
	for (char *p = out.p; *p; p++) {
		assert_true((unsigned char)*p < 0x7f && (*p >= 0x20 || *p == '\r' || *p == '\n'));
		assert_true(*p != '\n' || (p > out.p && p[-1] == '\r'));
	}
	vec_free(&t.to);
	str_free(&out);
	assert_true(notify_address_ok("a.b+c@x.example"));
	assert_false(notify_address_ok("a@b>\r\nRCPT TO:<c@d"));
	assert_false(notify_address_ok("@b"));
	assert_false(notify_address_ok("a@"));
	assert_false(notify_address_ok("-oQ@b"));
}

static void test_queue(void **state)
{
	struct notify_target t = target(NOTIFY_WEBHOOK);
	struct notify *q = notify_new(&t, 1);
	struct notice a = notice("a", false), b = notice("b", false), c = notice("c", false),
		      over = notice("a", true);
	struct notify_batch *out;
	struct err err = { .msg = "no" };
	int64_t next;

	c.group = "other";
	notify_add(q, 0, &a, 0), notify_add(q, 0, &a, 1), notify_add(q, 0, &c, 1),
		notify_add(q, 0, &b, 2);
	assert_int_equal(notify_stat(q, 0)->waiting, 3); /* a once */
	assert_null(notify_next(q, 2000, &next));        /* others of the group may come yet */
	assert_int_equal(next, 2001);
	out = notify_next(q, 2001, &next);
	assert_non_null(out);
	assert_int_equal(out->n, 2);              /* a and b; c is of another group */
	assert_null(notify_next(q, 2001, &next)); /* one at a time */
	notify_done(q, out, -ETIMEDOUT, -1, &err, 2100);
	assert_null(notify_next(q, 2100, &next));
	assert_int_equal(next, 2600);  /* half a second */
	notify_add(q, 0, &over, 2200); /* newer word on a */
	assert_int_equal(notify_stat(q, 0)->waiting, 3);
	size_t seen = 0, resolved = 0;
	for (int i = 0; i < 10 && (out = notify_next(q, 5000, &next)); i++) {
		for (size_t k = 0; k < out->n; k++)
			seen++, resolved += out->notice[k].over;
		notify_done(q, out, 0, -1, NULL, 5000);
	}
	assert_int_equal(seen, 3);
	assert_int_equal(resolved, 1);
	assert_int_equal(notify_stat(q, 0)->sent, 3);
	assert_string_equal(notify_stat(q, 0)->last_error, "no");
	notify_free(q);
}

static void test_queue_bounds(void **state)
{
	struct notify_target t = target(NOTIFY_WEBHOOK);
	struct notify *q = notify_new(&t, 1);
	struct err err = { .msg = "no" };
	struct notify_batch *out;
	int64_t next, now = 0, tries = 0;
	char id[32];

	for (int i = 0; i < 1000; i++) {
		struct notice n = notice(id, false);
		snprintf(id, sizeof id, "%d", i);
		notify_add(q, 0, &n, 0);
	}
	assert_int_equal(notify_stat(q, 0)->waiting, NOTIFY_QUEUE_MAX);
	assert_int_equal(notify_stat(q, 0)->dropped, 1000 - NOTIFY_QUEUE_MAX);
	while (notify_stat(q, 0)->waiting && tries < 1000) {
		/* a receiver that is never there: waits grow to 30 s, and after an hour it is given
		 * up */
		out = notify_next(q, now, &next);
		if (out) {
			notify_done(q, out, -ECONNREFUSED, -1, &err, now);
			tries++;
			continue;
		}
		now = next == INT64_MAX ? now : next;
	}
	assert_true(tries > 100 && tries < 140);
	assert_true(now > NOTIFY_GIVE_UP_MS);
	struct notice n = notice("x", false);
	notify_add(q, 0, &n, now);
	out = notify_next(q, now + 60000, &next);
	assert_non_null(out);
	notify_done(q, out, -EACCES, -1, &err, now); /* refused: not again */
	assert_int_equal(notify_stat(q, 0)->failed, 1);
	assert_null(notify_next(q, now + 120000, &next));
	t.resolved = false; /* began and over before anybody heard: nothing to tell */
	notify_add(q, 0, &n, now);
	n.over = true;
	notify_add(q, 0, &n, now);
	assert_int_equal(notify_stat(q, 0)->waiting, 0);
	notify_free(q);
}

static void program(struct notify_target *t, const char *script)
{
	*t = target(NOTIFY_EXEC);
	*vec_push(&t->argv) = "/bin/sh";
	*vec_push(&t->argv) = "-c";
	*vec_push(&t->argv) = script;
	*vec_push(&t->argv) = NULL;
	t->argv.n--;
}

static void test_exec(void **state)
{
	struct notify_target t;
	struct notice n = notice("a", false);
	struct err err;
	int64_t after;

	program(&t, "read -r line && case $line in *tare.notice/1*) exit 0;; esac; exit 3");
	assert_int_equal(notify_send(&t, &n, 1, 0, &after, &err), 0);
	vec_free(&t.argv);
	program(&t, "printf 'no\\033[2Jdisk' >&2; exit 3");
	assert_int_equal(notify_send(&t, &n, 1, 0, &after, &err), -EAGAIN);
	assert_non_null(strstr(err.msg, "ended with 3"));
	assert_null(strchr(err.msg, 27));
	vec_free(&t.argv);
	program(&t, "sleep 100 & sleep 100");
	t.timeout_ms = 200;
	assert_int_equal(notify_send(&t, &n, 1, 0, &after, &err), -ETIMEDOUT);
	vec_free(&t.argv);
	program(&t, "exec 0<&-; exit 0"); /* does not read */
	assert_int_equal(notify_send(&t, &n, 1, 0, &after, &err), 0);
	t.argv.v[0] = "/nonexistent/program";
	assert_int_equal(notify_send(&t, &n, 1, 0, &after, &err), -ENOENT);
	assert_false(notify_worth_retry(-ENOENT));
	vec_free(&t.argv);
}

static void test_no_secrets(void **state)
{
	struct notify_target t = target(NOTIFY_WEBHOOK);
	struct notice n = notice("a", false);
	struct str out = { 0 };
	struct err err;
	int64_t after;

	t.url = "https://user:hunter2@hooks.example/TXY0/secret?token=1";
	notify_show(&t, &n, 1, 0, &out);
	assert_null(strstr(out.p, "hunter2"));
	assert_null(strstr(out.p, "TXY0"));
	assert_non_null(strstr(out.p, "https://hooks.example/..."));
	t.url = NULL, t.url_file = "/nonexistent/url";
	assert_int_equal(notify_send(&t, &n, 1, 0, &after, &err), -ENOENT);
	str_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alertmanager), cmocka_unit_test(test_webhook_and_slack),
		cmocka_unit_test(test_mail),         cmocka_unit_test(test_queue),
		cmocka_unit_test(test_queue_bounds), cmocka_unit_test(test_exec),
		cmocka_unit_test(test_no_secrets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
