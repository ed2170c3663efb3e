/*
 * t_B = t_A * (a_T * F_A / F_B + a_M * BW_A / BW_B + a_P * PCIe_A / PCIe_B + a_0 * cpu), a_T + a_M
 *         + a_P + a_0 = 1
 *
 * F: peak at the work's precision, BW: memory bandwidth. The shares a are estimated from counters:
 * what the memory interface and the link were busy is their time; host is the time without a
 * kernel; the rest of the time with a kernel is compute (tensor time where tensor cores are
 * measured, and of what neither counter explains half is given to compute and half to memory:
 * latency-bound kernels follow clocks, which follow neither).
 *
 * Sources: Williams, Waterman & Patterson 2009 (roofline); Yu et al., Habitat, ATC 2021 (scaling of
 * measured time by the limiting resource, 11.8 % mean error with kernel traces). What we changed:
 * shares of counters instead of kernel traces, so the error is larger and a range is given.
 */
#include "opt/diagnose/roofline.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "base/num.h"

/* Log-ranges (5th to 95th percentile), chosen wide: an error of 12 % needs kernel traces (Habitat);
 * with counters twice that, with utilisation alone 2x. */
#define LOG_RANGE_COUNTERS 0.35
#define LOG_RANGE_UTIL     0.7

static bool is_share(double v)
{
	return isnan(v) || (v >= 0 && v <= 1);
}

static double or_zero(double v)
{
	return known_or(v, 0);
}

int roofline_mix(const struct roofline_shares *s, struct roofline_mix *ret, struct err *err)
{
	if (!is_share(s->util) || !is_share(s->sm) || !is_share(s->tensor) || !is_share(s->dram) ||
	    !is_share(s->pcie))
		return err_set(
			err, -EINVAL,
			"shares of time (utilisation, SM, tensor, DRAM, PCIe) must be from 0 to 1");
	double busy = known_or(s->util, s->sm);
	if (isnan(busy))
		busy = fmin(1, or_zero(s->tensor) + or_zero(s->dram) + or_zero(s->pcie));
	if (isnan(s->util) && isnan(s->sm) && isnan(s->tensor) && isnan(s->dram))
		return err_set(
			err, -ENODATA,
			"nothing is known of how the time is spent: no utilisation and no counter");
	double t = or_zero(s->tensor), m = or_zero(s->dram), p = or_zero(s->pcie);
	busy = fmax(busy, fmin(1, fmax(t, m)));
	double sum = t + m + p, scale = 1;
	if (sum > busy)
		scale = busy / sum;
	*ret = (struct roofline_mix){ .compute = t * scale,
				      .memory = m * scale,
				      .pcie = p * scale };
	double rest = busy - sum * scale;
	ret->compute += rest / 2;
	ret->memory += rest / 2;
	ret->host = 1 - busy;
	ret->signals = !isnan(s->util) + !isnan(s->sm) + !isnan(s->tensor) + !isnan(s->dram);
	return 0;
}

/* from / to where both are known, else NAN */
static double known_quotient(double from, double to)
{
	if (from > 0 && to > 0 && isfinite(from) && isfinite(to))
		return from / to;
	return NAN;
}

int roofline_time(const struct roofline_mix *m, const struct roofline_gpu *from,
		  const struct roofline_gpu *to, double cpu_ratio, struct roofline_ratio *ret,
		  struct err *err)
{
	double f = known_quotient(from->peak_tflops, to->peak_tflops),
	       b = known_quotient(from->bandwidth_gb_s, to->bandwidth_gb_s);
	double p = known_quotient(from->pcie_gb_s, to->pcie_gb_s);
	if (isnan(f) && isnan(b))
		return err_set(err, -ENODATA, "neither peak nor bandwidth is known of both GPUs");
	double missing;
	if (!isnan(f) && !isnan(b))
		missing = 0;
	else if (isnan(f))
		missing = m->compute;
	else
		missing = m->memory;
	f = known_or(f, b);
	b = known_or(b, f);
	p = known_or(p, 1);
	double host = cpu_ratio > 0 && isfinite(cpu_ratio) ? cpu_ratio : 1;
	double ratio = m->compute * f + m->memory * b + m->pcie * p + m->host * host;
	/* What is not known for sure: the busy part; the range also holds both pure cases, all
	 * compute and all memory, where only utilisation was read. */
	double half = (m->signals >= 2 ? LOG_RANGE_COUNTERS : LOG_RANGE_UTIL) * (1 - m->host) +
		      .5 * missing + .05;
	*ret = (struct roofline_ratio){ ratio, ratio * exp(-half), ratio * exp(half) };
	if (m->signals < 2) {
		double busy = m->compute + m->memory, other = m->pcie * p + m->host * host;
		ret->lo = fmin(ret->lo, busy * fmin(f, b) + other);
		ret->hi = fmax(ret->hi, busy * fmax(f, b) + other);
	}
	return 0;
}
