#ifndef TARE_OPT_CAPACITY_CAPACITY_H
#define TARE_OPT_CAPACITY_CAPACITY_H
/* How many GPUs a rate of requests needs, and whether a utilisation is healthy. */
#include <stdint.h>
#include "base/err.h"

enum { CAPACITY_MAX = 10000000 };

/*
 * GPUs for a rate: qps / gpu_qps rounded up, and that x (1 + headroom_frac) rounded up. The seed's
 * vector: 500 / 200 -> 3, with 0.2 -> 4.
 * Rounding errors of the inputs' decimal digits do not add a GPU. Returns 0, -EINVAL (qps >= 0,
 * gpu_qps > 0, headroom_frac 0 to 10, all finite), -E2BIG.
 */
int capacity_gpus(double qps, double gpu_qps, double headroom_frac, int64_t *ret, struct err *err);

/*
 * Bands of the mean utilisation of serving: below 40 % consolidate, 60 to 80 % healthy, above 85 %
 * at risk; between them acceptable. Utilisation says how much of the time something ran, not how
 * much of the GPU: a second signal (SM activity, power) must agree before GPUs are taken away.
 */
enum capacity_band {
	BAND_UNKNOWN,
	BAND_CONSOLIDATE,
	BAND_LOW,
	BAND_HEALTHY,
	BAND_BUSY,
	BAND_AT_RISK
};
#define CAPACITY_CONSOLIDATE_FRAC 0.40
#define CAPACITY_AT_RISK_FRAC     0.85
enum capacity_band capacity_band(double util_frac); /* NAN: unknown */
/* "unknown" "consolidate" "low" "healthy" "busy" "at risk" */
const char *capacity_band_name(enum capacity_band b);
const char *capacity_band_advice(enum capacity_band b);

/* Bands of a profile of one job: below 25 % "overprovisioned", below 60 % "underutilized", else
 * "well-utilized"; NAN "unknown". */
const char *capacity_profile_band(double util_frac);

#endif
