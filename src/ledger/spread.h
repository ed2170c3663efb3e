#ifndef TARE_LEDGER_SPREAD_H
#define TARE_LEDGER_SPREAD_H
/*
 * One amount of a bill over pieces (hours, GPUs of a node) so that the parts are whole nano units
 * and add up to the amount rounded half-even to nano; what that rounding left comes back exactly.
 * Pure.
 *
 * Cumulative rounding: part i = round(total x w(0..i) / W) - round(total x w(0..i-1) / W), so parts
 * need not be kept, no part is off by more than one nano unit from its exact share, and the same
 * pieces in the same order always give the same parts.
 */
#include <stddef.h>
#include <stdint.h>
#include "base/dec.h"

/*
 *   weight_ms [n]  GPU-milliseconds of each piece, >= 0, sum below 2^62; all zero: the first piece
 *                  gets everything
 *   ret_nano  [n]  sum = amount rounded half-even to nano
 *   ret_rest       amount - that sum (at most half a nano unit either way, in 10^-12)
 *
 * Returns 0, -EINVAL (n is 0 or a weight is negative) or -ERANGE (the amount does not fit int64
 * nano units, or weights too large); nothing is written on failure. O(n), allocates nothing.
 */
int spread_amount(dec amount, size_t n, const int64_t *weight_ms, int64_t *ret_nano, dec *ret_rest);

/* The same piece by piece, when the sum of the weights is known before the pieces are. */
struct spread {
	int64_t total_nano, total_weight, weight, nano; /* weight, nano: of the pieces so far */
};
int spread_start(struct spread *s, dec amount, int64_t total_weight_ms, dec *ret_rest);
/* The part of the next piece. The caller's weights add up to total_weight_ms (asserted that they do
 * not exceed it). */
int64_t spread_next(struct spread *s, int64_t weight_ms);

#endif
