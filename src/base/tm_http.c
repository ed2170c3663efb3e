/* Dates as HTTP writes them. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/tm.h"

struct parts {
	struct civil c;
	char month[4], zone[4];
};

static bool read_fixed(const char *z, struct parts *p)
{
	struct civil *c = &p->c;
	char day[4];
	int n = 0,
	    got = sscanf(z, "%3[A-Za-z], %2d %3[A-Za-z] %4d %2d:%2d:%2d %3[A-Z]%n", day, &c->day,
			 p->month, &c->year, &c->hour, &c->minute, &c->second, p->zone, &n);

	return got == 8 && !z[n];
}

static bool read_rfc850(const char *z, struct parts *p)
{
	struct civil *c = &p->c;
	char day[10];
	int n = 0,
	    got = sscanf(z, "%9[A-Za-z], %2d-%3[A-Za-z]-%2d %2d:%2d:%2d %3[A-Z]%n", day, &c->day,
			 p->month, &c->year, &c->hour, &c->minute, &c->second, p->zone, &n);

	c->year += c->year < 70 ? 2000 : 1900;
	return got == 8 && !z[n];
}

static bool read_asctime(const char *z, struct parts *p)
{
	struct civil *c = &p->c;
	char day[4];
	int n = 0, got = sscanf(z, "%3[A-Za-z] %3[A-Za-z] %2d %2d:%2d:%2d %4d%n", day, p->month,
				&c->day, &c->hour, &c->minute, &c->second, &c->year, &n);

	memcpy(p->zone, "GMT", sizeof p->zone);
	return got == 7 && !z[n];
}

static int month_of(const char *name) /* 1..12, 0: none */
{
	static const char all[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	const char *at = NULL;

	if (strlen(name) == 3)
		at = strstr(all, name);
	if (!at || (at - all) % 3)
		return 0;
	return (int)(at - all) / 3 + 1;
}

int tm_parse_http(struct sv s, int64_t *ret_ms)
{
	static bool (*const form[])(const char *, struct parts *) = { read_fixed, read_rfc850,
								      read_asctime };
	char z[48];

	if (s.n >= sizeof z || !s.n)
		return -EINVAL;
	memcpy(z, s.p, s.n);
	z[s.n] = 0;
	for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
		struct parts p = { 0 };
		if (!form[i](z, &p))
			continue;
		struct civil *c = &p.c;
		c->month = month_of(p.month);
		bool date = within_int(c->month, 1, 12) && within_int(c->day, 1, 31) &&
			    c->year >= 1970;
		bool time = within_int(c->hour, 0, 23) && within_int(c->minute, 0, 59) &&
			    within_int(c->second, 0, 60);
		bool utc = !strcmp(p.zone, "GMT") || !strcmp(p.zone, "UTC");
		if (!date || !time || !utc)
			return -EINVAL;
		*ret_ms = tm_from_civil(p.c);
		return 0;
	}
	return -EINVAL;
}
