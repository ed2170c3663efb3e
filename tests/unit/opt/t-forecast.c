#include <errno.h>
#include <math.h>
#include "base/random.h"
#include "base/tm.h"
#include "opt/forecast/forecast.h"
#include "../base/test.h"

static double uniform(uint64_t *r)
{
	return random_frac(random_next(r));
}

/* A day's wave, a weekend, noise; level as told. */
static double *wave(size_t n, double level, double noise)
{
	uint64_t r = 7;
	double *y = malloc(n * sizeof *y);
	for (size_t i = 0; i < n; i++) {
		double v = level * (1 + 0.4 * sin((double)(i % 24) / 24 * 6.283185307179586)) *
				   (i / 24 % 7 >= 5 ? 0.5 : 1) +
			   noise * (uniform(&r) - 0.5);
		y[i] = v > 0 ? v : 0;
	}
	return y;
}

static struct forecast forecast(size_t n, const double *y, size_t h)
{
	struct err e = { 0 };
	struct forecast f;
	assert_int_equal(forecast_run(&(struct forecast_opt){ .horizon = h }, n, y, &f, &e), 0);
	return f;
}

static void finds_the_season(void **state)
{
	double *y = wave(60 * 24, 100, 4);
	struct forecast f = forecast(59 * 24, y, 24);
	assert_int_equal(f.state, FORECAST_OK);
	assert_true(f.mase[FC_SEASON_WEEK] < 0.3); /* the weekend repeats */
	assert_true(f.mase[FC_MEAN_7D] > 1);
	assert_true(f.mase_combined < 0.4);
	for (size_t i = 0; i < 24; i++) {
		assert_true(fabs(f.point[i] - y[59 * 24 + i]) < 12);
		for (int q = 1; q < FORECAST_NQ; q++)
			assert_true(f.quantile[q][i] >= f.quantile[q - 1][i]);
		assert_true(f.quantile[0][i] >= 0);
	}
	double w = 0;
	for (int m = 0; m < FC_METHODS; m++)
		w += f.weight[m];
	assert_true(fabs(w - 1) < 1e-12);
	assert_true(f.covered_frac > 0.6 && f.covered_frac <= 1);
	forecast_free(&f);
	free(y);
}

/* What comes after an origin may not change what was forecast there, nor the scores before it; with
 * a horizon of a week the six latest origins are learnt from before they have ended. */
static void looks_only_back_at(size_t horizon)
{
	size_t n = 50 * 24;
	double *y = wave(n, 50, 20);
	struct err e = { 0 };
	struct forecast a, b;
	struct forecast_opt o = { .horizon = horizon, .origins = SIZE_MAX };
	assert_int_equal(forecast_run(&o, n, y, &a, &e), 0);
	double *z = malloc((n + 480) * sizeof *z);
	memcpy(z, y, n * sizeof *z);
	for (size_t i = n; i < n + 480; i++)
		z[i] = 1e6;
	/* origins of the longer series at and behind n are the only ones that see the jump: count
	 * those before */
	o.score_from = 0;
	assert_int_equal(forecast_run(&o, n + 480, z, &b, &e), 0);
	assert_int_equal(b.origins, a.origins + 20);
	/* same series and origins: the sums of the first a.origins agree if nothing leaked; the
	 * rest is known by running from n on */
	struct forecast late;
	o.score_from = 336 + a.origins * 24;
	assert_int_equal(forecast_run(&o, n + 480, z, &late, &e), 0);
	assert_int_equal(late.scored, 20);
	double early = (b.mase_combined * (double)b.scored - late.mase_combined * 20) * b.scale,
	       want = a.mase_combined * (double)a.scored * a.scale;
	assert_true(fabs(early - want) < 1e-6 * want + 1e-3);
	forecast_free(&a);
	forecast_free(&b);
	forecast_free(&late);
	free(y);
	free(z);
}

static void looks_only_back(void **state)
{
	looks_only_back_at(24);
	looks_only_back_at(168);
}

/* The forecast of an origin in the back-test is that of a run which ends there: also where a
 * horizon is longer than the week that is learnt from before it has ended. */
static void tests_what_it_says_at(size_t h, size_t from)
{
	size_t n = from + h + 8 * 24;
	double *y = wave(n, 50, 20), sum = 0;
	struct err e = { 0 };
	struct forecast_opt o = { .horizon = h, .origins = SIZE_MAX, .score_from = from };
	struct forecast all;
	assert_int_equal(forecast_run(&o, n, y, &all, &e), 0);
	for (size_t at = from; at + h <= n; at += 24) {
		struct forecast f;
		assert_int_equal(forecast_run(&o, at, y, &f, &e), 0);
		for (size_t i = 0; i < h; i++)
			sum += fabs(y[at + i] - f.point[i]) / (double)h;
		forecast_free(&f);
	}
	assert_int_equal(all.scored, 9);
	assert_true(fabs(sum / 9 / all.scale - all.mase_combined) < 1e-9);
	forecast_free(&all);
	free(y);
}

static void tests_what_it_says(void **state)
{
	tests_what_it_says_at(48, 30 * 24);
	tests_what_it_says_at(720, 55 * 24);
}

/* Three weeks: the first origins have nothing behind them but their week of practice. */
static void short_history(void **state)
{
	double *y = wave(21 * 24, 100, 40);
	struct forecast f = forecast(21 * 24, y, 24);
	assert_int_equal(f.state, FORECAST_OK);
	assert_int_equal(f.origins, 7);
	for (int m = 0; m <= FC_MEAN_7D; m++)
		assert_true(f.mase_combined < f.mase[m]);
	forecast_free(&f);
	free(y);
}

/* A service that changes its size twice a month: the day after, the new size is the forecast. */
static void a_change_of_level_is_believed(void **state)
{
	double y[700];
	for (size_t i = 0; i < COUNT(y); i++)
		y[i] = i < 696 ? 10 : 20;
	struct forecast f = forecast(COUNT(y), y, 24);
	assert_int_equal(f.best, FC_HELD);
	for (size_t i = 0; i < 24; i++)
		assert_true(fabs(f.point[i] - 20) < 0.5);
	forecast_free(&f);
}

/* One more instance for an hour at each roll-out. */
static void an_excursion_is_not(void **state)
{
	double y[700];
	for (size_t i = 0; i < COUNT(y); i++)
		y[i] = i % 100 == 99 ? 4 : 3;
	struct forecast f = forecast(COUNT(y), y, 24);
	assert_true(fabs(f.point[0] - 3) < 0.1 && fabs(f.point[23] - 3) < 0.1);
	forecast_free(&f);
	y[699] = 8; /* farther than any that came back */
	f = forecast(COUNT(y), y, 24);
	assert_true(fabs(f.point[0] - 8) < 0.5);
	forecast_free(&f);
}

/* Where the combination is worse than what goes on by itself, that is the answer; the factor here
 * makes any combination worse. */
static void what_goes_on_stands_in(void **state)
{
	size_t n = 30 * 24;
	double *y = wave(n, 100, 40);
	struct forecast_opt o = { .horizon = 48, .worse = 0.01 };
	struct err e = { 0 };
	struct forecast f, as_it_is = forecast(n, y, 48);
	assert_false(as_it_is.instead);
	assert_int_equal(forecast_run(&o, n, y, &f, &e), 0);
	assert_true(f.instead);
	assert_true(f.mase[f.best] <= f.mase[FC_NAIVE] && f.best <= FC_SEASON_WEEK);
	assert_true(f.mase_combined == as_it_is.mase_combined);
	size_t season = f.best == FC_SEASON_WEEK ? 168 : f.best == FC_SEASON_DAY ? 24 : 1;
	for (size_t i = 0; i < 48; i++) {
		assert_true(f.point[i] == y[n - season + i % season]);
		assert_true(f.quantile[0][i] <= f.quantile[4][i]);
	}
	forecast_free(&as_it_is);
	forecast_free(&f);
	free(y);
}

/* A gap of two hours every week, and a first week that was otherwise: what is seen in the gap did
 * not go on after the gaps before, so it is not the forecast. */
static void a_gap_that_comes_back_is_not(void **state)
{
	double y[672];
	for (size_t i = 0; i < COUNT(y); i++) {
		bool high = i < 190 && (i % 24 > 0 && i % 24 < 19);
		y[i] = high ? 16 : 8;
		if (i % 168 == 0 || i % 168 == 167)
			y[i] = 0;
	}
	struct forecast f = forecast(COUNT(y), y, 168);
	assert_true(f.best != FC_HELD);
	double sum = 0;
	for (size_t i = 0; i < 168; i++)
		sum += f.point[i] / 168;
	assert_true(sum > 7 && sum < 8.2);
	forecast_free(&f);
}

static void same_answer_twice(void **state)
{
	double *y = wave(40 * 24, 10, 30);
	struct forecast a = forecast(40 * 24, y, 168), b = forecast(40 * 24, y, 168);
	assert_memory_equal(a.point, b.point, 168 * sizeof *a.point);
	assert_memory_equal(a.mase, b.mase, sizeof a.mase);
	forecast_free(&a);
	forecast_free(&b);
	free(y);
}

static void unknown_is_not_zero(void **state)
{
	size_t n = 60 * 24;
	double *y = wave(n, 100, 4);
	for (size_t i = 0; i < n; i++)
		if (i % 5 == 2 || (i > 600 && i < 640))
			y[i] = NAN;
	struct forecast f = forecast(n, y, 24);
	assert_int_equal(f.state, FORECAST_OK);
	double low = 1e9;
	for (size_t i = 0; i < 24; i++)
		low = f.point[i] < low ? f.point[i] : low;
	assert_true(low > 25); /* zeros in the gaps would pull it down */
	forecast_free(&f);
	for (size_t i = n - 400; i < n; i++)
		y[i] = NAN;
	f = forecast(n, y, 24);
	assert_int_equal(f.state, FORECAST_TOO_LITTLE);
	assert_has(f.why, "of the last 672 hours are known");
	forecast_free(&f);
	free(y);
}

static void too_little(void **state)
{
	double *y = wave(700, 10, 1);
	struct forecast f = forecast(0, y, 24);
	assert_int_equal(f.state, FORECAST_TOO_LITTLE);
	assert_has(f.why, "no hour");
	f = forecast(24, y, 24);
	assert_int_equal(f.state, FORECAST_TOO_LITTLE);
	assert_has(f.why, "24 known hours");
	f = forecast(500, y, 168);
	assert_int_equal(f.state, FORECAST_TOO_LITTLE);
	assert_has(f.why, "500 hours of history");
	assert_null(f.point);
	for (size_t i = 0; i < 700; i++)
		y[i] = NAN;
	f = forecast(700, y, 24);
	assert_int_equal(f.state, FORECAST_TOO_LITTLE);
	free(y);
}

static void constant(void **state)
{
	double y[1000];
	for (size_t i = 0; i < COUNT(y); i++)
		y[i] = 8;
	struct forecast f = forecast(COUNT(y), y, 48);
	assert_int_equal(f.state, FORECAST_OK);
	assert_true(isnan(f.scale) && isnan(f.mase_combined));
	for (size_t i = 0; i < 48; i++)
		assert_true(fabs(f.point[i] - 8) < 1e-9);
	forecast_free(&f);
	for (size_t i = 0; i < COUNT(y); i++)
		y[i] = 0;
	f = forecast(COUNT(y), y, 48);
	assert_int_equal(f.state, FORECAST_OK);
	assert_true(f.point[0] == 0 && f.quantile[4][47] == 0);
	forecast_free(&f);
}

static void rubbish(void **state)
{
	struct err e = { 0 };
	struct forecast f;
	double y[800] = { 0 };
	assert_int_equal(forecast_run(&(struct forecast_opt){ .horizon = 0 }, 800, y, &f, &e),
			 -EINVAL);
	assert_int_equal(forecast_run(&(struct forecast_opt){ .horizon = 100000 }, 800, y, &f, &e),
			 -EINVAL);
	y[5] = -1;
	assert_int_equal(forecast_run(&(struct forecast_opt){ .horizon = 24 }, 800, y, &f, &e),
			 -EINVAL);
	assert_has(e.msg, "hour 6");
	y[5] = INFINITY;
	assert_int_equal(forecast_run(&(struct forecast_opt){ .horizon = 24 }, 800, y, &f, &e),
			 -EINVAL);
	y[5] = 1e300;
	assert_int_equal(forecast_run(&(struct forecast_opt){ .horizon = 24 }, 800, y, &f, &e),
			 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(finds_the_season),
		cmocka_unit_test(looks_only_back),
		cmocka_unit_test(same_answer_twice),
		cmocka_unit_test(unknown_is_not_zero),
		cmocka_unit_test(too_little),
		cmocka_unit_test(constant),
		cmocka_unit_test(rubbish),
		cmocka_unit_test(tests_what_it_says),
		cmocka_unit_test(short_history),
		cmocka_unit_test(a_change_of_level_is_believed),
		cmocka_unit_test(an_excursion_is_not),
		cmocka_unit_test(what_goes_on_stands_in),
		cmocka_unit_test(a_gap_that_comes_back_is_not),
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
