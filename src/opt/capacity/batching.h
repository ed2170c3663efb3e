#ifndef TARE_OPT_CAPACITY_BATCHING_H
#define TARE_OPT_CAPACITY_BATCHING_H
/*
 * Batches of inference requests under a latency bound: how large, how long to wait, how many
 * replicas. Latency of a batch of b requests is l(b) = alpha + beta b milliseconds, or the measured
 * points themselves where a profile has them.
 */
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

struct batch_point {
	int batch;
	double latency_ms;
};

struct batch_model {
	/* beta NAN: only one batch size was measured, its latency is alpha */
	double alpha_ms, beta_ms;
	double r2; /* of the fit, NAN with fewer than three points */
};
/* Least squares with alpha, beta >= 0. One point: beta NAN. -EINVAL for points that are no
 * latencies (batch >= 1, 0 < ms < 1e9). */
int batch_fit(size_t n, const struct batch_point *p, struct batch_model *ret, struct err *err);
/* NAN where beta is not known and b is not 1 */
double batch_latency_ms(const struct batch_model *m, double b);

struct batch_in {
	double slo_ms, qps; /* qps NAN: no rate given */
	struct batch_model model;
	int max_batch; /* largest that fits memory or was measured */
	/* [max_batch + 1] what batches took where they were measured, not falling; NULL: only the
	 * model's line is known. The larger of both counts. */
	const double *measured_ms;
	double model_ms; /* of the batch that is to run, NAN: that of the safe batch */
};
struct batch_plan {
	bool feasible;        /* a batch of one meets the bound */
	double wait_bound_ms; /* SLO - model: for waiting and everything else */
	/* a first setting of the wait: 20 to 30 ms, at most half of the bound */
	double start_lo_ms, start_hi_ms;
	/* largest b with 2 l(b) <= SLO: a request may wait for a whole batch before its own; 0 =
	 * none */
	int safe;
	int absolute;        /* largest b with l(b) <= SLO: nothing may wait; 0 = none */
	double capacity_qps; /* of one replica at the safe batch: safe / l(safe); NAN */
	/* for qps: each at most 0.9 of its capacity, by rates alone; arrivals that are not even
	 * need more (sim/batches.h). 0 = not asked or not known */
	int replicas;
	/* largest b with (1 + 1/replicas) l(b) <= SLO when replicas start in turn */
	int staggered;
	double load_frac; /* qps / (replicas x capacity) */
	double fill_ms;   /* time in which one replica gets a safe batch at that rate */
};
/* Infeasible is an answer. -EINVAL for numbers that make no sense, or above a million replicas. */
int batch_decide(const struct batch_in *in, struct batch_plan *ret, struct err *err);
/* What depends on the number of replicas, for another one; needs a rate and a safe batch. */
void batch_use_replicas(const struct batch_in *in, int replicas, struct batch_plan *p);
/* ret [max + 1] for batch_in.measured_ms: the measured points joined by lines, not falling; outside
 * of them the model's line. */
void batch_measured(size_t n, const struct batch_point *p, const struct batch_model *m, int max,
		    double *ret);

#endif
