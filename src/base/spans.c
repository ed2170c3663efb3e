/* See spans.h. */
#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/spans.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int by_from(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return cmp_i64(x->from_ms, y->from_ms);
}

void spans_sort(spans *s)
{
	if (s->n)
		sort_items(s->v, s->n, sizeof *s->v, by_from);
}

/* Of those in order and apart the first that ends at t_ms or later. */
static size_t first_ending_from(const spans *taken, int64_t t_ms)
{
	return first_where(i, taken->n, taken->v[i].to_ms >= t_ms);
}

void spans_put(spans *taken, struct span s)
{
	if (s.from_ms >= s.to_ms)
		return;
	size_t at = first_ending_from(taken, s.from_ms), end = at;
	for (; end < taken->n && taken->v[end].from_ms <= s.to_ms; end++) {
		struct span t = taken->v[end];
		s.from_ms = min_i64(t.from_ms, s.from_ms);
		s.to_ms = max_i64(t.to_ms, s.to_ms);
	}
	if (end == at)
		vec_push(taken);
	/* s takes the place of all in [at, end), or a new one */
	size_t behind = taken->n - (end == at ? end + 1 : end);
	memmove(&taken->v[at + 1], &taken->v[end], behind * sizeof *taken->v);
	taken->n = at + 1 + behind;
	taken->v[at] = s;
}

void spans_free_of(const spans *taken, struct span s, spans *ret)
{
	vec_clear(ret);
	if (s.from_ms >= s.to_ms)
		return;
	for (size_t i = first_ending_from(taken, s.from_ms + 1); i < taken->n; i++) {
		struct span t = taken->v[i];
		assert(i == 0 || taken->v[i - 1].to_ms <= t.from_ms);
		if (t.from_ms >= s.to_ms)
			break;
		if (t.from_ms > s.from_ms)
			*vec_push(ret) = (struct span){ s.from_ms, t.from_ms };
		s.from_ms = t.to_ms;
	}
	if (s.from_ms < s.to_ms)
		*vec_push(ret) = s;
}
