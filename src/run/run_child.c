/* The command: started as if tare were not there; its descendants found, signalled, waited for. See
 * run.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/exec.h"
#include "base/sort.h"
#include "run/run_priv.h"
#include "base/shell.h"

static const int taken[] = { SIGTERM, SIGHUP,   SIGUSR1, SIGUSR2, SIGINT, SIGQUIT,
			     SIGALRM, SIGWINCH, SIGTSTP, SIGCONT, SIGCHLD };

int run_signals(struct run_child *c, int *ret_fd, struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		sigaddset(&set, taken[i]);
	pthread_sigmask(SIG_BLOCK, &set, &c->old_mask);
	*ret_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (*ret_fd < 0)
		return err_set(err, -errno, "no signalfd: %s", strerror(errno));
	return 0;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

void run_inherited(struct run_child *c)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		int fd = atoi(e->d_name), flags = -1;
		if (fd > 2)
			flags = fcntl(fd, F_GETFD);
		if (flags >= 0 && !(flags & FD_CLOEXEC))
			*vec_push(&c->fd) = fd;
	}
	if (c->fd.n)
		sort_items(c->fd.v, c->fd.n, sizeof *c->fd.v, by_number);
	c->fds_known = d != NULL;
	if (d)
		closedir(d);
}

static void close_at_exec(unsigned from, unsigned to)
{
#ifdef CLOSE_RANGE_CLOEXEC
	if (from > to || close_range(from, to, CLOSE_RANGE_CLOEXEC) == 0)
		return;
#endif
	for (unsigned fd = from; fd <= to && fd < 4096; fd++) /* a kernel before 5.11 */
		fcntl((int)fd, F_SETFD, FD_CLOEXEC);
}

static _Noreturn void exec_child(const struct run_child *c, char **argv, const char *const *env,
				 size_t nenv, pid_t parent, int report)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent) /* it went before that was in force */
		_exit(125);
	for (size_t i = 0; i < nenv; i++)
		putenv((char *)env[i]);
	if (c->fds_known) { /* it gets those that we inherited */
		unsigned from = 3;
		for (size_t i = 0; i < c->fd.n; i++) {
			close_at_exec(from, (unsigned)c->fd.v[i] - 1);
			from = (unsigned)c->fd.v[i] + 1;
		}
		close_at_exec(from, ~0u);
	}
	/* the program ignores these two for itself */
	signal(SIGPIPE, c->pipe_ignored ? SIG_IGN : SIG_DFL);
	signal(SIGXFSZ, c->xfsz_ignored ? SIG_IGN : SIG_DFL);
	sigprocmask(SIG_SETMASK, &c->old_mask, NULL);
	execvp(argv[0], argv);
	int e = errno;
	while (write(report, &e, sizeof e) < 0 && errno == EINTR)
		;
	_exit(e == ENOENT ? 127 : 126);
}

int run_start(struct run_child *c, char **argv, const char *const *env, size_t nenv, int *ret_code,
	      struct err *err)
{
	int fd[2], e = 0;
	pid_t self = getpid();
	ssize_t n;

	prctl(PR_SET_CHILD_SUBREAPER, 1); /* what it leaves behind is still found and ended */
	if (pipe2(fd, O_CLOEXEC) < 0)
		return err_set(err, -errno, "no pipe: %s", strerror(errno));
	fflush(NULL);
	c->pid = fork();
	if (!c->pid)
		exec_child(c, argv, env, nenv, self, fd[1]);
	e = errno;
	close(fd[1]);
	if (c->pid < 0) {
		close(fd[0]);
		return err_set(err, -e, "cannot start a process: %s", strerror(e));
	}
	while ((n = read(fd[0], &e, sizeof e)) < 0 && errno == EINTR)
		;
	close(fd[0]);
	if (n != sizeof e)
		return 0;
	while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
		;
	c->ended = true;
	*ret_code = exec_failed(argv[0], e, err);
	return -ENOEXEC;
}

/* Only the command itself and its orphans: commands of the notices are children too, and waited for
 * by their own thread (they have groups of their own). */
void run_reap(struct run_child *c)
{
	int status;
	pid_t pid;

	if (!c->ended && waitpid(c->pid, &status, WNOHANG) == c->pid) {
		c->ended = true;
		c->status = status;
	}
	while ((pid = waitpid(0, &status, WNOHANG)) > 0) /* of our own group */
		if (pid == c->pid) {
			c->ended = true;
			c->status = status;
		}
}

static size_t children_of(pid_t pid, pid_t *ret, size_t max)
{
	char path[64];
	DIR *d;
	struct dirent *e;
	size_t n = 0;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	if (!(d = opendir(path)))
		return 0;
	while (n < max && (e = readdir(d))) {
		char file[128];
		int child;
		if (e->d_name[0] == '.')
			continue;
		snprintf(file, sizeof file, "/proc/%d/task/%.20s/children", (int)pid, e->d_name);
		FILE *f = fopen(file, "re");
		while (f && n < max && fscanf(f, "%d", &child) == 1)
			ret[n++] = (pid_t)child;
		if (f)
			fclose(f);
	}
	closedir(d);
	return n;
}

size_t run_tree(pid_t *ret, size_t max)
{
	size_t n = children_of(getpid(), ret, max), k = 0;

	for (size_t i = 0; i < n; i++) /* what asks for notices, prices and stores is ours */
		if (!shell_is_own(ret[i]))
			ret[k++] = ret[i];
	n = k;
	for (size_t i = 0; i < n; i++)
		n += children_of(ret[i], ret + n, max - n);
	return n;
}

static bool handles_signal(pid_t pid, int sig)
{
	char path[64], line[256];
	unsigned long long mask = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	if (!(f = fopen(path, "re")))
		return false;
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "SigCgt: %llx", &mask) == 1)
			break;
	fclose(f);
	return mask >> (sig - 1) & 1;
}

#define TREE_PIDS_MAX 65536

int run_signal_tree(int sig, bool handled_only)
{
	pid_t *pid = xmalloc(TREE_PIDS_MAX * sizeof *pid);
	size_t n = run_tree(pid, TREE_PIDS_MAX);
	int told = 0;

	for (size_t i = 0; i < n; i++)
		if (pid[i] > 1 && (!handled_only || handles_signal(pid[i], sig)))
			told += kill(pid[i], sig) == 0;
	free(pid);
	return told;
}

int run_code(const struct run_child *c)
{
	if (WIFSIGNALED(c->status))
		return 128 + WTERMSIG(c->status);
	return WEXITSTATUS(c->status);
}
