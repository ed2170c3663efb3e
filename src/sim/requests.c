/* See requests.h. Erlang's C by the recursion of his B: Cooper, Introduction to Queueing Theory,
 * 1981. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "sim/batches.h"
#include "sim/requests.h"

/* Nearest rank, of n values. */
static size_t rank_of(size_t n, double q)
{
	size_t i = (size_t)ceil(q * (double)n);

	return i ? i - 1 : 0;
}

/* Of sorted values. */
static double rank_value(const double *v, size_t n, double q)
{
	if (n)
		return v[rank_of(n, q)];
	return NAN;
}

/* ---- each request ------------------------------------------------------------------------ */

struct queue {
	double *free_ms; /* [replicas] heap */
	double *latency, *wait;
	size_t n, ncounted;
	double work_ms, last_ms;
};

static double serve_request(struct queue *q, const struct sim_request *r, int replicas,
			    struct sim_latency *ret)
{
	double begin = fmax(r->t_ms, q->free_ms[0]), wait = begin - r->t_ms,
	       held = r->hold_ms + r->service_ms;
	sim_replica_free_at(q->free_ms, (size_t)replicas, begin + held);
	int used = 0;
	for (int i = 0; i < replicas; i++)
		used += q->free_ms[i] > begin;
	if (used > ret->peak)
		ret->peak = used;
	q->work_ms += held;
	q->last_ms = fmax(q->last_ms, begin + held);
	if (!r->counted)
		return wait;
	q->wait[q->ncounted] = wait;
	q->latency[q->ncounted++] = r->base_ms + wait + held;
	return wait;
}

static bool request_ok(const struct sim_request *r, const struct sim_request *prev)
{
	return isfinite(r->t_ms) && r->base_ms >= 0 && r->service_ms >= 0 && r->hold_ms >= 0 &&
	       isfinite(r->base_ms + r->service_ms + r->hold_ms) &&
	       (!prev || prev->t_ms <= r->t_ms);
}

int sim_requests(size_t n, const struct sim_request *r, const struct sim_serving *by,
		 double *ret_wait_ms, struct sim_latency *ret, struct err *err)
{
	const int replicas = by->replicas;

	if (replicas < 1 || replicas > 100000)
		return err_set(err, -EINVAL, "1 to 100,000 replicas can be replayed, not %d",
			       replicas);
	for (size_t i = 0; i < n; i++)
		if (!request_ok(&r[i], i ? &r[i - 1] : NULL))
			return err_set(
				err, -EINVAL,
				"request %zu: out of order, or its times are no numbers of 0 or more",
				i + 1);
	struct queue q = { .n = n, .last_ms = n ? r[0].t_ms : 0 };
	q.free_ms = xmalloc((size_t)replicas * sizeof *q.free_ms);
	q.latency = xmalloc((n + 1) * sizeof *q.latency);
	q.wait = xmalloc((n + 1) * sizeof *q.wait);
	*ret = (struct sim_latency){ 0 };
	for (int i = 0; i < replicas; i++)
		q.free_ms[i] = n ? r[0].t_ms : 0;
	for (size_t i = 0; i < n; i++) {
		double wait = serve_request(&q, &r[i], replicas, ret);
		if (ret_wait_ms)
			ret_wait_ms[i] = wait;
	}
	size_t counted = q.ncounted;
	for (size_t i = 0; i < counted; i++)
		ret->slo_violations += q.latency[i] > by->slo_ms; /* false for NAN */
	if (counted)
		sort_items(q.latency, counted, sizeof *q.latency, rising_double);
	if (counted)
		sort_items(q.wait, counted, sizeof *q.wait, rising_double);
	ret->requests = (int64_t)counted;
	ret->p50_ms = rank_value(q.latency, counted, 0.5);
	ret->p95_ms = rank_value(q.latency, counted, 0.95);
	ret->p99_ms = rank_value(q.latency, counted, 0.99);
	ret->max_ms = rank_value(q.latency, counted, 1);
	ret->wait_p99_ms = rank_value(q.wait, counted, 0.99);
	ret->wait_max_ms = rank_value(q.wait, counted, 1);
	if (n && q.last_ms > r[0].t_ms)
		ret->busy_frac = q.work_ms / ((q.last_ms - r[0].t_ms) * replicas);
	free(q.free_ms);
	free(q.latency);
	free(q.wait);
	return 0;
}

/* ---- minutes ----------------------------------------------------------------------------- */

/* Erlang's C: how likely a request waits, at a load of k replicas. */
static double wait_likely(double load, int k)
{
	double b = 1;
	for (int i = 1; i <= k; i++)
		b = load * b / (i + load * b);
	return b / (1 - load / k * (1 - b));
}

/* The q-th percentile of the waits where c of the requests wait. */
static double percentile_wait(double c, double load, int k, double work_ms, double q)
{
	if (c > 1 - q)
		return log(c / (1 - q)) * work_ms / (k - load);
	return 0;
}

double sim_wait_ms(double load, int k, double work_ms, double q)
{
	if (load <= 0)
		return 0;
	if (load >= k)
		return INFINITY;
	return percentile_wait(wait_likely(load, k), load, k, work_ms, q);
}

double sim_load(const struct sim_service *s, const struct sim_minute *m)
{
	return m->count * s->load_factor * s->work_ms / s->step_ms;
}

#define CLASSES 3
static const struct {
	double part, q; /* of the requests; the percentile they count as */
} classes[CLASSES] = { { 0.50, 0.50 }, { 0.45, 0.95 }, { 0.05, 0.99 } };

struct mass {
	double ms, weight;
};

static double middle_of(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* The first ms, in rising order, with which the weights come to 0.99 of all. O(n): the order of
 * the others is of no interest. Moves v. */
static double weighted_p99(struct mass *v, size_t n)
{
	double sum = 0, before = 0; /* weight of what lies before lo */
	size_t lo = 0, hi = n;

	for (size_t i = 0; i < n; i++)
		sum += v[i].weight;
	const double want = 0.99 * sum * (1 - 1e-12);
	while (lo < hi) {
		double pivot = middle_of(v[lo].ms, v[lo + (hi - lo) / 2].ms, v[hi - 1].ms);
		double less = 0, equal = 0;
		size_t below = lo, above = hi;
		for (size_t i = lo; i < above;) {
			struct mass x = v[i];
			if (x.ms < pivot) {
				less += x.weight;
				v[i++] = v[below];
				v[below++] = x;
			} else if (x.ms > pivot) {
				v[i] = v[--above];
				v[above] = x;
			} else {
				equal += x.weight;
				i++;
			}
		}
		if (before + less >= want && below > lo) {
			hi = below;
		} else if (before + less + equal >= want) {
			return pivot;
		} else {
			before += less + equal;
			lo = above;
		}
	}
	return NAN;
}

struct side { /* what one number of replicas does */
	int k;
	double backlog_ms; /* work left over, in time of all replicas */
};

/* Waits of the classes in a minute: nothing waits longer than the queue of an overloaded minute
 * grows. */
static void minute_waits(const struct sim_service *s, const struct side *d, double load,
			 double ret[CLASSES])
{
	bool over = load >= d->k;
	double c = over || load <= 0 ? 0 : wait_likely(load, d->k);

	for (int i = 0; i < CLASSES; i++) {
		double w = percentile_wait(c, load, d->k, s->work_ms, classes[i].q);
		ret[i] = d->backlog_ms + (over ? s->step_ms : fmin(w, s->step_ms));
	}
}

static void side_next(struct side *d, const struct sim_service *s, double load)
{
	d->backlog_ms = fmax(0, d->backlog_ms + (load / d->k - 1) * s->step_ms);
}

static int check_input(const struct sim_service *s, size_t n, const struct sim_minute *m,
		       const struct sim_change *c, struct err *err)
{
	bool replicas = within_int(c->before, 1, 100000) && within_int(c->after, 1, 100000);

	if (!(s->step_ms > 0 && s->work_ms >= 0 && s->base_load >= 0 && s->load_factor >= 0 &&
	      s->slower_ms >= 0) ||
	    !isfinite(s->step_ms + s->work_ms + s->base_load) ||
	    !isfinite(s->load_factor + s->slower_ms) || !replicas)
		return err_set(
			err, -EINVAL,
			"work per request, load and 1 to 100,000 replicas are needed to replay a service");
	for (size_t i = 0; i < n; i++)
		if (!(m[i].count >= 0 && isfinite(m[i].count)) || m[i].p50_ms < 0 ||
		    m[i].p95_ms < 0 || m[i].p99_ms < 0)
			return err_set(err, -EINVAL,
				       "minute %zu: a count or a latency is no number of 0 or more",
				       i + 1);
	return 0;
}

struct masses {
	struct mass *before, *after; /* [n] */
	size_t n;
};

/* One minute into the masses of before and after. */
static void run_minute(const struct sim_service *s, const struct sim_minute *m,
		       const struct side *b, const struct side *a, struct masses *v)
{
	double load = sim_load(s, m), ms[CLASSES] = { m->p50_ms, m->p95_ms, m->p99_ms };
	double waits_before[CLASSES], waits_after[CLASSES];

	minute_waits(s, b, load, waits_before);
	minute_waits(s, a, load + s->base_load, waits_after);
	for (int i = 0; i < CLASSES; i++) {
		double w = m->count * s->load_factor * classes[i].part;
		if (!isfinite(ms[i]) || w <= 0)
			continue;
		double grown = fmax(0, waits_after[i] - waits_before[i]);
		v->before[v->n] = (struct mass){ ms[i], w };
		v->after[v->n++] = (struct mass){ ms[i] + grown + s->slower_ms, w };
	}
}

int sim_minutes(const struct sim_service *s, size_t n, const struct sim_minute *m,
		const struct sim_change *c, struct sim_minutes *ret, struct err *err)
{
	int r = check_input(s, n, m, c, err);
	if (r < 0)
		return r;
	struct masses v = { .before = xmalloc((3 * n + 1) * sizeof *v.before),
			    .after = xmalloc((3 * n + 1) * sizeof *v.after) };
	double *load = xmalloc((n + 1) * sizeof *load);
	struct side b = { c->before, 0 }, a = { c->after, 0 };
	double peak = 0;
	*ret = (struct sim_minutes){ 0 };
	for (size_t i = 0; i < n; i++) {
		run_minute(s, &m[i], &b, &a, &v);
		ret->requests += m[i].count * s->load_factor;
		double gpus = sim_load(s, &m[i]);
		load[i] = (gpus + s->base_load) / c->after;
		peak = fmax(load[i], peak);
		ret->overloaded += load[i] > 1;
		side_next(&b, s, gpus);
		side_next(&a, s, gpus + s->base_load);
	}
	for (size_t i = 0; i < v.n; i++) { /* false for NAN */
		if (v.before[i].ms > c->slo_ms)
			ret->slo_before += v.before[i].weight;
		if (v.after[i].ms > c->slo_ms)
			ret->slo_after += v.after[i].weight;
	}
	ret->peak_load_frac = n ? peak : NAN;
	ret->p99_load_frac = n ? nth_double(load, n, rank_of(n, 0.99)) : NAN;
	ret->p99_before_ms = weighted_p99(v.before, v.n);
	ret->p99_after_ms = weighted_p99(v.after, v.n);
	free(v.before);
	free(v.after);
	free(load);
	return 0;
}
