/*
 * Batches under a latency bound.
 *
 *   max b / l(b)   s.t.  2 l(b) <= SLO          safe: wait for the running batch, then run (Nexus,
 *                   SOSP'19)
 *                   or   (1 + 1/N) l(b) <= SLO  with N replicas that start in turn (Symphony)
 *                   or   l(b) <= SLO            if nothing ever waits: a limit, not a plan
 *
 * l(b) = alpha + beta b fits GPU inference; where it was measured, l(b) is not below that. b / l(b)
 * grows with b, so the largest safe b has the
 * most throughput. At full load waiting for more requests gains nothing: what arrives while a batch
 * runs is the next batch ("take all up to the cap"). A wait pays only below capacity, where the
 * GPU is shared or energy counts; wait + l(b) <= SLO bounds it, and 20 to 30 ms is a first setting
 * to be tuned on measured percentiles.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include "model/known.h"
#include "opt/capacity/batching.h"

#include "base/num.h"

#define MAX_BATCH 65536

int batch_fit(size_t n, const struct batch_point *p, struct batch_model *ret, struct err *err)
{
	double sb = 0, sl = 0, sbb = 0, sbl = 0, sll = 0, k = (double)n;
	for (size_t i = 0; i < n; i++) {
		double b = p[i].batch, l = p[i].latency_ms;
		if (!within_int(p[i].batch, 1, MAX_BATCH) || !(l > 0 && l < 1e9))
			return err_set(err, -EINVAL, "measurement %zu is no latency of a batch",
				       i + 1);
		sb += b;
		sl += l;
		sbb += b * b;
		sbl += b * l;
		sll += l * l;
	}
	if (!n)
		return err_set(err, -EINVAL, "no measurement of a latency");
	double var = sbb - sb * sb / k, cov = sbl - sb * sl / k, vl = sll - sl * sl / k;
	*ret = (struct batch_model){ sl / k, NAN, NAN };
	if (!(var > 1e-9))
		return 0;
	ret->beta_ms = cov > 0 ? cov / var : 0;
	ret->alpha_ms = (sl - ret->beta_ms * sb) / k;
	if (ret->alpha_ms < 0) { /* through the origin then */
		ret->alpha_ms = 0;
		ret->beta_ms = sbl / sbb;
	}
	double res = 0;
	for (size_t i = 0; i < n; i++)
		res += pow(p[i].latency_ms - ret->alpha_ms - ret->beta_ms * p[i].batch, 2);
	if (n >= 3 && vl > 0)
		ret->r2 = 1 - res / vl;
	return 0;
}

double batch_latency_ms(const struct batch_model *m, double b)
{
	if (isnan(m->beta_ms)) {
		if (b == 1)
			return m->alpha_ms;
		return NAN;
	}
	return m->alpha_ms + m->beta_ms * b;
}

/* Of a batch of so many: the larger of the line and what was measured; NAN. */
static double batch_time_ms(const struct batch_in *in, int b)
{
	double line = batch_latency_ms(&in->model, b);
	if (in->measured_ms)
		return fmax(line, in->measured_ms[b]);
	return line;
}

/* The measured points joined by lines at b; NAN outside of them. */
static double between_points(size_t n, const struct batch_point *p, int b)
{
	const struct batch_point *below = NULL, *above = NULL;
	for (size_t i = 0; i < n; i++) {
		if (p[i].batch <= b &&
		    (!below || p[i].batch > below->batch ||
		     (p[i].batch == below->batch && p[i].latency_ms > below->latency_ms)))
			below = &p[i];
		if (p[i].batch >= b &&
		    (!above || p[i].batch < above->batch ||
		     (p[i].batch == above->batch && p[i].latency_ms > above->latency_ms)))
			above = &p[i];
	}
	if (!below || !above)
		return NAN;
	if (below->batch == above->batch)
		return fmax(below->latency_ms, above->latency_ms);
	double part = (double)(b - below->batch) / (above->batch - below->batch);
	return below->latency_ms + part * (above->latency_ms - below->latency_ms);
}

void batch_measured(size_t n, const struct batch_point *p, const struct batch_model *m, int max,
		    double *ret)
{
	ret[0] = 0;
	for (int b = 1; b <= max; b++) {
		double at = between_points(n, p, b);
		ret[b] = fmax(ret[b - 1], isnan(at) ? batch_latency_ms(m, b) : at);
	}
}

/* Largest b <= max with factor x l(b) <= slo; 0 where there is none. l does not fall. */
static int largest_batch(const struct batch_in *in, double factor)
{
	int b = 0;
	if (isnan(in->model.beta_ms))
		return factor * in->model.alpha_ms <= in->slo_ms;
	for (int step = MAX_BATCH; step; step /= 2)
		if (b + step <= in->max_batch &&
		    factor * batch_time_ms(in, b + step) <= in->slo_ms * (1 + 1e-12))
			b += step;
	return b;
}

void batch_use_replicas(const struct batch_in *in, int replicas, struct batch_plan *p)
{
	p->replicas = replicas;
	p->staggered = largest_batch(in, 1 + 1.0 / replicas);
	p->load_frac = in->qps / (replicas * p->capacity_qps);
	p->fill_ms = num_if(in->qps > 0, p->safe * (double)replicas / in->qps * 1000);
}

int batch_decide(const struct batch_in *in, struct batch_plan *ret, struct err *err)
{
	const struct batch_model *m = &in->model;
	if (!(in->slo_ms > 0 && in->slo_ms < 1e9))
		return err_set(err, -EINVAL,
			       "the latency bound is no number of milliseconds above 0");
	if (!(m->alpha_ms >= 0 && m->alpha_ms < 1e9) || m->beta_ms < 0 ||
	    !(batch_latency_ms(m, 1) > 0))
		return err_set(err, -EINVAL,
			       "the model's latency is no number of milliseconds above 0");
	if (!within_int(in->max_batch, 1, MAX_BATCH) || in->qps < 0 || isinf(in->qps))
		return err_set(err, -EINVAL,
			       "the largest batch is 1 to %d, and a rate is not negative",
			       MAX_BATCH);
	*ret = (struct batch_plan){ .safe = largest_batch(in, 2),
				    .absolute = largest_batch(in, 1),
				    .capacity_qps = NAN,
				    .load_frac = NAN,
				    .fill_ms = NAN };
	ret->feasible = ret->absolute > 0;
	double model = in->model_ms;
	if (isnan(in->model_ms))
		model = batch_time_ms(in, ret->safe ? ret->safe : 1);
	ret->wait_bound_ms = in->slo_ms > model ? in->slo_ms - model : 0;
	ret->start_lo_ms = fmin(20, ret->wait_bound_ms / 2);
	ret->start_hi_ms = fmin(30, ret->wait_bound_ms / 2);
	if (ret->safe) {
		ret->capacity_qps = ret->safe / batch_time_ms(in, ret->safe) * 1000;
		if (!isnan(in->qps)) {
			/* 0.9: the queue of a GPU at more than that grows faster than its load */
			double k = ceil(in->qps / (0.9 * ret->capacity_qps) * (1 - 1e-12));
			if (!(k <= 1e6))
				return err_set(
					err, -EINVAL,
					"%g requests a second need more than 1,000,000 replicas",
					in->qps);
			batch_use_replicas(in, k < 1 ? 1 : (int)k, ret);
			return 0;
		}
	}
	return 0;
}
