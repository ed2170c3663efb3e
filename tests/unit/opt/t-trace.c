/* What a trace says: unions over streams, gaps by what they waited for, any order of events,
 * bounded. */
#include "../base/test.h"

#include <math.h>

#include "opt/trace/trace.h"

static void add(struct trace *t, enum trace_kind kind, const char *name, int64_t start, int64_t dur,
		int stream, int64_t corr)
{
	struct trace_event e = { .kind = kind,
				 .name = sv_of(name),
				 .start_ns = start * 1000,
				 .dur_ns = dur * 1000,
				 .device = 0,
				 .stream = stream,
				 .correlation = corr,
				 .external = -1,
				 .bytes = NAN,
				 .flops = NAN,
				 .op_bytes = NAN,
				 .occupancy_frac = NAN,
				 .blocks_per_sm = NAN };

	trace_add(t, &e);
}

static void t_parts(void **s)
{
	struct trace *t = trace_new(1000);
	struct trace_report r;

	(void)s;
	/* 100 us: kernel 0-20 and 10-30 on two streams, collective 25-50, copy 45-60, gap 60-100 of
	 * which 70-90 are a wait for data */
	add(t, TRACE_STEP, "ProfilerStep#0", 0, 100, -1, -1);
	add(t, TRACE_LOADER, "enumerate(DataLoader)", 70, 20, -1, -1);
	add(t, TRACE_H2D, "copy", 45, 15, 3, 4);
	add(t, TRACE_KERNEL, "b", 10, 20, 2, 2);
	add(t, TRACE_KERNEL, "a", 0, 20, 1, 1);
	add(t, TRACE_COMM, "nccl", 25, 25, 5, 3);
	trace_judge(t, &r);
	assert_int_equal(r.ngpu, 1);
	assert_int_equal(r.window_ns, 100000);
	const struct trace_gpu *c = &r.gpu[0];
	assert_int_equal(c->busy_ns, 50000);
	assert_int_equal(c->compute_ns, 30000);
	assert_int_equal(c->comm_exposed_ns, 20000);
	assert_int_equal(c->h2d_exposed_ns, 10000);
	assert_int_equal(c->gap_ns[TRACE_GAP_LOADER], 20000);
	assert_int_equal(c->gap_ns[TRACE_GAP_UNKNOWN], 20000);
	assert_int_equal(c->gaps, 1);
	assert_int_equal(r.nfinding, 3); /* 20 % loader, 20 % collectives, 10 % copies */
	assert_int_equal(r.finding[2].cause, DIAG_PCIE);
	assert_string_equal(r.top[0].name, "nccl");
	trace_free(t);
}

static void t_gaps(void **s)
{
	struct trace *t = trace_new(1000);
	struct trace_report r;

	(void)s;
	add(t, TRACE_KERNEL, "k", 0, 10, 1, 1);
	add(t, TRACE_LAUNCH, "cudaLaunchKernel", 5, 2, -1, 2); /* before the gap: queued */
	add(t, TRACE_KERNEL, "k", 12, 10, 1, 2);
	add(t, TRACE_LAUNCH, "cudaLaunchKernel", 130, 5, -1, 3); /* after its beginning: late */
	add(t, TRACE_KERNEL, "k", 140, 10, 1, 3);
	add(t, TRACE_SYNC, "cudaStreamSynchronize", 141, 11, -1, -1);
	/* and the host had waited for the GPU */
	add(t, TRACE_LAUNCH, "cudaLaunchKernel", 250, 5, -1, 4);
	add(t, TRACE_KERNEL, "k", 260, 10, 1, 4);
	trace_judge(t, &r);
	assert_int_equal(r.gpu[0].gap_ns[TRACE_GAP_QUEUED], 2000);
	assert_int_equal(r.gpu[0].gap_ns[TRACE_GAP_LAUNCH], 118000);
	assert_int_equal(r.gpu[0].gap_ns[TRACE_GAP_SYNC], 110000);
	assert_int_equal(r.finding[0].cause, DIAG_LAUNCH);
	trace_free(t);
}

static void t_bounds(void **s)
{
	struct trace *t = trace_new(10);
	struct trace_report r;

	(void)s;
	for (int i = 0; i < 20; i++)
		add(t, TRACE_KERNEL, "k", i * 10, 10, 1, -1);
	trace_judge(t, &r);
	assert_true(r.cut);
	assert_int_equal(r.gpu[0].kernels, 10);
	trace_free(t);
	t = trace_new(10);
	trace_judge(t, &r);
	assert_int_equal(r.ngpu, 0);
	assert_int_equal(r.nfinding, 0);
	trace_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(t_parts), cmocka_unit_test(t_gaps),
					    cmocka_unit_test(t_bounds) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
