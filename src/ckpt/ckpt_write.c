/* A save from its begin to its end: the parts of all ranks become one manifest, which a rename
 * makes the newest checkpoint. Chunks of a file that are as in the parent are not written again. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/tm.h"
#include "base/str.h"
#include "ckpt/ckpt_priv.h"
#include "object/object.h"

/*
 * A data file of which the parent uses less than this part is not named again: its chunks are
 * written again, so that it can go. At most 1 / REUSE_MIN_FRAC times the bytes of a checkpoint lie
 * on the disk for it.
 */
#define REUSE_MIN_FRAC 0.25

/* ---- one file: from memory, or of a file that somebody else wrote ----------------------- */

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

/* By its name, or NULL. */
static const struct ckpt_file *find_file(const struct ckpt *c, const char *name)
{
	for (size_t i = 0; i < c->file.n; i++)
		if (!strcmp(c->file.v[i].name, name))
			return &c->file.v[i];
	return NULL;
}

static int put_check(const struct ckpt_writer *w, const char *name, struct err *err)
{
	assert(!w->prepared);
	if (!ckpt_name_ok(sv_of(name)))
		return err_set(err, -EINVAL, "'%s' is not a name of a file in a checkpoint", name);
	if (find_file(&w->c, name))
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
	p.was = find_file(&w->d->last, name);
	rc = ckpt_each(ckpt_threads(w->d, !p.mem), p.n, write_one, &p);
	if (rc == 0)
		record_file(&p, name, -1);
	else
		put_fail(&p, name, rc, err);
	free(p.chunk);
	free(p.same);
	return rc;
}

/* ---- a file of somebody else ------------------------------------------------------------ */

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
	p.was = find_file(&w->d->last, name);
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

int ckpt_begin(struct ckpt_dir *d, int64_t step, int64_t now_ms, struct ckpt_writer **ret,
	       struct err *err)
{
	enum { WAIT_MS = MS_MINUTE };
	struct ckpt_writer *w;
	struct stat st;
	char id[CKPT_ID_BYTES];
	int rc;

	assert(!d->read_only);
	if (step < 0 || step > CKPT_STEP_MAX)
		return err_set(err, -EINVAL, "step %" PRId64 " is not between 0 and 999999999999",
			       step);
	if ((rc = ckpt_run_wait(d, WAIT_MS, err)) < 0)
		return rc;
	snprintf(id, sizeof id, "%012" PRId64 "-%016" PRIx64, step, d->run);
	if (fstatat(d->ckpt_fd, id, &st, 0) == 0)
		return err_set(err, -EEXIST, "step %" PRId64 " was saved already by this run",
			       step);
	w = xcalloc(1, sizeof *w);
	w->d = d;
	w->fd = w->own = -1;
	pthread_mutex_init(&w->lock, NULL);
	clock_gettime(CLOCK_MONOTONIC, &w->begun);
	w->c = (struct ckpt){ .step = step, .time_ms = now_ms, .world = d->world, .rank = d->rank };
	snprintf(w->c.id, sizeof w->c.id, "%s", id);
	snprintf(w->c.parent, sizeof w->c.parent, "%s", d->last.id);
	w->c.attempt = arena_sv(&w->c.mem, sv_of(d->attempt));
	snprintf(w->data_name, sizeof w->data_name, "%s.r%d", id, d->rank);

	const struct ckpt *p = &w->d->last;

	for (size_t i = 0; i < p->data.n; i++) {
		*vec_push(&w->data_of) = -1;
		*vec_push(&w->reuse) = false;
	}
	for (size_t i = 0; i < p->data.n; i++) {
		uint64_t used = 0;
		for (size_t k = 0; k < p->chunk.n; k++)
			if (p->chunk.v[k].data == i)
				used += p->chunk.v[k].bytes;
		w->reuse.v[i] = p->data.v[i].bytes > 0 &&
				(double)used >= REUSE_MIN_FRAC * (double)p->data.v[i].bytes;
	}
	*ret = w;
	return 0;
}

void ckpt_writer_stat(const struct ckpt_writer *w, struct ckpt_stat *ret)
{
	*ret = w->stat;
}

/* ---- the last step ---------------------------------------------------------------------- */

int ckpt_prepare(struct ckpt_writer *w, struct err *err)
{
	struct str text = { 0 };
	char tmp[80];

	if (w->fd >= 0) {
		w->c.data.v[w->own].bytes = w->end;
		snprintf(tmp, sizeof tmp, "%s.tmp", w->data_name);
		if (ftruncate(w->fd, (off_t)w->end) < 0 || fsync(w->fd) < 0)
			return err_set(err, -errno,
				       "cannot make the data of step %" PRId64 " durable: %s",
				       w->c.step, strerror(errno));
		if (renameat(w->d->data_fd, tmp, w->d->data_fd, w->data_name) < 0)
			return err_set(err, -errno, "cannot rename '%s': %s", tmp, strerror(errno));
	}
	int rc = ckpt_sync_dir(w->d->data_fd, "data", err);
	if (rc == 0 && w->d->world > 1) {
		ckpt_manifest_write(&w->c, &text);
		rc = ckpt_spit(w->d->part_fd, w->data_name, str_sv(&text), err);
		str_free(&text);
	}
	w->prepared = rc == 0;
	return rc;
}

/* Append a rank's part; data files that both name get one number. */
static int merge_part(struct ckpt *all, const struct ckpt *part, struct err *err)
{
	VEC(uint32_t) number = { 0 };
	int rc = 0;

	for (size_t i = 0; i < part->data.n; i++) {
		size_t k = 0;
		while (k < all->data.n && strcmp(all->data.v[k].name, part->data.v[i].name))
			k++;
		if (k == all->data.n)
			*vec_push(&all->data) = (struct ckpt_data){
				arena_sv(&all->mem, sv_of(part->data.v[i].name)),
				part->data.v[i].bytes
			};
		*vec_push(&number) = (uint32_t)k;
	}
	for (size_t i = 0; rc == 0 && i < part->file.n; i++) {
		struct ckpt_file f = part->file.v[i];
		if (find_file(all, f.name))
			rc = err_set(err, -EEXIST, "two ranks saved a file '%s'", f.name);
		f.name = arena_sv(&all->mem, sv_of(f.name));
		f.first = all->chunk.n;
		for (size_t k = 0; rc == 0 && k < f.nchunk; k++) {
			struct ckpt_chunk c = part->chunk.v[part->file.v[i].first + k];
			assert(c.data < number.n); /* checked when the manifest was read */
			c.data = number.v[c.data];
			*vec_push(&all->chunk) = c;
		}
		*vec_push(&all->file) = f;
	}
	vec_free(&number);
	return rc;
}

static int gather_ranks(struct ckpt_writer *w, int64_t wait_ms, struct err *err)
{
	int64_t waited = 0;

	for (int r = 1; r < w->d->world; r++) {
		struct ckpt part = { 0 };
		struct str text = { 0 };
		char name[64];
		int rc;

		snprintf(name, sizeof name, "%s.r%d", w->c.id, r);
		rc = ckpt_slurp(w->d->part_fd, name, (size_t)1 << 31, &text, err);
		if (rc == 0)
			rc = ckpt_manifest_parse(name, str_sv(&text), &part, err);
		str_free(&text);
		if (rc == 0 && (part.rank != r || part.world != w->d->world ||
				part.step != w->c.step || strcmp(part.attempt, w->c.attempt))) {
			rc = err_set(err, -EBADMSG, "what rank %d prepared is of another run", r);
			ckpt_free(&part);
		}
		if (rc == -ENOENT && waited < wait_ms) {
			usleep(10000);
			waited += 10;
			r--;
			continue;
		}
		if (rc == -ENOENT)
			return err_set(err, -ETIMEDOUT,
				       "rank %d has not saved step %" PRId64
				       ": nothing is committed",
				       r, w->c.step);
		if (rc == 0)
			rc = merge_part(&w->c, &part, err);
		ckpt_free(&part);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Remove what was prepared for this step and for earlier ones that were given up. */
static void drop_parts(struct ckpt_writer *w)
{
	int at = w->d->world > 1 ? openat(w->d->part_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
				 : -1;
	DIR *dir = NULL;

	if (at >= 0)
		dir = fdopendir(at);
	if (!dir && at >= 0)
		close(at);
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (e->d_name[0] != '.' && strncmp(e->d_name, w->c.id, 29) <= 0)
			unlinkat(w->d->part_fd, e->d_name, 0);
	if (dir)
		closedir(dir);
}

static int commit_first(struct ckpt_writer *w, const char *meta, int64_t wait_ms, struct err *err)
{
	int rc = 0;

	if (meta && (strpbrk(meta, "\n\r") || strlen(meta) > CKPT_META_MAX))
		return err_set(err, -EINVAL,
			       "the facts of a checkpoint are one line of JSON of at most %u bytes",
			       CKPT_META_MAX);
	if (!w->prepared)
		rc = ckpt_prepare(w, err);
	if (rc == 0)
		rc = gather_ranks(w, wait_ms, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < w->c.data.n; i++) {
		struct stat st;
		if (fstatat(w->d->data_fd, w->c.data.v[i].name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    (uint64_t)st.st_size < w->c.data.v[i].bytes)
			return err_set(err, -EBADMSG,
				       "the data file '%s' that step %" PRId64
				       " needs is gone: nothing is committed",
				       w->c.data.v[i].name, w->c.step);
	}
	w->c.rank = -1;
	w->c.meta = arena_sv(&w->c.mem, sv_of(filled_or(meta, "{}")));

	/* What cannot be read back (too many files, say) is not called a checkpoint. */
	struct str text = { 0 };
	struct ckpt as_read = { 0 };

	ckpt_manifest_write(&w->c, &text);
	rc = ckpt_manifest_parse(w->c.id, str_sv(&text), &as_read, err);
	if (rc < 0)
		err_prefix(err, "step %" PRId64 " is not committed", w->c.step);
	else
		rc = ckpt_put_manifest(w->d, w->c.id, str_sv(&text), err);
	str_free(&text);
	if (rc < 0) {
		ckpt_free(&as_read);
		return rc;
	}
	ckpt_free(&w->d->last);
	w->d->last = as_read;
	/* Safe from here on; the rest are conveniences: nobody waits for them. */
	ckpt_hint_latest(w->d, w->c.id);
	drop_parts(w);
	return 0;
}

int ckpt_commit(struct ckpt_writer *w, const char *meta, int64_t wait_ms,
		char ret_id[CKPT_ID_BYTES], struct err *err)
{
	struct timespec now;
	struct ckpt c = { 0 };
	struct stat st;
	bool first = w->d->rank == 0;
	int rc = 0;

	if (first)
		rc = commit_first(w, meta, wait_ms, err);
	else if (!w->prepared)
		rc = ckpt_prepare(w, err);
	for (int64_t waited = 0; rc == 0 && !first && fstatat(w->d->ckpt_fd, w->c.id, &st, 0) < 0;
	     waited += 10) {
		if (waited >= wait_ms)
			return err_set(err, -ETIMEDOUT,
				       "rank 0 has not committed step %" PRId64 " yet", w->c.step);
		usleep(10000);
	}
	if (rc < 0)
		return rc;
	w->committed = true;
	w->d->unproven = false;
	w->d->all_new = w->stat.same_bytes == 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	w->stat.seconds = (double)(now.tv_sec - w->begun.tv_sec) +
			  (double)(now.tv_nsec - w->begun.tv_nsec) / 1e9;
	if (ret_id)
		memcpy(ret_id, w->c.id, sizeof w->c.id);
	if (!first && ckpt_load(w->d, w->c.id, &c, NULL) == 0) {
		ckpt_free(&w->d->last);
		w->d->last = c;
	}
	return 0;
}

/* ---- its end ---------------------------------------------------------------------------- */

void ckpt_writer_free(struct ckpt_writer *w)
{
	if (!w)
		return;
	if (!w->committed && !(w->prepared && w->d->rank > 0)) {
		/* What nobody else can name goes; what another rank prepared is rank 0's to take
		 * away. */
		char name[80];

		if (w->d->rank == 0)
		/* a manifest may be there, not durable: it was never said to be safe */
		{
			unlinkat(w->d->ckpt_fd, w->c.id, 0);
			drop_parts(w);
		}
		if (w->fd >= 0) {
			snprintf(name, sizeof name, "%s%s", w->data_name,
				 text_if(!w->prepared, ".tmp"));
			unlinkat(w->d->data_fd, name, 0);
		}
		for (int i = 0; i < w->linked; i++) {
			snprintf(name, sizeof name, "%s.f%d", w->data_name, i);
			unlinkat(w->d->data_fd, name, 0);
		}
	}
	if (w->fd >= 0)
		close(w->fd);
	pthread_mutex_destroy(&w->lock);
	ckpt_free(&w->c);
	vec_free(&w->data_of);
	vec_free(&w->reuse);
	free(w);
}
