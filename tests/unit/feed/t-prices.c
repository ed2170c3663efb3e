/* The providers' price interfaces: parsers on small answers of the recorded shapes, and whole
 * conversations on loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errno.h>
#include "base/tm.h"
#include "base/jstream.h"
#include "feed/prices/prices.h"
#include "../loopback.h"

#define WHOLE(array) ((struct sv){ array, sizeof(array) - 1 })
#define NOW          "2026-11-21T10:00:00Z"

/* ---- a sink that writes rows down as text ------------------------------------------------ */

struct got {
	struct str text; /* a line a row */
	int64_t n;
	struct catalog *catalog; /* rows go there too */
};

static int on_price(void *ctx, const struct price *p, struct err *err)
{
	struct got *g = ctx;
	char hour[DEC_BUF], upfront[DEC_BUF], from[TM_BUF];
	g->n++;
	str_addf(&g->text, "%.*s|%.*s|%.*s|%.*s|%.*s|%.*s|%.*s|%s|%s|%.*s|%s", SVF(p->provider),
		 SVF(p->region), SVF(p->zone), SVF(p->instance_type), SVF(p->gpu_model),
		 SVF(p->purchase), SVF(p->term), dec_format(hour, p->hour),
		 dec_format(upfront, p->upfront), SVF(p->currency), tm_format(from, p->from_ms));
	if (p->interruption_lo_pct >= 0)
		str_addf(&g->text, "|%d-%d", p->interruption_lo_pct, p->interruption_hi_pct);
	str_addc(&g->text, '\n');
	return catalog_add_price(g->catalog, p, err);
}

struct world {
	struct price_fetch f;
	struct feed_sink sink;
	struct feed_report report;
	struct got got;
	struct err err;
	int sleeps;
	int64_t slept_ms;
};

static void on_sleep(void *ctx, int64_t ms)
{
	struct world *w = ctx;
	w->sleeps++;
	w->slept_ms += ms;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	if (!w || catalog_open(NULL, &w->got.catalog, &w->err) < 0)
		return -1;
	w->sink = (struct feed_sink){ .ctx = &w->got, .price = on_price };
	w->f = (struct price_fetch){ .catalog = w->got.catalog,
				     .sink = &w->sink,
				     .report = &w->report,
				     .sleep = on_sleep,
				     .ctx = w,
				     .source = "prices:test:2026-11-21" };
	w->report.from_ms = w->report.to_ms = UNKNOWN_MS;
	tm_parse(SV(NOW), 0, &w->f.now_ms);
	w->f.since_ms = w->f.now_ms - 7 * MS_DAY;
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	catalog_free(w->got.catalog);
	feed_report_free(&w->report);
	str_free(&w->got.text);
	free(w);
	return 0;
}

static void has_line(const struct world *w, const char *line)
{
	if (!strstr(str_z(&w->got.text), line))
		fail_msg("no row '%s' in\n%s", line, str_z(&w->got.text));
}

static void has_no(const struct world *w, const char *text)
{
	if (strstr(str_z(&w->got.text), text))
		fail_msg("'%s' should not be in\n%s", text, str_z(&w->got.text));
}

/* ---- JSON streams ------------------------------------------------------------------------ */

static int tell_scalar(void *ctx, const struct jstream *j, struct sv text, bool quoted,
		       struct err *err)
{
	struct str *s = ctx;
	(void)err;
	for (size_t i = 0; i < jstream_depth(j); i++)
		str_addf(s, "%s%.*s", i ? "." : "", SVF(jstream_key(j, i)));
	str_addf(s, quoted ? "='%.*s' " : "=%.*s ", SVF(text));
	return 0;
}

static int tell_close(void *ctx, const struct jstream *j, struct err *err)
{
	(void)err;
	str_addf(ctx, "/%zu ", jstream_depth(j));
	return 0;
}

static int stream(const char *json, size_t step, struct str *out, struct err *err)
{
	static const struct jstream_ops ops = { tell_scalar, tell_close };
	struct jstream *j = jstream_new(&ops, out);
	size_t n = strlen(json);
	int r = 0;
	str_clear(out);
	for (size_t i = 0; i < n && r == 0; i += step)
		r = jstream_feed(j, (struct sv){ json + i, n - i < step ? n - i : step }, err);
	if (r == 0)
		r = jstream_end(j, err);
	jstream_free(j);
	return r;
}

static void json_streams(void **state)
{
	static const char *const bad[] = { "",         "{",           "{\"a\":1", "{\"a\" 1}",
					   "[1,]",     "{,}",         "[1}",      "{\"a\":nul}",
					   "\"\\x\"",  "\"\\u12g4\"", "1 2",      "[--1]",
					   "{\"a\":}", "}",           "[\"a",     "tru" };
	struct str out = { 0 };
	struct err err;
	(void)state;
	for (size_t step = 1; step < 8; step++) {
		assert_int_equal(
			stream("{\"a\":{\"b\":[1,-2.5e3,{\"c\":\"x\\n\\u00e9\\ud83d\\ude00\"}],\"d\":true}, \"e\":null}",
			       step, &out, &err),
			0);
		assert_string_equal(
			str_z(&out),
			"a.b.=1 a.b.=-2.5e3 a.b..c='x\n\xc3\xa9\xf0\x9f\x98\x80' /3 /2 a.d=true /1 e=null /0 ");
		assert_int_equal(stream(" 12 ", step, &out, &err), 0);
		assert_string_equal(str_z(&out), "=12 ");
		for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
			if (stream(bad[i], step, &out, &err) != -EBADMSG)
				fail_msg("'%s' was taken in steps of %zu", bad[i], step);
	}
	char deep[200];
	memset(deep, '[', sizeof deep - 1);
	deep[sizeof deep - 1] = 0;
	assert_int_equal(stream(deep, 50, &out, &err), -EBADMSG);
	str_free(&out);
}

/* ---- AWS --------------------------------------------------------------------------------- */

#define ATTRS(type, os, tenancy, sw, status, gpu)                                                             \
	"\"attributes\":{\"servicecode\":\"AmazonEC2\",\"regionCode\":\"us-east-1\",\"instanceType\":\"" type \
	"\",\"operatingSystem\":\"" os "\",\"tenancy\":\"" tenancy "\",\"preInstalledSw\":\"" sw              \
	"\",\"capacitystatus\":\"" status "\",\"marketoption\":\"OnDemand\",\"gpu\":\"" gpu "\"}"
#define PRODUCT(sku, attrs) \
	"\"" sku "\":{\"sku\":\"" sku "\",\"productFamily\":\"Compute Instance\"," attrs "}"
#define HOURLY(sku, offer, usd, more)                                                  \
	"\"" sku "." offer "\":{\"priceDimensions\":{\"" sku "." offer                 \
	".6YS6EN2CT7\":{\"unit\":\"Hrs\",\"pricePerUnit\":{\"USD\":\"" usd "\"}}" more \
	"},\"sku\":\"" sku "\",\"effectiveDate\":\"2026-11-01T00:00:00Z\",\"termAttributes\":{"

/* clang-format off */
static const char aws_list[] =
	"{\"formatVersion\":\"v1.0\",\"products\":{"
	PRODUCT("P5", ATTRS("p5.48xlarge", "Linux", "Shared", "NA", "Used", "8")) ","
	PRODUCT("P5WIN", ATTRS("p5.48xlarge", "Windows", "Shared", "NA", "Used", "8")) ","
	PRODUCT("P5DED", ATTRS("p5.48xlarge", "Linux", "Dedicated", "NA", "Used", "8")) ","
	PRODUCT("P5SQL", ATTRS("p5.48xlarge", "Linux", "Shared", "SQL Web", "Used", "8")) ","
	PRODUCT("P5UNUSED", ATTRS("p5.48xlarge", "Linux", "Shared", "NA",
		"UnusedCapacityReservation", "8")) ","
	PRODUCT("M5", ATTRS("m5.large", "Linux", "Shared", "NA", "Used", "")) ","
	PRODUCT("NEW", ATTRS("p9.12xlarge", "Linux", "Shared", "NA", "Used", "4")) ","
	PRODUCT("TRN", ATTRS("trn1.32xlarge", "Linux", "Shared", "NA", "Used", ""))
		"},\"terms\":{\"OnDemand\":{" "\"P5\":{"
	HOURLY("P5", "JRTCKXETXF", "54.9900000000", "") "}}}," "\"P5WIN\":{"
	HOURLY("P5WIN", "JRTCKXETXF", "64.0", "") "}}}," "\"P5DED\":{"
	HOURLY("P5DED", "JRTCKXETXF", "65.0", "") "}}}," "\"P5SQL\":{"
	HOURLY("P5SQL", "JRTCKXETXF", "66.0", "") "}}}," "\"P5UNUSED\":{"
	HOURLY("P5UNUSED", "JRTCKXETXF", "67.0", "") "}}}," "\"M5\":{"
	HOURLY("M5", "JRTCKXETXF", "0.096", "") "}}}," "\"NEW\":{"
	HOURLY("NEW", "JRTCKXETXF", "20.5", "") "}}}," "\"TRN\":{"
	HOURLY("TRN", "JRTCKXETXF", "21.5", "") "}}}},\"Reserved\":{\"P5\":{"
	HOURLY("P5", "4NA7Y494T4", "30.0000000000", "")
		"\"LeaseContractLength\":\"1yr\",\"OfferingClass\":\"standard\",\"PurchaseOption\":\"No Upfront\"}},"
	HOURLY("P5", "NQ3QZPMQV9", "0.0000000000",
		",\"P5.NQ3QZPMQV9.2TG2D8R56U\":{\"unit\":\"Quantity\",\"pricePerUnit\":{\"USD\":\"525600\"}}") "\"LeaseContractLength\":\"3yr\",\"OfferingClass\":\"standard\",\"PurchaseOption\":\"All Upfront\"}}}}}}";
/* clang-format on */

static int read_list(struct world *w, const char *json, size_t step)
{
	struct aws_list *a = aws_list_new(&w->f);
	size_t n = strlen(json);
	int r = 0;
	for (size_t i = 0; i < n && r == 0; i += step)
		r = aws_list_feed(a, (struct sv){ json + i, n - i < step ? n - i : step }, &w->err);
	if (r == 0)
		r = aws_list_end(a, &w->err);
	aws_list_free(a);
	return r;
}

static void aws_price_list_rows(void **state)
{
	struct world *w = *state;
	struct price_row *r;
	size_t n;
	for (size_t step = 1000; step; step = step == 1000 ? 7 : 0) {
		str_clear(&w->got.text);
		w->got.n = 0;
		if (read_list(w, aws_list, step))
			fail_msg("%s", w->err.msg);
		assert_int_equal(w->got.n, 4);
	}
	has_line(w, "aws|us-east-1||p5.48xlarge||on_demand||54.99|0|USD|2026-11-01T00:00:00Z\n");
	has_line(w, "aws|us-east-1||p5.48xlarge||reserved_1y|standard; no upfront|30|0|USD|");
	has_line(w, "aws|us-east-1||p5.48xlarge||reserved_3y|standard; all upfront|0|525600|USD|");
	/* a GPU machine newer than the tables */
	has_line(w, "aws|us-east-1||p9.12xlarge||on_demand||20.5|0|");
	has_no(w, "m5.large");
	has_no(w, "trn1");
	/* 525,600 once for three years of 8,760 hours is 20 an hour, 2.50 a GPU */
	struct price_query q = { .instance_type = "p5.48xlarge",
				 .purchase = (const char *const[]){ "reserved_3y" },
				 .npurchase = 1,
				 .at_ms = UNKNOWN_MS };
	assert_int_equal(catalog_prices(w->got.catalog, &q, &r, &n, &w->err), 0);
	assert_int_equal(n, 1);
	assert_true(r[0].hour == 0 && r[0].effective_hour == 20 * DEC_ONE &&
		    r[0].gpu_hour == 5 * DEC_ONE / 2);
	free(r);
}

static void aws_price_list_broken(void **state)
{
	struct world *w = *state;
	char cut[sizeof aws_list];
	for (size_t n = 0; n < sizeof aws_list - 1; n += 97) {
		memcpy(cut, aws_list, n);
		cut[n] = 0;
		assert_int_equal(read_list(w, cut, 64), -EBADMSG);
	}
	assert_int_equal(read_list(w, "{\"formatVersion\":\"v1.0\"}", 64), -EBADMSG);
	assert_int_equal(
		read_list(w, "{\"terms\":{\"OnDemand\":{\"A\":{\"A.B\":{}}}},\"products\":{}}", 64),
		-EPROTO);
}

#define SP_RATE(usage, op, type, price)                                                  \
	"{\"discountedSku\":\"D\",\"discountedUsageType\":\"" usage                      \
	"\",\"discountedOperation\":\"" op "\",\"discountedServiceCode\":\"AmazonEC2\"," \
	"\"rateCode\":\"A.D\",\"unit\":\"Hrs\",\"discountedRate\":{\"price\":\"" price   \
	"\",\"currency\":\"USD\"},\"discountedRegionCode\":\"us-east-1\","               \
	"\"discountedInstanceType\":\"" type "\"}"
static const char savings[] =
	"{\"version\":\"1\",\"products\":[{\"sku\":\"A\",\"productFamily\":\"ComputeSavingsPlans\",\"attributes\":{\"purchaseTerm\":\"1yr\"}}],"
	"\"terms\":{\"savingsPlan\":[{\"sku\":\"A\",\"description\":\"1 year No Upfront Compute Savings Plan\",\"effectiveDate\":\"2026-10-01T00:00:00Z\","
	"\"leaseContractLength\":{\"duration\":1,\"unit\":\"year\"},\"rates\":[" SP_RATE(
		"BoxUsage:p5.48xlarge", "RunInstances", "p5.48xlarge",
		"41.5") "," SP_RATE("BoxUsage:p5.48xlarge", "RunInstances:0002", "p5.48xlarge",
				    "99") "," SP_RATE("DedicatedUsage:p5.48xlarge", "RunInstances",
						      "p5.48xlarge",
						      "98") "," SP_RATE("UnusedBox:p5.48xlarge",
									"RunInstances",
									"p5.48xlarge",
									"97") "," SP_RATE("USE2-BoxUsage:g5.xlarge",
											  "RunInstances",
											  "g5.xlarge",
											  "0.7") "," SP_RATE("BoxUsage:m5.large",
													     "RunInstances",
													     "m5.large",
													     "0.06") "]}]}}";

static int read_savings(struct world *w, struct sv json, size_t step)
{
	struct aws_savings *a = aws_savings_new(&w->f);
	int r = 0;
	for (size_t i = 0; i < json.n && r == 0; i += step)
		r = aws_savings_feed(
			a, (struct sv){ json.p + i, json.n - i < step ? json.n - i : step },
			&w->err);
	if (r == 0)
		r = aws_savings_end(a, &w->err);
	aws_savings_free(a);
	return r;
}

static void aws_savings_plans(void **state)
{
	struct world *w = *state;
	assert_int_equal(read_savings(w, WHOLE(savings), 11), 0);
	assert_int_equal(w->got.n, 2);
	has_line(
		w,
		"aws|us-east-1||p5.48xlarge||savings_plan|1 year No Upfront Compute Savings Plan|41.5|0|USD|2026-10-01T00:00:00Z\n");
	has_line(
		w,
		"aws|us-east-1||g5.xlarge||savings_plan|1 year No Upfront Compute Savings Plan|0.7|");
	assert_int_equal(w->report.rows_skipped, 4);
	for (size_t n = 0; n < sizeof savings - 1; n += 29)
		assert_int_equal(read_savings(w, (struct sv){ savings, n }, 64), -EBADMSG);
	assert_int_equal(read_savings(w, SV("{\"terms\":{}}"), 64), -EBADMSG);
}

#define SPOT_ITEM(type, product, price, time, zone)                               \
	"<item><instanceType>" type "</instanceType><productDescription>" product \
	"</productDescription><spotPrice>" price "</spotPrice><timestamp>" time   \
	"</timestamp><availabilityZone>" zone                                     \
	"</availabilityZone><availabilityZoneId>use1-az4</availabilityZoneId></item>"
#define SPOT_PAGE(items, next)                                                                                                                 \
	"<?xml version=\"1.0\"?><DescribeSpotPriceHistoryResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><requestId>r</requestId>" \
	"<spotPriceHistorySet>" items "</spotPriceHistorySet><nextToken>" next                                                                 \
	"</nextToken></DescribeSpotPriceHistoryResponse>"

static const char spot_1[] =
	SPOT_PAGE(SPOT_ITEM("p5.48xlarge", "Linux/UNIX", "21.500000", "2026-11-20T08:00:00.000Z",
			    "us-east-1a") SPOT_ITEM("p5.48xlarge", "Windows", "30.5",
						    "2026-11-20T08:00:00.000Z", "us-east-1a")
			  SPOT_ITEM("m5.large", "Linux/UNIX", "0.05", "2026-11-20T08:00:00.000Z",
				    "us-east-1a"),
		  "page+two==");
static const char spot_2[] = SPOT_PAGE(
	SPOT_ITEM("g5.xlarge", "Linux/UNIX", "1.006", "2026-11-19T08:00:00.000Z", "us-east-1b"),
	"");

static void aws_spot(void **state)
{
	struct world *w = *state;
	struct str next = { 0 };
	assert_int_equal(aws_spot_parse(&w->f, "us-east-1", WHOLE(spot_1), &next, &w->err), 0);
	assert_string_equal(str_z(&next), "page+two==");
	assert_int_equal(aws_spot_parse(&w->f, "us-east-1", WHOLE(spot_2), &next, &w->err), 0);
	assert_string_equal(str_z(&next), "");
	has_line(w, "aws|us-east-1|us-east-1a|p5.48xlarge||spot||21.5|0||2026-11-20T08:00:00Z\n");
	has_line(w, "aws|us-east-1|us-east-1b|g5.xlarge||spot||1.006|0||2026-11-19T08:00:00Z\n");
	assert_int_equal(w->got.n, 2);
	assert_int_equal(w->report.rows_skipped, 2);
	/* cut anywhere it is refused */
	for (size_t n = 0; n < sizeof spot_1 - 1; n += 31)
		assert_int_equal(aws_spot_parse(&w->f, "us-east-1", (struct sv){ spot_1, n }, &next,
						&w->err),
				 -EBADMSG);
	static const char wrong[] = SPOT_PAGE(SPOT_ITEM("g5.xlarge", "Linux/UNIX", "cheap",
							"2026-11-19T08:00:00.000Z", "us-east-1b"),
					      "");
	assert_int_equal(aws_spot_parse(&w->f, "us-east-1", WHOLE(wrong), &next, &w->err),
			 -EBADMSG);
	str_free(&next);
}

static const char advisor[] =
	"{\"ranges\":[{\"index\":0,\"label\":\"<5%\",\"dots\":0,\"max\":5},{\"index\":1,\"label\":\"5-10%\",\"dots\":1,\"max\":11}],"
	"\"instance_types\":{\"g5.xlarge\":{\"emr\":true,\"cores\":4,\"ram_gb\":16.0}},"
	"\"spot_advisor\":{\"us-east-1\":{\"Linux\":{\"g5.xlarge\":{\"s\":60,\"r\":1},\"p5.48xlarge\":{\"s\":50,\"r\":4},"
	"\"m5.large\":{\"s\":50,\"r\":0},\"g5.2xlarge\":{\"s\":50,\"r\":7}},\"Windows\":{\"g5.xlarge\":{\"s\":1,\"r\":0}}},"
	"\"eu-west-1\":{\"Linux\":{\"g5.xlarge\":{\"s\":60,\"r\":0}}}}}";

static void aws_bands(void **state)
{
	struct world *w = *state;
	static const char *const here[] = { "us-east-1" };
	w->f.region = here;
	w->f.nregion = 1;
	assert_int_equal(aws_advisor_parse(&w->f, WHOLE(advisor), &w->err), 0);
	assert_int_equal(w->got.n, 2);
	/* per month; not the file's max of 11 */
	has_line(
		w,
		"aws|us-east-1||g5.xlarge||spot|interruption-band|0|0||2026-11-21T00:00:00Z|5-10\n");
	has_line(
		w,
		"aws|us-east-1||p5.48xlarge||spot|interruption-band|0|0||2026-11-21T00:00:00Z|20-100\n");
	assert_int_equal(aws_advisor_parse(&w->f, SV("{\"spot_advisor\":"), &w->err), -EBADMSG);
	assert_int_equal(aws_advisor_parse(&w->f, SV("[]"), &w->err), -EBADMSG);
}

/* ---- Azure ------------------------------------------------------------------------------- */

#define AZ(size, sku, product, type, price, more)                                                                             \
	"{\"currencyCode\":\"USD\",\"tierMinimumUnits\":0.0,\"retailPrice\":" price                                           \
	",\"unitPrice\":" price ",\"armRegionName\":\"eastus\","                                                              \
	"\"location\":\"US East\",\"effectiveStartDate\":\"2026-10-01T00:00:00Z\",\"meterId\":\"m\",\"meterName\":\"" sku     \
	"\",\"productName\":\"" product "\",\"skuName\":\"" sku                                                               \
	"\",\"serviceName\":\"Virtual Machines\",\"serviceFamily\":\"Compute\",\"unitOfMeasure\":\"1 Hour\",\"type\":\"" type \
	"\",\"isPrimaryMeterRegion\":true,\"armSkuName\":\"" size "\"" more "}"
#define AZ_PAGE(items, next)                                                              \
	"{\"BillingCurrency\":\"USD\",\"CustomerEntityId\":\"Default\",\"Items\":[" items \
	"],\"NextPageLink\":" next ",\"Count\":1}"
#define H100 "Standard_ND96isr_H100_v5"

static const char azure_1[] = AZ_PAGE(
	AZ(H100, "ND96isr H100 v5", "NDsrH100v5", "Consumption", "98.32", ",\"savingsPlan\":[{\"unitPrice\":60.1,\"retailPrice\":60.1,\"term\":\"1 Year\"},{\"unitPrice\":43.2,\"retailPrice\":43.2,\"term\":\"3 Years\"}]") "," AZ(
		H100, "ND96isr H100 v5 Spot", "NDsrH100v5", "Consumption", "29.496",
		"") "," AZ(H100, "ND96isr H100 v5 Low Priority", "NDsrH100v5", "Consumption",
			   "19.6",
			   "") "," AZ(H100, "ND96isr H100 v5", "NDsrH100v5 Windows", "Consumption",
				      "102.7",
				      "") "," AZ(H100, "ND96isr H100 v5", "NDsrH100v5",
						 "DevTestConsumption", "98.32",
						 "") "," AZ(H100, "ND96isr H100 v5", "NDsrH100v5",
							    "Reservation", "525600",
							    ",\"reservationTerm\":\"1 Year\"") "," AZ(H100,
												      "ND96isr H100 v5",
												      "NDsrH100v5",
												      "Reservation",
												      "1051200",
												      ",\"reservationTerm\":\"3 Years\""),
	"\"%s\"");
static const char azure_2[] = AZ_PAGE(
	AZ("Standard_NP10s", "NP10s", "NP", "Consumption", "1.65",
	   "") "," AZ("Standard_D2s_v5", "D2s v5", "D", "Consumption", "0.096",
		      "") "," AZ("Standard_NC6_Promo", "NC6 Promo", "NC", "Consumption", "0.4",
				 "") "," AZ("Standard_NV6ads_A10_v5", "NV6ads A10 v5", "NVadsA10v5",
					    "Consumption", "0.454", ""),
	"null");

static void azure_rows(struct world *w)
{
	has_line(w, "azure|eastus||" H100 "||on_demand||98.32|0|USD|2026-10-01T00:00:00Z\n");
	has_line(w, "azure|eastus||" H100 "||savings_plan|1 Year|60.1|0|USD|");
	has_line(w, "azure|eastus||" H100 "||savings_plan|3 Years|43.2|0|USD|");
	has_line(w, "azure|eastus||" H100 "||spot||29.496|0|USD|");
	has_line(w, "azure|eastus||" H100 "||reserved_1y||60|0|USD|");
	has_line(w, "azure|eastus||" H100 "||reserved_3y||40|0|USD|");
	has_line(w, "azure|eastus||Standard_NC6_Promo||on_demand|promo|0.4|0|USD|");
	has_line(w, "azure|eastus||Standard_NV6ads_A10_v5||on_demand||0.454|0|USD|");
	has_no(w, "NP10s");
	has_no(w, "D2s");
	has_no(w, "19.6");
	has_no(w, "102.7");
	assert_int_equal(w->got.n, 8);
}

static void azure_pages(void **state)
{
	struct world *w = *state;
	struct str next = { 0 };
	assert_int_equal(azure_page_parse(&w->f, WHOLE(azure_1), &next, &w->err), 0);
	assert_string_equal(str_z(&next), "%s");
	assert_int_equal(azure_page_parse(&w->f, WHOLE(azure_2), &next, &w->err), 0);
	assert_string_equal(str_z(&next), "");
	azure_rows(w);
	for (size_t n = 0; n < sizeof azure_1 - 1; n += 53)
		assert_int_equal(azure_page_parse(&w->f, (struct sv){ azure_1, n }, &next, &w->err),
				 -EBADMSG);
	assert_int_equal(azure_page_parse(&w->f, SV("{\"Items\":7}"), &next, &w->err), -EBADMSG);
	static const char no_date[] = AZ_PAGE("{\"type\":\"Consumption\",\"armSkuName\":\"" H100
					      "\",\"retailPrice\":1,\"unitOfMeasure\":\"1 Hour\"}",
					      "null");
	assert_int_equal(azure_page_parse(&w->f, WHOLE(no_date), &next, &w->err), -EBADMSG);
	str_free(&next);
}

/* ---- Google ------------------------------------------------------------------------------ */

#define SKU(description, usage, units, nanos, regions)                                                                                                        \
	"{\"name\":\"services/x/skus/y\",\"skuId\":\"y\",\"description\":\"" description                                                                      \
	"\",\"category\":{\"serviceDisplayName\":\"Compute Engine\","                                                                                         \
	"\"resourceFamily\":\"Compute\",\"resourceGroup\":\"GPU\",\"usageType\":\"" usage                                                                     \
	"\"},\"serviceRegions\":[" regions                                                                                                                    \
	"],\"pricingInfo\":[{\"effectiveTime\":\"2026-11-20T10:00:00Z\",\"pricingExpression\":{\"usageUnit\":\"h\",\"tieredRates\":[{\"startUsageAmount\":0," \
	"\"unitPrice\":{\"currencyCode\":\"USD\",\"units\":\"" units "\",\"nanos\":" nanos                                                                    \
	"}}]}}]}"
#define US "\"us-central1\""

static const char gcp_1[] = "{\"skus\":[" SKU(
	"Nvidia L4 GPU running in Iowa", "OnDemand", "0", "560040000",
	US
	",\"us-east1\"") "," SKU("G2 Instance Core running in Iowa", "OnDemand", "0", "24988000",
				 US) "," SKU("G2 Instance Ram running in Iowa", "OnDemand", "0",
					     "2927000",
					     US) "," SKU("Nvidia L4 GPU attached to Spot Preemptible VMs running in Iowa",
							 "Preemptible", "0", "224000000",
							 US) "],\"nextPageToken\":\"t2\"}";
static const char gcp_2[] = "{\"skus\":[" SKU(
	"Nvidia H100 80GB GPU running in Iowa", "OnDemand", "9", "796553470",
	US) "," SKU("Nvidia H100 80GB Mega GPU running in Iowa", "OnDemand", "9", "0",
		    US) "," SKU("A3Plus Instance Core running in Iowa", "OnDemand", "0", "29351000",
				US) "," SKU("A3Plus Instance Ram running in Iowa", "OnDemand", "0",
					    "2567000",
					    US) "," SKU("Nvidia L4 GPU Reserved in Iowa",
							"OnDemand", "0", "0",
							US) "," SKU("N1 Predefined Instance Core running in Iowa",
								    "OnDemand", "0", "31611000",
								    US) "," SKU("Nvidia Tesla X99 GPU running in Iowa",
										"OnDemand", "1",
										"0", US) "]}";

static void gcp_rows(struct world *w)
{
	/* 0.56004 + 4 x 0.024988 + 16 x 0.002927 */
	has_line(w,
		 "gcp|us-central1||g2-standard-4||on_demand||0.706824|0||2026-11-20T10:00:00Z\n");
	/* 8 x 0.56004 + 96 x 0.024988 + 384 x 0.002927 */
	has_line(w, "gcp|us-central1||g2-standard-96||on_demand||8.003136|0|");
	has_line(w, "gcp|us-central1|||L4|on_demand|gpu-only|0.56004|0|");
	has_line(w, "gcp|us-central1|||L4|spot|gpu-only|0.224|0|");
	/* a3-mega has all of its parts: 8 x 9 + 208 x 0.029351 + 1872 x 0.002567; a3-high lacks its
	 * cores: no machine */
	has_line(w, "gcp|us-central1||a3-megagpu-8g||on_demand||82.910432|0|");
	has_line(w, "gcp|us-central1|||H100-SXM5-80GB|on_demand|gpu-only|9.79655347|0|");
	has_no(w, "a3-highgpu");
	has_no(w, "g2-standard-4||spot");
	has_no(w, "us-east1||g2"); /* no cores there */
	has_no(w, "X99");
}

static void parts_are_no_machines(struct world *w)
{
	struct price_row *r;
	size_t n;
	struct price_query q = {
		.gpu = "L4", .provider = "gcp", .region_glob = "us-central1", .at_ms = UNKNOWN_MS
	};
	assert_int_equal(catalog_prices(w->got.catalog, &q, &r, &n, &w->err), 0);
	for (size_t i = 0; i < n; i++)
		assert_true(r[i].instance_type &&
			    (!r[i].term || strcmp(r[i].term, CATALOG_PART_TERM)));
	free(r);
	q.parts = true;
	size_t all;
	assert_int_equal(catalog_prices(w->got.catalog, &q, &r, &all, &w->err), 0);
	assert_int_equal(all, n + 2);
	free(r);
}

static void gcp_skus(void **state)
{
	struct world *w = *state;
	struct str next = { 0 };
	struct gcp_parts *g = gcp_parts_new(&w->f);
	assert_int_equal(gcp_parts_page(g, WHOLE(gcp_1), &next, &w->err), 0);
	assert_string_equal(str_z(&next), "t2");
	assert_int_equal(gcp_parts_page(g, WHOLE(gcp_2), &next, &w->err), 0);
	assert_string_equal(str_z(&next), "");
	assert_int_equal(gcp_parts_end(g, &w->err), 0);
	gcp_rows(w);
	parts_are_no_machines(w);
	for (size_t n = 0; n < sizeof gcp_1 - 1; n += 41)
		assert_int_equal(gcp_parts_page(g, (struct sv){ gcp_1, n }, &next, &w->err),
				 -EBADMSG);
	assert_int_equal(gcp_parts_page(g, SV("{\"skus\":{}}"), &next, &w->err), -EBADMSG);
	gcp_parts_free(g);
	str_free(&next);
}

/* ---- conversations ----------------------------------------------------------------------- */

struct site {
	int port, requests;
	int fail_first; /* so many requests get fail_status */
	int fail_status;
	bool truncate;    /* the price list ends early */
	bool signed_well; /* a spot request with the right headers came */
	char next[300];
	char page[sizeof azure_1 + 300];
};

static bool asks(const char *head, const char *path)
{
	const char *p = strchr(head, ' ');
	return p && !strncmp(p + 1, path, strlen(path));
}

static void serve(void *ctx, const char *head, const char *body, struct answer *a)
{
	struct site *s = ctx;
	s->requests++;
	if (s->fail_first-- > 0) {
		a->status = s->fail_status;
		a->header = "Retry-After: 2\r\n";
		a->body = SV("slow down");
	} else if (asks(head, "/offers/v1.0/aws/AmazonEC2/current/region_index.json")) {
		a->body = SV(
			"{\"regions\":{\"us-east-1\":{\"regionCode\":\"us-east-1\",\"currentVersionUrl\":\"/offers/v1.0/aws/AmazonEC2/2026/us-east-1/index.json\"}}}");
	} else if (asks(head, "/offers/v1.0/aws/AmazonEC2/2026/us-east-1/index.json")) {
		a->body = WHOLE(aws_list);
		a->cut = s->truncate ? sizeof aws_list / 2 : 0;
	} else if (asks(head,
			"/savingsPlan/v1.0/aws/AWSComputeSavingsPlan/current/region_index.json")) {
		a->body = SV(
			"{\"regions\":[{\"regionCode\":\"us-east-1\",\"versionUrl\":\"/savings/us-east-1.json\"}]}");
	} else if (asks(head, "/savings/us-east-1.json")) {
		a->body = WHOLE(savings);
	} else if (asks(head, "/advisor.json")) {
		a->body = WHOLE(advisor);
	} else if (
		asks(head,
		     "/azure?api-version=2023-01-01-preview&$filter=serviceName%20eq%20%27Virtual%20Machines%27%20and%20armRegionName%20eq%20%27eastus%27")) {
		snprintf(s->next, sizeof s->next, "http://127.0.0.1:%d/azure/two", s->port);
		snprintf(s->page, sizeof s->page, azure_1, s->next);
		a->body = sv_of(s->page);
	} else if (asks(head, "/azure/two")) {
		a->body = WHOLE(azure_2);
	} else if (
		asks(head,
		     "/v1/services/6F81-5844-456A/skus?currencyCode=USD&pageSize=5000&key=k%2Fey&pageToken=t2")) {
		a->body = WHOLE(gcp_2);
	} else if (
		asks(head,
		     "/v1/services/6F81-5844-456A/skus?currencyCode=USD&pageSize=5000&key=k%2Fey")) {
		a->body = WHOLE(gcp_1);
	} else if (!strncmp(head, "POST / ", 7) &&
		   strstr(body, "Action=DescribeSpotPriceHistory")) {
		s->signed_well =
			strcasestr(
				head,
				"\r\nAuthorization: AWS4-HMAC-SHA256 Credential=AKID/20261121/us-east-1/ec2/aws4_request") &&
			strcasestr(head, "SignedHeaders=content-type;host;x-amz-date") &&
			strstr(body, "InstanceType.1=") &&
			strstr(body, "StartTime=2026-11-14T10%3A00%3A00Z");
		a->body = strstr(body, "NextToken=page%2Btwo%3D%3D") ? WHOLE(spot_2)
								     : WHOLE(spot_1);
	} else {
		a->status = 404;
		a->body = sv_of("no such page");
	}
}

struct talk {
	struct loopback l;
	struct site s;
	char base[5][100];
};

static void talk_start(struct talk *t, struct world *w, const char *const *region)
{
	static const char *const path[URL_N] = { "", "", "/advisor.json", "/azure", "" };
	struct http_opt o = { .proxy = "" };
	t->l = (struct loopback){ .serve = serve, .ctx = &t->s };
	assert_int_equal(loopback_start(&t->l), 0);
	t->s.port = t->l.port;
	assert_int_equal(http_new(&o, &w->f.http, &w->err), 0);
	for (int i = 0; i < URL_N; i++) {
		snprintf(t->base[i], sizeof t->base[i], "http://127.0.0.1:%d%s", t->l.port,
			 path[i]);
		w->f.url[i] = t->base[i];
	}
	w->f.region = region;
	w->f.nregion = region ? 1 : 0;
}

static void talk_stop(struct talk *t, struct world *w)
{
	loopback_stop(&t->l);
	http_free(w->f.http);
}

static const char *const east[] = { "us-east-1" };
static const char *const eastus[] = { "eastus" };

static void ask_aws(void **state)
{
	static const struct sigv4_key key = { "AKID", "secret", NULL };
	struct world *w = *state;
	struct talk t = { 0 };
	talk_start(&t, w, east);
	w->f.aws_key = &key;
	if (prices_aws_fetch(&w->f, &w->err))
		fail_msg("%s", w->err.msg);
	assert_int_equal(w->got.n, 4 + 2 + 2);
	assert_true(t.s.signed_well);
	assert_string_equal(w->f.source, "prices:aws:2026-11-21");
	assert_int_equal(t.s.requests, 5);
	talk_stop(&t, w);
}

static void ask_aws_without_key(void **state)
{
	struct world *w = *state;
	struct talk t = { 0 };
	talk_start(&t, w, east);
	assert_int_equal(prices_aws_fetch(&w->f, &w->err), 0);
	assert_int_equal(w->got.n, 4 + 2);
	assert_int_equal(w->report.notes.n, 1);
	assert_non_null(strstr(w->report.notes.v[0], "AWS_ACCESS_KEY_ID"));
	static const char *const nowhere[] = { "us-nowhere-9" };
	w->f.region = nowhere;
	assert_int_equal(prices_aws_fetch(&w->f, &w->err), -ENOENT);
	assert_non_null(strstr(w->err.msg, "us-nowhere-9"));
	talk_stop(&t, w);
}

static void ask_aws_for_savings_plans(void **state)
{
	struct world *w = *state;
	struct talk t = { 0 };
	talk_start(&t, w, east);
	w->f.want = PRICE_SAVINGS;
	assert_int_equal(prices_aws_fetch(&w->f, &w->err), 0);
	assert_int_equal(w->got.n, 2);
	assert_int_equal(t.s.requests, 2); /* nothing else */
	talk_stop(&t, w);
}

static void ask_azure(void **state)
{
	struct world *w = *state;
	struct talk t = { 0 };
	talk_start(&t, w, eastus);
	if (prices_azure_fetch(&w->f, &w->err))
		fail_msg("%s", w->err.msg);
	assert_int_equal(t.s.requests, 2);
	azure_rows(w);
	talk_stop(&t, w);
}

static void ask_google(void **state)
{
	struct world *w = *state;
	struct talk t = { 0 };
	talk_start(&t, w, NULL);
	w->f.google_key = "k/ey";
	if (prices_gcp_fetch(&w->f, &w->err))
		fail_msg("%s", w->err.msg);
	gcp_rows(w);
	talk_stop(&t, w);
}

static void patience(void **state)
{
	struct world *w = *state;
	struct talk t = { .s = { .fail_first = 2, .fail_status = 429 } };
	talk_start(&t, w, eastus);
	assert_int_equal(prices_azure_fetch(&w->f, &w->err), 0);
	assert_int_equal(w->sleeps, 2);
	assert_int_equal(w->slept_ms, 4000); /* as the server said */
	azure_rows(w);
	t.s.fail_first = 100;
	t.s.fail_status = 500;
	t.s.requests = w->sleeps = 0;
	w->f.max_tries = 3;
	assert_true(prices_azure_fetch(&w->f, &w->err) < 0);
	assert_int_equal(t.s.requests, 3);
	assert_non_null(strstr(w->err.msg, "500"));
	t.s.fail_status = 403; /* asking again would not help */
	t.s.requests = w->sleeps = 0;
	assert_int_equal(prices_azure_fetch(&w->f, &w->err), -EACCES);
	assert_int_equal(t.s.requests, 1);
	talk_stop(&t, w);
}

static void a_list_that_breaks_off(void **state)
{
	struct world *w = *state;
	struct talk t = { .s = { .truncate = true } };
	talk_start(&t, w, east);
	assert_true(prices_aws_fetch(&w->f, &w->err) < 0);
	assert_non_null(strstr(w->err.msg, "us-east-1"));
	/* rows may be out: not asked again behind the caller's back */
	assert_int_equal(t.s.requests, 2);
	talk_stop(&t, w);
}

static void nobody_there(void **state)
{
	struct world *w = *state;
	struct talk t = { 0 };
	talk_start(&t, w, eastus);
	loopback_stop(&t.l);
	w->f.max_tries = 2;
	assert_int_equal(prices_azure_fetch(&w->f, &w->err), -ECONNREFUSED);
	assert_int_equal(w->sleeps, 1);
	http_free(w->f.http);
}

#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_streams),
		IN_WORLD(aws_price_list_rows),
		IN_WORLD(aws_price_list_broken),
		IN_WORLD(aws_spot),
		IN_WORLD(aws_bands),
		IN_WORLD(azure_pages),
		IN_WORLD(gcp_skus),
		IN_WORLD(ask_aws),
		IN_WORLD(ask_aws_without_key),
		IN_WORLD(ask_azure),
		IN_WORLD(ask_google),
		IN_WORLD(patience),
		IN_WORLD(a_list_that_breaks_off),
		IN_WORLD(aws_savings_plans),
		IN_WORLD(ask_aws_for_savings_plans),
		IN_WORLD(nobody_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
