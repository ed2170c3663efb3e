#include "watch/watch_rate.h"

#include <stdio.h>

#include "base/str.h"

static bool owned_rate(struct watch_rate *r, const struct conf *conf, const char *node,
		       const char *gpu_model)
{
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
		return true;
	}
	return false;
}

static const char *or_null(const char *s)
{
	return filled_or(s, NULL);
}

static bool catalog_rate(struct watch_rate *r, const struct catalog *cat, const char *gpu_model,
			 int64_t now_ms)
{
	struct price_row *row = NULL;
	struct err err = { 0 };
	size_t n = 0;
	if (!cat || !*r->provider || !*r->region)
		return false;
	if (!gpu_model && !*r->instance_type)
		return false;
	const char *purchase = filled_or(r->purchase, "on_demand");
	if (catalog_price_over(cat, r->provider, r->region, or_null(r->zone),
			       or_null(r->instance_type), gpu_model, purchase, now_ms, now_ms + 1,
			       &row, &n, &err) < 0)
		return false;
	bool found = n > 0 && row[n - 1].gpu_milli > 0;
	if (found) {
		r->usd_gpu_hour = row[n - 1].gpu_hour;
		snprintf(r->currency, sizeof r->currency, "%s",
			 text_or(row[n - 1].currency, "USD"));
		snprintf(r->source, sizeof r->source, "catalogue");
	}
	free(row);
	return found;
}

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
	r->known = owned_rate(r, conf, node, gpu_model) || catalog_rate(r, cat, gpu_model, now_ms);
}
