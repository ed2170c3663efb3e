#ifndef TARE_FEED_PLANNER_ARRIVALS_H
#define TARE_FEED_PLANNER_ARRIVALS_H
/* When requests came: a CSV with a row per request, as access logs and traces of requests have it.
 * For tare plan batch; nothing of it goes into the store. */
#include "base/err.h"
#include "base/input.h"
#include "base/mem.h"

struct arrivals {
	VEC(double) t_ms; /* in order, from 0 for the first */
};
/*
 * Columns by name, any case: time | timestamp | timestamp_anon | arrival | arrival_time |
 * arrived_at | t; others are not read. A cell is seconds (12.0347) or an instant ("2023-11-16
 * 18:17:03.9799600"), in any order of rows; `count` of a row must be 1. Returns 0, -ENODATA without
 * rows, -EINVAL for a cell that is no time and for seconds among instants, -E2BIG above 2 million
 * rows; the message has file, line and column, and what to do.
 */
int arrivals_read(struct input *in, struct arrivals *ret, struct err *err);
void arrivals_free(struct arrivals *a);

#endif
