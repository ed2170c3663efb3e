/* AWS cost and usage reports: both column styles give the same lines; amortised cost of every type
 * of line. */
#include "bills.h"

#define HEAD20                                                                                                                           \
	"line_item_line_item_type,line_item_unblended_cost,line_item_usage_start_date,line_item_usage_end_date,line_item_currency_code," \
	"bill_payer_account_id,line_item_usage_account_id,line_item_product_code,line_item_usage_type,line_item_line_item_description,"  \
	"line_item_resource_id,line_item_availability_zone,line_item_usage_amount,pricing_unit,product_instance_type,"                   \
	"pricing_public_on_demand_cost,pricing_lease_contract_length,reservation_reservation_a_r_n,reservation_effective_cost,"          \
	"reservation_unused_amortized_upfront_fee_for_billing_period,reservation_unused_recurring_fee,savings_plan_savings_plan_a_r_n,"  \
	"savings_plan_savings_plan_effective_cost,savings_plan_total_commitment_to_date,savings_plan_used_commitment,"                   \
	"split_line_item_parent_resource_id,bill_billing_period_start_date,resource_tags\n"
#define HEADLEGACY                                                                                                          \
	"lineItem/LineItemType,lineItem/UnblendedCost,lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/CurrencyCode," \
	"bill/PayerAccountId,lineItem/UsageAccountId,lineItem/ProductCode,lineItem/UsageType,lineItem/LineItemDescription," \
	"lineItem/ResourceId,lineItem/AvailabilityZone,lineItem/UsageAmount,pricing/unit,product/instanceType,"             \
	"pricing/publicOnDemandCost,pricing/LeaseContractLength,reservation/ReservationARN,reservation/EffectiveCost,"      \
	"reservation/UnusedAmortizedUpfrontFeeForBillingPeriod,reservation/UnusedRecurringFee,savingsPlan/SavingsPlanARN,"  \
	"savingsPlan/SavingsPlanEffectiveCost,savingsPlan/TotalCommitmentToDate,savingsPlan/UsedCommitment,"                \
	"splitLineItem/ParentResourceId,bill/BillingPeriodStartDate,resourceTags/user:team,resourceTags/aws:createdBy\n"
#define HOUR      "2026-11-01T00:00:00Z,2026-11-01T01:00:00Z,USD,1111,2222"
#define RI        "arn:aws:ec2:us-east-1:2222:reserved-instances/r-1"
#define SP        "arn:aws:savingsplans::2222:savingsplan/s-1"
#define SEP(tags) ",2026-11-01T00:00:00Z," tags "\n"

/* Rows without their tags; T is put behind each. */
#define ROWS(T)                                                                                                                                                                                                        \
	"Usage,21.957642," HOUR                                                                                                                                                                                        \
	",AmazonEC2,BoxUsage:p4d.24xlarge,\"$21.957642 per On Demand Linux p4d.24xlarge Instance Hour\",i-01,us-east-1a,1,Hrs,"                                                                                        \
	"p4d.24xlarge,21.957642,,,,,,,,,," SEP(                                                                                                                                                                        \
		T) "Usage,8.1," HOUR                                                                                                                                                                                   \
		   ",AmazonEC2,USW2-SpotUsage:p4d.24xlarge,p4d.24xlarge Linux/UNIX Spot Instance-hour,i-02,us-west-2b,1,Hrs,"                                                                                          \
		   "p4d.24xlarge,21.957642,,,,,,,,,," SEP(                                                                                                                                                             \
			   T) "DiscountedUsage,0," HOUR                                                                                                                                                                \
			      ",AmazonEC2,BoxUsage:p4d.24xlarge,covered by a reservation,i-03,us-east-1a,1,Hrs,p4d.24xlarge,21.957642,1yr," RI                                                                         \
			      ",13.5,,,,,,," SEP(T) "RIFee,9000," HOUR ",AmazonEC2,HeavyUsage:p4d.24xlarge,monthly fee,,,720,Hrs,p4d.24xlarge,0,3yr," RI ",,12.25,30.5,,,,," SEP(                                      \
				      T) "SavingsPlanCoveredUsage,21.957642," HOUR                                                                                                                                     \
					 ",AmazonEC2,BoxUsage:p4d.24xlarge,covered by a plan,i-04,us-east-1a,1,Hrs,p4d.24xlarge,"                                                                                      \
					 "21.957642,,,,,," SP                                                                                                                                                          \
					 ",15.1,,," SEP(T) "SavingsPlanNegation,-21.957642," HOUR ",AmazonEC2,BoxUsage:p4d.24xlarge,taken back,i-04,us-east-1a,1,Hrs,p4d.24xlarge,,,,,,," SP ",,,," SEP(               \
						 T) "SavingsPlanRecurringFee,20," HOUR                                                                                                                                 \
						    ",ComputeSavingsPlans,ComputeSP:1yrNoUpfront,fee of the hour,,,1,,,,,,,,," SP                                                                                      \
						    ",,20,15.1," SEP(T) "Usage,0.9," HOUR ",AmazonEC2,DataTransfer-Out-Bytes,\"$0.09 per GB - first 10 TB / month data transfer out\",i-01,,10,GB,,0.9,,,,,,,,,," SEP( \
							    T) "Usage,0.2," HOUR                                                                                                                                       \
							       ",AmazonEC2,DataTransfer-Regional-Bytes,regional data transfer - in/out/between EC2 AZs,i-01,,20,GB,,0.2,,,,,,,,,," SEP(                                \
								       T) "Usage,5," HOUR                                                                                                                              \
									  ",AmazonEC2,EBS:VolumeUsage.gp3,$0.08 per GB-month of General Purpose (gp3) provisioned storage,vol-1,,62.5,GB-Mo,,5,,,,,,,,,," SEP(         \
										  T) "Usage,2," HOUR                                                                                                                   \
										     ",AmazonS3,TimedStorage-ByteHrs,$0.023 per GB,bucket,,87,GB-Mo,,2,,,,,,,,,," SEP(                                                 \
											     T) "Tax,4," HOUR                                                                                                          \
												",AmazonEC2,,Tax for product code AmazonEC2,,,,,,,,,,,,,,,," SEP(                                                      \
													T) "Credit,-3," HOUR                                                                                           \
													   ",AmazonEC2,,promotional credit,,,,,,,,,,,,,,,," SEP(                                                       \
														   T) "Usage,0," HOUR                                                                                  \
														      ",AmazonEC2,EKS-EC2-GPU-Hours,pod,pod/x,,1,,,0,,,,,,,,,,i-01,2026-11-01T00:00:00Z," T            \
														      "\n"

static const struct bill_line *line(const struct got *g, size_t i)
{
	assert_true(i < g->bill.n);
	return &g->bill.v[i];
}

static void check_lines(const struct got *g)
{
	assert_int_equal(g->report.rows_read, 14);
	assert_int_equal(g->report.rows_kept, 13);
	assert_int_equal(g->report.rows_skipped, 1);
	assert_int_equal(g->bill.n, 15); /* RIFee and the plan's fee are two lines each */
	/* on demand, spot, reserved, plan */
	assert_sv(line(g, 0)->purchase, "on_demand");
	assert_sv(line(g, 0)->gpu_model, "A100-SXM4-40GB");
	assert_int_equal(line(g, 0)->gpu_milli, 8000);
	assert_sv(line(g, 0)->region, "us-east-1");
	assert_sv(line(g, 1)->purchase, "spot");
	assert_sv(line(g, 1)->region, "us-west-2");
	assert_sv(line(g, 2)->purchase, "reserved_1y");
	assert_string_equal(dec_z(line(g, 2)->cost[BASIS_EFFECTIVE]), "13.5");
	/* the fee, then what nobody used of it */
	assert_int_equal(line(g, 3)->kind, KIND_OTHER);
	assert_string_equal(dec_z(line(g, 3)->cost[BASIS_BILLED]), "9000");
	assert_string_equal(dec_z(line(g, 3)->cost[BASIS_EFFECTIVE]), "0");
	assert_int_equal(line(g, 4)->kind, KIND_COMMITMENT_UNUSED);
	assert_int_equal(line(g, 4)->gpu_milli, 0);
	assert_sv(line(g, 4)->gpu_model, "A100-SXM4-40GB");
	assert_sv(line(g, 4)->purchase, "reserved_3y");
	assert_string_equal(dec_z(line(g, 4)->cost[BASIS_BILLED]), "0");
	assert_string_equal(dec_z(line(g, 4)->cost[BASIS_EFFECTIVE]), "42.75");
	assert_sv(line(g, 5)->purchase, "savings_plan");
	assert_string_equal(dec_z(line(g, 5)->cost[BASIS_EFFECTIVE]), "15.1");
	assert_string_equal(dec_z(line(g, 6)->cost[BASIS_EFFECTIVE]), "0");
	assert_true(line(g, 5)->has_quantity);
	assert_false(line(g, 6)->has_quantity); /* the hour is counted once */
	assert_int_equal(line(g, 8)->kind, KIND_COMMITMENT_UNUSED);
	assert_string_equal(dec_z(line(g, 8)->cost[BASIS_EFFECTIVE]), "4.9");
	static const enum kind kinds[] = { KIND_EGRESS,  KIND_CROSS_ZONE, KIND_STORAGE,
					   KIND_STORAGE, KIND_OTHER,      KIND_OTHER };
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(line(g, 9 + i)->kind, kinds[i]);
	/* what the invoice says; and the plan as it was used:
	 * 21.957642+8.1+13.5+42.75+15.1+4.9+0.9+0.2+5+2+4-3 */
	assert_string_equal(got_sum(g, "BilledCost"), "9059.157642");
	assert_string_equal(got_sum(g, "EffectiveCost"), "115.407642");
	assert_sv(line(g, 0)->tags, "{\"aws:createdBy\":\"x\",\"team\":\"nlp\"}");
	assert_int_equal(line(g, 0)->period_from_ms, 1793491200000);
}

static void the_2_0_columns_are_read(void **state)
{
	struct got g = { 0 };

	got_text(
		&g,
		HEAD20 ROWS("\"{\"\"user_team\"\":\"\"nlp\"\",\"\"aws:createdBy\"\":\"\"x\"\"}\""));
	got_ok(&g);
	assert_string_equal(g.report.kind, "aws-cur");
	check_lines(&g);
	got_free(&g);
}

static void the_legacy_columns_give_the_same(void **state)
{
	struct got g = { 0 };

	got_text(&g, HEADLEGACY ROWS("nlp,x"));
	got_ok(&g);
	assert_string_equal(g.report.kind, "aws-cur");
	check_lines(&g);
	got_free(&g);
}

static void shares_of_pods_are_named_as_skipped(void **state)
{
	struct got g = { 0 };

	got_text(&g, HEADLEGACY ROWS("nlp,x"));
	got_ok(&g);
	assert_string_equal(g.report.skipped.v[0].key, "pod/x");
	assert_int_equal(g.report.skipped.v[0].line, 15);
	got_free(&g);
}

static void columns_that_are_missing_are_named(void **state)
{
	struct got g = { 0 };

	got_text(
		&g,
		"lineItem/LineItemType,lineItem/UnblendedCost,lineItem/UsageStartDate\nUsage,1,2026-11-01T00:00:00Z\n");
	assert_true(g.rc < 0);
	assert_non_null(strstr(g.err.msg, "line_item_currency_code"));
	got_free(&g);
}

static void tags_with_quotes_stay_json(void **state)
{
	struct got g = { 0 };

	got_text(&g, HEADLEGACY
		 "Usage,1," HOUR
		 ",AmazonEC2,X,,,,,,,,,,,,,,,,,,2026-11-01T00:00:00Z,\"a \"\"b\"\" \\ c\",\n");
	got_ok(&g);
	assert_sv(g.bill.v[0].tags, "{\"team\":\"a \\\"b\\\" \\\\ c\"}");
	got_free(&g);
}

/* A local zone is in the region that its name begins with. */
static void zones_are_in_regions(void **state)
{
	static const char *const zone[][2] = {
		{ "us-east-1a", "us-east-1" },
		{ "us-east-1-bos-1a", "us-east-1" },
		{ "us-west-2-lax-1", "us-west-2" },
		{ "us-gov-west-1b", "us-gov-west-1" },
		{ "us-east-1-wl1-nyc-wlz-1", "us-east-1" },
		{ "ap-southeast-2", "ap-southeast-2" },
		{ "elsewhere", "elsewhere" },
	};

	for (size_t i = 0; i < sizeof zone / sizeof *zone; i++) {
		struct got g = { 0 };
		char text[4096];

		snprintf(
			text, sizeof text,
			"%sUsage,1,%s,AmazonEC2,X,,i-1,%s,1,Hrs,p4d.24xlarge,,,,,,,,,,,,2026-11-01T00:00:00Z,,\n",
			HEADLEGACY, HOUR, zone[i][0]);
		got_text(&g, text);
		got_ok(&g);
		assert_sv(g.bill.v[0].region, zone[i][1]);
		assert_sv(g.bill.v[0].zone, zone[i][0]);
		got_free(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_2_0_columns_are_read),
		cmocka_unit_test(the_legacy_columns_give_the_same),
		cmocka_unit_test(shares_of_pods_are_named_as_skipped),
		cmocka_unit_test(columns_that_are_missing_are_named),
		cmocka_unit_test(tags_with_quotes_stay_json),
		cmocka_unit_test(zones_are_in_regions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
