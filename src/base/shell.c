/* See shell.h. */
#include "base/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/tm.h"

extern char **environ;

static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t own[64];

static bool replace_own(pid_t was, pid_t by)
{
	bool found = false;

	pthread_mutex_lock(&own_lock);
	for (size_t i = 0; i < sizeof own / sizeof *own && !found; i++)
		if (own[i] == was) {
			own[i] = by;
			found = true;
		}
	pthread_mutex_unlock(&own_lock);
	return found;
}

void shell_own(pid_t pid, bool runs)
{
	if (pid <= 0)
		return;
	if (runs)
		replace_own(0, pid);
	else
		replace_own(pid, 0);
}

bool shell_is_own(pid_t pid)
{
	return pid > 0 && replace_own(pid, pid);
}

static int spawn_shell(const char *command, int out, pid_t *ret)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t none, usual;
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };
	int r;

	sigemptyset(&none);
	sigemptyset(&usual);
	/* this program ignores the two for itself; "yes | head -1" needs the first */
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGXFSZ);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out, 1);
	posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&at);
	posix_spawnattr_setsigmask(&at, &none);
	posix_spawnattr_setsigdefault(&at, &usual);
	posix_spawnattr_setpgroup(&at, 0);
	posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
					      POSIX_SPAWN_SETPGROUP);
	r = posix_spawn(ret, "/bin/sh", &fa, &at, argv, environ);
	posix_spawnattr_destroy(&at);
	posix_spawn_file_actions_destroy(&fa);
	return r;
}

int shell_run(const char *command, const struct shell_opt *opt, char *buf, size_t cap,
	      size_t *ret_n)
{
	int fd[2], status = -1;
	int64_t until = tm_mono_ms() + opt->limit_ms;
	pid_t pid;
	bool open_end = true;

	*ret_n = 0;
	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	fcntl(fd[1], F_SETFL, 0);
	int r = spawn_shell(command, fd[1], &pid);
	pid_t started = 0;
	if (!r)
		started = pid;
	shell_own(started, true);
	close(fd[1]);
	while (!r && tm_mono_ms() < until && !(opt->stopped && opt->stopped(opt->ctx))) {
		char more[512];
		struct pollfd p = { open_end ? fd[0] : -1, POLLIN, 0 };
		poll(&p, 1, open_end ? 200 : 20);
		ssize_t n = 0;
		if (open_end)
			n = read(fd[0], more, sizeof more);
		for (ssize_t i = 0; i < n && *ret_n < cap; i++)
			buf[(*ret_n)++] = more[i];
		open_end = open_end && (n > 0 || (n < 0 && errno == EAGAIN));
		if (waitpid(pid, &status, WNOHANG) == pid) {
			pid = 0;
			/* what it had written by then */
			for (ssize_t n2; (n2 = read(fd[0], more, sizeof more)) > 0;)
				for (ssize_t i = 0; i < n2 && *ret_n < cap; i++)
					buf[(*ret_n)++] = more[i];
			break;
		}
	}
	close(fd[0]);
	if (!r && pid) {
		kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	shell_own(started, false);
	if (r || pid)
		return -1;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return -1;
}
