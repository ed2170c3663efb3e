/* How fine a request log is. Bills and clusters do not say; the stamps do. */
#include <assert.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "plan/fleet/fleet.h"

/* Of the requests: in rows so near to another that the log must be at least that fine. A row that
 * came at an odd time, as after a restart, does not make an hourly log one of minutes. */
#define NEAR_PPC 95

struct gap {
	int64_t ms, count;
};

static int by_gap(const void *pa, const void *pb)
{
	const struct gap *a = pa, *b = pb;

	return cmp_i64(a->ms, b->ms);
}

const struct fleet_service *fleet_log_of(const struct fleet *f, const char *service)
{
	for (size_t i = 0; i < f->service.n; i++)
		if (f->service.v[i].service == service && f->service.v[i].requests > 0 &&
		    f->service.v[i].nmin > 0)
			return &f->service.v[i];
	return NULL;
}

double fleet_log_minutes(const struct fleet *f, const struct fleet_service *s)
{
	const struct fleet_minute *m = &f->minute.v[s->min0];

	return (double)(m[s->nmin - 1].t_ms - m[0].t_ms) / MS_MINUTE + 1;
}

double fleet_log_peak(const struct fleet *f, const struct fleet_service *s, double busy_gpus)
{
	int64_t most = 0;

	for (size_t i = 0; i < s->nmin; i++)
		if (f->minute.v[s->min0 + i].count > most)
			most = f->minute.v[s->min0 + i].count;
	return busy_gpus * (double)most * fleet_log_minutes(f, s) / (double)s->requests;
}

void fleet_log_measure(const struct fleet *f, struct fleet_service *s)
{
	const struct fleet_minute *m = NULL;

	if (f->minute.v)
		m = &f->minute.v[s->min0];
	size_t n = s->nmin;
	int days = 0;

	assert(m || !n);

	/* The step: the gap that nearly all requests have to the nearer neighbour at most. */
	struct gap *v = xmalloc((n + 1) * sizeof *v);
	int64_t sum = 0, seen = 0;

	s->step_ms = UNKNOWN_MS;
	for (size_t i = 0; i < n; i++) {
		/* to the nearer neighbour */
		int64_t before = INT64_MAX, after = INT64_MAX;
		if (i)
			before = m[i].t_ms - m[i - 1].t_ms;
		if (i + 1 < n)
			after = m[i + 1].t_ms - m[i].t_ms;
		v[i] = (struct gap){ min_i64(before, after), m[i].count };
		sum += m[i].count;
	}
	if (n > 1 && sum > 0) {
		sort_items(v, n, sizeof *v, by_gap);
		for (size_t i = 0; i < n && s->step_ms == UNKNOWN_MS; i++)
			if ((seen += v[i].count) * 100 >= sum * NEAR_PPC)
				s->step_ms = v[i].ms;
	}
	free(v);
	for (size_t i = 0; i < n; i++)
		days += !i || m[i].t_ms / MS_DAY != m[i - 1].t_ms / MS_DAY;
	s->days = days;
}
