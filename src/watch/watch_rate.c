#include "watch/watch_rate.h"

#include <stdio.h>

#include "base/str.h"

void watch_rate_find(struct watch_rate *r, const struct conf *conf, const struct catalog *cat,
		     const char *node, const char *gpu_model, int64_t now_ms)
{
	if (r->known) {
		if (!*r->currency)
			snprintf(r->currency, sizeof r->currency, "%s", conf->currency);
		if (!*r->source)
			snprintf(r->source, sizeof r->source, "settings");
		return;
	}
	for (size_t i = 0; i < conf->owned.n; i++) {
		const struct owned_conf *o = &conf->owned.v[i];
		if (o->gpu_model && (!gpu_model || !sv_ieq(sv_of(o->gpu_model), sv_of(gpu_model))))
			continue;
		if (o->node_glob && !sv_glob(sv_of(node), sv_of(o->node_glob)))
			continue;
		r->usd_gpu_hour = catalog_owned_gpu_hour(&o->terms);
		snprintf(r->purchase, sizeof r->purchase, "owned");
		snprintf(r->source, sizeof r->source, "owned");
		snprintf(r->currency, sizeof r->currency, "%s", conf->currency);
		r->known = true;
		return;
	}
	if (!cat || !*r->provider || !*r->region)
		return;
	if (!gpu_model && !*r->instance_type)
		return;
	struct price_row *row = NULL;
	struct err err = { 0 };
	size_t n = 0;
	if (catalog_price_over(cat, r->provider, r->region, filled_or(r->zone, NULL),
			       filled_or(r->instance_type, NULL), gpu_model,
			       filled_or(r->purchase, "on_demand"), now_ms, now_ms + 1, &row, &n,
			       &err) < 0)
		return;
	r->known = n > 0 && row[n - 1].gpu_milli > 0;
	if (r->known) {
		r->usd_gpu_hour = row[n - 1].gpu_hour;
		snprintf(r->currency, sizeof r->currency, "%s",
			 text_or(row[n - 1].currency, "USD"));
		snprintf(r->source, sizeof r->source, "catalogue");
	}
	free(row);
}
