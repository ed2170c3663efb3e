#include "base/num.h"

int rising_i64(const void *a, const void *b)
{
	return cmp_i64(*(const int64_t *)a, *(const int64_t *)b);
}

int rising_u64(const void *a, const void *b)
{
	return cmp_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

int rising_size(const void *a, const void *b)
{
	return cmp_size(*(const size_t *)a, *(const size_t *)b);
}

int rising_double(const void *a, const void *b)
{
	return cmp_double(*(const double *)a, *(const double *)b);
}

/* Hoare's FIND, Communications of the ACM 4 (1961), algorithm 65. */
double nth_double(double *v, size_t n, size_t k)
{
	ptrdiff_t lo = 0, hi = (ptrdiff_t)n - 1, at = (ptrdiff_t)k;

	while (lo < hi) {
		double pivot = v[at];
		ptrdiff_t i = lo, j = hi;
		do {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i <= j) {
				double t = v[i];
				v[i++] = v[j];
				v[j--] = t;
			}
		} while (i <= j);
		if (j < at)
			lo = i;
		if (at < i)
			hi = j;
	}
	return v[at];
}
