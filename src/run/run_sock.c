/* The socket of a run: who is connected, packets in and out. Nothing here ever waits. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "run/run_priv.h"

#define DIR_NAME "tare-run."
#define STALE_S  60 /* a folder so old was bound and locked, or never will be */

/* Does somebody listen there? Where that cannot be known, yes. */
static bool is_heard(int dir_fd)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct stat st;
	int fd, r;

	if (fstatat(dir_fd, "socket", &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno != ENOENT;
	if (!S_ISSOCK(st.st_mode))
		return true; /* not ours */
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	snprintf(a.sun_path, sizeof a.sun_path, "/proc/self/fd/%d/socket", dir_fd);
	r = fd < 0 ? 0 : connect(fd, (struct sockaddr *)&a, sizeof a);
	bool dead = r < 0 && errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return !dead;
}

/* A supervisor that was killed leaves its folder. It goes when it is this user's, no link, nobody
 * holds it locked and nobody listens in it; what else lies in it stays, and it too. */
static void sweep_sockets(const char *base)
{
	int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (e = readdir(dir))) {
		bool named = !strncmp(e->d_name, DIR_NAME, strlen(DIR_NAME));
		if (!named || (e->d_type != DT_DIR && e->d_type != DT_UNKNOWN))
			continue;
		int left = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		struct stat st;
		if (left < 0)
			continue;
		bool ours = fstat(left, &st) == 0 && st.st_uid == geteuid() &&
			    time(NULL) - st.st_mtim.tv_sec > STALE_S;
		if (ours && flock(left, LOCK_EX | LOCK_NB) == 0 && !is_heard(left)) {
			unlinkat(left, "socket", 0);
			unlinkat(fd, e->d_name, AT_REMOVEDIR);
		}
		close(left);
	}
	if (dir)
		closedir(dir);
}

/* A folder of its own, as everybody may write into /tmp; not in the folder of checkpoints, which
 * may be on a network and have a long name. Locked as long as we live. */
static int make_dir(struct run_sock *s)
{
	const char *base[] = { getenv("XDG_RUNTIME_DIR"), "/tmp" };

	for (size_t i = 0; i < 2; i++) {
		if (!base[i] || *base[i] != '/' || strlen(base[i]) > 30)
			continue;
		sweep_sockets(base[i]);
		snprintf(s->dir, sizeof s->dir, "%s/" DIR_NAME "XXXXXX", base[i]);
		if (!mkdtemp(s->dir))
			continue;
		s->dir_fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (s->dir_fd >= 0)
			flock(s->dir_fd, LOCK_EX | LOCK_NB);
		return 0;
	}
	return -errno;
}

int run_sock_open(struct run_sock *s, struct err *err)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	s->fd = s->dir_fd = -1;
	int r = make_dir(s);

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
		if (s->dir_fd >= 0)
			close(s->dir_fd);
	}
	s->fd = s->dir_fd = -1;
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
