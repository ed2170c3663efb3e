/* See rate.h. */
#include "watch/rate.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/str.h"
#include "base/yaml.h"
#include "device/place.h"

#define USD_HOUR_MAX (DEC_ONE * 100000) /* above it is a typing error */

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
	const struct price_over now = { .provider = r->provider,
					.region = r->region,
					.zone = r->zone,
					.instance_type = r->instance_type,
					.gpu_model = gpu_model,
					.purchase = filled_or(r->purchase, "on_demand"),
					.from_ms = now_ms,
					.to_ms = now_ms + 1 };
	struct price_row *row = NULL;
	struct err err = { 0 };
	size_t n = 0;
	if (catalog_price_over(cat, &now, &row, &n, &err) < 0)
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

static int load_price(const struct yaml_doc *d, const struct yaml *y, struct arena *a,
		      struct rate_ask *ret, struct err *err)
{
	static const char *const keys[] = { "usd_gpu_hour", "provider",      "region",
					    "zone",         "instance_type", "purchase",
					    "currency",     "cluster",       NULL };
	struct {
		const char *key, **v;
	} text[] = { { "provider", &ret->provider }, { "region", &ret->region },
		     { "zone", &ret->zone },         { "instance_type", &ret->instance_type },
		     { "purchase", &ret->purchase }, { "currency", &ret->currency } };
	int r = yaml_check_keys(d, y, keys, err);

	for (size_t i = 0; i < sizeof text / sizeof *text && r >= 0; i++) {
		const char *z = NULL;
		r = yaml_text(d, y, text[i].key, &z, err);
		*text[i].v = z ? arena_sv(a, sv_of(z)) : NULL;
	}
	if (r < 0 || !yaml_get(y, "usd_gpu_hour"))
		return r;
	ret->has_usd_gpu_hour = true;
	r = yaml_dec(d, y, "usd_gpu_hour", &ret->usd_gpu_hour, err);
	if (r >= 0 && (ret->usd_gpu_hour < 0 || ret->usd_gpu_hour > USD_HOUR_MAX))
		r = err_set(err, -EINVAL, "'%s' line %d: 'usd_gpu_hour' is not a price of an hour",
			    yaml_name(d), y->line);
	return r;
}

int rate_load(const char *path, struct arena *a, struct rate_ask *ret, struct err *err)
{
	struct yaml_doc *d;
	int r;

	memset(ret, 0, sizeof *ret);
	if (!path)
		return 0;
	if ((r = yaml_load(path, &d, err)) < 0)
		return r;
	const struct yaml *y = yaml_get(yaml_get(yaml_root(d), "agent"), "node");
	if (y && y->type != YAML_NULL)
		r = load_price(d, y, a, ret, err);
	yaml_doc_free(d);
	if (r < 0)
		return r;
	return 0;
}

void rate_place(struct arena *a, struct rate_ask *ret)
{
	struct place p;
	struct err err;

	memset(ret, 0, sizeof *ret);
	if (place_find(&(struct place_opt){ 0 }, &p, &err) < 0 || !p.known)
		return;
	struct {
		const char *from, **to;
	} t[] = { { p.provider, &ret->provider },
		  { p.region, &ret->region },
		  { p.zone, &ret->zone },
		  { p.instance_type, &ret->instance_type },
		  { p.purchase, &ret->purchase } };
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		*t[i].to = *t[i].from ? arena_sv(a, sv_of(t[i].from)) : NULL;
}

/* ---- finding ----------------------------------------------------------------------------- */

static void put_text(char *to, size_t size, const char *z)
{
	if (z && *z)
		snprintf(to, size, "%s", z);
}

static void put_place(struct watch_rate *r, const struct rate_ask *a)
{
	put_text(r->provider, sizeof r->provider, a->provider);
	put_text(r->region, sizeof r->region, a->region);
	put_text(r->zone, sizeof r->zone, a->zone);
	put_text(r->instance_type, sizeof r->instance_type, a->instance_type);
	put_text(r->purchase, sizeof r->purchase, a->purchase);
	put_text(r->currency, sizeof r->currency, a->currency);
}

/* Where a provider's price lists begin; used only where a type is named without a place. */
static const char *first_region(const char *provider)
{
	if (!strcmp(provider, "aws"))
		return "us-east-1";
	if (!strcmp(provider, "gcp"))
		return "us-central1";
	if (!strcmp(provider, "azure"))
		return "eastus";
	return NULL;
}

static bool by_place(const struct rate_in *in, const struct rate_ask *a, struct watch_rate *ret)
{
	struct watch_rate r = { 0 };
	struct conf none = { .currency = "USD" }; /* owned hardware is asked for elsewhere */
	bool says_place = a->instance_type || (a->provider && a->region);

	if (!says_place || !in->catalog)
		return false;
	put_place(&r, a);
	const struct instance_type *t = NULL;
	if (*r.instance_type)
		t = catalog_instance(in->catalog, *r.provider ? sv_of(r.provider) : SV_NULL,
				     sv_of(r.instance_type));
	if (!*r.provider && t)
		put_text(r.provider, sizeof r.provider, t->provider);
	bool assumed = !*r.region && *r.provider;
	if (assumed)
		put_text(r.region, sizeof r.region, first_region(r.provider));
	if (!*r.purchase)
		put_text(r.purchase, sizeof r.purchase, "on_demand");
	watch_rate_find(&r, &none, in->catalog, in->node, *r.instance_type ? NULL : in->gpu_model,
			in->now_ms);
	if (!r.known)
		return false;
	if (assumed)
		put_text(r.source, sizeof r.source, "catalogue, region assumed");
	*ret = r;
	return true;
}

/* The amount that is said, else the price of the place that is said. */
static bool rate_from(const struct rate_in *in, const struct rate_ask *a, const char *source,
		      struct watch_rate *ret)
{
	if (!a)
		return false;
	if (!a->has_usd_gpu_hour && !(a->has_usd_hour && in->gpus > 0))
		return by_place(in, a, ret);
	ret->usd_gpu_hour = a->has_usd_gpu_hour ? a->usd_gpu_hour
						: div_half_even(a->usd_hour, in->gpus);
	put_text(ret->source, sizeof ret->source, source);
	return ret->known = true;
}

void rate_find(const struct rate_in *in, struct watch_rate *ret)
{
	memset(ret, 0, sizeof *ret);
	if (!rate_from(in, in->given, "given", ret) &&
	    !rate_from(in, in->settings, "settings", ret)) {
		struct watch_rate owned = { 0 };
		watch_rate_find(&owned, in->conf, NULL, text_or(in->node, ""), in->gpu_model,
				in->now_ms);
		if (owned.known)
			*ret = owned;
		else
			rate_from(in, in->place, "place", ret);
	}
	const struct rate_ask *where[] = { in->given, in->settings, in->place };
	/* the place is told also where only the amount was given */
	for (size_t i = 0; i < sizeof where / sizeof *where; i++)
		if (where[i] && !*ret->provider && !*ret->instance_type) {
			char currency[sizeof ret->currency];
			snprintf(currency, sizeof currency, "%s", ret->currency);
			put_place(ret, where[i]);
			if (*currency)
				snprintf(ret->currency, sizeof ret->currency, "%s", currency);
		}
	if (ret->known && !*ret->currency)
		put_text(ret->currency, sizeof ret->currency,
			 in->conf && in->conf->currency ? in->conf->currency : "USD");
}

const char *rate_text(const struct watch_rate *r, struct arena *a)
{
	char amount_text[DEC_BUF];
	struct str t = { 0 };

	if (!r->known)
		return "price not known";
	bool usd = !strcmp(r->currency, "USD");
	str_addf(&t, "%s %s/h", dec_format_people(amount_text, r->usd_gpu_hour, 2),
		 usd ? "$" : r->currency);
	const char *const of[] = { r->instance_type, r->region, r->purchase };
	const char *before = ", ";
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		if (!*of[i])
			continue;
		str_addf(&t, "%s%s", before, of[i]);
		before = " ";
	}
	if (!strcmp(r->source, "catalogue, region assumed"))
		str_addz(&t, ", region assumed");
	const char *z = arena_strn(a, str_z(&t), t.n);
	str_free(&t);
	return z;
}
