#include "base/tm.h"

#include <stdatomic.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/among.h"
#include "base/dec.h"
#include "base/num.h"
#include "base/str.h"

#define MIN_MS (-62135596800000LL) /* 0001-01-01 */
#define MAX_MS 253402300799999LL   /* end of 9999 */
/* 1970-01-01 in days from 0000-03-01 */
#define EPOCH_DAY 719468

struct civil tm_civil(int64_t ms)
{
	int64_t day = ms / MS_DAY, rest = ms % MS_DAY;
	if (rest < 0) {
		rest += MS_DAY;
		day--;
	}
	struct civil c = { .hour = (int)(rest / MS_HOUR),
			   .minute = (int)(rest / MS_MINUTE % 60),
			   .second = (int)(rest / MS_SECOND % 60),
			   .ms = (int)(rest % 1000) };
	/* the inverse of tm_from_civil(); 146,097 days are 400 years, 1,460 four of them without
	 * the leap day, 36,524 a century; (153 m + 2) / 5 days are before month m, counted from
	 * March */
	day += EPOCH_DAY;
	int64_t era = (day >= 0 ? day : day - 146096) / 146097, of_era = day - era * 146097;
	int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;
	c.day = (int)(of_year - (153 * m + 2) / 5 + 1);
	c.month = (int)(m < 10 ? m + 3 : m - 9);
	c.year = (int)(y + era * 400 + (c.month <= 2));
	return c;
}

/* Monday of the week of an instant: 1970-01-01 was a Thursday. */
static int64_t monday_of(int64_t ms)
{
	return tm_floor(ms + 3 * MS_DAY, 7 * MS_DAY) - 3 * MS_DAY;
}

void tm_iso_week(int64_t ms, int *ret_year, int *ret_week)
{
	int64_t monday = monday_of(ms);

	*ret_year = tm_civil(monday + 3 * MS_DAY).year; /* of its Thursday */
	*ret_week = (int)((monday - tm_from_iso_week(*ret_year, 1)) / (7 * MS_DAY)) + 1;
}

int64_t tm_from_iso_week(int year, int week)
{
	int64_t fourth = tm_from_civil((struct civil){ .year = year, .month = 1, .day = 4 });

	return monday_of(fourth) + (week - 1) * 7 * MS_DAY;
}

/*
 * Years are counted from March, so that the leap day is the last of its year, and in eras of 400
 * years = 146,097 days. Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"
 * (days_from_civil, civil_from_days).
 */
int64_t tm_from_civil(struct civil c)
{
	int64_t y = c.month <= 2 ? c.year - 1 : c.year;
	int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (c.month > 2 ? c.month - 3 : c.month + 9) + 2) / 5 + c.day - 1;
	int64_t days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
		       EPOCH_DAY;

	return days * MS_DAY + c.hour * MS_HOUR + c.minute * MS_MINUTE + c.second * MS_SECOND +
	       c.ms;
}

static bool is_valid(const struct civil *c)
{
	static const int len[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	if (!within_int(c->year, 1, 9999) || !within_int(c->month, 1, 12) || c->day < 1)
		return false;
	bool leap = c->year % 4 == 0 && (c->year % 100 != 0 || c->year % 400 == 0);
	if (c->day > len[c->month - 1] + (c->month == 2 && leap))
		return false;
	return c->hour <= 23 && c->minute <= 59 && c->second <= 59;
}

static inline int two(const char *p) /* two digits, or negative */
{
	int a = (unsigned char)p[0] - '0', b = (unsigned char)p[1] - '0';
	if ((unsigned)a > 9 || (unsigned)b > 9)
		return -1000000;
	return a * 10 + b;
}

/* What is left to read. */
struct cursor {
	const char *p, *end;
};

static bool take_char(struct cursor *c, char x)
{
	bool yes = c->p < c->end && *c->p == x;
	c->p += yes;
	return yes;
}

/* A number of lo to hi digits, or -1. */
static int take_int(struct cursor *c, int lo, int hi)
{
	int v = 0, n = 0;
	for (; n < hi && c->p < c->end && char_is_digit(*c->p); n++)
		v = v * 10 + (*c->p++ - '0');
	if (n < lo)
		return -1;
	return v;
}

/* ".123456" cut to ms; no digits: -1; no point: 0. */
static int take_ms(struct cursor *c)
{
	if (!take_char(c, '.'))
		return 0;
	int ms = 0, n = 0;
	for (; c->p < c->end && char_is_digit(*c->p); c->p++, n++)
		if (n < 3)
			ms = ms * 10 + (*c->p - '0');
	if (n == 0)
		return -1;
	for (; n < 3; n++)
		ms *= 10;
	return ms;
}

/* HH:MM[:SS[.fff]] with hours of min_digits to 2 digits. */
static bool take_clock(struct cursor *c, int min_digits, struct civil *t)
{
	t->hour = take_int(c, min_digits, 2);
	if (t->hour < 0 || !take_char(c, ':') || (t->minute = take_int(c, 2, 2)) < 0)
		return false;
	if (take_char(c, ':')) {
		t->second = take_int(c, 2, 2);
		t->ms = take_ms(c);
	}
	return t->second >= 0 && t->ms >= 0;
}

/* "Z", " UTC", "+02:00", "+0200", "+02" or nothing. */
static bool take_offset(struct cursor *c, int *offset_s)
{
	struct sv left = { c->p, (size_t)(c->end - c->p) };
	if (left.n == 0)
		return true;
	if (sv_ieq(left, SV("z")) || sv_is(left, " UTC") || sv_is(left, " Z")) {
		*offset_s = 0;
		return true;
	}
	bool minus = take_char(c, '-');
	if (!minus && !take_char(c, '+'))
		return false;
	int h = take_int(c, 2, 2), m = 0;
	if (take_char(c, ':') || c->p < c->end)
		m = take_int(c, 2, 2);
	if (!within_int(h, 0, 23) || !within_int(m, 0, 59) || c->p != c->end)
		return false;
	*offset_s = (h * 3600 + m * 60) * (minus ? -1 : 1);
	return true;
}

/* YYYY-MM-DD(T| )HH:MM:SS at p, all but the range of the numbers. */
static inline bool read_19(const char *p, struct civil *c)
{
	c->year = two(p) * 100 + two(p + 2);
	c->month = two(p + 5);
	c->day = two(p + 8);
	c->hour = two(p + 11);
	c->minute = two(p + 14);
	c->second = two(p + 17);
	return (p[4] == '-') & (p[7] == '-') & ((p[10] == 'T') | (p[10] == ' ')) & (p[13] == ':') &
	       (p[16] == ':') & (c->hour >= 0) & (c->minute >= 0) & (c->second >= 0);
}

int tm_parse(struct sv s, int utc_offset_s, int64_t *ret_ms)
{
	struct civil c = { 0 };
	if (s.n == 0)
		return -EINVAL;
	bool z = s.n == 20 && s.p[19] == 'Z';
	if ((z || s.n == 19) && read_19(s.p, &c) && is_valid(&c)) {
		*ret_ms = tm_from_civil(c) - (z ? 0 : utc_offset_s * MS_SECOND);
		return 0;
	}

	/* any other way of writing it, piece by piece */
	struct cursor in = { s.p, s.p + s.n };
	c = (struct civil){ .year = take_int(&in, 4, 4) };
	char sep = take_char(&in, '/') ? '/' : '-';
	if (sep == '-' && !take_char(&in, '-'))
		return -EINVAL;
	c.month = take_int(&in, 2, 2);
	if (!take_char(&in, sep))
		return -EINVAL;
	c.day = take_int(&in, 2, 2);
	if (in.p < in.end) {
		if (!take_char(&in, 'T') && !take_char(&in, ' ') && !take_char(&in, 't'))
			return -EINVAL;
		if (!take_clock(&in, 2, &c) || !take_offset(&in, &utc_offset_s))
			return -EINVAL;
	}
	if (!is_valid(&c))
		return -EINVAL;
	*ret_ms = tm_from_civil(c) - utc_offset_s * MS_SECOND;
	return 0;
}

/* " AM", " PM" behind a clock of 1 to 12; nothing leaves it alone. */
static bool take_half(struct cursor *in, struct civil *c)
{
	struct sv left = { in->p, (size_t)(in->end - in->p) };
	if (left.n == 0)
		return true;
	bool pm = sv_ieq(left, SV(" pm"));
	if ((!pm && !sv_ieq(left, SV(" am"))) || !within_int(c->hour, 1, 12))
		return false;
	c->hour = c->hour % 12 + (pm ? 12 : 0);
	return true;
}

int tm_parse_slashed(struct sv s, int day_first, int utc_offset_s, int64_t *ret_ms)
{
	if (s.n == 0)
		return -EINVAL;
	struct cursor in = { s.p, s.p + s.n };
	struct civil c = { 0 };
	int a = take_int(&in, 1, 2);
	/* "01.10.2026" always begins with the day */
	char sep = day_first && in.p < in.end && *in.p == '.' ? '.' : '/';
	if (!take_char(&in, sep))
		return -EINVAL;
	int b = take_int(&in, 1, 2);
	if (!take_char(&in, sep))
		return -EINVAL;
	const char *start = in.p;
	c.year = take_int(&in, 2, 4);
	if (in.p - start == 3)
		return -EINVAL;
	if (in.p - start == 2)
		c.year += 2000;
	c.month = day_first ? b : a;
	c.day = day_first ? a : b;
	if (in.p < in.end &&
	    (!take_char(&in, ' ') || !take_clock(&in, 1, &c) || !take_half(&in, &c)))
		return -EINVAL;
	if (!is_valid(&c))
		return -EINVAL;
	*ret_ms = tm_from_civil(c) - utc_offset_s * MS_SECOND;
	return 0;
}

int tm_parse_number(struct sv s, int64_t origin_ms, int64_t unit_ms, int64_t *ret_ms)
{
	dec v;
	int rc = dec_parse(s, 0, &v);
	if (rc)
		return rc;
	if (v > DEC_ONE * MAX_MS || v < -DEC_ONE * MAX_MS)
		return -ERANGE;
	__int128 ms = div_half_even(v * unit_ms, DEC_ONE) + origin_ms;
	if (ms < MIN_MS || ms > MAX_MS)
		return -ERANGE;
	*ret_ms = (int64_t)ms;
	return 0;
}

static int64_t unit_ms(struct sv u)
{
	static const struct {
		const char *name;
		int64_t ms;
	} unit[] = { { "ms", 1 },          { "s", MS_SECOND },   { "m", MS_MINUTE },
		     { "min", MS_MINUTE }, { "h", MS_HOUR },     { "d", MS_DAY },
		     { "w", 7 * MS_DAY },  { "y", 365 * MS_DAY } };
	for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
		if (sv_is(u, unit[i].name))
			return unit[i].ms;
	return 0;
}

int tm_parse_span(struct sv s, int64_t *ret_ms)
{
	__int128 sum = 0;
	while (s.n) {
		size_t n = 0, u;
		while (n < s.n && (char_is_digit(s.p[n]) || s.p[n] == '.'))
			n++;
		for (u = n; u < s.n && s.p[u] >= 'a' && s.p[u] <= 'z';)
			u++;
		int64_t unit = unit_ms((struct sv){ s.p + n, u - n });
		dec v;
		int rc = -EINVAL;
		if (unit)
			rc = dec_parse((struct sv){ s.p, n }, 0, &v);
		if (rc)
			return rc;
		if (v > DEC_ONE * MAX_MS)
			return -ERANGE;
		sum += div_half_even(v * unit, DEC_ONE);
		if (sum > MAX_MS)
			return -ERANGE;
		s = sv_from(s, u);
	}
	if (sum <= 0)
		return -EINVAL;
	*ret_ms = (int64_t)sum;
	return 0;
}

int tm_parse_slurm_span(struct sv s, int64_t *ret_ms)
{
	if (sv_ieq(s, SV("unlimited")) || sv_ieq(s, SV("partition_limit")))
		return -ERANGE;
	if (s.n == 0)
		return -EINVAL;
	struct cursor in = { s.p, s.p + s.n };
	int64_t v[3], days = 0;
	bool has_days = false;
	int n = 0;
	do {
		v[n] = take_int(&in, 1, 8);
		if (v[n] < 0)
			return -EINVAL;
		if (!has_days && n == 0 && take_char(&in, '-')) {
			days = v[0];
			has_days = true;
			continue;
		}
		n++;
	} while ((has_days && n == 0) || (n < 3 && take_char(&in, ':')));
	for (int i = n; i < 3; i++)
		v[i] = 0;
	bool from_hours = has_days || n == 3; /* else from minutes */
	bool has_seconds = n == 3 || (n == 2 && !from_hours);
	int ms = 0;
	if (has_seconds)
		ms = take_ms(&in);
	if (in.p != in.end || ms < 0)
		return -EINVAL;
	int64_t h = 0, m = v[0], sec = v[1];
	if (from_hours) {
		h = v[0];
		m = v[1];
		sec = v[2];
	}
	/* only the first of the numbers may be larger than its unit has room for */
	if (sec > 59 || (from_hours && m > 59) || (has_days && h > 23))
		return -EINVAL;
	*ret_ms = days * MS_DAY + h * MS_HOUR + m * MS_MINUTE + sec * MS_SECOND + ms;
	return 0;
}

int64_t tm_month_start(int64_t ms, int months)
{
	struct civil c = tm_civil(ms);
	int m = c.year * 12 + c.month - 1 + months;
	return tm_from_civil((struct civil){ .year = m / 12, .month = m % 12 + 1, .day = 1 });
}

int64_t tm_add_months(int64_t ms, int months)
{
	int64_t first = tm_month_start(ms, months), after = tm_month_start(ms, months + 1);
	int64_t day = tm_civil(ms).day - 1, last = (after - first) / MS_DAY - 1;

	return first + min_i64(day, last) * MS_DAY + (ms - tm_floor(ms, MS_DAY));
}

char *tm_format(char buf[TM_BUF], int64_t ms)
{
	struct civil c = tm_civil(ms);
	int n = snprintf(buf, TM_BUF, "%04d-%02d-%02dT%02d:%02d:%02d", c.year, c.month, c.day,
			 c.hour, c.minute, c.second);
	if (c.ms)
		n += snprintf(buf + n, TM_BUF - (size_t)n, ".%03d", c.ms);
	snprintf(buf + n, TM_BUF - (size_t)n, "Z");
	return buf;
}

char *tm_format_date(char buf[TM_BUF], int64_t ms)
{
	struct civil c = tm_civil(ms);
	snprintf(buf, TM_BUF, "%04d-%02d-%02d", c.year, c.month, c.day);
	return buf;
}

char *tm_format_span(char buf[TM_BUF], int64_t ms)
{
	char *p = buf;
	uint64_t u = ms < 0 ? 0 - (uint64_t)ms : (uint64_t)ms;
	if (ms < 0)
		*p++ = '-';
	size_t n = TM_BUF - (size_t)(p - buf);
	if (u && u < MS_SECOND)
		snprintf(p, n, "%d ms", (int)u);
	else if (u < MS_MINUTE)
		snprintf(p, n, "%d s", (int)(u / MS_SECOND));
	else if (u < MS_HOUR)
		snprintf(p, n, "%d min %02d s", (int)(u / MS_MINUTE), (int)(u / MS_SECOND % 60));
	else if (u < MS_DAY)
		snprintf(p, n, "%d h %02d min", (int)(u / MS_HOUR), (int)(u / MS_MINUTE % 60));
	else
		snprintf(p, n, "%lld d %d h", (long long)(u / MS_DAY), (int)(u / MS_HOUR % 24));
	return buf;
}

int32_t tm_day(int64_t ms)
{
	struct civil c = tm_civil(ms);
	return c.year * 10000 + c.month * 100 + c.day;
}

int32_t tm_month(int64_t ms)
{
	struct civil c = tm_civil(ms);
	return c.year * 100 + c.month;
}

static int64_t clock_ms(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t tm_steady_ms(void)
{
	static _Atomic int64_t start; /* wall clock when the steady one was 0; 0: not asked yet */
	int64_t begun = start, none = 0;

	if (!begun) {
		begun = clock_ms(CLOCK_REALTIME) - clock_ms(CLOCK_BOOTTIME);
		if (!begun)
			begun = 1;
		if (!atomic_compare_exchange_strong(&start, &none, begun))
			begun = none;
	}
	return begun + clock_ms(CLOCK_BOOTTIME);
}

int64_t tm_mono_ms(void)
{
	return clock_ms(CLOCK_BOOTTIME);
}

int64_t tm_awake_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

double tm_awake_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int64_t tm_now_ms(void)
{
	const char *fixed = getenv("TARE_NOW");
	int64_t ms;
	if (fixed && tm_parse(sv_of(fixed), 0, &ms) == 0)
		return ms;
	return clock_ms(CLOCK_REALTIME);
}

int tm_now_check(struct err *err)
{
	const char *fixed = getenv("TARE_NOW");
	int64_t ms;

	if (!fixed || !*fixed || tm_parse(sv_of(fixed), 0, &ms) == 0)
		return 0;
	err_set(err, -EINVAL, "TARE_NOW is '%s', which is no time", fixed);
	err_hint(err, "RFC 3339, such as 2026-10-08T00:00:00Z; unset it for the time of the clock");
	return -EINVAL;
}
