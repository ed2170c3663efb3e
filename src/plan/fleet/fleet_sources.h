#ifndef TARE_PLAN_FLEET_FLEET_SOURCES_H
#define TARE_PLAN_FLEET_FLEET_SOURCES_H
/*
 * Where the window of a plan begins: sources (a provider's bill, the list of a cluster) begin at
 * different times, and before its first record nobody knows whether a source's machines were there
 * and what they cost. That is no zero, so a plan looks at the time in which all of them are known.
 */
#include "plan/fleet/fleet.h"
#include "store/sources.h"

struct sources_start {
	int64_t from_ms; /* the window's new begin; as it was where all begin with it */
	/* the source that begins there; of those that begin later all the same, the first. NULL:
	 * none */
	const struct gpu_source *first, *late;
};
/*
 * Of a window [from_ms, to_ms). It is cut to the start of the last source that leaves four weeks of
 * it and of which, with those after it, come 5 % of the GPUs of today or more; or that leaves less
 * and of which come nine in ten of them. A source within 1 % of the window (an hour at least)
 * begins with it, and one that is not there for half of the time since it came is none of today.
 * Pure. O(n log n).
 */
void sources_start(const struct gpu_source *src, size_t n, int64_t from_ms, int64_t to_ms,
		   struct sources_start *ret);

/* fleet_load() for what looks ahead: a window whose begin was left open begins where that says. */
int fleet_load_known(struct store *s, const struct fleet_opt *o, struct fleet *ret,
		     struct err *err);

#endif
