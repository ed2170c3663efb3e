/* The socket of a run: who is connected, packets in and out. Nothing here ever waits. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "spot/run_priv.h"

/* A folder of its own, as everybody may write into /tmp; not in the folder of checkpoints, which may be on a network and have a long name. */
static int make_dir(struct run_sock *s)
{
	const char *base[] = { getenv("XDG_RUNTIME_DIR"), "/tmp" };

	for (size_t i = 0; i < 2; i++) {
		if (!base[i] || *base[i] != '/' || strlen(base[i]) > 30)
			continue;
		snprintf(s->dir, sizeof s->dir, "%s/tare-run.XXXXXX", base[i]);
		if (mkdtemp(s->dir))
			return 0;
	}
	return -errno;
}

int run_sock_open(struct run_sock *s, struct err *err)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int r = make_dir(s);

	s->fd = -1;
	if (r < 0) {
		*s->dir = 0;
		return err_set(err, r, "cannot make a folder for the socket in /tmp: %s",
			       strerror(-r));
	}
	snprintf(s->path, sizeof s->path, "%s/socket", s->dir);
	memcpy(a.sun_path, s->path, strlen(s->path) + 1);
	s->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&a, sizeof a) < 0 || listen(s->fd, 128) < 0)
		return err_set(err, -errno, "no socket at '%s': %s", s->path, strerror(errno));
	return 0;
}

void run_sock_close(struct run_sock *s)
{
	for (size_t i = 0; i < s->client.n; i++)
		if (s->client.v[i].fd >= 0)
			close(s->client.v[i].fd);
	vec_free(&s->client);
	if (s->fd >= 0)
		close(s->fd);
	if (*s->dir) {
		unlink(s->path);
		rmdir(s->dir);
	}
	s->fd = -1;
}

void run_sock_accept(struct run_sock *s)
{
	int fd;

	while ((fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		if (s->client.n >= RUN_CLIENTS)
			close(fd);
		else
			*vec_push(&s->client) = (struct run_client){ .fd = fd };
	}
}

int run_sock_say(struct run_sock *s, const struct runmsg *m)
{
	char buf[RUNMSG_MAX];
	size_t n = runmsg_write(m, buf);
	int told = 0;

	for (size_t i = 0; i < s->client.n; i++)
		if (s->client.v[i].fd >= 0 && s->client.v[i].hello)
			told += send(s->client.v[i].fd, buf, n, MSG_NOSIGNAL | MSG_DONTWAIT) ==
				(ssize_t)n;
	return told;
}

int run_sock_next(struct run_sock *s, size_t i, struct runmsg *ret)
{
	struct run_client *c = &s->client.v[i];
	char buf[RUNMSG_MAX];

	while (c->fd >= 0) {
		ssize_t n = recv(c->fd, buf, sizeof buf, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (n <= 0) {
			close(c->fd);
			c->fd = -1;
			return -1;
		}
		if (runmsg_parse((struct sv){ buf, (size_t)n }, ret) < 0)
			continue;
		if (ret->kind == RUN_HELLO) {
			c->hello = true;
			c->rank = ret->rank;
			c->world = ret->world;
		}
		return 1;
	}
	return -1;
}

void run_sock_sweep(struct run_sock *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->client.n; i++)
		if (s->client.v[i].fd >= 0)
			s->client.v[n++] = s->client.v[i];
	s->client.n = n;
}
