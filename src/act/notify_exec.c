/* A program of the operator's, with the JSON on its standard input. No shell; the arguments are
 * those of the settings alone. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "act/exec.h"
#include "act/notify.h"
#include "base/str.h"
#include "base/tm.h"

extern char **environ;

struct child {
	pid_t pid;
	int in, errfd;
	char said[160];
	size_t nsaid;
};

/* Standard input is a socket, so that a program that does not read costs us no SIGPIPE. */
static int start_command(const char *who, const char *const *argv, struct child *c, struct err *err)
{
	int in[2], er[2], r;
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t none, usual;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) < 0)
		return err_set(err, -errno, "%s: no socket: %s", who, strerror(errno));
	if (pipe2(er, O_CLOEXEC) < 0) {
		close(in[0]);
		close(in[1]);
		return err_set(err, -EMFILE, "%s: no pipe", who);
	}
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, in[1], 0);
	posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, er[1], 2);
	posix_spawnattr_init(&at);
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&at, &none);
	sigemptyset(&usual); /* what tare ignores for itself */
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGTERM);
	posix_spawnattr_setsigdefault(&at, &usual);
	posix_spawnattr_setpgroup(&at, 0);
	posix_spawnattr_setflags(&at, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
					      POSIX_SPAWN_SETSIGDEF);
	/* argv ends with NULL */
	r = posix_spawnp(&c->pid, argv[0], &fa, &at, (char *const *)(void *)argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&at);
	close(in[1]);
	close(er[1]);
	if (r) {
		close(in[0]);
		close(er[0]);
		return err_set(err, -r, "%s: '%s' cannot be started: %s", who, argv[0],
			       strerror(r));
	}
	c->in = in[0];
	c->errfd = er[0];
	return 0;
}

static void read_stderr(struct child *c)
{
	char buf[512];
	ssize_t n = read(c->errfd, buf, sizeof buf);

	if (n <= 0) {
		close(c->errfd);
		c->errfd = -1;
		return;
	}
	for (ssize_t i = 0; i < n && c->nsaid + 1 < sizeof c->said; i++)
		c->said[c->nsaid++] = buf[i] >= 0x20 && buf[i] < 0x7f ? buf[i] : ' ';
	c->said[c->nsaid] = 0;
}

static void feed_stdin(struct child *c, struct sv *body)
{
	ssize_t n = send(c->in, body->p, body->n, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n > 0) {
		body->p += n;
		body->n -= (size_t)n;
	}
	bool later = n < 0 && (errno == EAGAIN || errno == EINTR);
	if (body->n == 0 || (n < 0 && !later)) {
		close(c->in);
		c->in = -1;
	}
}

/* Until it has ended or the time is over. False: it was killed. */
static bool attend_child(struct child *c, struct sv body, int64_t until_ms, int *ret_status)
{
	for (;;) {
		struct pollfd p[2] = { { c->in, POLLOUT, 0 }, { c->errfd, POLLIN, 0 } };
		if (waitpid(c->pid, ret_status, WNOHANG) == c->pid)
			return true;
		if (tm_awake_ms() >= until_ms)
			break;
		poll(p, 2, 20);
		if (p[0].revents)
			feed_stdin(c, &body);
		if (p[1].revents)
			read_stderr(c);
	}
	kill(-c->pid, SIGKILL);
	waitpid(c->pid, ret_status, 0);
	return false;
}

int act_exec(const char *who, const char *const *argv, int64_t timeout_ms, struct sv body,
	     struct err *err)
{
	struct child c = { .in = -1, .errfd = -1 };
	int status = 0, r = start_command(who, argv, &c, err);

	if (r < 0)
		return r;
	bool ended = attend_child(&c, body, tm_awake_ms() + timeout_ms, &status);
	if (ended && c.errfd >= 0) {
		struct pollfd p = { c.errfd, POLLIN, 0 };
		if (poll(&p, 1, 0) > 0)
			read_stderr(&c);
	}
	if (c.in >= 0)
		close(c.in);
	if (c.errfd >= 0)
		close(c.errfd);
	if (!ended)
		return err_set(err, -ETIMEDOUT, "%s: '%s' did not end within %lld s and was killed",
			       who, argv[0], (long long)(timeout_ms / 1000));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFSIGNALED(status))
		return err_set(err, -EAGAIN, "%s: '%s' died of signal %d%s%s", who, argv[0],
			       WTERMSIG(status), text_if(c.nsaid, ": "), c.said);
	return err_set(err, -EAGAIN, "%s: '%s' ended with %d%s%s", who, argv[0],
		       WEXITSTATUS(status), text_if(c.nsaid, ": "), c.said);
}

int notify_exec_run(const struct notify_target *t, struct sv body, struct err *err)
{
	char who[200];

	snprintf(who, sizeof who, "receiver '%s'", t->name);
	return act_exec(who, t->argv.v, t->timeout_ms, body, err);
}
