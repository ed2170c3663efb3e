/*
 * Saving a checkpoint beside what the disk gives: the same bytes from memory by several threads
 * with direct I/O, made durable, nothing else.
 *
 *   bench-save DIR MIB RUNS [BUSY [OURS [PEER]]]
 *
 * Bare writer and ours take turns, B S B S ... B, and a save is compared with the mean of the two
 * bare writes beside it, so that a disk or a machine that gets slower or faster meanwhile slows or
 * speeds both. Prints per run: seconds bare, of ckpt_put + commit, the ratio bare / ours (1 = as
 * fast), of a copy of the state in memory; then the median of the ratios. The state changes as a
 * whole before each write, new files are written, and what is done with is removed. BUSY: so many
 * threads compute meanwhile, as a training would. OURS: threads that write (0, the library's own
 * choice); PEER: of the bare writer (4).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "ckpt/ckpt.h"

enum { THREADS_MAX = 64, HUGE_PAGE = 2 << 20 };
static int peer_threads = 4;

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
		if (pwrite(b->fd, b->p + at,
			   b->n - at < CKPT_CHUNK_BYTES ? b->n - at : CKPT_CHUNK_BYTES,
			   (off_t)at) <= 0)
			atomic_store(&b->bad, errno);
	return NULL;
}

static double bare_write(const char *path, const uint8_t *p, uint64_t n)
{
	struct bare b = { .p = p, .n = n };
	pthread_t t[THREADS_MAX];
	double begun = now_s();

	b.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, 0666);
	if (b.fd < 0)
		b.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (b.fd < 0 || (fallocate(b.fd, 0, 0, (off_t)n) < 0 && errno != EOPNOTSUPP))
		return -1;
	for (int i = 0; i < peer_threads; i++)
		pthread_create(&t[i], NULL, bare_run, &b);
	for (int i = 0; i < peer_threads; i++)
		pthread_join(t[i], NULL);
	if (fsync(b.fd) < 0)
		return -1;
	close(b.fd);
	return b.bad ? -1 : now_s() - begun;
}

static double save(struct ckpt_dir *d, int64_t step, const uint8_t *p, uint64_t n, char id[40],
		   struct err *err)
{
	struct ckpt_writer *w;
	double begun = now_s();
	int rc = ckpt_begin(d, step, step, &w, err);

	if (rc < 0)
		return -1;
	if ((rc = ckpt_put(w, "state", p, n, err)) == 0)
		rc = ckpt_commit(w, NULL, 0, id, err);
	ckpt_writer_free(w);
	return rc < 0 ? -1 : now_s() - begun;
}

static void *busy_run(void *arg)
{
	atomic_bool *end = arg;

	for (volatile uint64_t x = 0; !atomic_load_explicit(end, memory_order_relaxed);)
		x = x * 6364136223846793005u + 1;
	return NULL;
}

static void change(uint8_t *p, uint64_t n)
{
	static uint64_t turn;

	turn++;
	for (uint64_t i = 0; i < n; i += 8) {
		uint64_t x = (i + turn) * 0x9e3779b97f4a7c15u;
		memcpy(p + i, &x, 8);
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double bare_turn(const char *path, uint8_t *p, uint64_t n)
{
	double s;

	change(p, n);
	s = bare_write(path, p, n);
	unlink(path);
	if (s < 0)
		fprintf(stderr, "cannot write '%s': %s\n", path, strerror(errno));
	return s;
}

static double save_turn(struct ckpt_dir *d, int64_t step, uint8_t *p, uint64_t n)
{
	struct err err = { 0 };
	char id[40];
	double s;

	change(p, n);
	s = save(d, step, p, n, id, &err);
	if (s < 0 ||
	    ckpt_retain(d, &(struct ckpt_keep){ .last = 1, .known_good = id }, NULL, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return -1;
	}
	return s;
}

static int turns(struct ckpt_dir *d, const char *bare, uint64_t n, int runs)
{
	uint8_t *p, *copy;
	double ratio[1000], before, after, s, c;

	if (posix_memalign((void **)&p, HUGE_PAGE, n) ||
	    posix_memalign((void **)&copy, HUGE_PAGE, n))
		return -1;
	madvise(p, n, MADV_HUGEPAGE); /* as the memory of a saver is */
	madvise(copy, n, MADV_HUGEPAGE);
	memset(copy, 1, n);
	/* the first, which warms up, and the one that counts */
	if ((before = bare_turn(bare, p, n)) < 0)
		return -1;
	before = bare_turn(bare, p, n);
	for (int r = 0; r < runs; r++, before = after) {
		s = save_turn(d, r + 1, p, n);
		c = now_s();
		memcpy(copy, p, n);
		c = now_s() - c;
		after = bare_turn(bare, p, n);
		if (s < 0 || after < 0)
			return -1;
		ratio[r] = (before + after) / 2 / s;
		printf("run %.4f %.4f %.3f %.4f\n", (before + after) / 2, s, ratio[r], c);
		fflush(stdout);
	}
	qsort(ratio, (size_t)runs, sizeof *ratio, by_value);
	printf("median %.3f of %d, least %.3f, greatest %.3f\n", ratio[runs / 2], runs, ratio[0],
	       ratio[runs - 1]);
	free(p);
	free(copy);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 2 ? (uint64_t)atoll(argv[2]) << 20 : 0;
	int runs = argc > 3 ? atoi(argv[3]) : 3, busy = argc > 4 ? atoi(argv[4]) : 0,
	    ours = argc > 5 ? atoi(argv[5]) : 0, rc;
	struct ckpt_dir *d;
	struct err err = { 0 };
	char path[4096], bare[4096];
	pthread_t t[THREADS_MAX];
	atomic_bool end = false;

	peer_threads = argc > 6 ? atoi(argv[6]) : peer_threads;
	if (argc < 3 || !n || runs < 1 || runs > 1000 || busy < 0 || busy > THREADS_MAX ||
	    ours < 0 || peer_threads < 1 || peer_threads > THREADS_MAX) {
		fprintf(stderr, "usage: bench-save DIR MIB [RUNS [BUSY [OURS [PEER]]]]\n");
		return 2;
	}
	snprintf(path, sizeof path, "%s/ckpt", argv[1]);
	snprintf(bare, sizeof bare, "%s/bare", argv[1]);
	if (ckpt_open(path, &(struct ckpt_opt){ .threads = ours }, &d, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return 2;
	}
	for (int i = 0; i < busy; i++)
		pthread_create(&t[i], NULL, busy_run, &end);
	rc = turns(d, bare, n, runs);
	atomic_store(&end, true);
	for (int i = 0; i < busy; i++)
		pthread_join(t[i], NULL);
	ckpt_close(d);
	return rc < 0 ? 2 : 0;
}
