#include "base/num.h"
#include "ckpt/push_look.h"
#include "base/search.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct at {
	uint64_t offset;
	size_t i;
};

static int by_offset(const void *a, const void *b)
{
	const struct at *x = a, *y = b;

	if (x->offset != y->offset)
		return cmp_u64(x->offset, y->offset);
	return cmp_size(x->i, y->i);
}

void push_look_init(struct push_look *l, const struct ckpt *c, size_t data, int fd,
		    struct str *hashes)
{
	VEC(struct at) v = { 0 };

	l->c = c;
	l->fd = fd;
	for (size_t i = 0; i < c->chunk.n; i++)
		if (c->chunk.v[i].data == data) {
			*vec_push(&v) = (struct at){ c->chunk.v[i].offset, i };
			str_add(hashes, (const char *)c->chunk.v[i].hash.b,
				sizeof c->chunk.v[i].hash.b);
		}
	if (v.n)
		sort_items(v.v, v.n, sizeof *v.v, by_offset);
	for (size_t i = 0; i < v.n; i++)
		*vec_push(&l->chunk) = v.v[i].i;
	vec_free(&v);
}

static int read_all(int fd, char *buf, size_t n, uint64_t at)
{
	while (n) {
		ssize_t got = pread(fd, buf, n, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			if (got < 0)
				return -errno;
			return -EBADMSG;
		}
		buf += got;
		n -= (size_t)got;
		at += (uint64_t)got;
	}
	return 0;
}

struct walk {
	struct push_look *l;
	char *buf;    /* [CKPT_CHUNK_BYTES] */
	uint64_t pos; /* handed on until here */
	uint64_t end; /* of the piece */
	void (*feed)(void *to, const void *p, size_t n);
	void *to;
};

/* What lies between chunks, or belongs to one that began before, is only handed on. */
static int pass_to(struct walk *w, uint64_t until)
{
	int rc = 0;

	if (!w->feed && w->pos < until)
		w->pos = until;
	while (rc == 0 && w->pos < until) {
		size_t n = CKPT_CHUNK_BYTES;
		if (until - w->pos < CKPT_CHUNK_BYTES)
			n = (size_t)(until - w->pos);
		if ((rc = read_all(w->l->fd, w->buf, n, w->pos)) == 0)
			w->feed(w->to, w->buf, n);
		w->pos += n;
	}
	return rc;
}

static int one_chunk(struct walk *w, const struct ckpt_chunk *c)
{
	uint64_t stop = min_u64(c->offset + c->bytes, w->end);
	int rc = pass_to(w, c->offset);

	if (rc == 0)
		rc = read_all(w->l->fd, w->buf, c->bytes, c->offset);
	if (rc < 0)
		return rc;
	struct ckpt_hash h = ckpt_hash_of(w->buf, c->bytes);
	if (memcmp(&h, &c->hash, sizeof h))
		return -EBADMSG;
	/* chunks may lie over one another: each byte is handed on once */
	if (w->feed && stop > w->pos)
		w->feed(w->to, w->buf + (w->pos - c->offset), (size_t)(stop - w->pos));
	w->pos = max_u64(stop, w->pos);
	return 0;
}

int push_look_at(void *ctx, uint64_t offset, uint64_t bytes,
		 void (*feed)(void *to, const void *p, size_t n), void *to, struct err *err)
{
	struct push_look *l = ctx;
	struct walk w = { l, xmalloc(CKPT_CHUNK_BYTES), offset, offset + bytes, feed, to };
	const struct ckpt_chunk *last = NULL;
	int rc = 0;

	size_t first = first_where(i, l->chunk.n, l->c->chunk.v[l->chunk.v[i]].offset >= offset);
	for (size_t k = first; rc == 0 && k < l->chunk.n; k++) {
		const struct ckpt_chunk *c = &l->c->chunk.v[l->chunk.v[k]];
		if (c->offset >= w.end)
			break;
		if (last && c->offset == last->offset && c->bytes == last->bytes &&
		    !memcmp(&c->hash, &last->hash, sizeof c->hash))
			continue; /* the same bytes under another name */
		rc = one_chunk(&w, c);
		last = c;
	}
	if (rc == 0)
		rc = pass_to(&w, w.end);
	free(w.buf);
	if (rc < 0)
		return err_set(err, rc, "what is to be sent %s",
			       rc == -EBADMSG ? "is damaged" : strerror(-rc));
	return 0;
}
