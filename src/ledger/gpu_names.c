#include "ledger/gpu_names.h"

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"

static struct sv next_id(struct sv *rest)
{
	return sv_trim(sv_cut(*rest, ';', rest));
}

static struct gpu_stay *find_stay(const struct gpu_names *g, struct sv uuid)
{
	for (size_t i = 0; i < g->stay.n; i++)
		if (sv_eq(g->stay.v[i].uuid, uuid))
			return &g->stay.v[i];
	return NULL;
}

/* A record other than the last: a uuid that is known is at the place that it has, the others are at
 * those that are left, in their order. */
static void place_earlier(struct gpu_names *g, const struct node *node, struct span there,
			  struct arena *mem)
{
	bool *taken = arena_zalloc(mem, (g->nrecorded + 1) * sizeof *taken);
	size_t next = 0;

	for (struct sv rest = node->gpu_ids; rest.n;) {
		struct gpu_stay *s = find_stay(g, next_id(&rest));
		if (s)
			taken[s->place] = true;
	}
	for (struct sv rest = node->gpu_ids; rest.n;) {
		struct sv id = next_id(&rest);
		struct gpu_stay *s = find_stay(g, id);
		if (!id.n)
			continue;
		while (next < g->nrecorded && taken[next])
			next++;
		if (!s && next == g->nrecorded)
			continue;
		size_t place = s ? s->place : next;
		taken[place] = true;
		*vec_push(&g->stay) = (struct gpu_stay){ id, place, there, true };
	}
}

void gpu_names_record(struct gpu_names *g, struct sv name, const struct node *node, size_t nnode,
		      size_t n, struct arena *mem)
{
	int64_t end = INT64_MAX;
	bool placed = false;

	g->nrecorded = n;
	for (size_t i = 0; i < n; i++)
		*vec_push(&g->v) = (struct gpu_name){ 0 };
	for (size_t k = nnode; k-- > 0;) {
		const struct span there = { node[k].from_ms, end };
		struct sv rest = node[k].gpu_ids;
		if (!rest.n)
			continue;
		if (placed)
			place_earlier(g, &node[k], there, mem);
		for (size_t i = 0; i < n && !placed && rest.n; i++) {
			struct sv id = next_id(&rest);
			if (!id.n)
				continue;
			g->v.v[i] = (struct gpu_name){ .key = id, .uuid = id };
			*vec_push(&g->stay) = (struct gpu_stay){ id, i, there, true };
		}
		placed = true;
		end = node[k].from_ms;
	}
	for (size_t i = 0; i < n; i++)
		if (!g->v.v[i].uuid.n)
			g->v.v[i].key = sv_of(arena_printf(mem, "%.*s/%zu", SVF(name), i));
}

void gpu_names_records(struct gpu_names *g, const struct node *node, size_t nnode, size_t bare,
		       struct arena *mem)
{
	for (size_t i = 0; i < nnode; i++)
		if (node[i].gpu_milli > 0)
			bare = (size_t)((node[i].gpu_milli + 999) / 1000);
	gpu_names_record(g, g->node, node, nnode, bare, mem);
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
	for (size_t i = 0; i < g->stay.n; i++)
		if (sv_eq(g->stay.v[i].uuid, text) || sv_eq(g->stay.v[i].uuid, head))
			return (long)g->stay.v[i].place;
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

/* What its readings say of one GPU. */
struct seen {
	struct sv text;
	struct span when;
};

static int by_first_day(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	int64_t dx = tm_floor(x->when.from_ms, MS_DAY), dy = tm_floor(y->when.from_ms, MS_DAY);

	if (dx != dy)
		return (dx > dy) - (dx < dy);
	return sv_cmp(x->text, y->text);
}

/* Readings of the GPUs that are or were at a place, beside those of another. */
struct use {
	bool read, meets; /* at all; while the other was read */
	int64_t gap;      /* how far apart */
};

static struct use use_of_place(const struct gpu_names *g, size_t place, struct span when)
{
	struct use u = { .gap = INT64_MAX };

	for (size_t i = 0; i < g->stay.n; i++) {
		const struct gpu_stay *s = &g->stay.v[i];
		if (s->place != place || s->recorded)
			continue;
		u.read = true;
		u.meets |= s->there.from_ms < when.to_ms && s->there.to_ms > when.from_ms;
		int64_t gap = s->there.from_ms - when.to_ms;
		if (s->there.to_ms <= when.from_ms)
			gap = when.from_ms - s->there.to_ms;
		u.gap = min_i64(gap, u.gap);
	}
	return u;
}

/* A uuid that no record knows: the next place of which nothing is known; else that of the GPU which
 * it replaced or was replaced by: of those never read while it was, the nearest in time. -1: it is
 * one more. */
static long choose_place(const struct gpu_names *g, struct span when)
{
	int64_t least = INT64_MAX;
	long ret = -1;

	for (size_t i = 0; i < g->nrecorded; i++) {
		const struct use u = use_of_place(g, i, when);
		if (!g->v.v[i].uuid.n && !u.read)
			return (long)i;
		if (!u.read || u.meets || u.gap >= least)
			continue;
		least = u.gap;
		ret = (long)i;
	}
	return ret;
}

/* The readings of each GPU, by its text; ret [n]. */
static size_t see_gpus(const struct gpu_read *r, size_t n, struct seen *ret)
{
	size_t nret = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < nret && !sv_eq(ret[k].text, r[i].text))
			k++;
		if (k == nret)
			ret[nret++] = (struct seen){ r[i].text, r[i].when };
		ret[k].when.from_ms = min_i64(r[i].when.from_ms, ret[k].when.from_ms);
		ret[k].when.to_ms = max_i64(r[i].when.to_ms, ret[k].when.to_ms);
	}
	return nret;
}

void gpu_names_read(struct gpu_names *g, struct gpu_read *r, size_t n, struct arena *mem)
{
	struct seen *seen = arena_alloc(mem, (n + 1) * sizeof *seen);
	size_t nseen = see_gpus(r, n, seen), nnew = 0;

	for (size_t i = 0; i < nseen; i++) {
		long place = gpu_names_find(g, seen[i].text);
		if (place < 0)
			seen[nnew++] = seen[i];
		else
			*vec_push(&g->stay) = (struct gpu_stay){ seen[i].text, (size_t)place,
								 seen[i].when, false };
	}
	if (nnew)
		sort_items(seen, nnew, sizeof *seen, by_first_day);
	for (size_t i = 0; i < nnew; i++) {
		long place = choose_place(g, seen[i].when);
		if (place < 0)
			place = (long)gpu_names_add(g, g->node, seen[i].text, mem);
		else if (!g->v.v[place].uuid.n)
			g->v.v[place].uuid = seen[i].text;
		*vec_push(&g->stay) = (struct gpu_stay){ seen[i].text, (size_t)place, seen[i].when,
							 false };
	}
	for (size_t i = 0; i < n; i++)
		r[i].gpu = (size_t)gpu_names_find(g, r[i].text);
}

/* The first hour that is the stay's from its beginning: one that two share is the earlier's. */
static int64_t first_hour(const struct gpu_stay *s)
{
	if (s->there.from_ms > INT64_MAX - MS_HOUR || s->there.from_ms == UNKNOWN_MS)
		return s->there.from_ms;
	return tm_floor(s->there.from_ms + MS_HOUR - 1, MS_HOUR);
}

struct sv gpu_names_key(const struct gpu_names *g, size_t i, int64_t hour_ms, int64_t *ret_until)
{
	const struct gpu_stay *at = NULL;

	*ret_until = INT64_MAX;
	for (size_t k = 0; k < g->stay.n; k++) {
		const struct gpu_stay *s = &g->stay.v[k];
		if (s->place != i || !s->recorded)
			continue;
		int64_t first = first_hour(s);
		if (first > hour_ms)
			*ret_until = min_i64(first, *ret_until);
		else if (!at || s->there.from_ms > at->there.from_ms)
			at = s;
	}
	return at ? at->uuid : g->v.v[i].key;
}

static int by_begin(const void *a, const void *b)
{
	const struct gpu_stay *x = a, *y = b;

	return (x->there.from_ms > y->there.from_ms) - (x->there.from_ms < y->there.from_ms);
}

size_t gpu_names_stays(const struct gpu_names *g, size_t i, struct gpu_stay *ret)
{
	size_t n = 0;
	int64_t number;

	for (size_t k = 0; k < g->stay.n; k++) {
		const struct gpu_stay *s = &g->stay.v[k];
		size_t same = 0;
		if (s->place != i || sv_i64(s->uuid, &number) == 0)
			continue;
		while (same < n && !sv_eq(ret[same].uuid, s->uuid))
			same++;
		if (same == n)
			ret[n++] = *s;
		ret[same].there.from_ms = min_i64(s->there.from_ms, ret[same].there.from_ms);
	}
	if (!n)
		ret[n++] = (struct gpu_stay){ .uuid = g->v.v[i].uuid, .place = i };
	sort_items(ret, n, sizeof *ret, by_begin);
	ret[0].there.from_ms = INT64_MIN;
	for (size_t k = 0; k < n; k++)
		ret[k].there.to_ms = k + 1 < n ? ret[k + 1].there.from_ms : INT64_MAX;
	return n;
}

void gpu_names_free(struct gpu_names *g)
{
	vec_free(&g->v);
	vec_free(&g->stay);
}
