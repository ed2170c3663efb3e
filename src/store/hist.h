#ifndef TARE_STORE_HIST_H
#define TARE_STORE_HIST_H
/*
 * Counts of positive numbers, of which quantiles are asked later.
 *
 * Numbers that are known go into bins whose edges grow by 2 %: bin i is [1.02^i, 1.02^(i+1)).
 * Quantiles of them are off by at most 1 %. Numbers of which only bounds are known (a server's own
 * histogram) stay as that: so many in (lo, hi]. Equal bounds add up, over minutes and machines, and
 * only when a quantile is asked for is a range spread evenly over its bins. It then lies in the
 * server's bin that it lies in exactly.
 *
 * Packed, both are varints, tens of bytes for a minute's latencies:
 *
 *   bins    pairs of (zigzag distance from the bin before, count > 0)
 *   8005    where ranges follow, which no distance reaches
 *   ranges  count << 1 | 1 where lo is not the range before's hi (0 for the first); [lo]; hi
 *           a bound is a code of model/histogram.h, or 0 and the 8 bytes of the double
 *
 * Stores of before schema 12 have bins alone: they read as they are.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

#define HIST_LOW  (-700) /* 1e-6: what is smaller, zero too, counts here */
#define HIST_HIGH 1300   /* 1.5e11: what is larger counts here */
#define HIST_BINS (HIST_HIGH - HIST_LOW + 1)
/* Of one histogram, 40 bytes each: further ranges are spread as they come. */
#define HIST_RANGES_MAX 512

struct hist_range {
	double lo, hi;
	uint64_t lo_code, hi_code; /* model/histogram.h */
	int64_t count;
};
struct hist {
	int64_t total;
	int lo, hi;                     /* bins in use, lo > hi: none */
	int base, nbin;                 /* bins that are in memory */
	int64_t *count;                 /* [nbin] of bin base + i */
	struct hist_range *range;       /* [nrange], by lo and hi */
	uint32_t nrange, range_cap, at; /* at: where the last one was */
};
void hist_free(struct hist *h);
void hist_clear(struct hist *h); /* keeps its memory */
size_t hist_bytes(const struct hist *h);
void hist_add(struct hist *h, double v, int64_t count); /* NAN and negative numbers are ignored */
void hist_pack(const struct hist *h, struct str *out);
/* Add a packed histogram; false if it is damaged, h has then a part of it. */
bool hist_merge(struct hist *h, const void *p, size_t n);
/* q in 0..1; NAN when empty. Ranges become bins: ask when all is added. */
double hist_quantile(struct hist *h, double q);
/* "10:5;50:20;+Inf:1" (model/histogram.h); false if it is something else, h has then a part of it.
 * What is above the last bound counts as that bound: it is known to be no less. */
bool hist_add_text(struct hist *h, struct sv text);
#endif
