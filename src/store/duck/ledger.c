/* The fact table: entries in, reversals, remainders, entries out. Sums for reports:
 * ledger_query.c. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "store/duck/inside.h"

/* ---- reversals asked for ----------------------------------------------------------------- */

struct reverse {
	uint32_t scope;
	int64_t from_ms, to_ms;
};

/*
 * Reversals of scopes that this batch has not written to yet wait here and are carried out
 * together, in one pass over the ledger: they concern rows of earlier batches only, so what the
 * batch itself appends meanwhile does not disturb them.
 */
struct reversals {
	struct intern scopes;
	VEC(struct reverse) wait;
	VEC(bool) touched; /* [scope] this batch has rows of it */
	uint32_t last;     /* scope of the entry before: entries come scope by scope */
	bool has_last;
};

static struct reversals *reversals_of(struct facts *f)
{
	if (!f->reversals)
		f->reversals = xcalloc(1, sizeof *f->reversals);
	return f->reversals;
}

void reversals_free(struct reversals *r)
{
	if (!r)
		return;
	intern_free(&r->scopes);
	vec_free(&r->wait);
	vec_free(&r->touched);
	free(r);
}

static uint32_t scope_id(struct reversals *r, struct sv scope)
{
	uint32_t id = intern_add(&r->scopes, scope);
	while (r->touched.n <= id)
		*vec_push(&r->touched) = false;
	return id;
}

static void touch_scope(struct facts *f, struct sv scope)
{
	struct reversals *r = reversals_of(f);
	if (r->has_last && sv_eq(r->scopes.text[r->last], scope))
		return;
	r->last = scope_id(r, scope);
	r->has_last = true;
	r->touched.v[r->last] = true;
}

static int cmp_reverse(const void *a, const void *b)
{
	const struct reverse *x = a, *y = b;
	if (x->scope != y->scope)
		return cmp_u64(x->scope, y->scope);
	return cmp_i64(x->from_ms, y->from_ms);
}

#define REVERSE_ROWS 1000000 /* entries of a statement; about 200 B each */
/* What tells entries apart. Equal texts have equal numbers (tuples.h). */
#define KEY_COLUMNS(l)                                                                         \
	l "hour_ms, " l "day, " l "month, " l "kind, " l "state, " l "cause, " l "quality, " l \
	  "priced, " l "what, " l "who, " l "job, " l "run"
#define VALUE_COLUMNS "ms, util_ms, billed_nano, effective_nano, list_nano"
/* Entries with and without an amount never cancel each other: what is unpriced has to stay so. */
#define NULL_FLAGS(l)                                                                            \
	"(" l "util_ms IS NULL), (" l "billed_nano IS NULL), (" l "effective_nano IS NULL), (" l \
	"list_nano IS NULL)"
#define COUNTS(l)                                                                            \
	"HAVING sum(" l "ms) <> 0 OR coalesce(sum(" l "util_ms), 0) <> 0 OR coalesce(sum(" l \
	"billed_nano), 0) <> 0 OR "                                                          \
	"coalesce(sum(" l "effective_nano), 0) <> 0 OR coalesce(sum(" l "list_nano), 0) <> 0"

#define OF_SPANS "FROM ledger_row l" IN_SPANS
#define IN_SPANS                                                                          \
	" JOIN (SELECT w.id, s.from_ms, s.to_ms FROM ledger_what w "                      \
	"JOIN reverse_scope s ON s.scope = w.scope) p ON l.what = p.id AND l.hour_ms >= " \
	"p.from_ms AND l.hour_ms < p.to_ms WHERE "
#define REVERSED OF_SPANS "l.batch < $1"
/* As numbers in the statement: by these the engine leaves out parts of the table unread, by
 * parameters it does not. */
#define IN_HOURS " AND l.hour_ms >= %lld AND l.hour_ms < %lld"

/* Hours of the ledger that are hit: the first, the last, and how many entries. */
struct reversed_hours {
	int64_t n, first_ms, last_ms;
};

#define NEGATED_SUMS                                                                    \
	"-CAST(sum(l.ms) AS BIGINT), -CAST(sum(l.util_ms) AS BIGINT), "                 \
	"-CAST(sum(l.billed_nano) AS BIGINT), -CAST(sum(l.effective_nano) AS BIGINT), " \
	"-CAST(sum(l.list_nano) AS BIGINT) "

/* For what was there before the batch. */
static int64_t negate_hours(struct facts *f, int64_t batch, int64_t from_ms, int64_t to_ms,
			    struct err *err)
{
	struct str sql = { 0 };

	str_addf(&sql,
		 "INSERT INTO ledger_row (batch, " KEY_COLUMNS(
			 "") ", " VALUE_COLUMNS
			     ") SELECT $2, " KEY_COLUMNS(
				     "l.") ", " NEGATED_SUMS REVERSED IN_HOURS
					   " GROUP BY " KEY_COLUMNS("l.") ", " NULL_FLAGS(
						   "l.") " " COUNTS("l."),
		 (long long)from_ms, (long long)to_ms);
	int64_t n = sql_change(f->con, duck_into(f, sql.p), "reverse entries", err, "ii", batch,
			       f->batch);
	str_free(&sql);
	return n;
}

/*
 * What the batch has given again: what becomes of a rebuild is its difference to what stood
 * there, and most of it is as it was. The batch's entries of these scopes and hours are taken
 * back and come again where they differ; one that nothing stood for stays, also where it is of
 * nothing (a charge of 0.00).
 */
static int64_t change_hours(struct facts *f, int64_t batch, int64_t from_ms, int64_t to_ms,
			    struct err *err)
{
	struct str sql = { 0 };
	long long from = from_ms, to = to_ms;

	str_addf(
		&sql,
		"CREATE OR REPLACE TEMP TABLE ledger_change AS SELECT " KEY_COLUMNS(
			"l.") ", CAST(sum(ms) AS BIGINT) AS ms, "
			      "CAST(sum(util_ms) AS BIGINT) AS util_ms, "
			      "CAST(sum(billed_nano) AS BIGINT) AS billed_nano, "
			      "CAST(sum(effective_nano) AS BIGINT) AS effective_nano, "
			      "CAST(sum(list_nano) AS BIGINT) AS list_nano FROM ("
			      "SELECT 1 AS old, " KEY_COLUMNS(
				      "l.") ", -ms AS ms, -util_ms AS util_ms, "
					    "-billed_nano AS billed_nano, -effective_nano AS effective_nano, "
					    "-list_nano AS list_nano " REVERSED IN_HOURS
					    " UNION ALL SELECT 0, " KEY_COLUMNS(
						    "l.") ", " VALUE_COLUMNS " " OF_SPANS
							  "l.batch = $2" IN_HOURS
							  ") l GROUP BY " KEY_COLUMNS("l.") ", " NULL_FLAGS(
								  "l.") " " COUNTS("l.") " OR max(old) = 0",
		from, to, from, to);
	int64_t n = sql_change(f->con, sql.p, "reverse entries", err, "ii", batch, f->batch);
	str_clear(&sql);
	str_addf(&sql,
		 "DELETE FROM %sledger_row WHERE batch = $1 AND rowid IN (SELECT l.rowid FROM "
		 "%sledger_row l" IN_SPANS "l.batch = $1" IN_HOURS ")",
		 f->into, f->into, from, to);
	if (n >= 0)
		n = sql_change(f->con, sql.p, "reverse entries", err, "i", f->batch);
	str_free(&sql);
	if (n >= 0)
		n = sql_change(f->con,
			       duck_into(f, "INSERT INTO ledger_row (batch, " KEY_COLUMNS(
						    "") ", " VALUE_COLUMNS
							") SELECT $1, * FROM ledger_change"),
			       "reverse entries", err, "i", f->batch);
	return n;
}

/* A part of the time after another: all groups of a statement are in memory, and an entry has its
 * hour in its key. */
static int reverse_entries(struct facts *f, int64_t batch, const struct reversals *w,
			   struct err *err)
{
	struct reversed_hours h = { 0 };
	struct answer r = { 0 };
	struct str sql = { 0 };
	int64_t from_ms = INT64_MAX, to_ms = INT64_MIN;

	for (size_t i = 0; i < w->wait.n; i++) {
		from_ms = min_i64(w->wait.v[i].from_ms, from_ms);
		to_ms = max_i64(w->wait.v[i].to_ms, to_ms);
	}
	str_addf(&sql, "SELECT count(*), min(l.hour_ms), max(l.hour_ms) " REVERSED IN_HOURS,
		 (long long)max_i64(from_ms, INT64_MIN + 1), (long long)to_ms);
	int e = answer_open(&r, &(struct sql_query){ f->con, sql.p, "reverse entries" }, err, "i",
			    batch);
	str_free(&sql);
	if (e == 0)
		e = answer_next(&r, err);
	if (e > 0)
		h = (struct reversed_hours){ answer_i64(&r, 0), answer_i64(&r, 1),
					     answer_i64(&r, 2) };
	answer_close(&r);
	if (e < 0)
		return e;
	if (!h.n)
		return 0;
	int64_t parts = h.n / REVERSE_ROWS + 1, span_ms = h.last_ms - h.first_ms + MS_HOUR;
	int64_t part_ms = tm_floor(span_ms / parts, MS_HOUR) + MS_HOUR;

	for (int64_t at = h.first_ms; at <= h.last_ms; at += part_ms) {
		int64_t n;
		if (f->watch)
			f->watch(f->watch_ctx,
				 (int64_t)((double)h.n / (double)span_ms *
					   (double)(at - h.first_ms)),
				 h.n);
		if (batch == f->batch)
			n = change_hours(f, batch, at, at + part_ms, err);
		else
			n = negate_hours(f, batch, at, at + part_ms, err);
		if (n < 0)
			return (int)n;
	}
	return 0;
}

/* old_only: rows of this batch stay as they are. */
static int reverse_now(struct facts *f, struct reversals *r, bool old_only, struct err *err)
{
	int64_t batch = INT64_MAX;
	if (old_only)
		batch = f->batch;
	/* Sort and join spans that meet, so that no entry is matched twice. */
	size_t n = 0;
	sort_items(r->wait.v, r->wait.n, sizeof *r->wait.v, cmp_reverse);
	for (size_t i = 0; i < r->wait.n; i++) {
		struct reverse *last = n ? &r->wait.v[n - 1] : NULL, *w = &r->wait.v[i];
		if (last && last->scope == w->scope && w->from_ms <= last->to_ms) {
			if (w->to_ms > last->to_ms)
				last->to_ms = w->to_ms;
		} else {
			r->wait.v[n++] = *w;
		}
	}
	r->wait.n = n;
	int e = sql_exec(
		f->con,
		"CREATE TEMP TABLE IF NOT EXISTS reverse_scope (scope VARCHAR, from_ms BIGINT, to_ms BIGINT)",
		"reverse entries", err);
	if (e == 0)
		e = sql_exec(f->con, "DELETE FROM reverse_scope", "reverse entries", err);
	struct bulk *b = NULL;
	if (e == 0)
		e = bulk_new(f->con, NULL, "reverse_scope", NULL, &b, err);
	for (size_t i = 0; e == 0 && i < r->wait.n; i++) {
		bulk_text(b, r->scopes.text[r->wait.v[i].scope]);
		bulk_i64(b, r->wait.v[i].from_ms);
		bulk_i64(b, r->wait.v[i].to_ms);
		e = bulk_end_row(b, err);
	}
	if (e == 0)
		e = bulk_flush(b, err);
	bulk_free(b);
	if (e == 0)
		e = reverse_entries(f, batch, r, err);
	if (e)
		return e;
	int64_t m = sql_change(
		f->con,
		duck_into(
			f,
			"INSERT INTO remainder SELECT $1, scope, currency, basis, from_ms, to_ms, -sum(amount), "
			"-CAST(sum(pico_ms) AS HUGEINT), -sum(rated) FROM remainder r WHERE batch < $2 AND EXISTS (SELECT 1 FROM reverse_scope p "
			"WHERE p.scope = r.scope AND p.from_ms < r.to_ms AND p.to_ms > r.from_ms) "
			"GROUP BY scope, currency, basis, from_ms, to_ms HAVING sum(amount) <> 0 OR sum(pico_ms) <> 0 OR sum(rated) <> 0"),
		"reverse remainders", err, "ii", f->batch, batch);
	if (m >= 0)
		m = sql_change(
			f->con,
			duck_into(
				f,
				"INSERT INTO paid SELECT $1, scope, gpu, from_ms, to_ms, -CAST(sum(gpus_milli) AS BIGINT) "
				"FROM paid r WHERE batch < $2 AND EXISTS (SELECT 1 FROM reverse_scope p "
				"WHERE p.scope = r.scope AND p.from_ms < r.to_ms AND p.to_ms > r.from_ms) "
				"GROUP BY scope, gpu, from_ms, to_ms HAVING sum(gpus_milli) <> 0"),
			"reverse paid time", err, "ii", f->batch, batch);
	f->reversed_loaded = false;
	if (m < 0)
		return (int)m;
	return 0;
}

void facts_watch(struct facts *f, facts_watch_fn *fn, void *ctx)
{
	f->watch = fn;
	f->watch_ctx = ctx;
}

int reversals_apply(struct facts *f, struct err *err)
{
	struct reversals *r = f->reversals;
	if (!r || !r->wait.n)
		return 0;
	for (size_t i = 0; i < r->wait.n; i++)
		r->touched.v[r->wait.v[i].scope] = true;
	int e = f->bulk[T_LEDGER] ? bulk_flush(f->bulk[T_LEDGER], err) : 0;
	e = e ? e : reverse_now(f, r, true, err);
	vec_clear(&r->wait);
	return e;
}

int facts_reverse_scope(struct facts *f, const char *scope, int64_t from_ms, int64_t to_ms,
			struct err *err)
{
	struct reversals *r = reversals_of(f);
	uint32_t id = scope_id(r, sv_of(scope));
	struct reverse w = { id,
			     from_ms == INT64_MIN
				     ? from_ms + 1 /* INT64_MIN itself is NULL to the store */
				     : tm_floor(from_ms, MS_HOUR),
			     to_ms };
	if (!r->touched.v[id]) {
		*vec_push(&r->wait) = w;
		return 0;
	}
	int e = duck_settle(f, T_LEDGER, err);
	if (e == 0)
		e = duck_settle(f, T_REMAINDER, err);
	if (e == 0)
		e = duck_settle(f, T_PAID, err);
	if (e)
		return e;
	*vec_push(&r->wait) = w;
	e = reverse_now(f, r, false, err);
	vec_clear(&r->wait);
	return e;
}

/* ---- in ---------------------------------------------------------------------------------- */

static void owner_from(const struct owner *o, char ret[OWNER_N])
{
	for (int i = 0; i < OWNER_N; i++)
		ret[i] = (char)('0' + o->source[i]);
}

int facts_add_entry(struct facts *f, const struct entry *e, struct err *err)
{
	int32_t what, who;
	struct bulk *b = duck_bulk(f, T_LEDGER, err);
	if (!b)
		return -EPERM;
	const struct sv what_text[WHAT_N] = { e->scope,
					      e->gpu,
					      e->node,
					      e->cluster,
					      e->provider,
					      e->region,
					      e->zone,
					      e->gpu_model,
					      e->purchase,
					      e->currency,
					      e->charge.cloud_service,
					      e->charge.account,
					      e->charge.instance_type,
					      e->charge.commitment,
					      e->charge.invoice,
					      e->charge.billing_account,
					      e->charge.charge_category };
	/* Jobs are as many as entries: they stand in the row. */
	const struct owner *o = &e->owner;
	char from[OWNER_N];
	const struct sv who_text[WHO_N] = { o->field[OWNER_USER],
					    o->field[OWNER_TEAM],
					    o->field[OWNER_PROJECT],
					    o->field[OWNER_ENV],
					    o->field[OWNER_WORKLOAD],
					    { from, OWNER_N },
					    o->tags,
					    e->service };
	owner_from(o, from);
	int r = tuple_id(f, TUPLE_WHAT, what_text, NULL, &what, err);
	if (!r)
		r = tuple_id(f, TUPLE_WHO, who_text, NULL, &who, err);
	if (r)
		return r;
	touch_scope(f, e->scope);
	bulk_i64(b, f->batch);
	bulk_i64(b, e->hour_ms);
	bulk_i32(b, tm_day(e->hour_ms));
	bulk_i32(b, tm_month(e->hour_ms));
	bulk_i8(b, (int)e->kind);
	bulk_i8(b, (int)e->state);
	bulk_i8(b, (int)e->cause);
	bulk_i8(b, (int)e->quality);
	bulk_i8(b, (int)e->priced);
	bulk_i32(b, what);
	bulk_i32(b, who);
	bulk_text(b, e->owner.field[OWNER_JOB]);
	bulk_text(b, e->owner.field[OWNER_RUN]);
	bulk_i64(b, e->ms);
	bulk_i64(b, e->util_ms);
	for (int i = 0; i < BASIS_N; i++)
		bulk_i64(b, e->nano[i]);
	return bulk_end_row(b, err);
}

int facts_add_remainder(struct facts *f, const struct remainder *r, struct err *err)
{
	struct bulk *b = duck_bulk(f, T_REMAINDER, err);
	if (!b)
		return -EPERM;
	touch_scope(f, sv_of(r->scope));
	bulk_i64(b, f->batch);
	bulk_text(b, sv_of(r->scope));
	bulk_text(b, sv_of(r->currency));
	bulk_i8(b, (int)r->basis);
	bulk_i64(b, r->from_ms);
	bulk_i64(b, r->to_ms);
	bulk_dec(b, true, r->amount);
	bulk_huge(b, r->pico_ms);
	bulk_dec(b, true, r->rated);
	return bulk_end_row(b, err);
}

int facts_add_paid(struct facts *f, const struct paid_span *p, struct err *err)
{
	struct bulk *b = duck_bulk(f, T_PAID, err);
	if (!b)
		return -EPERM;
	touch_scope(f, sv_of(p->scope));
	bulk_i64(b, f->batch);
	bulk_text(b, sv_of(p->scope));
	bulk_text(b, p->gpu);
	bulk_i64(b, p->from_ms);
	bulk_i64(b, p->to_ms);
	bulk_i64(b, p->gpus_milli);
	return bulk_end_row(b, err);
}

/* ---- out --------------------------------------------------------------------------------- */

static int settle_ledger(struct facts *f, struct err *err)
{
	int e = duck_settle(f, T_LEDGER, err);
	if (e)
		return e;
	return duck_settle(f, T_REMAINDER, err);
}

/* "AND hour_ms >= ..." for the ends that are not open. */
static void add_window(struct str *sql, const char *column, int64_t since_ms, int64_t until_ms)
{
	if (since_ms != INT64_MIN)
		str_addf(sql, " AND %s >= %lld", column, (long long)since_ms);
	if (until_ms != INT64_MAX)
		str_addf(sql, " AND %s < %lld", column, (long long)until_ms);
}

int facts_remainders(struct facts *f, struct span of, struct arena *a, struct remainder **ret,
		     size_t *ret_n, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	VEC(struct remainder) out = { 0 };
	int e = settle_ledger(f, err);
	if (e)
		return e;
	str_addz(
		&sql,
		"SELECT currency, basis, min(from_ms), max(to_ms), sum(amount), sum(pico_ms) FROM remainder WHERE true");
	add_window(&sql, "from_ms", of.from_ms, of.to_ms);
	str_addz(
		&sql,
		" GROUP BY currency, basis HAVING sum(amount) <> 0 OR sum(pico_ms) <> 0 ORDER BY currency, basis");
	e = answer_open(&r, &(struct sql_query){ f->con, sql.p, "read the remainders" }, err, "");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0)
		*vec_push(&out) = (struct remainder){ .scope = "",
						      .currency = answer_text(&r, 0, a).p,
						      .basis = (enum basis)answer_i64(&r, 1),
						      .from_ms = answer_i64(&r, 2),
						      .to_ms = answer_i64(&r, 3),
						      .amount = answer_huge(&r, 4),
						      .pico_ms = answer_huge(&r, 5) };
	answer_close(&r);
	if (e == 0) {
		*ret = arena_copy(a, out.v, out.n, sizeof *out.v);
		*ret_n = out.n;
	}
	vec_free(&out);
	return e;
}

static void read_entry(const struct answer *r, struct entry *e)
{
	struct sv from = answer_sv(r, 25);
	*e = (struct entry){ .hour_ms = answer_i64(r, 0),
			     .kind = (enum kind)answer_i64(r, 3),
			     .state = (enum state)answer_i64(r, 4),
			     .cause = (enum cause)answer_i64(r, 5),
			     .quality = (enum quality)answer_i64(r, 6),
			     .priced = (enum priced)answer_i64(r, 7),
			     .scope = answer_sv(r, 8),
			     .gpu = answer_sv(r, 9),
			     .node = answer_sv(r, 10),
			     .cluster = answer_sv(r, 11),
			     .provider = answer_sv(r, 12),
			     .region = answer_sv(r, 13),
			     .zone = answer_sv(r, 14),
			     .gpu_model = answer_sv(r, 15),
			     .purchase = answer_sv(r, 16),
			     .currency = answer_sv(r, 17),
			     .owner.tags = answer_sv(r, 26),
			     .service = answer_sv(r, 27),
			     .charge = { .cloud_service = answer_sv(r, 28),
					 .account = answer_sv(r, 29),
					 .instance_type = answer_sv(r, 30),
					 .commitment = answer_sv(r, 31) },
			     .ms = answer_i64(r, 32),
			     .util_ms = answer_i64(r, 33) };
	for (int i = 0; i < OWNER_N; i++) {
		e->owner.field[i] = answer_sv(r, 18 + (size_t)i);
		if ((size_t)i < from.n)
			e->owner.source[i] = (enum owner_source)(from.p[i] - '0');
		else
			e->owner.source[i] = FROM_NOWHERE;
	}
	for (int i = 0; i < BASIS_N; i++)
		e->nano[i] = answer_i64(r, 34 + (size_t)i);
}

/* In the order in which read_entry() takes them. */
#define ENTRY_COLUMNS                                                                            \
	"hour_ms, day, month, kind, state, cause, quality, priced, scope, gpu, node, cluster, "  \
	"provider, region, zone, gpu_model, purchase, currency, user_name, team, project, env, " \
	"workload, job, run, owner_from, tags, service, cloud_service, account, instance_type, " \
	"commitment"

int facts_entries(struct facts *f, int64_t since_ms, int64_t until_ms, facts_entry_fn *fn,
		  void *ctx, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	int e = settle_ledger(f, err);
	if (e)
		return e;
	str_addz(
		&sql,
		"SELECT " ENTRY_COLUMNS ", " VALUE_COLUMNS " FROM (SELECT " KEY_COLUMNS(
			"") ", CAST(sum(ms) AS BIGINT) AS ms, CAST(sum(util_ms) AS BIGINT) AS util_ms, "
			    "CAST(sum(billed_nano) AS BIGINT) AS billed_nano, "
			    "CAST(sum(effective_nano) AS BIGINT) AS effective_nano, "
			    "CAST(sum(list_nano) AS BIGINT) AS list_nano FROM ledger_row l WHERE true");
	add_window(&sql, "hour_ms", since_ms, until_ms);
	str_addz(
		&sql,
		" GROUP BY " KEY_COLUMNS("") ", " NULL_FLAGS("l.") " " COUNTS(
			"l.") ") e JOIN ledger_what w ON w.id = e.what JOIN ledger_who o ON o.id = e.who "
			      "ORDER BY " ENTRY_COLUMNS);
	e = answer_open(&r, &(struct sql_query){ f->con, sql.p, "read the ledger", true }, err, "");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		struct entry entry;
		read_entry(&r, &entry);
		e = fn(ctx, &entry, err);
		if (e)
			break;
	}
	answer_close(&r);
	if (e < 0)
		return e;
	return 0;
}

/* One row of two instants, the second as the start of an hour. */
static int ask_span(struct facts *f, const char *sql, int64_t *ret_from_ms, int64_t *ret_to_ms,
		    struct err *err)
{
	int e = sql_span(f->con, sql, "read the ledger's span", ret_from_ms, ret_to_ms, err);
	if (!e && *ret_to_ms != UNKNOWN_MS)
		*ret_to_ms += MS_HOUR;
	return e;
}

/* The first and last hour of those that `where` leaves in which an entry counts. */
static int hours_that_count(struct facts *f, const char *where, int64_t *ret_from_ms,
			    int64_t *ret_to_ms, struct err *err)
{
	struct str sql = { 0 };
	str_addf(&sql,
		 "SELECT min(hour_ms), max(hour_ms) FROM (SELECT hour_ms FROM ledger_row WHERE %s",
		 where);
	str_addz(&sql, " GROUP BY " KEY_COLUMNS("") ", " NULL_FLAGS("") " " COUNTS("") ") t");
	int e = ask_span(f, sql.p, ret_from_ms, ret_to_ms, err);
	str_free(&sql);
	return e;
}

/* of the rows that `where` leaves */
static int span_of(struct facts *f, const char *where, int64_t *ret_from_ms, int64_t *ret_to_ms,
		   struct err *err)
{
	int64_t from = UNKNOWN_MS, to = UNKNOWN_MS;
	char ask[128], ends[128];
	int e = settle_ledger(f, err);

	snprintf(ask, sizeof ask, "SELECT min(hour_ms), max(hour_ms) FROM ledger_row WHERE %s",
		 where);
	if (e == 0)
		e = ask_span(f, ask, ret_from_ms, ret_to_ms, err);
	if (e || *ret_from_ms == UNKNOWN_MS)
		return e;
	/* All but always the outermost rows count; else it takes a pass over the table. */
	snprintf(ends, sizeof ends, "%s AND hour_ms IN (%lld, %lld)", where,
		 (long long)*ret_from_ms, (long long)(*ret_to_ms - MS_HOUR));
	e = hours_that_count(f, ends, &from, &to, err);
	if (e == 0 && (from != *ret_from_ms || to != *ret_to_ms))
		e = hours_that_count(f, where, ret_from_ms, ret_to_ms, err);
	return e;
}

int facts_ledger_span(struct facts *f, int64_t *ret_from_ms, int64_t *ret_to_ms, struct err *err)
{
	return span_of(f, "true", ret_from_ms, ret_to_ms, err);
}

int facts_gpu_span(struct facts *f, int64_t *ret_from_ms, int64_t *ret_to_ms, struct err *err)
{
	return span_of(f, "ms <> 0", ret_from_ms, ret_to_ms, err);
}

static void read_sum(const struct answer *r, struct arena *a, void *ret)
{
	struct ledger_sum *l = ret;

	*l = (struct ledger_sum){ .currency = answer_text(r, 0, a), .gpu_ms = answer_huge(r, 1) };
	for (size_t b = 0; b < BASIS_N; b++)
		l->nano[b] = answer_huge(r, 2 + b);
}

int facts_ledger_sums(struct facts *f, struct arena *a, struct ledger_sum **ret, size_t *ret_n,
		      struct err *err)
{
	struct duck_list l = { .doing = "sum up the ledger",
			       .size = sizeof **ret,
			       .read = read_sum };
	int r = duck_settle(f, T_LEDGER, err);

	if (r)
		return r;
	str_addz(
		&l.sql,
		"SELECT currency, sum(CASE WHEN kind = 0 THEN ms ELSE 0 END), "
		"coalesce(sum(billed_nano), 0), coalesce(sum(effective_nano), 0), "
		"coalesce(sum(list_nano), 0) FROM ledger_row r JOIN ledger_what w ON w.id = r.what GROUP BY currency ORDER BY currency");
	return duck_list(f, &l, a, ret, ret_n, err);
}
