/* The variances of the transfer model (transfer.c): those under which the table is most likely, by
 * coordinate ascent on a logarithmic grid. */
#include <math.h>
#include <stdlib.h>
#include "base/mem.h"
#include "opt/transfer/transfer_in.h"

/* from fewer GPUs, how erratic a family is cannot be told from chance; see transfer_term_few()
 * too */
#define MIN_GPUS_SPREAD 4
#define SIGMA_SPREAD    0.7 /* prior of log s_f */
#define SWEEPS          3

static const double grid[] = { 0, .0003, .001, .003, .01, .03, .1, .3 };
static const double spread_grid[] = { .25, .35, .5, .7, 1, 1.4, 2, 2.8, 4 };
#define NGRID        (int)(sizeof grid / sizeof *grid)
#define NSPREAD      (int)(sizeof spread_grid / sizeof *spread_grid)
#define GRID_START   4 /* 0.01 */
#define SPREAD_START 4 /* 1 */

struct learn {
	struct transfer *t;
	double *fixed, *sum, *a; /* [n*n] fixed terms; learned terms at their variances; scratch */
	double *m[TRANSFER_NTERM];   /* [n*n] of the learned terms, or NULL: not in use */
	double *x;                   /* [n] */
	int family[MAX_ID], nfamily; /* families in the table whose spread is learned */
	bool few;                    /* fewer GPUs than MIN_GPUS_SPREAD */
	double best;
};

/* log likelihood of the table with term q changed by dv; less the prior of the spreads. */
static double log_likelihood(struct learn *l, int q, double dv)
{
	const struct transfer *t = l->t;
	size_t n = t->n;
	double s = 0;
	for (size_t i = 0; i < n; i++) {
		double si = t->spread[t->p[i].family], *a = l->a + i * n;
		const double *sum = l->sum + i * n, *m = q >= 0 ? l->m[q] + i * n : NULL,
			     *fixed = l->fixed + i * n;
		for (size_t j = 0; j <= i; j++)
			a[j] = fixed[j] +
			       si * t->spread[t->p[j].family] * (sum[j] + (m ? dv * m[j] : 0));
		a[i] += t->noise * si * si / t->p[i].n + 1e-9;
		l->x[i] = transfer_target(t, &t->p[i]);
	}
	if (!linear_cholesky(l->a, n))
		return -INFINITY;
	linear_forward(l->a, n, l->x);
	for (size_t i = 0; i < n; i++)
		s -= .5 * l->x[i] * l->x[i] + log(l->a[i * n + i]);
	for (int i = 0; i < l->nfamily; i++) {
		double z = log(t->spread[l->family[i]]) / SIGMA_SPREAD;
		s -= .5 * z * z;
	}
	return s;
}

/* Try value i of the grid for a parameter: a term's variance (q >= 0), or *v. Keeps it when
 * better. */
static bool try_value(struct learn *l, int q, double *v, double value)
{
	double old = *v, s;
	if (q < 0)
		*v = value;
	s = log_likelihood(l, q, value - old);
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
static bool climb_grid(struct learn *l, int q, double *v, const double *g, int from, int n)
{
	bool moved = false;
	for (int dir = -1; dir <= 1; dir += 2) {
		int i = 0;
		while (i + 1 < n && g[i] < *v * .999)
			i++;
		for (i += dir; i >= from && i < n && try_value(l, q, v, g[i]); i += dir)
			moved = true;
	}
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

/* What few GPUs cannot tell apart is not learned from them. */
static bool is_held(const struct learn *l, size_t q)
{
	return l->few && transfer_term_few(q) > 0;
}

/* A term that is nothing in this table, or the same as an earlier one, has nothing to learn. */
static void choose_terms(struct learn *l, bool again)
{
	struct transfer *t = l->t;
	size_t nn = t->n * t->n;
	double *zero = xcalloc(nn + 1, sizeof *zero), *m[TRANSFER_NTERM] = { 0 };
	for (size_t q = 0; q < TRANSFER_NTERM; q++) {
		m[q] = xcalloc(nn + 1, sizeof *m[q]);
		for (size_t i = 0; i < t->n; i++)
			for (size_t j = 0; j <= i; j++)
				m[q][i * t->n + j] =
					transfer_term(q, &t->p[i], &t->p[j]) *
					transfer_weight(&t->p[i], transfer_term_exchange(q)) *
					transfer_weight(&t->p[j], transfer_term_exchange(q));
		double had = t->v[q];
		t->v[q] = transfer_term_fixed(q);
		for (size_t i = 0; i < nn && transfer_term_fixed(q) > 0; i++)
			l->fixed[i] += transfer_term_fixed(q) * m[q][i];
		bool known = transfer_term_fixed(q) > 0 || same_matrix(m[q], zero, t->n);
		for (size_t k = 0; k < q && !known; k++)
			known = m[k] && same_matrix(m[q], m[k], t->n);
		if (known)
			continue;
		l->m[q] = m[q];
		if (again)
			t->v[q] = had;
		else if (is_held(l, q))
			t->v[q] = transfer_term_few(q);
		else
			t->v[q] = grid[GRID_START];
		for (size_t i = 0; i < nn; i++)
			l->sum[i] += t->v[q] * m[q][i];
	}
	for (size_t q = 0; q < TRANSFER_NTERM; q++)
		if (!l->m[q])
			free(m[q]);
	free(zero);
}

void transfer_learn(struct transfer *t, bool again)
{
	size_t nn = t->n * t->n + 1;
	struct learn *l = xcalloc(1, sizeof *l);
	l->t = t;
	l->fixed = xcalloc(nn, sizeof *l->fixed);
	l->sum = xcalloc(nn, sizeof *l->sum);
	l->a = xcalloc(nn, sizeof *l->a);
	l->x = xcalloc(t->n + 1, sizeof *l->x);
	if (!again)
		t->noise = .003; /* 5 % from run to run; learned too */
	int gpus = 0;
	for (size_t c = 0; c < t->ngpu; c++)
		for (size_t i = 0; i < t->n; i++)
			if (t->p[i].gpu == (int)c) {
				gpus++;
				break;
			}
	l->few = gpus < MIN_GPUS_SPREAD;
	choose_terms(l, again);

	const struct transfer *transfer = l->t;
	bool seen[MAX_ID] = { false };
	for (size_t i = 0; i < transfer->n && !l->few; i++)
		if (!seen[transfer->p[i].family]) {
			seen[transfer->p[i].family] = true;
			l->family[l->nfamily++] = transfer->p[i].family;
		}
	l->best = log_likelihood(l, -1, 0);
	bool moved = true;
	for (int sweep = 0; sweep < SWEEPS && moved && t->n > 2; sweep++) {
		moved = false;
		for (int q = 0; q < (int)TRANSFER_NTERM; q++)
			if (l->m[q] && !is_held(l, (size_t)q))
				moved |= climb_grid(l, q, &t->v[q], grid, 1, NGRID);
		moved |= climb_grid(l, -1, &t->noise, grid, 1, NGRID);
		for (int i = 0; i < l->nfamily; i++)
			moved |= climb_grid(l, -1, &t->spread[l->family[i]], spread_grid, 0,
					    NSPREAD);
	}
	transfer_factor(t);
	for (size_t q = 0; q < TRANSFER_NTERM; q++)
		free(l->m[q]);
	free(l->fixed);
	free(l->sum);
	free(l->a);
	free(l->x);
	free(l);
}
