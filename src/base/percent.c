#include "base/percent.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dec.h"
#include "base/mem.h"

#define UNITS_MAX PERCENT_HUNDREDTHS
/* a part may be so many times the whole: what is more cannot be meant as a share */
#define TIMES_MAX 1000000
/* sums of so large weights times UNITS_MAX stay below 2^127 */
#define WEIGHT_BITS 112

static unsigned bits_of(__int128 v)
{
	unsigned __int128 m = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
	unsigned n = 0;

	for (; m; m >>= 1)
		n++;
	return n;
}

/* Amounts too large to be multiplied lose low bits, which no printed share can show. */
static unsigned excess_bits(__int128 whole, size_t n, const __int128 *part)
{
	unsigned most = bits_of(whole);

	for (size_t i = 0; i < n; i++) {
		unsigned b = bits_of(part[i]);
		if (b > most)
			most = b;
	}
	if (most > WEIGHT_BITS)
		return most - WEIGHT_BITS;
	return 0;
}

static bool has_no_percent(__int128 whole, size_t n, const __int128 *part)
{
	if (whole <= 0)
		return true;
	for (size_t i = 0; i < n; i++)
		if (part[i] / TIMES_MAX > whole || part[i] / TIMES_MAX < -whole)
			return true;
	return false;
}

void percent_split(__int128 whole, size_t n, const __int128 *part, int64_t units, int64_t *ret)
{
	assert(units == PERCENT_NONE || (units >= 0 && units <= UNITS_MAX));
	if (!units) {
		memset(ret, 0, n * sizeof *ret);
		return;
	}
	if (units == PERCENT_NONE || has_no_percent(whole, n, part)) {
		for (size_t i = 0; i < n; i++)
			ret[i] = PERCENT_NONE;
		return;
	}
	unsigned cut = excess_bits(whole, n, part);
	__int128 scale = (__int128)1 << cut, all = whole / scale, left = all,
		 *rest = xmalloc((n + 1) * sizeof *rest);
	int64_t *more = xcalloc(n + 1, sizeof *more), sum = 0;

	for (size_t i = 0; i <= n; i++) {
		__int128 v = i < n ? part[i] / scale : left; /* last: what no part names */
		__int128 q = v * units / all;                /* then the floor: 0 <= rest < all */
		rest[i] = v * units - q * all;
		if (rest[i] < 0) {
			q--;
			rest[i] += all;
		}
		if (i < n)
			ret[i] = (int64_t)q;
		sum += (int64_t)q;
		left -= v;
	}
	/* The remainders add up to a whole number of units, less than one each. */
	split_largest_remainder(units - sum, n + 1, rest, more);
	for (size_t i = 0; i < n; i++)
		ret[i] += more[i];
	free(rest);
	free(more);
}

int64_t percent_alone(__int128 part, __int128 whole, int64_t units)
{
	if (has_no_percent(whole, 1, &part))
		return PERCENT_NONE;
	unsigned cut = excess_bits(whole, 1, &part);
	__int128 w = whole >> cut, p = (part < 0 ? -part : part) >> cut;
	int64_t n = (int64_t)((p * 2 * units + w) / (2 * w));

	if (part < 0)
		return -n;
	return n;
}

char *percent_text(char *buf, int64_t n, int64_t units, __int128 part, __int128 whole)
{
	int digits = 2;
	char number[DEC_BUF];
	dec step = 100 * DEC_ONE / units;

	if (units != PERCENT_HUNDREDTHS)
		digits = units == PERCENT_TENTHS;
	assert(units == PERCENT_UNITS || digits);
	if (n == PERCENT_NONE)
		snprintf(buf, PERCENT_BUF, "-");
	else if (!n && part)
		snprintf(buf, PERCENT_BUF, "%s%s %%", part > 0 ? "<" : ">-",
			 dec_format_fixed(number, step, digits));
	else if (n == units && part < whole)
		snprintf(buf, PERCENT_BUF, ">%s %%",
			 dec_format_fixed(number, 100 * DEC_ONE - step, digits));
	else
		snprintf(buf, PERCENT_BUF, "%s %%", dec_format_fixed(number, n * step, digits));
	return buf;
}
