#ifndef TARE_SIM_BATCHES_H
#define TARE_SIM_BATCHES_H
/*
 * Replay of requests against replicas that run them in batches: a replica that is free takes all
 * that waits for it, up to a cap, and takes the next when these are done. Deterministic; nothing
 * waits for a batch to fill.
 */
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

enum sim_dispatch {
	SIM_SHARED_QUEUE, /* one queue, any free replica takes from it */
	SIM_IN_TURN,      /* a balancer gives each replica the next request, each has a queue */
};
struct sim_batching {
	int replicas, cap;
	const double *latency_ms; /* [cap + 1] of a batch of so many; [0] is not read */
	double slo_ms;
	int64_t max_over; /* stop when more requests than that took longer; -1: never */
	enum sim_dispatch how;
};
struct sim_batches {
	int64_t over; /* requests above slo_ms; as far as it came where it stopped */
	int64_t batches;
	double busy_frac; /* of the replicas' time from the first request to the last answer */
};
/*
 * t_ms [n] arrivals in order. ret_latency_ms: [n] of each request, or NULL. -EINVAL for arrivals
 * out of order or numbers that make no sense. O(n log replicas) time, O(replicas) memory.
 */
int sim_batches(size_t n, const double *t_ms, const struct sim_batching *b, double *ret_latency_ms,
		struct sim_batches *ret, struct err *err);

/* Of replicas in a heap [n] of the times at which each is free, the earliest at the top: the one at
 * the top is free at v from now on. O(log n). */
void sim_replica_free_at(double *heap, size_t n, double v);

/* Nearest rank q of v [n], which is put in order; NAN without any. O(n log n). */
double sim_percentile(double *v, size_t n, double q);

/* Arrivals at `qps` a second, t_ms [n] from 0: independent of each other. */
void sim_poisson(double qps, uint64_t seed, size_t n, double *t_ms);
/* In bursts: independent at (1 - swing) and (1 + swing) times the rate in turn, each for an
 * exponential time of mean hold_ms. */
void sim_bursts(double qps, double swing, double hold_ms, uint64_t seed, size_t n, double *t_ms);

#endif
