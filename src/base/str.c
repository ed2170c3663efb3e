#include "base/str.h"

#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"

static inline unsigned char lower_char(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (unsigned char)(c + 32);
	return (unsigned char)c;
}

static bool same_nocase(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lower_char(a[i]) != lower_char(b[i]))
			return false;
	return true;
}

bool sv_ieq(struct sv a, struct sv b)
{
	return a.n == b.n && same_nocase(a.p, b.p, a.n);
}

bool sv_starts(struct sv a, struct sv prefix)
{
	return a.n >= prefix.n && (prefix.n == 0 || memcmp(a.p, prefix.p, prefix.n) == 0);
}

bool sv_ends(struct sv a, struct sv suffix)
{
	return a.n >= suffix.n &&
	       (suffix.n == 0 || memcmp(a.p + a.n - suffix.n, suffix.p, suffix.n) == 0);
}

bool sv_has(struct sv a, struct sv needle)
{
	if (needle.n == 0)
		return true;
	return a.n >= needle.n && memmem(a.p, a.n, needle.p, needle.n) != NULL;
}

bool sv_ihas(struct sv a, struct sv needle)
{
	if (needle.n == 0)
		return true;
	for (size_t i = 0; i + needle.n <= a.n; i++)
		if (lower_char(a.p[i]) == lower_char(*needle.p) &&
		    same_nocase(a.p + i, needle.p, needle.n))
			return true;
	return false;
}

int sv_cmp(struct sv a, struct sv b)
{
	size_t n = min_size(a.n, b.n);
	int c = 0;
	if (n)
		c = memcmp(a.p, b.p, n);
	if (c)
		return c;
	return cmp_size(a.n, b.n);
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct sv sv_trim(struct sv a)
{
	while (a.n && is_blank(a.p[0])) {
		a.p++;
		a.n--;
	}
	while (a.n && is_blank(a.p[a.n - 1]))
		a.n--;
	return a;
}

bool sv_glob(struct sv text, struct sv pattern)
{
	size_t t = 0, p = 0, star = SIZE_MAX, mark = 0;
	while (t < text.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			mark = t;
		} else if (p < pattern.n && (pattern.p[p] == '?' || pattern.p[p] == text.p[t])) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			/* only the last star needs to take more: no recursion */
			p = star + 1;
			t = ++mark;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

struct sv sv_cut(struct sv a, char sep, struct sv *rest)
{
	const char *q = NULL;
	if (a.n)
		q = memchr(a.p, sep, a.n);
	if (!q) {
		*rest = SV_NULL;
		return a;
	}
	size_t n = (size_t)(q - a.p);
	*rest = (struct sv){ q + 1, a.n - n - 1 };
	return (struct sv){ a.p, n };
}

int sv_i64(struct sv a, int64_t *ret)
{
	size_t i = 0;
	bool minus = a.n && a.p[0] == '-';
	if (a.n && (a.p[0] == '-' || a.p[0] == '+'))
		i++;
	if (i == a.n)
		return -EINVAL;
	uint64_t v = 0, limit = (uint64_t)INT64_MAX + minus;
	bool over = false;
	for (; i < a.n; i++) {
		unsigned d = (unsigned char)a.p[i] - '0';
		if (d > 9)
			return -EINVAL;
		if (v > (limit - d) / 10)
			over = true;
		else
			v = v * 10 + d;
	}
	if (over)
		return -ERANGE;
	*ret = minus ? (int64_t)(0 - v) : (int64_t)v;
	return 0;
}

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	assert(c_locale);
}

/* What the quick way cannot do exactly; the grammar was checked already. */
static int f64_slow(struct sv a, double *ret)
{
	char some[64];
	char *z = some;
	if (a.n >= sizeof some)
		z = xmalloc(a.n + 1);
	memcpy(z, a.p, a.n);
	z[a.n] = 0;
	pthread_once(&c_locale_once, make_c_locale);
	double v = strtod_l(z, NULL, c_locale);
	if (z != some)
		free(z);
	if (!isfinite(v))
		return -ERANGE;
	*ret = v;
	return 0;
}

/* Length of the run of digits at p; adds them to *m while it stays exact, *used counts the digits
 * that count. */
static size_t take_digits(const char *p, const char *end, uint64_t *m, int *used)
{
	const char *q = p;
	for (; q < end && (unsigned char)(*q - '0') <= 9; q++)
		if (*used < 19) {
			*m = *m * 10 + (unsigned char)(*q - '0');
			*used += *m != 0;
		} else {
			*used = 99;
		}
	return (size_t)(q - p);
}

int sv_f64(struct sv a, double *ret)
{
	static const double pow10[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	if (a.n == 0)
		return -EINVAL;
	const char *p = a.p, *end = a.p + a.n;
	bool minus = *p == '-';
	if (*p == '-' || *p == '+')
		p++;
	uint64_t m = 0;
	int used = 0;
	size_t whole = take_digits(p, end, &m, &used), frac = 0;
	p += whole;
	if (p < end && *p == '.') {
		frac = take_digits(p + 1, end, &m, &used);
		p += 1 + frac;
	}
	if (whole + frac == 0)
		return -EINVAL;
	bool has_exp = p < end && (*p == 'e' || *p == 'E');
	if (has_exp) {
		p++;
		if (p < end && (*p == '-' || *p == '+'))
			p++;
		uint64_t x = 0;
		int k = 0;
		size_t n = take_digits(p, end, &x, &k);
		if (n == 0)
			return -EINVAL;
		p += n;
	}
	if (p != end)
		return -EINVAL;
	if (has_exp || used > 19 || m > (1ULL << 53) || frac > 22)
		return f64_slow(a, ret);
	double v = (double)m / pow10[frac]; /* both exact, so one correct rounding */
	*ret = minus ? -v : v;
	return 0;
}

int rising_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int rising_sv(const void *a, const void *b)
{
	return sv_cmp(*(const struct sv *)a, *(const struct sv *)b);
}

void str_free(struct str *s)
{
	free(s->p);
	*s = (struct str){ 0 };
}

void str_clear(struct str *s)
{
	s->n = 0;
	if (s->p)
		s->p[0] = 0;
}

/* Room for n more bytes and the terminator. */
static void str_room(struct str *s, size_t n)
{
	assert(n < SIZE_MAX / 4);
	if (s->n + n < s->cap)
		return;
	size_t cap = 64;
	if (s->cap)
		cap = s->cap * 2;
	while (cap <= s->n + n)
		cap *= 2;
	s->p = xrealloc(s->p, cap);
	s->cap = cap;
}

void str_add(struct str *s, const char *p, size_t n)
{
	str_room(s, n);
	if (n)
		memcpy(s->p + s->n, p, n);
	s->n += n;
	s->p[s->n] = 0;
}

void str_addz(struct str *s, const char *z)
{
	str_add(s, z, strlen(z));
}

void str_addsv(struct str *s, struct sv v)
{
	str_add(s, v.p, v.n);
}

void str_setsv(struct str *s, struct sv v)
{
	str_clear(s);
	str_addsv(s, v);
}

void str_addc(struct str *s, char c)
{
	str_add(s, &c, 1);
}

void str_addvf(struct str *s, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	str_room(s, 64);
	int n = vsnprintf(s->p + s->n, s->cap - s->n, fmt, ap);
	assert(n >= 0);
	if ((size_t)n >= s->cap - s->n) {
		str_room(s, (size_t)n);
		vsnprintf(s->p + s->n, s->cap - s->n, fmt, again);
	}
	va_end(again);
	s->n += (size_t)n;
}

void str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	str_addvf(s, fmt, ap);
	va_end(ap);
}
