/*
 * What no schedule can cost less than (schedule_fleet.h has the problem, and where the bounds are
 * from): the Lagrangian of the capacities, whose prices also lead the heuristic, and the
 * transportation problem in which jobs may be cut into unit-slots.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "base/num.h"
#include "opt/flow.h"
#include "opt/schedule/schedule_fleet_in.h"

#define ROUNDS 80 /* subgradient steps */

double slot_ascend(struct slot_work *w, double target, double *ret_lambda)
{
	size_t cells = w->f->nplace * w->f->nslot;
	int64_t *usage = xmalloc(cells * sizeof *usage);
	double best = -INFINITY, theta = 1;
	int stale = 0;
	for (int round = 0; round < (w->f->capacity ? ROUNDS : 1); round++) {
		/* L(lambda) = sum_j min_start (price + lambda) - sum lambda x capacity, over the
		 * jobs that run; usage is that of the minima. Rounded down. */
		const struct slot_problem *f = w->f;
		double lagrangian = 0;
		slot_sum_up(w);
		memset(usage, 0, f->nplace * f->nslot * sizeof *usage);
		for (size_t k = 0; k < f->njob; k++) {
			int32_t p, s;
			if (w->a->place[k] < 0)
				continue;
			lagrangian += slot_cheapest(w, &f->job[k], false, &p, &s);
			for (size_t i = 0; i < f->job[k].length; i++)
				usage[slot_cell(w, (size_t)p, (size_t)s) + i] += f->job[k].units;
		}
		for (size_t i = 0; i < f->nplace * f->nslot && f->capacity; i++)
			if (w->lambda[i] > 0)
				lagrangian -= w->lambda[i] * (double)f->capacity[i];
		double v = lagrangian, norm = 0;

		if (v > best) {
			best = v;
			memcpy(ret_lambda, w->lambda, cells * sizeof *ret_lambda);
			stale = 0;
		} else if (++stale == 5) {
			theta /= 2;
			stale = 0;
		}
		for (size_t i = 0; i < cells && w->f->capacity; i++) {
			double g = (double)(usage[i] - w->f->capacity[i]);
			if (g > 0 || w->lambda[i] > 0)
				norm += g * g;
		}
		if (!w->f->capacity || !(norm > 0) || !(target > v))
			break;
		double step = theta * (target - v) / norm;
		for (size_t i = 0; i < cells; i++) {
			w->lambda[i] += step * (double)(usage[i] - w->f->capacity[i]);
			w->lambda[i] = max_double(w->lambda[i], 0);
		}
	}
	free(usage);
	return best;
}

/* Arc of job k at (p, t): a unit-slot there with its part of the cost to move, rounded down so that
 * the bound stays one. */
static int64_t arc_cost(const struct slot_work *w, const struct slot_job *j, size_t p, size_t t)
{
	return w->f->price_nano[slot_cell(w, p, t)] +
	       slot_move(j, p) / ((int64_t)j->length * j->units);
}

/* Nodes: jobs, cells, the sink. */
static size_t build_arcs(const struct slot_work *w, struct flow_arc *arc, int64_t *supply)
{
	const struct slot_problem *f = w->f;
	size_t n = 0, cells = f->nplace * f->nslot, sink = f->njob + cells;
	for (size_t k = 0; k < f->njob; k++) {
		const struct slot_job *j = &f->job[k];
		size_t end = min_size(j->deadline, f->nslot);
		if (w->a->place[k] < 0)
			continue;
		supply[k] = (int64_t)j->length * j->units;
		supply[sink] -= supply[k];
		for (size_t p = 0; p < f->nplace; p++)
			for (size_t t = j->release; t < end && slot_move(j, p) >= 0; t++)
				if (f->price_nano[slot_cell(w, p, t)] >= 0)
					arc[n++] = (struct flow_arc){
						(uint32_t)k,
						(uint32_t)(f->njob + slot_cell(w, p, t)),
						arc_cost(w, j, p, t), j->units
					};
	}
	for (size_t i = 0; i < cells; i++)
		arc[n++] = (struct flow_arc){ (uint32_t)(f->njob + i), (uint32_t)sink, 0,
					      f->capacity ? f->capacity[i] : FLOW_UNLIMITED };
	return n;
}

int slot_flow_bound(struct slot_work *w, int64_t *ret_nano, struct err *err)
{
	const struct slot_problem *f = w->f;
	size_t cells = f->nplace * f->nslot, nodes = f->njob + cells + 1, arcs = cells;
	for (size_t k = 0; k < f->njob; k++) {
		size_t end = min_size(f->job[k].deadline, f->nslot);
		if (w->a->place[k] >= 0)
			arcs += (end - f->job[k].release) * f->nplace;
	}
	*ret_nano = -1;
	if (arcs > SLOT_MAX_ARCS || nodes > UINT32_MAX)
		return 0;
	int64_t *supply = xcalloc(nodes, sizeof *supply), *x = xmalloc((arcs + 1) * sizeof *x),
		*pot = xcalloc(nodes, sizeof *pot);
	struct flow_arc *arc = xmalloc((arcs + 1) * sizeof *arc);
	size_t narc = build_arcs(w, arc, supply);
	struct flow_result r = { .x = x, .potential = pot };
	int rc = flow_solve(
		&(struct flow){ .nnode = nodes, .narc = narc, .supply = supply, .arc = arc }, &r,
		err);
	if (rc >= 0 && r.feasible &&
	    flow_check(&(struct flow){ .nnode = nodes, .narc = narc, .supply = supply, .arc = arc },
		       &r, err)) {
		*ret_nano = r.cost > INT64_MAX ? INT64_MAX : (int64_t)r.cost;
		/* a saturated cell is worth the difference of prices between it and the sink,
		 * whichever sign the solver uses */
		for (size_t i = 0; i < cells; i++) {
			if (x[narc - cells + i] && f->capacity &&
			    x[narc - cells + i] == f->capacity[i])
				w->lambda[i] = fabs((double)(pot[f->njob + i] - pot[nodes - 1]));
			else
				w->lambda[i] = 0;
		}
	}
	free(supply);
	free(x);
	free(pot);
	free(arc);
	if (rc == -E2BIG)
		return 0;
	return rc;
}
