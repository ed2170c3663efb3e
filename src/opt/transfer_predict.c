/* Speeds from the fitted transfer model (transfer.c) and a few own measurements, each of which may be broken: a mixture over which of them are. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "opt/transfer_in.h"

#define OUTLIER_P 0.03	 /* chance that an own measurement is broken */
#define OUTLIER_VAR 4.0	 /* its log is then e^2 off, one sigma */
#define H_RELATIVE 0.5	 /* half way to exp(mean - var), the point of least expected |p/y - 1|: the variance itself is learned from few cards */

/* Mean and covariance of cells after the table, before own measurements. */
struct transfer_joint {
	size_t n;
	struct point *p;
	double *mean, *cov; /* [n], [n*n] */
};

static void fill_joint(const struct transfer *t, struct transfer_joint *j)
{
	const struct point *p = j->p;
	double *w = xcalloc(j->n * t->n + 1, sizeof *w);
	for (size_t a = 0; a < j->n; a++) {
		double *wa = w + a * t->n;
		for (size_t i = 0; i < t->n; i++)
			wa[i] = transfer_kernel(t, &p[a], &t->p[i]);
		linear_forward(t->chol, t->n, wa);
		j->mean[a] = t->mean + p[a].expected + linear_dot(wa, t->alpha, t->n);
		for (size_t b = 0; b <= a; b++) {
			double s = transfer_kernel(t, &p[a], &p[b]) - linear_dot(wa, w + b * t->n, t->n);
			if (a == b)
				s += t->noise * t->spread[p[a].family] * t->spread[p[a].family];
			j->cov[a * j->n + b] = j->cov[b * j->n + a] = s;
		}
	}
	free(w);
}

/* One answer to "which of the own measurements are broken?": its weight, and what conditioning needs. */
struct hypothesis {
	double log_weight;
	double *l, *x; /* factor of the own covariance [nown*nown]; L^-T L^-1 (y - mean) [nown] */
};

struct own { size_t n; const size_t *at; const double *y; }; /* positions in the joint, log speeds per GPU */

static bool condition(const struct transfer_joint *j, const struct own *own, unsigned broken, struct hypothesis *h)
{
	size_t n = own->n;
	h->log_weight = 0;
	for (size_t a = 0; a < n; a++) {
		bool out = a < 31 && (broken >> a & 1);
		for (size_t b = 0; b <= a; b++)
			h->l[a * n + b] = j->cov[own->at[a] * j->n + own->at[b]];
		h->l[a * n + a] += (out ? OUTLIER_VAR : 0) + 1e-9;
		h->x[a] = own->y[a] - j->mean[own->at[a]];
		h->log_weight += log(out ? OUTLIER_P : 1 - OUTLIER_P);
	}
	if (!linear_cholesky(h->l, n))
		return false;
	linear_forward(h->l, n, h->x);
	for (size_t a = 0; a < n; a++)
		h->log_weight -= .5 * h->x[a] * h->x[a] + log(h->l[a * n + a]);
	linear_backward(h->l, n, h->x);
	return true;
}

struct normal { double weight, mean, sd; };

/* Where the mixture reaches p; each part shifted by shift * variance and reweighted as the density over y^shift is. */
static double mixture_quantile(const struct normal *part, size_t n, double p, double shift)
{
	double lo = INFINITY, hi = -INFINITY, top = -INFINITY, w[32], all = 0;
	for (size_t i = 0; i < n; i++) {
		double m = part[i].mean - shift * part[i].sd * part[i].sd;
		lo = fmin(lo, m - 8 * part[i].sd);
		hi = fmax(hi, m + 8 * part[i].sd);
		top = fmax(top, -shift * part[i].mean + .5 * shift * shift * part[i].sd * part[i].sd);
	}
	for (size_t i = 0; i < n; i++)
		all += w[i] = part[i].weight * exp(-shift * part[i].mean + .5 * shift * shift * part[i].sd * part[i].sd - top);
	for (int it = 0; it < 48; it++) {
		double x = (lo + hi) / 2, below = 0;
		for (size_t i = 0; i < n; i++)
			below += w[i] * .5 * erfc(-(x - part[i].mean + shift * part[i].sd * part[i].sd) / (part[i].sd * M_SQRT2));
		*(below < p * all ? &lo : &hi) = x;
	}
	return (lo + hi) / 2;
}

static void answer(const struct transfer_joint *j, const struct own *own, size_t k, size_t nh, const struct hypothesis *h, double *scratch,
		   struct transfer_speed *ret)
{
	struct normal part[32];
	const double *u = j->cov + k * j->n;
	double top = -INFINITY, gpus = j->p[k].gpus;
	for (size_t z = 0; z < nh; z++)
		top = fmax(top, h[z].log_weight);
	for (size_t z = 0; z < nh; z++) {
		double mean = j->mean[k];
		for (size_t a = 0; a < own->n; a++) {
			scratch[a] = u[own->at[a]];
			mean += scratch[a] * h[z].x[a];
		}
		linear_forward(h[z].l, own->n, scratch);
		double var = u[k] - linear_dot(scratch, scratch, own->n);
		part[z] = (struct normal){ exp(h[z].log_weight - top), mean, sqrt(fmax(var, 1e-10)) };
	}
	ret->speed = exp(mixture_quantile(part, nh, .5, H_RELATIVE)) * gpus;
	ret->lo = exp(mixture_quantile(part, nh, .05, 0)) * gpus;
	ret->hi = exp(mixture_quantile(part, nh, .95, 0)) * gpus;
	/* where the prediction is very wide the shifted point may leave its own range */
	ret->speed = fmin(fmax(ret->speed, ret->lo), ret->hi);
}

int transfer_joint_new(const struct transfer *t, size_t n, const struct transfer_cell *cell, struct transfer_joint **ret, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		int r = transfer_check_cell(&cell[i], t->ncard, false, err);
		if (r < 0)
			return r;
	}
	struct transfer_joint *j = xcalloc(1, sizeof *j);
	j->n = n;
	j->p = xcalloc(n + 1, sizeof *j->p);
	j->mean = xcalloc(n + 1, sizeof *j->mean);
	j->cov = xcalloc(n * n + 1, sizeof *j->cov);
	for (size_t i = 0; i < n; i++)
		j->p[i] = transfer_point(t, &cell[i], false);
	fill_joint(t, j);
	*ret = j;
	return 0;
}

void transfer_joint_free(struct transfer_joint *j)
{
	if (!j)
		return;
	free(j->p);
	free(j->mean);
	free(j->cov);
	free(j);
}

int transfer_joint_predict(const struct transfer_joint *j, size_t nown, const size_t *own_at, const double *own_speed, struct transfer_speed *ret,
			   struct err *err)
{
	if (nown > TRANSFER_MAX_OWN)
		return err_set(err, -E2BIG, "more than %d own measurements", TRANSFER_MAX_OWN);
	unsigned nh = nown <= 5 ? 1u << nown : 1;
	size_t n = nown;
	struct hypothesis h[32];
	double *mem = xcalloc(nh * (n * n + n) + n + 1, sizeof *mem), *at = mem, *scratch = mem + nh * (n * n + n), y[TRANSFER_MAX_OWN];
	struct own own = { n, own_at, y };
	int r = 0;
	for (size_t a = 0; a < n && r >= 0; a++) {
		if (own_at[a] >= j->n || !(own_speed[a] > 1e-30 && own_speed[a] < 1e30))
			r = err_set(err, -EINVAL, "a measured speed must be above 0 and finite");
		else
			y[a] = log(own_speed[a] / j->p[own_at[a]].gpus);
	}
	for (unsigned z = 0; z < nh && r >= 0; z++, at += n * n + n) {
		h[z] = (struct hypothesis){ .l = at, .x = at + n * n };
		if (!condition(j, &own, z, &h[z]))
			r = err_set(err, -EDOM, "the own measurements cannot be weighed against each other");
	}
	for (size_t k = 0; k < j->n && r >= 0; k++)
		answer(j, &own, k, nh, h, scratch, &ret[k]);
	free(mem);
	return r;
}

int transfer_predict(const struct transfer *t, size_t nown, const struct transfer_cell *own, size_t nask, const struct transfer_cell *ask,
		     struct transfer_speed *ret, struct err *err)
{
	size_t n = nown + nask, at[TRANSFER_MAX_OWN];
	double speed[TRANSFER_MAX_OWN];
	struct transfer_joint *j = NULL;
	if (nown > TRANSFER_MAX_OWN)
		return err_set(err, -E2BIG, "more than %d own measurements", TRANSFER_MAX_OWN);
	struct transfer_cell *all = xcalloc(n + 1, sizeof *all);
	struct transfer_speed *s = xcalloc(n + 1, sizeof *s);
	for (size_t i = 0; i < n; i++)
		all[i] = i < nown ? own[i] : ask[i - nown];
	for (size_t i = 0; i < nown; i++) {
		at[i] = i;
		speed[i] = own[i].speed;
	}
	int r = transfer_joint_new(t, n, all, &j, err);
	if (r >= 0)
		r = transfer_joint_predict(j, nown, at, speed, s, err);
	if (r >= 0 && nask)
		memcpy(ret, s + nown, nask * sizeof *ret);
	transfer_joint_free(j);
	free(all);
	free(s);
	return r;
}
