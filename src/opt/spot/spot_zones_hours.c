/*
 * Hours of the week in the chains of spot_zones_plan.h: machines are taken away when others work.
 *
 *   P_h(s -> s') = r_h,k P(s -> s')        k: the kind of turn, below; what is left over goes to
 *                                          the links without a turn, in the old proportions
 *   r_h,k        = (O_h,k + m) / (E_h,k + m)
 *   O_h,k        turns of kind k counted in hour h;  E_h,k = sum_s n_h(s) P(s -> turns of kind k),
 *                                                    what all hours together would have expected
 *
 * One factor for all zones, ages and kinds of state: a proportional hazard (Cox, 1972). Chains
 * counted apart for each hour came out better on windows of the same days, and no better on others
 * (docs/ALGORITHMS.md): a few weeks tell a few factors, not hundreds of states. Hours of UTC: where
 * a zone's own working day lies is for the counts to say.
 */
#include <math.h>
#include "base/mem.h"
#include "opt/spot/spot_zones_plan.h"

#define DAY_MS    86400000LL
#define DAY_PARTS (ZONE_HOURS - 1) /* of a working day; then the weekend */
#define THURSDAY  4                /* 1970-01-01 */
#define TURNS     10               /* m */
#define STAY_FRAC 0.1              /* of the chance of no turn remains at least */

enum turn { TO_OTHER, TO_NONE, TO_UP, LOST_TO_OTHER, LOST_TO_NONE, NTURN, NO_TURN = NTURN };

struct zone_hours {
	/* [ZONE_HOURS][nstate], [ZONE_HOURS][nup] ticks counted */
	double *best, *held;
	double turns[ZONE_HOURS][NTURN];
};

size_t zone_hour(int64_t ms)
{
	int64_t in_day = ((ms % DAY_MS) + DAY_MS) % DAY_MS,
		day = ((ms - in_day) / DAY_MS + THURSDAY) % 7;

	day = (day + 7) % 7;
	if (day == 0 || day == 6)
		return DAY_PARTS;
	return (size_t)(in_day * DAY_PARTS / DAY_MS);
}

struct zone_hours *zone_hours_new(const struct spot_zone_plan *p)
{
	struct zone_hours *h = xcalloc(1, sizeof *h);

	h->best = xcalloc(ZONE_HOURS * p->nstate, sizeof *h->best);
	h->held = xcalloc(ZONE_HOURS * p->nup, sizeof *h->held);
	return h;
}

void zone_hours_free(struct zone_hours *h)
{
	free(h->best);
	free(h->held);
	free(h);
}

static enum turn turn_of(const struct spot_zone_plan *p, size_t from, size_t to)
{
	size_t zone = ZONE_AGES * ZONE_KINDS;

	if (from >= p->nup) {
		if (to < p->nup)
			return TO_UP;
		return NO_TURN;
	}
	if (to >= p->nup)
		return TO_NONE;
	if (to / zone != from / zone)
		return TO_OTHER;
	return NO_TURN;
}

static enum turn lost_to(const struct spot_zone_plan *p, size_t to)
{
	if (to < p->nup)
		return LOST_TO_OTHER;
	return LOST_TO_NONE;
}

void zone_hours_best(struct zone_hours *h, const struct spot_zone_plan *p, size_t hour, size_t from,
		     size_t to)
{
	enum turn k = turn_of(p, from, to);

	h->best[hour * p->nstate + from]++;
	if (k != NO_TURN)
		h->turns[hour][k]++;
}

void zone_hours_held(struct zone_hours *h, const struct spot_zone_plan *p, size_t hour, size_t from,
		     bool kept, size_t to)
{
	h->held[hour * p->nup + from]++;
	if (!kept)
		h->turns[hour][lost_to(p, to)]++;
}

/* Chance of turns before and with the factors: what turns and what does not are then scaled by. */
static void find_shares(double was, double is, double *ret_turn, double *ret_rest)
{
	double most = 1 - STAY_FRAC * (1 - was);

	if (is <= 0)
		*ret_turn = 1;
	else if (was > 1 - 1e-9)
		*ret_turn = 1 / is;
	else
		*ret_turn = fmin(1, most / is);
	*ret_rest = was > 1 - 1e-9 ? 0 : (1 - is * *ret_turn) / (1 - was);
}

static void bend_best(const struct spot_zone_plan *p, size_t s, const double *r,
		      struct zone_links *out)
{
	const struct zone_links *l = &p->best[s];
	double was = 0, is = 0, turn, rest;

	for (size_t i = 0; i < l->n; i++) {
		enum turn k = turn_of(p, s, l->v[i].to);
		if (k != NO_TURN) {
			was += l->v[i].p;
			is += l->v[i].p * r[k];
		}
	}
	find_shares(was, is, &turn, &rest);
	for (size_t i = 0; i < l->n; i++) {
		enum turn k = turn_of(p, s, l->v[i].to);
		*vec_push(out) = (struct zone_link){
			l->v[i].to, l->v[i].p * (k == NO_TURN ? rest : r[k] * turn)
		};
	}
}

void zone_hours_bend(const struct zone_hours *h, struct spot_zone_plan *p)
{
	struct zone_links *best = xcalloc(ZONE_HOURS * p->nstate, sizeof *best),
			  *kept = xcalloc(ZONE_HOURS * p->nup, sizeof *kept);
	struct zone_links *lost = xcalloc(ZONE_HOURS * p->nup, sizeof *lost);

	for (size_t hour = 0; hour < ZONE_HOURS; hour++) {
		/* turns seen over turns expected in this hour, by kind */
		double r[NTURN + 1], expected[NTURN + 1] = { 0 };

		for (size_t s = 0; s < p->nstate; s++)
			for (size_t i = 0; i < p->best[s].n; i++)
				expected[turn_of(p, s, p->best[s].v[i].to)] +=
					h->best[hour * p->nstate + s] * p->best[s].v[i].p;
		for (size_t s = 0; s < p->nup; s++)
			for (size_t i = 0; i < p->lost[s].n; i++)
				expected[lost_to(p, p->lost[s].v[i].to)] +=
					h->held[hour * p->nup + s] * p->lost[s].v[i].p;
		for (int k = 0; k < NTURN; k++)
			r[k] = (h->turns[hour][k] + TURNS) / (expected[k] + TURNS);
		r[NO_TURN] = 1;
		for (size_t s = 0; s < p->nstate; s++)
			bend_best(p, s, r, &best[hour * p->nstate + s]);
		/* The same for machines that are held: what is lost is scaled by turn, what is kept
		 * by the rest. */
		for (size_t s = 0; s < p->nup; s++) {
			const struct zone_links *k = &p->kept[s], *l = &p->lost[s];
			double was = 0, is = 0, turn, rest;

			for (size_t i = 0; i < l->n; i++) {
				was += l->v[i].p;
				is += l->v[i].p * r[lost_to(p, l->v[i].to)];
			}
			find_shares(was, is, &turn, &rest);
			for (size_t i = 0; i < l->n; i++)
				*vec_push(&lost[hour * p->nup + s]) = (struct zone_link){
					l->v[i].to, l->v[i].p * turn * r[lost_to(p, l->v[i].to)]
				};
			for (size_t i = 0; i < k->n; i++)
				*vec_push(&kept[hour * p->nup + s]) =
					(struct zone_link){ k->v[i].to, k->v[i].p * rest };
		}
	}
	zone_chains_free(p);
	p->best = best;
	p->kept = kept;
	p->lost = lost;
	p->nhour = ZONE_HOURS;
}
