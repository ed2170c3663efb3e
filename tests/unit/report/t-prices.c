/* How price rows are printed: unknown as unknown, other currencies as such, the band per month. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include <jansson.h>
#include "report/prices/prices.h"

#define DAY 86400000LL

static const struct price_row rows[] = {
	{ .provider = "aws",
	  .region = "us-east-1",
	  .zone = "us-east-1a",
	  .instance_type = "g5.xlarge",
	  .gpu_model = "A10G",
	  .purchase = "spot",
	  .currency = "USD",
	  .source = "a, \"b\"",
	  .gpu_milli = 1000,
	  .hour = DEC_ONE / 2,
	  .effective_hour = DEC_ONE / 2,
	  .gpu_hour = DEC_ONE / 2,
	  .from_ms = 20000 * DAY,
	  .to_ms = UNKNOWN_MS,
	  .as_of_ms = 20001 * DAY,
	  .interruption_lo_pct = 20,
	  .interruption_hi_pct = 100,
	  .interruption_as_of_ms = 20000 * DAY },
	{ .provider = "gcp",
	  .region = "us-central1",
	  .instance_type = "g4-standard-6",
	  .gpu_model = "RTX-PRO-6000",
	  .purchase = "spot",
	  .currency = "USD",
	  .source = "s",
	  .gpu_milli = 125,
	  .hour = DEC_ONE / 8,
	  .effective_hour = DEC_ONE / 8,
	  .gpu_hour = DEC_ONE,
	  .from_ms = 20000 * DAY,
	  .to_ms = UNKNOWN_MS,
	  .as_of_ms = 20000 * DAY,
	  .interruption_lo_pct = -1,
	  .interruption_hi_pct = -1,
	  .interruption_as_of_ms = UNKNOWN_MS },
	{ .provider = "aws",
	  .region = "cn-north-1",
	  .instance_type = "p3.2xlarge",
	  .gpu_model = "V100-SXM2-16GB",
	  .purchase = "on_demand",
	  .currency = "CNY",
	  .source = "s",
	  .gpu_milli = 1000,
	  .hour = 36 * DEC_ONE,
	  .effective_hour = 36 * DEC_ONE,
	  .gpu_hour = 36 * DEC_ONE,
	  .from_ms = 20000 * DAY,
	  .to_ms = UNKNOWN_MS,
	  .as_of_ms = UNKNOWN_MS,
	  .interruption_lo_pct = -1,
	  .interruption_hi_pct = -1,
	  .interruption_as_of_ms = UNKNOWN_MS },
	{ .provider = "azure",
	  .region = "eastus",
	  .instance_type = "Standard_NC16ads_A10_v4",
	  .gpu_model = "A10",
	  .purchase = "on_demand",
	  .currency = "USD",
	  .source = "s",
	  .gpu_milli = 0,
	  .hour = DEC_ONE,
	  .effective_hour = DEC_ONE,
	  .from_ms = 20000 * DAY,
	  .to_ms = UNKNOWN_MS,
	  .as_of_ms = 20000 * DAY,
	  .interruption_lo_pct = -1,
	  .interruption_hi_pct = -1,
	  .interruption_as_of_ms = UNKNOWN_MS },
};

static char *print(enum out_format f, size_t limit, size_t hidden)
{
	struct prices_answer a = { .row = rows,
				   .n = sizeof rows / sizeof *rows,
				   .at_ms = 20002 * DAY,
				   .hidden = hidden,
				   .hidden_currency = "CNY" };
	struct str out = { 0 };
	prices_print(&a, limit, &(struct out_as){ .format = f, .width = 120 }, &out);
	return out.p;
}

static const char *text(const json_t *row, const char *key)
{
	return json_string_value(json_object_get(row, key));
}

static void as_json(void **state)
{
	static const char *const contract[] = { "provider",      "region",    "zone",
						"instance_type", "gpu_model", "gpu_count",
						"purchase",      "usd_hour",  "usd_gpu_hour",
						"as_of",         "source" };
	(void)state;
	char *out = print(OUT_JSON, 0, 0);
	json_error_t e;
	json_t *root = json_loads(out, 0, &e), *all = json_object_get(root, "rows"),
	       *r = json_array_get(all, 0);
	assert_non_null(root);
	assert_string_equal(text(root, "schema"), "tare.price/1");
	assert_true(!strncmp(out, "{\"schema\"", 9) && out[strlen(out) - 1] == '\n');
	assert_int_equal(json_array_size(all), 4);
	for (size_t i = 0; i < sizeof contract / sizeof *contract; i++)
		assert_non_null(json_object_get(r, contract[i]));
	assert_string_equal(text(r, "usd_hour"), "0.5");
	assert_string_equal(text(r, "as_of"), "2024-10-05T00:00:00Z");
	assert_int_equal(json_integer_value(json_object_get(r, "interruption_lo_pct")), 20);
	assert_string_equal(text(r, "interruption_per"), "month");
	r = json_array_get(all, 1);
	assert_true(json_number_value(json_object_get(r, "gpu_count")) == 0.125);
	assert_string_equal(text(r, "usd_gpu_hour"), "1");
	assert_true(json_is_null(json_object_get(r, "interruption_hi_pct")) &&
		    json_is_null(json_object_get(r, "zone")));
	r = json_array_get(all, 2);
	assert_true(json_is_null(json_object_get(r, "usd_hour")) &&
		    json_is_null(json_object_get(r, "as_of")));
	assert_string_equal(text(r, "hour"), "36");
	assert_string_equal(text(r, "currency"), "CNY");
	r = json_array_get(all, 3);
	assert_true(json_is_null(json_object_get(r, "gpu_count")) &&
		    json_is_null(json_object_get(r, "usd_gpu_hour")));
	json_decref(root);
	free(out);
	out = print(OUT_JSON, 3, 0);
	root = json_loads(out, 0, &e);
	assert_int_equal(json_array_size(json_object_get(root, "rows")), 3);
	json_decref(root);
	free(out);
}

static void as_csv(void **state)
{
	(void)state;
	char *out = print(OUT_CSV, 0, 0);
	assert_non_null(strstr(
		out,
		"\naws,us-east-1,us-east-1a,g5.xlarge,A10G,1,spot,,0.5,0.5,USD,0.5,0.5,0,2024-10-04T00:00:00Z,,2024-10-05T00:00:00Z,20,100,"
		"2024-10-04T00:00:00Z,\"a, \"\"b\"\"\"\n"));
	assert_non_null(strstr(
		out, "\naws,cn-north-1,,p3.2xlarge,V100-SXM2-16GB,1,on_demand,,,,CNY,36,36,0,"));
	assert_non_null(strstr(
		out, "\nazure,eastus,,Standard_NC16ads_A10_v4,A10,,on_demand,,1,,USD,1,,0,"));
	free(out);
}

static void as_table(void **state)
{
	(void)state;
	char *out = print(OUT_TABLE, 2, 3);
	assert_non_null(strstr(out, ">20 %"));
	assert_non_null(strstr(out, "us-east-1 (us-east-1a)"));
	assert_non_null(strstr(out, "2 more rows"));
	assert_non_null(strstr(out, "3 rows priced in CNY are not shown"));
	assert_null(strstr(out, "p3.2xlarge"));
	free(out);
	out = print(OUT_TABLE, 0, 0);
	assert_non_null(strstr(out, "CNY 36.0000"));
	free(out);
	out = print(OUT_MD, 0, 0);
	assert_non_null(strstr(out, "p3.2xlarge"));
	free(out);
	struct prices_answer none = { .at_ms = 20002 * DAY };
	struct str s = { 0 };
	prices_print(&none, 0, &(struct out_as){ .width = 80 }, &s);
	assert_non_null(strstr(s.p, "none known"));
	str_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_json), cmocka_unit_test(as_csv),
					    cmocka_unit_test(as_table) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
