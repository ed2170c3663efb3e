#ifndef TESTS_RNG_H
#define TESTS_RNG_H
/* Random numbers for property tests (splitmix64): a fixed seed gives the same run everywhere. */
#include <stdint.h>

struct rng {
	uint64_t x;
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = (r->x += 0x9e3779b97f4a7c15ULL);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* 0 .. n - 1 */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	return rng_next(r) % n;
}
#endif
