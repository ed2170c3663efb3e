/*
 * An object store and the way of checkpoints to it, by hand: for the tests against servers.
 *
 *   object-tool put URL KEY FILE [new] [tag=T] get URL KEY FILE [FROM N] size URL KEY list URL
 *           [PREFIX] delete URL KEY
 *   object-tool save DIR STEP MIB CHANGED_PCT [SEED]    a checkpoint of MIB MiB, of which
 *                                                       CHANGED_PCT percent differ from those of
 *                                                       SEED alone
 *   object-tool turn URL DIR STEP MIB AFTER_MS LEFT_MS    push; meanwhile, after so long, a
 *                                                         checkpoint of STEP is made and a notice
 *                                                         comes: so much is left
 *   object-tool push URL DIR [ID] pull URL DIR retain URL DIR LAST sum DIR [ID] newest DIR estimate
 *           URL DIR BYTES MS_LEFT
 *
 * Environment: OT_ENDPOINT, OT_REGION, OT_PART (bytes), OT_STREAMS, OT_STALL_MS, OT_TRIES, OT_CA,
 * OT_DEADLINE_MS (from now), OT_SLOW_PCT (the clock of the deadline goes slower by so many
 * percent).
 * Prints facts a line; exit 0, or 1 with "error: CODE sentence" and "hint: ..." on standard error.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "ckpt/ckpt.h"
#include "object/object.h"
#include "ckpt/pull.h"
#include "ckpt/push.h"

static struct err err;

static int64_t env_n(const char *name)
{
	const char *v = getenv(name);

	return v ? atoll(v) : 0;
}

static int64_t now_ms(void)
{
	static int64_t first_ms;
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	int64_t ms = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
	if (!first_ms)
		first_ms = ms;
	return ms - (ms - first_ms) * env_n("OT_SLOW_PCT") / 100;
}

static struct object_when when_of(void)
{
	int64_t ms = env_n("OT_DEADLINE_MS");

	return (struct object_when){ ms ? now_ms() + ms : INT64_MAX, now_ms };
}

static struct object_store *store(const char *url)
{
	struct object_opt o = { .endpoint = getenv("OT_ENDPOINT"),
				.region = getenv("OT_REGION"),
				.part_bytes = (uint64_t)env_n("OT_PART"),
				.ca_file = getenv("OT_CA"),
				.streams = (int)env_n("OT_STREAMS"),
				.stall_ms = env_n("OT_STALL_MS"),
				.tries = (int)env_n("OT_TRIES") };
	struct object_store *s = NULL;

	return object_open(url, &o, &s, &err) < 0 ? NULL : s;
}

static int do_put(struct object_store *s, int argc, char **argv)
{
	struct object_when when = when_of();
	const char *tag = NULL;
	bool only_new = false;
	uint64_t sent = 0;
	struct stat st;
	int fd = open(argv[4], O_RDONLY | O_CLOEXEC), rc;

	for (int i = 5; i < argc; i++) {
		only_new = only_new || !strcmp(argv[i], "new");
		tag = !strncmp(argv[i], "tag=", 4) ? argv[i] + 4 : tag;
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	struct object_src src = { .fd = fd, .bytes = (uint64_t)st.st_size };
	struct object_put put = { &src, tag, only_new, &when };
	rc = object_put(s, argv[3], &put, &sent, &err);
	printf("sent %" PRIu64 "\ncondition %d\n", sent, object_can_condition(s));
	close(fd);
	return rc;
}

static int do_get(struct object_store *s, int argc, char **argv)
{
	struct object_when when = when_of();
	uint64_t got = 0;
	int fd = open(argv[4], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), rc;

	struct object_get get = { .offset = argc > 5 ? strtoull(argv[5], NULL, 10) : 0,
				  .bytes = argc > 6 ? strtoull(argv[6], NULL, 10) : UINT64_MAX,
				  .fd = fd,
				  .when = &when };
	rc = object_get(s, argv[3], &get, &got, &err);
	printf("got %" PRIu64 "\n", got);
	close(fd);
	return rc;
}

static int do_list(struct object_store *s, const char *prefix)
{
	struct arena a = { 0 };
	struct object_key *k = NULL;
	size_t n = 0;
	int rc = object_list(s, prefix, &a, &k, &n, &err);

	for (size_t i = 0; rc == 0 && i < n; i++)
		printf("%" PRIu64 " %s\n", k[i].bytes, k[i].key);
	arena_free(&a);
	return rc;
}

static void print_stat(const struct push_stat *st)
{
	printf("missing %" PRIu64 "\nsent %" PRIu64 "\nfiles %zu\nseconds %.3f\n",
	       st->missing_bytes, st->sent_bytes, st->files, st->seconds);
}

static int do_push(struct object_store *s, int argc, char **argv)
{
	struct object_when when = when_of();
	struct push_stat st = { 0 };
	struct push *p = NULL;
	char id[40] = "";
	int rc = push_open(s, argv[3], NULL, &p, &err);

	if (rc == 0 && argc > 4) {
		snprintf(id, sizeof id, "%s", argv[4]);
		rc = push_one(p, id, &when, &st, &err);
	} else if (rc == 0) {
		rc = push_newest(p, &when, id, &st, &err);
	}
	if (rc >= 0)
		printf("safe %s\n", id);
	print_stat(&st);
	push_close(p);
	return rc;
}

/* ---- a notice in the middle of a push ---- */

struct notice {
	struct push_news news;
	char **argv;
	int rc;
};

static int do_save(int argc, char **argv);

static void *tell(void *ctx)
{
	struct notice *n = ctx;
	char percent[] = "100", *save[] = { n->argv[0], n->argv[1], n->argv[3], n->argv[4],
					    n->argv[5], percent,    NULL };

	usleep((useconds_t)atoi(n->argv[6]) * 1000);
	n->rc = do_save(6, save);
	atomic_store(&n->news.newer, true);
	atomic_store(&n->news.deadline_ms, now_ms() + atoll(n->argv[7]));
	return NULL;
}

/* As tare run does: the push under way, then one with the time that is left. */
static int do_turn(struct object_store *s, char **argv)
{
	struct notice n = { .argv = argv };
	struct push_opt opt = { .news = &n.news, .margin_ms = 500 };
	struct object_when when = { INT64_MAX, now_ms };
	struct push_stat st = { 0 };
	struct push *p = NULL;
	char id[40] = "";
	pthread_t t;
	int rc = push_open(s, argv[3], &opt, &p, &err);

	if (rc < 0)
		return rc;
	pthread_create(&t, NULL, tell, &n);
	rc = push_newest(p, &when, id, &st, &err);
	pthread_join(t, NULL);
	printf("first %d %s\n", rc, id);
	when.deadline_ms = atomic_load(&n.news.deadline_ms);
	if (rc >= 0)
		rc = push_newest(p, &when, id, &st, &err);
	printf("safe %s\nMB/s %.1f\nlate_ms %" PRId64 "\n", push_safe(p), push_bytes_s(p) / 1e6,
	       now_ms() - when.deadline_ms);
	push_close(p);
	return n.rc < 0 ? n.rc : rc;
}

static int do_estimate(struct object_store *s, char **argv)
{
	struct object_when when = { now_ms() + atoll(argv[5]), now_ms };
	struct push_fit fit;
	struct push *p = NULL;
	int rc = push_open(s, argv[3], NULL, &p, &err);

	if (rc == 0 && (rc = push_measure(p, 0, NULL, &err)) == 0) {
		push_estimate(p, strtoull(argv[4], NULL, 10), &when, &fit);
		printf("MB/s %.1f\nneed_ms %" PRId64 "\nfits %d\n", push_bytes_s(p) / 1e6,
		       fit.need_ms, fit.fits);
	}
	push_close(p);
	return rc;
}

static int do_retain(struct object_store *s, char **argv)
{
	struct ckpt_keep keep = { .last = atoi(argv[4]) };
	struct push *p = NULL;
	int removed = 0, rc = push_open(s, argv[3], NULL, &p, &err);

	if (rc == 0)
		rc = push_retain(p, &keep, &removed, &err);
	printf("removed %d\n", removed);
	push_close(p);
	return rc;
}

static int do_pull(struct object_store *s, char **argv)
{
	struct object_when when = when_of();
	struct pull_stat st = { 0 };
	struct ckpt_damage damage = { 0 };
	int skipped = 0, rc = pull_newest(s, argv[3], &when, &st, &damage, &err);

	for (size_t i = 0; i < damage.v.n; i++)
		skipped += damage.v.v[i].stored;
	printf("id %s\nbytes %" PRIu64 "\ngot %" PRIu64 "\nskipped %d\nlocal %d\nstored %s\n",
	       st.id, st.bytes, st.got_bytes, skipped, st.local, st.stored_id);
	for (size_t i = 0; i < damage.v.n; i++)
		printf("told %s\n", damage.v.v[i].why);
	ckpt_damage_free(&damage);
	return rc;
}

static void fill(uint64_t *p, size_t n, uint64_t x)
{
	for (size_t i = 0; i < n; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		p[i] = x;
	}
}

static int do_save(int argc, char **argv)
{
	size_t n = (size_t)atoll(argv[4]) << 20, changed = n / 100 * (size_t)atoi(argv[5]) / 8 * 8;
	uint64_t seed = argc > 6 ? strtoull(argv[6], NULL, 10) : 1;
	uint64_t *state = aligned_alloc(4096, n);
	struct ckpt_dir *d = NULL;
	struct ckpt_writer *w = NULL;
	char id[40] = "";
	int rc = ckpt_open(argv[2], &(struct ckpt_opt){ .buffered = true }, &d, &err);

	fill(state, n / 8, seed * 0x9e3779b97f4a7c15ULL + 1);
	fill(state, changed / 8, (uint64_t)atoll(argv[3]) * 0x2545F4914F6CDD1DULL + 7);
	if (rc == 0)
		rc = ckpt_begin(d, atoll(argv[3]), now_ms(), &w, &err);
	if (rc == 0)
		rc = ckpt_put(w, "state", state, n, &err);
	if (rc == 0)
		rc = ckpt_commit(w, NULL, 0, id, &err);
	printf("id %s\n", id);
	ckpt_writer_free(w);
	ckpt_close(d);
	free(state);
	return rc;
}

/* Hash of all bytes of a checkpoint, each verified on the way. */
static int do_sum(int argc, char **argv)
{
	struct ckpt_dir *d = NULL;
	struct ckpt c = { 0 };
	int rc = ckpt_open(argv[2], &(struct ckpt_opt){ .read_only = true }, &d, &err);

	if (rc == 0)
		rc = argc > 3 ? ckpt_load(d, argv[3], &c, &err)
			      : ckpt_newest(d, NULL, true, &c, NULL, &err);
	if (rc >= 0)
		printf("id %s\n", c.id);
	for (size_t i = 0; rc >= 0 && i < c.file.n; i++) {
		char *buf = malloc(c.file.v[i].bytes + 1);
		rc = ckpt_read(d, &c, i, buf, &err);
		struct ckpt_hash h = ckpt_hash_of(buf, c.file.v[i].bytes);
		printf("%s ", c.file.v[i].name);
		for (size_t k = 0; k < sizeof h.b; k++)
			printf("%02x", h.b[k]);
		printf("\n");
		free(buf);
	}
	ckpt_free(&c);
	ckpt_close(d);
	return rc;
}

static int run(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct object_store *s = NULL;
	uint64_t n = 0;
	int rc = -EINVAL;

	if (!strcmp(what, "save") && argc > 5)
		return do_save(argc, argv);
	if (!strcmp(what, "sum") && argc > 2)
		return do_sum(argc, argv);
	if (argc < 3 || !(s = store(argv[2])))
		return err.msg[0] ? -EINVAL : -ENOSYS;
	if (!strcmp(what, "put") && argc > 4)
		rc = do_put(s, argc, argv);
	else if (!strcmp(what, "get") && argc > 4)
		rc = do_get(s, argc, argv);
	else if (!strcmp(what, "size") && argc > 3 && (rc = object_size(s, argv[3], &n, &err)) == 0)
		printf("%" PRIu64 "\n", n);
	else if (!strcmp(what, "list"))
		rc = do_list(s, argc > 3 ? argv[3] : "");
	else if (!strcmp(what, "delete") && argc > 3)
		rc = object_delete(s, argv[3], &err);
	else if (!strcmp(what, "push") && argc > 3)
		rc = do_push(s, argc, argv);
	else if (!strcmp(what, "turn") && argc > 7)
		rc = do_turn(s, argv);
	else if (!strcmp(what, "pull") && argc > 3)
		rc = do_pull(s, argv);
	else if (!strcmp(what, "retain") && argc > 4)
		rc = do_retain(s, argv);
	else if (!strcmp(what, "estimate") && argc > 5)
		rc = do_estimate(s, argv);
	object_close(s);
	return rc;
}

int main(int argc, char **argv)
{
	int rc = run(argc, argv);

	fflush(stdout);
	if (rc < 0) {
		fprintf(stderr, "error: %d %s\n", rc, err.msg);
		if (err.hint[0])
			fprintf(stderr, "hint: %s\n", err.hint);
	}
	return rc < 0;
}
