/* Lines of bills as they were given, and their exact totals. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/spans.h"
#include "base/str.h"
#include "base/tm.h"
#include "store/duck/inside.h"

/* of a line that is as long as a billing period: a month's, or longer */
#define PERIOD_MIN_MS (27 * MS_DAY)
/* a purchase that stands where its charge period starts: book/direct.c */
#define OF_A_TERM "charge_category = 'Purchase' AND to_ms - from_ms >= %lld"
/* named in a query; of more all lines are looked at */
#define RESOURCES_MAX 1000

/* Text columns between scope and from_ms: the first of bill_line_text_at, in the order of the
 * table. */
#define NTEXT BILL_LINE_TAGS_END
static struct sv *text_of(const struct bill_line *b, size_t i)
{
	return (struct sv *)((char *)(uintptr_t)b + bill_line_text_at[i]);
}

int facts_add_bill(struct facts *f, int64_t src, const char *scope, const struct bill_line *l,
		   struct err *err)
{
	/* Lines of a machine with GPUs stand apart, its credits too; of the others those with a
	 * scope may become such (facts_bill_move). */
	bool of_gpu = l->kind == KIND_GPU || l->gpu_milli > 0, gpu = scope && *scope && of_gpu;
	struct bulk *b = duck_bulk(f, gpu ? T_BILL_GPU : T_BILL, err);
	if (gpu && f->bill_names.known)
		duck_forget_bill_names(f);
	if (!b)
		return -EPERM;
	bulk_i64(b, src);
	bulk_text(b, sv_of(scope));
	for (size_t i = 0; i < NTEXT; i++)
		bulk_sv(b, *text_of(l, i));
	bulk_i64(b, l->from_ms);
	bulk_i64(b, l->to_ms);
	bulk_i64(b, l->period_from_ms);
	bulk_i64(b, l->period_to_ms);
	bulk_dec(b, l->has_quantity, l->quantity);
	bulk_sv(b, l->unit);
	for (int i = 0; i < BASIS_N; i++)
		bulk_dec(b, l->has_cost[i], l->cost[i]);
	bulk_dec(b, l->has_contracted, l->contracted);
	bulk_i8(b, (int)l->kind);
	bulk_sv(b, l->gpu_model);
	bulk_i64(b, l->gpu_milli);
	bulk_sv(b, l->purchase);
	bulk_i32(b, l->rows);
	bulk_sv(b, l->capacity_id);
	bulk_sv(b, l->capacity_status);
	return bulk_end_row(b, err);
}

/* ---- lines of GPUs ----------------------------------------------------------------------- */

struct bill_line duck_read_line(const struct answer *r, struct arena *a)
{
	struct bill_line l = { 0 };
	size_t c = 2;
	for (size_t i = 0; i < NTEXT; i++)
		*text_of(&l, i) = answer_text(r, c++, a);
	l.from_ms = answer_i64(r, c++);
	l.to_ms = answer_i64(r, c++);
	l.period_from_ms = answer_i64(r, c++);
	l.period_to_ms = answer_i64(r, c++);
	l.has_quantity = !answer_null(r, c);
	l.quantity = answer_huge(r, c++);
	l.unit = answer_text(r, c++, a);
	for (int i = 0; i < BASIS_N; i++, c++) {
		l.has_cost[i] = !answer_null(r, c);
		l.cost[i] = answer_huge(r, c);
	}
	l.has_contracted = !answer_null(r, c);
	l.contracted = answer_huge(r, c++);
	l.kind = (enum kind)answer_i64(r, c++);
	l.gpu_model = answer_text(r, c++, a);
	l.gpu_milli = answer_i64(r, c++);
	l.purchase = answer_text(r, c++, a);
	/* stores of before have neither; a query adds one column of its own at most */
	if (r->ncol < c + 3)
		return l;
	l.rows = (int32_t)answer_i64(r, c++);
	l.capacity_id = answer_text(r, c++, a);
	l.capacity_status = answer_text(r, c++, a);
	return l;
}

const char *duck_bill_rows(const struct facts *f)
{
	return f->schema < SCHEMA_ROWS ? "1" : "file_rows";
}

int duck_settle_bills(struct facts *f, struct err *err)
{
	int e = duck_settle(f, T_BILL, err);
	if (e == 0)
		e = duck_settle(f, T_BILL_GPU, err);
	if (e == 0)
		e = duck_settle(f, T_BILL_SCOPE, err);
	if (e)
		return e;
	return duck_load_reversed(f, err);
}

void duck_forget_bill_names(struct facts *f)
{
	arena_free(&f->bill_names.mem);
	f->bill_names = (struct bill_names){ 0 };
}

static void read_bill_name(const struct answer *r, struct arena *a, void *ret)
{
	*(struct bill_name *)ret = (struct bill_name){ answer_text(r, 0, a), answer_text(r, 1, a) };
}

static int rising_bill_name(const void *a, const void *b)
{
	const struct bill_name *x = a, *y = b;
	int c = sv_cmp(x->scope, y->scope);

	if (c)
		return c;
	return sv_cmp(x->resource_id, y->resource_id);
}

static int load_bill_names(struct facts *f, struct err *err)
{
	struct bill_names *names = &f->bill_names;
	struct duck_list l = { .doing = "read the bills",
			       .size = sizeof *names->v,
			       .read = read_bill_name };

	if (names->known)
		return 0;
	str_addz(&l.sql, "SELECT DISTINCT scope, resource_id FROM bill_gpu WHERE scope <> '' "
			 "UNION SELECT DISTINCT scope, resource_id FROM bill_scope");
	int e = duck_list(f, &l, &names->mem, &names->v, &names->n, err);
	if (!e)
		sort_items(names->v, names->n, sizeof *names->v, rising_bill_name);
	names->known = e == 0;
	return e;
}

/* A scan of all lines for those of one machine takes as long as one for all machines; one for
 * named resources does not. *ret false: there are no lines of these scopes. */
static bool only_their_resources(const struct facts *f, const char *const *scope, size_t n,
				 struct str *sql)
{
	const struct bill_names *names = &f->bill_names;
	struct str in = { 0 };
	size_t found = 0;
	bool all = false;

	for (size_t i = 0; i < n; i++) {
		struct sv key = sv_of(scope[i]);
		size_t k = first_where(at, names->n, sv_cmp(names->v[at].scope, key) >= 0);
		for (; k < names->n && sv_eq(names->v[k].scope, key); k++, found++) {
			str_addz(&in, found ? "," : " AND b.resource_id IN (");
			sql_quote(&in, names->v[k].resource_id);
			all |= !names->v[k].resource_id.p;
		}
	}
	if (found && !all && found <= RESOURCES_MAX) {
		str_addz(&in, ")");
		str_addz(sql, in.p);
	}
	str_free(&in);
	return found > 0;
}

static void read_gpu_line(const struct answer *r, struct arena *a, void *ret)
{
	*(struct bill_line *)ret = duck_read_line(r, a);
}

/* By what they say, not by which file came first. */
#define GPU_LINE_ORDER                                                       \
	"from_ms, to_ms, resource_id, sku_id, charge_category, usage_type, " \
	"charge_description, purchase, billed, effective, tags, account, "   \
	"sub_account, invoice, commitment_id, service_name, quantity, src"

/* What is asked of the lines of scopes (NULL: of all), up to their order; *ret_any false: there are
 * none. */
static int select_gpu_lines(struct facts *f, const char *what, const struct scopes_span *of,
			    struct str *sql, bool *ret_any, struct err *err)
{
	int e = duck_settle_bills(f, err);

	if (e == 0)
		e = load_bill_names(f, err);
	*ret_any = e == 0 && f->bill_names.n > 0;
	if (!*ret_any)
		return e;
	str_addf(sql, "SELECT %s FROM " BILL_SCOPED " WHERE b.scope <> ''", what);
	if (of->time.to_ms != INT64_MAX)
		str_addf(sql, " AND from_ms < %lld", (long long)of->time.to_ms);
	if (of->time.from_ms != INT64_MIN)
		str_addf(sql, " AND (to_ms > %lld OR from_ms >= %lld)", (long long)of->time.from_ms,
			 (long long)of->time.from_ms);
	duck_bill_in_force(f, sql);
	if (of->scope)
		*ret_any = only_their_resources(f, of->scope, of->n, sql);
	if (!*ret_any)
		str_free(sql);
	return 0;
}

int facts_bill_gpu(struct facts *f, const struct scope_span *of, struct arena *a,
		   struct bill_line **ret, size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "read the bills",
			       .scope = of->scope,
			       .param = true,
			       .stream = true,
			       .size = sizeof **ret,
			       .read = read_gpu_line };
	struct scopes_span q = { .n = 1, .time = { of->from_ms, of->to_ms } };
	bool any = false;
	if (of->scope)
		q.scope = &of->scope;
	int e = select_gpu_lines(f, "b.*", &q, &l.sql, &any, err);

	*ret = arena_copy(a, NULL, 0, sizeof **ret);
	*ret_n = 0;
	if (e || !any)
		return e;
	str_addz(&l.sql, " AND ($1 IS NULL OR " BILL_SCOPE " = $1) ORDER BY " GPU_LINE_ORDER);
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_scoped_line(const struct answer *r, struct arena *a, void *ret)
{
	struct scoped_line *x = ret;

	x->scope = answer_text(r, r->ncol - 1, a);
	x->line = duck_read_line(r, a);
}

int facts_bill_gpu_of(struct facts *f, const struct scopes_span *of, struct arena *a,
		      struct scoped_line **ret, size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "read the bills",
			       .stream = true,
			       .size = sizeof **ret,
			       .read = read_scoped_line };
	bool any = false;
	int e = select_gpu_lines(f, "b.*, " BILL_SCOPE " AS machine", of, &l.sql, &any, err);

	*ret = arena_copy(a, NULL, 0, sizeof **ret);
	*ret_n = 0;
	if (e || !any)
		return e;
	for (size_t i = 0; i < of->n; i++) {
		str_addz(&l.sql, i ? "," : " AND machine IN (");
		sql_quote(&l.sql, sv_of(of->scope[i]));
	}
	str_addz(&l.sql, ") ORDER BY machine, " GPU_LINE_ORDER);
	return duck_list(f, &l, a, ret, ret_n, err);
}

int facts_bill_counts(struct facts *f, struct span window, struct arena *a,
		      struct scope_count **ret, size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "read the bills",
			       .size = sizeof **ret,
			       .read = duck_read_count };
	bool any = false;
	int e = select_gpu_lines(f, BILL_SCOPE " AS machine, count(*)",
				 &(struct scopes_span){ .time = window }, &l.sql, &any, err);

	*ret = arena_copy(a, NULL, 0, sizeof **ret);
	*ret_n = 0;
	if (e || !any)
		return e;
	str_addz(&l.sql, " GROUP BY machine");
	return duck_list(f, &l, a, ret, ret_n, err);
}

int facts_bill_set_scope(struct facts *f, struct sv provider, struct sv resource_id,
			 const char *scope, struct err *err)
{
	struct bulk *b = duck_bulk(f, T_BILL_SCOPE, err);

	duck_forget_bill_names(f);
	if (!b)
		return -EPERM;
	bulk_i64(b, f->batch);
	bulk_i64(b, f->batch << 32 | f->scope_seq++);
	bulk_text(b, provider.p ? provider : SV(""));
	bulk_text(b, resource_id);
	bulk_text(b, sv_of(scope));
	return bulk_end_row(b, err);
}

static void read_scope(const struct answer *r, struct arena *a, void *ret)
{
	*(struct sv *)ret = answer_text(r, 0, a);
}

int facts_bill_scopes(struct facts *f, struct arena *a, struct sv **ret, size_t *ret_n,
		      struct err *err)
{
	struct duck_list l = { .doing = "read the bills",
			       .size = sizeof **ret,
			       .read = read_scope };
	int e = duck_settle_bills(f, err);

	if (e)
		return e;
	str_addz(&l.sql, "SELECT " BILL_SCOPE " AS sc FROM " BILL_SCOPED " WHERE b.scope <> ''");
	duck_bill_in_force(f, &l.sql);
	str_addz(&l.sql, " GROUP BY sc ORDER BY sc");
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_cluster_tags(const struct answer *r, struct arena *a, void *ret)
{
	*(struct bill_cluster_tags *)ret = (struct bill_cluster_tags){ answer_text(r, 0, a),
								       answer_text(r, 1, a) };
}

int facts_bill_cluster_tags(struct facts *f, struct arena *a, struct bill_cluster_tags **ret,
			    size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "read the bills",
			       .size = sizeof **ret,
			       .read = read_cluster_tags };
	int e = duck_settle_bills(f, err);

	if (e)
		return e;
	str_addz(&l.sql, "SELECT " BILL_SCOPE " AS sc, b.tags FROM " BILL_SCOPED
			 " WHERE b.scope <> '' AND b.tags ILIKE '%cluster%'");
	duck_bill_in_force(f, &l.sql);
	str_addz(&l.sql, " GROUP BY sc, b.tags ORDER BY sc, max(from_ms), b.tags");
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_resource(const struct answer *r, struct arena *a, void *ret)
{
	*(struct bill_resource *)ret =
		(struct bill_resource){ .provider = answer_text(r, 0, a),
					.resource_id = answer_text(r, 1, a),
					.resource_name = answer_text(r, 2, a),
					.instance_type = answer_text(r, 3, a),
					.gpu_model = answer_text(r, 4, a),
					.tags = answer_text(r, 5, a),
					.scope = answer_text(r, 6, a),
					.from_ms = answer_i64(r, 7),
					.to_ms = answer_i64(r, 8) };
}

int facts_bill_resources(struct facts *f, struct arena *a, struct bill_resource **ret,
			 size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "read the bills",
			       .size = sizeof **ret,
			       .read = read_resource };
	int e = duck_settle_bills(f, err);
	if (e)
		return e;
	/* Of what differs between the lines of a resource the latest line's word is taken. */
	str_addz(&l.sql,
		 "SELECT b.provider, b.resource_id, arg_max(b.resource_name, from_ms), "
		 "arg_max(b.instance_type, from_ms), arg_max(b.gpu_model, from_ms), "
		 "arg_max(b.tags, from_ms), " BILL_SCOPE
		 " AS sc, min(from_ms), max(to_ms) FROM " BILL_SCOPED " WHERE b.scope <> ''");
	duck_bill_in_force(f, &l.sql);
	str_addz(&l.sql,
		 " GROUP BY b.provider, b.resource_id, sc ORDER BY b.provider, b.resource_id, sc");
	return duck_list(f, &l, a, ret, ret_n, err);
}

/* where: a condition more. stream: rows come as they are read; fn must not write then, for the
 * connection is busy. */
static int each_line(struct facts *f, const char *where, bool stream, facts_line_fn *fn, void *ctx,
		     struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	struct arena mem = { 0 };
	int e = duck_settle_bills(f, err);
	if (e)
		return e;
	str_addf(
		&sql,
		"SELECT * FROM (SELECT *, '' AS found_scope FROM bill UNION ALL SELECT b.*, " BILL_SCOPE
		" FROM " BILL_SCOPED ") t WHERE true%s",
		where);
	duck_bill_in_force(f, &sql);
	str_addz(
		&sql,
		" ORDER BY from_ms, src, to_ms, resource_id, sku_id, charge_category, charge_description, billed");
	e = answer_open(&r, &(struct sql_query){ f->con, sql.p, "read the bills", stream }, err,
			"");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		struct bill_line l = duck_read_line(&r, &mem);
		e = fn(ctx, &l, answer_sv(&r, r.ncol - 1), err);
		if (mem.used_bytes > 1 << 20)
			arena_free(&mem);
		if (e)
			break;
	}
	answer_close(&r);
	arena_free(&mem);
	return e;
}

int facts_bill_lines(struct facts *f, int64_t since_ms, int64_t until_ms, facts_line_fn *fn,
		     void *ctx, struct err *err)
{
	struct str where = { 0 };
	if (since_ms != INT64_MIN)
		str_addf(&where, " AND from_ms >= %lld", (long long)since_ms);
	if (until_ms != INT64_MAX)
		str_addf(&where, " AND from_ms < %lld", (long long)until_ms);
	int e = each_line(f, str_z(&where), true, fn, ctx, err);
	str_free(&where);
	return e;
}

int facts_bill_lines_of(struct facts *f, int64_t src, facts_line_fn *fn, void *ctx, struct err *err)
{
	char where[64];
	snprintf(where, sizeof where, " AND src = %lld", (long long)src);
	return each_line(f, where, false, fn, ctx, err);
}

void duck_bill_money(const struct facts *f, struct str *sql)
{
	str_addz(
		sql,
		"SELECT src, '' AS scope, from_ms, to_ms, currency, billed, effective, list FROM bill WHERE true");
	duck_bill_in_force(f, sql);
	str_addz(sql, " UNION ALL SELECT src, " BILL_SCOPE
		      ", from_ms, to_ms, currency, billed, effective, list FROM " BILL_SCOPED
		      " WHERE true");
	duck_bill_in_force(f, sql);
}

/* ---- totals ------------------------------------------------------------------------------ */

int facts_bill_span(struct facts *f, int64_t from_ms, int64_t to_ms, int64_t *ret_from_ms,
		    int64_t *ret_to_ms, struct err *err)
{
	struct str sql = { 0 };
	int e = duck_settle_bills(f, err);
	if (e)
		return e;
	str_addz(&sql, "SELECT min(f), max(t) FROM (");
	/* Few lines reach out of what is known: what is in force is asked of these alone. */
	for (int t = 0; t < 2; t++) {
		str_addf(&sql,
			 "%sSELECT f, t FROM (SELECT *, from_ms AS f, CASE WHEN (" OF_A_TERM
			 ") OR to_ms - from_ms >= %lld OR to_ms <= from_ms THEN from_ms + 1 "
			 "ELSE to_ms END AS t FROM %s) x WHERE (f < %lld OR t > %lld)",
			 text_if(t, " UNION ALL "), (long long)BILL_SPREAD_MAX_FEE_MS,
			 (long long)BILL_SPREAD_MAX_MS, t ? "bill_gpu" : "bill", (long long)from_ms,
			 (long long)to_ms);
		duck_bill_in_force(f, &sql);
	}
	str_addz(&sql, ") b");
	e = sql_span(f->con, sql.p, "read the bills' span", ret_from_ms, ret_to_ms, err);
	str_free(&sql);
	return e;
}

void duck_bill_told(const struct facts *f, const char *from, struct str *sql)
{
	str_addf(
		sql,
		"SELECT coalesce(min(CASE WHEN short THEN from_ms END), min(from_ms)) AS f, "
		"coalesce(max(CASE WHEN short THEN to_ms END), max(to_ms)) AS t, "
		"src >> 20 AS told_by, provider, bool_or(short) AS days FROM ("
		"SELECT src, provider, from_ms, to_ms, to_ms - from_ms < %lld AS short FROM %s AND to_ms > from_ms AND "
		"charge_category = 'Usage' AND coalesce(charge_class, '') <> 'Correction' AND coalesce(commitment_status, '') <> 'Unused'",
		(long long)PERIOD_MIN_MS, from);
	duck_bill_in_force(f, sql);
	str_addz(sql, ") u GROUP BY src >> 20, provider");
}

int facts_usage_span(struct facts *f, int64_t *ret_from_ms, int64_t *ret_to_ms, struct err *err)
{
	struct str sql = { 0 };
	int e = duck_settle_bills(f, err);
	if (e)
		return e;
	/* of an import all lines together: those of machines tell how far the others have come */
	str_addz(
		&sql,
		"SELECT min(f), max(t) FROM (SELECT coalesce(min(CASE WHEN days THEN f END), min(f)) AS f, "
		"coalesce(max(CASE WHEN days THEN t END), max(t)) AS t FROM (");
	duck_bill_told(f, "bill WHERE true", &sql);
	str_addz(&sql, " UNION ALL ");
	duck_bill_told(f, "bill_gpu WHERE true", &sql);
	str_addz(&sql, ") b GROUP BY told_by, provider) c");
	e = sql_span(f->con, sql.p, "see which time usage is billed for", ret_from_ms, ret_to_ms,
		     err);
	str_free(&sql);
	return e;
}

static void read_total(const struct answer *r, struct arena *a, void *ret)
{
	struct bill_total *t = ret;
	*t = (struct bill_total){ .currency = answer_text(r, 0, a),
				  .contracted = answer_huge(r, 7),
				  .rows = answer_i64(r, 9),
				  .partial = answer_i64(r, 10) == 1,
				  .used = answer_huge(r, 11),
				  .unspread = answer_huge(r, 12),
				  .used_unbilled = answer_huge(r, 13) };
	for (size_t i = 0; i < BASIS_N; i++) {
		t->cost[i] = answer_huge(r, 1 + 2 * i);
		t->unknown[i] = answer_i64(r, 2 + 2 * i);
	}
}

/*
 * What a line's effective cost is in the window, by the days or the start that the entries beside
 * which it is weighed stand at (book/direct.c). Ratios alone are made of it: the part of a line
 * that reaches over the window may be of floating point.
 */
static void add_part_within(struct str *sql, int64_t since_ms, int64_t until_ms)
{
	long long since = since_ms, until = until_ms;

	if (since_ms > INT64_MIN + MS_DAY)
		since = tm_floor(since_ms + MS_DAY - 1, MS_DAY);
	if (until_ms < INT64_MAX - MS_DAY)
		until = tm_floor(until_ms + MS_DAY - 1, MS_DAY);
	str_addf(
		sql,
		"CASE WHEN (" OF_A_TERM
		") OR to_ms - from_ms <= %lld THEN CASE WHEN from_ms >= %lld THEN effective END "
		"WHEN from_ms >= %lld AND to_ms <= %lld THEN effective "
		"ELSE CAST(CAST(effective AS DOUBLE) * greatest(0, least(to_ms, %lld) - greatest(from_ms, %lld)) / (to_ms - from_ms) AS DECIMAL(38, 12)) END",
		(long long)BILL_SPREAD_MAX_FEE_MS, (long long)MS_DAY, (long long)since_ms, since,
		until, until, since);
}

int facts_bill_totals(struct facts *f, struct span window, struct arena *a, struct bill_total **ret,
		      size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "sum up the bills",
			       .size = sizeof **ret,
			       .read = read_total };
	int e = duck_settle_bills(f, err);
	if (e)
		return e;
	/* Of the lines that touch the window those count that start in it; of the others it is
	 * said that they are there. */
	static const char *const cost[] = { "billed", "effective", "list", "contracted" };
	str_addz(&l.sql, "SELECT coalesce(currency, '') AS cur");
	for (size_t i = 0; i < 4; i++)
		str_addf(&l.sql,
			 ", coalesce(sum(CASE WHEN starts THEN %s END), 0), "
			 "sum(CASE WHEN starts AND %s IS NULL THEN 1 ELSE 0 END)",
			 cost[i], cost[i]);
	str_addf(
		&l.sql,
		", count(*), max(CASE WHEN to_ms > %lld OR NOT starts THEN 1 ELSE 0 END), "
		"coalesce(sum(CASE WHEN commitment_status = 'Used' THEN within END), 0), "
		"coalesce(sum(CASE WHEN charge_category = 'Purchase' AND coalesce(commitment_type, '') <> '' THEN within END), 0), "
		"coalesce(sum(CASE WHEN commitment_status = 'Used' AND billed IS NULL THEN within END), 0) FROM (",
		(long long)window.to_ms);
	/* as a number that SQL takes */
	int64_t since = window.from_ms + (window.from_ms == INT64_MIN);
	for (int t = 0; t < 2; t++) {
		str_addf(
			&l.sql,
			"%sSELECT currency, billed, effective, list, contracted, to_ms, commitment_status, charge_category, commitment_type, ",
			text_if(t, " UNION ALL "));
		add_part_within(&l.sql, since, window.to_ms);
		str_addf(
			&l.sql,
			" AS within, from_ms >= %lld AS starts FROM %s WHERE (from_ms >= %lld OR to_ms > %lld)",
			(long long)since, t ? "bill_gpu" : "bill", (long long)since,
			(long long)since);
		if (window.to_ms != INT64_MAX)
			str_addf(&l.sql, " AND from_ms < %lld", (long long)window.to_ms);
		duck_bill_in_force(f, &l.sql);
	}
	str_addz(&l.sql, ") t GROUP BY cur ORDER BY cur");
	return duck_list(f, &l, a, ret, ret_n, err);
}

/* ---- accounts ---------------------------------------------------------------------------- */

static void read_account(const struct answer *r, struct arena *a, void *ret)
{
	*(struct account_name *)ret = (struct account_name){ arena_sv(a, answer_sv(r, 0)),
							     arena_sv(a, answer_sv(r, 1)) };
}

int facts_account_names(struct facts *f, struct arena *a, struct account_name **ret, size_t *ret_n,
			struct err *err)
{
	struct duck_list l = { .doing = "read the accounts' names",
			       .size = sizeof **ret,
			       .read = read_account };
	int e = duck_settle_bills(f, err);

	if (e)
		return e;
	str_addz(&l.sql, "SELECT id, name FROM (");
	for (int t = 0; t < 2; t++) {
		str_addf(&l.sql,
			 "%sSELECT coalesce(" BILL_ACCOUNT
			 ", '') AS id, coalesce(" BILL_ACCOUNT_NAME
			 ", '') AS name, from_ms FROM %s WHERE true",
			 text_if(t, " UNION ALL "), t ? "bill_gpu" : "bill");
		duck_bill_in_force(f, &l.sql);
	}
	str_addz(
		&l.sql,
		") t WHERE id <> '' GROUP BY id, name ORDER BY id, name = '', max(from_ms) DESC, name");
	return duck_list(f, &l, a, ret, ret_n, err);
}
