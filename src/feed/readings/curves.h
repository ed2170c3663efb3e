#ifndef TARE_FEED_READINGS_CURVES_H
#define TARE_FEED_READINGS_CURVES_H
/* What the feeds of training metrics share. */
#include "feed/feed.h"

/* A point to the sink; one that is no finite number (a run that diverged) is left out and counted.
 * line names it. Returns 0 or what the sink returned. */
int curve_give(struct feed_run *r, const struct curve_point *p, int64_t line, struct err *err);
/* "nan", "inf", "-Infinity": what a run that diverged logs. */
bool curve_is_no_number(struct sv word);
/* Do these bytes begin a file of records with checksums, as TensorBoard writes them? */
bool tfevents_is(struct sv head);

#endif
