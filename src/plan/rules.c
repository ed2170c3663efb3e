/* What the rules of the settings say about workloads of the history, over what the history says
 * itself. */
#include <math.h>

#include "plan/levers.h"

static double slack_of(const struct plan_conf *c, const struct workload *w)
{
	for (size_t i = c->rule.n; i-- > 0;) /* the later rule wins */
		if (!isnan(c->rule.v[i].deadline_slack_frac) && plan_rule_matches(&c->rule.v[i], w))
			return c->rule.v[i].deadline_slack_frac;
	return c->deadline_slack_frac;
}

void plan_apply_rules(const struct plan_conf *c, struct fleet *f)
{
	for (size_t i = 0; i < f->workload.n; i++) {
		struct workload *w = &f->workload.v[i];
		if (w->deadline_ms == UNKNOWN_MS)
			continue;
		int64_t run = w->end_ms - w->start_ms;
		double late = (double)run * (1 + slack_of(c, w)), most = (double)(INT64_MAX / 2);
		int64_t wait = late < most ? (int64_t)late : INT64_MAX / 2;
		w->deadline_ms = w->start_ms + (w->limit_ms != UNKNOWN_MS && w->limit_ms > wait
							? w->limit_ms
							: wait);
	}
}
