/* See select.h for objective, constraints and source. */
#include "opt/select.h"

#include <errno.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"

#define MAX_NODES 200000 /* some tenths of a second for a component of 100 items */

/* Neighbours of all items, one list after the other. */
struct lists {
	uint32_t *at; /* [n + 1] */
	uint32_t *v;
};

struct search {
	const struct select_in *in;
	struct lists foe, needs;
	uint32_t *order; /* [n] items of all components, each in its order of branching */
	uint32_t *comp;  /* [n] component of an item */
	/* of the component at hand */
	const uint32_t *item; /* [m] in order of branching */
	size_t m;
	uint32_t *clique; /* [m] number of the clique of item[i] */
	uint32_t nclique;
	int64_t *top;        /* [nclique] scratch */
	int32_t *foes_taken; /* [n] neighbours taken so far */
	bool *taken, *best;  /* [n] */
	int64_t best_value, nodes, max_nodes;
};

static void lists_make(struct lists *l, size_t n, size_t npair, const uint32_t (*pair)[2],
		       bool both)
{
	l->at = xcalloc(n + 2, sizeof *l->at);
	l->v = xcalloc(2 * npair + 1, sizeof *l->v);
	for (size_t i = 0; i < npair; i++) {
		l->at[pair[i][0] + 2]++;
		if (both)
			l->at[pair[i][1] + 2]++;
	}
	for (size_t i = 2; i < n + 2; i++)
		l->at[i] += l->at[i - 1];
	for (size_t i = 0; i < npair; i++) {
		l->v[l->at[pair[i][0] + 1]++] = pair[i][1];
		if (both)
			l->v[l->at[pair[i][1] + 1]++] = pair[i][0];
	}
}

static void lists_free(struct lists *l)
{
	free(l->at);
	free(l->v);
}

static bool are_foes(const struct search *s, uint32_t a, uint32_t b)
{
	for (uint32_t k = s->foe.at[a]; k < s->foe.at[a + 1]; k++)
		if (s->foe.v[k] == b)
			return true;
	return false;
}

/* ---- components and their order ---------------------------------------------------------- */

static uint32_t root_of(uint32_t *up, uint32_t i)
{
	while (up[i] != i)
		i = up[i] = up[up[i]];
	return i;
}

static void join_pairs(uint32_t *up, size_t n, const uint32_t (*pair)[2])
{
	for (size_t i = 0; i < n; i++) {
		uint32_t a = root_of(up, pair[i][0]), b = root_of(up, pair[i][1]);
		if (a < b)
			up[b] = a;
		else
			up[a] = b;
	}
}

/* Depth below what an item needs: 0 needs nothing. A circle never settles. */
static int find_depths(const struct select_in *in, uint32_t *depth, struct err *err)
{
	bool changed = true;

	for (size_t round = 0; changed; round++) {
		changed = false;
		if (round > in->n)
			return err_set(err, -EINVAL, "proposals need each other in a circle");
		for (size_t i = 0; i < in->nneed; i++)
			if (depth[in->need[i][0]] <= depth[in->need[i][1]]) {
				depth[in->need[i][0]] = depth[in->need[i][1]] + 1;
				changed = true;
			}
	}
	return 0;
}

struct key {
	uint32_t comp, depth, i;
	int64_t weight;
};

static int by_key(const void *pa, const void *pb)
{
	const struct key *a = pa, *b = pb;

	if (a->comp != b->comp)
		return cmp_u64(a->comp, b->comp);
	if (a->depth != b->depth)
		return cmp_u64(a->depth, b->depth);
	if (a->weight != b->weight)
		return cmp_i64(b->weight, a->weight);
	return cmp_u64(a->i, b->i);
}

/* ---- one component ----------------------------------------------------------------------- */

static bool may_take(const struct search *s, uint32_t i, size_t upto)
{
	if (s->foes_taken[i])
		return false;
	for (uint32_t k = s->needs.at[i]; k < s->needs.at[i + 1]; k++) {
		bool later = false;
		if (s->taken[s->needs.v[k]])
			continue;
		for (size_t j = upto; j < s->m && !later; j++)
			later = s->item[j] == s->needs.v[k];
		if (!later)
			return false;
	}
	return true;
}

/* The most that items from `at` on can still add: the heaviest of each clique. */
static int64_t bound_from(struct search *s, size_t at)
{
	int64_t sum = 0;

	for (uint32_t c = 0; c < s->nclique; c++)
		s->top[c] = 0;
	for (size_t i = at; i < s->m; i++) {
		int64_t w = s->in->weight[s->item[i]];
		if (w > s->top[s->clique[i]] && may_take(s, s->item[i], at))
			s->top[s->clique[i]] = w;
	}
	for (uint32_t c = 0; c < s->nclique; c++)
		sum += s->top[c];
	return sum;
}

static void put_item(struct search *s, uint32_t i, bool in)
{
	s->taken[i] = in;
	for (uint32_t k = s->foe.at[i]; k < s->foe.at[i + 1]; k++)
		s->foes_taken[s->foe.v[k]] += in ? 1 : -1;
}

static void keep_best(struct search *s, int64_t value)
{
	if (value <= s->best_value)
		return;
	s->best_value = value;
	for (size_t i = 0; i < s->m; i++)
		s->best[s->item[i]] = s->taken[s->item[i]];
}

/* Depth first without recursion: `in` first, then `out`; the first dive is the greedy set. */
static void branch_items(struct search *s)
{
	struct frame {
		int64_t value;
		int step;
	} *f = xcalloc(s->m + 1, sizeof *f);
	size_t d = 0;

	for (;;) {
		bool back = f[d].step == 2;
		if (!back && f[d].step == 0) {
			s->nodes++;
			keep_best(s, f[d].value);
			back = d == s->m || s->nodes > s->max_nodes ||
			       f[d].value + bound_from(s, d) <= s->best_value;
		}
		if (back) {
			if (d == 0)
				break;
			d--;
			if (s->taken[s->item[d]])
				put_item(s, s->item[d], false);
			continue;
		}
		uint32_t i = s->item[d];
		if (f[d].step++ == 0) {
			if (!may_take(s, i, d))
				continue;
			put_item(s, i, true);
			f[d + 1].value = f[d].value + s->in->weight[i];
		} else {
			f[d + 1].value = f[d].value;
		}
		f[++d].step = 0;
	}
	free(f);
}

static void solve_items(struct search *s, struct select_out *ret)
{
	int64_t bound;

	/* Greedy: each item joins the first clique all of whose members are its foes. */
	s->nclique = 0;
	for (size_t i = 0; i < s->m; i++) {
		uint32_t c = 0;
		for (; c < s->nclique; c++) {
			size_t j = 0;
			while (j < i && (s->clique[j] != c || are_foes(s, s->item[i], s->item[j])))
				j++;
			if (j == i)
				break;
		}
		s->clique[i] = c;
		if (c == s->nclique)
			s->nclique++;
	}

	s->best_value = 0;
	s->nodes = 0;
	bound = bound_from(s, 0);
	branch_items(s);
	ret->value += s->best_value;
	if (s->nodes > s->max_nodes && bound > s->best_value) {
		ret->exact = false;
		ret->bound += bound;
	} else {
		ret->bound += s->best_value;
	}
}

static int check_input(const struct select_in *in, struct err *err)
{
	for (size_t i = 0; i < in->nedge; i++)
		if (in->edge[i][0] >= in->n || in->edge[i][1] >= in->n ||
		    in->edge[i][0] == in->edge[i][1])
			return err_set(err, -EINVAL,
				       "edge %zu does not join two of the %zu proposals", i, in->n);
	for (size_t i = 0; i < in->nneed; i++)
		if (in->need[i][0] >= in->n || in->need[i][1] >= in->n)
			return err_set(err, -EINVAL, "need %zu is not among the %zu proposals", i,
				       in->n);
	return 0;
}

int select_best(const struct select_in *in, bool *ret_take, struct select_out *ret, struct err *err)
{
	size_t n = in->n + 1;
	struct search s = { .in = in, .max_nodes = in->max_nodes ? in->max_nodes : MAX_NODES };
	struct select_out out = { .exact = true };
	int r = check_input(in, err);

	if (r < 0)
		return r;
	s.order = xcalloc(n, sizeof *s.order);
	s.comp = xcalloc(n, sizeof *s.comp);
	s.clique = xcalloc(n, sizeof *s.clique);
	s.top = xcalloc(n, sizeof *s.top);
	s.foes_taken = xcalloc(n, sizeof *s.foes_taken);
	s.taken = xcalloc(n, sizeof *s.taken);
	s.best = xcalloc(n, sizeof *s.best);
	lists_make(&s.foe, in->n, in->nedge, in->edge, true);
	lists_make(&s.needs, in->n, in->nneed, in->need, false);
	/* The order of the items: component by component, what is needed first. */
	struct key *key = xcalloc(in->n + 1, sizeof *key);
	uint32_t *depth = xcalloc(in->n + 1, sizeof *depth);
	for (uint32_t i = 0; i < in->n; i++)
		s.comp[i] = i;
	join_pairs(s.comp, in->nedge, in->edge);
	join_pairs(s.comp, in->nneed, in->need);
	r = find_depths(in, depth, err);
	for (uint32_t i = 0; i < in->n; i++)
		key[i] = (struct key){ root_of(s.comp, i), depth[i], i, in->weight[i] };
	sort_items(key, in->n, sizeof *key, by_key);
	for (uint32_t i = 0; i < in->n; i++) {
		s.order[i] = key[i].i;
		s.comp[key[i].i] = key[i].comp;
	}
	free(key);
	free(depth);
	if (r >= 0) {
		for (size_t from = 0, to; from < in->n; from = to) {
			for (to = from + 1;
			     to < in->n && s.comp[s.order[to]] == s.comp[s.order[from]]; to++)
				;
			s.item = s.order + from;
			s.m = to - from;
			solve_items(&s, &out);
		}
		for (size_t i = 0; i < in->n; i++)
			ret_take[i] = s.best[i];
		*ret = out;
	}
	lists_free(&s.foe);
	lists_free(&s.needs);
	free(s.order);
	free(s.comp);
	free(s.clique);
	free(s.top);
	free(s.foes_taken);
	free(s.taken);
	free(s.best);
	return r;
}
