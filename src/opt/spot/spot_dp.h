#ifndef TARE_OPT_SPOT_SPOT_DP_H
#define TARE_OPT_SPOT_SPOT_DP_H
/*
 * The value of every situation of a task with a deadline (opt/spot/spot.h) in a market whose turns
 * are a semi-Markov chain (opt/spot/spot_market.h), by backward induction over the ticks to go, and
 * the decision that follows from a mixture of such markets.
 */
#include "opt/spot/spot.h"
#include "opt/spot/spot_market.h"

struct spot_dp;
/*
 * Solve one market for all deadlines up to the task's. h [nmemory], by what is remembered of the
 * runs before: nmemory is 1 (nothing) or SPOT_MEMORY. Work is counted in grid_ms (gap_ms is fine:
 * between the points the value is interpolated). The work of s must fit the task's: done in no more
 * ticks than have passed. -E2BIG above 1 GiB. O(ticks * work / grid * (2 + 3 D/G) * SPOT_AGES *
 * nmemory) time and floats, less what cannot be reached.
 */
int spot_dp_new(const struct spot_task *k, const struct spot_hazard *h, int nmemory,
		int64_t grid_ms, struct spot_dp **ret, struct err *err);
size_t spot_dp_bytes(const struct spot_dp *d); /* what it holds */
void spot_dp_free(struct spot_dp *d);
struct spot_past { /* of the market, as spot_hazard has it */
	int memory, age_bucket;
};
/* Expected cost to the end of each action from here; 1e6 where it is not to be had, and much where
 * the deadline would be missed. */
void spot_dp_cost(const struct spot_dp *d, const struct spot_hazard *h, const struct spot_task *k,
		  const struct spot_now *s, struct spot_past past, double ret_usd[3]);

#define SPOT_MAX_MARKETS 64 /* a few kilobytes a run */
/* Beliefs of one run: which of the markets is it, and how old is its state. Only ticks already seen
 * go in. */
struct spot_belief {
	size_t n;
	const struct spot_dp *const *dp;  /* [n] */
	const struct spot_hazard *hazard; /* [n][nmemory] */
	int nmemory;                      /* 1 or SPOT_MEMORY */
	/* of the log-likelihood: kept from tick to tick; share of it that is believed */
	double forget, eta;
	double log_weight[SPOT_MAX_MARKETS];
	double weight[SPOT_MAX_MARKETS][SPOT_MEMORY][SPOT_AGES];
	int64_t age; /* 0 = not known */
	int64_t seen;
	bool had;
};
void spot_belief_init(struct spot_belief *b, size_t n, const struct spot_dp *const *dp,
		      const struct spot_hazard *hazard, int nmemory);
void spot_belief_see(struct spot_belief *b, bool has_spot);
/* Mean expected cost of each action over what is believed. */
void spot_belief_cost(const struct spot_belief *b, const struct spot_task *k,
		      const struct spot_now *s, double ret_usd[3]);
/* The policy "tare": see the tick, then the action with the least expected cost, or that of
 * spot_uniform() where it is nearly as good, inside spot_must(). ctx is a struct spot_belief. */
enum spot_hold spot_tare(void *ctx, const struct spot_task *k, const struct spot_now *s);

#endif
