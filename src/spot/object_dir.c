/* A folder as a store: an object is a file, written beside its place, made durable, then put there
 * by rename (or link, where it must be new). */
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
#include "net/digest.h"
#include "spot/ckpt.h"
#include "spot/object_priv.h"

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
	if (mkdir(s->path, ckpt_folder_mode()) < 0 && errno != EEXIST)
		return err_set(err, -errno, "cannot make the folder '%s': %s", s->path,
			       strerror(errno));
	return 0;
}

static char *path_of(const struct object_store *s, const char *key)
{
	struct str p = { 0 };

	str_addf(&p, "%s/%s", s->path, key);
	return p.p;
}

static int sync_folder(const char *path)
{
	int rc = 0, fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	/* some network file systems know no fsync of folders */
	if (fsync(fd) < 0 && errno != EINVAL)
		rc = -errno;
	close(fd);
	return rc;
}

/* Folders of a path, each durable in the one above. */
static int make_folders(const struct object_store *s, char *path)
{
	int rc = 0;

	for (char *slash = strchr(path + strlen(s->path) + 1, '/'); slash && rc == 0;
	     slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(path, ckpt_folder_mode()) == 0) {
			char *up = strrchr(path, '/');
			*up = 0;
			rc = sync_folder(path);
			*up = '/';
		} else if (errno != EEXIST) {
			rc = -errno;
		}
		*slash = '/';
	}
	return rc;
}

/* What a writer that was killed left: nobody holds it locked. Once a handle; where the file system
 * has no locks nothing is removed. */
static void sweep(int at, int depth)
{
	DIR *dir = fdopendir(at);
	struct dirent *e;

	if (!dir) {
		close(at);
		return;
	}
	while ((e = readdir(dir))) {
		bool tmp = !strncmp(e->d_name, TMP, strlen(TMP));
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    (!tmp && e->d_type != DT_DIR && e->d_type != DT_UNKNOWN))
			continue;
		int fd = openat(at, e->d_name,
				(tmp ? O_RDWR | O_NONBLOCK : O_RDONLY | O_DIRECTORY) | O_NOFOLLOW |
					O_CLOEXEC);
		if (fd >= 0 && tmp && flock(fd, LOCK_EX | LOCK_NB) == 0)
			unlinkat(at, e->d_name, 0);
		if (fd >= 0 && !tmp && depth < DEPTH)
			sweep(fd, depth + 1);
		else if (fd >= 0)
			close(fd);
	}
	closedir(dir);
}

static void sweep_once(struct object_store *s)
{
	int at = s->swept ? -1 : open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	s->swept = true;
	if (at >= 0)
		sweep(at, 0);
}

/* A file of a random name beside its place, locked as long as it is written. */
static int make_tmp(const char *path, struct str *tmp)
{
	unsigned char r[6];
	int rc = digest_random(r, sizeof r), fd;

	str_addf(tmp, "%.*s" TMP "%02x%02x%02x%02x%02x%02x", (int)(strrchr(path, '/') + 1 - path),
		 path, r[0], r[1], r[2], r[3], r[4], r[5]);
	if (rc < 0)
		return rc;
	fd = open(str_z(tmp), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, ckpt_file_mode());
	if (fd < 0)
		return -errno;
	flock(fd, LOCK_EX | LOCK_NB); /* a hint for sweep(); not every file system has it */
	return fd;
}

static int copy_piece(int from, uint64_t at, int to, char *buf, size_t n)
{
	while (n) {
		ssize_t got = pread(from, buf, n, (off_t)at);
		int rc;
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -ENODATA;
		if ((rc = fd_write_all(to, (struct sv){ buf, (size_t)got })) < 0)
			return rc;
		at += (uint64_t)got, n -= (size_t)got;
	}
	return 0;
}

static int copy_in(const struct object_src *src, int to, const struct object_when *when,
		   uint64_t *ret_sent)
{
	char *buf = src->mem ? NULL : xmalloc(PIECE);
	int rc = 0;

	for (uint64_t at = 0; at < src->bytes && rc == 0;) {
		size_t n = src->bytes - at < PIECE ? (size_t)(src->bytes - at) : PIECE;
		/* what was copied is not used again */
		if (when && when->turn && (rc = when->turn(when->turn_ctx, 0, at)) < 0)
			break;
		if (when && when->deadline_ms != INT64_MAX && web_now_ms(when) >= when->deadline_ms)
			rc = -ETIME;
		else
			rc = src->mem ? fd_write_all(to,
						     (struct sv){ (const char *)src->mem + at, n })
				      : copy_piece(src->fd, src->offset + at, to, buf, n);
		at += n;
		*ret_sent += rc == 0 ? n : 0;
	}
	free(buf);
	return rc < 0 ? rc : fsync(to) < 0 ? -errno : 0;
}

static int settle(const char *tmp, const char *path, bool only_new)
{
	char *folder = xstrdup(path);
	int rc = 0;

	if (only_new) {
		if (link(tmp, path) < 0)
			rc = -errno;
		unlink(tmp);
	} else if (rename(tmp, path) < 0) {
		rc = -errno;
	}
	*strrchr(folder, '/') = 0;
	if (rc == 0)
		rc = sync_folder(folder);
	free(folder);
	return rc;
}

static int dir_put(struct object_store *s, const char *key, const struct object_src *src,
		   const char *tag, bool only_new, const struct object_when *when,
		   uint64_t *ret_sent, struct err *err)
{
	char *path = path_of(s, key);
	struct str tmp = { 0 };
	int fd = -1, rc = only_new && access(path, F_OK) == 0 ? -EEXIST : 0;

	(void)tag; /* a copy to a folder begins anew */
	sweep_once(s);
	if (rc == 0)
		rc = make_folders(s, path);
	if (rc == 0 && (fd = make_tmp(path, &tmp)) < 0)
		rc = fd;
	if (rc == 0)
		rc = copy_in(src, fd, when, ret_sent);
	if (fd >= 0 && close(fd) < 0 && rc == 0)
		rc = -errno;
	if (rc == 0)
		rc = settle(str_z(&tmp), path, only_new);
	if (rc < 0 && fd >= 0)
		unlink(str_z(&tmp));
	if (rc == -EEXIST)
		err_set(err, rc, "'%s' is in '%s' already", key, s->url);
	else if (rc == -ETIME)
		err_set(err, rc, "the time is over before all bytes were in '%s'", s->url);
	else if (rc < 0)
		err_set(err, rc, "cannot write '%s': %s", path, strerror(-rc));
	str_free(&tmp);
	free(path);
	return rc;
}

static int copy_out(int from, uint64_t at, uint64_t n, int fd, uint64_t to_offset, void *mem,
		    uint64_t *ret)
{
	char *buf = mem ? NULL : xmalloc(PIECE);
	int rc = 0;

	*ret = 0;
	while (*ret < n && rc == 0) {
		size_t want = n - *ret < PIECE ? (size_t)(n - *ret) : PIECE;
		ssize_t got = pread(from, mem ? (char *)mem + *ret : buf, want, (off_t)(at + *ret));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			rc = got < 0 ? -errno : 0;
			break;
		}
		for (ssize_t done = 0; !mem && done < got && rc == 0;) {
			ssize_t put = pwrite(fd, buf + done, (size_t)(got - done),
					     (off_t)(to_offset + *ret + (uint64_t)done));
			if (put < 0 && errno != EINTR)
				rc = -errno;
			done += put > 0 ? put : 0;
		}
		*ret += rc == 0 ? (uint64_t)got : 0;
	}
	free(buf);
	return rc;
}

static int dir_get(struct object_store *s, const char *key, uint64_t offset, uint64_t bytes, int fd,
		   uint64_t to_offset, void *mem, const struct object_when *when,
		   uint64_t *ret_bytes, struct err *err)
{
	char *path = path_of(s, key);
	/* a pipe would be waited for */
	int from = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), rc = from < 0 ? -errno : 0;
	struct stat st;

	(void)when;
	if (rc == 0 && fstat(from, &st) == 0 && !S_ISREG(st.st_mode))
		rc = -EINVAL;
	if (rc == 0)
		rc = copy_out(from, offset, bytes, fd, to_offset, mem, ret_bytes);
	if (from >= 0)
		close(from);
	if (rc < 0)
		err_set(err, rc, "cannot read '%s': %s", path, strerror(-rc));
	free(path);
	return rc;
}

static int dir_size(struct object_store *s, const char *key, uint64_t *ret, struct err *err)
{
	char *path = path_of(s, key);
	struct stat st;
	int rc = stat(path, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -ENOENT;

	if (rc < 0)
		err_set(err, rc == -ENOTDIR ? -ENOENT : rc, "cannot look at '%s': %s", path,
			strerror(-rc));
	else
		*ret = (uint64_t)st.st_size;
	free(path);
	return rc == -ENOTDIR ? -ENOENT : rc;
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

static int walk(struct listing *l, int at, const char *below, int depth)
{
	DIR *dir = fdopendir(at);
	struct dirent *e;
	int rc = 0;

	if (!dir) {
		rc = -errno;
		close(at);
		return rc;
	}
	while (rc == 0 && (errno = 0, e = readdir(dir))) {
		struct stat st;
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    !strncmp(e->d_name, TMP, strlen(TMP)))
			continue;
		if (fstatat(dirfd(dir), e->d_name, &st, 0) < 0) {
			rc = errno == ENOENT ? 0 : -errno; /* gone meanwhile */
			continue;
		}
		char *key = arena_printf(l->a, "%s%s%s", below, *below ? "/" : "", e->d_name);
		if (!may_match(l->prefix, sv_of(key), S_ISDIR(st.st_mode)))
			continue;
		/* what stands in the place of an object is listed: who reads it says what is wrong */
		if (!S_ISDIR(st.st_mode) && l->v.n < KEYS_MAX)
			*vec_push(&l->v) = (struct object_key){ key, (uint64_t)st.st_size };
		if (S_ISDIR(st.st_mode) && depth < DEPTH) {
			int sub = openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			rc = sub < 0 ? errno == ENOENT ? 0 : -errno : walk(l, sub, key, depth + 1);
		}
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
	int at = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	    rc = at < 0 ? -errno : walk(&l, at, "", 0);

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
	char *path = path_of(s, key);
	int rc = unlink(path) < 0 && errno != ENOENT && errno != ENOTDIR ? -errno : 0;

	if (rc < 0)
		err_set(err, rc, "cannot remove '%s': %s", path, strerror(-rc));
	else {
		*strrchr(path, '/') = 0;
		sync_folder(path);
	}
	free(path);
	return rc;
}

const struct object_ops object_dir_ops = { "file://", dir_open, dir_put, dir_get,
					   dir_size,  dir_list, dir_del, NULL };
