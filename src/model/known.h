#ifndef TARE_MODEL_KNOWN_H
#define TARE_MODEL_KNOWN_H
/* Numbers that are only sometimes known: what stands in their place. Every argument is
 * evaluated. */
#include <math.h>

#include "model/model.h"

/* x, `other` where x is unknown (UNKNOWN_I64, UNKNOWN_MS, UNKNOWN_NANO) */
static inline int64_t known_i64_or(int64_t x, int64_t other)
{
	return x == UNKNOWN_I64 ? other : x;
}

/* x where it is known, else the value that says it is not: UNKNOWN_I64, NAN */
static inline int64_t i64_if(bool known, int64_t x)
{
	return known ? x : UNKNOWN_I64;
}
static inline double num_if(bool known, double x)
{
	return known ? x : NAN;
}

/* Add v where it is known; a sum of which nothing was known is NAN. */
static inline void known_sum_add(double *sum, double v)
{
	if (!isnan(v))
		*sum = isnan(*sum) ? v : *sum + v;
}

/* What a sum gets: x where it counts, else 0. */
static inline int64_t i64_counted(bool counts, int64_t x)
{
	return counts ? x : 0;
}
static inline dec dec_counted(bool counts, dec x)
{
	return counts ? x : 0;
}

/* Without its sign; no smallest number has one. */
static inline dec dec_size(dec x)
{
	return x < 0 ? -x : x;
}
#endif
