#ifndef TARE_NET_XFER_H
#define TARE_NET_XFER_H
/*
 * Several HTTP transfers at once over kept connections (libcurl's multi interface), for moving big
 * objects: bodies come from memory or from a piece of a file, answers go to memory, to a piece of a
 * file, or are kept as text. No thread is started. Redirects are not followed: a signature holds
 * for one host. One handle belongs to one thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

struct xfer;
struct xfer_opt {
	const char *user_agent; /* NULL: "tare/VERSION" */
	const char *ca_file;    /* further roots (PEM) instead of the system's, or NULL */
	/* a transfer without a byte for so long ends with -ETIMEDOUT; 0: 30 s */
	int64_t stall_ms;
};
int xfer_new(const struct xfer_opt *opt, struct xfer **ret, struct err *err); /* opt may be NULL */
void xfer_free(struct xfer *x); /* what is under way is given up; NULL is fine */

struct xfer_req {
	const char *method, *url;  /* copied, as are the headers */
	const char *const *header; /* [nheader] "Name: value" */
	size_t nheader;
	/* the two below; fd and mem must live until the transfer is done */
	bool has_body;
	const void *mem; /* NULL: from fd */
	int fd;
	uint64_t offset, bytes; /* offset is for fd only */
	/* the body of a 2xx answer goes to to_mem [to_max], or to to_fd at to_offset (to_max bytes
	 * at most), or where there is neither to text */
	void *to_mem;
	bool to_file;
	int to_fd;
	uint64_t to_offset, to_max;
	size_t text_max;    /* of text, 0: 16 MiB */
	int64_t timeout_ms; /* of the whole transfer; 0: none, a stall ends it */
};

struct xfer_done {
	void *ctx; /* as given */
	/* 0: there was a whole answer of any status; else as http_do() and what reading or writing
	 * a file gave */
	int rc;
	struct err err;
	int status;
	struct str text; /* the body, unless it went elsewhere */
	/* of the last answer: "name: value\n", names in lower case, 32 KiB at most */
	struct str header;
	uint64_t sent_bytes, got_bytes; /* of bodies */
};
/* Begin. -EINVAL (URL), -ENOMEM. */
int xfer_start(struct xfer *x, const struct xfer_req *q, void *ctx, struct err *err);
/* Give up what is under way; nothing of it is handed out any more. */
void xfer_cancel(struct xfer *x);
uint64_t xfer_under_way(const struct xfer *x); /* bytes of bodies sent by those that run */
/* A finished transfer, the caller's to xfer_done_free(); NULL when none finished within wait_ms, or
 * xfer_wake() was called. */
struct xfer_done *xfer_wait(struct xfer *x, int64_t wait_ms);
/* from any thread: xfer_wait() returns soon, this one or the next */
void xfer_wake(struct xfer *x);
void xfer_done_free(struct xfer_done *d); /* NULL is fine */
/* Value of a header, {NULL,0} when absent; name in lower case. A view into d. */
struct sv xfer_header(const struct xfer_done *d, const char *name);

#endif
