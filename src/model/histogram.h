#ifndef TARE_MODEL_HISTOGRAM_H
#define TARE_MODEL_HISTOGRAM_H
/*
 * A histogram as text, as request logs have it: "10:5;50:20;+Inf:1", that is upper bound : count of
 * each bin, bounds rising. Read bin by bin, without a limit of their number and without a copy.
 */
#include "base/str.h"

struct histogram_bin {
	double le;     /* >= 0, INFINITY: of the last bin */
	uint64_t code; /* le as a short decimal, see histogram_bound(); 0: it is none */
	int64_t count; /* >= 0 */
};
/*
 * The next bin of *rest, which moves on: 1, 0 at the end, -EINVAL where it is no bin. above: the
 * bound of the bin before, -1 at the start; a bound that is not larger is -EINVAL.
 */
int histogram_next(struct sv *rest, double above, struct histogram_bin *ret);

/*
 * A bound in one or two bytes of a varint instead of eight: digits << 4 | (power of ten + 8), so
 * 2500 is 25 << 4 | 10. histogram_bound() gives the same double that the text was read as.
 */
double histogram_bound(uint64_t code);
#define HISTOGRAM_ZERO 8 /* the code of 0 */

#endif
