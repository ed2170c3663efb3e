/* Causes of low utilisation: each by hand-made readings, and no answer where the signals are
 * missing. */
#include "../base/test.h"

#include <math.h>

#include "opt/diagnose/diagnose.h"

#define N 120

static struct diag_step step[4][N];
static struct diag_dev dev[4];

static void fresh(int devs)
{
	for (int d = 0; d < devs; d++) {
		for (int i = 0; i < N; i++) {
			diag_step_init(&step[d][i]);
			step[d][i].t_ms = i * 1000;
			step[d][i].step_ms = 1000;
		}
		dev[d] = (struct diag_dev){ .step = step[d], .n = N };
		diag_facts_init(&dev[d].facts);
		dev[d].facts.tdp_w = dev[d].facts.power_limit_w = 400;
		dev[d].facts.pcie_bytes_s = 25e9;
		dev[d].facts.nvlink_bytes_s = 300e9;
		dev[d].facts.sm_clock_max_mhz = 1410;
		dev[d].facts.temp_slowdown_celsius = 90;
		dev[d].facts.cpus = 16;
	}
}

static void set(int d, enum metric m, double v)
{
	for (int i = 0; i < N; i++)
		step[d][i].value[m] = v;
}

static void setx(int d, enum diag_extra x, double v)
{
	for (int i = 0; i < N; i++)
		step[d][i].extra[x] = v;
}

static void busy(int d, double util, double sm, double dram, double tensor, double power)
{
	set(d, METRIC_GPU_UTIL_PCT, util);
	set(d, METRIC_SM_ACTIVE_FRAC, sm);
	set(d, METRIC_DRAM_ACTIVE_FRAC, dram);
	set(d, METRIC_TENSOR_ACTIVE_FRAC, tensor);
	set(d, METRIC_POWER_W, power);
}

static struct diag_result run(int devs)
{
	struct diag_result r;

	diag_run(dev, (size_t)devs, &r);
	return r;
}

static void one_cause(int devs, enum diag_cause want)
{
	struct diag_result r = run(devs);

	assert_int_equal(r.verdict, DIAG_FOUND);
	assert_string_equal(diag_cause_name(r.finding[0].cause), diag_cause_name(want));
	assert_true(r.finding[0].confidence >= 0.5 && r.finding[0].confidence <= 1);
	assert_true(r.finding[0].nevidence > 0);
	assert_true(r.finding[0].time_frac > 0 && r.finding[0].time_frac <= 1);
}

/* Read on an H200 that only copies from pinned memory: 97 % busy, no SM at work. */
static void t_copies(void **s)
{
	(void)s;
	fresh(1);
	dev[0].facts.tdp_w = dev[0].facts.power_limit_w = 700;
	dev[0].facts.pcie_bytes_s = 63e9;
	busy(0, 97, 0, 0.01, 0, 129);
	set(0, METRIC_PCIE_RX_BYTES_S, 57.4e9);
	set(0, METRIC_PCIE_TX_BYTES_S, 3.4e9);
	set(0, METRIC_MEM_USED_BYTES, 1.5e9);
	set(0, METRIC_MEM_TOTAL_BYTES, 150e9);
	setx(0, DIAG_X_MAIN_CPU_PCT, 100);
	one_cause(1, DIAG_PCIE);
	assert_int_equal(run(1).n, 1); /* no batch is too small there */
}

static void t_healthy(void **s)
{
	(void)s;
	fresh(1);
	busy(0, 97, 0.85, 0.45, 0.5, 350);
	assert_int_equal(run(1).verdict, DIAG_HEALTHY);
}

static void t_nothing(void **s)
{
	struct diag_result r;

	(void)s;
	fresh(1);
	r = run(1);
	assert_int_equal(r.verdict, DIAG_UNKNOWN); /* no reading at all is no idle GPU */
	assert_string_equal(r.missing[0], "gpu_util_pct");
	diag_run(NULL, 0, &r);
	assert_int_equal(r.verdict, DIAG_UNKNOWN);
	busy(0, 0, 0, 0, 0, 55);
	assert_int_equal(run(1).verdict, DIAG_IDLE);
	busy(0, 30, NAN, NAN, NAN, NAN);
	r = run(1);
	assert_int_equal(r.verdict, DIAG_UNKNOWN);
	assert_true(r.nmissing >= 1 && r.n == 0);
	dev[0].n = 20;
	assert_int_equal(run(1).verdict, DIAG_UNKNOWN); /* 20 s */
}

static void t_input(void **s)
{
	(void)s;
	fresh(1);
	busy(0, 40, 0.36, 0.2, 0.2, 200);
	setx(0, DIAG_X_LOADERS, 4);
	setx(0, DIAG_X_LOADER_CPU_PCT, 390);
	setx(0, DIAG_X_MAIN_CPU_PCT, 45);
	one_cause(1, DIAG_CPU);
	setx(0, DIAG_X_LOADER_CPU_PCT, 60);
	one_cause(1, DIAG_LOADER);
	setx(0, DIAG_X_LOADERS, NAN);
	setx(0, DIAG_X_LOADER_CPU_PCT, NAN);
	struct diag_result r = run(1);
	assert_int_equal(r.verdict, DIAG_UNKNOWN);
	assert_string_equal(r.missing[0], "loader_cpu_pct");
}

/* A machine without a free processor says nothing of a job that uses next to none of it: others
 * have taken them. */
static void t_taken(void **s)
{
	(void)s;
	fresh(1);
	busy(0, 40, 0.36, 0.2, 0.2, 200);
	setx(0, DIAG_X_LOADERS, 4);
	setx(0, DIAG_X_LOADER_CPU_PCT, 16); /* 4 % each */
	setx(0, DIAG_X_MAIN_CPU_PCT, 45);
	setx(0, DIAG_X_HOST_CPU_PCT, 100);
	struct diag_result r = run(1);
	assert_int_equal(r.verdict, DIAG_UNKNOWN);
	assert_string_equal(r.missing[0], "a time when others leave it processors");
	/* The same machine, and it is the job that fills it. */
	setx(0, DIAG_X_LOADERS, 40);
	setx(0, DIAG_X_LOADER_CPU_PCT, 1500);
	one_cause(1, DIAG_CPU);
}

static void t_kernels(void **s)
{
	(void)s;
	fresh(1);
	busy(0, 97, 0.2, 0.12, 0.03, 130);
	setx(0, DIAG_X_MAIN_CPU_PCT, 100);
	set(0, METRIC_PCIE_RX_BYTES_S, 1e8);
	one_cause(1, DIAG_SMALL_BATCH);
	busy(0, 55, 0.12, 0.1, 0.03, 120);
	one_cause(1, DIAG_LAUNCH);
	busy(0, 98, 0.92, 0.8, 0.02, 280);
	one_cause(1, DIAG_BANDWIDTH);
	busy(0, 45, 0.4, 0.2, 0.1, 180);
	set(0, METRIC_PCIE_RX_BYTES_S, 11e9);
	setx(0, DIAG_X_MAIN_CPU_PCT, 100);
	one_cause(1, DIAG_PCIE);
}

static void t_clocks(void **s)
{
	(void)s;
	fresh(1);
	busy(0, 99, 0.9, 0.4, 0.4, 250);
	set(0, METRIC_THROTTLE_BITS, 0x20);
	set(0, METRIC_TEMP_CELSIUS, 88);
	set(0, METRIC_SM_CLOCK_MHZ, 1000);
	one_cause(1, DIAG_THERMAL);
	set(0, METRIC_THROTTLE_BITS, 0x4);
	set(0, METRIC_TEMP_CELSIUS, 60);
	dev[0].facts.power_limit_w = 250;
	one_cause(1, DIAG_POWER);
	struct diag_result r = run(1);
	assert_true(fabs(r.finding[0].lost_frac - (1 - 1000.0 / 1410) * 0.99) < 0.01);
	assert_true(fabs(diag_cost_day(&r.finding[0], 1, 2) - r.finding[0].lost_frac * 48) < 1e-9);
}

static void t_pause(void **s)
{
	(void)s;
	fresh(1);
	busy(0, 96, 0.85, 0.4, 0.4, 330);
	setx(0, DIAG_X_DISK_WRITE_BYTES_S, 1e5);
	for (int i = 0; i < N; i++)
		if (i % 40 >= 20 && i % 40 < 30) {
			step[0][i].value[METRIC_GPU_UTIL_PCT] =
				step[0][i].value[METRIC_SM_ACTIVE_FRAC] = 0;
			step[0][i].extra[DIAG_X_DISK_WRITE_BYTES_S] = 5e8;
		}
	one_cause(1, DIAG_CHECKPOINT);
	struct diag_result r = run(1);
	assert_int_equal(r.n, 1); /* the rest is healthy */
	assert_true(fabs(r.finding[0].lost_frac - 0.25) < 0.01);
}

static void t_serving(void **s)
{
	(void)s;
	fresh(1);
	busy(0, 50, 0.3, 0.2, 0.1, 160);
	dev[0].facts.serving = true;
	dev[0].facts.running_max = 8;
	setx(0, DIAG_X_QUEUE, 12);
	setx(0, DIAG_X_RUNNING, 8);
	one_cause(1, DIAG_CONCURRENCY);
	setx(0, DIAG_X_QUEUE, 0);
	setx(0, DIAG_X_RUNNING, 2);
	one_cause(1, DIAG_LOW_LOAD);
	busy(0, 95, 0.3, 0.2, 0.1, 160);
	dev[0].facts.batch_max = 32;
	setx(0, DIAG_X_QUEUE, 9);
	setx(0, DIAG_X_BATCH, 1);
	one_cause(1, DIAG_SMALL_BATCH);
}

static void t_group(void **s)
{
	(void)s;
	fresh(4);
	for (int d = 0; d < 4; d++) {
		busy(d, 98, 0.5, 0.3, 0.2, 240);
		set(d, METRIC_NVLINK_RX_BYTES_S, 120e9);
		set(d, METRIC_NVLINK_TX_BYTES_S, 120e9);
	}
	one_cause(4, DIAG_COMM);
	for (int d = 0; d < 4; d++) {
		set(d, METRIC_NVLINK_RX_BYTES_S, 5e9);
		set(d, METRIC_NVLINK_TX_BYTES_S, 5e9);
	}
	busy(2, 98, 0.9, 0.55, 0.38, 330);
	one_cause(4, DIAG_STRAGGLER);
	assert_int_equal(run(4).finding[0].dev, 2);
	for (int d = 0; d < 4; d++) {
		busy(d, 100, 0.06, 0.0, 0.0, 80);
		set(d, METRIC_NVLINK_RX_BYTES_S, 0);
		set(d, METRIC_NVLINK_TX_BYTES_S, 0);
	}
	one_cause(4, DIAG_HUNG);
	assert_true(fabs(run(4).finding[0].lost_frac - 1) < 1e-9);
}

static void t_words(void **s)
{
	struct str out = { 0 };
	struct diag_finding f = { .evidence = { { "gpu_util_pct", 31.25, 60, false },
						{ "main_cpu", 0.99, 0.85, true } },
				  .nevidence = 2 };

	(void)s;
	for (int c = 0; c < DIAG_N; c++)
		assert_true(*diag_cause_name((enum diag_cause)c) &&
			    *diag_cause_title((enum diag_cause)c) &&
			    *diag_change((enum diag_cause)c));
	for (int x = 0; x < DIAG_X_N; x++)
		assert_true(*diag_extra_name((enum diag_extra)x));
	diag_evidence_text(&f, &out);
	assert_string_equal(str_z(&out), "gpu_util_pct 31.25 < 60, main_cpu 0.99 > 0.85");
	str_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_healthy), cmocka_unit_test(t_copies),
		cmocka_unit_test(t_nothing), cmocka_unit_test(t_input),
		cmocka_unit_test(t_taken),   cmocka_unit_test(t_kernels),
		cmocka_unit_test(t_clocks),  cmocka_unit_test(t_pause),
		cmocka_unit_test(t_serving), cmocka_unit_test(t_group),
		cmocka_unit_test(t_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
