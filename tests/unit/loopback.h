#ifndef TARE_TESTS_LOOPBACK_H
#define TARE_TESTS_LOOPBACK_H
/* A web server on loopback for tests: one thread, one request a connection, answers from a
 * function. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/str.h"

struct answer {
	int status;
	const char *header; /* further header lines, each with its CR LF, or NULL */
	struct sv body;
	size_t cut; /* send only so many bytes of the body, though all were promised; 0 = all */
};
struct loopback {
	int fd, port;
	pthread_t thread;
	void (*serve)(void *ctx, const char *head, const char *body, struct answer *ret);
	void *ctx;
};

static inline void loopback_send(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t k = send(fd, p, n, MSG_NOSIGNAL);
		if (k <= 0)
			return;
		p += k;
		n -= (size_t)k;
	}
}

static inline void loopback_one(struct loopback *l, int fd)
{
	static char buf[1 << 20];
	size_t n = 0, length = 0;
	char *end = NULL;
	while (n < sizeof buf - 1) {
		ssize_t k = recv(fd, buf + n, sizeof buf - 1 - n, 0);
		if (k <= 0)
			return;
		n += (size_t)k;
		buf[n] = 0;
		end = strstr(buf, "\r\n\r\n");
		const char *len = end ? strcasestr(buf, "\r\nContent-Length:") : NULL;
		length = len ? strtoul(len + 17, NULL, 10) : 0;
		if (end && n >= (size_t)(end + 4 - buf) + length)
			break;
	}
	if (!end)
		return;
	*end = 0;
	struct answer a = { .status = 200, .body = SV("") };
	char head[600];
	l->serve(l->ctx, buf, end + 4, &a);
	int k = snprintf(head, sizeof head,
			 "HTTP/1.1 %d X\r\nContent-Length: %zu\r\nConnection: close\r\n%s\r\n",
			 a.status, a.body.n, a.header ? a.header : "");
	loopback_send(fd, head, (size_t)k);
	loopback_send(fd, a.body.p, a.cut ? a.cut : a.body.n);
}

static inline void *loopback_main(void *ctx)
{
	struct loopback *l = ctx;
	for (;;) {
		int fd = accept(l->fd, NULL, NULL);
		if (fd < 0)
			return NULL;
		loopback_one(l, fd);
		close(fd);
	}
}

static inline int loopback_start(struct loopback *l)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof a;
	l->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->fd < 0 || bind(l->fd, (struct sockaddr *)&a, sizeof a) < 0 || listen(l->fd, 8) < 0 ||
	    getsockname(l->fd, (struct sockaddr *)&a, &n) < 0)
		return -1;
	l->port = ntohs(a.sin_port);
	return pthread_create(&l->thread, NULL, loopback_main, l);
}

static inline void loopback_stop(struct loopback *l)
{
	shutdown(l->fd, SHUT_RDWR);
	pthread_join(l->thread, NULL);
	close(l->fd);
}

#endif
