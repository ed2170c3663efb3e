#ifndef TARE_PLAN_FLEET_FLEET_ACC_H
#define TARE_PLAN_FLEET_FLEET_ACC_H
/* Statistics of one work while its readings are read (fleet_stats.c); memory of the loader, the
 * histogram that stays of the fleet. */
#include "plan/fleet/fleet_in.h"

struct acc;
struct acc *acc_new(struct loader *l, const struct workload *w);
/* A reading of one of its GPUs; model_bytes: memory of the GPU where the reading does not say,
 * NAN. At or below idle_bound % a GPU is idle. */
void acc_add(struct loader *l, struct acc *a, const char *gpu, const struct sample *s,
	     double model_bytes, double idle_bound);
void acc_conclude(const struct acc *a, struct workload *w);
/* Memory of a GPU of this model by the catalogue, NAN. */
double fleet_model_bytes(const struct loader *l, struct sv model);

#endif
