#ifndef TARE_SIM_SPOT_ZONES_H
#define TARE_SIM_SPOT_ZONES_H
/*
 * Replay of one task with a deadline on histories of several zones (semantics:
 * opt/spot/spot_zones.h). Each tick is billed at the price of the zone held in it, every change of
 * zone is a full restart, and a start in another region than the newest checkpoint's pays its
 * transfer.
 */
#include "opt/spot/spot_zones.h"
#include "sim/spot.h"

struct spot_zone_market {
	size_t nzone, nticks;
	const bool *const *has;     /* [nzone][nticks]; beyond them there is no spot */
	const double *const *usd_h; /* [nzone][nticks] */
	const int *region;          /* [nzone] numbers of regions, or NULL: transfers are free */
	double move_usd;            /* the checkpoint once to another region */
};
struct spot_zone_policy {
	const char *name;
	int (*decide)(void *ctx, const struct spot_task *k, const struct spot_zone_now *s);
	void *ctx;
};
/* Ends and errors as spot_replay(). */
int spot_zone_replay(const struct spot_task *k, const struct spot_zone_market *m,
		     const struct spot_zone_policy *p, struct spot_run *ret, struct err *err);

#endif
