#ifndef TARE_BASE_SORT_H
#define TARE_BASE_SORT_H
#include <stdlib.h>

/*
 * qsort() of an array that may be empty: the v of an empty VEC is NULL, which qsort() must not be
 * given, not even for no items. Sorts v[0..n-1] of `size` bytes each in place; not stable.
 */
static inline void sort_items(void *v, size_t n, size_t size,
			      int (*compare)(const void *, const void *))
{
	if (n > 1)
		qsort(v, n, size, compare);
}

/* bsearch() of the same: NULL where there is none, or nothing at all. */
static inline void *find_sorted(const void *key, const void *v, size_t n, size_t size,
				int (*compare)(const void *, const void *))
{
	if (n)
		return bsearch(key, v, n, size, compare);
	return NULL;
}

#endif
