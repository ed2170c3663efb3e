/* The plan with the levers there are, and what was found beside it. */
#include <math.h>
#include "plan/replay/compose.h"

int plan_make(const struct fleet *f, const struct catalog *cat, const struct plan_conf *conf,
	      const struct plan_opt *o, int64_t now_ms, struct plan *ret, struct err *err)
{
	int r = plan_make_with(levers, f, cat, conf, o, INFINITY, now_ms, ret, err);

	if (r >= 0 && f->workload.n && o->watch.told)
		o->watch.told(o->watch.ctx, "plan: what was observed", "", 0, 0);
	if (r >= 0 && f->workload.n)
		r = plan_findings(f, conf, cat, now_ms, ret, err);
	if (r < 0)
		plan_free(ret);
	return r;
}

int plan_backtest(const struct fleet *f, const struct catalog *cat, const struct plan_conf *conf,
		  const struct plan_opt *o, int64_t now_ms, struct arena *mem, struct backtest *ret,
		  struct err *err)
{
	return plan_backtest_with(levers, f, cat, conf, o, now_ms, mem, ret, err);
}
