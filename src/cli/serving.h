#ifndef TARE_CLI_SERVING_H
#define TARE_CLI_SERVING_H
/* A day of a serving fleet from its series: minutes at 0 % by cause, its requests, how many
 * containers would have done. Behind `tare simulate requests`. */
#include "feed/points.h"
#include "sim/requests.h"

enum idle { IDLE_SERVING, IDLE_LOADING, IDLE_BETWEEN, IDLE_HOUR, IDLE_EMPTY, IDLE_UNKNOWN, IDLE_N };
enum serie { S_DUTY, S_MEMORY, S_QPS, S_QUEUE, S_INFER, S_UPDATE, S_N };

struct served { /* what the series say of a request */
	struct sim_request r;
	bool queued; /* its time in the queue was measured */
};

struct serving {
	struct intern names;
	struct points s[S_N];
	double bound_bytes;      /* more memory than this is a loaded model */
	double headroom, slo_ms; /* slo NAN: none */
	uint64_t seed;
	/* worked out */
	double step_ms, quantum;    /* of the duty series; rate of one request in a step */
	int64_t idle[IDLE_N], zero; /* container-minutes at exactly 0 %, by cause and all */
	VEC(struct served) work;    /* in order of time */
	/* no_latency: of the requests, taken at the median; loads: models loaded without a
	 * request */
	int64_t requests, no_latency, loads;
	double queue_before_ms, queue_after_ms; /* 99th percentile */
	double busy_ms, duty_ms, mem_max;       /* GPU time by requests, by utilisation; bytes */
	struct sim_latency before, after, fewest_at;
	int containers, most_at_once;     /* seen in the duty series */
	int fewest, replicas;             /* without and with head-room */
	double hours_before, hours_after; /* GPU-hours */
};

/* Names and sentences of enum idle. */
extern const struct idle_name {
	const char *key, *text;
} idle_name[IDLE_N];

/*
 * From the series and settings (s, bound_bytes, headroom, slo_ms, seed) all the rest. S_DUTY, S_QPS
 * and S_INFER are there, the others may be empty. -ENODATA when no request names a container.
 */
int serving_replay(struct serving *y, struct err *err);
void serving_free(struct serving *y);

#endif
