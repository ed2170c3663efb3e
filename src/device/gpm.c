/*
 * SM activity and its like on Hopper and later: two samples of the hardware's counters give the
 * averages between them. Of a MIG instance the counters of its GPU instance are read; the GPU's
 * never stand in for them.
 */
#include <math.h>

#include "device/nvml_in.h"

#define APART_MS 95   /* the library asks for 100 ms; a tick of 100 ms may come a little early */
#define KEEP_MS  2000 /* between samples the last averages hold */

static const struct ask {
	uint32_t id;
	enum metric metric;
	double scale, max; /* to the metric's unit; max: in that unit, 0 = none */
} asks[] = {
	{ GPM_SM_UTIL, METRIC_SM_ACTIVE_FRAC, 0.01, 1 },
	{ GPM_SM_OCCUPANCY, METRIC_OCCUPANCY_FRAC, 0.01, 1 },
	{ GPM_ANY_TENSOR_UTIL, METRIC_TENSOR_ACTIVE_FRAC, 0.01, 1 },
	{ GPM_DRAM_BW_UTIL, METRIC_DRAM_ACTIVE_FRAC, 0.01, 1 },
	{ GPM_GRAPHICS_UTIL, METRIC_GPU_UTIL_PCT, 1, 100 },
	{ GPM_PCIE_TX, METRIC_PCIE_TX_BYTES_S, 0, 0 },
	{ GPM_PCIE_RX, METRIC_PCIE_RX_BYTES_S, 0, 0 },
	{ GPM_NVLINK_TX, METRIC_NVLINK_TX_BYTES_S, 0, 0 },
	{ GPM_NVLINK_RX, METRIC_NVLINK_RX_BYTES_S, 0, 0 },
};
#define NASK (sizeof asks / sizeof asks[0])
static_assert(NASK <= NVML_GPM_ASK_MAX, "the question has no room for all");

void gpm_free(struct nvml *n, struct gpm *g)
{
	for (int i = 0; i < 2; i++)
		if (g->sample[i] && n->lib.gpm_free)
			n->lib.gpm_free(g->sample[i]);
	*g = (struct gpm){ 0 };
}

/* Bytes per second; documented as MiB/s where the library names no unit. */
static double unit_bytes(const char *unit)
{
	static const struct {
		const char *text;
		double bytes;
	} known[] = { { "GiB", 1073741824 }, { "MiB", 1048576 }, { "KiB", 1024 }, { "GB", 1e9 },
		      { "MB", 1e6 },         { "KB", 1e3 },      { "B/", 1 } };
	char buf[16] = "";

	if (unit)
		memcpy(buf, unit, strnlen(unit, sizeof buf - 1));
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strstr(buf, known[i].text))
			return known[i].bytes;
	return 1048576;
}

static void work_out(struct nvml *n, struct gpm *g, bool whole)
{
	struct nvml_gpm_get q = {
		.version = 1, .n = NASK, .from = g->sample[0], .to = g->sample[1]
	};

	for (int m = 0; m < METRIC_N; m++)
		g->value[m] = NAN;
	for (size_t i = 0; i < NASK; i++)
		q.metric[i].id = asks[i].id;
	if (n->lib.gpm_metrics(&q) != NVML_OK)
		return;
	for (size_t i = 0; i < NASK; i++) {
		double v = q.metric[i].value *
			   (asks[i].scale ? asks[i].scale : unit_bytes(q.metric[i].unit));
		if (q.metric[i].ret != NVML_OK || !isfinite(v) || v < 0)
			continue;
		if (asks[i].max && v > asks[i].max)
			/* averages end a hair above 100 %, rubbish far above */
			v = v <= asks[i].max * 1.02 ? asks[i].max : NAN;
		g->value[asks[i].metric] = v;
	}
	if (whole)
		/* the GPU's own utilisation is NVML's; this one counts otherwise */
		g->value[METRIC_GPU_UTIL_PCT] = NAN;
	g->read_ms = g->at_ms[1];
}

static void step_gpm(struct nvml *n, struct nvml_dev *d, void *gpu, int gi, int64_t mono_ms)
{
	struct gpm *g = &d->gpm;
	int to = 0;

	if (g->nsample < 2)
		to = g->nsample;
	if (g->nsample && mono_ms - g->at_ms[g->nsample - 1] < APART_MS)
		return;
	if (g->nsample == 2 && !nvml_due(d, CALL_GPM, mono_ms))
		return;
	int64_t begun = nvml_begin();
	if (!g->sample[to] && n->lib.gpm_alloc(&g->sample[to]) != NVML_OK) {
		g->sample[to] = NULL;
		return;
	}
	if (gi >= 0 && !n->lib.gpm_mig_sample)
		return;
	int rc = gi >= 0 ? n->lib.gpm_mig_sample(gpu, (uint32_t)gi, g->sample[to])
			 : n->lib.gpm_sample(gpu, g->sample[to]);
	if (!nvml_good(n, d, CALL_GPM, rc))
		return;
	if (g->nsample == 2) { /* the older one was written over: now it is the newer */
		void *s = g->sample[0];
		g->sample[0] = g->sample[1];
		g->sample[1] = s;
		g->at_ms[0] = g->at_ms[1];
	} else {
		g->nsample++;
	}
	g->at_ms[g->nsample - 1] = mono_ms;
	if (g->nsample == 2)
		work_out(n, g, gi < 0);
	nvml_paid(d, CALL_GPM, begun, mono_ms, KEEP_MS / 2);
}

void gpm_read(struct nvml *n, struct nvml_dev *d, void *gpu, int gi, int64_t mono_ms, double *value)
{
	struct gpm *g = &d->gpm;

	if (!nvml_may(d, CALL_GPM) || n->down || !gpu)
		return;
	if (!g->nsample) {
		struct nvml_gpm_support s = { .version = 1 };
		bool known = n->lib.gpm_support && n->lib.gpm_alloc && n->lib.gpm_free;
		known = known && n->lib.gpm_metrics && n->lib.gpm_sample;
		if (!known || !nvml_good(n, d, CALL_GPM, n->lib.gpm_support(gpu, &s)) ||
		    !s.supported) {
			d->refused |= 1u << CALL_GPM;
			return;
		}
	}
	step_gpm(n, d, gpu, gi, mono_ms);
	if (g->nsample < 2 || mono_ms - g->read_ms > KEEP_MS)
		return;
	for (int m = 0; m < METRIC_N; m++)
		if (!isnan(g->value[m]))
			value[m] = g->value[m];
}
