/*
 * See forecast.h; the answer at an origin is forecast_learn.c's. Here: which origins, their scores,
 * and
 *
 *   quantile(i) = answer(i) + quantile of the answer's own past residuals at like leads
 *
 * The origins of the week before the first are practice: they are forecast, judged and learnt from,
 * and counted nowhere.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/num.h"
#include "model/known.h"
#include "opt/forecast/forecast_learn.h"

#define PRACTICE_HOURS  168
#define DEFAULT_ORIGINS 60
/* the filters see this much before the first origin of a short back-test */
#define WARM_HOURS   1344
#define LEAD_BUCKETS 14
#define BUCKET_MIN   20 /* residuals below which no quantile is read */
#define POOL_MIN     5  /* origins below which there are none */

const double forecast_quantile[FORECAST_NQ] = { 0.05, 0.10, 0.50, 0.90, 0.95 };

const char *forecast_method_name(enum forecast_method m)
{
	static const char *const name[] = { "naive",
					    "seasonal_day",
					    "seasonal_week",
					    "mean_7d",
					    "ses",
					    "holt_winters_day",
					    "holt_winters_week",
					    "theta",
					    "held",
					    "revert",
					    "median" };
	return name[m];
}

struct run {
	size_t n, horizon, step, first, count; /* origins first, first + step, ... */
	size_t practice;                       /* the first so many are practice */
	size_t open;                           /* so many more, which have not ended */
	const double *y;                       /* with gaps */
	struct learner *learner;
	double *resid; /* [count][horizon] of the answer */
	double *pool;  /* residuals of the buckets, see pool_build() */
	size_t pool_at[LEAD_BUCKETS + 1];
};

/* Leads 1, 2, 3-4, 5-8, ...: like leads err alike. */
static int bucket_of(size_t lead)
{
	int b = 0;
	while (b < LEAD_BUCKETS - 1 && (size_t)1 << b < lead + 1)
		b++;
	return b;
}

/* Residuals of the first `over` origins by bucket. Of a long back-test only the last
 * DEFAULT_ORIGINS count: spread changes too; those of practice only while there are few others:
 * their answers had no weights yet. */
static void pool_build(struct run *r, size_t over)
{
	size_t from = over > DEFAULT_ORIGINS ? over - DEFAULT_ORIGINS : 0, n = 0;
	if (over >= r->practice + POOL_MIN)
		from = max_size(r->practice, from);
	for (int b = 0; b < LEAD_BUCKETS; b++) {
		r->pool_at[b] = n;
		size_t hi = (size_t)1 << b, lo = hi / 2;
		if (b == LEAD_BUCKETS - 1)
			hi = r->horizon;
		for (size_t k = from; k < over; k++)
			for (size_t i = lo; i < hi && i < r->horizon; i++)
				if (!isnan(r->resid[k * r->horizon + i]))
					r->pool[n++] = r->resid[k * r->horizon + i];
	}
	r->pool_at[LEAD_BUCKETS] = n;
}

static size_t bucket_size(const struct run *r, int b)
{
	return r->pool_at[b + 1] - r->pool_at[b];
}

/* The bucket of like leads or, where that has too few residuals, of the nearest longer leads, else
 * shorter; -1. */
static int bucket_with_enough(const struct run *r, int bucket)
{
	for (int b = bucket; b < LEAD_BUCKETS; b++)
		if (bucket_size(r, b) >= BUCKET_MIN)
			return b;
	for (int b = bucket - 1; b >= 0; b--)
		if (bucket_size(r, b) >= BUCKET_MIN)
			return b;
	return -1;
}

/* Quantile q of the residuals of a bucket; NAN. */
static double bucket_quantile(struct run *r, int bucket, double q)
{
	int b = bucket_with_enough(r, bucket);
	if (b < 0)
		return NAN;
	size_t n = bucket_size(r, b);
	double at = q * (double)(n - 1), *v = r->pool + r->pool_at[b];
	size_t i = (size_t)at;
	double here = nth_double(v, n, i), above = here;
	if (i + 1 < n) {
		above = INFINITY;
		for (size_t k = i + 1; k < n; k++)
			above = fmin(above, v[k]);
	}
	return here + (at - (double)i) * (above - here);
}

static void count_coverage(struct run *r, size_t k, size_t *in, size_t *all)
{
	size_t now = r->first + k * r->step, over = 0; /* origins whose horizon had ended by then */
	if (now >= r->first + r->horizon)
		over = (now - r->first - r->horizon) / r->step + 1;
	over = min_size(over, r->count);
	if (over < POOL_MIN)
		return;
	pool_build(r, over);
	const double *answer = learner_answer(r->learner);
	double lo[LEAD_BUCKETS], hi[LEAD_BUCKETS];
	for (int b = 0; b < LEAD_BUCKETS; b++) {
		lo[b] = bucket_quantile(r, b, 0.10);
		hi[b] = bucket_quantile(r, b, 0.90);
	}
	for (size_t i = 0; i < r->horizon; i++) {
		double e = r->resid[k * r->horizon + i];
		int b = bucket_of(i);
		/* demand does not go below 0 */
		double low = fmax(lo[b], -answer[i]);
		if (isnan(e) || isnan(lo[b]))
			continue;
		(*all)++;
		*in += e >= low && e <= hi[b];
	}
}

static void run_backtest(struct run *r, const struct forecast_opt *o, struct forecast *ret)
{
	double sum[FC_METHODS + 1] = { 0 }, err[FC_METHODS + 1];
	size_t in = 0, all = 0, scored = 0;
	for (size_t k = 0; k < r->count; k++) {
		size_t at = r->first + k * r->step;
		learner_look(r->learner, at);
		/* Errors of the methods and of the answer, and its residuals. */
		const double *y = r->y + r->first + k * r->step, *f = learner_answer(r->learner);
		double off = 0;
		size_t known = 0;
		learner_judge(r->learner, k, err);
		for (size_t i = 0; i < r->horizon; i++) {
			double d = r->resid[k * r->horizon + i] = y[i] - f[i];
			if (!isnan(d)) {
				off += fabs(d);
				known++;
			}
		}
		err[FC_METHODS] = num_if(known, off / (double)known);
		if (k < r->practice || at < o->score_from || isnan(err[0]))
			continue;
		scored++;
		for (int m = 0; m <= FC_METHODS; m++)
			sum[m] += err[m];
		/* quantiles again at each origin would cost more than the forecasts */
		if (scored % 4 == 1)
			count_coverage(r, k, &in, &all);
	}
	ret->origins = r->count - r->practice;
	ret->scored = scored;
	for (int m = 0; m < FC_METHODS; m++)
		ret->mase[m] = num_if(scored, sum[m] / (double)scored / ret->scale);
	ret->mase_combined = num_if(scored, sum[FC_METHODS] / (double)scored / ret->scale);
	ret->covered_frac = num_if(all, (double)in / (double)all);
}

/* Is there enough? Two known weeks, four weeks of them at least half known, and room for some
 * origins in the back-test. */
static bool is_enough(const struct forecast_opt *o, size_t n, const double *y, size_t step,
		      struct forecast *ret)
{
	size_t recent = 0, span = min_size(n, 672),
	       need = FORECAST_MIN_HOURS + o->horizon + 6 * step;
	for (size_t i = 0; i < n; i++)
		if (!isnan(y[i])) {
			ret->known++;
			recent += i + span >= n;
		}
	if (!ret->known)
		snprintf(ret->why, sizeof ret->why, "no hour of the series is known");
	else if (ret->known < FORECAST_MIN_HOURS)
		snprintf(ret->why, sizeof ret->why, "%zu known hours; two weeks (%d) are the least",
			 ret->known, FORECAST_MIN_HOURS);
	else if (n < need && n > FORECAST_MIN_HOURS + 6 * step + 24)
		snprintf(
			ret->why, sizeof ret->why,
			"%zu hours of history; to test forecasts of %zu hours it takes %zu; up to %zu days can be tested",
			n, o->horizon, need, (n - FORECAST_MIN_HOURS - 6 * step) / 24);
	else if (n < need)
		snprintf(ret->why, sizeof ret->why,
			 "%zu hours of history; to test forecasts of %zu hours it takes %zu", n,
			 o->horizon, need);
	else if (recent * 2 < span)
		snprintf(ret->why, sizeof ret->why, "only %zu of the last %zu hours are known",
			 recent, span);
	ret->state = ret->why[0] ? FORECAST_TOO_LITTLE : FORECAST_OK;
	return ret->state == FORECAST_OK;
}

static void run_open(struct run *r, const struct forecast_opt *o, size_t n, const double *y,
		     const double *filled)
{
	size_t want = DEFAULT_ORIGINS;
	if (o->origins)
		want = o->origins;
	*r = (struct run){ .n = n, .horizon = o->horizon, .step = o->step ? o->step : 24, .y = y };
	size_t counted = (n - o->horizon - FORECAST_MIN_HOURS) / r->step + 1;
	counted = min_size(counted, want);
	/* the last origin is the last that can be scored in full */
	size_t first = FORECAST_MIN_HOURS;
	if (want != SIZE_MAX)
		first = n - o->horizon - (counted - 1) * r->step;
	r->practice = PRACTICE_HOURS / r->step;
	r->first = first - r->practice * r->step;
	r->count = counted + r->practice;
	r->open = (n - 1 - first) / r->step + 1 - counted;
	size_t start = 0;
	if (!(want == SIZE_MAX || r->first < WARM_HOURS))
		start = r->first - WARM_HOURS;
	r->learner = learner_new(&(struct learn_opt){ .n = n,
						      .y = y,
						      .filled = filled,
						      .start = start,
						      .first = r->first,
						      .step = r->step,
						      .count = r->count + r->open,
						      .horizon = r->horizon });
	r->resid = xmalloc(r->count * r->horizon * sizeof *r->resid);
	r->pool = xmalloc(min_size(r->count, DEFAULT_ORIGINS) * r->horizon * sizeof *r->pool);
}

/* Hour i ahead of an origin by what goes on; y without gaps. */
static double goes_on(enum forecast_method m, const double *y, size_t at, size_t i)
{
	static const size_t season[] = {
		[FC_NAIVE] = 1, [FC_SEASON_DAY] = 24, [FC_SEASON_WEEK] = 168
	};

	return y[at - season[m] + i % season[m]];
}

/* The best of what goes on in the place of the combination, where that was worse. */
static void give_way(struct run *r, const struct forecast_opt *o, const double *filled,
		     struct forecast *ret)
{
	enum forecast_method least = FC_NAIVE;

	for (int m = FC_NAIVE; m <= FC_SEASON_WEEK; m++)
		if (ret->mase[m] < ret->mase[least])
			least = (enum forecast_method)m;
	if (!(o->worse > 0 && ret->mase_combined > ret->mase[least] * o->worse))
		return;
	for (size_t k = 0; k < r->count; k++)
		for (size_t i = 0; i < r->horizon; i++) {
			size_t at = r->first + k * r->step;
			r->resid[k * r->horizon + i] = r->y[at + i] - goes_on(least, filled, at, i);
		}
	for (size_t i = 0; i < r->horizon; i++)
		ret->point[i] = goes_on(least, filled, r->n, i);
	memset(ret->weight, 0, sizeof ret->weight);
	ret->weight[least] = 1;
	ret->best = least;
	ret->instead = true;
	ret->covered_frac = NAN;
}

int forecast_run(const struct forecast_opt *o, size_t n, const double *y, struct forecast *ret,
		 struct err *err)
{
	struct run r;
	if (o->horizon < 1 || o->horizon > FORECAST_MAX_HORIZON)
		return err_set(err, -EINVAL, "a horizon of %zu hours: 1 to %d can be forecast",
			       o->horizon, FORECAST_MAX_HORIZON);
	for (size_t i = 0; i < n; i++)
		if (!isnan(y[i]) && !(y[i] >= 0 && y[i] <= 1e15))
			return err_set(err, -EINVAL,
				       "hour %zu of the series: demand is 0 to 10^15, or not known",
				       i + 1);
	*ret = (struct forecast){
		.horizon = o->horizon, .scale = NAN, .mase_combined = NAN, .covered_frac = NAN
	};
	for (int m = 0; m < FC_METHODS; m++)
		ret->mase[m] = NAN;
	if (!is_enough(o, n, y, o->step ? o->step : 24, ret))
		return 0;
	/* The mean step from a day before. */
	double steps = 0;
	size_t nstep = 0;
	for (size_t t = 24; t < n; t++)
		if (!isnan(y[t]) && !isnan(y[t - 24])) {
			steps += fabs(y[t] - y[t - 24]);
			nstep++;
		}
	if (nstep && steps > 0)
		ret->scale = steps / (double)nstep;
	ret->point = xmalloc((1 + FORECAST_NQ) * o->horizon * sizeof *ret->point);
	for (int q = 0; q < FORECAST_NQ; q++)
		ret->quantile[q] = ret->point + (size_t)(q + 1) * o->horizon;

	/* Gaps take the value of the day before: causal, and the filters go on; errors are never
	 * taken there. */
	double *filled = xmalloc(n * sizeof *filled);
	size_t first = 0;
	while (first < n && isnan(y[first]))
		first++;
	for (size_t i = 0; i < n; i++) {
		size_t from = i >= 24 ? i - 24 : i - 1;
		if (!isnan(y[i]))
			filled[i] = y[i];
		else
			filled[i] = i < first ? y[first] : filled[from];
	}

	run_open(&r, o, n, y, filled);
	run_backtest(&r, o, ret);

	/* The forecast itself, which has learnt from what an origin of the back-test would have:
	 * also from the origins whose horizon the series does not have. None is passed over: what
	 * is picked at one follows from the week before it. */
	for (size_t k = r.count; k < r.count + r.open; k++) {
		learner_look(r.learner, r.first + k * r.step);
		learner_judge(r.learner, k, NULL);
	}
	learner_look(r.learner, r.n);
	memcpy(ret->point, learner_answer(r.learner), r.horizon * sizeof *ret->point);
	memcpy(ret->weight, learner_weights(r.learner), sizeof ret->weight);
	for (int m = 1; m < FC_METHODS; m++)
		if (ret->weight[m] > ret->weight[ret->best])
			ret->best = m;
	give_way(&r, o, filled, ret);
	pool_build(&r, r.count); /* all have ended by now */
	for (int q = 0; q < FORECAST_NQ; q++) {
		double off[LEAD_BUCKETS];
		for (int b = 0; b < LEAD_BUCKETS; b++)
			off[b] = bucket_quantile(&r, b, forecast_quantile[q]);
		for (size_t i = 0; i < r.horizon; i++)
			ret->quantile[q][i] = fmax(ret->point[i] + off[bucket_of(i)], 0);
	}

	learner_free(r.learner);
	free(r.resid);
	free(r.pool);
	free(filled);
	return 0;
}

void forecast_free(struct forecast *f)
{
	free(f->point);
	*f = (struct forecast){ 0 };
}
