#ifndef TARE_OPT_CAPACITY_QUIET_H
#define TARE_OPT_CAPACITY_QUIET_H
/* The hours of a day in which a fleet never needs all of its GPUs. */
#include <stdbool.h>

struct quiet {
	int from_h, hours; /* begins at this hour of the day, 1 to 23 hours long */
	int need;          /* most at work in any of these hours, on any day */
	int top;           /* the same over the whole day */
};
/*
 *   maximise  hours x (top - need),  need = max of peak over the interval, which may pass midnight
 *   peak [24]  most GPUs at work at once in that hour of the day, on any day; -1: never read
 * Hours that nobody read belong to no interval. Ties: the longer, then the earlier one. false: no
 * interval needs less than the whole day. O(24 x 24).
 */
bool quiet_find(const int peak[24], struct quiet *ret);

#endif
