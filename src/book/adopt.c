/*
 * Which machine a bill line is of that names it and not its type. Such lines are entries of their
 * own as they are read; here, once all nodes of the call are known, those of a recorded machine
 * with GPUs become its time, and those of a machine that is none any more entries again. The lines
 * of the whole store are looked at each time, so that the order in which nodes and bills came does
 * not matter.
 */
#include "base/search.h"
#include "base/sort.h"
#include "book/in.h"

static int cmp_adopted(const void *a, const void *b)
{
	const struct adopted *x = a, *y = b;
	int d = sv_cmp(x->provider, y->provider);

	if (d)
		return d;
	return sv_cmp(x->resource_id, y->resource_id);
}

struct sv adopt_node(const struct book *b, struct sv provider, struct sv resource_id)
{
	const struct adopted key = { .provider = provider.p ? provider : SV(""),
				     .resource_id = resource_id },
			     *a = find_sorted(&key, b->adopted, b->nadopted, sizeof *a,
					      cmp_adopted);

	if (a)
		return a->node;
	return SV_NULL;
}

/* The machine of each resource, {NULL,0}: none that is recorded and has GPUs. */
static int find_machines(struct book *b, const struct bill_untyped *res, size_t n,
			 struct sv *ret_node, struct err *err)
{
	struct join_resource *jr = arena_alloc(&b->mem, (n + 1) * sizeof *jr);
	struct join_match *m = arena_alloc(&b->mem, (n + 1) * sizeof *m);
	struct join_node *jn = NULL;
	struct intern gpus = { 0 };
	struct node *node;
	size_t nnode = 0, nall = 0;
	int rc = store_nodes(b->store, NULL, &b->mem, &node, &nnode, err);

	for (size_t i = 0; i < nnode && !rc; i++)
		if (node[i].gpu_milli > 0)
			intern_add(&gpus, node[i].node);
	for (size_t i = 0; i < n; i++)
		ret_node[i] = SV_NULL;
	bool any = !rc && gpus.n;
	if (any)
		rc = touched_known_nodes(b, &jn, &nall, err);
	if (rc || !any) {
		intern_free(&gpus);
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		jr[i] = (struct join_resource){ res[i].provider, res[i].resource_id,
						res[i].resource_name, res[i].tags };
	join_match(b->opt.conf, jn, nall, jr, n, m);
	for (size_t i = 0; i < n; i++)
		if (m[i].node >= 0 && intern_find(&gpus, jn[m[i].node].node) >= 0)
			ret_node[i] = jn[m[i].node].node;
	intern_free(&gpus);
	return 0;
}

static int resource_cmp(const struct bill_untyped *res, const struct bill_moved *m)
{
	int d = sv_cmp(res->provider, m->provider);

	if (d)
		return d;
	return sv_cmp(res->resource_id, m->resource_id);
}

/* All of them in one direction. */
static int move_lines(struct book *b, const struct bill_move *all, struct err *err)
{
	struct bill_moved *moved = NULL;
	size_t nmoved = 0;
	int rc = 0;

	if (all->n)
		rc = store_bill_move(b->store, all, &b->mem, &moved, &nmoved, err);
	for (size_t i = 0; i < nmoved && !rc; i++) {
		const struct bill_moved *m = &moved[i];
		if (all->to_machine) {
			dirty_mark_node(&b->dirty, adopt_node(b, m->provider, m->resource_id),
					m->from_ms, m->to_ms);
			continue;
		}
		/* the machine that had the lines; res: by provider and id */
		size_t at = first_where(k, all->n, resource_cmp(&all->res[k], m) >= 0);
		const struct bill_untyped *res = &all->res[at];
		if (at < all->n && !resource_cmp(res, m) && res->scope.n)
			dirty_mark_key(&b->dirty, res->scope, m->from_ms, m->to_ms);
	}
	if (rc)
		return rc;
	/* the files whose lines moved have other entries than they had */
	for (size_t i = 0; i < nmoved && rc >= 0; i++)
		if (!i || moved[i].src != moved[i - 1].src)
			rc = direct_redo(b->direct, moved[i].src, false, err);
	if (rc < 0)
		return rc;
	return 0;
}

int adopt_lines(struct book *b, struct err *err)
{
	struct bill_untyped *res, *come, *go;
	struct sv *node;
	size_t n = 0, ncome = 0, ngo = 0;
	int rc = store_bill_untyped(b->store, &b->mem, &res, &n, err);

	if (rc || !n)
		return rc;
	node = arena_alloc(&b->mem, n * sizeof *node);
	come = arena_alloc(&b->mem, n * sizeof *come);
	go = arena_alloc(&b->mem, n * sizeof *go);
	b->adopted = arena_alloc(&b->mem, n * sizeof *b->adopted);
	rc = find_machines(b, res, n, node, err);
	for (size_t i = 0; i < n && !rc; i++) {
		if (node[i].n)
			b->adopted[b->nadopted++] = (struct adopted){ res[i].provider,
								      res[i].resource_id, node[i] };
		if (node[i].n && res[i].open)
			come[ncome++] = res[i];
		if (!node[i].n && res[i].taken)
			go[ngo++] = res[i];
	}
	sort_items(b->adopted, b->nadopted, sizeof *b->adopted, cmp_adopted);
	if (!rc)
		rc = move_lines(b, &(struct bill_move){ true, come, ncome }, err);
	if (rc)
		return rc;
	return move_lines(b, &(struct bill_move){ false, go, ngo }, err);
}
