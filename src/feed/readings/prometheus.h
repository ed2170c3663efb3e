#ifndef TARE_FEED_READINGS_PROMETHEUS_H
#define TARE_FEED_READINGS_PROMETHEUS_H
/*
 * Weeks of existing history from a Prometheus server (or one that speaks its HTTP API): query_range
 * in bounded steps.
 *
 *   DCGM_FI_*                          -> samples, the mean of the readings in each step; a step
 *                                      without readings is unknown
 *   kube-state-metrics                 -> allocations (pods that hold GPUs) and nodes with GPUs
 *   vllm:*, nv_inference_* (Triton)    -> requests: counts, latency histogram, tokens, time of
 *                                      prefill and decode, from counters with resets
 *
 * Only ranges are asked for, never an instant: a gap in the server's data stays a gap here.
 */
#include "feed/feed.h"

struct feed_prometheus_opt {
	const char *url; /* "http://127.0.0.1:9090", with or without a path prefix */
	/* bearer token, or NULL: TARE_PROMETHEUS_TOKEN, then the file named by
	 * TARE_PROMETHEUS_TOKEN_FILE, then none */
	const char *token;
	const char *ca_file;        /* or NULL */
	const char *cluster;        /* for rows whose series have no "cluster" label, or NULL */
	int64_t since_ms, until_ms; /* cut to whole steps */
	int64_t step_ms;            /* 0: 60 s */
	int64_t max_points;         /* per series and query; 0: 11,000, the server's own limit */
	int64_t max_readings;       /* GPUs x steps held at once; 0: 400,000 (45 MB) */
	/* of a request that failed for a reason that may pass; 0: 5, negative: none */
	int retries;
	/* Waits between retries; NULL: nanosleep. Tests pass their own. */
	void (*sleep)(void *ctx, int64_t ms);
	void *sleep_ctx;
	/* (what is being read, steps done, steps in all) now and then; may be NULL */
	void (*progress)(void *ctx, const char *label, int64_t done, int64_t of);
	void *progress_ctx;
};

/* report must be zero or empty; rows_read counts points received. Returns 0 or negative with the
 * query in the error. */
int feed_prometheus_run(const struct feed_prometheus_opt *opt, const struct feed_sink *sink,
			struct feed_report *report, struct err *err);

#endif
