/* For the tests of bills and maps: run a file or a text through feed_run_file() and keep what comes
 * out. */
#ifndef TESTS_BILLS_H
#define TESTS_BILLS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/tm.h"
#include "feed/feed.h"

struct got {
	struct arena mem;
	VEC(struct bill_line) bill;
	VEC(struct allocation) alloc;
	VEC(struct node) node;
	VEC(struct sample) sample;
	VEC(struct request_row) request;
	double gpu_hours; /* of allocations with both ends */
	struct feed_report report;
	struct err err;
	int rc;
	int64_t max_rejects;
	const char *kind;
	struct feed_set set[8];
	size_t nset;
	struct feed_map *map;
};

static inline void got_copy(struct got *g, struct sv *v)
{
	if (v->p)
		v->p = arena_sv(&g->mem, *v);
}

static int got_bill(void *ctx, const struct bill_line *b, struct err *err)
{
	struct got *g = ctx;
	struct bill_line *c = vec_push(&g->bill);
	*c = *b;
	struct sv *const text[] = { &c->provider,
				    &c->account,
				    &c->account_name,
				    &c->sub_account,
				    &c->sub_account_name,
				    &c->invoice,
				    &c->currency,
				    &c->charge_category,
				    &c->charge_class,
				    &c->charge_frequency,
				    &c->charge_description,
				    &c->pricing_category,
				    &c->service_category,
				    &c->service_name,
				    &c->sku_id,
				    &c->sku_price_id,
				    &c->usage_type,
				    &c->instance_type,
				    &c->region,
				    &c->zone,
				    &c->resource_id,
				    &c->resource_name,
				    &c->resource_type,
				    &c->commitment_id,
				    &c->commitment_type,
				    &c->commitment_status,
				    &c->tags,
				    &c->unit,
				    &c->gpu_model,
				    &c->purchase };
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		got_copy(g, text[i]);
	return 0;
}

static int got_alloc(void *ctx, const struct allocation *a, struct err *err)
{
	struct got *g = ctx;
	struct allocation *c = vec_push(&g->alloc);
	*c = *a;
	struct sv *const text[] = { &c->job_id,  &c->team,     &c->project,
				    &c->cluster, &c->workload, &c->state };
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		got_copy(g, text[i]);
	if (a->end_ms != UNKNOWN_MS)
		g->gpu_hours += (double)a->gpus_milli / 1e3 *
				(a->share_ppb < 0 ? 1 : (double)a->share_ppb / 1e9) *
				(double)(a->end_ms - a->start_ms) / 3.6e6;
	return 0;
}

static int got_node(void *ctx, const struct node *n, struct err *err)
{
	struct got *g = ctx;
	struct node *c = vec_push(&g->node);
	*c = *n;
	got_copy(g, &c->node);
	got_copy(g, &c->gpu_model);
	return 0;
}

static int got_sample(void *ctx, const struct sample_key *k, const struct sample *s,
		      struct err *err)
{
	struct got *g = ctx;
	(void)k;
	*vec_push(&g->sample) = *s;
	return 0;
}

static int got_request(void *ctx, const struct request_row *r, struct err *err)
{
	struct got *g = ctx;
	struct request_row *c = vec_push(&g->request);
	*c = *r;
	got_copy(g, &c->service);
	return 0;
}

static inline void got_run(struct got *g, struct input *in)
{
	struct feed_sink sink = { g,           got_node, got_alloc, got_sample,
				  got_request, NULL,     got_bill,  NULL };
	struct feed_file_opt o = { .kind = g->kind,
				   .map = g->map,
				   .set = g->set,
				   .nset = g->nset,
				   .at_ms = UNKNOWN_MS,
				   .now_ms = 1700000000000,
				   .max_rejects = g->max_rejects };
	g->rc = feed_run_file(in, &o, &sink, &g->report, &g->err);
	input_close(in);
}

static inline void got_text(struct got *g, const char *text)
{
	struct input *in;
	assert_int_equal(input_from_memory("bill.csv", text, strlen(text), &in, &g->err), 0);
	got_run(g, in);
}

static inline void got_free(struct got *g)
{
	arena_free(&g->mem);
	vec_free(&g->bill);
	vec_free(&g->alloc);
	vec_free(&g->node);
	vec_free(&g->sample);
	vec_free(&g->request);
	feed_report_free(&g->report);
	feed_map_free(g->map);
	*g = (struct got){ 0 };
}

/* A file below TARE_SHARED/data; skips the test where it is not there. */
static inline void got_file(struct got *g, const char *path)
{
	const char *shared = getenv("TARE_SHARED");
	char full[1000];
	struct input *in;
	snprintf(full, sizeof full, "%s/data/%s", shared ? shared : "", path);
	if (!shared || access(full, R_OK)) {
		print_message("skipped: no %s (TARE_SHARED)\n", full);
		got_free(g);
		skip();
	}
	assert_int_equal(input_open(full, &in, &g->err), 0);
	got_run(g, in);
}

static inline void got_map(struct got *g, const char *name)
{
	if (feed_map_load(name, &g->map, &g->err))
		fail_msg("%s (%s)", g->err.msg, g->err.hint);
}

static inline void got_ok(struct got *g)
{
	if (g->rc)
		fail_msg("%s (%s)", g->err.msg, g->err.hint);
}

static inline const char *got_sum(const struct got *g, const char *name)
{
	static char buf[4][DEC_BUF];
	static int n;
	for (size_t i = 0; i < g->report.sums.n; i++)
		if (!strcmp(g->report.sums.v[i].name, name))
			return dec_format(buf[n++ & 3], g->report.sums.v[i].sum);
	return "none";
}

static inline int64_t got_unknown(const struct got *g, const char *name)
{
	for (size_t i = 0; i < g->report.sums.n; i++)
		if (!strcmp(g->report.sums.v[i].name, name))
			return g->report.sums.v[i].unknown;
	return -1;
}

static inline bool got_note(const struct got *g, const char *part)
{
	for (size_t i = 0; i < g->report.notes.n; i++)
		if (strstr(g->report.notes.v[i], part))
			return true;
	return false;
}

#define assert_sv(v, text) assert_true(sv_is((v), (text)))
static inline const char *dec_z(dec v)
{
	static char buf[8][DEC_BUF];
	static int n;
	return dec_format(buf[n++ & 7], v);
}
#endif
