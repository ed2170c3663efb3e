/* Any bytes through a feed of a given kind: no crash, and what comes out keeps the promises of the
 * model. */
#ifndef FUZZ_FEED_H
#define FUZZ_FEED_H
#include <math.h>
#include <stdlib.h>

#include "feed/feed.h"

static void must(bool good)
{
	if (!good)
		abort();
}

/* Touch every byte of a view: a stale one is then seen by the sanitizer. */
static void touch(struct sv v)
{
	static volatile unsigned char sink;

	for (size_t i = 0; i < v.n; i++)
		sink ^= (unsigned char)v.p[i];
}

static int fuzz_node(void *ctx, const struct node *n, struct err *err)
{
	touch(n->node), touch(n->gpu_model), touch(n->gpu_ids), touch(n->purchase),
		touch(n->resource_id);
	must(n->node.n > 0 && n->gpu_milli > 0 &&
	     (n->to_ms == UNKNOWN_MS || n->to_ms >= n->from_ms));
	return 0;
}

static int fuzz_allocation(void *ctx, const struct allocation *a, struct err *err)
{
	touch(a->job_id), touch(a->user), touch(a->team), touch(a->name), touch(a->gpu_ids),
		touch(a->node), touch(a->tags), touch(a->mig_profile);
	must(a->gpus_milli > 0 && a->start_ms != UNKNOWN_MS &&
	     (a->end_ms == UNKNOWN_MS || a->end_ms >= a->start_ms));
	must(a->share_ppb >= -1 && a->share_ppb <= 1000000000 && (unsigned)a->share_kind < SHARE_N);
	return 0;
}

static int fuzz_sample(void *ctx, const struct sample_key *k, const struct sample *s,
		       struct err *err)
{
	double util = s->value[METRIC_GPU_UTIL_PCT];

	touch(k->gpu), touch(k->node), touch(k->mig), touch(k->job_id), touch(k->gpu_model);
	must(s->step_ms > 0 && (isnan(util) || (util >= 0 && util <= 100)));
	return 0;
}

static int fuzz_request(void *ctx, const struct request_row *r, struct err *err)
{
	touch(r->service), touch(r->latency_histogram), touch(r->status);
	must(r->service.n > 0 && r->count > 0);
	return 0;
}

static int fuzz_price(void *ctx, const struct price *p, struct err *err)
{
	touch(p->provider), touch(p->instance_type), touch(p->gpu_model), touch(p->source);
	must(p->hour >= 0 && (p->to_ms == UNKNOWN_MS || p->to_ms > p->from_ms));
	return 0;
}

static int fuzz_incident(void *ctx, const struct incident *i, struct err *err)
{
	touch(i->node), touch(i->gpu), touch(i->mig), touch(i->kind);
	must(i->kind.n > 0 && i->t_ms != UNKNOWN_MS);
	return 0;
}

static int fuzz_rate(void *ctx, const struct exchange_rate *x, struct err *err)
{
	touch(x->from), touch(x->to);
	must(x->from.n == 3 && x->to.n == 3 && x->day_ms != UNKNOWN_MS && x->rate > 0);
	return 0;
}

static int fuzz_curve(void *ctx, const struct curve_point *p, struct err *err)
{
	touch(p->run), touch(p->job), touch(p->config), touch(p->metric);
	must(p->run.n > 0 && p->metric.n > 0 && isfinite(p->value) && p->step != INT64_MIN);
	return 0;
}

static int fuzz_bill(void *ctx, const struct bill_line *b, struct err *err)
{
	abort();
}

static int fuzz_feed(const char *kind, const uint8_t *data, size_t size)
{
	static const struct feed_set set[] = { { "provider", "aws" }, { "step_s", "60" } };
	struct feed_sink sink = { .node = fuzz_node,
				  .allocation = fuzz_allocation,
				  .sample = fuzz_sample,
				  .request = fuzz_request,
				  .price = fuzz_price,
				  .bill = fuzz_bill,
				  .incident = fuzz_incident,
				  .rate = fuzz_rate,
				  .curve = fuzz_curve };
	/* an odd first byte: with --at and --set, steps given; else as found */
	bool with = size && (data[0] & 1);
	struct feed_file_opt o = { .kind = kind,
				   .set = set,
				   .nset = with ? 2 : 0,
				   .at_ms = with ? 1795000000000 : UNKNOWN_MS,
				   .now_ms = 1795000000000,
				   .max_rejects = INT64_MAX };
	struct feed_report report = { 0 };
	struct err err;
	struct input *in;

	if (input_from_memory("fuzz/metrics/loss", data, size, &in, &err) < 0)
		return 0;
	err_clear(&err);
	int rc = feed_run_file(in, &o, &sink, &report, &err);
	must(rc >= 0 || err.msg[0]);
	must(rc < 0 || report.rows_read >= report.rows_rejected + report.rows_skipped);
	feed_report_free(&report);
	input_close(in);
	return 0;
}

#define FUZZ_FEED(kind)                                               \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)  \
	{                                                             \
		return fuzz_feed(kind, data, size);                   \
	}

#endif
