/* A folder as a store: an object is a file, written beside its place, made durable, then put there
 * by rename (or link, where it must be new). The folder itself may be reached through links; below
 * it none is followed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/fdio.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "net/digest.h"
#include "object/object_priv.h"

#define TMP      ".tare-tmp-"
#define PIECE    (8u << 20) /* the deadline is looked at between pieces */
#define DEPTH    16
#define KEYS_MAX 10000000u

static int dir_open(struct object_store *s, const char *rest, const struct object_opt *opt,
		    struct err *err)
{
	struct sv path = sv_of(rest);

	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	if (!path.n)
		return err_set(err, -EINVAL, "'%s' names no folder", s->url);
	if (!strncmp(s->url, "file:", 5) && path.p[0] != '/')
		return err_set(err, -EINVAL, "'%s' is not file:///FOLDER", s->url);
	s->path = xstrndup(path.p, path.n);
	if (mkdir(s->path, object_folder_mode()) < 0 && errno != EEXIST)
		return err_set(err, -errno, "cannot make the folder '%s': %s", s->path,
			       strerror(errno));
	return 0;
}

/* Some network file systems know no fsync of folders. */
static int sync_folder(int at)
{
	if (fsync(at) < 0 && errno != EINVAL)
		return -errno;
	return 0;
}

static int open_root(const struct object_store *s)
{
	int fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return fd;
}

/* A folder in another, no link to one; made durable in it where it is made. */
static int open_below(int at, const char *name, bool make)
{
	int fd, rc = 0;

	if (make && mkdirat(at, name, object_folder_mode()) == 0)
		rc = sync_folder(at);
	else if (make && errno != EEXIST)
		rc = -errno;
	if (rc < 0)
		return rc;
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return fd;
}

/*
 * The folder that an object lies in, below the store's own step by step, so that no link leads out
 * of it; *ret_leaf: the last part of the key. -ENOTDIR: something else stands in a folder's place.
 */
static int open_above(const struct object_store *s, const char *key, bool make,
		      const char **ret_leaf)
{
	char part[NAME_MAX + 1];
	int at = open_root(s);

	for (const char *slash; at >= 0 && (slash = strchr(key, '/')); key = slash + 1) {
		size_t n = (size_t)(slash - key);
		int sub = -ENAMETOOLONG;
		if (n < sizeof part) {
			memcpy(part, key, n);
			part[n] = 0;
			sub = open_below(at, part, make);
		}
		close(at);
		at = sub;
	}
	*ret_leaf = key;
	return at;
}

/* An object to be read: a plain file. -ENOENT, also where its folder is an object; -EBADMSG: it is
 * something else, such as a link or a pipe, which is not waited for. */
static int open_object(const struct object_store *s, const char *key, struct stat *ret)
{
	const char *leaf;
	int fd, at = open_above(s, key, false, &leaf);

	if (at < 0) {
		if (at == -ENOTDIR)
			return -ENOENT;
		return at;
	}
	fd = openat(at, leaf, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		fd = errno == ELOOP || errno == ENXIO ? -EBADMSG : -errno;
	close(at);
	if (fd < 0)
		return fd;
	int rc = fstat(fd, ret) < 0 ? -errno : fd;
	if (rc >= 0 && !S_ISREG(ret->st_mode))
		rc = -EBADMSG;
	if (rc < 0)
		close(fd);
	return rc;
}

static int tell_cannot(const struct object_store *s, const char *what, const char *key, int rc,
		       struct err *err)
{
	if (rc == -EBADMSG)
		return err_set(err, rc, "'%s/%s' is not a plain file (a link is not followed)",
			       s->path, key);
	if (rc == -ENOTDIR)
		return err_set(
			err, rc,
			"cannot %s '%s/%s': a part of the path is no folder (a link is not followed)",
			what, s->path, key);
	return err_set(err, rc, "cannot %s '%s/%s': %s", what, s->path, key, strerror(-rc));
}

/* What a writer that was killed left: nobody holds it locked. Once a handle; where the file system
 * has no locks nothing is removed. */
static void sweep_partial(int at, int depth)
{
	DIR *dir = fdopendir(at);
	struct dirent *e;

	if (!dir) {
		close(at);
		return;
	}
	while ((e = readdir(dir))) {
		bool tmp = !strncmp(e->d_name, TMP, strlen(TMP));
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (!tmp && e->d_type != DT_DIR && e->d_type != DT_UNKNOWN)
			continue;
		int fd = openat(at, e->d_name,
				(tmp ? O_RDWR | O_NONBLOCK : O_RDONLY | O_DIRECTORY) | O_NOFOLLOW |
					O_CLOEXEC);
		if (fd >= 0 && tmp && flock(fd, LOCK_EX | LOCK_NB) == 0)
			unlinkat(at, e->d_name, 0);
		if (fd >= 0 && !tmp && depth < DEPTH)
			sweep_partial(fd, depth + 1);
		else if (fd >= 0)
			close(fd);
	}
	closedir(dir);
}

/* A file of a random name beside its place, locked as long as it is written. */
static int make_tmp(int at, char tmp[40])
{
	unsigned char r[6];
	int rc = digest_random(r, sizeof r), fd;

	snprintf(tmp, 40, TMP "%02x%02x%02x%02x%02x%02x", r[0], r[1], r[2], r[3], r[4], r[5]);
	if (rc < 0)
		return rc;
	fd = openat(at, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    object_file_mode());
	if (fd < 0)
		return -errno;
	flock(fd, LOCK_EX | LOCK_NB); /* a hint for sweep_partial(); not every file system has it */
	return fd;
}

static int copy_piece(int from, uint64_t at, int to, char *buf, size_t n)
{
	while (n) {
		ssize_t got = pread(from, buf, n, (off_t)at);
		int rc;
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			if (got < 0)
				return -errno;
			return -ENODATA;
		}
		if ((rc = fd_write_all(to, (struct sv){ buf, (size_t)got })) < 0)
			return rc;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

static int copy_in(const struct object_src *src, int to, const struct object_when *when,
		   uint64_t *ret_sent)
{
	char *buf = src->mem ? NULL : xmalloc(PIECE);
	int rc = 0;

	for (uint64_t at = 0; at < src->bytes && rc == 0;) {
		size_t n = PIECE;
		if (src->bytes - at < PIECE)
			n = (size_t)(src->bytes - at);
		/* what was copied is not used again */
		if (when && when->turn && (rc = when->turn(when->turn_ctx, 0, at)) < 0)
			break;
		if (when && when->deadline_ms != INT64_MAX &&
		    object_now_ms(when) >= when->deadline_ms)
			rc = -ETIME;
		else {
			if (src->mem)
				rc = fd_write_all(to,
						  (struct sv){ (const char *)src->mem + at, n });
			else
				rc = copy_piece(src->fd, src->offset + at, to, buf, n);
		}
		at += n;
		if (rc == 0)
			*ret_sent += n;
	}
	free(buf);
	if (rc < 0)
		return rc;
	if (fsync(to) < 0)
		return -errno;
	return 0;
}

/* A copy to a folder begins again: a tag helps nothing. */
static int dir_put(struct object_store *s, const char *key, const struct object_put *put,
		   uint64_t *ret_sent, struct err *err)
{
	const char *leaf;
	char tmp[40];
	int at, fd = -1, rc;

	if (!s->swept && (at = open_root(s)) >= 0)
		sweep_partial(at, 0);
	s->swept = true;
	rc = at = open_above(s, key, true, &leaf);
	if (rc >= 0)
		rc = put->only_new && (faccessat(at, leaf, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			     ? -EEXIST
			     : 0;
	if (rc == 0 && (fd = make_tmp(at, tmp)) < 0)
		rc = fd;
	if (rc == 0)
		rc = copy_in(put->src, fd, put->when, ret_sent);
	if (fd >= 0 && close(fd) < 0 && rc == 0)
		rc = -errno;
	if (rc == 0 &&
	    (put->only_new ? linkat(at, tmp, at, leaf, 0) : renameat(at, tmp, at, leaf)) < 0)
		rc = -errno;
	if (fd >= 0 && (rc < 0 || put->only_new))
		unlinkat(at, tmp, 0);
	if (rc == 0)
		rc = sync_folder(at);
	if (at >= 0)
		close(at);
	if (rc == -EEXIST)
		return err_set(err, rc, "'%s' is in '%s' already", key, s->url);
	if (rc == -ETIME)
		return err_set(err, rc, "the time is over before all bytes were in '%s'", s->url);
	if (rc < 0)
		return tell_cannot(s, "write", key, rc, err);
	return 0;
}

static int dir_get(struct object_store *s, const char *key, const struct object_get *get,
		   uint64_t *ret_bytes, struct err *err)
{
	struct stat st;
	int from = open_object(s, key, &st), rc = 0;
	uint64_t n = 0;

	if (from < 0)
		return tell_cannot(s, "read", key, from, err);
	char *buf = get->mem ? NULL : xmalloc(PIECE);
	while (n < get->bytes && rc == 0) {
		size_t want = (size_t)min_u64(get->bytes - n, PIECE);
		void *to = get->mem ? (char *)get->mem + n : buf;
		ssize_t got = pread(from, to, want, (off_t)(get->offset + n));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			rc = got < 0 ? -errno : 0;
			break;
		}
		for (ssize_t done = 0; !get->mem && done < got && rc == 0;) {
			ssize_t put = pwrite(get->fd, buf + done, (size_t)(got - done),
					     (off_t)(get->to_offset + n + (uint64_t)done));
			if (put < 0 && errno != EINTR)
				rc = -errno;
			done += max_i64(put, 0);
		}
		if (rc == 0)
			n += (uint64_t)got;
	}
	*ret_bytes = n;
	free(buf);
	close(from);
	if (rc < 0)
		return tell_cannot(s, "read", key, rc, err);
	return 0;
}

static int dir_size(struct object_store *s, const char *key, uint64_t *ret, struct err *err)
{
	struct stat st;
	int fd = open_object(s, key, &st);

	if (fd < 0)
		return tell_cannot(s, "look at", key, fd, err);
	close(fd);
	*ret = (uint64_t)st.st_size;
	return 0;
}

struct listing {
	struct arena *a;
	VEC(struct object_key) v;
	struct sv prefix;
};

static bool may_match(struct sv prefix, struct sv key, bool folder)
{
	size_t n = folder && key.n < prefix.n ? key.n : prefix.n;

	return key.n >= n && !memcmp(key.p, prefix.p, n);
}

static int add_key(struct listing *l, const char *key, uint64_t bytes)
{
	if (l->v.n == KEYS_MAX)
		return -E2BIG;
	*vec_push(&l->v) = (struct object_key){ key, bytes };
	return 0;
}

static int walk_folder(struct listing *l, int at, const char *below, int depth);

static int walk_below(struct listing *l, int at, const char *name, const char *key, int depth)
{
	size_t before = l->v.n;
	int rc, sub = -ENOENT;

	if (depth < DEPTH)
		sub = open_below(at, name, false);
	if (sub < 0) {
		if (sub == -ENOENT)
			return 0;
		return sub;
	} /* gone meanwhile */
	rc = walk_folder(l, sub, key, depth + 1);
	/* those of the first level are made for objects and stay; an empty one below them stands in
	 * the place of an object */
	bool stands = rc == 0 && depth > 0 && l->v.n == before;
	if (stands && may_match(l->prefix, sv_of(key), false))
		return add_key(l, key, 0);
	return rc;
}

/* What stands in the place of an object and is none is listed, without bytes: who reads it says
 * what is wrong. */
static int walk_folder(struct listing *l, int at, const char *below, int depth)
{
	DIR *dir = fdopendir(at);
	struct dirent *e;
	int rc = 0;

	if (!dir) {
		rc = -errno;
		close(at);
		return rc;
	}
	while (rc == 0 && (e = dir_next(dir))) {
		struct stat st;
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    !strncmp(e->d_name, TMP, strlen(TMP)))
			continue;
		if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
			rc = errno == ENOENT ? 0 : -errno; /* gone meanwhile */
			continue;
		}
		char *key = arena_printf(l->a, "%s%s%s", below, text_if(*below, "/"), e->d_name);
		if (!may_match(l->prefix, sv_of(key), S_ISDIR(st.st_mode)))
			continue;
		if (S_ISDIR(st.st_mode))
			rc = walk_below(l, dirfd(dir), e->d_name, key, depth);
		else
			rc = add_key(l, key, S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0);
	}
	/* half a list is none: what it does not have would be removed as nobody's */
	if (rc == 0 && !e)
		rc = -errno;
	closedir(dir);
	return rc;
}

static int dir_list(struct object_store *s, const char *prefix, struct arena *a,
		    struct object_key **ret, size_t *ret_n, struct err *err)
{
	struct listing l = { .a = a, .prefix = sv_of(prefix) };
	int at = open_root(s), rc = at;

	if (at >= 0)
		rc = walk_folder(&l, at, "", 0);
	if (rc < 0)
		err_set(err, rc, "cannot list '%s': %s", s->path, strerror(-rc));
	if (rc == 0 && l.v.n) {
		*ret = arena_alloc(a, l.v.n * sizeof **ret);
		memcpy(*ret, l.v.v, l.v.n * sizeof **ret);
	}
	*ret_n = l.v.n;
	vec_free(&l.v);
	return rc;
}

static int dir_del(struct object_store *s, const char *key, struct err *err)
{
	const char *leaf;
	int at = open_above(s, key, false, &leaf), rc = min_int(at, 0);

	if (rc == 0 && unlinkat(at, leaf, 0) < 0)
		rc = -errno;
	if (rc == -EISDIR) /* an empty one, which is listed as an object */
		rc = unlinkat(at, leaf, AT_REMOVEDIR) < 0 ? -errno : 0;
	if (rc == 0)
		sync_folder(at);
	if (at >= 0)
		close(at);
	if (rc < 0 && rc != -ENOENT && rc != -ENOTDIR)
		return tell_cannot(s, "remove", key, rc, err);
	return 0;
}

const struct object_ops object_dir_ops = { "file://", dir_open, dir_put, dir_get,
					   dir_size,  dir_list, dir_del, NULL };
