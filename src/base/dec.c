#include "base/dec.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/among.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"

typedef unsigned __int128 u128;

static const uint64_t POW10[] = {
	1ULL,
	10ULL,
	100ULL,
	1000ULL,
	10000ULL,
	100000ULL,
	1000000ULL,
	10000000ULL,
	100000000ULL,
	1000000000ULL,
	10000000000ULL,
	100000000000ULL,
	1000000000000ULL,
	10000000000000ULL,
	100000000000000ULL,
	1000000000000000ULL,
	10000000000000000ULL,
	100000000000000000ULL,
	1000000000000000000ULL,
};

#define FRAC_DIGITS 12
#define MAX_DIGITS  38 /* of the integer behind a dec below DEC_LIMIT */

/* The plain case, [-]digits[.digits] with at most 18 digits: true when it was that. */
static bool parse_plain(struct sv s, dec *ret)
{
	const char *p = s.p, *end = s.p + s.n;
	bool minus = *p == '-';
	p += minus;
	uint64_t m = 0;
	const char *start = p;
	while (p < end && char_is_digit(*p))
		m = m * 10 + (uint64_t)(*p++ - '0');
	size_t whole = (size_t)(p - start), frac = 0;
	if (p < end && *p == '.') {
		start = ++p;
		while (p < end && char_is_digit(*p))
			m = m * 10 + (uint64_t)(*p++ - '0');
		frac = (size_t)(p - start);
	}
	if (p != end || whole + frac == 0 || frac > FRAC_DIGITS)
		return false;
	dec v = (dec)m * (int64_t)POW10[FRAC_DIGITS - frac];
	*ret = minus ? -v : v;
	return true;
}

/* A number taken apart: 0.d1d2d3... x 10^point. */
struct parts {
	char digit[MAX_DIGITS + 2];
	int n;
	bool sticky; /* a digit other than zero behind those kept */
	bool minus, any;
	int64_t point;
};

static void add_digit(struct parts *d, char c, bool whole)
{
	d->any = true;
	if (d->n == 0 && c == '0') {
		d->point -= !whole;
		return;
	}
	d->point += whole;
	if (d->n < (int)sizeof d->digit)
		d->digit[d->n++] = c;
	else if (c != '0')
		d->sticky = true;
}

/* Digits before the point, with group separators between if `group` is one. Returns how far it got
 * or NULL. */
static const char *take_whole(struct parts *d, const char *p, const char *end, char group)
{
	int run = 0;
	bool grouped = false;
	for (; p < end && (char_is_digit(*p) || (group && *p == group)); p++) {
		if (*p == group) {
			if (run == 0 || run > 3)
				return NULL;
			if (grouped && run != 3)
				return NULL;
			grouped = true;
			run = 0;
		} else {
			add_digit(d, *p, true);
			run++;
		}
	}
	if (grouped && run != 3)
		return NULL;
	return p;
}

static const char *take_exponent(struct parts *d, const char *p, const char *end)
{
	bool minus = p < end && *p == '-';
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	if (p == end)
		return NULL;
	int64_t x = 0;
	for (; p < end && char_is_digit(*p); p++)
		if (x < 1000000000)
			x = x * 10 + (*p - '0');
	d->point += minus ? -x : x;
	return p;
}

/* Currency signs: $, and the two- and three-byte ones (pound, yen, euro, rupee, won). */
static size_t currency_sign(struct sv s)
{
	static const char *const signs[] = {
		"$", "\xc2\xa3", "\xc2\xa5", "\xe2\x82\xac", "\xe2\x82\xb9", "\xe2\x82\xa9"
	};
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (sv_starts(s, sv_of(signs[i])))
			return strlen(signs[i]);
	return 0;
}

/* Take sign, currency and blanks off: "-$ 5", "$-5", "5 EUR-sign". */
static struct sv strip_currency(struct sv s, struct parts *d, unsigned flags)
{
	bool money = flags & DEC_GROUPED, had_sign = false, had_currency = false;
	if (money)
		s = sv_trim(s);
	while (s.n) {
		size_t n = 0;
		if (!had_sign && (*s.p == '-' || *s.p == '+')) {
			d->minus = *s.p == '-';
			had_sign = true;
			n = 1;
		} else if (money && !had_currency && (n = currency_sign(s)) > 0) {
			had_currency = true;
		} else {
			break;
		}
		s = sv_from(s, n);
		if (money && had_currency)
			s = sv_trim(s);
	}
	if (money && !had_currency) {
		for (size_t n = 1; n <= 3 && n <= s.n; n++)
			if (currency_sign((struct sv){ s.p + s.n - n, n }) == n) {
				s.n -= n;
				break;
			}
		s = sv_trim(s);
	}
	return s;
}

/* The integer of the digits, 12 behind the point, rounded half-even. */
static int parts_value(const struct parts *d, dec *ret)
{
	int64_t keep = d->point + FRAC_DIGITS;
	if (d->n == 0 || keep < 0) {
		*ret = 0;
		return 0;
	}
	if (keep > MAX_DIGITS)
		return -ERANGE;
	dec v = 0;
	for (int i = 0; i < keep; i++)
		v = v * 10 + (i < d->n ? d->digit[i] - '0' : 0);
	int next = 0;
	bool rest = d->sticky;
	if (keep < d->n)
		next = d->digit[keep] - '0';
	for (int i = (int)keep + 1; i < d->n; i++)
		rest |= d->digit[i] != '0';
	if (next > 5 || (next == 5 && (rest || v % 2)))
		v++;
	if (v >= DEC_LIMIT)
		return -ERANGE;
	*ret = d->minus ? -v : v;
	return 0;
}

int dec_parse(struct sv s, unsigned flags, dec *ret)
{
	if (s.n == 0)
		return -EINVAL;
	if (s.n <= 18 && !(flags & DEC_COMMA) && parse_plain(s, ret))
		return 0;
	struct parts d = { 0 };
	s = strip_currency(s, &d, flags);
	if (s.n == 0)
		return -EINVAL;
	char point = '.', group = ',';
	if (flags & DEC_COMMA) {
		point = ',';
		group = '.';
	}
	const char *end = s.p + s.n, *p = take_whole(&d, s.p, end, flags & DEC_GROUPED ? group : 0);
	if (p && p < end && *p == point)
		for (p++; p < end && char_is_digit(*p); p++)
			add_digit(&d, *p, false);
	if (p && d.any && p < end && (*p == 'e' || *p == 'E'))
		p = take_exponent(&d, p + 1, end);
	if (p != end || !d.any)
		return -EINVAL;
	return parts_value(&d, ret);
}

/* Digits of u, ending before `end`; returns the first. */
static char *put_digits(char *end, u128 u, int at_least)
{
	for (; u || at_least > 0; u /= 10, at_least--)
		*--end = (char)('0' + (int)(u % 10));
	return end;
}

/* buf <- [-]whole[.frac], where v = whole and `digits` fraction digits; group: thousands
 * separators. */
static char *write_fixed(char *buf, u128 v, bool minus, int digits, bool trim, bool group)
{
	char text[DEC_BUF];
	u128 scale = POW10[digits];
	uint64_t frac = (uint64_t)(v % scale);
	v /= scale;
	for (; trim && digits && frac % 10 == 0; digits--)
		frac /= 10;
	char *end = text + sizeof text, *p = put_digits(end, v, 1), *o = buf;
	if (minus)
		*o++ = '-';
	for (; p < end; p++) {
		*o++ = *p;
		if (group && end - p > 1 && (end - p) % 3 == 1)
			*o++ = ',';
	}
	if (digits) {
		*o++ = '.';
		put_digits(o + digits, frac, digits);
		o += digits;
	}
	*o = 0;
	return buf;
}

static u128 magnitude_of(__int128 v)
{
	if (v < 0)
		return -(u128)v;
	return (u128)v;
}

char *dec_format(char *buf, dec v)
{
	return write_fixed(buf, magnitude_of(v), v < 0, FRAC_DIGITS, true, false);
}

static char *format_digits(char *buf, dec v, int digits, bool group)
{
	assert(digits >= 0 && digits <= FRAC_DIGITS);
	dec r = div_half_even(v, (__int128)POW10[FRAC_DIGITS - digits]);
	return write_fixed(buf, magnitude_of(r), r < 0, digits, false, group);
}

char *dec_format_fixed(char *buf, dec v, int digits)
{
	return format_digits(buf, v, digits, false);
}

char *dec_format_people(char *buf, dec v, int digits)
{
	return format_digits(buf, v, digits, true);
}

bool dec_fits_nano(dec v)
{
	__int128 n = div_half_even(v, 1000);
	return n >= -INT64_MAX && n <= INT64_MAX; /* INT64_MIN stands for unknown */
}

int64_t dec_to_nano(dec v)
{
	assert(dec_fits_nano(v));
	return (int64_t)div_half_even(v, 1000);
}

__int128 div_half_even(__int128 num, __int128 den)
{
	assert(den > 0);
	if (num == (int64_t)num && den == (int64_t)den) {
		/* a 64-bit division is several times quicker */
		int64_t n = (int64_t)num, d = (int64_t)den, q = n / d, r = n % d;
		int64_t up = r < 0 ? -r : r, left = d - up;
		bool away = up > left || (up == left && (q & 1));
		if (away)
			return (__int128)q + (n < 0 ? -1 : 1);
		return q;
	}
	__int128 q = num / den, r = num % den;
	/* comparing with the other half cannot overflow, 2 * r could */
	__int128 up = r < 0 ? -r : r, left = den - up;
	if (up > left || (up == left && (q & 1)))
		q += num < 0 ? -1 : 1;
	return q;
}

dec dec_muldiv(dec v, int64_t num, int64_t den)
{
	assert(num >= 0 && den > 0);
	u128 m = magnitude_of(v);
	/* (hi, lo) = |v| * num, 192 bits */
	u128 low = (u128)(uint64_t)m * (uint64_t)num,
	     high = (m >> 64) * (uint64_t)num + (low >> 64);
	u128 lo = (high << 64) | (uint64_t)low;
	uint64_t d = (uint64_t)den, hi = (uint64_t)(high >> 64);
	if (hi == 0 && !(lo >> 127)) {
		dec q = (dec)div_half_even((__int128)lo, den);
		if (q >= DEC_LIMIT)
			q = DEC_LIMIT - 1;
		if (v < 0)
			return -q;
		return q;
	}
	/* long division by one 64-bit limb */
	uint64_t q2 = hi / d, r = hi % d;
	u128 cur = ((u128)r << 64) | (uint64_t)(lo >> 64);
	uint64_t q1 = (uint64_t)(cur / d);
	cur = ((u128)(uint64_t)(cur % d) << 64) | (uint64_t)lo;
	uint64_t q0 = (uint64_t)(cur / d);
	r = (uint64_t)(cur % d);
	u128 q = ((u128)q1 << 64) | q0;
	if (r > d - r || (r == d - r && (q & 1)))
		q++;
	if (q2 || q >= (u128)DEC_LIMIT)
		q = (u128)DEC_LIMIT - 1;
	if (v < 0)
		return -(dec)q;
	return (dec)q;
}

double dec_to_double(dec v)
{
	return (double)v / 1e12;
}

dec dec_from_double(double v)
{
	assert(isfinite(v));
	if (fabs(v) >= 1e26) {
		if (v < 0)
			return 1 - DEC_LIMIT;
		return DEC_LIMIT - 1;
	}
	int exp;
	int64_t m = (int64_t)ldexp(frexp(v, &exp), 53); /* v = m x 2^(exp - 53), exactly */
	exp -= 53;
	__int128 scaled = (__int128)m * DEC_ONE; /* below 2^93 */
	if (exp >= 0)
		return scaled * ((__int128)1 << exp); /* exp <= 34: below 10^26 is below 2^87 */
	if (-exp > 126)
		return 0;
	return div_half_even(scaled, (__int128)1 << -exp);
}

struct rest {
	u128 left;
	size_t i;
};

static int by_rest(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;
	if (x->left != y->left) {
		if (x->left > y->left)
			return -1;
		return 1;
	}
	return cmp_size(x->i, y->i);
}

void split_largest_remainder(int64_t total, size_t n, const __int128 *weight, int64_t *part)
{
	assert(n > 0);
	__int128 sum = 0;
	for (size_t i = 0; i < n; i++) {
		assert(weight[i] >= 0);
		sum += weight[i];
	}
	if (n == 1 || sum == 0) {
		memset(part, 0, n * sizeof *part);
		part[0] = total;
		return;
	}
	struct rest few[16], *rest = n <= 16 ? few : xmalloc(n * sizeof *rest);
	u128 t = magnitude_of(total), left = t;
	assert((u128)sum <= (((u128)1 << 127) - 1) / (t ? t : 1));
	for (size_t i = 0; i < n; i++) {
		u128 x = t * (u128)weight[i], q;
		if (x >> 64 == 0 && (u128)sum >> 64 == 0)
			q = (uint64_t)x / (uint64_t)sum;
		else
			q = x / (u128)sum;
		part[i] = (int64_t)(total < 0 ? (uint64_t)0 - (uint64_t)q : (uint64_t)q);
		left -= q;
		rest[i] = (struct rest){ x - q * (u128)sum, i };
	}
	if (left)
		sort_items(rest, n, sizeof *rest, by_rest);
	for (size_t k = 0; k < left; k++)
		part[rest[k].i] += total < 0 ? -1 : 1;
	if (rest != few)
		free(rest);
}
