/* One function over n chunks on several threads. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include "base/num.h"
#include "ckpt/ckpt_priv.h"

enum { THREADS_MAX = 64 };

struct each {
	atomic_size_t next;
	atomic_int rc;
	size_t n;
	int (*fn)(void *ctx, size_t i, void *buf);
	void *ctx;
};

static void *each_run(void *arg)
{
	struct each *e = arg;
	void *buf = NULL;
	int zero = 0;

	if (posix_memalign(&buf, CKPT_ALIGN, CKPT_CHUNK_BYTES) != 0) {
		int no = -ENOMEM;
		atomic_compare_exchange_strong(&e->rc, &zero, no);
		return NULL;
	}
	for (size_t i; atomic_load(&e->rc) == 0 && (i = atomic_fetch_add(&e->next, 1)) < e->n;) {
		int rc = e->fn(e->ctx, i, buf);
		zero = 0;
		if (rc < 0)
			atomic_compare_exchange_strong(&e->rc, &zero, rc);
	}
	free(buf);
	return NULL;
}

int ckpt_threads(const struct ckpt_dir *d, bool own)
{
	if (own && d->threads > CKPT_OWN_THREADS)
		return CKPT_OWN_THREADS;
	return d->threads;
}

/* A thread that cannot be started is done without: the caller's own works too. */
int ckpt_each(int threads, size_t n, int (*fn)(void *ctx, size_t i, void *buf), void *ctx)
{
	struct each e = { .n = n, .fn = fn, .ctx = ctx };
	pthread_t t[THREADS_MAX];
	int started = 0, want = min_int(threads, THREADS_MAX);

	while (started + 1 < want && (size_t)started + 1 < n &&
	       pthread_create(&t[started], NULL, each_run, &e) == 0)
		started++;
	if (n)
		each_run(&e);
	for (int i = 0; i < started; i++)
		pthread_join(t[i], NULL);
	return atomic_load(&e.rc);
}
