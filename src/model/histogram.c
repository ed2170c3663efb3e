#include "model/histogram.h"

#include <errno.h>
#include <math.h>

#define DIGITS_MAX 15 /* exact in a double, whatever they are */
#define POWER_LOW  (-8)
#define POWER_HIGH 7

double histogram_bound(uint64_t code)
{
	static const double pow10[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8 };
	double digits = (double)(code >> 4);
	int power = (int)(code & 15) + POWER_LOW;

	return power < 0 ? digits / pow10[-power] : digits * pow10[power];
}

/* As histogram_bound() takes it, without zeros at the end; 0 where there is none. */
static uint64_t code_of(uint64_t digits, int power)
{
	if (digits == 0)
		return HISTOGRAM_ZERO;
	while (power < POWER_HIGH && digits % 10 == 0) {
		digits /= 10;
		power++;
	}
	return power < POWER_LOW ? 0 : digits << 4 | (uint64_t)(power - POWER_LOW);
}

/* Digits from *p on, which moves behind them; of more than DIGITS_MAX the sum means nothing. */
static inline ptrdiff_t take_digits(const char **p, const char *end, uint64_t *v)
{
	const char *q = *p;
	uint64_t sum = *v;
	unsigned d;

	for (; q < end && (d = (unsigned char)*q - '0') <= 9; q++)
		sum = sum * 10 + d;
	ptrdiff_t n = q - *p;
	*p = q;
	*v = sum;
	return n;
}

/* "2.5:17" and its ';', as almost all of them are: nothing but short numbers. false: something
 * else, which may well be right. */
static bool read_plain(struct sv *rest, struct histogram_bin *ret)
{
	const char *p = rest->p, *end = p + rest->n;
	uint64_t digits = 0, count = 0;
	ptrdiff_t whole = take_digits(&p, end, &digits), frac = 0;

	if (whole && p < end && *p == '.') {
		p++;
		frac = take_digits(&p, end, &digits);
		if (!frac)
			return false;
	}
	if (!whole || whole + frac > DIGITS_MAX || p == end || *p != ':')
		return false;
	p++;
	ptrdiff_t n = take_digits(&p, end, &count);
	if (!n || n > DIGITS_MAX || (p < end && *p != ';'))
		return false;
	ret->code = code_of(digits, -(int)frac);
	if (!ret->code)
		return false;
	ret->le = histogram_bound(ret->code);
	ret->count = (int64_t)count;
	p += p < end;
	*rest = (struct sv){ p, (size_t)(end - p) };
	return true;
}

int histogram_next(struct sv *rest, double above, struct histogram_bin *ret)
{
	struct sv next, count, le;

	if (rest->n && read_plain(rest, ret))
		return ret->le > above ? 1 : -EINVAL;
	*rest = sv_trim(*rest);
	if (!rest->n)
		return 0;
	le = sv_trim(sv_cut(sv_cut(*rest, ';', &next), ':', &count));
	*rest = next;
	if (!count.p || sv_i64(sv_trim(count), &ret->count) < 0 || ret->count < 0)
		return -EINVAL;
	ret->code = 0;
	bool last = sv_ieq(le, SV("+inf")) || sv_ieq(le, SV("inf"));
	if (last)
		ret->le = INFINITY;
	else if (sv_f64(le, &ret->le) != 0 || !(ret->le >= 0))
		return -EINVAL;
	if (ret->le > above)
		return 1;
	return -EINVAL;
}
