/* The window that --since and --until give (tm_window of tm.h): the one reader of all commands. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/tm.h"

/* ---- periods by the clock: "lastmonth" --------------------------------------------------- */

enum period { PERIOD_DAY, PERIOD_WEEK, PERIOD_MONTH, PERIOD_QUARTER, PERIOD_YEAR };

/* Start of the period of ms, or of the one `later` periods behind it. */
static int64_t period_start(enum period p, int64_t ms, int later)
{
	int month = tm_civil(ms).month - 1;
	int64_t day = tm_floor(ms, MS_DAY);

	switch (p) {
	case PERIOD_WEEK:
		/* 1970-01-01 was a Thursday */
		return tm_floor(day + 3 * MS_DAY, 7 * MS_DAY) - 3 * MS_DAY + later * 7 * MS_DAY;
	case PERIOD_MONTH: return tm_month_start(ms, later);
	case PERIOD_QUARTER: return tm_month_start(ms, 3 * later - month % 3);
	case PERIOD_YEAR: return tm_month_start(ms, 12 * later - month);
	default: return day + later * MS_DAY;
	}
}

static const struct {
	const char *name;
	enum period period;
	int later;
} named[] = {
	{ "today", PERIOD_DAY, 0 },       { "yesterday", PERIOD_DAY, -1 },
	{ "week", PERIOD_WEEK, 0 },       { "lastweek", PERIOD_WEEK, -1 },
	{ "month", PERIOD_MONTH, 0 },     { "lastmonth", PERIOD_MONTH, -1 },
	{ "quarter", PERIOD_QUARTER, 0 }, { "lastquarter", PERIOD_QUARTER, -1 },
	{ "year", PERIOD_YEAR, 0 },       { "lastyear", PERIOD_YEAR, -1 },
};
#define NNAMED (sizeof named / sizeof *named)

/* "Last-Month", "previous month" and "this month" as the table has them. */
static void plain_word(const char *text, char *word, size_t size)
{
	static const char *const last[] = { "previous", "prev", "past" };
	char flat[40];
	size_t n = 0;

	for (; *text && n + 1 < sizeof flat; text++)
		if (!strchr("-_ ", *text))
			flat[n++] = (char)tolower((unsigned char)*text);
	flat[n] = 0;
	if (!strncmp(flat, "this", 4)) {
		snprintf(word, size, "%s", flat + 4);
		return;
	}
	for (size_t i = 0; i < sizeof last / sizeof *last; i++)
		if (!strncmp(flat, last[i], strlen(last[i]))) {
			snprintf(word, size, "last%s", flat + strlen(last[i]));
			return;
		}
	snprintf(word, size, "%s", flat);
}

static bool read_named(const char *text, int64_t now_ms, int64_t *from, int64_t *to)
{
	char word[48];

	plain_word(text, word, sizeof word);
	for (size_t i = 0; i < NNAMED; i++) {
		if (strcmp(word, named[i].name) != 0)
			continue;
		*from = period_start(named[i].period, now_ms, named[i].later);
		*to = period_start(named[i].period, now_ms, named[i].later + 1);
		return true;
	}
	return false;
}

/* ---- periods by the calendar: "2026-10", "2026-W40", "2026-Q3", "2026" ------------------- */

/* Digits alone, of exactly so many; -1: something else. */
static int read_digits(struct sv s, size_t n)
{
	int v = 0;

	if (s.n != n)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (!isdigit((unsigned char)s.p[i]))
			return -1;
		v = v * 10 + (s.p[i] - '0');
	}
	return v;
}

static bool read_week(int year, int week, int64_t *from, int64_t *to)
{
	int back_year, back_week;

	if (week < 1 || week > 53)
		return false;
	*from = tm_from_iso_week(year, week);
	*to = *from + 7 * MS_DAY;
	tm_iso_week(*from, &back_year, &back_week);
	return back_year == year && back_week == week; /* not every year has 53 */
}

static bool read_calendar(struct sv s, int64_t *from, int64_t *to)
{
	int year = s.n >= 4 ? read_digits((struct sv){ s.p, 4 }, 4) : -1;
	int number, first_month, months;

	if (year < 1 || year > 9998)
		return false;
	s = sv_from(s, 4);
	bool dash = s.n && *s.p == '-';
	s = sv_from(s, dash);
	char letter = s.n ? (char)toupper((unsigned char)*s.p) : 0;
	if (letter == 'W')
		return read_week(year, read_digits(sv_from(s, 1), 2), from, to);
	if (letter == 'Q') {
		number = read_digits(sv_from(s, 1), 1);
		first_month = 3 * number - 2;
		months = 3;
	} else if (dash) {
		number = first_month = read_digits(s, 2);
		months = 1;
	} else {
		number = s.n ? -1 : 1;
		first_month = 1;
		months = 12;
	}
	if (number < 1 || first_month < 1 || first_month > 12)
		return false;
	*from = tm_from_civil((struct civil){ .year = year, .month = first_month, .day = 1 });
	*to = tm_month_start(*from, months);
	return true;
}

/* ---- what cannot be read ----------------------------------------------------------------- */

#define FORMS                                                                                     \
	"Give a date (2024-09-18), an instant (2024-09-18T22:00:00Z), a month (2024-09), a week " \
	"(2024-W38), a quarter (2024-Q3), a year (2024),\n"                                       \
	"a duration back from now (7d, 12h), or one of today, yesterday, week, lastweek, month, " \
	"lastmonth, quarter, lastquarter, year, lastyear"

/* 1 to 12 where a month's English name, or its first three letters, stands in the text; else 0. */
static int month_named(const char *text)
{
	static const char *const month[] = { "jan", "feb", "mar", "apr", "may", "jun",
					     "jul", "aug", "sep", "oct", "nov", "dec" };
	size_t letters = 0;

	for (const char *p = text; *p; p++) {
		letters = isalpha((unsigned char)*p) ? letters + 1 : 0;
		if (letters != 1)
			continue;
		for (int m = 0; m < 12; m++)
			if (!strncasecmp(p, month[m], 3))
				return m + 1;
	}
	return 0;
}

static int year_named(const char *text, int64_t now_ms)
{
	for (const char *p = text; *p; p++) {
		size_t n = strspn(p, "0123456789");
		if (n == 4)
			return read_digits((struct sv){ p, 4 }, 4);
		p += n ? n - 1 : 0;
	}
	return tm_civil(now_ms).year;
}

/* "3 days", "1 week": how the span is written; false: it is none. */
static bool spelled_span(const char *text, char *buf, size_t size)
{
	static const char *const unit[] = { "hour", "day", "week", "year" };
	size_t n = strspn(text, "0123456789");
	const char *word = text + n + strspn(text + n, " _-");

	for (size_t i = 0; n && n < 8 && i < sizeof unit / sizeof *unit; i++)
		if (!strncasecmp(word, unit[i], strlen(unit[i]))) {
			snprintf(buf, size, "%.*s%c", (int)n, text, *unit[i]);
			return true;
		}
	return false;
}

static void hint_for(const char *text, int64_t now_ms, struct err *err)
{
	const char *name[NNAMED];
	char span[16];
	int year = year_named(text, now_ms), month = month_named(text);

	for (size_t i = 0; i < NNAMED; i++)
		name[i] = named[i].name;
	const char *near = near_word(text, name, NNAMED);
	if (near) {
		err_hint(err, "Did you mean '%s'? Else a date (2024-09-18), a month (2024-09) ...",
			 near);
		return;
	}
	if (spelled_span(text, span, sizeof span)) {
		err_hint(err, "Write the span as '%s'", span);
		return;
	}
	if (month) {
		err_hint(err, "Write the month as '%04d-%02d', a day as '%04d-%02d-18'", year,
			 month, year, month);
		return;
	}

	/* the text with each number as one 9, and the numbers: "9/9/9" of "01/02/2024" */
	char shape[8];
	int number[3] = { 0 };
	size_t n = 0, found = 0;
	for (const char *p = text; *p && n + 1 < sizeof shape;) {
		size_t run = strspn(p, "0123456789");
		if (run && found < 3)
			number[found++] = run > 6 ? 0 : atoi(p);
		shape[n++] = run ? '9' : (char)toupper((unsigned char)*p);
		p += run ? run : 1;
	}
	shape[n] = 0;

	/* a part of the calendar that lacks something: how it would be written */
	int last = found ? number[found - 1] : 0;
	bool month_first = !strcmp(shape, "9/9") && number[0] >= 1 && number[0] <= 12;
	if (!strcmp(shape, "9/9/9") || !strcmp(shape, "9.9.9"))
		err_hint(
			err,
			"Day or month first? Write it as year-month-day, such as 2024-09-18, or a month as 2024-09");
	else if (!strcmp(shape, "9-9") && last >= 1 && last <= 12)
		err_hint(err, "Write the month as '%04d-%02d'", year, last);
	else if (month_first)
		err_hint(err, "Write the month as '%04d-%02d'", year, number[0]);
	else if (!strcmp(shape, "Q9") && last >= 1 && last <= 4)
		err_hint(err, "Of which year? '%04d-Q%d'", year, last);
	else if (!strcmp(shape, "W9") && last >= 1 && last <= 53)
		err_hint(err, "Of which year? '%04d-W%02d'", year, last);
	else
		err_hint(err, FORMS);
}

/* One end; *to is set to INT64_MAX where the text gives an instant only. */
static int window_end(const char *option, const char *text, int64_t now_ms, int64_t *from,
		      int64_t *to, struct err *err)
{
	int64_t span;

	if (read_named(text, now_ms, from, to) || read_calendar(sv_of(text), from, to))
		return 0;
	*to = INT64_MAX;
	if (!strcasecmp(text, "now")) {
		*from = now_ms;
		return 0;
	}
	if (tm_parse_span(sv_of(text), &span) == 0) {
		*from = now_ms - span;
		return 0;
	}
	if (tm_parse(sv_of(text), 0, from) == 0)
		return 0;
	err_set(err, -EINVAL, "cannot read '%.200s' as the time of %s", text, option);
	hint_for(text, now_ms, err);
	return -EINVAL;
}

int tm_window(const char *since, const char *until, int64_t now_ms, int64_t *ret_since_ms,
	      int64_t *ret_until_ms, struct err *err)
{
	int64_t from = INT64_MIN, to = INT64_MAX, unused;

	if (since && window_end("--since", since, now_ms, &from, &to, err))
		return -EINVAL;
	if (until && window_end("--until", until, now_ms, &to, &unused, err))
		return -EINVAL;
	if (from < to) {
		*ret_since_ms = from;
		*ret_until_ms = to;
		return 0;
	}
	err_set(err, -EINVAL,
		"the window is empty: --since '%.200s' is not before --until '%.200s'",
		text_or(since, ""), text_or(until, ""));
	if (since && until && !strcmp(since, until) && unused != INT64_MAX)
		err_hint(err, "--until is not included: --since %.200s alone is all of it", since);
	return -EINVAL;
}
