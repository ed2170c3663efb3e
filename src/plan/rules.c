/* What the rules of the settings say about workloads of the history, over what the history says
 * itself. */
#include <math.h>

#include "plan/levers.h"
#include "plan/replay/capacity.h"

void plan_apply_rules(const struct plan_conf *c, struct fleet *f)
{
	capacity_hold(f, c);
	for (size_t i = 0; i < f->workload.n; i++) {
		struct workload *w = &f->workload.v[i];
		if (w->deadline_ms == UNKNOWN_MS)
			continue;
		double slack = c->deadline_slack_frac;
		for (size_t k = 0; k < c->rule.n; k++) { /* the later rule wins */
			const struct plan_rule *r = &c->rule.v[k];
			if (!isnan(r->deadline_slack_frac) && plan_rule_matches(r, w))
				slack = r->deadline_slack_frac;
		}
		int64_t run = w->end_ms - w->start_ms;
		double late = (double)run * (1 + slack), most = (double)(INT64_MAX / 2);
		int64_t wait = late < most ? (int64_t)late : INT64_MAX / 2;
		w->deadline_ms = w->start_ms + (w->limit_ms != UNKNOWN_MS && w->limit_ms > wait
							? w->limit_ms
							: wait);
	}
}
