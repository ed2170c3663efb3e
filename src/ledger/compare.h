#ifndef TARE_LEDGER_COMPARE_H
#define TARE_LEDGER_COMPARE_H
/*
 * Why a row of the ledger costs what it costs now and not what it cost before, in five parts that
 * add up to the difference. Pure, exact.
 *
 * The window before is put on the hours of the one now. Of the GPU time that has a price let C be
 * its cost, G its hours, B its busy hours (busy + underused x utilisation), p = C / G, and p* the
 * classes of now (model, purchase, region) at the price each had before:
 *
 *   volume      (B1 - B0) x G0 / B0 x p0        more or less work, at the old use and price
 *   efficiency  B1 x (G1 / B1 - G0 / B0) x p0   more or fewer GPU-hours for a busy one
 *   mix         G1 x (p* - p0)                  other classes; one without an old price at its new
 *   price       G1 x (p1 - p*)                  the same classes at other prices
 *   other       what is no GPU time
 *
 * Where B is unknown or 0 in one of the windows, volume is (G1 - G0) x p0 and efficiency is not
 * known. A row that was not there has no p0: all that it costs is volume.
 */
#include <stdbool.h>
#include <stddef.h>
#include "base/dec.h"

enum compare_part {
	COMPARE_VOLUME,
	COMPARE_EFFICIENCY,
	COMPARE_MIX,
	COMPARE_PRICE,
	COMPARE_OTHER,
	COMPARE_PARTS
};
const char *compare_part_name(enum compare_part p); /* "volume" */

struct compare_side {    /* a row in one window */
	dec cost;        /* of GPU time that has a price */
	int64_t gpu_ms;  /* that time */
	int64_t busy_ms; /* of it; UNKNOWN_I64: no reading */
	dec other;       /* cost of what is no GPU time */
};
struct compare_class { /* model, purchase, region: [0] before, [1] now */
	dec cost[2];
	int64_t gpu_ms[2];
};
struct compare_parts {
	dec before; /* on the hours of now */
	dec now, difference;
	dec part[COMPARE_PARTS]; /* their sum is the difference */
	bool known[COMPARE_PARTS];
};

/*
 * side [2]: before, now; hours [2] of the windows, above 0. Each part is rounded half-even to
 * 10^-12, and what that leaves of the difference goes to the largest part (of equal ones to the
 * first).
 * 0, or -ERANGE: beyond 10^26. O(nclass).
 */
int compare_row(const struct compare_side side[2], const int64_t hours[2],
		const struct compare_class *klass, size_t nclass, struct compare_parts *ret);

#endif
