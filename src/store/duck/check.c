/* Whether the ledger closes, by SQL over what is stored: the sums of store/check.h. */
#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "store/duck/inside.h"
#include "store/duck/temp.h"

#define DAY   "86400000"
#define HOUR  "3600000"
#define DOING "check the ledger"

/* ---- what to look at --------------------------------------------------------------------- */

static int fill_table(struct facts *f, const char *table, const struct check_span *v, size_t n,
		      struct err *err)
{
	struct temp t;
	int e = temp_start(&t, f->con, table, "scope VARCHAR, from_ms BIGINT, to_ms BIGINT", DOING,
			   err);
	for (size_t i = 0; e == 0 && i < n && (e = temp_row(&t, err)) == 0; i++) {
		sql_quote(&t.sql, sv_of(v[i].scope));
		str_addf(&t.sql, ",%lld,%lld",
			 (long long)(v[i].from_ms + (v[i].from_ms == INT64_MIN)),
			 (long long)v[i].to_ms);
	}
	return temp_end(&t, e, err);
}

static int by_scope_and_time(const void *a, const void *b)
{
	const struct check_span *x = a, *y = b;
	int c = strcmp(x->scope, y->scope);

	if (c)
		return c;
	return cmp_i64(x->from_ms, y->from_ms);
}

/* check_span: the spans as they are; check_hours: as hours of the ledger. */
static int fill_spans(struct facts *f, const struct check_what *what, struct err *err)
{
	struct arena mem = { 0 };
	struct check_span *v = arena_copy(&mem, what->span, what->nspan, sizeof *v);
	int e = fill_table(f, "check_span", v, what->nspan, err);

	if (!e) {
		/* Spans as whole hours, joined where they meet: no hour is in two of them. */
		size_t k = 0;
		for (size_t i = 0; i < what->nspan; i++)
			if (v[i].from_ms > INT64_MIN + MS_HOUR)
				v[i].from_ms = tm_floor(v[i].from_ms, MS_HOUR);
		sort_items(v, what->nspan, sizeof *v, by_scope_and_time);
		for (size_t i = 0; i < what->nspan; i++) {
			struct check_span *last = k ? &v[k - 1] : NULL;
			bool meets = last && !strcmp(last->scope, v[i].scope) &&
				     v[i].from_ms <= last->to_ms;
			if (!meets)
				v[k++] = v[i];
			else if (v[i].to_ms > last->to_ms)
				last->to_ms = v[i].to_ms;
		}
		e = fill_table(f, "check_hours", v, k, err);
	}
	arena_free(&mem);
	return e;
}

static int settle_all(struct facts *f, struct err *err)
{
	static const enum table all[] = { T_BILL,   T_BILL_GPU,  T_BILL_SCOPE,
					  T_LEDGER, T_REMAINDER, T_PAID };
	int e = 0;
	for (size_t i = 0; e == 0 && i < sizeof all / sizeof *all; i++)
		e = duck_settle(f, all[i], err);
	if (e)
		return e;
	return duck_load_reversed(f, err);
}

/* " AND ..." for what lies between the outer ends of all spans, which lets DuckDB pass over the
 * rest without reading it. */
static void add_ends(struct str *sql, const struct check_what *what, const char *from,
		     const char *to)
{
	int64_t lo = INT64_MAX, hi = INT64_MIN;
	for (size_t i = 0; i < what->nspan; i++) {
		lo = min_i64(what->span[i].from_ms, lo);
		hi = max_i64(what->span[i].to_ms, hi);
	}
	str_addf(sql, " AND %s < %lld AND %s > %lld", from, (long long)hi, to,
		 (long long)(lo == INT64_MIN ? lo + 1 : lo));
}

/* " AND ..." for rows of [from, to) of the column `scope`. */
static void add_spans(struct str *sql, const struct check_what *what, const char *from,
		      const char *to)
{
	if (!what->nspan)
		return;
	add_ends(sql, what, from, to);
	str_addf(sql,
		 " AND EXISTS (SELECT 1 FROM check_span c WHERE c.scope = t.scope AND %s < c.to_ms "
		 "AND %s > c.from_ms)",
		 from, to);
}

/*
 * Entries are compared by number: check_card has a number for each GPU or pool of which there are
 * entries or paid time, check_row which numbers of the ledger's rows are its, and which hours are
 * looked at; no hour is in two of its rows.
 */
static int number_gpus(struct facts *f, const struct check_what *what, bool together,
		       struct err *err)
{
	struct str sql = { 0 };
	const char *scope = "scope", *row_scope = "w.scope";

	if (together) {
		scope = "coalesce((SELECT p.counts_as FROM check_pooled p WHERE p.of_scope = t.scope), "
			"t.scope)";
		row_scope = "coalesce((SELECT p.counts_as FROM check_pooled p "
			    "WHERE p.of_scope = w.scope), w.scope)";
	}

	str_addz(&sql,
		 "CREATE OR REPLACE TEMP TABLE check_card AS SELECT CAST(row_number() OVER () "
		 "AS INTEGER) AS card, scope, gpu FROM (SELECT scope, gpu FROM ledger_what "
		 "UNION SELECT scope, gpu FROM paid) t");
	if (what->nspan)
		str_addf(&sql, " WHERE %s IN (SELECT scope FROM check_span)", scope);
	/* Time is compared with what was paid, and of a GPU with the hour: of a pool that nobody is
	 * known to have paid for with nothing. */
	str_addz(
		&sql,
		"; CREATE OR REPLACE TEMP TABLE check_row AS SELECT w.id AS what, c.card, "
		"NOT starts_with(w.scope, 'bill:') AND (w.gpu <> '' OR "
		"EXISTS (SELECT 1 FROM paid p WHERE p.scope = w.scope AND p.gpu = w.gpu)) AS timed");
	if (what->nspan)
		str_addz(&sql, ", s.from_ms, s.to_ms");
	str_addz(&sql,
		 " FROM ledger_what w JOIN check_card c ON c.scope = w.scope AND c.gpu = w.gpu");
	if (what->nspan)
		str_addf(&sql, " JOIN check_hours s ON s.scope = %s", row_scope);
	int e = sql_exec(f->con, sql.p, DOING, err);
	str_free(&sql);
	return e;
}

/* The rows of the ledger to look at as t, with what check_row says as c. */
static void add_rows_of_spans(struct str *sql, const struct check_what *what)
{
	str_addz(sql, " FROM ledger_row t JOIN check_row c ON c.what = t.what");
	if (!what->nspan)
		return;
	str_addz(sql, " AND t.hour_ms >= c.from_ms AND t.hour_ms < c.to_ms");
	add_ends(sql, what, "t.hour_ms", "t.hour_ms + " HOUR);
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
static void add_rows(struct str *sql, const struct facts *f, const struct check_what *what)
{
	str_addz(sql, "WITH line AS (SELECT CASE WHEN scope = '' THEN " BILL_FILE_SCOPE
		      " ELSE coalesce(p.counts_as, l.scope) END AS scope, "
		      "from_ms, greatest(to_ms, from_ms + 1) AS to_ms, ");
	add_currency(sql, what);
	/* Lines of one time become one row first: EXISTS below keeps its rows in memory. */
	str_addz(sql, " AS cur, l0, l1, l2, n FROM (SELECT src, scope, from_ms, to_ms, currency, "
		      "sum(billed) AS l0, sum(effective) AS l1, sum(list) AS l2, count(*) AS n "
		      "FROM (");
	duck_bill_money(f, sql);
	str_addz(sql, ") m GROUP BY src, scope, from_ms, to_ms, currency) l "
		      "LEFT JOIN check_pooled p ON p.of_scope = l.scope), rows AS (SELECT scope, ");
	add_days(sql, "from_ms", "to_ms");
	str_addz(sql, ", cur, sum(l0) AS l0, sum(l1) AS l1, sum(l2) AS l2, "
		      "NULL AS e0, NULL AS e1, NULL AS e2, NULL AS r0, NULL AS r1, NULL AS r2, "
		      "NULL AS t0, NULL AS t1, NULL AS t2, sum(n) AS n FROM line t WHERE true");
	add_spans(sql, what, "t.from_ms", "t.to_ms");
	str_addz(
		sql,
		" GROUP BY 1, 2, 3, 4 UNION ALL SELECT coalesce(p.counts_as, w.scope), e.day * " DAY
		" AS a, (e.day + 1) * " DAY " AS b, ");
	add_currency(sql, what);
	str_addz(sql,
		 " AS cur, NULL, NULL, NULL, sum(nb), sum(ne), sum(nl), NULL, NULL, NULL, NULL, "
		 "NULL, NULL, sum(n) FROM (SELECT t.what, hour_ms // " DAY
		 " AS day, sum(billed_nano) AS nb, sum(effective_nano) AS ne, "
		 "sum(list_nano) AS nl, count(*) AS n");
	add_rows_of_spans(sql, what);
	str_addz(
		sql,
		" WHERE coalesce(billed_nano, effective_nano, list_nano) IS NOT NULL GROUP BY 1, 2) e JOIN ledger_what w ON w.id = e.what LEFT JOIN check_pooled p ON p.of_scope = w.scope");
	str_addz(sql, " GROUP BY 1, 2, 3, 4 UNION ALL SELECT scope, ");
	add_days(sql, "from_ms", "to_ms");
	str_addz(sql, ", ");
	add_currency(sql, what);
	str_addz(sql, " AS cur, NULL, NULL, NULL, NULL, NULL, NULL");
	for (int b = 0; b < BASIS_N; b++)
		str_addf(sql, ", sum(CASE WHEN basis = %d THEN amount END)", b);
	for (int b = 0; b < BASIS_N; b++)
		str_addf(sql, ", sum(CASE WHEN basis = %d THEN rated END)", b);
	str_addz(sql,
		 ", 0 FROM (SELECT r.* EXCLUDE (scope), coalesce(p.counts_as, r.scope) AS scope "
		 "FROM remainder r LEFT JOIN check_pooled p ON p.of_scope = r.scope) t WHERE true");
	add_spans(sql, what, "t.from_ms", "t.to_ms");
	str_addz(sql, " GROUP BY 1, 2, 3, 4)");
}

int facts_check_money(struct facts *f, const struct check_what *what, facts_money_fn *fn, void *ctx,
		      struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	struct check_what together = *what;
	int e = settle_all(f, err);

	if (what->nmoney) {
		together.span = what->money;
		together.nspan = what->nmoney;
	}
	what = &together;
	if (!e)
		e = fill_spans(f, what, err);
	if (!e) {
		struct temp t;
		e = temp_start(&t, f->con, "check_pooled", "of_scope VARCHAR, counts_as VARCHAR",
			       DOING, err);
		for (size_t i = 0; e == 0 && i < what->npooled && (e = temp_row(&t, err)) == 0;
		     i++) {
			sql_quote(&t.sql, what->pooled[i].scope);
			str_addc(&t.sql, ',');
			sql_quote(&t.sql, what->pooled[i].as);
		}
		e = temp_end(&t, e, err);
	}
	if (!e)
		e = number_gpus(f, what, true, err);
	if (e)
		return e;
	/* Days of one scope whose rows overlap are one span; each span is numbered. */
	static const char kind[] = { 'l', 'e', 'r', 't' };
	add_rows(&sql, f, what);
	str_addz(
		&sql,
		", days AS (SELECT DISTINCT scope, a, b FROM rows), "
		"starts AS (SELECT *, CASE WHEN a < max(b) OVER (PARTITION BY scope ORDER BY a, b "
		"ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) THEN 0 ELSE 1 END AS starts FROM days), "
		"numbered AS (SELECT scope, a, b, sum(starts) OVER (PARTITION BY scope ORDER BY a, b "
		"ROWS UNBOUNDED PRECEDING) AS span FROM starts) "
		"SELECT r.scope, min(r.a), max(r.b), r.cur");
	for (size_t k = 0; k < sizeof kind; k++)
		for (int b = 0; b < BASIS_N; b++)
			str_addf(&sql, ", coalesce(sum(r.%c%d), 0)", kind[k], b);
	str_addz(
		&sql,
		", sum(r.n) FROM rows r JOIN numbered n ON n.scope = r.scope AND n.a = r.a AND n.b = r.b "
		"GROUP BY r.scope, n.span, r.cur");
	e = answer_open(&r, &(struct sql_query){ f->con, sql.p, "check the ledger's money", true },
			err, "");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		struct check_money m = { .scope = answer_sv(&r, 0),
					 .from_ms = answer_i64(&r, 1),
					 .to_ms = answer_i64(&r, 2),
					 .currency = answer_sv(&r, 3),
					 .nrows = answer_i64(&r, 4 + 4 * BASIS_N) };
		for (size_t b = 0; b < BASIS_N; b++) {
			m.lines[b] = answer_huge(&r, 4 + b);
			m.nano[b] = answer_huge(&r, 4 + BASIS_N + b);
			m.rest[b] = answer_huge(&r, 4 + 2 * BASIS_N + b);
			m.rated[b] = answer_huge(&r, 4 + 3 * BASIS_N + b);
		}
		fn(ctx, &m);
	}
	answer_close(&r);
	return e;
}

/* ---- time -------------------------------------------------------------------------------- */

/* Days [from_ms, to_ms) that are compared at a time. */
struct slice {
	int64_t from_ms, to_ms;
};
/* Rows of the ledger in a slice: about a hundred bytes each while they are compared. */
#define SLICE_ROWS 800000

static void add_slice(struct str *sql, const char *at, struct slice s)
{
	if (s.from_ms != INT64_MIN)
		str_addf(sql, " AND %s >= %lld", at, (long long)s.from_ms);
	if (s.to_ms != INT64_MAX)
		str_addf(sql, " AND %s < %lld", at, (long long)s.to_ms);
}

/* From the first to the last hour of what is looked at, and how many rows it has. */
static int find_extent(struct facts *f, const struct check_what *what, struct slice *ret,
		       int64_t *ret_rows, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };

	str_addz(&sql, "SELECT min(hour_ms), max(hour_ms), count(*)");
	add_rows_of_spans(&sql, what);
	str_addz(&sql, " WHERE t.kind = 0 AND c.timed");
	int e = answer_open(&r, &(struct sql_query){ f->con, sql.p, "check the ledger's time" },
			    err, "");
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
	if (e < 0)
		return e;
	return 0;
}

static int slice_time(struct facts *f, const struct check_what *what, struct slice slice,
		      facts_time_fn *fn, void *ctx, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };

	/* Spans of paid time lie within a day, so they lie in a slice whole. */
	str_addz(&sql,
		 "WITH span AS (SELECT c.card, from_ms, to_ms, sum(gpus_milli) AS g FROM paid t "
		 "JOIN check_card c ON c.scope = t.scope AND c.gpu = t.gpu WHERE true");
	add_spans(&sql, what, "t.from_ms", "t.to_ms");
	add_slice(&sql, "t.from_ms", slice);
	str_addz(&sql, " GROUP BY c.card, from_ms, to_ms HAVING sum(gpus_milli) <> 0), "
		       "cut AS (SELECT *, unnest(range(from_ms // " HOUR ", (to_ms + " HOUR
		       " - 1) // " HOUR ")) AS h FROM span), "
		       "part AS (SELECT card, h * " HOUR
		       " AS hour_ms, NULL AS ms, g * (least(to_ms, (h + 1) * " HOUR
		       ") - greatest(from_ms, h * " HOUR ")) AS paid FROM cut "
		       "UNION ALL SELECT c.card, t.hour_ms, t.ms, NULL");
	add_rows_of_spans(&sql, what);
	str_addz(&sql, " WHERE t.kind = 0 AND c.timed");
	add_slice(&sql, "t.hour_ms", slice);
	str_addz(
		&sql,
		"), hours AS (SELECT card, hour_ms, sum(ms) AS ms, sum(paid) AS paid FROM part GROUP "
		"BY card, hour_ms) "
		"SELECT scope, gpu, hour_ms, coalesce(ms, 0), coalesce(paid, -1) FROM hours JOIN "
		"check_card USING (card) WHERE (paid IS NOT NULL AND "
		"abs(coalesce(ms, 0) * 1000 - paid) >= 1000) OR (paid IS NULL AND gpu <> '' AND ms > " HOUR
		")");
	int e = answer_open(
		&r, &(struct sql_query){ f->con, sql.p, "check the ledger's time", true }, err, "");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		struct check_time t = { .scope = answer_sv(&r, 0),
					.gpu = answer_sv(&r, 1),
					.hour_ms = answer_i64(&r, 2),
					.ms = (int64_t)answer_huge(&r, 3),
					.paid_milli_ms = (int64_t)answer_huge(&r, 4) };
		fn(ctx, &t);
	}
	answer_close(&r);
	return e;
}

int facts_check_time(struct facts *f, const struct check_what *what, facts_time_fn *fn, void *ctx,
		     struct err *err)
{
	struct slice all;
	int64_t rows = 0;
	int e = settle_all(f, err);

	if (!e)
		e = fill_spans(f, what, err);
	if (!e)
		e = number_gpus(f, what, false, err);
	if (!e)
		e = find_extent(f, what, &all, &rows, err);
	if (e)
		return e;
	int64_t days = (all.to_ms - all.from_ms) / MS_DAY, n = rows / SLICE_ROWS + 1;
	int64_t step = (days / n + 1) * MS_DAY;
	/* the ends are open: paid time may lie where there are no entries at all */
	for (int64_t t = all.from_ms; e == 0 && (t == all.from_ms || t < all.to_ms); t += step) {
		struct slice slice = { t, t + step };
		if (t == all.from_ms)
			slice.from_ms = INT64_MIN;
		if (t + step >= all.to_ms)
			slice.to_ms = INT64_MAX;
		e = slice_time(f, what, slice, fn, ctx, err);
	}
	return e;
}
