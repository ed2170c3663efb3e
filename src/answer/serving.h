#ifndef TARE_ANSWER_SERVING_H
#define TARE_ANSWER_SERVING_H
/* What served requests cost and how fast they were, by service, or by service and tenant. */
#include "answer/kpi.h"

struct serving_row {
	const char *service, *tenant; /* NULL: not told, or not asked by tenant */
	int64_t requests, ok;
	/* UNKNOWN_I64 where never given */
	int64_t tokens_in, tokens_out, gpu_ms, prefill_ms, decode_ms;
	/* of all requests whose latency is known, NAN: of none */
	double p50_ms, p95_ms, p99_ms;
};
struct serving_answer {
	const struct serving_row *row; /* [nrow] by service and tenant */
	size_t nrow;
	bool by_tenant;
	struct kpi_answer kpi; /* what services cost */
};
/* q: its window is set (report_window()), without filter. In the ask's arena. */
int answer_serving(const struct report_ask *q, bool by_tenant, struct serving_answer *ret,
		   struct err *err);
#endif
