#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "base/tm.h"
#include "store/control.h"
#include "store/folder.h"
#include "store/inside.h"
#include "store/lock.h"
#include "store/telemetry.h"

#define LOOKS   3 /* at a folder that may have been listed while a file in it took its name */
#define LOOK_NS 20000000

int store_last_batch(struct store *s, struct err *err)
{
	if (s->last_batch >= 0)
		return 0;
	return facts_last_batch(s->facts, &s->last_batch, err);
}

static int too_old(const struct store *s, const char *newer, int64_t batch, struct err *err)
{
	err_set(err, -EBADMSG,
		"'%s/%s' is older than '%s': batch %lld, which was imported, is not in it", s->dir,
		facts_name, newer, (long long)batch);
	err_hint(
		err,
		"put back all files of the store as they were at one time, or import everything into a new one (--db)");
	return -EBADMSG;
}

/*
 * A copy of the facts from before, put back beside files that have gone on. The journal is written
 * once a batch is in the facts, so it never knows more of them; readings are committed first, so
 * they may be one batch ahead after a kill, no more. Of those a writer asks, who would take them
 * for left over and remove them; a reader leaves out what the facts do not know. told: the
 * journal's last batch, asked for before the facts were opened, as a batch may come in between.
 */
static int check_age(struct store *s, int64_t told, struct err *err)
{
	int64_t read = 0;
	int r = store_last_batch(s, err);
	if (r == 0 && told > s->last_batch)
		return too_old(s, "control.db", told, err);
	if (r == 0 && s->mode == STORE_WRITE && telemetry_there(s))
		r = telemetry_last_batch(s, &read, err);
	if (r == 0 && read > s->last_batch + 1)
		return too_old(s, "telemetry.db", read, err);
	return r;
}

static int open_write(struct store *s, struct err *err)
{
	int64_t told = control_last_batch(s->dir);
	int r = facts_open(s->dir, true, &s->facts, err);
	if (r == 0)
		r = check_age(s, told, err);
	if (r == 0)
		r = telemetry_sweep(s, err);
	if (r)
		return r;
	return facts_upgrade(s->facts, telemetry_fill, s, err);
}

static void close_facts(struct store *s)
{
	facts_close(s->facts);
	s->facts = NULL;
}

/* What a power cut left of a program of before needs a writer, who mends it. */
static int mend_as_writer(struct store *s, int64_t wait_ms, struct err *err)
{
	int r = lock_take(s->dir, wait_ms, s->command, &s->lock_fd, err);
	if (r) {
		err_prefix(err, "the store must be mended first");
		return r;
	}
	r = open_write(s, err);
	close_facts(s);
	telemetry_close(s);
	close(s->lock_fd);
	s->lock_fd = -1;
	return r;
}

/*
 * Without a lock: what is committed stays as it is, whoever writes (facts.h). A program of before
 * does write in it, and keeps it closed meanwhile. A file that takes its name while the folder is
 * listed may be missed, where the file system lists it piece by piece: then it is looked again.
 */
static int open_read(struct store *s, int64_t wait_ms, struct err *err)
{
	int64_t until = tm_mono_ms() + wait_ms;
	int r;
	for (int i = 0;; i++) {
		int64_t told = control_last_batch(s->dir);
		r = facts_open(s->dir, false, &s->facts, err);
		if (r == -EUCLEAN) {
			r = mend_as_writer(s, wait_ms, err);
			if (r == 0)
				r = facts_open(s->dir, false, &s->facts, err);
		}
		if (r == 0)
			r = check_age(s, told, err);
		bool missed = r == -EBADMSG && s->facts && i < LOOKS;
		bool written = r == -EBUSY && tm_mono_ms() < until;
		if (!missed && !written)
			break;
		close_facts(s);
		s->last_batch = -1;
		nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
	}
	if (r)
		return r;
	return facts_upgrade(s->facts, telemetry_fill, s, err);
}

/* -EINVAL where one of a store's own files is a link, a pipe or anything else that is no file. */
static int check_files(const char *dir, struct err *err)
{
	static const char *const own[] = {
		"lock",
		"telemetry.db",
		"telemetry.db-journal",
		"telemetry.db-wal",
		"telemetry.db-shm",
		"control.db",
		"control.db-journal",
		"control.db-wal",
		"control.db-shm",
	};
	int r = folder_check_file(dir, own[0], err);
	for (size_t i = 0; facts_files[i] && r == 0; i++)
		r = folder_check_file(dir, facts_files[i], err);
	for (size_t i = 1; i < sizeof own / sizeof *own && r == 0; i++)
		r = folder_check_file(dir, own[i], err);
	return r;
}

/* The first import failed: what it left would be an empty store, which commands would take for
 * one. Under the lock, which goes last; who waits for it looks whether it is still there. */
static void unmake_store(const struct store *s)
{
	static const char *const own[] = { "telemetry.db", "telemetry.db-journal",
					   "telemetry.db-wal", "telemetry.db-shm", NULL };
	const char *const *const lists[] = { facts_files, own };
	int dir = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t k = 0; dir >= 0 && k < sizeof lists / sizeof *lists; k++)
		for (const char *const *name = lists[k]; *name; name++)
			unlinkat(dir, *name, 0);
	if (dir < 0)
		return;
	unlinkat(dir, "lock", 0);
	close(dir);
	if (s->made_folder) /* where something else is in it, it stays */
		rmdir(s->dir);
}

int store_open(const char *dir, enum store_mode mode, int64_t wait_ms, const char *command,
	       struct store **ret, struct err *err)
{
	int there = facts_there(dir);
	bool made_folder = false;
	if (there < 0) {
		/* Whether a store is in there cannot even be seen. */
		struct stat st;
		err_set(err, -EACCES, "cannot look into '%s': permission denied", dir);
		if (stat(dir, &st) == 0)
			err_hint(
				err,
				"it belongs to user %u: run as that user, or name a store of your own with --db",
				(unsigned)st.st_uid);
		else
			err_hint(
				err,
				"a folder above it is closed to you: ask its owner, or name a store of your own with --db");
		return -EACCES;
	}
	int r = 0;
	if (mode == STORE_WRITE)
		r = facts_load(err);
	if (r == 0 && mode == STORE_WRITE) {
		made_folder = access(dir, F_OK) < 0 && errno == ENOENT;
		r = folder_make(dir, 0700, err);
	}
	if (r == 0)
		r = check_files(dir, err);
	if (r == 0 && !there) {
		/* Where the facts are not there, the others must not be of a store that lost it: a
		 * new one over them would say that its readings are of nobody. */
		struct str path = { 0 };
		str_addf(&path, "%s/telemetry.db", dir);
		bool lost = access(path.p, F_OK) == 0 || control_has_imports(dir);
		str_free(&path);
		if (lost) {
			err_set(err, -EBADMSG, "'%s/%s' is missing, which has what was imported",
				dir, facts_name);
			err_hint(err,
				 "put back a copy of that file, or import into a new store (--db)");
			return -EBADMSG;
		}
	}
	if (r == 0 && !there && mode == STORE_READ) {
		err_set(err, -ENOENT, "there is no store in '%s' yet", dir);
		err_hint(err, "bring something in with `tare import FILE`, or try `tare demo`");
		return -ENOENT;
	}
	if (r == 0)
		r = facts_load(err);
	if (r)
		return r;
	struct store *s = xcalloc(1, sizeof *s);
	s->dir = xstrdup(dir);
	s->command = xstrdup(text_or(command, "tare"));
	s->mode = mode;
	s->lock_fd = -1;
	s->last_batch = -1;
	s->made = !there && mode == STORE_WRITE;
	s->made_folder = made_folder;
	if (mode == STORE_WRITE)
		r = lock_take(dir, wait_ms, s->command, &s->lock_fd, err);
	if (r == 0)
		r = mode == STORE_WRITE ? open_write(s, err) : open_read(s, wait_ms, err);
	if (r) {
		store_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

void store_undone(struct store *s)
{
	s->undone = true;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	if (s->in_tx)
		store_rollback(s);
	telemetry_close(s);
	store_forget_nodes(s);
	store_forget_ahead(s);
	close_facts(s);
	intern_free(&s->tags);
	if (s->undone && s->made && s->last_batch == 0 && s->lock_fd >= 0)
		unmake_store(s);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	free(s->dir);
	free(s->command);
	free(s);
}

const char *store_dir(const struct store *s)
{
	return s->dir;
}

/* ---- batches ----------------------------------------------------------------------------- */

int store_not_in_tx(struct err *err)
{
	return err_set(err, -EPERM, "rows can only be written inside a batch");
}

int store_begin(struct store *s, int64_t *ret_batch, struct err *err)
{
	if (s->mode != STORE_WRITE || s->in_tx)
		return err_set(err, -EPERM,
			       s->in_tx ? "a batch is open already"
					: "the store is open for reading only");
	int r = facts_begin(s->facts, s->last_batch + 1, err);
	if (r)
		return r;
	s->in_tx = true;
	s->batch = s->last_batch + 1;
	store_forget_nodes(s);
	store_forget_ahead(s);
	*ret_batch = s->batch;
	return 0;
}

static void drop_buffers(struct store *s)
{
	store_forget_nodes(s);
	store_forget_ahead(s);
	requests_free(s->requests);
	s->requests = NULL;
	intern_free(&s->tags);
}

int store_commit(struct store *s, int64_t now_ms, const char *command,
		 const struct batch_file *file, size_t nfile, struct err *err)
{
	const struct facts_batch batch = { now_ms, command, file, nfile };
	if (!s->in_tx)
		return store_not_in_tx(err);
	int r = requests_flush(s, err);
	if (r == 0)
		r = telemetry_write_sums(s, err);
	if (r == 0)
		r = facts_prepare(s->facts, &batch, err);
	/* Chunks first: without the batch row they do not count; the other way round a batch could
	 * lack its chunks. */
	if (r == 0)
		r = telemetry_commit(s, err);
	if (r == 0)
		r = facts_commit(s->facts, err);
	if (r) {
		store_rollback(s);
		return r;
	}
	drop_buffers(s);
	s->in_tx = false;
	s->last_batch = s->batch;
	if (facts_remaking(s->facts))
		return 0; /* not the store yet: store_remake_end() */
	/* the batch is in; that a line for people could not be written changes nothing */
	struct err unwritten;
	control_journal(s->dir, now_ms, command, s->batch, "committed", &unwritten);
	return 0;
}

void store_rollback(struct store *s)
{
	if (!s->in_tx)
		return;
	drop_buffers(s);
	facts_abort(s->facts);
	s->in_tx = false;
	telemetry_rollback(s);
}

int store_batch_by_hash(struct store *s, const char *hash, struct arena *a, const char **ret_json,
			int64_t *ret_batch, struct err *err)
{
	int64_t src = 0;
	int r = facts_file_by_hash(s->facts, hash, a, ret_json, &src, err);
	*ret_batch = src >> STORE_FILE_BITS;
	return r;
}

int store_parquet_open(const char *path, struct tab **ret, struct err *err)
{
	return parquet_open(path, ret, err);
}
