#ifndef TARE_PLAN_FLEET_FLEET_CARDS_H
#define TARE_PLAN_FLEET_FLEET_CARDS_H
/* What the GPUs did, whoever held them, while the readings are read (fleet_stats.c): fleet.card,
 * fleet.card_hour and the busiest five minutes. */
#include "plan/fleet/fleet_in.h"

struct cards;
struct card_seen;
struct cards *cards_new(struct loader *l);
/* The GPU of a series, the same for all series that name it; NULL: of an instance (MIG), which is
 * no GPU. */
struct card_seen *cards_of_series(struct cards *c, const struct sample_key *key);
/* A reading of it in the window. */
void cards_add(struct cards *c, struct card_seen *of, const struct sample *s, double model_bytes);
/* Fills the fleet, and frees c. */
void cards_conclude(struct cards *c);

#endif
