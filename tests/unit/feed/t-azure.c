/* Azure cost exports: every header variant the field has seen, then what the rows mean. */
#include "bills.h"

static const struct {
	const char *file, *billed, *date;
	int64_t rows;
	const char *currency;
} variants[] = {
	{ "headersets__BOM", "0", "2022-11-03", 1, "USD" },
	{ "headersets__Enterprise", "0", "2021-02-02", 1, "CAD" },
	{ "headersets__EnterpriseCamel", "0.012", "2021-02-02", 1, "USD" },
	{ "headersets__German", "0.075", "2021-02-02", 1, "USD" },
	{ "headersets__PayAsYouGo", "0.075", "2021-02-02", 1, "USD" },
	{ "headersets__YA", "0.075", "2021-02-02", 1, "USD" },
	{ "values__MissingBrackets", "4", "2021-02-01", 1, "USD" },
	{ "values__Template", "16.393506212225", NULL, 87, "USD" },
	{ "values__VirtualMachine", "4", "2021-02-01", 1, "USD" },
};

static void variant(struct got *g, const char *name)
{
	char path[200];

	snprintf(path, sizeof path, "bills_opencost/azure_billingexports__%s.csv", name);
	got_file(g, path);
	got_ok(g);
}

static void every_header_is_read(void **state)
{
	for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
		struct got g = { 0 };
		char day[TM_BUF];
		variant(&g, variants[i].file);
		assert_string_equal(g.report.kind, "azure-cost");
		assert_int_equal(g.report.rows_kept, variants[i].rows);
		assert_string_equal(got_sum(&g, "BilledCost"), variants[i].billed);
		assert_sv(g.bill.v[0].provider, "azure");
		assert_sv(g.bill.v[0].currency, variants[i].currency);
		if (variants[i].date)
			assert_string_equal(tm_format_date(day, g.bill.v[0].from_ms),
					    variants[i].date);
		got_free(&g);
	}
}

static void an_empty_cost_is_unknown(void **state)
{
	struct got g = { 0 };

	variant(&g, "headersets__BOM");
	assert_int_equal(got_unknown(&g, "BilledCost"), 1);
	assert_true(got_note(&g, "taken as USD"));
	got_free(&g);
}

static void german_headers_carry_the_name_in_brackets(void **state)
{
	struct got g = { 0 };

	variant(&g, "headersets__German");
	assert_sv(g.bill.v[0].service_name, "Load Balancer");
	assert_sv(g.bill.v[0].region, "eastus");
	assert_sv(g.bill.v[0].unit, "Hours");
	assert_string_equal(dec_z(g.bill.v[0].quantity), "3");
	assert_int_equal(g.bill.v[0].kind, KIND_NETWORK);
	got_free(&g);
}

static void braces_that_are_missing_are_put_back(void **state)
{
	struct got g = { 0 };

	variant(&g, "values__MissingBrackets");
	assert_sv(g.bill.v[0].instance_type, "Standard_DS2_v2");
	assert_true(sv_ihas(g.bill.v[0].tags, SV("\"resourceNameSuffix\":\"12345678\"")));
	assert_true(sv_ends(g.bill.v[0].tags, SV("}")));
	assert_true(sv_ends(
		g.bill.v[0].resource_id,
		SV("/virtualMachineScaleSets/aks-nodepool1-12345678-vmss/virtualMachines/0")));
	got_free(&g);
}

static void bandwidth_and_disks_have_their_kinds(void **state)
{
	struct got g = { 0 };
	size_t n[KIND_N] = { 0 };

	variant(&g, "values__Template");
	for (size_t i = 0; i < g.bill.n; i++)
		n[g.bill.v[i].kind]++;
	assert_int_equal(n[KIND_STORAGE], 42);
	/* bandwidth without a direction, load balancers, virtual networks */
	assert_int_equal(n[KIND_NETWORK], 35);
	assert_int_equal(n[KIND_OTHER], 10);
	got_free(&g);
}

static void a_covered_row_without_a_cost_has_no_effective_cost(void **state)
{
	struct got g = { 0 };

	variant(&g, "headersets__Enterprise");
	assert_true(g.bill.v[0].has_cost[BASIS_BILLED]);
	assert_false(g.bill.v[0].has_cost[BASIS_EFFECTIVE]);
	assert_sv(g.bill.v[0].purchase, "reserved_3y");
	assert_true(got_note(&g, "amortised export"));
	got_free(&g);
}

#define HEAD \
	"Date,CostInBillingCurrency,BillingCurrency,ChargeType,PricingModel,MeterCategory,MeterName,ResourceId,AdditionalInfo,Quantity,UnitOfMeasure,Term,ReservationId\n"
#define SIZE "\"{\"\"ServiceType\"\":\"\"Standard_ND96isr_H100_v5\"\"}\""

static void amortised_rows_spread_the_commitment(void **state)
{
	struct got g = { 0 };

	got_text(
		&g, HEAD
		"11/01/2026,98.32,USD,Usage,OnDemand,Virtual Machines,ND96isr H100 v5,/vm/a," SIZE
		",24,1 Hour,,\n"
		"11/01/2026,20,USD,Usage,Spot,Virtual Machines,ND96isr H100 v5 Spot,/vm/b," SIZE
		",24,1 Hour,,\n"
		"11/01/2026,60,USD,Usage,Reservation,Virtual Machines,ND96isr H100 v5,/vm/c," SIZE
		",24,1 Hour,36,r-1\n"
		"11/01/2026,7,USD,UnusedReservation,Reservation,Virtual Machines,ND96isr H100 v5,,,"
		"24,1 Hour,12,r-1\n"
		"11/01/2026,5000,USD,Purchase,Reservation,,,,,1,1,12,r-1\n"
		"11/01/2026,3,USD,Usage,OnDemand,Bandwidth,Standard Data Transfer Out,/vm/a,,50,1 GB,,\n"
		"11/01/2026,1,USD,Usage,OnDemand,Bandwidth,Inter-Availability Zone Data Transfer Out,/vm/a,,50,1 GB,,\n"
		"11/01/2026,2,USD,Usage,OnDemand,Virtual Machines Licenses,Windows Server,/vm/a," SIZE
		",1,1 Hour,,\n");
	got_ok(&g);
	const struct bill_line *b = g.bill.v;
	assert_int_equal(b[0].kind, KIND_GPU);
	assert_int_equal(b[0].gpu_milli, 8000);
	assert_sv(b[0].gpu_model, "H100-SXM5-80GB");
	assert_int_equal(b[0].to_ms - b[0].from_ms, MS_DAY);
	assert_sv(b[0].purchase, "on_demand");
	assert_sv(b[1].purchase, "spot");
	assert_sv(b[2].purchase, "reserved_3y");
	assert_false(b[2].has_cost[BASIS_BILLED]);
	assert_false(b[3].has_cost[BASIS_BILLED]);
	assert_string_equal(dec_z(b[2].cost[BASIS_EFFECTIVE]), "60");
	assert_int_equal(b[3].kind, KIND_COMMITMENT_UNUSED);
	assert_sv(b[3].purchase, "reserved_1y");
	assert_string_equal(dec_z(b[4].cost[BASIS_EFFECTIVE]), "0");
	assert_int_equal(b[5].kind, KIND_EGRESS);
	assert_int_equal(b[6].kind, KIND_CROSS_ZONE);
	assert_int_equal(b[7].kind, KIND_LICENCE);
	assert_string_equal(got_sum(&g, "BilledCost"), "5124.32");
	assert_string_equal(got_sum(&g, "EffectiveCost"), "191.32");
	got_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_header_is_read),
		cmocka_unit_test(an_empty_cost_is_unknown),
		cmocka_unit_test(german_headers_carry_the_name_in_brackets),
		cmocka_unit_test(braces_that_are_missing_are_put_back),
		cmocka_unit_test(bandwidth_and_disks_have_their_kinds),
		cmocka_unit_test(a_covered_row_without_a_cost_has_no_effective_cost),
		cmocka_unit_test(amortised_rows_spread_the_commitment),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
