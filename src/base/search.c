#include "base/search.h"

#include <string.h>

size_t search_first(size_t n, bool (*is)(size_t i, const void *ctx), const void *ctx)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (is(mid, ctx))
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

struct items {
	const char *v;
	size_t size;
	const void *key;
	int (*cmp)(const void *key, const void *item);
};

static bool item_is_not_before(size_t i, const void *ctx)
{
	const struct items *s = ctx;

	return s->cmp(s->key, s->v + i * s->size) <= 0;
}

size_t lower_bound(const void *key, const void *v, size_t n, size_t size,
		   int (*cmp)(const void *key, const void *item))
{
	struct items s = { v, size, key, cmp };

	return search_first(n, item_is_not_before, &s);
}

/* One search for each type and side, so that the compiler sees the comparison. */
#define BOUND(name, type, is)                                                    \
	size_t name(const void *v, size_t n, size_t size, size_t at, type x)     \
	{                                                                        \
		size_t lo = 0, hi = n;                                           \
		while (lo < hi) {                                                \
			size_t mid = lo + (hi - lo) / 2;                         \
			type y;                                                  \
			memcpy(&y, (const char *)v + mid * size + at, sizeof y); \
			if (y is x)                                              \
				hi = mid;                                        \
			else                                                     \
				lo = mid + 1;                                    \
		}                                                                \
		return lo;                                                       \
	}

BOUND(lower_bound_i64, int64_t, >=)
BOUND(upper_bound_i64, int64_t, >)
BOUND(lower_bound_double, double, >=)
BOUND(upper_bound_double, double, >)
