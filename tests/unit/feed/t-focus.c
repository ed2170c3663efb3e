/* FOCUS: the real sample to the last digit, the specification's examples through their map,
 * versions, bad rows. */
#include "bills.h"

static void the_sample_adds_up_to_the_last_digit(void **state)
{
	struct got g = { 0 };
	size_t tags = 0, gpus = 0, named = 0;

	got_file(&g, "bills_focus/focus_1.0_sample_1000.csv.gz");
	got_ok(&g);
	assert_string_equal(g.report.kind, "focus");
	assert_int_equal(g.report.rows_read, 1000);
	assert_int_equal(g.report.rows_kept, 1000);
	assert_string_equal(got_sum(&g, "BilledCost"), "20.52022672899");
	assert_string_equal(got_sum(&g, "EffectiveCost"), "14.97651418586");
	assert_string_equal(got_sum(&g, "ListCost"), "20.39090575119");
	assert_string_equal(got_sum(&g, "ContractedCost"), "14.97626039326");
	assert_int_equal(got_unknown(&g, "ContractedCost"), 7);
	assert_int_equal(got_unknown(&g, "BilledCost"), 0);
	assert_true(got_note(&g, "FOCUS 1.0"));
	for (size_t i = 0; i < g.bill.n; i++) {
		const struct bill_line *b = &g.bill.v[i];
		tags += b->tags.n > 0;
		gpus += b->kind == KIND_GPU;
		named += b->gpu_model.n > 0;
		assert_false(sv_is(b->zone, "NULL"));
		/* 2024-08-01 */
		assert_true(b->period_from_ms >= 1722470400000 &&
			    b->period_to_ms > b->period_from_ms);
	}
	assert_int_equal(tags, 711);
	assert_true(gpus > 0); /* g3 and g5 instances, named in the descriptions only */
	assert_int_equal(gpus, named);
	got_free(&g);
}

static const struct {
	const char *file, *billed, *effective;
	int rejected;
} examples[] = {
	{ "commitment_discount_flexibility__one_hundred_percent_utilization_with_commitment_discount_flexibility_with_1_resource",
	  "2.75", "2.75", 0 },
	{ "commitment_discount_flexibility__one_hundred_percent_utilization_with_commitment_discount_flexibility_with_2_resources",
	  "2", "2", 0 },
	{ "commitment_discount_flexibility__one_hundred_percent_utilization_without_commitment_discount_flexibility",
	  "1.5", "1.5", 0 },
	{ "commitment_discount_flexibility__zero_percent_utilization_without_commitment_discount_flexibility",
	  "3.5", "3.5", 0 },
	{ "commitment_discount_scenarios__commitment_discount_purchase_scenario_1", "8760", "0",
	  0 },
	{ "commitment_discount_scenarios__commitment_discount_purchase_scenario_2", "2", "0", 1 },
	{ "commitment_discount_scenarios__commitment_discount_purchase_scenario_3", "4381", "0",
	  1 },
	{ "commitment_discount_scenarios__commitment_discount_usage_scenario_1", "0", "1", 0 },
	{ "commitment_discount_scenarios__commitment_discount_usage_scenario_2", "0", "1", 0 },
	{ "commitment_discount_scenarios__commitment_discount_usage_scenario_3", "0", "1", 0 },
	{ "commitment_discount_scenarios__commitment_discount_usage_scenario_4", "0.5", "1.5", 0 },
	{ "saas_examples__simple_agreements__simple_saas_agreements_a1", "10000", "10000", 0 },
	{ "saas_examples__simple_agreements__simple_saas_agreements_a2", "50000", "50000", 0 },
	{ "saas_examples__simple_agreements__simple_saas_agreements_a3", "1000", "1000", 0 },
	{ "saas_examples__simple_agreements__simple_saas_agreements_b", "50000", "50000", 0 },
	{ "saas_examples__simple_agreements__simple_saas_agreements_c", "35800", "35800", 0 },
	{ "saas_examples__spend_agreements__saas_spend_agreements_a1", "1200", "1200", 0 },
	{ "saas_examples__spend_agreements__saas_spend_agreements_a2", "1200", "1200", 0 },
	{ "saas_examples__spend_agreements__saas_spend_agreements_b1", "1200", "1200", 0 },
	{ "saas_examples__spend_agreements__saas_spend_agreements_b2", "1200", "1200", 0 },
	{ "saas_examples__virtual_currency_pricing_model_a1", "200000", "0", 0 },
	{ "saas_examples__virtual_currency_pricing_model_a2", "0", "1230", 0 },
	{ "saas_examples__virtual_currency_pricing_model_b1", "100000", "0", 0 },
	{ "saas_examples__virtual_currency_pricing_model_b2", "0", "615", 0 },
	{ "saas_examples__virtual_currency_pricing_model_b3", "0", "495", 0 },
	{ "saas_examples__virtual_currency_pricing_model_c", "53000", "0", 0 },
};

static void the_examples_of_the_specification_add_up(void **state)
{
	int rejected = 0;

	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct got g = { .max_rejects = 1 };
		char path[400];
		snprintf(path, sizeof path, "bills_focus/spec_examples/%s.csv", examples[i].file);
		got_map(&g, "focus-spec-examples");
		got_file(&g, path);
		got_ok(&g);
		assert_int_equal(g.report.rows_rejected, examples[i].rejected);
		rejected += (int)g.report.rows_rejected;
		assert_string_equal(got_sum(&g, "BilledCost"), examples[i].billed);
		assert_string_equal(got_sum(&g, "EffectiveCost"), examples[i].effective);
		got_free(&g);
	}
	assert_int_equal(rejected, 2);
}

/* Where a purchase and what it paid for are in one file, the fee is spread exactly. */
static void an_amortised_purchase_is_what_its_usage_cost(void **state)
{
	static const char *const file[] = {
		"one_hundred_percent_utilization_without_commitment_discount_flexibility",
		"zero_percent_utilization_without_commitment_discount_flexibility",
		"one_hundred_percent_utilization_with_commitment_discount_flexibility_with_1_resource",
		"one_hundred_percent_utilization_with_commitment_discount_flexibility_with_2_resources"
	};

	for (size_t i = 0; i < 4; i++) {
		struct got g = { 0 };
		char path[400];
		dec fee = 0, spread = 0;
		snprintf(path, sizeof path,
			 "bills_focus/spec_examples/commitment_discount_flexibility__%s.csv",
			 file[i]);
		got_map(&g, "focus-spec-examples");
		got_file(&g, path);
		got_ok(&g);
		for (size_t k = 0; k < g.bill.n; k++) {
			const struct bill_line *b = &g.bill.v[k];
			if (sv_is(b->charge_category, "Purchase"))
				fee += b->cost[BASIS_BILLED];
			else if (sv_is(b->pricing_category, "Committed"))
				spread += b->cost[BASIS_EFFECTIVE];
			assert_int_equal(b->kind == KIND_COMMITMENT_UNUSED,
					 sv_is(b->commitment_status, "Unused"));
		}
		assert_true(fee > 0 && fee == spread);
		got_free(&g);
	}
}

static void impossible_hours_are_named_and_stop_the_import_without_leave(void **state)
{
	struct got g = { 0 };

	got_map(&g, "focus-spec-examples");
	got_file(
		&g,
		"bills_focus/spec_examples/commitment_discount_scenarios__commitment_discount_purchase_scenario_3.csv");
	assert_true(g.rc < 0);
	assert_int_equal(g.report.rejects.n, 1);
	assert_int_equal(g.report.rejects.v[0].line, 5);
	assert_string_equal(g.report.rejects.v[0].field, "ChargePeriodEnd");
	assert_string_equal(g.report.rejects.v[0].reason, "'2023-02-01T30:00:00Z' is not a time");
	assert_non_null(
		strstr(g.err.msg, "line 5, ChargePeriodEnd: '2023-02-01T30:00:00Z' is not a time"));
	assert_non_null(strstr(g.err.msg, "purchase_scenario_3.csv"));
	got_free(&g);
}

#define HEAD \
	"BilledCost,EffectiveCost,ChargePeriodStart,ChargePeriodEnd,BillingCurrency,ProviderName,ChargeCategory,ServiceName,PricingCategory"
#define WHEN "2026-01-01T00:00:00Z,2026-01-01T01:00:00Z"

static void a_decimal_comma_is_refused_with_its_place(void **state)
{
	struct got g = { 0 };

	got_text(&g, HEAD "\n1.5,1.5," WHEN ",USD,AWS,Usage,X,Standard\n\"1.204,5O\",1," WHEN
			  ",USD,AWS,Usage,X,Standard\n");
	assert_true(g.rc < 0);
	assert_non_null(strstr(g.err.msg, "line 3, BilledCost: '1.204,5O' is not a decimal"));
	assert_non_null(strstr(g.err.hint, "--max-rejects"));
	got_free(&g);
	got_text(&g, HEAD "\n\"1.204,50\",1," WHEN ",USD,AWS,Usage,X,Standard\n");
	assert_true(g.rc < 0);
	assert_non_null(strstr(g.err.msg, "'1.204,50' is not a decimal"));
	got_free(&g);
}

static void unknown_costs_are_not_zero(void **state)
{
	struct got g = { 0 };

	got_text(&g, HEAD "\n1.5,NULL," WHEN ",USD,AWS,Usage,X,Standard\n,2," WHEN
			  ",USD,AWS,Usage,X,Standard\n");
	got_ok(&g);
	assert_int_equal(got_unknown(&g, "EffectiveCost"), 1);
	assert_int_equal(got_unknown(&g, "BilledCost"), 1);
	assert_int_equal(got_unknown(&g, "ListCost"), -1); /* no such column */
	assert_false(g.bill.v[1].has_cost[BASIS_BILLED]);
	assert_false(g.bill.v[0].has_cost[BASIS_LIST]);
	got_free(&g);
}

static void a_currency_may_be_given_on_the_command_line(void **state)
{
	static const char text[] =
		"BilledCost,ChargePeriodStart,ChargePeriodEnd,ChargeCategory\n1," WHEN ",Usage\n";
	struct got g = { 0 };

	got_text(&g, text);
	assert_true(g.rc < 0);
	assert_non_null(strstr(g.err.msg, "BillingCurrency"));
	got_free(&g);
	g.set[g.nset++] = (struct feed_set){ "BillingCurrency", "EUR" };
	got_text(&g, text);
	got_ok(&g);
	assert_sv(g.bill.v[0].currency, "EUR");
	got_free(&g);
}

static void version_1_3_names_the_service_provider(void **state)
{
	struct got g = { 0 };

	got_text(
		&g,
		"BilledCost,ChargePeriodStart,ChargePeriodEnd,BillingCurrency,ServiceProviderName,HostProviderName,SkuPriceDetails,ServiceCategory,"
		"PricingCategory,ResourceId,x_Own,ConsumedQuantity,ConsumedUnit\n"
		"32.7726," WHEN
		",USD,Amazon Web Services,AWS,\"{\"\"InstanceType\"\":\"\"p4d.24xlarge\"\",\"\"GpuCount\"\":8}\",Compute,Dynamic,i-0abc,y,1,Hours\n");
	got_ok(&g);
	assert_true(got_note(&g, "FOCUS 1.3"));
	assert_sv(g.bill.v[0].provider, "aws");
	assert_sv(g.bill.v[0].instance_type, "p4d.24xlarge");
	assert_sv(g.bill.v[0].gpu_model, "A100-SXM4-40GB");
	assert_int_equal(g.bill.v[0].gpu_milli, 8000);
	assert_sv(g.bill.v[0].purchase, "spot");
	assert_int_equal(g.bill.v[0].kind, KIND_GPU);
	got_free(&g);
}

/* What a bill has split itself goes to whom it was split for; a GPU machine keeps the tags of the
 * machine, as jobs say who used it. */
static void a_split_charge_has_the_tags_it_was_allocated_by(void **state)
{
	struct got g = { 0 };

	got_text(
		&g,
		"BilledCost,ChargePeriodStart,ChargePeriodEnd,BillingCurrency,ServiceProviderName,SkuPriceDetails,ServiceCategory,ResourceId,Tags,AllocatedTags\n"
		"2," WHEN
		",USD,AWS,,Storage,vol-1,\"{\"\"team\"\":\"\"platform\"\",\"\"env\"\":\"\"prod\"\"}\",\"{\"\"team\"\":\"\"nlp\"\"}\"\n"
		"1," WHEN ",USD,AWS,,Storage,vol-1,\"{\"\"team\"\":\"\"platform\"\"}\",\n"
		"9," WHEN
		",USD,AWS,\"{\"\"InstanceType\"\":\"\"p4d.24xlarge\"\"}\",Compute,i-0abc,\"{\"\"team\"\":\"\"platform\"\"}\",\"{\"\"team\"\":\"\"nlp\"\"}\"\n");
	got_ok(&g);
	assert_int_equal(g.bill.n, 3);
	assert_sv(g.bill.v[0].tags, "{\"env\":\"prod\",\"team\":\"nlp\"}");
	assert_sv(g.bill.v[1].tags, "{\"team\":\"platform\"}");
	assert_sv(g.bill.v[2].tags, "{\"team\":\"platform\"}");
	assert_true(got_note(&g, "split again"));
	got_free(&g);
}

static void times_must_run_forward(void **state)
{
	struct got g = { .max_rejects = 1 };

	got_text(
		&g, HEAD
		"\n1,1,2026-01-02T00:00:00Z,2026-01-01T00:00:00Z,USD,AWS,Usage,X,Standard\n1,1," WHEN
		",USD,AWS,Usage,X,Standard\n");
	got_ok(&g);
	assert_int_equal(g.report.rows_rejected, 1);
	assert_int_equal(g.report.rows_kept, 1);
	assert_string_equal(g.report.rejects.v[0].field, "ChargePeriodEnd");
	got_free(&g);
}

static void a_row_with_cells_missing_is_named(void **state)
{
	struct got g = { .max_rejects = 1 };

	got_text(&g, HEAD "\n1,1,2026-01-02T00:00:00Z\n1,1," WHEN ",USD,AWS,Usage,X,Standard\n");
	got_ok(&g);
	assert_int_equal(g.report.rows_rejected, 1);
	assert_int_equal(g.report.rejects.v[0].line, 2);
	got_free(&g);
}

static void negative_usage_is_kept_and_told(void **state)
{
	struct got g = { 0 };

	got_text(&g, HEAD "\n-1,-1," WHEN ",USD,AWS,Usage,X,Standard\n-2,-2," WHEN
			  ",USD,AWS,Credit,X,Standard\n");
	got_ok(&g);
	assert_true(got_note(&g, "kept as billed: 1"));
	assert_string_equal(got_sum(&g, "BilledCost"), "-3");
	got_free(&g);
}

static void amounts_beyond_the_ledger_are_refused(void **state)
{
	struct got g = { 0 };

	got_text(&g, HEAD "\n99999999999,1," WHEN ",USD,AWS,Usage,X,Standard\n");
	assert_true(g.rc < 0);
	assert_non_null(strstr(g.err.msg, "BilledCost"));
	got_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sample_adds_up_to_the_last_digit),
		cmocka_unit_test(the_examples_of_the_specification_add_up),
		cmocka_unit_test(an_amortised_purchase_is_what_its_usage_cost),
		cmocka_unit_test(impossible_hours_are_named_and_stop_the_import_without_leave),
		cmocka_unit_test(a_decimal_comma_is_refused_with_its_place),
		cmocka_unit_test(unknown_costs_are_not_zero),
		cmocka_unit_test(a_currency_may_be_given_on_the_command_line),
		cmocka_unit_test(version_1_3_names_the_service_provider),
		cmocka_unit_test(a_split_charge_has_the_tags_it_was_allocated_by),
		cmocka_unit_test(times_must_run_forward),
		cmocka_unit_test(a_row_with_cells_missing_is_named),
		cmocka_unit_test(negative_usage_is_kept_and_told),
		cmocka_unit_test(amounts_beyond_the_ledger_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
