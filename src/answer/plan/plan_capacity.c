#include "answer/plan/plan_capacity.h"

#include <math.h>

int answer_plan_capacity(const struct capacity_ask *q, struct capacity_answer *ret, struct err *err)
{
	int r = 0;

	*ret = (struct capacity_answer){ .load_frac = NAN };
	if (!isnan(q->qps)) {
		r = capacity_gpus(q->qps, q->gpu_qps, 0, &ret->bare, err);
		if (r >= 0)
			r = capacity_gpus(q->qps, q->gpu_qps, q->headroom_frac, &ret->gpus, err);
		if (r >= 0)
			r = capacity_gpus(q->qps * (1 + q->headroom_frac), q->gpu_qps, 0,
					  &ret->peak, err);
		if (r >= 0 && ret->gpus)
			ret->load_frac = q->qps / (q->gpu_qps * (double)ret->gpus);
	}
	ret->band = capacity_band(isnan(q->util_frac) ? ret->load_frac : q->util_frac);
	return r;
}
