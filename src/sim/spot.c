/* See spot.h. */
#include "base/tm.h"
#include "sim/spot.h"

#include "base/num.h"

void spot_work(const struct spot_task *k, int64_t *overhead_left_ms, int64_t *done_ms)
{
	int64_t pause = min_i64(*overhead_left_ms, k->gap_ms);
	int64_t left = k->work_ms - *done_ms, did = k->gap_ms - pause;

	*overhead_left_ms -= pause;
	*done_ms += min_i64(did, left);
}

int spot_replay(const struct spot_task *k, const struct spot_history *h,
		const struct spot_policy *p, struct spot_run *ret, struct err *err)
{
	struct spot_now s = { 0 };
	struct spot_run run = { 0 };
	int e = spot_task_check(k, err);
	double hours = (double)k->gap_ms / MS_HOUR;
	int64_t end = 4 * (k->deadline_ms / k->gap_ms + 1);

	if (e < 0)
		return e;
	for (;; s.tick++) {
		if (s.last != SPOT_NONE)
			spot_work(k, &s.overhead_left_ms, &s.done_ms);
		run.done = s.done_ms >= k->work_ms;
		if (run.done || s.tick >= end)
			break;
		s.has_spot = (size_t)s.tick < h->nticks && h->has_spot[s.tick];
		enum spot_hold want = p->decide(p->ctx, k, &s), held = spot_held(&s);
		if (want == SPOT_SPOT && !s.has_spot)
			want = SPOT_NONE;
		run.interruptions += s.last == SPOT_SPOT && !s.has_spot;
		if (want != SPOT_NONE && want != held) {
			s.overhead_left_ms = k->overhead_ms;
			run.restarts++;
		}
		s.last = want;
		run.od_ticks += s.last == SPOT_OD;
		run.spot_ticks += s.last == SPOT_SPOT;
		if (s.last == SPOT_OD)
			run.usd += k->od_usd_h * hours;
		if (s.last == SPOT_SPOT)
			run.usd += (h->spot_usd_h ? h->spot_usd_h[s.tick] : k->spot_usd_h) * hours;
	}
	run.ticks = s.tick;
	run.late = !run.done || s.tick * k->gap_ms > k->deadline_ms;
	*ret = run;
	return 0;
}
