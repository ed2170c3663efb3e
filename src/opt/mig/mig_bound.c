/*
 * The packer's lower bound: patterns of each service, the linear programme over patterns and sets
 * of instances, prices. See mig_pack.c for the whole.
 *
 *   min  sum_c y_c
 *   s.t. sum_c n[c][t] y_c + spare_t >= sum_mp p[t] l[m][p]  for each type t
 *        sum_p l[m][p] = 1                                   for each service m
 *        y, l >= 0
 *
 * solved by the revised simplex method with an explicit inverse; columns are priced by looking at
 * all of them. Whatever rounding does to it, prices u that are clipped and scaled to u.n_c <= 1
 * give sum_m min_p u.p as a bound that holds.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/num.h"
#include "opt/mig/mig_in.h"

#define EPS          1e-9
#define MAX_PATTERNS 20000 /* of one service: 4 MiB, and a scan of 0.1 ms */

/* ---- patterns ---------------------------------------------------------------------------- */

/* Patterns over types t .. T-1; least: the smallest throughput among the instances taken. False
 * when there are too many. */
static bool list_patterns(struct mig_problem *k, size_t m, size_t t, struct mig_pattern *p,
			  double sum, double least)
{
	const struct mig_service *s = &k->service[m];
	double rate = k->rate[m] * (1 - 1e-12);
	if (sum >= rate) {
		if (sum - least >= rate)
			return true;
		if (k->pat[m].n == MAX_PATTERNS)
			return false;
		*vec_push(&k->pat[m]) = *p;
		return true;
	}
	if (t == k->T)
		return true;
	double thr = s->thr[t], most = 0;
	if (thr > 0)
		most = ceil((rate - sum) / thr);
	if (most > MIG_MAX_GPUS)
		return false;
	for (int c = 0; c <= (int)most; c++) {
		p->x[t] = c;
		if (!list_patterns(k, m, t + 1, p, sum + c * thr, c ? fmin(least, thr) : least))
			return false;
	}
	p->x[t] = 0;
	return true;
}

/* The set of instances on which a GPU serves most of this service. */
static size_t best_config(const struct mig_problem *k, size_t m, double *ret_thr)
{
	size_t best = 0;
	*ret_thr = 0;
	for (size_t c = 0; c < k->g->nconfig; c++) {
		double v = 0;
		for (size_t t = 0; t < k->T; t++)
			v += k->g->config[c].count[t] * k->service[m].thr[t];
		if (v > *ret_thr) {
			*ret_thr = v;
			best = c;
		}
	}
	return best;
}

static int take_off(struct mig_problem *k, size_t m, int gpus, struct err *err)
{
	double thr;
	const struct mig_config *f = &k->g->config[best_config(k, m, &thr)];
	if (k->bulk_gpus + gpus > MIG_MAX_GPUS)
		return err_set(err, -E2BIG,
			       "the services need more than %d GPUs: plan them in parts",
			       MIG_MAX_GPUS);
	for (int i = 0; i < gpus; i++, k->bulk_gpus++)
		for (size_t p = 0; p < f->nplace; p++)
			if (k->service[m].thr[f->place[p].type] > 0)
				*vec_push(&k->bulk) = (struct mig_instance){ k->bulk_gpus,
									     f->place[p].type,
									     f->place[p].start, m };
	k->rate[m] -= gpus * thr;
	return 0;
}

static int make_patterns(struct mig_problem *k, size_t m, struct err *err)
{
	struct mig_pattern p = { 0 };
	while (!list_patterns(k, m, 0, &p, 0, INFINITY)) {
		double thr, gpus;
		best_config(k, m, &thr);
		gpus = floor(k->rate[m] / thr / 2);
		vec_clear(&k->pat[m]);
		p = (struct mig_pattern){ 0 };
		if (gpus < 1)
			gpus = 1;
		int r = gpus > MIG_MAX_GPUS
				? err_set(err, -E2BIG,
					  "a service needs more than %d GPUs: plan it in parts",
					  MIG_MAX_GPUS)
				: take_off(k, m, (int)gpus, err);
		if (r < 0)
			return r;
		if (k->rate[m] < 0)
			k->rate[m] = 0;
	}
	return 0;
}

/* ---- bounds ------------------------------------------------------------------------------ */

double mig_value(const struct mig_problem *k, const double *u, const int *x)
{
	double v = 0;
	for (size_t t = 0; t < k->T; t++)
		v += u[t] * x[t];
	return v;
}

static double least_value(const struct mig_problem *k, size_t m, const double *u, size_t *ret)
{
	double best = INFINITY;
	for (size_t i = 0; i < k->pat[m].n; i++) {
		double v = mig_value(k, u, k->pat[m].v[i].x);
		if (v < best) {
			best = v;
			if (ret)
				*ret = i;
		}
	}
	if (k->pat[m].n)
		return best;
	return 0;
}

/* Clip and scale u so that no set costs more than 1, and keep it if its bound is better. */
static void try_prices(struct mig_problem *k, const double *from)
{
	double u[MIG_TYPES] = { 0 }, top = 0, bound = 0;
	for (size_t t = 0; t < k->T; t++)
		u[t] = max_double(from[t], 0);
	for (size_t c = 0; c < k->g->nconfig; c++)
		top = fmax(top, mig_value(k, u, k->g->config[c].count));
	for (size_t t = 0; t < k->T && top > 1; t++)
		u[t] /= top;
	for (size_t m = 0; m < k->n; m++)
		bound += least_value(k, m, u, NULL);

	/* GPUs that the rates need at prices u even if instances could be cut: valid for the rates
	 * as given. */
	double by_rates = 0;
	for (size_t m = 0; m < k->n; m++) {
		double best = INFINITY;
		for (size_t t = 0; t < k->T; t++)
			if (k->service[m].thr[t] > 0)
				best = fmin(best, u[t] / k->service[m].thr[t]);
		if (k->service[m].rate > 0)
			by_rates += best * k->service[m].rate;
	}
	k->rate_bound = fmax(k->rate_bound, by_rates);

	if (bound > k->bound) {
		k->bound = bound;
		memcpy(k->u, u, sizeof k->u);
	}
}

/* ---- the linear programme ---------------------------------------------------------------- */

enum { LP_ROWS = MIG_TYPES + MIG_SERVICES };
enum col_kind { COL_SLOT, COL_CONFIG, COL_SPARE, COL_PATTERN };
struct col {
	/* SLOT: a GPU with one instance of type a; SPARE: an instance of type a unused; PATTERN b
	 * of service a */
	enum col_kind kind;
	size_t a, b;
};
struct lp {
	size_t rows;
	double inv[LP_ROWS][LP_ROWS], x[LP_ROWS];
	struct col basis[LP_ROWS];
};

static void keep_better(struct col c, double d, struct col *best, double *least)
{
	if (d < *least) {
		*least = d;
		*best = c;
	}
}

static bool lp_step(const struct mig_problem *k, struct lp *l, double *pi)
{
	struct col in = { COL_SPARE, 0, 0 };
	double a[LP_ROWS], d[LP_ROWS], ratio = INFINITY;
	size_t out = l->rows;

	/* Prices of the basis. */
	for (size_t r = 0; r < l->rows; r++) {
		pi[r] = 0;
		for (size_t i = 0; i < l->rows; i++) {
			if (l->basis[i].kind == COL_SLOT || l->basis[i].kind == COL_CONFIG)
				pi[r] += l->inv[i][r];
		}
	}

	/* The column that enters: the one of the most negative reduced cost. */
	double least = -1e-8;
	for (size_t c = 0; c < k->g->nconfig; c++)
		keep_better((struct col){ COL_CONFIG, c, 0 },
			    1 - mig_value(k, pi, k->g->config[c].count), &in, &least);
	for (size_t t = 0; t < k->T; t++)
		keep_better((struct col){ COL_SPARE, t, 0 }, pi[t], &in, &least);
	for (size_t m = 0; m < k->n; m++) {
		size_t i = 0;
		double v = least_value(k, m, pi, &i);
		keep_better((struct col){ COL_PATTERN, m, i }, v - pi[k->T + m], &in, &least);
	}
	if (least >= -1e-8)
		return false;

	/* Its entries, and against the basis. */
	memset(a, 0, LP_ROWS * sizeof *a);
	for (size_t t = 0; t < k->T; t++) {
		if (in.kind == COL_CONFIG)
			a[t] = k->g->config[in.a].count[t];
		else if (in.kind == COL_PATTERN)
			a[t] = -k->pat[in.a].v[in.b].x[t];
		else if (t == in.a)
			a[t] = in.kind == COL_SLOT ? 1 : -1;
	}
	if (in.kind == COL_PATTERN)
		a[k->T + in.a] = 1;
	for (size_t r = 0; r < l->rows; r++) {
		d[r] = 0;
		for (size_t c = 0; c < l->rows; c++)
			d[r] += l->inv[r][c] * a[c];
	}

	/* The row that leaves. */
	for (size_t r = 0; r < l->rows; r++)
		if (d[r] > 1e-7 && l->x[r] / d[r] < ratio - 1e-12) {
			ratio = l->x[r] / d[r];
			out = r;
		}
	if (out == l->rows)
		return false;

	/* Pivot. */
	for (size_t c = 0; c < l->rows; c++)
		l->inv[out][c] /= d[out];
	l->x[out] /= d[out];
	for (size_t r = 0; r < l->rows; r++) {
		if (r == out || d[r] == 0)
			continue;
		for (size_t c = 0; c < l->rows; c++)
			l->inv[r][c] -= d[r] * l->inv[out][c];
		l->x[r] -= d[r] * l->x[out];
		if (l->x[r] < 0 && l->x[r] > -EPS)
			l->x[r] = 0;
	}
	l->basis[out] = in;
	return true;
}

/* ---- together ---------------------------------------------------------------------------- */

int mig_bound(struct mig_problem *k, struct err *err)
{
	for (size_t m = 0; m < k->n; m++) {
		k->rate[m] = k->service[m].rate;
		int r = make_patterns(k, m, err);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < k->g->npoint; i++)
		try_prices(k, k->g->point[i]);

	/* Prices do not have to be optimal to bound: so the number of steps is simply limited. */
	struct lp *l = xcalloc(1, sizeof *l);
	double pi[LP_ROWS];

	/* Start: each service on its first pattern, each of its instances on a GPU of its own. */
	l->rows = k->T + k->n;
	for (size_t i = 0; i < l->rows; i++) {
		l->inv[i][i] = 1;
		if (i < k->T)
			l->basis[i] = (struct col){ COL_SLOT, i, 0 };
		else
			l->basis[i] = (struct col){ COL_PATTERN, i - k->T, 0 };
		l->x[i] = i < k->T ? 0 : 1;
	}
	for (size_t m = 0; m < k->n; m++)
		for (size_t t = 0; t < k->T; t++) {
			l->inv[t][k->T + m] = k->pat[m].v[0].x[t];
			l->x[t] += k->pat[m].v[0].x[t];
		}

	for (int i = 0; i < 2000; i++) {
		bool more = lp_step(k, l, pi);
		if (!more || i % 50 == 49)
			try_prices(k, pi);
		if (!more)
			break;
	}
	free(l);

	for (size_t m = 0; m < k->n; m++) {
		double least = least_value(k, m, k->u, NULL);
		for (size_t i = 0; i < k->pat[m].n; i++)
			k->pat[m].v[i].cost = mig_value(k, k->u, k->pat[m].v[i].x) - least;
	}
	return 0;
}
