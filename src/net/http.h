#ifndef TARE_NET_HTTP_H
#define TARE_NET_HTTP_H
/*
 * A small blocking HTTP client (libcurl): one request at a time, with limits on time and size. The
 * connection is kept and reused between requests to the same host. Redirects are followed at most
 * five times and never to another scheme than http and https, nor from https down to http; what has
 * a body is followed on the same host only, where it is sent again: it was written for who was
 * named. One handle belongs to one thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

struct http; /* a client: connection pool and settings */

struct http_opt {
	const char *user_agent; /* NULL: "tare/VERSION" */
	const char *ca_file;    /* further roots (PEM) instead of the system's, or NULL */
	const char *proxy;      /* NULL: from the environment, as curl does; "" none */
	/* do not check the server's certificate: only where a person asked for it */
	bool insecure;
};
/* opt may be NULL. */
int http_new(const struct http_opt *opt, struct http **ret, struct err *err);
void http_free(struct http *h); /* NULL is fine */

#define HTTP_BODY_MAX_DEFAULT ((size_t)64 << 20)

struct http_req {
	const char *method;        /* NULL: GET, or POST when there is a body */
	const char *url;           /* http:// or https:// */
	const char *const *header; /* [nheader] "Name: value" */
	size_t nheader;
	/* token for "Authorization: Bearer", or NULL; not sent to another host on redirect */
	const char *bearer;
	struct sv body;             /* sent when body.p is not NULL */
	const char *content_type;   /* of body; NULL: application/x-www-form-urlencoded */
	int64_t connect_timeout_ms; /* 0: 10 s */
	/* of the whole request, 0: 120 s; negative: none, but 60 s without a byte end it */
	int64_t timeout_ms;
	/* more answer bytes (unpacked) than this are -EMSGSIZE; 0: HTTP_BODY_MAX_DEFAULT, SIZE_MAX:
	 * no limit */
	size_t body_max;
	/*
	 * Gets the body in pieces instead of res->body; for statuses 200..299 only, others are
	 * collected. Returning a negative errno ends the request with it. May be NULL.
	 */
	int (*on_body)(void *ctx, struct sv piece, struct err *err);
	void *ctx;
	/* name of an answer header (or trailer) wanted in res->header, or NULL */
	const char *keep_header;
	/* path of a socket to speak to instead of the URL's host, or NULL; no proxy is used then */
	const char *unix_socket;
	/* an answer that points elsewhere (3xx) is the answer: secrets are not carried to where it
	 * points */
	bool stay;
	/* HTTP/2 without asking first, as gRPC speaks it on cleartext connections */
	bool http2_only;
};

struct http_res {
	int status;              /* 200, 404, ...; 0 when there was no answer */
	struct str body;         /* unless on_body took it */
	struct str content_type; /* "" when not given */
	struct str header;       /* value of keep_header, "" when absent */
	int64_t retry_after_ms;  /* from Retry-After in seconds or as a date, -1 when absent */
	int64_t body_bytes;      /* received and unpacked */
};
void http_res_free(struct http_res *r); /* back to zero */

/*
 * Send and wait. *ret is emptied first (zero-initialise it once) and may be reused. An answer of
 * any status is 0: look at ret->status. Without one: -ETIMEDOUT, -ECONNREFUSED, -EHOSTUNREACH (name
 * not found), -EPROTO (TLS or not HTTP), -EPERM (a redirect that a body does not follow),
 * -EMSGSIZE, -EINVAL (URL or scheme), -EIO, or what on_body returned; the error names method and
 * URL without its query.
 */
int http_do(struct http *h, const struct http_req *q, struct http_res *ret, struct err *err);

/* GET with defaults; statuses other than 2xx are an error too (-ENOENT for 404, -EACCES for 401 and
 * 403, -EAGAIN for 429 and 5xx, else -EPROTO). */
int http_get(struct http *h, const char *url, struct http_res *ret, struct err *err);

/* The error for a status that is not 2xx, with the start of the answer's text: codes as
 * http_get. */
int http_status_err(const char *url, const struct http_res *r, struct err *err);

/* Append text with everything but unreserved characters percent-encoded (RFC 3986): for query
 * values and path segments. */
void http_quote(struct str *out, struct sv text);

/*
 * Wait before try number `attempt` (from 0) again: Retry-After where the server said it (at most 60
 * s), else 0.5 s doubling to 30 s. Pure: the caller sleeps.
 */
int64_t http_backoff_ms(int attempt, int64_t retry_after_ms);

#endif
