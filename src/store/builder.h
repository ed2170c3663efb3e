#ifndef TARE_STORE_BUILDER_H
#define TARE_STORE_BUILDER_H
/* Samples in memory on their way into chunks: the rows of a series in an hour, from one source, as
 * columns (telemetry.c writes them). */
#include "store/telemetry.h"

struct builder {
	size_t key; /* index of the series in telemetry.keys */
	int64_t hour_ms, src;
	size_t n, cap;
	int64_t *t;
	int64_t *step;
	double *v[METRIC_N]; /* NULL until the first value */
	uint64_t touched;
	bool disorder;
};

/* The builder of (series, hour, source), made where there is none; O(1). */
struct builder *builder_of(struct telemetry *t, size_t key, int64_t hour_ms, int64_t src);
/* counts what it takes in t->bytes */
void builder_add(struct telemetry *t, struct builder *b, const struct sample *v);
/* Bring the rows into order; of rows of one instant the later one wins, metric by metric. */
void builder_put_in_order(struct builder *b);
void builder_free(struct builder *b);
void builders_rehash(struct telemetry *t); /* after t->builder was changed */
void builders_drop(struct telemetry *t);   /* all, and the series met */

#endif
