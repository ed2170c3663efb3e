#include <errno.h>

#include "feed/readings/dcgm.h"
#include "rows_fix.h"

static double value(const struct got *g, size_t i, enum metric m)
{
	return g->sample.v[i].v.value[m];
}

static void not_supported_is_unknown(void **state)
{
	struct got g;

	got_shared(&g, "data/telemetry_dcgm/readme_sample.prom", NULL, NULL,
		   at("2026-11-21T10:00:00Z"));
	assert_done(&g);
	assert_string_equal(g.report.kind, "dcgm");
	assert_int_equal(g.report.rows_read, 3);
	assert_int_equal(g.report.rows_kept, 3);
	assert_int_equal(g.sample.n, 1);
	assert_sv(g.sample.v[0].key.gpu, "GPU-604ac76c-d9cf-fef3-62e9-d92044ab6e52");
	assert_int_equal(g.sample.v[0].v.t_ms, at("2026-11-21T10:00:00Z"));
	for (int m = 0; m < METRIC_N; m++)
		assert_true(isnan(value(&g, 0, (enum metric)m)));
	got_free(&g);
}

static void no_time_is_an_error(void **state)
{
	struct got g;

	got_shared(&g, "data/telemetry_dcgm/readme_sample.prom", NULL, NULL, UNKNOWN_MS);
	assert_int_equal(g.rc, -EINVAL);
	assert_non_null(strstr(g.err.msg, "line 7"));
	assert_non_null(strstr(g.err.hint, "--at"));
	assert_int_equal(g.sample.n, 0);
	got_free(&g);
}

#define GPU "gpu=\"0\",UUID=\"GPU-a\",modelName=\"NVIDIA A100-SXM4-80GB\",Hostname=\"n1\""

static void one_scrape(void **state)
{
	struct got g;

	got_text_named(&g, "scrape", NULL,
		       "# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n"
		       "DCGM_FI_DEV_GPU_UTIL{" GPU ",hpc_job=\"7\"} 35\n"
		       "DCGM_FI_DEV_GPU_UTIL{gpu=\"1\",UUID=\"GPU-b\",hostname=\"n1\"} 0\n"
		       "DCGM_FI_DEV_FB_USED{" GPU ",hpc_job=\"7\"} 1000\n"
		       "DCGM_FI_DEV_FB_FREE{" GPU ",hpc_job=\"7\"} 3000\n"
		       "DCGM_FI_DEV_FB_RESERVED{" GPU ",hpc_job=\"7\"} 96\n"
		       "DCGM_FI_DEV_POWER_USAGE{" GPU ",hpc_job=\"7\"} 212.5\n"
		       "DCGM_FI_DEV_GPU_TEMP{" GPU ",hpc_job=\"7\"} 2147483634\n"
		       "DCGM_FI_PROF_SM_ACTIVE{" GPU ",hpc_job=\"7\"} 140737488355330\n"
		       "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{" GPU ",hpc_job=\"7\"} 0.25\n"
		       "DCGM_FI_DEV_XID_ERRORS{" GPU "} 0\n"
		       "go_goroutines 12\n",
		       NULL, 1000000, 0);
	assert_done(&g);
	assert_int_equal(g.sample.n, 2);
	assert_sv(g.sample.v[0].key.node, "n1");
	assert_sv(g.sample.v[0].key.job_id, "7");
	assert_sv(g.sample.v[0].key.gpu_model, "NVIDIA A100-SXM4-80GB");
	assert_true(value(&g, 0, METRIC_GPU_UTIL_PCT) == 35);
	assert_true(value(&g, 0, METRIC_MEM_USED_BYTES) == 1000 * 1048576.0);
	assert_true(value(&g, 0, METRIC_MEM_TOTAL_BYTES) == 4096 * 1048576.0);
	assert_true(value(&g, 0, METRIC_POWER_W) == 212.5);
	assert_true(value(&g, 0, METRIC_TENSOR_ACTIVE_FRAC) == 0.25);
	assert_true(isnan(value(&g, 0, METRIC_TEMP_CELSIUS)));
	assert_true(isnan(value(&g, 0, METRIC_SM_ACTIVE_FRAC)));
	/* nothing to tell it from: the exporter's default, and said so */
	assert_int_equal(g.sample.v[0].v.step_ms, 30000);
	assert_true(noted(&g, "30 s assumed"));
	assert_sv(g.sample.v[1].key.node, "n1");
	assert_true(value(&g, 1, METRIC_GPU_UTIL_PCT) == 0);
	assert_true(isnan(value(&g, 1, METRIC_MEM_USED_BYTES)));
	assert_int_equal(g.report.rows_skipped, 1);
	got_free(&g);
}

/* One copy per job: one reading of the GPU, of nobody in particular. */
static void copies_do_not_count_twice(void **state)
{
	struct got g;

	got_text_named(
		&g, "scrape", "dcgm",
		"DCGM_FI_DEV_GPU_UTIL{" GPU ",hpc_job=\"7\"} 35\nDCGM_FI_DEV_GPU_UTIL{" GPU
		",hpc_job=\"8\"} 35\n"
		"DCGM_FI_DEV_GPU_UTIL{gpu=\"1\",UUID=\"GPU-b\",Hostname=\"n1\",pod=\"p\",namespace=\"ml\",container=\"a\"} 5\n"
		"DCGM_FI_DEV_GPU_UTIL{gpu=\"1\",UUID=\"GPU-b\",Hostname=\"n1\",pod=\"p\",namespace=\"ml\",container=\"b\"} 5\n",
		NULL, 0, 0);
	assert_done(&g);
	assert_int_equal(g.sample.n, 2);
	assert_sv(g.sample.v[0].key.job_id, "(null)");
	assert_true(value(&g, 0, METRIC_GPU_UTIL_PCT) == 35);
	assert_sv(g.sample.v[1].key.job_id, "ml/p");
	got_free(&g);

	got_text_named(&g, "two", "dcgm",
		       "DCGM_FI_DEV_GPU_UTIL{" GPU "} 35\nDCGM_FI_DEV_GPU_UTIL{" GPU "} 36\n", NULL,
		       0, 0);
	assert_int_equal(g.rc, -EINVAL); /* two scrapes without times cannot be told apart */
	assert_non_null(strstr(g.err.msg, "line 2"));
	got_free(&g);
}

static void mig_instances(void **state)
{
	struct got g;

	got_text_named(&g, "mig", "dcgm",
		       "DCGM_FI_PROF_GR_ENGINE_ACTIVE{" GPU
		       ",GPU_I_PROFILE=\"1g.10gb\",GPU_I_ID=\"7\"} 0.5\n"
		       "DCGM_FI_PROF_GR_ENGINE_ACTIVE{" GPU
		       ",GPU_I_PROFILE=\"1g.10gb\",GPU_I_ID=\"9\"} 0\n"
		       "DCGM_FI_DEV_POWER_USAGE{" GPU "} 100\n",
		       NULL, 0, 0);
	assert_done(&g);
	assert_int_equal(g.sample.n, 3);
	assert_sv(g.sample.v[0].key.mig, "7");
	assert_true(value(&g, 0, METRIC_GPU_UTIL_PCT) == 50);
	assert_true(value(&g, 1, METRIC_GPU_UTIL_PCT) == 0);
	assert_sv(g.sample.v[2].key.mig, "(null)");
	assert_true(noted(&g, "GR_ENGINE_ACTIVE"));
	got_free(&g);
}

/* Series by series with times: seconds (OpenMetrics) and milliseconds (the older text). */
static void a_history(void **state)
{
	struct got g;

	got_text(&g, NULL,
		 "DCGM_FI_DEV_GPU_UTIL{" GPU "} 10 1795000000\nDCGM_FI_DEV_GPU_UTIL{" GPU
		 "} 20 1795000060.000\n"
		 "DCGM_FI_DEV_GPU_UTIL{" GPU "} 30 1795000120000\nDCGM_FI_DEV_POWER_USAGE{" GPU
		 "} 50 1795000060\n"
		 "DCGM_FI_DEV_POWER_USAGE{" GPU "} 60 1795000030\n# EOF\n",
		 NULL);
	assert_done(&g);
	assert_int_equal(g.sample.n, 4);
	assert_int_equal(g.sample.v[0].v.t_ms, 1795000000000);
	assert_int_equal(g.sample.v[1].v.t_ms, 1795000030000);
	assert_true(isnan(value(&g, 1, METRIC_GPU_UTIL_PCT)) && value(&g, 1, METRIC_POWER_W) == 60);
	assert_true(value(&g, 2, METRIC_GPU_UTIL_PCT) == 20 && value(&g, 2, METRIC_POWER_W) == 50);
	assert_true(value(&g, 3, METRIC_GPU_UTIL_PCT) == 30);
	assert_int_equal(g.sample.v[3].v.step_ms, 30000); /* median of 30, 30, 60 s */
	assert_int_equal(g.report.from_ms, 1795000000000);
	assert_int_equal(g.report.to_ms, 1795000150000);
	got_free(&g);
}

static void bad_text(void **state)
{
	static const char *const bad[] = { "DCGM_FI_DEV_GPU_UTIL{gpu=\"0} 3\n",
					   "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\" 3\n",
					   "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} x\n",
					   "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"}\n",
					   "DCGM_FI_DEV_GPU_UTIL{=\"0\"} 1\n",
					   "{gpu=\"0\"} 1\n",
					   "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 1 yesterday\n" };
	struct got g;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		got_text_named(&g, "bad", "dcgm", bad[i], NULL, 0, 0);
		assert_int_equal(g.rc, -EINVAL);
		got_free(&g);
	}
	got_text_named(&g, "none", "dcgm", "# nothing\nup 1\n", NULL, 0, 0);
	assert_int_equal(g.rc, -EINVAL);
	assert_non_null(strstr(g.err.msg, "no reading of a GPU"));
	got_free(&g);
}

static void valid_values(void **state)
{
	assert_true(dcgm_valid(DCGM_GPU_UTIL, 0) && dcgm_valid(DCGM_GPU_UTIL, 100));
	assert_false(dcgm_valid(DCGM_GPU_UTIL, 101) || dcgm_valid(DCGM_GPU_UTIL, -1) ||
		     dcgm_valid(DCGM_GPU_UTIL, 4294967295.0));
	assert_false(dcgm_valid(DCGM_FB_USED, 2147483632) ||
		     dcgm_valid(DCGM_PCIE_RX, 9223372036854775794.0) ||
		     dcgm_valid(DCGM_POWER, NAN));
	assert_true(dcgm_valid(DCGM_PCIE_RX, 2147483631));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_supported_is_unknown),
		cmocka_unit_test(no_time_is_an_error),
		cmocka_unit_test(one_scrape),
		cmocka_unit_test(copies_do_not_count_twice),
		cmocka_unit_test(mig_instances),
		cmocka_unit_test(a_history),
		cmocka_unit_test(bad_text),
		cmocka_unit_test(valid_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
