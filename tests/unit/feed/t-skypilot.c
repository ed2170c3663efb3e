#include <errno.h>

#include "rows_fix.h"

#define HEAD \
	"InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone,Arch\n"
#define INFO "\"{'Gpus': [{'Name': 'L4', 'Count': 1.0}], 'TotalGpuMemoryInMiB': 24576}\""

static void prices(void **state)
{
	struct got g;

	got_text_named(&g, "catalogs/v7/aws/vms.csv", NULL,
		       HEAD "p5.48xlarge,H100,8.0,192.0,2048.0," INFO
			    ",55.04,20.5,us-east-1,use1-az1,x86_64\n"
			    "g6f.large,L4,0.125,2.0,8.0," INFO
			    ",0.2018,,us-east-1,use1-az2,x86_64\n"
			    "m5.large,,,2.0,8.0,,0.096,0.03,us-east-1,use1-az1,x86_64\n"
			    "TPU,tpu-v4-8,1.0,2.0,8.0,,3.2,1.0,us-central2,us-central2-b,\n"
			    "p9.x,B300,8,192,2048,,,,us-east-1,use1-az1,x86_64\n",
		       NULL, at("2026-11-01T00:00:00Z"), 0);
	assert_done(&g);
	assert_string_equal(g.report.kind, "skypilot");
	assert_int_equal(g.price.n, 3);
	assert_sv(g.price.v[0].provider, "aws");
	assert_sv(g.price.v[0].instance_type, "p5.48xlarge");
	assert_sv(g.price.v[0].gpu_model, "H100");
	assert_sv(g.price.v[0].purchase, "on_demand");
	assert_sv(g.price.v[0].zone, "use1-az1");
	assert_int_equal(g.price.v[0].gpu_milli, 8000);
	assert_true(g.price.v[0].hour == DEC_ONE * 5504 / 100);
	assert_int_equal(g.price.v[0].from_ms, at("2026-11-01T00:00:00Z"));
	assert_int_equal(g.price.v[0].interruption_lo_pct, -1);
	assert_sv(g.price.v[1].purchase, "spot");
	assert_true(g.price.v[1].hour == DEC_ONE * 205 / 10);
	assert_int_equal(g.price.v[2].gpu_milli, 125);
	assert_int_equal(g.report.rows_skipped, 3);
	assert_int_equal(g.report.skipped.n, 1);
	assert_string_equal(g.report.skipped.v[0].key, "p9.x");
	assert_true(noted(&g, "2 instance types without a GPU"));
	got_free(&g);
}

static void provider_must_be_known(void **state)
{
	struct got g;

	got_text_named(&g, "vms.csv", NULL, HEAD "a,L4,1,2,8,,1,,r,z,x\n", NULL, UNKNOWN_MS, 0);
	assert_int_equal(g.rc, -EINVAL);
	assert_non_null(strstr(g.err.hint, "provider"));
	got_free(&g);

	got_text_named(&g, "vms.csv", NULL, HEAD "a,L4,1,2,8,,1,,r,z,x\n", SETS("provider=gcp"),
		       UNKNOWN_MS, 0);
	assert_done(&g);
	assert_sv(g.price.v[0].provider, "gcp");
	assert_int_equal(g.price.v[0].from_ms, 1795000000000); /* now, and said so */
	assert_true(noted(&g, "no dates"));
	got_free(&g);
}

static void bad_rows(void **state)
{
	struct got g;

	got_text_named(
		&g, "x/aws/vms.csv", NULL,
		HEAD "a,L4,one,2,8,,1,,r,z,x\nb,L4,1,2,8,,\"1,5\",,r,z,x\nc,L4,1,2,8,,1,-2,r,z,x\n",
		NULL, UNKNOWN_MS, 3);
	assert_done(&g);
	assert_int_equal(g.report.rows_rejected, 3);
	assert_string_equal(g.report.rejects.v[0].field, "AcceleratorCount");
	assert_string_equal(g.report.rejects.v[1].field, "Price");
	assert_int_equal(g.price.n, 0);
	got_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(prices),
					    cmocka_unit_test(provider_must_be_known),
					    cmocka_unit_test(bad_rows) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
