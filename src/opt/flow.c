/*
 * Min-cost flow by the network simplex method.
 *
 *   min  sum_a cost_a x_a    s.t.   out(i) - in(i) = supply_i for every node i,   0 <= x_a <= cap_a
 *
 * A basis is a spanning tree: arcs outside carry 0 or their capacity, those inside carry what the
 * supplies leave over. Potentials p make every tree arc cost nothing, cost_a + p_from - p_to = 0.
 * An arc outside whose reduced cost has the wrong sign enters; flow is pushed around the cycle it
 * closes until an arc of the tree is empty or full; that one leaves.
 *
 * Source: Cunningham, A network simplex method, Math. Programming 11 (1976). The tree is kept
 * strongly feasible (every empty tree arc points to the root, every full one away from it) by
 * taking the last blocking arc of the cycle, so the method cannot run in circles.
 * What we do differently: the tree is kept as parent and sibling links instead of a thread, and a
 * caller that knows a feasible tree starts from it.
 */
#include "opt/flow.h"
#include <assert.h>
#include <errno.h>
#include "base/mem.h"
#include "base/num.h"

#define NONE UINT32_MAX

enum where { AT_LOWER, IN_TREE, AT_UPPER };

struct simplex {
	uint32_t n, m, root;
	struct flow_arc *arc; /* [m] with the artificial ones at the end */
	int64_t *x;
	uint8_t *where;
	/* the tree, by node */
	uint32_t *parent, *pred;       /* pred: the arc to the parent */
	uint32_t *child, *next, *prev; /* first child, siblings */
	uint32_t *depth;
	int64_t *pot;
	uint32_t *stack;
	uint32_t block, at; /* of the search for an entering arc */
	int64_t pivots;
};

static void hang_node(struct simplex *s, uint32_t node, uint32_t parent, uint32_t arc)
{
	s->parent[node] = parent;
	s->pred[node] = arc;
	s->prev[node] = NONE;
	s->next[node] = s->child[parent];
	if (s->next[node] != NONE)
		s->prev[s->next[node]] = node;
	s->child[parent] = node;
}

static bool points_up(const struct simplex *s, uint32_t node)
{
	return s->arc[s->pred[node]].from == node;
}

static int64_t reduced_cost(const struct simplex *s, uint32_t a)
{
	return s->arc[a].cost + s->pot[s->arc[a].from] - s->pot[s->arc[a].to];
}

/* Potentials and depths of everything below (and with) `top`, whose parent's are right. */
static void refresh_below(struct simplex *s, uint32_t top)
{
	size_t n = 0;
	s->stack[n++] = top;
	while (n) {
		uint32_t i = s->stack[--n], p = s->parent[i];
		int64_t cost = s->arc[s->pred[i]].cost;
		s->pot[i] = points_up(s, i) ? s->pot[p] - cost : s->pot[p] + cost;
		s->depth[i] = s->depth[p] + 1;
		for (uint32_t c = s->child[i]; c != NONE; c = s->next[c])
			s->stack[n++] = c;
	}
}

/* The most wrong arc of the next block that has one; NONE: optimal. */
static uint32_t find_entering(struct simplex *s)
{
	uint32_t best = NONE, left = s->block;
	int64_t worst = 0;
	for (uint32_t seen = 0; seen < s->m; seen++) {
		uint32_t a = s->at;
		s->at = s->at + 1 == s->m ? 0 : s->at + 1;
		if (s->where[a] != IN_TREE) {
			int64_t rc = s->where[a] == AT_LOWER ? reduced_cost(s, a)
							     : -reduced_cost(s, a);
			if (rc < worst) {
				worst = rc;
				best = a;
			}
		}
		if (!--left) {
			if (best != NONE)
				return best;
			left = s->block;
		}
	}
	return best;
}

static int64_t arc_room(const struct simplex *s, uint32_t a)
{
	if (s->arc[a].cap == FLOW_UNLIMITED)
		return FLOW_UNLIMITED;
	return s->arc[a].cap - s->x[a];
}

struct leaving {
	uint32_t below; /* node below the arc; NONE: the entering arc goes to its other bound */
	uint32_t join;
	int64_t delta; /* what can be pushed */
	bool v_side;   /* the arc is on v's side of the join */
};

/* Which arc leaves when a enters, sending flow u -> v: the last blocking one on the way join -> u
 * -> v -> join. */
static struct leaving find_leaving(const struct simplex *s, uint32_t a, uint32_t u, uint32_t v)
{
	uint32_t i = u, j = v, out_u = NONE, out_v = NONE;
	int64_t delta = s->arc[a].cap, du = FLOW_UNLIMITED, dv = FLOW_UNLIMITED;
	while (i != j) {
		if (s->depth[i] > s->depth[j]) {
			/* join -> u goes down: against an arc that points up */
			int64_t d = points_up(s, i) ? s->x[s->pred[i]] : arc_room(s, s->pred[i]);
			if (d < du) {
				du = d;
				out_u = i;
			}
			i = s->parent[i];
		} else {
			int64_t d = points_up(s, j) ? arc_room(s, s->pred[j]) : s->x[s->pred[j]];
			if (d <= dv && d != FLOW_UNLIMITED) {
				dv = d;
				out_v = j;
			}
			j = s->parent[j];
		}
	}
	if (out_v != NONE && dv <= du && dv <= delta)
		return (struct leaving){ out_v, i, dv, true };
	if (du < delta)
		return (struct leaving){ out_u, i, du, false };
	return (struct leaving){ NONE, i, delta, false };
}

/* Cut the tree above `cut` and hang that part below `to` by arc a, with `from` (in the part) as its
 * new top. */
static void rehang_part(struct simplex *s, uint32_t a, uint32_t from, uint32_t to, uint32_t cut)
{
	uint32_t node = from, parent = to, arc = a;
	for (;;) {
		uint32_t old_parent = s->parent[node], old_arc = s->pred[node];
		bool last = node == cut;
		if (s->prev[node] == NONE)
			s->child[s->parent[node]] = s->next[node];
		else
			s->next[s->prev[node]] = s->next[node];
		if (s->next[node] != NONE)
			s->prev[s->next[node]] = s->prev[node];
		hang_node(s, node, parent, arc);
		if (last)
			break;
		parent = node;
		arc = old_arc;
		node = old_parent;
	}
	refresh_below(s, from);
}

static int pivot_on(struct simplex *s, uint32_t a, struct err *err)
{
	bool lower = s->where[a] == AT_LOWER;
	uint32_t u = s->arc[a].to, v = s->arc[a].from;
	if (lower) {
		u = s->arc[a].from;
		v = s->arc[a].to;
	}
	struct leaving l = find_leaving(s, a, u, v);
	if (l.delta == FLOW_UNLIMITED)
		return err_set(
			err, -EDOM,
			"a cycle of negative cost and unlimited capacity goes through arc %u: there is no least cost",
			a);
	s->pivots++;
	if (l.delta) {
		s->x[a] += lower ? l.delta : -l.delta;
		for (uint32_t i = u; i != l.join; i = s->parent[i])
			s->x[s->pred[i]] += points_up(s, i) ? -l.delta : l.delta;
		for (uint32_t i = v; i != l.join; i = s->parent[i])
			s->x[s->pred[i]] += points_up(s, i) ? l.delta : -l.delta;
	}
	if (l.below == NONE) {
		s->where[a] = lower ? AT_UPPER : AT_LOWER;
		return 0;
	}
	uint32_t out = s->pred[l.below];
	s->where[out] = s->x[out] == 0 ? AT_LOWER : AT_UPPER;
	s->where[a] = IN_TREE;
	if (l.v_side)
		rehang_part(s, a, v, u, l.below);
	else
		rehang_part(s, a, u, v, l.below);
	return 0;
}

/* ---- where to start ---------------------------------------------------------------------- */

/* Every node but the root below the other end of its arc. false: an arc is not the node's, or is
 * taken twice. */
static bool hang_all(struct simplex *s, const struct flow *f, uint32_t *kids)
{
	for (uint32_t i = 0; i + 1 < s->n; i++) {
		uint32_t a = f->tree[i];
		if (!(a < f->narc && (s->arc[a].from == i || s->arc[a].to == i) &&
		      s->where[a] != IN_TREE))
			return false;
		uint32_t p = s->arc[a].from == i ? s->arc[a].to : s->arc[a].from;
		hang_node(s, i, p, a);
		s->where[a] = IN_TREE;
		kids[p]++;
	}
	return true;
}

/* The flow that the tree's arcs have by the supplies, leaves first; false: it does not fit into
 * one, or a cycle, which never gets its turn. */
static bool flow_of_tree(struct simplex *s, const struct flow *f, uint32_t *kids)
{
	uint32_t n = s->n, done = 0, *queue = s->stack;
	int64_t *left = xmalloc(n * sizeof *left);
	bool ok = true;

	for (uint32_t i = 0; i < n; i++) {
		left[i] = f->supply[i];
		if (!kids[i])
			queue[done++] = i;
	}
	for (uint32_t q = 0; q < done && ok; q++) {
		uint32_t i = queue[q], a, p;
		if (i == s->root)
			continue;
		a = s->pred[i];
		p = s->parent[i];
		s->x[a] = points_up(s, i) ? left[i] : -left[i];
		ok = within_i64(s->x[a], 0, s->arc[a].cap) && (s->x[a] > 0 || points_up(s, i)) &&
		     (arc_room(s, a) > 0 || !points_up(s, i));
		left[p] += left[i];
		if (!--kids[p])
			queue[done++] = p;
	}
	free(left);
	return ok && done == n;
}

static int check_input(const struct flow *f, int64_t *ret_big, struct err *err)
{
	__int128 sum = 0, gross = 0;
	int64_t most = 1;
	if (!f->nnode || f->nnode > 1u << 30 || f->narc > 1u << 30)
		return err_set(err, -EINVAL,
			       "a flow needs 1 to 2^30 nodes and at most as many arcs");
	for (size_t i = 0; i < f->nnode; i++) {
		sum += f->supply[i];
		gross += max_i64(f->supply[i], 0);
	}
	if (sum != 0)
		return err_set(err, -EINVAL, "the supplies of a flow do not add up to 0");
	for (size_t a = 0; a < f->narc; a++) {
		const struct flow_arc *e = &f->arc[a];
		if (e->from >= f->nnode || e->to >= f->nnode || e->cap < 0)
			return err_set(err, -EINVAL, "arc %zu of a flow is out of range", a);
		if (e->cost >= INT64_MAX / 8 || e->cost <= -INT64_MAX / 8)
			return err_set(err, -E2BIG, "arc %zu of a flow costs too much", a);
		most = e->cost > most ? e->cost : max_i64(-e->cost, most);
	}
	if (gross > INT64_MAX / 4 || (__int128)most * (__int128)(f->nnode + 2) > INT64_MAX / 8)
		return err_set(err, -E2BIG, "the numbers of a flow are too large for 64 bits");
	*ret_big = most * (int64_t)(f->nnode + 1);
	return 0;
}

static void start_simplex(struct simplex *s, const struct flow *f, int64_t big)
{
	s->n = (uint32_t)f->nnode;
	s->m = (uint32_t)f->narc;
	s->root = s->n - 1;
	/* The caller's tree, if it is one, feasible and strongly so; else everything is undone. */
	bool tree = f->tree != NULL;
	if (tree) {
		uint32_t *kids = xcalloc(s->n, sizeof *kids);
		tree = hang_all(s, f, kids) && flow_of_tree(s, f, kids);
		free(kids);
	}
	for (uint32_t i = 0; i < s->n && f->tree && !tree; i++)
		s->child[i] = NONE;
	for (uint32_t a = 0; a < f->narc && f->tree && !tree; a++) {
		s->where[a] = AT_LOWER;
		s->x[a] = 0;
	}
	if (!tree) {
		s->n++;
		s->m += (uint32_t)f->nnode;
		s->root = (uint32_t)f->nnode;

		/* Every node linked to an extra root by an arc more expensive than any path. */
		for (uint32_t i = 0; i < f->nnode; i++) {
			uint32_t a = (uint32_t)f->narc + i;
			bool out = f->supply[i] >= 0;
			s->arc[a] = (struct flow_arc){ out ? i : s->root, out ? s->root : i, big,
						       FLOW_UNLIMITED };
			s->x[a] = out ? f->supply[i] : -f->supply[i];
			s->where[a] = IN_TREE;
			hang_node(s, i, s->root, a);
		}
	}
	/* of the order of the root of the arcs: the usual compromise between a good arc and the
	 * time to find it */
	s->block = 1;
	while ((uint64_t)s->block * s->block < s->m)
		s->block++;
	for (uint32_t c = s->child[s->root]; c != NONE; c = s->next[c])
		refresh_below(s, c);
}

int flow_solve(const struct flow *f, struct flow_result *ret, struct err *err)
{
	struct simplex s = { 0 };
	int64_t big = 0;
	int r = check_input(f, &big, err);
	if (r < 0)
		return r;

	uint32_t n = (uint32_t)f->nnode + 1, m = (uint32_t)(f->narc + f->nnode);
	s.arc = xcalloc(m, sizeof *s.arc);
	for (size_t a = 0; a < f->narc; a++)
		s.arc[a] = f->arc[a];
	s.x = xcalloc(m, sizeof *s.x);
	s.where = xcalloc(m, 1);
	s.parent = xcalloc(n, sizeof(uint32_t));
	s.pred = xcalloc(n, sizeof(uint32_t));
	s.child = xmalloc(n * sizeof(uint32_t));
	s.next = xcalloc(n, sizeof(uint32_t));
	s.prev = xcalloc(n, sizeof(uint32_t));
	s.depth = xcalloc(n, sizeof(uint32_t));
	s.stack = xcalloc(n, sizeof(uint32_t));
	s.pot = xcalloc(n, sizeof(int64_t));
	for (uint32_t i = 0; i < n; i++)
		s.child[i] = NONE;
	start_simplex(&s, f, big);
	for (uint32_t a; r >= 0 && (a = find_entering(&s)) != NONE;)
		r = pivot_on(&s, a, err);
	if (r >= 0) {
		ret->feasible = true;
		for (size_t a = f->narc; a < s.m; a++)
			ret->feasible &= s.x[a] == 0;
		ret->pivots = s.pivots;
		if (ret->feasible)
			ret->cost = 0;
		for (size_t a = 0; ret->feasible && a < f->narc; a++) {
			ret->x[a] = s.x[a];
			ret->cost += (__int128)s.x[a] * f->arc[a].cost;
		}
		for (size_t i = 0; ret->feasible && i < f->nnode; i++)
			ret->potential[i] = s.pot[i];
	}
	free(s.arc);
	free(s.x);
	free(s.where);
	free(s.parent);
	free(s.pred);
	free(s.child);
	free(s.next);
	free(s.prev);
	free(s.depth);
	free(s.stack);
	free(s.pot);
	return r;
}

bool flow_check(const struct flow *f, const struct flow_result *r, struct err *err)
{
	__int128 *net = xcalloc(f->nnode, sizeof *net);
	bool ok = true;
	for (size_t a = 0; a < f->narc && ok; a++) {
		const struct flow_arc *e = &f->arc[a];
		int64_t rc = e->cost + r->potential[e->from] - r->potential[e->to];
		ok = within_i64(r->x[a], 0, e->cap) && (rc >= 0 || r->x[a] == e->cap) &&
		     (rc <= 0 || r->x[a] == 0);
		if (!ok)
			err_set(err, -EINVAL, "arc %zu is out of bounds or not priced optimally",
				a);
		net[e->from] += r->x[a];
		net[e->to] -= r->x[a];
	}
	for (size_t i = 0; i < f->nnode && ok; i++) {
		ok = net[i] == f->supply[i];
		if (!ok)
			err_set(err, -EINVAL, "node %zu does not get what it wants", i);
	}
	free(net);
	return ok;
}
