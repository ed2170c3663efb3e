#ifndef TARE_SIM_DRAW_H
#define TARE_SIM_DRAW_H
/*
 * Random numbers of a replay: a function of what is drawn for (seed, job, attempt, ...), not of the
 * order of drawing. So a job meets the same interruptions whatever the others do, and two plans are
 * compared on common draws.
 */
#include <math.h>
#include <stdint.h>

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t draw_mix(uint64_t z)
{
	z += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static inline uint64_t draw_bits(uint64_t seed, uint64_t a, uint64_t b)
{
	return draw_mix(draw_mix(draw_mix(seed) ^ a) ^ b);
}

static inline double draw_unit(uint64_t bits) /* (0, 1), never an end */
{
	return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

static inline double draw_exponential(uint64_t bits) /* mean 1 */
{
	return -log(draw_unit(bits));
}

/* Box and Muller 1958; one of the pair. */
static inline double draw_normal(uint64_t bits)
{
	return sqrt(-2 * log(draw_unit(bits))) * cos(2 * M_PI * draw_unit(draw_mix(bits)));
}

/* FNV-1a of a text: the same text draws the same from run to run. */
static inline uint64_t draw_text(const char *z)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *z; z++)
		h = (h ^ (uint8_t)*z) * 0x100000001b3u;
	return h;
}

#endif
