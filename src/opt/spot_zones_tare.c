/*
 *   whether   nothing, spot or on demand: the least mean cost over the kinds of days of "any zone up" (spot_belief.c), at today's price
 *   which     the zone r that is up with the least  p_r + C / E[L_r]
 *   move      from the zone held, c, to r when  ((p_c + C / E[L_c]) - (p_r + C / E[L_r])) min(E[L_r], T) > C_move
 *
 *   p  price of an hour; E[L] expected hours until it is taken away, from its own turns by age; T hours of work left
 *   C  what a restart costs from here: the value just started less the value running (spot_dp.h), so it grows as the slack shrinks
 */
#include <math.h>
#include <string.h>
#include "opt/spot_zones_tare.h"

static double stay(const struct spot_hazard *h, double *ret)
{
	double reach = 1, sum = 0, weighed = 0;

	for (int b = SPOT_AGES - 1; b >= 0; b--) {
		double q = h->turn[1][b], up = (1 - q) * h->advance[1][b];
		ret[b] = (1 + up * (b < SPOT_AGES - 1 ? ret[b + 1] : 0)) / (q + up);
	}
	for (int b = 0; b < SPOT_AGES; b++) { /* how long a visit is in each bucket weighs an age that is not known */
		double q = h->turn[1][b], up = (1 - q) * h->advance[1][b];
		sum += reach / (q + up);
		weighed += reach / (q + up) * ret[b];
		reach *= up / (q + up);
	}
	return weighed / sum;
}

void spot_zone_plan_stays(struct spot_zone_plan *p)
{
	for (size_t z = 0; z < p->nzone; z++)
		p->stay_ticks[z][SPOT_AGES] = stay(&p->zone[z], p->stay_ticks[z]);
}

void spot_zone_mind_init(struct spot_zone_mind *m, const struct spot_zone_plan *p)
{
	*m = (struct spot_zone_mind){ .plan = p };
	spot_belief_init(&m->any, p->n, (const struct spot_dp *const *)p->dp, p->any);
}

static void see(struct spot_zone_mind *m, const struct spot_zone_now *s)
{
	for (size_t z = 0; z < s->n; z++) {
		if (m->seen)
			m->age[z] = s->has[z] != m->had[z] ? 1 : m->age[z] ? m->age[z] + 1 : 0;
		m->had[z] = s->has[z];
	}
	m->seen++;
	spot_belief_see(&m->any, spot_zone_cheapest(s) >= 0);
}

/* Price of an hour in a zone, with what its next interruption costs spread over the time until then. */
static double hour_usd(const struct spot_zone_mind *m, const struct spot_task *k, const struct spot_zone_now *s, size_t z, double restart_usd,
		       double *ret_stay_h)
{
	int b = m->age[z] ? spot_age_bucket(m->age[z]) : SPOT_AGES;

	*ret_stay_h = m->plan->stay_ticks[z][b] * (double)k->gap_ms / 3.6e6;
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
		now = hour_usd(m, k, s, (size_t)held, restart_usd, &stay_h);
	for (size_t z = 0; z < s->n; z++) {
		if (!s->has[z] || (int)z == held)
			continue;
		double usd = hour_usd(m, k, s, z, restart_usd, &stay_h), h = fmin(stay_h, left_h);
		double gain = held >= 0 ? (now - usd) * h - restart_usd - move_usd(m, s, z) : 1e6 - usd - move_usd(m, s, z) / h;
		if (gain > most) {
			most = gain;
			best = (int)z;
		}
	}
	return best;
}

int spot_zone_tare(void *ctx, const struct spot_task *k, const struct spot_zone_now *s)
{
	struct spot_zone_mind *m = ctx;
	struct spot_now one = spot_zone_as_one(s), fresh = one;
	double c[3], f[3];
	int h;

	see(m, s);
	if (spot_zone_must(k, s, &h))
		return h;
	spot_belief_cost(&m->any, k, &one, c);
	fresh.last = SPOT_NONE;
	spot_belief_cost(&m->any, k, &fresh, f);
	one.last = SPOT_SPOT;
	one.overhead_left_ms = 0;
	double running[3];
	spot_belief_cost(&m->any, k, &one, running);
	int zone = one.has_spot ? best_zone(m, k, s, fmax(f[SPOT_SPOT] - running[SPOT_SPOT], 0)) : SPOT_ZONE_NONE;
	if (zone >= 0) /* the plan knows one price */
		c[SPOT_SPOT] += (s->usd_h[zone] - k->spot_usd_h) * (double)k->gap_ms / 3.6e6;
	if (zone >= 0 && c[SPOT_SPOT] <= c[SPOT_NONE] && c[SPOT_SPOT] <= c[SPOT_OD])
		return zone;
	return c[SPOT_OD] < c[SPOT_NONE] ? SPOT_ZONE_OD : SPOT_ZONE_NONE;
}
