#include "store/chunk.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/num.h"

enum form { FORM_DELTA = 1, FORM_BITS = 2, FORM_ABOVE = 3, FORM_SIXTIETHS = 4 };
#define DIGITS_MAX 6
#define EXACT_MAX  9007199254740992.0 /* 2^53: integers up to here are exact in a double */
#define ZSTD_LEVEL 3
#define PARTS      60
#define NO_PART    255 /* in the place of what rounding left: the number itself stands behind */
#define FEW(m)     ((m) / 8) /* so many of m numbers may be no sixtieths */

static const double pow10_of[DIGITS_MAX + 1] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };

struct chunk_codec {
	ZSTD_CCtx *cctx;
	ZSTD_DCtx *dctx;
	uint64_t *word; /* [CHUNK_ROWS_MAX] */
	uint8_t *left;  /* [CHUNK_ROWS_MAX] what rounding left of sixtieths */
	uint64_t *none; /* [FEW(CHUNK_ROWS_MAX)] numbers that are none */
	uint8_t *raw;   /* presence bits, planes, left, planes of none */
	uint8_t *packed;
	size_t packed_size;
};
#define RAW_MAX ((size_t)CHUNK_ROWS_MAX * 9 + FEW(CHUNK_ROWS_MAX) * 8 + CHUNK_ROWS_MAX / 8)

struct chunk_codec *chunk_codec_new(void)
{
	struct chunk_codec *c = xcalloc(1, sizeof *c);
	c->cctx = ZSTD_createCCtx();
	c->dctx = ZSTD_createDCtx();
	assert(c->cctx && c->dctx);
	c->word = xmalloc(CHUNK_ROWS_MAX * sizeof *c->word);
	c->left = xmalloc(CHUNK_ROWS_MAX);
	c->none = xmalloc(FEW(CHUNK_ROWS_MAX) * sizeof *c->none);
	c->raw = xmalloc(RAW_MAX);
	c->packed_size = ZSTD_compressBound(RAW_MAX);
	c->packed = xmalloc(c->packed_size);
	return c;
}

void chunk_codec_free(struct chunk_codec *c)
{
	if (!c)
		return;
	ZSTD_freeCCtx(c->cctx);
	ZSTD_freeDCtx(c->dctx);
	free(c->word);
	free(c->left);
	free(c->none);
	free(c->raw);
	free(c->packed);
	free(c);
}

struct chunk_sums chunk_sums(const double *v, size_t n)
{
	struct chunk_sums s = { .min = INFINITY, .max = -INFINITY };
	for (size_t i = 0; i < n; i++)
		if (!isnan(v[i])) {
			s.n++;
			s.min = min_double(v[i], s.min);
			s.max = max_double(v[i], s.max);
			s.sum += v[i];
		}
	return s;
}

static uint64_t zigzag_encode(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static int64_t zigzag_decode(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static int bits_of(uint64_t v)
{
	if (v)
		return 64 - __builtin_clzll(v);
	return 0;
}

static void put_varint(struct str *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		str_addc(out, (char)(v | 0x80));
	str_addc(out, (char)v);
}

/* ---- encode ------------------------------------------------------------------------------ */

struct header {
	enum form form;
	int digits, planes;
	bool bitmap;
	size_t n, m; /* rows, values */
	size_t none; /* of the values: no sixtieths */
	int64_t smallest;
};

/* The m words of the codec are integers: choose differences or distance from the smallest, and turn
 * the words into that. */
static void shape_integers(uint64_t *w, size_t m, struct header *h)
{
	int64_t low = INT64_MAX;
	uint64_t before = 0, any = 0;
	size_t delta_bits = 0, above_bits = 0;
	for (size_t i = 0; i < m; i++)
		if ((int64_t)w[i] < low)
			low = (int64_t)w[i];
	for (size_t i = 0; i < m; i++) {
		delta_bits += (size_t)bits_of(zigzag_encode((int64_t)(w[i] - before)));
		above_bits += (size_t)bits_of(w[i] - (uint64_t)low);
		before = w[i];
	}
	h->form = above_bits <= delta_bits ? FORM_ABOVE : FORM_DELTA;
	h->smallest = m ? low : 0;
	before = 0;
	for (size_t i = 0; i < m; i++) {
		uint64_t now = w[i];
		if (h->form == FORM_ABOVE)
			w[i] = now - (uint64_t)low;
		else
			w[i] = zigzag_encode((int64_t)(now - before));
		any |= w[i];
		before = now;
	}
	h->planes = (bits_of(any) + 7) / 8;
}

/* The m words as `planes` planes; returns what is behind them. */
static uint8_t *put_planes(uint8_t *to, const uint64_t *word, size_t m, int planes)
{
	for (int p = 0; p < planes; p++)
		for (size_t i = 0; i < m; i++)
			*to++ = (uint8_t)(word[i] >> (8 * p));
	return to;
}

/* Planes of the words behind the presence bits in raw; then all of the blob. */
static void finish_chunk(struct chunk_codec *c, const struct header *h, struct str *out)
{
	size_t start = out->n;
	uint8_t *end = c->raw + (h->bitmap ? (h->n + 7) / 8 : 0);
	end = put_planes(end, c->word, h->m, h->planes);
	if (h->form == FORM_SIXTIETHS) {
		memcpy(end, c->left, h->m);
		end = put_planes(end + h->m, c->none, h->none, 8);
	}
	size_t at = (size_t)(end - c->raw);
	size_t size = ZSTD_compressCCtx(c->cctx, c->packed, c->packed_size, c->raw, at, ZSTD_LEVEL);
	assert(!ZSTD_isError(size));
	str_addc(out, (char)h->form);
	str_addc(out, (char)h->digits);
	str_addc(out, (char)h->planes);
	str_addc(out, (char)h->bitmap);
	put_varint(out, h->n);
	put_varint(out, h->m);
	if (h->form == FORM_ABOVE || h->form == FORM_SIXTIETHS)
		put_varint(out, zigzag_encode(h->smallest));
	str_add(out, (const char *)c->packed, size);
	uint32_t sum = (uint32_t)XXH3_64bits(out->p + start, out->n - start);
	str_add(out, (const char *)&sum, sizeof sum);
}

static bool is_decimal(double v, int digits)
{
	double x = v * pow10_of[digits];
	if (!(fabs(x) < EXACT_MAX))
		return false;
	if (!digits) /* as most are; nearbyint() is a call */
		return (double)(int64_t)v == v && (v != 0 || !signbit(v));
	double back = (double)(int64_t)nearbyint(x) / pow10_of[digits];
	return back == v && signbit(back) == signbit(v);
}

/* Fraction digits with which all m values are exact decimals, or -1. */
static int digits_of(const double *v, size_t m)
{
	int digits = 0;
	for (size_t i = 0; i < m; i++)
		while (!is_decimal(v[i], digits))
			if (++digits > DIGITS_MAX)
				return -1;
	/* A value that is exact with fewer digits may not be with more (very large ones). */
	for (size_t i = 0; i < m && digits; i++)
		if (!is_decimal(v[i], digits))
			return -1;
	return digits;
}

static uint64_t bits_of_double(double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static double double_of_bits(uint64_t bits)
{
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

/* Sixtieths in v, and how many doubles lie between them and v, zigzag; NO_PART for too many. */
static uint8_t split_sixtieths(double v, int64_t *ret)
{
	double x = v * PARTS;
	*ret = 0;
	if (!(fabs(x) < EXACT_MAX))
		return NO_PART;
	int64_t parts = (int64_t)nearbyint(x);
	uint64_t between = bits_of_double(v) - bits_of_double((double)parts / PARTS);
	uint64_t left = zigzag_encode((int64_t)between);
	if (left >= NO_PART)
		return NO_PART;
	*ret = parts;
	return (uint8_t)left;
}

/* The m doubles in the words become sixtieths above the smallest. False: too many are none, and
 * nothing was changed. */
static bool shape_sixtieths(struct chunk_codec *c, size_t m, struct header *h)
{
	size_t none = 0;
	int64_t low = INT64_MAX, parts;
	uint64_t any = 0;
	for (size_t i = 0; i < m; i++) {
		c->left[i] = split_sixtieths(double_of_bits(c->word[i]), &parts);
		if (c->left[i] == NO_PART && ++none > FEW(m))
			return false;
		low = min_i64(parts, low);
	}
	h->form = FORM_SIXTIETHS;
	h->smallest = low;
	for (size_t i = 0; i < m; i++) {
		if (split_sixtieths(double_of_bits(c->word[i]), &parts) == NO_PART)
			c->none[h->none++] = c->word[i];
		c->word[i] = (uint64_t)parts - (uint64_t)low;
		any |= c->word[i];
	}
	h->planes = (bits_of(any) + 7) / 8;
	return true;
}

void chunk_encode(struct chunk_codec *c, const double *v, size_t n, struct str *out)
{
	struct header h = { .n = n };
	double *dense = (double *)c->word;
	assert(n <= CHUNK_ROWS_MAX);
	memset(c->raw, 0, (n + 7) / 8);
	for (size_t i = 0; i < n; i++)
		if (!isnan(v[i])) {
			c->raw[i / 8] |= (uint8_t)(1 << (i % 8));
			dense[h.m++] = v[i];
		}
	h.bitmap = h.m < n;
	int digits = digits_of(dense, h.m);
	if (digits < 0 && !shape_sixtieths(c, h.m, &h)) {
		h.form = FORM_BITS;
		h.planes = 8;
	} else if (digits >= 0) {
		h.digits = digits;
		for (size_t i = 0; i < h.m; i++) {
			double x = dense[i] * pow10_of[digits];
			c->word[i] = (uint64_t)(int64_t)(digits ? nearbyint(x) : x);
		}
		shape_integers(c->word, h.m, &h);
	}
	finish_chunk(c, &h, out);
}

void chunk_encode_i64(struct chunk_codec *c, const int64_t *v, size_t n, struct str *out)
{
	struct header h = { .n = n, .m = n };
	assert(n <= CHUNK_ROWS_MAX);
	memcpy(c->word, v, n * sizeof *v);
	shape_integers(c->word, n, &h);
	finish_chunk(c, &h, out);
}

/* ---- decode ------------------------------------------------------------------------------ */

static int tell_damaged(struct err *err)
{
	return err_set(err, -EBADMSG, "a telemetry chunk is damaged");
}

static bool get_varint(const uint8_t **p, const uint8_t *end, uint64_t *ret)
{
	uint64_t v = 0;
	for (int shift = 0; shift < 64 && *p < end; shift += 7) {
		uint8_t b = *(*p)++;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			*ret = v;
			return true;
		}
	}
	return false;
}

static bool read_header(const uint8_t **p, const uint8_t *end, struct header *h)
{
	uint64_t n, m, low = 0;
	if (end - *p < 4)
		return false;
	h->form = (enum form)(*p)[0];
	h->digits = (*p)[1];
	h->planes = (*p)[2];
	h->bitmap = (*p)[3] == 1;
	bool known = within_int(h->form, FORM_DELTA, FORM_SIXTIETHS) && (*p)[3] <= 1;
	bool ok = known && h->digits <= DIGITS_MAX && h->planes <= 8;
	*p += 4;
	if (!ok || !get_varint(p, end, &n) || !get_varint(p, end, &m))
		return false;
	bool above = h->form == FORM_ABOVE || h->form == FORM_SIXTIETHS;
	if (above && !get_varint(p, end, &low))
		return false;
	if (!within_u64(n, m, CHUNK_ROWS_MAX) || (!h->bitmap && m != n))
		return false;
	if (h->form == FORM_BITS && (h->planes != 8 || h->digits))
		return false;
	h->n = n;
	h->m = m;
	h->none = 0;
	h->smallest = zigzag_decode(low);
	return true;
}

static void get_planes(const uint8_t *from, uint64_t *word, size_t m, int planes)
{
	memset(word, 0, m * sizeof *word);
	for (int k = 0; k < planes; k++)
		for (size_t i = 0; i < m; i++)
			word[i] |= (uint64_t)*from++ << (8 * k);
}

/* What stands behind the planes of sixtieths, `size` bytes: into left and none. */
static bool get_rest(struct chunk_codec *c, const uint8_t *from, size_t size, struct header *h)
{
	if (size < h->m)
		return false;
	memcpy(c->left, from, h->m);
	for (size_t i = 0; i < h->m; i++)
		h->none += c->left[i] == NO_PART;
	if (h->none > FEW(h->m) || size != h->m + 8 * h->none)
		return false;
	get_planes(from + h->m, c->none, h->none, 8);
	return true;
}

/* Into words; raw holds the presence bits. */
static int unpack_planes(struct chunk_codec *c, const uint8_t *p, const uint8_t *end,
			 struct header *h, struct err *err)
{
	if (!read_header(&p, end, h))
		return tell_damaged(err);
	size_t bits = h->bitmap ? (h->n + 7) / 8 : 0, want = bits + h->m * (size_t)h->planes;
	size_t got = ZSTD_decompressDCtx(c->dctx, c->raw, RAW_MAX, p, (size_t)(end - p));
	if (ZSTD_isError(got) || got < want)
		return tell_damaged(err);
	bool whole = h->form == FORM_SIXTIETHS ? get_rest(c, c->raw + want, got - want, h)
					       : got == want;
	if (!whole)
		return tell_damaged(err);
	size_t set = 0;
	for (size_t i = 0; h->bitmap && i < h->n; i++)
		set += c->raw[i / 8] >> (i % 8) & 1;
	if (h->bitmap && set != h->m)
		return tell_damaged(err);
	get_planes(c->raw + bits, c->word, h->m, h->planes);
	uint64_t before = 0;
	for (size_t i = 0; i < h->m && h->form != FORM_BITS; i++) {
		if (h->form == FORM_DELTA)
			before = c->word[i] = before + (uint64_t)zigzag_decode(c->word[i]);
		else
			c->word[i] += (uint64_t)h->smallest;
	}
	return 0;
}

static void to_doubles(const struct chunk_codec *c, const struct header *h, double *v)
{
	size_t k = 0, none = 0;
	for (size_t i = 0; i < h->n; i++) {
		if (h->bitmap && !(c->raw[i / 8] >> (i % 8) & 1)) {
			v[i] = NAN;
			continue;
		}
		if (h->form == FORM_BITS)
			v[i] = double_of_bits(c->word[k]);
		else if (h->form == FORM_SIXTIETHS && c->left[k] == NO_PART)
			v[i] = double_of_bits(c->none[none++]);
		else if (h->form == FORM_SIXTIETHS) {
			uint64_t bits = bits_of_double((double)(int64_t)c->word[k] / PARTS);
			v[i] = double_of_bits(bits + (uint64_t)zigzag_decode(c->left[k]));
		} else {
			v[i] = (double)(int64_t)c->word[k] / pow10_of[h->digits];
		}
		k++;
	}
}

int chunk_check(const void *p, size_t size, struct err *err)
{
	uint32_t sum;
	if (size < sizeof sum)
		return tell_damaged(err);
	memcpy(&sum, (const char *)p + size - sizeof sum, sizeof sum);
	if (sum == (uint32_t)XXH3_64bits(p, size - sizeof sum))
		return 0;
	return tell_damaged(err);
}

int chunk_decode_unchecked(struct chunk_codec *c, const void *p, size_t size, double *ret_v,
			   struct err *err)
{
	struct header h;
	int r = unpack_planes(c, p, (const uint8_t *)p + size, &h, err);
	if (r == 0)
		to_doubles(c, &h, ret_v);
	return r;
}

static int unpack_checked(struct chunk_codec *c, const void *p, size_t size, size_t n,
			  struct header *h, struct err *err)
{
	int r = chunk_check(p, size, err);
	if (r == 0)
		r = unpack_planes(c, p, (const uint8_t *)p + size - sizeof(uint32_t), h, err);
	if (r == 0 && h->n != n)
		return tell_damaged(err);
	return r;
}

int chunk_decode(struct chunk_codec *c, const void *p, size_t size, size_t n, double *ret_v,
		 struct err *err)
{
	struct header h;
	int r = unpack_checked(c, p, size, n, &h, err);
	if (r == 0)
		to_doubles(c, &h, ret_v);
	return r;
}

int chunk_decode_i64(struct chunk_codec *c, const void *p, size_t size, size_t n, int64_t *ret_v,
		     struct err *err)
{
	struct header h;
	int r = unpack_checked(c, p, size, n, &h, err);
	if (r < 0)
		return r;
	bool integers = h.form == FORM_DELTA || h.form == FORM_ABOVE;
	if (!integers || h.digits || h.bitmap)
		r = tell_damaged(err);
	else
		memcpy(ret_v, c->word, n * sizeof *ret_v);
	return r;
}

int64_t chunk_rows(const void *p, size_t size)
{
	struct header h;
	const uint8_t *at = p;
	if (read_header(&at, at + size, &h))
		return (int64_t)h.n;
	return -EBADMSG;
}
