#ifndef TARE_STORE_BUILDER_H
#define TARE_STORE_BUILDER_H
/* Samples in memory on their way into chunks: the rows of a series in a duration, from one
 * source (telemetry.c writes them). */
#include "store/columns.h"
#include "store/telemetry.h"

struct builder {
	size_t key; /* index of the series in telemetry.keys */
	int64_t from_ms, span_ms, src;
	struct columns rows;
	uint64_t touched;
};

/* The builder of (series, span that t_ms is in, source), made where there is none; O(1). */
struct builder *builder_of(struct telemetry *t, size_t key, int64_t t_ms, int64_t step_ms,
			   int64_t src);
/* counts what it takes in t->bytes */
void builder_add(struct telemetry *t, struct builder *b, const struct sample *v);
void builder_free(struct builder *b);
void builders_rehash(struct telemetry *t); /* after t->builder was changed */
void builders_drop(struct telemetry *t);   /* all, and the series met */

#endif
