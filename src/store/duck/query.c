/* Somebody else's statement: one SELECT over the views, on a connection that can read nothing but
 * the store. */
#include "store/query.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/thread.h"
#include "base/tm.h"
#include "store/duck/views.h"
#include "store/sql_words.h"

#define DOING "run the statement"

/* In this order: behind the last one nothing can be set any more. */
static const char *const locks[] = {
	"SET temp_directory = ''", /* what does not fit into memory is an error, no file */
	"SET allow_community_extensions = false",
	"SET enable_external_access = false",
	"SET lock_configuration = true",
};

/* ---- what may be asked -------------------------------------------------------------------- */

static const char *const statement_name[] = {
	[DUCKDB_STATEMENT_TYPE_INSERT] = "an INSERT",
	[DUCKDB_STATEMENT_TYPE_UPDATE] = "an UPDATE",
	[DUCKDB_STATEMENT_TYPE_EXPLAIN] = "an EXPLAIN",
	[DUCKDB_STATEMENT_TYPE_DELETE] = "a DELETE",
	[DUCKDB_STATEMENT_TYPE_CREATE] = "a CREATE",
	[DUCKDB_STATEMENT_TYPE_ALTER] = "an ALTER",
	[DUCKDB_STATEMENT_TYPE_COPY] = "a COPY",
	[DUCKDB_STATEMENT_TYPE_DROP] = "a DROP",
	[DUCKDB_STATEMENT_TYPE_PRAGMA] = "a PRAGMA",
	[DUCKDB_STATEMENT_TYPE_CALL] = "a CALL",
	[DUCKDB_STATEMENT_TYPE_SET] = "a SET",
	[DUCKDB_STATEMENT_TYPE_LOAD] = "a LOAD or INSTALL",
	[DUCKDB_STATEMENT_TYPE_ATTACH] = "an ATTACH",
	[DUCKDB_STATEMENT_TYPE_DETACH] = "a DETACH",
};

/* What a column is called here that the engine's sentence says is none; NULL. */
static const char *meant_column(const char *msg)
{
	static const char before[] = "Referenced column \"";
	const char *p = strstr(msg, before), *end;
	char word[64];

	if (!p)
		return NULL;
	p += sizeof before - 1;
	end = strchr(p, '"');
	if (!end || (size_t)(end - p) >= sizeof word)
		return NULL;
	snprintf(word, sizeof word, "%.*s", (int)(end - p), p);
	return sql_word_meant(word);
}

/* The engine's sentence is there; what it says below it (where, what was meant) is the hint. */
static int engine_error(int r, const char *msg, struct err *err)
{
	if (r != -EIO || !msg)
		return r;
	const char *meant = meant_column(msg);
	msg += strcspn(msg, "\n");
	msg += strspn(msg, "\n");
	if (meant)
		err_hint(err, "%s. All columns: tare sql --views\n%s", meant, msg);
	else if (*msg)
		err_hint(err, "%s", msg);
	else
		err_hint(err, "What can be read: tare sql --views");
	return -EINVAL;
}

static int check_statement(struct facts *f, const char *sql, struct err *err)
{
	duckdb_extracted_statements all = NULL;

	if (sql_asks_engine_user(sql)) {
		err_set(err, -EINVAL,
			"'user' is the user of the database engine, 'duckdb' in each row");
		err_hint(err, "The column is user_name; as a name of your own it is \"user\"");
		return -EINVAL;
	}
	idx_t n = duck.extract_statements(f->con, sql, &all);
	const char *msg = n ? NULL : duck.extract_statements_error(all);
	duckdb_prepared_statement one = NULL;
	const char *name = NULL;
	size_t type = DUCKDB_STATEMENT_TYPE_SELECT;
	int r = 0;

	if (msg && *msg) {
		r = engine_error(sql_error(err, DOING, msg), msg, err);
	} else if (n != 1) {
		r = err_set(err, -EINVAL, "tare sql runs one statement; these are %llu",
			    (unsigned long long)n);
		/* the engine asks for the values first, which is a statement of its own */
		if (sv_ihas(sv_of(sql), SV("PIVOT")))
			err_hint(
				err,
				"A PIVOT is one where it names its columns: PIVOT entries ON state IN "
				"('busy', 'lost') USING sum(effective_cost) GROUP BY team");
	} else if (duck.prepare_extracted_statement(f->con, all, 0, &one) != DuckDBSuccess) {
		msg = duck.prepare_error(one);
		r = engine_error(sql_error(err, DOING, msg), msg, err);
	} else {
		type = (size_t)duck.prepared_statement_type(one);
	}
	if (type != DUCKDB_STATEMENT_TYPE_SELECT) {
		if (type < sizeof statement_name / sizeof *statement_name)
			name = statement_name[type];
		r = err_set(err, -EINVAL, "tare sql runs one SELECT; this is %s",
			    text_or(name, "another statement"));
		err_hint(err, "The store is read only here. What can be read: tare sql --views");
	}
	if (one)
		duck.destroy_prepare(&one);
	duck.destroy_extracted(&all);
	return r;
}

/* ---- cells -------------------------------------------------------------------------------- */

struct column {
	duckdb_type type; /* as it is meant; rows_col.type is as it is stored */
	int scale;        /* of a decimal */
	enum query_type out;
};

static bool out_type(duckdb_type t, enum query_type *ret)
{
	switch (t) {
	case DUCKDB_TYPE_BOOLEAN: *ret = QUERY_BOOL; return true;
	case DUCKDB_TYPE_TINYINT:
	case DUCKDB_TYPE_SMALLINT:
	case DUCKDB_TYPE_INTEGER:
	case DUCKDB_TYPE_BIGINT:
	case DUCKDB_TYPE_UTINYINT:
	case DUCKDB_TYPE_USMALLINT:
	case DUCKDB_TYPE_UINTEGER:
	case DUCKDB_TYPE_UBIGINT:
	case DUCKDB_TYPE_HUGEINT: *ret = QUERY_INT; return true;
	case DUCKDB_TYPE_DECIMAL: *ret = QUERY_DEC; return true;
	case DUCKDB_TYPE_FLOAT:
	case DUCKDB_TYPE_DOUBLE: *ret = QUERY_NUM; return true;
	case DUCKDB_TYPE_DATE: *ret = QUERY_DAY; return true;
	case DUCKDB_TYPE_TIMESTAMP: *ret = QUERY_TIME; return true;
	case DUCKDB_TYPE_VARCHAR: *ret = QUERY_TEXT; return true;
	case DUCKDB_TYPE_SQLNULL: *ret = QUERY_TEXT; return true;
	default: return false;
	}
}

static int read_column(duckdb_result *res, idx_t i, struct column *c, struct err *err)
{
	c->type = duck.column_type(res, i);
	if (c->type == DUCKDB_TYPE_DECIMAL) {
		duckdb_logical_type t = duck.column_logical_type(res, i);
		c->scale = duck.decimal_scale(t);
		duck.destroy_logical_type(&t);
	}
	if (out_type(c->type, &c->out))
		return 0;
	err_set(err, -EINVAL, "column '%.200s' is of a type that has no text here",
		duck.column_name(res, i));
	err_hint(err, "Write it as text: (...)::VARCHAR");
	return -EINVAL;
}

static __int128 read_integer(const struct rows_col *c, idx_t i)
{
	switch (c->type) {
	case DUCKDB_TYPE_BOOLEAN:
	case DUCKDB_TYPE_UTINYINT: return ((const uint8_t *)c->data)[i];
	case DUCKDB_TYPE_TINYINT: return ((const int8_t *)c->data)[i];
	case DUCKDB_TYPE_SMALLINT: return ((const int16_t *)c->data)[i];
	case DUCKDB_TYPE_USMALLINT: return ((const uint16_t *)c->data)[i];
	case DUCKDB_TYPE_INTEGER:
	case DUCKDB_TYPE_DATE: return ((const int32_t *)c->data)[i];
	case DUCKDB_TYPE_UINTEGER: return ((const uint32_t *)c->data)[i];
	case DUCKDB_TYPE_UBIGINT: return ((const uint64_t *)c->data)[i];
	case DUCKDB_TYPE_HUGEINT: return duck_huge(((const duckdb_hugeint *)c->data)[i]);
	default: return ((const int64_t *)c->data)[i];
	}
}

/* v / 10^scale without trailing zeros; |v| < 10^38, or the smallest number there is. */
static const char *format_decimal(struct arena *a, __int128 v, int scale)
{
	char digits[48];
	unsigned __int128 u = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
	size_t at = sizeof digits;

	digits[--at] = 0;
	for (int n = 0; u || n <= scale; n++) {
		if (scale && n == scale)
			digits[--at] = '.';
		digits[--at] = (char)('0' + (int)(u % 10));
		u /= 10;
	}
	if (v < 0)
		digits[--at] = '-';
	if (scale > 0) {
		size_t end = sizeof digits - 2;
		while (digits[end] == '0')
			digits[end--] = 0;
		if (digits[end] == '.')
			digits[end] = 0;
	}
	return arena_printf(a, "%s", strcmp(digits + at, "-0") ? digits + at : "0");
}

static const char *format_shortest(struct arena *a, double v)
{
	char buf[32];

	if (!isfinite(v))
		return NULL;
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(buf, sizeof buf, "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	return arena_printf(a, "%s", buf);
}

/* Microseconds since 1970; DuckDB's infinities have no text. */
static const char *format_instant(struct arena *a, int64_t us)
{
	char buf[TM_BUF];
	int64_t ms = us / 1000 - (us % 1000 < 0), rest = us - ms * 1000;

	if (us == INT64_MAX || us <= -INT64_MAX || !tm_format(buf, ms))
		return NULL;
	if (!rest)
		return arena_printf(a, "%s", buf);
	char *z = strchr(buf, 'Z');
	if (z)
		*z = 0;
	return arena_printf(a, strchr(buf, '.') ? "%s%03dZ" : "%s.000%03dZ", buf, (int)rest);
}

static const char *cell_text(struct arena *a, const struct answer *r, size_t i,
			     const struct column *c)
{
	const struct rows_col *col = &r->col[i];
	idx_t row = r->i - 1;
	char buf[TM_BUF];
	struct sv text;

	if (c->type == DUCKDB_TYPE_SQLNULL || answer_null(r, i))
		return NULL;
	switch (c->out) {
	case QUERY_TEXT: text = answer_sv(r, i); return arena_strn(a, text.p, text.n);
	case QUERY_BOOL: return read_integer(col, row) ? "true" : "false";
	case QUERY_NUM:
		return format_shortest(a, c->type == DUCKDB_TYPE_FLOAT
						  ? (double)((const float *)col->data)[row]
						  : ((const double *)col->data)[row]);
	case QUERY_DAY:
		return arena_printf(a, "%.10s",
				    tm_format(buf, (int64_t)read_integer(col, row) * MS_DAY));
	case QUERY_TIME: return format_instant(a, ((const int64_t *)col->data)[row]);
	default: return format_decimal(a, read_integer(col, row), c->scale);
	}
}

/* ---- the answer --------------------------------------------------------------------------- */

struct rows_read {
	VEC(const char *) cell;
	size_t nrow, bytes;
	bool more;
};

static int read_rows(struct answer *r, const struct column *c, size_t most, struct arena *a,
		     struct rows_read *to, struct err *err)
{
	int e = 0;

	while (to->nrow < most && (e = answer_next(r, err)) > 0) {
		for (size_t i = 0; i < r->ncol; i++) {
			if (c[i].out == QUERY_TEXT && c[i].type != DUCKDB_TYPE_SQLNULL &&
			    answer_sv(r, i).n > QUERY_CELL_MAX) {
				err_set(err, -E2BIG, "column %zu has a string of more than %zu MiB",
					i + 1, QUERY_CELL_MAX >> 20);
				err_hint(err, "Take a part of it: left(..., 1000)");
				return -E2BIG;
			}
			const char *text = cell_text(a, r, i, &c[i]);
			*vec_push(&to->cell) = text;
			to->bytes += sizeof text + (text ? strlen(text) : 0);
		}
		to->nrow++;
		if (to->bytes > QUERY_BYTES_MAX) {
			err_set(err, -E2BIG, "the answer has more than %zu MiB",
				QUERY_BYTES_MAX >> 20);
			err_hint(err, "Select fewer columns, add up, or take fewer rows: LIMIT");
			return -E2BIG;
		}
	}
	if (e >= 0 && to->nrow == most)
		e = answer_next(r, err);
	to->more = e > 0;
	if (e < 0)
		return e;
	return 0;
}

static int run_statement(struct facts *f, const char *sql, size_t most, struct arena *a,
			 struct query_result *ret, struct err *err)
{
	struct rows_read rows = { 0 };
	struct answer r;
	int e = answer_open(&r, &(struct sql_query){ f->con, sql, DOING, true }, err, "");

	if (e == -EIO)
		return -EINVAL;
	if (e)
		return e;
	struct column *c = arena_zalloc(a, (r.ncol + 1) * sizeof *c);
	struct query_column *out = arena_alloc(a, (r.ncol + 1) * sizeof *out);
	for (size_t i = 0; i < r.ncol && e == 0; i++) {
		e = read_column(&r.res, i, &c[i], err);
		out[i] = (struct query_column){ arena_printf(a, "%s", duck.column_name(&r.res, i)),
						c[i].out };
	}
	if (e >= 0)
		e = read_rows(&r, c, most, a, &rows, err);
	if (e == 0)
		*ret = (struct query_result){
			out, r.ncol, arena_copy(a, rows.cell.v, rows.cell.n, sizeof *rows.cell.v),
			rows.nrow, rows.more
		};
	answer_close(&r);
	vec_free(&rows.cell);
	return e;
}

/* ---- for so long ---------------------------------------------------------------------------- */

/* The engine forgets an interruption that comes before it begins: it is told again. */
#define AGAIN_MS 200

struct watch {
	duckdb_connection con;
	int64_t limit_ms;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool done, over;
	pthread_t thread;
};

static void *watch_time(void *arg)
{
	struct watch *w = arg;
	struct timespec at = thread_until(w->limit_ms);

	pthread_mutex_lock(&w->lock);
	while (!w->done) {
		if (pthread_cond_timedwait(&w->ended, &w->lock, &at) != ETIMEDOUT || w->done)
			continue;
		w->over = true;
		duck.interrupt(w->con);
		at = thread_until(AGAIN_MS);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static int watch_begin(struct watch *w, struct facts *f, int64_t limit_ms, struct err *err)
{
	pthread_condattr_t clock;
	int r;

	*w = (struct watch){ .con = f->con, .limit_ms = limit_ms };
	if (!limit_ms)
		return 0;
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&w->ended, &clock);
	pthread_condattr_destroy(&clock);
	r = pthread_create(&w->thread, NULL, watch_time, w);
	if (r)
		return err_set(err, -r, "cannot watch the time of the statement: %s", strerror(r));
	return 0;
}

/* r: of the statement */
static int watch_end(struct watch *w, int r, struct err *err)
{
	if (!w->limit_ms)
		return r;
	pthread_mutex_lock(&w->lock);
	w->done = true;
	pthread_cond_signal(&w->ended);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->ended);
	pthread_mutex_destroy(&w->lock);
	if (r >= 0 || !w->over)
		return r;
	err_set(err, -ETIMEDOUT, "the statement took longer than %.10g s",
		(double)w->limit_ms / 1000);
	err_hint(err, "Ask for less (a WHERE on the time), or give it longer: --timeout SPAN");
	return -ETIMEDOUT;
}

int facts_query(struct facts *f, const struct query_ask *q, struct arena *a,
		struct query_result *ret, struct err *err)
{
	const char *sql = q->sql;
	struct watch watch;
	int r = duck_load_reversed(f, err);

	if (r >= 0)
		r = views_make(f, err);
	for (size_t i = 0; i < sizeof locks / sizeof *locks && r == 0; i++)
		r = sql_exec(f->con, locks[i], "close the store to the outside", err);
	if (r >= 0)
		r = check_statement(f, sql, err);
	if (r >= 0)
		r = watch_begin(&watch, f, q->limit_ms, err);
	if (r < 0)
		return r;
	return watch_end(&watch, run_statement(f, sql, q->most, a, ret, err), err);
}
