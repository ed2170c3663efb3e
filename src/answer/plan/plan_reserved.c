#include "answer/plan/plan_reserved.h"

#include <math.h>

int answer_plan_reserved(const struct reserved_ask *q, struct reserved_answer *ret, struct err *err)
{
	struct reserve_ask machine = q->machine;
	int r = 0;

	machine.hours_month = dec_muldiv(machine.paid_hours_month,
					 (int64_t)llround(q->util_frac * 1e9), 1000000000);
	for (size_t i = 0; i < q->n && r >= 0; i++)
		r = reserve_compare(&machine, &q->offer[i], &ret->offer[i], err);
	if (r >= 0) {
		const struct reserve_offer *best = NULL;
		double most = 0;

		for (size_t i = 0; i < q->n; i++)
			if (ret->offer[i].saving_after_capital_frac > most) {
				most = ret->offer[i].saving_after_capital_frac;
				best = &q->offer[i];
			}
		ret->best = best;
	}
	return r;
}
