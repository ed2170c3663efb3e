/*
 *   whether   nothing, spot or on demand: the least expected cost in the chain of "any zone up" (spot_dp.h); a zone that runs is not left for these
 *   which     the zone r that is up with the least  p_r + C / E[L_r]
 *   move      from the zone held, c, to r when  ((p_c + C / E[L_c]) - (p_r + C / E[L_r])) min(E[L_r], T) > C_move
 *
 *   p  price of an hour; E[L] expected hours until it is taken away, from its own turns by age; T hours of work left
 *   C  what a restart costs from here: the value just started less the value running (spot_dp.h), so it grows as the slack shrinks
 */
#include <math.h>
#include "opt/spot_zones_tare.h"

static void stays(const struct spot_hazard *h, double tick_h, double *ret)
{
	for (int b = SPOT_AGES - 1; b >= 0; b--) {
		double q = h->turn[1][b], up = (1 - q) * h->advance[1][b];
		ret[b] = (tick_h + up * (b < SPOT_AGES - 1 ? ret[b + 1] : 0)) / (q + up);
	}
}

void spot_zone_mind_init(struct spot_zone_mind *m, const struct spot_zone_plan *p, int64_t gap_ms)
{
	*m = (struct spot_zone_mind){ .plan = p, .dp = p->dp };
	spot_belief_init(&m->any, 1, &m->dp, &p->any);
	for (size_t z = 0; z < p->n; z++) {
		spot_belief_init(&m->zone[z], 1, NULL, &p->zone[z]);
		stays(&p->zone[z], (double)gap_ms / 3.6e6, m->stay_h[z]);
	}
}

static void see(struct spot_zone_mind *m, const struct spot_zone_now *s)
{
	spot_belief_see(&m->any, spot_zone_cheapest(s) >= 0);
	for (size_t z = 0; z < s->n; z++)
		spot_belief_see(&m->zone[z], s->has[z]);
}

/* Price of an hour in a zone, with what its next interruption costs spread over the time until then. */
static double hour_usd(const struct spot_zone_mind *m, const struct spot_zone_now *s, size_t z, double restart_usd, double *ret_stay_h)
{
	*ret_stay_h = 0;
	for (int b = 0; b < SPOT_AGES; b++)
		*ret_stay_h += m->zone[z].age_weight[0][b] * m->stay_h[z][b];
	return s->usd_h[z] + restart_usd / *ret_stay_h;
}

static double move_usd(const struct spot_zone_mind *m, const struct spot_zone_now *s, size_t z)
{
	const int *region = m->plan->region;

	return region && s->at >= 0 && s->done_ms && region[s->at] != region[z] ? m->plan->move_usd : 0;
}

static int best_zone(const struct spot_zone_mind *m, const struct spot_task *k, const struct spot_zone_now *s, double restart_usd)
{
	double left_h = (double)(k->work_ms - s->done_ms) / 3.6e6, stay_h, most = 0, now = NAN;
	int held = spot_zone_held(s), best = held >= 0 ? held : SPOT_ZONE_NONE;

	if (held >= 0)
		now = hour_usd(m, s, (size_t)held, restart_usd, &stay_h);
	for (size_t z = 0; z < s->n; z++) {
		if (!s->has[z] || (int)z == held)
			continue;
		double usd = hour_usd(m, s, z, restart_usd, &stay_h), h = fmin(stay_h, left_h);
		double gain = held >= 0 ? (now - usd) * h - restart_usd - move_usd(m, s, z) : 1e6 - usd - move_usd(m, s, z) / h;
		if (gain > most) {
			most = gain;
			best = (int)z;
		}
	}
	return best;
}

/* A start less going on, at the state of the markets now. */
static double restart_usd(const struct spot_zone_mind *m, const struct spot_task *k, const struct spot_now *now)
{
	struct spot_now s = *now;
	double start[3], on[3];

	s.last = SPOT_NONE;
	spot_belief_cost(&m->any, k, &s, start);
	s.last = SPOT_SPOT;
	s.overhead_left_ms = 0;
	spot_belief_cost(&m->any, k, &s, on);
	return fmax(start[SPOT_SPOT] - on[SPOT_SPOT], 0);
}

int spot_zone_tare(void *ctx, const struct spot_task *task, const struct spot_zone_now *s)
{
	struct spot_zone_mind *m = ctx;
	struct spot_now one = spot_zone_as_one(s);
	struct spot_task k = *task;
	double c[3];
	int h, zone;

	k.spot_usd_h = m->plan->usd_h;
	see(m, s);
	if (spot_zone_must(&k, s, &h))
		return h;
	zone = one.has_spot ? best_zone(m, &k, s, restart_usd(m, &k, &one)) : SPOT_ZONE_NONE;
	if (spot_zone_held(s) >= 0)
		return zone;
	spot_belief_cost(&m->any, &k, &one, c);
	if (zone >= 0) /* the plan knows one price */
		c[SPOT_SPOT] += (s->usd_h[zone] - k.spot_usd_h) * (double)k.gap_ms / 3.6e6;
	if (zone >= 0 && c[SPOT_SPOT] <= fmin(c[SPOT_NONE], c[SPOT_OD]))
		return zone;
	return c[SPOT_OD] < c[SPOT_NONE] ? SPOT_ZONE_OD : SPOT_ZONE_NONE;
}
