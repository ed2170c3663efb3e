#ifndef TARE_LEDGER_ROUND_H
#define TARE_LEDGER_ROUND_H
/*
 * How exact weights become whole units that add up: milliseconds of an hour's states and entries,
 * and nano-units of their money. One rule for the ledger and for what an agent says of itself.
 * Pure.
 */
#include <stddef.h>
#include <stdint.h>

/* floor(a / d) for d > 0; what is left is in [0, d). */
__int128 round_down(__int128 a, __int128 d, __int128 *ret_rem);

/* Whole units of a running sum >= 0, half up: then whole parts stay whole whatever fraction was
 * carried before them. */
int64_t round_upto(__int128 sum, __int128 one);

struct round_rem { /* scratch */
	__int128 rem;
	size_t i;
};
/*
 * part[i] = floor(weight[i] / one); what is missing to total goes one by one to the largest
 * remainders, the first of equal ones first. total lies between the sum of the floors and that sum
 * plus the number of weights that are not whole. rem: [n].
 */
void round_parts(struct round_rem *rem, size_t n, const __int128 *weight, __int128 one,
		 int64_t total, int64_t *ret_part);

#endif
