#ifndef TARE_ANSWER_SIMULATE_SIMULATE_SPOT_H
#define TARE_ANSWER_SIMULATE_SIMULATE_SPOT_H
/* A task with a deadline replayed on histories of spot markets, policy by policy; see sim/spot.h,
 * opt/spot/spot.h and opt/spot/spot_dp.h. */
#include "answer/ask.h"

enum spot_policy_kind {
	SPOT_POLICY_GREEDY,
	SPOT_POLICY_UNIFORM,
	SPOT_POLICY_ON_DEMAND,
	SPOT_POLICY_OFFLINE, /* knows every tick beforehand: the bound */
	SPOT_POLICY_TARE,
	SPOT_POLICY_N
};
extern const char *const spot_policy_name[SPOT_POLICY_N]; /* "greedy" ... */

struct simulate_spot_ask {
	struct ask ask;        /* only its memory */
	const char *scenarios; /* file of the histories (feed/planner/spot_trace.h) */
	const char *history;   /* file of the markets that tare knows; NULL: those shipped */
	bool want[SPOT_POLICY_N];
	int64_t work_ms;
	dec od_usd_h, spot_usd_h;
	const int64_t *deadline_ms; /* [ndeadline] each scenario with each of them */
	size_t ndeadline;
	const int64_t *restart_ms; /* [nrestart]; none: what each row of the file says */
	size_t nrestart;
	int64_t windows; /* starts in each history, evenly spread; 0: one, at its beginning */
	/* after each history and restart: so many of them are done; may be NULL */
	void (*progress)(void *ctx, size_t done, size_t of);
	void *ctx;
};
struct simulate_spot_sum { /* of the runs of a policy */
	int64_t n, late, interruptions, restarts;
	int64_t spot_ms, od_ms; /* machines held */
	dec mean_usd;           /* exact: whole milliseconds times prices, divided once */
};
struct simulate_spot_score {
	const char *policy;
	bool is_bound;                         /* interruptions and restarts are not known */
	struct simulate_spot_sum all, half[2]; /* half: starts of even and odd number */
	const struct simulate_spot_sum *by;    /* [ncell] */
	/* cost against the bound's and the uniform policy's, less 1; NAN: they did not run */
	double above_bound_frac, above_uniform_frac;
	/* run by run: share of the runs that cost more than the uniform policy's, and the most that
	 * one did, as a share; NAN as above */
	double costlier_frac, worst_above_uniform_frac;
};
struct simulate_spot_cell {
	int64_t restart_ms, deadline_ms;
};
struct simulate_spot {
	const struct simulate_spot_score *score; /* [n] of the policies wanted */
	size_t n;
	const struct simulate_spot_cell *cell; /* [ncell] */
	size_t ncell;
	bool has_halves; /* several starts */
	/* times that the policy tare made the plans of a market: once for each tick and restart */
	int64_t planned;
};
/*
 * Returns 0 or a negative errno: -EINVAL for a file or a task that makes no sense, -ENODATA where
 * tare knows no market with ticks of that length, -E2BIG where its plans would need gigabytes.
 */
int answer_simulate_spot(const struct simulate_spot_ask *q, struct simulate_spot *ret,
			 struct err *err);
#endif
