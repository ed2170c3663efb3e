#ifndef TARE_SIM_BOOT_H
#define TARE_SIM_BOOT_H
/*
 * Block bootstrap of a history: its weeks (or days) drawn with replacement. One set of draws serves
 * all amounts, so that what is added up is drawn together.
 *
 * Blocks are few. Their empirical spread is too small by (n-1)/n in variance, and a quantile read
 * off as if it were normal ignores that the spread itself is estimated: both are made good by one
 * factor on the distance from the estimate,
 *   widen(n) = sqrt(n / (n - 1)) * t_0.95(n - 1) / 1.645.
 * Source: Kuensch 1989 (blocks); Hesterberg 2015, The American Statistician 69(4), section 3.2
 * (narrowness bias); differs in: blocks do not overlap.
 */
#include <stdint.h>

struct boot {
	int nblock, ndraw;
	uint16_t *count; /* [ndraw][nblock] how often a block was drawn; a row adds up to nblock */
	/* 1 or more; INFINITY for a single block: nothing is known of the spread */
	double widen;
};
/* nblock 1..65535, ndraw >= 1. Owned by the caller. */
void boot_make(struct boot *b, int nblock, int ndraw, uint64_t seed);
void boot_free(struct boot *b);
double boot_widen(int nblock);
/* The p-quantile (0..1) of v [n], sorted here: linear between ranks (Hyndman and Fan's type 7). n
 * >= 1. */
double boot_quantile(double *v, int n, double p);

#endif
