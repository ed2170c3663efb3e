/* See spot_zones.h. */
#include <errno.h>
#include "base/tm.h"
#include "sim/spot_zones.h"

#include "base/num.h"

struct state {
	struct spot_zone_now s;
	bool has[SPOT_MAX_ZONES];
	double usd_h[SPOT_MAX_ZONES];
};

int spot_zone_replay(const struct spot_task *k, const struct spot_zone_market *m,
		     const struct spot_zone_policy *p, struct spot_run *ret, struct err *err)
{
	struct state x = { .s = { .n = m->nzone, .last = SPOT_ZONE_NONE, .at = -1 } };
	struct spot_run run = { 0 };
	struct spot_zone_now *s = &x.s;
	int e = spot_task_check(k, err);
	double hours = (double)k->gap_ms / MS_HOUR;
	int64_t end = 4 * (k->deadline_ms / k->gap_ms + 1);

	if (e < 0)
		return e;
	if (!m->nzone || m->nzone > SPOT_MAX_ZONES)
		return err_set(err, -EINVAL, "%zu zones are not between 1 and %d", m->nzone,
			       SPOT_MAX_ZONES);
	s->has = x.has;
	s->usd_h = x.usd_h;
	for (;; s->tick++) {
		if (s->last != SPOT_ZONE_NONE)
			spot_work(k, &s->overhead_left_ms, &s->done_ms);
		run.done = s->done_ms >= k->work_ms;
		if (run.done || s->tick >= end)
			break;
		for (size_t z = 0; z < m->nzone; z++) {
			size_t last = m->nticks ? m->nticks - 1 : 0,
			       t = min_size((size_t)s->tick, last);
			x.has[z] = (size_t)s->tick < m->nticks && m->has[z][s->tick];
			x.usd_h[z] = m->nticks ? m->usd_h[z][t] : 0;
		}
		int want = p->decide(p->ctx, k, s), held = spot_zone_held(s);
		if (want < SPOT_ZONE_NONE || want >= (int)s->n || (want >= 0 && !s->has[want]))
			want = SPOT_ZONE_NONE;
		run.interruptions += s->last >= 0 && held == SPOT_ZONE_NONE;
		if (want != SPOT_ZONE_NONE && want != held) {
			s->overhead_left_ms = k->overhead_ms;
			run.restarts++;
			run.moves += want >= 0 && s->at >= 0 && want != s->at;
			bool moves = want >= 0 && s->at >= 0 && m->region;
			if (moves && s->done_ms && m->region[s->at] != m->region[want])
				run.usd += m->move_usd;
		}
		if (want >= 0)
			s->at = want;
		s->last = want;
		run.od_ticks += s->last == SPOT_ZONE_OD;
		run.spot_ticks += s->last >= 0;
		if (s->last == SPOT_ZONE_OD)
			run.usd += k->od_usd_h * hours;
		if (s->last >= 0)
			run.usd += s->usd_h[s->last] * hours;
	}
	run.ticks = s->tick;
	run.late = !run.done || s->tick * k->gap_ms > k->deadline_ms;
	*ret = run;
	return 0;
}
