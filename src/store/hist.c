#include "store/hist.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define GROWTH 1.02

static int bin_of(double v)
{
	static double per_ln;
	if (per_ln == 0)
		per_ln = 1 / log(GROWTH);
	if (!(v > 0))
		return HIST_LOW;
	double i = floor(log(v) * per_ln);
	return i < HIST_LOW ? HIST_LOW : i > HIST_HIGH ? HIST_HIGH : (int)i;
}

static double edge(int bin)
{
	return pow(GROWTH, bin);
}

void hist_free(struct hist *h)
{
	free(h->count);
	*h = (struct hist){ 0 };
}

void hist_clear(struct hist *h)
{
	if (h->total)
		memset(h->count + (h->lo - HIST_LOW), 0,
		       (size_t)(h->hi - h->lo + 1) * sizeof *h->count);
	h->total = 0;
}

static void add_bin(struct hist *h, int bin, int64_t count)
{
	if (count <= 0)
		return;
	if (!h->count)
		h->count = xcalloc(HIST_BINS, sizeof *h->count);
	if (!h->total || bin < h->lo)
		h->lo = bin;
	if (!h->total || bin > h->hi)
		h->hi = bin;
	h->count[bin - HIST_LOW] += count;
	h->total += count;
}

void hist_add(struct hist *h, double v, int64_t count)
{
	if (v >= 0)
		add_bin(h, bin_of(v), count);
}

void hist_add_range(struct hist *h, double lo, double hi, int64_t count)
{
	if (!(hi > lo) || lo < 0) {
		hist_add(h, hi, count);
		return;
	}
	int64_t given = 0;
	int last = bin_of(hi);
	for (int b = bin_of(lo); b <= last; b++) {
		double top = b == last ? hi : edge(b + 1);
		int64_t until = b == last ? count
					  : (int64_t)((double)count * (top - lo) / (hi - lo));
		if (until > count)
			until = count;
		if (until > given) {
			add_bin(h, b, until - given);
			given = until;
		}
	}
}

static void put(struct str *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		str_addc(out, (char)(v | 0x80));
	str_addc(out, (char)v);
}

static bool take(const unsigned char **p, const unsigned char *end, uint64_t *ret)
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

void hist_pack(const struct hist *h, struct str *out)
{
	int before = 0;
	for (int b = h->lo; h->total && b <= h->hi; b++) {
		int64_t n = h->count[b - HIST_LOW];
		if (!n)
			continue;
		int d = b - before;
		put(out, ((uint64_t)(int64_t)d << 1) ^ (uint64_t)((int64_t)d >> 63));
		put(out, (uint64_t)n);
		before = b;
	}
}

bool hist_merge(struct hist *h, const void *data, size_t n)
{
	const unsigned char *p = data, *end = p + n;
	int64_t bin = 0;
	while (p < end) {
		uint64_t d, count;
		if (!take(&p, end, &d) || !take(&p, end, &count))
			return false;
		if (d > 4 * HIST_BINS || count > INT64_MAX / 4)
			return false;
		bin += (int64_t)(d >> 1) ^ -(int64_t)(d & 1);
		if (bin < HIST_LOW || bin > HIST_HIGH)
			return false;
		add_bin(h, (int)bin, (int64_t)count);
	}
	return true;
}

double hist_quantile(const struct hist *h, double q)
{
	if (!h->total)
		return NAN;
	double rank = ceil(q * (double)h->total), seen = 0;
	int b = h->lo;
	for (; b < h->hi; b++) {
		seen += (double)h->count[b - HIST_LOW];
		if (seen >= rank)
			break;
	}
	return b == HIST_LOW ? 0 : edge(b) * sqrt(GROWTH);
}

/* A "bound:count" of the text. */
static bool read_bin(struct sv part, double *ret_bound, int64_t *ret_count)
{
	struct sv count, bound = sv_trim(sv_cut(part, ':', &count));
	if (!count.p || sv_i64(sv_trim(count), ret_count) || *ret_count < 0)
		return false;
	if (sv_ieq(bound, SV("+inf")) || sv_ieq(bound, SV("inf"))) {
		*ret_bound = INFINITY;
		return true;
	}
	return sv_f64(bound, ret_bound) == 0 && *ret_bound >= 0;
}

bool hist_add_text(struct hist *h, struct sv text)
{
	double bound, below = -1;
	int64_t count;
	for (struct sv rest = text; rest.p;) {
		struct sv part = sv_cut(rest, ';', &rest);
		if (!sv_trim(part).n)
			continue;
		if (!read_bin(part, &bound, &count) || bound <= below)
			return false;
		below = bound;
	}
	below = 0;
	for (struct sv rest = text; rest.p;) {
		struct sv part = sv_cut(rest, ';', &rest);
		if (!sv_trim(part).n)
			continue;
		read_bin(part, &bound, &count);
		/* What is above the last bound is known to be no less than it. */
		if (isinf(bound))
			hist_add(h, below, count);
		else
			hist_add_range(h, below, bound, count);
		below = bound;
	}
	return true;
}
