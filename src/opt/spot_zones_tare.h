#ifndef TARE_OPT_SPOT_ZONES_TARE_H
#define TARE_OPT_SPOT_ZONES_TARE_H
/* The policy "tare" for several zones (opt/spot_zones.h): what is known beforehand, and what one run has seen. */
#include "opt/spot_zones.h"

/* Known beforehand, from histories of the same zones. */
struct spot_zone_plan {
	size_t n;
	struct spot_hazard zone[SPOT_MAX_ZONES], any; /* turns of each zone, and of "any zone up" */
	double usd_h;				      /* price expected of the zone that is held */
	struct spot_dp *dp;			      /* of `any` at that price */
	const int *region;			      /* [n] or NULL: transfers are free */
	double move_usd;			      /* the checkpoint once to another region */
};
struct spot_zone_mind {
	const struct spot_zone_plan *plan;
	const struct spot_dp *dp;
	struct spot_belief any, zone[SPOT_MAX_ZONES]; /* ages: nothing else is learned in the run */
	double stay_h[SPOT_MAX_ZONES][SPOT_AGES];     /* expected hours until a zone is taken away, by its age */
};
void spot_zone_mind_init(struct spot_zone_mind *m, const struct spot_zone_plan *p, int64_t gap_ms);
/* ctx is a struct spot_zone_mind. */
int spot_zone_tare(void *ctx, const struct spot_task *k, const struct spot_zone_now *s);

#endif
