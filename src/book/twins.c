/* See twins.h. */
#include "book/twins.h"

#include <errno.h>

#include "base/num.h"

static bool is_open(const struct twin *a)
{
	return a->to_ms == INT64_MAX;
}

/* b begins later and ends a, which is still paid. */
static bool has_moved(const struct twin *a, const struct twin *b)
{
	return is_open(a) && a->from_ms < b->from_ms;
}

static bool twins_meet(const struct twin *a, const struct twin *b)
{
	if (has_moved(a, b) || has_moved(b, a))
		return false;
	return a->from_ms < b->to_ms && b->from_ms < a->to_ms;
}

/* One interval of the same cluster: a has taken b in. An open record's begin says what moved, so it
 * stays as it is. */
static bool extend_twin(struct twin *a, const struct twin *b)
{
	if (a->cluster != b->cluster || a->from_ms > b->to_ms || b->from_ms > a->to_ms)
		return false;
	if (is_open(a) || is_open(b))
		return a->from_ms == b->from_ms && a->to_ms == b->to_ms;
	a->from_ms = min_i64(a->from_ms, b->from_ms);
	a->to_ms = max_i64(a->to_ms, b->to_ms);
	return true;
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
	for (size_t k = new.before; k; k = t->v.v[k - 1].before) {
		const struct twin *other = &t->v.v[k - 1];
		if (other->cluster == new.cluster || !twins_meet(other, &new))
			continue;
		err_set(err, -EEXIST,
			"machine '%.*s' is in cluster '%s' and in '%.*s' at the same time",
			(int)n->node.n, n->node.p, intern_z(&t->cluster, other->cluster),
			(int)n->cluster.n, n->cluster.p);
		err_hint(
			err,
			"a machine is known by its name: give one of them another, in its jobs and readings too, such as CLUSTER/NAME");
		return -EEXIST;
	}
	if (new.before && extend_twin(&t->v.v[new.before - 1], &new))
		return 0;
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
