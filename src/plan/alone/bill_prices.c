/*
 * What the machines of a bill would cost in another region, as spot, on another GPU: at what this
 * customer pays of list (fleet_rate.c). For GPU machines on demand of which nothing but the bill is
 * known; where jobs are known too, the levers region, spot and rightsize_gpu replay them instead.
 */
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/tm.h"
#include "plan/alone/bill_seen.h"
#include "plan/told.h"
#include "plan/workload.h"

#define WORTH_FRAC 100  /* a hundredth of the bill is worth a word */
#define CHEAPER    0.95 /* of what is paid here: less of a difference is none */

struct asked { /* GPU machines of a type at a place */
	const struct lever_in *in;
	const struct bill_seen *b;
	const struct bill_family *g;
	double month; /* what they cost */
};

/* On-demand or spot prices in force; own files stand before list prices. */
static size_t find_prices(const struct asked *a, const char *type, const char *region,
			  const char *const *purchase, struct price_row **ret)
{
	struct price_query q = { .provider = a->g->provider,
				 .region_glob = region,
				 .instance_type = type,
				 .count_milli = a->g->gpus_milli,
				 .purchase = purchase,
				 .npurchase = 1,
				 .at_ms = a->in->now_ms,
				 .currency = "*" };
	struct err err = { 0 };
	size_t n = 0;

	*ret = NULL;
	if (catalog_prices(a->in->catalog, &q, ret, &n, &err) < 0)
		return 0;
	return fleet_rates_yours(a->in->fleet, *ret, n, a->in->now_ms);
}

/* Of a GPU and hour, in the fleet's currency; NAN. */
static double scaled_price(const struct asked *a, const struct price_row *p)
{
	struct rate_scale s;

	if (p->gpu_hour <= 0 || !p->region || !fleet_rate_scale(a->in->fleet, p, a->in->now_ms, &s))
		return NAN;
	return dec_to_double(p->gpu_hour) * s.factor;
}

static const char *const on_demand[] = { "on_demand" };
static const char *const spot[] = { "spot" };

/* What is paid for a GPU and hour. */
static double paid_price(const struct asked *a)
{
	return dec_to_double(a->g->cost) /
	       ((double)a->g->on_ms / MS_HOUR * (double)a->g->gpus_milli / 1000);
}

struct cheaper {
	enum advice_kind kind;
	const char *tail;
	double lo_frac, hi_frac; /* of what is paid, saved */
	double price;
	const struct price_row *row;
};

static struct rec *tell_cheaper(const struct asked *a, struct rec_list *out,
				const struct cheaper *c)
{
	const struct lever_in *in = a->in;
	const struct price_row *p = c->row;
	char day[TM_BUF];
	struct rec *r =
		told_new(in, out, c->kind,
			 arena_printf(in->mem, "%s-%s-%s", c->tail, a->g->family, a->g->region));
	int64_t at = p->from_ms;

	if (p->as_of_ms != UNKNOWN_MS)
		at = p->as_of_ms;
	told_cost(r, dec_from_double(a->month));
	told_may_save(in, r, dec_from_double(a->month * c->lo_frac),
		      dec_from_double(a->month * c->hi_frac));
	rec_subject(in, r, "provider", a->g->provider);
	rec_subject(in, r, "region", a->g->region);
	rec_subject(in, r, "instance_type", a->g->instance_type);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "paid for them",
					.unit = lever_rate_unit(in), .source = "bill" },
		     "%.4f", paid_price(a));
	rec_evidence(in, r,
		     (struct evidence){
			     price_row_quality(p), "would be", .unit = lever_rate_unit(in),
			     .source = arena_printf(in->mem, "%s, %s", text_or(p->source, "list"),
						    at == UNKNOWN_MS ? "not dated"
								     : tm_format_date(day, at)) },
		     "%.4f", c->price);
	return r;
}

static void tell_region(const struct asked *a, struct rec_list *out)
{
	struct price_row *row;
	size_t n = find_prices(a, a->g->instance_type, NULL, on_demand, &row), best = SIZE_MAX;
	/* what is paid may be more expensive than what would be asked here today: that is no
	 * other place */
	double here = paid_price(a), low;

	for (size_t i = 0; i < n; i++)
		if (row[i].region && !strcmp(row[i].region, a->g->region))
			here = fmin(here, scaled_price(a, &row[i]));
	low = here * CHEAPER;
	for (size_t i = 0; i < n; i++) {
		double v = scaled_price(a, &row[i]);
		if (!row[i].region || !(v < low))
			continue;
		const struct plan_conf *conf = a->in->conf;
		bool allowed = !conf->regions.n;
		for (size_t k = 0; k < conf->regions.n; k++)
			allowed |= !strcmp(conf->regions.v[k], row[i].region);
		if (allowed && strcmp(row[i].region, a->g->region)) {
			low = v;
			best = i;
		}
	}
	if (best != SIZE_MAX) {
		double part = 1 - low / here;
		struct rec *r = tell_cheaper(a, out,
					     &(struct cheaper){ .kind = ADVICE_BILL_REGION,
								.tail = "bill-region",
								.lo_frac = 0,
								.hi_frac = part,
								.price = low,
								.row = &row[best] });
		r->title = arena_printf(
			a->in->mem, "%s costs %.0f %% less in %s than in %s, at your rates",
			a->g->instance_type, part * 100, row[best].region, a->g->region);
		rec_risk(
			a->in, r,
			"Where data may lie, and what it costs to move, no bill says; plan.regions tells where work may run.");
	}
	free(row);
}

static void tell_gpu(const struct asked *a, struct rec_list *out)
{
	const struct gpu_spec *is = catalog_gpu(a->in->catalog, sv_of(a->g->gpu_model));
	struct price_row *row;
	size_t n = is ? find_prices(a, NULL, a->g->region, on_demand, &row) : 0, best = SIZE_MAX;
	double low = CHEAPER, price = 0, fast = 0;

	if (!is)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct gpu_spec *to = row[i].gpu_model ? catalog_gpu(a->in->catalog,
									   sv_of(row[i].gpu_model))
							     : NULL;
		double v = scaled_price(a, &row[i]);
		if (!to || to == is || !row[i].instance_type)
			continue;

		/* How much more it does at most and at least, by what limits it: 16-bit arithmetic
		 * or memory bandwidth. */
		double compute = to->fp16_tflops / is->fp16_tflops,
		       memory = to->bandwidth_gb_s / is->bandwidth_gb_s, lo = fmin(compute, memory),
		       hi = fmax(compute, memory);
		if (!(compute > 0 && memory > 0) || to->memory_gib < is->memory_gib)
			continue;
		if (!(v / paid_price(a) / lo < low))
			continue;
		low = v / paid_price(a) / lo;
		fast = v / paid_price(a) / hi;
		price = v;
		best = i;
	}
	if (best != SIZE_MAX) {
		struct rec *r = tell_cheaper(a, out,
					     &(struct cheaper){ .kind = ADVICE_BILL_GPU,
								.tail = "bill-card",
								.lo_frac = 1 - low,
								.hi_frac = 1 - fast,
								.price = price,
								.row = &row[best] });
		r->title = arena_printf(a->in->mem, "the work of %s in %s may cost less on %s (%s)",
					a->g->instance_type, a->g->region, row[best].instance_type,
					row[best].gpu_model);
		rec_evidence(
			a->in, r,
			(struct evidence){ QUALITY_ESTIMATED,
					   "of the cost, by memory bandwidth and 16-bit arithmetic",
					   .unit = "frac", .source = "data sheets" },
			"%.2f to %.2f", fast, low);
		rec_risk(
			a->in, r,
			"Data sheets are no measurement: tare profile a run on both, or import jobs and readings.");
	}
	free(row);
}

void bill_prices(const struct lever_in *in, struct rec_list *out)
{
	const struct bill_seen *b = in->fleet->bill;

	if (!b || !in->catalog || workload_jobs_are_known(in->fleet))
		return;
	for (size_t i = 0; i < b->family.n; i++) {
		const struct bill_family *g = &b->family.v[i];
		dec month = bill_month_of(b, g->cost, in->conf->month_hours);
		struct asked a = { in, b, g, dec_to_double(month) };
		if (g->gpus_milli <= 0 || !*g->instance_type)
			continue;
		if (g->on_ms <= 0 || g->cost * WORTH_FRAC < b->all.cost)
			continue;
		tell_region(&a, out);

		struct price_row *row;
		size_t n = find_prices(&a, a.g->instance_type, a.g->region, spot, &row),
		       best = SIZE_MAX;
		double low = paid_price(&a) * CHEAPER;

		for (size_t k = 0; k < n; k++) {
			double v = scaled_price(&a, &row[k]);
			if (v < low && !row[k].no_quote) {
				low = v;
				best = k;
			}
		}
		if (best != SIZE_MAX) {
			double part = 1 - low / paid_price(&a);
			struct rec *r = tell_cheaper(&a, out,
						     &(struct cheaper){ .kind = ADVICE_BILL_SPOT,
									.tail = "bill-spot",
									.lo_frac = 0,
									.hi_frac = part,
									.price = low,
									.row = &row[best] });
			r->title = arena_printf(
				a.in->mem,
				"%s in %s is %.0f %% cheaper as spot, for what may be interrupted",
				a.g->instance_type, a.g->region, part * 100);
			rec_risk(
				a.in, r,
				"Spot machines are taken away: work must save what it has and resume from it.");
		}
		free(row);
		tell_gpu(&a, out);
	}
}
