#include "answer/simulate/simulate_requests.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/random.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/tm.h"
#include "feed/planner/points.h"

#define CONTAINERS_MAX 20000
#define DAYS_MAX       400

struct served { /* what the series say of a request */
	struct sim_request r;
	bool queued; /* its time in the queue was measured */
};
struct replay {
	const struct simulate_requests_ask *q;
	struct intern names; /* of containers */
	struct points serie[SERIE_N];
	struct simulate_requests a;
	double quantum;          /* rate of one request in a step */
	VEC(struct served) work; /* in order of time */
};

/* ---- series ------------------------------------------------------------------------------ */

static const struct point *find_point(const struct points *p, int64_t t, uint32_t who)
{
	const struct point *v = p->v.v;
	size_t at = first_where(i, p->v.n, v[i].t_ms > t || (v[i].t_ms == t && v[i].who >= who));

	if (at < p->v.n && v[at].t_ms == t && v[at].who == who)
		return &v[at];
	return NULL;
}

/* ---- idle minutes by cause --------------------------------------------------------------- */

static enum idle_why why_idle(const struct replay *y, const struct point *p, bool hour_active)
{
	if (find_point(&y->serie[SERIE_QPS], p->t_ms, p->who) ||
	    find_point(&y->serie[SERIE_INFER], p->t_ms, p->who))
		return IDLE_SERVING;
	if (find_point(&y->serie[SERIE_UPDATE], p->t_ms, p->who))
		return IDLE_LOADING;
	const struct point *m = find_point(&y->serie[SERIE_MEMORY], p->t_ms, p->who);
	if (!m)
		return IDLE_UNKNOWN;
	if (!(m->value > y->q->bound_bytes))
		return IDLE_EMPTY;
	if (hour_active)
		return IDLE_BETWEEN;
	return IDLE_HOUR;
}

static void split_idle(struct replay *y)
{
	const struct points *d = &y->serie[SERIE_DUTY];
	int64_t from = d->v.v[0].t_ms;
	size_t nhour = (size_t)((d->v.v[d->v.n - 1].t_ms - from) / MS_HOUR) + 1;
	static const enum fleet_serie work[] = { SERIE_QPS, SERIE_INFER };
	bool *active = xcalloc(nhour * y->names.n + 1, sizeof *active);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < y->serie[work[k]].v.n; i++) {
			const struct point *p = &y->serie[work[k]].v.v[i];
			int64_t h = (p->t_ms - from) / MS_HOUR;
			if (p->who != POINT_NOBODY && p->t_ms >= from && h < (int64_t)nhour)
				active[(size_t)h * y->names.n + p->who] = true;
		}
	for (size_t i = 0; i < d->v.n; i++) {
		const struct point *p = &d->v.v[i];
		size_t h = (size_t)((p->t_ms - from) / MS_HOUR);
		y->a.duty_ms += p->value / 100 * y->a.step_ms;
		if (p->value != 0 || p->who == POINT_NOBODY)
			continue;
		y->a.zero++;
		y->a.idle[why_idle(y, p, active[h * y->names.n + p->who])]++;
	}
	for (size_t i = 0; i < y->serie[SERIE_MEMORY].v.n; i++)
		y->a.mem_max = fmax(y->a.mem_max, y->serie[SERIE_MEMORY].v.v[i].value);
	free(active);
}

/* ---- requests ---------------------------------------------------------------------------- */

static double place_in_step(uint64_t seed, int64_t t, uint32_t who, int i)
{
	uint64_t z = seed + (uint64_t)(t - 1) * RANDOM_STEP;

	return random_frac(random_mix(z + ((uint64_t)who << 20) + (uint64_t)i));
}

static void add_requests(struct replay *y, const struct point *p, double service_ms, int n)
{
	const struct point *q = find_point(&y->serie[SERIE_QUEUE], p->t_ms, p->who),
			   *u = find_point(&y->serie[SERIE_UPDATE], p->t_ms, p->who);
	for (int i = 0; i < n; i++) {
		struct sim_request r = { .t_ms = (double)p->t_ms +
						 y->a.step_ms * place_in_step(y->q->seed, p->t_ms,
									      p->who, i),
					 .service_ms = service_ms,
					 .counted = true };
		if (q)
			r.base_ms = q->value;
		if (u)
			r.hold_ms = u->value;
		*vec_push(&y->work) = (struct served){ r, q != NULL };
		y->a.busy_ms += service_ms;
	}
	y->a.requests += n;
}

static int count_of(const struct replay *y, const struct point *q)
{
	double n = 1;
	if (q)
		n = round(q->value / y->quantum);
	if (n < 1)
		return 1;
	if (n > 1000)
		return 1000;
	return (int)n;
}

static double median_of(const struct points *p)
{
	double *v = xmalloc((p->v.n + 1) * sizeof *v), m;
	for (size_t i = 0; i < p->v.n; i++)
		v[i] = p->v.v[i].value;
	sort_items(v, p->v.n, sizeof *v, rising_double);
	m = p->v.n ? v[p->v.n / 2] : NAN;
	free(v);
	return m;
}

static int by_time(const void *a, const void *b)
{
	const struct served *x = a, *z = b;
	if (x->r.t_ms != z->r.t_ms) {
		if (x->r.t_ms < z->r.t_ms)
			return -1;
		return 1;
	}
	return cmp_double(x->r.service_ms, z->r.service_ms);
}

/*
 * A row of inference latency is a request; where the rate of that container and minute is known, it
 * says how many. A rate without a latency is taken at the median. Loading without a request takes a
 * replica too, but nobody waits for it.
 */
static void make_requests(struct replay *y)
{
	double usual = median_of(&y->serie[SERIE_INFER]);
	for (size_t i = 0; i < y->serie[SERIE_INFER].v.n; i++) {
		const struct point *p = &y->serie[SERIE_INFER].v.v[i];
		if (p->who != POINT_NOBODY)
			add_requests(
				y, p, p->value,
				count_of(y, find_point(&y->serie[SERIE_QPS], p->t_ms, p->who)));
	}
	for (size_t i = 0; i < y->serie[SERIE_QPS].v.n; i++) {
		const struct point *p = &y->serie[SERIE_QPS].v.v[i];
		if (p->who == POINT_NOBODY || p->value <= 0 ||
		    find_point(&y->serie[SERIE_INFER], p->t_ms, p->who))
			continue;
		y->a.no_latency += count_of(y, p);
		add_requests(y, p, usual, count_of(y, p));
	}
	for (size_t i = 0; i < y->serie[SERIE_UPDATE].v.n; i++) {
		const struct point *p = &y->serie[SERIE_UPDATE].v.v[i];
		if (p->who == POINT_NOBODY || find_point(&y->serie[SERIE_INFER], p->t_ms, p->who) ||
		    find_point(&y->serie[SERIE_QPS], p->t_ms, p->who))
			continue;
		struct sim_request r = { .t_ms = (double)p->t_ms +
						 y->a.step_ms * place_in_step(y->q->seed, p->t_ms,
									      p->who, 0),
					 .hold_ms = p->value };
		*vec_push(&y->work) = (struct served){ r, false };
		y->a.loads++;
	}
	if (y->work.n)
		sort_items(y->work.v, y->work.n, sizeof *y->work.v, by_time);
}

/* ---- replay ------------------------------------------------------------------------------ */

static double queue_p99(const struct replay *y, const double *wait)
{
	double *v = xmalloc((y->work.n + 1) * sizeof *v), q;
	size_t n = 0;
	for (size_t i = 0; i < y->work.n; i++)
		if (y->work.v[i].queued)
			v[n++] = y->work.v[i].r.base_ms + (wait ? wait[i] : 0);
	sort_items(v, n, sizeof *v, rising_double);
	q = n ? v[(size_t)ceil(0.99 * (double)n) - 1] : NAN;
	free(v);
	return q;
}

struct trial {
	struct sim_request *r;
	double *wait;
};

/* Are both percentiles no worse with k replicas? ret: its latency and queue. */
static int try_replicas(const struct replay *y, struct trial *t, int k,
			struct simulate_requests_side *ret, bool *ret_good, struct err *err)
{
	const struct simulate_requests_side *before = &y->a.before;
	const struct sim_serving by = { k, y->q->slo_ms };
	int r = sim_requests(y->work.n, t->r, &by, t->wait, &ret->latency, err);

	if (r < 0)
		return r;
	ret->queue_p99_ms = queue_p99(y, t->wait);
	*ret_good = ret->latency.p99_ms <= before->latency.p99_ms &&
		    !(ret->queue_p99_ms > before->queue_p99_ms) &&
		    ret->latency.slo_violations <= before->latency.slo_violations;
	return 0;
}

/* What was measured: nobody waits beside the queue that was measured, so replicas without end. */
static int replay_measured(struct replay *y, const struct trial *t, struct err *err)
{
	struct sim_request *r = xmalloc((y->work.n + 1) * sizeof *r);
	for (size_t i = 0; i < y->work.n; i++) {
		r[i] = t->r[i];
		r[i].base_ms += r[i].hold_ms + r[i].service_ms;
		r[i].hold_ms = r[i].service_ms = 0;
	}
	const struct sim_serving by = { 1, y->q->slo_ms };
	int rc = sim_requests(y->work.n, r, &by, NULL, &y->a.before.latency, err);
	free(r);
	y->a.before.queue_p99_ms = queue_p99(y, NULL);
	return rc;
}

static int search_replicas(struct replay *y, struct trial *t, struct err *err)
{
	struct simulate_requests_side *after = &y->a.after;
	int lo = 0, hi = y->a.containers, r = replay_measured(y, t, err);
	bool ok = false;

	while (r >= 0 && hi - lo > 1) {
		int mid = (lo + hi) / 2;
		if ((r = try_replicas(y, t, mid, after, &ok, err)) >= 0)
			*(ok ? &hi : &lo) = mid;
	}
	if (r < 0)
		return r;
	y->a.fewest = hi;
	after->containers = (int)ceil(hi * (1 + y->q->headroom) - 1e-9);
	if (after->containers > y->a.containers)
		after->containers = y->a.containers;
	return try_replicas(y, t, after->containers, after, &ok, err);
}

/* ---- together ---------------------------------------------------------------------------- */

static int replay_requests(struct replay *y, struct err *err)
{
	const struct points *s = y->serie, *d = &s[SERIE_DUTY];
	int64_t step = INT64_MAX;

	/* The smallest distance between two times of the duty series. */
	for (size_t i = 1; i < d->v.n; i++) {
		int64_t apart = d->v.v[i].t_ms - d->v.v[i - 1].t_ms;
		if (apart > 0 && apart < step)
			step = apart;
	}
	if (step == INT64_MAX)
		step = MS_MINUTE;
	y->a.step_ms = (double)step;

	/* The smallest rate that occurs above nothing is that of one request in a step: the series
	 * counts whole requests. */
	const struct points *p = &s[SERIE_QPS];
	double quantum = INFINITY;
	for (size_t i = 0; i < p->v.n; i++)
		if (p->v.v[i].value > 0 && p->v.v[i].value < quantum)
			quantum = p->v.v[i].value;
	y->quantum = quantum;

	y->a.minutes = (int64_t)d->v.n;
	y->a.nobody = s[SERIE_QPS].nobody + s[SERIE_INFER].nobody + s[SERIE_QUEUE].nobody;
	y->a.headroom = y->q->headroom;

	bool *seen = xcalloc(y->names.n + 1, sizeof *seen);
	int n = 0;
	for (size_t i = 0; i < d->v.n; i++) {
		uint32_t who = d->v.v[i].who;
		n += who != POINT_NOBODY && !seen[who];
		if (who != POINT_NOBODY)
			seen[who] = true;
	}
	free(seen);
	y->a.containers = n;
	split_idle(y);
	make_requests(y);
	if (!y->a.requests || !y->a.containers)
		return err_set(err, -ENODATA,
			       "no request names a container: nothing can be replayed");

	struct trial t = { xmalloc((y->work.n + 1) * sizeof *t.r),
			   xmalloc((y->work.n + 1) * sizeof *t.wait) };
	for (size_t i = 0; i < y->work.n; i++)
		t.r[i] = y->work.v[i].r;
	int r = search_replicas(y, &t, err);

	/* As many containers as are at work at a time. */
	size_t most = 0;
	for (size_t i = 0, k; i < d->v.n; i = k) {
		for (k = i; k < d->v.n && d->v.v[k].t_ms == d->v.v[i].t_ms; k++)
			;
		most = max_size(k - i, most);
	}
	y->a.before.containers = (int)most;
	y->a.before.gpu_hours = (double)d->v.n * y->a.step_ms / MS_HOUR;
	y->a.after.gpu_hours = y->a.after.containers *
			       ((double)(d->v.v[d->v.n - 1].t_ms - d->v.v[0].t_ms) + y->a.step_ms) /
			       MS_HOUR;
	free(t.r);
	free(t.wait);
	return r;
}

int answer_simulate_requests(const struct simulate_requests_ask *q, struct simulate_requests *ret,
			     struct err *err)
{
	struct replay y = { .q = q };
	int r = 0;

	for (int k = 0; k < SERIE_N && r >= 0; k++) {
		struct input *in;
		if (!q->file[k])
			continue;
		if ((r = input_open(q->file[k], &in, err)) >= 0) {
			r = points_read(in, &y.names, &y.serie[k], err);
			input_close(in);
		}
	}
	if (r >= 0) {
		const struct points *d = &y.serie[SERIE_DUTY];
		r = 0;
		if (y.names.n > CONTAINERS_MAX)
			r = err_set(
				err, -E2BIG,
				"%zu containers are more than can be replayed at a time (20,000)",
				y.names.n);
		else if (d->v.v[d->v.n - 1].t_ms - d->v.v[0].t_ms > DAYS_MAX * MS_DAY)
			r = err_set(err, -ERANGE, "the duty series spans more than 400 days");
	}
	if (r >= 0)
		r = replay_requests(&y, err);
	if (r >= 0)
		*ret = y.a;
	for (int k = 0; k < SERIE_N; k++)
		points_free(&y.serie[k]);
	intern_free(&y.names);
	vec_free(&y.work);
	if (r < 0)
		return r;
	return 0;
}
