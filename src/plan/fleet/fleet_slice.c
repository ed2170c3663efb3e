/* A part of a fleet in time: works cut by their hours; sums by state and cause in proportion to
 * time and money, added up exactly. */
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"
#include "plan/fleet/fleet_in.h"

static int64_t in_proportion(int64_t v, int64_t num, int64_t den)
{
	if (den < 0)
		return -(int64_t)div_half_even((__int128)v * num, -den);
	if (den)
		return (int64_t)div_half_even((__int128)v * num, den);
	return 0;
}

/* Scale n amounts so that they add up to `to` where they added up to `from`. */
static void scale_amounts(int64_t *v, size_t n, int64_t from, int64_t to)
{
	int64_t sum = 0;
	size_t big = 0;

	for (size_t i = 0; i < n; i++) {
		v[i] = in_proportion(v[i], to, from);
		sum += v[i];
		if (v[i] > v[big])
			big = i;
	}
	v[big] += to - sum;
}

static bool cut_workload(const struct fleet *f, const struct workload *w, int64_t from_ms,
			 int64_t to_ms, struct fleet *ret)
{
	struct workload x = *w;

	x.hour0 = ret->hour.n;
	x.ms = x.cost_nano = 0;
	for (size_t i = 0; i < w->nhour; i++) {
		const struct workload_hour *h = &f->hour.v[w->hour0 + i];
		if (h->hour_ms < from_ms || h->hour_ms >= to_ms)
			continue;
		*vec_push(&ret->hour) = *h;
		x.ms += h->ms;
		x.cost_nano += h->nano;
	}
	x.nhour = ret->hour.n - x.hour0;
	if (!x.nhour)
		return false;
	scale_amounts(x.state_ms, STATE_N, w->ms, x.ms);
	scale_amounts(x.state_nano, STATE_N, w->cost_nano, x.cost_nano);
	scale_amounts(x.cause_nano, CAUSE_N, w->cost_nano, x.cost_nano);
	x.unpriced_ms = in_proportion(w->unpriced_ms, x.ms, w->ms);
	x.measured_ms = in_proportion(w->measured_ms, x.ms, w->ms);
	x.start_ms = w->start_ms < from_ms && w->kind != WORKLOAD_JOB ? from_ms : w->start_ms;
	x.end_ms = min_i64(w->end_ms, to_ms);
	*vec_push(&ret->workload) = x;
	return true;
}

void fleet_slice(const struct fleet *f, int64_t from_ms, int64_t to_ms, struct fleet *ret)
{
	*ret = (struct fleet){ .currency = f->currency,
			       .in_gpu_hours = f->in_gpu_hours,
			       .exchange = f->exchange,
			       .data_from_ms = f->data_from_ms,
			       .data_to_ms = f->data_to_ms };
	ret->since_ms = from_ms > f->since_ms ? tm_floor(from_ms, MS_HOUR) : f->since_ms;
	ret->until_ms = to_ms < f->until_ms ? tm_floor(to_ms, MS_HOUR) : f->until_ms;
	for (size_t i = 0; i < f->workload.n; i++) {
		if (!cut_workload(f, &f->workload.v[i], ret->since_ms, ret->until_ms, ret))
			continue;
		const struct workload *w = &ret->workload.v[ret->workload.n - 1];
		ret->cost_nano += w->cost_nano;
		ret->gpu_ms += w->ms;
		ret->unknown_ms += w->state_ms[STATE_UNKNOWN];
		ret->unpriced_ms += w->unpriced_ms;
		ret->measured_ms += w->measured_ms;
	}
	for (size_t i = 0; i < f->own_rates.v.n; i++)
		*vec_push(&ret->own_rates.v) = f->own_rates.v.v[i];

	size_t *now = xcalloc(f->node.n + 1, sizeof *now);

	for (size_t i = 0; i < f->node.n; i++) {
		struct fleet_node n = f->node.v[i];
		now[i] = SIZE_MAX;
		n.from_ms = max_i64(n.from_ms, ret->since_ms);
		n.to_ms = min_i64(n.to_ms, ret->until_ms);
		n.cost_nano = n.ms = 0;
		if (n.from_ms < n.to_ms) {
			now[i] = ret->node.n;
			*vec_push(&ret->node) = n;
		}
	}
	for (size_t i = 0; i < ret->workload.n; i++) {
		struct workload *w = &ret->workload.v[i];
		w->node_index = w->node_index == SIZE_MAX ? SIZE_MAX : now[w->node_index];
		if (w->node_index == SIZE_MAX)
			continue;
		ret->node.v[w->node_index].cost_nano += w->cost_nano;
		ret->node.v[w->node_index].ms += w->ms;
	}
	free(now);
	for (size_t i = 0; i < f->present.n; i++) {
		struct fleet_present p = f->present.v[i];
		p.span.from_ms = max_i64(p.span.from_ms, ret->since_ms);
		p.span.to_ms = min_i64(p.span.to_ms, ret->until_ms);
		if (p.span.from_ms < p.span.to_ms)
			*vec_push(&ret->present) = p;
	}
	for (size_t i = 0; i < f->service.n; i++) {
		struct fleet_service s = { .service = f->service.v[i].service,
					   .min0 = ret->minute.n };
		for (size_t k = 0; k < f->service.v[i].nmin; k++) {
			const struct fleet_minute *m = &f->minute.v[f->service.v[i].min0 + k];
			if (m->t_ms < ret->since_ms || m->t_ms >= ret->until_ms)
				continue;
			*vec_push(&ret->minute) = *m;
			s.nmin++;
			s.requests += m->count;
		}
		if (!s.nmin)
			continue;
		fleet_log_measure(ret, &s);
		*vec_push(&ret->service) = s;
	}
	fleet_cover(ret);
	fleet_find_told(ret);
}
