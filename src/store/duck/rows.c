/* Nodes, prices and exchange rates as they were given; allocations: allocations.c. */
#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/utf8.h"
#include "store/duck/inside.h"

/* ---- in ---------------------------------------------------------------------------------- */

int facts_add_node(struct facts *f, int64_t src, const struct node *n, struct err *err)
{
	struct bulk *b = duck_bulk(f, T_NODE, err);
	if (!b)
		return -EPERM;
	const struct sv text[] = { n->node,          n->provider,  n->region,  n->zone,
				   n->instance_type, n->gpu_model, n->cluster, n->purchase,
				   n->resource_id,   n->gpu_ids,   n->currency };
	bulk_i64(b, src);
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		bulk_sv(b, text[i]);
	bulk_i64(b, n->gpu_milli);
	bulk_i64(b, n->from_ms);
	bulk_i64(b, n->to_ms);
	bulk_dec(b, n->has_usd_hour, n->usd_hour);
	bulk_i64(b, duck_known(n->cpu_milli));
	bulk_i64(b, duck_known(n->ram_mib));
	return bulk_end_row(b, err);
}

int facts_add_price(struct facts *f, int64_t src, const struct price *p, struct err *err)
{
	struct bulk *b = duck_bulk(f, T_PRICE, err);
	if (!b)
		return -EPERM;
	const struct sv text[] = { p->provider,      p->region,    p->zone,
				   p->instance_type, p->gpu_model, p->purchase,
				   p->term,          p->currency,  p->source };
	bulk_i64(b, src);
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		bulk_sv(b, text[i]);
	bulk_i64(b, p->gpu_milli);
	bulk_dec(b, true, p->upfront);
	bulk_dec(b, true, p->hour);
	bulk_i64(b, p->from_ms);
	bulk_i64(b, p->to_ms);
	bulk_i32(b, p->interruption_lo_pct);
	bulk_i32(b, p->interruption_hi_pct);
	return bulk_end_row(b, err);
}

int facts_add_exchange_rate(struct facts *f, int64_t src, const struct exchange_rate *x,
			    struct err *err)
{
	struct bulk *b = duck_bulk(f, T_EXCHANGE_RATE, err);
	if (!b)
		return -EPERM;
	bulk_i64(b, src);
	bulk_sv(b, x->from);
	bulk_sv(b, x->to);
	bulk_i64(b, x->day_ms);
	bulk_dec(b, true, x->rate);
	return bulk_end_row(b, err);
}

/* ---- out --------------------------------------------------------------------------------- */

static void read_node(const struct answer *r, struct arena *a, void *ret)
{
	*(struct node *)ret = (struct node){ .node = answer_text(r, 1, a),
					     .provider = answer_text(r, 2, a),
					     .region = answer_text(r, 3, a),
					     .zone = answer_text(r, 4, a),
					     .instance_type = answer_text(r, 5, a),
					     .gpu_model = answer_text(r, 6, a),
					     .cluster = answer_text(r, 7, a),
					     .purchase = answer_text(r, 8, a),
					     .resource_id = answer_text(r, 9, a),
					     .gpu_ids = answer_text(r, 10, a),
					     .currency = answer_text(r, 11, a),
					     .gpu_milli = answer_i64(r, 12),
					     .from_ms = answer_i64(r, 13),
					     .to_ms = answer_i64(r, 14),
					     .usd_hour = answer_huge(r, 15),
					     .has_usd_hour = !answer_null(r, 15),
					     .cpu_milli = answer_i64(r, 16),
					     .ram_mib = answer_i64(r, 17) };
}

int facts_nodes(struct facts *f, struct arena *a, struct node **ret, struct srcs *ret_src,
		struct err *err)
{
	struct duck_list l = { .doing = "read the nodes",
			       .size = sizeof **ret,
			       .read = read_node,
			       .src = &ret_src->v };
	int e = duck_select_in_force(f, T_NODE, "SELECT * FROM node WHERE true",
				     " ORDER BY node, from_ms, src", &l.sql, err);
	if (e)
		return e;
	return duck_list(f, &l, a, ret, &ret_src->n, err);
}

int facts_tag_keys(struct facts *f, struct arena *a, const char ***ret, size_t *ret_n,
		   struct err *err)
{
	struct duck_list l = { .doing = "read the keys of tags",
			       .size = sizeof **ret,
			       .read = duck_read_text };
	int e = duck_settle(f, T_LEDGER, err);

	if (e)
		return e;
	str_addz(
		&l.sql,
		"SELECT DISTINCT unnest(json_keys(tags)) AS k FROM (SELECT DISTINCT nullif(tags, '') AS tags FROM ledger_who) ORDER BY k");
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_price(const struct answer *r, struct arena *a, void *ret)
{
	*(struct price *)ret = (struct price){ .provider = answer_text(r, 1, a),
					       .region = answer_text(r, 2, a),
					       .zone = answer_text(r, 3, a),
					       .instance_type = answer_text(r, 4, a),
					       .gpu_model = answer_text(r, 5, a),
					       .purchase = answer_text(r, 6, a),
					       .term = answer_text(r, 7, a),
					       .currency = answer_text(r, 8, a),
					       .source = answer_text(r, 9, a),
					       .gpu_milli = answer_i64(r, 10),
					       .upfront = answer_huge(r, 11),
					       .hour = answer_huge(r, 12),
					       .from_ms = answer_i64(r, 13),
					       .to_ms = answer_i64(r, 14),
					       .interruption_lo_pct = (int)answer_i64(r, 15),
					       .interruption_hi_pct = (int)answer_i64(r, 16) };
}

int facts_prices(struct facts *f, struct arena *a, struct price **ret, size_t *ret_n,
		 struct err *err)
{
	struct duck_list l = { .doing = "read the prices",
			       .size = sizeof **ret,
			       .read = read_price };
	int e = duck_select_in_force(
		f, T_PRICE, "SELECT * FROM price WHERE true",
		" ORDER BY src, provider, region, zone, instance_type, gpu_model, purchase, from_ms",
		&l.sql, err);
	if (e)
		return e;
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_exchange_rate(const struct answer *r, struct arena *a, void *ret)
{
	*(struct exchange_rate *)ret = (struct exchange_rate){ .from = answer_text(r, 1, a),
							       .to = answer_text(r, 2, a),
							       .day_ms = answer_i64(r, 3),
							       .rate = answer_huge(r, 4) };
}

int facts_exchange_rates(struct facts *f, struct arena *a, struct exchange_rate **ret,
			 size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "read the exchange rates",
			       .size = sizeof **ret,
			       .read = read_exchange_rate };
	int e = duck_select_in_force(f, T_EXCHANGE_RATE, "SELECT * FROM exchange_rate WHERE true",
				     " ORDER BY src, from_currency, to_currency, day_ms", &l.sql,
				     err);
	if (e)
		return e;
	return duck_list(f, &l, a, ret, ret_n, err);
}
