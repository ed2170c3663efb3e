/* The customer's own rates: learned from what is paid, used for machines that are not there yet, in
 * another currency too. */
#include "fleet_fix.h"

#include "catalog/family.h"
#include "ledger/exchange.h"

static void is_family(const char *provider, const char *type, const char *model, const char *want)
{
	char got[FAMILY_BUF];

	assert_string_equal(machine_family(provider, type, model, got), want);
}

static void families(void **state)
{
	(void)state;
	is_family("aws", "p4d.24xlarge", "A100-SXM4-40GB", "p4d");
	is_family("azure", "Standard_NC24ads_A100_v4", "", "NC_A100_v4");
	is_family("azure", "Standard_NC96ads_A100_v4", NULL, "NC_A100_v4");
	is_family("azure", "Standard_ND96isr_H100_v5", NULL, "ND_H100_v5");
	is_family("azure", "Standard_NC6", NULL, "NC");
	is_family("gcp", "a2-highgpu-8g", NULL, "a2-highgpu");
	is_family("gcp", "odd", NULL, "odd");
	is_family("lambda", "gpu_8x_h100", "H100-SXM5-80GB", "H100-SXM5-80GB");
	is_family("aws", "", "V100-SXM2-16GB", "V100-SXM2-16GB");
	is_family(NULL, NULL, NULL, "");
}

/* A fleet of p3.8xlarge that pays so much of the 3.06 $ of list, in a currency. */
static void open_paying(struct fix *x, double of_list, const char *currency)
{
	fix_open(x, 100);
	x->f.since_ms = x->f.data_from_ms = DAY0;
	x->f.currency = currency;
	fix_workload(x, WORKLOAD_JOB, "train", fix_node(x, "n1", "c", 0, 100), 4, 0, 100, 1);
	for (size_t i = 0; i < x->f.hour.n; i++)
		x->f.hour.v[i].nano = llround((double)x->f.hour.v[i].nano * of_list);
	for (size_t i = 0; i < x->f.workload.n; i++)
		x->f.workload.v[i].currency = currency;
	fix_done(x);
}

static void close_paying(struct fix *x)
{
	own_rates_free(&x->f.own_rates);
	fix_close(x);
}

static bool rate_of(const struct fix *x, const char *type, const char *purchase, struct rate *ret)
{
	const struct price_ask q = { .catalog = x->cat,
				     .fleet = &x->f,
				     .provider = "aws",
				     .region = "us-east-1",
				     .instance_type = type,
				     .purchase = purchase,
				     .at_ms = FIX_NOW };

	return fleet_rate(&q, ret);
}

static void contract(void **state)
{
	struct fix x;
	struct rate r;

	(void)state;
	open_paying(&x, 0.7, "USD");
	own_rates_learn(&x.f, x.cat, &x.mem, &x.f.own_rates);
	assert_int_equal(x.f.own_rates.v.n, 1);
	const struct own_rate *o = own_rates_find(&x.f.own_rates, "aws", "p3", "USD");
	assert_true(o && fabs(o->factor - 0.7) < 1e-6 && o->gpu_hours == 400);
	assert_int_equal(o->basis, OWN_RATE_CATALOG);
	assert_null(own_rates_find(&x.f.own_rates, "aws", "p4d", "USD"));
	assert_null(own_rates_find(&x.f.own_rates, "aws", "p3", "EUR"));
	/* of its family: what it pays of list; of another one: list, and it says so */
	assert_true(rate_of(&x, "p3.2xlarge", "on_demand", &r));
	assert_true(r.basis == RATE_CONTRACT && llabs(r.nano_gpu_hour - 2142000000) < 10);
	assert_true(rate_of(&x, "g4dn.xlarge", "on_demand", &r));
	assert_true(r.basis == RATE_LIST && r.nano_gpu_hour == 526000000);
	/* a market knows no contract */
	assert_true(rate_of(&x, "p3.2xlarge", "spot", &r));
	assert_true(r.basis == RATE_MARKET && r.factor == 1);
	close_paying(&x);
}

/* The bill's own list prices win over the catalogue's; what the catalogue priced says nothing. */
static void of_the_bill(void **state)
{
	struct fix x;

	(void)state;
	open_paying(&x, 0.7, "USD");
	x.f.workload.v[0].paid_nano = 700;
	x.f.workload.v[0].list_nano = 1400;
	own_rates_learn(&x.f, x.cat, &x.mem, &x.f.own_rates);
	const struct own_rate *o = own_rates_find(&x.f.own_rates, "aws", "p3", "USD");
	assert_true(o && o->factor == 0.5 && o->basis == OWN_RATE_BILL);
	own_rates_free(&x.f.own_rates);
	x.f.workload.v[0].catalog_ms = 1;
	own_rates_learn(&x.f, x.cat, &x.mem, &x.f.own_rates);
	assert_int_equal(x.f.own_rates.v.n, 0);
	x.f.workload.v[0].catalog_ms = 0;
	/* credits paid for most of it: no contract, and the catalogue's ratio stands */
	x.f.workload.v[0].paid_nano = 70;
	own_rates_learn(&x.f, x.cat, &x.mem, &x.f.own_rates);
	o = own_rates_find(&x.f.own_rates, "aws", "p3", "USD");
	assert_true(o && o->basis == OWN_RATE_CATALOG);
	own_rates_free(&x.f.own_rates);
	x.f.workload.v[0].purchase = "savings_plan";
	own_rates_learn(&x.f, x.cat, &x.mem, &x.f.own_rates);
	assert_int_equal(x.f.own_rates.v.n, 0);
	close_paying(&x);
}

static void other_currency(void **state)
{
	struct exchange_rate day = { SV("USD"), SV("EUR"), FIX_NOW - MS_DAY, DEC_ONE * 9 / 10 };
	struct fix x;
	struct rate r;

	(void)state;
	open_paying(&x, 0.63, "EUR"); /* 0.7 of list at 0.9 EUR a dollar */
	own_rates_learn(&x.f, x.cat, &x.mem, &x.f.own_rates);
	assert_true(rate_of(&x, "p3.2xlarge", "on_demand", &r));
	assert_true(r.basis == RATE_CONTRACT && llabs(r.nano_gpu_hour - 1927800000) < 10);
	assert_string_equal(r.price_currency, "USD");
	/* without a rate nothing is known of what it does not pay for */
	assert_false(rate_of(&x, "g4dn.xlarge", "on_demand", &r));
	assert_false(rate_of(&x, "p3.2xlarge", "spot", &r));
	exchange_take(&x.f.exchange, &day, 1);
	assert_true(rate_of(&x, "g4dn.xlarge", "on_demand", &r));
	assert_true(r.basis == RATE_LIST && llabs(r.nano_gpu_hour - 473400000) < 10);
	assert_true(rate_of(&x, "p3.2xlarge", "on_demand", &r));
	assert_true(llabs(r.nano_gpu_hour - 1927800000) <
		    10); /* the contract has the exchange in it */
	close_paying(&x);
}

/* A price file of the customer's is neither scaled nor learned from. */
static void own_file(void **state)
{
	struct price p = { .provider = SV("aws"),
			   .region = SV("us-east-1"),
			   .instance_type = SV("p3.2xlarge"),
			   .purchase = SV("on_demand"),
			   .currency = SV("USD"),
			   .source = SV("contract.csv"),
			   .hour = DEC_ONE * 2,
			   .from_ms = DAY0,
			   .to_ms = UNKNOWN_MS,
			   .interruption_lo_pct = -1,
			   .interruption_hi_pct = -1 };
	struct err err = { 0 };
	struct fix x;
	struct rate r;

	(void)state;
	open_paying(&x, 0.7, "USD");
	if (catalog_add_price(x.cat, &p, &err) < 0)
		fail_msg("%s", err.msg);
	own_rates_learn(&x.f, x.cat, &x.mem, &x.f.own_rates);
	assert_true(rate_of(&x, "p3.2xlarge", "on_demand", &r));
	assert_true(r.basis == RATE_YOURS && r.nano_gpu_hour == 2000000000);
	close_paying(&x);
}

static struct price_row offer(const char *purchase, const char *term, const char *currency,
			      bool own)
{
	return (struct price_row){ .provider = "aws",
				   .region = "us-east-1",
				   .instance_type = "p3.2xlarge",
				   .purchase = purchase,
				   .term = term,
				   .currency = currency,
				   .gpu_milli = 1000,
				   .gpu_hour = DEC_ONE,
				   .from_ms = DAY0,
				   .to_ms = UNKNOWN_MS,
				   .own = own };
}

/* An own price in euros stands before lists in dollars, and not only before those in euros. */
static void own_before_lists(void **state)
{
	struct fleet f = { .currency = "EUR" };
	struct price_row all[] = {
		offer("reserved_1y", "no upfront", "USD", false), /* dropped */
		offer("reserved_1y", NULL, "EUR", true),
		offer("reserved_1y", "all upfront", "USD", false), /* dropped: own of any term */
		offer("reserved_3y", "no upfront", "USD", false),
		offer("savings_plan", "1y", "GBP", true), /* nobody knows what it is in euros */
		offer("savings_plan", "1y", "USD", false),
		offer("committed_1y", "1y", "EUR", true),
		offer("committed_1y", "6m", "USD", false), /* another term */
		offer("reserved_1y", "no upfront", "USD", false),
	};
	static const size_t kept[] = { 1, 3, 4, 5, 6, 7, 8 };
	struct price_row row[COUNT(all)];

	(void)state;
	all[8].region = "eu-west-1";
	memcpy(row, all, sizeof row);
	assert_int_equal(fleet_rates_yours(&f, row, COUNT(row), FIX_NOW), COUNT(kept));
	for (size_t i = 0; i < COUNT(kept); i++) {
		const struct price_row *want = &all[kept[i]];
		assert_ptr_equal(row[i].region, want->region);
		assert_ptr_equal(row[i].purchase, want->purchase);
		assert_ptr_equal(row[i].term, want->term);
		assert_ptr_equal(row[i].currency, want->currency);
		assert_int_equal(row[i].own, want->own);
	}
	assert_int_equal(fleet_rates_yours(&f, row, 0, FIX_NOW), 0);
}

/* The settings are in dollars. */
static void dollars_of_the_settings(void **state)
{
	struct exchange_rate day = { SV("USD"), SV("JPY"), FIX_NOW - MS_DAY, DEC_ONE * 150 };
	struct fleet f = { .currency = "USD" };

	(void)state;
	assert_true(fleet_usd(&f, FIX_NOW) == 1);
	f.currency = "JPY";
	assert_true(isnan(fleet_usd(&f, FIX_NOW)));
	exchange_take(&f.exchange, &day, 1);
	assert_true(fleet_usd(&f, FIX_NOW) == 150);
	assert_true(isnan(fleet_usd(&f, FIX_NOW - 2 * MS_DAY)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(families),         cmocka_unit_test(contract),
		cmocka_unit_test(of_the_bill),      cmocka_unit_test(other_currency),
		cmocka_unit_test(own_file),         cmocka_unit_test(dollars_of_the_settings),
		cmocka_unit_test(own_before_lists),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
