/*
 * Preloaded into tare by tests/fault/run: makes the n-th change to a file fail, or ends the process
 * there.
 *
 *   FAULT_AT=N      the N-th call counts, from 1; unset: nothing fails
 *   FAULT_HOW=kill  SIGKILL at that call, before it is done; =full: it and all later ones that need
 *                  room fail with ENOSPC, as on a full disk
 *   FAULT_LOG=FILE  write the number of calls made there when the process ends
 *
 * Counted: write, pwrite, writev, pwritev, fdatasync, ftruncate, fallocate on regular files, fsync
 * of files and folders, rename, renameat, linkat, unlinkat, mkdirat.
 */
#undef _FILE_OFFSET_BITS /* pwrite and pwrite64 are both defined here */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

static atomic_long count;
static long at = -1;
static int killing;

static void setup(void) __attribute__((constructor));
static void setup(void)
{
	const char *n = getenv("FAULT_AT"), *how = getenv("FAULT_HOW");

	at = n ? atol(n) : 0;
	killing = how && !strcmp(how, "kill");
}

static void done(void) __attribute__((destructor));
static void done(void)
{
	const char *log = getenv("FAULT_LOG");
	FILE *f = log ? fopen(log, "w") : NULL;

	if (f) {
		fprintf(f, "%ld\n", (long)count);
		fclose(f);
	}
}

/* needs_room: on a full disk, cutting a file short and renaming still work. */
static int fails(int needs_room)
{
	long n = ++count;

	if (at <= 0 || n < at || (!killing && !needs_room))
		return 0;
	if (killing && n == at)
		raise(SIGKILL);
	errno = ENOSPC;
	return !killing;
}

static int fd_fails(int fd, int needs_room)
{
	struct stat st;
	int e = errno;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		errno = e;
		return 0;
	}
	errno = e;
	return fails(needs_room);
}

#define REAL(ret, name, ...)             \
	static ret (*real)(__VA_ARGS__); \
	if (!real)                       \
	*(void **)&real = dlsym(RTLD_NEXT, name)

PUBLIC ssize_t write(int fd, const void *p, size_t n)
{
	REAL(ssize_t, "write", int, const void *, size_t);
	return fd_fails(fd, 1) ? -1 : real(fd, p, n);
}

PUBLIC ssize_t pwrite(int fd, const void *p, size_t n, off_t off)
{
	REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
	return fd_fails(fd, 1) ? -1 : real(fd, p, n, off);
}

PUBLIC ssize_t pwrite64(int fd, const void *p, size_t n, off_t off)
{
	REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t);
	return fd_fails(fd, 1) ? -1 : real(fd, p, n, off);
}

PUBLIC ssize_t writev(int fd, const struct iovec *v, int n)
{
	REAL(ssize_t, "writev", int, const struct iovec *, int);
	return fd_fails(fd, 1) ? -1 : real(fd, v, n);
}

PUBLIC ssize_t pwritev(int fd, const struct iovec *v, int n, off_t off)
{
	REAL(ssize_t, "pwritev", int, const struct iovec *, int, off_t);
	return fd_fails(fd, 1) ? -1 : real(fd, v, n, off);
}

PUBLIC int fsync(int fd)
{
	REAL(int, "fsync", int);
	return fails(1) ? -1 : real(fd);
}

PUBLIC int fallocate(int fd, int mode, off_t off, off_t n)
{
	REAL(int, "fallocate", int, int, off_t, off_t);
	return fd_fails(fd, 1) ? -1 : real(fd, mode, off, n);
}

PUBLIC int fallocate64(int fd, int mode, off64_t off, off64_t n)
{
	REAL(int, "fallocate64", int, int, off64_t, off64_t);
	return fd_fails(fd, 1) ? -1 : real(fd, mode, off, n);
}

PUBLIC int renameat(int fd, const char *from, int to_fd, const char *to)
{
	REAL(int, "renameat", int, const char *, int, const char *);
	return fails(0) ? -1 : real(fd, from, to_fd, to);
}

PUBLIC int linkat(int fd, const char *from, int to_fd, const char *to, int flags)
{
	REAL(int, "linkat", int, const char *, int, const char *, int);
	return fails(1) ? -1 : real(fd, from, to_fd, to, flags);
}

PUBLIC int unlinkat(int fd, const char *path, int flags)
{
	REAL(int, "unlinkat", int, const char *, int);
	return fails(0) ? -1 : real(fd, path, flags);
}

PUBLIC int mkdirat(int fd, const char *path, mode_t mode)
{
	REAL(int, "mkdirat", int, const char *, mode_t);
	return fails(1) ? -1 : real(fd, path, mode);
}

PUBLIC int fdatasync(int fd)
{
	REAL(int, "fdatasync", int);
	return fd_fails(fd, 1) ? -1 : real(fd);
}

PUBLIC int ftruncate(int fd, off_t n)
{
	REAL(int, "ftruncate", int, off_t);
	return fd_fails(fd, 0) ? -1 : real(fd, n);
}

PUBLIC int ftruncate64(int fd, off_t n)
{
	REAL(int, "ftruncate64", int, off_t);
	return fd_fails(fd, 0) ? -1 : real(fd, n);
}

PUBLIC int rename(const char *from, const char *to)
{
	REAL(int, "rename", const char *, const char *);
	return fails(0) ? -1 : real(from, to);
}
