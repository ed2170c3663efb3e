/*
 * What if prices or the load were other than in the history? The same recommendations, their
 * amounts scaled:
 *
 *   machines that can be given back    cost x price x growth
 *   machines that are paid anyway      cost (contract), whatever is asked of them
 *   what a commitment covers           the rest of its workloads at the price of the day: all that
 * they
 *                                      would cost x growth, less what is covered, and not less than
 *                                      nothing; what is committed is paid whether used or not
 *   fees                               as they are
 *
 * What is saved is that of the history, and is shown in the proportion in which the headline, the
 * median of the months to come, stands to it: a case without a change would be the headline.
 *
 * The recommendations are not looked for again: this asks what the plan is worth, not what another
 * would be.
 */
#include <math.h>
#include <stdlib.h>
#include "plan/replay/compose.h"

static int64_t scaled_i64(int64_t v, double f)
{
	return llround((double)v * f);
}

struct what_if {
	const char *name;
	double price, growth;
};

static struct plan_case one_case(const struct composer *cp, const struct comp *c,
				 const struct plan *p, const int64_t *open,
				 const struct what_if *what)
{
	double price = what->price, growth = what->growth;
	struct plan_case pc = { .name = what->name, .after_nano = c->fee_nano };

	for (size_t i = 0; i < cp->fleet->workload.n; i++) {
		const struct workload *w = &cp->fleet->workload.v[i];
		const struct use *u = &c->use[i];
		double f = 1;
		if (w->elastic || w->kind == WORKLOAD_LINE)
			f = price * growth;
		pc.baseline_nano += scaled_i64(cp->start[i].cost_nano, f);
		int64_t rest = u->cost_nano + scaled_i64(open[i], growth - 1);
		if (u->levers & LEVER_BIT(LEVER_COMMIT)) {
			if (rest > 0)
				pc.after_nano += scaled_i64(rest, price);
		} else
			pc.after_nano += scaled_i64(u->cost_nano, f);
	}
	/* The headline's saving, of that of the history itself. */
	double point = (double)(p->baseline_nano - p->after_nano), of_point = 1;
	if (point > 0 && p->saving_frac > 0)
		of_point = p->saving_frac * (double)p->baseline_nano / point;
	pc.after_nano = pc.baseline_nano - scaled_i64(pc.baseline_nano - pc.after_nano, of_point);
	return pc;
}

void plan_sensitivity(const struct composer *cp, const struct comp *c, struct plan *p)
{
	static const struct what_if cases[] = {
		{ "prices -10 %", 0.9, 1 }, { "prices +10 %", 1.1, 1 }, { "load -20 %", 1, 0.8 },
		{ "load -10 %", 1, 0.9 },   { "load +10 %", 1, 1.1 },   { "load +20 %", 1, 1.2 },
	};

	/* Costs of all works as they were before commitments were bought. */
	size_t n = cp->fleet->workload.n;
	int64_t *open = xcalloc(n + 1, sizeof *open);

	for (size_t i = 0; i < n; i++)
		open[i] = cp->start[i].cost_nano;
	for (size_t i = 0; i < c->taken.v.n; i++) {
		const struct rec *r = c->taken.v.v[i];
		if (lever_index(r->lever) == LEVER_COMMIT)
			continue;
		for (size_t k = 0; k < r->change.n; k++) {
			const struct rec_change *x = &r->change.v[k];
			if (x->shared)
				open[x->workload] = open[x->workload] + x->after.cost_nano -
						    x->base_nano;
			else
				open[x->workload] = x->after.cost_nano;
		}
	}

	double price = cp->o->price_factor > 0 ? cp->o->price_factor : 1, growth = 1;

	bool sure = cp->fleet->until_ms - cp->fleet->since_ms >= SURE_WINDOW_MS;

	if (cp->o->growth_factor > 0)
		growth = cp->o->growth_factor;
	for (size_t i = 0; sure && i < sizeof cases / sizeof *cases; i++)
		if (cases[i].price == 1 || !cp->fleet->in_gpu_hours)
			*vec_push(&p->sensitivity) = one_case(cp, c, p, open, &cases[i]);
	if (price != 1 || growth != 1) {
		struct what_if asked = { arena_printf(&p->mem, "prices x %g, load x %g", price,
						      growth),
					 price, growth };
		*vec_push(&p->sensitivity) = one_case(cp, c, p, open, &asked);
	}
	free(open);
}
