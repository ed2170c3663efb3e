/*
 * What a GPU costs an hour to the customer: the one place where levers ask for prices. A price of
 * the catalogue is scaled by what is paid of list for its family, and brought to the fleet's
 * currency:
 *
 *   the customer's own price file     as it is (x exchange)
 *   on demand and commitments         x own rate; without one: list (x exchange)
 *   spot and capacity blocks          as the market has them (x exchange)
 */
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/tm.h"
#include "catalog/family.h"
#include "plan/fleet/fleet.h"

static bool is_spot(const char *purchase)
{
	return !strcmp(purchase, "spot");
}

static bool is_market(const char *purchase)
{
	return is_spot(purchase) || !strcmp(purchase, "capacity_block");
}

enum quality price_row_quality(const struct price_row *p)
{
	if (p->source &&
	    (sv_ihas(sv_of(p->source), SV("advis")) || sv_ihas(sv_of(p->source), SV("estimat"))))
		return QUALITY_ESTIMATED;
	return QUALITY_MEASURED;
}

static bool same_zone(const struct price_row *p, const char *zone)
{
	if (!p->zone || !*p->zone || !zone)
		return true;
	return !*zone || !strcmp(p->zone, zone);
}

/* A machine or GPU of the model asked for, priced per GPU; a price without a machine is none that
 * can be rented. A part of a GPU is none where a GPU of a model is asked for. */
static bool fits_price(const struct price_row *p, const char *gpu_model, int64_t gpus_milli)
{
	if (p->gpu_milli <= 0 || p->gpu_hour <= 0 || !dec_fits_nano(p->gpu_hour))
		return false;
	if (gpu_model && *gpu_model && (!p->gpu_model || strcmp(p->gpu_model, gpu_model)))
		return false;
	if (gpu_model && *gpu_model && gpus_milli <= 0)
		return p->gpu_milli >= 1000;
	return gpus_milli <= 0 || p->gpu_milli == gpus_milli;
}

/* ---- of list, to the customer ------------------------------------------------------------ */

static const char *currency_of(const struct fleet *f)
{
	if (f && *f->currency)
		return f->currency;
	return "USD";
}

static bool exchange_factor(const struct fleet *f, const char *from, int64_t now_ms, double *ret)
{
	const char *to = currency_of(f);
	struct exchange_found found;

	*ret = 1;
	if (!strcmp(from, to))
		return true;
	if (!f || !exchange_at(&f->exchange, from, to, now_ms, -1, &found))
		return false;
	*ret = dec_to_double(found.rate);
	return true;
}

double fleet_usd(const struct fleet *f, int64_t now_ms)
{
	double rate;

	if (exchange_factor(f, "USD", now_ms, &rate))
		return rate;
	return NAN;
}

static const struct own_rate *own_rate_of(const struct fleet *f, const struct price_row *p,
					  const char *list_currency)
{
	char family[FAMILY_BUF];

	machine_family(p->provider, p->instance_type, p->gpu_model, family);
	return own_rates_find(&f->own_rates, p->provider, family, list_currency);
}

bool fleet_rate_scale(const struct fleet *f, const struct price_row *p, int64_t now_ms,
		      struct rate_scale *ret)
{
	const char *from = filled_or(p->currency, "USD");
	const char *purchase = text_or(p->purchase, "");
	const struct own_rate *own = NULL;
	bool scaled = f && !p->own && !is_market(purchase);

	*ret = (struct rate_scale){ .factor = 1, .basis = RATE_LIST };
	if (p->own)
		ret->basis = RATE_YOURS;
	else if (is_market(purchase))
		ret->basis = RATE_MARKET;
	if (scaled && (own = own_rate_of(f, p, from))) {
		*ret = (struct rate_scale){ own->factor, RATE_CONTRACT };
		return true;
	}
	if (!exchange_factor(f, from, now_ms, &ret->factor))
		return false;
	/* what the bill's own lines show of list, in its currency */
	if (scaled && strcmp(from, currency_of(f)) && (own = own_rate_of(f, p, currency_of(f)))) {
		ret->factor *= own->factor;
		ret->basis = RATE_CONTRACT;
	}
	return true;
}

/* ---- the customer's own before a list's -------------------------------------------------- */

static bool same_or_any(const char *yours, const char *listed)
{
	return !yours || !*yours || text_same(yours, listed);
}

static bool speaks_for(const struct price_row *yours, const struct price_row *p)
{
	bool same_place = text_same(yours->provider, p->provider) &&
			  (same_or_any(yours->region, p->region) ||
			   text_same(yours->region, "global")) &&
			  same_or_any(yours->zone, p->zone);
	bool same_machine = text_same(yours->instance_type, p->instance_type);
	bool same_way = text_same(yours->purchase, p->purchase) &&
			same_or_any(yours->term, p->term);

	return same_place && same_machine && same_way;
}

/* What one own price of a currency says of all: only the currency matters. */
struct sayable {
	const char *currency; /* NULL: none asked yet */
	bool yes;
};

static bool is_usable(const struct fleet *f, const struct price_row *p, int64_t now_ms,
		      struct sayable *last)
{
	struct rate_scale scale;

	if (!p->own || p->gpu_milli <= 0 || p->gpu_hour <= 0)
		return false;
	if (!last->currency || !text_same(last->currency, p->currency))
		*last = (struct sayable){ text_or(p->currency, ""),
					  fleet_rate_scale(f, p, now_ms, &scale) };
	return last->yes;
}

size_t fleet_rates_yours(const struct fleet *f, struct price_row *row, size_t n, int64_t now_ms)
{
	struct price_row *yours = xmalloc((n + 1) * sizeof *yours);
	struct sayable last = { 0 };
	size_t nyours = 0, kept = 0;

	for (size_t i = 0; i < n; i++)
		if (is_usable(f, &row[i], now_ms, &last))
			yours[nyours++] = row[i];
	for (size_t i = 0; i < n; i++) {
		bool dropped = false;
		for (size_t k = 0; k < nyours && !row[i].own && !dropped; k++)
			dropped = speaks_for(&yours[k], &row[i]);
		if (!dropped)
			row[kept++] = row[i];
	}
	free(yours);
	return kept;
}

const char *rate_says(struct arena *mem, const char *currency, const struct rate_scale *s,
		      const char *price_currency)
{
	const char *from = filled_or(price_currency, "USD");
	bool other = strcmp(from, filled_or(currency, "USD")) != 0;
	const char *unit = "";

	if (other)
		unit = arena_printf(mem, " %s", currency);
	switch (s->basis) {
	case RATE_CONTRACT:
		return other ? arena_printf(mem, "list in %s x %.4g%s, as is paid for its family",
					    from, s->factor, unit)
			     : arena_printf(mem, "%.3g of list, as is paid for its family",
					    s->factor);
	case RATE_LIST:
		return other ? arena_printf(mem, "list price in %s x %.4g%s", from, s->factor, unit)
			     : "list price";
	default: return other ? arena_printf(mem, "%s x %.4g%s", from, s->factor, unit) : "";
	}
}

/* ---- which ------------------------------------------------------------------------------- */

struct offer {
	const struct price_row *row;
	struct rate_scale scale;
	double nano_gpu_hour;
};

/* The customer's own price, else one in the fleet's currency, else the cheaper. */
static bool is_better(const struct price_ask *q, const struct offer *a, const struct offer *b)
{
	const char *own = currency_of(q->fleet);
	bool a_yours = a->scale.basis == RATE_YOURS, b_yours = b->scale.basis == RATE_YOURS;
	bool a_same = !strcmp(a->row->currency, own), b_same = !strcmp(b->row->currency, own);

	if (a_yours != b_yours)
		return a_yours;
	if (a_same != b_same)
		return a_same;
	return a->nano_gpu_hour < b->nano_gpu_hour;
}

/* A row of the zone itself is better than one of the region; of several terms without a wish the
 * cheapest. */
static bool choose_row(const struct price_ask *q, const struct price_row *p, size_t n,
		       bool own_zone, struct offer *ret)
{
	bool typed = q->instance_type && *q->instance_type;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		struct offer o = { .row = &p[i] };
		bool no_zone = own_zone && !(p[i].zone && *p[i].zone);
		if (no_zone || !same_zone(&p[i], q->zone))
			continue;
		if (!fits_price(&p[i], typed ? NULL : q->gpu_model, typed ? 0 : q->gpus_milli) ||
		    !fleet_rate_scale(q->fleet, &p[i], q->at_ms, &o.scale))
			continue;
		o.nano_gpu_hour = (double)dec_to_nano(p[i].gpu_hour) * o.scale.factor;
		if (o.nano_gpu_hour < 1 || o.nano_gpu_hour > 9e18)
			continue;
		if (any && !is_better(q, &o, ret))
			continue;
		*ret = o;
		any = true;
	}
	return any;
}

bool fleet_rate(const struct price_ask *q, struct rate *ret)
{
	bool typed = q->instance_type && *q->instance_type;
	struct price_query ask = {
		.gpu = !typed && q->gpu_model && *q->gpu_model ? q->gpu_model : NULL,
		.provider = filled_or(q->provider, NULL),
		.region_glob = filled_or(q->region, NULL),
		.instance_type = typed ? q->instance_type : NULL,
		.purchase = &q->purchase,
		.npurchase = 1,
		.count_milli = typed ? 0 : q->gpus_milli,
		.currency = q->fleet ? "*" : NULL,
		.at_ms = q->at_ms,
	};
	struct price_row *row = NULL;
	struct offer best;
	struct err err;
	size_t n = 0;
	bool found;

	if (!q->catalog || !ask.provider)
		return false;
	if ((!typed && !ask.gpu) || !q->purchase)
		return false;
	if (!*q->purchase || catalog_prices(q->catalog, &ask, &row, &n, &err) < 0)
		return false;
	found = (is_spot(q->purchase) && choose_row(q, row, n, true, &best)) ||
		choose_row(q, row, n, false, &best);
	if (found) {
		const struct price_row *p = best.row;
		dec upfront = p->gpu_milli ? p->upfront * 1000 / p->gpu_milli : 0;
		double up = dec_fits_nano(upfront) ? (double)dec_to_nano(upfront) : 0;
		bool as_it_is = best.scale.factor == 1;

		*ret = (struct rate){
			.nano_gpu_hour = as_it_is ? dec_to_nano(p->gpu_hour)
						  : llround(best.nano_gpu_hour),
			.instance_type = text_or(p->instance_type, ""),
			.term = text_or(p->term, ""),
			.source = text_or(p->source, ""),
			.gpus_milli = p->gpu_milli,
			.as_of_ms = p->as_of_ms != UNKNOWN_MS ? p->as_of_ms : p->from_ms,
			.upfront_nano_gpu = llround(fmin(up * best.scale.factor, 9e18)),
			.quality = price_row_quality(p),
			.interruption_lo_pct = p->interruption_lo_pct,
			.interruption_hi_pct = p->interruption_hi_pct,
			.basis = best.scale.basis,
			.factor = best.scale.factor,
			.price_currency = text_or(p->currency, "USD"),
		};
	}
	free(row);
	return found;
}
