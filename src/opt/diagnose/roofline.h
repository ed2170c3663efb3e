#ifndef TARE_OPT_DIAGNOSE_ROOFLINE_H
#define TARE_OPT_DIAGNOSE_ROOFLINE_H
/*
 * Time on another GPU from what the time is spent on now: see roofline.c. Works without any table,
 * on GPUs nobody has measured; good to some 30 %.
 */
#include "base/err.h"

/* A GPU's limits; NAN = not known. peak: at the precision the work runs in. */
struct roofline_gpu {
	double peak_tflops, bandwidth_gb_s, pcie_gb_s;
};

/* Means of counters over the active time, 0..1; NAN = not measured. util alone is allowed. */
struct roofline_shares {
	double util;   /* time with a kernel on the GPU */
	double sm;     /* SM active */
	double tensor; /* tensor pipe active */
	double dram;   /* memory interface active */
	double pcie;   /* of the link's peak */
};

/* Shares of time, adding up to 1. */
/* signals: independent counters it rests on, 1 = utilisation alone */
struct roofline_mix {
	double compute, memory, pcie, host;
	int signals;
};

/* 0, or -ENODATA with nothing measured, -EINVAL for a share outside 0..1. */
int roofline_mix(const struct roofline_shares *s, struct roofline_mix *ret, struct err *err);

struct roofline_ratio {
	double mid, lo, hi;
};
/*
 * time on `to` / time on `from`, and the range it may be expected in (lo <= mid <= hi, wider with
 * fewer signals). A limit that is not known of one of the GPUs takes the ratio of the other
 * limits. cpu_ratio: host time there / here, 1 when unknown. 0, or -ENODATA where no limit is known
 * of both GPUs.
 */
int roofline_time(const struct roofline_mix *m, const struct roofline_gpu *from,
		  const struct roofline_gpu *to, double cpu_ratio, struct roofline_ratio *ret,
		  struct err *err);

#endif
