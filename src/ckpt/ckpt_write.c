#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/str.h"
#include "ckpt/ckpt_priv.h"

/*
 * A data file of which the parent uses less than this part is not named again: its chunks are
 * written again, so that it can go. At most 1 / REUSE_MIN_FRAC times the bytes of a checkpoint lie
 * on the disk for it.
 */
#define REUSE_MIN_FRAC 0.25

int ckpt_begin(struct ckpt_dir *d, int64_t step, int64_t now_ms, struct ckpt_writer **ret,
	       struct err *err)
{
	enum { WAIT_MS = 60000 };
	struct ckpt_writer *w;
	struct stat st;
	char id[40];
	int rc;

	assert(!d->read_only);
	if (step < 0 || step > 999999999999)
		return err_set(err, -EINVAL, "step %" PRId64 " is not between 0 and 999999999999",
			       step);
	if ((rc = ckpt_run_wait(d, WAIT_MS, err)) < 0)
		return rc;
	snprintf(id, sizeof id, "%012" PRId64 "-%016" PRIx64, step, d->run);
	if (fstatat(d->ckpt_fd, id, &st, 0) == 0)
		return err_set(err, -EEXIST, "step %" PRId64 " was saved already by this run",
			       step);
	w = xcalloc(1, sizeof *w);
	w->d = d;
	w->fd = w->own = -1;
	pthread_mutex_init(&w->lock, NULL);
	clock_gettime(CLOCK_MONOTONIC, &w->begun);
	w->c = (struct ckpt){ .step = step, .time_ms = now_ms, .world = d->world, .rank = d->rank };
	snprintf(w->c.id, sizeof w->c.id, "%s", id);
	snprintf(w->c.parent, sizeof w->c.parent, "%s", d->last.id);
	w->c.attempt = arena_sv(&w->c.mem, sv_of(d->attempt));
	snprintf(w->data_name, sizeof w->data_name, "%s.r%d", id, d->rank);

	const struct ckpt *p = &w->d->last;

	for (size_t i = 0; i < p->data.n; i++) {
		*vec_push(&w->data_of) = -1;
		*vec_push(&w->reuse) = false;
	}
	for (size_t i = 0; i < p->data.n; i++) {
		uint64_t used = 0;
		for (size_t k = 0; k < p->chunk.n; k++)
			if (p->chunk.v[k].data == i)
				used += p->chunk.v[k].bytes;
		w->reuse.v[i] = p->data.v[i].bytes > 0 &&
				(double)used >= REUSE_MIN_FRAC * (double)p->data.v[i].bytes;
	}
	*ret = w;
	return 0;
}

const struct ckpt_file *ckpt_find_file(const struct ckpt *c, const char *name)
{
	for (size_t i = 0; i < c->file.n; i++)
		if (!strcmp(c->file.v[i].name, name))
			return &c->file.v[i];
	return NULL;
}

void ckpt_writer_stat(const struct ckpt_writer *w, struct ckpt_stat *ret)
{
	*ret = w->stat;
}

void ckpt_writer_free(struct ckpt_writer *w)
{
	if (!w)
		return;
	if (!w->committed && !(w->prepared && w->d->rank > 0)) {
		/* What nobody else can name goes; what another rank prepared is rank 0's to take
		 * away. */
		char name[80];

		if (w->d->rank == 0)
			/* a manifest may be there, not durable: it was never said to be safe */
			unlinkat(w->d->ckpt_fd, w->c.id, 0), ckpt_drop_parts(w);
		if (w->fd >= 0) {
			snprintf(name, sizeof name, "%s%s", w->data_name,
				 text_if(!w->prepared, ".tmp"));
			unlinkat(w->d->data_fd, name, 0);
		}
		for (int i = 0; i < w->linked; i++) {
			snprintf(name, sizeof name, "%s.f%d", w->data_name, i);
			unlinkat(w->d->data_fd, name, 0);
		}
	}
	if (w->fd >= 0)
		close(w->fd);
	pthread_mutex_destroy(&w->lock);
	ckpt_free(&w->c);
	vec_free(&w->data_of);
	vec_free(&w->reuse);
	free(w);
}
