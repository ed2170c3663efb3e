#ifndef TARE_OPT_COMMIT_PORTFOLIO_H
#define TARE_OPT_COMMIT_PORTFOLIO_H
/*
 * What to commit to today when several offers are on the table: reservations of one or three years
 * with no, part or all of the price upfront, committed use, and savings plans in dollars an hour
 * over several types of machine. (commit.h decides from day to day with one price a term.)
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

#define PORTFOLIO_MAX_OFFERS 128
#define PORTFOLIO_SLICES     512 /* of the highest demand: more levels are decided in groups */

struct portfolio_offer {
	const char *name;
	int64_t term_h;
	double upfront, hour; /* per unit, for the term and for each hour of it */
};
struct portfolio_ask {
	const double *demand; /* [nhour] units */
	size_t nhour;
	double on_demand;          /* per unit and hour */
	double wacc_frac;          /* cost of capital a year */
	double upfront_cap;        /* INFINITY = none */
	double outdated_year_frac; /* chance a year that nobody wants the type any more */
	/*
	 * Share of the term's hours in which demand is at least the level; NULL: as in the history.
	 * Falls with the level. ctx is the caller's.
	 */
	double (*use)(void *ctx, double level, int64_t term_h);
	void *ctx;
};
struct portfolio_part {
	int64_t units;
	double rate; /* effective, an hour and unit, with capital: what a unit has to earn */
	/* of the hours of its term, outdated types counted in; above 1: never pays */
	double break_even_frac;
	double upfront; /* of all its units */
};
struct portfolio {
	struct portfolio_part part[PORTFOLIO_MAX_OFFERS];
	int64_t units;
	double upfront;
	/* per hour of the history, the fees as they would have been paid all along */
	/* expected: by use() and outdated types */
	double cost_hour, on_demand_hour, expected_saving_hour;
	double coverage_frac, utilisation_frac; /* NAN where there is none */
};

/*
 * For each unit, from the surest up, the offer with the largest expected saving, or none; under the
 * cap on upfront money the best by a Lagrange multiplier, filled up. -EINVAL for numbers that make
 * no sense. O(nhour log nhour + slices x offers) and as many calls of use().
 */
int portfolio_choose(const struct portfolio_ask *a, const struct portfolio_offer *o, size_t n,
		     struct portfolio *ret, struct err *err);

/*
 * A savings plan over several types: the best commitment in dollars an hour. In every hour the plan
 * covers the type with the largest discount first (as providers apply it); what it does not cover
 * is on demand.
 */
struct savings_plan_ask {
	size_t ntype, nhour;
	const double *demand;    /* [ntype][nhour] units */
	const double *on_demand; /* [ntype] price of a unit */
	/* [ntype] price of a unit at the plan's rate, NAN = not covered by it */
	const double *plan;
	/* (0, 1] share of the history's use that is expected over the term */
	double worth_frac;
};
struct savings_plan {
	/* dollars an hour; covered at on-demand prices, in the history */
	double commit_hour, covered_hour, saving_hour;
	double utilisation_frac, coverage_frac; /* NAN where there is none */
};
int savings_plan_best(const struct savings_plan_ask *q, struct savings_plan *ret, struct err *err);

#endif
