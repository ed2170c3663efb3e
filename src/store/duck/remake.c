/*
 * A store of older rules is made anew beside its place: facts.duckdb and the files beside it come
 * into facts.duckdb.new, which gets today's schema and ledger, and takes the place of the old ones by
 * a rename once it is whole and durable. Whatever ends it before leaves the old store as it was; the
 * next writer sweeps the copy. Nothing else of the store is touched.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/str.h"
<<<<<<< HEAD
#include "store/duck/files.h"
	=======
#include "store/duck/inside.h"
#include "store/folder.h"

	static int
	copy_fd(int from, int to, const char *path, struct err *err)
{
	static char buf[1 << 20];
	ssize_t n;

	while ((n = read(from, buf, sizeof buf)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		for (ssize_t done = 0, k; n > 0 && done < n; done += k) {
			k = write(to, buf + done, (size_t)(n - done));
			if (k < 0 && errno == EINTR)
				k = 0;
			if (k < 0)
				return err_set(err, -errno, "cannot write '%s': %s", path,
					       strerror(errno));
		}
		if (n < 0)
			return err_set(err, -errno, "cannot read the store to copy it: %s",
				       strerror(errno));
	}
	if (fsync(to))
		return err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	return 0;
}

static int copy_facts(const struct facts *f, struct err *err)
{
	char *old = duck_path_of(f, ""), *next = duck_path_of(f, ".new");
	int from = open(old, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), to = -1, r;
	struct stat st;

	if (from >= 0 && fstat(from, &st) == 0)
		to = open(next, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 0777);

	if (to < 0)
		r = err_set(err, -errno, "cannot copy '%s' to '%s': %s", old, next,
			    strerror(errno));
	else
		r = copy_fd(from, to, next, err);
	if (to >= 0)
		close(to);
	if (from >= 0)
		close(from);
	if (r == -ENOSPC || r == -EDQUOT)
		err_hint(err,
			 "the store is made again by newer rules, for which there must be room for "
			 "a second one beside it; the store is as it was");
	free(old);
	free(next);
	return r;
}

void duck_sweep(const struct facts *f)
{
	char *next = duck_path_of(f, ".new"), *log = duck_path_of(f, ".new.wal");

	unlink(next);
	unlink(log);
	free(next);
	free(log);
}

/* Whatever is in the log alone must be in the file before it is copied. */
static int settle_file(struct facts *f, struct err *err)
{
	char *log = duck_path_of(f, ".wal");
	int r = sql_exec(f->con, "CHECKPOINT", "write the store's log into its file", err);

	duck_close(f);
	if (r == 0 && access(log, F_OK) == 0)
		r = err_set(err, -EBUSY, "'%s' is still there after it was written into the file",
			    log);
	free(log);
	return r;
}
>>>>>>> 441c9ea6 (Words: what the field says, by a table (GPU, interval, again, duration ...))

int facts_remake_begin(struct facts *f, facts_fill_fn *fill, void *ctx, struct err *err)
{
	assert(f->write && !f->batch);
	int r = files_gather(f, err);
	if (!r)
		r = duck_migrate(f, fill, ctx, err);
	f->remaking = r == 0;
	return r;
}

bool facts_remaking(const struct facts *f)
{
	return f->remaking;
}

int facts_remake_end(struct facts *f, struct err *err)
{
	int r = files_replace(f, err);

	if (r)
		return r;
	f->remaking = false;
	return files_open(f, err);
}

int facts_remake_drop(struct facts *f)
{
	struct err ignored;
	int r;

	facts_abort(f);
	duck_close(f);
	f->remaking = false;
	files_sweep(f);
	f->bill_gpu_rows = -1;
	f->reversed_loaded = false;
	r = files_open(f, &ignored);
	if (r)
		return r;
	return duck_look_at_schema(f, &ignored);
}

/* ---- from raw rows ----------------------------------------------------------------------- */

int facts_remake_clear(struct facts *f, struct err *err)
{
	static const char *const sql[] = { "DELETE FROM ledger_row", "DELETE FROM ledger_what",
					   "DELETE FROM ledger_who", "DELETE FROM remainder",
					   "DELETE FROM paid", "DELETE FROM bill_scope",
					   "DELETE FROM bill", "DELETE FROM bill_gpu",
					   /* the mark that entries were reversed */
					   "DELETE FROM reversal WHERE src < 0" };
	int r = writer_quiet(f->writer, NULL, err);

	tuples_free(f->tuples);
	f->tuples = NULL;
	for (size_t i = 0; r == 0 && i < sizeof sql / sizeof *sql; i++)
		r = sql_exec(f->con, sql[i], "make the ledger again", err);
	f->reversed_loaded = false;
	f->bill_gpu_rows = -1;
	return r;
}

/* The lines of one file, as they were before this transaction: by a connection of its own, which
 * sees what was committed, while f->con takes the lines out and puts them in again. */
static int lines_of(struct facts *f, duckdb_connection before, int64_t src, store_route_fn *route,
		    void *ctx, struct err *err)
{
	struct answer r;
	struct arena mem = { 0 };
	struct str sql = { 0 };
	for (int t = 0; t < 2; t++) {
		str_addf(&sql, "%sSELECT *, (true", text_if(t, " UNION ALL "));
		duck_bill_in_force(f, &sql);
		str_addf(&sql, ") AS live FROM %s WHERE src = %lld", t ? "bill_gpu" : "bill",
			 (long long)src);
	}
	int e = answer_open(&r, before, sql.p, "read the bills", true, err, "");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		struct bill_line l = duck_read_line(&r, &mem);
		const char *scope = "";
		e = route(ctx, src, answer_i64(&r, r.ncol - 1) == 1, &l, &scope, err);
		if (!e)
			e = facts_add_bill(f, src, scope, &l, err);
		if (mem.used_bytes > 1 << 20)
			arena_free(&mem);
		if (e)
			break;
	}
	answer_close(&r);
	arena_free(&mem);
	return e;
}

struct src_list {
	int64_t *v;
	size_t n, cap;
};

static int bill_files(duckdb_connection before, struct src_list *ret, struct err *err)
{
	struct answer r;
	int e = answer_open(&r, before,
			    "SELECT DISTINCT src FROM (SELECT src FROM bill UNION ALL SELECT src "
			    "FROM bill_gpu) t ORDER BY src",
			    "read the bills", false, err, "");
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0)
		*vec_push(ret) = answer_i64(&r, 0);
	answer_close(&r);
	return e;
}

int facts_remake_bills(struct facts *f, store_route_fn *route, void *ctx, struct err *err)
{
	duckdb_connection before = NULL;
	struct src_list file = { 0 };
	int e = duck_settle_bills(f, err);
	if (e)
		return e;
	if (duck.connect(f->db, &before) != DuckDBSuccess)
		return sql_error(err, "read the bills", "no connection");
	e = bill_files(before, &file, err);
	for (size_t i = 0; i < file.n && e == 0; i++)
		e = lines_of(f, before, file.v[i], route, ctx, err);
	vec_free(&file);
	duck.disconnect(&before);
	return e;
}
