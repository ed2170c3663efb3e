/* See boot.h. */
#include "sim/boot.h"

#include <math.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/random.h"
#include "base/sort.h"
#include "sim/draw.h"

/* Student's t at 0.95 for 1..29 degrees of freedom; from there on the normal's 1.645 is within 3 %.
 * Any table of the t distribution. */
static const double t95[] = { 6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812,
			      1.796, 1.782, 1.771, 1.761, 1.753, 1.746, 1.740, 1.734, 1.729, 1.725,
			      1.721, 1.717, 1.714, 1.711, 1.708, 1.706, 1.703, 1.701, 1.699 };
#define NORMAL95 1.645

double boot_widen(int nblock)
{
	int df = nblock - 1;

	if (df < 1)
		return INFINITY;
	return sqrt((double)nblock / df) *
	       (df <= (int)(sizeof t95 / sizeof *t95) ? t95[df - 1] / NORMAL95 : 1);
}

void boot_make(struct boot *b, int nblock, int ndraw, uint64_t seed)
{
	*b = (struct boot){ .nblock = nblock, .ndraw = ndraw, .widen = boot_widen(nblock) };
	b->count = xcalloc((size_t)nblock * (size_t)ndraw, sizeof *b->count);
	for (int d = 0; d < ndraw; d++)
		for (int k = 0; k < nblock; k++) {
			uint64_t bits = draw_bits(seed, (uint64_t)d, (uint64_t)k);
			b->count[(size_t)d * (size_t)nblock +
				 (size_t)(random_unit(bits) * nblock)]++;
		}
}

void boot_free(struct boot *b)
{
	free(b->count);
	b->count = NULL;
}

double boot_quantile(double *v, int n, double p)
{
	double at = p * (n - 1);
	int i = (int)at;

	sort_items(v, (size_t)n, sizeof *v, rising_double);
	if (i + 1 < n)
		return v[i] + (at - i) * (v[i + 1] - v[i]);
	return v[n - 1];
}
