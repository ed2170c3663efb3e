/*
 *   whether   nothing, spot or on demand: the least expected cost to the end, by the plan
 *             (spot_zones_value.c), at the price of this tick
 *   which     the zone r that is up with the least  p_r + C / E[L_r]
 *   move from the zone held, c, to r where even the price alone says so: (p_c - p_r) min(E[L_r],
 *           E[L_c], T) > 2 c_0 + C_move
 *
 *   p    price of an hour; E[L] expected hours until it is taken away, by age; T hours of work left
 *   C    a restart and the way back on demand: D (P + mean p)
 *   c_0  what a restart costs from here: the value just started less the value running, so it grows
 *        as the slack shrinks
 *
 * `which` is the published score (SkyNomad, 2026) with E[L] from ages. Choosing the zone by the
 * values themselves, or moving by them, came out more expensive: the least of several estimates is
 * the one that errs most. Twice c_0: a move is sure to cost it, what it gains is expected.
 */
#include <math.h>
#include "base/tm.h"
#include "base/num.h"
#include "opt/spot/spot_zones_plan.h"

#define HOUR_MS     ((double)MS_HOUR)
#define MOVE_MARGIN 2

void spot_zone_mind_init(struct spot_zone_mind *m, const struct spot_zone_plan *p,
			 const int *region, double move_usd)
{
	*m = (struct spot_zone_mind){ .plan = p, .region = region, .move_usd = move_usd };
}

/* Where a run is: ticks to the deadline, and time left less work left. */
struct place {
	const struct spot_zone_plan *p;
	int64_t left;
	double slack_ms, work_h;
};

/* Ticks of the restart behind the machine that is held. */
static int ticks_behind(const struct spot_zone_plan *p, const struct spot_zone_now *s)
{
	int64_t j = s->overhead_left_ms > 0
			    ? (p->task.overhead_ms - s->overhead_left_ms + p->task.gap_ms - 1) /
				      p->task.gap_ms
			    : p->J;

	return (int)clamp_i64(j, 1, p->J);
}

static double transfer_usd(const struct spot_zone_mind *m, const struct spot_zone_now *s, int z)
{
	if (m->region && s->at >= 0 && s->done_ms && m->region[s->at] != m->region[z])
		return m->move_usd;
	return 0;
}

static double stay_hours(const struct spot_zone_mind *m, int z)
{
	return m->plan->stay_h[z][zone_age(m->plan, m->seen.age[z])];
}

static int choose_zone(const struct spot_zone_mind *m, const struct spot_zone_now *s,
		       const struct place *a)
{
	double least = INFINITY;
	int best = SPOT_ZONE_NONE;

	for (int z = 0; z < (int)s->n; z++) {
		if (!s->has[z])
			continue;
		double h = stay_hours(m, z), usd = s->usd_h[z] + a->p->restart_usd / h +
						   transfer_usd(m, s, z) / fmin(h, a->work_h);
		if (usd < least) {
			least = usd;
			best = z;
		}
	}
	return best;
}

int spot_zone_tare(void *ctx, const struct spot_task *k, const struct spot_zone_now *s)
{
	struct spot_zone_mind *m = ctx;
	int held = spot_zone_held(s), h;

	zone_see(m->plan, &m->seen, s->has);
	if (spot_zone_must(k, s, &h))
		return h;
	int64_t left = k->deadline_ms / k->gap_ms - s->tick, work = k->work_ms - s->done_ms;
	struct place a = (struct place){ m->plan, left, (double)(left * k->gap_ms - work),
					 (double)work / HOUR_MS };
	if (held >= 0) { /* stay or move */
		size_t x = zone_state(a.p, &m->seen, held);
		double restart = zone_after_spot(a.p, x, 0, a.left, a.slack_ms) -
				 zone_after_spot(a.p, x, a.p->J, a.left, a.slack_ms),
		       most = 0;
		int best = held;
		for (int z = 0; z < (int)s->n; z++) {
			if (!s->has[z] || z == held)
				continue;
			double hours = fmin(a.work_h, fmin(stay_hours(m, z), stay_hours(m, held)));
			double gain = (s->usd_h[held] - s->usd_h[z]) * hours -
				      MOVE_MARGIN * fmax(0, restart) - transfer_usd(m, s, z);
			if (gain > most) {
				most = gain;
				best = z;
			}
		}
		return best;
	}

	const struct spot_zone_plan *p = a.p;
	size_t market = zone_market(p, &m->seen, s->usd_h);
	double hours = (double)p->task.gap_ms / HOUR_MS,
	       none = zone_after_none(p, market, a.left, a.slack_ms);
	double od = p->task.od_usd_h * hours +
		    zone_after_od(p, market, s->last == SPOT_ZONE_OD ? ticks_behind(p, s) : 0,
				  a.left, a.slack_ms);
	int z = choose_zone(m, s, &a);

	if (z >= 0) {
		double spot = s->usd_h[z] * hours + transfer_usd(m, s, z) +
			      zone_after_spot(p, zone_state(p, &m->seen, z), 0, a.left, a.slack_ms);
		if (spot <= fmin(none, od))
			return z;
	}
	if (od < none)
		return SPOT_ZONE_OD;
	return SPOT_ZONE_NONE;
}

double spot_zone_plan_usd(const struct spot_zone_plan *p)
{
	double slack = (double)(p->task.deadline_ms - p->task.work_ms);

	if (slack < 0)
		return NAN;
	return zone_after_none(p, p->nup, p->ticks, slack);
}
