/*
 * Google's catalogue prices parts, not machines: a GPU, a core, a GiB of memory per hour, each per
 * region and usage (on demand, spot, committed). A machine's price is the sum of its parts; it is
 * written only where each part has one. Source of the matching: SKU descriptions such as "A2
 * Instance Core running in Iowa", "Nvidia Tesla A100 GPU running in Iowa", "Commitment v1: G2 Ram
 * in Iowa for 1 Year".
 */
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "feed/prices/prices.h"

#define GCP_URL        "https://cloudbilling.googleapis.com"
#define COMPUTE_ENGINE "6F81-5844-456A"
#define PAGES_MAX      2000

enum part { PART_GPU, PART_CORE, PART_RAM };

struct part_price {
	uint32_t region, purchase; /* in texts */
	uint32_t what;             /* GPU model, or family of machines ("a2", "a3plus") */
	enum part part;
	dec hour;
	int64_t from_ms;
};
struct gcp_parts {
	struct price_fetch *f;
	struct intern texts;
	VEC(struct part_price) parts;
};

static struct sv read_text(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);
	if (json_is_string(v))
		return (struct sv){ json_string_value(v), json_string_length(v) };
	return SV_NULL;
}

static struct sv purchase_of(struct sv usage)
{
	static const struct {
		const char *usage, *purchase;
	} t[] = { { "OnDemand", "on_demand" },
		  { "Preemptible", "spot" },
		  { "Commit1Yr", "committed_1y" },
		  { "Commit3Yr", "committed_3y" } };
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		if (sv_is(usage, t[i].usage))
			return sv_of(t[i].purchase);
	return SV_NULL;
}

/* units + nanos of the rate that starts at 0, in dollars. */
static bool sku_price(const json_t *sku, dec *ret, int64_t *ret_from_ms)
{
	const json_t *info = json_array_get(json_object_get(sku, "pricingInfo"), 0);
	const json_t *rates = json_object_get(json_object_get(info, "pricingExpression"),
					      "tieredRates");
	const json_t *unit = json_object_get(json_array_get(rates, 0), "unitPrice");
	struct sv units = read_text(unit, "units");
	json_int_t nanos = json_integer_value(json_object_get(unit, "nanos"));
	int64_t whole = 0;
	if (json_array_size(rates) != 1 || !sv_is(read_text(unit, "currencyCode"), "USD"))
		return false;
	if (units.n && (sv_i64(units, &whole) < 0 || !within_i64(whole, 0, 1000000)))
		return false;
	if (nanos < 0 || nanos > 999999999 ||
	    tm_parse(read_text(info, "effectiveTime"), 0, ret_from_ms) < 0)
		return false;
	*ret = (dec)whole * DEC_ONE + (dec)nanos * 1000;
	return *ret > 0; /* zero prices are variants for reservations */
}

/*
 * "Nvidia Tesla A100 GPU attached to ..." -> the model; {NULL,0} if it is no GPU this catalogue
 * knows. The H100 of a3-mega machines is the same GPU at another price: its model gets a MEGA
 * behind it.
 */
#define MEGA "+mega"
static struct sv gpu_of(const struct price_fetch *f, struct sv d, char buf[96])
{
	const char *gpu = memmem(d.p, d.n, " GPU", 4);
	struct sv name = SV_NULL;
	if (gpu)
		name = (struct sv){ d.p, (size_t)(gpu - d.p) };
	if (!sv_ihas(name, SV("nvidia")))
		return SV_NULL;
	bool mega = sv_ends(name, SV(" Mega")) || sv_ends(name, SV(" Plus"));
	if (mega)
		name.n -= 5;
	const struct gpu_spec *g = catalog_gpu(f->catalog, name);
	if (!g)
		return SV_NULL;
	snprintf(buf, 96, "%s%s", g->model, text_if(mega, MEGA));
	return sv_of(buf);
}

/* "A2 Instance Core running in ..." -> "a2", core; "G2 Ram in ..." -> "g2", RAM. */
static struct sv family_of(struct sv d, enum part *ret_part, char *buf)
{
	static const char *const families[] = { "A2", "A3",  "A3Plus", "A3Ultra",
						"A4", "A4X", "G2",     "G4" };
	struct sv rest, first = sv_cut(d, ' ', &rest);
	bool core = sv_has(rest, SV("Core")) || sv_has(rest, SV("Cpu")) || sv_has(rest, SV("CPU"));
	bool ram = sv_has(rest, SV("Ram")) || sv_has(rest, SV("RAM"));
	if (core == ram || !rest.p)
		return SV_NULL;
	if (sv_has(rest, SV("Custom")) || sv_has(rest, SV("Sole Tenancy")))
		return SV_NULL;
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (sv_is(first, families[i])) {
			size_t n = 0;
			for (; n < first.n && n < 15; n++)
				buf[n] = (char)tolower((unsigned char)first.p[n]);
			buf[n] = 0;
			*ret_part = core ? PART_CORE : PART_RAM;
			return (struct sv){ buf, n };
		}
	return SV_NULL;
}

static void read_sku(struct gcp_parts *g, const json_t *sku)
{
	/* before the name of what is sold */
	static const char *const before[] = { "Spot Preemptible ", "Preemptible ",
					      "Commitment v1: " };
	const json_t *category = json_object_get(sku, "category"),
		     *regions = json_object_get(sku, "serviceRegions"), *region;
	struct part_price p = { 0 };
	char buf[96];
	size_t r;
	struct sv d = read_text(sku, "description"),
		  purchase = purchase_of(read_text(category, "usageType")), what = SV_NULL;
	g->f->report->rows_read++;
	for (size_t i = 0; i < sizeof before / sizeof *before; i++)
		if (sv_starts(d, sv_of(before[i])))
			d = sv_from(d, strlen(before[i]));
	bool compute = sv_is(read_text(category, "resourceFamily"), "Compute");
	if (d.n && purchase.n && compute && !sv_has(d, SV("Reserved"))) {
		what = gpu_of(g->f, d, buf);
		p.part = PART_GPU;
		if (!what.n)
			what = family_of(d, &p.part, buf);
	}
	if (!what.n || !sku_price(sku, &p.hour, &p.from_ms)) {
		g->f->report->rows_skipped++;
		return;
	}
	p.what = intern_add(&g->texts, what);
	p.purchase = intern_add(&g->texts, purchase);
	json_array_foreach(regions, r, region)
	{
		const char *name = json_string_value(region);
		if (!name || !price_wants_region(g->f, sv_of(name)))
			continue;
		p.region = intern_add(&g->texts, sv_of(name));
		*vec_push(&g->parts) = p;
	}
}

struct gcp_parts *gcp_parts_new(struct price_fetch *f)
{
	struct gcp_parts *g = xcalloc(1, sizeof *g);
	g->f = f;
	return g;
}

void gcp_parts_free(struct gcp_parts *g)
{
	if (!g)
		return;
	intern_free(&g->texts);
	vec_free(&g->parts);
	free(g);
}

int gcp_parts_page(struct gcp_parts *g, struct sv json, struct str *ret_next, struct err *err)
{
	json_error_t e;
	size_t i;
	json_t *sku, *root = json_loadb(text_or(json.p, ""), json.n, 0, &e);
	json_t *skus = json_object_get(root, "skus");
	int r = 0;
	str_clear(ret_next);
	if (!root)
		return err_set(err, -EBADMSG, "gcp: the answer is not JSON: %s at byte %d", e.text,
			       e.position);
	if (!json_is_array(skus))
		r = err_set(err, -EBADMSG, "gcp: the answer has no list 'skus'");
	json_array_foreach(skus, i, sku)
	{
		read_sku(g, sku);
	}
	str_addsv(ret_next, read_text(root, "nextPageToken"));
	json_decref(root);
	return r;
}

static const struct part_price *find_part(const struct gcp_parts *g, uint32_t region,
					  uint32_t purchase, enum part part, struct sv what)
{
	int64_t id = intern_find(&g->texts, what);
	const struct part_price *best = NULL;
	for (size_t i = 0; id >= 0 && i < g->parts.n; i++) {
		const struct part_price *p = &g->parts.v[i];
		if (p->region != region || p->purchase != purchase)
			continue;
		if (p->part != part || p->what != (uint32_t)id)
			continue;
		if (!best || p->from_ms > best->from_ms)
			best = p;
	}
	return best;
}

/* "a3-megagpu-8g" is sold under the name A3Plus, "a3-ultragpu-8g" as A3Ultra, the others under
 * their first word. */
static struct sv sold_as(const char *type)
{
	struct sv rest, first = sv_cut(sv_of(type), '-', &rest);
	if (sv_starts(sv_of(type), SV("a3-mega")))
		return SV("a3plus");
	if (sv_starts(sv_of(type), SV("a3-ultra")))
		return SV("a3ultra");
	return first;
}

static dec times_count(dec v, double n)
{
	return dec_muldiv(v, (int64_t)(n * 1000 + 0.5), 1000);
}

static int emit_machine(struct gcp_parts *g, const struct part_price *gpu,
			const struct instance_type *t, struct err *err)
{
	struct sv family = sold_as(t->name);
	const struct part_price *core = find_part(g, gpu->region, gpu->purchase, PART_CORE, family);
	const struct part_price *ram = find_part(g, gpu->region, gpu->purchase, PART_RAM, family);
	if (!core || !ram || isnan(t->vcpu))
		return 0;
	if (isnan(t->ram_gib) || !t->gpu_milli)
		return 0;
	struct price p = { .provider = SV("gcp"),
			   .region = sv_of(intern_z(&g->texts, gpu->region)),
			   .instance_type = sv_of(t->name),
			   .gpu_milli = t->gpu_milli,
			   .purchase = sv_of(intern_z(&g->texts, gpu->purchase)),
			   .to_ms = UNKNOWN_MS,
			   .interruption_lo_pct = -1,
			   .interruption_hi_pct = -1 };
	p.from_ms = max_i64(gpu->from_ms, core->from_ms);
	p.from_ms = max_i64(ram->from_ms, p.from_ms);
	p.hour = dec_muldiv(gpu->hour, t->gpu_milli, 1000) + times_count(core->hour, t->vcpu) +
		 times_count(ram->hour, t->ram_gib);
	return price_emit(g->f, &p, err);
}

int gcp_parts_end(struct gcp_parts *g, struct err *err)
{
	for (size_t i = 0; i < g->parts.n; i++) {
		const struct part_price *x = &g->parts.v[i];
		struct sv what = sv_of(intern_z(&g->texts, x->what)), model = what;
		bool mega = sv_ends(what, SV(MEGA));
		if (x->part != PART_GPU ||
		    find_part(g, x->region, x->purchase, PART_GPU, what) != x)
			continue;
		if (mega)
			model.n -= strlen(MEGA);
		struct price p = { .provider = SV("gcp"),
				   .region = sv_of(intern_z(&g->texts, x->region)),
				   .gpu_model = model,
				   .gpu_milli = 1000,
				   .purchase = sv_of(intern_z(&g->texts, x->purchase)),
				   .term = SV(GCP_PART_TERM),
				   .hour = x->hour,
				   .from_ms = x->from_ms,
				   .to_ms = UNKNOWN_MS,
				   .interruption_lo_pct = -1,
				   .interruption_hi_pct = -1 };
		int r = 0;
		if (!mega)
			r = price_emit(g->f, &p, err);
		for (size_t k = 0; r == 0; k++) {
			const struct instance_type *t = catalog_instance_at(g->f->catalog, k);
			if (!t)
				break;
			if (strcmp(t->provider, "gcp") != 0 || !t->gpu_model)
				continue;
			if (sv_is(model, t->gpu_model) && mega == sv_is(sold_as(t->name), "a3plus"))
				r = emit_machine(g, x, t, err);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

int prices_gcp_fetch(struct price_fetch *f, struct err *err)
{
	const char *base = text_or(f->url[URL_GCP], GCP_URL);
	struct str url = { 0 }, next = { 0 };
	struct http_res res = { 0 };
	struct gcp_parts *g = gcp_parts_new(f);
	char day[TM_BUF];
	int r = 0;
	snprintf(f->source, sizeof f->source, "prices:gcp:%s", tm_format_date(day, f->now_ms));
	for (int page = 0; r == 0; page++) {
		str_clear(&url);
		str_addf(&url,
			 "%s/v1/services/" COMPUTE_ENGINE
			 "/skus?currencyCode=USD&pageSize=5000&key=",
			 base);
		http_quote(&url, sv_of(f->google_key));
		if (next.n) {
			str_addz(&url, "&pageToken=");
			http_quote(&url, str_sv(&next));
		}
		if (page < PAGES_MAX)
			r = price_ask(f, &(struct http_req){ .url = url.p }, &res, err);
		else
			r = err_set(err, -EPROTO, "gcp: more than %d pages", PAGES_MAX);
		if (r == 0)
			r = gcp_parts_page(g, str_sv(&res.body), &next, err);
		if (r == 0 && !next.n)
			break;
	}
	if (r == 0)
		r = gcp_parts_end(g, err);
	gcp_parts_free(g);
	http_res_free(&res);
	str_free(&url);
	str_free(&next);
	return r;
}
