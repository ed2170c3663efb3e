#ifndef TARE_OPT_CAPACITY_REGION_H
#define TARE_OPT_CAPACITY_REGION_H
/*
 * Where to run: price of the machine at each place, the data that has to follow (gravity), what is
 * allowed.
 *
 *   cost(p) = price(p) x hours x units
 *             + [p is not home] x ( in_gb x usd_gb(home, p) + out_gb x usd_gb(p, home) )
 *
 * A place that is not allowed (residency, latency) or has no price is listed with why, never
 * chosen. Amounts in nano-dollars; -1 is not known.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

enum region_state {
	REGION_OK,
	REGION_NO_PRICE,
	REGION_NOT_ALLOWED,
	REGION_TOO_FAR,
	REGION_DATA_UNKNOWN
};

struct region_place {
	const char *name;
	int64_t nano_hour;   /* of a unit */
	int64_t in_nano_gb;  /* data from home to here */
	int64_t out_nano_gb; /* results from here to home */
	double latency_ms;   /* to whoever waits for it; NAN = not known */
};
struct region_job {
	double hours; /* it runs */
	int64_t units;
	/* NAN: not known, then no other place can be said to be cheaper */
	double in_gb, out_gb;
	const char *home; /* where the data lies and it runs now */
	const char *const *allow;
	size_t nallow; /* globs; none: everywhere */
	/* NAN: does not matter; else a place of unknown latency is too far */
	double max_latency_ms;
};
struct region_choice {
	size_t place;
	enum region_state state;
	int64_t run_nano, move_nano, total_nano;
};
/*
 * All places, those that can be chosen first, cheapest first, ties by name. Returns 0; -EINVAL for
 * rubbish. ret [n], the caller's.
 */
int region_rank(const struct region_job *j, size_t n, const struct region_place *place,
		struct region_choice *ret, struct err *err);
/* Gigabytes both ways above which the place is not cheaper than home; INFINITY where moving costs
 * nothing; 0 where it is not cheaper at all. */
double region_break_even_gb(const struct region_job *j, const struct region_place *home,
			    const struct region_place *there);

/*
 * A price that depends on the local hour of day, seen in UTC: ret[h] = profile[(h + offset) mod 24]
 * for the hour h UTC. Half-hour zones are rounded down.
 */
void region_shift(const int64_t profile[24], int32_t utc_offset_s, int64_t ret[24]);

#endif
