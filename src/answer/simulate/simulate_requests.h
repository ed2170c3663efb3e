#ifndef TARE_ANSWER_SIMULATE_SIMULATE_REQUESTS_H
#define TARE_ANSWER_SIMULATE_SIMULATE_REQUESTS_H
/* A day of a serving fleet from its series: minutes at 0 % by cause, its requests, how many
 * containers would have done (sim/requests.h). */
#include "base/err.h"
#include "sim/requests.h"

enum fleet_serie {
	SERIE_DUTY,   /* utilisation in percent */
	SERIE_MEMORY, /* bytes held */
	SERIE_QPS,
	SERIE_QUEUE,  /* ms that requests waited */
	SERIE_INFER,  /* ms that inference took */
	SERIE_UPDATE, /* ms in which a model was loaded for a request */
	SERIE_N
};
enum idle_why { /* why a minute was at exactly 0 % */
		IDLE_SERVING,
		IDLE_LOADING,
		IDLE_BETWEEN,
		IDLE_HOUR,
		IDLE_EMPTY,
		IDLE_UNKNOWN,
		IDLE_WHY_N
};

struct simulate_requests_ask {
	/* files (feed/planner/points.h); duty, qps and inference are needed, the others may be
	 * NULL */
	const char *file[SERIE_N];
	double bound_bytes; /* more memory than this is a loaded model */
	double headroom;    /* containers beyond the fewest, as a share */
	double slo_ms;      /* NAN: none */
	uint64_t seed;      /* of the instants of requests within a step */
};
struct simulate_requests_side {
	int containers;
	double gpu_hours, queue_p99_ms; /* NAN: no request was in the queue */
	struct sim_latency latency;
};
struct simulate_requests {
	double step_ms;                   /* of the duty series */
	int64_t minutes;                  /* its rows */
	int64_t idle[IDLE_WHY_N], zero;   /* container-minutes at 0 %, by cause and all */
	int64_t requests;                 /* no_latency of them taken at the median */
	int64_t no_latency, loads;        /* loads: models loaded without a request */
	int64_t nobody;                   /* rows of requests that name no container */
	double busy_ms, duty_ms, mem_max; /* GPU time by requests, by utilisation; bytes */
	int containers, fewest;           /* seen; that would do, without head-room */
	/* before: as measured, with the most containers seen at once; after: with head-room */
	struct simulate_requests_side before, after;
	double headroom; /* the ask's */
};
/*
 * Returns 0 or a negative errno: -ENODATA for a file without rows or when no request names a
 * container, -E2BIG for more than 20,000 containers, -ERANGE for more than 400 days.
 */
int answer_simulate_requests(const struct simulate_requests_ask *q, struct simulate_requests *ret,
			     struct err *err);
#endif
