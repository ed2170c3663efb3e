/* Speeds from the fitted transfer model (transfer.c) and a few own measurements, each of which may
 * be broken: a mixture over which of them are. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "opt/transfer/transfer_in.h"

#define OUTLIER_P   0.03 /* chance that an own measurement is broken */
#define OUTLIER_VAR 4.0  /* its log is then e^2 off, one sigma */
#define STEPS       5    /* until the parts of a split work stay where they are */
#define MAX_STEP    2.0  /* of a log in one of them */
/* half way to exp(mean - var), the point of least expected |p/y - 1|: the variance itself is
 * learned from few GPUs */
#define H_RELATIVE 0.5

/* Mean and covariance of the log speeds of computing (at k) and of exchange (at n + k) of cells
 * after the table, before own measurements. */
struct transfer_joint {
	size_t n;
	struct point *p;
	double *mean, *cov, *noise; /* [2n], [2n*2n], [n] */
	bool *free_unit; /* [n] its level is not in the table: its speeds are in a unit of their own */
};

static double cov_at(const struct transfer_joint *j, size_t a, size_t b)
{
	return j->cov[a * 2 * j->n + b];
}

/* positions in the joint, log speeds per GPU */
struct own {
	size_t n;
	const size_t *at;
	const double *y;
};

/* One answer to "which of the own measurements are broken?": its weight, and what conditioning
 * needs. */
struct hypothesis {
	double log_weight;
	/* factor of the own covariance [nown*nown]; L^-T L^-1 (y - mean) [nown] */
	double *l, *x;
	struct parts *at; /* [nown] where the own works' parts are taken to be */
};

/* Covariance of one part of a cell with what the own measurements measured; ret [nown]. */
static void with_own(const struct transfer_joint *j, const struct own *own, const struct parts *at,
		     size_t latent, double *ret)
{
	for (size_t a = 0; a < own->n; a++)
		ret[a] = at[a].share * cov_at(j, latent, own->at[a]) +
			 (1 - at[a].share) * cov_at(j, latent, j->n + own->at[a]);
}

static struct parts parts_after(const struct transfer_joint *j, const struct own *own,
				const struct hypothesis *h, size_t k, double *gc, double *gx)
{
	double c = j->mean[k], x = j->mean[j->n + k];
	with_own(j, own, h->at, k, gc);
	with_own(j, own, h->at, j->n + k, gx);
	for (size_t a = 0; a < own->n; a++) {
		c += gc[a] * h->x[a];
		x += gx[a] * h->x[a];
	}
	return transfer_parts(&j->p[k], c, x);
}

/* Until the parts of the own works stay where they are. g [2*nown] is scratch. */
static bool settle_parts(const struct transfer_joint *j, const struct own *own, unsigned broken,
			 struct hypothesis *h, double *g)
{
	bool split = false;
	for (size_t a = 0; a < own->n; a++) {
		size_t k = own->at[a];
		h->at[a] = transfer_parts(&j->p[k], j->mean[k], j->mean[j->n + k]);
		split |= j->p[k].split;
	}
	struct parts to[TRANSFER_MAX_OWN];
	for (int step = 0; step < (split ? STEPS : 1); step++) {
		/* One linear step around h->at. */
		size_t n = own->n;
		h->log_weight = 0;
		for (size_t a = 0; a < n; a++) {
			bool out = a < 31 && (broken >> a & 1);
			size_t k = own->at[a];
			const struct parts *s = &h->at[a];
			with_own(j, own, h->at, k, g);
			with_own(j, own, h->at, j->n + k, g + n);
			for (size_t b = 0; b <= a; b++)
				h->l[a * n + b] = s->share * g[b] + (1 - s->share) * g[n + b];
			h->l[a * n + a] += j->noise[k] + (out ? OUTLIER_VAR : 0) + 1e-9;
			h->x[a] = own->y[a] - s->speed - s->share * (j->mean[k] - s->compute) -
				  (1 - s->share) * (j->mean[j->n + k] - s->exchange);
			h->log_weight += log(out ? OUTLIER_P : 1 - OUTLIER_P);
		}
		if (!linear_cholesky(h->l, n))
			return false;
		linear_forward(h->l, n, h->x);
		for (size_t a = 0; a < n; a++)
			h->log_weight -= .5 * h->x[a] * h->x[a] + log(h->l[a * n + a]);
		linear_backward(h->l, n, h->x);

		for (size_t a = 0; a < own->n && step + 1 < STEPS; a++)
			to[a] = parts_after(j, own, h, own->at[a], g, g + own->n);
		for (size_t a = 0; a < own->n && split && step + 1 < STEPS; a++) {
			const struct parts *s = &h->at[a];
			double c = fmin(fmax(to[a].compute, s->compute - MAX_STEP),
					s->compute + MAX_STEP);
			double x = fmin(fmax(to[a].exchange, s->exchange - MAX_STEP),
					s->exchange + MAX_STEP);
			h->at[a] = transfer_parts(&j->p[own->at[a]], c, x);
		}
	}
	return true;
}

struct normal {
	double weight, mean, sd;
};

/* Where the mixture reaches p; each part shifted by shift * variance and reweighted as the density
 * over y^shift is. */
static double mixture_quantile(const struct normal *part, size_t n, double p, double shift)
{
	double lo = INFINITY, hi = -INFINITY, top = -INFINITY, w[32], all = 0;
	for (size_t i = 0; i < n; i++) {
		double m = part[i].mean - shift * part[i].sd * part[i].sd;
		lo = fmin(lo, m - 8 * part[i].sd);
		hi = fmax(hi, m + 8 * part[i].sd);
		top = fmax(top,
			   -shift * part[i].mean + .5 * shift * shift * part[i].sd * part[i].sd);
	}
	for (size_t i = 0; i < n; i++)
		all += w[i] = part[i].weight *
			      exp(-shift * part[i].mean +
				  .5 * shift * shift * part[i].sd * part[i].sd - top);
	for (int it = 0; it < 48; it++) {
		double x = (lo + hi) / 2, below = 0;
		for (size_t i = 0; i < n; i++)
			below += w[i] * .5 *
				 erfc(-(x - part[i].mean + shift * part[i].sd * part[i].sd) /
				      (part[i].sd * M_SQRT2));
		*(below < p * all ? &lo : &hi) = x;
	}
	return (lo + hi) / 2;
}

struct weighed {
	size_t n;
	const struct hypothesis *h; /* [n] */
	double *scratch;            /* [2*nown] */
};

/* unit: log of that of the cell's level */
static void fill_answer(const struct transfer_joint *j, const struct own *own, size_t k,
			double unit, const struct weighed *w, struct transfer_speed *ret)
{
	const struct hypothesis *h = w->h;
	const size_t nh = w->n;
	struct normal part[32];
	double top = -INFINITY, gpus = j->p[k].gpus * exp(j->p[k].log_workload_gpus + unit),
	       *gc = w->scratch, *gx = w->scratch + own->n;
	size_t x = j->n + k;
	for (size_t z = 0; z < nh; z++)
		top = fmax(top, h[z].log_weight);
	for (size_t z = 0; z < nh; z++) {
		struct parts s = parts_after(j, own, &h[z], k, gc, gx);
		double a = s.share, b = 1 - a,
		       var = a * a * cov_at(j, k, k) + 2 * a * b * cov_at(j, k, x) +
			     b * b * cov_at(j, x, x) + j->noise[k];
		for (size_t i = 0; i < own->n; i++)
			gc[i] = a * gc[i] + b * gx[i] + (own->at[i] == k ? j->noise[k] : 0);
		linear_forward(h[z].l, own->n, gc);
		var -= linear_dot(gc, gc, own->n);
		part[z] = (struct normal){ exp(h[z].log_weight - top), s.speed,
					   sqrt(fmax(var, 1e-10)) };
	}
	ret->speed = exp(mixture_quantile(part, nh, .5, H_RELATIVE)) * gpus;
	ret->lo = exp(mixture_quantile(part, nh, .05, 0)) * gpus;
	ret->hi = exp(mixture_quantile(part, nh, .95, 0)) * gpus;
	/* where the prediction is very wide the shifted point may leave its own range */
	ret->speed = fmin(fmax(ret->speed, ret->lo), ret->hi);
}

/* ---- units ------------------------------------------------------------------------------- */

/*
 * Log of the unit of a level that the table has not: the median of measured against predicted. Out
 * of the numbers before the model sees them, so that no unit can pass for a property of a GPU: one
 * measurement then lies where it is expected, and says nothing but the unit. 0 without one.
 */
static double unit_of_level(const struct transfer_joint *j, const struct own *own, int level)
{
	double off[TRANSFER_MAX_OWN];
	size_t n = 0;
	for (size_t a = 0; a < own->n; a++) {
		size_t k = own->at[a];
		if (j->p[k].level == level)
			off[n++] = own->y[a] -
				   transfer_parts(&j->p[k], j->mean[k], j->mean[j->n + k]).speed;
	}
	if (!n)
		return 0;
	sort_items(off, n, sizeof *off, rising_double);
	return (off[(n - 1) / 2] + off[n / 2]) / 2;
}

int transfer_joint_new(const struct transfer *t, size_t n, const struct transfer_cell *cell,
		       struct transfer_joint **ret, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		int r = transfer_check_cell(&cell[i], t->ngpu, false, err);
		if (r < 0)
			return r;
	}
	struct transfer_joint *j = xcalloc(1, sizeof *j);
	j->n = n;
	j->p = xcalloc(n + 1, sizeof *j->p);
	j->mean = xcalloc(2 * n + 1, sizeof *j->mean);
	j->cov = xcalloc(4 * n * n + 1, sizeof *j->cov);
	j->noise = xcalloc(n + 1, sizeof *j->noise);
	j->free_unit = xcalloc(n + 1, sizeof *j->free_unit);
	for (size_t i = 0; i < n; i++) {
		j->p[i] = transfer_point(t, &cell[i], false);
		j->free_unit[i] = true;
		for (size_t k = 0; k < t->n; k++)
			j->free_unit[i] &= t->p[k].level != j->p[i].level;
	}
	double *w = xcalloc(2 * n * t->n + 1, sizeof *w);
	for (size_t a = 0; a < 2 * n; a++) {
		const struct point *p = &j->p[a < n ? a : a - n];
		if (a >= n && !p->split)
			continue;
		/* L^-1 (covariance of one part of p with the table) */
		double *row = w + a * t->n;
		for (size_t i = 0; i < t->n; i++) {
			if (a >= n && !(p->split && t->p[i].split))
				row[i] = 0;
			else
				row[i] = transfer_kernel(t, p, &t->p[i], a >= n) *
					 transfer_weight(&t->p[i], a >= n);
		}
		linear_forward(t->chol, t->n, row);
		j->mean[a] = (a >= n ? t->mean_exchange : t->mean + p->expected) +
			     linear_dot(w + a * t->n, t->alpha, t->n);
		for (size_t b = 0; b <= a; b++) {
			const struct point *o = &j->p[b < n ? b : b - n];
			if (b >= n && !o->split)
				continue;
			double s = ((a >= n) == (b >= n) ? transfer_kernel(t, p, o, a >= n) : 0) -
				   linear_dot(w + a * t->n, w + b * t->n, t->n);
			j->cov[a * 2 * n + b] = j->cov[b * 2 * n + a] = s;
		}
	}
	for (size_t a = 0; a < n; a++)
		j->noise[a] = t->noise * t->spread[j->p[a].family] * t->spread[j->p[a].family];
	free(w);
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
	free(j->noise);
	free(j->free_unit);
	free(j);
}

int transfer_joint_predict(const struct transfer_joint *j, size_t nown, const size_t *own_at,
			   const double *own_speed, struct transfer_speed *ret, struct err *err)
{
	if (nown > TRANSFER_MAX_OWN)
		return err_set(err, -E2BIG, "more than %d own measurements", TRANSFER_MAX_OWN);
	unsigned nh = nown <= 5 ? 1u << nown : 1;
	size_t n = nown;
	struct hypothesis h[32];
	double *mem = xcalloc(nh * (n * n + n) + 2 * n + j->n + 1, sizeof *mem), *at = mem,
	       *scratch = mem + nh * (n * n + n), *unit = scratch + 2 * n, y[TRANSFER_MAX_OWN];
	struct parts *parts = xcalloc(nh * n + 1, sizeof *parts);
	struct own own = { n, own_at, y };
	int r = 0;
	for (size_t a = 0; a < n && r >= 0; a++) {
		if (own_at[a] >= j->n || !(own_speed[a] > 1e-30 && own_speed[a] < 1e30))
			r = err_set(err, -EINVAL, "a measured speed must be above 0 and finite");
		else
			y[a] = log(own_speed[a] / j->p[own_at[a]].gpus) -
			       j->p[own_at[a]].log_workload_gpus;
	}
	if (r >= 0) {
		/* unit: 0 where the table has the level. */
		for (size_t k = 0; k < j->n; k++)
			unit[k] = j->free_unit[k] ? unit_of_level(j, &own, j->p[k].level) : 0;
	}
	for (size_t a = 0; a < n && r >= 0; a++)
		y[a] -= unit[own_at[a]];
	for (unsigned z = 0; z < nh && r >= 0; z++, at += n * n + n) {
		h[z] = (struct hypothesis){ .l = at, .x = at + n * n, .at = parts + z * n };
		if (!settle_parts(j, &own, z, &h[z], scratch))
			r = err_set(err, -EDOM,
				    "the own measurements cannot be weighed against each other");
	}
	for (size_t k = 0; k < j->n && r >= 0; k++)
		fill_answer(j, &own, k, unit[k], &(struct weighed){ nh, h, scratch }, &ret[k]);
	free(mem);
	free(parts);
	return r;
}

int transfer_predict(const struct transfer *t, const struct transfer_ask *q,
		     struct transfer_speed *ret, struct err *err)
{
	const size_t nown = q->nown;
	size_t n = nown + q->nask, at[TRANSFER_MAX_OWN];
	double speed[TRANSFER_MAX_OWN];
	struct transfer_joint *j = NULL;
	if (nown > TRANSFER_MAX_OWN)
		return err_set(err, -E2BIG, "more than %d own measurements", TRANSFER_MAX_OWN);
	struct transfer_cell *all = xcalloc(n + 1, sizeof *all);
	struct transfer_speed *s = xcalloc(n + 1, sizeof *s);
	for (size_t i = 0; i < n; i++)
		all[i] = i < nown ? q->own[i] : q->ask[i - nown];
	for (size_t i = 0; i < nown; i++) {
		at[i] = i;
		speed[i] = q->own[i].speed;
	}
	int r = transfer_joint_new(t, n, all, &j, err);
	if (r >= 0)
		r = transfer_joint_predict(j, nown, at, speed, s, err);
	if (r >= 0 && q->nask)
		memcpy(ret, s + nown, q->nask * sizeof *ret);
	transfer_joint_free(j);
	free(all);
	free(s);
	return r;
}
