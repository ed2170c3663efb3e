/*
 * prom-dump URL SINCE UNTIL STEP_S [MAX_POINTS [MAX_READINGS]]: what feed/prometheus makes of a
 * server's history, one row a line, for t-prometheus.py. Exit 0, or 2 with the error on stderr.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/tm.h"
#include "feed/readings/prometheus.h"

static void text(const char *name, struct sv v)
{
	if (v.n)
		printf(" %s=%.*s", name, SVF(v));
}

/* Of the host, where it is known. */
static void host(int64_t cpu_milli, int64_t ram_mib)
{
	if (cpu_milli > 0)
		printf(" cpu=%" PRId64, cpu_milli);
	if (ram_mib > 0)
		printf(" ram=%" PRId64, ram_mib);
}

static void time_of(const char *name, int64_t ms)
{
	if (ms != UNKNOWN_MS)
		printf(" %s=%" PRId64, name, ms / 1000);
}

static int on_node(void *ctx, const struct node *n, struct err *err)
{
	printf("node");
	text("node", n->node), text("provider", n->provider), text("region", n->region),
		text("zone", n->zone), text("type", n->instance_type);
	text("model", n->gpu_model), text("purchase", n->purchase), text("id", n->resource_id),
		text("gpu_ids", n->gpu_ids);
	printf(" gpus=%" PRId64, n->gpu_milli);
	time_of("from", n->from_ms), time_of("to", n->to_ms);
	host(n->cpu_milli, n->ram_mib);
	printf("\n");
	return 0;
}

static int on_allocation(void *ctx, const struct allocation *a, struct err *err)
{
	printf("allocation");
	text("job", a->job_id), text("team", a->team), text("project", a->project),
		text("name", a->name), text("ns", a->namespace_);
	text("node", a->node), text("model", a->gpu_model), text("gpu_ids", a->gpu_ids),
		text("mig", a->mig_profile), text("state", a->state);
	printf(" gpus=%" PRId64 " share=%s open=%d", a->gpus_milli, share_kind_name(a->share_kind),
	       a->open_end);
	time_of("submit", a->submit_ms), time_of("start", a->start_ms), time_of("end", a->end_ms);
	host(a->cpu_milli, a->ram_mib);
	printf("\n");
	return 0;
}

static int on_sample(void *ctx, const struct sample_key *k, const struct sample *s, struct err *err)
{
	printf("sample");
	text("node", k->node), text("gpu", k->gpu), text("mig", k->mig), text("job", k->job_id),
		text("model", k->gpu_model);
	printf(" t=%" PRId64 " step=%d", s->t_ms / 1000, s->step_ms / 1000);
	for (int m = 0; m < METRIC_N; m++)
		if (!isnan(s->value[m]))
			printf(" %s=%.15g", metric_name((enum metric)m), s->value[m]);
	printf("\n");
	return 0;
}

static int on_request(void *ctx, const struct request_row *r, struct err *err)
{
	printf("request");
	text("service", r->service), text("status", r->status),
		text("histogram", r->latency_histogram);
	printf(" t=%" PRId64 " count=%" PRId64, r->t_ms / 1000, r->count);
	if (r->tokens_in != UNKNOWN_I64)
		printf(" in=%" PRId64 " out=%" PRId64, r->tokens_in, r->tokens_out);
	if (r->gpu_ms != UNKNOWN_I64)
		printf(" gpu_ms=%" PRId64, r->gpu_ms);
	if (r->prefill_ms != UNKNOWN_I64)
		printf(" prefill_ms=%" PRId64 " decode_ms=%" PRId64, r->prefill_ms, r->decode_ms);
	if (!isnan(r->latency_ms))
		printf(" latency_ms=%.6g", r->latency_ms);
	printf("\n");
	return 0;
}

static int on_witness(void *ctx, const struct witness *w, struct err *err)
{
	(void)ctx, (void)err;
	printf("witness");
	text("node", w->node), text("cluster", w->cluster);
	time_of("from", w->from_ms), time_of("to", w->to_ms);
	printf("\n");
	return 0;
}

int main(int argc, char **argv)
{
	struct feed_sink sink = { .node = on_node,
				  .allocation = on_allocation,
				  .sample = on_sample,
				  .request = on_request,
				  .witness = on_witness };
	struct feed_report report = { 0 };
	struct feed_prometheus_opt o = { 0 };
	struct err err;

	if (argc < 5 || tm_parse(sv_of(argv[2]), 0, &o.since_ms) < 0 ||
	    tm_parse(sv_of(argv[3]), 0, &o.until_ms) < 0) {
		fprintf(stderr,
			"usage: prom-dump URL SINCE UNTIL STEP_S [MAX_POINTS [MAX_READINGS]]\n");
		return 2;
	}
	o.url = argv[1];
	o.step_ms = atoll(argv[4]) * 1000;
	o.max_points = argc > 5 ? atoll(argv[5]) : 0;
	o.max_readings = argc > 6 ? atoll(argv[6]) : 0;
	if (feed_prometheus_run(&o, &sink, &report, &err) < 0) {
		fprintf(stderr, "%s\n%s\n", err.msg, err.hint);
		return 2;
	}
	for (size_t i = 0; i < report.notes.n; i++)
		printf("note %s\n", report.notes.v[i]);
	printf("report read=%" PRId64 " kept=%" PRId64 "\n", report.rows_read, report.rows_kept);
	feed_report_free(&report);
	return 0;
}
