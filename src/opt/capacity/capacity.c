/*
 * Capacity from a rate of requests.
 *
 *   min k  s.t.  k >= (1 + h) k0,  k0 q >= r,  k and k0 whole
 *
 * r requests per second asked, q per second and GPU at the latency wanted, h head-room. Head-room
 * is taken on whole GPUs, as the rule is told (500 / 200: 3; and a fifth more: 3.6, so 4): a GPU
 * that is only partly needed is no head-room, as the next peak may need all of it. This is the rule
 * of thumb: it knows no latency. With a measured latency and load, sim/requests.h says what k
 * replicas do to the 99th percentile, and batching.h what q a bound allows.
 */
#include <errno.h>
#include <math.h>
#include "opt/capacity/capacity.h"

int capacity_gpus(double qps, double gpu_qps, double headroom_frac, int64_t *ret, struct err *err)
{
	if (!isfinite(qps) || qps < 0)
		return err_set(err, -EINVAL, "the rate asked is no number of requests per second");
	if (!isfinite(gpu_qps) || gpu_qps <= 0)
		return err_set(err, -EINVAL,
			       "the rate of a GPU is no number of requests per second above 0");
	if (!(headroom_frac >= 0 && headroom_frac <= 10))
		return err_set(err, -EINVAL, "head-room is a share from 0 to 10, such as 0.2");
	double k = ceil(qps / gpu_qps * (1 - 1e-12)) * (1 + headroom_frac);
	if (!(k <= CAPACITY_MAX))
		return err_set(err, -E2BIG, "more than %d GPUs: are the rates in the same unit?",
			       CAPACITY_MAX);
	*ret = (int64_t)ceil(k *
			     (1 - 1e-12)); /* 5 x 1.2 is 6, whatever binary fractions make of it */
	return 0;
}

enum capacity_band capacity_band(double util_frac)
{
	if (!(util_frac >= 0))
		return BAND_UNKNOWN;
	if (util_frac < CAPACITY_CONSOLIDATE_FRAC)
		return BAND_CONSOLIDATE;
	if (util_frac < 0.60)
		return BAND_LOW;
	if (util_frac <= 0.80)
		return BAND_HEALTHY;
	if (util_frac <= CAPACITY_AT_RISK_FRAC)
		return BAND_BUSY;
	return BAND_AT_RISK;
}

const char *capacity_band_name(enum capacity_band b)
{
	static const char *const name[] = { "unknown", "consolidate", "low",
					    "healthy", "busy",        "at risk" };
	return name[b];
}

const char *capacity_band_advice(enum capacity_band b)
{
	static const char *const text[] = {
		"nothing was measured: measure first",
		"fewer or smaller GPUs would do: consolidate",
		"room for more work on the same GPUs",
		"room for peaks without waste: leave it",
		"little room for peaks: watch the 99th percentile of latency",
		"a peak will raise latency or run out of memory: scale out",
	};
	return text[b];
}

const char *capacity_profile_band(double util_frac)
{
	if (!(util_frac >= 0))
		return "unknown";
	if (util_frac < 0.25)
		return "overprovisioned";
	if (util_frac < 0.60)
		return "underutilized";
	return "well-utilized";
}
