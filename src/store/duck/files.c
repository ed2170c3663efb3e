#include "store/duck/files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "store/duck/spill.h"
#include "store/folder.h"

#define SMALL_MB 64 /* a copy of it and its sync take less than a tenth of a second */
#define SHARE    8  /* an eighth of the facts is small too: there are about 8 files a doubling */
#define LOOKS    50 /* at a folder in which files take each other's place, LOOK_NS apart */
#define LOOK_NS  5000000
#define NEW      ".new"

/* ---- names --------------------------------------------------------------------------------- */

static char *part_path(const struct facts *f, const struct facts_part *p)
{
	struct str path = { 0 };

	if (!p->from)
		return duck_path_of(f, "");
	str_addf(&path, "%s/facts-%lld-%lld.duckdb", f->dir, (long long)p->from, (long long)p->to);
	return path.p;
}

/* "facts-12-15.duckdb" */
static bool read_name(const char *name, struct facts_part *ret)
{
	char *end;

	if (strncmp(name, "facts-", 6) || !isdigit((unsigned char)name[6]))
		return false;
	ret->from = strtoll(name + 6, &end, 10);
	if (*end != '-' || !isdigit((unsigned char)end[1]))
		return false;
	ret->to = strtoll(end + 1, &end, 10);
	return !strcmp(end, ".duckdb") && ret->from > 0 && ret->from <= ret->to;
}

static int by_place(const void *a, const void *b)
{
	const struct facts_part *x = a, *y = b;

	if (x->from != y->from)
		return cmp_i64(x->from, y->from);
	return cmp_i64(y->to, x->to);
}

/* All that have such a name, the longer of two that begin with one batch first. */
static int list_all(const struct facts *f, struct facts_parts *ret, struct err *err)
{
	DIR *d = opendir(f->dir);
	int r = 0;

	if (!d)
		return err_set(err, -errno, "cannot look into '%s': %s", f->dir, strerror(errno));
	for (struct dirent *e; r == 0 && (e = readdir(d));) {
		struct facts_part p = { 0 };
		if (!read_name(e->d_name, &p))
			continue;
		r = folder_check_file(f->dir, e->d_name, err);
		*vec_push(ret) = p;
	}
	closedir(d);
	if (ret->n)
		sort_items(ret->v, ret->n, sizeof *ret->v, by_place);
	return r;
}

/* ---- opening ------------------------------------------------------------------------------- */

static int attach_file(struct facts *f, const char *path, const char *as, bool write,
		       struct err *err)
{
	struct str sql = { 0 };
	char doing[512];

	snprintf(doing, sizeof doing, "open '%s'", path);
	str_addz(&sql, "ATTACH ");
	sql_quote(&sql, sv_of(path));
	str_addf(&sql, " AS %s%s", as, text_if(!write, " (READ_ONLY)"));
	int r = sql_exec(f->con, sql.p, doing, err);
	str_free(&sql);
	return r;
}

/* -EAGAIN: the file has just gone. */
static int attach_part(struct facts *f, size_t i, struct err *err)
{
	char as[24], *path = part_path(f, &f->part.v[i]);

	snprintf(as, sizeof as, "p%zu", i);
	int r = attach_file(f, path, as, false, err);
	if (r && access(path, F_OK))
		r = -EAGAIN;
	free(path);
	return r;
}

/* Which files count, facts.duckdb first, now that it is open as p0. -EAGAIN: one is not there. */
static int choose_parts(struct facts *f, const struct facts_parts *all, struct err *err)
{
	struct facts_part base = { 0 };
	int r = sql_number(f->con, "SELECT max(batch) FROM p0.batch", "read the store", 0, &base.to,
			   err);

	if (r)
		return r;
	vec_clear(&f->part);
	*vec_push(&f->part) = base;
	for (size_t i = 0; i < all->n; i++) {
		const struct facts_part *p = &all->v[i];
		int64_t next = f->part.v[f->part.n - 1].to + 1;
		if (p->to < next)
			continue; /* another one has its batches */
		if (p->from != next) {
			err_set(err, -EBADMSG,
				"a file of '%s' is missing, which has batches %lld to %lld", f->dir,
				(long long)next, (long long)p->from - 1);
			err_hint(
				err,
				"put back a copy of the store, or import everything into a new one (--db)");
			return -EAGAIN;
		}
		*vec_push(&f->part) = *p;
	}
	return 0;
}

/* Lines that a later file has taken over (bill_move.c). */
static void leave_out_moved(const struct facts *f, const char *table, size_t i, struct str *sql)
{
	size_t n = f->part.n;
	const char *some = " WHERE NOT EXISTS (SELECT 1 FROM (";
	bool gpu = !strcmp(table, "bill_gpu");

	if (!gpu && strcmp(table, "bill"))
		return;
	for (size_t k = i + 1; k < n + f->writing; k++) {
		str_addf(sql, "%sSELECT * FROM ", some);
		if (k < n)
			str_addf(sql, "p%zu.bill_moved", k);
		else
			str_addz(sql, "new.bill_moved");
		some = " UNION ALL ";
	}
	if (i + 1 < n + f->writing)
		str_addf(
			sql,
			") m WHERE m.gpu = %d AND m.src = t.src AND m.provider = coalesce(t.provider, '') "
			"AND m.resource_id = t.resource_id AND %s)",
			gpu, gpu ? "t.gpu_milli = 0" : "t.scope <> ''");
}

/* Every table of facts.duckdb as if it were one. */
static int make_views(struct facts *f, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	bool flat = false; /* allocations, in a store of before */
	int e = answer_open(
		&r,
		&(struct sql_query){
			f->con, "SELECT table_name FROM duckdb_tables() WHERE database_name = 'p0'",
			"read the store" },
		err, "");

	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		struct sv table = answer_sv(&r, 0);
		char name[64];

		snprintf(name, sizeof name, "%.*s", (int)table.n, table.p);
		flat |= !strcmp(name, "allocation");
		str_addf(&sql, "CREATE OR REPLACE TEMP VIEW %s AS ", name);
		for (size_t i = 0; i < f->part.n; i++) {
			str_addf(&sql, "%sSELECT * FROM p%zu.%s t", text_if(i, " UNION ALL "), i,
				 name);
			leave_out_moved(f, name, i, &sql);
		}
		if (f->writing)
			str_addf(&sql, " UNION ALL SELECT * FROM new.%s t", name);
		str_addc(&sql, ';');
	}
	answer_close(&r);
	str_addf(&sql, "CREATE OR REPLACE TEMP VIEW ledger AS %s", schema_ledger);
	if (!flat)
		str_addf(&sql, ";CREATE OR REPLACE TEMP VIEW allocation AS %s", schema_allocation);
	if (!e)
		e = sql_exec(f->con, sql.p, "read the store", err);
	str_free(&sql);
	return e;
}

/* The first n files, all of them where n is SIZE_MAX. */
static int open_parts(struct facts *f, const struct facts_parts *all, size_t n, struct err *err)
{
	char *base = duck_path_of(f, "");
	int r = duck_open(f, NULL, true, err);

	if (!r)
		r = attach_file(f, base, "p0", false, err);
	free(base);
	if (!r)
		r = choose_parts(f, all, err);
	if (r == 0 && f->part.n > n)
		f->part.n = n;
	for (size_t i = 1; i < f->part.n && r == 0; i++)
		r = attach_part(f, i, err);
	return r;
}

static int look_for_parts(struct facts *f, struct err *err)
{
	struct facts_parts all = { 0 };
	int r = list_all(f, &all, err);

	if (r == 0 && !all.n) {
		r = duck_open(f, "", false, err);
	} else if (r == 0) {
		r = open_parts(f, &all, SIZE_MAX, err);
		if (!r)
			r = make_views(f, err);
	}
	vec_free(&all);
	if (r)
		duck_close(f);
	return r;
}

int files_open(struct facts *f, struct err *err)
{
	int r = -EAGAIN;

	f->writing = false;
	f->into = "";
	for (int i = 0; i < LOOKS && r == -EAGAIN; i++) {
		if (i)
			nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
		vec_clear(&f->part);
		r = look_for_parts(f, err);
	}
	return r == -EAGAIN ? -EBADMSG : r;
}

/* ---- writing ------------------------------------------------------------------------------- */

static int copy_bytes(int from, int to, const char *path, struct err *err)
{
	static char buf[1 << 20];
	char doing[512];
	ssize_t n;

	while ((n = read(from, buf, sizeof buf)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		for (ssize_t done = 0, k; n > 0 && done < n; done += k) {
			k = write(to, buf + done, (size_t)(n - done));
			if (k < 0 && errno == EINTR)
				k = 0;
			if (k < 0) {
				snprintf(doing, sizeof doing, "write '%s'", path);
				return sql_error(err, doing, strerror(errno));
			}
		}
		if (n < 0)
			return err_set(err, -errno, "cannot read the store to copy it: %s",
				       strerror(errno));
	}
	return 0;
}

/* A file's content as facts.duckdb.new, by reference where the file system can. It is durable with
 * what DuckDB writes into it. */
static int copy_file(const struct facts *f, const struct facts_part *p, struct err *err)
{
	char *old = part_path(f, p), *next = duck_path_of(f, NEW);
	int from = open(old, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), to = -1, r = 0;
	struct stat st;

	if (from >= 0 && fstat(from, &st) == 0)
		to = open(next, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 0777);
	if (to < 0)
		r = err_set(err, -errno, "cannot copy '%s' to '%s': %s", old, next,
			    strerror(errno));
	else if (ioctl(to, FICLONE, from))
		r = copy_bytes(from, to, next, err);
	if (to >= 0) {
		/* it stays its owner's, whoever imports; only root may give it back to another */
		bool kept = fchown(to, st.st_uid, st.st_gid) == 0 || errno == EPERM;
		if (!r && (!kept || fchmod(to, st.st_mode & 0777)))
			r = err_set(err, -errno, "cannot give '%s' the owner and mode of '%s': %s",
				    next, old, strerror(errno));
		/* a network's file system may say at last that the disk is full */
		if (close(to) && !r)
			r = err_set(err, -errno, "cannot write '%s': %s", next, strerror(errno));
	}
	if (from >= 0)
		close(from);
	if (r == -ENOSPC || r == -EDQUOT)
		err_hint(err,
			 "what is written stands beside what is read until it is whole, for which "
			 "there must be room; the store is as it was");
	free(old);
	free(next);
	return r;
}

static int64_t file_bytes(const struct facts *f, const struct facts_part *p)
{
	char *path = part_path(f, p);
	struct stat st;
	int64_t n = 0;

	if (stat(path, &st) == 0)
		n = st.st_size;
	free(path);
	return n;
}

int64_t facts_bytes(const struct facts *f)
{
	const struct facts_part base = { 0 };
	int64_t n = 0;

	if (!f->part.n)
		return file_bytes(f, &base);
	for (size_t i = 0; i < f->part.n; i++)
		n += file_bytes(f, &f->part.v[i]);
	return n;
}

/* TARE_SEGMENT_MB */
static int small_bytes(int64_t *ret, struct err *err)
{
	const char *text = getenv("TARE_SEGMENT_MB");
	char *end;

	*ret = (int64_t)SMALL_MB << 20;
	if (!text || !*text)
		return 0;
	long n = strtol(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || n > 1 << 20)
		return err_set(err, -EINVAL,
			       "TARE_SEGMENT_MB is '%s', which is no number of MB from 0 to %d",
			       text, 1 << 20);
	*ret = (int64_t)n << 20;
	return 0;
}

/* Is the last file worth less than a file more? Then the batch goes into a copy of it. */
static int is_small(const struct facts *f, bool *ret, struct err *err)
{
	int64_t small, all = 0, last = 0;
	int r = small_bytes(&small, err);

	for (size_t i = 0; i < f->part.n; i++)
		all += last = file_bytes(f, &f->part.v[i]);
	if (all / SHARE > small && f->part.n > 1)
		small = all / SHARE;
	*ret = !f->part.v[f->part.n - 1].to || last < small;
	return r;
}

/* facts.duckdb.new behind the first n files. */
static int open_new(struct facts *f, size_t n, bool fresh, struct err *err)
{
	struct facts_parts all = { 0 };
	char *next = duck_path_of(f, NEW);
	int r = list_all(f, &all, err);

	if (!r)
		r = open_parts(f, &all, n, err);
	if (!r)
		r = attach_file(f, next, "new", true, err);
	if (r == 0 && fresh) {
		r = sql_exec(f->con, "USE new", "start a batch", err);
		if (!r)
			r = duck_migrate(f, NULL, NULL, err);
		if (!r)
			r = sql_exec(
				f->con,
				"CREATE TABLE bill_moved (src BIGINT, provider VARCHAR, resource_id VARCHAR, gpu TINYINT); USE memory",
				"start a batch", err);
	}
	f->writing = true;
	f->into = "new.";
	if (!r)
		r = make_views(f, err);
	vec_free(&all);
	free(next);
	return r;
}

/* The only file is f->part.v[0] then, which files_open() does not fill in. */
static int know_base(struct facts *f, struct err *err)
{
	struct facts_part base = { 0 };

	if (f->part.n)
		return 0;
	int r = sql_number(f->con, "SELECT max(batch) FROM batch", "read the store", 0, &base.to,
			   err);
	*vec_push(&f->part) = base;
	return r;
}

int files_begin(struct facts *f, struct err *err)
{
	bool small = false;
	int r = 0;

	if (!f->con)
		r = files_open(f, err);
	if (!r)
		r = know_base(f, err);
	if (!r)
		r = is_small(f, &small, err);
	if (r)
		return r;
	duck_close(f);
	files_sweep(f);
	size_t last = f->part.n - 1;
	f->copied = (struct facts_part){ 0 };
	f->first = f->part.v[last].to + 1;
	if (small) {
		f->copied = f->part.v[last];
		f->first = f->copied.from;
		r = copy_file(f, &f->copied, err);
	}
	if (!r && small && !last)
		r = duck_open(f, NEW, true, err);
	else if (!r)
		r = open_new(f, small ? last : last + 1, !small, err);
	if (r) {
		struct err ignored;
		duck_close(f);
		files_sweep(f);
		files_open(f, &ignored);
	}
	return r;
}

/* rename(): an answer that a network's disk lost is asked for again, and is then "no such file".
 * -errno. */
static int rename_told(const char *from, const char *to)
{
	struct stat was, is;
	bool known = stat(from, &was) == 0;

	if (rename(from, to) == 0)
		return 0;
	int r = -errno;
	if (r == -ENOENT && known && stat(to, &is) == 0 && is.st_ino == was.st_ino &&
	    is.st_dev == was.st_dev)
		return 0;
	return r;
}

static int name_new(struct facts *f, const struct facts_part *as, struct err *err)
{
	char *path = part_path(f, as), *next = duck_path_of(f, NEW);
	char *log = duck_path_of(f, NEW ".wal");
	int r = sql_exec(f->con, f->writing ? "CHECKPOINT new" : "CHECKPOINT", "write the store",
			 err);
	int e = 0;

	/* DuckDB has put its log into the file, which is durable */
	duck_close(f);
	if (r == 0 && access(log, F_OK) == 0)
		r = err_set(err, -EBUSY, "'%s' is still there after it was written into the file",
			    log);
	if (r == 0)
		e = rename_told(next, path);
	if (e)
		r = err_set(err, e, "cannot write '%s': %s", path, strerror(-e));
	free(path);
	free(next);
	free(log);
	return r;
}

static void remove_part(const struct facts *f, const struct facts_part *p)
{
	char *path = part_path(f, p);

	unlink(path);
	free(path);
}

int files_commit(struct facts *f, struct err *err)
{
	const struct facts_part as = { f->first, f->batch };
	struct err ignored;
	int r = name_new(f, &as, err);

	if (r)
		return r;
	/* From here on the batch is in, and whoever looks sees it: no word of what may come of it
	 * in a power cut, on which the caller would take its readings out again. What was copied
	 * stays then: the next import sweeps it. */
	if (folder_sync(f->dir, &ignored) == 0 && f->copied.from)
		remove_part(f, &f->copied);
	return 0;
}

void files_sweep(const struct facts *f)
{
	char *next = duck_path_of(f, NEW), *log = duck_path_of(f, NEW ".wal");
	struct facts_parts all = { 0 };
	struct err ignored;
	int r = list_all(f, &all, &ignored);

	for (size_t i = 0; r == 0 && f->part.n && i < all.n; i++) {
		bool counts = all.v[i].to > f->part.v[f->part.n - 1].to;
		for (size_t k = 0; k < f->part.n; k++)
			counts |= by_place(&all.v[i], &f->part.v[k]) == 0;
		if (!counts)
			remove_part(f, &all.v[i]);
	}
	unlink(next);
	unlink(log);
	spill_sweep(f);
	vec_free(&all);
	free(next);
	free(log);
}

/* ---- all in one ---------------------------------------------------------------------------- */

static int gather_parts(struct facts *f, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	int e = answer_open(
		&r,
		&(struct sql_query){
			f->con,
			"SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() "
			"AND NOT temporary AND table_name <> 'schema_version'",
			"read the store" },
		err, "");

	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0)
		for (size_t i = 1; i < f->part.n; i++) {
			/* What file i has: it takes over lines of the files before, then come
			 * its own rows. */
			struct sv table = answer_sv(&r, 0);
			bool gpu = sv_eq(table, SV("bill_gpu"));
			if (gpu || sv_eq(table, SV("bill")))
				str_addf(
					&sql,
					"DELETE FROM %.*s t WHERE %s AND EXISTS (SELECT 1 FROM p%zu.bill_moved m WHERE m.gpu = %d "
					"AND m.src = t.src AND m.provider = coalesce(t.provider, '') "
					"AND m.resource_id = t.resource_id);",
					(int)table.n, table.p,
					gpu ? "t.gpu_milli = 0" : "t.scope <> ''", i, gpu);
			str_addf(&sql, "INSERT INTO %.*s SELECT * FROM p%zu.%.*s;", (int)table.n,
				 table.p, i, (int)table.n, table.p);
		}
	answer_close(&r);
	for (size_t i = 1; i < f->part.n && e == 0; i++)
		e = attach_part(f, i, err);
	if (!e)
		e = sql_exec(f->con, str_z(&sql), "bring the store into one file", err);
	for (size_t i = 1; i < f->part.n && e == 0; i++) {
		char detach[32];
		snprintf(detach, sizeof detach, "DETACH p%zu", i);
		e = sql_exec(f->con, detach, "bring the store into one file", err);
	}
	str_free(&sql);
	return e;
}

int files_gather(struct facts *f, struct err *err)
{
	int r = 0;

	if (!f->con)
		r = files_open(f, err);
	if (!r)
		r = know_base(f, err);
	duck_close(f);
	if (r == 0)
		files_sweep(f);
	if (!r)
		r = copy_file(f, &f->part.v[0], err);
	if (!r)
		r = duck_open(f, NEW, true, err);
	f->writing = false;
	f->into = "";
	if (r == 0 && f->part.n > 1)
		r = gather_parts(f, err);
	return r;
}

int files_replace(struct facts *f, struct err *err)
{
	const struct facts_part base = { 0 };
	int r = name_new(f, &base, err);

	for (size_t i = 1; r == 0 && i < f->part.n; i++)
		remove_part(f, &f->part.v[i]);
	return r;
}
