#ifndef TARE_DEVICE_SERVING_H
#define TARE_DEVICE_SERVING_H
/*
 * What an inference server tells of its requests: Triton and vLLM, from their metrics endpoint.
 * Queue, concurrency and batch size are what a diagnosis of a serving GPU needs (is it held back
 * by how many requests it takes at a time?).
 *
 * Rates and means are over the time since the last poll (NAN at the first); gauges are of the
 * moment.
 *
 *   vLLM    running, waiting: vllm:num_requests_running and _waiting; batch = running, as it
 *           batches continuously; queue: sum and count of vllm:request_queue_time_seconds; cache:
 *           vllm:gpu_cache_usage_perc or kv_cache_usage_perc
 *   Triton  waiting: nv_inference_pending_request_count; batch: inferences / executions; running:
 *           summed time of inference / time passed (Little's law); queue: queue time / requests
 *
 * Series of several engines or model versions of one model are summed.
 */
#include <stddef.h>
#include "base/err.h"
#include "base/str.h"

struct serving_reading {
	const char *engine;          /* "vllm", "triton" */
	char model[96];              /* cut; not to be trusted as terminal output */
	double running;              /* requests being worked on */
	double waiting;              /* requests in the queue */
	double batch;                /* mean requests of one execution */
	double queue_ms;             /* mean wait of a request */
	double requests_s, tokens_s; /* finished; generated */
	double cache_frac;           /* of the key-value cache in use */
};
struct serving;
int serving_open(const char *url, struct serving **ret, struct err *err); /* -EINVAL: no URL */
void serving_close(struct serving *s);
/* Ask and work out; *ret valid until the next call. Errors of the endpoint come back here; see
 * device/scrape.h on waiting and bounds. */
int serving_poll(struct serving *s, int64_t mono_ms, const struct serving_reading **ret,
		 size_t *ret_n, struct err *err);

/* The same without an endpoint, for tests and recorded answers: a text and its time. */
struct serving *serving_new(void);
void serving_take(struct serving *s, struct sv text, int64_t mono_ms,
		  const struct serving_reading **ret, size_t *ret_n);

#endif
