#ifndef TARE_FEED_PLANNER_POINTS_H
#define TARE_FEED_PLANNER_POINTS_H
/*
 * A series of readings per container or service, as telemetry stores export it: CSV with a time, a
 * value and whose it is, in any order of columns. For replays that need several series beside each
 * other (tare simulate requests); what belongs into the store goes through tare import.
 */
#include "base/err.h"
#include "base/input.h"
#include "base/mem.h"
#include "model/points.h"

/*
 * Columns: time | timestamp | timestamp_anon (RFC 3339, or seconds since 1970), value, and
 * container | container_ip | service | pod | job_id (may be missing: all rows are nobody's). names
 * collects who, shared over several files. Returns 0, -ENODATA without rows, -EINVAL for a cell
 * that is no time or no number of 0 or more, -E2BIG above 50 million rows; the message has file,
 * line and column.
 */
int points_read(struct input *in, struct intern *names, struct points *ret, struct err *err);
void points_free(struct points *p);

#endif
