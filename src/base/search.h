#ifndef TARE_BASE_SEARCH_H
#define TARE_BASE_SEARCH_H
#include <stddef.h>

/*
 * Binary search: the first i of 0 .. n-1 for which `is` holds, or n where it holds for none.
 *
 *   size_t at = first_where(i, n, v[i].from_ms >= t_ms); // lower bound; > gives the upper one
 *
 * `is` is an expression of i, which it names, and holds for all behind the first. n is evaluated
 * once, `is` O(log n) times and holds no other first_where(). A macro, so that the compiler sees
 * the comparison, and the reader too.
 */
#define first_where(i, n, is)                                   \
	({                                                      \
		size_t first_lo_ = 0, first_hi_ = (n);          \
		while (first_lo_ < first_hi_) {                 \
			size_t i = (first_lo_ + first_hi_) / 2; \
			if (is)                                 \
				first_hi_ = i;                  \
			else                                    \
				first_lo_ = i + 1;              \
		}                                               \
		first_lo_;                                      \
	})

#endif
