/*
 * A server on loopback for tests: a thread that answers each connection's one request with what a
 * function says. Requests and answers are kept small on purpose; connections are closed after the
 * answer.
 */
#ifndef SERVER_H
#define SERVER_H
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

struct server {
	int fd, port;
	pthread_t thread;
	/* Fill answer (the whole text, status line and headers too) for request number n, from 0.
	 * Sleeping is allowed. */
	void (*answer)(void *ctx, int n, struct sv request, struct str *answer);
	void *ctx;
	int nrequest;
	struct str last; /* the request last seen */
};

static inline size_t server_body_length(const struct str *req)
{
	const char *at = req->p ? strcasestr(req->p, "content-length:") : NULL;

	return at ? (size_t)atol(at + 15) : 0;
}

static inline void server_one(struct server *s, int c)
{
	struct str req = { 0 }, out = { 0 };
	char buf[65536];
	const char *end = NULL;
	ssize_t n;

	while ((n = read(c, buf, sizeof buf)) > 0) {
		str_add(&req, buf, (size_t)n);
		end = strstr(req.p, "\r\n\r\n");
		if (end && req.n >= (size_t)(end + 4 - req.p) + server_body_length(&req))
			break;
	}
	if (end) {
		str_clear(&s->last); /* before the answer: who has it may look */
		str_addsv(&s->last, str_sv(&req));
		s->answer(s->ctx, s->nrequest++, str_sv(&req), &out);
		for (size_t at = 0; at < out.n; at += (size_t)n)
			if ((n = send(c, out.p + at, out.n - at, MSG_NOSIGNAL)) <= 0)
				break;
	}
	shutdown(c, SHUT_WR);
	while (read(c, buf, sizeof buf) > 0)
		;
	close(c);
	str_free(&req);
	str_free(&out);
}

static inline void *server_loop(void *ctx)
{
	struct server *s = ctx;

	for (;;) {
		int c = accept(s->fd, NULL, NULL);
		if (c < 0)
			return NULL;
		server_one(s, c);
	}
}

static inline void server_start(struct server *s)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof a;

	s->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&a, n) || listen(s->fd, 16) ||
	    getsockname(s->fd, (struct sockaddr *)&a, &n))
		abort();
	s->port = ntohs(a.sin_port);
	if (pthread_create(&s->thread, NULL, server_loop, s))
		abort();
}

static inline void server_stop(struct server *s)
{
	shutdown(s->fd, SHUT_RDWR);
	close(s->fd);
	pthread_join(s->thread, NULL);
	str_free(&s->last);
}

/* A plain answer. */
static inline void server_say(struct str *out, const char *status, const char *headers,
			      const char *body)
{
	str_addf(out, "HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: %zu\r\n%s\r\n%s", status,
		 strlen(body), headers, body);
}

#endif
