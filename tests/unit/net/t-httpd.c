#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "net/httpd.h"

/* tests/api has what the agent's server does. Here are answers that no buffer of the system takes
 * whole: they are the library's until the peer has read them. */

#define BIG  (4 << 20)
#define SLOW (HTTPD_ANSWERS + 20)

static const char ask[] = "GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n";
static int asked;

static void serve(void *ctx, const struct httpd_req *req, struct httpd_res *res)
{
	static char line[1024];
	assert_string_equal(req->path, "/big");
	memset(line, 'x', sizeof line);
	for (size_t i = 0; i < BIG / sizeof line; i++)
		str_add(&res->body, line, sizeof line);
	asked++;
}

static struct httpd *open_server(const char *at, int64_t answer_ms)
{
	struct httpd *h = NULL;
	struct err err = { 0 };
	struct httpd_opt opt = {
		.listen = at, .fn = serve, .head_ms = 3600000, .answer_ms = answer_ms
	};
	assert_int_equal(httpd_open(&opt, &h, &err), 0);
	asked = 0;
	return h;
}

static int connect_to(struct httpd *h)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				 .sin_port = htons((uint16_t)httpd_port(h)) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0);
	return fd;
}

/* Lets the server do what there is to do until so many requests were answered. */
static void run_until_asked(struct httpd *h, int n)
{
	struct pollfd p = { .fd = httpd_fd(h), .events = POLLIN };
	while (asked < n) {
		poll(&p, 1, -1);
		httpd_run(h);
	}
}

/* Reads what comes, the server running between; returns the bytes until the end. */
static size_t read_all(struct httpd *h, int fd)
{
	static char buf[65536];
	size_t got = 0;
	for (;;) {
		ssize_t n = recv(fd, buf, sizeof buf, MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN))
			return got;
		if (n > 0)
			got += (size_t)n;
		httpd_run(h);
	}
}

static void answers_nobody_reads(void **state)
{
	struct httpd *h = open_server("127.0.0.1:0", 3600000);
	int fd[SLOW], ended = 0;
	for (int i = 0; i < SLOW; i++) {
		fd[i] = connect_to(h);
		assert_int_equal(send(fd[i], ask, strlen(ask), 0), (int)strlen(ask));
		run_until_asked(h, i + 1);
	}
	int one = connect_to(h);
	assert_int_equal(send(one, ask, strlen(ask), 0), (int)strlen(ask));
	run_until_asked(h, SLOW + 1);
	assert_true(read_all(h, one) > BIG); /* whole, though so many others do not read theirs */
	close(one);
	/* Those that were in the way, the oldest, were ended; the others go on. */
	for (int i = 0; i < SLOW; i++) {
		size_t n = read_all(h, fd[i]);
		bool whole = n > BIG, first = i < SLOW + 1 - HTTPD_ANSWERS;
		assert_true(first ? !whole : whole);
		ended += !whole;
		close(fd[i]);
	}
	assert_int_equal(ended, SLOW + 1 - HTTPD_ANSWERS);
	httpd_close(h);
}

/* An answer has its time from its start, whether or not it is being read. */
static void answer_takes_too_long(void **state)
{
	static char buf[4096];
	struct httpd *h = open_server("127.0.0.1:0", 50);
	int fd = connect_to(h);
	size_t got = 0;
	assert_int_equal(send(fd, ask, strlen(ask), 0), (int)strlen(ask));
	run_until_asked(h, 1);
	for (ssize_t n = 1; n > 0; got += n > 0 ? (size_t)n : 0) { /* a little now and then */
		poll(NULL, 0, 5);
		httpd_run(h);
		n = recv(fd, buf, sizeof buf, 0);
	}
	assert_true(got > 0 && got < BIG);
	close(fd);
	httpd_close(h);
}

static void closed_with_answers_open(void **state)
{
	struct httpd *h = open_server("127.0.0.1:0", 3600000);
	int fd[4];
	for (int i = 0; i < 4; i++) {
		fd[i] = connect_to(h);
		size_t n = i < 2 ? strlen(ask) : 10;
		assert_int_equal(send(fd[i], ask, n, 0), (int)n);
	}
	run_until_asked(h, 2);
	assert_true(httpd_timeout_ms(h) >= 0);
	httpd_close(h);
	for (int i = 0; i < 4; i++)
		close(fd[i]);
}

static void addresses(void **state)
{
	struct httpd *h = open_server("[::1]:0", 0);
	assert_true(httpd_port(h) > 0 && httpd_timeout_ms(h) == -1);
	httpd_close(h);
	static const char *const wrong[] = { "127.0.0.1", ":99999", ":", "nowhere.invalid:1" };
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct err err = { 0 };
		struct httpd_opt opt = { .listen = wrong[i], .fn = serve };
		assert_true(httpd_open(&opt, &h, &err) < 0 && err.msg[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_nobody_reads),
		cmocka_unit_test(answer_takes_too_long),
		cmocka_unit_test(closed_with_answers_open),
		cmocka_unit_test(addresses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
