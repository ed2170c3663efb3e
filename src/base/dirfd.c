#include "base/dirfd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fdio.h"

int dir_open(const char *dir, struct err *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 && errno == EACCES)
		fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "cannot open the folder '%s': %s", dir,
			       strerror(errno));
	return fd;
}

/* errno of openat(2) with O_NOFOLLOW: the same for a link and for too many of them above. */
static int open_failed(const char *dir, const char *name, int flags, int code, struct err *err)
{
	bool reads = (flags & O_ACCMODE) == O_RDONLY;

	if (code != ELOOP)
		return err_set(err, -code, "cannot %s '%s/%s': %s", reads ? "read" : "write", dir,
			       name, strerror(code));
	err_set(err, -ELOOP, "'%s/%s' is a symbolic link, and links are not followed here", dir,
		name);
	err_hint(err, "Remove it: a plain file is made in its place");
	return -ELOOP;
}

int dir_open_in(int dir_fd, const char *dir, const char *name, struct err *err)
{
	struct stat st;
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	assert(*name && !strchr(name, '/'));
	if (fd >= 0)
		return fd;
	int code = errno; /* of a link: that it is no folder */
	if (code == ENOTDIR && fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISLNK(st.st_mode))
		code = ELOOP;
	return open_failed(dir, name, O_RDONLY, code, err);
}

int file_open_in(int dir_fd, const char *dir, const char *name, int flags, unsigned mode,
		 struct err *err)
{
	struct stat st;

	assert(*name && !strchr(name, '/'));
	/* without O_NONBLOCK a pipe would wait for its other end */
	int fd = openat(dir_fd, name,
			(flags & ~O_TRUNC) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
	if (fd < 0 && errno == ENXIO) /* a pipe that nobody reads, a socket */
		return err_set(err, -EINVAL, "'%s/%s' is not a plain file", dir, name);
	if (fd < 0)
		return open_failed(dir, name, flags, errno, err);
	int r = fstat(fd, &st) < 0 ? -errno : 0;
	bool plain = r == 0 && S_ISREG(st.st_mode);
	if (plain && (flags & O_TRUNC) && ftruncate(fd, 0) < 0)
		r = -errno;
	if (plain && r == 0)
		return fd;
	close(fd);
	if (r < 0)
		return open_failed(dir, name, flags, -r, err);
	return err_set(err, -EINVAL, "'%s/%s' is not a plain file", dir, name);
}

int file_read_in(int dir_fd, const char *dir, const char *name, size_t max, struct str *ret,
		 struct err *err)
{
	int fd = file_open_in(dir_fd, dir, name, O_RDONLY, 0, err);
	size_t before = ret->n;
	char buf[65536];
	ssize_t n = 0;

	if (fd < 0)
		return fd;
	while (ret->n - before <= max && (n = read(fd, buf, sizeof buf)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		str_add(ret, buf, (size_t)n);
	}
	int r = 0;
	if (n < 0)
		r = -errno;
	close(fd);
	if (r < 0)
		err_set(err, r, "cannot read '%s/%s': %s", dir, name, strerror(-r));
	else if (ret->n - before > max)
		r = err_set(err, -E2BIG, "'%s/%s' has more than %zu bytes", dir, name, max);
	if (r < 0 && ret->p) {
		ret->n = before;
		ret->p[before] = 0;
	}
	return r;
}

int dir_sync(int dir_fd)
{
	bool failed = fsync(dir_fd) < 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT);

	if (failed)
		return -errno;
	return 0;
}

int file_replace_in(int dir_fd, const char *dir, const char *name, struct sv text, unsigned mode,
		    struct err *err)
{
	struct str next = { 0 };

	assert(*name && !strchr(name, '/'));
	str_addf(&next, "%s.new", name);
	/* what lies there under the name of a file that is only ours while it is written goes */
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(dir_fd, str_z(&next), flags, mode), r = 0;
	if (fd < 0 && errno == EEXIST && unlinkat(dir_fd, str_z(&next), 0) == 0)
		fd = openat(dir_fd, str_z(&next), flags, mode);
	if (fd < 0)
		r = -errno;
	else
		r = fd_write_all(fd, text);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (fd >= 0)
		close(fd);
	if (r == 0 && renameat(dir_fd, str_z(&next), dir_fd, name) < 0)
		r = -errno;
	if (r < 0 && fd >= 0)
		unlinkat(dir_fd, str_z(&next), 0);
	else if (r == 0)
		r = dir_sync(dir_fd);
	str_free(&next);
	if (r < 0)
		return err_set(err, r, "cannot write '%s/%s': %s", dir, name, strerror(-r));
	return 0;
}
