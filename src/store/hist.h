#ifndef TARE_STORE_HIST_H
#define TARE_STORE_HIST_H
/*
 * Counts of positive numbers in bins whose edges grow by 2 %: bin i is [1.02^i, 1.02^(i+1)).
 * Quantiles are off by at most 1 %, histograms of minutes and machines merge exactly, and a sparse
 * blob of a minute's latencies is tens of bytes: varint pairs of (zigzag distance from the bin
 * before, count).
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

#define HIST_LOW  (-700) /* 1e-6: what is smaller, zero too, counts here */
#define HIST_HIGH 1300   /* 1.5e11: what is larger counts here */
#define HIST_BINS (HIST_HIGH - HIST_LOW + 1)

struct hist {
	int64_t total;
	int lo, hi;     /* bins in use, lo > hi when empty */
	int64_t *count; /* [HIST_BINS], NULL when empty */
};
void hist_free(struct hist *h);
void hist_clear(struct hist *h);
void hist_add(struct hist *h, double v, int64_t count); /* NAN and negative numbers are ignored */
/* Count numbers known to be in (lo, hi], spread evenly over it. */
void hist_add_range(struct hist *h, double lo, double hi, int64_t count);
void hist_pack(const struct hist *h, struct str *out);
/* Add a packed histogram; false if it is damaged. */
bool hist_merge(struct hist *h, const void *p, size_t n);
/* q in 0..1; NAN when empty. */
double hist_quantile(const struct hist *h, double q);
/* "10:5;50:20;+Inf:1" (upper bound : count in that bin); false if it is something else, h is then
 * unchanged. */
bool hist_add_text(struct hist *h, struct sv text);
#endif
