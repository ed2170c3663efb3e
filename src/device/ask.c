#include "device/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/tm.h"

#define WHY_BYTES 400

extern char **environ;

struct child {
	pid_t pid;
	int out, errs; /* -1: closed */
	struct str *text;
	struct str why;
	size_t max;
};

static int start_child(struct child *c, const char *const *argv)
{
	static char tz[] = "TZ=UTC", lc[] = "LC_ALL=C";
	posix_spawn_file_actions_t act;
	posix_spawnattr_t attr;
	sigset_t none;
	int o[2], e[2], rc;

	if (pipe2(o, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(e, O_CLOEXEC) < 0) {
		rc = -errno;
		close(o[0]);
		close(o[1]);
		return rc;
	}
	sigemptyset(&none);
	posix_spawn_file_actions_init(&act);
	posix_spawn_file_actions_addopen(&act, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&act, o[1], 1);
	posix_spawn_file_actions_adddup2(&act, e[1], 2);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &none);
	/* our environment, but with times in UTC and in the standard form */
	VEC(char *) env = { 0 };
	for (char **v = environ; v && *v; v++)
		if (strncmp(*v, "TZ=", 3) && strncmp(*v, "LC_ALL=", 7) &&
		    strncmp(*v, "SLURM_TIME_FORMAT=", 18) && strncmp(*v, "SQUEUE_", 7))
			*vec_push(&env) = *v;
	*vec_push(&env) = tz;
	*vec_push(&env) = lc;
	*vec_push(&env) = NULL;
	rc = -posix_spawnp(&c->pid, argv[0], &act, &attr, (char *const *)argv, env.v);
	vec_free(&env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&act);
	close(o[1]);
	close(e[1]);
	c->out = o[0];
	c->errs = e[0];
	return rc;
}

/* Take what is there; closes the end that is at its end. */
static int take_output(struct child *c, int *fd, struct str *to, size_t max)
{
	char buf[16384];
	ssize_t n = read(*fd, buf, sizeof buf);

	if (n < 0 && errno == EINTR)
		return 0;
	if (n <= 0) {
		close(*fd);
		*fd = -1;
		return 0;
	}
	if (to->n + (size_t)n <= max)
		str_add(to, buf, (size_t)n);
	else if (to == c->text)
		return -EMSGSIZE;
	return 0;
}

static int listen_to(struct child *c, int64_t until)
{
	while (c->out >= 0 || c->errs >= 0) {
		struct pollfd p[2] = { { c->out, POLLIN, 0 }, { c->errs, POLLIN, 0 } };
		int64_t left = until - tm_awake_ms();
		int rc = 0;
		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(p, 2, (int)left) < 0 && errno != EINTR)
			return -errno;
		if (p[0].revents)
			rc = take_output(c, &c->out, c->text, c->max);
		if (!rc && p[1].revents)
			rc = take_output(c, &c->errs, &c->why, WHY_BYTES);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Its status, waited for until the limit, then killed; -1 where it had to be. */
static int reap_child(struct child *c, int64_t until, bool kill_now)
{
	int status;

	for (;;) {
		if (kill_now || tm_awake_ms() >= until) {
			kill(-c->pid, SIGKILL);
			waitpid(c->pid, &status, 0);
			return -1;
		}
		pid_t r = waitpid(c->pid, &status, WNOHANG);
		if (r == c->pid) {
			if (WIFEXITED(status))
				return WEXITSTATUS(status);
			return 128;
		}
		if (r < 0 && errno != EINTR)
			return 0; /* SIGCHLD is ignored here: its output has to do */
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	}
}

int ask_run(const char *const *argv, int64_t limit_ms, size_t max, struct str *out, struct err *err)
{
	struct child c = { .out = -1, .errs = -1, .text = out, .max = max };
	int64_t until = tm_awake_ms() + limit_ms;
	int status = 0, rc = start_child(&c, argv);
	char why[200];

	str_clear(out);
	if (!rc) {
		rc = listen_to(&c, until);
		status = reap_child(&c, until, rc < 0);
	}
	struct sv rest, line = sv_cut(str_sv(&c.why), '\n', &rest);
	if (rc == -ETIMEDOUT || (!rc && status < 0))
		rc = err_set(err, -ETIMEDOUT, "'%s' did not answer within %lld ms", argv[0],
			     (long long)limit_ms);
	else if (rc == -EMSGSIZE)
		err_set(err, rc, "'%s' printed more than %zu bytes", argv[0], max);
	else if (rc < 0)
		err_set(err, rc, "'%s': %s", argv[0], strerror(-rc));
	else if (status)
		rc = err_set(err, -EIO, "'%s' failed with status %d%s%s", argv[0], status,
			     text_if(sv_clean(line, why, sizeof why), ": "), why);
	if (c.out >= 0)
		close(c.out);
	if (c.errs >= 0)
		close(c.errs);
	str_free(&c.why);
	return rc;
}
