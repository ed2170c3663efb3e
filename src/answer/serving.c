#include "answer/serving.h"

int answer_serving(const struct report_ask *q, bool by_tenant, struct serving_answer *ret,
		   struct err *err)
{
	struct serving_answer a = { .by_tenant = by_tenant };
	const struct ask *ask = &q->ask;
	struct request_stats stat;
	int r = store_requests(ask->store, (struct span){ ask->since_ms, ask->until_ms }, by_tenant,
			       ask->mem, &stat, err);

	if (r < 0)
		return r;
	a.nrow = stat.n;
	struct serving_row *row = arena_alloc(ask->mem, (a.nrow + 1) * sizeof *row);
	for (size_t i = 0; i < a.nrow; i++)
		row[i] = (struct serving_row){
			.service = arena_filled(ask->mem, stat.v[i].service),
			.tenant = arena_filled(ask->mem, stat.v[i].tenant),
			.requests = stat.v[i].count,
			.ok = stat.v[i].ok,
			.tokens_in = stat.v[i].tokens_in,
			.tokens_out = stat.v[i].tokens_out,
			.gpu_ms = stat.v[i].gpu_ms,
			.prefill_ms = stat.v[i].prefill_ms,
			.decode_ms = stat.v[i].decode_ms,
			.p50_ms = stat.v[i].latency_p50_ms,
			.p95_ms = stat.v[i].latency_p95_ms,
			.p99_ms = stat.v[i].latency_p99_ms,
		};
	a.row = row;
	r = answer_kpi(q, &a.kpi, err);
	if (r < 0)
		return r;
	*ret = a;
	return 0;
}
