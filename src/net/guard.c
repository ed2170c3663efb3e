#include "net/guard.h"

#include <errno.h>

#include "base/among.h"
#include "base/num.h"

/* What a name or a method may be made of (RFC 9110, token). */
static bool is_token(struct sv a)
{
	for (size_t i = 0; i < a.n; i++) {
		unsigned char c = (unsigned char)a.p[i];
		bool letter = (within_int(c, 'a', 'z')) || within_int(c, 'A', 'Z');
		bool digit = c >= '0' && c <= '9';
		if (!letter && !digit && (!c || !strchr("!#$%&'*+-.^_`|~", c)))
			return false;
	}
	return a.n > 0;
}

/*
 * Where the head ends, 0 if not yet. Every line ends in CR LF and no CR or LF stands elsewhere; a
 * NUL stands nowhere. *ret_bad is set as soon as that is broken.
 */
static size_t find_end(const char *p, size_t n, size_t *seen, bool *ret_bad)
{
	for (; *seen < n; ++*seen) {
		size_t i = *seen;
		if (p[i] == '\r') {
			if (i + 1 == n)
				return 0; /* what follows it decides: looked at again */
			*ret_bad |= p[i + 1] != '\n';
		} else if (p[i] == '\n') {
			*ret_bad |= i == 0 || p[i - 1] != '\r';
			if (i >= 3 && p[i - 2] == '\n')
				return i + 1;
		} else {
			*ret_bad |= !p[i];
		}
		if (*ret_bad)
			return 0;
	}
	return 0;
}

/* A path and a query of visible ASCII; escapes are whole and hide nothing that a path is cut at. */
static int read_target(struct sv target, struct guard_head *h)
{
	if (target.n > GUARD_TARGET_MAX)
		return 414;
	if (!target.n || target.p[0] != '/')
		return 400;
	h->path = sv_cut(target, '?', &h->query);
	for (size_t i = 0; i < target.n; i++) {
		unsigned char c = (unsigned char)target.p[i];
		if (c <= 0x20 || c >= 0x7f || strchr("#\\\"<>", c))
			return 400;
		if (c != '%')
			continue;
		int v = -1;
		if (target.n - i >= 3)
			v = hex_pair(target.p + i + 1);
		bool cuts = v == '/' || v == '\\';
		if (v < 0x20 || v == 0x7f || (cuts && i < h->path.n))
			return 400;
	}
	return 0;
}

static int read_request_line(struct sv line, struct guard_head *h, bool *ret_http10)
{
	struct sv rest, version, target;
	h->method = sv_cut(line, ' ', &rest);
	target = sv_cut(rest, ' ', &version);
	if (!is_token(h->method) || !version.p)
		return 400;
	int r = read_target(target, h);
	if (r)
		return r;
	*ret_http10 = sv_is(version, "HTTP/1.0");
	if (!*ret_http10 && !sv_is(version, "HTTP/1.1")) {
		bool other = version.n == 8 && sv_starts(version, SV("HTTP/")) &&
			     version.p[6] == '.';
		if (other)
			return 505;
		return 400;
	}
	if (SV_AMONG(h->method, "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
		return 0;
	return 501;
}

static bool is_port(struct sv a)
{
	int64_t v;
	for (size_t i = 0; i < a.n; i++)
		if (a.p[i] < '0' || a.p[i] > '9')
			return false;
	return a.n == 0 || (sv_i64(a, &v) == 0 && v <= 65535);
}

/* "name", "name:80", "[::1]:80": letters, digits, - . _ : what names and addresses are made of. */
static int read_host(struct sv a, struct guard_head *h)
{
	struct sv port = SV_NULL;
	h->host_is_v6 = a.n && a.p[0] == '[';
	if (h->host_is_v6) {
		struct sv after;
		h->host = sv_cut(sv_from(a, 1), ']', &after);
		if (!after.p || (after.n && after.p[0] != ':'))
			return 400;
		if (after.n)
			port = sv_from(after, 1);
	} else {
		h->host = sv_cut(a, ':', &port);
	}
	if (!h->host.n || h->host.n > 255 || !is_port(port))
		return 400;
	for (size_t i = 0; i < h->host.n; i++) {
		char c = h->host.p[i], low = c | 0x20;
		bool plain = within_int(c, '0', '9') || within_int(low, 'a', 'z') || c == '.';
		bool named = !h->host_is_v6 && (c == '-' || c == '_');
		if (!plain && !named && !(h->host_is_v6 && c == ':'))
			return 400;
	}
	return 0;
}

struct framing {
	unsigned hosts, lengths, codings;
	bool http10;
};

static int read_field(struct sv line, struct guard_head *h, struct framing *f)
{
	struct sv value, name = sv_cut(line, ':', &value);
	if (!value.p || !is_token(name)) /* a folded line begins with a blank: no token */
		return 400;
	while (value.n && (value.p[0] == ' ' || value.p[0] == '\t'))
		value = sv_from(value, 1);
	while (value.n && (value.p[value.n - 1] == ' ' || value.p[value.n - 1] == '\t'))
		value.n--;
	for (size_t i = 0; i < value.n; i++) {
		unsigned char c = (unsigned char)value.p[i];
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return 400;
	}
	if (sv_ieq(name, SV("Host"))) {
		if (f->hosts++)
			return 400;
		return read_host(value, h);
	}
	if (sv_ieq(name, SV("Content-Length"))) {
		/* digits alone: no sign, no list, nothing that overflows */
		for (size_t i = 0; i < value.n; i++)
			if (value.p[i] < '0' || value.p[i] > '9')
				return 400;
		if (f->lengths++ || !value.n || sv_i64(value, &h->body) < 0)
			return 400;
		return 0;
	}
	if (sv_ieq(name, SV("Transfer-Encoding"))) {
		h->body = -1;
		if (f->codings++ || f->http10 || !sv_is(value, "chunked"))
			return 400;
		return 0;
	}
	if (sv_ieq(name, SV("Accept")) && !h->accept.p)
		h->accept = value;
	return 0;
}

int guard_read(const char *p, size_t n, size_t *seen, struct guard_head *ret)
{
	struct guard_head h = { 0 };
	bool bad = n >= 2 && p[0] == '\r'; /* an empty line before the request */
	size_t most = min_size(n, GUARD_HEAD_MAX);
	h.size = bad ? 0 : find_end(p, most, seen, &bad);
	if (bad)
		return 400;
	if (!h.size) {
		if (n >= GUARD_HEAD_MAX)
			return 431;
		return -EAGAIN;
	}
	struct framing f = { 0 };
	unsigned lines = 0;
	for (const char *end = p + h.size - 2; p < end;) {
		const char *eol = memchr(p, '\r', (size_t)(end - p));
		if (!eol)
			return 400;
		struct sv line = { p, (size_t)(eol - p) };
		if (++lines > GUARD_FIELD_MAX)
			return 431;
		int r = lines == 1 ? read_request_line(line, &h, &f.http10)
				   : read_field(line, &h, &f);
		if (r)
			return r;
		p = eol + 2;
	}
	bool both = f.lengths && f.codings;
	if (!lines || f.hosts != 1 || both)
		return 400;
	*ret = h;
	return 0;
}
