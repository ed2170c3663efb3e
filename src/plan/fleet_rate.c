/* What a GPU costs an hour, by the catalogue: the one place where levers ask for prices. */
#include <math.h>
#include <stdlib.h>

#include "base/tm.h"
#include "plan/fleet.h"

static bool is_spot(const char *purchase)
{
	return !strcmp(purchase, "spot");
}

enum quality price_row_quality(const struct price_row *p)
{
	return p->source && (sv_ihas(sv_of(p->source), SV("advis")) ||
			     sv_ihas(sv_of(p->source), SV("estimat")))
		       ? QUALITY_ESTIMATED
		       : QUALITY_MEASURED;
}

static bool same_zone(const struct price_row *p, const char *zone)
{
	return !p->zone || !*p->zone || !zone || !*zone || !strcmp(p->zone, zone);
}

/* A machine or card of the model asked for, priced per GPU; a price without a machine is none that
 * can be rented. */
static bool fits(const struct price_row *p, const char *gpu_model, int64_t gpus_milli)
{
	if (p->gpu_milli <= 0 || p->gpu_hour <= 0 || !dec_fits_nano(p->gpu_hour))
		return false;
	if (gpu_model && *gpu_model && (!p->gpu_model || strcmp(p->gpu_model, gpu_model)))
		return false;
	return gpus_milli <= 0 || p->gpu_milli == gpus_milli;
}

static void fill(const struct price_row *p, struct rate *ret)
{
	dec upfront = p->gpu_milli ? p->upfront * 1000 / p->gpu_milli : 0;

	*ret = (struct rate){
		.nano_gpu_hour = dec_to_nano(p->gpu_hour),
		.instance_type = p->instance_type ? p->instance_type : "",
		.term = p->term ? p->term : "",
		.source = p->source ? p->source : "",
		.gpus_milli = p->gpu_milli,
		.as_of_ms = p->as_of_ms != UNKNOWN_MS ? p->as_of_ms : p->from_ms,
		.upfront_nano_gpu = dec_fits_nano(upfront) ? dec_to_nano(upfront) : 0,
		.quality = price_row_quality(p),
		.interruption_lo_pct = p->interruption_lo_pct,
		.interruption_hi_pct = p->interruption_hi_pct,
	};
}

/* Rows come cheapest first. A row of the zone itself is better than one of the region; of several
 * terms without a wish the cheapest. */
static const struct price_row *choose(const struct price_row *p, size_t n, const char *zone,
				      const char *gpu_model, int64_t gpus_milli, bool own_zone)
{
	for (size_t i = 0; i < n; i++)
		if (fits(&p[i], gpu_model, gpus_milli) && same_zone(&p[i], zone) &&
		    (!own_zone || (p[i].zone && *p[i].zone)))
			return &p[i];
	return NULL;
}

bool fleet_rate(const struct catalog *c, const char *provider, const char *region, const char *zone,
		const char *instance_type, const char *gpu_model, int64_t gpus_milli,
		const char *purchase, const char *currency, int64_t at_ms, struct rate *ret)
{
	bool typed = instance_type && *instance_type;
	struct price_query q = {
		.gpu = !typed && gpu_model && *gpu_model ? gpu_model : NULL,
		.provider = provider && *provider ? provider : NULL,
		.region_glob = region && *region ? region : NULL,
		.instance_type = typed ? instance_type : NULL,
		.purchase = &purchase,
		.npurchase = 1,
		.count_milli = typed ? 0 : gpus_milli,
		.currency = currency && *currency ? currency : NULL,
		.at_ms = at_ms,
	};
	struct price_row *row = NULL;
	const struct price_row *best = NULL;
	struct err err;
	size_t n = 0;

	if (!c || !q.provider || (!typed && !q.gpu) || !purchase || !*purchase ||
	    catalog_prices(c, &q, &row, &n, &err) < 0)
		return false;
	if (is_spot(purchase))
		best = choose(row, n, zone, typed ? NULL : gpu_model, q.count_milli, true);
	if (!best)
		best = choose(row, n, zone, typed ? NULL : gpu_model, q.count_milli, false);
	if (best)
		fill(best, ret);
	free(row);
	return best != NULL;
}
