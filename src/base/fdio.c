#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/dirfd.h"
#include "base/fdio.h"

int fd_write_all(int fd, struct sv text)
{
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text.p += n;
		text.n -= (size_t)n;
	}
	return 0;
}

/* The folder of path: "." "/" or what stands before its last '/'. */
static struct str folder_of(const char *path)
{
	struct str folder = { 0 };
	const char *slash = strrchr(path, '/');
	size_t n = 0;

	if (slash == path)
		n = 1;
	else if (slash)
		n = (size_t)(slash - path);
	str_addsv(&folder, n ? (struct sv){ path, n } : SV("."));
	return folder;
}

static int cannot_write(const char *path, int code, struct err *err)
{
	return err_set(err, code, "cannot write '%s': %s", path, strerror(-code));
}

int file_replace(const char *path, struct sv text, unsigned mode, struct err *err)
{
	struct str folder = folder_of(path);
	const char *slash = strrchr(path, '/'), *name = path;
	int fd = dir_open(str_z(&folder), err), r = fd;

	if (slash)
		name = slash + 1;
	if (fd >= 0) {
		r = file_replace_in(fd, str_z(&folder), name, text, mode, err);
		close(fd);
	}
	str_free(&folder);
	if (r < 0)
		return cannot_write(path, r, err);
	return 0;
}

int file_replace_secret(const char *path, struct sv text, struct err *err)
{
	struct str next = { 0 }, folder = folder_of(path);
	int dir = dir_open(str_z(&folder), err), r = dir, fd = -1;

	str_addf(&next, "%s.XXXXXX", path);
	if (r >= 0)
		r = fd = mkostemp(next.p, O_CLOEXEC); /* 0600, and nobody else's */
	if (dir >= 0 && fd < 0)
		r = -errno;
	if (fd >= 0) {
		r = fd_write_all(fd, text);
		if (r == 0 && fsync(fd) < 0)
			r = -errno;
		close(fd);
		if (r == 0 && rename(next.p, path) < 0)
			r = -errno;
		if (r < 0)
			unlink(next.p);
		else
			r = dir_sync(dir);
	}
	if (dir >= 0)
		close(dir);
	str_free(&next);
	str_free(&folder);
	if (r < 0)
		return cannot_write(path, r, err);
	return 0;
}

struct dirent *dir_next(DIR *d)
{
	errno = 0;
	return readdir(d);
}
