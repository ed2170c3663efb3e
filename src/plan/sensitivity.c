/*
 * What if prices or the load were other than in the history? The same recommendations, their
 * amounts scaled:
 *
 *   machines that can be given back    cost x price x growth
 *   machines that are paid anyway      cost (contract), whatever is asked of them
 *   what a commitment covers           growth >= 1: as committed, the rest at what it cost before
 *                                      the commitment (x price) growth < 1: as committed; it is
 *                                      paid whether used or not
 *   fees                               as they are
 *
 * The recommendations are not looked for anew: this asks what the plan is worth, not what another
 * would be.
 */
#include <math.h>
#include <stdlib.h>
#include "plan/compose.h"

static int64_t scaled(int64_t v, double f)
{
	return llround((double)v * f);
}

static bool is_elastic(const struct work *w)
{
	return w->elastic || w->kind == WORK_LINE;
}

/* Costs of all works as they were before commitments were bought. */
static int64_t *before_commit(const struct composer *cp, const struct comp *c)
{
	size_t n = cp->fleet->work.n;
	int64_t *cost = xcalloc(n + 1, sizeof *cost);

	for (size_t i = 0; i < n; i++)
		cost[i] = cp->start[i].cost_nano;
	for (size_t i = 0; i < c->taken.v.n; i++) {
		const struct rec *r = c->taken.v.v[i];
		if (lever_index(r->lever) == LEVER_COMMIT)
			continue;
		for (size_t k = 0; k < r->change.n; k++) {
			const struct rec_change *x = &r->change.v[k];
			cost[x->work] = x->shared
						? cost[x->work] + x->after.cost_nano - x->base_nano
						: x->after.cost_nano;
		}
	}
	return cost;
}

static struct plan_case one_case(const struct composer *cp, const struct comp *c,
				 const int64_t *open, const char *name, double price, double growth)
{
	struct plan_case pc = { .name = name, .after_nano = c->fee_nano };

	for (size_t i = 0; i < cp->fleet->work.n; i++) {
		const struct use *u = &c->use[i];
		double f = is_elastic(&cp->fleet->work.v[i]) ? price * growth : 1;
		pc.baseline_nano += scaled(cp->start[i].cost_nano, f);
		if (u->levers & LEVER_BIT(LEVER_COMMIT))
			pc.after_nano += u->cost_nano +
					 (growth > 1 ? scaled(open[i], price * (growth - 1)) : 0);
		else
			pc.after_nano += scaled(u->cost_nano, f);
	}
	return pc;
}

void plan_sensitivity(const struct composer *cp, const struct comp *c, struct plan *p)
{
	static const struct {
		const char *name;
		double price, growth;
	} cases[] = {
		{ "prices -10 %", 0.9, 1 }, { "prices +10 %", 1.1, 1 }, { "load -20 %", 1, 0.8 },
		{ "load -10 %", 1, 0.9 },   { "load +10 %", 1, 1.1 },   { "load +20 %", 1, 1.2 },
	};
	int64_t *open = before_commit(cp, c);
	double price = cp->o->price_factor > 0 ? cp->o->price_factor : 1,
	       growth = cp->o->growth_factor > 0 ? cp->o->growth_factor : 1;

	bool sure = cp->fleet->until_ms - cp->fleet->since_ms >= SURE_WINDOW_MS;

	for (size_t i = 0; sure && i < sizeof cases / sizeof *cases; i++)
		*vec_push(&p->sensitivity) = one_case(cp, c, open, cases[i].name, cases[i].price,
						      cases[i].growth);
	if (price != 1 || growth != 1)
		*vec_push(&p->sensitivity) = one_case(
			cp, c, open, arena_printf(&p->mem, "prices x %g, load x %g", price, growth),
			price, growth);
	free(open);
}
