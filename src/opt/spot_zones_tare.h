#ifndef TARE_OPT_SPOT_ZONES_TARE_H
#define TARE_OPT_SPOT_ZONES_TARE_H
/* The policy "tare" for several zones (opt/spot_zones.h): what is known beforehand, and what one run has seen. */
#include "opt/spot_zones.h"

/* Known beforehand, from histories. */
struct spot_zone_plan {
	size_t nzone;
	struct spot_hazard zone[SPOT_MAX_ZONES];
	double stay_ticks[SPOT_MAX_ZONES][SPOT_AGES + 1]; /* expected time a zone that is up stays so, by bucket; last: age not known */
	size_t n;					  /* kinds of days: is any zone up? */
	struct spot_hazard any[SPOT_MAX_MARKETS];
	struct spot_dp *dp[SPOT_MAX_MARKETS];
	const int *region; /* [nzone] or NULL */
	double move_usd;
};
/* Fill stay_ticks from zone. */
void spot_zone_plan_stays(struct spot_zone_plan *p);

struct spot_zone_mind {
	const struct spot_zone_plan *plan;
	struct spot_belief any;
	int64_t seen, age[SPOT_MAX_ZONES]; /* 0 = not known */
	bool had[SPOT_MAX_ZONES];
};
void spot_zone_mind_init(struct spot_zone_mind *m, const struct spot_zone_plan *p);
/* ctx is a struct spot_zone_mind. */
int spot_zone_tare(void *ctx, const struct spot_task *k, const struct spot_zone_now *s);

#endif
