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
