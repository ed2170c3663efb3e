#ifndef TARE_OPT_COMMIT_RESERVE_H
#define TARE_OPT_COMMIT_RESERVE_H
/*
 * Reserved against on demand for machines that run a number of hours a month, in exact money. No
 * forecast: the arithmetic of one decision (tare plan commit decides from demand).
 */
#include "base/dec.h"
#include "base/err.h"

#define RESERVE_MAX_MONTHS 120 /* of a term: ten years, above any that clouds sell */

struct reserve_offer {
	const char *name;  /* "1y", "3y no upfront", ... */
	int months;        /* of the term, 1..RESERVE_MAX_MONTHS */
	dec upfront, hour; /* per machine; an hour charged, used or not */
};
struct reserve_ask {
	dec on_demand_hour; /* per machine, > 0 */
	int64_t machines;   /* 1..10^6 */
	dec hours_month;    /* used in a month, per machine; up to 744 */
	/* hours a month that a reservation charges: 0 = as many as are used (a machine that always
	 * runs) */
	dec paid_hours_month;
	double wacc_frac; /* cost of capital a year; 0 = none. Only upfront_cost knows it */
};
struct reserve_result {
	dec od_month, od_year, od_term; /* all machines */
	/* of the offer: by the month (without upfront), over its term, a year of it */
	dec month, total, annual;
	dec saving_term, saving_year;
	double saving_frac; /* of on demand over the term */
	/* a machine must be used so many hours of the paid ones to pay off; above the paid hours:
	 * never */
	double break_even_hours_month;
	/* after which the upfront money is back, used as asked; INFINITY = never; 0 without upfront
	 * when it saves */
	double break_even_months;
	/* money down; what that money costs, at wacc, falling in a straight line over the term */
	dec upfront, upfront_cost;
	double saving_after_capital_frac;
};

/* -EINVAL names what makes no sense; -ERANGE when the product leaves what money can hold. Exact but
 * for the shares and break-even points. */
int reserve_compare(const struct reserve_ask *a, const struct reserve_offer *o,
		    struct reserve_result *ret, struct err *err);

#endif
