#ifndef TARE_OPT_SPOT_SPOT_MARKET_H
#define TARE_OPT_SPOT_SPOT_MARKET_H
/*
 * What is known about a spot market: how often it turns (spot there <-> not there), by its state
 * and by how long it has been in it.
 *
 *   hazard(av, b) = (turns seen + m * prior(av, b)) / (ticks seen + m)
 *   b             = bucket of the ticks since the last turn
 *
 * A market that has just lost spot is likely to have it back soon; one that had none for a day is
 * likely to have none for another.
 *
 * Runs of one kind follow each other, too: where spot machines were taken away within the hour
 * three times, the fourth will hardly stay for a day. What is remembered of the runs before is a
 * counter from 0 to SPOT_MEMORY - 1: up one after each run of spot of an hour or more (at ticks of
 * ten minutes), down one after each shorter one. Then
 *
 *   hazard(mem, av, b) = (turns(mem) + m * h(av, b) * prior(mem, av, b) / prior(av, b))
 *                        / (ticks(mem) + m)
 *   h                  = hazard without memory, as above
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ticks since the last turn: 1, 2, 3-5, 6-11, 12-23, 24-47, 48-95, 96 and more */
#define SPOT_AGES 8
extern const int spot_age_from[SPOT_AGES + 1];

/* values of the counter of long runs of spot; also remembering whether spot was last missing for
 * long gains 0.05 % at twice the time */
#define SPOT_MEMORY 4

struct spot_counts {
	int64_t ticks[2][SPOT_AGES], turns[2][SPOT_AGES];
}; /* [spot there][bucket] */
/* chances a tick; advance: to the next bucket, given no turn */
struct spot_hazard {
	double turn[2][SPOT_AGES], advance[2][SPOT_AGES];
};

int spot_age_bucket(int64_t age_ticks); /* age >= 1 */
/* Ticks since the last turn after one tick more; 0: no turn was seen yet. */
static inline int64_t spot_age_next(int64_t age_ticks, bool turn)
{
	if (turn)
		return 1;
	return age_ticks ? age_ticks + 1 : 0;
}
/* Add an interval of a history. The age before the first turn is not known: these ticks are left
 * out. O(n). */
void spot_counts_add(struct spot_counts *c, size_t n, const bool *has_spot);
/* What is remembered after a run of a state that ended in that bucket of age. */
int spot_memory_after(int memory, bool was_there, int age_bucket);
/* The same by what was remembered; ticks before the second turn are left out. */
void spot_counts_add_by_memory(struct spot_counts c[SPOT_MEMORY], size_t n, const bool *has_spot);
void spot_counts_merge(struct spot_counts *c, const struct spot_counts *other);
/* own may be NULL; m = weight of the prior in ticks. Cells nobody saw get 1/(2 * youngest age of
 * the bucket). */
void spot_hazard_of(const struct spot_counts *own, const struct spot_counts *prior, double m,
		    struct spot_hazard *ret);
void spot_hazards_of(const struct spot_counts own[SPOT_MEMORY],
		     const struct spot_counts prior[SPOT_MEMORY], double m,
		     struct spot_hazard ret[SPOT_MEMORY]);

#endif
