#include "ledger/gpu_names.h"

#include "base/num.h"
#include "base/str.h"

void gpu_names_record(struct gpu_names *g, struct sv name, struct sv gpu_ids, size_t n,
		      struct arena *mem)
{
	g->nrecorded = n;
	for (size_t i = 0; i < n; i++) {
		struct gpu_name *x = vec_push(&g->v);
		struct sv uuid = gpu_ids.n ? sv_trim(sv_cut(gpu_ids, ';', &gpu_ids)) : SV_NULL;
		*x = (struct gpu_name){ .key = uuid, .uuid = uuid };
		if (!uuid.n)
			x->key = sv_of(arena_printf(mem, "%.*s/%zu", SVF(name), i));
	}
}

void gpu_names_records(struct gpu_names *g, const struct node *node, size_t nnode, size_t bare,
		       struct arena *mem)
{
	struct sv ids = SV_NULL;

	for (size_t i = 0; i < nnode; i++) {
		ids = sv_or(node[i].gpu_ids, ids);
		if (node[i].gpu_milli > 0)
			bare = (size_t)((node[i].gpu_milli + 999) / 1000);
	}
	gpu_names_record(g, g->node, ids, bare, mem);
}

/* By its place where no record says which there are: of those that telemetry names by place the
 * very one; where it names them by uuid, in the order of these. */
static long find_place(const struct gpu_names *g, struct sv place)
{
	int64_t i = 0;
	bool by_place = false;

	for (size_t k = 0; k < g->v.n; k++) {
		struct sv key = g->v.v[k].key;
		size_t tail = g->node.n + 1;
		if (!g->node.n || key.n <= tail)
			continue;
		if (!sv_starts(key, g->node) || key.p[tail - 1] != '/')
			continue;
		by_place = true;
		if (sv_eq(sv_from(key, tail), place))
			return (long)k;
	}
	sv_i64(place, &i);
	if (by_place || (size_t)i >= g->v.n)
		return -1;
	return (long)i;
}

long gpu_names_find(const struct gpu_names *g, struct sv text)
{
	struct sv rest, head = sv_cut(text, '/', &rest);
	int64_t place;

	for (size_t i = 0; i < g->v.n; i++) {
		struct sv uuid = g->v.v[i].uuid;
		if (sv_eq(uuid, text) || sv_eq(g->v.v[i].key, text))
			return (long)i;
		if (uuid.n && sv_eq(uuid, head))
			return (long)i;
	}
	if (sv_i64(head, &place) < 0 || place < 0)
		return -1;
	if ((size_t)place < g->nrecorded)
		return (long)place;
	return find_place(g, head);
}

size_t gpu_names_add(struct gpu_names *g, struct sv node, struct sv text, struct arena *mem)
{
	int64_t place;
	struct sv key = text;

	if (node.n && sv_i64(text, &place) == 0)
		key = sv_of(arena_printf(mem, "%.*s/%.*s", SVF(node), SVF(text)));
	*vec_push(&g->v) = (struct gpu_name){ .key = key, .uuid = text };
	return g->v.n - 1;
}

size_t gpu_names_read(struct gpu_names *g, struct sv text, struct arena *mem)
{
	long i = gpu_names_find(g, text);

	for (size_t k = 0; i < 0 && k < g->nrecorded; k++)
		if (!g->v.v[k].uuid.n && !g->v.v[k].read) {
			g->v.v[k].uuid = text;
			i = (long)k;
		}
	if (i < 0)
		i = (long)gpu_names_add(g, g->node, text, mem);
	g->v.v[i].read = true;
	return (size_t)i;
}

void gpu_names_free(struct gpu_names *g)
{
	vec_free(&g->v);
}
