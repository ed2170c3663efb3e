/*
 * Preloaded by tests/fault/powercut: writes down every change to files below a folder, in order and
 * with its bytes, so that what a disk may hold after the power failed at any point can be built
 * from it.
 *
 *   POWERCUT_ROOT=DIR   the folder, an absolute path without symbolic links
 *   POWERCUT_LOG=FILE   records are appended; several threads, and several processes in turn or at
 *                       once, may write one log
 *   POWERCUT_DROP=WHAT  for the test of the test: no sync of "dirs", of "files", or of what has
 *                       WHAT in its path is written down
 *
 * A record: u32 magic, u32 kind, u64 inode, u64 other inode, i64 a, i64 b, u32 bytes of name, u32
 * bytes of data; name; data. The names of a rename are both in name, with a zero between. Standard
 * output is a marker: what is printed is a record when it is flushed.
 *
 * Not followed, and told as such where it can be seen: shared writable mappings, io_uring,
 * copy_file_range, streams of stdio. The test compares the folder with what the records make of it,
 * so that a call that is missing here is found out.
 */
#undef _FILE_OFFSET_BITS /* pwrite and pwrite64 are both defined here */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))
#define REAL(ret, name, ...)             \
	static ret (*real)(__VA_ARGS__); \
	if (!real)                       \
	*(void **)&real = dlsym(RTLD_NEXT, name)

enum kind {
	CREATE = 1,
	MKDIR,
	WRITE,
	RESIZE,
	ZERO,
	SYNC,
	SYNC_ALL,
	LINK,
	UNLINK,
	RENAME,
	MARK,
	MAPPED,
	UNSEEN
};
struct head {
	uint32_t magic, kind;
	uint64_t ino, other;
	int64_t a, b;
	uint32_t nname, ndata;
};
enum { MAGIC = 0x54554350 };

static const char *root, *drop;
static int log_fd = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t real_write(int fd, const void *p, size_t n)
{
	REAL(ssize_t, "write", int, const void *, size_t);
	return real(fd, p, n);
}

/* One change at a time, in this process and among processes: the order of the log is the order of
 * the changes. */
static void enter(void)
{
	pthread_mutex_lock(&lock);
	flock(log_fd, LOCK_EX);
}

static void leave(void)
{
	int e = errno;
	flock(log_fd, LOCK_UN);
	pthread_mutex_unlock(&lock);
	errno = e;
}

static void put(const void *p, size_t n)
{
	while (n) {
		ssize_t w = real_write(log_fd, p, n);
		if (w <= 0)
			abort(); /* a log with a hole would prove nothing */
		p = (const char *)p + w;
		n -= (size_t)w;
	}
}

static void record(struct head h, const void *name, size_t nname, const void *data, size_t ndata)
{
	int e = errno;
	h.magic = MAGIC;
	h.nname = (uint32_t)nname;
	h.ndata = (uint32_t)ndata;
	put(&h, sizeof h);
	put(name, nname);
	put(data, ndata);
	errno = e;
}

static ssize_t mark(void *cookie, const char *p, size_t n)
{
	(void)cookie;
	if (log_fd >= 0) {
		enter();
		record((struct head){ .kind = MARK }, NULL, 0, p, n);
		leave();
	}
	for (size_t at = 0; at < n;) {
		ssize_t w = real_write(1, p + at, n - at);
		if (w <= 0)
			return (ssize_t)at;
		at += (size_t)w;
	}
	return (ssize_t)n;
}

static void setup(void) __attribute__((constructor));
static void setup(void)
{
	const char *log = getenv("POWERCUT_LOG");
	int fd;

	root = getenv("POWERCUT_ROOT");
	drop = getenv("POWERCUT_DROP");
	if (!root || !log)
		return;
	REAL(int, "open", const char *, int, ...);
	fd = real(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		abort();
	/* out of the way of programs that count on low numbers */
	log_fd = fcntl(fd, F_DUPFD_CLOEXEC, 900);
	close(fd);
	/* stdio writes past the write() of this file */
	stdout = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = mark });
}

/* ---- what is below the folder ------------------------------------------------------------ */

static int below(const char *path)
{
	size_t n = strlen(root);
	return !strncmp(path, root, n) && (path[n] == '/' || !path[n]);
}

static int path_of(int fd, char path[4200])
{
	char link[64];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, 4199);
	path[n > 0 ? n : 0] = 0;
	return n > 0 && below(path);
}

/* The inode of a file below the folder, 0 for any other. */
static uint64_t ino_of(int fd)
{
	char path[4200];
	struct stat st;
	int e = errno;
	uint64_t ino = log_fd >= 0 && fd != log_fd && path_of(fd, path) && fstat(fd, &st) == 0 &&
				       (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
			       ? st.st_ino
			       : 0;
	errno = e;
	return ino;
}

struct place {
	uint64_t dir; /* 0 = elsewhere */
	char name[256];
};

static void place_of(int at, const char *path, struct place *ret)
{
	char copy[4200], *slash;
	int e = errno, fd;

	*ret = (struct place){ 0 };
	if (log_fd < 0)
		return;
	snprintf(copy, sizeof copy, "%s", path);
	for (size_t n = strlen(copy); n > 1 && copy[n - 1] == '/';)
		copy[--n] = 0;
	slash = strrchr(copy, '/');
	snprintf(ret->name, sizeof ret->name, "%.255s", slash ? slash + 1 : copy);
	if (slash)
		*(slash == copy ? slash + 1 : slash) = 0;
	REAL(int, "openat", int, const char *, int, ...);
	fd = real(at, slash ? copy : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		ret->dir = ino_of(fd);
		close(fd);
	}
	errno = e;
}

static uint64_t ino_at(int at, const char *path)
{
	struct stat st;
	int e = errno;
	uint64_t ino = fstatat(at, path, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_ino : 0;
	errno = e;
	return ino;
}

static void named(enum kind kind, const struct place *p, uint64_t ino)
{
	record((struct head){ .kind = kind, .ino = p->dir, .other = ino }, p->name, strlen(p->name),
	       NULL, 0);
}

/* ---- opening ----------------------------------------------------------------------------- */

static int open_any(int at, const char *path, int flags, mode_t mode)
{
	struct place p = { 0 };
	uint64_t was = 0, ino;
	int fd;

	REAL(int, "openat", int, const char *, int, ...);
	if (log_fd < 0 || !(flags & (O_CREAT | O_TRUNC)))
		return real(at, path, flags, mode);
	enter();
	place_of(at, path, &p);
	was = p.dir ? ino_at(at, path) : 0;
	fd = real(at, path, flags, mode);
	ino = fd >= 0 ? ino_of(fd) : 0;
	if (ino && p.dir && !was)
		named(CREATE, &p, ino);
	else if (ino && flags & O_TRUNC)
		record((struct head){ .kind = RESIZE, .ino = ino }, NULL, 0, NULL, 0);
	leave();
	return fd;
}

#define OPEN_MODE(flags)                                        \
	mode_t mode = 0;                                        \
	if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) { \
		va_list ap;                                     \
		va_start(ap, flags);                            \
		mode = va_arg(ap, mode_t);                      \
		va_end(ap);                                     \
	}

PUBLIC int open(const char *path, int flags, ...)
{
	OPEN_MODE(flags)
	return open_any(AT_FDCWD, path, flags, mode);
}

PUBLIC int open64(const char *path, int flags, ...)
{
	OPEN_MODE(flags)
	return open_any(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

PUBLIC int openat(int at, const char *path, int flags, ...)
{
	OPEN_MODE(flags)
	return open_any(at, path, flags, mode);
}

PUBLIC int openat64(int at, const char *path, int flags, ...)
{
	OPEN_MODE(flags)
	return open_any(at, path, flags | O_LARGEFILE, mode);
}

PUBLIC int creat(const char *path, mode_t mode)
{
	return open_any(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

PUBLIC int creat64(const char *path, mode_t mode)
{
	return open_any(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

/* ---- bytes ------------------------------------------------------------------------------- */

static int64_t size_of(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 ? st.st_size : 0;
}

static void written(uint64_t ino, int64_t off, const void *p, ssize_t n)
{
	if (n > 0)
		record((struct head){ .kind = WRITE, .ino = ino, .a = off }, NULL, 0, p, (size_t)n);
}

/* Where a write() goes: behind the end of a file that is appended to. */
static int64_t here(int fd)
{
	return fcntl(fd, F_GETFL) & O_APPEND ? size_of(fd) : lseek(fd, 0, SEEK_CUR);
}

PUBLIC ssize_t write(int fd, const void *p, size_t n)
{
	uint64_t ino = ino_of(fd);
	ssize_t r;

	if (fd == 1 && log_fd >= 0)
		return mark(NULL, p, n);
	if (!ino)
		return real_write(fd, p, n);
	enter();
	int64_t off = here(fd);
	r = real_write(fd, p, n);
	written(ino, off, p, r);
	leave();
	return r;
}

static void written_v(uint64_t ino, int64_t off, const struct iovec *v, int n, ssize_t r)
{
	for (int i = 0; i < n && r > 0; i++) {
		ssize_t part = (size_t)r < v[i].iov_len ? r : (ssize_t)v[i].iov_len;
		written(ino, off, v[i].iov_base, part);
		off += part;
		r -= part;
	}
}

PUBLIC ssize_t writev(int fd, const struct iovec *v, int n)
{
	uint64_t ino = ino_of(fd);
	ssize_t r;

	REAL(ssize_t, "writev", int, const struct iovec *, int);
	if (!ino)
		return real(fd, v, n);
	enter();
	int64_t off = here(fd);
	r = real(fd, v, n);
	written_v(ino, off, v, n, r);
	leave();
	return r;
}

#define PWRITE(name, type)                                             \
	PUBLIC ssize_t name(int fd, const void *p, size_t n, type off) \
	{                                                              \
		uint64_t ino = ino_of(fd);                             \
		ssize_t r;                                             \
		REAL(ssize_t, #name, int, const void *, size_t, type); \
		if (!ino)                                              \
			return real(fd, p, n, off);                    \
		enter();                                               \
		r = real(fd, p, n, off);                               \
		written(ino, off, p, r);                               \
		leave();                                               \
		return r;                                              \
	}
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define PWRITEV(name, type)                                                 \
	PUBLIC ssize_t name(int fd, const struct iovec *v, int n, type off) \
	{                                                                   \
		uint64_t ino = ino_of(fd);                                  \
		ssize_t r;                                                  \
		REAL(ssize_t, #name, int, const struct iovec *, int, type); \
		if (!ino)                                                   \
			return real(fd, v, n, off);                         \
		enter();                                                    \
		r = real(fd, v, n, off);                                    \
		written_v(ino, off, v, n, r);                               \
		leave();                                                    \
		return r;                                                   \
	}
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

#define FTRUNCATE(name, type)                                                                      \
	PUBLIC int name(int fd, type n)                                                            \
	{                                                                                          \
		uint64_t ino = ino_of(fd);                                                         \
		int r;                                                                             \
		REAL(int, #name, int, type);                                                       \
		if (!ino)                                                                          \
			return real(fd, n);                                                        \
		enter();                                                                           \
		r = real(fd, n);                                                                   \
		if (r == 0)                                                                        \
			record((struct head){ .kind = RESIZE, .ino = ino, .a = n }, NULL, 0, NULL, \
			       0);                                                                 \
		leave();                                                                           \
		return r;                                                                          \
	}
FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

#define TRUNCATE(name, type)                                  \
	PUBLIC int name(const char *path, type n)             \
	{                                                     \
		int r, fd = open(path, O_WRONLY | O_CLOEXEC); \
		if (fd < 0)                                   \
			return -1;                            \
		r = ftruncate64(fd, n);                       \
		close(fd);                                    \
		return r;                                     \
	}
TRUNCATE(truncate, off_t)
TRUNCATE(truncate64, off64_t)

/* Room without a new size changes nothing that can be read; a hole or zeros are written zeros. */
static void allocated(uint64_t ino, int fd, int mode, int64_t off, int64_t n, int64_t was)
{
	if (mode & ~(FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))
		record((struct head){ .kind = UNSEEN, .ino = ino }, "fallocate", 9, NULL, 0);
	if (size_of(fd) != was)
		record((struct head){ .kind = RESIZE, .ino = ino, .a = size_of(fd) }, NULL, 0, NULL,
		       0);
	if (mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))
		record((struct head){ .kind = ZERO, .ino = ino, .a = off, .b = n }, NULL, 0, NULL,
		       0);
}

#define FALLOCATE(name, type)                                  \
	PUBLIC int name(int fd, int mode, type off, type n)    \
	{                                                      \
		uint64_t ino = ino_of(fd);                     \
		int r;                                         \
		REAL(int, #name, int, int, type, type);        \
		if (!ino)                                      \
			return real(fd, mode, off, n);         \
		enter();                                       \
		int64_t was = size_of(fd);                     \
		r = real(fd, mode, off, n);                    \
		if (r == 0)                                    \
			allocated(ino, fd, mode, off, n, was); \
		leave();                                       \
		return r;                                      \
	}
FALLOCATE(fallocate, off_t)
FALLOCATE(fallocate64, off64_t)

#define POSIX_FALLOCATE(name, type)                         \
	PUBLIC int name(int fd, type off, type n)           \
	{                                                   \
		uint64_t ino = ino_of(fd);                  \
		int r;                                      \
		REAL(int, #name, int, type, type);          \
		if (!ino)                                   \
			return real(fd, off, n);            \
		enter();                                    \
		int64_t was = size_of(fd);                  \
		r = real(fd, off, n);                       \
		if (r == 0)                                 \
			allocated(ino, fd, 0, off, n, was); \
		leave();                                    \
		return r;                                   \
	}
POSIX_FALLOCATE(posix_fallocate, off_t)
POSIX_FALLOCATE(posix_fallocate64, off64_t)

static void mapped(int fd, int prot, int flags)
{
	uint64_t ino = fd >= 0 && prot & PROT_WRITE && flags & MAP_SHARED ? ino_of(fd) : 0;
	if (!ino)
		return;
	enter();
	record((struct head){ .kind = MAPPED, .ino = ino }, NULL, 0, NULL, 0);
	leave();
}

#define MMAP(name, type)                                                             \
	PUBLIC void *name(void *at, size_t n, int prot, int flags, int fd, type off) \
	{                                                                            \
		REAL(void *, #name, void *, size_t, int, int, int, type);            \
		mapped(fd, prot, flags);                                             \
		return real(at, n, prot, flags, fd, off);                            \
	}
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

PUBLIC ssize_t copy_file_range(int in, off64_t *in_off, int out, off64_t *out_off, size_t n,
			       unsigned flags)
{
	REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned);
	uint64_t ino = ino_of(out);
	if (ino) {
		enter();
		record((struct head){ .kind = UNSEEN, .ino = ino }, "copy_file_range", 15, NULL, 0);
		leave();
	}
	return real(in, in_off, out, out_off, n, flags);
}

/* ---- syncs ------------------------------------------------------------------------------- */

static int dropped(int fd)
{
	char path[4200];
	struct stat st;

	if (!drop || fstat(fd, &st) < 0)
		return 0;
	if (!strcmp(drop, "dirs") || !strcmp(drop, "files"))
		return !!S_ISDIR(st.st_mode) == !strcmp(drop, "dirs");
	return path_of(fd, path) && strstr(path + strlen(root), drop) != NULL;
}

#define FSYNC(name)                                                                          \
	PUBLIC int name(int fd)                                                              \
	{                                                                                    \
		uint64_t ino = ino_of(fd);                                                   \
		int r;                                                                       \
		REAL(int, #name, int);                                                       \
		if (!ino)                                                                    \
			return real(fd);                                                     \
		enter();                                                                     \
		r = real(fd);                                                                \
		if (r == 0 && !dropped(fd))                                                  \
			record((struct head){ .kind = SYNC, .ino = ino }, NULL, 0, NULL, 0); \
		leave();                                                                     \
		return r;                                                                    \
	}
FSYNC(fsync)
FSYNC(fdatasync)
/* sync_file_range() promises nothing about what a disk without power has, and is no record. */

PUBLIC int syncfs(int fd)
{
	REAL(int, "syncfs", int);
	int r = real(fd);
	if (log_fd >= 0 && r == 0) {
		enter();
		record((struct head){ .kind = SYNC_ALL }, NULL, 0, NULL, 0);
		leave();
	}
	return r;
}

/* ---- names ------------------------------------------------------------------------------- */

static int mkdir_any(int at, const char *path, mode_t mode)
{
	struct place p;
	int r;

	REAL(int, "mkdirat", int, const char *, mode_t);
	if (log_fd < 0)
		return real(at, path, mode);
	enter();
	place_of(at, path, &p);
	r = real(at, path, mode);
	if (r == 0 && p.dir)
		named(MKDIR, &p, ino_at(at, path));
	leave();
	return r;
}

PUBLIC int mkdir(const char *path, mode_t mode)
{
	return mkdir_any(AT_FDCWD, path, mode);
}

PUBLIC int mkdirat(int at, const char *path, mode_t mode)
{
	return mkdir_any(at, path, mode);
}

static int unlink_any(int at, const char *path, int flags)
{
	struct place p;
	int r;

	REAL(int, "unlinkat", int, const char *, int);
	if (log_fd < 0)
		return real(at, path, flags);
	enter();
	place_of(at, path, &p);
	r = real(at, path, flags);
	if (r == 0 && p.dir)
		named(UNLINK, &p, 0);
	leave();
	return r;
}

PUBLIC int unlink(const char *path)
{
	return unlink_any(AT_FDCWD, path, 0);
}

PUBLIC int unlinkat(int at, const char *path, int flags)
{
	return unlink_any(at, path, flags);
}

PUBLIC int rmdir(const char *path)
{
	return unlink_any(AT_FDCWD, path, AT_REMOVEDIR);
}

PUBLIC int remove(const char *path)
{
	int r = unlink(path);
	return r < 0 && (errno == EISDIR || errno == EPERM) ? rmdir(path) : r;
}

static int link_any(int from_at, const char *from, int at, const char *path, int flags)
{
	struct place p;
	uint64_t ino;
	int r;

	REAL(int, "linkat", int, const char *, int, const char *, int);
	if (log_fd < 0)
		return real(from_at, from, at, path, flags);
	enter();
	place_of(at, path, &p);
	r = real(from_at, from, at, path, flags);
	ino = r == 0 ? ino_at(at, path) : 0;
	if (r == 0 && p.dir)
		named(LINK, &p, ino);
	leave();
	return r;
}

PUBLIC int link(const char *from, const char *path)
{
	return link_any(AT_FDCWD, from, AT_FDCWD, path, 0);
}

PUBLIC int linkat(int from_at, const char *from, int at, const char *path, int flags)
{
	return link_any(from_at, from, at, path, flags);
}

PUBLIC int symlinkat(const char *to, int at, const char *path)
{
	struct place p;
	REAL(int, "symlinkat", const char *, int, const char *);
	place_of(at, path, &p);
	if (p.dir) {
		enter();
		record((struct head){ .kind = UNSEEN, .ino = p.dir }, "symlink", 7, NULL, 0);
		leave();
	}
	return real(to, at, path);
}

PUBLIC int symlink(const char *to, const char *path)
{
	return symlinkat(to, AT_FDCWD, path);
}

static void renamed(const struct place *a, const struct place *b, uint64_t ino)
{
	char both[520];
	size_t n = strlen(a->name), m = strlen(b->name);

	memcpy(both, a->name, n + 1);
	memcpy(both + n + 1, b->name, m);
	record((struct head){ .kind = RENAME, .ino = a->dir, .other = b->dir, .a = (int64_t)ino },
	       both, n + 1 + m, NULL, 0);
}

static int rename_any(int from_at, const char *from, int at, const char *path, unsigned flags)
{
	struct place a, b;
	int r;

	REAL(int, "renameat2", int, const char *, int, const char *, unsigned);
	if (log_fd < 0)
		return real(from_at, from, at, path, flags);
	enter();
	place_of(from_at, from, &a);
	place_of(at, path, &b);
	r = real(from_at, from, at, path, flags);
	if (r == 0 && (a.dir || b.dir)) {
		if (!a.dir || !b.dir || flags & RENAME_EXCHANGE)
			/* into or out of the folder */
			record((struct head){ .kind = UNSEEN, .ino = a.dir }, "rename", 6, NULL, 0);
		else
			renamed(&a, &b, ino_at(at, path));
	}
	leave();
	return r;
}

PUBLIC int rename(const char *from, const char *path)
{
	return rename_any(AT_FDCWD, from, AT_FDCWD, path, 0);
}

PUBLIC int renameat(int from_at, const char *from, int at, const char *path)
{
	return rename_any(from_at, from, at, path, 0);
}

PUBLIC int renameat2(int from_at, const char *from, int at, const char *path, unsigned flags)
{
	return rename_any(from_at, from, at, path, flags);
}
