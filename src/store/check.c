#include "store/check.h"

#include <errno.h>
#include <stdlib.h>

#include "base/tm.h"
#include "store/inside.h"

#define NANO 1000 /* of a dec's 10^-12 */
#define DAY  "86400000"
#define HOUR "3600000"

/* ---- what to look at --------------------------------------------------------------------- */

/* Rows of a statement at a time. Not the bulk appender: a store that is only read refuses it for
 * temporary tables too. */
#define ROWS_AT_A_TIME 500

struct filling {
	struct store *s;
	const char *table;
	struct str sql;
	size_t n;
};

static int fill_start(struct filling *f, struct store *s, const char *table, const char *columns,
		      struct err *err)
{
	struct str sql = { 0 };
	*f = (struct filling){ .s = s, .table = table };
	str_addf(&sql, "CREATE OR REPLACE TEMP TABLE %s (%s)", table, columns);
	int e = sql_exec(s->con, sql.p, "check the ledger", err);
	str_free(&sql);
	return e;
}

static int fill_end(struct filling *f, struct err *err)
{
	int e = f->n ? sql_exec(f->s->con, f->sql.p, "check the ledger", err) : 0;
	str_free(&f->sql);
	f->n = 0;
	return e;
}

/* The row's values are to be appended to f->sql next: "(a, b)". */
static int fill_row(struct filling *f, struct err *err)
{
	int e = f->n == ROWS_AT_A_TIME ? fill_end(f, err) : 0;

	if (e)
		return e;
	if (f->n++)
		str_addc(&f->sql, ',');
	else
		str_addf(&f->sql, "INSERT INTO %s VALUES ", f->table);
	return 0;
}

static int fill_spans(struct store *s, const struct check_what *what, struct err *err)
{
	struct filling f;
	int e = fill_start(&f, s, "check_span", "scope VARCHAR, from_ms BIGINT, to_ms BIGINT", err);
	for (size_t i = 0; e == 0 && i < what->nspan; i++) {
		struct str *sql = &f.sql;
		if ((e = fill_row(&f, err)))
			break;
		str_addc(sql, '(');
		sql_quote(sql, sv_of(what->span[i].scope));
		str_addf(sql, ",%lld,%lld)",
			 (long long)(what->span[i].from_ms + (what->span[i].from_ms == INT64_MIN)),
			 (long long)what->span[i].to_ms);
	}
	return e ? e : fill_end(&f, err);
}

static int fill_pooled(struct store *s, const struct check_what *what, struct err *err)
{
	struct filling f;
	int e = fill_start(&f, s, "check_pooled", "node VARCHAR, pool VARCHAR", err);
	for (size_t i = 0; e == 0 && i < what->npooled; i++) {
		struct str *sql = &f.sql;
		if ((e = fill_row(&f, err)))
			break;
		str_addc(sql, '(');
		sql_quote(sql, what->pooled[i].node);
		str_addc(sql, ',');
		sql_quote(sql, what->pooled[i].pool);
		str_addc(sql, ')');
	}
	return e ? e : fill_end(&f, err);
}

static int settle_all(struct store *s, struct err *err)
{
	static const enum table all[] = { T_BILL,   T_BILL_GPU,  T_BILL_SCOPE,
					  T_LEDGER, T_REMAINDER, T_PAID };
	int e = 0;
	for (size_t i = 0; e == 0 && i < sizeof all / sizeof *all; i++)
		e = store_settle(s, all[i], err);
	return e ? e : store_load_reversed(s, err);
}

/* " AND ..." for rows of [from, to) of the column `scope`. The outer ends let DuckDB pass over what
 * lies outside without reading it. */
static void add_spans(struct str *sql, const struct check_what *what, const char *from,
		      const char *to)
{
	int64_t lo = INT64_MAX, hi = INT64_MIN;
	if (!what->nspan)
		return;
	for (size_t i = 0; i < what->nspan; i++) {
		lo = what->span[i].from_ms < lo ? what->span[i].from_ms : lo;
		hi = what->span[i].to_ms > hi ? what->span[i].to_ms : hi;
	}
	str_addf(sql, " AND %s < %lld AND %s > %lld", from, (long long)hi, to,
		 (long long)(lo == INT64_MIN ? lo + 1 : lo));
	str_addf(sql,
		 " AND EXISTS (SELECT 1 FROM check_span c WHERE c.scope = t.scope AND %s < c.to_ms "
		 "AND %s > c.from_ms)",
		 from, to);
}

/* ---- money ------------------------------------------------------------------------------- */

static void add_currency(struct str *sql, const struct check_what *what)
{
	str_addz(sql, "coalesce(nullif(currency, ''), ");
	sql_quote(sql, what->currency.p ? what->currency : SV(""));
	str_addz(sql, ")");
}

/* The first day and the end of the last one as columns a and b. */
static void add_days(struct str *sql, const char *from, const char *to)
{
	str_addf(sql,
		 "(%s // " DAY ") * " DAY " AS a, ((%s + " DAY " - 1) // " DAY ") * " DAY " AS b",
		 from, to);
}

/* Rows of lines, entries and remainders with the days they are of. */
static void add_rows(struct str *sql, const struct store *s, const struct check_what *what)
{
	str_addz(sql, "WITH line AS (SELECT CASE WHEN scope = '' THEN " BILL_FILE_SCOPE
		      " ELSE coalesce(p.pool, scope) END AS scope, "
		      "from_ms, greatest(to_ms, from_ms + 1) AS to_ms, ");
	add_currency(sql, what);
	str_addz(sql, " AS cur, billed, effective, list FROM (");
	store_bill_money(s, sql);
	str_addz(sql, ") l LEFT JOIN check_pooled p ON p.node = l.scope), rows AS (SELECT scope, ");
	add_days(sql, "from_ms", "to_ms");
	str_addz(sql, ", cur, sum(billed) AS l0, sum(effective) AS l1, sum(list) AS l2, "
		      "NULL AS e0, NULL AS e1, NULL AS e2, NULL AS r0, NULL AS r1, NULL AS r2, "
		      "NULL AS t0, NULL AS t1, NULL AS t2, count(*) AS n FROM line t WHERE true");
	add_spans(sql, what, "t.from_ms", "t.to_ms");
	str_addz(sql, " GROUP BY 1, 2, 3, 4 UNION ALL SELECT scope, ");
	add_days(sql, "hour_ms", "hour_ms + " HOUR);
	str_addz(sql, ", ");
	add_currency(sql, what);
	str_addz(
		sql,
		" AS cur, NULL, NULL, NULL, sum(billed_nano), sum(effective_nano), "
		"sum(list_nano), NULL, NULL, NULL, NULL, NULL, NULL, count(*) FROM ledger t WHERE true");
	add_spans(sql, what, "t.hour_ms", "t.hour_ms + " HOUR);
	str_addz(sql, " GROUP BY 1, 2, 3, 4 UNION ALL SELECT scope, ");
	add_days(sql, "from_ms", "to_ms");
	str_addz(sql, ", ");
	add_currency(sql, what);
	str_addz(sql, " AS cur, NULL, NULL, NULL, NULL, NULL, NULL");
	for (int b = 0; b < BASIS_N; b++)
		str_addf(sql, ", sum(CASE WHEN basis = %d THEN amount END)", b);
	for (int b = 0; b < BASIS_N; b++)
		str_addf(sql, ", sum(CASE WHEN basis = %d THEN rated END)", b);
	str_addz(sql, ", 0 FROM remainder t WHERE true");
	add_spans(sql, what, "t.from_ms", "t.to_ms");
	str_addz(sql, " GROUP BY 1, 2, 3, 4)");
}

/* Days of one scope whose rows overlap are one span; each span is numbered. */
static void money_sql(struct str *sql, const struct store *s, const struct check_what *what)
{
	static const char kind[] = { 'l', 'e', 'r', 't' };
	add_rows(sql, s, what);
	str_addz(
		sql,
		", days AS (SELECT DISTINCT scope, a, b FROM rows), "
		"starts AS (SELECT *, CASE WHEN a < max(b) OVER (PARTITION BY scope ORDER BY a, b "
		"ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) THEN 0 ELSE 1 END AS starts FROM days), "
		"numbered AS (SELECT scope, a, b, sum(starts) OVER (PARTITION BY scope ORDER BY a, b "
		"ROWS UNBOUNDED PRECEDING) AS span FROM starts) "
		"SELECT r.scope, min(r.a), max(r.b), r.cur");
	for (size_t k = 0; k < sizeof kind; k++)
		for (int b = 0; b < BASIS_N; b++)
			str_addf(sql, ", coalesce(sum(r.%c%d), 0)", kind[k], b);
	str_addz(
		sql,
		", sum(r.n) FROM rows r JOIN numbered n ON n.scope = r.scope AND n.a = r.a AND n.b = r.b "
		"GROUP BY r.scope, n.span, r.cur");
}

static void take_diff(const struct check_diff *d, size_t most, check_diffs *ret, size_t *ret_n)
{
	if (ret->n < most)
		*vec_push(ret) = *d;
	++*ret_n;
}

/* A line and an entry leave half a nano unit at most: what is more is no rounding. */
static bool is_rounding(dec rest, int64_t nrows)
{
	dec most = ((dec)nrows + 1) * (NANO / 2);

	return rest <= most && rest >= -most;
}

static void compare_money(const struct answer *r, size_t most, struct arena *a, check_diffs *ret,
			  size_t *ret_n)
{
	int64_t nrows = answer_i64(r, 4 + 4 * BASIS_N);

	for (size_t b = 0; b < BASIS_N; b++) {
		dec line = answer_huge(r, 4 + b), nano = answer_huge(r, 4 + BASIS_N + b),
		    rest = answer_huge(r, 4 + 2 * BASIS_N + b),
		    rated = answer_huge(r, 4 + 3 * BASIS_N + b), entries = nano * 1000 - rated;
		if (line == entries + rest && is_rounding(rest, nrows))
			continue;
		take_diff(&(struct check_diff){ .scope = arena_sv(a, answer_sv(r, 0)),
						.gpu = "",
						.currency = arena_sv(a, answer_sv(r, 3)),
						.from_ms = answer_i64(r, 1),
						.to_ms = answer_i64(r, 2),
						.basis = (enum basis)b,
						.lines = line,
						.entries = entries,
						.rest = rest },
			  most, ret, ret_n);
	}
}

int store_check_money(struct store *s, const struct check_what *what, size_t most, struct arena *a,
		      check_diffs *ret, size_t *ret_n, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	int e = settle_all(s, err);
	*ret_n = 0;
	if (e == 0)
		e = fill_spans(s, what, err);
	if (e == 0)
		e = fill_pooled(s, what, err);
	if (e)
		return e;
	money_sql(&sql, s, what);
	e = answer_open(&r, s->con, sql.p, "check the ledger's money", true, err, "");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0)
		compare_money(&r, most, a, ret, ret_n);
	answer_close(&r);
	return e;
}

/* ---- time -------------------------------------------------------------------------------- */

/* Days [from_ms, to_ms) that are compared at a time. */
struct slice {
	int64_t from_ms, to_ms;
};
/* Rows of the ledger in a slice: a few hundred bytes each while they are compared. */
#define SLICE_ROWS 400000

static void add_slice(struct str *sql, const char *at, struct slice s)
{
	if (s.from_ms != INT64_MIN)
		str_addf(sql, " AND %s >= %lld", at, (long long)s.from_ms);
	if (s.to_ms != INT64_MAX)
		str_addf(sql, " AND %s < %lld", at, (long long)s.to_ms);
}

/* Spans of paid time lie within a day, so they lie in a slice whole. */
static void time_sql(struct str *sql, const struct check_what *what, struct slice slice)
{
	str_addz(
		sql,
		"WITH span AS (SELECT scope, gpu, from_ms, to_ms, sum(gpus_milli) AS g FROM paid t "
		"WHERE true");
	add_spans(sql, what, "t.from_ms", "t.to_ms");
	add_slice(sql, "t.from_ms", slice);
	str_addz(
		sql,
		" GROUP BY scope, gpu, from_ms, to_ms HAVING sum(gpus_milli) <> 0), "
		"cut AS (SELECT *, unnest(range(from_ms // " HOUR ", (to_ms + " HOUR
		" - 1) // " HOUR ")) AS h FROM span), "
		"hours AS (SELECT scope, gpu, h * " HOUR
		" AS hour_ms, sum(g * (least(to_ms, (h + 1) * " HOUR
		") - greatest(from_ms, h * " HOUR "))) AS paid FROM cut GROUP BY scope, gpu, h), "
		"entries AS (SELECT scope, gpu, hour_ms, sum(ms) AS ms FROM ledger t WHERE kind = 0 AND "
		"NOT starts_with(scope, 'bill:')");
	add_spans(sql, what, "t.hour_ms", "t.hour_ms + " HOUR);
	add_slice(sql, "t.hour_ms", slice);
	str_addz(
		sql,
		" GROUP BY scope, gpu, hour_ms) "
		"SELECT scope, gpu, hour_ms, coalesce(ms, 0), coalesce(paid, -1) FROM entries FULL JOIN "
		"hours USING (scope, gpu, hour_ms) WHERE (paid IS NOT NULL AND "
		"abs(coalesce(ms, 0) * 1000 - paid) >= 1000) OR (paid IS NULL AND gpu <> '' AND ms > " HOUR
		")");
}

/* From the first to the last hour of what is looked at, and how many rows it has. */
static int extent(struct store *s, const struct check_what *what, struct slice *ret,
		  int64_t *ret_rows, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };

	str_addz(&sql, "SELECT min(hour_ms), max(hour_ms), count(*) FROM ledger t WHERE kind = 0");
	add_spans(&sql, what, "t.hour_ms", "t.hour_ms + " HOUR);
	int e = answer_open(&r, s->con, sql.p, "check the ledger's time", false, err, "");
	str_free(&sql);
	if (e)
		return e;
	e = answer_next(&r, err);
	*ret = (struct slice){ 0, 0 };
	*ret_rows = e > 0 ? answer_i64(&r, 2) : 0;
	if (*ret_rows > 0)
		*ret = (struct slice){ tm_floor(answer_i64(&r, 0), MS_DAY),
				       tm_floor(answer_i64(&r, 1), MS_DAY) + MS_DAY };
	answer_close(&r);
	return e < 0 ? e : 0;
}

static int compare_time(struct store *s, const struct check_what *what, struct slice slice,
			size_t most, struct arena *a, check_diffs *ret, size_t *ret_n,
			struct err *err)
{
	struct answer r;
	struct str sql = { 0 };

	time_sql(&sql, what, slice);
	int e = answer_open(&r, s->con, sql.p, "check the ledger's time", true, err, "");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		int64_t hour = answer_i64(&r, 2), paid = (int64_t)answer_huge(&r, 4);
		take_diff(&(struct check_diff){ .scope = arena_sv(a, answer_sv(&r, 0)),
						.gpu = arena_sv(a, answer_sv(&r, 1)),
						.currency = "",
						.from_ms = hour,
						.to_ms = hour + MS_HOUR,
						.is_time = true,
						.ms = (int64_t)answer_huge(&r, 3),
						.paid_milli_ms = paid < 0 ? MS_HOUR * 1000 : paid },
			  most, ret, ret_n);
	}
	answer_close(&r);
	return e;
}

int store_check_time(struct store *s, const struct check_what *what, size_t most, struct arena *a,
		     check_diffs *ret, size_t *ret_n, struct err *err)
{
	struct slice all;
	int64_t rows = 0;
	int e = settle_all(s, err);

	*ret_n = 0;
	e = e ? e : fill_spans(s, what, err);
	e = e ? e : extent(s, what, &all, &rows, err);
	if (e)
		return e;
	int64_t days = (all.to_ms - all.from_ms) / MS_DAY, n = rows / SLICE_ROWS + 1;
	int64_t step = (days / n + 1) * MS_DAY;
	/* the ends are open: paid time may lie where there are no entries at all */
	for (int64_t t = all.from_ms; e == 0 && (t == all.from_ms || t < all.to_ms); t += step) {
		struct slice slice = { t == all.from_ms ? INT64_MIN : t,
				       t + step >= all.to_ms ? INT64_MAX : t + step };
		e = compare_time(s, what, slice, most, a, ret, ret_n, err);
	}
	return e;
}

const char *check_sentence(const struct check_diff *d, struct arena *a)
{
	char from[TM_BUF], to[TM_BUF], line[DEC_BUF], entries[DEC_BUF], rest[DEC_BUF];

	tm_format(from, d->from_ms);
	tm_format(to, d->to_ms);
	if (d->is_time)
		return arena_printf(a, "'%s'%s%s at %s: entries of %lld ms, paid were %s ms",
				    d->scope, *d->gpu ? " GPU " : "", d->gpu, from,
				    (long long)d->ms,
				    dec_format(line, (dec)d->paid_milli_ms * (DEC_ONE / 1000)));
	return arena_printf(
		a,
		"'%s' from %.10s to %.10s: bill lines of %s %s, entries of %s, remainder %s (%s)",
		d->scope, from, to, dec_format(line, d->lines), d->currency,
		dec_format(entries, d->entries), dec_format(rest, d->rest), basis_name(d->basis));
}
