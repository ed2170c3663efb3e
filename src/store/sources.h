#ifndef TARE_STORE_SOURCES_H
#define TARE_STORE_SOURCES_H
/*
 * Who tells of GPU time, from the first to the last hour: a provider, of machines without one their
 * cluster. By name. O(ledger).
 */
#include "store/store.h"

struct facts;
struct gpu_source {
	const char *name; /* "" = neither is told */
	int64_t from_ms, to_ms, ms;
};
int store_gpu_sources(struct store *s, struct arena *a, struct gpu_source **ret, size_t *ret_n,
		      struct err *err);
int facts_gpu_sources(struct facts *f, struct arena *a, struct gpu_source **ret, size_t *ret_n,
		      struct err *err);

#endif
