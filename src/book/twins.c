/* See twins.h. */
#include "book/twins.h"

#include <errno.h>

static bool meet(const struct twin *a, const struct twin *b)
{
	bool moved = a->from_ms != b->from_ms && (a->to_ms == INT64_MAX || b->to_ms == INT64_MAX);

	return !moved && a->from_ms < b->to_ms && b->from_ms < a->to_ms;
}

static int say(const struct twins *t, const struct node *n, uint32_t cluster, struct err *err)
{
	err_set(err, -EEXIST, "machine '%.*s' is in cluster '%s' and in '%.*s' at the same time",
		(int)n->node.n, n->node.p, intern_z(&t->cluster, cluster), (int)n->cluster.n,
		n->cluster.p);
	err_hint(
		err,
		"a machine is known by its name: give one of them another, in its jobs and readings too, such as CLUSTER/NAME");
	return -EEXIST;
}

int twins_add(struct twins *t, const struct node *n, struct err *err)
{
	if (!n->cluster.n || !n->node.n)
		return 0;
	uint32_t name = intern_add(&t->name, n->node);
	if (name == t->last.n)
		*vec_push(&t->last) = 0;
	struct twin new = { .cluster = intern_add(&t->cluster, n->cluster),
			    .from_ms = n->from_ms,
			    .to_ms = n->to_ms == UNKNOWN_MS ? INT64_MAX : n->to_ms,
			    .before = t->last.v[name] };
	for (size_t k = new.before; k; k = t->v.v[k - 1].before)
		if (t->v.v[k - 1].cluster != new.cluster && meet(&t->v.v[k - 1], &new))
			return say(t, n, t->v.v[k - 1].cluster, err);
	*vec_push(&t->v) = new;
	t->last.v[name] = t->v.n;
	return 0;
}

void twins_free(struct twins *t)
{
	intern_free(&t->name);
	intern_free(&t->cluster);
	vec_free(&t->last);
	vec_free(&t->v);
	*t = (struct twins){ 0 };
}
