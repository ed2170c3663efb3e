#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "base/tm.h"
#include "lib/lib.h"
#include "spot/ckpt.h"

/* Two: one is written while the next is copied. */
enum { SLOTS = 2, COMMIT_WAIT_MS = 10 * 60 * 1000 };

struct slot { /* memory of one save */
	uint8_t *mem;
	uint64_t room;
	bool pinned;
	int64_t step;
	bool full;	  /* waits for the writer, or is with it */
	bool filling;	  /* in the caller's hands */
	bool preparing;	  /* the thread is making room in it */
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
	int next, writing;	/* the slot to fill; the slot the thread takes */
	bool ending;
	int failed;		/* of the saves since somebody asked; 0 = none */
	int64_t safe_step;
	struct err err, said;	/* of the writer; of the caller's own thread */
	tare_saver_stats last;
	double begun_s;		/* of the save that is being filled */
	uint64_t want_bytes;	/* room that both slots should have */
	int64_t best_step;	/* kept whatever its age, -1 = none */
	pid_t pid;		/* whose it is: a child after fork() has no thread of it */
	struct tare_saver *next_open;
};

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

/* A child that outlives the program (a worker that loads data) must not hold the folder's lock for it: the next run would be refused. */
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

static void enlist(struct tare_saver *s)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
	pthread_mutex_lock(&open_lock);
	s->next_open = opened;
	opened = s;
	pthread_mutex_unlock(&open_lock);
}

static void delist(struct tare_saver *s)
{
	pthread_mutex_lock(&open_lock);
	for (struct tare_saver **p = &opened; *p; p = &(*p)->next_open)
		if (*p == s) {
			*p = s->next_open;
			break;
		}
	pthread_mutex_unlock(&open_lock);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- memory --------------------------------------------------------------------------------------------------------------------------- */

/* Pinned memory is copied to by a GPU at full speed; where the program has no CUDA runtime there is none, and plain memory does. */
static bool pin(void *p, uint64_t bytes)
{
	int (*reg)(void *, size_t, unsigned);

	*(void **)&reg = dlsym(RTLD_DEFAULT, "cudaHostRegister");
	return reg && reg(p, bytes, 0) == 0;
}

static void unpin(void *p)
{
	int (*unreg)(void *);

	*(void **)&unreg = dlsym(RTLD_DEFAULT, "cudaHostUnregister");
	if (unreg)
		unreg(p);
}

static void slot_drop(struct slot *s)
{
	if (s->mem) {
		if (s->pinned)
			unpin(s->mem);
		munmap(s->mem, s->room);
	}
	s->mem = NULL;
	s->room = 0;
	s->pinned = false;
}

static int slot_room(struct slot *s, uint64_t bytes)
{
	uint64_t room = (bytes + (2u << 20)) & ~(uint64_t)((2u << 20) - 1);
	void *p;

	if (s->mem && bytes <= s->room)
		return 0;
	slot_drop(s);
	p = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return -ENOMEM;
	madvise(p, room, MADV_HUGEPAGE);
	madvise(p, room, MADV_DONTFORK); /* children of the program neither need nor pay for it */
	s->mem = p;
	s->room = room;
	s->pinned = pin(p, room);
	return 0;
}

static void touch(uint8_t *p, uint64_t bytes)
{
	enum { PAGE = 4096, POPULATE_WRITE = 23 }; /* MADV_POPULATE_WRITE, since Linux 5.14 */

	if (madvise(p, bytes, POPULATE_WRITE) == 0)
		return;
	for (uint64_t at = 0; at < bytes; at += PAGE)
		((volatile uint8_t *)p)[at] = 0;
}

static void slot_clear(struct slot *s)
{
	for (size_t i = 0; i < s->piece.n; i++)
		free((char *)(uintptr_t)s->piece.v[i].name);
	vec_clear(&s->piece);
	free(s->meta);
	s->meta = NULL;
	s->full = false;
}

/* ---- the thread that writes ---------------------------------------------------------------------------------------------------------------- */

static int write_slot(struct tare_saver *s, const struct slot *k, tare_saver_stats *st, char id[40], struct err *err)
{
	struct ckpt_writer *w;
	struct ckpt_stat cs;
	double begun = now_s();
	int rc = ckpt_begin(s->dir, k->step, tm_now_ms(), &w, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < k->piece.n; i++)
		rc = ckpt_put(w, k->piece.v[i].name, k->piece.v[i].p, k->piece.v[i].bytes, err);
	if (rc == 0)
		rc = ckpt_commit(w, k->meta, s->commit_wait_ms, id, err);
	ckpt_writer_stat(w, &cs);
	ckpt_writer_free(w);
	*st = (tare_saver_stats){ cs.bytes, cs.written_bytes, k->stall_s, now_s() - begun };
	return rc;
}

static void tell(const struct slot *k, int rc, const tare_saver_stats *st, const char *id, const struct err *err)
{
	struct runmsg m = { .kind = rc < 0 ? RUN_FAILED : RUN_SAFE, .step = k->step, .deadline_ms = INT64_MIN };

	if (rc < 0) {
		snprintf(m.text, sizeof m.text, "%.500s", err->msg);
	} else {
		snprintf(m.id, sizeof m.id, "%s", id);
		m.stall_ms = (int64_t)(st->stall_s * 1e3);
		m.write_ms = (int64_t)(st->write_s * 1e3);
		m.bytes = st->written_bytes;
	}
	lib_tell(&m);
}

/* Old checkpoints go after the new one is safe; what could not be removed is tried again after the next. */
static void retain(struct tare_saver *s, const char *id)
{
	struct ckpt_keep keep = s->keep;
	char best[40] = "";
	const char *told = best;
	int64_t step;

	if (s->rank != 0)
		return;
	pthread_mutex_lock(&s->lock);
	step = s->best_step;
	pthread_mutex_unlock(&s->lock);
	keep.known_good = id;
	if (step >= 0 && lib_find_step(s->dir, step, best, NULL) > 0) {
		keep.id = &told;
		keep.nid = 1;
	}
	ckpt_retain(s->dir, &keep, NULL, NULL);
}

/*
 * The first touch of each page costs more than the copy: it is done here, beside the training, and not when it stands still. Called with the lock, which is let go
 * meanwhile; whether something was done.
 */
static bool prepare(struct tare_saver *s)
{
	for (int i = 0; i < SLOTS; i++) {
		struct slot *k = &s->slot[i];
		if (k->full || k->filling || k->room >= s->want_bytes)
			continue;
		uint64_t bytes = s->want_bytes;
		k->preparing = true;
		pthread_mutex_unlock(&s->lock);
		bool made = slot_room(k, bytes) == 0;
		if (made)
			touch(k->mem, bytes);
		pthread_mutex_lock(&s->lock);
		k->preparing = false;
		if (!made)
			s->want_bytes = 0; /* the caller will be told when it asks */
		pthread_cond_broadcast(&s->changed);
		return true;
	}
	return false;
}

static void *saver_run(void *arg)
{
	struct tare_saver *s = arg;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		struct slot *k = &s->slot[s->writing];
		if (!k->full && s->ending)
			break;
		if (!k->full && prepare(s))
			continue;
		if (!k->full) {
			pthread_cond_wait(&s->changed, &s->lock);
			continue;
		}
		pthread_mutex_unlock(&s->lock);
		tare_saver_stats st = { 0 };
		struct err err = { 0 };
		char id[40] = "";
		int rc = write_slot(s, k, &st, id, &err);
		tell(k, rc, &st, id, &err);
		if (rc == 0)
			retain(s, id);
		pthread_mutex_lock(&s->lock);
		if (rc < 0) {
			s->failed = rc == -ETIMEDOUT ? -ECANCELED : rc; /* that a wait timed out is something else */
			s->err = err;
		} else {
			s->safe_step = k->step;
			s->last = st;
		}
		slot_clear(k);
		s->writing = (s->writing + 1) % SLOTS;
		pthread_cond_broadcast(&s->changed);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* ---- the caller's side -------------------------------------------------------------------------------------------------------------------- */

static tare_saver_options options(const tare_saver_options *opt)
{
	tare_saver_options o = { 0 };

	if (opt && opt->size)
		memcpy(&o, opt, opt->size < sizeof o ? opt->size : sizeof o);
	if (!o.world) {
		o.world = lib_env_int("WORLD_SIZE", 1);
		o.rank = lib_env_int("RANK", 0);
		if (o.world < 1 || o.rank >= o.world)
			o.world = 1, o.rank = 0;
	}
	return o;
}

tare_saver *tare_saver_open(const tare_saver_options *opt, char *err_text, size_t err_bytes)
{
	tare_saver_options o = options(opt);
	const char *dir = lib_dir(o.dir);
	char attempt[256];
	struct ckpt_opt c = { .rank = o.rank, .world = o.world, .attempt = attempt, .threads = o.threads };
	struct tare_saver *s;
	struct err err = { 0 };

	lib_attempt(o.attempt, attempt, sizeof attempt);

	if (!dir) {
		err_set(&err, -EINVAL, "no folder for checkpoints was told: give dir, or set TARE_CHECKPOINT_DIR");
		lib_say(&err, err_text, err_bytes);
		return NULL;
	}
	s = xcalloc(1, sizeof *s);
	if (ckpt_open(dir, &c, &s->dir, &err) < 0) {
		lib_say(&err, err_text, err_bytes);
		free(s);
		return NULL;
	}
	s->keep = (struct ckpt_keep){ .last = o.keep_last > 0 ? o.keep_last : 3, .every_ms = (int64_t)(o.keep_every_hours * 3.6e6) };
	s->commit_wait_ms = o.commit_wait_ms > 0 ? o.commit_wait_ms : COMMIT_WAIT_MS;
	s->rank = o.rank;
	s->safe_step = s->best_step = -1;
	s->pid = getpid();
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	if (pthread_create(&s->thread, NULL, saver_run, s) != 0) {
		err_set(&err, -EAGAIN, "cannot start the thread that saves");
		lib_say(&err, err_text, err_bytes);
		ckpt_close(s->dir);
		free(s);
		return NULL;
	}
	enlist(s);
	struct runmsg hello = { .kind = RUN_HELLO, .pid = getpid(), .rank = o.rank, .world = o.world };
	lib_tell(&hello);
	return s;
}

void *tare_saver_memory(tare_saver *s, uint64_t bytes)
{
	struct slot *k = &s->slot[s->next];

	s->begun_s = now_s();
	pthread_mutex_lock(&s->lock);
	while (k->full || k->preparing)
		pthread_cond_wait(&s->changed, &s->lock);
	k->filling = true;
	if (bytes > s->want_bytes)
		s->want_bytes = bytes; /* the other one gets as much while this is written */
	pthread_mutex_unlock(&s->lock);
	if (slot_room(k, bytes) < 0) {
		err_set(&s->said, -ENOMEM, "no memory for a copy of %" PRIu64 " bytes of state", bytes);
		return NULL;
	}
	return k->mem;
}

void tare_saver_reserve(tare_saver *s, uint64_t bytes)
{
	pthread_mutex_lock(&s->lock);
	if (bytes > s->want_bytes)
		s->want_bytes = bytes;
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

int tare_saver_go(tare_saver *s, int64_t step, const tare_piece *piece, size_t npiece, const char *meta)
{
	struct slot *k = &s->slot[s->next];
	struct runmsg m = { .kind = RUN_SAVING, .step = step };
	int rc;

	for (size_t i = 0; i < npiece; i++) {
		const uint8_t *p = piece[i].p;
		if (piece[i].bytes && (p < k->mem || p + piece[i].bytes > k->mem + k->room))
			return err_set(&s->said, -EINVAL, "'%s' does not lie in the saver's memory", piece[i].name);
	}
	for (size_t i = 0; i < npiece; i++) {
		*vec_push(&k->piece) = (tare_piece){ xstrdup(piece[i].name), piece[i].p, piece[i].bytes };
		m.bytes += piece[i].bytes;
	}
	k->meta = meta ? xstrdup(meta) : NULL;
	k->step = step;
	k->stall_s = now_s() - s->begun_s;
	lib_tell(&m);
	pthread_mutex_lock(&s->lock);
	k->full = true;
	k->filling = false;
	s->next = (s->next + 1) % SLOTS;
	rc = take_failed(s);
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int tare_saver_save(tare_saver *s, int64_t step, const tare_piece *piece, size_t npiece, const char *meta)
{
	VEC(tare_piece) copy = { 0 };
	uint64_t bytes = 0;
	uint8_t *at;
	int rc;

	for (size_t i = 0; i < npiece; i++)
		bytes += (piece[i].bytes + CKPT_ALIGN - 1) & ~(uint64_t)(CKPT_ALIGN - 1);
	at = tare_saver_memory(s, bytes);
	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < npiece; i++) {
		if (piece[i].bytes)
			memcpy(at, piece[i].p, piece[i].bytes);
		*vec_push(&copy) = (tare_piece){ piece[i].name, at, piece[i].bytes };
		at += (piece[i].bytes + CKPT_ALIGN - 1) & ~(uint64_t)(CKPT_ALIGN - 1);
	}
	rc = tare_saver_go(s, step, copy.v, copy.n, meta);
	vec_free(&copy);
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
	struct timespec until;
	int rc = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += timeout_ms / 1000;
	until.tv_nsec += timeout_ms % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000)
		until.tv_sec++, until.tv_nsec -= 1000000000;
	pthread_mutex_lock(&s->lock);
	while (under_way(s) && rc == 0)
		rc = timeout_ms < 0 ? pthread_cond_wait(&s->changed, &s->lock) : pthread_cond_timedwait(&s->changed, &s->lock, &until);
	rc = under_way(s) ? -ETIMEDOUT : take_failed(s);
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
	return s->said.msg;
}

int tare_saver_close(tare_saver *s)
{
	int rc;

	if (!s || s->pid != getpid())
		return 0; /* a child has neither the thread nor the lock: what it inherited goes with it */
	rc = tare_saver_wait(s, -1);
	delist(s);
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	for (int i = 0; i < SLOTS; i++) {
		slot_clear(&s->slot[i]);
		slot_drop(&s->slot[i]);
		vec_free(&s->slot[i].piece);
	}
	ckpt_close(s->dir);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
	return rc;
}
