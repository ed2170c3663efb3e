#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "net/guard.h"

/* tests/api/http_corpus.py has the malformed ones, against the server. */

static struct guard_head h;

static int read_all(struct sv text)
{
	size_t seen = 0;
	memset(&h, 0, sizeof h);
	return guard_read(text.p, text.n, &seen, &h);
}

static int read_z(const char *z)
{
	return read_all(sv_of(z));
}

static void what_is_read(void **state)
{
	const char *z = "GET /a%20b?c=d&e HTTP/1.1\r\nhOST: Node-7.example.org:9757\r\n"
			"Accept: x/y \t\r\nAccept: z\r\n\r\nrest";
	assert_int_equal(read_z(z), 0);
	assert_true(sv_is(h.method, "GET") && sv_is(h.path, "/a%20b") && sv_is(h.query, "c=d&e"));
	assert_true(sv_is(h.host, "Node-7.example.org") && !h.host_is_v6);
	assert_true(sv_is(h.accept, "x/y") && h.body == 0);
	assert_int_equal(h.size, strlen(z) - 4);
	assert_int_equal(
		read_z("POST / HTTP/1.1\r\nHost: [fd00::7]:1\r\nContent-Length: 007\r\n\r\n"), 0);
	assert_true(sv_is(h.host, "fd00::7") && h.host_is_v6 && h.body == 7 && !h.query.p);
	assert_int_equal(read_z("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: a\r\n\r\n"),
			 0);
	assert_int_equal(h.body, -1);
	assert_int_equal(read_z("GET / HTTP/1.0\r\nHost: a:\r\nX:\r\n\r\n"), 0);
	assert_int_equal(read_z("GET / HTTP/1.1\r\nHost: a\r\n"
				"Content-Length: 9223372036854775807\r\n\r\n"),
			 0);
	assert_true(h.body == INT64_MAX);
	assert_int_equal(read_z("GET / HTTP/1.1\r\nHost: a\r\n"
				"Content-Length: 9223372036854775808\r\n\r\n"),
			 400);
}

static void bytes_are_missing(void **state)
{
	const char *z = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
	size_t seen = 0;
	for (size_t n = 0; n < strlen(z); n++)
		assert_int_equal(guard_read(z, n, &seen, &h), -EAGAIN);
	assert_int_equal(guard_read(z, strlen(z), &seen, &h), 0);
}

/* Refused as soon as it is seen: no head that ends is waited for. */
static void refused_at_once(void **state)
{
	assert_int_equal(read_z("GET / HTTP/1.1\n"), 400);
	assert_int_equal(read_z("GET / HTTP/1.1\rX"), 400);
	assert_int_equal(read_z("\r\n"), 400);
	assert_int_equal(read_z("\n"), 400);
	assert_int_equal(read_all((struct sv){ "GE\0", 3 }), 400);
	assert_int_equal(read_z("G\r"), -EAGAIN);
}

/* A request whose head has so many bytes, lines and bytes of target. */
static int read_sized(size_t head, size_t lines, size_t target)
{
	struct str s = { 0 };
	str_addz(&s, "GET /");
	while (s.n < 4 + target)
		str_addc(&s, 'a');
	str_addz(&s, " HTTP/1.1\r\nHost: a\r\n");
	for (size_t i = 2; i < lines; i++)
		str_addz(&s, "X:\r\n");
	if (head) {
		s.n -= 2;
		while (s.n < head - 4)
			str_addc(&s, 'b');
		str_addz(&s, "\r\n");
	}
	str_addz(&s, "\r\n");
	int r = read_all(str_sv(&s));
	str_free(&s);
	return r;
}

static void limits(void **state)
{
	assert_int_equal(read_sized(0, 2, GUARD_TARGET_MAX), 0);
	assert_int_equal(read_sized(0, 2, GUARD_TARGET_MAX + 1), 414);
	assert_int_equal(read_sized(0, GUARD_FIELD_MAX, 1), 0);
	assert_int_equal(read_sized(0, GUARD_FIELD_MAX + 1, 1), 431);
	assert_int_equal(read_sized(GUARD_HEAD_MAX, 3, 1), 0);
	assert_int_equal(read_sized(GUARD_HEAD_MAX + 1, 3, 1), 431);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read),
		cmocka_unit_test(bytes_are_missing),
		cmocka_unit_test(refused_at_once),
		cmocka_unit_test(limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
