/* AMD GPUs in a /sys and /proc of our own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/gpu.h"
#include "tree.h"

#define GPU "sys/class/drm/card1/device/"

static void make(struct tree *t)
{
	tree_make(t);
	tree_put(t, GPU "vendor", "0x1002\n");
	tree_put(t, GPU "device", "0x74a1\n");
	tree_put(t, GPU "unique_id", "9ea1c5f3a2b41d07\n");
	tree_put(t, GPU "product_name", "AMD Instinct MI300X\n");
	tree_put(t, GPU "uevent",
		 "DRIVER=amdgpu\nPCI_CLASS=38000\nPCI_SLOT_NAME=0000:03:00.0\nMODALIAS=pci\n");
	tree_put(t, GPU "gpu_busy_percent", "73\n");
	tree_put(t, GPU "mem_info_vram_used", "1073741824\n");
	tree_put(t, GPU "mem_info_vram_total", "206141652992\n");
	tree_put(t, GPU "hwmon/hwmon4/power1_average", "412000000\n");
	tree_put(t, GPU "hwmon/hwmon4/power1_cap", "750000000\n");
	tree_put(t, GPU "hwmon/hwmon4/temp1_input", "51000\n");
	tree_put(t, GPU "hwmon/hwmon4/temp2_input", "64000\n");
	tree_put(t, GPU "hwmon/hwmon4/freq1_input", "2100000000\n");
	tree_put(t, GPU "hwmon/hwmon4/energy1_input", "5000000000\n");
	tree_put(t, GPU "ras/umc_err_count", "ue: 2\nce: 7\n");
	tree_put(t, "sys/class/drm/card1-DP-1/status", "x");
	tree_put(t, "sys/class/drm/card0/device/vendor", "0x10de\n");
	tree_put(t, "sys/class/drm/version", "drm\n");
}

static void process(struct tree *t, int pid, int fd, const char *client, long long ns, int vram_kib,
		    const char *start)
{
	char path[128], text[512], to[128];

	snprintf(path, sizeof path, "proc/%d/fdinfo/%d", pid, fd);
	snprintf(
		text, sizeof text,
		"pos:\t0\nflags:\t02\ndrm-driver:\tamdgpu\ndrm-pdev:\t0000:03:00.0\ndrm-client-id:\t%s\ndrm-memory-vram:\t%d KiB\n"
		"drm-engine-gfx:\t0 ns\ndrm-engine-compute:\t%lld ns\n",
		client, vram_kib, ns);
	tree_put(t, path, text);
	snprintf(path, sizeof path, "proc/%d/fd/.keep", pid);
	tree_put(t, path, "");
	snprintf(to, sizeof to, "proc/%d/fd/%d", pid, fd);
	unlink(tree_at(t, to));
	assert_int_equal(symlink("/dev/dri/renderD128", tree_at(t, to)), 0);
	snprintf(path, sizeof path, "proc/%d/stat", pid);
	snprintf(text, sizeof text,
		 "%d (py) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 %s 1000 10 0\n", pid, start);
	tree_put(t, path, text);
}

static struct gpu_feed *feed(struct tree *t)
{
	struct gpu_feed_opt o = { .nvml = "/nowhere/lib.so",
				  .sysfs = tree_at(t, "sys"),
				  .proc = tree_at(t, "proc"),
				  .want_procs = true };
	struct gpu_feed *f;
	struct err err;

	assert_int_equal(gpu_feed_open(&o, &f, &err), 0);
	return f;
}

static const struct gpu_view *poll(struct gpu_feed *f, int64_t mono_ms)
{
	const struct gpu_view *v;
	struct err err;

	assert_int_equal(gpu_feed_poll(f, 1795000000000 + mono_ms, mono_ms, &v, &err), 0);
	return v;
}

static void readings(void **state)
{
	struct tree t;
	struct gpu_feed *f;
	const struct gpu_view *v;
	const struct gpu_dev *d;

	make(&t);
	f = feed(&t);
	v = poll(f, 1000);
	assert_int_equal(v->ndev, 1);
	assert_string_equal(v->driver, "amdgpu");
	assert_null(v->problem);
	d = &v->dev[0];
	assert_string_equal(d->info.name, "AMD Instinct MI300X");
	assert_string_equal(d->info.uuid, "GPU-9ea1c5f3a2b41d07");
	assert_string_equal(d->info.bus_id, "0000:03:00.0");
	assert_int_equal(d->info.index, 1);
	assert_true(d->info.power_limit_w == 750 && d->info.mem_total_bytes == 206141652992.0);
	assert_true(d->value[METRIC_GPU_UTIL_PCT] == 73 && isnan(d->value[METRIC_MEM_UTIL_PCT]));
	assert_true(d->value[METRIC_MEM_USED_BYTES] == 1073741824 &&
		    d->value[METRIC_POWER_W] == 412);
	assert_true(d->value[METRIC_TEMP_CELSIUS] == 64 && d->value[METRIC_SM_CLOCK_MHZ] == 2100 &&
		    isnan(d->value[METRIC_MEM_CLOCK_MHZ]));
	assert_true(d->value[METRIC_ENERGY_J] == 5000 && d->value[METRIC_ECC_UNCORRECTED] == 2);
	assert_true(isnan(d->value[METRIC_SM_ACTIVE_FRAC]));

	tree_put(&t, GPU "gpu_busy_percent", "4294967295\n");
	tree_put(&t, GPU "hwmon/hwmon4/power1_average", "N/A\n");
	v = poll(f, 2000);
	assert_true(isnan(v->dev[0].value[METRIC_GPU_UTIL_PCT]) &&
		    isnan(v->dev[0].value[METRIC_POWER_W]));
	gpu_feed_close(f);
	tree_free(&t);
}

static void processes(void **state)
{
	struct tree t;
	struct gpu_feed *f;
	const struct gpu_view *v;

	make(&t);
	process(&t, 41, 5, "9", 1000000000, 1024, "77");
	process(&t, 41, 6, "9", 1000000000, 1024, "77"); /* the same client through another file */
	process(&t, 41, 7, "10", 0, 512, "77");
	process(&t, 42, 3, "11", 0, 64, "78");
	f = feed(&t);
	v = poll(f, 1000);
	assert_int_equal(v->dev[0].nproc, 2);
	v = poll(f, 1500);
	process(&t, 41, 5, "9", 1250000000, 2048, "77");
	process(&t, 41, 6, "9", 1250000000, 2048, "77");
	v = poll(f, 2000);
	for (size_t i = 0; i < 2; i++) {
		const struct gpu_proc *p = &v->dev[0].proc[i];
		if (p->pid != 41)
			continue;
		assert_int_equal(p->start_ticks, 77);
		assert_int_equal(p->type, 'C');
		assert_true(p->mem_bytes == 2560 * 1024.0);
		assert_true(fabs(p->sm_util_pct - 50) < 1e-9);
	}
	/* another process has the pid by now, and a client of the same number */
	process(&t, 41, 5, "9", 9250000000, 1, "900");
	process(&t, 41, 6, "9", 9250000000, 1, "900");
	v = poll(f, 3000);
	for (size_t i = 0; i < v->dev[0].nproc; i++)
		if (v->dev[0].proc[i].pid == 41)
			assert_true(v->dev[0].proc[i].start_ticks == 900 &&
				    isnan(v->dev[0].proc[i].sm_util_pct));
	/* gone between two reads */
	assert_int_equal(unlink(tree_at(&t, "proc/42/fd/3")), 0);
	v = poll(f, 4000);
	assert_int_equal(v->dev[0].nproc, 1);
	gpu_feed_close(f);
	tree_free(&t);
}

static void gpu_goes_and_comes(void **state)
{
	struct tree t;
	struct gpu_feed *f;
	const struct gpu_view *v;

	make(&t);
	f = feed(&t);
	poll(f, 1000);
	tree_rm(&t, GPU "vendor");
	v = poll(f, 12000);
	assert_int_equal(v->ndev, 1);
	assert_false(v->dev[0].present);
	assert_int_equal(v->nevent, 1);
	assert_int_equal(v->event[0].kind, GPU_LOST);
	assert_true(isnan(v->dev[0].value[METRIC_MEM_USED_BYTES]));
	tree_put(&t, GPU "vendor", "0x1002\n");
	v = poll(f, 23000);
	assert_true(v->dev[0].present && v->event[0].kind == GPU_BACK && v->generation == 1);
	gpu_feed_close(f);
	tree_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(readings), cmocka_unit_test(processes),
					    cmocka_unit_test(gpu_goes_and_comes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
