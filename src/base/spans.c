/* See spans.h. */
#include "base/spans.h"

#include <stdlib.h>

static int by_from(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->from_ms > y->from_ms) - (x->from_ms < y->from_ms);
}

void spans_sort(spans *s)
{
	if (s->n)
		qsort(s->v, s->n, sizeof *s->v, by_from);
}

void spans_put(spans *taken, struct span s)
{
	if (s.from_ms >= s.to_ms)
		return;
	vec_push(taken);
	size_t i = taken->n - 1;
	for (; i > 0 && taken->v[i - 1].from_ms > s.from_ms; i--)
		taken->v[i] = taken->v[i - 1];
	taken->v[i] = s;
}

void spans_free_of(const spans *taken, struct span s, spans *ret)
{
	size_t lo = 0, hi = taken->n;

	vec_clear(ret);
	while (lo < hi) { /* the first that ends after the start */
		size_t mid = (lo + hi) / 2;
		if (taken->v[mid].to_ms <= s.from_ms)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < taken->n && s.from_ms < s.to_ms; lo++) {
		struct span t = taken->v[lo];
		if (t.from_ms >= s.to_ms)
			break;
		if (t.from_ms > s.from_ms)
			*vec_push(ret) = (struct span){ s.from_ms, t.from_ms };
		s.from_ms = t.to_ms;
	}
	if (s.from_ms < s.to_ms)
		*vec_push(ret) = s;
}
