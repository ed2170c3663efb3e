#include "store/duck/sql.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <xxhash.h>

#include "base/num.h"
#include "base/utf8.h"
#include "base/str.h"
#include "model/model.h"
#include "store/duck/bulk.h"

#define NAP_MIN_NS   20000
#define NAP_MAX_NS   1000000
#define SHARED_TEXTS 4096

static bool has_word(const char *text, const char *word)
{
	return strcasestr(text, word) != NULL;
}

int sql_error(struct err *err, const char *doing, const char *msg)
{
	if (!msg || !*msg)
		msg = "no reason given";
	if (has_word(msg, "no space left")) {
		err_set(err, -ENOSPC, "cannot %s: the disk is full", doing);
		err_hint(err, "free some space and run the command again; the store is as it was");
		return -ENOSPC;
	}
	if (has_word(msg, "file too large")) {
		err_set(err, -EFBIG, "cannot %s: the file may not grow further (file size limit)",
			doing);
		err_hint(
			err,
			"raise the limit (ulimit -f) and run the command again; the store is as it was");
		return -EFBIG;
	}
	if (has_word(msg, "could not set lock") || has_word(msg, "conflicting lock")) {
		const char *pid = strstr(msg, "(PID ");
		err_set(err, -EBUSY, "cannot %s: another program%s%.*s has the file open", doing,
			text_if(pid, " "), pid ? (int)strcspn(pid, ")") + 1 : 0, text_or(pid, ""));
		err_hint(err, "close that program and try again");
		return -EBUSY;
	}
	if (has_word(msg, "out of memory")) {
		err_set(err, -ENOMEM, "cannot %s: not enough memory", doing);
		err_hint(err, "set TARE_MEMORY to a higher limit, such as TARE_MEMORY=4GB");
		return -ENOMEM;
	}
	if (has_word(msg, "corrupt database file") ||
	    has_word(msg, "not a valid duckdb database")) {
		err_set(err, -EBADMSG, "cannot %s: the store's 'facts.duckdb' is damaged: %s",
			doing, msg);
		err_hint(
			err,
			"put back a copy of the store, or import everything into a new one (--db)");
		return -EBADMSG;
	}
	if (has_word(msg, "read-only file system") || has_word(msg, "permission denied"))
		return err_set(err, -EACCES,
			       "cannot %s: permission denied or read-only file system", doing);
	/* The engine's own words, first line only: they are the best there is for what is left. */
	return err_set(err, has_word(msg, "corrupt") ? -EBADMSG : -EIO, "cannot %s: %.*s", doing,
		       (int)strcspn(msg, "\n"), msg);
}

/*
 * The caller's thread works along as one of DuckDB's. Where there is nothing for it to do it naps:
 * DuckDB's own loop would ask again and again, a tenth of the CPU time of an import. Why one failed
 * the pending result alone says.
 */
static duckdb_pending_state work_along(duckdb_pending_result pending)
{
	struct timespec nap = { 0, NAP_MIN_NS };

	for (;;) {
		duckdb_pending_state st = duck.pending_execute_task(pending);
		if (st == DUCKDB_PENDING_NO_TASKS_AVAILABLE) {
			nanosleep(&nap, NULL);
			if (nap.tv_nsec < NAP_MAX_NS)
				nap.tv_nsec *= 2;
		} else if (st == DUCKDB_PENDING_RESULT_NOT_READY) {
			nap.tv_nsec = NAP_MIN_NS;
		} else {
			return st; /* ready, done or failed */
		}
	}
}

static int execute_prepared(duckdb_prepared_statement stmt, bool stream, const char *doing,
			    duckdb_result *ret, struct err *err)
{
	duckdb_pending_result pending = NULL;
	duckdb_state ok = stream ? duck.pending_prepared_streaming(stmt, &pending)
				 : duck.pending_prepared(stmt, &pending);
	int e = 0;

	if (ok != DuckDBSuccess || work_along(pending) == DUCKDB_PENDING_ERROR)
		e = sql_error(err, doing, duck.pending_error(pending));
	else if (duck.execute_pending(pending, ret) != DuckDBSuccess)
		e = sql_error(err, doing, duck.result_error(ret));
	duck.destroy_pending(&pending);
	return e;
}

int sql_exec(duckdb_connection con, const char *sql, const char *doing, struct err *err)
{
	duckdb_extracted_statements all = NULL;
	idx_t n = duck.extract_statements(con, sql, &all);
	const char *why = n ? NULL : duck.extract_statements_error(all);
	int e = 0;

	if (why)
		e = sql_error(err, doing, why);
	for (idx_t i = 0; i < n && e == 0; i++) {
		duckdb_prepared_statement stmt = NULL;
		duckdb_result res = { 0 };
		if (duck.prepare_extracted_statement(con, all, i, &stmt) != DuckDBSuccess) {
			e = sql_error(err, doing, duck.prepare_error(stmt));
		} else {
			e = execute_prepared(stmt, false, doing, &res, err);
			duck.destroy_result(&res);
		}
		duck.destroy_prepare(&stmt);
	}
	duck.destroy_extracted(&all);
	return e;
}

static int bind_args(duckdb_prepared_statement stmt, const char *args, va_list ap)
{
	for (idx_t i = 1; *args; args++, i++) {
		duckdb_state ok = DuckDBError;
		struct sv v;
		int64_t n;
		switch (*args) {
		case 'i': ok = duck.bind_int64(stmt, i, va_arg(ap, int64_t)); break;
		case 'n':
			n = va_arg(ap, int64_t);
			ok = n == INT64_MIN ? duck.bind_null(stmt, i) : duck.bind_int64(stmt, i, n);
			break;
		case 's':
		case 'v':
			v = *args == 's' ? sv_of(va_arg(ap, const char *)) : va_arg(ap, struct sv);
			if (v.p) { /* looked for as it was put in (bulk.h) */
				struct str fixed = { 0 };
				v = utf8_of(&fixed, v);
				ok = duck.bind_varchar_length(stmt, i, v.p, v.n);
				str_free(&fixed);
			} else {
				ok = duck.bind_null(stmt, i);
			}
			break;
		default: break;
		}
		if (ok != DuckDBSuccess)
			return -EINVAL;
	}
	return 0;
}

static int run_query(struct answer *r, const struct sql_query *q, struct err *err, const char *args,
		     va_list ap)
{
	*r = (struct answer){ 0 };
	if (duck.prepare(q->con, q->sql, &r->stmt) != DuckDBSuccess)
		return sql_error(err, q->doing, duck.prepare_error(r->stmt));
	if (bind_args(r->stmt, args, ap))
		return err_set(err, -EINVAL, "cannot %s: a parameter does not fit the statement",
			       q->doing);
	r->has_res = true;
	return execute_prepared(r->stmt, q->stream, q->doing, &r->res, err);
}

int answer_open(struct answer *r, const struct sql_query *q, struct err *err, const char *args, ...)
{
	va_list ap;
	va_start(ap, args);
	int e = run_query(r, q, err, args, ap);
	va_end(ap);
	if (e) {
		answer_close(r);
		return e;
	}
	r->ncol = duck.column_count(&r->res);
	r->col = xcalloc(r->ncol ? r->ncol : 1, sizeof *r->col);
	for (size_t c = 0; c < r->ncol; c++) {
		r->col[c].type = duck.column_type(&r->res, c);
		if (r->col[c].type != DUCKDB_TYPE_DECIMAL)
			continue;
		/* of the bytes in the vector: decimals are integers of some width */
		duckdb_logical_type t = duck.column_logical_type(&r->res, c);
		r->col[c].type = duck.decimal_internal_type(t);
		duck.destroy_logical_type(&t);
	}
	return 0;
}

int answer_next(struct answer *r, struct err *err)
{
	if (r->i < r->n) {
		r->i++;
		return 1;
	}
	if (r->chunk)
		duck.destroy_data_chunk(&r->chunk);
	r->chunk = duck.fetch_chunk(r->res);
	r->i = 0;
	r->n = r->chunk ? duck.data_chunk_get_size(r->chunk) : 0;
	if (!r->chunk) {
		const char *msg = duck.result_error(&r->res);
		if (msg && *msg)
			return sql_error(err, "read from the store", msg);
		return 0;
	}
	for (size_t c = 0; c < r->ncol; c++) {
		duckdb_vector v = duck.data_chunk_get_vector(r->chunk, c);
		r->col[c].data = duck.vector_get_data(v);
		r->col[c].valid = duck.vector_get_validity(v);
	}
	if (!r->n)
		return 0;
	r->i = 1;
	return 1;
}

void answer_close(struct answer *r)
{
	if (r->chunk)
		duck.destroy_data_chunk(&r->chunk);
	if (r->has_res)
		duck.destroy_result(&r->res);
	if (r->stmt)
		duck.destroy_prepare(&r->stmt);
	free(r->col);
	free(r->shared);
	*r = (struct answer){ 0 };
}

bool answer_null(const struct answer *r, size_t col)
{
	const uint64_t *v = r->col[col].valid;
	idx_t i = r->i - 1;
	return v && !(v[i / 64] >> (i % 64) & 1);
}

int64_t answer_i64(const struct answer *r, size_t col)
{
	const struct rows_col *c = &r->col[col];
	idx_t i = r->i - 1;
	if (answer_null(r, col))
		return INT64_MIN;
	switch (c->type) {
	case DUCKDB_TYPE_BOOLEAN:
	case DUCKDB_TYPE_UTINYINT: return ((const uint8_t *)c->data)[i];
	case DUCKDB_TYPE_TINYINT: return ((const int8_t *)c->data)[i];
	case DUCKDB_TYPE_SMALLINT: return ((const int16_t *)c->data)[i];
	case DUCKDB_TYPE_INTEGER: return ((const int32_t *)c->data)[i];
	case DUCKDB_TYPE_BIGINT:
	case DUCKDB_TYPE_UBIGINT: return ((const int64_t *)c->data)[i];
	case DUCKDB_TYPE_HUGEINT: return (int64_t)duck_huge(((const duckdb_hugeint *)c->data)[i]);
	default: return INT64_MIN;
	}
}

__int128 answer_huge(const struct answer *r, size_t col)
{
	if (answer_null(r, col))
		return 0;
	if (r->col[col].type == DUCKDB_TYPE_HUGEINT)
		return duck_huge(((const duckdb_hugeint *)r->col[col].data)[r->i - 1]);
	return answer_i64(r, col);
}

double answer_f64(const struct answer *r, size_t col)
{
	if (answer_null(r, col) || r->col[col].type != DUCKDB_TYPE_DOUBLE)
		return NAN;
	return ((const double *)r->col[col].data)[r->i - 1];
}

struct sv answer_sv(const struct answer *r, size_t col)
{
	if (answer_null(r, col))
		return SV_NULL;
	return duck_sv(&((const duckdb_string_t *)r->col[col].data)[r->i - 1]);
}

struct sv answer_text(const struct answer *r, size_t col, struct arena *a)
{
	struct sv v = answer_sv(r, col);
	if (v.p)
		return (struct sv){ arena_strn(a, v.p, v.n), v.n };
	return SV_NULL;
}

/* Names of users, queues and states come again and again: of a million jobs they are most bytes. */
void answer_share(struct answer *r)
{
	r->shared = xcalloc(SHARED_TEXTS, sizeof *r->shared);
}

struct sv answer_shared(const struct answer *r, size_t col, struct arena *a)
{
	struct sv v = answer_sv(r, col);

	if (!v.p || !r->shared)
		return answer_text(r, col, a);
	struct sv *at = &r->shared[XXH3_64bits(v.p, v.n) % SHARED_TEXTS];
	if (!at->p || !sv_eq(*at, v))
		*at = (struct sv){ arena_strn(a, v.p, v.n), v.n };
	return *at;
}

int64_t sql_change(duckdb_connection con, const char *sql, const char *doing, struct err *err,
		   const char *args, ...)
{
	struct answer r;
	va_list ap;
	va_start(ap, args);
	int e = run_query(&r, &(struct sql_query){ con, sql, doing }, err, args, ap);
	va_end(ap);
	int64_t n = e;
	if (!e)
		n = (int64_t)duck.rows_changed(&r.res);
	answer_close(&r);
	return n;
}

int sql_number(duckdb_connection con, const char *sql, const char *doing, int64_t none,
	       int64_t *ret, struct err *err)
{
	struct answer r;
	int e = answer_open(&r, &(struct sql_query){ con, sql, doing }, err, "");

	if (e)
		return e;
	e = answer_next(&r, err);
	*ret = none;
	if (e > 0 && !answer_null(&r, 0))
		*ret = answer_i64(&r, 0);
	answer_close(&r);
	return min_int(e, 0);
}

int sql_span(duckdb_connection con, const char *sql, const char *doing, int64_t *ret_from_ms,
	     int64_t *ret_to_ms, struct err *err)
{
	struct answer r;
	int e = answer_open(&r, &(struct sql_query){ con, sql, doing }, err, "");

	if (e)
		return e;
	e = answer_next(&r, err);
	*ret_from_ms = e > 0 ? answer_i64(&r, 0) : UNKNOWN_MS;
	*ret_to_ms = e > 0 ? answer_i64(&r, 1) : UNKNOWN_MS;
	answer_close(&r);
	return min_int(e, 0);
}

void sql_quote(struct str *out, struct sv text)
{
	struct str fixed = { 0 };

	text = utf8_of(&fixed, text);
	str_addc(out, '\'');
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\'')
			str_addc(out, '\'');
		str_addc(out, text.p[i]);
	}
	str_addc(out, '\'');
	str_free(&fixed);
}
