#ifndef TARE_SIM_REQUESTS_H
#define TARE_SIM_REQUESTS_H
/*
 * Replay of a service's requests against so many replicas: what fewer GPUs would have done to its
 * latencies. Two views of history:
 *
 *   sim_requests   each request with its time and work: a queue, first come first served, any free
 *                  replica
 *   sim_minutes    counts and latencies per minute: an Erlang-C queue in each minute, and what is
 *                  left over goes into the next
 *
 * Both are deterministic and take all times from the caller.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct sim_request {
	double t_ms;
	double base_ms;    /* measured beside the work: network, scheduling; stays as it was */
	double service_ms; /* the request's own work */
	/* more time for which the replica is taken (loading a model); before the work */
	double hold_ms;
	bool counted; /* false: takes a replica, has no latency of its own */
};
struct sim_latency {
	int64_t requests;
	double p50_ms, p95_ms, p99_ms, max_ms; /* NAN without requests; nearest rank */
	double wait_p99_ms, wait_max_ms;       /* for a replica */
	int64_t slo_violations;                /* latency above the bound; 0 without one */
	/* of the replicas' time between the first and the last moment */
	double busy_frac;
	int peak; /* replicas in use at once */
};

struct sim_serving {
	int replicas;
	double slo_ms; /* NAN: no bound */
};
/*
 * Requests in order of t_ms, latency = base + wait + hold + service. -EINVAL for requests out of
 * order or times that are no numbers, replicas < 1. ret_wait_ms: [n] the wait of each, or NULL. O(n
 * replicas) time, 16 n bytes. More replicas never make a request wait longer.
 */
int sim_requests(size_t n, const struct sim_request *r, const struct sim_serving *by,
		 double *ret_wait_ms, struct sim_latency *ret, struct err *err);

struct sim_minute {
	double count; /* requests, >= 0 */
	/* measured; NAN = not known: then the minute has load but no latency */
	double p50_ms, p95_ms, p99_ms;
};
struct sim_service {
	double step_ms; /* length of a minute: 60,000 */
	/* GPU time of a request: measured utilisation x GPU time / requests */
	double work_ms;
	/* GPUs' worth of other work on the replicas after the change: a neighbour on one of them;
	 * 0 */
	double base_load;
	/* what a request's own work takes longer after the change, on the slowest replica: a part
	 * of a GPU; 0 */
	double slower_ms;
	double load_factor; /* all counts times this, 1 = as it was */
};
struct sim_minutes {
	double requests;
	/* over all requests; NAN where no latency is known */
	double p99_before_ms, p99_after_ms;
	double slo_before, slo_after; /* requests above the bound */
	double peak_load_frac;        /* busiest minute: work / replicas */
	double p99_load_frac;         /* of the 99th percentile of minutes */
	int64_t overloaded;           /* minutes with more work than the replicas can do */
};
struct sim_change {
	int before, after; /* replicas */
	double slo_ms;     /* NAN: no bound */
};
/*
 * What `after` replicas instead of `before` would have done. In each minute the measured
 * percentiles grow by the growth of the same percentile of the wait of an M/M/k queue (exponential
 * work: pessimistic for GPUs, whose work varies less), plus the wait for what earlier minutes left
 * over. Half of the requests count as its 50th percentile, 45 % as its 95th, the rest as its 99th:
 * each at the slow end of its class.
 * -EINVAL for numbers that make no sense. O(minutes x replicas).
 */
int sim_minutes(const struct sim_service *s, size_t n, const struct sim_minute *m,
		const struct sim_change *c, struct sim_minutes *ret, struct err *err);

/* The wait that a part q of the requests does not exceed, with `load` GPUs' worth of work on k
 * replicas; INFINITY when load >= k. Erlang's C. */
double sim_wait_ms(double load, int k, double work_ms, double q);
/* Work of a minute's requests in GPUs. */
double sim_load(const struct sim_service *s, const struct sim_minute *m);

#endif
