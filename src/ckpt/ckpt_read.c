#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ckpt/ckpt_priv.h"

/* Reading a file: to memory, to another file, or to nowhere; every chunk is compared with its hash
 * on the way. */
struct get {
	struct ckpt_dir *d;
	const struct ckpt *c;
	const struct ckpt_file *f; /* NULL: all chunks of all files */
	int *fd;                   /* [c->data.n] */
	uint8_t *mem;              /* of the file's bytes, or NULL */
	int out;                   /* file to write to, or -1 */
};

/* Bytes that the disk cannot read, asked twice, are lost: damage, so that an older checkpoint is
 * taken. */
static int read_chunk(int fd, uint8_t *buf, size_t n, uint64_t off)
{
	bool asked = false;

	while (n) {
		ssize_t got = pread(fd, buf, n, (off_t)off);
		if (got < 0 && (errno == EINTR || (errno == EIO && !asked))) {
			asked = asked || errno == EIO;
			continue;
		}
		if (got < 0 && errno == EINVAL) { /* not the sizes that direct I/O wants */
			int flags = fcntl(fd, F_GETFL);
			if (flags >= 0 && flags & O_DIRECT &&
			    fcntl(fd, F_SETFL, flags & ~O_DIRECT) == 0)
				continue;
		}
		if (got <= 0) {
			if (got < 0 && errno != EIO)
				return -errno;
			return -EBADMSG;
		}
		buf += got;
		n -= (size_t)got;
		off += (uint64_t)got;
	}
	return 0;
}

static int get_one(void *ctx, size_t i, void *buf)
{
	struct get *g = ctx;
	const struct ckpt_chunk *k = &g->c->chunk.v[g->f ? g->f->first + i : i];
	uint64_t at = (uint64_t)i * CKPT_CHUNK_BYTES; /* in the file */
	uint8_t *to = g->mem ? g->mem + at : buf;
	struct ckpt_hash h;
	int rc = read_chunk(g->fd[k->data], to, k->bytes, k->offset);

	if (rc < 0)
		return rc;
	h = ckpt_hash_of(to, k->bytes);
	if (memcmp(&h, &k->hash, sizeof h))
		return -EBADMSG;
	if (g->out >= 0) {
		int fd = g->out;
		const uint8_t *p = to;
		size_t n = k->bytes;
		uint64_t off = at;
		while (n) {
			ssize_t put = pwrite(fd, p, n, (off_t)off);
			if (put < 0 && errno == EINTR)
				continue;
			if (put < 0)
				return -errno;
			p += put;
			n -= (size_t)put;
			off += (uint64_t)put;
		}
	}
	return 0;
}

static int run_get(struct get *g, struct err *err)
{
	size_t n = g->f ? g->f->nchunk : g->c->chunk.n;
	int rc = 0;

	g->fd = xmalloc((g->c->data.n + 1) * sizeof *g->fd);
	for (size_t i = 0; i < g->c->data.n; i++) {
		if (rc < 0)
			g->fd[i] = -1;
		else
			g->fd[i] = openat(g->d->data_fd, g->c->data.v[i].name,
					  O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		if (rc == 0 && g->fd[i] < 0)
			rc = errno == ENOENT || errno == ELOOP ? -EBADMSG : -errno;
	}

	if (rc == 0)
		rc = ckpt_each(ckpt_threads(g->d, !g->mem), n, get_one, g);
	for (size_t i = 0; i < g->c->data.n; i++)
		if (g->fd[i] >= 0)
			close(g->fd[i]);
	free(g->fd);
	if (rc == -EBADMSG)
		err_set(err, rc,
			"checkpoint '%s' is damaged: the bytes of '%s' are not those that were saved",
			g->c->id, g->f ? g->f->name : "a file of it");
	else if (rc < 0)
		err_set(err, rc, "cannot read checkpoint '%s' in '%s': %s", g->c->id, g->d->path,
			strerror(-rc));
	return rc;
}

int ckpt_verify(struct ckpt_dir *d, const struct ckpt *c, struct err *err)
{
	struct get g = { .d = d, .c = c, .out = -1 };

	for (size_t i = 0; i < c->file.n; i++) {
		int rc;
		g.f = &c->file.v[i];
		if ((rc = run_get(&g, err)) < 0)
			return rc;
	}
	return 0;
}

int ckpt_read(struct ckpt_dir *d, const struct ckpt *c, size_t file, void *buf, struct err *err)
{
	struct get g = { .d = d, .c = c, .f = &c->file.v[file], .mem = buf, .out = -1 };

	return run_get(&g, err);
}

static int make_durable(int fd, const char *tmp, const char *path, struct err *err)
{
	struct str folder = { 0 };
	const char *slash = strrchr(path, '/');
	int at, rc = 0;

	if (fsync(fd) < 0 || rename(tmp, path) < 0)
		return err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	str_add(&folder, slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);
	at = open(str_z(&folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at < 0 || fsync(at) < 0)
		rc = err_set(err, -errno, "cannot make '%s' durable: %s", path, strerror(errno));
	if (at >= 0)
		close(at);
	str_free(&folder);
	return rc;
}

int ckpt_extract(struct ckpt_dir *d, const struct ckpt *c, size_t file, const char *path,
		 struct err *err)
{
	struct get g = { .d = d, .c = c, .f = &c->file.v[file] };
	struct str tmp = { 0 };
	int rc = 0;

	str_addf(&tmp, "%s.tare-tmp", path);
	g.out = open(str_z(&tmp), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (g.out < 0)
		rc = err_set(err, -errno, "cannot make '%s': %s", str_z(&tmp), strerror(errno));
	if (rc == 0)
		rc = run_get(&g, err);
	if (rc == 0)
		rc = make_durable(g.out, str_z(&tmp), path, err);
	if (g.out >= 0)
		close(g.out);
	if (rc < 0)
		unlink(str_z(&tmp));
	str_free(&tmp);
	return rc;
}
