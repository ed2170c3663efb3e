#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/dirfd.h"
#include "base/fdio.h"
#include "base/sort.h"
#include "base/str.h"
#include "ckpt/ckpt_priv.h"
#include "object/object.h"

#define MARK         "tare-checkpoints"
#define MANIFEST_MAX ((size_t)1 << 31)

/* ---- small files ------------------------------------------------------------------------- */

static int read_all(int fd, size_t max, struct str *ret)
{
	char buf[65536];
	ssize_t n;

	str_clear(ret);
	while ((n = read(fd, buf, sizeof buf)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (ret->n + (size_t)n > max)
			return -EFBIG;
		str_add(ret, buf, (size_t)n);
	}
	return 0;
}

int ckpt_slurp(int dir_fd, const char *name, size_t max, struct str *ret, struct err *err)
{
	int rc, fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0) {
		if (errno == ENOENT)
			return -ENOENT;
		return err_set(err, -errno, "cannot open '%s': %s", name, strerror(errno));
	}
	struct stat st;
	bool plain = fstat(fd, &st) < 0 || S_ISREG(st.st_mode);
	rc = plain ? read_all(fd, max, ret) : -EBADMSG;
	close(fd);
	if (!plain)
		return err_set(err, rc, "'%s' is not a plain file", name);
	if (rc < 0)
		return err_set(err, rc, "cannot read '%s': %s", name, strerror(-rc));
	return 0;
}

int ckpt_sync_dir(int fd, const char *what, struct err *err)
{
	if (fsync(fd) < 0)
		return err_set(err, -errno, "cannot make the folder of '%s' durable: %s", what,
			       strerror(errno));
	return 0;
}

static int write_file(int dir_fd, const char *name, struct sv text, bool durable, struct err *err)
{
	char tmp[128];
	int fd, rc;

	snprintf(tmp, sizeof tmp, "%s.tmp", name);
	unlinkat(dir_fd, tmp, 0); /* made again whatever lay there: a link is not written through */
	fd = openat(dir_fd, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		    object_file_mode());
	if (fd < 0)
		return err_set(err, -errno, "cannot make '%s': %s", tmp, strerror(errno));
	rc = fd_write_all(fd, text);
	if (rc == 0 && durable && fsync(fd) < 0)
		rc = -errno;
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && renameat(dir_fd, tmp, dir_fd, name) < 0)
		rc = -errno;
	if (rc < 0) {
		unlinkat(dir_fd, tmp, 0);
		return err_set(err, rc, "cannot write '%s': %s", name, strerror(-rc));
	}
	if (durable)
		return ckpt_sync_dir(dir_fd, name, err);
	return 0;
}

int ckpt_spit(int dir_fd, const char *name, struct sv text, struct err *err)
{
	return write_file(dir_fd, name, text, true, err);
}

int ckpt_put_manifest(struct ckpt_dir *d, const char *id, struct sv text, struct err *err)
{
	int rc = ckpt_spit(d->ckpt_fd, id, text, err);

	if (rc == -EISDIR && unlinkat(d->ckpt_fd, id, AT_REMOVEDIR) == 0)
		rc = ckpt_spit(d->ckpt_fd, id, text, err);
	if (rc == 0)
		ckpt_lost_begun(d, NULL); /* failing, it goes when the folder is opened next */
	return rc;
}

void ckpt_hint_latest(struct ckpt_dir *d, const char *id)
{
	char text[48];

	snprintf(text, sizeof text, "%s\n", id);
	write_file(d->fd, "latest", sv_of(text), false, NULL);
}

/* ---- the number of a run ----------------------------------------------------------------- */

int ckpt_run_read(struct ckpt_dir *d, uint64_t *ret_run, struct str *ret_attempt)
{
	struct str text = { 0 };
	struct sv rest, word, number;
	int64_t n = 0;
	int rc = ckpt_slurp(d->fd, "run", 1024, &text, NULL);

	if (rc == 0) {
		word = sv_cut(str_sv(&text), ' ', &rest);
		number = sv_cut(rest, ' ', &rest);
		if (!sv_is(word, "run") || sv_i64(number, &n) < 0 || n < 1 ||
		    !sv_ends(rest, SV("\n")))
			rc = -ENOENT;
	}
	if (rc == 0) {
		*ret_run = (uint64_t)n;
		str_clear(ret_attempt);
		str_addsv(ret_attempt, sv_trim(rest));
	}
	str_free(&text);
	return rc;
}

static int ckpt_run_begin(struct ckpt_dir *d, struct err *err)
{
	struct ckpt_list l = { 0 };
	struct str text = { 0 };
	uint64_t told = 0, seen = 0, n;
	int rc;

	if (ckpt_list(d, &l, NULL) == 0)
		for (size_t i = 0; i < l.v.n; i++)
			if ((n = strtoull(l.v.v[i].id + 13, NULL, 16)) > seen)
				seen = n;
	ckpt_list_free(&l);
	if (ckpt_run_read(d, &told, &text) < 0 || told < seen)
		told = seen;
	d->run = told + 1;
	str_clear(&text);
	str_addf(&text, "run %" PRIu64 " %s\n", d->run, d->attempt);
	rc = ckpt_spit(d->fd, "run", str_sv(&text), err);
	str_free(&text);
	return rc;
}

int ckpt_run_wait(struct ckpt_dir *d, int64_t wait_ms, struct err *err)
{
	struct str attempt = { 0 };
	uint64_t run;

	for (int64_t waited = 0; !d->run && waited <= wait_ms; waited += 20) {
		if (ckpt_run_read(d, &run, &attempt) == 0 && sv_is(str_sv(&attempt), d->attempt))
			d->run = run;
		else
			usleep(20000);
	}
	str_free(&attempt);
	if (d->run)
		return 0;
	err_set(err, -ETIMEDOUT, "rank 0 of this run ('%s') has not opened the checkpoints in '%s'",
		d->attempt, d->path);
	err_hint(err, "give all ranks the same folder and the same attempt");
	return -ETIMEDOUT;
}

/* ---- opening ----------------------------------------------------------------------------- */

/* Is nothing in it that a checkpoint leaves, of whatever kind and whoever may read it? */
static bool is_bare(int dir_fd)
{
	static const char *const name[] = { "ckpt", "data", "latest", "run" };
	struct stat st;

	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (fstatat(dir_fd, name[i], &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
			return false;
	return true;
}

static int take_lock(struct ckpt_dir *d, struct err *err)
{
	enum { TRIES = 40, PAUSE_US = 50000 };
	struct str who = { 0 };
	char me[64];

	d->lock_fd = file_open_in(d->fd, d->path, "lock", O_RDWR | O_CREAT, object_file_mode(),
				  err);
	if (d->lock_fd < 0)
		return d->lock_fd;
	/* a run that has just ended, or a child of it that has not closed what it inherited yet,
	 * lets go in a moment */
	for (int i = 0; flock(d->lock_fd, LOCK_EX | LOCK_NB) < 0; i++) {
		if (i < TRIES) {
			usleep(PAUSE_US);
			continue;
		}
		read_all(d->lock_fd, 200, &who);
		err_set(err, -EBUSY,
			"the checkpoints in '%s' belong to another run that is going on (%.*s)",
			d->path, SVF(sv_trim(str_sv(&who))));
		err_hint(err, "end it first, or give this run a folder of its own");
		str_free(&who);
		return -EBUSY;
	}
	snprintf(me, sizeof me, "pid %ld\n", (long)getpid());
	if (ftruncate(d->lock_fd, 0) < 0 || pwrite(d->lock_fd, me, strlen(me), 0) < 0)
		return err_set(err, -errno, "cannot write '%s/lock': %s", d->path, strerror(errno));
	return 0;
}

/* Removes what matches; errors are left to the next time: nothing of it counts. */
static void sweep_folder(int fd, bool (*gone)(struct sv name))
{
	int at = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = at < 0 ? NULL : fdopendir(at);
	struct dirent *e;

	if (!dir && at >= 0)
		close(at);
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.' && gone(sv_of(e->d_name)))
			unlinkat(fd, e->d_name, 0);
	if (dir)
		closedir(dir);
}

static bool is_any(struct sv name)
{
	return name.n > 0;
}

static bool is_tmp(struct sv name)
{
	return sv_ends(name, SV(".tmp"));
}

/* Copies of an object store have no empty folders: what is only read needs none of them. */
static int open_parts(struct ckpt_dir *d, struct err *err)
{
	static const char *const name[] = { "ckpt", "data", "part" };
	int *const fd[] = { &d->ckpt_fd, &d->data_fd, &d->part_fd };
	bool make = !d->read_only;

	for (size_t i = 0; i < 3; i++) {
		if (make && mkdirat(d->fd, name[i], object_folder_mode()) < 0 && errno != EEXIST)
			return err_set(err, -errno, "cannot make the folder '%s': %s", name[i],
				       strerror(errno));
		*fd[i] = openat(d->fd, name[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (*fd[i] >= 0)
			continue;
		int code = -errno;
		if (code == -ENOTDIR || code == -ELOOP)
			return err_set(
				err, code,
				"'%s' in the folder of checkpoints is no folder (a link is not followed)",
				name[i]);
		err_set(err, code, "cannot open the folder '%s': %s", name[i], strerror(-code));
		if (make || code != -ENOENT)
			return code;
	}
	if (make)
		return ckpt_sync_dir(d->fd, d->path, err);
	return 0;
}

/* The name of the folder in the one above it: without it all that is in the folder is lost with the
 * power. */
static int sync_name(struct ckpt_dir *d, struct err *err)
{
	int above = openat(d->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* one that may not be read is made durable with everything else */
	int rc = above >= 0 ? fsync(above) : syncfs(d->fd);

	if (rc < 0)
		err_set(err, rc = -errno, "cannot make the folder '%s' durable: %s", d->path,
			strerror(errno));
	if (above >= 0)
		close(above);
	return rc;
}

static int open_all(struct ckpt_dir *d, struct err *err)
{
	struct stat st;
	int rc;

	if (!d->read_only && mkdir(d->path, object_folder_mode()) < 0 && errno != EEXIST)
		return err_set(err, -errno, "cannot make '%s': %s", d->path, strerror(errno));
	d->fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->fd < 0 && errno == ENOENT && lstat(d->path, &st) == 0)
		return err_set(err, -ENOTDIR, "'%s' is a link to a folder that is not there",
			       d->path);
	if (d->fd < 0)
		return err_set(err, -errno, "cannot open '%s': %s", d->path, strerror(errno));
	if (!d->read_only && d->rank == 0 && (rc = take_lock(d, err)) < 0)
		return rc;

	struct str text = { 0 };
	rc = ckpt_slurp(d->fd, MARK, 64, &text, err);

	/* two ranks that make it at once would take each other's file away; the others wait for
	 * rank 0 before they save */
	if (rc == -ENOENT && !d->read_only)
		rc = d->rank == 0 ? ckpt_spit(d->fd, MARK, SV("1\n"), err) : 0;
	else if (rc == -ENOENT && is_bare(d->fd)) /* the mark alone may be lost */
		err_set(err, rc, "'%s' has no checkpoints", d->path);
	else if (rc == -ENOENT)
		rc = 0;
	else if (rc == -EBADMSG) /* the folder cannot be used, and no checkpoint is damaged */
		rc = -EPROTO;
	else if (rc == 0 && !sv_is(str_sv(&text), "1\n"))
		rc = err_set(err, -EPROTO, "the checkpoints in '%s' are of a newer version of tare",
			     d->path);
	str_free(&text);
	if (rc < 0 || (rc = open_parts(d, err)) < 0)
		return rc;
	if (d->read_only)
		return 0;
	if (d->rank == 0) {
		if ((rc = sync_name(d, err)) < 0 || (rc = ckpt_lost_note(d, err)) < 0)
			return rc;
		/* What a run that died left behind, before any rank of this run saves. */
		sweep_folder(d->part_fd, is_any);
		sweep_folder(d->ckpt_fd, is_tmp);
		sweep_folder(d->data_fd, is_tmp);
		if ((rc = ckpt_sweep_data(d, err)) < 0 || (rc = ckpt_run_begin(d, err)) < 0)
			return rc;
	}
	rc = ckpt_newest(d, NULL, false, &d->last, NULL, err);
	d->unproven = true;
	if (rc < 0 && rc != -EBADMSG)
		return rc;
	return 0; /* without a parent all is written again */
}

int ckpt_open(const char *dir, const struct ckpt_opt *opt, struct ckpt_dir **ret, struct err *err)
{
	if (opt && opt->attempt &&
	    (strlen(opt->attempt) > CKPT_ATTEMPT_MAX || strpbrk(opt->attempt, "\r\n")))
		return err_set(err, -EINVAL,
			       "the token of this run is no line of at most %d bytes: '%.40s...'",
			       CKPT_ATTEMPT_MAX, opt->attempt);

	struct ckpt_dir *d = xcalloc(1, sizeof *d);
	int rc;

	d->path = xstrdup(dir);
	d->fd = d->ckpt_fd = d->data_fd = d->part_fd = d->lock_fd = -1;
	d->rank = opt ? opt->rank : 0;
	d->world = opt && opt->world > 0 ? opt->world : 1;
	d->threads = opt && opt->threads > 0 ? opt->threads : CKPT_THREADS;
	d->attempt = xstrdup(opt && opt->attempt && *opt->attempt ? opt->attempt : "-");
	d->buffered = opt && opt->buffered;
	d->read_only = opt && opt->read_only;
	if ((rc = open_all(d, err)) < 0) {
		ckpt_close(d);
		return rc;
	}
	*ret = d;
	return 0;
}

void ckpt_close(struct ckpt_dir *d)
{
	if (!d)
		return;
	int fd[] = { d->ckpt_fd, d->data_fd, d->part_fd, d->lock_fd, d->fd };
	for (size_t i = 0; i < sizeof fd / sizeof *fd; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	ckpt_free(&d->last);
	free(d->path);
	free(d->attempt);
	free(d);
}

void ckpt_forked(struct ckpt_dir *d)
{
	if (d->lock_fd >= 0)
		close(d->lock_fd);
	d->lock_fd = -1;
}

/* ---- listing ----------------------------------------------------------------------------- */

static int newest_first(const void *a, const void *b)
{
	return strcmp(((const struct ckpt_listed *)b)->id, ((const struct ckpt_listed *)a)->id);
}

int ckpt_list(struct ckpt_dir *d, struct ckpt_list *ret, struct err *err)
{
	vec_clear(&ret->v);
	if (d->ckpt_fd < 0)
		return 0;

	int at = openat(d->ckpt_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = at < 0 ? NULL : fdopendir(at);
	struct dirent *e;
	int failed;
	if (!dir) {
		int rc = err_set(err, -errno, "cannot list '%s/ckpt': %s", d->path,
				 strerror(errno));
		if (at >= 0)
			close(at);
		return rc;
	}
	while ((e = dir_next(dir)))
		if (ckpt_id_ok(sv_of(e->d_name))) {
			struct ckpt_listed *l = vec_push(&ret->v);
			memcpy(l->id, e->d_name, 30); /* 29 and the end */
		}
	/* half a list would make an old checkpoint the newest, and data of the others nobody's */
	failed = errno;
	closedir(dir);
	if (failed)
		return err_set(err, -failed, "cannot list '%s/ckpt': %s", d->path,
			       strerror(failed));
	if (ret->v.n)
		sort_items(ret->v.v, ret->v.n, sizeof *ret->v.v, newest_first);
	return 0;
}

void ckpt_list_free(struct ckpt_list *l)
{
	vec_free(&l->v);
}

static int check_data(struct ckpt_dir *d, const struct ckpt *c, struct err *err)
{
	for (size_t i = 0; i < c->data.n; i++) {
		struct stat st;
		int missing = 0;
		if (d->data_fd < 0)
			missing = ENOENT;
		else if (fstatat(d->data_fd, c->data.v[i].name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			missing = errno;
		if (!missing && !S_ISREG(st.st_mode))
			return err_set(
				err, -EBADMSG,
				"checkpoint '%s' is damaged: its data file '%s' is not a plain file (a link is not followed)",
				c->id, c->data.v[i].name);
		if (missing && missing != ENOENT)
			return err_set(err, -missing, "cannot look at '%s/data/%s': %s", d->path,
				       c->data.v[i].name, strerror(missing));
		if (missing)
			return err_set(err, -EBADMSG,
				       "checkpoint '%s' is damaged: its data file '%s' is missing",
				       c->id, c->data.v[i].name);
		if ((uint64_t)st.st_size < c->data.v[i].bytes)
			return err_set(
				err, -EBADMSG,
				"checkpoint '%s' is damaged: its data file '%s' is truncated",
				c->id, c->data.v[i].name);
	}
	return 0;
}

/* What is wrong with one checkpoint, the one before may be without. All else is wrong with the
 * file system as a whole. */
static bool is_of_one(int rc)
{
	static const int of_one[] = { EBADMSG, ENOENT, EFBIG, EIO, EISDIR, ELOOP, ENXIO };

	for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++)
		if (rc == -of_one[i])
			return true;
	return false;
}

static int say_lost(const struct ckpt_dir *d, const char *id, struct err *err)
{
	return err_set(err, -EBADMSG,
		       "checkpoint '%s' is damaged: its manifest is missing in '%s/ckpt'", id,
		       d->path);
}

int ckpt_load(struct ckpt_dir *d, const char *id, struct ckpt *ret, struct err *err)
{
	struct str text = { 0 };
	struct ckpt c = { 0 };
	int rc = ckpt_slurp(d->ckpt_fd, id, MANIFEST_MAX, &text, err);

	if (rc == -ENOENT)
		err_set(err, rc, "there is no checkpoint '%s' in '%s'", id, d->path);
	if (rc == 0 && sv_is(str_sv(&text), CKPT_LOST))
		rc = say_lost(d, id, err);
	else if (rc == 0)
		rc = ckpt_manifest_parse(id, str_sv(&text), &c, err);
	str_free(&text);
	if (rc < 0) {
		if (is_of_one(rc) && rc != -ENOENT)
			return -EBADMSG;
		return rc;
	}
	if (strcmp(c.id, id) || c.rank >= 0)
		rc = err_set(err, -EBADMSG, "the manifest '%s' is that of '%s'", id, c.id);
	else
		rc = check_data(d, &c, err);
	if (rc < 0)
		ckpt_free(&c);
	else
		*ret = c;
	return rc;
}

/* ---- what cannot be used ----------------------------------------------------------------- */

bool ckpt_damage_has(const struct ckpt_damage *d, const char *id, bool stored)
{
	for (size_t i = 0; d && i < d->v.n; i++)
		if (d->v.v[i].stored == stored && !d->v.v[i].mended && !strcmp(d->v.v[i].id, id))
			return true;
	return false;
}

bool ckpt_damage_knows(const struct ckpt_damage *d, const struct ckpt_bad *b)
{
	for (size_t i = 0; i < d->v.n; i++) {
		const struct ckpt_bad *k = &d->v.v[i];
		if (k->stored == b->stored && k->mended == b->mended && !strcmp(k->id, b->id))
			return true;
	}
	return false;
}

void ckpt_damage_mend(struct ckpt_damage *d, const char *id)
{
	for (size_t i = 0; d && i < d->v.n; i++)
		if (!d->v.v[i].stored && !strcmp(d->v.v[i].id, id))
			d->v.v[i].mended = true;
}

void ckpt_damage_add(struct ckpt_damage *d, const char *id, bool stored, const char *why)
{
	if (!d || ckpt_damage_has(d, id, stored))
		return;
	struct ckpt_bad *b = vec_push(&d->v);
	*b = (struct ckpt_bad){ .stored = stored, .why = arena_sv(&d->mem, sv_of(why)) };
	snprintf(b->id, sizeof b->id, "%s", id);
}

void ckpt_damage_merge(struct ckpt_damage *to, const struct ckpt_damage *from)
{
	for (size_t i = 0; i < from->v.n; i++) {
		const struct ckpt_bad *b = &from->v.v[i];
		if (ckpt_damage_knows(to, b))
			continue;
		ckpt_damage_add(to, b->id, b->stored, b->why);
		if (b->mended)
			ckpt_damage_mend(to, b->id);
	}
}

void ckpt_damage_free(struct ckpt_damage *d)
{
	vec_free(&d->v);
	arena_free(&d->mem);
}

/* ---- the newest -------------------------------------------------------------------------- */

struct look {
	const char *before;
	bool verify;
	const struct ckpt_damage *known;
	struct ckpt_damage found;
	size_t damaged; /* of the list, known or found */
};

/* The newest of the list that holds: 1, 0, negative. */
static int newest_of(struct ckpt_dir *d, const struct ckpt_list *l, struct look *k,
		     struct ckpt *ret, struct err *err)
{
	for (size_t i = 0; i < l->v.n; i++) {
		const char *id = l->v.v[i].id;
		struct err e = { 0 };
		struct ckpt c = { 0 };
		if (k->before && strcmp(id, k->before) >= 0)
			continue;
		if (ckpt_damage_has(k->known, id, false)) {
			k->damaged++;
			continue;
		}
		int rc = ckpt_load(d, id, &c, &e);
		if (rc == 0 && k->verify && (rc = ckpt_verify(d, &c, &e)) < 0)
			ckpt_free(&c);
		if (rc == 0) {
			*ret = c;
			return 1;
		}
		if (!is_of_one(rc)) {
			if (err)
				*err = e;
			return rc;
		}
		k->damaged++;
		ckpt_damage_add(&k->found, id, false, e.msg);
	}
	return 0;
}

int ckpt_newest(struct ckpt_dir *d, const char *before, bool verify, struct ckpt *ret,
		struct ckpt_damage *damage, struct err *err)
{
	enum { TRIES = 5 };
	struct ckpt_list l = { 0 };
	struct look k = { .before = before, .verify = verify, .known = damage };
	char first[CKPT_ID_BYTES] = "", lost[CKPT_ID_BYTES];
	int rc = 0;

	for (int i = 0; i < TRIES; i++) {
		rc = ckpt_list_lost(d, &l, lost, err);
		const char *head = lost;
		if (l.v.n && !lost[0])
			head = l.v.v[0].id;
		if (rc < 0)
			break;
		if (i && head[0] && !strcmp(first, head))
			break;
		ckpt_damage_free(&k.found);
		k.damaged = 0;

		/* One that is not listed, and should be. */
		struct err e = { 0 };
		if (lost[0] && (!k.before || strcmp(lost, k.before) < 0)) {
			k.damaged++;
			say_lost(d, lost, &e);
			if (!ckpt_damage_has(k.known, lost, false))
				ckpt_damage_add(&k.found, lost, false, e.msg);
		}

		rc = newest_of(d, &l, &k, ret, err);
		if (rc || !k.damaged)
			break;
		/* none holds: a writer may have removed them after a newer one came */
		snprintf(first, sizeof first, "%s", head);
	}
	ckpt_list_free(&l);
	if (rc == 0 && k.damaged) {
		const struct ckpt_damage *of = k.found.v.n || !k.known ? &k.found : k.known;
		rc = err_set(err, -EBADMSG, "none of the %zu checkpoint%s in '%s' can be used: %s",
			     k.damaged, text_if(k.damaged > 1, "s"), d->path, of->v.v[0].why);
	}
	if (damage)
		ckpt_damage_merge(damage, &k.found);
	ckpt_damage_free(&k.found);
	return rc;
}
