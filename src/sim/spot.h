#ifndef TARE_SIM_SPOT_H
#define TARE_SIM_SPOT_H
/*
 * Replay of one task with a deadline on a history of a spot market, tick by tick (semantics:
 * opt/spot/spot.h). A policy sees the tick that is about to run and what was before, never later
 * ones; only the bound does, and says so.
 */
#include "opt/spot/spot.h"

struct spot_policy {
	const char *name;
	/* Decide for the tick. ctx is the policy's own memory of this run. Holding spot where there
	 * is none counts as holding nothing. */
	enum spot_hold (*decide)(void *ctx, const struct spot_task *k, const struct spot_now *s);
	void *ctx;
};
/* A tick of a machine: first what is left of its restart, then work. */
void spot_work(const struct spot_task *k, int64_t *overhead_left_ms, int64_t *done_ms);
struct spot_run {
	int64_t spot_ticks, od_ticks, ticks; /* held; until done */
	int64_t restarts, interruptions;     /* machines started; spot machines taken away */
	int64_t moves;                       /* of the restarts: from zone to zone */
	double usd;
	bool late, done;
};
/*
 * The run ends when the work is done, at the latest at four times the deadline (done false).
 * Returns 0 or the error of spot_task_check(). O(ticks), allocates nothing.
 */
int spot_replay(const struct spot_task *k, const struct spot_history *h,
		const struct spot_policy *p, struct spot_run *ret, struct err *err);

#endif
