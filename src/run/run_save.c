/*
 * The slow work of a run, in a thread of its own: bring the newest checkpoint back, put files of a
 * framework into the folder, copy away. The supervisor never waits for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"
#include "base/tm.h"
#include "ckpt/ckpt.h"
#include "ckpt/pull.h"
#include "ckpt/push.h"
#include "run/run_known.h"
#include "run/run_priv.h"
#include "base/thread.h"

/* ---- files ------------------------------------------------------------------------------- */

static bool is_still(int dir, const struct run_file *f)
{
	struct stat st;
	if (fstatat(dir, f->name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
		return false;
	int64_t mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return st.st_size == f->bytes && st.st_ino == f->ino && mtime_ns == f->mtime_ns;
}

/* A private copy: a framework that writes into its file once more must not change what is safe.
 * Shares blocks where the file system can. */
static int copy_private(int from, int to, int64_t bytes)
{
	int64_t left = bytes;

	if (ioctl(to, FICLONE, from) == 0)
		return 0;
	while (left > 0) {
		ssize_t n = copy_file_range(from, NULL, to, NULL, (size_t)left, 0);
		/* the file system copies nothing by itself */
		bool no_copy = errno == EXDEV || errno == EINVAL || errno == EOPNOTSUPP;
		no_copy |= errno == ENOSYS;
		if (n < 0 && left == bytes && no_copy)
			break;
		if (n < 0)
			return -errno;
		if (!n)
			return -ESTALE;
		left -= n;
	}
	if (left <= 0)
		return 0;
	size_t cap = 1 << 20;
	char *buf = xmalloc(cap);
	ssize_t n = 0;
	while (left > 0 && (n = read(from, buf, cap)) > 0) {
		for (ssize_t at = 0, w; at < n; at += w)
			if ((w = write(to, buf + at, (size_t)(n - at))) < 0) {
				n = -errno;
				free(buf);
				return (int)n;
			}
		left -= n;
	}
	if (n < 0)
		n = -errno;
	else if (left > 0)
		n = -ESTALE;
	else
		n = 0;
	free(buf);
	return (int)n;
}

static int put_file(struct ckpt_writer *w, struct run_save *s, int watch, const struct run_file *f,
		    struct err *err)
{
	char tmp[4200];
	int r;

	if (s->o->link) {
		struct str path = { 0 };
		str_addf(&path, "%s/%s", s->o->watch, f->name);
		r = ckpt_put_path(w, f->name, str_z(&path), err);
		str_free(&path);
		return r;
	}
	int from = openat(watch, f->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), to;
	if (from < 0)
		return err_set(err, errno == ENOENT ? -ESTALE : -errno, "cannot open '%s/%s': %s",
			       s->o->watch, f->name, strerror(errno));
	/* swept like everything unfinished */
	snprintf(tmp, sizeof tmp, "%s/data/run-copy.tmp", s->o->dir);
	unlink(tmp);
	to = open(tmp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, object_file_mode());
	r = to < 0 ? -errno : copy_private(from, to, f->bytes);
	close(from);
	if (to >= 0)
		close(to);
	if (r < 0)
		err_set(err, r, "cannot copy '%s/%s' into '%s': %s", s->o->watch, f->name,
			s->o->dir, strerror(-r));
	else
		r = ckpt_put_path(w, f->name, tmp, err);
	unlink(tmp);
	return r;
}

static int open_dir(struct run_save *s, struct err *err)
{
	if (s->dir)
		return 0;
	return ckpt_open(s->o->dir, &(struct ckpt_opt){ .world = 1, .attempt = s->attempt },
			 &s->dir, err);
}

/* ---- the object store -------------------------------------------------------------------- */

#define KNOWN_MS 30000 /* a small object */

static int open_store(struct run_save *s, struct err *err)
{
	if (s->store)
		return 0;
	return object_open(s->o->store, NULL, &s->store, err);
}

static int64_t step_of(const char *id)
{
	return strtoll(id, NULL, 10); /* twelve digits, then a dash */
}

/* What cannot be had or put is measured again: nothing is wrong for it. */
static void bring_known(struct run_save *s)
{
	struct object_when when = { tm_steady_ms() + KNOWN_MS, tm_steady_ms };
	char text[RUN_KNOWN_MAX];
	struct object_get get = { .bytes = sizeof text, .mem = text, .when = &when };
	struct run_known k;
	struct err e;
	uint64_t n = 0;
	int fd = open(s->o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && faccessat(fd, "measured", F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	    object_get(s->store, "measured", &get, &n, &e) >= 0 && n <= sizeof text &&
	    run_known_parse((struct sv){ text, (size_t)n }, &k, &e) == 0)
		run_known_save(fd, &k);
	if (fd >= 0)
		close(fd);
}

/* Bring the newest of the store into the folder where it is newer than what is there, and what
 * earlier attempts have measured where the folder has nothing of it. */
static int pull_back(struct run_save *s, struct run_result *r)
{
	struct object_when when = { s->until_ms, tm_steady_ms };
	struct pull_stat st = { 0 };
	int rc = open_store(s, &r->err);

	if (rc >= 0)
		bring_known(s);
	if (rc >= 0)
		rc = pull_newest(s->store, s->o->dir, &when, &st, &s->damage, &r->err);
	if (rc > 0 && st.stored_id[0]) /* the folder may have a newer one, which is not there yet */
		r->pulled = step_of(st.stored_id);
	if (rc < 0)
		return rc;
	return 0;
}

/* In a fifth of the time that is left: nobody is notified that the checkpoint is safe before this
 * is over. */
static void put_known(struct run_save *s)
{
	int64_t notice = atomic_load(&s->news.deadline_ms), now = tm_steady_ms(),
		until = notice ? min_i64(notice, s->until_ms) : s->until_ms;
	struct object_when when = { until - now > 5 * KNOWN_MS ? now + KNOWN_MS
							       : now + (until - now) / 5,
				    tm_steady_ms };
	char path[4200], text[RUN_KNOWN_MAX];
	struct err e;

	snprintf(path, sizeof path, "%s/measured", s->o->dir);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = -1;
	if (fd >= 0)
		n = read(fd, text, sizeof text);
	if (fd >= 0)
		close(fd);
	struct object_src src = { .mem = text, .fd = -1, .bytes = (uint64_t)max_i64(n, 0) };
	if (n > 0)
		object_put(s->store, "measured", &(struct object_put){ &src, .when = &when }, NULL,
			   &e);
}

/* Copy the newest checkpoint away before s->until_ms; r->step and r->id: what is safe in the store
 * then. */
static int push_away(struct run_save *s, struct run_result *r)
{
	struct push_stat st = { 0 };
	struct err e;
	int removed, rc = open_store(s, &r->err);

	s->when = (struct object_when){ s->until_ms, tm_steady_ms };
	if (rc >= 0 && !s->push)
		rc = push_open(s->store, s->o->dir,
			       &(struct push_opt){ .news = &s->news, .damage = &s->damage },
			       &s->push, &r->err);
	if (rc >= 0)
		rc = push_newest(s->push, &s->when, r->id, &st, &r->err);
	if (rc > 0) {
		r->step = step_of(r->id);
		r->bytes = r->written_bytes = st.sent_bytes;
		put_known(s);
		/* never in the time of a notice */
		if (s->until_ms == INT64_MAX && !atomic_load(&s->news.deadline_ms))
			push_retain(s->push,
				    &(struct ckpt_keep){
					    .last = s->o->keep_last > 0 ? s->o->keep_last : 3,
					    .known_good = r->id },
				    &removed, &e);
	}
	if (rc < 0)
		return rc;
	return 0;
}

/* ---- jobs -------------------------------------------------------------------------------- */

static void commit_save(struct run_save *s, struct run_result *r)
{
	int watch = open(s->o->watch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct ckpt_writer *w = NULL;
	struct ckpt_stat st = { 0 };

	if (watch < 0)
		r->rc = err_set(&r->err, -errno, "cannot open '%s': %s", s->o->watch,
				strerror(errno));
	else
		r->rc = open_dir(s, &r->err);
	if (r->rc >= 0)
		r->rc = ckpt_begin(s->dir, s->step, r->time_ms, &w, &r->err);
	for (size_t i = 0; i < s->files.v.n && r->rc >= 0; i++)
		r->rc = put_file(w, s, watch, &s->files.v.v[i], &r->err);
	/* all of one moment, or none */
	for (size_t i = 0; i < s->files.v.n && r->rc >= 0 && !r->changed; i++)
		r->changed = !is_still(watch, &s->files.v.v[i]);
	r->changed |= r->rc == -ESTALE;
	if (r->changed && r->rc >= 0)
		r->rc = err_set(&r->err, -ESTALE, "files in '%s' changed while they were copied",
				s->o->watch);
	if (r->rc >= 0)
		r->rc = ckpt_commit(w, NULL, 0, r->id, &r->err);
	if (r->rc >= 0) {
		ckpt_writer_stat(w, &st);
		r->step = s->step;
		r->bytes = st.bytes;
		r->written_bytes = st.written_bytes;
	}
	ckpt_writer_free(w);
	if (r->rc >= 0) {
		struct err e;
		int removed;
		ckpt_retain(s->dir,
			    &(struct ckpt_keep){ .last = s->o->keep_last > 0 ? s->o->keep_last : 3,
						 .known_good = r->id },
			    &removed, &e);
	}
	if (watch >= 0)
		close(watch);
}

static int make_dirs(const char *dir, const char *name)
{
	char path[4400];
	int n = snprintf(path, sizeof path, "%s/%s", dir, name);

	for (char *p = path + strlen(dir) + 1; n < (int)sizeof path && *p; p++)
		if (*p == '/') {
			*p = 0;
			if (mkdir(path, 0777) < 0 && errno != EEXIST)
				return -errno;
			*p = '/';
		}
	return 0;
}

/* What was never safe goes quarantined, so that a framework that looks for its newest file does not
 * take one that was being written. */
static int quarantine_files(struct run_save *s, const struct ckpt *c, struct run_result *r)
{
	struct run_files now;
	char from[4400], to[4400];
	int rc = run_files_read(s->o->watch, s->o->glob, &now, &r->err);

	for (size_t i = 0; rc >= 0 && i < now.v.n; i++) {
		bool kept = false;
		for (size_t k = 0; k < c->file.n && !kept; k++)
			kept = !strcmp(c->file.v[k].name, now.v.v[i].name);
		if (kept)
			continue;
		char name[4200];
		snprintf(name, sizeof name, ".tare-aside/%s/%s", s->attempt, now.v.v[i].name);
		snprintf(from, sizeof from, "%s/%s", s->o->watch, now.v.v[i].name);
		snprintf(to, sizeof to, "%s/%s", s->o->watch, name);
		if (make_dirs(s->o->watch, name) < 0 || rename(from, to) < 0)
			rc = err_set(&r->err, -errno, "cannot put '%s' aside: %s", from,
				     strerror(errno));
		else
			r->quarantined++;
	}
	run_files_free(&now);
	return rc;
}

/* Is it there already, byte for byte? */
static bool holds_file(struct run_save *s, const struct ckpt *c, size_t i, const char *path)
{
	const struct ckpt_file *f = &c->file.v[i];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool same = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		    (uint64_t)st.st_size == f->bytes;
	void *buf = same ? xmalloc(CKPT_CHUNK_BYTES) : NULL;
	uint64_t at = 0;

	for (size_t k = 0; k < f->nchunk && same; k++) {
		const struct ckpt_chunk *ch = &c->chunk.v[f->first + k];
		same = pread(fd, buf, ch->bytes, (off_t)at) == (ssize_t)ch->bytes;
		if (same) {
			struct ckpt_hash h = ckpt_hash_of(buf, ch->bytes);
			same = !memcmp(&h, &ch->hash, sizeof h);
		}
		at += ch->bytes;
	}
	free(buf);
	if (fd >= 0)
		close(fd);
	return same;
}

static int make_watched(struct run_save *s, struct err *err)
{
	if (mkdir(s->o->watch, 0777) < 0 && errno != EEXIST)
		return err_set(err, -errno, "cannot make '%s': %s", s->o->watch, strerror(errno));
	return 0;
}

static void extract_files(struct run_save *s, const struct ckpt *c, struct run_result *r)
{
	char path[4400];

	if ((r->rc = make_watched(s, &r->err)) >= 0)
		r->rc = quarantine_files(s, c, r);
	for (size_t i = 0; i < c->file.n && r->rc >= 0; i++) {
		snprintf(path, sizeof path, "%s/%s", s->o->watch, c->file.v[i].name);
		if (holds_file(s, c, i, path))
			continue;
		if ((r->rc = make_dirs(s->o->watch, c->file.v[i].name)) < 0)
			err_set(&r->err, r->rc, "cannot make the folder of '%s': %s", path,
				strerror(-r->rc));
		else
			r->rc = ckpt_extract(s->dir, c, i, path, &r->err);
	}
}

/* The newest that holds; with everything compared (verify) or what is there at all. */
static void look_for_newest(struct run_save *s, struct run_result *r, bool verify)
{
	struct ckpt_dir *d = NULL;
	struct ckpt c = { 0 };
	bool own = !s->o->watch;

	if (own)
		r->rc = ckpt_open(s->o->dir, &(struct ckpt_opt){ .world = 1, .read_only = true },
				  &d, &r->err);
	else if ((r->rc = open_dir(s, &r->err)) >= 0)
		d = s->dir;
	if (r->rc == -ENOENT) {
		r->rc = 0;
		return;
	}
	if (r->rc >= 0)
		r->rc = ckpt_newest(d, NULL, verify, &c, &s->damage, &r->err);
	if (r->rc > 0) {
		r->step = c.step;
		r->time_ms = c.time_ms;
		r->bytes = ckpt_bytes(&c);
		memcpy(r->id, c.id, sizeof r->id);
		if (verify && s->o->watch)
			extract_files(s, &c, r);
	}
	if (r->rc > 0)
		r->rc = 0;
	ckpt_free(&c);
	if (own)
		ckpt_close(d);
}

/* Where there are checkpoints and none can be used, in the folder or in the store, nothing begins
 * again unless somebody said that it may: the work of weeks would resume from zero. */
static void restore_newest(struct run_save *s, struct run_result *r)
{
	struct err away = { 0 };

	if (s->o->store)
		r->rc = pull_back(s, r);
	if (r->rc < 0 && r->rc != -EBADMSG)
		return;
	bool away_bad = r->rc == -EBADMSG;
	if (away_bad)
		away = r->err;
	look_for_newest(s, r, true);
	if (r->rc == 0 && r->step < 0 && away_bad) {
		r->err = away;
		r->rc = -EBADMSG;
	}
	if (r->rc == 0 && r->step < 0 && s->step >= 0) {
		/* neither folder nor store has anything, and the last attempt wrote down that
		 * s->step was safe: the folder was emptied up to that */
		char id[CKPT_ID_BYTES];
		snprintf(id, sizeof id, "%012" PRId64 "-%016d", s->step, 0);
		r->rc = err_set(
			&r->err, -EBADMSG,
			"step %" PRId64
			" was safe in '%s', as '%s/attempt' says, and nothing of it is left",
			s->step, s->o->dir, s->o->dir);
		ckpt_damage_add(&s->damage, id, false, r->err.msg);
	}
	if (r->rc == -EBADMSG && s->o->from_zero) {
		r->rc = 0;
		if (s->o->watch) /* what lies there is of none that can be used */
			r->rc = make_watched(s, &r->err);
		if (s->o->watch && r->rc >= 0)
			r->rc = quarantine_files(s, &(struct ckpt){ 0 }, r);
	} else if (r->rc == -EBADMSG)
		err_hint(&r->err, "bring one back, or begin again knowingly with --from-zero");
}

static void *run_saves(void *ctx)
{
	struct run_save *s = ctx;
	uint64_t one = 1;

	pthread_mutex_lock(&s->mu);
	for (;;) {
		while (!s->quit && !(s->busy && !s->done))
			pthread_cond_wait(&s->wake, &s->mu);
		if (s->quit)
			break;
		struct run_result r = {
			.job = s->job, .step = -1, .pulled = -1, .time_ms = tm_steady_ms()
		};
		pthread_mutex_unlock(&s->mu);
		int64_t began = tm_mono_ms();

		switch (r.job) {
		case RUN_JOB_RESTORE: restore_newest(s, &r); break;
		case RUN_JOB_COMMIT: commit_save(s, &r); break;
		case RUN_JOB_PUSH: r.rc = push_away(s, &r); break;
		case RUN_JOB_LOOK:
			look_for_newest(s, &r, false);
			if (r.rc == -EBADMSG)
				r.rc = 0; /* those are in r.damage */
			break;
		default: break;
		}
		run_files_free(&s->files);
		r.took_ms = tm_mono_ms() - began;
		if (r.job == RUN_JOB_RESTORE || r.job == RUN_JOB_LOOK)
			ckpt_damage_merge(&r.damage, &s->damage);
		pthread_mutex_lock(&s->mu);
		s->result = r;
		s->done = true;
		while (write(s->fd, &one, sizeof one) < 0 && errno == EINTR)
			;
	}
	pthread_mutex_unlock(&s->mu);
	push_close(s->push);
	object_close(s->store);
	ckpt_close(s->dir);
	ckpt_damage_free(&s->damage);
	return NULL;
}

/* ---- from outside the thread ------------------------------------------------------------- */

int run_save_open(struct run_save *s, const struct run_opt *o, const char *attempt, struct err *err)
{
	int r;

	s->o = o;
	s->attempt = attempt;
	s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->fd < 0)
		return err_set(err, -errno, "no eventfd: %s", strerror(errno));
	pthread_mutex_init(&s->mu, NULL);
	pthread_cond_init(&s->wake, NULL);
	r = thread_start(&s->th, 1 << 20, run_saves, s);
	s->running = !r;
	if (r)
		return err_set(err, -r, "cannot start a thread: %s", strerror(r));
	return 0;
}

void run_save_begin(struct run_save *s, enum run_job job, int64_t step, int64_t until_ms,
		    struct run_files *files)
{
	pthread_mutex_lock(&s->mu);
	s->job = job;
	s->step = step;
	s->until_ms = until_ms;
	if (files) {
		s->files = *files;
		*files = (struct run_files){ 0 };
	}
	s->busy = true;
	s->done = false;
	run_save_hurry(s, 0, false);
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->mu);
}

void run_save_hurry(struct run_save *s, int64_t until_ms, bool newer)
{
	atomic_store(&s->news.newer, newer);
	atomic_store(&s->news.deadline_ms, until_ms);
}

bool run_save_take(struct run_save *s, struct run_result *ret)
{
	uint64_t n;

	while (read(s->fd, &n, sizeof n) < 0 && errno == EINTR)
		;
	pthread_mutex_lock(&s->mu);
	bool got = s->busy && s->done;
	if (got) {
		*ret = s->result;
		s->busy = s->done = false;
	}
	pthread_mutex_unlock(&s->mu);
	return got;
}

void run_save_warn(struct run_save *s, const struct ckpt_damage *damage)
{
	pthread_mutex_lock(&s->mu);
	ckpt_damage_merge(&s->damage, damage);
	pthread_mutex_unlock(&s->mu);
}

/* A thread in the middle of a job that nobody waits for any more is left alone: the process ends,
 * and what it did counts only when it is whole. */
bool run_save_close(struct run_save *s)
{
	if (!s->running)
		return true;
	pthread_mutex_lock(&s->mu);
	bool stuck = s->busy && !s->done;
	s->quit = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->mu);
	if (stuck) {
		pthread_detach(s->th);
		return false;
	}
	pthread_join(s->th, NULL);
	close(s->fd);
	run_files_free(&s->files);
	if (s->busy)
		ckpt_damage_free(&s->result.damage);
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->mu);
	return true;
}
