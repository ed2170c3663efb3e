/* What is told of a trace: the findings with their price, and where the products stand. */
#include "asked.h"

#include <math.h>

#include "answer/trace.h"

static int open_catalog(void **state)
{
	struct err err = { 0 };

	fine(catalog_open(NULL, &asked.catalog, &err), &err);
	return fresh_dir(state);
}

static void add(struct trace *t, enum trace_kind kind, const char *name, int64_t start_us,
		int64_t dur_us)
{
	struct trace_event e = { .kind = kind,
				 .name = sv_of(name),
				 .start_ns = start_us * 1000,
				 .dur_ns = dur_us * 1000,
				 .stream = 1,
				 .correlation = start_us + 1,
				 .external = -1,
				 .bytes = NAN,
				 .flops = NAN,
				 .op_bytes = NAN,
				 .occupancy_frac = NAN,
				 .blocks_per_sm = NAN };

	trace_add(t, &e);
}

/* 100 us: a kernel for 60, then a wait for data. */
static struct trace *waits_for_data(void)
{
	struct trace *t = trace_new(1000);

	add(t, TRACE_STEP, "ProfilerStep#0", 0, 100);
	add(t, TRACE_KERNEL, "gemm", 0, 60);
	add(t, TRACE_LOADER, "enumerate(DataLoader)", 60, 40);
	return t;
}

static void a_finding_has_its_price(void **state)
{
	struct trace *t = waits_for_data();
	struct trace_ask q = { .catalog = asked.catalog,
			       .device = "NVIDIA A100-SXM4-80GB",
			       .rank = 3,
			       .world_size = 8,
			       .usd_gpu_hour = 2.5 };
	struct trace_answer a;

	(void)state;
	answer_trace(t, &q, &a);
	assert_int_equal(a.rank, 3);
	assert_int_equal(a.world_size, 8);
	assert_int_equal(a.r.ngpu, 1);
	assert_non_null(a.gpu);
	assert_string_equal(a.gpu->model, "A100-SXM4-80GB");
	assert_true(a.roof.peak > 0 && a.roof.ridge > 0);
	assert_true(isnan(a.roof.tflops)); /* no shapes in it */
	assert_int_equal(a.r.nfinding, 1);
	assert_int_equal(a.r.finding[0].cause, DIAG_LOADER);
	assert_string_equal(a.told[0].title, diag_cause_title(DIAG_LOADER));
	/* 40 % of a day of the GPU */
	assert_true(fabs(a.told[0].cost_day - 0.4 * 24 * 2.5) < 0.01);
	trace_free(t);
}

static void unknown_gpu_and_price(void **state)
{
	struct trace *t = waits_for_data();
	struct trace_ask q = { .device = "", .rank = -1, .world_size = -1, .usd_gpu_hour = NAN };
	struct trace_answer a;

	(void)state;
	answer_trace(t, &q, &a);
	assert_null(a.gpu);
	assert_true(isnan(a.roof.peak) && isnan(a.roof.ridge));
	assert_true(isnan(a.told[0].cost_day));
	assert_non_null(a.told[0].change);
	trace_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_finding_has_its_price),
					    cmocka_unit_test(unknown_gpu_and_price) };
	return cmocka_run_group_tests(tests, open_catalog, asked_close);
}
