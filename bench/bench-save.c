/*
 * Saving a checkpoint beside what the disk gives: the same bytes from memory by several threads with direct I/O, made durable, nothing else.
 *
 *   bench-save DIR MIB RUNS     prints per run: seconds of the bare writer, of ckpt_put + commit, of a copy of the state in memory
 *
 * Every run writes new files (the state changes as a whole), the two take turns, and what is done with is removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "spot/ckpt.h"

enum { THREADS = 4 };

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct bare {
	const uint8_t *p;
	uint64_t n;
	int fd;
	atomic_uint_fast64_t next;
	atomic_int bad;
};

static void *bare_run(void *arg)
{
	struct bare *b = arg;

	for (uint64_t at; (at = atomic_fetch_add(&b->next, CKPT_CHUNK_BYTES)) < b->n;)
		if (pwrite(b->fd, b->p + at, b->n - at < CKPT_CHUNK_BYTES ? b->n - at : CKPT_CHUNK_BYTES, (off_t)at) <= 0)
			atomic_store(&b->bad, errno);
	return NULL;
}

static double bare_write(const char *path, const uint8_t *p, uint64_t n)
{
	struct bare b = { .p = p, .n = n };
	pthread_t t[THREADS];
	double begun = now_s();

	b.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, 0666);
	if (b.fd < 0)
		b.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (b.fd < 0 || (fallocate(b.fd, 0, 0, (off_t)n) < 0 && errno != EOPNOTSUPP))
		return -1;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, bare_run, &b);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	if (fsync(b.fd) < 0)
		return -1;
	close(b.fd);
	return b.bad ? -1 : now_s() - begun;
}

static double save(struct ckpt_dir *d, int64_t step, const uint8_t *p, uint64_t n, struct err *err)
{
	struct ckpt_writer *w;
	double begun = now_s();
	int rc = ckpt_begin(d, step, step, &w, err);

	if (rc < 0)
		return -1;
	if ((rc = ckpt_put(w, "state", p, n, err)) == 0)
		rc = ckpt_commit(w, NULL, 0, NULL, err);
	ckpt_writer_free(w);
	return rc < 0 ? -1 : now_s() - begun;
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 2 ? (uint64_t)atoll(argv[2]) << 20 : 0;
	int runs = argc > 3 ? atoi(argv[3]) : 3;
	uint8_t *p, *copy;
	struct ckpt_dir *d;
	struct err err = { 0 };
	char path[4096], bare[4096];

	if (argc < 3 || !n || posix_memalign((void **)&p, CKPT_ALIGN, n) || posix_memalign((void **)&copy, CKPT_ALIGN, n)) {
		fprintf(stderr, "usage: bench-save DIR MIB [RUNS]\n");
		return 2;
	}
	memset(copy, 1, n);
	snprintf(path, sizeof path, "%s/ckpt", argv[1]);
	snprintf(bare, sizeof bare, "%s/bare", argv[1]);
	if (ckpt_open(path, &(struct ckpt_opt){ .threads = THREADS }, &d, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return 2;
	}
	for (int r = 0; r < runs; r++) {
		for (uint64_t i = 0; i < n; i += 8) {
			uint64_t x = (i + (uint64_t)r + 1) * 0x9e3779b97f4a7c15u;
			memcpy(p + i, &x, 8);
		}
		double b = bare_write(bare, p, n), s = save(d, r + 1, p, n, &err), c = now_s();
		memcpy(copy, p, n);
		c = now_s() - c;
		if (b < 0 || s < 0) {
			fprintf(stderr, "cannot write into '%s': %s\n", argv[1], s < 0 ? err.msg : strerror(errno));
			return 2;
		}
		printf("%.4f %.4f %.4f\n", b, s, c);
		fflush(stdout);
		unlink(bare);
		if (ckpt_retain(d, &(struct ckpt_keep){ .last = 1 }, NULL, &err) < 0)
			return 2;
	}
	ckpt_close(d);
	free(p);
	free(copy);
	return 0;
}
