/* What happened to cards and machines: few rows, read a node at a time. */
#include <errno.h>

#include "store/inside.h"

int store_add_incident(struct store *s, int file, const struct incident *i, struct err *err)
{
	struct bulk *b = store_bulk(s, T_INCIDENT, err);

	if (!b)
		return -EPERM;
	bulk_i64(b, src_of(s->batch, file));
	bulk_text(b, i->node);
	bulk_sv(b, i->gpu);
	bulk_sv(b, i->mig);
	bulk_text(b, i->kind);
	bulk_i64(b, i->t_ms);
	bulk_i64(b, i->code);
	return bulk_end_row(b, err);
}

static void read_incident(const struct answer *r, struct arena *a, void *ret)
{
	*(struct incident *)ret = (struct incident){ .node = answer_text(r, 1, a),
						     .gpu = answer_text(r, 2, a),
						     .mig = answer_text(r, 3, a),
						     .kind = answer_text(r, 4, a),
						     .t_ms = answer_i64(r, 5),
						     .code = answer_i64(r, 6) };
}

static void incident_key(struct str *key, const void *row)
{
	const struct incident *i = row;
	const struct sv text[] = { i->gpu, i->mig, i->kind };

	for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
		str_addsv(key, text[k]);
		str_addc(key, text[k].p ? '\x1f' : '\x1e');
	}
	str_addf(key, "%lld %lld", (long long)i->t_ms, (long long)i->code);
}

int store_incidents(struct store *s, const char *node, int64_t to_ms, struct arena *a,
		    struct incident **ret, size_t *ret_n, struct err *err)
{
	struct store_list l = { .doing = "read what happened",
				.scope = node,
				.param = true,
				.size = sizeof **ret,
				.read = read_incident,
				.key = incident_key };
	int e = store_settle(s, T_INCIDENT, err);

	e = e ? e : store_load_reversed(s, err);
	if (e)
		return e;
	str_addf(&l.sql, "SELECT * FROM incident WHERE node = $1 AND t_ms < %lld",
		 (long long)to_ms);
	store_in_force(s, &l.sql);
	str_addz(&l.sql, " ORDER BY t_ms, CASE kind WHEN 'start' THEN 0 ELSE 1 END, kind, src");
	return store_list(s, &l, a, ret, ret_n, err);
}
