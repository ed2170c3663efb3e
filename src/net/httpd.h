#ifndef TARE_NET_HTTPD_H
#define TARE_NET_HTTPD_H
/*
 * A small HTTP server (libmicrohttpd) without threads of its own: the caller's loop waits on one descriptor and lets it run. GET and HEAD
 * only, no body of a request is ever read, at most HTTPD_CONNECTIONS at a time, each closed after ten idle seconds.
 */
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

#define HTTPD_CONNECTIONS 32

struct httpd_req {
	const char *path;   /* "/metrics" */
	const char *accept; /* header, "" if none */
};
struct httpd_res {
	int status;               /* 200 unless set */
	const char *content_type; /* static text; "text/plain; charset=utf-8" unless set */
	struct str body;          /* the server frees it */
};
typedef void httpd_fn(void *ctx, const struct httpd_req *req, struct httpd_res *res);

struct httpd;
/* listen: "127.0.0.1:9757", "[::1]:9757", ":9757" (all addresses), port 0 = any free one. Errors say what is in the way. */
int httpd_open(const char *listen, httpd_fn *fn, void *ctx, struct httpd **ret, struct err *err);
int httpd_port(const struct httpd *h);
int httpd_fd(const struct httpd *h); /* an epoll descriptor: readable = there is work */
void httpd_run(struct httpd *h);
int64_t httpd_timeout_ms(const struct httpd *h); /* call httpd_run() by then, -1 = whenever */
void httpd_close(struct httpd *h);               /* NULL is fine */

#endif
