#ifndef TARE_ANSWER_PLAN_PLAN_COMMIT_H
#define TARE_ANSWER_PLAN_PLAN_COMMIT_H
/*
 * What to commit to from day to day, and how far that is from the best anybody could have done; see
 * opt/commit/commit.h. Amounts are unit-hours; a price makes money of them.
 */
#include "base/mem.h"
#include "catalog/catalog.h"
#include "opt/commit/commit.h"
#include "opt/commit/portfolio.h"

struct commit_ask {
	const char *file; /* demand by the hour; hours without a row count as 0 */
	bool jobs;        /* or a list of jobs: an hour has the units of all that overlap it */
	size_t hours;     /* only so many from the first; 0 = all */
	struct commit_term term[COMMIT_MAX_TERMS]; /* [nterm], or none where offers are given */
	size_t nterm;
	struct portfolio_offer offer[COMMIT_MAX_TERMS];
	size_t noffer;
	double wacc_frac, upfront_cap, outdated_frac; /* of the offers */
	double price; /* of a unit-hour on demand, 1 where it is not known */
	bool priced;
	enum commit_rule rule;
	bool compare; /* also run the other rules */
};
/* A machine whose offers the catalogue has. */
struct commit_type {
	const struct catalog *catalog;
	const char *provider, *region, *instance_type; /* provider NULL: any that has it */
	int64_t at_ms;
};
/*
 * Fills the offers of q, and its on-demand price where none was given, with what is in force for
 * the machine: a unit is a machine. Offers that cost as much as on demand are none. Texts are in
 * mem.
 * -ENODATA: nothing is offered, or known; the error says which. -EINVAL: the catalogue knows no
 * such type, or no on-demand price of it there.
 */
int commit_offers_of_type(const struct commit_type *t, struct arena *mem, struct commit_ask *q,
			  struct err *err);
struct commit_answer {
	/* as asked, or the offers with their upfront money in the rate */
	struct commit_term term[COMMIT_MAX_TERMS];
	size_t nterm;
	double *demand; /* [nhour] */
	size_t nhour;
	int64_t from_ms, gaps; /* gaps: hours without a row or value */
	struct commit_result own, best, other[COMMIT_RULES];
	struct portfolio today; /* of the offers: what to hold from the end of the data on */
};
/* Returns 0 or a negative errno; errors of the file name it. commit_answer_free() in any case. */
int answer_plan_commit(const struct commit_ask *q, struct commit_answer *ret, struct err *err);
void commit_answer_free(struct commit_answer *a);
#endif
