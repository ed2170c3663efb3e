/*
 * A store of older rules is made again beside its place: facts.duckdb and the files beside it come
 * into facts.duckdb.new, which gets today's schema and ledger, and takes the place of the old ones
 * by a rename once it is whole and durable. Whatever ends it before leaves the old store as it was;
 * the next writer sweeps the copy. Nothing else of the store is touched.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/str.h"
#include "store/duck/files.h"

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
	duck_forget_bill_names(f);
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
					   "DELETE FROM ledger_bill", "DELETE FROM ledger_who",
					   "DELETE FROM remainder", "DELETE FROM paid",
					   "DELETE FROM bill_scope", "DELETE FROM bill",
					   "DELETE FROM bill_gpu",
					   /* the mark that entries were reversed */
					   "DELETE FROM reversal WHERE src < 0" };
	int r = writer_quiet(f->writer, NULL, err);

	tuples_free(f->tuples);
	f->tuples = NULL;
	for (size_t i = 0; r == 0 && i < sizeof sql / sizeof *sql; i++)
		r = sql_exec(f->con, sql[i], "make the ledger again", err);
	f->reversed_loaded = false;
	duck_forget_bill_names(f);
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
	int e = answer_open(&r, &(struct sql_query){ before, sql.p, "read the bills", true }, err,
			    "");
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

int facts_remake_bills(struct facts *f, store_route_fn *route, void *ctx, struct err *err)
{
	duckdb_connection before = NULL;
	VEC(int64_t) file = { 0 };
	struct answer r;
	int e = duck_settle_bills(f, err);
	if (e)
		return e;
	if (duck.connect(f->db, &before) != DuckDBSuccess)
		return sql_error(err, "read the bills", "no connection");
	e = answer_open(
		&r,
		&(struct sql_query){
			before,
			"SELECT DISTINCT src FROM (SELECT src FROM bill UNION ALL SELECT src "
			"FROM bill_gpu) t ORDER BY src",
			"read the bills" },
		err, "");
	if (e == 0) {
		while ((e = answer_next(&r, err)) > 0)
			*vec_push(&file) = answer_i64(&r, 0);
		answer_close(&r);
	}
	for (size_t i = 0; i < file.n && e == 0; i++)
		e = lines_of(f, before, file.v[i], route, ctx, err);
	vec_free(&file);
	duck.disconnect(&before);
	return e;
}
