/* See batches.h. */
#include "sim/batches.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "sim/draw.h"

struct run {
	size_t n;
	const double *t;
	const struct sim_batching *b;
	double *latency; /* or NULL */
	struct sim_batches ret;
	double work_ms, last_ms;
};

static bool is_enough(const struct run *r)
{
	return r->b->max_over >= 0 && r->ret.over > r->b->max_over;
}

/* A batch of `size` requests, every `step`-th from `first`, begins: when it ends. */
static double run_batch(struct run *r, size_t first, size_t step, int size, double begin)
{
	double end = begin + r->b->latency_ms[size];
	for (int i = 0; i < size; i++) {
		size_t k = first + (size_t)i * step;
		r->ret.over += end - r->t[k] > r->b->slo_ms;
		if (r->latency)
			r->latency[k] = end - r->t[k];
	}
	r->ret.batches++;
	r->work_ms += r->b->latency_ms[size];
	r->last_ms = fmax(r->last_ms, end);
	return end;
}

/* How many of every `step`-th request from `first` have come by then, at most the cap. */
static int count_waiting(const struct run *r, size_t first, size_t step, double by_ms)
{
	int size = 0;
	for (size_t k = first; k < r->n && size < r->b->cap && r->t[k] <= by_ms; k += step)
		size++;
	return size;
}

void sim_replica_free_at(double *heap, size_t n, double v)
{
	size_t i = 0;
	for (size_t k; (k = 2 * i + 1) < n; i = k) {
		if (k + 1 < n && heap[k + 1] < heap[k])
			k++;
		if (heap[k] >= v)
			break;
		heap[i] = heap[k];
	}
	heap[i] = v;
}

int sim_batches(size_t n, const double *t_ms, const struct sim_batching *b, double *ret_latency_ms,
		struct sim_batches *ret, struct err *err)
{
	struct run r = { .n = n, .t = t_ms, .b = b, .latency = ret_latency_ms };
	if (b->replicas < 1 || b->replicas > 10000000 || b->cap < 1)
		return err_set(err, -EINVAL, "a replay needs a replica and a batch of one");
	for (int i = 1; i <= b->cap; i++)
		if (!(b->latency_ms[i] > 0 && isfinite(b->latency_ms[i])))
			return err_set(err, -EINVAL, "the latency of a batch of %d is no time", i);
	for (size_t i = 0; i < n; i++)
		if (!isfinite(t_ms[i]) || (i && t_ms[i] < t_ms[i - 1]))
			return err_set(err, -EINVAL, "request %zu is out of order", i + 1);
	r.last_ms = n ? t_ms[0] : 0;
	size_t replicas = (size_t)b->replicas;
	if (b->how == SIM_SHARED_QUEUE) {
		double *free_ms = xcalloc(replicas, sizeof *free_ms);
		for (size_t i = 0; i < replicas; i++)
			free_ms[i] = -INFINITY;
		for (size_t i = 0; i < r.n && !is_enough(&r);) {
			double begin = fmax(r.t[i], free_ms[0]);
			int size = count_waiting(&r, i, 1, begin);
			sim_replica_free_at(free_ms, replicas, run_batch(&r, i, 1, size, begin));
			i += (size_t)size;
		}
		free(free_ms);
	} else {
		for (size_t k = 0; k < replicas && k < r.n; k++) {
			double free_ms = -INFINITY;
			for (size_t i = k; i < r.n && !is_enough(&r);) {
				double begin = fmax(r.t[i], free_ms);
				int size = count_waiting(&r, i, replicas, begin);
				free_ms = run_batch(&r, i, replicas, size, begin);
				i += (size_t)size * replicas;
			}
		}
	}
	if (n && r.last_ms > t_ms[0])
		r.ret.busy_frac = r.work_ms / ((r.last_ms - t_ms[0]) * b->replicas);
	*ret = r.ret;
	return 0;
}

double sim_percentile(double *v, size_t n, double q)
{
	if (!n)
		return NAN;
	sort_items(v, n, sizeof *v, rising_double);
	size_t i = (size_t)ceil(q * (double)n * (1 - 1e-12));
	return v[i ? i - 1 : 0];
}

/* ---- arrivals ---------------------------------------------------------------------------- */

/* Exponential with mean 1, the k-th of a seed. */
static double draw_gap(uint64_t seed, uint64_t k)
{
	return draw_exponential(draw_bits(seed, k, 0));
}

void sim_poisson(double qps, uint64_t seed, size_t n, double *t_ms)
{
	double t = 0;
	for (size_t i = 0; i < n; i++)
		t_ms[i] = t += draw_gap(seed, i) * 1000 / qps;
}

void sim_bursts(double qps, double swing, double hold_ms, uint64_t seed, size_t n, double *t_ms)
{
	double t = 0, turn = 0, high = 1 + swing;
	uint64_t k = 0;
	for (size_t i = 0; i < n;) {
		double rate = qps * high / 1000, next;
		if (t >= turn) { /* the rate changes; what had not come yet is drawn again */
			turn = t + draw_gap(seed, k++) * hold_ms;
			high = 2 - high;
			continue;
		}
		next = t + (rate > 0 ? draw_gap(seed, k++) / rate : INFINITY);
		t = fmin(next, turn);
		if (next <= turn)
			t_ms[i++] = next;
	}
}
