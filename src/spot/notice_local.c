/* Notices from this machine: a file that appears, a command that ends with 0, the end of a Slurm job's time. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/tm.h"
#include "spot/notice_priv.h"

extern char **environ;

/* "90s", "2026-11-21T10:00:00Z" or anything else: when, and what is said. */
static int64_t when_of(struct sv text, int64_t now_ms)
{
	struct sv rest, line = sv_trim(sv_cut(text, '\n', &rest));
	int64_t v;

	if (tm_parse_span(line, &v) >= 0)
		return now_ms + v;
	return tm_parse(line, 0, &v) >= 0 ? v : INT64_MIN;
}

/* ---- a file ----------------------------------------------------------------------------------------------------------------------- */

static void watch_folder(struct notice_src *s, const char *path)
{
	struct str dir = { 0 };
	const char *slash = strrchr(path, '/');

	str_add(&dir, slash ? path : ".", slash ? (size_t)(slash - path) + (slash == path) : 1);
	if ((s->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) >= 0 && inotify_add_watch(s->fd, str_z(&dir), IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM) < 0) {
		close(s->fd); /* the folder is not there, or no watches are left: once a second will do */
		s->fd = -1;
	}
	str_free(&dir);
}

static int64_t file_ask(struct notice_src *s)
{
	const char *path = notice_options(s)->file;
	char buf[1024], key[64];
	struct stat st;

	if (s->fd < 0)
		watch_folder(s, path);
	if (stat(path, &st) < 0)
		notice_say(s, NOTICE_NONE, INT64_MIN, SV(""), "the file is gone");
	else {
		int fd = S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
		ssize_t n = fd < 0 ? 0 : read(fd, buf, sizeof buf);
		if (fd >= 0)
			close(fd);
		struct sv text = { buf, n > 0 ? (size_t)n : 0 }, rest;
		char what[120];
		sv_clean(sv_cut(text, '\n', &rest), what, sizeof what);
		snprintf(key, sizeof key, "%lld", (long long)st.st_ino);
		notice_say(s, NOTICE_STOP, when_of(text, notice_wall_ms()), sv_of(key), *what ? what : "the file is there");
	}
	if (s->fd < 0)
		return 1000;
	struct pollfd p = { s->fd, POLLIN, 0 };
	if (poll(&p, 1, 1000) > 0 && read(s->fd, buf, sizeof buf) > 0) /* a second: the end of the watch is seen, and what inotify does not (NFS) */
		usleep(2000);				 /* whoever makes it has then written it, most likely */
	return 0;
}

/* ---- a command ---------------------------------------------------------------------------------------------------------------------- */

#define COMMAND_MS 20000

static int spawn(const char *command, int out, pid_t *ret)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t none;
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };
	int r;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out, 1);
	posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&at);
	posix_spawnattr_setsigmask(&at, &none);
	posix_spawnattr_setpgroup(&at, 0);
	posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	r = posix_spawn(ret, "/bin/sh", &fa, &at, argv, environ);
	posix_spawnattr_destroy(&at);
	posix_spawn_file_actions_destroy(&fa);
	return r;
}

/* Its exit code, or -1: killed, too slow. buf gets the start of what it wrote. */
static int run(struct notice_src *s, const char *command, char *buf, size_t cap, size_t *ret_n)
{
	int fd[2], status = -1;
	int64_t until = notice_mono_ms() + COMMAND_MS;
	pid_t pid;
	bool open_end = true;

	*ret_n = 0;
	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	fcntl(fd[1], F_SETFL, 0);
	int r = spawn(command, fd[1], &pid);
	close(fd[1]);
	while (!r && notice_mono_ms() < until && !notice_stopped(s)) {
		char more[512];
		struct pollfd p = { open_end ? fd[0] : -1, POLLIN, 0 };
		poll(&p, 1, open_end ? 200 : 20);
		ssize_t n = open_end ? read(fd[0], more, sizeof more) : 0;
		for (ssize_t i = 0; i < n && *ret_n < cap; i++)
			buf[(*ret_n)++] = more[i];
		open_end = open_end && (n > 0 || (n < 0 && errno == EAGAIN));
		if (waitpid(pid, &status, WNOHANG) == pid) {
			pid = 0;
			break;
		}
	}
	close(fd[0]);
	if (r)
		return -1;
	if (pid) {
		kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		return -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int64_t command_ask(struct notice_src *s)
{
	int64_t poll_ms = notice_options(s)->poll_ms > 0 ? notice_options(s)->poll_ms : 5000;
	char buf[512], what[120];
	size_t n;
	int code = run(s, notice_options(s)->command, buf, sizeof buf, &n);
	struct sv text = { buf, n }, rest;

	if (code < 0 && !notice_stopped(s))
		return notice_trouble(s, "the command was killed, or took more than %d s", COMMAND_MS / 1000), poll_ms;
	if (code == 126 || code == 127)
		return notice_trouble(s, "the command cannot be run (exit code %d)", code), poll_ms;
	notice_fine(s);
	sv_clean(sv_cut(text, '\n', &rest), what, sizeof what);
	if (code == 0)
		notice_say(s, NOTICE_STOP, when_of(text, notice_wall_ms()), SV("0"), *what ? what : "the command says so");
	else
		notice_say(s, NOTICE_NONE, INT64_MIN, SV(""), "the command says so no more");
	return poll_ms;
}

/* ---- Slurm ---------------------------------------------------------------------------------------------------------------------------- */

#define SLURM_AHEAD_MS 600000 /* told ten minutes before the limit: a checkpoint at leisure, then the stop in time */

static int64_t slurm_ask(struct notice_src *s)
{
	const char *z = getenv("SLURM_JOB_END_TIME");
	int64_t end_s, left;

	if (!z || sv_i64(sv_of(z), &end_s) < 0 || end_s <= 0 || end_s > INT64_C(100000000000))
		return -1;
	left = end_s * 1000 - notice_wall_ms();
	if (left > SLURM_AHEAD_MS)
		return left - SLURM_AHEAD_MS < 30000 ? left - SLURM_AHEAD_MS : 30000; /* by the wall clock, which may jump */
	notice_say(s, NOTICE_STOP, end_s * 1000, SV("limit"), "the time limit of the job");
	return -1;
}

const struct notice_ops notice_file = { "file", file_ask, NULL, 30000, true };
const struct notice_ops notice_command = { "command", command_ask, NULL, 30000, true };
const struct notice_ops notice_slurm = { "slurm", slurm_ask, NULL, 60000, false };
