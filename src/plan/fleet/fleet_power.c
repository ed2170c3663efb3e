/* See fleet_power.h. */
#include "plan/fleet/fleet_power.h"

#include <math.h>

#include "base/num.h"
#include "base/sort.h"

static int by_start(const void *pa, const void *pb)
{
	const struct power_slot *a = pa, *b = pb;

	if (a->from_ms != b->from_ms)
		return cmp_i64(a->from_ms, b->from_ms);
	return cmp_size(a->workload, b->workload);
}

void power_start(struct power_gpu *c)
{
	sort_items(c->slot.v, c->slot.n, sizeof *c->slot.v, by_start);
	c->now_from_ms = c->now_to_ms = INT64_MIN;
	c->read_ms = INT64_MIN;
	c->first = 0;
}

/* Who holds it at t_ms, and how long that stays so. */
static void find_now(struct power_gpu *c, int64_t t_ms)
{
	VEC(struct share_use) use = { 0 };
	struct share_sum sum = { .rest = SHARE_ONE };
	int64_t to = INT64_MAX;

	while (c->first < c->slot.n && c->slot.v[c->first].to_ms <= t_ms)
		c->first++;
	vec_clear(&c->now);
	for (size_t i = c->first; i < c->slot.n; i++) {
		const struct power_slot *s = &c->slot.v[i];
		if (s->from_ms > t_ms) {
			to = min_i64(s->from_ms, to);
			break;
		}
		if (s->to_ms <= t_ms)
			continue;
		to = min_i64(s->to_ms, to);
		*vec_push(&use) = s->use;
		*vec_push(&c->now) = (struct power_part){ s->workload, 0 };
	}
	if (use.n) {
		int64_t *part = xcalloc(use.n, sizeof *part);
		share_split(&c->geom, SHARE_ONE, use.n, use.v, part, &sum);
		for (size_t i = 0; i < use.n; i++)
			c->now.v[i].share = part[i];
		free(part);
	}
	c->now_rest = sum.rest;
	c->now_from_ms = t_ms;
	c->now_to_ms = to;
	vec_free(&use);
}

void power_add(struct fleet *f, struct power_gpu *c, const struct sample *s, int64_t until_ms)
{
	double w = s->value[METRIC_POWER_W];
	int64_t from = max_i64(s->t_ms, c->read_ms), end = s->t_ms + s->step_ms;

	end = min_i64(end, until_ms);
	if (isnan(w) || w < 0)
		return;
	for (int64_t t = from, to; t < end; t = to) {
		if (t < c->now_from_ms || t >= c->now_to_ms)
			find_now(c, t);
		to = min_i64(c->now_to_ms, end);
		double rest = (double)(to - t) * (double)c->now_rest / SHARE_ONE;
		c->rest_ms += rest;
		c->rest_j += w * rest / 1000;
		for (size_t i = 0; i < c->now.n; i++) {
			struct workload_stats *st = &f->workload.v[c->now.v[i].workload].stats;
			double ms = (double)(to - t) * (double)c->now.v[i].share / SHARE_ONE;
			st->energy_ms += ms;
			st->energy_j += w * ms / 1000;
		}
	}
	c->read_ms = max_i64(end, c->read_ms);
}

void power_free(struct power_gpu *c)
{
	vec_free(&c->slot);
	vec_free(&c->now);
}
