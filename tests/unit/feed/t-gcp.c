/* Google Cloud's export: nested JSON lines and flat CSV, credits, GPUs counted by the hour. */
#include "bills.h"

#define WHEN \
	"\"usage_start_time\":\"2026-11-01 00:00:00 UTC\",\"usage_end_time\":\"2026-11-01 01:00:00 UTC\""
#define MACHINE \
	"\"system_labels\":[{\"key\":\"compute.googleapis.com/cores\",\"value\":\"96\"},{\"key\":\"compute.googleapis.com/machine_spec\",\"value\":\"a2-highgpu-8g\"}]"
#define PLACE \
	"\"location\":{\"region\":\"us-central1\",\"zone\":\"us-central1-a\"},\"resource\":{\"name\":\"vm\",\"global_name\":\"//compute/instances/7\"}"
#define LINE(sku, cost, rest)                                                                                                                           \
	"{\"billing_account_id\":\"A-1\",\"service\":{\"id\":\"6F81\",\"description\":\"Compute Engine\"},\"sku\":{\"id\":\"S\",\"description\":\"" sku \
	"\"}," WHEN ",\"project\":{\"id\":\"p1\",\"name\":\"P one\"},\"cost\":" cost                                                                    \
	",\"currency\":\"USD\",\"cost_type\":\"regular\","                                                                                              \
	"\"invoice\":{\"month\":\"202611\"}," PLACE "," rest "}\n"
#define USAGE(n, unit)                                                                \
	"\"usage\":{\"amount\":1,\"unit\":\"seconds\",\"amount_in_pricing_units\":" n \
	",\"pricing_unit\":\"" unit "\"}"

static void nested_lines_are_read(void **state)
{
	struct got g = { 0 };

	got_text(
		&g,
		LINE("Nvidia Tesla A100 GPU running in Americas", "23.471264",
		     "\"labels\":[{\"key\":\"team\",\"value\":\"nlp\"}],\"credits\":[{\"name\":\"SUD\",\"amount\":-3.2,\"type\":\"SUSTAINED_USAGE_DISCOUNT\"},"
		     "{\"name\":\"x\",\"amount\":-0.271264,\"type\":\"PROMOTION\"}]," MACHINE
		     "," USAGE("8", "hour")) LINE("A2 Instance Core running in Americas", "3.03",
						  "\"labels\":[],\"credits\":[]," MACHINE
						  "," USAGE("96", "hour"))
			LINE("Nvidia Tesla T4 GPU attached to Spot Preemptible VMs running in Iowa",
			     "0.5",
			     "\"credits\":[]," USAGE(
				     "4", "hour")) LINE("Network Inter Zone Data Transfer Out", "1",
							"\"credits\":[]," USAGE("100", "gibibyte"))
				LINE("Network Internet Egress from Americas to Americas", "2",
				     "\"credits\":[]," USAGE(
					     "100", "gibibyte")) LINE("SSD backed PD Capacity", "3",
								      "\"credits\":[]," USAGE(
									      "10",
									      "gibibyte month"))
					LINE("Licensing Fee for Deep Learning on VM with 8 GPU",
					     "4", "\"credits\":[]," MACHINE "," USAGE("1", "hour"))
						LINE("Commitment v1: Nvidia H100 80GB GPU running in Iowa for 1 Year",
						     "50", "\"credits\":[]," USAGE("8", "hour"))
							LINE("Nvidia L4 GPU running in Iowa", "5",
							     "\"credits\":[{\"amount\":-5,\"type\":\"COMMITTED_USAGE_DISCOUNT\"}]," USAGE(
								     "1", "hour")));
	got_ok(&g);
	assert_string_equal(g.report.kind, "gcp-billing");
	const struct bill_line *b = g.bill.v;
	assert_int_equal(g.bill.n, 10);
	assert_string_equal(dec_z(b[0].cost[BASIS_BILLED]), "20.271264");
	assert_string_equal(dec_z(b[0].contracted), "23.471264");
	assert_int_equal(b[0].kind, KIND_GPU);
	assert_sv(b[0].gpu_model, "A100-SXM4-40GB");
	assert_int_equal(b[0].gpu_milli, 8000);
	assert_string_equal(dec_z(b[0].quantity), "1"); /* 8 GPU-hours of a machine with 8 */
	assert_sv(b[0].instance_type, "a2-highgpu-8g");
	assert_sv(b[0].tags, "{\"team\":\"nlp\"}");
	assert_sv(b[0].resource_id, "//compute/instances/7");
	assert_sv(b[0].zone, "us-central1-a");
	assert_sv(b[0].sub_account, "p1");
	assert_int_equal(b[0].from_ms, 1793491200000);
	assert_int_equal(b[0].period_to_ms, 1796083200000); /* 2026-12-01 */
	/* what is given back is no price of the machine, and its own */
	b++;
	assert_sv(b[0].charge_category, "Credit");
	assert_string_equal(dec_z(b[0].cost[BASIS_EFFECTIVE]), "-0.271264");
	assert_int_equal(b[0].kind, KIND_OTHER);
	assert_int_equal(b[0].gpu_milli, 8000);
	assert_false(b[0].has_quantity || b[0].has_contracted || b[0].has_cost[BASIS_LIST]);
	/* cores ride with the machine's GPUs, and their hours are none of its */
	assert_int_equal(b[1].kind, KIND_GPU);
	assert_int_equal(b[1].gpu_milli, 8000);
	assert_false(b[1].has_quantity);
	assert_sv(b[2].purchase, "spot");
	assert_int_equal(b[2].gpu_milli, 4000);
	assert_string_equal(dec_z(b[2].quantity), "1");
	assert_int_equal(b[3].kind, KIND_CROSS_ZONE);
	assert_int_equal(b[4].kind, KIND_EGRESS);
	assert_int_equal(b[5].kind, KIND_STORAGE);
	assert_int_equal(b[6].kind, KIND_LICENCE);
	assert_string_equal(dec_z(b[7].cost[BASIS_BILLED]), "0");
	/* of unknown length: the provider's word */
	assert_sv(b[7].purchase, "Committed use discount");
	/* fees last; of what this one covers there is no line */
	assert_sv(b[8].charge_category, "Purchase");
	assert_sv(b[8].purchase, "committed_1y");
	assert_int_equal(b[8].kind, KIND_OTHER);
	assert_string_equal(dec_z(b[8].cost[BASIS_EFFECTIVE]), "50");
	assert_false(b[8].has_cost[BASIS_LIST]);
	assert_string_equal(got_sum(&g, "BilledCost"), "83.53");
	assert_string_equal(got_sum(&g, "EffectiveCost"), "83.53");
	got_free(&g);
}

static void flat_columns_with_dots_or_underscores(void **state)
{
	static const char *const head[] = {
		"cost,currency,usage_start_time,usage_end_time,service.description,sku.description,credits.amount,location.region,project.id,cost_at_list\n",
		"cost,currency,usage_start_time,usage_end_time,service_description,sku_description,credits_amount,location_region,project_id,cost_at_list\n",
	};

	for (size_t i = 0; i < 2; i++) {
		struct got g = { 0 };
		char text[1000];
		snprintf(
			text, sizeof text,
			"%s1.5e1,EUR,2026-11-01 00:00:00+00:00,2026-11-01 01:00:00+00:00,Cloud Storage,Standard Storage,-5,eu,p,16\n",
			head[i]);
		got_text(&g, text);
		got_ok(&g);
		assert_string_equal(got_sum(&g, "BilledCost"), "10");
		assert_string_equal(got_sum(&g, "ListCost"), "16");
		assert_sv(g.bill.v[0].currency, "EUR");
		assert_sv(g.bill.v[0].region, "eu");
		assert_int_equal(g.bill.v[0].kind, KIND_STORAGE);
		got_free(&g);
	}
}

static void bad_credits_and_months_are_named(void **state)
{
	struct got g = { .max_rejects = 2 };

	got_text(
		&g,
		"cost,currency,usage_start_time,usage_end_time,sku.description,billing_account_id,credits.amount,invoice.month\n"
		"1,USD,2026-11-01,2026-11-02,x,a,\"1,5\",\n1,USD,2026-11-01,2026-11-02,x,a,,2026-11\n1,USD,2026-11-01,2026-11-02,x,a,-1,202611\n");
	got_ok(&g);
	assert_int_equal(g.report.rows_rejected, 2);
	assert_int_equal(g.report.rejects.v[0].line, 2);
	assert_string_equal(g.report.rejects.v[1].field, "invoice.month");
	assert_string_equal(got_sum(&g, "BilledCost"), "0");
	got_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_lines_are_read),
		cmocka_unit_test(flat_columns_with_dots_or_underscores),
		cmocka_unit_test(bad_credits_and_months_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
