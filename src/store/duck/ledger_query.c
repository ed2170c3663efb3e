/* Sums of the ledger over chosen dimensions: one grouped pass over the table, the rest on what is
 * left of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/tm.h"
#include "store/inside.h"

static const struct dim_info {
	const char *name, *column; /* column: of the ledger, by which it is grouped first */
	const char *expr;          /* made of the column; NULL: the column itself */
} dims[DIM_N] = {
	[DIM_KIND] = { "kind", "kind" },
	[DIM_TEAM] = { "team", "team" },
	[DIM_PROJECT] = { "project", "project" },
	[DIM_ENV] = { "env", "env" },
	[DIM_WORKLOAD] = { "workload", "workload" },
	[DIM_USER] = { "user", "user_name" },
	[DIM_JOB] = { "job", "job" },
	[DIM_RUN] = { "run", "run" },
	[DIM_CLUSTER] = { "cluster", "cluster" },
	[DIM_NODE] = { "node", "node" },
	[DIM_PROVIDER] = { "provider", "provider" },
	[DIM_REGION] = { "region", "region" },
	[DIM_GPU_MODEL] = { "gpu_model", "gpu_model" },
	[DIM_GPU] = { "gpu", "gpu" },
	[DIM_PURCHASE] = { "purchase", "purchase" },
	[DIM_STATE] = { "state", "state" },
	[DIM_CAUSE] = { "cause", "cause" },
	[DIM_QUALITY] = { "quality", "quality" },
	[DIM_HOUR] = { "hour", "hour_ms" },
	[DIM_DAY] = { "day", "day" },
	[DIM_WEEK] = { "week", "day",
		       "isoyear(make_date(day // 10000, day // 100 % 100, day % 100)) * 100 + "
		       "week(make_date(day // 10000, day // 100 % 100, day % 100))" },
	[DIM_MONTH] = { "month", "month" },
	[DIM_QUARTER] = { "quarter", "month", "month // 100 * 10 + (month % 100 + 2) // 3" },
	[DIM_ZONE] = { "zone", "zone" },
	[DIM_SERVICE] = { "service", "service" },
	[DIM_CLOUD_SERVICE] = { "cloud_service", "cloud_service" },
	[DIM_ACCOUNT] = { "account", "account" },
	[DIM_INSTANCE_TYPE] = { "instance_type", "instance_type" },
	[DIM_COMMITMENT] = { "commitment", "commitment" },
	[DIM_TAG] = { "tag", "tags" },
};

const char *dim_name(enum dim d)
{
	return dims[d].name;
}

int dim_of(struct sv name)
{
	if (sv_starts(name, SV("tag:")))
		return name.n > 4 ? DIM_TAG : -1;
	for (int d = 0; d < DIM_TAG; d++)
		if (sv_is(name, dims[d].name))
			return d;
	return -1;
}

static const char *const nano_column[BASIS_N] = { "billed_nano", "effective_nano", "list_nano" };

/* ---- filters ----------------------------------------------------------------------------- */

static const char *column_of(enum dim d)
{
	return dims[d].expr ? dims[d].expr : dims[d].column;
}

/* Digits of "2024-09-18" or "2024-W36" as a number; -1 if it is something else. letter: the one
 * that may stand behind the dash, or '-'. */
static int64_t date_number(struct sv v, size_t ndigit, char letter)
{
	int64_t n = 0;
	size_t seen = 0;
	for (size_t i = 0; i < v.n; i++) {
		if (v.p[i] == '-' || (v.p[i] == letter && seen == 4))
			continue;
		if (v.p[i] < '0' || v.p[i] > '9')
			return -1;
		n = n * 10 + (v.p[i] - '0');
		if (++seen > ndigit)
			return -1;
	}
	return seen == ndigit ? n : -1;
}

/* The stored number of a value of a dimension kept as a number; -1: no row can have it. */
static int64_t stored_number(enum dim d, struct sv v)
{
	int64_t ms;
	switch (d) {
	case DIM_KIND: return kind_of(v);
	case DIM_STATE: return v.n ? state_of(v) : STATE_NONE;
	case DIM_CAUSE: return v.n ? cause_of(v) : CAUSE_NONE;
	case DIM_QUALITY: return quality_of(v);
	case DIM_DAY: return date_number(v, 8, '-');
	case DIM_WEEK: return date_number(v, 6, 'W');
	case DIM_MONTH: return date_number(v, 6, '-');
	case DIM_QUARTER: return date_number(v, 5, 'Q');
	case DIM_HOUR: return tm_parse(v, 0, &ms) ? -1 : ms;
	default: return -1;
	}
}

static bool is_number(enum dim d)
{
	static const bool numbers[DIM_N] = {
		[DIM_KIND] = true,    [DIM_STATE] = true, [DIM_CAUSE] = true,
		[DIM_QUALITY] = true, [DIM_HOUR] = true,  [DIM_DAY] = true,
		[DIM_WEEK] = true,    [DIM_MONTH] = true, [DIM_QUARTER] = true,
	};

	return numbers[d];
}

/* Value of a tag: JSON pointers, unlike paths, can name any key. */
static void tag_value(struct str *sql, const char *key)
{
	struct str pointer = { 0 };
	str_addc(&pointer, '/');
	for (; *key; key++) {
		if (*key == '~' || *key == '/')
			str_addf(&pointer, "~%c", *key == '~' ? '0' : '1');
		else
			str_addc(&pointer, *key);
	}
	str_addz(sql, "CASE WHEN tags = '' THEN '' ELSE coalesce(json_extract_string(tags, ");
	sql_quote(sql, str_sv(&pointer));
	str_addz(sql, "), '') END");
	str_free(&pointer);
}

static void add_test(struct str *sql, const struct ledger_filter *f)
{
	if (f->dim == DIM_TAG)
		tag_value(sql, f->tag);
	else
		str_addz(sql, column_of(f->dim));
	str_addz(sql, f->negate ? " <> " : " = ");
	if (is_number(f->dim))
		str_addf(sql, "%lld", (long long)stored_number(f->dim, sv_of(f->value)));
	else
		sql_quote(sql, sv_of(f->value));
}

static bool alternatives(const struct ledger_filter *a, const struct ledger_filter *b)
{
	return !a->negate && !b->negate && a->dim == b->dim &&
	       (a->dim != DIM_TAG || !strcmp(a->tag, b->tag));
}

static void add_filters(struct str *sql, const struct ledger_filter *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool seen = false;
		for (size_t k = 0; k < i; k++)
			seen |= alternatives(&f[k], &f[i]);
		if (seen)
			continue;
		str_addz(sql, " AND (");
		add_test(sql, &f[i]);
		for (size_t k = i + 1; k < n; k++)
			if (alternatives(&f[i], &f[k])) {
				str_addz(sql, " OR ");
				add_test(sql, &f[k]);
			}
		str_addz(sql, ")");
	}
}

/* ---- the statement ----------------------------------------------------------------------- */

static bool has_tag_dim(const struct ledger_query *q)
{
	for (size_t i = 0; i < q->ndim; i++)
		if (q->dim[i] == DIM_TAG)
			return true;
	return false;
}

/* The dimensions as columns of the inner query, each once and without those that are there anyhow;
 * with a comma after each. */
static void inner_columns(struct str *sql, const struct ledger_query *q)
{
	bool seen[DIM_N] = {
		[DIM_KIND] = true, [DIM_STATE] = true, [DIM_QUALITY] = true, [DIM_TAG] = true
	};
	for (size_t i = 0; i < q->ndim; i++) {
		enum dim d = q->dim[i];
		if (!seen[d])
			str_addf(sql, "%s, ", dims[d].column);
		seen[d] = true;
		seen[DIM_DAY] |= d == DIM_WEEK; /* made of the same column */
		seen[DIM_WEEK] |= d == DIM_DAY;
		seen[DIM_MONTH] |= d == DIM_QUARTER;
		seen[DIM_QUARTER] |= d == DIM_MONTH;
	}
	if (has_tag_dim(q))
		str_addz(sql, "tags, ");
	str_addz(sql, "kind, state, quality, priced, currency");
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
		"FROM ledger WHERE true",
		nano, nano, CAUSE_UNWATCHED, CAUSE_UNWATCHED, nano);
	if (q->since_ms != INT64_MIN)
		str_addf(sql, " AND hour_ms >= %lld", (long long)q->since_ms);
	if (q->until_ms != INT64_MAX)
		str_addf(sql, " AND hour_ms < %lld", (long long)q->until_ms);
	add_filters(sql, q->filter, q->nfilter);
	str_addz(sql, " GROUP BY ");
	inner_columns(sql, q);
	str_addf(sql, ", %s IS NULL", nano);
}

int store_ledger_sql(const struct ledger_query *q, struct str *ret, struct err *err)
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
	str_addz(
		ret,
		"is_gpu, st, cur HAVING sum(g_ms) <> 0 OR coalesce(sum(g_util), 0) <> 0 OR coalesce(sum(g_nano), 0) <> 0 OR "
		"coalesce(sum(CASE WHEN priced = 1 THEN g_nano END), 0) <> 0 OR sum(CASE WHEN unpriced AND kind = 0 THEN g_ms ELSE 0 END) <> 0 "
		"ORDER BY ");
	for (size_t i = 0; i < q->ndim; i++)
		str_addf(ret, "d%zu, ", i);
	str_addz(ret, "is_gpu DESC, st, cur");
	return 0;
}

/* ---- its rows ---------------------------------------------------------------------------- */

static struct sv name_in(struct arena *a, const char *z)
{
	return (struct sv){ arena_strn(a, z, strlen(z)), strlen(z) };
}

static struct sv dim_text(const struct answer *r, size_t col, enum dim d, struct arena *a)
{
	char buf[TM_BUF];
	int64_t n = is_number(d) ? answer_i64(r, col) : 0;
	switch (d) {
	case DIM_KIND: return name_in(a, kind_name((enum kind)n));
	case DIM_STATE: return name_in(a, state_name((enum state)n));
	case DIM_CAUSE: return name_in(a, cause_name((enum cause)n));
	case DIM_QUALITY: return name_in(a, quality_name((enum quality)n));
	case DIM_HOUR: return name_in(a, tm_format(buf, n));
	case DIM_DAY:
		snprintf(buf, sizeof buf, "%04d-%02d-%02d", (int)(n / 10000), (int)(n / 100 % 100),
			 (int)(n % 100));
		return name_in(a, buf);
	case DIM_WEEK:
		snprintf(buf, sizeof buf, "%04d-W%02d", (int)(n / 100), (int)(n % 100));
		return name_in(a, buf);
	case DIM_MONTH:
		snprintf(buf, sizeof buf, "%04d-%02d", (int)(n / 100), (int)(n % 100));
		return name_in(a, buf);
	case DIM_QUARTER:
		snprintf(buf, sizeof buf, "%04d-Q%d", (int)(n / 10), (int)(n % 10));
		return name_in(a, buf);
	default: return answer_text(r, col, a);
	}
}

static void read_row(const struct answer *r, const struct ledger_query *q, struct arena *a,
		     struct ledger_row *out)
{
	size_t c = q->ndim;
	out->dim = arena_alloc(a, q->ndim * sizeof *out->dim + 1);
	for (size_t i = 0; i < q->ndim; i++)
		out->dim[i] = dim_text(r, i, q->dim[i], a);
	out->is_gpu = answer_i64(r, c) == 1;
	out->state = (enum state)answer_i64(r, c + 1);
	out->currency = answer_text(r, c + 2, a);
	out->ms = (int64_t)answer_huge(r, c + 3);
	out->util_ms = answer_null(r, c + 4) ? UNKNOWN_I64 : (int64_t)answer_huge(r, c + 4);
	out->measured_ms = (int64_t)answer_huge(r, c + 5);
	out->estimated_ms = (int64_t)answer_huge(r, c + 6);
	out->unpriced_ms = (int64_t)answer_huge(r, c + 7);
	out->nano = answer_huge(r, c + 8);
	out->bill_nano = answer_huge(r, c + 9);
	out->unwatched_ms = (int64_t)answer_huge(r, c + 10);
	out->unwatched_nano = answer_huge(r, c + 11);
}

int store_ledger(struct store *s, const struct ledger_query *q, struct arena *a,
		 struct ledger_row **ret, size_t *ret_n, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	VEC(struct ledger_row) out = { 0 };
	int e = store_settle(s, T_LEDGER, err);
	if (e == 0)
		e = store_ledger_sql(q, &sql, err);
	if (e == 0)
		e = answer_open(&r, s->con, str_z(&sql), "sum up the ledger", false, err, "");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0)
		read_row(&r, q, a, vec_push(&out));
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

int store_unnamed_gpu(struct store *s, struct arena *a, struct unnamed_gpu **ret, size_t *ret_n,
		      struct err *err)
{
	struct store_list l = { .doing = "sum up bill lines without a machine",
				.size = sizeof **ret,
				.read = read_unnamed };
	int e = store_settle(s, T_LEDGER, err);

	if (e)
		return e;
	str_addz(
		&l.sql,
		"SELECT provider, instance_type, sum(ms), min(hour_ms), max(hour_ms) FROM ledger "
		"WHERE kind = 0 AND priced = 1 AND node = '' AND starts_with(scope, 'bill:') AND instance_type <> '' "
		"GROUP BY 1, 2 HAVING sum(ms) > 0 ORDER BY 1, 2");
	return store_list(s, &l, a, ret, ret_n, err);
}
