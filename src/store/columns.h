#ifndef TARE_STORE_COLUMNS_H
#define TARE_STORE_COLUMNS_H
/*
 * Samples of one series as columns in memory: on their way into chunks (builder.h), and read out of
 * them (samples.c).
 */
#include "model/model.h"

struct columns {
	size_t n, cap;
	int64_t *t_ms, *step_ms;
	double *v[METRIC_N]; /* NULL until the first value; NAN = none in this row */
	bool disorder;       /* a row is not behind the one before */
	size_t bytes;        /* of the arrays */
};

/* Room for n rows; columns that are there are widened. */
void columns_reserve(struct columns *c, size_t n);
/* The column of a metric, made of NANs where there is none yet. cap > 0 */
double *columns_metric(struct columns *c, int metric);
void columns_add(struct columns *c, const struct sample *v);
/* By time; of rows of one instant the later one wins, metric by metric. Returns the rows that said
 * something else of a metric than the one that won. */
size_t columns_put_in_order(struct columns *c);
struct sample columns_row(const struct columns *c, size_t i);
void columns_free(struct columns *c); /* and empty it */

#endif
