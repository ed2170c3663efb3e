/* Requests: summed up per minute, service, tenant and outcome as they come in, so that a day of 50
 * million is a few thousand rows. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "store/hist.h"
#include "store/inside.h"

/* in memory; then they are written and started again, which only costs rows */
#define GROUPS_MAX 20000
#define BYTES_MAX  ((size_t)64 << 20) /* of their histograms */

struct group {
	int64_t src;
	struct request_group sum; /* texts in requests.texts; without its latency: */
	struct hist latency;
};

struct requests {
	struct intern keys; /* src, minute, outcome, service, tenant -> group */
	VEC(struct group) group;
	size_t made;  /* groups that have a histogram, beyond group.n one of before */
	size_t bytes; /* of histograms */
	struct arena texts;
	struct str key, blob;
};

static void free_histograms(struct requests *q)
{
	for (size_t i = 0; i < q->made; i++)
		hist_free(&q->group.v[i].latency);
	q->made = 0;
	q->bytes = 0;
}

/* The next ones begin with the memory of these, as a log has the same services again. */
static void forget_requests(struct requests *q)
{
	for (size_t i = 0; i < q->group.n; i++)
		hist_clear(&q->group.v[i].latency);
	if (q->bytes > BYTES_MAX)
		free_histograms(q);
	vec_clear(&q->group);
	intern_free(&q->keys);
	arena_free(&q->texts);
}

void requests_free(struct requests *q)
{
	if (!q)
		return;
	forget_requests(q);
	free_histograms(q);
	vec_free(&q->group);
	str_free(&q->key);
	str_free(&q->blob);
	free(q);
}

int requests_flush(struct store *s, struct err *err)
{
	struct requests *q = s->requests;
	int r = 0;
	if (!q)
		return 0;
	for (size_t i = 0; r == 0 && i < q->group.n; i++) {
		const struct group *g = &q->group.v[i];
		struct str *blob = &q->blob;
		struct request_group out = g->sum;
		str_clear(blob);
		hist_pack(&g->latency, blob);
		out.latency = str_sv(blob);
		r = facts_add_request(s->facts, g->src, &out, err);
	}
	forget_requests(q);
	return r;
}

static struct group *group_of(struct requests *q, int64_t src, const struct request_row *r, bool ok)
{
	const int64_t head[3] = { src, tm_floor(r->t_ms, MS_MINUTE), ok };
	str_clear(&q->key);
	str_add(&q->key, (const char *)head, sizeof head);
	str_addsv(&q->key, r->service);
	str_addc(&q->key, r->service.p ? '\x1f' : '\x1e');
	str_addsv(&q->key, r->tenant);
	str_addc(&q->key, r->tenant.p ? '\x1f' : '\x1e');
	uint32_t i = intern_add(&q->keys, str_sv(&q->key));
	if (i < q->group.n)
		return &q->group.v[i];
	struct group *g = vec_push(&q->group);
	if (q->made < q->group.n) {
		g->latency = (struct hist){ 0 };
		q->made = q->group.n;
	}
	*g = (struct group){ .src = src,
			     .latency = g->latency,
			     .sum = { .t_ms = head[1],
				      .ok = ok,
				      .tokens_in = UNKNOWN_I64,
				      .tokens_out = UNKNOWN_I64,
				      .gpu_ms = UNKNOWN_I64,
				      .prefill_ms = UNKNOWN_I64,
				      .decode_ms = UNKNOWN_I64 } };
	g->sum.service = arena_keep(&q->texts, r->service);
	g->sum.tenant = arena_keep(&q->texts, r->tenant);
	return g;
}

static void add_known(int64_t *sum, int64_t v)
{
	if (v != UNKNOWN_I64)
		*sum = *sum == UNKNOWN_I64 ? v : *sum + v;
}

int store_add_request(struct store *s, int file, const struct request_row *r, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	if (!s->requests)
		s->requests = xcalloc(1, sizeof *s->requests);
	struct requests *q = s->requests;
	struct sv status = r->status;
	bool ok = !status.n || sv_ieq(status, SV("ok")) || sv_ieq(status, SV("success"));
	if (status.n == 3 && status.p[0] == '2')
		ok = true;
	struct group *g = group_of(q, src_of(s->batch, file), r, ok);
	size_t before = hist_bytes(&g->latency);
	if (r->latency_histogram.n && !hist_add_text(&g->latency, r->latency_histogram))
		return err_set(
			err, -EINVAL,
			"latency_histogram is '%.*s', which is not of the form 10:5;50:20;+Inf:1",
			(int)min_size(r->latency_histogram.n, 100), r->latency_histogram.p);
	if (!r->latency_histogram.n)
		hist_add(&g->latency, r->latency_ms, r->count);
	q->bytes += hist_bytes(&g->latency) - before;
	g->sum.requests += r->count;
	add_known(&g->sum.tokens_in, r->tokens_in);
	add_known(&g->sum.tokens_out, r->tokens_out);
	add_known(&g->sum.gpu_ms, r->gpu_ms);
	add_known(&g->sum.prefill_ms, r->prefill_ms);
	add_known(&g->sum.decode_ms, r->decode_ms);
	bool full = q->group.n > GROUPS_MAX || q->bytes > BYTES_MAX;
	if (full)
		return requests_flush(s, err);
	return 0;
}

/* ---- out --------------------------------------------------------------------------------- */

struct sum {
	struct request_stat stat;
	struct hist latency;
};

static int add_group(struct sum *x, const struct request_group *g, struct err *err)
{
	if (g->t_ms < x->stat.t_ms)
		x->stat.t_ms = g->t_ms;
	x->stat.count += g->requests;
	if (g->ok)
		x->stat.ok += g->requests;
	add_known(&x->stat.tokens_in, g->tokens_in);
	add_known(&x->stat.tokens_out, g->tokens_out);
	add_known(&x->stat.gpu_ms, g->gpu_ms);
	add_known(&x->stat.prefill_ms, g->prefill_ms);
	add_known(&x->stat.decode_ms, g->decode_ms);
	if (hist_merge(&x->latency, g->latency.p, g->latency.n))
		return 0;
	return err_set(err, -EBADMSG, "a latency histogram in the store is damaged");
}

static void finish_sum(struct sum *x)
{
	x->stat.latency_p50_ms = hist_quantile(&x->latency, 0.50);
	x->stat.latency_p95_ms = hist_quantile(&x->latency, 0.95);
	x->stat.latency_p99_ms = hist_quantile(&x->latency, 0.99);
	hist_free(&x->latency);
}

static int cmp_stat(const void *a, const void *b)
{
	const struct request_stat *x = a, *y = b;
	int c = sv_cmp(x->service, y->service);
	if (c)
		return c;
	return sv_cmp(x->tenant, y->tenant);
}

static struct sum new_sum(struct sv service, struct sv tenant, int64_t t_ms)
{
	return (struct sum){ .stat = { .service = service,
				       .tenant = tenant,
				       .t_ms = t_ms,
				       .tokens_in = UNKNOWN_I64,
				       .tokens_out = UNKNOWN_I64,
				       .gpu_ms = UNKNOWN_I64,
				       .prefill_ms = UNKNOWN_I64,
				       .decode_ms = UNKNOWN_I64 } };
}

struct sums { /* of services, or of their tenants */
	struct intern keys;
	VEC(struct sum) v; /* [key] */
	bool by_tenant;
	struct str key;
	struct arena *mem;
};

/* A row into the sum that it belongs to. */
static int add_to(void *ctx, const struct request_group *g, struct err *err)
{
	struct sums *s = ctx;
	str_clear(&s->key);
	str_addsv(&s->key, g->service);
	if (s->by_tenant) {
		str_addc(&s->key, '\x1f');
		str_addsv(&s->key, g->tenant);
	}
	uint32_t i = intern_add(&s->keys, str_sv(&s->key));
	if (i == s->v.n)
		*vec_push(&s->v) = new_sum(arena_keep(s->mem, g->service),
					   s->by_tenant ? arena_keep(s->mem, g->tenant) : SV_NULL,
					   g->t_ms);
	return add_group(&s->v.v[i], g, err);
}

int store_services(struct store *s, struct arena *a, struct sv **ret, size_t *ret_n,
		   struct err *err)
{
	int e = requests_flush(s, err);

	if (e)
		return e;
	return facts_services(s->facts, a, ret, ret_n, err);
}

int store_requests(struct store *s, struct span window, bool by_tenant, struct arena *a,
		   struct request_stats *ret, struct err *err)
{
	struct sums sums = { .by_tenant = by_tenant, .mem = a };
	int e = requests_flush(s, err);
	if (e == 0)
		e = facts_requests(s->facts, window, false, add_to, &sums, err);
	struct request_stat *out = arena_alloc(a, sums.v.n * sizeof *out + 1);
	for (size_t i = 0; i < sums.v.n; i++) {
		finish_sum(&sums.v.v[i]);
		out[i] = sums.v.v[i].stat;
	}
	if (sums.v.n)
		sort_items(out, sums.v.n, sizeof *out, cmp_stat);
	if (e == 0)
		*ret = (struct request_stats){ out, sums.v.n };
	vec_free(&sums.v);
	intern_free(&sums.keys);
	str_free(&sums.key);
	return e;
}

struct minutes {
	struct sum now; /* of the last one */
	VEC(struct request_stat) out;
	struct arena *mem;
};

static void end_minute(struct minutes *m)
{
	finish_sum(&m->now);
	if (m->out.n)
		m->out.v[m->out.n - 1] = m->now.stat;
}

/* The rows come by service and minute: one histogram is in memory at a time. */
static int add_minute(void *ctx, const struct request_group *g, struct err *err)
{
	struct minutes *m = ctx;
	bool same = m->out.n && sv_eq(m->now.stat.service, g->service);
	if (!same || m->now.stat.t_ms != g->t_ms) {
		end_minute(m);
		m->now = new_sum(same ? m->now.stat.service : arena_keep(m->mem, g->service),
				 SV_NULL, g->t_ms);
		*vec_push(&m->out) = m->now.stat;
	}
	return add_group(&m->now, g, err);
}

int store_request_minutes(struct store *s, struct span window, struct arena *a,
			  struct request_stats *ret, struct err *err)
{
	struct minutes m = { .mem = a };
	int e = requests_flush(s, err);

	if (e == 0)
		e = facts_requests(s->facts, window, true, add_minute, &m, err);
	end_minute(&m);
	if (e == 0)
		*ret = (struct request_stats){ arena_copy(a, m.out.v, m.out.n, sizeof *m.out.v),
					       m.out.n };
	vec_free(&m.out);
	return e;
}

int store_request_repeats(struct store *s, struct arena *a, struct request_repeat **ret,
			  size_t *ret_n, struct err *err)
{
	int r = s->in_tx ? requests_flush(s, err) : store_not_in_tx(err);

	return r ? r : facts_request_repeats(s->facts, a, ret, ret_n, err);
}
