/* opt/flow: known answers, random problems against plain augmenting paths, certificates, wrong
 * input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>
#include "base/random.h"
#include "opt/flow.h"

#define MOST 64

/* Successive shortest paths by Bellman-Ford, one unit at a time: slow, and simple enough to trust.
 * INT64_MIN: not feasible. */
static int64_t plain(const struct flow *f)
{
	int64_t x[MOST] = { 0 }, left[MOST], cost = 0;
	for (size_t i = 0; i < f->nnode; i++)
		left[i] = f->supply[i];
	for (;;) {
		int64_t dist[MOST];
		int via[MOST];
		size_t sink = SIZE_MAX;
		for (size_t i = 0; i < f->nnode; i++) {
			dist[i] = left[i] > 0 ? 0 : INT64_MAX / 4;
			via[i] = -1;
		}
		for (size_t round = 0; round < f->nnode; round++)
			for (size_t a = 0; a < f->narc; a++) {
				const struct flow_arc *e = &f->arc[a];
				if (x[a] < e->cap && dist[e->from] + e->cost < dist[e->to]) {
					dist[e->to] = dist[e->from] + e->cost;
					via[e->to] = (int)a * 2;
				}
				if (x[a] > 0 && dist[e->to] - e->cost < dist[e->from]) {
					dist[e->from] = dist[e->to] - e->cost;
					via[e->from] = (int)a * 2 + 1;
				}
			}
		for (size_t i = 0; i < f->nnode; i++)
			if (left[i] < 0 && dist[i] < INT64_MAX / 8 &&
			    (sink == SIZE_MAX || dist[i] < dist[sink]))
				sink = i;
		if (sink == SIZE_MAX)
			break;
		left[sink]++;
		size_t at = sink;
		while (via[at] >= 0) {
			const struct flow_arc *e = &f->arc[via[at] / 2];
			x[via[at] / 2] += via[at] % 2 ? -1 : 1;
			cost += via[at] % 2 ? -e->cost : e->cost;
			at = via[at] % 2 ? e->to : e->from;
		}
		left[at]--;
	}
	for (size_t i = 0; i < f->nnode; i++)
		if (left[i])
			return INT64_MIN;
	return cost;
}

static struct flow_result solve(const struct flow *f, int64_t *x, int64_t *p)
{
	struct flow_result r = { .x = x, .potential = p };
	struct err err = { 0 };
	assert_int_equal(flow_solve(f, &r, &err), 0);
	if (r.feasible)
		assert_true(flow_check(f, &r, &err));
	return r;
}

static void two_ways(void **state)
{
	const int64_t supply[3] = { 5, 0, -5 };
	const struct flow_arc arc[3] = { { 0, 1, 1, 3 },
					 { 1, 2, 1, FLOW_UNLIMITED },
					 { 0, 2, 4, FLOW_UNLIMITED } };
	int64_t x[3], p[3];
	struct flow f = { 3, 3, supply, arc, NULL };
	struct flow_result r = solve(&f, x, p);
	assert_true(r.feasible);
	assert_int_equal((int64_t)r.cost, 3 * 2 + 2 * 4);
	assert_int_equal(x[0], 3);
	assert_int_equal(x[2], 2);
}

static void no_way(void **state)
{
	const int64_t supply[2] = { 5, -5 };
	const struct flow_arc arc[1] = { { 0, 1, 1, 4 } };
	int64_t x[1], p[2];
	struct flow f = { 2, 1, supply, arc, NULL };
	assert_false(solve(&f, x, p).feasible);
}

static void random_problem(uint64_t *s, struct flow *f, int64_t *supply, struct flow_arc *arc)
{
	f->nnode = 2 + random_next(s) % 7;
	f->narc = 1 + random_next(s) % 18;
	memset(supply, 0, MOST * sizeof *supply);
	for (int k = 0; k < 4; k++) {
		int64_t n = (int64_t)(random_next(s) % 4);
		supply[random_next(s) % f->nnode] += n;
		supply[random_next(s) % f->nnode] -= n;
	}
	for (size_t a = 0; a < f->narc; a++) /* costs >= 0: no cycle pays */
		arc[a] = (struct flow_arc){ (uint32_t)(random_next(s) % f->nnode),
					    (uint32_t)(random_next(s) % f->nnode),
					    (int64_t)(random_next(s) % 9),
					    random_next(s) % 3 ? (int64_t)(random_next(s) % 6)
							       : FLOW_UNLIMITED };
	f->supply = supply;
	f->arc = arc;
	f->tree = NULL;
}

static void random_against_plain(void **state)
{
	uint64_t s = 7;
	int feasible = 0;
	for (int k = 0; k < 5000; k++) {
		struct flow f;
		int64_t supply[MOST], x[MOST], p[MOST], want;
		struct flow_arc arc[MOST];
		random_problem(&s, &f, supply, arc);
		want = plain(&f);
		struct flow_result r = solve(&f, x, p);
		assert_int_equal(r.feasible, want != INT64_MIN);
		if (r.feasible)
			assert_int_equal((int64_t)r.cost, want);
		feasible += r.feasible;
	}
	assert_in_range(feasible, 1000, 4500); /* both kinds were there */
}

/* Starting from a chain gives the same cost as starting from nothing; a tree that is none is not
 * used. */
static void start_tree(void **state)
{
	uint64_t s = 11;
	for (int k = 0; k < 300; k++) {
		enum { N = 12 };
		int64_t supply[N + 1] = { 0 }, x[3 * N], p[N + 1], cost;
		struct flow_arc arc[3 * N];
		uint32_t tree[N + 1] = { 0 }, wrong[N + 1];
		for (uint32_t t = 0; t < N; t++) {
			int64_t d = (int64_t)(random_next(&s) % 5);
			uint32_t end = t + 4 < N ? t + 4 : N;
			supply[t] += d;
			supply[t + 1] -= d;
			tree[t] = t;
			wrong[t] = 3;
			arc[t] = (struct flow_arc){ t, t + 1, 10, FLOW_UNLIMITED };
			arc[N + t] = (struct flow_arc){ t + 1, t, 0, FLOW_UNLIMITED };
			arc[2 * N + t] = (struct flow_arc){ t, end, 6 * (end - t), FLOW_UNLIMITED };
		}
		wrong[N] = 0;
		struct flow f = { N + 1, 3 * N, supply, arc, NULL };
		cost = (int64_t)solve(&f, x, p).cost;
		f.tree = tree;
		assert_int_equal((int64_t)solve(&f, x, p).cost, cost);
		f.tree = wrong;
		assert_int_equal((int64_t)solve(&f, x, p).cost, cost);
	}
}

static void check_finds_faults(void **state)
{
	const int64_t supply[3] = { 5, 0, -5 };
	const struct flow_arc arc[3] = { { 0, 1, 1, 3 },
					 { 1, 2, 1, FLOW_UNLIMITED },
					 { 0, 2, 4, FLOW_UNLIMITED } };
	int64_t x[3], p[3];
	struct flow f = { 3, 3, supply, arc, NULL };
	struct flow_result r = solve(&f, x, p);
	struct err err = { 0 };
	x[2]++; /* too much arrives */
	assert_false(flow_check(&f, &r, &err));
	x[0]--, x[1]--; /* feasible again, and not the cheapest */
	assert_false(flow_check(&f, &r, &err));
}

static void wrong_input(void **state)
{
	int64_t even[2] = { 1, -1 }, odd[2] = { 1, 0 },
		huge[2] = { INT64_MAX / 2, -(INT64_MAX / 2) }, x[2], p[2];
	struct flow_arc far[1] = { { 0, 2, 1, 1 } }, negative[1] = { { 0, 1, 1, -1 } },
			fine[1] = { { 0, 1, 1, 1 } }, expensive[1] = { { 0, 1, INT64_MAX / 4, 1 } },
			ring[2] = { { 0, 1, -1, FLOW_UNLIMITED }, { 1, 0, -1, FLOW_UNLIMITED } };
	struct flow_result r = { .x = x, .potential = p };
	struct err err;
	assert_int_equal(flow_solve(&(struct flow){ 2, 1, odd, fine, NULL }, &r, &err), -EINVAL);
	assert_int_equal(flow_solve(&(struct flow){ 2, 1, even, far, NULL }, &r, &err), -EINVAL);
	assert_int_equal(flow_solve(&(struct flow){ 2, 1, even, negative, NULL }, &r, &err),
			 -EINVAL);
	assert_int_equal(flow_solve(&(struct flow){ 0, 0, even, fine, NULL }, &r, &err), -EINVAL);
	assert_int_equal(flow_solve(&(struct flow){ 2, 1, even, expensive, NULL }, &r, &err),
			 -E2BIG);
	assert_int_equal(flow_solve(&(struct flow){ 2, 1, huge, fine, NULL }, &r, &err), -E2BIG);
	assert_int_equal(flow_solve(&(struct flow){ 2, 2, even, ring, NULL }, &r, &err), -EDOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(two_ways),
					    cmocka_unit_test(no_way),
					    cmocka_unit_test(random_against_plain),
					    cmocka_unit_test(start_tree),
					    cmocka_unit_test(check_finds_faults),
					    cmocka_unit_test(wrong_input) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
