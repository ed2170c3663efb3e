/* What happened to GPUs and machines: few rows, read a node at a time. */
#include <errno.h>

#include "store/duck/inside.h"

int facts_add_incident(struct facts *f, int64_t src, const struct incident *i, struct err *err)
{
	struct bulk *b = duck_bulk(f, T_INCIDENT, err);

	if (!b)
		return -EPERM;
	f->incident_nodes_known = false;
	bulk_i64(b, src);
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

static void read_name(const struct answer *r, struct arena *a, void *ret)
{
	*(struct sv *)ret = answer_text(r, 0, a);
}

/* Few machines have any, and posting asks for one after another. */
static int load_incident_nodes(struct facts *f, struct err *err)
{
	struct duck_list l = { .doing = "read what happened",
			       .size = sizeof(struct sv),
			       .read = read_name };
	struct arena mem = { 0 };
	struct sv *name;
	size_t n = 0;

	if (f->incident_nodes_known)
		return 0;
	str_addz(&l.sql, "SELECT DISTINCT node FROM incident");
	int e = duck_list(f, &l, &mem, &name, &n, err);
	intern_free(&f->incident_nodes);
	for (size_t i = 0; i < n; i++)
		intern_add(&f->incident_nodes, name[i]);
	f->incident_nodes_known = e == 0;
	arena_free(&mem);
	return e;
}

int facts_incidents(struct facts *f, const char *node, int64_t to_ms, struct arena *a,
		    struct incidents *ret, struct err *err)
{
	struct duck_list l = { .doing = "read what happened",
			       .scope = node,
			       .param = true,
			       .size = sizeof *ret->v,
			       .read = read_incident,
			       .src = &ret->src };
	int e = duck_settle(f, T_INCIDENT, err);

	if (!e)
		e = load_incident_nodes(f, err);
	if (!e)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	if (intern_find(&f->incident_nodes, sv_of(node)) < 0) {
		*ret = (struct incidents){ 0 };
		return 0;
	}
	str_addf(&l.sql, "SELECT * FROM incident WHERE node = $1 AND t_ms < %lld",
		 (long long)to_ms);
	duck_in_force(f, &l.sql);
	str_addz(&l.sql, " ORDER BY t_ms, CASE kind WHEN 'start' THEN 0 ELSE 1 END, kind, src");
	return duck_list(f, &l, a, &ret->v, &ret->n, err);
}

int facts_incident_nodes(struct facts *f, struct arena *a, struct sv **ret, size_t *ret_n,
			 struct err *err)
{
	struct duck_list l = { .doing = "read what happened",
			       .size = sizeof(struct sv),
			       .read = read_name };
	int e = duck_select_in_force(f, T_INCIDENT,
				     "SELECT DISTINCT node FROM incident WHERE node IS NOT NULL",
				     " ORDER BY node", &l.sql, err);
	if (e)
		return e;
	return duck_list(f, &l, a, ret, ret_n, err);
}
