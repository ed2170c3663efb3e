#ifndef TARE_PLAN_LEVER_MARKET_H
#define TARE_PLAN_LEVER_MARKET_H
/*
 * The market of spot machines of a type at a place, as it was recorded: prices that somebody read
 * over time. One price that is listed or advised says nothing of what comes, and is no market.
 */
#include "plan/lever/lever.h"

struct market {
	const char *instance_type, *zone, *source;
	int64_t gpus_milli; /* of the type */
	/* mean of the last four weeks that were recorded; of a GPU and hour */
	int64_t nano_gpu_hour;
	/* a month to come, of that mean: 5th and 95th percentile by the moves of all that was
	 * recorded */
	double lo, hi;
	double weeks;   /* recorded in the last plan.gates.history_days */
	size_t records; /* prices in that time */
	bool yours;     /* some of them from the customer's own files */
	int interruption_lo_pct, interruption_hi_pct; /* -1: not known */
};
/*
 * Of the machine on which a use is. false: fewer than two prices over plan.gates.spot_market_weeks;
 * what there is of it is in ret all the same (weeks 0: nothing). Of several zones the use's own,
 * else of those that are recorded well enough the customer's own prices, then the cheapest.
 */
bool market_of(const struct lever_in *in, const struct use *u, struct market *ret);

#endif
