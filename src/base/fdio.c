#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/fdio.h"

int fd_write_all(int fd, struct sv text)
{
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text.p += n, text.n -= (size_t)n;
	}
	return 0;
}

/* Closes fd; -1: errno says why. */
static int put_whole(int fd, struct sv text)
{
	int r = fd < 0 ? -errno : fd_write_all(fd, text);

	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (fd >= 0)
		close(fd);
	return r;
}

/* A name is safe with its folder. Some file systems (FUSE, CIFS) have no fsync of one: then it is as safe as they make it. */
static int sync_folder_of(const char *path)
{
	struct str folder = { 0 };
	const char *slash = strrchr(path, '/');

	str_add(&folder, slash ? path : ".",
		slash == path ? 1
		: slash       ? (size_t)(slash - path)
			      : 1);
	int fd = open(str_z(&folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd >= 0 && fsync(fd) < 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT)
			? -errno
			: 0;
	if (fd >= 0)
		close(fd);
	str_free(&folder);
	return r;
}

/* fd: of the file `next`, which is to be `path`. */
static int put_in_place(const char *path, int fd, const char *next, struct sv text, struct err *err)
{
	bool made = fd >= 0;
	int r = put_whole(fd, text);

	if (r == 0 && rename(next, path) < 0)
		r = -errno;
	if (r < 0 && made)
		unlink(next);
	else if (r == 0)
		r = sync_folder_of(path);
	return r < 0 ? err_set(err, r, "cannot write '%s': %s", path, strerror(-r)) : 0;
}

int file_replace(const char *path, struct sv text, unsigned mode, struct err *err)
{
	struct str next = { 0 };

	str_addf(&next, "%s.new", path);
	int r = put_in_place(path,
			     open(str_z(&next), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode),
			     str_z(&next), text, err);
	str_free(&next);
	return r;
}

int file_replace_secret(const char *path, struct sv text, struct err *err)
{
	struct str next = { 0 };

	str_addf(&next, "%s.XXXXXX", path);
	int fd = mkostemp(next.p, O_CLOEXEC); /* 0600, and nobody else's */
	int r = put_in_place(path, fd, next.p, text, err);
	str_free(&next);
	return r;
}
