/*
 * See forecast_bank.h. With e = y - forecast of one step:
 *
 *   SES           l += a e
 *   Holt-Winters  l' = l + p t + a e;  t' = p t + a b e;  s' = s + g (1 - a) e
 *                 f(i) = l + (p + .. + p^i) t + s(i mod m)
 *   Theta         f(i) = [ l + slope/2 (i - 1 + 1/a - (1-a)^n / a) ] x season
 *                 l, a: SES with the least squared error; slope: least squares
 *   Revert        f(i) = mu + p^i (y_last - mu - s_last) + s(i mod 24)
 *                 mu: mean of one, two or four weeks; s: mean shape of a day over four weeks
 *   Held          f(i) = y_last; or base, the last level of LEVEL_HOURS or more, where it was left
 *                 for less than that and most such excursions have come back to it
 *
 * Theta takes out a multiplicative season of 24 where the autocorrelation at lag 24 is farther from
 * 0 than 1.645 sqrt((1 + 2 sum r^2) / n), r of the lags below, as in the M competitions (1.645: two
 * sides of 5 % of a normal distribution); the test is made once a week.
 */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "base/mem.h"
#include "base/num.h"
#include "opt/forecast/forecast_bank.h"

/* hours */
#define DAY  24
#define WEEK 168
/* Theta looks at eight weeks: long enough for its season, short enough that a trend of last spring
 * does not steer it. */
#define THETA_HOURS 1344
#define FOUR_WEEKS  672
/* a value of so many hours is a level; what leaves it for less and comes back is an excursion */
#define LEVEL_HOURS 6
/* so many excursions came back for each that did not, the next one counted as such */
#define HELD_ODDS 4
/* only a base that has been one for so long is gone back to */
#define HELD_HOURS (2 * DAY)

/* The grids of parameters; the back-test of forecast.c weighs what each of them gives. */
enum {
	SES_N = 6,
	HW_ALPHA_N = 4,
	HW_GAMMA_N = 2,
	HW_PHI_N = 2,
	REVERT_PHI_N = 7,
	REVERT_WIN_N = 3
};
static const double ses_alpha[SES_N] = { 0.03, 0.1, 0.2, 0.4, 0.6, 0.9 };
static const double hw_alpha[HW_ALPHA_N] = { 0.02, 0.1, 0.3, 0.7 },
		    hw_gamma[HW_GAMMA_N] = { 0.05, 0.3 }, hw_phi[HW_PHI_N] = { 0.8, 0.98 };
static const double revert_phi[REVERT_PHI_N] = { 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998 };
static const size_t revert_window[REVERT_WIN_N] = { WEEK, 2 * WEEK, FOUR_WEEKS };
#define HW_BETA    0.05 /* of the trend: the damping decides more than this */
#define HW_SEASON  (HW_ALPHA_N * HW_GAMMA_N * HW_PHI_N) /* candidates of one season */
#define REVERT_ALL (REVERT_WIN_N * REVERT_PHI_N * 2) /* each without and with the shape of a day */
#define CAND_MAX   128

/* Holt-Winters; letters as in the formulas above */
struct hw {
	double a, g, p, level, trend;
	size_t m;       /* hours of the season */
	double *season; /* [m] */
};
struct held {
	double base, value;
	size_t run;  /* hours that value has been there */
	size_t age;  /* hours that base has been the base */
	size_t away; /* hours since base was left, 0 = it is there; no base yet: SIZE_MAX */
	/* farthest above and below base: in this excursion, in those that came back */
	double off[2], reach[2];
	size_t returned, moved; /* how often base was come back to, and not */
};
struct candidate {
	enum forecast_method method;
	/* SES: of ses_alpha; Holt-Winters: of hw; revert: see revert_forecast(); else 0 */
	int param;
};

struct bank {
	size_t n, start, horizon, at; /* at: next hour to be fed */
	const double *y;
	double *sum;       /* [n + 1] */
	double ses[SES_N]; /* the level of each */
	struct held held;
	struct hw *hw; /* [nhw] */
	size_t nhw, ncand;
	struct candidate cand[CAND_MAX];
	double *seasons; /* of all hw */
	double *theta_z; /* [THETA_HOURS] for Theta to work in */
	bool seasonal;   /* what Theta's test said, at tested_at; 0: not yet */
	size_t tested_at;
	double shape[DAY]; /* what an hour is above its day, by hours from the origin on */
};

static void add_candidate(struct bank *b, enum forecast_method m, int param)
{
	assert(b->ncand < CAND_MAX);
	b->cand[b->ncand++] = (struct candidate){ m, param };
}

/* The grid of one season of m hours: first level and season from the first m hours. season
 * [HW_SEASON * m]. */
static void add_holt_winters(struct bank *b, size_t m, double *season)
{
	for (int ia = 0; ia < HW_ALPHA_N; ia++)
		for (int ig = 0; ig < HW_GAMMA_N; ig++)
			for (int ip = 0; ip < HW_PHI_N; ip++) {
				struct hw *h = &b->hw[b->nhw];
				*h = (struct hw){ .a = hw_alpha[ia],
						  .g = hw_gamma[ig],
						  .p = hw_phi[ip],
						  .m = m,
						  .season = season };
				h->level = (b->sum[b->start + m] - b->sum[b->start]) / (double)m;
				for (size_t i = 0; i < m; i++)
					h->season[(b->start + i) % m] = b->y[b->start + i] -
									h->level;
				add_candidate(b, m == DAY ? FC_HW_DAY : FC_HW_WEEK, (int)b->nhw++);
				season += m;
			}
}

struct bank *bank_new(size_t n, const double *y, size_t start, size_t horizon)
{
	struct bank *b = xcalloc(1, sizeof *b);
	*b = (struct bank){ .n = n, .start = start, .horizon = horizon, .at = start, .y = y };
	b->held = (struct held){ .value = y[start], .away = SIZE_MAX };
	b->sum = xcalloc(n + 1, sizeof *b->sum);
	for (size_t i = 0; i < n; i++)
		b->sum[i + 1] = b->sum[i] + y[i];
	b->theta_z = xmalloc(THETA_HOURS * sizeof *b->theta_z);
	b->hw = xcalloc(2 * HW_SEASON, sizeof *b->hw);
	b->seasons = xmalloc(HW_SEASON * (DAY + WEEK) * sizeof *b->seasons);
	for (int m = FC_NAIVE; m <= FC_MEAN_7D; m++)
		add_candidate(b, m, 0);
	for (int i = 0; i < SES_N; i++) {
		b->ses[i] = y[start];
		add_candidate(b, FC_SES, i);
	}
	add_holt_winters(b, DAY, b->seasons);
	add_holt_winters(b, WEEK, b->seasons + HW_SEASON * DAY);
	add_candidate(b, FC_THETA, 0);
	add_candidate(b, FC_HELD, 0);
	for (int i = 0; i < REVERT_ALL; i++)
		add_candidate(b, FC_REVERT, i);
	return b;
}

void bank_free(struct bank *b)
{
	if (!b)
		return;
	free(b->sum);
	free(b->theta_z);
	free(b->hw);
	free(b->seasons);
	free(b);
}

size_t bank_count(const struct bank *b)
{
	return b->ncand;
}

enum forecast_method bank_method(const struct bank *b, size_t candidate)
{
	return b->cand[candidate].method;
}

static double held_level(const struct held *h)
{
	bool away = h->away && h->away < LEVEL_HOURS && h->age >= HELD_HOURS,
	     near = h->off[0] <= 2 * h->reach[0] && h->off[1] <= 2 * h->reach[1],
	     returns = h->returned >= HELD_ODDS * (h->moved + 1);
	if (away && near && returns)
		return h->base;
	return h->value;
}

static void feed_held(struct held *h, double y)
{
	h->run = y == h->value ? h->run + 1 : 1;
	h->value = y;
	h->age++;
	if (h->away != SIZE_MAX && (h->away || y != h->base)) {
		h->away++;
		h->off[0] = fmax(h->off[0], y - h->base);
		h->off[1] = fmax(h->off[1], h->base - y);
	}
	if (h->run < LEVEL_HOURS)
		return;
	/* a level: the base that was left, or a new one. away has its LEVEL_HOURS in it. */
	bool is_first = h->away == SIZE_MAX, was_away = h->away && !is_first;
	if (was_away && y == h->base && h->away < 2 * LEVEL_HOURS) {
		h->returned++;
		for (int i = 0; i < 2; i++)
			h->reach[i] = fmax(h->reach[i], h->off[i]);
	} else if (was_away) {
		h->moved++;
	}
	if (is_first || y != h->base)
		h->age = h->run;
	h->base = y;
	h->away = 0;
	h->off[0] = h->off[1] = 0;
}

static void feed_holt_winters(struct hw *h, const double *y, size_t from, size_t origin)
{
	size_t s = from % h->m;
	double level = h->level, trend = h->trend, c = h->g * (1 - h->a);

	for (size_t t = from; t < origin; t++) {
		double pt = h->p * trend, e = y[t] - level - pt - h->season[s];
		level += pt + h->a * e;
		trend = pt + h->a * HW_BETA * e;
		h->season[s] += c * e;
		s = s + 1 == h->m ? 0 : s + 1;
	}
	h->level = level;
	h->trend = trend;
}

/* The mean shape of a day over the last four weeks, or the days there are. */
static void set_shape(struct bank *b)
{
	size_t have = b->at - b->start, days = min_size(have, FOUR_WEEKS) / DAY;

	memset(b->shape, 0, sizeof b->shape);
	for (size_t d = 1; d <= days; d++) {
		size_t from = b->at - d * DAY;
		double mean = (b->sum[from + DAY] - b->sum[from]) / DAY;
		for (size_t i = 0; i < DAY; i++)
			b->shape[i] += (b->y[from + i] - mean) / (double)days;
	}
}

void bank_feed(struct bank *b, size_t origin)
{
	for (size_t i = 0; i < SES_N; i++)
		for (size_t t = b->at; t < origin; t++)
			b->ses[i] += ses_alpha[i] * (b->y[t] - b->ses[i]);
	for (size_t t = b->at; t < origin; t++)
		feed_held(&b->held, b->y[t]);
	for (size_t i = 0; i < b->nhw; i++) {
		size_t first = b->start + b->hw[i].m; /* the first season was taken as it was */
		if (origin > first)
			feed_holt_winters(&b->hw[i], b->y, max_size(b->at, first), origin);
	}
	b->at = origin;
	set_shape(b);
}

/* ---- Theta ------------------------------------------------------------------------------- */

/* four sums: the compiler may not reorder one */
static double dot_product(const double *x, const double *y, size_t n)
{
	double s[4] = { 0 };
	size_t i = 0;
	for (; i + 4 <= n; i += 4)
		for (int k = 0; k < 4; k++)
			s[k] += x[i + (size_t)k] * y[i + (size_t)k];
	for (; i < n; i++)
		s[0] += x[i] * y[i];
	return s[0] + s[1] + s[2] + s[3];
}

/* The test at the head of the file, of y [n]; z [n] is worked in. */
static bool is_seasonal(const double *y, size_t n, double *z)
{
	double mean = 0, sq = 0, r = 0;
	for (size_t i = 0; i < n; i++)
		mean += y[i];
	mean /= (double)n;
	for (size_t i = 0; i < n; i++)
		z[i] = y[i] - mean;
	double var = dot_product(z, z, n);
	if (!(var > 0))
		return false;
	for (size_t k = 1; k <= DAY; k++) {
		r = dot_product(z + k, z, n - k) / var;
		if (k < DAY)
			sq += r * r;
	}
	return fabs(r) > 1.645 * sqrt((1 + 2 * sq) / (double)n);
}

/* Mean ratio of y [n] to the centred mean of a day, by the hour of the window; their mean is 1. */
static void fill_season_index(const double *y, size_t n, double ret_index[DAY])
{
	double sum[DAY] = { 0 }, all = 0, ma = (y[0] + y[DAY]) / 2;
	int count[DAY] = { 0 };

	for (size_t k = 1; k < DAY; k++)
		ma += y[k];
	for (size_t i = DAY / 2; i + DAY / 2 < n; i++) {
		if (ma > 1e-9 * DAY) { /* a day of nothing has no ratio */
			sum[i % DAY] += y[i] / (ma / DAY);
			count[i % DAY]++;
		}
		/* one on: half an hour leaves and enters at each end */
		if (i + DAY / 2 + 1 < n)
			ma += (y[i + DAY / 2] + y[i + DAY / 2 + 1] - y[i - DAY / 2] -
			       y[i - DAY / 2 + 1]) /
			      2;
	}
	for (size_t i = 0; i < DAY; i++)
		all += ret_index[i] = count[i] ? sum[i] / count[i] : 1;
	for (size_t i = 0; i < DAY; i++) {
		ret_index[i] *= DAY / all;
		/* an hour that is nearly always empty cannot be divided by */
		if (!(ret_index[i] > 0.05))
			ret_index[i] = 1;
	}
}

static void theta_forecast(struct bank *b, double *f)
{
	enum { ALPHAS = 8 };
	static const double alpha[ALPHAS] = { 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.95 };
	double l[ALPHAS], s[ALPHAS] = { 0 };
	size_t have = b->at - b->start, n = min_size(have, THETA_HOURS);
	const double *y = b->y + b->at - n;
	double index[DAY], *z = b->theta_z, best = INFINITY, level = 0, a = 1, mean = 0, sxy = 0,
			   sxx = 0, mid = (double)(n - 1) / 2;
	if (b->at >= b->tested_at + WEEK || !b->tested_at) {
		b->seasonal = is_seasonal(y, n, z);
		b->tested_at = b->at;
	}
	for (size_t i = 0; i < DAY; i++)
		index[i] = 1;
	if (b->seasonal)
		fill_season_index(y, n, index);
	for (size_t i = 0; i < n; i++)
		mean += (z[i] = y[i] / index[i % DAY]) / (double)n;
	for (size_t k = 0; k < ALPHAS; k++)
		l[k] = z[0];
	/* all at once: one chain of sums after the other would wait for each step */
	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < ALPHAS; k++) {
			double e = z[i] - l[k];
			s[k] += e * e;
			l[k] += alpha[k] * e;
		}
	for (size_t k = 0; k < ALPHAS; k++)
		if (s[k] < best) {
			best = s[k];
			level = l[k];
			a = alpha[k];
		}
	for (size_t i = 0; i < n; i++) {
		sxy += ((double)i - mid) * (z[i] - mean);
		sxx += ((double)i - mid) * ((double)i - mid);
	}
	double lag = (1 - pow(1 - a, (double)n)) / a, slope = sxy / sxx;
	for (size_t i = 0; i < b->horizon; i++)
		f[i] = (level + slope / 2 * ((double)i + lag)) * index[(n + i) % DAY];
}

/* The methods without a parameter, and exponential smoothing. */
static double plain_forecast(const struct bank *b, const struct candidate *c, size_t i)
{
	const double *y = b->y;
	size_t o = b->at;
	switch (c->method) {
	case FC_NAIVE: return y[o - 1];
	case FC_SEASON_DAY: return y[o - DAY + i % DAY];
	case FC_SEASON_WEEK: return y[o - WEEK + i % WEEK];
	case FC_MEAN_7D: return (b->sum[o] - b->sum[o - WEEK]) / WEEK;
	case FC_HELD: return held_level(&b->held);
	default: return b->ses[c->param];
	}
}

static void holt_winters_forecast(const struct bank *b, const struct hw *h, double *f)
{
	double t = 0, p = 1;
	size_t s = b->at % h->m;

	for (size_t i = 0; i < b->horizon; i++) {
		p *= h->p;
		t += p * h->trend;
		f[i] = h->level + t + h->season[s];
		s = s + 1 == h->m ? 0 : s + 1;
	}
}

/* param: the index of [window][phi][without, with the shape of a day], row-major. */
static void revert_forecast(const struct bank *b, int param, double *f)
{
	bool shaped = param % 2;
	double p = revert_phi[param / 2 % REVERT_PHI_N], d = 1;
	size_t have = b->at - b->start,
	       w = min_size(revert_window[param / (2 * REVERT_PHI_N)], have);
	double mu = (b->sum[b->at] - b->sum[b->at - w]) / (double)w,
	       dev = b->y[b->at - 1] - mu - (shaped ? b->shape[DAY - 1] : 0);

	for (size_t i = 0; i < b->horizon; i++) {
		d *= p;
		f[i] = mu + d * dev + (shaped ? b->shape[i % DAY] : 0);
	}
}

void bank_forecast(struct bank *b, size_t candidate, double *f)
{
	const struct candidate *c = &b->cand[candidate];

	if (c->method == FC_HW_DAY || c->method == FC_HW_WEEK)
		holt_winters_forecast(b, &b->hw[c->param], f);
	else if (c->method == FC_THETA)
		theta_forecast(b, f);
	else if (c->method == FC_REVERT)
		revert_forecast(b, c->param, f);
	else
		for (size_t i = 0; i < b->horizon; i++)
			f[i] = plain_forecast(b, c, i);
	for (size_t i = 0; i < b->horizon; i++)
		f[i] = max_double(f[i], 0);
}
