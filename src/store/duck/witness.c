/* Who watched which nodes and when: what files say of themselves, and what their jobs show; and
 * where jobs without GPUs were. */
#include <errno.h>

#include "store/duck/inside.h"

int facts_add_witness(struct facts *f, int64_t src, const struct witness *w, struct err *err)
{
	struct bulk *b = duck_bulk(f, T_WITNESS, err);

	if (!b)
		return -EPERM;
	bulk_i64(b, src);
	bulk_sv(b, w->cluster);
	bulk_sv(b, w->node);
	bulk_i64(b, w->from_ms);
	bulk_i64(b, w->to_ms);
	bulk_i8(b, (int)w->quality);
	return bulk_end_row(b, err);
}

int facts_add_presence(struct facts *f, int64_t src, const struct presence *p, struct err *err)
{
	struct bulk *b = duck_bulk(f, T_PRESENCE, err);

	if (!b)
		return -EPERM;
	bulk_i64(b, src);
	bulk_sv(b, p->cluster);
	bulk_sv(b, p->node);
	bulk_i64(b, p->from_ms);
	bulk_i64(b, p->to_ms);
	bulk_i8(b, p->goes_on);
	return bulk_end_row(b, err);
}

static void read_presence(const struct answer *r, struct arena *a, void *ret)
{
	*(struct presence_told *)ret =
		(struct presence_told){ .source = answer_i64(r, 0),
					.p = { .cluster = answer_text(r, 1, a),
					       .node = answer_text(r, 2, a),
					       .from_ms = answer_i64(r, 3),
					       .to_ms = answer_i64(r, 4),
					       .goes_on = answer_i64(r, 5) == 1 } };
}

int facts_presence(struct facts *f, struct arena *a, struct presence_told **ret, size_t *ret_n,
		   struct err *err)
{
	struct duck_list l = { .doing = "read who was on which machine",
			       .size = sizeof **ret,
			       .read = read_presence };
	int e = duck_settle(f, T_PRESENCE, err);

	if (!e)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addz(&l.sql, "SELECT * FROM presence WHERE true");
	duck_in_force(f, &l.sql);
	str_addz(&l.sql, " ORDER BY node, from_ms, to_ms, src");
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_told(const struct answer *r, struct arena *a, void *ret)
{
	*(struct witness_told *)ret =
		(struct witness_told){ .source = answer_i64(r, 0),
				       .w = { .cluster = answer_text(r, 1, a),
					      .node = answer_text(r, 2, a),
					      .from_ms = answer_i64(r, 3),
					      .to_ms = answer_i64(r, 4),
					      .quality = (enum quality)answer_i64(r, 5) } };
}

static void read_jobs(const struct answer *r, struct arena *a, void *ret)
{
	*(struct witness_jobs *)ret = (struct witness_jobs){ .source = answer_i64(r, 0),
							     .cluster = answer_text(r, 1, a),
							     .node = answer_text(r, 2, a),
							     .from_ms = answer_i64(r, 3),
							     .to_ms = answer_i64(r, 4),
							     .user_first = answer_text(r, 5, a),
							     .user_last = answer_text(r, 6, a),
							     .without_user = answer_i64(r, 7) };
}

int facts_witness_told(struct facts *f, struct arena *a, struct witness_told **ret, size_t *ret_n,
		       struct err *err)
{
	struct duck_list l = { .doing = "read who watched",
			       .size = sizeof **ret,
			       .read = read_told };
	int e = duck_settle(f, T_WITNESS, err);

	if (!e)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addz(&l.sql, "SELECT * FROM witness WHERE true");
	duck_in_force(f, &l.sql);
	str_addz(&l.sql, " ORDER BY src, cluster, node, from_ms, to_ms");
	return duck_list(f, &l, a, ret, ret_n, err);
}

int facts_witness_jobs(struct facts *f, struct arena *a, struct witness_jobs **ret, size_t *ret_n,
		       struct err *err)
{
	struct duck_list l = { .doing = "read who watched",
			       .size = sizeof **ret,
			       .read = read_jobs };
	int e = duck_settle(f, T_ALLOCATION, err);

	if (!e)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addz(
		&l.sql,
		"SELECT src, cluster, node, min(first), max(last), min(user_first), max(user_last), "
		"CAST(sum(without_user) AS BIGINT) FROM (SELECT src, place, "
		"min(coalesce(least(submit_ms, start_ms), submit_ms, start_ms)) AS first, "
		"max(coalesce(end_ms, start_ms, submit_ms)) AS last, min(user_name) AS user_first, "
		"max(user_name) AS user_last, count(*) - count(user_name) AS without_user "
		"FROM allocation_row r JOIN allocation_owner o ON o.id = r.owner WHERE true");
	duck_in_force(f, &l.sql);
	str_addz(&l.sql, " GROUP BY src, place) j JOIN allocation_place p ON p.id = j.place "
			 "GROUP BY src, cluster, node ORDER BY src, cluster, node");
	return duck_list(f, &l, a, ret, ret_n, err);
}
