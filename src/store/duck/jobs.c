/* What is asked of all jobs at once. */
#include <stdlib.h>

#include "store/duck/inside.h"

/* Jobs with where they are, as most questions want no more. */
#define PLACED                                                                \
	"(SELECT r.*, p.scope, p.node, p.cluster FROM allocation_row r JOIN " \
	"allocation_place p ON p.id = r.place) j"

int facts_allocation_counts(struct facts *f, struct span window, struct arena *a,
			    struct scope_count **ret, size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "read the allocations",
			       .size = sizeof **ret,
			       .read = duck_read_count };
	int e = duck_settle(f, T_ALLOCATION, err);
	if (e == 0)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addz(&l.sql, "SELECT scope, count(*) FROM " PLACED " WHERE true");
	duck_touching(&l.sql, window);
	duck_in_force(f, &l.sql);
	str_addz(&l.sql, " GROUP BY scope");
	return duck_list(f, &l, a, ret, ret_n, err);
}

/* Is there a job in the window of which `which` holds? */
static int has_job(struct facts *f, const char *which, const char *doing, struct span window,
		   bool *ret, struct err *err)
{
	int64_t any = 0;
	struct str sql = { 0 };
	int e = duck_settle(f, T_ALLOCATION, err);

	if (e == 0)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addf(&sql, "SELECT 1 FROM allocation WHERE %s AND start_ms < %lld", which,
		 (long long)window.to_ms);
	if (window.from_ms != INT64_MIN)
		str_addf(&sql, " AND coalesce(end_ms, %lld) > %lld", (long long)INT64_MAX,
			 (long long)window.from_ms);
	duck_in_force(f, &sql);
	str_addz(&sql, " LIMIT 1");
	e = sql_number(f->con, sql.p, doing, 0, &any, err);
	str_free(&sql);
	if (e)
		return e;
	*ret = any > 0;
	return 0;
}

int facts_ends_told(struct facts *f, int64_t from_ms, int64_t to_ms, bool *ret, struct err *err)
{
	return has_job(f, "end_ms IS NOT NULL AND state <> '' AND state NOT ILIKE 'run%'",
		       "read how jobs ended", (struct span){ from_ms, to_ms }, ret, err);
}

int facts_accounts_without_team(struct facts *f, int64_t from_ms, int64_t to_ms, bool *ret,
				struct err *err)
{
	return has_job(f, "account <> '' AND coalesce(team, '') = ''", "read accounts of jobs",
		       (struct span){ from_ms, to_ms }, ret, err);
}

int facts_allocation_scopes(struct facts *f, struct arena *a, const char ***ret, size_t *ret_n,
			    struct err *err)
{
	struct duck_list l = { .doing = "read the allocations",
			       .size = sizeof **ret,
			       .read = duck_read_text };
	int e = duck_select_in_force(f, T_ALLOCATION, "SELECT scope FROM " PLACED " WHERE true",
				     " GROUP BY scope ORDER BY scope", &l.sql, err);
	if (e)
		return e;
	return duck_list(f, &l, a, ret, ret_n, err);
}

int facts_allocation_spans(struct facts *f, struct arena *a, struct scope_spans *ret,
			   struct err *err)
{
	struct duck_list l = { .doing = "read the jobs",
			       .size = sizeof *ret->v,
			       .read = duck_read_span };
	int e = duck_settle(f, T_ALLOCATION, err);
	if (e == 0)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addf(&l.sql,
		 "SELECT scope, min(start_ms), max(coalesce(end_ms, %lld)) FROM " PLACED " "
		 "WHERE scope <> '' AND start_ms IS NOT NULL",
		 (long long)INT64_MAX);
	duck_in_force(f, &l.sql);
	str_addz(&l.sql, " GROUP BY scope ORDER BY scope");
	return duck_list(f, &l, a, &ret->v, &ret->n, err);
}

static void read_job_traits(const struct answer *r, struct arena *a, void *ret)
{
	*(struct job_traits *)ret = (struct job_traits){ .scope = answer_text(r, 0, a),
							 .cluster = answer_text(r, 1, a),
							 .gpu_model = answer_text(r, 2, a),
							 .names_gpus = answer_i64(r, 3) > 0 };
}

int facts_job_traits(struct facts *f, struct arena *a, struct job_traits **ret, size_t *ret_n,
		     struct err *err)
{
	struct duck_list l = { .doing = "read the allocations",
			       .size = sizeof **ret,
			       .read = read_job_traits };
	int e = duck_select_in_force(
		f, T_ALLOCATION,
		"SELECT scope, cluster, gpu_model, CAST(sum(CASE WHEN gpu_ids IS NULL THEN 0 ELSE n END) "
		"AS BIGINT) FROM (SELECT place, shape, count(*) AS n, min(start_ms) AS first "
		"FROM allocation_row WHERE start_ms IS NOT NULL",
		" GROUP BY place, shape) j JOIN allocation_place p ON p.id = j.place "
		"JOIN allocation_shape s ON s.id = j.shape WHERE node IS NOT NULL "
		"GROUP BY scope, cluster, gpu_model ORDER BY scope, min(first), cluster, gpu_model",
		&l.sql, err);
	if (e)
		return e;
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_job_gpus(const struct answer *r, struct arena *a, void *ret)
{
	*(struct job_gpus *)ret = (struct job_gpus){ .scope = answer_text(r, 0, a),
						     .gpu_ids = answer_text(r, 1, a) };
}

int facts_job_gpus(struct facts *f, struct arena *a, struct job_gpus **ret, size_t *ret_n,
		   struct err *err)
{
	struct duck_list l = { .doing = "read the allocations",
			       .size = sizeof **ret,
			       .read = read_job_gpus };
	int e = duck_settle(f, T_NODE, err);

	if (!e)
		e = duck_select_in_force(
			f, T_ALLOCATION,
			"SELECT DISTINCT scope, gpu_ids FROM (SELECT DISTINCT place FROM "
			"allocation_row WHERE start_ms IS NOT NULL",
			") j JOIN allocation_place p ON p.id = j.place WHERE gpu_ids IS NOT NULL "
			"AND node NOT IN (SELECT node FROM node WHERE node IS NOT NULL",
			&l.sql, err);
	if (e)
		return e;
	duck_in_force(f, &l.sql);
	str_addz(&l.sql, ") ORDER BY scope, gpu_ids");
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_job_name(const struct answer *r, struct arena *a, void *ret)
{
	*(struct job_name *)ret = (struct job_name){ .scope = answer_text(r, 0, a),
						     .job_id = answer_text(r, 1, a),
						     .namespace_ = answer_text(r, 2, a),
						     .gpu_ids = answer_text(r, 3, a),
						     .from_ms = answer_i64(r, 4),
						     .to_ms = answer_i64(r, 5) };
}

int facts_job_names(struct facts *f, struct arena *a, struct job_name **ret, size_t *ret_n,
		    struct err *err)
{
	struct duck_list l = { .doing = "read the allocations",
			       .size = sizeof **ret,
			       .read = read_job_name };
	int e = duck_select_in_force(
		f, T_ALLOCATION,
		"SELECT scope, job_id, namespace, gpu_ids, min(start_ms), max(last) FROM (SELECT "
		"place, job_id, start_ms, coalesce(end_ms, 9223372036854775807) AS last FROM "
		"allocation_row WHERE start_ms IS NOT NULL",
		") j JOIN allocation_place p ON p.id = j.place GROUP BY scope, job_id, namespace, "
		"gpu_ids ORDER BY scope, job_id, namespace, gpu_ids",
		&l.sql, err);
	if (e)
		return e;
	return duck_list(f, &l, a, ret, ret_n, err);
}
