/* AWS: the bulk price list of a region, hundreds of megabytes of JSON, read as a stream. Spot
 * prices and bands: prices_spot.c. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/str.h"
#include "base/tm.h"
#include "base/jstream.h"
#include "feed/prices/prices.h"

#define LIST_URL  "https://pricing.us-east-1.amazonaws.com"
#define RATES_MAX 8

/* ---- bulk price list --------------------------------------------------------------------- */

struct product {
	const char *type, *region; /* in aws_list.texts */
	int64_t gpu_milli;         /* as the list says, 0 = it does not */
};

enum attr { A_TYPE, A_OS, A_TENANCY, A_SW, A_STATUS, A_MARKET, A_REGION, A_GPU, A_N };
static const char *const attr_name[A_N] = { "instanceType",   "operatingSystem",
					    "tenancy",        "preInstalledSw",
					    "capacitystatus", "marketoption",
					    "regionCode",     "gpu" };

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

static const char *keep_text(struct aws_list *a, struct sv s)
{
	return intern_z(&a->texts, intern_add(&a->texts, s));
}

static bool attr_is(const struct aws_list *a, enum attr i, const char *want)
{
	return sv_is(str_sv(&a->attr[i]), want);
}

/* Linux, shared tenancy, nothing installed, not a reservation's shadow: the price people mean.
 * Absent attributes do not exclude. */
static bool is_plain(const struct aws_list *a)
{
	struct sv family = str_sv(&a->family);
	if (!sv_starts(family, SV("Compute Instance")) || !attr_is(a, A_OS, "Linux") ||
	    !attr_is(a, A_TENANCY, "Shared"))
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
	if (gpu && type.n && !memchr(type.p, 0, type.n) && is_plain(a)) {
		/* names are kept as texts that end with a zero */
		size_t before = a->skus.n;
		uint32_t id = intern_add(&a->skus, sku);
		struct product p = { keep_text(a, type), keep_text(a, str_sv(&a->attr[A_REGION])),
				     t ? t->gpu_milli : gpus * 1000 };
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

static int end_offer(struct aws_list *a, bool reserved, struct sv sku, struct err *err)
{
	int64_t id = intern_find(&a->skus, sku);
	struct price p = { .provider = SV("aws"),
			   .to_ms = UNKNOWN_MS,
			   .interruption_lo_pct = -1,
			   .interruption_hi_pct = -1 };
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
		/* free or unit-less rows are other offers of the same name */
		a->f->report->rows_skipped++;
		return 0;
	}
	if (tm_parse(str_sv(&a->effective), 0, &p.from_ms) < 0)
		return err_set(err, -EBADMSG,
			       "aws: the price of '%.*s' has no readable effectiveDate",
			       SVF(p.instance_type));
	p.purchase = SV("on_demand");
	if (reserved) {
		if (sv_is(str_sv(&a->lease), "1yr"))
			p.purchase = SV("reserved_1y");
		else if (sv_is(str_sv(&a->lease), "3yr"))
			p.purchase = SV("reserved_3y");
		else
			p.purchase = SV_NULL;
		/* "standard, no upfront": one price each for offering class and payment. */
		struct str s = { 0 };
		str_addf(&s, "%s; %s", str_z(&a->class), str_z(&a->option));
		for (size_t i = 0; i < s.n; i++)
			if (s.p[i] >= 'A' && s.p[i] <= 'Z')
				s.p[i] = (char)(s.p[i] + 'a' - 'A');
		p.term = sv_of(keep_text(a, str_sv(&s)));
		str_free(&s);
		if (!p.purchase.n)
			return 0;
	}
	return price_emit(a->f, &p, err);
}

/* products.SKU.productFamily, products.SKU.attributes.NAME */
static void product_scalar(struct aws_list *a, const struct jstream *j, struct sv text)
{
	if (jstream_depth(j) == 3 && jstream_at(j, 2, "productFamily"))
		str_setsv(&a->family, text);
	if (jstream_depth(j) != 4 || !jstream_at(j, 2, "attributes"))
		return;
	for (int i = 0; i < A_N; i++)
		if (jstream_at(j, 3, attr_name[i]))
			str_setsv(&a->attr[i], text);
}

/* terms.KIND.SKU.OFFER.effectiveDate, .termAttributes.NAME, .priceDimensions.RATE.unit,
 * .priceDimensions.RATE.pricePerUnit.CURRENCY */
static void offer_scalar(struct aws_list *a, const struct jstream *j, struct sv text)
{
	size_t depth = jstream_depth(j);
	struct rate *r = NULL;
	if (a->nrate < RATES_MAX)
		r = &a->rate[a->nrate];
	if (depth == 5 && jstream_at(j, 4, "effectiveDate"))
		str_setsv(&a->effective, text);
	if (depth == 6 && jstream_at(j, 4, "termAttributes")) {
		if (jstream_at(j, 5, "LeaseContractLength"))
			str_setsv(&a->lease, text);
		if (jstream_at(j, 5, "OfferingClass"))
			str_setsv(&a->class, text);
		if (jstream_at(j, 5, "PurchaseOption"))
			str_setsv(&a->option, text);
	}
	if (!r || !jstream_at(j, 4, "priceDimensions"))
		return;
	if (depth == 7 && jstream_at(j, 6, "unit"))
		snprintf(r->unit, sizeof r->unit, "%.*s", SVF(text));
	bool amount = depth == 8 && jstream_at(j, 6, "pricePerUnit") &&
		      dec_parse(text, 0, &r->amount) == 0;
	if (amount && r->amount >= 0) {
		snprintf(r->currency, sizeof r->currency, "%.*s", SVF(jstream_key(j, 7)));
		r->has_amount = true;
	}
}

static int on_scalar(void *ctx, const struct jstream *j, struct sv text, bool quoted,
		     struct err *err)
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
	if (jstream_at(j, 0, "products")) {
		if (depth == 2)
			return end_product(a, jstream_key(j, 1));
		return 0;
	}
	if (!jstream_at(j, 0, "terms"))
		return 0;
	if (!a->saw_products && depth == 4)
		return err_set(
			err, -EPROTO,
			"aws: the price list names terms before products; cannot tell whose they are");
	if (depth == 6 && jstream_at(j, 4, "priceDimensions")) {
		if (a->nrate < RATES_MAX)
			a->nrate++;
		if (a->nrate < RATES_MAX)
			a->rate[a->nrate] = (struct rate){ 0 };
	}
	if (depth != 4)
		return 0;
	int r = end_offer(a, jstream_at(j, 1, "Reserved"), jstream_key(j, 2), err);
	a->nrate = 0;
	str_clear(&a->effective);
	str_clear(&a->lease);
	str_clear(&a->class);
	str_clear(&a->option);
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
		return err_set(err, -EBADMSG,
			       "aws: the answer is no price list: it has no products");
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
	json_t *root = json_loadb(text_or(json.p, ""), json.n, 0, &e);
	const char *path = json_string_value(json_object_get(
		json_object_get(json_object_get(root, "regions"), region), "currentVersionUrl"));
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

int aws_region_stream(struct price_fetch *f, const struct aws_index *index, const char *region,
		      int (*body)(void *ctx, struct sv piece, struct err *err), void *ctx,
		      struct err *err)
{
	const char *base = text_or(f->url[URL_AWS_LIST], LIST_URL);
	struct str url = { 0 }, path = { 0 };
	struct http_res res = { 0 };
	str_addf(&url, "%s%s", base, index->path);
	int r = price_ask(f, &(struct http_req){ .url = url.p }, &res, err);
	if (r == 0)
		r = index->find(str_sv(&res.body), region, &path, err);
	if (r == 0) {
		str_clear(&url);
		str_addf(&url, "%s%s", base, path.p);
		/* the size is not known and the whole may take minutes: only silence ends it */
		struct http_req q = { .url = url.p,
				      .timeout_ms = -1,
				      .body_max = SIZE_MAX,
				      .on_body = body,
				      .ctx = ctx };
		r = price_ask(f, &q, &res, err);
	}
	http_res_free(&res);
	str_free(&url);
	str_free(&path);
	return r;
}

/* ---- all of it --------------------------------------------------------------------------- */

int prices_aws_fetch(struct price_fetch *f, struct err *err)
{
	unsigned want = f->want;
	char day[TM_BUF];
	int r = 0;
	if (!f->want)
		want = PRICE_LIST | PRICE_SPOT;
	snprintf(f->source, sizeof f->source, "prices:aws:%s", tm_format_date(day, f->now_ms));
	for (size_t i = 0; i < f->nregion && r == 0; i++) {
		if (want & PRICE_LIST) {
			static const struct aws_index index = {
				"/offers/v1.0/aws/AmazonEC2/current/region_index.json", region_path
			};
			struct aws_list *a = aws_list_new(f);
			r = aws_region_stream(f, &index, f->region[i], on_body, a, err);
			if (r == 0)
				r = aws_list_end(a, err);
			if (r < 0)
				err_prefix(err, "price list of '%s'", f->region[i]);
			aws_list_free(a);
		}
		if (r == 0 && (want & PRICE_SAVINGS))
			r = aws_savings_fetch(f, f->region[i], err);
		if (r == 0 && (want & PRICE_SPOT) && f->aws_key)
			r = aws_spot_fetch(f, f->region[i], err);
	}
	if (r < 0 || !(want & PRICE_SPOT))
		return r;
	if (!f->aws_key)
		feed_note(
			f->report,
			"aws: no spot prices were asked for: that needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
	return aws_advisor_fetch(f, err);
}
