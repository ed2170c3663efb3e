/* AWS: the history of spot prices (signed EC2 query, XML) and the spot advisor's interruption bands
 * (JSON). */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "feed/prices/prices.h"

#define ADVISOR_URL "https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json"
#define PAGES_MAX   2000

/* ---- spot history ------------------------------------------------------------------------ */

/* Text of <name>...</name> in xml, without markup inside; {NULL,0} if absent. Enough for EC2's flat
 * answers. */
static struct sv read_element(struct sv xml, const char *name)
{
	char tag[64];
	int n = snprintf(tag, sizeof tag, "<%s>", name);
	const char *p = NULL;
	if (xml.n)
		p = memmem(xml.p, xml.n, tag, (size_t)n);
	if (!p)
		return SV_NULL;
	p += n;
	size_t rest = xml.n - (size_t)(p - xml.p);
	const char *end = memchr(p, '<', rest);
	if (end)
		return (struct sv){ p, (size_t)(end - p) };
	return SV_NULL;
}

static int spot_item(struct price_fetch *f, const char *region, struct sv item, struct err *err)
{
	struct price p = { .provider = SV("aws"),
			   .region = sv_of(region),
			   .instance_type = read_element(item, "instanceType"),
			   .zone = read_element(item, "availabilityZone"),
			   .purchase = SV("spot"),
			   .to_ms = UNKNOWN_MS,
			   .interruption_lo_pct = -1,
			   .interruption_hi_pct = -1 };
	struct sv product = read_element(item, "productDescription"),
		  amount = read_element(item, "spotPrice");
	f->report->rows_read++;
	const struct instance_type *t = catalog_instance(f->catalog, SV("aws"), p.instance_type);
	if (!t || !t->gpu_model || !sv_is(product, "Linux/UNIX")) {
		f->report->rows_skipped++;
		return 0;
	}
	p.gpu_milli = t->gpu_milli;
	if (dec_parse(amount, 0, &p.hour) < 0 || p.hour < 0 ||
	    tm_parse(read_element(item, "timestamp"), 0, &p.from_ms) < 0)
		return err_set(err, -EBADMSG,
			       "aws: a spot price of '%.*s' has no readable amount or time",
			       SVF(p.instance_type));
	return price_emit(f, &p, err);
}

int aws_spot_parse(struct price_fetch *f, const char *region, struct sv xml, struct str *ret_next,
		   struct err *err)
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
			return err_set(err, -EBADMSG,
				       "aws: the spot price history ends inside an item");
		int r = spot_item(f, region, (struct sv){ p, (size_t)(end - p) }, err);
		if (r < 0)
			return r;
		rest = (struct sv){ end, left - (size_t)(end - p) };
	}
	str_addsv(ret_next, read_element(xml, "nextToken"));
	return 0;
}

static void spot_body(const struct price_fetch *f, const char *token, struct str *out)
{
	char from[TM_BUF], to[TM_BUF];
	int n = 0;
	str_clear(out);
	str_addz(
		out,
		"Action=DescribeSpotPriceHistory&Version=2016-11-15&MaxResults=1000&ProductDescription.1=Linux%2FUNIX&StartTime=");
	http_quote(out, sv_of(tm_format(from, f->since_ms)));
	str_addz(out, "&EndTime=");
	http_quote(out, sv_of(tm_format(to, f->now_ms)));
	/* filters by name would be shorter, but each type is named, so that an answer never holds
	 * thousands of CPU machines */
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

static int ask_spot(struct price_fetch *f, const char *region, const char *url, struct sv body,
		    struct http_res *res, struct err *err)
{
	static const char type[] = "application/x-www-form-urlencoded; charset=utf-8";
	static const char *const header[] = {
		"Content-Type: application/x-www-form-urlencoded; charset=utf-8"
	};
	struct sigv4 sig = { 0 };
	struct sigv4_req s = { .method = "POST",
			       .url = url,
			       .header = header,
			       .nheader = 1,
			       .body = body,
			       .service = "ec2",
			       .region = region,
			       .now_ms = f->now_ms };
	const char *send[4];
	int r = sigv4_sign(f->aws_key, &s, &sig, err);
	for (size_t i = 0; i < sig.nheader; i++)
		send[i] = sig.header[i].p;
	struct http_req q = { .method = "POST",
			      .url = url,
			      .header = send,
			      .nheader = sig.nheader,
			      .body = body,
			      .content_type = type };
	if (r == 0)
		r = price_ask(f, &q, res, err);
	sigv4_free(&sig);
	return r;
}

int aws_spot_fetch(struct price_fetch *f, const char *region, struct err *err)
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
			r = err_set(err, -EPROTO, "aws: more than %d pages of spot prices for '%s'",
				    PAGES_MAX, region);
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

/* ---- spot advisor ------------------------------------------------------------------------ */

/*
 * The file's "max" of a band is not its label (11 for "5-10%"), and its "label" is text: the bands
 * are known by their index, per month: below 5, 5-10, 10-15, 15-20, above 20 percent.
 */
static int emit_band(struct price_fetch *f, const char *region, const char *type,
		     const json_t *entry, struct err *err)
{
	json_int_t i = json_is_integer(json_object_get(entry, "r"))
			       ? json_integer_value(json_object_get(entry, "r"))
			       : -1;
	const struct instance_type *t = catalog_instance(f->catalog, SV("aws"), sv_of(type));
	f->report->rows_read++;
	if (!t || !t->gpu_model || !within_i64(i, 0, 4)) {
		f->report->rows_skipped++;
		return 0;
	}
	struct price p = { .provider = SV("aws"),
			   .region = sv_of(region),
			   .instance_type = sv_of(type),
			   .gpu_milli = t->gpu_milli,
			   .purchase = SV("spot"),
			   .term = SV(CATALOG_BAND_TERM),
			   .from_ms = tm_floor(f->now_ms, MS_DAY),
			   .to_ms = UNKNOWN_MS,
			   .interruption_lo_pct = (int)i * 5,
			   .interruption_hi_pct = i == 4 ? 100 : (int)i * 5 + 5 };
	return price_emit(f, &p, err);
}

int aws_advisor_parse(struct price_fetch *f, struct sv json, struct err *err)
{
	json_error_t e;
	const char *region, *type;
	json_t *by_os, *entry, *root = json_loadb(text_or(json.p, ""), json.n, 0, &e);
	json_t *regions = json_object_get(root, "spot_advisor");
	int r = 0;
	if (!root)
		return err_set(err, -EBADMSG, "aws: the spot advisor's file is not JSON: %s",
			       e.text);
	if (!json_is_object(regions))
		r = err_set(err, -EBADMSG, "aws: the spot advisor's file has no 'spot_advisor'");
	json_object_foreach(regions, region, by_os)
	{
		if (!price_wants_region(f, sv_of(region)))
			continue;
		json_object_foreach(json_object_get(by_os, "Linux"), type, entry)
		{
			if (r == 0)
				r = emit_band(f, region, type, entry, err);
		}
	}
	json_decref(root);
	return r;
}

int aws_advisor_fetch(struct price_fetch *f, struct err *err)
{
	struct http_res res = { 0 };
	struct http_req q = { .url = text_or(f->url[URL_AWS_ADVISOR], ADVISOR_URL) };
	int r = price_ask(f, &q, &res, err);
	if (r == 0)
		r = aws_advisor_parse(f, str_sv(&res.body), err);
	http_res_free(&res);
	return r;
}
