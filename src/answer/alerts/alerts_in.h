#ifndef TARE_ANSWER_ALERTS_ALERTS_IN_H
#define TARE_ANSWER_ALERTS_ALERTS_IN_H
/* Inside the question for alerts: alerts.c runs the rules, alerts_cost.c says what they cost. */
#include "answer/alerts/alerts.h"

struct replay {
	const struct alerts_ask *q;
	int64_t since_ms, until_ms, end_ms; /* as in the answer */
	const struct series *series;        /* [nseries] all there are, by node and GPU */
	size_t nseries;
	VEC(struct fired) v;
	size_t gpus;
	int64_t samples;
};
/* Fills cost and currency of all in v: what the GPU cost in each hour, by the part of the hour in
 * which the alert fired. */
int replay_price(struct replay *r, struct err *err);
#endif
