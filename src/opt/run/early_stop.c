#include "opt/run/early_stop.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/random.h"
#include "base/sort.h"

static double value_at(const struct early_run *r, size_t i)
{
	if (r->higher)
		return -r->v[i];
	return r->v[i];
}

/* The rule's state behind evaluation i. */
struct wait {
	double best;
	size_t since;
};

static void look_at_value(const struct early_run *r, size_t i, double delta_frac, struct wait *w)
{
	double v = value_at(r, i);

	if (i == 0 || v < w->best - delta_frac * fabs(w->best))
		*w = (struct wait){ v, 0 };
	else
		w->since++;
}

size_t early_stop_at(const struct early_run *r, size_t patience, double delta_frac)
{
	struct wait w = { 0 };

	for (size_t i = 0; i < r->n; i++) {
		look_at_value(r, i, delta_frac, &w);
		if (w.since >= patience)
			return i;
	}
	return r->n;
}

static double least_until(const struct early_run *r, size_t n)
{
	double least = value_at(r, 0);

	for (size_t i = 1; i < n; i++)
		least = fmin(least, value_at(r, i));
	return least;
}

double early_lost_frac(const struct early_run *r, size_t at)
{
	double least = least_until(r, r->n), gain = value_at(r, 0) - least;

	if (at >= r->n || !(gain > 0))
		return 0;
	return (least_until(r, at + 1) - least) / gain;
}

double early_saved_frac(const struct early_run *r, size_t at)
{
	double all = (double)(r->end_ms - r->start_ms), left;

	if (at >= r->n)
		return 0;
	if (r->t_ms)
		left = (double)(r->end_ms - r->t_ms[at]);
	else
		left = all * (double)(r->n - 1 - at) / (double)r->n;
	return fmin(fmax(left / all, 0), 1);
}

size_t early_need(const struct early_run *r, double delta_frac, double lost_frac)
{
	double first = value_at(r, 0), least = least_until(r, r->n),
	       enough = least + lost_frac * (first - least), so_far = first;
	struct wait w = { 0 };
	size_t most = 0;

	for (size_t i = 0; i < r->n; i++) {
		so_far = fmin(so_far, value_at(r, i));
		if (so_far <= enough)
			break;
		look_at_value(r, i, delta_frac, &w);
		most = max_size(w.since, most);
	}
	return most + 1;
}

/* ---- a group ----------------------------------------------------------------------------- */

/* What each run saves and loses at each patience that a run may ask for. */
struct grid {
	size_t n, np;
	size_t *need;         /* [n] */
	size_t *patience;     /* [np] rising, each once */
	double *saved, *lost; /* [np][n] */
};

struct unseen {
	double *frac; /* [draws] */
	size_t nfrac, nlost;
	double lost, worst;
};

static double quantile_sorted(const double *sorted, size_t n, double q)
{
	if (!n)
		return 0;
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;

	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

void early_choose(size_t n, const struct early_run *run, const struct early_ask *ask,
		  struct early_stop *ret)
{
	struct grid g;
	size_t k;

	assert(n >= 2 && ask->draws > 0);
	g = (struct grid){ .n = n,
			   .need = xcalloc(n, sizeof *g.need),
			   .patience = xcalloc(n, sizeof *g.patience) };
	for (size_t i = 0; i < n; i++)
		g.need[i] = g.patience[i] = early_need(&run[i], ask->delta_frac, ask->lost_frac);
	sort_items(g.patience, n, sizeof *g.patience, rising_size);
	for (size_t i = 0; i < n; i++)
		if (!g.np || g.patience[i] != g.patience[g.np - 1])
			g.patience[g.np++] = g.patience[i];
	g.saved = xcalloc(g.np * n, sizeof *g.saved);
	g.lost = xcalloc(g.np * n, sizeof *g.lost);
	for (size_t j = 0; j < g.np; j++)
		for (size_t i = 0; i < n; i++) {
			size_t at = early_stop_at(&run[i], g.patience[j], ask->delta_frac);
			g.saved[j * n + i] = early_saved_frac(&run[i], at);
			g.lost[j * n + i] = early_lost_frac(&run[i], at);
		}
	k = g.np - 1;
	*ret = (struct early_stop){ .patience = g.patience[k] };
	for (size_t i = 0; i < n; i++) {
		double saved = g.saved[k * n + i];
		ret->stopped += saved > 0;
		ret->saved_cost += run[i].cost * saved;
		ret->worst_lost_frac = fmax(ret->worst_lost_frac, g.lost[k * n + i]);
	}

	struct unseen u = { .frac = xcalloc((size_t)ask->draws, sizeof *u.frac) };
	bool *in_bag = xcalloc(g.n, sizeof *in_bag);
	uint64_t state = random_mix(ask->seed);

	for (int d = 0; d < ask->draws; d++) {
		size_t need = 1;
		double cost = 0, saved = 0;
		for (size_t i = 0; i < g.n; i++)
			in_bag[i] = false;
		for (size_t i = 0; i < g.n; i++) {
			size_t pick = (size_t)(random_mix(state++) % g.n);
			in_bag[pick] = true;
			need = max_size(g.need[pick], need);
		}

		size_t j = 0;
		while (j + 1 < g.np && g.patience[j] < need)
			j++;
		for (size_t i = 0; i < g.n; i++) {
			if (in_bag[i])
				continue;
			cost += run[i].cost;
			saved += run[i].cost * g.saved[j * g.n + i];
			u.lost += g.lost[j * g.n + i];
			u.worst = fmax(u.worst, g.lost[j * g.n + i]);
			u.nlost++;
		}
		if (cost > 0)
			u.frac[u.nfrac++] = saved / cost;
	}
	sort_items(u.frac, u.nfrac, sizeof *u.frac, rising_double);
	ret->p05_frac = quantile_sorted(u.frac, u.nfrac, 0.05);
	ret->p50_frac = quantile_sorted(u.frac, u.nfrac, 0.50);
	ret->p95_frac = quantile_sorted(u.frac, u.nfrac, 0.95);
	ret->unseen_mean_lost_frac = u.nlost ? u.lost / (double)u.nlost : 0;
	ret->unseen_worst_lost_frac = u.worst;
	free(in_bag);
	free(u.frac);
	free(g.need);
	free(g.patience);
	free(g.saved);
	free(g.lost);
}
