#include "base/tm.h"
#include "run/run_when.h"

#include <math.h>

#include "base/num.h"
#include "opt/spot/spot_job.h"
#include "opt/spot/spot_seen.h"

#define H_MS           ((double)MS_HOUR)
#define LEAD_MS        25000
#define STALL_LEAST_MS 20 /* a cost of nothing would ask for checkpoints without end */

static int64_t clamp_within(int64_t v, int64_t lo, int64_t hi)
{
	return clamp_i64(v, lo, hi);
}

double run_mtbi_h(const struct run_hazard *h)
{
	return spot_mtbi_h(h->prior_h, h->seen_h, h->interruptions);
}

int64_t run_interval_ms(const struct run_cost *c, const struct run_hazard *h)
{
	if (c->stall_ms < 0)
		return RUN_FIRST_MS;
	double stall_h = (double)clamp_within(c->stall_ms, STALL_LEAST_MS, MS_DAY) / H_MS,
	       ms = spot_interval_exact(stall_h, run_mtbi_h(h)) * H_MS;
	int64_t least = RUN_LEAST_MS;
	if (c->save_ms > least / 2)
		least = clamp_within(c->save_ms, 0, RUN_MOST_MS / 2) * 2;
	if (isfinite(ms) && ms < RUN_MOST_MS)
		return clamp_within((int64_t)ms, least, RUN_MOST_MS);
	return RUN_MOST_MS;
}

double run_loss_frac(const struct run_cost *c, const struct run_hazard *h, int64_t interval_ms)
{
	if (c->stall_ms < 0 || interval_ms <= 0)
		return NAN;
	double m = run_mtbi_h(h), stall = (double)c->stall_ms / H_MS,
	       restart = c->restart_ms > 0 ? (double)c->restart_ms / H_MS : 0,
	       tau = (double)interval_ms / H_MS;
	/* hours that an hour of work takes */
	double t = spot_mean_time(1, tau, fmax(stall, 1e-9), restart, m);
	if (t > 0)
		return fmax(0, 1 - 1 / t);
	return NAN;
}

void run_plan_stop(int64_t now, int64_t at, const struct run_cost *c, struct run_times *ret)
{
	int64_t left = at - now, push = c->push_ms > 0 ? c->push_ms + c->push_ms / 4 : 0,
		save = max_i64(c->save_ms, 0), lead;

	if (left < 0)
		left = 0;
	ret->end_at = now + left - clamp_within(left / 10, left < 3000 ? left / 10 : 300, 10000);
	if (ret->end_at < now)
		ret->end_at = now;
	ret->kill_at = ret->end_at - clamp_within(push, left / 20, left / 2);
	if (ret->kill_at < now)
		ret->kill_at = now;
	ret->term_at = ret->kill_at - clamp_within(left / 4, 0, 10000);
	lead = 2 * (save + push);
	ret->stop_at = ret->end_at - max_i64(lead, LEAD_MS);
	if (ret->stop_at > ret->term_at)
		ret->stop_at = ret->term_at;
	if (ret->stop_at < now)
		ret->stop_at = now;
	if (ret->term_at < now)
		ret->term_at = now;
}
