/* See spot_zones.h. The rules themselves are those of spot.c, asked for all zones as one market. */
#include "opt/spot/spot_zones.h"

/* Zone with the lowest price that is up, or SPOT_ZONE_NONE. */
static int spot_zone_cheapest(const struct spot_zone_now *s)
{
	int best = SPOT_ZONE_NONE;

	for (size_t z = 0; z < s->n; z++)
		if (s->has[z] && (best < 0 || s->usd_h[z] < s->usd_h[best]))
			best = (int)z;
	return best;
}

/* The same situation with all zones as one market, for the rules of spot.h: spot is there where the
 * held zone is up, or any if none is held. */
static struct spot_now spot_zone_as_one(const struct spot_zone_now *s)
{
	int held = spot_zone_held(s);
	enum spot_hold last = SPOT_NONE;

	if (held == SPOT_ZONE_OD)
		last = SPOT_OD;
	else if (held >= 0)
		last = SPOT_SPOT;
	return (struct spot_now){
		.tick = s->tick,
		.has_spot = spot_zone_cheapest(s) >= 0,
		.last = last,
		.overhead_left_ms = s->overhead_left_ms,
		.done_ms = s->done_ms,
	};
}

static int zone_of(const struct spot_zone_now *s, enum spot_hold h)
{
	int held = spot_zone_held(s);

	if (h == SPOT_SPOT) {
		if (held >= 0)
			return held;
		return spot_zone_cheapest(s);
	}
	if (h == SPOT_OD)
		return SPOT_ZONE_OD;
	return SPOT_ZONE_NONE;
}

bool spot_zone_must(const struct spot_task *k, const struct spot_zone_now *s, int *ret)
{
	struct spot_now one = spot_zone_as_one(s);
	enum spot_hold h;

	if (!spot_must(k, &one, &h))
		return false;
	*ret = zone_of(s, h);
	return true;
}

int spot_zone_greedy(const struct spot_task *k, const struct spot_zone_now *s)
{
	struct spot_now one = spot_zone_as_one(s);

	return zone_of(s, spot_greedy(k, &one));
}

int spot_zone_uniform(const struct spot_task *k, const struct spot_zone_now *s)
{
	struct spot_now one = spot_zone_as_one(s);

	return zone_of(s, spot_uniform(k, &one));
}
