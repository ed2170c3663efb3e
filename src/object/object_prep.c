#include "object/object_prep.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/thread.h"

#define THREADS_MAX 8 /* 16 GB/s: more than a network carries */
/* parts beyond those that were sent: what was read is still in the page cache when it is sent */
#define AHEAD       4
#define STACK_BYTES (256 << 10)
#define LOOK_BYTES  (16ULL << 20)

struct prep {
	const struct object_src *src;
	struct xfer *wake;
	struct prep_part *v;
	size_t n, next, sent; /* the next to begin; those that were asked for */
	enum prep_hash hash;
	bool quit;
	int rc;
	struct err err;
	pthread_mutex_t mu;
	pthread_cond_t work, done;
	size_t nthreads;
	pthread_t th[THREADS_MAX];
};

static void feed_digest(void *to, const void *p, size_t n)
{
	digest_add(to, p, n);
}

/* With a look the bytes are read once, by it; it hands them on. */
int prep_now(const struct object_src *src, enum prep_hash hash, struct prep_part *v,
	     struct err *err)
{
	enum digest_kind kind = DIGEST_SHA256;
	struct digest *d;
	int rc;

	if (hash == PREP_MD5)
		kind = DIGEST_MD5;
	if (src->look && !hash)
		return src->look(src->look_ctx, v->offset, v->bytes, NULL, NULL, err);
	if (src->look) {
		d = digest_begin(kind);
		rc = src->look(src->look_ctx, v->offset, v->bytes, feed_digest, d, err);
		if (digest_end(d, v->hex) < 0 && rc == 0)
			return err_set(err, -EIO, "cannot hash what is to be sent");
		return rc;
	}
	if (!hash)
		return 0;
	rc = digest_hex(kind, src->mem ? (const char *)src->mem + v->offset : NULL, src->fd,
			src->offset + v->offset, v->bytes, v->hex);
	if (rc < 0)
		return err_set(err, rc, "cannot read what is to be sent: %s",
			       rc == -ENODATA ? "the file is shorter than it was" : strerror(-rc));
	return 0;
}

static void *run_prep(void *ctx)
{
	struct prep *p = ctx;

	pthread_mutex_lock(&p->mu);
	for (;;) {
		while (!p->quit && p->rc == 0 && p->next < p->n &&
		       p->next >= p->sent + AHEAD + p->nthreads)
			pthread_cond_wait(&p->work, &p->mu);
		if (p->quit || p->rc < 0 || p->next >= p->n)
			break;
		size_t i = p->next++;
		struct err err = { 0 };
		pthread_mutex_unlock(&p->mu);
		int rc = prep_now(p->src, p->hash, &p->v[i], &err);
		pthread_mutex_lock(&p->mu);
		p->v[i].ready = rc == 0;
		if (rc < 0 && p->rc == 0) {
			p->rc = rc;
			p->err = err;
		}
		pthread_cond_broadcast(&p->done);
		if (p->wake)
			xfer_wake(p->wake);
	}
	pthread_mutex_unlock(&p->mu);
	return NULL;
}

struct prep *prep_start(const struct object_src *src, enum prep_hash hash, struct prep_part *v,
			size_t n, struct xfer *wake)
{
	struct prep *p = xcalloc(1, sizeof *p);

	/* None is left to the sending: it is done in a fifth of the time that hashing takes, and
	 * waits where there is nothing to send. */
	cpu_set_t set;
	size_t cores = sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1,
	       k = min_size(cores, THREADS_MAX);
	size_t want = min_size(k, n);

	*p = (struct prep){
		.src = src, .wake = wake, .v = v, .n = n, .hash = hash, .nthreads = want
	};
	pthread_mutex_init(&p->mu, NULL);
	pthread_cond_init(&p->work, NULL);
	thread_cond_init(&p->done);
	pthread_mutex_lock(&p->mu);
	for (p->nthreads = 0; p->nthreads < want; p->nthreads++)
		if (thread_start(&p->th[p->nthreads], STACK_BYTES, run_prep, p))
			break;
	pthread_mutex_unlock(&p->mu);
	if (p->nthreads)
		return p;
	prep_end(p);
	return NULL;
}

int prep_ready(struct prep *p, size_t i, int64_t wait_ms, struct err *err)
{
	struct timespec t = thread_until(wait_ms);
	int rc;

	pthread_mutex_lock(&p->mu);
	while (wait_ms > 0 && !p->v[i].ready && p->rc == 0 &&
	       pthread_cond_timedwait(&p->done, &p->mu, &t) == 0)
		;
	rc = p->rc < 0 ? p->rc : p->v[i].ready;
	if (rc < 0 && err)
		*err = p->err;
	if (rc > 0 && i + 1 > p->sent) {
		p->sent = i + 1;
		pthread_cond_broadcast(&p->work);
	}
	pthread_mutex_unlock(&p->mu);
	return rc;
}

void prep_end(struct prep *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->mu);
	p->quit = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->mu);
	for (size_t i = 0; i < p->nthreads; i++)
		pthread_join(p->th[i], NULL);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->done);
	pthread_mutex_destroy(&p->mu);
	free(p);
}

int prep_look(const struct object_src *src, struct err *err)
{
	size_t n = (size_t)((src->bytes + LOOK_BYTES - 1) / LOOK_BYTES);
	int rc = 0;

	if (!src->look || !n)
		return 0;
	struct prep_part *v = xcalloc(n, sizeof *v);
	for (size_t i = 0; i < n; i++)
		v[i] = (struct prep_part){ .offset = i * LOOK_BYTES,
					   .bytes = src->bytes - i * LOOK_BYTES < LOOK_BYTES
							    ? src->bytes - i * LOOK_BYTES
							    : LOOK_BYTES };
	struct prep *p = NULL;
	if (n > 1)
		p = prep_start(src, PREP_NONE, v, n, NULL);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		while (p && (rc = prep_ready(p, i, 1000, err)) == 0)
			;
		if (!p)
			rc = prep_now(src, PREP_NONE, &v[i], err);
		else if (rc > 0)
			rc = 0;
	}
	prep_end(p);
	free(v);
	return rc;
}
