#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

static int put_whole(const char *path, struct sv text, unsigned mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	int r = fd < 0 ? -errno : fd_write_all(fd, text);

	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (fd >= 0)
		close(fd);
	return r;
}

int file_replace(const char *path, struct sv text, unsigned mode, struct err *err)
{
	struct str next = { 0 };

	str_addf(&next, "%s.new", path);
	int r = put_whole(str_z(&next), text, mode);
	if (r == 0 && rename(str_z(&next), path) < 0)
		r = -errno;
	if (r < 0) {
		unlink(str_z(&next));
		err_set(err, r, "cannot write '%s': %s", path, strerror(-r));
	}
	str_free(&next);
	return r;
}
