#ifndef TARE_BASE_RANDOM_H
#define TARE_BASE_RANDOM_H
/*
 * splitmix64 (Steele, Lea, Flood 2014, OOPSLA, "Fast splittable pseudorandom number generators"):
 * the same bits on every machine. Not for secrets. Decisions take a seed; nothing here knows a
 * clock.
 */
#include <stddef.h>
#include <stdint.h>

#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15) /* 2^64 over the golden ratio */

/* What stands behind z in the stream: a hash of z, one to one. */
static inline uint64_t random_mix(uint64_t z)
{
	z += RANDOM_STEP;
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* The next of a stream; every state is a good seed. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state;

	*state += RANDOM_STEP;
	return random_mix(z);
}

/* 0 .. n - 1, n > 0. By remainder: off by at most n / 2^64. */
static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
	return random_next(state) % n;
}

/* [0, 1) in steps of 2^-53. */
static inline double random_frac(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53;
}

/* (0, 1), never an end, so that its logarithm is finite. */
static inline double random_unit(uint64_t bits)
{
	return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

#endif
