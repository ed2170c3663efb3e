/* Saving one file: from memory, or of a file that somebody else wrote; chunks that are as in the
 * parent are not written again. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"
#include "ckpt/ckpt_priv.h"
#include "object/object.h"

/* Files of others are linked where less than this part of them is as in the parent; else their
 * changed chunks are copied. */
#define LINK_SAME_FRAC 0.5
enum { AHEAD_MIN = 128 << 20 };

static uint64_t align_up(uint64_t n)
{
	return (n + CKPT_ALIGN - 1) & ~(uint64_t)(CKPT_ALIGN - 1);
}

struct put {
	struct ckpt_writer *w;
	const uint8_t *mem; /* the bytes, or */
	int fd;             /* the file that has them */
	uint64_t bytes;
	const struct ckpt_file *was; /* in the parent, NULL */
	struct ckpt_chunk *chunk;    /* [n] */
	/* [n] as in the parent; all hashes are known before anything is written */
	bool *same, hashed;
	size_t n;
	/* bytes that have a place in the data file; under the writer's lock */
	uint64_t placed;
};

static uint32_t chunk_bytes(const struct put *p, size_t i)
{
	uint64_t left = p->bytes - (uint64_t)i * CKPT_CHUNK_BYTES;

	if (left < CKPT_CHUNK_BYTES)
		return (uint32_t)left;
	return CKPT_CHUNK_BYTES;
}

static int read_at(int fd, uint8_t *buf, size_t n, uint64_t off)
{
	while (n) {
		ssize_t got = pread(fd, buf, n, (off_t)off);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			if (got < 0)
				return -errno;
			return -ESTALE;
		}
		buf += got;
		n -= (size_t)got;
		off += (uint64_t)got;
	}
	return 0;
}

/* The bytes of chunk i: where they lie in memory, or read into buf. */
static int chunk_get(const struct put *p, size_t i, void *buf, const uint8_t **ret)
{
	if (p->mem) {
		*ret = p->mem + (uint64_t)i * CKPT_CHUNK_BYTES;
		return 0;
	}
	*ret = buf;
	return read_at(p->fd, buf, chunk_bytes(p, i), (uint64_t)i * CKPT_CHUNK_BYTES);
}

/* Is the chunk that of the parent, and does the parent's lie on the disk as it was written? */
static bool is_same(const struct put *p, size_t i)
{
	const struct ckpt_chunk *k = NULL;

	if (p->was && i < p->was->nchunk)
		k = &p->w->d->last.chunk.v[p->was->first + i];
	if (!k || k->bytes != p->chunk[i].bytes ||
	    memcmp(&k->hash, &p->chunk[i].hash, sizeof k->hash))
		return false;
	const struct ckpt_dir *d = p->w->d;
	if (!p->w->reuse.v[k->data])
		return false;
	/* what this run wrote or compared already is not read again */
	if (!d->unproven)
		return true;
	struct ckpt_hash h = { 0 };
	uint8_t *buf = NULL;
	int fd = openat(d->data_fd, d->last.data.v[k->data].name,
			O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0)
		buf = xmalloc(k->bytes);
	if (fd >= 0 && read_at(fd, buf, k->bytes, k->offset) == 0)
		h = ckpt_hash_of(buf, k->bytes);
	free(buf);
	if (fd >= 0)
		close(fd);
	return !memcmp(&h, &k->hash, sizeof h);
}

static int hash_one(void *ctx, size_t i, void *buf)
{
	struct put *p = ctx;
	const uint8_t *at;
	int rc = chunk_get(p, i, buf, &at);

	if (rc < 0)
		return rc;
	p->chunk[i].hash = ckpt_hash_of(at, p->chunk[i].bytes);
	p->same[i] = is_same(p, i);
	return 0;
}

static int write_at(int fd, const uint8_t *p, size_t n, uint64_t off)
{
	while (n) {
		ssize_t put = pwrite(fd, p, n, (off_t)off);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EINVAL) {
			/* the file system has direct I/O in name only, or wants other sizes */
			int flags = fcntl(fd, F_GETFL);
			if (flags >= 0 && flags & O_DIRECT &&
			    fcntl(fd, F_SETFL, flags & ~O_DIRECT) == 0)
				continue;
			return -EINVAL;
		}
		if (put < 0)
			return -errno;
		p += put;
		n -= (size_t)put;
		off += (uint64_t)put;
	}
	return 0;
}

static int open_data(struct ckpt_writer *w)
{
	char tmp[80];
	int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	unsigned mode = object_file_mode();

	snprintf(tmp, sizeof tmp, "%s.tmp", w->data_name);
	unlinkat(w->d->data_fd, tmp, 0);
	w->fd = openat(w->d->data_fd, tmp, w->d->buffered ? flags : flags | O_DIRECT, mode);
	if (w->fd < 0 && errno == EINVAL) {
		unlinkat(w->d->data_fd, tmp, 0); /* made before O_DIRECT was refused */
		w->fd = openat(w->d->data_fd, tmp, flags, mode);
	}
	if (w->fd < 0)
		return -errno;
	w->own = (int)w->c.data.n;
	*vec_push(&w->c.data) =
		(struct ckpt_data){ .name = arena_sv(&w->c.mem, sv_of(w->data_name)) };
	return 0;
}

/*
 * A place for n bytes in the data file. Room is allocated ahead, as direct writes that make a file
 * longer wait for each other. So does an allocation for the writes under way, hence few of them: at
 * once what is left of this file where the save before was all new, too, else each twice the last.
 * What is too much goes when the file is cut to its length; an allocation that fails says nothing
 * yet, the write will.
 */
static int place_bytes(struct put *p, uint64_t n, uint64_t *ret_offset)
{
	struct ckpt_writer *w = p->w;
	int rc = 0;

	pthread_mutex_lock(&w->lock);
	if (w->fd < 0)
		rc = open_data(w);
	if (rc == 0 && w->end + n > w->room && n >= CKPT_CHUNK_BYTES) {
		uint64_t left = p->n * (uint64_t)CKPT_CHUNK_BYTES - p->placed,
			 more = max_u64(w->end, AHEAD_MIN);
		if (!p->was || w->d->all_new || left < more)
			more = align_up(left);
		if (fallocate(w->fd, 0, (off_t)w->end, (off_t)more) == 0)
			w->room = w->end + more;
	}
	*ret_offset = w->end;
	if (rc == 0) {
		w->end += n;
		p->placed += n;
	}
	pthread_mutex_unlock(&w->lock);
	return rc;
}

static int write_one(void *ctx, size_t i, void *buf)
{
	struct put *p = ctx;
	const uint8_t *at;
	size_t n = p->chunk[i].bytes, padded = align_up(n);
	int rc;

	if (p->same[i])
		return 0;
	if ((rc = chunk_get(p, i, buf, &at)) < 0)
		return rc;
	if (!p->hashed)
		p->chunk[i].hash = ckpt_hash_of(at, n);
	if (!p->hashed && (p->same[i] = is_same(p, i)))
		return 0;
	if (at != buf && (padded != n || (uintptr_t)at % CKPT_ALIGN))
		at = memcpy(buf, at, n);
	if (padded != n)
		memset((uint8_t *)buf + n, 0, padded - n);
	if ((rc = place_bytes(p, padded, &p->chunk[i].offset)) < 0)
		return rc;
	return write_at(p->w->fd, at, padded, p->chunk[i].offset);
}

/* The file and its chunks go into the manifest. link: number of the linked data file that has all
 * of it, or -1. */
static void record_file(struct put *p, const char *name, int64_t link)
{
	struct ckpt_writer *w = p->w;

	*vec_push(&w->c.file) = (struct ckpt_file){ .name = arena_sv(&w->c.mem, sv_of(name)),
						    .bytes = p->bytes,
						    .first = w->c.chunk.n,
						    .nchunk = p->n };
	for (size_t i = 0; i < p->n; i++) {
		struct ckpt_chunk k = p->chunk[i];
		if (link >= 0) {
			k.data = (uint32_t)link;
			k.offset = (uint64_t)i * CKPT_CHUNK_BYTES;
		} else if (p->same[i]) {
			const struct ckpt_chunk *was = &w->d->last.chunk.v[p->was->first + i];
			int64_t *data = &w->data_of.v[was->data];
			if (*data < 0) { /* the first chunk that is named again in it */
				const struct ckpt_data *of = &w->d->last.data.v[was->data];
				*data = (int64_t)w->c.data.n;
				*vec_push(&w->c.data) = (struct ckpt_data){
					arena_sv(&w->c.mem, sv_of(of->name)), of->bytes
				};
			}
			k.data = (uint32_t)*data;
			k.offset = was->offset;
		} else {
			k.data = (uint32_t)w->own;
		}
		*(p->same[i] ? &w->stat.same_bytes : &w->stat.written_bytes) += k.bytes;
		*vec_push(&w->c.chunk) = k;
	}
	w->stat.bytes += p->bytes;
}

static int put_check(const struct ckpt_writer *w, const char *name, struct err *err)
{
	assert(!w->prepared);
	if (!ckpt_name_ok(sv_of(name)))
		return err_set(err, -EINVAL, "'%s' is not a name of a file in a checkpoint", name);
	if (ckpt_find_file(&w->c, name))
		return err_set(err, -EEXIST, "'%s' is in this checkpoint already", name);
	if (w->c.file.n >= CKPT_FILES_MAX)
		return err_set(err, -E2BIG, "more than %u files in a checkpoint", CKPT_FILES_MAX);
	return 0;
}

static void put_open(struct put *p)
{
	p->n = (size_t)((p->bytes + CKPT_CHUNK_BYTES - 1) / CKPT_CHUNK_BYTES);
	p->chunk = xcalloc(p->n + 1, sizeof *p->chunk);
	p->same = xcalloc(p->n + 1, sizeof *p->same);
	for (size_t i = 0; i < p->n; i++)
		p->chunk[i].bytes = chunk_bytes(p, i);
}

static int put_fail(const struct put *p, const char *name, int rc, struct err *err)
{
	if (rc == -ESTALE)
		return err_set(err, rc, "'%s' got shorter while it was read", name);
	err_set(err, rc, "cannot write '%s' of step %" PRId64 " into '%s': %s", name, p->w->c.step,
		p->w->d->path, strerror(-rc));
	if (rc == -ENOSPC)
		err_hint(
			err,
			"free some room, or keep fewer checkpoints; the ones before are untouched");
	return rc;
}

int ckpt_put(struct ckpt_writer *w, const char *name, const void *mem, uint64_t bytes,
	     struct err *err)
{
	struct put p = { .w = w, .mem = bytes ? mem : (const void *)"", .fd = -1, .bytes = bytes };
	int rc = put_check(w, name, err);

	if (rc < 0)
		return rc;
	put_open(&p);
	p.was = ckpt_find_file(&w->d->last, name);
	rc = ckpt_each(ckpt_threads(w->d, !p.mem), p.n, write_one, &p);
	if (rc == 0)
		record_file(&p, name, -1);
	else
		put_fail(&p, name, rc, err);
	free(p.chunk);
	free(p.same);
	return rc;
}

/* ---- a file of somebody else ------------------------------------------------------------- */

/* Its number in c.data, or negative where it cannot be linked. */
static int64_t link_data(struct put *p)
{
	struct ckpt_writer *w = p->w;
	char from[64], name[80];

	snprintf(from, sizeof from, "/proc/self/fd/%d", p->fd);
	snprintf(name, sizeof name, "%s.f%d", w->data_name, w->linked);
	if (fsync(p->fd) < 0 || linkat(AT_FDCWD, from, w->d->data_fd, name, AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	w->linked++;
	*vec_push(&w->c.data) = (struct ckpt_data){ .name = arena_sv(&w->c.mem, sv_of(name)),
						    .bytes = p->bytes };
	return (int64_t)w->c.data.n - 1;
}

int ckpt_put_path(struct ckpt_writer *w, const char *name, const char *path, struct err *err)
{
	struct put p = { .w = w };
	struct stat st;
	int rc = put_check(w, name, err);

	if (rc < 0)
		return rc;
	p.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (p.fd < 0)
		return err_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	if (fstat(p.fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(p.fd);
		return err_set(err, -EINVAL, "'%s' is not a file", path);
	}
	p.bytes = (uint64_t)st.st_size;
	put_open(&p);
	p.was = ckpt_find_file(&w->d->last, name);
	/* all hashes first: they tell whether it is linked as a whole */
	int threads = ckpt_threads(w->d, true);
	uint64_t same = 0;
	int64_t link = -1;
	rc = ckpt_each(threads, p.n, hash_one, &p);
	p.hashed = rc == 0;
	for (size_t i = 0; i < p.n; i++)
		if (p.same[i])
			same += p.chunk[i].bytes;
	bool changed = p.hashed && (double)same < LINK_SAME_FRAC * (double)p.bytes;
	if (changed && (link = link_data(&p)) >= 0)
		memset(p.same, 0, p.n * sizeof *p.same);
	else if (p.hashed)
		rc = ckpt_each(threads, p.n, write_one, &p);
	if (rc == 0)
		record_file(&p, name, link);
	else
		put_fail(&p, name, rc, err);
	close(p.fd);
	free(p.chunk);
	free(p.same);
	return rc;
}
