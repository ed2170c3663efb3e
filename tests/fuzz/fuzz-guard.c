/*
 * Any bytes as the head of a request: the verdict does not depend on how the bytes come, and what
 * is let through has whole lines and lies within the head.
 */
#include <errno.h>
#include <stdlib.h>

#include "net/guard.h"

static void must(int good)
{
	if (!good)
		abort();
}

static void must_lie_in(struct sv part, const char *p, size_t n)
{
	must(!part.p || (part.p >= p && part.n <= n && part.p + part.n <= p + n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;
	struct guard_head h = { 0 }, slow = { 0 };
	size_t seen = 0;
	int r = guard_read(p, size, &seen, &h), s = -EAGAIN;
	bool status = r == 400 || r == 414 || r == 431 || r == 501 || r == 505;
	must(r == 0 || r == -EAGAIN || status);
	seen = 0;
	for (size_t n = 0; n <= size && s == -EAGAIN; n++)
		s = guard_read(p, n, &seen, &slow);
	must(s == r);
	if (r)
		return 0;
	must(h.size == slow.size && h.body == slow.body && sv_eq(h.path, slow.path));
	must(h.size <= size && h.size <= GUARD_HEAD_MAX && !memchr(p, 0, h.size));
	must(!memcmp(p + h.size - 4, "\r\n\r\n", 4));
	for (size_t i = 0; i < h.size; i++)
		must((p[i] != '\n' || p[i - 1] == '\r') && (p[i] != '\r' || p[i + 1] == '\n'));
	must_lie_in(h.method, p, h.size);
	must_lie_in(h.path, p, h.size);
	must_lie_in(h.query, p, h.size);
	must_lie_in(h.host, p, h.size);
	must_lie_in(h.accept, p, h.size);
	must(h.path.n > 0 && h.path.p[0] == '/' && h.host.n > 0 && h.body >= -1);
	return 0;
}
