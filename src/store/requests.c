/* Requests: summed up per minute, service, tenant and outcome as they come in, so that a day of 50
 * million is a few thousand rows. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/tm.h"
#include "store/hist.h"
#include "store/inside.h"

/* in memory; then they are written and started anew, which only costs rows */
#define GROUPS_MAX 20000

struct group {
	int64_t t_ms, src;
	struct sv service, tenant; /* in requests.keys */
	bool ok;
	int64_t requests, tokens_in, tokens_out, gpu_ms; /* UNKNOWN_I64 until one is given */
	struct hist latency;
};

struct requests {
	struct intern keys; /* src, minute, outcome, service, tenant -> group */
	VEC(struct group) group;
	struct arena texts;
	struct str key, blob;
};

static void forget(struct requests *q)
{
	for (size_t i = 0; i < q->group.n; i++)
		hist_free(&q->group.v[i].latency);
	vec_clear(&q->group);
	intern_free(&q->keys);
	arena_free(&q->texts);
}

void requests_free(struct requests *q)
{
	if (!q)
		return;
	forget(q);
	vec_free(&q->group);
	str_free(&q->key);
	str_free(&q->blob);
	free(q);
}

static bool is_ok(struct sv status)
{
	return !status.n || sv_ieq(status, SV("ok")) || sv_ieq(status, SV("success")) ||
	       (status.p[0] == '2' && status.n == 3);
}

static int write_group(struct requests *q, struct bulk *b, const struct group *g, struct err *err)
{
	str_clear(&q->blob);
	hist_pack(&g->latency, &q->blob);
	bulk_i64(b, g->src);
	bulk_i64(b, g->t_ms);
	bulk_sv(b, g->service);
	bulk_sv(b, g->tenant);
	bulk_i8(b, g->ok);
	bulk_i64(b, g->requests);
	bulk_i64(b, g->tokens_in);
	bulk_i64(b, g->tokens_out);
	bulk_i64(b, g->gpu_ms);
	bulk_blob(b, q->blob.p, q->blob.n);
	return bulk_end_row(b, err);
}

int requests_flush(struct store *s, struct err *err)
{
	struct requests *q = s->requests;
	struct bulk *b = q && q->group.n ? store_bulk(s, T_REQUEST, err) : NULL;
	if (!q || !q->group.n)
		return 0;
	int r = b ? 0 : -EIO;
	for (size_t i = 0; r == 0 && i < q->group.n; i++)
		r = write_group(q, b, &q->group.v[i], err);
	forget(q);
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
	*g = (struct group){ .src = src,
			     .t_ms = head[1],
			     .ok = ok,
			     .tokens_in = UNKNOWN_I64,
			     .tokens_out = UNKNOWN_I64,
			     .gpu_ms = UNKNOWN_I64 };
	if (r->service.p)
		g->service = (struct sv){ arena_strn(&q->texts, r->service.p, r->service.n),
					  r->service.n };
	if (r->tenant.p)
		g->tenant = (struct sv){ arena_strn(&q->texts, r->tenant.p, r->tenant.n),
					 r->tenant.n };
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
	struct group *g = group_of(s->requests, src_of(s->batch, file), r, is_ok(r->status));
	if (r->latency_histogram.n && !hist_add_text(&g->latency, r->latency_histogram))
		return err_set(
			err, -EINVAL,
			"latency_histogram is '%.*s', which is not of the form 10:5;50:20;+Inf:1",
			(int)(r->latency_histogram.n > 100 ? 100 : r->latency_histogram.n),
			r->latency_histogram.p);
	if (!r->latency_histogram.n)
		hist_add(&g->latency, r->latency_ms, r->count);
	g->requests += r->count;
	add_known(&g->tokens_in, r->tokens_in);
	add_known(&g->tokens_out, r->tokens_out);
	add_known(&g->gpu_ms, r->gpu_ms);
	return s->requests->group.n > GROUPS_MAX ? requests_flush(s, err) : 0;
}

/* ---- out --------------------------------------------------------------------------------- */

struct sum {
	struct request_stat stat;
	struct hist latency;
};

static void add_row(struct sum *x, const struct answer *r)
{
	int64_t n = answer_i64(r, 4);
	if (answer_i64(r, 0) < x->stat.t_ms)
		x->stat.t_ms = answer_i64(r, 0);
	x->stat.count += n;
	if (answer_i64(r, 3))
		x->stat.ok += n;
	add_known(&x->stat.tokens_in, answer_i64(r, 5));
	add_known(&x->stat.tokens_out, answer_i64(r, 6));
	add_known(&x->stat.gpu_ms, answer_i64(r, 7));
}

static void finish(struct sum *x)
{
	x->stat.latency_p50_ms = hist_quantile(&x->latency, 0.50);
	x->stat.latency_p95_ms = hist_quantile(&x->latency, 0.95);
	x->stat.latency_p99_ms = hist_quantile(&x->latency, 0.99);
	hist_free(&x->latency);
}

static int open_rows(struct store *s, int64_t from_ms, int64_t to_ms, const char *order,
		     struct answer *r, struct err *err)
{
	struct str sql = { 0 };
	int e = store_settle(s, T_REQUEST, err);
	if (e == 0)
		e = store_load_reversed(s, err);
	if (e)
		return e;
	str_addz(
		&sql,
		"SELECT t_ms, service, tenant, ok, requests, tokens_in, tokens_out, gpu_ms, latency FROM request WHERE true");
	if (from_ms != INT64_MIN)
		str_addf(&sql, " AND t_ms >= %lld", (long long)tm_floor(from_ms, MS_MINUTE));
	if (to_ms != INT64_MAX)
		str_addf(&sql, " AND t_ms < %lld", (long long)to_ms);
	store_in_force(s, &sql);
	str_addz(&sql, order);
	e = answer_open(r, s->con, sql.p, "read the requests", true, err, "");
	str_free(&sql);
	return e;
}

static int cmp_stat(const void *a, const void *b)
{
	const struct request_stat *x = a, *y = b;
	int c = sv_cmp(x->service, y->service);
	return c ? c : sv_cmp(x->tenant, y->tenant);
}

static struct sum new_sum(struct sv service, struct sv tenant, int64_t t_ms)
{
	return (struct sum){ .stat = { .service = service,
				       .tenant = tenant,
				       .t_ms = t_ms,
				       .tokens_in = UNKNOWN_I64,
				       .tokens_out = UNKNOWN_I64,
				       .gpu_ms = UNKNOWN_I64 } };
}

static int merge_row(struct sum *s, const struct answer *r, struct sv blob, struct err *err)
{
	add_row(s, r);
	return hist_merge(&s->latency, blob.p, blob.n)
		       ? 0
		       : err_set(err, -EBADMSG, "a latency histogram in the store is damaged");
}

struct sums { /* of services, or of their tenants */
	struct intern keys;
	VEC(struct sum) v; /* [key] */
};

/* A row into the sum that it belongs to. */
static int add_to(struct sums *s, const struct answer *r, bool by_tenant, struct str *key,
		  struct arena *a, struct err *err)
{
	struct sv blob = answer_sv(r, 8);
	str_clear(key);
	str_addsv(key, answer_sv(r, 1));
	if (by_tenant) {
		str_addc(key, '\x1f');
		str_addsv(key, answer_sv(r, 2));
	}
	uint32_t i = intern_add(&s->keys, str_sv(key));
	if (i == s->v.n)
		*vec_push(&s->v) = new_sum(answer_text(r, 1, a),
					   by_tenant ? answer_text(r, 2, a) : SV_NULL,
					   answer_i64(r, 0));
	return merge_row(&s->v.v[i], r, blob, err);
}

int store_requests(struct store *s, int64_t from_ms, int64_t to_ms, bool by_tenant, struct arena *a,
		   struct request_stat **ret, size_t *ret_n, struct err *err)
{
	struct answer r;
	struct str key = { 0 };
	struct sums sums = { 0 };
	int e = open_rows(s, from_ms, to_ms, "", &r, err);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0 &&
	       (e = add_to(&sums, &r, by_tenant, &key, a, err)) == 0)
		;
	answer_close(&r);
	struct request_stat *out = arena_alloc(a, sums.v.n * sizeof *out + 1);
	for (size_t i = 0; i < sums.v.n; i++) {
		finish(&sums.v.v[i]);
		out[i] = sums.v.v[i].stat;
	}
	if (sums.v.n)
		qsort(out, sums.v.n, sizeof *out, cmp_stat);
	if (e == 0) {
		*ret = out;
		*ret_n = sums.v.n;
	}
	vec_free(&sums.v);
	intern_free(&sums.keys);
	str_free(&key);
	return e;
}

/* The rows come by service and minute: one histogram is in memory at a time. */
int store_request_minutes(struct store *s, int64_t from_ms, int64_t to_ms, struct arena *a,
			  struct request_stat **ret, size_t *ret_n, struct err *err)
{
	struct answer r;
	struct sum now = { 0 };
	VEC(struct request_stat) out = { 0 };
	int e = open_rows(s, from_ms, to_ms, " ORDER BY service, t_ms", &r, err);

	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		struct sv service = answer_sv(&r, 1), blob = answer_sv(&r, 8);
		if (!out.n || now.stat.t_ms != answer_i64(&r, 0) ||
		    !sv_eq(now.stat.service, service)) {
			bool same = out.n && sv_eq(now.stat.service, service);
			if (out.n) {
				finish(&now);
				out.v[out.n - 1] = now.stat;
			}
			now = new_sum(same ? now.stat.service : answer_text(&r, 1, a), SV_NULL,
				      answer_i64(&r, 0));
			*vec_push(&out) = now.stat;
		}
		if ((e = merge_row(&now, &r, blob, err)) < 0)
			break;
	}
	answer_close(&r);
	finish(&now);
	if (out.n)
		out.v[out.n - 1] = now.stat;
	if (e == 0) {
		*ret = arena_copy(a, out.v, out.n, sizeof *out.v);
		*ret_n = out.n;
	}
	vec_free(&out);
	return e;
}
