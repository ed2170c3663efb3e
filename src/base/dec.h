#ifndef TARE_BASE_DEC_H
#define TARE_BASE_DEC_H
/*
 * Exact money: decimals with 12 fraction digits in a 128-bit integer, and int64 nano-dollars for
 * ledger entries.
 *
 *   dec   amount x 10^12, |amount| < 10^26 (DECIMAL(38,12) in the store)
 *   nano  amount x 10^9, int64 (about +-9.2e9 dollars)
 *
 * No binary floating point anywhere between a bill and a report.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

typedef __int128 dec;
#define DEC_ONE ((dec)1000000000000LL)
/* 10^26 dollars as a dec, that is 10^38: |dec| of anything read stays below it, and two such still
 * add up within 127 bits. */
#define DEC_LIMIT (DEC_ONE * DEC_ONE * DEC_ONE * 100)
#define DEC_BUF   64 /* enough for any formatted dec, grouped too */

enum dec_flags {
	/* accept "1,234.5" (groups of three; "1,5" is refused), a currency sign ($ and the like)
	 * and blanks around: "$10,000.00 " */
	DEC_GROUPED = 1,
	DEC_COMMA = 2, /* decimal comma: "1234,5"; with DEC_GROUPED also "1.234,5" */
};

/*
 * Read a decimal: [+-]digits[.digits][e[+-]digits], parentheses for negatives are not accepted.
 * More than 12 fraction digits are rounded half-even (bills carry up to 15 in quantities). Returns
 * 0, -EINVAL (not a decimal) or -ERANGE.
 */
int dec_parse(struct sv s, unsigned flags, dec *ret);

/* Write without trailing zeros ("119.034538", "-0.5", "0"); buf[DEC_BUF]; returns buf. */
char *dec_format(char *buf, dec v);
/* Write with exactly `digits` (0..12) fraction digits, rounded half-even, no grouping. */
char *dec_format_fixed(char *buf, dec v, int digits);
/* As dec_format_fixed with thousands separators ("26,990.19"), for people. */
char *dec_format_people(char *buf, dec v, int digits);

bool dec_fits_nano(dec v);  /* ask first where v comes from a file */
int64_t dec_to_nano(dec v); /* half-even; asserts the range */
static inline dec nano_to_dec(int64_t nano)
{
	return (dec)nano * 1000;
}

/* num / den rounded half-even, den > 0. */
__int128 div_half_even(__int128 num, __int128 den);

/* v * num / den rounded half-even over 192 bits, num >= 0, den > 0; a result of DEC_LIMIT or more
 * is cut to the limit less one. */
dec dec_muldiv(dec v, int64_t num, int64_t den);

double dec_to_double(dec v); /* for plots and ratios only */
/* for measured inputs only, finite; the exact binary value rounded half-even to 12 digits, cut at
 * the limit */
dec dec_from_double(double v);

/*
 * Split `total` over n weights so that the parts add up to it: floor of the exact share, what is
 * left by largest remainder, ties to the smaller index (sort by key first). Weights >= 0; all zero:
 * the whole total goes to index 0. A negative total is split as its opposite is, with the sign put
 * back: a reversal takes back exactly what was entered. Sum of weights times |total| must fit 127
 * bits: callers keep the sum of weights below 2^63.
 *   part [n]; O(n log n) time; scratch is allocated inside. n > 0.
 */
void split_largest_remainder(int64_t total, size_t n, const __int128 *weight, int64_t *part);

#endif
