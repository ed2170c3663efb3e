#ifndef TARE_BASE_NUM_H
#define TARE_BASE_NUM_H
/*
 * The least, the greatest, the order of two numbers. Each is the plain comparison of its name, so
 * nothing overflows (no difference is taken) and nothing is converted.
 *
 * Doubles: where one of the two is NAN no comparison holds, so min_double() and max_double() give
 * the second, clamp_double() gives x, and cmp_double() says 0: put what may be unknown first, and
 * keep NAN out of what is sorted. fmin() and fmax() are the other rule: they skip a NAN.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUM_OF(name, type)                                          \
	static inline type min_##name(type a, type b)               \
	{                                                           \
		return a < b ? a : b;                               \
	}                                                           \
	static inline type max_##name(type a, type b)               \
	{                                                           \
		return a > b ? a : b;                               \
	}                                                           \
	/* x within lo..hi, lo <= hi */                             \
	static inline type clamp_##name(type x, type lo, type hi)   \
	{                                                           \
		return x < lo ? lo : min_##name(hi, x);             \
	}                                                           \
	/* whether lo <= x <= hi; NAN is nowhere */                 \
	static inline bool within_##name(type x, type lo, type hi)  \
	{                                                           \
		return lo <= x && x <= hi;                          \
	}                                                           \
	/* -1, 0 or 1: a before b, alike, after; cmp(b, a) falls */ \
	static inline int cmp_##name(type a, type b)                \
	{                                                           \
		return (a > b) - (a < b);                           \
	}

NUM_OF(int, int)
NUM_OF(i64, int64_t)
NUM_OF(u64, uint64_t)
NUM_OF(size, size_t)
NUM_OF(double, double)
NUM_OF(dec, __int128) /* money (base/dec.h) and wide sums */
#undef NUM_OF

/* x, `other` where x is unknown (NAN) */
static inline double known_or(double x, double other)
{
	return isnan(x) ? other : x;
}

/* part / whole; unknown (NAN) where whole is 0, below it or unknown itself */
static inline double part_of(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* For sorting arrays of plain numbers, rising. */
int rising_i64(const void *a, const void *b);
int rising_u64(const void *a, const void *b);
int rising_size(const void *a, const void *b);
int rising_double(const void *a, const void *b);
/* What v[k] would be if v[n], k < n, were sorted: O(n). Moves v: it is v[k] then, and nothing
 * behind it is smaller. No NAN. */
double nth_double(double *v, size_t n, size_t k);

#endif
