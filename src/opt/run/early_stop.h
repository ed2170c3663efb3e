#ifndef TARE_OPT_RUN_EARLY_STOP_H
#define TARE_OPT_RUN_EARLY_STOP_H
/*
 * Early stopping, replayed on curves of runs that went to their end.
 *
 *   v_0 .. v_n-1   the metric at each evaluation, turned so that lower is better
 *   b_i            best so far by the rule: b_0 = v_0;
 *                  b_i = v_i if v_i < b_i-1 - d |b_i-1|, else b_i-1
 *   w_i            evaluations since b changed last
 *   s(p)           min { i : w_i >= p }: the run stops behind evaluation s; none: it goes to its end
 *   lost(p)        (min(v_0..s) - min v) / (v_0 - min v): part of what the run gained that is not
 *                  had; 0 where it gained nothing
 *
 * Of a long curve the caller may leave evaluations out, evenly: v is then every k-th of them and
 * the last, of all runs of a group with the same k. Patience counts what is in v: k p evaluations
 * of the run. What was better between is not seen, so lost and need are then estimates.
 *
 * w does not depend on p, so s grows with p and lost falls. The least patience with lost <= x is
 *
 *   need = 1 + max { w_i : i < j }
 *   j      the first evaluation with min(v_0..j) <= min v + x (v_0 - min v)
 *
 * and of a group of runs the largest need: no run of the past loses more than x.
 *
 * Source: Prechelt 1998, "Early Stopping - But When?" (criterion UP); patience and a threshold
 * relative to the best as in Keras' EarlyStopping and PyTorch's ReduceLROnPlateau. What differs:
 * the patience is read off the runs, not searched for, and is scored on runs that had no part in
 * choosing it (bootstrap, Efron 1983: each run about 0.37 of the draws).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct early_run {
	const double *v; /* [n] finite */
	/* [n] of the evaluations, rising; or NULL: they lie evenly between start and end */
	const int64_t *t_ms;
	size_t n; /* > 0; the memory and time of a group are in proportion to it: the caller bounds it */
	bool higher;
	int64_t start_ms, end_ms; /* of the time that is paid, end > start */
	double cost;              /* of that time, even over it; any unit */
};

/* Index of the evaluation behind which the run stops; n: it does not. patience >= 1. O(n). */
size_t early_stop_at(const struct early_run *r, size_t patience, double delta_frac);
/* Part of the run's gain that is lost if it stops there; at = n: 0. O(n). */
double early_lost_frac(const struct early_run *r, size_t at);
/* Part of its time, and so of its cost, behind that evaluation. O(1). */
double early_saved_frac(const struct early_run *r, size_t at);
/* The least patience with which it loses at most lost_frac. O(n). */
size_t early_need(const struct early_run *r, double delta_frac, double lost_frac);

struct early_ask {
	double delta_frac; /* d, >= 0 */
	double lost_frac;  /* x, 0 .. 1 */
	int draws;         /* > 0 */
	uint64_t seed;
};
struct early_stop {
	size_t patience;
	size_t stopped;         /* runs that would have ended before */
	double saved_cost;      /* of all */
	double worst_lost_frac; /* of any run, <= lost_frac */
	/* on runs that did not choose: saved part of the cost of all, 5th, 50th and 95th percentile
	 * of the draws; what the runs lost, mean, and the largest part of any */
	double p05_frac, p50_frac, p95_frac;
	double unseen_mean_lost_frac, unseen_worst_lost_frac;
};
/* For n >= 2 runs. Deterministic. O(sum of n x distinct needs + draws x n). */
void early_choose(size_t n, const struct early_run *run, const struct early_ask *ask,
		  struct early_stop *ret);

#endif
