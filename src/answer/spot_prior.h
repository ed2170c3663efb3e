#ifndef TARE_ANSWER_SPOT_PRIOR_H
#define TARE_ANSWER_SPOT_PRIOR_H
/* What is known of spot markets before a run: turns by state and age of each market, from the
 * shipped table or from a history file. */
#include "base/err.h"
#include "base/mem.h"
#include "opt/spot/spot_market.h"

struct spot_prior_market {
	const char *name;
	int64_t gap_ms;
	/* all ticks; those of which it is known what is remembered */
	struct spot_counts counts, by_memory[SPOT_MEMORY];
};
struct spot_prior {
	VEC(struct spot_prior_market) v;
	struct arena mem;
};

/* data/spot_markets.csv. -EBADMSG names the line. */
int spot_prior_shipped(struct spot_prior *ret, struct err *err);
/* A history as feed/planner/spot_trace.h reads it; rows of one market add up. */
int spot_prior_history(const char *path, struct spot_prior *ret, struct err *err);
void spot_prior_free(struct spot_prior *p);

#endif
