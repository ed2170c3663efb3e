/* Requests by minute, service, tenant and outcome (store/requests.c sums them up). */
#include <errno.h>

#include "base/tm.h"
#include "store/duck/inside.h"

int facts_add_request(struct facts *f, int64_t src, const struct request_group *g, struct err *err)
{
	struct bulk *b = duck_bulk(f, T_REQUEST, err);
	if (!b)
		return -EIO;
	bulk_i64(b, src);
	bulk_i64(b, g->t_ms);
	bulk_sv(b, g->service);
	bulk_sv(b, g->tenant);
	bulk_i8(b, g->ok);
	bulk_i64(b, g->requests);
	bulk_i64(b, g->tokens_in);
	bulk_i64(b, g->tokens_out);
	bulk_i64(b, g->gpu_ms);
	bulk_blob(b, g->latency.p, g->latency.n);
	bulk_i64(b, g->prefill_ms);
	bulk_i64(b, g->decode_ms);
	return bulk_end_row(b, err);
}

static void read_service(const struct answer *r, struct arena *a, void *ret)
{
	*(struct sv *)ret = answer_text(r, 0, a);
}

int facts_services(struct facts *f, struct arena *a, struct sv **ret, size_t *ret_n,
		   struct err *err)
{
	struct duck_list l = { .doing = "read the services",
			       .size = sizeof **ret,
			       .read = read_service };
	int e = duck_settle(f, T_REQUEST, err);

	if (e == 0)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addz(&l.sql, "SELECT service FROM request WHERE true");
	duck_in_force(f, &l.sql);
	str_addz(&l.sql, " GROUP BY service ORDER BY service");
	return duck_list(f, &l, a, ret, ret_n, err);
}

int facts_requests(struct facts *f, struct span window, bool sorted, facts_request_fn *fn,
		   void *ctx, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	int e = duck_settle(f, T_REQUEST, err);
	if (e == 0)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addz(
		&sql,
		"SELECT t_ms, service, tenant, ok, requests, tokens_in, tokens_out, gpu_ms, latency, prefill_ms, decode_ms FROM request WHERE true");
	if (window.from_ms != INT64_MIN)
		str_addf(&sql, " AND t_ms >= %lld", (long long)tm_floor(window.from_ms, MS_MINUTE));
	if (window.to_ms != INT64_MAX)
		str_addf(&sql, " AND t_ms < %lld", (long long)window.to_ms);
	duck_in_force(f, &sql);
	if (sorted)
		str_addz(&sql, " ORDER BY service, t_ms");
	e = answer_open(&r, &(struct sql_query){ f->con, sql.p, "read the requests", true }, err,
			"");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		struct request_group g = { .t_ms = answer_i64(&r, 0),
					   .service = answer_sv(&r, 1),
					   .tenant = answer_sv(&r, 2),
					   .ok = answer_i64(&r, 3) != 0,
					   .requests = answer_i64(&r, 4),
					   .tokens_in = answer_i64(&r, 5),
					   .tokens_out = answer_i64(&r, 6),
					   .gpu_ms = answer_i64(&r, 7),
					   .latency = answer_sv(&r, 8),
					   .prefill_ms = answer_i64(&r, 9),
					   .decode_ms = answer_i64(&r, 10) };
		e = fn(ctx, &g, err);
		if (e)
			break;
	}
	answer_close(&r);
	return e;
}

/* ---- the same requests again --------------------------------------------------------------- */

/* All that is known of the requests of a minute, but whose they are. */
#define GROUP_HASH                                                                              \
	"hash(t_ms, tenant, ok, requests, tokens_in, tokens_out, gpu_ms, latency, prefill_ms, " \
	"decode_ms)"

static void read_repeat(const struct answer *r, struct arena *a, void *ret)
{
	*(struct request_repeat *)ret =
		(struct request_repeat){ .src = answer_i64(r, 0),
					 .of_src = answer_i64(r, 1),
					 .same_service = answer_i64(r, 2) != 0,
					 .requests = answer_i64(r, 3),
					 .repeated = answer_i64(r, 4),
					 .of_requests = answer_i64(r, 5),
					 .of_path = answer_text(r, 6, a).p };
}

int facts_request_repeats(struct facts *f, struct arena *a, struct request_repeat **ret,
			  size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "look for requests that came twice",
			       .size = sizeof **ret,
			       .read = read_repeat };
	long long end = f->batch ? (long long)store_source(f->batch, 0) : INT64_MAX;
	int e = duck_settle(f, T_REQUEST, err);

	e = e ? e : duck_load_reversed(f, err);
	if (e)
		return e;
	str_addf(
		&l.sql,
		"WITH w AS (SELECT min(t_ms) AS lo, max(t_ms) AS hi FROM request WHERE src >= %lld), "
		"g AS (SELECT src, service, " GROUP_HASH " AS h, sum(requests)::BIGINT AS n "
		"FROM request, w WHERE requests > 0 AND t_ms BETWEEN lo AND hi",
		end);
	duck_in_force(f, &l.sql);
	str_addf(
		&l.sql,
		" GROUP BY src, service, h), s AS (SELECT src, sum(n)::BIGINT AS n FROM g GROUP BY src) "
		"SELECT x.src, y.src, CASE WHEN x.service = y.service THEN 1 ELSE 0 END AS same, s.n, "
		"sum(least(x.n, y.n))::BIGINT, o.n, coalesce(max(f.path), '') "
		"FROM g x JOIN g y ON x.h = y.h AND y.src < x.src JOIN s ON s.src = x.src "
		"JOIN s o ON o.src = y.src LEFT JOIN batch_file f ON f.src = y.src WHERE x.src >= %lld "
		"GROUP BY x.src, y.src, same, s.n, o.n ORDER BY x.src, y.src, same",
		end);
	return duck_list(f, &l, a, ret, ret_n, err);
}
