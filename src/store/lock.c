#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"

#define POLL_MS  20
#define TEXT_MAX 8192 /* readers of before append a line each */

/* The last line of the lock whose process still lives: "123 tare import". False if nobody can be
 * named. */
static bool find_holder(int fd, char *ret, size_t size)
{
	char text[TEXT_MAX + 1];
	ssize_t n = pread(fd, text, TEXT_MAX, 0);
	bool found = false;
	if (n <= 0)
		return false;
	text[n] = 0;
	char *save = NULL;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		long pid = strtol(line, NULL, 10);
		if (pid <= 0 || pid == getpid())
			continue;
		if (kill((pid_t)pid, 0) == 0 || errno == EPERM) {
			snprintf(ret, size, "%s", line);
			found = true;
		}
	}
	return found;
}

static int wait_busy(const char *dir, int fd, int64_t wait_ms, struct err *err)
{
	char who[256];
	if (find_holder(fd, who, sizeof who)) {
		char *end = NULL;
		long pid = strtol(who, &end, 10);
		err_set(err, -EBUSY, "the store '%s' is in use by '%s' (pid %ld)", dir,
			*end == ' ' ? end + 1 : end, pid);
	} else {
		err_set(err, -EBUSY, "the store '%s' is in use by another process", dir);
	}
	if (wait_ms > 0)
		err_hint(err, "waited %lld s; try again later or wait longer with --wait",
			 (long long)(wait_ms / 1000));
	else
		err_hint(err, "wait for it with --wait");
	return -EBUSY;
}

int lock_take(const char *dir, int64_t wait_ms, const char *command, int *ret_fd, struct err *err)
{
	char path[4096];
	if (snprintf(path, sizeof path, "%s/lock", dir) >= (int)sizeof path)
		return err_set(err, -ENAMETOOLONG, "the path of the store '%s' is too long", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	int64_t until = tm_mono_ms() + wait_ms;
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		int e = errno;
		if (e != EWOULDBLOCK && e != EINTR) {
			close(fd);
			return err_set(err, -e, "cannot lock '%s': %s", path, strerror(e));
		}
		if (tm_mono_ms() >= until) {
			int r = wait_busy(dir, fd, wait_ms, err);
			close(fd);
			return r;
		}
		nanosleep(&(struct timespec){ .tv_nsec = POLL_MS * 1000000L }, NULL);
	}
	struct stat locked, there;
	bool is_still_there = fstat(fd, &locked) == 0 && stat(path, &there) == 0;
	if (!is_still_there || locked.st_dev != there.st_dev || locked.st_ino != there.st_ino) {
		/* its store came to nothing and was taken away meanwhile */
		close(fd);
		return lock_take(dir, wait_ms, command, ret_fd, err);
	}
	/* Say who holds it. Not being able to (a read-only folder, a full disk) does not matter. */
	char line[256];
	int n = snprintf(line, sizeof line, "%ld %s\n", (long)getpid(), filled_or(command, "tare"));
	n = min_int(n, (int)sizeof line - 1);
	off_t at = -1;
	if (ftruncate(fd, 0) == 0)
		at = lseek(fd, 0, SEEK_END);
	if (at >= 0)
		(void)!pwrite(fd, line, (size_t)n, at);
	*ret_fd = fd;
	return 0;
}
