#ifndef TARE_SIM_DRAW_H
#define TARE_SIM_DRAW_H
/*
 * Random numbers of a replay: a function of what is drawn for (seed, job, attempt, ...), not of the
 * order of drawing. So a job meets the same interruptions whatever the others do, and two plans are
 * compared on common draws.
 */
#include <math.h>
#include <stdint.h>

#include "base/random.h"

static inline uint64_t draw_bits(uint64_t seed, uint64_t a, uint64_t b)
{
	return random_mix(random_mix(random_mix(seed) ^ a) ^ b);
}

static inline double draw_exponential(uint64_t bits) /* mean 1 */
{
	return -log(random_unit(bits));
}

/* Box and Muller 1958; one of the pair. */
static inline double draw_normal(uint64_t bits)
{
	return sqrt(-2 * log(random_unit(bits))) * cos(2 * M_PI * random_unit(random_mix(bits)));
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
