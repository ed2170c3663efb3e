/*
 * AWS: the bulk price list of a region (hundreds of megabytes of JSON, read as a stream), the history of spot prices (signed EC2 query, XML), and the
 * spot advisor's interruption bands (JSON).
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/tm.h"
#include "feed/jstream.h"
#include "feed/prices.h"

#define LIST_URL "https://pricing.us-east-1.amazonaws.com"
#define ADVISOR_URL "https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json"
#define PAGES_MAX 2000
#define RATES_MAX 8

/* ---- bulk price list ------------------------------------------------------------------------------------------------------- */

struct product {
	const char *type, *region; /* in aws_list.texts */
	int64_t gpu_milli;	   /* as the list says, 0 = it does not */
};

enum attr { A_TYPE, A_OS, A_TENANCY, A_SW, A_STATUS, A_MARKET, A_REGION, A_GPU, A_N };
static const char *const attr_name[A_N] = { "instanceType", "operatingSystem", "tenancy",    "preInstalledSw",
					    "capacitystatus", "marketoption",  "regionCode", "gpu" };

struct rate { /* one price dimension */
	char unit[32], currency[8];
	dec amount;
	bool has_amount;
};

struct aws_list {
	struct price_fetch *f;
	struct jstream *j;
	struct intern skus, texts;
	VEC(struct product) products; /* by number of the sku in skus */
	bool saw_products;
	struct str attr[A_N];
	struct str family;
	/* the offer being read */
	struct rate rate[RATES_MAX];
	size_t nrate;
	struct str effective, lease, class, option;
};

static const char *keep(struct aws_list *a, struct sv s)
{
	return intern_z(&a->texts, intern_add(&a->texts, s));
}

static bool attr_is(const struct aws_list *a, enum attr i, const char *want)
{
	return sv_is(str_sv(&a->attr[i]), want);
}

/* Linux, shared tenancy, nothing installed, not a reservation's shadow: the price people mean. Absent attributes do not exclude. */
static bool is_plain(const struct aws_list *a)
{
	struct sv family = str_sv(&a->family);
	if (!sv_starts(family, SV("Compute Instance")) || !attr_is(a, A_OS, "Linux") || !attr_is(a, A_TENANCY, "Shared"))
		return false;
	if (a->attr[A_SW].n && !attr_is(a, A_SW, "NA"))
		return false;
	if (a->attr[A_STATUS].n && !attr_is(a, A_STATUS, "Used"))
		return false;
	return !a->attr[A_MARKET].n || attr_is(a, A_MARKET, "OnDemand");
}

static int end_product(struct aws_list *a, struct sv sku)
{
	int64_t gpus = 0;
	struct sv type = str_sv(&a->attr[A_TYPE]);
	const struct instance_type *t = catalog_instance(a->f->catalog, SV("aws"), type);
	a->saw_products = true;
	if (sv_i64(str_sv(&a->attr[A_GPU]), &gpus) < 0 || gpus < 0 || gpus > 1024)
		gpus = 0;
	bool gpu = t ? t->gpu_model != NULL : gpus > 0;
	if (gpu && type.n && is_plain(a)) {
		size_t before = a->skus.n;
		uint32_t id = intern_add(&a->skus, sku);
		struct product p = { keep(a, type), keep(a, str_sv(&a->attr[A_REGION])), t ? t->gpu_milli : gpus * 1000 };
		if (id == before)
			*vec_push(&a->products) = p;
		else
			a->products.v[id] = p;
	}
	for (int i = 0; i < A_N; i++)
		str_clear(&a->attr[i]);
	str_clear(&a->family);
	return 0;
}

static void clear_offer(struct aws_list *a)
{
	a->nrate = 0;
	str_clear(&a->effective);
	str_clear(&a->lease);
	str_clear(&a->class);
	str_clear(&a->option);
}

/* "standard, no upfront": one price each for offering class and payment. */
static struct sv term_words(struct aws_list *a)
{
	struct str s = { 0 };
	struct sv kept;
	str_addf(&s, "%s; %s", str_z(&a->class), str_z(&a->option));
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= 'A' && s.p[i] <= 'Z')
			s.p[i] = (char)(s.p[i] + 'a' - 'A');
	kept = sv_of(keep(a, str_sv(&s)));
	str_free(&s);
	return kept;
}

static int end_offer(struct aws_list *a, bool reserved, struct sv sku, struct err *err)
{
	int64_t id = intern_find(&a->skus, sku);
	struct price p = { .provider = SV("aws"), .to_ms = UNKNOWN_MS, .interruption_lo_pct = -1, .interruption_hi_pct = -1 };
	bool hourly = false;
	if (id < 0)
		return 0;
	a->f->report->rows_read++;
	p.instance_type = sv_of(a->products.v[id].type);
	p.region = sv_of(a->products.v[id].region);
	p.gpu_milli = a->products.v[id].gpu_milli;
	for (size_t i = 0; i < a->nrate; i++) {
		const struct rate *r = &a->rate[i];
		if (!r->has_amount)
			continue;
		if (!strcmp(r->unit, "Hrs")) {
			p.hour = r->amount;
			hourly = true;
		} else if (!strcmp(r->unit, "Quantity")) {
			p.upfront = r->amount;
		}
		p.currency = sv_of(r->currency);
	}
	if ((!hourly && !p.upfront) || (p.hour == 0 && p.upfront == 0)) {
		a->f->report->rows_skipped++; /* free or unit-less rows are other offers of the same name */
		return 0;
	}
	if (tm_parse(str_sv(&a->effective), 0, &p.from_ms) < 0)
		return err_set(err, -EBADMSG, "aws: the price of '%.*s' has no readable effectiveDate", SVF(p.instance_type));
	p.purchase = SV("on_demand");
	if (reserved) {
		p.purchase = sv_is(str_sv(&a->lease), "1yr") ? SV("reserved_1y") : sv_is(str_sv(&a->lease), "3yr") ? SV("reserved_3y") : SV_NULL;
		p.term = term_words(a);
		if (!p.purchase.n)
			return 0;
	}
	return price_emit(a->f, &p, err);
}

static void set(struct str *s, struct sv v)
{
	str_clear(s);
	str_addsv(s, v);
}

/* products.SKU.productFamily, products.SKU.attributes.NAME */
static void product_scalar(struct aws_list *a, const struct jstream *j, struct sv text)
{
	if (jstream_depth(j) == 3 && jstream_at(j, 2, "productFamily"))
		set(&a->family, text);
	if (jstream_depth(j) != 4 || !jstream_at(j, 2, "attributes"))
		return;
	for (int i = 0; i < A_N; i++)
		if (jstream_at(j, 3, attr_name[i]))
			set(&a->attr[i], text);
}

/* terms.KIND.SKU.OFFER.effectiveDate, .termAttributes.NAME, .priceDimensions.RATE.unit, .priceDimensions.RATE.pricePerUnit.CURRENCY */
static void offer_scalar(struct aws_list *a, const struct jstream *j, struct sv text)
{
	size_t depth = jstream_depth(j);
	struct rate *r = a->nrate < RATES_MAX ? &a->rate[a->nrate] : NULL;
	if (depth == 5 && jstream_at(j, 4, "effectiveDate"))
		set(&a->effective, text);
	if (depth == 6 && jstream_at(j, 4, "termAttributes")) {
		if (jstream_at(j, 5, "LeaseContractLength"))
			set(&a->lease, text);
		if (jstream_at(j, 5, "OfferingClass"))
			set(&a->class, text);
		if (jstream_at(j, 5, "PurchaseOption"))
			set(&a->option, text);
	}
	if (!r || !jstream_at(j, 4, "priceDimensions"))
		return;
	if (depth == 7 && jstream_at(j, 6, "unit"))
		snprintf(r->unit, sizeof r->unit, "%.*s", SVF(text));
	if (depth == 8 && jstream_at(j, 6, "pricePerUnit") && dec_parse(text, 0, &r->amount) == 0 && r->amount >= 0) {
		snprintf(r->currency, sizeof r->currency, "%.*s", SVF(jstream_key(j, 7)));
		r->has_amount = true;
	}
}

static int on_scalar(void *ctx, const struct jstream *j, struct sv text, bool quoted, struct err *err)
{
	struct aws_list *a = ctx;
	(void)quoted;
	(void)err;
	if (jstream_at(j, 0, "products"))
		product_scalar(a, j, text);
	else if (jstream_at(j, 0, "terms"))
		offer_scalar(a, j, text);
	return 0;
}

static int on_close(void *ctx, const struct jstream *j, struct err *err)
{
	struct aws_list *a = ctx;
	size_t depth = jstream_depth(j);
	if (jstream_at(j, 0, "products"))
		return depth == 2 ? end_product(a, jstream_key(j, 1)) : 0;
	if (!jstream_at(j, 0, "terms"))
		return 0;
	if (!a->saw_products && depth == 4)
		return err_set(err, -EPROTO, "aws: the price list names terms before products; cannot tell whose they are");
	if (depth == 6 && jstream_at(j, 4, "priceDimensions")) {
		if (a->nrate < RATES_MAX)
			a->nrate++;
		if (a->nrate < RATES_MAX)
			a->rate[a->nrate] = (struct rate){ 0 };
	}
	if (depth != 4)
		return 0;
	int r = end_offer(a, jstream_at(j, 1, "Reserved"), jstream_key(j, 2), err);
	clear_offer(a);
	a->rate[0] = (struct rate){ 0 };
	return r;
}

struct aws_list *aws_list_new(struct price_fetch *f)
{
	static const struct jstream_ops ops = { on_scalar, on_close };
	struct aws_list *a = xcalloc(1, sizeof *a);
	a->f = f;
	a->j = jstream_new(&ops, a);
	return a;
}

int aws_list_feed(struct aws_list *a, struct sv piece, struct err *err)
{
	return jstream_feed(a->j, piece, err);
}

int aws_list_end(struct aws_list *a, struct err *err)
{
	int r = jstream_end(a->j, err);
	if (r == 0 && !a->saw_products)
		return err_set(err, -EBADMSG, "aws: the answer is no price list: it has no products");
	return r;
}

void aws_list_free(struct aws_list *a)
{
	if (!a)
		return;
	jstream_free(a->j);
	intern_free(&a->skus);
	intern_free(&a->texts);
	vec_free(&a->products);
	for (int i = 0; i < A_N; i++)
		str_free(&a->attr[i]);
	str_free(&a->family);
	str_free(&a->effective);
	str_free(&a->lease);
	str_free(&a->class);
	str_free(&a->option);
	free(a);
}

static int on_body(void *ctx, struct sv piece, struct err *err)
{
	return aws_list_feed(ctx, piece, err);
}

/* The region's path in the region index, in *ret. */
static int region_path(struct sv json, const char *region, struct str *ret, struct err *err)
{
	json_error_t e;
	json_t *root = json_loadb(json.p ? json.p : "", json.n, 0, &e);
	const char *path = json_string_value(json_object_get(json_object_get(json_object_get(root, "regions"), region), "currentVersionUrl"));
	int r = 0;
	str_clear(ret);
	if (!root)
		r = err_set(err, -EBADMSG, "aws: the region index is not JSON: %s", e.text);
	else if (!path || *path != '/')
		r = err_set(err, -ENOENT, "aws: the region index has no region '%s'", region);
	else
		str_addz(ret, path);
	json_decref(root);
	return r;
}

static int fetch_list(struct price_fetch *f, const char *region, struct err *err)
{
	const char *base = f->url[URL_AWS_LIST] ? f->url[URL_AWS_LIST] : LIST_URL;
	struct str url = { 0 }, path = { 0 };
	struct http_res res = { 0 };
	struct aws_list *a = aws_list_new(f);
	str_addf(&url, "%s/offers/v1.0/aws/AmazonEC2/current/region_index.json", base);
	int r = price_ask(f, &(struct http_req){ .url = url.p }, &res, err);
	if (r == 0)
		r = region_path(str_sv(&res.body), region, &path, err);
	if (r == 0) {
		str_clear(&url);
		str_addf(&url, "%s%s", base, path.p);
		/* the size is not known and the whole may take minutes: only silence ends it */
		struct http_req q = { .url = url.p, .timeout_ms = -1, .body_max = SIZE_MAX, .on_body = on_body, .ctx = a };
		r = price_ask(f, &q, &res, err);
	}
	if (r == 0)
		r = aws_list_end(a, err);
	if (r < 0)
		err_prefix(err, "price list of '%s'", region);
	aws_list_free(a);
	http_res_free(&res);
	str_free(&url);
	str_free(&path);
	return r;
}

/* ---- spot history -------------------------------------------------------------------------------------------------------------- */

/* Text of <name>...</name> in xml, without markup inside; {NULL,0} if absent. Enough for EC2's flat answers. */
static struct sv element(struct sv xml, const char *name)
{
	char tag[64];
	int n = snprintf(tag, sizeof tag, "<%s>", name);
	const char *p = xml.n ? memmem(xml.p, xml.n, tag, (size_t)n) : NULL;
	if (!p)
		return SV_NULL;
	p += n;
	size_t rest = xml.n - (size_t)(p - xml.p);
	const char *end = memchr(p, '<', rest);
	return end ? (struct sv){ p, (size_t)(end - p) } : SV_NULL;
}

static int spot_item(struct price_fetch *f, const char *region, struct sv item, struct err *err)
{
	struct price p = { .provider = SV("aws"), .region = sv_of(region), .instance_type = element(item, "instanceType"),
			   .zone = element(item, "availabilityZone"), .purchase = SV("spot"), .to_ms = UNKNOWN_MS, .interruption_lo_pct = -1,
			   .interruption_hi_pct = -1 };
	struct sv product = element(item, "productDescription"), amount = element(item, "spotPrice");
	f->report->rows_read++;
	const struct instance_type *t = catalog_instance(f->catalog, SV("aws"), p.instance_type);
	if (!t || !t->gpu_model || !sv_is(product, "Linux/UNIX")) {
		f->report->rows_skipped++;
		return 0;
	}
	p.gpu_milli = t->gpu_milli;
	if (dec_parse(amount, 0, &p.hour) < 0 || p.hour < 0 || tm_parse(element(item, "timestamp"), 0, &p.from_ms) < 0)
		return err_set(err, -EBADMSG, "aws: a spot price of '%.*s' has no readable amount or time", SVF(p.instance_type));
	return price_emit(f, &p, err);
}

int aws_spot_parse(struct price_fetch *f, const char *region, struct sv xml, struct str *ret_next, struct err *err)
{
	static const char open[] = "<item>", close[] = "</item>";
	struct sv rest = xml;
	str_clear(ret_next);
	if (!xml.n || !memmem(xml.p, xml.n, "</DescribeSpotPriceHistoryResponse>", 35))
		return err_set(err, -EBADMSG, "aws: the answer is no complete spot price history");
	for (;;) {
		const char *p = memmem(rest.p, rest.n, open, sizeof open - 1);
		if (!p)
			break;
		p += sizeof open - 1;
		size_t left = rest.n - (size_t)(p - rest.p);
		const char *end = memmem(p, left, close, sizeof close - 1);
		if (!end)
			return err_set(err, -EBADMSG, "aws: the spot price history ends inside an item");
		int r = spot_item(f, region, (struct sv){ p, (size_t)(end - p) }, err);
		if (r < 0)
			return r;
		rest = (struct sv){ end, left - (size_t)(end - p) };
	}
	str_addsv(ret_next, element(xml, "nextToken"));
	return 0;
}

static void spot_body(const struct price_fetch *f, const char *token, struct str *out)
{
	char from[TM_BUF], to[TM_BUF];
	int n = 0;
	str_clear(out);
	str_addz(out, "Action=DescribeSpotPriceHistory&Version=2016-11-15&MaxResults=1000&ProductDescription.1=Linux%2FUNIX&StartTime=");
	http_quote(out, sv_of(tm_format(from, f->since_ms)));
	str_addz(out, "&EndTime=");
	http_quote(out, sv_of(tm_format(to, f->now_ms)));
	/* filters by name would be shorter, but each type is named, so that an answer never holds thousands of CPU machines */
	for (size_t i = 0;; i++) {
		const struct instance_type *t = catalog_instance_at(f->catalog, i);
		if (!t)
			break;
		if (!strcmp(t->provider, "aws") && t->gpu_model)
			str_addf(out, "&InstanceType.%d=%s", ++n, t->name);
	}
	if (*token) {
		str_addz(out, "&NextToken=");
		http_quote(out, sv_of(token));
	}
}

static int ask_spot(struct price_fetch *f, const char *region, const char *url, struct sv body, struct http_res *res, struct err *err)
{
	static const char type[] = "application/x-www-form-urlencoded; charset=utf-8";
	static const char *const header[] = { "Content-Type: application/x-www-form-urlencoded; charset=utf-8" };
	struct sigv4 sig = { 0 };
	struct sigv4_req s = { .method = "POST", .url = url, .header = header, .nheader = 1, .body = body, .service = "ec2", .region = region,
			       .now_ms = f->now_ms };
	const char *send[4];
	int r = sigv4_sign(f->aws_key, &s, &sig, err);
	for (size_t i = 0; i < sig.nheader; i++)
		send[i] = sig.header[i].p;
	struct http_req q = { .method = "POST", .url = url, .header = send, .nheader = sig.nheader, .body = body, .content_type = type };
	if (r == 0)
		r = price_ask(f, &q, res, err);
	sigv4_free(&sig);
	return r;
}

static int fetch_spot(struct price_fetch *f, const char *region, struct err *err)
{
	struct str url = { 0 }, body = { 0 }, next = { 0 };
	struct http_res res = { 0 };
	int r = 0;
	if (f->url[URL_AWS_EC2])
		str_addf(&url, "%s/", f->url[URL_AWS_EC2]);
	else
		str_addf(&url, "https://ec2.%s.amazonaws.com/", region);
	for (int page = 0; r == 0; page++) {
		if (page >= PAGES_MAX) {
			r = err_set(err, -EPROTO, "aws: more than %d pages of spot prices for '%s'", PAGES_MAX, region);
			break;
		}
		spot_body(f, str_z(&next), &body);
		r = ask_spot(f, region, url.p, str_sv(&body), &res, err);
		if (r == 0)
			r = aws_spot_parse(f, region, str_sv(&res.body), &next, err);
		if (r == 0 && !next.n)
			break;
	}
	if (r == -EACCES)
		err_hint(err, "the key needs the permission ec2:DescribeSpotPriceHistory");
	http_res_free(&res);
	str_free(&url);
	str_free(&body);
	str_free(&next);
	return r;
}

/* ---- spot advisor ---------------------------------------------------------------------------------------------------------------- */

/*
 * The file's "max" of a band is not its label (11 for "5-10%"), and its "label" is text: the bands are known by their index, per month:
 * below 5, 5-10, 10-15, 15-20, above 20 percent.
 */
static int emit_band(struct price_fetch *f, const char *region, const char *type, const json_t *entry, struct err *err)
{
	json_int_t i = json_is_integer(json_object_get(entry, "r")) ? json_integer_value(json_object_get(entry, "r")) : -1;
	const struct instance_type *t = catalog_instance(f->catalog, SV("aws"), sv_of(type));
	f->report->rows_read++;
	if (!t || !t->gpu_model || i < 0 || i > 4) {
		f->report->rows_skipped++;
		return 0;
	}
	struct price p = { .provider = SV("aws"), .region = sv_of(region), .instance_type = sv_of(type), .gpu_milli = t->gpu_milli, .purchase = SV("spot"),
			   .term = SV(CATALOG_BAND_TERM), .from_ms = tm_floor(f->now_ms, MS_DAY), .to_ms = UNKNOWN_MS,
			   .interruption_lo_pct = (int)i * 5, .interruption_hi_pct = i == 4 ? 100 : (int)i * 5 + 5 };
	return price_emit(f, &p, err);
}

int aws_advisor_parse(struct price_fetch *f, struct sv json, struct err *err)
{
	json_error_t e;
	const char *region, *type;
	json_t *by_os, *entry, *root = json_loadb(json.p ? json.p : "", json.n, 0, &e);
	json_t *regions = json_object_get(root, "spot_advisor");
	int r = 0;
	if (!root)
		return err_set(err, -EBADMSG, "aws: the spot advisor's file is not JSON: %s", e.text);
	if (!json_is_object(regions))
		r = err_set(err, -EBADMSG, "aws: the spot advisor's file has no 'spot_advisor'");
	json_object_foreach(regions, region, by_os) {
		if (!price_wants_region(f, sv_of(region)))
			continue;
		json_object_foreach(json_object_get(by_os, "Linux"), type, entry) {
			if (r == 0)
				r = emit_band(f, region, type, entry, err);
		}
	}
	json_decref(root);
	return r;
}

static int fetch_advisor(struct price_fetch *f, struct err *err)
{
	struct http_res res = { 0 };
	struct http_req q = { .url = f->url[URL_AWS_ADVISOR] ? f->url[URL_AWS_ADVISOR] : ADVISOR_URL };
	int r = price_ask(f, &q, &res, err);
	if (r == 0)
		r = aws_advisor_parse(f, str_sv(&res.body), err);
	http_res_free(&res);
	return r;
}

int prices_aws_fetch(struct price_fetch *f, struct err *err)
{
	char day[TM_BUF];
	int r = 0;
	snprintf(f->source, sizeof f->source, "prices:aws:%s", tm_format_date(day, f->now_ms));
	for (size_t i = 0; i < f->nregion && r == 0; i++) {
		r = fetch_list(f, f->region[i], err);
		if (r == 0 && f->aws_key)
			r = fetch_spot(f, f->region[i], err);
	}
	if (r == 0 && !f->aws_key)
		feed_note(f->report, "aws: no spot prices were asked for: that needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
	return r < 0 ? r : fetch_advisor(f, err);
}
