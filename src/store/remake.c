/*
 * A store of older rules is made anew beside its place: facts.duckdb is copied to facts.duckdb.new,
 * the copy gets today's schema and ledger, and takes the place of the old one by a rename once it is
 * whole and durable. Whatever ends it before leaves the old store as it was; the next writer sweeps
 * the copy. Telemetry and control state are not touched: they hold raw readings and what people
 * said, and their batches are those of before.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/control.h"
#include "store/folder.h"
#include "store/inside.h"
#include "store/remake.h"

static int copy_fd(int from, int to, const char *path, struct err *err)
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
	return fsync(to) ? err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno)) : 0;
}

static int copy_facts(const struct store *s, struct err *err)
{
	char *old = store_db_path(s, ""), *next = store_db_path(s, ".new");
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
			 "the store is made anew by newer rules, for which there must be room for "
			 "a second one beside it; the store is as it was");
	free(old);
	free(next);
	return r;
}

void store_remake_sweep(const struct store *s)
{
	char *next = store_db_path(s, ".new"), *log = store_db_path(s, ".new.wal");

	unlink(next);
	unlink(log);
	free(next);
	free(log);
}

/* Whatever is in the log alone must be in the file before it is copied. */
static int settle_file(struct store *s, struct err *err)
{
	char *log = store_db_path(s, ".wal");
	int r = sql_exec(s->con, "CHECKPOINT", "write the store's log into its file", err);

	store_db_close(s);
	if (r == 0 && access(log, F_OK) == 0)
		r = err_set(err, -EBUSY, "'%s' is still there after it was written into the file",
			    log);
	free(log);
	return r;
}

int store_remake_begin(struct store *s, struct err *err)
{
	int r = s->mode != STORE_WRITE || s->in_tx
			? err_set(err, -EPERM, "the store is not open for writing")
			: settle_file(s, err);

	if (r == 0)
		store_remake_sweep(s);
	r = r ? r : copy_facts(s, err);
	r = r ? r : store_db_open(s, ".new", err);
	r = r ? r : store_migrate(s, err);
	s->remaking = r == 0;
	if (r)
		store_remake_drop(s);
	return r;
}

int store_remake_end(struct store *s, int64_t now_ms, const char *command, struct err *err)
{
	char *path = store_db_path(s, ""), *next = store_db_path(s, ".new"),
	     *log = store_db_path(s, ".new.wal");
	int r = sql_exec(s->con, "CHECKPOINT", "write the new store", err);
	struct err unwritten;

	store_db_close(s);
	if (r == 0 && access(log, F_OK) == 0)
		r = err_set(err, -EBUSY, "'%s' is still there after it was written into the file",
			    log);
	if (r == 0 && rename(next, path))
		r = err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	r = r ? r : folder_sync(s->dir, err);
	if (r == 0) {
		s->remaking = false;
		r = store_db_open(s, "", err);
		control_journal(s->dir, now_ms, command, s->last_batch, "committed", &unwritten);
	} else {
		store_remake_drop(s);
	}
	free(path);
	free(next);
	free(log);
	return r;
}

void store_remake_drop(struct store *s)
{
	struct err ignored;

	if (s->in_tx)
		store_rollback(s);
	store_db_close(s);
	store_remake_sweep(s);
	s->remaking = false;
	s->last_batch = s->bill_gpu_rows = -1;
	s->reversed_loaded = false;
	if (store_db_open(s, "", &ignored) == 0 && store_look_at_schema(s, &ignored) == 0)
		store_last_batch(s, &ignored);
}

/* ---- what the ledger says, before and after ---------------------------------------------- */

static void read_sum(const struct answer *r, struct arena *a, void *ret)
{
	struct ledger_sum *l = ret;

	*l = (struct ledger_sum){ .currency = answer_text(r, 0, a), .gpu_ms = answer_huge(r, 1) };
	for (size_t b = 0; b < BASIS_N; b++)
		l->nano[b] = answer_huge(r, 2 + b);
}

int store_ledger_sums(struct store *s, struct arena *a, struct ledger_sum **ret, size_t *ret_n,
		      struct err *err)
{
	struct store_list l = { .doing = "sum up the ledger",
				.size = sizeof **ret,
				.read = read_sum };
	int r = store_settle(s, T_LEDGER, err);

	if (r)
		return r;
	str_addz(&l.sql,
		 "SELECT currency, sum(CASE WHEN kind = 0 THEN ms ELSE 0 END), "
		 "coalesce(sum(billed_nano), 0), coalesce(sum(effective_nano), 0), "
		 "coalesce(sum(list_nano), 0) FROM ledger GROUP BY currency ORDER BY currency");
	return store_list(s, &l, a, ret, ret_n, err);
}

/* ---- from raw rows ----------------------------------------------------------------------- */

int store_remake_clear(struct store *s, struct err *err)
{
	static const char *const sql[] = { "DELETE FROM ledger", "DELETE FROM remainder",
					   "DELETE FROM paid", "DELETE FROM bill_scope",
					   "DELETE FROM bill", "DELETE FROM bill_gpu",
					   /* the mark that entries were reversed */
					   "DELETE FROM reversal WHERE src < 0" };
	int r = s->remaking && s->in_tx ? 0 : store_not_in_tx(err);

	for (size_t i = 0; r == 0 && i < sizeof sql / sizeof *sql; i++)
		r = sql_exec(s->con, sql[i], "make the ledger anew", err);
	s->reversed_loaded = false;
	s->bill_gpu_rows = -1;
	return r;
}

/* The lines of one file, as they were before this transaction: by a connection of its own, which
 * sees what was committed, while s->con takes the lines out and puts them in again. */
static int lines_of(struct store *s, duckdb_connection before, int64_t src, store_route_fn *route,
		    void *ctx, struct err *err)
{
	struct answer r;
	struct arena mem = { 0 };
	struct str sql = { 0 };
	for (int t = 0; t < 2; t++) {
		str_addf(&sql, "%sSELECT *, (true", t ? " UNION ALL " : "");
		store_bill_in_force(s, &sql);
		str_addf(&sql, ") AS live FROM %s WHERE src = %lld", t ? "bill_gpu" : "bill",
			 (long long)src);
	}
	int e = answer_open(&r, before, sql.p, "read the bills", true, err, "");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		struct bill_line l = store_read_line(&r, &mem);
		const char *scope = "";
		e = route(ctx, src, answer_i64(&r, r.ncol - 1) == 1, &l, &scope, err);
		e = e ? e : store_add_bill_of(s, src, scope, &l, err);
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

int store_remake_bills(struct store *s, store_route_fn *route, void *ctx, struct err *err)
{
	duckdb_connection before = NULL;
	struct src_list file = { 0 };
	int e = store_settle_bills(s, err);
	if (e)
		return e;
	if (duck.connect(s->db, &before) != DuckDBSuccess)
		return sql_error(err, "read the bills", "no connection");
	e = bill_files(before, &file, err);
	for (size_t i = 0; i < file.n && e == 0; i++)
		e = lines_of(s, before, file.v[i], route, ctx, err);
	vec_free(&file);
	duck.disconnect(&before);
	return e;
}

static void read_span(const struct answer *r, struct arena *a, void *ret)
{
	struct sv scope = answer_text(r, 0, a);
	*(struct scope_span *)ret = (struct scope_span){ scope.p ? scope.p : "", answer_i64(r, 1),
							 answer_i64(r, 2) };
}

int store_allocation_spans(struct store *s, struct arena *a, struct scope_span **ret, size_t *ret_n,
			   struct err *err)
{
	struct store_list l = { .doing = "read the jobs", .size = sizeof **ret, .read = read_span };
	int e = store_settle(s, T_ALLOCATION, err);
	if (e == 0)
		e = store_load_reversed(s, err);
	if (e)
		return e;
	str_addf(&l.sql,
		 "SELECT scope, min(start_ms), max(coalesce(end_ms, %lld)) FROM allocation "
		 "WHERE scope <> '' AND start_ms IS NOT NULL",
		 (long long)INT64_MAX);
	store_in_force(s, &l.sql);
	str_addz(&l.sql, " GROUP BY scope ORDER BY scope");
	return store_list(s, &l, a, ret, ret_n, err);
}
