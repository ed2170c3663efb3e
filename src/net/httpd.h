#ifndef TARE_NET_HTTPD_H
#define TARE_NET_HTTPD_H
/*
 * A small HTTP server without threads of its own: the caller's loop waits on one descriptor and
 * lets it run. libmicrohttpd answers; before it sees a connection the whole head of the request was
 * read by net/guard.h, and nothing that could be framed in two ways gets through. One request a
 * connection: what follows it is never run. docs/design/0011-http-server.md says why.
 *
 * GET and HEAD only, no body of a request is ever read (413). A Host must be known (421): names of
 * other pages are not answered, wherever they resolve to. Whoever is slow is in nobody's way: a
 * head has HTTPD_HEAD_MS to come and an answer HTTPD_ANSWER_MS to be taken, both counted from their
 * start, and where room is wanted for a new connection the oldest is closed: of the same peer (an
 * IPv4 address, an IPv6 /64) where that has HTTPD_PER_PEER, of all where there are
 * HTTPD_CONNECTIONS. So the newest always gets in, and a request that comes at once is answered.
 */
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

#define HTTPD_CONNECTIONS 256   /* open at a time, a descriptor and 100 bytes each */
#define HTTPD_PER_PEER    64    /* of them from one address */
#define HTTPD_ANSWERS     32    /* of them with an answer in memory */
#define HTTPD_HEAD_MS     5000  /* from the connection to the end of the head */
#define HTTPD_ANSWER_MS   10000 /* from there until the answer was taken */

struct httpd_req {
	const char *path;   /* "/metrics", unescaped: no NUL, control character or escaped '/' */
	const char *accept; /* header, "" if none */
};
struct httpd_res {
	int status;               /* 200 unless set */
	const char *content_type; /* static text; "text/plain; charset=utf-8" unless set */
	struct str body;          /* the server frees it */
};
typedef void httpd_fn(void *ctx, const struct httpd_req *req, struct httpd_res *res);

struct httpd_opt {
	/* "127.0.0.1:9757", "[::1]:9757", ":9757" (all addresses), port 0 = any free one */
	const char *listen;
	/* names and addresses, separated by commas, that a Host may be beside localhost and the
	 * address that was connected to; any port. NULL = no others. Copied. */
	const char *hosts;
	int64_t head_ms, answer_ms; /* 0: HTTPD_HEAD_MS, HTTPD_ANSWER_MS */
	httpd_fn *fn;
	void *ctx;
};

struct httpd;
/* Errors say what is in the way. */
int httpd_open(const struct httpd_opt *opt, struct httpd **ret, struct err *err);
int httpd_port(const struct httpd *h);
int httpd_fd(const struct httpd *h); /* an epoll descriptor: readable = there is work */
void httpd_run(struct httpd *h);
int64_t httpd_timeout_ms(const struct httpd *h); /* call httpd_run() by then, -1 = whenever */
void httpd_close(struct httpd *h);               /* NULL is fine */

#endif
