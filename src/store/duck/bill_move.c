/*
 * Bill lines that name a machine and not its type: in the table bill with the key of their
 * resource as scope, or, once a machine has taken them, in bill_gpu, where no other line has no
 * GPUs. A line changes its table and, where it is no credit, its kind, nothing else. A line of a
 * file that is written no more (files.c) stays, and is in the table bill_moved of the file that has
 * it from then on.
 */
#include "store/duck/inside.h"
#include "store/duck/temp.h"

/* in bill, in bill_gpu */
#define OPEN  "b.scope <> ''"
#define TAKEN "b.gpu_milli = 0"
#define DOING "see whose bill lines without a type are"

static void read_untyped(const struct answer *r, struct arena *a, void *ret)
{
	*(struct bill_untyped *)ret = (struct bill_untyped){ .provider = answer_text(r, 0, a),
							     .resource_id = answer_text(r, 1, a),
							     .resource_name = answer_text(r, 2, a),
							     .tags = answer_text(r, 3, a),
							     .scope = answer_text(r, 4, a),
							     .open = answer_i64(r, 5) > 0,
							     .taken = answer_i64(r, 6) > 0 };
}

int facts_bill_untyped(struct facts *f, struct arena *a, struct bill_untyped **ret, size_t *ret_n,
		       struct err *err)
{
	struct duck_list l = { .doing = DOING, .size = sizeof **ret, .read = read_untyped };
	int e = duck_settle_bills(f, err);
	if (e)
		return e;
	str_addz(&l.sql,
		 "SELECT provider, resource_id, arg_max(resource_name, (from_ms, resource_name)), "
		 "arg_max(tags, (from_ms, tags)), max(sc), sum(open), sum(taken) FROM ("
		 "SELECT coalesce(b.provider, '') AS provider, b.resource_id, b.resource_name, "
		 "b.tags, b.from_ms, '' AS sc, 1 AS open, 0 AS taken FROM bill b WHERE " OPEN);
	duck_bill_in_force(f, &l.sql);
	str_addz(&l.sql,
		 " UNION ALL SELECT coalesce(b.provider, ''), b.resource_id, b.resource_name, "
		 "b.tags, b.from_ms, " BILL_SCOPE ", 0, CASE WHEN " TAKEN
		 " THEN 1 ELSE 0 END FROM " BILL_SCOPED " WHERE b.scope <> ''");
	duck_bill_in_force(f, &l.sql);
	str_addz(&l.sql, ") t GROUP BY provider, resource_id HAVING sum(open) + sum(taken) > 0 "
			 "ORDER BY provider, resource_id");
	return duck_list(f, &l, a, ret, ret_n, err);
}

#define OF_MOVE                                                                             \
	" AND EXISTS (SELECT 1 FROM bill_move WHERE m_provider = coalesce(b.provider, '') " \
	"AND m_resource = b.resource_id)"

static void read_moved(const struct answer *r, struct arena *a, void *ret)
{
	*(struct bill_moved *)ret = (struct bill_moved){ .src = answer_i64(r, 0),
							 .provider = answer_text(r, 1, a),
							 .resource_id = answer_text(r, 2, a),
							 .from_ms = answer_i64(r, 3),
							 .to_ms = answer_i64(r, 4) };
}

int facts_bill_move(struct facts *f, const struct bill_move *move, struct arena *a,
		    struct bill_moved **ret, size_t *ret_n, struct err *err)
{
	const char *from = "bill_gpu", *to = "bill", *which = TAKEN;
	struct str sql = { 0 };
	int e = duck_settle_bills(f, err);
	if (move->to_machine) {
		from = "bill";
		to = "bill_gpu";
		which = OPEN;
	}
	if (!e) {
		struct temp t;
		e = temp_start(&t, f->con, "bill_move", "m_provider VARCHAR, m_resource VARCHAR",
			       DOING, err);
		for (size_t i = 0; e == 0 && i < move->n && (e = temp_row(&t, err)) == 0; i++) {
			const struct bill_untyped *r = &move->res[i];
			sql_quote(&t.sql, r->provider.p ? r->provider : SV(""));
			str_addc(&t.sql, ',');
			sql_quote(&t.sql, r->resource_id);
		}
		e = temp_end(&t, e, err);
	}
	if (!e) {
		struct duck_list l = { .doing = DOING, .size = sizeof **ret, .read = read_moved };
		str_addf(
			&l.sql,
			"SELECT src, coalesce(b.provider, ''), b.resource_id, min(from_ms), max(to_ms) FROM "
			"%s b WHERE %s" OF_MOVE " GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
			from, which);
		e = duck_list(f, &l, a, ret, ret_n, err);
	}
	if (e)
		return e;
	/* but credits and corrections: bill_is_credit() */
	str_addf(
		&sql,
		"INSERT INTO %s SELECT * REPLACE (CASE WHEN charge_category = 'Credit' OR charge_class = 'Correction' OR "
		"(charge_category = 'Adjustment' AND coalesce(provider, '') <> 'aws' AND "
		"coalesce(commitment_status, '') <> 'Used') THEN kind ELSE %d END AS "
		"kind) FROM %s b WHERE %s" OF_MOVE,
		to, move->to_machine ? KIND_GPU : KIND_OTHER, from, which);
	e = sql_exec(f->con, duck_into(f, sql.p), "give bill lines to their machine", err);
	if (e == 0 && f->writing) { /* lines of files before stay where they are and do not count */
		str_clear(&sql);
		str_addf(
			&sql,
			"INSERT INTO bill_moved SELECT DISTINCT src, coalesce(provider, ''), resource_id, %d FROM %s b WHERE %s" OF_MOVE,
			!move->to_machine, from, which);
		e = sql_exec(f->con, duck_into(f, sql.p), "give bill lines to their machine", err);
	}
	str_clear(&sql);
	str_addf(&sql, "DELETE FROM %s%s b WHERE %s" OF_MOVE, f->into, from, which);
	if (!e)
		e = sql_exec(f->con, sql.p, "give bill lines to their machine", err);
	str_free(&sql);
	duck_forget_bill_names(f);
	return e;
}
