/* A command as a store; what it is asked and how it answers is in object.h and docs/SURVIVE.md. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/shell.h"
#include "base/str.h"
#include "object/object_priv.h"

enum { ARGS = 40, NO_KEY = 3, IS_THERE = 4, CANNOT = 64, STOP_AFTER_MS = 600000 };
#define ANSWER_MAX ((size_t)256 << 20) /* a list of some million keys */
#define ERROR_MAX  400
#define PIECE      262144

static int cmd_open(struct object_store *s, const char *rest, const struct object_opt *opt,
		    struct err *err)
{
	if (!rest[strspn(rest, " ")])
		return err_set(err, -EINVAL, "'cmd:' names no command");
	s->path = xstrdup(rest);
	return 0;
}

/* A run of the command: bytes for its standard input, a taker of its standard output. */
struct call {
	struct object_store *s;
	const char *arg[4];
	const struct object_src *in; /* or NULL */
	int (*take)(struct call *c, const char *p, size_t n);
	struct str text; /* what take_text keeps */
	int fd;
	uint64_t to_offset, to_max, got, sent;
	char *mem;
	struct str why; /* standard error */
	const struct object_when *when;
};

static int take_text(struct call *c, const char *p, size_t n)
{
	if (c->text.n + n > ANSWER_MAX)
		return -EMSGSIZE;
	str_add(&c->text, p, n);
	return 0;
}

static int take_bytes(struct call *c, const char *p, size_t n)
{
	if (n > c->to_max - c->got)
		return -EMSGSIZE;
	if (c->mem) {
		memcpy(c->mem + c->got, p, n);
		c->got += n;
		return 0;
	}
	while (n) {
		ssize_t put = pwrite(c->fd, p, n, (off_t)(c->to_offset + c->got));
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		p += put;
		n -= (size_t)put;
		c->got += (uint64_t)put;
	}
	return 0;
}

/* Some bytes of the source to the command, without blocking. 1: all are there. */
static int feed_command(struct call *c, int to, char *buf)
{
	uint64_t left = c->in->bytes - c->sent;
	ssize_t n = PIECE;
	const char *p = buf;

	if (left < PIECE)
		n = (ssize_t)left;
	if (!left)
		return 1;
	if (c->in->mem)
		p = (const char *)c->in->mem + c->sent;
	else if ((n = pread(c->in->fd, buf, (size_t)n, (off_t)(c->in->offset + c->sent))) <= 0) {
		if (n < 0)
			return -errno;
		return -ENODATA;
	}
	n = write(to, p, (size_t)n);
	if (n < 0)
	/* who does not want it says why */
	{
		if (errno == EAGAIN || errno == EINTR)
			return 0;
		if (errno == EPIPE)
			return 1;
		return -errno;
	}
	c->sent += (uint64_t)n;
	return c->sent == c->in->bytes;
}

static int drain_command(struct call *c, int from, char *buf, bool is_error)
{
	ssize_t n = read(from, buf, PIECE);

	if (n < 0) {
		if (errno == EAGAIN || errno == EINTR)
			return 0;
		return -errno;
	}
	if (n == 0)
		return 1;
	if (is_error) {
		if (c->why.n < ERROR_MAX)
			str_add(&c->why, buf, min_size((size_t)n, ERROR_MAX));
		return 0;
	}
	return c->take(c, buf, (size_t)n);
}

static void shut_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int talk_to_command(struct call *c, int to, int from, int bad)
{
	char *buf = xmalloc(PIECE);
	int rc = 0;
	int64_t end = c->when && c->when->deadline_ms != INT64_MAX
			      ? c->when->deadline_ms
			      : object_now_ms(c->when) + STOP_AFTER_MS;

	if (!c->in)
		shut_fd(&to);
	while (rc >= 0 && (from >= 0 || bad >= 0)) {
		struct pollfd p[3] = { { .fd = to, .events = POLLOUT },
				       { .fd = from, .events = POLLIN },
				       { .fd = bad, .events = POLLIN } };
		int64_t left = end - object_now_ms(c->when);
		rc = -ETIME;
		if (left > 0)
			rc = poll(p, 3, (int)min_i64(left, 1000));
		if (rc < 0 && rc != -ETIME)
			rc = errno == EINTR ? 0 : -errno;
		if (rc >= 0 && p[0].revents && (rc = feed_command(c, to, buf)) == 1)
			shut_fd(&to);
		if (rc >= 0 && p[1].revents && (rc = drain_command(c, from, buf, false)) == 1)
			shut_fd(&from);
		if (rc >= 0 && p[2].revents && (rc = drain_command(c, bad, buf, true)) == 1)
			shut_fd(&bad);
		if (rc >= 0 && (c->sent || c->got || c->text.n) &&
		    (!c->when || c->when->deadline_ms == INT64_MAX) && rc != 0)
			end = object_now_ms(c->when) + STOP_AFTER_MS;
	}
	shut_fd(&to);
	shut_fd(&from);
	shut_fd(&bad);
	free(buf);
	if (rc < 0)
		return rc;
	return 0;
}

/* The child of start_command(): it becomes the command and does not come back. */
_Noreturn static void become(const struct call *c, int in, int out, int bad)
{
	char *words = xstrdup(c->s->path), *save = NULL, *argv[ARGS + 8];
	int n = 0;
	sigset_t none;

	for (char *w = strtok_r(words, " ", &save); w && n < ARGS; w = strtok_r(NULL, " ", &save))
		argv[n++] = w;
	for (size_t i = 0; i < 4 && c->arg[i]; i++)
		argv[n++] = (char *)(uintptr_t)c->arg[i];
	argv[n] = NULL;
	/* the children of our group are the command of a run and its orphans, and are
	 * waited for by others (run_child.c) */
	setpgid(0, 0);
	/* the end of its input would look like the end of an object */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(bad, 2) < 0)
		_exit(126);
	execvp(argv[0], argv);
	dprintf(2, "cannot run '%s': %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int start_command(struct call *c, pid_t *ret_pid, int ret_fd[3])
{
	int p[3][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 } }, rc = 0;

	for (int i = 0; i < 3 && rc == 0; i++)
		rc = pipe2(p[i], O_CLOEXEC) < 0 ? -errno : 0;
	if (rc == 0 && (*ret_pid = fork()) < 0)
		rc = -errno;
	if (rc == 0 && *ret_pid == 0)
		become(c, p[0][0], p[1][1], p[2][1]);
	if (rc == 0)
		setpgid(*ret_pid, *ret_pid); /* whoever of us is first */
	ret_fd[0] = p[0][1];
	ret_fd[1] = p[1][0];
	ret_fd[2] = p[2][0];
	shut_fd(&p[0][0]);
	shut_fd(&p[1][1]);
	shut_fd(&p[2][1]);
	for (int i = 0; i < 3; i++) {
		if (rc < 0)
			shut_fd(&ret_fd[i]);
		else
			fcntl(ret_fd[i], F_SETFL, O_NONBLOCK);
	}
	return rc;
}

static int read_outcome(struct call *c, int status, struct err *err)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	struct sv rest, line = sv_trim(sv_cut(sv_trim(str_sv(&c->why)), '\n', &rest));
	char shown[ERROR_MAX + 1];
	size_t n = min_size(line.n, ERROR_MAX);

	for (size_t i = 0; i < n; i++)
		shown[i] = (unsigned char)line.p[i] < ' ' || line.p[i] == 127 ? ' ' : line.p[i];
	shown[n] = 0;
	if (code == 0)
		return 0;
	if (code == NO_KEY)
		return err_set(err, -ENOENT, "there is no '%s' in '%s'", c->arg[1], c->s->url);
	if (code == IS_THERE)
		return err_set(err, -EEXIST, "'%s' is in '%s' already", c->arg[1], c->s->url);
	if (code == CANNOT)
		return err_set(err, -ENOSYS, "'%s' cannot %s", c->s->url, c->arg[0]);
	if (code < 0)
		return err_set(err, -EIO, "'%s %s' was ended by signal %d", c->s->path, c->arg[0],
			       WTERMSIG(status));
	return err_set(err, -EIO, "'%s %s' failed with exit code %d%s%s", c->s->path, c->arg[0],
		       code, text_if(n, ": "), shown);
}

static int call_command(struct call *c, struct err *err)
{
	pid_t pid = -1;
	int fd[3], status = 0, rc;
	sigset_t pipe_set, old;

	sigemptyset(&pipe_set); /* a command that does not read its input must not end us */
	sigaddset(&pipe_set, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_set, &old);
	rc = start_command(c, &pid, fd);
	if (rc == 0) {
		shell_own(pid, true);
		rc = talk_to_command(c, fd[0], fd[1], fd[2]);
		if (rc < 0)
			kill(-pid, SIGKILL);
		pid_t ended;
		while ((ended = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
			;
		if (ended < 0 && rc == 0) /* how it ended is not known: not well */
			rc = -errno;
		shell_own(pid, false);
	}
	struct timespec now = { 0 };
	while (sigtimedwait(&pipe_set, NULL, &now) > 0)
		;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc == -ETIME)
		err_set(err, rc, "the time is over before '%s %s' was done", c->s->path, c->arg[0]);
	else if (rc < 0)
		err_set(err, rc, "cannot speak to '%s': %s", c->s->path, strerror(-rc));
	else
		rc = read_outcome(c, status, err);
	str_free(&c->why);
	return rc;
}

static int cmd_size(struct object_store *s, const char *key, uint64_t *ret, struct err *err)
{
	struct call c = { .s = s, .arg = { "size", key }, .take = take_text };
	int64_t n;
	int rc = call_command(&c, err);

	if (rc == 0 && (sv_i64(sv_trim(str_sv(&c.text)), &n) < 0 || n < 0))
		rc = err_set(err, -EPROTO, "'%s size' does not print a size", s->path);
	else if (rc == 0)
		*ret = (uint64_t)n;
	str_free(&c.text);
	return rc;
}

/* A command is given all bytes again: a tag helps nothing. */
static int cmd_put(struct object_store *s, const char *key, const struct object_put *put,
		   uint64_t *ret_sent, struct err *err)
{
	struct call c = { .s = s,
			  .arg = { put->only_new && !s->no_condition ? "put-new" : "put", key },
			  .in = put->src,
			  .take = take_text,
			  .when = put->when };
	uint64_t size;
	int rc;

	if (put->only_new && s->no_condition && (rc = cmd_size(s, key, &size, err)) != -ENOENT) {
		if (rc < 0)
			return rc;
		return err_set(err, -EEXIST, "'%s' is in '%s' already", key, s->url);
	}
	rc = call_command(&c, err);
	*ret_sent += c.sent;
	str_free(&c.text);
	if (rc == 0 && c.sent != put->src->bytes)
		rc = err_set(err, -EIO, "'%s put' did not read all bytes of '%s'", s->path, key);
	if (rc == -ENOSYS && put->only_new && !s->no_condition) {
		s->no_condition = true;
		return cmd_put(s, key, put, ret_sent, err);
	}
	return rc;
}

static int cmd_get(struct object_store *s, const char *key, const struct object_get *get,
		   uint64_t *ret_bytes, struct err *err)
{
	char from[24], n[24] = "-";
	struct call c = { .s = s,
			  .arg = { "get", key, from, n },
			  .take = take_bytes,
			  .fd = get->fd,
			  .to_offset = get->to_offset,
			  .to_max = get->bytes,
			  .mem = get->mem,
			  .when = get->when };

	snprintf(from, sizeof from, "%" PRIu64, get->offset);
	if (get->bytes != UINT64_MAX)
		snprintf(n, sizeof n, "%" PRIu64, get->bytes);
	int rc = call_command(&c, err);
	*ret_bytes = c.got;
	return rc;
}

static int cmd_list(struct object_store *s, const char *prefix, struct arena *a,
		    struct object_key **ret, size_t *ret_n, struct err *err)
{
	struct call c = { .s = s, .arg = { "list", prefix }, .take = take_text };
	VEC(struct object_key) v = { 0 };
	int rc = call_command(&c, err);
	struct sv rest = str_sv(&c.text);
	int64_t n;

	while (rc == 0 && rest.n) {
		struct sv key, size = sv_cut(sv_cut(rest, '\n', &rest), ' ', &key);
		if (sv_i64(size, &n) < 0 || n < 0 || !key.n || memchr(key.p, 0, key.n))
			rc = err_set(err, -EPROTO, "'%s list' prints a line that is not SIZE KEY",
				     s->path);
		else if (sv_starts(key, sv_of(prefix)))
			*vec_push(&v) = (struct object_key){ arena_sv(a, key), (uint64_t)n };
	}
	if (rc == 0 && v.n) {
		*ret = arena_alloc(a, v.n * sizeof **ret);
		memcpy(*ret, v.v, v.n * sizeof **ret);
	}
	*ret_n = v.n;
	vec_free(&v);
	str_free(&c.text);
	return rc;
}

static int cmd_del(struct object_store *s, const char *key, struct err *err)
{
	struct call c = { .s = s, .arg = { "delete", key }, .take = take_text };
	int rc = call_command(&c, err);

	str_free(&c.text);
	if (rc == -ENOENT)
		return 0;
	return rc;
}

const struct object_ops object_cmd_ops = { "cmd:",   cmd_open, cmd_put, cmd_get,
					   cmd_size, cmd_list, cmd_del, NULL };
