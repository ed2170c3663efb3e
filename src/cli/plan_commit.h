#ifndef TARE_CLI_PLAN_COMMIT_H
#define TARE_CLI_PLAN_COMMIT_H
/* tare plan commit: what was asked and what came out, and its views. Amounts are unit-hours; a
 * price makes money of them. */
#include "cli/cli.h"
#include "opt/commit.h"
#include "opt/portfolio.h"

struct commit_ask {
	struct commit_term term[COMMIT_MAX_TERMS];
	size_t nterm;
	/* [nterm] where offers are given instead of rates */
	struct portfolio_offer offer[COMMIT_MAX_TERMS];
	bool offers;
	double wacc_frac, upfront_cap, outdated_frac;
	double price; /* of a unit-hour on demand */
	bool priced;
	enum commit_rule rule;
	double *demand;
	size_t nhour;
	int64_t from_ms, gaps, month_hours;
};
struct commit_answer {
	struct commit_result own, best, other[COMMIT_RULES];
	struct portfolio today; /* of the offers */
	bool compared;
};

void plan_commit_json(const struct commit_ask *a, const struct commit_answer *s, struct str *out);
/* what is bought */
void plan_commit_csv(const struct commit_ask *a, const struct commit_answer *s, struct str *out);
void plan_commit_text(const struct cli *c, const struct commit_ask *a,
		      const struct commit_answer *s, struct str *out);

#endif
