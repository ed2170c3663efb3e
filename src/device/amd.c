/*
 * AMD GPUs through what the kernel's amdgpu driver shows in /sys: no library is needed. Units of
 * the kernel's documentation of amdgpu and hwmon: percent, bytes, microwatts, thousandths of a
 * degree, hertz, microjoules.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "device/amd_in.h"
#include "base/sort.h"

#define LOOK_MS  10000
#define GPUS_MAX 256

/* First line of a file without blanks at its end; false where there is none. */
static bool line_of(struct amd *a, char *ret, size_t n, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static bool line_of(struct amd *a, char *ret, size_t n, const char *fmt, ...)
{
	char path[600];
	va_list ap;
	ssize_t got;
	int fd, len = snprintf(path, sizeof path, "%s/class/drm/", a->sys);

	va_start(ap, fmt);
	vsnprintf(path + len, sizeof path - (size_t)len, fmt, ap);
	va_end(ap);
	ret[0] = 0;
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return false;
	got = read(fd, ret, n - 1);
	close(fd);
	ret[max_i64(got, 0)] = 0;
	ret[strcspn(ret, "\r\n")] = 0;
	return got > 0;
}

static double read_number(struct amd *a, const char *gpu, const char *file)
{
	char buf[64];
	double v;

	if (!line_of(a, buf, sizeof buf, "%s/device/%s", gpu, file) ||
	    sv_f64(sv_trim(sv_of(buf)), &v) < 0 || v < 0)
		return NAN;
	return v;
}

static double read_hwmon(struct amd *a, const struct amd_gpu *c, const char *file)
{
	char buf[128];

	if (!c->hwmon[0])
		return NAN;
	snprintf(buf, sizeof buf, "hwmon/%s/%s", c->hwmon, file);
	return read_number(a, c->dir, buf);
}

static double valid_pct(double v)
{
	if (v <= 100)
		return v;
	return NAN;
}

static void read_gpu(struct amd *a, size_t i)
{
	const struct amd_gpu *c = &a->gpu.v[i];
	struct gpu_dev *g = &a->set.dev.v[i];
	double *v = g->value, w;

	gpu_dev_clear(g);
	if (!g->present)
		return;
	v[METRIC_GPU_UTIL_PCT] = valid_pct(read_number(a, c->dir, "gpu_busy_percent"));
	v[METRIC_MEM_UTIL_PCT] = valid_pct(read_number(a, c->dir, "mem_busy_percent"));
	v[METRIC_MEM_USED_BYTES] = read_number(a, c->dir, "mem_info_vram_used");
	v[METRIC_MEM_TOTAL_BYTES] = g->info.mem_total_bytes;
	w = read_hwmon(a, c, "power1_average");
	v[METRIC_POWER_W] = (isnan(w) ? read_hwmon(a, c, "power1_input") : w) / 1e6;
	v[METRIC_ENERGY_J] = read_hwmon(a, c, "energy1_input") / 1e6;
	/* the hottest spot of the die where it is measured ("junction", temp2), else the edge */
	w = read_hwmon(a, c, "temp2_input");
	v[METRIC_TEMP_CELSIUS] = (isnan(w) ? read_hwmon(a, c, "temp1_input") : w) / 1000;
	v[METRIC_SM_CLOCK_MHZ] = read_hwmon(a, c, "freq1_input") / 1e6;
	v[METRIC_MEM_CLOCK_MHZ] = read_hwmon(a, c, "freq2_input") / 1e6;
	/* "ue: 3" of the memory controller */
	char ecc[64];
	if (line_of(a, ecc, sizeof ecc, "%s/device/ras/umc_err_count", c->dir) &&
	    !strncmp(ecc, "ue:", 3) && sv_f64(sv_trim(sv_of(ecc + 3)), &w) >= 0)
		v[METRIC_ECC_UNCORRECTED] = w;
}

/* ---- which GPUs ---- */

static void read_static(struct amd *a, struct amd_gpu *c, struct gpu_info *g)
{
	char path[600], uevent[2048], id[32];
	struct dirent *e;
	double w;

	gpu_info_init(g);
	g->minor = g->index = atoi(c->dir + 4);
	snprintf(path, sizeof path, "%s/class/drm/%s/device/hwmon", a->sys, c->dir);
	DIR *d = opendir(path);
	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, "hwmon", 5) && strlen(e->d_name) < sizeof c->hwmon)
			strcpy(c->hwmon, e->d_name);
	if (d)
		closedir(d);
	/* "PCI_SLOT_NAME=0000:03:00.0" */
	snprintf(path, sizeof path, "%s/class/drm/%s/device/uevent", a->sys, c->dir);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t n = read(fd, uevent, sizeof uevent - 1);
		close(fd);
		uevent[max_i64(n, 0)] = 0;
		const char *at = strstr(uevent, "PCI_SLOT_NAME=");
		if (at)
			snprintf(g->bus_id, sizeof g->bus_id, "%.*s",
				 min_int((int)strcspn(at + 14, "\n"), 20), at + 14);
	}
	if (line_of(a, id, sizeof id, "%s/device/unique_id", c->dir) && id[0])
		/* as ROCR_VISIBLE_DEVICES has it */
		snprintf(g->uuid, sizeof g->uuid, "GPU-%.20s", !strncmp(id, "0x", 2) ? id + 2 : id);
	if (!line_of(a, g->name, sizeof g->name, "%s/device/product_name", c->dir) &&
	    line_of(a, id, sizeof id, "%s/device/device", c->dir))
		snprintf(g->name, sizeof g->name, "AMD %.20s", id);
	g->mem_total_bytes = read_number(a, c->dir, "mem_info_vram_total");
	w = read_hwmon(a, c, "power1_cap");
	g->power_limit_w = w > 0 ? w / 1e6 : NAN;
	w = read_hwmon(a, c, "temp2_crit");
	g->temp_slowdown_celsius = (isnan(w) ? read_hwmon(a, c, "temp1_crit") : w) / 1000;
}

static int by_number(const void *a, const void *b)
{
	return atoi(*(char *const *)a + 4) - atoi(*(char *const *)b + 4);
}

static size_t list_dirs(struct amd *a, char **dir)
{
	char path[512], vendor[32];
	struct dirent *e;
	size_t n = 0;
	DIR *d;

	snprintf(path, sizeof path, "%s/class/drm", a->sys);
	d = opendir(path);
	while (d && (e = readdir(d)) && n < GPUS_MAX) {
		/* "card0", not its connectors "card0-DP-1" */
		size_t digits = 0;
		if (!strncmp(e->d_name, "card", 4))
			digits = strspn(e->d_name + 4, "0123456789");
		if (!digits || digits > 7 || e->d_name[4 + digits])
			continue;
		if (!line_of(a, vendor, sizeof vendor, "%s/device/vendor", e->d_name))
			continue;
		if (!strcmp(vendor, "0x1002") &&
		    !isnan(read_number(a, e->d_name, "mem_info_vram_total")))
			dir[n++] = xstrdup(e->d_name);
	}
	if (d)
		closedir(d);
	if (n > 1)
		sort_items(dir, n, sizeof *dir, by_number);
	return n;
}

/* GPUs that came are added at the end; those that went stay as lost. */
static void look_for_gpus(struct amd *a)
{
	char *dir[GPUS_MAX];
	size_t n = list_dirs(a, dir);

	for (size_t i = 0; i < a->gpu.n; i++) {
		bool here = false;
		for (size_t k = 0; k < n; k++)
			if (dir[k] && !strcmp(dir[k], a->gpu.v[i].dir)) {
				here = true;
				free(dir[k]);
				dir[k] = NULL;
			}
		if (here != a->set.dev.v[i].present)
			*vec_push(&a->set.event) = (struct gpu_event){ here ? GPU_BACK : GPU_LOST,
								       (int)i, 0 };
		a->set.dev.v[i].present = here;
	}
	for (size_t k = 0; k < n; k++) {
		struct amd_gpu c = { 0 };
		struct gpu_dev *g;
		if (!dir[k])
			continue;
		snprintf(c.dir, sizeof c.dir, "%s", dir[k]);
		g = vec_push(&a->set.dev);
		*g = (struct gpu_dev){ .present = true };
		read_static(a, &c, &g->info);
		*vec_push(&a->gpu) = c;
		a->set.generation++;
		free(dir[k]);
	}
}

static int poll_amd(void *self, int64_t now_ms, int64_t mono_ms, struct err *err)
{
	struct amd *a = self;

	(void)now_ms;
	(void)err;
	vec_clear(&a->set.event);
	if (a->looked_ms == INT64_MIN || mono_ms - a->looked_ms >= LOOK_MS) {
		a->looked_ms = mono_ms;
		look_for_gpus(a);
		snprintf(a->set.driver, sizeof a->set.driver, "%s", text_if(a->gpu.n, "amdgpu"));
	}
	for (size_t i = 0; i < a->gpu.n; i++)
		read_gpu(a, i);
	if (a->want_procs && a->gpu.n)
		amd_read_procs(a, mono_ms);
	str_clear(&a->set.problem);
	if (a->hidden && a->gpu.n)
		str_addz(&a->set.problem,
			 "processes of other users on AMD GPUs are not seen without root");
	return 0;
}

static int amd_open(const struct gpu_feed_opt *opt, void **ret, struct err *err)
{
	struct amd *a = xcalloc(1, sizeof *a);

	(void)err;
	a->sys = xstrdup(text_or(opt->sysfs, "/sys"));
	a->proc = xstrdup(text_or(opt->proc, "/proc"));
	a->want_procs = opt->want_procs;
	a->looked_ms = INT64_MIN;
	*ret = a;
	return 0;
}

static const struct gpu_set *amd_set(const void *self)
{
	return &((const struct amd *)self)->set;
}

static void amd_close(void *self)
{
	struct amd *a = self;

	amd_free_procs(a);
	vec_free(&a->gpu);
	vec_free(&a->set.dev);
	vec_free(&a->set.event);
	str_free(&a->set.problem);
	free(a->sys);
	free(a->proc);
	free(a);
}

const struct gpu_src_ops gpu_src_amd = { .name = "amd",
					 .may_hang = true,
					 .open = amd_open,
					 .poll = poll_amd,
					 .set = amd_set,
					 .close = amd_close };
