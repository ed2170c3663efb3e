#include <errno.h>

#include "rows_fix.h"

/* A record of 2024 and one with the newer places, an idle row, a workload without GPUs, a step
 * without data. */
static const char answer[] =
	"{\"code\":200,\"status\":\"success\",\"data\":[{"
	"\"c1/n1/ml/train-0/main\":{\"name\":\"c1/n1/ml/train-0/main\",\"properties\":{\"cluster\":\"c1\",\"node\":\"n1\",\"container\":\"main\","
	"\"controller\":\"train\",\"controllerKind\":\"statefulset\",\"namespace\":\"ml\",\"pod\":\"train-0\",\"providerID\":\"i-0abc\","
	"\"labels\":{\"team\":\"nlp\",\"environment\":\"prod\",\"project\":\"llm\"},\"namespaceLabels\":{\"team\":\"platform\",\"cost_center\":\"42\"}},"
	"\"window\":{\"start\":\"2026-10-01T00:00:00Z\",\"end\":\"2026-10-02T00:00:00Z\"},\"start\":\"2026-10-01T06:00:00Z\",\"end\":\"2026-10-01T18:00:00Z\","
	"\"minutes\":720,\"cpuCoreHours\":48,\"cpuCoreRequestAverage\":4.5,\"ramByteRequestAverage\":34359738368,\"cpuCost\":1.5,\"gpuCount\":2,\"gpuHours\":24,\"gpuCost\":65.856,\"gpuCostAdjustment\":0,"
	"\"gpuRequestAverage\":2.0,\"gpuUsageAverage\":null,\"pvs\":null},"
	"\"c1/n1/ml/serve-1/main\":{\"name\":\"c1/n1/ml/serve-1/main\",\"properties\":{\"cluster\":\"c1\",\"node\":\"n1\",\"namespace\":\"ml\",\"pod\":\"serve-1\"},"
	"\"start\":\"2026-10-01T00:00:00Z\",\"end\":\"2026-10-01T00:20:00Z\",\"gpuCount\":0.5,\"gpuHours\":0.16667,\"gpuCost\":0.5,\"gpuCostAdjustment\":-0.1,"
	"\"gpuAllocation\":{\"gpuDevice\":\"nvidia0\",\"gpuModel\":\"NVIDIA-A100-SXM4-80GB\",\"gpuUUID\":\"GPU-a\",\"isGPUShared\":true}},"
	"\"__idle__\":{\"name\":\"__idle__\",\"properties\":{\"cluster\":\"c1\"},\"start\":\"2026-10-01T00:00:00Z\",\"end\":\"2026-10-02T00:00:00Z\",\"gpuHours\":3,\"gpuCost\":9},"
	"\"c1/n2/web/web-0/web\":{\"name\":\"web\",\"properties\":{},\"start\":\"2026-10-01T00:00:00Z\",\"end\":\"2026-10-02T00:00:00Z\",\"gpuHours\":0,\"gpuCount\":0}"
	"},null,{}]}";

static void both_places(void **state)
{
	struct got g;

	got_text(&g, NULL, answer, NULL);
	assert_done(&g);
	assert_string_equal(g.report.kind, "opencost");
	assert_int_equal(g.report.rows_read, 4);
	assert_int_equal(g.alloc.n, 2);
	const struct allocation *a = g.alloc.v;
	assert_sv(a[0].job_id, "ml/train-0");
	assert_sv(a[0].name, "train");
	assert_sv(a[0].namespace_, "ml");
	assert_sv(a[0].node, "n1");
	assert_sv(a[0].cluster, "c1");
	assert_sv(a[0].team, "nlp"); /* the pod's own label, not the namespace's */
	assert_sv(a[0].env, "prod");
	assert_sv(a[0].project, "llm");
	assert_sv(
		a[0].tags,
		"{\"provider_id\":\"i-0abc\",\"team\":\"nlp\",\"environment\":\"prod\",\"project\":\"llm\",\"cost_center\":\"42\","
		"\"controller_kind\":\"statefulset\"}");
	assert_int_equal(a[0].gpus_milli, 2000);
	assert_int_equal(a[0].cpu_milli, 4500);
	assert_int_equal(a[0].ram_mib, 32768);
	assert_int_equal(a[1].cpu_milli, UNKNOWN_I64);
	assert_int_equal(a[0].start_ms, at("2026-10-01T06:00:00Z"));
	assert_int_equal(a[0].end_ms, at("2026-10-01T18:00:00Z"));
	assert_true(a[0].has_usd_gpu_hour);
	assert_true(a[0].usd_gpu_hour == DEC_ONE * 2744 / 1000);
	assert_int_equal(a[1].gpus_milli, 500);
	assert_int_equal(a[1].share_kind, SHARE_TIMESLICE);
	assert_sv(a[1].gpu_model, "NVIDIA-A100-SXM4-80GB");
	assert_sv(a[1].gpu_ids, "GPU-a");
	assert_float_equal(dec_to_double(a[1].usd_gpu_hour), 0.4 / 0.16667, 1e-9);
	assert_int_equal(g.report.skipped.n, 1);
	assert_string_equal(g.report.skipped.v[0].key, "__idle__");
	assert_int_equal(g.report.rows_skipped, 2);
	assert_true(noted(&g, "1 records hold no GPU"));
	got_free(&g);
}

/* Without the envelope, as a map of one step, and as sets with their window. */
static void other_envelopes(void **state)
{
	static const char rec[] =
		"\"a\":{\"name\":\"a\",\"properties\":{\"controller\":\"x\",\"namespace\":\"n\"},\"window\":{\"start\":\"2026-10-01T00:00:00Z\","
		"\"end\":\"2026-10-01T01:00:00Z\"},\"gpuHours\":1,\"cpuCoreHours\":1}";
	static const char *const shape[] = {
		"{%s}", "[{%s}]", "{\"code\":200,\"data\":[{\"allocations\":{%s},\"window\":{}}]}",
		"{\"code\":200,\"data\":[[{%s}]]}"
	};
	struct got g;
	char text[1024];

	for (size_t i = 0; i < 4; i++) {
		snprintf(text, sizeof text, shape[i], rec);
		got_text(&g, "opencost", text, NULL);
		assert_done(&g);
		assert_int_equal(g.alloc.n, 1);
		assert_sv(g.alloc.v[0].job_id, "n/x");
		assert_int_equal(g.alloc.v[0].gpus_milli, 1000);
		assert_false(g.alloc.v[0].has_usd_gpu_hour);
		got_free(&g);
	}
}

static void bad_input(void **state)
{
	static const char *const bad[] = {
		"",
		"{",
		"[1]",
		"{\"code\":500,\"message\":\"x\"}",
		"{\"data\":7}",
		"{\"data\":[{\"a\":3}]}",
		"{\"data\":[{\"a\":{\"gpuHours\":1,\"start\":\"x\",\"end\":\"y\"}}]}",
		"{\"data\":[{\"a\":{\"gpuHours\":1e300,\"start\":\"2026-10-01T00:00:00Z\",\"end\":\"2026-10-01T00:00:01Z\"}}]}",
		"{\"data\":[{\"a\":{\"gpuHours\":1,\"start\":\"2026-10-01T00:00:00Z\",\"end\":\"2026-10-01T00:00:00Z\"}}]}",
		"{\"data\":[{\"a\":{\"gpuHours\":1e-300,\"gpuCost\":1e10,\"start\":\"2026-10-01T00:00:00Z\",\"end\":\"2026-10-01T01:00:00Z\"}}]}"
	};
	struct got g;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		got_text(&g, "opencost", bad[i], NULL);
		if (g.rc >= 0)
			fail_msg("taken: %s", bad[i]);
		assert_true(g.err.msg[0] != 0);
		assert_int_equal(g.alloc.n, 0);
		got_free(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(both_places),
					    cmocka_unit_test(other_envelopes),
					    cmocka_unit_test(bad_input) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
