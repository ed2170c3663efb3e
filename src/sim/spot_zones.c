/* See spot_zones.h. */
#include <errno.h>
#include "sim/spot_zones.h"

#include "base/num.h"

struct state {
	struct spot_zone_now s;
	bool has[SPOT_MAX_ZONES];
	double usd_h[SPOT_MAX_ZONES];
	int64_t moves;
};

static void see(const struct spot_zone_market *m, struct state *x)
{
	for (size_t z = 0; z < m->nzone; z++) {
		size_t last = m->nticks ? m->nticks - 1 : 0, t = min_size((size_t)x->s.tick, last);
		x->has[z] = (size_t)x->s.tick < m->nticks && m->has[z][x->s.tick];
		x->usd_h[z] = m->nticks ? m->usd_h[z][t] : 0;
	}
}

static bool is_elsewhere(const struct spot_zone_market *m, int at, int zone)
{
	return m->region && at >= 0 && m->region[at] != m->region[zone];
}

static void hold(const struct spot_task *k, const struct spot_zone_market *m, struct state *x,
		 int want, struct spot_run *r)
{
	struct spot_zone_now *s = &x->s;
	int held = spot_zone_held(s);

	if (want < SPOT_ZONE_NONE || want >= (int)s->n || (want >= 0 && !s->has[want]))
		want = SPOT_ZONE_NONE;
	r->interruptions += s->last >= 0 && held == SPOT_ZONE_NONE;
	if (want != SPOT_ZONE_NONE && want != held) {
		s->overhead_left_ms = k->overhead_ms;
		r->restarts++;
		x->moves += want >= 0 && s->at >= 0 && want != s->at;
		if (want >= 0 && s->done_ms && is_elsewhere(m, s->at, want))
			r->usd += m->move_usd;
	}
	if (want >= 0)
		s->at = want;
	s->last = want;
}

static void pay(const struct spot_task *k, const struct spot_zone_now *s, struct spot_run *r)
{
	double hours = (double)k->gap_ms / 3.6e6;

	r->od_ticks += s->last == SPOT_ZONE_OD;
	r->spot_ticks += s->last >= 0;
	if (s->last == SPOT_ZONE_OD)
		r->usd += k->od_usd_h * hours;
	if (s->last >= 0)
		r->usd += s->usd_h[s->last] * hours;
}

int spot_zone_replay(const struct spot_task *k, const struct spot_zone_market *m,
		     const struct spot_zone_policy *p, struct spot_run *ret, int64_t *ret_moves,
		     struct err *err)
{
	struct state x = { .s = { .n = m->nzone, .last = SPOT_ZONE_NONE, .at = -1 } };
	struct spot_run run = { 0 };
	int e = spot_task_check(k, err);
	int64_t end = 4 * (k->deadline_ms / k->gap_ms + 1);

	if (e < 0)
		return e;
	if (!m->nzone || m->nzone > SPOT_MAX_ZONES)
		return err_set(err, -EINVAL, "%zu zones are not between 1 and %d", m->nzone,
			       SPOT_MAX_ZONES);
	x.s.has = x.has;
	x.s.usd_h = x.usd_h;
	for (;; x.s.tick++) {
		if (x.s.last != SPOT_ZONE_NONE)
			spot_work(k, &x.s.overhead_left_ms, &x.s.done_ms);
		run.done = x.s.done_ms >= k->work_ms;
		if (run.done || x.s.tick >= end)
			break;
		see(m, &x);
		hold(k, m, &x, p->decide(p->ctx, k, &x.s), &run);
		pay(k, &x.s, &run);
	}
	run.ticks = x.s.tick;
	run.late = !run.done || x.s.tick * k->gap_ms > k->deadline_ms;
	*ret = run;
	*ret_moves = x.moves;
	return 0;
}
