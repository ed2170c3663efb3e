#ifndef TARE_OPT_COMMIT_COMMIT_H
#define TARE_OPT_COMMIT_COMMIT_H
/*
 * When to buy how much of a commitment (reserved instances, committed use, a savings plan in
 * dollars an hour), hour by hour and without looking ahead, and the exact optimum of those who
 * could have looked ahead. Demand is in units an hour (GPUs, machines, dollars); money is in
 * on-demand hours of one unit: on demand costs 1, a committed unit rate_frac an hour, used or not,
 * until its term ends.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct commit_term {
	int64_t hours; /* 1 .. COMMIT_MAX_TERM_H */
	/* of the on-demand price, upfront spread over the term: above 0, below 1 */
	double rate_frac;
};
#define COMMIT_MAX_TERM_H (10 * 8784)
#define COMMIT_MAX_HOURS  (20 * 8784)
#define COMMIT_MAX_UNITS  1e9
#define COMMIT_MAX_TERMS  128

struct commit_buy {
	int64_t hour; /* in force from the start of this hour, for its whole term */
	int32_t term; /* index */
	int64_t units;
};

/* The rules. commit_rule_name(): "tare" "on_demand" "break_even" "seven_day" "seven_day_quarter"
 * "seven_and_28_day". */
enum commit_rule {
	COMMIT_TARE,      /* ours: see commit.c */
	COMMIT_ON_DEMAND, /* never */
	/* Wang, Li & Liang's deterministic rule: buy what would have paid off; at most twice the
	 * optimum */
	COMMIT_BREAK_EVEN,
	/* each day up to the best level of the last 7 days: what providers advise */
	COMMIT_SEVEN_DAY,
	COMMIT_SEVEN_DAY_QUARTER, /* the same, a quarter of what is missing each day */
	COMMIT_SEVEN_AND_28_DAY,  /* the smaller of the best levels of 7 and 28 days */
	COMMIT_RULES
};
const char *commit_rule_name(enum commit_rule r);

struct commit_result {
	/* in on-demand hours; fees of terms that outlive the data pro rata to its end */
	double cost;
	double on_demand_cost;        /* all of it on demand */
	double fees, used, committed; /* committed: unit-hours paid for; used: of them */
	/* of demand; of what was committed. NAN where there is none */
	double coverage_frac, utilisation_frac;
	size_t nbuy;
	struct commit_buy *buy; /* malloc'ed, in order of time */
};
void commit_result_free(struct commit_result *r);

struct commit_in {
	const double *demand; /* [nhour] */
	size_t nhour;
	const struct commit_term *term; /* [nterm] */
	size_t nterm;
};
/*
 * Run a rule over the demand. At hour t it knows the hours before t (break_even: and hour t, as
 * published). Rules other than ours use the first term only. -EINVAL for bad terms or demand
 * (negative, not finite, above COMMIT_MAX_UNITS), -E2BIG for too many hours. Deterministic. Ours:
 * O(nhour x 700 + days x terms x 64 x log units) time, of the terms that no other makes needless.
 */
int commit_run(enum commit_rule rule, const struct commit_in *q, struct commit_result *ret,
	       struct err *err);

/*
 * The least cost of anybody who knew all of demand, exact (rates to 9 digits, demand to 3):
 * min-cost flow over the hours, with its proof checked. A year of hours takes about a tenth of a
 * second, with a hundred lengths of terms two seconds. Errors as above.
 */
int commit_optimum(const struct commit_in *q, struct commit_result *ret, struct err *err);

/* The best level held all the time, in hindsight, with the first term's rate: the largest c used in
 * at least rate_frac of the hours. */
double commit_static_level(const double *demand, size_t nhour, double rate_frac);

/* Online, for whoever decides from hour to hour: feed what was used in each hour, ask what to buy
 * before the next. */
struct commit;
struct commit *commit_new(const struct commit_term *term, size_t nterm);
void commit_free(struct commit *c);
/* bought earlier, still in force for so long */
void commit_held(struct commit *c, int64_t units, int64_t hours_left);
/* of the hour that ends now */
void commit_observe(struct commit *c, double demand);
/* Units of each term to buy now, [nterm]; returns their sum. Changes nothing but the clock's memory
 * of what was bought. */
int64_t commit_decide(struct commit *c, int64_t *ret_units);
/* The probability, as the rule sees it, that demand hours_ahead from now is at least `level`. NAN
 * before a day was seen. */
double commit_chance(struct commit *c, double level, double hours_ahead);
/* The mean of that over the next term_h hours: the share of them in which the level is expected to
 * be used. */
double commit_term_chance(struct commit *c, double level, int64_t term_h);
/* The largest level that such a term supports now, whatever is held: what nobody should ever commit
 * beyond. */
double commit_supported_level(struct commit *c, const struct commit_term *term);
/*
 * Expected share of a level, held for the term, that is used if the level drifts z standard
 * deviations off (0: as now; -1.645: the 5th percentile of the walk). NAN before a day was seen or
 * for no level.
 */
double commit_used_frac(struct commit *c, const struct commit_term *term, double level, double z);
/* For commit_used_frac(), where the caller knows more than the last month: the standard deviation
 * of the level's logarithm over a day; until the next hour is observed. */
void commit_set_walk(struct commit *c, double day);
/* of the daily level, 0 (comes and goes) .. 1 (stays); NAN before a day was seen */
double commit_persistence(const struct commit *c);

#endif
