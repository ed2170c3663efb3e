/* Sums of the ledger over chosen dimensions: one grouped pass over the table, the rest on what is
 * left of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/tm.h"
#include "store/dim.h"
#include "store/duck/inside.h"
#include "store/sources.h"

static const struct dim_column {
	const char *column; /* of the ledger, by which it is grouped first */
	const char *expr;   /* made of the column; NULL: the column itself */
} dims[DIM_N] = {
	[DIM_KIND] = { "kind" },
	[DIM_TEAM] = { "team" },
	[DIM_PROJECT] = { "project" },
	[DIM_ENV] = { "env" },
	[DIM_WORKLOAD] = { "workload" },
	[DIM_USER] = { "user_name" },
	[DIM_JOB] = { "job" },
	[DIM_RUN] = { "run" },
	[DIM_CLUSTER] = { "cluster" },
	[DIM_NODE] = { "node" },
	[DIM_PROVIDER] = { "provider" },
	[DIM_REGION] = { "region" },
	[DIM_GPU_MODEL] = { "gpu_model" },
	[DIM_GPU] = { "gpu" },
	[DIM_PURCHASE] = { "purchase" },
	[DIM_STATE] = { "state" },
	[DIM_CAUSE] = { "cause" },
	[DIM_QUALITY] = { "quality" },
	[DIM_HOUR] = { "hour_ms" },
	[DIM_DAY] = { "day" },
	[DIM_WEEK] = { "day",
		       "isoyear(make_date(day // 10000, day // 100 % 100, day % 100)) * 100 + "
		       "week(make_date(day // 10000, day // 100 % 100, day % 100))" },
	[DIM_MONTH] = { "month" },
	[DIM_QUARTER] = { "month", "month // 100 * 10 + (month % 100 + 2) // 3" },
	[DIM_ZONE] = { "zone" },
	[DIM_SERVICE] = { "service" },
	[DIM_CLOUD_SERVICE] = { "cloud_service" },
	[DIM_ACCOUNT] = { "account" },
	[DIM_INSTANCE_TYPE] = { "instance_type" },
	[DIM_COMMITMENT] = { "commitment" },
	/* of ledger_bill, which has no row where there are none */
	[DIM_INVOICE] = { "invoice", "coalesce(invoice, '')" },
	[DIM_BILLING_ACCOUNT] = { "billing_account", "coalesce(billing_account, '')" },
	[DIM_CHARGE_CATEGORY] = { "charge_category", "coalesce(charge_category, '')" },
	[DIM_TAG] = { "tags" },
};

static const char *const nano_column[BASIS_N] = { "billed_nano", "effective_nano", "list_nano" };

/* ---- filters ----------------------------------------------------------------------------- */

static const char *column_of(enum dim d)
{
	if (dims[d].expr)
		return dims[d].expr;
	return dims[d].column;
}

/* A key as ledger/tagset.c compares it: bills write one as team, Team, user:team, labels.team,
 * cost-center, cost_center, and in capitals where a warehouse wrote the header. */
static void plain_key(struct str *sql, const char *k)
{
	str_addf(
		sql,
		"translate(regexp_replace(lower(%s), '^(resourcetags/user:|resource_tags_user_|user:|user_|labels[./])(.)', '\\2'), "
		"'-./ ', '____')",
		k);
}

/* Value of a tag: by its exact key, else by another spelling of it. JSON pointers, unlike paths,
 * can name any key. */
static void tag_value(struct str *sql, const char *key)
{
	struct str pointer = { 0 }, quoted = { 0 };

	sql_quote(&quoted, sv_of(key));
	str_addc(&pointer, '/');
	for (const char *p = key; *p; p++) {
		if (*p == '~' || *p == '/')
			str_addf(&pointer, "~%c", *p == '~' ? '0' : '1');
		else
			str_addc(&pointer, *p);
	}
	/* not CASE: a filter may evaluate its branches for all rows, and '' is not JSON */
	str_addz(sql, "coalesce(json_extract_string(nullif(tags, ''), ");
	sql_quote(sql, str_sv(&pointer));
	str_addz(
		sql,
		"), json_extract_string(nullif(tags, ''), '/' || replace(replace(list_filter(json_keys(nullif(tags, '')), lambda k: ");
	plain_key(sql, "k");
	str_addz(sql, " = ");
	plain_key(sql, quoted.p);
	str_addz(sql, ")[1], '~', '~0'), '/', '~1')), '')");
	str_free(&pointer);
	str_free(&quoted);
}

static void add_test(struct str *sql, const struct ledger_filter *f)
{
	if (f->dim == DIM_TAG)
		tag_value(sql, f->tag);
	else
		str_addz(sql, column_of(f->dim));
	str_addz(sql, f->negate ? " <> " : " = ");
	if (dim_is_number(f->dim))
		str_addf(sql, "%lld", (long long)dim_number(f->dim, sv_of(f->value)));
	else
		sql_quote(sql, sv_of(f->value));
}

static bool are_alternatives(const struct ledger_filter *a, const struct ledger_filter *b)
{
	if (a->negate || b->negate)
		return false;
	return a->dim == b->dim && (a->dim != DIM_TAG || !strcmp(a->tag, b->tag));
}

/* ---- the statement ----------------------------------------------------------------------- */

/* The dimensions as columns of the inner query, each once and without those that are there anyhow;
 * with a comma after each. */
static void inner_columns(struct str *sql, const struct ledger_query *q)
{
	bool seen[DIM_N] = {
		[DIM_KIND] = true, [DIM_STATE] = true, [DIM_QUALITY] = true, [DIM_TAG] = true
	};
	bool tags = false;
	for (size_t i = 0; i < q->ndim; i++) {
		enum dim d = q->dim[i];
		if (!seen[d])
			str_addf(sql, "%s, ", dims[d].column);
		seen[d] = true;
		tags |= d == DIM_TAG;
		seen[DIM_DAY] |= d == DIM_WEEK; /* made of the same column */
		seen[DIM_WEEK] |= d == DIM_DAY;
		seen[DIM_MONTH] |= d == DIM_QUARTER;
		seen[DIM_QUARTER] |= d == DIM_MONTH;
	}
	if (tags)
		str_addz(sql, "tags, ");
	str_addz(sql, "kind, state, quality, priced, currency");
}

/* A column of ledger_who. */
static bool is_who(enum dim d)
{
	switch (d) {
	case DIM_TEAM:
	case DIM_PROJECT:
	case DIM_ENV:
	case DIM_WORKLOAD:
	case DIM_USER:
	case DIM_SERVICE:
	case DIM_TAG: return true;
	default: return false;
	}
}

/* A column of ledger_bill. */
static bool is_bills(enum dim d)
{
	return d == DIM_INVOICE || d == DIM_BILLING_ACCOUNT || d == DIM_CHARGE_CATEGORY;
}

static void inner_query(struct str *sql, const struct ledger_query *q)
{
	const char *nano = nano_column[q->basis];
	str_addz(sql, "SELECT ");
	inner_columns(sql, q);
	str_addf(
		sql,
		", %s IS NULL AS unpriced, sum(ms) AS g_ms, sum(util_ms) AS g_util, sum(%s) AS g_nano, "
		"sum(CASE WHEN cause = %d THEN ms END) AS g_dark, sum(CASE WHEN cause = %d THEN %s END) AS g_dark_nano "
		"FROM ledger_row r JOIN ",
		nano, nano, CAUSE_UNWATCHED, CAUSE_UNWATCHED, nano);
	bool who = false, bill = false;
	for (size_t i = 0; i < q->ndim; i++) {
		who |= is_who(q->dim[i]);
		bill |= is_bills(q->dim[i]);
	}
	for (size_t i = 0; i < q->nfilter; i++) {
		who |= is_who(q->filter[i].dim);
		bill |= is_bills(q->filter[i].dim);
	}
	str_addf(sql, "%s w ON w.id = r.what", bill ? WHAT_WITH_BILL : "ledger_what");
	if (who)
		str_addz(sql, " JOIN ledger_who o ON o.id = r.who");
	str_addz(sql, " WHERE true");
	if (q->since_ms != INT64_MIN)
		str_addf(sql, " AND hour_ms >= %lld", (long long)q->since_ms);
	if (q->until_ms != INT64_MAX)
		str_addf(sql, " AND hour_ms < %lld", (long long)q->until_ms);
	for (size_t i = 0; i < q->nfilter; i++) {
		bool seen = false;
		for (size_t k = 0; k < i; k++)
			seen |= are_alternatives(&q->filter[k], &q->filter[i]);
		if (seen)
			continue;
		str_addz(sql, " AND (");
		add_test(sql, &q->filter[i]);
		for (size_t k = i + 1; k < q->nfilter; k++)
			if (are_alternatives(&q->filter[i], &q->filter[k])) {
				str_addz(sql, " OR ");
				add_test(sql, &q->filter[k]);
			}
		str_addz(sql, ")");
	}
	str_addz(sql, " GROUP BY ");
	inner_columns(sql, q);
	str_addf(sql, ", %s IS NULL", nano);
}

int facts_ledger_sql(const struct ledger_query *q, struct str *ret, struct err *err)
{
	str_clear(ret);
	str_addz(ret, "SELECT ");
	for (size_t i = 0; i < q->ndim; i++) {
		if (q->dim[i] == DIM_TAG)
			tag_value(ret, q->tag[i]);
		else
			str_addz(ret, column_of(q->dim[i]));
		str_addf(ret, " AS d%zu, ", i);
	}
	str_addz(
		ret,
		"CASE WHEN kind = 0 THEN 1 ELSE 0 END AS is_gpu, state AS st, currency AS cur, sum(g_ms) AS s_ms, sum(g_util) AS s_util, "
		"sum(CASE WHEN quality = 0 THEN g_ms ELSE 0 END) AS s_measured, sum(CASE WHEN quality = 1 THEN g_ms ELSE 0 END) AS s_estimated, "
		"sum(CASE WHEN unpriced AND kind = 0 THEN g_ms ELSE 0 END) AS s_unpriced, sum(g_nano) AS s_nano, "
		"sum(CASE WHEN priced = 1 THEN g_nano END) AS s_bill, sum(g_dark) AS s_dark, sum(g_dark_nano) AS s_dark_nano FROM (");
	inner_query(ret, q);
	str_addz(ret, ") t GROUP BY ");
	for (size_t i = 0; i < q->ndim; i++)
		str_addf(ret, "d%zu, ", i);
	str_addz(ret, text_if(q->by_price, "unpriced, "));
	str_addz(
		ret,
		"is_gpu, st, cur HAVING sum(g_ms) <> 0 OR coalesce(sum(g_util), 0) <> 0 OR coalesce(sum(g_nano), 0) <> 0 OR "
		"coalesce(sum(CASE WHEN priced = 1 THEN g_nano END), 0) <> 0 OR sum(CASE WHEN unpriced AND kind = 0 THEN g_ms ELSE 0 END) <> 0 "
		"ORDER BY ");
	for (size_t i = 0; i < q->ndim; i++)
		str_addf(ret, "d%zu, ", i);
	str_addz(ret, q->by_price ? "is_gpu DESC, st, cur, unpriced" : "is_gpu DESC, st, cur");
	return 0;
}

/* ---- its rows ---------------------------------------------------------------------------- */

int facts_ledger(struct facts *f, const struct ledger_query *q, struct arena *a,
		 struct ledger_row **ret, size_t *ret_n, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	VEC(struct ledger_row) out = { 0 };
	int e = duck_settle(f, T_LEDGER, err);
	if (e == 0)
		e = facts_ledger_sql(q, &sql, err);
	if (e == 0)
		e = answer_open(&r, &(struct sql_query){ f->con, str_z(&sql), "sum up the ledger" },
				err, "");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		struct ledger_row *row = vec_push(&out);
		size_t c = q->ndim;
		row->dim = arena_alloc(a, q->ndim * sizeof *row->dim + 1);
		for (size_t i = 0; i < q->ndim; i++) {
			if (dim_is_number(q->dim[i]))
				row->dim[i] = dim_text(q->dim[i], answer_i64(&r, i), a);
			else
				row->dim[i] = answer_text(&r, i, a);
		}
		row->is_gpu = answer_i64(&r, c) == 1;
		row->state = (enum state)answer_i64(&r, c + 1);
		row->currency = answer_text(&r, c + 2, a);
		row->ms = (int64_t)answer_huge(&r, c + 3);
		row->util_ms = answer_null(&r, c + 4) ? UNKNOWN_I64
						      : (int64_t)answer_huge(&r, c + 4);
		row->measured_ms = (int64_t)answer_huge(&r, c + 5);
		row->estimated_ms = (int64_t)answer_huge(&r, c + 6);
		row->unpriced_ms = (int64_t)answer_huge(&r, c + 7);
		row->nano = answer_huge(&r, c + 8);
		row->bill_nano = answer_huge(&r, c + 9);
		row->unwatched_ms = (int64_t)answer_huge(&r, c + 10);
		row->unwatched_nano = answer_huge(&r, c + 11);
	}
	answer_close(&r);
	if (e == 0) {
		*ret = arena_copy(a, out.v, out.n, sizeof *out.v);
		*ret_n = out.n;
	}
	vec_free(&out);
	return e;
}

static void read_unnamed(const struct answer *r, struct arena *a, void *ret)
{
	*(struct unnamed_gpu *)ret = (struct unnamed_gpu){ .provider = answer_text(r, 0, a),
							   .instance_type = answer_text(r, 1, a),
							   .ms = (int64_t)answer_huge(r, 2),
							   .from_ms = answer_i64(r, 3),
							   .to_ms = answer_i64(r, 4) + MS_HOUR };
}

int facts_unnamed_gpu(struct facts *f, struct arena *a, struct unnamed_gpu **ret, size_t *ret_n,
		      struct err *err)
{
	struct duck_list l = { .doing = "sum up bill lines without a machine",
			       .size = sizeof **ret,
			       .read = read_unnamed };
	int e = duck_settle(f, T_LEDGER, err);

	if (e)
		return e;
	str_addz(
		&l.sql,
		"SELECT provider, instance_type, sum(ms), min(hour_ms), max(hour_ms) FROM ledger_row r JOIN ledger_what w ON w.id = r.what "
		"WHERE kind = 0 AND priced = 1 AND node = '' AND starts_with(scope, 'bill:') AND instance_type <> '' "
		"GROUP BY 1, 2 HAVING sum(ms) > 0 ORDER BY 1, 2");
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_source(const struct answer *r, struct arena *a, void *ret)
{
	*(struct gpu_source *)ret = (struct gpu_source){ .name = arena_sv(a, answer_text(r, 0, a)),
							 .from_ms = answer_i64(r, 1),
							 .to_ms = answer_i64(r, 2) + MS_HOUR,
							 .ms = (int64_t)answer_huge(r, 3) };
}

int facts_gpu_sources(struct facts *f, struct arena *a, struct gpu_source **ret, size_t *ret_n,
		      struct err *err)
{
	struct duck_list l = { .doing = "sum up who tells of GPU time",
			       .size = sizeof **ret,
			       .read = read_source };
	int e = duck_settle(f, T_LEDGER, err);

	if (e)
		return e;
	/* What was taken back adds up to nothing in its hour. */
	str_addz(
		&l.sql,
		"SELECT provider, min(hour_ms), max(hour_ms), sum(ms) FROM (SELECT provider, hour_ms, sum(ms) AS ms "
		"FROM ledger_row r JOIN ledger_what w ON w.id = r.what WHERE kind = 0 AND provider <> '' GROUP BY 1, 2 HAVING sum(ms) > 0) GROUP BY 1 ORDER BY 1");
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_nameless(const struct answer *r, struct arena *a, void *ret)
{
	(void)a;
	*(struct nameless_gpu *)ret = (struct nameless_gpu){ .ms = (int64_t)answer_huge(r, 0),
							     .ngpu = (size_t)answer_i64(r, 1) };
}

int facts_nameless_gpu(struct facts *f, int64_t from_ms, int64_t to_ms, struct nameless_gpu *ret,
		       struct err *err)
{
	struct duck_list l = { .doing = "sum up GPUs without a machine",
			       .size = sizeof *ret,
			       .read = read_nameless };
	struct arena mem = { 0 };
	struct nameless_gpu *one;
	size_t n = 0;
	int e = duck_settle(f, T_LEDGER, err);

	if (e)
		return e;
	str_addf(
		&l.sql,
		"SELECT coalesce(sum(ms), 0), count(*) FROM (SELECT w.scope, sum(ms) AS ms FROM ledger_row r JOIN ledger_what w ON w.id = r.what "
		"WHERE kind = 0 AND starts_with(w.scope, 'gpu:') AND hour_ms >= %lld AND hour_ms < %lld GROUP BY 1 HAVING sum(ms) > 0)",
		(long long)from_ms, (long long)to_ms);
	e = duck_list(f, &l, &mem, &one, &n, err);
	*ret = e || !n ? (struct nameless_gpu){ 0 } : *one;
	arena_free(&mem);
	return e;
}
