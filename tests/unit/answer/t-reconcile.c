/* Where bill, node records and catalogue disagree; amounts of two currencies are never added. */
#include "asked.h"

#include "answer/reconcile.h"

#define HEAD                                                                          \
	"BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd," \
	"ChargeCategory,ResourceId,ServiceName,ProviderName,RegionId,"                \
	"x_InstanceType,SkuMeter\n"
#define LINE(amount, currency, day, resource)                                                 \
	amount "," amount "," currency "," day "T00:00:00Z," day "T01:00:00Z,Usage," resource \
	       ",EC2,AWS,us-east-1,p3.2xlarge,BoxUsage:p3.2xlarge\n"

static int two_currencies(void **state)
{
	static const struct asked_file file[] = {
		{ "bill.csv",
		  HEAD LINE("10", "USD", "2024-09-01", "i-1") LINE("10", "EUR", "2024-09-01", "i-1")
			  LINE("5", "EUR", "2024-09-02", "i-1")
				  LINE("3.06", "USD", "2024-09-02", "i-2") },
		{ "nodes.csv",
		  "node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,"
		  "resource_id\n"
		  "n2,aws,us-east-1,p3.2xlarge,V100-SXM2-16GB,1,on_demand,"
		  "2024-09-02T00:00:00Z,2024-09-02T01:00:00Z,i-2\n"
		  "n3,aws,us-east-1,p3.2xlarge,V100-SXM2-16GB,1,on_demand,"
		  "2024-09-02T00:00:00Z,2024-09-02T01:00:00Z,\n" }
	};

	(void)state;
	return asked_open("version: 1\n", sizeof file / sizeof *file, file);
}

static void lists(void **state)
{
	struct reconcile r;
	struct err err = { 0 };

	(void)state;
	fine(answer_reconcile(&asked.ask, &r, &err), &err);
	assert_int_equal(r.nbill, 2);
	assert_string_equal(r.bill[0].currency, "EUR");
	assert_true(r.bill[0].billed == D("15"));
	assert_string_equal(r.bill[1].currency, "USD");
	assert_true(r.bill[1].effective == D("13.06"));
	assert_int_equal(r.nbill_only, 2); /* i-1, in each of its currencies */
	assert_string_equal(r.bill_only[0].name, "i-1");
	assert_string_equal(r.bill_only[0].currency, "EUR");
	assert_true(r.bill_only[0].effective == D("15"));
	assert_true(r.bill_only[1].effective == D("10"));
	assert_int_equal(r.nnode_only, 1);
	assert_string_equal(r.node_only[0].name, "n3");
	assert_null(r.node_only[0].currency);
	assert_false(r.node_only[0].has_effective);
	assert_int_equal(r.nday, 4);
	assert_string_equal(r.day[3].resource, "i-2");
	assert_true(r.day[3].has_catalogue);
	assert_true(r.day[3].catalogue == D("3.06"));
	assert_false(r.day[0].has_catalogue); /* the catalogue's prices are in dollars */
}

static void only_the_window(void **state)
{
	struct ask q = asked.ask;
	struct reconcile r;
	struct err err = { 0 };

	(void)state;
	q.since_ms = 1725235200000; /* 2024-09-02 */
	fine(answer_reconcile(&q, &r, &err), &err);
	assert_int_equal(r.nbill_only, 1);
	assert_true(r.bill_only[0].effective == D("5"));
	assert_int_equal(r.nday, 2);
	q.since_ms = T0;
	fine(answer_reconcile(&q, &r, &err), &err);
	assert_int_equal(r.nbill, 0);
	assert_int_equal(r.nday, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(lists),
					    cmocka_unit_test(only_the_window) };
	return cmocka_run_group_tests(tests, two_currencies, asked_close);
}
