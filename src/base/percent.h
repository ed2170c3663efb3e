#ifndef TARE_BASE_PERCENT_H
#define TARE_BASE_PERCENT_H
/*
 * Shares of a whole as people read them. Shares of one whole that stand side by side are rounded
 * together, as money is: whole units by largest remainder, ties to the first, so that what is
 * printed adds up to 100 %. More than nothing but less than a unit prints as "<1 %" and counts as 0
 * in that sum; ">99 %" is less than the whole and counts as 100.
 */
#include <stddef.h>
#include <stdint.h>

/* units of a whole: 1 %, 0.1 %, 0.01 % */
enum { PERCENT_UNITS = 100, PERCENT_TENTHS = 1000, PERCENT_HUNDREDTHS = 10000 };
#define PERCENT_BUF  40
#define PERCENT_NONE INT64_MIN /* no share can be told; prints as "-" */

/*
 * Units of each part, such that they and those of the rest (whole less all parts, where it is not
 * 0) add up to `units`. Each differs from its exact share by less than one unit.
 * All PERCENT_NONE where whole <= 0 or a part is more than a million times the whole (charges that
 * credits cancel but for a rest).
 *
 *   part [n]   parts may be negative (credits): their shares are negative too
 *   units      0 to 10,000, of what the whole itself is a part of; 0: all are 0; PERCENT_NONE: all
 *              are PERCENT_NONE
 *   ret  [n]   a part of 0 has 0 units
 *
 * |whole| and |part| below 2^126. O(n log n); scratch is allocated inside.
 */
void percent_split(__int128 whole, size_t n, const __int128 *part, int64_t units, int64_t *ret);
/* A share that stands alone: to the nearest unit, half away from 0; PERCENT_NONE as above. */
int64_t percent_alone(__int128 part, __int128 whole, int64_t units);
/*
 * How many units print, given what they are of: "41 %", "0 %", "<1 %", ">99 %", "-3 %", ">-1 %"
 * (PERCENT_UNITS) or "41.3 %", "<0.1 %" (PERCENT_TENTHS) and so on; "-" for PERCENT_NONE.
 * buf[PERCENT_BUF]; returns buf.
 */
char *percent_text(char *buf, int64_t n, int64_t units, __int128 part, __int128 whole);

#endif
