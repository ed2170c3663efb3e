#ifndef TARE_BASE_SEARCH_H
#define TARE_BASE_SEARCH_H
/* Binary search. Each gives an index 0..n; n: none is so. O(log n). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first i for which is(i, ctx) holds; it holds for all behind the first. */
size_t search_first(size_t n, bool (*is)(size_t i, const void *ctx), const void *ctx);

/* The first item that does not come before key. cmp(key, item) < 0, 0, > 0 as for find_sorted(); rising. */
size_t lower_bound(const void *key, const void *v, size_t n, size_t size,
		   int (*cmp)(const void *key, const void *item));

/* The first item whose number is at least x (lower) or more than x (upper). The number stands
 * `at` bytes into each item of `size` bytes; rising, without NAN. Of a plain array: size
 * sizeof *v, at 0. */
size_t lower_bound_i64(const void *v, size_t n, size_t size, size_t at, int64_t x);
size_t upper_bound_i64(const void *v, size_t n, size_t size, size_t at, int64_t x);
size_t lower_bound_double(const void *v, size_t n, size_t size, size_t at, double x);
size_t upper_bound_double(const void *v, size_t n, size_t size, size_t at, double x);

#endif
