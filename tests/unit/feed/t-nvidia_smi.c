#include <errno.h>

#include "rows_fix.h"

#define HEAD \
	"timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], temperature.gpu\n"

static double value(const struct got *g, size_t i, enum metric m)
{
	return g->sample.v[i].v.value[m];
}

static void a_log(void **state)
{
	struct got g;

	got_text(
		&g, NULL,
		HEAD
		"2026/10/11 12:33:53.123, 0, NVIDIA A10, 35 %, 1234 MiB, 23028 MiB, 61.25 W, 44\n"
		"2026/10/11 12:33:53.130, 1, NVIDIA A10, 0 %, 4 MiB, 23028 MiB, [N/A], [Not Supported]\n"
		"2026/10/11 12:33:58.123, 0, NVIDIA A10, 100 %, 1234 MiB, 23028 MiB, 61.25 W, 44\n"
		"2026/10/11 12:33:58.130, 1, NVIDIA A10, [Unknown Error], 4 MiB, 23028 MiB, 20 W, 30\n",
		SETS("node=gpu-1", "utc_offset=+02:00"));
	assert_done(&g);
	assert_string_equal(g.report.kind, "nvidia-smi");
	assert_int_equal(g.sample.n, 4);
	assert_int_equal(g.report.rows_kept, 4);
	assert_int_equal(g.sample.v[0].v.t_ms, at("2026-10-11T10:33:53.123Z"));
	assert_int_equal(g.sample.v[0].v.step_ms, 5000);
	assert_sv(g.sample.v[0].key.node, "gpu-1");
	assert_sv(g.sample.v[0].key.gpu, "0");
	assert_sv(g.sample.v[0].key.gpu_model, "NVIDIA A10");
	assert_true(value(&g, 0, METRIC_GPU_UTIL_PCT) == 35);
	assert_true(value(&g, 0, METRIC_MEM_USED_BYTES) == 1234 * 1048576.0);
	assert_true(value(&g, 0, METRIC_MEM_TOTAL_BYTES) == 23028 * 1048576.0);
	assert_true(value(&g, 0, METRIC_POWER_W) == 61.25);
	assert_true(value(&g, 0, METRIC_TEMP_CELSIUS) == 44);
	assert_true(value(&g, 1, METRIC_GPU_UTIL_PCT) == 0);
	assert_true(isnan(value(&g, 1, METRIC_POWER_W)) &&
		    isnan(value(&g, 1, METRIC_TEMP_CELSIUS)));
	assert_true(isnan(value(&g, 3, METRIC_GPU_UTIL_PCT)));
	got_free(&g);
}

/* nounits, uuid, a log that was appended to with other columns, CR LF. */
static void appended_logs(void **state)
{
	struct got g;

	got_text(
		&g, NULL,
		"timestamp, uuid, utilization.gpu [%], memory.used [MiB]\r\n2026/10/11 12:00:00.000, GPU-a, 35, 10\r\n"
		"2026/10/11 12:01:00.000, GPU-a, 36, 10\r\n"
		"timestamp, uuid, memory.used, utilization.gpu [%]\r\n2026/10/11 13:00:00.000, GPU-a, 20, 37\r\n",
		SETS("step_s=60"));
	assert_done(&g);
	assert_int_equal(g.sample.n, 3);
	assert_sv(g.sample.v[0].key.gpu, "GPU-a");
	assert_true(value(&g, 2, METRIC_GPU_UTIL_PCT) == 37);
	assert_true(value(&g, 2, METRIC_MEM_USED_BYTES) == 20 * 1048576.0);
	assert_int_equal(g.sample.v[2].v.step_ms, 60000);
	got_free(&g);
}

static void index_alone_is_noted(void **state)
{
	struct got g;

	got_text(&g, NULL,
		 HEAD
		 "2026/10/11 12:33:53.123, 0, NVIDIA A10, 35 %, 1234 MiB, 23028 MiB, 61.25 W, 44\n",
		 NULL);
	assert_done(&g);
	assert_true(noted(&g, "--set node"));
	assert_true(noted(&g, "60 s assumed"));
	assert_true(noted(&g, "read as UTC"));
	got_free(&g);
}

static void bad_rows(void **state)
{
	struct got g;

	got_text_named(
		&g, "smi", "nvidia-smi",
		HEAD
		"yesterday, 0, NVIDIA A10, 35 %, 1234 MiB, 23028 MiB, 61.25 W, 44\n"
		"2026/10/11 12:33:53.123, 0, NVIDIA A10, 135 %, 1234 MiB, 23028 MiB, 61.25 W, 44\n"
		"2026/10/11 12:33:53.123, 0, NVIDIA A10, 35 %, lots MiB, 23028 MiB, 61.25 W, 44\n"
		"2026/10/11 12:33:53.123, 0, NVIDIA A10, 35 %\n"
		"2026/10/11 12:33:53.123, 0, NVIDIA A10, 35 %, 1 MiB, 2 MiB, 3 W, 44\n",
		NULL, UNKNOWN_MS, 4);
	assert_done(&g);
	assert_int_equal(g.report.rows_rejected, 4);
	assert_string_equal(g.report.rejects.v[0].field, "timestamp");
	assert_string_equal(g.report.rejects.v[1].field, "utilization.gpu");
	assert_string_equal(g.report.rejects.v[2].field, "memory.used");
	assert_int_equal(g.report.rejects.v[3].line, 5);
	assert_int_equal(g.sample.n, 1);
	got_free(&g);

	got_text(&g, "nvidia-smi", "index, utilization.gpu [%]\n0, 5 %\n", NULL);
	assert_int_equal(g.rc, -EINVAL);
	assert_non_null(strstr(g.err.msg, "timestamp"));
	got_free(&g);

	got_text(&g, "nvidia-smi", "2026/10/11 12:33:53.123, 0, 5 %\n", NULL);
	assert_int_equal(g.rc, -EINVAL);
	got_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log),
		cmocka_unit_test(appended_logs),
		cmocka_unit_test(index_alone_is_noted),
		cmocka_unit_test(bad_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
