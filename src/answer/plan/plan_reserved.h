#ifndef TARE_ANSWER_PLAN_PLAN_RESERVED_H
#define TARE_ANSWER_PLAN_PLAN_RESERVED_H
/* What reserving saves over renting on demand, and when it pays off; see opt/commit/reserve.h. */
#include <stddef.h>

#include "opt/commit/reserve.h"

#define RESERVED_MAX_OFFERS 16

struct reserved_ask {
	struct reserve_ask machine; /* hours_month comes from util_frac */
	double util_frac;           /* share of the paid hours in which it is used */
	struct reserve_offer offer[RESERVED_MAX_OFFERS]; /* [n], one at least */
	size_t n;
};
struct reserved_answer {
	struct reserve_result offer[RESERVED_MAX_OFFERS]; /* [n] of the question */
	/* that costs least a year, money upfront at its cost; NULL: on demand does */
	const struct reserve_offer *best;
};
/* Returns 0, -EINVAL for what makes no sense, -ERANGE for what money cannot hold. */
int answer_plan_reserved(const struct reserved_ask *q, struct reserved_answer *ret,
			 struct err *err);
#endif
