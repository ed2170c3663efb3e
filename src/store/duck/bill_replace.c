/* Bills that stand for others: which earlier lines belong to the same provider, account and month,
 * and taking them out of force, line by line. */
#include <assert.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/spans.h"
#include "base/str.h"
#include "base/tm.h"
#include "store/duck/inside.h"
#include "store/duck/temp.h"

/* ---- whose lines ------------------------------------------------------------------------- */

#define DOING "look for earlier bills"

/* What the set names, as tables. */
static int begin_set(struct facts *f, const struct bill_set *set, struct err *err)
{
	struct temp t;
	int e = duck_settle_bills(f, err);
	if (e)
		return e;
	e = temp_start(&t, f->con, "bill_key",
		       "k BIGINT, k_provider VARCHAR, k_account VARCHAR, k_from_ms BIGINT, "
		       "k_to_ms BIGINT, k_any BIGINT",
		       DOING, err);
	for (size_t i = 0; e == 0 && i < set->n && (e = temp_row(&t, err)) == 0; i++) {
		const struct bill_key *k = &set->key[i];
		/* what is replaced is looked up by the month: duck_bill_in_force() */
		assert(tm_month_start(k->from_ms, 0) == k->from_ms);
		str_addf(&t.sql, "%zu, ", i);
		sql_quote(&t.sql, sv_of(k->provider));
		str_addz(&t.sql, ", ");
		sql_quote(&t.sql, sv_of(k->account));
		str_addf(&t.sql, ", %lld, %lld, %d", (long long)k->from_ms, (long long)k->to_ms,
			 k->any_sub);
	}
	e = temp_end(&t, e, err);
	if (e)
		return e;
	size_t ncover = set->partial ? set->ncover : 0;
	e = temp_start(&t, f->con, "bill_cover", "c_k BIGINT, c_sub VARCHAR, c_day BIGINT", DOING,
		       err);
	for (size_t i = 0; e == 0 && i < ncover && (e = temp_row(&t, err)) == 0; i++) {
		const struct bill_cover *c = &set->cover[i];
		str_addf(&t.sql, "%zu, ", c->k);
		sql_quote(&t.sql, sv_of(set->key[c->k].any_sub ? "" : c->sub_account));
		str_addf(&t.sql, ", %lld", (long long)c->day_ms);
	}
	e = temp_end(&t, e, err);
	if (e)
		return e;
	e = temp_start(&t, f->con, "bill_same", "s_k BIGINT, s_sub VARCHAR, s_day BIGINT", DOING,
		       err);
	for (size_t i = 0; e == 0 && i < set->nsame && (e = temp_row(&t, err)) == 0; i++) {
		const struct bill_cover *c = &set->same[i];
		str_addf(&t.sql, "%zu, ", c->k);
		sql_quote(&t.sql, sv_of(c->sub_account));
		str_addf(&t.sql, ", %lld", (long long)c->day_ms);
	}
	return temp_end(&t, e, err);
}

/* The first source that is not earlier: rows of a batch are told from earlier ones by it. */
static long long end_src(const struct facts *f)
{
	if (f->batch)
		return (long long)store_source(f->batch, 0);
	return INT64_MAX;
}

/* As model/cloud_id.c folds them: rows of older programs have the ids as they were written. */
#define ONE_FORM(col, path)                                                                      \
	"CASE WHEN provider = 'azure' THEN regexp_replace(lower(coalesce(" col ", '')), '^" path \
	"([^/]+).*$', '\\1') ELSE coalesce(" col ", '') END"
#define ACCOUNT     ONE_FORM("account", "/providers/microsoft\\.billing/billingaccounts/")
#define SUB_ACCOUNT ONE_FORM("sub_account", "/subscriptions/")
#define OF_KEY                                                                 \
	"bill_key ON coalesce(provider, '') = k_provider AND " ACCOUNT         \
	" = k_account AND coalesce(period_from_ms, from_ms) >= k_from_ms AND " \
	"coalesce(period_from_ms, from_ms) < k_to_ms"
/* Each line once: a cover is given once, and sub accounts that are not compared are one. */
#define COVERED                                                                                        \
	" JOIN (SELECT DISTINCT c_k, c_sub, c_day FROM bill_cover) c ON c_k = k AND c_day = " BILL_DAY \
	" AND c_sub = CASE WHEN k_any = 1 THEN '' ELSE " SUB_ACCOUNT " END"

#define SAME_AS "bill_same ON s_k = k AND s_day = " BILL_DAY " AND s_sub = " SUB_ACCOUNT

static const char *covered_join(const struct bill_set *set, bool taken)
{
	if (!taken)
		return "";
	return set->partial ? COVERED " ANTI JOIN " SAME_AS : " ANTI JOIN " SAME_AS;
}

/* "(SELECT ... of every line of the keys) l"; taken: only of those that go. */
static void lines_of_keys(const struct facts *f, const struct bill_set *set, bool in_force,
			  bool taken, struct str *sql)
{
	for (int t = 0; t < 2; t++) {
		str_addz(sql, t ? " UNION ALL " : "(");
		str_addz(
			sql,
			"SELECT src, k, provider, account, sub_account, currency, billed, " SUB_ACCOUNT
			" AS sub, " BILL_DAY " AS day, k_from_ms, k_to_ms FROM ");
		str_addf(sql, "%s JOIN ", t ? "bill_gpu" : "bill");
		str_addz(sql, OF_KEY);
		str_addf(sql, "%s WHERE true", covered_join(set, taken));
		if (in_force)
			duck_bill_in_force(f, sql);
	}
	str_addz(sql, ") l");
}

static void read_earlier(const struct answer *r, struct arena *a, void *ret)
{
	*(struct bill_earlier *)ret = (struct bill_earlier){ .src = answer_i64(r, 0),
							     .k = (size_t)answer_i64(r, 1),
							     .sub_account = answer_text(r, 2, a).p,
							     .day_ms = answer_i64(r, 3),
							     .currency = answer_text(r, 4, a).p,
							     .lines = answer_i64(r, 5),
							     .billed = answer_huge(r, 6) };
}

int facts_bill_earlier(struct facts *f, const struct bill_set *set, struct arena *a,
		       struct bill_earlier **ret, size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "look for earlier bills",
			       .size = sizeof **ret,
			       .read = read_earlier };
	int e = begin_set(f, set, err);
	if (e)
		return e;
	str_addz(
		&l.sql,
		"SELECT src, k, sub, day, coalesce(currency, '') AS cur, count(*), coalesce(sum(billed), 0) FROM ");
	lines_of_keys(f, set, true, false, &l.sql);
	str_addf(&l.sql,
		 " WHERE src < %lld GROUP BY src, k, sub, day, cur ORDER BY src, k, sub, day, cur",
		 end_src(f));
	return duck_list(f, &l, a, ret, ret_n, err);
}

/* ---- the same lines again ---------------------------------------------------------------- */

/* All that a line says, whatever file and form it came in: an empty text is none. The id of its
 * invoice is none of it, as it is empty until a month is closed, nor are names of what has an
 * id. */
#define LINE_COLUMNS                                                                        \
	"coalesce(provider, ''), coalesce(nullif(account, ''), account_name, ''), "         \
	"coalesce(nullif(sub_account, ''), sub_account_name, ''), "                         \
	"coalesce(currency, ''), coalesce(charge_category, ''), "                           \
	"coalesce(charge_class, ''), coalesce(charge_frequency, ''), "                      \
	"coalesce(charge_description, ''), coalesce(pricing_category, ''), "                \
	"coalesce(service_category, ''), coalesce(service_name, ''), "                      \
	"coalesce(sku_id, ''), coalesce(sku_price_id, ''), coalesce(usage_type, ''), "      \
	"coalesce(instance_type, ''), coalesce(region, ''), coalesce(zone, ''), "           \
	"coalesce(resource_id, ''), coalesce(nullif(resource_id, ''), resource_name, ''), " \
	"coalesce(resource_type, ''), coalesce(commitment_id, ''), "                        \
	"coalesce(commitment_type, ''), coalesce(commitment_status, ''), "                  \
	"coalesce(tags, ''), coalesce(unit, ''), "                                          \
	"from_ms, to_ms, period_from_ms, period_to_ms, quantity, billed, effective, list, " \
	"contracted"
#define LINE_HASH "hash(" LINE_COLUMNS ")"
/* What is used of a resource and when, whatever it is called and costs; NULL: the line does not
 * say. A correction is none, nor is what is taken back the use that it is of, nor are credits and
 * discounts, several of which are of one use. */
#define USE_COLUMNS                                                                      \
	"coalesce(billed, effective, 0) < 0, provider, account, sub_account, currency, " \
	"charge_category, service_name, region, resource_id, commitment_id, from_ms, "   \
	"to_ms, quantity, unit, "                                                        \
	"coalesce(nullif(concat(sku_id, '/', usage_type), '/'), charge_description)"
#define IS_USE                                                                     \
	"resource_id <> '' AND quantity <> 0 AND coalesce(charge_class, '') = '' " \
	"AND coalesce(charge_category, '') NOT IN ('Credit', 'Adjustment')"
#define USE_HASH "CASE WHEN " IS_USE " THEN hash(" USE_COLUMNS ") END"
#define COSTED   " WHERE (coalesce(billed, 0) <> 0 OR coalesce(effective, 0) <> 0)"

static void read_repeat(const struct answer *r, struct arena *a, void *ret)
{
	*(struct bill_repeat *)ret = (struct bill_repeat){ .src = answer_i64(r, 0),
							   .of_src = answer_i64(r, 1),
							   .lines = answer_i64(r, 2),
							   .repeated = answer_i64(r, 3),
							   .of_lines = answer_i64(r, 4),
							   .of_path = answer_text(r, 5, a).p,
							   .k = (size_t)answer_i64(r, 6),
							   .currency = answer_text(r, 7, a).p,
							   .billed = answer_huge(r, 8) };
}

int facts_bill_repeats(struct facts *f, const struct bill_set *set, struct arena *a,
		       struct bill_repeat **ret, size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "look for bills that came twice",
			       .size = sizeof **ret,
			       .read = read_repeat };
	int e = begin_set(f, set, err);
	if (e)
		return e;
	/* The same line begins at the same time. */
	struct span now;
	/* when lines of the batch begin, first and last; UNKNOWN_MS where there are none */
	struct str sql = { 0 };

	str_addz(&sql, "SELECT min(t), max(t) FROM (");
	for (int t = 0; t < 2; t++)
		str_addf(&sql, "%sSELECT from_ms AS t FROM %s JOIN " OF_KEY " WHERE src >= %lld",
			 text_if(t, " UNION ALL "), t ? "bill_gpu" : "bill", end_src(f));
	str_addz(&sql, ") l");
	e = sql_span(f->con, sql.p, "look for bills that came twice", &now.from_ms, &now.to_ms,
		     err);
	str_free(&sql);
	*ret = NULL;
	*ret_n = 0;
	if (e || now.from_ms == UNKNOWN_MS)
		return e;
	str_addz(&l.sql, "WITH l AS (");
	for (int t = 0; t < 2; t++) {
		str_addf(
			&l.sql,
			"%sSELECT src, k, coalesce(currency, '') AS cur, coalesce(billed, 0) AS b, " LINE_HASH
			" AS h FROM %s JOIN " OF_KEY COSTED " AND from_ms BETWEEN %lld AND %lld",
			text_if(t, " UNION ALL "), t ? "bill_gpu" : "bill", (long long)now.from_ms,
			(long long)now.to_ms);
		duck_bill_in_force(f, &l.sql);
	}
	str_addz(&l.sql, "), a AS (");
	for (int t = 0; t < 2; t++) {
		str_addf(&l.sql, "%sSELECT src FROM %s JOIN " OF_KEY COSTED,
			 text_if(t, " UNION ALL "), t ? "bill_gpu" : "bill");
		duck_bill_in_force(f, &l.sql);
	}
	str_addf(
		&l.sql,
		"), c AS (SELECT src, h, k, cur, b, count(*) AS n FROM l GROUP BY src, h, k, cur, b), "
		"s AS (SELECT src, count(*) AS n FROM a GROUP BY src) "
		"SELECT x.src, y.src, s.n, sum(least(x.n, y.n))::BIGINT, o.n, coalesce(max(f.path), ''), "
		"x.k, x.cur, sum(x.b * least(x.n, y.n)) "
		"FROM c x JOIN c y ON x.h = y.h AND x.k = y.k AND x.cur = y.cur AND x.b = y.b AND y.src < x.src "
		"JOIN s ON s.src = x.src JOIN s o ON o.src = y.src "
		"LEFT JOIN batch_file f ON f.src = y.src WHERE x.src >= %lld "
		"GROUP BY x.src, y.src, s.n, o.n, x.k, x.cur ORDER BY x.src, y.src, x.k, x.cur",
		end_src(f));
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_again(const struct answer *r, struct arena *a, void *ret)
{
	*(struct bill_again *)ret = (struct bill_again){
		.src = answer_i64(r, 0),
		.of_src = answer_i64(r, 1),
		.at = { (size_t)answer_i64(r, 2), answer_text(r, 3, a).p, answer_i64(r, 4) },
		.lines = answer_i64(r, 5),
		.of_lines = answer_i64(r, 6),
		.repeated = answer_i64(r, 7),
		.used = answer_i64(r, 8)
	};
}

int facts_bill_again(struct facts *f, const struct bill_set *set, bool before, struct arena *a,
		     struct bill_agains *ret, struct err *err)
{
	struct duck_list l = { .doing = "look for bills that came twice",
			       .size = sizeof *ret->v,
			       .read = read_again };
	const char *src = text_if(!before, "src"), *end = before ? "-1" : "";
	int e = begin_set(f, set, err);
	if (e)
		return e;
	/* each line twice, as what it says and as what was used */
	str_addz(&l.sql, "WITH b AS (");
	for (int t = 0; t < 2; t++) {
		str_addf(&l.sql,
			 "%sSELECT src, k, " SUB_ACCOUNT " AS sub, " BILL_DAY " AS day, " LINE_HASH
			 " AS h, " USE_HASH " AS u FROM %s JOIN " OF_KEY " WHERE true",
			 text_if(t, " UNION ALL "), t ? "bill_gpu" : "bill");
		duck_bill_in_force(f, &l.sql);
	}
	str_addz(
		&l.sql,
		"), l AS (SELECT src, k, sub, day, h, 0 AS w FROM b UNION ALL SELECT src, k, sub, day, u, 1 FROM b "
		"WHERE u IS NOT NULL");
	str_addf(
		&l.sql,
		"), x AS (SELECT %s%s AS s, k, sub, day, h, w, count(*) AS n FROM l WHERE src >= %lld GROUP BY ALL), "
		"y AS (SELECT %s%s AS s, k, sub, day, h, w, count(*) AS n FROM l WHERE src %s %lld GROUP BY ALL), "
		"r AS (SELECT x.s AS xs, y.s AS ys, k, sub, day, sum(CASE WHEN w = 0 THEN least(x.n, y.n) END) AS n, "
		"sum(CASE WHEN w = 1 THEN least(x.n, y.n) END) AS u FROM x JOIN y USING (k, sub, day, h, w) "
		"WHERE %s GROUP BY ALL), "
		"dx AS (SELECT s, k, sub, day, sum(n) AS n FROM x WHERE w = 0 GROUP BY ALL), "
		"dy AS (SELECT s, k, sub, day, sum(n) AS n FROM y WHERE w = 0 GROUP BY ALL) "
		"SELECT p.xs, p.ys, p.k, dx.sub, dx.day, dx.n::BIGINT, dy.n::BIGINT, coalesce(r.n, 0)::BIGINT, coalesce(r.u, 0)::BIGINT "
		"FROM (SELECT DISTINCT xs, ys, k FROM r) p JOIN dx ON dx.s = p.xs AND dx.k = p.k "
		"JOIN dy ON dy.s = p.ys AND dy.k = p.k AND dy.sub = dx.sub AND dy.day = dx.day "
		"LEFT JOIN r ON r.xs = p.xs AND r.ys = p.ys AND r.k = p.k AND r.sub = dx.sub AND r.day = dx.day "
		"ORDER BY p.xs, p.ys, p.k, dx.sub, dx.day",
		src, end, end_src(f), src, end, before ? "<" : ">=", end_src(f),
		before ? "true" : "y.s < x.s");
	return duck_list(f, &l, a, &ret->v, &ret->n, err);
}

/* ---- the same bill in another format ------------------------------------------------------- */

static void read_retold(const struct answer *r, struct arena *a, void *ret)
{
	*(struct bill_retold *)ret = (struct bill_retold){ .src = answer_i64(r, 0),
							   .of_src = answer_i64(r, 1),
							   .kind = answer_text(r, 2, a).p,
							   .of_kind = answer_text(r, 3, a).p,
							   .of_path = answer_text(r, 4, a).p,
							   .k = (size_t)answer_i64(r, 5),
							   .days = answer_i64(r, 6),
							   .of_days = answer_i64(r, 7),
							   .sums = answer_i64(r, 8),
							   .named = answer_i64(r, 9),
							   .of_named = answer_i64(r, 10),
							   .used = answer_i64(r, 11),
							   .of_used = answer_i64(r, 12) };
}

/* Of a file, and whether it names resources: Google's standard export does not, its detailed one
 * does, and they are two formats of one bill. */
#define FORMATS                                                                               \
	"SELECT src, any_id, kind || CASE WHEN any_id THEN '' ELSE ' without resources' END " \
	"AS kind FROM h JOIN (SELECT src, kind FROM bill_format UNION ALL SELECT src, kind "  \
	"FROM batch_file WHERE src < %lld) o USING (src)"
#define TO_THE_CENT "abs(x.v - y.v) < 0.005 AND abs(x.v) >= 0.005"
/* join_tail(): "i-0abc" of a CUR is "arn:aws:ec2:us-east-1:7:instance/i-0abc" of FOCUS. A machine
 * of a scale set is the set, as Azure's FOCUS names it. */
#define ID_TAIL                                                                        \
	"regexp_extract(regexp_replace(lower(rtrim(coalesce(resource_id, ''), '/')), " \
	"'(/virtualmachinescalesets/[^/]+)/virtualmachines/[^/]+$', '\\1'), '[^/:]*$')"
/* Hours of machines, which are the same before and after discounts and credits and however a
 * commitment's cost is told; licences have the hours of their machines too. */
#define MACHINE "lower(coalesce(nullif(instance_type, ''), gpu_model, ''))"
#define HOURS                                                                    \
	"CASE WHEN " MACHINE " <> '' AND kind IN (%d, %d) AND quantity > 0 AND " \
	"charge_category = 'Usage' AND coalesce(charge_class, '') = '' AND "     \
	"coalesce(commitment_status, '') <> 'Unused' THEN quantity END"
#define AS_LONG "abs(x.v - y.v) <= greatest(0.01, x.v / 1000)"

/* In which format each file of the call came. */
static int put_formats(struct facts *f, const struct bill_set *set, const char *doing,
		       struct err *err)
{
	struct temp t;
	int e = temp_start(&t, f->con, "bill_format", "src BIGINT, kind VARCHAR", doing, err);

	if (e)
		return e;
	for (size_t i = 0; e == 0 && i < set->nformat && (e = temp_row(&t, err)) == 0; i++) {
		str_addf(&t.sql, "%lld, ", (long long)set->format[i].src);
		sql_quote(&t.sql, sv_of(set->format[i].kind));
	}
	return temp_end(&t, e, err);
}

/* In how many formats the bills of the set came. */
static int count_formats(struct facts *f, const char *doing, int64_t *ret, struct err *err)
{
	struct str sql = { 0 };

	str_addz(&sql, "WITH h AS (SELECT src, bool_or(id <> '') AS any_id FROM (");
	for (int i = 0; i < 2; i++)
		str_addf(&sql, "%sSELECT src, coalesce(resource_id, '') AS id FROM %s JOIN " OF_KEY,
			 text_if(i, " UNION ALL "), i ? "bill_gpu" : "bill");
	str_addf(&sql, ") l GROUP BY src) SELECT count(DISTINCT kind) FROM (" FORMATS ") n",
		 end_src(f));
	int e = sql_number(f->con, sql.p, doing, 0, ret, err);
	str_free(&sql);
	return e;
}

int facts_bill_retold(struct facts *f, const struct bill_set *set, struct arena *a,
		      struct bill_retold **ret, size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "look for bills that came in two formats",
			       .size = sizeof **ret,
			       .read = read_retold };
	int64_t formats = 0;
	int e = begin_set(f, set, err);

	if (!e)
		e = put_formats(f, set, l.doing, err);
	if (!e)
		e = count_formats(f, l.doing, &formats, err);
	*ret = NULL;
	*ret_n = 0;
	if (e || formats < 2)
		return e;
	str_addz(&l.sql, "WITH l AS (SELECT * FROM (");
	for (int i = 0; i < 2; i++) {
		str_addf(&l.sql,
			 "%sSELECT src, k, CASE WHEN k_any = 1 THEN '' ELSE " SUB_ACCOUNT
			 " END AS sub, " BILL_DAY " AS day, coalesce(currency, '') AS cur, " ID_TAIL
			 " AS r, " MACHINE " AS m, billed AS b, " HOURS " AS q FROM %s JOIN " OF_KEY
			 " WHERE true",
			 text_if(i, " UNION ALL "), KIND_GPU, KIND_OTHER, i ? "bill_gpu" : "bill");
		duck_bill_in_force(f, &l.sql);
	}
	/* what: 0 money of a day, 1 of a resource on it, 2 hours of a resource, 3 of a type, where
	 * one of the two formats names no resources */
	str_addf(
		&l.sql,
		") b WHERE b <> 0 OR q IS NOT NULL), h AS (SELECT src, bool_or(r <> '') AS any_id FROM l GROUP BY src), "
		"n AS (SELECT l.*, kind, any_id, l.src >= %lld AS now FROM l JOIN (" FORMATS
		") o ON o.src = l.src), "
		"z AS (SELECT 0 AS what, kind, any_id, now, k, sub, day, cur, '' AS r, sum(b) AS v, min(src) AS src FROM n WHERE b <> 0 GROUP BY ALL "
		"UNION ALL SELECT 1, kind, any_id, now, k, sub, day, cur, r, sum(b), min(src) FROM n WHERE b <> 0 AND r <> '' GROUP BY ALL "
		"UNION ALL SELECT 2, kind, any_id, now, k, sub, day, '', r, sum(q), min(src) FROM n WHERE q > 0 AND r <> '' GROUP BY ALL "
		"UNION ALL SELECT 3, kind, any_id, now, k, sub, day, '', m, sum(q), min(src) FROM n WHERE q > 0 GROUP BY ALL), "
		"p AS (SELECT what, x.src AS xs, y.src AS ys, x.kind AS xk, y.kind AS yk, k, x.v, CASE WHEN what < 2 THEN " TO_THE_CENT
		" ELSE " AS_LONG
		" END AS same FROM z x JOIN z y USING (what, k, sub, day, cur, r) WHERE x.now AND x.kind <> y.kind AND "
		"(NOT y.now OR y.kind < x.kind) AND (what < 3 OR NOT (x.any_id AND y.any_id))), "
		"q AS (SELECT min(xs) AS xs, min(ys) AS ys, xk, yk, k, count(*) FILTER (same AND what = 0) AS n, "
		"count(*) FILTER (what = 0) AS of, count(DISTINCT round(v, 2)) FILTER (same AND what = 0) AS sums, "
		"count(*) FILTER (same AND what = 1) AS rn, count(*) FILTER (what = 1) AS rof, "
		"count(*) FILTER (same AND what > 1) AS un, count(*) FILTER (what > 1) AS uof FROM p GROUP BY xk, yk, ys >= %lld, k) "
		"SELECT xs, ys, xk, yk, coalesce(max(f.path), ''), k, n, of, sums, rn, rof, un, uof FROM q "
		"LEFT JOIN batch_file f ON f.src = ys GROUP BY ALL ORDER BY k, xs, ys",
		end_src(f), end_src(f), end_src(f));
	return duck_list(f, &l, a, ret, ret_n, err);
}

/* ---- the two sides of an Azure bill -------------------------------------------------------- */

#define COVERED_UNCOSTED "(commitment_status = 'Used' AND effective IS NULL)"
#define IS_ACTUAL                                                                     \
	"(" COVERED_UNCOSTED " OR (charge_category = 'Purchase' AND commitment_type " \
	"<> ''))"
#define IS_AMORTISED                                                        \
	"(commitment_status = 'Unused' OR (commitment_status = 'Used' AND " \
	"coalesce(billed, 0) = 0 AND effective <> 0))"

static void read_side(const struct answer *r, struct arena *a, void *ret)
{
	(void)a;
	*(struct bill_side *)ret = (struct bill_side){ answer_i64(r, 0), (size_t)answer_i64(r, 1),
						       answer_i64(r, 2) != 0,
						       answer_i64(r, 3) != 0 };
}

int facts_bill_sides(struct facts *f, const struct bill_set *set, struct arena *a,
		     struct bill_side **ret, size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = DOING, .size = sizeof **ret, .read = read_side };
	int e = begin_set(f, set, err);
	if (e)
		return e;
	str_addz(&l.sql, "SELECT src, k, max(act), max(am) FROM (");
	for (int t = 0; t < 2; t++) {
		str_addf(&l.sql,
			 "%sSELECT src, k, CASE WHEN " IS_ACTUAL
			 " THEN 1 ELSE 0 END::BIGINT AS act, CASE WHEN " IS_AMORTISED
			 " THEN 1 ELSE 0 END::BIGINT AS am FROM %s JOIN " OF_KEY
			 " WHERE provider = 'azure'",
			 text_if(t, " UNION ALL "), t ? "bill_gpu" : "bill");
		duck_bill_in_force(f, &l.sql);
	}
	str_addz(&l.sql, ") l GROUP BY src, k HAVING max(act) + max(am) > 0 ORDER BY src, k");
	return duck_list(f, &l, a, ret, ret_n, err);
}

/* $1 the file that loses lines; where `args` has them $2 the other file and $3 the key of a
 * bill. */
struct losing {
	const char *args;
	int64_t src, other, key;
};

/* "DELETE FROM ..." of lines; returns of how many rows of their files they were, 1 at least where
 * there were any. (RETURNING leaves out rows of the open transaction.) */
static int64_t delete_lines(struct facts *f, const char *sql, const char *doing,
			    const struct losing *of, struct err *err)
{
	struct str ask = { 0 };
	struct answer r;
	int64_t rows = 0;

	str_addf(&ask, "SELECT coalesce(sum(file_rows), 0)::BIGINT %s", sql + strlen("DELETE "));
	int64_t n = answer_open(&r, &(struct sql_query){ f->con, ask.p, doing }, err, of->args,
				of->src, of->other, of->key);
	str_free(&ask);
	if (n < 0)
		return n;
	n = answer_next(&r, err);
	if (n > 0)
		rows = answer_i64(&r, 0);
	answer_close(&r);
	if (n >= 0)
		n = sql_change(f->con, sql, doing, err, of->args, of->src, of->other, of->key);
	if (n <= 0)
		return n;
	return max_i64(rows, 1);
}

int64_t facts_bill_join_sides(struct facts *f, const struct bill_set *set, int64_t actual_src,
			      int64_t amortised_src, size_t k, struct err *err)
{
	/* $1 the amortised file, $2 the other, $3 the key: of the days that the actual one has
	 * nothing was invoiced for what commitments cover */
	static const char covered[] =
		"UPDATE %s%s SET billed = 0 WHERE rowid IN (SELECT b.rowid FROM %s%s b JOIN " OF_KEY
		" WHERE src = $1 AND k = $3 AND billed IS NULL AND effective IS NOT NULL AND "
		"commitment_status IN ('Used', 'Unused') AND " BILL_DAY " IN (SELECT " BILL_DAY
		" FROM (FROM %sbill UNION ALL BY NAME FROM %sbill_gpu) b JOIN " OF_KEY
		" WHERE src = $2 AND k = $3))";
	/* $1 the file that loses them, $2 the other, $3 the key; the amortised side last: its days
	 * are asked for */
	static const char *const gone[] = {
		"SELECT b.rowid FROM %s%s b JOIN " OF_KEY
		" WHERE src = $1 AND k = $3 AND " COVERED_UNCOSTED " AND (" SUB_ACCOUNT
		", " BILL_DAY ") IN (SELECT (" SUB_ACCOUNT ", " BILL_DAY
		") FROM (FROM %sbill UNION ALL BY NAME FROM %sbill_gpu) b JOIN " OF_KEY
		" WHERE src = $2 AND k = $3)",
		"SELECT x.id FROM (SELECT b.rowid AS id, " LINE_HASH
		" AS h, row_number() OVER (PARTITION BY " LINE_HASH
		") AS i FROM %s%s b JOIN " OF_KEY
		" WHERE src = $1 AND k = $3) x JOIN (SELECT " LINE_HASH
		" AS h, count(*) AS n FROM (FROM %sbill UNION ALL BY NAME FROM %sbill_gpu) b JOIN " OF_KEY
		" WHERE src = $2 AND k = $3 GROUP BY ALL) y ON x.h = y.h AND x.i <= y.n",
	};
	int64_t n = 0, r = begin_set(f, set, err);
	for (int i = 0; i < 2 && r >= 0; i++) {
		const char *table = i ? "bill_gpu" : "bill";
		struct str sql = { 0 };
		str_addf(&sql, covered, f->into, table, f->into, table, f->into, f->into);
		r = sql_change(f->con, sql.p, "bring two exports of a bill together", err, "iii",
			       amortised_src, actual_src, (int64_t)k);
		str_free(&sql);
	}
	for (int i = 0; i < 4 && r >= 0; i++) {
		const char *table = i % 2 ? "bill_gpu" : "bill";
		int side = i / 2;
		struct str from = { 0 }, sql = { 0 };
		str_addf(&from, gone[side], f->into, table, f->into, f->into);
		str_addf(&sql, "DELETE FROM %s%s WHERE rowid IN (%s)", f->into, table, from.p);
		const struct losing of = { "iii", side ? amortised_src : actual_src,
					   side ? actual_src : amortised_src, (int64_t)k };
		r = delete_lines(f, sql.p, "bring two exports of a bill together", &of, err);
		str_free(&from);
		str_free(&sql);
		n += r > 0 ? r : 0;
	}
	duck_forget_bill_names(f);
	return r < 0 ? r : n;
}

/* ---- days that say the same ---------------------------------------------------------------- */

static void read_cover(const struct answer *r, struct arena *a, void *ret)
{
	*(struct bill_cover *)ret = (struct bill_cover){ (size_t)answer_i64(r, 0),
							 answer_text(r, 1, a).p, answer_i64(r, 2) };
}

/* With what tare made of the line; a machine that took lines without a type is no part of it. */
int facts_bill_same(struct facts *f, const struct bill_set *set, int64_t since_src, struct arena *a,
		    struct bill_covers *ret, struct err *err)
{
	struct duck_list l = { .doing = DOING, .size = sizeof *ret->v, .read = read_cover };
	int e = begin_set(f, set, err);
	if (e)
		return e;
	str_addz(&l.sql, "SELECT k, sub, day FROM (");
	for (int t = 0; t < 2; t++) {
		str_addf(
			&l.sql,
			"%sSELECT src, k, " SUB_ACCOUNT " AS sub, " BILL_DAY
			" AS day, CAST(hash(" LINE_COLUMNS
			", coalesce(invoice, ''), coalesce(account_name, ''), coalesce(sub_account_name, ''), coalesce(resource_name, ''), gpu_model, gpu_milli, purchase, CASE WHEN %d AND gpu_milli = 0 THEN %d ELSE kind END) AS HUGEINT) AS h "
			"FROM %s JOIN " OF_KEY " WHERE true",
			t ? " UNION ALL " : "", t, KIND_OTHER, t ? "bill_gpu" : "bill");
		duck_bill_in_force(f, &l.sql);
	}
	str_addf(
		&l.sql,
		") l GROUP BY k, sub, day HAVING min(src) >= %lld AND sum(CASE WHEN src < %lld THEN 1 ELSE -1 END) = 0 "
		"AND sum(CASE WHEN src < %lld THEN h ELSE -h END) = 0 ORDER BY k, sub, day",
		(long long)since_src, end_src(f), end_src(f));
	return duck_list(f, &l, a, &ret->v, &ret->n, err);
}

int64_t facts_bill_take_back(struct facts *f, const struct bill_set *set, int64_t src,
			     struct err *err)
{
	int64_t n = 0, r = begin_set(f, set, err);
	for (int t = 0; t < 2 && r >= 0; t++) {
		const char *table = t ? "bill_gpu" : "bill";
		struct str sql = { 0 };
		str_addf(&sql,
			 "DELETE FROM %s%s WHERE rowid IN (SELECT b.rowid FROM %s%s b JOIN " OF_KEY
			 " JOIN " SAME_AS " WHERE src = $1)",
			 f->into, table, f->into, table);
		const struct losing of = { .args = "i", .src = src };
		r = delete_lines(f, sql.p, "leave out what is there already", &of, err);
		str_free(&sql);
		n += r > 0 ? r : 0;
	}
	duck_forget_bill_names(f);
	return r < 0 ? r : n;
}

int facts_bill_spans(struct facts *f, struct arena *a, struct scope_spans *ret, struct err *err)
{
	struct duck_list l = { .doing = "look for what to post",
			       .size = sizeof *ret->v,
			       .read = duck_read_span };
	int e = duck_settle_bills(f, err);
	if (e)
		return e;
	str_addf(&l.sql,
		 "SELECT scope, min(from_ms), max(to_ms) FROM bill_gpu WHERE scope <> '' "
		 "AND src >= %lld GROUP BY scope ORDER BY scope",
		 end_src(f));
	return duck_list(f, &l, a, &ret->v, &ret->n, err);
}

/* ---- taking out -------------------------------------------------------------------------- */

static void read_taken(const struct answer *r, struct arena *a, void *ret)
{
	(void)a;
	*(struct bill_taken *)ret = (struct bill_taken){ answer_i64(r, 0), answer_i64(r, 1) == 0,
							 answer_i64(r, 2) == 0 };
}

/* Earlier files with lines of the keys, how many lines of each stay in force, and how many go. */
int facts_bill_files(struct facts *f, const struct bill_set *set, struct arena *a,
		     struct bill_files *ret, struct err *err)
{
	struct duck_list l = { .doing = "look for what to replace",
			       .size = sizeof *ret->v,
			       .read = read_taken };
	int e = begin_set(f, set, err);
	if (e)
		return e;
	str_addz(&l.sql, "WITH f AS (SELECT DISTINCT src FROM ");
	lines_of_keys(f, set, false, true, &l.sql);
	str_addf(&l.sql,
		 " WHERE src < %lld) SELECT f.src, coalesce(max(o.n), 0) - coalesce(max(m.n), 0), "
		 "coalesce(max(m.n), 0) FROM f LEFT JOIN (SELECT src, count(*) AS n FROM (",
		 end_src(f));
	for (int t = 0; t < 2; t++) {
		str_addf(&l.sql, "%sSELECT src FROM %s WHERE src IN (FROM f)",
			 text_if(t, " UNION ALL "), t ? "bill_gpu" : "bill");
		duck_bill_in_force(f, &l.sql);
	}
	str_addz(&l.sql,
		 ") a GROUP BY src) o ON o.src = f.src LEFT JOIN (SELECT src, count(*) AS n FROM ");
	lines_of_keys(f, set, true, true, &l.sql);
	str_addz(&l.sql, " GROUP BY src) m ON m.src = f.src GROUP BY f.src ORDER BY f.src");
	return duck_list(f, &l, a, &ret->v, &ret->n, err);
}

/* Rows name the ids as they are in the lines, so that what is in force needs no form of its own. */
static int64_t take_out(struct facts *f, const struct bill_set *set, const struct bill_taken *file,
			struct err *err)
{
	struct str sql = { 0 };
	bool parts = set->partial || set->nsame;
	int64_t r;
	if (file->whole)
		return sql_change(f->con, duck_into(f, "INSERT INTO reversal VALUES ($1, $2)"),
				  "replace earlier rows", err, "ii", f->batch, file->src);
	str_addf(
		&sql,
		"INSERT INTO %s SELECT DISTINCT $1::BIGINT, src, coalesce(provider, ''), coalesce(account, ''), %sk_from_ms, k_to_ms FROM ",
		parts ? "bill_part_reversal" : "bill_reversal",
		text_if(parts, "coalesce(sub_account, ''), day, "));
	lines_of_keys(f, set, true, true, &sql);
	str_addz(&sql, " WHERE src = $2");
	r = sql_change(f->con, duck_into(f, sql.p), "replace earlier rows", err, "ii", f->batch,
		       file->src);
	str_free(&sql);
	return r;
}

int facts_bill_take_out(struct facts *f, const struct bill_set *set, const struct bill_files *files,
			struct arena *a, struct scope_spans *ret, struct err *err)
{
	int64_t r = begin_set(f, set, err);
	if (!r) {
		struct duck_list l = { .doing = "look for what to replace",
				       .size = sizeof *ret->v,
				       .read = duck_read_span };
		str_addf(
			&l.sql,
			"SELECT sc, min(from_ms), max(to_ms) FROM (SELECT src, provider, account, sub_account, period_from_ms, from_ms, to_ms, " BILL_SCOPE
			" AS sc FROM " BILL_SCOPED ") g JOIN " OF_KEY
			"%s WHERE sc <> '' AND src < %lld",
			covered_join(set, true), end_src(f));
		duck_bill_in_force(f, &l.sql);
		str_addz(&l.sql, " GROUP BY sc ORDER BY sc");
		r = duck_list(f, &l, a, &ret->v, &ret->n, err);
	}
	for (size_t i = 0; r >= 0 && i < files->n; i++)
		if (!files->v[i].stale)
			r = take_out(f, set, &files->v[i], err);
	f->reversed_loaded = false;
	if (r < 0)
		return (int)r;
	return 0;
}

/* ---- taking a newer one out again ----------------------------------------------------------- */

static void read_undo(const struct answer *r, struct arena *a, void *ret)
{
	*(struct bill_undo *)ret =
		(struct bill_undo){ .src = answer_i64(r, 0),
				    .what = (enum bill_undo_what)answer_i64(r, 1),
				    .other = answer_i64(r, 2),
				    .currency = answer_text(r, 3, a).p,
				    .rows = answer_i64(r, 4),
				    .billed = answer_huge(r, 5) };
}

#define ONE_BILL "o.p = l.p AND o.acc = l.acc AND o.m = l.m"
#define ONE_DAY  ONE_BILL " AND o.day = l.day AND (o.sub = l.sub OR o.sub = '' OR l.sub = '')"

int facts_bill_undo(struct facts *f, const struct bill_undo_ask *q, struct arena *a,
		    struct bill_undo **ret, size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "look for what was replaced",
			       .size = sizeof **ret,
			       .read = read_undo };
	static const char *const head[] = { "l AS (", " UNION ALL ", "), g AS (", " UNION ALL " };
	int e = duck_settle_bills(f, err);

	if (e)
		return e;
	/* i: the files asked for; l: lines in force of their time; g: all of those that were
	 * replaced, o: of these the lines that are out */
	str_addz(&l.sql, "WITH i AS (SELECT * FROM (VALUES (-1::BIGINT, false)");
	for (size_t i = 0; i < q->n; i++)
		str_addf(&l.sql, ", (%lld, false)", (long long)q->src[i]);
	for (size_t i = 0; i < q->ngone; i++)
		str_addf(&l.sql, ", (%lld, true)", (long long)q->gone[i]);
	str_addz(
		&l.sql,
		") v(src, gone)), s AS (SELECT min(from_ms) AS lo, max(from_ms) AS hi FROM (SELECT src, from_ms FROM bill UNION ALL "
		"SELECT src, from_ms FROM bill_gpu) b WHERE src IN (SELECT src FROM i)), ");
	for (int t = 0; t < 4; t++) {
		str_addf(
			&l.sql,
			"%sSELECT src, coalesce(provider, '') AS p, " ACCOUNT
			" AS acc, date_trunc('month', epoch_ms(coalesce(period_from_ms, from_ms))) AS m, " SUB_ACCOUNT
			" AS sub, " BILL_DAY
			" AS day, coalesce(currency, '') AS cur, coalesce(billed, 0) AS b, %s AS r FROM %s WHERE ",
			head[t], duck_bill_rows(f), t % 2 ? "bill_gpu" : "bill");
		if (t > 1) {
			str_addz(&l.sql, "src IN (SELECT src FROM i WHERE gone)");
			continue;
		}
		str_addz(&l.sql, "from_ms BETWEEN (SELECT lo FROM s) AND (SELECT hi FROM s)");
		duck_bill_in_force(f, &l.sql);
	}
	str_addf(
		&l.sql,
		"), o AS (SELECT o.* FROM g o ANTI JOIN l ON l.src = o.src AND " ONE_BILL
		" AND o.day = l.day AND o.sub = l.sub), d AS (SELECT DISTINCT src, p, acc, m, sub, day FROM o), "
		"k AS (SELECT DISTINCT src, p, acc, m, sub, day FROM l), "
		"go AS (SELECT k.* FROM k JOIN i ON i.src = k.src WHERE NOT i.gone) "
		"SELECT src, %d, -1, cur, CAST(sum(r) AS BIGINT), sum(b) FROM l WHERE src IN (SELECT src FROM i WHERE NOT gone) GROUP BY src, cur "
		"UNION ALL SELECT src, %d, -1, cur, CAST(sum(r) AS BIGINT), sum(b) FROM o GROUP BY src, cur "
		"UNION ALL SELECT DISTINCT src, %d, -1, '', 0, 0 FROM k WHERE src IN (SELECT src FROM i WHERE gone) "
		"UNION ALL SELECT DISTINCT o.src, %d, -1, '', 0, 0 FROM d o JOIN go l ON " ONE_DAY
		" UNION ALL SELECT DISTINCT o.src, %d, -1, '', 0, 0 FROM d o JOIN go l ON " ONE_BILL
		" UNION ALL SELECT DISTINCT o.src, %d, l.src, '', 0, 0 FROM d o JOIN k l ON " ONE_DAY
		" AND l.src >= %lld AND l.src NOT IN (SELECT src FROM i) ORDER BY 1, 2, 3, 4",
		UNDO_LEAVES, UNDO_OUT, UNDO_STAYS, UNDO_DAY, UNDO_KEY, UNDO_SHARES,
		(long long)store_source(q->src[0] >> STORE_FILE_BITS, 0));
	return duck_list(f, &l, a, ret, ret_n, err);
}
