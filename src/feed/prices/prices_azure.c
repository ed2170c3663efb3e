/*
 * Azure's retail prices: pages of JSON, no credentials. One item is one meter of one region; a
 * virtual machine's spot, low-priority and Windows prices are items of their own, reservations are
 * priced for the whole term, savings plans hang on the on-demand item.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include "base/str.h"
#include "base/tm.h"
#include "feed/prices/prices.h"

#define AZURE_URL "https://prices.azure.com/api/retail/prices"
#define PAGES_MAX 2000

static struct sv read_text(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);
	if (json_is_string(v))
		return (struct sv){ json_string_value(v), json_string_length(v) };
	return SV_NULL;
}

/* Prices are JSON numbers of at most 15 digits: such a double prints back as the digits that were
 * written. */
static bool read_amount(const json_t *o, const char *key, dec *ret)
{
	const json_t *v = json_object_get(o, key);
	char buf[64];
	if (json_is_integer(v))
		snprintf(buf, sizeof buf, "%lld", (long long)json_integer_value(v));
	else if (json_is_real(v))
		snprintf(buf, sizeof buf, "%.15g", json_real_value(v));
	else
		return false;
	return dec_parse(sv_of(buf), 0, ret) == 0 && *ret >= 0;
}

/* Years of "1 Year", "3 Years"; 0 = neither. */
static int term_years(struct sv term)
{
	if (sv_starts(term, SV("1 Year")))
		return 1;
	if (sv_starts(term, SV("3 Year")))
		return 3;
	return 0;
}

static bool is_gpu_size(const struct price_fetch *f, struct sv size)
{
	const struct instance_type *t = catalog_instance(f->catalog, SV("azure"), size);
	if (t)
		return t->gpu_model != NULL;
	/* NP: FPGAs */
	return sv_starts(size, SV("Standard_N")) && !sv_starts(size, SV("Standard_NP"));
}

static bool is_wanted(const struct price_fetch *f, const json_t *item, struct sv size,
		      struct sv type)
{
	const json_t *primary = json_object_get(item, "isPrimaryMeterRegion");
	if (!is_gpu_size(f, size) || json_is_false(primary) ||
	    sv_ihas(read_text(item, "productName"), SV("Windows")))
		return false;
	if (sv_ends(read_text(item, "skuName"), SV(" Low Priority")) ||
	    !price_wants_region(f, read_text(item, "armRegionName")))
		return false;
	return (sv_is(type, "Consumption") && sv_is(read_text(item, "unitOfMeasure"), "1 Hour")) ||
	       sv_is(type, "Reservation");
}

static int emit_savings_plans(struct price_fetch *f, const json_t *item, struct price *p,
			      struct err *err)
{
	size_t i;
	json_t *plan;
	struct price s = *p;
	s.purchase = SV("savings_plan");
	json_array_foreach(json_object_get(item, "savingsPlan"), i, plan)
	{
		s.term = read_text(plan, "term");
		if (!term_years(s.term) || !read_amount(plan, "retailPrice", &s.hour))
			continue;
		int r = price_emit(f, &s, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int emit_item(struct price_fetch *f, const json_t *item, struct err *err)
{
	struct sv type = read_text(item, "type"), size = read_text(item, "armSkuName"),
		  end = read_text(item, "effectiveEndDate");
	struct price p = { .provider = SV("azure"),
			   .region = read_text(item, "armRegionName"),
			   .instance_type = size,
			   .currency = read_text(item, "currencyCode"),
			   .to_ms = UNKNOWN_MS,
			   .interruption_lo_pct = -1,
			   .interruption_hi_pct = -1 };
	bool spot = sv_ends(read_text(item, "skuName"), SV(" Spot"));
	f->report->rows_read++;
	if (!size.n || !is_wanted(f, item, size, type)) {
		f->report->rows_skipped++;
		return 0;
	}
	bool dated = tm_parse(read_text(item, "effectiveStartDate"), 0, &p.from_ms) == 0 &&
		     (!end.n || tm_parse(end, 0, &p.to_ms) == 0);
	if (!read_amount(item, "retailPrice", &p.hour) || !dated)
		return err_set(
			err, -EBADMSG,
			"azure: the price of '%.*s' in '%.*s' has no amount or no readable date",
			SVF(size), SVF(p.region));
	if (sv_is(type, "Reservation")) {
		int years = term_years(read_text(item, "reservationTerm"));
		if (!years)
			return 0;
		p.purchase = years == 1 ? SV("reserved_1y") : SV("reserved_3y");
		/* the price is for the term; paid monthly it is the same sum */
		p.hour = div_half_even(p.hour, (__int128)years * 8760);
		return price_emit(f, &p, err);
	}
	p.purchase = spot ? SV("spot") : SV("on_demand");
	if (sv_ends(size, SV("_Promo")))
		p.term = SV("promo");
	int r = price_emit(f, &p, err);
	if (r < 0 || spot)
		return r;
	return emit_savings_plans(f, item, &p, err);
}

int azure_page_parse(struct price_fetch *f, struct sv json, struct str *ret_next, struct err *err)
{
	json_error_t e;
	size_t i;
	json_t *item, *root = json_loadb(text_or(json.p, ""), json.n, 0, &e);
	int r = 0;
	str_clear(ret_next);
	if (!root)
		return err_set(err, -EBADMSG, "azure: the answer is not JSON: %s at byte %d",
			       e.text, e.position);
	json_t *items = json_object_get(root, "Items");
	if (!json_is_array(items))
		r = err_set(err, -EBADMSG, "azure: the answer has no list 'Items'");
	json_array_foreach(items, i, item)
	{
		if (r == 0)
			r = emit_item(f, item, err);
	}
	str_addsv(ret_next, read_text(root, "NextPageLink"));
	json_decref(root);
	return r;
}

static int fetch_region(struct price_fetch *f, const char *region, struct err *err)
{
	struct str url = { 0 }, next = { 0 }, filter = { 0 };
	struct http_res res = { 0 };
	const char *base = text_or(f->url[URL_AZURE], AZURE_URL);
	int r = 0;
	str_addf(&filter, "serviceName eq 'Virtual Machines' and armRegionName eq '%s'", region);
	str_addf(&url, "%s?api-version=2023-01-01-preview&$filter=", base);
	http_quote(&url, str_sv(&filter));
	for (int page = 0; r == 0 && url.n; page++) {
		struct http_req q = { .url = url.p };
		if (page >= PAGES_MAX) {
			r = err_set(err, -EPROTO, "azure: more than %d pages for '%s'", PAGES_MAX,
				    region);
			break;
		}
		r = price_ask(f, &q, &res, err);
		if (r == 0)
			r = azure_page_parse(f, str_sv(&res.body), &next, err);
		bool loop = r == 0 && sv_eq(str_sv(&next), str_sv(&url));
		if (loop)
			r = err_set(err, -EPROTO,
				    "azure: a page of '%s' names itself as the next one", region);
		str_clear(&url);
		str_addsv(&url, str_sv(&next));
	}
	http_res_free(&res);
	str_free(&url);
	str_free(&next);
	str_free(&filter);
	return r;
}

int prices_azure_fetch(struct price_fetch *f, struct err *err)
{
	char day[TM_BUF];
	snprintf(f->source, sizeof f->source, "prices:azure:%s", tm_format_date(day, f->now_ms));
	for (size_t i = 0; i < f->nregion; i++) {
		int r = fetch_region(f, f->region[i], err);
		if (r < 0)
			return r;
	}
	return 0;
}
