#include "opt/run/sweep.h"

#include <assert.h>
#include <math.h>

#include "base/num.h"

size_t sweep_needed(size_t n, size_t good, double q)
{
	double none = 1; /* chance that the first k have no good one */
	size_t k = 0;

	assert(good >= 1 && good <= n);
	while (k < n && none > 1 - q) {
		size_t bad = n - good;
		none *= k < bad ? (double)(bad - k) / (double)(n - k) : 0;
		k++;
	}
	return k;
}

void sweep_judge(size_t n, const struct sweep_run *run, bool higher, double near_frac, double q,
		 struct sweep_gain *ret)
{
	double sign = higher ? -1 : 1, best = INFINITY;

	*ret = (struct sweep_gain){ 0 };
	for (size_t i = 0; i < n; i++) {
		best = fmin(best, sign * run[i].result);
		ret->cost += run[i].cost;
	}
	for (size_t i = 0; i < n; i++) {
		bool near = sign * run[i].result - best <= near_frac * fabs(best);
		if (near && !ret->first)
			ret->first = i + 1;
		ret->near_runs += near;
	}
	for (size_t i = 0; i < n; i++) {
		/* Of a run's cost, what came after the first good run had ended; even over its
		 * time. */
		const struct sweep_run *r = &run[i];
		int64_t from = max_i64(run[ret->first - 1].end_ms, r->start_ms);
		double cost_after;
		if (r->end_ms <= from)
			cost_after = 0;
		else
			cost_after = r->cost * (double)(r->end_ms - from) /
				     (double)(r->end_ms - r->start_ms);
		ret->after_cost += cost_after;
	}
	ret->needed = sweep_needed(n, ret->near_runs, q);
	ret->beyond_cost = ret->cost * (double)(n - ret->needed) / (double)n;
}
