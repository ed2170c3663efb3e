/*
 * Saving through libtare. The caller's thread fills a slot of memory and goes on training; a thread
 * of the saver writes full slots as checkpoints and removes old ones. `lock` is where the two meet.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/thread.h"
#include "base/tm.h"
#include "lib/lib.h"
#include "lib/memory.h"
#include "ckpt/ckpt.h"

/* Two: one is written while the next is copied. */
enum { SLOTS = 2 };

struct slot { /* memory of one save */
	struct lib_mem mem;
	uint64_t turn; /* the writer takes the least of those that are full */
	int64_t step;
	bool full;      /* waits for the writer, or is with it */
	bool filling;   /* in the caller's hands */
	bool preparing; /* the thread is making room in it */
	char *meta;
	VEC(tare_piece) piece; /* names are copies, p lies in mem */
	double stall_s;
};

struct tare_saver {
	struct ckpt_dir *dir;
	struct ckpt_keep keep;
	int64_t commit_wait_ms;
	int rank;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct slot slot[SLOTS];
	struct slot *filling; /* in the caller's hands */
	uint64_t turn;        /* of the last save */
	struct lib_copier *copier;
	bool ending;
	int failed; /* of the saves since somebody asked; 0 = none */
	int64_t safe_step;
	struct err err, said;              /* of the writer; of the caller's own thread */
	char told[sizeof(struct err) + 4]; /* said with its hint */
	tare_saver_stats last;
	double begun_s;      /* of the save that is being filled */
	uint64_t want_bytes; /* room that both slots should have */
	int device;          /* the caller's GPU when it said so, -1 = none */
	int64_t best_step;   /* kept whatever its age, -1 = none */
	pid_t pid;           /* whose it is: a child after fork() has no thread of it */
	struct tare_saver *next_open;
};

/* ---- fork() ------------------------------------------------------------------------------ */

/* All that are open, for fork(). */
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static struct tare_saver *opened;

static void before_fork(void)
{
	pthread_mutex_lock(&open_lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&open_lock);
}

/* A child that outlives the program (a worker that loads data) must not hold the folder's lock for
 * it: the next run would be refused. */
static void in_child(void)
{
	for (struct tare_saver *s = opened; s; s = s->next_open)
		ckpt_forked(s->dir);
	opened = NULL;
	pthread_mutex_unlock(&open_lock);
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

/* ---- the thread that writes -------------------------------------------------------------- */

static void slot_clear(struct slot *s)
{
	for (size_t i = 0; i < s->piece.n; i++)
		free((char *)(uintptr_t)s->piece.v[i].name);
	vec_clear(&s->piece);
	free(s->meta);
	s->meta = NULL;
	s->full = false;
}

static int write_slot(struct tare_saver *s, const struct slot *k, tare_saver_stats *st,
		      char id[CKPT_ID_BYTES], struct err *err)
{
	struct ckpt_writer *w;
	struct ckpt_stat cs;
	double begun = tm_awake_s();
	int rc = ckpt_begin(s->dir, k->step, tm_now_ms(), &w, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < k->piece.n; i++)
		rc = ckpt_put(w, k->piece.v[i].name, k->piece.v[i].p, k->piece.v[i].bytes, err);
	if (rc == 0)
		rc = ckpt_commit(w, k->meta, s->commit_wait_ms, id, err);
	ckpt_writer_stat(w, &cs);
	ckpt_writer_free(w);
	*st = (tare_saver_stats){ cs.bytes, cs.written_bytes, k->stall_s, tm_awake_s() - begun };
	return rc;
}

/* Tell `tare run`: safe as id, or failed where err is not NULL. */
static void report_save(int64_t step, const tare_saver_stats *st, const char *id,
			const struct err *err)
{
	struct runmsg m = { .kind = RUN_SAFE, .step = step, .deadline_ms = INT64_MIN };

	if (err) {
		m.kind = RUN_FAILED;
		snprintf(m.text, sizeof m.text, "%.500s", err->msg);
	} else {
		snprintf(m.id, sizeof m.id, "%s", id);
		m.stall_ms = (int64_t)(st->stall_s * 1e3);
		m.write_ms = (int64_t)(st->write_s * 1e3);
		m.bytes = st->written_bytes;
	}
	lib_tell(&m);
}

/* Old checkpoints go after the new one is safe; what could not be removed is tried again after the
 * next. */
static void retain_newest(struct tare_saver *s, const char *id)
{
	struct ckpt_keep keep = s->keep;
	char best_id[CKPT_ID_BYTES] = "";
	const char *best = best_id;
	int64_t step;

	if (s->rank != 0)
		return;
	pthread_mutex_lock(&s->lock);
	step = s->best_step;
	pthread_mutex_unlock(&s->lock);
	keep.known_good = id;
	if (step >= 0 && lib_find_step(s->dir, step, best_id, NULL) > 0) {
		keep.id = &best;
		keep.nid = 1;
	}
	ckpt_retain(s->dir, &keep, NULL, NULL);
}

/*
 * The first touch of each page costs more than the copy: it is done here, beside the training, and
 * not when it stands still. Called with the lock, which is let go meanwhile; whether something was
 * done.
 */
static bool prepare_slots(struct tare_saver *s)
{
	for (int i = 0; i < SLOTS; i++) {
		struct slot *k = &s->slot[i];
		if (k->full || k->filling || k->mem.room >= s->want_bytes)
			continue;
		uint64_t bytes = s->want_bytes;
		int device = s->device;
		k->preparing = true;
		pthread_mutex_unlock(&s->lock);
		lib_mem_on(device);
		bool made = lib_mem_room(&k->mem, bytes) == 0;
		if (made)
			lib_mem_touch(&k->mem, bytes);
		pthread_mutex_lock(&s->lock);
		k->preparing = false;
		if (!made)
			s->want_bytes = 0; /* tare_saver_memory() returns NULL then */
		pthread_cond_broadcast(&s->changed);
		return true;
	}
	return false;
}

static void *run_writer(void *arg)
{
	struct tare_saver *s = arg;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		struct slot *k = NULL; /* the first that is full */
		for (int i = 0; i < SLOTS; i++)
			if (s->slot[i].full && (!k || s->slot[i].turn < k->turn))
				k = &s->slot[i];
		if (!k && s->ending)
			break;
		if (!k && prepare_slots(s))
			continue;
		if (!k) {
			pthread_cond_wait(&s->changed, &s->lock);
			continue;
		}
		pthread_mutex_unlock(&s->lock);
		tare_saver_stats st = { 0 };
		struct err err = { 0 };
		char id[CKPT_ID_BYTES] = "";
		int rc = write_slot(s, k, &st, id, &err);
		report_save(k->step, &st, id, rc < 0 ? &err : NULL);
		if (rc == 0)
			retain_newest(s, id);
		pthread_mutex_lock(&s->lock);
		if (rc < 0) {
			/* -ETIMEDOUT is what tare_saver_wait() returns where the wait was too
			 * short */
			s->failed = rc == -ETIMEDOUT ? -ECANCELED : rc;
			s->err = err;
		} else {
			s->safe_step = k->step;
			s->last = st;
		}
		slot_clear(k);
		pthread_cond_broadcast(&s->changed);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* ---- the caller's side ------------------------------------------------------------------- */

enum { COMMIT_WAIT_MS = 10 * 60 * 1000 };

tare_saver *tare_saver_open(const tare_saver_options *opt, char *err_text, size_t err_bytes)
{
	tare_saver_options o = { 0 };
	char attempt[256];
	struct tare_saver *s;
	struct err err = { 0 };

	if (opt && opt->size)
		memcpy(&o, opt, min_size(opt->size, sizeof o));
	if (!o.world) {
		o.world = lib_env_int("WORLD_SIZE", 1);
		o.rank = lib_env_int("RANK", 0);
		if (o.world < 1 || o.rank >= o.world) {
			o.world = 1;
			o.rank = 0;
		}
	}
	lib_attempt(o.attempt, attempt, sizeof attempt);
	const char *dir = lib_dir(o.dir);
	struct ckpt_opt c = {
		.rank = o.rank, .world = o.world, .attempt = attempt, .threads = o.threads
	};
	if (!dir) {
		err_set(&err, -EINVAL,
			"no folder for checkpoints was told: give dir, or set TARE_CHECKPOINT_DIR");
		lib_say(&err, err_text, err_bytes);
		return NULL;
	}
	s = xcalloc(1, sizeof *s);
	if (ckpt_open(dir, &c, &s->dir, &err) < 0) {
		lib_say(&err, err_text, err_bytes);
		free(s);
		return NULL;
	}
	s->keep = (struct ckpt_keep){ .last = o.keep_last > 0 ? o.keep_last : 3,
				      .every_ms = (int64_t)(o.keep_every_hours * MS_HOUR) };
	s->commit_wait_ms = o.commit_wait_ms > 0 ? o.commit_wait_ms : COMMIT_WAIT_MS;
	s->rank = o.rank;
	s->safe_step = s->best_step = -1;
	s->device = -1;
	s->pid = getpid();
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	s->copier = lib_copier_new();
	if (pthread_create(&s->thread, NULL, run_writer, s) != 0) {
		err_set(&err, -EAGAIN, "cannot start the thread that saves");
		lib_say(&err, err_text, err_bytes);
		lib_copier_free(s->copier);
		ckpt_close(s->dir);
		free(s);
		return NULL;
	}
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, watch_forks);
	pthread_mutex_lock(&open_lock);
	s->next_open = opened;
	opened = s;
	pthread_mutex_unlock(&open_lock);
	struct runmsg hello = {
		.kind = RUN_HELLO, .pid = getpid(), .rank = o.rank, .world = o.world
	};
	lib_tell(&hello);
	return s;
}

/* So much is wanted in both slots: the writer's thread makes it, for the GPU of the caller's; with
 * the lock. */
static void want_slots(struct tare_saver *s, uint64_t bytes, int device)
{
	if (bytes > s->want_bytes)
		s->want_bytes = bytes;
	s->device = device;
}

/* One that can be filled, before all one whose memory was touched; with the lock. */
static struct slot *free_slot(struct tare_saver *s, uint64_t bytes)
{
	struct slot *other = NULL;

	for (int i = 0; i < SLOTS; i++) {
		struct slot *k = &s->slot[i];
		if (k->full || k->preparing)
			continue;
		if (k->mem.room >= bytes)
			return k;
		other = k;
	}
	return other;
}

void *tare_saver_memory(tare_saver *s, uint64_t bytes)
{
	int device = lib_mem_device();
	struct slot *k;

	s->begun_s = tm_awake_s();
	pthread_mutex_lock(&s->lock);
	if (s->filling)
		/* was asked for and not used: a save that was given up */
		s->filling->filling = false;
	while (!(k = free_slot(s, bytes)))
		pthread_cond_wait(&s->changed, &s->lock);
	k->filling = true;
	s->filling = k;
	want_slots(s, bytes, device); /* the other one gets as much while this is written */
	pthread_mutex_unlock(&s->lock);
	if (lib_mem_room(&k->mem, bytes) < 0) {
		err_set(&s->said, -ENOMEM, "no memory for a copy of %" PRIu64 " bytes of state",
			bytes);
		return NULL;
	}
	return k->mem.p;
}

void tare_saver_reserve(tare_saver *s, uint64_t bytes)
{
	int device = lib_mem_device();

	pthread_mutex_lock(&s->lock);
	want_slots(s, bytes, device);
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

/* What failed since the last time anybody asked; the sentence stays. */
static int take_failed(struct tare_saver *s)
{
	int rc = s->failed;

	if (rc < 0)
		s->said = s->err;
	s->failed = 0;
	return rc;
}

void tare_saver_fill(tare_saver *s, const tare_copy *copy, size_t n)
{
	lib_copier_run(s->copier, copy, n);
}

int tare_saver_go(tare_saver *s, int64_t step, const tare_piece *piece, size_t npiece,
		  const char *meta)
{
	struct slot *k = s->filling;
	struct runmsg m = { .kind = RUN_SAVING, .step = step };
	int rc;

	if (!k || !k->mem.p)
		return err_set(&s->said, -EINVAL, "tare_saver_go() without tare_saver_memory()");
	if (meta && (strpbrk(meta, "\r\n") || strlen(meta) > CKPT_META_MAX))
		return err_set(&s->said, -EINVAL, "meta is one line of JSON of at most %u bytes",
			       CKPT_META_MAX);
	for (size_t i = 0; i < npiece; i++) {
		const uint8_t *p = piece[i].p;
		if (piece[i].bytes && (p < k->mem.p || p + piece[i].bytes > k->mem.p + k->mem.room))
			return err_set(&s->said, -EINVAL, "'%s' does not lie in the saver's memory",
				       piece[i].name);
	}
	for (size_t i = 0; i < npiece; i++) {
		*vec_push(&k->piece) = (tare_piece){ xstrdup(piece[i].name), piece[i].p,
						     piece[i].bytes };
		m.bytes += piece[i].bytes;
	}
	k->meta = meta ? xstrdup(meta) : NULL;
	k->step = step;
	k->stall_s = tm_awake_s() - s->begun_s;
	lib_tell(&m);
	pthread_mutex_lock(&s->lock);
	k->full = true;
	k->turn = ++s->turn;
	k->filling = false;
	s->filling = NULL;
	rc = take_failed(s);
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int tare_saver_save(tare_saver *s, int64_t step, const tare_piece *piece, size_t npiece,
		    const char *meta)
{
	VEC(tare_piece) there = { 0 };
	VEC(tare_copy) copy = { 0 };
	uint64_t bytes = 0;
	uint8_t *at;
	int rc;

	for (size_t i = 0; i < npiece; i++)
		bytes += (piece[i].bytes + CKPT_ALIGN - 1) & ~(uint64_t)(CKPT_ALIGN - 1);
	at = tare_saver_memory(s, bytes);
	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < npiece; i++) {
		*vec_push(&copy) = (tare_copy){ at, piece[i].p, piece[i].bytes };
		*vec_push(&there) = (tare_piece){ piece[i].name, at, piece[i].bytes };
		at += (piece[i].bytes + CKPT_ALIGN - 1) & ~(uint64_t)(CKPT_ALIGN - 1);
	}
	tare_saver_fill(s, copy.v, copy.n);
	rc = tare_saver_go(s, step, there.v, there.n, meta);
	vec_free(&copy);
	vec_free(&there);
	return rc;
}

static bool under_way(const struct tare_saver *s)
{
	for (int i = 0; i < SLOTS; i++)
		if (s->slot[i].full)
			return true;
	return false;
}

int tare_saver_wait(tare_saver *s, int64_t timeout_ms)
{
	struct timespec until = thread_until(max_i64(timeout_ms, 0));
	int rc = 0;

	pthread_mutex_lock(&s->lock);
	while (under_way(s) && rc == 0) {
		if (timeout_ms < 0)
			rc = pthread_cond_wait(&s->changed, &s->lock);
		else
			rc = pthread_cond_clockwait(&s->changed, &s->lock, CLOCK_MONOTONIC, &until);
	}
	if (under_way(s))
		rc = -ETIMEDOUT;
	else
		rc = take_failed(s);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

void tare_saver_keep_best(tare_saver *s, int64_t step)
{
	pthread_mutex_lock(&s->lock);
	s->best_step = step;
	pthread_mutex_unlock(&s->lock);
}

int64_t tare_saver_safe_step(const tare_saver *s)
{
	tare_saver *w = (tare_saver *)(uintptr_t)s;
	int64_t step;

	pthread_mutex_lock(&w->lock);
	step = s->safe_step;
	pthread_mutex_unlock(&w->lock);
	return step;
}

void tare_saver_last(const tare_saver *s, tare_saver_stats *ret)
{
	tare_saver *w = (tare_saver *)(uintptr_t)s;

	pthread_mutex_lock(&w->lock);
	*ret = s->last;
	pthread_mutex_unlock(&w->lock);
}

const char *tare_saver_error(const tare_saver *s)
{
	tare_saver *w = (tare_saver *)(uintptr_t)s;

	lib_say(&s->said, w->told, sizeof w->told);
	return w->told;
}

int tare_saver_close(tare_saver *s)
{
	int rc;

	if (!s || s->pid != getpid())
		/* a child has neither the thread nor the lock: what it inherited goes with it */
		return 0;
	rc = tare_saver_wait(s, -1);
	pthread_mutex_lock(&open_lock);
	for (struct tare_saver **p = &opened; *p; p = &(*p)->next_open)
		if (*p == s) {
			*p = s->next_open;
			break;
		}
	pthread_mutex_unlock(&open_lock);
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	for (int i = 0; i < SLOTS; i++) {
		slot_clear(&s->slot[i]);
		lib_mem_drop(&s->slot[i].mem);
		vec_free(&s->slot[i].piece);
	}
	lib_copier_free(s->copier);
	ckpt_close(s->dir);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
	return rc;
}
