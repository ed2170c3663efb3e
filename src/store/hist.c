#include "store/hist.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/search.h"
#include "model/histogram.h"

#define GROWTH      1.02
#define BLOCK       16 /* bins that come into memory at once */
#define RANGES_TAG  (4 * HIST_BINS + 1)
#define OCTAVE_LOW  (-21) /* of 2: the first and the one behind the last bin's */
#define OCTAVE_HIGH 38
#define OCTAVE_BITS 5 /* cells of an octave, 2 to 3 % wide: two bins at most */

_Static_assert(RANGES_TAG == 8005, "the format says so");

/* ---- bins --------------------------------------------------------------------------------- */

static double edges[HIST_BINS + 1];
/* The bin in which a cell of an octave begins. */
static int16_t cells[(OCTAVE_HIGH - OCTAVE_LOW) << OCTAVE_BITS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
	const int ncell = (OCTAVE_HIGH - OCTAVE_LOW) << OCTAVE_BITS;
	int bin = HIST_LOW;

	for (int i = 0; i <= HIST_BINS; i++)
		edges[i] = pow(GROWTH, HIST_LOW + i);
	for (int i = 0; i < ncell; i++) {
		double part = (double)(i & ((1 << OCTAVE_BITS) - 1)) / (1 << OCTAVE_BITS);
		double start = ldexp(1 + part, OCTAVE_LOW + (i >> OCTAVE_BITS));
		while (bin < HIST_HIGH && edges[bin + 1 - HIST_LOW] <= start)
			bin++;
		cells[i] = (int16_t)bin;
	}
}

static double bin_edge(int bin)
{
	return edges[bin - HIST_LOW];
}

/* The exponent and the first bits of a double are its place in the table of cells. */
static int bin_of(double v)
{
	uint64_t bits;

	if (!(v > edges[0]))
		return HIST_LOW;
	if (v >= edges[HIST_BINS - 1])
		return HIST_HIGH;
	memcpy(&bits, &v, sizeof bits);
	int64_t cell = (int64_t)(bits >> (52 - OCTAVE_BITS)) -
		       ((int64_t)(1023 + OCTAVE_LOW) << OCTAVE_BITS);
	int bin = cells[cell];
	while (bin_edge(bin + 1) <= v)
		bin++;
	return bin;
}

void hist_free(struct hist *h)
{
	free(h->count);
	free(h->range);
	*h = (struct hist){ 0 };
}

size_t hist_bytes(const struct hist *h)
{
	return (size_t)h->nbin * sizeof *h->count + h->range_cap * sizeof *h->range;
}

void hist_clear(struct hist *h)
{
	for (int b = h->lo; h->count && b <= h->hi; b++)
		h->count[b - h->base] = 0;
	h->total = 0;
	h->lo = 0;
	h->hi = -1;
	h->nrange = 0;
}

static bool has_bins(const struct hist *h)
{
	return h->count && h->lo <= h->hi;
}

/* Bins lo to hi are in memory: as many as are in use, as a minute has few. */
static void reach_bins(struct hist *h, int lo, int hi)
{
	if (h->count && lo >= h->base && hi < h->base + h->nbin)
		return;
	if (h->count && h->base < lo)
		lo = h->base;
	if (h->count && h->base + h->nbin - 1 > hi)
		hi = h->base + h->nbin - 1;
	int base = HIST_LOW + (lo - HIST_LOW) / BLOCK * BLOCK;
	int nbin = ((hi - base) / BLOCK + 1) * BLOCK;
	int64_t *count = xcalloc((size_t)nbin, sizeof *count);
	if (h->count)
		memcpy(count + (h->base - base), h->count, (size_t)h->nbin * sizeof *count);
	else {
		h->lo = 0;
		h->hi = -1;
	}
	free(h->count);
	h->count = count;
	h->base = base;
	h->nbin = nbin;
}

static void add_bin(struct hist *h, int bin, int64_t count)
{
	if (count <= 0)
		return;
	reach_bins(h, bin, bin);
	bool first = !has_bins(h);
	if (first || bin < h->lo)
		h->lo = bin;
	if (first || bin > h->hi)
		h->hi = bin;
	h->count[bin - h->base] += count;
}

void hist_add(struct hist *h, double v, int64_t count)
{
	if (!(v >= 0) || count <= 0)
		return;
	pthread_once(&once, make_tables);
	add_bin(h, bin_of(v), count);
	h->total += count;
}

/* ---- ranges ------------------------------------------------------------------------------- */

/* So many in (lo, hi], spread evenly. */
static void spread_range(struct hist *h, const struct hist_range *r)
{
	int64_t given = 0;
	int first = bin_of(r->lo), last = bin_of(r->hi);

	reach_bins(h, first, last);
	for (int b = first; b <= last; b++) {
		double top = b == last ? r->hi : bin_edge(b + 1);
		double until = b == last ? (double)r->count
					 : (double)r->count * (top - r->lo) / (r->hi - r->lo);
		int64_t n = b == last || until >= (double)r->count ? r->count : (int64_t)until;
		if (n > given) {
			add_bin(h, b, n - given);
			given = n;
		}
	}
}

static int cmp_range(const struct hist_range *a, const struct hist_range *b)
{
	if (a->lo != b->lo)
		return cmp_double(a->lo, b->lo);
	return cmp_double(a->hi, b->hi);
}

/* Ranges come in rising order, those of the histogram before again: the place is mostly the one
 * behind the last. */
static uint32_t place_of(const struct hist *h, const struct hist_range *r)
{
	uint32_t next = h->at + 1;

	if (next < h->nrange && !cmp_range(&h->range[next], r))
		return next;
	if (h->nrange && cmp_range(&h->range[h->nrange - 1], r) < 0)
		return h->nrange;
	return (uint32_t)first_where(i, h->nrange, cmp_range(&h->range[i], r) >= 0);
}

static void add_range(struct hist *h, const struct hist_range *r)
{
	if (r->count <= 0)
		return;
	h->total += r->count;
	uint32_t i = place_of(h, r);
	h->at = i;
	if (i < h->nrange && !cmp_range(&h->range[i], r)) {
		h->range[i].count += r->count;
		return;
	}
	if (h->nrange == HIST_RANGES_MAX) {
		spread_range(h, r);
		return;
	}
	if (h->nrange == h->range_cap) {
		h->range_cap = h->range_cap ? h->range_cap * 2 : 16;
		h->range = xrealloc(h->range, h->range_cap * sizeof *h->range);
	}
	memmove(h->range + i + 1, h->range + i, (h->nrange - i) * sizeof *h->range);
	h->range[i] = *r;
	h->nrange++;
}

double hist_quantile(struct hist *h, double q)
{
	if (!h->total)
		return NAN;
	for (uint32_t i = 0; i < h->nrange; i++)
		spread_range(h, &h->range[i]);
	h->nrange = 0;
	double rank = ceil(q * (double)h->total), seen = 0;
	int b = h->lo;
	for (; b < h->hi; b++) {
		seen += (double)h->count[b - h->base];
		if (seen >= rank)
			break;
	}
	if (b == HIST_LOW)
		return 0;
	return bin_edge(b) * sqrt(GROWTH);
}

/* ---- packed ------------------------------------------------------------------------------- */

static void put_varint(struct str *out, uint64_t v)
{
	char buf[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		buf[n++] = (char)(v | 0x80);
	buf[n++] = (char)v;
	str_add(out, buf, n);
}

static bool take_varint(const unsigned char **p, const unsigned char *end, uint64_t *ret)
{
	*ret = 0;
	for (int shift = 0; shift < 63 && *p < end; shift += 7) {
		unsigned char b = *(*p)++;
		*ret |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return true;
	}
	return false;
}

static void put_bound(struct str *out, double v, uint64_t code)
{
	put_varint(out, code);
	if (!code)
		str_add(out, (const char *)&v, sizeof v);
}

static bool take_bound(const unsigned char **p, const unsigned char *end, double *ret,
		       uint64_t *ret_code)
{
	if (!take_varint(p, end, ret_code))
		return false;
	if (*ret_code) {
		*ret = histogram_bound(*ret_code);
		return true;
	}
	if ((size_t)(end - *p) < sizeof *ret)
		return false;
	memcpy(ret, *p, sizeof *ret);
	*p += sizeof *ret;
	return *ret >= 0 && isfinite(*ret);
}

void hist_pack(const struct hist *h, struct str *out)
{
	int before = 0;

	for (int b = h->lo; has_bins(h) && b <= h->hi; b++) {
		int64_t n = h->count[b - h->base];
		if (!n)
			continue;
		int d = b - before;
		put_varint(out, ((uint64_t)(int64_t)d << 1) ^ (uint64_t)((int64_t)d >> 63));
		put_varint(out, (uint64_t)n);
		before = b;
	}
	if (h->nrange)
		put_varint(out, RANGES_TAG);
	double below = 0;
	for (uint32_t i = 0; i < h->nrange; i++) {
		const struct hist_range *r = &h->range[i];
		bool apart = r->lo != below;
		put_varint(out, (uint64_t)r->count << 1 | apart);
		if (apart)
			put_bound(out, r->lo, r->lo_code);
		put_bound(out, r->hi, r->hi_code);
		below = r->hi;
	}
}

/* A count that the sum has room for. */
static bool count_fits(const struct hist *h, uint64_t count)
{
	return count > 0 && count <= INT64_MAX / 4 && h->total <= INT64_MAX / 4;
}

static bool merge_ranges(struct hist *h, const unsigned char *p, const unsigned char *end)
{
	struct hist_range r = { .hi_code = HISTOGRAM_ZERO };

	h->at = UINT32_MAX; /* so that the next place is the first */
	while (p < end) {
		uint64_t n;
		if (!take_varint(&p, end, &n) || !count_fits(h, n >> 1))
			return false;
		r.lo = r.hi;
		r.lo_code = r.hi_code;
		r.count = (int64_t)(n >> 1);
		if ((n & 1) && !take_bound(&p, end, &r.lo, &r.lo_code))
			return false;
		if (!take_bound(&p, end, &r.hi, &r.hi_code) || !(r.hi > r.lo))
			return false;
		add_range(h, &r);
	}
	return true;
}

bool hist_merge(struct hist *h, const void *data, size_t n)
{
	const unsigned char *p = data, *end = p;
	int64_t bin = 0;

	if (n)
		end = p + n;
	pthread_once(&once, make_tables);
	while (p < end) {
		uint64_t d, count;
		if (!take_varint(&p, end, &d))
			return false;
		if (d == RANGES_TAG)
			return merge_ranges(h, p, end);
		if (!take_varint(&p, end, &count) || !count_fits(h, count) || d > 4 * HIST_BINS)
			return false;
		bin += (int64_t)(d >> 1) ^ -(int64_t)(d & 1);
		if (bin < HIST_LOW || bin > HIST_HIGH)
			return false;
		add_bin(h, (int)bin, (int64_t)count);
		h->total += (int64_t)count;
	}
	return true;
}

bool hist_add_text(struct hist *h, struct sv text)
{
	struct histogram_bin b = { .le = -1 };
	struct hist_range range = { .hi_code = HISTOGRAM_ZERO };
	int r;

	pthread_once(&once, make_tables);
	h->at = UINT32_MAX;
	while ((r = histogram_next(&text, b.le, &b)) > 0) {
		if (b.count > INT64_MAX / 2 - h->total)
			return false;
		range.lo = range.hi;
		range.lo_code = range.hi_code;
		range.hi = b.le;
		range.hi_code = b.code;
		range.count = b.count;
		bool is_point = isinf(b.le) || !(b.le > range.lo);
		if (is_point)
			hist_add(h, range.lo, b.count);
		else
			add_range(h, &range);
	}
	return r == 0;
}
