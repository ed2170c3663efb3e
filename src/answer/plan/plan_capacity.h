#ifndef TARE_ANSWER_PLAN_PLAN_CAPACITY_H
#define TARE_ANSWER_PLAN_PLAN_CAPACITY_H
/* GPUs for a rate of requests, and whether a utilisation is healthy. */
#include "opt/capacity/capacity.h"

struct capacity_ask {
	double qps, gpu_qps;  /* NAN: no rate is asked about */
	double headroom_frac; /* room for peaks */
	double util_frac;     /* of GPUs that serve now, NAN */
};
struct capacity_answer {
	int64_t bare, gpus; /* without and with head-room; of a rate only */
	int64_t peak;       /* that just serve the rate and its head-room: at most `gpus` */
	double load_frac;   /* part of its rate that each GPU then runs at, NAN */
	/* of the utilisation where it was given, else of the load */
	enum capacity_band band;
};
/* Returns 0, or -EINVAL or -E2BIG for numbers that make no sense. */
int answer_plan_capacity(const struct capacity_ask *q, struct capacity_answer *ret,
			 struct err *err);
#endif
