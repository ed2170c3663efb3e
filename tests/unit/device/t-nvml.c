/* The NVML source against tests/stub/nvml: GPUs that are not there, through the real binary
 * interface. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "device/gpu.h"
#include "device/host.h"
#include "stub.h"
#include "tree.h"

static const struct gpu_dev *dev(const struct fix *f, size_t i)
{
	assert_true(i < f->view->ndev);
	return &f->view->dev[i];
}

static double value(const struct fix *f, size_t i, enum metric m)
{
	return dev(f, i)->value[m];
}

static bool has_event(const struct fix *f, enum gpu_event_kind kind, int at, int64_t code)
{
	for (size_t i = 0; i < f->view->nevent; i++)
		if (f->view->event[i].kind == kind && f->view->event[i].dev == at &&
		    f->view->event[i].code == code)
			return true;
	return false;
}

static void eight_gpus_at_work(void **state)
{
	struct fix f;

	fix_open(&f, NULL, NULL);
	fix_poll(&f, 1);
	fix_poll(&f, 2);
	assert_int_equal(f.view->ndev, 8);
	assert_string_equal(f.view->driver, "nvml 550.54.15");
	assert_null(f.view->problem);
	assert_int_equal(f.view->nevent, 0);
	for (size_t i = 0; i < 8; i++) {
		const struct gpu_dev *d = dev(&f, i);
		double util = d->value[METRIC_GPU_UTIL_PCT];
		assert_true(d->present && d->procs_known);
		assert_string_equal(d->info.name, "NVIDIA A100-SXM4-80GB");
		assert_int_equal(d->info.index, i);
		assert_int_equal(d->info.minor, i);
		assert_int_equal(d->info.parent, -1);
		assert_true(util >= 50 && util <= 90 && util == floor(util));
		assert_true(fabs(d->value[METRIC_POWER_W] - (60 + 280 * util / 100)) < 2);
		assert_true(d->value[METRIC_MEM_USED_BYTES] == 40.0 * 1073741824);
		assert_true(d->value[METRIC_MEM_TOTAL_BYTES] == 80.0 * 1073741824);
		assert_true(d->info.power_limit_w == 400 && d->info.temp_slowdown_celsius == 87);
		assert_true(d->value[METRIC_SM_CLOCK_MHZ] == 1410 &&
			    d->value[METRIC_MEM_CLOCK_MHZ] == 1593);
		assert_true(d->value[METRIC_THROTTLE_BITS] == 0 && d->value[METRIC_XID] == 0 &&
			    d->value[METRIC_ECC_UNCORRECTED] == 0);
		assert_true(fabs(d->value[METRIC_NVLINK_TX_BYTES_S] - 20e9) < 1e6 &&
			    fabs(d->value[METRIC_NVLINK_RX_BYTES_S] - 10e9) < 1e6);
		assert_true(d->value[METRIC_ENERGY_J] > 0);
		assert_true(isnan(d->value[METRIC_SM_ACTIVE_FRAC]));  /* an A100 has no GPM */
		assert_true(isnan(d->value[METRIC_PCIE_TX_BYTES_S])); /* not asked for */
		assert_int_equal(d->nproc, 4);
		assert_true(d->value[METRIC_PROC_COUNT] == 4);
		assert_true(d->proc[0].sm_util_pct == floor(d->proc[0].sm_util_pct) &&
			    d->proc[0].type == 'C');
		assert_int_equal(d->proc[0].start_ticks, 0); /* nobody's pid */
	}
	assert_string_equal(dev(&f, 1)->info.bus_id, "00000000:11:00.0");
	fix_close(&f);
}

static void energy_is_the_integral_of_power(void **state)
{
	struct fix f;
	double first, sum = 0;

	fix_open(&f, "cards 1\ncard 0 util=50 amp=0\n", NULL);
	fix_poll(&f, 0);
	first = value(&f, 0, METRIC_ENERGY_J);
	for (int t = 1; t <= 60; t++) {
		fix_poll(&f, t);
		sum += value(&f, 0, METRIC_POWER_W);
	}
	assert_true(fabs(value(&f, 0, METRIC_ENERGY_J) - first - sum) < 1);
	fix_close(&f);
}

/* As on an H200 with driver 580, where the counter costs 3.5 ms. */
static void what_costs_time_is_asked_seldom(void **state)
{
	static const char script[] = "cards 1\ncard 0 util=50 amp=0\n"
				     "burn nvmlDeviceGetTotalEnergyConsumption 4\n";
	struct fix f;

	for (int exact = 0; exact < 2; exact++) {
		int steps = 0;
		double last = -1;
		fix_open(&f, script, &(struct gpu_feed_opt){ .want_energy = exact });
		for (int t = 1; t <= 20; t++) {
			fix_poll(&f, t);
			double j = value(&f, 0, METRIC_ENERGY_J);
			assert_true(j >= last && value(&f, 0, METRIC_POWER_W) > 0);
			steps += j > last;
			last = j;
		}
		if (exact)
			assert_int_equal(steps, 20);
		else
			assert_in_range(steps, 2, 10); /* every 2 to 10 s */
		fix_close(&f);
	}
}

static void old_library(void **state)
{
	struct fix f;

	if (!getenv("TARE_STUB_OLD"))
		skip();
	fix_open_lib(&f, getenv("TARE_STUB_OLD"), "cards 2\ncard 1 pids=self\n", NULL);
	fix_poll(&f, 1);
	fix_poll(&f, 2);
	assert_int_equal(f.view->ndev, 2);
	/* without the newer struct, used counts what the driver keeps for itself */
	assert_true(value(&f, 0, METRIC_MEM_USED_BYTES) == 40.0 * 1073741824 + 500.0 * 1048576);
	assert_int_equal(dev(&f, 0)->nproc, 4);
	assert_true(dev(&f, 0)->proc[3].mem_bytes == 10000.0 * 1048576);
	assert_int_equal(dev(&f, 1)->proc[0].pid, getpid());
	assert_false(dev(&f, 0)->info.mig_enabled);
	assert_true(value(&f, 0, METRIC_THROTTLE_BITS) == 0);
	fix_close(&f);
}

static void hopper_has_gpm(void **state)
{
	struct fix f;

	fix_open(
		&f,
		"cards 1\ncard 0 name=\"NVIDIA H100 80GB HBM3\" arch=9 util=60 amp=0 sm_active=0.4 tensor=0.2 pcie_mb_s=2000\n",
		NULL);
	fix_poll(&f, 1);
	assert_true(isnan(value(&f, 0, METRIC_SM_ACTIVE_FRAC))); /* one sample is no average */
	fix_poll(&f, 1.1);
	assert_true(fabs(value(&f, 0, METRIC_SM_ACTIVE_FRAC) - 0.4) < 1e-9);
	assert_true(fabs(value(&f, 0, METRIC_TENSOR_ACTIVE_FRAC) - 0.2) < 1e-9);
	assert_true(fabs(value(&f, 0, METRIC_PCIE_RX_BYTES_S) - 2e9) < 1);
	assert_true(value(&f, 0, METRIC_GPU_UTIL_PCT) == 60);
	fix_poll(&f, 1.15); /* too early for a sample: the last one holds */
	assert_true(fabs(value(&f, 0, METRIC_SM_ACTIVE_FRAC) - 0.4) < 1e-9);
	fix_close(&f);
}

static void gpu_lost_and_back(void **state)
{
	struct fix f;

	fix_open(&f, "cards 2\nat 5 card 1 lost\nat 10 card 1 back\n", NULL);
	fix_poll(&f, 4);
	fix_poll(&f, 5);
	assert_int_equal(f.view->ndev, 2);
	assert_false(dev(&f, 1)->present);
	assert_true(dev(&f, 0)->present);
	assert_true(has_event(&f, GPU_LOST, 1, 0));
	for (int m = 0; m < METRIC_N; m++)
		assert_true(isnan(value(&f, 1, (enum metric)m)));
	assert_int_equal(dev(&f, 1)->nproc, 0);
	assert_string_equal(dev(&f, 1)->info.uuid, "GPU-57ab0001-aaaa-bbbb-cccc-000000000001");
	fix_poll(&f, 6);
	assert_int_equal(f.view->nevent, 0);
	assert_int_equal(f.view->generation, 1);
	fix_poll(&f, 10);
	assert_true(dev(&f, 1)->present && has_event(&f, GPU_BACK, 1, 0));
	assert_true(value(&f, 1, METRIC_GPU_UTIL_PCT) > 0);
	assert_int_equal(f.view->generation, 1);
	fix_close(&f);
}

static void driver_restart(void **state)
{
	struct fix f;

	fix_open(&f, "cards 2\nat 5 driver lost\nat 10 driver back\nat 10 version 560.1\n", NULL);
	fix_poll(&f, 4);
	fix_poll(&f, 5);
	assert_true(has_event(&f, GPU_DRIVER_LOST, -1, 0));
	assert_int_equal(f.view->ndev, 2);
	assert_false(dev(&f, 0)->present || dev(&f, 1)->present);
	assert_true(isnan(value(&f, 0, METRIC_MEM_USED_BYTES)));
	assert_non_null(f.view->problem);
	for (int t = 6; t < 10; t++) {
		fix_poll(&f, t);
		assert_int_equal(f.view->nevent, 0);
		assert_false(dev(&f, 0)->present);
	}
	for (int t = 10; t < 13 && !dev(&f, 0)->present; t++)
		fix_poll(&f, t);
	assert_true(has_event(&f, GPU_DRIVER_BACK, -1, 0));
	assert_true(dev(&f, 0)->present && dev(&f, 1)->present);
	assert_string_equal(f.view->driver, "nvml 560.1");
	assert_int_equal(f.view->generation, 1);
	assert_null(f.view->problem);
	fix_close(&f);
}

static void no_driver(void **state)
{
	struct fix f;

	fix_open_lib(&f, "/nowhere/libnvidia-ml.so.1", "", NULL);
	fix_poll(&f, 1);
	assert_int_equal(f.view->ndev, 0);
	assert_non_null(strstr(f.view->problem, "no NVIDIA driver"));
	fix_close(&f);
}

static void instances(void **state)
{
	struct fix f;
	const struct gpu_dev *d;

	fix_open(&f, "cards 2\ncard * arch=9\ncard 1 mig 3g.40gb@4:2 1g.10gb@0:9\n", NULL);
	fix_poll(&f, 1);
	fix_poll(&f, 2);
	assert_int_equal(f.view->ndev, 4);
	d = dev(&f, 1);
	assert_true(d->info.mig_enabled && isnan(d->value[METRIC_GPU_UTIL_PCT]) &&
		    isnan(d->value[METRIC_SM_ACTIVE_FRAC]));
	assert_true(d->value[METRIC_POWER_W] > 0);
	assert_int_equal(d->nproc, 0);
	d = dev(&f, 2);
	assert_int_equal(d->info.parent, 1);
	assert_int_equal(d->info.index, 1);
	assert_int_equal(d->info.gi, 2);
	assert_int_equal(d->info.ci, 0);
	assert_int_equal(d->info.mig_start, 4);
	assert_string_equal(d->info.mig_profile, "3g.40gb");
	assert_true(strncmp(d->info.uuid, "MIG-", 4) == 0);
	assert_true(d->value[METRIC_MEM_TOTAL_BYTES] == 40.0 * 1073741824);
	assert_true(d->value[METRIC_GPU_UTIL_PCT] == 55); /* the instance's own, not the parent's */
	assert_true(isnan(d->value[METRIC_POWER_W]));
	assert_int_equal(d->nproc, 1);
	fix_close(&f);
}

static void ampere_instance_has_no_utilisation(void **state)
{
	struct fix f;

	fix_open(&f, "cards 1\ncard 0 mig 7g.80gb@0\n", NULL);
	fix_poll(&f, 1);
	fix_poll(&f, 2);
	assert_true(isnan(value(&f, 1, METRIC_GPU_UTIL_PCT)) &&
		    isnan(value(&f, 0, METRIC_GPU_UTIL_PCT)));
	assert_true(value(&f, 1, METRIC_MEM_USED_BYTES) == 2000.0 * 1048576);
	fix_close(&f);
}

static void repartition(void **state)
{
	struct fix f;

	fix_open(
		&f,
		"cards 2\ncard * arch=9\ncard 0 mig 3g.40gb@4 3g.40gb@0\nat 5 card 0 mig 1g.10gb@0 1g.10gb@1 2g.20gb@2\nat 9 card 0 mig off\n",
		NULL);
	fix_poll(&f, 1);
	assert_int_equal(f.view->ndev, 4);
	fix_poll(&f, 5);
	fix_poll(&f, 6);
	assert_int_equal(f.view->ndev, 5);
	assert_int_equal(f.view->generation, 2);
	assert_string_equal(dev(&f, 3)->info.mig_profile, "2g.20gb");
	assert_int_equal(dev(&f, 4)->info.parent, -1);
	fix_poll(&f, 7);
	assert_int_equal(f.view->generation, 2);
	assert_true(value(&f, 3, METRIC_GPU_UTIL_PCT) == 55);
	fix_poll(&f, 9);
	fix_poll(&f, 10);
	assert_int_equal(f.view->ndev, 2);
	assert_int_equal(f.view->generation, 3);
	assert_true(value(&f, 0, METRIC_GPU_UTIL_PCT) >= 0);
	fix_close(&f);
}

static void mig_change_is_told(void **state)
{
	struct fix f;
	bool told = false;

	fix_open(&f, "cards 2\nat 5 card 1 mig 3g.40gb@0\n", NULL);
	fix_poll(&f, 4);
	for (int t = 5; t < 8; t++) {
		fix_poll(&f, t);
		told |= has_event(&f, GPU_MIG_CHANGED, 1, 0);
		assert_false(has_event(&f, GPU_MIG_CHANGED, 0, 0));
		/* limits are known in a new list too */
		assert_true(dev(&f, 0)->info.power_limit_w == 400 &&
			    dev(&f, 1)->info.power_limit_w == 400);
	}
	assert_true(told);
	fix_close(&f);
}

static void xid_once(void **state)
{
	struct fix f;

	fix_open(&f, "cards 2\nat 3 card 1 xid 79\nat 3 card 1 xid 31\n", NULL);
	fix_poll(&f, 2);
	assert_true(value(&f, 1, METRIC_XID) == 0);
	fix_poll(&f, 3);
	assert_true(value(&f, 1, METRIC_XID) == 31 && value(&f, 0, METRIC_XID) == 0);
	assert_true(has_event(&f, GPU_XID, 1, 79) && has_event(&f, GPU_XID, 1, 31));
	fix_poll(&f, 4);
	assert_true(value(&f, 1, METRIC_XID) == 0);
	assert_int_equal(f.view->nevent, 0);
	fix_close(&f);
}

static void pcie_where_asked(void **state)
{
	struct fix f;

	fix_open(&f, "cards 1\n", &(struct gpu_feed_opt){ .want_pcie = true });
	fix_poll(&f, 1);
	assert_true(value(&f, 0, METRIC_PCIE_TX_BYTES_S) == 2e9 &&
		    value(&f, 0, METRIC_PCIE_RX_BYTES_S) == 4e9);
	assert_int_equal(dev(&f, 0)->nproc, 0);
	assert_false(dev(&f, 0)->procs_known);
	fix_close(&f);
}

static void pcie_from_counters(void **state)
{
	struct fix f;

	fix_open(
		&f,
		"cards 2\ncard 0 pcie_counter=64\ncard 1 pcie_counter=32\nfail nvmlDeviceGetPcieThroughput 3 0\n",
		&(struct gpu_feed_opt){ .want_pcie = true });
	fix_poll(&f, 1);
	assert_true(isnan(value(&f, 0, METRIC_PCIE_TX_BYTES_S)));
	fix_poll(&f, 2);
	assert_true(fabs(value(&f, 0, METRIC_PCIE_TX_BYTES_S) - 2e9) < 10 &&
		    fabs(value(&f, 0, METRIC_PCIE_RX_BYTES_S) - 4e9) < 10);
	/* by the call: 32 bits wrap unseen */
	assert_true(value(&f, 1, METRIC_PCIE_TX_BYTES_S) == 2e9);
	fix_close(&f);
}

/* Every call may say NOT_SUPPORTED, NO_PERMISSION, a wrong version or rubbish: the others still
 * answer. */
static const struct {
	const char *fn;
	enum metric m;
} calls[] = {
	{ "nvmlDeviceGetUtilizationRates", METRIC_GPU_UTIL_PCT },
	{ "nvmlDeviceGetPowerUsage", METRIC_POWER_W },
	{ "nvmlDeviceGetTotalEnergyConsumption", METRIC_ENERGY_J },
	{ "nvmlDeviceGetTemperature", METRIC_TEMP_CELSIUS },
	{ "nvmlDeviceGetClockInfo", METRIC_SM_CLOCK_MHZ },
	{ "nvmlDeviceGetCurrentClocksEventReasons", METRIC_THROTTLE_BITS },
	{ "nvmlDeviceGetTotalEccErrors", METRIC_ECC_UNCORRECTED },
	/* an A100: later GPUs have it from GPM too */
	{ "nvmlDeviceGetFieldValues", METRIC_NVLINK_TX_BYTES_S },
	{ "nvmlGpmQueryDeviceSupport", METRIC_SM_ACTIVE_FRAC },
	{ "nvmlGpmSampleGet", METRIC_SM_ACTIVE_FRAC },
	{ "nvmlGpmMetricsGet", METRIC_SM_ACTIVE_FRAC },
	{ "nvmlDeviceRegisterEvents", METRIC_XID },
};

static void each_call_may_fail(void **state)
{
	static const int codes[] = { 3, 4, 2, 13, 999, 25 };

	for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++)
		for (size_t k = 0; k < sizeof codes / sizeof codes[0]; k++) {
			char script[256];
			struct fix f;
			snprintf(script, sizeof script, "cards 1\ncard 0 arch=%d\nfail %s %d\n",
				 c == 7 ? 7 : 9, calls[c].fn, codes[k]);
			fix_open(&f, script, NULL);
			for (int t = 1; t < 5; t++)
				fix_poll(&f, t);
			assert_int_equal(f.view->ndev, 1);
			assert_true(dev(&f, 0)->present);
			assert_true(isnan(value(&f, 0, calls[c].m)));
			assert_true(value(&f, 0, METRIC_MEM_USED_BYTES) > 0);
			assert_int_equal(dev(&f, 0)->nproc, 4);
			if (codes[k] == 4 && c < 8)
				assert_non_null(strstr(f.view->problem, "rights"));
			fix_close(&f);
		}
}

static void struct_version_mismatch(void **state)
{
	struct fix f;

	fix_open(
		&f,
		"cards 1\nfail nvmlDeviceGetMemoryInfo_v2 25\nfail nvmlDeviceGetComputeRunningProcesses_v3 25\n",
		NULL);
	fix_poll(&f, 1);
	assert_true(value(&f, 0, METRIC_MEM_USED_BYTES) == 40.0 * 1073741824 + 500.0 * 1048576);
	assert_int_equal(dev(&f, 0)->nproc, 4);
	assert_int_equal(dev(&f, 0)->proc[3].pid, 4000003);
	fix_poll(&f, 2);
	assert_int_equal(dev(&f, 0)->nproc, 4);
	fix_close(&f);
}

static void sentinels_are_unknown(void **state)
{
	struct fix f;

	fix_open(
		&f,
		"cards 2\ncard 0 proc_mib=-1 power_limit=4294967.295 proc_sm=4294967295\ncard 1 sm_mhz=4294967295 util=4294967295\n",
		NULL);
	fix_poll(&f, 1);
	assert_true(isnan(dev(&f, 0)->proc[0].mem_bytes) && isnan(dev(&f, 0)->proc[0].sm_util_pct));
	assert_true(isnan(dev(&f, 0)->info.power_limit_w));
	assert_true(isnan(value(&f, 1, METRIC_SM_CLOCK_MHZ)));
	fix_close(&f);
}

static void records_of_32_bytes(void **state)
{
	struct fix f;

	fix_open(&f, "cards 1\ncard 0 wide=1 procs=7\n", NULL);
	fix_poll(&f, 1);
	assert_int_equal(dev(&f, 0)->nproc, 7);
	for (int i = 0; i < 7; i++)
		assert_int_equal(dev(&f, 0)->proc[i].pid, 4000000 + i);
	fix_close(&f);
}

static void ten_thousand_processes(void **state)
{
	struct fix f;

	fix_open(
		&f,
		"cards 1\ncard 0 procs=60 util=100 amp=0\nat 2 card 0 procs=200\nat 3 card 0 procs=10000\nat 4 card 0 procs=0\n",
		NULL);
	fix_poll(&f, 1);
	assert_int_equal(dev(&f, 0)->nproc, 60);
	fix_poll(&f, 2);
	assert_int_equal(dev(&f, 0)->nproc, 200);
	fix_poll(&f, 3);
	assert_int_equal(dev(&f, 0)->nproc, 10000);
	assert_true(value(&f, 0, METRIC_PROC_COUNT) == 10000);
	fix_poll(&f, 4);
	assert_int_equal(dev(&f, 0)->nproc, 0);
	assert_true(value(&f, 0, METRIC_PROC_COUNT) == 0 && dev(&f, 0)->procs_known);
	fix_close(&f);
}

static void a_list_that_never_fits(void **state)
{
	struct fix f;

	fix_open(&f, "cards 1\nfail nvmlDeviceGetComputeRunningProcesses_v3 7\n", NULL);
	fix_poll(&f, 1);
	assert_false(dev(&f, 0)->procs_known);
	assert_true(isnan(value(&f, 0, METRIC_PROC_COUNT)));
	fix_close(&f);
}

static void mps_and_graphics(void **state)
{
	struct fix f;

	fix_open(&f, "cards 2\ncard 0 type=M pids=self\ncard 1 type=G pids=self,self\n", NULL);
	fix_poll(&f, 1);
	assert_int_equal(dev(&f, 0)->proc[0].type, 'M');
	assert_int_equal(dev(&f, 1)->nproc, 1); /* one process twice in the list is one */
	assert_int_equal(dev(&f, 1)->proc[0].type, 'G');
	assert_true(dev(&f, 0)->proc[0].start_ticks > 0);
	fix_close(&f);
}

static void hostile_texts(void **state)
{
	struct fix f;
	struct str s = { 0 };

	str_addz(&s, "cards 1\ncard 0 name=\"\\e[2J\\n");
	for (int i = 0; i < 1900; i++)
		str_addc(&s, 'A');
	str_addz(&s, "\" uuid=\"\\e]0;x");
	for (int i = 0; i < 1900; i++)
		str_addc(&s, 'u');
	str_addz(&s, "\"\n");
	fix_open(&f, s.p, NULL);
	fix_poll(&f, 1);
	fix_poll(&f, 2);
	assert_int_equal(f.view->generation, 1); /* the cut text is the same text each time */
	assert_int_equal(strlen(dev(&f, 0)->info.name), sizeof dev(&f, 0)->info.name - 1);
	assert_int_equal(strlen(dev(&f, 0)->info.uuid), sizeof dev(&f, 0)->info.uuid - 1);
	str_free(&s);
	fix_close(&f);
}

static void gpus_may_not_be_opened(void **state)
{
	struct fix f;

	fix_open(&f, "cards 4\nfail nvmlDeviceGetHandleByIndex_v2 4 2\n", NULL);
	fix_poll(&f, 1);
	assert_int_equal(f.view->ndev, 3);
	assert_non_null(strstr(f.view->problem, "1 of 4 GPUs"));
	assert_int_equal(dev(&f, 2)->info.index, 3);
	fix_close(&f);
}

static void a_gpu_is_taken_out(void **state)
{
	struct fix f;

	fix_open(&f, "cards 3\nat 5 cards 2\n", NULL);
	fix_poll(&f, 4);
	fix_poll(&f, 5);
	fix_poll(&f, 6);
	assert_int_equal(f.view->ndev, 3); /* paid for, and not there */
	assert_false(dev(&f, 2)->present);
	fix_close(&f);
}

static void recorded_readings(void **state)
{
	char path[] = "/tmp/t-nvml-record-XXXXXX", script[300];
	int fd = mkstemp(path);
	FILE *out = fdopen(fd, "w");
	struct fix f;

	fputs("time,node,gpu,gpu_util_pct,mem_used_bytes,power_w,temp_celsius\n2026-11-20T10:00:00Z,n1,0,12,1000000000,88.5,41\n"
	      "2026-11-20T10:00:01Z,n1,0,97,2000000000,300,\n",
	      out);
	fclose(out);
	snprintf(script, sizeof script, "cards 1\ncard 0 record=%s\n", path);
	fix_open(&f, script, NULL);
	fix_poll(&f, 0.5);
	assert_true(value(&f, 0, METRIC_GPU_UTIL_PCT) == 12 &&
		    value(&f, 0, METRIC_POWER_W) == 88.5 &&
		    value(&f, 0, METRIC_TEMP_CELSIUS) == 41);
	assert_true(value(&f, 0, METRIC_MEM_USED_BYTES) == 1e9);
	fix_poll(&f, 1.5);
	assert_true(value(&f, 0, METRIC_GPU_UTIL_PCT) == 97 &&
		    isnan(value(&f, 0, METRIC_TEMP_CELSIUS)));
	unlink(path);
	fix_close(&f);
}

static void processes_end_and_pids_return(void **state)
{
	struct gpu_feed_opt o = { .want_procs = true };
	struct tree t;
	struct fix f;

	tree_make(&t);
	tree_put(&t, "proc/77/stat",
		 "77 (a) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 500 1000 10 0\n");
	o.proc = tree_at(&t, "proc");
	fix_open(&f, "cards 1\ncard 0 pids=77,78\n", &o);
	fix_poll(&f, 1);
	assert_int_equal(dev(&f, 0)->nproc, 2);
	assert_int_equal(dev(&f, 0)->proc[0].start_ticks, 500);
	/* gone before it could be looked at */
	assert_int_equal(dev(&f, 0)->proc[1].start_ticks, 0);
	tree_rm(&t, "proc/77/stat");
	fix_poll(&f, 2);
	assert_int_equal(dev(&f, 0)->proc[0].start_ticks, 0); /* the driver still names it */
	tree_put(&t, "proc/77/stat",
		 "77 (b) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 900 1000 10 0\n");
	fix_poll(&f, 3);
	assert_int_equal(dev(&f, 0)->proc[0].start_ticks, 900); /* another one with its number */
	fix_close(&f);
	tree_free(&t);
}

static void what_can_be_read(void **state)
{
	struct gpu_can can[GPU_CAN_MAX];
	struct fix f;
	size_t n;

	fix_open(&f,
		 "cards 3\ncard 1 arch=9\ncard 2 mig 1g.10gb@0\nfail nvmlDeviceGetPowerUsage 4 1\n",
		 NULL);
	fix_poll(&f, 1);
	fix_poll(&f, 2);
	n = gpu_feed_can(f.feed, can, GPU_CAN_MAX);
	assert_true(n > 15 && n <= GPU_CAN_MAX);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(can[i].of, strcmp(can[i].reading, "process utilisation") ? 4 : 3);
		if (!strcmp(can[i].reading, "mem_used_bytes"))
			assert_true(can[i].devices == 4 && !*can[i].why);
		if (!strcmp(can[i].reading, "gpu_util_pct")) {
			assert_int_equal(can[i].devices, 2);
			assert_non_null(strstr(can[i].why, "MIG"));
		}
		if (!strcmp(can[i].reading, "power_w")) {
			assert_int_equal(can[i].devices, 2);
			assert_string_equal(can[i].why, "not permitted: needs root");
		}
		if (!strcmp(can[i].reading, "sm_active_frac"))
			assert_non_null(strstr(can[i].why, "Hopper"));
		if (!strcmp(can[i].reading, "processes"))
			assert_int_equal(can[i].devices, 3);
	}
	assert_int_equal(gpu_feed_can(f.feed, can, 3), 3);
	fix_close(&f);
}

/* ---- whatever happens, in any order ---- */

static uint64_t seed;
static unsigned draw(unsigned n)
{
	return (unsigned)random_below(&seed, n);
}

static void trouble(struct str *s, unsigned t)
{
	static const char *const mig[] = { "off",
					   "on",
					   "7g.80gb@0",
					   "1g.10gb@0 1g.10gb@1:8 2g.20gb@2:3",
					   "3g.40gb@0:1 3g.40gb@4:1",
					   "1g.10gb@6" };
	static const char *const fn[] = { "nvmlDeviceGetUtilizationRates",
					  "nvmlDeviceGetMemoryInfo_v2",
					  "nvmlDeviceGetUUID",
					  "nvmlDeviceGetMigMode",
					  "nvmlInit_v2",
					  "nvmlDeviceGetCount_v2",
					  "nvmlDeviceGetHandleByIndex_v2",
					  "nvmlDeviceGetComputeRunningProcesses_v3",
					  "nvmlDeviceGetMigDeviceHandleByIndex",
					  "nvmlGpmMigSampleGet",
					  "nvmlGpmSampleAlloc",
					  "nvmlEventSetWait_v2",
					  "nvmlDeviceGetMaxMigDeviceCount",
					  "nvmlDeviceGetProcessUtilization",
					  "nvmlDeviceGetFieldValues",
					  "nvmlEventSetCreate" };
	static const int code[] = { 0, 0, 0, 1, 2, 3, 4, 6, 7, 9, 15, 18, 25, 999 };

	str_addf(s, "at %u ", t);
	switch (draw(8)) {
	case 0: str_addf(s, "card %u lost\n", draw(4)); break;
	case 1: str_addf(s, "card * back\n"); break;
	case 2: str_addf(s, "driver %s\n", draw(3) ? "back" : "lost"); break;
	case 3: str_addf(s, "card %u mig %s\n", draw(4), mig[draw(6)]); break;
	case 4: str_addf(s, "cards %u\n", 2 + draw(4)); break;
	case 5: str_addf(s, "card %u procs=%u xid 1\n", draw(4), draw(300)); break;
	default: str_addf(s, "fail %s %d\n", fn[draw(16)], code[draw(2) ? 0 : draw(14)]);
	}
}

static void check_view(const struct gpu_view *v)
{
	for (size_t i = 0; i < v->ndev; i++) {
		const struct gpu_dev *d = &v->dev[i];
		int parent = d->info.parent;
		assert_true(parent < (int)i && parent >= -1);
		if (parent >= 0)
			assert_true(v->dev[parent].info.parent == -1 &&
				    (v->dev[parent].present || !d->present));
		if (parent < 0 && d->info.mig_enabled)
			assert_true(isnan(d->value[METRIC_GPU_UTIL_PCT]) &&
				    isnan(d->value[METRIC_SM_ACTIVE_FRAC]) && !d->nproc);
		for (int m = 0; m < METRIC_N && !d->present; m++)
			assert_true(isnan(d->value[m]));
		assert_true(d->present || !d->nproc);
		assert_true(isnan(d->value[METRIC_PROC_COUNT]) ||
			    d->value[METRIC_PROC_COUNT] == (double)d->nproc);
	}
	for (size_t i = 0; i < v->nevent; i++)
		assert_true(v->event[i].dev >= -1 && v->event[i].dev < (int)v->ndev);
}

static void anything_goes(void **state)
{
	size_t present = 0, gone = 0, changes = 0;

	for (int k = 0; k < 40; k++) {
		struct str s = { 0 };
		struct fix f;
		char first[64][96];
		uint64_t generation = 0;
		seed = (uint64_t)k * 1000 + 1;
		str_addz(&s, "cards 4\ncard 1 arch=9\ncard 3 arch=9 mig 3g.40gb@0 1g.10gb@4\n");
		for (unsigned t = 1; t < 120; t++)
			trouble(&s, t);
		str_addz(&s, "at 120 driver back\nat 120 card * back\n");
		for (unsigned t = 0; t < 130; t++) {
			if (!t)
				fix_open(&f, s.p, NULL);
			fix_poll(&f, t + 1);
			check_view(f.view);
			for (size_t i = 0; i < f.view->ndev && i < 64; i++) {
				if (f.view->generation == generation)
					assert_string_equal(first[i], f.view->dev[i].info.uuid);
				strcpy(first[i], f.view->dev[i].info.uuid);
			}
			changes += f.view->generation != generation;
			generation = f.view->generation;
			for (size_t i = 0; i < f.view->ndev; i++)
				f.view->dev[i].present ? present++ : gone++;
		}
		str_free(&s);
		fix_close(&f);
	}
	/* else this looked at nothing */
	assert_true(present > 3000 && gone > 1000 && changes > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eight_gpus_at_work),
		cmocka_unit_test(energy_is_the_integral_of_power),
		cmocka_unit_test(what_costs_time_is_asked_seldom),
		cmocka_unit_test(old_library),
		cmocka_unit_test(hopper_has_gpm),
		cmocka_unit_test(gpu_lost_and_back),
		cmocka_unit_test(driver_restart),
		cmocka_unit_test(no_driver),
		cmocka_unit_test(instances),
		cmocka_unit_test(ampere_instance_has_no_utilisation),
		cmocka_unit_test(repartition),
		cmocka_unit_test(mig_change_is_told),
		cmocka_unit_test(xid_once),
		cmocka_unit_test(pcie_where_asked),
		cmocka_unit_test(pcie_from_counters),
		cmocka_unit_test(each_call_may_fail),
		cmocka_unit_test(struct_version_mismatch),
		cmocka_unit_test(sentinels_are_unknown),
		cmocka_unit_test(records_of_32_bytes),
		cmocka_unit_test(ten_thousand_processes),
		cmocka_unit_test(a_list_that_never_fits),
		cmocka_unit_test(mps_and_graphics),
		cmocka_unit_test(hostile_texts),
		cmocka_unit_test(gpus_may_not_be_opened),
		cmocka_unit_test(a_gpu_is_taken_out),
		cmocka_unit_test(recorded_readings),
		cmocka_unit_test(processes_end_and_pids_return),
		cmocka_unit_test(what_can_be_read),
		cmocka_unit_test(anything_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
