/* Notices from this machine: a file that appears, a command that ends with 0, the end of a Slurm
 * job's time. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "run/notice_priv.h"
#include "base/shell.h"

/* "90s", "2026-11-21T10:00:00Z" or anything else: when, and what is said. */
static int64_t when_of(struct sv text, int64_t now_ms)
{
	struct sv rest, line = sv_trim(sv_cut(text, '\n', &rest));
	int64_t v;

	if (tm_parse_span(line, &v) >= 0)
		return now_ms + v;
	if (tm_parse(line, 0, &v) >= 0)
		return notice_told_ms(NULL, v);
	return INT64_MIN;
}

/* ---- a file ------------------------------------------------------------------------------ */

static int64_t file_ask(struct notice_src *s)
{
	const char *path = notice_options(s)->file;
	char buf[1024], key[64];
	struct stat st;

	if (s->fd < 0) {
		struct str dir = { 0 };
		const char *slash = strrchr(path, '/');

		str_add(&dir, slash ? path : ".",
			slash ? (size_t)(slash - path) + (slash == path) : 1);
		if ((s->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) >= 0 &&
		    inotify_add_watch(s->fd, str_z(&dir),
				      IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE |
					      IN_MOVED_FROM) < 0) {
			/* the folder is not there, or no watches are left: once a second will do */
			close(s->fd);
			s->fd = -1;
		}
		str_free(&dir);
	}
	if (stat(path, &st) < 0)
		notice_say(s, NOTICE_NONE, INT64_MIN, SV(""), "the file is gone");
	else {
		int fd = S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
		ssize_t n = 0;
		if (fd >= 0)
			n = read(fd, buf, sizeof buf);
		if (fd >= 0)
			close(fd);
		struct sv text = { buf, n > 0 ? (size_t)n : 0 }, rest;
		char what[120];
		sv_clean(sv_cut(text, '\n', &rest), what, sizeof what);
		snprintf(key, sizeof key, "%lld", (long long)st.st_ino);
		notice_say(s, NOTICE_STOP, when_of(text, tm_steady_ms()), sv_of(key),
			   filled_or(what, "the file is there"));
	}
	if (s->fd < 0)
		return 1000;
	struct pollfd p = { s->fd, POLLIN, 0 };
	/* a second: the end of the watch is seen, and what inotify does not (NFS) */
	if (poll(&p, 1, 1000) > 0 && read(s->fd, buf, sizeof buf) > 0)
		/* whoever makes it has then written it, most likely */
		usleep(2000);
	return 0;
}

/* ---- a command --------------------------------------------------------------------------- */

#define COMMAND_MS 20000

static bool is_stopped(void *ctx)
{
	return notice_stopped(ctx);
}

static int64_t command_ask(struct notice_src *s)
{
	int64_t poll_ms = notice_options(s)->poll_ms > 0 ? notice_options(s)->poll_ms : 5000;
	char buf[512], what[120];
	size_t n;
	int code = shell_run(notice_options(s)->command,
			     &(struct shell_opt){ COMMAND_MS, is_stopped, s }, buf, sizeof buf, &n);
	struct sv text = { buf, n }, rest;

	if (code < 0 && !notice_stopped(s)) {
		notice_trouble(s, "the command was killed, or took more than %d s",
			       COMMAND_MS / 1000);
		return poll_ms;
	}
	if (code == 126 || code == 127) {
		notice_trouble(s, "the command cannot be run (exit code %d)", code);
		return poll_ms;
	}
	notice_fine(s);
	sv_clean(sv_cut(text, '\n', &rest), what, sizeof what);
	if (code == 0)
		notice_say(s, NOTICE_STOP, when_of(text, tm_steady_ms()), SV("0"),
			   filled_or(what, "the command says so"));
	else
		notice_say(s, NOTICE_NONE, INT64_MIN, SV(""), "the command says so no more");
	return poll_ms;
}

/* ---- Slurm ------------------------------------------------------------------------------- */

/* told ten minutes before the limit: a checkpoint at leisure, then the stop in time */
#define SLURM_AHEAD_MS 600000

/* its controller, which is everybody's, is asked no more often: limits are seldom changed */
#define SLURM_ASK_MS 1800000
#define SLURM_TRY_MS 300000 /* it did not answer */

/* What `squeue -o %L` writes: [DAYS-]HH:MM:SS, MM:SS, UNLIMITED. False: neither. INT64_MAX: no
 * limit. */
static bool notice_slurm_left(struct sv text, int64_t *ret_ms)
{
	struct sv rest = SV_NULL, day, part = sv_trim(sv_cut(text, '\n', &rest));
	int64_t v, days = 0, s = 0;
	int n = 0;

	*ret_ms = INT64_MAX;
	if (sv_is(part, "UNLIMITED") || sv_is(part, "NOT_SET"))
		return true;
	day = sv_cut(part, '-', &rest);
	if (rest.p && (sv_i64(day, &days) < 0 || !within_i64(days, 0, 36500)))
		return false;
	struct sv left = part;
	if (rest.p)
		left = rest;
	for (; left.p && n < 3; n++) {
		struct sv number = sv_cut(left, ':', &left);
		if (sv_i64(number, &v) < 0 || v < 0 || v > 100000)
			return false;
		s = s * 60 + v;
	}
	*ret_ms = (days * 86400 + s) * 1000;
	return n >= 2 && !left.p;
}

/* By the environment (Slurm 23.02 and later), else by the controller. */
static int64_t slurm_ask(struct notice_src *s)
{
	const char *z = getenv("SLURM_JOB_END_TIME"), *job = getenv("SLURM_JOB_ID");
	int64_t end_s = 0, left;
	char buf[128], command[100];
	size_t n = 0;

	if (z && sv_i64(sv_of(z), &end_s) == 0 && end_s > 0 && end_s < INT64_C(100000000000))
		left = end_s * 1000 - tm_steady_ms();
	else {
		if (!job || !*job)
			return -1;
		if (strlen(job) > 20 || strspn(job, "0123456789") != strlen(job))
			return -1;
		snprintf(command, sizeof command, "squeue -h -j %s -o %%L", job);
		int code = shell_run(command, &(struct shell_opt){ COMMAND_MS, is_stopped, s }, buf,
				     sizeof buf, &n);
		if (code == 126 || code == 127) /* a container without Slurm's programs */
			return -1;
		if (code != 0 || !notice_slurm_left((struct sv){ buf, n }, &left))
			return SLURM_TRY_MS;
	}
	if (left > SLURM_AHEAD_MS) {
		notice_say(s, NOTICE_NONE, INT64_MIN, SV(""), "the job has more time");
		left -= SLURM_AHEAD_MS;
		if (end_s)
			return min_i64(left, 30000);
		return min_i64(left, SLURM_ASK_MS);
	}
	notice_say(s, NOTICE_STOP, tm_steady_ms() + left, SV("limit"), "the time limit of the job");
	return -1;
}

const struct notice_ops notice_file = { "file", file_ask, NULL, 30000, true };
const struct notice_ops notice_command = { "command", command_ask, NULL, 30000, true };
const struct notice_ops notice_slurm = { "slurm", slurm_ask, NULL, MS_MINUTE, false };
