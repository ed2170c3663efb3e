#ifndef TARE_OPT_FORECAST_FORECAST_H
#define TARE_OPT_FORECAST_FORECAST_H
/*
 * Forecast of hourly demand with quantiles: a bank of simple methods, scored by a rolling-origin
 * back-test on the series itself and combined (weighted median and mean), weights from the scores.
 * At no origin does anything later enter: neither in parameters nor in weights.
 *
 *   MASE of a method = mean over origins of ( mean_i |y(o+i) - f(o+i)| ) / scale
 *   scale            = mean |y(t) - y(t-24)| over the whole series
 *
 * Unknown hours are NAN: they are stepped over, never counted as 0. A series too short or with too
 * few known hours gives FORECAST_TOO_LITTLE.
 */
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

enum forecast_method {
	FC_NAIVE,       /* the last hour goes on */
	FC_SEASON_DAY,  /* as 24 hours before */
	FC_SEASON_WEEK, /* as 168 hours before */
	FC_MEAN_7D,
	FC_SES,     /* simple exponential smoothing */
	FC_HW_DAY,  /* damped Holt-Winters, additive, m = 24 */
	FC_HW_WEEK, /* m = 168 */
	FC_THETA,
	/* the level now goes on, without a short excursion where such have come back */
	FC_HELD,
	/* falls back from the last hour to a mean of weeks, with the shape of a day */
	FC_REVERT,
	FC_MEDIAN, /* median of seasonal naives, mean, SES, Holt-Winters, Theta */
	FC_METHODS,
};
const char *forecast_method_name(enum forecast_method m); /* "naive", "seasonal_day", ... */

/* two weeks: the weekly methods need two of each hour of the week */
#define FORECAST_MIN_HOURS   336
#define FORECAST_MAX_HORIZON 8760
#define FORECAST_NQ          5
extern const double forecast_quantile[FORECAST_NQ]; /* 0.05 0.10 0.50 0.90 0.95 */

struct forecast_opt {
	size_t horizon; /* hours ahead, 1 to FORECAST_MAX_HORIZON */
	size_t step;    /* hours between origins of the back-test; 0 = 24 */
	size_t origins; /* at most so many, the latest; 0 = 60; SIZE_MAX = all */
	/* origins before this hour train the weights and are not counted in the MASE; 0 = all
	 * count */
	size_t score_from;
	/* where the combination was so many times worse than the last hour, or the day or the week
	 * before going on, the best of these is the answer; 0 = never */
	double worse;
};

enum forecast_state { FORECAST_OK, FORECAST_TOO_LITTLE };

struct forecast {
	enum forecast_state state;
	char why[200];                 /* of too little, a sentence */
	size_t horizon, known;         /* known hours of the series */
	double *point;                 /* [horizon] >= 0 */
	double *quantile[FORECAST_NQ]; /* [horizon] each, not crossing, >= 0 */
	size_t origins, scored;        /* of the back-test */
	double scale;                  /* NAN where the series is the same every day */
	double mase[FC_METHODS], weight[FC_METHODS]; /* weights add up to 1 */
	/* of the combination, under the same rules; NAN without scored origins */
	double mase_combined;
	bool instead; /* the combination was worse (forecast_opt.worse): `best` is what is returned */
	/* of the scored hours between the 10 % and the 90 % quantile, both from residuals before
	 * the origin; NAN, also with instead */
	double covered_frac;
	enum forecast_method best; /* the one with the largest weight; all of it with instead */
};

/*
 * y [n] by the hour, >= 0 or NAN. Returns 0 (state says whether there is an answer) or -EINVAL: a
 * negative or infinite value, a horizon out of range. Deterministic. O((n + origins x horizon) x
 * 70); see docs/ALGORITHMS.md for times.
 * Sources: Theta as in Assimakopoulos & Nikolopoulos 2000, Int. J. Forecasting 16, 521-530, in the
 * form of Hyndman & Billah 2003; damped trend: Gardner & McKenzie 1985, Management Science 31,
 * 1237-1246; combination: M4, Makridakis et al. 2020, Int. J. Forecasting 36, 54-74.
 * Differs in: parameters from a small grid by back-test at the horizon asked for instead of
 * one-step likelihood; FC_REVERT is our own.
 */
int forecast_run(const struct forecast_opt *o, size_t n, const double *y, struct forecast *ret,
		 struct err *err);
void forecast_free(struct forecast *f);

#endif
