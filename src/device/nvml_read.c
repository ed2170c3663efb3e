/* The readings of one NVIDIA GPU or MIG instance. What is not there, not supported or not allowed
 * stays NAN. */
#include <math.h>

#include "base/tm.h"
#include "device/nvml_in.h"

#define STATIC_MS  MS_MINUTE /* limits change only when an administrator changes them */
#define ENERGY_MAX 10000     /* between two readings of the counter, ms */

static double valid_u32(uint32_t v)
{
	return v == UINT32_MAX ? NAN : v;
}

static double valid_u64(uint64_t v)
{
	if (v == NVML_NOT_AVAILABLE)
		return NAN;
	return (double)v;
}

static double valid_pct(uint32_t v)
{
	return v <= 100 ? v : NAN;
}

/* Used without what the driver keeps for itself where the library tells the two apart. */
static void read_memory(struct nvml *n, struct nvml_dev *d, struct gpu_dev *g)
{
	struct nvml_mem2 m2 = { .version = NVML_MEM2_VERSION };
	struct nvml_mem1 m1 = { 0 };

	if (NVML_ASK(n, d, CALL_MEM2, mem2, &m2))
		m1 = (struct nvml_mem1){ .total = m2.total, .used = m2.used };
	else if (!NVML_ASK(n, d, CALL_MEM1, mem1, &m1))
		return;
	g->value[METRIC_MEM_USED_BYTES] = valid_u64(m1.used);
	g->value[METRIC_MEM_TOTAL_BYTES] = m1.total ? valid_u64(m1.total) : NAN;
	g->info.mem_total_bytes = g->value[METRIC_MEM_TOTAL_BYTES];
}

static void read_limits(struct nvml *n, struct nvml_dev *d, struct gpu_dev *g, int64_t mono_ms)
{
	uint32_t v = 0;

	if (d->static_ms && mono_ms - d->static_ms < STATIC_MS)
		return;
	d->static_ms = mono_ms ? mono_ms : 1;
	if (n->lib.power_limit && n->lib.power_limit(d->h, &v) == NVML_OK && v)
		g->info.power_limit_w = valid_u32(v) / 1000;
	else
		g->info.power_limit_w = NAN;
	v = 0;
	bool known = n->lib.temp_limit &&
		     n->lib.temp_limit(d->h, NVML_THRESHOLD_SLOWDOWN, &v) == NVML_OK;
	g->info.temp_slowdown_celsius = NAN;
	if (known && v && v < 1000)
		g->info.temp_slowdown_celsius = v;
}

static double rate_of(struct nvml_counter *c, uint64_t v, double unit, int64_t mono_ms)
{
	double r = NAN;

	if (c->known && v >= c->v && mono_ms > c->at_ms)
		r = (double)(v - c->v) * unit * 1000 / (double)(mono_ms - c->at_ms);
	*c = (struct nvml_counter){ true, v, mono_ms };
	return r;
}

static bool field_u64(const struct nvml_field *f, uint64_t *ret)
{
	if (f->ret != NVML_OK)
		return false;
	switch (f->type) {
	case NVML_T_UINT: *ret = f->value.u; return true;
	case NVML_T_ULONG:
	case NVML_T_ULL: *ret = f->value.ull; return f->value.ull != NVML_NOT_AVAILABLE;
	case NVML_T_SLL: *ret = (uint64_t)f->value.sll; return f->value.sll >= 0;
	default: return false;
	}
}

/* Payload over all links: counters in KiB. */
static void read_nvlink(struct nvml *n, struct nvml_dev *d, double *value, int64_t mono_ms)
{
	struct nvml_field f[2] = { { .field = NVML_FIELD_NVLINK_DATA_TX, .scope = UINT32_MAX },
				   { .field = NVML_FIELD_NVLINK_DATA_RX, .scope = UINT32_MAX } };
	uint64_t v;
	double r;

	if (!NVML_ASK(n, d, CALL_NVLINK, fields, 2, f))
		return;
	if (f[0].ret == NVML_NOT_SUPPORTED && f[1].ret == NVML_NOT_SUPPORTED)
		d->refused |= 1u << CALL_NVLINK;
	if (field_u64(&f[0], &v) && !isnan(r = rate_of(&d->nvlink_tx, v, 1024, mono_ms)))
		value[METRIC_NVLINK_TX_BYTES_S] = r;
	if (field_u64(&f[1], &v) && !isnan(r = rate_of(&d->nvlink_rx, v, 1024, mono_ms)))
		value[METRIC_NVLINK_RX_BYTES_S] = r;
}

/* GPM may have answered already; then counters of newer drivers; then the call that watches the
 * link for 20 ms. */
static void read_pcie(struct nvml *n, struct nvml_dev *d, double *value, int64_t mono_ms)
{
	struct nvml_field f[2] = { { .field = NVML_FIELD_PCIE_TX },
				   { .field = NVML_FIELD_PCIE_RX } };
	uint64_t tx, rx;
	uint32_t kb;

	if (!isnan(value[METRIC_PCIE_TX_BYTES_S]) || d->gpm.nsample)
		return;
	if (NVML_ASK(n, d, CALL_PCIE_COUNT, fields, 2, f)) {
		bool short_ones = f[0].type == NVML_T_UINT || f[1].type == NVML_T_UINT;
		if (!short_ones && field_u64(&f[0], &tx) && field_u64(&f[1], &rx)) {
			/* they are there, though the first reading is no rate yet */
			value[METRIC_PCIE_TX_BYTES_S] = rate_of(&d->pcie_tx, tx, 1, mono_ms);
			value[METRIC_PCIE_RX_BYTES_S] = rate_of(&d->pcie_rx, rx, 1, mono_ms);
			return;
		}
		d->refused |= 1u << CALL_PCIE_COUNT;
	}
	if (NVML_ASK(n, d, CALL_PCIE, pcie, NVML_PCIE_TX, &kb))
		value[METRIC_PCIE_TX_BYTES_S] = valid_u32(kb) * 1000;
	if (NVML_ASK(n, d, CALL_PCIE, pcie, NVML_PCIE_RX, &kb))
		value[METRIC_PCIE_RX_BYTES_S] = valid_u32(kb) * 1000;
}

void nvml_read(struct nvml *n, size_t i, int64_t mono_ms)
{
	struct gpu_dev *g = &n->set.dev.v[i];
	struct nvml_dev *d = &n->dev.v[i];
	double *value = g->value;
	struct nvml_util u = { 0 };
	uint64_t big = 0;
	uint32_t v = 0;

	if (!d->h || d->lost || n->down)
		return;
	read_memory(n, d, g);
	if (g->info.parent >= 0) {
		if (n->want_gpm && g->info.gi >= 0 && !d->gi_shared)
			gpm_read(n, d, n->dev.v[g->info.parent].h, g->info.gi, mono_ms, value);
		return;
	}
	/* of the board: an instance has none of these */
	read_limits(n, d, g, mono_ms);
	if (NVML_ASK(n, d, CALL_POWER, power, &v))
		value[METRIC_POWER_W] = valid_u32(v) / 1000;
	if (NVML_ASK(n, d, CALL_TEMP, temp, NVML_SENSOR_GPU, &v))
		value[METRIC_TEMP_CELSIUS] = v < 1000 ? v : NAN;
	if (NVML_ASK(n, d, CALL_SM_CLOCK, clock, NVML_CLOCK_SM, &v))
		value[METRIC_SM_CLOCK_MHZ] = valid_u32(v);
	if (NVML_ASK(n, d, CALL_MEM_CLOCK, clock, NVML_CLOCK_MEM, &v))
		value[METRIC_MEM_CLOCK_MHZ] = valid_u32(v);
	if (NVML_ASK(n, d, CALL_THROTTLE, throttle, &big))
		value[METRIC_THROTTLE_BITS] = valid_u64(big);
	if (NVML_ASK(n, d, CALL_ECC, ecc, NVML_ECC_UNCORRECTED, NVML_ECC_VOLATILE, &big))
		value[METRIC_ECC_UNCORRECTED] = valid_u64(big);
	/* A counter that is read less often is no less exact: in between it stands where it was
	 * read. */
	int64_t begun = nvml_begin();
	uint64_t mj = 0;

	if (n->want_energy || nvml_due(d, CALL_ENERGY, mono_ms)) {
		d->energy_j = NAN;
		if (NVML_ASK(n, d, CALL_ENERGY, energy, &mj))
			d->energy_j = valid_u64(mj) / 1000;
		nvml_paid(d, CALL_ENERGY, begun, mono_ms, ENERGY_MAX);
	}
	value[METRIC_ENERGY_J] = d->energy_j;
	if (!g->info.mig_enabled) {
		if (NVML_ASK(n, d, CALL_UTIL, util, &u)) {
			value[METRIC_GPU_UTIL_PCT] = valid_pct(u.gpu);
			value[METRIC_MEM_UTIL_PCT] = valid_pct(u.memory);
		}
		if (n->want_gpm)
			gpm_read(n, d, d->h, -1, mono_ms, value);
	}
	read_nvlink(n, d, value, mono_ms);
	if (n->want_pcie)
		read_pcie(n, d, value, mono_ms);
}
