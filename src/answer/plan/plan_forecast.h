#ifndef TARE_ANSWER_PLAN_PLAN_FORECAST_H
#define TARE_ANSWER_PLAN_PLAN_FORECAST_H
/*
 * Demand to come by the hour, by team and GPU model from the ledger, or of one file; projects
 * entered by hand on top. See opt/forecast/forecast.h.
 */
#include "answer/ask.h"
#include "opt/capacity/demand.h"
#include "opt/forecast/forecast.h"

struct forecast_planned { /* a project that no history knows of */
	const char *team, *model;
	double units;
	int64_t from_ms, to_ms;
};
struct forecast_ask {
	/* its store and window where there is no file */
	struct ask ask;
	const char *file; /* demand by the hour; NULL: what is held by the ledger */
	bool jobs;        /* or a list of jobs: an hour has the units of all that overlap it */
	size_t hours;     /* of the file, from the first, to DEMAND_MAX_HOURS; 0 = all */
	size_t horizon;   /* hours ahead, 1 to FORECAST_MAX_HORIZON */
	const struct forecast_planned *planned; /* [nplanned] */
	size_t nplanned;
};
struct forecast_series {
	const char *team, *model; /* NULL: the whole file; "" = nobody, unknown */
	double *y;                /* [n] by the hour, NAN unknown */
	double *planned;          /* [horizon] of the projects */
	double planned_max;
	struct forecast f;
	/* of the ledger: what an hour of a unit costs, by the newest hours that have a price; NAN:
	 * unknown. currency NULL: several */
	double unit_hour;
	const char *currency;
};
enum { FORECAST_MEAN, FORECAST_LOW, FORECAST_HIGH, FORECAST_CASES };
/*
 * Effective cost of the hours ahead in one currency, to the cent, by [case]: expected, and the 10 %
 * and 90 % quantiles as if those of all series came together. What is held is at what it cost in
 * the last 7 days. What is paid however much is used (not on demand nor spot: commitments with what
 * is unused of them, owned GPUs) goes on as in the last 28 days, or since it is there; of it, what
 * is not held is `fixed`. `rented` is paid by the hour and held by nobody, or of no forecast, as in
 * the last 7 days: machines of a pool that were there in each of these hours stay, so what is held
 * of them less is in it. `other` is the mean of the last 28. Each provider's days end with its own
 * last hour, where that is in the last 7.
 */
struct forecast_cost {
	const char *currency;
	dec held[FORECAST_CASES], fixed[FORECAST_CASES], rented[FORECAST_CASES];
	dec other[KIND_N], total[FORECAST_CASES];
};
struct forecast_answer {
	int64_t from_ms; /* first hour of the history */
	size_t n, horizon;
	struct forecast_series *series; /* [nseries] by team and model */
	size_t nseries;
	const struct forecast_planned **outside; /* [noutside] not in the hours forecast */
	size_t noutside;
	struct forecast_cost *cost; /* [ncost] of the ledger, by currency */
	size_t ncost;
	const char *const *note; /* [nnote] sentences: hours of the ledger that are not known */
	size_t nnote;
	bool any; /* at least one has history enough */
};
/* Returns 0; -ENODATA: there is no history; or a negative errno. forecast_answer_free() in any
 * case. */
int answer_plan_forecast(const struct forecast_ask *q, struct forecast_answer *ret,
			 struct err *err);
void forecast_answer_free(struct forecast_answer *a);
/* With what is planned, of all hours ahead: the mean of quantile q of FORECAST_NQ, -1: of what is
 * expected; NAN: no forecast. What that costs; NAN: not known in one currency. */
double forecast_mean(const struct forecast_answer *a, const struct forecast_series *s, int q);
double forecast_cost(const struct forecast_answer *a, const struct forecast_series *s, int q);
/* first hour forecast */
int64_t forecast_start_ms(const struct forecast_answer *a);
#endif
