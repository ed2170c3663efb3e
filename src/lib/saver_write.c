#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include "base/tm.h"
#include "lib/saver_priv.h"

void saver_slot_clear(struct slot *s)
{
	for (size_t i = 0; i < s->piece.n; i++)
		free((char *)(uintptr_t)s->piece.v[i].name);
	vec_clear(&s->piece);
	free(s->meta);
	s->meta = NULL;
	s->full = false;
}

static int write_slot(struct tare_saver *s, const struct slot *k, tare_saver_stats *st, char id[40],
		      struct err *err)
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

/* Old checkpoints go after the new one is safe; what could not be removed is tried again after the
 * next. */
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
 * The first touch of each page costs more than the copy: it is done here, beside the training, and
 * not when it stands still. Called with the lock, which is let go meanwhile; whether something was
 * done.
 */
static bool prepare(struct tare_saver *s)
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
			s->want_bytes = 0; /* the caller will be told when it asks */
		pthread_cond_broadcast(&s->changed);
		return true;
	}
	return false;
}

void *saver_run(void *arg)
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
		if (!k && prepare(s))
			continue;
		if (!k) {
			pthread_cond_wait(&s->changed, &s->lock);
			continue;
		}
		pthread_mutex_unlock(&s->lock);
		tare_saver_stats st = { 0 };
		struct err err = { 0 };
		char id[40] = "";
		int rc = write_slot(s, k, &st, id, &err);
		struct runmsg m = { .kind = rc < 0 ? RUN_FAILED : RUN_SAFE,
				    .step = k->step,
				    .deadline_ms = INT64_MIN };
		if (rc < 0) {
			snprintf(m.text, sizeof m.text, "%.500s", err.msg);
		} else {
			snprintf(m.id, sizeof m.id, "%s", id);
			m.stall_ms = (int64_t)(st.stall_s * 1e3);
			m.write_ms = (int64_t)(st.write_s * 1e3);
			m.bytes = st.written_bytes;
		}
		lib_tell(&m);
		if (rc == 0)
			retain(s, id);
		pthread_mutex_lock(&s->lock);
		if (rc < 0) {
			/* that a wait timed out is something else */
			s->failed = rc == -ETIMEDOUT ? -ECANCELED : rc;
			s->err = err;
		} else {
			s->safe_step = k->step;
			s->last = st;
		}
		saver_slot_clear(k);
		pthread_cond_broadcast(&s->changed);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}
