/*
 * Speed of a work on a card it never ran on.
 *
 * Model. y = log(speed per GPU) of work m on run g (a card model, a number of GPUs, a layout) is a Gaussian process with the covariance
 *
 *   k((g,m),(g',m')) = sum_t v_t * R_t(g,g') * C_t(m,m') * s_f(m) s_f(m') + [same cell] * noise * s_f(m)^2
 *
 * where R_t says what two runs have in common (anything, the card, the run, the product of their data-sheet features, the number of GPUs, the layout)
 * and C_t what two works have (anything, family, shape, batch size, GPUs). In other words: a ridge regression for
 *   r_g + c_m + sum_k feature_k(g) * w_km + (card x family) + (card x batch) + (GPUs x work) + ...
 * whose ridge strengths are not chosen by hand: v_t and the spread s_f of a family are those under which the table itself is most likely (coordinate
 * ascent on a logarithmic grid). The features are what a roofline needs: log peak at the work's precision, log bandwidth. Own measurements are
 * conditioned on exactly; each may be an outlier with a small chance, and the answer is the mixture over which of them are.
 *
 * The point given is between the median of the prediction and the point of least expected relative error: exp(mean - H * variance).
 *
 * Sources: Rasmussen & Williams, Gaussian Processes for Machine Learning (2006) chapters 2 and 5; two-way log-additive models of throughput as in Gavel
 * (Narayanan et al., OSDI 2020) and Quasar (Delimitrou & Kozyrakis, ASPLOS 2014, low rank plus few own measurements); rooflines: Williams et al. 2009.
 * What we changed: data-sheet features instead of a free low rank (with three to twelve cards a free rank cannot be told from noise), spreads per family,
 * outliers, and a prior mean: without any table speed goes as sqrt(peak * bandwidth).
 */
#include "opt/transfer.h"
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

#define MAX_ID 10000
#define OUTLIER_P 0.03	 /* chance that an own measurement is broken */
#define OUTLIER_VAR 4.0	 /* its log is then e^2 off, one sigma */
#define H_RELATIVE 0.5	 /* half way to exp(mean - var), the point of least expected |p/y - 1|: the variance itself is learned from few cards */
#define MIN_CARDS_SPREAD 4 /* from fewer cards, how erratic a family is cannot be told from chance */
#define SIGMA_SPREAD 0.7   /* prior of log s_f */
#define SWEEPS 3
#define PRIOR_EXPONENT 0.5  /* before any table: twice the peak and twice the bandwidth is twice the speed, half of it from each */

enum { R_ANY, R_CARD, R_RUN, R_FEATURE, R_GPUS, R_SAME_GPUS, R_CARD_GPUS, R_LAYOUT };
enum { C_ANY, C_LEVEL, C_FAMILY, C_SHAPE, C_BATCH, C_FAMILY_BATCH, C_GPUS, C_SAME_GPUS, C_FAMILY_GPUS, C_FAMILY_SAME_GPUS };

/*
 * The terms. A variance above 0 is fixed: levels (9: a work's unit is anything), what the data sheet leaves open of a card (0.1: 30 %) and of a run (0.05),
 * how far the exponents of the data sheet are from their prior mean (0.1: 0.3, one sigma), how it scales with GPUs. The others are learned from the table.
 */
static const struct term { int run, work; double fixed; } terms[] = {
	{ R_ANY, C_LEVEL, 9 }, { R_RUN, C_ANY, .05 }, { R_CARD, C_ANY, .1 }, { R_FEATURE, C_ANY, .1 }, { R_GPUS, C_ANY, .05 },
	{ R_FEATURE, C_SHAPE, 0 }, { R_FEATURE, C_FAMILY, 0 }, { R_FEATURE, C_BATCH, 0 }, { R_FEATURE, C_FAMILY_BATCH, 0 }, { R_FEATURE, C_GPUS, 0 },
	{ R_FEATURE, C_FAMILY_GPUS, 0 },
	{ R_CARD, C_SHAPE, 0 }, { R_CARD, C_FAMILY, 0 }, { R_CARD, C_BATCH, 0 }, { R_CARD, C_FAMILY_BATCH, 0 }, { R_CARD, C_GPUS, 0 },
	{ R_CARD, C_SAME_GPUS, 0 }, { R_CARD, C_FAMILY_GPUS, 0 }, { R_CARD, C_FAMILY_SAME_GPUS, 0 },
	{ R_LAYOUT, C_GPUS, 0 }, { R_LAYOUT, C_SAME_GPUS, 0 }, { R_LAYOUT, C_FAMILY_SAME_GPUS, 0 }, { R_LAYOUT, C_SHAPE, 0 },
	{ R_GPUS, C_SHAPE, 0 }, { R_SAME_GPUS, C_SHAPE, 0 }, { R_CARD_GPUS, C_SHAPE, 0 },
	{ R_RUN, C_GPUS, 0 }, { R_RUN, C_SAME_GPUS, 0 }, { R_RUN, C_FAMILY_SAME_GPUS, 0 }, { R_RUN, C_SHAPE, 0 },
};
#define NTERM (sizeof terms / sizeof *terms)

static const double grid[] = { 0, .0003, .001, .003, .01, .03, .1, .3 };
static const double spread_grid[] = { .25, .35, .5, .7, 1, 1.4, 2, 2.8, 4 };
#define NGRID (int)(sizeof grid / sizeof *grid)
#define NSPREAD (int)(sizeof spread_grid / sizeof *spread_grid)
#define GRID_START 4   /* 0.01 */
#define SPREAD_START 4 /* 1 */

/* A cell ready for the kernel. */
struct point {
	int card, layout, level, shape, family;
	double f[TRANSFER_NFEATURE], gpus, log_gpus, log_work_gpus, batch; /* batch: log, against the mean of its family */
	double expected; /* of its log speed, by the data sheet alone */
	double y, n;	 /* log speed per GPU less that; how many cells it is the mean of, at most 2 */
};

struct transfer {
	size_t ncard, n;
	double (*feature)[TRANSFER_NFEATURE]; /* [ncard] */
	struct point *p;		      /* [n] */
	double mean, noise;
	double v[NTERM];
	double batch_mean[MAX_ID], spread[MAX_ID]; /* by family */
	double *chol, *alpha;			   /* [n*n] lower, [n]: L^-1 (y - mean) */
};

/* ---- kernel ------------------------------------------------------------------------------------------------------------------------ */

static bool same_run(const struct point *a, const struct point *b)
{
	return a->card == b->card && a->layout == b->layout && a->gpus == b->gpus;
}

static double run_kernel(int kind, const struct point *a, const struct point *b)
{
	double s = 0;
	switch (kind) {
	case R_CARD: return a->card == b->card;
	case R_RUN: return same_run(a, b);
	case R_FEATURE:
		for (int i = 0; i < TRANSFER_NFEATURE; i++)
			s += a->f[i] * b->f[i];
		return s;
	case R_GPUS: return a->log_gpus * b->log_gpus;
	case R_SAME_GPUS: return a->gpus == b->gpus;
	case R_CARD_GPUS: return a->card == b->card ? a->log_gpus * b->log_gpus : 0;
	case R_LAYOUT: return a->layout == b->layout;
	default: return 1;
	}
}

static double work_kernel(int kind, const struct point *a, const struct point *b)
{
	switch (kind) {
	case C_LEVEL: return a->level == b->level;
	case C_FAMILY: return a->family == b->family;
	case C_SHAPE: return a->shape == b->shape;
	case C_BATCH: return a->batch * b->batch;
	case C_FAMILY_BATCH: return a->family == b->family ? a->batch * b->batch : 0;
	case C_GPUS: return a->log_work_gpus * b->log_work_gpus;
	case C_SAME_GPUS: return a->log_work_gpus == b->log_work_gpus;
	case C_FAMILY_GPUS: return a->family == b->family ? a->log_work_gpus * b->log_work_gpus : 0;
	case C_FAMILY_SAME_GPUS: return a->family == b->family && a->log_work_gpus == b->log_work_gpus;
	default: return 1;
	}
}

static double term_kernel(const struct term *t, const struct point *a, const struct point *b)
{
	double r = run_kernel(t->run, a, b);
	return r != 0 ? r * work_kernel(t->work, a, b) : 0;
}

static double kernel(const struct transfer *t, const struct point *a, const struct point *b)
{
	double s = 0, scale = t->spread[a->family] * t->spread[b->family];
	for (size_t q = 0; q < NTERM; q++)
		if (t->v[q] > 0)
			s += (terms[q].fixed > 0 ? 1 : scale) * t->v[q] * term_kernel(&terms[q], a, b);
	return s;
}

/* ---- linear algebra: Cholesky, forward and back substitution ------------------------------------------------------------------------ */

static double dot(const double *a, const double *b, size_t n)
{
	double s[8] = { 0 };
	size_t i = 0;
	for (; i + 8 <= n; i += 8)
		for (int k = 0; k < 8; k++)
			s[k] += a[i + (size_t)k] * b[i + (size_t)k];
	for (; i < n; i++)
		s[0] += a[i] * b[i];
	return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

static bool cholesky(double *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j <= i; j++) {
			double s = a[i * n + j] - dot(a + i * n, a + j * n, j);
			if (i == j && !(s > 0))
				return false;
			a[i * n + j] = i == j ? sqrt(s) : s / a[j * n + j];
		}
	return true;
}

static void forward(const double *l, size_t n, double *x)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (x[i] - dot(l + i * n, x, i)) / l[i * n + i];
}

static void backward(const double *l, size_t n, double *x)
{
	for (size_t i = n; i-- > 0;) {
		x[i] /= l[i * n + i];
		for (size_t j = 0; j < i; j++)
			x[j] -= l[i * n + j] * x[i];
	}
}

/* ---- learning the variances --------------------------------------------------------------------------------------------------------- */

struct learn {
	struct transfer *t;
	double *fixed, *sum, *a; /* [n*n] fixed terms; learned terms at their variances; scratch */
	double *m[NTERM];	 /* [n*n] of the learned terms, or NULL: not in use */
	double *x;		 /* [n] */
	int family[MAX_ID], nfamily; /* families in the table whose spread is learned */
	double best;
};

/* log likelihood of the table with term q changed by dv; less the prior of the spreads. */
static double likelihood(struct learn *l, int q, double dv)
{
	const struct transfer *t = l->t;
	size_t n = t->n;
	double s = 0;
	for (size_t i = 0; i < n; i++) {
		double si = t->spread[t->p[i].family], *a = l->a + i * n;
		const double *sum = l->sum + i * n, *m = q >= 0 ? l->m[q] + i * n : NULL, *fixed = l->fixed + i * n;
		for (size_t j = 0; j <= i; j++)
			a[j] = fixed[j] + si * t->spread[t->p[j].family] * (sum[j] + (m ? dv * m[j] : 0));
		a[i] += t->noise * si * si / t->p[i].n + 1e-9;
		l->x[i] = t->p[i].y - t->mean;
	}
	if (!cholesky(l->a, n))
		return -INFINITY;
	forward(l->a, n, l->x);
	for (size_t i = 0; i < n; i++)
		s -= .5 * l->x[i] * l->x[i] + log(l->a[i * n + i]);
	for (int i = 0; i < l->nfamily; i++) {
		double z = log(t->spread[l->family[i]]) / SIGMA_SPREAD;
		s -= .5 * z * z;
	}
	return s;
}

static int grid_index(const double *g, int n, double v)
{
	int i = 0;
	while (i + 1 < n && g[i] < v * .999)
		i++;
	return i;
}

/* Try value i of the grid for a parameter: a term's variance (q >= 0), or *v. Keeps it when better. */
static bool try_value(struct learn *l, int q, double *v, double value)
{
	double old = *v, s;
	if (q < 0)
		*v = value;
	s = likelihood(l, q, value - old);
	if (s > l->best + 1e-9) {
		l->best = s;
		if (q >= 0) {
			*v = value;
			for (size_t i = 0; i < l->t->n * l->t->n; i++)
				l->sum[i] += (value - old) * l->m[q][i];
		}
		return true;
	}
	*v = old;
	return false;
}

/* Walk a parameter up or down its grid while that helps; nothing at all is tried too. */
static bool climb(struct learn *l, int q, double *v, const double *g, int from, int n)
{
	bool moved = false;
	for (int dir = -1; dir <= 1; dir += 2)
		for (int i = grid_index(g, n, *v) + dir; i >= from && i < n && try_value(l, q, v, g[i]); i += dir)
			moved = true;
	if (q >= 0 && *v > 0 && try_value(l, q, v, 0))
		moved = true;
	return moved;
}

static bool same_matrix(const double *a, const double *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j <= i; j++)
			if (fabs(a[i * n + j] - b[i * n + j]) > 1e-12)
				return false;
	return true;
}

static void fill_term(const struct transfer *t, size_t q, double *m)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t j = 0; j <= i; j++)
			m[i * t->n + j] = term_kernel(&terms[q], &t->p[i], &t->p[j]);
}

/* A term that is nothing in this table, or the same as an earlier one, has nothing to learn. */
static void choose_terms(struct learn *l)
{
	struct transfer *t = l->t;
	size_t nn = t->n * t->n;
	double *zero = xcalloc(nn + 1, sizeof *zero), *m[NTERM] = { 0 };
	for (size_t q = 0; q < NTERM; q++) {
		m[q] = xcalloc(nn + 1, sizeof *m[q]);
		fill_term(t, q, m[q]);
		t->v[q] = terms[q].fixed;
		for (size_t i = 0; i < nn && terms[q].fixed > 0; i++)
			l->fixed[i] += terms[q].fixed * m[q][i];
		bool known = terms[q].fixed > 0 || same_matrix(m[q], zero, t->n);
		for (size_t k = 0; k < q && !known; k++)
			known = m[k] && same_matrix(m[q], m[k], t->n);
		if (known)
			continue;
		l->m[q] = m[q];
		t->v[q] = grid[GRID_START];
		for (size_t i = 0; i < nn; i++)
			l->sum[i] += t->v[q] * m[q][i];
	}
	for (size_t q = 0; q < NTERM; q++)
		if (!l->m[q])
			free(m[q]);
	free(zero);
}

static void choose_spreads(struct learn *l)
{
	const struct transfer *t = l->t;
	bool seen[MAX_ID] = { false };
	size_t cards = 0;
	for (size_t c = 0; c < t->ncard; c++)
		for (size_t i = 0; i < t->n; i++)
			if (t->p[i].card == (int)c) {
				cards++;
				break;
			}
	for (size_t i = 0; i < t->n && cards >= MIN_CARDS_SPREAD; i++)
		if (!seen[t->p[i].family]) {
			seen[t->p[i].family] = true;
			l->family[l->nfamily++] = t->p[i].family;
		}
}

static void learn_variances(struct transfer *t)
{
	size_t nn = t->n * t->n + 1;
	struct learn *l = xcalloc(1, sizeof *l);
	l->t = t;
	l->fixed = xcalloc(nn, sizeof *l->fixed);
	l->sum = xcalloc(nn, sizeof *l->sum);
	l->a = xcalloc(nn, sizeof *l->a);
	l->x = xcalloc(t->n + 1, sizeof *l->x);
	t->noise = .003; /* 5 % from run to run; learned too */
	choose_terms(l);
	choose_spreads(l);
	l->best = likelihood(l, -1, 0);
	bool moved = true;
	for (int sweep = 0; sweep < SWEEPS && moved && t->n > 2; sweep++) {
		moved = false;
		for (int q = 0; q < (int)NTERM; q++)
			if (l->m[q])
				moved |= climb(l, q, &t->v[q], grid, 1, NGRID);
		moved |= climb(l, -1, &t->noise, grid, 1, NGRID);
		for (int i = 0; i < l->nfamily; i++)
			moved |= climb(l, -1, &t->spread[l->family[i]], spread_grid, 0, NSPREAD);
	}
	l->best = likelihood(l, -1, 0); /* leaves the factor of what was chosen */
	t->chol = l->a;
	t->alpha = l->x;
	for (size_t q = 0; q < NTERM; q++)
		free(l->m[q]);
	free(l->fixed);
	free(l->sum);
	free(l);
}

/* ---- the table ---------------------------------------------------------------------------------------------------------------------- */

static int check_cell(const struct transfer_cell *c, size_t ncard, bool with_speed, struct err *err)
{
	const struct transfer_work *w = &c->work;
	if (c->run.card < 0 || (size_t)c->run.card >= ncard)
		return err_set(err, -EINVAL, "a measured speed names card %d of %zu", c->run.card, ncard);
	if (w->level < 0 || w->level >= MAX_ID || w->shape < 0 || w->shape >= MAX_ID || w->family < 0 || w->family >= MAX_ID)
		return err_set(err, -EINVAL, "too many different works in one table of speeds");
	if (with_speed && !(c->speed > 1e-30 && c->speed < 1e30))
		return err_set(err, -EINVAL, "a measured speed must be above 0 and finite");
	if (!(w->batch > 0 && w->batch < 1e12) || !(w->gpus > 0 && w->gpus < 1e6) || !(c->run.gpus > 0 && c->run.gpus < 1e6))
		return err_set(err, -EINVAL, "batch size and GPUs of a measured speed must be above 0");
	return 0;
}

static struct point point_of(const struct transfer *t, const struct transfer_cell *c, bool with_speed)
{
	struct point p = { .card = c->run.card, .layout = c->run.layout, .level = c->work.level, .shape = c->work.shape, .family = c->work.family,
			   .gpus = c->run.gpus, .log_gpus = log(c->run.gpus), .log_work_gpus = log(c->work.gpus), .n = 1 };
	p.batch = isnan(t->batch_mean[p.family]) ? 0 : log(c->work.batch) - t->batch_mean[p.family];
	for (int k = 0; k < TRANSFER_NFEATURE; k++) {
		p.f[k] = t->feature[p.card][k];
		p.expected += PRIOR_EXPONENT * p.f[k];
	}
	p.y = with_speed ? log(c->speed / c->run.gpus) - p.expected : NAN;
	return p;
}

/* Logarithms against the mean of the table's cards (all cards, where there is no table); an unknown value is that mean. */
static void set_features(struct transfer *t, const struct transfer_card *card, size_t ncell, const struct transfer_cell *cell)
{
	bool *used = xcalloc(t->ncard + 1, sizeof *used);
	for (size_t i = 0; i < ncell; i++)
		used[cell[i].run.card] = true;
	for (int k = 0; k < TRANSFER_NFEATURE; k++) {
		double sum = 0, n = 0;
		for (size_t c = 0; c < t->ncard; c++) {
			double v = k ? card[c].bandwidth_gb_s : card[c].peak_tflops;
			t->feature[c][k] = v > 0 && isfinite(v) ? log(v) : NAN;
			if (!isnan(t->feature[c][k]) && (used[c] || !ncell))
				sum += t->feature[c][k], n++;
		}
		for (size_t c = 0; c < t->ncard; c++)
			t->feature[c][k] = isnan(t->feature[c][k]) || n == 0 ? 0 : t->feature[c][k] - sum / n;
	}
	free(used);
}

static void set_batch_means(struct transfer *t, size_t ncell, const struct transfer_cell *cell)
{
	double *n = xcalloc(MAX_ID, sizeof *n);
	memset(t->batch_mean, 0, sizeof t->batch_mean);
	for (size_t i = 0; i < ncell; i++) {
		t->batch_mean[cell[i].work.family] += log(cell[i].work.batch);
		n[cell[i].work.family]++;
	}
	for (int f = 0; f < MAX_ID; f++)
		t->batch_mean[f] = n[f] > 0 ? t->batch_mean[f] / n[f] : NAN;
	free(n);
}

static int point_cmp(const void *va, const void *vb)
{
	const struct point *a = va, *b = vb;
	const double da[] = { a->card, a->layout, a->gpus, a->level, a->shape, a->batch, a->log_work_gpus };
	const double db[] = { b->card, b->layout, b->gpus, b->level, b->shape, b->batch, b->log_work_gpus };
	for (size_t i = 0; i < sizeof da / sizeof *da; i++)
		if (da[i] != db[i])
			return da[i] < db[i] ? -1 : 1;
	return a->y < b->y ? -1 : a->y > b->y;
}

static bool same_cell(const struct point *a, const struct point *b)
{
	return same_run(a, b) && a->level == b->level && a->shape == b->shape && a->batch == b->batch && a->log_work_gpus == b->log_work_gpus;
}

/* Average equal cells. Many systems with one card say little more than two: what they share is not noise. */
static void merge_points(struct transfer *t, size_t n)
{
	if (n)
		qsort(t->p, n, sizeof *t->p, point_cmp);
	t->n = 0;
	for (size_t i = 0; i < n;) {
		size_t j = i;
		double sum = 0;
		for (; j < n && same_cell(&t->p[i], &t->p[j]); j++)
			sum += t->p[j].y;
		t->p[t->n] = t->p[i];
		t->p[t->n].y = sum / (double)(j - i);
		t->p[t->n++].n = j - i > 1 ? 2 : 1;
		i = j;
	}
}

int transfer_fit(size_t ncard, const struct transfer_card *card, size_t ncell, const struct transfer_cell *cell, struct transfer **ret, struct err *err)
{
	for (size_t i = 0; i < ncell; i++) {
		int r = check_cell(&cell[i], ncard, true, err);
		if (r < 0)
			return r;
	}
	struct transfer *t = xcalloc(1, sizeof *t);
	t->ncard = ncard;
	t->feature = xcalloc(ncard + 1, sizeof *t->feature);
	t->p = xcalloc(ncell + 1, sizeof *t->p);
	for (int f = 0; f < MAX_ID; f++)
		t->spread[f] = 1;
	set_features(t, card, ncell, cell);
	set_batch_means(t, ncell, cell);
	for (size_t i = 0; i < ncell; i++)
		t->p[i] = point_of(t, &cell[i], true);
	merge_points(t, ncell);
	if (t->n > TRANSFER_MAX_CELLS) {
		transfer_free(t);
		return err_set(err, -E2BIG, "a table of more than %d different measured speeds", TRANSFER_MAX_CELLS);
	}
	for (size_t i = 0; i < t->n; i++)
		t->mean += t->p[i].y / (double)t->n;
	learn_variances(t);
	*ret = t;
	return 0;
}

void transfer_free(struct transfer *t)
{
	if (!t)
		return;
	free(t->feature);
	free(t->p);
	free(t->chol);
	free(t->alpha);
	free(t);
}

/* ---- prediction --------------------------------------------------------------------------------------------------------------------- */

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
			wa[i] = kernel(t, &p[a], &t->p[i]);
		forward(t->chol, t->n, wa);
		j->mean[a] = t->mean + p[a].expected + dot(wa, t->alpha, t->n);
		for (size_t b = 0; b <= a; b++) {
			double s = kernel(t, &p[a], &p[b]) - dot(wa, w + b * t->n, t->n);
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
	if (!cholesky(h->l, n))
		return false;
	forward(h->l, n, h->x);
	for (size_t a = 0; a < n; a++)
		h->log_weight -= .5 * h->x[a] * h->x[a] + log(h->l[a * n + a]);
	backward(h->l, n, h->x);
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
		forward(h[z].l, own->n, scratch);
		double var = u[k] - dot(scratch, scratch, own->n);
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
		int r = check_cell(&cell[i], t->ncard, false, err);
		if (r < 0)
			return r;
	}
	struct transfer_joint *j = xcalloc(1, sizeof *j);
	j->n = n;
	j->p = xcalloc(n + 1, sizeof *j->p);
	j->mean = xcalloc(n + 1, sizeof *j->mean);
	j->cov = xcalloc(n * n + 1, sizeof *j->cov);
	for (size_t i = 0; i < n; i++)
		j->p[i] = point_of(t, &cell[i], false);
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
