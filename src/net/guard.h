#ifndef TARE_NET_GUARD_H
#define TARE_NET_GUARD_H
/*
 * The head of one HTTP/1 request, read so strictly that no two readers can understand it
 * differently: what a proxy before us and a library behind us might frame in two ways is refused,
 * and the connection with it. Pure: bytes in, verdict out.
 *
 * Refused with 400: anything but CR LF at the end of a line, folded lines, blanks before a colon or
 * at the start of a line, bytes that no name or value may have, a target that is not a path, an
 * escape that is broken or hides a control character, '/' or '\'; no or two Host, a Host that is no
 * host; two Content-Length, one that is not digits, one beside Transfer-Encoding; any
 * Transfer-Encoding but one `chunked` of HTTP/1.1. With 414, 431, 501, 505: too long, unknown
 * method or version. Source: RFC 9112 (sections 2.2, 3, 5, 6), each rule at its strict end.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

#define GUARD_HEAD_MAX   8192 /* bytes of a whole head: 431 beyond */
#define GUARD_TARGET_MAX 4096 /* 414 beyond */
#define GUARD_FIELD_MAX  64   /* lines of a head: 431 beyond */

struct guard_head {
	struct sv method;      /* "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS" */
	struct sv path, query; /* as sent, still escaped; query {NULL, 0} without '?' */
	struct sv host;        /* without the port; an IPv6 address without its brackets */
	bool host_is_v6;
	struct sv accept; /* {NULL, 0}: none */
	int64_t body;     /* bytes that follow; -1 = chunked */
	size_t size;      /* bytes of the head, with its empty line */
};

/*
 * Reads a head from the first n bytes that came. *seen: 0 before the first call for a request,
 * then left alone: how far the lines are known to be whole, so that a head that comes byte by byte
 * is looked at once. Returns 0 and sets *ret (it points into p), -EAGAIN where bytes are missing,
 * or the status (400, 414, 431, 501, 505) to answer with before closing. Allocates nothing. O(n) in
 * all.
 */
int guard_read(const char *p, size_t n, size_t *seen, struct guard_head *ret);

#endif
