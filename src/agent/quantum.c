#include "agent/quantum.h"

#include <math.h>

#include "base/num.h"

#define RATE_BITS 9

static double nine_bits(double v)
{
	int e;
	if (!isfinite(v) || v == 0)
		return v;
	frexp(v, &e); /* |v| in [2^(e-1), 2^e) */
	double step = ldexp(1, e - RATE_BITS);
	/* Below a byte a second nothing is counted. */
	return nearbyint(v / max_double(1, step)) * max_double(1, step);
}

double quantum_round(enum metric m, double v)
{
	switch (m) {
	case METRIC_SM_ACTIVE_FRAC:
	case METRIC_OCCUPANCY_FRAC:
	case METRIC_TENSOR_ACTIVE_FRAC:
	case METRIC_DRAM_ACTIVE_FRAC: return nearbyint(v * 1000) / 1000;
	case METRIC_PCIE_RX_BYTES_S:
	case METRIC_PCIE_TX_BYTES_S:
	case METRIC_NVLINK_RX_BYTES_S:
	case METRIC_NVLINK_TX_BYTES_S:
	case METRIC_NIC_RX_BYTES_S:
	case METRIC_NIC_TX_BYTES_S: return nine_bits(v);
	case METRIC_POWER_W:
	case METRIC_CPU_UTIL_PCT: return nearbyint(v * 10) / 10;
	case METRIC_ENERGY_J: return nearbyint(v);
	default: return v;
	}
}
