/* For the fuzz targets of bills and maps: any bytes are read or refused with a sentence; what
 * reaches the sink is sound. */
#ifndef FUZZ_BILLS_H
#define FUZZ_BILLS_H
#include <stdint.h>
#include <stdlib.h>

#include "feed/feed.h"
#include "base/jscan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned fuzz_sink;

static void fuzz_touch(struct sv v)
{
	for (size_t i = 0; i < v.n; i++)
		fuzz_sink += (unsigned char)v.p[i];
}

static int fuzz_bill(void *ctx, const struct bill_line *b, struct err *err)
{
	const struct sv text[] = {
		b->provider, b->account,   b->currency,    b->charge_category, b->instance_type,
		b->region,   b->zone,      b->resource_id, b->resource_name,   b->tags,
		b->unit,     b->gpu_model, b->purchase,    b->usage_type,      b->commitment_type
	};

	(void)ctx;
	(void)err;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		fuzz_touch(text[i]);
	for (int i = 0; i < BASIS_N; i++)
		if (b->has_cost[i] && !dec_fits_nano(b->cost[i]))
			abort();
	if (b->to_ms < b->from_ms || b->gpu_milli < 0 || (b->kind != KIND_GPU && b->gpu_milli) ||
	    !b->currency.n)
		abort();
	if (b->tags.n && !jscan_is_object(b->tags))
		abort();
	return 0;
}

static int fuzz_alloc(void *ctx, const struct allocation *a, struct err *err)
{
	(void)ctx;
	(void)err;
	fuzz_touch(a->job_id);
	fuzz_touch(a->team);
	return 0;
}

static int fuzz_node(void *ctx, const struct node *n, struct err *err)
{
	(void)ctx;
	(void)err;
	fuzz_touch(n->node);
	return 0;
}

static int fuzz_sample(void *ctx, const struct sample_key *k, const struct sample *s,
		       struct err *err)
{
	(void)ctx;
	(void)err;
	fuzz_touch(k->gpu);
	if (s->step_ms <= 0)
		abort();
	return 0;
}

static int fuzz_request(void *ctx, const struct request_row *r, struct err *err)
{
	(void)ctx;
	(void)err;
	fuzz_touch(r->service);
	return 0;
}

static int fuzz_price(void *ctx, const struct price *p, struct err *err)
{
	(void)ctx;
	(void)err;
	fuzz_touch(p->provider);
	return 0;
}

static void fuzz_run(const char *kind, const struct feed_map *map, struct sv text)
{
	struct feed_sink sink = { NULL,         fuzz_node,  fuzz_alloc, fuzz_sample,
				  fuzz_request, fuzz_price, fuzz_bill,  NULL };
	struct feed_file_opt o = { .kind = kind,
				   .map = map,
				   .at_ms = UNKNOWN_MS,
				   .now_ms = 1700000000000,
				   .max_rejects = 1000000 };
	struct feed_report r = { 0 };
	struct err err = { 0 };
	struct input *in;

	if (input_from_memory("fuzz", text.p, text.n, &in, &err))
		return;
	if (feed_run_file(in, &o, &sink, &r, &err) < 0) {
		if (!err.msg[0])
			abort();
	} else if (r.rows_kept + r.rows_rejected + r.rows_skipped != r.rows_read) {
		abort();
	}
	input_close(in);
	feed_report_free(&r);
}
#endif
