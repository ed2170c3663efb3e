#ifndef TARE_OPT_SPOT_MARKET_H
#define TARE_OPT_SPOT_MARKET_H
/*
 * What is known about a spot market: how often it turns (spot there <-> not there), by its state and by how long it has been in it.
 *
 *   hazard(av, b) = (turns seen + m * prior(av, b)) / (ticks seen + m)      b = bucket of the ticks since the last turn
 *
 * A market that has just lost spot is likely to have it back soon; one that had none for a day is likely to have none for another.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPOT_AGES 8 /* ticks since the last turn: 1, 2, 3-5, 6-11, 12-23, 24-47, 48-95, 96 and more */
extern const int spot_age_from[SPOT_AGES + 1];

struct spot_counts { int64_t ticks[2][SPOT_AGES], turns[2][SPOT_AGES]; }; /* [spot there][bucket] */
struct spot_hazard { double turn[2][SPOT_AGES], advance[2][SPOT_AGES]; }; /* chances a tick; advance: to the next bucket, given no turn */

int spot_age_bucket(int64_t age_ticks); /* age >= 1 */
/* Add a stretch of a history. The age before the first turn is not known: these ticks are left out. O(n). */
void spot_counts_add(struct spot_counts *c, size_t n, const bool *has_spot);
void spot_counts_merge(struct spot_counts *c, const struct spot_counts *other);
/* own may be NULL; m = weight of the prior in ticks. Cells nobody saw get 1/(2 * youngest age of the bucket). */
void spot_hazard_of(const struct spot_counts *own, const struct spot_counts *prior, double m, struct spot_hazard *ret);

#endif
