#ifndef TARE_BASE_SPANS_H
#define TARE_BASE_SPANS_H
/* intervals of time [from, to): what of one is not in others. */
#include <stdint.h>
#include "base/mem.h"

struct span {
	int64_t from_ms, to_ms;
};
#define SPAN_ALL ((struct span){ INT64_MIN, INT64_MAX })
typedef VEC(struct span) spans;

/* In the order in which they begin. */
void spans_sort(spans *s);
/* One more is taken. Those that are stay in order and apart: what overlaps or touches it becomes
 * one with it. O(log taken + what becomes one + what lies behind). */
void spans_put(spans *taken, struct span s);
/* The parts of s that are in none of them, in order, into *ret (emptied first). taken: in order and
 * apart, as spans_put() leaves them. O(log taken + parts). */
void spans_free_of(const spans *taken, struct span s, spans *ret);

#endif
