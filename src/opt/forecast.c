/*
 * See forecast.h. At origin o, with past origins q whose horizon had ended by o:
 *
 *   loss_c = sum_q d^(o - q) err_c(q) / sum_q d^(o - q), d: half-life of four weeks; err: mean
 *           absolute error over the horizon
 *   a method's forecast is that of its parameters with the least loss; weight_m = (min loss /
 *           loss_m)^4
 *   answer(i) = half the weighted median and half the weighted mean over the methods
 *   quantile(i) = answer(i) + quantile of the answer's own past residuals at like leads
 *
 * The median keeps a method that is far off from moving the answer, the mean uses what the others
 * know: each alone is worse on some series. The power 4 and the half-life are round numbers from
 * the middle of a flat region (3 to 8, 14 to 90 days change the MASE by about 1 %).
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "opt/forecast_bank.h"

#define HALF_LIFE_H     672.0
#define WEIGHT_POWER    4
#define DEFAULT_ORIGINS 60
/* the filters see this much before the first origin of a short back-test */
#define WARM_HOURS   1344
#define LEAD_BUCKETS 14
#define BUCKET_MIN   20 /* residuals below which no quantile is read */

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
					    "revert",
					    "median" };
	return name[m];
}

/* Discounted mean of errors of origins that are over. */
struct loss {
	double sum, weight;
};

struct run {
	size_t n, horizon, step, first, count; /* origins first, first + step, ... */
	const double *y;                       /* with gaps */
	struct bank *bank;
	size_t ncand;
	double *fc;             /* [ncand][horizon] of the current origin */
	double *err_cand;       /* [count][ncand] NAN: no hour known */
	struct loss *loss_cand; /* [ncand] */
	double *f;              /* [FC_METHODS][horizon] */
	double *err;            /* [count][FC_METHODS + 1] the last is the answer */
	struct loss loss[FC_METHODS];
	double weight[FC_METHODS];
	double *answer; /* [horizon] */
	double *resid;  /* [count][horizon] of the answer */
	size_t over;    /* origins taken into the losses */
	double *pool;   /* sorted residuals of the buckets, see pool_build() */
	size_t pool_at[LEAD_BUCKETS + 1];
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Leads 1, 2, 3-4, 5-8, ...: like leads err alike. */
static int bucket_of(size_t lead)
{
	int b = 0;
	while (b < LEAD_BUCKETS - 1 && (size_t)1 << b < lead + 1)
		b++;
	return b;
}

static double mean_error(const struct run *r, size_t origin, const double *f)
{
	double s = 0;
	size_t known = 0;
	for (size_t i = 0; i < r->horizon; i++) {
		double d = fabs(r->y[origin + i] - f[i]);
		if (d == d) {
			s += d;
			known++;
		}
	}
	return known ? s / (double)known : NAN;
}

static void loss_add(struct loss *l, double err, double fade)
{
	l->sum *= fade;
	l->weight *= fade;
	if (!isnan(err)) {
		l->sum += err;
		l->weight += 1;
	}
}

static double loss_of(const struct loss *l)
{
	return l->weight > 0 ? l->sum / l->weight : 0;
}

/* Losses up to the origins that had ended by now. */
static void learn(struct run *r, size_t origin)
{
	double fade = exp2(-(double)r->step / HALF_LIFE_H);
	for (; r->over < r->count && r->first + r->over * r->step + r->horizon <= origin;
	     r->over++) {
		for (size_t c = 0; c < r->ncand; c++)
			loss_add(&r->loss_cand[c], r->err_cand[r->over * r->ncand + c], fade);
		for (int m = 0; m < FC_METHODS; m++)
			loss_add(&r->loss[m], r->err[r->over * (FC_METHODS + 1) + (size_t)m], fade);
	}
}

static double *method(struct run *r, int m)
{
	return r->f + (size_t)m * r->horizon;
}

static void median_of(struct run *r)
{
	double *out = method(r, FC_MEDIAN), v[FC_METHODS];
	for (size_t i = 0; i < r->horizon; i++) {
		int n = 0;
		for (int m = FC_SEASON_DAY; m <= FC_THETA; m++) {
			double x = method(r, m)[i];
			int k = n++;
			for (; k > 0 && v[k - 1] > x; k--)
				v[k] = v[k - 1];
			v[k] = x;
		}
		out[i] = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
	}
}

static void weigh(struct run *r)
{
	double least = INFINITY, sum = 0;
	for (int m = 0; m < FC_METHODS; m++)
		if (loss_of(&r->loss[m]) < least)
			least = loss_of(&r->loss[m]);
	for (int m = 0; m < FC_METHODS; m++) {
		double l = loss_of(&r->loss[m]);
		r->weight[m] = l > least ? pow(least / l, WEIGHT_POWER) : 1;
		sum += r->weight[m];
	}
	for (int m = 0; m < FC_METHODS; m++)
		r->weight[m] /= sum;
}

static void combine(struct run *r)
{
	for (size_t i = 0; i < r->horizon; i++) {
		double v[FC_METHODS], w[FC_METHODS], sum, mean = 0;
		for (int m = 0; m < FC_METHODS; m++) {
			double x = method(r, m)[i];
			int k = m;
			for (; k > 0 && v[k - 1] > x; k--)
				v[k] = v[k - 1], w[k] = w[k - 1];
			v[k] = x;
			w[k] = r->weight[m];
			mean += x * r->weight[m];
		}
		int k = 0;
		for (sum = w[0]; k < FC_METHODS - 1 && sum < 0.5; sum += w[++k])
			;
		r->answer[i] = (v[k] + mean) / 2;
	}
}

/* All forecasts from this origin, with what was over by then. */
static void look(struct run *r, size_t origin)
{
	size_t pick[FC_METHODS];
	for (int m = 0; m < FC_METHODS; m++)
		pick[m] = SIZE_MAX;
	learn(r, origin);
	bank_feed(r->bank, origin);
	for (size_t c = 0; c < r->ncand; c++) {
		size_t *p = &pick[bank_method(r->bank, c)];
		bank_forecast(r->bank, c, r->fc + c * r->horizon);
		if (*p == SIZE_MAX || loss_of(&r->loss_cand[c]) < loss_of(&r->loss_cand[*p]))
			*p = c;
	}
	for (int m = 0; m < FC_MEDIAN; m++)
		memcpy(method(r, m), r->fc + pick[m] * r->horizon, r->horizon * sizeof *r->f);
	median_of(r);
	weigh(r);
	combine(r);
}

static void score(struct run *r, size_t k)
{
	size_t o = r->first + k * r->step;
	for (size_t c = 0; c < r->ncand; c++)
		r->err_cand[k * r->ncand + c] = mean_error(r, o, r->fc + c * r->horizon);
	for (int m = 0; m < FC_METHODS; m++)
		r->err[k * (FC_METHODS + 1) + (size_t)m] = mean_error(r, o, method(r, m));
	r->err[k * (FC_METHODS + 1) + FC_METHODS] = mean_error(r, o, r->answer);
	for (size_t i = 0; i < r->horizon; i++)
		r->resid[k * r->horizon + i] = r->y[o + i] - r->answer[i];
}

/* Residuals of the first `over` origins by bucket, sorted. Of a long back-test only the last
 * DEFAULT_ORIGINS count: spread changes too. */
static void pool_build(struct run *r, size_t over)
{
	size_t from = over > DEFAULT_ORIGINS ? over - DEFAULT_ORIGINS : 0, n = 0;
	for (int b = 0; b < LEAD_BUCKETS; b++) {
		r->pool_at[b] = n;
		size_t lo = b ? (size_t)1 << (b - 1) : 0,
		       hi = b == LEAD_BUCKETS - 1 ? r->horizon : (size_t)1 << b;
		for (size_t k = from; k < over; k++)
			for (size_t i = lo; i < hi && i < r->horizon; i++)
				if (!isnan(r->resid[k * r->horizon + i]))
					r->pool[n++] = r->resid[k * r->horizon + i];
		qsort(r->pool + r->pool_at[b], n - r->pool_at[b], sizeof *r->pool, by_value);
	}
	r->pool_at[LEAD_BUCKETS] = n;
}

static size_t bucket_size(const struct run *r, int b)
{
	return r->pool_at[b + 1] - r->pool_at[b];
}

/* Quantile of the residuals at this lead, of its bucket or, where that has too few, of the nearest
 * longer lead's, else shorter; NAN. */
static double spread(const struct run *r, size_t lead, double q)
{
	int at_lead = bucket_of(lead), b = at_lead;
	while (b < LEAD_BUCKETS && bucket_size(r, b) < BUCKET_MIN)
		b++;
	if (b == LEAD_BUCKETS)
		for (b = at_lead; b >= 0 && bucket_size(r, b) < BUCKET_MIN; b--)
			;
	if (b < 0)
		return NAN;
	size_t n = bucket_size(r, b);
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;
	const double *v = r->pool + r->pool_at[b];
	return i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[n - 1];
}

static void coverage(struct run *r, size_t k, size_t *in, size_t *all)
{
	size_t over = r->over;
	if (over < 5)
		return;
	pool_build(r, over);
	double lo[LEAD_BUCKETS], hi[LEAD_BUCKETS];
	for (int b = 0; b < LEAD_BUCKETS; b++)
		lo[b] = spread(r, b ? (size_t)1 << (b - 1) : 0, 0.10),
		hi[b] = spread(r, b ? (size_t)1 << (b - 1) : 0, 0.90);
	for (size_t i = 0; i < r->horizon; i++) {
		double e = r->resid[k * r->horizon + i];
		int b = bucket_of(i);
		/* demand does not go below 0 */
		double low = r->answer[i] + lo[b] > 0 ? lo[b] : -r->answer[i];
		if (isnan(e) || isnan(lo[b]))
			continue;
		(*all)++;
		*in += e >= low && e <= hi[b];
	}
}

static double daily_scale(size_t n, const double *y)
{
	double s = 0;
	size_t k = 0;
	for (size_t t = 24; t < n; t++)
		if (!isnan(y[t]) && !isnan(y[t - 24])) {
			s += fabs(y[t] - y[t - 24]);
			k++;
		}
	return k && s > 0 ? s / (double)k : NAN;
}

static void backtest(struct run *r, const struct forecast_opt *o, struct forecast *ret)
{
	double sum[FC_METHODS + 1] = { 0 };
	size_t in = 0, all = 0, scored = 0;
	for (size_t k = 0; k < r->count; k++) {
		size_t at = r->first + k * r->step;
		look(r, at);
		score(r, k);
		const double *e = &r->err[k * (FC_METHODS + 1)];
		if (at < o->score_from || isnan(e[0]))
			continue;
		scored++;
		for (int m = 0; m <= FC_METHODS; m++)
			sum[m] += e[m];
		/* sorting the residuals anew at each origin would cost more than the forecasts */
		if (scored % 4 == 1)
			coverage(r, k, &in, &all);
	}
	ret->origins = r->count;
	ret->scored = scored;
	for (int m = 0; m < FC_METHODS; m++)
		ret->mase[m] = scored ? sum[m] / (double)scored / ret->scale : NAN;
	ret->mase_combined = scored ? sum[FC_METHODS] / (double)scored / ret->scale : NAN;
	ret->covered_frac = all ? (double)in / (double)all : NAN;
}

static void conclude(struct run *r, struct forecast *ret)
{
	look(r, r->n);
	pool_build(r, r->over);
	memcpy(ret->point, r->answer, r->horizon * sizeof *ret->point);
	memcpy(ret->weight, r->weight, sizeof ret->weight);
	for (int m = 1; m < FC_METHODS; m++)
		if (ret->weight[m] > ret->weight[ret->best])
			ret->best = m;
	for (size_t i = 0; i < r->horizon; i++)
		for (int q = 0; q < FORECAST_NQ; q++) {
			double v = ret->point[i] + spread(r, i, forecast_quantile[q]);
			ret->quantile[q][i] = v < 0 ? 0 : v;
		}
}

static int check(const struct forecast_opt *o, size_t n, const double *y, struct err *err)
{
	if (o->horizon < 1 || o->horizon > FORECAST_MAX_HORIZON)
		return err_set(err, -EINVAL, "a horizon of %zu hours: 1 to %d can be forecast",
			       o->horizon, FORECAST_MAX_HORIZON);
	for (size_t i = 0; i < n; i++)
		if (!isnan(y[i]) && !(y[i] >= 0 && y[i] <= 1e15))
			return err_set(err, -EINVAL,
				       "hour %zu of the series: demand is 0 to 10^15, or not known",
				       i + 1);
	return 0;
}

/* Is there enough? Two known weeks, four weeks of them at least half known, and room for some
 * origins in the back-test. */
static bool enough(const struct forecast_opt *o, size_t n, const double *y, size_t step,
		   struct forecast *ret)
{
	size_t recent = 0, span = n < 672 ? n : 672,
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

/* Gaps take the value of the day before: causal, and the filters go on; errors are never taken
 * there. */
static double *fill(size_t n, const double *y)
{
	double *v = xmalloc(n * sizeof *v);
	size_t first = 0;
	while (first < n && isnan(y[first]))
		first++;
	for (size_t i = 0; i < n; i++)
		v[i] = !isnan(y[i])      ? y[i]
		       : i < first || !i ? y[first]
		       : i >= 24         ? v[i - 24]
					 : v[i - 1];
	return v;
}

static void run_open(struct run *r, const struct forecast_opt *o, size_t n, const double *y,
		     const double *filled)
{
	size_t want = o->origins ? o->origins : DEFAULT_ORIGINS;
	*r = (struct run){ .n = n, .horizon = o->horizon, .step = o->step ? o->step : 24, .y = y };
	r->count = (n - o->horizon - FORECAST_MIN_HOURS) / r->step + 1;
	r->count = r->count < want ? r->count : want;
	/* the last origin is the last that can be scored in full */
	r->first = want == SIZE_MAX ? FORECAST_MIN_HOURS
				    : n - o->horizon - (r->count - 1) * r->step;
	size_t start = want == SIZE_MAX || r->first < WARM_HOURS ? 0 : r->first - WARM_HOURS;
	r->bank = bank_new(n, filled, start, o->horizon);
	r->ncand = bank_count(r->bank);
	r->fc = xmalloc(r->ncand * r->horizon * sizeof *r->fc);
	r->err_cand = xmalloc(r->count * r->ncand * sizeof *r->err_cand);
	r->loss_cand = xcalloc(r->ncand, sizeof *r->loss_cand);
	r->f = xmalloc(FC_METHODS * r->horizon * sizeof *r->f);
	r->err = xmalloc(r->count * (FC_METHODS + 1) * sizeof *r->err);
	r->answer = xmalloc(r->horizon * sizeof *r->answer);
	r->resid = xmalloc(r->count * r->horizon * sizeof *r->resid);
	r->pool = xmalloc((r->count < DEFAULT_ORIGINS ? r->count : DEFAULT_ORIGINS) * r->horizon *
			  sizeof *r->pool);
}

static void run_close(struct run *r)
{
	bank_free(r->bank);
	free(r->fc);
	free(r->err_cand);
	free(r->loss_cand);
	free(r->f);
	free(r->err);
	free(r->answer);
	free(r->resid);
	free(r->pool);
}

int forecast_run(const struct forecast_opt *o, size_t n, const double *y, struct forecast *ret,
		 struct err *err)
{
	struct run r;
	int rc = check(o, n, y, err);
	if (rc < 0)
		return rc;
	*ret = (struct forecast){
		.horizon = o->horizon, .scale = NAN, .mase_combined = NAN, .covered_frac = NAN
	};
	for (int m = 0; m < FC_METHODS; m++)
		ret->mase[m] = NAN;
	if (!enough(o, n, y, o->step ? o->step : 24, ret))
		return 0;
	ret->scale = daily_scale(n, y);
	ret->point = xmalloc((1 + FORECAST_NQ) * o->horizon * sizeof *ret->point);
	for (int q = 0; q < FORECAST_NQ; q++)
		ret->quantile[q] = ret->point + (size_t)(q + 1) * o->horizon;
	double *filled = fill(n, y);
	run_open(&r, o, n, y, filled);
	backtest(&r, o, ret);
	conclude(&r, ret);
	run_close(&r);
	free(filled);
	return 0;
}

void forecast_free(struct forecast *f)
{
	free(f->point);
	*f = (struct forecast){ 0 };
}
