#include <errno.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "net/http.h"
#include "server.h"

static char url[256];
static struct server server;
static struct http *http;
static struct http_res res;
static sem_t given_up; /* by who asked the slow one */

static const char *at(const char *path)
{
	snprintf(url, sizeof url, "http://127.0.0.1:%d%s", server.port, path);
	return url;
}

static bool asks(struct sv request, const char *path)
{
	struct sv rest, line = sv_cut(request, '\r', &rest);

	return sv_has(line, sv_of(path));
}

static struct str elsewhere; /* a header: the same server by another name */

static void answer(void *ctx, int n, struct sv request, struct str *out)
{
	(void)ctx, (void)n;
	if (asks(request, "/hello"))
		server_say(out, "200 OK", "Content-Type: text/plain\r\nX-Next: page2\r\n", "hello");
	else if (asks(request, "/busy"))
		server_say(out, "429 Too Many Requests", "Retry-After: 7\r\n", "slow down\n");
	else if (asks(request, "/later"))
		server_say(out, "503 Service Unavailable",
			   "Retry-After: Fri, 01 Jan 2100 00:00:00 GMT\r\n", "");
	else if (asks(request, "/forbidden"))
		server_say(out, "403 Forbidden", "", "who are you");
	else if (asks(request, "/to-file"))
		server_say(out, "302 Found", "Location: file:///etc/passwd\r\n", "");
	else if (asks(request, "/to-hello"))
		server_say(out, "302 Found", "Location: /hello\r\nRetry-After: 99\r\n", "moved");
	else if (asks(request, "/round"))
		server_say(out, "302 Found", "Location: /round\r\n", "");
	else if (asks(request, "/big"))
		str_addf(out, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n%0*d", 100000, 7);
	else if (asks(request, "/cut"))
		str_addz(
			out,
			"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1000\r\n\r\nonly this");
	else if (asks(request, "/rubbish"))
		str_addz(out, "\x01\x02 this is no HTTP\n\n");
	else if (asks(request, "/slow"))
		sem_wait(&given_up);
	else if (asks(request, "/moved-here"))
		server_say(out, "307 Temporary Redirect", "Location: /post\r\n", "");
	else if (asks(request, "/moved-away"))
		server_say(out, "307 Temporary Redirect", str_z(&elsewhere), "");
	else if (asks(request, "/moved-round"))
		server_say(out, "302 Found", "Location: /moved-round\r\n", "");
	else if (asks(request, "/post"))
		server_say(out, "200 OK", "", "posted");
	else
		server_say(out, "404 Not Found", "", "");
}

static int start(void **state)
{
	struct err err;

	sem_init(&given_up, 0, 0);
	server = (struct server){ .answer = answer };
	server_start(&server);
	return http_new(NULL, &http, &err);
}

static int stop(void **state)
{
	http_free(http);
	http_res_free(&res);
	server_stop(&server);
	return 0;
}

static void gets_a_body(void **state)
{
	const char *const header[] = { "X-One: 1" };
	struct http_req q = { .url = at("/hello"),
			      .header = header,
			      .nheader = 1,
			      .bearer = "s3cret",
			      .keep_header = "x-next" };
	struct err err;

	assert_int_equal(http_do(http, &q, &res, &err), 0);
	assert_int_equal(res.status, 200);
	assert_string_equal(res.body.p, "hello");
	assert_string_equal(res.content_type.p, "text/plain");
	assert_string_equal(res.header.p, "page2");
	assert_int_equal(res.retry_after_ms, -1);
	assert_int_equal(res.body_bytes, 5);
	assert_non_null(strstr(server.last.p, "User-Agent: tare/"));
	assert_non_null(strstr(server.last.p, "X-One: 1\r\n"));
	assert_non_null(strstr(server.last.p, "Authorization: Bearer s3cret\r\n"));
	/* the next request on the same handle carries nothing of it */
	assert_int_equal(http_get(http, at("/hello"), &res, &err), 0);
	assert_null(strstr(server.last.p, "Authorization"));
	assert_null(strstr(server.last.p, "X-One"));
	assert_string_equal(str_z(&res.header), "");
}

static void posts(void **state)
{
	struct http_req q = { .url = at("/post"), .body = SV("a=1&b=2"), .content_type = "text/x" };
	struct err err;

	assert_int_equal(http_do(http, &q, &res, &err), 0);
	assert_string_equal(res.body.p, "posted");
	assert_non_null(strstr(server.last.p, "POST /post"));
	assert_non_null(strstr(server.last.p, "Content-Type: text/x\r\n"));
	assert_non_null(strstr(server.last.p, "\r\n\r\na=1&b=2"));
}

/* A body goes on within the host that was named, and to no other. */
static void bodies_stay(void **state)
{
	struct http_req q = { .url = at("/moved-here"), .body = SV("s3cret"), .bearer = "t0ken" };
	struct err err;

	assert_int_equal(http_do(http, &q, &res, &err), 0);
	assert_int_equal(res.status, 200);
	assert_string_equal(res.body.p, "posted");
	assert_non_null(strstr(server.last.p, "POST /post"));
	assert_non_null(strstr(server.last.p, "\r\n\r\ns3cret"));

	const char *named = at("/post?key=k3y"), *port = strrchr(named, ':');
	str_clear(&elsewhere);
	str_addf(&elsewhere, "Location: http://localhost%s\r\n", port);
	q.url = at("/moved-away");
	int before = server.nrequest;
	assert_int_equal(http_do(http, &q, &res, &err), -EPERM);
	assert_int_equal(server.nrequest, before + 1);
	assert_non_null(strstr(err.msg, "points to 'http://localhost"));
	assert_null(strstr(err.msg, "k3y"));
	assert_int_equal(res.status, 0);
	q.body = SV_NULL; /* what has none goes there, without the token */
	assert_int_equal(http_do(http, &q, &res, &err), 0);
	assert_int_equal(res.status, 200);
	assert_null(strstr(server.last.p, "t0ken"));

	q = (struct http_req){ .url = at("/moved-round"), .body = SV("x") };
	assert_int_equal(http_do(http, &q, &res, &err), -EPROTO);
	assert_non_null(strstr(err.msg, "more than 5 times"));
	str_free(&elsewhere);
}

static void statuses(void **state)
{
	struct err err;

	assert_int_equal(http_get(http, at("/nowhere?key=s3cret"), &res, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "404"));
	assert_null(strstr(err.msg, "s3cret"));
	assert_int_equal(http_get(http, at("/busy"), &res, &err), -EAGAIN);
	assert_int_equal(res.retry_after_ms, 7000);
	assert_non_null(strstr(err.msg, "slow down"));
	assert_int_equal(http_get(http, at("/later"), &res, &err), -EAGAIN);
	assert_true(res.retry_after_ms > 1000000);
	assert_int_equal(http_get(http, at("/forbidden"), &res, &err), -EACCES);
	assert_true(err.hint[0] != 0);
}

static void redirects(void **state)
{
	struct err err;

	assert_int_equal(http_get(http, at("/to-hello"), &res, &err), 0);
	assert_string_equal(res.body.p, "hello");
	assert_int_equal(res.retry_after_ms, -1);
	assert_true(http_get(http, at("/to-file"), &res, &err) < 0); /* never to another scheme */
	assert_int_equal(res.body.n, 0);
	assert_int_equal(http_get(http, at("/round"), &res, &err), -EPROTO);
	assert_int_equal(http_get(http, "file:///etc/passwd", &res, &err), -EINVAL);
	assert_int_equal(http_get(http, "ftp://x/", &res, &err), -EINVAL);
}

static void limits(void **state)
{
	struct http_req big = { .url = at("/big"), .body_max = 1000 }, slow = { .timeout_ms = 200 };
	struct err err;

	assert_int_equal(http_do(http, &big, &res, &err), -EMSGSIZE);
	assert_non_null(strstr(err.msg, "1000 bytes"));
	big.body_max = 100000;
	assert_int_equal(http_do(http, &big, &res, &err), 0);
	assert_int_equal(res.body.n, 100000);
	slow.url = at("/slow");
	assert_int_equal(http_do(http, &slow, &res, &err), -ETIMEDOUT);
	sem_post(&given_up);
}

static int take(void *ctx, struct sv piece, struct err *err)
{
	size_t *n = ctx;

	*n += piece.n;
	return *n > 50000 ? err_set(err, -ENOSPC, "enough") : 0;
}

static void streams(void **state)
{
	size_t n = 0;
	struct http_req q = { .url = at("/hello"), .on_body = take, .ctx = &n };
	struct err err;

	assert_int_equal(http_do(http, &q, &res, &err), 0);
	assert_int_equal(n, 5);
	assert_int_equal(res.body.n, 0);
	n = 0;
	q.url = at("/big");
	assert_int_equal(http_do(http, &q, &res, &err), -ENOSPC);
	assert_string_equal(err.msg, "enough");
	/* what is no 2xx is not streamed, its text is kept for the error */
	n = 0;
	q.url = at("/busy");
	assert_int_equal(http_do(http, &q, &res, &err), 0);
	assert_int_equal(n, 0);
	assert_string_equal(res.body.p, "slow down\n");
}

static void broken_servers(void **state)
{
	struct err err;

	assert_true(http_get(http, at("/cut"), &res, &err) < 0); /* a short body is no body */
	assert_true(http_get(http, at("/rubbish"), &res, &err) < 0);
	assert_true(err.msg[0] != 0);
	assert_int_equal(http_get(http, "http://127.0.0.1:1/", &res, &err), -ECONNREFUSED);
	assert_int_equal(http_get(http, "http://user:s3cret@127.0.0.1:1/x", &res, &err),
			 -ECONNREFUSED);
	assert_null(strstr(err.msg, "s3cret"));
}

static void quoting_and_backoff(void **state)
{
	struct str s = { 0 };

	http_quote(&s, SV("a b&c=\xc3\xa9/~"));
	assert_string_equal(s.p, "a%20b%26c%3D%C3%A9%2F~");
	str_free(&s);
	assert_int_equal(http_backoff_ms(0, -1), 500);
	assert_int_equal(http_backoff_ms(3, -1), 4000);
	assert_int_equal(http_backoff_ms(100, -1), 30000);
	assert_int_equal(http_backoff_ms(0, 7000), 7000);
	assert_int_equal(http_backoff_ms(0, 7000000), 60000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gets_a_body),
		cmocka_unit_test(posts),
		cmocka_unit_test(bodies_stay),
		cmocka_unit_test(statuses),
		cmocka_unit_test(redirects),
		cmocka_unit_test(limits),
		cmocka_unit_test(streams),
		cmocka_unit_test(broken_servers),
		cmocka_unit_test(quoting_and_backoff),
	};

	setenv("no_proxy", "127.0.0.1", 1);
	return cmocka_run_group_tests(tests, start, stop);
}
