#ifndef TARE_STORE_SOURCES_H
#define TARE_STORE_SOURCES_H
/*
 * Providers of machines that are recorded, by a bill or a node list, from the first to the last
 * hour of their GPU time, by name. A list of jobs alone has none: who comes later in it is new
 * work. O(ledger).
 */
#include "store/store.h"

struct facts;
struct gpu_source {
	const char *name;
	int64_t from_ms, to_ms; /* from < to */
	int64_t ms;             /* of GPU time between them, above 0 */
};
/* All of them, in a. 0 or negative errno. */
int store_gpu_sources(struct store *s, struct arena *a, struct gpu_source **ret, size_t *ret_n,
		      struct err *err);
int facts_gpu_sources(struct facts *f, struct arena *a, struct gpu_source **ret, size_t *ret_n,
		      struct err *err);

#endif
