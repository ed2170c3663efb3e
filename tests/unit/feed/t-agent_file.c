/* What an agent exported: minutes become samples that carry what the states say and what is known
 * of the device. */
#include <errno.h>

#include "rows_fix.h"

#define HEAD                                                                \
	"{\"schema\":\"tare.agent/1\",\"agent_id\":\"a\",\"node\":\"n\"}\n" \
	"{\"type\":\"node\",\"node\":\"n\",\"gpu_ids\":[\"G0\"],\"gpus\":1,\"from\":\"2026-11-20T00:00:00Z\",\"to\":\"2026-11-20T00:01:00Z\"}\n"
#define MINUTE \
	"{\"type\":\"minute\",\"gpu\":\"G0\",\"from\":\"2026-11-20T00:00:00Z\",\"to\":\"2026-11-20T00:01:00Z\","
#define METRICS                                                                                                               \
	"\"metrics\":{\"temp_celsius\":[60,80,90,5100],\"occupancy_frac\":[4,0.2,0.4,1.2],\"pcie_rx_bytes_s\":[2,0,100,100]," \
	"\"xid\":[60,0,79,79],\"ecc_uncorrected\":[60,3,5,200],\"throttle_bits\":[60,8,8,480],\"proc_count\":[60,1,1,60],"    \
	"\"mem_total_bytes\":[60,100,100,6000],\"sm_clock_mhz\":[0,0,0,0],\"gpu_util_pct\":[60,0,100,3000]}"

static const double *value(const struct got *g, size_t i)
{
	return g->sample.v[i].v.value;
}

static void of_the_gpu(const double *v)
{
	assert_true(v[METRIC_TEMP_CELSIUS] == 85);
	assert_true(v[METRIC_XID] == 79); /* the worst */
	assert_true(v[METRIC_ECC_UNCORRECTED] == 5);
	assert_true(v[METRIC_THROTTLE_BITS] == 8);
	assert_true(v[METRIC_MEM_TOTAL_BYTES] == 100);
	assert_true(isnan(v[METRIC_SM_CLOCK_MHZ])); /* no reading is no mean */
}

static void one_owner(void **state)
{
	struct got g;
	got_text(
		&g, "agent",
		HEAD MINUTE
		"\"uses\":[{\"allocation\":\"a-1\",\"job_id\":\"7\",\"share_frac\":1,\"states\":["
		"{\"state\":\"busy\",\"ms\":45000,\"gpu_util_pct\":66,\"power_w\":300},{\"state\":\"idle_held\",\"ms\":15000,\"gpu_util_pct\":0}]}]," METRICS
		"}\n",
		NULL);
	assert_int_equal(g.rc, 0);
	assert_int_equal(g.sample.n, 2);
	for (size_t i = 0; i < 2; i++) {
		of_the_gpu(value(&g, i));
		assert_true(fabs(value(&g, i)[METRIC_OCCUPANCY_FRAC] - 0.3) < 1e-12);
		assert_true(value(&g, i)[METRIC_PCIE_RX_BYTES_S] == 50);
		assert_true(value(&g, i)[METRIC_PROC_COUNT] == 1);
	}
	/* the state's own, not the minute's 50 */
	assert_true(value(&g, 0)[METRIC_GPU_UTIL_PCT] == 66 &&
		    value(&g, 1)[METRIC_GPU_UTIL_PCT] == 0);
	assert_true(g.sample.v[0].v.step_ms == 45000 &&
		    g.sample.v[1].v.t_ms == g.sample.v[0].v.t_ms + 45000);
	assert_true(isnan(value(&g, 1)[METRIC_POWER_W]));
	got_free(&g);
}

static void several_owners(void **state)
{
	struct got g;
	got_text(
		&g, "agent",
		HEAD MINUTE
		"\"uses\":[{\"allocation\":\"a-1\",\"job_id\":\"7\",\"share_frac\":0.5,\"states\":[{\"state\":\"busy\",\"ms\":60000,\"gpu_util_pct\":66}]},"
		"{\"allocation\":\"a-2\",\"job_id\":\"8\",\"share_frac\":0.5,\"states\":[{\"state\":\"busy\",\"ms\":60000,\"gpu_util_pct\":66}]}]," METRICS
		"}\n",
		NULL);
	assert_int_equal(g.rc, 0);
	assert_int_equal(g.sample.n, 2);
	for (size_t i = 0; i < 2; i++) {
		of_the_gpu(value(&g, i));
		assert_true(isnan(value(&g, i)[METRIC_OCCUPANCY_FRAC])); /* whose? */
		assert_true(isnan(value(&g, i)[METRIC_PROC_COUNT]));
	}
	got_free(&g);
}

static void odd_numbers(void **state)
{
	static const char *const odd[] = {
		"[60,80,90]",
		"[0,80,90,5100]",
		"[-1,80,90,5100]",
		"[60,80,90,1e300]",
		"[60,80,90,\"x\"]",
		"{}",
		"null",
		"85",
	};
	char text[1024];
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		struct got g;
		snprintf(
			text, sizeof text,
			HEAD MINUTE
			"\"uses\":[{\"states\":[{\"state\":\"unallocated\",\"ms\":60000,\"gpu_util_pct\":0}]}],"
			"\"metrics\":{\"temp_celsius\":%s,\"throttle_bits\":[60,0,8,100],\"occupancy_frac\":[2,0,0,-1]}}\n",
			odd[i]);
		got_text(&g, "agent", text, NULL);
		assert_int_equal(g.rc, 0);
		assert_int_equal(g.sample.n, 1);
		assert_true(isnan(value(&g, 0)[METRIC_TEMP_CELSIUS]));
		/* it changed within the minute */
		assert_true(isnan(value(&g, 0)[METRIC_THROTTLE_BITS]));
		assert_true(isnan(value(&g, 0)[METRIC_OCCUPANCY_FRAC]));
		got_free(&g);
	}
}

static void events(void **state)
{
	struct got g;
	got_text(
		&g, "agent",
		HEAD
		"{\"type\":\"event\",\"at\":\"2026-11-20T00:00:30Z\",\"event\":\"lost\",\"gpu\":\"G0\"}\n"
		"{\"type\":\"event\",\"at\":\"2026-11-20T00:00:40Z\",\"event\":\"gap\",\"code\":5000,\"text\":\"nobody looked\"}\n",
		NULL);
	assert_int_equal(g.rc, 0);
	assert_int_equal(g.incident.n, 3);
	assert_sv(g.incident.v[0].kind, "watched"); /* of the line of the node: somebody looked */
	assert_int_equal(g.incident.v[0].code, 60000);
	assert_sv(g.incident.v[1].gpu, "G0");
	assert_sv(g.incident.v[1].node, "n");
	assert_true(g.incident.v[1].t_ms == at("2026-11-20T00:00:30Z") &&
		    g.incident.v[1].code == 0);
	assert_sv(g.incident.v[2].gpu, "(null)");
	assert_int_equal(g.incident.v[2].code, 5000);
	got_free(&g);
	got_text(&g, "agent", HEAD "{\"type\":\"event\",\"event\":\"lost\"}\n", NULL); /* when? */
	assert_true(g.rc < 0);
	got_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(one_owner),
					    cmocka_unit_test(several_owners),
					    cmocka_unit_test(odd_numbers),
					    cmocka_unit_test(events) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
