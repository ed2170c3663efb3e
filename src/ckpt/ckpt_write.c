/* A save from its begin to its end: the parts of all ranks become one manifest, which a rename
 * makes the newest checkpoint. The files are in ckpt_put.c. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/tm.h"
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
	enum { WAIT_MS = MS_MINUTE };
	struct ckpt_writer *w;
	struct stat st;
	char id[CKPT_ID_BYTES];
	int rc;

	assert(!d->read_only);
	if (step < 0 || step > CKPT_STEP_MAX)
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

/* ---- the last step ----------------------------------------------------------------------- */

int ckpt_prepare(struct ckpt_writer *w, struct err *err)
{
	struct str text = { 0 };
	char tmp[80];

	if (w->fd >= 0) {
		w->c.data.v[w->own].bytes = w->end;
		snprintf(tmp, sizeof tmp, "%s.tmp", w->data_name);
		if (ftruncate(w->fd, (off_t)w->end) < 0 || fsync(w->fd) < 0)
			return err_set(err, -errno,
				       "cannot make the data of step %" PRId64 " durable: %s",
				       w->c.step, strerror(errno));
		if (renameat(w->d->data_fd, tmp, w->d->data_fd, w->data_name) < 0)
			return err_set(err, -errno, "cannot rename '%s': %s", tmp, strerror(errno));
	}
	int rc = ckpt_sync_dir(w->d->data_fd, "data", err);
	if (rc == 0 && w->d->world > 1) {
		ckpt_manifest_write(&w->c, &text);
		rc = ckpt_spit(w->d->part_fd, w->data_name, str_sv(&text), err);
		str_free(&text);
	}
	w->prepared = rc == 0;
	return rc;
}

/* Append a rank's part; data files that both name get one number. */
static int merge_part(struct ckpt *all, const struct ckpt *part, struct err *err)
{
	VEC(uint32_t) number = { 0 };
	int rc = 0;

	for (size_t i = 0; i < part->data.n; i++) {
		size_t k = 0;
		while (k < all->data.n && strcmp(all->data.v[k].name, part->data.v[i].name))
			k++;
		if (k == all->data.n)
			*vec_push(&all->data) = (struct ckpt_data){
				arena_sv(&all->mem, sv_of(part->data.v[i].name)),
				part->data.v[i].bytes
			};
		*vec_push(&number) = (uint32_t)k;
	}
	for (size_t i = 0; rc == 0 && i < part->file.n; i++) {
		struct ckpt_file f = part->file.v[i];
		if (ckpt_find_file(all, f.name))
			rc = err_set(err, -EEXIST, "two ranks saved a file '%s'", f.name);
		f.name = arena_sv(&all->mem, sv_of(f.name));
		f.first = all->chunk.n;
		for (size_t k = 0; rc == 0 && k < f.nchunk; k++) {
			struct ckpt_chunk c = part->chunk.v[part->file.v[i].first + k];
			assert(c.data < number.n); /* checked when the manifest was read */
			c.data = number.v[c.data];
			*vec_push(&all->chunk) = c;
		}
		*vec_push(&all->file) = f;
	}
	vec_free(&number);
	return rc;
}

static int gather_ranks(struct ckpt_writer *w, int64_t wait_ms, struct err *err)
{
	int64_t waited = 0;

	for (int r = 1; r < w->d->world; r++) {
		struct ckpt part = { 0 };
		struct str text = { 0 };
		char name[64];
		int rc;

		snprintf(name, sizeof name, "%s.r%d", w->c.id, r);
		rc = ckpt_slurp(w->d->part_fd, name, (size_t)1 << 31, &text, err);
		if (rc == 0)
			rc = ckpt_manifest_parse(name, str_sv(&text), &part, err);
		str_free(&text);
		if (rc == 0 && (part.rank != r || part.world != w->d->world ||
				part.step != w->c.step || strcmp(part.attempt, w->c.attempt))) {
			rc = err_set(err, -EBADMSG, "what rank %d prepared is of another run", r);
			ckpt_free(&part);
		}
		if (rc == -ENOENT && waited < wait_ms) {
			usleep(10000);
			waited += 10;
			r--;
			continue;
		}
		if (rc == -ENOENT)
			return err_set(err, -ETIMEDOUT,
				       "rank %d has not saved step %" PRId64
				       ": nothing is committed",
				       r, w->c.step);
		if (rc == 0)
			rc = merge_part(&w->c, &part, err);
		ckpt_free(&part);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Remove what was prepared for this step and for earlier ones that were given up. */
static void drop_parts(struct ckpt_writer *w)
{
	int at = w->d->world > 1 ? openat(w->d->part_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
				 : -1;
	DIR *dir = NULL;

	if (at >= 0)
		dir = fdopendir(at);
	if (!dir && at >= 0)
		close(at);
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (e->d_name[0] != '.' && strncmp(e->d_name, w->c.id, 29) <= 0)
			unlinkat(w->d->part_fd, e->d_name, 0);
	if (dir)
		closedir(dir);
}

static int commit_first(struct ckpt_writer *w, const char *meta, int64_t wait_ms, struct err *err)
{
	int rc = 0;

	if (meta && (strpbrk(meta, "\n\r") || strlen(meta) > CKPT_META_MAX))
		return err_set(err, -EINVAL,
			       "the facts of a checkpoint are one line of JSON of at most %u bytes",
			       CKPT_META_MAX);
	if (!w->prepared)
		rc = ckpt_prepare(w, err);
	if (rc == 0)
		rc = gather_ranks(w, wait_ms, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < w->c.data.n; i++) {
		struct stat st;
		if (fstatat(w->d->data_fd, w->c.data.v[i].name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    (uint64_t)st.st_size < w->c.data.v[i].bytes)
			return err_set(err, -EBADMSG,
				       "the data file '%s' that step %" PRId64
				       " needs is gone: nothing is committed",
				       w->c.data.v[i].name, w->c.step);
	}
	w->c.rank = -1;
	w->c.meta = arena_sv(&w->c.mem, sv_of(filled_or(meta, "{}")));

	/* What cannot be read back (too many files, say) is not called a checkpoint. */
	struct str text = { 0 };
	struct ckpt as_read = { 0 };

	ckpt_manifest_write(&w->c, &text);
	rc = ckpt_manifest_parse(w->c.id, str_sv(&text), &as_read, err);
	if (rc < 0)
		err_prefix(err, "step %" PRId64 " is not committed", w->c.step);
	else
		rc = ckpt_put_manifest(w->d, w->c.id, str_sv(&text), err);
	str_free(&text);
	if (rc < 0) {
		ckpt_free(&as_read);
		return rc;
	}
	ckpt_free(&w->d->last);
	w->d->last = as_read;
	/* Safe from here on; the rest are conveniences: nobody waits for them. */
	ckpt_hint_latest(w->d, w->c.id);
	drop_parts(w);
	return 0;
}

int ckpt_commit(struct ckpt_writer *w, const char *meta, int64_t wait_ms,
		char ret_id[CKPT_ID_BYTES], struct err *err)
{
	struct timespec now;
	struct ckpt c = { 0 };
	struct stat st;
	bool first = w->d->rank == 0;
	int rc = 0;

	if (first)
		rc = commit_first(w, meta, wait_ms, err);
	else if (!w->prepared)
		rc = ckpt_prepare(w, err);
	for (int64_t waited = 0; rc == 0 && !first && fstatat(w->d->ckpt_fd, w->c.id, &st, 0) < 0;
	     waited += 10) {
		if (waited >= wait_ms)
			return err_set(err, -ETIMEDOUT,
				       "rank 0 has not committed step %" PRId64 " yet", w->c.step);
		usleep(10000);
	}
	if (rc < 0)
		return rc;
	w->committed = true;
	w->d->unproven = false;
	w->d->all_new = w->stat.same_bytes == 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	w->stat.seconds = (double)(now.tv_sec - w->begun.tv_sec) +
			  (double)(now.tv_nsec - w->begun.tv_nsec) / 1e9;
	if (ret_id)
		memcpy(ret_id, w->c.id, sizeof w->c.id);
	if (!first && ckpt_load(w->d, w->c.id, &c, NULL) == 0) {
		ckpt_free(&w->d->last);
		w->d->last = c;
	}
	return 0;
}

/* ---- its end ----------------------------------------------------------------------------- */

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
		{
			unlinkat(w->d->ckpt_fd, w->c.id, 0);
			drop_parts(w);
		}
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
