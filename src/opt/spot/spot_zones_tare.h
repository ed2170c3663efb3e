#ifndef TARE_OPT_SPOT_SPOT_ZONES_TARE_H
#define TARE_OPT_SPOT_SPOT_ZONES_TARE_H
/*
 * The policy "tare" for several zones (opt/spot/spot_zones.h): what is known beforehand (a plan,
 * from histories of the same zones), and what one run has seen.
 *
 * A plan costs O(ticks * states * slack / tick) time, states = 20 * (zones + 1), and at most 64
 * MiB: under a tenth of a second for two zones and 960 ticks, half a second to two for nine.
 */
#include "opt/spot/spot_zones.h"

struct spot_zone_plan;
struct spot_zone_known { /* of the same zones in the same order, and of the same tick */
	size_t nzone, n;
	const struct spot_zone_history *h; /* [n] */
};
/*
 * k: the task that is planned for, with its tick; start_ms: when it starts (UTC), which tells hours
 * of work from nights and weekends where the histories know them, too; or SPOT_NO_CLOCK. Nothing of
 * the histories is kept.
 * -EINVAL for tasks and numbers of zones that make no sense, -ENODATA without a tick of history,
 * -E2BIG where the states do not fit into memory.
 */
int spot_zone_plan_new(const struct spot_task *k, int64_t start_ms,
		       const struct spot_zone_known *known, struct spot_zone_plan **ret,
		       struct err *err);
void spot_zone_plan_free(struct spot_zone_plan *p);
/* Cost to the end that the plan expects at the start of the task; NAN where it is not known. */
double spot_zone_plan_usd(const struct spot_zone_plan *p);

/* What has been seen of the zones up to a tick. */
struct spot_zone_seen {
	/* is_known: its age counts from a turn that was seen */
	bool begun, has[SPOT_MAX_ZONES], is_known[SPOT_MAX_ZONES];
	bool down_is_known;
	int64_t age[SPOT_MAX_ZONES], down; /* ticks in this state; ticks without any zone */
	double up_frac;                    /* of the zones, over the last hours */
};
struct spot_zone_mind {
	const struct spot_zone_plan *plan;
	struct spot_zone_seen seen;
	const int *region; /* [zones] or NULL: transfers are free */
	double move_usd;   /* the checkpoint once to another region */
};
void spot_zone_mind_init(struct spot_zone_mind *m, const struct spot_zone_plan *p,
			 const int *region, double move_usd);
/* ctx is a struct spot_zone_mind. */
int spot_zone_tare(void *ctx, const struct spot_task *k, const struct spot_zone_now *s);

#endif
