/* Machines that sources know by different names (store/machines.h). */
#include "base/tm.h"
#include "store/duck/inside.h"

static void read_job_machine(const struct answer *r, struct arena *a, void *ret)
{
	*(struct job_machine *)ret = (struct job_machine){ .scope = answer_text(r, 0, a),
							   .resource_id = answer_text(r, 1, a) };
}

int facts_job_machines(struct facts *f, struct arena *a, struct job_machine **ret, size_t *ret_n,
		       struct err *err)
{
	struct duck_list l = { .doing = "read the allocations",
			       .size = sizeof **ret,
			       .read = read_job_machine };
	/* quotes within texts are escaped: this is a key and its text */
	int e = duck_select_in_force(
		f, T_ALLOCATION,
		"SELECT DISTINCT scope, machine FROM (SELECT DISTINCT place, "
		"regexp_extract(tags, '\"" MACHINE_TAG "\":\"([^\"\\\\]+)\"', 1) AS machine "
		"FROM allocation_row WHERE start_ms IS NOT NULL AND contains(tags, '\"" MACHINE_TAG
		"\":')",
		") j JOIN allocation_place p ON p.id = j.place WHERE node IS NOT NULL AND machine <> '' "
		"ORDER BY scope, machine",
		&l.sql, err);
	if (e)
		return e;
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_machine_time(const struct answer *r, struct arena *a, void *ret)
{
	*(struct machine_time *)ret = (struct machine_time){ .paid = answer_i64(r, 0) == 1,
							     .gpu_model = answer_text(r, 1, a),
							     .day = answer_i64(r, 2),
							     .ms = (int64_t)answer_huge(r, 3),
							     .machine = answer_text(r, 4, a) };
}

/*
 * Entries of GPU time with what their machine is: `paid` where only a bill has it or a record does;
 * names of GPUs alone are of no machine while there are no records (store_nameless_gpu() tells of
 * them beside some).
 */
static void select_machines(struct facts *f, struct str *sql)
{
	str_addz(sql,
		 "(SELECT id, scope, w.node, gpu_model, CASE WHEN starts_with(scope, 'res:') "
		 "OR n.node IS NOT NULL THEN 1 ELSE 0 END AS paid FROM ledger_what w LEFT JOIN "
		 "(SELECT DISTINCT node FROM node WHERE true");
	duck_in_force(f, sql);
	str_addz(sql, ") n ON n.node = w.node WHERE NOT starts_with(scope, 'pool:') AND NOT "
		      "starts_with(scope, 'bill:') AND (NOT starts_with(scope, 'gpu:') OR NOT "
		      "EXISTS (SELECT 1 FROM node WHERE true");
	duck_in_force(f, sql);
	str_addz(sql, "))) w");
}

int facts_machine_times(struct facts *f, struct span of, struct arena *a, struct machine_time **ret,
			size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "look for machines with two names",
			       .size = sizeof **ret,
			       .read = read_machine_time };
	int64_t kinds = 0;
	int e = duck_settle(f, T_LEDGER, err);

	*ret_n = 0;
	if (e == 0)
		e = duck_settle(f, T_NODE, err);
	if (e == 0)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addz(&l.sql, "SELECT count(DISTINCT paid) FROM ");
	select_machines(f, &l.sql);
	e = sql_number(f->con, str_z(&l.sql), l.doing, 0, &kinds, err);
	str_clear(&l.sql);
	if (e || kinds < 2) {
		str_free(&l.sql);
		return e;
	}
	/* sums alone, as entries may be taken back; of what is paid all of the day is unwatched */
	str_addf(&l.sql,
		 "SELECT paid, gpu_model, on_day, CAST(sum(ms) AS HUGEINT), min(node) FROM "
		 "(SELECT paid, gpu_model, hour_ms // %lld AS on_day, scope, min(node) AS node, "
		 "sum(CASE WHEN paid = 0 AND priced = %d THEN 0 ELSE ms END) AS ms, "
		 "sum(CASE WHEN cause = %d THEN 0 ELSE ms END) AS watched FROM ledger_row r JOIN ",
		 (long long)MS_DAY, PRICED_BILL, CAUSE_UNWATCHED);
	select_machines(f, &l.sql);
	str_addf(
		&l.sql,
		" ON w.id = r.what WHERE kind = %d AND hour_ms >= %lld AND hour_ms < %lld GROUP BY "
		"paid, gpu_model, on_day, scope) t WHERE ms > 0 AND (paid = 0 OR watched = 0 OR "
		"starts_with(scope, 'res:')) GROUP BY paid, gpu_model, on_day ORDER BY paid, on_day, gpu_model",
		KIND_GPU, (long long)of.from_ms, (long long)of.to_ms);
	return duck_list(f, &l, a, ret, ret_n, err);
}
