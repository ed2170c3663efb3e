/* What late knowledge changes: how far the data reach, what is still running, what newer rows tell
 * otherwise than older ones did. */
#include <stdlib.h>

#include "store/duck/inside.h"

static int settle_late(struct facts *f, struct err *err)
{
	static const enum table of[] = { T_NODE, T_ALLOCATION, T_BILL_GPU };
	int e = 0;

	for (size_t i = 0; i < sizeof of / sizeof *of && e == 0; i++)
		e = duck_settle(f, of[i], err);
	if (e)
		return e;
	return duck_load_reversed(f, err);
}

int facts_data_end(struct facts *f, int64_t now_ms, int64_t *ret, struct err *err)
{
	struct str sql = { 0 };
	int e = settle_late(f, err);

	*ret = UNKNOWN_MS;
	if (e)
		return e;
	str_addf(
		&sql,
		"SELECT CASE WHEN max(t) > %lld THEN %lld ELSE max(t) END FROM (SELECT max(to_ms) AS t FROM node WHERE to_ms <= %lld",
		(long long)now_ms, (long long)now_ms, (long long)now_ms);
	duck_in_force(f, &sql);
	str_addz(
		&sql,
		" UNION ALL SELECT max(coalesce(end_ms, start_ms)) FROM allocation_row WHERE true");
	duck_in_force(f, &sql);
	str_addz(&sql, " UNION ALL SELECT max(t) FROM (");
	duck_bill_told(f, "bill_gpu WHERE scope <> ''", &sql);
	str_addz(&sql, ") b");
	str_addz(&sql, ") f");
	e = sql_number(f->con, sql.p, "see how far the data reach", UNKNOWN_MS, ret, err);
	str_free(&sql);
	return e;
}

int facts_committed(struct facts *f, int64_t *ret_ms, struct err *err)
{
	return sql_number(f->con, "SELECT max(committed_ms) FROM batch",
			  "see when was imported last", UNKNOWN_MS, ret_ms, err);
}

static struct duck_list span_list(void)
{
	return (struct duck_list){ .doing = "see what is told again",
				   .size = sizeof(struct scope_span),
				   .read = duck_read_span };
}

int facts_running(struct facts *f, struct arena *a, struct scope_spans *ret, struct err *err)
{
	struct duck_list l = span_list();
	int e = settle_late(f, err);

	if (e)
		return e;
	/* A job that one export saw running and another saw end runs no more. */
	str_addz(
		&l.sql,
		"SELECT scope, min(start_ms), NULL FROM (SELECT scope, start_ms, count(end_ms) = 0 AS runs "
		"FROM allocation WHERE start_ms IN (SELECT start_ms FROM allocation_row WHERE end_ms IS NULL AND start_ms IS NOT NULL)");
	duck_in_force(f, &l.sql);
	str_addz(
		&l.sql,
		" GROUP BY scope, job_id, name, gpu_ids, attempt, start_ms) j WHERE runs GROUP BY scope ORDER BY scope");
	return duck_list(f, &l, a, &ret->v, &ret->n, err);
}

static void old_rows(const struct facts *f, struct str *sql, const char *table)
{
	str_addf(sql, "(SELECT * FROM %s WHERE src < %lld", table,
		 (long long)store_source(f->batch, 0));
	duck_in_force(f, sql);
	str_addz(sql, ") o");
}

/* Did earlier batches tell of any job? Else there is nothing to look for, and the jobs of a
 * first list need not be told apart. */
static int has_old_jobs(struct facts *f, bool *ret, struct err *err)
{
	struct str sql = { 0 };
	int64_t found = 0;

	str_addz(&sql, "SELECT 1 FROM ");
	old_rows(f, &sql, "allocation_row");
	str_addz(&sql, " LIMIT 1");
	int e = sql_number(f->con, sql.p, "see what is told again", 0, &found, err);
	str_free(&sql);
	*ret = found > 0;
	return e;
}

int facts_told_again(struct facts *f, struct arena *a, struct scope_spans *ret, struct err *err)
{
	struct duck_list jobs = span_list(), nodes = span_list();
	int64_t first = store_source(f->batch, 0);
	bool old = false;
	int e = settle_late(f, err);

	if (!e)
		e = has_old_jobs(f, &old, err);
	if (e)
		return e;
	str_addf(
		&jobs.sql,
		"SELECT o.scope, min(o.start_ms), CASE WHEN count(o.end_ms) = count(*) THEN max(o.end_ms) END FROM (SELECT DISTINCT job_id, "
		"start_ms, end_ms FROM allocation_row WHERE src >= %lld AND start_ms IS NOT NULL) n JOIN ",
		(long long)first);
	old_rows(f, &jobs.sql, "allocation");
	str_addz(
		&jobs.sql,
		" ON o.job_id = n.job_id AND o.start_ms = n.start_ms WHERE o.end_ms IS DISTINCT FROM n.end_ms GROUP BY o.scope ORDER BY o.scope");
	ret->n = 0;
	if (old)
		e = duck_add_spans(f, &jobs, a, ret, err);
	else
		str_free(&jobs.sql);
	if (e)
		return e;
	/* What a node is holds for all of its time; else a new record changes what stood from its
	 * start on. */
	str_addf(
		&nodes.sql,
		"SELECT " NODE_SCOPE(
			"n.node") ", CASE WHEN max(CASE WHEN o.node IS NULL OR o.gpu_milli IS DISTINCT FROM n.gpu_milli OR o.gpu_model IS DISTINCT FROM "
				  "n.gpu_model OR o.gpu_ids IS DISTINCT FROM n.gpu_ids OR o.cluster IS DISTINCT FROM n.cluster OR o.instance_type IS DISTINCT FROM "
				  "n.instance_type THEN 1 ELSE 0 END) = 1 THEN %lld ELSE min(n.from_ms) END, CASE WHEN count(o.to_ms) = count(*) THEN max(o.to_ms) END "
				  "FROM (SELECT * FROM node WHERE src >= %lld) n LEFT JOIN ",
		(long long)INT64_MIN + 1, (long long)first);
	old_rows(f, &nodes.sql, "node");
	str_addz(&nodes.sql, " ON o.node = n.node GROUP BY n.node ORDER BY n.node");
	return duck_add_spans(f, &nodes, a, ret, err);
}
