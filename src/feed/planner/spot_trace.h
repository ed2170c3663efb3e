#ifndef TARE_FEED_PLANNER_SPOT_TRACE_H
#define TARE_FEED_PLANNER_SPOT_TRACE_H
/*
 * Histories of spot markets: CSV with the columns env (or zone_gpu, market), gap_seconds and
 * preempted_bits (a digit a tick, 1 = spot was not to be had), and restart_overhead_hours where the
 * rows are scenarios; window and start_time where a row is one of several intervals of a market's
 * history, and spot_price_rle_usd_hour ("1.31x105 1.30x60": price x ticks). For tare simulate spot;
 * nothing of it goes into the store.
 */
#include <stdbool.h>
#include "base/err.h"
#include "base/input.h"
#include "base/mem.h"

struct spot_trace {
	const char *market;
	int64_t gap_ms, overhead_ms; /* overhead -1: the row does not say */
	size_t n;
	const bool *has_spot;     /* [n] */
	const double *spot_usd_h; /* [n] price of each tick, or NULL: no such column */
	int64_t window;           /* -1: the row does not say */
	int64_t start_ms;         /* of its first tick, or INT64_MIN: no time of day */
};
struct spot_traces {
	VEC(struct spot_trace) v; /* in order of the file */
	struct arena mem;
};
/* -EINVAL for a cell that makes no sense (file, line and column in the message), -ENODATA without
 * rows, -E2BIG above 200 million ticks. */
int spot_traces_read(struct input *in, struct spot_traces *ret, struct err *err);
/* The same of a file, packed or not; -errno where it cannot be opened. */
int spot_traces_load(const char *path, struct spot_traces *ret, struct err *err);
void spot_traces_free(struct spot_traces *t);

#endif
