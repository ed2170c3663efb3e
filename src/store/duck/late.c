/* What late knowledge changes: how far the data reach, what is still running, what newer rows tell
 * otherwise than older ones did. */
#include <stdlib.h>

#include "store/inside.h"

static int settle(struct store *s, struct err *err)
{
	static const enum table of[] = { T_NODE, T_ALLOCATION, T_BILL_GPU };
	int e = 0;

	if (s->in_tx)
		for (size_t i = 0; i < sizeof of / sizeof *of && e == 0; i++)
			e = store_settle(s, of[i], err);
	return e ? e : store_load_reversed(s, err);
}

static void latest(int64_t *at, int64_t ms)
{
	if (ms != UNKNOWN_MS && (*at == UNKNOWN_MS || ms > *at))
		*at = ms;
}

static int latest_fact(struct store *s, int64_t now_ms, int64_t *ret, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	int e;

	str_addf(&sql, "SELECT max(t) FROM (SELECT max(to_ms) AS t FROM node WHERE to_ms <= %lld",
		 (long long)now_ms);
	store_in_force(s, &sql);
	str_addz(&sql,
		 " UNION ALL SELECT max(coalesce(end_ms, start_ms)) FROM allocation WHERE true");
	store_in_force(s, &sql);
	str_addz(&sql, " UNION ALL SELECT max(to_ms) FROM bill_gpu WHERE scope <> ''");
	store_bill_in_force(s, &sql);
	str_addz(&sql, ") f");
	e = answer_open(&r, s->con, sql.p, "see how far the data reach", false, err, "");
	str_free(&sql);
	if (e)
		return e;
	e = answer_next(&r, err);
	if (e > 0)
		latest(ret, answer_i64(&r, 0));
	answer_close(&r);
	return e < 0 ? e : 0;
}

int store_data_end(struct store *s, int64_t now_ms, int64_t *ret, struct err *err)
{
	struct arena mem = { 0 };
	struct series *series;
	size_t n = 0;
	int e = settle(s, err);

	*ret = UNKNOWN_MS;
	e = e ? e : latest_fact(s, now_ms, ret, err);
	e = e ? e : store_series(s, NULL, &mem, &series, &n, err);
	for (size_t i = 0; i < n && e == 0; i++)
		latest(ret, series[i].to_ms);
	arena_free(&mem);
	return e;
}

/* Rows of (scope, from, to) with NULL as open. */
static int spans(struct store *s, const char *sql, struct span_list *out, struct arena *a,
		 struct err *err)
{
	struct answer r;
	int e = answer_open(&r, s->con, sql, "see what is told anew", false, err, "");

	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		struct sv scope = answer_text(&r, 0, a);
		*vec_push(out) = (struct scope_span){ scope.p ? scope.p : "", answer_i64(&r, 1),
						      answer_null(&r, 2) ? INT64_MAX
									 : answer_i64(&r, 2) };
	}
	answer_close(&r);
	return e;
}

static int give(struct span_list *out, int e, struct arena *a, struct scope_span **ret,
		size_t *ret_n)
{
	if (e == 0) {
		*ret = arena_copy(a, out->v, out->n, sizeof *out->v);
		*ret_n = out->n;
	}
	vec_free(out);
	return e;
}

int store_running(struct store *s, struct arena *a, struct scope_span **ret, size_t *ret_n,
		  struct err *err)
{
	struct span_list out = { 0 };
	struct str sql = { 0 };
	int e = settle(s, err);

	if (e)
		return e;
	/* A job that an older export saw running and a newer one saw end runs no more. */
	str_addz(
		&sql,
		"SELECT scope, min(start_ms), NULL FROM (SELECT scope, start_ms, arg_max(CASE WHEN end_ms IS NULL THEN 1 ELSE 0 END, src) AS runs "
		"FROM allocation WHERE start_ms IN (SELECT start_ms FROM allocation WHERE end_ms IS NULL AND start_ms IS NOT NULL)");
	store_in_force(s, &sql);
	str_addz(
		&sql,
		" GROUP BY scope, job_id, name, gpu_ids, attempt, start_ms) j WHERE runs = 1 GROUP BY scope ORDER BY scope");
	e = spans(s, sql.p, &out, a, err);
	str_free(&sql);
	return give(&out, e, a, ret, ret_n);
}

static void old_rows(const struct store *s, struct str *sql, const char *table)
{
	str_addf(sql, "(SELECT * FROM %s WHERE src < %lld", table, (long long)src_of(s->batch, 0));
	store_in_force(s, sql);
	str_addz(sql, ") o");
}

int store_told_anew(struct store *s, struct arena *a, struct scope_span **ret, size_t *ret_n,
		    struct err *err)
{
	struct span_list out = { 0 };
	struct str sql = { 0 };
	int64_t first = src_of(s->batch, 0);
	int e = settle(s, err);

	if (e)
		return e;
	str_addf(
		&sql,
		"SELECT o.scope, min(o.start_ms), CASE WHEN count(o.end_ms) = count(*) THEN max(o.end_ms) END FROM (SELECT DISTINCT job_id, "
		"start_ms, end_ms FROM allocation WHERE src >= %lld AND start_ms IS NOT NULL) n JOIN ",
		(long long)first);
	old_rows(s, &sql, "allocation");
	str_addz(
		&sql,
		" ON o.job_id = n.job_id AND o.start_ms = n.start_ms WHERE o.end_ms IS DISTINCT FROM n.end_ms GROUP BY o.scope ORDER BY o.scope");
	e = spans(s, sql.p, &out, a, err);
	str_clear(&sql);
	/* What a node is holds for all of its time; else a new record changes what stood from its
	 * start on. */
	str_addf(
		&sql,
		"SELECT " NODE_SCOPE(
			"n.node") ", CASE WHEN max(CASE WHEN o.node IS NULL OR o.gpu_milli IS DISTINCT FROM n.gpu_milli OR o.gpu_model IS DISTINCT FROM "
				  "n.gpu_model OR o.gpu_ids IS DISTINCT FROM n.gpu_ids OR o.cluster IS DISTINCT FROM n.cluster OR o.instance_type IS DISTINCT FROM "
				  "n.instance_type THEN 1 ELSE 0 END) = 1 THEN %lld ELSE min(n.from_ms) END, CASE WHEN count(o.to_ms) = count(*) THEN max(o.to_ms) END "
				  "FROM (SELECT * FROM node WHERE src >= %lld) n LEFT JOIN ",
		(long long)INT64_MIN + 1, (long long)first);
	old_rows(s, &sql, "node");
	str_addz(&sql, " ON o.node = n.node GROUP BY n.node ORDER BY n.node");
	e = e ? e : spans(s, sql.p, &out, a, err);
	str_free(&sql);
	return give(&out, e, a, ret, ret_n);
}
