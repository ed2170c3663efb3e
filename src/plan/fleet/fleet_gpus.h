#ifndef TARE_PLAN_FLEET_FLEET_GPUS_H
#define TARE_PLAN_FLEET_FLEET_GPUS_H
/* What the GPUs did, whoever held them, while the readings are read (fleet_stats.c): fleet.card,
 * fleet.gpus_hour and the busiest five minutes. */
#include "plan/fleet/fleet_in.h"

struct gpus;
struct gpu_seen;
struct gpus *gpus_new(struct loader *l);
/* The GPU of a series, the same for all series that name it; NULL: of an instance (MIG), which is
 * no GPU. */
struct gpu_seen *gpus_of_series(struct gpus *c, const struct sample_key *key);
/* A reading of it in the window. */
void gpus_add(struct gpus *c, struct gpu_seen *of, const struct sample *s, double model_bytes);
/* Fills the fleet, and frees c. */
void gpus_conclude(struct gpus *c);

#endif
