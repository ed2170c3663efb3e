/* The classifier: what a line of a bill is, from the words that providers print. */
#include "bills.h"
#include "feed/bill/bill.h"
#include "base/jscan.h"

static const struct {
	const char *provider, *category, *service, *usage, *description, *pricing, *commit_type,
		*details, *term;
	enum kind kind;
	const char *model, *purchase;
	int64_t milli;
} lines[] = {
	{ "aws", "Compute", "Amazon Elastic Compute Cloud", "",
	  "$1.624 per On Demand Linux g5.4xlarge Instance Hour", "Standard", "", "", "", KIND_GPU,
	  "A10G", "on_demand", 1000 },
	{ "aws", "Compute", "Amazon Elastic Compute Cloud", "USW2-BoxUsage:p3.8xlarge", "",
	  "Standard", "", "", "", KIND_GPU, "V100-SXM2-16GB", "on_demand", 4000 },
	{ "aws", "Compute", "Amazon Elastic Compute Cloud", "USW2-SpotUsage:p3.8xlarge", "", "", "",
	  "", "", KIND_GPU, "V100-SXM2-16GB", "spot", 4000 },
	{ "aws", "Compute", "Amazon Elastic Compute Cloud", "BoxUsage:p4d.24xlarge", "",
	  "Committed", "Compute Savings Plan", "", "", KIND_GPU, "A100-SXM4-40GB", "savings_plan",
	  8000 },
	{ "aws", "Compute", "Amazon Elastic Compute Cloud", "BoxUsage:p4d.24xlarge", "",
	  "Committed", "Reserved", "", "", KIND_GPU, "A100-SXM4-40GB", "Reserved", 8000 },
	{ "aws", "Compute", "Amazon Elastic Compute Cloud", "BoxUsage:p4d.24xlarge", "",
	  "Committed", "Reserved", "", "3yr", KIND_GPU, "A100-SXM4-40GB", "reserved_3y", 8000 },
	{ "aws", "Compute", "Amazon Elastic Compute Cloud", "EBSOptimized:p3.8xlarge", "",
	  "Standard", "", "", "", KIND_OTHER, "", "on_demand", 0 },
	{ "aws", "AI and Machine Learning", "Amazon SageMaker", "USE1-Train:ml.p3.8xlarge", "",
	  "Standard", "", "{\"InstanceType\":\"ml.p3.8xlarge\"}", "", KIND_GPU, "V100-SXM2-16GB",
	  "on_demand", 4000 },
	{ "aws", "Compute", "Amazon Elastic Compute Cloud", "BoxUsage:m5.large",
	  "$0.096 per On Demand Linux m5.large Instance Hour", "Standard", "", "", "", KIND_OTHER,
	  "", "on_demand", 0 },
	{ "aws", "Networking", "Amazon Elastic Compute Cloud", "USE1-USW2-AWS-Out-Bytes", "",
	  "Standard", "", "", "", KIND_EGRESS, "", "on_demand", 0 },
	{ "aws", "Networking", "Amazon Elastic Compute Cloud", "",
	  "$0.010 per GB - regional data transfer - in/out/between EC2 AZs or using elastic IPs or ELB",
	  "Standard", "", "", "", KIND_CROSS_ZONE, "", "on_demand", 0 },
	{ "aws", "Networking", "Amazon Elastic Compute Cloud", "",
	  "$0.000 per GB - data transfer in per month", "Standard", "", "", "", KIND_NETWORK, "",
	  "on_demand", 0 },
	{ "aws", "Networking", "Amazon Virtual Private Cloud", "NatGateway-Bytes", "", "Standard",
	  "", "", "", KIND_NETWORK, "", "on_demand", 0 },
	{ "aws", "Storage", "Amazon Simple Storage Service", "",
	  "$0.004 per 10,000 GET and all other requests", "Standard", "", "", "", KIND_STORAGE, "",
	  "on_demand", 0 },
	{ "aws", "Other", "Red Hat OpenShift", "",
	  "AWS Marketplace hourly software usage|us-east-1|p3.8xlarge", "Standard", "", "", "",
	  KIND_LICENCE, "", "on_demand", 0 },
	{ "azure", "Compute", "Virtual Machines", "ND96isr H100 v5", "", "Standard", "", "", "",
	  KIND_GPU, "H100-SXM5-80GB", "on_demand", 8000 },
	{ "azure", "Compute", "Virtual Machines", "x", "", "Dynamic", "",
	  "{\"ServiceType\":\"Standard_ND96isr_H100_v5\"}", "", KIND_GPU, "H100-SXM5-80GB", "spot",
	  8000 },
	{ "azure", "Analytics", "Azure Databricks", "x", "", "Standard", "",
	  "{\"ServiceType\":\"DataAnalysis\"}", "", KIND_OTHER, "", "on_demand", 0 },
	{ "gcp", "Compute", "Compute Engine",
	  "Nvidia H100 80GB GPU attached to Spot Preemptible VMs running in Iowa", "", "", "", "",
	  "", KIND_GPU, "H100-SXM5-80GB", "spot", 1000 },
	{ "somecloud", "Compute", "VMs", "", "", "Standard", "",
	  "{\"InstanceType\":\"gpu-9\",\"GpuCount\":4}", "", KIND_GPU, "", "on_demand", 4000 },
	{ "somecloud", "Compute", "VMs", "", "8x NVIDIA H100 SXM, 128 vCPU", "Standard", "", "", "",
	  KIND_GPU, "H100-SXM5-80GB", "on_demand", 8000 },
	{ "somecloud", "Compute", "VMs", "gpu-l40s.2gpu", "", "Standard", "", "", "", KIND_GPU,
	  "L40S", "on_demand", 2000 },
	{ "somecloud", "Compute", "VMs", "", "", "Standard", "",
	  "{\"InstanceType\":\"gpu_8x_h100_sxm5\"}", "", KIND_GPU, "H100-SXM5-80GB", "on_demand",
	  8000 },
	{ "somecloud", "Compute", "VMs", "", "", "Standard", "",
	  "{\"InstanceType\":\"gpu-h100x8-80gb\"}", "", KIND_GPU, "H100-SXM5-80GB", "on_demand",
	  8000 },
	{ "somecloud", "Compute", "VMs", "", "", "Standard", "", "{\"InstanceType\":\"8xh100\"}",
	  "", KIND_GPU, "H100-SXM5-80GB", "on_demand", 8000 },
	{ "somecloud", "Compute", "VMs", "", "", "Standard", "",
	  "{\"InstanceType\":\"BM.GPU.A10.4\"}", "", KIND_GPU, "A10", "on_demand", 4000 },
	{ "somecloud", "Compute", "VMs", "", "", "Standard", "",
	  "{\"InstanceType\":\"H100-2-80G\"}", "", KIND_GPU, "H100-SXM5-80GB", "on_demand", 2000 },
	{ "somecloud", "Compute", "VMs", "", "", "Standard", "",
	  "{\"InstanceType\":\"VM.Standard.E4.Flex\"}", "", KIND_OTHER, "", "on_demand", 0 },
	{ "somecloud", "Compute", "VMs", "", "", "Standard", "",
	  "{\"InstanceType\":\"m\",\"GpuCount\":4,\"GpuModel\":\"NVIDIA A100 80GB PCIe\"}", "",
	  KIND_GPU, "A100-PCIE-80GB", "on_demand", 4000 },
	{ "somecloud", "Compute", "VMs", "", "", "Standard", "", "{\"InstanceType\":\"h100\"}", "",
	  KIND_OTHER, "", "on_demand", 0 },
	{ "somecloud", "Compute", "VMs", "", "2x AMD EPYC, 8x H100 SXM5, 4x 3.84TB NVMe",
	  "Standard", "", "", "", KIND_GPU, "H100-SXM5-80GB", "on_demand", 8000 },
	{ "somecloud", "Compute", "VMs", "", "NVIDIA L40S with 4 GPUs", "Standard", "", "", "",
	  KIND_GPU, "L40S", "on_demand", 4000 },
	{ "somecloud", "Compute", "VMs", "h100-80gb-sxm-ib.8x", "", "Standard", "", "", "",
	  KIND_GPU, "H100-SXM5-80GB", "on_demand", 8000 },
	{ "somecloud", "Compute", "VMs", "", "H100 machine, 4x 3.84TB NVMe", "Standard", "", "", "",
	  KIND_OTHER, "", "on_demand", 0 },
	{ "somecloud", "Compute", "VMs", "8gpu-128vcpu", "NVIDIA H100 SXM", "Standard", "", "", "",
	  KIND_GPU, "H100-SXM5-80GB", "on_demand", 8000 },
	{ "somecloud", "Compute", "VMs", "", "a GPU or so", "Standard", "", "", "", KIND_OTHER, "",
	  "on_demand", 0 },
	{ "somecloud", "Networking", "Transfer", "", "data egress to the internet", "Standard", "",
	  "", "", KIND_EGRESS, "", "on_demand", 0 },
};

static struct sv text(const char *z)
{
	return z[0] ? sv_of(z) : SV_NULL;
}

static void lines_are_what_their_words_say(void **state)
{
	struct bill_classifier *c;
	struct err err;

	assert_int_equal(bill_classifier_new(&c, &err), 0);
	for (int round = 0; round < 2; round++) /* the second time from memory */
		for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
			struct bill_line b = { .provider = text(lines[i].provider),
					       .service_category = text(lines[i].category),
					       .service_name = text(lines[i].service),
					       .usage_type = text(lines[i].usage),
					       .charge_description = text(lines[i].description),
					       .pricing_category = text(lines[i].pricing),
					       .commitment_type = text(lines[i].commit_type),
					       .charge_category = SV("Usage"),
					       .to_ms = MS_HOUR };
			struct bill_evidence e = { text(lines[i].details), text(lines[i].term) };
			bill_classify(c, &b, &e);
			if (b.kind != lines[i].kind || !sv_is(b.gpu_model, lines[i].model) ||
			    !sv_is(b.purchase, lines[i].purchase) || b.gpu_milli != lines[i].milli)
				fail_msg(
					"line %zu (%s %s%s): kind %s model %.*s purchase %.*s gpus %lld",
					i, lines[i].provider, lines[i].usage, lines[i].description,
					kind_name(b.kind), SVF(b.gpu_model), SVF(b.purchase),
					(long long)b.gpu_milli);
		}
	bill_classifier_free(c);
}

static void what_nobody_used_is_no_gpu_time(void **state)
{
	struct bill_classifier *c;
	struct err err;
	struct bill_line b = { .provider = SV("aws"),
			       .usage_type = SV("BoxUsage:p4d.24xlarge"),
			       .charge_category = SV("Usage"),
			       .commitment_status = SV("Unused"),
			       .pricing_category = SV("Committed") };

	assert_int_equal(bill_classifier_new(&c, &err), 0);
	bill_classify(c, &b, &(struct bill_evidence){ SV_NULL, SV_NULL });
	assert_int_equal(b.kind, KIND_COMMITMENT_UNUSED);
	assert_int_equal(b.gpu_milli, 0);
	assert_sv(b.gpu_model, "A100-SXM4-40GB");
	bill_classifier_free(c);
}

/* AWS writes the term of a reservation into the rate code only: SKU.TERM.RATE. */
static void rate_codes_tell_the_term(void **state)
{
	static const struct {
		const char *code, *purchase;
	} codes[] = { { "5UHZPYBRFF5CVE7E.6QCMYABX3D.6YS6EN2CT7", "reserved_1y" },
		      { "5UHZPYBRFF5CVE7E.NQ3QZPMQV9.6YS6EN2CT7", "reserved_3y" },
		      { "5UHZPYBRFF5CVE7E.JRTCKXETXF.6YS6EN2CT7", "Reserved" },
		      { "5UHZPYBRFF5CVE7E", "Reserved" } };
	struct bill_classifier *c;
	struct err err;

	assert_int_equal(bill_classifier_new(&c, &err), 0);
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		struct bill_line b = { .provider = SV("aws"),
				       .usage_type = SV("BoxUsage:p4d.24xlarge"),
				       .charge_category = SV("Usage"),
				       .commitment_type = SV("Reserved"),
				       .pricing_category = SV("Committed"),
				       .sku_price_id = sv_of(codes[i].code) };
		bill_classify(c, &b, &(struct bill_evidence){ SV_NULL, SV_NULL });
		assert_sv(b.purchase, codes[i].purchase);
	}
	bill_classifier_free(c);
}

static void more_kinds_of_lines_than_memory(void **state)
{
	struct bill_classifier *c;
	struct err err;
	char sku[32];

	assert_int_equal(bill_classifier_new(&c, &err), 0);
	for (int i = 0; i < 150000; i++) {
		struct bill_line b = { .provider = SV("aws"),
				       .usage_type = SV("BoxUsage:p4d.24xlarge"),
				       .charge_category = SV("Usage") };
		snprintf(sku, sizeof sku, "SKU-%d", i);
		b.sku_id = sv_of(sku);
		bill_classify(c, &b, &(struct bill_evidence){ SV_NULL, SV_NULL });
		assert_int_equal(b.gpu_milli, 8000);
		assert_sv(b.instance_type, "p4d.24xlarge");
	}
	bill_classifier_free(c);
}

static void providers_have_one_name(void **state)
{
	struct bill_classifier *c;
	struct err err;

	assert_int_equal(bill_classifier_new(&c, &err), 0);
	assert_sv(bill_provider(c, SV("Amazon Web Services, Inc.")), "aws");
	assert_sv(bill_provider(c, SV("AWS")), "aws");
	assert_sv(bill_provider(c, SV("AWS")), "aws");
	assert_sv(bill_provider(c, SV("Microsoft")), "azure");
	assert_sv(bill_provider(c, SV_NULL), "");
	bill_classifier_free(c);
}

/* By what a store keeps of a line: older versions kept such ones as GPU time. */
static void fees_of_commitments_are_told(void **state)
{
	static const struct {
		struct bill_line line;
		bool fee;
	} of[] = {
		{ { .charge_category = SV("Purchase"), .commitment_type = SV("Reservation") },
		  true },
		{ { .charge_category = SV("Purchase"), .commitment_id = SV("res-1") }, true },
		{ { .charge_category = SV("Purchase") }, false }, /* of a market place */
		{ { .charge_category = SV("Usage"), .commitment_id = SV("res-1") }, false },
		{ { .charge_category = SV("Adjustment"),
		    .usage_type = SV("HeavyUsage:p3.16xlarge") },
		  true },
		{ { .charge_category = SV("Adjustment"),
		    .usage_type = SV("HeavyUsage:p3.16xlarge"),
		    .resource_id = SV("i-1") },
		  false },
		/* takes back what a plan covers: of GPU time, as that is */
		{ { .charge_category = SV("Adjustment"), .commitment_type = SV("Savings Plan") },
		  false },
		{ { .charge_category = SV("Adjustment"),
		    .resource_id = SV("arn:aws:ec2:r:1:reserved-instances/a") },
		  true },
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		assert_int_equal(bill_is_fee(&of[i].line), of[i].fee);
}

static void json_is_checked_where_it_lies(void **state)
{
	static const char *const good[] = {
		"{}", " { \"a\" : [1, -2.5e3, true, null, {\"b\":\"\\u00e9\\n\"}] } ",
		"{\"a\":\"x,}y\"}"
	};
	static const char *const wrong[] = { "",
					     "{",
					     "[]",
					     "{\"a\"}",
					     "{\"a\":}",
					     "{\"a\":1,}",
					     "{a:1}",
					     "{\"a\":01}",
					     "{\"a\":1}x",
					     "{\"a\":\"\\q\"}",
					     "{\"a\":\"\\u12g4\"}",
					     "{\"a\":1.}",
					     "{\"a\":nul}",
					     "{'a':1}",
					     "{\"a\":\"" };
	char deep[200];

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(jscan_is_object(sv_of(good[i])));
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(jscan_is_object(sv_of(wrong[i])));
	memset(deep, '[', sizeof deep);
	memcpy(deep, "{\"a\":", 5);
	assert_false(jscan_is_object((struct sv){ deep, sizeof deep }));
	assert_sv(jscan_text(jscan_get(SV("{\"a\":{\"k\":1},\"k\":\"v\"}"), "K")), "v");
	assert_null(jscan_text(jscan_get(SV("{\"a\":null}"), "a")).p);
	assert_null(jscan_get(SV("not json"), "a").p);
	/* nobody unescapes a cell: a NUL in it does no harm, in a line of a table it would */
	assert_true(jscan_is_object(SV("{\"a\":\"\\u0000\"}")));
}

static void time_of_a_machine_needs_no_type(void **state)
{
	static const struct {
		const char *provider, *category, *service, *usage, *unit;
		bool compute;
	} of[] = {
		{ "aws", "", "", "", "", true },
		{ "aws", "Compute", "Amazon Elastic Compute Cloud", "", "Hours", true },
		{ "aws", "", "AmazonEC2", "USE1-BoxUsage", "Hrs", true },
		{ "aws", "", "AmazonEC2", "USE1-BoxUsage:p9z.48xlarge", "Hrs", true },
		{ "aws", "", "AmazonEC2", "USE1-SomethingElse", "", false },
		{ "aws", "", "AmazonEC2", "CW:MetricMonitorUsage", "Hrs", false },
		{ "aws", "", "AmazonEC2", "EBSOptimized:p3.8xlarge", "Hrs", false },
		{ "aws", "", "AmazonEC2", "CPUCredits:t3", "vCPU-Hours", false },
		{ "aws", "Management and Governance", "Amazon CloudWatch", "", "Hours", false },
		{ "aws", "Security", "Amazon GuardDuty", "", "Hours", false },
		{ "aws", "", "AWS Support", "", "", false },
		{ "azure", "Compute", "Virtual Machines", "m", "Hour", true },
		{ "azure", "", "Virtual Machines", "m", "Hour", true },
		{ "azure", "Security", "Microsoft Defender for Cloud", "Standard Node", "Hours",
		  false },
		{ "gcp", "", "Compute Engine", "A2 Instance Core running in Americas", "hour",
		  true },
		{ "gcp", "", "Compute Engine", "A2 Instance Ram running in Americas",
		  "gibibyte hour", true },
		{ "gcp", "", "Compute Engine", "SSD backed Local Storage", "gibibyte month", true },
		{ "other", "Compute", "GPU cloud", "", "GB", false },
		{ "other", "Compute", "GPU cloud", "", "GiBy.h", true },
		{ "other", "Compute", "GPU cloud", "", "Requests", false },
		{ "other", "Other", "GPU cloud", "", "Hours", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct bill_line b = { .kind = KIND_OTHER,
				       .provider = sv_of(of[i].provider),
				       .service_category = sv_of(of[i].category),
				       .service_name = sv_of(of[i].service),
				       .usage_type = sv_of(of[i].usage),
				       .unit = sv_of(of[i].unit) };
		if (bill_is_compute(&b) != of[i].compute)
			fail_msg("%s %s %s %s %s", of[i].provider, of[i].category, of[i].service,
				 of[i].usage, of[i].unit);
		b.kind = KIND_NETWORK;
		assert_false(bill_is_compute(&b));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_of_a_machine_needs_no_type),
		cmocka_unit_test(lines_are_what_their_words_say),
		cmocka_unit_test(what_nobody_used_is_no_gpu_time),
		cmocka_unit_test(rate_codes_tell_the_term),
		cmocka_unit_test(more_kinds_of_lines_than_memory),
		cmocka_unit_test(providers_have_one_name),
		cmocka_unit_test(fees_of_commitments_are_told),
		cmocka_unit_test(json_is_checked_where_it_lies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
