/* A sink that keeps every row, and the reading of a text or a file of the shared data into it. */
#ifndef ROWS_FIX_H
#define ROWS_FIX_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/tm.h"
#include "feed/feed.h"

struct got_sample {
	struct sample_key key;
	struct sample v;
};
struct got {
	struct arena mem;
	VEC(struct node) node;
	VEC(struct allocation) alloc;
	VEC(struct got_sample) sample;
	VEC(struct request_row) request;
	VEC(struct price) price;
	VEC(struct incident) incident;
	VEC(struct curve_point) curve;
	VEC(struct exchange_rate) rate;
	struct feed_report report;
	struct err err;
	int rc;
};

static inline struct sv keep(struct got *g, struct sv v)
{
	return v.p ? (struct sv){ arena_strn(&g->mem, v.p, v.n), v.n } : SV_NULL;
}
#define KEEP(m) x->m = keep(g, x->m)

static inline int got_node(void *ctx, const struct node *n, struct err *err)
{
	struct got *g = ctx;
	struct node *x = vec_push(&g->node);
	*x = *n;
	KEEP(node), KEEP(provider), KEEP(region), KEEP(zone), KEEP(instance_type), KEEP(gpu_model),
		KEEP(cluster), KEEP(purchase), KEEP(resource_id);
	KEEP(gpu_ids), KEEP(currency);
	return 0;
}
static inline int got_alloc(void *ctx, const struct allocation *a, struct err *err)
{
	struct got *g = ctx;
	struct allocation *x = vec_push(&g->alloc);
	*x = *a;
	KEEP(job_id), KEEP(user), KEEP(team), KEEP(project), KEEP(env), KEEP(workload), KEEP(name),
		KEEP(gpu_model), KEEP(gpu_ids), KEEP(mig_profile);
	KEEP(state), KEEP(node), KEEP(cluster), KEEP(account), KEEP(namespace_), KEEP(queue),
		KEEP(tags), KEEP(currency);
	return 0;
}
static inline int got_sample(void *ctx, const struct sample_key *k, const struct sample *s,
			     struct err *err)
{
	struct got *g = ctx;
	struct got_sample *s1 = vec_push(&g->sample);
	*s1 = (struct got_sample){ *k, *s };
	struct sample_key *x = &s1->key;
	KEEP(node), KEEP(gpu), KEEP(mig), KEEP(job_id), KEEP(gpu_model), KEEP(cluster), KEEP(user),
		KEEP(team), KEEP(project), KEEP(env), KEEP(workload);
	KEEP(currency);
	return 0;
}
static inline int got_request(void *ctx, const struct request_row *r, struct err *err)
{
	struct got *g = ctx;
	struct request_row *x = vec_push(&g->request);
	*x = *r;
	KEEP(service), KEEP(tenant), KEEP(status), KEEP(latency_histogram);
	return 0;
}
static inline int got_price(void *ctx, const struct price *p, struct err *err)
{
	struct got *g = ctx;
	struct price *x = vec_push(&g->price);
	*x = *p;
	KEEP(provider), KEEP(region), KEEP(zone), KEEP(instance_type), KEEP(gpu_model),
		KEEP(purchase), KEEP(term), KEEP(currency), KEEP(source);
	return 0;
}
static inline int got_bill(void *ctx, const struct bill_line *b, struct err *err)
{
	return err_set(err, -EINVAL, "no bill was expected");
}
static inline int got_incident(void *ctx, const struct incident *i, struct err *err)
{
	struct got *g = ctx;
	struct incident *x = vec_push(&g->incident);
	*x = *i;
	KEEP(node), KEEP(gpu), KEEP(mig), KEEP(kind);
	return 0;
}
static inline int got_curve(void *ctx, const struct curve_point *p, struct err *err)
{
	struct got *g = ctx;
	struct curve_point *x = vec_push(&g->curve);
	*x = *p;
	KEEP(run), KEEP(job), KEEP(config), KEEP(metric);
	return 0;
}
static inline int got_rate(void *ctx, const struct exchange_rate *r, struct err *err)
{
	struct got *g = ctx;
	struct exchange_rate *x = vec_push(&g->rate);
	*x = *r;
	KEEP(from), KEEP(to);
	return 0;
}
#undef KEEP

static inline struct feed_sink got_sink(struct got *g)
{
	return (struct feed_sink){ .ctx = g,
				   .node = got_node,
				   .allocation = got_alloc,
				   .sample = got_sample,
				   .request = got_request,
				   .price = got_price,
				   .bill = got_bill,
				   .incident = got_incident,
				   .curve = got_curve,
				   .rate = got_rate };
}

static inline void got_free(struct got *g)
{
	arena_free(&g->mem);
	vec_free(&g->node);
	vec_free(&g->alloc);
	vec_free(&g->sample);
	vec_free(&g->request);
	vec_free(&g->price);
	vec_free(&g->incident);
	vec_free(&g->curve);
	vec_free(&g->rate);
	feed_report_free(&g->report);
	*g = (struct got){ 0 };
}

/* set: "KEY=VALUE" texts, NULL-terminated, or NULL. */
static inline void got_input(struct got *g, struct input *in, const char *kind,
			     const char *const *set, int64_t at_ms, int64_t max_rejects)
{
	struct feed_set sets[16];
	struct feed_sink sink = got_sink(g);
	struct feed_file_opt o = { .kind = kind,
				   .set = sets,
				   .at_ms = at_ms,
				   .now_ms = 1795000000000,
				   .max_rejects = max_rejects };

	for (; set && *set; set++) {
		const char *eq = strchr(*set, '=');
		sets[o.nset++] = (struct feed_set){ arena_strn(&g->mem, *set, (size_t)(eq - *set)),
						    eq + 1 };
	}
	g->rc = feed_run_file(in, &o, &sink, &g->report, &g->err);
	input_close(in);
}

static inline void got_text_named(struct got *g, const char *name, const char *kind,
				  const char *text, const char *const *set, int64_t at_ms,
				  int64_t max_rejects)
{
	struct input *in;

	memset(g, 0, sizeof *g);
	assert_int_equal(input_from_memory(name, text, strlen(text), &in, &g->err), 0);
	got_input(g, in, kind, set, at_ms, max_rejects);
}

static inline void got_text(struct got *g, const char *kind, const char *text,
			    const char *const *set)
{
	got_text_named(g, "test", kind, text, set, UNKNOWN_MS, 0);
}

/* A file below TARE_SHARED; skips the test where it is not there. */
static inline void got_shared(struct got *g, const char *path, const char *kind,
			      const char *const *set, int64_t at_ms)
{
	const char *dir = getenv("TARE_SHARED");
	char full[1024];
	struct input *in;

	memset(g, 0, sizeof *g);
	snprintf(full, sizeof full, "%s/%s", dir ? dir : "", path);
	if (!dir || access(full, R_OK) != 0) {
		print_message("skip: no %s in TARE_SHARED\n", path);
		skip();
	}
	assert_int_equal(input_open(full, &in, &g->err), 0);
	got_input(g, in, kind, set, at_ms, 0);
}

static inline void assert_done(const struct got *g)
{
	if (g->rc < 0)
		fail_msg("%s (%s)", g->err.msg, g->err.hint);
}

static inline void assert_sv(struct sv v, const char *want)
{
	char z[512];

	snprintf(z, sizeof z, "%.*s", SVF(v));
	assert_string_equal(v.p ? z : "(null)", want);
}

static inline int64_t at(const char *t)
{
	int64_t ms;

	assert_int_equal(tm_parse(sv_of(t), 0, &ms), 0);
	return ms;
}

static inline bool noted(const struct got *g, const char *part)
{
	for (size_t i = 0; i < g->report.notes.n; i++)
		if (strstr(g->report.notes.v[i], part))
			return true;
	return false;
}
#define SETS(...) ((const char *const[]){ __VA_ARGS__, NULL })

#endif
