/*
 * Works that are split over several GPUs (transfer.c): a step is computing and then exchange,
 *
 *   1 / speed = 1 / C + 1 / X,   log C(GPU, shape) and log X(layout, GPU, family, GPUs) each a
 *                                Gaussian process.
 *
 * The sum is linear in neither logarithm, so the model is the linear one around the point where
 * both parts are taken to be:
 *   y = y0 + a (log C - c0) + (1 - a) (log X - x0),   a = share of computing in the time of the
 *                                                     step,
 * and that point is moved to where the fitted model has them (Gauss-Newton, half steps). A workload
 * on one GPU has a = 1: it knows nothing of all this.
 */
#include <math.h>
#include <stdlib.h>
#include "base/mem.h"
#include "opt/transfer/transfer_in.h"

#define STEPS 4
/* of the time of a step, before anything was fitted: noise may make a split work faster than the
 * same on one GPU */
#define LEAST_EXCHANGE 0.1
#define EXCHANGE_MAX   0.999 /* likewise: with all of it computing were infinitely fast */

struct parts transfer_parts(const struct point *p, double compute, double exchange)
{
	if (!p->split)
		return (struct parts){ compute, 0, 1, compute };
	double slow = fmin(compute, exchange),
	       speed = slow - log(exp(slow - compute) + exp(slow - exchange));
	return (struct parts){ compute, exchange, exp(speed - compute), speed };
}

double transfer_weight(const struct point *p, bool exchange)
{
	if (exchange)
		return 1 - p->at.share;
	return p->at.share;
}

double transfer_target(const struct transfer *t, const struct point *p)
{
	const struct parts *s = &p->at;
	return p->y - s->speed + s->share * (s->compute - t->mean - p->expected) +
	       (1 - s->share) * (s->exchange - t->mean_exchange);
}

static const struct point *on_one_gpu(const struct transfer *t, const struct point *p)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct point *o = &t->p[i];
		if (!o->split && transfer_same_run(o, p) && o->level == p->level &&
		    o->shape == p->shape && o->batch == p->batch)
			return o;
	}
	return NULL;
}

void transfer_split_start(struct transfer *t)
{
	double n = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct point *p = &t->p[i];
		const struct point *one = p->split ? on_one_gpu(t, p) : NULL;
		double exchange =
			one ? fmin(fmax(1 - exp(p->y - one->y), LEAST_EXCHANGE), EXCHANGE_MAX) : .5;
		if (p->split)
			p->at = transfer_parts(p, p->y - log(1 - exchange), p->y - log(exchange));
		else
			p->at = transfer_parts(p, p->y, 0);
		t->mean += (p->at.compute - p->expected) / (double)t->n;
		if (p->split)
			t->mean_exchange += p->at.exchange;
		n += p->split;
	}
	t->split = n > 0;
	t->mean_exchange /= fmax(n, 1);
}

void transfer_factor(struct transfer *t)
{
	size_t n = t->n;
	if (!t->chol)
		t->chol = xcalloc(n * n + 1, sizeof *t->chol);
	if (!t->alpha)
		t->alpha = xcalloc(n + 1, sizeof *t->alpha);
	for (size_t i = 0; i < n; i++) {
		const struct point *a = &t->p[i];
		double *row = t->chol + i * n, s = t->spread[a->family];
		for (size_t j = 0; j <= i; j++) {
			const struct point *b = &t->p[j];
			row[j] = a->at.share * b->at.share * transfer_kernel(t, a, b, false);
			if (a->split && b->split)
				row[j] += (1 - a->at.share) * (1 - b->at.share) *
					  transfer_kernel(t, a, b, true);
		}
		row[i] += t->noise * s * s / a->n + 1e-9;
		t->alpha[i] = transfer_target(t, a);
	}
	linear_cholesky(t->chol, n);
	linear_forward(t->chol, n, t->alpha);
}

void transfer_split_settle(struct transfer *t)
{
	size_t n = t->n;
	double *z = xcalloc(n + 1, sizeof *z);
	for (int step = 0; step < STEPS; step++) {
		/* Half of the way to the parts that the fitted model gives. */
		for (size_t i = 0; i < n; i++)
			z[i] = t->alpha[i];
		linear_backward(t->chol, n, z);
		struct parts *to = xcalloc(n + 1, sizeof *to);
		for (size_t i = 0; i < n; i++) {
			const struct point *p = &t->p[i];
			double c = t->mean + p->expected, x = t->mean_exchange;
			to[i] = p->at;
			for (size_t j = 0; j < n && p->split; j++) {
				const struct point *o = &t->p[j];
				c += transfer_kernel(t, p, o, false) * o->at.share * z[j];
				if (o->split)
					x += transfer_kernel(t, p, o, true) * (1 - o->at.share) *
					     z[j];
			}
			if (p->split)
				to[i] = transfer_parts(p, (p->at.compute + c) / 2,
						       (p->at.exchange + x) / 2);
		}
		for (size_t i = 0; i < n; i++)
			t->p[i].at = to[i];
		free(to);
		transfer_factor(t);
	}
	free(z);
}
