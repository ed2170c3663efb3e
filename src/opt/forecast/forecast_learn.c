/*
 * See forecast_learn.h. At origin o, over the origins q before it:
 *
 *   loss_c = sum_q w(q) err_c(q) / sum_q w(q)
 *   w(q)  = d^(o - q), d: half-life of four weeks, where q's horizon has ended by o; else, for the
 *           origins of the last week, the share of it that is over
 *   err   mean absolute error over the horizon, or over what of it is known by o
 *   a method's forecast is that of its parameters with the least loss
 *   weight_m = prior_m (least loss / loss_m)^6, 0 below a fiftieth of the largest
 *   prior = 1, but of *held* 1 + 1000 r^16 s, r: share of the hours of four weeks that were as the
 *           hour before
 *   s     = 1; at an origin soon after a change (LEVEL_HOURS) (least loss / held's loss)^min(2 n, 6)
 *           over the n origins of that kind so far, by the same w
 *   answer(i) = half the weighted median and half the weighted mean over the methods
 *
 * The median keeps a method that is far off from moving the answer, the mean uses what the others
 * know: each alone is worse on some series. Where levels hold for days, all methods are right in
 * between and losses say nothing of the hours after a change; the prior does, as far as what came
 * after the changes before does not say otherwise (a gap of two hours every week). Constants are
 * round numbers from the middle of flat regions: docs/ALGORITHMS.md.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "base/mem.h"
#include "base/num.h"
#include "opt/forecast/forecast_learn.h"

#define HALF_LIFE_H  672.0
#define WEIGHT_POWER 6
#define WEIGHT_LEAST 0.02
#define PRIOR_HELD   1000.0
#define PRIOR_POWER  16
#define FOUR_WEEKS   672
#define LEVEL_HOURS  6   /* so long after a change an origin is soon after it */
#define PART_HOURS   168 /* so old may an unfinished origin be that is learnt from */

/* Discounted mean of errors. */
struct loss {
	double sum, weight;
};
struct losses {
	struct loss *col;                /* [ncol] */
	struct loss method[FC_METHODS];  /* with the parameters picked at each origin */
	struct loss changed[FC_METHODS]; /* of these, at the origins soon after a change */
};

/* Columns: the candidates, then the median of methods. */
struct learner {
	struct learn_opt o;
	struct bank *bank;
	size_t ncand, ncol;
	size_t seen;       /* origins judged */
	size_t over;       /* of them, taken into the losses as a whole */
	double *err;       /* [count][ncol] NAN: no hour known */
	double *part;      /* [count][ncol] sums of absolute errors of the hours known so far */
	uint16_t *part_to; /* [count] leads of part summed up, known or not */
	uint16_t *part_n;  /* [count] of them known */
	uint8_t *pick;     /* [count][FC_METHODS] column of each method */
	struct losses ended, loss; /* without and with the unfinished origins */
	double *fc;                /* [ncol][horizon] of the origin looked at last */
	double *kept; /* [ring][ncol][nkept] first hours of the latest origins' forecasts */
	size_t ring, nkept;
	size_t now_pick[FC_METHODS];
	double weight[FC_METHODS];
	double *answer;    /* [horizon] */
	double *mean;      /* [ncol] scratch */
	uint32_t *repeats; /* [n + 1] hours so far that were as the hour before */
};

struct learner *learner_new(const struct learn_opt *o)
{
	struct learner *l = xcalloc(1, sizeof *l);
	l->o = *o;
	l->bank = bank_new(o->n, o->filled, o->start, o->horizon);
	l->ncand = bank_count(l->bank);
	l->ncol = l->ncand + 1;
	l->ring = PART_HOURS / o->step + 2;
	l->err = xmalloc(o->count * l->ncol * sizeof *l->err);
	l->part = xcalloc(o->count * l->ncol, sizeof *l->part);
	l->part_to = xcalloc(o->count, sizeof *l->part_to);
	l->part_n = xcalloc(o->count, sizeof *l->part_n);
	l->pick = xcalloc(o->count, FC_METHODS * sizeof *l->pick);
	l->ended.col = xcalloc(l->ncol, sizeof *l->ended.col);
	l->loss.col = xcalloc(l->ncol, sizeof *l->loss.col);
	/* an origin that has ended by the next one is never seen in part */
	l->nkept = o->horizon > o->step ? o->horizon : 0;
	l->nkept = min_size(l->nkept, PART_HOURS);
	l->fc = xmalloc(l->ncol * o->horizon * sizeof *l->fc);
	l->kept = xcalloc(l->ring * l->ncol * l->nkept + 1, sizeof *l->kept);
	l->mean = xmalloc(l->ncol * sizeof *l->mean);
	l->answer = xmalloc(o->horizon * sizeof *l->answer);
	l->repeats = xcalloc(o->n + 1, sizeof *l->repeats);
	for (size_t i = 1; i < o->n; i++)
		l->repeats[i + 1] = l->repeats[i] + (o->filled[i] == o->filled[i - 1]);
	return l;
}

void learner_free(struct learner *l)
{
	bank_free(l->bank);
	free(l->err);
	free(l->part);
	free(l->part_to);
	free(l->part_n);
	free(l->pick);
	free(l->ended.col);
	free(l->loss.col);
	free(l->fc);
	free(l->kept);
	free(l->mean);
	free(l->answer);
	free(l->repeats);
	free(l);
}

const double *learner_answer(const struct learner *l)
{
	return l->answer;
}

const double *learner_weights(const struct learner *l)
{
	return l->weight;
}

static double *learner_column(const struct learner *l, size_t col)
{
	return l->fc + col * l->o.horizon;
}

static const double *method_forecast(const struct learner *l, int m)
{
	return learner_column(l, l->now_pick[m]);
}

/* The first hours of the k-th origin's forecast, kept for a week. */
static double *kept_forecast(const struct learner *l, size_t k, size_t col)
{
	return l->kept + (k % l->ring * l->ncol + col) * l->nkept;
}

/* ---- losses ------------------------------------------------------------------------------ */

static void loss_add(struct loss *l, double err, double weight)
{
	if (!isnan(err)) {
		l->sum += err * weight;
		l->weight += weight;
	}
}

static double loss_of(const struct loss *l)
{
	if (l->weight > 0)
		return l->sum / l->weight;
	return 0;
}

static void fade_all(struct loss *l, size_t n, double by)
{
	for (size_t i = 0; i < n; i++) {
		l[i].sum *= by;
		l[i].weight *= by;
	}
}

/* Was one of the hours before it not as the hour before? */
static bool is_soon_after_change(const struct learner *l, size_t origin)
{
	if (origin < l->o.start + LEVEL_HOURS + 1)
		return false;
	return l->repeats[origin] - l->repeats[origin - LEVEL_HOURS] < LEVEL_HOURS;
}

/* Errors of the k-th origin, whole or in part. */
static void take_errors(const struct learner *l, size_t k, const double *err, double weight,
			struct losses *to)
{
	bool changed = is_soon_after_change(l, l->o.first + k * l->o.step);

	for (size_t c = 0; c < l->ncol; c++)
		loss_add(&to->col[c], err[c], weight);
	for (int m = 0; m < FC_METHODS; m++) {
		double e = err[l->pick[k * FC_METHODS + (size_t)m]];
		loss_add(&to->method[m], e, weight);
		if (changed)
			loss_add(&to->changed[m], e, weight);
	}
}

static void learn_until(struct learner *l, size_t origin)
{
	for (; l->over < l->seen && l->o.first + l->over * l->o.step + l->o.horizon <= origin;
	     l->over++) {
		double fade = exp2(-(double)l->o.step / HALF_LIFE_H);
		fade_all(l->ended.col, l->ncol, fade);
		fade_all(l->ended.method, FC_METHODS, fade);
		fade_all(l->ended.changed, FC_METHODS, fade);
		take_errors(l, l->over, l->err + l->over * l->ncol, 1, &l->ended);
	}
	memcpy(l->loss.col, l->ended.col, l->ncol * sizeof *l->loss.col);
	memcpy(l->loss.method, l->ended.method, sizeof l->loss.method);
	memcpy(l->loss.changed, l->ended.changed, sizeof l->loss.changed);
	for (size_t k = l->over; k < l->seen; k++) {
		if (l->o.first + k * l->o.step + PART_HOURS < origin)
			continue;

		/* The hours of this origin that have become known, as far as they are kept. */
		size_t at = l->o.first + k * l->o.step, to = origin - at;
		to = min_size(to, l->nkept);
		for (size_t i = l->part_to[k]; i < to; i++) {
			double y = l->o.y[at + i];
			if (isnan(y))
				continue;
			l->part_n[k]++;
			for (size_t c = 0; c < l->ncol; c++)
				l->part[k * l->ncol + c] += fabs(y - kept_forecast(l, k, c)[i]);
		}
		l->part_to[k] = (uint16_t)to;
		if (!l->part_n[k])
			continue;
		double weight = (double)l->part_to[k] / (double)l->o.horizon;
		for (size_t c = 0; c < l->ncol; c++)
			l->mean[c] = l->part[k * l->ncol + c] / l->part_n[k];
		take_errors(l, k, l->mean, weight, &l->loss);
	}
}

/* What is left of held's prior: 1, or what the origins soon after earlier changes say. */
static double prior_left(const struct learner *l, size_t origin)
{
	const struct loss *held = &l->loss.changed[FC_HELD];
	double least = INFINITY, loss = loss_of(held);

	if (!is_soon_after_change(l, origin) || !(loss > 0))
		return 1;
	for (int m = 0; m < FC_METHODS; m++)
		least = fmin(least, loss_of(&l->loss.changed[m]));
	return pow(least / loss, fmin(2 * held->weight, WEIGHT_POWER));
}

/* ---- the answer -------------------------------------------------------------------------- */

void learner_look(struct learner *l, size_t origin)
{
	learn_until(l, origin);
	bank_feed(l->bank, origin);
	for (int m = 0; m < FC_METHODS; m++)
		l->now_pick[m] = SIZE_MAX;
	l->now_pick[FC_MEDIAN] = l->ncand;
	for (size_t c = 0; c < l->ncand; c++) {
		size_t *p = &l->now_pick[bank_method(l->bank, c)];
		bank_forecast(l->bank, c, learner_column(l, c));
		if (*p == SIZE_MAX || loss_of(&l->loss.col[c]) < loss_of(&l->loss.col[*p]))
			*p = c;
	}

	double *out = learner_column(l, l->ncand), v[FC_METHODS];
	for (size_t i = 0; i < l->o.horizon; i++) {
		int n = 0;
		for (int m = FC_SEASON_DAY; m <= FC_THETA; m++) {
			double x = method_forecast(l, m)[i];
			int k = n++;
			for (; k > 0 && v[k - 1] > x; k--)
				v[k] = v[k - 1];
			v[k] = x;
		}
		out[i] = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
	}

	double least = INFINITY, most = 0, sum = 0;
	for (int m = 0; m < FC_METHODS; m++)
		least = fmin(least, loss_of(&l->loss.method[m]));
	for (int m = 0; m < FC_METHODS; m++) {
		double loss = loss_of(&l->loss.method[m]);
		l->weight[m] = loss > least ? pow(least / loss, WEIGHT_POWER) : 1;
	}

	/* Share of the last four weeks' hours that were as the hour before. */
	size_t from = origin > l->o.start + FOUR_WEEKS ? origin - FOUR_WEEKS : l->o.start + 1;
	double same = (double)(l->repeats[origin] - l->repeats[from]) / (double)(origin - from);
	l->weight[FC_HELD] *= 1 + PRIOR_HELD * pow(same, PRIOR_POWER) * prior_left(l, origin);

	for (int m = 0; m < FC_METHODS; m++)
		most = fmax(most, l->weight[m]);
	for (int m = 0; m < FC_METHODS; m++) {
		if (l->weight[m] < WEIGHT_LEAST * most)
			l->weight[m] = 0;
		sum += l->weight[m];
	}
	for (int m = 0; m < FC_METHODS; m++)
		l->weight[m] /= sum;
	/* The weighted median of each hour. */
	for (size_t i = 0; i < l->o.horizon; i++) {
		double voice[FC_METHODS], w[FC_METHODS], mean = 0;
		int n = 0;
		for (int m = 0; m < FC_METHODS; m++) {
			if (!(l->weight[m] > 0))
				continue;
			double x = method_forecast(l, m)[i];
			int k = n++;
			for (; k > 0 && voice[k - 1] > x; k--) {
				voice[k] = voice[k - 1];
				w[k] = w[k - 1];
			}
			voice[k] = x;
			w[k] = l->weight[m];
			mean += x * l->weight[m];
		}
		int k = 0;
		double below = w[0];
		while (k < n - 1 && below < 0.5)
			below += w[++k];
		/* one voice is taken as it is: its weight may be 1 but for a rounding */
		l->answer[i] = n == 1 ? voice[0] : (voice[k] + mean) / 2;
	}
}

static double mean_error(const struct learner *l, size_t origin, const double *f)
{
	double s = 0;
	size_t known = 0;
	for (size_t i = 0; i < l->o.horizon && origin + i < l->o.n; i++) {
		double d = fabs(l->o.y[origin + i] - f[i]);
		if (!isnan(d)) {
			s += d;
			known++;
		}
	}
	if (known)
		return s / (double)known;
	return NAN;
}

void learner_judge(struct learner *l, size_t k, double *ret_err)
{
	double *err = l->err + k * l->ncol;
	for (size_t c = 0; c < l->ncol; c++)
		err[c] = mean_error(l, l->o.first + k * l->o.step, learner_column(l, c));
	for (int m = 0; m < FC_METHODS; m++) {
		l->pick[k * FC_METHODS + (size_t)m] = (uint8_t)l->now_pick[m];
		if (ret_err)
			ret_err[m] = err[l->now_pick[m]];
	}
	for (size_t c = 0; c < l->ncol && l->nkept; c++)
		memcpy(kept_forecast(l, k, c), learner_column(l, c), l->nkept * sizeof *l->kept);
	l->seen = k + 1;
}
