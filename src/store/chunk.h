#ifndef TARE_STORE_CHUNK_H
#define TARE_STORE_CHUNK_H
/*
 * A column of up to CHUNK_ROWS_MAX numbers as a small blob.
 *
 * Numbers that are integers or decimals with up to six fraction digits become integers. So do means
 * of 2, 3, 4, 5, 6, 10, 12, 15, 20, 30 or 60 integers: they are sixtieths, but for what rounding
 * left, which is kept beside each (a byte, counting doubles), as are the few numbers that are none.
 * Others stay the bits of the double. Integers are stored as differences from one to the next or
 * from the smallest, whichever needs fewer bits; then byte by byte of the same weight together
 * ("planes"), then zstd level 3. A bit per row says whether there is a value. Layout:
 *
 *   u8 form (1 differences, 2 double bits, 3 above the smallest, 4 the same of sixtieths)
 *   u8 fraction digits u8 planes u8 1 = with presence bits
 *   varint rows varint values varint zigzag smallest (forms 3, 4) zstd(presence bits, planes;
 *           form 4: what rounding left, planes of the numbers that are none) u32 xxh3 of all before
 */
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

#define CHUNK_ROWS_MAX 65536

struct chunk_codec; /* working memory, for one thread */
struct chunk_codec *chunk_codec_new(void);
void chunk_codec_free(struct chunk_codec *c);

/* Of the numbers that are there; without any min is INFINITY, max -INFINITY. */
struct chunk_sums {
	int64_t n;
	double min, max, sum;
};
struct chunk_sums chunk_sums(const double *v, size_t n);

/* n rows, NAN = no value there. The blob is appended to out. Infinities and negative zero survive;
 * all NANs are one. */
void chunk_encode(struct chunk_codec *c, const double *v, size_t n, struct str *out);
void chunk_encode_i64(struct chunk_codec *c, const int64_t *v, size_t n, struct str *out);
/* ret_v [n]: exactly n rows must be in the blob. -EBADMSG for anything else than what encode
 * wrote. */
int chunk_decode(struct chunk_codec *c, const void *p, size_t size, size_t n, double *ret_v,
		 struct err *err);
int chunk_decode_i64(struct chunk_codec *c, const void *p, size_t size, size_t n, int64_t *ret_v,
		     struct err *err);
/* The check sum alone. */
int chunk_check(const void *p, size_t size, struct err *err);
/* Rows a blob says it has, or -EBADMSG. */
int64_t chunk_rows(const void *p, size_t size);
/* For the fuzzer: without the check sum, which it would never guess. ret_v [CHUNK_ROWS_MAX]. */
int chunk_decode_unchecked(struct chunk_codec *c, const void *p, size_t size, double *ret_v,
			   struct err *err);

#endif
